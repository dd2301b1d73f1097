// What the player shows, as trees: lists of a name, attributes and what is inside. Nothing here asks the emulator or knows a
// page, so tests compare the trees with committed ones; `draw` at the end turns them into elements.
'use strict';

const LanesView = (() => {
    // The sign of each state and what it means, in the order of the legend.
    /** @type {Record<string, [sign: string, meaning: string]>} */
    const SIGNS = {
        runs: ['', 'executes the instruction'],
        off: ['○', 'its guard switches the instruction off'],
        ready: ['·', 'can run'],
        barrier: ['B', 'waits at a barrier of the block'],
        warp: ['W', 'waits for other lanes of the warp'],
        reconvergence: ['R', 'waits to reconverge'],
        others: ['·', 'waits for the others'],
        ended: ['×', 'has ended'],
        none: ['', 'has no thread'],
    };
    // Where the emulator's help names what a page does not have.
    /** @type {Record<string, string>} */
    const HELP = { 'step-limit': 'look for a loop that never ends; a page ends long runs, and `lanes run` with `--max-steps` goes on for longer' };
    // The trees of the lines of a text that have no mark, and what each element was drawn from.
    const plain = new WeakMap();
    const drawn = new WeakMap();
    // More sectors of one access are not drawn.
    const MOST_SECTORS = 36;

    // The warps of the block of a moment, and above them the numbers of the lanes. The lanes of a fault are marked.
    /** @type {(moment: Lanes.Moment, actors?: Lanes.Actor[], chosen?: Lanes.Chosen | null) => Lanes.Tree} */
    function warps(moment, actors = [], chosen = null) {
        const numbers = [...Array(32).keys()].map(lane => ['span', {}, lane % 8 === 0 || lane === 31 ? `${lane}` : '']);
        const ruler = ['div', { class: 'warp ruler', 'aria-hidden': 'true' }, ['span', { class: 'label' }, 'lane'], ['div', { class: 'cells' }, ...numbers]];
        // A block that is too high for the box is scrolled with the keyboard too.
        const box = moment.warps.length > 14 ? { class: 'warps', tabindex: '0', role: 'region', 'aria-label': 'Warps' } : { class: 'warps' };
        return ['div', box, ruler, ...moment.warps.map(warp => row(moment, warp.warp, actors, chosen))];
    }

    /** @type {(moment: Lanes.Moment, number: number, actors: Lanes.Actor[], chosen: Lanes.Chosen | null) => Lanes.Tree} */
    function row(moment, number, actors, chosen) {
        /** @param {number} lane */
        const isActor = lane => actors.some(actor => actor.warp === number && actor.lane === lane && `${actor.block}` === `${moment.block}`);
        const words = LanesState.lanes(moment, number);
        const cells = words.map((word, lane) => {
            /** @type {Lanes.Attributes} */
            const attributes = { 'data-state': word, 'data-lane': `${lane}`, title: `lane ${lane} ${SIGNS[word][1]}` };
            if (isActor(lane)) { attributes['data-actor'] = ''; }
            if (chosen !== null && chosen.warp === number && chosen.lane === lane) { attributes['data-chosen'] = ''; }
            return ['span', attributes, SIGNS[word][0]];
        });
        const states = LanesState.masks(words).map(([word, mask]) => `${LanesState.spoken(mask)}: ${SIGNS[word][1]}`);
        const marked = actors.filter(actor => isActor(actor.lane) && actor.warp === number).map(({ lane }) => `lane ${lane} takes part in the fault`);
        const isCurrent = moment.warp === number;
        return ['div', {
            class: isCurrent ? 'warp current' : 'warp', role: 'img', 'data-warp': `${number}`,
            'aria-label': `Warp ${number}. ${[...states, ...marked].join('; ')}`,
        }, ['span', { class: 'label' }, `warp ${number}`], ['div', { class: 'cells' }, ...cells]];
    }

    /** @param {Lanes.Moment} moment */
    function instruction({ ptx }) { return ptx; }

    // Which lanes executed the last instructions, the newest at the bottom. `said` says what each is, and there is room for `most`.
    /** @type {(moments: Lanes.Moment[], said?: (moment: Lanes.Moment) => string, most?: number) => Lanes.Tree} */
    function past(moments, said = instruction, most = LanesTimeline.PAST) {
        const rows = moments.map((moment, index) => ['div', { class: index === moments.length - 1 ? 'now' : '' },
            ['span', { class: 'label' }, moments.some(other => other.warp !== moment.warp) ? `warp ${moment.warp}` : ''],
            ['span', { class: 'strip' }, LanesState.strip(moment.active)],
            ['span', { class: 'ptx' }, said(moment)]]);
        const empty = Array(Math.max(0, most - rows.length)).fill(['div', {}, ['span', { class: 'label' }, ''], ['span', { class: 'strip' }, ''], ['span', { class: 'ptx' }, '']]);
        // The rows of the first moments grow downwards.
        return ['div', { class: 'past', 'aria-hidden': 'true' }, ...rows, ...empty];
    }

    // Lines of a text, with the one that is executed marked. `here` is a line, and `marks` has others: each a line, a class,
    // a sign, and what the sign means.
    /** @type {(name: string, lines: Lanes.Line[], here: number | null, marks?: Lanes.Mark[]) => Lanes.Tree} */
    function listing(name, lines, here, marks = []) {
        // Most lines are drawn as the last time, by the same tree, so that `draw` passes over them.
        if (!plain.has(lines)) { plain.set(lines, lines.map(([number, text]) => ['div', { class: '' }, ['span', { class: 'number' }, `${number}`], ['span', { class: 'there', title: '' }, ''], ...code_of(text)])); }
        const rows = lines.map(([number, text], index) => {
            if (number !== here && marks.every(mark => mark.line !== number)) { return plain.get(lines)[index]; }
            const there = marks.filter(mark => mark.line === number);
            const isHere = number === here;
            /** @type {Lanes.Attributes} */
            const attributes = { class: [...isHere ? ['here'] : [], ...new Set(there.map(mark => mark.of))].join(' ') };
            if (isHere) { attributes['aria-current'] = 'step'; }
            const signs = ['span', { class: 'there', title: there.map(mark => mark.means).join('; ') }, there.map(mark => mark.sign).join(' ')];
            return ['div', attributes, ['span', { class: 'number' }, `${number}`], signs, ...code_of(text)];
        });
        return ['div', { class: 'code-lines', role: 'region', 'aria-label': name, tabindex: '0' }, ...rows];
    }

    // A line's indentation and the rest, so that a long line continues below its own beginning.
    /** @type {(text: string) => Lanes.Tree[]} */
    function code_of(text) {
        const rest = text.trimStart();
        return [['code', { class: 'indent' }, text.slice(0, text.length - rest.length)], ['code', {}, rest]];
    }

    // The accesses of a moment: sectors of global memory, or banks of shared memory.
    /** @type {(moment: Lanes.Moment) => Lanes.Tree} */
    function accesses(moment) {
        const drawn = moment.accesses.map(access => {
            const lanes = LanesState.lanesOf(access.lanes).length;
            const head = `${access.space}: ${lanes} lane${lanes === 1 ? '' : 's'}, ${access.bytes} byte${access.bytes === 1 ? '' : 's'} each`;
            if (access.space === 'global memory') { return ['div', { class: 'access' }, ['p', {}, `${head}, ${counted(access.sectors, 'sector')}`], sectors(access)]; }
            if (access.space === 'shared memory') { return ['div', { class: 'access' }, ['p', {}, `${head}, ${LanesState.conflicts(access)}`], banks(access)]; }
            return ['div', { class: 'access' }, ['p', {}, head]];
        });
        return ['div', { class: 'accesses' }, ...(drawn.length > 0 ? drawn : [['p', { class: 'none' }, 'This instruction does not access memory.']])];
    }

    /** @param {number} number @param {string} what */
    function counted(number, what) {
        return `${number} ${what}${number === 1 ? '' : 's'}`;
    }

    // A box of eight words for each sector, in which the words that a lane wants are filled.
    /** @type {(access: Lanes.Access) => Lanes.Tree} */
    function sectors(access) {
        const all = LanesState.sectors(access);
        const words = new Set();
        access.addresses.forEach(address => {
            if (address === null) { return; }
            for (let at = BigInt(address) / 4n; at * 4n < BigInt(address) + BigInt(access.bytes); at++) { words.add(at); }
        });
        const boxes = all.slice(0, MOST_SECTORS).map(({ from, lanes }) => {
            const cells = [...Array(8).keys()].map(word => ['span', words.has(from / 4n + BigInt(word)) ? { 'data-on': '' } : {}]);
            return ['span', { class: 'sector', title: `the sector at 0x${from.toString(16)}: ${LanesState.spoken(lanes)}` }, ...cells];
        });
        const more = all.length > MOST_SECTORS ? [['span', { class: 'more' }, `and ${all.length - MOST_SECTORS} more`]] : [];
        return ['div', { class: 'sectors', role: 'img', 'aria-label': `${counted(all.length, 'sector')}, of which ${counted(words.size, 'word')} are wanted` }, ...boxes, ...more];
    }

    // A column for each bank, with a square for each word that is wanted from it.
    /** @type {(access: Lanes.Access) => Lanes.Tree} */
    function banks(access) {
        const all = LanesState.banks(access);
        const ways = Math.max(1, ...all.map(words => words.length));
        const columns = all.map((words, bank) => {
            const cells = [...Array(Math.min(ways, 32)).keys()].map(row => ['span', row < words.length ? { 'data-on': '' } : {}]);
            return ['span', { class: 'bank', title: `bank ${bank}: ${words.map(word => `word ${word.from / 4n} for ${LanesState.spoken(word.lanes)}`).join('; ') || 'nothing'}` }, ...cells];
        });
        return ['div', { class: ways > 8 ? 'banks many' : 'banks', role: 'img', 'aria-label': `The fullest bank has ${counted(ways, 'word')}` }, ['span', { class: 'label' }, 'bank'], ['div', { class: 'cells' }, ...columns]];
    }

    // The registers of a warp, for the lanes in the mask or for one lane.
    /** @type {(moment: Lanes.Moment, lane: number | null, names?: Map<string, string>) => Lanes.Tree} */
    function registers(moment, lane, names = new Map()) {
        const used = LanesState.named(moment.ptx ?? '');
        const all = moment.registers ?? [];
        const rows = [...all.filter(({ name }) => used.has(name)), ...all.filter(({ name }) => !used.has(name))].map(register => {
            const mask = lane === null ? 0xffffffff : (1 << lane) >>> 0;
            const name = names.get(register.name);
            return ['tr', used.has(register.name) ? { class: 'used', title: 'the instruction names it' } : {}, ['th', { scope: 'row' }, name === undefined ? register.name : `${name} (${register.name})`], ['td', {}, register.type], ['td', {}, LanesState.summary(register, mask)]];
        });
        if (rows.length === 0) { return ['p', { class: 'none' }, 'No register of this warp has a value now.']; }
        return ['table', { class: 'registers' }, ['tbody', {}, ...rows]];
    }

    // A part of memory in rows of eight values.
    /** @type {(name: string, hex: string, type: string, from?: number) => Lanes.Tree} */
    function memory(name, hex, type, from = 0) {
        const all = LanesState.values(hex, type);
        const bytes = all.length === 0 ? 4 : hex.length / 2 / all.length;
        const rows = [];
        for (let at = 0; at < all.length; at += 8) {
            rows.push(['tr', {}, ['th', { scope: 'row' }, `${Math.floor(from / bytes) + at}`], ...all.slice(at, at + 8).map(value => ['td', {}, value])]);
        }
        return ['table', { class: 'memory' }, ['caption', {}, `${name} (${type})`], ['tbody', {}, ...rows]];
    }

    /** @type {(report: Lanes.Report) => Lanes.Tree} */
    function faults(report) {
        if (report.faults.length === 0) { return ['p', { class: 'clean' }, 'The emulator found no fault in this run.']; }
        return ['ul', { class: 'faults' }, ...report.faults.map((fault, index) => ['li', {},
            ['p', {}, ['strong', {}, `${fault.kind}:`], ' ', ...code(fault.message), ' ',
                jump(fault, index)],
            ['ul', {}, ...fault.actors.map((actor, at) => ['li', {}, said(actor), ...act(fault, actor, index, at)])],
            ...fault.help ? [['p', { class: 'help' }, ...code(HELP[fault.kind] ?? fault.help)]] : []]),
        ...report.stopped_by ? [['li', {}, `${report.stopped_by} stopped the launch: what would have followed was not checked.`]] : []];
    }

    // The button that leads to a fault. Its name for a screen reader begins with what is on it.
    /** @type {(fault: Lanes.Fault, index: number) => Lanes.Tree} */
    function jump(fault, index) {
        const text = fault.actors.length > 1 ? 'Show both sides' : 'Show where';
        return ['button', { type: 'button', 'data-fault': `${index}`, 'aria-label': `${text}: ${fault.message}` }, text];
    }

    // The button that leads to what an actor did, which other actors did not do at the same moment.
    /** @type {(fault: Lanes.Fault, actor: Lanes.Actor, index: number, at: number) => Lanes.Tree[]} */
    function act(fault, actor, index, at) {
        if (fault.location === null || fault.actors.length === 1) { return []; }
        return [' ', ['button', { type: 'button', class: 'small', 'data-fault': `${index}`, 'data-actor-of': `${at}`, 'aria-label': `Go there: ${said(actor)}` }, 'Go there']];
    }

    // A text in which what is between backticks becomes code.
    /** @type {(text: string) => Lanes.Tree[]} */
    function code(text) {
        return text.split('`').map((part, index) => (index % 2 === 1 ? ['code', {}, part] : part)).filter(part => part !== '');
    }

    /** @param {Lanes.Actor} actor */
    function said(actor) {
        const where = actor.source === null ? `PTX line ${actor.ptx_line}` : `line ${actor.source.line}`;
        return `Block ${actor.block[0]}, warp ${actor.warp}, lane ${actor.lane}, ${where}: ${actor.doing}`;
    }

    // The states that occur in these moments; each sign is explained where it is used.
    /** @type {(seen: Set<string>) => Lanes.Tree} */
    function legend(seen) {
        const entries = Object.entries(SIGNS).filter(([word]) => seen.has(word)).map(([word, [sign, meaning]]) =>
            ['li', {}, ['span', { 'data-state': word }, sign], ` ${meaning}`]);
        return ['ul', { class: 'legend' }, ...entries];
    }

    // Makes the elements in `parent` those of the trees, and changes as few as possible, so that what has the focus keeps it.
    /** @type {(parent: Element, trees: Lanes.Tree[]) => void} */
    function draw(parent, trees) {
        trees.forEach((tree, index) => {
            const there = parent.childNodes[index];
            if (typeof tree === 'string') {
                if (!(there instanceof Text)) { put(parent, document.createTextNode(tree), there); } else if (there.data !== tree) { there.data = tree; }
                return;
            }
            const [name, attributes, ...inside] = /** @type {Lanes.Branch} */ (tree);
            const element = /** @type {Element} */ (there?.nodeName?.toLowerCase() === name ? there : put(parent, document.createElement(name), there));
            if (drawn.get(element) === tree) { return; }
            drawn.set(element, tree);
            for (const [key, value] of Object.entries(attributes)) {
                if (element.getAttribute(key) !== value) { element.setAttribute(key, value); }
            }
            for (const key of element.getAttributeNames()) {
                // What the reader has unfolded stays so, and where a listing is scrolled to is its own.
                if (!(key in attributes) && key !== 'open' && key !== 'data-at') { element.removeAttribute(key); }
            }
            draw(element, inside);
        });
        while (parent.childNodes.length > trees.length) { parent.lastChild?.remove(); }
    }

    /** @type {<T extends Element | Text>(parent: Element, made: T, there: Node | undefined) => T} */
    function put(parent, made, there) {
        if (there === undefined) { parent.append(made); } else { parent.replaceChild(made, there); }
        return made;
    }

    // A tree as text, for tests.
    /** @type {(tree: Lanes.Tree, depth?: number) => string} */
    function text(tree, depth = 0) {
        const indent = '  '.repeat(depth);
        if (typeof tree === 'string') { return `${indent}${tree}\n`; }
        const [name, attributes, ...inside] = /** @type {Lanes.Branch} */ (tree);
        const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`).join('');
        if (inside.every(child => typeof child === 'string')) { return `${indent}<${name}${written}>${inside.join('')}\n`; }
        return `${indent}<${name}${written}>\n${inside.map(child => text(child, depth + 1)).join('')}`;
    }

    return { SIGNS, warps, past, listing, accesses, registers, memory, faults, legend, draw, text };
})();
