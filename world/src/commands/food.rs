//! Food and drink: eat, taste, drink, sip, fill, pour.
//!
//! Fountains never run dry. A drink is one swallow; a container weighs what it weighs empty, and a pound for each
//! swallow in it. Players alone have stomachs: mobs eat and drink without any consequence but poison.

use crate::act::{Scene, capitalised};
use crate::affect::{Affect, Source};
use crate::arena::{CharacterId, ObjectId};
use crate::commands::selection::not_carried;
use crate::draws::Draw;
use crate::effects::nourishment::{DRUNK, FULL, stomach};
use crate::effects::{self, Cause, Effect, Nourishment, SetAffect, Stacking};
use crate::find::{answers_to, first_argument};
use crate::happenings::LettingGo;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{ObjectKind, Vnum};
use protocol::Outcome;

/// Hours of poison for each hour of food, for a swallow, and for a mere taste.
const POISON_PER_HOUR: i32 = 2;
const POISON_SWALLOW: i32 = 3;
const POISON_TASTE: i32 = 1;

/// Poison goes down, out of a thing of that prototype.
fn poison(world: &mut World, who: CharacterId, hours: i32, out_of: Vnum) {
    if world.who(who).is_immortal() {
        return;
    }
    let affect = Affect { kind: "poison".into(), hours, flags: AffectFlags::POISON, ..Affect::default() };
    let effect = Effect::Affect(SetAffect { affect, stacking: Stacking::Longer });
    effects::work(world, who, effect, Cause::of(Source::Object(out_of)));
    let scene = Scene::new(who, LineKind::Text).hidden();
    world.show(&scene, "It burns on its way down. You have been poisoned.", "", "$n chokes, and turns a bad colour.");
}

/// Adds to the conditions of a player, out of a thing of that prototype.
fn take_in(world: &mut World, who: CharacterId, nourishment: Nourishment, out_of: Vnum) {
    effects::work(world, who, Effect::Nourish(nourishment), Cause::of(Source::Object(out_of)));
}

/// A line about something that is eaten or drunk, with its outcome.
fn show_consumed(world: &mut World, who: CharacterId, object: ObjectId, text: &str, to_actor: &str, to_room: &str) {
    let outcome = world.note(Outcome::Consumed { who: world.as_who(who), item: world.as_object_ref(object) });
    let scene = Scene::new(who, LineKind::Text).object(object).text(text).hidden().outcome(&outcome);
    world.show(&scene, to_actor, "", to_room);
}

