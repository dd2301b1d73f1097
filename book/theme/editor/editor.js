// A text area in which a program is edited: the highlighted text lies under a transparent field, line for line, and beside it the
// margin has the numbers of the lines, the faults, and a counter. The field is an ordinary one, so that everything that a reader
// knows from other fields works: undo, selection, a screen reader, the keyboard of a phone. Tab leaves it.
//
// A line that is too long goes on below, in the field and under it at the same letter, because both have the same style; its number
// has as much room as it takes.
//
// What it leaves out: what is run, and what stands in the margin, which listing.js and exercise.js decide.
'use strict';

const LanesEditor = (() => {
    let made = 0;

    class Editor {
        // `label` names the field to a screen reader; `numberOf` says which number a line has.
        /** @param {string} label @param {string} text @param {Lanes.NumberOf} numberOf @param {{ input?: () => void, run?: () => void }} on */
        constructor(label, text, numberOf, { input = () => {}, run = () => {} } = {}) {
            this.numberOf = numberOf;
            this.original = text;
            this.input = input;
            /** @type {Lanes.Row[]} */
            this.rows = [];
            this.id = `edit-${made++}`;
            this.box = element('div', 'edit-part');
            this.margin = element('div', 'edit-margin');
            this.margin.setAttribute('aria-hidden', 'true');
            this.field = document.createElement('textarea');
            for (const [name, value] of Object.entries({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', autocorrect: 'off', wrap: 'soft', rows: '1' })) {
                this.field.setAttribute(name, value);
            }
            this.field.value = text;
            this.under = element('pre', 'edit-under');
            this.under.setAttribute('aria-hidden', 'true');
            this.code = element('code', 'hljs');
            this.under.append(this.code);
            const sheet = element('div', 'edit-sheet');
            sheet.append(this.under, this.field);
            this.sheet = sheet;
            const scrolled = element('div', 'edit-scroll');
            scrolled.append(sheet);
            this.box.append(this.margin, scrolled);
            this.field.addEventListener('input', () => this.changed());
            this.field.addEventListener('keydown', event => this.key(event, run));
            new ResizeObserver(() => this.align()).observe(this.sheet);
            this.draw();
        }

        get text() { return this.field.value; }

        set text(text) { this.field.value = text; this.changed(); }

        get isChanged() { return this.text !== this.original; }

        // Puts another text in as if the reader had written it, so that the field's own undo brings back the one before.
        /** @param {string} text */
        write(text) {
            this.field.focus({ preventScroll: true });
            this.field.select();
            document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
            if (this.text !== text) { this.text = text; }
        }

        // What the margin says is about another text now, except for the numbers.
        changed() {
            this.rows = [];
            this.draw();
            this.input();
        }

        // `rows` are those of `LanesMargin.rows`.
        /** @param {Lanes.Row[]} rows */
        show(rows) {
            this.rows = rows;
            this.draw();
        }

        /** @param {KeyboardEvent} event @param {() => void} run */
        key(event, run) {
            // mdBook turns the page at an arrow, and searches at a letter.
            event.stopPropagation();
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                run();
            } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.isComposing) {
                const before = this.text.slice(0, this.field.selectionStart).split('\n').at(-1) ?? '';
                const indent = (/^[ \t]*/.exec(before)?.[0] ?? '') + (before.trimEnd().endsWith('{') ? '    ' : '');
                if (indent !== '') {
                    event.preventDefault();
                    // This keeps the field's own history, and nothing else does.
                    document.execCommand('insertText', false, `\n${indent}`);
                }
            }
        }

        // The keyboard goes to the beginning of a line, counted from 0.
        /** @param {number} line */
        go(line) {
            const at = this.text.split('\n').slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
            this.field.focus();
            this.field.setSelectionRange(at, at);
        }

        draw() {
            const lines = LanesHighlight.lines(this.text);
            /** @type {Map<number, Lanes.Diagnostic>} */
            const marked = new Map();
            this.rows.forEach((row, line) => row.messages.forEach(message => marked.set(line, message)));
            this.code.replaceChildren(...lines.flatMap((words, line) => {
                const row = element('span', marked.has(line) ? `edit-line wrong-${marked.get(line)?.severity}` : 'edit-line');
                row.append(...words.map(([name, text]) => (name === '' ? document.createTextNode(text) : element('span', name, text))), '\n');
                return [row];
            }));
            this.margin.replaceChildren(...lines.map((_, line) => this.beside(line)));
            marked.forEach((message, line) => this.note(line, message));
            this.align();
        }

        // Gives each number the height of its line, which is no whole number of pixels.
        align() {
            [...this.margin.children].forEach((row, line) => {
                const under = this.code.children[line];
                if (row instanceof HTMLElement && under instanceof HTMLElement) { row.style.blockSize = `${under.getBoundingClientRect().height}px`; }
            });
        }

        /** @param {number} line */
        beside(line) {
            const known = this.rows[line];
            const row = element('div', 'edit-row');
            const isBad = known !== undefined && (known.faults.length > 0 || known.messages.some(({ severity }) => severity === 'error'));
            if (isBad) {
                row.classList.add('bad');
                row.title = [...known.faults, ...known.messages.map(({ message }) => message)].join('; ');
            }
            row.append(element('span', 'edit-sign', isBad ? '▶' : ''), element('span', 'number', `${this.numberOf(line) ?? ''}`),
                element('span', 'count', known !== undefined && known.count > 0 ? short(known.count) : ''));
            return row;
        }

        // The compiler's message, as much of it as there is room for after its line; the result has all of it. It covers nothing.
        /** @type {(line: number, message: Lanes.Diagnostic) => void} */
        note(line, { message }) {
            const [under, text] = [this.code.children[line], this.text.split('\n')[line].replace(/\t/g, '    ')];
            const note = element('span', 'edit-note', message);
            note.style.setProperty('--from', `${text.length + 2}ch`);
            under.append(note);
        }
    }

    /** @type {(name: string, className?: string, text?: string) => HTMLElement} */
    function element(name, className = '', text = '') {
        const one = document.createElement(name);
        if (className !== '') { one.className = className; }
        if (text !== '') { one.textContent = text; }
        return one;
    }

    // A number in at most five characters.
    /** @param {number} number */
    function short(number) {
        if (number < 100000) { return `${number}`; }
        return number < 1e7 ? `${Math.round(number / 1000)}k` : `${Math.round(number / 1e6)}M`;
    }

    return { Editor, element, short };
})();
