// The state of the player, without a browser and without the emulator.

import test from 'node:test';
import assert from 'node:assert/strict';
import { player } from './support.mjs';

const [State, Timeline] = player('[LanesState, LanesTimeline]');
// Values of the other context have other prototypes.
const plain = value => JSON.parse(JSON.stringify(value));

const group = (lanes, waiting = 'nothing', more = {}) => ({
    lanes, waiting, ptx_line: 9, source: { file: 'k.cu', line: 4 }, barrier: null, missing: null, ...more,
});

const moment = (more = {}) => ({
    number: 6, step: 6, block: [0, 0, 0], warp: 0, mask: '0xffff', active: '0xff', ptx_line: 7, ptx: 'st.shared.u32',
    source: { file: 'k.cu', line: 3 }, accesses: [],
    warps: [{ warp: 0, ended: '0xf0000000', groups: [group('0xffff'), group('0xfff0000', 'barrier', { barrier: 0 })] }],
    ...more,
});

test('a kernel has the name of its source', () => {
    for (const [name, plain] of [['axpy', 'axpy'], ['_Z4axpyPf', 'axpy'], ['_ZN2ns4axpyEPf', 'ns::axpy'], ['_Z5tile2IiEvPT_', 'tile2'], ['_Z', '_Z'], ['_Zone', '_Zone']]) {
        assert.equal(State.plainName(name), plain);
    }
});

const PTX = `.visible .entry other(
    .param .u64 other_param_0
)
{
    ld.param.u64 %rd1, [other_param_0];
    ret;
}
.visible .entry axpy(
    .param .u64 axpy_param_0,
    .param .u32 axpy_param_1
)
{
    .reg .pred %p<2>;
    ld.param.u64 %rd3, [axpy_param_0];
    ld.param.u32 %r1, [axpy_param_1];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra $L__BB0_2;
    cvta.to.global.u64 %rd4, %rd3;
    mov.u32 %r6, %tid.y;
    mov.u32 %r6, 7;
    st.global.u32 [%rd4], %r1;
$L__BB0_2:
    ret;
}
`;

test('what is there for debuggers only is not in the list of the instructions, and lines keep their numbers', () => {
    const text = '.version 8.0\n\n\t// .globl\tk\n.visible .entry k()\n{\n\t.loc\t1 3 5\n\tret;\n\n}\n\t.file\t1 "k.cu"\n\t.section\t.debug_str\n\t{\n'
        + '$L__info_string0:\n.b8 95,90,0\n\n\t}\n.visible .entry later()\n{ }\n';
    assert.deepEqual(plain(State.listed(text)), [
        [1, '.version 8.0'], [4, '.visible .entry k()'], [5, '{'], [7, '\tret;'], [9, '}'], [17, '.visible .entry later()'], [18, '{ }'],
    ]);
});

test('registers have the names that the text of a compiler tells', () => {
    assert.deepEqual(plain([...State.variables(PTX, 'axpy', ['x', 'n'])]), [
        ['%rd3', 'x'], ['%r1', 'n'], ['%r2', 'blockIdx.x'], ['%r3', 'blockDim.x'], ['%r4', 'threadIdx.x'],
        ['%r5', 'blockIdx.x * blockDim.x + threadIdx.x'], ['%rd4', 'x'],
    ]);
    assert.deepEqual(plain([...State.variables(PTX, 'other', ['y'])]), [['%rd1', 'y']]);
    assert.deepEqual(plain([...State.variables(PTX, 'none', [])]), []);
});

test('registers have the names that our compiler knows, where they hold', () => {
    const names = [
        { kernel: 'axpy', register: '%r1', variable: 'i', ptx_lines: [[5, 8]] },
        { kernel: 'axpy', register: '%r1', variable: 'n', ptx_lines: [[8, 9], [12, 14]] },
        { kernel: 'other', register: '%r2', variable: 'i', ptx_lines: [[1, 99]] },
    ];
    const at = ptx_line => plain([...State.namesAt({ program: { text: '' }, names }, { kernel: 'axpy' }, moment({ ptx_line }))]);
    assert.deepEqual([4, 6, 7, 9, 10].map(at), [[['%r1', 'i']], [['%r1', 'i']], [['%r1', 'n']], [], []]);
});

