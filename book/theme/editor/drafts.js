// The attempts at exercises that a reader has begun. They are kept in the browser, so that they are there again when the reader comes
// back; where the browser refuses to store anything, they are kept for as long as the page is open.
'use strict';

const LanesDrafts = (() => {
    // Attempts of another version would have other keys.
    const KEY = 'lanes-attempt-1-';
    const MOST_LETTERS = 64 << 10;

    // An attempt is the text of a kernel, or the answers of a prediction by the names of their questions.
    /** @param {unknown} value */
    function isAttempt(value) {
        if (typeof value === 'string') { return true; }
        return value !== null && typeof value === 'object' && Object.values(value).every(answer => typeof answer === 'string');
    }

    class Drafts {
        // `storage` returns the browser's storage, or throws.
        /** @param {() => Storage} storage */
        constructor(storage) {
            this.storage = storage;
            /** @type {Map<string, string | Lanes.Answers>} */
            this.own = new Map();
        }

        // The attempt at an exercise, or `undefined` if none was begun. What cannot be read is as good as none.
        /** @param {string} name */
        get(name) {
            if (!this.own.has(name)) {
                this.change(storage => {
                    const stored = JSON.parse(storage.getItem(KEY + name) ?? 'null');
                    if (isAttempt(stored)) { this.own.set(name, stored); }
                });
            }
            return this.own.get(name);
        }

        // Returns whether the browser stores it. If not, it stores the attempt before, which is better than none.
        /** @param {string} name @param {string | Lanes.Answers} attempt */
        set(name, attempt) {
            this.own.set(name, attempt);
            const text = JSON.stringify(attempt);
            return text.length <= MOST_LETTERS && this.change(storage => storage.setItem(KEY + name, text));
        }

        /** @param {string} name */
        delete(name) {
            this.own.delete(name);
            this.change(storage => storage.removeItem(KEY + name));
        }

        // If the browser refuses, the page has its own, and this returns false.
        /** @param {(storage: Storage) => void} act */
        change(act) {
            try { act(this.storage()); return true; } catch { return false; }
        }
    }

    return { Drafts };
})();
