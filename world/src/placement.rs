//! The mover: the only code that changes where a character or a thing is. It keeps both sides of each relation true.

use crate::arena::{CharacterId, ObjectId};
use crate::character::purse_of;
use crate::character::{Character, Kind};
use crate::lights;
use crate::object::coins_in;
use crate::object::{Object, Place};
use crate::script::Owner;
use crate::task::Deed;
use crate::world::World;
use content::flags::RoomFlags;
use content::words::WearSlot;
use content::{ObjectKind, RoomId};
use std::sync::Arc;

impl World {
    /// Whether a room is none for this player, since a program plays it.
    pub(crate) fn is_for_people_only(&self, who: CharacterId, room: RoomId) -> bool {
        let c = self.who(who);
        let program = c.player().is_some_and(|player| player.agent) && !c.is_immortal();
        program && self.room_flags(room).has(RoomFlags::PEOPLE_ONLY)
    }

    /// Puts a character into another room. Its fights end, for one strikes nobody who is elsewhere; followers and
    /// messages are the caller's.
    pub fn move_character(&mut self, who: CharacterId, to: RoomId) {
        let from = self.who(who).room;
        if self.who(who).rides.is_some() {
            self.who_mut(who).rides = None;
        }
        if from != to && !self.state.fighters.is_empty() {
            self.stop_fighting(who);
            for n in 0..self.room(from).characters.len() {
                let other = self.room(from).characters[n];
                if self.who(other).fighting == Some(who) {
                    self.stop_fighting(other);
                }
            }
        }
        if self.room_flags(from).with(self.room_flags(to)).has(RoomFlags::NO_WHO) {
            self.who_list = None;
        }
        for room in [from, to] {
            if self.is_noticed_in(who, room) {
                self.state.rooms.touch(room);
            }
        }
        let held = lights::held_by(self.who(who), &self.state.objects);
        self.lights.remove(from, held);
        self.lights.add(to, held);
        self.state.rooms.get_mut_quietly(from).characters.retain(|id| *id != who);
        self.state.rooms.get_mut_quietly(to).characters.push(who);
        self.who_mut(who).room = to;
        self.record_arrival(who, Some(from));
        self.did(who, Deed::Came);
    }

    /// Whether somebody's coming or going changes what others know of a room by their variables: a mob does, so does a
    /// light, and so does a player who is counted among the mobs because its name begins like one of theirs.
    fn is_noticed_in(&self, who: CharacterId, room: RoomId) -> bool {
        let c = self.who(who);
        c.is_mob()
            || lights::held_by(c, &self.state.objects) > 0
            || self.room(room).characters.iter().any(|id| {
                let other = self.who(*id);
                other.is_mob() && crate::find::answers_to(&c.keywords, crate::find::naming_word(&other.keywords))
            })
    }

    /// Puts a new character into the world; `character.room` says where.
    pub fn insert_character(&mut self, character: Character) -> CharacterId {
        let room = character.room;
        self.lights.add(room, lights::held_by(&character, &self.state.objects));
        self.mint(purse_of(&character));
        if let Kind::Mob(mob) = &character.kind {
            self.state.mob_counts[mob.proto as usize] += 1;
        }
        let id = self.state.characters.insert(character);
        self.state.rooms.get_mut(room).characters.push(id);
        if self.who(id).is_mob() {
            self.record_arrival(id, None);
        }
        id
    }

    /// Takes a character out of the world, with everything that it still has. Nobody follows or fights it any more.
    pub fn extract_character(&mut self, who: CharacterId) {
        self.stop_fights_of(who);
        self.part_ways(who);
        let character = self.who(who);
        let objects: Vec<ObjectId> =
            character.carrying.iter().copied().chain(character.worn.iter().map(|(_, o)| *o)).collect();
        for object in objects {
            self.extract_object(object);
        }
        let room = self.who(who).room;
        self.state.rooms.get_mut(room).characters.retain(|id| *id != who);
        let character = self.state.characters.remove(who).expect("it was looked up above");
        self.state.scripts.forget(Owner::Mob(who));
        self.mint(-purse_of(&character));
        self.state.waiting.remove(&who);
        match &character.kind {
            Kind::Mob(mob) => self.state.mob_counts[mob.proto as usize] -= 1,
            Kind::Player(player) => {
                let key = character.name.to_ascii_lowercase();
                self.state.players.remove(key.as_str());
                self.who_list = None;
                if !player.snooped_by.is_empty() || character.is_immortal() {
                    self.forget_snooper(who);
                }
            }
        }
    }

    /// An immortal who is gone, or is none any more, sees through nobody's eyes.
    pub(crate) fn forget_snooper(&mut self, gone: CharacterId) {
        let players: Vec<CharacterId> = self.state.players.values().copied().collect();
        for id in players {
            if self.who(id).player().is_some_and(|p| p.snooped_by.contains(&gone)) {
                self.player_mut(id).snooped_by.retain(|s| *s != gone);
            }
        }
    }

