//! What players report to whoever runs the world: a mistake, a slip of the pen, a wish (`bug`, `typo`, `idea`).
//!
//! A report is a message in the Architect's home, channel 0: so it is in the database with all that was said, names the
//! input that typed it, and a character who is the Architect reads it as it comes. It is paid for as all words are,
//! and never waits. Its words begin with where it was written (`opening`), and whoever lists reports reads them again
//! (`parts`).

use crate::arena::CharacterId;
use crate::channel::pace::{self, Account, Rate};
use crate::channel::row::Complaint;
use crate::channel::{MESSAGE_CHARS, Message, MessageKind};
use crate::character::MODERATOR_LEVEL;
use crate::clock::{TICK_SECONDS, duration};
use crate::refusal::{Done, Refusal};
use crate::report::{Line, LineKind};
use crate::world::World;
use protocol::channel::ARCHITECT;
use std::sync::Arc;

/// Characters of a complaint.
pub const COMPLAINT_CHARS: usize = 500;
/// Complaints of one player at once, and the ticks after which there may be one more: ten minutes. Somebody has to read
/// them all.
pub const COMPLAINTS_MAX: u32 = 5;
pub const COMPLAINT_TICKS: u64 = 300;

/// What a report is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportKind {
    Bug,
    Typo,
    Idea,
}

impl ReportKind {
    pub const ALL: [ReportKind; 3] = [ReportKind::Bug, ReportKind::Typo, ReportKind::Idea];

    /// The verb that makes one.
    pub const fn name(self) -> &'static str {
        match self {
            ReportKind::Bug => "bug",
            ReportKind::Typo => "typo",
            ReportKind::Idea => "idea",
        }
    }
}

/// A report, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts<'t> {
    pub kind: ReportKind,
    /// The name of the room, and its vnum.
    pub place: &'t str,
    pub room: i32,
    pub words: &'t str,
}

fn opening(kind: ReportKind, place: &str, room: i32) -> String {
    format!("{} in {place} ({room}): ", kind.name())
}

/// `None`: it is no report, but something that was said in the same channel.
pub fn parts(text: &str) -> Option<Parts<'_>> {
    let (head, words) = text.split_once("): ")?;
    let (head, room) = head.rsplit_once(" (")?;
    let (name, place) = head.split_once(" in ")?;
    let kind = ReportKind::ALL.into_iter().find(|kind| kind.name() == name)?;
    Some(Parts { kind, place, room: room.parse().ok()?, words })
}

impl World {
    /// Keeps a report of a player. What it got for a number.
    pub(crate) fn keep_report(&mut self, who: CharacterId, kind: ReportKind, words: &str) -> Result<u64, Refusal> {
        let person = self.person_of(who).ok_or("Only players report.")?;
        let proto = self.room_proto(self.who(who).room);
        let text = format!("{}{words}", opening(kind, &proto.name, proto.vnum));
        let room_left = MESSAGE_CHARS.saturating_sub(text.chars().count() - words.chars().count());
        let length = words.chars().count();
        if length > room_left {
            return Err(format!("A report has at most {room_left} characters; that one has {length}.").into());
        }
        let tick = self.tick();
        self.pay_for_report(person, &text)?;
        let number = self.state.channels.take_message_id();
        let message = Arc::new(Message {
            id: number,
            tick,
            sender: self.sender(who),
            kind: MessageKind::Text,
            text: text.into(),
            reply_to: None,
            typed_by: self.causes.act().map_or(self.state.number, |command| command.input),
            reactions: Vec::new(),
            hidden: false,
            veiled: false,
        });
        self.state.channels.push(ARCHITECT, message.clone());
        if !self.unread {
            self.tell_report(who, &message);
        }
        Ok(number)
    }

