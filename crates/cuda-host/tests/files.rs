//! Files of C and of C++: what programs read and write, what is found, and where the bounds are.

mod common;

use common::{Around, run_among};
use cuda_host::{Kind, Limits, Outcome};

const HEADERS: &str = "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <cerrno>\n#include <iostream>\n#include <fstream>\n#include <iomanip>\n#include <string>\n#include <vector>\n";

/// The files around the programs of these tests.
const FILES: [(&str, &[u8]); 4] = [
    ("numbers.txt", b"1 2\n30\n"),
    ("lines.txt", b"first\n\nthird line"),
    ("bytes.bin", b"\x00\x01\xff\n\x80"),
    ("table.csv", b"3 4\na 1.5\nb 2.5\nc -3\n"),
];

fn within(around: &str, body: &str, limits: &Limits) -> Outcome {
    let files = Around { input: "from the input\n7", files: &FILES };
    let text = format!("{HEADERS}{around}\nint main() {{\n{body}\n}}");
    run_among(&text, &files, limits).unwrap_or_else(|error| panic!("{body}: {error}"))
}

/// What statements print, in which nothing is found.
#[track_caller]
fn printed(body: &str) -> String {
    let outcome = within("", body, &Limits::default());
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    String::from_utf8_lossy(&outcome.output).into_owned()
}

/// What statements write into files: names and contents.
#[track_caller]
fn written(body: &str) -> Vec<(String, String)> {
    let outcome = within("", body, &Limits::default());
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    outcome.files.written.into_iter().map(|file| (file.place, text(file.bytes))).collect()
}

#[track_caller]
fn found(body: &str, kind: Kind, words: &str) {
    let outcome = within("", body, &Limits { memory_bytes: 64 << 20, ..Limits::default() });
    let first = outcome.findings.first().unwrap_or_else(|| panic!("nothing is found: {body}"));
    assert!(
        first.kind == kind && first.message.contains(words) && first.line.is_known(),
        "{body}: {first:?}"
    );
}

