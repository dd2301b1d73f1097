//! What of an output is compared.

/// The 64-bit FNV-1a sum of an output without some lines, and without the numbers in others.
pub fn sum(output: &str, left_out: &[String], masked: &[String]) -> String {
    let has = |line: &str, texts: &[String]| texts.iter().any(|text| line.contains(&text[..]));
    let lines = output.split('\n').filter(|line| !has(line, left_out));
    let lines = lines.map(|line| if has(line, masked) { without_numbers(line) } else { line.to_owned() });
    let text = lines.collect::<Vec<_>>().join("\n");
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, add))
}

/// A line with `#` for each number, and one blank for several.
fn without_numbers(line: &str) -> String {
    let mut made = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = number(rest);
        made.push(if length > 0 { '#' } else { first });
        rest = &rest[length.max(first.len_utf8())..];
    }
    made.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How long the number is with which a text begins: digits and points with at least one digit, and an exponent.
fn number(text: &str) -> usize {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    if !text[..end].bytes().any(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    let Some(exponent) = text[end..].strip_prefix('e') else { return end };
    let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    match digits(signed) {
        0 => end,
        digits => end + 1 + (exponent.len() - signed.len()) + digits,
    }
}
