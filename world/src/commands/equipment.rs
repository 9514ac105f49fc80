//! Wearing, wielding, holding and taking off; and the lists of what one carries and wears.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::character::Character;
use crate::commands::look::slot_label;
use crate::commands::selection::{Wanted, carried, each};
use crate::find::first_argument;
use crate::hyperlink::Hyperlink;
use crate::object::{Object, Place};
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::room_view::object_marks;
use crate::rules::abilities;
use crate::task::Deed;
use crate::world::World;
use content::ObjectKind;
use content::flags::*;
use content::words::*;
use protocol::Outcome;

/// Where a thing can be put on: the flag that allows it, the word that asks for it, the places in order, and what is
/// read. Of several places that a thing fits, the first of this list that is free is taken.
struct Fit {
    flag: WearFlags,
    word: &'static str,
    slots: &'static [WearSlot],
    actor: &'static str,
    room: &'static str,
}

const FITS: &[Fit] = &[
    fit(WearFlags::BODY, "body", &[WearSlot::Body], "You put on $p.", "$n puts on $p."),
    fit(WearFlags::HEAD, "head", &[WearSlot::Head], "You put $p on your head.", "$n puts $p on $s head."),
    fit(WearFlags::LEGS, "legs", &[WearSlot::Legs], "You pull $p over your legs.", "$n pulls $p over $s legs."),
    fit(WearFlags::FEET, "feet", &[WearSlot::Feet], "You put $p on your feet.", "$n puts $p on $s feet."),
    fit(WearFlags::HANDS, "hands", &[WearSlot::Hands], "You pull $p over your hands.", "$n pulls $p over $s hands."),
    fit(WearFlags::ARMS, "arms", &[WearSlot::Arms], "You pull $p over your arms.", "$n pulls $p over $s arms."),
    fit(WearFlags::SHIELD, "shield", &[WearSlot::Shield], "You strap $p to your arm.", "$n straps $p to $s arm."),
    fit(
        WearFlags::ABOUT,
        "about",
        &[WearSlot::About],
        "You lay $p about your shoulders.",
        "$n lays $p about $s shoulders.",
    ),
    fit(
        WearFlags::WAIST,
        "waist",
        &[WearSlot::Waist],
        "You buckle $p round your waist.",
        "$n buckles $p round $s waist.",
    ),
    fit(
        WearFlags::NECK,
        "neck",
        &[WearSlot::NeckOne, WearSlot::NeckTwo],
        "You hang $p round your neck.",
        "$n hangs $p round $s neck.",
    ),
    fit(
        WearFlags::WRIST,
        "wrist",
        &[WearSlot::WristRight, WearSlot::WristLeft],
        "You fasten $p round your wrist.",
        "$n fastens $p round $s wrist.",
    ),
    fit(
        WearFlags::FINGER,
        "finger",
        &[WearSlot::FingerRight, WearSlot::FingerLeft],
        "You slide $p onto your finger.",
        "$n slides $p onto $s finger.",
    ),
    fit(WearFlags::FACE, "face", &[WearSlot::Face], "You put $p over your face.", "$n puts $p over $s face."),
    fit(
        WearFlags::ABOUT_LEGS,
        "skirt",
        &[WearSlot::AboutLegs],
        "You wrap $p about your legs.",
        "$n wraps $p about $s legs.",
    ),
    fit(
        WearFlags::HOVER,
        "hover",
        &[WearSlot::Hover],
        "You let go of $p, and it stays in the air beside you.",
        "$n lets go of $p, and it stays in the air beside $m.",
    ),
    fit(
        WearFlags::THROW,
        "throw",
        &[WearSlot::Throw],
        "You put $p where you can reach it to throw.",
        "$n puts $p where $e can reach it to throw.",
    ),
];

const fn fit(
    flag: WearFlags,
    word: &'static str,
    slots: &'static [WearSlot],
    actor: &'static str,
    room: &'static str,
) -> Fit {
    Fit { flag, word, slots, actor, room }
}

