//! First times: rooms that one comes to, mobs and players whom one meets.
//!
//! Nearly every step is into a known room among known faces, so what is known costs look-ups and nothing else.

use crate::arena::CharacterId;
use crate::character::Player;
use crate::content::RoomId;
use crate::world::World;
use protocol::happening::{Role, What};

/// Others in a room at whom a newcomer looks, and who look at it: in a crowd nobody is introduced.
const FACES_MAX: usize = 32;

impl World {
    /// `who` has just come to the room that it is in; `from`: the room before.
    pub(crate) fn record_arrival(&mut self, who: CharacterId, from: Option<RoomId>) {
        if self.unrecorded {
            return;
        }
        let c = self.who(who);
        let room = c.room;
        let awake = c.is_awake();
        if let Some(player) = c.player() {
            let vnum = self.room_proto(room).vnum;
            if awake && !player.past.rooms.contains(vnum) && self.sees_room(who) {
                self.record_room(who, room, from);
            }
        } else if !self.is_watched(room) {
            return;
        }
        // Looked up for the first face that is new.
        let mut dark = None;
        for n in 0..self.room(room).characters.len().min(FACES_MAX) {
            let other = self.room(room).characters[n];
            if other == who {
                continue;
            }
            for (owner, met) in [(who, other), (other, who)] {
                let eyes = self.who(owner);
                let Some(player) = eyes.player() else { continue };
                if self.has_met(player, met) || !eyes.is_awake() {
                    continue;
                }
                let dark = *dark.get_or_insert_with(|| self.is_dark(room));
                if self.sees_in(owner, met, dark) {
                    self.record_meeting(owner, met);
                }
            }
        }
    }

    fn has_met(&self, player: &Player, other: CharacterId) -> bool {
        match self.mob_proto(other) {
            Some(proto) => player.past.met.contains(proto.vnum),
            None => player.past.people.contains(&self.who(other).keywords),
        }
    }

    fn record_meeting(&mut self, who: CharacterId, other: CharacterId) {
        let mob = self.mob_proto(other).map(|proto| proto.vnum);
        let name = self.who(other).keywords.clone();
        let Some(past) = self.past_mut(who) else { return };
        match mob {
            Some(vnum) => {
                past.met.insert(vnum);
            }
            None => past.people.insert(&name),
        }
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
