//! That the program starts at all. Because of this test cargo builds it with the others, so that the end-to-end tests
//! of the `tests` crate find the newest one.

use std::process::Command;

#[test]
fn the_program_knows_its_version() {
    let run = Command::new(env!("CARGO_BIN_EXE_dp-server")).arg("--version").output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), concat!("dp-server ", env!("CARGO_PKG_VERSION")));
}