test('each lane has one word', () => {
    const words = plain(State.lanes(moment(), 0));
    assert.deepEqual(words.slice(0, 8), Array(8).fill('runs'));
    assert.deepEqual(words.slice(8, 16), Array(8).fill('off'));
    assert.deepEqual(words.slice(16, 28), Array(12).fill('barrier'));
    assert.deepEqual(words.slice(28), Array(4).fill('ended'));
});

test('lanes of the executing group that wait now are shown as waiting', () => {
    const missing = group('0xff', 'reconvergence', { missing: '0xff00' });
    const warps = [{ warp: 0, ended: '0x0', groups: [missing, group('0xffffff00')] }];
    const words = plain(State.lanes(moment({ warps, mask: '0xff', active: '0xff' }), 0));
    assert.deepEqual(words.slice(0, 9), [...Array(8).fill('reconvergence'), 'ready']);
});

test('a warp that does not execute is ready', () => {
    const warps = [...moment().warps, { warp: 1, ended: '0x0', groups: [group('0xffffffff')] }];
    assert.deepEqual(plain(State.lanes(moment({ warps }), 1)), Array(32).fill('ready'));
});

test('lanes with the same word are found together', () => {
    const words = [...Array(8).fill('ready'), ...Array(23).fill('ended'), 'ready'];
    assert.deepEqual(plain(State.masks(words)), [['ready', 0x800000ff], ['ended', 0x7fffff00]]);
});

test('masks are spoken as lanes', () => {
    for (const [mask, words] of [
        ['0x0', 'no lane'], ['0x1', 'lane 0'], ['0x80000000', 'lane 31'], ['0x3', 'lanes 0 and 1'],
        ['0xffff', 'lanes 0 to 15'], ['0xffffffff', 'all 32 lanes'], ['0x8000000f', 'lanes 0 to 3 and 31'],
        ['0x80f1', 'lanes 0, 4 to 7 and 15'],
    ]) {
        assert.equal(State.spoken(mask), words);
    }
});

test('a moment is a sentence', () => {
    assert.equal(
        State.sentence(moment()),
        'Step 7: warp 0 executes line 3 in lanes 0 to 7; lanes 16 to 27 wait at barrier 0.',
    );
    const access = { kind: 'read', space: 'global memory', sectors: 4, bank_conflicts: 0 };
    const shared = { kind: 'write', space: 'shared memory', sectors: 0, bank_conflicts: 1 };
    const reconvergence = group('0x1', 'reconvergence', { missing: '0x2' });
    const warps = [{ warp: 0, ended: '0x0', groups: [reconvergence] }];
    assert.equal(
        State.sentence(moment({ source: null, active: '0x1', accesses: [access, shared], warps })),
        'Step 7: warp 0 executes PTX line 7 in lane 0; it reads global memory in 4 sectors; it writes shared memory with '
            + '1 bank conflict; lane 0 waits to reconverge with lane 1.',
    );
    const over = [{ warp: 0, ended: '0xffffffff', groups: [] }];
    assert.match(State.sentence(moment({ warps: over })), /; the warp has ended\.$/);
});

test('all lanes execute a branch, and its guard says which of them jump', () => {
    const at = (ptx, active) => State.sentence(moment({ ptx, active, warps: [{ warp: 0, ended: '0x0', groups: [] }] }));
    assert.equal(at('@%p1 bra $L__BB0_4;', '0x0'), 'Step 7: warp 0 executes line 3 in lanes 0 to 15, and none of them jumps.');
    assert.equal(at('@!%p1 bra $L__BB0_4;', '0xffff'), 'Step 7: warp 0 executes line 3 in lanes 0 to 15, and all of them jump.');
    assert.equal(at('@%p1 bra.uni $L__BB0_4;', '0x4'), 'Step 7: warp 0 executes line 3 in lanes 0 to 15, and lane 2 jumps.');
    assert.equal(at('@%p1 st.global.u32 [%rd1], 0;', '0x4'), 'Step 7: warp 0 executes line 3 in lane 2.');
    assert.equal(at('bra.uni $L__BB0_4;', '0xffff'), 'Step 7: warp 0 executes line 3 in lanes 0 to 15.');
});

