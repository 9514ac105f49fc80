//! Verbs of magic: cast and will, and what holds spells: quaff, recite, use.
//!
//! Checked in this order: known, position, room, target, mana, reagent; then chance is drawn. What comes of an art is
//! in `casting`. Source: game reference §2.3, §4.

use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::casting::{Casting, Means};
use crate::clock::{TICKS_PER_HOUR, duration};
use crate::commands::gone::{GONE, is_gone};
use crate::commands::horns;
use crate::commands::learning::{Art, called_elsewhere, hint_at_practice, learn_by_use, unknown};
use crate::draws::Draw;
use crate::effects::working::Aim;
use crate::find::{begins_name, first_argument, first_word};
use crate::happenings::LettingGo;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::{Rules, abilities};
use crate::skill::SpellId;
use crate::world::World;
use content::ObjectKind;
use content::arts::{Scope, SpellRow, TargetKind};
use content::flags::{AffectFlags, MobFlags, RoomFlags, WearFlags};
use content::words::*;
use protocol::Outcome;

/// A success is a draw of 0 to this that is not above what was learned.
const CAST_SIDES: i32 = 101;
/// By so much less where an immortal casts.
const IMMORTAL_EASE: i32 = 20;
/// Ticks that it takes to drink, to read, to wave.
const OBJECT_LAG: u64 = 1;
/// Words that the name of a spell has at most.
const NAME_WORDS_MAX: usize = 4;

pub fn cast(world: &mut World, who: CharacterId, args: &str) -> Done {
    cast_by(world, who, args, Means::Spell)
}

pub fn will(world: &mut World, who: CharacterId, args: &str) -> Done {
    cast_by(world, who, args, Means::Will)
}

/// Psionics and mystics will what others say.
pub fn wills(class: Class) -> bool {
    matches!(class, Class::Psionic | Class::Mystic)
}

fn cast_by(world: &mut World, who: CharacterId, args: &str, means: Means) -> Done {
    let rules = world.rules.clone();
    let verb = if means == Means::Will { "will" } else { "cast" };
    if args.trim().is_empty() {
        return Err(format!("What do you want to {verb}, and at whom? {verb} '<spell>' [<target>]").into());
    }
    let (row, word) = named(world, who, &rules, args)?;
    let c = world.who(who);
    // Immortals know everything, whichever way it is brought about.
    if c.is_player() && !c.is_immortal() && wills(c.class) != (means == Means::Will) {
        let other = if means == Means::Will { "cast" } else { "will" };
        if !row.levels.contains_key(&c.class) {
            return Err(unknown(world, who, Art::Spell(row)));
        }
        return Err(format!("Your arts are not of that kind. You {other} them: {other} '{}'", row.name).into());
    }
    let learned = known_percent(world, who, row);
    if learned == 0 {
        return Err(unknown(world, who, Art::Spell(row)));
    }
    if c.now.abilities.intelligence == 0 || c.now.abilities.wisdom == 0 {
        return Err("The doors in your mind are shut, and no art comes out of it.".into());
    }
    if c.position < row.position {
        return Err(match c.position {
            Position::Fighting => "Not in a fight: that needs a quiet moment.".into(),
            _ => "You have to be on your feet for that.".into(),
        });
    }
    let flags = world.room_flags(c.room);
    if flags.has(RoomFlags::NO_MAGIC) && !c.is_immortal() {
        return Err("Your art gutters like a candle in this place, and goes out.".into());
    }
    if flags.has(RoomFlags::PEACEFUL) && row.violent && !c.is_immortal() {
        return Err("The peace of this place is stronger than any violent art.".into());
    }
    if row.outdoors && !world.is_outdoors(c.room) {
        return Err("That needs the open sky above you.".into());
    }
    let aim = find_aim(world, who, row, word)?;
    if row.violent {
        may_harm(world, who, row, aim)?;
    }
    let mana = mana_of(world, who, row);
    if world.who(who).mana < mana {
        return Err(format!("You have not the strength for that: it takes {mana} points of mana.").into());
    }
    if let (true, Scope::Target, Aim::Character(victim)) = (row.violent, row.scope, aim) {
        world.dares(who, victim)?;
    }
    if row.violent
        && matches!(row.scope, Scope::Foes | Scope::Room)
        && let Some(victim) = world.strongest_met(who)
    {
        world.dares(who, victim)?;
    }
    let reagent = row.reagent.as_ref().and_then(|name| world.conjured(name)).and_then(|vnum| reagent(world, who, vnum));
    attempt(world, who, row, Attempt { means, aim, word, mana, learned, reagent });
    Ok(())
}

