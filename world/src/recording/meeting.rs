//! First times: rooms that one comes to, mobs and players whom one meets.
//!
//! Nearly every step is into a known room among known faces, so what is known costs look-ups and nothing else.

use crate::arena::CharacterId;
use crate::past::{Face, KnownAs};
use crate::world::World;
use content::RoomId;
use content::flags::AffectFlags;
use protocol::happening::{Role, What};

/// Others in a room at whom a newcomer looks, and who look at it, those who came last: in a crowd nobody is introduced.
const FACES_MAX: usize = 16;

impl World {
    /// `who` has just come to the room that it is in; `from`: the room before.
    pub(crate) fn record_arrival(&mut self, who: CharacterId, from: Option<RoomId>) {
        if self.unrecorded {
            return;
        }
        let c = self.who(who);
        let room = c.room;
        let awake = c.is_awake();
        let steals_in = c.is(AffectFlags::SNEAK);
        if let Some(player) = c.player() {
            let vnum = self.room_proto(room).vnum;
            if awake && !player.past.rooms.contains(vnum) && self.sees_room(who) {
                self.record_room(who, room, from);
            }
        } else if !self.is_watched(room) {
            return;
        }
        // Looked up for the first face, and for the first that is new.
        let (mut newcomer, mut dark) = (None, None);
        for n in self.room(room).characters.len().saturating_sub(FACES_MAX)..self.room(room).characters.len() {
            let other = self.room(room).characters[n];
            if other == who {
                continue;
            }
            // Nobody is told by a memory either of who steals in.
            for (owner, met) in [(who, other), (other, who)].into_iter().take(if steals_in { 1 } else { 2 }) {
                let eyes = self.who(owner);
                let Some(player) = eyes.player() else { continue };
                let known_as =
                    if met == who { *newcomer.get_or_insert_with(|| self.known_as(who)) } else { self.known_as(met) };
                if player.past.has_met(known_as) || !eyes.is_awake() {
                    continue;
                }
                let dark = *dark.get_or_insert_with(|| self.is_dark(room));
                if self.sees_in(owner, met, dark) {
                    self.record_meeting(owner, met, known_as);
                }
            }
        }
    }

    fn known_as(&self, who: CharacterId) -> KnownAs {
        match self.mob_proto(who) {
            Some(proto) => KnownAs::Mob(proto.vnum),
            None => KnownAs::Player(Face::of(&self.who(who).keywords)),
        }
    }

    fn record_meeting(&mut self, who: CharacterId, other: CharacterId, known_as: KnownAs) {
        let Some(past) = self.past_mut(who) else { return };
        past.meet(known_as);
        let what = What::Met { who: self.as_who(who), other: self.as_who(other) };
        let occasion = self.private(who, Some(other), None);
        self.remember(&occasion, who, Role::Did, what, true);
    }

    fn record_room(&mut self, who: CharacterId, room: RoomId, from: Option<RoomId>) {
        let vnum = self.room_proto(room).vnum;
        if let Some(past) = self.past_mut(who) {
            past.rooms.insert(vnum);
        }
        // Only where one can walk, the one room leads to the other.
        let from = from
            .filter(|from| self.room_proto(*from).exits.iter().any(|exit| exit.to == Some(vnum)))
            .map(|from| self.place_of(from));
        let occasion = self.private(who, None, None);
        self.remember(&occasion, who, Role::Did, What::RoomSeen { who: self.as_who(who), from }, true);
    }
}
