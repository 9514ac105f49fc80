//! What mobs give to players: with an answer (once a day, `answers.rs`), or for a thing that is given to them.
//!
//! Invariants: a thing that is taken for another is gone in the input in which the other comes, so that no haste and no
//! kill of the server doubles either; what a task asks for is never taken for a trade.

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::object::Place;
use crate::report::LineKind;
use crate::speech;
use crate::world::World;
use content::{TradeProto, Vnum};
use protocol::Outcome;

impl World {
    /// What a mob gives for that thing, if it takes it from that player at all.
    pub(crate) fn trade_for(&self, who: CharacterId, mob: CharacterId, object: ObjectId) -> Option<TradeProto> {
        let vnum = self.mob_proto(mob)?.vnum;
        let takes = self.object(object).vnum;
        if !self.who(who).is_player() {
            return None;
        }
        self.content.trades_of(vnum).find(|trade| trade.takes == takes && self.holds(&trade.when, who)).cloned()
    }

    /// Gives what a trade brings for a thing that the mob has just been given, and takes that out of the world.
    pub(crate) fn barter(&mut self, who: CharacterId, mob: CharacterId, object: ObjectId, trade: &TradeProto) {
        self.extract_object(object);
        speech::speak(self, mob, &trade.says);
        self.hand_over(mob, who, trade.gives);
    }

    /// A mob gives a player what goes with its words, for today.
    pub(crate) fn give_daily(&mut self, mob: CharacterId, who: CharacterId, gives: Vnum) {
        let Some(vnum) = self.mob_proto(mob).map(|proto| proto.vnum) else { return };
        self.note_gift(who, vnum, gives);
        self.hand_over(mob, who, gives);
    }

    /// A new thing comes from a mob into a player's hands, or to lie at its feet where they are full.
    fn hand_over(&mut self, mob: CharacterId, who: CharacterId, vnum: Vnum) {
        let Some(object) = self.make_object(vnum) else { return };
        let full = self.hands_full(who) || self.too_heavy_for(who, self.weight_of(object));
        let place = if full { Place::Room(self.who(who).room) } else { Place::Carried(who) };
        self.place_object(object, place);
        let outcome = self.note(Outcome::Given {
            giver: self.as_who(mob),
            receiver: self.as_who(who),
            item: Some(self.as_object_ref(object)),
            gold: None,
        });
        self.record_gift(mob, who, Some(object), 0);
        let scene = Scene::new(mob, LineKind::Give).victim(who).object(object).outcome(&outcome);
        if full {
            self.show(&scene, "", "You can carry no more, and $n lays $p at your feet.", "$n lays $p at $N's feet.");
        } else {
            self.show(&scene, "", "$n gives you $p.", "$n gives $p to $N.");
        }
    }
}
