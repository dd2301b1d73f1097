// Which exercises are done, as the program `exercises` keeps it in `progress.toml`, so that a file can go from one to the other.
//
// A page keeps it in the browser. Where the browser refuses to store anything, it is kept for as long as the page is open, and
// the reader is told. What a file says is read by a grammar of four lines, and whatever is wrong with it is one message.
'use strict';

const LanesProgress = (() => {
    const VERSION = 1;
    const MOST_BYTES = 64 << 10;
    const MOST_HINTS = 1000;
    const KEY = 'lanes-progress';
    const HEAD = '# Progress of the exercises, written by the book.\n';
    const NAME = /^[a-z0-9_]{1,64}$/;

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
        const done = none();
        /** @param {number} at */
        const number = at => file.slice(0, at).split('\n').length;
        // A version comes first, so that a file that cannot be read because it is newer is known to be.
        const version = /^\s*version\s*=\s*(\d+)\s*$/m.exec(file);
        if (version !== null && Number(version[1]) > VERSION) { throw new ProgressError('the file was written by a newer version: update the book, or export it from there'); }
        const statement = /[ \t]*(?:#[^\n]*|\[hints\]|version\s*=\s*\d+|passed\s*=\s*\[([^\]]*)\]|([a-z0-9_]+)[ \t]*=[ \t]*(\d+))?[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;
        let isHints = false;
        while (statement.lastIndex < file.length) {
            const from = statement.lastIndex;
            const match = statement.exec(file);
            if (match === null) { throw damaged(number(from)); }
            const [all, passed, name, count] = match;
            if (all.trim().startsWith('[hints]')) { isHints = true; }
            if (passed !== undefined) { names(passed, number(from)).forEach(one => done.passed.add(one)); }
            if (name !== undefined && name !== 'version') {
                if (!isHints || !NAME.test(name)) { throw damaged(number(from)); }
                done.hints.set(name, Math.min(Number(count), MOST_HINTS));
            }
        }
        return done;
    }

    /** @type {(list: string, line: number) => string[]} */
    function names(list, line) {
        const parts = list.replace(/#[^\n]*/g, '').split(',').map(part => part.trim());
        if (parts.at(-1) === '') { parts.pop(); }
        return parts.map(part => {
            const match = /^["']([^"']*)["']$/.exec(part);
            if (match === null || !NAME.test(match[1])) { throw damaged(line); }
            return match[1];
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
        /** @param {() => Storage} storage */
        constructor(storage) {
            this.storage = storage;
            this.isKept = true;
            this.done = none();
            this.load();
        }

        // What another page has stored in between is kept.
        load() {
            try {
                const stored = this.storage().getItem(KEY);
                if (stored !== null) { this.done = joined(this.done, read(stored)); }
            } catch (error) {
                this.isKept = error instanceof ProgressError;
            }
        }

        save() {
            try {
                this.storage().setItem(KEY, text(this.done));
                this.isKept = true;
            } catch {
                this.isKept = false;
            }
        }

        /** @param {string} name */
        pass(name) { this.load(); this.done.passed.add(name); this.save(); }

        /** @param {string} name @param {number} count */
        hint(name, count) { this.load(); this.done.hints.set(name, Math.max(count, this.done.hints.get(name) ?? 0)); this.save(); }

        /** @param {string} file */
        import(file) { const other = read(file); this.load(); this.done = joined(this.done, other); this.save(); }

        export() { return text(this.done); }
    }

    return { MOST_BYTES, Progress, ProgressError, read, text, joined };
})();
