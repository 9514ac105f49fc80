//! The number by which a journal knows what the code makes of the same inputs: whoever changes that must raise it.
//!
//! `tests/golden/rules_version.txt` holds the hash of a played world beside the number and the fingerprints of content
//! and rules. Where those are the same and the hash is not, the code does something else with the same inputs.

use std::sync::Arc;
use tests::scene::{read_content, tests_folder};
use tests::simulation::Simulation;
use world::rules::{RULES_VERSION, Rules};

#[test]
fn whoever_changes_what_inputs_do_raises_the_rules_version() {
    let content = Arc::new(read_content(&tests_folder().join("scenes/green")));
    let needs = format!("{RULES_VERSION} {:016x} {:016x}", content.fingerprint(), Rules::built_in().fingerprint());
    let mut simulation = Simulation::new(content, 7, 20);
    if let Err(failure) = simulation.run(150) {
        panic!("{failure}");
    }
    let hash = format!("{:016x}", simulation.world.hashes().all);
    let path = tests_folder().join("golden/rules_version.txt");
    let written = format!("{needs}\n{hash}\n");
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    if golden == written {
        return;
    }
    assert!(
        golden.lines().next() != Some(needs.as_str()),
        "the same inputs do something else than before: raise RULES_VERSION in world/src/rules/mod.rs, so that no server \
         replays an old journal with the new code, and run this again with UPDATE=1"
    );
    assert!(std::env::var_os("UPDATE").is_some(), "content or rules changed: run this again with UPDATE=1");
    std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
    std::fs::write(&path, written).expect("the file can be written");
}
