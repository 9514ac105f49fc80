//! What immortals do: go anywhere, make and unmake, look behind things, set right what went wrong.
//!
//! Invariant: nobody does anything to a player of the same or a higher level. What matters is logged for the operator.

use super::*;
use crate::act::{Scene, capitalised};
use crate::arena::ObjectId;
use crate::check::purse_of;
use crate::commands::items::GOLD_MAX;
use crate::content::{ObjectKind, RoomId};
use crate::find::{answers_to, first_argument, first_word};
use crate::flags::*;
use crate::object::{Object, Place};
use crate::report::Request;
use protocol::happening::Help;

/// Lines of `where` with a name.
const WHERE_LINES: usize = 60;
/// The most points that `set` gives.
const POINTS_MAX: i32 = 30_000;

/// A line for the operator's log.
fn log(world: &mut World, who: CharacterId, deed: impl AsRef<str>) {
    let text = format!("{} {}", world.who(who).name, deed.as_ref());
    world.request(Request::Log { text });
}

/// Refuses when the target is somebody else's equal or better. Mobs are below everybody.
fn outranks(world: &World, who: CharacterId, target: CharacterId) -> Done {
    let (w, t) = (world.who(who), world.who(target));
    if target != who && t.is_player() && t.level >= w.level {
        return Err(format!("{} is not below you.", t.name).into());
    }
    Ok(())
}

