//! The model's part: when it is asked, what is done with its answer, and what is not done because the moment passed.

use super::turns::By;
use super::{Agent, Effect};
use crate::model::{ModelError, Thought};
use crate::record::{InjectedMemory, Source, Tokens};
use crate::state::GameState;
use mind::prompt::{PartName, Prompt};
use protocol::payload::Memory;
use protocol::verbs;
use std::collections::BTreeMap;

/// Verbs that take nothing but talking: they never become stale.
const FREE_MAX: usize = 8;
/// A plan that is not carried out by then belongs to another situation.
const PLAN_MS: u64 = 8_000;
/// Lost since the question, percent of the most hit points: such a plan knew nothing of it.
const HURT_PERCENT: i32 = 25;

/// A question to the model that is open.
#[derive(Clone, Debug)]
pub(super) struct Thinking {
    pub id: u64,
    pub since_ms: u64,
    moment: Moment,
    memories: Vec<InjectedMemory>,
    bootstrap_tokens: u64,
}

/// What an answer takes for granted.
#[derive(Clone, PartialEq, Debug, Default)]
struct Moment {
    room: Option<i32>,
    fighting: bool,
    hp_percent: i32,
    /// Who is meant by which word.
    targets: BTreeMap<String, String>,
}

impl Moment {
    fn of(state: &GameState) -> Moment {
        let mobs = state.mobs().iter().map(|mob| (mob.target_string.to_string(), mob.instance_id.to_string()));
        let items = state.items().iter().map(|item| (item.target_string.to_string(), item.instance_id.to_string()));
        Moment {
            room: state.room_vnum,
            fighting: state.is_fighting(),
            hp_percent: state.hp_percent(),
            targets: items.chain(mobs).collect(),
        }
    }
}

/// A line of the model that waits.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    line: String,
    free: bool,
    by: By,
    moment: Moment,
    until_ms: u64,
}

/// Why a line of the model is not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The one it is about has gone, or the word means another now.
    TargetGone,
    RoomChanged,
    /// A fight began, or ended.
    FightChanged,
    /// Much was suffered since.
    Hurt,
    TooLate,
    /// The same line just failed here.
    JustFailed,
    /// More than one verb that spends a tick, or more than eight that do not.
    TooMany,
    /// It does what is done already.
    Repeated,
    /// Somebody else said it, and what it does cannot be taken back.
    Dictated,
}

impl Doubt {
    pub const fn sentence(self) -> &'static str {
        match self {
            Doubt::TargetGone => "was not sent: its target has gone",
            Doubt::RoomChanged => "was not sent: the room is another now",
            Doubt::FightChanged => "was not sent: a fight has begun or ended since",
            Doubt::Hurt => "was not sent: much was suffered since",
            Doubt::TooLate => "was not sent: it came too late",
            Doubt::JustFailed => "was not sent: it has just failed in the same way",
            Doubt::TooMany => "was not sent: one action at a time",
            Doubt::Repeated => "was not sent: it has just been done",
            Doubt::Dictated => "was not sent: somebody else said it in these words, and it cannot be taken back",
        }
    }
}

/// Whether a line asks for what is so already: to sleep on, to rest on, to keep standing or fighting. It is how a model
/// says that it wants to stay as it is: nothing is sent.
fn stays(state: &GameState, line: &str) -> bool {
    let position = state.position.as_deref().unwrap_or("");
    match line.trim() {
        "sleep" => position == "sleeping",
        "rest" => position == "resting",
        "sit" => position == "sitting",
        "stand" => matches!(position, "standing" | "fighting"),
        _ => false,
    }
}

/// Whether something comes of staying so: strength comes back to who lies or sits, and a fight goes on by itself. Then
/// the policies leave the agent in peace until the next answer.
fn gains(state: &GameState) -> bool {
    let short = |now: Option<i32>, most: Option<i32>| now.zip(most).is_none_or(|(now, most)| now < most);
    let whole = !short(state.health, state.max_health)
        && !short(state.mana, state.max_mana)
        && !short(state.moves, state.max_moves);
    match state.position.as_deref() {
        Some("sleeping" | "resting" | "sitting") => !whole,
        _ => state.is_fighting(),
    }
}

/// Whether a line needs somebody on its feet: a step or an attack.
fn needs_feet(line: &str) -> bool {
    crate::map::direction_of(line).is_some() || matches!(verbs::word_of(line), "kill" | "hit")
}

/// Whether a verb spends no tick. A word that is no verb may be a gesture, which is talk.
pub fn is_free(line: &str, level: i32) -> bool {
    verbs::find(verbs::word_of(line), level).is_none_or(|verb| verb.free)
}

