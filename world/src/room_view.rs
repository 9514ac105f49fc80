//! What a player sees of the room it is in: its name and description, the ways out, what lies there, who is there.
//!
//! `look` shows it, and so does everything that brings somebody to another room. Looking closer is in
//! `commands/look.rs`; what programs see of a room is in `vars.rs`.

use crate::act::{capitalised, listed};
use crate::aloud;
use crate::arena::{CharacterId, ObjectId};
use crate::character::{Character, Link, PlayerFlags};
use crate::find::naming_word;
use crate::hyperlink::{Hyperlink, Serial, Use};
use crate::mounts;
use crate::object::Object;
use crate::page::Page;
use crate::report::Style;
use crate::sight::SEEN_MAX;
use crate::world::World;
use content::flags::*;
use content::words::{Direction, Position};
use content::{RoomId, Text};
use std::sync::Arc;

/// How much of a room is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    Full,
    /// Without the description.
    Brief,
}

/// Where the objects of a list are, and with that by which of their descriptions they are shown.
#[derive(Clone, Copy, Debug)]
pub enum Lying<'o> {
    OnFloor,
    Inside(&'o Object),
}

/// Shows a player the room it is in.
pub fn show_room(world: &mut World, who: CharacterId, detail: Detail) {
    if world.who(who).is_player() && !world.unread {
        let page = room_page(world, who, detail);
        world.send_line(who, Arc::new(page.into_line()));
    }
}

/// What a player reads of its room.
pub fn room_page(world: &World, who: CharacterId, detail: Detail) -> Page {
    let character = world.who(who);
    let room = character.room;
    let mut page = Page::new();
    if character.is(AffectFlags::BLIND) {
        return Page::from("You see nothing; you are blind.");
    }
    let dark = world.is_dark(room);
    if dark && !world.sees_in_dark(who) {
        let mut page = Page::from("It is too dark to see your own hand.");
        if world.own_corpse_felt(who).is_some() {
            page.say("What lies at your feet is your own corpse. To feel for what you had: get all corpse");
        }
        let light = character.carrying.iter().map(|thing| world.object(*thing)).find(|thing| thing.is_light());
        if let Some(light) = light {
            let word = naming_word(&light.keywords);
            page.say(format!("You have {} with you, which would help: hold {word}", light.short));
        }
        return page;
    }
    let proto = world.room_proto(room);
    page.line(Style::RoomName, &proto.name);
    if character.player_flags().has(PlayerFlags::ROOM_FLAGS) {
        let flags: Vec<&str> = proto.flags.names().collect();
        page.append(Style::Plain, format!(" [{}; {}; {}]", proto.vnum, proto.sector, flags.join(" ")));
    }
    let aloud = aloud::listens(character);
    let shows_exits = character.player_flags().has(PlayerFlags::AUTO_EXIT);
    // Who listens wants to walk on before a description is over.
    if shows_exits && aloud {
        page.line(Style::Exits, exits_told(world, room));
    }
    if detail == Detail::Full && !proto.description.is_empty() {
        page.line(Style::RoomDescription, world.hinted(who, proto.description.trim_end()));
    }
    if shows_exits && !aloud {
        exits_short(world, room, &mut page);
    }
    if let Some(title) = world.plot_title(room) {
        page.say(format!("A plot is staked out here, to build on: {title}."));
    }
    list_objects(world, who, &world.room(room).objects, Lying::OnFloor, &mut page);
    list_characters(world, who, &mut page);
    page
}

/// Who is there, mobs before players: mobs that look alike are counted, and `SEEN_MAX` lines shown.
fn list_characters(world: &World, who: CharacterId, page: &mut Page) {
    let room = world.who(who).room;
    let dark = world.is_dark(room);
    let mut others = world.room(room).characters.iter().filter(|id| **id != who && world.sees_in(who, **id, dark));
    let mut mobs: Vec<(Page, usize)> = Vec::new();
    let (mut shown, mut more) = (0, 0);
    // Whoever carries somebody else is told of with its rider.
    let carries_another = |id: CharacterId| mounts::rider_of(world, id).is_some_and(|rider| rider != who);
    for id in others.clone().filter(|id| !world.who(**id).is_player() && !carries_another(**id)) {
        let mut line = Page::new();
        describe_presence(world, who, *id, &mut line);
        match mobs.iter_mut().find(|(known, _)| known.text == line.text) {
            Some((_, count)) => *count += 1,
            None if shown < SEEN_MAX => {
                mobs.push((line, 1));
                shown += 1;
            }
            None => more += 1,
        }
    }
    for (line, count) in mobs {
        page.line(Style::Mob, if count > 1 { format!("({count}) ") } else { String::new() });
        page.append_page(&line);
    }
    // Hundreds of players may stand here: their lines go straight into the page.
    for id in others.by_ref().filter(|id| world.who(**id).is_player()) {
        if shown < SEEN_MAX {
            describe_presence(world, who, *id, page);
            shown += 1;
        } else {
            more += 1;
        }
    }
    say_more(page, more, "is one more in the crowd", "are {} more in the crowd");
}

