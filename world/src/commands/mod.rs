//! Commands: from a typed line to a verb's function. The verbs themselves are one table, `table::VERBS`.
//!
//! Invariant: a verb that only looks gets `&World`; a verb that acts gets `&mut World`. Both answer a `Refusal` when
//! the game will not do it, and say everything else through the world.

use crate::arena::CharacterId;
use crate::character::*;
use crate::number::CommandId;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::report::{Asks, Done as DoneCommand, Line, LineKind, Request, Witnessed};
use crate::rng::Occasion;
use crate::world::{QUEUE_MAX, World};
use content::ChannelId;
use content::words::Position;
use protocol::Outcome;
use protocol::verbs::Rank;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub mod adjustments;
pub mod agents;
pub mod aliases;
mod attempt;
pub mod bank;
pub mod cast;
mod chain;
pub mod channel;
pub mod channels;
pub mod chat;
pub mod combat;
pub mod dying;
pub mod equipment;
pub mod food;
mod gone;
pub mod groups;
pub mod handiwork;
pub mod help;
mod help_arts;
mod help_index;
mod help_places;
mod help_topics;
mod horns;
mod ignore;
pub mod immortal;
pub mod information;
pub mod inspection;
pub mod kennels;
pub mod learning;
pub mod legacy;
pub mod look;
pub mod map;
pub mod mind;
pub mod moonlight;
pub mod objects;
pub mod order;
mod parts;
pub mod places;
pub mod plots;
pub mod positions;
pub mod practice;
pub mod prototypes;
mod queue;
mod quit;
mod reports;
pub mod riding;
pub mod scuffle;
pub mod seals;
mod secrets;
mod selection;
pub mod services;
pub mod settings;
pub mod socials;
mod spelling;
pub mod stealth;
pub mod strikes;
pub mod table;
pub mod talk;
pub mod tasks;
pub mod theft;
mod title;
pub mod trade;
pub mod travel;
pub mod verb;
pub mod woodcraft;

use chain::COMMANDS_MAX;
pub use chain::commands_in;
pub use help::help_pages;
pub use protocol::verbs::Typed;
pub use queue::{AboutWaiting, about_waiting};
pub use secrets::{Stripped, strip_secret};
pub use table::VERBS;
pub use verb::{Group, Run, Traits, Verb, find_verb};

/// Of a command that was not done, so much is shown.
const SHOWN_CHARS: usize = 40;

/// A line has arrived. Aliases are expanded now, so that what waits holds plain commands and none is expanded twice.
pub(crate) fn take(world: &mut World, who: CharacterId, line: &str) {
    let tick = world.tick();
    let Some(player) = world.character(who).and_then(Character::player) else { return };
    let aliases = &player.aliases;
    let parts = match aliases.contains_key(Typed::parse(line).word) {
        // An alias keeps what follows it for its pattern.
        true => vec![line],
        false => {
            chain::split(line, |word| aliases.contains_key(word) || channels::find(&world.content, word).is_some())
        }
    };
    // A blank line is a command too: programs hear that it is done.
    let parts = if parts.is_empty() { vec![""] } else { parts };
    let commands: Vec<Cow<str>> =
        parts.iter().take(COMMANDS_MAX).flat_map(|part| expanded(aliases, part)).take(QUEUE_MAX).collect();
    if player.active_tick != tick {
        world.player_mut(who).active_tick = tick;
    }
    let input = world.state.number;
    for (part, command) in (0..).zip(&commands) {
        run_or_wait(world, who, command, Typed::parse(command), CommandId { input, part });
    }
    if let Some(first) = parts.get(COMMANDS_MAX).filter(|_| world.character(who).is_some()) {
        let shown: String = first.chars().take(SHOWN_CHARS).collect();
        let text = format!("A line holds {COMMANDS_MAX} commands. From \"{shown}\" on nothing was done.");
        refuse(world, who, Typed::parse(first), text.into());
    }
}

/// What a command means to whoever has these aliases: itself, or the commands of the alias that it begins with.
fn expanded<'l>(aliases: &BTreeMap<String, String>, command: &'l str) -> Vec<Cow<'l, str>> {
    let typed = Typed::parse(command);
    let Some(pattern) = aliases.get(typed.word) else { return vec![command.into()] };
    let commands = aliases::expand(pattern, typed.args);
    // What follows a secret verb belongs to the edge, which could not know this one for what it is.
    commands.into_iter().map(|command| strip_secret(&command).line.to_string().into()).collect()
}