/// Whom a thing turns away: its flag, and the class.
const ANTI_CLASS: [(ObjectFlags, Class); 12] = [
    (ObjectFlags::ANTI_MAGIC_USER, Class::MagicUser),
    (ObjectFlags::ANTI_CLERIC, Class::Cleric),
    (ObjectFlags::ANTI_THIEF, Class::Thief),
    (ObjectFlags::ANTI_WARRIOR, Class::Warrior),
    (ObjectFlags::ANTI_MAGUS, Class::Magus),
    (ObjectFlags::ANTI_AVATAR, Class::Avatar),
    (ObjectFlags::ANTI_ASSASSIN, Class::Assassin),
    (ObjectFlags::ANTI_PALADIN, Class::Paladin),
    (ObjectFlags::ANTI_NINJA, Class::Ninja),
    (ObjectFlags::ANTI_PSIONIC, Class::Psionic),
    (ObjectFlags::ANTI_RANGER, Class::Ranger),
    (ObjectFlags::ANTI_MYSTIC, Class::Mystic),
];

pub fn wear(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (what, rest) = Wanted::parse(args);
    let (place, _) = first_argument(rest);
    if what.is_empty() {
        return Err("What do you want to wear?".into());
    }
    let mut found = carried(world, who, what)?;
    if what.is_all() {
        if !place.is_empty() {
            return Err("All of it will not fit there.".into());
        }
        // Of alike things as many are put on as there is room for; the rest is not worth a word each.
        found.retain(|id| FITS.iter().any(|fit| world.object(*id).can_be(fit.flag)));
        if found.is_empty() {
            return Err("You carry nothing that you could wear.".into());
        }
        let mut done = false;
        let mut last = Refusal::new("There is no free place left on you for any of it.");
        for object in found {
            if free_fit(world, who, object, "").is_some() {
                match put_on(world, who, object, "") {
                    Ok(()) => done = true,
                    Err(refusal) => last = refusal,
                }
            }
        }
        return if done { Ok(()) } else { Err(last) };
    }
    put_on(world, who, found[0], place)
}

/// The first place, in the order of `FITS`, where the thing fits and nothing is worn yet.
fn free_fit(world: &World, who: CharacterId, object: ObjectId, word: &str) -> Option<(&'static Fit, WearSlot)> {
    let object = world.object(object);
    FITS.iter()
        .filter(|fit| object.can_be(fit.flag) && fit.word.starts_with(word))
        .find_map(|fit| Some((fit, world.free_slot(who, fit.slots)?)))
}

/// Puts something on; `place` is a word such as "finger", or empty.
fn put_on(world: &mut World, who: CharacterId, object: ObjectId, place: &str) -> Done {
    let o = world.object(object);
    let word = place.to_ascii_lowercase();
    if !word.is_empty() && !FITS.iter().any(|fit| fit.word.starts_with(&word)) {
        let words: Vec<&str> = FITS.iter().map(|fit| fit.word).collect();
        return Err(format!("There is no such place to wear anything; choose from: {}.", words.join(", ")).into());
    }
    let Some(fit) = FITS.iter().find(|fit| o.can_be(fit.flag) && fit.word.starts_with(&word)) else {
        // What belongs in the hand is taken in hand.
        if word.is_empty() && o.can_be(WearFlags::WIELD) {
            return take_in_hand(world, who, object, WearSlot::Wield);
        }
        if word.is_empty() && is_holdable(o) {
            return hold_one(world, who, object);
        }
        return Err(if word.is_empty() {
            format!("{} is nothing to wear.", capitalised(&o.definite())).into()
        } else {
            format!("{} cannot be worn there.", capitalised(&o.definite())).into()
        });
    };
    let Some((fit, slot)) = free_fit(world, who, object, &word) else {
        let worn = fit.slots.iter().filter_map(|slot| world.who(who).wears(*slot)).next_back();
        let worn = worn.map_or("something", |id| world.object_name_for(who, id));
        return Err(format!("You already wear {worn} there.").into());
    };
    if slot == WearSlot::Shield {
        if matches!(world.who(who).class, Class::Thief | Class::Assassin | Class::Ninja) && world.who(who).is_player() {
            return Err("A shield would only slow you down; your trade does without.".into());
        }
        both_hands_free(world, who)?;
    }
    let Some(()) = may_use(world, who, object)? else { return Ok(()) };
    settle(world, who, object, slot, fit.actor, fit.room);
    Ok(())
}

