//! The verbs of a mind: what a character has set out to do, decided and noted, and what it wants to remember.
//!
//! The world knows nothing of minds: it hands the request to the edge (`Request::Mind`) and sets the numbers aside that
//! the entries of its log get, so that a replay gives the same numbers. Invariants: numbers of a character only rise,
//! and none is given twice. Who only asks takes none. Where the edge refuses, or writes less than it might, numbers
//! stay unused: a log may have gaps.

use crate::arena::CharacterId;
use crate::find::first_word;
use crate::refusal::{Done, Refusal};
use crate::report::{MindRequest, Request};
use crate::world::World;
use content::Text;
use protocol::names::clean_text;
use std::collections::BTreeSet;

/// Parts that a goal is split into, at most.
const PARTS_MAX: usize = 7;
/// Kinds of mobs and players that a recall is told of at most: a crowd reminds of nobody.
const PRESENT_MAX: usize = 24;

const ONLY_PLAYERS: Refusal = Refusal::new("Only players have a mind that can be read.");

pub fn task(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "task", args, one_if_any)
}

/// A turn to another project writes what is put away and what is taken up.
pub fn project(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "project", args, |args| if args.is_empty() { 0 } else { 2 })
}

/// A split writes an entry for each part.
pub fn goal(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "goal", args, |args| match args {
        "" => 0,
        args if first_word(args).0.eq_ignore_ascii_case("split") => {
            1 + args.matches('|').count().min(PARTS_MAX - 1) as u8
        }
        _ => 1,
    })
}

pub fn fact(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "fact", args, one_if_any)
}

pub fn pattern(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "pattern", args, one_if_any)
}

pub fn tidy(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "tidy", args, |args| u8::from(args.is_empty()))
}

/// Who is there matters for what is written of them.
pub fn journal(world: &mut World, who: CharacterId, args: &str) -> Done {
    let present = if args.trim().is_empty() { Vec::new() } else { present(world, who) };
    ask_among(world, who, "journal", args, one_if_any, present)
}

pub fn note(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "note", args, one_if_any)
}

pub fn decide(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "decide", args, one_if_any)
}

pub fn step(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "step", args, one_if_any)
}

pub fn block(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "block", args, one_if_any)
}

pub fn remember(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "remember", args, |args| u8::from(args.contains('=')))
}

pub fn forget(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "forget", args, one_if_any)
}

pub fn trouble(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "trouble", args, one_if_any)
}

pub fn context(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "context", args, one_if_any)
}

/// One entry before the compaction and one after it.
pub fn compact(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "compact", args, |args| if args.is_empty() { 2 } else { 0 })
}

pub fn hud(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "hud", args, |_| 0)
}

pub fn history(world: &mut World, who: CharacterId, args: &str) -> Done {
    ask(world, who, "history", args, |_| 0)
}

/// What is remembered depends on who and what is there, so the request says it.
pub fn recall(world: &mut World, who: CharacterId, args: &str) -> Done {
    let present = present(world, who);
    ask_among(world, who, "recall", args, |_| 0, present)
}

/// Keys of the room that `who` is in and of those whom it sees there; see `MindRequest::present`.
fn present(world: &World, who: CharacterId) -> Vec<Text> {
    let c = world.who(who);
    let mut keys = vec![Text::from(format!("room:{}", world.room_proto(c.room).vnum))];
    if !c.is_awake() {
        return keys;
    }
    let dark = world.is_dark(c.room);
    let (mut players, mut mobs) = (BTreeSet::new(), BTreeSet::new());
    for other in world.room(c.room).characters.iter().filter(|other| **other != who) {
        if players.len() + mobs.len() == PRESENT_MAX {
            break;
        }
        if !world.sees_in(who, *other, dark) {
            continue;
        }
        match world.mob_proto(*other) {
            Some(proto) => mobs.insert(proto.vnum),
            None => players.insert(world.who(*other).name.to_ascii_lowercase()),
        };
    }
    keys.extend(players.iter().map(|name| Text::from(format!("player:{name}"))));
    keys.extend(mobs.iter().map(|vnum| Text::from(format!("mob:{vnum}"))));
    keys
}

/// The mind writes one entry of what the world has done already.
pub(super) fn ask_one(world: &mut World, who: CharacterId, verb: &'static str, args: &str) -> Done {
    ask(world, who, verb, args, |_| 1)
}

fn one_if_any(args: &str) -> u8 {
    u8::from(!args.is_empty())
}

fn ask(world: &mut World, who: CharacterId, verb: &'static str, args: &str, numbers: fn(&str) -> u8) -> Done {
    ask_among(world, who, verb, args, numbers, Vec::new())
}

fn ask_among(
    world: &mut World,
    who: CharacterId,
    verb: &'static str,
    args: &str,
    numbers: fn(&str) -> u8,
    present: Vec<Text>,
) -> Done {
    let character = world.who(who);
    let player = character.player().ok_or(ONLY_PLAYERS)?;
    let (name, first) = (character.name.clone(), player.log_seq + 1);
    // Counted from what the mind will read.
    let args = clean_text(args);
    let args = args.trim();
    let numbers = numbers(args);
    if numbers > 0 {
        world.player_mut(who).log_seq += u64::from(numbers);
    }
    let request = MindRequest { who, name, verb, args: args.into(), first, numbers, present };
    world.report.requests.push(Request::Mind(Box::new(request)));
    Ok(())
}
