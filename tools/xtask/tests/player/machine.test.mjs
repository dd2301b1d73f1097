// The Worker and the page's side of it, with a small module in the place of the emulator: it has room for a request, and
// fails at every answer.

import test from 'node:test';
import assert from 'node:assert/strict';
import { machine, player } from './support.mjs';

const FAILING = Uint8Array.from([
    0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // version 1
    0x01, 0x0a, 0x02, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x60, 0x00, 0x01, 0x7f, // types: i32 -> i32, () -> i32
    0x03, 0x03, 0x02, 0x00, 0x01, // functions
    0x05, 0x03, 0x01, 0x00, 0x01, // a memory of one page
    0x07, 0x1d, 0x03, 0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00, // memory
    0x07, 0x72, 0x65, 0x71, 0x75, 0x65, 0x73, 0x74, 0x00, 0x00, // request
    0x06, 0x61, 0x6e, 0x73, 0x77, 0x65, 0x72, 0x00, 0x01, // answer
    0x0a, 0x0a, 0x02, 0x04, 0x00, 0x41, 0x10, 0x0b, 0x03, 0x00, 0x00, 0x0b, // returns 16; fails
]);

// A module that answers with how many requests it has answered, and fails at the fourth.
const TIRING = Uint8Array.from([
    0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // version 1
    0x01, 0x0a, 0x02, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x60, 0x00, 0x01, 0x7f, // types: i32 -> i32, () -> i32
    0x03, 0x03, 0x02, 0x00, 0x01, // functions
    0x05, 0x03, 0x01, 0x00, 0x01, // a memory of one page
    0x06, 0x06, 0x01, 0x7f, 0x01, 0x41, 0x00, 0x0b, // a variable, which is 0
    0x07, 0x1d, 0x03, 0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00, // memory
    0x07, 0x72, 0x65, 0x71, 0x75, 0x65, 0x73, 0x74, 0x00, 0x00, // request
    0x06, 0x61, 0x6e, 0x73, 0x77, 0x65, 0x72, 0x00, 0x01, // answer
    0x0a, 0x2c, 0x02, 0x04, 0x00, 0x41, 0x10, 0x0b, // returns 16
    0x25, 0x00, 0x23, 0x00, 0x41, 0x01, 0x6a, 0x24, 0x00, // counts
    0x23, 0x00, 0x41, 0x04, 0x4e, 0x04, 0x40, 0x00, 0x0b, // fails at 4
    0x41, 0x00, 0x41, 0x01, 0x36, 0x02, 0x00, // the length of the answer
    0x41, 0x00, 0x23, 0x00, 0x41, 0x30, 0x6a, 0x3a, 0x00, 0x04, // the answer
    0x41, 0x00, 0x0b, // returns 0
]);

test('a failure that does not come back is not seen: the emulator is brought to where it was', async () => {
    const tiring = machine(TIRING);
    const answers = [];
    for (const kind of ['load', 'launch', 'moments', 'moments', 'moments']) { answers.push(await tiring.ask({ [kind]: {} })); }
    // The second `moments` and the third are answered after a `load` and a `launch`.
    assert.deepEqual(answers, [1, 2, 3, 3, 3]);
    assert.equal(tiring.opened.length, 1, 'one Worker is enough');
});

test('a failure of the emulator is an answer, and the machine still works', async () => {
    const failing = machine(FAILING);
    for (let again = 0; again < 2; again++) {
        const { error } = await failing.ask({ load: {} });
        assert.equal(error.kind, 'emulator');
        assert.match(error.message, /^the emulator failed and was started again: /);
    }
    assert.equal(failing.opened.length, 1, 'one Worker is enough');
});

test('a file that is not a module is an answer', async () => {
    const { error } = await machine(Uint8Array.of(1, 2, 3)).ask({ load: {} });
    assert.equal(error.kind, 'emulator');
    assert.match(error.message, /^the emulator cannot be started: /);
});

test('a module that cannot be loaded is an answer, and is loaded again', async () => {
    const broken = machine(FAILING);
    let loads = 0;
    broken.load = async () => { loads += 1; throw new Error('`assets/module.js` is missing'); };
    for (let again = 1; again <= 2; again++) {
        const { error } = await broken.ask({ load: {} });
        assert.deepEqual([error.kind, error.message, loads], ['emulator', '`assets/module.js` is missing', again]);
    }
});

test('nothing is loaded before the first request', () => {
    assert.equal(machine(FAILING).opened.length, 0);
});

test('what is under way when the machine is stopped is answered', async () => {
    const stopped = machine(FAILING);
    // One request waits for its answer, another one for the machine to start.
    const early = stopped.ask({ load: {} });
    stopped.stop();
    assert.equal((await early).error.kind, 'stopped');
    await stopped.ask({ load: {} });
    // The Worker does not answer any more, like one that runs an endless kernel.
    stopped.opened.at(-1).postMessage = () => {};
    const late = stopped.ask({ load: {} });
    await new Promise(resolve => { setTimeout(resolve, 5); });
    stopped.stop();
    assert.equal((await late).error.kind, 'stopped');
    assert.equal((await stopped.ask({ load: {} })).error.kind, 'emulator', 'the next request starts another machine');
});

test('base64 is read in parts', () => {
    const Machine = player('LanesMachine');
    for (const length of [0, 1, 2, 3, 49151, 49152, 49153, 200_000]) {
        const bytes = Uint8Array.from({ length }, (_, index) => index * 7 & 255);
        const text = Buffer.from(bytes).toString('base64');
        assert.deepEqual(Buffer.from(Machine.bytes(text)), Buffer.from(bytes), `${length} bytes`);
    }
});

test('runs that share a machine do not mix, and launch again only when another was there', async () => {
    const Run = player('LanesRun');
    const asked = [];
    const shared = { worker: {}, async ask(request) {
        asked.push(Object.keys(request)[0] + (request.launch ?? request.load ?? ''));
        return request.launch === undefined ? { moments: [] } : { of: request.launch };
    } };
    const [program, other] = ['p', 'q'];
    const [one, two, third] = [new Run(shared, program, 1), new Run(shared, program, 2), new Run(shared, other, 3)];
    const reports = await Promise.all([one.begin(), two.begin(), one.moments({})]);
    assert.deepEqual(reports.map(report => report.of), [1, 2, undefined]);
    assert.deepEqual(asked.splice(0), ['loadp', 'launch1', 'launch2', 'launch1', 'moments']);
    await one.moments({});
    assert.deepEqual(asked.splice(0), ['moments']);
    await third.begin();
    assert.deepEqual(asked.splice(0), ['loadq', 'launch3']);
    // A machine that was stopped has forgotten everything.
    shared.worker = {};
    await third.begin();
    assert.deepEqual(asked.splice(0), ['loadq', 'launch3']);
});

test('a run that is refused is an answer, and is tried again', async () => {
    const Run = player('LanesRun');
    let count = 0;
    const refusing = { worker: {}, async ask() { count += 1; return { error: { message: 'no' } }; } };
    const run = new Run(refusing, 'p', 1);
    assert.equal((await run.begin()).error.message, 'no');
    assert.equal((await run.moments({})).error.message, 'no');
    assert.equal(count, 2);
});
