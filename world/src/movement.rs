//! Walking: what a step needs and costs, who sees it, and those who go along.
//!
//! Who follows whom is in `followers.rs`; being put somewhere without a step is in `placement.rs`. Invariant: nothing
//! here recurses, however long the chain of followers is. Source: game reference §1.4, §3.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::{Link, PlayerFlags};
use crate::doors::door_word;
use crate::effects::affects;
use crate::followers::PARTY_MAX;
use crate::jail;
use crate::mounts;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::room_view::{self, Detail};
use crate::speech;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{Behaviour, ObjectKind, RoomId};
use protocol::Outcome;

impl World {
    /// Walks one room on, with all that a step needs and costs, and takes followers along. `fleeing`: out of a fight,
    /// and nobody follows. Source: game reference §1.4, §3.
    pub fn walk(&mut self, who: CharacterId, way: Direction, fleeing: bool) -> Done {
        let from = self.who(who).room;
        // Who follows sees by the light that its leader carries off.
        let dark = self.is_dark(from);
        self.walk_alone(who, way, fleeing)?;
        if !fleeing && self.character(who).is_some() {
            self.bring_followers(who, from, way, dark);
        }
        Ok(())
    }

    /// As `walk`, without the followers.
    pub(crate) fn walk_alone(&mut self, who: CharacterId, way: Direction, fleeing: bool) -> Done {
        let c = self.who(who);
        if c.fighting.is_some() && !fleeing {
            return Err("Not now: somebody is trying to kill you. You could flee.".into());
        }
        let from = c.room;
        let (to, cost) = self.step(who, way)?;
        let mount = mounts::mount_of(self, who);
        if cost > 0 {
            self.who_mut(mount.unwrap_or(who)).moves -= cost;
        }
        // Nobody walks in a hiding place.
        if affects::end(self, who, AffectFlags::HIDE) {
            self.send(who, LineKind::Text, "You step out of your hiding place.");
        }
        let sneaking = self.who(who).is(AffectFlags::SNEAK);
        // A thousand mobs wander in each round where nobody is: what has no witness is not told.
        if self.is_watched(from) {
            let outcome = self.note(Outcome::Left { who: self.as_who(who), to: Some(way.name().into()) });
            if !sneaking {
                let mut scene = Scene::new(who, LineKind::Leave).text(way.name()).outcome(&outcome).hidden();
                scene.victim = mount;
                self.show(&scene, "", "", if mount.is_some() { "$n rides $t on $N." } else { "$n leaves $t." });
            }
        }
        let vnum = self.room_proto(to).vnum;
        let is_new = self.who(who).player().is_some_and(|player| !player.past.rooms.contains(vnum));
        self.move_character(who, to);
        if let Some(mount) = mount {
            self.move_character(mount, to);
            self.who_mut(who).rides = Some(mount);
        }
        if self.is_watched(to) {
            let back = way.opposite();
            let outcome = self.note(Outcome::Entered { who: self.as_who(who), from: Some(back.name().into()) });
            if !sneaking {
                let mut scene = Scene::new(who, LineKind::Enter).text(back.from_where()).outcome(&outcome).hidden();
                scene.victim = mount;
                self.show(
                    &scene,
                    "",
                    "",
                    match mount {
                        Some(_) => "$n rides in from $t on $N.",
                        None => "$n arrives from $t.",
                    },
                );
            }
        }
        if self.who(who).is_player() {
            let brief = self.who(who).player_flags().has(PlayerFlags::BRIEF);
            room_view::show_room(self, who, if brief { Detail::Brief } else { Detail::Full });
        }
        if is_new && let Some((mob, told)) = self.greeting_to(who) {
            speech::speak(self, mob, &told.words);
            if let Some(gives) = told.gives {
                self.give_daily(mob, who, gives);
            }
        }
        if self.room_flags(to).has(RoomFlags::DEATH) && !self.who(who).is_immortal() {
            self.send(who, LineKind::Death, "You should not have come here.");
            self.fall_into_death(who);
        } else {
            self.fire_arrival(who);
        }
        Ok(())
    }