/// The line for what a list leaves out: `There are 7 more in the crowd.`
pub fn say_more(page: &mut Page, more: usize, one: &str, many: &str) {
    match more {
        0 => {}
        1 => {
            page.say(format!("There {one}."));
        }
        n => {
            page.say(format!("There {}.", many.replace("{}", &n.to_string())));
        }
    }
}

/// The ways out that are to be shown, each with whether a door closes it; hidden ones are not.
fn shown_exits(world: &World, room: RoomId) -> impl Iterator<Item = (Direction, bool)> {
    let exits = world.room_proto(room).exits.iter().zip(&world.room(room).doors);
    let hidden = DoorFlags::CLOSED.with(DoorFlags::HIDDEN);
    exits
        .filter(move |(exit, door)| exit.to.is_some() && !door.has(hidden))
        .map(|(exit, door)| (exit.direction, door.has(DoorFlags::CLOSED)))
}

/// "Exits: north, east and closed up."
fn exits_told(world: &World, room: RoomId) -> String {
    let told = |(way, closed): (Direction, bool)| match closed {
        true => format!("closed {}", way.name()),
        false => way.name().to_string(),
    };
    let ways: Vec<String> = shown_exits(world, room).map(told).collect();
    if ways.is_empty() { "No exits.".to_string() } else { format!("Exits: {}.", listed(&ways)) }
}

/// "Exits: north east (up)"; closed doors in brackets.
fn exits_short(world: &World, room: RoomId, page: &mut Page) {
    page.line(Style::Exits, "Exits:");
    let mut any = false;
    for (way, closed) in shown_exits(world, room) {
        any = true;
        page.append(Style::Exits, if closed { " (" } else { " " });
        page.linked(Style::Exits, way.name(), Hyperlink::Way { way, closed });
        page.append(Style::Exits, if closed { ")" } else { "" });
    }
    page.append(Style::Exits, if any { "" } else { " none" });
}

/// Objects that somebody sees from its room, alike ones counted, `SEEN_MAX` kinds of them.
pub fn list_objects(world: &World, who: CharacterId, list: &[ObjectId], lying: Lying<'_>, page: &mut Page) {
    let dark = world.is_dark(world.who(who).room);
    let mut shown: Vec<(&Text, &Object, usize)> = Vec::new();
    let mut more = 0;
    for id in list {
        let object = world.object(*id);
        if !world.sees_object_in(who, *id, dark) {
            continue;
        }
        let text = match lying {
            Lying::OnFloor => &object.long,
            Lying::Inside(_) => &object.short,
        };
        if text.is_empty() {
            continue;
        }
        match shown.iter().position(|(t, o, _)| *t == text && o.flags == object.flags) {
            Some(at) => shown[at].2 += 1,
            None if shown.len() < SEEN_MAX => shown.push((text, object, 1)),
            None => more += 1,
        }
    }
    for (text, object, count) in shown {
        let marks = object_marks(world.who(who), object);
        // Of several that are alike, the one that is shown first.
        let link = match lying {
            Lying::OnFloor => Hyperlink::on_floor(object),
            Lying::Inside(container) => Hyperlink::inside(object, container),
        };
        match count {
            1 => page.line(Style::Item, "").linked(Style::Item, text, link),
            count => page.line(Style::Item, format!("({count}) ")).linked(Style::Item, of_several(text), link),
        };
        page.append(Style::Item, marks);
    }
    say_more(page, more, "is one thing more", "are {} things more");
}

/// The line of one of several that are alike: none of them is "the" corpse.
fn of_several(text: &str) -> std::borrow::Cow<'_, str> {
    let Some((article, rest)) = text.split_once(' ').filter(|(article, _)| matches!(*article, "The" | "the")) else {
        return text.into();
    };
    let an = rest.starts_with(['a', 'e', 'i', 'o', 'u']);
    let indefinite = match (article, an) {
        ("The", true) => "An",
        ("The", false) => "A",
        (_, true) => "an",
        (_, false) => "a",
    };
    format!("{indefinite} {rest}").into()
}

/// "(glowing)" and the like, and for those who see magic what is magical.
pub fn object_marks(eyes: &Character, object: &Object) -> String {
    let mut marks = String::new();
    for (flag, mark) in
        [(ObjectFlags::INVISIBLE, " (invisible)"), (ObjectFlags::GLOW, " (glowing)"), (ObjectFlags::HUM, " (humming)")]
    {
        if object.flags.has(flag) {
            marks.push_str(mark);
        }
    }
    marks.push_str(magic_mark(eyes, object));
    marks
}

