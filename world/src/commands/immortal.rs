//! What immortals do: go anywhere, call and send others, make and unmake, keep players in order, end the world.
//!
//! What they look up is in `inspecting`, what they set right in `amending`; both name their targets as it is done here.
//! Invariant: nobody does anything to a player of the same or a higher level. What matters is logged for the operator.

use super::*;
use crate::act::{Scene, capitalised};
use crate::clock::{duration, span_ticks};
use crate::find::{first_argument, first_word};
use crate::muting::{MUTE_TICKS, MUTE_TICKS_MAX};
use crate::object::Place;
use crate::relocation::relocate;
use crate::report::{Complaints, Moderation, Ordered, Request, Restraint};
use content::{RoomId, Text};
use protocol::words::counted;

/// A line for the operator's log.
pub(super) fn log(world: &mut World, who: CharacterId, deed: impl AsRef<str>) {
    log_wish(world, who, deed.as_ref());
    if world.who(who).level >= LEVEL_IMMORTAL {
        moderate(world, who, Ordered::Noted { deed: deed.as_ref().into() });
    }
}

/// The same of what the edge is asked to do, which notes by itself what came of it.
fn log_wish(world: &mut World, who: CharacterId, deed: &str) {
    let text = format!("{} {deed}", world.who(who).name);
    world.request(Request::Log { text });
}

/// Refuses when the target is somebody else's equal or better. Mobs are below everybody.
pub(super) fn outranks(world: &World, who: CharacterId, target: CharacterId) -> Done {
    let (w, t) = (world.who(who), world.who(target));
    if target != who && t.is_player() && t.level >= w.level {
        return Err(format!("{} is not below you.", t.name).into());
    }
    Ok(())
}

