//! What orders work of different streams, and what the host has to wait for. Which calls wait was measured on an H200.

mod common;

use common::run;

const AROUND: &str = "
__global__ void set(int* p) { p[threadIdx.x] = 1; }
__global__ void add(int* p) { p[threadIdx.x] += 1; }
void nothing(void*) {}
int main() {
    int *d, *e, *pinned, *managed, h[32];
    cudaMalloc(&d, 128); cudaMalloc(&e, 128); cudaMallocHost(&pinned, 128); cudaMallocManaged(&managed, 128);
    cudaStream_t a, b, free_one; cudaEvent_t event;
    cudaStreamCreate(&a); cudaStreamCreate(&b); cudaEventCreate(&event);
    cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
    memset(pinned, 0, 128); memset(managed, 0, 128); cudaMemset(d, 0, 128); cudaDeviceSynchronize();
";

const END: &str = "
    cudaDeviceSynchronize();
    cudaFree(d); cudaFree(e); cudaFreeHost(pinned); cudaFree(managed);
}";

/// The kind of the first finding of a program with these statements.
#[track_caller]
fn check(statements: &str, wanted: Option<&str>) {
    let outcome = run(&format!("{AROUND}{statements}{END}"));
    let first = outcome.findings.first();
    assert_eq!(first.map(|found| found.kind.name()), wanted, "{statements}: {first:?}");
}

const LATE: Option<&str> = Some("unsynchronized");

#[test]
fn a_stream_that_does_not_block_is_not_ordered_with_the_default_stream() {
    for (one, other, wanted) in [
        ("0", "free_one", LATE),
        ("free_one", "0", LATE),
        ("0", "a", None),
        ("a", "0", None),
        ("a", "b", LATE),
        ("a", "free_one", LATE),
        ("free_one", "free_one", None),
        ("cudaStreamLegacy", "0", None),
        ("cudaStreamPerThread", "0", None),
        ("cudaStreamPerThread", "a", LATE),
        ("cudaStreamLegacy", "free_one", LATE),
    ] {
        check(&format!("set<<<1, 32, 0, {one}>>>(d); add<<<1, 32, 0, {other}>>>(d);"), wanted);
        check(&format!("set<<<1, 32, 0, {one}>>>(d); set<<<1, 32, 0, {other}>>>(e);"), None);
    }
}

#[test]
fn every_way_to_create_a_stream_says_whether_it_blocks() {
    for (create, wanted) in [
        ("cudaStreamCreate(&s)", None),
        ("cudaStreamCreateWithFlags(&s, cudaStreamDefault)", None),
        ("cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)", LATE),
        ("cudaStreamCreateWithPriority(&s, cudaStreamDefault, 0)", None),
        ("cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 0)", LATE),
    ] {
        check(&format!("cudaStream_t s; {create}; set<<<1, 32>>>(d); add<<<1, 32, 0, s>>>(d);"), wanted);
        check(&format!("set<<<1, 32>>>(d); cudaStream_t s; {create}; add<<<1, 32, 0, s>>>(d);"), wanted);
    }
}

/// A copy between host and device has happened when the call returns; one within the device, and a memset, have not.
#[test]
fn calls_of_the_default_stream_are_work_of_it() {
    for (call, wanted) in [
        ("cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice)", None),
        ("cudaMemcpy(d, pinned, 128, cudaMemcpyHostToDevice)", None),
        ("cudaMemcpy(d, managed, 128, cudaMemcpyDefault)", None),
        ("cudaMemcpy(e, d, 128, cudaMemcpyDeviceToDevice)", LATE),
        ("cudaMemcpy2D(e, 32, d, 32, 32, 4, cudaMemcpyDeviceToDevice)", LATE),
        ("cudaMemset(d, 0, 128)", LATE),
        ("cudaMemset2D(d, 32, 0, 32, 4)", LATE),
        ("cudaMemsetAsync(d, 0, 128)", LATE),
        ("cudaMemsetAsync(d, 0, 128, free_one)", None),
        ("cudaMemcpyAsync(d, pinned, 128, cudaMemcpyHostToDevice)", LATE),
        ("cudaMemcpyAsync(d, pinned, 128, cudaMemcpyHostToDevice, free_one)", None),
        ("cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost)", None),
    ] {
        check(&format!("for (int& x : h) x = 1; {call}; add<<<1, 32, 0, free_one>>>(d);"), wanted);
    }
}

#[test]
fn a_call_of_the_default_stream_does_not_wait_for_a_stream_that_does_not_block() {
    for call in [
        "cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost)",
        "cudaMemcpy(e, d, 128, cudaMemcpyDeviceToDevice)",
        "cudaMemset(d, 0, 128)",
    ] {
        check(&format!("set<<<1, 32, 0, free_one>>>(d); {call};"), LATE);
        check(&format!("set<<<1, 32, 0, a>>>(d); {call};"), None);
        check(&format!("set<<<1, 32, 0, free_one>>>(d); cudaStreamSynchronize(free_one); {call};"), None);
    }
}

