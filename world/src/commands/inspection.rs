//! What immortals see that nobody else does: where everything is, and all that is known of it.
//!
//! Invariant: nothing here changes the world, as all functions only look at it.

use super::immortal::{anyone, room_named};
use super::*;
use crate::act::capitalised;
use crate::arena::ObjectId;
use crate::find::{first_argument, first_word};
use crate::object::{Object, Place};
use crate::report::Style;
use content::scripts::OwnerKind;
use content::{ObjectKind, RoomId, Vnum};
use protocol::words::counted;
use std::collections::BTreeSet;

/// Lines of `where` with a name.
const WHERE_LINES: usize = 60;

pub fn where_(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    let mut page = Page::new();
    if word.is_empty() {
        page.line(Style::Heading, "Players in the world:");
        for id in world.state.players.values().filter(|id| world.sees(who, **id)) {
            let c = world.who(*id);
            page.say(format!("  {:<20} {}", c.name, place_of(world, c.room)));
        }
        return Ok(page);
    }
    let mobs = world.state.characters.iter().filter(|(id, _)| world.is_meant(*id, word));
    let people = mobs.map(|(_, c)| (c.name.clone(), place_of(world, c.room)));
    let objects = world.state.objects.iter().filter(|(id, _)| world.is_object_meant(*id, word));
    let objects = objects.map(|(id, o)| (o.short.clone(), whereabouts(world, id)));
    let mut lines = people.chain(objects);
    page.line(Style::Heading, format!("Whatever answers to {word}:"));
    let before = page.text.len();
    for (n, (name, place)) in lines.by_ref().take(WHERE_LINES).enumerate() {
        page.say(format!("{:>3}. {name:<30} {place}", n + 1));
    }
    let more = lines.count();
    if more > 0 {
        page.say(format!("… and {more} more."));
    }
    if page.text.len() == before {
        return Err(format!("Nothing in the world answers to {word}.").into());
    }
    Ok(page)
}

fn place_of(world: &World, room: RoomId) -> String {
    let proto = world.room_proto(room);
    format!("[{}] {}", proto.vnum, proto.name)
}

/// Where a thing is, and who or what has it.
fn whereabouts(world: &World, object: ObjectId) -> String {
    match world.object(object).place {
        Place::Nowhere => "nowhere".to_string(),
        Place::Room(room) => place_of(world, room),
        Place::Carried(holder) => format!("carried by {}", world.who(holder).name),
        Place::Worn(holder, slot) => format!("worn by {} ({slot})", world.who(holder).name),
        Place::Inside(container) => {
            format!("in {}, {}", world.object(container).short, whereabouts(world, container))
        }
    }
}

/// `stat` alone shows the room; a name is looked for near before far, people before things.
pub fn stat(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, rest) = first_word(args);
    let (name, _) = first_argument(rest);
    match word.to_ascii_lowercase().as_str() {
        "" => Ok(stat_room(world, world.who(who).room)),
        "room" if name.is_empty() => Ok(stat_room(world, world.who(who).room)),
        "room" => Ok(stat_room(world, room_named(world, who, name)?)),
        "mob" | "char" | "player" if !name.is_empty() => {
            Ok(stat_character(world, anyone(world, who, name, "look into")?))
        }
        "obj" | "object" if !name.is_empty() => Ok(stat_object(world, object_named(world, who, name)?)),
        _ => match (world.find_here(who, word), object_named(world, who, word), world.find_anywhere(who, word)) {
            (Some(here), _, _) => Ok(stat_character(world, here)),
            (None, Ok(object), _) => Ok(stat_object(world, object)),
            (None, Err(_), Some(far)) => Ok(stat_character(world, far)),
            (None, Err(refusal), None) => Err(refusal),
        },
    }
}

