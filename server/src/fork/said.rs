//! The message that a fork begins with: who typed it by which input, and the same input with other words.
//!
//! A line keeps its verb where its words can be told from the rest of it, and the rest stays too; else the words are
//! said by `chat`, `reply` or `tell`, which is the same to whoever hears them.
//! Invariant: only what somebody typed, and what nobody has taken out of its channel since, is changed.

use crate::journal::replaying::{End, Entry, Step, records_after, replay};
use crate::journal::runs::{self, Base, Run, read_base};
use crate::journal::{Layout, Record};
use crate::replay::{Past, PastArgs};
use anyhow::{Context, bail, ensure};
use content::Text;
use std::ops::ControlFlow;
use world::channel::{ChannelKind, Message, MessageKind};
use world::character::Character;
use world::commands::Typed;
use world::{CharacterId, Input, InputNumber, World};

/// A message as it was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    pub message: u64,
    pub channel: u32,
    pub kind: ChannelKind,
    /// The other one of a direct channel, by its canonical name.
    pub other: Option<Text>,
    pub person: u32,
    /// The canonical name.
    pub speaker: Text,
    pub text: Text,
    pub reply_to: Option<u64>,
    /// The input that typed it, and when that was.
    pub number: InputNumber,
    pub at_ms: i64,
    pub typed: Typing,
}

/// Whose line it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typing {
    pub who: CharacterId,
    pub line: String,
}

/// The message, and the part of the past that it was typed in.
pub(super) fn find(args: &PastArgs, message: u64) -> anyhow::Result<(Past, Said)> {
    ensure!(message > 0, "there is no message #0; they count from #1");
    let runs = runs::runs(&Layout::new(&args.state_dir))?;
    let (run, base) = run_before(&runs, message)?;
    let past = Past::of(run, args)?;
    let said = said(&past, base, message)?;
    Ok((past, said))
}

/// The newest snapshot in which the message has not been said, with its run.
fn run_before(runs: &[Run], message: u64) -> anyhow::Result<(Run, Base)> {
    let mut oldest = None;
    for run in runs.iter().rev() {
        for path in run.files.snapshots.values().rev() {
            let base = match read_base(path) {
                Ok(base) => base,
                Err(error) => {
                    tracing::warn!("{error:#}");
                    continue;
                }
            };
            let channels = &base.state.channels;
            if channels.message(message).is_some_and(|(_, message)| message.hidden) {
                bail!("message #{message} was hidden by the owner of its channel");
            }
            if channels.next_message() <= message {
                return Ok((run.clone(), base));
            }
            oldest = Some(channels.next_message());
        }
    }
    match oldest {
        Some(first) => {
            bail!("message #{message} was said before what the journal still has, which begins with #{first}")
        }
        None => bail!("the journal has no snapshot that it could be replayed from"),
    }
}

