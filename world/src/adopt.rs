//! A saved state goes on with other content: builders changed the world while the server was down.
//!
//! A state refers to rooms, zones and prototypes by their index in the content that it was saved with. Here every such
//! index is looked up anew by its vnum, then whatever lost its ground leaves the world through the ordinary functions,
//! so that nothing keeps a reference to it. What had a place in somebody's hands or on a floor and can't stay is packed
//! into a record and listed: nothing is lost without being named. What lives on keeps its own values (a mob its hit
//! points and flags, a thing its charges); what the code reads from the prototype follows the new one by itself.
//!
//! Invariants: afterwards `check_all` finds nothing; with the content that the state was saved with, not one bit of the
//! state changes. No input is counted, so what players do next is newer than anything that was saved.

use crate::arena::{CharacterId, ObjectId};
use crate::character::{Character, Kind};
use crate::lights::Lights;
use crate::object::{Object, Place};
use crate::record::ObjectRecord;
use crate::rng::Occasion;
use crate::room::Room;
use crate::rules::Rules;
use crate::world::{Rooms, State, World};
use crate::zone::Zone;
use content::edit::{self, Row};
use content::flags::DoorFlags;
use content::words::Position;
use content::{Content, ContentIndex, ObjectKind, RoomId, RoomProto, Text, Vnum};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What taking over other content did to a state.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Adopted {
    /// What could not stay, each with everything in it: of mobs, then of rooms that are gone, then the rest.
    pub set_aside: Vec<SetAside>,
    /// Names of players whose room is gone, ascending. They are in the start room now.
    pub moved: Vec<Text>,
    /// Mobs that left, because their prototype or their room is gone: vnum and how many, ascending.
    pub mobs_gone: Vec<(Vnum, u32)>,
    /// Coins that those mobs had in their purses.
    pub gold_gone: i64,
    /// Numbers of zones, ascending. New ones have been reset once.
    pub zones_new: Vec<i32>,
    pub zones_gone: Vec<i32>,
    /// Vnums, ascending.
    pub rooms_new: Vec<Vnum>,
    pub rooms_gone: Vec<Vnum>,
    /// Edits that hold no more, as `room 8004`: their builder changed the row since, or what they need is gone.
    pub edits_gone: Vec<String>,
}

/// A thing that was taken out of play.
#[derive(Clone, Debug, Serialize)]
pub struct SetAside {
    /// `room 8004`, `Ann` or `mob 8012 (the baker)`, and what it was in where it lay deeper: `Ann, in a leather bag`.
    pub from: String,
    pub object: ObjectRecord,
}

/// In words, for a log; the things that were set aside one to a line.
impl fmt::Display for Adopted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mobs: u64 = self.mobs_gone.iter().map(|(_, count)| u64::from(*count)).sum();
        write!(
            f,
            "zones: {} new, {} gone; rooms: {} new, {} gone; mobs that left: {mobs}, with {} coins; players moved to \
             the start room: {}; things set aside: {}",
            self.zones_new.len(),
            self.zones_gone.len(),
            self.rooms_new.len(),
            self.rooms_gone.len(),
            self.gold_gone,
            if self.moved.is_empty() { "none".to_string() } else { self.moved.join(", ") },
            self.set_aside.len(),
        )?;
        if !self.edits_gone.is_empty() {
            write!(f, "; edits that hold no more: {}", self.edits_gone.join(", "))?;
        }
        for SetAside { from, object } in &self.set_aside {
            write!(f, "\n  {} (object {}), from {from}", object.texts[1], object.vnum)?;
            if !object.contents.is_empty() {
                write!(f, ", with {} more in it", object.count() - 1)?;
            }
        }
        Ok(())
    }
}

/// Who and what must go, found while the indices are changed.
#[derive(Default)]
struct Leaving {
    /// With their vnums, by arena index.
    mobs: Vec<(CharacterId, Vnum)>,
    players: Vec<CharacterId>,
    /// What lay on floors that are gone, with the vnum of the room. All of it is in the start room for now.
    floors: Vec<(ObjectId, Vnum)>,
}

