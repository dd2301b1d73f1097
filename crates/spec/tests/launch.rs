//! A launch is the same in every spelling: options, TOML and JSON.

use serde::Deserialize;
use serde_json::json;
use simt::{Dim3, Reconvergence, Schedule};
use spec::launch::{
    Checkers, Described, FIELDS, Field, Group, Launch, More, Passed, Seeds, Word, Words, command_line,
};

/// What options say: each has a name and a text.
fn options(all: &[(&str, &str)]) -> Result<Launch, String> {
    let mut launch = Launch::default();
    for (name, text) in all {
        launch.set(Field::named(name).unwrap_or_else(|| panic!("no field `{name}`")), text)?;
    }
    Ok(launch)
}

/// A test of a scenario file, which has a name and takes no field of the kernel.
#[derive(Debug, Deserialize)]
struct Test {
    name: String,
    #[serde(default)]
    finds: Vec<String>,
}

impl More for Test {
    fn takes(field: &Field) -> bool {
        field.group != Group::Launch
    }
}

#[test]
fn every_spelling_means_the_same() {
    let from_options = options(&[
        ("kernel", "scale<float, 4>"),
        ("grid", "4,2"),
        ("block", "64"),
        ("cluster", "2,1"),
        ("shared_bytes", "256"),
        ("arg", "x buf:f32:64:iota"),
        ("arg", "n i32:64"),
        ("schedule", "hunt"),
        ("seed", "7"),
        ("reconvergence", "stack"),
        ("resident_blocks", "3"),
        ("weak_memory", "true"),
        ("check", "races,sync"),
        ("max_steps", "1000"),
    ])
    .unwrap();
    let toml = r#"
        kernel = "scale<float, 4>"
        grid = [4, 2]
        block = 64
        cluster = [2, 1]
        shared_bytes = 256
        args = ["x buf:f32:64:iota", { name = "n", is = "i32:64" }]
        schedule = "hunt"
        seed = 7
        reconvergence = "stack"
        resident_blocks = 3
        weak_memory = true
        check = "race,synchronisation"
        max_steps = 1000
    "#;
    assert_eq!(toml::from_str::<Launch>(toml).unwrap(), from_options);
    let request = json!({
        "kernel": "scale<float, 4>", "grid": [4, 2], "block": [64], "cluster": [2, 1], "shared_bytes": 256,
        "arguments": [{ "name": "x", "is": "buf:f32:64:iota" }, { "name": "n", "is": "i32:64" }],
        "schedule": "hunt", "seed": 7, "reconvergence": "stack", "resident_blocks": 3, "weak_memory": true,
        "checks": ["races", "synchronisation"], "max_steps": 1000,
    });
    assert_eq!(serde_json::to_value(&from_options).unwrap(), request);
    assert_eq!(serde_json::from_value::<Launch>(request).unwrap(), from_options);
}

#[test]
fn a_launch_has_the_options_that_describe_it() {
    let launch = Launch {
        grid: Some(Dim3::new(4, 2, 1).into()),
        arguments: vec![Passed { name: "x".to_owned(), is: "{f32:2, i32:5}".to_owned() }],
        seeds: Some(Seeds { start: 0, end: 4 }),
        weak_memory: Some(true),
        checks: Some(Checkers::NONE),
        ..Launch::default()
    };
    let words = launch.options();
    assert_eq!(
        command_line(&words),
        "--grid 4,2 --arg '{f32:2, i32:5}' --seeds 0..4 --weak-memory --check none"
    );
    assert!(!Launch { weak_memory: Some(false), ..launch }.options().contains(&"--weak-memory".to_owned()));
    assert_eq!(
        command_line(&["", "a b", "it's", "$x", "f32:1,-2"].map(str::to_owned)),
        r"'' 'a b' 'it'\''s' '$x' f32:1,-2"
    );
}

#[test]
fn the_nearer_launch_comes_first_and_many_seeds_take_random_turns() {
    let base = options(&[("grid", "4"), ("reconvergence", "its"), ("buffer", "x=f32:4:zeros")]).unwrap();
    let near = options(&[("grid", "2"), ("seeds", "3..9")]).unwrap().over(base);
    let (grid, block) = near.shape().unwrap();
    let launch = near.emulated(grid, block, 99);
    assert_eq!((grid, block), (Dim3::new(2, 1, 1), Dim3::new(32, 1, 1)));
    assert_eq!((launch.seed, launch.schedule, launch.max_steps), (3, Schedule::Random, 99));
    assert_eq!(launch.reconvergence, Reconvergence::Its);
    assert_eq!(near.buffers.0[0].is, "f32:4:zeros");
    let ordered = Launch { schedule: Some(Word(Schedule::RoundRobin)), ..near };
    assert_eq!(ordered.schedule(), Schedule::RoundRobin);
}

