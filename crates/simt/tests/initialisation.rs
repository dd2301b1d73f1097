//! The checker of initialisation: what it reports, what it can miss, and that it reports no false alarm.
//!
//! `tests/ptx/fail/initialisation` has a file for each kind of early read. These tests are about what lasts longer than
//! a launch, and compare the checker with a model that records byte by byte what has been written.

use simt::{Buffer, Checks, Emulator, FaultKind, Launch, Limits, Module, Report, Severity};
use test_support::Random;

/// Loads, stores and adds with each width, at an offset that is an argument.
const TOUCH: &str = r"
.version 8.0
.target sm_70
.address_size 64
.visible .entry ld1(.param .u64 x, .param .u64 at) { ENTER ld.global.u8 %r1, [%rd1]; ret; }
.visible .entry ld2(.param .u64 x, .param .u64 at) { ENTER ld.global.u16 %r1, [%rd1]; ret; }
.visible .entry ld4(.param .u64 x, .param .u64 at) { ENTER ld.u32 %r1, [%rd1]; ret; }
.visible .entry ld8(.param .u64 x, .param .u64 at) { ENTER ld.global.v2.u32 {%r1, %r2}, [%rd1]; ret; }
.visible .entry st1(.param .u64 x, .param .u64 at) { ENTER st.u8 [%rd1], 0; ret; }
.visible .entry st2(.param .u64 x, .param .u64 at) { ENTER st.global.u16 [%rd1], 0; ret; }
.visible .entry st4(.param .u64 x, .param .u64 at) { ENTER st.global.u32 [%rd1], 0; ret; }
.visible .entry st8(.param .u64 x, .param .u64 at) { ENTER st.u64 [%rd1], 0; ret; }
.visible .entry add4(.param .u64 x, .param .u64 at) { ENTER red.global.add.u32 [%rd1], 1; ret; }
.visible .entry add8(.param .u64 x, .param .u64 at) { ENTER atom.add.u64 %rd3, [%rd1], 1; ret; }
.visible .entry row(.param .u64 x, .param .u64 at) {
    ENTER
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%rd1], %r2;
    ret;
}
.visible .entry other_warp_first(.param .u64 x, .param .u64 at) {
    ENTER
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 st.global.u32 [%rd1], 1;
    @!%p1 ld.global.u32 %r2, [%rd1];
    ret;
}
.visible .entry local(.param .u64 x, .param .u64 at) {
    .local .align 4 .b8 l[16];
    ENTER
    ld.local.u32 %r1, [l];
    ret;
}
";

const ENTER: &str = ".reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [at]; add.s64 %rd1, %rd1, %rd2;";

const INITIALISATION: Checks = Checks { initialisation: true, ..Checks::NONE };

struct Machine {
    emulator: Emulator,
    module: Module,
}

impl Machine {
    fn new() -> Machine {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("touch.ptx", &TOUCH.replace("ENTER", ENTER)).unwrap();
        Machine { emulator, module }
    }

    fn run(&mut self, kernel: &str, threads: u32, buffer: Buffer, at: u64, checks: Checks) -> Report {
        let launch = Launch { checks, ..Launch::new(1, threads).arg(buffer.address()).arg(at) };
        self.emulator.launch(&self.module, kernel, &launch).unwrap()
    }

    /// What the checker reports about one thread's access.
    fn finding(&mut self, kernel: &str, buffer: Buffer, at: u64) -> Option<String> {
        let faults = self.run(kernel, 1, buffer, at, INITIALISATION).faults;
        assert!(faults.iter().all(|fault| fault.kind == FaultKind::Uninitialized) && faults.len() < 2);
        faults.first().map(|fault| fault.message.clone())
    }
}

#[test]
fn it_reports_bytes_that_neither_a_launch_nor_the_host_has_written() {
    let mut machine = Machine::new();
    let x = machine.emulator.alloc_uninitialized("x", 64).unwrap();
    assert_eq!(machine.emulator.read(x).unwrap(), [0; 64]);
    let finding = machine.finding("ld4", x, 8);
    assert_eq!(finding.as_deref(), Some("bytes 8 to 11 of `x` were read before they were written"));
    assert!(machine.finding("ld4", x, 8).is_some(), "a read writes nothing");
    // A launch without checkers initialises memory nevertheless.
    machine.run("st4", 1, x, 8, Checks::NONE);
    assert_eq!(machine.finding("ld4", x, 8), None);
    assert_eq!(
        machine.finding("ld8", x, 8).as_deref(),
        Some("bytes 12 to 15 of `x` were read before they were written")
    );
    machine.emulator.write(x).unwrap()[0] = 1;
    assert_eq!(machine.finding("ld8", x, 56), None);
    let y = machine.emulator.alloc("y", 64).unwrap();
    assert_eq!(machine.finding("ld8", y, 0), None, "buffers of `alloc` count as written");
}

#[test]
fn a_finding_is_reported_once_and_counted() {
    let mut machine = Machine::new();
    let x = machine.emulator.alloc_uninitialized("x", 4 * 96).unwrap();
    let faults = machine.run("row", 96, x, 0, INITIALISATION).faults;
    assert_eq!((faults.len(), faults[0].count), (1, 3), "three warps");
    assert!(faults[0].to_string().contains("31 other lanes did the same"), "{}", faults[0]);
    assert!(machine.run("row", 96, x, 0, INITIALISATION).faults.is_empty());
}

