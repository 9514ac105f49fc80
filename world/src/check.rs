//! Invariants: what must be true of a world after every input, whatever the players typed.
//!
//! Both calls only look, and answer one sentence for each thing that is wrong, with its id; an empty list is a sound
//! world. `check_all` walks everything; `check_touched` walks the rooms and players that a report names and costs as
//! much as they hold. Whether coins were conserved is for the caller: the sum of `Report::coins_made` since any moment
//! is the change of `World::coins` since then.

use crate::arena::{Arena, CharacterId, Id, ObjectId};
use crate::character::*;
use crate::lights::Lights;
use crate::object::{Object, Place, coins_in};
use crate::report::Report;
use crate::world::{QUEUE_MAX, World};
use content::words::Position;
use content::{ObjectKind, RoomId};

impl World {
    /// Every invariant of every entity. Empty when the world is sound.
    pub fn check_all(&self) -> Vec<String> {
        let mut check = Check::new(self);
        for (id, _) in self.state.rooms.iter() {
            check.room(id);
        }
        for (id, character) in self.state.characters.iter() {
            if !check.people[id.index as usize] {
                check.wrong(format!("{id:?} ({}) is in no room's list", character.name));
                check.character(id);
            }
        }
        for (id, object) in self.state.objects.iter() {
            if !check.objects[id.index as usize] {
                check.wrong(format!("{id:?} ({}) is in no list, though it says {:?}", object.short, object.place));
            }
        }
        check.people_lists();
        check.counts();
        check.serials();
        check.found.extend(self.state.channels.check());
        check.found.extend(self.state.agents.check(|id| self.state.channels.person(id).is_some()));
        check.found
    }

    /// The invariants of the rooms and players that a report names.
    pub fn check_touched(&self, report: &Report) -> Vec<String> {
        let mut check = Check::new(self);
        for room in &report.touched_rooms {
            check.room(*room);
        }
        for (player, _) in &report.touched {
            if self.character(*player).is_some() && !check.people[player.index as usize] {
                check.character(*player);
                let room = self.who(*player).room;
                if !self.room(room).characters.contains(player) {
                    check.wrong(format!("{player:?} says it is in {room:?}, which does not list it"));
                }
            }
        }
        check.found
    }

    /// Every coin in the world: in purses, in the bank and in heaps.
    pub fn coins(&self) -> i64 {
        let purses = self.state.characters.iter().map(|(_, c)| purse_of(c)).sum::<i64>();
        purses + self.state.objects.iter().map(|(_, o)| coins_in(o)).sum::<i64>()
    }

    /// Notes coins that came into the world from nowhere (a reset, a stored character, a reward), or that left it for
    /// good (negative). Coins that only change hands are not noted.
    pub(crate) fn mint(&mut self, coins: i64) {
        self.report.coins_made += coins;
    }
}

/// A walk over part of the world.
struct Check<'a> {
    world: &'a World,
    found: Vec<String>,
    /// By arena index: met already.
    people: Vec<bool>,
    objects: Vec<bool>,
}

impl<'a> Check<'a> {
    fn new(world: &'a World) -> Self {
        let (people, objects) = (world.state.characters.span(), world.state.objects.span());
        Check { world, found: Vec::new(), people: vec![false; people as usize], objects: vec![false; objects as usize] }
    }

    fn wrong(&mut self, what: String) {
        self.found.push(what);
    }

    fn room(&mut self, id: RoomId) {
        let room = self.world.room(id);
        let proto = self.world.room_proto(id);
        if room.doors.len() != proto.exits.len() {
            self.wrong(format!("room {} has {} doors for {} exits", proto.vnum, room.doors.len(), proto.exits.len()));
        }
        for who in &room.characters {
            match self.world.character(*who) {
                None => self.wrong(format!("room {} lists {who:?}, who is gone", proto.vnum)),
                Some(c) if c.room != id => {
                    self.wrong(format!("room {} lists {who:?} ({}), who says {:?}", proto.vnum, c.name, c.room));
                }
                Some(c) if self.people[who.index as usize] => {
                    self.wrong(format!("room {} lists {who:?} ({}) twice", proto.vnum, c.name));
                }
                Some(_) => self.character(*who),
            }
        }
        self.objects_in(&room.objects, Place::Room(id), &format!("room {}", proto.vnum));
    }

    /// A list of things and everything in them. `place`: where each of them must say that it is.
    fn objects_in(&mut self, list: &[ObjectId], place: Place, whose: &str) {
        for id in list {
            let Some(object) = self.world.get_object(*id) else {
                self.wrong(format!("{whose} lists {id:?}, which is gone"));
                continue;
            };
            if object.place != place {
                self.wrong(format!("{whose} lists {id:?} ({}), which says {:?}", object.short, object.place));
            }
            if std::mem::replace(&mut self.objects[id.index as usize], true) {
                self.wrong(format!("{whose} lists {id:?} ({}), which is listed elsewhere too", object.short));
                continue;
            }
            self.object(*id, object);
            self.objects_in(&object.contents, Place::Inside(*id), &format!("{id:?}"));
        }
    }