// A warp at an if whose second line the compiler has begun before the branch.
const ALL = '0xffffffff';
const at_an_if = [
    [1, ALL, 'mov.u32 %r1, %tid.x;'], [2, ALL, '@%p1 bra $L__BB0_4;', { active: '0x0' }], [5, ALL, 'add.s64 %rd1, %rd2, %rd3;'],
    [4, ALL, '@%p2 bra $L__BB0_3;', { active: '0x1', groups: [['0x1', 5], ['0xfffffffe', 4]] }], [4, '0xfffffffe', 'bra.uni $L__BB0_2;', { groups: [['0x1', 5], ['0xfffffffe', 7]] }],
    [5, '0x1', 'st.global.f32 [%rd1], %f3;', { groups: [['0x1', 5], ['0xfffffffe', 7]] }], [5, '0x1', 'bra.uni $L__BB0_4;', { groups: [['0x1', 9, 'reconvergence'], ['0xfffffffe', 7]] }],
    [7, '0xfffffffe', 'st.global.f32 [%rd1], %f2;', { groups: [['0x1', 9, 'reconvergence'], ['0xfffffffe', 9]] }], [9, ALL, 'ret;', { groups: [], ended: ALL }],
].map(([line, mask, ptx, { active = mask, groups = [[ALL, line]], ended = '0x0' } = {}], number) => moment({
    number, mask, active, ptx, source: { file: 'k.cu', line },
    warps: [{ warp: 0, ended, groups: groups.map(([lanes, to, waiting]) => group(lanes, waiting, { source: { file: 'k.cu', line: to } })) }],
}));

test('a beginner sees all lanes, the two sides, and all lanes again', () => {
    const found = State.stages(at_an_if);
    assert.deepEqual(plain(found.map(({ at, to, text }) => [at, to, text])), [
        [1, 1, 'All 32 lanes execute lines 1 to 2.'],
        [3, 4, 'All 32 lanes execute line 4, which divides them: lane 0 continues with line 5, and lanes 1 to 31 continue with line 7.'],
        [5, 6, 'Lane 0 executes line 5. Lanes 1 to 31 wait.'],
        [7, 7, 'Lanes 1 to 31 execute line 7. Lane 0 waits.'],
        [8, 8, 'All 32 lanes are together again and execute line 9, where the kernel ends.'],
    ]);
    const words = found.map(({ moment: shown }) => State.lanes(shown, 0).slice(0, 2).join(' '));
    assert.deepEqual(plain(words), ['runs runs', 'runs runs', 'runs others', 'others runs', 'runs runs']);
});

test('a line that is executed by one lane after another has a stage for each', () => {
    const apart = [['0x1', 5], ['0x2', 5]];
    const each = mask => moment({ mask, active: mask, ptx: 'add.s32 %r1, %r1, 1;', source: { file: 'k.cu', line: 5 }, warps: [{ warp: 0, ended: '0x0', groups: apart.map(([lanes]) => group(lanes)) }] });
    assert.deepEqual(plain(State.stages([each('0x1'), each('0x2')]).map(({ text }) => text)), ['Lane 0 executes line 5. Lane 1 waits.', 'Lane 1 executes line 5. Lane 0 waits.']);
});

test('an access to shared memory without a conflict is called that', () => {
    const access = { kind: 'read', space: 'shared memory', sectors: 0, bank_conflicts: 0 };
    assert.match(State.sentence(moment({ accesses: [access] })), /; it reads shared memory without a bank conflict[.;]/);
});

test('what an actor of a fault did is found by its lane, its line and its bytes', () => {
    const access = { kind: 'read', space: 'shared memory', bytes: 4, addresses: ['0x40', '0x44', ...Array(30).fill(null)] };
    const at = moment({ ptx_line: 9, active: '0x3', block: [1, 0, 0], accesses: [access] });
    const actor = (more = {}) => ({ block: [1, 0, 0], warp: 0, lane: 1, ptx_line: 9, ...more });
    const bytes = (address, count) => ({ address, bytes: count });
    assert.equal(State.isBy(at, actor(), bytes('0x47', 1)), true);
    assert.equal(State.isBy(at, actor(), null), true);
    assert.equal(State.isBy(at, actor(), bytes('0x48', 4)), false);
    assert.equal(State.isBy(at, actor(), bytes('0x40', 4)), false);
    assert.equal(State.isBy(at, actor({ lane: 0 }), bytes('0x40', 4)), true);
    assert.equal(State.isBy(at, actor({ lane: 2 }), null), false);
    assert.equal(State.isBy(at, actor({ warp: 1 }), null), false);
    assert.equal(State.isBy(at, actor({ block: [0, 0, 0] }), null), false);
    assert.equal(State.isBy(at, actor({ ptx_line: 8 }), null), false);
});

