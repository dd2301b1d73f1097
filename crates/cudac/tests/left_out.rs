//! Kernels of a program whose host code another compiler reads.

#![cfg(feature = "host")]

const PROGRAM: &str = r#"
#include <vector>
#include "no_such_header.h"
class Base { public: virtual ~Base() {} virtual int f() = 0; };
class Derived : public Base { int f() override { return 1; } };
template <class T> void fill(std::vector<T>& all) { std::vector<T> more; for (auto& each : more) all.push_back(each); }
int Unknown::g() { return 2; }
std::vector<int> everything;
int twice(int x) { return no_such_function(x); }
template <int N> __global__ void add(int* y) { y[threadIdx.x] += N; }
__global__ void set(int* y) { y[threadIdx.x] = 1; }
int main() {
    Derived* d = new Derived;
    cudaStream_t stream;
    set<<<1, 32, 0, stream>>>(nullptr);
    add<3><<<1, 32>>>(nullptr);
    delete d;
}
"#;

fn compiled(text: &str, leaves_host: bool) -> Result<String, String> {
    let source = cudac::Source { name: "program.cu", text };
    let instances = vec!["add<3>".to_owned()];
    let options = cudac::Options { leaves_host, instances, ..cudac::Options::default() };
    cudac::compile(&source, &options).map(|output| output.ptx).map_err(|errors| errors.to_string())
}

#[test]
fn host_code_that_cannot_be_read_is_left_out() {
    let ptx = compiled(PROGRAM, true).unwrap();
    assert!(ptx.contains("_Z3setPi(") && ptx.contains("_Z3addILi3EEvPi("), "{ptx}");
    assert!(compiled(PROGRAM, false).is_err());
}

#[test]
fn device_code_is_not_and_then_all_is_told() {
    let wrong = format!("{PROGRAM}\n__device__ int f() {{ return missing; }}");
    let errors = compiled(&wrong, true).unwrap_err();
    assert!(errors.contains("`missing` is not declared"), "{errors}");
    let wrong = format!("{PROGRAM}\n__global__ void k(Derived* d) {{ Derived x = *d; }}");
    let errors = compiled(&wrong, true).unwrap_err();
    assert!(errors.contains("inheritance is not supported") && errors.contains("Derived"), "{errors}");
    let wrong = format!("{PROGRAM}\n__global__ void k(int* y) {{ *y = ; }}");
    assert!(compiled(&wrong, true).unwrap_err().contains("found `;`"));
}
