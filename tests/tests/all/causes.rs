//! What somebody is told follows from a command of its own: the one that is run, or the one that began the fight.

use protocol::Outcome;
use tests::scene::{Person, Scene};
use world::report::{LineParts, Report};
use world::{CharacterId, InputNumber};

/// What a person was told in a report, with the input of the command that it follows from.
fn told(report: &Report, who: CharacterId) -> Vec<(Outcome, Option<InputNumber>)> {
    let LineParts { lines, to, causes } = report.lines.clone().into_parts();
    let witnessed = report.witnessed.iter().filter(|witnessed| witnessed.who == who);
    let mut told: Vec<_> = witnessed.map(|w| (w.outcome.as_ref().clone(), w.cause.map(|id| id.input))).collect();
    for (at, (reader, number)) in to.iter().enumerate() {
        let cause = causes.iter().find(|(place, _)| *place as usize == at).map(|(_, id)| id.input);
        if let (true, Some(outcome)) = (*reader == who, &lines[*number as usize].outcome) {
            told.push((outcome.as_ref().clone(), cause));
        }
    }
    told
}

fn geese() -> Scene {
    let mut scene = Scene::open("green", 1);
    for (name, level) in [("God", 40), ("Ann", 6), ("Bob", 6)] {
        scene.enter(name, &Person { level, agent: true, room: Some(100), ..Person::default() });
    }
    scene.does("God", "load mob 113");
    scene.does("God", "set goose hit 40");
    scene
}

/// Ticks until somebody is credited with a kill, at most a minute of the game; all that this one was told.
fn fight_on(scene: &mut Scene, who: CharacterId) -> Vec<(Outcome, Option<InputNumber>)> {
    let mut all = Vec::new();
    for _ in 0..30 {
        all.extend(told(&scene.tick(), who));
        if all.iter().any(|(outcome, _)| matches!(outcome, Outcome::KillCredit { .. })) {
            break;
        }
    }
    all
}

#[test]
fn a_fight_follows_from_the_command_that_began_it() {
    let mut scene = geese();
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    let begun = scene.does("Ann", "kill goose");
    let mut all = told(&begun, ann);
    assert!(!all.is_empty() && begun.done.iter().any(|done| done.who == ann), "{begun:?}");
    assert!(told(&begun, bob).iter().all(|(_, cause)| cause.is_none()), "it is no doing of Bob's");
    // What is done meanwhile does not make the fight its own; it waits for the lag, and is done when its turn comes.
    let said = scene.does("Ann", "say Take that!");
    assert!(said.done.is_empty(), "{said:?}");
    let later = fight_on(&mut scene, ann);
    let words = later.iter().find(|(outcome, _)| matches!(outcome, Outcome::Said { .. }));
    assert_eq!(words.and_then(|(_, cause)| *cause), Some(said.number), "{later:?}");
    all.extend(later.into_iter().filter(|(outcome, _)| !matches!(outcome, Outcome::Said { .. })));
    let credit = all.iter().find(|(outcome, _)| matches!(outcome, Outcome::KillCredit { .. }));
    assert_eq!(credit.and_then(|(_, cause)| *cause), Some(begun.number), "{all:?}");
    let blows = |(outcome, _): &&(Outcome, _)| matches!(outcome, Outcome::Damage { .. } | Outcome::Miss { .. });
    assert!(all.iter().filter(blows).count() > 1, "{all:?}");
    assert!(all.iter().filter(blows).all(|(_, cause)| *cause == Some(begun.number)), "{all:?}");
    assert!(scene.world.who(ann).fight_cause.is_none(), "the fight is over");
    assert_eq!(scene.world.check_all(), Vec::<String>::new());
}

#[test]
fn a_fight_that_one_is_drawn_into_follows_from_nothing_until_one_takes_it_up() {
    let mut scene = geese();
    let (ann, room) = (scene.id("Ann"), scene.world.who(scene.id("Ann")).room);
    let is_goose = |id: &&CharacterId| scene.world.who(**id).is_mob();
    let goose = *scene.world.room(room).characters.iter().find(is_goose).expect("a goose");
    scene.world.strike(goose, ann);
    let drawn_in = told(&scene.tick(), ann);
    assert!(!drawn_in.is_empty() && drawn_in.iter().all(|(_, cause)| cause.is_none()), "{drawn_in:?}");
    let taken_up = scene.does("Ann", "kill goose");
    assert_eq!(taken_up.refused.as_deref(), Some("You are at it already."));
    let later = fight_on(&mut scene, ann);
    let credit = later.iter().find(|(outcome, _)| matches!(outcome, Outcome::KillCredit { .. }));
    assert_eq!(credit.and_then(|(_, cause)| *cause), Some(taken_up.number), "{later:?}");
}
