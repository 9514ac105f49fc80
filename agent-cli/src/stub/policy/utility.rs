//! A player that weighs what the prompt shows: the reference for what a model adds to reflexes and policies.
//!
//! U(a) = base(a, state) + β·Σ s·v·match(a, entity) over the memories of the prompt; one action that spends a tick is
//! drawn by softmax at temperature 1, and so is whether to speak. β = 1: a memory moves log-odds by s·v. Source:
//! evaluation §1. The prompt shows no salience; s is what the law of forgetting leaves of 1 after a memory's age.
//! Deterministic by seed and conversation.

use super::building;
use super::prompt_view::{self, Memory, Mob, PromptView};
use super::walk::{LOSSES, Walk};
use super::{Completion, Policy, Reply, question_of};
use crate::bestiary::CANNOT_BE_FOUGHT;
use crate::stub::chance::Chance;
use crate::stub::usage::{conversation_of, text_of};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const BETA: f64 = 1.0;
/// What a neutral memory keeps in a night; one that is felt keeps as much in 1 + |valence| nights. Source: the law of
/// `dreaming` by its defaults.
const KEPT: f64 = 0.9;
/// Base utilities of what spends a tick, in log-odds: worth 1 is so much. Chosen by play: at a third of it, one gets up
/// in half of all nights for no reason.
const SCALE: f64 = 2.5;
/// Whoever is to be attacked stands out from all else by this much at most, in log-odds (95 in 100), or no memory could
/// ever matter: what −3 leaves after 7 nights (2.49) still moves 0.30 of all choices.
const CERTAIN: f64 = 3.0;
/// To speak to somebody rather than not, in log-odds. Near nothing, so that memories of either sign matter.
const TALK: f64 = 0.6;
/// Conversations that are kept in mind.
const CONVERSATIONS_MAX: usize = 1_000;
/// Turns from one remark to the next, at least.
const TALK_TURNS: u64 = 12;
/// What it is worth to let the policies go on, which walk, hunt and rest by themselves. Worth is in units of `SCALE`.
const TRUST: f64 = 4.0;
/// For so many ticks they go on, if the rules say that one may delegate to them; then it looks again.
const TRUST_TICKS: u32 = 10;
const DELEGATING: &str = "\n- delegate: policies";
/// What a step towards something is worth while things go well: less than prey at hand.
const STEP: f64 = 5.5;
/// The same where nothing was won for some time: the policies walk much faster than decisions come, and know the map.
const STEP_DRY: f64 = 0.0;
/// What it is worth to stay down while one is not fit.
const REST: f64 = 8.0;
/// Below this, in percent, one is not fit to fight or to walk.
const FIT_HP_PERCENT: i32 = 50;
/// So many builds of one visit, and it has built enough for now.
const BUILT_MAX: usize = 5;
const FIT_MOVES_PERCENT: i32 = 15;
/// From this on, in percent, one walks on where the policies would rest longer.
const READY_HP_PERCENT: i32 = 70;
const READY_MOVES_PERCENT: i32 = 25;
/// From this on, in percent, prey at hand comes before lying down.
const GO_ON_HP_PERCENT: i32 = 45;
/// So much shall be left after a fight against somebody known, in percent.
const LEFT_PERCENT: f64 = 35.0;
/// Who is so many levels above oneself and stands by may join in.
const GUARD_LEVELS: f64 = 1.5;
/// When to run from a fight, in percent: from an equal, for each level that it is above, for each one more.
const FLEE_PERCENT: f64 = 22.0;
const FLEE_ABOVE_PERCENT: f64 = 8.0;
const FLEE_OTHERS_PERCENT: f64 = 12.0;
/// Levels above oneself that count for it, at most; and below oneself, from which on one more does not count.
const FLEE_LEVELS_MAX: f64 = 4.0;
const WEAK_LEVELS: f64 = 3.0;
/// Ticks until somebody is sized up again.
const CONSIDER_TICKS: u64 = 300;

#[derive(Debug)]
pub struct Utility {
    seed: u64,
    walks: BTreeMap<String, Walk>,
}

/// One thing that could be done: its line, what it is good for, whom it is about, and why.
#[derive(Clone, Debug)]
struct Choice {
    line: String,
    /// In log-odds.
    utility: f64,
    /// Whom it is about, and how much a good memory of them speaks for it.
    about: Option<(String, f64)>,
    why: &'static str,
}

impl Choice {
    fn new(line: impl Into<String>, worth: f64, why: &'static str) -> Choice {
        Choice { line: line.into(), utility: worth * SCALE, about: None, why }
    }
}

