//! Programs that call the driver through cudarc, as other people's do, run with this library in the place of NVIDIA's.
//!
//! The library is found by its name, when a program begins. So each client is this test's own program, started again with a folder
//! in front in which the library has the driver's name, and a folder for its report. `SEEDS` chooses other sequences.
#![allow(unsafe_code, reason = "calls of the driver")]
#![cfg(target_os = "linux")]
#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "the sums are exact")]

mod boxes;
mod clusters;
mod device_runtime;
mod functions;
mod memory;
mod objects;
mod ptx_run;
mod sequences;

use std::process::Command;
use std::ptr::null_mut;
use std::sync::Arc;

use cuda_host::Unchecked;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx, compile_ptx_with_opts};
use lanes_driver::{Report, settings};

/// The client that the program is, and a number for it.
const CLIENT: &str = "LANES_TEST_CLIENT";
const NUMBER: &str = "LANES_TEST_NUMBER";

const KERNELS: &str = r#"
extern "C" __global__ void add(float* sum, const float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}
extern "C" __global__ void reversed(int* x) {
    __shared__ int part[64];
    part[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = part[63 - threadIdx.x];
}
extern "C" __global__ void beyond(int* x, int n) { x[n + threadIdx.x] = 1; }
extern "C" __global__ void told(int n) { if (threadIdx.x == 0) printf("told %d\n", n); }
__device__ int counter;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
extern "C" __global__ void twice_of(int* x) { if (threadIdx.x == 0) *x *= 2; }
template <typename T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
"#;

/// A client gets a number.
type Client = fn(u64);

/// What a client does, by its name.
const CLIENTS: [(&str, Client); 29] = [
    ("adds", adds),
    ("races", races),
    ("goes_beyond", goes_beyond),
    ("prints_and_counts", prints_and_counts),
    ("loads_and_unloads", loads_and_unloads),
    ("does_anything", sequences::does_anything),
    ("makes_a_graph", makes_a_graph),
    ("calls_back", functions::calls_back),
    ("goes_on", functions::goes_on),
    ("calls_in_order", functions::calls_in_order),
    ("asks_too_much", asks_too_much),
    ("unloads_too_early", unloads_too_early),
    ("forks", forks),
    ("loads_machine_code", loads_machine_code),
    ("launches_often", launches_often),
    ("copies_too_early", memory::copies_too_early),
    ("times_nothing", memory::times_nothing),
    ("pins_much", memory::pins_much),
    ("copies_boxes", boxes::copies_boxes),
    ("launches_clusters", clusters::launches_clusters),
    ("meets", device_runtime::meets),
    ("holds_an_object", objects::holds_an_object),
    ("takes_from_pools", objects::takes_from_pools),
    ("asks_for_tables", objects::asks_for_tables),
    ("compiles_what_is_wrong", compiles_what_is_wrong),
    ("runs_a_text", ptx_run::adds),
    ("runs_a_race", ptx_run::races),
    ("runs_beyond", ptx_run::goes_beyond),
    ("runs_nothing", ptx_run::is_refused),
];

/// A client, and what became of it: what it printed, and its report. It has ended in order.
fn run(name: &str, number: u64) -> (String, Report) {
    let (out, mut reports) = run_all(name, number);
    assert_eq!(reports.len(), 1, "{name}");
    (out, reports.remove(0))
}

/// The same for a client that starts others.
fn run_all(name: &str, number: u64) -> (String, Vec<Report>) {
    let folder = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let library = program.parent().unwrap().join("liblanes_driver.so");
    assert!(library.is_file(), "{} was not built", library.display());
    for name in lanes_driver::NAMES {
        std::os::unix::fs::symlink(&library, folder.path().join(name)).unwrap();
    }
    let output = Command::new(program)
        .args(["--exact", "client", "--nocapture", "--test-threads=1"])
        .env(CLIENT, name)
        .env(NUMBER, number.to_string())
        .env("LD_LIBRARY_PATH", folder.path())
        .env(settings::FOLDER, folder.path())
        .env(settings::CHECK_LAUNCHES, "4")
        .env(settings::MEMORY, (64 << 20).to_string())
        .env(settings::LAUNCH, "{\"max_steps\":1000000}")
        .output()
        .unwrap();
    let [out, errors] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{name} {number}: {}\n{out}\n{errors}", output.status);
    let reports = lanes_driver::read(folder.path()).unwrap();
    assert!(reports.iter().all(|report| report.launches.is_some()), "{name}: {reports:?}");
    (out, reports)
}

/// The kinds and severities of findings, and where each is.
fn told(report: &Report) -> Vec<String> {
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let told = |finding: &serde_json::Value| {
        let place = format!("{}{}:{}", word(&finding["file"]), word(&finding["function"]), finding["line"]);
        format!("{} {} {place}", word(&finding["severity"]), word(&finding["kind"]))
    };
    report.findings.iter().map(told).collect()
}

/// The program that the other tests start; without them it does nothing.
#[test]
fn client() {
    let Ok(name) = std::env::var(CLIENT) else { return };
    let number = std::env::var(NUMBER).unwrap().parse().unwrap();
    let client = CLIENTS.iter().find(|(known, _)| *known == name).unwrap().1;
    client(number);
}

/// A stream, and a kernel of [`KERNELS`].
fn kernel(name: &str) -> (Arc<CudaStream>, CudaFunction) {
    let context = CudaContext::new(0).unwrap();
    let module = context.load_module(compile_ptx(KERNELS).unwrap()).unwrap();
    (context.default_stream(), module.load_function(name).unwrap())
}

fn one_block(threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

fn adds(_: u64) {
    let (stream, add) = kernel("add");
    let n = 1000_usize;
    let a: Vec<f32> = (0..n as u16).map(f32::from).collect();
    let (of_a, of_b) = (stream.clone_htod(&a).unwrap(), stream.clone_htod(&a).unwrap());
    let mut sum = stream.alloc_zeros::<f32>(n).unwrap();
    let count = n as i32;
    let mut launch = stream.launch_builder(&add);
    launch.arg(&mut sum).arg(&of_a).arg(&of_b).arg(&count);
    // SAFETY: the arguments are those of the kernel.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n as u32)) }.unwrap();
    let got = stream.clone_dtoh(&sum).unwrap();
    assert!(got.iter().zip(&a).all(|(got, a)| *got == 2.0 * a));
}

fn races(_: u64) {
    let (stream, reversed) = kernel("reversed");
    let mut x = stream.clone_htod(&[7_i32; 64]).unwrap();
    // SAFETY: the arguments are those of the kernel.
    unsafe { stream.launch_builder(&reversed).arg(&mut x).launch(one_block(64)) }.unwrap();
    assert_eq!(stream.clone_dtoh(&x).unwrap(), [7; 64]);
}

/// What stops a launch breaks the context, until it is reset.
fn goes_beyond(_: u64) {
    let (stream, beyond) = kernel("beyond");
    let mut x = stream.alloc_zeros::<i32>(100).unwrap();
    // SAFETY: the arguments are those of the kernel.
    unsafe { stream.launch_builder(&beyond).arg(&mut x).arg(&90_i32).launch(one_block(32)) }.unwrap();
    let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
    for _ in 0..2 {
        assert_eq!(stream.synchronize().err().map(|DriverError(code, ..)| code), Some(illegal));
    }
    assert!(stream.clone_dtoh(&x).is_err());
    // SAFETY: nothing of the context is used any more but in destructors, which may fail.
    assert_eq!(unsafe { sys::cuDevicePrimaryCtxReset_v2(0) }, CUresult::CUDA_SUCCESS);
    std::mem::forget((x, beyond, stream));
    adds(0);
}

fn prints_and_counts(_: u64) {
    let (stream, told) = kernel("told");
    // SAFETY: the arguments are those of the kernel.
    unsafe { stream.launch_builder(&told).arg(&42_i32).launch(one_block(32)) }.unwrap();
    stream.synchronize().unwrap();
    let context = CudaContext::new(0).unwrap();
    let module = context.load_module(compile_ptx(KERNELS).unwrap()).unwrap();
    let (count, counter) =
        (module.load_function("count").unwrap(), module.get_global("counter", &stream).unwrap());
    // SAFETY: the kernel has no arguments.
    unsafe { stream.launch_builder(&count).launch(one_block(96)) }.unwrap();
    assert_eq!(stream.clone_dtoh(&counter).unwrap(), 96_i32.to_le_bytes());
}

/// Modules come and go, and nothing of them stays.
fn loads_and_unloads(turns: u64) {
    let context = CudaContext::new(0).unwrap();
    let ptx = compile_ptx(KERNELS).unwrap();
    let mut before = 0;
    for turn in 0..2 * turns {
        let module = context.load_module(ptx.clone()).unwrap();
        module.load_function("add").unwrap();
        assert!(module.load_function("nothing").is_err());
        if turn == turns {
            before = resident_bytes();
        }
    }
    let more = resident_bytes().saturating_sub(before);
    assert!(more < 8 << 20, "{more} bytes more after {turns} modules");
}

/// The memory that this process has.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;

/// A kernel of [`KERNELS`] as the driver knows it, in a primary context that is current, and memory for it.
///
/// # Safety
/// The calls are right.
unsafe fn raw(name: &std::ffi::CStr) -> (sys::CUmodule, sys::CUfunction, u64) {
    let options =
        CompileOptions { options: vec!["--minimal".into(), "-UNOTHING".into()], ..Default::default() };
    let ptx = std::ffi::CString::new(compile_ptx_with_opts(KERNELS, options).unwrap().to_src()).unwrap();
    let (mut context, mut module, mut function, mut x) = (null_mut(), null_mut(), null_mut(), 0);
    // SAFETY: every pointer is to a variable here.
    unsafe {
        assert_eq!(sys::cuInit(0), SUCCESS);
        assert_eq!(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0), SUCCESS);
        assert_eq!(sys::cuCtxSetCurrent(context), SUCCESS);
        assert_eq!(sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()), SUCCESS);
        assert_eq!(sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()), SUCCESS);
        assert_eq!(sys::cuMemAlloc_v2(&raw mut x, 1024), SUCCESS);
        assert_eq!(sys::cuMemsetD8_v2(x, 0, 1024), SUCCESS);
    }
    (module, function, x)
}

