//! Small matrices: their elements as bits, and the product that a CPU computes of them.
//!
//! The elements are whole numbers of few bits, so every sum is exact in any order. It leaves out other types than bfloat16.

use thirty_two_lanes::{Lab, Random};

use anyhow::Result;

/// How many products there are, unless the reader asks for another number, and the seed of their elements.
#[derive(Clone, Copy)]
pub struct Shape {
    pub products: usize,
    pub seed: u64,
}

impl Shape {
    pub fn of(lab: &mut Lab) -> Result<Shape> {
        // Two operands of 16 times 16 in two bytes, and a result in four.
        Ok(Shape { products: lab.size(32, 16 * 16 * 8)?, seed: lab.seed() })
    }

    pub fn blocks(self) -> u32 {
        self.products as u32
    }
}

/// A matrix of whole numbers, row after row.
#[derive(Clone)]
pub struct Matrix {
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    /// Random elements from -4 to 4.
    pub fn random(rows: usize, columns: usize, seed: u64) -> Matrix {
        let words = Random::new(seed).words(rows * columns);
        Matrix { columns, values: words.into_iter().map(|word| (word % 9) as f32 - 4.0).collect() }
    }

    /// As bits of a bfloat16, the upper half of an f32.
    pub fn bits(&self) -> Vec<u16> {
        self.values.iter().map(|value| (value.to_bits() >> 16) as u16).collect()
    }

    /// Matrices of so many rows, one after another.
    pub fn parts(&self, rows: usize) -> impl Iterator<Item = Matrix> {
        let parts = self.values.chunks(rows * self.columns);
        parts.map(|values| Matrix { columns: self.columns, values: values.to_vec() })
    }

    /// The product. Whole rows are added up, because that is fastest without optimisation.
    pub fn times(&self, other: &Matrix) -> Vec<f64> {
        let mut product = Vec::new();
        for row in self.values.chunks(self.columns) {
            let mut sums = vec![0.0_f32; other.columns];
            for (&a, of_b) in row.iter().zip(other.values.chunks(other.columns)) {
                if a != 0.0 {
                    sums.iter_mut().zip(of_b).for_each(|(sum, b)| *sum += a * b);
                }
            }
            product.extend(sums.into_iter().map(f64::from));
        }
        product
    }
}

/// The bits of a number that f16 has, and that is not subnormal there.
pub fn f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    if value == 0.0 {
        return sign;
    }
    // Bias 15 in place of 127, and 10 bits of the 23.
    sign | ((bits >> 13 & 0x3_ffff) - (112 << 10)) as u16
}
