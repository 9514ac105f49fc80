//! HELP on arts: what a spell or a skill is for, who learns it when, what it costs, and what a strike needs and does.
//! All of it is made from the rows of the rule book.

use crate::act::{capitalise, listed};
use crate::arena::CharacterId;
use crate::clock::TICK_SECONDS;
use crate::commands::cast::wills;
use crate::commands::learning::{self, Art};
use crate::commands::verb::when;
use crate::page::Page;
use crate::report::Style;
use crate::rules::{Grip, Strike};
use crate::world::World;
use content::arts::{TargetKind, Values};

/// The first art, spells before skills, whose name is meant.
pub(super) fn named(world: &World, meant: impl Fn(&str) -> bool) -> Option<Art<'_>> {
    let rules = &world.rules;
    let skills = rules.skills.iter().filter(|row| row.is_usable());
    let all = rules.spells.iter().map(Art::Spell).chain(skills.map(Art::Skill));
    all.into_iter().find(|art| meant(art.name()))
}

/// The art of that whole name, in lower case, or of the one that other games have for it.
pub(super) fn called<'w>(world: &'w World, whole: &str) -> Option<Art<'w>> {
    let here = learning::called_elsewhere(whole);
    named(world, |name| name == whole).or_else(|| named(world, |name| Some(name) == here))
}

/// `asked`: what it was asked for by, in lower case.
pub(super) fn describe(world: &World, who: CharacterId, art: Art, asked: &str, page: &mut Page) {
    let mut name = art.name().to_string();
    capitalise(&mut name);
    if !page.text.is_empty() {
        page.say("");
    }
    page.line(Style::Heading, name);
    if learning::called_elsewhere(asked) == Some(art.name()) {
        page.say(format!("So {asked} is called here."));
    }
    let help = match art {
        Art::Spell(row) => &row.text.help,
        Art::Skill(row) => &row.help,
    };
    if !help.is_empty() {
        page.say(help);
    }
    let classes = world.rules.classes.iter().filter_map(|class| Some((&class.label, art.level(class.name)?)));
    let classes: Vec<String> = classes.map(|(label, level)| format!("{label} {level}")).collect();
    let learned = match classes.is_empty() {
        true => "Nobody learns it.".to_string(),
        false => format!("Learned at level: {}.", classes.join(", ")),
    };
    page.say(&learned);
    match art {
        Art::Spell(row) => {
            // As the asker says it; else as whoever learns it does.
            let mut by_whom = row.levels.keys().copied();
            let asker = Some(world.who(who).class).filter(|class| row.levels.contains_key(class));
            let verb = match asker.or_else(|| by_whom.next()) {
                Some(class) if wills(class) => "will",
                _ => "cast",
            };
            let aims = !row.targets.iter().all(|kind| matches!(kind, TargetKind::Nothing | TargetKind::OnlySelf));
            page.say(format!("The verb: {verb} '{}'{}", row.name, if aims { " [<target>]" } else { "" }));
            let mana = row.mana;
            page.say(match mana.max == mana.min {
                true => format!("Mana: {}.", mana.max),
                false => {
                    format!("Mana: {}, and {} less with each level, down to {}.", mana.max, mana.per_level, mana.min)
                }
            });
            if let Some(reagent) = row.reagent.as_ref().and_then(|name| world.content.object(world.conjured(name)?)) {
                page.say(format!("Stronger with {}.", reagent.short));
            }
            page.say(when(row.position));
        }
        Art::Skill(row) => {
            if let Some(verb) = &row.verb {
                page.say(format!("The verb: {verb}"));
            }
            if let Some(strike) = &row.strike {
                page.say(what_it_does(strike, world.who(who).level));
            }
        }
    }
}

/// What a strike takes, costs and needs, for somebody of a level against somebody of the same.
fn what_it_does(strike: &Strike, level: i32) -> String {
    let values = Values { level, victim_level: level, ..Values::default() };
    let mut told = Vec::new();
    let points = strike.amount.average(&values);
    match (&strike.weapon, strike.harmless) {
        (_, true) => told.push("It takes no hit points.".to_string()),
        (Some(times), false) => told.push(match times.average(&values).max(1) {
            1 => "At your level it takes as much as a blow with the weapon.".to_string(),
            times => format!("At your level it takes {times} times as much as a blow with the weapon."),
        }),
        (None, false) => told.push(match points.max(1) {
            1 => "At your level it takes a hit point.".to_string(),
            points => format!("At your level it takes about {points} hit points."),
        }),
    }
    let mut more = Vec::new();
    if strike.hidden_percent > 0 {
        more.push(format!("{} % more from a hiding place", strike.hidden_percent));
    }
    if strike.mounted_percent > 0 {
        more.push(format!("{} % more from an animal's back", strike.mounted_percent));
    }
    if !more.is_empty() {
        let mut more = listed(&more);
        capitalise(&mut more);
        told.push(format!("{more}."));
    }
    if strike.fells {
        told.push("Whoever is hit goes down.".to_string());
    }
    if strike.stuns {
        told.push("Whoever is hit is stunned.".to_string());
    }
    if strike.falls {
        told.push("Whoever misses sits down hard.".to_string());
    }
    if strike.hurts > 0 {
        told.push("It hurts you as well, a little less under a helmet.".to_string());
    }
    let seconds = strike.lag_ticks * TICK_SECONDS;
    told.push(match strike.moves {
        0 => format!("It takes {seconds} seconds."),
        moves => format!("It takes {seconds} seconds and costs {moves} moves."),
    });
    let needs = [
        (strike.grip == Grip::Unarmed, "Both hands must be empty."),
        (strike.grip == Grip::Pierce, "It needs a blade with a point in your hand."),
        (strike.grip == Grip::Slash, "It needs something with an edge in your hand."),
        (strike.opens, "It opens a fight: neither of you may be in one."),
        (strike.unwatched, "In a fight, only while your opponent is busy with somebody else."),
        (!strike.ground.is_empty(), "It needs ground that hides you."),
        (strike.mounted_percent == 0, "It cannot be done from an animal's back."),
    ];
    told.extend(needs.into_iter().filter(|(is_so, _)| *is_so).map(|(_, need)| need.to_string()));
    told.join(" ")
}
