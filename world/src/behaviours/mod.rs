//! What mobs do by themselves because their rows say so (`content::Behaviour`): a closed list.
//!
//! Teachers are asked by `commands/practice.rs`, guards by `movement.rs`, who serves for coins by
//! `commands/services.rs`; the rest is here, called by the phases of
//! fights and of mobs. Whether one acts in a round is a glance, so that no other die falls otherwise for it; what it
//! does then goes through verbs, arts and harm as everybody's deeds do. What a row names and the rule book does not
//! have is a problem of the content (`problems`), and here it is nothing.

use crate::act::Scene;
use crate::affect::{Affect, Cause, Source};
use crate::arena::CharacterId;
use crate::casting::{Casting, Means};
use crate::character::Save;
use crate::commands::{combat, strikes, theft};
use crate::effects::working::Aim;
use crate::effects::{self, Effect, SetAffect, Stacking};
use crate::find::naming_word;
use crate::jail;
use crate::report::LineKind;
use crate::rng::{Glance, Stream};
use crate::rules::Rules;
use crate::world::World;
use content::flags::{AffectFlags, MobFlags, RoomFlags};
use content::words::Position;
use content::{Behaviour, Content, ObjectKind, PetOffer, Text, Vnum};

/// What is wrong with the behaviours of a world's mobs, by this rule book: the mob, and what.
pub fn problems(content: &Content, rules: &Rules) -> Vec<(Vnum, String)> {
    let mut wrong = Vec::new();
    for mob in &content.mobs {
        for behaviour in &mob.behaviours {
            let (spells, verbs): (&[Text], &[Text]) = match behaviour {
                Behaviour::Caster { spells, .. } | Behaviour::Healer { spells, .. } => (spells, &[]),
                Behaviour::Fighter { verbs, .. } => (&[], verbs),
                _ => (&[], &[]),
            };
            let brought: &[Vnum] = match behaviour {
                Behaviour::Stable { mob, .. } => std::slice::from_ref(mob),
                Behaviour::Recruiter { mobs, .. } => mobs,
                _ => &[],
            };
            if let Behaviour::PetShop { pets } = behaviour {
                for pet in pets {
                    wrong.extend(unfit_pet(content, pet).map(|what| (mob.vnum, what)));
                }
            }
            for vnum in brought.iter().filter(|vnum| content.mob_index(**vnum).is_none()) {
                wrong.push((mob.vnum, format!("there is no mob #{vnum} to be hired")));
            }
            let carries = |vnum: &Vnum| content.mob(*vnum).is_some_and(|mob| mob.flags.has(MobFlags::MOUNTABLE));
            if let Behaviour::Stable { mob: animal, .. } = behaviour
                && content.mob_index(*animal).is_some()
                && !carries(animal)
            {
                wrong.push((mob.vnum, format!("mob #{animal} of its stable is not mountable")));
            }
            if let Behaviour::Tattooist { tattoos } = behaviour {
                for name in tattoos.iter().filter(|name| rules.tattoo(name).is_none()) {
                    wrong.push((mob.vnum, format!("no tattoo is called {name:?}")));
                }
            }
            for spell in spells.iter().filter(|spell| rules.spell_named(spell).is_none()) {
                wrong.push((mob.vnum, format!("no spell is called {spell:?}")));
            }
            let strikes = |verb: &Text| {
                rules.skills.iter().any(|row| row.strike.is_some() && row.verb.as_deref() == Some(&**verb))
            };
            for verb in verbs.iter().filter(|verb| !strikes(verb)) {
                wrong.push((mob.vnum, format!("no fighting art has the verb {verb:?}")));
            }
        }
    }
    wrong
}

/// Why an animal cannot be sold to serve; `None` where it can.
fn unfit_pet(content: &Content, pet: &PetOffer) -> Option<String> {
    let vnum = pet.mob;
    let Some(proto) = content.mob(vnum) else { return Some(format!("there is no mob #{vnum} to be sold as a pet")) };
    if proto.flags.has(MobFlags::MOUNTABLE) {
        return Some(format!("mob #{vnum} is mountable, and no pet: let a stable sell it"));
    }
    (pet.coins < 1).then(|| format!("the pet #{vnum} needs a price of at least 1"))
}

