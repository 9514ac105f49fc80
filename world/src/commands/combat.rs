//! Verbs of fighting: kill, hit, murder, assist, flee, rescue, wimpy, consider.

use super::attempt;
use crate::act::{Scene, capitalised};
use crate::arena::CharacterId;
use crate::find::first_argument;
use crate::page::Page;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::skill::SkillId;
use crate::world::World;
use content::words::*;
use protocol::Outcome;
use protocol::happening::Help;

/// Ticks that attacking somebody out of a fight takes, so that the first blow is not a free one each time.
const ATTACK_LAG: u64 = 1;
/// Ticks that a rescue takes.
const RESCUE_LAG: u64 = 2;

pub fn kill(world: &mut World, who: CharacterId, args: &str) -> Done {
    attack(world, who, args, false)
}

pub fn murder(world: &mut World, who: CharacterId, args: &str) -> Done {
    attack(world, who, args, true)
}

fn attack(world: &mut World, who: CharacterId, args: &str, murder: bool) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to fight?".into());
    }
    let victim = world.foe_here(who, word)?;
    world.may_attack(who, victim, murder)?;
    match world.who(who).fighting {
        Some(opponent) if opponent == victim => {
            world.take_up_fight(who);
            return Err("You are at it already.".into());
        }
        Some(_) => {
            if !murder {
                world.dares(who, victim)?;
            }
            // Turning to another opponent costs the blow.
            world.stop_fighting(who);
            world.set_fighting(who, victim);
            let scene = Scene::new(who, LineKind::Combat).victim(victim);
            world.show(&scene, "You turn on $N.", "$n turns on you!", "$n turns on $N.");
        }
        None => {
            // Who says murder has said that it means it.
            if !murder {
                world.dares(who, victim)?;
            }
            world.strike(who, victim);
        }
    }
    if world.character(who).is_some() {
        world.lag(who, ATTACK_LAG);
    }
    Ok(())
}

pub fn assist(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if world.who(who).fighting.is_some() {
        return Err("You have a fight of your own on your hands.".into());
    }
    if word.is_empty() {
        return Err("Whom do you want to assist?".into());
    }
    let friend = world.here(who, word)?;
    if friend == who {
        return Err("You are helping yourself as well as you can.".into());
    }
    let room = world.who(who).room;
    let opponent = world
        .who(friend)
        .fighting
        .or_else(|| world.room(room).characters.iter().copied().find(|id| world.who(*id).fighting == Some(friend)));
    let Some(opponent) = opponent.filter(|o| world.character(*o).is_some_and(|o| o.room == room)) else {
        return Err(format!("Nobody is fighting {}.", world.who(friend).object_pronoun()).into());
    };
    if !world.sees(who, opponent) {
        return Err(format!("You cannot see who is fighting {}.", world.who(friend).object_pronoun()).into());
    }
    world.may_attack(who, opponent, false)?;
    let outcome = world.note(Outcome::Assisted {
        who: world.as_who(who),
        ally: world.as_who(friend),
        against: world.as_who(opponent),
    });
    world.record_defence(who, friend);
    let scene = Scene::new(who, LineKind::Combat).victim(friend).outcome(&outcome);
    world.show(
        &scene,
        "You join the fight at $N's side!",
        "$n joins the fight at your side!",
        "$n joins the fight at $N's side.",
    );
    world.strike(who, opponent);
    if world.character(who).is_some() {
        world.lag(who, ATTACK_LAG);
    }
    Ok(())
}

pub fn flee(world: &mut World, who: CharacterId, _: &str) -> Done {
    if world.who(who).fighting.is_none() {
        return Err("Flee from what? You are not fighting.".into());
    }
    world.flee(who)
}

