// Questions in the text that a reader answers before the answer is shown: the directive `guess` writes the question and the answer,
// which the emulator or a record gave when the book was built. Lanes are clicked, and numbers are written.
//
// Once the reader has answered, the page says what is right, opens the answer of the box around the question, and shows the moment in
// question in the player of the launch, if the page has one. Nothing is loaded before.
'use strict';

const LanesGuess = (() => {
    const { element } = LanesEditor;
    const LANES = 32;

    // A number that may be written with commas; NaN for anything else.
    /** @param {string} given */
    function number(given) {
        const plain = given.replace(/[,\s]/g, '');
        return plain === '' ? NaN : Number(plain);
    }

    // What is said about an answer.
    /** @param {string} of @param {string} given @param {string} is */
    function verdict(of, given, is) {
        const what = of === 'number' ? is : is === 'none' ? 'no lane' : `${/^\d+$/.test(is) ? 'lane' : 'lanes'} ${is}`;
        return (of === 'number' ? number(given) === Number(is) : given === is) ? { isRight: true, text: `Right: ${what}.` } : { isRight: false, text: `Not so: it is ${what}.` };
    }

    class Guess {
        /** @param {HTMLElement} box */
        constructor(box) {
            const { of = '', is = '', plays, moment } = box.dataset;
            this.box = box;
            this.of = of;
            this.is = is;
            this.plays = plays;
            this.moment = Number(moment);
            const ask = /** @type {HTMLElement} */ (box.querySelector('p'));
            this.question = new LanesQuestion({ name: ask.textContent, ask: '', of, count: of === 'lane' ? LANES : 0, choices: [] }, () => this.changed());
            this.question.box.querySelector('legend')?.append(...ask.childNodes);
            ask.replaceWith(this.question.box);
            this.button = element('button', '', this.figure === null ? '✓ Check' : '✓ Check and run it');
            this.button.setAttribute('type', 'button');
            this.button.addEventListener('click', () => this.check());
            this.question.field?.addEventListener('keydown', event => { if (event.key === 'Enter') { this.check(); } });
            this.said = element('p', 'edit-said');
            this.said.setAttribute('role', 'status');
            const bar = element('div', 'edit-bar');
            bar.append(this.button);
            this.question.box.append(bar, this.said);
        }

        // The live figure of the launch, which may be anywhere on the page.
        get figure() { return this.plays === undefined ? null : document.querySelector(`main .live[data-live="${this.plays}"]`); }

        changed() {
            this.said.textContent = '';
            this.mark(() => '');
        }

        check() {
            const given = this.question.value;
            if (given === '') {
                this.said.textContent = this.of === 'number' ? 'Write a number first.' : 'Pick the lanes first, or that there are none.';
                return;
            }
            if (this.of === 'number' && Number.isNaN(number(given))) {
                this.said.textContent = 'Write it with digits.';
                return;
            }
            const { isRight, text } = verdict(this.of, given, this.is);
            this.said.textContent = text;
            this.said.classList.toggle('guess-right', isRight);
            const right = LanesQuestion.read(this.is);
            this.mark(lane => (right(lane) ? 'is' : this.question.picked.has(lane) ? 'is-not' : ''));
            const answer = this.box.closest('[data-question]')?.querySelector(':scope > details[data-answer]');
            if (answer) { Object.assign(answer, { open: true }).dataset.revealed = ''; }
            this.play();
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
            player.show(this.moment);
        }
    }

    function start() { return [...document.querySelectorAll('main .guess')].map(box => Object.assign(box, { lanesGuess: new Guess(box) }).lanesGuess); }

    return { start, verdict };
})();
