//! HELP: an index in groups, a page for each verb made from its row, gestures, and topics (`data/rules/help.toml`).

use crate::act::capitalise;
use crate::arena::CharacterId;
use crate::character::LEVEL_IMMORTAL;
use crate::commands::{PAGE_WIDTH, Page, VERBS, Verb, find_verb, spelling};
use crate::find::first_word;
use crate::refusal::Refusal;
use crate::report::Style;
use crate::world::World;
use content::Social;
use content::words::Position;
use serde::Deserialize;
use std::sync::LazyLock;

/// The index. Every verb that mortals have is in exactly one group; immortal verbs are a group by their level.
const GROUPS: &[(&str, &[&str])] = &[
    ("Going", &["north", "east", "south", "west", "up", "down", "enter", "leave", "exits", "home"]),
    ("Seeing", &["look", "examine", "scan", "consider", "weather", "time"]),
    ("Doors", &["open", "close", "lock", "unlock", "pick"]),
    ("Things", &["get", "take", "drop", "put", "give", "junk", "donate", "inventory"]),
    ("Wearing", &["wear", "wield", "hold", "grab", "remove", "equipment"]),
    ("Eating", &["eat", "drink", "taste", "sip", "fill", "pour"]),
    ("Trade", &["list", "buy", "sell", "value", "balance", "deposit", "withdraw"]),
    ("Fighting", &["kill", "hit", "murder", "assist", "flee", "rescue", "wimpy"]),
    ("Resting", &["stand", "sit", "rest", "sleep", "wake"]),
    ("Company", &["follow", "group", "ungroup", "gsay", "gtell", "split", "report"]),
    ("Talking", &["say", "'", "emote", ":", "whisper", "ask", "tell", "reply", "."]),
    ("Far away", &["shout", "holler", "gossip", "auction", "grats", "newbie"]),
    ("You", &["score", "affects", "title", "description", "password", "save", "quit"]),
    ("Others", &["who", "whois"]),
    (
        "Mind",
        &[
            "task", "note", "decide", "step", "block", "trouble", "remember", "forget", "compact", "context", "hud",
            "history", "recall",
        ],
    ),
    ("Settings", &["toggle", "brief", "color", "blankline", "prompt", "alias", "unalias"]),
    ("Help", &["help", "?", "commands", "socials"]),
];

/// Verbs that do the same.
const SAME: &[&[&str]] = &[
    &["say", "'"],
    &["emote", ":"],
    &["reply", "."],
    &["help", "?"],
    &["kill", "hit"],
    &["get", "take"],
    &["hold", "grab"],
    &["gsay", "gtell"],
];

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
        return Ok(index(level));
    }
    let word = word.to_lowercase();
    let verb_named = VERBS.iter().find(|verb| verb.name == word && verb.level <= level);
    let topic_named = TOPICS.iter().find(|topic| topic.words.contains(&word));
    let mut page = Page::new();
    if let Some(verb) = verb_named {
        describe_verb(verb, &mut page);
    }
    if let Some(topic) = topic_named {
        describe_topic(topic, &mut page);
    }
    if !page.text.is_empty() {
        return Ok(page);
    }
    // What was typed in full comes before what it only begins; a verb that must be typed in full can be asked for.
    let gesture = world.content.social(&word);
    let verb = find_verb(&word, level)
        .or_else(|| VERBS.iter().find(|verb| verb.level <= level && verb.name.starts_with(&*word)));
    if let Some(gesture) = gesture.filter(|gesture| *gesture.name == *word || verb.is_none()) {
        describe_gesture(gesture, &mut page);
    } else if let Some(verb) = verb {
        describe_verb(verb, &mut page);
    } else if let Some(topic) = TOPICS.iter().find(|topic| topic.words.iter().any(|w| w.starts_with(&*word))) {
        describe_topic(topic, &mut page);
    } else {
        let word: String = word.chars().take(spelling::WORD_MAX).collect();
        let verbs = VERBS.iter().filter(|verb| verb.level <= level).map(|verb| verb.name);
        let topics = TOPICS.iter().flat_map(|topic| topic.words.iter().map(|word| &**word));
        let gestures = world.content.socials.iter().map(|social| &*social.name);
        return Err(match spelling::spelled_like(&word, verbs.chain(topics).chain(gestures)) {
            Some(meant) => format!("There is no help on \"{word}\". Did you mean {meant}?").into(),
            None => format!("There is no help on \"{word}\". Without a word, help shows what there is.").into(),
        });
    }
    Ok(page)
}

/// The width of the first column of the index.
const LABEL_WIDTH: usize = 10;

fn index(level: i32) -> Page {
    let mut page = Page::new();
    page.line(Style::Heading, "Help on a verb, a gesture or a topic: help <word>");
    for (label, names) in GROUPS {
        row(label, names.iter().copied().filter(|name| name.len() > 1), &mut page);
    }
    if level >= LEVEL_IMMORTAL {
        let verbs = VERBS.iter().filter(|verb| verb.level >= LEVEL_IMMORTAL && verb.level <= level);
        row("Immortal", verbs.map(|verb| verb.name), &mut page);
    }
    row("Topics", TOPICS.iter().map(|topic| &*topic.name), &mut page);
    page.say("Gestures such as nod and smile are listed by socials.");
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

fn describe_verb(verb: &Verb, page: &mut Page) {
    page.line(Style::Heading, format!("{} {}", verb.name, verb.usage).trim_end());
    for line in wrapped(verb.help) {
        page.say(line);
    }
    let same: Vec<&str> = SAME
        .iter()
        .filter(|names| names.contains(&verb.name))
        .flat_map(|names| names.iter().copied())
        .filter(|name| *name != verb.name)
        .collect();
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
        (verb.traits.reveals, "It gives you away if you were hidden."),
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

fn describe_gesture(gesture: &Social, page: &mut Page) {
    let target = if gesture.actor_victim.is_some() { " [<somebody>]" } else { "" };
    page.line(Style::Heading, format!("{}{target}", gesture.name));
    page.say(format!("A gesture: {}", about_somebody(&gesture.actor)));
    if let Some(text) = &gesture.actor_victim {
        page.say(format!("At somebody: {}", about_somebody(text)));
    }
    page.say(when(gesture.position));
}

/// A voice of a gesture, read without anybody there.
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
    fn every_mortal_verb_is_in_exactly_one_group() {
        for verb in VERBS.iter().filter(|verb| verb.level < LEVEL_IMMORTAL) {
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&verb.name)).count();
            assert_eq!(groups, 1, "{} is in {groups} groups of the index", verb.name);
        }
    }

    #[test]
    fn every_name_in_the_index_is_a_verb() {
        for name in GROUPS.iter().flat_map(|(_, names)| *names).chain(SAME.iter().copied().flatten()) {
            assert!(VERBS.iter().any(|verb| verb.name == *name), "{name}");
        }
    }

    #[test]
    fn topics_are_found_by_lower_case_words_and_fit_the_screen() {
        for topic in TOPICS.iter() {
            assert_eq!(topic.words.first(), Some(&topic.name));
            assert!(topic.words.iter().all(|word| *word == word.to_lowercase()), "{}", topic.name);
            assert!(topic.text.lines().all(|line| line.chars().count() <= 76), "{}", topic.name);
        }
    }
}
