//! Mistakes that a caller of the crate can make: with memory, launches and modules.

use simt::{Buffer, Emulator, FaultKind, Launch, LaunchError, Limits, MemoryError, Module};

const STORE: &str = ".version 8.0\n.target sm_70\n
.visible .entry store(.param .u64 x) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x];
    st.global.u32 [%rd1], 7;
    ret;
}";

fn load(emulator: &mut Emulator, body: &str) -> Module {
    let text = format!(".version 8.0\n.target sm_70\n{body}");
    emulator.load("test.ptx", &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_freed_buffer_is_named() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("store.ptx", STORE).unwrap();
    let x = emulator.alloc("x", 4).unwrap();
    let launch = Launch::new(1, 1).arg(x.address());
    assert!(emulator.launch(&module, "store", &launch).unwrap().faults.is_empty());
    assert_eq!(emulator.read(x).unwrap(), [7, 0, 0, 0]);
    emulator.free(x).unwrap();
    let fault = emulator.launch(&module, "store", &launch).unwrap().faults.remove(0);
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::UseAfterFree, "`x` has been freed"));
}

/// As clang writes them if a variable has the address of the kernel.
#[test]
fn a_kernel_that_is_declared_before_it_is_defined_is_one_kernel() {
    let mut emulator = Emulator::new(Limits::default());
    let text = STORE.replacen(".visible", ".visible .entry store(.param .u64 x)\n;\n.visible", 1);
    let module = emulator.load("store.ptx", &text).unwrap();
    assert_eq!(module.kernels().len(), 1);
    let x = emulator.alloc("x", 4).unwrap();
    let report = emulator.launch(&module, "store", &Launch::new(1, 1).arg(x.address())).unwrap();
    assert!(report.faults.is_empty());
    assert_eq!(emulator.read(x).unwrap(), [7, 0, 0, 0]);
    let module = load(&mut emulator, ".visible .entry store(.param .u64 x)\n;");
    let nothing = emulator.launch(&module, "store", &Launch::new(1, 1).arg(x.address()));
    assert!(nothing.is_err(), "{nothing:?}");
}

#[test]
fn launches_that_no_gpu_can_run_are_errors() {
    let mut emulator = Emulator::new(Limits::default());
    let module = load(
        &mut emulator,
        ".visible .entry k() .maxntid 64 { .shared .b8 s[1024]; ret; }
         .visible .entry exact() .reqntid 32 { ret; }
         .visible .entry large() { .shared .b8 s[232449]; ret; }
         .visible .entry deep() { .local .b8 x[524288]; ret; }",
    );
    let mut check = |kernel: &str, launch: Launch, why: &str| {
        let error = emulator.launch(&module, kernel, &launch).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    };
    check("other", Launch::new(1, 1), "no kernel `other`; it has `k`, `exact`");
    check("k", Launch::new(0, 1), "at least one block of one thread");
    check("k", Launch::new(1, 2000), "at most 1024 threads");
    check("k", Launch::new((1, 70_000), 1), "a grid may be at most");
    check("k", Launch::new(1, 65), "compiled for blocks of at most 64 threads, not 65");
    check("exact", Launch::new(1, (32, 2)), "compiled for blocks of [32] threads");
    check("k", Launch::new(1, 1).arg(1_u32), "takes 0 arguments, not 1");
    check("large", Launch::new(1, 1), "at most 232448 bytes of shared memory; this one needs 232449");
    check("deep", Launch::new(16, 1024), "launch smaller blocks, or make fewer blocks resident");
    let sized = Launch { shared_bytes: 232_448, ..Launch::new(1, 1) };
    check("k", sized, "of shared memory");
}

#[test]
fn clusters_that_no_gpu_can_run_are_errors() {
    let mut emulator = Emulator::new(Limits::default());
    let text = ".version 8.0\n.target sm_90\n.visible .entry k() { ret; }
        .visible .entry pairs() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
        .visible .entry few() .explicitcluster .maxclusterrank 4 { ret; }";
    let [new, old] =
        [text.to_owned(), ".version 8.0\n.target sm_80\n.visible .entry k() { ret; }".to_owned()]
            .map(|text| emulator.load("k.ptx", &text).unwrap());
    let mut check = |module, kernel: &str, grid: (u32, u32), cluster: (u32, u32), why: &str| {
        let cluster = (cluster != (1, 1)).then(|| cluster.into());
        let launch = Launch { cluster, ..Launch::new(grid, 32) };
        let result = emulator.launch(module, kernel, &launch);
        match result {
            Ok(report) => assert!(why.is_empty() && report.faults.is_empty(), "{kernel}: {why}"),
            Err(error) => assert!(!why.is_empty() && error.to_string().contains(why), "{error}"),
        }
    };
    check(&new, "k", (8, 2), (4, 2), "");
    check(&new, "k", (16, 1), (16, 1), "1 to 8 blocks, the size that is portable; this one is (16,1,1)");
    check(&new, "k", (16, 1), (0, 1), "1 to 8 blocks");
    check(&new, "k", (7, 2), (2, 2), "the grid (7,2,1) does not consist of clusters of (2,2,1) blocks");
    check(&new, "pairs", (8, 1), (1, 1), "");
    check(&new, "pairs", (8, 1), (2, 1), "");
    check(&new, "pairs", (8, 1), (4, 1), "compiled for clusters of (2,1,1) blocks, not (4,1,1)");
    check(&new, "pairs", (7, 1), (1, 1), "does not consist of clusters");
    check(&new, "few", (8, 1), (4, 1), "");
    check(&new, "few", (8, 1), (8, 1), "clusters of at most 4 blocks");
    check(
        &old,
        "k",
        (8, 1),
        (2, 1),
        "clusters need a kernel for sm_90 or above, and `k` was compiled for sm_80",
    );
    let of_one = Launch { cluster: Some(1.into()), ..Launch::new(8, 32) };
    let error = emulator.launch(&new, "pairs", &of_one).unwrap_err().to_string();
    assert!(error.contains("compiled for clusters of (2,1,1) blocks, not (1,1,1)"), "{error}");
    let header = ".version 8.0\n.target sm_80\n.visible .entry k() .reqnctapercluster 2 { ret; }";
    let error = emulator.load("k.ptx", header).unwrap_err().to_string();
    assert!(error.contains("`.reqnctapercluster` needs a target of sm_90"), "{error}");
}