impl World {
    /// Goes on from `state`, which was saved with the content of which `old` is the index, with `content`, which has at
    /// least one room. Panics when `old` does not belong to `state`, which the checksum of a snapshot rules out.
    pub fn adopt(content: Arc<Content>, rules: Arc<Rules>, mut state: State, old: &ContentIndex) -> (World, Adopted) {
        let lengths = [state.rooms.len(), state.zones.len(), state.mob_counts.len(), state.object_counts.len()];
        let expected = [old.rooms.len(), old.zones.len(), old.mobs.len(), old.objects.len()];
        assert_eq!(lengths, expected, "rooms, zones, mobs, objects: the state belongs to another content index");
        let edits_gone = drop_edits(&content, &mut state);
        let mut world = World::resume(content, rules, state);
        let new = world.content.index();
        world.streams.begin(Occasion::Act { actor: 0, before: world.state.acts });
        world.unrecorded = true;
        let mut adopted = Adopted {
            zones_new: missing(&new.zones, &old.zones),
            zones_gone: missing(&old.zones, &new.zones),
            rooms_new: missing(&new.rooms, &old.rooms),
            rooms_gone: missing(&old.rooms, &new.rooms),
            edits_gone,
            ..Adopted::default()
        };
        if new != *old {
            let leaving = world.renumber_content(old, &new);
            world.send_away(leaving, &mut adopted);
            world.set_aside_without_prototype(old, &mut adopted);
            assert_eq!(world.state.mob_counts.pop(), Some(0), "every mob without a prototype has left");
        }
        world.fit_doors();
        world.fit_characters();
        world.fit_plots();
        for number in &adopted.zones_new {
            let index = world.content.zone_index(*number).expect("it is from this content");
            world.reset_zone(index);
        }
        // Nobody is connected yet: what was touched and told concerns no reader.
        let _unread = world.finish();
        world.unrecorded = false;
        (world, adopted)
    }

    /// Goes on with content that has all that the old one has, and maybe more.
    pub(crate) fn change_content(&mut self, content: Arc<Content>) {
        let old = self.content.index();
        self.content = content;
        let new = self.content.index();
        if new != old {
            let leaving = self.renumber_content(&old, &new);
            let stay = leaving.mobs.is_empty() && leaving.players.is_empty() && leaving.floors.is_empty();
            assert!(stay, "nothing is gone from the content");
            assert_eq!(self.state.mob_counts.pop(), Some(0), "every mob has its prototype");
        }
        self.fit_doors();
        self.fit_characters();
    }

