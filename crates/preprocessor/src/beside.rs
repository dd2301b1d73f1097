//! Numbers of records that time kernels beside NVIDIA's libraries: `bench.1073741824.sum_last_block.us` beside CUB,
//! `products.4096.product_tile.gflops` beside cuBLAS.

use anyhow::{Context, Result, bail};

use record::{Contender, Contest, Counted, Product, Table};

use crate::repository::Repository;

/// Records that compare kernels with CUB's, and how an expression about them begins.
const CONTESTS: [(&str, &str); 2] =
    [("bench", "tools/benchmarks/gpu/h200_sum.json"), ("scan", "tools/benchmarks/gpu/h200_scan.json")];

/// How an expression about matrix products begins.
const PRODUCTS: &str = "products";
const PRODUCTS_TIMED: &str = "tools/benchmarks/gpu/products/h200.csv";
/// What the profiler counted and measured of matrix products, and at which size.
const PRODUCTS_COUNTED: [(u64, &str); 2] = [
    (256, "tools/benchmarks/gpu/products/h200_counters.csv"),
    (4096, "tools/benchmarks/gpu/products/h200_profile.csv"),
];

/// The value of `NAME.SIZE.KERNEL.COLUMN`, without its dots, if a record has this name.
pub fn value(name: &str, size: &str, rest: &str, repository: &Repository) -> Option<Result<f64>> {
    let read = |read: &dyn Fn(u64, &str, &str) -> Result<f64>| {
        let (kernel, column) =
            rest.split_once('.').with_context(|| format!("write `{name}.SIZE.KERNEL.us`"))?;
        read(size.parse().with_context(|| format!("`{size}` is no size"))?, kernel, column)
    };
    if name == PRODUCTS {
        return Some(read(&|n, kernel, column| product(n, kernel, column, repository)));
    }
    let (_, record) = CONTESTS.iter().find(|(known, _)| *known == name)?;
    let value = read(&|elements, kernel, column| contest(record, elements, kernel, column, repository));
    Some(value.with_context(|| format!("in `{record}`")))
}

/// A time or rate of that row at that size, as launched.
fn contest(record: &str, elements: u64, kernel: &str, column: &str, repository: &Repository) -> Result<f64> {
    let Contender { median_us, min_us, max_us, gb_s, .. } =
        Contest::read(&repository.read(record)?, record)?.launched(elements, kernel)?;
    match column {
        "us" => Ok(median_us),
        "min_us" => Ok(min_us),
        "max_us" => Ok(max_us),
        "gb_s" => gb_s.context("the row has no rate"),
        _ => bail!("there is no column `{column}`; there are us, min_us, max_us, gb_s"),
    }
}

/// The same of a matrix product, or with `hw:` a metric of the profiler.
fn product(n: u64, kernel: &str, column: &str, repository: &Repository) -> Result<f64> {
    if let Some(metric) = column.strip_prefix("hw:") {
        let sizes = "the profiler was run at 256 and at 4096";
        let (_, record) = PRODUCTS_COUNTED.iter().find(|(size, _)| *size == n).context(sizes)?;
        let table: Table<Counted<f64>> = Table::read(&repository.read(record)?, record)?;
        return table.metric(kernel, metric).with_context(|| format!("in `{record}`"));
    }
    let table: Table<Product> = Table::read(&repository.read(PRODUCTS_TIMED)?, PRODUCTS_TIMED)?;
    let row = table.timed(n, kernel).with_context(|| format!("in `{PRODUCTS_TIMED}`"))?;
    let value = match column {
        "us" => row.median_us,
        "min_us" => row.min_us,
        "max_us" => row.max_us,
        "gflops" => row.gflop_s,
        "percent" => row.percent_of_cublas,
        "error" => Some(row.error),
        _ => {
            bail!(
                "there is no column `{column}`; there are us, min_us, max_us, gflops, percent, error, hw:METRIC"
            )
        }
    };
    value.with_context(|| format!("`{kernel}` takes too long at {n} and was not timed"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(name: &str, size: &str, rest: &str) -> Result<f64, String> {
        let repository = Repository::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        let value = value(name, size, rest, &repository).ok_or("no record")?;
        value.map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn every_record_has_a_time() {
        for (name, size, rest) in [
            ("bench", "1073741824", "sum_last_block.us"),
            ("scan", "100000000", "scan_ahead.us"),
            ("products", "4096", "product_tile.us"),
            ("products", "4096", "cublas_bf16.gflops"),
            ("products", "256", "product_down.hw:l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
            ("products", "4096", "product_down.hw:launch__registers_per_thread"),
        ] {
            assert!(read(name, size, rest).unwrap() > 0.0, "{name} {size} {rest}");
        }
        assert_eq!(read("products", "4096", "cublas_f32.percent"), Ok(100.0));
    }

    #[test]
    fn what_was_not_measured_is_named() {
        for (name, size, rest, message) in [
            ("bench", "1073741824", "sum_last_block", "write `bench.SIZE.KERNEL.us`"),
            ("products", "big", "product_tile.us", "`big` is no size"),
            ("products", "100", "product_tile.us", "there are 1024, "),
            ("products", "4096", "product_tile.s", "there are us, "),
            ("products", "8192", "product_down.us", "takes too long"),
            ("products", "1024", "product_tile.hw:a", "at 256 and at 4096"),
            ("products", "256", "product_tile.hw:a", "no metric `a`"),
        ] {
            let error = read(name, size, rest).unwrap_err();
            assert!(error.contains(message), "{name} {size} {rest}: {error}");
        }
        assert_eq!(read("ch02", "a", "b.c"), Err("no record".to_owned()));
    }
}
