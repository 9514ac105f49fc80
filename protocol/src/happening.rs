//! What truly happened to one character: the records that memories are made of.
//!
//! The engine writes them from outcomes, never from typed commands: a `hit` is not a kill. Each says who, what, where,
//! how bad and who stood by, so that a memory can be made from the record alone, long after those things are gone.
//! What is said of each kind, in which words and how strongly it is remembered, is not said here but in
//! `mind::happenings`; the one exception is `valence`, which keeps what was thought of it at the time.
//!
//! Invariant: where `role` is `did` the doer is the owner of the log, where it is `suffered` the one it was done to is,
//! if there is one (words may be for all who hear), and where it is `saw` nobody is; `Happening::me` says which. Kinds
//! are added, never renamed.

use crate::minds::MindName;
use crate::outcome::{BuiltDeed, DoorChange, Who};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Longest text of a record, characters; what was said longer than that is cut.
pub const TEXT_MAX: usize = 200;
/// Most witnesses that a record names, players before mobs.
pub const WITNESSES_MAX: usize = 12;
/// Percent of hit points at or below which a wound is worth a record, from light to heavy. One record for each of
/// these that is passed in one fight.
pub const WOUND_PERCENTS: [u8; 3] = [30, 15, 5];

/// How the owner of the log was part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Did it: killed, gave, spoke.
    Did,
    /// Had it done to it: was killed, received, was spoken to.
    Suffered,
    /// Stood by.
    Saw,
}

/// A room.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    pub vnum: i32,
    #[serde(deserialize_with = "crate::shared::text")]
    pub name: Arc<str>,
}

impl Place {
    /// Where a record is of no place, or the log does not name it.
    pub fn nowhere() -> Place {
        Place { vnum: 0, name: "".into() }
    }

    pub fn is_nowhere(&self) -> bool {
        self.vnum == 0 && self.name.is_empty()
    }
}

/// An object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Item {
    /// `obj_1205_18`; empty where nobody knows.
    #[serde(default, skip_serializing_if = "is_empty", deserialize_with = "crate::shared::text")]
    pub id: Arc<str>,
    #[serde(deserialize_with = "crate::shared::text")]
    pub name: Arc<str>,
    /// 0 where there is none: corpses.
    #[serde(default)]
    pub vnum: i32,
    /// 0..=100: `item_level`.
    #[serde(default)]
    pub level: u8,
}

impl Item {
    /// What an owner is told of a thing that it cannot see.
    pub fn unseen() -> Item {
        Item { id: "".into(), name: "something".into(), vnum: 0, level: 0 }
    }
}

/// The sound of words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    Neutral,
    Kind,
    Insult,
    Threat,
}

/// In what way somebody helped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Help {
    Healed,
    Rescued,
    Grouped,
    /// Joined a fight on the side of the one helped, within 5 ticks of its start.
    Defended,
    /// Worked together in some other way.
    Cooperated,
}

/// How what was done came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Went {
    Well,
    Ill,
    /// Neither.
    Nowhere,
}

