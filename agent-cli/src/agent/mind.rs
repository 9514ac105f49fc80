//! A mind in the body: when its model is asked, what is done with the answer, and what is not done because the moment
//! passed.
//!
//! Invariants: knows the body by what is seen and known, and changes nothing of it: what it wants waits here until the
//! agent sends it. What the policies may decide is its `mandate`: nothing but what it delegated, unless it is away or
//! the autopilot is full. All that belongs to one mind is in `Mind`, so that a body could have several.

use super::attention::{Attention, Due, Pace, Why};
use super::body::Body;
use super::channel_use::ChannelUse;
use super::council_log::{CouncilLog, is_council_line};
use super::cycle::{Answered, Cycle};
use super::decisions::Unsent;
use super::effect::{Counts, Effect, FoldWordsCounts};
use super::injection_guard::InjectionGuard;
use super::journey::{Journey, Step};
use super::leak_guard::LeakGuard;
use super::lines::{batched, gains, is_free, stays, tells_much};
use super::origin::Origin;
use super::plan::{Doubt, Plan, Situation};
use super::prompt::{Blocks, PromptInput, TurnView};
use super::recollection::Recollection;
use super::running_order::RunningOrder;
use super::scene::scene;
use super::settings::{AgentSettings, FoldWords};
use super::trouble::{Troubles, cause, is_own};
use super::whereabouts::Whereabouts;
use crate::channels::{Channels, SpokenTo};
use crate::council::Brief;
use crate::knowledge::Knowledge;
use crate::ledger::Usage;
use crate::policies::Mandate;
use crate::prompt_text;
use crate::record::{CouncilRow, InjectedMemory, PromptRef, Source, Tokens};
use crate::state::{GameState, Line};
use crate::thought::{ModelError, Retelling, Retold, Thought};
use mind::action::{Autopilot, Offer, Order, place_of};
use mind::client_part::ClientPart;
use mind::council::Overruled;
use mind::hud::Format;
use mind::hud::RecentAction;
use mind::prompt::{ChannelTokens, PartName, Prompt};
use mind::story::StoryWords;
use mind::texts::Texts;
use protocol::Outcome;
use protocol::frame::Command;
use protocol::payload::Memory;
use protocol::status::Formats;
use protocol::words::counted;
use std::collections::VecDeque;
use std::sync::Arc;

/// Verbs that take nothing but talking: they never become stale.
const FREE_MAX: usize = 8;
/// Actions that the prompt may show.
const RECENT_MAX: usize = 20;

/// A question to the model that is open.
#[derive(Clone, Debug)]
struct Thinking {
    id: u64,
    since_ms: u64,
    why: Why,
    situation: Situation,
    memories: Vec<InjectedMemory>,
    bootstrap_tokens: u64,
    /// What the prompt held of channels.
    channels: Vec<ChannelTokens>,
    offer: Offer,
    /// What the row of its decision says of the prompt.
    prompt: PromptRef,
}

/// Whether a part of a prompt holds a sentence, in whatever form it is written: by its letters and digits.
fn holds(part: &str, sentence: &str) -> bool {
    let plain = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let sentence = plain(sentence);
    !sentence.is_empty() && plain(part).contains(&sentence)
}

fn pace_of(settings: &AgentSettings) -> Pace {
    Pace { think_ms: settings.think_ms, rhythm: settings.rhythm }
}

