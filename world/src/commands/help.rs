//! HELP: a page for each verb made from its row, socials, topics (`help_topics.rs`), peoples and callings, arts
//! (`help_arts.rs`), places (`help_places.rs`); without a word, and for lists, `help_index.rs`.

use crate::act::{capitalise, listed};
use crate::arena::CharacterId;
use crate::clock::{TICKS_PER_HOUR, duration};
use crate::commands::help_topics::{TOPICS, Topic};
use crate::commands::learning::Art;
use crate::commands::settings::{self, Setting};
use crate::commands::verb::{NAMES, names_for, when};
use crate::commands::{VERBS, Verb, channels, find_verb, help_arts, help_index, help_places, spelling};
use crate::find::{begins_name, first_word};
use crate::page::{Page, cell};
use crate::refusal::Refusal;
use crate::report::Style;
use crate::rules::{ClassRow, RaceRow};
use crate::tasks;
use crate::world::World;
use content::paragraphs::flowed;
use content::{Behaviour, Channel, MobProto, Social};
use protocol::words::counted;

/// How many pages of help there are: of topics and of verbs.
pub fn help_pages() -> usize {
    TOPICS.len() + VERBS.len()
}

/// Whether a topic or a list goes by that word, in full.
pub(super) fn has_topic(word: &str) -> bool {
    TOPICS.iter().any(|topic| topic.words.iter().any(|name| name == word))
        || help_index::list_words().any(|name| name == word)
}

/// To who asks about a place that it was told of.
const NOT_BEEN_THERE: &str = "You have not been there yet: help tells of places that you have seen.";

/// So much of what was typed is said again.
const SHOWN_CHARS: usize = 40;

