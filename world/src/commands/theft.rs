//! Light fingers: steal, peek, palm. Source: game reference §4.2.
//!
//! Of a theft that succeeds nobody reads anything but the thief. Keepers cannot be robbed, and players by outlaws only
//! who are near to them in level, once in some hours. Draws: whether it succeeds (`steal`), how many coins (`amount`).

use super::attempt::{self, known, takes, tried};
use super::learning::{Art, learn_by_use};
use crate::act::{Scene, capitalised};
use crate::affect::{Affect, Cause, Source};
use crate::arena::{CharacterId, ObjectId};
use crate::character::PlayerFlags;
use crate::coins::{GOLD_MAX, coins_text, means_coins};
use crate::draws::Draw;
use crate::effects::working::not_of_age;
use crate::effects::{self, Effect, SetAffect, Stacking};
use crate::find::first_argument;
use crate::object::Place;
use crate::pickup;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::abilities;
use crate::sight::SEEN_MAX;
use crate::world::World;
use content::flags::*;
use protocol::Outcome;
use protocol::outcome::CastResult;

/// A hand closes around no more coins than this, and this percent of a purse at most.
const COINS_MAX: i32 = 1_782;
const PURSE_PERCENT: i32 = 10;
/// Hours for which who was robbed has an eye on its purse.
const ROBBED_HOURS: i32 = 6;

/// What a thief is after.
#[derive(Clone, Copy)]
enum Prize {
    Coins,
    Thing(ObjectId),
}

pub fn steal(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "steal")?;
    let (what, rest) = first_argument(args);
    let (whom, _) = first_argument(rest);
    if what.is_empty() || whom.is_empty() {
        return Err("Steal what from whom? steal <thing | coins> <target>".into());
    }
    let victim = world.here(who, whom)?;
    may_rob(world, who, victim)?;
    let v = world.who(victim);
    let prize = if means_coins(what) {
        Prize::Coins
    } else {
        let found = world.find_object_in(who, &v.carrying, what);
        let Some(object) = found else {
            return Err(format!("{} has no {what} that you could get at.", capitalised(v.shown())).into());
        };
        if world.object(object).flags.has(ObjectFlags::NO_DROP) {
            return Err(format!("{} will not leave its owner's hand.", capitalised(&world.object(object).short)).into());
        }
        if world.hands_full(who) || world.too_heavy_for(who, world.weight_of(object)) {
            return Err("You could not carry that off.".into());
        }
        Prize::Thing(object)
    };
    takes(world, who, 1);
    let percent = attempt::percent(world, who, row);
    learn_by_use(world, who, Art::Skill(row));
    let (c, v) = (world.who(who), world.who(victim));
    let weight = if let Prize::Thing(object) = prize { world.weight_of(object) } else { 0 };
    let (gap, awake) = ((v.level - c.level).max(0), v.is_awake());
    let ease = abilities::dexterity_pockets(c.now.abilities.dexterity) - weight - gap;
    let drawn = world.draw(Stream::Combat, Draw::Steal).range(1, attempt::SIDES);
    if awake && drawn > percent.saturating_add(ease) {
        attempt::tell_alone(world, who, Some(victim), row, CastResult::Failed);
        be_caught(world, who, victim);
        return Ok(());
    }
    let taken = match prize {
        Prize::Coins => world.who(victim).gold > 0,
        Prize::Thing(_) => true,
    };
    let result = if taken { CastResult::Done } else { CastResult::Failed };
    attempt::tell_alone(world, who, Some(victim), row, result);
    match prize {
        Prize::Coins => take_coins(world, who, victim),
        Prize::Thing(object) => take_thing(world, who, victim, object),
    }
    if taken && world.who(victim).is_player() {
        let kind = row.name.name().into();
        let affect = Affect { kind, hours: ROBBED_HOURS, flags: AffectFlags::ROBBED, ..Affect::default() };
        let cause = Cause::of(Source::Skill(row.name.clone()));
        effects::work(world, victim, Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
    }
    Ok(())
}

/// Who may lay hands on whose purse.
fn may_rob(world: &World, who: CharacterId, victim: CharacterId) -> Done {
    let v = world.who(victim);
    let name = || capitalised(world.name_for(who, victim));
    if victim == who {
        return Err("You have that already.".into());
    }
    if world.room_flags(v.room).has(RoomFlags::PEACEFUL) {
        return Err("The peace of this place stays your hand.".into());
    }
    if v.is_immortal() || world.is_untouchable(victim) {
        return Err(format!("{} watches your hands, and smiles.", name()).into());
    }
    if world.who(who).is(AffectFlags::CHARM) && world.who(who).leader == Some(victim) {
        return Err("You could never raise a hand against your master.".into());
    }
    if let Some(what) = not_of_age(world, who, victim) {
        return Err(what.into());
    }
    if v.is(AffectFlags::ROBBED) {
        return Err(format!("{} was robbed not long ago, and holds on to everything.", name()).into());
    }
    if world.who(who).fighting.is_some() || v.fighting == Some(who) {
        return Err("There is no stealing with a blade in the other hand.".into());
    }
    Ok(())
}

