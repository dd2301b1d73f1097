// A header is missing.
namespace cg = cooperative_groups;

extern "C" __global__ void kernel(int* x) {
    cg::this_thread_block().sync();
}