    /// Where a step that way would lead, and how many movement points it takes; the refusal when it cannot be made.
    pub(crate) fn step(&self, who: CharacterId, way: Direction) -> Result<(RoomId, i32), Refusal> {
        let c = self.who(who);
        let from = c.room;
        let Some(index) = self.exit_index(from, way) else {
            return Err("You cannot go that way.".into());
        };
        let exit = &self.room_proto(from).exits[index];
        let door = self.room(from).doors[index];
        let Some(to) = exit.to.and_then(|vnum| self.content.room_id(vnum)) else {
            return Err("You cannot go that way.".into());
        };
        if door.has(DoorFlags::CLOSED) {
            if door.has(DoorFlags::HIDDEN) {
                return Err("You cannot go that way.".into());
            }
            return Err(Refusal::from(format!("The {} is closed.", door_word(&exit.keywords))));
        }
        self.may_leave_master(who)?;
        self.may_pass(who, from, way)?;
        self.may_enter(who, from, to)?;
        if c.is_mob() || c.is_immortal() {
            return Ok((to, 0));
        }
        let cost = (self.room_proto(from).sector.move_cost() + self.room_proto(to).sector.move_cost()) / 2;
        mounts::may_ride_into(self, who, to)?;
        if let Some(mount) = mounts::mount_of(self, who) {
            return match self.who(mount).moves < cost {
                true => {
                    let name = crate::act::capitalised(self.name_for(who, mount));
                    Err(format!("{name} is too tired to carry you any farther.").into())
                }
                false => Ok((to, cost)),
            };
        }
        if c.moves < cost {
            return Err("Your legs will not carry you any farther. Rest a while.".into());
        }
        Ok((to, cost))
    }

    /// Whether somebody may go from where it is into that room through something that opens there with no way between.
    pub(crate) fn may_step_through(&self, who: CharacterId, to: RoomId) -> Done {
        if self.who(who).fighting.is_some() {
            return Err("Not now: somebody is trying to kill you. You could flee.".into());
        }
        self.may_leave_master(who)?;
        if let Some(mount) = mounts::mount_of(self, who) {
            let name = crate::act::capitalised(self.name_for(who, mount));
            return Err(format!("{name} will not go in there. You could dismount.").into());
        }
        if self.who(who).is_player() {
            jail::may_leave(self, who)?;
        }
        self.may_enter(who, self.who(who).room, to)
    }

    /// Who is charmed goes nowhere without its master, but by its order.
    fn may_leave_master(&self, who: CharacterId) -> Done {
        let c = self.who(who);
        let is_bound = c.is(AffectFlags::CHARM) && self.ordered != Some(who);
        match is_bound && c.leader.is_some_and(|l| self.character(l).is_some_and(|l| l.room == c.room)) {
            true => Err("You cannot bring yourself to leave your master.".into()),
            false => Ok(()),
        }
    }

    /// Whether nobody bars the way. Guards see to players alone, as far as they see them.
    fn may_pass(&self, who: CharacterId, from: RoomId, way: Direction) -> Done {
        let c = self.who(who);
        if c.is_mob() || c.is_immortal() {
            return Ok(());
        }
        jail::may_leave(self, who)?;
        let bars = |id: &CharacterId| {
            let behaviours = self.mob_proto(*id).map_or(&[][..], |proto| &proto.behaviours);
            let shut = behaviours.iter().any(|behaviour| {
                let Behaviour::Guard { way: barred, lets } = behaviour else { return false };
                *barred == way && !lets.contains(&c.class)
            });
            shut && self.who(*id).is_awake() && self.who(*id).fighting.is_none() && self.sees(*id, who)
        };
        match self.room(from).characters.iter().copied().find(bars) {
            None => Ok(()),
            Some(guard) => {
                let name = crate::act::capitalised(self.name_for(who, guard));
                Err(format!("{name} bars your way {way}: it is not for people of your craft.").into())
            }
        }
    }

