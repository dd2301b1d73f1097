//! The facts in `book/facts` are not stale.

use std::fs;

use drawing::facts::{FOLDER, facts};

#[test]
fn no_fact_is_stale() {
    let root = drawing::sources::root();
    let facts = facts(&root).unwrap();
    for (name, text) in &facts {
        let file = fs::read_to_string(root.join(FOLDER).join(name)).unwrap_or_default();
        assert!(file.replace("\r\n", "\n") == *text, "{FOLDER}/{name} is stale: run `cargo xtask facts`");
    }
    assert_eq!(fs::read_dir(root.join(FOLDER)).unwrap().count(), facts.len(), "{FOLDER} has other files");
}
