//! What a model is told of actions: types with their fields, then the verbs of the game in groups.
//!
//! Names and usage come from `protocol::verbs`; which group a verb is in, and which verbs a model is not told of, is
//! said here, and a test sees that every verb is in one of the two. Invariant: the same bytes for all agents of a
//! build.

use super::table::{ROWS, Row};
use protocol::verbs::{VERBS, Verb};
use std::sync::LazyLock;

/// How to answer in JSON.
pub const ANSWER_FORM: &str = "\
Answer with one JSON object and nothing else:
{\"commentary\":\"one short sentence: why\",\"actions\":[{\"type\":\"command\",\"command\":\"kill\",\"args\":[\"2.goblin\"]},\
{\"type\":\"say\",\"text\":\"Stand back!\"}]}
An answer holds at most one action that spends a tick and eight free ones. An empty list means to wait.
";

/// How to answer in TOON.
pub const ANSWER_FORM_TOON: &str = "\
Answer in TOON and with nothing else; args is one string, and a column that an action has no use for is null:
commentary: \"one short sentence: why\"
actions[2]{type,command,args,text}:
  command,kill,2.goblin,null
  say,null,null,\"Stand back!\"
An answer holds at most one action that spends a tick and eight free ones. actions: [] means to wait.
";

/// Verbs by what they are for. A verb that is not in the table (yet) is not shown.
const GROUPS: &[(&str, &[&str])] = &[
    ("walk", &["north", "east", "south", "west", "up", "down", "enter", "leave", "home"]),
    ("fight", &["kill", "flee", "assist", "rescue", "wimpy", "consider"]),
    (
        "things",
        &["get", "drop", "put", "give", "wear", "wield", "hold", "remove", "eat", "drink", "fill", "junk", "donate"],
    ),
    ("doors", &["open", "close", "unlock", "lock", "pick"]),
    ("trade", &["list", "buy", "sell", "value", "deposit", "withdraw", "balance", "split"]),
    ("body", &["stand", "sit", "rest", "sleep", "wake"]),
    (
        "look",
        &[
            "look",
            "examine",
            "scan",
            "exits",
            "inventory",
            "equipment",
            "score",
            "affects",
            "who",
            "whois",
            "time",
            "weather",
            "help",
        ],
    ),
    ("company", &["follow", "group", "ungroup", "report"]),
    (
        "talk",
        &[
            "say", "tell", "reply", "whisper", "ask", "gossip", "gsay", "shout", "holler", "auction", "grats",
            "newbie", "emote",
        ],
    ),
];

/// Gestures that show what gestures are.
const SOME_GESTURES: &[&str] = &["smile", "nod", "wave", "bow", "shrug", "laugh", "thank"];

/// The text for P0. Without `mind`, the actions of the mind are not spoken of.
pub fn vocabulary(mind: bool) -> &'static str {
    static WITH: LazyLock<String> = LazyLock::new(|| written(true));
    static WITHOUT: LazyLock<String> = LazyLock::new(|| written(false));
    if mind { &WITH } else { &WITHOUT }
}

fn written(mind: bool) -> String {
    let mut text = String::from("Types of actions, with their fields (? may be null):\n");
    let rows: Vec<&Row> = ROWS.iter().filter(|row| mind || !row.mind).collect();
    let mut done = vec![false; rows.len()];
    for first in 0..rows.len() {
        if done[first] {
            continue;
        }
        let fields = fields_of(rows[first]);
        let mut names = Vec::new();
        for (other, done) in done.iter_mut().enumerate().skip(first) {
            if !*done && fields_of(rows[other]) == fields {
                *done = true;
                names.push(rows[other].name);
            }
        }
        text.push_str(&format!("- {}{fields}\n", names.join(" | ")));
    }
    if mind {
        text.push_str(
            "set, append and delete write your memory at a path such as people.Bob.trust; w weighs it, 0 to 1.\n",
        );
    }
    for (free, heading) in
        [(false, "Verbs for `command` that spend a tick:"), (true, "Free verbs, eight in an answer at most:")]
    {
        text.push_str(heading);
        text.push('\n');
        for (group, names) in GROUPS {
            let told: Vec<String> =
                names.iter().filter_map(|name| find(name)).filter(|verb| verb.free == free).map(shown).collect();
            if !told.is_empty() {
                text.push_str(&format!("{group}: {}\n", told.join(", ")));
            }
        }
    }
    text.push_str(&format!("gestures: {} and more, alone or with a name\n", SOME_GESTURES.join(", ")));
    text
}

fn fields_of(row: &Row) -> String {
    let fields: Vec<String> =
        row.fields.iter().map(|field| format!("{}{}", field.name, if field.optional { "?" } else { "" })).collect();
    if fields.is_empty() { String::new() } else { format!(": {}", fields.join(", ")) }
}

fn find(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}

/// `get thing [container]`: a verb with the first form of its usage, without the marks that only people need.
fn shown(verb: &Verb) -> String {
    let usage = verb.usage.split(" | ").next().unwrap_or("").replace(['<', '>'], "");
    // A form that was cut inside of its brackets is closed again.
    let open = usage.matches('[').count() > usage.matches(']').count();
    format!("{} {usage}{}", verb.name, if open { "]" } else { "" }).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verbs that a model is not told of: other names of a told one, the owner's affairs, settings of a screen, and
    /// those whose action has its own type.
    const UNTOLD: &[&str] = &[
        "'",
        "?",
        ":",
        ".",
        "hit",
        "murder",
        "take",
        "grab",
        "sip",
        "taste",
        "gtell",
        "pour",
        "alias",
        "unalias",
        "brief",
        "blankline",
        "color",
        "commands",
        "compact",
        "description",
        "password",
        "prompt",
        "quit",
        "save",
        "socials",
        "title",
        "toggle",
        "task",
        "note",
        "decide",
        "step",
        "block",
        "trouble",
        "context",
        "remember",
        "forget",
        "hud",
        "history",
        "recall",
    ];

    #[test]
    fn every_verb_of_mortals_is_told_or_named_as_untold() {
        let all: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).chain(UNTOLD).copied().collect();
        for verb in VERBS.iter().filter(|verb| verb.level <= 1) {
            let times = all.iter().filter(|name| **name == verb.name).count();
            assert_eq!(times, 1, "{} is in {times} lists", verb.name);
        }
        assert!(SOME_GESTURES.iter().all(|name| super::super::is_gesture(name)));
    }

    #[test]
    fn the_vocabulary_is_short_and_says_which_verbs_spend_a_tick() {
        for mind in [false, true] {
            let text = vocabulary(mind);
            let tokens = crate::tokens::count(text);
            assert!(tokens <= 700, "{tokens} tokens:\n{text}");
            let (before, free) = text.split_once("Free verbs").expect("two lists");
            let (types, spending) = before.split_once("that spend a tick").expect("a heading");
            assert!(spending.contains("kill target") && !free.contains("kill target"), "{text}");
            assert!(free.contains("tell player words") && !spending.contains("tell"), "{text}");
            assert_eq!(types.contains("step_done"), mind);
            assert!(!text.contains("quit") && !text.contains("password"));
        }
    }
}