#[test]
fn shared_memory_is_counted_by_kernel() {
    let mut emulator = Emulator::new(Limits::default());
    let module = load(
        &mut emulator,
        ".shared .b8 common[8];
         .func f() { .shared .b8 inner[24]; ret; }
         .visible .entry small() { .shared .b8 s[100]; ret; }
         .visible .entry large() { .shared .b8 s[200000]; { .shared .b8 t[20000]; } ret; }
         .visible .entry none() { ret; }",
    );
    let bytes: Vec<_> = module.kernels().iter().map(|kernel| kernel.shared_bytes).collect();
    assert_eq!(bytes, [132, 220_032, 32]);
}

#[test]
fn an_unsupported_instruction_is_an_error_where_it_is_executed() {
    let mut emulator = Emulator::new(Limits::default());
    let module = load(
        &mut emulator,
        ".visible .entry k(.param .u32 n) {
             .reg .pred %p;
             .reg .b32 %r<2>;
             ld.param.u32 %r0, [n];
             setp.eq.u32 %p, %r0, 0;
             @%p wmma.load.a.sync;
             ret;
         }
         .visible .entry calls() { call k; ret; }
         .extern .func elsewhere();
         .visible .entry outside() { call elsewhere; ret; }",
    );
    assert_eq!(module.unsupported().len(), 1);
    let elsewhere = load(
        &mut emulator,
        ".visible .entry k() { .local .b8 x[4]; .reg .b32 %r<2>; ld.shared.u32 %r1, [x]; ret; }",
    );
    assert_eq!(elsewhere.unsupported()[0].message, "`x` is in `.local` memory");
    assert!(module.unsupported()[0].message.starts_with("`wmma.load.a.sync` is not supported"));
    let mut error = |kernel: &str, launch: Launch| emulator.launch(&module, kernel, &launch).err();
    assert_eq!(error("k", Launch::new(1, 1).arg(1_u32)), None);
    let unsupported = error("k", Launch::new(1, 1).arg(0_u32)).unwrap();
    let message = unsupported.to_string();
    assert!(message.starts_with("`test.ptx`, line 8, column"), "{message}");
    let source = std::error::Error::source(&unsupported).map(ToString::to_string);
    assert_eq!(source.map(|source| format!("`test.ptx`, {source}")), Some(message));
    let message = error("calls", Launch::new(1, 1)).unwrap().to_string();
    assert!(message.contains("`k` is a kernel; only functions can be called"), "{message}");
    let message = error("outside", Launch::new(1, 1)).unwrap().to_string();
    assert!(message.contains("`elsewhere` is declared but not defined"), "{message}");
}

#[test]
fn memory_orders_in_names_need_volta() {
    let unsupported = |target: &str| {
        let text = format!(
            ".version 8.0\n.target {target}\n.address_size 64
             .visible .entry k(.param .u64 p) {{
                 .reg .b64 %rd<2>;
                 ld.param.u64 %rd1, [p];
                 red.relaxed.gpu.global.add.u32 [%rd1], 1;
                 red.gpu.global.add.u32 [%rd1], 1;
                 ret;
             }}"
        );
        let module = Emulator::new(Limits::default()).load("test.ptx", &text).unwrap();
        module.unsupported().iter().map(|error| error.message.clone()).collect::<Vec<_>>()
    };
    let message = "`red.relaxed.gpu.global.add.u32` needs a target of sm_70 or above, not sm_60";
    assert_eq!(unsupported("sm_60"), [message]);
    assert!(unsupported("sm_70").is_empty());
}

