// What the player shows, as a function of moments: nothing here draws, and nothing here asks the emulator.
//
// A moment is an answer of the emulator (`crates/page/src/moments.rs`). `LanesState` makes of it what a reader sees: for each lane
// one word, for the instruction one sentence. `LanesTimeline` says which moment is shown and which are to be fetched.
'use strict';

const LanesState = (() => {
    const LANES = 32;
    /** @type {(mask: Lanes.Mask, lane: number) => boolean} */
    const bit = (mask, lane) => (Number(mask) >>> lane & 1) === 1;
    /** @type {(mask: Lanes.Mask) => number[]} */
    const lanesOf = mask => [...Array(LANES).keys()].filter(lane => bit(mask, lane));

    // One word for each lane of a warp: `runs` (it executed the instruction), `off` (its guard switched it off), `ready`,
    // `barrier`, `warp`, `reconvergence`, `others` (a stage has no other kind of waiting), `ended`, or `none` (the block has no such thread).
    /** @type {(moment: Lanes.Moment, number: number) => string[]} */
    function lanes(moment, number) {
        const warp = moment.warps[number];
        /** @type {string[]} */
        const words = [...Array(LANES).keys()].map(lane => (number * LANES + lane < (moment.threads ?? Infinity) ? 'ended' : 'none'));
        for (const group of warp.groups) {
            const word = group.waiting === 'nothing' ? 'ready' : group.waiting;
            for (const lane of lanesOf(group.lanes)) { words[lane] = word; }
        }
        if (moment.warp !== number) { return words; }
        // What a lane did says more than what it does next, unless it waits or has ended.
        for (const lane of lanesOf(moment.mask)) {
            if (words[lane] === 'ready') { words[lane] = bit(moment.active, lane) ? 'runs' : 'off'; }
        }
        return words;
    }

    // The lanes of each word, as pairs of a word and a mask, in the order of the lowest lanes.
    /** @type {(words: string[]) => [string, number][]} */
    function masks(words) {
        const found = new Map();
        words.forEach((word, lane) => found.set(word, ((found.get(word) ?? 0) | 1 << lane) >>> 0));
        return [...found];
    }

    // The name of a kernel as its source has it: `axpy` for `_Z4axpyPf`, and `ns::axpy` for `_ZN2ns4axpyEPf`.
    /** @type {(name: string) => string} */
    function plainName(name) {
        const rest = /^_ZN?(.*)/.exec(name)?.[1];
        const parts = [];
        for (let at = 0, length; rest !== undefined && (length = Number(/^\d+/.exec(rest.slice(at))?.[0] ?? 0)) > 0; at += length) {
            at += `${length}`.length;
            parts.push(rest.slice(at, at + length));
            if (!name.startsWith('_ZN')) { break; }
        }
        return parts.length > 0 ? parts.join('::') : name;
    }

    // `lanes 0 to 15 and 31`, as a reader would say it.
    /** @param {Lanes.Mask} mask */
    function spoken(mask) {
        const runs = [];
        for (const lane of lanesOf(mask)) {
            const run = runs.at(-1);
            if (run !== undefined && run[1] === lane - 1) { run[1] = lane; } else { runs.push([lane, lane]); }
        }
        if (runs.length === 0) { return 'no lane'; }
        if (runs.length === 1 && runs[0][0] === 0 && runs[0][1] === LANES - 1) { return 'all 32 lanes'; }
        const words = runs.map(([first, last]) => {
            if (first === last) { return `${first}`; }
            return last === first + 1 ? `${first} and ${last}` : `${first} to ${last}`;
        });
        const text = words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
        return lanesOf(mask).length === 1 ? `lane ${text}` : `lanes ${text}`;
    }

    // The moment as a sentence for a screen reader.
    /** @type {(moment: Lanes.Moment) => string} */
    function sentence(moment) {
        const where = moment.source === null ? `PTX line ${moment.ptx_line}` : `line ${moment.source.line}`;
        const step = `Step ${moment.number + 1}: warp ${moment.warp} executes ${where} in ${executing(moment)}`;
        const parts = [step, ...moment.accesses.map(cost), ...waits(moment)];
        return `${parts.join('; ')}.`;
    }

    // The lanes that execute an instruction. All execute a branch: its guard says which of them jump.
    /** @param {Lanes.Moment} moment */
    function executing({ ptx, mask, active }) {
        if (!isChoice(ptx)) { return spoken(active); }
        const jump = { [spoken(mask)]: 'all of them jump', [spoken('0x0')]: 'none of them jumps' }[spoken(active)];
        return `${spoken(mask)}, and ${jump ?? `${verb(active, 'jump')}`}`;
    }

    // Whether an instruction is a branch with a guard, after which lanes may continue at different lines.
    /** @param {string} ptx */
    function isChoice(ptx) { return /^@!?%\w+\s+brx?[a.]/.test(ptx); }

    /** @param {Lanes.Access} access */
    function cost(access) {
        const VERBS = { read: 'reads', write: 'writes', update: 'updates', mbarrier: 'uses an mbarrier in' };
        const verb = `it ${VERBS[access.kind]} ${access.space}`;
        if (access.space === 'global memory') { return `${verb} in ${counted(access.sectors, 'sector')}`; }
        if (access.space === 'shared memory') { return `${verb} ${conflicts(access)}`; }
        return verb;
    }

    /** @param {Lanes.Access} access */
    function conflicts(access) {
        return access.bank_conflicts === 0 ? 'without a bank conflict' : `with ${counted(access.bank_conflicts, 'bank conflict')}`;
    }

    /** @param {number} number @param {string} what */
    function counted(number, what) {
        return `${number} ${what}${number === 1 ? '' : 's'}`;
    }

    // The moments of a launch of one warp in as few stages as a beginner needs: a stage ends where other lanes execute, or with a branch
    // that has a guard. What only jumps is no stage. Each has the moment at which it is shown, its last one, and its sentence.
    /** @type {(moments: Lanes.Moment[]) => Lanes.Stage[]} */
    function stages(moments) {
        const works = moments.filter(({ ptx }) => !/^bra\b/.test(ptx));
        /** @type {Lanes.Moment[][]} */
        const runs = [];
        works.forEach((moment, index) => {
            const before = works[index - 1];
            if (before === undefined || before.mask !== moment.mask || isChoice(before.ptx)) { runs.push([]); }
            runs.at(-1)?.push(moment);
        });
        return runs.map((run, index) => {
            const last = run[run.length - 1];
            const next = runs[index + 1]?.[0].number ?? moments.length;
            return { at: last.number, to: next - 1, moment: settled(last), text: told(runs, index) };
        });
    }

    // A moment at which the lanes that executed it are shown executing, even if they have ended since, and all others wait.
    /** @type {(moment: Lanes.Moment) => Lanes.Moment} */
    function settled(moment) {
        const { mask } = moment;
        const warps = moment.warps.map(({ warp, ended, groups }) => {
            const others = groups.filter(group => common(group.lanes, mask) === 0);
            /** @type {Lanes.Group[]} */
            const both = [{ ...others[0] ?? groups[0], lanes: mask, waiting: 'nothing' }, ...others.map(group => ({ ...group, waiting: /** @type {const} */ ('others') }))];
            return { warp, ended, groups: both };
        });
        return { ...moment, active: mask, warps };
    }

    // What a stage is, in a sentence or two.
    /** @type {(runs: Lanes.Moment[][], index: number) => string} */
    function told(runs, index) {
        const [run, before] = [runs[index], runs[index - 1]];
        const { mask, ptx, warps: [{ groups, ended }] } = run[run.length - 1];
        const [inside, others] = [true, false].map(is => groups.filter(group => (common(group.lanes, mask) !== 0) === is));
        const isAgain = before !== undefined && before[0].mask !== mask && others.length === 0;
        const start = isAgain ? `${spoken(mask)} are together again and execute` : verb(mask, 'execute');
        const ways = isChoice(ptx) && inside.length > 1 ? sides(runs.slice(index + 1), mask) : [];
        const split = ways.length > 1 ? `, which divides them: ${ways.join(', and ')}` : '';
        const end = common(ended, mask) === Number(mask) ? ', where the kernel ends' : '';
        return [`${start} ${reached(run, before ?? [])}${split}${end}`, ...others.map(group => verb(group.lanes, 'wait'))].map(text => `${capital(text)}.`).join(' ');
    }

    // The lines that a stage adds to those of the one before, up to its last one. Compilers move parts of later lines to the front.
    /** @type {(run: Lanes.Moment[], before: Lanes.Moment[]) => string} */
    function reached(run, before) {
        const [lines, old] = [run, before].map(moments => moments.map(({ source }) => source?.line ?? 0));
        const last = lines[lines.length - 1];
        const seen = Math.max(0, ...old.filter(line => line <= last));
        const first = Math.min(last, ...lines.filter(line => line > seen));
        return first === last ? `line ${last}` : `lines ${first} to ${last}`;
    }

    // Where the lanes of a mask continue after a branch, once for each side.
    /** @type {(later: Lanes.Moment[][], mask: Lanes.Mask) => string[]} */
    function sides(later, mask) {
        const firsts = later.map(([first]) => first).filter(first => first.mask !== mask && common(first.mask, mask) === Number(first.mask));
        const once = firsts.filter((first, index) => firsts.findIndex(other => other.mask === first.mask) === index);
        return once.map(({ mask: side, source }) => `${verb(side, 'continue')} with line ${source?.line}`);
    }

    /** @type {(mask: Lanes.Mask, word: string) => string} */
    function verb(mask, word) { return `${spoken(mask)} ${word}${lanesOf(mask).length === 1 ? 's' : ''}`; }

    /** @type {(one: Lanes.Mask, other: Lanes.Mask) => number} */
    function common(one, other) { return (Number(one) & Number(other)) >>> 0; }

    /** @param {string} text */
    function capital(text) { return `${text[0].toUpperCase()}${text.slice(1)}`; }

    /** @param {Lanes.Moment} moment */
    function waits(moment) {
        /** @type {Record<string, (group: Lanes.Group) => string>} */
        const WORDS = {
            barrier: group => `waits at barrier ${group.barrier}`,
            cluster: () => 'waits at the barrier of the cluster',
            warpgroup: () => 'waits for the other warps of its warpgroup',
            warp: () => 'waits for other lanes of the warp',
            reconvergence: group => `waits to reconverge with ${spoken(group.missing)}`,
        };
        const of = moment.warps[moment.warp].groups.filter(group => group.waiting !== 'nothing');
        const waiting = of.map(group => {
            const text = WORDS[group.waiting](group);
            return `${spoken(group.lanes)} ${lanesOf(group.lanes).length === 1 ? text : text.replace('waits', 'wait')}`;
        });
        const ended = lanesOf(moment.warps[moment.warp].ended).length;
        return ended === LANES ? [...waiting, 'the warp has ended'] : waiting;
    }

    // Where the other lanes of the warp are, those that did not take part in the instruction: as `lines`.
    /** @param {Lanes.Moment} moment */
    function elsewhere(moment) {
        const apart = moment.warps[moment.warp].groups.filter(group => (Number(group.lanes) & Number(moment.mask)) === 0);
        // Only the file that is shown has marks.
        const groups = apart.filter(group => group.source?.file === moment.source?.file);
        return lines({ warps: [{ groups }] }, 0).filter(([line]) => line !== null);
    }

    // Where each lane is: pairs of a CUDA line (or null) and the mask of its lanes, in the order of the lines.
    /** @type {(moment: { warps: { groups: Lanes.Group[] }[] }, number: number) => [number | null, number][]} */
    function lines(moment, number) {
        const found = new Map();
        for (const group of moment.warps[number].groups) {
            const line = group.source?.line ?? null;
            found.set(line, ((found.get(line) ?? 0) | Number(group.lanes)) >>> 0);
        }
        return [...found].sort(([a], [b]) => (a ?? 0) - (b ?? 0));
    }

    // Whether the moment is what this actor of a fault did: its instruction, in its lane, at the bytes of the fault.
    /** @type {(moment: Lanes.Moment, actor: Lanes.Actor, location: Lanes.Location | null) => boolean} */
    function isBy(moment, actor, location) {
        if (moment.ptx_line !== actor.ptx_line || moment.warp !== actor.warp || `${moment.block}` !== `${actor.block}` || !bit(moment.active, actor.lane)) { return false; }
        if (location === null) { return true; }
        const from = BigInt(location.address);
        return moment.accesses.some(access => {
            const address = access.addresses[actor.lane];
            return address !== null && BigInt(address) < from + BigInt(location.bytes) && from < BigInt(address) + BigInt(access.bytes);
        });
    }

    // The lines of a program in PTX that a reader wants to see, with their numbers: without what is there for debuggers only.
    /** @type {(text: string) => Lanes.Line[]} */
    function listed(text) {
        let isSection = false;
        return text.split('\n').map((line, index) => /** @type {Lanes.Line} */ ([index + 1, line])).filter(([, line]) => {
            isSection ||= /^\s*\.section\b/.test(line);
            const isShown = !isSection && !/^\s*(\.loc\b|\.file\b|\/\/ *\.globl\b|$)/.test(line);
            // The bytes of a section have no braces.
            isSection &&= !/^\s*\}/.test(line);
            return isShown;
        });
    }

    // The names of the registers in an instruction.
    /** @param {string} ptx */
    function named(ptx) {
        return new Set(ptx.match(/%[a-zA-Z_]\w*/g) ?? []);
    }

    const BUILTINS = /** @type {Record<string, string>} */ ({ tid: 'threadIdx', ntid: 'blockDim', ctaid: 'blockIdx', nctaid: 'gridDim' });

    // What the registers of a kernel in PTX are called in CUDA, as far as its text says it: registers that get one value, which is an
    // argument, a built-in variable, or the index of a thread. A compiler leaves no other names.
    /** @type {(text: string, kernel: string, names: string[]) => Map<string, string>} */
    function variables(text, kernel, names) {
        const lines = text.split('\n');
        const start = lines.findIndex(line => line.includes(`.entry ${kernel}(`));
        const end = lines.indexOf('}', start);
        /** @type {Map<string, string>} */
        const known = new Map();
        /** @type {Set<string>} */
        const set = new Set();
        for (const line of lines.slice(start, end)) {
            const [, opcode, operands] = /^\s*(?:@!?%\w+\s+)?([a-z][\w.]*)\s+(.*);/.exec(line) ?? [];
            if (opcode === undefined || /^(st|red|bra|bar|barrier|call)\b/.test(opcode)) { continue; }
            const [, target, sources] = /^(\{[^}]*\}|[^,]*),?\s*(.*)$/.exec(operands) ?? ['', '', ''];
            const registers = named(target);
            const [register] = registers;
            const value = registers.size === 1 ? expression(opcode, sources.split(/,\s*/), known, names) : undefined;
            // Another value makes the name wrong somewhere.
            if (value !== undefined && !set.has(register)) { known.set(register, value); }
            registers.forEach(each => { if (set.has(each)) { known.delete(each); } set.add(each); });
        }
        return known;
    }

    /** @type {(opcode: string, sources: string[], known: Map<string, string>, names: string[]) => string | undefined} */
    function expression(opcode, sources, known, names) {
        const [first, ...others] = sources;
        if (opcode.startsWith('ld.param')) { return names[Number(/_param_(\d+)\]$/.exec(first)?.[1])]; }
        if (opcode.startsWith('cvta')) { return known.get(first); }
        if (opcode.startsWith('mov')) {
            const [, word, axis] = /^%([a-z]+)\.([xyz])$/.exec(first) ?? [];
            return BUILTINS[word] === undefined ? known.get(first) : `${BUILTINS[word]}.${axis}`;
        }
        const values = [first, ...others].map(source => known.get(source));
        const isIndex = opcode.startsWith('mad.lo') && values.every(value => /^[a-zA-Z]+\.[xyz]$/.test(value ?? ''));
        return isIndex ? `${values[0]} * ${values[1]} + ${values[2]}` : undefined;
    }

    // The names of the registers at a moment: those of our compiler, which knows where a register holds a variable, or those in the text.
    /** @type {(data: Pick<Lanes.Live, 'program' | 'names'>, launch: Lanes.Launch, moment: Lanes.Moment) => Map<string, string>} */
    function namesAt({ program, names }, launch, moment) {
        if (names === undefined) { return variables(program.text, launch.kernel, launch.arguments.map(({ name }) => name)); }
        // A moment is right after its instruction: what holds before the next one is true, and what held before it may still be.
        const held = [moment.ptx_line, moment.ptx_line + 1].flatMap(line => names.filter(({ kernel, ptx_lines: lines }) =>
            kernel === launch.kernel && lines.some(([from, to]) => from <= line && line < to)));
        return new Map(held.map(({ register, variable }) => [register, variable]));
    }

    // The value of a register in one lane, as its type has it: a type of PTX such as `b32` does not say whether it is signed,
    // so whole numbers are read as signed. An address is written as one.
    /** @type {(register: Omit<Lanes.Register, 'name'>, lane: number) => string} */
    function value(register, lane) {
        const bits = BigInt(register.values[lane]);
        const view = new DataView(new ArrayBuffer(8));
        view.setBigUint64(0, bits);
        switch (register.type) {
            case 'pred': return bits === 0n ? 'false' : 'true';
            case 'f32': return String(view.getFloat32(4));
            case 'f64': return String(view.getFloat64(0));
            default: break;
        }
        const width = Number(/\d+$/.exec(register.type)?.[0] ?? 64);
        if (register.type === 'b64' && bits >> 32n !== 0n && bits >> 48n === 0n) { return `0x${bits.toString(16)}`; }
        return String(register.type.startsWith('u') ? BigInt.asUintN(width, bits) : BigInt.asIntN(width, bits));
    }

    // The sectors that an access to global memory touches, in the order of their addresses: the first byte of each, and
    // the lanes whose bytes are in it.
    /** @param {Lanes.Access} access */
    function sectors(access) {
        return gathered(access, 32n);
    }

    // The words that an access to shared memory touches in each of the 32 banks: for each bank a list of words with the
    // lanes that want them. A bank with two words makes the access wait.
    /** @type {(access: Lanes.Access) => Lanes.Gathered[][]} */
    function banks(access) {
        /** @type {Lanes.Gathered[][]} */
        const found = Array.from({ length: LANES }, () => []);
        for (const word of gathered(access, 4n)) { found[Number(word.from / 4n % 32n)].push(word); }
        return found;
    }

    /** @type {(access: Lanes.Access, size: bigint) => Lanes.Gathered[]} */
    function gathered(access, size) {
        const found = new Map();
        access.addresses.forEach((address, lane) => {
            if (address === null) { return; }
            const first = BigInt(address) / size;
            const last = (BigInt(address) + BigInt(access.bytes) - 1n) / size;
            for (let at = first; at <= last; at++) { found.set(at, ((found.get(at) ?? 0) | 1 << lane) >>> 0); }
        });
        return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([at, lanes]) => ({ from: at * size, lanes }));
    }

    // What a register holds, in as few words as possible: one value, a line of values, or all of them.
    /** @type {(register: Lanes.Register, mask?: number) => string} */
    function summary(register, mask = 0xffffffff) {
        const lanes = lanesOf(mask);
        if (lanes.length === 0) { return ''; }
        const values = lanes.map(lane => value(register, lane));
        if (values.every(one => one === values[0])) { return lanes.length === 1 ? values[0] : `${values[0]} in ${spoken(mask)}`; }
        const numbers = values.map(Number);
        const stride = numbers[1] - numbers[0];
        const isLine = numbers.length > 2 && Number.isInteger(stride)
            && numbers.every((number, index) => number === numbers[0] + stride * index);
        return isLine ? `${values[0]}, ${values[1]}, … ${values.at(-1)}` : values.join(', ');
    }

    // The values in a part of memory, of a type such as `f32`; those whose bytes are not all there are left out.
    /** @type {(hex: string, type: string) => string[]} */
    function values(hex, type) {
        const bytes = Math.max(1, Number(/\d+$/.exec(type)?.[0] ?? 32) / 8);
        const digits = bytes * 2;
        const found = [];
        for (let at = 0; at + digits <= hex.length; at += digits) {
            // Memory is little-endian.
            const bits = hex.slice(at, at + digits).match(/../g)?.reverse().join('') ?? '0';
            found.push(value({ type, values: [`0x${bits}`] }, 0));
        }
        return found;
    }

    // The lanes that execute, as 32 characters: the same in every colour, and as text.
    /** @param {Lanes.Mask} mask */
    function strip(mask) {
        return [...Array(LANES).keys()].map(lane => (bit(mask, lane) ? '█' : '·')).join('');
    }

    // The launch that the reader has chosen: that of the page, with what was changed.
    /** @type {(launch: Lanes.Launch, choices: Partial<Lanes.Launch>) => Lanes.Launch} */
    function changed(launch, choices) {
        const made = Object.entries(choices).filter(([, choice]) => choice !== null && choice !== undefined);
        return { ...launch, ...Object.fromEntries(made) };
    }

    return { lanes, masks, plainName, spoken, sentence, stages, conflicts, lines, elsewhere, isBy, listed, named, namesAt, variables, value, lanesOf, sectors, banks, summary, values, strip, changed, bit };
})();

