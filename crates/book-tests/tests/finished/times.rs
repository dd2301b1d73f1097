//! How long a reader waits for the player, in a browser that has loaded the book before.

use serde::Deserialize;

use crate::browser::{Window, open, open_at};
use crate::server::Server;
use crate::session::Session;

/// From opening a page to its first drawn player, and from a reader's first own launch to the moment that it shows, which starts the
/// emulator.
const MAX_FRAME_MS: f64 = 300.0;

/// Of a step back, far from the start.
const MAX_BACK_MS: f64 = 50.0;

const STEPS_A_SECOND: f64 = 60.0;

/// Each time is the least of so many: nothing makes a page quicker than the machine is.
const TIMES: usize = 5;

/// What the page measures, in milliseconds.
#[derive(Debug, Deserialize)]
struct Waits {
    drawn: f64,
    launched: f64,
}

/// Runs in every page before its own scripts: notes when the frame with the first player has been drawn.
const NOTE_DRAWN: &str = "new MutationObserver((_, observer) => {
    if (document.querySelector('.player [data-lane]') === null) { return; }
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { window.drawnAt = performance.now(); }));
}).observe(document, { childList: true, subtree: true });";

/// When the player was drawn, and how long a launch takes then. What a reader can change is below the fold of a plain player.
const WAITS: &str = "(async () => {
    const player = document.querySelector('.live').lanesPlayer;
    player.box.querySelector('details.rest').open = true;
    while (player.box.querySelector('.choices') === null) { await new Promise(resolve => { setTimeout(resolve, 1); }); }
    const start = performance.now();
    player.restart();
    while (player.sides[0].timeline.moment === undefined) { await new Promise(resolve => { setTimeout(resolve, 1); }); }
    await new Promise(requestAnimationFrame);
    return { drawn: window.drawnAt, launched: performance.now() - start };
})()";

fn waits(window: &Window) -> Waits {
    window.go("introduction.html");
    window.wait("window.drawnAt !== undefined");
    window.sees("document.querySelectorAll('.player [data-state=runs][data-lane]').length === 32");
    window.ask(WAITS).unwrap()
}

/// Makes the launch of the first figure so large that it has more than 10,000 moments, and goes there.
const FAR: &str = "(async () => {
    const player = document.querySelector('.live').lanesPlayer;
    player.data.launch = { ...player.data.launch, grid: [4000] };
    await player.restart();
    await player.show(10_000);
    return player.at === 10_000 && player.count > 10_100 && player.sides[0].timeline.moment !== undefined;
})()";

/// How long one step back takes, to a moment that was not fetched before.
const BACK: &str = "(async () => {
    const player = document.querySelector('.live').lanesPlayer;
    player.sides[0].timeline.forget();
    const start = performance.now();
    player.box.querySelector('[data-act=back]').click();
    while (player.sides[0].timeline.moment === undefined) { await new Promise(resolve => { setTimeout(resolve, 1); }); }
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
})()";

/// How many steps it plays in a second, at its highest speed.
const PLAY: &str = "(async () => {
    const player = document.querySelector('.live').lanesPlayer;
    player.speed = 60;
    player.toggle();
    await new Promise(resolve => { setTimeout(resolve, 500); });
    const [from, start] = [player.at, performance.now()];
    await new Promise(resolve => { setTimeout(resolve, 2000); });
    const [to, end] = [player.at, performance.now()];
    player.toggle();
    return (to - from) / (end - start) * 1000;
})()";

fn least(times: impl Iterator<Item = f64>) -> f64 {
    times.fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "thorough: times need a quiet machine"]
