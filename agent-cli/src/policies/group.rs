//! Going together against prey that is too strong for one: offer, accept, lead, assist, rescue, share, and part.
//!
//! A group is for something: who offers knows prey that two can beat and one cannot. When there is none left, or there
//! was no common kill for 90 ticks, it parts. Who is asked by a person answers as it answers an agent.

use super::lying::may_lie;
use super::prey::{attack, company_prey, is_company_ground};
use super::{Perception, Proposal};
use crate::company::Said;
use crate::map::Way;
use protocol::payload::RoomMob;
use protocol::places;

/// From this on, of 1, one offers company, and accepts it.
const OFFERS: f64 = 0.6;
const ACCEPTS: f64 = 0.4;
/// Who goes along is this fit, in percent.
const FIT_HP_PERCENT: i32 = 60;
const FIT_MOVES_PERCENT: i32 = 25;
/// A leader attacks when everybody has so many hit points, in percent, and waits while somebody has fewer.
const READY_PERCENT: i32 = 70;
/// So long one waits for an answer, and for who lags behind.
const ANSWER_MS: u64 = 8_000;
const LOST_MS: u64 = 12_000;
/// So long one follows without being taken in.
const TAKEN_IN_MS: u64 = 20_000;
/// How the others are is asked again after so long.
const PAGE_MS: u64 = 30_000;
/// With fewer hit points, in percent, somebody is nearly dead; who steps between has more than this.
const DYING_PERCENT: i32 = 30;
const RESCUER_PERCENT: i32 = 50;
/// Farther than that nobody is led.
const WAY_MAX: usize = 15;
/// More others than that are a crowd: nobody can be asked among them.
const CROWD: usize = 3;
/// Questions of which words are one's own.
const WORDING: u64 = 3 << 32;
const OFFER: &[&str] = &[
    "{}, shall we take on {prey} together?",
    "{}, will you join me against {prey}? I cannot do it alone.",
    "Help me against {prey}, {}, and we share what it has.",
];
const YES: &[&str] = &["Gladly, {}. You lead.", "I am with you, {}.", "Lead on, {}."];
const NO: &[&str] = &["Not today, {}.", "I would rather go alone, {}.", "Another time, {}."];
const COME: &[&str] = &["Follow me, then, {}.", "Come with me, {}."];
/// To who asks from elsewhere: nobody can follow whom he does not see.
const ELSEWHERE: &[&str] = &[
    "I would, {}, but you are not here. I am {place}.",
    "You are not where I am, {}: look for me {place}, and ask me there.",
];
const FAREWELL: &[&str] =
    &["That is done. Safe roads, {}.", "Here our ways part, {}. Good luck.", "Thank you, {}. I go my own way now."];

pub fn group(seen: &Perception<'_>) -> Proposal {
    let company = &seen.known.company;
    if seen.state.is_fighting() {
        return rescue(seen);
    }
    if seen.state.attackers().next().is_some() {
        return Proposal::Pass;
    }
    if let Some(leader) = &company.leader {
        return follow(seen, leader);
    }
    if !company.members.is_empty() {
        return lead(seen);
    }
    match take_in(seen).or_else(|| answer(seen)).or_else(|| offer(seen)) {
        Some(step) => step,
        None => Proposal::Pass,
    }
}

/// Words of one's own, to somebody.
fn words(seen: &Perception<'_>, choice: &[&str], to: &str) -> String {
    format!("say {}", own_words(seen, choice, to))
}

fn own_words(seen: &Perception<'_>, choice: &[&str], to: &str) -> String {
    choice[(seen.own(WORDING) % choice.len() as u64) as usize].replace("{}", to)
}

/// Something to be done, unless it just failed.
fn done(step: Proposal) -> Option<Proposal> {
    Some(step).filter(|step| *step != Proposal::Pass)
}

/// Whether one would go with others now, fit as one is.
fn is_willing(seen: &Perception<'_>) -> bool {
    seen.nature.tastes.sociable >= ACCEPTS
        && !seen.known.recovering
        && seen.state.hp_percent() >= FIT_HP_PERCENT
        && seen.state.moves_percent() >= FIT_MOVES_PERCENT
}

/// Who goes with others lies and stands for them: on one's feet, or getting up, or waiting until one may.
fn on_feet(seen: &Perception<'_>, line: impl Into<String>) -> Proposal {
    match seen.get_up() {
        Some(_) if !seen.may_change_posture() => Proposal::Stay,
        Some(up) => up,
        None => seen.step(line),
    }
}

