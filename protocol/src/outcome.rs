//! What truly happened, as data: an `Outcome` stands beside the lines that tell it.
//!
//! Outcomes feed the variable EVENTS and the records. They say what happened, never what it was worth: no valence,
//! no salience. The world emits them with everybody's true name; for a reader who cannot see somebody, `hide`
//! replaces that actor. On the wire: one flat object, `{"type":"damage","attacker":{…},…}`.
//!
//! To add one: a variant here with its doc sentence, its line in `for_each_who` and, with a thing in it, in
//! `for_each_object`, and an example in `examples/server/vars_events.json`. Variants are added, never renamed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::payload::Word;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhoKind {
    Mob,
    Player,
}

/// An actor as an outcome names it. Cheap to clone: two pointers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Who {
    /// `mob_3001_17` or `player_bob`; empty for somebody whom the reader cannot see.
    #[serde(deserialize_with = "crate::shared::text")]
    pub id: Arc<str>,
    /// `a goblin`, `Bob`, `someone`.
    #[serde(deserialize_with = "crate::shared::text")]
    pub name: Arc<str>,
    pub kind: WhoKind,
    pub level: u16,
}

impl Who {
    /// What a reader is told of an actor that they cannot see. The kind is kept: it is told by the sound of steps.
    pub fn unseen(&self) -> Who {
        Who { id: "".into(), name: "someone".into(), kind: self.kind, level: 0 }
    }
}

/// An object as an outcome names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ObjectRef {
    /// `obj_1205_18`; empty for something that the reader cannot see.
    pub instance_id: Arc<str>,
    pub name: Arc<str>,
    /// 0 for something that the reader cannot see, and for corpses.
    pub vnum: i32,
}

impl ObjectRef {
    /// What a reader is told of a thing that they cannot see.
    pub fn unseen() -> ObjectRef {
        ObjectRef { instance_id: "".into(), name: "something".into(), vnum: 0 }
    }
}

/// What became of a door.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DoorChange {
    Opened,
    Closed,
    Locked,
    Unlocked,
}

/// How an art went.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CastResult {
    Done,
    /// Its caster lost the thread of it.
    Failed,
    /// All whom it was meant for withstood it, wholly or in part.
    Saved,
    /// It does nothing to whom it was meant for.
    Immune,
    /// It turned on its caster.
    Backfired,
}

/// How a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    Accepted,
    /// A step came nearer to its end, or to it.
    Step,
    /// All is done, and its giver has to hear of it.
    Ready,
    Done,
    Abandoned,
}

/// What was done on a plot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BuiltDeed {
    Added,
    Moved,
    Removed,
}

