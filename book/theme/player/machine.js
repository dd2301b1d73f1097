// The emulator as the page sees it: it is started when it is first asked, and stopped by ending its Worker.
//
// Nothing is loaded before the first request. The module is a script (`assets/module.js`), which also works in a page that
// is opened from a file. A request that was under way when the machine is stopped is answered with an error of the kind
// `stopped`.
'use strict';

class LanesMachine {
    // `open` makes a Worker, and `load` returns a promise of the packed module: the tests give their own.
    /** @param {{ open: () => Worker, load: () => Promise<Uint8Array> }} by */
    constructor({ open, load }) {
        this.open = open;
        this.load = load;
        /** @type {Promise<Worker> | null} */
        this.worker = null;
        /** @type {Map<number, Lanes.Waiting>} */
        this.waiting = new Map();
        this.number = 0;
    }

    // The answer to a request. It never rejects: what fails is an object with the key `error`. `progress` is called with how
    // much of a long request is done, and how much there is.
    /** @type {<R extends Lanes.Request>(request: R, progress?: Lanes.Progress) => Promise<Lanes.Answer<Lanes.Wish<R>>>} */
    async ask(request, progress = () => {}) {
        const waiting = this.waiting;
        const starting = this.worker ??= this.start();
        let worker;
        try {
            worker = await starting;
        } catch (error) {
            if (this.worker === starting) { this.worker = null; }
            return LanesMachine.error('emulator', error.message);
        }
        if (this.waiting !== waiting) { return LanesMachine.error('stopped', 'the run was stopped'); }
        const id = this.number++;
        return new Promise(resolve => {
            waiting.set(id, Object.assign(resolve, { progress }));
            worker.postMessage({ id, request: JSON.stringify(request) });
        });
    }

    // Ends what is under way. The next request starts a new machine, which has loaded no program.
    stop() {
        const { worker, waiting } = this;
        this.worker = null;
        this.waiting = new Map();
        worker?.then(running => running.terminate(), () => {});
        waiting.forEach(resolve => resolve(LanesMachine.error('stopped', 'the run was stopped')));
    }

    async start() {
        const packed = await this.load();
        const worker = this.open();
        const waiting = this.waiting;
        await /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
            /** @param {string} message */
            const failed = message => {
                reject(new Error(message));
                if (this.waiting === waiting) { this.worker = null; }
                waiting.forEach(answer => answer(LanesMachine.error('emulator', message)));
                waiting.clear();
            };
            worker.onerror = event => failed(event.message ?? 'the emulator cannot be started');
            worker.onmessage = ({ data }) => {
                if (data.ready === true) { return resolve(); }
                if (data.ready === false) { return failed(data.message); }
                const answer = waiting.get(data.id);
                if (data.answer === undefined) { return answer?.progress(data.done, data.of); }
                waiting.delete(data.id);
                answer?.(JSON.parse(data.answer));
            };
            worker.postMessage({ packed });
        }));
        return worker;
    }

    // Every request may have this answer, whatever else it is answered with.
    /** @type {(kind: string, message: string) => any} */
    static error(kind, message) {
        return { error: { kind, message, diagnostics: [] } };
    }

    // The bytes of a text in base64. Longer texts are read in parts, because a phone may lack the memory for the whole twice.
    /** @param {string} base64 */
    static bytes(base64) {
        const PART = 1 << 16;
        const length = base64.length / 4 * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
        const bytes = new Uint8Array(length);
        let at = 0;
        for (let from = 0; from < base64.length; from += PART) {
            const part = atob(base64.slice(from, from + PART));
            for (let index = 0; index < part.length; index++) { bytes[at++] = part.charCodeAt(index); }
        }
        return bytes;
    }

    /** @type {LanesMachine | undefined} */ static page;

    // The machine of a page of the book. `root` is the path from the page to the root of the book.
    // There is one for all players and editors of the page.
    /** @param {string} root */
    static ofPage(root) {
        /** @type {Promise<Uint8Array> | null} */
        let loaded = null;
        return LanesMachine.page ??= LanesMachine.inBrowser(() => {
            loaded ??= LanesMachine.loadScript(`${root}assets/module.js`);
            // It is loaded once, unless that fails.
            loaded.catch(() => { loaded = null; });
            return loaded;
        });
    }

    /** @type {(address: string) => Promise<Uint8Array>} */
    static loadScript(address) {
        return new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = address;
            script.onload = () => {
                resolve(LanesMachine.bytes(globalThis.lanesModule ?? ''));
                // The text is not needed any more.
                delete globalThis.lanesModule;
                script.remove();
            };
            script.onerror = () => reject(new Error('the emulator cannot be loaded: `assets/module.js` is missing'));
            document.head.append(script);
        });
    }

    // Another machine with the same module.
    another() { return new LanesMachine({ open: this.open, load: this.load }); }

    // A machine with a Worker of the browser.
    /** @param {() => Promise<Uint8Array>} load */
    static inBrowser(load) {
        const open = () => {
            const blob = new Blob([`(${lanesWorker})(self, ${lanesUnpack})`], { type: 'text/javascript' });
            const address = URL.createObjectURL(blob);
            const worker = new Worker(address);
            URL.revokeObjectURL(address);
            return worker;
        };
        return new LanesMachine({ open, load });
    }
}