/// Somebody near or far, or the sentence that there is nobody of that name.
pub(super) fn anyone(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<CharacterId, Refusal> {
    if word.is_empty() {
        return Err(format!("Whom do you want to {verb}?").into());
    }
    world.find_anywhere(who, word).ok_or_else(|| Refusal::new("There is nobody of that name in the world."))
}

/// As `anyone`, players only.
pub(super) fn any_player(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<CharacterId, Refusal> {
    if word.is_empty() {
        return Err(format!("Which player do you want to {verb}?").into());
    }
    if word.eq_ignore_ascii_case("me") || word.eq_ignore_ascii_case("self") {
        return Ok(who);
    }
    world.find_player_seen(who, word).ok_or_else(|| Refusal::new("There is no player of that name in the world."))
}

/// A room by its number, or the room of whoever is named.
pub(super) fn room_named(world: &World, who: CharacterId, word: &str) -> Result<RoomId, Refusal> {
    if word.is_empty() {
        return Err("Where? Give the number of a room, or a name.".into());
    }
    if let Ok(vnum) = word.parse::<i32>() {
        return world.room_by_vnum(vnum).ok_or_else(|| format!("There is no room {vnum}.").into());
    }
    anyone(world, who, word, "find").map(|found| world.who(found).room)
}

pub fn goto_(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    let to = room_named(world, who, word)?;
    relocate(world, who, to, ["$n steps out of the world.", "$n steps into the world, as if through a door."]);
    Ok(())
}

/// The command is run elsewhere; who stayed there comes back.
pub fn at(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, command) = first_word(args);
    if command.is_empty() {
        return Err("Do what, and where? at <room | target> <command>".into());
    }
    if find_verb(Typed::parse(command).word, world.who(who).level).is_some_and(|verb| verb.name == "at") {
        return Err("One place at a time.".into());
    }
    let there = room_named(world, who, word)?;
    let back = world.who(who).room;
    world.stop_fights_of(who);
    world.move_character(who, there);
    run(world, who, Typed::parse(command));
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
        relocate(world, target, to, ["$n is called away.", "$n arrives, called."]);
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
    relocate(world, target, to, ["$n is sent away.", "$n arrives, sent by somebody."]);
    let (name, vnum) = (world.who(target).name.clone(), world.room_proto(to).vnum);
    world.send(who, LineKind::Text, format!("{} is in room {vnum} now.", capitalised(&name)));
    Ok(())
}

pub fn force(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, command) = first_word(args);
    if word.is_empty() || command.is_empty() {
        return Err("Force whom to do what? force <target | room | all> <command>".into());
    }
    if strip_secret(command).secret.is_some() {
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
    let typed = Typed::parse(command);
    let verb = find_verb(typed.word, LEVEL_MAX);
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
        run(world, target, typed);
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
        let object =
            world.make_object(vnum).ok_or_else(|| Refusal::from(format!("There is no thing of the number {vnum}.")))?;
        world.place_object(object, Place::Carried(who));
        let scene = Scene::new(who, LineKind::Text).object(object);
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
        let objects = world.room(room).objects.clone();
        for mob in mobs {
            world.extract_character(mob);
        }
        for object in objects {
            world.extract_object(object);
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
    let Some(object) = world.find_near(who, word) else {
        return Err(format!("You see no {word} here.").into());
    };
    let scene = Scene::new(who, LineKind::Text).object(object);
    world.show(&scene, "You unmake $p.", "", "$n looks at $p, and it is gone.");
    let name = world.object(object).short.clone();
    world.extract_object(object);
    log(world, who, format!("purged {name}"));
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

/// A slip of one word would send everybody off, so it takes two.
pub fn shutdown(world: &mut World, who: CharacterId, args: &str) -> Done {
    if !args.trim().eq_ignore_ascii_case("yes") {
        let others = world.state.players.len().saturating_sub(1);
        let whom = match others {
            0 => "you, and nobody else is here".to_string(),
            some => format!("you and {}", counted(u32::try_from(some).unwrap_or(u32::MAX), "other player")),
        };
        let ask = format!(
            "That ends the server, for {whom}, until its operator starts it again. If you mean it: shutdown yes. To \
             start it anew with everybody kept: copyover."
        );
        return Err(ask.into());
    }
    let by = world.who(who).name.clone();
    let text = world.content.sentences.shutdown.replace("$n", &by);
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
pub fn copyover(world: &mut World, who: CharacterId, args: &str) -> Done {
    if !args.is_empty() {
        return Err("Type copyover alone: it starts the server anew, with everybody kept.".into());
    }
    let by = world.who(who).name.clone();
    let text = world.content.sentences.copyover.to_string();
    world.send(who, LineKind::Text, text);
    log(world, who, "asked for a copyover");
    world.request(Request::Restart { by });
    Ok(())
}

/// Only asks: the edge reads the folder, and tells who asked what came of it. All else that is read at a start is read
/// at the next one, since a replay needs it.
pub fn reload(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (what, _) = first_argument(args);
    if what.is_empty() || !"scripts".starts_with(&what.to_ascii_lowercase()) {
        let how = "In the game only the scripts of the world are read again: reload scripts. The settings of the server \
                   (certificates, the log's filter, the listing, who may connect) are its operator's: dp-server \
                   reload. Rooms, mobs and rules take a copyover.";
        return Err(how.into());
    }
    let by = world.who(who).name.clone();
    world.send(who, LineKind::Text, "You have the scripts read again.");
    log(world, who, "asked for the scripts to be read again");
    world.request(Request::ReloadScripts { by });
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
    if let Some(name) = away(world, who, word) {
        return restrain(world, who, name, if frozen { Restraint::Freeze } else { Restraint::Thaw });
    }
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

pub fn mute(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let until = match rest.trim() {
        "" => Ok(world.tick() + MUTE_TICKS),
        typed => {
            let ticks = span_ticks(typed).or_else(|| typed.parse().ok());
            let ticks = ticks.filter(|ticks| (1..=MUTE_TICKS_MAX).contains(ticks));
            let longest = duration(MUTE_TICKS_MAX);
            let ask = || format!("For how long? {longest} at most: mute {word} 10m, mute {word} 2h, mute {word} 3d");
            ticks.map(|ticks| world.tick() + ticks).ok_or_else(ask)
        }
    };
    if let Some(name) = away(world, who, word) {
        return restrain(world, who, name, Restraint::Mute { until_tick: until? });
    }
    let target = moderated(world, who, word, "mute")?;
    let until = until?;
    world.player_mut(target).muted_until = Some(until);
    let (name, text) = (world.who(target).name.clone(), world.until_text(until));
    let told = world.who(target).player().and_then(|player| world.muted_text(player)).unwrap_or_default();
    world.send(target, LineKind::Text, told);
    world.send(who, LineKind::Text, format!("You mute {name} {text}."));
    log(world, who, format!("muted {name} {text}"));
    world.save(target);
    Ok(())
}

pub fn unmute(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_word(args);
    if let Some(name) = away(world, who, word) {
        return restrain(world, who, name, Restraint::Unmute);
    }
    let target = moderated(world, who, word, "unmute")?;
    let name = world.who(target).name.clone();
    if !world.is_silent(target) {
        return Err(format!("{name} is not muted.").into());
    }
    let player = world.player_mut(target);
    player.muted_until = None;
    player.flags.remove(PlayerFlags::MUTED);
    world.send(target, LineKind::Text, "You are heard again.");
    world.send(who, LineKind::Text, format!("You let {name} be heard again."));
    log(world, who, format!("unmuted {name}"));
    world.save(target);
    Ok(())
}

/// The name of a player who is known and away. A word that begins the name of one who is here means that one.
fn away(world: &World, who: CharacterId, word: &str) -> Option<Text> {
    let oneself = ["me", "self"].iter().any(|own| word.eq_ignore_ascii_case(own));
    if word.is_empty() || oneself || world.find_player_seen(who, word).is_some() {
        return None;
    }
    let name = world.state.channels.person(world.person_named(word)?)?.name.clone();
    // Who is here unseen is not given away.
    world.find_player(&name).is_none().then_some(name)
}

/// Has the edge change the record of one who is away; it answers.
fn restrain(world: &mut World, who: CharacterId, name: Text, how: Restraint) -> Done {
    let what = match how {
        Restraint::Freeze => "frozen",
        Restraint::Thaw => "thawed",
        Restraint::Mute { .. } => "muted",
        Restraint::Unmute => "unmuted",
    };
    log_wish(world, who, &format!("wants {name}, who is away, {what}"));
    moderate(world, who, Ordered::Restrain { who: name, how });
    Ok(())
}

/// Somebody else, below the one who keeps order.
fn moderated(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<CharacterId, Refusal> {
    let target = any_player(world, who, word, verb)?;
    if target == who {
        return Err(format!("Not yourself. Others are there to {verb} you.").into());
    }
    outranks(world, who, target)?;
    Ok(target)
}

pub fn ban(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    if word.is_empty() {
        return Err("Whom? ban <player | network> [<how long>] [<why>]: ban bob 7d spam, ban 192.0.2.0/24".into());
    }
    // Whoever is here is meant by the beginning of its name, and is below who bans it.
    let here = world.find_player_seen(who, word);
    if here == Some(who) {
        return Err("Not yourself. Who would let you in?".into());
    }
    if let Some(target) = here {
        outranks(world, who, target)?;
    }
    let name = here.map_or_else(|| word.into(), |target| world.who(target).name.clone());
    log_wish(world, who, &format!("wants {name} banned: {rest}"));
    moderate(world, who, Ordered::Ban { who: name, rest: rest.trim().into() });
    Ok(())
}

pub fn unban(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err("Whom? unban <player | network>; bans lists them.".into());
    }
    log_wish(world, who, &format!("wants {word} let in again"));
    moderate(world, who, Ordered::Unban { who: word.into() });
    Ok(())
}

pub fn bans(world: &mut World, who: CharacterId, _: &str) -> Done {
    moderate(world, who, Ordered::Bans);
    Ok(())
}

pub fn complaints(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let how = || {
        let how = "Which complaint? complaints 8 shows that one, complaints before 8 the ten before it, complaints alone \
                   the newest.";
        Refusal::new(how)
    };
    let number = |word: &str| word.strip_prefix('#').unwrap_or(word).parse::<u64>().map_err(|_| how());
    let which = match word {
        "" => Complaints::Newest,
        before if before.eq_ignore_ascii_case("before") => Complaints::Before(number(first_word(rest).0)?),
        one => Complaints::One(number(one)?),
    };
    moderate(world, who, Ordered::Complaints { which });
    Ok(())
}

/// Only asks: the edge keeps what it takes, and tells who asked what came of it.
fn moderate(world: &mut World, who: CharacterId, order: Ordered) {
    let (by, level) = (world.who(who).name.clone(), world.who(who).level);
    world.request(Request::Moderate(Moderation { by, level, order }));
}
