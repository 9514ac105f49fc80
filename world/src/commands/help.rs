//! HELP: an index in groups, a page for each verb made from its row, socials, and topics (`data/rules/help.toml`).

use crate::act::capitalise;
use crate::arena::CharacterId;
use crate::commands::verb::{NAMES, names_for};
use crate::commands::{Group, VERBS, Verb, channels, find_verb, spelling};
use crate::find::first_word;
use crate::page::{PAGE_WIDTH, Page};
use crate::refusal::Refusal;
use crate::report::Style;
use crate::world::World;
use content::words::Position;
use content::{Channel, Social};
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
    let read: Topics =
        toml::from_str(include_str!("../../../data/rules/help.toml")).expect("the embedded help is read by a test");
    read.topic
});

/// Whether a topic goes by that word, in full.
pub(super) fn has_topic(word: &str) -> bool {
    TOPICS.iter().any(|topic| topic.words.iter().any(|name| name == word))
}

pub fn help(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let level = world.who(who).level;
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Ok(index(world, level));
    }
    let word = word.to_lowercase();
    let verb_named = NAMES.named(&word).filter(|verb| verb.level <= level);
    let topic_named = TOPICS.iter().find(|topic| topic.words.contains(&word));
    let mut page = Page::new();
    if let Some(verb) = verb_named {
        describe_verb(verb, &word, &mut page);
    }
    if let Some(channel) = world.content.channels.iter().find(|channel| *channel.name == *word) {
        describe_channel(channel, &mut page);
    }
    if let Some(topic) = topic_named {
        describe_topic(topic, &mut page);
    }
    if !page.text.is_empty() {
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

fn index(world: &World, level: i32) -> Page {
    let mut page = Page::new();
    page.line(Style::Heading, "Help on a verb, a social or a topic: help <word>");
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
    page.say("Socials such as nod and smile are listed by socials.");
    page
}

/// A label and words, broken into lines that begin below each other.
fn row<'a>(label: &str, words: impl Iterator<Item = &'a str>, page: &mut Page) {
    let mut line = format!("{label:<LABEL_WIDTH$}");
    let mut begun = true;
    for word in words {
        if !begun && line.len() + 1 + word.len() > PAGE_WIDTH {
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
    for line in wrapped(verb.help) {
        page.say(line);
    }
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
    for line in wrapped(&channel.help) {
        page.say(line);
    }
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
    page.say(topic.text.trim_end());
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

/// Lines of at most `PAGE_WIDTH` characters, broken at blanks.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= PAGE_WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_found_by_lower_case_words_and_fit_the_screen() {
        for topic in TOPICS.iter() {
            assert_eq!(topic.words.first(), Some(&topic.name));
            assert!(topic.words.iter().all(|word| *word == word.to_lowercase()), "{}", topic.name);
            assert!(topic.text.lines().all(|line| line.chars().count() <= 76), "{}", topic.name);
        }
    }
}