impl Utility {
    pub fn new(seed: u64) -> Utility {
        Utility { seed, walks: BTreeMap::new() }
    }

    /// The reply to what was seen in the question of such a body: for policies that have read it already.
    pub(super) fn reply_to(&mut self, body: &Value, seen: &PromptView) -> Reply {
        let conversation = conversation_of(body);
        if self.walks.len() >= CONVERSATIONS_MAX && !self.walks.contains_key(&conversation) {
            self.walks.pop_first();
        }
        let walk = self.walks.entry(conversation.clone()).or_default();
        walk.see(seen);
        let mut chance = Chance::new(self.seed, &conversation, walk.turns);
        // Who is fit and undisturbed builds where there is something to build.
        let is_busy = seen.fighting.is_some() || seen.hp_percent() < FIT_HP_PERCENT || !seen.is("standing");
        // One mind alone does not build all day where a way leads on.
        let moves_on = seen.mind.is_none() && !seen.exits.is_empty() && walk.site.has_enough_of(seen.room, BUILT_MAX);
        if !is_busy
            && !moves_on
            && let Some(building) = building::build(seen, &mut walk.site, &mut chance)
        {
            let mut answer = json!({"commentary": building.why, "actions": building.actions});
            if let Some(choose) = building.choose {
                answer["choose"] = choose.into();
            }
            return Reply::Answer(Completion::new(answer.to_string()));
        }
        let mut free = considerations(seen, walk);
        let mut choices = choices(seen, walk, chance.share());
        if !free.is_empty() {
            // What comes of it is worth waiting for.
            let stay = if seen.is("standing") { "stand" } else { "" };
            choices[0] = Choice::new(stay, REST + 2.0, "I size them up first.");
        }
        let chosen = draw(&choices, seen, &mut chance);
        if let Some(talk) = talk(seen, walk, &mut chance) {
            free.push(talk);
        }
        free.extend(upkeep(seen, walk, body));
        let mut actions = free;
        if chosen.is_some_and(|choice| choice.line.is_empty()) && text_of(body).contains(DELEGATING) {
            let until = ["hurt", "found"];
            actions.push(json!({"type": "delegate", "policies": "all", "ticks": TRUST_TICKS, "until": until}));
        }
        if let Some(choice) = chosen.filter(|choice| !choice.line.is_empty()) {
            walk.stepped(seen, &choice.line);
            if let (Some(target), Some((name, _))) = (choice.line.strip_prefix("kill "), &choice.about) {
                walk.attacked = Some((target.to_string(), name.clone()));
            }
            let mut words = choice.line.split(' ');
            let command = words.next().unwrap_or("look");
            actions.push(json!({"type": "command", "command": command, "args": words.collect::<Vec<_>>()}));
        }
        let why = chosen.map_or("There is nothing to do.", |choice| choice.why);
        if seen.mind.as_deref() == Some("OBSERVER") {
            // Of two that differ, the one that it would have come to itself; else the rules may choose.
            let line = chosen.map_or("", |choice| choice.line.as_str());
            let choose = seen.proposals.iter().find(|(_, action)| action == line).map(|(mind, _)| mind.to_lowercase());
            let choose = choose.unwrap_or_else(|| "none".to_string());
            let answer = json!({"commentary": why, "actions": [], "choose": choose});
            return Reply::Answer(Completion::new(answer.to_string()));
        }
        Reply::Answer(Completion::new(json!({"commentary": why, "actions": actions}).to_string()))
    }
}

impl Policy for Utility {
    fn reply(&mut self, body: &Value) -> Reply {
        self.reply_to(body, &prompt_view::read(&question_of(body)))
    }
}

/// U of each choice.
fn utilities(choices: &[Choice], seen: &PromptView) -> Vec<f64> {
    let utility = |choice: &Choice| {
        let remembered = choice.about.as_ref().map_or(0.0, |(who, weight)| weight * remembered(who, seen));
        choice.utility + BETA * remembered
    };
    choices.iter().map(utility).collect()
}

/// ln Σ e^U, without overflow.
fn weight_of_all(utilities: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = utilities.clone().fold(f64::NEG_INFINITY, f64::max);
    most + utilities.map(|utility| (utility - most).exp()).sum::<f64>().ln()
}

/// How likely each choice is: softmax over U.
fn shares(choices: &[Choice], seen: &PromptView) -> Vec<f64> {
    let utilities = utilities(choices, seen);
    let all = weight_of_all(utilities.iter().copied());
    utilities.iter().map(|utility| (utility - all).exp()).collect()
}