fn take_coins(world: &mut World, who: CharacterId, victim: CharacterId) {
    let gold = world.who(victim).gold;
    if gold <= 0 {
        world.send(who, LineKind::Text, "You find a purse, and nothing in it.");
        return;
    }
    let percent = world.draw(Stream::Combat, Draw::Amount).range(1, PURSE_PERCENT);
    let room = (GOLD_MAX - world.who(who).gold).max(0);
    let most = gold.min(COINS_MAX).min(room);
    let coins = ((i64::from(gold) * i64::from(percent) / 100) as i32).max(1).min(most);
    world.who_mut(victim).gold -= coins;
    world.who_mut(who).gold += coins;
    tell(world, who, victim, None, coins);
}

fn take_thing(world: &mut World, who: CharacterId, victim: CharacterId, object: ObjectId) {
    world.place_object(object, Place::Carried(who));
    tell(world, who, victim, Some(object), 0);
}

/// The thief alone reads of it.
fn tell(world: &mut World, who: CharacterId, victim: CharacterId, object: Option<ObjectId>, coins: i32) {
    world.record_theft(who, victim, object, coins);
    let outcome = world.note(Outcome::Stolen {
        thief: world.as_who(who),
        victim: world.as_who(victim),
        item: object.map(|object| world.as_object_ref(object)),
        gold: object.is_none().then_some(i64::from(coins)),
    });
    let what = match object {
        Some(_) => "$p".to_string(),
        None => coins_text(coins),
    };
    let mut scene = Scene::new(who, LineKind::Get).victim(victim).outcome(&outcome);
    scene.object = object;
    world.show(&scene, &format!("You take {what} off $N, who notices nothing."), "", "");
}

/// Everybody reads of it, and the victim strikes if it is a mob. Who steals from a player is an outlaw.
fn be_caught(world: &mut World, who: CharacterId, victim: CharacterId) {
    if world.who(who).is(AffectFlags::HIDE.with(AffectFlags::INVISIBLE)) {
        world.appear(who);
    }
    world.record_caught(who, victim);
    let outcome = world.note(Outcome::Caught { thief: world.as_who(who), victim: world.as_who(victim) });
    let scene = Scene::new(who, LineKind::Text).victim(victim).outcome(&outcome);
    world.show(
        &scene,
        "$N catches you with your hand in $S pocket!",
        "You catch $n with a hand in your pocket!",
        "$N catches $n with a hand in $S pocket!",
    );
    if world.who(victim).is_mob() {
        world.strike(victim, who);
        return;
    }
    let thief = world.who(who);
    if thief.is_player() && !thief.player_flags().has(PlayerFlags::OUTLAW) {
        world.player_mut(who).flags.insert(PlayerFlags::OUTLAW);
        world.send(who, LineKind::Text, "A thief, and everybody will know: you are an OUTLAW now.");
    }
}

/// Looks into somebody's pockets.
pub fn peek(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "peek")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Into whose pockets do you want to peek?".into());
    }
    let victim = world.here(who, word)?;
    if victim == who {
        return Err("See your inventory for that.".into());
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    if !done {
        world.send(who, LineKind::Text, "You see nothing that is not there for all to see.");
        return Ok(());
    }
    let mut shown: Vec<(String, usize)> = Vec::new();
    for object in &world.who(victim).carrying {
        let name = world.object_name_for(who, *object);
        match shown.iter().position(|(other, _)| other == name) {
            Some(at) => shown[at].1 += 1,
            None if shown.len() < SEEN_MAX => shown.push((name.to_string(), 1)),
            None => {}
        }
    }
    let name = capitalised(world.name_for(who, victim));
    let mut text = format!("{name} carries{}", if shown.is_empty() { " nothing." } else { ":" });
    for (what, count) in shown {
        text.push_str(&match count {
            1 => format!("\n  {what}"),
            n => format!("\n  {what} ({n})"),
        });
    }
    world.send(who, LineKind::Text, text);
    Ok(())
}

/// Takes something up that nobody is to see taken.
pub fn palm(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "palm")?;
    let (what, rest) = first_argument(args);
    let (from, _) = first_argument(rest);
    if what.is_empty() {
        return Err("What do you want to palm?".into());
    }
    let container = match from {
        "" => None,
        from => {
            let found = world.find_near(who, from).filter(|id| world.object(*id).is_container());
            let Some(container) = found else { return Err(format!("You see no {from} here to reach into.").into()) };
            if world.object(container).is_closed() {
                return Err(format!("{} is closed.", capitalised(&world.object(container).short)).into());
            }
            Some(container)
        }
    };
    let found = match container {
        None => world.find_on_floor(who, what),
        Some(container) => world.find_object_in(who, &world.object(container).contents, what),
    };
    let Some(object) = found else { return Err(format!("You see no {what} there.").into()) };
    pickup::may_take(world, who, object)?;
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    if done { pickup::palm(world, who, object, container) } else { pickup::take_up(world, who, object, container) }
}