/// Somebody near or far, or the sentence that there is nobody of that name.
fn anyone(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<CharacterId, Refusal> {
    if word.is_empty() {
        return Err(format!("Whom do you want to {verb}?").into());
    }
    world.find_anywhere(who, word).ok_or_else(|| Refusal::new("There is nobody of that name in the world."))
}

/// As `anyone`, players only.
fn any_player(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<CharacterId, Refusal> {
    if word.is_empty() {
        return Err(format!("Which player do you want to {verb}?").into());
    }
    if word.eq_ignore_ascii_case("me") || word.eq_ignore_ascii_case("self") {
        return Ok(who);
    }
    world.find_player_seen(who, word).ok_or_else(|| Refusal::new("There is no player of that name in the world."))
}

/// A room by its number, or the room of whoever is named.
fn room_named(world: &World, who: CharacterId, word: &str) -> Result<RoomId, Refusal> {
    if word.is_empty() {
        return Err("Where? Give the number of a room, or a name.".into());
    }
    if let Ok(vnum) = word.parse::<i32>() {
        return world.room_by_vnum(vnum).ok_or_else(|| format!("There is no room {vnum}.").into());
    }
    anyone(world, who, word, "find").map(|found| world.who(found).room)
}

/// Takes somebody out of one room and into another, with a voice for each. What it reads itself is the caller's.
fn whisk(world: &mut World, target: CharacterId, to: RoomId, leaving: &str, arriving: &str) {
    world.stop_fights_of(target);
    let outcome = world.note(Outcome::Left { who: world.as_who(target), to: None });
    world.show(&Scene::new(target, LineKind::Leave).outcome(&outcome).hidden(), "", "", leaving);
    world.move_character(target, to);
    let outcome = world.note(Outcome::Entered { who: world.as_who(target), from: None });
    world.show(&Scene::new(target, LineKind::Enter).outcome(&outcome).hidden(), "", "", arriving);
    looking::show_room(world, target, false);
}

pub fn goto_(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let to = room_named(world, who, word)?;
    whisk(world, who, to, "$n steps out of the world.", "$n steps into the world, as if through a door.");
    Ok(())
}

/// The command is run elsewhere; who stayed there comes back.
pub fn at(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, command) = first_word(args);
    if command.is_empty() {
        return Err("Do what, and where? at <room | target> <command>".into());
    }
    if find_verb(split_verb(command).0, world.who(who).level).is_some_and(|verb| verb.name == "at") {
        return Err("One place at a time.".into());
    }
    let there = room_named(world, who, word)?;
    let back = world.who(who).room;
    world.stop_fights_of(who);
    world.move_character(who, there);
    run(world, who, command);
    if world.character(who).is_some_and(|c| c.room == there) {
        world.stop_fights_of(who);
        world.move_character(who, back);
    }
    Ok(())
}

pub fn transfer(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let to = world.who(who).room;
    let targets: Vec<CharacterId> = if word.eq_ignore_ascii_case("all") {
        let players = world.state.players.values().copied();
        let elsewhere = |p: &CharacterId| world.who(*p).room != to;
        players.filter(|p| elsewhere(p) && outranks(world, who, *p).is_ok()).collect()
    } else {
        let target = anyone(world, who, word, "transfer")?;
        if target == who {
            return Err("You are here already.".into());
        }
        outranks(world, who, target)?;
        if world.who(target).room == to {
            return Err(format!("{} is here already.", capitalised(&world.who(target).name)).into());
        }
        vec![target]
    };
    if targets.is_empty() {
        return Err("There is nobody whom you could transfer.".into());
    }
    for target in targets {
        let text = format!("{} calls you, and you are there.", capitalised(world.name_for(target, who)));
        world.send(target, LineKind::Text, text);
        whisk(world, target, to, "$n is called away.", "$n arrives, called.");
        let name = world.who(target).name.clone();
        world.send(who, LineKind::Text, format!("{} is here.", capitalised(&name)));
    }
    Ok(())
}

pub fn teleport(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let target = anyone(world, who, word, "teleport")?;
    if target == who {
        return Err("To move yourself, use goto.".into());
    }
    outranks(world, who, target)?;
    let (place, _) = first_argument(rest);
    let to = room_named(world, who, place)?;
    let text = format!("{} sends you away.", capitalised(world.name_for(target, who)));
    world.send(target, LineKind::Text, text);
    whisk(world, target, to, "$n is sent away.", "$n arrives, sent by somebody.");
    let (name, vnum) = (world.who(target).name.clone(), world.room_proto(to).vnum);
    world.send(who, LineKind::Text, format!("{} is in room {vnum} now.", capitalised(&name)));
    Ok(())
}

pub fn force(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, command) = first_word(args);
    if word.is_empty() || command.is_empty() {
        return Err("Force whom to do what? force <target | room | all> <command>".into());
    }
    if is_secret(command) {
        return Err("Nobody can be forced to do that.".into());
    }
    let may = |target: &CharacterId| *target != who && outranks(world, who, *target).is_ok();
    let targets: Vec<CharacterId> = match word.to_ascii_lowercase().as_str() {
        "all" => world.state.players.values().copied().filter(may).collect(),
        "room" => world.room(world.who(who).room).characters.iter().copied().filter(may).collect(),
        _ => {
            let target = anyone(world, who, word, "force")?;
            if target == who {
                return Err("You need no force for that. Do it.".into());
            }
            outranks(world, who, target)?;
            vec![target]
        }
    };
    if targets.is_empty() {
        return Err("There is nobody whom you could force.".into());
    }
    log(world, who, format!("forced {word}: {command}"));
    let verb = find_verb(split_verb(command).0, LEVEL_MAX);
    for target in targets {
        // A strong mob has the level of an immortal, and none of the rights.
        let beyond = |verb: &Verb| verb.level >= LEVEL_IMMORTAL;
        let Some(c) = world.character(target) else { continue };
        if c.is_mob() && verb.is_some_and(beyond) {
            continue;
        }
        let text = format!("{} makes you {command}.", capitalised(world.name_for(target, who)));
        world.send(target, LineKind::Text, text);
        // Whether it could do it is its own affair, not an answer to the one who forces.
        let refused = world.report.refused.take();
        run(world, target, command);
        world.report.refused = refused;
    }
    world.send(who, LineKind::Text, "It is done.");
    Ok(())
}