#[test]
fn the_host_waits_where_it_says_so() {
    for (wait, of_a, of_free) in [
        ("cudaDeviceSynchronize()", None, None),
        ("cudaStreamSynchronize(0)", None, LATE),
        ("cudaStreamSynchronize(cudaStreamLegacy)", None, LATE),
        ("cudaStreamSynchronize(a)", None, LATE),
        ("cudaStreamSynchronize(b)", LATE, LATE),
        ("cudaEventRecord(event); cudaEventSynchronize(event)", None, LATE),
        ("cudaEventRecord(event, a); cudaEventSynchronize(event)", None, LATE),
        ("cudaEventRecord(event, b); cudaEventSynchronize(event)", LATE, LATE),
        ("cudaEventSynchronize(event)", LATE, LATE),
        ("while (cudaStreamQuery(a) == cudaErrorNotReady) {}", None, LATE),
        ("cudaEventRecord(event, a); while (cudaEventQuery(event) != cudaSuccess) {}", None, LATE),
        ("cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost)", None, LATE),
        ("cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost, a)", None, LATE),
        ("cudaMemcpy(e, d, 128, cudaMemcpyDeviceToDevice)", LATE, LATE),
        ("cudaMemset(pinned, 0, 4)", None, LATE),
        ("cudaMemset(e, 0, 4)", LATE, LATE),
        ("int* other; cudaMalloc(&other, 4); cudaFree(other)", None, None),
        ("cudaStreamDestroy(a); cudaStreamDestroy(free_one)", LATE, LATE),
    ] {
        let after = |stream: &str| format!("set<<<1, 32, 0, {stream}>>>(managed); {wait}; managed[0]++;");
        check(&after("a"), of_a);
        check(&after("free_one"), of_free);
    }
}

#[test]
fn events_order_streams_that_do_not_block() {
    let set = "set<<<1, 32, 0, free_one>>>(d);";
    let add = "add<<<1, 32>>>(d);";
    check(&format!("{set} cudaEventRecord(event, free_one); cudaStreamWaitEvent(0, event, 0); {add}"), None);
    check(&format!("cudaEventRecord(event, free_one); {set} cudaStreamWaitEvent(0, event, 0); {add}"), LATE);
    check(&format!("{set} cudaEventRecord(event, free_one); cudaStreamWaitEvent(a, event, 0); {add}"), None);
    check(&format!("{set} cudaEventRecord(event, free_one); {add}"), LATE);
    check(&format!("{set} cudaEventRecord(event, 0); cudaStreamWaitEvent(0, event, 0); {add}"), LATE);
}

#[test]
fn a_function_that_a_stream_calls_sees_what_is_before_it() {
    let around =
        AROUND.replace("{}\nint main", "{}\nvoid look(void* p) { printf(\"%d \", *(int*)p); }\nint main");
    let both = |stream: &str| {
        let text = format!("set<<<1, 32, 0, a>>>(managed); cudaLaunchHostFunc({stream}, look, managed);");
        run(&format!("{around}{text}{END}")).findings.first().map(|found| found.kind.name())
    };
    assert_eq!((both("a"), both("b"), both("0")), (None, LATE, None));
    check("set<<<1, 32, 0, a>>>(managed); cudaLaunchHostFunc(a, nothing, 0); managed[0]++;", LATE);
    let text = "set<<<1, 32>>>(managed); cudaStreamAddCallback(0, done, managed, 0);";
    let done = "{}\nvoid CUDART_CB done(cudaStream_t s, cudaError_t e, void* p) { cudaDeviceSynchronize(); }\nint main";
    let outcome = run(&format!("{}{text}{END}", AROUND.replace("{}\nint main", done)));
    let found =
        outcome.findings.first().map(|found| (found.kind.name(), found.message.contains("NotPermitted")));
    assert_eq!(found, Some(("unchecked-error", true)));
}

#[test]
fn memory_of_a_stream_is_there_in_the_order_of_the_stream() {
    let alloc = "int* m; cudaMallocAsync(&m, 128, a);";
    check(&format!("{alloc} set<<<1, 32, 0, a>>>(m); cudaFreeAsync(m, a);"), None);
    check(&format!("{alloc} set<<<1, 32, 0, b>>>(m); cudaFreeAsync(m, b);"), LATE);
    check(&format!("{alloc} set<<<1, 32, 0, a>>>(m); cudaFreeAsync(m, b);"), LATE);
    check(&format!("{alloc} set<<<1, 32>>>(m); cudaFreeAsync(m, a);"), None);
    check(&format!("{alloc} cudaFreeAsync(m, a); set<<<1, 32, 0, a>>>(m);"), Some("use-after-free"));
}

