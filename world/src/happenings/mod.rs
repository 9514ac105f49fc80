//! What players will remember: records of what truly happened, made where it happens (`Report::recorded`).
//!
//! Each kind has a function here that the code which brings it about calls with the state of that moment. It says who
//! took part; who else saw it, and what each of them could see of it, follows from the rules by which lines are read
//! (`act.rs`, `sight.rs`). What a record is worth is not asked here.
//!
//! Invariants: only outcomes are recorded, never what was typed. No record names anybody or anything that its owner
//! could not see. Numbers (`Player::log_seq`) rise, and none is given twice. What is remembered changes nothing in
//! play: it is read by nothing but this module, and is no reason to read variables again (`past_mut`).
//! Deliberately absent: the blows of a fight, neutral talk, coins that are picked up, shares of gold that a group
//! splits, and what mobs do among themselves. They are much and mean little.

mod building;
mod doors;
mod fights;
mod meetings;
mod minds;
mod objects;
mod speech;
mod talk;
mod tone;
mod transcript;

pub use objects::LettingGo;
pub use speech::{Hearers, Speech};

use crate::arena::{CharacterId, ObjectId};
use crate::character::{Character, Kind, Player};
use crate::past::Past;
use crate::report::Recorded;
use crate::world::World;
use content::RoomId;
use protocol::happening::{Happening, Place, Role, WITNESSES_MAX, What};
use protocol::outcome::Who;
use std::sync::Arc;

/// Places in the ids of one input; see `Happening::social_event_id`. What comes after them has no id.
const OCCASIONS_MAX: u64 = 1024;
/// Players who remember what others did, of all who saw it: those who were there first. A crowd of a thousand would
/// write a thousand logs for each blow that kills.
const ONLOOKERS_MAX: usize = 64;

/// Something that happens, before it is told to anybody.
struct Occasion {
    id: Option<u64>,
    room: RoomId,
    dark: bool,
    /// Those named in it.
    cast: [Option<CharacterId>; 3],
    object: Option<ObjectId>,
    /// Players in the room who are awake and not in the cast, in order of arrival.
    onlookers: Vec<CharacterId>,
    /// The first of them, then mobs who are awake: those who may be named as witnesses.
    witnesses: Vec<CharacterId>,
}

impl World {
    /// A player's part that no variable shows. `None` for mobs and who is gone.
    pub(crate) fn player_quietly(&mut self, who: CharacterId) -> Option<&mut Player> {
        match &mut self.state.characters.get_mut_quietly(who)?.kind {
            Kind::Player(player) => Some(player),
            Kind::Mob(_) => None,
        }
    }

    fn past_mut(&mut self, who: CharacterId) -> Option<&mut Past> {
        self.player_quietly(who).map(|player| Arc::make_mut(&mut player.past))
    }

    fn past(&self, who: CharacterId) -> Option<&Past> {
        self.character(who)?.player().map(|player| &*player.past)
    }

    fn is_player(&self, who: CharacterId) -> bool {
        self.character(who).is_some_and(Character::is_player)
    }

    fn occasion(&mut self, room: RoomId, cast: [Option<CharacterId>; 3], object: Option<ObjectId>) -> Occasion {
        let place = self.occasions;
        self.occasions += 1;
        let id = (place < OCCASIONS_MAX).then(|| self.state.number * OCCASIONS_MAX + place);
        let (mut onlookers, mut mobs) = (Vec::new(), Vec::new());
        for other in &self.room(room).characters {
            let c = self.who(*other);
            if !c.is_awake() || cast.contains(&Some(*other)) {
                continue;
            }
            if c.is_player() {
                onlookers.push(*other);
            } else if mobs.len() < WITNESSES_MAX {
                mobs.push(*other);
            }
        }
        // One more than are named, since no owner is a witness to itself.
        let witnesses = onlookers.iter().copied().take(WITNESSES_MAX + 1).chain(mobs).collect();
        Occasion { id, room, dark: self.is_dark(room), cast, object, onlookers, witnesses }
    }

