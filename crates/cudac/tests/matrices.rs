//! `nvcuda::wmma` of all types, shapes and layouts, with numbers whose sums are exact.
//!
//! That sums which round have the bits of an H200's is the emulator's part (`crates/simt/tests/mma.rs`), and that products are
//! split into the same instructions is checked here: by their names.

use simt::{Checks, Emulator, Launch, Limits};

/// A way to write numbers in memory.
#[derive(Clone, Copy)]
enum Kept {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I32,
    /// Eight to a word.
    I4,
}

impl Kept {
    fn bytes(self, numbers: &[i32]) -> Vec<u8> {
        let one = |n: &i32| match self {
            Kept::F16 => half(*n).to_le_bytes().to_vec(),
            Kept::Bf16 => ((*n as f32).to_bits() >> 16).to_le_bytes()[..2].to_vec(),
            Kept::F32 => (*n as f32).to_le_bytes().to_vec(),
            Kept::F64 => f64::from(*n).to_le_bytes().to_vec(),
            Kept::I8 => vec![*n as u8],
            Kept::I32 => n.to_le_bytes().to_vec(),
            Kept::I4 => unreachable!("they are packed"),
        };
        if !matches!(self, Kept::I4) {
            return numbers.iter().flat_map(one).collect();
        }
        numbers.chunks(2).map(|two| (two[0] & 15 | two[1] << 4) as u8).collect()
    }

    fn name(self) -> &'static str {
        match self {
            Kept::F16 => "half",
            Kept::Bf16 => "__nv_bfloat16",
            Kept::F32 => "float",
            Kept::F64 => "double",
            Kept::I8 => "signed char",
            Kept::I32 | Kept::I4 => "int",
        }
    }
}

/// The half that is an integer of at most 2048.
fn half(n: i32) -> u16 {
    if n == 0 {
        return 0;
    }
    let bits = (n as f32).to_bits();
    ((bits >> 16 & 0x8000) + ((bits >> 13) & 0x3ffff) - (112 << 10)) as u16
}

/// A product: the type of its operands and how it is in memory, that of its sums, its shape, and the instructions.
struct Product {
    name: &'static str,
    kept: Kept,
    sum: Kept,
    shape: [usize; 3],
    instruction: &'static str,
    times: usize,
}

const LAYOUTS: [&str; 2] = ["row", "col"];

impl Product {
    /// Small numbers of both signs, unless the type has none.
    fn numbers(&self, count: usize, step: usize) -> Vec<i32> {
        let lowest = if self.name.starts_with("unsigned") || self.name.ends_with("u4") { 0 } else { -3 };
        (0..count).map(|i| (i * step % 7) as i32 + lowest).collect()
    }

    fn compile(&self, layouts: [&str; 3]) -> String {
        let Product { name, kept, sum, shape: [m, n, k], .. } = self;
        let [a, b, c] = layouts;
        let kept = match *name {
            "unsigned char" => name,
            _ if name.ends_with("u4") => "unsigned",
            _ => kept.name(),
        };
        let sum = sum.name();
        let leading =
            |layout: &str, rows: usize, columns: usize| if layout == "row" { columns } else { rows };
        let (of_a, of_b, of_c) = (leading(a, *m, *k), leading(b, *k, *n), leading(c, *m, *n));
        let text = format!(
            "#include <mma.h>
            using namespace nvcuda;
            extern \"C\" __global__ void kernel(const {kept}* a, const {kept}* b, const {sum}* c, {sum}* d) {{
                wmma::fragment<wmma::matrix_a, {m}, {n}, {k}, {name}, wmma::{a}_major> fa;
                wmma::fragment<wmma::matrix_b, {m}, {n}, {k}, {name}, wmma::{b}_major> fb;
                wmma::fragment<wmma::accumulator, {m}, {n}, {k}, {sum}> fc, fd, fe;
                wmma::load_matrix_sync(fa, a, {of_a});
                wmma::load_matrix_sync(fb, b, {of_b});
                wmma::load_matrix_sync(fc, c, {of_c}, wmma::mem_{c}_major);
                wmma::mma_sync(fd, fa, fb, fc);
                wmma::fill_fragment(fe, 1);
                for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + fe.x[i];
                wmma::store_matrix_sync(d, fd, {of_c}, wmma::mem_{c}_major);
            }}"
        );
        let options = cudac::Options { sm: 80, ..cudac::Options::default() };
        let source = cudac::Source { name: "kernel.cu", text: &text };
        cudac::compile(&source, &options).unwrap_or_else(|errors| panic!("{name}\n{errors}")).ptx
    }

    fn check(&self, layouts: [&str; 3]) {
        let ptx = self.compile(layouts);
        assert_eq!(ptx.matches(self.instruction).count(), self.times, "{}\n{ptx}", self.name);
        assert_eq!(ptx.matches("mma.sync").count(), self.times, "{}\n{ptx}", self.name);
        assert!(!ptx.contains(".local"), "{}\n{ptx}", self.name);
        let [m, n, k] = self.shape;
        let (a, b, c) = (self.numbers(m * k, 3), self.numbers(k * n, 5), self.numbers(m * n, 2));
        let at = |layout: &str, row: usize, column: usize, rows: usize, columns: usize| {
            if layout == "row" { row * columns + column } else { column * rows + row }
        };
        let mut wanted = vec![0; m * n];
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let product = |i| a[at(layouts[0], row, i, m, k)] * b[at(layouts[1], i, column, k, n)];
            let place = at(layouts[2], row, column, m, n);
            wanted[place] = c[place] + (0..k).map(product).sum::<i32>() + 1;
        }
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("kernel.ptx", &ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let mut launch = Launch::new(1, 32);
        let inputs = [self.kept.bytes(&a), self.kept.bytes(&b), self.sum.bytes(&c)];
        let wanted = self.sum.bytes(&wanted);
        for bytes in &inputs {
            let buffer = emulator.alloc("in", bytes.len() as u64).unwrap();
            emulator.write(buffer).unwrap().copy_from_slice(bytes);
            launch = launch.arg(buffer.address());
        }
        let d = emulator.alloc("d", wanted.len() as u64).unwrap();
        launch = launch.arg(d.address());
        launch.checks = Checks::ALL;
        let report = emulator.launch(&module, "kernel", &launch).unwrap();
        assert!(report.faults.is_empty(), "{} {layouts:?} {:?}", self.name, report.faults);
        assert_eq!(emulator.read(d).unwrap(), wanted, "{} {:?} {layouts:?}", self.name, self.shape);
    }
}

