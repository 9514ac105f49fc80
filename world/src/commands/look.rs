//! Verbs of looking: the room (`room_view.rs`), a target, a direction, into a container, exits, scan.

use crate::act::capitalised;
use crate::arena::{CharacterId, ObjectId};
use crate::character::*;
use crate::commands::{map, plots, tasks};
use crate::doors::door_word;
use crate::find::{answers_to, first_argument, first_word, is_keyword};
use crate::hyperlink::Hyperlink;
use crate::page::{Page, cell, framed};
use crate::refusal::Refusal;
use crate::report::Style;
use crate::room_view::{Detail, Lying, list_objects, magic_mark, room_page, say_more};
use crate::sight::SEEN_MAX;
use crate::world::World;
use content::flags::*;
use content::words::*;
use content::{ExtraDescription, Notice, ObjectKind, Text, spoken_words};
use protocol::instance::Instance;
use protocol::places;

/// Letters of a word that may be a thing: shorter ones are what holds a sentence together.
const NOUN_MIN: usize = 4;

pub fn look(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, rest) = first_word(args);
    if word.is_empty() {
        return Ok(room_page(world, who, Detail::Full));
    }
    if !world.sees_room(who) {
        return Err(if world.who(who).is(AffectFlags::BLIND) {
            "You see nothing; you are blind.".into()
        } else {
            match world.own_corpse_felt(who) {
                Some(_) => "It is too dark to make anything out. What you had can be felt for: get all corpse",
                None => "It is too dark to make anything out.",
            }
            .into()
        });
    }
    match word {
        "in" | "inside" | "into" => return look_in(world, who, rest),
        "at" if !rest.is_empty() => return look_at(world, who, rest),
        _ => {}
    }
    // "n" is north unless something here answers to it better: directions win, as in the classic order.
    if let Some(way) = Direction::meant(word) {
        return look_direction(world, who, way);
    }
    look_at(world, who, args)
}

pub fn examine(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("What do you want to examine?".into());
    }
    if !world.sees_room(who) {
        return Err("You cannot see a thing.".into());
    }
    let mut page = look_at(world, who, word)?;
    // What has no description shows what is in it already.
    if let Some(object) = world.find_near(who, word)
        && let Some(found) = inside(world, who, object)
    {
        let text = match found {
            Ok(inside) => inside.text,
            Err(refusal) => refusal.0.to_string(),
        };
        if page.text != text {
            page.say(text);
        }
    }
    Ok(page)
}

/// What is written on something. What can be looked at can be read, if it says anything; people cannot.
pub fn read(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("What do you want to read?".into());
    }
    if !world.sees_room(who) {
        return Err("You cannot see a thing.".into());
    }
    // A page that somebody carries is not somebody who is called so.
    match (world.find_near(who, word), world.find_here(who, word)) {
        (Some(object), _)
            if extra_of(world, object, word).is_none()
                && !is_note(world, object)
                && world.content.notice(world.object(object).vnum).is_none() =>
        {
            Err(format!("Nothing is written on {}.", world.object(object).short).into())
        }
        (None, Some(somebody)) => {
            let name = capitalised(world.name_for(who, somebody));
            Err(format!("{name} is no book, and harder to read.").into())
        }
        (Some(object), _) => {
            let page = match extra_of(world, object, word) {
                Some(text) => Page::from(text.trim_end()),
                None => look_at_object(world, who, object),
            };
            Ok(with_notice(world, who, object, word, page))
        }
        (None, None) => look_at(world, who, word),
    }
}

/// What boards and tablets show besides their own text to who looks at them, and not at one thing that is on them.
fn with_notice(world: &World, who: CharacterId, object: ObjectId, word: &str, mut page: Page) -> Page {
    let o = world.object(object);
    match world.content.notice(o.vnum).filter(|_| world.is_object_meant(object, word)) {
        Some(Notice::Board) => {
            page = page.laid_out_for(world.who(who));
            tasks::board(world, who, &mut page);
        }
        Some(Notice::Tablet) => tasks::tablet(world, &mut page),
        None => {}
    }
    page
}

fn is_note(world: &World, object: ObjectId) -> bool {
    matches!(world.object(object).kind, ObjectKind::Note)
}