// Which moment of a launch is shown. Moments that were fetched are kept up to a bound, and those that are needed next are
// named by `wanted`.
class LanesTimeline {
    static AT_ONCE = 64;
    static KEPT = 1024;
    // So many moments before the one that is shown are shown too, as the past.
    static PAST = 8;

    // A launch has so many moments.
    /** @param {number} count */
    constructor(count) {
        this.count = count;
        this.at = 0;
        this.isPlaying = false;
        /** @type {Map<number, Lanes.Moment>} */
        this.known = new Map();
    }

    // The moment that is shown, or undefined until it has been fetched.
    get moment() { return this.known.get(this.at); }

    // Shows another moment, the nearest that there is. A moment that was chosen by hand stays, so playing ends.
    /** @param {number} number */
    show(number) {
        this.isPlaying = false;
        this.at = Math.max(0, Math.min(number, this.count - 1));
    }

    forward() { this.show(this.at + 1); }

    back() { this.show(this.at - 1); }

    // Starts to play, from the beginning if the end is shown.
    play() {
        if (this.count === 0) { return; }
        if (this.at === this.count - 1) { this.at = 0; }
        this.isPlaying = true;
    }

    pause() { this.isPlaying = false; }

    // Time for the next moment while playing, or for a later one. It waits for one that is still being fetched.
    tick(to = this.at + 1) {
        if (!this.isPlaying || !this.known.has(to)) { return false; }
        this.at = to;
        if (this.at === this.count - 1) { this.isPlaying = false; }
        return true;
    }

