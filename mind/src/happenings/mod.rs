//! What can happen to somebody, one row for each kind: what it is called in a memory graph, its two sentences, the
//! words that it is found by, what it makes of two people, and how strongly it is remembered.
//!
//! The fields of a kind are in `protocol::happening::What`; the world makes them in `world/src/happenings`. `kind.rs`
//! is what a row says, `fighting`, `things`, `people`, `places` and `counsel` are the rows, `template.rs` is the
//! notation of their sentences, `brief.rs` tells one to its owner, `crate::appraisal` weighs it.
//!
//! Invariant: each `What` is of one kind, and each kind has a row: the compiler says what is missing. Kinds are added
//! at the end and never renamed: their order is part of the hash of a log, their names of every graph.

pub mod brief;
mod counsel;
mod fighting;
mod kind;
mod people;
mod places;
pub mod template;
mod things;

pub use brief::{BRIEF_MAX, brief};
pub use kind::{Kind, Row, STORY_PLACEHOLDERS, Tie};
pub use people::SAVED_BELOW_PERCENT;

use protocol::happening::{Help, Tone, Went, What};
use protocol::outcome::{BuiltDeed, DoorChange};
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($deed:ident: $of:pat => $row:path,)*) => {
        /// The kind of a happening, without who took part: `What` has the fields, a graph keeps the deed. There are
        /// more of these, since each way to help, to speak and to change a door is remembered as a kind of its own.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Deed {
            $($deed,)*
        }

        impl Deed {
            /// All of them, in order.
            pub const ALL: &[Deed] = &[$(Deed::$deed),*];
            const KINDS: &[Kind] = &[$($row),*];

            pub fn of(what: &What) -> Deed {
                match what {
                    $($of => Deed::$deed,)*
                }
            }

            /// All that is said of it.
            pub fn kind(self) -> &'static Kind {
                &Deed::KINDS[self as usize]
            }
        }
    };
}

kinds! {
    Killed: What::Killed { .. } => fighting::KILLED,
    Assisted: What::Assisted { .. } => fighting::ASSISTED,
    Fought: What::Fought { .. } => fighting::FOUGHT,
    Fled: What::Fled { .. } => fighting::FLED,
    Wounded: What::Wounded { .. } => fighting::WOUNDED,
    Acquired: What::Acquired { .. } => things::ACQUIRED,
    Dropped: What::Dropped { .. } => things::DROPPED,
    UsedUp: What::UsedUp { .. } => things::USED_UP,
    Given: What::Given { .. } => things::GIVEN,
    Stolen: What::Stolen { .. } => things::STOLEN,
    Bought: What::Bought { .. } => things::BOUGHT,
    Sold: What::Sold { .. } => things::SOLD,
    Betrayed: What::Betrayed { .. } => people::BETRAYED,
    Healed: What::Helped { how: Help::Healed, .. } => people::HEALED,
    Rescued: What::Helped { how: Help::Rescued, .. } => people::RESCUED,
    Grouped: What::Helped { how: Help::Grouped, .. } => people::GROUPED,
    Defended: What::Helped { how: Help::Defended, .. } => people::DEFENDED,
    Cooperated: What::Helped { how: Help::Cooperated, .. } => people::COOPERATED,
    Parted: What::Parted { .. } => people::PARTED,
    Said: What::Spoke { tone: Tone::Neutral, .. } => people::SAID,
    SaidKindly: What::Spoke { tone: Tone::Kind, .. } => people::SAID_KINDLY,
    Insulted: What::Spoke { tone: Tone::Insult, .. } => people::INSULTED,
    Threatened: What::Spoke { tone: Tone::Threat, .. } => people::THREATENED,
    Met: What::Met { .. } => people::MET,
    RoomSeen: What::RoomSeen { .. } => places::ROOM_SEEN,
    LevelGained: What::LevelGained { .. } => places::LEVEL_GAINED,
    DoorOpened: What::Door { state: DoorChange::Opened, .. } => places::DOOR_OPENED,
    DoorClosed: What::Door { state: DoorChange::Closed, .. } => places::DOOR_CLOSED,
    DoorLocked: What::Door { state: DoorChange::Locked, .. } => places::DOOR_LOCKED,
    DoorUnlocked: What::Door { state: DoorChange::Unlocked, .. } => places::DOOR_UNLOCKED,
    Visited: What::Visited { .. } => places::VISITED,
    ThrownAway: What::ThrownAway { .. } => things::THROWN_AWAY,
    Praised: What::Praised { .. } => people::PRAISED,
    Scorned: What::Scorned { .. } => people::SCORNED,
    Caught: What::Caught { .. } => things::CAUGHT,
    Charmed: What::Charmed { .. } => people::CHARMED,
    Arrested: What::Arrested { .. } => people::ARRESTED,
    Learned: What::Learned { .. } => places::LEARNED,
    Accomplished: What::Accomplished { .. } => people::ACCOMPLISHED,
    BuiltOnPlot: What::Built { deed: BuiltDeed::Added, .. } => things::BUILT_ON_PLOT,
    MovedOnPlot: What::Built { deed: BuiltDeed::Moved, .. } => things::MOVED_ON_PLOT,
    RemovedFromPlot: What::Built { deed: BuiltDeed::Removed, .. } => things::REMOVED_FROM_PLOT,
    PlanDone: What::PlanEnded { done: true, .. } => counsel::PLAN_DONE,
    PlanDropped: What::PlanEnded { done: false, .. } => counsel::PLAN_DROPPED,
    FollowedWell: What::Differed { went: Went::Well, .. } => counsel::FOLLOWED_WELL,
    FollowedIll: What::Differed { went: Went::Ill, .. } => counsel::FOLLOWED_ILL,
    FollowedNowhere: What::Differed { went: Went::Nowhere, .. } => counsel::FOLLOWED_NOWHERE,
}

