//! How a page is shown elsewhere: its title, and the picture and the text of a link to it.

use std::collections::BTreeMap;
use std::{env, fs};

use book_tests::Site;
use scraper::Selector;

use crate::browser::open;
use crate::session::Session;
use crate::{book, repository};

/// The variable that makes the test write the picture.
const BLESS: &str = "BOOK_BLESS";

/// The picture for links, in the book's source.
const CARD: &str = "book/src/assets/card.png";

#[test]
fn every_page_has_a_title_of_its_own_and_says_what_a_link_to_it_shows() {
    let site = Site::read(&book().out).unwrap();
    let title = Selector::parse("head > title").unwrap();
    let mut titles: BTreeMap<String, &str> = BTreeMap::new();
    for (name, page) in site.written() {
        let title: String = page.html.select(&title).flat_map(|title| title.text()).collect();
        let meta = |property: &str| {
            let selector = Selector::parse(&format!("head > meta[property='og:{property}']")).unwrap();
            let element = page.html.select(&selector).next();
            element.and_then(|meta| meta.attr("content")).unwrap_or_default().to_owned()
        };
        assert_eq!(meta("title"), title, "{name}");
        assert!(meta("description").len() > 20 && meta("image:alt").len() > 20, "{name}");
        let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let up = "../".repeat(folder.matches('/').count());
        assert_eq!(meta("image"), format!("{up}assets/card.png"), "{name}");
        // The first page is also the index.
        let other =
            titles.insert(title.clone(), name).filter(|other| *other != "index.html" && name != "index.html");
        assert_eq!(other, None, "{name} has the same title: {title}");
    }
    let pixels = png_size(&fs::read(book().out.join("assets/card.png")).unwrap());
    assert_eq!(pixels, Some((1200, 630)), "what the head says of it");
}

/// The width and the height of a PNG, from its first chunk.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    Some((number(16)?, number(20)?))
}

/// The drawing is compared with the picture only coarsely, because fonts differ between machines.
#[test]
fn the_card_is_not_stale() {
    let Some(window) = open() else { return };
    window.go("introduction.html");
    if env::var_os(BLESS).is_some() {
        let bytes: Vec<u8> = window.ask(&format!("({DRAW})().then(({{ png }}) => png)")).unwrap();
        fs::write(repository().join(CARD), bytes).unwrap();
        return;
    }
    let apart: f64 = window.ask(&format!("({DRAW})().then(({{ apart }}) => apart)")).unwrap();
    assert!(apart < 3.0, "`{CARD}` is not what card.svg draws ({apart:.1}): run this test with {BLESS}=1");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// Draws `card.svg`: returns a PNG, and how much each part of it differs from `card.png` on average, out of 255.
const DRAW: &str = "async () => {
    function drawn(image, width, height) {
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [width, height];
        const brush = canvas.getContext('2d');
        brush.imageSmoothingQuality = 'high';
        brush.drawImage(image, 0, 0, width, height);
        return canvas;
    }
    async function whole(address) {
        const image = new Image();
        image.src = address;
        await image.decode();
        return drawn(image, 1200, 630);
    }
    const parts = async address => drawn(await whole(address), 60, 32).getContext('2d').getImageData(0, 0, 60, 32).data;
    const [svg, png] = [await parts('assets/card.svg'), await parts('assets/card.png')];
    const apart = svg.reduce((sum, part, i) => sum + Math.abs(part - png[i]), 0) / svg.length;
    const canvas = await whole('assets/card.svg');
    const blob = await new Promise(done => canvas.toBlob(done, 'image/png'));
    return { apart, png: [...new Uint8Array(await blob.arrayBuffer())] };
}";