/// What happened. `Who::level` is the level at that moment; that is how a kill knows how hard it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// `victim` died; `killer` is absent for hunger, poison, a fall. Did: struck the last blow.
    Killed {
        victim: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        killer: Option<Who>,
        /// Experience won or lost by the owner, points.
        #[serde(default, skip_serializing_if = "is_zero")]
        xp: i64,
    },
    /// `who` had a share in a kill whose last blow was another's.
    Assisted {
        who: Who,
        victim: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        killer: Option<Who>,
    },
    /// A fight of which no more is known.
    Fought {
        who: Who,
        against: Who,
    },
    /// Ran from a fight. `hp_percent` 0..=100.
    Fled {
        who: Who,
        hp_percent: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Who>,
    },
    /// Fell to one of `WOUND_PERCENTS` or below.
    Wounded {
        who: Who,
        hp_percent: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Who>,
    },
    /// Took a thing; `from` is whose corpse or which container, absent for the floor.
    Acquired {
        who: Who,
        item: Item,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Arc<str>>,
    },
    /// Let go of a thing on the floor or into something.
    Dropped {
        who: Who,
        item: Item,
    },
    /// Ate, drank or read it, or it broke in use: it is no more.
    UsedUp {
        who: Who,
        item: Item,
    },
    /// One of `item` and `gold` is there.
    Given {
        giver: Who,
        receiver: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<Item>,
        #[serde(default, skip_serializing_if = "is_zero")]
        gold: i64,
    },
    Stolen {
        thief: Who,
        victim: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<Item>,
        #[serde(default, skip_serializing_if = "is_zero")]
        gold: i64,
    },
    Bought {
        who: Who,
        seller: Who,
        item: Item,
        price: i64,
    },
    Sold {
        who: Who,
        buyer: Who,
        item: Item,
        price: i64,
    },
    /// Struck by a member of the own group, or by somebody who gave to or was helped by the victim within the last
    /// 300 ticks.
    Betrayed {
        by: Who,
        victim: Who,
    },
    /// `hp_percent` of the helped before it, where it matters.
    Helped {
        helper: Who,
        helped: Who,
        how: Help,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hp_percent: Option<u8>,
    },
    /// `helper` and `helped` no longer go together.
    Parted {
        who: Who,
        from: Who,
    },
    /// Words to somebody, or to all who hear. The text is cut at `TEXT_MAX`.
    Spoke {
        speaker: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Who>,
        tone: Tone,
        text: Arc<str>,
    },
    /// The owner (`who`) saw `other` for the first time.
    Met {
        who: Who,
        other: Who,
    },
    /// The owner came into a room for the first time; `from` is the room it came out of, where it walked.
    RoomSeen {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Place>,
    },
    LevelGained {
        who: Who,
        level: u16,
    },
    /// The owner came to a known room again, for the `times`th time at least; not each time is told. `from` as above.
    Visited {
        who: Who,
        times: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Place>,
    },
    /// Broke up a thing to be rid of it: it is no more.
    ThrownAway {
        who: Who,
        item: Item,
    },
    /// A door of the room changed; `who` is absent when it did so by itself. `leads_to` is the room behind it.
    Door {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        who: Option<Who>,
        direction: Arc<str>,
        state: DoorChange,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leads_to: Option<Place>,
    },
    /// Gave a thumb up, in a channel, for words of `whom`, which are cut at `TEXT_MAX`.
    Praised {
        by: Who,
        whom: Who,
        text: Arc<str>,
    },
    /// The same with a thumb down.
    Scorned {
        by: Who,
        whom: Who,
        text: Arc<str>,
    },
    /// Had a hand in `victim`'s pocket, and was seen.
    Caught {
        thief: Who,
        victim: Who,
    },
    /// The will of `whom` is `by`'s for a while.
    Charmed {
        by: Who,
        whom: Who,
    },
    /// Was taken to jail by `by`, for so many hours of the game.
    Arrested {
        by: Who,
        whom: Who,
        hours: i64,
    },
    /// Was taught an art, which is known to `percent` from then on.
    Learned {
        who: Who,
        art: Arc<str>,
        percent: u8,
    },
    /// Did what somebody had asked for: `task` is its title, `giver` absent where nobody in particular did.
    Accomplished {
        who: Who,
        task: Arc<str>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        giver: Option<Who>,
    },
    /// Built something on a plot, moved or removed it: `item` is that, with its cell. `owner` built it, where that is
    /// somebody else; `text` is what it is called and why it was done, and may be empty.
    Built {
        who: Who,
        deed: BuiltDeed,
        item: Item,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<Who>,
        #[serde(default, skip_serializing_if = "is_empty", deserialize_with = "crate::shared::text")]
        text: Arc<str>,
    },
    /// A plan of the owner (`who`) is done, or given up. `plan` is its text, cut at `TEXT_MAX`; `steps` it has in all,
    /// of which `ticked` are done; `shared`: one of them is meant for somebody else, or for one mind of several.
    /// `company`: another player stood by when it ended; absent where that is not known.
    PlanEnded {
        who: Who,
        plan: Arc<str>,
        done: bool,
        steps: u32,
        ticked: u32,
        #[serde(default, skip_serializing_if = "is_false")]
        shared: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        company: Option<bool>,
    },
    /// Minds of the owner (`who`) differed, and this came of what was done. `over`: in what they differed, by its word;
    /// `about`: whom they meant, where the records tell; `followed`: whose proposal was done, absent where none was,
    /// and `line` that proposal, cut at `TEXT_MAX`; it was chosen `ticks` before this. `valence` is the sum of what
    /// was remembered since then.
    Differed {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<Who>,
        over: Arc<str>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        followed: Option<MindName>,
        #[serde(default, skip_serializing_if = "is_empty", deserialize_with = "crate::shared::text")]
        line: Arc<str>,
        ticks: u64,
        went: Went,
        #[serde(default, skip_serializing_if = "is_zero")]
        valence: i64,
    },
}

