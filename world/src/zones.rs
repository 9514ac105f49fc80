//! The reset of a zone, which puts back what its builder placed.
//!
//! Source: game reference §1.3. Where dialects differ: a command with `if_last` runs when anything since, and
//! including, the last command without it has succeeded. A removal counts at once, so what it took away can be loaded
//! again by the next line. Invariant: a reset never touches what a player carries.

use crate::arena::{CharacterId, ObjectId};
use crate::object::Place;
use crate::rng::Stream;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{Content, ResetAction, RoomId, Vnum, ZoneProto};
use std::collections::BTreeMap;

/// A reset loads at most this many rounds of one loop, whatever its builder wrote.
const LOOP_MAX: i32 = 100;

/// How often a mob that appears anywhere in its zone looks for a fitting room before it takes the written one.
const RANDOM_ROOM_TRIES: usize = 20;

/// `load_chance` of what always comes.
const ALWAYS: i32 = 10_000;

/// What a reset remembers from one command to the next.
#[derive(Default)]
struct Progress {
    /// Something succeeded since, and including, the last unconditional command.
    chain: bool,
    last_mob: Option<CharacterId>,
    /// The newest instance of each prototype that this reset loaded.
    newest: BTreeMap<Vnum, ObjectId>,
    /// The newest instance in the world, of everything; made when first asked for.
    in_world: Option<BTreeMap<Vnum, ObjectId>>,
}

impl World {
    /// Carries out the resets of the zone at that index of `Content::zones`, and starts its age anew.
    pub fn reset_zone(&mut self, index: usize) {
        let content = self.content.clone();
        let zone = &content.zones[index];
        self.state.zones[index].reset_tick = self.tick();
        self.streams.fork(Stream::Zones, index as u64 + 1);
        let mut progress = Progress::default();
        let mut at = 0;
        // Where the loop that is running began, and how many rounds are left after this one. Loops do not nest.
        let mut looping: Option<(usize, i32)> = None;
        while let Some(reset) = zone.resets.get(at) {
            at += 1;
            match &reset.action {
                ResetAction::LoopStart { count } => {
                    looping = Some((at, (*count).clamp(0, LOOP_MAX) - 1));
                    if *count <= 0 {
                        at += zone.resets[at..].iter().take_while(|r| r.action != ResetAction::LoopEnd).count();
                    }
                }
                ResetAction::LoopEnd => match &mut looping {
                    Some((start, rounds_left)) if *rounds_left > 0 => {
                        *rounds_left -= 1;
                        at = *start;
                    }
                    _ => looping = None,
                },
                _ if reset.if_last && !progress.chain => {}
                action => {
                    let done = self.reset_once(&content, zone, action, &mut progress).is_some();
                    progress.chain = done || (reset.if_last && progress.chain);
                }
            }
        }
    }

    /// One command of a reset; `None` when it did nothing.
    fn reset_once(
        &mut self,
        content: &Content,
        zone: &ZoneProto,
        action: &ResetAction,
        progress: &mut Progress,
    ) -> Option<()> {
        match action {
            ResetAction::Mob { mob, max, room } => {
                // What is meant for a mob that did not come must not go to the one before it.
                progress.last_mob = None;
                let proto = content.mob_index(*mob)?;
                let room = content.room_id(*room)?;
                if self.mobs_alive(proto) >= *max {
                    return None;
                }
                let room = match content.mobs[proto as usize].flags.has(MobFlags::RANDOM_LOAD) {
                    true => self.random_room(content, zone, room),
                    false => room,
                };
                progress.last_mob = Some(self.make_mob(proto, room));
            }
            ResetAction::Object { object, max, room } => {
                let room = content.room_id((*room)?)?;
                self.load_object(content, *object, *max, progress, |_| Place::Room(room))?;
            }
            ResetAction::Put { object, max, container } => {
                let container = self.newest_of(*container, progress)?;
                self.load_object(content, *object, *max, progress, |_| Place::Inside(container))?;
            }
            ResetAction::Give { object, max } => {
                let mob = progress.last_mob.filter(|mob| self.character(*mob).is_some())?;
                self.load_object(content, *object, *max, progress, |_| Place::Carried(mob))?;
            }
            ResetAction::Equip { object, max, slot } => {
                let mob = progress.last_mob.filter(|mob| self.character(*mob).is_some())?;
                self.load_object(content, *object, *max, progress, |world| match world.who(mob).wears(*slot) {
                    None => Place::Worn(mob, *slot),
                    Some(_) => Place::Carried(mob),
                })?;
            }
            ResetAction::Door { room, direction, closed, locked } => {
                let room = content.room_id(*room)?;
                let at = self.exit_index(room, *direction)?;
                let mut door = content.room(room).exits[at].door;
                for (flag, on) in [(DoorFlags::CLOSED, *closed), (DoorFlags::LOCKED, *locked)] {
                    if on {
                        door.insert(flag);
                    }
                }
                if self.room(room).doors[at] != door {
                    self.state.rooms.get_mut(room).doors[at] = door;
                }
            }
            ResetAction::RemoveObject { room, object } => {
                let room = self.room(content.room_id(*room)?);
                let found = room.objects.iter().copied().find(|id| self.object(*id).vnum == *object)?;
                self.extract_object(found);
            }
            ResetAction::RemoveMob { room, mob } => {
                let proto = content.mob_index(*mob)?;
                let room = self.room(content.room_id(*room)?);
                let found = room.characters.iter().copied().find(|id| {
                    let c = self.who(*id);
                    c.mob().is_some_and(|m| m.proto == proto) && c.fighting.is_none()
                })?;
                self.extract_character(found);
            }
            ResetAction::LoopStart { .. } | ResetAction::LoopEnd => unreachable!("the caller keeps the loops"),
        }
        Some(())
    }

