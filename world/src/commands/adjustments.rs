//! What immortals set right in somebody: points, conditions, levels and the values of `set`.
//!
//! Invariant: nobody raises itself, and coins that are set are minted or destroyed, so the world's sum of them stays
//! true.

use super::immortal::{any_player, anyone, log, outranks};
use super::*;
use crate::act::{Scene, capitalised};
use crate::character::purse_of;
use crate::coins::GOLD_MAX;
use crate::commands::learning::Art;
use crate::effects;
use crate::find::{first_argument, first_word};
use crate::promotion;
use content::flags::*;
use protocol::happening::Help;

/// The most points that `set` gives.
const POINTS_MAX: i32 = 30_000;
/// Hunger and thirst of somebody who has just had enough, in hours.
const FED_HOURS: i32 = 36;

pub fn restore(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let targets: Vec<CharacterId> = if word.eq_ignore_ascii_case("all") {
        world.state.players.values().copied().collect()
    } else {
        vec![anyone(world, who, word, "restore")?]
    };
    for target in targets {
        let hp_percent = world.hp_percent(target);
        if hp_percent < 100 && world.who(target).room == world.who(who).room {
            world.record_quiet_help(who, target, Help::Healed, hp_percent);
        }
        make_whole(world, target);
        let scene = Scene::new(who, LineKind::Text).victim(target);
        world.show_to(&scene, target, LineKind::Text, "$n touches you, and you are whole.");
        if target != who {
            world.show_to(&scene, who, LineKind::Text, "$N is whole.");
        }
    }
    log(world, who, format!("restored {word}"));
    Ok(())
}

/// All points, no poison, no hunger.
fn make_whole(world: &mut World, target: CharacterId) {
    let harmful = AffectFlags::POISON.with(AffectFlags::BLIND).with(AffectFlags::CURSE).with(AffectFlags::CUTTHROAT);
    effects::affects::end(world, target, harmful);
    let c = world.who_mut(target);
    (c.hit, c.mana, c.moves) = (c.now.hit_max, c.now.mana_max, c.now.move_max);
    if let Some(player) = c.player_mut() {
        for condition in [&mut player.full, &mut player.thirst] {
            if *condition >= 0 {
                *condition = FED_HOURS;
            }
        }
    }
    world.update_position(target);
}

pub fn advance(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let target = any_player(world, who, word, "advance")?;
    let (number, _) = first_word(rest);
    let Ok(level) = number.parse::<i32>() else {
        return Err("To which level?".into());
    };
    if target == who {
        return Err(OWN_LEVEL);
    }
    outranks(world, who, target)?;
    let before = world.who(target).level;
    change_level(world, who, target, level)?;
    let text = format!("{} was of level {before}, and is of level {level} now.", world.who(target).name);
    world.send(who, LineKind::Text, text);
    Ok(())
}

const OWN_LEVEL: Refusal = Refusal::new("One does not change one's own level.");

/// Sets a player's level, below or at that of who does it, and tells the player.
fn change_level(world: &mut World, who: CharacterId, target: CharacterId, level: i32) -> Done {
    if !world.who(target).is_player() {
        return Err("Only players have levels that change.".into());
    }
    let most = world.who(who).level.min(LEVEL_MAX);
    if !(1..=most).contains(&level) {
        return Err(format!("A level from 1 to {most}.").into());
    }
    let before = world.who(target).level;
    if level == before {
        return Err(format!("{} is of level {level} already.", world.who(target).name).into());
    }
    promotion::promote(world, target, level, Some(who));
    let name = world.who(target).name.clone();
    log(world, who, format!("set the level of {name} from {before} to {level}"));
    Ok(())
}

/// A value that `set` changes.
struct Field {
    name: &'static str,
    /// Bounds of the value, both ends included.
    bounds: (i32, i32),
    write: Write,
}

enum Write {
    Character(fn(&mut Character, i32)),
    /// Points that somebody has, and the most that it can have.
    Points(fn(&mut Character) -> (&mut i32, i32)),
    Player(fn(&mut Player, i32)),
    /// Goes through the rules of levels.
    Level,
}

const ABILITY: (i32, i32) = (3, 25);
const HOURS: (i32, i32) = (-1, 48);

