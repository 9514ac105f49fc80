//! HELP: an index in groups, a page for each verb made from its row, socials, and topics (`data/rules/help.toml`; what
//! those on the mind and on pets say of actions and orders is made from the tables), peoples and callings, arts
//! (`help_arts.rs`), places (`help_places.rs`).

use crate::act::{capitalise, listed};
use crate::arena::CharacterId;
use crate::commands::learning::Art;
use crate::commands::verb::{NAMES, names_for, when};
use crate::commands::{Group, VERBS, Verb, channels, find_verb, help_arts, help_places, spelling};
use crate::find::{begins_name, first_word};
use crate::page::Page;
use crate::refusal::Refusal;
use crate::report::Style;
use crate::rules::{ClassRow, RaceRow};
use crate::tasks;
use crate::world::World;
use content::paragraphs::{flowed, in_lines};
use content::{Behaviour, Channel, MobProto, Social};
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    name: String,
    /// Lower case; the first is the name.
    words: Vec<String>,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    topic: Vec<Topic>,
}

/// Read once from the embedded file, which never changes: no state.
static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let mut read: Topics =
        toml::from_str(include_str!("../../../data/rules/help.toml")).expect("the embedded help is read by a test");
    let mind = read.topic.iter_mut().find(|topic| topic.name == "mind").expect("a topic of the file");
    mind.text.push_str(include_str!("../../../data/rules/help_mind.txt"));
    let pets = read.topic.iter_mut().find(|topic| topic.name == "pets").expect("a topic of the file");
    let orders: Vec<String> =
        VERBS.iter().filter(|verb| verb.traits.orderable).map(|verb| verb.name.to_string()).collect();
    pets.text.push('\n');
    pets.text.push_str(&in_lines(&format!(
        "Whoever serves obeys these: {}. An animal tries what else takes neither words nor an art, too.",
        listed(&orders)
    )));
    pets.text.push('\n');
    read.topic
});

/// How many pages of help there are: of topics and of verbs.
pub fn help_pages() -> usize {
    TOPICS.len() + VERBS.len()
}

/// Whether a topic goes by that word, in full.
pub(super) fn has_topic(word: &str) -> bool {
    TOPICS.iter().any(|topic| topic.words.iter().any(|name| name == word))
}

pub fn help(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let level = world.who(who).level;
    // A name may stand in quotes, as for cast.
    let args = args.trim().trim_matches(['\'', '"', '‘', '’', '“', '”']);
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Ok(index(world, who, level));
    }
    let whole = args.trim().to_lowercase();
    let word = word.to_lowercase();
    // The whole name of an art or a place comes before the page on its first word.
    if whole.contains(' ') {
        let mut page = Page::for_reader(world.who(who));
        if let Some(art) = help_arts::named(world, |name| name == whole) {
            help_arts::describe(world, who, art, &mut page);
            return Ok(page);
        }
        if let Some(place) = help_places::named(world, who, &whole).filter(|place| place.is_called(&whole)) {
            help_places::describe(world, who, &place, &mut page);
            return Ok(page);
        }
        if let Some(land) = help_places::land(world, who, &whole) {
            help_places::describe_land(world, who, land, &mut page);
            return Ok(page);
        }
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
        describe_topic(topic, &mut page);
    }
    if let Some(art) = help_arts::named(world, |name| name == whole) {
        help_arts::describe(world, who, art, &mut page);
    }
    if let Some(row) = world.rules.races.iter().find(|row| row.label.eq_ignore_ascii_case(&whole)) {
        describe_people(row, &mut page);
    }
    if let Some(row) = callings(world).find(|row| row.label.eq_ignore_ascii_case(&whole)) {
        describe_calling(world, row, &mut page);
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
        help_places::describe_land(world, who, land, &mut page);
        return Ok(page);
    }
    // Of an art, the beginnings of several words are enough.
    if whole.contains(' ')
        && let Some(art) = help_arts::named(world, |name| begins_name(name, &whole))
    {
        help_arts::describe(world, who, art, &mut page);
        return Ok(page);
    }
    // What was typed in full comes before what it only begins; a verb that must be typed in full can be asked for.
    let social = world.content.social(&word);
    let begun = || NAMES.iter().find(|name| name.level <= level && name.name.starts_with(&*word));
    let verb = find_verb(&word, level).or_else(|| begun().map(|name| name.verb));
    if let Some(social) = social.filter(|social| *social.name == *word || verb.is_none()) {
        describe_social(social, &mut page);
    } else if let Some(channel) = channels::find(&world.content, &word).filter(|_| verb.is_none()) {
        describe_channel(world.content.channel(channel), &mut page);
    } else if let Some(verb) = verb {
        describe_verb(verb, verb.name, &mut page);
    } else if let Some(topic) = TOPICS.iter().find(|topic| topic.words.iter().any(|w| w.starts_with(&*word))) {
        describe_topic(topic, &mut page);
    } else if let Some(art) = help_arts::named(world, |name| begins_name(name, &whole)) {
        help_arts::describe(world, who, art, &mut page);
    } else if let Some(place) = place {
        help_places::describe(world, who, &place, &mut page);
    } else if let Some(land) = help_places::land_holding(world, who, &whole) {
        help_places::describe_land(world, who, land, &mut page);
    } else {
        let word: String = word.chars().take(spelling::WORD_MAX).collect();
        let verbs = names_for(level).chain(world.content.channels.iter().map(|channel| &*channel.name));
        let topics = TOPICS.iter().flat_map(|topic| topic.words.iter().map(|word| &**word));
        let socials = world.content.socials.iter().map(|social| &*social.name);
        return Err(match spelling::spelled_like(&word, verbs.chain(topics).chain(socials)) {
            Some(meant) => format!("There is no help on \"{word}\". Did you mean {meant}?").into(),
            None => format!("There is no help on \"{word}\". Without a word, help shows what there is.").into(),
        });
    }
    Ok(page)
}