/// A command is run at once, or waits while the character lags. Does nothing for who has left the world.
fn run_or_wait(world: &mut World, who: CharacterId, line: &str, typed: Typed, id: CommandId) {
    let Some(character) = world.character(who) else { return };
    let lagging = world.tick() < character.free_tick;
    let waiting = character.player().map_or(0, |player| player.queue.len());
    if (lagging || waiting > 0) && about_waiting(line).is_none() {
        if waiting >= QUEUE_MAX {
            let before = world.captured(who);
            world.causes.begin_act(who, id);
            refuse(world, who, typed, Refusal::new("You are still busy, and cannot keep more than that in mind."));
            let asked = world.report.requests.len();
            note_done(world, who, id, is_agent(world, who), asked);
            if let Some(before) = before {
                world.note_ran(who, id, typed, before);
            }
            return;
        }
        world.player_mut(who).queue.push_back(Queued { line: line.into(), id });
        world.state.waiting.insert(who);
        return;
    }
    run_noted(world, who, typed, id);
}

/// Runs what waited, as far as lag allows. Called on each tick.
pub(crate) fn run_waiting(world: &mut World) {
    let waiting: Vec<CharacterId> = world.state.waiting.iter().copied().collect();
    for who in waiting {
        loop {
            let tick = world.tick();
            let Some(character) = world.character(who) else {
                world.state.waiting.remove(&who);
                break;
            };
            if tick < character.free_tick {
                break;
            }
            let Some(Queued { line, id }) = world.player_mut(who).queue.pop_front() else {
                world.state.waiting.remove(&who);
                break;
            };
            run_noted(world, who, Typed::parse(&line), id);
        }
    }
    // What follows is the world's own.
    world.streams.begin(Occasion::Tick(world.tick()));
}

/// Forgets what waits for the end of a lag. How many commands that were; a program hears that they are done with.
fn forget_waiting(world: &mut World, who: CharacterId) -> usize {
    let waited = std::mem::take(&mut world.player_mut(who).queue);
    world.state.waiting.remove(&who);
    if is_agent(world, who) {
        let done = waited.iter().map(|queued| DoneCommand { who, id: queued.id, asks: Asks::Nobody });
        world.report.done.extend(done);
    }
    waited.len()
}

/// Runs a command that its character decided on, and notes what it did where that is asked for. What somebody else
/// forces upon a character is run without a note: it was no decision of its own.
fn run_noted(world: &mut World, who: CharacterId, typed: Typed, id: CommandId) {
    let Some(before) = world.captured(who) else { return run_own(world, who, typed, id) };
    if typed.word.is_empty() {
        return run_own(world, who, typed, id);
    }
    let earlier = world.report.refused.take();
    run_own(world, who, typed, id);
    world.note_ran(who, id, typed, before);
    if world.report.refused.is_none() {
        world.report.refused = earlier;
    }
}

/// Runs a command that what its character is told meanwhile follows from.
fn run_own(world: &mut World, who: CharacterId, typed: Typed, id: CommandId) {
    let (is_agent, asked) = (is_agent(world, who), world.report.requests.len());
    world.causes.begin_act(who, id);
    run_act(world, who, typed);
    note_done(world, who, id, is_agent, asked);
}

/// Whether its client wants to know when its commands are done.
fn is_agent(world: &World, who: CharacterId) -> bool {
    world.character(who).and_then(Character::player).is_some_and(|player| player.agent)
}

/// The end of a command. `asked`: how many requests there were before it.
fn note_done(world: &mut World, who: CharacterId, id: CommandId, is_agent: bool, asked: usize) {
    world.causes.end_act();
    if is_agent && !world.unread {
        let asked = world.report.requests[asked..].iter();
        let asks = asked.map(|request| match request {
            Request::Mind(request) if request.who == who => Asks::Mind,
            Request::History(request) if request.who == who => Asks::History,
            _ => Asks::Nobody,
        });
        let asks = asks.into_iter().find(|asks| *asks != Asks::Nobody).unwrap_or(Asks::Nobody);
        world.report.done.push(DoneCommand { who, id, asks });
    }
}

/// Runs a command as an act of this character, with dice that depend on nothing but its own acts before.
fn run_act(world: &mut World, who: CharacterId, typed: Typed) {
    let Some(character) = world.character(who) else { return };
    let before = character.player().map_or(0, |player| player.acts);
    world.streams.begin(Occasion::Act { actor: character.serial, before });
    run(world, who, typed);
    if world.streams.drew()
        && let Some(player) = world.state.characters.get_mut(who).and_then(Character::player_mut)
    {
        player.acts += 1;
    }
}

/// Runs one command now.
fn run(world: &mut World, who: CharacterId, typed: Typed) {
    if typed.word.is_empty() {
        return;
    }
    if let Err(refusal) = dispatch(world, who, typed) {
        refuse(world, who, typed, refusal);
    }
}

