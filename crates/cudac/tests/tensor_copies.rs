//! Tensor copies as CUDA C++ has them: `<cuda/ptx>`, `<cuda/barrier>`, and tensor maps that are parameters.

use simt::{Arg, Checks, Emulator, Launch, Limits, Schedule, TensorMap, TensorMapRequest};

/// Columns and rows of the tensor.
const SIZE: u64 = 16;

fn map(address: u64, element: &str, length: u32) -> Arg {
    let request = TensorMapRequest {
        element: TensorMap::element_named(element).unwrap().0,
        rank: 2,
        address,
        sizes: &[SIZE, SIZE],
        strides: &[4 * SIZE],
        lengths: &[length, length],
        steps: &[1, 1],
        ..TensorMapRequest::default()
    };
    Arg::bytes(&TensorMap::encode(&request).unwrap())
}

fn compile(text: &str) -> String {
    let options = cudac::Options { sm: 90, ..cudac::Options::default() };
    let source = cudac::Source { name: "kernel.cu", text };
    cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{errors}")).ptx
}

/// Runs a kernel with a map of `x`, which counts up, and one of `y`, of zeros; what is in `y` then.
fn run(text: &str, threads: u32) -> Vec<i32> {
    let ptx = compile(text);
    let mut found = Vec::new();
    for seed in 0..3 {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("kernel.ptx", &ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let [x, y] = ["x", "y"].map(|name| emulator.alloc(name, 4 * SIZE * SIZE).unwrap());
        let words = emulator.write(x).unwrap().chunks_exact_mut(4);
        (0_i32..).zip(words).for_each(|(number, word)| word.copy_from_slice(&number.to_le_bytes()));
        let launch =
            Launch { checks: Checks::ALL, schedule: Schedule::Random, seed, ..Launch::new(1, threads) };
        let launch = launch.arg(map(x.address(), "i32", 8)).arg(map(y.address(), "i32", 8));
        let report =
            emulator.launch(&module, "kernel", &launch).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        assert!(report.faults.is_empty(), "{:?}\n{ptx}", report.faults);
        let words = emulator.read(y).unwrap().chunks_exact(4);
        found = words.map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect();
    }
    found
}

/// The box at (4, 12) of `x` plus `more`, at (`column`, 2), times `times`.
fn wanted(column: i64, more: i32, times: i32) -> Vec<i32> {
    let size = SIZE as i64;
    let element = |place: i64| {
        let (i, j) = (place % size - column, place / size - 2);
        if !(0..8).contains(&i) || !(0..8).contains(&j) {
            return 0;
        }
        let from = if j < 4 { ((12 + j) * size + 4 + i) as i32 } else { 0 };
        times * (from + more)
    };
    (0..size * size).map(element).collect()
}

#[test]
fn the_functions_of_ptx_copy_boxes() {
    let text = "#include <cuda/ptx>
        namespace ptx = cuda::ptx;
        extern \"C\" __global__ void kernel(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y) {
            __shared__ alignas(128) int tile[8][8];
            __shared__ unsigned long full;
            if (threadIdx.x == 0) {
                ptx::mbarrier_init(&full, 1);
                ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                int at[2] = {4, 12};
                ptx::cp_async_bulk_prefetch_tensor(ptx::space_global, &x, at);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(tile));
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &x, at, &full);
            }
            while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
            tile[threadIdx.x / 8][threadIdx.x % 8] += 5;
            ptx::fence_proxy_async(ptx::space_shared);
            __syncthreads();
            if (threadIdx.x == 0) {
                int at[2] = {12, 2};
                ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &y, at, tile);
                ptx::cp_async_bulk_commit_group();
                ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
                ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &y, at, tile);
                ptx::cp_async_bulk_commit_group();
                ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
            }
        }";
    assert_eq!(run(text, 64), wanted(12, 5, 2));
}

