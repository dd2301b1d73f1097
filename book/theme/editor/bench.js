// A program and a launch at the emulator, as a listing and an exercise need them: run, stopped, and shown in the player.
//
// It uses the one machine of the page, in turn with the page's players.
'use strict';

const LanesBench = (() => {
    // A launch of an edited kernel is stopped after so many steps, which takes less than a second.
    const MOST_STEPS = 400_000;
    const SEEN_BYTES = 256;

    class Bench {
        /** @type {LanesMachine[]} */ helpers = [];

        /** @param {LanesMachine} machine */
        constructor(machine) { this.machine = machine; }

        stop() { [this.machine, ...this.helpers].forEach(machine => machine.stop()); }

        // One request after another that belong together; players wait until they are done.
        /** @type {<T>(work: (ask: Lanes.Ask) => Promise<T>) => Promise<T>} */
        async turn(work) {
            const run = new LanesRun(this.machine, null, null);
            const done = await run.turn(async () => {
                LanesRun.held.delete(this.machine);
                // A turn that fails would take those after it along.
                try { return { value: await work(request => this.ask(request)) }; } catch (error) { return { error }; }
            });
            if ('error' in done) { throw done.error; }
            return done.value;
        }

        /** @type {Lanes.Ask} */
        async ask(request) { return Bench.checked(await this.machine.ask(request)); }

        /** @type {<T>(answer: Lanes.Answer<T>) => T} */
        static checked(answer) {
            if (answer.error !== undefined) { throw Object.assign(new Error(answer.error.message), { refusal: answer.error }); }
            return answer;
        }

        // What a program does in a launch: the report, what the compiler said, and the PTX. Of the buffers that are compared, the
        // report has all that is.
        /** @type {(program: Lanes.Program, launch: Lanes.Launch, result?: Lanes.Held[] | null) => Promise<Lanes.Ran>} */
        run(program, launch, result = null) {
            return this.turn(async ask => {
                const loaded = await ask({ load: program });
                const compared = LanesRight.windows(result, launch, loaded);
                const others = windows(launch).filter(({ name }) => compared.every(each => each.name !== name));
                const limited = { ...launch, max_steps: Math.min(launch.max_steps ?? MOST_STEPS, MOST_STEPS), see: { memory: [...compared, ...others] } };
                const report = await ask({ launch: limited });
                return { loaded, report, launch: limited };
            });
        }

        // The grader's verdict about an attempt: a text, or answers. `progress` is called with the number of runs done, and of all.
        // Answers take a single run. The runs of a text are shared with other machines, which are started with the first grading.
        /** @type {(exercise: Lanes.Graded, attempt: Lanes.Attempt, progress: Lanes.Progress) => Promise<Lanes.Verdict>} */
        grade(exercise, attempt, progress) {
            const helpers = attempt.text === undefined ? 0 : LanesGrading.machines(navigator.hardwareConcurrency) - 1;
            while (this.helpers.length < helpers) { this.helpers.push(this.machine.another()); }
            const machines = [this.machine, ...this.helpers.slice(0, helpers)];
            return this.turn(async () => Bench.checked(await LanesGrading.grade(machines, { ...exercise, ...attempt }, progress)));
        }

        // What the compiler says about a text.
        /** @type {(program: Lanes.Program) => Promise<Lanes.Diagnostic[]>} */
        async diagnostics(program) {
            try {
                const loaded = await this.turn(ask => ask({ load: program }));
                return loaded.warnings ?? [];
            } catch (error) {
                return error.refusal?.diagnostics ?? [];
            }
        }

        // A player of a launch in an empty element, at the moment of a step if there is one. `lines` is the source.
        /** @type {(place: HTMLElement, what: Lanes.Played) => Promise<InstanceType<typeof LanesPlayer>>} */
        async play(place, { title, program, source, launch, step = null, actors = [] }) {
            const { see, ...plain } = launch;
            const { loaded, report, first } = await this.turn(async ask => {
                const loaded = await ask({ load: program });
                const report = await ask({ launch: plain });
                const at = step === null || report.moments === 0 ? [] : (await ask({ moments: { step } })).moments;
                const number = at.length > 0 ? at[0].number : 0;
                const from = Math.max(0, number - 7);
                return { loaded, report, first: (await ask({ moments: { from, count: number - from + 1 } })).moments };
            });
            if (first.length === 0) { throw new Error('the launch executes nothing that can be shown'); }
            const kernel = loaded.kernels.find(({ name }) => name === launch.kernel);
            // The player shows PTX, so it gets what the compiler made of the text.
            const shown = loaded.ptx === undefined ? program : { name: `${program.name}.ptx`, text: loaded.ptx };
            const player = new LanesPlayer(place, {
                title, program: shown, source, launch: plain, beside: null, names: loaded.names,
                record: { ...report, shared_bytes: kernel?.shared_bytes ?? 0, first },
            }, this.machine);
            player.sides[0].actors = actors;
            player.draw();
            return player;
        }
    }

    /** @param {Lanes.Launch} launch */
    function windows(launch) {
        return launch.arguments.flatMap(({ name, is }) => (is.startsWith('buf:') ? [{ name, bytes: SEEN_BYTES }] : [])).slice(0, 8);
    }

    // The type of a buffer, from what it is: `buf:f32:32:iota`.
    /** @type {(launch: Lanes.Launch, name: string) => string} */
    function typeOf(launch, name) {
        return launch.arguments.find(argument => argument.name === name)?.is.split(':')[1] ?? 'i32';
    }

    return { Bench, typeOf };
})();