fn look_direction(world: &World, who: CharacterId, way: Direction) -> Result<Page, Refusal> {
    let room = world.who(who).room;
    let Some(index) = world.exit_index(room, way) else {
        return Err("Nothing there catches your eye.".into());
    };
    let exit = &world.room_proto(room).exits[index];
    let door = world.room(room).doors[index];
    let mut page = Page::for_reader(world.who(who));
    if exit.description.is_empty() {
        let to = exit.to.and_then(|vnum| world.content.room_id(vnum)).filter(|_| !door.has(DoorFlags::CLOSED));
        match to.filter(|to| !world.is_dark(*to) || world.sees_in_dark(who)) {
            Some(to) => page.say(format!("That way lies {}.", places::named(&world.room_proto(to).name))),
            None => page.say("Nothing there catches your eye."),
        };
    } else {
        page.say(exit.description.trim_end());
    }
    if door.has(DoorFlags::DOOR) && !door.has(DoorFlags::HIDDEN) {
        let state = if door.has(DoorFlags::CLOSED) { "closed" } else { "open" };
        page.say(format!("The {} is {state}.", door_word(&exit.keywords)));
    }
    Ok(page)
}

fn look_at(world: &World, who: CharacterId, text: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(text);
    let room = world.who(who).room;
    let character = world.who(who);
    let dark = world.is_dark(room);
    let near: Vec<ObjectId> = character
        .worn
        .iter()
        .map(|(_, o)| *o)
        .chain(character.carrying.iter().copied())
        .filter(|o| world.sees_object_in(who, *o, dark))
        .collect();
    let floor: Vec<ObjectId> =
        world.room(room).objects.iter().copied().filter(|o| world.sees_object_in(who, *o, dark)).collect();
    let extras = &world.room_proto(room).extras;
    if let Some(target) = world.find_here(who, word) {
        // A flame is not the flamekeeper, where there is one to be looked at.
        let things = near.iter().chain(&floor).filter_map(|id| world.content.object(world.object(*id).vnum));
        let mut all = extras.iter().chain(things.flat_map(|proto| &proto.extras));
        if is_keyword(&world.who(target).keywords, word) || !all.any(|extra| is_keyword(&extra.keywords, word)) {
            return Ok(look_at_character(world, who, target));
        }
    }
    // Extra descriptions: of what is worn, carried, of the room, of things on the floor.
    let of_object = |object: ObjectId| {
        let text = extra_of(world, object, word)?;
        Some(with_notice(world, who, object, word, Page::from(text.trim_end())))
    };
    if let Some(page) = near.iter().find_map(|object| of_object(*object)) {
        return Ok(page);
    }
    if let Some(text) = extra_text(extras, word) {
        return Ok(Page::from(&*world.hinted(who, text.trim_end())));
    }
    if let Some(page) = floor.iter().find_map(|object| of_object(*object)) {
        return Ok(page);
    }
    if let Some(object) = world.find_near(who, word) {
        return Ok(with_notice(world, who, object, word, look_at_object(world, who, object)));
    }
    if let Some(exit) = world.room_proto(room).exits.iter().find(|e| answers_to(&e.keywords, word))
        && !world.door(room, exit.direction).has(DoorFlags::CLOSED.with(DoorFlags::HIDDEN))
    {
        return look_direction(world, who, exit.direction);
    }
    if word.eq_ignore_ascii_case("plot") && world.plot_title(room).is_some() {
        return plots::shown(world, who);
    }
    // What is spoken of is there, though nobody has said more of it.
    let spoken_of = spoken_words(&world.room_proto(room).description).any(|spoken| spoken.eq_ignore_ascii_case(word));
    if spoken_of && word.chars().count() >= NOUN_MIN {
        return Ok(Page::from("You have a closer look, and there is no more to it than that."));
    }
    Err(format!("You see no {word} here.").into())
}

/// What is told of a thing under a word; under its id, what is told of it under a keyword of its own.
fn extra_of<'a>(world: &'a World, object: ObjectId, word: &str) -> Option<&'a Text> {
    let o = world.object(object);
    let extras = &world.content.object(o.vnum)?.extras;
    if Instance::parse(word).is_none() {
        return extra_text(extras, word);
    }
    let own = |extra: &&ExtraDescription| o.keywords.split(' ').any(|keyword| is_keyword(&extra.keywords, keyword));
    extras.iter().filter(|_| world.is_object_meant(object, word)).find(own).map(|extra| &extra.text)
}

/// The text whose keyword the word is, else the first that it is a beginning of a keyword of.
fn extra_text<'a>(extras: &'a [ExtraDescription], word: &str) -> Option<&'a Text> {
    let whole = extras.iter().find(|extra| is_keyword(&extra.keywords, word));
    whole.or_else(|| extras.iter().find(|extra| answers_to(&extra.keywords, word))).map(|extra| &extra.text)
}

