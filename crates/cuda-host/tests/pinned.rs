//! Memory of the host that the device can use, and what host code does with memory of both.

mod common;

use common::{printed, run};

const AROUND: &str = "#include <string.h>
struct Pair { int a, b; };
struct View { int n; int* data; };
__global__ void add(int* p, const int* q) { p[threadIdx.x] += q[threadIdx.x]; }
__global__ void through(View v) { if (threadIdx.x < v.n) v.data[threadIdx.x] += 10; }
__global__ void idle(const int* p) {}";

/// The kind of the first finding of a program with these statements.
fn first(statements: &str) -> Option<&'static str> {
    let found = run(&format!("{AROUND}\nint main() {{\nint h[32] = {{1, 2, 3}};\n{statements}\n}}")).findings;
    found.first().map(|found| found.kind.name())
}

/// Every way to get memory that is pinned, and to give it back.
const WAYS: [(&str, &str); 5] = [
    ("int* p; cudaMallocHost(&p, 128);", "cudaFreeHost(p);"),
    ("int* p; cudaHostAlloc(&p, 128, cudaHostAllocMapped);", "cudaFreeHost(p);"),
    ("int* p; cudaHostAlloc((void**)&p, 128, cudaHostAllocDefault);", "cudaFreeHost(p);"),
    (
        "int* p = (int*)malloc(128); cudaHostRegister(p, 128, cudaHostRegisterDefault);",
        "cudaHostUnregister(p); free(p);",
    ),
    ("int p[32]; cudaHostRegister(p, 128, cudaHostRegisterMapped);", "cudaHostUnregister(p);"),
];

