//! What a player sets for itself: settings, prompt, aliases, title and description; and saving and quitting.

use crate::arena::CharacterId;
use crate::character::*;
use crate::commands::Page;
use crate::commands::looking::framed;
use crate::commands::spelling::{WORD_MAX, spelled_like};
use crate::commands::talking::capped;
use crate::find::first_word;
use crate::refusal::{Done, Refusal};
use crate::report::{Goodbye, LineKind, Request, Style};
use crate::rules::creation::DEFAULT_PROMPT;
use crate::world::World;
use content::Text;
use content::words::Position;
use std::fmt::Write;
use std::sync::Arc;

const ONLY_PLAYERS: Refusal = Refusal::new("Only players can set anything.");

// Settings that are on or off.

/// One row of the settings that `toggle` shows.
pub struct Setting {
    pub name: &'static str,
    flag: PlayerFlags,
    /// The setting is on while the flag is absent.
    inverted: bool,
    /// The lowest level that has it.
    level: i32,
    /// What switching it on and off answers.
    on: &'static str,
    off: &'static str,
}

const fn plain(name: &'static str, flag: PlayerFlags, on: &'static str, off: &'static str) -> Setting {
    Setting { name, flag, inverted: false, level: 0, on, off }
}

/// A setting that the flag switches off.
const fn heard(name: &'static str, flag: PlayerFlags, on: &'static str, off: &'static str) -> Setting {
    Setting { inverted: true, ..plain(name, flag, on, off) }
}

const fn immortal(name: &'static str, flag: PlayerFlags, on: &'static str, off: &'static str) -> Setting {
    Setting { level: LEVEL_IMMORTAL, ..plain(name, flag, on, off) }
}

/// All settings, in the order in which they are shown. To add one: a row here.
pub const SETTINGS: &[Setting] = &[
    plain("afk", PlayerFlags::AFK, "You are away now, and WHO says so.", "You are back."),
    plain("autoexit", PlayerFlags::AUTO_EXIT, "Rooms show their ways out.", "Rooms keep their ways out to themselves."),
    plain("autogold", PlayerFlags::AUTO_GOLD, "You take the gold of what you kill.", "You leave gold where it falls."),
    plain("autoloot", PlayerFlags::AUTO_LOOT, "You strip what you kill.", "You leave the dead their things."),
    plain(
        "autosplit",
        PlayerFlags::AUTO_SPLIT,
        "You share found gold with your group.",
        "You keep what gold you find.",
    ),
    plain("brief", PlayerFlags::BRIEF, "You walk without reading every wall.", "Rooms are described in full."),
    plain("color", PlayerFlags::COLOR, "The world has colours.", "The world is black and white."),
    heard("blankline", PlayerFlags::COMPACT, "A blank line before the prompt.", "No blank line before the prompt."),
    plain("target", PlayerFlags::PROMPT_TARGET, "The prompt shows your opponent.", "The prompt shows only you."),
    heard("repeat", PlayerFlags::NO_REPEAT, "You read what you say.", "What you say is only confirmed."),
    plain("nofollow", PlayerFlags::NO_FOLLOW, "Nobody may follow you.", "Others may follow you."),
    plain("summon", PlayerFlags::SUMMONABLE, "You can be summoned.", "Nobody can summon you."),
    heard("tell", PlayerFlags::NO_TELL, "You hear tells.", "You are deaf to tells, and tell nobody anything."),
    heard("shout", PlayerFlags::DEAF, "You hear shouts and hollers.", "You are deaf to shouts and hollers."),
    heard("gossip", PlayerFlags::NO_GOSSIP, "You hear gossip.", "You are deaf to gossip."),
    heard("auction", PlayerFlags::NO_AUCTION, "You hear the auctions.", "You are deaf to the auctions."),
    heard("grats", PlayerFlags::NO_GRATS, "You hear congratulations.", "You are deaf to congratulations."),
    heard("newbie", PlayerFlags::NO_NEWBIE, "You hear the newcomers.", "You are deaf to the newcomers."),
    immortal("holylight", PlayerFlags::HOLYLIGHT, "You see in every dark.", "Darkness is dark again."),
    immortal("nohassle", PlayerFlags::NO_HASSLE, "Mobs leave you alone.", "Mobs may come for you."),
    immortal("roomflags", PlayerFlags::ROOM_FLAGS, "Rooms show their numbers.", "Rooms hide their numbers."),
];

