// Tests of what the editor does without a page: its highlighter, its links, its margin and the files of progress.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { editor } from './support.mjs';

const [highlight, link, margin, progress, drafts] = editor('[LanesHighlight, LanesLink, LanesMargin, LanesProgress, LanesDrafts]');

// What comes from another context has other prototypes.
const plain = value => JSON.parse(JSON.stringify(value));

const KERNEL = `// A kernel.
#define N 32
extern "C" __global__ void half(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; /* two
lines */ if (i < n) x[i] *= 0.5f;
}
`;

test('no character of a text is lost or added', () => {
    for (const text of [KERNEL, '', '\n\n', '"open', "'", '/* open', '#', '0x', '1e', '<script>alert(1)</script>&amp;', 'a\tb\r\n', 'ünï©ode 🙂 // 🙂']) {
        assert.equal(highlight.words(text).map(([, part]) => part).join(''), text);
        assert.equal(highlight.lines(text).map(words => words.map(([, part]) => part).join('')).join('\n'), text);
    }
});

test('words have the classes of the site', () => {
    const classes = new Map(highlight.words(KERNEL).map(([name, part]) => [part, name]));
    const expected = {
        '// A kernel.': 'hljs-comment', '#define N 32': 'hljs-meta', '"C"': 'hljs-string', __global__: 'hljs-keyword', void: 'hljs-type',
        blockIdx: 'hljs-built_in', '0.5f': 'hljs-number', if: 'hljs-keyword', '/* two\nlines */': 'hljs-comment',
    };
    for (const [word, name] of Object.entries(expected)) { assert.equal(classes.get(word), name, word); }
});

test('a name that only begins like a keyword has no class', () => {
    assert.deepEqual(plain(highlight.words('iffy x2 _3')), [['', 'iffy x2 _3']]);
});

test('a comment of two lines has a part in each', () => {
    const lines = highlight.lines('a /* b\nc */ d');
    assert.deepEqual(plain(lines), [[['', 'a '], ['hljs-comment', '/* b']], [['hljs-comment', 'c */'], ['', ' d']]]);
});

test('a very long text is highlighted in a moment', () => {
    // Other programs may have the processor meanwhile, so only this one's time counts.
    const start = process.cpuUsage();
    highlight.lines('/'.repeat(100_000));
    highlight.lines('"'.repeat(100_000));
    highlight.lines(KERNEL.repeat(500));
    assert.ok(process.cpuUsage(start).user < 1_000_000);
});

