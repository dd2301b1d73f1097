// What a run of an edited listing came to, as trees: the compiler's messages, the faults, the counters beside those of the original,
// and the memory. Nothing here asks the emulator.
'use strict';

const LanesResult = (() => {
    // Of what a kernel prints, so many lines are shown, and so many under a fold.
    const FEW_LINES = 32;
    const MOST_LINES = 1000;

    /** @type {(outcome: Lanes.Outcome, run: { title: string }) => Lanes.Tree[]} */
    function all(outcome, { title }) {
        if (outcome.error !== undefined) { return [messages(outcome.diagnostics)]; }
        const { report, launch } = outcome;
        return [
            ['p', { class: 'edit-launch' }, `${title}: ${shape(launch)}, seed ${launch.seed ?? 0}.`],
            ...outcome.diagnostics.length > 0 ? [messages(outcome.diagnostics)] : [],
            // That there is none is said above.
            ...report.faults.length === 0 ? [] : [LanesView.faults(report)],
            ...output(report.output),
            counters(outcome),
            memory(report, launch),
        ];
    }

    // What a kernel prints. A loop may print more than anybody reads.
    /** @type {(text: string) => Lanes.Tree[]} */
    function output(text) {
        if (text === '') { return []; }
        const lines = text.replace(/\n$/, '').split('\n');
        if (lines.length <= FEW_LINES) { return [['pre', { class: 'edit-output' }, text]]; }
        const most = lines.length > MOST_LINES ? `, of which these are the first ${MOST_LINES}` : '';
        return [['details', {}, ['summary', {}, `The kernel printed ${lines.length} lines${most}`], ['pre', { class: 'edit-output' }, lines.slice(0, MOST_LINES).join('\n')]]];
    }

    /** @param {Lanes.Launch} launch */
    function shape({ kernel, grid, block }) {
        const blocks = grid.reduce((product, size) => product * size, 1);
        return `${kernel}, ${blocks} block${blocks === 1 ? '' : 's'} of ${block.join(' × ')} threads`;
    }

    // Each message leads to its line.
    /** @type {(diagnostics: Lanes.Diagnostic[]) => Lanes.Tree} */
    function messages(diagnostics) {
        return ['ul', { class: 'edit-messages' }, ...diagnostics.map(({ severity, message, line, column, help }) => ['li', {},
            ['button', { type: 'button', 'data-line': `${line}` }, `line ${line}, column ${column}`], ' ', ['strong', {}, severity], ': ', ...prose(message), ...help ? [' (', ...prose(help), ')'] : []])];
    }

    // Each column says who made the instructions, because their number depends on it. What a launch counted until it was stopped says
    // nothing beside a whole run.
    /** @type {(outcome: Lanes.Ran & { changed: boolean }) => Lanes.Tree} */
    function counters({ report, changed, nvrtc, cudac }) {
        if (changed && report.stopped_by !== null) { return uncompared('your kernel', report.stopped_by); }
        const stopped = [cudac, nvrtc].find(each => each !== undefined && each.stopped_by !== null)?.stopped_by;
        if (changed && typeof stopped === 'string') { return uncompared('the original', stopped); }
        const heads = changed ? ['yours, cudac', 'original, cudac', 'original, NVRTC'] : ['NVRTC'];
        const rows = LanesMargin.compared(changed ? [report, cudac ?? null, nvrtc ?? null] : [report]);
        /** @param {(number | null)[]} values */
        const cells = values => values.map((value, index) => ['td', index === 0 && changed && value !== values[1] ? { class: 'number differs' } : { class: 'number' }, `${value}`]);
        return ['details', changed ? { open: '' } : {}, ['summary', {}, changed ? 'Counters beside those of the original' : 'Counters'],
            ['table', { class: 'counters' },
                ['thead', {}, ['tr', {}, ['th', { scope: 'col' }, 'counter'], ...heads.map(head => ['th', { scope: 'col', class: 'number' }, head])]],
                ['tbody', {}, ...rows.map(([name, ...values]) => ['tr', {}, ['th', { scope: 'row' }, name], ...cells(values)])]]];
    }

    // Why no counters are compared.
    /** @type {(whose: string, kind: string) => Lanes.Tree} */
    function uncompared(whose, kind) {
        return ['p', { class: 'edit-uncounted' }, `No counters are compared: ${whose} was stopped before its end (${kind}).`];
    }

    /** @type {(report: Lanes.Report, launch: Lanes.Launch) => Lanes.Tree} */
    function memory(report, launch) {
        const parts = (report.memory ?? []).filter(part => part.hex !== '').map(part => LanesView.memory(part.name, part.hex, LanesBench.typeOf(launch, part.name)));
        if (parts.length === 0) { return ['div', {}]; }
        return ['details', { class: 'edit-memory' }, ['summary', {}, 'Memory after the run'], ['div', { tabindex: '0', role: 'region', 'aria-label': 'Memory after the run' }, ...parts]];
    }

    // A button of a bar. One that does nothing now keeps the keyboard, which a disabled one would lose.
    /** @type {(act: string, text: string, label: string, isOff?: boolean) => Lanes.Tree} */
    function button(act, text, label, isOff = false) {
        return ['button', { type: 'button', 'data-do': act, 'aria-label': label, ...(isOff ? { 'aria-disabled': 'true' } : {}) }, text];
    }

    // A text in which what is between backticks becomes code.
    /** @type {(text: string) => Lanes.Tree[]} */
    function prose(text) {
        return text.split('`').map((part, index) => (index % 2 === 1 ? ['code', {}, part] : part)).filter(part => part !== '');
    }

    // What the grader says: passed, with what to take away, or the one thing that is wrong and where to look.
    /** @type {(found: Lanes.Verdict, isPrediction: boolean) => Lanes.Tree} */
    function verdict(found, isPrediction) {
        const by = found.compiler === '' ? [] : [['p', { class: 'solve-by' }, `Compiled by ${found.compiler} in this page.`]];
        const printed = output(found.printed.join('\n'));
        const gates = found.gates.map(gate => ['li', {}, gate]);
        const costs = gates.length > 0 ? [['ul', { class: 'solve-gates' }, ...gates]] : [];
        const warnings = found.warnings.length > 0 ? [['pre', { class: 'edit-output' }, found.warnings.join('\n')]] : [];
        if (found.passed) {
            return ['div', { class: 'solve-passed' }, ['p', {}, ['strong', {}, '✓ Passed'], `: ${found.tried}.`], ...costs, ...picture(found.picture), ...printed,
                ['p', {}, ...prose(found.learned.trim())], ...warnings, ...by];
        }
        const { diagnostics = [] } = found;
        const isCompiled = found.reason === 'does-not-compile' && diagnostics.length > 0;
        const details = isCompiled ? [messages(diagnostics)] : found.reason === 'does-not-compile' || isPrediction ? picture(found.details) : found.details.map(line => ['li', {}, ...prose(line)]);
        const inside = isCompiled || found.reason === 'does-not-compile' || isPrediction ? details : [['ul', { class: 'solve-details' }, ...details]];
        const watch = found.shown === null ? [] : [['p', {}, ['button', { type: 'button', 'data-do': 'watch' }, 'Watch where it goes wrong']]];
        return ['div', { class: 'solve-refused' }, ['p', {}, ['strong', {}, `✗ ${found.reason === 'gate' ? 'too expensive' : found.reason.replace(/-/g, ' ')}`], ': ', ...prose(found.headline), '.'],
            ...found.case === '' ? [] : [['p', { class: 'solve-by' }, `With ${found.case}.`]],
            ...inside, ...costs, ...printed, ...found.look === '' ? [] : [['p', { class: 'solve-look' }, ...prose(sentence(found.look))]], ...watch, ...warnings, ...by];
    }

    // What the grader words without a capital letter and a full stop.
    /** @param {string} text */
    function sentence(text) {
        return `${text[0].toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
    }

    /** @type {(lines: string[]) => Lanes.Tree[]} */
    function picture(lines) {
        return lines.length === 0 ? [] : [['pre', { class: 'solve-picture', tabindex: '0' }, lines.join('\n')]];
    }

    return { all, button, counters, messages, output, prose, verdict };
})();
