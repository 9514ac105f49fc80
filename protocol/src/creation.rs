//! The numbers and names that a login may use for classes, races and sexes, as published.
//!
//! Only what is said on the wire: which class may be of which race, and what each is worth, is the world's.
//! Hometowns are content, so a login carries theirs as plain text.

use serde::{Deserialize, Serialize};

/// The classes that a new character may start as: number on the wire and name.
pub const CLASSES: &[(u8, &str)] =
    &[(0, "Magic-user"), (1, "Cleric"), (2, "Thief"), (3, "Warrior"), (8, "Ninja"), (9, "Psionic")];

/// The races of players: number on the wire and name.
pub const RACES: &[(u8, &str)] =
    &[(0, "Human"), (1, "Elf"), (2, "Dwarf"), (3, "Kender"), (4, "Minotaur"), (5, "Rakshasa"), (6, "Ssaur")];

/// The sexes that a player may choose. Numbers are not accepted: the older servers disagreed about them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sex {
    Male,
    Female,
}

impl Sex {
    pub const fn name(self) -> &'static str {
        match self {
            Sex::Male => "male",
            Sex::Female => "female",
        }
    }

    /// `m`, `male`, `f`, `female`, in any case.
    pub fn named(word: &str) -> Option<Sex> {
        match word.trim().to_ascii_lowercase().as_str() {
            "m" | "male" => Some(Sex::Male),
            "f" | "female" => Some(Sex::Female),
            _ => None,
        }
    }
}

/// The name that goes with a number in `CLASSES` or `RACES`.
pub fn name_of(table: &[(u8, &'static str)], number: u8) -> Option<&'static str> {
    table.iter().find(|(n, _)| *n == number).map(|(_, name)| *name)
}

/// The number of a name, in any case, with or without its punctuation (`magic user`, `MagicUser`), or of digits.
pub fn number_of(table: &[(u8, &'static str)], word: &str) -> Option<u8> {
    let word = word.trim();
    if let Ok(number) = word.parse::<u8>() {
        return name_of(table, number).map(|_| number);
    }
    let letters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
    };
    let word = match letters(word).as_str() {
        // The short and the older names of two entries.
        "mage" | "magician" => "magicuser".to_owned(),
        "halfling" => "kender".to_owned(),
        other => other.to_owned(),
    };
    table.iter().find(|(_, name)| letters(name) == word).map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_by_number_and_by_name_in_any_case() {
        for word in ["0", "Magic-user", "magic user", "MAGICUSER", "mage"] {
            assert_eq!(number_of(CLASSES, word), Some(0), "{word}");
        }
        assert_eq!(number_of(CLASSES, "4"), None);
        assert_eq!(number_of(CLASSES, ""), None);
        assert_eq!(number_of(RACES, "halfling"), Some(3));
    }
}