/// One record. In the log it is the `happening` event of an `Entry`, which has the seq, the tick and the time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Happening {
    pub what: What,
    pub role: Role,
    pub room: Place,
    /// Others who saw it, without those named in `what`; at most `WITNESSES_MAX`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witnesses: Vec<Who>,
    /// The same in the logs of all who were there: the number of the world's input that brought it and its place
    /// among the outcomes of that input, as `input * 1024 + place`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub social_event_id: Option<u64>,
    /// The first of its kind for the owner: the first kill of such a mob, the first thing of such a sort.
    #[serde(default, skip_serializing_if = "is_false")]
    pub novel: bool,
    /// −3..=3, as it was appraised when it was recorded; 0 in sessions without valence. Absent: nobody has said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<i8>,
}

/// Who and what is named in each kind: who did it, to whom, who else, which thing. The same rows are read to look and
/// to hide.
macro_rules! cast {
    ($what:expr) => {
        match $what {
            What::Killed { victim, killer, .. } => (killer.into(), Some(victim), None, None),
            What::Assisted { who, victim, killer } => (Some(who), Some(victim), killer.into(), None),
            What::Fought { who, against } => (Some(who), Some(against), None, None),
            What::Fled { who, from, .. } => (Some(who), from.into(), None, None),
            What::Wounded { who, by, .. } => (by.into(), Some(who), None, None),
            What::Acquired { who, item, .. } => (Some(who), None, None, Some(item)),
            What::Dropped { who, item } => (Some(who), None, None, Some(item)),
            What::UsedUp { who, item } => (Some(who), None, None, Some(item)),
            What::Given { giver, receiver, item, .. } => (Some(giver), Some(receiver), None, item.into()),
            What::Stolen { thief, victim, item, .. } => (Some(thief), Some(victim), None, item.into()),
            What::Bought { who, seller, item, .. } => (Some(who), Some(seller), None, Some(item)),
            What::Sold { who, buyer, item, .. } => (Some(who), Some(buyer), None, Some(item)),
            What::Betrayed { by, victim } => (Some(by), Some(victim), None, None),
            What::Helped { helper, helped, .. } => (Some(helper), Some(helped), None, None),
            What::Parted { who, from } => (Some(who), Some(from), None, None),
            What::Spoke { speaker, to, .. } => (Some(speaker), to.into(), None, None),
            What::Met { who, other } => (Some(who), Some(other), None, None),
            What::RoomSeen { who, .. } => (Some(who), None, None, None),
            What::LevelGained { who, .. } => (Some(who), None, None, None),
            What::Visited { who, .. } => (Some(who), None, None, None),
            What::ThrownAway { who, item } => (Some(who), None, None, Some(item)),
            What::Door { who, .. } => (who.into(), None, None, None),
            What::Praised { by, whom, .. } | What::Scorned { by, whom, .. } => (Some(by), Some(whom), None, None),
            What::Caught { thief, victim } => (Some(thief), Some(victim), None, None),
            What::Charmed { by, whom } | What::Arrested { by, whom, .. } => (Some(by), Some(whom), None, None),
            What::Learned { who, .. } => (Some(who), None, None, None),
            What::Accomplished { who, giver, .. } => (Some(who), giver.into(), None, None),
            What::Built { who, owner, item, .. } => (Some(who), owner.into(), None, Some(item)),
            What::PlanEnded { who, .. } => (Some(who), None, None, None),
            What::Differed { who, about, .. } => (Some(who), about.into(), None, None),
        }
    };
}