/// What happened. Directions are full words; gold is in coins; an absent optional field is left out of the JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outcome {
    // Fighting
    /// A fight begins: the attacker struck first.
    Attacked {
        attacker: Who,
        victim: Who,
    },
    /// A blow landed. `amount` in hit points, 0 when the armour took it all; `attack` is a word such as `slash`.
    Damage {
        attacker: Who,
        victim: Who,
        amount: i32,
        attack: Word,
    },
    /// Somebody lost `amount` hit points by something that nobody struck; `cause` is a word: `poison`, `drowning`,
    /// `fire`, `fall`, `blood loss`.
    Hurt {
        victim: Who,
        amount: i32,
        cause: Word,
    },
    /// A blow missed.
    Miss {
        attacker: Who,
        victim: Who,
        attack: Word,
    },
    /// Somebody died; `killer` is absent for hunger, poison, a fall.
    Death {
        victim: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        killer: Option<Who>,
    },
    /// Experience for a death: one for the killer, or one for each group member present. `xp` in points.
    KillCredit {
        who: Who,
        victim: Who,
        xp: i64,
    },
    /// Somebody ran from a fight. `hp_percent` 0..=100, at that moment.
    Fled {
        who: Who,
        hp_percent: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Word>,
    },
    /// `rescuer` took the blows meant for `rescued`.
    Rescue {
        rescuer: Who,
        rescued: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Who>,
    },
    /// `who` joined a fight on the side of `ally`.
    Assisted {
        who: Who,
        ally: Who,
        against: Who,
    },

    // Moving
    /// Came into the room; `from` is a direction, absent for magic, login and the like.
    Entered {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Word>,
    },
    /// Left the room; `to` as in `entered`.
    Left {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Word>,
    },
    /// Began to follow `leader`; without one: stopped following.
    Followed {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leader: Option<Who>,
    },
    /// Is now in the group of `leader`.
    Grouped {
        who: Who,
        leader: Who,
    },
    /// Is no longer in the group of `leader`.
    Ungrouped {
        who: Who,
        leader: Who,
    },
    /// Changed position, by name: `sleeping`.
    Position {
        who: Who,
        position: Word,
    },
    /// A door changed; `who` is absent when it did so by itself, `direction` is that of the reader's side.
    Door {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        who: Option<Who>,
        direction: Word,
        state: DoorChange,
    },

    // Talking
    /// Words on a channel: `say`, `tell`, `whisper`, `ask`, `gossip`, `shout`, `holler`, `auction`, `grats`, `newbie`,
    /// `group`, `emote`. `to` is the one addressed.
    Said {
        speaker: Who,
        channel: Word,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Who>,
        text: Arc<str>,
        /// Where it stands: the message of a channel. Left out for what was said in a room.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message_id: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel_id: Option<u32>,
    },
    /// A social: `social` is its verb.
    Social {
        actor: Who,
        social: Word,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        victim: Option<Who>,
    },

    // Things and money: one of `item` and `gold` is there
    /// Took; `from` is a container or corpse, absent for the floor.
    Got {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ObjectRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gold: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<ObjectRef>,
    },
    /// Let go; `into` is a container, absent for the floor.
    Dropped {
        who: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ObjectRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gold: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<ObjectRef>,
    },
    Given {
        giver: Who,
        receiver: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ObjectRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gold: Option<i64>,
    },
    /// Taken from somebody against their will.
    Stolen {
        thief: Who,
        victim: Who,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ObjectRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gold: Option<i64>,
    },
    /// A hand was found in a pocket.
    Caught {
        thief: Who,
        victim: Who,
    },
    Bought {
        who: Who,
        seller: Who,
        item: ObjectRef,
        price: i64,
    },
    Sold {
        who: Who,
        buyer: Who,
        item: ObjectRef,
        price: i64,
    },
    /// Put on, at the place `slot`.
    Worn {
        who: Who,
        item: ObjectRef,
        slot: Word,
    },
    Wielded {
        who: Who,
        item: ObjectRef,
    },
    /// Taken off, from the place `slot`.
    Removed {
        who: Who,
        item: ObjectRef,
        slot: Word,
    },
    /// Eaten, drunk, quaffed, recited: used up, wholly or in part.
    Consumed {
        who: Who,
        item: ObjectRef,
    },

    // Growing
    /// `level` is the new one.
    LevelGained {
        who: Who,
        level: u16,
    },
    /// `amount` in hit points; `healer` is absent for rest and magic places, `art` where it was no spell or skill.
    Healed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        healer: Option<Who>,
        patient: Who,
        amount: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        art: Option<Arc<str>>,
    },

    // Arts
    /// An art was brought about, or failed. `spell` is its name, empty for a reader who does not understand the words;
    /// `by` is `spell`, `will`, `potion`, `scroll`, `wand` or `staff`.
    Cast {
        caster: Who,
        spell: Word,
        by: Word,
        result: CastResult,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Who>,
    },
    /// A lasting effect began (`on`) or is over. `hours` of the game's clock, −1 for good, absent when it is over; `by`
    /// is absent where it is the bearer's own doing, or nobody's.
    Affect {
        who: Who,
        #[serde(deserialize_with = "crate::shared::text")]
        name: Arc<str>,
        on: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hours: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Who>,
    },
    /// Knows an art better than before. `percent` 0..=100.
    Practiced {
        who: Who,
        #[serde(deserialize_with = "crate::shared::text")]
        skill: Arc<str>,
        percent: u8,
    },
    /// A skill was tried; `result` is `done` or `failed`.
    Skill {
        who: Who,
        #[serde(deserialize_with = "crate::shared::text")]
        skill: Arc<str>,
        result: CastResult,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        victim: Option<Who>,
    },

    /// The will of `who` is `by`'s from now on.
    Charmed {
        by: Who,
        who: Who,
    },
    /// The will of `who` is its own again.
    Freed {
        who: Who,
    },

    /// `who` was taken to jail by `by`, for so many hours of the game.
    Arrested {
        who: Who,
        by: Who,
        hours: i64,
    },
    /// `who` was let out of jail.
    Released {
        who: Who,
    },

    /// Something that somebody was asked to do: `task` is what one types for it. For a `step` its text, and how much
    /// of what it needs is done.
    Task {
        who: Who,
        #[serde(deserialize_with = "crate::shared::text")]
        task: Arc<str>,
        #[serde(deserialize_with = "crate::shared::text")]
        title: Arc<str>,
        state: TaskState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        done: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        need: Option<i32>,
    },

    /// Something was built on a plot, moved there or removed. `kind` is what one types to build such a thing; `at` and
    /// `from` are row and column; `owner` is the name of whoever built it, where that is somebody else.
    Built {
        who: Who,
        plot: Arc<str>,
        deed: BuiltDeed,
        #[serde(deserialize_with = "crate::shared::text")]
        kind: Arc<str>,
        at: [u8; 2],
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<[u8; 2]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },

    // The reader alone
    /// The game refused the reader's own command; `reason` is the sentence.
    Refused {
        command: Arc<str>,
        reason: Arc<str>,
    },
    /// The reader's own command was dropped by the limit; `dropped_total` counts those of this connection.
    RateLimited {
        command: Arc<str>,
        dropped_total: u64,
        /// The command's own `id`, if it came with one: it never was an input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause_id: Option<u64>,
    },
    /// The reader's own command was run, or refused: what follows from it at once has been told. Only of commands that
    /// came with an `id`; `id` and `input` are the same as those of a [`Cause`].
    Done {
        id: u64,
        input: u64,
        /// The world's tick at which it was run.
        tick: u64,
    },
    /// To all players.
    Broadcast {
        text: Arc<str>,
    },
}

