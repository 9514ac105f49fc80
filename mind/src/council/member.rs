//! The minds of a council, and what each tends to.

use protocol::minds::MindName;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Member {
    Inner,
    Outer,
    Observer,
}

/// A tendency in words. Nothing is allowed or forbidden by it.
pub struct Role {
    pub member: Member,
    /// As settings, logs and answers call it.
    pub word: &'static str,
    /// As prompts call it, and their last line.
    pub name: &'static str,
    /// Its side of the six axes, or what it does instead of having one.
    pub side: &'static str,
    pub tends: &'static str,
}

/// Source: the document of several minds, "Mapping to DSL Axes".
pub const ROLES: &[Role] = &[
    Role {
        member: Member::Inner,
        word: "inner",
        name: "INNER",
        side: "Instinct, Seen, Ideas, Source, Heart, Parts",
        tends: "You act on what you see and feel: quick and reactive. You work beside what is there, bring in what is \
                new, care how it looks and feels, and look at single things.",
    },
    Role {
        member: Member::Outer,
        word: "outer",
        name: "OUTER",
        side: "Reason, Unseen, Ideology, Resource, Head, Whole",
        tends: "You act on a plan: analytical and patient. You see what could be, go by what has proved itself, put in \
                order, move or clear away what is there, think of use, and look at the whole pattern.",
    },
    Role {
        member: Member::Observer,
        word: "observer",
        name: "OBSERVER",
        side: "both",
        tends: "You have no side. You read what the others want, keep the axes in balance, and settle what they differ \
                in.",
    },
];

impl Member {
    pub const ALL: [Member; 3] = [Member::Inner, Member::Outer, Member::Observer];

    pub fn role(self) -> &'static Role {
        &ROLES[self as usize]
    }

    pub fn word(self) -> &'static str {
        self.role().word
    }

    pub fn name(self) -> &'static str {
        self.role().name
    }

    /// By its word, in any case.
    pub fn named(word: &str) -> Option<Member> {
        ROLES.iter().find(|role| role.word.eq_ignore_ascii_case(word.trim())).map(|role| role.member)
    }

    /// The mind whose log it keeps.
    pub fn mind(self) -> MindName {
        match self {
            Member::Inner => MindName::Inner,
            Member::Outer => MindName::Outer,
            Member::Observer => MindName::Observer,
        }
    }

    /// The other way round; the body sits in no council.
    pub fn of(mind: MindName) -> Option<Member> {
        Member::ALL.into_iter().find(|member| member.mind() == mind)
    }

    /// Whether it proposes by itself; OBSERVER is asked about what others propose.
    pub fn acts(self) -> bool {
        self != Member::Observer
    }

    /// The other of the two that act.
    pub fn other(self) -> Option<Member> {
        match self {
            Member::Inner => Some(Member::Outer),
            Member::Outer => Some(Member::Inner),
            Member::Observer => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mind_has_its_row_and_is_found_by_its_word() {
        for (member, role) in Member::ALL.into_iter().zip(ROLES) {
            assert_eq!(member, role.member);
            assert_eq!((Member::named(role.name), role.word.to_uppercase()), (Some(member), role.name.to_string()));
            assert_eq!(member.other().and_then(Member::other).unwrap_or(member), member);
        }
        assert_eq!(Member::named("body"), None);
    }
}
