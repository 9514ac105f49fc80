//! What a verb is, and which one a typed word means.
//!
//! A row of the table (`table.rs`) says everything that anybody asks of a verb: people's `help` and `commands`,
//! `docs/COMMANDS.md`, `protocol/verbs.json`, and from that what models are told of it. Invariant: which verb a word
//! means does not depend on the order of the rows.

use crate::arena::CharacterId;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::world::World;
use content::words::Position;
use protocol::verbs::{Category, Models, Names, Rank, Row};
use std::sync::LazyLock;

/// One row of the verb table.
#[derive(Clone, Copy)]
pub struct Verb {
    pub name: &'static str,
    /// Other names of it; a sign may be one (`'`).
    pub aliases: &'static [&'static str],
    /// Beginnings that are this verb's though others have them too: `n`, `l`. What is longer is its as well (`lo`).
    pub shorts: &'static [&'static str],
    /// Where the index of help has it.
    pub group: Group,
    /// The lowest position in which it can be used.
    pub position: Position,
    /// The lowest level that may use it.
    pub level: i32,
    pub run: Run,
    /// What follows the verb, as help shows it: `<object> [from <container>]`; may be empty. Models are told its first
    /// form.
    pub usage: &'static str,
    /// One or two sentences for help.
    pub help: &'static str,
    /// Whether models are told of it, and under which heading.
    pub models: Models,
    pub traits: Traits,
}

#[derive(Clone, Copy)]
pub enum Run {
    /// Only looks: the answer is a page for the asker.
    Look(fn(&World, CharacterId, &str) -> Result<Page, Refusal>),
    Act(fn(&mut World, CharacterId, &str) -> Done),
}

/// What is special about a verb.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traits {
    /// Must be typed in full: a slip would hurt, or the abbreviations are those of a social.
    pub full_word: bool,
    /// Its arguments never enter journal, capture, snoop or log; the edge keeps them and answers (`secrets`).
    pub secret: bool,
    /// What follows its first argument is a command: `at 3001 look`.
    pub runs_commands: bool,
    /// Works while frozen by an immortal.
    pub while_frozen: bool,
    /// Acts, and yet spends no tick: talking, settings, an agent's own mind. What only looks is free without it.
    pub free: bool,
    /// Puts words into others' ears.
    pub speech: bool,
    /// A charmed player can be ordered to do it.
    pub orderable: bool,
    /// What follows it is words, a pattern or a secret, in which a `;` parts no commands. Verbs of talk, of settings
    /// and of the mind are so without it.
    pub words: bool,
    /// Waits neither for lag nor behind what was typed before it.
    pub at_once: bool,
    /// Means somebody who may be out of sight: an id of who is not here is none of who is gone.
    pub afar: bool,
}

/// The groups of help's index, in its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    Going,
    Seeing,
    Doors,
    Objects,
    Wearing,
    Eating,
    Trade,
    Fighting,
    Arts,
    Resting,
    Company,
    Talking,
    FarAway,
    You,
    Others,
    Mind,
    Settings,
    Help,
    Immortal,
}

impl Group {
    pub const ALL: [Group; 19] = [
        Group::Going,
        Group::Seeing,
        Group::Doors,
        Group::Objects,
        Group::Wearing,
        Group::Eating,
        Group::Trade,
        Group::Fighting,
        Group::Arts,
        Group::Resting,
        Group::Company,
        Group::Talking,
        Group::FarAway,
        Group::You,
        Group::Others,
        Group::Mind,
        Group::Settings,
        Group::Help,
        Group::Immortal,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Group::Going => "Going",
            Group::Seeing => "Seeing",
            Group::Doors => "Doors",
            Group::Objects => "Things",
            Group::Wearing => "Wearing",
            Group::Eating => "Eating",
            Group::Trade => "Trade",
            Group::Fighting => "Fighting",
            Group::Arts => "Arts",
            Group::Resting => "Resting",
            Group::Company => "Company",
            Group::Talking => "Talking",
            Group::FarAway => "Far away",
            Group::You => "You",
            Group::Others => "Others",
            Group::Mind => "Mind",
            Group::Settings => "Settings",
            Group::Help => "Help",
            Group::Immortal => "Immortal",
        }
    }
}

