//! `kernels/features_calls.cu`.

use simt::FaultKind;

use crate::args;
use crate::harness::{Case, IntoArg, Setting, numbers};

pub const CASES: &[Case] = &[
    ("call_scalar", call_scalar),
    ("call_struct", call_struct),
    ("call_pointer", call_pointer),
    ("call_in_branch", call_in_branch),
    ("call_recursive", call_recursive),
    ("kernel_struct", kernel_struct),
    ("print_lanes", print_lanes),
    ("trap_negative", trap_negative),
];

const N: usize = 80;

fn values() -> Vec<i32> {
    numbers().map(|n| n as i32 >> 4).take(N).collect()
}

/// Runs a kernel that takes `x` and `z`, with one element for each thread.
fn each(s: &mut Setting, result: impl Fn(usize, i32) -> i32) {
    let x = values();
    let expected: Vec<i32> = x.iter().enumerate().map(|(i, &x)| result(i, x)).collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn call_scalar(s: &mut Setting) {
    each(s, |_, x| x.wrapping_mul(3).wrapping_add(1));
}

fn call_struct(s: &mut Setting) {
    let x = values();
    let expected: Vec<i32> = x.chunks(2).flat_map(|p| [p[0].min(p[1]), p[0].max(p[1])]).collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32 / 2, args!(x, z));
    s.check(z, &expected);
}

fn call_pointer(s: &mut Setting) {
    each(s, |i, x| x + i as i32);
}

fn call_in_branch(s: &mut Setting) {
    each(s, |i, x| if i % 2 == 1 { x.wrapping_mul(3).wrapping_add(1) } else { -x });
}

fn call_recursive(s: &mut Setting) {
    let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34];
    let z = s.output::<i32>(N);
    s.run(1, N as u32, args!(z));
    s.check(z, &(0..N).map(|i| fibonacci[i % 10]).collect::<Vec<_>>());
}

fn kernel_struct(s: &mut Setting) {
    let bytes: Vec<u8> = [3i32, 10, 20, -30].iter().flat_map(|n| n.to_le_bytes()).collect();
    let z = s.output::<i32>(N);
    s.run(1, N as u32, args!(&bytes[..], z));
    s.check(z, &(0..N).map(|i| 3 * i as i32 + [10, 20, -30][i % 3]).collect::<Vec<_>>());
}

fn print_lanes(s: &mut Setting) {
    let mut launch = s.prepare(1, 64);
    launch.args.push(40.into_arg());
    let report = s.launch(&launch);
    let mut lines: Vec<&str> = report.output.lines().collect();
    let mut expected: Vec<String> = (0..40u8)
        .map(|i| {
            let word = if i % 2 == 1 { "odd" } else { "even" };
            format!("thread {i}: {:.2} {} {word}", f64::from(i) / 2.0, char::from(b'a' + i % 26))
        })
        .collect();
    // Warps print in the order of the schedule, and lanes in their own order.
    lines.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

fn trap_negative(s: &mut Setting) {
    let x: Vec<i32> = (0..N as i32).collect();
    let (input, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32, args!(input, z));
    s.check(z, &x);
    let mut wrong = x;
    wrong[37] = -1;
    let input = s.input(&wrong);
    let mut launch = s.prepare(1, N as u32);
    launch.args.extend(args!(input, z));
    let faults = s.launch(&launch).faults;
    assert_eq!((faults[0].kind, faults[0].actors[0].thread.x), (FaultKind::Trap, 37), "{}", faults[0]);
}
