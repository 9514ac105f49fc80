//! `bug`, `typo` and `idea`: what a player has to say to whoever runs the world.

use super::chat::person;
use crate::arena::CharacterId;
use crate::channels::ReportKind;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;

pub fn bug(world: &mut World, who: CharacterId, args: &str) -> Done {
    report(world, who, ReportKind::Bug, args, "What went wrong, and what did you expect? bug <words>")
}

pub fn typo(world: &mut World, who: CharacterId, args: &str) -> Done {
    report(world, who, ReportKind::Typo, args, "Which words are wrong, and how should they be? typo <words>")
}

pub fn idea(world: &mut World, who: CharacterId, args: &str) -> Done {
    report(world, who, ReportKind::Idea, args, "What would make this a better world? idea <words>")
}

fn report(world: &mut World, who: CharacterId, kind: ReportKind, args: &str, ask: &'static str) -> Done {
    person(world, who)?;
    let words = args.trim();
    if words.is_empty() {
        return Err(ask.into());
    }
    let number = world.keep_report(who, kind, words)?;
    let answer = format!("Thank you. That is report #{number}; whoever runs this world will read it.");
    world.send(who, LineKind::Text, answer);
    Ok(())
}