fn draw<'c>(choices: &'c [Choice], seen: &PromptView, chance: &mut Chance) -> Option<&'c Choice> {
    let mut at = chance.share();
    for (choice, share) in choices.iter().zip(shares(choices, seen)) {
        at -= share;
        if at <= 0.0 {
            return Some(choice);
        }
    }
    choices.last()
}

/// How likely it is to say something to somebody.
fn talk_share(who: &str, seen: &PromptView) -> f64 {
    1.0 / (1.0 + (-TALK - BETA * remembered(who, seen)).exp())
}

/// No prey is more certain than `CERTAIN`, beside all that is no prey; among each other they stay as they are.
fn temper(choices: &mut [Choice]) {
    let is_prey = |choice: &&Choice| choice.about.as_ref().is_some_and(|(_, weight)| *weight > 0.0);
    let utility = |choice: &Choice| choice.utility;
    let prey = weight_of_all(choices.iter().filter(is_prey).map(utility));
    let rest = weight_of_all(choices.iter().filter(|choice| !is_prey(choice)).map(utility));
    let excess = prey - rest - CERTAIN;
    if excess.is_finite() && excess > 0.0 {
        for choice in choices.iter_mut().filter(|choice| is_prey(&&**choice)) {
            choice.utility -= excess;
        }
    }
}

/// Σ s·v over the memories that speak of them.
fn remembered(who: &str, seen: &PromptView) -> f64 {
    let name = essence(who);
    let about = |memory: &&Memory| !name.is_empty() && memory.text.to_lowercase().contains(&name);
    let felt = |memory: &Memory| memory.valence * KEPT.powf(memory.days / (1.0 + memory.valence.abs()));
    seen.memories.iter().filter(about).map(felt).sum()
}

/// A name without its article, in lower case.
fn essence(name: &str) -> String {
    let lower = name.to_lowercase();
    let bare = ["a ", "an ", "the ", "some "].iter().find_map(|article| lower.strip_prefix(article));
    bare.unwrap_or(&lower).trim().to_string()
}

/// Nobody may attack it, and it attacks nobody: the prompt says so, or the game refused.
fn cannot_be_fought(mob: &Mob, walk: &Walk) -> bool {
    mob.odds.as_deref() == Some(CANNOT_BE_FOUGHT) || walk.untouchable.contains(&mob.name)
}

/// Levels that a mob is above one's own, as the odds say it; `None`: nobody knows.
fn above(mob: &Mob, own: i32) -> Option<f64> {
    if let Some(level) = mob.level {
        return Some(f64::from(level - own));
    }
    Some(match mob.odds.as_deref()?.split(',').next()? {
        "trivial" => -6.0,
        "easy" => -3.0,
        "likely won" => -1.0,
        "a fair fight" => 0.0,
        "risky" => 1.0,
        "dangerous" => 3.0,
        "deadly" => 8.0,
        _ => return None,
    })
}

/// What killing it is worth, in the units of U; negative: better not. `None`: nobody knows it.
fn worth(mob: &Mob, seen: &PromptView, walk: &Walk) -> Option<f64> {
    let hp = f64::from(seen.hp_percent());
    if cannot_be_fought(mob, walk) {
        return Some(-99.0);
    }
    let beat_me = mob.odds.as_deref().is_some_and(|odds| odds.ends_with("beat you before"));
    if let Some(fights) = walk.fights.get(&mob.name) {
        // An equal that won by luck is wounded still: fit again, one tries it once more.
        let equal = above(mob, seen.level).is_some_and(|above| above <= 0.0);
        if fights.lost > fights.won && seen.level <= fights.lost_level {
            let luck = equal && fights.lost <= fights.won + LOSSES && hp >= 90.0;
            return Some(if luck { 6.5 - f64::from(fights.lost - fights.won) } else { -8.0 });
        }
        if fights.won > 0 {
            // Enough left after it, with a margin for bad luck.
            let left = hp - fights.cost_percent * 1.3;
            let gain = 5.0 + (fights.exp / f64::from(seen.level.max(1)) / 50.0).min(4.0);
            return Some(if left < LEFT_PERCENT { -4.0 } else { gain });
        }
    }
    if beat_me {
        return Some(-8.0);
    }
    let above = above(mob, seen.level)?;
    // Hurt, one is like somebody of a lower level.
    let gap = above + (100.0 - hp) / 15.0;
    if gap > 1.0 {
        return Some(-3.0 * gap);
    }
    Some(7.0 + above.clamp(-5.0, 1.0) * 0.6)
}

