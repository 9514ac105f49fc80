//! Death by the book: experience, a corpse with everything in it, and for players the altar. Source: game reference
//! §2.7.

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::character::*;
use crate::coins;
use crate::draws::Draw;
use crate::jail;
use crate::object::Place;
use crate::pickup;
use crate::report::{LineKind, Request};
use crate::rng::Stream;
use crate::room_view::{self, Detail};
use crate::script::{Event, Owner};
use crate::task::Deed;
use crate::world::World;
use content::flags::*;
use content::scripts::Hook;
use content::words::*;
use content::{ObjectKind, RoomId, Text};
use protocol::{Outcome, places};

/// No death takes constitution down further.
const CONSTITUTION_LEAST: i32 = 3;
/// Who is of a higher level can lose a point of constitution by a death, and above the second level two.
const WEAKENED_ABOVE_LEVEL: i32 = 5;
const WEAKENED_TWICE_ABOVE_LEVEL: i32 = 20;

/// What a death took of a player, and where its things lie.
struct Losses {
    experience: i32,
    constitution: i32,
    tattoo: Option<Text>,
    left_in: Option<RoomId>,
}

impl World {
    /// `victim` dies. `killer`: who dealt the last blow, if anybody did; `cause`: for the log, where nobody did. False
    /// where a script kept it alive.
    pub fn die(&mut self, victim: CharacterId, killer: Option<CharacterId>, cause: &str) -> bool {
        let killer = killer.filter(|k| *k != victim && self.character(*k).is_some());
        let room = self.who(victim).room;
        let spared = self.room_flags(room).any(RoomFlags::NEUTRAL.with(RoomFlags::ARENA));
        if self.who(victim).is_player() && spared {
            self.spare(victim);
            return true;
        }
        let event = Event { actor: killer, ..Event::new(Hook::Death, Owner::Mob(victim)) };
        if self.fire(&event) && self.character(victim).is_some() {
            self.get_up_again(victim);
            return false;
        }
        // What the script did may have ended it already, or the killer.
        if self.character(victim).is_none() {
            return true;
        }
        let killer = killer.filter(|killer| self.character(*killer).is_some());
        let room = self.who(victim).room;
        let outcome = self.note(Outcome::Death { victim: self.as_who(victim), killer: killer.map(|k| self.as_who(k)) });
        let scene = Scene::new(victim, LineKind::Death).sleepers().outcome(&outcome);
        // What had no life has none to lose.
        let to_room = if self.who(victim).is_lifeless() { "$n is no more." } else { "$n dies." };
        self.show(&scene, "You die.", "", to_room);
        self.hear_death(victim);
        let credits = killer.map_or_else(Vec::new, |killer| self.credits_for(victim, killer));
        let divisor = if killer.is_some() { self.rules.death_combat_divisor } else { self.rules.death_other_divisor };
        let loss = self.who(victim).player().map_or(0, |player| player.experience / divisor);
        let lost = self.experience_loss(victim, loss);
        self.record_death(victim, killer, &credits, lost);
        if let Some(killer) = killer {
            self.credit_death(victim, &credits);
            if let Some(proto) = self.mob_proto(victim) {
                self.did(self.answers_for(killer), Deed::Killed(proto.vnum));
            }
            self.mark_outlaw(victim, self.answers_for(killer));
        }
        self.stop_fights_of(victim);
        if self.who(victim).is_player() {
            jail::end(self, victim);
        }
        if self.who(victim).is_mob() {
            let corpse = self.make_corpse(victim);
            let slain = self.instance_of(victim);
            self.extract_character(victim);
            if let Some(killer) = killer {
                let resumed = self.causes.resume_act(killer, &slain);
                self.loot(killer, corpse);
                if resumed {
                    self.causes.end_act();
                }
            }
            return true;
        }
        self.lose_experience(victim, loss);
        let weakened = self.lose_constitution(victim);
        let tattoo = self.player_mut(victim).tattoo.take();
        let corpse = (!self.room_flags(room).has(RoomFlags::DEATH)).then(|| self.make_corpse(victim));
        if let Some(killer) = killer {
            self.forget_grudge(killer, victim);
        }
        let name = self.who(victim).name.clone();
        let cause = killer.map_or(cause.to_string(), |k| self.who(k).name.to_string());
        let vnum = self.room_proto(room).vnum;
        self.request(Request::Log { text: format!("{name} was killed by {cause} in room {vnum}") });
        self.respawn(victim);
        let left_in = corpse.filter(|corpse| !self.object(*corpse).contents.is_empty()).map(|_| room);
        self.tell_losses(victim, Losses { experience: lost, constitution: weakened, tattoo, left_in });
        true
    }

