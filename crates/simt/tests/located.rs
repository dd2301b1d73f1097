//! The fields of faults, which programs read in place of the message: the bytes, the memory that contains them, and
//! both threads.

use simt::{
    AccessKind, Actor, Checks, Dim3, Emulator, Fault, FaultKind, Launch, Limits, Location, Report,
    SourceLine, Space,
};

/// Runs `body` with 16 bytes called `x`, whose address is in `%rd1`; `%r1` is the number of the thread.
fn report(body: &str, block: u32, setting: impl FnOnce(Launch) -> Launch) -> (Report, u64) {
    report_of("", body, block, setting)
}

/// The same for PTX that begins with a comment.
fn report_of(comment: &str, body: &str, block: u32, setting: impl FnOnce(Launch) -> Launch) -> (Report, u64) {
    let text = format!(
        "{comment}
         .version 8.0
         .target sm_70
         .file 1 \"k.cu\"
         .file 2 \"header.h\"
         .const .u32 limit[4] = {{1, 2, 3, 4}};
         .visible .entry k(.param .u64 x) {{
             .shared .align 4 .b8 first[64];
             .shared .align 4 .b8 second[128];
             .local .align 4 .b8 own[8];
             .reg .pred %p, %q;
             .reg .b64 %rd<8>;
             .reg .b32 %r<8>;
             .loc 1 12 0
             ld.param.u64 %rd1, [x];
             mov.u32 %r1, %tid.x;
             mul.wide.u32 %rd2, %r1, 4;
             {body}
             ret;
         }}"
    );
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("k.ptx", &text).unwrap();
    let x = emulator.alloc_uninitialized("x", 16).unwrap();
    let launch = setting(Launch { checks: Checks::ALL, ..Launch::new(1, block).arg(x.address()) });
    (emulator.launch(&module, "k", &launch).unwrap(), x.address())
}

fn fault(body: &str, block: u32) -> (Fault, Location, u64) {
    let (mut report, x) = report(body, block, |launch| launch);
    let fault = report.faults.remove(0);
    let location = fault.location.clone().unwrap_or_else(|| panic!("{fault} has no location"));
    (fault, location, x)
}

/// The name, the start and the size of the memory that was accessed.
fn owner(location: &Location) -> (&str, u64, u64) {
    let allocation = location.allocation.as_ref().expect("an allocation");
    (&allocation.name, allocation.address, allocation.bytes)
}

fn access(actor: &Actor) -> (u32, u32, Option<AccessKind>) {
    (actor.warp, actor.lane, actor.access)
}

#[test]
fn an_access_outside_of_a_buffer() {
    let (fault, location, x) = fault("add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;", 40);
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!((location.space, location.address, location.bytes), (Space::Global, x + 16, 4));
    assert_eq!(owner(&location), ("x", x, 16));
    assert_eq!((location.offset(), location.element()), (Some(16), Some(4)));
    let actor = &fault.actors[0];
    assert_eq!(access(actor), (0, 4, Some(AccessKind::Write)));
    assert_eq!((actor.block, actor.thread), (Dim3::new(0, 0, 0), Dim3::new(4, 0, 0)));
    let source = actor.site.source.as_ref().unwrap();
    assert_eq!(
        (source.file.as_str(), source.line, actor.site.ptx.as_str()),
        ("k.cu", 12, "st.global.u32 [%rd2], %r1;")
    );

    let (_, location, x) = self::fault("ld.global.v2.u32 {%r2, %r3}, [%rd1+-8];", 1);
    assert_eq!((location.address, location.bytes), (x - 8, 8));
    assert_eq!((location.offset(), location.element()), (Some(-8), Some(-1)));
}

#[test]
fn an_address_that_belongs_to_nothing() {
    let (fault, location, _) = fault("mov.u64 %rd3, 8; ld.global.u32 %r2, [%rd3];", 1);
    assert_eq!((fault.kind, fault.actors[0].access), (FaultKind::Null, Some(AccessKind::Read)));
    assert_eq!((location.address, location.bytes, &location.allocation), (8, 4, &None));
    assert_eq!(location.element(), None);
}

#[test]
fn an_address_that_is_misaligned_and_a_constant_that_is_written() {
    let (fault, location, x) = fault("ld.global.u32 %r2, [%rd1+5];", 1);
    assert_eq!((fault.kind, location.offset()), (FaultKind::Misaligned, Some(5)));
    assert_eq!(owner(&location), ("x", x, 16));
    let body = "mov.u64 %rd3, limit; cvta.const.u64 %rd3, %rd3; st.u32 [%rd3+4], %r1;";
    let (fault, location, _) = self::fault(body, 1);
    assert_eq!((fault.kind, location.space, location.offset()), (FaultKind::ReadOnly, Space::Const, Some(4)));
    let (name, _, bytes) = owner(&location);
    assert_eq!((name, bytes), ("limit", 16));
}

#[test]
fn shared_and_local_memory() {
    let (fault, location, _) = fault("st.shared.u32 [second+128], %r1;", 1);
    assert_eq!((fault.kind, location.space, location.address), (FaultKind::OutOfBounds, Space::Shared, 192));
    assert_eq!(owner(&location), ("shared memory", 0, 192));
    let (_, location, _) = self::fault("ld.local.u32 %r2, [own+64];", 1);
    assert_eq!((location.space, location.bytes), (Space::Local, 4));
    // Two warps; the second one reads what the first one wrote.
    let body =
        "setp.lt.u32 %p, %r1, 32; @%p st.shared.u32 [second+8], %r1; @!%p ld.shared.u32 %r2, [second+8];";
    let (fault, location, _) = self::fault(body, 33);
    assert_eq!((fault.kind, location.space, location.address), (FaultKind::Race, Space::Shared, 72));
    assert_eq!(owner(&location), ("second", 64, 128));
    assert_eq!((location.offset(), location.element()), (Some(8), Some(2)));
}