/// One mind: its prompt, its open question to the model, what it wants, what came to it and whom it does not obey.
pub struct Mind {
    /// The last lines that were sent, with what came of them, oldest first.
    pub recent: VecDeque<RecentAction>,
    blocks: Blocks,
    /// Of the settings.
    loop_max: u32,
    /// In which prompts are written.
    format: Format,
    /// Lines that wait for their turn.
    planned: VecDeque<Plan>,
    /// Lines that were given up since they were last taken out, for the log.
    unsent: Vec<Unsent>,
    thinking: Option<Thinking>,
    /// Questions so far.
    thoughts: u64,
    /// A story that the model is to say in other words.
    retelling: Option<Box<Retelling>>,
    attention: Attention,
    cycle: Cycle,
    /// A delegation or a wait that runs.
    order: Option<RunningOrder>,
    /// A walk that goes on, with whose it is.
    journey: Option<(Journey, Origin)>,
    /// As the model wrote it.
    walk: String,
    whereabouts: Whereabouts,
    /// The last question was not answered.
    failing: bool,
    /// Nothing came of the last answer: with the autopilot `full`, the policies play on.
    idle: bool,
    recollection: Recollection,
    guard: InjectionGuard,
    leaks: LeakGuard,
    troubles: Troubles,
    /// What its council said, until the server is told.
    pub(super) council_log: CouncilLog,
    /// Who of a council gave way of late.
    overruled: Overruled,
    pub(super) channel_use: ChannelUse,
}

fn tokens_of(Usage { prompt, cached, cache_written, completion }: Usage) -> Tokens {
    Tokens { prompt, cached, cache_written, completion }
}

impl Mind {
    pub(super) fn new(settings: &AgentSettings) -> Mind {
        Mind {
            recent: VecDeque::new(),
            blocks: Blocks::new(settings.prompt.clone()),
            loop_max: settings.loop_max,
            format: settings.prompt.format,
            planned: VecDeque::new(),
            unsent: Vec::new(),
            thinking: None,
            thoughts: 0,
            retelling: None,
            attention: Attention::default(),
            cycle: Cycle::default(),
            order: None,
            journey: None,
            walk: String::new(),
            whereabouts: Whereabouts::default(),
            failing: false,
            idle: false,
            recollection: Recollection::default(),
            guard: InjectionGuard::default(),
            leaks: LeakGuard::default(),
            troubles: Troubles::default(),
            council_log: CouncilLog::default(),
            overruled: Overruled::default(),
            channel_use: ChannelUse::default(),
        }
    }

    /// A new connection: what was planned for the old one is void.
    pub(super) fn on_connect(&mut self) {
        self.recollection.on_connect();
        self.troubles.on_connect();
        self.council_log.on_connect();
        self.attention.on_connect();
        self.drop_plans("the connection broke");
        (self.order, self.journey) = (None, None);
    }

    /// The answer to a request for memories.
    pub(super) fn recalled(&mut self, words: &str, memories: Vec<Memory>) {
        memories.iter().for_each(|memory| self.guard.hear(&memory.text));
        self.recollection.answered(words, memories);
    }

    /// What others share of their minds: words of theirs, as any others.
    pub(super) fn hear_shared(&mut self, texts: Vec<String>) {
        texts.iter().for_each(|text| self.guard.hear(text));
    }

    /// Whether a line that came is the text of such an answer, which nobody needs.
    pub(super) fn is_echo(&mut self) -> bool {
        self.recollection.is_echo()
    }

    /// A line came. `read`: all that it says is in a table of the prompt.
    pub(super) fn hear(&mut self, state: &GameState, line: &Line, read: bool) {
        if !read {
            self.blocks.hear(state, line);
        }
        if let Some(order) = &mut self.order {
            order.hear(line);
        }
        if !line.text.starts_with("You ") {
            self.guard.hear(&line.text);
        }
    }

    /// What came in channels: the guard hears others' words, and who is spoken to has something to answer.
    pub(super) fn hear_channels(&mut self, channels: &mut Channels) {
        for (from, text) in channels.take_heard() {
            self.guard.hear(&text);
            self.recollection.hear_words(&from, &text);
        }
        match channels.take_spoken_to() {
            Some(SpokenTo::Now) => self.attention.address(),
            Some(SpokenTo::Cooling) => self.attention.note(Why::SpokenTo),
            None => {}
        }
    }

    /// Something happened.
    pub(super) fn see(&mut self, state: &GameState, outcome: &Outcome) {
        self.blocks.see(state, outcome);
        self.recollection.hear(state, outcome);
        self.attention.see(state, outcome);
        self.whereabouts.see(state, outcome);
        if let Some(order) = &mut self.order {
            order.see(state, outcome);
        }
        if let Some((journey, _)) = &mut self.journey {
            journey.see(state, outcome);
        }
    }

