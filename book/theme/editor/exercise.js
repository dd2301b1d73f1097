// The exercises of a chapter in its page: the task, the editor or the questions, the grading, and the lane that is wrong in the
// player. The grader is that of the program `exercises`, so the verdict is the same as in a terminal with the same compiler.
//
// The directive `exercises` writes what this script needs under the table. Nothing is loaded before the reader lets an attempt be
// graded.
'use strict';

const LanesExercise = (() => {
    const { Editor, element } = LanesEditor;

    class Exercise {
        isOpen = false;
        isBusy = false;
        // Of a grading: how many trials are done, and how many there are.
        done = 0;
        of = 0;
        /** @type {Lanes.Verdict | null} */ verdict = null;
        // While it is open, an exercise has either an editor or questions.
        /** @type {InstanceType<typeof Editor> | null} */ editor = null;
        /** @type {LanesQuestion[] | null} */ answers = null;
        // The parts of its box, which `open` makes.
        /** @type {HTMLElement} */ head;
        /** @type {HTMLElement} */ work;
        /** @type {HTMLElement} */ bar;
        /** @type {HTMLElement} */ said;
        /** @type {HTMLElement} */ result;
        /** @type {HTMLElement} */ hints;
        /** @type {HTMLElement} */ place;

        /** @param {HTMLElement} box @param {Course} course */
        constructor(box, course) {
            this.box = box;
            this.course = course;
            /** @type {Lanes.ExerciseData} */
            this.data = JSON.parse(/** @type {Comment} */ ([...box.childNodes].find(node => node.nodeType === Node.COMMENT_NODE)).data);
            this.attempt = new LanesDrafts.Attempt(course.drafts, this.name, {
                begun: () => this.begun(), show: attempt => this.show(attempt),
                fits: attempt => !Array.isArray(attempt) && (typeof attempt === 'string') !== this.isPrediction, say: text => { this.said.textContent = text; },
            });
        }

        get name() { return this.data.exercise.name; }

        get isPrediction() { return this.data.kind === 'predict'; }

        get hintsSeen() { return Math.min(this.data.hints.length, this.course.progress.done.hints.get(this.name) ?? 0); }

        open() {
            if (this.isOpen) { return; }
            this.isOpen = true;
            this.box.hidden = false;
            this.box.setAttribute('role', 'group');
            this.box.setAttribute('aria-label', `Exercise: ${this.data.title}`);
            this.head = element('div', 'solve-head');
            this.work = element('div', 'solve-work');
            this.bar = element('div', 'edit-bar');
            this.said = element('p', 'edit-said');
            this.said.setAttribute('role', 'status');
            this.result = element('div', 'solve-result');
            this.hints = element('div', 'solve-hints');
            this.place = element('div', 'edit-player');
            this.box.append(this.head, this.work, this.bar, this.said, this.result, this.hints, this.place);
            [this.bar, this.result].forEach(each => each.addEventListener('click', event => this.click(event)));
            if (this.isPrediction) { this.ask(); } else { this.edit(); }
            this.show(this.attempt.before);
        }

        close() {
            this.course.bench.stop();
            this.isOpen = false;
            [...this.box.children].forEach(child => child.remove());
            this.box.hidden = true;
            this.verdict = null;
            this.editor = null;
            this.answers = null;
        }

        edit() {
            this.editor = new Editor(`Your attempt at ${this.data.title}`, this.data.text.replace(/\n$/, ''), line => line + 1, { input: () => this.typed(), run: () => this.grade() });
            const parts = element('div', 'edit-parts');
            parts.append(this.editor.box);
            parts.classList.add('plain');
            this.work.append(parts);
        }

        // A kernel to be read, and questions about it.
        ask() {
            const code = element('pre', 'solve-kernel');
            code.tabIndex = 0;
            code.setAttribute('role', 'region');
            code.setAttribute('aria-label', `The kernel of ${this.data.title}`);
            const inside = element('code', 'hljs');
            LanesHighlight.lines(this.data.text.replace(/\n$/, '')).forEach((words, line) => {
                const row = element('span', 'edit-line');
                row.append(element('span', 'number', `${line + 1}`.padStart(3)), '  ', ...words.map(([name, text]) => (name === '' ? document.createTextNode(text) : element('span', name, text))), '\n');
                inside.append(row);
            });
            code.append(inside);
            this.work.append(code);
            this.answers = this.data.questions.map(question => new LanesQuestion(question, () => this.typed()));
            this.answers.forEach(answer => this.work.append(answer.box));
        }

        typed() {
            this.attempt.typed();
            LanesListing.forgetLink();
            this.changed();
        }

        // Shows an attempt, or what there was at the beginning.
        /** @param {Lanes.Draft | null} attempt */
        show(attempt) {
            if (this.editor !== null) {
                this.editor.field.value = typeof attempt === 'string' ? attempt : this.editor.original;
                this.editor.rows = [];
                this.editor.draw();
            }
            const answers = /** @type {Lanes.Answers} */ (attempt ?? {});
            this.answers?.forEach(answer => answer.take(answers[answer.question.name] ?? ''));
            this.changed();
        }

        // Another tab has changed the attempt.
        heard() {
            if (this.isOpen) { this.attempt.heard(); }
        }

        // What was said is about another attempt.
        changed() {
            if (this.verdict !== null) { this.verdict = null; this.place.replaceChildren(); this.said.textContent = ''; }
            this.draw();
        }

        // What is worth keeping of the attempt, or null.
        begun() {
            if (this.editor !== null) { return this.editor.isChanged ? this.editor.text : null; }
            const { answers } = this.graded();
            return Object.keys(answers ?? {}).length > 0 ? answers ?? null : null;
        }

        // The attempt as it is graded.
        /** @returns {Lanes.Attempt} */
        graded() {
            if (this.editor !== null) { return { text: `${this.editor.text}\n` }; }
            return { answers: Object.fromEntries((this.answers ?? []).map(answer => [answer.question.name, answer.value]).filter(([, value]) => value !== '')) };
        }

        // The verdict as the page tells it: with the question itself in place of the name that it has in a file of answers, and
        // without how an answer is written there.
        get told() {
            const { verdict } = this;
            if (verdict === null || verdict.passed) { return verdict; }
            const asked = this.answers?.find(answer => answer.question.name === verdict.question);
            if (asked === undefined) { return verdict; }
            const headline = `${asked.question.ask} ${verdict.headline[0].toUpperCase()}${verdict.headline.slice(1)}`;
            return { ...verdict, headline, look: verdict.reason === 'unanswered' ? '' : verdict.look };
        }

        async grade() {
            if (this.isBusy) { return; }
            this.isBusy = true;
            this.verdict = null;
            this.done = 0;
            this.of = 0;
            this.place.replaceChildren();
            this.said.classList.remove('spoken');
            this.said.textContent = 'Checking your attempt …';
            this.draw();
            const { bench } = this.course;
            const attempt = this.graded();
            const isTheSame = () => JSON.stringify(this.graded()) === JSON.stringify(attempt);
            try {
                const verdict = await bench.grade(this.data.exercise, attempt, (done, of) => { this.done = done; this.of = of; this.draw(); });
                if (verdict.passed) { this.course.passed(this.name); }
                this.verdict = isTheSame() ? verdict : null;
                this.said.textContent = this.told?.passed === false ? `Not yet: ${this.told.headline}.` : 'Passed.';
                if (this.verdict === null) {
                    // The reader has gone on, and the verdict is about something else now.
                    this.said.textContent = verdict.passed ? 'Passed, as it was when you checked it. It was changed since.' : 'It was changed while it was graded: check it again.';
                } else {
                    await this.beside(verdict);
                }
            } catch (error) {
                if (error.refusal === undefined) { throw error; }
                this.said.textContent = error.refusal.kind === 'stopped' ? 'The grading was stopped.' : `Error: ${error.message}.`;
            } finally {
                this.isBusy = false;
            }
            // What is seen below says the same.
            this.said.classList.toggle('spoken', this.verdict !== null);
            this.draw();
        }

        // What the compiler says, or the lines of the threads that are wrong, beside the text.
        /** @type {(verdict: Lanes.Verdict) => Promise<void>} */
        async beside(verdict) {
            if (this.editor === null) { return; }
            const { reason, shown } = verdict;
            const diagnostics = reason === 'does-not-compile' || verdict.warnings.length > 0 ? await this.course.bench.diagnostics(this.program()) : [];
            const actors = (shown?.actors ?? []).map(actor => (actor.source === null ? { ...actor, source: { file: this.data.file, line: actor.ptx_line } } : actor));
            const report = { lines: [], faults: [{ kind: reason ?? '', actors }] };
            // The reader may have gone on, and the verdict is about another text now.
            if (this.verdict !== verdict) { return; }
            verdict.diagnostics = diagnostics;
            this.editor.show(LanesMargin.rows(this.editor.text.split('\n').length, line => line + 1, this.data.file, { report, diagnostics }));
        }

        // The attempt as a program, or the kernel to be predicted as NVIDIA's compiler made it.
        program() {
            if (this.editor === null) { return { name: `${this.name}.ptx`, text: this.data.exercise.ptx ?? this.data.text }; }
            return { name: this.data.file, text: this.editor.text, sm: this.data.sm };
        }

        /** @param {Event} event */
        click(event) {
            const { do: act, line } = /** @type {HTMLElement} */ (event.target).closest('button')?.dataset ?? {};
            /** @type {Record<string, () => unknown>} */
            const acts = {
                grade: () => this.grade(), stop: () => this.course.bench.stop(), reset: () => this.reset(), other: () => this.attempt.turn(), hint: () => this.hint(), share: () => this.share(),
                watch: () => this.watch(), close: () => { this.close(); this.course.back(this.name); },
                next: () => { const next = this.course.after(this.name); if (next !== undefined) { this.course.open(next.name); } },
            };
            acts[act ?? '']?.();
            if (line !== undefined) { this.editor?.go(Number(line) - 1); }
        }

        reset() {
            if (this.editor === null) { return; }
            const isKept = this.attempt.leave();
            this.editor.write(this.editor.original);
            this.said.textContent = `This is the text you began with.${isKept ? ' Yours is kept: “Another text” brings it back.' : ''}`;
        }

        hint() {
            this.course.hint(this.name, this.hintsSeen + 1);
            this.draw();
        }

        async share() {
            if (this.editor === null) { return; }
            try {
                this.said.textContent = await LanesListing.offer(await LanesLink.pack(`exercise ${this.name}`, [this.editor.text]));
            } catch (error) {
                this.said.textContent = `Error: ${error.message}.`;
            }
        }

        // Text of a link, which is not graded.
        /** @param {string[]} texts */
        take(texts) {
            if (texts.length !== 1 || this.isPrediction) { throw new LanesLink.LinkError('the link is about another version of this exercise'); }
            this.open();
            this.attempt.link(texts[0]);
            this.draw();
            this.box.scrollIntoView({ block: 'start' });
        }

        async watch() {
            const shown = this.verdict?.shown;
            if (!shown) { return; }
            const { launch, step, actors } = shown;
            const place = element('div');
            this.place.replaceChildren(place);
            place.setAttribute('role', 'group');
            place.setAttribute('aria-label', `Player: ${this.data.title}`);
            const said = this.said.textContent;
            // A long run takes seconds.
            this.said.classList.remove('spoken');
            this.said.textContent = 'Running the kernel again, for the player …';
            const lines = (this.editor?.text ?? this.data.text).split('\n').map((text, index) => /** @type {Lanes.Line} */ ([index + 1, text]));
            try {
                const player = await this.course.bench.play(place, {
                    title: this.data.title, program: this.program(), source: { name: this.data.file, lines }, launch, step, actors,
                });
                this.said.textContent = said;
                this.said.classList.toggle('spoken', this.verdict !== null);
                player.box.focus({ preventScroll: true });
                this.place.scrollIntoView({ block: 'start' });
            } catch (error) {
                this.said.textContent = `Error: ${error.message}.`;
            }
        }

        draw() {
            const { title, kind, minutes, task, launch } = this.data;
            LanesView.draw(this.head, [
                ['h3', { tabindex: '-1' }, ...LanesResult.prose(title)],
                ['p', { class: 'solve-kind' }, `${kind}, ${minutes} minutes${this.course.progress.done.passed.has(this.name) ? ', passed' : ''}`],
                ['p', {}, ...LanesResult.prose(task.trim())],
                ['details', this.isPrediction ? { open: '' } : {}, ['summary', {}, 'How it is launched'], ['pre', { class: 'solve-launch' }, launch]],
            ]);
            /** @type {(act: string, text: string, label?: string) => Lanes.Tree} */
            const button = (act, text, label = text) => LanesResult.button(act, text, `${label}: ${title}`);
            const left = this.data.hints.length - this.hintsSeen;
            // A second click has nothing to stop, so the button that stops is beside the one that grades.
            const hasPassed = this.verdict?.passed === true;
            const bar = [LanesResult.button('grade', '✓ Check', `Check the attempt: ${title}`, this.isBusy)];
            const next = hasPassed ? this.course.after(this.name) : undefined;
            if (next !== undefined) {
                const text = `Next: ${next.data.title.replace(/`/g, '')}`;
                bar.push(LanesResult.button('next', text, text));
            }
            if (this.isBusy) { bar.push(button('stop', '■ Stop', 'Stop the grading')); }
            if (left > 0 && !hasPassed) { bar.push(button('hint', this.hintsSeen === 0 ? 'Hint' : 'Next hint')); }
            if (this.editor?.isChanged) { bar.push(button('reset', 'Reset', 'Reset the text'), button('share', 'Share', 'Make a link to this text')); }
            const { others } = this.attempt;
            if (others > 0) { bar.push(button('other', `Another text (${others})`, 'Show another attempt of yours')); }
            bar.push(button('close', 'Close', 'Close the exercise'));
            if (this.isBusy && this.of > 0) { bar.push(['progress', { max: `${this.of}`, value: `${this.done}`, 'aria-label': 'Runs that are done' }], ['span', { class: 'solve-count' }, `run ${this.done + 1} of ${this.of}`]); }
            LanesView.draw(this.bar, bar);
            const { told } = this;
            LanesView.draw(this.result, told === null ? [] : [LanesResult.verdict(told, this.isPrediction)]);
            const hints = this.data.hints.slice(0, this.hintsSeen).map(hint => ['li', {}, ...LanesResult.prose(hint)]);
            LanesView.draw(this.hints, hints.length === 0 ? [] : [['p', { class: 'solve-caption' }, 'Hints'], ['ol', {}, ...hints]]);
        }
    }

    // All exercises of a page, and what the reader has done.
    class Course {
        count = element('p');
        told = element('p', 'edit-said');

        /** @param {string} root @param {InstanceType<typeof LanesDrafts.Drafts>} drafts */
        constructor(root, drafts) {
            this.drafts = drafts;
            this.progress = new LanesProgress.Progress(() => window.localStorage);
            this.bench = new LanesBench.Bench(LanesMachine.ofPage(root));
            /** @type {Map<string, Exercise>} */
            this.exercises = new Map();
            document.querySelectorAll('main .solve').forEach(box => {
                const exercise = new Exercise(box, this);
                box.lanesExercise = exercise;
                this.exercises.set(exercise.name, exercise);
            });
            const rows = [...document.querySelectorAll('main table.exercises tr[data-exercise]')].filter(row => row instanceof HTMLTableRowElement);
            this.rows = new Map(rows.map(row => [row.dataset.exercise ?? '', row]));
            this.rows.forEach((row, name) => this.offer(row, name));
            this.table();
            this.read();
            window.addEventListener('hashchange', () => this.arrive());
            window.addEventListener('storage', ({ key, newValue }) => {
                if (key === LanesProgress.KEY && newValue !== null) { this.progress.heard(newValue); this.read(); }
            });
            this.arrive();
        }

        /** @type {(row: HTMLTableRowElement, name: string) => void} */
        offer(row, name) {
            const exercise = this.exercises.get(name);
            if (exercise === undefined) { return; }
            const button = element('button', 'solve-open', '▶ Solve it here');
            button.setAttribute('type', 'button');
            button.setAttribute('aria-label', `Solve it here: ${exercise.data.title.replace(/`/g, '')}`);
            button.addEventListener('click', () => this.open(name));
            row.cells[0].append(element('br'), button, element('span', 'solve-done'));
        }

        /** @param {string} name */
        open(name) {
            this.exercises.forEach(other => { if (other.name !== name && other.isOpen && !other.isBusy) { other.close(); } });
            this.exercises.get(name)?.open();
            this.lead(name);
        }

        // Brings the reader to an exercise that is open.
        /** @param {string} name */
        lead(name) {
            const exercise = this.exercises.get(name);
            if (exercise === undefined || !exercise.isOpen) { return; }
            exercise.box.scrollIntoView({ block: 'start' });
            exercise.head.querySelector('h3')?.focus({ preventScroll: true });
        }

        /** @param {string} name */
        back(name) { this.rows.get(name)?.querySelector('.solve-open')?.focus(); }

        // The next exercise of the table that the reader has not passed; after the last one comes the first.
        /** @type {(name: string) => Exercise | undefined} */
        after(name) {
            const names = [...this.rows.keys()];
            const at = names.indexOf(name) + 1;
            const next = [...names.slice(at), ...names.slice(0, at)].find(other => !this.progress.done.passed.has(other) && this.exercises.has(other));
            return this.exercises.get(next ?? '');
        }

        // A link to the row of an exercise opens it.
        arrive() {
            const found = [...this.rows].find(([, { id }]) => `#${id}` === location.hash);
            if (found === undefined) { return; }
            this.open(found[0]);
            // The browser goes to the row of the table when everything is loaded.
            if (document.readyState !== 'complete') { window.addEventListener('load', () => setTimeout(() => this.lead(found[0])), { once: true }); }
        }

        /** @param {string} name */
        passed(name) { this.progress.pass(name); this.read(); }

        /** @type {(name: string, count: number) => void} */
        hint(name, count) { this.progress.hint(name, count); this.read(); }

        // What is done so far, in the table and above it.
        read() {
            const { aside, done, isKept } = this.progress;
            const refused = isKept ? '' : ' This browser refuses to store that. It’s kept until you leave the page, so export it.';
            const kept = aside === null ? '' : ` What was stored before cannot be read by this version of the book; the browser keeps it as ${aside}.`;
            this.rows.forEach((row, name) => {
                const mark = row.querySelector('.solve-done');
                if (mark !== null) { mark.textContent = done.passed.has(name) ? ' ✓ passed' : ''; }
            });
            const count = [...this.rows.keys()].filter(name => done.passed.has(name)).length;
            this.count.textContent = `The exercises can be solved in this page, or in a terminal. You have passed ${count} of ${this.rows.size}.${refused}${kept}`;
        }

        table() {
            const box = element('div', 'solve-progress');
            const bar = element('div', 'edit-bar');
            const out = element('button', '', 'Export progress');
            out.setAttribute('type', 'button');
            out.addEventListener('click', () => this.export());
            const file = Object.assign(document.createElement('input'), { type: 'file', accept: '.toml' });
            const label = element('label', 'edit-import', 'Import progress');
            label.append(file);
            file.addEventListener('change', () => this.import(file));
            this.told.setAttribute('role', 'status');
            bar.append(out, label);
            box.append(this.count, bar, this.told);
            const table = document.querySelector('main table.exercises');
            (table?.closest('.table-wrapper') ?? table)?.before(box);
        }

        export() {
            const address = URL.createObjectURL(new Blob([this.progress.export()], { type: 'application/toml' }));
            const link = Object.assign(document.createElement('a'), { href: address, download: 'progress.toml' });
            link.click();
            setTimeout(() => URL.revokeObjectURL(address), 1000);
            this.told.textContent = 'The file `progress.toml` is that of the program `exercises`, which looks for it in the folder of your attempts.';
        }

        /** @param {HTMLInputElement} field */
        async import(field) {
            const [file] = field.files ?? [];
            if (file === undefined) { return; }
            try {
                // A file that is too long is not read whole.
                const before = this.progress.export();
                this.progress.import(await file.slice(0, LanesProgress.MOST_BYTES + 1).text());
                this.read();
                this.told.textContent = this.progress.export() === before ? 'There’s nothing in this file that you hadn’t done already.' : 'The progress of the file was added to yours.';
            } catch (error) {
                if (!(error instanceof LanesProgress.ProgressError)) { throw error; }
                this.told.textContent = `Error: ${error.message}.`;
            }
            field.value = '';
        }
    }

    /** @param {string} root @param {InstanceType<typeof LanesDrafts.Drafts>} drafts */
    function start(root, drafts) {
        return document.querySelector('main .solve') === null ? null : new Course(root, drafts);
    }

    return { start };
})();