/// What is about to be tried.
struct Attempt<'a> {
    means: Means,
    aim: Aim,
    word: &'a str,
    mana: i32,
    learned: i32,
    reagent: Option<ObjectId>,
}

/// The draw, and what comes of it.
fn attempt(world: &mut World, who: CharacterId, row: &SpellRow, attempt: Attempt) {
    let Attempt { means, aim, word, mana, learned, reagent } = attempt;
    let c = world.who(who);
    let (level, immortal) = (c.level, c.is_immortal());
    // Immortals wait for nothing.
    if !immortal {
        world.lag(who, row.lag_ticks);
    }
    let ease = if immortal { -IMMORTAL_EASE } else { load_penalty(world, who) };
    let drawn = world.draw(Stream::Command, Draw::Cast).range(0, CAST_SIDES + ease);
    learn_by_use(world, who, Art::Spell(row));
    if drawn > learned {
        spend(world, who, mana / 2);
        world.tell_failure(who, row, means, aim);
        hint_at_practice(world, who, Art::Spell(row));
        return;
    }
    let casting = Casting { by: who, row, level, means, aim, word, reagent };
    let worked = world.work_art(&casting);
    let cost = if worked.is_ok() { mana } else { mana / 2 };
    if world.character(who).is_some() {
        spend(world, who, cost);
        if let Err(why) = worked {
            world.send(who, LineKind::Text, why);
        }
    }
}

fn spend(world: &mut World, who: CharacterId, mana: i32) {
    if mana > 0 && !world.who(who).is_immortal() {
        let c = world.who_mut(who);
        c.mana = (c.mana - mana).max(0);
    }
}

/// The spell that is meant, and what follows its name. Names may stand in quotes, and words of them may be shortened;
/// what one knows comes before what one does not.
fn named<'r, 'a>(
    world: &World,
    who: CharacterId,
    rules: &'r Rules,
    args: &'a str,
) -> Result<(&'r SpellRow, &'a str), Refusal> {
    let args = args.trim();
    // Phones write curly ones.
    let quote = args.chars().next().filter(|c| matches!(c, '\'' | '"' | '‘' | '’' | '“' | '”' | '„'));
    let closes = |close: char| match quote {
        Some('‘' | '’') => matches!(close, '’' | '‘' | '\''),
        Some('“' | '”' | '„') => matches!(close, '”' | '“' | '"'),
        same => same == Some(close),
    };
    let candidates: Vec<(&str, &str)> = match quote {
        Some(quote) => match args[quote.len_utf8()..].split_once(closes) {
            Some((name, rest)) => vec![(name.trim(), rest.trim())],
            None => return Err(format!("Where does the name end? Close the {quote} behind it.").into()),
        },
        None => {
            let mut ends: Vec<usize> = args.match_indices(' ').map(|(at, _)| at).chain([args.len()]).collect();
            ends.truncate(NAME_WORDS_MAX);
            ends.into_iter().rev().map(|end| (args[..end].trim(), args[end..].trim())).collect()
        }
    };
    let find = |known: bool| {
        candidates.iter().find_map(|(name, rest)| {
            let may = |row: &&SpellRow| !known || known_percent(world, who, row) > 0;
            let rows = || rules.spells.iter().filter(may);
            let exact = rows().find(|row| row.name.eq_ignore_ascii_case(name));
            exact.or_else(|| rows().find(|row| begins_name(&row.name, name))).map(|row| (row, *rest))
        })
    };
    let shown: String = candidates.first().map_or("", |(name, _)| name).chars().take(40).collect();
    let elsewhere = || {
        let here = candidates.iter().find_map(|(name, _)| called_elsewhere(&name.to_lowercase()));
        here.map_or(String::new(), |here| format!(" Here it is called {here}."))
    };
    let unknown = || format!("No art is called \"{shown}\".{}", elsewhere()).into();
    find(true).or_else(|| find(false)).ok_or_else(unknown)
}