test('the registers of an instruction are found in it, and addresses are written as such', () => {
    assert.deepEqual(plain([...State.named('@%p1 ld.global.u32 %r11, [%rd1+4];')]), ['%p1', '%r11', '%rd1']);
    const address = { type: 'b64', values: ['0x368000000040'] };
    assert.equal(State.value(address, 0), '0x368000000040');
    assert.equal(State.value({ ...address, type: 'u64' }, 0), `${0x368000000040}`);
});

test('lines have the lanes that are there', () => {
    const warps = [{
        warp: 0, ended: '0x0',
        groups: [group('0xf'), group('0x80000000'), group('0xf0', 'nothing', { source: { file: 'k.cu', line: 2 } }),
            group('0xf00', 'nothing', { source: null })],
    }];
    assert.deepEqual(plain(State.lines(moment({ warps }), 0)), [[null, 0xf00], [2, 0xf0], [4, 0x8000000f]]);
});

test('values are read by their types', () => {
    for (const [type, bits, text] of [
        ['pred', '0x1', 'true'], ['pred', '0x0', 'false'], ['b32', '0xffffffff', '-1'], ['u32', '0xffffffff', '4294967295'],
        ['f32', '0x3fc00000', '1.5'], ['f64', '0x3ff8000000000000', '1.5'], ['b64', '0x7fffffffffffffff', '9223372036854775807'],
        ['b16', '0xffff', '-1'],
    ]) {
        assert.equal(State.value({ type, values: [bits] }, 0), text, `${type} ${bits}`);
    }
});

const moments = (from, count) => Array.from({ length: count }, (_, index) => moment({ number: from + index }));

test('a timeline stays between its ends', () => {
    const timeline = new Timeline(3);
    timeline.back();
    assert.equal(timeline.at, 0);
    timeline.forward();
    timeline.forward();
    timeline.forward();
    assert.equal(timeline.at, 2);
    timeline.show(-5);
    assert.equal(timeline.at, 0);
    timeline.show(1e9);
    assert.equal(timeline.at, 2);
});

test('an empty timeline wants nothing and does not play', () => {
    const timeline = new Timeline(0);
    timeline.play();
    assert.deepEqual([timeline.isPlaying, timeline.wanted(), timeline.moment, timeline.tick()], [false, null, undefined, false]);
    timeline.forward();
    assert.equal(timeline.at, 0);
});

test('only what is shown is fetched until it plays', () => {
    const timeline = new Timeline(100);
    assert.deepEqual(plain(timeline.wanted()), { from: 0, count: 1 });
    timeline.add(moments(0, 1));
    assert.equal(timeline.wanted(), null);
    timeline.play();
    assert.deepEqual(plain(timeline.wanted()), { from: 1, count: 64 });
    assert.equal(timeline.tick(), false, 'the next moment is still being fetched');
    timeline.add(moments(1, 64));
    assert.equal(timeline.wanted(), null);
    for (let tick = 0; tick < 40; tick++) { assert.equal(timeline.tick(), true); }
    assert.deepEqual(plain(timeline.wanted()), { from: 65, count: 35 });
    timeline.add(moments(65, 35));
    while (timeline.tick()) { /* It plays to its end. */ }
    assert.deepEqual([timeline.at, timeline.isPlaying], [99, false]);
    timeline.play();
    assert.equal(timeline.at, 0, 'it begins again');
});

test('going to a moment by hand ends the playing', () => {
    const timeline = new Timeline(100);
    timeline.add(moments(0, 10));
    timeline.play();
    timeline.tick();
    timeline.back();
    assert.deepEqual([timeline.at, timeline.isPlaying, timeline.moment.number], [0, false, 0]);
});

