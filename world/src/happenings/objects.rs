//! Things as they are remembered: found, let go of, used up, given and traded.

use crate::arena::{CharacterId, ObjectId};
use crate::world::World;
use protocol::happening::{Item, Role, What, item_level};

/// What becomes of a thing in somebody's hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LettingGo {
    /// Put down, put away into something, given to whom one does not know.
    Drop,
    /// Eaten, or broken in use: it is no more.
    UseUp,
    /// Broken up to be rid of it: it is no more.
    ThrowAway,
}

impl World {
    fn as_item(&self, object: ObjectId) -> Item {
        let o = self.object(object);
        let level = match self.content.object(o.vnum) {
            Some(proto) => item_level(Some(proto.level), i64::from(proto.cost)),
            None => item_level(None, i64::from(o.cost)),
        };
        Item { id: self.object_instance_of(object), name: o.short.clone(), vnum: o.vnum, level }
    }

    /// Whether it is the first thing of its sort that `who` has; from now on there was one.
    fn is_first_object(&mut self, who: CharacterId, object: ObjectId) -> bool {
        let vnum = self.object(object).vnum;
        vnum != 0
            && self.past(who).is_some_and(|past| !past.had.contains(vnum))
            && self.past_mut(who).is_some_and(|past| past.had.insert(vnum))
    }

    /// False for what `who` took up or put down a moment ago: to and fro is one record.
    fn handles_anew(&mut self, who: CharacterId, object: ObjectId) -> bool {
        let (serial, tick) = (self.object(object).serial, self.tick());
        self.player_quietly(who).is_some_and(|player| player.records.handle(serial, tick))
    }

    /// `who` took a thing that was not its own, from a container or corpse or from the floor. What lies in one's own
    /// corpse was one's own all the while.
    pub(crate) fn record_find(&mut self, who: CharacterId, object: ObjectId, from: Option<ObjectId>) {
        let is_taken_back = from.is_some_and(|from| self.is_own_corpse(from, who));
        if is_taken_back || !self.is_player(who) || !self.handles_anew(who, object) {
            return;
        }
        let novel = self.is_first_object(who, object);
        let from = from.map(|from| self.object(from).short.clone());
        let what = What::Acquired { who: self.as_known(who), item: self.as_item(object), from };
        let occasion = self.private(who, None, Some(object));
        self.remember(&occasion, who, Role::Did, what, novel);
    }

    /// `who` has it no more in a moment.
    pub(crate) fn record_letting_go(&mut self, who: CharacterId, object: ObjectId, how: LettingGo) {
        if !self.is_player(who) || (how == LettingGo::Drop && !self.handles_anew(who, object)) {
            return;
        }
        let (me, item) = (self.as_known(who), self.as_item(object));
        let what = match how {
            LettingGo::Drop => What::Dropped { who: me, item },
            LettingGo::UseUp => What::UsedUp { who: me, item },
            LettingGo::ThrowAway => What::ThrownAway { who: me, item },
        };
        let occasion = self.private(who, None, Some(object));
        self.remember(&occasion, who, Role::Did, what, false);
    }

    /// A gift of a thing, or of coins.
    pub(crate) fn record_gift(
        &mut self,
        giver: CharacterId,
        receiver: CharacterId,
        object: Option<ObjectId>,
        gold: i32,
    ) {
        if !self.is_player(giver) && !self.is_player(receiver) {
            return;
        }
        self.record_dealing(giver, receiver);
        self.trust(receiver, giver);
        let novel = object.is_some_and(|object| self.is_first_object(receiver, object));
        let what = What::Given {
            giver: self.as_known(giver),
            receiver: self.as_known(receiver),
            item: object.map(|object| self.as_item(object)),
            gold: i64::from(gold),
        };
        let room = self.who(giver).room;
        let occasion = self.occasion(room, [Some(giver), Some(receiver), None], object);
        self.remember(&occasion, giver, Role::Did, what.clone(), false);
        self.remember(&occasion, receiver, Role::Suffered, what.clone(), novel);
        self.remember_seen(&occasion, &what);
    }

    /// `thief` took something off `victim`, who knows that it is gone, and not who has it.
    pub(crate) fn record_theft(
        &mut self,
        thief: CharacterId,
        victim: CharacterId,
        object: Option<ObjectId>,
        gold: i32,
    ) {
        if !self.is_player(thief) && !self.is_player(victim) {
            return;
        }
        let novel = object.is_some_and(|object| self.is_first_object(thief, object));
        let what = What::Stolen {
            thief: self.as_known(thief),
            victim: self.as_known(victim),
            item: object.map(|object| self.as_item(object)),
            gold: i64::from(gold),
        };
        let occasion = self.private(thief, Some(victim), object);
        self.remember(&occasion, thief, Role::Did, what.clone(), novel);
        let mut suffered = what;
        let robbed = self.instance_of(victim);
        suffered.hide(|who| who.id == robbed);
        let occasion = self.private(victim, None, object);
        self.remember(&occasion, victim, Role::Suffered, suffered, false);
    }

    /// `thief` had a hand in `victim`'s pocket, for all to see.
    pub(crate) fn record_caught(&mut self, thief: CharacterId, victim: CharacterId) {
        if !self.is_player(thief) && !self.is_player(victim) {
            return;
        }
        self.record_dealing(thief, victim);
        let what = What::Caught { thief: self.as_known(thief), victim: self.as_known(victim) };
        let room = self.who(victim).room;
        let occasion = self.occasion(room, [Some(thief), Some(victim), None], None);
        self.remember_all(&occasion, &what);
    }

    /// A share of the group's gold is no gift to remember, but a reason to trust.
    pub(crate) fn record_share(&mut self, giver: CharacterId, receiver: CharacterId) {
        self.trust(receiver, giver);
    }

    pub(crate) fn record_purchase(&mut self, who: CharacterId, seller: CharacterId, object: ObjectId, price: i32) {
        let novel = self.is_first_object(who, object);
        let what = What::Bought {
            who: self.as_known(who),
            seller: self.as_known(seller),
            item: self.as_item(object),
            price: i64::from(price),
        };
        let occasion = self.private(who, Some(seller), Some(object));
        self.remember(&occasion, who, Role::Did, what, novel);
    }

    pub(crate) fn record_sale(&mut self, who: CharacterId, buyer: CharacterId, object: ObjectId, price: i32) {
        let what = What::Sold {
            who: self.as_known(who),
            buyer: self.as_known(buyer),
            item: self.as_item(object),
            price: i64::from(price),
        };
        let occasion = self.private(who, Some(buyer), Some(object));
        self.remember(&occasion, who, Role::Did, what, false);
    }
}