/// Doer, sufferer, third, item.
type Cast<W, I> = (Option<W>, Option<W>, Option<W>, Option<I>);

impl What {
    fn cast(&self) -> Cast<&Who, &Item> {
        cast!(self)
    }

    fn cast_mut(&mut self) -> Cast<&mut Who, &mut Item> {
        cast!(self)
    }

    /// Who did it, and to whom. Where there is no doer (a fall) or nobody to suffer it (a room), there is none.
    pub fn parts(&self) -> (Option<&Who>, Option<&Who>) {
        let (doer, sufferer, ..) = self.cast();
        (doer, sufferer)
    }

    /// Somebody else who is named: the striker of the last blow in an assist.
    pub fn third(&self) -> Option<&Who> {
        self.cast().2
    }

    pub fn item(&self) -> Option<&Item> {
        self.cast().3
    }

    /// Its number, where it has one: percent of health or of an art, the level reached, visits, coins given or paid,
    /// the steps of a plan, the number of the mind that was followed.
    pub fn amount(&self) -> Option<i64> {
        use What::*;
        match self {
            Fled { hp_percent, .. } | Wounded { hp_percent, .. } => Some(i64::from(*hp_percent)),
            Helped { hp_percent, .. } => hp_percent.map(i64::from),
            LevelGained { level, .. } => Some(i64::from(*level)),
            Learned { percent, .. } => Some(i64::from(*percent)),
            Visited { times, .. } => Some(i64::from(*times)),
            Given { gold, .. } | Stolen { gold, .. } => Some(*gold).filter(|gold| *gold != 0),
            Bought { price, .. } | Sold { price, .. } => Some(*price),
            PlanEnded { steps, .. } => Some(i64::from(*steps)),
            Differed { followed, .. } => followed.map(|mind| i64::from(mind.number())),
            _ => None,
        }
    }

    /// Its own words: what was said, the direction of a door, the name of an art, the title of a task, why something
    /// was built, what was planned, the line that was followed.
    pub fn text(&self) -> Option<&Arc<str>> {
        match self {
            What::Spoke { text, .. } | What::Praised { text, .. } | What::Scorned { text, .. } => {
                Some(text).filter(|text| !text.is_empty())
            }
            What::Door { direction, .. } => Some(direction),
            What::Learned { art, .. } => Some(art),
            What::Accomplished { task, .. } => Some(task),
            What::Built { text, .. } => Some(text).filter(|text| !text.is_empty()),
            What::PlanEnded { plan, .. } => Some(plan),
            What::Differed { line, .. } => Some(line).filter(|line| !line.is_empty()),
            _ => None,
        }
    }

    /// Replaces everybody whom the owner cannot see.
    pub fn hide(&mut self, can_see: impl Fn(&Who) -> bool) {
        let (doer, sufferer, third, _) = self.cast_mut();
        for who in [doer, sufferer, third].into_iter().flatten() {
            if !can_see(who) {
                *who = who.unseen();
            }
        }
    }

    /// Replaces the thing, where the owner cannot see it.
    pub fn hide_item(&mut self) {
        if let Some(item) = self.cast_mut().3 {
            *item = Item::unseen();
        }
    }
}

impl Happening {
    /// The owner of the log, as it is named in the record.
    pub fn me(&self) -> Option<&Who> {
        let (doer, sufferer) = self.what.parts();
        match self.role {
            Role::Did => doer,
            Role::Suffered => sufferer,
            Role::Saw => None,
        }
    }