#[test]
fn a_stream_that_is_not_there_is_an_error() {
    let wanted = Some("unchecked-error");
    check("cudaStreamDestroy(a); cudaStreamSynchronize(a);", wanted);
    check("cudaStreamDestroy(a); cudaMemsetAsync(d, 0, 4, a);", wanted);
    check("cudaStreamDestroy(a); set<<<1, 32, 0, a>>>(d);", wanted);
    check("cudaStreamDestroy(0);", wanted);
    check("cudaStreamDestroy(a); cudaStreamSynchronize(b);", None);
}

/// Events have to be over before the time between them is known.
#[test]
fn the_time_between_events_is_known_when_both_are_over() {
    let record = "float t; cudaEvent_t stop; cudaEventCreate(&stop); cudaEventRecord(event); set<<<1, 32>>>(d); cudaEventRecord(stop);";
    check(&format!("{record} cudaEventElapsedTime(&t, event, stop);"), Some("unchecked-error"));
    for wait in
        ["cudaEventSynchronize(stop)", "cudaDeviceSynchronize()", "cudaMemcpy(h, d, 4, cudaMemcpyDefault)"]
    {
        check(&format!("{record} {wait}; cudaEventElapsedTime(&t, event, stop);"), None);
    }
}

/// A kernel uses variables that are not among its arguments.
#[test]
fn variables_of_the_device_are_used_by_kernels_that_name_them() {
    let around = AROUND.replace(
        "void nothing",
        "__device__ int global_one[32]; __managed__ int shared_one;
        __global__ void store() { global_one[threadIdx.x] = 1; } __global__ void read(int* p) { p[threadIdx.x] = global_one[threadIdx.x]; }
        __global__ void touch() { shared_one = 3; }\nvoid nothing",
    );
    for (statements, wanted) in [
        ("store<<<1, 32>>>(); read<<<1, 32, 0, free_one>>>(d);", LATE),
        ("store<<<1, 32>>>(); read<<<1, 32, 0, a>>>(d);", None),
        ("store<<<1, 32, 0, free_one>>>(); cudaMemcpyFromSymbol(h, global_one, 128);", LATE),
        ("store<<<1, 32, 0, a>>>(); cudaMemcpyFromSymbol(h, global_one, 128);", None),
        (
            "cudaMemcpyToSymbolAsync(global_one, pinned, 128, 0, cudaMemcpyHostToDevice, a); read<<<1, 32, 0, b>>>(d);",
            LATE,
        ),
        (
            "cudaMemcpyToSymbolAsync(global_one, pinned, 128, 0, cudaMemcpyHostToDevice, a); read<<<1, 32, 0, a>>>(d);",
            None,
        ),
        ("touch<<<1, 1>>>(); int x = shared_one;", LATE),
        ("touch<<<1, 1>>>(); cudaDeviceSynchronize(); int x = shared_one;", None),
        ("store<<<1, 32>>>(); int x = shared_one;", None),
    ] {
        let outcome = run(&format!("{around}{statements}{END}"));
        assert_eq!(outcome.findings.first().map(|found| found.kind.name()), wanted, "{statements}");
    }
}

/// Atomics of two kernels need no order among themselves; what else uses the bytes does.
#[test]
fn atomics_of_two_streams_may_meet() {
    let program = |first: &str, second: &str| {
        let around = "__global__ void count(int* p) { atomicAdd(p, 1); }
            __global__ void counts(int* p, int* own) { own[threadIdx.x] = 1; if (atomicAdd(p, 1) < 0) own[0] = 2; }
            __global__ void add(int* p) { p[threadIdx.x] += 1; }
            __global__ void get(const int* p, int* to) { *to = *p; }";
        let main = format!(
            "int *d, *e; cudaMalloc(&d, 128); cudaMalloc(&e, 256); cudaMemset(d, 0, 128); cudaDeviceSynchronize();
            cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b); {first} {second} cudaDeviceSynchronize();
            cudaFree(d); cudaFree(e); cudaStreamDestroy(a); cudaStreamDestroy(b);"
        );
        run(&format!("{around} int main() {{ {main} }}"))
    };
    for (first, second, wanted) in [
        ("count<<<2, 32, 0, a>>>(d);", "count<<<2, 32, 0, b>>>(d);", None),
        ("counts<<<1, 32, 0, a>>>(d, e);", "counts<<<1, 32, 0, b>>>(d, e + 32);", None),
        ("count<<<2, 32, 0, a>>>(d);", "get<<<1, 1, 0, b>>>(d, e);", LATE),
        ("count<<<2, 32, 0, a>>>(d);", "add<<<1, 32, 0, b>>>(d);", LATE),
        ("add<<<1, 32, 0, a>>>(d);", "count<<<2, 32, 0, b>>>(d);", LATE),
        ("count<<<2, 32, 0, a>>>(d);", "cudaMemcpyAsync(e, d, 4, cudaMemcpyDeviceToDevice, b);", LATE),
    ] {
        let outcome = program(first, second);
        let first_one = outcome.findings.first();
        assert_eq!(first_one.map(|found| found.kind.name()), wanted, "{first} {second}: {first_one:?}");
    }
}