/// An entry of `EVENTS`: what happened, and which command of the reader's it follows from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EventEntry {
    #[serde(flatten)]
    pub outcome: Outcome,
    #[serde(flatten)]
    pub cause: Option<Cause>,
}

impl Outcome {
    /// Visits every actor, so that a caller can find those whom a reader cannot see.
    pub fn for_each_who(&mut self, mut visit: impl FnMut(&mut Who)) {
        use Outcome::*;
        match self {
            Attacked { attacker: a, victim: b }
            | Damage { attacker: a, victim: b, .. }
            | Miss { attacker: a, victim: b, .. }
            | KillCredit { who: a, victim: b, .. }
            | Grouped { who: a, leader: b }
            | Ungrouped { who: a, leader: b }
            | Given { giver: a, receiver: b, .. }
            | Stolen { thief: a, victim: b, .. }
            | Caught { thief: a, victim: b }
            | Charmed { by: a, who: b }
            | Arrested { who: a, by: b, .. }
            | Bought { who: a, seller: b, .. }
            | Sold { who: a, buyer: b, .. } => [a, b].into_iter().for_each(visit),
            Death { victim: a, killer: b }
            | Followed { who: a, leader: b }
            | Said { speaker: a, to: b, .. }
            | Social { actor: a, victim: b, .. }
            | Healed { patient: a, healer: b, .. }
            | Cast { caster: a, target: b, .. }
            | Affect { who: a, by: b, .. }
            | Skill { who: a, victim: b, .. } => std::iter::once(a).chain(b).for_each(visit),
            Rescue { rescuer, rescued, from } => [rescuer, rescued].into_iter().chain(from).for_each(visit),
            Assisted { who, ally, against } => [who, ally, against].into_iter().for_each(visit),
            Hurt { victim: who, .. }
            | Fled { who, .. }
            | Entered { who, .. }
            | Left { who, .. }
            | Position { who, .. }
            | Got { who, .. }
            | Dropped { who, .. }
            | Worn { who, .. }
            | Wielded { who, .. }
            | Removed { who, .. }
            | Consumed { who, .. }
            | Practiced { who, .. }
            | Task { who, .. }
            | Built { who, .. }
            | Freed { who }
            | Released { who }
            | LevelGained { who, .. } => visit(who),
            Door { who, .. } => who.iter_mut().for_each(visit),
            Refused { .. } | RateLimited { .. } | Done { .. } | Broadcast { .. } => {}
        }
    }