/// How well somebody knows a spell, percent; 0 where it does not, or may not use it so far.
pub fn known_percent(world: &World, who: CharacterId, row: &SpellRow) -> i32 {
    let c = world.who(who);
    if c.is_immortal() {
        return 100;
    }
    // What mobs can do is their behaviour's, and no verb's.
    let Some(player) = c.player() else { return 0 };
    let may = row.levels.get(&c.class).is_some_and(|level| *level <= c.level);
    if may { player.spells.get(&SpellId::from(&*row.name)).copied().unwrap_or(0) } else { 0 }
}

/// Points of mana that it costs.
pub fn mana_of(world: &World, who: CharacterId, row: &SpellRow) -> i32 {
    let c = world.who(who);
    let learned_at = row.levels.get(&c.class).copied().unwrap_or(c.level);
    row.mana.at((c.level - learned_at).max(0))
}

/// Who carries much has less of a hand free. Source: game reference §4.
fn load_penalty(world: &World, who: CharacterId) -> i32 {
    let load = world.load_of(who);
    let capacity = abilities::strength(&world.who(who).now.abilities).carry;
    match if load > 0 { capacity / load } else { i32::MAX } {
        4.. => 0,
        3 => 5,
        2 => 7,
        _ => 10,
    }
}

/// The thing in hand or pack that makes it stronger.
fn reagent(world: &World, who: CharacterId, vnum: content::Vnum) -> Option<ObjectId> {
    let c = world.who(who);
    let held = c.wears(WearSlot::Hold).filter(|id| world.object(*id).vnum == vnum);
    held.or_else(|| c.carrying.iter().copied().find(|id| world.object(*id).vnum == vnum))
}

/// What a word means for a spell, or what is meant without one.
fn find_aim(world: &World, who: CharacterId, row: &SpellRow, word: &str) -> Result<Aim, Refusal> {
    let may = |kind: TargetKind| row.targets.contains(&kind);
    if may(TargetKind::Nothing) || may(TargetKind::Word) {
        return Ok(Aim::Nothing);
    }
    let (target, _) = first_argument(word);
    let not_self = may(TargetKind::NotSelf);
    if target.is_empty() {
        if may(TargetKind::OnlySelf)
            || (!row.violent && may(TargetKind::Here) && !not_self && !may(TargetKind::Opponent))
        {
            return Ok(Aim::Character(who));
        }
        let opponent = match row.violent {
            true => world.opponent_meant(who),
            false => world.who(who).fighting.filter(|id| world.character(*id).is_some()),
        };
        return match opponent.filter(|_| may(TargetKind::Opponent)) {
            Some(opponent) => Ok(Aim::Character(opponent)),
            None if may(TargetKind::Opponent) && !row.violent => Ok(Aim::Character(who)),
            None => Err("At whom, or at what?".into()),
        };
    }
    if may(TargetKind::FarObject) {
        return Ok(Aim::Nothing);
    }
    if may(TargetKind::OnlySelf) {
        return match world.find_here(who, target) {
            Some(found) if found == who => Ok(Aim::Character(who)),
            _ => Err("That works on yourself and nobody else.".into()),
        };
    }
    let here = match row.violent {
        true => world.foe_here(who, target).ok(),
        false => world.find_here(who, target),
    };
    if may(TargetKind::Here)
        && let Some(found) = here
    {
        return match found == who && not_self {
            true => Err("Not on yourself.".into()),
            false => Ok(Aim::Character(found)),
        };
    }
    if may(TargetKind::Far)
        && let Some(found) = world.find_anywhere(who, target)
    {
        return match found == who && not_self {
            true => Err("Not on yourself.".into()),
            false => Ok(Aim::Character(found)),
        };
    }
    let carried = may(TargetKind::Carried).then(|| world.find_carried(who, target)).flatten();
    let worn = || may(TargetKind::Worn).then(|| world.find_worn(who, target)).flatten().map(|(_, object)| object);
    let floor = || may(TargetKind::Floor).then(|| world.find_on_floor(who, target)).flatten();
    match carried.or_else(worn).or_else(floor) {
        Some(object) => Ok(Aim::Object(object)),
        None => Err(match () {
            () if is_gone(world, who, target) => GONE,
            () if may(TargetKind::Here) && (may(TargetKind::Carried) || may(TargetKind::Floor)) => {
                format!("You see nobody and nothing here that is called \"{target}\".").into()
            }
            () if may(TargetKind::Here) => "There is nobody of that name here.".into(),
            () if may(TargetKind::Far) => "Your thoughts go out, and come back with nobody.".into(),
            () => format!("You have no {target}.").into(),
        }),
    }
}