pub fn load(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (kind, rest) = first_word(args);
    let (number, _) = first_word(rest);
    let Ok(vnum) = number.parse::<i32>() else {
        return Err("What do you want to load? load mob <number> | load obj <number>".into());
    };
    let kind = kind.to_ascii_lowercase();
    let is = |name: &str| !kind.is_empty() && name.starts_with(&kind);
    let room = world.who(who).room;
    if is("mob") {
        let proto = world.content.mob_index(vnum).ok_or_else(|| Refusal::from(format!("There is no mob {vnum}.")))?;
        let mob = world.make_mob(proto, room);
        let scene = Scene::new(who, LineKind::Text).victim(mob);
        world.show(&scene, "You call $N into being.", "", "$n says a word, and $N is there.");
        log(world, who, format!("loaded mob {vnum}"));
        return Ok(());
    }
    if is("obj") || is("object") {
        let thing =
            world.make_object(vnum).ok_or_else(|| Refusal::from(format!("There is no thing of the number {vnum}.")))?;
        world.place_object(thing, Place::Carried(who));
        let scene = Scene::new(who, LineKind::Text).object(thing);
        world.show(&scene, "You call $p into being.", "", "$n closes a hand on nothing, and opens it on $p.");
        log(world, who, format!("loaded obj {vnum}"));
        return Ok(());
    }
    Err("You can load a mob or an obj.".into())
}

pub fn purge(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let room = world.who(who).room;
    if word.is_empty() {
        let mobs: Vec<CharacterId> =
            world.room(room).characters.iter().copied().filter(|id| world.who(*id).is_mob()).collect();
        let things = world.room(room).objects.clone();
        for mob in mobs {
            world.extract_character(mob);
        }
        for thing in things {
            world.extract_object(thing);
        }
        let scene = Scene::new(who, LineKind::Text);
        world.show(&scene, "You clear the room.", "", "$n clears the room with a look.");
        let vnum = world.room_proto(room).vnum;
        log(world, who, format!("purged room {vnum}"));
        return Ok(());
    }
    if let Some(target) = world.find_here(who, word) {
        if world.who(target).is_player() {
            return Err("Players are not purged.".into());
        }
        let scene = Scene::new(who, LineKind::Text).victim(target);
        world.show(&scene, "You unmake $N.", "", "$n looks at $N, and there is nobody there.");
        let name = world.who(target).name.clone();
        world.extract_character(target);
        log(world, who, format!("purged {name}"));
        return Ok(());
    }
    let Some(thing) = world.find_near(who, word) else {
        return Err(format!("You see no {word} here.").into());
    };
    let scene = Scene::new(who, LineKind::Text).object(thing);
    world.show(&scene, "You unmake $p.", "", "$n looks at $p, and it is gone.");
    let name = world.thing(thing).short.clone();
    world.extract_object(thing);
    log(world, who, format!("purged {name}"));
    Ok(())
}

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
            world.record_help(who, target, Help::Healed, Some(hp_percent));
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
    if world.who(target).affects.iter().any(|a| a.flags.any(harmful)) {
        world.who_mut(target).affects.retain(|a| !a.flags.any(harmful));
        world.recompute(target);
    }
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

/// Hunger and thirst of somebody who has just had enough, in hours.
const FED_HOURS: i32 = 36;

pub fn advance(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let target = any_player(world, who, word, "advance")?;
    let (number, _) = first_word(rest);
    let Ok(level) = number.parse::<i32>() else {
        return Err("To which level?".into());
    };
    if target == who {
        return Err("One does not raise oneself.".into());
    }
    outranks(world, who, target)?;
    change_level(world, who, target, level)?;
    let text = format!("{} is of level {level} now.", world.who(target).name);
    world.send(who, LineKind::Text, text);
    Ok(())
}

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
    world.set_level(target, level);
    let text = if level > before {
        format!("The Flame leans towards you. You are of level {level} now.")
    } else {
        format!("The Flame leans away from you. You are of level {level} now.")
    };
    let outcome =
        (level > before).then(|| world.note(Outcome::LevelGained { who: world.as_who(target), level: level as u16 }));
    if level > before {
        world.record_level(target);
    }
    world.send_line(target, Arc::new(Line { kind: LineKind::Level, text, outcome, ..Line::default() }));
    if level < LEVEL_IMMORTAL {
        world.forget_snooper(target);
    }
    let name = world.who(target).name.clone();
    log(world, who, format!("set the level of {name} from {before} to {level}"));
    world.save(target);
    Ok(())
}