/// Those who follow come into the group; the unsociable want nobody at their heels.
fn take_in(seen: &Perception<'_>) -> Option<Proposal> {
    let company = &seen.known.company;
    let mut new = company.followers.iter().filter(|name| {
        !company.members.contains(*name) && seen.known.players.contains(*name) && !company.has_parted(name, seen.now_ms)
    });
    if seen.nature.tastes.sociable >= ACCEPTS {
        new.find_map(|name| done(seen.step(format!("group {}", name.to_lowercase()))))
    } else {
        new.next().filter(|_| !company.walks_alone).and_then(|_| done(seen.step("toggle nofollow")))
    }
}

/// An answer to who offers company, or asks for it.
fn answer(seen: &Perception<'_>) -> Option<Proposal> {
    let company = &seen.known.company;
    for name in company.offers.keys() {
        let Some(offer) = company.offer(name, seen.now_ms).filter(|offer| !offer.answered) else { continue };
        let is_here = seen.known.players.contains(name);
        if seen.state.is_in("sleeping") || !is_here && !offer.told {
            continue;
        }
        let is_willing = is_willing(seen) && !company.has_parted(name, seen.now_ms);
        let step = match offer.said {
            _ if !is_here => {
                let own = own_words(seen, if is_willing { ELSEWHERE } else { NO }, name);
                let place = seen.state.room_name.as_deref().map_or("here".to_string(), places::at);
                seen.step(format!("tell {} {}", name.to_lowercase(), own.replace("{place}", &place)))
            }
            _ if !is_willing => seen.step(words(seen, NO, name)),
            Said::Come => on_feet(seen, format!("follow {}", name.to_lowercase())),
            Said::MayI => seen.step(words(seen, COME, name)),
        };
        if let Some(step) = done(step) {
            return Some(step);
        }
    }
    None
}

/// Company, to who is here, against what is too strong for one.
fn offer(seen: &Perception<'_>) -> Option<Proposal> {
    let company = &seen.known.company;
    let (players, now_ms) = (&seen.known.players, seen.now_ms);
    let asked = company.offered_since(now_ms.saturating_sub(ANSWER_MS)).any(|name| {
        players.contains(name) && company.offer(name, now_ms).is_none() && !company.has_parted(name, now_ms)
    });
    if asked {
        return Some(Proposal::Stay);
    }
    if seen.nature.tastes.sociable < OFFERS || !is_willing(seen) || !seen.stands() || players.len() > CROWD {
        return None;
    }
    let whom = players.iter().find(|name| company.may_meet(name, now_ms))?;
    let prey = quarry(seen, 2)?.name;
    done(seen.step(words(seen, OFFER, whom).replace("{prey}", &prey)))
}

/// What a company is for: its name, and where it is.
struct Quarry<'s> {
    name: String,
    here: Option<&'s RoomMob>,
    way: Option<&'s Way>,
}

/// The next prey for so many: here, or near.
fn quarry<'s>(seen: &'s Perception<'_>, many: usize) -> Option<Quarry<'s>> {
    if let Some(mob) = company_prey(seen, many) {
        return Some(Quarry { name: mob.name.to_string(), here: Some(mob), way: None });
    }
    let near = seen.ways().iter().take_while(|way| way.length <= WAY_MAX);
    near.filter(|way| seen.known.refused_actions.blocks(seen.room(), &way.step, seen.now_ms).is_none()).find_map(
        |way| {
            let room = seen.known.map.rooms.get(&way.to)?;
            let vnum = is_company_ground(seen, room, many)?;
            let name = seen.known.bestiary.get(vnum).map(|kind| kind.name.clone()).filter(|name| !name.is_empty())?;
            Some(Quarry { name, here: None, way: Some(way) })
        },
    )
}

