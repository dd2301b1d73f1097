//! Random C++ programs whose functions run on both sides: the host's interpreter and a kernel on the emulator compute the
//! same numbers, and so does a C++ compiler where one is installed.
//!
//! `cudac/tests/random` compares kernels of numbers with an evaluator of its own. Here a program is made of what only a
//! front end can judge: types that are declared in functions, overloads, references, templates, lambdas, enumerations,
//! initialisers, scopes. An evaluator of these would be a second front end, so the three ways to run a program judge each
//! other. What both sides of `cudac` take wrongly in the same way, only the C++ compiler finds.
//!
//! `write` makes a program from a seed, statement by statement: those about memory in `memory`, loops in `loops`, constants
//! and what refers to them in `constant`, objects that are made from nothing in `made`. `express` makes its expressions,
//! `around` what precedes the functions, and `native` compiles many programs at once.

/// A line of the program. The format may ask for random numbers.
macro_rules! line {
    ($writer:ident, $($format:tt)*) => {{
        let line = format!($($format)*);
        $writer.line(&line);
    }};
}

mod around;
mod constant;
mod express;
mod loops;
mod made;
mod memory;
mod native;
mod write;

use cuda_host::{Given, Limits};

/// Threads of the kernel, and calls by the host.
const THREADS: usize = 8;

/// What `run` returns for each argument, by the host and by the device.
type Results = (Vec<i64>, Vec<i64>);

/// A program that prints both.
fn whole(functions: &str) -> String {
    format!(
        "#include <cstdio>
#define BOTH __host__ __device__
{functions}
__global__ void kernel(long long* results) {{ results[threadIdx.x] = run(threadIdx.x); }}
int main() {{
    long long* device; long long results[{THREADS}];
    cudaMalloc(&device, sizeof(results));
    kernel<<<1, {THREADS}>>>(device);
    cudaMemcpy(results, device, sizeof(results), cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (int i = 0; i < {THREADS}; i++) printf(\"%lld %lld\\n\", run(i), results[i]);
}}
"
    )
}

fn executed(functions: &str) -> Result<Results, String> {
    let text = whole(functions);
    let source = cudac::Source { name: "program.cu", text: &text };
    let (output, program) =
        cudac::compile_program(&source, &cudac::Options::default()).map_err(|errors| errors.to_string())?;
    let mut limits = Limits { steps: 1 << 22, ..Limits::default() };
    limits.launch.max_steps = 1 << 22;
    let outcome = cuda_host::run(&program, "program.cu", &output.ptx, &Given::default(), &limits)
        .map_err(|error| error.to_string())?;
    if let Some(finding) = outcome.findings.first() {
        return Err(format!("{finding:?}"));
    }
    let printed = String::from_utf8(outcome.output).map_err(|error| error.to_string())?;
    let numbers = |nth: usize| {
        let of_line = |line: &str| line.split(' ').nth(nth).and_then(|number| number.parse().ok());
        printed.lines().map(of_line).collect::<Option<Vec<i64>>>().ok_or(format!("it prints {printed}"))
    };
    Ok((numbers(0)?, numbers(1)?))
}

/// What is wrong with a program.
fn problem(seed: u64, native: Option<&[i64]>) -> Option<String> {
    let functions = write::program(seed, "");
    let told = match executed(&functions) {
        Err(error) => error,
        Ok((host, device)) if host != device => format!("host {host:?}\ndevice {device:?}"),
        Ok((host, _)) if native.is_some_and(|native| native != host) => {
            format!("cudac {host:?}\nC++ {native:?}")
        }
        Ok(_) => return None,
    };
    Some(format!("seed {seed}: {told}\n{functions}"))
}

#[track_caller]
fn check(problems: impl Iterator<Item = Option<String>>) {
    let problems: Vec<String> = problems.flatten().take(3).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn programs_do_the_same_on_both_sides() {
    let seeds: Vec<u64> = test_support::seeds(60).collect();
    check(test_support::side_by_side(&seeds, |seed| problem(*seed, None)).into_iter());
}

#[test]
fn programs_do_what_another_compiler_makes_of_them_skipped_without_cxx() {
    let Some(compiler) = native::Compiler::find() else {
        println!("skipped: there is no C++ compiler");
        return;
    };
    let seeds: Vec<u64> = test_support::seeds(40).collect();
    let batches: Vec<&[u64]> = seeds.chunks(native::BATCH).collect();
    let problems = test_support::side_by_side(&batches, |batch| {
        let results = compiler.results(batch);
        batch.iter().zip(results).map(|(seed, native)| problem(*seed, Some(&native))).collect::<Vec<_>>()
    });
    check(problems.into_iter().flatten());
}