/// The first 128 words of memory.
///
/// # Safety
/// The address is the device's, or wrong.
unsafe fn words(x: u64) -> Vec<i32> {
    let mut found = vec![0; 128];
    // SAFETY: there is room for as much.
    assert_eq!(unsafe { sys::cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), x, 512) }, SUCCESS);
    found
}

/// Two kernels write the same memory. Without an edge between them, nothing orders the two.
fn makes_a_graph(edges: u64) {
    // SAFETY: every pointer is to a variable here.
    unsafe {
        let (_, beyond, mut x) = raw(c"beyond");
        let mut n = 0_i32;
        let mut arguments = [(&raw mut x).cast(), (&raw mut n).cast()];
        let node = sys::CUDA_KERNEL_NODE_PARAMS {
            func: beyond,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 64,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: arguments.as_mut_ptr(),
            ..std::mem::zeroed()
        };
        let (edges, node) = (edges as usize, &raw const node);
        let (mut graph, mut made) = (null_mut(), null_mut());
        let (mut first, mut second) = (null_mut(), null_mut());
        assert_eq!(sys::cuGraphCreate(&raw mut graph, 0), SUCCESS);
        let code = sys::cuGraphAddKernelNode_v2(&raw mut first, graph, std::ptr::null(), 0, node);
        assert_eq!(code, SUCCESS);
        let code = sys::cuGraphAddKernelNode_v2(&raw mut second, graph, &raw const first, edges, node);
        assert_eq!(code, SUCCESS);
        assert_eq!(sys::cuGraphInstantiateWithFlags(&raw mut made, graph, 0), SUCCESS);
        // The arguments are those of the time when the node was made, until it is changed.
        (&raw mut n).write(64);
        assert_eq!(sys::cuGraphLaunch(made, null_mut()), SUCCESS);
        assert_eq!(words(x), [[1; 64], [0; 64]].concat());
        assert_eq!(sys::cuGraphExecKernelNodeSetParams_v2(made, second, node), SUCCESS);
        assert_eq!(sys::cuGraphLaunch(made, null_mut()), SUCCESS);
        assert_eq!(words(x), [1; 128]);
        let not_its = sys::cuGraphExecKernelNodeSetParams_v2(made, graph.cast(), node);
        assert_eq!(not_its, CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!((sys::cuGraphExecDestroy(made), sys::cuGraphDestroy(graph)), (SUCCESS, SUCCESS));
        sys::cuMemFree_v2(x);
    }
}

/// Sizes that no memory has end at once.
fn asks_too_much(_: u64) {
    // SAFETY: what is wrong is the driver's to refuse.
    unsafe {
        let (_, _, x) = raw(c"count");
        assert_eq!(sys::cuMemsetD2D8_v2(x, 0, 1, 0, 1 << 60), SUCCESS);
        assert_eq!(sys::cuMemsetD2D8_v2(x, 0, 1, 1, 1 << 60), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuMemsetD2D8_v2(x, 1 << 60, 1, 1, 1 << 60), CUresult::CUDA_ERROR_INVALID_VALUE);
        let mut link = null_mut();
        assert_eq!(sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut link), SUCCESS);
        let (kind, text) = (sys::CUjitInputType::CU_JIT_INPUT_PTX, KERNELS.as_ptr().cast_mut().cast());
        let (none, nothing) = (null_mut(), null_mut());
        let code = sys::cuLinkAddData_v2(link, kind, text, 1 << 60, c"a".as_ptr(), 0, none, nothing);
        assert_eq!(code, CUresult::CUDA_ERROR_NOT_SUPPORTED);
        assert_eq!((sys::cuLinkDestroy(link), sys::cuMemFree_v2(x)), (SUCCESS, SUCCESS));
    }
}

