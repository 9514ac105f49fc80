//! Doors as they are remembered: those that the owner changed or saw change, where that is news to it.

use crate::arena::CharacterId;
use crate::world::World;
use content::RoomId;
use content::words::Direction;
use protocol::happening::{Role, What};
use protocol::outcome::DoorChange;

impl World {
    /// The door of `room` on the side `way` changed. `who`: its doer, where those in the room can know.
    pub(crate) fn record_door(&mut self, room: RoomId, way: Direction, who: Option<CharacterId>, state: DoorChange) {
        let occasion = self.occasion(room, [who, None, None], None);
        let leads_to = self
            .exit_index(room, way)
            .and_then(|index| self.room_proto(room).exits[index].to)
            .and_then(|vnum| self.content.room_id(vnum))
            .map(|to| self.place_of(to));
        let what = What::Door { who: who.map(|who| self.as_known(who)), direction: way.name().into(), state, leads_to };
        let (vnum, side) = (self.room_proto(room).vnum, way.index() as u8);
        let owners = who.into_iter().chain(occasion.onlookers.iter().copied()).take(super::ONLOOKERS_MAX);
        for owner in owners.collect::<Vec<_>>() {
            let is_news = self.past(owner).is_some_and(|past| past.is_news_of_door(vnum, side, state));
            // Whoever sees nothing of the room sees no door either.
            if !is_news || !(Some(owner) == who || self.sees_room(owner)) {
                continue;
            }
            if let Some(past) = self.past_mut(owner) {
                past.note_door(vnum, side, state);
            }
            let role = if Some(owner) == who { Role::Did } else { Role::Saw };
            self.remember(&occasion, owner, role, what.clone(), false);
        }
    }
}
