// Draws a launch: the lanes of the block's warps, the program with its current line, and the controls.
//
// state.js decides what is shown, and machine.js asks the emulator. This file turns the first into elements, and asks the
// second for the moments that are needed. Each state of a lane has a sign as well as a colour.
'use strict';

const LanesPlayer = (() => {
    // The sign of each state and what it means, in the order of the legend.
    const SIGNS = {
        runs: ['■', 'executes the instruction'],
        off: ['□', 'its guard switches the instruction off'],
        ready: ['·', 'can run'],
        barrier: ['B', 'waits at a barrier of the block'],
        warp: ['W', 'waits for other lanes of the warp'],
        reconvergence: ['R', 'waits to reconverge'],
        ended: ['×', 'has ended'],
    };
    // While it plays, a screen reader gets a sentence this often, in milliseconds.
    const SPOKEN_EVERY = 3000;
    const FRAME = 1000 / 60;

    function element(name, properties = {}, ...inside) {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...inside);
        return made;
    }

    class Player {
        constructor(box, launch, machine) {
            Object.assign(this, { box, launch, machine, timeline: new LanesTimeline(0), isAsking: false, spokenAt: 0, actors: [] });
            this.parts = this.frame();
            box.replaceChildren(...Object.values(this.parts.shown));
            box.addEventListener('keydown', event => this.key(event));
        }

        // Loads the program, launches it, and shows the first moment.
        async start() {
            for (const request of [{ load: this.launch.program }, { launch: this.launch.launch }]) {
                const answer = await this.machine.ask(request);
                if (answer.error !== undefined) { return this.fail(answer.error); }
                this.report = answer;
            }
            this.timeline = new LanesTimeline(this.report.moments);
            this.parts.range.max = Math.max(0, this.report.moments - 1);
            this.listFaults();
            await this.fetch();
        }

        fail(error) {
            this.timeline.pause();
            this.parts.sentence.textContent = `Error: ${error.message}.`;
        }

        // Asks for what is needed next, one request at a time, and draws what is there.
        async fetch() {
            this.draw();
            while (!this.isAsking && this.timeline.wanted() !== null) {
                this.isAsking = true;
                const answer = await this.machine.ask({ moments: this.timeline.wanted() });
                this.isAsking = false;
                if (answer.error !== undefined) { return this.fail(answer.error); }
                if (answer.moments.length === 0) { return this.fail({ message: 'this moment is beyond the last one that can be shown' }); }
                this.timeline.add(answer.moments);
                this.draw();
            }
        }

        frame() {
            const button = (text, label, act) => {
                const made = element('button', { type: 'button', textContent: text, onclick: act });
                made.setAttribute('aria-label', label);
                return made;
            };
            const back = button('◀', 'Back', () => this.move(() => this.timeline.back()));
            const play = button('Play', 'Play', () => this.toggle());
            const step = button('▶', 'Step', () => this.move(() => this.timeline.forward()));
            const range = element('input', { type: 'range', min: 0, max: 0, value: 0 });
            range.setAttribute('aria-label', 'Moment');
            range.oninput = () => this.move(() => this.timeline.show(Number(range.value)));
            const count = element('output', { className: 'count' });
            const bar = element('div', { className: 'bar' }, back, play, step, range, count);
            const warps = element('div', { className: 'warps' });
            const sentence = element('p', { className: 'sentence' });
            sentence.setAttribute('role', 'status');
            const faults = element('ul', { className: 'faults', hidden: true });
            const lines = this.launch.program.text.replace(/\n$/, '').split('\n');
            const code = element('ol', { className: 'program' }, ...lines.map(line => element('li', { textContent: line })));
            return { play, range, count, warps, sentence, faults, code, shown: { bar, warps, sentence, faults, code, legend: legend() } };
        }

        // Keys work wherever the keyboard is in the player, except that arrows belong to the slider while it has them.
        key(event) {
            const keys = { ArrowLeft: () => this.timeline.back(), ArrowRight: () => this.timeline.forward() };
            const act = keys[event.key];
            if (act === undefined || event.target === this.parts.range) { return; }
            event.preventDefault();
            // mdBook turns the page at an arrow.
            event.stopPropagation();
            this.move(act);
        }

        move(act) {
            this.actors = [];
            act();
            this.fetch();
        }

        toggle() {
            this.actors = [];
            if (this.timeline.isPlaying) { this.timeline.pause(); } else { this.timeline.play(); this.tickAt = performance.now(); this.tick(); }
            this.fetch();
        }

        tick() {
            if (!this.timeline.isPlaying) { return this.draw(); }
            const now = performance.now();
            if (now - this.tickAt >= FRAME * 0.9 && this.timeline.tick()) {
                this.tickAt = now;
                this.fetch();
            }
            requestAnimationFrame(() => this.tick());
        }

        listFaults() {
            const { faults } = this.parts;
            faults.hidden = this.report.faults.length === 0;
            faults.replaceChildren(...this.report.faults.map(fault => {
                const go = element('button', { type: 'button', textContent: 'Show', onclick: () => this.jump(fault) });
                go.setAttribute('aria-label', `Show where this happens: ${fault.message}`);
                const actors = fault.actors.map(actor => element('li', { textContent: said(actor) }));
                return element('li', {}, element('strong', { textContent: fault.kind }), ` ${fault.message} `, go, element('ul', {}, ...actors));
            }));
        }

        // Goes to the moment of a fault, whose number the emulator finds by its step.
        async jump(fault) {
            this.timeline.pause();
            const answer = await this.machine.ask({ moments: { step: fault.step } });
            if (answer.error !== undefined) { return this.fail(answer.error); }
            if (answer.moments.length === 0) { return this.fail({ message: 'this moment is beyond the last one that can be shown' }); }
            this.timeline.add(answer.moments);
            this.actors = fault.actors;
            this.drawn = undefined;
            this.timeline.show(answer.moments[0].number);
            await this.fetch();
        }

        draw() {
            const { timeline, parts } = this;
            parts.play.textContent = timeline.isPlaying ? 'Pause' : 'Play';
            parts.play.setAttribute('aria-label', parts.play.textContent);
            const { moment } = timeline;
            if (moment === undefined) { return; }
            if (moment !== this.drawn) { this.drawMoment(moment); }
            this.speak(moment);
        }

        drawMoment(moment) {
            const { timeline, parts } = this;
            this.drawn = moment;
            parts.range.value = timeline.at;
            parts.count.textContent = `${timeline.at + 1} of ${timeline.count}`;
            parts.warps.replaceChildren(...moment.warps.map(warp => row(moment, warp.warp, this.actors)));
            [...parts.code.children].forEach((line, index) => {
                const isCurrent = moment.source?.line === index + 1;
                line.classList.toggle('current', isCurrent);
                if (isCurrent) { line.setAttribute('aria-current', 'step'); } else { line.removeAttribute('aria-current'); }
            });
        }

        speak(moment) {
            const now = performance.now();
            if (moment === this.spoken || this.timeline.isPlaying && now - this.spokenAt < SPOKEN_EVERY) { return; }
            Object.assign(this, { spoken: moment, spokenAt: now });
            this.parts.sentence.textContent = LanesState.sentence(moment);
        }
    }

    function said(actor) {
        const where = actor.source === null ? `PTX line ${actor.ptx_line}` : `line ${actor.source.line}`;
        return `Block ${actor.block[0]}, warp ${actor.warp}, lane ${actor.lane}, ${where}: ${actor.doing}`;
    }

    // A warp of the block of a moment. The lanes of a fault that is shown are marked.
    function row(moment, number, actors) {
        const isActor = lane => actors.some(actor => actor.warp === number && actor.lane === lane && `${actor.block}` === `${moment.block}`);
        const words = LanesState.lanes(moment, number);
        const lanes = words.map((word, lane) => {
            const cell = element('span', { textContent: SIGNS[word][0], title: `lane ${lane} ${SIGNS[word][1]}` });
            cell.dataset.state = word;
            if (isActor(lane)) { cell.dataset.actor = ''; }
            return cell;
        });
        const label = element('span', { className: 'label', textContent: `warp ${number}` });
        const made = element('div', { className: 'warp' }, label, element('div', { className: 'cells' }, ...lanes));
        made.classList.toggle('current', moment.warp === number);
        made.setAttribute('role', 'img');
        const states = LanesState.masks(words).map(([word, mask]) => `${LanesState.spoken(mask)}: ${SIGNS[word][1]}`);
        made.setAttribute('aria-label', `Warp ${number}. ${states.join('; ')}`);
        return made;
    }

    function legend() {
        const entries = Object.entries(SIGNS).map(([word, [sign, meaning]]) => {
            const cell = element('span', { textContent: sign });
            cell.dataset.state = word;
            return element('li', {}, cell, ` ${meaning}`);
        });
        return element('ul', { className: 'legend' }, ...entries);
    }

    return Player;
})();