pub fn echo(world: &mut World, who: CharacterId, args: &str) -> Done {
    if args.is_empty() {
        return Err("Echo what?".into());
    }
    let scene = Scene::new(who, LineKind::Text).text(args);
    world.show(&scene, "$t", "", "$t");
    Ok(())
}

pub fn shutdown(world: &mut World, who: CharacterId, _: &str) -> Done {
    let by = world.who(who).name.clone();
    let text = format!("{by} banks the Flame. The world stops here for now; everything is kept.");
    let outcome = world.note(Outcome::Broadcast { text: text.as_str().into() });
    let line = Arc::new(Line { kind: LineKind::Broadcast, text, outcome: Some(outcome), ..Line::default() });
    for player in world.state.players.values().copied().collect::<Vec<_>>() {
        world.send_line(player, line.clone());
        world.save(player);
    }
    log(world, who, "shut the server down");
    world.request(Request::Shutdown { by });
    Ok(())
}

/// Only asks: the edge tries the new program first, and tells who asked if it is no good.
pub fn copyover(world: &mut World, who: CharacterId, _: &str) -> Done {
    let by = world.who(who).name.clone();
    world.send(who, LineKind::Text, "You hold a new wick to the Flame. If it takes, everything goes on by its light.");
    log(world, who, "asked for a copyover");
    world.request(Request::Restart { by });
    Ok(())
}

pub fn zreset(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if word.eq_ignore_ascii_case("all") {
        for zone in 0..world.content.zones.len() {
            world.reset_zone(zone);
        }
        world.send(who, LineKind::Text, "Every zone has been reset.");
        log(world, who, "reset every zone");
        return Ok(());
    }
    let number = match word {
        "" | "." => world.room_proto(world.who(who).room).zone,
        _ => word.parse::<i32>().map_err(|_| Refusal::new("Which zone? Give its number, or all."))?,
    };
    let zone = world.content.zone_index(number).ok_or_else(|| Refusal::from(format!("There is no zone {number}.")))?;
    world.reset_zone(zone);
    let name = world.content.zones[zone].name.clone();
    world.send(who, LineKind::Text, format!("Zone {number}, {name}, has been reset."));
    log(world, who, format!("reset zone {number}"));
    Ok(())
}

pub fn snoop(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let target = match word {
        "" => who,
        _ => any_player(world, who, word, "snoop")?,
    };
    if target == who {
        world.forget_snooper(who);
        world.send(who, LineKind::Text, "You see through your own eyes only.");
        return Ok(());
    }
    outranks(world, who, target)?;
    if sees_through(world, target, who) {
        return Err("That would go round in a circle.".into());
    }
    world.forget_snooper(who);
    world.player_mut(target).snooped_by.push(who);
    let name = world.who(target).name.clone();
    world.send(who, LineKind::Text, format!("You see what {name} sees."));
    log(world, who, format!("snoops on {name}"));
    Ok(())
}

/// True when `snooper` sees what `target` sees, itself or through others.
fn sees_through(world: &World, snooper: CharacterId, target: CharacterId) -> bool {
    let Some(player) = world.character(target).and_then(Character::player) else { return false };
    player.snooped_by.iter().any(|s| *s == snooper || sees_through(world, snooper, *s))
}

pub fn freeze(world: &mut World, who: CharacterId, args: &str) -> Done {
    set_frozen(world, who, args, true)
}

