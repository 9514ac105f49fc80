//! Which mind of a body perceives what, and what each may read: a stream is a view of the body's log and of its own, in
//! the order of the numbers that the world gave out, which is that of its inputs.
//!
//! Invariants: nothing is copied, so there is one truth; each kind of happening and of entry has one row, and what the
//! row says is all that decides, but for what concerns the whole body (`concerns_all`). OBSERVER perceives all.

use crate::appraisal::VALENCE_MAX;
use crate::event::{Event, LogEntry};
use crate::happenings::Deed;
use protocol::happening::{Role, What};
use protocol::minds::MindName;
use serde::{Deserialize, Serialize};

/// Who perceives a kind, beside OBSERVER.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    Inner,
    Outer,
    Both,
    /// OBSERVER alone: the upkeep of the log.
    Nobody,
}

impl To {
    fn has(self, mind: MindName) -> bool {
        match mind {
            MindName::Body | MindName::Observer => true,
            MindName::Inner => matches!(self, To::Inner | To::Both),
            MindName::Outer => matches!(self, To::Outer | To::Both),
        }
    }
}

/// A kind of happening, who perceives it, and why.
pub type DeedRoute = (Deed, To, &'static str);

/// Source: *Three logs, one order* of the issue of several minds.
pub const DEEDS: &[DeedRoute] = &[
    (Deed::Killed, To::Outer, "who fell to whom, at which level, is reckoned with"),
    (Deed::Assisted, To::Outer, "what a fight takes is reckoned with"),
    (Deed::Fought, To::Outer, "how a fight goes is reckoned with"),
    (Deed::Fled, To::Outer, "who is too strong at which level is reckoned with"),
    (Deed::Wounded, To::Inner, "a wound is felt"),
    (Deed::Acquired, To::Inner, "a thing that comes to one is felt"),
    (Deed::Dropped, To::Outer, "a thing has another place"),
    (Deed::UsedUp, To::Outer, "a store has become smaller"),
    (Deed::Given, To::Inner, "a gift is felt"),
    (Deed::Stolen, To::Outer, "a thing has another place"),
    (Deed::Bought, To::Outer, "trade is reckoned"),
    (Deed::Sold, To::Outer, "trade is reckoned"),
    (Deed::Betrayed, To::Inner, "treason is felt"),
    (Deed::Healed, To::Inner, "help is a gift"),
    (Deed::Rescued, To::Inner, "help is a gift"),
    (Deed::Grouped, To::Inner, "company is felt"),
    (Deed::Defended, To::Inner, "help is a gift"),
    (Deed::Cooperated, To::Inner, "company is felt"),
    (Deed::Parted, To::Inner, "that company ends is felt"),
    (Deed::Said, To::Inner, "words are felt"),
    (Deed::SaidKindly, To::Inner, "words are felt"),
    (Deed::Insulted, To::Inner, "words are felt"),
    (Deed::Threatened, To::Inner, "words are felt"),
    (Deed::Met, To::Inner, "a first sight is felt"),
    (Deed::RoomSeen, To::Inner, "a first sight is felt"),
    (Deed::LevelGained, To::Outer, "what one can do now is reckoned with"),
    (Deed::DoorOpened, To::Outer, "ways are planned by doors"),
    (Deed::DoorClosed, To::Outer, "ways are planned by doors"),
    (Deed::DoorLocked, To::Outer, "ways are planned by doors"),
    (Deed::DoorUnlocked, To::Outer, "ways are planned by doors"),
    (Deed::Visited, To::Outer, "what one knows already is part of a plan"),
    (Deed::ThrownAway, To::Outer, "a thing is removed"),
    (Deed::Praised, To::Inner, "words are felt"),
    (Deed::Scorned, To::Inner, "words are felt"),
    (Deed::Caught, To::Outer, "who steals is reckoned with"),
    (Deed::Charmed, To::Inner, "what takes hold of one is felt"),
    (Deed::Arrested, To::Inner, "what takes hold of one is felt"),
    (Deed::Learned, To::Outer, "what one can do now is reckoned with"),
    (Deed::Accomplished, To::Outer, "what was planned is done"),
    (Deed::BuiltOnPlot, To::Inner, "a thing is added"),
    (Deed::MovedOnPlot, To::Outer, "a thing is moved"),
    (Deed::RemovedFromPlot, To::Outer, "a thing is removed"),
    (Deed::PlanDone, To::Outer, "plans are OUTER's affair"),
    (Deed::PlanDropped, To::Outer, "plans are OUTER's affair"),
    (Deed::FollowedWell, To::Outer, "whose word did good is reckoned with"),
    (Deed::FollowedIll, To::Outer, "whose word did good is reckoned with"),
    (Deed::FollowedNowhere, To::Outer, "whose word did good is reckoned with"),
];

/// The same of all other kinds of entries: the first part of each name, and the whole name where its row differs. These
/// are the rows for the body's log; what stands in the log of another mind is that one's own.
pub const ENTRIES: &[(&str, To, &str)] = &[
    ("heard", To::Inner, "words are felt"),
    ("said", To::Inner, "words are felt"),
    ("proposal", To::Both, "each answers what the other wants"),
    ("conflict", To::Both, "both are in it"),
    ("memo", To::Both, "it is written for all"),
    ("thought", To::Both, "what the body thinks is everybody's"),
    ("plan", To::Outer, "plans are OUTER's affair"),
    ("task", To::Outer, "plans are OUTER's affair"),
    ("project", To::Outer, "plans are OUTER's affair"),
    ("goal", To::Outer, "plans are OUTER's affair"),
    ("step", To::Outer, "plans are OUTER's affair"),
    ("decision", To::Outer, "what was decided is part of a plan"),
    ("blocker", To::Outer, "what stands in the way is planned around"),
    ("error", To::Outer, "a refusal is planned around"),
    ("note", To::Both, "notes are for whoever can use them"),
    ("fact", To::Both, "what is so is so for all"),
    ("pattern", To::Outer, "what is usually so is reckoned with"),
    ("journal", To::Inner, "a journal tells what one felt"),
    ("memory", To::Both, "what is remembered is so for all"),
    ("focus", To::Inner, "what takes one's eye is felt"),
    ("guideline", To::Both, "both keep to it"),
    ("legacy", To::Both, "what others learned is of use to both"),
    ("share", To::Nobody, "who may read is no affair of a mind's"),
    ("section", To::Nobody, "how prompts look is no affair of a mind's"),
    ("session", To::Nobody, "upkeep"),
    ("context", To::Nobody, "upkeep"),
    ("compact", To::Nobody, "upkeep"),
    ("other", To::Nobody, "nobody knows what it means"),
];

/// What an entry is in a mind's stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Sense {
    /// It happened, and was routed here.
    Perception,
    /// Read in another's log, or in what minds tell each other.
    Observation,
    /// What this mind proposed is done.
    Action,
    /// Its own: thoughts, plans, notes, proposals and what it told the others.
    Thought,
}