impl Verb {
    /// A decision of an agent may hold many of these, and one of all others.
    pub fn is_free(&self) -> bool {
        self.traits.free || matches!(self.run, Run::Look(_))
    }

    /// What it does to the turn of an agent. Forms of a verb whose answer may come later are told by
    /// `protocol::verbs::category_of`.
    pub fn category(&self) -> Category {
        match () {
            () if self.traits.speech => Category::Terminal,
            () if self.is_free() => Category::SafeChain,
            () => Category::Dangerous,
        }
    }

    /// Whether all that follows it on a line is its own: a `;` there parts no commands.
    pub fn takes_words(&self) -> bool {
        let traits = self.traits;
        let of_words = matches!(self.group, Group::Talking | Group::FarAway | Group::Settings | Group::Mind);
        of_words || traits.words || traits.speech || traits.secret
    }

    pub fn looks(&self) -> bool {
        matches!(self.run, Run::Look(_))
    }

    pub fn rank(&self) -> Rank {
        match self.group {
            Group::Immortal => Rank::Immortal,
            Group::Mind => Rank::Mind,
            _ => Rank::Mortal,
        }
    }

    /// Its name, then the others that it has.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    // What a row of the table says beyond the needful.

    pub(super) const fn level(self, level: i32) -> Verb {
        Verb { level, ..self }
    }

    pub(super) const fn aliases(self, aliases: &'static [&'static str]) -> Verb {
        Verb { aliases, ..self }
    }

    pub(super) const fn shorts(self, shorts: &'static [&'static str]) -> Verb {
        Verb { shorts, ..self }
    }

    pub(super) const fn full_word(self) -> Verb {
        Verb { traits: Traits { full_word: true, ..self.traits }, ..self }
    }

    pub(super) const fn secret(self) -> Verb {
        Verb { traits: Traits { secret: true, ..self.traits }, ..self }
    }

    pub(super) const fn runs_commands(self) -> Verb {
        Verb { traits: Traits { runs_commands: true, ..self.traits }, ..self }
    }

    pub(super) const fn while_frozen(self) -> Verb {
        Verb { traits: Traits { while_frozen: true, ..self.traits }, ..self }
    }

    pub(super) const fn free(self) -> Verb {
        Verb { traits: Traits { free: true, ..self.traits }, ..self }
    }

    pub(super) const fn speech(self) -> Verb {
        Verb { traits: Traits { speech: true, ..self.traits }, ..self }
    }

    pub(super) const fn words(self) -> Verb {
        Verb { traits: Traits { words: true, ..self.traits }, ..self }
    }

    pub(super) const fn at_once(self) -> Verb {
        Verb { traits: Traits { at_once: true, ..self.traits }, ..self }
    }

    pub(super) const fn afar(self) -> Verb {
        Verb { traits: Traits { afar: true, ..self.traits }, ..self }
    }

    pub(super) const fn orderable(self) -> Verb {
        Verb { traits: Traits { orderable: true, ..self.traits }, ..self }
    }
}

/// All names of verbs.
pub static NAMES: LazyLock<Names<&'static Verb>> = LazyLock::new(|| {
    Names::of(super::VERBS.iter().map(|verb| Row {
        verb,
        names: verb.names().collect(),
        shorts: verb.shorts.to_vec(),
        level: verb.level,
        full_word: verb.traits.full_word,
        rank: verb.rank(),
    }))
});

/// The verb that somebody of this level means by a word.
pub fn find_verb(word: &str, level: i32) -> Option<&'static Verb> {
    NAMES.find(word, level)
}

