//! Draws a buffer as rows of equal length: on the terminal in characters, or into a PNG file in grey.
//!
//! The smallest number is black and the largest white. What it leaves out: colours, and anything but rows.

use std::path::PathBuf;

use anyhow::{Result, anyhow, ensure};
use spec::{Kind, Type};

use super::plan::Plan;
use super::save;
use spec::layout::WIDTH;

/// A buffer to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    text: String,
    /// The buffer, or the number of an argument.
    pub name: String,
    /// Elements in a row.
    width: usize,
    /// The file, if it is not drawn on the terminal.
    pub file: Option<PathBuf>,
}

/// From the smallest number to the largest.
const SHADES: &[u8; 10] = b" .:-=+*#%@";
/// The largest number of elements of a PNG file.
const MOST_PIXELS: u64 = 1 << 28;

impl Picture {
    /// Reads `1:64` or `1:64=out.png`.
    pub fn parse(text: &str) -> Result<Picture, String> {
        const HOW: &str = "a picture is written as in `1:64`, with the elements of a row, or `1:64=out.png`";
        let (what, file) = text.split_once('=').map_or((text, None), |(what, file)| (what, Some(file)));
        let (name, width) = what.split_once(':').ok_or(HOW)?;
        let width = width.parse().ok().filter(|width| *width > 0).ok_or(HOW)?;
        if name.is_empty() || file == Some("") {
            return Err(HOW.to_owned());
        }
        Ok(Picture { text: text.to_owned(), name: name.to_owned(), width, file: file.map(PathBuf::from) })
    }

    /// With the name of the buffer, if there is one that has whole rows, and if the file can be written.
    pub fn resolved(&self, plan: &Plan<'_>) -> Result<Picture> {
        let named = plan.buffer_name(&self.name);
        let name = named.map_err(|error| anyhow!("`--picture {}`: {error}", self.text))?;
        let count = plan.spec(&name).count;
        ensure!(
            count.is_multiple_of(self.width as u64),
            "`--picture {}`: its {count} elements are not whole rows of {}",
            self.text,
            self.width
        );
        if let Some(file) = &self.file {
            ensure!(
                count <= MOST_PIXELS && self.width as u64 <= MOST_PIXELS,
                "`--picture {}`: a picture has at most {MOST_PIXELS} elements",
                self.text
            );
            plan.refuse_input("--picture", file)?;
            save::try_out(file)?;
        }
        Ok(Picture { name, ..self.clone() })
    }

    /// The picture in characters, below a line that says what they mean. A character is about as high as two are wide, so
    /// that a narrow picture has two for each element, and a wide one has one for several.
    pub fn text(&self, ty: Type, bytes: &[u8]) -> String {
        let values = values(ty, bytes);
        let (low, high) = ends(&values);
        let height = values.len() / self.width;
        let (across, down, repeat) = match self.width.div_ceil(WIDTH) {
            1 if self.width <= WIDTH / 2 => (1, 1, 2),
            across => (across, 2 * across, 1),
        };
        let mut out = format!(
            "\n{} afterwards, {} x {height} ({}): from {low:?} (blank) to {high:?} (@)\n",
            self.name, self.width, ty.name
        );
        for top in (0..height).step_by(down) {
            let mut row = String::new();
            for left in (0..self.width).step_by(across) {
                let rows = top..(top + down).min(height);
                let cells =
                    rows.flat_map(|row| (left..(left + across).min(self.width)).map(move |at| (row, at)));
                let cell: Vec<f64> = cells.map(|(row, at)| values[row * self.width + at]).collect();
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
    pub fn png(&self, ty: Type, bytes: &[u8]) -> Result<Vec<u8>> {
        let values = values(ty, bytes);
        let (low, high) = if ty.name == "u8" { (0.0, 255.0) } else { ends(&values) };
        let grey: Vec<u8> =
            values.iter().map(|value| (scaled(*value, low, high) * 255.0).round() as u8).collect();
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width as u32, (values.len() / self.width) as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header()?.write_image_data(&grey)?;
        Ok(out)
    }
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

    #[test]
    fn a_picture_has_a_buffer_and_a_width() {
        let picture = Picture::parse("y:64=a=b.png").unwrap();
        assert_eq!((picture.name.as_str(), picture.width), ("y", 64));
        assert_eq!(picture.file, Some("a=b.png".into()));
        for wrong in ["", "1", "1:0", "1:x", ":4", "1:4="] {
            assert!(Picture::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_smallest_is_blank_and_the_largest_dense() {
        let ty = Type::named("f32").unwrap();
        let bytes: Vec<u8> =
            [0.0_f32, 9.0, 4.5, f32::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
        let text = Picture::parse("y:2").unwrap().text(ty, &bytes);
        assert_eq!(text, "\ny afterwards, 2 x 2 (f32): from 0.0 (blank) to 9.0 (@)\n  @@\n++\n");
    }

    #[test]
    fn a_wide_picture_has_one_character_for_several_elements() {
        let ty = Type::named("i32").unwrap();
        let bytes: Vec<u8> = (0..400 * 40).flat_map(|at: i32| (at / 400).to_le_bytes()).collect();
        let text = Picture::parse("y:400").unwrap().text(ty, &bytes);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!((rows.len(), rows[3].len()), (4, 80));
        assert!(rows[3].chars().all(|c| c == '#' || c == '%'), "{text}");
    }

    #[test]
    fn a_file_has_a_pixel_for_each_element() {
        let picture = Picture::parse("y:2=y.png").unwrap();
        let png = picture.png(Type::named("u8").unwrap(), &[0, 1, 254, 255]).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut grey = vec![0; 4];
        let info = reader.next_frame(&mut grey).unwrap();
        assert_eq!((info.width, info.height, grey), (2, 2, vec![0, 1, 254, 255]));
    }
}
