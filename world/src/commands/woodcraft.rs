//! Arts of those who live outdoors, and of those who look closely: track, scout, scrounge, search, shoot.
//!
//! Source: game reference §4.2. Draws: whether it succeeds (`skill`), which way a tracker errs (`place`), whether the
//! quarry throws it off (`target`), what a shot takes (`damage`).

use super::attempt::{self, known, takes, tell_alone, tried};
use super::learning::{Art, learn_by_use};
use crate::act::{Scene, capitalised};
use crate::affect::Source;
use crate::arena::{CharacterId, ObjectId};
use crate::doors::door_word;
use crate::draws::Draw;
use crate::effects::{Harm, HarmKind, harm};
use crate::find::{Target, Which, first_argument};
use crate::happenings::LettingGo;
use crate::hunting;
use crate::object::Place;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::abilities;
use crate::ways;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{ObjectKind, RoomId};
use protocol::Outcome;
use protocol::outcome::CastResult;

/// A track is read by a die of 0 to this, and rain washes so much of it away.
const TRACK_SIDES: i32 = 101;
const RAIN: i32 = 35;
/// A step of dexterity is worth so many percent to a shot, and to whoever it is meant for.
const SHOT_STEP: i32 = 10;

/// The way that a word means.
fn direction(word: &str) -> Result<Direction, Refusal> {
    Direction::meant(word).ok_or_else(|| "Which way? north, east, south, west, up or down".into())
}

/// Finds the first step towards somebody.
pub fn track(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "track")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whose tracks do you look for?".into());
    }
    let room = world.who(who).room;
    if world.room_flags(room).has(RoomFlags::NO_TRACK) {
        return Err("The ground here keeps no tracks.".into());
    }
    if let Some(here) = world.find_here(who, word) {
        return Err(format!("{} is here.", capitalised(world.name_for(who, here))).into());
    }
    let Some((quarry, way)) = trail(world, who, word) else {
        return Err("You find no tracks of anybody of that name.".into());
    };
    takes(world, who, 1);
    let percent = attempt::percent(world, who, row);
    learn_by_use(world, who, Art::Skill(row));
    let washed = if world.state.weather.is_raining() && world.is_outdoors(room) { RAIN } else { 0 };
    let drawn = world.draw(Stream::Combat, Draw::Skill).range(0, TRACK_SIDES) + washed;
    let evaded = hunting::throws_off(world, quarry);
    let done = drawn <= percent && !evaded;
    tell_alone(world, who, None, row, if done { CastResult::Done } else { CastResult::Failed });
    let way = if done {
        way
    } else {
        let ways: Vec<Direction> =
            Direction::ALL.iter().copied().filter(|way| world.open_way(room, *way).is_some()).collect();
        *world.draw(Stream::Combat, Draw::Place).pick(&ways).unwrap_or(&way)
    };
    // Who errs does not know it.
    world.show(&Scene::new(who, LineKind::Text), "", "", "$n bends down, and looks at the ground.");
    world.send(who, LineKind::Text, format!("You see tracks that lead {way}."));
    Ok(())
}

/// The nearest of those whom a word can mean, by open ways, and the first step there.
fn trail(world: &World, who: CharacterId, word: &str) -> Option<(CharacterId, Direction)> {
    let target = Target::parse(word);
    let Which::Nth(mut left) = target.which else { return None };
    let hidden = RoomFlags::NO_TRACK.with(RoomFlags::GOD_ROOM);
    let step = |room, way| world.open_way(room, way).filter(|to| !world.room_flags(*to).any(hidden));
    ways::nearest(world, world.who(who).room, hunting::ROOMS_MAX, step, |room, way| {
        for id in &world.room(room).characters {
            let c = world.who(*id);
            if c.is(AffectFlags::NO_TRACK) || !world.is_meant(*id, target.word) || !world.knows(who, *id) {
                continue;
            }
            if left <= 1 {
                return Some((*id, way));
            }
            left -= 1;
        }
        None
    })
}

