//! What can be asked of players and mobs, and done by or to them.

use super::*;
use crate::act::Scene;
use crate::affect::{Affect, Cause, Source};
use crate::commands;
use crate::effects::{self, Effect, HarmKind, SetAffect, Stacking, healing};
use crate::hunting;
use crate::object::Place;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::room_view::{self, Detail};
use crate::speech;
use content::flags::{AffectFlags, MobFlags};

/// Characters of a name that `affects` shows.
const AFFECT_NAME_MAX: usize = 40;
/// Hours that a script can put something on somebody for.
const HOURS_MAX: i32 = 240;
/// Coins, experience and wounds that one call can deal out.
const AMOUNT_MAX: i32 = 100_000;

macro_rules! field {
    ($name:literal, $says:literal, $example:literal, |$world:ident, $who:ident| $answer:expr) => {
        Row {
            group: Group::Character,
            name: $name,
            signature: concat!("character.", $name),
            says: $says,
            example: $example,
            kind: Kind::Field(|$world, handle| {
                let $who = as_character(handle);
                $answer
            }),
        }
    };
}

macro_rules! method {
    ($name:literal, $args:literal, $says:literal, $example:literal, $run:expr) => {
        Row {
            group: Group::Character,
            name: $name,
            signature: concat!("character:", $name, "(", $args, ")"),
            says: $says,
            example: $example,
            kind: Kind::Method($run),
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    field!("name", "As others call it.", "ev.self:say(`Well met, {ev.actor.name}.`)", |w, c| {
        Answer::Text(w.who(c).shown().clone())
    }),
    field!("is_player", "Whether it is a player: a person or an agent.", "if ev.actor.is_player then", |w, c| {
        w.who(c).is_player().into()
    }),
    field!("vnum", "The number of a mob's row; nil for a player.", "if ev.actor.vnum == 8012 then", |w, c| {
        w.mob_proto(c).map_or(Answer::Nil, |proto| proto.vnum.into())
    }),
    field!("level", "1 to 30; immortals have more.", "if ev.actor.level < 5 then", |w, c| w.who(c).level.into()),
    field!("class", "The word of its class, as in content files.", "ev.actor.class == \"thief\"", |w, c| {
        w.who(c).class.name().into()
    }),
    field!("race", "The word of its race.", "ev.actor.race == \"elf\"", |w, c| w.who(c).race.name().into()),
    field!("sex", "`male`, `female` or `neutral`.", "ev.actor.sex", |w, c| w.who(c).sex.name().into()),
    field!("alignment", "−1000 (evil) to 1000 (good).", "if ev.actor.alignment < -350 then", |w, c| {
        w.who(c).alignment.into()
    }),
    field!("gold", "Coins in its purse.", "if ev.actor.gold >= 10 then", |w, c| w.who(c).gold.into()),
    field!("hp", "Hit points.", "if ev.self.hp < ev.self.max_hp then", |w, c| w.who(c).hit.into()),
    field!("max_hp", "Hit points when whole.", "ev.self.max_hp", |w, c| w.who(c).now.hit_max.into()),
    field!("mana", "Mana.", "ev.actor.mana", |w, c| w.who(c).mana.into()),
    field!("max_mana", "Mana when rested.", "ev.actor.max_mana", |w, c| w.who(c).now.mana_max.into()),
    field!("moves", "Movement points.", "ev.actor.moves", |w, c| w.who(c).moves.into()),
    field!("max_moves", "Movement points when rested.", "ev.actor.max_moves", |w, c| w.who(c).now.move_max.into()),
    field!("position", "`standing`, `sleeping`, `fighting` and so on.", "ev.self.position == \"sleeping\"", |w, c| {
        w.who(c).position.name().into()
    }),
    field!("room", "Where it is.", "ev.actor.room:echo(\"It grows cold.\")", |w, c| Handle::Room(w.who(c).room).into()),
    field!("opponent", "Whom it fights; nil when it does not.", "if ev.self.opponent then", |w, c| {
        w.who(c).fighting.map_or(Answer::Nil, |other| Handle::Character(other).into())
    }),
    field!("leader", "Whom it follows; nil when it follows nobody.", "if ev.self.leader == ev.actor then", |w, c| {
        w.who(c).leader.map_or(Answer::Nil, |other| Handle::Character(other).into())
    }),
    field!("prey", "Whom a mob hunts; nil when it hunts nobody.", "if ev.self.prey == ev.actor then", |w, c| {
        let hunt = w.who(c).mob().and_then(|mob| mob.hunt).filter(|hunt| w.character(hunt.prey).is_some());
        hunt.map_or(Answer::Nil, |hunt| Handle::Character(hunt.prey).into())
    }),
    method!(
        "followers",
        "",
        "Those who follow it, in the order in which they began.",
        "#ev.actor:followers()",
        |w, h, _| { Ok(list(w.who(as_character(h)).followers.clone())) }
    ),
    method!(
        "carried",
        "",
        "What it carries, the newest first.",
        "for _, object in ipairs(ev.actor:carried()) do",
        |w, h, _| { Ok(objects_of(w.who(as_character(h)).carrying.iter().copied())) }
    ),
    method!("worn", "", "What it wears and wields.", "ev.actor:worn()", |w, h, _| {
        Ok(objects_of(w.who(as_character(h)).worn.iter().map(|(_, object)| *object)))
    }),
    method!(
        "has",
        "vnum",
        "A thing with that number that it carries or wears; nil where there is none.",
        "local key = ev.actor:has(8120)",
        |w, h, given| {
            let (c, vnum) = (w.who(as_character(h)), integer(given, 0)?);
            let all = c.carrying.iter().copied().chain(c.worn.iter().map(|(_, object)| *object));
            let found = all.into_iter().find(|object| w.object(*object).vnum == vnum);
            Ok(found.map_or(Answer::Nil, |object| Handle::Object(object).into()))
        }
    ),
    method!(
        "is",
        "word",
        "Whether a condition is on it (`blind`, `charm`), or a mob has a flag (`wimpy`).",
        "if ev.actor:is(\"invisible\") then",
        |w, h, given| {
            let (c, word) = (w.who(as_character(h)), text(given, 0)?);
            match (AffectFlags::named(word), MobFlags::named(word)) {
                (Some(flag), _) => Ok(c.is(flag).into()),
                (None, Some(flag)) => Ok(c.mob_flags().has(flag).into()),
                (None, None) => Err(format!("there is no condition and no flag {word:?}")),
            }
        }
    ),
    method!(
        "sees",
        "other",
        "Whether it sees somebody, here or where that one is.",
        "if ev.self:sees(ev.actor) then",
        |w, h, given| {
            let other = character(given, 0)?;
            Ok((w.character(other).is_some() && w.sees(as_character(h), other)).into())
        }
    ),
    method!("say", "text", "A mob says it to its room.", "ev.self:say(\"Mind the step.\")", |w, h, given| {
        let words = shown(given, 0)?;
        let mob = mob(w, h, "say")?;
        if words.trim().is_empty() || !w.who(mob).is_awake() {
            return Ok(false.into());
        }
        speech::speak(w, mob, words.trim());
        Ok(true.into())
    }),
    method!(
        "tell",
        "player, text",
        "A mob says it to one player in its room alone.",
        "ev.self:tell(ev.actor, \"Psst.\")",
        |w, h, given| {
            let (to, words, mob) = (character(given, 0)?, shown(given, 1)?, mob(w, h, "tell")?);
            let here = w.character(to).is_some_and(|c| c.room == w.who(mob).room && c.is_awake());
            if !here || !w.who(mob).is_awake() {
                return Ok(false.into());
            }
            let outcome = speech::said(w, mob, "whisper", Some(to), &words);
            let scene = Scene::new(mob, LineKind::Say).victim(to).text(&words).speaks().outcome(&outcome);
            w.show(&scene, "", "$n whispers to you, \"$t\"", "$n whispers something to $N.");
            Ok(true.into())
        }
    ),
    method!(
        "emote",
        "text",
        "A mob is seen doing something: its name stands before the text.",
        "ev.self:emote(\"counts the coins twice.\")",
        |w, h, given| {
            let (words, mob) = (shown(given, 0)?, mob(w, h, "emote")?);
            w.show(&Scene::new(mob, LineKind::Emote).text(&words), "", "", "$n $t");
            Ok(true.into())
        }
    ),
    method!(
        "command",
        "line",
        "A mob types a line, as an order would have it; false when the game refuses it.",
        "ev.self:command(\"open gate\")",
        |w, h, given| {
            let (line, mob) = (shown(given, 0)?, mob(w, h, "command")?);
            Ok(commands::run_scripted(w, mob, &line).into())
        }
    ),
    method!(
        "attack",
        "other",
        "A mob strikes somebody in its room; false where that is not allowed.",
        "ev.self:attack(ev.actor)",
        |w, h, given| {
            let (victim, mob) = (character(given, 0)?, mob(w, h, "attack")?);
            let here = w.character(victim).is_some_and(|v| v.room == w.who(mob).room);
            if !here || !w.who(mob).is_awake() || w.may_attack(mob, victim, false).is_err() {
                return Ok(false.into());
            }
            let serial = w.who(mob).serial;
            w.streams.fork(Stream::Combat, serial);
            w.strike(mob, victim);
            Ok(true.into())
        }
    ),
    method!(
        "send",
        "text",
        "A player reads a line that nobody else does.",
        "ev.actor:send(\"You feel watched.\")",
        |w, h, given| {
            let words = shown(given, 0)?;
            w.send(as_character(h), LineKind::Text, words);
            Ok(true.into())
        }
    ),
    method!(
        "hurt",
        "amount, by?",
        "It loses hit points, and may die of it; `by` answers for it. True when it died.",
        "ev.actor:hurt(5)",
        |w, h, given| {
            let amount = integer(given, 0)?.clamp(0, AMOUNT_MAX);
            let by = if is_given(given, 1) { Some(character(given, 1)?) } else { None };
            let by = by.filter(|by| w.character(*by).is_some());
            let who = as_character(h);
            if w.who(who).is_immortal() {
                return Ok(false.into());
            }
            let room = w.room_proto(w.who(who).room).vnum;
            let cause = Cause { by, source: Source::Room(room) };
            Ok(effects::work(w, who, Effect::Harm { amount, kind: HarmKind::Mishap }, cause).into())
        }
    ),
    method!("heal", "amount", "It gets hit points back, up to its maximum.", "ev.actor:heal(20)", |w, h, given| {
        let (who, amount) = (as_character(h), integer(given, 0)?.clamp(0, AMOUNT_MAX));
        healing::give_back(w, who, who, amount, None);
        Ok(true.into())
    }),
    method!(
        "refresh",
        "mana, moves",
        "It gets mana and movement points back, or loses them where they are negative.",
        "ev.actor:refresh(0, -20)",
        |w, h, given| {
            let (mana, moves) = (integer(given, 0)?, integer(given, 1)?);
            let c = w.who_mut(as_character(h));
            c.mana = c.mana.saturating_add(mana).clamp(0, c.now.mana_max.max(c.mana));
            c.moves = c.moves.saturating_add(moves).clamp(0, c.now.move_max.max(c.moves));
            Ok(true.into())
        }
    ),
    method!(
        "affect",
        "name, condition, hours",
        "A condition is on it for so many hours, under a name that `affects` shows.",
        "ev.actor:affect(\"river chill\", \"slow\", 2)",
        |w, h, given| {
            let (name, word) = (shown(given, 0)?, text(given, 1)?);
            if name.trim().is_empty() || name.chars().count() > AFFECT_NAME_MAX {
                return Err(format!("an affect has a name of 1 to {AFFECT_NAME_MAX} characters"));
            }
            let hours = integer(given, 2)?.clamp(1, HOURS_MAX);
            let flags = AffectFlags::named(word).ok_or_else(|| format!("there is no condition {word:?}"))?;
            if flags.any(AffectFlags::CHARM) {
                return Err(format!("{word:?} comes from no script"));
            }
            let affect = Affect { kind: name.as_str().into(), hours, flags, ..Affect::default() };
            let room = w.room_proto(w.who(as_character(h)).room).vnum;
            let cause = Cause { by: None, source: Source::Room(room) };
            effects::work(w, as_character(h), Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
            Ok(true.into())
        }
    ),
    method!(
        "cure",
        "condition",
        "Ends everything that puts a condition on it. False when there was nothing.",
        "ev.actor:cure(\"poison\")",
        |w, h, given| {
            let word = text(given, 0)?;
            let flags = AffectFlags::named(word).ok_or_else(|| format!("there is no condition {word:?}"))?;
            Ok(effects::affects::end(w, as_character(h), flags).into())
        }
    ),
    method!(
        "move_to",
        "room",
        "It is taken to a room, out of any fight. Those around see it vanish and appear.",
        "ev.actor:move_to(world.room(8004))",
        |w, h, given| {
            let Some(Given::Handle(Handle::Room(to))) = given.first() else {
                return Err(format!("argument 1 should be a room, not {}", kind_of(given.first())));
            };
            let who = as_character(h);
            w.stop_fights_of(who);
            let scene = Scene::new(who, LineKind::Leave).hidden();
            w.show(&scene, "", "", "$n is gone.");
            w.move_character(who, *to);
            let scene = Scene::new(who, LineKind::Enter).hidden();
            w.show(&scene, "", "", "$n is here.");
            if w.who(who).is_player() {
                room_view::show_room(w, who, Detail::Full);
            }
            Ok(true.into())
        }
    ),
    method!(
        "follow",
        "other?",
        "A mob follows somebody from now on, or nobody.",
        "ev.self:follow(ev.actor)",
        |w, h, given| {
            let mob = mob(w, h, "follow")?;
            let other = if is_given(given, 0) { Some(character(given, 0)?) } else { None };
            if w.who(mob).leader.is_some() {
                w.stop_following(mob);
            }
            // A called-up mob is gone when it serves nobody any more.
            if w.character(mob).is_none() {
                return Ok(true.into());
            }
            Ok(other.is_none_or(|other| begin_following(w, mob, other).is_ok()).into())
        }
    ),
    method!(
        "hunt",
        "other?",
        "A mob is after somebody from now on, wherever that one goes, or gives up; false where nobody is to be hunted.",
        "ev.self:hunt(ev.actor)",
        |w, h, given| {
            let mob = mob(w, h, "hunt")?;
            if !is_given(given, 0) {
                return Ok(hunting::give_up(w, mob).into());
            }
            let prey = character(given, 0)?;
            Ok((w.character(prey).is_some() && hunting::begin(w, mob, prey)).into())
        }
    ),
    method!(
        "pay",
        "to, coins",
        "A mob hands over coins from its purse; false when it has not so many.",
        "ev.self:pay(ev.actor, 25)",
        |w, h, given| {
            let (to, coins, mob) = (character(given, 0)?, integer(given, 1)?, mob(w, h, "pay")?);
            let here = w.character(to).is_some_and(|c| c.room == w.who(mob).room);
            if coins <= 0 || coins > w.who(mob).gold || !here {
                return Ok(false.into());
            }
            Ok(commands::objects::give_coins(w, mob, coins, to).is_ok().into())
        }
    ),
    method!(
        "reward",
        "experience",
        "A player gets experience, as for a deed.",
        "ev.actor:reward(50)",
        |w, h, given| {
            let (who, points) = (as_character(h), integer(given, 0)?.clamp(0, AMOUNT_MAX));
            if w.who(who).is_player() {
                w.gain_experience(who, points);
            }
            Ok(w.who(who).is_player().into())
        }
    ),
    method!(
        "remove",
        "",
        "A mob leaves the world, with all that it has and without a corpse.",
        "ev.self:remove()",
        |w, h, _| {
            let mob = mob(w, h, "remove")?;
            w.extract_character(mob);
            Ok(true.into())
        }
    ),
];

impl From<Handle> for Answer {
    fn from(handle: Handle) -> Answer {
        Answer::Handle(handle)
    }
}

/// What only mobs do: a player's words and deeds are its own.
fn mob(world: &World, handle: Handle, what: &str) -> Result<CharacterId, Wrong> {
    let id = as_character(handle);
    if world.who(id).is_mob() {
        Ok(id)
    } else {
        Err(format!("{what} is for mobs: a player's words and deeds are its own"))
    }
}

fn begin_following(world: &mut World, mob: CharacterId, other: CharacterId) -> Done {
    if world.character(other).is_none() || other == mob || world.follows(other, mob) {
        return Err("nobody leads whom it follows".into());
    }
    world.may_follow(mob, other)?;
    world.start_following(mob, other);
    Ok(())
}

/// Where a thing would go that is put there.
pub(super) fn place(given: &[Given], at: usize) -> Result<Place, Wrong> {
    match given.get(at) {
        Some(Given::Handle(Handle::Character(id))) => Ok(Place::Carried(*id)),
        Some(Given::Handle(Handle::Room(id))) => Ok(Place::Room(*id)),
        Some(Given::Handle(Handle::Object(id))) => Ok(Place::Inside(*id)),
        other => Err(format!("argument {} should be somebody, a room or a thing, not {}", at + 1, kind_of(other))),
    }
}