/// What everybody in a group does first: help who fights, share what was found, and see how the others are.
fn fellowship(seen: &Perception<'_>) -> Option<Proposal> {
    let company = &seen.known.company;
    let mut here = company.here(&seen.known.players);
    let fights = |name: &&String| company.fights(name, seen.now_ms) && seen.state.mobs().iter().any(|mob| mob.fighting);
    if seen.state.hp_percent() > DYING_PERCENT
        && let Some(friend) = here.find(fights)
    {
        return done(on_feet(seen, format!("assist {}", friend.to_lowercase())));
    }
    if seen.state.is_in("sleeping") {
        return None;
    }
    let many = company.here(&seen.known.players).count() as i64 + 1;
    if many > 1 && company.gold >= many && seen.state.gold.is_some_and(|gold| gold >= company.gold) {
        return done(seen.step(format!("split {}", company.gold)));
    }
    if company.page_ms.is_none_or(|at| seen.now_ms >= at + PAGE_MS) {
        return done(seen.step("group"));
    }
    None
}

/// Lies down among the others, where one may, while somebody is weak.
fn gather_strength(seen: &Perception<'_>) -> Proposal {
    let may = seen.known.map.room().is_some_and(|room| may_lie(seen, seen.room(), room));
    if may && seen.stands() && seen.known.recovering && seen.may_change_posture() {
        seen.step("rest")
    } else {
        Proposal::Stay
    }
}

fn follow(seen: &Perception<'_>, leader: &str) -> Proposal {
    let company = &seen.known.company;
    let taken_in = company.members.contains(leader);
    let waited_ms = seen.now_ms.saturating_sub(company.since_ms);
    let lost = seen.now_ms.saturating_sub(company.seen_ms) > LOST_MS;
    if lost || !company.pays(seen.now_ms) || (!taken_in && (company.was_group || waited_ms > TAKEN_IN_MS)) {
        return seen.step("follow self");
    }
    let unanswered = company.offer(leader, seen.now_ms).is_some_and(|offer| !offer.answered);
    if unanswered && let Some(step) = done(seen.step(words(seen, YES, leader))) {
        return step;
    }
    if taken_in && let Some(step) = fellowship(seen) {
        return step;
    }
    if seen.known.recovering {
        return gather_strength(seen);
    }
    // Who lies is left behind.
    match seen.get_up() {
        Some(up) if seen.may_change_posture() => up,
        _ => Proposal::Stay,
    }
}

fn lead(seen: &Perception<'_>) -> Proposal {
    let (company, now_ms) = (&seen.known.company, seen.now_ms);
    if let Some(step) = take_in(seen).or_else(|| fellowship(seen)) {
        return step;
    }
    let missing = company.members.iter().find(|name| !seen.known.players.contains(*name));
    if let Some(name) = missing {
        let waited_ms = now_ms.saturating_sub(seen.known.here_ms.max(company.since_ms));
        return if waited_ms > LOST_MS {
            seen.step(format!("ungroup {}", name.to_lowercase()))
        } else {
            Proposal::Stay
        };
    }
    let many = company.members.len() + 1;
    let quarry = quarry(seen, many);
    // Who was asked for company has no purpose of its own, and goes on as it would alone.
    if !company.pays(now_ms) || (company.has_purpose() && quarry.is_none()) {
        return part(seen);
    }
    let weakest = company.health.values().map(|health| health.percent()).chain([seen.state.hp_percent()]).min();
    if seen.known.recovering || weakest.is_some_and(|percent| percent < READY_PERCENT) {
        return gather_strength(seen);
    }
    match quarry {
        Some(Quarry { here: Some(mob), .. }) => on_feet(seen, attack(mob)),
        Some(Quarry { way: Some(way), .. }) => on_feet(seen, &*way.step),
        _ => Proposal::Pass,
    }
}

/// A word of farewell, and the group is over.
fn part(seen: &Perception<'_>) -> Proposal {
    let company = &seen.known.company;
    let named: Vec<&str> = company.here(&seen.known.players).map(String::as_str).collect();
    if !company.said_farewell && !named.is_empty() && !seen.state.is_in("sleeping") {
        return seen.step(words(seen, FAREWELL, &named.join(" and ")));
    }
    seen.step("ungroup")
}

/// The stronger takes the blows for who is nearly dead.
fn rescue(seen: &Perception<'_>) -> Proposal {
    let company = &seen.known.company;
    let own = seen.state.hp_percent();
    let dying = company.here(&seen.known.players).find(|name| {
        let percent = company.health.get(*name).map_or(100, |health| health.percent());
        percent < DYING_PERCENT && own > RESCUER_PERCENT && company.is_struck(name, seen.now_ms)
    });
    dying.map_or(Proposal::Pass, |name| seen.step(format!("rescue {}", name.to_lowercase())))
}
