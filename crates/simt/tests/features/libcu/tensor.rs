//! `tensor.cu`: tensor copies, with boxes over the edge, and as sums.

use simt::{Arg, Buffer, TensorMap, TensorMapRequest};

use crate::harness::{Case, IntoArg, Setting};

pub const CASES: &[Case] = &[("tensor_add_one", add_one), ("tensor_sum", sum)];

/// A tensor map of whole numbers in rows that lie tightly.
fn map(buffer: Buffer, sizes: &[u64], lengths: &[u32]) -> Arg {
    let request = TensorMapRequest {
        element: TensorMap::element_named("i32").unwrap().0,
        rank: sizes.len() as u32,
        address: buffer.address(),
        sizes,
        strides: &[4 * sizes[0]],
        lengths,
        steps: &[1, 1],
        ..TensorMapRequest::default()
    };
    Arg::bytes(&TensorMap::encode(&request).unwrap())
}

impl IntoArg for Arg {
    fn into_arg(self) -> Arg {
        self
    }
}

fn add_one(s: &mut Setting) {
    let numbers: Vec<i32> = (0..40 * 19).map(|i| 3 * i - 100).collect();
    let (x, z) = (s.input(&numbers), s.output::<i32>(numbers.len()));
    let of = |buffer| map(buffer, &[40, 19], &[16, 8]);
    s.run((3, 3), 64, crate::args!(of(x), of(z)));
    s.check(z, &numbers.iter().map(|number| number + 1).collect::<Vec<_>>());
}

fn sum(s: &mut Setting) {
    let numbers: Vec<i32> = (0..44).map(|i| 7 * i + 1).collect();
    let (x, z) = (s.input(&numbers), s.input(&[1000; 16]));
    s.run(3, 32, crate::args!(map(x, &[44], &[16]), map(z, &[16], &[16])));
    let of = |word: usize| 1000 + numbers[word..].iter().step_by(16).sum::<i32>();
    s.check(z, &(0..16).map(of).collect::<Vec<_>>());
}