/// What is asked of every blow is asked of violent arts too.
fn may_harm(world: &World, who: CharacterId, row: &SpellRow, aim: Aim) -> Done {
    if row.scope != Scope::Target {
        return Ok(());
    }
    match aim {
        Aim::Character(victim) if victim == who => Err("You have enough enemies without adding yourself.".into()),
        Aim::Character(victim) => world.may_attack(who, victim, true),
        Aim::Object(_) | Aim::Nothing => Ok(()),
    }
}

/// A thing of a kind that is carried or held, by name.
fn found_thing(world: &World, who: CharacterId, word: &str, verb: &str) -> Result<ObjectId, Refusal> {
    if word.is_empty() {
        return Err(format!("What do you want to {verb}?").into());
    }
    let held = world.find_worn(who, word).filter(|(slot, _)| *slot == WearSlot::Hold).map(|(_, object)| object);
    let worn = || world.find_worn(who, word).map(|(_, object)| object);
    let found = held.or_else(|| world.find_carried(who, word)).or_else(worn);
    found.ok_or_else(|| format!("You have no {word}.").into())
}

fn may_do_magic_here(world: &World, who: CharacterId) -> Done {
    let c = world.who(who);
    match world.room_flags(c.room).has(RoomFlags::NO_MAGIC) && !c.is_immortal() {
        true => Err("Nothing magic stirs in this place.".into()),
        false => Ok(()),
    }
}

pub fn quaff(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let (whom, _) = first_argument(rest);
    if !whom.is_empty() && world.find_here(who, whom) != Some(who) {
        return Err("What you quaff works on you and nobody else. You can give it away.".into());
    }
    let potion = found_thing(world, who, word, "quaff")?;
    let object = world.object(potion);
    let ObjectKind::Potion { level, spells } = object.kind else {
        return Err(format!("{} is nothing to quaff.", capitalised(&object.short)).into());
    };
    may_do_magic_here(world, who)?;
    let outcome = world.note(Outcome::Consumed { who: world.as_who(who), item: world.as_object_ref(potion) });
    let scene = Scene::new(who, LineKind::Text).object(potion).hidden().outcome(&outcome);
    world.show(&scene, "You quaff $p.", "", "$n quaffs $p.");
    use_up(world, who, potion);
    let rules = world.rules.clone();
    let on = |row: &SpellRow| {
        if row.targets.contains(&TargetKind::Nothing) { Aim::Nothing } else { Aim::Character(who) }
    };
    let rows = spells.iter().filter_map(|number| rules.spell_numbered(*number));
    let aims: Vec<(&SpellRow, Aim)> = rows.map(|row| (row, on(row))).collect();
    release_all(world, who, level, Means::Potion, &aims, "");
    Ok(())
}

