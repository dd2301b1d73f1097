//! The inputs and results of the correct kernels of `kernels/patterns.cu`, computed on the host.

/// The threads of a launch, in blocks of 64.
pub const THREADS: usize = 384;

/// The numbers in `x`: below 100, so that they fit into a byte.
pub fn numbers() -> impl Iterator<Item = u32> {
    (0..THREADS as u32).map(|i| i * i % 97)
}

/// The contents of `y` after a kernel.
pub fn expected(kernel: &str) -> Vec<u32> {
    let x: Vec<u32> = numbers().collect();
    let block = |i: usize| i / 64 * 64;
    let sum = |range: std::ops::Range<usize>| x[range].iter().sum::<u32>();
    match kernel {
        "sum_grid" => first([(0..3).map(|stride| sum(128 * stride..THREADS)).sum()]),
        "sum_by_tiles" => each(|i| sum(i / 8 * 8..i / 8 * 8 + 8)),
        "aggregate" => first(x.iter().filter(|&x| x % 3 == 0).map(|_| 1)),
        "tile_double" => each(|i| (0..6).map(|round| x[64 * round + 63 - i % 64]).sum()),
        "relay_named" => first((0..128).map(|i| 6 * x[i / 32 * 32 + 31 - i % 32])),
        "vote_block" => each(|i| voted(&x[block(i)..][..64], x[i])),
        "ticket_lock" => first([12]),
        "spin_lock" | "drawn" => first([384]),
        "broadcast_last" => broadcast_last(&x),
        "look_back" => each(|i| sum(0..block(i))),
        "histogram" => first((0..16).map(|bin| x.iter().filter(|&x| x % 16 == bin).count() as u32)),
        "stencil" => each(|i| if i < 350 { sum(i.saturating_sub(1)..(i + 2).min(350)) } else { 0 }),
        "transpose" => each(|i| x[block(i) + i % 8 * 8 + i % 64 / 8]),
        "exited" => each(|i| if i % 32 < 20 { x[i / 32 * 32 + 19 - i % 32] } else { 0 }),
        "halves" => each(|i| x[i ^ 15]),
        "bytes_as_words" | "by_four" | "generic" => each(|i| x[block(i) + 63 - i % 64]),
        "orders" => {
            let values: Vec<u32> = (0..12).map(|warp| x[32 * warp]).collect();
            first([values.iter().sum()].into_iter().chain(values))
        }
        "polled" => first([2; 32]),
        other => panic!("no result for `{other}`"),
    }
}

fn each(value: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..THREADS).map(value).collect()
}

/// These values, followed by zeros.
fn first(values: impl IntoIterator<Item = u32>) -> Vec<u32> {
    values.into_iter().chain(std::iter::repeat(0)).take(THREADS).collect()
}

/// The result of `vote_block`, which combines three votes of a block with a thread's own value.
fn voted(block: &[u32], own: u32) -> u32 {
    let even = block.iter().filter(|&x| x % 2 == 0).count() as u32;
    let any = u32::from(block.contains(&7));
    own + 1000 * even + 100_000 + 200_000 * any
}

fn broadcast_last(x: &[u32]) -> Vec<u32> {
    let sums: Vec<u32> = x.chunks(64).map(|block| block.iter().sum()).collect();
    let gap = [0; 3];
    let total = [sums.iter().sum()];
    first(total.iter().chain(&sums).chain(&gap).chain(&sums).copied())
}
