//! Groups of threads that are not a block, a tile or a warp, and small things that only kernels of others use.

use simt::{Checks, Emulator, Launch, Limits};

const GROUPS: &str = "#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;";

/// Runs the body of a kernel with some blocks of 64 threads; `y` has a word for each thread, which is its number before.
fn run(around: &str, body: &str, blocks: u32) -> Vec<i32> {
    let text = format!(
        "{around}\nextern \"C\" __global__ void kernel(int* y) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}"
    );
    let source = cudac::Source { name: "kernel.cu", text: &text };
    let ptx =
        cudac::compile(&source, &cudac::Options::default()).unwrap_or_else(|errors| panic!("{errors}")).ptx;
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", &ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let y = emulator.alloc("y", u64::from(4 * 64 * blocks)).unwrap();
    for (at, word) in emulator.write(y).unwrap().chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(at as i32).to_le_bytes());
    }
    let mut launch = Launch::new(blocks, 64).arg(y.address());
    launch.checks = Checks::ALL;
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    assert!(report.faults.is_empty(), "{:?}\n{ptx}", report.faults);
    let bytes = emulator.read(y).unwrap();
    bytes.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[track_caller]
fn check(around: &str, body: &str, wanted: impl Fn(i32) -> i32) {
    let wanted: Vec<i32> = (0..64).map(wanted).collect();
    assert_eq!(run(around, body, 1), wanted);
}

#[test]
fn the_blocks_of_a_grid_wait_for_each_other() {
    let body = "cg::grid_group grid = cg::this_grid();
        y[i] = i + 1; grid.sync(); int other = y[(i + 64) % grid.size()]; grid.sync(); y[i] = other;";
    let wanted: Vec<i32> = (0..256).map(|i| (i + 64) % 256 + 1).collect();
    assert_eq!(run(GROUPS, body, 4), wanted);
}

#[test]
fn one_thread_of_a_group_says_what_all_of_them_get() {
    let body = "auto tile = cg::tiled_partition<8>(cg::this_thread_block());
        y[i] = cg::invoke_one_broadcast(tile, [&] { return i * 10; });";
    check(GROUPS, body, |i| i / 8 * 8 * 10);
}

#[test]
fn tiles_are_divided_by_a_condition_or_a_label() {
    let tile = "auto tile = cg::tiled_partition<32>(cg::this_thread_block()); int lane = i % 32;";
    let body = format!(
        "{tile} auto part = cg::binary_partition(tile, lane % 3 == 0); y[i] = part.size() * 100 + part.thread_rank();"
    );
    check(GROUPS, &body, |i| {
        let lane = i % 32;
        let holds = |k: i32| (k % 3 == 0) == (lane % 3 == 0);
        (0..32).filter(|k| holds(*k)).count() as i32 * 100 + (0..lane).filter(|k| holds(*k)).count() as i32
    });
    let body = format!(
        "{tile} auto part = cg::labeled_partition(tile, lane % 5); y[i] = cg::reduce(part, lane, cg::plus<int>());"
    );
    check(GROUPS, &body, |i| (0..32).filter(|k| k % 5 == i % 32 % 5).sum());
    let body = "if (i % 32 > 4) { auto rest = cg::coalesced_threads(); y[i] = cg::reduce(rest, i % 32, cg::greater<int>()); }";
    check(GROUPS, body, |i| if i % 32 > 4 { 31 } else { i });
}

#[test]
fn a_tile_is_a_group_of_threads() {
    let around = format!(
        "{GROUPS} __device__ int rank(cg::thread_group g) {{ g.sync(); return g.thread_rank() * 100 + g.size(); }}"
    );
    check(&around, "y[i] = rank(cg::tiled_partition<8>(cg::this_thread_block()));", |i| i % 8 * 100 + 8);
    check(&around, "y[i] = rank(cg::this_thread_block());", |i| i * 100 + 64);
}

#[test]
fn atomics_of_every_scope() {
    let around = "__device__ unsigned bits, count = 5;";
    let body =
        "atomicOr_block(&bits, 1u << (i & 31)); atomicInc_system(&count, 0xffffffffu); atomicSub_block(&count, 2u);
        __syncthreads(); if (i == 0) { y[0] = bits == 0xffffffffu; y[1] = (int)count; }";
    check(around, body, |i| [1, 5 + 64 - 128].get(i as usize).copied().unwrap_or(i));
}

#[test]
fn bytes_are_copied_and_set() {
    let body =
        "int a[4] = {i, 2, 3, 4}, b[4]; memcpy(b, a, sizeof(a)); memset(a, 1, 4); y[i] = b[0] + b[3] + a[0];";
    check("", body, |i| i + 4 + 0x0101_0101);
}

#[test]
fn registers_in_asm_need_one_percent_sign_only() {
    check("", "int lane; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane)); y[i] = lane + umin(3u, 7u);", |i| {
        i % 32 + 3
    });
}

#[test]
fn volatile_arrays_of_a_thread() {
    check("", "volatile int a[2]; a[i & 1] = i; y[i] = a[i & 1] * 2;", |i| 2 * i);
}

/// CUDA C++ Programming Guide, "Thread Block tile": objects of any type that can be copied byte by byte are shuffled.
#[test]
fn groups_shuffle_objects() {
    let around = format!(
        "{GROUPS} struct Pair {{ float best; int at; char tag; }}; struct Sum {{ double a; short b[3]; }};"
    );
    let tile = "auto tile = cg::tiled_partition<32>(cg::this_thread_block());";
    let body = format!(
        "{tile} Pair p = {{(float)((i * 7) % 32), i, 'x'}};
         p = cg::reduce(tile, p, [](Pair a, Pair b) {{ return a.best > b.best ? a : b; }}); y[i] = p.at * 1000 + p.tag;"
    );
    check(&around, &body, |i| {
        let first = i / 32 * 32;
        (first..first + 32).max_by_key(|i| i * 7 % 32).unwrap() * 1000 + 120
    });
    let body = format!(
        "{tile} Sum s = {{(double)i, {{1, (short)i, 3}}}}; Sum t = tile.shfl_xor(s, 1), u = tile.shfl_up(s, 1), v = tile.shfl_down(s, 2);
         y[i] = (int)t.a + t.b[1] * 100 + u.b[1] * 10000 + v.b[2] + cg::coalesced_threads().shfl(s, 3).b[0];"
    );
    check(&around, &body, |i| {
        let up = if i % 32 == 0 { i } else { i - 1 };
        (i ^ 1) * 101 + up * 10000 + 4
    });
}

/// No product before is fused with the sum that rounds: the nearest float of 1.4 × 0.5 × 255 is exactly 178.5.
#[test]
fn a_product_is_rounded_before_it_is_rounded_to_an_integer() {
    let body = "float x = 0.399999976f + (i - i), half = 0.5f + (i - i); double d = x;
        y[i] = (int)round((x + 1) * half * 255) * 1000 + (int)roundf((x + 1) * half * 255) + (int)lround((d + 1) * half * 255) * 1000000;";
    check("", body, |_| 178_179_179);
    let body = "float f = i * 0.25f - 4; y[i] = (int)roundf(f) * 100 + (int)round((double)f) + (signbit(roundf(-0.25f)) != 0) * 10000
        + (roundf(0.49999997f) == 0) * 20000 + (roundf(8388609.0f) == 8388609.0f) * 40000 + (round(4503599627370497.0) == 4503599627370497.0) * 80000;";
    check("", body, |i| {
        let rounded = (f64::from(i) * 0.25 - 4.0).round() as i32;
        rounded * 101 + 150_000
    });
}