impl Sense {
    pub fn word(self) -> &'static str {
        match self {
            Sense::Perception => "PERCEPTION",
            Sense::Observation => "OBSERVATION",
            Sense::Action => "ACTION",
            Sense::Thought => "THOUGHT",
        }
    }
}

/// Whose body it is, as far as streams must know.
#[derive(Clone, Copy, Debug)]
pub struct Body<'b> {
    /// As the character is called, in any case.
    pub name: &'b str,
}

impl Body<'_> {
    /// What an entry of the log of `log` is in the stream of `mind`; `None`: it is not in it.
    pub fn sense(self, mind: MindName, log: MindName, entry: &LogEntry) -> Option<Sense> {
        if log == mind {
            return Some(if mind.is_body() { self.own_sense(&entry.event) } else { Sense::Thought });
        }
        if !log.is_body() {
            return may_read(mind, log).then_some(Sense::Observation);
        }
        // It stands in the log of the mind that had planned so.
        if matches!(entry.event, Event::PlanEnd { mind: Some(_), .. }) {
            return None;
        }
        if !self.route(&entry.event).has(mind) {
            return None;
        }
        Some(match &entry.event {
            Event::ProposalOutcome { mind: Some(whose), .. } if *whose == mind => Sense::Action,
            Event::ProposalMake { mind: by, .. } | Event::MemoWrite { from: by, .. } if *by == mind => Sense::Thought,
            event if event.is_record() => Sense::Perception,
            // Written by another mind.
            _ => Sense::Observation,
        })
    }

    /// In the stream of the body itself.
    fn own_sense(self, event: &Event) -> Sense {
        match event {
            Event::ProposalOutcome { mind: Some(_), .. } => Sense::Action,
            Event::ProposalMake { mind: by, .. } | Event::MemoWrite { from: by, .. } if !by.is_body() => {
                Sense::Observation
            }
            event if event.is_record() => Sense::Perception,
            _ => Sense::Thought,
        }
    }

    /// Who perceives an entry of the body's log.
    pub fn route(self, event: &Event) -> To {
        if self.concerns_all(event) {
            return To::Both;
        }
        match event {
            Event::Happening(happening) => {
                let deed = Deed::of(&happening.what);
                DEEDS.iter().find(|row| row.0 == deed).map_or(To::Both, |row| row.1)
            }
            event => route_of_kind(&event.kind()),
        }
    }

    /// Own death, what is as good or as bad as can be, and words that name one: each mind knows of those.
    fn concerns_all(self, event: &Event) -> bool {
        match event {
            Event::Happening(happening) => {
                let died = matches!(happening.what, What::Killed { .. }) && happening.role == Role::Suffered;
                let strong = happening.valence.is_some_and(|valence| valence.abs() >= VALENCE_MAX);
                let named =
                    happening.role != Role::Did && happening.what.text().is_some_and(|text| self.is_named(text));
                died || strong || named
            }
            Event::Heard(heard) => self.is_named(&heard.text),
            _ => false,
        }
    }

    /// Its name stands among the words, whole.
    fn is_named(self, text: &str) -> bool {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        !self.name.is_empty() && words.any(|word| word.eq_ignore_ascii_case(self.name))
    }

    /// The stream of a mind, oldest first: of logs whose entries stand in the order of their numbers.
    pub fn stream<'e>(self, mind: MindName, logs: &[(MindName, &'e [LogEntry])]) -> Vec<Seen<'e>> {
        let seen = |(log, entries): &(MindName, &'e [LogEntry])| {
            let log = *log;
            entries.iter().filter_map(move |entry| Some(Seen { log, sense: self.sense(mind, log, entry)?, entry }))
        };
        let mut stream: Vec<Seen<'e>> = logs.iter().flat_map(seen).collect();
        stream.sort_by_key(|seen| seen.entry.seq);
        stream
    }
}

