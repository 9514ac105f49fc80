//! Doors: what a door is called, and its two sides, which open and close together.
//!
//! Invariant: a door changes here only, on both sides of the wall. Who may open it is asked in `commands/travel.rs`.

use crate::world::World;
use content::RoomId;
use content::flags::DoorFlags;
use content::words::Direction;

/// "door" when a door has no keyword; else its first one.
pub fn door_word(keywords: &str) -> &str {
    keywords.split(' ').find(|k| !k.is_empty()).unwrap_or("door")
}

impl World {
    /// Somebody found a hidden door: who looks at this side of it sees it from now on.
    pub fn reveal_door(&mut self, room: RoomId, way: Direction) {
        if let Some(index) = self.exit_index(room, way) {
            self.state.rooms.get_mut(room).doors[index].remove(DoorFlags::HIDDEN);
        }
    }

    /// Sets closed and locked on one side of a door and, where there is one, on the other.
    pub fn set_door(&mut self, room: RoomId, way: Direction, closed: bool, locked: bool) {
        let mut sides = vec![(room, way)];
        if let Some(index) = self.exit_index(room, way)
            && let Some(other) = self.room_proto(room).exits[index].to.and_then(|v| self.content.room_id(v))
            && let Some(back) = self.exit_index(other, way.opposite())
            && self.room_proto(other).exits[back].to == Some(self.room_proto(room).vnum)
        {
            sides.push((other, way.opposite()));
        }
        for (room, way) in sides {
            if let Some(index) = self.exit_index(room, way) {
                let door = &mut self.state.rooms.get_mut(room).doors[index];
                for (flag, on) in [(DoorFlags::CLOSED, closed), (DoorFlags::LOCKED, locked)] {
                    if on { door.insert(flag) } else { door.remove(flag) }
                }
                if !closed {
                    // Once it has been opened, everybody knows where it is.
                    door.remove(DoorFlags::HIDDEN);
                }
            }
        }
    }
}
