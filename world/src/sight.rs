//! Who can see whom and what: darkness, invisibility, hiding, blindness.

use crate::arena::{CharacterId, ObjectId};
use crate::character::{Character, PlayerFlags};
use crate::object::Place;
use crate::world::World;
use content::RoomId;
use content::flags::*;
use content::words::*;

/// Rows of one kind that a list of what is here shows; the rest is counted. More than fits on any screen or into any
/// prompt, and few enough that a crowd or a heap makes no list of a megabyte for each who looks.
pub const SEEN_MAX: usize = 200;

impl World {
    /// No light falls into the room and nobody in it carries one. Inside and in a city it is light at night too.
    pub fn is_dark(&self, room: RoomId) -> bool {
        let proto = self.room_proto(room);
        let unlit = proto.flags.has(RoomFlags::DARK)
            || (self.state.clock.is_night()
                && !proto.flags.has(RoomFlags::INDOORS)
                && !matches!(proto.sector, Sector::Inside | Sector::City));
        unlit && !self.lights.burn_in(room)
    }

    /// One stands under the sky there.
    pub fn is_outdoors(&self, room: RoomId) -> bool {
        let proto = self.room_proto(room);
        !proto.flags.has(RoomFlags::INDOORS) && !matches!(proto.sector, Sector::Inside | Sector::Underwater)
    }

    /// Sees in a dark room.
    pub fn sees_in_dark(&self, observer: CharacterId) -> bool {
        self.who(observer).sees_in_dark()
    }

    /// Can read the room it is in: neither blind nor in the dark.
    pub fn sees_room(&self, observer: CharacterId) -> bool {
        let character = self.who(observer);
        !character.is(AffectFlags::BLIND) && (!self.is_dark(character.room) || self.sees_in_dark(observer))
    }

    /// Sees another character that is near; it always sees itself.
    pub fn sees(&self, observer: CharacterId, target: CharacterId) -> bool {
        observer == target || self.sees_in(observer, target, self.is_dark(self.who(target).room))
    }

    /// As `sees`, for callers that know already whether the place is dark.
    pub fn sees_in(&self, observer: CharacterId, target: CharacterId, dark: bool) -> bool {
        self.who(observer).sees_in(self.who(target), dark)
    }

    /// Knows somebody far away, by the voice or by hearsay: darkness and blindness do not matter, invisibility does.
    pub fn knows(&self, observer: CharacterId, target: CharacterId) -> bool {
        let eyes = self.who(observer);
        observer == target
            || eyes.is_immortal()
            || !self.who(target).is(AffectFlags::INVISIBLE)
            || eyes.is(AffectFlags::DETECT_INVISIBLE)
    }

    pub fn sees_object(&self, observer: CharacterId, object: ObjectId) -> bool {
        self.sees_object_in(observer, object, self.is_dark(self.who(observer).room))
    }

    /// What one carries oneself, in a bag too, is felt in the dark, and so is one's own corpse with all that is in it;
    /// what is invisible is not.
    pub fn sees_object_in(&self, observer: CharacterId, object: ObjectId, dark: bool) -> bool {
        let eyes = self.who(observer);
        if eyes.is_immortal() {
            return true;
        }
        let o = self.object(object);
        if o.flags.has(ObjectFlags::INVISIBLE) && !eyes.is(AffectFlags::DETECT_INVISIBLE) {
            return false;
        }
        if eyes.is(AffectFlags::BLIND) {
            return false;
        }
        !dark
            || o.flags.has(ObjectFlags::GLOW)
            || self.is_on(object, observer)
            || self.sees_in_dark(observer)
            || self.is_of_own_corpse(object, observer)
    }

    /// Whether a thing is somebody's own corpse, or lies in it: what one has worn for years is known to the hands, and
    /// the light that one had may be in there.
    fn is_of_own_corpse(&self, object: ObjectId, who: CharacterId) -> bool {
        match self.object(object).place {
            _ if self.is_own_corpse(object, who) => true,
            Place::Inside(container) => self.is_of_own_corpse(container, who),
            _ => false,
        }
    }

    pub fn is_own_corpse(&self, object: ObjectId, who: CharacterId) -> bool {
        let me = self.who(who);
        me.is_player() && self.object(object).corpse_of() == Some(&*me.name)
    }

    /// One's own corpse, where it lies at one's feet with something in it.
    pub fn own_corpse_felt(&self, who: CharacterId) -> Option<ObjectId> {
        let felt = |id: &ObjectId| self.is_own_corpse(*id, who) && !self.object(*id).contents.is_empty();
        let here = self.room(self.who(who).room).objects.iter().copied().find(felt)?;
        self.sees_object(who, here).then_some(here)
    }

    /// The name by which the observer knows somebody right now.
    pub fn name_for(&self, observer: CharacterId, target: CharacterId) -> &str {
        if self.sees(observer, target) { self.who(target).shown() } else { "someone" }
    }

    pub fn object_name_for(&self, observer: CharacterId, object: ObjectId) -> &str {
        if self.sees_object(observer, object) { &self.object(object).short } else { "something" }
    }
}

impl Character {
    fn sees_in_dark(&self) -> bool {
        self.is_immortal() || self.is(AffectFlags::INFRAVISION) || self.player_flags().has(PlayerFlags::HOLYLIGHT)
    }

    /// As `World::sees_in`, for who has both at hand: a crowd asks this of everybody.
    #[inline]
    pub fn sees_in(&self, target: &Character, dark: bool) -> bool {
        if self.is_immortal() {
            return true;
        }
        if self.is(AffectFlags::BLIND) || (dark && !self.sees_in_dark()) {
            return false;
        }
        let flags = target.now.flags;
        let unseen = flags.has(AffectFlags::INVISIBLE) && !self.is(AffectFlags::DETECT_INVISIBLE);
        let hidden = flags.has(AffectFlags::HIDE) && !self.is(AffectFlags::SENSE_LIFE);
        !unseen && !hidden
    }
}