/// Kinds that nothing in this world brings about, and why. Logs of other programs (`dreaming::extract`) tell of them.
/// A test of the `tests` crate compares it with what the world records, so the list is as short as it can be.
pub const WITHOUT_PRODUCER: &[(Deed, &str)] = &[
    (Deed::Fought, "the world knows how its fights end, and records that"),
    (Deed::Said, "neutral talk is not recorded: it is much and says little"),
];

impl Deed {
    /// Whether it was a fight with the other one.
    pub fn is_fight(self) -> bool {
        self.kind().tie == Tie::Fight
    }

    /// Whether it is the mind's own affair: what came of a plan, or of a choice between several minds. The body did
    /// nothing by it and met nobody.
    pub fn is_of_mind(self) -> bool {
        self.kind().tie == Tie::Counsel
    }

    pub fn is_help(self) -> bool {
        self.kind().tie == Tie::Help
    }

    /// Whether it lies between two who may like each other or not.
    pub fn is_social(self) -> bool {
        matches!(self.kind().tie, Tie::Social | Tie::Help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What is missing in a row, or not as it should be.
    fn lacks(deed: Deed) -> Vec<String> {
        let kind = deed.kind();
        let mut lacks = Vec::new();
        let stories = kind.story.iter().map(|story| (*story, STORY_PLACEHOLDERS.as_slice()));
        for (text, known) in stories.chain([(kind.brief, brief::PLACEHOLDERS.as_slice())]) {
            if text.is_empty() || text.ends_with('.') {
                lacks.push(format!("a sentence without its full stop, not {text:?}"));
            }
            for name in template::placeholders(text).filter(|name| !known.contains(name)) {
                lacks.push(format!("a sentence that does not ask for {{{name}}}: {text:?}"));
            }
        }
        if kind.words.iter().any(|words| words.is_empty() || words.to_lowercase() != *words) {
            lacks.push(format!("words to be found by, in lower case, not {:?}", kind.words));
        }
        for row in kind.worth {
            if row.reason.len() < 5 || row.valence.abs() > 3 || row.liking.abs() > 3 {
                lacks.push(format!("a reason and values from -3 to 3 in {}", row.name));
            }
        }
        lacks
    }

    #[test]
    fn every_kind_has_its_sentences_its_words_and_its_worth() {
        let missing: Vec<String> = Deed::ALL
            .iter()
            .flat_map(|deed| lacks(*deed).into_iter().map(move |what| format!("{deed:?}: {what}")))
            .collect();
        assert!(missing.is_empty(), "these rows lack something:\n{}", missing.join("\n"));
        let waiting: BTreeSet<Deed> = WITHOUT_PRODUCER.iter().map(|(deed, _)| *deed).collect();
        assert_eq!(waiting.len(), WITHOUT_PRODUCER.len(), "each once");
    }

    #[test]
    fn deeds_are_called_in_graphs_as_ever() {
        // Their order is in the hashes of logs that were dreamt, their names in kept graphs: both only grow.
        let names: Vec<String> = Deed::ALL.iter().map(|deed| serde_json::to_string(deed).expect("a word")).collect();
        let first = "killed assisted fought fled wounded acquired dropped used_up given stolen bought sold betrayed healed \
            rescued grouped defended cooperated parted said said_kindly insulted threatened met room_seen level_gained \
            door_opened door_closed door_locked door_unlocked";
        let wanted: Vec<String> = first.split_whitespace().map(|name| format!("\"{name}\"")).collect();
        assert_eq!(names[..wanted.len()], wanted);
    }
}
