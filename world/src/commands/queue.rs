//! What a player has typed and has not done yet: `queue` lists it, `clear` forgets it.
//!
//! Here are the commands that wait for the end of a lag. Lines that came faster than the server takes them wait before
//! the world, at the connection, which keeps the same two verbs from waiting behind them (`about_waiting`).

use super::settings::ONLY_PLAYERS;
use super::{Typed, find_verb, forget_waiting};
use crate::arena::CharacterId;
use crate::character::LEVEL_MAX;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;

/// What a line that does not wait itself asks about those that do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AboutWaiting {
    List,
    Forget,
}

/// Whether a line is a command that is not to wait for what was typed before it.
pub fn about_waiting(line: &str) -> Option<AboutWaiting> {
    let verb = find_verb(Typed::parse(line).word, LEVEL_MAX).filter(|verb| verb.traits.at_once)?;
    Some(if verb.looks() { AboutWaiting::List } else { AboutWaiting::Forget })
}

pub fn queue(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    if player.queue.is_empty() {
        return Err(NOTHING_WAITS.into());
    }
    let mut page = Page::new();
    page.say("Until you are free, these wait:");
    for (number, queued) in (1..).zip(&player.queue) {
        page.say(format!("{number:3}  {}", queued.line));
    }
    Ok(page)
}

pub fn clear(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or(ONLY_PLAYERS)?;
    let text = match forget_waiting(world, who) {
        0 => return Err(NOTHING_WAITS.into()),
        1 => "You think no more of what you meant to do next.".to_string(),
        count => format!("You think no more of the {count} things that you meant to do next."),
    };
    world.send(who, LineKind::Text, text);
    Ok(())
}

const NOTHING_WAITS: &str = "Nothing waits until you are free.";
