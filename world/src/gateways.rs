//! Gates that stand in a room and lead into another with no way between: those of the moon, and those that arts open in
//! the same places. Where the first stand and all lead is in `world.toml`, when the moon opens one in `moon.rs`.
//! Source: game reference §3, §4.1 ("gate"), §6 ("Gates").
//!
//! Whoever follows somebody has to go through by itself, and so has what hunts it (`hunting.rs`).

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::find::answers_to;
use crate::moon;
use crate::object::Place;
use crate::refusal::Done;
use crate::relocation::relocate;
use crate::report::LineKind;
use crate::world::World;
use content::RoomId;

/// What an art brings forth as a gate, by its name.
pub const ART: &str = "art gate";
/// What is read of a gate that is not there any more.
pub const CLOSES: &str = "$p grows thin, and there is only the air that it stood in.";

/// Who opened a gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opener {
    Moon,
    Art,
}

impl Opener {
    /// What is read of going through: by who does, by those it leaves, and by those it comes to.
    const fn voices(self) -> [&'static str; 3] {
        match self {
            Opener::Moon => [
                "You step into $p. It is like walking into cold milk.",
                "$n steps into a gate of moonlight, and is gone.",
                "$n steps out of the moonlight.",
            ],
            Opener::Art => [
                "You step into $p. It is like being breathed in.",
                "$n steps into a gate of red light, and is gone.",
                "$n steps out of the air, and closes it behind $m.",
            ],
        }
    }
}

fn opener(world: &World, thing: ObjectId) -> Option<Opener> {
    let is = |name: &str| world.conjured(name) == Some(world.object(thing).vnum);
    match () {
        () if is(moon::GATE) => Some(Opener::Moon),
        () if is(ART) => Some(Opener::Art),
        () => None,
    }
}

pub fn is_gate(world: &World, thing: ObjectId) -> bool {
    opener(world, thing).is_some()
}

/// A gate that stands in a room, whoever sees it.
pub fn standing(world: &World, room: RoomId) -> Option<ObjectId> {
    world.room(room).objects.iter().copied().find(|thing| is_gate(world, *thing))
}

/// Where gates of arts lead in this world.
pub fn beyond(world: &World) -> Option<RoomId> {
    world.content.art_gate.and_then(|vnum| world.room_by_vnum(vnum))
}

/// Whether the moon opens gates in a room, in one night or another: there an art can, too.
pub fn is_threshold(world: &World, room: RoomId) -> bool {
    let vnum = world.room_proto(room).vnum;
    world.content.gates.iter().any(|gate| gate.room == vnum)
}

/// The room in which a gate stands, and the one to which it leads now.
pub fn leads(world: &World, gate: ObjectId) -> Option<(RoomId, RoomId)> {
    let Place::Room(here) = world.get_object(gate)?.place else { return None };
    let to = match opener(world, gate)? {
        Opener::Moon => moon::gate(world).filter(|(room, _)| *room == here).map(|(_, to)| to),
        Opener::Art => beyond(world),
    };
    to.map(|to| (here, to))
}

/// The gate here that a word means, if somebody sees one.
pub fn meant(world: &World, who: CharacterId, word: &str) -> Option<ObjectId> {
    let here = world.room(world.who(who).room).objects.iter().copied();
    let mut gates = here.filter(|id| is_gate(world, *id) && world.sees_object(who, *id));
    gates.find(|id| answers_to(&world.object(*id).keywords, word))
}

/// Goes through.
pub fn go_through(world: &mut World, who: CharacterId, gate: ObjectId) -> Done {
    let here = world.who(who).room;
    let to = leads(world, gate).filter(|(room, _)| *room == here).map(|(_, to)| to);
    let (Some(to), Some(opener)) = (to, opener(world, gate)) else {
        return Err("There is nothing behind it but what is behind everything.".into());
    };
    world.may_step_through(who, to)?;
    let [passes, leaving, arriving] = opener.voices();
    let scene = Scene::new(who, LineKind::Leave).object(gate);
    world.show(&scene, passes, "", "");
    relocate(world, who, to, [leaving, arriving]);
    world.fire_arrival(who);
    Ok(())
}
