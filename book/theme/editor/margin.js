// What stands beside the lines of a program after a run, and how the parts of a file become a whole one. Nothing here draws.
//
// A listing shows parts of a file. A part has the numbers of its lines in the file; a part that was changed may have more or fewer
// lines, and moves those after it.
'use strict';

const LanesMargin = (() => {
    // A file in which the parts have other texts. `parts` have `from` and `to`, the numbers of their first and last lines, and
    // may be in any order. Also says at which line each part begins in the new file.
    /** @type {(file: string, parts: Lanes.ListingPart[], texts: string[]) => { text: string, begins: number[] }} */
    function whole(file, parts, texts) {
        const lines = file.split('\n');
        const made = [];
        /** @type {number[]} */
        const begins = [];
        let next = 0;
        const inOrder = [...parts.keys()].sort((one, other) => parts[one].from - parts[other].from);
        inOrder.forEach(index => {
            const { from, to } = parts[index];
            made.push(...lines.slice(next, from - 1));
            begins[index] = made.length + 1;
            made.push(...texts[index].replace(/\n$/, '').split('\n'));
            next = to;
        });
        made.push(...lines.slice(next));
        return { text: made.join('\n'), begins };
    }

    // For each part, a function from a line of its own, from 0, to its number in the program that was run.
    /** @type {(begins: number[]) => Lanes.NumberOf[]} */
    function changedNumbers(begins) {
        return begins.map(begin => line => begin + line);
    }

    // The same if nothing was changed: the lines of a listing have their own numbers, and some of the file may be missing.
    /** @type {(parts: Lanes.ListingPart[]) => Lanes.NumberOf[]} */
    function ownNumbers(parts) {
        return parts.map(({ numbers }) => line => numbers[line]);
    }

    // What is known about each line of a part with so many lines: the value of a counter, the faults, the compiler's messages.
    /** @type {(count: number, numberOf: Lanes.NumberOf, name: string, known: Lanes.Known) => Lanes.Row[]} */
    function rows(count, numberOf, name, { report = null, counter = '', diagnostics = [] }) {
        /** @type {(place: Lanes.Place) => boolean} */
        const isHere = place => sameFile(place.file, name);
        /** @type {Map<number | undefined, number>} */
        const counted = new Map((report?.lines ?? []).filter(isHere).map(({ line, counters }) => [line, counters[counter] ?? 0]));
        /** @type {Map<number | undefined, Set<string>>} */
        const faults = new Map();
        (report?.faults ?? []).forEach(fault => fault.actors.forEach(({ source }) => {
            if (source === null || !isHere(source)) { return; }
            const all = faults.get(source.line) ?? new Set();
            faults.set(source.line, all.add(fault.kind));
        }));
        return [...Array(count).keys()].map(line => {
            const number = numberOf(line);
            return {
                number,
                count: counted.get(number) ?? 0,
                faults: [...faults.get(number) ?? []],
                messages: diagnostics.filter(diagnostic => diagnostic.line === number),
            };
        });
    }

    // Compilers name a file with or without its folder.
    /** @type {(one: string, other: string) => boolean} */
    function sameFile(one, other) {
        /** @param {string} path */
        const base = path => path.split(/[\\/]/).at(-1);
        return base(one) === base(other);
    }

    // The counters that differ between the lines of a run, those that a reader may want in the margin.
    /** @type {(report: Lanes.Report) => string[]} */
    function counters(report) {
        const found = new Set();
        report.lines.forEach(({ counters: all }) => Object.entries(all).forEach(([name, value]) => { if (value > 0) { found.add(name); } }));
        return Object.keys(report.counters).filter(name => found.has(name));
    }

    // Rows of a table: the name of a counter, and its value in each report; null where there is no report. Counters that are zero
    // everywhere are left out.
    /** @type {(reports: (Lanes.Report | null)[]) => [string, ...(number | null)[]][]} */
    function compared(reports) {
        const known = reports.filter(report => report !== null);
        if (known.length === 0) { return []; }
        return Object.keys(known[0].counters)
            .filter(name => known.some(report => report.counters[name] !== 0))
            .map(name => [name, ...reports.map(report => report?.counters[name] ?? null)]);
    }

    // The kernels in which a text differs from the original: those whose first lines are the last before a line that differs. A change
    // in a function that is not a kernel is of all that call it, and so of none here.
    /** @type {(original: string, text: string) => string[]} */
    function changedKernels(original, text) {
        const [before, after] = [original, text].map(each => each.split('\n'));
        const first = after.findIndex((line, index) => line !== before[index]);
        if (first < 0) { return []; }
        const last = after.length - [...after].reverse().findIndex((line, index) => line !== before[before.length - 1 - index]);
        /** @type {Set<string>} */
        const found = new Set();
        let kernel = '';
        after.forEach((line, index) => {
            const head = /^(?!template\b)\w[^;]*\w\s*\(/.test(line);
            if (head) { kernel = /__global__.*?(\w+)\s*\(/.exec(line.replace(/__launch_bounds__\s*\([^)]*\)/, ''))?.[1] ?? ''; }
            if (kernel !== '' && index >= first && index < Math.max(last, first + 1) && line !== before[index]) { found.add(kernel); }
            if (line.startsWith('}')) { kernel = ''; }
        });
        return [...found];
    }

    return { whole, changedNumbers, ownNumbers, rows, counters, compared, changedKernels };
})();
