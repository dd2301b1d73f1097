//! The figures' colours have enough contrast with the page in each of mdBook's themes: fills 3 to 1, text 4.5 to 1, as
//! WCAG 2.1 requires (1.4.3 and 1.4.11). Lines that only guide the eye are left out.

use std::fs;

/// The themes of mdBook 0.5, and the colour of their pages.
const PAGES: [(&str, [f64; 3]); 5] = [
    ("light", [255.0, 255.0, 255.0]),
    ("rust", [225.0, 225.0, 219.0]),
    ("coal", [19.0, 21.0, 22.0]),
    ("navy", [22.0, 25.0, 35.0]),
    ("ayu", [15.0, 20.0, 25.0]),
];

/// The relative luminance of a colour, from 0 to 1.
fn luminance(colour: [f64; 3]) -> f64 {
    let [r, g, b] = colour.map(|part| {
        let part = part / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Reads a colour such as `#1d2127`.
fn colour(text: &str) -> [f64; 3] {
    let part = |at: usize| f64::from(u8::from_str_radix(&text[at..at + 2], 16).unwrap());
    [part(1), part(3), part(5)]
}

#[test]
fn fills_and_text_have_enough_contrast_in_every_theme() {
    let css = fs::read_to_string(drawing::sources::root().join("book/theme/figures.css")).unwrap();
    for (theme, page) in PAGES {
        let rules = css.split('}').filter_map(|rule| rule.split_once('{'));
        let of_theme = rules.filter(|(names, _)| names.contains(&format!(".{theme}")));
        let lines: Vec<&str> = of_theme.flat_map(|(_, rule)| rule.split(';')).collect();
        let colours = lines.iter().filter_map(|line| line.trim().strip_prefix("--fig-")?.split_once(": "));
        let mut seen = 0;
        for (name, text) in colours.filter(|(name, _)| *name != "grid") {
            let least = if ["text", "dim"].contains(&name) { 4.5 } else { 3.0 };
            let got = contrast(colour(text), page);
            assert!(got >= least, "--fig-{name} of {theme}: {got:.2} to 1, and should be {least}");
            seen += 1;
        }
        assert!(seen >= 11, "{theme} has {seen} colours");
    }
}