pub fn help(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let level = world.who(who).level;
    // A name may stand in quotes, as for cast.
    let args = args.trim().trim_matches(['\'', '"', '‘', '’', '“', '”']);
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Ok(help_index::index(world, who));
    }
    let whole = args.trim().to_lowercase();
    let word = word.to_lowercase();
    // The whole name of an art or a place comes before the page on its first word.
    if whole.contains(' ') {
        let mut page = Page::for_reader(world.who(who));
        if let Some(art) = help_arts::called(world, &whole) {
            help_arts::describe(world, who, art, &whole, &mut page);
            return Ok(page);
        }
        if let Some(place) = help_places::named(world, who, &whole).filter(|place| place.is_called(&whole)) {
            help_places::describe(world, who, &place, &mut page);
            return Ok(page);
        }
        if let Some(land) = help_places::land(world, who, &whole) {
            help_places::describe_land(world, who, &land, &mut page);
            return Ok(page);
        }
        // Of an art, the beginnings of several words are enough.
        if let Some(art) = help_arts::named(world, |name| begins_name(name, &whole)) {
            help_arts::describe(world, who, art, &whole, &mut page);
            return Ok(page);
        }
        if help_places::is_somewhere(world, &whole) {
            return Err(NOT_BEEN_THERE.into());
        }
    } else if let Some(page) = help_index::list(world, who, &whole) {
        return Ok(page);
    }
    let verb_named = NAMES.named(&word).filter(|verb| verb.level <= level);
    let topic_named = TOPICS.iter().find(|topic| topic.words.contains(&word));
    let mut page = Page::for_reader(world.who(who));
    if let Some(verb) = verb_named {
        describe_verb(verb, &word, &mut page);
    }
    if let Some(channel) = world.content.channels.iter().find(|channel| *channel.name == *word) {
        describe_channel(channel, &mut page);
    }
    if let Some(topic) = topic_named {
        if whole != word && page.text.is_empty() {
            let whole: String = whole.chars().take(SHOWN_CHARS).collect();
            page.say(format!("There is no help on \"{whole}\", but on {word}:"));
        }
        describe_topic(world, topic, &mut page);
    }
    if let Some(art) = help_arts::called(world, &whole) {
        help_arts::describe(world, who, art, &whole, &mut page);
    }
    if let Some(row) = world.rules.races.iter().find(|row| row.label.eq_ignore_ascii_case(&whole)) {
        describe_people(row, &mut page);
    }
    if let Some(row) = help_index::to_choose(world).find(|row| row.label.eq_ignore_ascii_case(&whole)) {
        describe_calling(world, row, &mut page);
    }
    if let Some(setting) = settings::called(level, &whole).filter(|_| verb_named.is_none()) {
        describe_setting(setting, &mut page);
    }
    if !page.text.is_empty() {
        return Ok(page);
    }
    let place = help_places::named(world, who, &whole);
    if let Some(place) = place.as_ref().filter(|place| place.is_called(&whole)) {
        help_places::describe(world, who, place, &mut page);
        return Ok(page);
    }
    if let Some(land) = help_places::land(world, who, &whole) {
        help_places::describe_land(world, who, &land, &mut page);
        return Ok(page);
    }
    // What was typed in full comes before what it only begins; a verb that must be typed in full can be asked for. Of
    // several words the beginning of the first alone is not what was meant.
    let is_one = whole == word;
    let social = world.content.social(&word).filter(|social| is_one || *social.name == *word);
    let begun = || NAMES.iter().find(|name| name.level <= level && name.name.starts_with(&*word));
    let verb = find_verb(&word, level).or_else(|| begun().map(|name| name.verb)).filter(|_| is_one);
    let begins = |topic: &&Topic| is_one && topic.words.iter().any(|w| w.starts_with(&*word));
    if let Some(social) = social.filter(|social| *social.name == *word || verb.is_none()) {
        describe_social(social, &mut page);
    } else if let Some(channel) = channels::find(&world.content, &word).filter(|_| is_one && verb.is_none()) {
        describe_channel(world.content.channel(channel), &mut page);
    } else if let Some(verb) = verb {
        describe_verb(verb, verb.name, &mut page);
    } else if let Some(topic) = TOPICS.iter().find(begins) {
        describe_topic(world, topic, &mut page);
    } else if let Some(art) = help_arts::named(world, |name| begins_name(name, &whole)) {
        help_arts::describe(world, who, art, &whole, &mut page);
    } else if let Some(place) = place {
        help_places::describe(world, who, &place, &mut page);
    } else if let Some(land) = help_places::land_holding(world, who, &whole) {
        help_places::describe_land(world, who, &land, &mut page);
    } else {
        if help_places::is_somewhere(world, &whole) {
            return Err(NOT_BEEN_THERE.into());
        }
        if !is_one {
            let whole: String = whole.chars().take(SHOWN_CHARS).collect();
            return Err(format!("There is no help on \"{whole}\". Without a word, help shows what there is.").into());
        }
        let word: String = word.chars().take(spelling::WORD_MAX).collect();
        let verbs = names_for(level).chain(world.content.channels.iter().map(|channel| &*channel.name));
        let topics = TOPICS.iter().flat_map(|topic| topic.words.iter().map(|word| &**word));
        let topics = topics.chain(help_index::list_words().map(|word| -> &str { word }));
        let socials = world.content.socials.iter().map(|social| &*social.name);
        return Err(match spelling::spelled_like(&word, verbs.chain(topics).chain(socials)) {
            Some(meant) => format!("There is no help on \"{word}\". Did you mean {meant}?").into(),
            None => format!("There is no help on \"{word}\". Without a word, help shows what there is.").into(),
        });
    }
    Ok(page)
}

fn describe_setting(setting: &Setting, page: &mut Page) {
    page.line(Style::Heading, setting.name);
    page.say(format!("A setting: toggle {} switches it.", setting.name));
    page.row(2, &[cell(5, "on"), cell(0, setting.on)]);
    page.row(2, &[cell(5, "off"), cell(0, setting.off)]);
}

/// `name`: which of its names was asked for.
fn describe_verb(verb: &Verb, name: &str, page: &mut Page) {
    page.line(Style::Heading, format!("{name} {}", verb.usage).trim_end());
    page.say(verb.help);
    let same: Vec<&str> = verb.names().filter(|other| *other != name).collect();
    if !same.is_empty() {
        page.say(format!("The same: {}", same.join(", ")));
    }
    page.say(when(verb.position));
    if verb.level > 1 {
        page.say(format!("From level {} on.", verb.level));
    }
    for (has, text) in [
        (verb.traits.full_word, "It must be typed in full."),
        (verb.traits.secret, "What follows it is kept nowhere and shown to nobody."),
        (verb.traits.while_frozen, "It works even while you are frozen."),
    ] {
        if has {
            page.say(text);
        }
    }
}