fn look_at_object(world: &World, who: CharacterId, id: ObjectId) -> Page {
    let object = world.object(id);
    if matches!(object.kind, ObjectKind::Note) {
        let text = world.content.object(object.vnum).map(|p| p.action.trim_end()).filter(|t| !t.is_empty());
        return Page::from(text.unwrap_or("It is blank."));
    }
    // What is on it follows.
    if world.content.notice(object.vnum).is_some() {
        return Page::from(format!("On {}:", object.short));
    }
    let helped: Vec<&str> = world.arts_helped_by(object.vnum).collect();
    if !helped.is_empty() {
        return Page::from(format!(
            "Casters keep {} for this: it makes {} stronger, and is used up.",
            object.short,
            helped.join(" and ")
        ));
    }
    // What nobody has described is looked at for what it holds.
    match inside(world, who, id) {
        Some(Ok(page)) => page,
        Some(Err(refusal)) => Page::from(&*refusal.0),
        None if !magic_mark(world.who(who), object).is_empty() => {
            Page::from(format!("A glow that only magic has lies on {}.", object.short))
        }
        None => Page::from(format!("Nothing about {} catches your eye.", object.short)),
    }
}

fn look_at_character(world: &World, who: CharacterId, target: CharacterId) -> Page {
    let c = world.who(target);
    let mut page = Page::for_reader(world.who(who));
    let myself = who == target;
    let description = match (c.player(), world.mob_proto(target)) {
        (Some(player), _) => framed(player.description.trim_end()),
        (None, Some(proto)) => proto.description.trim_end().to_string(),
        (None, None) => String::new(),
    };
    if description.is_empty() {
        page.say(format!("Nothing about {} catches your eye.", if myself { "you" } else { c.object_pronoun() }));
    } else {
        page.say(description);
    }
    if myself {
        page.say(format!("You {}.", of_oneself(condition(c))));
    } else {
        page.say(format!("{} {}.", capitalised(c.shown()), condition(c)));
    }
    if let Some(row) = c.player().and_then(|player| world.rules.tattoo(player.tattoo.as_deref()?)) {
        page.say(format!("Under {} skin: {}.", if myself { "your" } else { c.possessive() }, row.about));
    }
    let worn: Vec<_> = c.worn.iter().filter(|(_, o)| world.sees_object(who, *o)).collect();
    if !worn.is_empty() {
        let heading = if myself { "You are using:".into() } else { format!("{} is using:", capitalised(c.shown())) };
        page.say("").line(Style::Heading, heading);
        for (slot, object) in worn {
            let object = world.object(*object);
            let shown = format!("{}{}", object.short, magic_mark(world.who(who), object));
            let thing = cell(0, shown).style(Style::Item).link(myself.then(|| Hyperlink::on_body(object)));
            page.row(2, &[cell(14, slot_label(*slot)).style(Style::Item), thing]);
        }
    }
    page
}

/// How somebody's wounds look, as a predicate.
pub fn condition(c: &Character) -> &'static str {
    match c.hit.max(-1) * 100 / c.now.hit_max.max(1) {
        100.. => "is unhurt",
        90.. => "is hardly marked",
        75.. => "has taken some knocks",
        // What is made of straw or bone has nothing to bleed.
        50.. if c.is_lifeless() => "is torn in several places",
        50.. => "is bleeding from several cuts",
        30.. => "is badly hurt",
        15.. => "can hardly stand",
        0.. if c.hit >= 0 => "is about to drop",
        _ => "is dying",
    }
}

/// The predicate of `condition` as it follows "You".
fn of_oneself(predicate: &str) -> String {
    match predicate.split_once(' ') {
        Some(("is", rest)) => format!("are {rest}"),
        Some(("has", rest)) => format!("have {rest}"),
        _ => predicate.to_string(),
    }
}

/// Where it is worn, as equipment lists say it.
pub fn slot_label(slot: WearSlot) -> &'static str {
    match slot {
        WearSlot::Light => "light",
        WearSlot::FingerRight => "right finger",
        WearSlot::FingerLeft => "left finger",
        WearSlot::NeckOne | WearSlot::NeckTwo => "neck",
        WearSlot::Body => "body",
        WearSlot::Head => "head",
        WearSlot::Legs => "legs",
        WearSlot::Feet => "feet",
        WearSlot::Hands => "hands",
        WearSlot::Arms => "arms",
        WearSlot::Shield => "shield arm",
        WearSlot::About => "shoulders",
        WearSlot::Waist => "waist",
        WearSlot::WristRight => "right wrist",
        WearSlot::WristLeft => "left wrist",
        WearSlot::Wield => "weapon",
        WearSlot::Hold => "other hand",
        WearSlot::Throw => "to throw",
        WearSlot::AboutLegs => "about legs",
        WearSlot::Face => "face",
        WearSlot::Hover => "hovering",
    }
}

fn look_in(world: &World, who: CharacterId, text: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(text);
    if word.is_empty() {
        return Err("Look in what?".into());
    }
    let Some(object) = world.find_near(who, word) else {
        return Err(format!("You see no {word} here.").into());
    };
    let short = &world.object(object).short;
    inside(world, who, object).unwrap_or_else(|| Err(format!("There is nothing inside {short}.").into()))
}

