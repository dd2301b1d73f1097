// What a reader has written: the attempts at the listings and exercises of a page. They are kept in the browser, so that they are
// there again when the reader comes back, and after whatever the reader does: closing, a link, a reset, a second tab. Where the
// browser refuses to store anything, they are kept for as long as the page is open, and the page says so.
//
// An attempt that another one takes the place of, and that its reader could still want, is kept beside it.
'use strict';

const LanesDrafts = (() => {
    // Attempts of another version would have other keys.
    const KEY = 'lanes-attempt-1-';
    const OTHERS = 'lanes-attempts-kept-1-';
    const MOST_LETTERS = 64 << 10;
    const MOST_OTHERS = 20;

    // An attempt is the text of a kernel, the texts of the parts of a listing, or the answers of a prediction by the names of their
    // questions.
    /** @type {(value: unknown) => value is Lanes.Draft} */
    function isAttempt(value) {
        if (typeof value === 'string') { return true; }
        return value !== null && typeof value === 'object' && Object.values(value).every(part => typeof part === 'string');
    }

    /** @type {(one: Lanes.Draft | null, other: Lanes.Draft | null) => boolean} */
    function isSame(one, other) { return JSON.stringify(one) === JSON.stringify(other); }

    // What cannot be read is as good as nothing.
    /** @type {(text: string | null) => unknown} */
    function parsed(text) {
        try { return JSON.parse(text ?? 'null'); } catch { return null; }
    }

    class Drafts {
        // What the page has, where it knows better than the browser.
        /** @type {Map<string, Lanes.Draft>} */ own = new Map();
        /** @type {Map<string, Lanes.Draft[]>} */ ownOthers = new Map();
        // What the page has read or stored last. If something else is stored, another page has done it.
        /** @type {Map<string, string | null>} */ known = new Map();

        // `storage` returns the browser's storage, or throws.
        /** @param {() => Storage} storage */
        constructor(storage) {
            this.storage = storage;
        }

        // The attempt, or `undefined` if there is none that fits. One that does not is treated as if another page had stored it.
        /** @param {string} name @param {(attempt: Lanes.Draft) => boolean} fits */
        get(name, fits = () => true) {
            const own = this.own.get(name);
            if (own !== undefined) { return own; }
            const text = this.read(KEY + name);
            const stored = parsed(text);
            if (!isAttempt(stored) || !fits(stored)) { return undefined; }
            this.known.set(name, text);
            return stored;
        }

        // Returns whether the browser stores it. If not, it stores the attempt before, which is better than none. What another page has
        // stored in between is kept beside it.
        /** @param {string} name @param {Lanes.Draft} attempt */
        set(name, attempt) {
            const text = JSON.stringify(attempt);
            const isStored = text.length <= MOST_LETTERS && this.change(name, text, storage => storage.setItem(KEY + name, text));
            if (isStored) { this.own.delete(name); } else { this.own.set(name, attempt); }
            this.settle(name);
            return isStored;
        }

        // There is no attempt any more: the reader has what there was at the beginning.
        /** @param {string} name */
        delete(name) {
            this.own.delete(name);
            this.change(name, null, storage => storage.removeItem(KEY + name));
            this.settle(name);
        }

        // What the browser had no room for beside the attempt, it may have room for now.
        /** @param {string} name */
        settle(name) {
            if (this.ownOthers.has(name)) { this.store(name, this.kept(name)); }
        }

        // Whether something would be lost with the page.
        get isUnstored() { return this.own.size + this.ownOthers.size > 0; }

        // Keeps an attempt beside the one that is there. Returns whether the browser stores it.
        /** @param {string} name @param {Lanes.Draft} attempt */
        keep(name, attempt) { return this.store(name, [attempt, ...this.kept(name).filter(each => !isSame(each, attempt))]); }

        // The attempts that are kept beside this one, the last first.
        /** @param {string} name @param {Lanes.Draft | null} beside */
        others(name, beside) { return this.kept(name).filter(each => !isSame(each, beside)); }

        // The next of the others that fits. The attempt that it takes the place of comes to their end.
        /** @param {string} name @param {Lanes.Draft | null} instead @param {(attempt: Lanes.Draft) => boolean} fits */
        turn(name, instead, fits) {
            const all = this.others(name, instead);
            const next = all.find(fits);
            if (next !== undefined) { this.store(name, [...all.filter(each => each !== next), ...(instead === null ? [] : [instead])]); }
            return next;
        }

        // Where the browser had no room for what this page has kept, another page may have kept something since.
        /** @param {string} name */
        kept(name) {
            const own = this.ownOthers.get(name) ?? [];
            const stored = parsed(this.read(OTHERS + name));
            const others = Array.isArray(stored) ? stored.filter(isAttempt) : [];
            return [...own, ...others.filter(each => !own.some(one => isSame(one, each)))];
        }

        /** @param {string} name @param {Lanes.Draft[]} others */
        store(name, others) {
            const some = others.slice(0, MOST_OTHERS);
            try {
                if (some.length === 0) { this.storage().removeItem(OTHERS + name); } else { this.storage().setItem(OTHERS + name, JSON.stringify(some)); }
                this.ownOthers.delete(name);
                return true;
            } catch {
                this.ownOthers.set(name, some);
                return false;
            }
        }

        /** @param {string} key */
        read(key) {
            try { return this.storage().getItem(key); } catch { return null; }
        }

        /** @type {(name: string, text: string | null, act: (storage: Storage) => void) => boolean} */
        change(name, text, act) {
            try {
                const storage = this.storage();
                const before = storage.getItem(KEY + name);
                const other = parsed(before);
                // There has to be room for both.
                if (before !== text && before !== this.known.get(name) && isAttempt(other) && !this.keep(name, other)) { return false; }
                act(storage);
                this.known.set(name, text);
                return true;
            } catch {
                return false;
            }
        }
    }

    // The attempt at one listing or exercise, as the reader sees and changes it. `begun` returns what is worth keeping of it, or null;
    // `show` shows another one, or what the reader began with; `fits` says whether it can; and `say` tells the reader something.
    class Attempt {
        isStored = true;
        // Whether it came with a link, and the reader has not changed it.
        isOfLink = false;

        /** @param {Drafts} drafts @param {string} name @param {Lanes.Desk} desk */
        constructor(drafts, name, desk) {
            this.drafts = drafts;
            this.name = name;
            this.desk = desk;
        }

        // What was begun before, or null.
        get before() { return this.drafts.get(this.name, this.desk.fits) ?? null; }

        // How many others the reader can have instead.
        get others() { return this.drafts.others(this.name, this.desk.begun()).filter(each => this.desk.fits(each)).length; }

        // The reader has changed it.
        typed() {
            this.isOfLink = false;
            const attempt = this.desk.begun();
            let isStored = true;
            if (attempt === null) { this.drafts.delete(this.name); } else { isStored = this.drafts.set(this.name, attempt); }
            if (isStored !== this.isStored) { this.desk.say(isStored ? '' : 'This browser refuses to store your text. It’s kept until you leave the page, so copy it.'); }
            this.isStored = isStored;
        }

        // The reader will have something else in its place.
        leave() {
            const attempt = this.desk.begun();
            if (attempt !== null && !this.isOfLink) { this.drafts.keep(this.name, attempt); }
            return attempt !== null && !this.isOfLink;
        }

        // Shows what came with a link. It is stored when the reader changes it.
        /** @param {Lanes.Draft} attempt */
        link(attempt) {
            const isOther = !isSame(this.desk.begun(), attempt) && this.leave();
            this.desk.show(attempt);
            this.isOfLink = true;
            this.desk.say(`This text came with the link and has not been run: read it first.${isOther ? ' Yours is kept: “Another text” brings it back.' : ''}`);
        }

        // Shows the next of the others.
        turn() {
            const next = this.drafts.turn(this.name, this.isOfLink ? null : this.desk.begun(), this.desk.fits);
            if (next === undefined) { return; }
            this.desk.show(next);
            this.typed();
        }

        // Another page of this browser has changed it, so this one shows the same. Where the browser does not store what is here, that
        // stays.
        heard() {
            if (this.isOfLink || !this.isStored || isSame(this.desk.begun(), this.before)) { return; }
            this.desk.show(this.before);
            this.desk.say('You changed this text in another tab, so it’s changed here too.');
        }
    }

    // Tells the listings and exercises of a page what other pages store.
    /** @param {Drafts} drafts @param {{ attempt: Attempt, heard: () => void }[]} all */
    function listen(drafts, all) {
        window.addEventListener('storage', ({ key }) => all.filter(({ attempt }) => key === KEY + attempt.name).forEach(each => each.heard()));
        // A page that the browser had put away has heard nothing.
        window.addEventListener('pageshow', ({ persisted }) => {
            if (persisted) { all.forEach(each => each.heard()); }
        });
        window.addEventListener('beforeunload', event => {
            if (drafts.isUnstored) { event.preventDefault(); }
        });
    }

    return { Drafts, Attempt, listen };
})();
