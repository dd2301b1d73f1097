// Times the reductions of reduction.cl on the first OpenCL device: PoCL's, or Oclgrind's for `oclgrind ./opencl ...`.
//
//   opencl reduction.cl ELEMENTS REPEATS [KERNEL]
//
// The first line names the device. Then, for each kernel: its name, its threads, and the best and the median of the
// repeats, in millions of threads per second. Only the launch is timed, from the call until it has finished. The launch
// before it, which is not timed, compiles the kernel for its size. The sum of every block is checked after each launch.
// simt/benches/peers.rs does the same on our emulator, and prints the same.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 1024, MOST_REPEATS = 100, MOST_SOURCE_BYTES = 1 << 16 };

// A kernel, and how many elements each of its threads takes.
struct reduction {
    const char *kernel;
    cl_uint elements;
};

static const struct reduction REDUCTIONS[] = {
    {"reduce_neighbored", 1},
    {"reduce_neighbored_less", 1},
    {"reduce_interleaved", 1},
    {"reduce_shared", 8},
};

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

static void fail(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    exit(2);
}

static void check(cl_int status, const char *what) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "error: `%s` failed with OpenCL status %d\n", what, status);
        exit(2);
    }
}

static void print_device(cl_platform_id platform, cl_device_id device) {
    char name[256], version[256], model[256];
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
    check(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof model, model, NULL), "clGetDeviceInfo");
    printf("# %s %s on %s\n", name, version, model);
}

static void build(struct opencl *cl, const char *path) {
    static char source[MOST_SOURCE_BYTES];
    FILE *file = fopen(path, "r");
    if (!file) fail("the file of kernels cannot be opened: give its path first");
    const char *text = source;
    size_t length = fread(source, 1, sizeof source, file);
    fclose(file);
    if (length == sizeof source) fail("the file of kernels is too long");
    cl_int status;
    cl->program = clCreateProgramWithSource(cl->context, 1, &text, &length, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(cl->program, 1, &cl->device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
}

static struct opencl open_first(const char *path) {
    struct opencl cl;
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs: is pocl-opencl-icd installed?");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, NULL), "clGetDeviceIDs");
    print_device(platform, cl.device);
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &status);
    check(status, "clCreateCommandQueue");
    build(&cl, path);
    return cl;
}

// The input is 0, 1, 2 and so on up to 999, repeated, so no sum overflows.
static int element(size_t i) { return (int)(i % 1000); }

static void check_sums(const int *sums, size_t n, size_t per_block) {
    for (size_t first = 0; first < n; first += per_block) {
        int sum = 0;
        for (size_t i = first; i < n && i < first + per_block; i++) sum += element(i);
        if (sums[first / per_block] != sum) fail("the sum of a block is wrong");
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Launches the kernel one time more often than it is timed, each time on the same input.
static void measure(struct opencl *cl, struct reduction reduction, size_t n, int repeats) {
    size_t per_block = (size_t)BLOCK * reduction.elements;
    size_t blocks = (n + per_block - 1) / per_block, threads = blocks * BLOCK, block = BLOCK;
    int *input = malloc(n * sizeof(int)), *sums = malloc(blocks * sizeof(int));
    if (!input || !sums) fail("there is not enough memory: ask for fewer elements");
    for (size_t i = 0; i < n; i++) input[i] = element(i);

    cl_int status;
    cl_mem x = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, n * sizeof(int), NULL, &status);
    check(status, "clCreateBuffer");
    cl_mem y = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, blocks * sizeof(int), NULL, &status);
    check(status, "clCreateBuffer");
    cl_kernel kernel = clCreateKernel(cl->program, reduction.kernel, &status);
    check(status, "clCreateKernel");
    cl_uint length = (cl_uint)n;
    check(clSetKernelArg(kernel, 0, sizeof x, &x), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof y, &y), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof length, &length), "clSetKernelArg");

    double times[MOST_REPEATS + 1];
    for (int run = 0; run <= repeats; run++) {
        check(clEnqueueWriteBuffer(cl->queue, x, CL_TRUE, 0, n * sizeof(int), input, 0, NULL, NULL), "write");
        double start = seconds();
        check(clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &threads, &block, 0, NULL, NULL), "launch");
        check(clFinish(cl->queue), "clFinish");
        times[run] = seconds() - start;
        check(clEnqueueReadBuffer(cl->queue, y, CL_TRUE, 0, blocks * sizeof(int), sums, 0, NULL, NULL), "read");
        check_sums(sums, n, per_block);
    }
    qsort(times + 1, (size_t)repeats, sizeof *times, ascending);
    double best = times[1], median = times[1 + repeats / 2], millions = (double)threads / 1e6;
    printf("%s %zu %.5f %.5f\n", reduction.kernel, threads, millions / best, millions / median);
    fflush(stdout);

    clReleaseKernel(kernel);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    free(input);
    free(sums);
}

int main(int argc, char **argv) {
    if (argc < 4) fail("usage: opencl reduction.cl ELEMENTS REPEATS [KERNEL]");
    size_t n = strtoull(argv[2], NULL, 10);
    int repeats = atoi(argv[3]);
    if (n == 0 || n > CL_UINT_MAX / 2 || repeats < 1 || repeats > MOST_REPEATS) fail("a number is out of range");
    struct opencl cl = open_first(argv[1]);
    if (argc > 4) {
        measure(&cl, (struct reduction){argv[4], 1}, n, repeats);
        return 0;
    }
    for (size_t i = 0; i < sizeof REDUCTIONS / sizeof *REDUCTIONS; i++) {
        measure(&cl, REDUCTIONS[i], n, repeats);
    }
    return 0;
}