#[test]
fn fields_beside_a_launch_are_read_where_they_stand() {
    let text = "name = \"a\"\nseeds = \"0..4\"\nfinds = [\"race\"]\nsymbols = { k = \"i32:1\" }\n";
    let Described { launch, more } = toml::from_str::<Described<Test>>(text).unwrap();
    assert_eq!((more.name.as_str(), &more.finds[..]), ("a", &["race".to_owned()][..]));
    assert_eq!((launch.seeds, launch.symbols.0.len()), (Some(Seeds { start: 0, end: 4 }), 1));
    for (line, message) in [
        ("lunch = 1", "unknown field `lunch`, expected one of `name`, `finds`, `buffers`, `buffer`,"),
        ("grid = 1", "unknown field `grid`"),
        ("schedule = \"fair\"", "`schedule`: choose `round-robin`, `random` or `hunt`"),
        ("check = \"rices\"", "`check`: there is no checker `rices`"),
        ("checks = [\"all\"]", "`checks`: `all` cannot be combined with other names: choose from `races`"),
        ("max_steps = -1", "`max_steps`: invalid value: integer `-1`, expected u64"),
        ("finds = 1", "invalid type: integer `1`, expected a sequence"),
    ] {
        let text = format!("name = \"a\"\n{line}\n");
        let error = toml::from_str::<Described<Test>>(&text).unwrap_err();
        assert!(error.message().starts_with(message), "{line}: {}", error.message());
        let at = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        assert_eq!(at, Some(2), "{line}");
    }
    assert!(toml::from_str::<Described<Test>>("seeds = \"0..4\"").unwrap_err().message().contains("`name`"));
}

#[test]
fn what_no_option_could_say_is_refused_by_its_name() {
    for (toml, message) in [
        ("grid = 0", "`grid`: a grid is one to three whole numbers, each at least 1"),
        ("grid = [1, 2, 3, 4]", "`grid`: a grid is one to three whole numbers"),
        ("block = 2000", "`block`: a block has 1 to 1024 threads"),
        ("resident_blocks = 0", "`resident_blocks`: 1 to 1024 blocks"),
        ("max_steps = 0", "`max_steps`: a number of steps is a whole number, at least 1"),
    ] {
        let error = toml::from_str::<Launch>(toml).unwrap().check().unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
    let refused = |toml: &str| toml::from_str::<Launch>(toml).unwrap_err().message().to_owned();
    assert!(refused("grid = true").contains("a shape is written as in `4`, `[4, 2]`"));
    assert!(refused("check = \"all\"\nchecks = \"none\"").contains("duplicate field `checks`"));
    assert!(refused("args = [1]").contains("an argument is written as in `i32:5`"));
}

#[test]
fn every_field_has_a_help_and_a_name_of_its_own() {
    let mut names: Vec<&str> = FIELDS.iter().flat_map(|field| field.names).copied().collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for field in FIELDS {
        assert!(!field.about().is_empty() && !field.about().ends_with('.'), "{}", field.name());
    }
    let help = |name| Field::named(name).unwrap().help();
    assert!(
        help("schedule").starts_with("How warps take turns: round-robin, random, or hunt (random, switches")
    );
    assert!(help("reconvergence").ends_with("since Volta) [default: auto]"));
    assert_eq!(Field::named("args").unwrap().option(), "arg");
    assert_eq!(Field::named("max_steps").unwrap().option(), "max-steps");
}

/// The menus of a player need not have all words, but have no other ones.
#[test]
fn the_menus_of_a_player_have_known_words() {
    fn check<T: Words>(script: &str, list: &str) {
        let menu = script.lines().find(|line| line.contains(&format!("const {list} = ["))).unwrap();
        let names: Vec<&str> = menu.split("['").skip(1).filter_map(|pair| pair.split('\'').next()).collect();
        assert!(names.len() > 1, "{menu}");
        for name in names {
            name.parse::<Word<T>>().unwrap_or_else(|error| panic!("`{list}` has `{name}`: {error}"));
        }
    }
    let script =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/theme/player/frame.js"));
    let script = script.unwrap();
    check::<Schedule>(&script, "POLICIES");
    check::<Reconvergence>(&script, "MECHANISMS");
}