    /// Variables came.
    pub(super) fn observe(&mut self, state: &GameState, known: &Knowledge) {
        self.recollection.observe(state, known);
        self.attention.observe(state);
        if let Some(order) = &mut self.order {
            order.observe(state, known);
        }
    }

    /// It does not decide just now: there is no model, or it failed; or it takes too long, where policies wait for it
    /// only so long. Else its client says when an answer is too late.
    pub(super) fn is_away(&self, settings: &AgentSettings, now_ms: u64) -> bool {
        let slow = || self.thinking.as_ref().is_some_and(|thinking| now_ms >= thinking.since_ms + settings.slow_ms);
        !settings.use_model || self.failing || (settings.autopilot() == Autopilot::Full && slow())
    }

    /// What the policies may decide now.
    pub(super) fn mandate(&self, settings: &AgentSettings, now_ms: u64) -> Mandate {
        let full = settings.autopilot() == Autopilot::Full;
        if settings.use_model {
            if let Some(mandate) = self.order.as_ref().and_then(RunningOrder::mandate) {
                return mandate;
            }
            if self.has_orders() {
                return if full { Mandate::Beside } else { Mandate::Nothing };
            }
        }
        match full {
            _ if self.is_away(settings, now_ms) => Mandate::All,
            true if self.idle => Mandate::All,
            true => Mandate::Beside,
            false => Mandate::Nothing,
        }
    }

    /// Whether one lies there because the model wants it so.
    pub(super) fn lets_lie(&self) -> bool {
        self.order.as_ref().is_some_and(RunningOrder::lets_lie)
    }

