//! What a player sets for itself: what is on and off, and the prompt.

use crate::aloud;
use crate::arena::CharacterId;
use crate::channels::persons::{counted_tells, some_of};
use crate::character::*;
use crate::commands::channels;
use crate::commands::spelling::{WORD_MAX, spelled_like};
use crate::find::first_word;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Request, Style};
use crate::rules::creation::DEFAULT_PROMPT;
use crate::world::World;
use content::{Channel, Content, Text};
use std::fmt::Write;
use std::sync::Arc;

pub(super) const ONLY_PLAYERS: Refusal = Refusal::new("Only players can set anything.");

// Settings that are on or off.

/// One row of the settings that `toggle` shows.
pub struct Setting {
    pub name: &'static str,
    flag: PlayerFlags,
    /// The setting is on while the flag is absent.
    inverted: bool,
    /// Says that it was chosen, be it what one had without choosing.
    chosen: Option<PlayerFlags>,
    /// While nobody has chosen, it is on for agents and off for people.
    of_agents: bool,
    /// What is switched with it, and can be switched alone.
    along: PlayerFlags,
    /// The lowest level that has it.
    level: i32,
    /// What switching it on and off answers, and what help says that it does.
    pub on: &'static str,
    pub off: &'static str,
}

const fn plain(name: &'static str, flag: PlayerFlags, on: &'static str, off: &'static str) -> Setting {
    Setting { name, flag, inverted: false, chosen: None, of_agents: false, along: PlayerFlags::NONE, level: 0, on, off }
}

/// A setting that the flag switches off.
const fn heard(name: &'static str, flag: PlayerFlags, on: &'static str, off: &'static str) -> Setting {
    Setting { inverted: true, ..plain(name, flag, on, off) }
}

/// A setting that agents have by themselves, and people only by choice.
const fn of_agents(
    name: &'static str,
    flag: PlayerFlags,
    chosen: PlayerFlags,
    on: &'static str,
    off: &'static str,
) -> Setting {
    Setting { chosen: Some(chosen), of_agents: true, ..plain(name, flag, on, off) }
}

const fn immortal(name: &'static str, flag: PlayerFlags, on: &'static str, off: &'static str) -> Setting {
    Setting { level: LEVEL_IMMORTAL, ..plain(name, flag, on, off) }
}

/// All settings but those of channels, which stand before the immortals' (`switches`), in the order in which they are
/// shown. To add one: a row here.
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
    plain(
        "hints",
        PlayerFlags::HINTS,
        "Words that people answer to stand in brackets.",
        "You find the words that matter by yourself.",
    ),
    plain("nofollow", PlayerFlags::NO_FOLLOW, "Nobody may follow you.", "Others may follow you."),
    plain("summon", PlayerFlags::SUMMONABLE, "You can be summoned.", "Nobody can summon you."),
    plain(
        "transcript",
        PlayerFlags::TRANSCRIPT,
        "Your log keeps what you hear and say.",
        "Your log no longer keeps what you hear and say.",
    ),
    // A round is much to listen to.
    Setting {
        chosen: Some(PlayerFlags::CHOSE_READER),
        along: PlayerFlags::SUMMARY,
        ..plain(
            "screenreader",
            PlayerFlags::SCREENREADER,
            "All that you read is made for a screen reader.",
            "What you read is made for eyes.",
        )
    },
    plain(
        "summary",
        PlayerFlags::SUMMARY,
        "You read one line for each round of a fight.",
        "You read each blow of a fight.",
    ),
    heard(
        "keepalive",
        PlayerFlags::NO_KEEPALIVE,
        "Your line is kept open while it is silent, by a word that you do not see.",
        "Nothing is sent while your line is silent.",
    ),
    heard(
        "filter",
        PlayerFlags::NO_FILTER,
        "Words that this world masks are masked for you.",
        "You read what others say as they say it.",
    ),
    of_agents(
        "watchable",
        PlayerFlags::WATCHABLE,
        PlayerFlags::WATCH_CHOSEN,
        "Who looks on from outside sees where you are and whom you fight.",
        "Nobody sees you from outside.",
    ),
    plain(
        "openmind",
        PlayerFlags::OPEN_MIND,
        "Anybody may read what is on your mind, what you decide and what you remember.",
        "Your mind is your own again.",
    ),
    heard("tell", PlayerFlags::NO_TELL, "You hear tells.", "You are deaf to tells, and tell nobody anything."),
    immortal("holylight", PlayerFlags::HOLYLIGHT, "You see in every dark.", "Darkness is dark again."),
    immortal("nohassle", PlayerFlags::NO_HASSLE, "Mobs leave you alone.", "Mobs may come for you."),
    immortal("roomflags", PlayerFlags::ROOM_FLAGS, "Rooms show their numbers.", "Rooms hide their numbers."),
];