/// A fighter's round. True when it has done something else than strike.
pub fn in_fight(world: &mut World, id: CharacterId) -> bool {
    let Some(c) = world.character(id) else { return false };
    let fit = c.is_mob() && c.position == Position::Fighting;
    let opponent = c.fighting.filter(|victim| world.character(*victim).is_some_and(|v| v.room == c.room));
    let (Some(victim), true) = (opponent, fit) else { return false };
    let behaviours = match world.mob_proto(id) {
        Some(proto) if !proto.behaviours.is_empty() => proto.behaviours.clone(),
        _ => return false,
    };
    let serial = world.who(id).serial;
    let mut glance = world.dice(Stream::Mobs).glances().of(serial);
    for behaviour in &behaviours {
        let acts = match behaviour {
            Behaviour::Caster { spells, one_in } => {
                glance.one_in(*one_in) && {
                    world.streams.fork(Stream::Combat, serial);
                    cast(world, id, victim, spells, &mut glance)
                }
            }
            Behaviour::Fighter { verbs, one_in } => {
                glance.one_in(*one_in) && {
                    world.streams.fork(Stream::Combat, serial);
                    let verb = verbs.get(glance.below(verbs.len() as u32) as usize);
                    verb.is_some_and(|verb| strikes::strike(world, id, "", verb).is_ok())
                }
            }
            Behaviour::Venom { hours, one_in } => {
                glance.one_in(*one_in) && {
                    world.streams.fork(Stream::Combat, serial);
                    bite(world, id, victim, *hours);
                    true
                }
            }
            Behaviour::Regenerator { percent } => {
                grow_whole(world, id, *percent);
                false
            }
            Behaviour::Gaze { ticks, one_in } => {
                glance.one_in(*one_in) && {
                    world.streams.fork(Stream::Combat, serial);
                    gaze(world, id, victim, *ticks)
                }
            }
            Behaviour::Vanisher { percent } => vanish(world, id, *percent, serial),
            Behaviour::Rescuer { .. } | Behaviour::Breeder { .. } => false,
            Behaviour::Jailer {} => jail::arrests_opponent(world, id, victim),
            Behaviour::Teacher { .. } | Behaviour::Guard { .. } | Behaviour::Healer { .. } => false,
            Behaviour::Thief { .. } | Behaviour::Cleaner {} => false,
            Behaviour::Restorer { .. } | Behaviour::Identifier { .. } | Behaviour::Mortician { .. } => false,
            Behaviour::Stable { .. } | Behaviour::Recruiter { .. } => false,
            Behaviour::Recharger { .. } | Behaviour::Remorter { .. } | Behaviour::Tattooist { .. } => false,
            Behaviour::PetShop { .. } => false,
        };
        if acts {
            return true;
        }
    }
    false
}

/// A mob's round out of a fight. `watched`: a player is in its room. True when it has done something.
pub fn at_leisure(world: &mut World, id: CharacterId, watched: bool, glance: &mut Glance) -> bool {
    let behaviours = match world.mob_proto(id) {
        Some(proto) if !proto.behaviours.is_empty() => proto.behaviours.clone(),
        _ => return false,
    };
    let serial = world.who(id).serial;
    for behaviour in &behaviours {
        let acts = match behaviour {
            Behaviour::Healer { spells, lost_percent } if watched => {
                let patient = patient(world, id, *lost_percent);
                patient.is_some_and(|patient| {
                    world.streams.fork(Stream::Combat, serial);
                    cast(world, id, patient, spells, glance)
                })
            }
            Behaviour::Thief { one_in } if watched && glance.one_in(*one_in) => rob(world, id, serial),
            Behaviour::Regenerator { percent } => {
                grow_whole(world, id, *percent);
                false
            }
            Behaviour::Cleaner {} => sweep(world, id),
            Behaviour::Rescuer { one_in } if watched && glance.one_in(*one_in) => rescue(world, id, serial),
            Behaviour::Breeder { most, one_in } => glance.one_in(*one_in) && breed(world, id, *most),
            Behaviour::Jailer {} if watched => jail::looks_for_outlaws(world, id),
            _ => false,
        };
        if acts {
            return true;
        }
    }
    false
}

/// Casts one of these at somebody, or on itself what does no harm to an opponent. Mobs spend no mana.
fn cast(world: &mut World, id: CharacterId, whom: CharacterId, spells: &[Text], glance: &mut Glance) -> bool {
    let rules = world.rules.clone();
    let Some(row) = spells.get(glance.below(spells.len() as u32) as usize) else { return false };
    let Some(row) = rules.spell_named(row) else { return false };
    let c = world.who(id);
    if world.room_flags(c.room).has(RoomFlags::NO_MAGIC) || c.position < row.position {
        return false;
    }
    let aim = if !row.violent && c.fighting == Some(whom) { id } else { whom };
    let casting =
        Casting { by: id, row, level: c.level, means: Means::Spell, aim: Aim::Character(aim), word: "", reagent: None };
    // What can do nothing here is a round lost: it does not know why either.
    let _ = world.work_art(&casting);
    true
}