/// Looks over the next piece of ground without going there.
pub fn scout(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "scout")?;
    let way = direction(first_argument(args).0)?;
    let room = world.who(who).room;
    if !world.is_outdoors(room) {
        return Err("There are walls in the way. Outdoors one could see something.".into());
    }
    let Some(next) = world.open_way(room, way) else { return Err("There is nothing that way to look over.".into()) };
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    if !done {
        world.send(who, LineKind::Text, "You shade your eyes, and make nothing out.");
        return Ok(());
    }
    let proto = world.room_proto(next);
    let (name, sector) = (proto.name.clone(), proto.sector.name().replace('_', " "));
    let people = world.room(next).characters.iter().filter(|id| world.sees(who, **id)).count();
    let crowd = match people {
        0 => "nobody is there".to_string(),
        1 => "one is there".to_string(),
        n => format!("{n} are there"),
    };
    let deadly = if proto.flags.has(RoomFlags::DEATH) { " Something about it makes your neck prickle." } else { "" };
    world.send(who, LineKind::Text, format!("{way}: {name} ({sector}); {crowd}.{deadly}"));
    Ok(())
}

/// Finds something to eat, where something grows.
pub fn scrounge(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "scrounge")?;
    let sector = world.room_proto(world.who(who).room).sector;
    let Some(vnum) = world.conjured(&format!("scrounged in {}", sector.name())) else {
        return Err("Nothing that anybody would eat grows here.".into());
    };
    let done = tried(world, who, row, 0);
    takes(world, who, 2);
    let found = if done { world.make_object(vnum) } else { None };
    let Some(object) = found else {
        let scene = Scene::new(who, LineKind::Text);
        world.show(&scene, "You look under every leaf, and find leaves.", "", "$n looks under every leaf.");
        return Ok(());
    };
    let room = world.who(who).room;
    let full = world.hands_full(who) || world.too_heavy_for(who, world.weight_of(object));
    world.place_object(object, if full { Place::Room(room) } else { Place::Carried(who) });
    let scene = Scene::new(who, LineKind::Get).object(object);
    world.show(&scene, "You look about, and find $p.", "", "$n looks about, and finds $p.");
    Ok(())
}

/// Looks for doors that nobody is to see.
pub fn search(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "search")?;
    if !world.sees_room(who) {
        return Err("You cannot see a thing.".into());
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 2);
    let room = world.who(who).room;
    let hidden = DoorFlags::CLOSED.with(DoorFlags::HIDDEN);
    let exits = world.room_proto(room).exits.iter().filter(|exit| world.door(room, exit.direction).has(hidden));
    let found: Vec<(Direction, String)> =
        exits.map(|exit| (exit.direction, door_word(&exit.keywords).to_string())).collect();
    world.show(&Scene::new(who, LineKind::Text), "", "", "$n runs $s fingers over everything.");
    if !done || found.is_empty() {
        world.send(who, LineKind::Text, "You search, and find nothing that you did not know of.");
        return Ok(());
    }
    for (way, word) in found {
        world.reveal_door(room, way);
        world.send(who, LineKind::Text, format!("You find a hidden {word}: {way}."));
    }
    Ok(())
}

/// A bow in hand, and an arrow for it.
fn armed(world: &World, who: CharacterId) -> Result<(ObjectId, ObjectId), Refusal> {
    let c = world.who(who);
    let worn = || c.worn.iter().map(|(_, object)| *object);
    let bow = worn().find(|object| matches!(world.object(*object).kind, ObjectKind::FireWeapon { .. }));
    let Some(bow) = bow else { return Err("You hold nothing that shoots.".into()) };
    let missile = worn()
        .chain(c.carrying.iter().copied())
        .find(|object| matches!(world.object(*object).kind, ObjectKind::Missile { .. }));
    Ok((bow, missile.ok_or("You have nothing left to shoot with.")?))
}