#[track_caller]
fn check(
    name: &'static str,
    kept: Kept,
    sum: Kept,
    shape: [usize; 3],
    instruction: &'static str,
    times: usize,
) {
    let product = Product { name, kept, sum, shape, instruction, times };
    // Four bits have one layout.
    let is_packed = matches!(kept, Kept::I4);
    for (a, b) in LAYOUTS.iter().flat_map(|a| LAYOUTS.iter().map(move |b| (a, b))) {
        if !is_packed || (*a, *b) == ("row", "col") {
            for c in LAYOUTS {
                product.check([a, b, c]);
            }
        }
    }
}

const WIDE: [[usize; 3]; 3] = [[16, 16, 16], [32, 8, 16], [8, 32, 16]];

#[test]
fn halves_with_sums_of_both_types() {
    for shape in WIDE {
        check("half", Kept::F16, Kept::F32, shape, "m16n8k16.row.col.f32.f16.f16.f32", 2);
        check("half", Kept::F16, Kept::F16, shape, "m16n8k16.row.col.f16.f16.f16.f16", 2);
    }
}

#[test]
fn bfloat16_tf32_and_double() {
    for shape in WIDE {
        check("__nv_bfloat16", Kept::Bf16, Kept::F32, shape, "m16n8k16.row.col.f32.bf16.bf16.f32", 2);
    }
    // An H200 adds four products of tf32 at a time.
    let tf32 = "wmma::precision::tf32";
    check(tf32, Kept::F32, Kept::F32, [16, 16, 8], "m16n8k4.row.col.f32.tf32.tf32.f32", 4);
    check("double", Kept::F64, Kept::F64, [8, 8, 4], "m8n8k4.row.col.f64.f64.f64.f64", 1);
}

#[test]
fn integers_of_eight_and_four_bits() {
    for shape in WIDE {
        check("signed char", Kept::I8, Kept::I32, shape, "m16n8k16.row.col.s32.s8.s8.s32", 2);
        check("unsigned char", Kept::I8, Kept::I32, shape, "m16n8k16.row.col.s32.u8.u8.s32", 2);
    }
    let shape = [8, 8, 32];
    check(
        "wmma::experimental::precision::s4",
        Kept::I4,
        Kept::I32,
        shape,
        "m8n8k32.row.col.s32.s4.s4.s32",
        1,
    );
    check(
        "wmma::experimental::precision::u4",
        Kept::I4,
        Kept::I32,
        shape,
        "m8n8k32.row.col.s32.u4.u4.s32",
        1,
    );
}

#[test]
fn before_sm_80_the_header_says_what_it_needs() {
    let source = cudac::Source { name: "kernel.cu", text: "#include <mma.h>\n__global__ void k() {}" };
    let errors =
        cudac::compile(&source, &cudac::Options { sm: 70, ..cudac::Options::default() }).err().unwrap();
    assert!(errors.to_string().contains("compile for sm_80 or newer"), "{errors}");
}
