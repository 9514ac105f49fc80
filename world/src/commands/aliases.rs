//! Aliases: words of a player's own that stand for commands. Invariant: none is expanded twice, and none can swell.

use super::secrets;
use super::settings::ONLY_PLAYERS;
use super::talk::capped;
use crate::arena::CharacterId;
use crate::find::first_word;
use crate::page::Page;
use crate::refusal::Done;
use crate::report::{LineKind, Style};
use crate::world::World;
use std::sync::Arc;

const ALIASES_MAX: usize = 30;
/// Characters of an alias's name and of its commands.
const ALIAS_NAME_MAX: usize = 20;
const ALIAS_PATTERN_MAX: usize = 256;
/// Characters of one command that an alias makes, and how many commands: as many as may wait.
const EXPANDED_MAX: usize = 1024;
const EXPANDED_COUNT_MAX: usize = crate::world::QUEUE_MAX;

pub fn alias(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (name, pattern) = first_word(args);
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    if name.is_empty() {
        let mut page = Page::new();
        if player.aliases.is_empty() {
            page.say("You have no aliases.");
        } else {
            page.line(Style::Heading, "Your aliases:");
            for (name, pattern) in &player.aliases {
                page.say(format!("{name:<10} {pattern}"));
            }
        }
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    if pattern.is_empty() {
        return unalias(world, who, name);
    }
    // A word or one sign, as `Typed` would read it; anything else could never be typed.
    let one_sign = name.chars().count() == 1;
    if !one_sign && !name.chars().all(char::is_alphanumeric) {
        return Err("The name of an alias is letters and digits, or a single sign.".into());
    }
    if name.chars().count() > ALIAS_NAME_MAX {
        return Err(format!("The name of an alias has at most {ALIAS_NAME_MAX} characters.").into());
    }
    if pattern.chars().count() > ALIAS_PATTERN_MAX {
        return Err(format!("An alias stands for at most {ALIAS_PATTERN_MAX} characters.").into());
    }
    if ["alias", "unalias"].contains(&name.to_ascii_lowercase().as_str()) {
        return Err("That word is needed to get out of trouble again.".into());
    }
    if secrets::leaves_the_verb_open(pattern) {
        return Err("An alias has to say itself what is done; what you type can only follow it.".into());
    }
    if secrets::spells_a_secret(pattern) {
        return Err("Nothing that needs your password can have an alias.".into());
    }
    if player.aliases.len() >= ALIASES_MAX && !player.aliases.contains_key(name) {
        return Err(format!("You have {ALIASES_MAX} aliases already, and nobody remembers more.").into());
    }
    let (name, pattern) = (name.to_string(), pattern.to_string());
    let answer = format!("{name} now stands for: {pattern}");
    world.player_mut(who).aliases.insert(name, pattern);
    world.send(who, LineKind::Text, answer);
    Ok(())
}

pub fn unalias(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (name, _) = first_word(args);
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    if name.is_empty() {
        return Err("Which alias do you want to remove?".into());
    }
    if !player.aliases.contains_key(name) {
        return Err("You have no alias of that name.".into());
    }
    world.player_mut(who).aliases.remove(name);
    world.send(who, LineKind::Text, format!("{name} stands for nothing any more."));
    Ok(())
}

/// The commands that an alias stands for: `;` parts them, `$1`…`$9` are the words typed after it, `$*` all of them,
/// `$$` a dollar. A pattern without such marks gets what was typed at its end. Never empty commands; at most
/// `EXPANDED_COUNT_MAX`, each of at most `EXPANDED_MAX` characters.
pub fn expand(pattern: &str, args: &str) -> Vec<String> {
    let words: Vec<&str> = args.split_whitespace().collect();
    let mut commands = vec![String::new()];
    let mut marked = false;
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        let command = commands.last_mut().expect("it begins with one and only grows");
        match (sign, signs.peek()) {
            (';', _) => commands.push(String::new()),
            ('$', Some('*')) => {
                command.push_str(args);
                marked = true;
                signs.next();
            }
            ('$', Some('$')) => {
                command.push('$');
                signs.next();
            }
            ('$', Some(digit @ '1'..='9')) => {
                let n = digit.to_digit(10).expect("the pattern is a digit") as usize;
                command.push_str(words.get(n - 1).copied().unwrap_or_default());
                marked = true;
                signs.next();
            }
            (sign, _) => command.push(sign),
        }
    }
    if !marked && !args.is_empty() {
        let last = commands.last_mut().expect("it begins with one and only grows");
        last.push(' ');
        last.push_str(args);
    }
    commands
        .iter()
        .map(|command| capped(command.trim(), EXPANDED_MAX).to_string())
        .filter(|command| !command.is_empty())
        .take(EXPANDED_COUNT_MAX)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_becomes_the_commands_it_stands_for() {
        for (pattern, args, commands) in [
            ("kill", "rat", vec!["kill rat"]),
            ("kill $1;get all corpse", "rat and more", vec!["kill rat", "get all corpse"]),
            ("tell bob $*", "see you  there", vec!["tell bob see you  there"]),
            ("say $2 before $1", "a b", vec!["say b before a"]),
            ("say it costs $$5", "", vec!["say it costs $5"]),
            ("say $1", "", vec!["say"]),
            (";; ;north;", "", vec!["north"]),
            ("rest;say $", "x", vec!["rest", "say $ x"]),
            ("æ$1æ", "ø", vec!["æøæ"]),
        ] {
            assert_eq!(expand(pattern, args), commands, "{pattern} with {args:?}");
        }
    }

    #[test]
    fn an_alias_cannot_swell_without_bounds() {
        let commands = expand(&"$*".repeat(128), &"x".repeat(1000));
        assert_eq!(commands[0].len(), EXPANDED_MAX);
        assert_eq!(expand(&"n;".repeat(100), "").len(), EXPANDED_COUNT_MAX);
    }
}
