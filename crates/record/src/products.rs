//! `tools/benchmarks/gpu/products/h200.csv`: the times of matrix products beside cuBLAS.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::Table;

/// What was measured of a product at one size. A product that takes too long for a size has no time there.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Product {
    /// The number of rows and columns of each matrix.
    pub n: u64,
    /// The kernel, or the function of cuBLAS.
    pub product: String,
    /// The median, in microseconds.
    pub median_us: Option<f64>,
    /// The shortest.
    pub min_us: Option<f64>,
    /// The longest.
    pub max_us: Option<f64>,
    /// How many launches were timed.
    pub launches: u64,
    /// 2 n³ operations in the median time, in 10⁹ a second.
    pub gflop_s: Option<f64>,
    /// The rate beside that of cuBLAS with the same types of elements.
    pub percent_of_cublas: Option<f64>,
    /// The largest error, relative to the largest element.
    pub error: f64,
}

impl Table<Product> {
    /// What was measured of a product at a size.
    ///
    /// # Errors
    /// If there is no such row, and then the error lists the sizes or the names that exist.
    pub fn timed(&self, n: u64, product: &str) -> Result<&Product> {
        let of_size = || self.rows.iter().filter(|row| row.n == n);
        of_size().find(|row| row.product == product).with_context(|| {
            let names: Vec<&str> = of_size().map(|row| row.product.as_str()).collect();
            let mut sizes: Vec<String> = self.rows.iter().map(|row| row.n.to_string()).collect();
            sizes.dedup();
            if names.is_empty() {
                format!("size {n} was not timed; there are {}", sizes.join(", "))
            } else {
                format!("`{product}` was not timed; there are {}", names.join(", "))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counted;

    const KEPT: &str = include_str!("../../../tools/benchmarks/gpu/products/h200.csv");

    fn kept() -> Table<Product> {
        Table::read(KEPT, "it").unwrap()
    }

    /// Rates and percentages are the times in other words, as far as the digits of the table go.
    #[test]
    fn rates_follow_from_times() {
        let table = kept();
        for row in &table.rows {
            let Some(time) = row.median_us else { continue };
            let rate = 2.0 * (row.n as f64).powi(3) / time / 1000.0;
            assert!((row.gflop_s.unwrap() / rate - 1.0).abs() < 0.005, "{row:?}: {rate}");
            if row.percent_of_cublas == Some(100.0) || !row.product.starts_with("product") {
                continue;
            }
            let is_half = row.product.contains("mma");
            let cublas = table.timed(row.n, if is_half { "cublas_bf16" } else { "cublas_f32" }).unwrap();
            let percent = 100.0 * cublas.median_us.unwrap() / time;
            assert!((row.percent_of_cublas.unwrap() - percent).abs() < 0.5, "{row:?}: {percent}");
        }
    }

    #[test]
    fn a_row_is_found_or_named() {
        let table = kept();
        assert!(table.timed(4096, "product_tile").unwrap().median_us.is_some());
        assert!(table.timed(8192, "product_down").unwrap().median_us.is_none());
        let error = |n, name| table.timed(n, name).unwrap_err().to_string();
        assert!(error(1, "product_tile").contains("there are 1024, 2048, 4096, 8192"));
        assert!(error(4096, "nobody").contains("there are cublas_tf32, "));
    }

    /// The profiler's tables beside it have the products for variants.
    #[test]
    fn counts_are_found_by_product() {
        let text = include_str!("../../../tools/benchmarks/gpu/products/h200_counters.csv");
        let table: Table<Counted<f64>> = Table::read(text, "it").unwrap();
        let sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
        assert!(
            table.metric("product_down", sectors).unwrap() > table.metric("product_tile", sectors).unwrap()
        );
    }
}
