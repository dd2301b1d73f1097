// How machines share a grading, with machines that answer as they are told.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editor } from './support.mjs';

const grading = editor('LanesGrading');
const COUNT = 12;

// Machines for `of` shares of a grading whose trials have these ranks. Each carries out a trial when `step` is called.
function machines(of, ranks) {
    return Array.from({ length: of }, (_, share) => ({
        stopped: 0, trials: [], resolve: null, next: share, lowest: 2 * COUNT,
        ask({ grade }, progress) {
            assert.deepEqual([...grade.share], [share, of]);
            return new Promise(resolve => { Object.assign(this, { resolve, progress }); });
        },
        stop() { this.stopped += 1; this.answer({ error: { kind: 'stopped' } }); },
        answer(answer) { this.resolve?.(answer); this.resolve = null; },
        step() {
            if (this.resolve === null) { return; }
            const number = this.next;
            if (number >= COUNT) { return this.answer({ rank: this.lowest }); }
            this.progress(number, COUNT);
            if (this.resolve === null) { return; }
            this.trials.push(number);
            this.next += of;
            const rank = ranks.get(number) ?? 2 * COUNT;
            this.lowest = Math.min(this.lowest, rank);
            if (rank < COUNT) { this.answer({ rank }); }
        },
    }));
}

// Lets the machines work in this order, again and again, and returns the answer.
async function run(all, order, progress) {
    const answer = grading.grade(all, { name: 'x' }, progress);
    for (let round = 0; round <= COUNT; round++) {
        for (const machine of order) {
            all[machine].step();
            await Promise.resolve();
            await Promise.resolve();
        }
    }
    return answer;
}

test('the first refusal counts, whoever finds one first', async () => {
    const ranks = new Map([[3, 3], [8, 8]]);
    for (const order of [[0, 1], [1, 0], [0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 0]]) {
        assert.equal((await run(machines(2, ranks), order)).rank, 3, `${order}`);
    }
    assert.equal((await run(machines(1, ranks), [0])).rank, 3);
});

test('a machine that is beyond the first refusal is stopped', async () => {
    const all = machines(2, new Map([[1, 1]]));
    assert.equal((await run(all, [0, 0, 0, 1])).rank, 1);
    assert.deepEqual(all.map(({ stopped }) => stopped), [1, 0]);
});

test('a machine that may have an earlier refusal is waited for', async () => {
    const all = machines(2, new Map([[9, 9], [8, 8]]));
    assert.equal((await run(all, [1, 1, 1, 1, 1, 0])).rank, 8);
    assert.deepEqual(all[0].trials, [0, 2, 4, 6, 8]);
});

test('what counts only if nothing refuses has the lowest of its numbers', async () => {
    assert.equal((await run(machines(3, new Map([[5, COUNT + 5], [7, COUNT + 7]])), [2, 1, 0])).rank, COUNT + 5);
    assert.equal((await run(machines(3, new Map([[5, COUNT + 5], [10, 10]])), [2, 1, 0])).rank, 10);
    assert.equal((await run(machines(3, new Map()), [2, 1, 0])).rank, 2 * COUNT);
});

test('all trials are counted, once', async () => {
    const seen = [];
    const all = machines(4, new Map());
    await run(all, [0, 1, 2, 3], (done, of) => { seen.push(done); assert.equal(of, COUNT); });
    assert.deepEqual(all.flatMap(({ trials }) => trials).sort((a, b) => a - b), Array.from({ length: COUNT }, (_, number) => number));
    assert.deepEqual(seen, [...seen].sort((a, b) => a - b));
    assert.ok(seen[0] === 0 && seen.at(-1) < COUNT);
});

test('a machine that the reader stops ends the grading', async () => {
    const all = machines(2, new Map());
    const answer = grading.grade(all, { name: 'x' });
    all[1].step();
    all[1].stop();
    assert.equal((await answer).error.kind, 'stopped');
    assert.equal(all[0].stopped, 1);
});

test('there is a machine for each core, within a bound', () => {
    assert.deepEqual([undefined, 1, 2, 3, 64].map(cores => grading.machines(cores)), [1, 1, 2, 3, 4]);
});
