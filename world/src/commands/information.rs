//! What people are told about themselves, each other, the time and the sky; and which verbs and socials there are.
//!
//! WHO is cached as one text (`World::who_list`) until somebody comes, goes or changes, so that its cost does not grow
//! with the number of players. Whoever changes what a row shows sets the cache to `None`.

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::character::*;
use crate::clock::{Sun, duration};
use crate::commands::look::condition;
use crate::commands::verb::names_for;
use crate::find::first_word;
use crate::hyperlink::{Hyperlink, Use};
use crate::moon;
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{Line, Style};
use crate::weather::Sky;
use crate::world::World;
use content::flags::*;
use content::words::*;
use protocol::words::counted;
use std::fmt::Write;
use std::sync::Arc;

/// Seconds of a tick when the server runs at its usual pace.
/// Names that WHO shows at most.
const WHO_MAX: usize = 100;
/// From here up one is drunk enough to notice it. Hours.
const DRUNK_MIN: i32 = 10;

/// Conditions that their bearer should know of, in the order of the flags.
const CONDITIONS: &[(AffectFlags, &str)] = &[
    (AffectFlags::BLIND, "You are blind."),
    (AffectFlags::INVISIBLE, "You are invisible."),
    (AffectFlags::DETECT_ALIGN, "You see what people are worth."),
    (AffectFlags::DETECT_INVISIBLE, "You see what is invisible."),
    (AffectFlags::DETECT_MAGIC, "You see magic."),
    (AffectFlags::SENSE_LIFE, "You feel what is alive."),
    (AffectFlags::WATERWALK, "Water bears you."),
    (AffectFlags::SANCTUARY, "A white light shields you."),
    (AffectFlags::CURSE, "You are cursed."),
    (AffectFlags::INFRAVISION, "You see in the dark."),
    (AffectFlags::POISON, "You are poisoned."),
    (AffectFlags::PROTECT_EVIL, "You are protected from evil."),
    (AffectFlags::PROTECT_GOOD, "You are protected from good."),
    (AffectFlags::SLEEP, "Something keeps you asleep."),
    (AffectFlags::NO_TRACK, "You leave no tracks."),
    (AffectFlags::SNEAK, "You walk without a sound."),
    (AffectFlags::HIDE, "You are hidden."),
    (AffectFlags::BERSERK, "You are beside yourself with rage."),
    (AffectFlags::CHARM, "Your will is not your own."),
    (AffectFlags::FLY, "Your feet do not touch the ground."),
    (AffectFlags::CUTTHROAT, "Your throat is cut."),
    (AffectFlags::WEREWOLF, "You are a wolf."),
    (AffectFlags::VAMPIRE, "You are a vampire."),
    (AffectFlags::FLAMING, "You are on fire."),
    (AffectFlags::HASTE, "You are quicker than is natural."),
    (AffectFlags::SLOW, "You are slower than is natural."),
    (AffectFlags::WATERBREATHE, "You can breathe water."),
    (AffectFlags::METALSKIN, "Your skin is metal."),
];

fn conditions(flags: AffectFlags) -> impl Iterator<Item = &'static str> {
    CONDITIONS.iter().filter(move |(flag, _)| flags.has(*flag)).map(|(_, text)| *text)
}

/// How good an armour class is, in words. −100..=100, lower is better.
fn armor_words(armor: i32) -> &'static str {
    match armor {
        80.. => "next to nothing",
        60.. => "thin",
        40.. => "fair",
        20.. => "solid",
        0.. => "strong",
        -40.. => "very strong",
        _ => "all but unbreakable",
    }
}

