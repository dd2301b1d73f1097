// The listings of a page that can be run: the directive `code` writes the file, the launches and the committed PTX under each of
// them, and this script puts buttons there. A listing is edited in its place, and runs in its whole file.
//
// Unchanged text runs what NVIDIA's compiler made of it. Changed text is compiled in the page, by cudac, and so is the original
// for comparison. Nothing is loaded before the reader presses a button, and what comes with a link is only put into the field.
'use strict';

const LanesListing = (() => {
    const { Editor, element } = LanesEditor;
    /** @type {Map<string, string>} */
    const files = new Map();

    class Listing {
        // While it is open, an editor for each part.
        /** @type {InstanceType<typeof Editor>[] | null} */ editors = null;
        choice = 0;
        /** @type {Map<number, { nvrtc: Lanes.Report, cudac: Lanes.Report }>} */ originals = new Map();
        isBusy = false;
        /** @type {Lanes.Outcome | null} */ outcome = null;
        /** @type {string | null} */ counter = null;
        /** @type {HTMLElement | null} */ parts = null;
        /** @type {InstanceType<typeof LanesBench.Bench> | null} */ bench = null;

        /** @param {HTMLElement} box @param {string} root @param {InstanceType<typeof LanesDrafts.Drafts>} drafts */
        constructor(box, root, drafts) {
            /** @type {Lanes.ListingData} */
            this.data = JSON.parse(/** @type {Comment} */ ([...box.childNodes].find(node => node.nodeType === Node.COMMENT_NODE)).data);
            if (this.data.text !== undefined) { files.set(this.data.file, this.data.text); }
            this.root = root;
            this.figure = /** @type {HTMLElement} */ (box.closest('.listing'));
            this.pre = /** @type {HTMLElement} */ (this.figure.querySelector(':scope > pre'));
            box.hidden = false;
            this.bar = element('div', 'edit-bar');
            this.bar.setAttribute('role', 'group');
            this.bar.setAttribute('aria-label', `Edit and run ${this.data.name}`);
            this.bar.addEventListener('click', event => this.click(event));
            this.bar.addEventListener('change', event => this.change(event));
            this.result = element('div', 'edit-result');
            this.result.addEventListener('click', event => this.click(event));
            this.said = element('p', 'edit-said');
            this.said.setAttribute('role', 'status');
            this.place = element('div', 'edit-player');
            box.append(this.bar, this.said, this.result, this.place);
            this.attempt = new LanesDrafts.Attempt(drafts, `listing ${this.data.id}`, {
                begun: () => (this.isChanged ? this.texts : null), show: attempt => this.show(attempt),
                fits: attempt => Array.isArray(attempt) && attempt.length === this.data.parts.length, say: text => { this.said.textContent = text; },
            });
            this.draw();
        }

        // The text of the file from which the listing is.
        get file() { return files.get(this.data.file) ?? ''; }

        get isChanged() { return this.editors?.some(editor => editor.isChanged) ?? false; }

        get texts() { return (this.editors ?? []).map(editor => editor.text); }

        get launch() { return this.data.runs[this.choice]; }

        open() {
            if (this.editors !== null) { return this.editors; }
            const numbers = LanesMargin.ownNumbers(this.data.parts);
            this.editors = this.data.parts.map((part, index) => {
                const lines = [...this.pre.querySelectorAll('.row')].filter(row => part.numbers.includes(Number(row.dataset.line)));
                const text = lines.map(row => [...row.childNodes].filter(node => !(node instanceof Element && node.matches('.row-sign, .answer'))).map(node => node.textContent).join('')).join('\n');
                return new Editor(`The code of ${this.data.name}`, text, numbers[index], { input: () => this.typed(), run: () => this.run() });
            });
            this.show(this.attempt.before);
            const editors = element('div', 'edit-parts');
            editors.append(...this.editors.map(editor => editor.box));
            this.pre.before(editors);
            this.pre.hidden = true;
            this.parts = editors;
            this.draw();
            return this.editors;
        }

        close() {
            this.bench?.stop();
            this.parts?.remove();
            this.pre.hidden = false;
            const isKept = this.isChanged && !this.attempt.isOfLink;
            this.editors = null;
            this.outcome = null;
            this.said.textContent = isKept ? 'Your text is kept: “Edit your text” brings it back.' : '';
            this.place.replaceChildren();
            this.draw();
            this.bar.querySelector('[data-do="edit"]')?.focus();
        }

        typed() {
            this.attempt.typed();
            forgetLink();
            this.changed();
        }

        // Shows an attempt, or the original.
        /** @param {Lanes.Draft | null} attempt */
        show(attempt) {
            this.editors?.forEach((editor, index) => { editor.field.value = Array.isArray(attempt) ? attempt[index] : editor.original; });
            this.changed();
        }

        // Another tab has changed the attempt.
        heard() {
            if (this.editors === null) { this.draw(); } else { this.attempt.heard(); }
        }

        // The numbers in the margin are those of the file as it is now.
        changed() {
            const { begins } = this.whole();
            const numbers = this.isChanged ? LanesMargin.changedNumbers(begins) : LanesMargin.ownNumbers(this.data.parts);
            this.editors?.forEach((editor, index) => { editor.numberOf = numbers[index]; editor.rows = []; editor.draw(); });
            if (this.outcome !== null) { this.outcome = null; this.place.replaceChildren(); }
            this.draw();
        }

        whole() { return LanesMargin.whole(this.file, this.data.parts, this.texts); }

        // The program that is run, and who made its instructions.
        program() {
            return this.isChanged
                ? { name: this.data.name, text: this.whole().text, sm: this.data.sm }
                : { name: `${this.data.name}.ptx`, text: this.launch.ptx };
        }

        /** @returns {Promise<void>} */
        async run() {
            if (this.isBusy) { return; }
            this.open();
            this.bench ??= new LanesBench.Bench(LanesMachine.ofPage(this.root));
            this.isBusy = true;
            this.outcome = null;
            this.place.replaceChildren();
            this.said.textContent = 'Running the kernel …';
            this.draw();
            const [program, changed, choice, texts] = [this.program(), this.isChanged, this.choice, this.texts];
            let said;
            try {
                const mine = await this.bench.run(program, this.launch.launch, this.launch.result);
                const originals = changed ? await this.original(this.bench, choice) : {};
                const outcome = { ...mine, changed, ...originals, diagnostics: mine.loaded.warnings ?? [] };
                this.outcome = outcome;
                this.counter = LanesMargin.counters(mine.report).includes(this.counter ?? '') ? this.counter : null;
                said = `${spoken(outcome)} ${changed && this.isElsewhere ? '' : LanesRight.sentence(this.launch.result, mine.report)}`.trimEnd();
            } catch (error) {
                if (error.refusal === undefined) { throw error; }
                this.outcome = { error: error.refusal, changed, diagnostics: error.refusal.diagnostics };
                said = error.refusal.kind === 'stopped' ? 'The run was stopped.' : `Error: ${error.refusal.message}.`;
            } finally {
                this.isBusy = false;
            }
            // The reader may have gone on, and the outcome is about something else now.
            if (this.choice !== choice) { return this.run(); }
            if (this.editors !== null && this.texts.some((text, index) => text !== texts[index])) {
                this.outcome = null;
                said = 'The text was changed while it ran: run it again.';
            }
            this.said.textContent = `${said}${changed && this.outcome !== null ? this.unlaunched() : ''}`;
            this.beside();
            this.draw();
        }

        // The kernels that the reader has changed.
        get changedKernels() { return (this.editors ?? []).flatMap(editor => LanesMargin.changedKernels(editor.original, editor.text)); }

        // Whether they are others than the one that is launched.
        get isElsewhere() {
            const others = this.changedKernels;
            return others.length > 0 && !others.includes(this.launch.launch.kernel);
        }

        // What is to be said then.
        unlaunched() {
            if (!this.isElsewhere) { return ''; }
            const [{ kernel }, others] = [this.launch.launch, this.changedKernels];
            const other = this.data.runs.find(({ launch }) => others.includes(launch.kernel));
            return ` This launched ${kernel}, but you’ve changed ${others[0]}: ${other === undefined ? 'no launch of this listing runs it' : `choose the launch “${other.title}”`}.`;
        }

        // What the original does in the same launch: as NVIDIA's compiler made it, and as cudac does.
        /** @param {InstanceType<typeof LanesBench.Bench>} bench @param {number} choice */
        async original(bench, choice) {
            if (!this.originals.has(choice)) {
                const { launch, ptx } = this.data.runs[choice];
                const nvrtc = await bench.run({ name: `${this.data.name}.ptx`, text: ptx }, launch);
                const cudac = await bench.run({ name: this.data.name, text: this.file, sm: this.data.sm }, launch);
                this.originals.set(choice, { nvrtc: nvrtc.report, cudac: cudac.report });
            }
            return this.originals.get(choice);
        }

        // Writes into the margins what is known.
        beside() {
            const { outcome } = this;
            if (outcome === null || this.editors === null) { return; }
            const counter = this.counter ?? 'ptx_instructions';
            this.editors.forEach(editor => editor.show(LanesMargin.rows(editor.text.split('\n').length, editor.numberOf, this.data.name,
                { report: outcome.report ?? null, counter, diagnostics: outcome.diagnostics })));
        }

        /** @param {Event} event */
        click(event) {
            const { do: act, line, fault, actorOf } = /** @type {HTMLElement} */ (event.target).closest('button')?.dataset ?? {};
            /** @type {Record<string, () => unknown>} */
            const acts = {
                run: () => this.run(), edit: () => this.open()[0].field.focus(), stop: () => this.bench?.stop(), reset: () => this.reset(),
                other: () => this.attempt.turn(), share: () => this.share(), close: () => this.close(), watch: () => this.watch(),
            };
            acts[act ?? '']?.();
            if (line !== undefined) { this.go(Number(line)); }
            if (fault !== undefined) { this.watch(Number(fault), actorOf); }
        }

        /** @param {Event} event */
        change(event) {
            const { name, value } = /** @type {HTMLSelectElement} */ (event.target);
            if (name === 'launch') { this.choice = Number(value); this.run(); }
            if (name === 'counter') { this.counter = value; this.beside(); }
        }

        /** @param {number} number */
        go(number) {
            for (const editor of this.editors ?? []) {
                const count = editor.text.split('\n').length;
                const line = [...Array(count).keys()].find(each => editor.numberOf(each) === number);
                if (line !== undefined) { return editor.go(line); }
            }
        }

        reset() {
            const isKept = this.attempt.leave();
            this.open().forEach(editor => editor.write(editor.original));
            this.said.textContent = `This is the original again.${isKept ? ' Yours is kept: “Another text” brings it back.' : ''}`;
        }

        async share() {
            try {
                const fragment = await LanesLink.pack(this.data.id, this.texts);
                this.said.textContent = await offer(fragment);
            } catch (error) {
                this.said.textContent = `Error: ${error.message}.`;
            }
        }

        // A text that came with a link, which is not run.
        /** @param {string[]} texts */
        take(texts) {
            if (texts.length !== this.data.parts.length) { throw new LanesLink.LinkError('the link is about another version of this listing'); }
            this.open();
            this.attempt.link(texts);
            this.draw();
            this.figure.scrollIntoView({ block: 'start' });
        }

        /** @type {(fault?: number, actorOf?: string) => Promise<void>} */
        async watch(fault, actorOf) {
            const { bench, outcome } = this;
            if (bench === null || outcome === null || outcome.report === undefined) { return; }
            const place = element('div');
            this.place.replaceChildren(place);
            place.setAttribute('role', 'group');
            place.setAttribute('aria-label', `Player: ${this.data.name}`);
            const said = this.said.textContent;
            // A long run takes seconds.
            this.said.textContent = 'Running the kernel again, for the player …';
            const text = this.isChanged ? this.whole().text : this.file;
            const lines = text.split('\n').map((line, index) => /** @type {Lanes.Line} */ ([index + 1, line])).filter(([, line]) => !/ANCHOR/.test(line));
            const { step = null, actors = [] } = fault === undefined ? {} : outcome.report.faults[fault];
            try {
                const player = await bench.play(place, {
                    title: this.launch.title, program: this.program(), source: { name: this.data.name, lines }, launch: outcome.launch, step, actors,
                });
                if (fault !== undefined && actorOf !== undefined) { await player.jump(0, fault, Number(actorOf)); }
                this.said.textContent = said;
                player.box.focus({ preventScroll: true });
                this.place.scrollIntoView({ block: 'start' });
            } catch (error) {
                this.said.textContent = `Error: ${error.message}.`;
            }
        }

        draw() {
            /** @type {(act: string, text: string, label?: string) => Lanes.Tree} */
            const button = (act, text, label = text) => LanesResult.button(act, text, `${label}: ${this.data.name}`);
            const isOpen = this.editors !== null;
            // A second click has nothing to stop, so the button that stops is beside the one that runs.
            const bar = [LanesResult.button('run', '▶ Run', `Run: ${this.data.name}`, this.isBusy)];
            if (this.isBusy) { bar.push(button('stop', '■ Stop', 'Stop the run')); }
            if (!isOpen) { bar.push(button('edit', this.attempt.before === null ? 'Edit' : 'Edit your text')); }
            if (isOpen) {
                const { others } = this.attempt;
                if (others > 0) { bar.push(button('other', `Another text (${others})`, 'Show another text of yours')); }
                if (this.isChanged) { bar.push(button('reset', 'Reset', 'Reset the text'), button('share', 'Share', 'Make a link to this text')); }
                if (this.outcome?.report !== undefined) { bar.push(button('watch', 'Watch the lanes')); }
                bar.push(button('close', 'Close', 'Close the editor'));
            }
            if (isOpen && this.data.runs.length > 1) {
                const options = this.data.runs.map(({ title }, index) => ['option', index === this.choice ? { value: `${index}`, selected: '' } : { value: `${index}` }, title]);
                bar.push(['label', {}, 'Launch ', ['select', { name: 'launch' }, ...options]]);
            }
            if (this.outcome?.report !== undefined) {
                const chosen = this.counter ?? 'ptx_instructions';
                const options = LanesMargin.counters(this.outcome.report).map(name => ['option', name === chosen ? { value: name, selected: '' } : { value: name }, name]);
                bar.push(['label', {}, 'In the margin ', ['select', { name: 'counter' }, ...options]]);
            }
            LanesView.draw(this.bar, bar);
            LanesView.draw(this.result, this.outcome === null ? [] : LanesResult.all(this.outcome, this.launch));
        }
    }

    /** @type {(outcome: Lanes.Ran & { changed: boolean }) => string} */
    function spoken({ report, changed }) {
        const by = changed ? 'Your text, compiled by cudac in this page,' : 'The committed PTX of NVIDIA\'s compiler';
        const faults = report.faults.length;
        return `${by} ran ${report.moments} instructions: ${faults === 0 ? 'no faults' : `${faults} fault${faults === 1 ? '' : 's'}`}.`;
    }

    // Puts a link where the reader can take it.
    /** @param {string} fragment */
    async function offer(fragment) {
        const address = `${location.href.split('#')[0]}${fragment}`;
        history.replaceState(null, '', fragment);
        try {
            await navigator.clipboard.writeText(address);
            return 'Link copied. It holds the whole text, and no server has seen it.';
        } catch {
            return 'The address of this page is now the link: copy it from there.';
        }
    }

    // The text is no longer that of the link in the address.
    function forgetLink() {
        if (location.hash.startsWith('#edit=')) { history.replaceState(null, '', location.href.split('#')[0]); }
    }

    // All listings of a page.
    /** @param {string} root @param {InstanceType<typeof LanesDrafts.Drafts>} drafts */
    function start(root, drafts) {
        return [...document.querySelectorAll('main .edit')].map(box => Object.assign(box, { lanesListing: new Listing(box, root, drafts) }).lanesListing);
    }

    return { start, offer, forgetLink };
})();
