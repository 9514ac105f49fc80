//! Random players in the world that ships. A longer run: `cargo run --release -p lab --bin simulate`.

use std::sync::Arc;
use tests::scene::{read_content, tests_folder};
use tests::simulation::Simulation;

#[test]
fn whatever_players_type_the_world_stays_sound() {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let mut simulation = Simulation::new(content, 1, 50);
    simulation.careful = true;
    simulation.remembered.keep = true;
    if let Err(failure) = simulation.run(300) {
        panic!("{failure}");
    }
    // Of what players do seldom, a little more play brings the last.
    for _ in 0..30 {
        let agents = simulation.agents_ordered > 5;
        if agents && simulation.unused().0.is_empty() && simulation.parts_undone().is_empty() {
            break;
        }
        if let Err(failure) = simulation.run(30) {
            panic!("{failure}");
        }
    }
    let (unused, _) = simulation.unused();
    assert!(unused.is_empty(), "nobody typed {unused:?}");
    assert_eq!(simulation.parts_undone(), [""; 0], "nobody did that");
    let done = |verb: &str| simulation.used[verb].1 > 0;
    assert!(done("name") && done("guideline"), "nobody took a name, or keeps to anything");
    assert!(simulation.agents_ordered > 5, "{} agents were made", simulation.agents_ordered);
    assert!(simulation.channel_law.messages > 500, "{} messages", simulation.channel_law.messages);
    let law = &simulation.living_law;
    assert!(law.by_ignorers > 20, "{} of {} were heard by who ignores somebody", law.by_ignorers, law.heard);
    assert!(simulation.round_trips > 50, "{} stored characters came back", simulation.round_trips);
    let judged = simulation.remembered.judged();
    assert!(judged.sentences > 5_000, "{} sentences", judged.sentences);
    let shown: Vec<_> = judged.untrue.iter().take(8).collect();
    assert!(shown.is_empty(), "{} untrue of {}: {shown:#?}", judged.untrue.len(), judged.sentences);
}
