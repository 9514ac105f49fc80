//! Several commands in one line: `look;get bread;eat bread`.
//!
//! A `;` parts commands, except in what follows a verb that takes words: there it is a semicolon, and the rest of the
//! line belongs to the verb. Invariant: no part that could be a secret verb with its arguments is run; the edge keeps
//! those (`secrets`), for which it parts lines in the same way.

use super::{Typed, find_verb};
use crate::character::LEVEL_MAX;

/// So many commands a line may hold.
pub const COMMANDS_MAX: usize = 10;

/// The commands of a line, in order, without blanks around them and without empty ones. `takes_words`: whether what
/// follows a word that is no verb is an alias's, or meant to be read by somebody, as it is of a channel's.
pub fn split(line: &str, takes_words: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut rest = line.trim();
    while let Some(end) = rest.find(';') {
        let Typed { word, args } = Typed::parse(&rest[..end]);
        let keeps_all = match find_verb(word, LEVEL_MAX) {
            Some(verb) => verb.takes_words(),
            None => !args.is_empty() && takes_words(word),
        };
        if keeps_all {
            break;
        }
        commands.push(rest[..end].trim());
        rest = rest[end + 1..].trim_start();
    }
    commands.push(rest.trim());
    commands.retain(|command| !command.is_empty());
    commands
}

/// How many commands a line counts as, to whoever counts them: at least 1. Words in a channel may count for more than
/// one, since which words are channels only the world knows.
pub fn commands_in(line: &str) -> u32 {
    split(line, |_| false).len().clamp(1, COMMANDS_MAX) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_part_commands_and_not_words() {
        for (line, commands) in [
            ("look;score", &["look", "score"][..]),
            (" n ; n;;  e ;", &["n", "n", "e"]),
            ("say well; I think", &["say well; I think"]),
            ("'well; I think", &["'well; I think"]),
            ("n;tell ann go; now", &["n", "tell ann go; now"]),
            ("gossip one; two", &["gossip one; two"]),
            ("gossip;look", &["gossip", "look"]),
            ("smile;wave ann;look", &["smile", "wave ann", "look"]),
            ("password old;new", &["password old;new"]),
            ("alias go look;score", &["alias go look;score"]),
            ("task buy bread; eat it", &["task buy bread; eat it"]),
            ("title the Bold; the Brave", &["title the Bold; the Brave"]),
            ("echo a; b", &["echo a; b"]),
            (";", &[]),
            ("", &[]),
        ] {
            assert_eq!(split(line, |word| word == "gossip"), commands, "{line}");
        }
    }
}
