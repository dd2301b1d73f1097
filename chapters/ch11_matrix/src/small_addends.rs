//! What is left of a small number that is added to large ones? A matrix unit adds all products of an element at once.
//!
//! Each row is one sum. What the unit makes of it follows from the bits that it keeps below the largest term, and a thread's
//! result from the rounding after each addition. It leaves out sums as they occur in programs, which the next section has.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::matrices_sums::{SUM_F16, SUM_ONE_BY_ONE, SUM_TF32};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{Cell, Column};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance};

use crate::matrices::f16;

const EXACT: Column = Column { head: ["small part,", "exact"], cell: Cell::Fact("exact") };
const KEPT: Column = Column { head: ["small part,", "kept"], cell: Cell::Fact("kept") };

/// The distance from one to the next float.
const STEP: f64 = 1.0 / (1 << 23) as f64;
/// The same of half a mantissa.
const TINY: f32 = 1.0 / (1 << 12) as f32;

/// A sum. Its small part is what it is away from `whole`, in units of `unit`.
struct Case {
    name: &'static str,
    from: f32,
    products: &'static [(f32, f32)],
    whole: f64,
    unit: f64,
    exact: f64,
    /// What a matrix unit keeps of the small part, and what a thread keeps that adds one product after another.
    kept: [f64; 2],
}

const CASES: [Case; 4] = [
    Case {
        name: "one_between",
        from: (1 << 24) as f32,
        products: &[(1.0, 1.0), (-4096.0, 4096.0)],
        whole: 0.0,
        unit: 1.0,
        exact: 1.0,
        kept: [1.0, 0.0],
    },
    Case {
        name: "one_at_the_end",
        from: (1 << 26) as f32,
        products: &[(-8192.0, 8192.0), (1.0, 1.0)],
        whole: 0.0,
        unit: 1.0,
        exact: 1.0,
        kept: [0.0, 1.0],
    },
    Case {
        name: "fifteen_quarters",
        from: 1.0,
        products: &[(TINY, TINY / 2.0); 15],
        whole: 1.0,
        unit: STEP,
        exact: 3.75,
        kept: [3.0, 0.0],
    },
    Case {
        name: "three_quarters",
        from: 1.0,
        products: &[(1.5 * TINY, TINY)],
        whole: 1.0,
        unit: STEP,
        exact: 0.75,
        kept: [0.0, 1.0],
    },
];

/// Products of one sum.
const PRODUCTS: usize = 16;
/// The same of tf32.
const PRODUCTS_TF32: usize = 8;
/// Bits of an f32 behind the point, and those that tf32 has.
const BITS: i32 = 23;
const BITS_TF32: i32 = 10;

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "what is left of a small addend? By mma, and in a thread";
    lab.section("small_addends", title, &[EXACT, KEPT]);
    for case in &CASES {
        for ((kernel, how), kept) in
            [(&SUM_F16, "mma"), (&SUM_ONE_BY_ONE, "thread")].into_iter().zip(case.kept)
        {
            lab.variant(&format!("{}-{how}", case.name), |device| sum(device, kernel, case, kept))?;
        }
    }
    lab.variant("bits_of_tf32", bits_of_tf32)?;
    lab.notice(compared);
    lab.notice(bits);
    Ok(())
}

fn sum(device: &mut Device, kernel: &'static Kernel, case: &Case, kept: f64) -> Result<Row> {
    let factors = |which: fn(&(f32, f32)) -> f32| {
        let mut bits: Vec<u16> = case.products.iter().map(|product| f16(which(product))).collect();
        bits.resize(PRODUCTS, 0);
        bits
    };
    let [a, b] = [
        device.upload("a", &factors(|product| product.0))?,
        device.upload("b", &factors(|product| product.1))?,
    ];
    let (c, d) = (device.upload("c", &[case.from])?, device.zeroed::<f32>("d", 1)?);
    let run = device.launch(&Launch::new(kernel, 1, 32).arg(a).arg(b).arg(c).arg(d))?;
    let found = f64::from(device.read(d)?.sim[0]);
    let row = device.check(run, d, &[case.whole + kept * case.unit], &Tolerance::Exact)?;
    Ok(row.fact("exact", case.exact).fact("kept", (found - case.whole) / case.unit))
}

/// One, and two bits that are further to the right from sum to sum. Rounded to the nearest, a number would still differ from one if
/// the first of them is just outside.
fn bits_of_tf32(device: &mut Device) -> Result<Row> {
    let numbers: Vec<f32> = (1..BITS).map(|bit| 1.0 + 1.5 * 2_f32.powi(-bit)).collect();
    let factors = |first: &dyn Fn(f32) -> f32| {
        numbers
            .iter()
            .flat_map(|&x| (0..PRODUCTS_TF32).map(move |k| (k == 0, x)))
            .map(|(is_first, x)| if is_first { first(x) } else { 0.0 })
            .collect::<Vec<f32>>()
    };
    let [a, b] = [device.upload("a", &factors(&|x| x))?, device.upload("b", &factors(&|_| 1.0))?];
    let (c, d) = (device.zeroed::<f32>("c", numbers.len())?, device.zeroed::<f32>("d", numbers.len())?);
    let run = device.launch(&Launch::new(&SUM_TF32, numbers.len() as u32, 32).arg(a).arg(b).arg(c).arg(d))?;
    let unit = 2_f64.powi(-BITS_TF32);
    let expected = numbers.iter().map(|&x| (f64::from(x) / unit).floor() * unit);
    let found = device.read(d)?.sim.iter().filter(|&&x| x > 1.0).count();
    let row = device.check(run, d, &expected.collect::<Vec<f64>>(), &Tolerance::Exact)?;
    Ok(row.fact("bits", found as f64).fact("given", f64::from(BITS)))
}

fn compared(section: &Section) -> Option<String> {
    let kept = |name: &str| section.row(name)?.fact_value("kept");
    Some(format!(
        "A thread rounds after each addition, so the order matters: of one among large numbers it keeps {} or {}. For mma the order of \
         the products does not matter, but how large the largest is: it keeps {} or {}.",
        kept("one_between-thread")?,
        kept("one_at_the_end-thread")?,
        kept("one_between-mma")?,
        kept("one_at_the_end-mma")?,
    ))
}

fn bits(section: &Section) -> Option<String> {
    let row = section.row("bits_of_tf32")?;
    Some(format!(
        "Of the {} bits behind the point that an f32 has, a product of tf32 uses {}. The others are ignored, and not rounded.",
        row.fact_value("given")?,
        row.fact_value("bits")?
    ))
}