/// Moves the thing to its place and tells it.
fn settle(world: &mut World, who: CharacterId, object: ObjectId, slot: WearSlot, to_actor: &str, to_room: &str) {
    world.place_object(object, Place::Worn(who, slot));
    let (actor, item) = (world.as_who(who), world.as_object_ref(object));
    let outcome = world.note(match slot {
        WearSlot::Wield => Outcome::Wielded { who: actor, item },
        slot => Outcome::Worn { who: actor, item, slot: slot.name().into() },
    });
    let scene = Scene::new(who, LineKind::Equipment).object(object).hidden().outcome(&outcome);
    world.show(&scene, to_actor, "", to_room);
    light_changed(world, who, object);
}

/// A lit thing that is put on or off may change what the whole room sees.
fn light_changed(world: &mut World, who: CharacterId, object: ObjectId) {
    if world.object(object).is_light() {
        let room = world.who(who).room;
        world.state.rooms.touch(room);
    }
}

/// Level, class and alignment. `None`: the thing itself threw the wearer off, and that was told. Mobs use anything.
fn may_use(world: &mut World, who: CharacterId, object: ObjectId) -> Result<Option<()>, Refusal> {
    let (character, o) = (world.who(who), world.object(object));
    if character.is_mob() || character.is_immortal() {
        return Ok(Some(()));
    }
    if o.level > character.level {
        return Err(format!("You will be ready for {} at level {}.", o.definite(), o.level).into());
    }
    if is_averse(o, character) {
        let scene = Scene::new(who, LineKind::Equipment).object(object).hidden();
        world.show(
            &scene,
            "$p burns in your hands like ice, and you have to put it away.",
            "",
            "$n flinches, and puts $p away in a hurry.",
        );
        return Ok(None);
    }
    Ok(Some(()))
}

fn is_averse(object: &Object, character: &Character) -> bool {
    let heart = if character.is_good() {
        ObjectFlags::ANTI_GOOD
    } else if character.is_evil() {
        ObjectFlags::ANTI_EVIL
    } else {
        ObjectFlags::ANTI_NEUTRAL
    };
    object.flags.has(heart)
        || ANTI_CLASS.iter().any(|(flag, class)| *class == character.class && object.flags.has(*flag))
}

/// Nothing that needs both hands is wielded.
fn both_hands_free(world: &World, who: CharacterId) -> Done {
    match world.who(who).wears(WearSlot::Wield) {
        Some(weapon) if world.object(weapon).flags.has(ObjectFlags::TWO_HANDED) => {
            Err(format!("You need both hands for {}.", world.object_name_for(who, weapon)).into())
        }
        _ => Ok(()),
    }
}

pub fn wield(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err("What do you want to wield?".into());
    }
    let object = carried(world, who, what)?[0];
    if !world.object(object).can_be(WearFlags::WIELD) {
        return Err(format!("{} is no weapon.", capitalised(&world.object(object).definite())).into());
    }
    take_in_hand(world, who, object, WearSlot::Wield)
}

pub fn hold(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err("What do you want to hold?".into());
    }
    let object = match carried(world, who, what) {
        Ok(found) => found[0],
        Err(refusal) => {
            let in_hand = world.find_worn(who, first_argument(args).0);
            let in_hand =
                in_hand.filter(|(slot, _)| matches!(slot, WearSlot::Hold | WearSlot::Light | WearSlot::Wield));
            let in_hand = in_hand.map(|(_, object)| world.object(object).definite());
            return Err(in_hand.map_or(refusal, |name| format!("You have {name} in your hand already.").into()));
        }
    };
    hold_one(world, who, object)
}

fn is_holdable(object: &Object) -> bool {
    object.can_be(WearFlags::HOLD)
        || matches!(
            object.kind,
            ObjectKind::Light { .. }
                | ObjectKind::Wand { .. }
                | ObjectKind::Staff { .. }
                | ObjectKind::Scroll { .. }
                | ObjectKind::Potion { .. }
        )
}

