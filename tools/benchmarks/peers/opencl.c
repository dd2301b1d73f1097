// Times the kernels of kernels.cl on the first OpenCL device: PoCL's, or Oclgrind's for `oclgrind ./opencl ...`.
//
//   opencl kernels.cl ELEMENTS REPEATS [REDUCTION]
//
// The first line names the device. Then, for each kernel: its name, its threads, and the best and the median of the
// repeats, in millions of threads per second. Only the launch is timed, from the call until it has finished. The launch
// before it, which is not timed, compiles the kernel for its size. Every result is checked after each launch.
// crates/simt/benches/peers.rs does the same on our emulator, and prints the same.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 1024, SIDE = 16, MOST_STEPS = 64, MOST_REPEATS = 100, MOST_SOURCE_BYTES = 1 << 16 };

// What a kernel computes: the sum of each block; a step of Laplace's equation, in square blocks of SIDE times SIDE; or
// the lengths of Collatz sequences, at most MOST_STEPS.
enum kind { REDUCTION, LAPLACE, COLLATZ };

// A kernel, and how many elements each of its threads takes.
struct kernel {
    const char *name;
    enum kind kind;
    size_t elements;
};

static const struct kernel KERNELS[] = {
    {"reduce_neighbored", REDUCTION, 1},
    {"reduce_neighbored_less", REDUCTION, 1},
    {"reduce_interleaved", REDUCTION, 1},
    {"reduce_shared", REDUCTION, 8},
    {"jacobi_whole", LAPLACE, 1},
    {"bench_divergent", COLLATZ, 1},
};