/// A thing near, else the first in the world.
fn object_named(world: &World, who: CharacterId, word: &str) -> Result<ObjectId, Refusal> {
    if let Some(near) = world.find_near(who, word) {
        return Ok(near);
    }
    let far = world.state.objects.iter().map(|(id, _)| id).find(|id| world.is_object_meant(*id, word));
    far.ok_or_else(|| format!("Nothing in the world answers to {word}.").into())
}

/// "a, b and so on", or "none".
fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}

fn stat_room(world: &World, room: RoomId) -> Page {
    let proto = world.room_proto(room);
    let mut page = Page::new();
    page.line(Style::RoomName, format!("Room {}: {}", proto.vnum, proto.name));
    page.say(format!("Zone {}, sector {}, flags: {}.", proto.zone, proto.sector, listed(proto.flags.names())));
    page.say(if world.is_dark(room) { "It is dark." } else { "It is light." });
    for (index, exit) in proto.exits.iter().enumerate() {
        let to = exit.to.map_or("nowhere".to_string(), |to| format!("to {to}"));
        let key = exit.key.map_or(String::new(), |key| format!(", key {key}"));
        let door = world.room(room).doors[index];
        let door = if door.is_empty() { String::new() } else { format!(", {}", listed(door.names())) };
        page.say(format!("  {:<5} {to}{door}{key}", exit.direction.name()));
    }
    let extras = listed(proto.extras.iter().map(|e| &*e.keywords));
    page.say(format!("Extra descriptions: {extras}."));
    let people = listed(world.room(room).characters.iter().map(|id| &*world.who(*id).name));
    page.say(format!("People: {people}."));
    let objects = listed(world.room(room).objects.iter().map(|id| &*world.object(*id).short));
    page.say(format!("Things: {objects}."));
    stat_scripts(&mut page, world, OwnerKind::Room, proto.vnum);
    page
}

/// What the row has scripts for.
fn stat_scripts(page: &mut Page, world: &World, kind: OwnerKind, vnum: Vnum) {
    let scripts = world.content.scripts_of(kind, vnum);
    if !scripts.is_empty() {
        page.say(format!("Scripts: {}.", listed(scripts.iter().map(|name| &**name))));
    }
}

/// What its builder gave a mob to do and to say.
fn stat_mob_row(page: &mut Page, world: &World, vnum: Vnum) {
    let content = &world.content;
    let behaviours = content.mob(vnum).map_or(&[][..], |proto| &proto.behaviours);
    for behaviour in behaviours {
        page.say(format!("Behaves: {}.", content::behaviour_in_toml(behaviour)));
    }
    stat_scripts(page, world, OwnerKind::Mob, vnum);
    let answers = content.answers.iter().filter(|answer| answer.mob == vnum && !answer.greets);
    let words: BTreeSet<&str> = answers.flat_map(|answer| &answer.to).map(|word| &**word).collect();
    if !words.is_empty() {
        page.say(format!("Speaks of: {}.", listed(words.into_iter())));
    }
    let greetings = content.greetings_of(vnum).count();
    if greetings > 0 {
        page.say(format!("Greets in {}.", counted(greetings as u64, "way")));
    }
    let trades = content.trades_of(vnum).count();
    if trades > 0 {
        page.say(format!("Barters: {}.", counted(trades as u64, "thing")));
    }
    let tasks = content.tasks.iter().filter(|task| task.giver == Some(vnum));
    let tasks: Vec<&str> = tasks.map(|task| &*task.id).collect();
    if !tasks.is_empty() {
        page.say(format!("Has tasks: {}.", listed(tasks.into_iter())));
    }
}

