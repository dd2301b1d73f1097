// Which exercises are done, as the program `exercises` keeps it in `progress.toml`, so that a file can go from one to the other.
//
// A page keeps it in the browser. Where the browser refuses to store anything, it is kept for as long as the page is open, and
// the reader is told. What was stored and cannot be read is kept under another name before anything takes its place. What a file
// says is read by a grammar of four lines, and whatever is wrong with it is one message.
'use strict';

const LanesProgress = (() => {
    const VERSION = 1;
    const MOST_BYTES = 64 << 10;
    const MOST_HINTS = 1000;
    const KEY = 'lanes-progress';
    const HEAD = '# Progress of the exercises, written by the book.\n';
    const NAME = /^[a-z0-9_]{1,64}$/;
    // No token can be read in two ways, so that no text takes longer to read than its length.
    const TOKEN = /[ \t]+|\r?\n|#[^\n]*|[a-z0-9_]+|"[^"\n]*"|'[^'\n]*'|[=,[\]]/y;

    class ProgressError extends Error {}

    /** @type {() => Lanes.Done} */
    const none = () => ({ passed: new Set(), hints: new Map() });

    // The text of a file.
    /** @param {Lanes.Done} done */
    function text({ passed, hints }) {
        const names = [...passed].sort().map(name => `    "${name}",\n`).join('');
        const seen = [...hints].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, count]) => `${name} = ${count}\n`).join('');
        return `${HEAD}version = ${VERSION}\npassed = [${names === '' ? '' : `\n${names}`}]\n\n[hints]\n${seen}`;
    }

    /** @param {number} line */
    function damaged(line) {
        return new ProgressError(`line ${line} of the file cannot be read: choose a file that the book or the program \`exercises\` has written`);
    }

    // What a file says.
    /** @type {(file: string) => Lanes.Done} */
    function read(file) {
        if (file.length > MOST_BYTES) { throw new ProgressError(`the file has more than ${MOST_BYTES / 1024} kB: choose the file \`progress.toml\``); }
        // A version comes first, so that a file that cannot be read because it is newer is known to be.
        const versions = file.split('\n').map(line => /^version=(\d+)(?:#|$)/.exec(line.replace(/[ \t\r]/g, '')));
        if (versions.some(version => version !== null && Number(version[1]) > VERSION)) { throw new ProgressError('the file was written by a newer version: update the book, or export it from there'); }
        const done = none();
        let isHints = false;
        statements(file).forEach(({ line, words: [name, ...rest] }) => {
            const is = rest.join('');
            if (name === '[' && is === 'hints]') {
                isHints = true;
            } else if (name === 'passed' && is.startsWith('=[')) {
                names(rest.slice(2), line).forEach(one => done.passed.add(one));
            } else {
                const count = /^=(\d+)$/.exec(is);
                if (count === null || (name !== 'version' && (!isHints || !NAME.test(name)))) { throw damaged(line); }
                if (name !== 'version') { done.hints.set(name, Math.min(Number(count[1]), MOST_HINTS)); }
            }
        });
        return done;
    }

    // What a file consists of, each with its first line: the tokens of a line, or of a list and the lines that it takes.
    /** @type {(file: string) => { line: number, words: string[] }[]} */
    function statements(file) {
        /** @type {{ line: number, words: string[] }[]} */
        const all = [];
        /** @type {string[]} */
        let words = [];
        let [line, from, depth] = [1, 1, 0];
        TOKEN.lastIndex = 0;
        while (TOKEN.lastIndex < file.length) {
            const [token] = TOKEN.exec(file) ?? [];
            if (token === undefined) { throw damaged(line); }
            const isEnd = token.endsWith('\n');
            if (isEnd && depth === 0 && words.length > 0) { all.push({ line: from, words }); words = []; }
            if (isEnd) { line += 1; }
            if (isEnd || /^[ \t#]/.test(token)) { continue; }
            if (words.length === 0) { from = line; }
            if (token === '[') { depth += 1; }
            if (token === ']') { depth -= 1; }
            words.push(token);
        }
        if (depth !== 0) { throw damaged(from); }
        return words.length > 0 ? [...all, { line: from, words }] : all;
    }

    // The names in a list, of which the bracket at the beginning is left out.
    /** @type {(list: string[], line: number) => string[]} */
    function names(list, line) {
        if (list.at(-1) !== ']') { throw damaged(line); }
        return list.slice(0, -1).flatMap((token, place) => {
            const [, name] = /^["']([^"']*)["']$/.exec(token) ?? [];
            // Names and commas take turns.
            if (place % 2 === 1 ? token !== ',' : name === undefined || !NAME.test(name)) { throw damaged(line); }
            return name === undefined ? [] : [name];
        });
    }

    // Both together: what was done in one of them is done.
    /** @type {(one: Lanes.Done, other: Lanes.Done) => Lanes.Done} */
    function joined(one, other) {
        const hints = new Map(one.hints);
        other.hints.forEach((count, name) => hints.set(name, Math.max(count, hints.get(name) ?? 0)));
        return { passed: new Set([...one.passed, ...other.passed]), hints };
    }

    // The progress of a browser. `storage` returns its storage, or throws.
    class Progress {
        // The key under which the browser keeps what could not be read, or null.
        /** @type {string | null} */ aside = null;

        /** @param {() => Storage} storage */
        constructor(storage) {
            this.storage = storage;
            this.isKept = true;
            this.done = none();
            this.load();
        }

        // What another page has stored in between is kept. Returns whether something may be stored in its place.
        load() {
            try {
                const stored = this.storage().getItem(KEY);
                if (stored !== null) { this.join(stored); }
                return true;
            } catch {
                this.isKept = false;
                return false;
            }
        }

        /** @param {string} stored */
        join(stored) {
            try {
                this.done = joined(this.done, read(stored));
            } catch (error) {
                if (!(error instanceof ProgressError)) { throw error; }
                this.keep(stored);
            }
        }

        // Keeps a text that cannot be read under a key that nothing has; it throws where the browser has no room for both.
        /** @param {string} stored */
        keep(stored) {
            const storage = this.storage();
            const key = (/** @type {number} */ number) => `${KEY}-kept-${number}`;
            let number = 1;
            while (![null, stored].includes(storage.getItem(key(number)))) { number += 1; }
            storage.setItem(key(number), stored);
            this.aside = key(number);
        }

        save() {
            if (!this.load()) { return; }
            try {
                this.storage().setItem(KEY, text(this.done));
                this.isKept = true;
            } catch {
                this.isKept = false;
            }
        }

        // Another page has stored this: both pages have both now, even if they stored something at the same time.
        /** @param {string} stored */
        heard(stored) {
            if (this.load() && text(this.done) !== stored) { this.save(); }
        }

        /** @param {string} name */
        pass(name) { this.done.passed.add(name); this.save(); }

        /** @param {string} name @param {number} count */
        hint(name, count) { this.done.hints.set(name, Math.max(count, this.done.hints.get(name) ?? 0)); this.save(); }

        /** @param {string} file */
        import(file) { this.done = joined(this.done, read(file)); this.save(); }

        export() { return text(this.done); }
    }

    return { KEY, MOST_BYTES, Progress, ProgressError, read, text, joined };
})();
