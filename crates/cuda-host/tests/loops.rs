//! Loops that are translated into instructions do what their trees do.

mod common;

use common::{run, run_within};
use cuda_host::Limits;

/// Loops of all kinds, most of which can be translated.
const LOOPS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <math.h>
struct P { int a; float b; double c[3]; };
static int square(int x) { return x * x; }
static double poly(double x, int n) { double s = 1, t = 1; for (int i = 1; i <= n; i++) { t = t * x / i; s += t; if (t < 1e-9) break; } return s; }
static int collatz(long long n) { int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; } return steps; }
static unsigned hash(const char* s) { unsigned h = 2166136261u; while (*s) { h ^= (unsigned char)*s++; h *= 16777619u; } return h; }
static void fill(int* p, int n) { for (int i = 0; i < n; i++) *p++ = i * 3; }
int counter = 0;
int main() {
  int a[64]; float f[64]; double d = 0; short s[16]; unsigned char bytes[32]; long long big = 1; unsigned u = 0; bool flag = false;
  fill(a, 64);
  int sum = 0, i, j = 0;
  for (i = 0; i < 64; i++) { if (i % 7 == 3) continue; if (a[i] > 150) break; sum += a[i]; }
  printf("%d %d\n", sum, i);
  for (int k = 0; k < 16; k++) s[k] = (short)(k * 5000);
  for (int k = 0; k < 32; k++) bytes[k] = (unsigned char)(k * 37);
  int t = 0; for (int k = 0; k < 16; k++) t += s[k]; for (int k = 0; k < 32; k++) t ^= bytes[k] << (k % 5);
  printf("%d\n", t);
  do { j += square(j + 1); } while (j < 1000);
  printf("%d\n", j);
  for (int k = 0; k < 64; k++) f[k] = sqrtf((float)k) + k / 3;
  for (int k = 1; k < 64; ++k) d += f[k] * 0.5 - f[k - 1];
  printf("%.6f\n", d);
  for (int x = 0; x < 5; x++) for (int y = x; y < 5; y++) { int z = x * y; if (z & 1) { z += counter++; } else z -= --counter; big = big * 31 + z; }
  printf("%lld %d\n", big, counter);
  int n = 0; while (n < 20 && a[n] != 30) n++;
  int m = 5; while (m--) u = u * 10u + (unsigned)m;
  printf("%d %u %d\n", n, u, m);
  int p = 0, q[8]; while (p < 8) q[p++] = p * p;
  for (int k = 0; k < 8; k++) printf("%d ", q[k]); printf("\n");
  int most = 0; for (int k = 1; k < 3000; k++) { int c = collatz(k); if (c > most) { most = c; printf("%d:%d ", k, c); } }
  printf("\n%u %.9f\n", hash("thirty-two lanes"), poly(1.5, 40));
  P ps[4]; for (int k = 0; k < 4; k++) { ps[k].a = k; ps[k].b = k * 0.5f; for (int c = 0; c < 3; c++) ps[k].c[c] = k + c * 0.1; }
  double total = 0; for (int k = 0; k < 4; k++) { P& r = ps[k]; total += r.a + r.b; for (double v : r.c) total += v; }
  printf("%.3f\n", total);
  size_t z = 0; for (size_t k = 10; k-- > 0;) z = z * 3 + k; printf("%zu\n", z);
  int w = 0; for (int k = 0; k < 10; k++) { switch (k % 3) { case 0: w += 1; break; case 1: w *= 2; default: w -= 3; } } printf("%d\n", w);
  float g = 0; for (int k = 0; k < 1000; k++) g += 0.1f; printf("%.6f\n", g);
  int v = 0; for (int k = 0, l = 10; k < l; k++, l--) v = v * 2 + (k < 3 || l > 8 && !flag); printf("%d\n", v);
  int cond = 0; for (int k = 0; k < 6; k++) { int e; if (k > 2) e = k; else e = -k; cond = cond * 7 + e; flag = !flag; } printf("%d %d\n", cond, flag);
  int* ptr = &cond; for (int k = 0; k < 4; k++) { cond += k; *ptr *= 2; } printf("%d\n", cond);
  unsigned long long mix = 88172645463325252ull; for (int k = 0; k < 100; k++) { mix ^= mix << 13; mix ^= mix >> 7; mix ^= mix << 17; } printf("%llu\n", mix);
  int c3 = 0; for (int k = 0; k < 5; k++) { if (k == 3) { c3 = k; return printf("left %d\n", c3) - 7; } }
}
"#;

