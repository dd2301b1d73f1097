//! The note's example in segments of 8 lanes, down against xor, and what happens with a width that CUDA does
//! not define.
//!
//! It leaves out widths below 8, which the pictures of all widths show.

use anyhow::Result;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::INSTRUCTIONS_PER_WARP;
use thirty_two_lanes::{Device, Lab, Row, Tolerance, Verdict};

use crate::picture::{self, LANES};
use crate::shuffles::{DOWN, IDX, ROTATE, Shuffle, UP, XOR, expected, shuffled};

/// Variants: the shuffle, its offset or mask, and the width.
const EIGHT: [(&str, Shuffle, usize, usize); 6] = [
    ("down_4", DOWN, 4, 8),
    ("xor_4", XOR, 4, 8),
    ("down_4_of_32", DOWN, 4, 32),
    ("down_2", DOWN, 2, 8),
    ("xor_2", XOR, 2, 8),
    ("rotate_2", ROTATE, 2, 8),
];

const SIX: [(&str, Shuffle, usize); 4] =
    [("idx_width_6", IDX, 5), ("up_width_6", UP, 2), ("down_width_6", DOWN, 2), ("xor_width_6", XOR, 2)];

/// The values that the note gives for lanes 0 to 7.
const NOTED_DOWN: [i32; 8] = [4, 5, 6, 7, 4, 5, 6, 7];
const NOTED_XOR: [i32; 8] = [4, 5, 6, 7, 0, 1, 2, 3];

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "is xor the lane plus an offset? Is 6 a width? One warp of lane numbers";
    lab.section("widths", title, &[INSTRUCTIONS_PER_WARP]);
    for (name, shuffle, argument, width) in EIGHT {
        lab.variant(name, |device| numbers(device, shuffle, argument, width))?;
    }
    for (name, shuffle, argument) in SIX {
        lab.variant(name, |device| Ok(numbers(device, shuffle, argument, 6)?.expect(Verdict::Wrong)))?;
    }
    lab.picture("width_picture", picture)?;
    lab.notice(not_an_offset);
    lab.notice(six);
    Ok(())
}

fn numbers(device: &mut Device, shuffle: Shuffle, argument: usize, width: usize) -> Result<Row> {
    let lanes: Vec<i32> = (0..LANES as i32).collect();
    let (run, y) = shuffled(device, &lanes, shuffle, argument, width)?;
    let got = device.read(y)?.sim;
    let other = (0..LANES).filter(|&lane| {
        let is_inside = lane % width + argument < width;
        is_inside && got[lane] as usize != lane + argument
    });
    let other = other.count() as f64;
    let row = device.check(run, y, &expected(&lanes, shuffle, argument, width), &Tolerance::Exact)?;
    let not_plus = (0..LANES).filter(|&lane| got[lane] as usize != lane + argument).count() as f64;
    Ok(row
        .fact("matches_note_for_down", f64::from(got[..8] == NOTED_DOWN))
        .fact("matches_note_for_xor", f64::from(got[..8] == NOTED_XOR))
        .fact("lanes_not_plus_offset", not_plus)
        .fact("not_plus_offset_in_segment", other))
}

fn picture(device: &mut Device) -> Result<String> {
    let lanes: Vec<i32> = (0..LANES as i32).collect();
    let mut out = picture::numbers("lane", &lanes);
    let six = SIX.map(|(name, shuffle, argument)| (name, shuffle, argument, 6));
    for (name, shuffle, argument, width) in EIGHT.into_iter().chain(six) {
        let (_, y) = shuffled(device, &lanes, shuffle, argument, width)?;
        out += &picture::numbers(name, &device.read(y)?.sim);
    }
    Ok(out)
}

fn not_an_offset(section: &Section) -> Option<String> {
    let of = |name: &str, fact: &str| section.row(name)?.fact_value(fact);
    let xor = of("xor_2", "lanes_not_plus_offset")?;
    let (there, down) =
        (of("xor_2", "not_plus_offset_in_segment")?, of("down_2", "not_plus_offset_in_segment")?);
    Some(format!(
        "With xor_2, {xor} of {LANES} lanes get another value than that of the lane two above them. For \
         {there} of these the segment does have such a lane; with down_2 this happens to {down}. xor flips a \
         bit of the lane's number, so half of the lanes read upwards and half downwards.",
    ))
}

fn six(section: &Section) -> Option<String> {
    let wrong = |(name, ..): &(&str, Shuffle, usize)| Some(section.row(name)?.check.as_ref()?.wrong);
    let wrong = SIX.iter().map(wrong).collect::<Option<Vec<usize>>>()?;
    let wrong: Vec<String> = wrong.iter().map(usize::to_string).collect();
    Some(format!(
        "With idx, up, down and xor of width 6, {} of {LANES} lanes get another value than segments of 6 \
         would give them. The hardware compares bits of the lane's number, and CUDA defines only widths that \
         are powers of two.",
        wrong.join(", "),
    ))
}