    /// What keeps a character out of a room, other than doors.
    fn may_enter(&self, who: CharacterId, from: RoomId, to: RoomId) -> Done {
        let c = self.who(who);
        if c.is_immortal() {
            return Ok(());
        }
        let proto = self.room_proto(to);
        // Mobs stay out of there by themselves; behind a player they go in.
        let is_led = || {
            let leader = c.leader.and_then(|leader| self.character(leader));
            leader.is_some_and(|leader| leader.is_player() && leader.room == to)
        };
        if c.is_mob() && proto.flags.has(RoomFlags::NO_MOB) && !is_led() {
            return Err("You cannot go that way.".into());
        }
        if proto.flags.has(RoomFlags::GOD_ROOM) {
            return Err("Only immortals go there.".into());
        }
        if self.is_for_people_only(who, to) {
            return Err("That is a place for people: programs are not let in.".into());
        }
        let people = || self.room(to).characters.iter().filter(|id| self.who(**id).is_player()).count();
        if proto.flags.has(RoomFlags::TUNNEL) && people() >= 1 {
            return Err("It is too narrow in there for two.".into());
        }
        if proto.flags.has(RoomFlags::PRIVATE) && people() >= 2 {
            return Err("Two people in there want to be left alone.".into());
        }
        let flies = c.is(AffectFlags::FLY);
        let water = [self.room_proto(from).sector, proto.sector].contains(&Sector::WaterNoSwim);
        // What lives in the water is at home there.
        let swims = c.is_mob() && self.room_proto(from).sector == Sector::WaterNoSwim;
        if water && !flies && !swims && !c.is(AffectFlags::WATERWALK) && !self.has_boat(who) {
            return Err("You need a boat to go there.".into());
        }
        if proto.sector == Sector::Flying && !flies {
            return Err("You would have to fly to go there.".into());
        }
        Ok(())
    }

    pub fn has_boat(&self, who: CharacterId) -> bool {
        let c = self.who(who);
        c.carrying
            .iter()
            .copied()
            .chain(c.worn.iter().map(|(_, o)| *o))
            .any(|o| matches!(self.object(o).kind, ObjectKind::Boat))
    }

    /// Those behind `leader`, which just went from `from` on that way, go after it; and those behind them. In the order
    /// in which they joined, each with its own followers behind it. `dark`: nobody had a light there before it went.
    fn bring_followers(&mut self, leader: CharacterId, from: RoomId, way: Direction, dark: bool) {
        let behind = |world: &World, leader: CharacterId| -> Vec<(CharacterId, CharacterId)> {
            world.who(leader).followers.iter().rev().map(|follower| (*follower, leader)).collect()
        };
        let mut waiting = behind(self, leader);
        let mut walked = 1;
        while let Some((follower, leader)) = waiting.pop() {
            let Some(f) = self.character(follower) else { continue };
            // Where nobody is at the keys, the body stays.
            let absent = f.player().is_some_and(|player| player.link != Link::Linked);
            let able = f.leader == Some(leader) && f.room == from && f.position >= Position::Standing && !absent;
            if !able {
                continue;
            }
            if !self.sees_in(follower, leader, dark) {
                if self.who(follower).is_mob() {
                    let name = crate::act::capitalised(self.name_for(leader, follower));
                    self.send(leader, LineKind::Text, format!("{name} does not see where you went."));
                }
                continue;
            }
            if walked == PARTY_MAX {
                let text =
                    format!("There are too many in the way, and you lose {}.", self.who(leader).object_pronoun());
                self.send(follower, LineKind::Refusal, text);
                continue;
            }
            walked += 1;
            if self.who(follower).is_player() {
                let text = format!("You follow {}.", self.who(leader).shown());
                self.send(follower, LineKind::Text, text);
            }
            match self.walk_alone(follower, way, false) {
                // Whoever walked into its death leads nobody any more.
                Ok(()) => waiting
                    .extend(self.character(follower).is_some().then(|| behind(self, follower)).into_iter().flatten()),
                Err(refusal) => self.send(follower, LineKind::Refusal, refusal.0),
            }
        }
    }
}