/// Hit points in percent at which it is time to run from those who fight one.
fn flee_at(seen: &PromptView) -> f64 {
    let attackers = seen.mobs.iter().filter(|mob| mob.fighting_me);
    let against: Vec<f64> = attackers.map(|mob| above(mob, seen.level).unwrap_or(0.0)).collect();
    let others = against.iter().filter(|above| **above > -WEAK_LEVELS).count().saturating_sub(1) as f64;
    let strongest = against.iter().copied().fold(0.0, f64::max).min(FLEE_LEVELS_MAX);
    FLEE_PERCENT + FLEE_ABOVE_PERCENT * strongest + FLEE_OTHERS_PERCENT * others
}

/// Experience that such a mob is likely worth.
fn experience(mob: &Mob, seen: &PromptView, walk: &Walk) -> f64 {
    let won = walk.fights.get(&mob.name).filter(|fights| fights.won > 0);
    let level = f64::from(seen.level) + above(mob, seen.level).unwrap_or(0.0);
    won.map_or(level.max(1.0) * 110.0, |fights| fights.exp)
}

/// What to lie down with, where one is not fit, and why.
fn lying_down(seen: &PromptView, walk: &Walk) -> Option<(&'static str, &'static str)> {
    let (hp, moves) = (seen.hp_percent(), seen.moves_percent());
    // Whoever sleeps is hit hard: not beside those who may attack.
    let quiet = seen.mobs.iter().all(|mob| {
        !mob.fighting_me && (cannot_be_fought(mob, walk) || above(mob, seen.level).is_some_and(|a| a < 3.0))
    });
    let tired = hp < FIT_HP_PERCENT || moves < FIT_MOVES_PERCENT;
    tired.then_some((if quiet { "sleep" } else { "rest" }, "I am not fit."))
}

fn choices(seen: &PromptView, walk: &mut Walk, chance: f64) -> Vec<Choice> {
    let hp = seen.hp_percent();
    let mut all = vec![Choice::new("", TRUST, "I go on as I am used to.")];
    if seen.fighting.is_some() || seen.is("fighting") {
        all[0] = Choice::new("stand", 2.0, "The fight goes on by itself.");
        let who = seen.fighting.clone().unwrap_or_default();
        all.push(Choice {
            about: Some((who, -0.5)),
            ..Choice::new("flee", (flee_at(seen) + 8.0 - f64::from(hp)) / 4.0, "This one is too much for me.")
        });
        return all;
    }
    if seen.hp.is_some_and(|(hp, _)| hp <= 0) {
        return all;
    }
    let struck_at = seen.mobs.iter().any(|mob| mob.fighting_me);
    let down = ["resting", "sleeping", "sitting"].iter().any(|position| seen.is(position));
    let lie = lying_down(seen, walk).filter(|_| !struck_at);
    if let Some((line, why)) = lie {
        // Asleep already, one sleeps on.
        let line = if seen.is("sleeping") { "sleep" } else { line };
        let prey = seen.mobs.iter().any(|mob| worth(mob, seen, walk).is_some_and(|worth| worth > 0.0));
        let worth = match () {
            () if prey && !down && hp >= GO_ON_HP_PERCENT => 0.0,
            () if hp < FIT_HP_PERCENT || down => REST + 2.0,
            () => REST,
        };
        all.push(Choice::new(line, worth, why));
    }
    let failed = |line: &str| {
        seen.recent.iter().any(|(ago, action, outcome)| *ago < 20 && action == line && outcome.starts_with("refused"))
    };
    let mut here = 0.0;
    let (mut danger, mut strong) = (false, false);
    let peaceful = seen.room.and_then(|vnum| walk.rooms.get(&vnum)).is_some_and(|room| room.peaceful);
    for mob in &seen.mobs {
        if let Some(worth) = worth(mob, seen, walk) {
            danger |= above(mob, seen.level).is_some_and(|above| (3.0..90.0).contains(&above)) && mob.fighting_me;
            let line = format!("kill {}", mob.target);
            strong |= worth < -2.0 && worth > -90.0;
            // Somebody else's fight is left to them; and where nobody may fight, it is not tried again.
            if (mob.fighting && !mob.fighting_me) || failed(&line) || peaceful {
                continue;
            }
            // Who is much stronger and stands by may be its guard.
            let guards = |other: &&Mob| {
                other.name != mob.name
                    && above(other, seen.level).is_some_and(|above| (GUARD_LEVELS..90.0).contains(&above))
            };
            if !mob.fighting_me && seen.mobs.iter().any(|other| guards(&other)) {
                continue;
            }
            // Its like may join in.
            let likes = seen.mobs.iter().filter(|other| other.name == mob.name).count() as f64 - 1.0;
            let worth = worth - likes;
            if worth > 0.0 {
                here += experience(mob, seen, walk);
            }
            all.push(Choice { about: Some((mob.name.clone(), 1.0)), ..Choice::new(line, worth, "I can win this.") });
        }
    }
    if seen.dark {
        // Nothing is to be found here, and where to get light the policies know.
        return all;
    }
    if let Some(vnum) = seen.room {
        walk.prey(vnum, here, strong, seen.tick);
    }
    if let Some(direction) = walk.way(seen, chance) {
        // The policies rest until they are as good as new; who is fit enough goes on by itself.
        let tired = seen.has("tired") || down;
        let fit = hp >= READY_HP_PERCENT && seen.moves_percent() >= READY_MOVES_PERCENT;
        let ready = tired && fit && lie.is_none();
        let step = if walk.is_dry(seen.tick) && !ready { STEP_DRY } else { STEP };
        all.push(Choice::new(direction, step + if danger { 6.0 } else { 0.0 }, "There is nothing here for me."));
    }
    for (direction, closed) in &seen.exits {
        let line = format!("open {direction}");
        if *closed && !failed(&line) {
            all.push(Choice::new(line, 1.0, "A door may hide something."));
        }
    }
    temper(&mut all);
    all
}

