//! The same inputs, written down and read again, make the same world: one hash for each tick.

use std::sync::Arc;
use tests::remembered::Remembered;
use tests::scene::{read_content, tests_folder};
use tests::simulation::Simulation;
use world::rules::Rules;
use world::{Input, World};

const SEED: u64 = 4_711;
const TICKS: u64 = 60;

#[test]
fn recorded_inputs_give_the_same_hashes_again() {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let mut simulation = Simulation::new(content.clone(), SEED, 30);
    simulation.keep_inputs = true;
    let mut hashes = Vec::new();
    for _ in 0..TICKS {
        if let Err(failure) = simulation.run(1) {
            panic!("{failure}");
        }
        // What a command that waited asks of the edge in a tick is answered behind it.
        hashes.push((simulation.inputs.len(), simulation.world.hashes()));
    }

    let journal = postcard::to_stdvec(&simulation.inputs).expect("inputs encode");
    let inputs: Vec<Input> = postcard::from_bytes(&journal).expect("what was encoded decodes");
    // Whether anybody reads what is said changes nothing.
    for unread in [false, true] {
        let mut world = World::new(content.clone(), Arc::new(Rules::built_in()), SEED);
        world.unread = unread;
        let mut rounds = hashes.iter();
        let mut next = rounds.next();
        let mut remembered = Remembered::default();
        for (applied, input) in (1..).zip(&inputs) {
            let report = world.apply(input);
            assert!(remembered.take(&report).is_empty());
            assert!(!unread || report.lines.is_empty(), "{:?}", report.lines);
            if let Some((_, hashes)) = next.filter(|(inputs, _)| *inputs == applied) {
                let differences = world.hashes().differences(hashes);
                let tick = world.tick();
                assert!(differences.is_empty(), "tick {tick} differs in {differences:?} (unread: {unread})");
                next = rounds.next();
            }
        }
        assert!(next.is_none(), "every round was compared");
        assert_eq!(remembered.to_string(), simulation.remembered.to_string(), "what is remembered (unread: {unread})");
    }
}