    /// A death of the experienced may take constitution with it: how many points it took. Source: game reference §2.7,
    /// but that it stops falling at 3, since no die may end a mind.
    fn lose_constitution(&mut self, who: CharacterId) -> i32 {
        let c = self.who(who);
        let level = c.level;
        let left = c.base.abilities.constitution - CONSTITUTION_LEAST;
        if c.is_immortal() || level <= WEAKENED_ABOVE_LEVEL {
            return 0;
        }
        let mut lost = i32::from(self.draw_for(who, Stream::Combat, Draw::Death).range(1, 4) == 1);
        if lost == 1 && level > WEAKENED_TWICE_ABOVE_LEVEL {
            lost += i32::from(self.draw_for(who, Stream::Combat, Draw::Death).range(1, 6) == 1);
        }
        let lost = lost.min(left).max(0);
        self.who_mut(who).base.abilities.constitution -= lost;
        self.player_mut(who).lost_constitution += lost;
        lost
    }

    /// A death trap: no corpse, nothing is kept but the body's owner.
    pub(crate) fn fall_into_death(&mut self, who: CharacterId) {
        let objects: Vec<_> = {
            let c = self.who(who);
            c.carrying.iter().copied().chain(c.worn.iter().map(|(_, o)| *o)).collect()
        };
        if self.who(who).is_mob() {
            self.extract_character(who);
            return;
        }
        for object in objects {
            self.extract_object(object);
        }
        let lost = std::mem::take(&mut self.who_mut(who).gold);
        self.mint(-i64::from(lost));
        self.die(who, None, "a place that nobody leaves");
    }

    /// What a death cost, and where it lies: the last that the dead read before they go on.
    fn tell_losses(&mut self, who: CharacterId, losses: Losses) {
        let Losses { experience, constitution, tattoo, left_in } = losses;
        let cost = match experience {
            0 => None,
            1 => Some("It cost you a point of experience.".to_string()),
            n => Some(format!("It cost you {n} points of experience.")),
        };
        let objects = left_in
            .map(|room| places::at(&self.room_proto(room).name))
            .map(|place| format!("What you had lies with your corpse {place}. (help death)"));
        let weakened = match constitution {
            ..=0 => None,
            1 => Some("You are not put together as well as you were: a point of constitution is gone.".to_string()),
            n => Some(format!("You are not put together as well as you were: {n} points of constitution are gone.")),
        };
        let bare = tattoo.map(|name| format!("Where the {name} was, your skin is as bare as a child's."));
        let told: Vec<String> = cost.into_iter().chain(weakened).chain(bare).chain(objects).collect();
        if !told.is_empty() {
            self.send(who, LineKind::Text, told.join(" "));
        }
    }

    /// Where nobody dies, the beaten are carried out: one hit point, and everything kept. Source: game reference §2.7.
    fn spare(&mut self, who: CharacterId) {
        self.stop_fights_of(who);
        let scene = Scene::new(who, LineKind::Death).sleepers();
        self.show(
            &scene,
            "You go down, and somebody drags you out before worse comes of it.",
            "",
            "$n goes down, and is dragged out.",
        );
        let start = self.start_room();
        self.move_character(who, start);
        self.who_mut(who).hit = 1;
        self.who_mut(who).position = Position::Resting;
        let outcome = self.note(Outcome::Entered { who: self.as_who(who), from: None });
        let scene = Scene::new(who, LineKind::Enter).outcome(&outcome);
        self.show(&scene, "", "", "$n is dragged in, more dead than alive.");
        room_view::show_room(self, who, Detail::Full);
    }

