//! Mobs that nobody may strike or rob, whatever else a room allows: by a flag of theirs, or because they keep a shop;
//! and rooms where nobody may strike anybody.
//!
//! Whether somebody may strike somebody else at all is `combat`'s, which asks here.

use crate::arena::CharacterId;
use crate::character::PlayerFlags;
use crate::world::World;
use content::flags::{MobFlags, RoomFlags};

impl World {
    /// Keepers of shops cannot be attacked or robbed, unless a shop of theirs says that they fight.
    pub fn is_protected_keeper(&self, who: CharacterId) -> bool {
        let Some(proto) = self.mob_proto(who) else { return false };
        let mut shops = self.content.shops_of(proto.vnum).peekable();
        shops.peek().is_some() && shops.all(|shop| !shop.fights)
    }

    /// Players never are.
    pub fn is_untouchable(&self, who: CharacterId) -> bool {
        self.who(who).mob_flags().has(MobFlags::NO_KILL) || self.is_protected_keeper(who)
    }

    /// Whether the peace of the place where both are keeps somebody from striking another.
    pub fn keeps_peace(&self, attacker: CharacterId, victim: CharacterId) -> bool {
        let (a, v) = (self.who(attacker), self.who(victim));
        let excepted = v.fighting == Some(attacker) || v.player_flags().has(PlayerFlags::OUTLAW);
        self.room_flags(a.room).has(RoomFlags::PEACEFUL) && !excepted
    }
}
