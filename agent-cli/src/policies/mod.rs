//! What the agent does by itself, without a model: one row for each policy, in the order in which they are asked.
//!
//! A policy is a pure function of what is seen and known; the first one that has something to do is heeded. Rows of the
//! powers reflex and upkeep are asked whoever decides, rows of the power policy where the mandate covers them.
//! Invariant: only `hunt`, `open` and who leads a `group` attack idle mobs, and only while no model decides, or where
//! it delegated.

use crate::knowledge::Knowledge;
use crate::map::{Room, Way, direction_of};
use crate::nature::Nature;
use crate::objects::Use;
use crate::state::GameState;
use protocol::payload::{InventoryItem, RoomMob};
use protocol::verbs;
use std::rc::Rc;

mod arts;
mod doors;
mod errands;
mod explore;
mod gear;
mod get_up;
mod greet;
mod group;
mod hunt;
mod lessons;
mod light;
mod loot;
mod lying;
mod mana;
mod memo;
mod needs;
mod prey;
mod recovery;
mod regions;
mod rest;
mod retreat;
mod shop;
mod stuck;
mod unload;
mod whims;
mod withdraw;

pub use doors::doors as open_door;
pub use get_up::is_whole;
pub use memo::Memo;
pub use retreat::way_of_flight;

/// What a policy has to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proposal {
    /// Nothing: the next one is asked.
    Pass,
    /// To wait: the next ones are not asked.
    Stay,
    /// This line is to be sent.
    Do(String),
}

/// Which of the agent's powers a row belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    /// Keeps it alive, like the rules of `reflexes`.
    Reflex,
    /// Looks after its body and changes nothing of what it is about.
    Upkeep,
    /// Decides: only where no model does, or where it delegated.
    Policy,
}

/// When a row of the power policy is asked with the autopilot `full`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occasion {
    /// Whoever decides.
    Always,
    /// While no model decides.
    Alone,
}

/// What policies may decide just now, beside reflexes and upkeep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mandate {
    /// Nothing: a model decides.
    Nothing,
    /// The rows of `Occasion::Always`: a model acts, and the autopilot is `full`.
    Beside,
    /// Everything: no model decides, or it delegated to all.
    All,
    /// Those that the model delegated to.
    Named(Vec<&'static str>),
}

impl Mandate {
    pub fn covers(&self, policy: &Policy) -> bool {
        match self {
            _ if policy.power != Power::Policy => true,
            Mandate::Nothing => false,
            Mandate::Beside => policy.when == Occasion::Always,
            Mandate::All => true,
            Mandate::Named(names) => {
                names.contains(&policy.name) || policy.part_of.iter().any(|name| names.contains(name))
            }
        }
    }

    /// Whether a row need not leave anything to a model: `Perception::alone`.
    fn is_free(&self, policy: &Policy) -> bool {
        match (self, policy.power) {
            (Mandate::Nothing | Mandate::Beside, _) => false,
            // Upkeep walks to water and light only where walking was delegated.
            (Mandate::Named(names), Power::Upkeep) => {
                names.contains(&"explore") || policy.part_of.iter().any(|name| names.contains(name))
            }
            _ => true,
        }
    }
}

pub struct Policy {
    /// The key in the config.
    pub name: &'static str,
    /// For people.
    pub does: &'static str,
    pub power: Power,
    pub when: Occasion,
    /// Whoever delegates to one of these has this one work, too.
    pub part_of: &'static [&'static str],
    /// Asked in a fight too.
    pub in_fight: bool,
    pub on: bool,
    pub run: fn(&Perception<'_>) -> Proposal,
}