fn stat_character(world: &World, id: CharacterId) -> Page {
    let c = world.who(id);
    let mut page = Page::new();
    let vnum = world.mob_proto(id).map_or(String::new(), |proto| format!(", mob {}", proto.vnum));
    page.line(Style::Heading, format!("{}{vnum}, {}", capitalised(&c.name), world.instance_of(id)));
    page.say(format!("Answers to: {}. In {}.", c.keywords, place_of(world, c.room)));
    let class = if c.is_player() { format!(" {}", c.class) } else { String::new() };
    page.say(format!("Level {} {} {}{class}, {}, alignment {}.", c.level, c.sex, c.race, c.position, c.alignment));
    let now = &c.now;
    page.say(format!(
        "Hit {}/{}, mana {}/{}, moves {}/{}, gold {}.",
        c.hit, now.hit_max, c.mana, now.mana_max, c.moves, now.move_max, c.gold
    ));
    let a = &now.abilities;
    page.say(format!(
        "Str {}/{}, int {}, wis {}, dex {}, con {}, cha {}.",
        a.strength, a.strength_add, a.intelligence, a.wisdom, a.dexterity, a.constitution, a.charisma
    ));
    page.say(format!(
        "Armour {}, hit roll {}, damage roll {}, saves {:?}.",
        now.armor, now.hit_roll, now.damage_roll, now.saves
    ));
    let gain = world.hourly_gain(id);
    page.say(format!("An hour gives {} hit points, {} mana, {} moves.", gain.hit, gain.mana, gain.moves));
    match (&c.kind, world.mob_proto(id)) {
        (Kind::Mob(mob), Some(proto)) => {
            page.say(format!("Flags: {}.", listed(mob.flags.names())));
            page.say(format!("Blows: {} {}. Worth {} experience.", proto.attack, proto.damage, mob.experience));
            page.say(format!("Remembers: {}.", listed(mob.memory.iter().map(|name| &**name))));
            if let Some(prey) = mob.hunt.and_then(|hunt| world.character(hunt.prey)) {
                page.say(format!("Hunts {}.", prey.name));
            }
            stat_mob_row(&mut page, world, proto.vnum);
        }
        (Kind::Player(player), _) => stat_player(&mut page, world, c, player),
        (Kind::Mob(_), None) => {}
    }
    page.say(format!("Conditions: {}.", listed(now.flags.names())));
    for affect in &c.affects {
        let hours = if affect.hours < 0 { "for ever".to_string() } else { format!("{} hours", affect.hours) };
        let flags = listed(affect.flags.names());
        let caster = affect.caster.as_ref().filter(|_| affect.caster_seen);
        let caster = caster.map_or_else(String::new, |name| format!(", by {}", capitalised(name)));
        page.say(format!("  {}: {} {:+}, sets {flags}, {hours}{caster}", affect.kind, affect.apply, affect.by));
    }
    let name = |id: Option<CharacterId>| id.and_then(|id| world.character(id)).map_or("nobody", |c| &c.name);
    page.say(format!("Fights {}, follows {}.", name(c.fighting), name(c.leader)));
    page.say(format!("Followers: {}.", listed(c.followers.iter().map(|f| &*world.who(*f).name))));
    page.say(format!("Carries: {}.", listed(c.carrying.iter().map(|o| &*world.object(*o).short))));
    page.say(format!("Wears: {}.", listed(c.worn.iter().map(|(_, o)| &*world.object(*o).short))));
    page
}

fn stat_player(page: &mut Page, world: &World, c: &Character, player: &Player) {
    let next = world.rules.experience_to_leave(c.class, c.level);
    page.say(format!(
        "Experience {} (level ends at {next}), bank {}, practices {}, kills {}, deaths {}.",
        player.experience, player.bank, player.practices, player.kills, player.deaths
    ));
    page.say(format!(
        "Full {}, thirst {}, drunk {} hours; wimpy {}; hometown {}.",
        player.full, player.thirst, player.drunk, player.wimpy, player.hometown
    ));
    let link = match player.link {
        Link::Linked => "linked".to_string(),
        Link::Lost { since_tick } => format!("link lost at tick {since_tick}"),
    };
    let agent = if player.agent { ", played by a program" } else { "" };
    page.say(format!("Last command at tick {}, {link}{agent}.", player.active_tick));
    page.say(format!("Flags: {}.", listed(player.flags.names())));
    let skills: Vec<String> = player.skills.iter().map(|(name, percent)| format!("{name} {percent}")).collect();
    page.say(format!("Skills: {}.", listed(skills.iter().map(String::as_str))));
    let spells: Vec<String> = player.spells.iter().map(|(name, percent)| format!("{name} {percent}")).collect();
    if !spells.is_empty() {
        page.say(format!("Spells: {}.", listed(spells.iter().map(String::as_str))));
    }
}