/// Replays until the message is said, and on to the end of the run, since it may be hidden later.
fn said(past: &Past, base: Base, message: u64) -> anyhow::Result<Said> {
    let mut world = past.world(base);
    let mut found: Option<Said> = None;
    let mut is_hidden = false;
    let mut is_missing = false;
    let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
        if !matches!(step, Step::Input { .. }) || world.state.channels.next_message() <= message {
            return ControlFlow::Continue(());
        }
        let there = world.state.channels.message(message);
        if let (None, Some((channel, there))) = (&found, there) {
            match of(world, channel, there) {
                Some(said) => found = Some(said),
                None => is_missing = true,
            }
        }
        is_hidden |= there.is_some_and(|(_, there)| there.hidden);
        match there {
            Some(_) if !is_hidden && !is_missing => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    ensure!(!is_hidden, "message #{message} was hidden by the owner of its channel");
    ensure!(!is_missing, "nobody typed #{message}: it is a notice of the system, or a mob's");
    let Some(mut said) = found else {
        if let End::Gap(gap) = end {
            bail!("the journal cannot be replayed to message #{message}: {gap}");
        }
        let newest = world.state.channels.next_message() - 1;
        match message > newest {
            true => bail!("there is no message #{message}; the newest is #{newest}"),
            false => bail!("there is no message #{message}: that number is a request's, or its channel closed at once"),
        }
    };
    let mut typed = None;
    records_after(&past.run.files, said.number - 1, &mut |entry| match entry {
        Entry::Record(Record::Input { number, at_ms, input, .. }) if number == said.number => {
            if let Input::Command { who, line } = input {
                typed = Some((at_ms, Typing { who, line }));
            }
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })?;
    let (at_ms, typing) = typed.with_context(|| {
        format!("message #{message} was typed by input {}, which the journal no longer has", said.number)
    })?;
    (said.at_ms, said.typed) = (at_ms, typing);
    Ok(said)
}

/// A message that somebody typed; who by which line is filled in later.
fn of(world: &World, channel: u32, message: &Message) -> Option<Said> {
    let person = message.sender.id?;
    if message.kind != MessageKind::Text || message.typed_by == 0 {
        return None;
    }
    let there = world.state.channels.get(channel)?;
    let name = |person: u32| Some(world.state.channels.person(person)?.name.clone());
    let speaker = name(person)?;
    let is_direct = there.kind == ChannelKind::Direct;
    let other = there.members.keys().copied().find(|member| is_direct && *member != person);
    Some(Said {
        message: message.id,
        channel,
        kind: there.kind,
        other: other.and_then(name),
        person,
        typed: Typing { who: world.find_player(&speaker)?, line: String::new() },
        speaker,
        text: message.text.clone(),
        reply_to: message.reply_to,
        number: message.typed_by,
        at_ms: 0,
    })
}

impl Said {
    /// The input that says it with other words, in the world of just before.
    pub(super) fn instead(&self, world: &World, words: &str) -> anyhow::Result<Input> {
        let in_place = world
            .character(self.typed.who)
            .and_then(Character::player)
            .and_then(|player| in_place(&self.typed.line, &self.text, words, |word| player.aliases.contains_key(word)));
        if let Some(line) = in_place {
            return Ok(Input::Command { who: self.typed.who, line });
        }
        let who = world
            .find_player(&self.speaker)
            .with_context(|| format!("{} is not in the world where #{} was typed", self.speaker, self.message))?;
        let channels = &world.state.channels;
        let line = match (self.reply_to, &self.other) {
            (Some(answered), _) => format!("reply {answered} {words}"),
            // The first tell opens the channel.
            (None, Some(other)) if channels.get(self.channel).is_none() => format!("tell {other} {words}"),
            (None, _) => format!("chat {} {words}", self.channel),
        };
        Ok(Input::Command { who, line })
    }
}

/// The typed line with other words in the place of the old ones; nothing where they stand there never or twice, or
/// where what comes before them does not say by itself what is done with them.
fn in_place(line: &str, old: &str, new: &str, is_alias: impl Fn(&str) -> bool) -> Option<String> {
    let Typed { word, args } = Typed::parse(line);
    let at = args.find(old)?;
    // The first word of an answer may be an address.
    let is_open = at == 0 && "reply".starts_with(&word.to_lowercase());
    if word.is_empty() || is_open || is_alias(word) || args[at + old.len()..].contains(old) {
        return None;
    }
    let line = line.trim();
    let head = &line[..line.len() - args.len()];
    Some(format!("{head}{}{new}{}", &args[..at], &args[at + old.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_verb_where_its_words_stand_apart() {
        for (line, old, new) in [
            ("gossip hello all", "hello all", Some("gossip bye")),
            ("  tell bob hello  ", "hello", Some("tell bob bye")),
            ("chat 108 hello", "hello", Some("chat 108 bye")),
            ("reply 413 hello", "hello", Some("reply 413 bye")),
            ("at 3001 gossip hello", "hello", Some("at 3001 gossip bye")),
            // A long message goes in pieces, and only one of them is changed.
            ("gossip First. Second. Third.", "Second.", Some("gossip First. bye Third.")),
            ("reply hello", "hello", None),
            ("re hello", "hello", None),
            ("tell bob bob", "bob", None),
            ("hi", "hello", None),
            ("hi hello", "hello", None),
            ("", "hello", None),
        ] {
            assert_eq!(in_place(line, old, "bye", |word| word == "hi").as_deref(), new, "{line}");
        }
    }
}
