//! Lights: how many burn in the hands of those who are in each room, so that nobody who looks has to ask a whole crowd.
//!
//! Not state: it follows from who is where and what they hold, and is counted when a world is resumed. Invariant: what
//! moves a body or a light (`placement.rs`) and what puts one out (`phases/objects.rs`) says so here, and
//! `World::check_all` counts again.

use crate::arena::{Arena, CharacterId, ObjectId};
use crate::character::Character;
use crate::object::Object;
use content::RoomId;
use content::words::WearSlot;

/// Lights that burn, by the index of the room.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lights {
    burning: Vec<u32>,
}

/// Slots from which a light shines.
pub fn is_lit_from(slot: WearSlot) -> bool {
    matches!(slot, WearSlot::Light | WearSlot::Hold)
}

/// Lights that burn in somebody's hands: 0 to 2.
pub fn held_by(character: &Character, objects: &Arena<ObjectId, Object>) -> u32 {
    let burns = |id: ObjectId| objects.get(id).is_some_and(Object::is_light);
    character.worn.iter().filter(|(slot, object)| is_lit_from(*slot) && burns(*object)).count() as u32
}

impl Lights {
    /// By who is where and what they hold.
    pub fn count(
        rooms: usize,
        characters: &Arena<CharacterId, Character>,
        objects: &Arena<ObjectId, Object>,
    ) -> Lights {
        let mut lights = Lights { burning: vec![0; rooms] };
        for (_, character) in characters.iter() {
            lights.add(character.room, held_by(character, objects));
        }
        lights
    }

    pub fn burn_in(&self, room: RoomId) -> bool {
        self.burning[room.0 as usize] > 0
    }

    pub fn add(&mut self, room: RoomId, lights: u32) {
        self.burning[room.0 as usize] += lights;
    }

    /// Panics when fewer burn there: somebody brought a light without a word.
    pub fn remove(&mut self, room: RoomId, lights: u32) {
        let burning = &mut self.burning[room.0 as usize];
        *burning = burning.checked_sub(lights).unwrap_or_else(|| panic!("{lights} lights leave {room:?}: {burning}"));
    }
}
