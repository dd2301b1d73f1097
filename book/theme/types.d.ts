// The types of the page's scripts, for `tsc` (`.ci/run lint`): what the module is asked and answers, what the directives write into
// a page, and what the scripts keep. mdBook copies only the scripts that `book.toml` names, so nothing here reaches a reader.

declare namespace Lanes {
    // Requests (`crates/page/src/request.rs`).

    interface Program {
        name: string;
        text: string;
        sm?: number;
        defines?: Record<string, string>;
    }

    interface Argument {
        name: string;
        is: string;
    }

    type Schedule = string;
    type Reconvergence = 'auto' | 'stack' | 'its';

    interface Launch {
        kernel: string;
        grid: number[];
        block: number[];
        cluster?: number[];
        arguments: Argument[];
        shared_bytes?: number;
        seed?: number;
        schedule?: Schedule;
        reconvergence?: Reconvergence;
        checks?: ('races' | 'initialisation' | 'synchronisation')[];
        weak_memory?: boolean;
        resident_blocks?: number;
        max_steps?: number;
        see?: See;
    }

    interface See {
        registers?: number;
        shared?: { from?: number; bytes: number }[];
        memory?: { name: string; from?: number; bytes: number }[];
    }

    // Either `from` or `step`.
    interface Wanted {
        from?: number;
        step?: number;
        count?: number;
        see?: See;
    }

    interface Graded {
        name: string;
        chapter: number;
        description: object;
        source: string;
        starter: string;
        ptx: string | null;
    }

    // An attempt at a kernel has a text, and one at a prediction has answers.
    interface Attempt {
        text?: string;
        answers?: Answers;
    }

    type Answers = Record<string, string>;

    // What a reader has written: the text of a kernel, the parts of a listing, or answers.
    type Draft = string | string[] | Answers;

    // Where a reader writes (`LanesDrafts.Attempt`).
    interface Desk {
        begun: () => Draft | null;
        show: (attempt: Draft | null) => void;
        fits: (attempt: Draft) => boolean;
        say: (text: string) => void;
    }

    type Share = Graded & Attempt & { share: number[] };

    type Request = { load: Program | null } | { launch: Launch | null } | { moments: Wanted } | { grade: Share };

    type Wish<R extends Request> =
        R extends { load: unknown } ? Loaded
        : R extends { launch: unknown } ? Report
        : R extends { moments: unknown } ? { moments: Moment[] }
        : Verdict;

    type Ask = <R extends Request>(request: R) => Promise<Wish<R>>;

    // Answers: each is what was asked for, or an error (`crates/page/src/refusal.rs`).

    interface Refusal {
        kind: string;
        message: string;
        diagnostics: Diagnostic[];
    }

    interface Failed { error: Refusal }

    type Answer<T> = (T & { error?: undefined }) | Failed;

    interface Diagnostic {
        severity: string;
        message: string;
        line: number;
        column: number;
        width: number | null;
        help: string | null;
    }

    // To `load` (`crates/page/src/program.rs`).
    interface Loaded {
        compiler: string | null;
        target_sm: number;
        kernels: { name: string; shared_bytes: number; parameters: { type: string; bytes: number }[] }[];
        variables: { name: string; bytes: number }[];
        ptx?: string;
        warnings?: Diagnostic[];
        names?: Name[];
    }

    // A variable of a text in CUDA, and the register that holds it before the instructions on these lines of the PTX: from the first to
    // the last, which is not among them.
    interface Name {
        kernel: string;
        register: string;
        variable: string;
        ptx_lines: [from: number, to: number][];
    }

    type Counters = Record<string, number>;

    interface Place {
        file: string;
        line: number;
    }

    interface Actor {
        block: number[];
        thread: number[];
        warp: number;
        lane: number;
        ptx_line: number;
        ptx: string;
        source: Place | null;
        doing: string;
    }

    interface Location {
        space: string;
        address: string;
        bytes: number;
        of: string | null;
        offset: number | null;
    }

    interface Fault {
        kind: string;
        severity: string;
        count: number;
        step: number;
        message: string;
        help: string | null;
        location: Location | null;
        actors: Actor[];
    }

    // To `launch` (`crates/page/src/findings.rs`).
    interface Report {
        moments: number;
        counters: Counters;
        lines: (Place & { counters: Counters })[];
        faults: Fault[];
        stopped_by: string | null;
        output: string;
        memory?: Part[];
    }

    interface Part {
        name: string;
        from: number;
        hex: string;
    }

