//! Where sessions stand: rooms of the world drawn by seed, with a way out and back, and rooms for fights.

use super::mix::Draws;
use content::flags::{DoorFlags, MobFlags, RoomFlags};
use content::words::Direction;
use content::{Content, MobProto, ResetAction, RoomProto, Vnum};
use std::collections::{BTreeMap, BTreeSet};

/// A room, and ways out of it that lead back by the opposite one.
#[derive(Clone, Debug)]
pub struct Place {
    pub room: Vnum,
    pub ways: Vec<Direction>,
}

/// A mob that stands somewhere by a reset, for somebody to fight.
#[derive(Clone, Debug)]
pub struct Opponent {
    pub room: Vnum,
    pub level: i32,
    /// Hit points, on average.
    pub hit: i32,
    /// What it is called on the command line.
    pub word: String,
}

const AGGRESSIVE: MobFlags = MobFlags::AGGRESSIVE
    .with(MobFlags::AGGR_EVIL)
    .with(MobFlags::AGGR_GOOD)
    .with(MobFlags::AGGR_NEUTRAL)
    .with(MobFlags::AGGR_24);
const UNFIT: RoomFlags = RoomFlags::DEATH.with(RoomFlags::PRIVATE).with(RoomFlags::TUNNEL).with(RoomFlags::GOD_ROOM);

fn resets(content: &Content) -> impl Iterator<Item = (&MobProto, Vnum)> {
    content.zones.iter().flat_map(|zone| &zone.resets).filter_map(|reset| match reset.action {
        ResetAction::Mob { mob, room, .. } => Some((content.mob(mob)?, room)),
        _ => None,
    })
}

/// Rooms where a beginner can stand in peace: nothing aggressive lives in the zone, or it stays in a room of its own,
/// which is neither this one nor the next.
pub fn quiet_rooms(content: &Content) -> Vec<Place> {
    let zone_of: BTreeMap<Vnum, i32> = content.rooms.iter().map(|room| (room.vnum, room.zone)).collect();
    let (staying, roaming): (Vec<_>, Vec<_>) = resets(content)
        .filter(|(mob, _)| mob.flags.any(AGGRESSIVE))
        .partition(|(mob, _)| mob.flags.any(MobFlags::SENTINEL));
    let wild: BTreeSet<i32> = roaming.iter().filter_map(|(_, room)| zone_of.get(room).copied()).collect();
    let lairs: BTreeSet<Vnum> = staying.iter().map(|(_, room)| *room).collect();
    let is_near = |room: &RoomProto| {
        let next = room.exits.iter().filter_map(|exit| exit.to);
        next.chain([room.vnum]).any(|vnum| lairs.contains(&vnum))
    };
    let calm = content.rooms.iter().filter(|room| !wild.contains(&room.zone) && !is_near(room));
    calm.filter_map(|room| place(content, room)).filter(|place| !place.ways.is_empty()).collect()
}

/// The place of one room; `None` where nobody should be put.
pub fn place_of(content: &Content, vnum: Vnum) -> Option<Place> {
    let room = content.rooms.iter().find(|room| room.vnum == vnum)?;
    place(content, room).or_else(|| Some(Place { room: vnum, ways: Vec::new() }))
}

fn place(content: &Content, room: &RoomProto) -> Option<Place> {
    if room.flags.any(UNFIT) {
        return None;
    }
    let leads_back = |to: Vnum, way: Direction| {
        let Some(id) = content.room_id(to) else { return false };
        let there = content.room(id);
        let back = there.exits.iter().find(|exit| exit.direction == way.opposite());
        !there.flags.any(UNFIT)
            && back.is_some_and(|exit| exit.to == Some(room.vnum) && !exit.door.has(DoorFlags::DOOR))
    };
    let open = room.exits.iter().filter(|exit| !exit.door.has(DoorFlags::DOOR));
    let ways = open.filter(|exit| exit.to.is_some_and(|to| leads_back(to, exit.direction))).map(|exit| exit.direction);
    Some(Place { room: room.vnum, ways: ways.collect() })
}

/// Mobs that can be fought where they stand, the toughest of the range of levels first.
pub fn opponents(content: &Content, levels: std::ops::RangeInclusive<i32>) -> Vec<Opponent> {
    let mut found: Vec<Opponent> = resets(content)
        .filter(|(mob, _)| levels.contains(&mob.level) && !mob.flags.any(AGGRESSIVE))
        .filter_map(|(mob, room)| {
            let at = content.room(content.room_id(room)?);
            if at.flags.any(UNFIT.with(RoomFlags::PEACEFUL)) {
                return None;
            }
            let points = mob.hit_points;
            let hit = points.count * (points.sides + 1) / 2 + points.bonus;
            let word = mob.keywords.split(' ').next().unwrap_or_default().to_string();
            Some(Opponent { room, level: mob.level, hit, word })
        })
        .collect();
    found.sort_by_key(|opponent| std::cmp::Reverse(opponent.hit));
    found
}

/// So many places drawn by the seed, each at most once while there are enough.
pub fn scattered(mut places: Vec<Place>, count: usize, seed: u64) -> Vec<Place> {
    let mut draws = Draws::new(seed, usize::MAX);
    for last in (1..places.len()).rev() {
        places.swap(last, draws.below(last + 1));
    }
    let most = places.len().max(1);
    (0..count).filter_map(|n| places.get(n % most).cloned()).collect()
}
