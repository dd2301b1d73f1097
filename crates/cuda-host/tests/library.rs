//! What host code uses of the libraries of C and C++. Random numbers are those that GCC 12 prints.

mod common;

use common::{printed, run, run_with};

#[test]
fn random_numbers_are_those_of_gcc() {
    let engine = "#include <random>";
    let body = "std::mt19937 g(42); printf(\"%u %u \", g(), g());
        std::uniform_int_distribution<int> d(1, 6); printf(\"%d %d %d \", d(g), d(g), d(g));
        std::uniform_real_distribution<float> r(0.0f, 1.0f); printf(\"%.9g \", r(g));
        std::normal_distribution<double> n(0.0, 1.0); double a = n(g), b = n(g); printf(\"%.17g %.17g\", a, b);";
    let wanted = "1608637542 3421126067 6 2 5 0.779690981 -1.1978063100887117 2.1416584899523161";
    assert_eq!(printed(engine, body), wanted);
    let body = "std::default_random_engine e; std::uniform_int_distribution<int> d(0, 99); printf(\"%d %d \", d(e), d(e));
        std::uniform_real_distribution<double> r(-1, 1); printf(\"%.17g \", r(e));
        std::mt19937_64 w(7); std::uniform_int_distribution<long> l(0, 1000000000000L); printf(\"%ld\", l(w));";
    assert_eq!(printed(engine, body), "0 13 -0.082699735953560394 754385304153");
}

#[test]
fn a_vector_is_shuffled_as_gcc_shuffles_it() {
    let around = "#include <random>\n#include <vector>\n#include <numeric>";
    let body = "std::mt19937 g(42); g.discard(10); std::vector<int> w(10); std::iota(w.begin(), w.end(), 0);
        std::shuffle(w.begin(), w.end(), g); for (int x : w) printf(\"%d \", x);";
    assert_eq!(printed(around, body), SHUFFLED);
}

/// What GCC 12 prints for the program above.
const SHUFFLED: &str = "4 7 1 6 2 3 0 9 5 8 ";

#[test]
fn strings_are_joined_compared_and_converted() {
    let body = "std::string s = \"ab\"; s += 'c'; s = s + \"de\" + std::to_string(42);
        printf(\"%s %d %d %c %d\", s.c_str(), (int)s.size(), s == \"abcde42\", s[1], std::stoi(\"17\") + (int)s.find(\"de\"));";
    assert_eq!(printed("#include <string>", body), "abcde42 7 1 b 20");
}

#[test]
fn streams_format_numbers() {
    let around = "#include <iostream>\n#include <iomanip>\n#include <sstream>";
    let body = "std::cout << std::setw(6) << 42 << '|' << std::left << std::setw(4) << \"x\" << '|' << std::fixed
        << std::setprecision(3) << 3.14159 << ' ' << std::hex << 255 << std::dec << std::boolalpha << ' ' << true << std::endl;
        std::ostringstream text; text << \"n=\" << 7; printf(\"%s\", text.str().c_str());";
    assert_eq!(printed(around, body), "    42|x   |3.142 ff true\nn=7");
}

#[test]
fn algorithms_work_on_ranges() {
    let around =
        "#include <algorithm>\n#include <numeric>\n#include <vector>\n#include <array>\n#include <limits>
        int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }";
    let body = "std::vector<int> v = {5, 2, 9, 1}; std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
        printf(\"%d %d %d \", v[0], v[3], std::accumulate(v.begin(), v.end(), 0));
        int c[4] = {4, 1, 3, 2}; qsort(c, 4, sizeof(int), compare); printf(\"%d %d \", c[0], c[3]);
        std::array<int, 3> a = {1, 2, 3}; printf(\"%d %d \", *std::max_element(a.begin(), a.end()), (int)a.size());
        printf(\"%d %g\", std::numeric_limits<int>::max(), std::numeric_limits<float>::max());";
    assert_eq!(printed(around, body), "9 1 17 1 4 3 3 2147483647 3.40282e+38");
}

/// The element may be one of the vector, whose memory is given up when it grows.
#[test]
fn an_element_of_a_vector_can_be_appended_to_it() {
    let body = "std::vector<int> v(4, 7); for (int i = 0; i < 5; i++) v.push_back(v[0]); printf(\"%d %d\", v[8], (int)v.size());";
    assert_eq!(printed("#include <vector>", body), "7 9");
}

#[test]
fn a_unique_pointer_frees_what_it_owns_once() {
    let around = "#include <memory>\nstruct Noisy { int id; Noisy(int i) : id(i) {} ~Noisy() { printf(\"-%d\", id); } };";
    let body = "std::unique_ptr<Noisy> u(new Noisy(4)); std::unique_ptr<Noisy> v = std::move(u);
        printf(\"%d %d \", u.get() == nullptr, v->id);";
    assert_eq!(printed(around, body), "1 4 -4");
}

#[test]
fn the_standard_input_is_read_by_c_and_by_streams() {
    let read = |body: &str, input: &str| {
        let text = format!("#include <iostream>\n#include <string>\nint main() {{ {body} }}");
        String::from_utf8(run_with(&text, input).unwrap().output).unwrap()
    };
    let body = "int n; float f; char w[9]; int r = scanf(\"%d %f %8s\", &n, &f, w); printf(\"%d %d %g %s %d\", r, n, f, w, getchar());";
    assert_eq!(read(body, "12 3.5 word"), "3 12 3.5 word -1");
    let body = "char line[16]; int sum = 0; while (fgets(line, sizeof line, stdin)) sum += atoi(line); printf(\"%d\", sum);";
    assert_eq!(read(body, "1\n2\n39"), "42");
    let body = "int n, sum = 0; while (std::cin >> n) sum += n; printf(\"%d\", sum);";
    assert_eq!(read(body, "20 21\n1\n"), "42");
    let body = "std::string line; while (std::getline(std::cin, line)) printf(\"[%s]\", line.c_str());";
    assert_eq!(read(body, "a b\n\nc"), "[a b][][c]");
}

#[test]
fn texts_are_made_and_read() {
    let body =
        "char t[8]; int n = snprintf(t, sizeof t, \"%d-%s\", 12345, \"long\"); printf(\"%s %d \", t, n);
        int a; double b; printf(\"%d \", sscanf(\"7,2.5\", \"%d,%lf\", &a, &b)); printf(\"%d %g\", a, b);";
    assert_eq!(printed("", body), "12345-l 10 2 7 2.5");
}

#[test]
fn the_two_streams_of_output_are_kept_apart() {
    let text = "#include <iostream>\nint main() { printf(\"out \"); fprintf(stderr, \"err %d \", 1); std::cerr << \"two\"; fputs(\"put\", stdout); }";
    let outcome = run(text);
    assert_eq!((&outcome.output[..], &outcome.errors[..]), (&b"out put"[..], &b"err 1 two"[..]));
}

#[test]
fn aligned_memory_begins_at_multiples() {
    let body =
        "void* p; posix_memalign(&p, 4096, 100); char* q = (char*)aligned_alloc(1024, 64); memset(p, 1, 100);
        printf(\"%d %d\", (int)((size_t)p % 4096), (int)((size_t)q % 1024)); free(p); free(q);";
    assert_eq!(printed("", body), "0 0");
}

/// Begin and end are found in the namespace of their argument, as in a call without `std::`.
#[test]
fn the_ends_of_arrays_and_vectors_are_found() {
    let around = "#include <vector>\n#include <algorithm>\nusing std::vector;";
    let body = "vector<int> v(4); std::generate(begin(v), end(v), []() { return 2; }); int a[3] = {1, 2, 3};
        printf(\"%d %d %d\", v[3], (int)(end(v) - begin(v)), (int)(std::end(a) - std::begin(a)));";
    assert_eq!(printed(around, body), "2 4 3");
}

/// Printed by the program below with GCC 12 and glibc.
const OPTIONS: &str = "v n=12 (x) long=5 v | rest -v ? \n";

#[test]
fn options_are_read_as_glibc_reads_them_up_to_the_first_other_word() {
    let around = "#include <getopt.h>\n#include <string.h>";
    let body = "
        char words[9][12] = {\"p\", \"-vn12\", \"-o\", \"x\", \"--long=5\", \"--verbose\", \"rest\", \"-v\", \"\"};
        char* argv[10];
        for (int i = 0; i < 8; i++) argv[i] = words[i];
        struct option known[] = {{\"long\", required_argument, 0, 'l'}, {\"verbose\", no_argument, 0, 'v'}, {0, 0, 0, 0}};
        int c;
        while ((c = getopt_long(8, argv, \"+vn:o:\", known, NULL)) != -1) {
            if (c == 'v') printf(\"v \");
            else if (c == 'n') printf(\"n=%d \", atoi(optarg));
            else if (c == 'o') printf(\"(%s) \", optarg);
            else if (c == 'l') printf(\"long=%s \", optarg);
        }
        printf(\"| %s %s \", argv[optind], argv[optind + 1]);
        char bad[3] = \"-z\";
        char* other[2] = {words[0], bad};
        optind = 1; opterr = 0;
        printf(\"%c \\n\", getopt(2, other, \"v\"));";
    assert_eq!(printed(around, body), OPTIONS);
}

#[test]
fn characters_and_texts_are_found_in_texts() {
    let body = "const char* t = \"a/b/c\"; printf(\"%s %s %s %d\", strchr(t, '/'), strrchr(t, '/'), strstr(t, \"b/\"), strstr(t, \"x\") == nullptr);";
    assert_eq!(printed("#include <string.h>", body), "/b/c /c b/c 1");
}

#[test]
fn a_program_that_keeps_allocating_is_stopped_at_the_bytes_it_may_have() {
    let limits = cuda_host::Limits { memory_bytes: 32 << 20, ..cuda_host::Limits::default() };
    for body in ["while (true) malloc(1000);", "std::vector<int> v; while (true) v.push_back(1);"] {
        let text = format!("#include <stdlib.h>\n#include <vector>\nint main() {{ {body} }}");
        let outcome = common::run_within(&text, "", &limits).unwrap();
        let [finding] = &outcome.findings[..] else { panic!("{body}: {:?}", outcome.findings) };
        assert_eq!((finding.kind, outcome.was_stopped), (cuda_host::Kind::Limit, true));
        assert!(finding.message.contains("needs more than 33554432 bytes of memory"), "{body}: {finding:?}");
    }
}

/// GCC's headers declare more than they have to, and programs rely on it.
#[test]
fn headers_declare_what_those_of_gcc_declare() {
    for (header, body, wanted) in [
        ("cstddef", "std::size_t n = 3; std::ptrdiff_t d = -1; printf(\"%zu %td\", n, d);", "3 -1"),
        ("cstdio", "std::size_t n = 3; printf(\"%zu\", n);", "3"),
        ("cstring", "std::size_t n = std::strlen(\"abc\"); printf(\"%zu\", n);", "3"),
        ("string", "std::size_t n = std::string(\"abc\").size(); printf(\"%zu\", n);", "3"),
        ("vector", "std::size_t n = std::vector<int>(3).size(); printf(\"%zu\", n);", "3"),
        ("algorithm", "printf(\"%d\", std::numeric_limits<int>::max());", "2147483647"),
        ("math.h", "printf(\"%g\", std::sqrt(4.0f) + sqrt(9.0));", "5"),
        (
            "math.h",
            "printf(\"%.9f %.9f %.6f\", sin(8.192e8), cos(1e22), tanf(3e7f));",
            "0.680503013 0.523214785 -3.632342",
        ),
        ("sys/time.h", "struct timeval t; struct timezone z; printf(\"%d\", gettimeofday(&t, &z));", "0"),
    ] {
        assert_eq!(printed(&format!("#include <{header}>"), body), wanted, "{header}");
    }
}

#[test]
fn bytes_are_copied_and_set_in_kernels_as_on_the_host() {
    let around = "#include <cstring>
        __global__ void k(int4* p) { int a[4]; memcpy(a, p, sizeof a); std::memset(a + 1, 1, 4); memcpy(p, a, 16); }";
    let body = "int4 *p, v = {1, 2, 3, 4}, w; cudaMalloc(&p, 16); cudaMemcpy(p, &v, 16, cudaMemcpyDefault); k<<<1, 1>>>(p);
        cudaMemcpy(&v, p, 16, cudaMemcpyDefault); memcpy(&w, &v, 16); cudaFree(p); printf(\"%d %d %d\", w.x, w.y, w.w);";
    assert_eq!(printed(around, body), "1 16843009 4");
    let outcome = run("int main() { int a[2] = {1}, b[1]; memcpy(b, a, 8); }");
    assert_eq!(outcome.findings[0].kind.name(), "out-of-bounds");
}

#[test]
fn numbers_in_hexadecimal() {
    let body = "char text[64]; snprintf(text, sizeof text, \"%.2A|%8a\", 0.7f, 1.0); printf(\"%a %s %#06x\", 0.1, text, 255);";
    assert_eq!(printed("", body), "0x1.999999999999ap-4 0X1.66P-1|  0x1p+0 0x00ff");
}