/// A blow, and poison with it.
fn bite(world: &mut World, id: CharacterId, victim: CharacterId, hours: i32) {
    let before = world.who(victim).hit;
    world.strike(id, victim);
    let bitten = world.character(victim).is_some_and(|v| v.hit < before && v.room == world.who(id).room);
    if world.character(id).is_none() || !bitten || world.saves(victim, Save::Paralysis) {
        return;
    }
    let (kind, flags) = ("venom".into(), AffectFlags::POISON);
    let affect = Affect { kind, hours, flags, ..Affect::default() };
    let cause = Cause { by: Some(id), source: Source::Body };
    effects::work(world, victim, Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
    let scene = Scene::new(id, LineKind::Combat).victim(victim);
    world.show(&scene, "", "Something burns where $n got at you.", "$N goes pale.");
}

/// Holds somebody with its eyes; false where there is nothing to be held.
fn gaze(world: &mut World, id: CharacterId, victim: CharacterId, ticks: u64) -> bool {
    if world.who(victim).is(AffectFlags::BLIND) || !world.sees(victim, id) {
        return false;
    }
    let scene = Scene::new(id, LineKind::Combat).victim(victim);
    if world.saves(victim, Save::Petrify) {
        world.show(&scene, "", "You look away from $n just in time.", "$N looks away from $n.");
    } else {
        world.lag(victim, ticks);
        world.show(
            &scene,
            "",
            "You meet the eyes of $n, and cannot move.",
            "$N meets the eyes of $n, and stands still.",
        );
    }
    true
}

/// Is elsewhere, where it has been hurt enough and anything lets it out.
fn vanish(world: &mut World, id: CharacterId, percent: i32, serial: u64) -> bool {
    let c = world.who(id);
    let hurt = i64::from(c.hit) * 100 < i64::from(c.now.hit_max) * i64::from(percent);
    if !hurt || effects::moving::hindrance_of_leaping(world, id).is_some() {
        return false;
    }
    world.streams.fork(Stream::Command, serial);
    world.show(&Scene::new(id, LineKind::Leave), "", "", "$n is not there any more.");
    world.stop_fights_of(id);
    effects::moving::leap(world, id);
    true
}

/// Takes a player's blows for another mob of its kind of people: the first that has need of it.
fn rescue(world: &mut World, id: CharacterId, serial: u64) -> bool {
    let room = world.who(id).room;
    let in_need = world.room(room).characters.iter().copied().find(|other| {
        let o = world.who(*other);
        let attacked = |by: &CharacterId| world.who(*by).is_player() && world.who(*by).fighting == Some(*other);
        *other != id && o.is_mob() && o.leader.is_none() && world.room(room).characters.iter().any(attacked)
    });
    let Some(friend) = in_need.filter(|friend| world.sees(id, *friend)) else { return false };
    world.streams.fork(Stream::Combat, serial);
    let word = naming_word(&world.who(friend).keywords).to_string();
    combat::rescue(world, id, &word).is_ok()
}

/// One more of its kind.
fn breed(world: &mut World, id: CharacterId, most: u32) -> bool {
    let Some(mob) = world.who(id).mob() else { return false };
    let proto = mob.proto;
    if mob.called_up || world.state.mob_counts[proto as usize] >= most {
        return false;
    }
    let room = world.who(id).room;
    let young = world.make_mob(proto, room);
    world.show(&Scene::new(young, LineKind::Enter), "", "", "There is one more of them: $n.");
    true
}

fn grow_whole(world: &mut World, id: CharacterId, percent: i32) {
    let c = world.who(id);
    let (hit, hit_max) = (c.hit, c.now.hit_max);
    if hit > 0 && hit < hit_max {
        world.who_mut(id).hit = hit.saturating_add((hit_max / 100).max(1).saturating_mul(percent)).min(hit_max);
    }
}

/// A player here whom it sees and who has need of it: the first who came.
fn patient(world: &World, id: CharacterId, lost_percent: i32) -> Option<CharacterId> {
    let room = world.who(id).room;
    world.room(room).characters.iter().copied().find(|who| {
        let c = world.who(*who);
        let lost = i64::from(c.now.hit_max - c.hit) * 100 >= i64::from(c.now.hit_max) * i64::from(lost_percent);
        c.is_player() && lost && c.fighting.is_none() && world.sees(id, *who)
    })
}

fn rob(world: &mut World, id: CharacterId, serial: u64) -> bool {
    let room = world.who(id).room;
    let victim = world.room(room).characters.iter().copied().find(|who| {
        let c = world.who(*who);
        c.is_player() && !c.is_immortal() && c.gold > 0 && c.fighting.is_none() && world.sees(id, *who)
    });
    let Some(victim) = victim else { return false };
    world.streams.fork(Stream::Combat, serial);
    let purse = format!("coins {}", naming_word(&world.who(victim).keywords));
    theft::steal(world, id, &purse).is_ok()
}

fn sweep(world: &mut World, id: CharacterId) -> bool {
    let room = world.who(id).room;
    let rubbish = world
        .room(room)
        .objects
        .iter()
        .copied()
        .find(|object| matches!(world.object(*object).kind, ObjectKind::Trash) && world.sees_object(id, *object));
    let Some(rubbish) = rubbish else { return false };
    let scene = Scene::new(id, LineKind::Get).object(rubbish);
    world.show(&scene, "", "", "$n sweeps $p away.");
    world.extract_object(rubbish);
    true
}