    /// Writes every index of the state anew. Mobs without a prototype get the index behind the last one, and a count
    /// there; whoever and whatever was in a room that is gone stands in the start room.
    fn renumber_content(&mut self, old: &ContentIndex, new: &ContentIndex) -> Leaving {
        let content = self.content.clone();
        let start = self.start_room();
        let state = &mut self.state;
        let mut leaving = Leaving::default();

        let rooms_of: Vec<Option<RoomId>> = old.rooms.iter().map(|vnum| content.room_id(*vnum)).collect();
        let mut rooms: Vec<Option<Arc<Room>>> = vec![None; new.rooms.len()];
        let (mut people, mut floors) = (Vec::new(), Vec::new());
        for (index, room) in std::mem::take(&mut state.rooms).into_list().into_iter().enumerate() {
            match rooms_of[index] {
                Some(id) => rooms[id.0 as usize] = Some(room),
                None => {
                    people.extend(&room.characters);
                    floors.extend(room.objects.iter().map(|id| (*id, old.rooms[index])));
                }
            }
        }
        let built = content.rooms.iter().zip(rooms);
        let built = built.map(|(proto, room)| room.unwrap_or_else(|| Arc::new(Room::as_built(proto))));
        state.rooms = Rooms::of(built.collect());
        if !people.is_empty() || !floors.is_empty() {
            let room = state.rooms.get_mut(start);
            room.characters.extend(&people);
            room.objects.extend(floors.iter().map(|(id, _)| *id));
        }
        leaving.floors = floors;

        let zones = new.zones.iter().map(|number| {
            let index = old.zones.binary_search(number).ok();
            index.map_or_else(Zone::default, |index| state.zones[index])
        });
        state.zones = zones.collect();

        let nobody = new.mobs.len() as u32;
        let mobs_of: Vec<u32> = old.mobs.iter().map(|vnum| content.mob_index(*vnum).unwrap_or(nobody)).collect();
        state.mob_counts = vec![0; new.mobs.len() + 1];
        for index in 0..state.characters.span() {
            let Some(id) = state.characters.id_at(index) else { continue };
            let character = state.characters.get_mut(id).expect("it is at its index");
            let room = rooms_of[character.room.0 as usize];
            character.room = room.unwrap_or(start);
            match &mut character.kind {
                Kind::Mob(mob) => {
                    let vnum = old.mobs[mob.proto as usize];
                    mob.proto = mobs_of[mob.proto as usize];
                    state.mob_counts[mob.proto as usize] += 1;
                    if mob.proto == nobody || room.is_none() {
                        leaving.mobs.push((id, vnum));
                    }
                }
                Kind::Player(_) if room.is_none() => leaving.players.push(id),
                Kind::Player(_) => {}
            }
        }

        state.object_counts = vec![0; new.objects.len()];
        for index in 0..state.objects.span() {
            let Some(id) = state.objects.id_at(index) else { continue };
            let object = state.objects.get(id).expect("it is at its index");
            if let Some(proto) = content.object_index(object.vnum) {
                state.object_counts[proto as usize] += 1;
            }
            if let Place::Room(room) = object.place {
                let to = Place::Room(rooms_of[room.0 as usize].unwrap_or(start));
                if object.place != to {
                    state.objects.get_mut(id).expect("it is at its index").place = to;
                }
            }
        }
        self.lights = Lights::count(state.rooms.len(), &state.characters, &state.objects);
        leaving
    }

    /// Mobs leave without what they had; players of rooms that are gone stop fighting; floors are cleared.
    fn send_away(&mut self, leaving: Leaving, adopted: &mut Adopted) {
        let mut gone: BTreeMap<Vnum, u32> = BTreeMap::new();
        for (mob, vnum) in leaving.mobs {
            let c = self.who(mob);
            let from = format!("mob {vnum} ({})", c.name);
            let objects: Vec<ObjectId> = c.carrying.iter().copied().chain(c.worn.iter().map(|(_, id)| *id)).collect();
            for object in objects {
                self.set_aside(object, from.clone(), adopted);
            }
            adopted.gold_gone += i64::from(self.who(mob).gold);
            self.extract_character(mob);
            *gone.entry(vnum).or_default() += 1;
        }
        adopted.mobs_gone = gone.into_iter().collect();
        for player in leaving.players {
            self.stop_fights_of(player);
            adopted.moved.push(self.who(player).name.clone());
        }
        adopted.moved.sort();
        for (object, room) in leaving.floors {
            if !has_no_prototype_by_nature(self.object(object)) {
                self.set_aside(object, format!("room {room}"), adopted);
            }
        }
    }

    /// Takes out of play what was made from prototypes that are gone, wherever it is. What had no prototype before
    /// either, because a stored character brought it from an older world, stays.
    fn set_aside_without_prototype(&mut self, old: &ContentIndex, adopted: &mut Adopted) {
        let content = self.content.clone();
        let is_gone = |object: &Object| {
            !has_no_prototype_by_nature(object)
                && content.object_index(object.vnum).is_none()
                && old.objects.binary_search(&object.vnum).is_ok()
        };
        for index in 0..self.state.objects.span() {
            let Some(id) = self.state.objects.id_at(index).filter(|id| is_gone(self.object(*id))) else { continue };
            // The outermost that goes takes the others with it, so that they stay together.
            let (mut outermost, mut at) = (id, id);
            while let Place::Inside(container) = self.object(at).place {
                at = container;
                if is_gone(self.object(at)) {
                    outermost = at;
                }
            }
            let from = self.whereabouts(outermost);
            self.set_aside(outermost, from, adopted);
        }
    }