/// What is in a thing that holds others, or something to drink; none for all else.
fn inside(world: &World, who: CharacterId, object: ObjectId) -> Option<Result<Page, Refusal>> {
    let object = world.object(object);
    match &object.kind {
        ObjectKind::Container { .. } if object.is_closed() => {
            Some(Err(format!("{} is closed.", capitalised(&object.definite())).into()))
        }
        ObjectKind::Container { .. } => {
            let mut page = Page::from(format!("In {}:", object.definite()));
            let before = page.text.len();
            list_objects(world, who, &object.contents, Lying::Inside(object), &mut page);
            match page.text.len() == before {
                true => Some(Ok(Page::from(format!("There is nothing in {}.", object.definite())))),
                false => Some(Ok(page)),
            }
        }
        ObjectKind::DrinkContainer { capacity, contents, liquid, .. }
        | ObjectKind::Fountain { capacity, contents, liquid, .. } => Some(Ok(if *contents <= 0 {
            Page::from(format!("{} is empty.", capitalised(&object.definite())))
        } else {
            let full = match contents * 4 / (*capacity).max(1) {
                0 => "less than a quarter full",
                1 => "about a quarter full",
                2 => "about half full",
                3 => "more than half full",
                _ => "full",
            };
            Page::from(format!("{} is {full} of {liquid}.", capitalised(&object.definite())))
        })),
        _ => None,
    }
}

pub fn exits(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    if world.who(who).is(AffectFlags::BLIND) {
        return Err("You see nothing; you are blind.".into());
    }
    let room = world.who(who).room;
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Ways out of here:");
    let before = page.text.len();
    for (index, exit) in world.room_proto(room).exits.iter().enumerate() {
        let door = world.room(room).doors[index];
        let Some(to) = exit.to.and_then(|v| world.content.room_id(v)) else { continue };
        if door.has(DoorFlags::CLOSED) {
            if !door.has(DoorFlags::HIDDEN) {
                let word = door_word(&exit.keywords);
                way_line(&mut page, exit.direction, true, &format!("The {word} is closed."));
            }
            continue;
        }
        // Where one has been, one knows.
        let name = if world.is_dark(to) && !world.sees_in_dark(who) && !map::has_seen(world, who, to) {
            "Too dark to tell."
        } else {
            &world.room_proto(to).name
        };
        way_line(&mut page, exit.direction, false, name);
    }
    if page.text.len() == before {
        page.say("None.");
    }
    Ok(page)
}

/// A line of the ways out: the way, and what is told of it.
fn way_line(page: &mut Page, way: Direction, closed: bool, what: &str) {
    let name = capitalised(way.name());
    let filling = match page.is_aloud() {
        true => ":".to_string(),
        false => format!("{} -", " ".repeat(WAY_WIDTH.saturating_sub(name.len()))),
    };
    page.say("").linked(Style::Plain, name, Hyperlink::Way { way, closed });
    page.append(Style::Plain, format!("{filling} {what}"));
}

/// Of the longest name of a way.
const WAY_WIDTH: usize = 5;

/// How many rooms away `scan` sees.
const SCAN_ROOMS: usize = 3;

/// Who is near, in the rooms that lie in a straight line through open ways.
pub fn scan(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    if !world.sees_room(who) {
        return Err("You cannot see a thing.".into());
    }
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "You take a long look around:");
    let before = page.text.len();
    let (mut shown, mut more) = (0, 0);
    for way in Direction::ALL {
        let mut room = world.who(who).room;
        for distance in 1..=SCAN_ROOMS {
            let Some(next) = world.open_way(room, *way) else { break };
            room = next;
            let dark = world.is_dark(room);
            for id in &world.room(room).characters {
                if *id != who && world.sees_in(who, *id, dark) {
                    if shown == SEEN_MAX {
                        more += 1;
                        continue;
                    }
                    shown += 1;
                    let far = match distance {
                        1 => "right next door",
                        2 => "a little way off",
                        _ => "far off",
                    };
                    let c = world.who(*id);
                    let style = if c.is_player() { Style::Player } else { Style::Mob };
                    // A click goes to where it was seen, as far as one step goes.
                    let link = Hyperlink::Way { way: *way, closed: false };
                    page.line(style, "").linked(style, capitalised(c.shown()), link);
                    page.append(style, format!(", {far} {}.", way_words(*way)));
                }
            }
        }
    }
    say_more(&mut page, more, "is one more beyond counting", "are {} more beyond counting");
    if page.text.len() == before {
        page.say("There is nobody within sight.");
    }
    Ok(page)
}

fn way_words(way: Direction) -> &'static str {
    match way {
        Direction::North => "to the north",
        Direction::East => "to the east",
        Direction::South => "to the south",
        Direction::West => "to the west",
        Direction::Up => "above you",
        Direction::Down => "below you",
    }
}