test('moments far away are forgotten', () => {
    const timeline = new Timeline(5000);
    timeline.show(3000);
    timeline.add(moments(0, 100));
    timeline.add(moments(2500, 1024));
    assert.equal(timeline.known.size, 1024);
    assert.equal(timeline.known.has(0), false);
    assert.equal(timeline.moment.number, 3000);
    timeline.forget();
    assert.deepEqual(plain(timeline.wanted()), { from: 3000, count: 1 });
});

const access = (more = {}) => ({
    space: 'global memory', kind: 'read', bytes: 4, lanes: '0x7', sectors: 2, bank_conflicts: 0,
    addresses: ['0x1000', '0x101c', '0x1020', ...Array(29).fill(null)], ...more,
});

test('an access is divided into its sectors', () => {
    const found = State.sectors(access()).map(({ from, lanes }) => [`0x${from.toString(16)}`, lanes]);
    assert.deepEqual(plain(found), [['0x1000', 3], ['0x1020', 4]]);
    // Bytes on both sides of a boundary are in two sectors.
    const wide = access({ bytes: 8, addresses: ['0x101c', ...Array(31).fill(null)] });
    assert.deepEqual(plain(State.sectors(wide).map(({ lanes }) => lanes)), [1, 1]);
});

test('an access is divided into the words of each bank', () => {
    const shared = access({ addresses: ['0x0', '0x80', '0x80', '0x4', ...Array(28).fill(null)] });
    const banks = State.banks(shared);
    assert.equal(banks.length, 32);
    assert.deepEqual(plain(banks[0].map(({ from, lanes }) => [Number(from), lanes])), [[0, 1], [128, 6]]);
    assert.deepEqual(plain(banks[1].map(({ lanes }) => lanes)), [8]);
    assert.equal(banks[2].length, 0);
});

test('a register is summed up', () => {
    const register = values => ({ type: 'u32', values });
    assert.equal(State.summary(register(Array(32).fill('0x5'))), '5 in all 32 lanes');
    assert.equal(State.summary(register([...Array(32).keys()].map(lane => `0x${(lane * 4).toString(16)}`))), '0, 4, … 124');
    const mixed = Array(32).fill('0x0');
    mixed[2] = '0x7';
    assert.equal(State.summary(register(mixed), 0b1101), '0, 7, 0');
    assert.equal(State.summary(register(mixed), 0b100), '7');
    assert.equal(State.summary(register(mixed), 0), '');
});

test('memory is read as values of a type', () => {
    assert.deepEqual(plain(State.values('0000803f000000c0', 'f32')), ['1', '-2']);
    assert.deepEqual(plain(State.values('ff00feffffff01', 'i16')), ['255', '-2', '-1']);
    assert.deepEqual(plain(State.values('ff01', 'u8')), ['255', '1']);
});

test('lanes that took no part are elsewhere', () => {
    const others = [{ ...group('0xffff0000'), source: { file: 'k.cu', line: 9 } }, group('0xffff')];
    const at = moment({ mask: '0xffff', warps: [{ warp: 0, ended: '0x0', groups: others }] });
    assert.deepEqual(plain(State.elsewhere(at)), [[9, 0xffff0000]]);
});

test('a strip has a character for each lane', () => {
    assert.equal(State.strip('0x80000001'), `█${'·'.repeat(30)}█`);
});

test('what is chosen replaces what the page says', () => {
    assert.deepEqual(plain(State.changed({ seed: 1, kernel: 'k' }, { seed: 2, schedule: null })), { seed: 2, kernel: 'k' });
});

test('the past of a moment is fetched with it, and ends where something is missing', () => {
    const timeline = new Timeline(100);
    timeline.show(50);
    assert.deepEqual(plain(timeline.wanted()), { from: 50, count: 1 });
    timeline.add([{ number: 50 }]);
    assert.deepEqual(plain(timeline.wanted()), { from: 43, count: 8 });
    timeline.add([44, 46, 47, 48, 49].map(number => ({ number })));
    assert.deepEqual(plain(timeline.past().map(({ number }) => number)), [46, 47, 48, 49, 50]);
});