pub fn thaw(world: &mut World, who: CharacterId, args: &str) -> Done {
    set_frozen(world, who, args, false)
}

fn set_frozen(world: &mut World, who: CharacterId, args: &str, frozen: bool) -> Done {
    let verb = if frozen { "freeze" } else { "thaw" };
    let (word, _) = first_argument(args);
    let target = any_player(world, who, word, verb)?;
    if target == who {
        return Err("Not yourself. Who would thaw you?".into());
    }
    outranks(world, who, target)?;
    let name = world.who(target).name.clone();
    if world.who(target).player_flags().has(PlayerFlags::FROZEN) == frozen {
        return Err(if frozen { format!("{name} is frozen already.") } else { format!("{name} is not frozen.") }.into());
    }
    let flags = &mut world.player_mut(target).flags;
    let (to_target, to_actor, to_room) = if frozen {
        flags.insert(PlayerFlags::FROZEN);
        ("The cold takes hold of you. You can do nothing now but leave.", "You freeze $n.", "Ice creeps over $n.")
    } else {
        flags.remove(PlayerFlags::FROZEN);
        ("The cold lets go of you.", "You thaw $n.", "The ice falls off $n.")
    };
    let scene = Scene::new(target, LineKind::Text).victim(who).sleepers();
    world.show(&scene, to_target, "", to_room);
    world.show_to(&scene, who, LineKind::Text, to_actor);
    log(world, who, if frozen { format!("froze {name}") } else { format!("thawed {name}") });
    world.save(target);
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
    Player(fn(&mut Player, i32)),
    /// Goes through the rules of levels.
    Level,
}

const ABILITY: (i32, i32) = (3, 25);
const HOURS: (i32, i32) = (-1, 48);