impl Setting {
    fn is_on(&self, player: &Player) -> bool {
        match self.chosen {
            Some(chosen) if self.of_agents => player.has_by_kind(self.flag, chosen),
            _ => player.flags.has(self.flag) != self.inverted,
        }
    }

    fn switch(&self, player: &mut Player, on: bool) {
        let changes = on != self.is_on(player);
        match on != self.inverted {
            true => player.flags.insert(self.flag),
            false => player.flags.remove(self.flag),
        }
        match on {
            true if changes => player.flags.insert(self.along),
            false if changes => player.flags.remove(self.along),
            _ => {}
        }
        if let Some(chosen) = self.chosen {
            player.flags.insert(chosen);
        }
    }
}

/// What can be switched: a row of the table, or the channels of one setting.
#[derive(Clone)]
enum Switch<'c> {
    Flag(&'static Setting),
    Channel(&'c Channel),
}

impl Switch<'_> {
    fn name(&self) -> &str {
        match self {
            Switch::Flag(setting) => setting.name,
            Switch::Channel(channel) => &channel.setting,
        }
    }

    fn is_on(&self, player: &Player) -> bool {
        match self {
            Switch::Flag(setting) => setting.is_on(player),
            Switch::Channel(channel) => !player.deaf_to.contains(&*channel.setting),
        }
    }
}

/// All that somebody of a level can switch, in the order in which it is shown.
fn switches(content: &Content, level: i32) -> impl Iterator<Item = Switch<'_>> {
    let flags = move |immortal: bool| {
        let of_level = move |setting: &&Setting| setting.level <= level && (setting.level > 0) == immortal;
        SETTINGS.iter().filter(of_level).map(Switch::Flag)
    };
    flags(false).chain(channels::settings(content).map(Switch::Channel)).chain(flags(true))
}

/// Whether somebody of that level has a setting of that name, in full.
pub(super) fn has(world: &World, level: i32, name: &str) -> bool {
    switches(&world.content, level).any(|switch| switch.name() == name)
}

/// The setting of that name, where somebody of that level has it.
pub(super) fn called(level: i32, name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.level <= level && setting.name == name)
}

pub fn toggle(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let content = world.content.clone();
    let level = world.who(who).level;
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    if word.is_empty() {
        let mut page = Page::for_reader(world.who(who));
        page.line(Style::Heading, "Your settings:");
        let rows: Vec<String> = switches(&content, level)
            .map(|switch| {
                let (name, state) = (switch.name(), if switch.is_on(player) { "on" } else { "off" });
                if page.is_aloud() { format!("{name}: {state}") } else { format!("{name:<13}{state:<3}") }
            })
            .collect();
        page.columns(&rows);
        page.say("Switch one by its name: toggle brief. What one does: help brief");
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    let word = word.to_ascii_lowercase();
    let Some(found) = switches(&content, level).find(|switch| switch.name().starts_with(&*word)) else {
        let word: String = word.chars().take(WORD_MAX).collect();
        let all: Vec<Switch> = switches(&content, level).collect();
        return Err(match spelled_like(&word, all.iter().map(Switch::name)) {
            Some(meant) => format!("There is no setting \"{word}\". Did you mean {meant}?").into(),
            None => format!("There is no setting \"{word}\". Without a name, toggle lists them all.").into(),
        });
    };
    switch(world, who, &found, rest)
}

pub fn brief(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, &setting("brief"), args)
}

pub fn blankline(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, &setting("blankline"), args)
}

/// For who reads with the ears. A connection types it, too, whose client says that it has a screen reader.
pub fn screenreader(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, &setting("screenreader"), args)
}

pub fn summary(world: &mut World, who: CharacterId, args: &str) -> Done {
    switch(world, who, &setting("summary"), args)
}

/// How many colours can be asked for: the word, and what is answered.
const COLORS: [(&str, Colors, &str); 4] = [
    ("auto", Colors::Auto, "The world has as many colours as your client says that it shows."),
    ("16", Colors::Sixteen, "The world has 16 colours."),
    ("256", Colors::Palette, "The world has 256 colours."),
    ("true", Colors::True, "The world has all colours."),
];