fn stat_object(world: &World, id: ObjectId) -> Page {
    let object = world.object(id);
    let mut page = Page::new();
    page.line(
        Style::Heading,
        format!("{}, obj {}, {}", capitalised(&object.short), object.vnum, world.object_instance_of(id)),
    );
    page.say(format!("Answers to: {}. {}.", object.keywords, capitalised(&whereabouts(world, id))));
    page.say(format!("Lies as: {}", object.long));
    page.say(kind_in_words(object));
    page.say(format!(
        "Weight {} (with contents {}), cost {}, level {}, hours left {}.",
        object.weight,
        world.weight_of(id),
        object.cost,
        object.level,
        if object.timer_hours > 0 { object.timer_hours.to_string() } else { "no limit".to_string() }
    ));
    page.say(format!("Flags: {}.", listed(object.flags.names())));
    page.say(format!("Worn: {}.", listed(object.wear.names())));
    page.say(format!("Gives: {}.", listed(object.affects.names())));
    for apply in &object.applies {
        page.say(format!("  {} {:+}", apply.to, apply.by));
    }
    if object.is_container() {
        page.say(format!("Holds: {}.", listed(object.contents.iter().map(|o| &*world.object(*o).short))));
    }
    stat_scripts(&mut page, world, OwnerKind::Object, object.vnum);
    page
}

/// The type of a thing with its values.
fn kind_in_words(object: &Object) -> String {
    let kind = object.kind.item_type();
    match &object.kind {
        ObjectKind::Light { hours } if *hours < 0 => format!("Type {kind}: burns for ever."),
        ObjectKind::Light { hours } => format!("Type {kind}: {hours} hours left."),
        ObjectKind::Weapon { dice, sides, attack } => format!("Type {kind}: {dice}d{sides}, {attack}."),
        ObjectKind::FireWeapon { dice, sides } | ObjectKind::Missile { dice, sides } => {
            format!("Type {kind}: {dice}d{sides}.")
        }
        ObjectKind::Armor { armor } => format!("Type {kind}: {armor} points."),
        ObjectKind::Scroll { level, spells } | ObjectKind::Potion { level, spells } => {
            format!("Type {kind}: level {level}, spells {spells:?}.")
        }
        ObjectKind::Wand { level, charges_max, charges, spell }
        | ObjectKind::Staff { level, charges_max, charges, spell } => {
            format!("Type {kind}: level {level}, {charges} of {charges_max} charges, spell {spell}.")
        }
        ObjectKind::Container { capacity, flags, key, corpse } => {
            let key = key.map_or(String::new(), |key| format!(", key {key}"));
            let corpse = if *corpse { ", a corpse" } else { "" };
            format!("Type {kind}: capacity {capacity}, {}{key}{corpse}.", listed(flags.names()))
        }
        ObjectKind::DrinkContainer { capacity, contents, liquid, poisoned }
        | ObjectKind::Fountain { capacity, contents, liquid, poisoned } => {
            let poison = if *poisoned { ", poisoned" } else { "" };
            format!("Type {kind}: {contents} of {capacity} swallows, {liquid}{poison}.")
        }
        ObjectKind::Food { hours, poisoned } => {
            let poison = if *poisoned { ", poisoned" } else { "" };
            format!("Type {kind}: stills {hours} hours of hunger{poison}.")
        }
        ObjectKind::Money { coins } => format!("Type {kind}: {coins} coins."),
        _ => format!("Type {kind}."),
    }
}
