// A grading that several machines share, because its trials are independent of each other. The verdict is that of the first trial
// that refuses the attempt, as if one machine had carried out one trial after another.
'use strict';

const LanesGrading = (() => {
    // Each has a memory of its own, so there is a bound that suits a phone.
    const MOST_MACHINES = 4;

    // How many machines to use where there are so many cores.
    function machines(cores = 1) { return Math.max(1, Math.min(MOST_MACHINES, cores)); }

    // The answer to the request `grade`. `progress` is called with how many trials are done, and how many there are.
    /** @type {(all: LanesMachine[], request: Lanes.Graded & Lanes.Attempt, progress?: Lanes.Progress) => Promise<Lanes.Answer<Lanes.Verdict>>} */
    async function grade(all, request, progress = () => {}) {
        const of = all.length;
        // The trial that each machine has begun, and the answers.
        const at = all.map((_, share) => share);
        const best = { rank: Infinity, answer: /** @type {Lanes.Answer<Lanes.Verdict> | null} */ (null) };
        const isOver = all.map(() => false);
        /** @param {number} share */
        const stop = share => { isOver[share] = true; all[share].stop(); };
        // No share that has come so far can have an earlier refusal.
        const stopLate = () => at.forEach((number, share) => { if (!isOver[share] && number >= best.rank) { stop(share); } });
        /** @type {(machine: LanesMachine, share: number) => Promise<void>} */
        const carryOut = async (machine, share) => {
            const answer = await machine.ask({ grade: { ...request, share: [share, of] } }, (number, count) => {
                at[share] = number;
                stopLate();
                progress(at.reduce((sum, trial, each) => sum + Math.floor((Math.min(isOver[each] ? count : trial, count) - each + of - 1) / of), 0), count);
            });
            if (isOver[share]) { return; }
            isOver[share] = true;
            // A machine that fails, or is stopped by the reader, ends the grading.
            const rank = answer.error === undefined ? answer.rank : -1;
            if (rank < best.rank) { best.rank = rank; best.answer = answer; }
            stopLate();
        };
        await Promise.all(all.map(carryOut));
        return /** @type {Lanes.Answer<Lanes.Verdict>} */ (best.answer);
    }

    return { grade, machines };
})();