/// Steps between a friend and its attacker. Skill, for those who learned it; otherwise a matter of luck.
pub fn rescue(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to rescue?".into());
    }
    let friend = world.here(who, word)?;
    if friend == who {
        return Err("To rescue yourself, flee.".into());
    }
    if world.who(who).fighting == Some(friend) {
        return Err("From yourself? Then stop hitting them.".into());
    }
    let room = world.who(who).room;
    let attacker = world.room(room).characters.iter().copied().find(|id| world.who(*id).fighting == Some(friend));
    let Some(attacker) = attacker else {
        return Err(format!("Nobody is fighting {}.", world.who(friend).object_pronoun()).into());
    };
    // Whoever throws itself between a murderer and the murdered means it; nobody dies for a beast by mistake.
    world.may_attack(who, attacker, world.who(friend).is_player())?;
    let immortal = world.who(who).is_immortal();
    world.lag(who, RESCUE_LAG);
    let rules = world.rules.clone();
    let row = rules.skill(&SkillId::RESCUE).filter(|_| !immortal);
    // Whoever was not taught it has this much luck.
    let ease = row.map_or(0, |row| (UNTAUGHT_RESCUE_PERCENT - attempt::percent(world, who, row)).max(0));
    if row.is_some_and(|row| !attempt::tried_on(world, who, friend, row, attempt::SIDES, ease)) {
        return Err("You fail to get between them.".into());
    }
    let outcome = world.note(Outcome::Rescue {
        rescuer: world.as_who(who),
        rescued: world.as_who(friend),
        from: Some(world.as_who(attacker)),
    });
    let hp_percent = world.hp_percent(friend);
    world.record_help(who, friend, Help::Rescued, Some(hp_percent));
    let scene = Scene::new(who, LineKind::Combat).victim(friend).outcome(&outcome);
    world.show(
        &scene,
        "You throw yourself between $N and harm.",
        "$n throws $mself between you and harm!",
        "$n throws $mself between $N and harm!",
    );
    if world.who(friend).fighting == Some(attacker) {
        world.stop_fighting(friend);
    }
    world.stop_fighting(attacker);
    world.stop_fighting(who);
    world.set_fighting(who, attacker);
    world.set_fighting(attacker, who);
    Ok(())
}

/// Chance of a rescue by somebody whom nobody taught it.
const UNTAUGHT_RESCUE_PERCENT: i32 = 40;

pub fn wimpy(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let Some(player) = world.who(who).player() else { return Err("Mobs are wimpy by nature or not at all.".into()) };
    if word.is_empty() {
        let text = match player.wimpy {
            0 => "You stand your ground to the end. (wimpy 0)".to_string(),
            n => format!("You will run when you have fewer than {n} hit points."),
        };
        world.send(who, LineKind::Text, text);
        return Ok(());
    }
    let Ok(points) = word.parse::<i32>() else {
        return Err("At how many hit points do you want to run? (0: never)".into());
    };
    let most = world.who(who).now.hit_max / 2;
    if points < 0 {
        return Err("Not even a coward has fewer than none.".into());
    }
    if points > most {
        return Err(format!("Not above half of your hit points, which is {most}.").into());
    }
    world.player_mut(who).wimpy = points;
    let text = match points {
        0 => "You will stand your ground to the end.".to_string(),
        n => format!("You will run when you have fewer than {n} hit points."),
    };
    world.send(who, LineKind::Text, text);
    Ok(())
}

/// A guess at how a fight would go, from levels, blows and wounds.
pub fn consider(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to consider?".into());
    }
    let other = world.here(who, word)?;
    if other == who {
        return Err("Easy. Very easy indeed.".into());
    }
    let (me, it) = (world.who(who), world.who(other));
    let mut page = Page::kind(LineKind::Consider);
    page.say(match it.level - me.level {
        ..=-10 => "It would hardly be decent.",
        -9..=-5 => "You would win with one hand in your pocket.",
        -4..=-2 => "You would win.",
        -1 => "You would probably win.",
        0 => "It could go either way.",
        1 => "You might win, on a good day.",
        2 => "You might win, on a very good day.",
        3 => "It would take a very good day and a better blade.",
        4..=5 => "People have won such fights. They tell of it for years.",
        6..=10 => "You would lose.",
        11..=20 => "You would lose before you knew that it had begun.",
        _ => "Put your affairs in order first.",
    });
    let name = capitalised(it.shown());
    page.say(match (it.hit - me.hit) * 100 / me.hit.max(1) {
        ..=-60 => format!("{name} would not take much killing."),
        -59..=-20 => format!("You can take more blows than {} can.", it.subject()),
        -19..=20 => "You can both take about as many blows.".to_string(),
        21..=100 => format!("{name} can take many more blows than you."),
        _ => format!("You would be at it until nightfall before {} fell.", it.subject()),
    });
    page.say(match it.now.armor - me.now.armor {
        ..=-40 => format!("{name} is far better protected than you."),
        -39..=-10 => format!("{name} is better protected than you."),
        -9..=9 => "Neither of you is better protected.".to_string(),
        _ => "You are better protected.".to_string(),
    });
    if it.position < Position::Fighting && it.position > Position::Stunned {
        page.say(format!("{name} is not exactly on guard."));
    }
    Ok(page)
}
