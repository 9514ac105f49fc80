//! Out of one room and into another without a step between: by an art, a jailer, a dream, an immortal's word.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::report::LineKind;
use crate::room_view::{self, Detail};
use crate::world::World;
use content::RoomId;
use protocol::Outcome;

/// Takes somebody out of its fights and into a room, which it is shown. `leaving` and `arriving` are what those read
/// who see it go and come; with an empty text only programs are told. What it reads itself is the caller's.
pub fn relocate(world: &mut World, who: CharacterId, to: RoomId, [leaving, arriving]: [&str; 2]) {
    world.stop_fights_of(who);
    let outcome = world.note(Outcome::Left { who: world.as_who(who), to: None });
    tell(world, Scene::new(who, LineKind::Leave).outcome(&outcome), leaving);
    world.move_character(who, to);
    let outcome = world.note(Outcome::Entered { who: world.as_who(who), from: None });
    tell(world, Scene::new(who, LineKind::Enter).outcome(&outcome), arriving);
    room_view::show_room(world, who, Detail::Full);
}

fn tell(world: &mut World, scene: Scene, text: &str) {
    match text {
        "" => world.witness(&scene),
        text => world.show(&scene.hidden(), "", "", text),
    }
}
