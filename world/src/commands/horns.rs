//! Horns that call hunters: `use <horn>`, by night. What comes, and from where, is in the thing's row. Source: game
//! reference §6 ("Hunters"), but that they come for whoever blew it, and that it sounds by night only, since day would
//! send them away again.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::hunting;
use crate::moon;
use crate::object::Place;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use content::Horn;
use content::flags::{RoomFlags, WearFlags};

/// Ticks that the breath takes.
const LAG: u64 = 2;

/// The horn that a thing is, where it is one.
pub fn horn_of(world: &World, thing: ObjectId) -> Option<Horn> {
    world.content.object(world.object(thing).vnum)?.horn
}

pub fn blow(world: &mut World, who: CharacterId, thing: ObjectId, horn: Horn) -> Done {
    let object = world.object(thing);
    let short = capitalised(&object.short);
    if object.can_be(WearFlags::HOLD) && !matches!(object.place, Place::Worn(..)) {
        return Err(format!("You have to hold {} for that.", object.short).into());
    }
    world.who(who).player().ok_or("It is not for you.")?;
    if world.room_flags(world.who(who).room).has(RoomFlags::PEACEFUL) {
        return Err("The peace of this place lets no such sound out.".into());
    }
    if !hunting::may_be_hunted(world.who(who)) {
        return Err("Nothing comes after you while mobs leave you alone. (toggle nohassle)".into());
    }
    if !moon::is_night(world.state.clock) {
        let why = "What hears it sets out from nine in the evening until dawn, and at no other time.";
        return Err(format!("{short} gives back nothing but your breath. {why}").into());
    }
    if hunting::hunters_of(world, who) > 0 {
        return Err("What hears it is on its way to you already.".into());
    }
    world.lag(who, LAG);
    let scene = Scene::new(who, LineKind::Text).object(thing);
    world.show(
        &scene,
        "You blow $p. The note is too low to be heard, and goes on when you have no breath left.",
        "",
        "$n blows $p. You hear nothing, and feel it in your teeth.",
    );
    let mut came = 0;
    for _ in 0..horn.count {
        came += i32::from(hunting::send(world, horn.lair(), who, None).is_some());
    }
    if came == 0 {
        world.send(who, LineKind::Text, "Nothing answers. What used to hear it has left this world.");
    }
    Ok(())
}