pub fn color(world: &mut World, who: CharacterId, args: &str) -> Done {
    let word = args.trim().to_ascii_lowercase();
    if let Some((_, colors, answer)) = COLORS.iter().find(|(name, ..)| *name == word) {
        world.who(who).player().ok_or(ONLY_PLAYERS)?;
        let player = world.player_mut(who);
        player.flags.insert(PlayerFlags::COLOR);
        player.colors = *colors;
        world.send(who, LineKind::Text, answer.to_string());
        return Ok(());
    }
    if !matches!(&*word, "" | "on" | "off" | "yes" | "no") {
        return Err("How many colours: color auto, off, 16, 256 or true?".into());
    }
    switch(world, who, &setting("color"), args)
}

/// What a client can do is no part of the world: its connection shows that.
pub fn client(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or(ONLY_PLAYERS)?;
    world.request(Request::Client { who });
    Ok(())
}

fn setting(name: &str) -> Switch<'static> {
    Switch::Flag(SETTINGS.iter().find(|s| s.name == name).expect("the verbs of this file name rows of its table"))
}

/// Turns a setting over, or on or off as the word says.
fn switch(world: &mut World, who: CharacterId, what: &Switch, args: &str) -> Done {
    let was_on = what.is_on(world.who(who).player().ok_or(ONLY_PLAYERS)?);
    let on = match args.trim().to_ascii_lowercase().as_str() {
        "" => !was_on,
        "on" | "yes" => true,
        "off" | "no" => false,
        _ => return Err(format!("On or off? (toggle {0} on, toggle {0} off)", what.name()).into()),
    };
    let afk = matches!(what, Switch::Flag(setting) if setting.flag == PlayerFlags::AFK);
    // A choice is kept where it is what one had without choosing, too.
    if on != was_on || matches!(what, Switch::Flag(Setting { chosen: Some(_), .. })) {
        let player = world.player_mut(who);
        match what {
            Switch::Flag(setting) => setting.switch(player, on),
            Switch::Channel(channel) if on => {
                player.deaf_to.remove(&*channel.setting);
            }
            Switch::Channel(channel) => {
                player.deaf_to.insert(channel.setting.clone());
            }
        }
        // WHO shows who is away.
        if afk {
            world.who_list = None;
        }
    }
    let answer = match what {
        Switch::Flag(setting) => if on { setting.on } else { setting.off }.to_string(),
        Switch::Channel(channel) => if on { &channel.on } else { &channel.off }.to_string(),
    };
    world.send(who, LineKind::Text, answer);
    if on && matches!(what, Switch::Flag(setting) if setting.flag == PlayerFlags::NO_FOLLOW) {
        world.send_followers_away(who);
    }
    if afk && !on {
        tell_missed(world, who);
    }
    Ok(())
}

/// How many tells came while nobody was there to read them, and from whom.
pub(crate) fn tell_missed(world: &mut World, who: CharacterId) {
    let Some(player) = world.who(who).player() else { return };
    let (missed, from) = (player.missed_tells, player.missed_from.clone());
    if missed > 0 {
        let player = world.player_mut(who);
        player.missed_tells = 0;
        player.missed_from.clear();
        let names: Vec<Text> = from.into_iter().collect();
        let from = if names.is_empty() { String::new() } else { format!(": from {}", some_of(&names)) };
        world.send(who, LineKind::Text, format!("{}{from}.", counted_tells(missed)));
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
            let mut page = Page::for_reader(world.who(who));
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
        // It would be read out again and again: there is `vitals`.
        if pattern.is_empty() || aloud::listens(character) {
            return String::new();
        }
        let mut text = String::with_capacity(pattern.len() + 40);
        let opponent = |text: &mut String, braces: [&str; 2]| {
            let Some(opponent) = character.fighting.and_then(|id| self.character(id).map(|c| (id, c))) else { return };
            text.push_str(braces[0]);
            text.push_str(self.name_for(who, opponent.0));
            text.push(' ');
            text.push_str(crate::commands::look::condition(opponent.1));
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
                        Some('n') => text.push_str(character.shown()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_has_a_name_and_a_flag_of_its_own() {
        for (n, setting) in SETTINGS.iter().enumerate() {
            assert!(SETTINGS[..n].iter().all(|s| s.name != setting.name && s.flag != setting.flag), "{}", setting.name);
        }
    }
}