test('a link brings back what was packed', async () => {
    const texts = [KERNEL, '</textarea><script>alert(1)</script> \u{1f642}'];
    const fragment = await link.pack('branch.cu worst_case', texts);
    assert.match(fragment, /^#edit=1\.[\w-]+$/);
    assert.deepEqual(plain(await link.unpack(fragment)), { what: 'branch.cu worst_case', texts });
});

test('another fragment is none of ours', async () => {
    for (const fragment of ['', '#', '#the-heading', '#editor']) { assert.equal(await link.unpack(fragment), null); }
});

// A fragment of any value.
const made = (value, version = 1) => `#edit=${version}.${deflateRawSync(Buffer.from(JSON.stringify(value))).toString('base64url')}`;

const refused = (fragment, message) => assert.rejects(link.unpack(fragment), error => error instanceof link.LinkError && message.test(error.message));

test('a damaged link is one message', async () => {
    const whole = await link.pack('a', ['b']);
    for (const fragment of ['#edit=', '#edit=1.', '#edit=1.!!', '#edit=1.AAAA', '#edit=x.AA', '#edit=0.AA', whole.slice(0, -4), `${whole}%20`,
        made({}), made([]), made(null), made({ what: 1, texts: [] }), made({ what: 'a', texts: 'b' }), made({ what: 'a', texts: [1] })]) {
        await refused(fragment, /^the link is damaged: copy it again$/);
    }
});

test('a newer link says so', async () => {
    await refused(made({}, 2), /newer version/);
});

test('a link that would unpack to much more is refused before it has', async () => {
    await refused(made({ what: 'a', texts: ['x'.repeat(40_000)] }), /more than 32 kB/);
    await refused(made({ what: 'a', texts: ['x'.repeat(20_000_000)] }), /more than 32 kB/);
    await refused(`#edit=1.${'A'.repeat(100_000)}`, /more than 32 kB/);
});

test('a text of exactly the most bytes fits in a link, and one more does not', async () => {
    const room = (32 << 10) - JSON.stringify({ what: 'a', texts: [''] }).length;
    const fragment = await link.pack('a', ['x'.repeat(room)]);
    assert.equal((await link.unpack(fragment)).texts[0].length, room);
    await assert.rejects(link.pack('a', ['x'.repeat(room + 1)]), /make it shorter/);
});

const FILE = 'one\ntwo\nthree\nfour\nfive\nsix';
const PARTS = [{ from: 2, to: 3, numbers: [2, 3] }, { from: 5, to: 5, numbers: [5] }];

test('parts are put back into their file', () => {
    assert.deepEqual(plain(margin.whole(FILE, PARTS, ['two\nthree', 'five'])), { text: FILE, begins: [2, 5] });
    const longer = margin.whole(FILE, PARTS, ['2\n2.5\n3\n', '5']);
    assert.deepEqual(plain(longer), { text: 'one\n2\n2.5\n3\nfour\n5\nsix', begins: [2, 6] });
});

test('parts that are shown in another order than in the file', () => {
    const { text, begins } = margin.whole(FILE, [PARTS[1], PARTS[0]], ['5', '2\n2.5\n3']);
    assert.deepEqual([text, plain(begins)], ['one\n2\n2.5\n3\nfour\n5\nsix', [6, 2]]);
});

test('lines have the numbers of the program that was run', () => {
    assert.deepEqual(plain(margin.changedNumbers([2, 6]).map(number => [0, 1].map(number))), [[2, 3], [6, 7]]);
    assert.deepEqual(plain(margin.ownNumbers([{ numbers: [4, 6] }]).map(number => [0, 1, 2].map(number))), [[4, 6, null]]);
});

const REPORT = {
    counters: { ptx_instructions: 9, shared_loads: 0, global_loads: 2 },
    lines: [
        { file: 'k.cu', line: 3, counters: { ptx_instructions: 4, shared_loads: 0, global_loads: 2 } },
        { file: '/usr/include/cuda/atomic', line: 4, counters: { ptx_instructions: 5, shared_loads: 0, global_loads: 0 } },
    ],
    faults: [{ kind: 'race', actors: [{ source: { file: 'kernels/k.cu', line: 4 } }, { source: { file: 'kernels/k.cu', line: 4 } }, { source: null }] }],
};

test('a row has the count, the faults and the messages of its line, and of no other file', () => {
    const rows = margin.rows(3, line => line + 2, 'k.cu', { report: REPORT, counter: 'ptx_instructions', diagnostics: [{ line: 2, severity: 'error' }] });
    assert.deepEqual(plain(rows), [
        { number: 2, count: 0, faults: [], messages: [{ line: 2, severity: 'error' }] },
        { number: 3, count: 4, faults: [], messages: [] },
        { number: 4, count: 0, faults: ['race'], messages: [] },
    ]);
});

test('without a report a row has its number', () => {
    assert.deepEqual(plain(margin.rows(1, () => 7, 'k.cu', {})), [{ number: 7, count: 0, faults: [], messages: [] }]);
});

test('the counters of the margin are those that a line has', () => {
    assert.deepEqual(plain(margin.counters(REPORT)), ['ptx_instructions', 'global_loads']);
});

test('counters are compared, without those that are zero everywhere', () => {
    const other = { counters: { ptx_instructions: 8, shared_loads: 0, global_loads: 0 } };
    assert.deepEqual(plain(margin.compared([REPORT, null, other])), [['ptx_instructions', 9, null, 8], ['global_loads', 2, null, 0]]);
});

// As the program `exercises` writes it.
const TERMINAL = '# Progress of the exercises, written by the program `exercises`.\nversion = 1\npassed = [\n    "one_loop",\n    "tail_block",\n]\n\n[hints]\nmirror = 2\n';

test('a file of the terminal is read, with and without a version', () => {
    for (const file of [TERMINAL, TERMINAL.replace('version = 1\n', ''), TERMINAL.replace(/\n/g, '\r\n'), 'passed = ["one_loop", "tail_block"]\n[hints]\nmirror = 2']) {
        const done = progress.read(file);
        assert.deepEqual([plain([...done.passed]), plain([...done.hints])], [['one_loop', 'tail_block'], [['mirror', 2]]]);
    }
    assert.equal(progress.read('').passed.size, 0);
});

test('what is written is read again', () => {
    const done = progress.read(TERMINAL);
    assert.equal(progress.text(progress.read(progress.text(done))), progress.text(done));
});

test('a bad, huge or newer file is one message', () => {
    const refuses = (file, message) => assert.throws(() => progress.read(file), error => error instanceof progress.ProgressError && message.test(error.message));
    for (const file of ['passed = ["one"', 'passed = [1]', 'passed = ["<b>"]', 'other = 1', 'hello', '[hints]\nx = "1"', '[other]', '\u0000']) { refuses(file, /^line 1 |^line 2 /); }
    refuses('version = 2\nanything', /newer version/);
    refuses('x'.repeat(100_000), /more than 64 kB/);
});

test('progress works where storage is refused, and keeps what another page stored', () => {
    const refusing = new progress.Progress(() => { throw new Error('refused'); });
    refusing.pass('one_loop');
    assert.deepEqual([refusing.isKept, refusing.done.passed.has('one_loop')], [false, true]);
    const stored = new Map();
    const storage = () => ({ getItem: key => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) });
    const [first, second] = [new progress.Progress(storage), new progress.Progress(storage)];
    first.pass('one_loop');
    first.hint('mirror', 2);
    second.hint('mirror', 1);
    second.pass('tail_block');
    const third = new progress.Progress(storage);
    assert.deepEqual([plain([...third.done.passed]), third.done.hints.get('mirror')], [['one_loop', 'tail_block'], 2]);
    assert.throws(() => third.import('broken'), progress.ProgressError);
    assert.equal(third.done.passed.size, 2);
});

