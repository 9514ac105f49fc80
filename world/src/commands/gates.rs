//! The gates of the moon: `enter gate`. Where one stands, and where it leads, is in `world.toml`; when, in `moon.rs`.
//! Source: game reference §3, §6 ("Gates").

use crate::act::Scene;
use crate::arena::{CharacterId, ObjectId};
use crate::find::answers_to;
use crate::moon;
use crate::refusal::Done;
use crate::relocation::relocate;
use crate::report::LineKind;
use crate::world::World;

/// The gate here that a word means, if somebody sees one.
pub fn meant(world: &World, who: CharacterId, word: &str) -> Option<ObjectId> {
    let vnum = world.conjured(moon::GATE)?;
    let here = world.room(world.who(who).room).objects.iter().copied();
    let mut gates = here.filter(|id| world.object(*id).vnum == vnum && world.sees_object(who, *id));
    gates.find(|id| answers_to(&world.object(*id).keywords, word))
}

/// Goes through. Whoever follows has to do so by itself.
pub fn go_through(world: &mut World, who: CharacterId, gate: ObjectId) -> Done {
    let here = world.who(who).room;
    let leads = moon::gate(world).filter(|(room, _)| *room == here);
    let (_, to) = leads.ok_or("There is nothing behind it but what is behind everything.")?;
    world.may_step_through(who, to)?;
    let scene = Scene::new(who, LineKind::Leave).object(gate);
    world.show(&scene, "You step into $p. It is like walking into cold milk.", "", "");
    relocate(world, who, to, ["$n steps into a gate of moonlight, and is gone.", "$n steps out of the moonlight."]);
    world.fire_arrival(who);
    Ok(())
}