    /// A script keeps a mob from dying: it goes on with what hit points that left it, one at least.
    fn get_up_again(&mut self, victim: CharacterId) {
        let c = self.who_mut(victim);
        c.hit = c.hit.max(1);
        c.felled_by = None;
        self.update_position(victim);
    }

    /// The dead player wakes at the altar, whole, with nothing.
    fn respawn(&mut self, who: CharacterId) {
        self.free_charmed(who);
        let start = self.start_room();
        self.move_character(who, start);
        let dead = self.who_mut(who);
        dead.affects.clear();
        dead.felled_by = None;
        self.recompute(who);
        let character = self.who_mut(who);
        character.hit = character.now.hit_max;
        character.mana = character.now.mana_max;
        character.moves = character.now.move_max;
        character.position = Position::Standing;
        let tick = self.tick();
        let player = self.player_mut(who);
        player.deaths += 1;
        player.died_tick = Some(tick);
        player.queue.clear();
        player.warned_of = None;
        player.drunk = player.drunk.min(0);
        self.state.waiting.remove(&who);
        let content = self.content.clone();
        self.send(who, LineKind::Death, format!("\n{}\n", content.sentences.woken));
        // It came here dead, and sees where it is only now.
        self.record_arrival(who, None);
        let outcome = self.note(Outcome::Entered { who: self.as_who(who), from: None });
        let scene = Scene::new(who, LineKind::Enter).outcome(&outcome);
        self.show(&scene, "", "", &content.sentences.risen);
        room_view::show_room(self, who, Detail::Full);
        self.save(who);
    }

    /// A death is heard next door.
    fn hear_death(&mut self, victim: CharacterId) {
        let room = self.who(victim).room;
        let neighbours: Vec<_> = self
            .room_proto(room)
            .exits
            .iter()
            .filter_map(|exit| exit.to.and_then(|vnum| self.content.room_id(vnum)))
            .filter(|next| *next != room)
            .collect();
        let scene = Scene::new(victim, LineKind::Noise);
        for next in neighbours {
            self.show_in(&scene, next, "From somewhere near comes a cry that breaks off short.");
        }
    }

    /// Killing a player who was no outlaw makes one.
    fn mark_outlaw(&mut self, victim: CharacterId, killer: CharacterId) {
        let (v, k) = (self.who(victim), self.who(killer));
        if v.is_player() && k.is_player() && !v.player_flags().has(PlayerFlags::OUTLAW) {
            let newly = !k.player_flags().has(PlayerFlags::OUTLAW);
            self.player_mut(killer).flags.insert(PlayerFlags::OUTLAW);
            if newly {
                self.who_list = None;
                self.send(
                    killer,
                    LineKind::Text,
                    "Blood is on your hands, and everybody will know: you are an OUTLAW now.",
                );
            }
        }
    }

    /// Autoloot, autogold and autosplit of the killer.
    fn loot(&mut self, killer: CharacterId, corpse: ObjectId) {
        let Some(character) = self.character(killer) else { return };
        let flags = character.player_flags();
        if !character.is_player() || self.object(corpse).place != Place::Room(character.room) {
            return;
        }
        if flags.any(PlayerFlags::AUTO_GOLD.with(PlayerFlags::AUTO_LOOT)) {
            let coins: Vec<ObjectId> = self
                .object(corpse)
                .contents
                .iter()
                .copied()
                .filter(|id| matches!(self.object(*id).kind, ObjectKind::Money { .. }))
                .collect();
            for heap in coins {
                let Some(ObjectKind::Money { coins }) = self.get_object(heap).map(|o| o.kind.clone()) else { continue };
                if pickup::get_from(self, killer, heap, corpse) && flags.has(PlayerFlags::AUTO_SPLIT) {
                    coins::split_coins(self, killer, coins);
                }
            }
        }
        if flags.has(PlayerFlags::AUTO_LOOT) {
            for object in self.get_object(corpse).map_or_else(Vec::new, |corpse| corpse.contents.clone()) {
                pickup::get_from(self, killer, object, corpse);
            }
        }
    }
}