fn hold_one(world: &mut World, who: CharacterId, object: ObjectId) -> Done {
    let o = world.object(object);
    if !is_holdable(o) {
        return Err(if o.can_be(WearFlags::WIELD) {
            format!("{} is a weapon: wield it.", capitalised(&o.definite())).into()
        } else {
            format!("{} is nothing to hold.", capitalised(&o.definite())).into()
        });
    }
    match o.kind {
        ObjectKind::Light { hours: 0 } => {
            Err(format!("{} has burnt out, and nothing is left to light.", capitalised(&o.definite())).into())
        }
        ObjectKind::Light { .. } => {
            take_in_hand(world, who, object, WearSlot::Light)?;
            // A room that was entered in the dark is seen now, and whoever is in it.
            world.record_arrival(who, None);
            world.did(who, Deed::Came);
            Ok(())
        }
        _ => take_in_hand(world, who, object, WearSlot::Hold),
    }
}

/// Wields, holds or lights something that is fit for it, when the hands allow it.
fn take_in_hand(world: &mut World, who: CharacterId, object: ObjectId, slot: WearSlot) -> Done {
    if let Some(other) = world.who(who).wears(slot) {
        let name = world.object_name_for(who, other);
        let verb = match slot {
            WearSlot::Wield => "wield",
            WearSlot::Light => "light your way with",
            _ => "hold",
        };
        return Err(format!("You already {verb} {name}.").into());
    }
    match slot {
        WearSlot::Wield => may_wield(world, who, object)?,
        WearSlot::Hold => both_hands_free(world, who)?,
        _ => {}
    }
    let Some(()) = may_use(world, who, object)? else { return Ok(()) };
    let (to_actor, to_room) = match slot {
        WearSlot::Wield => ("You wield $p.", "$n wields $p."),
        WearSlot::Light => ("You light $p and hold it up.", "$n lights $p and holds it up."),
        _ => ("You take $p in your hand.", "$n takes $p in $s hand."),
    };
    settle(world, who, object, slot, to_actor, to_room);
    Ok(())
}

/// Strength, both hands for what needs them, and no edges for clerics. Source: game reference §2.2, §2.7.
fn may_wield(world: &World, who: CharacterId, object: ObjectId) -> Done {
    let (character, o) = (world.who(who), world.object(object));
    if world.weight_of(object) > abilities::strength(&character.now.abilities).wield && !character.is_immortal() {
        return Err(format!("{} is too heavy for you to swing.", capitalised(&o.definite())).into());
    }
    if o.flags.has(ObjectFlags::TWO_HANDED)
        && let Some(other) = character.wears(WearSlot::Shield).or(character.wears(WearSlot::Hold))
    {
        let name = world.object_name_for(who, other);
        return Err(format!("{} takes both hands, and {name} is in the way.", capitalised(&o.definite())).into());
    }
    let edged = matches!(o.kind, ObjectKind::Weapon { attack: AttackType::Slash, .. });
    if edged && character.class == Class::Cleric && character.is_player() && !character.is_immortal() {
        return Err("Your vows forbid you the edge of a blade.".into());
    }
    Ok(())
}

pub fn remove(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (what, _) = Wanted::parse(args);
    if what.is_empty() {
        return Err("What do you want to take off?".into());
    }
    let worn: Vec<ObjectId> = world.who(who).worn.iter().map(|(_, id)| *id).collect();
    let found = what.among(world, who, &worn);
    if found.is_empty() {
        let word = what.word();
        return Err(if word.is_empty() { "You wear nothing.".into() } else { format!("You wear no {word}.").into() });
    }
    each(world, who, found, |world, object| remove_one(world, who, object))
}

fn remove_one(world: &mut World, who: CharacterId, object: ObjectId) -> Done {
    let Place::Worn(_, slot) = world.object(object).place else { unreachable!("it was found among what is worn") };
    if world.hands_full(who) {
        return Err("You carry as many things as you can; what you wear stays on.".into());
    }
    let (actor, item) = (world.as_who(who), world.as_object_ref(object));
    let outcome = world.note(Outcome::Removed { who: actor, item, slot: slot.name().into() });
    let scene = Scene::new(who, LineKind::Equipment).object(object).hidden().outcome(&outcome);
    // Told first: a light is seen going out by those who see by it.
    match slot {
        WearSlot::Wield | WearSlot::Hold | WearSlot::Throw | WearSlot::Hover => {
            world.show(&scene, "You put $p away.", "", "$n puts $p away.");
        }
        WearSlot::Light => world.show(&scene, "You put $p out and away.", "", "$n puts $p out and away."),
        _ => world.show(&scene, "You take off $p.", "", "$n takes off $p."),
    }
    world.place_object(object, Place::Carried(who));
    light_changed(world, who, object);
    Ok(())
}

