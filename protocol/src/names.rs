//! Which names a player may have, and which characters a player's text may carry to another's screen.
//!
//! Whether a name is already taken is the store's business.

use crate::instance::Instance;
use std::borrow::Cow;

/// Letters in a name, least and most.
pub const NAME_LENGTH: std::ops::RangeInclusive<usize> = 2..=20;

/// Words that the parser, the prompts or the staff need for themselves, in lower case and in order.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "admin", "administrator", "all", "an", "and", "anybody", "anyone", "architect", "at", "builder", "coin", "coins",
    "corpse", "deputy", "down", "east", "everybody", "everyone", "exit", "from", "gm", "god", "goddess", "gods",
    "gold", "guest", "he", "help", "her", "here", "him", "his", "immortal", "implementor", "in", "into", "it", "its",
    "me", "mob", "moderator", "my", "myself", "new", "no", "nobody", "none", "noone", "north", "nothing", "null",
    "obj", "of", "on", "operator", "out", "player", "quit", "room", "root", "self", "server", "she", "somebody",
    "someone", "something", "south", "staff", "sysop", "system", "the", "thearchitect", "them", "they", "to",
    "undefined", "unknown", "up", "us", "we", "west", "with", "wizard", "yes", "you", "your", "yourself",
];

/// Why a name cannot be used. `Display` is the sentence for the player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameRefusal {
    TooShort,
    TooLong,
    /// The first character is not an ASCII letter.
    BadStart,
    /// A character that is no ASCII letter, digit, `_` or `-`.
    BadCharacter,
    Reserved,
}

impl std::fmt::Display for NameRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NameRefusal::TooShort => "A name has at least 2 letters.",
            NameRefusal::TooLong => "A name has at most 20 letters.",
            NameRefusal::BadStart => "A name starts with a letter from A to Z.",
            NameRefusal::BadCharacter => "A name has only letters from A to Z, digits, _ and -.",
            NameRefusal::Reserved => "That name is reserved; choose another.",
        })
    }
}

impl std::error::Error for NameRefusal {}

/// The name as it is stored and shown: a capital first letter, the rest in lower case. Names are therefore the same
/// in any case. White space around it is ignored; control characters inside it are refused, not dropped.
pub fn check_name(typed: &str) -> Result<String, NameRefusal> {
    let typed = typed.trim_matches(' ');
    match typed.chars().next() {
        None => return Err(NameRefusal::TooShort),
        Some(first) if !first.is_ascii_alphabetic() => return Err(NameRefusal::BadStart),
        Some(_) => {}
    }
    if !typed.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
        return Err(NameRefusal::BadCharacter);
    }
    if typed.len() < *NAME_LENGTH.start() {
        return Err(NameRefusal::TooShort);
    }
    if typed.len() > *NAME_LENGTH.end() {
        return Err(NameRefusal::TooLong);
    }
    let mut name = typed.to_ascii_lowercase();
    // What reads as an id could not be typed to mean its bearer; what is left of the deleted is called so.
    let is_left = name.starts_with("deleted-");
    if is_left || RESERVED.binary_search(&name.as_str()).is_ok() || Instance::parse(&name).is_some() {
        return Err(NameRefusal::Reserved);
    }
    name[..1].make_ascii_uppercase();
    Ok(name)
}

/// A player's text without what could steer another's terminal, reorder the line, or hide words from people but not
/// from a language model: control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls,
/// zero-width and tag characters. A tab or a line break becomes one space, so that words stay apart; the rest vanishes.
pub fn clean_text(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else { return Cow::Borrowed(text) };
    let mut clean = String::with_capacity(text.len());
    clean.push_str(&text[..first]);
    for c in text[first..].chars() {
        if !is_unsafe(c) {
            clean.push(c);
        } else if matches!(c, '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}') && !clean.ends_with(' ') {
            clean.push(' ');
        }
    }
    Cow::Owned(clean)
}

/// True for what `clean_text` takes out.
pub fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
        | '\u{ad}' | '\u{61c}' | '\u{180e}'
        // Zero-width space, joiners and direction marks.
        | '\u{200b}'..='\u{200f}'
        // Line and paragraph separators, bidirectional embeddings and overrides.
        | '\u{2028}'..='\u{202e}'
        // Word joiner, invisible operators, bidirectional isolates, deprecated format characters.
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        // Tag characters: invisible copies of ASCII.
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserved_words_are_in_order_for_the_search() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn a_name_is_the_same_in_any_case() {
        for typed in ["brenda69", "BRENDA69", " Brenda69 "] {
            assert_eq!(check_name(typed).as_deref(), Ok("Brenda69"), "{typed:?}");
        }
        assert_eq!(check_name("my_agent-2").as_deref(), Ok("My_agent-2"));
    }

    #[test]
    fn names_that_confuse_people_or_the_parser_are_refused() {
        for (typed, why) in [
            ("", NameRefusal::TooShort),
            ("a", NameRefusal::TooShort),
            ("abcdefghijklmnopqrstu", NameRefusal::TooLong),
            ("2goblin", NameRefusal::BadStart),
            ("-x", NameRefusal::BadStart),
            ("\u{1b}[2J", NameRefusal::BadStart),
            ("bob\u{1b}[2J", NameRefusal::BadCharacter),
            ("bob\n", NameRefusal::BadCharacter),
            ("bob\0", NameRefusal::BadCharacter),
            ("two words", NameRefusal::BadCharacter),
            ("Zoë", NameRefusal::BadCharacter),
            ("all", NameRefusal::Reserved),
            ("Self", NameRefusal::Reserved),
            ("NORTH", NameRefusal::Reserved),
            ("Someone", NameRefusal::Reserved),
        ] {
            assert_eq!(check_name(typed), Err(why), "{typed:?}");
        }
    }

    #[test]
    fn clean_text_takes_out_what_steers_a_terminal_and_nothing_else() {
        for (text, clean) in [
            ("plain words", "plain words"),
            ("naïve café 日本 🦀", "naïve café 日本 🦀"),
            ("\u{1b}[31mred", "[31mred"),
            ("a\r\nb", "a b"),
            ("a\tb\u{2028}c", "a b c"),
            ("a\u{9b}31mb\u{7f}", "a31mb"),
            ("\u{202e}evil\u{2066}\u{200b}", "evil"),
            ("hi\u{e0041}\u{e0042}", "hi"),
        ] {
            assert_eq!(clean_text(text), clean, "{text:?}");
        }
        assert!(matches!(clean_text("plain"), Cow::Borrowed(_)));
    }
}