    /// A thing from its prototype, unless there are enough of it or its chance has it otherwise.
    fn load_object(
        &mut self,
        content: &Content,
        vnum: Vnum,
        max: i32,
        progress: &mut Progress,
        place: impl FnOnce(&World) -> Place,
    ) -> Option<()> {
        let proto_index = content.object_index(vnum)?;
        let chance = content.objects[proto_index as usize].load_chance;
        if self.objects_alive(proto_index) >= max
            || (chance < ALWAYS && self.dice(Stream::Zones).range(1, ALWAYS) > chance)
        {
            return None;
        }
        let object = self.make_object(vnum)?;
        if self.object(object).flags.has(ObjectFlags::RARE) {
            self.vary(object);
        }
        let to = place(self);
        self.place_object(object, to);
        progress.newest.insert(vnum, object);
        if let Some(in_world) = &mut progress.in_world {
            in_world.insert(vnum, object);
        }
        Some(())
    }

    /// Rare things are not all alike: each of their changes has one chance in five to be a little more or less.
    /// Source: game reference §1.3.
    fn vary(&mut self, object: ObjectId) {
        for n in 0..self.object(object).applies.len() {
            let step = match self.object(object).applies[n].to {
                Apply::HitRoll | Apply::DamageRoll => 1,
                Apply::ArmorClass => 5,
                _ => continue,
            };
            let dice = self.dice(Stream::Zones);
            if dice.one_in(5) {
                let by = if dice.one_in(2) { step } else { -step };
                self.object_mut(object).applies[n].by += by;
            }
        }
    }

    /// The most recently loaded instance: of this reset, else of all that no player has.
    fn newest_of(&self, vnum: Vnum, progress: &mut Progress) -> Option<ObjectId> {
        if let Some(object) = progress.newest.get(&vnum).copied().filter(|id| self.get_object(*id).is_some()) {
            return Some(object);
        }
        let in_world = progress.in_world.get_or_insert_with(|| {
            let mut newest: BTreeMap<Vnum, ObjectId> = BTreeMap::new();
            for (id, object) in self.state.objects.iter().filter(|(_, object)| object.is_container()) {
                let older = newest.get(&object.vnum).is_none_or(|old| self.object(*old).serial < object.serial);
                if older && !self.is_a_players(id) {
                    newest.insert(object.vnum, id);
                }
            }
            newest
        });
        in_world.get(&vnum).copied().filter(|id| self.get_object(*id).is_some())
    }

    /// True when a player has it, however deep.
    fn is_a_players(&self, object: ObjectId) -> bool {
        match self.object(object).place {
            Place::Carried(holder) | Place::Worn(holder, _) => self.who(holder).is_player(),
            Place::Inside(container) => self.is_a_players(container),
            Place::Room(_) | Place::Nowhere => false,
        }
    }

    /// Any room of the zone that a mob may be in.
    fn random_room(&mut self, content: &Content, zone: &ZoneProto, written: RoomId) -> RoomId {
        let span = |(first, last)| {
            let begin = content.rooms.partition_point(|room| room.vnum < first);
            begin..content.rooms.partition_point(|room| room.vnum <= last).max(begin)
        };
        let spans: Vec<_> = zone.ranges().map(span).collect();
        let (first, count) = (spans[0].start, spans.iter().map(ExactSizeIterator::len).sum::<usize>());
        let barred = RoomFlags::PRIVATE
            .with(RoomFlags::GOD_ROOM)
            .with(RoomFlags::DEATH)
            .with(RoomFlags::NO_MOB)
            .with(RoomFlags::HOUSE)
            .with(RoomFlags::ATRIUM);
        if count == 0 {
            return written;
        }
        for _ in 0..RANDOM_ROOM_TRIES {
            let drawn = self.dice(Stream::Zones).range(first as i32, (first + count - 1) as i32) as usize - first;
            let at = spans.iter().flat_map(Clone::clone).nth(drawn).expect("as many rooms as were counted");
            if !content.rooms[at].flags.any(barred) {
                return RoomId(at as u32);
            }
        }
        written
    }
}
