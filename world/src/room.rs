//! What changes about a room in play; what never changes is `RoomProto`, at the same index.

use crate::arena::{CharacterId, ObjectId};
use content::RoomProto;
use content::flags::DoorFlags;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Room {
    /// State of each exit's door, in the order of `RoomProto::exits`.
    pub doors: Vec<DoorFlags>,
    /// In order of arrival. Written by the mover only.
    pub characters: Vec<CharacterId>,
    /// Newest first. Written by the mover only.
    pub objects: Vec<ObjectId>,
}

impl Room {
    /// Nobody and nothing in it, its doors as its builder left them.
    pub fn as_built(proto: &RoomProto) -> Room {
        Room { doors: proto.exits.iter().map(|exit| exit.door).collect(), ..Room::default() }
    }
}