    /// Why a policy decides just now what the mandate lets it.
    pub(super) fn why_policies(&self, settings: &AgentSettings, now_ms: u64) -> &'static str {
        match &self.order {
            Some(order) if settings.use_model && order.mandate().is_some() => "delegated",
            _ if self.is_away(settings, now_ms) => "alone",
            _ => "autopilot",
        }
    }

    fn has_orders(&self) -> bool {
        self.order.is_some() || self.journey.is_some()
    }

    pub(super) fn has_plans(&self) -> bool {
        !self.planned.is_empty()
    }

    /// Whether more is to be sent for a decision: a line of it waits, or it walks.
    pub(super) fn goes_on(&self, decision: u64) -> bool {
        let is_of_it = |origin: &Origin| origin.decision == decision;
        self.planned.iter().any(|plan| is_of_it(&plan.origin))
            || self.journey.as_ref().is_some_and(|(_, origin)| is_of_it(origin))
    }

    /// What was wanted belongs to a moment that is over, for this reason.
    pub(super) fn drop_plans(&mut self, why: &str) {
        self.cycle.end();
        let given_up = self.planned.drain(..);
        self.unsent.extend(given_up.map(|plan| Unsent {
            decision: plan.origin.decision,
            line: plan.line,
            why: why.to_string(),
        }));
    }

    /// The lines that were decided and given up since the last time.
    pub(super) fn take_unsent(&mut self) -> Vec<Unsent> {
        std::mem::take(&mut self.unsent)
    }

    /// A prompt of this moment, as the model would get it. `mind`: the server keeps a log of this mind.
    pub(super) fn prompt(
        &mut self,
        body: &Body,
        settings: &AgentSettings,
        counts: Counts,
        mind: bool,
        now_ms: u64,
    ) -> Prompt {
        self.blocks.set_mind(mind);
        if let Some(first) = self.blocks.first_entry() {
            self.recollection.forget_since(first);
        }
        if let Some(order) = &self.order {
            self.blocks.warn(format!(
                "`{}` goes on for {} more; an answer that only talks leaves it so.",
                order.order,
                counted(order.ticks_left(&body.known, now_ms), "tick")
            ));
        }
        let moment = PromptInput {
            state: &body.state,
            known: &body.known,
            recent: &self.recent,
            memories: &self.recollection.memories,
            channel_use: &self.channel_use,
            counts,
            turn: TurnView {
                iteration: if self.cycle.waits().is_some() { self.cycle.iteration() + 1 } else { 1 },
                loop_max: self.loop_max,
                pending: body.turns.pending().count(),
            },
            now_ms,
        };
        self.blocks.prompt(&moment, settings)
    }

    pub(super) fn set_texts(&mut self, texts: Arc<Texts>) {
        self.blocks.set_texts(texts);
    }

    /// The next question for memories of the situation, if one is due; the caller sends it.
    pub(super) fn question(&mut self, now_ms: u64) -> Option<Command> {
        self.recollection.due(now_ms)
    }

    /// The server dropped the newest command, sent at `newest_ms` if it was a turn. True when it was a question.
    pub(super) fn question_dropped(&mut self, newest_ms: Option<u64>) -> bool {
        let is_question =
            self.recollection.open_since().is_some_and(|since| newest_ms.is_none_or(|sent| sent <= since));
        if is_question {
            self.recollection.dropped();
        }
        is_question
    }

    /// What stood unread in channels was told in a prompt, and the server does not know it.
    pub(super) fn has_read_channels(&mut self) {
        self.troubles.has_read();
    }

    /// The next line for the agent's own log, with the name it goes by in the records.
    pub(super) fn trouble(&mut self, body: &Body, counts: Counts, now_ms: u64) -> Option<(&'static str, String)> {
        let (name, line) = self.troubles.next(&body.state.mind, now_ms)?;
        match name {
            "context" => Some((name, format!("{line} {}", self.client_part(body, counts).written()))),
            _ => Some((name, line)),
        }
    }

    /// The newest prompt, measured, with what only the client knows of how it stands; `None` before the first.
    pub(super) fn context(&self, body: &Body, counts: Counts) -> Option<String> {
        let (tokens, budget) = self.troubles.newest()?;
        Some(format!("context {tokens} of {budget} {}", self.client_part(body, counts).written()))
    }

    /// What prompts took in each format; `None` before one was measured.
    pub(super) fn formats(&self) -> Option<Formats> {
        self.blocks.formats(self.format)
    }

    fn client_part(&self, body: &Body, counts: Counts) -> ClientPart {
        ClientPart {
            iteration: self.cycle.iteration(),
            max_iterations: self.loop_max,
            tools: self.cycle.tools().to_vec(),
            calls: counts.model_ended,
            failed: counts.model_failed,
            since_ms: body.started_at_ms(),
            pending: body.turns.pending().map(str::to_string).collect(),
            cost: (counts.thoughts > counts.unpriced).then_some(counts.cost_micros as f64 / 1e6),
            formats: self.formats(),
        }
    }

    /// Whether it is time to ask the model, why, and since when.
    pub(super) fn is_due(&mut self, body: &Body, settings: &AgentSettings, now_ms: u64) -> Option<Due> {
        self.attention.date(now_ms);
        if !settings.use_model || self.thinking.is_some() || self.recollection.is_near(now_ms) {
            return None;
        }
        if let Some(decision) = self.cycle.waits()
            && !self.goes_on(decision)
            && !body.turns.has_of(decision)
        {
            return Some(Due { why: Why::Replies, since_ms: now_ms });
        }
        let hears = self.order.as_ref().is_some_and(RunningOrder::hears);
        self.attention.due(pace_of(settings), self.has_orders(), hears, now_ms)
    }

    /// Something else than replies is thought about: another turn begins.
    pub(super) fn end_turn(&mut self) {
        self.cycle.end();
    }

    /// Asks the model with this prompt.
    pub(super) fn ask(
        &mut self,
        body: &Body,
        why: Why,
        prompt: Box<Prompt>,
        settings: &AgentSettings,
        counts: &mut Counts,
        now_ms: u64,
    ) -> Effect {
        let state = &body.state;
        self.attention.asked(why, state, pace_of(settings), now_ms);
        self.cycle.begin(why == Why::Replies);
        counts.thoughts_chained += u64::from(why == Why::Replies);
        self.thoughts += 1;
        counts.thoughts_idle += u64::from(why == Why::Beat);
        let id = self.thoughts;
        counts.compactions += u64::from(prompt.compacted);
        self.troubles.measured(prompt.tokens, prompt.budget, prompt.compacted, now_ms);
        if prompt.compacted
            && let Some((span, tokens)) = self.blocks.dropped()
        {
            self.troubles.folded(span, tokens);
            if settings.fold_words == FoldWords::Model {
                self.retelling = self.blocks.retelling(&settings.prompt.texts).map(Box::new);
            }
        }
        let (memories, bootstrap_tokens) = self.memories(state, &prompt);
        let situation = Situation::of(state);
        let (channels, offer) = (prompt.channels.clone(), prompt.offer.clone());
        let told = prompt_text::reference(id, &prompt);
        self.thinking = Some(Thinking {
            id,
            since_ms: now_ms,
            why,
            situation,
            memories,
            bootstrap_tokens,
            channels,
            offer,
            prompt: told,
        });
        let brief = Box::new(self.brief(body, settings));
        Effect::Think { id, prompt, brief }
    }

    /// The story of a fold that the model is asked to say in other words, once.
    pub(super) fn take_retelling(&mut self) -> Option<Box<Retelling>> {
        self.retelling.take()
    }

    /// What came of it: words of which the next fold makes use, or nothing.
    pub(super) fn retold(&mut self, retold: Retold, counts: &mut FoldWordsCounts) {
        counts.asked += 1;
        counts.tokens += tokens_of(retold.usage);
        counts.cost_micros += retold.cost_micros.unwrap_or(0);
        counts.unpriced += u64::from(retold.cost_micros.is_none());
        counts.refused += retold.refused.len() as u64;
        let lines = retold.lines.len() as u64;
        let words = StoryWords { span: retold.span, model: retold.model, lines: retold.lines };
        match retold.error.is_none() && self.blocks.reword(words) {
            true => counts.lines += lines,
            false => counts.failed += 1,
        }
    }

    /// By what the decision is to be made. One mind alone needs to know nothing.
    fn brief(&self, body: &Body, settings: &AgentSettings) -> Brief {
        let mut brief = Brief {
            method: settings.method,
            format: settings.prompt.format,
            answer: settings.prompt.answer,
            ..Brief::default()
        };
        if !settings.method.is_alone() {
            brief.scene = scene(body, &self.recollection.memories);
            brief.overruled = self.overruled.clone();
        }
        brief
    }

    /// The memories that a prompt holds: those of the login as far as P1 had room for them, and what came to mind as
    /// far as the live view shows it. And their tokens.
    fn memories(&self, state: &GameState, prompt: &Prompt) -> (Vec<InjectedMemory>, u64) {
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
        if let Some(bootstrap) = told(&state.memory_bootstrap) {
            let single = &state.bootstrap_memories;
            let (held, cut): (Vec<&Memory>, Vec<&Memory>) = single.iter().partition(|memory| shown(&memory.text));
            tokens += bootstrap.saturating_sub(cut.iter().map(|memory| count(&memory.text)).sum());
            memories.extend(held.into_iter().map(|memory| one(memory, "bootstrap")));
            if single.is_empty() {
                memories.push(whole("memory_bootstrap", "bootstrap"));
            }
        }
        if let Some(summary) = told(&state.memory_summary) {
            tokens += summary;
            memories.push(whole("memory_summary", "summary"));
        }
        let recalled = &self.recollection.memories[..prompt.memories.min(self.recollection.memories.len())];
        tokens += recalled.iter().map(|memory| count(&memory.text)).sum::<u64>();
        memories.extend(recalled.iter().map(|memory| one(memory, "recalled")));
        (memories, tokens)
    }

    /// Why the open question with this id was asked, the memories that it was asked with, what it held of channels, and
    /// the prompt.
    pub(super) fn asked_with(&self, id: u64) -> Option<(Why, Vec<InjectedMemory>, Vec<ChannelTokens>, PromptRef)> {
        let thinking = self.thinking.as_ref().filter(|thinking| thinking.id == id)?;
        Some((thinking.why, thinking.memories.clone(), thinking.channels.clone(), thinking.prompt.clone()))
    }

    /// The model's answer to the open question, or why there is none; `decision`: its row in the session log. Returns
    /// what people should know of it.
    pub(super) fn on_thought(
        &mut self,
        thought: Thought,
        decision: u64,
        body: &Body,
        settings: &AgentSettings,
        counts: &mut Counts,
        now_ms: u64,
    ) -> Option<String> {
        let state = &body.state;
        let thinking = self.thinking.take()?;
        counts.thoughts += 1;
        counts.repairs += u64::from(thought.repairs);
        let tokens = tokens_of(thought.usage);
        counts.tokens += tokens;
        counts.taped += tokens_of(thought.taped_usage);
        counts.taped_cost_micros += thought.taped_cost_micros;
        counts.cost_micros += thought.cost_micros.unwrap_or(0);
        counts.unpriced += u64::from(thought.cost_micros.is_none());
        let answer = match thought.answer {
            Ok(answer) => answer,
            Err(error) => {
                counts.thoughts_failed += 1;
                self.failing = true;
                self.attention.answered(false);
                self.troubles.model_failed(&error);
                self.blocks.warn(match &error {
                    // The complaint is ours, and helps the next answer.
                    ModelError::Unusable(why) => format!("Your answer could not be used: {why}"),
                    // What an endpoint wrote is for people: in a prompt it would be a stranger's word.
                    _ => format!("Your model failed: {}.", cause(&error)),
                });
                return Some(format!("{error} The policies play on."));
            }
        };
        self.failing = false;
        self.attention.answered(true);
        self.troubles.model_went_well(&state.mind);
        for dropped in &answer.dropped {
            self.blocks.warn(dropped.clone());
        }
        if let Some(commentary) = &answer.commentary {
            self.blocks.think(commentary.clone());
        }
        if answer.compact {
            self.blocks.compact(state);
        }
        let level = state.level.unwrap_or(1);
        let latency_ms = u64::try_from(thought.latency.as_millis()).unwrap_or(u64::MAX);
        if let Some(lost) = thought.counsel.council.as_ref().and_then(CouncilRow::gave_way) {
            self.overruled.note(lost);
        }
        if let Some(row) = &thought.counsel.council {
            self.council_log.decided(row);
        }
        self.council_log.thought(&answer.thoughts, thought.counsel.council.is_some());
        if let Some(own) = &answer.thoughts.ai {
            self.leaks.think(own);
        }
        let record = state.channels.record.as_ref().map(|record| &*record.guidelines);
        let guidelines = settings.guidelines.iter().map(String::as_str).chain(record);
        self.leaks.told(guidelines.chain([settings.operator_prompt.as_str()]));
        let mut origin = Origin {
            decision,
            source: Source::Model,
            name: thought.model,
            answered_by: thought.answered_by,
            reason: answer.commentary.clone().unwrap_or_default(),
            latency_ms,
            tokens,
            cost_micros: thought.cost_micros,
            memories: thinking.memories,
            bootstrap_tokens: thinking.bootstrap_tokens,
            prompt: Some(thinking.prompt.sha256),
            counsel: thought.counsel,
        };
        let (mut free, mut spent) = (0, false);
        let mut accepted: Vec<(String, bool)> = Vec::new();
        let mut answered = Answered { ends: answer.order.is_some(), ..Answered::default() };
        let mut lines: Vec<String> = answer.speech.into_iter().chain(answer.actions).collect();
        if thinking.offer.channels {
            // The document's order: what is noted, what is said, memberships and reactions, and last what takes time.
            lines.sort_by_key(|line| place_of(line, &thinking.offer));
        }
        for line in lines {
            let is_free = is_free(&line, level);
            if (is_free && free == FREE_MAX) || (!is_free && spent) {
                self.doubt(decision, &line, Doubt::TooMany, counts);
                continue;
            }
            if self.guard.holds(&line) {
                self.doubt(decision, &line, Doubt::Injected, counts);
                continue;
            }
            if self.leaks.holds(&line) {
                counts.leaks_held += 1;
                self.doubt(decision, &line, Doubt::Leaks, counts);
                continue;
            }
            if settings.forbidden.verb_of(&line).is_some() {
                self.doubt(decision, &line, Doubt::Forbidden, counts);
                continue;
            }
            if self.cycle.repeats(&line) {
                self.doubt(decision, &line, Doubt::AskedBefore, counts);
                continue;
            }
            if !is_free && stays(state, &line) {
                spent |= gains(state);
                answered.ends = true;
                // It has its will without a word, so nobody is told but the log.
                self.unsent.push(Unsent { decision, line, why: Doubt::Stays.reason().to_string() });
                continue;
            }
            free += usize::from(is_free);
            spent |= !is_free;
            self.cycle.uses(&line, level, &mut answered);
            accepted.push((line, is_free));
        }
        for (line, is_free) in if state.has_mind { batched(accepted) } else { accepted } {
            self.planned.push_back(Plan::new(line, is_free, origin.clone(), thinking.situation.clone(), now_ms));
            origin = origin.told();
        }
        self.cycle.answered(decision, answered, settings.loop_max);
        if spent || answer.order.is_some() {
            // Who does something else no longer does what was ordered before.
            self.end_orders("you did something else", state, now_ms);
        }
        if let Some(order) = answer.order {
            counts.orders += 1;
            let begun = self.begin(order.clone(), origin, body, settings, now_ms);
            if begun.is_ok() {
                // It stands where it was given; how it ended, where it ends.
                self.tell_done(Source::Model, &order.to_string(), "begun", state, now_ms);
            }
            if let Err(why) = begun {
                self.unsent.push(Unsent { decision, line: order.to_string(), why: why.clone() });
                self.did(Source::Model, &order.to_string(), &format!("refused: {why}"), state, now_ms);
                self.attention.note(Why::Outcome);
            }
        }
        // With the autopilot full, an answer that does nothing lets the policies go on.
        self.idle = !spent && !self.has_orders();
        None
    }

    /// An order begins, or is refused with a reason for the model.
    fn begin(
        &mut self,
        mut order: Order,
        origin: Origin,
        body: &Body,
        settings: &AgentSettings,
        now_ms: u64,
    ) -> Result<(), String> {
        match &mut order {
            Order::Goto { to } => {
                let journey = Journey::plan(body, &self.whereabouts, to, now_ms)?;
                self.journey = Some((journey, origin));
                self.walk = order.to_string();
                return Ok(());
            }
            Order::Delegate { policies, .. } => {
                if settings.autopilot() == Autopilot::Off {
                    return Err("nothing can be delegated here".to_string());
                }
                let named = policies.len();
                let mut refused = Vec::new();
                policies.retain(|name| {
                    let never = settings.forbidden.policies.contains(*name);
                    let off = settings.off.contains(*name);
                    refused.extend(never.then(|| format!("your character never does that: {name}")));
                    refused.extend((off && !never).then(|| format!("{name} is switched off")));
                    !never && !off
                });
                if named > 0 && policies.is_empty() {
                    return Err(refused.join("; "));
                }
                for why in refused {
                    self.blocks.warn(format!("Not delegated: {why}."));
                }
            }
            Order::Wait { .. } => {}
        }
        let mut running = RunningOrder::begin(order, &body.state, &body.known, now_ms);
        running.observe(&body.state, &body.known);
        self.order = Some(running);
        Ok(())
    }

    /// Ends what runs, for this reason.
    fn end_orders(&mut self, why: &str, state: &GameState, now_ms: u64) {
        if let Some(order) = self.order.take() {
            self.did(Source::Model, &order.order.to_string(), &format!("over: {why}"), state, now_ms);
        }
        if self.journey.take().is_some() {
            let walk = std::mem::take(&mut self.walk);
            self.did(Source::Model, &walk, &format!("over: {why}"), state, now_ms);
        }
    }

    /// Whether what runs is over; the model is told and asked.
    pub(super) fn settle_orders(&mut self, body: &Body, now_ms: u64) {
        if let Some(end) = self.order.as_ref().and_then(|order| order.end(body, now_ms))
            && let Some(order) = self.order.take()
        {
            self.did(Source::Model, &order.order.to_string(), &end, &body.state, now_ms);
            self.attention.note(Why::OrderOver);
        }
    }

    /// The next step of a walk, with its origin; `None`: there is none to take now.
    pub(super) fn next_step(&mut self, body: &Body, now_ms: u64) -> Option<(Step, Origin)> {
        let (journey, origin) = self.journey.as_mut()?;
        match journey.next(body, now_ms) {
            Step::Rest => None,
            Step::Over(end) => {
                self.journey = None;
                let walk = std::mem::take(&mut self.walk);
                self.did(Source::Model, &walk, &end, &body.state, now_ms);
                self.attention.note(Why::OrderOver);
                None
            }
            Step::GetUp(line) => Some((Step::GetUp(line), Origin::default())),
            Step::Send(line) => {
                let given = origin.clone();
                *origin = given.clone().told();
                Some((Step::Send(line), given))
            }
        }
    }

    /// The order that runs, in words for people.
    pub fn ordered(&self, body: &Body, now_ms: u64) -> Option<String> {
        match &self.order {
            Some(order) => Some(format!("{} ({} left)", order.order, order.ticks_left(&body.known, now_ms))),
            None => self.journey.is_some().then(|| self.walk.clone()),
        }
    }

    /// Whether a walk goes on: what is refused on it is its own business.
    pub(super) fn walks(&self) -> bool {
        self.journey.is_some()
    }

    /// The next line that it wants and that still makes sense; what does not is dropped.
    pub(super) fn next_plan(&mut self, body: &Body, counts: &mut Counts, now_ms: u64) -> Option<&str> {
        while let Some(plan) = self.planned.front() {
            let Some(doubt) = plan.doubt(body, now_ms) else { break };
            let plan = self.planned.pop_front().expect("it is there");
            self.doubt(plan.origin.decision, &plan.line, doubt, counts);
            // Nothing comes of this answer.
            self.idle |= !plan.free;
            self.attention.note(Why::Outcome);
        }
        self.planned.front().map(|plan| &*plan.line)
    }

    /// Takes that line, to send it.
    pub(super) fn take_plan(&mut self) -> Option<(String, Origin)> {
        self.planned.pop_front().map(|plan| (plan.line, plan.origin))
    }

    fn doubt(&mut self, decision: u64, line: &str, doubt: Doubt, counts: &mut Counts) {
        counts.doubted += 1;
        let why = doubt.reason();
        self.blocks.warn(format!("`{line}` was not sent: {why}."));
        self.unsent.push(Unsent { decision, line: line.to_string(), why: why.to_string() });
    }

    /// A line of this source came to this end. What goes to its own log comes back as an entry of it.
    pub(super) fn did(&mut self, source: Source, line: &str, outcome: &str, state: &GameState, now_ms: u64) {
        if is_own(line) || source == Source::Upkeep && is_council_line(line) {
            return;
        }
        if source == Source::Model && tells_much(line, outcome) {
            self.attention.note(Why::Outcome);
        }
        self.tell_done(source, line, outcome, state, now_ms);
    }

    /// Tells the next prompt what was done.
    fn tell_done(&mut self, source: Source, line: &str, outcome: &str, state: &GameState, now_ms: u64) {
        self.blocks.did(source.name(), line, outcome);
        if self.recent.len() == RECENT_MAX {
            self.recent.pop_front();
        }
        let (source, action, outcome) = (source.name().to_string(), line.to_string(), outcome.to_string());
        self.recent.push_back(RecentAction { tick: self.blocks.tick(state, now_ms), source, action, outcome });
    }

    /// The game refused a line of this source.
    pub(super) fn refused(&mut self, source: Source, line: &str, reason: &str) {
        // What the model wanted did not happen: with the autopilot full, the policies go on until its next wish.
        self.idle |= source == Source::Model && !is_free(line, 1);
        if source == Source::Model
            && let Some((journey, _)) = &mut self.journey
        {
            journey.refused(line, reason);
        }
    }
}