const fn row(name: &'static str, does: &'static str, when: Occasion, run: fn(&Perception<'_>) -> Proposal) -> Policy {
    Policy { name, does, power: Power::Policy, when, part_of: &[], in_fight: false, on: true, run }
}

const fn upkeep(name: &'static str, does: &'static str, run: fn(&Perception<'_>) -> Proposal) -> Policy {
    Policy { power: Power::Upkeep, ..row(name, does, Occasion::Always, run) }
}

/// All of them, in the order in which they are asked.
pub const POLICIES: &[Policy] = &[
    Policy {
        in_fight: true,
        ..upkeep("wimpy", "Have the game itself run from fights at 30 % of the hit points.", withdraw::wimpy)
    },
    Policy {
        in_fight: true,
        power: Power::Reflex,
        ..row(
            "withdraw",
            "Leave a fight that is being lost before it is too late.",
            Occasion::Always,
            withdraw::withdraw,
        )
    },
    row(
        "recovery",
        "After a death: wait, get up, fetch the corpse if that is safe.",
        Occasion::Always,
        recovery::recover,
    ),
    row("retreat", "Leave a room with somebody dangerous in it.", Occasion::Always, retreat::retreat),
    upkeep("eat", "Eat when hungry.", needs::eat),
    upkeep("drink", "Drink when thirsty.", needs::drink),
    row("loot", "Take what is in the corpse after a kill.", Occasion::Always, loot::loot),
    upkeep("gear", "Wield and wear what is better than what one has on.", gear::gear),
    upkeep("light", "Light a torch where it is dark, and a new one when it has burnt out.", light::light),
    upkeep("get_up", "Get up when whole.", get_up::get_up),
    Policy {
        part_of: &["explore", "errands"],
        ..row("doors", "Open a door that is in the way, with its key if it is locked.", Occasion::Always, doors::doors)
    },
    // Before `group`, which leaves nothing to those behind it: whoever leads heals first.
    Policy {
        in_fight: true,
        part_of: &["hunt", "rest", "group"],
        ..upkeep(
            "heal",
            "Heal itself, by a spell, a potion or a scroll; beside a model only when it is dire.",
            arts::heal,
        )
    },
    Policy {
        in_fight: true,
        part_of: &["hunt", "group"],
        ..row("tend", "Heal those it goes with, and cure what ails them or itself.", Occasion::Alone, arts::tend)
    },
    Policy {
        part_of: &["hunt"],
        ..row("buff", "Cast what keeps harm away, on itself and on those it goes with.", Occasion::Alone, arts::buff)
    },
    Policy {
        in_fight: true,
        ..row("group", "Go with others against what is too strong for one, and part.", Occasion::Alone, group::group)
    },
    Policy {
        in_fight: true,
        part_of: &["hunt"],
        ..row(
            "strike",
            "Use the best spell or fighting art that it knows on whom it fights.",
            Occasion::Alone,
            arts::strike,
        )
    },
    row("rest", "Rest until fit, somewhere safe.", Occasion::Always, rest::rest),
    Policy {
        part_of: &["hunt", "explore", "errands", "shop", "unload", "loot", "recovery"],
        ..row("stand", "Stand up when there is something to do.", Occasion::Alone, rest::stand)
    },
    Policy {
        part_of: &["explore"],
        ..row("stuck", "Get out of places where nothing gets on.", Occasion::Alone, stuck::unstuck)
    },
    row("unload", "Sell what is of no use, or throw it away when hands are full.", Occasion::Alone, unload::unload),
    row("shop", "Learn what shops sell; buy food, water, light and better gear.", Occasion::Alone, shop::shop),
    Policy {
        part_of: &["hunt"],
        ..row("practice", "Learn from somebody here who teaches its class.", Occasion::Alone, lessons::practice)
    },
    Policy {
        part_of: &["explore"],
        ..row("greet", "Answer a greeting, once for each person.", Occasion::Alone, greet::greet)
    },
    Policy {
        part_of: &["hunt"],
        ..row("open", "Begin a fight from behind, with a weapon for it, or with a spell.", Occasion::Alone, arts::open)
    },
    row("hunt", "Attack a mob that can be beaten.", Occasion::Alone, hunt::hunt),
    Policy {
        part_of: &["explore"],
        ..row(
            "attend",
            "Go to who teaches its class, while it has sessions to spend.",
            Occasion::Alone,
            lessons::attend,
        )
    },
    row("errands", "Take on what people want done, and do it.", Occasion::Alone, errands::errands),
    row("explore", "Walk to where there is something to hunt, or to see.", Occasion::Alone, explore::explore),
    Policy {
        part_of: &["rest"],
        ..row("linger", "Lie down where there is nothing else to do.", Occasion::Alone, rest::linger)
    },
];

/// The policy of that name.
pub fn named(name: &str) -> Option<&'static Policy> {
    POLICIES.iter().find(|policy| policy.name == name)
}

/// So long one who was attacked does not go back to where that was.
const FLED_MS: u64 = 60_000;

/// What a policy looks at.
#[derive(Clone)]
pub struct Perception<'a> {
    pub state: &'a GameState,
    pub known: &'a Knowledge,
    pub now_ms: u64,
    /// The policy need not leave anything to a model.
    pub alone: bool,
    /// It lies there because a model wants it so: upkeep lets it lie.
    pub settled: bool,
    /// Seed and tastes.
    pub nature: Nature,
    /// A number that differs from call to call and is the same in a replay.
    pub chance: u64,
    pub memo: Rc<Memo>,
}

