//! Tests of `printf`: one line for each behaviour, compared with what C libraries print.

use super::{Failure, MAX_OUTPUT, Memory, format};

/// An argument.
#[derive(Clone, Copy)]
enum Arg {
    I(i32),
    L(i64),
    D(f64),
    S(&'static str),
}
use Arg::{D, I, L, S};

/// A buffer, and strings whose addresses are their indices in a list.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    strings: Vec<&'static str>,
}

impl Buffer {
    fn new(args: &[Arg]) -> Buffer {
        let mut buffer = Buffer::default();
        for arg in args {
            match *arg {
                I(value) => buffer.push(&value.to_le_bytes()),
                L(value) => buffer.push(&value.to_le_bytes()),
                D(value) => buffer.push(&value.to_le_bytes()),
                S(text) => {
                    buffer.push(&(0x100 + buffer.strings.len() as u64).to_le_bytes());
                    buffer.strings.push(text);
                }
            }
        }
        buffer
    }

    fn push(&mut self, bytes: &[u8]) {
        let start = self.bytes.len().next_multiple_of(bytes.len());
        self.bytes.resize(start, 0xee);
        self.bytes.extend(bytes);
    }
}

impl Memory for Buffer {
    fn argument(&mut self, offset: u64, bytes: u32) -> Option<u64> {
        let bytes = self.bytes.get(offset as usize..offset as usize + bytes as usize)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn string(&mut self, address: u64, limit: usize) -> Option<Vec<u8>> {
        let text = self.strings.get(address.checked_sub(0x100)? as usize)?;
        Some(text.bytes().take(limit).collect())
    }
}

fn check(text: &str, args: &[Arg], expected: &str) {
    let printed = format(text.as_bytes(), &mut Buffer::new(args)).unwrap();
    assert_eq!(String::from_utf8_lossy(&printed.text), expected, "{text}");
    assert_eq!(printed.arguments as usize, args.len(), "{text}");
}

#[test]
fn integers() {
    check("%d|%i|%u", &[I(-5), I(7), I(-1)], "-5|7|4294967295");
    check("%5d|%-5d|%05d|%+d|% d", &[I(42), I(42), I(-42), I(42), I(42)], "   42|42   |-0042|+42| 42");
    check("%.3d|%6.3d|%06.3d|%.0d", &[I(5), I(-5), I(5), I(0)], "005|  -005|   005|");
    check("%x %X %#x %#o %o %#x", &[I(255), I(255), I(255), I(8), I(8), I(0)], "ff FF 0xff 010 10 0");
    check("%#06x|%-#6x|", &[I(255), I(255)], "0x00ff|0xff  |");
    check("%hhd %hd %hhu", &[I(0x1ff), I(0x1_8000), I(-1)], "-1 -32768 255");
    check(
        "%d %lld %d %lu %zx",
        &[I(1), L(i64::MIN), I(2), L(-1), L(255)],
        "1 -9223372036854775808 2 18446744073709551615 ff",
    );
}

#[test]
fn widths_from_arguments() {
    check("%*d|%-*d|%*d", &[I(4), I(7), I(4), I(7), I(-4), I(7)], "   7|7   |7   ");
    check("%.*f|%.*f", &[I(1), D(2.25), I(-1), D(2.25)], "2.2|2.250000");
}

#[test]
fn text_characters_and_pointers() {
    check("%c%c|%3c|%-3c|", &[I(72), I(105), I(33), I(33)], "Hi|  !|!  |");
    check("%s|%6s|%-6s|%.2s", &[S("warp"), S("warp"), S("warp"), S("warp")], "warp|  warp|warp  |wa");
    check("%p|%12p|%p", &[L(0x7f00_1000), L(0x10), L(0)], "0x7f001000|        0x10|(nil)");
    check("100%% %5% done", &[], "100% % done");
}

#[test]
fn fixed_and_scientific() {
    check("%f|%.0f|%.0f|%#.0f", &[D(1.0 / 3.0), D(0.5), D(1.5), D(2.5)], "0.333333|0|2|2.");
    check(
        "%8.2f|%-8.2f|%08.2f|%+.1f",
        &[D(-1.005), D(1.5), D(-1.5), D(0.05)],
        "   -1.00|1.50    |-0001.50|+0.1",
    );
    check("%.20f", &[D(0.1)], "0.10000000000000000555");
    check(
        "%e|%.0e|%#.0E|%.2e",
        &[D(12345.678), D(15.0), D(1e100), D(1e-9)],
        "1.234568e+04|2e+01|1.E+100|1.00e-09",
    );
    check(
        "%f %F %e %5G|%05f",
        &[D(f64::INFINITY), D(-f64::INFINITY), D(f64::NAN), D(f64::NAN), D(f64::INFINITY)],
        "inf -INF nan   NAN|  inf",
    );
    check("%f %e %g", &[D(-0.0), D(0.0), D(-0.0)], "-0.000000 0.000000e+00 -0");
}

#[test]
fn general_picks_the_shorter() {
    check("%g %g %g %g", &[D(100_000.0), D(1_000_000.0), D(0.0001), D(0.00001)], "100000 1e+06 0.0001 1e-05");
    check("%g %g %.3g %#g", &[D(1.5), D(9.999_999_9), D(1234.0), D(1.0)], "1.5 10 1.23e+03 1.00000");
    check("%.0g %#.0g %.10g %G", &[D(3.7), D(3.7), D(0.1), D(1e-10)], "4 4. 0.1 1E-10");
}

#[test]
fn hexadecimal_shows_every_bit() {
    check("%a %a %a %A", &[D(1.0), D(0.1), D(0.0), D(-3.5)], "0x1p+0 0x1.999999999999ap-4 0x0p+0 -0X1.CP+1");
    check(
        "%.2a %.0a %.0a %.15a",
        &[D(0.1), D(1.5), D(2.75), D(1.5)],
        "0x1.9ap-4 0x2p+0 0x1p+1 0x1.800000000000000p+0",
    );
    check("%12a|%012a|%#a", &[D(1.5), D(-1.5), D(1.0)], "    0x1.8p+0|-0x0001.8p+0|0x1.p+0");
    check("%a", &[D(f64::from_bits(1))], "0x0.0000000000001p-1022");
}

#[test]
fn what_is_no_conversion_stands_as_it_is() {
    check("%y %5.3", &[], "%y %5.3");
    check("50% off", &[I(0o377)], "50377ff");
    check("%", &[], "%");
    check("%*q", &[], "%*q");
}

#[test]
fn output_is_bounded_and_failures_say_where() {
    let long = format(b"%99999999999d%d", &mut Buffer::new(&[I(1), I(2)])).unwrap();
    assert_eq!(long.text.len(), MAX_OUTPUT);
    assert_eq!(format(b"%d %d", &mut Buffer::new(&[I(1)])), Err(Failure::Argument(4)));
    assert_eq!(format(b"%s", &mut Buffer::new(&[L(3)])), Err(Failure::Text(3)));
    assert!(format(b"%.2147483647f", &mut Buffer::new(&[D(1.0)])).is_ok());
}
