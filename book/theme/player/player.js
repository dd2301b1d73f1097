// The player of a launch: the reader steps, plays and goes back, chooses seed and schedule, and compares two runs.
//
// state.js and view.js decide what is shown, and run.js asks the emulator. This file listens to the reader, fetches the
// moments that are needed, and draws. The first moment and the end of the page's own launch come with the page, so that
// nothing is loaded before the reader does something.
'use strict';

const LanesPlayer = (() => {
    // While it plays, a screen reader gets a sentence this often, in milliseconds.
    const SPOKEN_EVERY = 3000;
    // A request that takes longer than this can be stopped.
    const PATIENCE = 400;
    /** @type {[number, string][]} */
    const SPEEDS = [[2, 'slow'], [8, 'steady'], [25, 'fast'], [60, 'fastest']];
    const SEEN_BYTES = 512;
    const BEYOND = { message: 'this moment is beyond the last one that can be shown' };
    // So many steps are taken at once while it plays, at most.
    const MOST_STEPS = 4;
    // A stage is shown for so many times as long as an instruction: there is a sentence to read.
    const STAGE = 5;

    class Player {
        /** @type {Promise<void> | null} */
        asking = null;
        isBusy = false;
        isOver = false;
        said = '';
        spokenAt = 0;
        problem = '';
        tickAt = 0;
        /** @type {Lanes.Chosen | null} */ chosen = null;
        /** @type {Lanes.Details | null} */ details = null;
        /** @type {Set<string>} */ seen = new Set();

        // `data` is what the directive `live` wrote: the program, the launch, and the record of its end.
        /** @param {HTMLElement} box @param {Lanes.Live} data @param {LanesMachine} machine */
        constructor(box, data, machine) {
            const { launch, record } = data;
            this.box = box;
            this.data = data;
            this.machine = machine;
            this.ptx = LanesState.listed(data.program.text);
            this.sides = [this.side(launch, record)];
            this.sides[0].timeline.add(record.first);
            // A plain player has every moment, and begins at the first, slowly. It shows stages until the reader unfolds the instructions.
            this.allStages = data.plain ? LanesState.stages(record.first) : [];
            this.speed = SPEEDS[data.plain ? 0 : 1][0];
            this.position = data.plain ? 0 : record.first[record.first.length - 1].number;
            this.sides[0].timeline.show(this.position);
            box.classList.add('player');
            box.tabIndex = -1;
            box.addEventListener('click', event => this.click(event));
            box.addEventListener('change', event => this.change(event));
            box.addEventListener('input', event => {
                const field = /** @type {HTMLInputElement} */ (event.target);
                if (field.type === 'range') { this.show(this.stages?.[Number(field.value)].at ?? Number(field.value)); }
            });
            box.addEventListener('keydown', event => this.key(event));
            box.addEventListener('toggle', event => {
                const details = /** @type {HTMLDetailsElement} */ (event.target);
                if (details.open || details.matches('.rest')) { this.fetch(); }
            }, true);
            this.draw();
        }

        /** @type {(launch: Lanes.Launch, report: Lanes.Report | null) => Lanes.Side} */
        side(launch, report) {
            const run = new LanesRun(this.machine, this.data.program, launch);
            return { launch, run, report, actors: [], timeline: new LanesTimeline(report?.moments ?? 0) };
        }

        get at() { return this.sides[0].timeline.at; }
        get count() { return Math.max(...this.sides.map(side => side.timeline.count)); }
        get isPlaying() { return this.sides.some(side => side.timeline.isPlaying); }

        get isUnfolded() { return this.box.querySelector('details.rest')?.open === true; }

        // What a plain player shows of the page's own launch as long as its instructions are folded, or null.
        get stages() { return this.allStages.length > 0 && !this.isUnfolded && this.sides.length === 1 && this.sides[0].report === this.data.record ? this.allStages : null; }
        get stage() { return Math.max(0, this.allStages.findIndex(({ to }) => this.position <= to)); }

        // The moment that comes so many moments, or stages, after the one that is shown.
        /** @param {number} by */
        after(by) {
            if (this.stages === null) { return this.position + by; }
            return this.stages[Math.max(0, Math.min(this.stage + by, this.stages.length - 1))].at;
        }

        // Shows another moment in all runs.
        /** @param {number} number */
        show(number) {
            const at = Math.max(0, Math.min(number, this.count - 1));
            this.sides.forEach(side => { side.timeline.show(at); side.actors = []; });
            this.position = at;
            if (at === this.count - 1) { this.isOver = true; }
            return this.fetch();
        }

        toggle() {
            if (this.isPlaying) { this.sides.forEach(side => side.timeline.pause()); return this.fetch(); }
            this.sides.forEach(side => { side.actors = []; side.timeline.play(); });
            this.tickAt = performance.now();
            requestAnimationFrame(() => this.tick());
            return this.fetch();
        }

        tick() {
            if (!this.isPlaying) { return this.draw(); }
            const now = performance.now();
            const each = 1000 / this.speed * (this.stages === null ? 1 : STAGE);
            // A frame that comes late has several steps.
            const due = Math.min(MOST_STEPS, Math.floor((now - this.tickAt + 4) / each));
            let steps = 0;
            while (steps < due && this.advance()) { steps += 1; }
            this.tickAt = steps < due || due === MOST_STEPS ? now : this.tickAt + steps * each;
            if (steps > 0) {
                if (!this.isPlaying) { this.isOver = true; }
                this.fetch();
            }
            requestAnimationFrame(() => this.tick());
        }

        // The next moment of each run that plays, if they are all there.
        advance() {
            const moving = this.sides.filter(side => side.timeline.isPlaying);
            const { stages } = this;
            /** @param {LanesTimeline} timeline */
            const next = timeline => (stages === null ? timeline.at + 1 : this.after(1));
            if (moving.length === 0 || !moving.every(({ timeline }) => timeline.known.has(next(timeline)))) { return false; }
            moving.forEach(({ timeline }) => timeline.tick(next(timeline)));
            this.position = Math.max(...this.sides.map(side => side.timeline.at));
            return true;
        }

        // Draws what is there, and asks for the rest. The promise holds until all of that is there, whoever asked first.
        async fetch() {
            this.draw();
            if (this.asking === null && this.next() !== null) { this.asking = this.ask(); }
            await this.asking;
        }

        // Asks for what is needed next, one request at a time, and draws each.
        async ask() {
            const busy = setTimeout(() => { this.isBusy = true; this.draw(); }, PATIENCE);
            try {
                for (let work = this.next(); work !== null; work = this.next()) {
                    const problem = await work();
                    if (problem !== undefined) { this.fail(problem); break; }
                    this.draw();
                }
            } finally {
                clearTimeout(busy);
                this.asking = null;
                this.isBusy = false;
                this.draw();
            }
        }

        // What is to be asked next, or null.
        next() {
            for (const side of this.sides) {
                if (side.report === null) { return () => this.begin(side); }
                const wanted = side.timeline.wanted();
                if (wanted !== null) { return () => this.load(side, wanted); }
            }
            const moment = this.sides[0].timeline.moment;
            if (this.values()?.open === true && moment !== undefined && this.details?.key !== this.key_of(moment)) { return () => this.look(moment); }
            return null;
        }

        /** @param {Lanes.Side} side */
        async begin(side) {
            const report = await side.run.begin();
            if (report.error !== undefined) { return report.error; }
            side.report = report;
            side.timeline = new LanesTimeline(report.moments);
            side.timeline.show(this.position);
            if (report.moments === 0) { return { message: 'the launch executes nothing' }; }
            return undefined;
        }

        /** @type {(side: Lanes.Side, wanted: Lanes.Wanted) => Promise<{ message: string } | undefined>} */
        async load(side, wanted) {
            const answer = await side.run.moments(wanted);
            if (answer.error !== undefined) { return answer.error; }
            if (answer.moments.length === 0) { return BEYOND; }
            side.timeline.add(answer.moments);
            return undefined;
        }

        // The registers and the memory at the moment that is shown.
        /** @type {(moment: Lanes.Moment) => Promise<{ message: string } | undefined>} */
        async look(moment) {
            const key = this.key_of(moment);
            const warp = this.chosen?.warp ?? moment.warp;
            const shared = (this.data.record.shared_bytes ?? 0) + (this.data.launch.shared_bytes ?? 0);
            const see = {
                registers: warp,
                shared: shared > 0 ? [{ bytes: Math.min(shared, SEEN_BYTES) }] : [],
                memory: buffers(this.data.launch).map(({ name, bytes }) => ({ name, bytes: Math.min(bytes, SEEN_BYTES) })),
            };
            const answer = await this.sides[0].run.moments({ from: moment.number, see });
            if (answer.error !== undefined) { return answer.error; }
            this.details = { key, warp, moment: answer.moments[0] };
            return undefined;
        }

        /** @param {Lanes.Moment} moment */
        key_of(moment) { return `${moment.number} ${this.chosen?.warp ?? moment.warp} ${JSON.stringify(this.sides[0].launch)}`; }

        values() { return this.box.querySelector('details.values'); }

        /** @param {{ message: string }} error */
        fail(error) {
            this.sides.forEach(side => side.timeline.pause());
            this.problem = `Error: ${error.message}.`;
        }

        /** @param {Event} event */
        click(event) {
            const target = /** @type {HTMLElement} */ (event.target);
            const { act, fault, actorOf } = target.closest('[data-act], [data-fault]')?.dataset ?? {};
            const cell = target.closest('.warp [data-lane]');
            if (cell !== null) { this.choose(Number(cell.closest('.warp')?.dataset.warp), Number(cell.dataset.lane)); }
            if (fault !== undefined) { this.jump(Number(target.closest('.end')?.dataset.side), Number(fault), actorOf === undefined ? undefined : Number(actorOf)); }
            /** @type {Record<string, () => unknown>} */
            const acts = {
                start: () => this.show(0), back: () => this.show(this.after(-1)), play: () => this.toggle(), step: () => this.show(this.after(1)),
                end: () => this.show(this.count - 1), stop: () => this.machine.stop(), seed: () => this.nextSeed(),
            };
            acts[act ?? '']?.();
        }

        // The values of this lane are shown.
        /** @param {number} warp @param {number} lane */
        choose(warp, lane) {
            const isSame = this.chosen?.warp === warp && this.chosen?.lane === lane;
            this.chosen = isSame ? null : { warp, lane };
            if (!isSame) { this.values()?.setAttribute('open', ''); }
            this.fetch();
        }

        /** @param {Event} event */
        change(event) {
            const target = /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target);
            const { name, value } = target;
            if (name === 'speed') { this.speed = Number(value); return; }
            if (name === 'lane') { this.chosen = value === '' ? null : { warp: this.chosen?.warp ?? this.sides[0].timeline.moment?.warp ?? 0, lane: Number(value) }; this.fetch(); return; }
            if (target.closest('.choices') !== null) { this.restart(); }
        }

        // A field of what the reader can change.
        /** @type {(name: string) => HTMLInputElement} */
        field(name) { return /** @type {HTMLInputElement} */ (this.box.querySelector(`[name="${name}"]`)); }

        // The next seed, in the field and in the run.
        nextSeed() {
            const field = this.field('seed');
            field.value = `${(Number(field.value) || 0) + 1}`;
            const policy = this.field('schedule');
            if (policy.value === 'round-robin') { policy.value = 'random'; }
            this.restart();
        }

        // Launches again, as the reader has chosen.
        restart() {
            const chosen = [...this.box.querySelectorAll('.choices fieldset')].map(choices);
            const isBeside = this.field('beside').checked;
            const { launch, beside } = this.data;
            const kernels = [launch.kernel, beside?.kernel ?? launch.kernel];
            this.sides = chosen.slice(0, isBeside ? 2 : 1).map((changes, index) => (
                this.side(LanesState.changed(launch, { ...changes, kernel: kernels[index] }), null)));
            this.problem = '';
            this.isOver = false;
            this.details = null;
            this.position = 0;
            return this.fetch();
        }

        // Goes to the moment of a fault, whose number the emulator finds by its step, or to what one of its actors did.
        /** @param {number} number @param {number} index @param {number} [by] */
        async jump(number, index, by) {
            const side = this.sides[number];
            const fault = side.report?.faults[index];
            if (fault === undefined) { return; }
            // Far from the start it takes seconds to get there.
            const busy = setTimeout(() => { this.isBusy = true; this.draw(); }, PATIENCE);
            try {
                const answer = await side.run.moments({ step: fault.step });
                if (answer.error !== undefined || answer.moments.length === 0) { return this.fail(answer.error ?? BEYOND); }
                const end = answer.moments[0].number;
                const shown = this.show(by === undefined ? end : await this.find(side, end, fault, fault.actors[by]));
                side.actors = fault.actors;
                await shown;
            } finally {
                clearTimeout(busy);
                this.isBusy = false;
                this.draw();
            }
            // The button may be far below the lanes.
            this.box.querySelector('.sides')?.scrollIntoView({ block: 'nearest' });
        }

        // The number of the last moment up to this one at which the actor did what is said of it.
        /** @type {(side: Lanes.Side, end: number, fault: Lanes.Fault, actor: Lanes.Actor) => Promise<number>} */
        async find(side, end, fault, actor) {
            const AT_ONCE = 256;
            for (let to = end + 1, from; to > 0; to = from) {
                from = Math.max(0, to - AT_ONCE);
                const answer = await side.run.moments({ from, count: to - from });
                if (answer.error !== undefined || answer.moments.length === 0) { break; }
                const found = answer.moments.findLast(moment => LanesState.isBy(moment, actor, fault.location));
                if (found !== undefined) { return found.number; }
            }
            return end;
        }

        // Keys work wherever the keyboard is in the player, except that fields have keys of their own.
        /** @param {KeyboardEvent} event */
        key(event) {
            const target = /** @type {HTMLElement} */ (event.target);
            if (target.matches('input, select') || event.altKey || event.ctrlKey || event.metaKey) { return; }
            /** @type {Record<string, string | undefined>} */
            const keys = { ArrowLeft: 'back', ArrowRight: 'step', Home: 'start', End: 'end' };
            const act = keys[event.key];
            if (act === undefined) { return; }
            event.preventDefault();
            // mdBook turns the page at an arrow.
            event.stopPropagation();
            this.box.querySelector(`[data-act="${act}"]`)?.click();
        }

        draw() {
            for (const { launch, timeline } of this.sides) {
                // Not enumerable: it is no part of what the emulator said.
                const threads = { value: launch.block.reduce((product, size) => product * size, 1), configurable: true };
                if (timeline.moment !== undefined) { Object.defineProperty(timeline.moment, 'threads', threads); }
            }
            const moment = this.stages?.[this.stage].moment ?? this.sides[0].timeline.moment;
            if (moment !== undefined) {
                this.speak();
                moment.warps.forEach(warp => LanesState.lanes(moment, warp.warp).forEach(word => this.seen.add(word)));
            }
            LanesView.draw(this.box, this.tree());
            const range = /** @type {HTMLInputElement} */ (this.box.querySelector('input[type="range"]'));
            range.value = `${this.stages === null ? this.position : this.stage}`;
            // With the next frame, which measures the page anyway.
            requestAnimationFrame(() => follow([...this.box.querySelectorAll('.code-lines')]));
        }

        sentence() {
            const { moment } = this.sides[0].timeline;
            return this.problem || this.stages?.[this.stage].text || (moment === undefined ? '' : LanesState.sentence(moment));
        }

        speak() {
            const now = performance.now();
            const text = this.sentence();
            if (this.isPlaying && now - this.spokenAt < SPOKEN_EVERY) { return; }
            if (text === this.said) { return; }
            this.said = text;
            this.spokenAt = now;
        }

        tree() {
            return LanesFrame.all({
                data: this.data, sides: this.sides, isPlaying: this.isPlaying, isBusy: this.isBusy, isOver: this.isOver, count: this.count,
                position: this.position, said: this.said, sentence: this.sentence(), problem: this.problem, ptx: this.ptx, chosen: this.chosen, details: this.details, seen: this.seen,
                buffers: buffers(this.data.launch), speeds: SPEEDS,
                isUnfolded: this.isUnfolded, stages: this.stages, stage: this.stage,
            });
        }
    }

    // What a group of fields says about a run.
    /** @type {(fields: HTMLElement) => Partial<Lanes.Launch>} */
    function choices(fields) {
        /** @type {(name: string) => HTMLInputElement} */
        const field = name => /** @type {HTMLInputElement} */ (fields.querySelector(`[name^="${name}"]`));
        const seed = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(Number(field('seed').value)) || 0));
        // What runs is what one sees.
        field('seed').value = `${seed}`;
        const schedule = /** @type {Lanes.Schedule} */ (field('schedule').value);
        const reconvergence = /** @type {Lanes.Reconvergence} */ (field('reconvergence').value);
        return { seed, schedule, reconvergence, weak_memory: field('weak').checked };
    }

    // The arguments that are buffers, with their types: `buf:f32:1024:iota`.
    /** @type {(launch: Lanes.Launch) => Lanes.Buffer[]} */
    function buffers(launch) {
        return launch.arguments.flatMap(({ name, is }) => {
            const [kind, type, count] = is.split(':');
            return kind === 'buf' ? [{ name, type, bytes: Number(count) * Math.max(1, Number(/\d+$/.exec(type)?.[0] ?? 8) / 8) }] : [];
        });
    }

    // Scrolls listings, and never the page, to their current lines. All are measured before one is moved, or the page would be laid out
    // for each of them.
    /** @param {HTMLElement[]} listings */
    function follow(listings) {
        const moves = listings.flatMap(listing => {
            const here = /** @type {HTMLElement | null} */ (listing.querySelector('.here'));
            const number = here?.firstChild?.textContent ?? '';
            // Under a fold it has no height.
            if (here === null || listing.dataset.at === number || listing.clientHeight === 0) { return []; }
            return [{ listing, number, top: here.offsetTop - listing.clientHeight / 2 }];
        });
        for (const { listing, number, top } of moves) {
            listing.dataset.at = number;
            listing.scrollTop = Math.max(0, top);
        }
    }

    return Player;
})();
