//! `bug`, `typo`, `idea` and `complain`: what a player has to say to whoever runs the world.

use super::chat::person;
use crate::arena::CharacterId;
use crate::channels::ReportKind;
use crate::find::first_word;
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

/// Of somebody, to whoever keeps order.
pub fn complain(world: &mut World, who: CharacterId, args: &str) -> Done {
    let own = person(world, who)?;
    let (word, words) = first_word(args);
    let words = words.trim();
    if word.is_empty() || words.is_empty() {
        return Err("Of whom, and what did they do? complain <player> <words>".into());
    }
    let about = world.person_word(word)?;
    if about == own {
        return Err("Of yourself? What you did wrong is between you and you.".into());
    }
    let number = world.complain(who, about, words)?;
    let name = world.display_name(about);
    let answer = format!("That is complaint #{number} about {name}. Whoever keeps order can look at this very moment.");
    world.send(who, LineKind::Text, answer);
    Ok(())
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