pub fn score(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let c = world.who(who);
    let rules = &world.rules;
    let mut page = Page::for_reader(c);
    let player = c.player();
    page.line(Style::Heading, player.map_or_else(|| capitalised(&c.name), |p| titled(c.shown(), &p.title)));
    if let Some(rank) = rank(c.level).filter(|_| c.is_player()) {
        page.say(format!("{rank}, of level {}.", c.level));
    } else {
        let (race, class) = (rules.race_label(c.race), &rules.class(c.class).label);
        page.say(format!("Level {} {} {}.", c.level, race.to_lowercase(), class.to_lowercase()));
    }
    let a = &c.now.abilities;
    let strength = if a.strength == 18 && a.strength_add > 0 {
        format!("18/{:02}", a.strength_add)
    } else {
        a.strength.to_string()
    };
    let (bank, experience, practices) = player.map_or((0, 0, 0), |p| (p.bank, p.experience, p.practices));
    let next = rules.experience_to_leave(c.class, c.level) - experience;
    let next_label = format!("To level {}", c.level + 1);
    let rising = c.level < rules.level_mortal_max;
    let last = if rising { (next_label.as_str(), next.to_string()) } else { ("Level", c.level.to_string()) };
    let of = |now: i32, most: i32| format!("{now} of {most}");
    let strengths = [
        ("Hit points", of(c.hit, c.now.hit_max)),
        ("Mana", of(c.mana, c.now.mana_max)),
        ("Moves", of(c.moves, c.now.move_max)),
        ("Armour class", c.now.armor.to_string()),
        ("Hit roll", c.now.hit_roll.to_string()),
        ("Damage roll", c.now.damage_roll.to_string()),
    ];
    let abilities = [
        ("Strength", strength),
        ("Intelligence", a.intelligence.to_string()),
        ("Wisdom", a.wisdom.to_string()),
        ("Dexterity", a.dexterity.to_string()),
        ("Constitution", a.constitution.to_string()),
        ("Charisma", a.charisma.to_string()),
    ];
    let means = [
        ("Gold", c.gold.to_string()),
        ("In the bank", bank.to_string()),
        ("Experience", experience.to_string()),
        last,
        ("Practices", practices.to_string()),
        ("Alignment", c.alignment.to_string()),
    ];
    // Three beside each other where there is room, else two and one below, else all below each other.
    let [strengths, abilities, means] = [&strengths, &abilities, &means];
    match page.width() {
        _ if page.is_aloud() => {
            [strengths, abilities, means].iter().for_each(|block| side_by_side(&[block], &mut page))
        }
        70.. => side_by_side(&[strengths, abilities, means], &mut page),
        50.. => {
            side_by_side(&[strengths, abilities], &mut page);
            side_by_side(&[means], &mut page);
        }
        _ => [strengths, abilities, means].iter().for_each(|block| side_by_side(&[block], &mut page)),
    }
    page.say(format!("Your armour is {}.", armor_words(c.now.armor)));
    let opponent = c.fighting.filter(|id| world.character(*id).is_some());
    page.say(match opponent {
        Some(opponent) => format!("You are fighting {}.", world.name_for(who, opponent)),
        None => format!("You are {}.", c.position),
    });
    if let Some(player) = player {
        score_player(world, c, player, &mut page);
    }
    for text in conditions(c.now.flags) {
        page.say(text);
    }
    Ok(page)
}

/// How one is, in one line: for who has no prompt.
pub fn vitals(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let c = world.who(who);
    let mut text = format!(
        "{} of {} hit points, {} of {} mana, {} of {} moves.",
        c.hit, c.now.hit_max, c.mana, c.now.mana_max, c.moves, c.now.move_max
    );
    let opponent = c.fighting.and_then(|id| world.character(id).map(|other| (id, other)));
    if let Some((id, other)) = opponent {
        let name = capitalised(world.name_for(who, id));
        text.push_str(&format!(" {name} {}.", condition(other)));
    }
    Ok(Page::from(text))
}

/// What the score says in figures: a label and a figure in each line of a block.
type Block<'t> = [(&'t str, String); 6];