impl Setting {
    pub fn is_on(&self, flags: PlayerFlags) -> bool {
        flags.has(self.flag) != self.inverted
    }
}

/// Whether somebody of that level has a setting of that name, in full.
pub(super) fn has(level: i32, name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.level <= level && setting.name == name)
}

pub fn toggle(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let level = world.who(who).level;
    let flags = world.who(who).player().ok_or(ONLY_PLAYERS)?.flags;
    if word.is_empty() {
        let mut page = Page::new();
        page.line(Style::Heading, "Your settings:");
        let rows: Vec<String> = SETTINGS
            .iter()
            .filter(|s| s.level <= level)
            .map(|s| format!("{:<11}{:<3}", s.name, if s.is_on(flags) { "on" } else { "off" }))
            .collect();
        page.columns(&rows);
        page.say("Switch one by its name: toggle brief.");
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    let word = word.to_ascii_lowercase();
    let Some(setting) = SETTINGS.iter().find(|s| s.level <= level && s.name.starts_with(&*word)) else {
        let word: String = word.chars().take(WORD_MAX).collect();
        let names = SETTINGS.iter().filter(|setting| setting.level <= level).map(|setting| setting.name);
        return Err(match spelled_like(&word, names) {
            Some(meant) => format!("There is no setting \"{word}\". Did you mean {meant}?").into(),
            None => format!("There is no setting \"{word}\". Without a name, toggle lists them all.").into(),
        });
    };
    switch(world, who, setting, rest)
}

pub fn brief(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, setting("brief"), args)
}

pub fn blankline(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, setting("blankline"), args)
}

pub fn color(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, setting("color"), args)
}

fn setting(name: &str) -> &'static Setting {
    SETTINGS.iter().find(|s| s.name == name).expect("the verbs of this file name rows of its table")
}

/// Turns a setting over, or on or off as the word says.
fn switch(world: &mut World, who: CharacterId, setting: &Setting, args: &str) -> Done {
    let flags = world.who(who).player().ok_or(ONLY_PLAYERS)?.flags;
    let was_on = setting.is_on(flags);
    let on = match args.trim().to_ascii_lowercase().as_str() {
        "" => !was_on,
        "on" | "yes" => true,
        "off" | "no" => false,
        _ => return Err(format!("On or off? (toggle {0} on, toggle {0} off)", setting.name).into()),
    };
    if on != was_on {
        world.player_mut(who).flags.toggle(setting.flag);
        // WHO shows who is away.
        if setting.flag == PlayerFlags::AFK {
            world.who_list = None;
        }
    }
    world.send(who, LineKind::Text, if on { setting.on } else { setting.off });
    if setting.flag == PlayerFlags::NO_FOLLOW && on {
        world.send_followers_away(who);
    }
    if setting.flag == PlayerFlags::AFK && !on {
        tell_missed(world, who);
    }
    Ok(())
}

/// How many tells came while nobody was there to read them.
pub(crate) fn tell_missed(world: &mut World, who: CharacterId) {
    let missed = world.who(who).player().map_or(0, |p| p.missed_tells);
    if missed > 0 {
        world.player_mut(who).missed_tells = 0;
        let text = match missed {
            1 => "One tell came while you were away.".to_string(),
            n => format!("{n} tells came while you were away."),
        };
        world.send(who, LineKind::Text, text);
    }
}

// The prompt.

/// What a prompt's pattern may hold. Rendered by `World::prompt`.
pub const PROMPT_MARKS: &[(&str, &str)] = &[
    ("%h", "hit points"),
    ("%H", "most hit points"),
    ("%m", "mana"),
    ("%M", "most mana"),
    ("%v", "moves"),
    ("%V", "most moves"),
    ("%g", "gold"),
    ("%x", "experience"),
    ("%l", "level"),
    ("%n", "your name"),
    ("%r", "the room"),
    ("%t", "your opponent"),
    ("%%", "a percent sign"),
];

