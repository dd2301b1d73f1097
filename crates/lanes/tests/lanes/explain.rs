//! `lanes explain`: all kinds in a list, and each in full.

use simt::FaultKind;

use crate::{assert_readable, stdout, words};

#[test]
fn every_kind_is_listed_and_explained() {
    let list = words("explain");
    assert_eq!(list.status.code(), Some(0));
    assert_readable(stdout(&list));
    let programs = cuda_host::Kind::OF_PROGRAMS.map(cuda_host::Kind::name);
    for name in FaultKind::ALL.map(FaultKind::name).into_iter().chain(programs) {
        assert!(
            stdout(&list).contains(&format!("\n  {name} "))
                || stdout(&list).starts_with(&format!("  {name} "))
        );
        let explained = words(&format!("explain {name}"));
        assert_eq!(explained.status.code(), Some(0));
        assert!(
            stdout(&explained).starts_with(&format!("{name}: "))
                && stdout(&explained).contains("How to fix it")
        );
    }
}