/// Whether a part of a prompt holds a sentence, in whatever form it is written: by its letters and digits.
fn holds(part: &str, sentence: &str) -> bool {
    let plain = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let sentence = plain(sentence);
    !sentence.is_empty() && plain(part).contains(&sentence)
}

impl Agent {
    /// Asks the model, if it is time.
    pub(super) fn think(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let due = self.last_thought_ms.is_none_or(|last| now_ms >= last + self.settings.think_ms);
        if !self.settings.use_model || !due || self.thinking.is_some() || self.recalling.is_near(now_ms) {
            return;
        }
        self.last_thought_ms = Some(now_ms);
        self.thoughts += 1;
        let id = self.thoughts;
        let prompt = Box::new(self.prompt(now_ms));
        self.counts.compactions += u64::from(prompt.compacted);
        self.troubles.measured(prompt.tokens, prompt.budget, prompt.compacted, now_ms);
        let (memories, bootstrap_tokens) = self.memories(&prompt);
        let moment = Moment::of(&self.state);
        self.thinking = Some(Thinking { id, since_ms: now_ms, moment, memories, bootstrap_tokens });
        effects.push(Effect::Think { id, prompt });
    }

    /// The memories that a prompt holds: those of the login as far as P1 had room for them, and what came to mind as
    /// far as the live view shows it. And their tokens.
    fn memories(&self, prompt: &Prompt) -> (Vec<InjectedMemory>, u64) {
        let count = |text: &str| mind::tokens::count(text) as u64;
        let whole = |id: &str, kind: &str| InjectedMemory {
            memory_id: id.into(),
            kind: kind.into(),
            valence: None,
            age_sessions: None,
            age_hours: None,
        };
        let one = |memory: &Memory, kind: &str| InjectedMemory {
            memory_id: memory.id.clone(),
            kind: kind.into(),
            valence: Some(memory.valence.into()),
            age_sessions: memory.age_sessions,
            age_hours: Some(memory.age_hours),
        };
        let told = |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).map(count);
        let shown = |text: &str| prompt.parts.iter().any(|part| part.name == PartName::P1 && holds(&part.text, text));
        let (mut memories, mut tokens) = (Vec::new(), 0);
        if let Some(bootstrap) = told(&self.state.memory_bootstrap) {
            let single = &self.state.bootstrap_memories;
            let (held, cut): (Vec<&Memory>, Vec<&Memory>) = single.iter().partition(|memory| shown(&memory.text));
            tokens += bootstrap.saturating_sub(cut.iter().map(|memory| count(&memory.text)).sum());
            memories.extend(held.into_iter().map(|memory| one(memory, "bootstrap")));
            if single.is_empty() {
                memories.push(whole("memory_bootstrap", "bootstrap"));
            }
        }
        if let Some(summary) = told(&self.state.memory_summary) {
            tokens += summary;
            memories.push(whole("memory_summary", "summary"));
        }
        let recalled = &self.recalling.memories[..prompt.memories.min(self.recalling.memories.len())];
        tokens += recalled.iter().map(|memory| count(&memory.text)).sum::<u64>();
        memories.extend(recalled.iter().map(|memory| one(memory, "recalled")));
        (memories, tokens)
    }

    /// The model's answer, or why there is none.
    pub fn on_thought(&mut self, id: u64, thought: Thought, now_ms: u64) {
        let Some(thinking) = self.thinking.take_if(|thinking| thinking.id == id) else { return };
        self.counts.thoughts += 1;
        self.counts.repairs += u64::from(thought.repairs);
        let usage = thought.usage;
        let tokens = Tokens {
            prompt: usage.prompt,
            cached: usage.cached,
            cache_written: usage.cache_written,
            completion: usage.completion,
        };
        self.counts.tokens.prompt += tokens.prompt;
        self.counts.tokens.cached += tokens.cached;
        self.counts.tokens.cache_written += tokens.cache_written;
        self.counts.tokens.completion += tokens.completion;
        self.counts.cost_micros += thought.cost_micros;
        let answer = match thought.answer {
            Ok(answer) => answer,
            Err(error) => {
                self.counts.thoughts_failed += 1;
                self.alone_until_thought = true;
                self.troubles.model_failed(&error);
                self.blocks.warn(match &error {
                    // The complaint is ours, and helps the next answer.
                    ModelError::Unusable(why) => format!("Your answer could not be used: {why}"),
                    // What an endpoint wrote is for people: in a prompt it would be a stranger's word.
                    _ => format!("Your model failed: {}.", super::trouble::cause(&error)),
                });
                self.notes.push(Effect::Note(format!("{error} The policies play on.")));
                return;
            }
        };
        self.alone_until_thought = false;
        self.troubles.model_went_well(&self.state.mind);
        for dropped in &answer.dropped {
            self.blocks.warn(dropped.clone());
        }
        if let Some(commentary) = &answer.commentary {
            self.blocks.think(commentary.clone());
        }
        if answer.compact {
            self.blocks.compact(&self.state);
        }
        let level = self.state.level.unwrap_or(1);
        let latency_ms = u64::try_from(thought.latency.as_millis()).unwrap_or(u64::MAX);
        let mut by = By {
            source: Source::Model,
            name: thought.model,
            latency_ms,
            tokens,
            cost_micros: thought.cost_micros,
            memories: thinking.memories,
            bootstrap_tokens: thinking.bootstrap_tokens,
        };
        let (mut free, mut spent) = (0, false);
        for line in answer.speech.into_iter().chain(answer.actions) {
            let is_free = is_free(&line, level);
            if (is_free && free == FREE_MAX) || (!is_free && spent) {
                self.doubt(&line, Doubt::TooMany, now_ms);
                continue;
            }
            if self.dictated.holds(&line) {
                self.doubt(&line, Doubt::Dictated, now_ms);
                continue;
            }
            if !is_free && stays(&self.state, &line) {
                spent |= gains(&self.state);
                continue;
            }
            free += usize::from(is_free);
            spent |= !is_free;
            let until_ms = now_ms + PLAN_MS;
            self.planned.push_back(Planned {
                line,
                free: is_free,
                by: by.clone(),
                moment: thinking.moment.clone(),
                until_ms,
            });
            // What the call cost is told once.
            by = By { tokens: Tokens::default(), cost_micros: 0, ..by };
        }
        // An answer that does nothing lets the policies go on; they are quicker on their feet.
        self.alone_until_thought = !spent;
    }

    /// Sends what the model wants, as far as it still makes sense.
    pub(super) fn carry_out(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        while let Some(plan) = self.planned.front() {
            if let Some(doubt) = self.doubts(plan, now_ms) {
                let plan = self.planned.pop_front().expect("it is there");
                self.doubt(&plan.line, doubt, now_ms);
                // Nothing comes of this answer.
                self.alone_until_thought |= !plan.free;
                continue;
            }
            if needs_feet(&plan.line)
                && let Some(up) = crate::reflexes::get_up(&self.state)
                && self.policy_is_on("stand")
                && self.known.breaker.blocks(self.room(), &up.line, now_ms).is_none()
            {
                // Getting up is part of going. What the model wants waits for it.
                let waits = self.turns.iter().any(|turn| !turn.answered);
                if !waits && self.bucket.take(now_ms) {
                    let by = By { source: Source::Policy, name: "stand".to_string(), ..By::default() };
                    self.counts.policies += 1;
                    self.send(effects, up.line.into_owned(), by, now_ms);
                }
                return;
            }
            if !self.bucket.take(now_ms) {
                return;
            }
            let plan = self.planned.pop_front().expect("it is there");
            self.counts.model += 1;
            self.send(effects, plan.line, plan.by, now_ms);
        }
    }

    fn doubts(&self, plan: &Planned, now_ms: u64) -> Option<Doubt> {
        if self.known.breaker.blocks(self.room(), &plan.line, now_ms).is_some() {
            return Some(Doubt::JustFailed);
        }
        if now_ms > plan.until_ms {
            return Some(Doubt::TooLate);
        }
        if plan.free && !plan.line.starts_with("consider ") {
            return None;
        }
        let now = Moment::of(&self.state);
        if plan.moment.room != now.room {
            return Some(Doubt::RoomChanged);
        }
        let target = plan.line.split_whitespace().nth(1).unwrap_or("");
        if let Some(meant) = plan.moment.targets.get(target)
            && now.targets.get(target) != Some(meant)
        {
            return Some(Doubt::TargetGone);
        }
        let flees = protocol::verbs::word_of(&plan.line) == "flee";
        if plan.moment.fighting != now.fighting && !(flees && now.fighting) {
            let attacks = matches!(verbs::word_of(&plan.line), "kill" | "hit" | "k");
            // Turning on whom one fights already is no news; anything else was meant for another moment.
            return Some(if attacks && now.fighting { Doubt::Repeated } else { Doubt::FightChanged });
        }
        if now.hp_percent + HURT_PERCENT < plan.moment.hp_percent && !flees {
            return Some(Doubt::Hurt);
        }
        None
    }

    fn doubt(&mut self, line: &str, doubt: Doubt, _now_ms: u64) {
        self.counts.doubted += 1;
        self.blocks.warn(format!("`{line}` {}.", doubt.sentence()));
    }
}
