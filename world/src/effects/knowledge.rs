//! Arts that tell their caster something: of a place, a thing, a poison.

use super::working::{Aim, Working};
use crate::act::capitalised;
use crate::arena::{CharacterId, ObjectId};
use crate::draws::Draw;
use crate::find::answers_to;
use crate::object::Place;
use crate::page::Page;
use crate::report::{LineKind, Style};
use crate::room_view::{self, Detail};
use crate::world::World;
use content::ObjectKind;
use content::arts::Formula;
use content::flags::{AffectFlags, ObjectFlags, RoomFlags};
use protocol::places;
use std::sync::Arc;

/// Things that one spell tells of at most, whatever its formula says.
const LOCATED_MAX: usize = 50;

/// The caster sees the room that somebody is in, as that one sees it.
pub(super) fn look_into(world: &mut World, art: &Working, who: CharacterId) {
    let page = room_view::room_page(world, who, Detail::Full);
    world.send_line(art.by, Arc::new(page.into_line()));
}

pub(super) fn detect(world: &mut World, art: &Working, aim: Aim) {
    let text = match aim {
        Aim::Character(who) => {
            let poisoned = world.who(who).is(AffectFlags::POISON);
            let (name, has) = match who == art.by {
                true => ("You".to_string(), "have"),
                false => (capitalised(world.name_for(art.by, who)), "has"),
            };
            let what = if poisoned { "poison in the blood" } else { "clean blood" };
            format!("{name} {has} {what}.")
        }
        Aim::Object(object) => {
            let o = world.object(object);
            let name = capitalised(&o.short);
            match o.kind {
                ObjectKind::Food { poisoned, .. }
                | ObjectKind::DrinkContainer { poisoned, .. }
                | ObjectKind::Fountain { poisoned, .. } => match poisoned {
                    true => format!("{name} is poisoned."),
                    false => format!("{name} will harm nobody."),
                },
                _ => format!("{name} is nothing that anybody would eat or drink."),
            }
        }
        Aim::Nothing => return,
    };
    world.send(art.by, LineKind::Text, text);
}

/// Everything about a thing; of somebody, what can be told from close by. A mob does not like to be looked through.
pub(super) fn identify(world: &mut World, art: &Working, aim: Aim) {
    match aim {
        Aim::Object(object) => {
            let page = object_page(world, object);
            world.send_line(art.by, Arc::new(page.into_line()));
        }
        Aim::Character(who) => {
            let page = character_page(world, who);
            world.send_line(art.by, Arc::new(page.into_line()));
            let c = world.who(who);
            let peace = world.room_flags(c.room).has(RoomFlags::PEACEFUL);
            if c.is_mob() && !peace && !world.is_untouchable(who) {
                world.provoke(who, art.by);
            }
        }
        Aim::Nothing => {}
    }
}

/// All that there is to know of a thing.
pub(crate) fn object_page(world: &World, object: ObjectId) -> Page {
    let o = world.object(object);
    let mut page = Page::new();
    page.line(Style::Heading, capitalised(&o.short));
    let kind = capitalised(o.kind.item_type().name());
    page.say(format!("{kind}. Weight {}, worth {} coins.", o.weight, o.cost));
    if o.level > 0 {
        page.say(format!("For those of level {} and above.", o.level));
    }
    let names: Vec<String> = o.flags.names().map(|name| name.replace('_', " ")).collect();
    if !names.is_empty() {
        page.say(format!("It is {}.", names.join(", ")));
    }
    let spell = |number: i32| world.rules.spell_numbered(number).map(|row| row.name.to_string());
    match o.kind {
        ObjectKind::Weapon { dice, sides, .. } => {
            page.say(format!("It strikes for {dice}d{sides}."));
        }
        ObjectKind::Armor { armor } => {
            page.say(format!("It adds {armor} to your armour, and more on body, head and legs."));
        }
        ObjectKind::Scroll { level, spells } | ObjectKind::Potion { level, spells } => {
            let names: Vec<String> = spells.into_iter().filter_map(spell).collect();
            page.say(format!("It holds {}, at level {level}.", names.join(", ")));
        }
        ObjectKind::Wand { level, charges, charges_max, spell: number }
        | ObjectKind::Staff { level, charges, charges_max, spell: number } => {
            let name = spell(number).unwrap_or_else(|| "nothing".to_string());
            page.say(format!("It holds {name}, at level {level}, with {charges} of {charges_max} charges."));
        }
        _ => {}
    }
    for apply in &o.applies {
        page.say(format!("It changes {} by {:+}.", apply.to.name().replace('_', " "), apply.by));
    }
    page
}

fn character_page(world: &World, who: CharacterId) -> Page {
    let c = world.who(who);
    let mut page = Page::new();
    page.line(Style::Heading, capitalised(c.shown()));
    page.say(format!("Level {}, {} of {} hit points, {} mana.", c.level, c.hit, c.now.hit_max, c.mana));
    let a = &c.now.abilities;
    page.say(format!(
        "Strength {}, intelligence {}, wisdom {}, dexterity {}, constitution {}, charisma {}.",
        a.strength, a.intelligence, a.wisdom, a.dexterity, a.constitution, a.charisma
    ));
    page.say(format!("Armour {}, hit {:+}, damage {:+}.", c.now.armor, c.now.hit_roll, c.now.damage_roll));
    page
}

/// Where things of a name are, the oldest first.
pub(super) fn locate(world: &mut World, art: &Working, most: &Formula) {
    let most = art.value(world, most, Aim::Nothing, Draw::Amount).clamp(0, LOCATED_MAX as i32) as usize;
    let mut page = Page::new();
    let things = world
        .state
        .objects
        .iter()
        .filter(|(_, object)| answers_to(&object.keywords, art.word) && !object.flags.any(ObjectFlags::NO_LOCATE));
    let found: Vec<ObjectId> =
        things.map(|(id, _)| id).filter(|id| world.object(*id).place != Place::Nowhere).take(most).collect();
    for object in &found {
        page.say(format!("{} is {}.", capitalised(&world.object(*object).short), whereabouts(world, art.by, *object)));
    }
    if found.is_empty() {
        page.say("You feel nothing of that name anywhere.");
    }
    world.send_line(art.by, Arc::new(page.into_line()));
}

/// "at the Square", "carried by a guard".
fn whereabouts(world: &World, by: CharacterId, object: ObjectId) -> String {
    match world.object(object).place {
        Place::Room(room) => places::at(&world.room_proto(room).name),
        Place::Carried(holder) => format!("carried by {}", world.name_for(by, holder)),
        Place::Worn(holder, _) => format!("worn by {}", world.name_for(by, holder)),
        Place::Inside(container) => format!("in {}", world.object(container).short),
        Place::Nowhere => "nowhere".to_string(),
    }
}