#[test]
fn both_threads_of_a_race() {
    let body = "setp.ne.u32 %p, %r1, 0; @%p st.global.u32 [%rd1+12], %r1; @!%p atom.global.add.u32 %r2, [%rd1+12], 1;";
    let (report, x) = report(body, 2, |launch| launch);
    let fault = report.faults.iter().find(|fault| fault.kind == FaultKind::Race).unwrap();
    let location = fault.location.as_ref().unwrap();
    assert_eq!((location.address, location.bytes, location.element()), (x + 12, 4, Some(3)));
    let mut actors = [access(&fault.actors[0]), access(&fault.actors[1])];
    actors.sort();
    assert_eq!(actors, [(0, 0, Some(AccessKind::Update)), (0, 1, Some(AccessKind::Write))]);
}

#[test]
fn bytes_that_had_not_been_written() {
    let (fault, location, x) = fault("ld.global.u16 %r2, [%rd1+6];", 1);
    assert_eq!(fault.kind, FaultKind::Uninitialized);
    assert_eq!((location.address, location.bytes, location.element()), (x + 6, 2, Some(3)));
    assert_eq!((owner(&location), fault.actors[0].access), (("x", x, 16), Some(AccessKind::Read)));
}

#[test]
fn a_fault_without_an_access_has_no_location() {
    let (report, _) = report("trap;", 1, |launch| launch);
    let fault = &report.faults[0];
    assert_eq!((fault.kind, &fault.location, fault.actors[0].access), (FaultKind::Trap, &None, None));
}

#[test]
fn a_stale_read_has_both_values() {
    // The first word is the data, the last one the flag.
    let body = "setp.eq.u32 %p, %r1, 32;
        setp.eq.u32 %q, %r1, 0;
        @%q st.global.u32 [%rd1], 42;
        @%q st.volatile.global.u32 [%rd1+12], 1;
        @%p ld.volatile.global.u32 %r2, [%rd1+12];
        @%p ld.global.u32 %r3, [%rd1];";
    let stale = (0..200).find_map(|seed| {
        let setting = |launch: Launch| Launch { seed, weak_memory: true, ..launch };
        let (report, x) = report(body, 33, setting);
        report.stale_reads.into_iter().map(|stale| (stale, x)).find(|(stale, _)| stale.newest == Some(42))
    });
    let (stale, x) = stale.expect("no seed reads an older value");
    assert_eq!((stale.location.address, stale.location.bytes, stale.returned), (x, 4, 0));
    assert_eq!((stale.reader.access, stale.reader.warp), (Some(AccessKind::Read), 1));
}

#[test]
fn a_line_of_an_inlined_function_comes_with_its_calls() {
    // A header, and a function of the reader's file in it, as a functor that is passed to the header is.
    let header = ".loc 2 7 1, function_name $L__info_string0, inlined_at 1 30 5\n";
    let own = ".loc 1 4 3, function_name $L__info_string1, inlined_at 2 7 1\n";
    let lines = |comment: &str, body: &str| {
        let body = format!("{body} st.global.u32 [%rd1+16], %r1;");
        let fault = report_of(comment, &body, 1, |launch| launch).0.faults.remove(0);
        let site = &fault.actors[0].site;
        let numbers = |lines: &[SourceLine]| lines.iter().map(|line| line.line).collect::<Vec<_>>();
        (numbers(site.source.as_slice()), numbers(&site.calls), fault.actors[0].to_string())
    };
    // NVIDIA's compilers name lines of their own headers, which nobody asked for.
    let nvidias = "// Generated by NVIDIA NVVM Compiler";
    for comment in [nvidias, ""] {
        let (source, calls, _) = lines(comment, "");
        assert_eq!((source, calls), (vec![12], vec![]));
    }
    let (source, calls, _) = lines(nvidias, header);
    assert_eq!((source, calls), (vec![30], vec![]));
    let (source, calls, text) = lines(nvidias, &format!("{header}{own}"));
    assert_eq!((source, calls), (vec![4], vec![30]));
    assert!(text.contains(" at k.cu:4, called at k.cu:30: "), "{text}");
    // Others name only what the reader wrote.
    let (source, calls, text) = lines("", header);
    assert_eq!((source, calls), (vec![7], vec![30]));
    assert!(text.contains(" at header.h:7, called at k.cu:30: "), "{text}");
    let (source, calls, _) = lines("", &format!("{header}{own}"));
    assert_eq!((source, calls), (vec![4], vec![7, 30]));
}

#[test]
fn the_counters_of_an_inlined_function_name_the_calls_in_the_kernel() {
    let call = |line: u32| {
        format!(".loc 1 4 3, function_name $L__info_string1, inlined_at 1 {line} 5\nadd.u32 %r2, %r1, 1;\n")
    };
    let (report, _) = report(&format!("{}{}{}", call(30), call(31), call(30)), 32, |launch| launch);
    let line = report.lines.iter().find(|line| line.source.line == 4).expect("line 4 is counted");
    assert_eq!(line.calls.iter().map(|call| call.line).collect::<Vec<_>>(), [30, 31]);
    assert_eq!(line.counters.ptx_instructions, 3 + 1, "with the return");
}