#[test]
fn the_functions_of_barrier_copy_boxes() {
    let text = "#include <cuda/barrier>
        namespace cde = cuda::device::experimental;
        using barrier = cuda::barrier<cuda::thread_scope_block>;
        __device__ void load(void* to, const CUtensorMap& map, barrier& full) {
            cde::cp_async_bulk_tensor_2d_global_to_shared(to, &map, 4, 12, full);
        }
        extern \"C\" __global__ void kernel(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y) {
            __shared__ alignas(128) int tile[8][8];
            __shared__ alignas(8) char bytes[sizeof(barrier)];
            barrier& full = reinterpret_cast<barrier&>(bytes);
            if (threadIdx.x == 0) {
                init(&full, blockDim.x);
                cde::fence_proxy_async_shared_cta();
            }
            __syncthreads();
            barrier::arrival_token token;
            if (threadIdx.x == 0) {
                load(tile, x, full);
                token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
            } else {
                token = full.arrive();
            }
            full.wait(token);
            tile[threadIdx.x / 8][threadIdx.x % 8] += threadIdx.x / 64;
            cde::fence_proxy_async_shared_cta();
            __syncthreads();
            if (threadIdx.x == 0) {
                cde::cp_async_bulk_tensor_2d_shared_to_global(&y, 8, 2, tile);
                cde::cp_async_bulk_commit_group();
                cde::cp_async_bulk_wait_group_read<0>();
            }
        }";
    assert_eq!(run(text, 64), wanted(8, 0, 1));
}

/// What nobody takes the address of is read like any structure.
#[test]
fn a_parameter_that_stays_where_it_is_can_be_read() {
    let text = "struct Two { int a; int b[3]; };
        __device__ int of(const Two& two, int i) { return two.b[i]; }
        extern \"C\" __global__ void kernel(const __grid_constant__ Two two, int* y) {
            y[threadIdx.x] = two.a + of(two, threadIdx.x % 3);
        }";
    let ptx = compile(text);
    assert!(ptx.contains("cvta.param.u64"), "{ptx}");
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", &ptx).unwrap();
    let y = emulator.alloc("y", 4 * 6).unwrap();
    let words: Vec<u8> = [100_i32, 1, 2, 3].iter().flat_map(|word| word.to_le_bytes()).collect();
    let launch = Launch::new(1, 6).arg(Arg::bytes(&words)).arg(y.address());
    let report = emulator.launch(&module, "kernel", &Launch { checks: Checks::ALL, ..launch }).unwrap();
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let found: Vec<u8> = emulator.read(y).unwrap().iter().step_by(4).copied().collect();
    assert_eq!(found, [101, 102, 103, 101, 102, 103]);
}

#[test]
fn a_parameter_that_stays_where_it_is_never_changes() {
    let text = "struct Two { int a, b; }; extern \"C\" __global__ void kernel(__grid_constant__ Two two, int* y) { *y = two.a; }";
    let errors =
        cudac::compile(&cudac::Source { name: "kernel.cu", text }, &cudac::Options::default()).unwrap_err();
    assert!(errors.to_string().contains("no `const` parameter"), "{errors}");
}

#[test]
fn tensor_copies_need_a_target() {
    let text =
        "#include <cuda/ptx>\nextern \"C\" __global__ void kernel(const __grid_constant__ CUtensorMap x) {
        int at[1] = {0}; cuda::ptx::cp_async_bulk_prefetch_tensor(cuda::ptx::space_global, &x, at); }";
    let source = cudac::Source { name: "kernel.cu", text };
    assert!(cudac::compile(&source, &cudac::Options { sm: 80, ..cudac::Options::default() }).is_err());
    assert!(compile(text).contains("cp.async.bulk.prefetch.tensor.1d"));
}

/// What brings the tiles of the products by `wgmma`, without what multiplies them: parts of that file, and a consumer that undoes
/// the swizzle and puts everything where it came from.
const PRODUCTS: &str = include_str!("../../../tools/benchmarks/gpu/products/products_wgmma.cu");

