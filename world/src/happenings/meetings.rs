//! First times: rooms that one comes to, mobs and players whom one meets; and how often one came to a room.
//!
//! Who comes into a room meets those who are there, and they it. In a crowd nobody is introduced, or a thousand people
//! in one square would make a million acquaintances: there one meets whom one deals with (`record_dealing`).
//! Nearly every step is into a known room among known faces, so what is known costs look-ups and nothing else.

use crate::arena::CharacterId;
use crate::past::{Face, KnownAs, Visits};
use crate::world::World;
use content::RoomId;
use content::flags::AffectFlags;
use protocol::happening::{Place, Role, What};

/// Others in a room at whom a newcomer looks, and who look at it, those who came last.
const FACES_MAX: usize = 16;
/// More players than this among those faces are a crowd.
const COMPANY_MAX: usize = 8;

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
            let known = player.past.rooms.contains(vnum);
            let came = from.is_some_and(|from| from != room);
            if awake && (came || !known) && self.sees_room(who) {
                if known {
                    self.record_visit(who, room, from);
                } else {
                    self.record_room(who, room, from);
                }
            }
        } else if !self.is_watched(room) {
            return;
        }
        // Looked up for the first face, and for the first that is new.
        let (mut newcomer, mut dark) = (None, None);
        let newcomer_plays = self.who(who).is_player();
        let faces = self.room(room).characters.len().saturating_sub(FACES_MAX)..self.room(room).characters.len();
        let players = self.room(room).characters[faces.clone()].iter().filter(|id| self.who(**id).is_player());
        let crowded = players.count() > COMPANY_MAX;
        for n in faces {
            let other = self.room(room).characters[n];
            if other == who || (crowded && newcomer_plays && self.who(other).is_player()) {
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
                if self.sees_in(owner, met, dark) && self.has_eyes_for(owner, known_as) {
                    self.record_meeting(owner, met, known_as);
                }
            }
        }
    }

    /// Whether `owner` takes note of somebody with whom it has nothing to do: of so many people, and of any mob.
    fn has_eyes_for(&mut self, owner: CharacterId, known_as: KnownAs) -> bool {
        let tick = self.tick();
        match known_as {
            KnownAs::Mob(_) => true,
            KnownAs::Player(_) => self.player_quietly(owner).is_some_and(|player| player.records.meet_stranger(tick)),
        }
    }

    /// The two have to do with each other: whoever sees the other for the first time meets it, in a crowd too.
    pub(crate) fn record_dealing(&mut self, one: CharacterId, other: CharacterId) {
        if self.unrecorded || one == other {
            return;
        }
        for (owner, met) in [(one, other), (other, one)] {
            let (Some(eyes), true) = (self.character(owner), self.character(met).is_some()) else { return };
            let Some(player) = eyes.player() else { continue };
            let known_as = self.known_as(met);
            if !player.past.has_met(known_as) && eyes.is_awake() && self.sees(owner, met) {
                self.record_meeting(owner, met, known_as);
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
        let what = What::Met { who: self.as_known(who), other: self.as_known(other) };
        // What cannot be remembered now is a first meeting another time.
        if !self.can_remember(who, Role::Did, &what, true) {
            return;
        }
        let Some(past) = self.past_mut(who) else { return };
        past.meet(known_as);
        let occasion = self.private(who, Some(other), None);
        self.remember(&occasion, who, Role::Did, what, true);
    }

    /// Only where one can walk, the one room leads to the other.
    fn walked_from(&self, room: RoomId, from: Option<RoomId>) -> Option<Place> {
        let vnum = self.room_proto(room).vnum;
        from.filter(|from| self.room_proto(*from).exits.iter().any(|exit| exit.to == Some(vnum)))
            .map(|from| self.place_of(from))
    }

    /// Counts a visit to a known room. Few of them are told, or a memory would be of steps and nothing else.
    fn record_visit(&mut self, who: CharacterId, room: RoomId, from: Option<RoomId>) {
        let vnum = self.room_proto(room).vnum;
        let Some(times) = self.past_mut(who).map(|past| past.visits.again(vnum)) else { return };
        if !Visits::is_told(times) {
            return;
        }
        let from = self.walked_from(room, from);
        let occasion = self.private(who, None, None);
        self.remember(&occasion, who, Role::Did, What::Visited { who: self.as_known(who), times, from }, false);
    }

    fn record_room(&mut self, who: CharacterId, room: RoomId, from: Option<RoomId>) {
        let vnum = self.room_proto(room).vnum;
        if let Some(past) = self.past_mut(who) {
            past.rooms.insert(vnum);
        }
        let from = self.walked_from(room, from);
        let occasion = self.private(who, None, None);
        self.remember(&occasion, who, Role::Did, What::RoomSeen { who: self.as_known(who), from }, true);
    }
}
