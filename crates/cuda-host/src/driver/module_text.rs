//! The texts of a module: PTX as it is, or in a binary for several devices; and several texts as one.
//!
//! The layout of such a binary is not documented. A header of 16 bytes is followed by parts, each with a header that says what it is,
//! how long, and whether it is packed. Parts with PTX are used, and machine code is passed over.

use super::errors::code;

/// What begins with which bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Image {
    /// A structure that points to a binary for several devices.
    Wrapper,
    /// Such a binary.
    FatBinary,
    /// An object of machine code.
    MachineCode,
    /// PTX, or something else.
    Text,
}

/// A module without kernels.
pub(super) const NO_KERNELS: &str = ".version 7.8\n.target sm_70\n.address_size 64\n";

/// Why a module cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub code: u64,
    pub message: String,
}

const WRAPPER: u32 = 0x4662_43b1;
const FAT_BINARY: u32 = 0xba55_ed50;
const HEAD_BYTES: usize = 16;

/// The kind of a part with PTX, and the flags of one that is packed: by LZ4, or by Zstandard.
const PTX: u16 = 1;
const BY_LZ4: u64 = 0x2000;
const BY_ZSTD: u64 = 0x8000;

/// No text of PTX is larger when it is unpacked.
const MOST_BYTES: usize = 256 << 20;

/// What an image is, by its first bytes.
pub(super) fn kind(head: &[u8]) -> Image {
    match number::<4>(head, 0) as u32 {
        WRAPPER => Image::Wrapper,
        FAT_BINARY => Image::FatBinary,
        _ if head.starts_with(b"\x7fELF") => Image::MachineCode,
        _ => Image::Text,
    }
}

/// How many bytes a binary for several devices has, by its header.
pub(super) fn fat_binary_bytes(head: &[u8]) -> u64 {
    number::<2>(head, 6).saturating_add(number::<8>(head, 8)).min(MOST_BYTES as u64)
}

/// A number of some bytes, the lowest first; 0 beyond the end.
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..at + N).unwrap_or_default();
    found.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// What is said of machine code.
pub(super) fn machine_code() -> Refused {
    let message = "the module is machine code of a GPU, and has no PTX: compile it so that PTX is in it, for example with \
                   `nvcc -gencode arch=compute_80,code=compute_80`, or to PTX with `nvcc -ptx`";
    Refused { code: code::NO_BINARY_FOR_GPU, message: message.to_owned() }
}

/// A text, which has to be PTX.
pub(super) fn of_text(text: &[u8]) -> Result<Vec<String>, Refused> {
    if text.starts_with(b"\x7fELF") {
        return Err(machine_code());
    }
    let text = std::str::from_utf8(text).ok().filter(|text| text.contains(".version"));
    text.map(|text| vec![text.to_owned()]).ok_or_else(|| Refused {
        code: code::INVALID_IMAGE,
        message: "the module is no PTX: such a text begins with `.version`".to_owned(),
    })
}

/// The texts in a binary for several devices: those for the newest of the architectures, if there are several.
pub(super) fn of_fat_binary(bytes: &[u8]) -> Result<Vec<String>, Refused> {
    let mut at = (number::<2>(bytes, 6) as usize).max(HEAD_BYTES);
    let mut found: Option<(u64, Vec<u8>)> = None;
    while let Some(part) = bytes.get(at..).filter(|part| part.len() >= 64) {
        let (head, size) = (number::<4>(part, 4) as usize, number::<8>(part, 8) as usize);
        let Some(data) = part.get(head..head.saturating_add(size)).filter(|_| head >= 40) else { break };
        let arch = number::<4>(part, 28);
        if number::<2>(part, 0) as u16 == PTX && found.as_ref().is_none_or(|(known, _)| *known < arch) {
            let packed = number::<4>(part, 16) as usize;
            let data = if packed > 0 { data.get(..packed).unwrap_or(data) } else { data };
            found = Some((arch, unpacked(data, number::<8>(part, 40), number::<8>(part, 56) as usize)?));
        }
        at += head + size;
    }
    let Some((_, text)) = found else { return Err(machine_code()) };
    of_text(text.split(|byte| *byte == 0).next().unwrap_or_default())
}

fn unpacked(data: &[u8], flags: u64, bytes: usize) -> Result<Vec<u8>, Refused> {
    let broken = |what: &str| Refused {
        code: code::INVALID_IMAGE,
        message: format!("the PTX in the module cannot be unpacked: {what}"),
    };
    if flags & (BY_LZ4 | BY_ZSTD) == 0 {
        return Ok(data.to_vec());
    }
    if bytes > MOST_BYTES {
        return Err(broken(&format!("it says that it has {bytes} bytes")));
    }
    if flags & BY_LZ4 != 0 {
        return lz4_flex::block::decompress(data, bytes).map_err(|error| broken(&error.to_string()));
    }
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    let mut text = Vec::with_capacity(bytes);
    decoder.decode_all_to_vec(data, &mut text).map_err(|error| broken(&error.to_string()))?;
    Ok(text)
}