const FIELDS: &[Field] = &[
    Field { name: "hit", bounds: (1, POINTS_MAX), write: Write::Character(|c, n| c.hit = n.min(c.now.hit_max)) },
    Field { name: "maxhit", bounds: (1, POINTS_MAX), write: Write::Character(|c, n| c.base.hit_max = n) },
    Field { name: "mana", bounds: (0, POINTS_MAX), write: Write::Character(|c, n| c.mana = n.min(c.now.mana_max)) },
    Field { name: "maxmana", bounds: (0, POINTS_MAX), write: Write::Character(|c, n| c.base.mana_max = n) },
    Field { name: "move", bounds: (0, POINTS_MAX), write: Write::Character(|c, n| c.moves = n.min(c.now.move_max)) },
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

pub fn set(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let target = anyone(world, who, word, "set something of")?;
    outranks(world, who, target)?;
    let (name, rest) = first_word(rest);
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
    match field.write {
        Write::Level if target == who => return Err("One does not raise oneself.".into()),
        Write::Level => change_level(world, who, target, number)?,
        Write::Character(write) => {
            write(world.who_mut(target), number);
            world.recompute(target);
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
    world.send(who, LineKind::Text, format!("{} of {name} is {number} now.", capitalised(field.name)));
    log(world, who, format!("set {} of {name} to {number}", field.name));
    world.save(target);
    Ok(())
}

pub fn where_(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, _) = first_argument(args);
    let mut page = Page::new();
    if word.is_empty() {
        page.line(Style::Heading, "Players in the world:");
        for id in world.state.players.values().filter(|id| world.sees(who, **id)) {
            let c = world.who(*id);
            page.say(format!("  {:<20} {}", c.name, place_of(world, c.room)));
        }
        return Ok(page);
    }
    let mobs = world.state.characters.iter().filter(|(_, c)| answers_to(&c.keywords, word));
    let people = mobs.map(|(_, c)| (c.name.clone(), place_of(world, c.room)));
    let things = world.state.objects.iter().filter(|(_, o)| answers_to(&o.keywords, word));
    let things = things.map(|(id, o)| (o.short.clone(), whereabouts(world, id)));
    let mut lines = people.chain(things);
    page.line(Style::Heading, format!("Whatever answers to {word}:"));
    let before = page.text.len();
    for (n, (name, place)) in lines.by_ref().take(WHERE_LINES).enumerate() {
        page.say(format!("{:>3}. {name:<30} {place}", n + 1));
    }
    let more = lines.count();
    if more > 0 {
        page.say(format!("… and {more} more."));
    }
    if page.text.len() == before {
        return Err(format!("Nothing in the world answers to {word}.").into());
    }
    Ok(page)
}

fn place_of(world: &World, room: RoomId) -> String {
    let proto = world.room_proto(room);
    format!("[{}] {}", proto.vnum, proto.name)
}

/// Where a thing is, and who or what has it.
fn whereabouts(world: &World, object: ObjectId) -> String {
    match world.thing(object).place {
        Place::Nowhere => "nowhere".to_string(),
        Place::Room(room) => place_of(world, room),
        Place::Carried(holder) => format!("carried by {}", world.who(holder).name),
        Place::Worn(holder, slot) => format!("worn by {} ({slot})", world.who(holder).name),
        Place::Inside(container) => {
            format!("in {}, {}", world.thing(container).short, whereabouts(world, container))
        }
    }
}

/// `stat` alone shows the room; a name is looked for near before far, people before things.
pub fn stat(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    let (word, rest) = first_word(args);
    let (name, _) = first_argument(rest);
    match word.to_ascii_lowercase().as_str() {
        "" => Ok(stat_room(world, world.who(who).room)),
        "room" if name.is_empty() => Ok(stat_room(world, world.who(who).room)),
        "room" => Ok(stat_room(world, room_named(world, who, name)?)),
        "mob" | "char" | "player" if !name.is_empty() => {
            Ok(stat_character(world, anyone(world, who, name, "look into")?))
        }
        "obj" | "object" if !name.is_empty() => Ok(stat_object(world, object_named(world, who, name)?)),
        _ => match (world.find_here(who, word), object_named(world, who, word), world.find_anywhere(who, word)) {
            (Some(here), _, _) => Ok(stat_character(world, here)),
            (None, Ok(thing), _) => Ok(stat_object(world, thing)),
            (None, Err(_), Some(far)) => Ok(stat_character(world, far)),
            (None, Err(refusal), None) => Err(refusal),
        },
    }
}

/// A thing near, else the first in the world.
fn object_named(world: &World, who: CharacterId, word: &str) -> Result<ObjectId, Refusal> {
    if let Some(near) = world.find_near(who, word) {
        return Ok(near);
    }
    let far = world.state.objects.iter().find(|(_, o)| answers_to(&o.keywords, word)).map(|(id, _)| id);
    far.ok_or_else(|| format!("Nothing in the world answers to {word}.").into())
}

/// "a, b and so on", or "none".
fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}

fn stat_room(world: &World, room: RoomId) -> Page {
    let proto = world.room_proto(room);
    let mut page = Page::new();
    page.line(Style::RoomName, format!("Room {}: {}", proto.vnum, proto.name));
    page.say(format!("Zone {}, sector {}, flags: {}.", proto.zone, proto.sector, listed(proto.flags.names())));
    page.say(if world.is_dark(room) { "It is dark." } else { "It is light." });
    for (index, exit) in proto.exits.iter().enumerate() {
        let to = exit.to.map_or("nowhere".to_string(), |to| format!("to {to}"));
        let key = exit.key.map_or(String::new(), |key| format!(", key {key}"));
        let door = world.room(room).doors[index];
        let door = if door.is_empty() { String::new() } else { format!(", {}", listed(door.names())) };
        page.say(format!("  {:<5} {to}{door}{key}", exit.direction.name()));
    }
    let extras = listed(proto.extras.iter().map(|e| &*e.keywords));
    page.say(format!("Extra descriptions: {extras}."));
    let people = listed(world.room(room).characters.iter().map(|id| &*world.who(*id).name));
    page.say(format!("People: {people}."));
    let things = listed(world.room(room).objects.iter().map(|id| &*world.thing(*id).short));
    page.say(format!("Things: {things}."));
    page
}

fn stat_character(world: &World, id: CharacterId) -> Page {
    let c = world.who(id);
    let mut page = Page::new();
    let vnum = world.mob_proto(id).map_or(String::new(), |proto| format!(", mob {}", proto.vnum));
    page.line(Style::Heading, format!("{}{vnum}, {}", capitalised(&c.name), world.instance_of(id)));
    page.say(format!("Answers to: {}. In {}.", c.keywords, place_of(world, c.room)));
    let class = if c.is_player() { format!(" {}", c.class) } else { String::new() };
    page.say(format!("Level {} {} {}{class}, {}, alignment {}.", c.level, c.sex, c.race, c.position, c.alignment));
    let now = &c.now;
    page.say(format!(
        "Hit {}/{}, mana {}/{}, moves {}/{}, gold {}.",
        c.hit, now.hit_max, c.mana, now.mana_max, c.moves, now.move_max, c.gold
    ));
    let a = &now.abilities;
    page.say(format!(
        "Str {}/{}, int {}, wis {}, dex {}, con {}, cha {}.",
        a.strength, a.strength_add, a.intelligence, a.wisdom, a.dexterity, a.constitution, a.charisma
    ));
    page.say(format!(
        "Armour {}, hit roll {}, damage roll {}, saves {:?}.",
        now.armor, now.hit_roll, now.damage_roll, now.saves
    ));
    let gain = world.hourly_gain(id);
    page.say(format!("An hour gives {} hit points, {} mana, {} moves.", gain.hit, gain.mana, gain.moves));
    match (&c.kind, world.mob_proto(id)) {
        (Kind::Mob(mob), Some(proto)) => {
            page.say(format!("Flags: {}.", listed(mob.flags.names())));
            page.say(format!("Blows: {} {}. Worth {} experience.", proto.attack, proto.damage, mob.experience));
            page.say(format!("Remembers: {}.", listed(mob.memory.iter().map(|name| &**name))));
        }
        (Kind::Player(player), _) => stat_player(&mut page, world, c, player),
        (Kind::Mob(_), None) => {}
    }
    page.say(format!("Conditions: {}.", listed(now.flags.names())));
    for affect in &c.affects {
        let hours = if affect.hours < 0 { "for ever".to_string() } else { format!("{} hours", affect.hours) };
        let flags = listed(affect.flags.names());
        page.say(format!("  {}: {} {:+}, sets {flags}, {hours}", affect.kind, affect.apply, affect.by));
    }
    let name = |id: Option<CharacterId>| id.and_then(|id| world.character(id)).map_or("nobody", |c| &c.name);
    page.say(format!("Fights {}, follows {}.", name(c.fighting), name(c.leader)));
    page.say(format!("Followers: {}.", listed(c.followers.iter().map(|f| &*world.who(*f).name))));
    page.say(format!("Carries: {}.", listed(c.carrying.iter().map(|o| &*world.thing(*o).short))));
    page.say(format!("Wears: {}.", listed(c.worn.iter().map(|(_, o)| &*world.thing(*o).short))));
    page
}

fn stat_player(page: &mut Page, world: &World, c: &Character, player: &Player) {
    let next = world.rules.experience_to_leave(c.class, c.level);
    page.say(format!(
        "Experience {} (level ends at {next}), bank {}, practices {}, kills {}, deaths {}.",
        player.experience, player.bank, player.practices, player.kills, player.deaths
    ));
    page.say(format!(
        "Full {}, thirst {}, drunk {} hours; wimpy {}; hometown {}.",
        player.full, player.thirst, player.drunk, player.wimpy, player.hometown
    ));
    let link = match player.link {
        Link::Linked => "linked".to_string(),
        Link::Lost { since_tick } => format!("link lost at tick {since_tick}"),
    };
    let agent = if player.agent { ", played by a program" } else { "" };
    page.say(format!("Last command at tick {}, {link}{agent}.", player.active_tick));
    page.say(format!("Flags: {}.", listed(player.flags.names())));
    let skills: Vec<String> = player.skills.iter().map(|(name, percent)| format!("{name} {percent}")).collect();
    page.say(format!("Skills: {}.", listed(skills.iter().map(String::as_str))));
}

fn stat_object(world: &World, id: ObjectId) -> Page {
    let thing = world.thing(id);
    let mut page = Page::new();
    page.line(
        Style::Heading,
        format!("{}, obj {}, {}", capitalised(&thing.short), thing.vnum, world.object_instance_of(id)),
    );
    page.say(format!("Answers to: {}. {}.", thing.keywords, capitalised(&whereabouts(world, id))));
    page.say(format!("Lies as: {}", thing.long));
    page.say(kind_in_words(thing));
    page.say(format!(
        "Weight {} (with contents {}), cost {}, level {}, hours left {}.",
        thing.weight,
        world.weight_of(id),
        thing.cost,
        thing.level,
        if thing.timer_hours > 0 { thing.timer_hours.to_string() } else { "no limit".to_string() }
    ));
    page.say(format!("Flags: {}.", listed(thing.flags.names())));
    page.say(format!("Worn: {}.", listed(thing.wear.names())));
    page.say(format!("Gives: {}.", listed(thing.affects.names())));
    for apply in &thing.applies {
        page.say(format!("  {} {:+}", apply.to, apply.by));
    }
    if thing.is_container() {
        page.say(format!("Holds: {}.", listed(thing.contents.iter().map(|o| &*world.thing(*o).short))));
    }
    page
}

/// The type of a thing with its values.
fn kind_in_words(thing: &Object) -> String {
    let kind = thing.kind.item_type();
    match &thing.kind {
        ObjectKind::Light { hours } if *hours < 0 => format!("Type {kind}: burns for ever."),
        ObjectKind::Light { hours } => format!("Type {kind}: {hours} hours left."),
        ObjectKind::Weapon { dice, sides, attack } => format!("Type {kind}: {dice}d{sides}, {attack}."),
        ObjectKind::FireWeapon { dice, sides } | ObjectKind::Missile { dice, sides } => {
            format!("Type {kind}: {dice}d{sides}.")
        }
        ObjectKind::Armor { armor } => format!("Type {kind}: {armor} points."),
        ObjectKind::Scroll { level, spells } | ObjectKind::Potion { level, spells } => {
            format!("Type {kind}: level {level}, spells {spells:?}.")
        }
        ObjectKind::Wand { level, charges_max, charges, spell }
        | ObjectKind::Staff { level, charges_max, charges, spell } => {
            format!("Type {kind}: level {level}, {charges} of {charges_max} charges, spell {spell}.")
        }
        ObjectKind::Container { capacity, flags, key, corpse } => {
            let key = key.map_or(String::new(), |key| format!(", key {key}"));
            let corpse = if *corpse { ", a corpse" } else { "" };
            format!("Type {kind}: capacity {capacity}, {}{key}{corpse}.", listed(flags.names()))
        }
        ObjectKind::DrinkContainer { capacity, contents, liquid, poisoned }
        | ObjectKind::Fountain { capacity, contents, liquid, poisoned } => {
            let poison = if *poisoned { ", poisoned" } else { "" };
            format!("Type {kind}: {contents} of {capacity} swallows, {liquid}{poison}.")
        }
        ObjectKind::Food { hours, poisoned } => {
            let poison = if *poisoned { ", poisoned" } else { "" };
            format!("Type {kind}: stills {hours} hours of hunger{poison}.")
        }
        ObjectKind::Money { coins } => format!("Type {kind}: {coins} coins."),
        _ => format!("Type {kind}."),
    }
}
