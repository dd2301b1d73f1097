//! Campaigns with the emulator in the GPU's place: how they handle kernels that differ, and processes that do not
//! return.

use std::path::PathBuf;
use std::time::Duration;

use difftest::campaign::{self, Outcome, Plan, Retry};
use difftest::family::Family;
use difftest::kernel::Kernel;
use difftest::record::{self, Circumstances};
use serde_json::{Value, json};

fn plan(device: &str, count: u64) -> Plan {
    Plan {
        program: PathBuf::from(env!("CARGO_BIN_EXE_difftest")),
        device: device.to_owned(),
        arguments: vec!["--arch".to_owned(), "sm_90".to_owned()],
        retries: [1, 0].map(at_level).to_vec(),
        tries_all: false,
        first: 0,
        count,
        batch: 4,
        processes: 2,
        patience: Duration::from_secs(60),
        end: Duration::from_secs(300),
    }
}

fn at_level(level: u32) -> Retry {
    let arguments = ["--brief", "--level", &level.to_string()].map(str::to_owned).to_vec();
    Retry { name: format!("driver -O{level}"), arguments }
}

fn run(plan: &Plan) -> (Outcome, Value) {
    let outcome = campaign::run(plan).unwrap();
    let word = String::new;
    let about = Circumstances {
        date: word(),
        device: word(),
        driver: word(),
        ptxas: Vec::new(),
        command: word(),
        seconds: 0,
    };
    let record = record::record(&about, &outcome);
    (outcome, record)
}

fn seeds(outcome: &Outcome) -> Vec<u64> {
    outcome.lines.iter().filter_map(|line| line["seed"].as_u64()).collect()
}

#[test]
fn a_machine_that_is_right_agrees_on_every_kernel() {
    let (outcome, record) = run(&plan("emulator", 9));
    assert_eq!(seeds(&outcome), (0..9).collect::<Vec<_>>());
    assert_eq!((record["equal"].as_u64(), record["different"].as_u64()), (Some(9), Some(0)));
    assert!(
        record["slots"].as_u64() > Some(100) && record["instructions"].as_u64() > record["slots"].as_u64()
    );
}

#[test]
fn a_campaign_may_have_kernels_of_a_family() {
    let mut plan = plan("emulator:1=wrong", 2);
    plan.arguments.extend(["--family".to_owned(), "clusters".to_owned()]);
    let (_, record) = run(&plan);
    assert_eq!((record["equal"].as_u64(), record["different"].as_u64()), (Some(1), Some(1)));
    let expected = &Kernel::of(Some(Family::Clusters), 1).slots[0].instruction;
    assert_eq!(record["groups"][0]["example"]["instruction"].as_str(), Some(expected.as_str()));
}

#[test]
fn each_trouble_affects_only_its_own_kernel() {
    let plan = Plan {
        patience: Duration::from_secs(3),
        ..plan("emulator:1=death,4=error,5=hang,7=death,9=hang", 10)
    };
    let (outcome, record) = run(&plan);
    assert_eq!(seeds(&outcome), (0..10).collect::<Vec<_>>());
    assert!(!outcome.cut_short);
    let troubles: Vec<(u64, &str)> = outcome
        .lines
        .iter()
        .filter_map(|line| Some((line["seed"].as_u64()?, line["trouble"].as_str()?)))
        .collect();
    let expected = [
        (1, "the process died"),
        (4, "the driver stopped"),
        (5, "no answer"),
        (7, "the process died"),
        (9, "no answer"),
    ];
    assert_eq!(troubles.len(), expected.len(), "{troubles:?}");
    for ((seed, trouble), (expected_seed, words)) in troubles.iter().zip(expected) {
        assert!(*seed == expected_seed && trouble.starts_with(words), "{seed}: {trouble}");
    }
    assert_eq!(record["equal"].as_u64(), Some(5));
    let retries: Vec<&Value> = (0..5).map(|index| &record["troubles"][index]["retries"]).collect();
    let back = |first: &str| json!({ "driver -O1": first, "driver -O0": "equal" });
    let gone = json!({ "driver -O1": "lost", "driver -O0": "lost" });
    assert_eq!(retries, [&back("lost"), &back("stopped"), &gone, &back("lost"), &gone]);
    assert_eq!(record["unexplained"].as_u64(), Some(2), "what hangs at every level");
}