#[test]
fn it_can_miss_bytes_that_happen_to_be_written_first_and_local_memory() {
    let mut machine = Machine::new();
    let x = machine.emulator.alloc_uninitialized("x", 4).unwrap();
    // Warp 0 runs first here, but nothing guarantees that.
    assert!(machine.run("other_warp_first", 64, x, 0, INITIALISATION).faults.is_empty());
    assert!(machine.run("local", 1, x, 0, INITIALISATION).faults.is_empty());
}

const CONSTANTS: &str = r"
.version 8.0
.target sm_70
.address_size 64
.const .align 4 .b32 forgotten[2];
.const .align 4 .b32 given[2] = {1, 2};
.const .align 4 .b32 elsewhere;
.visible .entry sum(.param .u64 x) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x];
    ld.const.u32 %r1, [forgotten+4];
    ld.const.u32 %r2, [given];
    add.u32 %r3, %r1, %r2;
    st.global.u32 [%rd1], %r3;
    ret;
}
.visible .entry other(.param .u64 x) {
    .reg .b32 %r<2>;
    ld.const.u32 %r1, [elsewhere];
    ret;
}
.global .align 4 .b32 tickets;
.global .align 4 .b32 failed;
.visible .entry draw(.param .u64 x) {
    .reg .pred %p<2>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x];
    atom.global.add.u32 %r1, [tickets], 1;
    ld.global.u32 %r2, [failed];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.global.u32 [%rd1], %r1;
    ret;
}
";

/// The findings of a launch of `sum`. If `set` names a variable, the host writes that before.
fn findings_of_sum(set: Option<&str>, checks: Checks) -> Vec<(Severity, String)> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("constants.ptx", CONSTANTS).unwrap();
    let x = emulator.alloc("x", 4).unwrap();
    if let Some(name) = set {
        emulator.write(module.variable(name).unwrap()).unwrap().fill(0);
    }
    let launch = Launch { args: vec![x.address().into()], checks, ..Launch::new(1, 32) };
    let faults = emulator.launch(&module, "sum", &launch).unwrap().faults;
    faults.into_iter().map(|fault| (fault.severity, fault.message)).collect()
}

#[test]
fn a_constant_that_was_never_set_is_a_note() {
    let finding = "`forgotten` in constant memory is used at line 12 of the PTX, but it has no initial value and the host has not \
                set it, so it holds zeros";
    assert_eq!(findings_of_sum(None, INITIALISATION), [(Severity::Note, finding.to_string())]);
    assert_eq!(findings_of_sum(Some("elsewhere"), INITIALISATION).len(), 1);
    assert_eq!(findings_of_sum(Some("forgotten"), INITIALISATION), []);
    assert_eq!(findings_of_sum(None, Checks::NONE), []);
}

/// A counter and a flag that neither the host nor an initial value has set: both start as zero, as programs expect.
#[test]
fn a_variable_in_global_memory_that_starts_as_zero_is_not_a_note() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("constants.ptx", CONSTANTS).unwrap();
    let x = emulator.alloc_uninitialized("x", 4).unwrap();
    for ticket in 0..2 {
        let args = vec![x.address().into()];
        let launch = Launch { args, checks: INITIALISATION, ..Launch::new(1, 1) };
        assert_eq!(emulator.launch(&module, "draw", &launch).unwrap().faults, []);
        assert_eq!(emulator.read(x).unwrap(), [ticket, 0, 0, 0]);
    }
}

/// Thousands of accesses of all widths, compared with a model that has one `bool` for each byte.
#[test]
fn it_reports_no_false_alarm_and_misses_no_byte() {
    let mut machine = Machine::new();
    let mut random = Random::new(0);
    let kernels = ["ld1", "ld2", "ld4", "ld8", "st1", "st2", "st4", "st8", "add4", "add8"];
    let mut alarms = 0;
    for _ in 0..40 {
        let x = machine.emulator.alloc_uninitialized("x", 256).unwrap();
        let mut written = [false; 256];
        for _ in 0..100 {
            let kernel = random.pick(&kernels);
            let bytes = u64::from(kernel.as_bytes()[kernel.len() - 1] - b'0');
            let at = random.below(256 / bytes) * bytes;
            let touched = &mut written[at as usize..(at + bytes) as usize];
            let is_early = !kernel.starts_with("st") && touched.contains(&false);
            let finding = machine.finding(kernel, x, at);
            assert_eq!(finding.is_some(), is_early, "{kernel} at {at}: {finding:?}");
            if let Some(first) = touched.iter().position(|written| !written).filter(|_| is_early) {
                let finding = finding.unwrap();
                let first = at as usize + first;
                assert!(
                    finding.starts_with(&format!("bytes {first} "))
                        || finding.starts_with(&format!("byte {first} ")),
                    "{finding}"
                );
                alarms += 1;
            }
            if !kernel.starts_with("ld") {
                touched.fill(true);
            }
        }
        machine.emulator.free(x).unwrap();
    }
    assert!((200..3000).contains(&alarms), "{alarms} alarms");
}
