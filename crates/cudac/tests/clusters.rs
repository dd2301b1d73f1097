//! Clusters: their sizes, cooperative groups, intrinsics, and what `<cuda/ptx>` has for them.

use simt::{Checks, Emulator, Launch, Limits};

/// Compiles a kernel, and runs it with all checks and four blocks of 32 threads; `y` has a word for each thread.
#[track_caller]
fn check(attributes: &str, body: &str, cluster: u32, wanted: impl Fn(i32) -> i32) {
    let text = format!(
        "#include <cooperative_groups.h>\n#include <cuda/ptx>\nnamespace cg = cooperative_groups; namespace ptx = cuda::ptx;
        extern \"C\" __global__ void {attributes} kernel(int* y) {{
            cg::cluster_group cluster = cg::this_cluster();
            int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;\n{body}\n}}"
    );
    let options = cudac::Options { sm: 90, ..cudac::Options::default() };
    let source = cudac::Source { name: "kernel.cu", text: &text };
    let ptx = cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{errors}")).ptx;
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", &ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let y = emulator.alloc("y", 4 * 128).unwrap();
    let launch =
        Launch { checks: Checks::ALL, cluster: (cluster != 1).then(|| cluster.into()), ..Launch::new(4, 32) };
    let report = emulator.launch(&module, "kernel", &launch.arg(y.address())).unwrap();
    assert!(report.faults.is_empty(), "{:?}\n{ptx}", report.faults);
    let bytes = emulator.read(y).unwrap();
    let found: Vec<i32> =
        bytes.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(found, (0..128).map(wanted).collect::<Vec<_>>(), "{ptx}");
}

const PAIRS: &str = "__cluster_dims__(2)";

#[test]
fn a_thread_knows_where_it_is_in_its_cluster() {
    check(PAIRS, "y[i] = cluster.thread_rank() * 1000 + cluster.num_threads();", 1, |i| i % 64 * 1000 + 64);
    check("", "y[i] = cluster.block_rank() * 10 + cluster.num_blocks();", 4, |i| i / 32 * 10 + 4);
    let body = "y[i] = __clusterIdx().x * 100 + __clusterRelativeBlockIdx().x * 10 + __clusterDim().x;";
    check(PAIRS, body, 1, |i| i / 64 * 100 + i / 32 % 2 * 10 + 2);
    check("", "y[i] = __clusterDimIsSpecified() * 10 + cluster.dim_blocks().x;", 1, |_| 1);
    check(PAIRS, "y[i] = __clusterDimIsSpecified() * 10 + __clusterSizeInBlocks();", 1, |_| 12);
}

#[test]
fn a_block_reads_and_adds_in_the_memory_of_another() {
    let body = "__shared__ int box[32]; box[lane] = i; cluster.sync();
        int* there = cluster.map_shared_rank(box, cluster.block_rank() ^ 1); y[i] = there[lane]; cluster.sync();";
    check(PAIRS, body, 1, |i| i ^ 32);
    let body = "__shared__ int sum; if (lane == 0) sum = 0; cluster.sync();
        atomicAdd(cluster.map_shared_rank(&sum, 0), 1); cluster.sync();
        y[i] = cluster.block_rank() == 0 ? sum : (int)cluster.query_shared_rank(cluster.map_shared_rank(&sum, 2));";
    check("", body, 4, |i| if i < 32 { 128 } else { 2 });
    let body = "__shared__ int box[32]; box[lane] = i; __cluster_barrier_arrive(); __cluster_barrier_wait();
        int* there = (int*)__cluster_map_shared_rank(box, 1); y[i] = there[lane] + (int)__cluster_query_shared_rank(there);
        cluster.barrier_wait(cluster.barrier_arrive());";
    check(PAIRS, body, 1, |i| i / 64 * 64 + 32 + i % 32 + 1);
}

#[test]
fn stores_and_copies_to_another_block_are_told_to_its_mbarrier() {
    let begin = "__shared__ alignas(128) int box[32]; __shared__ alignas(128) int own[32]; __shared__ unsigned long barrier;
        own[lane] = i; ptx::fence_proxy_async(ptx::space_shared);
        if (lane == 0) {
            ptx::mbarrier_init(&barrier, 1);
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof(box));
        }
        ptx::barrier_cluster_arrive(ptx::sem_release);
        ptx::barrier_cluster_wait(ptx::sem_acquire);
        unsigned next = cluster.block_rank() ^ 1;
        unsigned long* told = cluster.map_shared_rank(&barrier, next);";
    let end = "while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0)) {}
        y[i] = box[lane]; cluster.sync();";
    let store = "ptx::st_async(cluster.map_shared_rank(&box[lane], next), i, told);";
    check(PAIRS, &format!("{begin}\n{store}\n{end}"), 1, |i| i ^ 32);
    let copy = "if (lane == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(box, next), own, sizeof(own), told);";
    check(PAIRS, &format!("{begin}\n{copy}\n{end}"), 1, |i| i ^ 32);
}

#[test]
fn without_clusters_there_is_no_group_of_one() {
    let text = "#include <cooperative_groups.h>
        extern \"C\" __global__ void kernel() { cooperative_groups::this_cluster().sync(); }";
    let source = cudac::Source { name: "kernel.cu", text };
    let options = cudac::Options { sm: 80, ..cudac::Options::default() };
    let errors = cudac::compile(&source, &options).map(drop).unwrap_err().to_string();
    assert!(errors.contains("this_cluster"), "{errors}");
}