    fn object(&mut self, id: ObjectId, object: &Object) {
        match object.kind {
            ObjectKind::Money { coins } if coins < 1 => self.wrong(format!("{id:?} is a heap of {coins} coins")),
            ObjectKind::DrinkContainer { capacity, contents, .. } if !(0..=capacity.max(0)).contains(&contents) => {
                self.wrong(format!("{id:?} ({}) holds {contents} of {capacity} swallows", object.short));
            }
            ObjectKind::Container { .. } => {}
            _ if !object.contents.is_empty() => {
                self.wrong(format!("{id:?} ({}) holds things, but is no container", object.short));
            }
            _ => {}
        }
        if object.timer_hours < 0 {
            self.wrong(format!("{id:?} ({}) has {} hours left", object.short, object.timer_hours));
        }
    }

    fn character(&mut self, id: CharacterId) {
        self.people[id.index as usize] = true;
        let world = self.world;
        let c = world.who(id);
        let whose = format!("{id:?} ({})", c.name);
        self.objects_in(&c.carrying, Place::Carried(id), &whose);
        for (slot, object) in &c.worn {
            self.objects_in(&[*object], Place::Worn(id, *slot), &whose);
        }
        if !c.worn.is_sorted_by(|a, b| a.0 < b.0) {
            self.wrong(format!("{whose} wears things out of order or two in one place: {:?}", c.worn));
        }
        self.points(id, &whose);
        self.fight(id, &whose);
        self.following(id, &whose);
        if let Some(player) = c.player() {
            self.player(id, player, &whose);
        }
    }

    /// Hit points, what `now` is made of, money.
    fn points(&mut self, id: CharacterId, whose: &str) {
        let c = self.world.who(id);
        let now = self.world.stats_of(id);
        if c.now != now {
            self.wrong(format!("{whose}: `now` is {:?}, recomputed it is {now:?}", c.now));
        }
        for (what, value, most) in
            [("hit", c.hit, c.now.hit_max), ("mana", c.mana, c.now.mana_max), ("moves", c.moves, c.now.move_max)]
        {
            if value > most {
                self.wrong(format!("{whose} has {what} {value} of {most}"));
            }
        }
        for (what, value) in [("mana", c.mana), ("moves", c.moves), ("gold", c.gold)] {
            if value < 0 {
                self.wrong(format!("{whose} has {what} {value}"));
            }
        }
        let fits = match c.position {
            Position::Dead => false,
            Position::MortallyWounded => (-10..=-6).contains(&c.hit),
            Position::Incapacitated => (-5..=-3).contains(&c.hit),
            // Some arts stun whoever is whole.
            Position::Stunned => c.hit >= -2,
            _ => c.hit > 0,
        };
        // A builder may lay somebody down in whatever state.
        let as_built = self.world.mob_proto(id).is_some_and(|proto| proto.load_position == c.position && c.hit > 0);
        if !fits && !as_built {
            self.wrong(format!("{whose} is {} with {} hit points", c.position, c.hit));
        }
        if !(-1_000..=1_000).contains(&c.alignment) {
            self.wrong(format!("{whose} is aligned {}", c.alignment));
        }
    }

    fn fight(&mut self, id: CharacterId, whose: &str) {
        let c = self.world.who(id);
        if c.fighting.is_some() != self.world.state.fighters.contains(&id) {
            self.wrong(format!("{whose} fights {:?}, but the list of fighters differs", c.fighting));
        }
        if c.fighting.is_none() && c.fight_cause.is_some() {
            self.wrong(format!("{whose} fights nobody, but knows which command made it fight"));
        }
        if c.position == Position::Fighting && c.fighting.is_none() {
            self.wrong(format!("{whose} is in a fighting position without an opponent"));
        }
        let Some(opponent) = c.fighting else { return };
        match self.world.character(opponent) {
            None => self.wrong(format!("{whose} fights {opponent:?}, who is gone")),
            Some(o) if o.room != c.room => {
                self.wrong(format!("{whose} in {:?} fights {opponent:?} ({}) in {:?}", c.room, o.name, o.room));
            }
            Some(_) if opponent == id => self.wrong(format!("{whose} fights itself")),
            Some(_) => {}
        }
    }

