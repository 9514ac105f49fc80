//! HELP: an index in groups, a page for each verb made from its row, socials, and topics (`data/rules/help.toml`; what
//! those on the mind and on pets say of actions and orders is made from the tables), peoples and callings, places
//! (`help_places.rs`).

use crate::act::{capitalise, listed};
use crate::arena::CharacterId;
use crate::commands::learning::Art;
use crate::commands::verb::{NAMES, names_for};
use crate::commands::{Group, VERBS, Verb, channels, find_verb, help_places, spelling};
use crate::find::{begins_name, first_word};
use crate::page::Page;
use crate::refusal::Refusal;
use crate::report::Style;
use crate::rules::{ClassRow, RaceRow};
use crate::tasks;
use crate::world::World;
use content::paragraphs::flowed;
use content::words::Position;
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

/// A line of a topic is no longer, so that it fits a screen of 80 columns.
const LINE_CHARS: usize = 76;

/// A text made from a table, in lines such as the file's own.
fn filled(text: &str) -> String {
    let mut lines = String::new();
    let mut at = 0;
    for word in text.split_whitespace() {
        let chars = word.chars().count();
        match at {
            0 => {}
            _ if at + 1 + chars > LINE_CHARS => {
                lines.push('\n');
                at = 0;
            }
            _ => {
                lines.push(' ');
                at += 1;
            }
        }
        lines.push_str(word);
        at += chars;
    }
    lines.push('\n');
    lines
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
    pets.text.push_str(&filled(&format!(
        "Whoever serves obeys these: {}. An animal tries what else takes neither words nor an art, too.",
        listed(&orders)
    )));
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
        if let Some(art) = art_named(world, |name| name == whole) {
            describe_art(world, art, &mut page);
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
    if let Some(art) = art_named(world, |name| name == whole) {
        describe_art(world, art, &mut page);
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
        && let Some(art) = art_named(world, |name| begins_name(name, &whole))
    {
        describe_art(world, art, &mut page);
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
    } else if let Some(art) = art_named(world, |name| begins_name(name, &whole)) {
        describe_art(world, art, &mut page);
    } else if let Some(place) = place {
        help_places::describe(world, who, &place, &mut page);
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

/// When a verb can be used, from the lowest position that it allows.
pub fn when(position: Position) -> &'static str {
    match position {
        Position::Dead => "It works in any state.",
        Position::MortallyWounded | Position::Incapacitated | Position::Stunned => "It works as long as you live.",
        Position::Sleeping => "It works even asleep.",
        Position::Resting => "It works unless you sleep.",
        Position::Sitting => "It works sitting, standing or in a fight.",
        Position::Fighting => "It works standing or in a fight.",
        Position::Standing => "It works standing, and not in a fight.",
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

/// The first art, spells before skills, whose name is meant.
fn art_named(world: &World, meant: impl Fn(&str) -> bool) -> Option<Art<'_>> {
    let rules = &world.rules;
    let skills = rules.skills.iter().filter(|row| row.is_usable());
    let all = rules.spells.iter().map(Art::Spell).chain(skills.map(Art::Skill));
    all.into_iter().find(|art| meant(art.name()))
}

fn describe_art(world: &World, art: Art, page: &mut Page) {
    let mut name = art.name().to_string();
    capitalise(&mut name);
    if !page.text.is_empty() {
        page.say("");
    }
    page.line(Style::Heading, name);
    let help = match art {
        Art::Spell(row) => &row.text.help,
        Art::Skill(row) => &row.help,
    };
    if !help.is_empty() {
        page.say(help);
    }
    let classes = world.rules.classes.iter().filter_map(|class| Some((&class.label, art.level(class.name)?)));
    let classes: Vec<String> = classes.map(|(label, level)| format!("{label} {level}")).collect();
    let learned = match classes.is_empty() {
        true => "Nobody learns it.".to_string(),
        false => format!("Learned at level: {}.", classes.join(", ")),
    };
    page.say(&learned);
    match art {
        Art::Spell(row) => {
            let mana = row.mana;
            page.say(match mana.max == mana.min {
                true => format!("Mana: {}.", mana.max),
                false => {
                    format!("Mana: {}, and {} less with each level, down to {}.", mana.max, mana.per_level, mana.min)
                }
            });
            if let Some(reagent) = row.reagent.as_ref().and_then(|name| world.content.object(world.conjured(name)?)) {
                page.say(format!("Stronger with {}.", reagent.short));
            }
            page.say(when(row.position));
        }
        Art::Skill(row) => {
            if let Some(verb) = &row.verb {
                page.say(format!("The verb: {verb}"));
            }
        }
    }
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

    #[test]
    fn topics_are_found_by_lower_case_words_and_fit_the_screen() {
        for topic in TOPICS.iter() {
            assert_eq!(topic.words.first(), Some(&topic.name));
            assert!(topic.words.iter().all(|word| *word == word.to_lowercase()), "{}", topic.name);
            assert!(topic.text.lines().all(|line| line.chars().count() <= LINE_CHARS), "{}", topic.name);
        }
    }
}