    // To `moments` (`crates/page/src/moments.rs`). Masks and addresses are texts of hexadecimal digits.
    interface Moment {
        number: number;
        step: number;
        block: number[];
        warp: number;
        mask: string;
        active: string;
        ptx_line: number;
        ptx: string;
        source: Place | null;
        accesses: Access[];
        warps: { warp: number; ended: string; groups: Group[] }[];
        // Of the block; the player adds it.
        threads?: number;
        registers?: Register[];
        shared?: { from: number; hex: string }[];
        memory?: Part[];
    }

    // A text of an answer, or a number.
    type Mask = string | number | null;

    // Memory from a byte on, and the lanes that want it.
    interface Gathered {
        from: bigint;
        lanes: number;
    }

    interface Access {
        space: string;
        kind: 'read' | 'write' | 'update' | 'mbarrier';
        bytes: number;
        lanes: string;
        addresses: (string | null)[];
        sectors: number;
        bank_conflicts: number;
    }

    interface Group {
        lanes: string;
        ptx_line: number | null;
        source: Place | null;
        // `others` is what the player says of a stage.
        waiting: 'nothing' | 'barrier' | 'cluster' | 'warp' | 'warpgroup' | 'reconvergence' | 'others';
        barrier: number | null;
        missing: string | null;
    }

    interface Register {
        name: string;
        type: string;
        values: string[];
    }

    // To `grade` (`crates/page/src/grade.rs`), of an attempt that passed and of one that did not. The page adds `diagnostics`.
    type Verdict = {
        rank: number;
        gates: string[];
        printed: string[];
        compiler: string;
        warnings: string[];
        diagnostics?: Diagnostic[];
    } & (Passed | Refused);

    interface Passed {
        passed: true;
        tried: string;
        picture: string[];
        learned: string;
        shown: null;
        reason?: undefined;
        question?: undefined;
    }

    interface Refused {
        passed: false;
        reason: string;
        question: string | null;
        headline: string;
        details: string[];
        look: string;
        case: string;
        shown: Shown | null;
    }

    interface Shown {
        launch: Launch;
        sm: number;
        step: number | null;
        actors: Actor[];
    }

    // The Worker (`player/worker.js`).

    interface Exports {
        memory: WebAssembly.Memory;
        request(bytes: number): number;
        answer(): number;
    }

    type Progress = (done: number, of: number) => void;

    // `any`, because each waits for the answer to its own request.
    type Waiting = ((answer: any) => void) & { progress: Progress };

    // What a directive writes into a page, as a comment in an element.

    type Line = [number: number, text: string];

    interface Source {
        name: string;
        lines: Line[];
    }

    // `live` (`crates/preprocessor/src/live.rs`), and what `LanesBench` plays.
    interface Live {
        title: string;
        program: Program;
        source: Source;
        // The other files of its program.
        files?: Source[];
        launch: Launch;
        // Which variables the registers hold, if our compiler made the program.
        names?: Name[];
        beside: Partial<Launch> | null;
        shared_type?: string;
        // Whether it is for somebody who sees a player for the first time. The record has every moment then.
        plain?: boolean;
        record: Report & { shared_bytes?: number; first: Moment[] };
    }

    // A launch that a reader wants to watch.
    interface Played {
        title: string;
        program: Program;
        source: Source;
        // The other files of its program.
        files?: Source[];
        launch: Launch;
        step?: number | null;
        actors?: Actor[];
    }

    // `code` (`crates/preprocessor/src/editor.rs`).
    interface ListingData {
        id: string;
        name: string;
        file: string;
        sm: number;
        parts: ListingPart[];
        // `result` is what the launch has to leave in memory, or null if that depends on the schedule.
        runs: { title: string; launch: Launch; ptx: string; result: Held[] | null }[];
        text?: string;
    }

    // What a buffer holds.
    interface Held {
        name: string;
        type: string;
        hex: string;
        any_order: boolean;
    }

    // A result beside the one that is expected (`LanesRight`).
    interface Compared {
        first: { name: string; index: number | null; of: number; wanted: string; got: string } | null;
        count: number;
        isExact: boolean;
    }

    interface ListingPart {
        from: number;
        to: number;
        numbers: number[];
    }

    // `exercises` (`crates/preprocessor/src/solve.rs`).
    interface ExerciseData {
        exercise: Graded;
        title: string;
        kind: string;
        minutes: number;
        task: string;
        hints: string[];
        file: string;
        sm: number;
        launch: string;
        text: string;
        questions: Question[];
    }