/// What tells those who see magic that a thing is magical; nothing for all others.
pub fn magic_mark(eyes: &Character, object: &Object) -> &'static str {
    if eyes.is(AffectFlags::DETECT_MAGIC) && object.flags.has(ObjectFlags::MAGIC) { " (magical)" } else { "" }
}

/// What stands for `target` where `who` sees it.
fn link_to(world: &World, who: CharacterId, target: CharacterId) -> Hyperlink {
    let c = world.who(target);
    let is_served = c.is(AffectFlags::CHARM) && c.leader == Some(who);
    // One slip costs whoever serves, so nobody is offered to strike them.
    let what = match is_served {
        true => Use::Servant,
        false if world.is_untouchable(target) || world.keeps_peace(who, target) => Use::Untouchable,
        false => Use::Mob,
    };
    match world.mob_proto(target) {
        Some(proto) => Hyperlink::Mob(Serial { vnum: proto.vnum, serial: c.serial }, what),
        None => Hyperlink::Player(c.name.clone(), Use::Player),
    }
}

/// The line that shows somebody in a room.
fn describe_presence(world: &World, who: CharacterId, target: CharacterId, page: &mut Page) {
    let c = world.who(target);
    let style = if c.is_player() { Style::Player } else { Style::Mob };
    let link = link_to(world, who, target);
    if mounts::rider_of(world, target) == Some(who) {
        let name = capitalised(world.name_for(who, target));
        page.line(style, "").linked(style, name, link).append(style, " carries you.");
        return;
    }
    if let Some(proto) = world.mob_proto(target)
        && c.position == proto.default_position
        && c.fighting.is_none()
        && c.mob().is_some_and(|mob| mob.called.is_none())
        && !proto.long.is_empty()
    {
        page.line(style, "").linked(style, proto.long.trim_end(), link);
        presence_marks(world, who, c, page);
        return;
    }
    // Hundreds may stand here: pieces go straight into the page.
    match c.player() {
        Some(player) if !player.title.is_empty() => {
            page.line(style, "").linked(style, c.shown(), link).append(style, " ").append(style, &player.title);
        }
        _ => {
            page.line(style, "").linked(style, capitalised(c.shown()), link);
        }
    }
    match c.fighting {
        Some(opponent) if c.position >= Position::Fighting => {
            let name = if opponent == who { "YOU" } else { world.name_for(who, opponent) };
            page.append(style, " is here, fighting ").append(style, name).append(style, "!");
        }
        _ if c.rides.is_some() && mounts::mount_of(world, target).is_some_and(|mount| world.sees(who, mount)) => {
            let mount = mounts::mount_of(world, target).expect("it was asked above");
            page.append(style, " is here, riding ").append(style, world.name_for(who, mount)).append(style, ".");
        }
        _ => {
            page.append(
                style,
                match c.position {
                    Position::Dead => " is lying here, dead.",
                    Position::MortallyWounded => " is lying here, mortally wounded.",
                    Position::Incapacitated => " is lying here, incapacitated.",
                    Position::Stunned => " is lying here, stunned.",
                    Position::Sleeping => " is sleeping here.",
                    Position::Resting => " is resting here.",
                    Position::Sitting => " is sitting here.",
                    Position::Fighting | Position::Standing => " is here.",
                },
            );
        }
    }
    presence_marks(world, who, c, page);
}

fn presence_marks(world: &World, who: CharacterId, c: &Character, page: &mut Page) {
    for (flag, mark) in [(AffectFlags::INVISIBLE, " (invisible)"), (AffectFlags::HIDE, " (hidden)")] {
        if c.is(flag) {
            page.append(Style::Plain, mark);
        }
    }
    if c.is(AffectFlags::SANCTUARY) {
        page.append(Style::Plain, " (glowing)");
    }
    if let Some(player) = c.player() {
        if let Some(mark) = crate::moon::shape_mark(c) {
            page.append(Style::Plain, mark);
        }
        if matches!(player.link, Link::Lost { .. }) {
            page.append(Style::Plain, " (linkless)");
        }
        if player.flags.has(PlayerFlags::AFK) {
            page.append(Style::Plain, " (away)");
        }
        if player.flags.has(PlayerFlags::OUTLAW) {
            page.append(Style::Plain, " (outlaw)");
        }
    }
    if world.who(who).is(AffectFlags::DETECT_ALIGN) {
        if c.is_evil() {
            page.append(Style::Plain, " (red aura)");
        } else if c.is_good() {
            page.append(Style::Plain, " (pale aura)");
        }
    }
}