    fn following(&mut self, id: CharacterId, whose: &str) {
        let c = self.world.who(id);
        if let Some(leader) = c.leader {
            match self.world.character(leader) {
                None => self.wrong(format!("{whose} follows {leader:?}, who is gone")),
                Some(l) => {
                    let times = l.followers.iter().filter(|f| **f == id).count();
                    if times != 1 {
                        self.wrong(format!("{whose} follows {leader:?} ({}), who lists it {times} times", l.name));
                    }
                }
            }
        }
        for follower in &c.followers {
            if self.world.character(*follower).is_none_or(|f| f.leader != Some(id)) {
                self.wrong(format!("{whose} lists the follower {follower:?}, who does not follow it"));
            }
        }
        let (mut at, mut steps) = (c.leader, 0);
        while let Some(leader) = at {
            steps += 1;
            if leader == id || steps > self.world.state.characters.len() {
                self.wrong(format!("{whose} follows itself, by way of others"));
                break;
            }
            at = self.world.character(leader).and_then(|l| l.leader);
        }
    }

    fn player(&mut self, id: CharacterId, player: &Player, whose: &str) {
        let c = self.world.who(id);
        if self.world.find_player(&c.name) != Some(id) {
            self.wrong(format!("{whose} is not found by its name"));
        }
        if player.queue.len() > QUEUE_MAX {
            self.wrong(format!("{whose} has {} commands waiting", player.queue.len()));
        }
        if !player.queue.is_empty() && !self.world.state.waiting.contains(&id) {
            self.wrong(format!("{whose} has commands waiting, but is not listed"));
        }
        if player.bank < 0 || player.experience < 0 || player.wimpy < 0 {
            let (bank, experience, wimpy) = (player.bank, player.experience, player.wimpy);
            self.wrong(format!("{whose} has bank {bank}, experience {experience}, wimpy {wimpy}"));
        }
        if !(1..=LEVEL_MAX).contains(&c.level) {
            self.wrong(format!("{whose} is of level {}", c.level));
        }
        for (what, hours) in [("drunk", player.drunk), ("full", player.full), ("thirst", player.thirst)] {
            if !(-1..=48).contains(&hours) {
                self.wrong(format!("{whose} is {what} {hours}"));
            }
        }
        for snooper in &player.snooped_by {
            if self.world.character(*snooper).is_none_or(|s| !s.is_immortal()) {
                self.wrong(format!("{whose} is snooped by {snooper:?}, who is no immortal here"));
            }
        }
    }

    /// The lists of the state that name characters.
    fn people_lists(&mut self) {
        let state = &self.world.state;
        for (name, id) in &state.players {
            let right = self.world.character(*id).is_some_and(|c| c.is_player() && c.name.eq_ignore_ascii_case(name));
            if !right {
                self.wrong(format!("the name {name} leads to {id:?}, who is no such player"));
            }
        }
        for id in &state.fighters {
            if self.world.character(*id).is_none() {
                self.wrong(format!("{id:?} is listed as a fighter, and is gone"));
            }
        }
        for id in &state.waiting {
            if self.world.character(*id).is_none_or(|c| !c.is_player()) {
                self.wrong(format!("{id:?} is listed as waiting, and is no player here"));
            }
        }
    }

    fn counts(&mut self) {
        let state = &self.world.state;
        let mut mobs = vec![0u32; state.mob_counts.len()];
        for (_, character) in state.characters.iter() {
            if let Some(mob) = character.mob() {
                mobs[mob.proto as usize] += 1;
            }
        }
        let mut objects = vec![0u32; state.object_counts.len()];
        for (_, object) in state.objects.iter() {
            if let Some(index) = self.world.content.object_index(object.vnum) {
                objects[index as usize] += 1;
            }
        }
        if Lights::count(state.rooms.len(), &state.characters, &state.objects) != self.world.lights {
            self.wrong("lights burn elsewhere than was counted".to_string());
        }
        let content = &self.world.content;
        let vnums = content.mobs.iter().map(|m| m.vnum);
        let mut wrong = count_differences("mob", vnums, &state.mob_counts, &mobs);
        let vnums = content.objects.iter().map(|o| o.vnum);
        wrong.extend(count_differences("object", vnums, &state.object_counts, &objects));
        self.found.extend(wrong);
    }

    fn serials(&mut self) {
        let state = &self.world.state;
        let mut serials = serials_of(&state.characters, |c| c.serial);
        serials.extend(serials_of(&state.objects, |o| o.serial));
        serials.sort_unstable();
        for pair in serials.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.found.push(format!("two entities have the serial {}", pair[0]));
        }
        if let Some(last) = serials.last()
            && *last >= state.next_serial
        {
            self.wrong(format!("the serial {last} exists, but the next one would be {}", state.next_serial));
        }
    }
}

fn serials_of<I: Id, T: Clone>(arena: &Arena<I, T>, serial: impl Fn(&T) -> u64) -> Vec<u64> {
    arena.iter().map(|(_, entity)| serial(entity)).collect()
}

fn count_differences(what: &str, vnums: impl Iterator<Item = i32>, kept: &[u32], living: &[u32]) -> Vec<String> {
    let pairs = kept.iter().zip(living);
    vnums
        .zip(pairs)
        .filter(|(_, (kept, living))| kept != living)
        .map(|(vnum, (kept, living))| format!("{living} of {what} {vnum} live, but {kept} are counted"))
        .collect()
}