/// What all policies together came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// None has anything to do.
    Nothing,
    /// One of them waits for something, such as strength.
    Stay,
    Do {
        name: &'static str,
        power: Power,
        line: String,
    },
}

/// What the policies want that the mandate covers. `may`: whether a row may be asked, and whether it may send a line.
pub fn decide(
    seen: &Perception<'_>,
    mandate: &Mandate,
    is_on: impl Fn(&Policy) -> bool,
    may: impl Fn(&Policy, &str) -> bool,
) -> Choice {
    let fighting = seen.state.is_fighting() || seen.state.attackers().next().is_some();
    if matches!(seen.state.position.as_deref(), Some("dead" | "mortally wounded" | "incapacitated" | "stunned")) {
        return Choice::Stay;
    }
    for policy in POLICIES {
        if (fighting && !policy.in_fight) || !mandate.covers(policy) || !is_on(policy) {
            continue;
        }
        match (policy.run)(&Perception { alone: mandate.is_free(policy), ..seen.clone() }) {
            Proposal::Pass => {}
            Proposal::Stay => return Choice::Stay,
            Proposal::Do(line) if may(policy, &line) && can(seen, policy, &line) => {
                return Choice::Do { name: policy.name, power: policy.power, line };
            }
            Proposal::Do(_) => {}
        }
    }
    Choice::Nothing
}

/// Whether a line may be sent as one lies or stands, and goes where one dares to.
fn can(seen: &Perception<'_>, policy: &Policy, line: &str) -> bool {
    let position = seen.state.position.as_deref().unwrap_or("standing");
    let verb = verbs::find(verbs::word_of(line), seen.level());
    if !verb.is_none_or(|verb| verb.works_in(position)) {
        return false;
    }
    match verb.map(|verb| &*verb.name) {
        Some("stand") if position == "standing" => false,
        Some("rest") if position == "resting" => false,
        Some("sleep") if position == "sleeping" => false,
        // Reflexes get up at once; nobody else turns to and fro.
        Some("stand" | "wake" | "rest" | "sleep") if policy.power != Power::Reflex => seen.may_change_posture(),
        _ => match direction_of(line) {
            Some(direction) => !seen.flees_from(direction),
            None => true,
        },
    }
}

