// A run of a launch, as the player asks for it. All players of a page share one machine, which holds one launch at a time:
// a run whose turn it is loads its program and launches again if another one was there in between. Runs are deterministic,
// so a reader sees no difference.
'use strict';

class LanesRun {
    // For each machine: which run it holds, and the end of the requests before.
    /** @type {WeakMap<LanesMachine, { run: LanesRun, program: Lanes.Program | null, worker: Promise<Worker> | null }>} */
    static held = new WeakMap();
    /** @type {WeakMap<LanesMachine, Promise<any>>} */
    static turns = new WeakMap();

    /** @param {LanesMachine} machine @param {Lanes.Program | null} program @param {Lanes.Launch | null} launch */
    constructor(machine, program, launch) {
        this.machine = machine;
        this.program = program;
        this.launch = launch;
        /** @type {Lanes.Report | null} */
        this.report = null;
    }

    // The report of the launch.
    begin() { return this.turn(async () => (await this.prepare()) ?? /** @type {Lanes.Answer<Lanes.Report>} */ (this.report)); }

    // Moments of the launch.
    /** @param {Lanes.Wanted} request */
    moments(request) { return this.turn(async () => (await this.prepare()) ?? this.machine.ask({ moments: request })); }

    // One after another: a request of another run must not come between the launch and its moments.
    /** @type {<T>(work: () => Promise<T>) => Promise<T>} */
    turn(work) {
        const before = LanesRun.turns.get(this.machine) ?? Promise.resolve();
        const turn = before.then(work);
        LanesRun.turns.set(this.machine, turn);
        return turn;
    }

    // Makes the machine hold this run. Returns the error, if it cannot.
    /** @type {() => Promise<Lanes.Failed | null>} */
    async prepare() {
        const held = LanesRun.held.get(this.machine);
        const isThere = held !== undefined && held.worker === this.machine.worker && this.machine.worker !== null;
        if (isThere && held.run === this) { return null; }
        LanesRun.held.delete(this.machine);
        if (!isThere || held.program !== this.program) {
            const answer = await this.machine.ask({ load: this.program });
            if (answer.error !== undefined) { return answer; }
        }
        const report = await this.machine.ask({ launch: this.launch });
        if (report.error !== undefined) { return report; }
        this.report = report;
        LanesRun.held.set(this.machine, { run: this, program: this.program, worker: this.machine.worker });
        return null;
    }
}