fn side_by_side(blocks: &[&Block<'_>], page: &mut Page) {
    for row in 0..6 {
        let cells = blocks.iter().zip([14, 8, 0]).flat_map(|(block, room)| {
            let (label, figure) = &block[row];
            [cell(14, *label), cell(room, &**figure)]
        });
        page.row(2, &cells.collect::<Vec<_>>());
    }
}

/// The part of the score that only players have.
fn score_player(world: &World, c: &Character, player: &Player, page: &mut Page) {
    for (hours, text) in [(player.full, "You are hungry."), (player.thirst, "You are thirsty.")] {
        if hours == 0 {
            page.say(text);
        }
    }
    if player.drunk > DRUNK_MIN {
        page.say("You are drunk.");
    }
    if player.wimpy > 0 {
        page.say(format!("You run when you have fewer than {} hit points.", player.wimpy));
    }
    if let Some(mount) = c.rides.and_then(|id| world.character(id)).filter(|mount| mount.room == c.room) {
        let (name, moves, most) = (mount.shown(), mount.moves, mount.now.move_max);
        page.say(format!("You ride {name}, which has {moves} of {most} moves."));
    }
    if let Some(leader) = c.leader.and_then(|id| world.character(id)) {
        page.say(format!("You follow {}.", leader.shown()));
    }
    for (flag, text) in [
        (PlayerFlags::OUTLAW, "You are an OUTLAW."),
        (PlayerFlags::FROZEN, "You are frozen."),
        (PlayerFlags::AFK, "You are away from the keyboard."),
    ] {
        if player.flags.has(flag) {
            page.say(text);
        }
    }
    if player.jail_hours > 0 {
        page.say(format!("You are locked up, for {} more.", counted(player.jail_hours as u32, "hour")));
    }
    if let Some(row) = player.tattoo.as_deref().and_then(|name| world.rules.tattoo(name)) {
        page.say(format!("Under your skin: {}.", row.about));
    }
    if player.remorts > 0 {
        page.say(match player.remorts {
            1 => "You have begun anew once.".to_string(),
            n => format!("You have begun anew {n} times."),
        });
    }
    if player.lost_constitution > 0 {
        let points = counted(player.lost_constitution as u32, "point");
        page.say(format!("Deaths took {points} of your constitution, which can be given back."));
    }
    if let Some(text) = world.muted_text(player) {
        page.say(text);
    }
    if player.agent {
        page.say("You are an agent, and WHO says so.");
    }
    let played = player.played_ticks + world.tick() - player.entered_tick.min(world.tick());
    page.say(format!(
        "You have been in the world for {}, with {} and {}.",
        duration(played),
        counted(player.kills, "kill"),
        counted(player.deaths, "death")
    ));
}

fn titled(name: &str, title: &str) -> String {
    if title.is_empty() { name.to_string() } else { format!("{name} {title}") }
}

/// What an immortal of a level is called. Source: game reference §2.3.
fn rank(level: i32) -> Option<&'static str> {
    Some(match level {
        ..=30 => return None,
        31..=33 => "Immortal",
        34 => "God",
        35 => "Legend",
        36..=37 => "High God",
        38..=39 => "Greater God",
        _ => "Implementor",
    })
}

// Who.

impl World {
    /// Shown by WHO, and counted for lists of games: not in a room that hides people, and no immortal who is invisible.
    pub fn is_listed(&self, who: CharacterId) -> bool {
        let c = self.who(who);
        let veiled = c.is_immortal() && c.is(AffectFlags::INVISIBLE);
        !veiled && !self.room_flags(c.room).has(RoomFlags::NO_WHO)
    }

    fn who_row(&self, who: CharacterId, page: &mut Page) {
        let c = self.who(who);
        match rank(c.level) {
            Some(rank) => page.say(format!("[{rank:<13}] ")),
            None => page.say(format!("[{:>2} {:<10}] ", c.level, self.rules.class(c.class).label)),
        };
        if let Some(player) = c.player() {
            let link = Hyperlink::Player(c.name.clone(), Use::PlayerAfar);
            page.linked(Style::Player, c.shown(), link);
            if !player.title.is_empty() {
                page.append(Style::Plain, " ").append(Style::Plain, &player.title);
            }
            for (shown, mark) in [
                (player.agent, " [agent]"),
                (matches!(player.link, Link::Lost { .. }), " (linkless)"),
                (player.flags.has(PlayerFlags::AFK), " (away)"),
                (player.flags.has(PlayerFlags::OUTLAW), " (outlaw)"),
            ] {
                if shown {
                    page.append(Style::Plain, mark);
                }
            }
        }
    }