/// Several texts as one module: the first line of each kind, then what they declare, without what another text defines.
pub(super) fn linked(texts: &[String]) -> String {
    match texts {
        [] => NO_KERNELS.to_owned(),
        [text] => text.clone(),
        texts => {
            let is_head = |line: &&str| {
                [".version", ".target", ".address_size"]
                    .iter()
                    .any(|head| line.trim_start().starts_with(head))
            };
            let version = texts.iter().filter_map(|text| head(text, ".version")).max().unwrap_or("7.8");
            let target = texts.iter().filter_map(|text| head(text, ".target")).max().unwrap_or("sm_70");
            let mut all = format!(".version {version}\n.target {target}\n.address_size 64\n");
            for text in texts {
                for line in text.lines().filter(|line| !is_head(line)) {
                    all.push_str(line);
                    all.push('\n');
                }
            }
            all
        }
    }
}

/// The barrier of a grid, which NVIDIA's library of the runtime for kernels has.
const DEVICE_RUNTIME: &str = include_str!("device_runtime.ptx");

/// A text, and behind it the barrier of a grid if the text declares its functions and has none of its own.
pub(super) fn with_runtime(mut text: String) -> String {
    let mut lines = text.lines().filter(|line| line.contains("cudaCG")).peekable();
    let is_called = lines.peek().is_some();
    if is_called && !lines.any(|line| line.contains(".visible")) {
        text.push_str(DEVICE_RUNTIME);
    }
    text
}

/// What a text says after one of its first words.
fn head<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.trim().strip_prefix(word).map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.target sm_70\n.address_size 64\n";

    fn part(kind: u16, arch: u32, flags: u64, data: &[u8], bytes: usize) -> Vec<u8> {
        let mut part = vec![0; 64];
        part[0..2].copy_from_slice(&kind.to_le_bytes());
        part[4..8].copy_from_slice(&64_u32.to_le_bytes());
        part[8..16].copy_from_slice(&(data.len() as u64).to_le_bytes());
        part[28..32].copy_from_slice(&arch.to_le_bytes());
        part[40..48].copy_from_slice(&flags.to_le_bytes());
        part[56..64].copy_from_slice(&(bytes as u64).to_le_bytes());
        part.extend_from_slice(data);
        part
    }

    fn binary(parts: &[Vec<u8>]) -> Vec<u8> {
        let parts = parts.concat();
        let mut all = FAT_BINARY.to_le_bytes().to_vec();
        all.extend([1, 0, 16, 0]);
        all.extend((parts.len() as u64).to_le_bytes());
        all.extend(parts);
        all
    }

    #[test]
    fn ptx_is_found_in_a_binary_for_several_devices() {
        let newer = TEXT.replace("70", "80");
        let packed = lz4_flex::block::compress(newer.as_bytes());
        let of_both = [
            part(2, 90, 0, b"\x7fELF and more", 0),
            part(PTX, 70, 0, TEXT.as_bytes(), 0),
            part(PTX, 80, BY_LZ4, &packed, newer.len()),
        ];
        let all = binary(&of_both);
        assert_eq!((kind(&all), fat_binary_bytes(&all)), (Image::FatBinary, all.len() as u64));
        assert_eq!(of_fat_binary(&all), Ok(vec![newer]));
        assert_eq!(of_fat_binary(&binary(&of_both[..2])), Ok(vec![TEXT.to_owned()]));
        assert_eq!(of_fat_binary(&binary(&of_both[..1])), Err(machine_code()));
        for end in 0..all.len() {
            let _ = of_fat_binary(&all[..end]);
        }
    }

    #[test]
    fn what_is_no_ptx_is_refused() {
        assert_eq!(of_text(b"\x7fELF"), Err(machine_code()));
        assert_eq!(of_text(b"hello").unwrap_err().code, code::INVALID_IMAGE);
        assert_eq!(kind(b"\x7fELF\x02\x01\x01\0"), Image::MachineCode);
    }

    #[test]
    fn texts_are_linked_under_one_head() {
        let other = ".version 8.3\n.target sm_80\n.address_size 64\n.global .u32 x;\n".to_owned();
        assert_eq!(
            linked(&[TEXT.to_owned(), other]),
            ".version 8.3\n.target sm_80\n.address_size 64\n.global .u32 x;\n"
        );
        assert_eq!(linked(&[TEXT.to_owned()]), TEXT);
    }

    #[test]
    fn the_barrier_of_a_grid_comes_with_either_of_its_functions_and_once() {
        let with = |more: &str| with_runtime(format!("{TEXT}{more}")).matches("cudaCGSynchronize(").count();
        assert_eq!(with(""), 0);
        assert_eq!(with(".extern .func (.param .b64 made) cudaCGGetIntrinsicHandle(.param .b32 scope);"), 1);
        assert_eq!(with(".extern .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle);"), 2);
        let own = ".visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle)\n{\nret;\n}";
        assert_eq!(with(own), 1);
    }
}
