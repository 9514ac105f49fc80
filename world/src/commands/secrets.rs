//! Verbs whose arguments must not enter the world: what the edge keeps of a typed line.
//!
//! What enters the world enters the journal too, and from there decision rows, exports and backups. So the edge asks
//! `strip_secret` for each line, sends on what it gives, and keeps the rest until the world says that it may be used
//! (`Request::Password`). The edge knows neither level nor aliases: whatever could be meant for a secret verb is taken
//! for one, a slip of the fingers too. `web/secrets.js` hides lines by the same rule: who changes one changes both.
//! Invariant: stripping what was stripped changes nothing.

use super::settings::ONLY_PLAYERS;
use super::spelling::is_near;
use super::{Typed, VERBS, Verb, chain, find_verb};
use crate::arena::CharacterId;
use crate::character::LEVEL_MAX;
use crate::find::first_word;
use crate::refusal::Done;
use crate::report::Request;
use crate::world::World;

/// What may go into the world of a typed line, and what stays at the edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stripped<'a> {
    /// The line to send on: as it was typed, or up to the verb whose arguments are secret.
    pub line: &'a str,
    /// The arguments to keep, trimmed, maybe empty; `None` where nothing in the line is secret.
    pub secret: Option<&'a str>,
}

/// The beginning of what people type when they mean `password`. No other verb begins with it; a test says so.
const PASSWORD_STEM: &str = "pas";

/// Parts a line into what may be journaled and what may not: everything from the first of its commands on that has a
/// secret (`look;password …`).
pub fn strip_secret(line: &str) -> Stripped<'_> {
    if !line.contains(';') {
        return strip_command(line);
    }
    for command in chain::split(line, |_| false) {
        if let Stripped { line: kept, secret: Some(_) } = strip_command(command) {
            // All that stands after it could be of the secret, a semicolon too.
            let end = command.as_ptr().addr() - line.as_ptr().addr() + kept.len();
            return Stripped { line: line[..end].trim_start(), secret: Some(line[end..].trim()) };
        }
    }
    Stripped { line, secret: None }
}

/// The same of a command: at a secret verb, at a word that is near to one and is no other verb (`passwd`), behind verbs
/// that run another line (`at 3001 password …`), and at an alias that spells one out.
fn strip_command(line: &str) -> Stripped<'_> {
    let mut rest = line;
    loop {
        let Typed { word, args } = Typed::parse(rest);
        let verb = find_verb(word, LEVEL_MAX);
        let secret = match verb {
            Some(verb) if verb.name == "alias" => spells_a_secret(first_word(args).1),
            Some(verb) => verb.traits.secret,
            None => is_near_a_secret(word),
        };
        if secret {
            // `args` is the end of the trimmed line.
            let line = line.trim();
            let kept = line[..line.len() - args.len()].trim_end();
            return Stripped { line: kept, secret: Some(args) };
        }
        match verb {
            Some(verb) if verb.traits.runs_commands => rest = first_word(args).1,
            _ => return Stripped { line, secret: None },
        }
    }
}

/// Whether a command of an alias is one whose arguments must not become an input: what is typed after the alias would.
pub(super) fn spells_a_secret(pattern: &str) -> bool {
    pattern.split(';').any(|command| strip_secret(command).secret.is_some())
}

/// Whether a command of an alias leaves it to what is typed after it to say what is done. The edge could not see a
/// secret verb in that.
pub(super) fn leaves_the_verb_open(pattern: &str) -> bool {
    pattern.split(';').any(|command| {
        let mut rest = command.trim();
        loop {
            if rest.starts_with('$') {
                return true;
            }
            let Typed { word, args } = Typed::parse(rest);
            if !find_verb(word, LEVEL_MAX).is_some_and(|verb| verb.traits.runs_commands) {
                return false;
            }
            let (target, command) = first_word(args);
            if command.is_empty() || target.contains("$*") {
                return true;
            }
            rest = command;
        }
    })
}

/// A word that is no verb and was most likely meant for a secret one.
pub(super) fn is_near_a_secret(word: &str) -> bool {
    let begins = word.as_bytes().get(..PASSWORD_STEM.len());
    let slipped = |verb: &Verb| verb.traits.secret && is_near(&word.to_ascii_lowercase(), verb.name);
    begins.is_some_and(|start| start.eq_ignore_ascii_case(PASSWORD_STEM.as_bytes()))
        || (word.len() >= "password".len() - 2 && VERBS.iter().any(slipped))
}

/// The arguments stayed at the edge, which also answers.
pub fn password(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or(ONLY_PLAYERS)?;
    world.request(Request::Password { who });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_a_password_stays_at_the_edge() {
        for (line, sent, secret) in [
            ("password old new", "password", "old new"),
            ("  PassWord  old  new ", "PassWord", "old  new"),
            ("password", "password", ""),
            ("passwd old new", "passwd", "old new"),
            ("pass old new", "pass", "old new"),
            ("pas old new", "pas", "old new"),
            ("pasword old new", "pasword", "old new"),
            ("passwords old new", "passwords", "old new"),
            ("apssword old new", "apssword", "old new"),
            ("pssword old new", "pssword", "old new"),
            ("paswrod old new", "paswrod", "old new"),
            ("at 3001 password old new", "at 3001 password", "old new"),
            ("at 3001 passwd old new", "at 3001 passwd", "old new"),
            ("AT ann at 3001 pasword old new", "AT ann at 3001 pasword", "old new"),
            ("force bob password old new", "force bob password", "old new"),
            ("at 3001 force bob pass old new", "at 3001 force bob pass", "old new"),
            ("alias pw look;password old new", "alias", "pw look;password old new"),
            ("alias pw at 3001 passwd old new", "alias", "pw at 3001 passwd old new"),
            ("at 3001 alias pw password $*", "at 3001 alias", "pw password $*"),
            ("look;password old new", "look;password", "old new"),
            (" look ; n;passwd old;new", "look ; n;passwd", "old;new"),
            ("n;force bob password old new", "n;force bob password", "old new"),
        ] {
            assert_eq!(strip_secret(line), Stripped { line: sent, secret: Some(secret) }, "{line}");
            assert_eq!(strip_secret(sent).line, sent, "{line}: stripped twice");
        }
    }

    #[test]
    fn everything_else_goes_into_the_world_as_it_was_typed() {
        for line in [
            "say my password is old",
            "tell ann password old new",
            "pat dog",
            "pa bob",
            "p old new",
            "at 3001 say password",
            "at 3001",
            "force bob",
            "alias pw say password",
            "alias",
            "word old new",
            "'pass the salt",
            "say look;password old new",
            "n;s;look",
            " look ",
            "",
        ] {
            assert_eq!(strip_secret(line), Stripped { line, secret: None }, "{line}");
        }
    }

    #[test]
    fn the_stem_of_passwords_is_no_other_verb_s() {
        for verb in VERBS.iter().filter(|verb| verb.name.starts_with(PASSWORD_STEM)) {
            assert!(verb.traits.secret, "{}", verb.name);
        }
        assert!(VERBS.iter().any(|verb| verb.traits.secret && verb.name.starts_with(PASSWORD_STEM)));
    }

    #[test]
    fn an_alias_says_itself_what_is_done() {
        for open in ["$1 old", "look; $*", "at 3001", "at 3001 $*", "at $*", "at $* look", "force $1 $2", "at 1 at 2"] {
            assert!(leaves_the_verb_open(open), "{open}");
        }
        for closed in ["kill $1", "at $1 look", "force bob say $*", "say $*", "look"] {
            assert!(!leaves_the_verb_open(closed), "{closed}");
        }
    }
}