/// A graph launches a kernel whose module was unloaded.
fn unloads_too_early(_: u64) {
    // SAFETY: every pointer is to a variable here.
    unsafe {
        let (module, count, x) = raw(c"count");
        let (mut stream, mut graph, mut made) = (null_mut(), null_mut(), null_mut());
        assert_eq!(sys::cuStreamCreate(&raw mut stream, 1), SUCCESS);
        let all = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        assert_eq!(sys::cuStreamBeginCapture_v2(stream, all), SUCCESS);
        let (none, nothing) = (null_mut(), null_mut());
        assert_eq!(sys::cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, stream, none, nothing), SUCCESS);
        assert_eq!(sys::cuStreamEndCapture(stream, &raw mut graph), SUCCESS);
        assert_eq!(sys::cuGraphInstantiateWithFlags(&raw mut made, graph, 0), SUCCESS);
        assert_eq!(sys::cuModuleUnload(module), SUCCESS);
        assert_eq!(sys::cuGraphLaunch(made, stream), CUresult::CUDA_ERROR_INVALID_HANDLE);
        assert_eq!((sys::cuGraphExecDestroy(made), sys::cuGraphDestroy(graph)), (SUCCESS, SUCCESS));
        assert_eq!((sys::cuStreamDestroy_v2(stream), sys::cuMemFree_v2(x)), (SUCCESS, SUCCESS));
    }
}

