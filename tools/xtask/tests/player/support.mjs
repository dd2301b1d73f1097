// What the tests of the player share. The scripts are classic ones, as in a page, so they are run in one context.

import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const BOOK = new URL('../../../../book/', import.meta.url);
const PLAYER = ['state.js', 'view.js', 'frame.js', 'machine.js', 'run.js'].map(name => `theme/player/${name}`);
const WORKER = ['unpack.js', 'worker.js'].map(name => `theme/player/${name}`);

// The value of an expression after the scripts of the player were run.
export function player(expression, globals = {}) {
    const context = vm.createContext({
        atob, TextEncoder, TextDecoder, WebAssembly, Uint8Array, ArrayBuffer,
        DataView, BigInt, ...globals,
    });
    for (const name of [...PLAYER, ...WORKER]) {
        vm.runInContext(readFileSync(new URL(name, BOOK), 'utf8'), context, { filename: name });
    }
    return vm.runInContext(expression, context);
}

// The same with the scripts of the editor that touch no page.
export function editor(expression, globals = {}) {
    const context = vm.createContext({
        atob, btoa, ReadableStream, CompressionStream, DecompressionStream, TextEncoder, TextDecoder, Uint8Array, ...globals,
    });
    for (const name of ['highlight.js', 'link.js', 'margin.js', 'progress.js', 'drafts.js', 'grading.js', 'right.js', 'result.js']) {
        vm.runInContext(readFileSync(new URL(`theme/editor/${name}`, BOOK), 'utf8'), context, { filename: name });
    }
    return vm.runInContext(expression, context);
}

export const unpack = player('lanesUnpack');

// A machine whose Worker runs here, with these bytes as its module, which may be packed.
export function machine(module, unpacked = bytes => bytes) {
    const [Machine, worker] = player('[LanesMachine, lanesWorker]');
    const opened = [];
    const open = () => {
        let isOver = false;
        const outside = { onmessage: null, onerror: null, terminate() { isOver = true; } };
        const inside = { postMessage(data) { if (!isOver) { outside.onmessage({ data: structuredClone(data) }); } } };
        worker(inside, unpacked);
        outside.postMessage = data => inside.onmessage({ data: structuredClone(data) });
        opened.push(outside);
        return outside;
    };
    const load = async () => module;
    return Object.assign(new Machine({ open, load }), { opened });
}