    fn set_aside(&mut self, object: ObjectId, from: String, adopted: &mut Adopted) {
        adopted.set_aside.push(SetAside { from, object: self.pack(object) });
        self.extract_object(object);
    }

    /// Where a thing is, in words: see `SetAside::from`.
    fn whereabouts(&self, object: ObjectId) -> String {
        match self.object(object).place {
            Place::Room(room) => format!("room {}", self.room_proto(room).vnum),
            Place::Carried(holder) | Place::Worn(holder, _) => {
                let name = &self.who(holder).name;
                self.mob_proto(holder).map_or(name.to_string(), |proto| format!("mob {} ({name})", proto.vnum))
            }
            Place::Inside(container) => {
                format!("{}, in {}", self.whereabouts(container), self.object(container).short)
            }
            Place::Nowhere => "nowhere".to_string(),
        }
    }

    /// Where a builder changed a room's doors, they are as built. Otherwise they stay open, shut or found.
    fn fit_doors(&mut self) {
        let content = self.content.clone();
        for (index, proto) in content.rooms.iter().enumerate() {
            let id = RoomId(index as u32);
            if !doors_fit(&self.room(id).doors, proto) {
                self.state.rooms.get_mut(id).doors = Room::as_built(proto).doors;
            }
        }
    }

    /// What `now` is made of may have changed with the rules, and how a builder laid a mob down with its prototype.
    fn fit_characters(&mut self) {
        for index in 0..self.state.characters.span() {
            let Some(id) = self.state.characters.id_at(index) else { continue };
            if self.who(id).now != self.stats_of(id) {
                self.recompute(id);
            }
            let c = self.who(id);
            if c.position > Position::Stunned || c.hit <= 0 {
                continue;
            }
            let Some(built) = self.mob_proto(id).map(|proto| proto.load_position) else { continue };
            if built != c.position {
                let position = if built == Position::Fighting { Position::Standing } else { built };
                let character: &mut Character = self.who_mut(id);
                character.position = position;
            }
        }
    }
}

/// Lets go of the edits that have no place in this content, and of those whose rows were changed in the builder's files
/// since: what is written there counts.
fn drop_edits(content: &Content, state: &mut State) -> Vec<String> {
    let (outdated, kept): (Vec<Row>, Vec<Row>) =
        std::mem::take(&mut state.edits).into_iter().partition(|row| edit::is_outdated(row, content));
    let (_, left) = edit::with_rows(content, &kept);
    state.edits = kept.into_iter().filter(|row| !left.contains(row)).collect();
    outdated.iter().chain(&left).map(ToString::to_string).collect()
}

/// Corpses and heaps of coins, whatever vnum they carry.
fn has_no_prototype_by_nature(object: &Object) -> bool {
    object.is_corpse() || matches!(object.kind, ObjectKind::Money { .. })
}

/// Whether the doors of a room in play are those that its builder made. A hidden one may have been found.
fn doors_fit(doors: &[DoorFlags], proto: &RoomProto) -> bool {
    let in_play = DoorFlags::CLOSED.with(DoorFlags::LOCKED);
    doors.len() == proto.exits.len()
        && doors.iter().zip(&proto.exits).all(|(door, exit)| {
            let (is, built) = (door.without(in_play), exit.door.without(in_play));
            is == built || is == built.without(DoorFlags::HIDDEN)
        })
}

/// The numbers of `these` that are not in `those`. Both ascending.
fn missing(these: &[i32], those: &[i32]) -> Vec<i32> {
    these.iter().copied().filter(|number| those.binary_search(number).is_err()).collect()
}