/// Who is unknown is sized up: that costs nothing.
fn considerations(seen: &PromptView, walk: &mut Walk) -> Vec<Value> {
    if seen.fighting.is_some() || seen.is("sleeping") {
        return Vec::new();
    }
    let mut all = Vec::new();
    for mob in &seen.mobs {
        let known =
            cannot_be_fought(mob, walk) || above(mob, seen.level).is_some() || walk.fights.contains_key(&mob.name);
        let asked = walk.considered.get(&mob.name).is_some_and(|tick| seen.tick < tick + CONSIDER_TICKS);
        if !known && !asked && all.len() < 3 {
            walk.considered.insert(mob.name.clone(), seen.tick);
            all.push(json!({"type": "command", "command": "consider", "args": [mob.target]}));
        }
    }
    all
}

const ANSWERS: &[&str] = &[
    "Well met. I am after whatever I can beat.",
    "I hear you. Watch your back out here.",
    "So they say. What have you seen on your way?",
    "Good hunting to you.",
    "If you find it too rough, call, and I will come if I can.",
];

const GREETINGS: &[&str] = &["Hello", "Good day", "Well met"];
/// What was said to it and whom it met, so many of them: it says something then or never.
const ANSWERED_MAX: usize = 64;

/// Now and then a word to whoever spoke, or a greeting.
fn talk(seen: &PromptView, walk: &mut Walk, chance: &mut Chance) -> Option<Value> {
    if seen.is("sleeping") || walk.turns < walk.last_talk_turn + TALK_TURNS {
        return None;
    }
    let mut meets = |walk: &mut Walk, what: String, who: &str| {
        walk.answered.push_back(what);
        while walk.answered.len() > ANSWERED_MAX {
            walk.answered.pop_front();
        }
        let speaks = chance.share() < talk_share(who, seen);
        if speaks {
            walk.last_talk_turn = walk.turns;
        }
        speaks.then(|| chance.below(ANSWERS.len() * GREETINGS.len()))
    };
    if let Some((from, channel, text)) = seen.heard.last() {
        let heard = format!("{from}: {text}");
        if !walk.answered.contains(&heard) {
            let words = ANSWERS[meets(walk, heard, from)? % ANSWERS.len()];
            return Some(match channel.as_str() {
                "tell" | "whisper" => json!({"type": "tell", "to": from, "text": words}),
                "gossip" => json!({"type": "gossip", "text": words}),
                "group" => json!({"type": "gsay", "text": words}),
                _ => json!({"type": "say", "text": words}),
            });
        }
    }
    let new = seen.players.iter().find(|name| !walk.answered.contains(&format!("met {name}")))?;
    let greeting = GREETINGS[meets(walk, format!("met {new}"), new)? % GREETINGS.len()];
    Some(json!({"type": "say", "text": format!("{greeting}, {new}.")}))
}

/// The mind: a task at the beginning, and compaction when the prompt is nearly full.
fn upkeep(seen: &PromptView, walk: &mut Walk, body: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    if !walk.has_task {
        walk.has_task = true;
        if text_of(body).contains("Nothing is written down so far") {
            all.push(json!({"type": "task", "text": "Grow strong by fights that I can win, and stay alive."}));
        }
    }
    if seen.advisory_critical && walk.turns > walk.compacted_turn + 20 {
        walk.compacted_turn = walk.turns;
        all.push(json!({"type": "compact"}));
    }
    all
}

#[cfg(test)]
mod tests;
