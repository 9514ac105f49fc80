//! That the program starts at all. Because of this test cargo builds it with the others, so that the end-to-end tests
//! of the `tests` crate find the newest one.

use std::process::Command;

#[test]
fn the_program_knows_its_version() {
    let run = Command::new(env!("CARGO_BIN_EXE_dp-server")).arg("--version").output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), concat!("dp-server ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn who_asks_for_a_server_that_never_was_makes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for asked in [&["health"][..], &["post", "--channel", "1", "Hello."]] {
        let run =
            Command::new(env!("CARGO_BIN_EXE_dp-server")).args(asked).arg("--state-dir").arg(folder.path()).output();
        let run = run.expect("it starts");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(!run.status.success() && said.contains("no server runs on the state folder"), "{asked:?}: {said}");
        let made: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").collect();
        assert!(made.is_empty(), "{asked:?} made {made:?}");
    }
}