/// Explaining a difference would take the levels that kill the process.
#[test]
fn a_kernel_that_is_wrong_at_the_only_level_that_runs_is_a_difference_and_not_lost() {
    let (_, record) = run(&plan("emulator:1=wrong-or-death", 2));
    let retries = &record["troubles"][0]["retries"];
    assert_eq!(retries["driver -O1"], "lost");
    assert!(retries["driver -O0"]["instruction"].is_string(), "{retries}");
    assert_eq!(record["unexplained"].as_u64(), Some(1));
}

#[test]
fn a_difference_names_the_first_slot_and_the_levels_at_which_it_occurs() {
    let (_, record) = run(&plan("emulator:2=optimiser,3=wrong", 5));
    assert_eq!(record["different"].as_u64(), Some(2));
    let group = |seed: u64| {
        let groups = record["groups"].as_array().unwrap();
        groups.iter().find(|group| group["seeds"][0].as_u64() == Some(seed)).unwrap()
    };
    let (mended, wrong) = (group(2), group(3));
    assert_eq!(mended["verdict"], "assembler");
    assert_eq!(mended["example"]["levels"]["driver -O0"], "equal");
    assert_eq!(wrong["verdict"], "open", "the instruction by itself is right");
    assert_eq!(wrong["example"]["levels"]["driver -O0"], "slot 0");
    for example in [&mended["example"], &wrong["example"]] {
        assert_eq!((example["slot"].as_u64(), example["thread"].as_u64()), (Some(0), Some(0)));
        let number = |key: &str| u64::from_str_radix(&example[key].as_str().unwrap()[2..], 16).unwrap();
        assert_eq!(number("emulator") ^ number("device"), 1, "the lowest bit is what went wrong");
    }
}

#[test]
fn a_campaign_ends_when_its_time_is_up() {
    let plan = Plan { end: Duration::from_secs(3), ..plan("emulator:0=hang,4=hang", 8) };
    let (outcome, _) = run(&plan);
    assert!(outcome.cut_short);
    assert!(outcome.lines.len() < 8);
}

/// An assembler that crashes on a text crashes at some levels; at the others the text has a result.
#[test]
fn a_text_that_kills_the_process_is_tried_with_each_compiler_alone() {
    let text = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../crates/simt/tests/compilers/dead_recursive_call.ptx");
    let mut plan = Plan { tries_all: true, ..plan("emulator", 1) };
    plan.arguments.extend(["--text".to_owned(), text.display().to_string()]);
    plan.retries
        .push(Retry { name: "driver -O2".to_owned(), arguments: vec!["--no-such-option".to_owned()] });
    let whole = campaign::run(&plan).unwrap();
    assert_eq!(whole.lines[0]["runs"]["driver -O4"], "as expected");
    let lost = campaign::run(&Plan { device: "emulator:0=death".to_owned(), ..plan }).unwrap();
    let retries = lost.lines[0]["retries"].as_object().unwrap();
    let entry = difftest::texts::gathered(&text, retries).unwrap();
    assert_eq!(entry["expected"], whole.lines[0]["expected"]);
    let results: Vec<(&str, &str)> = entry["runs"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(way, results)| (way.as_str(), results.as_str().unwrap()))
        .collect();
    let died = "the process died while it compiled the text";
    let expected = [
        ("emulator", "as expected"),
        ("driver -O1", died),
        ("driver -O0", "as expected"),
        ("driver -O2", died),
    ];
    assert_eq!(results, expected);
}
