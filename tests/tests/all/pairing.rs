//! Two arms of an experiment that differ in what costs nothing only, looks and talk and recall, live through the same
//! world: the same blows, the same loot, the same weather. What docs/REPLAY.md promises under "Common chance".

use std::sync::Arc;
use tests::scene::{read_content, tests_folder};
use tests::simulation::Simulation;
use world::budget::Budget;
use world::number::CommandId;
use world::rng::Dice;
use world::rules::Rules;
use world::world::State;
use world::{Input, World};

const SEED: u64 = 20_261;
const TICKS: u64 = 150;
const PLAYERS: usize = 24;

/// What one of the arms does more. None of it changes what a verb that is not free finds.
const MORE: &[&str] =
    &["look", "score", "say Well met.", "recall wolf", "inventory", "who", "time", "consider rat", "note It is cold."];

/// The state without what tells how much was typed and what is remembered of it.
fn deeds(world: &World) -> State {
    let mut state = world.state.clone();
    state.number = 0;
    // What is said in channels is free, and stands there.
    state.channels = world::channel::Channels::default();
    for index in 0..state.characters.span() {
        let Some(id) = state.characters.id_at(index) else { continue };
        let character = state.characters.get_mut(id).expect("it was just found");
        if let Some(cause) = &mut character.fight_cause {
            cause.input = 0;
        }
        let Some(player) = character.player_mut() else { continue };
        player.active_tick = 0;
        player.log_seq = 0;
        player.said.clear();
        player.records = Budget::default();
        player.past = Arc::default();
        for choice in &mut player.choices {
            (choice.from, choice.upto) = (0, 0);
        }
        for waiting in &mut player.queue {
            waiting.id = CommandId { input: 0, part: 0 };
        }
    }
    state
}

#[test]
fn arms_that_differ_in_free_verbs_only_throw_the_same_dice() {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let mut simulation = Simulation::new(content.clone(), SEED, PLAYERS);
    simulation.keep_inputs = true;
    if let Err(failure) = simulation.run(TICKS) {
        panic!("{failure}");
    }
    let new = || World::new(content.clone(), Arc::new(Rules::built_in()), SEED);
    let (mut plain, mut curious) = (new(), new());
    let mut whims = Dice::new(SEED, 1, 2, 3);
    let (mut more, mut ticks) = (0, 0);
    for input in &simulation.inputs {
        plain.apply(input);
        curious.apply(input);
        match input {
            // In a lag it would wait in the queue, and could take the place of something that counts.
            Input::Command { who, .. }
                if curious.character(*who).is_some_and(|c| c.free_tick <= curious.tick() && c.is_player()) =>
            {
                let line = *whims.pick(MORE).expect("there are some");
                curious.apply(&Input::Command { who: *who, line: line.into() });
                more += 1;
            }
            Input::Tick => {
                ticks += 1;
                let (one, other) = (deeds(&plain).hashes(), deeds(&curious).hashes());
                let differences = one.differences(&other);
                assert!(differences.is_empty(), "tick {ticks}, after {more} more: {differences:?} differ");
            }
            _ => {}
        }
    }
    let fights = plain.state.characters.iter().filter(|(_, c)| c.player().is_some_and(|p| p.acts > 0)).count();
    assert!(more > 500 && fights >= PLAYERS / 4, "{more} more, {fights} who threw dice: this shows nothing");
    assert!(curious.state.number > plain.state.number);
}

#[test]
fn another_seed_is_another_world() {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let mut simulation = Simulation::new(content.clone(), SEED, PLAYERS);
    simulation.keep_inputs = true;
    if let Err(failure) = simulation.run(40) {
        panic!("{failure}");
    }
    let run = |seed| {
        let mut world = World::new(content.clone(), Arc::new(Rules::built_in()), seed);
        simulation.inputs.iter().for_each(|input| drop(world.apply(input)));
        let mut state = deeds(&world);
        state.seed = 0;
        state.hashes().characters
    };
    assert_ne!(run(SEED), run(SEED + 1));
}
