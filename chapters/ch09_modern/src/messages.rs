//! Messages with orders and scopes: which are enough?
//!
//! The two kernels of chapter 5 that they replace run beside them, so that their instructions and times can be
//! compared. Every kernel also runs in a weak memory. It leaves out flags that are set more than once.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::messages::{LAST_BLOCK_FENCE, MESSAGE_FENCES, MESSAGE_NO_FENCE};
use thirty_two_lanes::kernels::modern_messages::{
    REF_IN_BLOCK, REF_IN_BLOCK_RELAXED, REF_LAST_BLOCK, REF_LAST_BLOCK_RELAXED, REF_LAST_BLOCK_RELEASE,
    REF_MESSAGE, REF_MESSAGE_ACQUIRE, REF_MESSAGE_BLOCK_SCOPE, REF_MESSAGE_FENCES, REF_MESSAGE_NO_FLAG,
    REF_MESSAGE_RELAXED, REF_MESSAGE_RELEASE,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::weak::{self, wrong};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict, last_block};

/// The kernels, their shapes, and whether they are right.
const MESSAGES: [(&Kernel, u32, u32, bool); 11] = [
    (&MESSAGE_NO_FENCE, 2, 32, false),
    (&MESSAGE_FENCES, 2, 32, true),
    (&REF_MESSAGE_RELAXED, 2, 32, false),
    (&REF_MESSAGE_RELEASE, 2, 32, false),
    (&REF_MESSAGE_ACQUIRE, 2, 32, false),
    (&REF_MESSAGE, 2, 32, true),
    (&REF_MESSAGE_FENCES, 2, 32, true),
    (&REF_MESSAGE_BLOCK_SCOPE, 2, 32, false),
    (&REF_MESSAGE_NO_FLAG, 2, 32, false),
    (&REF_IN_BLOCK_RELAXED, 1, 64, false),
    (&REF_IN_BLOCK, 1, 64, true),
];

/// The content of the message.
const MESSAGE: i32 = 42;
const PATIENCE: i32 = 1_000_000;

pub fn flags(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "which orders and which scope does a message need?";
    lab.section("messages", title, &[LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, grid, block, is_right) in MESSAGES {
        let expected = if is_right { Verdict::Ok } else { Verdict::Fault };
        let launch = Launch::new(kernel, grid, block);
        lab.variant(kernel.name, |device| message(device, launch, seed).map(|row| row.expect(expected)))?;
    }
    lab.notice(judged);
    lab.gpu_notice(on_the_gpu);
    let title = format!("do these messages arrive in a weak memory? {} seeds", weak::MANY);
    lab.section("messages_weak", &title, &[LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, grid, block, is_right) in MESSAGES {
        let expected = if is_right { Verdict::Ok } else { Verdict::Wrong };
        let launch = Launch::new(kernel, grid, block);
        lab.variant(&weak::name(kernel), |device| weakly(device, launch).map(|row| row.expect(expected)))?;
    }
    lab.notice(orders);
    lab.notice(scopes);
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
        let text = format!("on the GPU {} was read", read[0]);
        row.gpu_fact("gpu_got", read[0].into()).gpu_fact("gpu_seen", read[1].into()).gpu_remark(text)
    }))
}

/// What the checker of races says about the pairs of orders.
fn judged(section: &Section) -> Option<String> {
    let said = |kernel: &Kernel| section.row(kernel.name).map(|row| row.verdict.name());
    Some(format!(
        "release with acquire: {}; relaxed with relaxed: {}; release with relaxed: {}; relaxed with acquire: \
         {}. All of these loads and stores of the flag are atomic. Only the pair of release and acquire \
         orders the data.",
        said(&REF_MESSAGE)?,
        said(&REF_MESSAGE_RELAXED)?,
        said(&REF_MESSAGE_RELEASE)?,
        said(&REF_MESSAGE_ACQUIRE)?,
    ))
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
             same. Each had one chance to fail.",
            all.len()
        )
    })
}

/// With a seed the kernel is wrong if the reader saw the flag and did not get the message.
fn weakly(device: &mut Device, launch: Launch) -> Result<Row> {
    let (launch, got) = prepare(device, launch)?;
    weak::seeds(device, &launch, got, weak::MANY, |got| f64::from(u8::from(got[0] != MESSAGE)))
}

fn orders(section: &Section) -> Option<String> {
    Some(format!(
        "Of {} seeds {} are wrong if both accesses to the flag are relaxed, {} if only the store has an \
         order, {} if only the load has one, and {} with release and acquire.",
        weak::MANY,
        wrong(section, &REF_MESSAGE_RELAXED)?,
        wrong(section, &REF_MESSAGE_RELEASE)?,
        wrong(section, &REF_MESSAGE_ACQUIRE)?,
        wrong(section, &REF_MESSAGE)?,
    ))
}

fn scopes(section: &Section) -> Option<String> {
    Some(format!(
        "Release and acquire in the scope of a block: {} seeds are wrong between two blocks, and {} within \
         one block, where {} are wrong if they are relaxed.",
        wrong(section, &REF_MESSAGE_BLOCK_SCOPE)?,
        wrong(section, &REF_IN_BLOCK)?,
        wrong(section, &REF_IN_BLOCK_RELAXED)?,
    ))
}

const LAST: [(&Kernel, bool); 4] = [
    (&LAST_BLOCK_FENCE, true),
    (&REF_LAST_BLOCK_RELAXED, false),
    (&REF_LAST_BLOCK_RELEASE, false),
    (&REF_LAST_BLOCK, true),
];

pub fn last_block(lab: &mut Lab) -> Result<()> {
    last_block::section(lab, "which order does the ticket of the last block need?", &LAST)?;
    lab.notice(tickets);
    Ok(())
}

fn tickets(section: &Section) -> Option<String> {
    Some(format!(
        "A ticket that is drawn relaxed is wrong in {} of {} seeds, one that is drawn with release in {}, and \
         one that is drawn with both release and acquire in {}. The one addition has to release the block's \
         own sum, and in the last block also to acquire the sums of all others.",
        wrong(section, &REF_LAST_BLOCK_RELAXED)?,
        weak::MANY,
        wrong(section, &REF_LAST_BLOCK_RELEASE)?,
        wrong(section, &REF_LAST_BLOCK)?,
    ))
}
