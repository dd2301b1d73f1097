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
