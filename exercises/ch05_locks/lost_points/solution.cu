// A warp plays in five teams. Each lane scores one point and writes it down
// twice: on the board and on the referee's list.
//
// board and list have five words, all zero before.
extern "C" __global__ void lost_points(int* board, int* list) {
    int team = threadIdx.x % 5;
    board[team] += 1;           // (A)
    atomicAdd(&list[team], 1);  // (B)
}