    /// A complaint of one player about another, for those who keep order. What it got for a number.
    pub(crate) fn complain(&mut self, who: CharacterId, about: u32, words: &str) -> Result<u64, Refusal> {
        let person = self.person_of(who).ok_or("Only players complain.")?;
        let length = words.chars().count();
        if length > COMPLAINT_CHARS {
            return Err(format!("A complaint has at most {COMPLAINT_CHARS} characters; that one has {length}.").into());
        }
        let tick = self.tick();
        // Only taken where the words are paid for, too.
        let mut spent = self.who(who).player().map(|player| player.complaints).unwrap_or_default();
        if let Err(wait) = spent.spend(COMPLAINTS_MAX, COMPLAINT_TICKS, tick) {
            let wait = duration(wait);
            return Err(format!(
                "You have complained much of late, and all of it is kept. You can do so again in {wait}."
            )
            .into());
        }
        self.pay_for_report(person, words)?;
        self.player_mut(who).complaints = spent;
        let id = self.state.channels.take_message_id();
        let (vnum, place) = {
            let proto = self.room_proto(self.who(who).room);
            (proto.vnum, proto.name.clone())
        };
        let name = |world: &World, id: u32| match world.state.channels.person(id) {
            Some(person) => person.name.clone(),
            None => world.display_name(id),
        };
        let complaint = Complaint {
            id,
            by: person,
            by_name: name(self, person),
            about,
            about_name: name(self, about),
            room: vnum,
            place,
            words: words.into(),
            tick: self.tick(),
            input: self.causes.act().map_or(self.state.number, |command| command.input),
        };
        let Complaint { by_name, about_name, .. } = &complaint;
        let text = format!("[complaint #{id}] {by_name} about {about_name}: {words} (complaints)");
        let players = self.state.players.values().copied();
        // Whom it is about need not know of it.
        let reads = |other: &CharacterId| {
            *other != who && self.who(*other).level >= MODERATOR_LEVEL && self.person_of(*other) != Some(about)
        };
        let moderators: Vec<CharacterId> = players.filter(reads).collect();
        for moderator in moderators {
            self.send(moderator, LineKind::Chat, text.clone());
        }
        self.complaints.push(complaint);
        Ok(id)
    }

    /// Words to whoever runs the world are paid for as all words are, and never wait.
    fn pay_for_report(&mut self, person: u32, text: &str) -> Done {
        let (tick, count) = (self.tick(), pace::words(text));
        let rate = Rate::steady(self.channel_in_use(ARCHITECT).wpm);
        let channel = self.channel_in_use(ARCHITECT);
        let account = match channel.members.get(&person) {
            Some(member) => member.account,
            None => channel.parted.get(&person).copied().unwrap_or_else(|| Account::full(tick)),
        };
        let account = account.at(tick, rate);
        if !account.affords(count) {
            let seconds = account.ticks_until(count, tick, rate) * TICK_SECONDS;
            return Err(format!("You have reported much just now. Try again in {seconds} seconds.").into());
        }
        match self.state.channels.member_mut(ARCHITECT, person) {
            Some(member) => member.account = account.pay(count),
            None => drop(self.channel_in_use(ARCHITECT).parted.insert(person, account.pay(count))),
        }
        Ok(())
    }

    /// Whoever reads the Architect's channel hears of it.
    fn tell_report(&mut self, who: CharacterId, message: &Message) {
        let members = self.state.channels.get(ARCHITECT).map(|channel| channel.members.keys().copied());
        let readers: Vec<u32> = members.into_iter().flatten().collect();
        let view = Arc::new(self.message_view(ARCHITECT, message, false));
        for person in readers {
            let reader = self.character_of(person).filter(|reader| *reader != who);
            let Some(reader) = reader.filter(|_| !self.is_muted(person, ARCHITECT)) else { continue };
            let channel = self.channel_name(ARCHITECT, person);
            let text = format!("[{ARCHITECT} {channel} #{}] {}: {}", message.id, message.sender.name, message.text);
            let (from, message) = (Some(message.sender.name.clone()), Some(view.clone()));
            let line = Line { kind: LineKind::Chat, from, text, message, ..Line::default() };
            self.send_line(reader, Arc::new(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_can_be_taken_apart_whatever_its_words_are() {
        for kind in ReportKind::ALL {
            for words in ["the well is dry", "in the well (8004): a typo", "): ", "bug in it"] {
                let text = format!("{}{words}", opening(kind, "The Well (old)", 8004));
                assert_eq!(parts(&text), Some(Parts { kind, place: "The Well (old)", room: 8004, words }));
            }
        }
        for other in ["hello", "bug in the well: it is dry", "tell in The Well (8004): it is dry", "bug in A (x): b"] {
            assert_eq!(parts(other), None, "{other}");
        }
    }
}