/// What has no PTX, or PTX that cannot be read.
fn loads_machine_code(_: u64) {
    // SAFETY: the texts end with a zero.
    unsafe {
        let (_, _, x) = raw(c"count");
        let mut module = null_mut();
        let elf = [0x7f_u8, b'E', b'L', b'F', 2, 1, 1, 0];
        let code = sys::cuModuleLoadData(&raw mut module, elf.as_ptr().cast());
        assert_eq!(code, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
        let ptx = c".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k( {";
        let code = sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast());
        assert_eq!(code, CUresult::CUDA_ERROR_INVALID_PTX);
        sys::cuMemFree_v2(x);
    }
}

/// A child of a process that has called the driver cannot call it.
fn forks(_: u64) {
    // SAFETY: the child calls only the driver, and ends.
    unsafe {
        assert_eq!(sys::cuInit(0), SUCCESS);
        let child = libc::fork();
        if child == 0 {
            let codes = [sys::cuInit(0), sys::cuCtxSynchronize()];
            libc::_exit(i32::from(codes != [CUresult::CUDA_ERROR_NOT_INITIALIZED; 2]));
        }
        let mut status = -1;
        libc::waitpid(child, &raw mut status, 0);
        assert_eq!(status, 0);
    }
}

/// More launches than a program of the runtime may have with so few steps for each.
fn launches_often(launches: u64) {
    let (stream, count) = kernel("count");
    for _ in 0..launches {
        // SAFETY: the kernel has no arguments.
        unsafe { stream.launch_builder(&count).launch(one_block(32)) }.unwrap();
    }
    stream.synchronize().unwrap();
}

/// A source that no compiler takes, and one that cudac does not.
fn compiles_what_is_wrong(_: u64) {
    assert!(compile_ptx("__global__ void k(int* x) { x[0] = y; }").is_err());
    assert!(compile_ptx("__global__ void k(int* x) { x[0] = sizeof(typeid(int)); }").is_err());
}

#[test]
fn a_process_may_launch_as_often_as_it_wants() {
    let (_, report) = run("launches_often", 20_000);
    assert_eq!((told(&report), report.launches, report.refused), (vec![], Some(20_000), vec![]));
    // Of the repeated launches, each fourth was checked.
    let unchecked = Unchecked { kernel: "count".to_owned(), unchecked: 14_997, launches: 20_000 };
    assert_eq!(report.unchecked, [unchecked]);
}

#[test]
fn a_source_that_is_refused_is_in_the_report() {
    let (_, report) = run("compiles_what_is_wrong", 0);
    assert_eq!(told(&report), ["warning failed-call nvrtcCompileProgram:0"]);
    let [(place, message)] = &report.refused[..] else { panic!("{report:?}") };
    assert!(place.contains("`nvrtcCompileProgram`") && message.contains("is not supported by this compiler"));
}

