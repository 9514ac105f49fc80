//! The topics of HELP (`data/rules/help.toml`), by families; what those on the mind and on pets say of actions and
//! orders is made from the tables.

use crate::act::listed;
use crate::commands::VERBS;
use content::paragraphs::in_lines;
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topic {
    pub name: String,
    pub family: Family,
    /// Lower case; the first is the name.
    pub words: Vec<String>,
    pub text: String,
}

/// What topics are about, in the order in which a newcomer wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Family {
    Beginning,
    Yourself,
    Fighting,
    Things,
    World,
    Company,
    Typing,
    Mind,
}

impl Family {
    pub const ALL: [Family; 8] = [
        Family::Beginning,
        Family::Yourself,
        Family::Fighting,
        Family::Things,
        Family::World,
        Family::Company,
        Family::Typing,
        Family::Mind,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Family::Beginning => "Beginning",
            Family::Yourself => "Yourself",
            Family::Fighting => "Fighting",
            Family::Things => "Things",
            Family::World => "The world",
            Family::Company => "Company",
            Family::Typing => "Typing",
            Family::Mind => "The mind",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    topic: Vec<Topic>,
}

/// Read once from the embedded file, which never changes: no state.
pub(super) static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let mut read: Topics =
        toml::from_str(include_str!("../../../data/rules/help.toml")).expect("the embedded help is read by a test");
    for (name, made) in [
        ("mind", include_str!("../../../data/rules/help_mind.txt")),
        ("actions", include_str!("../../../data/rules/help_actions.txt")),
    ] {
        let topic = read.topic.iter_mut().find(|topic| topic.name == name).expect("a topic of the file");
        topic.text.push_str(made);
    }
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