    /// Those named in `what` who are not the owner; nobody who was unseen.
    pub fn others(&self) -> impl Iterator<Item = &Who> {
        let (doer, sufferer) = self.what.parts();
        let (doer, sufferer) = match self.role {
            Role::Did => (None, sufferer),
            Role::Suffered => (doer, None),
            Role::Saw => (doer, sufferer),
        };
        doer.into_iter().chain(sufferer).chain(self.what.third()).filter(|who| !who.name.is_empty())
    }
}

/// The level of a thing, 0..=100: the level that its file gives it (1..=30 for mortals) scaled to 100, else a step by
/// what it costs in coins.
pub fn item_level(file_level: Option<i32>, cost: i64) -> u8 {
    /// The highest mortal level: a thing for it is as good as things are.
    const LEVEL_TOP: i32 = 30;
    /// (cost from, level).
    const BY_COST: [(i64, u8); 9] = [
        (100_000, 90),
        (50_000, 80),
        (20_000, 65),
        (10_000, 50),
        (5_000, 40),
        (1_000, 30),
        (300, 20),
        (100, 10),
        (20, 5),
    ];
    match file_level {
        Some(level) if level > 0 => (level.min(LEVEL_TOP) * 100 / LEVEL_TOP) as u8,
        _ => BY_COST.iter().find(|(from, _)| cost >= *from).map_or(0, |(_, level)| *level),
    }
}

fn is_empty(text: &Arc<str>) -> bool {
    text.is_empty()
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

fn is_false(yes: &bool) -> bool {
    !yes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::WhoKind;

    fn who(name: &str, kind: WhoKind, level: u16) -> Who {
        Who { id: name.to_lowercase().into(), name: name.into(), kind, level }
    }

    #[test]
    fn the_owner_is_never_among_the_others() {
        let (bob, eve) = (who("Bob", WhoKind::Player, 5), who("Eve", WhoKind::Player, 6));
        let mut happening = Happening {
            what: What::Betrayed { by: eve.clone(), victim: bob.clone() },
            role: Role::Suffered,
            room: Place { vnum: 1, name: "Here".into() },
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: None,
        };
        assert_eq!((happening.me(), happening.others().collect::<Vec<_>>()), (Some(&bob), vec![&eve]));
        happening.role = Role::Saw;
        assert_eq!((happening.me(), happening.others().count()), (None, 2));
        happening.what = What::Wounded { who: bob.clone(), hp_percent: 4, by: None };
        happening.role = Role::Suffered;
        assert_eq!((happening.me(), happening.others().count()), (Some(&bob), 0));
    }

    #[test]
    fn who_and_what_is_hidden_leaves_no_trace() {
        let (bob, eve, ann) =
            (who("Bob", WhoKind::Player, 5), who("Eve", WhoKind::Player, 6), who("Ann", WhoKind::Mob, 7));
        let mut what = What::Assisted { who: bob.clone(), victim: ann, killer: Some(eve.clone()) };
        what.hide(|who| who.id == bob.id);
        let text = serde_json::to_string(&what).expect("plain");
        assert!(text.contains("Bob") && !text.contains("Eve") && !text.contains("\"ann\""), "{text}");
        let item = Item { id: "obj_1_2".into(), name: "a ring".into(), vnum: 1, level: 50 };
        let mut what = What::Given { giver: bob, receiver: eve, item: Some(item), gold: 0 };
        what.hide_item();
        assert_eq!(what.item(), Some(&Item::unseen()));
    }

    #[test]
    fn the_level_of_a_thing_is_of_its_file_or_its_price() {
        assert_eq!((item_level(Some(30), 0), item_level(Some(24), 0), item_level(Some(15), 9)), (100, 80, 50));
        assert_eq!((item_level(None, 0), item_level(Some(0), 50_000), item_level(None, 10_000)), (0, 80, 50));
        let mut before = 0;
        for cost in 0..200_000 {
            let level = item_level(None, cost);
            assert!(level >= before && level <= 100);
            before = level;
        }
    }
}