/// What one carries, alike things counted. What one cannot see one feels: it is in the list as something.
pub fn inventory(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let mut shown: Vec<(String, ObjectId, usize)> = Vec::new();
    for id in &world.who(who).carrying {
        let text = described(world, who, *id);
        match shown.iter_mut().find(|(other, ..)| *other == text) {
            Some((.., count)) => *count += 1,
            None => shown.push((text, *id, 1)),
        }
    }
    if shown.is_empty() {
        return Ok(Page::from("You carry nothing."));
    }
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "You carry:");
    for (text, first, count) in shown {
        let count = if count > 1 { format!("({count}) ") } else { String::new() };
        page.line(Style::Item, format!("  {count}"));
        match world.sees_object(who, first) {
            true => page.linked(Style::Item, text, Hyperlink::in_hands(world.object(first))),
            false => page.append(Style::Item, text),
        };
    }
    Ok(page)
}

pub fn equipment(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let worn = &world.who(who).worn;
    if worn.is_empty() {
        return Ok(Page::from("You wear nothing."));
    }
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "You wear:");
    for (slot, id) in worn {
        let link = world.sees_object(who, *id).then(|| Hyperlink::on_body(world.object(*id)));
        let thing = cell(0, described(world, who, *id)).style(Style::Item).link(link);
        page.row(2, &[cell(14, slot_label(*slot)), thing]);
    }
    Ok(page)
}

/// The name of an own thing with its marks; "something" when it cannot be seen.
fn described(world: &World, who: CharacterId, object: ObjectId) -> String {
    if world.sees_object(who, object) {
        let object = world.object(object);
        format!("{}{}", object.short, object_marks(world.who(who), object))
    } else {
        "something".to_string()
    }
}

/// Two things of one kind, or one against what is in use in its place.
pub fn compare(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (first, rest) = first_argument(args);
    if first.is_empty() {
        return Err("What do you want to compare? compare <thing> [<thing>]".into());
    }
    let near = |word: &str| -> Result<ObjectId, Refusal> {
        let found = world.find_near(who, word);
        found.ok_or_else(|| format!("You see no {word} here.").into())
    };
    let one = near(first)?;
    let other = match first_argument(rest).0 {
        "" => in_use_instead(world, who, one)
            .ok_or_else(|| Refusal::from(format!("You use nothing instead of {}.", world.object(one).definite())))?,
        word => near(word)?,
    };
    if one == other {
        return Err("That is one and the same thing.".into());
    }
    let (a, b) = (world.object(one), world.object(other));
    let name = capitalised(&a.definite());
    let verdict = match (strength(a), strength(b)) {
        (Some((kind, of_a)), Some((other, of_b))) if kind == other => match of_a.cmp(&of_b) {
            std::cmp::Ordering::Greater => format!("{name} looks better than {}.", b.definite()),
            std::cmp::Ordering::Equal => format!("{name} and {} look alike.", b.definite()),
            std::cmp::Ordering::Less => format!("{name} looks worse than {}.", b.definite()),
        },
        _ => format!("{name} and {} cannot be held against each other.", b.definite()),
    };
    Ok(Page::from(verdict))
}

/// What somebody wears or wields where it would wear or wield this.
fn in_use_instead(world: &World, who: CharacterId, object: ObjectId) -> Option<ObjectId> {
    let flags = world.object(object).wear;
    let mut worn = world.who(who).worn.iter().map(|(_, other)| *other).filter(|other| *other != object);
    let places = flags.without(WearFlags::TAKE).without(WearFlags::HOLD);
    worn.find(|other| world.object(*other).wear.any(places))
}

/// What it is good for, and how good at that; of weapons twice the mean of its dice.
fn strength(object: &Object) -> Option<(bool, i64)> {
    match object.kind {
        ObjectKind::Weapon { dice, sides, .. } => Some((true, i64::from(dice) * (i64::from(sides) + 1))),
        ObjectKind::Armor { armor } => Some((false, i64::from(armor))),
        _ => None,
    }
}
