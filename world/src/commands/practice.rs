//! Learning: practice, with those who teach, and what one knows: skills.

use crate::act::capitalised;
use crate::arena::CharacterId;
use crate::commands::cast::mana_of;
use crate::commands::learning::{Art, master, place_and_way, teaches, tell_learned, unknown};
use crate::find::{answers_to, begins_name};
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::Style;
use crate::rules::{Rules, abilities};
use crate::world::World;
use std::sync::Arc;

/// Every art that somebody of a class may learn at a level, by the level at which it can, then as in the rule book.
/// What it knows besides, by its race or of old, comes last.
pub fn arts_of<'r>(world: &World, rules: &'r Rules, who: CharacterId) -> Vec<(Art<'r>, i32, i32)> {
    let c = world.who(who);
    let Some(player) = c.player() else { return Vec::new() };
    // Nobody is taught what nobody could do.
    let skills = rules.skills.iter().filter(|row| row.is_usable());
    let all = rules.spells.iter().map(Art::Spell).chain(skills.map(Art::Skill));
    let mut arts: Vec<(Art, i32, i32)> = all
        .filter_map(|art| {
            let percent = art.percent(player);
            let level = art.level(c.class).filter(|level| *level <= c.level);
            match level {
                Some(level) => Some((art, level, percent)),
                None if percent > 0 && matches!(art, Art::Skill(_)) => Some((art, i32::MAX, percent)),
                None => None,
            }
        })
        .collect();
    arts.sort_by_key(|(_, level, _)| *level);
    arts
}

/// How well something is known, in a word.
fn adjective(percent: i32) -> &'static str {
    match percent {
        ..=0 => "not learned",
        1..=10 => "awful",
        11..=20 => "bad",
        21..=40 => "poor",
        41..=55 => "average",
        56..=70 => "fair",
        71..=80 => "good",
        81..=85 => "very good",
        _ => "superb",
    }
}

pub fn skills(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let rules = &world.rules;
    let word = args.trim();
    let arts: Vec<_> = arts_of(world, rules, who)
        .into_iter()
        .filter(|(art, ..)| word.is_empty() || art.name().split(' ').any(|part| answers_to(part, word)))
        .collect();
    if arts.is_empty() {
        return Err(match word {
            "" => "There is nothing that you could learn.".into(),
            word => {
                let word = shown(word);
                format!("You know no art with {word} in its name. {}", later(world, who)).into()
            }
        });
    }
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, "Your arts:");
    for (art, level, percent) in arts {
        let mana = match art {
            Art::Spell(row) => format!("{} mana", mana_of(world, who, row)),
            // Where the verb is another word than the art.
            Art::Skill(row) => match row.verb.as_deref() {
                Some(verb) if verb != row.name.name() => verb.to_string(),
                Some(_) => String::new(),
                None => "by itself".to_string(),
            },
        };
        let level = if level == i32::MAX { String::new() } else { format!("level {level}") };
        let learned = format!("{percent:>3}%  {}", adjective(percent));
        page.row(2, &[cell(24, art.name()), cell(18, learned), cell(10, level), cell(0, mana)]);
    }
    if let Some(player) = world.who(who).player() {
        page.say(left(player.practices));
        page.say(later(world, who));
    }
    Ok(page)
}

/// So much of what was typed is said again.
const SHOWN_CHARS: usize = 40;

fn shown(typed: &str) -> String {
    let cut: String = typed.chars().take(SHOWN_CHARS).collect();
    cut.trim_end().to_string()
}

/// Where one reads what is still to come.
fn later(world: &World, who: CharacterId) -> String {
    format!("All that your craft learns, and from whom: help {}", world.who(who).class)
}

fn left(practices: i32) -> String {
    match practices {
        0 => "You have no practice sessions left.".to_string(),
        1 => "You have one practice session left.".to_string(),
        n => format!("You have {n} practice sessions left."),
    }
}

/// Somebody here who teaches this class.
pub fn teacher(world: &World, who: CharacterId) -> Option<CharacterId> {
    let c = world.who(who);
    let mut here = world.room(c.room).characters.iter().copied();
    here.find(|id| teaches(world, *id, c.class) && world.who(*id).is_awake())
}

/// That nobody here teaches somebody, and who does.
fn nobody_teaches(world: &World, who: CharacterId) -> Refusal {
    match master(world, world.who(who).class) {
        Some(master) => {
            let master = world.who(master);
            let (place, way) = place_and_way(world, who, master.room);
            let master = capitalised(master.shown());
            format!("There is nobody here who could teach you. {master} does, {place}.{way}").into()
        }
        None => "There is nobody in the world who could teach you.".into(),
    }
}

/// Why what somebody typed cannot be taught to it: it is to come, another craft's, one's own by birth, or nothing.
fn not_taught(world: &World, rules: &Rules, who: CharacterId, typed: &str) -> Refusal {
    let skills = rules.skills.iter().filter(|row| row.is_usable()).map(Art::Skill);
    let all: Vec<Art> = rules.spells.iter().map(Art::Spell).chain(skills).collect();
    let exact = all.iter().find(|art| art.name().eq_ignore_ascii_case(typed));
    let Some(art) = exact.or_else(|| all.iter().find(|art| begins_name(art.name(), typed))).copied() else {
        let typed = shown(typed);
        return format!("No art is called \"{typed}\". {}", later(world, who)).into();
    };
    let percent = world.who(who).player().map_or(0, |player| art.percent(player));
    if percent > 0 && art.level(world.who(who).class).is_none() {
        return format!("You were born with {}, and nobody could teach you more of it.", art.name()).into();
    }
    unknown(world, who, art)
}

pub fn practice(world: &mut World, who: CharacterId, args: &str) -> Done {
    let typed = args.trim().trim_matches(['\'', '"']);
    if typed.is_empty() {
        let page = skills(world, who, "")?;
        world.send_line(who, Arc::new(page.into_line()));
        return Ok(());
    }
    let rules = world.rules.clone();
    let arts = arts_of(world, &rules, who);
    let class = world.who(who).class;
    let learnable = || arts.iter().filter(|(art, ..)| art.level(class).is_some());
    let exact = learnable().find(|(art, ..)| art.name().eq_ignore_ascii_case(typed));
    let begun = || learnable().find(|(art, ..)| begins_name(art.name(), typed));
    let Some((art, _, percent)) = exact.or_else(begun).copied() else {
        return Err(not_taught(world, &rules, who, typed));
    };
    let Some(teacher) = teacher(world, who) else {
        return Err(nobody_teaches(world, who));
    };
    let name = capitalised(world.name_for(who, teacher));
    let row = rules.class(class);
    let c = world.who(who);
    let Some(player) = c.player() else { return Err("Mobs are born with what they know.".into()) };
    if player.practices < 1 {
        return Err("You have no practice sessions left. A new level brings some.".into());
    }
    if percent >= row.learned_cap_percent {
        return Err(format!("{name} has nothing more to teach you about {}.", art.name()).into());
    }
    let (least, most) = row.learned_gain_percent;
    let gain = abilities::intelligence_learn(c.now.abilities.intelligence).clamp(least, most).max(1);
    let percent = (percent + gain).min(row.learned_cap_percent);
    let player = world.player_mut(who);
    player.practices -= 1;
    art.set(player, percent);
    world.record_lesson(who, art.name(), percent.clamp(0, 100) as u8);
    let left = left(world.player_mut(who).practices);
    let text = format!("{name} shows you {} until it stays with you: {percent}%. {left}", art.name());
    tell_learned(world, who, art.name(), percent, &text);
    Ok(())
}