/// Something carried, by name.
fn carried_one(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<ObjectId, Refusal> {
    if word.is_empty() {
        return Err(format!("What do you want to {verb}?").into());
    }
    world.find_carried(who, word).ok_or_else(|| not_carried(world, who, word))
}

pub fn eat(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let food = carried_one(world, who, word, "eat")?;
    let object = world.object(food);
    let ObjectKind::Food { hours, poisoned } = object.kind else {
        return Err(match object.kind {
            ObjectKind::DrinkContainer { .. } => {
                format!("You would do better to drink from {}.", object.definite()).into()
            }
            _ => format!("{} is not food, whatever hunger says.", capitalised(&object.definite())).into(),
        });
    };
    if stomach(world, who).is_some_and(|s| s.full > FULL) {
        return Err("You could not eat another bite.".into());
    }
    let out_of = object.vnum;
    show_consumed(world, who, food, "", "You eat $p.", "$n eats $p.");
    world.record_letting_go(who, food, LettingGo::UseUp);
    world.extract_object(food);
    take_in(world, who, Nourishment { full: hours, ..Nourishment::default() }, out_of);
    if poisoned {
        poison(world, who, (hours * POISON_PER_HOUR).max(POISON_TASTE), out_of);
    }
    Ok(())
}

pub fn taste(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let food = carried_one(world, who, word, "taste")?;
    let object = world.object(food);
    let (hours, poisoned) = match object.kind {
        ObjectKind::Food { hours, poisoned } => (hours, poisoned),
        ObjectKind::DrinkContainer { .. } => return sip(world, who, args),
        _ => return Err(format!("You would rather not put {} into your mouth.", object.definite()).into()),
    };
    if stomach(world, who).is_some_and(|s| s.full > FULL) {
        return Err("You could not eat another bite.".into());
    }
    let out_of = object.vnum;
    show_consumed(world, who, food, "", "You nibble at $d.", "$n nibbles at $p.");
    if hours <= 1 {
        world.send(who, LineKind::Text, "That was all there was.");
        world.record_letting_go(who, food, LettingGo::UseUp);
        world.extract_object(food);
    } else {
        world.object_mut(food).kind = ObjectKind::Food { hours: hours - 1, poisoned };
    }
    take_in(world, who, Nourishment { full: 1, ..Nourishment::default() }, out_of);
    if poisoned {
        poison(world, who, POISON_TASTE, out_of);
    }
    Ok(())
}

/// What is in a cup or a fountain.
#[derive(Clone, Copy)]
struct Vessel {
    object: ObjectId,
    capacity: i32,
    contents: i32,
    liquid: Liquid,
    poisoned: bool,
    fountain: bool,
}

fn vessel(world: &World, object: ObjectId) -> Option<Vessel> {
    match world.object(object).kind {
        ObjectKind::DrinkContainer { capacity, contents, liquid, poisoned } => {
            Some(Vessel { object, capacity, contents, liquid, poisoned, fountain: false })
        }
        ObjectKind::Fountain { capacity, contents, liquid, poisoned } => {
            Some(Vessel { object, capacity, contents, liquid, poisoned, fountain: true })
        }
        _ => None,
    }
}

/// The first fountain in the room that `who` sees.
fn fountain_here(world: &World, who: CharacterId) -> Option<Vessel> {
    let list = &world.room(world.who(who).room).objects;
    let fountains = list.iter().filter(|id| world.sees_object(who, **id)).filter_map(|id| vessel(world, *id));
    fountains.into_iter().find(|v| v.fountain)
}

/// What `who` means to drink from: by the name of the thing, or by that of what is in it ("drink water"); without a
/// word the fountain of the room.
fn find_vessel(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<Vessel, Refusal> {
    if word.is_empty() {
        return fountain_here(world, who).ok_or_else(|| format!("What do you want to {verb} from?").into());
    }
    let named = world.find_near(who, word);
    let cup = named.and_then(|object| vessel(world, object));
    // An empty waterskin is not meant by "water" beside a fountain.
    if let Some(vessel) = cup.filter(|v| v.contents > 0) {
        return Ok(vessel);
    }
    let character = world.who(who);
    let mut near = character.carrying.iter().chain(&world.room(character.room).objects);
    let by_liquid = near.find_map(|id| {
        let vessel = vessel(world, *id)?;
        let answers = vessel.contents > 0 && answers_to(vessel.liquid.name(), word);
        (answers && world.sees_object(who, *id)).then_some(vessel)
    });
    match (by_liquid.or(cup), named) {
        (Some(vessel), _) => Ok(vessel),
        (None, Some(other)) => Err(format!("You cannot drink from {}.", world.object(other).definite()).into()),
        (None, None) => Err(format!("You see no {word} here to {verb} from.").into()),
    }
}

/// A fountain is drunk from where it stands, a cup from the hand.
fn within_reach(world: &World, who: CharacterId, vessel: &Vessel) -> Done {
    let object = world.object(vessel.object);
    if !vessel.fountain && matches!(object.place, crate::object::Place::Room(_)) {
        return Err(format!("You have to pick {} up first.", object.definite()).into());
    }
    if vessel.contents <= 0 {
        return Err(format!("{} is empty.", capitalised(&object.definite())).into());
    }
    debug_assert!(world.room_of(vessel.object) == Some(world.who(who).room));
    Ok(())
}

pub fn drink(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let vessel = find_vessel(world, who, word, "drink")?;
    within_reach(world, who, &vessel)?;
    if let Some(stomach) = stomach(world, who) {
        if stomach.drunk > FULL && vessel.liquid.effect().0 > 0 {
            return Err("You have had so much that you cannot find your own mouth.".into());
        }
        if stomach.full > FULL && stomach.thirst > FULL {
            return Err("There is no room in you for another drop.".into());
        }
        if stomach.drunk > DRUNK && world.draw(Stream::Command, Draw::Skill).one_in(4) {
            let scene = Scene::new(who, LineKind::Text).object(vessel.object).hidden();
            world.show(
                &scene,
                "You aim for $d and meet your chin.",
                "",
                "$n tries to drink from $p, and wets $s chin.",
            );
            return Ok(());
        }
    }
    let liquid = vessel.liquid;
    let (actor, room) = ("You drink $t from $d.", "$n drinks $t from $p.");
    show_consumed(world, who, vessel.object, liquid.name(), actor, room);
    if !vessel.fountain {
        set_contents(world, &vessel, vessel.contents - 1, liquid, vessel.poisoned);
    }
    let (drunk, full, thirst) = liquid.effect();
    let out_of = world.object(vessel.object).vnum;
    take_in(world, who, Nourishment { drunk, full, thirst }, out_of);
    if vessel.poisoned {
        poison(world, who, POISON_SWALLOW, out_of);
    }
    Ok(())
}

pub fn sip(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let vessel = find_vessel(world, who, word, "sip")?;
    within_reach(world, who, &vessel)?;
    let actor = "You wet your lips at $d: it tastes of $t.";
    show_consumed(world, who, vessel.object, vessel.liquid.name(), actor, "$n sips from $p.");
    if vessel.poisoned {
        poison(world, who, POISON_TASTE, world.object(vessel.object).vnum);
    }
    Ok(())
}

/// Changes what is in a drink container, and its weight with that.
fn set_contents(world: &mut World, vessel: &Vessel, contents: i32, liquid: Liquid, poisoned: bool) {
    let object = world.object(vessel.object);
    // The weight of the empty vessel, from its prototype, so that no rounding adds up; else from what it weighs now.
    let (weight, filled) = match world.content.object(object.vnum) {
        Some(proto) => match proto.kind {
            ObjectKind::DrinkContainer { contents, .. } => (proto.weight, contents),
            _ => (object.weight, vessel.contents),
        },
        None => (object.weight, vessel.contents),
    };
    let object = world.object_mut(vessel.object);
    object.weight = (weight - filled + contents).max(1);
    // What is empty has nothing in it that could spoil the next drink.
    let poisoned = poisoned && contents > 0;
    object.kind = ObjectKind::DrinkContainer { capacity: vessel.capacity, contents, liquid, poisoned };
}

/// Where something can be filled into: carried or at hand, no fountain, not full, and with nothing else in it.
fn may_fill(world: &World, into: &Vessel, liquid: Liquid) -> Done {
    let short = &world.object(into.object).definite();
    if into.fountain {
        return Err(format!("{} needs nobody to fill it.", capitalised(short)).into());
    }
    if into.contents > 0 && into.liquid != liquid {
        return Err(format!("There is {} in {short}. Pour it out first.", into.liquid).into());
    }
    if into.contents >= into.capacity {
        return Err(format!("{} is full.", capitalised(short)).into());
    }
    Ok(())
}

pub fn fill(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_argument(args);
    let (source, _) = first_argument(rest);
    let object = carried_one(world, who, word, "fill")?;
    let Some(into) = vessel(world, object) else {
        return Err(format!("{} would not hold a drink.", capitalised(&world.object(object).definite())).into());
    };
    let from = if source.is_empty() {
        fountain_here(world, who).ok_or(Refusal::new("There is nothing here to fill it from."))?
    } else {
        let found =
            world.find_on_floor(who, source).ok_or_else(|| Refusal::from(format!("You see no {source} here.")))?;
        let short = world.object(found).definite();
        vessel(world, found)
            .filter(|v| v.fountain)
            .ok_or_else(|| Refusal::from(format!("Nothing can be filled from {short}.")))?
    };
    if from.contents <= 0 {
        return Err(format!("{} is dry.", capitalised(&world.object(from.object).definite())).into());
    }
    may_fill(world, &into, from.liquid)?;
    let extra = into.capacity - into.contents;
    if world.too_heavy_for(who, extra) {
        return Err(format!("You could not carry {} full.", world.object(object).definite()).into());
    }
    set_contents(world, &into, into.capacity, from.liquid, into.poisoned || from.poisoned);
    let scene = Scene::new(who, LineKind::Text).object(object).other(from.object).text(from.liquid.name()).hidden();
    world.show(&scene, "You fill $d with $t from $D.", "", "$n fills $p from $P.");
    Ok(())
}

pub fn pour(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_argument(args);
    let (target, _) = first_argument(rest);
    let object = carried_one(world, who, word, "pour")?;
    let Some(from) = vessel(world, object) else {
        return Err(format!("There is nothing to pour in {}.", world.object(object).definite()).into());
    };
    if from.contents <= 0 {
        return Err(format!("{} is empty.", capitalised(&world.object(object).definite())).into());
    }
    if target.is_empty() {
        return Err("Into what? To empty it on the ground, pour it out.".into());
    }
    if target.eq_ignore_ascii_case("out") {
        set_contents(world, &from, 0, from.liquid, false);
        let scene = Scene::new(who, LineKind::Text).object(object).text(from.liquid.name()).hidden();
        world.show(&scene, "You pour the $t out of $d.", "", "$n empties $p.");
        return Ok(());
    }
    let Some(other) = world.find_near(who, target) else {
        return Err(format!("You see no {target} here.").into());
    };
    if other == object {
        return Err("It is in there already.".into());
    }
    let Some(into) = vessel(world, other) else {
        return Err(format!("{} would not hold a drink.", capitalised(&world.object(other).definite())).into());
    };
    may_fill(world, &into, from.liquid)?;
    let swallows = from.contents.min(into.capacity - into.contents);
    set_contents(world, &into, into.contents + swallows, from.liquid, into.poisoned || from.poisoned);
    set_contents(world, &from, from.contents - swallows, from.liquid, from.poisoned);
    let scene = Scene::new(who, LineKind::Text).object(object).other(other).text(from.liquid.name()).hidden();
    world.show(&scene, "You pour $t from $d into $D.", "", "$n pours something from $p into $P.");
    Ok(())
}