impl Perception<'_> {
    /// Whether one may lie down or get up now: not to and fro for nothing.
    pub fn may_change_posture(&self) -> bool {
        self.known.posture.may_change(self.known.ticks.at(self.now_ms))
    }

    /// A way into the room that one fled from, while one is not fit again and there is another way.
    fn flees_from(&self, direction: &str) -> bool {
        let to = self.known.map.room().and_then(|room| room.exits.get(direction)?.to);
        to.is_some_and(|to| self.dreads(to))
    }

    /// The room that one fled from, hurt: not to be entered, unless there is no way around it.
    pub fn dreads(&self, vnum: i32) -> bool {
        self.known.fled_room == Some(vnum) && *self.memo.dreads.get_or_init(|| self.must_go_around(vnum))
    }

    fn must_go_around(&self, vnum: i32) -> bool {
        let around = |to: i32, _: &Room| to != vnum;
        let (home, here) = (self.known.home, self.known.map.here);
        // Home is on this side of it, or can be reached by prayer.
        home == here
            || self.may_pray()
            || self.known.map.way_to(self.now_ms, around, |to, _| Some(to) == home).is_some()
    }

    pub fn level(&self) -> i32 {
        self.state.level.unwrap_or(1)
    }

    pub fn room(&self) -> i32 {
        self.state.room_vnum.unwrap_or(0)
    }

    /// The line, unless it failed here lately.
    pub fn step(&self, line: impl Into<String>) -> Proposal {
        let line = line.into();
        match self.known.refused_actions.blocks(self.room(), &line, self.now_ms) {
            Some(_) => Proposal::Pass,
            None => Proposal::Do(line),
        }
    }

    /// The first of these lines that did not fail here lately.
    pub fn first_of(&self, lines: impl IntoIterator<Item = String>) -> Proposal {
        for line in lines {
            if let Proposal::Do(line) = self.step(line) {
                return Proposal::Do(line);
            }
        }
        Proposal::Pass
    }

    /// Whether a prayer may take one home from here.
    pub fn may_pray(&self) -> bool {
        let away = self.known.home.is_some_and(|home| home != self.room());
        away && self.known.refused_actions.blocks(self.room(), "home", self.now_ms).is_none()
    }

    /// Whether somebody struck at it not long ago and may still be near: it killed nobody since.
    pub fn is_hunted(&self) -> bool {
        let killed = self.known.kills.back().map_or(0, |kill| kill.at_ms);
        self.known.attacked_ms.is_some_and(|at| at > killed && self.now_ms.saturating_sub(at) < FLED_MS)
    }

    /// The room before this one, if it was there that it was struck at.
    pub fn fled_from(&self) -> Option<i32> {
        let before = self.known.trail.iter().rev().find(|room| **room != self.room());
        before.copied().filter(|_| self.is_hunted())
    }

    /// A room that may be walked through.
    pub fn may_enter(&self, vnum: i32, room: &Room) -> bool {
        (!room.dark || self.has_light())
            && !self.known.is_room_shunned(vnum, room, self.level(), self.now_ms)
            && !self.dreads(vnum)
    }

    /// The same where darkness does not matter.
    pub fn may_grope(&self, vnum: i32) -> bool {
        !self.known.is_shunned(vnum, self.level(), self.now_ms) && !self.dreads(vnum)
    }

    /// Its own number for a question, the same whenever it is asked.
    pub fn own(&self, question: u64) -> u64 {
        self.nature.number(self.state.name(), question)
    }

    /// Burning, or at hand.
    pub fn has_light(&self) -> bool {
        let has = || self.known.light_of(self.state).is_some();
        *self.memo.has_light.get_or_init(|| has() || self.state.carried().iter().any(|item| self.is_light(item)))
    }

    /// The ways to all rooms that can be reached through rooms that may be entered, the shortest first.
    pub fn ways(&self) -> &[Way] {
        let may = |vnum: i32, room: &Room| self.may_enter(vnum, room);
        self.memo.ways.get_or_init(|| self.known.map.ways(self.now_ms, may))
    }

    /// The shortest of these ways to a room that is wanted.
    pub fn way_to(&self, wanted: impl Fn(i32, &Room) -> bool) -> Option<&Way> {
        let rooms = &self.known.map.rooms;
        self.ways().iter().find(|way| rooms.get(&way.to).is_some_and(|room| wanted(way.to, room)))
    }

    /// It can be lit.
    pub fn is_light(&self, item: &InventoryItem) -> bool {
        self.known.objects.is_for(item.vnum, &item.name, Use::Light) && !self.known.burnt.contains(&*item.instance_id)
    }

    /// One is on one's feet.
    pub fn stands(&self) -> bool {
        self.state.position.as_deref().is_none_or(|position| position == "standing")
    }

    /// The step to take to get there, after getting up.
    pub fn walk(&self, direction: &str) -> Proposal {
        if let Some(up) = self.get_up() {
            return up;
        }
        self.step(direction)
    }

    /// What has to be done first by who lies or sits.
    pub fn get_up(&self) -> Option<Proposal> {
        match self.state.position.as_deref()? {
            "sleeping" => Some(self.step("wake")),
            "resting" | "sitting" => Some(self.step("stand")),
            _ => None,
        }
    }

    /// It is dark, so far as one can tell.
    pub fn is_dark(&self) -> bool {
        self.state.room_name.as_deref() == Some("Darkness")
    }

    pub fn is_dangerous(&self, mob: &RoomMob) -> bool {
        self.known.bestiary.is_dangerous(mob.vnum, self.level())
    }

    /// Hit points lost in a fight against such a mob, percent of all; `None`: nothing is known.
    pub fn cost_percent(&self, vnum: i32) -> Option<i32> {
        let kind = self.known.bestiary.get(vnum)?;
        let most = self.state.max_health.filter(|most| *most > 0)?;
        (kind.kills > 0).then(|| (kind.loss * 100.0 / f64::from(most)) as i32)
    }
}

#[cfg(test)]
mod tests;