const FIELDS: &[Field] = &[
    Field { name: "hit", bounds: (1, POINTS_MAX), write: Write::Points(|c| (&mut c.hit, c.now.hit_max)) },
    Field { name: "maxhit", bounds: (1, POINTS_MAX), write: Write::Character(|c, n| c.base.hit_max = n) },
    Field { name: "mana", bounds: (0, POINTS_MAX), write: Write::Points(|c| (&mut c.mana, c.now.mana_max)) },
    Field { name: "maxmana", bounds: (0, POINTS_MAX), write: Write::Character(|c, n| c.base.mana_max = n) },
    Field { name: "move", bounds: (0, POINTS_MAX), write: Write::Points(|c| (&mut c.moves, c.now.move_max)) },
    Field { name: "maxmove", bounds: (0, POINTS_MAX), write: Write::Character(|c, n| c.base.move_max = n) },
    Field { name: "gold", bounds: (0, GOLD_MAX), write: Write::Character(|c, n| c.gold = n) },
    Field { name: "bank", bounds: (0, GOLD_MAX), write: Write::Player(|p, n| p.bank = n) },
    Field { name: "exp", bounds: (1, i32::MAX), write: Write::Player(|p, n| p.experience = n) },
    Field { name: "level", bounds: (1, LEVEL_MAX), write: Write::Level },
    Field { name: "align", bounds: (-1_000, 1_000), write: Write::Character(|c, n| c.alignment = n) },
    Field { name: "str", bounds: ABILITY, write: Write::Character(|c, n| c.base.abilities.strength = n) },
    Field { name: "int", bounds: ABILITY, write: Write::Character(|c, n| c.base.abilities.intelligence = n) },
    Field { name: "wis", bounds: ABILITY, write: Write::Character(|c, n| c.base.abilities.wisdom = n) },
    Field { name: "dex", bounds: ABILITY, write: Write::Character(|c, n| c.base.abilities.dexterity = n) },
    Field { name: "con", bounds: ABILITY, write: Write::Character(|c, n| c.base.abilities.constitution = n) },
    Field { name: "cha", bounds: ABILITY, write: Write::Character(|c, n| c.base.abilities.charisma = n) },
    Field { name: "practices", bounds: (0, 999), write: Write::Player(|p, n| p.practices = n) },
    Field { name: "hunger", bounds: HOURS, write: Write::Player(|p, n| p.full = n) },
    Field { name: "thirst", bounds: HOURS, write: Write::Player(|p, n| p.thirst = n) },
    Field { name: "drunk", bounds: HOURS, write: Write::Player(|p, n| p.drunk = n) },
    Field {
        name: "outlaw",
        bounds: (0, 1),
        write: Write::Player(|p, n| match n {
            0 => p.flags.remove(PlayerFlags::OUTLAW),
            _ => p.flags.insert(PlayerFlags::OUTLAW),
        }),
    },
];

/// `'flame arrow' 75`: how well somebody knows an art.
fn set_art(world: &mut World, who: CharacterId, target: CharacterId, args: &str) -> Done {
    let Some((name, percent)) = args.trim().rsplit_once(' ') else {
        return Err("Which art, and how well? set <player> skill '<art>' <percent>".into());
    };
    let name = name.trim().trim_matches(['\'', '"']);
    let Some(percent) = percent.parse::<i32>().ok().filter(|n| (0..=100).contains(n)) else {
        return Err("How well an art is known is a number from 0 to 100.".into());
    };
    let rules = world.rules.clone();
    let all = rules.spells.iter().map(Art::Spell).chain(rules.skills.iter().map(Art::Skill));
    let Some(art) = all.into_iter().find(|art| art.name().eq_ignore_ascii_case(name)) else {
        return Err(format!("No art is called \"{name}\".").into());
    };
    let Some(player) = world.who_mut(target).player_mut() else {
        return Err("Only players learn arts.".into());
    };
    art.set(player, percent);
    let whose = world.who(target).name.clone();
    world.send(who, LineKind::Text, format!("{whose} knows {} to {percent}% now.", art.name()));
    log(world, who, format!("set {} of {whose} to {percent}", art.name()));
    world.save(target);
    Ok(())
}

pub fn set(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let target = anyone(world, who, word, "set something of")?;
    outranks(world, who, target)?;
    let (name, rest) = first_word(rest);
    if name.eq_ignore_ascii_case("skill") {
        return set_art(world, who, target, rest);
    }
    let (value, _) = first_word(rest);
    let Some(field) = FIELDS.iter().find(|f| f.name.eq_ignore_ascii_case(name)) else {
        let names: Vec<&str> = FIELDS.iter().map(|f| f.name).collect();
        return Err(format!("You can set {}.", names.join(", ")).into());
    };
    let (low, high) = field.bounds;
    let number =
        match value.to_ascii_lowercase().as_str() {
            "on" | "yes" if high == 1 => 1,
            "off" | "no" if high == 1 => 0,
            other => other.parse::<i32>().ok().filter(|n| (low..=high).contains(n)).ok_or_else(|| {
                Refusal::from(format!("The value of {} is a number from {low} to {high}.", field.name))
            })?,
        };
    let purse = purse_of(world.who(target));
    let mut set = number;
    match field.write {
        Write::Level if target == who => return Err(OWN_LEVEL),
        Write::Level => change_level(world, who, target, number)?,
        Write::Character(write) => {
            write(world.who_mut(target), number);
            world.recompute(target);
            world.update_position(target);
        }
        Write::Points(points) => {
            let (held, most) = points(world.who_mut(target));
            set = number.min(most);
            *held = set;
            world.update_position(target);
        }
        Write::Player(write) => match world.who_mut(target).player_mut() {
            Some(player) => write(player, number),
            None => return Err(format!("Only players have {}.", field.name).into()),
        },
    }
    // Coins set are coins made, or destroyed.
    world.mint(purse_of(world.who(target)) - purse);
    world.who_list = None;
    let name = world.who(target).name.clone();
    let most = if set < number { ", and cannot be more" } else { "" };
    world.send(who, LineKind::Text, format!("{} of {name} is {set} now{most}.", capitalised(field.name)));
    log(world, who, format!("set {} of {name} to {set}", field.name));
    world.save(target);
    Ok(())
}
