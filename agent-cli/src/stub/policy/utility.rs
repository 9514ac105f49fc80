//! A player that weighs what the prompt shows: the reference for what a model adds to reflexes and policies.
//!
//! U(a) = base(a, state) + β·Σ v·match(a, entity) over the memories of the prompt; one action that spends a tick is
//! drawn by softmax, free ones go with it. Source: evaluation §1 (the prompt shows no salience: s =
//! 1). Deterministic by seed and conversation.

use super::seen::{self, Mob, Seen};
use super::walk::{LOSSES, Walk};
use super::{Policy, Reply, Said, question_of};
use crate::stub::chance::Chance;
use crate::stub::usage::{conversation_of, text_of};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const BETA: f64 = 1.0;
/// How freely it chooses. Evaluation §1 has 1; at 0.4 it gained 5 % and 8 % more over two times 40 seeds of the three
/// zones that it was tuned with. What a memory does is known as before: it moves log-odds by v / 0.4.
const TEMPERATURE: f64 = 0.4;
/// Conversations that are kept in mind.
const CONVERSATIONS_MAX: usize = 1_000;
/// Turns from one remark to the next, at least.
const TALK_TURNS: u64 = 12;
/// What it is worth to let the policies go on, which walk, hunt and rest by themselves.
const TRUST: f64 = 4.0;
/// What a step towards something is worth while things go well: less than prey at hand.
const STEP: f64 = 5.5;
/// The same where nothing was won for some time: the policies walk much faster than decisions come, and know the map.
const STEP_DRY: f64 = 0.0;
/// What it is worth to stay down while one is not fit.
const REST: f64 = 8.0;
/// So many ticks before the hour strikes one lies down: sleepers get most of it. Decisions come some ticks apart.
const HOUR_SOON: u64 = 4;
/// Below this, in percent, one is not fit to fight or to walk.
const FIT_HP_PERCENT: i32 = 60;
const FIT_MOVES_PERCENT: i32 = 15;
/// From this on, in percent, an hour of sleep gives little.
const WHOLE_HP_PERCENT: i32 = 85;
const WHOLE_MOVES_PERCENT: i32 = 75;
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
    utility: f64,
    /// Whom it is about, and how much a good memory of them speaks for it.
    about: Option<(String, f64)>,
    why: &'static str,
}

impl Choice {
    fn new(line: impl Into<String>, utility: f64, why: &'static str) -> Choice {
        Choice { line: line.into(), utility, about: None, why }
    }
}

impl Utility {
    pub fn new(seed: u64) -> Utility {
        Utility { seed, walks: BTreeMap::new() }
    }
}

impl Policy for Utility {
    fn reply(&mut self, body: &Value) -> Reply {
        let conversation = conversation_of(body);
        if self.walks.len() >= CONVERSATIONS_MAX && !self.walks.contains_key(&conversation) {
            self.walks.pop_first();
        }
        let seen = seen::read(&question_of(body));
        let walk = self.walks.entry(conversation.clone()).or_default();
        walk.see(&seen);
        let mut chance = Chance::new(self.seed, &conversation, walk.turns);
        let mut free = considerations(&seen, walk);
        let mut choices = choices(&seen, walk, chance.share());
        if !free.is_empty() {
            // What comes of it is worth waiting for.
            let stay = if seen.is("standing") { "stand" } else { "" };
            choices[0] = Choice::new(stay, REST + 2.0, "I size them up first.");
        }
        let chosen = draw(&choices, &seen, &mut chance);
        if let Some(talk) = talk(&seen, walk, &mut chance) {
            free.push(talk);
        }
        free.extend(upkeep(&seen, walk, body));
        let mut actions = free;
        if let Some(choice) = chosen.filter(|choice| !choice.line.is_empty()) {
            walk.stepped(&seen, &choice.line);
            if let (Some(target), Some((name, _))) = (choice.line.strip_prefix("kill "), &choice.about) {
                walk.attacked = Some((target.to_string(), name.clone()));
            }
            let mut words = choice.line.split(' ');
            let command = words.next().unwrap_or("look");
            actions.push(json!({"type": "command", "command": command, "args": words.collect::<Vec<_>>()}));
        }
        let why = chosen.map_or("There is nothing to do.", |choice| choice.why);
        Reply::Answer(Said::new(json!({"commentary": why, "actions": actions}).to_string()))
    }
}

