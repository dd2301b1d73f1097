//! Messages: data, and a flag or a ticket that says that the data is there.
//!
//! Messages pass between blocks and within one block, with no fence, one fence or both, with fences whose
//! scope is too small, and with fences but no flag. Then the block that finishes last adds up what the others
//! have left. Every kernel also runs in a weak memory. It leaves out flags that are set more than once.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::locks::{
    LAST_BLOCK_ONE_FENCE, MESSAGE_IN_BLOCK, MESSAGE_IN_BLOCK_NONE, MESSAGE_NO_FLAG,
};
use thirty_two_lanes::kernels::messages::{
    LAST_BLOCK_FENCE, LAST_BLOCK_NO_FENCE, MESSAGE_BLOCK_FENCE, MESSAGE_FENCES, MESSAGE_NO_FENCE,
    MESSAGE_ONE_FENCE,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::weak::{self, wrong};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict, last_block};

/// The kernels, their shapes, and whether they are right.
const MESSAGES: [(&Kernel, u32, u32, bool); 7] = [
    (&MESSAGE_NO_FENCE, 2, 32, false),
    (&MESSAGE_ONE_FENCE, 2, 32, false),
    (&MESSAGE_FENCES, 2, 32, true),
    (&MESSAGE_BLOCK_FENCE, 2, 32, false),
    (&MESSAGE_NO_FLAG, 2, 32, false),
    (&MESSAGE_IN_BLOCK_NONE, 1, 64, false),
    (&MESSAGE_IN_BLOCK, 1, 64, true),
];

/// The content of the message.
const MESSAGE: i32 = 42;
const PATIENCE: i32 = 10_000_000;