    /// The whole answer to WHO without a word, made now if it is not at hand: immortals, then by level, then by name.
    fn who_page(&mut self) -> Arc<Line> {
        if let Some(line) = &self.who_list {
            return line.clone();
        }
        let mut listed: Vec<CharacterId> =
            self.state.players.values().copied().filter(|id| self.is_listed(*id)).collect();
        let count = listed.len();
        // The players come by name, and the sort keeps that order among equals.
        listed.sort_by_key(|id| -self.who(*id).level);
        listed.truncate(WHO_MAX);
        let mut page = Page::new();
        page.say("Players in the world:");
        for id in &listed {
            self.who_row(*id, &mut page);
        }
        let counted = match count {
            0 => "Nobody who would be named.".to_string(),
            1 => "One player.".to_string(),
            n if n <= WHO_MAX => format!("{n} players."),
            n => format!(
                "And {} more: {n} players. To find somebody, type who and the beginning of a name.",
                n - WHO_MAX
            ),
        };
        page.say(counted);
        let line = Arc::new(page.into_line());
        self.who_list = Some(line.clone());
        line
    }
}

pub fn who(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_word(args);
    if word.is_empty() {
        let line = world.who_page();
        world.send_line(who, line);
        return Ok(());
    }
    let word = word.to_ascii_lowercase();
    let named = world.players_named(&word).filter(|id| world.is_listed(*id));
    let found: Vec<CharacterId> = named.take(WHO_MAX + 1).collect();
    if found.is_empty() {
        return Err(format!("There is no player in the world whose name begins with {word}.").into());
    }
    let mut page = Page::new();
    found.iter().take(WHO_MAX).for_each(|id| world.who_row(*id, &mut page));
    if found.len() > WHO_MAX {
        page.say("And more. Type more letters of the name.");
    }
    world.send_line(who, Arc::new(page.into_line()));
    Ok(())
}

pub fn whois(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err("Whom do you want to know about?".into());
    }
    let found = world.find_player_known(who, word).filter(|id| *id == who || world.is_listed(*id));
    let Some(other) = found else {
        return Err(world.no_player_called(word));
    };
    let c = world.who(other);
    let player = c.player().expect("players are found among players");
    let mut page = Page::new();
    page.line(Style::Heading, titled(c.shown(), &player.title));
    if player.display.is_some() {
        page.say(format!("Known since birth as {}.", c.name));
    }
    let what = match rank(c.level) {
        Some(rank) => format!("{rank}, of level {}.", c.level),
        None => format!(
            "A {} {} {} of level {}.",
            c.sex,
            world.rules.race_label(c.race).to_lowercase(),
            world.rules.class(c.class).label.to_lowercase(),
            c.level
        ),
    };
    page.say(what);
    if player.agent {
        page.say("A program plays this character.");
    }
    // Its record outlives the program that plays it.
    let record = player.person.and_then(|person| world.state.agents.get(person));
    if let Some(owner) = record.and_then(|record| record.owner) {
        page.say(format!("An agent of {}.", world.name_and_id(owner)));
    }
    let here = world.tick() - player.entered_tick.min(world.tick());
    let idle = world.tick() - player.active_tick.min(world.tick());
    page.say(format!("In the world for {}; the last command was {} ago.", duration(here), duration(idle)));
    let subject = capitalised(c.subject());
    let (kills, deaths) = (counted(player.kills, "kill"), counted(player.deaths, "death"));
    page.say(format!("{subject} has {kills} and {deaths} to look back on."));
    for (shown, text) in [
        (matches!(player.link, Link::Lost { .. }), "The link is lost."),
        (player.flags.has(PlayerFlags::AFK), "Away from the keyboard."),
        (player.flags.has(PlayerFlags::OUTLAW), "An OUTLAW: nobody need spare the sword."),
    ] {
        if shown {
            page.say(text);
        }
    }
    Ok(page)
}

// Time and sky.

pub fn time(world: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    let clock = world.state.clock;
    let hour = clock.date().hour_in_words();
    let mut page = Page::from(format!("It is {hour}, on {}.", clock.day_name()));
    page.say(format!("The {} day of {}, in the year {}.", ordinal(clock.day()), clock.month_name(), clock.year()));
    page.say(moon::told(moon::on(clock.day())));
    Ok(page)
}

fn ordinal(n: u64) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