    /// Visits every thing, for the same purpose.
    pub fn for_each_object(&mut self, visit: impl FnMut(&mut ObjectRef)) {
        use Outcome::*;
        match self {
            Got { item: a, from: b, .. } | Dropped { item: a, into: b, .. } => a.iter_mut().chain(b).for_each(visit),
            Given { item, .. } | Stolen { item, .. } => item.iter_mut().for_each(visit),
            Bought { item, .. }
            | Sold { item, .. }
            | Worn { item, .. }
            | Wielded { item, .. }
            | Removed { item, .. }
            | Consumed { item, .. } => std::iter::once(item).for_each(visit),
            Attacked { .. }
            | Damage { .. }
            | Hurt { .. }
            | Miss { .. }
            | Death { .. }
            | KillCredit { .. }
            | Fled { .. }
            | Rescue { .. }
            | Assisted { .. }
            | Entered { .. }
            | Left { .. }
            | Followed { .. }
            | Grouped { .. }
            | Ungrouped { .. }
            | Position { .. }
            | Door { .. }
            | Said { .. }
            | Social { .. }
            | LevelGained { .. }
            | Healed { .. }
            | Cast { .. }
            | Affect { .. }
            | Practiced { .. }
            | Task { .. }
            | Built { .. }
            | Skill { .. }
            | Caught { .. }
            | Charmed { .. }
            | Freed { .. }
            | Arrested { .. }
            | Released { .. }
            | Refused { .. }
            | RateLimited { .. }
            | Done { .. }
            | Broadcast { .. } => {}
        }
    }

    /// Replaces every actor that the reader cannot see.
    pub fn hide(&mut self, mut can_see: impl FnMut(&Who) -> bool) {
        self.for_each_who(|who| {
            if !can_see(who) {
                *who = who.unseen();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn who(name: &str) -> Who {
        Who { id: format!("player_{name}").into(), name: name.into(), kind: WhoKind::Player, level: 3 }
    }

    #[test]
    fn an_outcome_is_one_flat_object() {
        let blow = Outcome::Damage { attacker: who("bob"), victim: who("eve"), amount: 7, attack: "slash".into() };
        let encoded = serde_json::to_value(&blow).expect("plain");
        assert_eq!(
            encoded,
            json!({
                "type": "damage",
                "attacker": {"id": "player_bob", "name": "bob", "kind": "player", "level": 3},
                "victim": {"id": "player_eve", "name": "eve", "kind": "player", "level": 3},
                "amount": 7,
                "attack": "slash",
            })
        );
        assert_eq!(serde_json::from_value::<Outcome>(encoded).expect("decodes"), blow);
    }

    #[test]
    fn what_follows_from_a_command_says_so() {
        let poison = Outcome::Hurt { victim: who("bob"), amount: 2, cause: "poison".into() };
        for cause in [None, Some(Cause { id: Some(7), input: 99 }), Some(Cause { id: None, input: 3 })] {
            let entry = EventEntry { outcome: poison.clone(), cause };
            let whole = serde_json::to_value(&entry).expect("plain");
            assert_eq!(whole["cause"], "poison", "a word of the outcome itself: {whole}");
            assert_eq!(serde_json::from_value::<EventEntry>(whole.clone()).expect("decodes"), entry);
            let mut spliced = String::new();
            let plain = serde_json::to_string(&poison).expect("plain");
            match cause {
                None => spliced.push_str(&plain),
                Some(cause) => cause.append_to(&plain, &mut spliced),
            }
            assert_eq!(serde_json::from_str::<serde_json::Value>(&spliced).expect("JSON"), whole);
        }
    }

    #[test]
    fn a_hidden_actor_leaves_no_trace_of_its_name() {
        let mut blow = Outcome::Rescue { rescuer: who("bob"), rescued: who("eve"), from: Some(who("mallory")) };
        blow.hide(|who| &*who.name == "eve");
        let encoded = serde_json::to_string(&blow).expect("plain");
        assert!(!encoded.contains("bob") && !encoded.contains("mallory") && encoded.contains("eve"), "{encoded}");
    }
}
