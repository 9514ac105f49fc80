//! Long journals: the same again on fresh processes, and not the same after one command was changed.
//!
//! The full length, 10,000 ticks: `cargo run --release -p lab --bin torture -- --rounds 0 --replay-ticks 10000`.

use std::sync::Arc;
use tests::e2e::root;
use tests::scene::read_content;
use tests::torture::replay_twice;

#[test]
fn ticks_with_fifty_bots_replay_twice_and_one_changed_command_does_not() {
    let world = root().join("data/world");
    let content = Arc::new(read_content(&world));
    let folder = tempfile::tempdir().expect("a folder");
    let told = replay_twice(folder.path(), &world, content, 12, 50, 120).expect("the same twice, and then another");
    assert!(told.hashes >= 4 && told.changed_tick >= told.first_tick, "{told:?}");
}