fn a_reader_does_not_wait_for_the_player() {
    let Some(window) = open() else { return };
    window.resize(1280, 900);
    window.run_in_every_page(NOTE_DRAWN);
    // The first visit makes it warm.
    window.go("introduction.html");
    let times: Vec<Waits> = (0..TIMES).map(|_| waits(&window)).collect();
    let drawn = least(times.iter().map(|waits| waits.drawn));
    let launched = least(times.iter().map(|waits| waits.launched));
    window.sees(FAR);
    let back = least((0..TIMES).map(|_| window.ask::<f64>(BACK).unwrap()));
    let played: f64 = window.ask(PLAY).unwrap();
    println!(
        "drawn after {drawn:.0} ms, the first launch after {launched:.0} ms, a step back after {back:.0} ms, {played:.1} steps a second"
    );
    assert!(drawn < MAX_FRAME_MS && launched < MAX_FRAME_MS, "{times:?}");
    assert!(back < MAX_BACK_MS, "{back} ms");
    // The clocks of the test and of the frames are not the same.
    assert!(played > 0.97 * STEPS_A_SECOND, "{played}");
    assert_eq!(window.faults(), Vec::<String>::new());
}

/// From opening the first page to the second step of its figure, on slow 4G and with a processor that is four times slower.
const MAX_FIRST_STEP_MS: f64 = 1500.0;

/// From a letter to what the search finds, with that processor.
const MAX_SEARCH_MS: f64 = 500.0;

/// Runs in every page before its own scripts: presses the button for a step as soon as it is there, and notes when the step was
/// drawn.
const NOTE_STEP: &str = "new MutationObserver((_, observer) => {
    const button = document.querySelector('.live .player [data-act=step]');
    if (button === null) { return; }
    observer.disconnect();
    setTimeout(() => {
        const { timeline } = document.querySelector('.live').lanesPlayer.sides[0];
        const first = timeline.at;
        button.click();
        (function look() {
            if (timeline.at === first || timeline.moment === undefined) { return setTimeout(look, 1); }
            requestAnimationFrame(() => requestAnimationFrame(() => { window.steppedAt = performance.now(); }));
        })();
    });
}).observe(document, { childList: true, subtree: true });";

#[test]
#[ignore = "thorough: times need a quiet machine"]
fn the_first_step_is_there_soon_on_a_slow_phone() {
    let Some(window) = open_at(Server::packed) else { return };
    window.resize(1280, 900);
    window.run_in_every_page(NOTE_STEP);
    window.slow_down(4.0);
    let stepped = least((0..TIMES).map(|_| {
        window.go("introduction.html");
        window.wait("window.steppedAt !== undefined");
        window.ask::<f64>("window.steppedAt").unwrap()
    }));
    println!("the first step is there {stepped:.0} ms after navigation");
    assert!(stepped < MAX_FIRST_STEP_MS, "{stepped} ms");
}

/// Searches for a word with the page's own field, after one that is nowhere: the same word again is no search.
const SEARCH: &str = "(async word => {
    const field = document.getElementById('mdbook-searchbar');
    const results = document.getElementById('mdbook-searchresults');
    field.value = 'qqqqqq';
    field.dispatchEvent(new InputEvent('input'));
    while (results.childElementCount > 0) { await new Promise(resolve => { setTimeout(resolve, 1); }); }
    const start = performance.now();
    field.value = word;
    field.dispatchEvent(new InputEvent('input'));
    while (results.childElementCount === 0) { await new Promise(resolve => { setTimeout(resolve, 1); }); }
    return performance.now() - start;
})";

#[test]
#[ignore = "thorough: times need a quiet machine"]
fn a_search_answers_soon_on_a_slow_phone() {
    let Some(window) = open() else { return };
    window.go("introduction.html");
    window.press("s");
    window.wait("document.activeElement.id === 'mdbook-searchbar' && window.search.index !== undefined");
    window.slow_down(4.0);
    let answered: Vec<f64> = ["warp", "bank conflict", "threadfence", "分支"]
        .iter()
        .map(|word| least((0..TIMES).map(|_| window.ask(&format!("{SEARCH}('{word}')")).unwrap())))
        .collect();
    println!("searches answer after {answered:.0?} ms");
    assert!(answered.iter().all(|&each| each < MAX_SEARCH_MS), "{answered:?}");
}
