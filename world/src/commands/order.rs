//! Verbs for those who serve: order, dismiss. Who serves, and until when, is in `effects/charm.rs`.

use super::verb::{Group, Verb, find_verb};
use super::{Typed, run, strip_secret};
use crate::act::{Scene, capitalised};
use crate::arena::CharacterId;
use crate::effects::summoning;
use crate::find::first_word;
use crate::followers;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use content::flags::AffectFlags;
use protocol::verbs::Rank;

/// Those of `master`'s followers in its room who do what it says.
fn servants(world: &World, master: CharacterId) -> Vec<CharacterId> {
    let c = world.who(master);
    let serves = |id: &CharacterId| {
        let servant = world.who(*id);
        servant.is(AffectFlags::CHARM) && servant.room == c.room
    };
    c.followers.iter().copied().filter(serves).collect()
}

/// Whether somebody can be ordered to do that: of mobs, whatever mortals do but talk and use arts, since its arts are
/// its own; of players, what is marked so, since nobody's words or goods become another's. Nobody is ordered to order.
fn may_be_ordered(verb: &Verb, player: bool) -> bool {
    let traits = verb.traits;
    let never = traits.speech || traits.secret || traits.runs_commands || verb.group == Group::Arts;
    verb.rank() == Rank::Mortal && !never && (!player || traits.orderable)
}

pub fn order(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, command) = first_word(args);
    if word.is_empty() || command.is_empty() {
        return Err("Order whom to do what? order <follower | followers> <command>".into());
    }
    if world.who(who).is(AffectFlags::CHARM) {
        return Err("You take orders, and give none.".into());
    }
    if strip_secret(command).secret.is_some() {
        return Err("Nobody can be ordered to do that.".into());
    }
    let ordered = if word.eq_ignore_ascii_case(followers::ALL) {
        servants(world, who)
    } else {
        let target = world.here(who, word)?;
        if target == who {
            return Err("You need no orders for that. Do it.".into());
        }
        if !servants(world, who).contains(&target) {
            let name = capitalised(world.name_for(who, target));
            return Err(format!("{name} has no reason to do what you say.").into());
        }
        vec![target]
    };
    if ordered.is_empty() {
        return Err("Nobody here does what you say.".into());
    }
    let typed = Typed::parse(command);
    let verb = find_verb(typed.word, world.who(who).level);
    let scene = Scene::new(who, LineKind::Text).text(command);
    world.show(&scene, "You order: $t.", "", "$n gives an order.");
    for servant in ordered {
        // The order may have cost one of them its life, or the master its servants.
        let Some(c) = world.character(servant).filter(|c| c.is(AffectFlags::CHARM) && c.leader == Some(who)) else {
            continue;
        };
        let busy = world.tick() < c.free_tick;
        let may = verb.is_some_and(|verb| may_be_ordered(verb, c.is_player()));
        if busy || !may {
            let name = capitalised(world.name_for(who, servant));
            let why = match verb {
                _ if busy => "is busy",
                Some(_) => "does nothing of that kind for anybody",
                None => "does not understand",
            };
            world.send(who, LineKind::Text, format!("{name} {why}."));
            continue;
        }
        // Why it could not do it is no answer to who ordered it; that it did not is told.
        let refused = world.report.refused.take();
        let before = world.ordered.replace(servant);
        run(world, servant, typed);
        world.ordered = before;
        let was_refused = std::mem::replace(&mut world.report.refused, refused).is_some();
        if was_refused && world.character(who).is_some() && world.character(servant).is_some() {
            let name = capitalised(world.name_for(who, servant));
            world.send(who, LineKind::Text, format!("{name} looks at you and does not do it."));
        }
        if world.character(who).is_none() {
            return Ok(());
        }
    }
    if world.character(who).is_some() && !world.who(who).is_immortal() {
        world.lag(who, 1);
    }
    Ok(())
}

pub fn dismiss(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err("Whom do you want to dismiss?".into());
    }
    let servant = world.here(who, word)?;
    if !servants(world, who).contains(&servant) {
        return Err(format!("{} does not serve you.", capitalised(world.name_for(who, servant))).into());
    }
    world.stop_following(servant);
    summoning::vanish(world, servant);
    Ok(())
}