// A storage with room for so many letters.
const room = (most = Infinity) => {
    const stored = new Map();
    const setItem = (key, value) => {
        const others = [...stored].filter(([other]) => other !== key).reduce((sum, [, text]) => sum + text.length, 0);
        if (others + value.length > most) { throw new Error('QuotaExceededError'); }
        stored.set(key, value);
    };
    return { stored, storage: () => ({ getItem: key => stored.get(key) ?? null, setItem, removeItem: key => stored.delete(key) }) };
};

test('progress that cannot be read is kept under another name, each time', () => {
    const { stored, storage } = room();
    const bad = ['version = 2\nfinished = ["a"]\n', 'passed = [', '\u0000', 'version = 2\nfinished = ["a"]\n'];
    const page = new progress.Progress(storage);
    for (const [at, text] of bad.entries()) {
        stored.set(progress.KEY, text);
        const other = at % 2 === 0 ? page : new progress.Progress(storage);
        if (at < 2) { other.pass(`number_${at}`); } else { other.hint('mirror', at); }
        assert.match(other.aside, /^lanes-progress-kept-\d$/);
        assert.equal(stored.get(other.aside), text);
    }
    assert.deepEqual([...stored.keys()].filter(key => key !== progress.KEY).map(key => stored.get(key)), bad.slice(0, 3));
    assert.deepEqual([new progress.Progress(storage).aside, page.isKept, page.done.passed.has('number_0')], [null, true, true]);
});

test('where there is no room for both, what cannot be read stays, and the page says so', () => {
    const { stored, storage } = room(60);
    const bad = `version = 2\n${'x'.repeat(30)}`;
    stored.set(progress.KEY, bad);
    const page = new progress.Progress(storage);
    page.pass('one_loop');
    page.import('passed = ["tail_block"]');
    assert.deepEqual([stored.get(progress.KEY), page.isKept, page.done.passed.size], [bad, false, 2]);
    stored.delete(progress.KEY);
    page.pass('mirror');
    assert.deepEqual([stored.size, page.isKept], [0, false]);
});

test('pages that store at the same time have what both did', () => {
    const { stored, storage } = room();
    const [first, second] = [new progress.Progress(storage), new progress.Progress(storage)];
    first.pass('one_loop');
    const lost = stored.get(progress.KEY);
    stored.delete(progress.KEY);
    second.pass('tail_block');
    first.heard(stored.get(progress.KEY));
    second.heard(stored.get(progress.KEY));
    assert.notEqual(stored.get(progress.KEY), lost);
    for (const page of [first, second, new progress.Progress(storage)]) { assert.deepEqual(plain([...page.done.passed]).sort(), ['one_loop', 'tail_block']); }
});

test('every text that is short enough is read in a moment', () => {
    const parts = [' ', '\t', '\n', '\r\n', '\r', '#', '# x\n', 'a', 'a ', '"', "'", '"a"', '"a",', '"a" ', '[', ']', '=', ',', 'passed=[]\n', 'passed = ["a"]\n', 'version = 1\n', 'version ', 'a = 1\n', '[hints]\n', '9', '\u0000', '\u{1f642}'];
    const texts = parts.flatMap(part => ['', 'passed = [', '[hints]\n', 'version', ' '].flatMap(before => ['', 'x', ']', '\n!'].map(after => {
        const most = progress.MOST_BYTES - before.length - after.length;
        return before + part.repeat(Math.floor(most / part.length)) + after;
    })));
    let slowest = 0;
    for (const text of texts) {
        const start = process.cpuUsage();
        try { progress.read(text); } catch (error) { assert.ok(error instanceof progress.ProgressError, error); }
        slowest = Math.max(slowest, process.cpuUsage(start).user);
    }
    assert.ok(slowest < 500_000, `${slowest} us`);
});