/// The width of the first column of the index.
const LABEL_WIDTH: usize = 10;

fn index(world: &World, who: CharacterId, level: i32) -> Page {
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Help on a verb, a social, a topic or a place: help <word>");
    for group in Group::ALL {
        let verbs = VERBS.iter().filter(|verb| verb.group == group && verb.level <= level);
        let far = world.content.channels.iter().filter(|_| group == Group::FarAway).map(|channel| &*channel.name);
        let mut names = verbs
            .flat_map(Verb::names)
            .map(|name| -> &str { name })
            .filter(|name| name.len() > 1)
            .chain(far)
            .peekable();
        if names.peek().is_some() {
            row(group.label(), names, &mut page);
        }
    }
    row("Topics", TOPICS.iter().map(|topic| &*topic.name), &mut page);
    let lower: Vec<String> = world.rules.races.iter().map(|row| row.label.to_lowercase()).collect();
    row("Peoples", lower.iter().map(|label| &**label), &mut page);
    let lower: Vec<String> = callings(world).map(|row| row.label.to_lowercase()).collect();
    row("Callings", lower.iter().map(|label| &**label), &mut page);
    let places = help_places::all(world);
    row("Places", places.keys().map(|name| &**name), &mut page);
    page.say("Socials such as nod and smile are listed by socials.");
    page
}

/// A label and words, broken into lines that begin below each other.
fn row<'a>(label: &str, words: impl Iterator<Item = &'a str>, page: &mut Page) {
    if page.is_aloud() {
        page.say(format!("{label}: {}", words.collect::<Vec<_>>().join(", ")));
        return;
    }
    let mut line = format!("{label:<LABEL_WIDTH$}");
    let mut begun = true;
    for word in words {
        if !begun && line.len() + 1 + word.len() > page.width() {
            page.say(&line);
            line = " ".repeat(LABEL_WIDTH);
            begun = true;
        }
        if !begun {
            line.push(' ');
        }
        line.push_str(word);
        begun = false;
    }
    page.say(line);
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

fn describe_topic(topic: &Topic, page: &mut Page) {
    if page.text.is_empty() {
        let mut name = topic.name.clone();
        capitalise(&mut name);
        page.line(Style::Heading, name);
    } else {
        page.say("");
    }
    page.say(flowed(topic.text.trim_end()));
}

/// Those that a new character can have.
fn callings(world: &World) -> impl Iterator<Item = &ClassRow> {
    world.rules.classes.iter().filter(|row| row.at_creation)
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

#[cfg(test)]
mod tests {
    use super::*;
    use content::paragraphs::WRITTEN_WIDTH;

    #[test]
    fn topics_are_found_by_lower_case_words_and_fit_the_screen() {
        for topic in TOPICS.iter() {
            assert_eq!(topic.words.first(), Some(&topic.name));
            assert!(topic.words.iter().all(|word| *word == word.to_lowercase()), "{}", topic.name);
            assert!(topic.text.lines().all(|line| line.chars().count() <= WRITTEN_WIDTH), "{}", topic.name);
        }
    }
}