#[test]
fn kernels_copies_and_memsets_use_pinned_memory() {
    for (get, back) in WAYS {
        for (what, wanted) in [
            ("for (int i = 0; i < 32; i++) p[i] = i; add<<<1, 32>>>(p, p); cudaDeviceSynchronize(); printf(\"%d\", p[31]);", "62"),
            ("memset(p, 0, 128); int* q; cudaHostGetDevicePointer(&q, p, 0); through<<<1, 32>>>(View{32, q}); cudaDeviceSynchronize(); printf(\"%d\", p[5]);", "10"),
            ("memset(p, 0, 128); through<<<1, 32>>>(View{32, p}); cudaDeviceSynchronize(); printf(\"%d\", p[5]);", "10"),
            ("int h[32] = {7}; cudaMemcpy(p, h, 128, cudaMemcpyHostToDevice); printf(\"%d\", p[0]);", "7"),
            ("int h[32] = {7}; cudaMemcpy(p, h, 128, cudaMemcpyDefault); memcpy(h + 1, p, 4); printf(\"%d\", h[1]);", "7"),
            ("cudaMemset(p, 255, 128); printf(\"%d\", p[31]);", "-1"),
            ("cudaMemsetAsync(p, 255, 128, 0); cudaStreamSynchronize(0); printf(\"%d\", p[31]);", "-1"),
            ("int* d; cudaMalloc(&d, 128); p[3] = 5; cudaMemcpyAsync(d, p, 128, cudaMemcpyHostToDevice); p = p;
              cudaDeviceSynchronize(); p[3] = 6; cudaMemcpy(p, d, 128, cudaMemcpyDeviceToHost); printf(\"%d\", p[3]); cudaFree(d);", "5"),
        ] {
            // An array cannot be assigned.
            let body = format!("{get} {what} {back}").replace("p = p;", "");
            assert_eq!(printed(AROUND, &body), wanted, "{get} {what}");
        }
    }
}

#[test]
fn pinned_memory_is_used_when_nobody_else_uses_it() {
    for (get, _) in WAYS {
        let set = format!("{get} memset(p, 0, 128);");
        let copy = "int* d; cudaMalloc(&d, 128); cudaMemcpyAsync(";
        for (what, wanted) in [
            ("add<<<1, 32>>>(p, h_dev); int x = p[0];".to_owned(), Some("unsynchronized")),
            ("add<<<1, 32>>>(p, h_dev); cudaDeviceSynchronize(); int x = p[0];".to_owned(), None),
            // Reading what a kernel only reads is no conflict; writing is one.
            ("idle<<<1, 32>>>(p); int x = p[0];".to_owned(), None),
            ("idle<<<1, 32>>>(p); p[0] = 1;".to_owned(), Some("unsynchronized")),
            (format!("{copy}p, h_dev, 128, cudaMemcpyDefault); int x = p[0];"), Some("unsynchronized")),
            (format!("{copy}d, p, 128, cudaMemcpyDefault); p[0] = 1;"), Some("unsynchronized")),
            (format!("{copy}d, p, 128, cudaMemcpyDefault); int x = p[0];"), None),
            (format!("{copy}d, p, 64, cudaMemcpyDefault); p[16] = 1;"), None),
            (format!("{copy}d, p, 128, cudaMemcpyDefault); cudaDeviceSynchronize(); p[0] = 1;"), None),
            (format!("{copy}d, p, 128, cudaMemcpyDefault); memset(p, 0, 128);"), Some("unsynchronized")),
            ("cudaMemsetAsync(p, 0, 128, 0); int x = p[0];".to_owned(), Some("unsynchronized")),
        ] {
            let statements = format!(
                "int* h_dev; cudaMalloc(&h_dev, 128); for (int& x : h) x = 1; cudaMemcpy(h_dev, h, 128, cudaMemcpyDefault);
                {set} {what} cudaDeviceSynchronize();"
            );
            // Nothing is freed here.
            assert_eq!(first(&statements).filter(|kind| *kind != "leak"), wanted, "{get} {what}");
        }
    }
}

#[test]
fn mistakes_with_pinned_memory_are_found() {
    for (get, back) in WAYS {
        assert_eq!(first(&format!("{get} int x = p[3];")), Some("uninitialized"), "{get}");
        assert_eq!(first(&format!("{get} p[3] = 1; int x = p[3]; {back}")), None, "{get}");
    }
    let (get, back) = WAYS[0];
    for (what, wanted) in [
        ("p[32] = 1;".to_owned(), "out-of-bounds"),
        (format!("{back} p[0] = 1;"), "use-after-free"),
        (format!("{back} {back}"), "double-free"),
        ("free(p);".to_owned(), "out-of-bounds"),
        ("cudaFree(p);".to_owned(), "unchecked-error"),
        ("cudaHostRegister(p, 128, 0);".to_owned(), "unchecked-error"),
        ("int* q = (int*)malloc(4); cudaFreeHost(q);".to_owned(), "out-of-bounds"),
        ("int* q = (int*)malloc(4); int* r; cudaHostUnregister(q);".to_owned(), "unchecked-error"),
        (
            "int* q = (int*)malloc(4); idle<<<1, 1>>>(q); add<<<1, 1>>>(q, q); cudaDeviceSynchronize();"
                .to_owned(),
            "wrong-space",
        ),
    ] {
        assert_eq!(first(&format!("{get} {what}")), Some(wanted), "{what}");
    }
    let twice = "int* p = (int*)malloc(128); cudaHostRegister(p, 128, 0); cudaHostRegister(p, 64, 0);";
    assert_eq!(first(twice), Some("unchecked-error"));
}

#[test]
fn c_functions_and_objects_use_memory_of_both() {
    for get in ["cudaMallocManaged(&p, 64);", "cudaMallocHost(&p, 64);"] {
        for (what, wanted) in [
            ("memset(p, 0, 64); printf(\"%d\", p[3].b);", "0"),
            (
                "Pair h[2] = {{1, 2}, {3, 4}}; memcpy(p, h, 16); memmove(p + 1, p, 8); printf(\"%d\", p[1].b);",
                "2",
            ),
            ("p[0] = Pair{5, 6}; p[1] = p[0]; Pair x = p[1]; printf(\"%d\", x.b);", "6"),
            ("strcpy((char*)p, \"text\"); printf(\"%s\", (char*)p);", "text"),
            ("snprintf((char*)p, 64, \"%d\", 42); printf(\"%s\", (char*)p);", "42"),
        ] {
            let free = if get.contains("Host") { "cudaFreeHost(p);" } else { "cudaFree(p);" };
            assert_eq!(printed(AROUND, &format!("Pair* p; {get} {what} {free}")), wanted, "{get} {what}");
        }
    }
    for what in ["memset(p, 0, 128);", "memcpy(h, p, 128);", "memmove(p, h, 128);", "p[0]++;"] {
        let managed = "int* p; cudaMallocManaged(&p, 128);";
        assert_eq!(
            first(&format!("{managed} add<<<1, 32>>>(p, p); {what}")),
            Some("unsynchronized"),
            "{what}"
        );
        let waits = "cudaDeviceSynchronize();";
        assert_eq!(
            first(&format!("{managed} add<<<1, 32>>>(p, p); {waits} {what} cudaFree(p);")),
            None,
            "{what}"
        );
    }
    assert_eq!(first("int* p; cudaMallocManaged(&p, 128); memset(p, 0, 129);"), Some("out-of-bounds"));
    assert_eq!(first("int* p; cudaMalloc(&p, 128); memset(p, 0, 128);"), Some("wrong-space"));
}

#[test]
fn attributes_of_pointers_say_whose_memory_it_is() {
    let body = "int *d, *m, *p, h[4], *q = (int*)malloc(64); cudaMalloc(&d, 4); cudaMallocManaged(&m, 4); cudaMallocHost(&p, 4);
        cudaHostRegister(q, 64, 0); cudaPointerAttributes a;
        const void* all[] = {d, m, p, h, q + 3};
        for (const void* x : all) { cudaPointerGetAttributes(&a, x); printf(\"%d%d%d \", a.type, a.hostPointer == x, a.devicePointer != nullptr); }
        cudaHostUnregister(q); free(q); cudaFree(d); cudaFree(m); cudaFreeHost(p);";
    assert_eq!(printed("", body), "201 311 111 010 111 ");
}

/// As on an H200 with CUDA 13: the pointer is null, nothing fails, and nothing leaks.
#[test]
fn memory_of_no_bytes_is_a_null_pointer() {
    let outcome = run(r#"#include <stdio.h>
int main() {
    int *a = (int*)1, *b = (int*)1, *c = (int*)1, *d = (int*)1, value = 3;
    int errors = cudaMalloc(&a, 0) + cudaMallocManaged(&b, 0) + cudaMallocHost(&c, 0) + cudaMallocAsync(&d, 0, 0);
    errors += cudaMemset(a, 1, 0) + cudaMemcpy(a, &value, 0, cudaMemcpyHostToDevice) + cudaMemcpy(&value, b, 0, cudaMemcpyDeviceToHost);
    errors += cudaFree(a) + cudaFree(b) + cudaFreeHost(c) + cudaFreeAsync(d, 0);
    printf("%d %d %d\n", errors, !a && !b && !c && !d, value);
}"#);
    assert_eq!(String::from_utf8_lossy(&outcome.output), "0 1 3\n");
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
}
