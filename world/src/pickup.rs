//! Taking something up, off the floor or out of a container, by `get` or by autoloot; and how much one can carry.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::coins::GOLD_MAX;
use crate::object::Place;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rules::abilities;
use crate::script::{Event, Owner};
use crate::world::World;
use content::ObjectKind;
use content::flags::*;
use content::scripts::Hook;
use protocol::Outcome;

/// Takes one thing from the floor or out of a container; coins become gold.
pub fn take_up(world: &mut World, who: CharacterId, object: ObjectId, container: Option<ObjectId>) -> Done {
    take(world, who, object, container, true)
}

/// The same, unseen.
pub fn palm(world: &mut World, who: CharacterId, object: ObjectId, container: Option<ObjectId>) -> Done {
    take(world, who, object, container, false)
}

fn take(world: &mut World, who: CharacterId, object: ObjectId, container: Option<ObjectId>, seen: bool) -> Done {
    // What came of the one before may have taken it elsewhere.
    if world.room_of(object) != Some(world.who(who).room) {
        return Err("That is out of your reach now.".into());
    }
    may_take(world, who, object)?;
    let room = Owner::Room(world.room_proto(world.who(who).room).vnum);
    let place = world.object(object).place;
    let event = Event { actor: Some(who), object: Some(object), ..Event::new(Hook::OnGet, room) };
    let prevented = world.fire(&event);
    let there = world.get_object(object).is_some_and(|o| o.place == place) && world.character(who).is_some();
    if prevented || !there {
        return Err(Refusal::prevented());
    }
    let from = container.map(|id| world.as_object_ref(id));
    let actor = world.as_who(who);
    let mut scene = Scene::new(who, LineKind::Get).object(object).hidden();
    if let Some(container) = container {
        scene = scene.other(container);
    }
    let source = if container.is_some() { " from $P" } else { "" };
    let to_room = if seen { format!("$n gets $p{source}.") } else { String::new() };
    if let ObjectKind::Money { coins } = world.object(object).kind {
        if coins > GOLD_MAX - world.who(who).gold {
            return Err("You could not carry that much gold.".into());
        }
        let outcome = world.note(Outcome::Got { who: actor, item: None, gold: Some(coins.into()), from });
        // A purse is no coin.
        let unit = if world.object(object).short.ends_with("coins") { "of them" } else { "coins" };
        let count = if coins > 1 { format!(": {coins} {unit}") } else { String::new() };
        // The heap is named before it is gone.
        world.show(&scene.outcome(&outcome), &format!("You get $p{source}{count}."), "", &to_room);
        world.take_coins(who, object);
        return Ok(());
    }
    // What comes out of one's own bag is not found.
    if !world.is_on(object, who) {
        world.record_find(who, object, container);
    }
    world.place_object(object, Place::Carried(who));
    let item = Some(world.as_object_ref(object));
    let outcome = world.note(Outcome::Got { who: actor, item, gold: None, from });
    world.show(&scene.outcome(&outcome), &format!("You get $p{source}."), "", &to_room);
    Ok(())
}

/// Takes a thing out of a container, for autoloot: what cannot be taken stays, without a word. True when it was taken.
pub fn get_from(world: &mut World, who: CharacterId, object: ObjectId, container: ObjectId) -> bool {
    world.get_object(object).is_some() && take_up(world, who, object, Some(container)).is_ok()
}

/// What keeps somebody from taking it.
pub fn may_take(world: &World, who: CharacterId, object: ObjectId) -> Done {
    let o = world.object(object);
    if !o.can_be(WearFlags::TAKE) {
        return Err(format!("{} is not for taking.", capitalised(&o.definite())).into());
    }
    if matches!(o.kind, ObjectKind::Money { .. }) {
        return Ok(());
    }
    if world.hands_full(who) {
        return Err(world.carries_enough(who));
    }
    // What one has in a bag already weighs no more in the hand.
    if !world.is_on(object, who) && world.too_heavy_for(who, world.weight_of(object)) {
        return Err(format!("{} is more than you can carry as well.", capitalised(&o.definite())).into());
    }
    Ok(())
}

fn things(count: i32) -> String {
    if count == 1 { "one thing".into() } else { format!("{count} things") }
}

impl World {
    /// Carries as many things as it can; what is worn does not count. Source: game reference §2.2. Immortals always
    /// have a hand free.
    pub fn hands_full(&self, who: CharacterId) -> bool {
        let c = self.who(who);
        let most = abilities::carry_items(c.now.abilities.dexterity, c.level);
        !c.is_immortal() && c.carrying.len() as i32 >= most
    }

    /// What is said to who has as many things as it can carry. It is the number that counts, and no hand of it.
    pub fn carries_enough(&self, who: CharacterId) -> Refusal {
        let c = self.who(who);
        let most = abilities::carry_items(c.now.abilities.dexterity, c.level);
        format!("You carry {}, and cannot keep hold of more. (What you wear does not count.)", things(most)).into()
    }

    /// That many pounds more would be too much for its strength. Source: game reference §2.2.
    pub fn too_heavy_for(&self, who: CharacterId, pounds: i32) -> bool {
        let c = self.who(who);
        !c.is_immortal() && self.load_of(who) + pounds > abilities::strength(&c.now.abilities).carry
    }
}