test('an attempt that the browser does not store is told, and the one before stays', () => {
    const { storage } = room(40);
    const page = new drafts.Drafts(storage);
    assert.deepEqual([page.set('one_loop', 'short'), page.set('one_loop', 'x'.repeat(50)), page.set('who_adds', 'x'.repeat(100_000))], [true, false, false]);
    assert.deepEqual([page.get('one_loop').length, new drafts.Drafts(storage).get('one_loop')], [50, 'short']);
    assert.equal(page.set('one_loop', 'short again'), true);
});

test('attempts outlive the page, and are kept by the page where storage is refused', () => {
    const stored = new Map();
    const storage = () => ({ getItem: key => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value), removeItem: key => stored.delete(key) });
    const refused = () => { throw new Error('refused'); };
    for (const [place, isKept] of [[storage, true], [refused, false]]) {
        const page = new drafts.Drafts(place);
        page.set('one_loop', 'text');
        page.set('who_adds', { first: '0-15', second: 'none' });
        const later = new drafts.Drafts(place);
        assert.deepEqual([page.get('one_loop'), later.get('one_loop')], ['text', isKept ? 'text' : undefined]);
        assert.deepEqual(plain(later.get('who_adds') ?? null), isKept ? { first: '0-15', second: 'none' } : null);
        page.delete('one_loop');
        assert.deepEqual([page.get('one_loop'), new drafts.Drafts(place).get('one_loop')], [undefined, undefined]);
    }
    // What is stored was perhaps written by another program.
    for (const bad of ['{', 'null', '7', '{"first":7}']) {
        stored.set('lanes-attempt-1-one_loop', bad);
        assert.equal(new drafts.Drafts(storage).get('one_loop'), undefined);
    }
});

test('the kernels that a reader has changed are known by their names', () => {
    const text = `extern "C" __global__ void one(int* x) {
    x[0] = 1;
}

__device__ int help(int a) {
    return a;
}

template <int N>
__global__ void __launch_bounds__(64) two(int* x,
                                          int n) {
    x[0] = 2;
}`;
    const changed = (from, to) => plain(margin.changedKernels(text, text.replace(from, to)));
    const found = [['', ''], ['= 1', '= 3'], ['= 2', '= 3'], ['return a', 'return -a'], ['    x[0] = 1;\n', ''], ['x[0] = 1;', 'x[0] = 1;\n    x[1] = 1;'], ['int n', 'int m'], ['\n}\n\n__', '\n}\n// one\n__']].map(each => changed(...each));
    assert.deepEqual(found, [[], ['one'], ['two'], [], ['one'], ['one'], ['two'], []]);
    assert.deepEqual(plain(margin.changedKernels(text, text.replace(/= \d/g, '= 4'))), ['one', 'two']);
});

// A reader at a desk with one text, whose original is ''.
const desk = (page, name) => {
    const at = { text: '', said: '' };
    at.attempt = new drafts.Attempt(page, name, {
        begun: () => (at.text === '' ? null : at.text), show: attempt => { at.text = attempt ?? ''; },
        fits: attempt => typeof attempt === 'string', say: text => { at.said = text; },
    });
    at.type = text => { at.text = text; at.attempt.typed(); };
    return at;
};

test('what another page has stored in between is kept beside the attempt', () => {
    const { stored, storage } = room();
    const [first, second] = [storage, storage].map(place => desk(new drafts.Drafts(place), 'one_loop'));
    assert.deepEqual([first.attempt.before, second.attempt.before], [null, null]);
    first.type('of the first page');
    second.type('of the second');
    assert.deepEqual([second.attempt.others, first.attempt.before], [1, 'of the second']);
    second.attempt.turn();
    assert.deepEqual([second.text, second.attempt.others, stored.get('lanes-attempt-1-one_loop')], ['of the first page', 1, '"of the first page"']);
    second.attempt.turn();
    assert.deepEqual([second.text, second.attempt.others], ['of the second', 1]);
    // A page that hears of it shows the same, and has nothing to keep.
    first.attempt.heard();
    assert.equal(first.text, 'of the second');
    first.type('of both');
    second.attempt.heard();
    assert.deepEqual([second.text, second.attempt.others], ['of both', 1]);
});