pub fn recite(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    let scroll = found_thing(world, who, word, "recite")?;
    let object = world.object(scroll);
    let ObjectKind::Scroll { level, spells } = object.kind else {
        return Err(format!("There is nothing on {} to recite.", object.short).into());
    };
    may_do_magic_here(world, who)?;
    if world.who(who).is(AffectFlags::BLIND) {
        return Err("You cannot read a word of it.".into());
    }
    let rules = world.rules.clone();
    // All of it is asked for before any of it is used up.
    let mut aims = Vec::with_capacity(spells.len());
    for row in spells.iter().filter_map(|number| rules.spell_numbered(*number)) {
        let aim = find_aim(world, who, row, rest)?;
        peace(world, who, row)?;
        if row.violent {
            may_harm(world, who, row, aim)?;
        }
        aims.push((row, aim));
    }
    let outcome = world.note(Outcome::Consumed { who: world.as_who(who), item: world.as_object_ref(scroll) });
    let scene = Scene::new(who, LineKind::Text).object(scroll).hidden().outcome(&outcome);
    world.show(&scene, "You recite $p, which falls to dust.", "", "$n recites $p, which falls to dust.");
    use_up(world, who, scroll);
    release_all(world, who, level, Means::Scroll, &aims, rest);
    Ok(())
}

/// Wands are pointed, staffs are struck on the ground.
pub fn use_(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    // A thing of that name is what is held in hand.
    if word.eq_ignore_ascii_case("tattoo") && found_thing(world, who, word, "use").is_err() {
        return use_tattoo(world, who);
    }
    let thing = found_thing(world, who, word, "use")?;
    if let Some(horn) = horns::horn_of(world, thing) {
        return horns::blow(world, who, thing, horn);
    }
    let object = world.object(thing);
    let (level, charges, number, means) = match object.kind {
        ObjectKind::Wand { level, charges, spell, .. } => (level, charges, spell, Means::Wand),
        ObjectKind::Staff { level, charges, spell, .. } => (level, charges, spell, Means::Staff),
        ObjectKind::Potion { .. } => return Err(format!("To use {}, quaff it.", object.short).into()),
        ObjectKind::Scroll { .. } => return Err(format!("To use {}, recite it.", object.short).into()),
        _ => return Err(format!("You turn {} over in your hands. It does nothing by itself.", object.short).into()),
    };
    if !matches!(object.place, crate::object::Place::Worn(..)) && object.can_be(WearFlags::HOLD) {
        return Err(format!("You have to hold {} for that.", object.short).into());
    }
    may_do_magic_here(world, who)?;
    let level = level_of_charges(level);
    let rules = world.rules.clone();
    let Some(row) = rules.spell_numbered(number) else {
        return Err(format!("Nothing in {} answers you.", object.short).into());
    };
    peace(world, who, row)?;
    let aims = match means {
        Means::Staff => around(world, who, row),
        _ => {
            let aim = find_aim(world, who, row, rest)?;
            if row.violent {
                may_harm(world, who, row, aim)?;
            }
            vec![aim]
        }
    };
    let scene = Scene::new(who, LineKind::Text).object(thing).hidden();
    world.lag(who, OBJECT_LAG);
    if charges < 1 {
        world.show(&scene, "$p is spent, and nothing happens.", "", "$n waves $p, and nothing happens.");
        return Ok(());
    }
    if let ObjectKind::Wand { charges, .. } | ObjectKind::Staff { charges, .. } = &mut world.object_mut(thing).kind {
        *charges -= 1;
    }
    match (means, aims.as_slice()) {
        (Means::Staff, _) => world.show(&scene, "You strike the ground with $p.", "", "$n strikes the ground with $p."),
        (_, [Aim::Character(target)]) if *target != who => {
            world.show(&scene.victim(*target), "You point $p at $N.", "$n points $p at you.", "$n points $p at $N.")
        }
        _ => world.show(&scene, "You wave $p.", "", "$n waves $p."),
    }
    for aim in aims {
        if world.character(who).is_some() {
            release(world, Casting { by: who, row, level, means, aim, word: rest, reagent: None });
        }
    }
    Ok(())
}