    interface Question {
        name: string;
        ask: string;
        choices: string[];
        of: string;
        count: number;
    }

    // What the scripts keep.

    // A section of the book, as the search reads it.
    interface Section {
        ref: number;
        url: string;
        inside: string;
        title: string;
        body: string;
        names: string;
    }

    // One that was found.
    interface Ranked {
        doc: Section;
        found: number;
        score: number;
    }

    // A text, or an element: its name, its attributes, and what is inside. TypeScript takes a list for a tuple only where it is told
    // to, so lists are built as `Tree`, and read as `Branch`.
    type Tree = string | (Tree | Attributes)[];
    type Branch = [name: string, attributes: Record<string, string>, ...inside: Tree[]];
    type Attributes = { [name: string]: string | undefined };

    // One of the runs that a player shows.
    interface Side {
        launch: Launch;
        run: LanesRun;
        report: Report | null;
        actors: Actor[];
        timeline: LanesTimeline;
    }

    interface Details {
        key: string;
        warp: number;
        moment: Moment;
    }

    interface Buffer {
        name: string;
        type: string;
        bytes: number;
    }

    // The lane whose values are shown.
    interface Chosen {
        warp: number;
        lane: number;
    }

    // Moments that a plain player shows as one.
    interface Stage {
        // The moment that is shown, its number and that of the last one before the next stage.
        moment: Moment;
        at: number;
        to: number;
        text: string;
    }

    // What a player draws.
    interface Player {
        data: Live;
        sides: Side[];
        isPlaying: boolean;
        isBusy: boolean;
        isOver: boolean;
        count: number;
        position: number;
        said: string;
        sentence: string;
        problem: string;
        ptx: Line[];
        chosen: Chosen | null;
        details: Details | null;
        seen: Set<string>;
        buffers: Buffer[];
        speeds: [number, string][];
        /** Whether what a plain player folds is drawn. */
        isUnfolded: boolean;
        /** The stages of a plain player whose instructions are folded, and which of them is shown. */
        stages: Stage[] | null;
        stage: number;
    }

    interface Mark {
        line: number | null | undefined;
        of: string;
        sign: string;
        means: string;
    }

    // What is known about the lines of a program.
    interface Known {
        report?: { lines: Report['lines']; faults: Pick<Fault, 'kind' | 'actors'>[] } | null;
        counter?: string;
        diagnostics?: Diagnostic[];
    }

    // What stands beside a line of an editor.
    interface Row {
        number: number | undefined;
        count: number;
        faults: string[];
        messages: Diagnostic[];
    }

    // What a run of a listing came to.
    type Outcome = { changed: boolean; diagnostics: Diagnostic[] } & (Ran | (Failed & { report?: undefined }));

    interface Ran {
        error?: undefined;
        loaded: Loaded;
        report: Report;
        launch: Launch;
        nvrtc?: Report;
        cudac?: Report;
    }

    // The exercises that were passed, and how many hints were seen.
    interface Done {
        passed: Set<string>;
        hints: Map<string, number>;
    }

    type NumberOf = (line: number) => number | undefined;

    // The class of a word of a program, and its text.
    type Word = [name: string, text: string];
}

// mdBook's: the path from the page to the root of the book, and the library of the search, which brings no types.
declare const path_to_root: string;
declare const elasticlunr: any;

// The packed module, while `assets/module.js` is read.
declare var lanesModule: string | undefined;

interface Window {
    elasticlunr?: unknown;
    LanesTexts?: unknown;
    search: { doc_urls: string[] };
}

// What the scripts leave at an element of the page, for each other and for the tests.
interface HTMLElement {
    lanesPlayer?: InstanceType<typeof LanesPlayer>;
    lanesListing?: unknown;
    lanesExercise?: unknown;
    lanesGuess?: unknown;
}

// A selector of one part, which says what it finds: `input[type=radio]`.
type Selector<K extends string> = K | `${K}${'[' | ':' | '.'}${string}`;

// The pages and the scripts select no elements but those of HTML.
interface ParentNode {
    querySelector<K extends keyof HTMLElementTagNameMap>(selectors: Selector<K>): HTMLElementTagNameMap[K] | null;
    querySelector(selectors: string): HTMLElement | null;
    querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: Selector<K>): NodeListOf<HTMLElementTagNameMap[K]>;
    querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

interface Element {
    closest<K extends keyof HTMLElementTagNameMap>(selectors: Selector<K>): HTMLElementTagNameMap[K] | null;
    closest(selectors: string): HTMLElement | null;
}