fn describe_channel(channel: &Channel, page: &mut Page) {
    page.line(Style::Heading, format!("{} <words>", channel.name));
    page.say(&channel.help);
    page.say(when(channel.position));
    page.say(format!("To hear it or not: toggle {}", channel.setting));
}

/// Where a topic's text says how long the corpse of a player lies.
const CORPSE: &str = "{corpse}";

fn describe_topic(world: &World, topic: &Topic, page: &mut Page) {
    if page.text.is_empty() {
        let mut name = topic.name.clone();
        capitalise(&mut name);
        page.line(Style::Heading, name);
    } else {
        page.say("");
    }
    let hours = world.rules.corpse_player_hours.max(0) as u32;
    let lies = || {
        let real = duration(u64::from(hours) * TICKS_PER_HOUR);
        format!("{} of the world, which are {real} of yours", counted(hours, "hour"))
    };
    match topic.text.contains(CORPSE) {
        true => page.say(flowed(&topic.text.replace(CORPSE, &lies()))),
        false => page.say(flowed(&topic.text)),
    };
}

fn describe_people(row: &RaceRow, page: &mut Page) {
    page.line(Style::Heading, &*row.label).say(&*row.about);
    let gifts: Vec<String> =
        row.bonus.iter().map(|(ability, by)| format!("{} {by:+}", ability.name().replace('_', " "))).collect();
    if !gifts.is_empty() {
        page.say(format!("Born with: {}.", gifts.join(", ")));
    }
    let known: Vec<&str> = row.skills.keys().map(|skill| skill.name()).collect();
    if !known.is_empty() {
        page.say(format!("Known from birth: {}.", known.join(", ")));
    }
}

fn describe_calling(world: &World, row: &ClassRow, page: &mut Page) {
    page.line(Style::Heading, &*row.label).say(&*row.about);
    let teaches = |mob: &&MobProto| {
        let mut behaviours = mob.behaviours.iter();
        behaviours.any(|one| matches!(one, Behaviour::Teacher { classes } if classes.contains(&row.name)))
    };
    let teachers = world.content.mobs.iter().filter(teaches);
    let teachers: Vec<String> = teachers.map(|mob| tasks::mob_and_place(&world.content, mob.vnum)).collect();
    if !teachers.is_empty() {
        page.say(format!("Taught by {}. help with the name of a place tells the way.", listed(&teachers)));
    }
    let skills = world.rules.skills.iter().filter(|row| row.is_usable()).map(Art::Skill);
    let spells = world.rules.spells.iter().map(Art::Spell);
    for (label, arts) in [("Skills", skills.collect::<Vec<_>>()), ("Spells", spells.collect())] {
        let learned = arts.iter().filter_map(|art| Some((art.level(row.name)?, art.name())));
        let mut learned: Vec<(i32, &str)> = learned.collect();
        learned.sort_unstable();
        let learned: Vec<String> = learned.into_iter().map(|(level, name)| format!("{name} {level}")).collect();
        if !learned.is_empty() {
            page.say(format!("{label}, with the level from which they are taught: {}.", learned.join(", ")));
        }
    }
}

fn describe_social(social: &Social, page: &mut Page) {
    let target = if social.actor_victim.is_some() { " [<somebody>]" } else { "" };
    page.line(Style::Heading, format!("{}{target}", social.name));
    page.say(format!("A social: {}", about_somebody(&social.actor)));
    if let Some(text) = &social.actor_victim {
        page.say(format!("At somebody: {}", about_somebody(text)));
    }
    page.say(when(social.position));
}

/// A voice of a social, read without anybody there.
fn about_somebody(text: &str) -> String {
    let mut text = [("$N", "somebody"), ("$E", "they"), ("$M", "them"), ("$S", "their")]
        .iter()
        .chain(&[("$n", "you"), ("$e", "you"), ("$m", "you"), ("$s", "your")])
        .fold(text.to_string(), |text, (mark, word)| text.replace(mark, word));
    capitalise(&mut text);
    text
}