/// What is under the skin works on its bearer, once a day.
fn use_tattoo(world: &mut World, who: CharacterId) -> Done {
    let rules = world.rules.clone();
    let player = world.who(who).player().ok_or("Mobs have no use for pictures.")?;
    let free = player.tattoo_free_tick;
    let name = player.tattoo.as_deref().ok_or("There is no picture under your skin.")?;
    let row = rules.tattoo(name).ok_or("The picture under your skin means nothing to anybody here.")?;
    let Some(spell) = row.spell.as_deref().and_then(|spell| rules.spell_named(spell)) else {
        return Err(
            format!("The {} is good for what it is, all the time. There is nothing to be used.", row.name).into()
        );
    };
    may_do_magic_here(world, who)?;
    if world.tick() < free {
        let left = duration(free - world.tick());
        return Err(format!("The {} has not come to itself again. Give it {left}.", row.name).into());
    }
    let text = &*row.name;
    let scene = Scene::new(who, LineKind::Text).text(text);
    world.lag(who, OBJECT_LAG);
    world.player_mut(who).tattoo_free_tick = world.tick() + TATTOO_REST;
    world.show(&scene, "You lay your hand on the $t, and it wakes.", "", "$n lays a hand on the $t under $s skin.");
    let aim = if spell.targets.contains(&TargetKind::Nothing) { Aim::Nothing } else { Aim::Character(who) };
    let means = Means::Tattoo;
    release(world, Casting { by: who, row: spell, level: UNSAID_LEVEL, means, aim, word: "", reagent: None });
    Ok(())
}

/// A tattoo rests for a day of the game. Source: game reference §4.3.
const TATTOO_REST: u64 = 24 * TICKS_PER_HOUR;

/// The level of wands and staffs whose builder gave none, and of tattoos. Source: game reference §4.
const UNSAID_LEVEL: i32 = 12;

/// At which level a wand or staff works whose row says this one.
pub fn level_of_charges(said: i32) -> i32 {
    if said > 0 { said } else { UNSAID_LEVEL }
}

fn peace(world: &World, who: CharacterId, row: &SpellRow) -> Done {
    let c = world.who(who);
    match row.violent && world.room_flags(c.room).has(RoomFlags::PEACEFUL) && !c.is_immortal() {
        true => Err("The peace of this place is stronger than any violent art.".into()),
        false => Ok(()),
    }
}

/// Whom a staff reaches: all others in the room for what harms, the user's own for what does not.
fn around(world: &World, who: CharacterId, row: &SpellRow) -> Vec<Aim> {
    if row.scope != Scope::Target || !row.targets.contains(&TargetKind::Here) {
        return vec![Aim::Nothing];
    }
    let own = |id: CharacterId| crate::effects::damage::is_own(world, who, id);
    let reached = |id: &CharacterId| match row.violent {
        true => {
            !own(*id) && !world.who(*id).mob_flags().has(MobFlags::NO_KILL) && world.may_attack(who, *id, true).is_ok()
        }
        false => own(*id),
    };
    let here = world.room(world.who(who).room).characters.iter().copied();
    here.filter(reached).map(Aim::Character).collect()
}

fn use_up(world: &mut World, who: CharacterId, object: ObjectId) {
    world.record_letting_go(who, object, LettingGo::UseUp);
    world.extract_object(object);
    world.lag(who, OBJECT_LAG);
}

/// Everything that a thing holds, one after the other, as far as its target lives.
fn release_all(world: &mut World, who: CharacterId, level: i32, means: Means, aims: &[(&SpellRow, Aim)], word: &str) {
    if aims.is_empty() {
        world.send(who, LineKind::Text, "Nothing seems to come of it.");
    }
    let life = world.life_of(Aim::Character(who));
    let lives: Vec<Option<u32>> = aims.iter().map(|(_, aim)| world.life_of(*aim)).collect();
    for (&(row, aim), before) in aims.iter().zip(lives) {
        if life != world.life_of(Aim::Character(who)) {
            return;
        }
        if before.is_some() && before == world.life_of(aim) {
            release(world, Casting { by: who, row, level, means, aim, word, reagent: None });
        }
    }
}

fn release(world: &mut World, casting: Casting) {
    if let Err(why) = world.work_art(&casting)
        && world.character(casting.by).is_some()
    {
        world.send(casting.by, LineKind::Text, why);
    }
}
