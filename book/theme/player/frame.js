// The player as one tree: the controls, the runs, the program, and what is folded. `LanesPlayer` draws it at each change.
'use strict';

const LanesFrame = (() => {
    const POLICIES = [['round-robin', 'warps take turns'], ['random', 'random turns'], ['hunt', 'random, looking for trouble']];
    const MECHANISMS = [['auto', 'as the kernel was compiled'], ['stack', 'before Volta'], ['its', 'since Volta']];

    /** @type {(player: Lanes.Player) => Lanes.Tree[]} */
    function all(player) {
        const first = shown(player, player.sides[0]);
        const [source, ptx] = program(player, first);
        const above = [
            head(player),
            bar(player),
            // What is read aloud changes less often than what is seen.
            ['p', { class: 'sentence', 'aria-hidden': 'true' }, player.sides.length === 1 || player.problem ? player.sentence : ''],
            ['p', { class: 'spoken', role: 'status' }, player.said],
            ['div', { class: 'sides' }, ...player.sides.map((side, index) => run(player, side, index))],
            LanesView.legend(player.seen),
        ];
        const below = [first === undefined ? ['div', { class: 'accesses' }] : LanesView.accesses(first), ends(player), values(player), choices(player.data)];
        if (player.data.plain) {
            // What is folded is drawn when it is unfolded.
            const rest = player.isUnfolded ? [['div', { class: 'program' }, ...ptx], ...below] : [];
            return [...above, ['div', { class: 'program' }, ...source],
                ['details', { class: 'rest' }, ['summary', {}, 'The instructions in PTX, memory, registers, and other runs'], ...rest]];
        }
        return [...above, ['div', { class: 'program' }, ...source, ...ptx], ...below];
    }

    // The moment that is shown of a run, or that of its stage.
    /** @type {(player: Lanes.Player, side: Lanes.Side) => Lanes.Moment | undefined} */
    function shown({ stages, stage }, { timeline }) {
        return stages?.[stage]?.moment ?? timeline.moment;
    }

    /** @type {(player: Lanes.Player) => Lanes.Tree} */
    function head({ data }) {
        const { launch } = data;
        const blocks = launch.grid.reduce((product, size) => product * size, 1);
        const shape = `${blocks} block${blocks === 1 ? '' : 's'} of ${launch.block.join(' × ')} threads`;
        return ['p', { class: 'head' }, ['strong', {}, data.title], ['span', {}, ` ${LanesState.plainName(launch.kernel)}, ${shape}`]];
    }

    /** @type {(act: string, text: string, label: string) => Lanes.Tree} */
    function button(act, text, label) {
        return ['button', { type: 'button', 'data-act': act, 'aria-label': label, title: label }, text];
    }

    /** @type {(player: Lanes.Player) => Lanes.Tree} */
    function bar({ data, isPlaying, isBusy, speeds, ...player }) {
        const [count, position] = player.stages ? [player.stages.length, player.stage] : [player.count, player.position];
        const play = isBusy ? button('stop', 'Stop', 'Stop the run') : button('play', isPlaying ? '❚❚ Pause' : '▶ Play', isPlaying ? 'Pause' : 'Play');
        const range = ['input', { type: 'range', min: '0', max: `${Math.max(0, count - 1)}`, 'aria-label': 'Step' }];
        const options = speeds.map(([each, name]) => ['option', name === (data.plain ? 'slow' : 'steady') ? { value: `${each}`, selected: '' } : { value: `${each}` }, name]);
        return ['div', { class: 'bar' },
            button('start', '⇤', 'To the start'), button('back', '←', 'Back one step'), play, button('step', '→', 'Forward one step'), button('end', '⇥', 'Run to the end'),
            range, ['output', { class: 'count' }, `${position + 1} / ${count}`], ['select', { name: 'speed', 'aria-label': 'Speed' }, ...options]];
    }

    /** @type {(player: Lanes.Player, side: Lanes.Side, index: number) => Lanes.Tree} */
    function run(player, side, index) {
        const moment = shown(player, side);
        const kernel = side.launch.kernel === player.data.launch.kernel ? '' : `${LanesState.plainName(side.launch.kernel)}, `;
        const label = player.sides.length > 1 ? [['p', { class: 'label-of-run' }, `${index === 0 ? 'First' : 'Second'} run: ${kernel}${described(side.launch)}`]] : [];
        if (moment === undefined) { return ['section', { class: 'side', 'data-side': `${index}` }, ...label, ['p', { class: 'none' }, 'The emulator is working.']]; }
        const blocks = player.data.launch.grid.reduce((product, size) => product * size, 1);
        const block = blocks > 1 ? [['p', { class: 'block' }, `block ${place(moment.block, player.data.launch.grid)}`]] : [];
        return ['section', { class: 'side', 'data-side': `${index}` }, ...label, ...block,
            // The sentence of a single run is above it.
            ...player.sides.length > 1 ? [['p', { class: 'sentence' }, LanesState.sentence(moment)]] : [],
            LanesView.warps(moment, side.actors, player.chosen), past(player, side)];
    }

    /** @type {(player: Lanes.Player, side: Lanes.Side) => Lanes.Tree} */
    function past({ data, stages, stage }, { timeline }) {
        const said = data.plain ? lineOf(data.source) : undefined;
        if (!stages) { return LanesView.past(timeline.past(), said); }
        const most = Math.min(stages.length, LanesTimeline.PAST);
        return LanesView.past(stages.slice(0, stage + 1).slice(-most).map(({ moment }) => moment), said, most);
    }

    // What a plain player says of an instruction: the line that it is from.
    /** @type {(source: Lanes.Source) => (moment: Lanes.Moment) => string} */
    function lineOf({ lines }) {
        return ({ source, ptx }) => lines.find(([number]) => number === source?.line)?.[1].trim() ?? ptx;
    }

    // A block's place, with as many numbers as the grid has.
    /** @type {(block: number[], grid: number[]) => string} */
    function place(block, grid) {
        return grid.length === 1 ? `${block[0]}` : `(${block.slice(0, grid.length).join(', ')})`;
    }

    /** @type {(launch: Lanes.Launch) => string} */
    function described(launch) {
        /** @param {string[][]} list @param {string} key */
        const word = (list, key) => list.find(([name]) => name === key)?.[1] ?? key;
        const parts = [`seed ${launch.seed ?? 0}`, word(POLICIES, launch.schedule ?? 'round-robin'), word(MECHANISMS, launch.reconvergence ?? 'auto')];
        return [...parts, ...launch.weak_memory ? ['weak memory'] : []].join(', ');
    }

    // The source and the PTX.
    /** @type {(player: Lanes.Player, moment: Lanes.Moment | undefined) => [Lanes.Tree[], Lanes.Tree[]]} */
    function program(player, moment) {
        const { data, ptx } = player;
        const others = moment === undefined ? [] : LanesState.elsewhere(moment).map(([line, mask]) => (
            { line, of: 'other', sign: `${LanesState.lanesOf(mask).length}`, means: `${LanesState.spoken(mask)} will continue here` }));
        /** @param {(at: Lanes.Actor | Lanes.Moment) => number | undefined} at */
        const marks = at => player.sides.flatMap((side, index) => marked(side, index, at));
        // A program of several files shows the one in which the moment is.
        const files = [data.source, ...data.files ?? []];
        const file = files.find(({ name }) => name === moment?.source?.file) ?? data.source;
        /** @param {Lanes.Actor | Lanes.Moment} place */
        const line = place => (place.source !== null && (files.length === 1 || place.source.file === file.name) ? place.source.line : undefined);
        const source = LanesView.listing(file.name, file.lines, (moment && line(moment)) ?? null, [...others, ...marks(line)]);
        const shown = file.lines.length === 0 ? [] : [['div', {}, ['p', { class: 'caption' }, file.name], source]];
        return [shown, [['div', {}, ['p', { class: 'caption' }, 'PTX'], LanesView.listing('PTX', ptx, moment?.ptx_line ?? null, marks(place => place.ptx_line))]]];
    }

    // The lines of a fault that was jumped to, and the line of the second run.
    /** @type {(side: Lanes.Side, index: number, line: (at: Lanes.Actor | Lanes.Moment) => number | undefined) => Lanes.Mark[]} */
    function marked({ actors, timeline }, index, line) {
        const { moment } = timeline;
        const found = actors.map((actor, at) => ({ line: line(actor), of: 'actor', sign: '◆', means: `block ${actor.block[0]}, warp ${actor.warp}, lane ${actor.lane}: ${actor.doing}`, at }));
        const once = found.filter(mark => found.find(({ line: other }) => other === mark.line)?.at === mark.at);
        const second = index === 0 || moment === undefined ? [] : [{ line: line(moment), of: 'second', sign: '②', means: 'the second run is here' }];
        return [...once, ...second];
    }

    // What the emulator found, once the end has been reached.
    /** @type {(player: Lanes.Player) => Lanes.Tree} */
    function ends(player) {
        const known = player.sides.flatMap(({ report }, index) => (player.isOver && report !== null ? [end(player, report, index)] : []));
        if (known.length === 0) { return ['div', { class: 'ends' }, ['p', { class: 'none' }, 'What the emulator found is shown at the end of the run.']]; }
        return ['div', { class: 'ends' }, ...known];
    }

    /** @type {(player: Lanes.Player, report: Lanes.Report, index: number) => Lanes.Tree} */
    function end(player, report, index) {
        const attributes = { class: 'end', 'data-side': `${index}` };
        const heading = player.sides.length > 1 ? [['p', { class: 'caption' }, `${index === 0 ? 'First' : 'Second'} run`]] : [];
        const found = Object.entries(report.counters).filter(([, value]) => value !== 0);
        const rows = found.map(([name, value]) => ['tr', {}, ['th', { scope: 'row' }, name], ['td', {}, `${value}`]]);
        return ['div', attributes, ...heading, LanesView.faults(report),
            ['details', {}, ['summary', {}, 'Counters of this run'], ['table', { class: 'counters' }, ['tbody', {}, ...rows]]]];
    }

    /** @type {(player: Lanes.Player) => Lanes.Tree} */
    function values({ details, chosen, buffers, data, sides }) {
        const inside = [lanes(chosen)];
        if (details !== null) {
            const { moment, warp } = details;
            const lane = chosen?.lane ?? null;
            inside.push(['p', { class: 'caption' }, `Registers of warp ${warp}${lane === null ? '' : `, lane ${lane}`}`], LanesView.registers(moment, lane, LanesState.namesAt(data, sides[0].launch, moment)));
            (moment.shared ?? []).forEach(part => inside.push(LanesView.memory('shared memory', part.hex, sharedType(data, buffers))));
            (moment.memory ?? []).forEach((part, index) => inside.push(LanesView.memory(part.name, part.hex, buffers[index].type)));
        }
        return ['details', { class: 'values' }, ['summary', {}, 'Registers and memory'], ['div', { tabindex: '0', role: 'region', 'aria-label': 'Registers and memory' }, ...inside]];
    }

    // Shared memory has no type in PTX; kernels usually keep there what they read.
    /** @type {(data: Lanes.Live, buffers: Lanes.Buffer[]) => string} */
    function sharedType(data, buffers) {
        return data.shared_type ?? buffers[0]?.type ?? 'i32';
    }

    /** @type {(chosen: Lanes.Chosen | null) => Lanes.Tree} */
    function lanes(chosen) {
        const options = [['option', { value: '' }, 'all lanes'], ...[...Array(32).keys()].map(lane =>
            ['option', chosen?.lane === lane ? { value: `${lane}`, selected: '' } : { value: `${lane}` }, `lane ${lane}`])];
        return ['p', {}, ['label', {}, 'Values of ', ['select', { name: 'lane' }, ...options]], ' A click on a lane above does the same.'];
    }

    // They are drawn once: what the reader chooses is in the fields.
    const drawn = new WeakMap();

    /** @type {(data: Lanes.Live) => Lanes.Tree} */
    function choices(data) {
        if (!drawn.has(data)) { drawn.set(data, fields_of(data)); }
        return drawn.get(data);
    }

    /** @type {(data: Lanes.Live) => Lanes.Tree} */
    function fields_of({ launch, beside }) {
        const second = LanesState.changed({ ...launch, seed: (launch.seed ?? 0) + (beside === null ? 1 : 0) }, beside ?? {});
        return ['details', { class: 'choices' }, ['summary', {}, 'Change the run, or compare two'], ['div', {},
            fields('The run', launch, ''),
            ['p', {}, button('seed', 'Next seed', 'Run with the next seed')],
            ['label', {}, ['input', { type: 'checkbox', name: 'beside' }], ' Show a second run below it'],
            fields(second.kernel === launch.kernel ? 'The second run' : `The second run, of ${LanesState.plainName(second.kernel)}`, second, '2')]];
    }

    /** @type {(title: string, launch: Lanes.Launch, suffix: string) => Lanes.Tree} */
    function fields(title, launch, suffix) {
        /** @param {string[][]} list @param {string} value */
        const known = (list, value) => (list.some(([key]) => key === value) ? list : [...list, [value, value]]);
        /** @param {string} name @param {string[][]} list @param {string} value */
        const select = (name, list, value) => ['select', { name: name + suffix }, ...known(list, value).map(([key, text]) =>
            ['option', key === value ? { value: key, selected: '' } : { value: key }, text])];
        /** @type {Lanes.Attributes} */
        const weak = { type: 'checkbox', name: `weak${suffix}` };
        if (launch.weak_memory) { weak.checked = ''; }
        return ['fieldset', {}, ['legend', {}, title],
            ['label', {}, 'Seed ', ['input', { type: 'number', name: `seed${suffix}`, min: '0', step: '1', value: `${launch.seed ?? 0}` }]],
            ['label', {}, 'Schedule ', select('schedule', POLICIES, launch.schedule ?? 'round-robin')],
            ['label', {}, 'Lanes reconverge ', select('reconvergence', MECHANISMS, launch.reconvergence ?? 'auto')],
            ['label', {}, ['input', weak], ' Weak memory: a load may return an older store']];
    }

    return { all, described };
})();