#[test]
fn arrivals_are_counted_since_hopper_or_complete_nothing() {
    let unsupported = |target: &str| {
        let text = format!(
            ".version 8.0\n.target {target}\n.address_size 64
             .visible .entry k() {{
                 .reg .b64 %rd<2>;
                 .shared .align 8 .b64 b;
                 mbarrier.arrive.shared.b64 %rd1, [b], 2;
                 mbarrier.arrive.noComplete.shared.b64 %rd1, [b], 2;
                 mbarrier.arrive.shared.b64 %rd1, [b];
                 ret;
             }}"
        );
        let module = Emulator::new(Limits::default()).load("test.ptx", &text).unwrap();
        module.unsupported().iter().map(|error| error.message.clone()).collect::<Vec<_>>()
    };
    let message = "`mbarrier.arrive.shared.b64` with a count needs a target of sm_90 or above, not sm_80";
    assert_eq!(unsupported("sm_80"), [message]);
    assert!(unsupported("sm_90").is_empty());
}

#[test]
fn a_refused_module_leaves_no_memory_behind() {
    let mut emulator = Emulator::new(Limits { memory_bytes: 1000 });
    let text = ".version 8.0\n.target sm_70\n.global .b8 x[600];\n.global .b8 x[100];";
    for _ in 0..3 {
        assert!(emulator.load("twice.ptx", text).unwrap_err().message.contains("declared twice"));
    }
    assert!(emulator.alloc("all", 1000).is_ok());
}

/// A module whose kernel counts its launches in a variable, and stores the count in a buffer.
const COUNT: &str = ".version 8.0\n.target sm_70\n
.global .u32 launches;
.visible .entry count(.param .u64 x) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [x];
    ld.global.u32 %r1, [launches];
    add.u32 %r1, %r1, 1;
    st.global.u32 [launches], %r1;
    st.global.u32 [%rd1], %r1;
    ret;
}";

#[test]
fn modules_and_buffers_of_another_emulator_are_refused() {
    let mut one = Emulator::new(Limits::default());
    let (module, x) = (one.load("count.ptx", COUNT).unwrap(), one.alloc("x", 4).unwrap());
    let launch = Launch::new(1, 1).arg(x.address());

    let mut other = Emulator::new(Limits::default());
    let before = other.alloc("bystander", 4).unwrap();
    assert_eq!(before.address(), module.variable("launches").unwrap().address(), "the places are the same");
    let error = other.launch(&module, "count", &launch).unwrap_err();
    assert_eq!(error, LaunchError::ForeignModule { module: "count.ptx".to_owned() });
    assert!(error.to_string().contains("load it with the emulator that launches it"), "{error}");
    assert_eq!(other.read(before).unwrap(), [0; 4]);

    other.alloc("second", 8).unwrap();
    let foreign = MemoryError::ForeignBuffer { bytes: 4 };
    assert_eq!(other.read(x).unwrap_err(), foreign);
    assert_eq!(other.write(x).unwrap_err(), foreign);
    assert_eq!(other.free(x).unwrap_err(), foreign);
    assert_eq!(
        Emulator::new(Limits::default()).read(x).unwrap_err(),
        foreign,
        "its memory has no such place"
    );
    assert!(foreign.to_string().contains("use it with the emulator that allocated it"), "{foreign}");

    assert!(one.launch(&module, "count", &launch).unwrap().faults.is_empty());
    assert_eq!(one.read(x).unwrap(), [1, 0, 0, 0]);
}

#[test]
fn a_copy_has_the_memory_of_the_time_when_it_was_made() {
    let mut one = Emulator::new(Limits::default());
    let (module, x) = (one.load("count.ptx", COUNT).unwrap(), one.alloc("x", 4).unwrap());
    let mut copy = one.clone();
    let launch = Launch::new(1, 1).arg(x.address());
    assert!(copy.launch(&module, "count", &launch).unwrap().faults.is_empty());
    assert_eq!((copy.read(x).unwrap()[0], one.read(x).unwrap()[0]), (1, 0));
    // From here on the two are independent.
    let (here, there) = (one.alloc("here", 4).unwrap(), copy.alloc("there", 4).unwrap());
    assert_eq!(here.address(), there.address());
    let is_foreign =
        |read: Result<&[u8], MemoryError>| matches!(read, Err(MemoryError::ForeignBuffer { .. }));
    assert!(is_foreign(one.read(there)) && is_foreign(copy.read(here)));
    let later = one.load("later.ptx", COUNT).unwrap();
    assert!(matches!(copy.launch(&later, "count", &launch), Err(LaunchError::ForeignModule { .. })));
}

#[test]
fn a_freed_buffer_can_be_freed_again_and_not_read() {
    let mut emulator = Emulator::new(Limits::default());
    let x: Buffer = emulator.alloc("x", 4).unwrap();
    assert_eq!(emulator.free(x), Ok(()));
    assert_eq!(emulator.free(x), Ok(()));
    let freed = MemoryError::Freed { name: "x".to_owned() };
    assert_eq!((emulator.read(x).unwrap_err(), emulator.write(x).unwrap_err()), (freed.clone(), freed));
}
