//! Display names: how a person is shown, beside the canonical name that logins, logs and memories go by.
//!
//! Two names are the same where their folded forms are: lower case, letters and digits only, without the marks on
//! letters. A name that only looks like another (`0` for `o`, `1` for `l`) is refused too. Letters are those of the
//! Latin alphabet, since others have twins in it.

use protocol::words::capitalise_from;

/// Characters of a display name, least and most.
pub const LENGTH: std::ops::RangeInclusive<usize> = 2..=50;

/// What the letters from U+00C0 to U+017F fold to; a blank is no letter.
const LATIN: &str = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty\
                     aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll\
                     lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// The letter or digit that a character stands for when names are compared; none for what separates words.
fn folded_char(c: char) -> Option<char> {
    match c {
        'a'..='z' | '0'..='9' => Some(c),
        'A'..='Z' => Some(c.to_ascii_lowercase()),
        '\u{c0}'..='\u{17f}' => {
            let at = c as usize - 0xc0;
            LATIN.as_bytes().get(at).copied().map(char::from).filter(|c| c.is_ascii_lowercase())
        }
        _ => None,
    }
}

/// The form in which names are unique.
pub fn folded(name: &str) -> String {
    name.chars().filter_map(folded_char).collect()
}

/// The folded form with the characters that are taken for each other made one.
pub fn looks(name: &str) -> String {
    let alike = |c| match c {
        '0' => 'o',
        '1' | 'i' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        c => c,
    };
    folded(name).chars().map(alike).collect()
}

/// Names that nobody bears, folded: of the server and of those who keep it.
const RESERVED: &[&str] =
    &["thearchitect", "architect", "system", "server", "operator", "admin", "administrator", "everybody", "nobody"];

/// Names have no signs by which a line could pass for something else.
///
/// Errors: one sentence for the player.
pub fn check_signs(name: &str) -> Result<(), String> {
    match name.chars().find(|c| folded_char(*c).is_none() && !matches!(c, ' ' | '\'' | '-' | '.')) {
        Some(odd) => Err(format!("A name has Latin letters, digits, blanks and the signs ' - and .; no {odd:?}.")),
        None => Ok(()),
    }
}

/// The name as it will be shown: single blanks, nothing around it, and its first letter large, since sentences begin
/// with names.
///
/// Errors: one sentence for the player.
pub fn check(typed: &str) -> Result<String, String> {
    let mut name = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = name.chars().count();
    if !LENGTH.contains(&length) {
        return Err(format!("A name has {} to {} characters; that one has {length}.", LENGTH.start(), LENGTH.end()));
    }
    check_signs(&name)?;
    let folded = folded(&name);
    if folded.len() < *LENGTH.start() || !folded.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Err("A name begins with a letter, and has at least two letters or digits.".to_string());
    }
    check_reserved(&name)?;
    if let Some(first) = name.find(char::is_alphabetic) {
        capitalise_from(&mut name, first);
    }
    Ok(name)
}

/// Nobody, and no channel of players, is called like the server or those who keep it.
///
/// Errors: one sentence for the player.
pub fn check_reserved(name: &str) -> Result<(), String> {
    let own = looks(name);
    let is_reserved = RESERVED.iter().any(|reserved| looks(reserved) == own)
        || protocol::names::check_name(&folded(name)) == Err(protocol::names::NameRefusal::Reserved);
    if is_reserved { Err("That name is reserved; choose another.".to_string()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_letters_has_a_place_for_each() {
        assert_eq!(LATIN.chars().count(), 0x180 - 0xc0);
        for (name, form) in [
            ("Zoë d'Árc-2.", "zoedarc2"),
            ("Łódź", "lodz"),
            ("Ångström Ž", "angstromz"),
            ("œuvre × ÷", "ouvre"),
            ("Ölçer Ñandú Þór ſ", "olcernandutors"),
        ] {
            assert_eq!(folded(name), form, "{name}");
        }
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_refused() {
        assert_eq!(check("  Ada   of the Hill "), Ok("Ada of the Hill".to_string()));
        assert_eq!(check("'ørn of the fjord"), Ok("'Ørn of the fjord".to_string()));
        for bad in [
            "",
            "A",
            "a\u{430}da",
            "日本",
            "The Architect",
            "Syst\u{e9}m",
            "5ystem",
            "-.'",
            "2nd",
            "Ada!",
            "some\u{1b}[2J",
            "Nobody",
            "You",
            &"x".repeat(51),
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert_eq!(looks("Bil1"), looks("Bill"));
        assert_ne!(looks("Bob"), looks("Rob"));
    }
}