    /// Something that is its owner's own affair: nobody else is asked.
    fn private(&mut self, owner: CharacterId, other: Option<CharacterId>, object: Option<ObjectId>) -> Occasion {
        let place = self.occasions;
        self.occasions += 1;
        let id = (place < OCCASIONS_MAX).then(|| self.state.number * OCCASIONS_MAX + place);
        let room = self.who(owner).room;
        let (onlookers, witnesses) = (Vec::new(), Vec::new());
        let cast = [Some(owner), other, None];
        Occasion { id, room, dark: self.is_dark(room), cast, object, onlookers, witnesses }
    }

    /// Whether `owner` is a player whose budget has room for such a record.
    fn can_remember(&self, owner: CharacterId, role: Role, what: &What, novel: bool) -> bool {
        let player = self.character(owner).and_then(Character::player);
        player.is_some_and(|player| player.records.affords(role, what, novel, self.tick()))
    }

    /// Puts one record into the report, as its owner could see it. Nothing for mobs, and nothing where the owner's
    /// budget is used up.
    fn remember(&mut self, occasion: &Occasion, owner: CharacterId, role: Role, mut what: What, novel: bool) {
        let tick = self.tick();
        if self.unrecorded || !self.can_remember(owner, role, &what, novel) {
            return;
        }
        let sees = |other: CharacterId| other == owner || self.sees_in(owner, other, occasion.dark);
        if let (What::Spoke { text, .. }, true) = (&mut what, role != Role::Did) {
            *text = self.words_for(owner, text).into_owned().into();
        }
        let unseen: Vec<Arc<str>> = occasion
            .cast
            .iter()
            .flatten()
            .filter(|other| !sees(**other))
            .map(|other| self.instance_of(*other))
            .collect();
        if !unseen.is_empty() {
            what.hide(|who: &Who| !unseen.contains(&who.id));
        }
        if occasion.object.is_some_and(|object| !self.sees_object_in(owner, object, occasion.dark)) {
            what.hide_item();
        }
        let witnesses = occasion
            .witnesses
            .iter()
            .filter(|other| **other != owner && sees(**other))
            .take(WITNESSES_MAX)
            .map(|other| self.as_known(*other))
            .collect();
        let room = self.place_of(occasion.room);
        let Some(player) = self.player_quietly(owner) else { return };
        player.records.spend(role, &what, novel, tick);
        player.log_seq += 1;
        let (seq, valence) = (player.log_seq, player.valence_off.then_some(0));
        let happening =
            Box::new(Happening { what, role, room, witnesses, social_event_id: occasion.id, novel, valence });
        let name = self.who(owner).name.clone();
        self.report.recorded.push(Recorded { who: owner, name, seq, happening });
    }

    /// For doer and sufferer, each in its role, and for all who see one of the two.
    fn remember_all(&mut self, occasion: &Occasion, what: &What) {
        let [doer, sufferer, _] = occasion.cast;
        for (owner, role) in [(doer, Role::Did), (sufferer, Role::Suffered)] {
            if let Some(owner) = owner {
                self.remember(occasion, owner, role, what.clone(), false);
            }
        }
        self.remember_seen(occasion, what);
    }

    /// For all who see one of those who take part.
    fn remember_seen(&mut self, occasion: &Occasion, what: &What) {
        let mut left = ONLOOKERS_MAX;
        for &owner in &occasion.onlookers {
            let [doer, sufferer, _] = occasion.cast;
            let sees = |other: Option<CharacterId>| {
                other.is_some_and(|other| self.character(other).is_some() && self.sees_in(owner, other, occasion.dark))
            };
            if sees(doer) || sees(sufferer) {
                self.remember(occasion, owner, Role::Saw, what.clone(), false);
                left -= 1;
                if left == 0 {
                    return;
                }
            }
        }
    }

    pub(crate) fn place_of(&self, room: RoomId) -> Place {
        let proto = self.room_proto(room);
        Place { vnum: proto.vnum, name: proto.name.clone() }
    }
}