#[test]
fn files_are_read_by_lines_bytes_and_formats() {
    let body = "FILE* f = fopen(\"lines.txt\", \"r\"); char line[8];
        while (fgets(line, sizeof line, f)) printf(\"[%s]\", line); printf(\"%d%d\", feof(f), ferror(f)); fclose(f);";
    assert_eq!(printed(body), "[first\n][\n][third l][ine]10");
    let body = "FILE* f = fopen(\"bytes.bin\", \"rb\"); int c; while ((c = fgetc(f)) != EOF) printf(\"%d \", c); fclose(f);";
    assert_eq!(printed(body), "0 1 255 10 128 ");
    let body = "FILE* f = fopen(\"numbers.txt\", \"r\"); int n, sum = 0, r; while ((r = fscanf(f, \"%d\", &n)) == 1) sum += n;
        printf(\"%d %d %d\", sum, r, feof(f)); fclose(f);";
    assert_eq!(printed(body), "33 -1 1");
    let body = "FILE* f = fopen(\"table.csv\", \"r\"); int n, m; char c; float x; fscanf(f, \"%d %d\\n\", &n, &m); printf(\"%d\", n * m);
        while (fscanf(f, \" %c %f\", &c, &x) == 2) printf(\" %c%g\", c, x); fclose(f);";
    assert_eq!(printed(body), "12 a1.5 b2.5 c-3");
    let body = "FILE* f = fopen(\"table.csv\", \"r\"); char a[9], b[9], c; fscanf(f, \"%[0-9] %*[^\\n]%c\", a, &c); fscanf(f, \"%8[^]\\n ]\", b); printf(\"%s%d%s\", a, c, b); fclose(f);
        int n; char e; printf(\" %d%d%c\", sscanf(\"7 % x\", \"%d%% %c\", &n, &e), n, e);";
    assert_eq!(printed(body), "310a 27x");
    let body = "unsigned char b[8]; FILE* f = fopen(\"bytes.bin\", \"rb\"); size_t n = fread(b, 2, 4, f); printf(\"%zu %d %d\", n, b[4], feof(f)); fclose(f);";
    assert_eq!(printed(body), "2 128 1");
    let body = "char* line = NULL; size_t room = 0; long n; FILE* f = fopen(\"lines.txt\", \"r\");
        while ((n = getline(&line, &room, f)) != -1) printf(\"%ld \", n); free(line); fclose(f);";
    assert_eq!(printed(body), "6 1 10 ");
}

#[test]
fn places_in_files_are_told_and_changed() {
    let body = "FILE* f = fopen(\"numbers.txt\", \"rb\"); fseek(f, 0, SEEK_END); long n = ftell(f); rewind(f);
        char* t = (char*)malloc(n + 1); t[fread(t, 1, n, f)] = 0; printf(\"%ld %s\", n, t);
        fseek(f, -3, SEEK_END); printf(\"%c\", fgetc(f)); fseek(f, -1, SEEK_CUR); printf(\"%c\", getc(f));
        printf(\"%d\", fseek(f, -1, SEEK_SET)); ungetc('x', f); printf(\"%ld%c%ld\", ftell(f), fgetc(f), ftell(f));
        fpos_t p; fgetpos(f, &p); fgetc(f); fsetpos(f, &p); printf(\"%ld\", ftell(f)); fclose(f); free(t);";
    assert_eq!(printed(body), "7 1 2\n30\n33-14x55");
    let body = "FILE* f = fopen(\"numbers.txt\", \"r\"); while (fgetc(f) != EOF); printf(\"%d\", feof(f)); clearerr(f); printf(\"%d\", feof(f));
        fgetc(f); rewind(f); printf(\"%d\", feof(f)); fputc('x', f); printf(\"%d\", ferror(f)); clearerr(f); printf(\"%d\", ferror(f)); fclose(f);";
    assert_eq!(printed(body), "10010");
}

#[test]
fn what_is_written_is_kept_and_can_be_read_back() {
    let body = "FILE* f = fopen(\"out.txt\", \"w\"); fprintf(f, \"%d %s\\n\", 7, \"text\"); fputs(\"put\", f); fputc('!', f); putc('?', f);
        int v[3] = {1, 2, 3}; fwrite(v, sizeof(int), 3, f); fflush(f); fclose(f);
        f = fopen(\"./out.txt\", \"rb\"); int n, w[3]; char t[8], p[8]; fscanf(f, \"%d %7s\\n\", &n, t); fread(p, 1, 5, f); p[5] = 0;
        printf(\"%d %s %s %d %d\", n, t, p, (int)fread(w, 4, 3, f), w[2]); fclose(f);";
    assert_eq!(printed(body), "7 text put!? 3 3");
    let plain = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(
        written(
            "FILE* f = fopen(\"a\", \"w\"); fputs(\"one\", f); fclose(f); f = fopen(\"a\", \"a\"); fputs(\" two\", f); fclose(f);
            f = fopen(\"b\", \"w\"); fclose(f); f = fopen(\"lines.txt\", \"r\"); fclose(f);"
        ),
        [plain("a", "one two"), plain("b", "")]
    );
    let modes = "FILE* f = fopen(\"numbers.txt\", \"r+\"); fputs(\"9\", f); fseek(f, 0, SEEK_CUR); printf(\"%c\", fgetc(f)); fclose(f);
        f = fopen(\"lines.txt\", \"a+\"); char t[6]; fgets(t, 6, f); fputs(\"!\", f); fclose(f);
        f = fopen(\"new\", \"w+\"); fputs(\"abc\", f); rewind(f); printf(\"%c\", fgetc(f)); fseek(f, 5, SEEK_SET); fputc('e', f); fclose(f);
        printf(\"%d\", fopen(\"new\", \"wx\") == NULL && errno == EEXIST);";
    assert_eq!(
        written(modes),
        [
            plain("lines.txt", "first\n\nthird line!"),
            plain("new", "abc\0\0e"),
            plain("numbers.txt", "9 2\n30\n")
        ]
    );
    assert_eq!(printed(modes), " a1");
    assert_eq!(
        written(
            "FILE* f = fopen(\"p.ppm\", \"wb\"); fprintf(f, \"P6 %c%c%-3c|%3s|%.2s\", 1, 127, 'x', \"y\", \"long\"); fclose(f);"
        ),
        [plain("p.ppm", "P6 \u{1}\u{7f}x  |  y|lo")]
    );
    let byte =
        within("", "FILE* f = fopen(\"b\", \"wb\"); fprintf(f, \"%c\", 200); fclose(f);", &Limits::default());
    assert_eq!(byte.files.written[0].bytes, [200]);
}

#[test]
fn files_are_removed_renamed_and_temporary() {
    let outcome = within(
        "",
        "printf(\"%d\", remove(\"numbers.txt\")); printf(\"%d\", fopen(\"numbers.txt\", \"r\") == NULL); printf(\"%d\", remove(\"none\"));
        FILE* f = fopen(\"a\", \"w\"); fputs(\"x\", f); fclose(f); printf(\"%d\", rename(\"a\", \"b\")); printf(\"%d\", fopen(\"a\", \"r\") == NULL);
        rename(\"lines.txt\", \"c\"); f = fopen(\"d\", \"w\"); fclose(f); remove(\"d\"); printf(\"%d\", rename(\"none\", \"c\"));
        FILE* t = tmpfile(); fputs(\"kept\", t); rewind(t); char s[8]; fgets(s, 8, t); printf(\"%s\", s); fclose(t);",
        &Limits::default(),
    );
    assert_eq!(String::from_utf8_lossy(&outcome.output), "01-101-1kept");
    let names: Vec<_> = outcome.files.written.iter().map(|file| (&*file.path, file.bytes.len())).collect();
    assert_eq!(names, [("b", 1), ("c", 17)]);
    assert_eq!(outcome.files.removed, ["lines.txt", "numbers.txt"]);
}

#[test]
fn the_standard_streams_are_files_like_others() {
    let body = "FILE* in = stdin; char line[32]; fgets(line, 32, in); int n; fscanf(in, \"%d\", &n); FILE* out = n == 7 ? stdout : NULL;
        fprintf(out, \"%s%d %d\", line, n, feof(stdin)); fputs(\" put\", out); fwrite(\"!\", 1, 1, stdout); fputc('.', stdout); fflush(stdout); fflush(NULL);";
    assert_eq!(printed(body), "from the input\n7 1 put!.");
    let around = "static FILE* log_to = stderr; FILE* choose(const char* name) { return name ? fopen(name, \"w\") : stdout; }
        void say(FILE* f, int n) { fprintf(f, \"%d;\", n); }";
    let body = "say(log_to, 1); say(choose(NULL), 2); FILE* f = choose(\"x\"); say(f, 3); if (f != stdout) fclose(f); say(stdout, 4);
        printf(\"%d\", stdin == NULL); setvbuf(stdout, NULL, _IONBF, 0);";
    let outcome = within(around, body, &Limits::default());
    assert_eq!((&*outcome.output, &*outcome.errors), (&b"2;4;0"[..], &b"1;"[..]));
    assert_eq!(outcome.files.written[0].bytes, b"3;");
    assert_eq!(printed("int c, n = 0; while ((c = getchar()) != EOF) n++; printf(\"%d\", n);"), "16");
    let body = "FILE* f = std::fopen(\"numbers.txt\", \"r\"); std::FILE* g = f; int n; std::fscanf(g, \"%d\", &n); std::fprintf(stdout, \"%d\", n); std::fclose(f);";
    assert_eq!(printed(body), "1");
}

#[test]
fn what_cannot_be_opened_is_null_and_errno_says_why() {
    for (call, code, words) in [
        ("fopen(\"none\", \"r\")", "ENOENT", "No such file or directory"),
        ("fopen(\"none\", \"r+\")", "ENOENT", "No such file or directory"),
        ("fopen(\"\", \"w\")", "ENOENT", "No such file or directory"),
        ("fopen(\"missing/x\", \"w\")", "ENOENT", "No such file or directory"),
        ("fopen(\"folder\", \"w\")", "EISDIR", "Is a directory"),
        ("fopen(\"pipe\", \"r\")", "EACCES", "Permission denied"),
        ("fopen(\"/etc/passwd\", \"r\")", "EACCES", "Permission denied"),
        ("fopen(\"numbers.txt\", \"q\")", "EINVAL", "Invalid argument"),
    ] {
        let body = format!(
            "FILE* f = {call}; printf(\"%d %d \", f == NULL, errno == {code}); perror(\"x\"); printf(\"%s\", strerror(errno));"
        );
        let outcome = within("", &body, &Limits::default());
        assert_eq!(String::from_utf8_lossy(&outcome.output), format!("1 1 {words}"), "{call}");
        assert_eq!(String::from_utf8_lossy(&outcome.errors), format!("x: {words}\n"), "{call}");
        let is_outside = call.contains("/etc");
        assert_eq!(outcome.files.outside, if is_outside { vec!["/etc/passwd"] } else { vec![] }, "{call}");
    }
    let null = "FILE* f = fopen(\"/dev/null\", \"r+\"); fputs(\"gone\", f); rewind(f); printf(\"%d %ld\", fgetc(f), ftell(f)); fclose(f);";
    assert_eq!(printed(null), "-1 0");
    assert_eq!(written(null), []);
    // Writing needs nothing of what is there.
    assert_eq!(written("FILE* f = fopen(\"/tmp/x\", \"w\"); fclose(f);")[0].0, "/tmp/x");
}

#[test]
fn streams_read_files() {
    let body = "std::ifstream f(\"numbers.txt\"); int n, sum = 0; while (f >> n) sum += n; std::cout << sum << f.eof() << f.fail() << f.good();";
    assert_eq!(printed(body), "33110");
    let body = "std::ifstream f(\"lines.txt\"); std::string line; while (std::getline(f, line)) std::cout << '[' << line << ']'; f.close();";
    assert_eq!(printed(body), "[first][][third line]");
    let body = "std::ifstream f(\"table.csv\"); std::string name; double x; int n, m; f >> n >> m; while (f >> name >> x) std::cout << name << x << ' ';";
    assert_eq!(printed(body), "a1.5 b2.5 c-3 ");
    let body = "std::ifstream f(std::string(\"bytes.bin\"), std::ios::in | std::ios::binary); f.seekg(0, std::ios::end); size_t n = f.tellg(); f.seekg(0, f ? std::ios::beg : 9);
        std::vector<char> b(n); f.read(b.data(), n); std::cout << n << ' ' << (int)(unsigned char)b[2] << ' ' << f.gcount() << f.good();
        f.read(b.data(), 1); std::cout << f.eof() << f.fail() << f.gcount();";
    assert_eq!(printed(body), "5 255 51110");
    let body = "std::ifstream f(\"bytes.bin\", std::ios::binary | std::ios::ate); std::cout << f.tellg(); f.seekg(1); std::cout << f.peek() << f.get() << (int)(unsigned char)f.get();
        char c; f.get(c); f.ignore(); std::cout << (c == 10) << f.get() << f.eof();";
    assert_eq!(printed(body), "5112551-11");
    let body = "std::ifstream f; if (!f.is_open()) f.open(\"none\"); if (!f) std::cout << \"none\"; f.open(\"numbers.txt\"); if (f.is_open() && f) std::cout << \" there\";
        int n; f >> n; f.close(); std::cout << n << f.is_open() << f.good(); f >> n; std::cout << f.fail();";
    assert_eq!(printed(body), "none there1011");
    let body = "std::ifstream f(\"lines.txt\"); char t[9]; f.getline(t, 9); std::cout << t << '|'; f.getline(t, 9); f.getline(t, 9); std::cout << t << f.fail();";
    assert_eq!(printed(body), "first|third li1");
    let body = "using namespace std; ifstream f(\"table.csv\", ifstream::in | ifstream::binary); string a, b; getline(f, a, ' '); getline(f, b); cout << a << b;
        char* line = NULL; size_t room = 0; FILE* g = fopen(\"numbers.txt\", \"r\"); getline(&line, &room, g); cout << line[2]; free(line); fclose(g);";
    assert_eq!(printed(body), "342");
    let body = "std::string a, b; std::getline(std::cin, a); int n; std::cin >> n; std::cout << a << n << std::cin.eof();";
    assert_eq!(printed(body), "from the input71");
}

#[test]
fn streams_write_files() {
    let plain = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let body = "std::ofstream f(\"a.csv\"); f << \"n,x\" << std::endl; f << std::fixed << std::setprecision(2) << 1 << ',' << 2.5f << \"\\n\" << std::string(\"s\") << std::setw(3) << 7;
        f.write(\"raw\", 3); f.put('!'); f.flush(); f.close(); std::ofstream g(\"b\", std::ios::app); g << true; g.close();
        g.open(\"b\", std::ios::app); g << 'c'; std::ofstream h; h << 1; std::cout << h.fail() << h.is_open() << g.good();";
    assert_eq!(written(body), [plain("a.csv", "n,x\n1,2.50\ns  7raw!"), plain("b", "1c")]);
    assert_eq!(printed(body), "101");
    let body = "{ std::fstream f(\"x\", std::ios::in | std::ios::out | std::ios::trunc); f << 12 << ' ' << 30; f.seekg(0); int a, b; f >> a >> b; std::cout << a + b; f.clear(); f << '!'; }
        std::fstream g(\"none\"); std::cout << !g; std::fstream r(\"numbers.txt\", std::ios::in); std::string l; std::getline(r, l); std::cout << l; r << 1; std::cout << r.bad();";
    assert_eq!(written(body), [plain("x", "12 30!")]);
    assert_eq!(printed(body), "4211 21");
    // Streams of files are what functions of streams take.
    let around = "struct P { int x; }; std::ostream& operator<<(std::ostream& o, const P& p) { return o << '<' << p.x << '>'; }
        std::istream& operator>>(std::istream& i, P& p) { return i >> p.x; }
        void save(std::ostream& o, int n) { o << n; } int load(std::istream& i) { int n = 0; i >> n; return n; }";
    let body = "std::ofstream f(\"p\"); P p = {5}; f << p << ' ' << p; save(f, 6); f.close(); std::ifstream g(\"numbers.txt\"); std::cout << load(g); g >> p; std::cout << p; save(std::cout, 3);";
    let outcome = within(around, body, &Limits::default());
    assert_eq!((&*outcome.output, &*outcome.files.written[0].bytes), (&b"1<2>3"[..], &b"<5> <5>6"[..]));
}

#[test]
fn wrong_uses_of_files_are_found() {
    let open = "FILE* f = fopen(\"x\", \"w\");";
    for use_ in [
        "fputs(\"a\", f);",
        "fprintf(f, \"a\");",
        "fgetc(f);",
        "feof(f);",
        "fseek(f, 0, SEEK_SET);",
        "fflush(f);",
        "int n; fscanf(f, \"%d\", &n);",
    ] {
        found(&format!("{open} fclose(f); {use_}"), Kind::UseAfterFree, "a file is used after it was closed");
    }
    found(&format!("{open} fclose(f); fclose(f);"), Kind::DoubleFree, "a file is closed a second time");
    for use_ in [
        "fgetc(f);",
        "fclose(f);",
        "fprintf(f, \"a\");",
        "char t[4]; fread(t, 1, 4, f);",
        "int n; fscanf(f, \"%d\", &n);",
    ] {
        found(
            &format!("FILE* f = fopen(\"none\", \"r\"); {use_}"),
            Kind::OutOfBounds,
            "a null pointer is used as a file",
        );
    }
    found("int x; fgetc((FILE*)&x);", Kind::OutOfBounds, "is used as a file, and is none");
    found("FILE* f = stdout; fputc('a', f + 1000);", Kind::OutOfBounds, "is none");
    found("FILE* f; fgetc(f);", Kind::Uninitialized, "");
    found(
        "char t[4]; FILE* f = fopen(\"lines.txt\", \"r\"); fgets(t, 8, f);",
        Kind::OutOfBounds,
        "7 bytes are written",
    );
    found(
        "int t[2]; FILE* f = fopen(\"lines.txt\", \"r\"); fread(t, 4, 4, f);",
        Kind::OutOfBounds,
        "16 bytes are written",
    );
    found(
        &format!("{open} int t[2] = {{1, 2}}; fwrite(t, 4, 3, f);"),
        Kind::OutOfBounds,
        "12 bytes are read",
    );
    found(
        &format!("{open} int t[2]; t[0] = 1; fwrite(t, 4, 2, f);"),
        Kind::Uninitialized,
        "4 bytes are written to a file",
    );
    found("int* d; cudaMalloc(&d, 64); fread(d, 4, 1, fopen(\"lines.txt\", \"r\"));", Kind::WrongSpace, "");
    // Bytes between members have nobody who writes them, and a file that is never closed is no mistake.
    let body = "struct S { char c; double x; } s; s.c = 'a'; s.x = 1; FILE* f = fopen(\"x\", \"wb\"); fwrite(&s, sizeof s, 1, f);";
    assert_eq!(within("", body, &Limits::default()).files.written[0].bytes.len(), 16);
}

#[test]
fn what_files_take_is_bounded() {
    for (body, words) in [
        ("for (;;) fopen(\"/dev/null\", \"r\");", "has 16384 open files"),
        ("for (;;) fopen(\"lines.txt\", \"r\");", "has 16384 open files"),
        ("for (;;) tmpfile();", "has 16384 open files"),
        (
            "static char t[1 << 16]; FILE* f = fopen(\"x\", \"w\"); for (;;) fwrite(t, 1, sizeof t, f);",
            "bytes of memory",
        ),
        (
            "FILE* f = fopen(\"x\", \"w\"); fseek(f, 0x7fffffffffffffff, SEEK_SET); fputc(1, f);",
            "bytes of memory",
        ),
        ("std::ofstream f(\"x\"); std::string s(100000, 'a'); for (;;) f << s;", "bytes of memory"),
        (
            "char n[32]; for (int i = 0;; i++) { sprintf(n, \"f%d\", i); fclose(fopen(n, \"w\")); }",
            "bytes of memory",
        ),
        (
            "FILE* f = fopen(\"x\", \"w\"); fseek(f, 40 << 20, SEEK_SET); fputc(1, f); malloc(20 << 20);",
            "bytes of memory",
        ),
        (
            "FILE* f = fopen(\"x\", \"w\"); fputs((char*)memset(calloc(17 << 20, 1), 1, (17 << 20) - 1), f);",
            "16777216 bytes before its zero",
        ),
    ] {
        found(body, Kind::Limit, words);
    }
    let small = Limits { memory_bytes: 4096, ..Limits::default() };
    let files = [("large", &[7; 8192][..])];
    let text = "int main() { FILE* f = fopen(\"large\", \"r\"); return f == 0; }";
    let outcome = run_among(text, &Around { input: "", files: &files }, &small).unwrap();
    assert_eq!(outcome.findings[0].kind, Kind::Limit);
    // What is closed and unchanged counts no more.
    let body = "for (int i = 0; i < 20000; i++) { FILE* f = fopen(\"numbers.txt\", \"r\"); fgetc(f); fclose(f); std::ifstream g(\"lines.txt\"); FILE* t = tmpfile(); fputc(1, t); fclose(t); }";
    let outcome = within("", body, &Limits { memory_bytes: 1 << 20, ..Limits::default() });
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    for end in ["fseek(f, 1, 77)", "fseek(f, -9, SEEK_CUR)", "fseek(f, 0x7fffffffffffffff, SEEK_END)"] {
        assert_eq!(
            printed(&format!("FILE* f = fopen(\"lines.txt\", \"r\"); printf(\"%d%c\", {end}, fgetc(f));")),
            "-1f",
            "{end}"
        );
    }
}
