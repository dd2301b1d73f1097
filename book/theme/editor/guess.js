// Questions in the text that a reader answers before the answer is shown: the directive `guess` writes the question and the answer,
// which the emulator or a record gave when the book was built. Lanes are clicked, numbers are written, and words are chosen.
//
// What follows the question is hidden until the reader has answered, or has asked to be shown; `theme/head.hbs` turns that on before
// anything is drawn. Then the page says what is right, shows what follows, and shows the moment in question in the player of the
// launch, if the page has one. The browser keeps what was answered. Nothing is loaded before.
'use strict';

const LanesGuess = (() => {
    const { element } = LanesEditor;
    const LANES = 32;
    /** @type {Record<string, string>} */
    const FIRST = { number: 'Write a number first.', lane: 'Pick the lanes first, or “no lane”.', word: 'Choose an answer first.' };

    // A number that may be written with commas; NaN for anything else.
    /** @param {string} given */
    function number(given) {
        const plain = given.replace(/[,\s]/g, '');
        return plain === '' ? NaN : Number(plain);
    }

    // The answer in words.
    /** @param {string} of @param {string} is */
    function said(of, is) {
        if (of !== 'lane') { return is; }
        return is === 'none' ? 'no lane' : `${/^\d+$/.test(is) ? 'lane' : 'lanes'} ${is}`;
    }

    // What is said about an answer.
    /** @param {string} of @param {string} given @param {string} is */
    function verdict(of, given, is) {
        const what = said(of, is);
        return (of === 'number' ? number(given) === Number(is) : given === is) ? { isRight: true, text: `Right: ${what}.` } : { isRight: false, text: `No: it’s ${what}.` };
    }

    // Shows what is hidden around an element.
    /** @param {Element} within */
    function reveal(within) {
        for (let answer = within.closest('.answer:not(.open)'); answer !== null; answer = answer.parentElement?.closest('.answer:not(.open)') ?? null) {
            open(/** @type {HTMLElement} */ (answer).dataset.answer ?? '');
        }
    }

    // Shows the answer of the box with this id: what follows the box, and marks and comments in the listings above it.
    /** @param {string} id */
    function open(id) {
        document.querySelectorAll(`main [data-answer="${id}"]`).forEach(answer => answer.classList.add('open'));
        // What was hidden had no size.
        window.dispatchEvent(new Event('resize'));
    }

    // Brings the lanes of a player into sight, and with them what was said about the answer. If there is no room for both, it is
    // said again above the player.
    /** @type {(said: HTMLElement, lanes: HTMLElement, again: HTMLElement) => void} */
    function bring(said, lanes, again) {
        const MARGIN = 60;
        again.hidden = true;
        const [one, other] = [said, lanes].map(each => each.getBoundingClientRect());
        const [top, bottom] = [Math.min(one.top, other.top), Math.max(one.bottom, other.bottom)];
        again.hidden = bottom - top + 2 * MARGIN < window.innerHeight;
        const [from, to] = again.hidden ? [top, bottom] : [again.getBoundingClientRect().top, lanes.getBoundingClientRect().bottom];
        const down = Math.max(0, to + MARGIN - window.innerHeight);
        const up = Math.min(0, from - MARGIN);
        // The upper end comes first, where the window is low.
        window.scrollBy(0, up < 0 ? up : Math.min(down, from - MARGIN));
    }

    class Guess {
        /** @param {HTMLElement} box @param {InstanceType<typeof LanesDrafts.Drafts>} drafts */
        constructor(box, drafts) {
            const { of = '', is = '', key = '', plays, moment } = box.dataset;
            this.box = box;
            this.of = of;
            this.is = is;
            this.plays = plays;
            this.moment = Number(moment);
            this.drafts = drafts;
            this.name = `guess ${key}`;
            const ask = /** @type {HTMLElement} */ (box.querySelector('p'));
            const list = box.querySelector('.choices');
            const choices = [...list?.children ?? []].map(item => item.textContent);
            this.question = new LanesQuestion({ name: ask.textContent, ask: '', of, count: of === 'lane' ? LANES : 0, choices }, () => this.changed());
            this.question.box.querySelector('legend')?.append(...ask.childNodes);
            ask.replaceWith(this.question.box);
            list?.remove();
            const button = (/** @type {string} */ text, /** @type {() => void} */ act) => {
                const made = element('button', '', text);
                made.setAttribute('type', 'button');
                made.addEventListener('click', act);
                return made;
            };
            this.button = button(this.figure === null ? '✓ Check' : '✓ Check and run it', () => this.check());
            this.show = button('Show me', () => this.tell());
            this.question.field?.addEventListener('keydown', event => { if (event.key === 'Enter') { this.check(); } });
            this.said = element('p', 'edit-said');
            this.said.setAttribute('role', 'status');
            this.again = element('p', 'guess-again');
            this.again.ariaHidden = 'true';
            this.note = element('p', 'solve-note', 'The rest appears once you’ve answered.');
            const bar = element('div', 'edit-bar');
            bar.append(this.button, this.show);
            this.question.box.append(bar, this.said, this.note);
            this.restore();
        }

        // The live figure of the launch, which may be anywhere on the page.
        get figure() { return this.plays === undefined ? null : document.querySelector(`main .live[data-live="${this.plays}"]`); }

        changed() {
            this.said.textContent = '';
            this.again.remove();
            this.mark(() => '');
        }

        check() {
            const given = this.question.value;
            if (given === '') {
                this.said.textContent = FIRST[this.of];
                return;
            }
            if (this.of === 'number' && Number.isNaN(number(given))) {
                this.said.textContent = 'Use digits.';
                return;
            }
            this.judge(given);
            this.drafts.set(this.name, given);
            this.open();
            this.play();
        }

        // The reader gives up, or has other plans.
        tell() {
            this.said.textContent = `It’s ${said(this.of, this.is)}.`;
            this.said.classList.remove('guess-right');
            this.drafts.set(this.name, '');
            this.open();
            // The button is gone.
            this.button.focus({ preventScroll: true });
        }

        // What the reader answered the last time, or that nothing was answered and yet shown.
        restore() {
            const given = this.drafts.get(this.name, attempt => typeof attempt === 'string');
            if (typeof given !== 'string') { return; }
            if (given !== '') {
                this.question.take(given);
                this.judge(given);
            }
            this.open();
        }

        /** @param {string} given */
        judge(given) {
            const { isRight, text } = verdict(this.of, given, this.is);
            this.said.textContent = text;
            this.said.classList.toggle('guess-right', isRight);
            const right = LanesQuestion.read(this.is);
            this.mark(lane => (right(lane) ? 'is' : this.question.picked.has(lane) ? 'is-not' : ''));
        }

        open() {
            this.show.hidden = true;
            this.note.hidden = true;
            open(this.box.closest('[data-question]')?.id ?? '');
        }

        /** @param {(lane: number) => string} of */
        mark(of) { this.question.squares.forEach((square, lane) => { square.dataset.was = of(lane); }); }

        play() {
            const { figure } = this;
            if (figure === null) { return; }
            if (figure.lanesPlayer === undefined) { figure.dispatchEvent(new Event('lanes-open')); }
            const player = figure.lanesPlayer;
            if (player === undefined) { return; }
            if (player.isPlaying) { player.toggle(); }
            this.again.textContent = this.said.textContent;
            player.box.before(this.again);
            const lanes = () => bring(this.said, player.box.querySelector('.sides') ?? player.box, this.again);
            const shown = player.show(this.moment);
            lanes();
            // With its lanes it is higher, unless the reader has gone elsewhere.
            const { scrollY } = window;
            shown.then(() => { if (window.scrollY === scrollY) { lanes(); } });
        }
    }

    // Makes the questions of a page live. A link to something that is hidden shows it.
    /** @param {InstanceType<typeof LanesDrafts.Drafts>} drafts */
    function start(drafts) {
        const all = [...document.querySelectorAll('main .guess')].map(box => Object.assign(box, { lanesGuess: new Guess(box, drafts) }).lanesGuess);
        const arrive = () => {
            const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
            if (target?.closest('.answer:not(.open)')) {
                reveal(target);
                target.scrollIntoView();
            }
        };
        window.addEventListener('hashchange', arrive);
        arrive();
        return all;
    }

    return { start, reveal, verdict };
})();
