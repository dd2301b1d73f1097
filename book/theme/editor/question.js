// A question of a prediction: lanes are clicked, words are chosen, and numbers are written.
'use strict';

class LanesQuestion {
    // Where an answer is written; or the squares, and whether there are none.
    /** @type {HTMLInputElement | undefined} */ field;
    /** @type {HTMLElement[]} */ squares = [];
    none = Object.assign(document.createElement('input'), { type: 'checkbox' });
    output = LanesEditor.element('output', 'solve-picked');
    /** @type {number | undefined} */ last;

    /** @param {Lanes.Question} question @param {() => void} changed */
    constructor(question, changed) {
        const { element } = LanesEditor;
        this.question = question;
        this.changed = changed;
        /** @type {Set<number>} */
        this.picked = new Set();
        this.box = element('fieldset', 'solve-question');
        const legend = element('legend');
        LanesView.draw(legend, LanesResult.prose(question.ask));
        this.box.append(legend);
        if (question.of === 'word') { this.words(); } else if (question.count > 0 && question.of !== 'numbers') { this.cells(); } else { this.text(); }
    }

    // The answer as it is written in a file: `0-15, 20`.
    get value() {
        if (this.field !== undefined) { return this.field.value.trim(); }
        if (this.question.of === 'word') { return this.box.querySelector('input:checked')?.value ?? ''; }
        if (this.picked.size > 0) { return LanesQuestion.written(this.picked); }
        return this.isNone ? 'none' : '';
    }

    // Shows an answer that was given before, as it is written in a file. What the question does not know is left out.
    /** @param {string} value */
    take(value) {
        if (this.field !== undefined) { this.field.value = value; }
        this.box.querySelectorAll('input[type=radio]').forEach(radio => { radio.checked = radio.value === value; });
        if (this.squares.length === 0) { return; }
        this.picked = new Set([...this.squares.keys()].filter(LanesQuestion.read(value)));
        this.none.checked = value === 'none';
        this.mark();
    }

    // Whether a number is among those that are written like `0-15, 20`.
    /** @type {(value: string) => (number: number) => boolean} */
    static read(value) {
        const runs = value.split(',').map(part => /^ *(\d+)(?:-(\d+))? *$/.exec(part)).filter(run => run !== null);
        return number => runs.some(([, first, last = first]) => number >= Number(first) && number <= Number(last));
    }

    /** @param {Set<number>} picked */
    static written(picked) {
        /** @type {[number, number][]} */
        const runs = [];
        for (const number of [...picked].sort((a, b) => a - b)) {
            const run = runs.at(-1);
            if (run !== undefined && run[1] === number - 1) { run[1] = number; } else { runs.push([number, number]); }
        }
        return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
    }

    text() {
        const { of, count, name } = this.question;
        this.field = Object.assign(document.createElement('input'), { type: 'text', autocomplete: 'off', inputMode: of === 'number' ? 'decimal' : 'text', size: of === 'number' ? 8 : 60 });
        this.field.setAttribute('aria-label', of === 'number' ? `Your answer: ${name}, a number` : `Your answer: ${name}, ${count} numbers with commas between them`);
        this.field.addEventListener('input', () => this.changed());
        this.field.addEventListener('keydown', event => event.stopPropagation());
        this.box.append(this.field);
        if (of === 'numbers') { this.box.append(LanesEditor.element('p', 'solve-note', `${count} numbers, with commas between them`)); }
    }

    words() {
        this.question.choices.forEach(choice => {
            const label = LanesEditor.element('label', 'solve-choice');
            const radio = Object.assign(document.createElement('input'), { type: 'radio', name: `answer-${this.question.name}`, value: choice });
            radio.addEventListener('change', () => this.changed());
            radio.addEventListener('keydown', event => event.stopPropagation());
            label.append(radio, ` ${choice}`);
            this.box.append(label);
        });
    }

    // A square for each lane. One of them is in the order of the Tab key, and the arrows go from it to the others.
    cells() {
        const { of, count } = this.question;
        const { element } = LanesEditor;
        const row = element('div', 'solve-cells');
        row.setAttribute('role', 'group');
        row.setAttribute('aria-label', `${of === 'lane' ? 'Lanes' : of === 'warp' ? 'Warps' : 'Elements'} 0 to ${count - 1}; arrows move, Space picks`);
        this.squares = [...Array(count).keys()].map(number => {
            const square = element('button', 'solve-cell', `${number}`);
            square.setAttribute('type', 'button');
            square.tabIndex = number === 0 ? 0 : -1;
            square.setAttribute('aria-pressed', 'false');
            square.setAttribute('aria-label', `${of} ${number}`);
            square.dataset.number = `${number}`;
            return square;
        });
        row.append(...this.squares);
        row.addEventListener('click', event => {
            const square = /** @type {HTMLElement} */ (event.target).closest('.solve-cell');
            if (square !== null) { this.pick(Number(square.dataset.number), event.shiftKey); }
        });
        row.addEventListener('keydown', event => this.key(event));
        const none = element('label', 'solve-choice');
        this.none.addEventListener('change', () => this.nothing());
        none.append(this.none, ` no ${of}`);
        this.box.append(row, none, this.output, element('p', 'solve-note solve-keys', 'Shift picks all from the one that was picked before.'));
    }

    get isNone() { return this.none.checked; }

    nothing() {
        if (this.isNone) { this.picked.clear(); }
        this.show();
    }

    // With Shift, all from the one that was picked before are as that one is.
    /** @param {number} number @param {boolean} isRange */
    pick(number, isRange) {
        if (isRange && this.last !== undefined) {
            const isPicked = this.picked.has(this.last);
            for (let each = Math.min(number, this.last); each <= Math.max(number, this.last); each++) {
                if (isPicked) { this.picked.add(each); } else { this.picked.delete(each); }
            }
        } else if (!this.picked.delete(number)) {
            this.picked.add(number);
        }
        this.last = number;
        if (this.picked.size > 0) { this.none.checked = false; }
        this.go(number);
        this.show();
    }

    /** @param {number} number */
    go(number) {
        this.squares.forEach((square, each) => { square.tabIndex = each === number ? 0 : -1; });
        this.squares[number].focus();
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const here = this.squares.indexOf(/** @type {HTMLElement} */ (event.target));
        /** @type {Record<string, number | undefined>} */
        const steps = { ArrowLeft: here - 1, ArrowRight: here + 1, ArrowUp: here - 16, ArrowDown: here + 16, Home: 0, End: this.squares.length - 1 };
        const to = steps[event.key];
        if (to === undefined) { return; }
        event.preventDefault();
        event.stopPropagation();
        if (to >= 0 && to < this.squares.length) { this.go(to); }
    }

    show() {
        this.mark();
        this.changed();
    }

    mark() {
        this.squares.forEach((square, number) => square.setAttribute('aria-pressed', `${this.picked.has(number)}`));
        this.output.textContent = this.picked.size > 0 ? `picked: ${this.value}` : '';
    }
}