    /// Puts a thing somewhere else, from wherever it is. What is worn changes its wearer (`recompute`).
    pub fn place_object(&mut self, object: ObjectId, to: Place) {
        let from = self.object(object).place;
        match from {
            Place::Nowhere => {}
            Place::Room(room) => self.state.rooms.get_mut(room).objects.retain(|id| *id != object),
            Place::Carried(holder) => self.who_mut(holder).carrying.retain(|id| *id != object),
            Place::Worn(holder, _) => self.who_mut(holder).worn.retain(|(_, id)| *id != object),
            Place::Inside(container) => self.object_mut(container).contents.retain(|id| *id != object),
        }
        match to {
            Place::Nowhere => {}
            Place::Room(room) => self.state.rooms.get_mut(room).objects.insert(0, object),
            Place::Carried(holder) => self.who_mut(holder).carrying.insert(0, object),
            Place::Worn(holder, slot) => {
                let worn = &mut self.who_mut(holder).worn;
                assert!(worn.iter().all(|(s, _)| *s != slot), "{holder:?} already wears something at {slot}");
                let at = worn.partition_point(|(s, _)| *s < slot);
                worn.insert(at, (slot, object));
            }
            Place::Inside(container) => {
                assert!(!self.is_inside(container, object), "{object:?} would hold itself in {container:?}");
                self.object_mut(container).contents.insert(0, object);
            }
        }
        self.object_mut(object).place = to;
        if let Place::Carried(holder) = to
            && !matches!(from, Place::Worn(..))
        {
            self.did(holder, Deed::Took(self.object(object).vnum));
        }
        if let Place::Worn(holder, _) = from {
            self.recompute(holder);
            // The wearer's variables must show it gone.
            self.report.touched.push((holder, crate::report::Touch::Objects));
        }
        if let Place::Carried(holder) = from {
            self.report.touched.push((holder, crate::report::Touch::Objects));
        }
        if let Place::Worn(holder, _) = to {
            self.recompute(holder);
        }
        // A light that is lit or put out changes what everybody in the room sees.
        for (place, is_new) in [(from, false), (to, true)] {
            if let Place::Worn(holder, slot) = place
                && lights::is_lit_from(slot)
                && self.object(object).is_light()
            {
                let room = self.who(holder).room;
                if is_new {
                    self.lights.add(room, 1)
                } else {
                    self.lights.remove(room, 1)
                }
                self.state.rooms.touch(room);
            }
        }
    }

    /// True when `inner` is `outer` or somewhere inside it.
    pub fn is_inside(&self, inner: ObjectId, outer: ObjectId) -> bool {
        let mut at = inner;
        loop {
            if at == outer {
                return true;
            }
            match self.object(at).place {
                Place::Inside(container) => at = container,
                _ => return false,
            }
        }
    }

    /// Puts a new thing into the world, nowhere yet.
    pub fn insert_object(&mut self, object: Object) -> ObjectId {
        if let Some(proto) = self.content.object_index(object.vnum) {
            self.state.object_counts[proto as usize] += 1;
        }
        self.state.objects.insert(object)
    }

    /// Takes a thing out of the world, with everything in it. Coins are lost with it; see `take_coins`.
    pub fn extract_object(&mut self, object: ObjectId) {
        for inner in self.object(object).contents.clone() {
            self.extract_object(inner);
        }
        self.place_object(object, Place::Nowhere);
        let gone: Arc<Object> = self.state.objects.remove(object).expect("it was looked up above");
        self.state.scripts.forget(Owner::Object(object));
        self.mint(-coins_in(&gone));
        if let Some(proto) = self.content.object_index(gone.vnum) {
            self.state.object_counts[proto as usize] -= 1;
        }
    }

    /// Puts a heap of coins into somebody's purse; the heap is gone. How many there were; 0 for what is no money.
    pub fn take_coins(&mut self, who: CharacterId, heap: ObjectId) -> i32 {
        let ObjectKind::Money { coins } = self.object(heap).kind else { return 0 };
        self.extract_object(heap);
        self.mint(i64::from(coins));
        let purse = &mut self.who_mut(who).gold;
        // What a purse cannot count is lost.
        let room = i32::MAX - *purse;
        *purse += coins.min(room);
        self.mint(-i64::from((coins - room).max(0)));
        coins
    }

    /// The room that a thing is in, however deep; `None` while it is nowhere.
    pub fn room_of(&self, object: ObjectId) -> Option<RoomId> {
        match self.object(object).place {
            Place::Nowhere => None,
            Place::Room(room) => Some(room),
            Place::Carried(holder) | Place::Worn(holder, _) => Some(self.who(holder).room),
            Place::Inside(container) => self.room_of(container),
        }
    }

    /// Its own weight and that of everything in it, in pounds.
    pub fn weight_of(&self, object: ObjectId) -> i32 {
        let object = self.object(object);
        object.weight + object.contents.iter().map(|id| self.weight_of(*id)).sum::<i32>()
    }

    /// What a character carries and wears, in pounds.
    pub fn load_of(&self, who: CharacterId) -> i32 {
        let character = self.who(who);
        let carried: i32 = character.carrying.iter().map(|id| self.weight_of(*id)).sum();
        carried + character.worn.iter().map(|(_, id)| self.weight_of(*id)).sum::<i32>()
    }

    /// The first free one of `slots` on a character.
    pub fn free_slot(&self, who: CharacterId, slots: &[WearSlot]) -> Option<WearSlot> {
        let character = self.who(who);
        slots.iter().copied().find(|slot| character.wears(*slot).is_none())
    }
}