/// By softmax over U.
fn draw<'c>(choices: &'c [Choice], seen: &Seen, chance: &mut Chance) -> Option<&'c Choice> {
    let utility = |choice: &Choice| choice.utility + BETA * remembered(choice, seen);
    let most = choices.iter().map(&utility).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = choices.iter().map(|choice| ((utility(choice) - most) / TEMPERATURE).exp()).collect();
    let mut at = chance.share() * weights.iter().sum::<f64>();
    for (choice, weight) in choices.iter().zip(&weights) {
        at -= weight;
        if at <= 0.0 {
            return Some(choice);
        }
    }
    choices.last()
}

/// Σ v·match over the memories that speak of the one whom the choice is about.
fn remembered(choice: &Choice, seen: &Seen) -> f64 {
    let Some((who, weight)) = &choice.about else { return 0.0 };
    let name = essence(who);
    let about = |text: &str| !name.is_empty() && text.to_lowercase().contains(&name);
    seen.memories.iter().filter(|(_, text)| about(text)).map(|(valence, _)| valence * weight).sum()
}

/// A name without its article, in lower case.
fn essence(name: &str) -> String {
    let lower = name.to_lowercase();
    let bare = ["a ", "an ", "the ", "some "].iter().find_map(|article| lower.strip_prefix(article));
    bare.unwrap_or(&lower).trim().to_string()
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
        "untouchable" => 99.0,
        _ => return None,
    })
}