/// Characters of a prompt's pattern.
const PROMPT_MAX: usize = 80;

pub fn prompt(world: &mut World, who: CharacterId, args: &str) -> Done {
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    let pattern = match args {
        "" => {
            let mut page = Page::new();
            page.say(match &*player.prompt {
                "" => "You have no prompt.".to_string(),
                pattern => format!("Your prompt is: {pattern}"),
            });
            let marks: Vec<String> = PROMPT_MARKS.iter().map(|(mark, what)| format!("{mark} {what}")).collect();
            page.columns(&marks);
            world.send_line(who, Arc::new(page.into_line()));
            return Ok(());
        }
        "off" | "none" => "",
        "default" => DEFAULT_PROMPT,
        pattern => pattern,
    };
    if pattern.chars().count() > PROMPT_MAX {
        return Err(format!("A prompt has at most {PROMPT_MAX} characters.").into());
    }
    let answer = match pattern {
        "" => "You have no prompt now.".to_string(),
        pattern => format!("Your prompt is now: {pattern}"),
    };
    if *player.prompt != *pattern {
        world.player_mut(who).prompt = pattern.into();
    }
    world.send(who, LineKind::Text, answer);
    Ok(())
}

impl World {
    /// The player's prompt as it reads now, ending in a blank; empty for mobs and for those who want none.
    pub fn prompt(&self, who: CharacterId) -> String {
        let character = self.who(who);
        let Some(player) = character.player() else { return String::new() };
        let pattern = &*player.prompt;
        if pattern.is_empty() {
            return String::new();
        }
        let mut text = String::with_capacity(pattern.len() + 40);
        let opponent = |text: &mut String, braces: [&str; 2]| {
            let Some(opponent) = character.fighting.and_then(|id| self.character(id).map(|c| (id, c))) else { return };
            text.push_str(braces[0]);
            text.push_str(self.name_for(who, opponent.0));
            text.push(' ');
            text.push_str(crate::commands::looking::condition(opponent.1));
            text.push_str(braces[1]);
        };
        if player.flags.has(PlayerFlags::PROMPT_TARGET) && !pattern.contains("%t") {
            opponent(&mut text, ["(", ") "]);
        }
        let mut rest = pattern;
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            let mut marks = rest[at + 1..].chars();
            let mark = marks.next();
            rest = marks.as_str();
            let number = match mark {
                Some('h') => character.hit,
                Some('H') => character.now.hit_max,
                Some('m') => character.mana,
                Some('M') => character.now.mana_max,
                Some('v') => character.moves,
                Some('V') => character.now.move_max,
                Some('g') => character.gold,
                Some('x') => player.experience,
                Some('l') => character.level,
                _ => {
                    match mark {
                        Some('n') => text.push_str(&character.name),
                        Some('r') if self.sees_room(who) => text.push_str(&self.room_proto(character.room).name),
                        Some('r') => text.push_str("somewhere"),
                        Some('t') => opponent(&mut text, ["", ""]),
                        Some('%') | None => text.push('%'),
                        Some(other) => text.extend(['%', other]),
                    }
                    continue;
                }
            };
            write!(text, "{number}").expect("a String takes everything");
        }
        text.push_str(rest);
        if !text.ends_with(' ') {
            text.push(' ');
        }
        text
    }
}