#[test]
fn a_text_runs_on_memory_of_the_process() {
    for n in [1, 1000, 100_000] {
        let (_, report) = run("runs_a_text", n);
        assert_eq!((told(&report), report.launches, report.refused), (vec![], Some(1), vec![]), "{n}");
    }
}

#[test]
fn a_race_of_a_text_is_found_at_its_line() {
    let (_, report) = run("runs_a_race", 0);
    assert_eq!(told(&report), ["error race race.ptx:10"]);
}

#[test]
fn a_text_that_leaves_the_memory_of_the_process_is_out_of_bounds() {
    let (_, report) = run("runs_beyond", 0);
    assert_eq!(told(&report), [""; 0]);
    let (_, report) = run("runs_beyond", 1);
    assert_eq!(told(&report), ["error out-of-bounds add.ptx:25"]);
}

#[test]
fn a_text_that_cannot_be_run_is_in_the_report() {
    let (_, report) = run("runs_nothing", 0);
    let refused: Vec<&str> = report.refused.iter().map(|(_, message)| message.as_str()).collect();
    assert!(refused.len() == 1 && refused[0].starts_with("PTX of the text: "), "{refused:?}");
    assert_eq!(told(&report), ["error failed-call ptx_run:0"; 2]);
}

#[test]
fn a_program_that_compiles_its_kernel_gets_the_right_result() {
    let (_, report) = run("adds", 0);
    assert_eq!((told(&report), report.launches, report.refused), (vec![], Some(1), vec![]));
}

#[test]
fn a_planted_race_is_found_at_its_line() {
    let (_, report) = run("races", 0);
    assert_eq!(told(&report), ["error race default_program:9"]);
}

#[test]
fn what_stops_a_launch_breaks_the_context_until_it_is_reset() {
    let (_, report) = run("goes_beyond", 0);
    let told = told(&report);
    assert_eq!(told[0], "error out-of-bounds default_program:11");
    assert!(told.iter().skip(1).all(|told| told.starts_with("note leak")), "{told:?}");
}

#[test]
fn kernels_print_and_variables_are_found_by_name() {
    let (out, report) = run("prints_and_counts", 0);
    assert!(out.contains("told 42\n"), "{out}");
    assert_eq!(told(&report), [""; 0]);
}

#[test]
fn modules_that_are_unloaded_leave_nothing() {
    let (_, report) = run("loads_and_unloads", 100);
    assert_eq!(report.refused, []);
}

#[test]
fn nodes_of_a_graph_are_ordered_by_edges() {
    let (_, report) = run("makes_a_graph", 1);
    assert_eq!(told(&report), ["note failed-call cuGraphExecKernelNodeSetParams_v2:0"]);
    assert_eq!((report.launches, report.refused), (Some(4), vec![]));
    let (_, report) = run("makes_a_graph", 0);
    let told = told(&report);
    assert!(told[0].starts_with("error unsynchronized cuGraphAddKernelNode_v2:"), "{told:?}");
}

#[test]
fn sizes_that_nothing_has_end_at_once() {
    let (_, report) = run("asks_too_much", 0);
    assert_eq!(report.refused.len(), 1, "{report:?}");
}

#[test]
fn a_graph_does_not_launch_what_was_unloaded() {
    let (_, report) = run("unloads_too_early", 0);
    assert_eq!(
        report.findings[0]["message"].as_str(),
        Some("the graph launches `count`, whose module was unloaded (`CUDA_ERROR_INVALID_HANDLE`)")
    );
}

#[test]
fn a_forked_process_is_told_that_it_cannot_call() {
    let (_, reports) = run_all("forks", 0);
    let told: Vec<String> = reports.iter().flat_map(told).collect();
    assert_eq!((reports.len(), told), (2, vec!["note failed-call :null".to_owned()]));
}

#[test]
fn what_is_no_ptx_is_not_emulated() {
    let (_, report) = run("loads_machine_code", 0);
    let [(_, machine_code), (_, ptx)] = &report.refused[..] else { panic!("{report:?}") };
    assert!(machine_code.contains("has no PTX: compile it") && ptx.contains("line 4"), "{report:?}");
    assert_eq!(told(&report), [""; 0]);
}

/// Whatever is called, every call returns, the process ends in order, and each second `cuMemFree` is found.
#[test]
fn any_sequence_of_calls_ends_in_order() {
    let seeds: Vec<u64> = test_support::seeds(12).collect();
    test_support::side_by_side(&seeds, |seed| {
        let (out, report) = run("does_anything", *seed);
        let twice = told(&report).iter().filter(|told| told.contains("double-free")).count();
        assert!(out.contains(&format!("freed twice: {twice}\n")), "seed {seed}: {twice} found, and {out}");
    });
}
