//! What changes about a room in play; what never changes is `RoomProto`, at the same index.

use crate::arena::{CharacterId, ObjectId};
use crate::flags::DoorFlags;
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