/// Runs what a script has a mob type: what can be ordered of mobs, and words. False when the game refuses it.
pub(crate) fn run_scripted(world: &mut World, mob: CharacterId, line: &str) -> bool {
    let typed = Typed::parse(line);
    let own = |verb: &Verb| verb.traits.secret || verb.traits.runs_commands || verb.rank() != Rank::Mortal;
    let barred = find_verb(typed.word, world.who(mob).level).is_some_and(own);
    if typed.word.is_empty() || barred || strip_secret(line).secret.is_some() || world.tick() < world.who(mob).free_tick
    {
        return false;
    }
    let refused = world.report.refused.take();
    run(world, mob, typed);
    let was_refused = std::mem::replace(&mut world.report.refused, refused).is_some();
    !was_refused
}

fn refuse(world: &mut World, who: CharacterId, typed: Typed, refusal: Refusal) {
    let outcome = Arc::new(Outcome::Refused { command: typed.word.into(), reason: refusal.0.as_ref().into() });
    let shown = refusal.is_shown();
    let text = refusal.0.into_owned();
    world.report.refused = Some(text.clone());
    if !shown {
        let cause = world.cause_for(who, Some(&outcome));
        world.report.witnessed.push(Witnessed { who, outcome, cause });
        return;
    }
    world.send_line(who, Arc::new(Line { kind: LineKind::Refusal, text, outcome: Some(outcome), ..Line::default() }));
}

fn dispatch(world: &mut World, who: CharacterId, Typed { word, args }: Typed) -> Done {
    let character = world.who(who);
    let frozen = character.player_flags().has(PlayerFlags::FROZEN);
    let meaning = meaning(world, word, character.level);
    if frozen && !matches!(meaning, Meaning::Verb(verb) if verb.traits.while_frozen) {
        return Err("You are frozen, and can only wait to be thawed, or quit.".into());
    }
    if let Meaning::Verb(verb) = meaning
        && character.position < verb.position
    {
        return Err(too_low(world, character.position));
    }
    // Nobody is kept from leaving, and no script reads what belongs to the edge or to operators.
    let own = |verb: &Verb| verb.traits.while_frozen || verb.traits.secret || verb.rank() != Rank::Mortal;
    let heard = !matches!(meaning, Meaning::Verb(verb) if own(verb));
    if heard && (world.fire_command(who, word, args) || world.character(who).is_none()) {
        return Ok(());
    }
    let verb = match meaning {
        Meaning::Verb(verb) => verb,
        Meaning::Channel(id) => return channels::speak(world, who, id, args),
        Meaning::Other => return socials::perform(world, who, word, args),
    };
    if world.who(who).position < verb.position {
        return Err(too_low(world, world.who(who).position));
    }
    let done = match verb.run {
        Run::Look(_) if world.unread && !world.is_captured(who) => Ok(()),
        Run::Look(look) => look(world, who, args).map(|page| world.send_line(who, Arc::new(page.into_line()))),
        Run::Act(act) => act(world, who, args),
    };
    done.map_err(|refusal| if gone::is_named(world, who, verb, args) { gone::GONE } else { refusal })
}

/// Whether a verb that everybody types goes by that name, which is in lower case, in full. Those of arts are few
/// people's, and people are called by some of them: Scout.
pub fn is_common_verb(word: &str) -> bool {
    VERBS.iter().filter(|verb| verb.group != Group::Arts).flat_map(Verb::names).any(|name| *name == *word)
}

/// What a typed word means to somebody of a level.
enum Meaning {
    Verb(&'static Verb),
    Channel(ChannelId),
    /// A social, or nothing.
    Other,
}

/// Verbs of mortals, then channels, then all other verbs, then socials.
fn meaning(world: &World, word: &str, level: i32) -> Meaning {
    if socials::is_whole(word) {
        return Meaning::Other;
    }
    let verb = |mortal: bool| verb::NAMES.find_among(word, level, |rank| (rank == Rank::Mortal) == mortal);
    let channel = || channels::find(&world.content, word).map(Meaning::Channel);
    verb(true).map(Meaning::Verb).or_else(channel).or_else(|| verb(false).map(Meaning::Verb)).unwrap_or(Meaning::Other)
}

/// Why nothing can be done that needs a higher position than this.
fn too_low(world: &World, position: Position) -> Refusal {
    Refusal::new(match position {
        Position::Dead => return world.content.sentences.dead.to_string().into(),
        Position::MortallyWounded | Position::Incapacitated => {
            "You are too far gone to do anything but hope, or let go: release."
        }
        Position::Stunned => "You are stunned. Your limbs do not answer.",
        Position::Sleeping => "You dream that you do, and sleep on.",
        Position::Resting => "Not while you rest. Stand up first.",
        Position::Sitting => "Not while you sit. Stand up first.",
        Position::Fighting => "Not now: somebody is trying to kill you.",
        Position::Standing => "Not like this.",
    })
}

impl World {
    /// The character may not act for that many ticks from now on (on top of what it owes already).
    pub fn lag(&mut self, who: CharacterId, ticks: u64) {
        let now = self.tick();
        let character = self.who_mut(who);
        character.free_tick = character.free_tick.max(now) + ticks;
    }
}