/// What clang 19 makes of it.
const PRINTED: &str = "\
    3321 51\n\
    9915\n\
    1805\n\
    -465.128073\n\
    -2405560776001718735 -9\n\
    10 43210 -1\n\
    0 1 4 9 16 25 36 49 \n\
    2:1 3:7 6:8 7:16 9:19 18:20 25:23 27:111 54:112 73:115 97:118 129:121 171:124 231:127 313:130 327:143 649:144 703:170 871:178 1161:181 2223:182 2463:208 2919:216 \n\
    1152524293 4.481689070\n\
    28.200\n\
    250959\n\
    -27\n\
    99.999046\n\
    28\n\
    -2907 0\n\
    -46490\n\
    10653220568048883440\n\
    left 3\n\
";

#[test]
fn loops_print_what_another_compiler_makes_of_them() {
    let outcome = run(LOOPS);
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    let printed: Vec<&str> = PRINTED.lines().map(str::trim).collect();
    let output = String::from_utf8(outcome.output).unwrap();
    assert_eq!(output.lines().map(str::trim).collect::<Vec<_>>(), printed);
}

#[test]
fn what_is_wrong_in_a_loop_is_found_at_its_line() {
    for (body, kind, line) in [
        ("int a[4];\nfor (int i = 0; i <= 4; i++)\n  a[i] = i;", "out-of-bounds", 5),
        ("int* a = (int*)malloc(16);\nfor (int i = 0; i < 9; i++)\n  a[i] = i;", "out-of-bounds", 5),
        (
            "int* a = (int*)malloc(16);\nint s = 0;\nfor (int i = 0; i < 4; i++)\n  s += a[i];",
            "uninitialized",
            6,
        ),
        ("int s;\nfor (int i = 0; i < 4; i++)\n  s += i;", "uninitialized", 5),
        (
            "for (int i = 0; i < 4; i++) {\n  int s;\n  if (i > 4) s = 1;\n  if (s) i++;\n}",
            "uninitialized",
            6,
        ),
        ("int n = 4, s = 0;\nwhile (n >= 0) {\n  n--;\n  s += 12 / n;\n}", "division-by-zero", 6),
        ("int* a = (int*)malloc(16);\nfree(a);\nfor (int i = 0; i < 4; i++) a[i] = i;", "use-after-free", 5),
        (
            "int* a;\ncudaMalloc(&a, 64);\nfor (int i = 0; i < 4; i++)\n  a[i] = i;\ncudaFree(a);",
            "wrong-space",
            6,
        ),
        (
            "for (int i = 0; i < 4; i++) {\n  int* p = i < 3 ? &n : nullptr;\n  *p = get(i);\n}",
            "out-of-bounds",
            5,
        ),
        ("for (int i = 0; i < 4; i++)\n  n += at(i);", "out-of-bounds", 1),
    ] {
        let text = format!(
            "int n; int table[3]; int at(int i) {{ return table[i]; }}\nint get(int i) {{ return i; }} int main() {{\n{body}\n}}"
        );
        let found = run(&text).findings;
        let first = found.first().unwrap_or_else(|| panic!("nothing is found in {body}"));
        assert_eq!((first.kind.name(), first.line.number()), (kind, line), "{body}: {first:?}");
    }
}

#[test]
fn managed_memory_is_used_in_loops() {
    let text = r#"#include <stdio.h>
        __global__ void twice(int* x) { x[threadIdx.x] *= 2; }
        int main() {
            int *x, sum = 0;
            cudaMallocManaged(&x, 256);
            for (int i = 0; i < 64; i++) x[i] = i;
            twice<<<1, 64>>>(x);
            cudaDeviceSynchronize();
            for (int i = 0; i < 64; i++) sum += x[i];
            printf("%d\n", sum);
            cudaFree(x);
        }"#;
    let outcome = run(text);
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    assert_eq!(outcome.output, b"4032\n");
}

/// A turn of a loop and a call count one each, however they are executed.
#[test]
fn turns_are_counted() {
    let text = "int f(int x) { return x + 1; }\nint main() { int s = 0; for (int i = 0; i < 100; i++) s = f(s); return s - 100; }";
    let ends = |steps| {
        let outcome = run_within(text, "", &Limits { steps, ..Limits::default() }).unwrap();
        outcome.findings.is_empty()
    };
    // One for `main`, 101 tests of the condition, 100 calls.
    assert_eq!([201, 202].map(ends), [false, true]);
}