fn route_of_kind(kind: &str) -> To {
    let family = kind.split_once('.').map_or(kind, |(family, _)| family);
    let row = |name: &str| ENTRIES.iter().find(|row| row.0 == name);
    row(kind).or_else(|| row(family)).map_or(To::Nobody, |row| row.1)
}

/// An entry as a mind has it before it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen<'e> {
    pub log: MindName,
    pub sense: Sense,
    pub entry: &'e LogEntry,
}

/// Whether a mind may read what another thinks: INNER and OUTER read themselves, and what all tell each other, which
/// stands in the body's log and is routed to them; OBSERVER reads all.
pub fn may_read(reader: MindName, whose: MindName) -> bool {
    reader == whose || reader == MindName::Observer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appraisal;
    use crate::counsel::{Addressee, Conflict};
    use plot::NoteKind;
    use protocol::happening::{Happening, Place};
    use protocol::outcome::{Who, WhoKind};
    use protocol::talk::Heard;
    use std::collections::BTreeSet;

    const ANN: Body<'_> = Body { name: "ann" };

    fn who(name: &str) -> Who {
        Who { id: name.into(), name: name.into(), kind: WhoKind::Player, level: 1 }
    }

    fn happening(what: What, role: Role) -> Event {
        let room = Place { vnum: 1, name: "Here".into() };
        let mut happening =
            Happening { what, role, room, witnesses: Vec::new(), social_event_id: None, novel: false, valence: None };
        happening.valence = Some(appraisal::appraise(&happening).valence);
        Event::Happening(Box::new(happening))
    }

    fn heard(text: &str) -> Event {
        let from = "Bob".into();
        Event::Heard(Box::new(Heard { channel: "say".into(), from, text: text.into(), message: None, missed: 0 }))
    }

    fn entries(events: Vec<Event>) -> Vec<LogEntry> {
        let entry = |(seq, event)| LogEntry { seq, tick: seq, at_ms: 0, input: seq * 2, event };
        (1..).zip(events).map(entry).collect()
    }

    #[test]
    fn each_kind_of_happening_has_one_row_with_its_reason() {
        let rows: BTreeSet<Deed> = DEEDS.iter().map(|row| row.0).collect();
        assert_eq!((rows.len(), DEEDS.len()), (Deed::ALL.len(), Deed::ALL.len()));
        let to: BTreeSet<String> = DEEDS.iter().map(|row| format!("{:?}", row.1)).collect();
        assert_eq!(to, ["Inner".to_string(), "Outer".to_string()].into(), "what is felt, and what is reckoned");
        assert!(DEEDS.iter().map(|row| row.2).chain(ENTRIES.iter().map(|row| row.2)).all(|why| why.len() > 4));
    }

    #[test]
    fn each_kind_of_entry_has_a_row_and_no_row_comes_twice() {
        // The names as the log has them; a kind without a row would be seen by OBSERVER alone.
        let source = include_str!("../event.rs");
        let names: Vec<&str> = source.split("rename = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let kinds: Vec<&str> =
            names.into_iter().filter(|name| !["turn", "type", "in", "happening"].contains(name)).collect();
        assert!(kinds.contains(&"memo.write") && kinds.contains(&"task.set") && kinds.len() > 50, "{kinds:?}");
        for kind in kinds {
            let family = kind.split('.').next().expect("a name");
            assert!(ENTRIES.iter().any(|row| row.0 == kind || row.0 == family), "{kind} has no row");
        }
        let once: BTreeSet<&str> = ENTRIES.iter().map(|row| row.0).collect();
        assert_eq!(once.len(), ENTRIES.len());
    }

    #[test]
    fn what_is_felt_and_what_is_reckoned_go_apart_but_for_what_concerns_all() {
        let body = entries(vec![
            happening(What::RoomSeen { who: who("Ann"), from: None }, Role::Did),
            happening(What::LevelGained { who: who("Ann"), level: 2 }, Role::Did),
            heard("lovely weather"),
            heard("Come here, Ann!"),
            happening(What::Killed { killer: Some(who("Bob")), victim: who("Ann"), xp: 0 }, Role::Suffered),
            Event::ContextSnapshot { tokens: 1, budget: 2, client: None },
        ]);
        let seqs = |mind| -> Vec<u64> {
            ANN.stream(mind, &[(MindName::Body, &body)]).iter().map(|seen| seen.entry.seq).collect()
        };
        assert_eq!(seqs(MindName::Inner), [1, 3, 4, 5]);
        assert_eq!(seqs(MindName::Outer), [2, 4, 5]);
        assert_eq!(seqs(MindName::Observer), [1, 2, 3, 4, 5, 6]);
        let other = Body { name: "annabel" };
        assert_eq!(other.route(&body[3].event), To::Inner, "somebody else is named");
    }

    #[test]
    fn a_stream_has_its_entries_in_one_order_and_each_says_what_it_is() {
        let memo = |from| Event::MemoWrite {
            action: None,
            scene: None,
            from,
            to: Addressee::All,
            sort: NoteKind::Info,
            content: "a wolf".into(),
            reasoning: None,
        };
        let propose = |mind, line: &str| Event::ProposalMake { mind, line: line.into(), why: None };
        let mut body = entries(vec![
            propose(MindName::Inner, "kill wolf"),
            propose(MindName::Outer, "north"),
            Event::Conflict { conflict: Conflict::Command, between: vec![1, 2] },
            Event::ProposalOutcome {
                chosen: Some(2),
                mind: Some(MindName::Outer),
                overruled: vec![1],
                by: MindName::Observer,
                rule: None,
                conflict: Some(3),
                why: None,
            },
            memo(MindName::Inner),
        ]);
        body[4].seq = 7;
        let thought =
            |seq: u64| LogEntry { seq, ..entries(vec![Event::Thought { text: "mine".into(), layer: None }]).remove(0) };
        let (inner, outer) = ([thought(5)], [thought(6)]);
        let logs = [(MindName::Outer, &outer[..]), (MindName::Body, &body[..]), (MindName::Inner, &inner[..])];
        let told = |mind| -> Vec<(u64, Sense)> {
            ANN.stream(mind, &logs).iter().map(|seen| (seen.entry.seq, seen.sense)).collect()
        };
        use Sense::{Action, Observation, Thought};
        let of_inner = [(1, Thought), (2, Observation), (3, Observation), (4, Observation), (5, Thought), (7, Thought)];
        assert_eq!(told(MindName::Inner), of_inner);
        let of_outer = [(1, Observation), (2, Thought), (3, Observation), (4, Action), (6, Thought), (7, Observation)];
        assert_eq!(told(MindName::Outer), of_outer);
        assert!(told(MindName::Observer).iter().all(|(_, sense)| *sense == Observation));
        assert_eq!(told(MindName::Observer).iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn observer_reads_all_and_the_others_themselves() {
        use MindName::{Inner, Observer, Outer};
        for (reader, whose, may) in [
            (Inner, Inner, true),
            (Inner, Outer, false),
            (Outer, Inner, false),
            (Outer, Observer, false),
            (Observer, Inner, true),
            (Observer, Outer, true),
        ] {
            assert_eq!(may_read(reader, whose), may, "{reader} reads {whose}");
        }
    }
}