pub fn flags(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "does a reader that sees the flag get the data? Two blocks, or two warps of one";
    lab.section("messages", title, &[LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, grid, block, is_right) in MESSAGES {
        let expected = if is_right { Verdict::Ok } else { Verdict::Fault };
        let launch = Launch::new(kernel, grid, block);
        lab.variant(kernel.name, |device| message(device, launch, seed).map(|row| row.expect(expected)))?;
    }
    lab.notice(|section| {
        let fault = |kernel: &Kernel| section.row(kernel.name).map(|row| row.verdict.name());
        let (none, both) = (fault(&MESSAGE_NO_FENCE)?, fault(&MESSAGE_FENCES)?);
        (none != both).then(|| format!(
            "In the emulator's ordinary memory every load returns the last store, so each reader that waits \
             for the flag gets the data. The checker judges by what orders the accesses: {none} without \
             fences, {both} with both."
        ))
    });
    lab.gpu_notice(on_the_gpu);
    let title = format!("do the messages arrive in a weak memory? {} seeds", weak::MANY);
    lab.section("messages_weak", &title, &[LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, grid, block, is_right) in MESSAGES {
        let expected = if is_right { Verdict::Ok } else { Verdict::Wrong };
        let launch = Launch::new(kernel, grid, block);
        lab.variant(&weak::name(kernel), |device| weakly(device, launch).map(|row| row.expect(expected)))?;
    }
    lab.notice(both_fences);
    lab.notice(scopes);
    lab.notice(no_flag);
    Ok(())
}

/// A launch with its buffers, and the buffer for what the reader got.
fn prepare(device: &mut Device, launch: Launch) -> Result<(Launch, Buffer<i32>)> {
    let (data, flag) = (device.zeroed::<i32>("data", 1)?, device.zeroed::<i32>("flag", 1)?);
    let got = device.zeroed::<i32>("got", 2)?;
    Ok((launch.arg(data).arg(flag).arg(got).arg(PATIENCE), got))
}

fn message(device: &mut Device, launch: Launch, seed: u64) -> Result<Row> {
    let (launch, got) = prepare(device, launch)?;
    let run = device.launch(&launch.seed(seed))?;
    let read = device.read(got)?;
    let row = device.check(run, got, &[MESSAGE.into(), 1.0], &Tolerance::Exact)?;
    let row = row.fact("got", read.sim[0].into());
    Ok(read.gpu.iter().fold(row, |row, read| {
        row.gpu_fact("gpu_got", read[0].into()).gpu_remark(format!("on the GPU {} was read", read[0]))
    }))
}

/// How many of the wrong kernels nevertheless had the right result.
fn on_the_gpu(section: &Section) -> Option<String> {
    let right = |(kernel, _, _, is_right): &(&Kernel, u32, u32, bool)| {
        let got = section.row(kernel.name)?.fact_value("gpu_got")?;
        (!is_right).then_some(got as i32 == MESSAGE)
    };
    let all: Vec<bool> = MESSAGES.iter().filter_map(right).collect();
    let right = all.iter().filter(|right| **right).count();
    (!all.is_empty()).then(|| {
        format!(
            "On the GPU {right} of the {} kernels in which the emulator finds a race got the message all the \
             same. Each had one chance to fail, with a cache that held nothing old. A lock has a chance in \
             every round (see above).",
            all.len()
        )
    })
}

/// With a seed the kernel is wrong if the reader saw the flag and did not get the message.
fn weakly(device: &mut Device, launch: Launch) -> Result<Row> {
    let (launch, got) = prepare(device, launch)?;
    weak::seeds(device, &launch, got, weak::MANY, |got| f64::from(u8::from(got[0] != MESSAGE)))
}

fn both_fences(section: &Section) -> Option<String> {
    let none = wrong(section, &MESSAGE_NO_FENCE)?;
    let (one, both) = (wrong(section, &MESSAGE_ONE_FENCE)?, wrong(section, &MESSAGE_FENCES)?);
    Some(format!(
        "In the weak memory {none} of {} seeds let the reader see the flag and then old data if there is no \
         fence, {one} if only the writer has one, and {both} if the reader has one too. A fence orders only \
         the accesses of its own thread, so each side needs one.",
        weak::MANY
    ))
}

fn scopes(section: &Section) -> Option<String> {
    let (across, inside) = (wrong(section, &MESSAGE_BLOCK_FENCE)?, wrong(section, &MESSAGE_IN_BLOCK)?);
    let none = wrong(section, &MESSAGE_IN_BLOCK_NONE)?;
    Some(format!(
        "With fences for the block, {across} seeds are wrong between two blocks and {inside} within one \
         block, where {none} are wrong without any fence."
    ))
}

fn no_flag(section: &Section) -> Option<String> {
    let alone = wrong(section, &MESSAGE_NO_FLAG)?;
    Some(format!(
        "With fences but no flag, {alone} seeds are wrong. A fence neither waits for another thread nor \
         signals to one. It takes a flag, which one thread stores after its fence and another loads before \
         its own."
    ))
}

const LAST: [(&Kernel, bool); 3] =
    [(&LAST_BLOCK_NO_FENCE, false), (&LAST_BLOCK_ONE_FENCE, false), (&LAST_BLOCK_FENCE, true)];

pub fn last_block(lab: &mut Lab) -> Result<()> {
    last_block::section(lab, "does the last block see the sums of all others?", &LAST)?;
    lab.notice(tickets);
    Ok(())
}

fn tickets(section: &Section) -> Option<String> {
    let none = wrong(section, &LAST_BLOCK_NO_FENCE)?;
    let (one, both) = (wrong(section, &LAST_BLOCK_ONE_FENCE)?, wrong(section, &LAST_BLOCK_FENCE)?);
    Some(format!(
        "In a weak memory {none} of {} seeds add up old sums without fences, {one} with the usual fence \
         before the ticket, and {both} with another one after it. With the one fence, another block may \
         execute its fence and draw its ticket between the fence and the ticket of the last block. Then \
         nothing orders the last block's loads after that block's store. It happens rarely, but the model \
         allows it.",
        weak::MANY
    ))
}
