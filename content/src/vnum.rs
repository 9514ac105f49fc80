//! The numbers by which builders name rooms, mobs and objects, and the index that stands for one in play.

use serde::{Deserialize, Serialize};

/// The number that builders give a room, mob or object. Unique per kind, never reused for another thing.
pub type Vnum = i32;

/// The keeper of a shop without one.
pub const NOBODY: Vnum = -1;

/// Index of a room in `Content::rooms` and in the world's rooms; dense, found from the vnum once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct RoomId(pub u32);

/// Numbers from here on are the rules' own: no file of the Circle family can hold them.
pub const CONJURED_FIRST: Vnum = 100_001;
