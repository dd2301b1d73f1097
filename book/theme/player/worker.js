// What runs in the player's Worker: the emulator, which takes a request as text and answers with text.
//
// The page turns this function and the one that unpacks the module into the text of the Worker, because a page that is opened from a
// file cannot load one. So the function uses nothing from outside of itself. Its first message is the packed module, and every later one a
// request with a number, which the answer repeats. If the emulator fails, it is started again and brought to where it was, and
// gets the request once more: it always does the same, so a failure that does not come back was the browser's, which may have
// been out of memory. If it comes back, the answer says so, and the next request finds the emulator as it was after its start.
'use strict';

/** @type {(scope: Pick<Worker, 'postMessage' | 'onmessage'>, unpack: (packed: Uint8Array) => Uint8Array<ArrayBuffer>) => void} */
function lanesWorker(scope, unpack) {
    const encoder = new TextEncoder();
    const decoder = new TextDecoder();
    /** @type {WebAssembly.Module} */ let module;
    /** @type {Lanes.Exports} */ let exports;
    // The requests that brought the emulator to where it is: the last `load`, and the last `launch` after it.
    /** @type {string[]} */ let told = [];
    // The number of the request that is being answered.
    /** @type {number | null} */ let current = null;

    async function start() {
        const { exports: all } = await WebAssembly.instantiate(module, { page: { progress } });
        exports = /** @type {Lanes.Exports} */ (/** @type {unknown} */ (all));
    }

    // Called by the module in the middle of a long request.
    /** @type {Lanes.Progress} */
    function progress(done, of) {
        scope.postMessage({ id: current, done, of });
    }

    /** @type {(request: string) => string} */
    function ask(request) {
        const bytes = encoder.encode(request);
        const room = exports.request(bytes.length) >>> 0;
        if (room === 0) { return refusal('request', `the request has ${bytes.length} bytes, which is too long for a page`); }
        new Uint8Array(exports.memory.buffer, room, bytes.length).set(bytes);
        const at = exports.answer() >>> 0;
        const length = new DataView(exports.memory.buffer).getUint32(at, true);
        return decoder.decode(new Uint8Array(exports.memory.buffer, at + 4, length));
    }

    /** @param {string} request */
    function remember(request) {
        const [kind] = Object.keys(JSON.parse(request));
        if (kind === 'load') { told = [request]; } else if (kind === 'launch') { told = [...told.slice(0, 1), request]; }
    }

    /** @param {string} request */
    async function answerTo(request) {
        try {
            return ask(request);
        } catch {
            // The module stopped in the middle of its work, so its memory is not to be trusted.
            await start();
            told.forEach(ask);
            return ask(request);
        }
    }

    /** @param {string} kind @param {string} message */
    function refusal(kind, message) {
        return JSON.stringify({ error: { kind, message, diagnostics: [] } });
    }

    /** @param {{ packed?: Uint8Array, id: number, request: string }} data */
    async function receive(data) {
        if (data.packed !== undefined) {
            try {
                module = await WebAssembly.compile(unpack(data.packed));
                await start();
                return { ready: true };
            } catch (error) {
                return { ready: false, message: `the emulator cannot be started: ${error.message}` };
            }
        }
        current = data.id;
        try {
            const answer = await answerTo(data.request);
            remember(data.request);
            return { id: data.id, answer };
        } catch (error) {
            told = [];
            await start();
            return { id: data.id, answer: refusal('emulator', `the emulator failed and was started again: ${error.message}`) };
        }
    }

    // One message after another, also while the module is being unpacked.
    let last = Promise.resolve();
    scope.onmessage = event => {
        last = last.then(async () => scope.postMessage(await receive(event.data)));
    };
}
