//! Draws a buffer as rows of equal length: on the terminal in characters, or into a PNG file in grey.
//!
//! The smallest number is black and the largest white. What it leaves out: colours, and anything but rows.

use anyhow::Result;
use spec::{Kind, Type};

use crate::request::Picture;
use crate::resolve::Named;
use spec::layout::WIDTH;

/// From the smallest number to the largest.
const SHADES: &[u8; 10] = b" .:-=+*#%@";

/// The picture in characters, below a line that says what they mean. A character is about as high as two are wide, so
/// that a narrow picture has two for each element, and a wide one has one for several.
pub fn text(Named { name, asked }: &Named<Picture>, ty: Type, bytes: &[u8]) -> String {
    let (values, width) = (values(ty, bytes), asked.width);
    let (low, high) = ends(&values);
    let height = values.len() / width;
    let (across, down, repeat) = match width.div_ceil(WIDTH) {
        1 if width <= WIDTH / 2 => (1, 1, 2),
        across => (across, 2 * across, 1),
    };
    let mut out = format!(
        "\n{name} afterwards, {width} x {height} ({}): from {low:?} (blank) to {high:?} (@)\n",
        ty.name
    );
    for top in (0..height).step_by(down) {
        let mut row = String::new();
        for left in (0..width).step_by(across) {
            let rows = top..(top + down).min(height);
            let cells = rows.flat_map(|row| (left..(left + across).min(width)).map(move |at| (row, at)));
            let cell: Vec<f64> = cells.map(|(row, at)| values[row * width + at]).collect();
            let mean = cell.iter().sum::<f64>() / cell.len() as f64;
            let shade = SHADES[(scaled(mean, low, high) * 9.0).round() as usize];
            (0..repeat).for_each(|_| row.push(char::from(shade)));
        }
        out += row.trim_end();
        out.push('\n');
    }
    out
}

/// The picture as the bytes of a PNG file: one pixel for each element. Bytes are shades of grey as they are.
pub fn png(width: usize, ty: Type, bytes: &[u8]) -> Result<Vec<u8>> {
    let values = values(ty, bytes);
    let (low, high) = if ty.name == "u8" { (0.0, 255.0) } else { ends(&values) };
    let grey: Vec<u8> =
        values.iter().map(|value| (scaled(*value, low, high) * 255.0).round() as u8).collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width as u32, (values.len() / width) as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header()?.write_image_data(&grey)?;
    Ok(out)
}

fn values(ty: Type, bytes: &[u8]) -> Vec<f64> {
    let number = |element: &[u8]| match ty.kind {
        Kind::Float => Type::value(element),
        _ => ty.show(element).parse().unwrap_or(0.0),
    };
    bytes.chunks_exact(ty.bytes).map(number).collect()
}

/// The smallest and the largest number that are finite.
fn ends(values: &[f64]) -> (f64, f64) {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    if low > high { (0.0, 0.0) } else { (low, high) }
}

/// From 0 to 1; what is no number is 0.
fn scaled(value: f64, low: f64, high: f64) -> f64 {
    let span = high - low;
    if span > 0.0 && !value.is_nan() { ((value - low) / span).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(asked: &str, ty: Type, bytes: &[u8]) -> String {
        let asked = Picture::parse(asked).unwrap();
        text(&Named { name: asked.buffer.clone(), asked }, ty, bytes)
    }

    #[test]
    fn the_smallest_is_blank_and_the_largest_dense() {
        let ty = Type::named("f32").unwrap();
        let bytes: Vec<u8> =
            [0.0_f32, 9.0, 4.5, f32::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
        let text = drawn("y:2", ty, &bytes);
        assert_eq!(text, "\ny afterwards, 2 x 2 (f32): from 0.0 (blank) to 9.0 (@)\n  @@\n++\n");
    }

    #[test]
    fn a_wide_picture_has_one_character_for_several_elements() {
        let ty = Type::named("i32").unwrap();
        let bytes: Vec<u8> = (0..400 * 40).flat_map(|at: i32| (at / 400).to_le_bytes()).collect();
        let text = drawn("y:400", ty, &bytes);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!((rows.len(), rows[3].len()), (4, 80));
        assert!(rows[3].chars().all(|c| c == '#' || c == '%'), "{text}");
    }

    #[test]
    fn a_file_has_a_pixel_for_each_element() {
        let png = png(2, Type::named("u8").unwrap(), &[0, 1, 254, 255]).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut grey = vec![0; 4];
        let info = reader.next_frame(&mut grey).unwrap();
        assert_eq!((info.width, info.height, grey), (2, 2, vec![0, 1, 254, 255]));
    }
}