/// What killing it is worth, in the units of U; negative: better not. `None`: nobody knows it.
fn worth(mob: &Mob, seen: &Seen, walk: &Walk) -> Option<f64> {
    let hp = f64::from(seen.hp_percent());
    if walk.untouchable.contains(&mob.name) {
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
            return Some(if left < 25.0 { -4.0 } else { gain });
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

/// Experience that such a mob is likely worth.
fn experience(mob: &Mob, seen: &Seen, walk: &Walk) -> f64 {
    let won = walk.fights.get(&mob.name).filter(|fights| fights.won > 0);
    let level = f64::from(seen.level) + above(mob, seen.level).unwrap_or(0.0);
    won.map_or(level.max(1.0) * 110.0, |fights| fights.exp)
}

/// What there is to lie down for: to get fit, or the hour that is about to strike. With the line, and how long it is.
fn lying_down(seen: &Seen, walk: &Walk) -> Option<(&'static str, &'static str)> {
    let (hp, moves) = (seen.hp_percent(), seen.moves_percent());
    // Whoever sleeps is hit hard: not beside those who may attack.
    let quiet = seen.mobs.iter().all(|mob| {
        !mob.fighting_me && (walk.untouchable.contains(&mob.name) || above(mob, seen.level).is_some_and(|a| a < 3.0))
    });
    let soon = walk.hour_strikes(seen.tick).is_none_or(|(first, _)| first <= HOUR_SOON);
    let tired = hp < FIT_HP_PERCENT || moves < FIT_MOVES_PERCENT;
    let line = match (soon, quiet) {
        (true, true) => "sleep",
        _ => "rest",
    };
    if tired {
        return Some((line, "I am not fit."));
    }
    (soon && quiet && walk.hour_strikes(seen.tick).is_some() && (hp < WHOLE_HP_PERCENT || moves < WHOLE_MOVES_PERCENT))
        .then_some(("sleep", "The hour is about to strike, and sleep heals soonest."))
}

fn choices(seen: &Seen, walk: &mut Walk, chance: f64) -> Vec<Choice> {
    let hp = seen.hp_percent();
    let mut all = vec![Choice::new("", TRUST, "I go on as I am used to.")];
    if seen.fighting.is_some() || seen.is("fighting") {
        all[0] = Choice::new("stand", 2.0, "The fight goes on by itself.");
        let who = seen.fighting.clone().unwrap_or_default();
        all.push(Choice {
            about: Some((who, -0.5)),
            ..Choice::new("flee", f64::from(30 - hp) / 4.0, "This one is too much for me.")
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
        all.push(Choice::new(line, if seen.hp_percent() < FIT_HP_PERCENT || down { REST + 2.0 } else { REST }, why));
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
                other.name != mob.name && above(other, seen.level).is_some_and(|above| (2.5..90.0).contains(&above))
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
    if let Some(vnum) = seen.room {
        walk.prey(vnum, here, strong, seen.tick);
    }
    if let Some(direction) = walk.way(seen, chance) {
        let step = if walk.is_dry(seen.tick) { STEP_DRY } else { STEP };
        all.push(Choice::new(direction, step + if danger { 6.0 } else { 0.0 }, "There is nothing here for me."));
    }
    for (direction, closed) in &seen.exits {
        let line = format!("open {direction}");
        if *closed && !failed(&line) {
            all.push(Choice::new(line, 1.0, "A door may hide something."));
        }
    }
    all
}

/// Who is unknown is sized up: that costs nothing.
fn considerations(seen: &Seen, walk: &mut Walk) -> Vec<Value> {
    if seen.fighting.is_some() || seen.is("sleeping") {
        return Vec::new();
    }
    let mut all = Vec::new();
    for mob in &seen.mobs {
        let known = above(mob, seen.level).is_some() || walk.fights.contains_key(&mob.name);
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

/// Now and then a word to whoever spoke, or a greeting.
fn talk(seen: &Seen, walk: &mut Walk, chance: &mut Chance) -> Option<Value> {
    if seen.is("sleeping") || walk.turns < walk.last_talk_turn + TALK_TURNS {
        return None;
    }
    if let Some((from, channel, text)) = seen.heard.last() {
        let heard = format!("{from}: {text}");
        if !walk.answered.contains(&heard) {
            walk.answered.push_back(heard);
            walk.last_talk_turn = walk.turns;
            let words = ANSWERS[chance.below(ANSWERS.len())];
            return Some(match channel.as_str() {
                "tell" | "whisper" => json!({"type": "tell", "to": from, "text": words}),
                "gossip" => json!({"type": "gossip", "text": words}),
                "group" => json!({"type": "gsay", "text": words}),
                _ => json!({"type": "say", "text": words}),
            });
        }
    }
    let new = seen.players.iter().find(|name| !walk.answered.contains(&format!("met {name}")))?;
    walk.answered.push_back(format!("met {new}"));
    while walk.answered.len() > 64 {
        walk.answered.pop_front();
    }
    walk.last_talk_turn = walk.turns;
    let greeting = ["Hello", "Good day", "Well met"][chance.below(3)];
    Some(json!({"type": "say", "text": format!("{greeting}, {new}.")}))
}

/// The mind: a task at the beginning, and compaction when the prompt is nearly full.
fn upkeep(seen: &Seen, walk: &mut Walk, body: &Value) -> Vec<Value> {
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
mod tests {
    use super::*;

    fn body(key: &str, live: &str) -> Value {
        json!({"prompt_cache_key": key, "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": live}]})
    }

    /// How often each line comes first among what spends a tick, over many seeds.
    fn share(live: &str, line: &str) -> f64 {
        let hits = (0..200).filter(|seed| {
            let Reply::Answer(said) = Utility::new(*seed).reply(&body("a", live)) else { panic!("an answer") };
            let value: Value = serde_json::from_str(&said.content).expect("JSON");
            let (answer, _) =
                crate::answer::read(&crate::answer::RawReply { content: said.content, ..Default::default() })
                    .unwrap_or_else(|error| panic!("{error}: {value}"));
            answer.actions.iter().any(|action| action == line) || (line.is_empty() && answer.actions.is_empty())
        });
        hits.count() as f64 / 200.0
    }

    fn live(vars: &str, rest: &str) -> String {
        format!("# Now\nvars:\n  tick: 9\n  level: 3\n  exp: 10\n  room: Here (10)\n{vars}{rest}What do you do now?\n")
    }

    const FIT: &str = "  hp: 30/30\n  moves: 80/82\n  position: standing\n  exits[1]: north\n";
    const HURT: &str = "  hp: 12/30\n  moves: 80/82\n  position: standing\n  exits[1]: north\n";

    #[test]
    fn it_fights_what_it_can_beat_and_leaves_the_rest() {
        let rat = "mobs[1]{target,level,odds,name}:\n  rat,2,easy,a rat\n";
        let ogre = "mobs[1]{target,level,odds,name}:\n  ogre,9,deadly,an ogre\n";
        assert!(share(&live(FIT, rat), "kill rat") > 0.6);
        assert!(share(&live(FIT, ogre), "kill ogre") < 0.01);
        // Where to go it leaves to the policies.
        assert!(share(&live(FIT, ogre), "") > 0.9);
        assert!(share(&live(HURT, rat), "kill rat") < 0.05);
        assert!(share(&live(HURT, ""), "sleep") > 0.8);
        let unknown = "mobs[1]{target,name}:\n  imp,an imp\n";
        assert_eq!(share(&live(FIT, unknown), "consider imp"), 1.0);
        assert_eq!(share(&live(FIT, unknown), "kill imp"), 0.0);
    }

    #[test]
    fn it_rests_until_it_is_fit_and_flees_what_is_too_much() {
        let resting = |hp: i32| live(&format!("  hp: {hp}/30\n  moves: 80/82\n  position: resting\n"), "");
        // At any hour, as far as it knows: so asleep.
        assert!(share(&resting(12), "sleep") > 0.9);
        // Fit, it leaves the getting up to the policies.
        assert!(share(&resting(30), "") > 0.9);
        let fighting = |hp: i32| {
            live(
                &format!("  hp: {hp}/30\n  position: fighting\n  fighting: an ogre\n"),
                "mobs[1]{target,fighting,fighting_me,name}:\n  ogre,true,true,an ogre\n",
            )
        };
        assert!(share(&fighting(25), "flee") < 0.01);
        assert!(share(&fighting(1), "flee") > 0.9);
    }

    #[test]
    fn a_memory_moves_the_choice_by_what_its_valence_is_worth() {
        let rat = "mobs[1]{target,level,name}:\n  rat,4,a rat\n";
        let bitten = format!("{rat}memories[1]{{id,ago,valence,text}}:\n  4,7,-3,A rat nearly killed me.\n");
        let (fresh, bitten) = (share(&live(FIT, rat), "kill rat"), share(&live(FIT, &bitten), "kill rat"));
        // U(kill) = 7.6, U(north) = 0, U(go on) = 4; three less with the memory.
        let weight = |utility: f64| (utility / TEMPERATURE).exp();
        let expected = |kill: f64| weight(kill) / (weight(kill) + weight(0.0) + weight(TRUST));
        assert!((fresh - expected(7.6)).abs() < 0.08, "{fresh} is not {}", expected(7.6));
        assert!((bitten - expected(4.6)).abs() < 0.10, "{bitten} is not {}", expected(4.6));
    }

    #[test]
    fn it_answers_whoever_spoke_once_and_in_their_channel() {
        let mut policy = Utility::new(1);
        let said = "5 heard Bob (tell): \"Are you \\\"there\\\"?\"\n";
        let mut talk = Vec::new();
        for _ in 0..40 {
            let Reply::Answer(said) = policy.reply(&body("a", &format!("{said}{}", live(FIT, "")))) else { panic!() };
            let value: Value = serde_json::from_str(&said.content).expect("JSON");
            let actions = value["actions"].as_array().expect("a list").clone();
            talk.extend(actions.into_iter().filter(|action| action["type"] == "tell"));
        }
        // The first turns are quiet.
        assert_eq!(talk.len(), 1, "{talk:?}");
        assert_eq!(talk[0]["to"], "Bob");
    }

    #[test]
    fn conversations_do_not_disturb_each_other() {
        let asked = |order: &[&str]| {
            let mut policy = Utility::new(7);
            let mut by_key: BTreeMap<String, Vec<Reply>> = BTreeMap::new();
            for key in order {
                by_key.entry(key.to_string()).or_default().push(policy.reply(&body(key, &live(FIT, ""))));
            }
            by_key
        };
        assert_eq!(asked(&["a", "b", "a", "b"]), asked(&["b", "b", "a", "a"]));
    }
}
