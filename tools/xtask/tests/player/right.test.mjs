// Whether the result of a run is the expected one, and in which words.

import assert from 'node:assert/strict';
import test from 'node:test';

import { player, editor } from './support.mjs';

const LanesRight = editor('LanesRight', { LanesState: player('LanesState') });

const bytes = (type, values) => Buffer.from(new { i32: Int32Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array }[type](values).buffer).toString('hex');
const held = (name, type, values, any_order = false) => ({ name, type, hex: bytes(type, values), any_order });
const report = (name, type, values, more = {}) => ({ faults: [], stopped_by: null, memory: [{ name, from: 0, hex: bytes(type, values) }], ...more });
const says = (result, ran) => LanesRight.sentence(result, ran);

test('a result is the expected one, or the first element that differs is named', () => {
    const sums = [held('sums', 'i32', [2016, 0])];
    assert.equal(says(sums, report('sums', 'i32', [2016, 0, 7])), 'The result is the expected one.');
    assert.equal(says(sums, report('sums', 'i32', [2016, -1])), 'The result isn’t the expected one: sums[1] is -1, not 0.');
    assert.equal(says(sums, report('sums', 'i32', [1, 2])), 'The result isn’t the expected one: sums[0] is 1, not 2016, and one more element differs.');
    assert.match(says([held('y', 'i32', [1, 2, 3])], report('y', 'i32', [0, 0, 0])), /and 2 more elements differ/);
    assert.match(says([held('total', 'f32', [0.1])], report('total', 'f32', [0.2])), /: total is 0\.2, not 0\.1\.$/);
});

test('floats may be added in another order, and whole numbers may not', () => {
    const sum = [held('sum', 'f32', [1000, 0.001])];
    assert.match(says(sum, report('sum', 'f32', [1000.001, 0.002])), /expected one, up to the rounding/);
    assert.match(says(sum, report('sum', 'f32', [1000.1, 0.001])), /isn’t the expected one: sum\[0\] is 1000\.1, not 1000\./);
    assert.match(says([held('sum', 'f64', [1000])], report('sum', 'f64', [1000.0001])), /isn’t the expected/);
    assert.match(says([held('sum', 'i32', [1000000])], report('sum', 'i32', [1000001])), /isn’t the expected/);
    // What is no number is equal to itself, and to nothing else.
    const none = [held('z', 'f32', [NaN, Infinity])];
    assert.equal(says(none, report('z', 'f32', [NaN, Infinity])), 'The result is the expected one.');
    assert.match(says(none, report('z', 'f32', [0, Infinity])), /z\[0\] is 0, not NaN/);
    assert.match(says([held('z', 'f32', [1])], report('z', 'f32', [NaN])), /is NaN, not 1/);
});

test('elements in any order are compared as a whole', () => {
    const kept = [held('kept', 'i32', [5, 7, 7, 0], true)];
    assert.equal(says(kept, report('kept', 'i32', [0, 7, 5, 7])), 'The result is the expected one.');
    assert.equal(says(kept, report('kept', 'i32', [0, 7, 5, 5])), 'The result isn’t the expected one: kept has 5 where it should have 7, in whatever order.');
});

test('nothing is said to be right or not where that is not known', () => {
    const sums = [held('sums', 'i32', [1])];
    assert.match(says(sums, report('sums', 'i32', [1], { stopped_by: 'deadlock' })), /stopped, so there’s no result/);
    assert.match(says(null, report('sums', 'i32', [1])), /no single right result/);
    assert.match(says(sums, report('other', 'i32', [1])), /can’t be compared/);
});

test('a right result beside a fault is no proof', () => {
    const sums = [held('sums', 'i32', [1])];
    assert.equal(says(sums, report('sums', 'i32', [1], { faults: [{ severity: 'error' }] })), 'All the same, the result is the expected one this time.');
    assert.equal(says(sums, report('sums', 'i32', [1], { faults: [{ severity: 'note' }] })), 'The result is the expected one.');
});

test('only buffers that there are are asked for', () => {
    const result = [held('sums', 'i32', [1, 2]), held('block_sums', 'f32', [1])];
    const launch = { arguments: [{ name: 'sums', is: 'buf:i32:2:zeros' }] };
    const windows = LanesRight.windows(result, launch, { variables: [] });
    assert.equal(JSON.stringify(windows), '[{"name":"sums","bytes":8}]');
    assert.equal(LanesRight.windows(result, launch, { variables: [{ name: 'block_sums' }] }).length, 2);
    assert.equal(LanesRight.windows(null, launch, { variables: [] }).length, 0);
});

test('what a loop prints is under a fold, and not all of it', () => {
    const LanesResult = editor('LanesResult');
    const lines = count => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');
    assert.equal(JSON.stringify(LanesResult.output('')), '[]');
    assert.equal(LanesResult.output(lines(32))[0][0], 'pre');
    const [[name, , [, , summary], [, , text]]] = LanesResult.output(lines(87_173));
    assert.deepEqual([name, summary], ['details', 'The kernel printed 87173 lines, of which these are the first 1000']);
    assert.equal(text.split('\n').length, 1000);
});

test('a page proposes nothing that it does not have', () => {
    const fault = { kind: 'step-limit', severity: 'error', message: 'stopped', help: 'raise the limit on steps', actors: [], location: null };
    const tree = JSON.stringify(player('LanesView').faults({ faults: [fault], stopped_by: 'step-limit' }));
    assert.ok(!tree.includes('raise') && tree.includes('never ends'), tree);
});

test('counters of a launch that was stopped are not put beside those of a whole run', () => {
    const LanesResult = editor('LanesResult');
    const ran = stopped_by => ({ counters: { ptx_instructions: 7 }, stopped_by });
    const drawn = outcome => JSON.stringify(LanesResult.counters({ changed: true, report: ran(null), cudac: ran(null), nvrtc: ran(null), ...outcome }));
    assert.match(drawn({}), /Counters beside those of the original/);
    assert.match(drawn({ report: ran('deadlock') }), /^\["p",.*No counters are compared: your kernel was stopped before its end \(deadlock\)\./);
    assert.match(drawn({ cudac: ran('livelock'), nvrtc: ran('livelock') }), /the original was stopped before its end \(livelock\)\./);
    assert.match(drawn({ changed: false, report: ran('deadlock') }), /"Counters"/);
});