/// Shoots at a mob in the next room, which comes to ask why.
pub fn shoot(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "shoot")?;
    let (word, rest) = first_argument(args);
    let (way_word, _) = first_argument(rest);
    if word.is_empty() || way_word.is_empty() {
        return Err("Shoot at whom, and which way? shoot <target> <direction>".into());
    }
    let way = direction(way_word)?;
    let (bow, missile) = armed(world, who)?;
    let room = world.who(who).room;
    let Some(there) = world.open_way(room, way) else { return Err("Nothing flies through there.".into()) };
    if world.who(who).fighting.is_some() {
        return Err("Whoever fights you is too near for that.".into());
    }
    if [room, there].iter().any(|room| world.room_flags(*room).has(RoomFlags::PEACEFUL)) {
        return Err("The peace of this place stays your hand.".into());
    }
    let target = Target::parse(word);
    if target.which == Which::All {
        return Err("One at a time.".into());
    }
    let Some(victim) = world.find_in(who, there, word) else {
        return Err(format!("You see no {} there.", target.word).into());
    };
    if world.who(victim).is_player() {
        return Err("You do not shoot at people whose faces you cannot see.".into());
    }
    world.may_attack(who, victim, false)?;
    if world.who(victim).fighting.is_some() {
        return Err("There is too much of a throng about it.".into());
    }
    world.dares(who, victim)?;
    takes(world, who, 2);
    let percent = attempt::percent(world, who, row);
    learn_by_use(world, who, Art::Skill(row));
    let (aim, dodge) = (world.who(who).now.abilities.dexterity, world.who(victim).now.abilities.dexterity);
    let ease = SHOT_STEP * (abilities::dexterity_missile(aim) - abilities::dexterity_reaction(dodge));
    let done = world.draw(Stream::Combat, Draw::Skill).range(1, attempt::SIDES) < percent.saturating_add(ease);
    let scene = Scene::new(who, LineKind::Combat).object(missile).text(way.name());
    world.show(&scene, "You let $p fly: $t.", "", "$n lets $p fly: $t.");
    let mut amount = world.who(who).now.damage_roll;
    for object in [bow, missile] {
        if let ObjectKind::FireWeapon { dice, sides } | ObjectKind::Missile { dice, sides } = world.object(object).kind
        {
            amount = amount.saturating_add(world.draw(Stream::Combat, Draw::Damage).roll(dice, sides));
        }
    }
    if done {
        world.record_letting_go(who, missile, LettingGo::UseUp);
        world.extract_object(missile);
    } else {
        world.place_object(missile, Place::Room(there));
    }
    come_running(world, victim, room, way.opposite());
    let result = if done { CastResult::Done } else { CastResult::Failed };
    attempt::tell_result(world, who, victim, row, result);
    if done {
        let (kind, source) = (HarmKind::Art { saved: false }, Source::Skill(row.name.clone()));
        harm::harm(world, Harm { victim, by: Some(who), amount: amount.max(1), kind, source });
    } else {
        world.provoke(who, victim);
    }
    Ok(())
}

/// Whoever was shot at comes to where the shot came from.
fn come_running(world: &mut World, victim: CharacterId, room: RoomId, way: Direction) {
    if world.who(victim).position > Position::Stunned {
        world.who_mut(victim).position = Position::Standing;
    }
    let outcome = world.note(Outcome::Left { who: world.as_who(victim), to: Some(way.name().into()) });
    let scene = Scene::new(victim, LineKind::Leave).text(way.name()).outcome(&outcome).hidden();
    world.show(&scene, "", "", "$n looks up, and is off: $t.");
    world.move_character(victim, room);
    let from = way.opposite();
    let outcome = world.note(Outcome::Entered { who: world.as_who(victim), from: Some(from.name().into()) });
    let scene = Scene::new(victim, LineKind::Enter).text(from.from_where()).outcome(&outcome).hidden();
    world.show(&scene, "", "", "$n comes running from $t.");
}