    // The moments that are needed next, as `{from, count}`, or null: the one that is shown, or what will be played soon.
    wanted() {
        if (this.count === 0) { return null; }
        // The shown one first: the past can wait.
        const start = this.known.has(this.at) || this.at < LanesTimeline.PAST ? this.at - LanesTimeline.PAST + 1 : this.at;
        let from = Math.max(0, this.isPlaying ? this.at : start);
        const end = this.isPlaying ? Math.min(this.at + LanesTimeline.AT_ONCE / 2, this.count) : this.at + 1;
        while (from < end && this.known.has(from)) { from += 1; }
        if (from >= end) { return null; }
        const most = this.isPlaying ? LanesTimeline.AT_ONCE : end - from;
        return { from, count: Math.min(most, this.count - from) };
    }

    // Keeps moments that were fetched, and forgets those that are furthest away.
    /** @param {Lanes.Moment[]} moments */
    add(moments) {
        for (const moment of moments) { this.known.set(moment.number, moment); }
        if (this.known.size <= LanesTimeline.KEPT) { return; }
        const far = [...this.known.keys()].sort((a, b) => Math.abs(b - this.at) - Math.abs(a - this.at));
        for (const number of far.slice(0, this.known.size - LanesTimeline.KEPT)) { this.known.delete(number); }
    }

    // The moments that are known of those just before and including the one that is shown, the oldest first.
    past() {
        /** @type {Lanes.Moment[]} */
        const found = [];
        for (let at = this.at; found.length < LanesTimeline.PAST; at--) {
            const moment = this.known.get(at);
            if (moment === undefined) { break; }
            found.unshift(moment);
        }
        return found;
    }

    // Forgets everything that was fetched: the reader wants to see other registers or memory.
    forget() { this.known.clear(); }
}
