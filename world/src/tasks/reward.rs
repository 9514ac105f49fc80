//! The end of a task: what its giver says, and what it brings.

use super::offer::told;
use crate::act::{Scene, listed};
use crate::arena::CharacterId;
use crate::character::Character;
use crate::coins::{GOLD_MAX, coins_text};
use crate::object::Place;
use crate::report::LineKind;
use crate::task::{HONOURS_MAX, Honour};
use crate::world::World;
use content::{TaskProto, Text};
use protocol::outcome::TaskState;

/// Ends a task that is done: it is closed and paid for in one.
pub(super) fn finish(world: &mut World, who: CharacterId, task: &TaskProto, giver: Option<CharacterId>) {
    let today = world.state.clock.date().days;
    let tasks = world.player_mut(who).tasks_mut();
    if tasks.open.remove(&task.id).is_none() {
        return;
    }
    let done = tasks.done.entry(task.id.clone()).or_default();
    done.times = done.times.saturating_add(1);
    done.day = today;
    if !task.done.is_empty() {
        match giver {
            Some(giver) => thank(world, who, task, giver),
            None => world.send(who, LineKind::Text, task.done.to_string()),
        }
    }
    let outcome = world.note(told(world, who, task, TaskState::Done, None));
    let reward = given(world, who, task);
    let reward = if reward.is_empty() { String::new() } else { format!(" It brings you {}.", listed(&reward)) };
    world.send_outcome(who, LineKind::Level, format!("You have done it: {}{reward}", task.title_ended()), outcome);
    world.record_task(who, giver, &task.title);
    if let Some(honour) = &task.reward.honour {
        honour_name(world, who, honour);
    }
    // Behind the words, since a level says more.
    world.gain_experience(who, task.reward.experience);
    world.save(who);
}

/// What a giver says at the end. Of several who come with the same thing at once, the first hears it for all.
fn thank(world: &mut World, who: CharacterId, task: &TaskProto, giver: CharacterId) {
    let tick = world.tick();
    let last = world.who(giver).mob().and_then(|mob| mob.thanked.as_ref());
    if last.is_some_and(|(id, at)| *id == task.id && *at == tick) {
        let scene = Scene::new(giver, LineKind::Text).victim(who);
        return world.show(&scene, "", "$n nods to you: that is for you, too.", "$n nods to $N as well.");
    }
    // No variable shows whom a mob thanked.
    if let Some(mob) = world.state.characters.get_mut_quietly(giver).and_then(Character::mob_mut) {
        mob.thanked = Some((task.id.clone(), tick));
    }
    crate::speech::speak(world, giver, &task.done);
}

/// Hands over what a task brings, but for experience, and says what that is.
fn given(world: &mut World, who: CharacterId, task: &TaskProto) -> Vec<String> {
    let reward = &task.reward;
    let mut named = Vec::new();
    if reward.experience > 0 {
        let points = if reward.experience == 1 { "point" } else { "points" };
        named.push(format!("{} {points} of experience", reward.experience));
    }
    let coins = reward.gold.min(GOLD_MAX - world.who(who).gold);
    if coins > 0 {
        world.who_mut(who).gold += coins;
        world.mint(i64::from(coins));
        named.push(coins_text(coins));
    }
    if reward.practices > 0 {
        world.player_mut(who).practices += reward.practices;
        named.push(match reward.practices {
            1 => "a practice".to_string(),
            more => format!("{more} practices"),
        });
    }
    for vnum in &reward.objects {
        let Some(object) = world.make_object(*vnum) else { continue };
        let short = world.object(object).short.to_string();
        // Who can carry no more finds it at its feet.
        if world.hands_full(who) || world.too_heavy_for(who, world.weight_of(object)) {
            world.place_object(object, Place::Room(world.who(who).room));
            named.push(format!("{short}, which lies at your feet"));
        } else {
            world.place_object(object, Place::Carried(who));
            named.push(short);
        }
    }
    if let Some(title) = &reward.title {
        world.player_mut(who).title = title.clone();
        world.who_list = None;
        named.push(format!("a name among people: {} {title}", world.who(who).shown()));
    }
    named
}

/// Puts a name on the tablets; once for each deed.
fn honour_name(world: &mut World, who: CharacterId, deed: &Text) {
    let name = world.who(who).name.clone();
    let tick = world.tick();
    let honours = &mut world.state.honours;
    if honours.iter().any(|honour| honour.name == name && honour.deed == *deed) {
        return;
    }
    honours.push(Honour { name, deed: deed.clone(), tick });
    let over = honours.len().saturating_sub(HONOURS_MAX);
    honours.drain(..over);
}
