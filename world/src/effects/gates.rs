//! Arts that open a gate, where the moon opens its own. Source: game reference §4.1 ("gate"), but that a second gate is
//! refused and kills nobody.

use super::creation;
use super::working::Working;
use crate::gateways;
use crate::world::World;
use content::arts::Formula;

pub(super) fn hindrance(world: &World, art: &Working) -> Option<String> {
    let room = world.who(art.by).room;
    let why = match () {
        () if gateways::beyond(world).is_none() || world.conjured(gateways::ART).is_none() => {
            "There is no land that could be reached from here."
        }
        () if gateways::standing(world, room).is_some() => {
            "There is a gate here already. Two would tear each other open, and you with them: you let go."
        }
        () if !gateways::is_threshold(world, room) => {
            "The world is too thick here to be opened. It is thinner where the moon opens gates."
        }
        () => return None,
    };
    Some(why.to_string())
}

pub(super) fn open(world: &mut World, art: &Working, hours: &Formula) {
    creation::create(world, art, gateways::ART, hours, true);
}