// A launch: how many words it reads and writes, and its threads and blocks, in one dimension or in two.
struct shape {
    size_t input, output, threads[2], block[2];
    cl_uint dimensions;
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

// Of a square of points, the side is a multiple of that of a block, so there may be fewer points than n.
static struct shape shape_of(struct kernel kernel, size_t n) {
    if (kernel.kind == LAPLACE) {
        size_t side = SIDE;
        while ((side + SIDE) * (side + SIDE) <= n) side += SIDE;
        return (struct shape){side * side, side * side, {side, side}, {SIDE, SIDE}, 2};
    }
    size_t per_block = BLOCK * kernel.elements, blocks = (n + per_block - 1) / per_block;
    return (struct shape){n, kernel.kind == REDUCTION ? blocks : n, {blocks * BLOCK, 1}, {BLOCK, 1}, 1};
}

// The input is 0, 1, 2 and so on up to 999, repeated, so no sum overflows, and all means are exact.
static int element(size_t i) { return (int)(i % 1000); }

static cl_uint bits(float value) {
    cl_uint word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static cl_uint input_word(enum kind kind, size_t i) {
    return kind == LAPLACE ? bits((float)element(i)) : (cl_uint)element(i);
}

static cl_uint sum_of_block(size_t n, size_t first, size_t per_block) {
    cl_uint sum = 0;
    for (size_t i = first; i < n && i < first + per_block; i++) sum += (cl_uint)element(i);
    return sum;
}

static cl_uint mean_at(size_t side, size_t i) {
    size_t x = i % side, y = i / side;
    if (x == 0 || x == side - 1 || y == 0 || y == side - 1) return bits((float)element(i));
    return bits(0.25f * (float)(element(i - 1) + element(i + 1) + element(i - side) + element(i + side)));
}

static cl_uint collatz_steps(cl_uint value) {
    cl_uint count = 0;
    for (; value > 1 && count < MOST_STEPS; count++) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    return count;
}

static cl_uint output_word(struct kernel kernel, struct shape shape, size_t i) {
    switch (kernel.kind) {
        case LAPLACE: return mean_at(shape.threads[0], i);
        case COLLATZ: return collatz_steps((cl_uint)element(i));
        default: return sum_of_block(shape.input, i * BLOCK * kernel.elements, BLOCK * kernel.elements);
    }
}

static void check_output(struct kernel kernel, struct shape shape, const cl_uint *output) {
    for (size_t i = 0; i < shape.output; i++) {
        if (output[i] != output_word(kernel, shape, i)) fail("a result is wrong");
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

static void set_argument(cl_kernel kernel, cl_uint *index, size_t bytes, const void *value) {
    check(clSetKernelArg(kernel, (*index)++, bytes, value), "clSetKernelArg");
}

// The arguments in the order in which the kernels take them.
static void set_arguments(cl_kernel cl_kernel, enum kind kind, struct shape shape, cl_mem x, cl_mem y) {
    cl_uint index = 0, n = (cl_uint)shape.input, limit = MOST_STEPS;
    cl_int side = (cl_int)shape.threads[0];
    if (kind == LAPLACE) {
        set_argument(cl_kernel, &index, sizeof side, &side);
        set_argument(cl_kernel, &index, sizeof side, &side);
    }
    set_argument(cl_kernel, &index, sizeof x, &x);
    set_argument(cl_kernel, &index, sizeof y, &y);
    if (kind == COLLATZ) set_argument(cl_kernel, &index, sizeof limit, &limit);
    if (kind != LAPLACE) set_argument(cl_kernel, &index, sizeof n, &n);
}

// Launches the kernel one time more often than it is timed, each time on the same input.
static void measure(struct opencl *cl, struct kernel kernel, size_t n, int repeats) {
    struct shape shape = shape_of(kernel, n);
    size_t threads = shape.threads[0] * shape.threads[1];
    size_t in = shape.input * sizeof(cl_uint), out = shape.output * sizeof(cl_uint);
    cl_uint *input = malloc(in), *output = malloc(out);
    if (!input || !output) fail("there is not enough memory: ask for fewer elements");
    for (size_t i = 0; i < shape.input; i++) input[i] = input_word(kernel.kind, i);

    cl_int status;
    cl_mem x = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, in, NULL, &status);
    check(status, "clCreateBuffer");
    cl_mem y = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, out, NULL, &status);
    check(status, "clCreateBuffer");
    cl_kernel cl_kernel = clCreateKernel(cl->program, kernel.name, &status);
    check(status, "clCreateKernel");
    set_arguments(cl_kernel, kernel.kind, shape, x, y);

    double times[MOST_REPEATS + 1];
    for (int run = 0; run <= repeats; run++) {
        check(clEnqueueWriteBuffer(cl->queue, x, CL_TRUE, 0, in, input, 0, NULL, NULL), "write");
        double start = seconds();
        status = clEnqueueNDRangeKernel(
            cl->queue, cl_kernel, shape.dimensions, NULL, shape.threads, shape.block, 0, NULL, NULL);
        check(status, "launch");
        check(clFinish(cl->queue), "clFinish");
        times[run] = seconds() - start;
        check(clEnqueueReadBuffer(cl->queue, y, CL_TRUE, 0, out, output, 0, NULL, NULL), "read");
        check_output(kernel, shape, output);
    }
    qsort(times + 1, (size_t)repeats, sizeof *times, ascending);
    double best = times[1], median = times[1 + repeats / 2], millions = (double)threads / 1e6;
    printf("%s %zu %.5f %.5f\n", kernel.name, threads, millions / best, millions / median);
    fflush(stdout);

    clReleaseKernel(cl_kernel);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    free(input);
    free(output);
}

int main(int argc, char **argv) {
    if (argc < 4) fail("usage: opencl kernels.cl ELEMENTS REPEATS [REDUCTION]");
    size_t n = strtoull(argv[2], NULL, 10);
    int repeats = atoi(argv[3]);
    if (n == 0 || n > CL_UINT_MAX / 2 || repeats < 1 || repeats > MOST_REPEATS) fail("a number is out of range");
    struct opencl cl = open_first(argv[1]);
    if (argc > 4) {
        measure(&cl, (struct kernel){argv[4], REDUCTION, 1}, n, repeats);
        return 0;
    }
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++) {
        measure(&cl, KERNELS[i], n, repeats);
    }
    return 0;
}
