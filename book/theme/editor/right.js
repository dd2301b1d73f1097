// Whether a run of a listing left in memory what it should have, in words. The facts of the launch name the buffers that count and
// what has to be in them; nothing here asks the emulator.
//
// A reader may change a kernel to compute something else, so no result is called wrong: it is the expected one, or it isn't. Where
// nothing can be expected, because a launch was stopped or what it leaves depends on the schedule, that is said.
'use strict';

const LanesRight = (() => {
    // Floats that are added in another order round differently. They may differ by so much of the largest one that is expected.
    /** @type {Record<string, number>} */
    const TOLERANCE = { f32: 1e-5, f64: 1e-12 };

    // The parts of memory to ask for. A text in which a variable has another name does not have the buffer.
    /** @type {(result: Lanes.Held[] | null, launch: Lanes.Launch, loaded: Lanes.Loaded) => { name: string, bytes: number }[]} */
    function windows(result, launch, { variables }) {
        const all = [...launch.arguments, ...variables].map(({ name }) => name);
        return (result ?? []).filter(({ name }) => all.includes(name)).map(({ name, hex }) => ({ name, bytes: hex.length / 2 }));
    }

    // The first element that differs, how many do, and whether those that do not are the same to the last bit; null if a buffer is missing.
    /** @type {(result: Lanes.Held[], memory: Lanes.Part[]) => Lanes.Compared | null} */
    function compare(result, memory) {
        let [count, isExact] = [0, true];
        /** @type {Lanes.Compared['first']} */
        let first = null;
        for (const { name, type, hex, any_order: isAnyOrder } of result) {
            const part = memory.find(each => each.name === name);
            if (part === undefined || part.hex.length < hex.length) { return null; }
            const here = part.hex.slice(0, hex.length);
            if (here === hex) { continue; }
            const [wanted, got] = [hex, here].map(each => LanesState.values(each, type));
            if (isAnyOrder) {
                const missing = without(wanted, got);
                count += missing.length;
                if (missing.length > 0) { first ??= { name, index: null, of: wanted.length, wanted: missing[0], got: without(got, wanted)[0] }; }
                continue;
            }
            isExact = false;
            const most = (TOLERANCE[type] ?? 0) * Math.max(0, ...wanted.map(Number).filter(Number.isFinite).map(Math.abs));
            wanted.forEach((value, index) => {
                if (isNear(value, got[index], most)) { return; }
                count += 1;
                first ??= { name, index, of: wanted.length, wanted: short(value, type), got: short(got[index], type) };
            });
        }
        return { first, count, isExact };
    }

    // The elements of a list that another one of the same length lacks.
    /** @type {(all: string[], others: string[]) => string[]} */
    function without(all, others) {
        const left = [...others];
        return all.filter(each => {
            const at = left.indexOf(each);
            if (at >= 0) { left.splice(at, 1); }
            return at < 0;
        });
    }

    /** @type {(wanted: string, got: string, most: number) => boolean} */
    function isNear(wanted, got, most) {
        return wanted === got || (most > 0 && Math.abs(Number(wanted) - Number(got)) <= most);
    }

    // A float in as many digits as its type holds.
    /** @type {(value: string, type: string) => string} */
    function short(value, type) { return type === 'f32' ? `${Number(Number(value).toPrecision(7))}` : value; }

    // What is to be said about the result of a run.
    /** @type {(result: Lanes.Held[] | null, report: Lanes.Report) => string} */
    function sentence(result, report) {
        if (report.stopped_by !== null) { return 'The launch was stopped, so there’s no result to compare.'; }
        if (result === null) { return 'There’s no single right result here: it depends on the schedule.'; }
        const found = compare(result, report.memory ?? []);
        if (found === null) { return `What it should leave in ${result[0].name} can’t be compared, because the text has no such array.`; }
        const isFaulty = report.faults.some(({ severity }) => severity === 'error');
        const { first, count, isExact } = found;
        if (first === null) {
            const how = isExact ? '' : ', up to the rounding of floats that are added in another order';
            return isFaulty ? `All the same, the result is the expected one this time${how}.` : `The result is the expected one${how}.`;
        }
        const others = count === 1 ? '' : count === 2 ? ', and one more element differs' : `, and ${count - 1} more elements differ`;
        const where = first.of === 1 ? first.name : `${first.name}[${first.index}]`;
        const how = first.index === null ? `${first.name} has ${first.got} where it should have ${first.wanted}, in whatever order` : `${where} is ${first.got}, not ${first.wanted}`;
        return `The result isn’t the expected one: ${how}${others}.`;
    }

    return { windows, compare, sentence };
})();