// Aliases.

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
    // A word or one sign, as `split_verb` would read it; anything else could never be typed.
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
    if pattern.split(';').any(|command| command.trim_start().starts_with('$')) {
        return Err("An alias has to say itself what is done; what you type can only follow it.".into());
    }
    if spells_a_secret(pattern) {
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

/// Whether a command of an alias is one whose arguments must not become an input: what is typed after the alias would.
pub(crate) fn spells_a_secret(pattern: &str) -> bool {
    pattern.split(';').any(|command| {
        let (word, _) = super::split_verb(command);
        super::find_verb(word, LEVEL_MAX).is_some_and(|verb| verb.traits.secret)
    })
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
pub fn expand_alias(pattern: &str, args: &str) -> Vec<String> {
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

// Title and description.

const TITLE_MAX: usize = 60;
const DESCRIPTION_MAX: usize = 1000;

pub fn title(world: &mut World, who: CharacterId, args: &str) -> Done {
    let character = world.who(who);
    let player = character.player().ok_or(ONLY_PLAYERS)?;
    if player.flags.has(PlayerFlags::NO_TITLE) {
        return Err("You have lost the right to call yourself what you like.".into());
    }
    if args.chars().count() > TITLE_MAX {
        return Err(format!("A title has at most {TITLE_MAX} characters.").into());
    }
    // Brackets mark what the game says of somebody: (outlaw), [agent].
    if args.contains(['(', ')', '[', ']']) {
        return Err("A title has no brackets.".into());
    }
    // It stands in the middle of the game's own lines, and must not end them and begin another.
    if args.contains(['.', '!', '?', ':', ';', '"']) {
        return Err("A title is no sentence: it has no marks but commas and apostrophes.".into());
    }
    let title: Text = if args.is_empty() { world.rules.class(character.class).title.clone() } else { args.into() };
    let answer = format!("You are now {} {title}.", character.name);
    if player.title != title {
        world.player_mut(who).title = title;
        world.who_list = None;
    }
    world.send(who, LineKind::Text, answer);
    Ok(())
}

pub fn description(world: &mut World, who: CharacterId, args: &str) -> Done {
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    let text = match args {
        "" => {
            let answer = match &*player.description {
                "" => "Others see nothing about you that catches the eye.".to_string(),
                text => format!("Who looks at you sees:\n{}", framed(text)),
            };
            world.send(who, LineKind::Text, answer);
            return Ok(());
        }
        "clear" | "none" => String::new(),
        _ => match args.strip_prefix("+ ") {
            Some(more) if !player.description.is_empty() => format!("{}\n{more}", player.description),
            Some(more) => more.to_string(),
            None => args.to_string(),
        },
    };
    if text.chars().count() > DESCRIPTION_MAX {
        return Err(format!("A description has at most {DESCRIPTION_MAX} characters.").into());
    }
    let answer = match &*text {
        "" => "Others will see nothing about you that catches the eye.".to_string(),
        text => format!("Who looks at you will see:\n{}", framed(text)),
    };
    world.player_mut(who).description = text.into();
    world.send(who, LineKind::Text, answer);
    Ok(())
}

// Password, saving, quitting.

/// The arguments stayed at the edge, which also answers.
pub fn password(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or(ONLY_PLAYERS)?;
    world.request(Request::Password { who });
    Ok(())
}

pub fn save(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or(ONLY_PLAYERS)?;
    world.save(who);
    world.send(who, LineKind::Text, "You are written down as you stand here.");
    Ok(())
}

pub fn quit(world: &mut World, who: CharacterId, _: &str) -> Done {
    let character = world.who(who);
    character.player().ok_or(ONLY_PLAYERS)?;
    let hunted = world.state.fighters.iter().any(|id| world.who(*id).fighting == Some(who));
    if character.fighting.is_some() || hunted {
        return Err("Not while somebody is trying to kill you. You could flee first.".into());
    }
    if character.position <= Position::Stunned {
        return Err("You are in no state to go anywhere. Hold on.".into());
    }
    world.part_ways(who);
    world.send(who, LineKind::Text, "You think of the Flame, and let go of the world. Goodbye; it will wait.");
    world.leave(who, Goodbye::Quit);
    Ok(())
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
            assert_eq!(expand_alias(pattern, args), commands, "{pattern} with {args:?}");
        }
    }

    #[test]
    fn an_alias_cannot_swell_without_bounds() {
        let commands = expand_alias(&"$*".repeat(128), &"x".repeat(1000));
        assert_eq!(commands[0].len(), EXPANDED_MAX);
        assert_eq!(expand_alias(&"n;".repeat(100), "").len(), EXPANDED_COUNT_MAX);
    }

    #[test]
    fn each_setting_has_a_name_and_a_flag_of_its_own() {
        for (n, setting) in SETTINGS.iter().enumerate() {
            assert!(SETTINGS[..n].iter().all(|s| s.name != setting.name && s.flag != setting.flag), "{}", setting.name);
        }
    }
}
