// Several steps of heat on a ring in one launch.
//
// In a step each point becomes half of its own value plus a quarter of the value
// on either side. The points form a ring: the last one lies beside the first.
//
// A block computes 128 points. After one step they depend on one more point on
// either side, after two steps on two more, and so on. So the block loads as many
// points on either side as there are steps, and computes all steps in its tiles.
// In each step there is one point less on either side that can be computed.
//
// u, next: n points, from 1 on. steps: 0 to 8.
// Launch: blocks of 128 threads that cover the ring; the last may overhang it.

#define POINTS 128
#define MOST_STEPS 8

extern "C" __global__ void steps_on_ring(const float* u, float* next, int steps,
                                         int n) {
    __shared__ float tile[2][POINTS + 2 * MOST_STEPS];
    int t = threadIdx.x;
    int cells = POINTS + 2 * steps;
    int first = blockIdx.x * POINTS - steps;  // the point in cell 0

    // TODO: fill tile[0] with the points of all cells, and compute the steps
    // from one tile to the other. The last step goes to tile[steps % 2].

    int i = blockIdx.x * POINTS + t;
    if (i < n) next[i] = tile[steps % 2][steps + t];
}
