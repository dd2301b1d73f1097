//! Every atomic operation, applied once.
//!
//! There is one thread for each pair of numbers, so both the final value and the returned value are known exactly. The
//! picture comes from the run for `unsigned`, the type that has all operations. It leaves out 16-bit and vector types.

use std::fmt::Write as _;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::atomics::{
    APPLY_DOUBLE, APPLY_FLOAT, APPLY_INT, APPLY_LONG, APPLY_LONG_SIGNED, APPLY_UNSIGNED,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, GLOBAL_ATOMICS};
use thirty_two_lanes::{Buffer, Device, Element, Lab, Launch, Row, Tolerance};

/// An operation: how it is written for an old value of 12 and an operand of 10, and the value that it leaves for any
/// two numbers.
type Operation = (&'static str, fn(i64, i64) -> i64);

const ADD: Operation = ("atomicAdd(p, 10)", |old, value| old + value);
const SUB: Operation = ("atomicSub(p, 10)", |old, value| old - value);
const MIN: Operation = ("atomicMin(p, 10)", i64::min);
const MAX: Operation = ("atomicMax(p, 10)", i64::max);
const AND: Operation = ("atomicAnd(p, 10)", |old, value| old & value);
const OR: Operation = ("atomicOr(p, 10)", |old, value| old | value);
const XOR: Operation = ("atomicXor(p, 10)", |old, value| old ^ value);
const EXCH: Operation = ("atomicExch(p, 10)", |_, value| value);
const CAS_HIT: Operation = ("atomicCAS(p, 12, 10)", |_, value| value);
const CAS_MISS: Operation = ("atomicCAS(p, 13, 10)", |old, _| old);
const INC: Operation = ("atomicInc(p, 10)", |old, limit| if old >= limit { 0 } else { old + 1 });
const DEC: Operation =
    ("atomicDec(p, 10)", |old, limit| if old == 0 || old > limit { limit } else { old - 1 });

/// The operations of each kernel, in the order in which it applies them.
const INT: &[Operation] = &[ADD, SUB, MIN, MAX, AND, OR, XOR, EXCH, CAS_HIT, CAS_MISS];
const UNSIGNED: &[Operation] = &[ADD, SUB, MIN, MAX, AND, OR, XOR, EXCH, CAS_HIT, CAS_MISS, INC, DEC];
const LONG: &[Operation] = &[ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS_HIT, CAS_MISS];
const LONG_SIGNED: &[Operation] = &[MIN, MAX];
const FLOAT: &[Operation] = &[ADD, EXCH];
const DOUBLE: &[Operation] = &[ADD];

/// The operations of each type, for the picture.
const TYPES: [(&str, &[Operation]); 5] =
    [("int", INT), ("unsigned", UNSIGNED), ("64-bit", LONG), ("float", FLOAT), ("double", DOUBLE)];

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "which atomic operations exist, what do they leave, and what do they return?";
    lab.section("operations", title, &[GLOBAL_ATOMICS, ACTIVE_LANES]);
    let signed = [(12, 10), (-12, 10), (10, -12), (0, 0)];
    let unsigned = [(12, 10), (6, 10), (0, 10), (10, 10)];
    let long = [(1 << 40, 3), (3, 1 << 40), (12, 10)];
    let long_signed = [(-1 << 40, 3), (3, -1 << 40)];
    lab.variant(APPLY_INT.name, |d| apply(d, &APPLY_INT, INT, &signed, |x| x as i32))?;
    lab.variant(APPLY_UNSIGNED.name, |d| apply(d, &APPLY_UNSIGNED, UNSIGNED, &unsigned, |x| x as u32))?;
    lab.variant(APPLY_LONG.name, |d| apply(d, &APPLY_LONG, LONG, &long, |x| x as u64))?;
    lab.variant(APPLY_LONG_SIGNED.name, |d| apply(d, &APPLY_LONG_SIGNED, LONG_SIGNED, &long_signed, |x| x))?;
    lab.variant(APPLY_FLOAT.name, |d| apply(d, &APPLY_FLOAT, FLOAT, &signed, |x| x as f32))?;
    lab.variant(APPLY_DOUBLE.name, |d| apply(d, &APPLY_DOUBLE, DOUBLE, &signed, |x| x as f64))?;
    lab.picture("what_they_do", picture)?;
    lab.notice(how_many);
    lab.notice(|_| {
        Some(
            "atomicInc counts up to its operand and then begins again at 0. atomicDec counts down to 0 and \
             then begins again at its operand. In the picture both begin again, because the 12 is beyond the \
             operand."
                .to_owned(),
        )
    });
    Ok(())
}

/// The operands, and the cells before the launch: for each pair one copy of the old value for each operation,
/// and then room for what the operations return.
fn cells<T: Element>(
    device: &mut Device,
    operations: usize,
    pairs: &[(i64, i64)],
    to: fn(i64) -> T,
) -> Result<(Buffer<T>, Buffer<T>)> {
    let values: Vec<T> = pairs.iter().map(|&(_, value)| to(value)).collect();
    let cells =
        pairs.iter().flat_map(|&(old, _)| [vec![to(old); operations], vec![T::default(); operations]]);
    let cells: Vec<T> = cells.flatten().collect();
    Ok((device.upload("values", &values)?, device.upload("cell", &cells)?))
}

fn apply<T: Element>(
    device: &mut Device,
    kernel: &'static Kernel,
    operations: &[Operation],
    pairs: &[(i64, i64)],
    to: fn(i64) -> T,
) -> Result<Row> {
    let (values, cell) = cells(device, operations.len(), pairs, to)?;
    let run = device.launch(&Launch::new(kernel, 1, pairs.len() as u32).arg(values).arg(cell))?;
    let expected = pairs.iter().flat_map(|&(old, value)| {
        let left = operations.iter().map(move |(_, apply)| to(apply(old, value)));
        left.chain(operations.iter().map(move |_| to(old))).map(T::to_double)
    });
    let expected: Vec<f64> = expected.collect();
    let row = device.check(run, cell, &expected, &Tolerance::Exact)?;
    Ok(row.fact("operations", operations.len() as f64))
}

fn picture(device: &mut Device) -> Result<String> {
    let (values, cell) = cells(device, UNSIGNED.len(), &[(12, 10)], |x| x as u32)?;
    let launch = Launch::new(&APPLY_UNSIGNED, 1, 1).arg(values).arg(cell);
    let (_, after) = device.trial(&launch, cell)?;
    let mut lines = format!("{:<22}{:>6}{:>7}{:>10}   for\n", "", "before", "after", "returned");
    for (index, (name, _)) in UNSIGNED.iter().enumerate() {
        let types = TYPES.iter().filter(|(_, operations)| operations.iter().any(|(other, _)| other == name));
        let types: Vec<&str> = types.map(|(name, _)| *name).collect();
        let (left, returned) = (after[index], after[UNSIGNED.len() + index]);
        let _ = writeln!(lines, "{name:<22}{:>6}{left:>7}{returned:>10}   {}", 12, types.join(" "));
    }
    Ok(lines)
}

fn how_many(section: &Section) -> Option<String> {
    let number = |kernel: &Kernel| section.row(kernel.name)?.fact_value("operations");
    Some(format!(
        "Each operation returns the old value, from which a thread can tell whether its atomicCAS has \
         replaced it. {} rows of the picture are for unsigned, {} for float and {} for double. The \
         operations that floating-point types lack can be built from atomicCAS (see below).",
        number(&APPLY_UNSIGNED)?,
        number(&APPLY_FLOAT)?,
        number(&APPLY_DOUBLE)?,
    ))
}