test('a link, a reset and what fits nowhere take nothing away', () => {
    const { stored, storage } = room();
    const at = desk(new drafts.Drafts(storage), 'one_loop');
    at.type('mine');
    at.attempt.link('theirs');
    assert.deepEqual([at.text, at.attempt.before, at.attempt.others], ['theirs', 'mine', 1]);
    at.attempt.heard();
    assert.equal(at.text, 'theirs');
    at.attempt.turn();
    assert.deepEqual([at.text, at.attempt.others], ['mine', 0]);
    at.attempt.link('theirs');
    at.type('theirs and mine');
    assert.equal(at.attempt.leave(), true);
    at.type('');
    assert.deepEqual([at.attempt.before, at.attempt.others, stored.has('lanes-attempt-1-one_loop')], [null, 2, false]);
    at.attempt.turn();
    assert.deepEqual([at.text, at.attempt.others], ['theirs and mine', 1]);
    // The parts of a listing, under a name that has a text now.
    stored.set('lanes-attempt-1-one_loop', '["a","b"]');
    const later = desk(new drafts.Drafts(storage), 'one_loop');
    assert.equal(later.attempt.before, null);
    later.type('new');
    assert.deepEqual([later.attempt.others, JSON.parse(stored.get('lanes-attempts-kept-1-one_loop'))[0]], [1, ['a', 'b']]);
});

test('where there is no room for both, what another page has stored stays', () => {
    const { stored, storage } = room(60);
    const [first, second] = [new drafts.Drafts(storage), new drafts.Drafts(storage)];
    first.set('one_loop', 'x'.repeat(40));
    const at = desk(second, 'one_loop');
    at.type('y'.repeat(40));
    assert.deepEqual([stored.get('lanes-attempt-1-one_loop').length, at.attempt.isStored, second.isUnstored], [42, false, true]);
    assert.match(at.said, /refuses to store/);
    assert.equal(second.get('one_loop'), 'y'.repeat(40));
    at.attempt.heard();
    assert.equal(at.text, 'y'.repeat(40));
});

test('what there was no room for is stored as soon as there is, beside what another page has kept', () => {
    const { stored, storage } = room();
    let isFull = false;
    const refusing = () => {
        const { getItem, setItem, removeItem } = storage();
        return { getItem, removeItem, setItem(key, text) { if (isFull) { throw new Error('full'); } setItem(key, text); } };
    };
    const [first, second] = [new drafts.Drafts(refusing), new drafts.Drafts(refusing)];
    isFull = true;
    assert.equal(first.keep('one', 'mine'), false);
    isFull = false;
    second.keep('one', 'theirs');
    assert.deepEqual([...first.others('one', null)], ['mine', 'theirs']);
    assert.equal(first.isUnstored, true);
    first.set('one', 'now');
    assert.equal(first.isUnstored, false);
    assert.deepEqual(JSON.parse(stored.get('lanes-attempts-kept-1-one')), ['mine', 'theirs']);
});

test('a robot that types, resets, turns and changes pages loses no text', () => {
    const { storage } = room();
    let seed = 7;
    const below = most => { seed = Math.imul(seed, 1664525) + 1013904223 >>> 0; return (seed >>> 8) % most; };
    let pages = [0, 1].map(() => new drafts.Drafts(storage));
    const open = number => { const at = desk(pages[number], 'listing'); at.text = at.attempt.before ?? ''; return at; };
    let [place, at] = [0, open(0)];
    const typed = [];
    for (let step = 0; step < 3000; step++) {
        const act = below(8);
        if (act < 3) {
            // At most as many as are kept.
            if (typed.length < 15) { const text = `${at.text.slice(0, 20)}${step};`; typed.push(text); at.attempt.leave(); at.type(text); }
        } else if (act === 3) { at.attempt.leave(); at.type('');
        } else if (act === 4) { at.attempt.turn();
        } else if (act === 5) { at.attempt.link('theirs');
        } else if (act === 6) { place = 1 - place; at = open(place);
        } else { pages = pages.map((page, number) => (number === place ? new drafts.Drafts(storage) : page)); at = open(place); }
        const all = [at.text, at.attempt.before, ...at.attempt.drafts.others('listing', null)];
        typed.forEach(text => assert.ok(all.includes(text), `${text} is lost at step ${step}, after ${act}`));
    }
    assert.equal(typed.length, 15);
});