/// The names of all verbs of a level, in the order in which they are found.
pub fn names_for<'n>(level: i32) -> impl Iterator<Item = &'n str> {
    NAMES.iter().filter(move |name| name.level <= level).map(|name| -> &'n str { name.name })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::LEVEL_IMMORTAL;
    use crate::commands::VERBS;
    use std::collections::BTreeSet;

    /// What a row has to have, and what is wrong with it.
    fn lacks(verb: &Verb) -> Vec<String> {
        let mut lacks = Vec::new();
        let mut check = |good: bool, what: &str| {
            if !good {
                lacks.push(format!("`{}` {what}", verb.name));
            }
        };
        check(verb.help.ends_with('.'), "lacks a sentence for help");
        let closed = |open: char, close: char| verb.usage.matches(open).count() == verb.usage.matches(close).count();
        check(closed('<', '>') && closed('[', ']'), "has brackets in its usage that do not match");
        check(verb.name.bytes().all(|c| c.is_ascii_lowercase()), "is not one lower-case word");
        check(
            verb.aliases.iter().all(|name| name.len() == 1 || name.bytes().all(|c| c.is_ascii_lowercase())),
            "has an alias that is neither a sign nor a lower-case word",
        );
        check(
            verb.shorts.iter().all(|short| verb.names().any(|name| name.starts_with(*short))),
            "has a short that begins none of its names",
        );
        check((verb.group == Group::Immortal) == (verb.level >= LEVEL_IMMORTAL), "is in the group of another level");
        let for_owners = verb.traits.secret || verb.group == Group::Immortal;
        check(!for_owners || verb.models == Models::Forbidden, "may not be a model's");
        check(!verb.traits.speech || verb.is_free(), "is speech, which spends no tick");
        check(
            verb.traits.runs_commands == verb.usage.ends_with("<command>"),
            "runs a command and does not say so, or says so and does not",
        );
        lacks
    }

    #[test]
    fn no_row_lacks_anything() {
        let lacks: Vec<String> = VERBS.iter().flat_map(lacks).collect();
        assert!(lacks.is_empty(), "{lacks:#?}");
    }

    #[test]
    fn a_row_that_lacks_something_is_told_of() {
        let bad = Verb { help: "", usage: "<x", level: LEVEL_IMMORTAL, ..VERBS[0] };
        assert_eq!(lacks(&bad).len(), 3, "{:?}", lacks(&bad));
    }

    #[test]
    fn each_name_and_each_short_is_one_verb_s() {
        let names: BTreeSet<&str> = NAMES.iter().map(|name| name.name).collect();
        assert_eq!(names.len(), NAMES.iter().count());
        for name in NAMES.iter() {
            let found = find_verb(name.name, crate::character::LEVEL_MAX).map(|verb| verb.name);
            assert_eq!(found, Some(name.verb.name), "{} in full", name.name);
        }
        for verb in VERBS {
            for short in verb.shorts {
                assert_eq!(find_verb(short, 1).map(|found| found.name), Some(verb.name), "{short}");
            }
        }
    }

    #[test]
    fn the_classic_letters_mean_what_they_always_meant() {
        for (word, verb) in [
            ("n", "north"),
            ("so", "south"),
            ("we", "west"),
            ("do", "down"),
            ("l", "look"),
            ("lo", "look"),
            ("g", "get"),
            ("ta", "get"),
            ("t", "tell"),
            ("k", "kill"),
            ("h", "kill"),
            ("ho", "hold"),
            ("gr", "hold"),
            ("s", "south"),
            ("sa", "say"),
            ("sc", "score"),
            ("e", "east"),
            ("ex", "exits"),
            ("eq", "equipment"),
            ("w", "west"),
            ("wh", "who"),
            ("f", "flee"),
            ("i", "inventory"),
            ("a", "affects"),
            ("com", "commands"),
            ("'", "say"),
            ("?", "help"),
        ] {
            assert_eq!(find_verb(word, 1).map(|verb| verb.name), Some(verb), "{word}");
        }
        assert!(find_verb("qui", 1).is_none() && find_verb("", 40).is_none() && find_verb("goto", 30).is_none());
    }
}