pub fn weather(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let c = world.who(who);
    if c.is(AffectFlags::BLIND) {
        return Err("You see nothing; you are blind.".into());
    }
    let proto = world.room_proto(c.room);
    if proto.flags.has(RoomFlags::INDOORS) || matches!(proto.sector, Sector::Inside | Sector::Underwater) {
        return Err("You cannot see the sky from here.".into());
    }
    let weather = world.state.weather;
    let sky = match (weather.sky, world.state.clock.sun()) {
        (Sky::Cloudless, Sun::Dark) => "There is not a cloud between you and the stars.",
        (Sky::Cloudless, Sun::Rise) => "The sun comes up into a clear sky.",
        (Sky::Cloudless, Sun::Light) => "The sky is clear.",
        (Sky::Cloudless, Sun::Set) => "The sun goes down in a clear sky.",
        (Sky::Cloudy, Sun::Dark) => "Clouds have put out the stars.",
        (Sky::Cloudy, _) => "The sky is grey from edge to edge.",
        (Sky::Raining, _) => "It is raining.",
        (Sky::Lightning, _) => "It is raining hard, and lightning walks along the horizon.",
    };
    let mut page = Page::from(sky);
    page.say(match weather.change {
        ..=-3 => "The wind is freshening, and it smells of worse to come.",
        3.. => "The air is settling; it will get better.",
        _ => "It does not look like changing.",
    });
    Ok(page)
}

// What works on one.

pub fn affects(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let c = world.who(who);
    let mut page = Page::for_reader(c);
    if !c.affects.is_empty() {
        page.line(Style::Heading, "At work on you:");
    }
    for affect in &c.affects {
        let mut row = String::new();
        if affect.apply != Apply::None && affect.by != 0 {
            write!(row, "{} {:+}, ", affect.apply.name().replace('_', " "), affect.by)
                .expect("a String takes everything");
        }
        row.push_str(&match affect.hours {
            ..0 => "for good".to_string(),
            0 => "about to end".to_string(),
            1 => "for an hour".to_string(),
            n => format!("for {n} hours"),
        });
        let own = world.who(who).name.to_ascii_lowercase();
        if let Some(caster) = affect.caster.as_ref().filter(|name| affect.caster_seen && ***name != *own) {
            let name = world.find_player(caster).map_or_else(|| caster.clone(), |id| world.who(id).shown().clone());
            write!(row, ", by {}", crate::act::capitalised(&name)).expect("a String takes everything");
        }
        page.row(2, &[cell(18, affect.kind.to_string()), cell(0, row)]);
    }
    for text in conditions(c.now.flags) {
        page.say(text);
    }
    if page.text.is_empty() {
        page.say("Nothing is at work on you but hunger and time.");
    }
    Ok(page)
}

// Which words there are.

pub fn commands(world: &World, who: CharacterId, _: &str) -> Result<Page, Refusal> {
    let level = world.who(who).level;
    let channels = world.content.channels.iter().map(|channel| &*channel.name);
    let mut names: Vec<&str> = names_for(level).chain(channels).collect();
    names.sort_unstable();
    let mut page = Page::new();
    page.line(Style::Heading, "Verbs that you can use; the beginning of one is enough:");
    page.columns(&names);
    page.say("All socials: socials. For a verb or a social: help <word>");
    Ok(page)
}

pub fn socials(world: &World, _: CharacterId, _: &str) -> Result<Page, Refusal> {
    let names: Vec<&str> = world.content.socials.iter().map(|social| &*social.name).collect();
    let mut page = Page::new();
    page.line(Style::Heading, "Socials, alone or at somebody:");
    page.columns(&names);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_end_as_they_are_spoken() {
        for (n, text) in [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (23, "23rd")] {
            assert_eq!(ordinal(n), text);
        }
    }

    #[test]
    fn immortals_have_ranks_and_mortals_none() {
        assert_eq!(rank(30), None);
        assert_eq!(
            [31, 33, 34, 35, 36, 37, 38, 39, 40].map(|level| rank(level).expect("an immortal")),
            [
                "Immortal",
                "Immortal",
                "God",
                "Legend",
                "High God",
                "High God",
                "Greater God",
                "Greater God",
                "Implementor"
            ]
        );
    }
}