const CONSUMER: &str = r#"
template <int CLUSTER>
__device__ void give_back(Ring& ring, Half* a, Half* b, Tile tile, int& round, int n) {
    int lane = threadIdx.x % 32;
    for (int k = 0; k < n; k += DEPTH, round++) {
        int s = round % STAGES;
        Stage& stage = ring.stages[s];
        wait(ring.full[s], round / STAGES % 2);
        for (int i = threadIdx.x; i < ROWS * DEPTH; i += CONSUMERS) {
            int row = i / DEPTH, column = i % DEPTH;
            a[(tile.row + row) * n + k + column] = stage.a[row][column ^ row % 8 * 8];
        }
        for (int i = threadIdx.x; i < DEPTH * COLUMNS; i += CONSUMERS) {
            int box = i / (DEPTH * DEPTH), row = i / DEPTH % DEPTH, column = i % DEPTH;
            if (tile.row == 0) b[(k + row) * n + tile.column + box * DEPTH + column] = stage.b[box][row][column ^ row % 8 * 8];
        }
        if (lane < CLUSTER) arrive_at(ring.empty[s], lane);
    }
}
template <int CLUSTER>
__device__ void bring(const TensorMap& a, const TensorMap& b, Half* to_a, Half* to_b, int n) {
    extern __shared__ unsigned char memory[];
    Ring& ring = *reinterpret_cast<Ring*>(memory + (1024 - shared_address(memory) % 1024) % 1024);
    if (threadIdx.x < STAGES) {
        init(ring.full[threadIdx.x], 1);
        init(ring.empty[threadIdx.x], CONSUMERS / 32 * CLUSTER);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    wait_for_cluster();
    int round = 0;
    Tile tile = {(int)blockIdx.x * ROWS, 0};
    if (threadIdx.x < CONSUMERS) give_back<CLUSTER>(ring, to_a, to_b, tile, round, n);
    else if (threadIdx.x == CONSUMERS) produce<CLUSTER>(ring, a, b, tile, round, n);
    wait_for_cluster();
}
extern "C" __global__ void alone(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Half* to_a, Half* to_b, int n) {
    bring<1>(a, b, to_a, to_b, n);
}
extern "C" __global__ void __cluster_dims__(2) in_pairs(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Half* to_a, Half* to_b, int n) {
    bring<2>(a, b, to_a, to_b, n);
}
"#;

fn part(name: &str) -> &'static str {
    let after = PRODUCTS.split(&format!("// ANCHOR: {name}\n")).nth(1);
    after
        .and_then(|text| text.split(&format!("// ANCHOR_END: {name}\n")).next())
        .unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn the_producer_of_the_products_brings_their_tiles() {
    const N: u64 = 256;
    let address = "__device__ unsigned shared_address(const void* at) { return (unsigned)__cvta_generic_to_shared(at); }\n";
    let parts =
        [part("shape"), address, part("barriers"), part("boxes"), part("tiles"), part("producer")].concat();
    let ptx = compile(&(parts + CONSUMER));
    for kernel in ["alone", "in_pairs"] {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("kernel.ptx", &ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let [a, b, to_a, to_b] =
            ["a", "b", "to_a", "to_b"].map(|name| emulator.alloc(name, 2 * N * N).unwrap());
        for (buffer, factor) in [(a, 40_503_u32), (b, 30_011)] {
            let halves = emulator.write(buffer).unwrap().chunks_exact_mut(2);
            (1_u32..)
                .zip(halves)
                .for_each(|(i, half)| half.copy_from_slice(&(i.wrapping_mul(factor) as u16).to_le_bytes()));
        }
        let map = |address: u64, rows: u32| {
            let request = TensorMapRequest {
                element: TensorMap::element_named("bf16").unwrap().0,
                rank: 2,
                address,
                sizes: &[N, N],
                strides: &[2 * N],
                lengths: &[64, rows],
                steps: &[1, 1],
                swizzle: 3,
                ..TensorMapRequest::default()
            };
            Arg::bytes(&TensorMap::encode(&request).unwrap())
        };
        let launch = Launch { shared_bytes: 4 * 49_152 + 64 + 1024, ..Launch::new(2, 384) };
        let launch = Launch { checks: Checks::ALL, schedule: Schedule::Random, seed: 5, ..launch };
        let launch = launch.arg(map(a.address(), 128)).arg(map(b.address(), 64));
        let launch = launch.arg(to_a.address()).arg(to_b.address()).arg(N as u32);
        let report = emulator.launch(&module, kernel, &launch).unwrap_or_else(|error| panic!("{error}"));
        assert!(report.faults.is_empty(), "{kernel}: {}", report.faults[0]);
        assert!(emulator.read(a).unwrap() == emulator.read(to_a).unwrap(), "{kernel}");
        assert!(emulator.read(b).unwrap() == emulator.read(to_b).unwrap(), "{kernel}");
    }
}
