//! The player itself, without IO: frames, answers of the model and times go in, effects come out.
//!
//! `Body` is what it sees, knows and does by itself; `Mind` asks the model and says what it wants; here both come
//! together. The order of a decision: reflexes, then what the mind wants, then upkeep, and policies as far as the
//! mind's mandate goes. Invariants: a reflex never waits for anything but its own pace; at most one verb that spends a
//! tick and eight free ones leave per decision; the rate of commands stays under the server's; a line that just failed
//! here is not sent again, but for flight; records leave in the order of their turns. The same frames, answers and
//! times give the same effects.

mod attention;
mod bills;
mod body;
mod channel_use;
mod council_log;
mod credit;
mod cycle;
mod decisions;
mod effect;
mod formats;
mod injection_guard;
mod journey;
mod leak_guard;
mod lines;
mod mind;
mod naming;
mod origin;
mod pace;
mod plan;
mod prompt;
mod recollection;
mod running_order;
mod scene;
mod settings;
mod surroundings;
mod trouble;
mod turns;
mod whereabouts;

#[cfg(test)]
mod tests;

pub use body::Body;
pub use effect::{Counts, Effect};
pub use formats::FORMAT_EVERY;
pub use mind::Mind;
pub use settings::{AgentSettings, FoldWords, Forbidden, LOOP_MAX, Rhythm, THINK_MS, TOOL_TIMEOUT_S, slow_ms};

use crate::map::direction_of;
use crate::nature::Nature;
use crate::policies::{Mandate, POLICIES};
use crate::record::{Reward, Row, Source};
use crate::reflexes::{FLEE_PERCENT, get_up};
use crate::thought::{Retold, Thought};
use ::mind::prompt::Prompt;
use ::mind::sharing::told;
use ::mind::texts::Texts;
use attention::{Due, Why};
use bills::Bill;
use body::Reaction;
use council_log::is_council_line;
use decisions::{Decisions, Made};
use journey::Step;
use lines::needs_feet;
use naming::Naming;
use origin::Origin;
use protocol::cause::Cause;
use protocol::outcome::EventEntry;
use protocol::status::Formats;
use protocol::verbs::word_of;
use protocol::{ClientFrame, ErrorCode, Outcome, ServerFrame, ServerMessage};
use std::sync::Arc;
use turns::{End, Turn};

/// A server that keeps minds has sent this one by then.
pub const MIND_COMES_MS: u64 = 3_000;

pub struct Agent {
    pub settings: AgentSettings,
    pub body: Body,
    pub mind: Mind,
    pub counts: Counts,
    decisions: Decisions,
    naming: Naming,
    /// Its maker was let in this session, as far as the settings say so.
    lets_maker_in: bool,
    /// It told the game in this session whether anybody may read its mind.
    told_open_mind: bool,
    /// Records and notes that leave with the next effects.
    notes: Vec<Effect>,
    /// Whether it may ask the model when it wants to.
    pub leave: Leave,
}

/// Whether a model may be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leave {
    /// Whenever there is something to ask.
    #[default]
    Given,
    /// Not yet: others come first.
    Awaited,
}

impl Agent {
    pub fn new(settings: AgentSettings) -> Agent {
        let mind = Mind::new(&settings);
        let mut body = Body::new(Nature { seed: settings.seed, tastes: settings.tastes });
        body.turns.set_patience(settings.tool_timeout_ms);
        let (counts, decisions) = (Counts::default(), Decisions::default());
        let (naming, leave) = (Naming::default(), Leave::default());
        let (lets_maker_in, told_open_mind, notes) = (false, false, Vec::new());
        Agent { settings, body, mind, counts, decisions, naming, lets_maker_in, told_open_mind, notes, leave }
    }

    /// A new connection: to be called before its first frame.
    pub fn on_connect(&mut self) {
        for turn in self.body.on_connect() {
            let sent_ms = turn.sent_ms;
            self.conclude(turn, End::Unanswered, sent_ms);
        }
        self.mind.on_connect();
    }

    /// The text of a frame, as it came. What cannot be read is counted; nothing stops the agent.
    pub fn on_text(&mut self, text: &str, now_ms: u64) {
        match ServerMessage::parse(text) {
            Ok(message) => self.on_message(message, now_ms),
            Err(error) => {
                #[derive(serde::Deserialize)]
                struct Numbered {
                    seq: Option<u64>,
                }
                let seq = serde_json::from_str::<Numbered>(text).ok().and_then(|frame| frame.seq);
                self.body.state.on_unreadable(error.code, seq);
            }
        }
    }

    /// A frame came. `now_ms` never goes back.
    pub fn on_message(&mut self, message: ServerMessage, now_ms: u64) {
        self.body.wake(now_ms);
        let rate_limited = matches!(&message.frame, ServerFrame::Error(error)
            if matches!(error.code, ErrorCode::RateLimited | ErrorCode::QueueFull));
        let change = self.body.state.merge(message, now_ms);
        if let Some((words, memories)) = self.body.state.recalled.take() {
            self.mind.recalled(&words, memories);
        }
        self.mind.hear_shared(std::mem::take(&mut self.body.state.shared_heard));
        self.mind.hear_channels(&mut self.body.state.channels);
        if rate_limited {
            self.on_rate_limit(now_ms);
        }
        if change.logged_in {
            self.body.logged_in();
        }
        if change.full {
            self.body.has_all();
        }
        if change.line && self.mind.is_echo() {
            self.body.state.lines.pop_back();
        } else if change.line && self.body.state.lines.back().is_some_and(council_log::is_answer) {
            // Its own words, which nobody said to it.
            self.body.state.lines.pop_back();
            self.body.turns.answered(now_ms);
        } else if change.line
            && let Some(line) = self.body.state.lines.back().cloned()
        {
            let read = self.body.known.hear(&self.body.state, &line, now_ms);
            self.mind.hear(&self.body.state, &line, read);
            if let Some(name) = self.naming.hear(&line) {
                self.body.state.shown_as = name;
            }
            self.body.turns.answered(now_ms);
        }
        if change.vars {
            self.on_vars(change.subscribed, now_ms);
        }
    }

    /// The server dropped the newest command.
    fn on_rate_limit(&mut self, now_ms: u64) {
        self.body.bucket.pause(now_ms);
        // A server that acknowledges says which one it was.
        if !self.mind.question_dropped(self.body.turns.newest_ms())
            && !self.body.state.acknowledges
            && let Some(turn) = self.body.turns.take_newest()
        {
            self.conclude(turn, End::RateLimited, now_ms);
        }
    }

    fn on_vars(&mut self, subscribed: bool, now_ms: u64) {
        let known = |vnum: &i32| self.body.known.map.rooms.get(vnum).is_some_and(|room| room.visits > 0);
        let room_new = self.body.state.room_vnum.is_some_and(|vnum| !known(&vnum));
        self.body.known.observe(&self.body.state, now_ms);
        let entries: Vec<EventEntry> = self.body.state.take_events().into();
        if self.decisions.is_empty() && self.body.state.is_ready() {
            // What comes before anything else was decided follows from coming at all.
            self.decide(Made::own(Source::Upkeep, "login", "login", None), now_ms);
        }
        let rows = self.decisions.observe(&self.body.state, &entries, room_new, now_ms);
        self.log(rows);
        for entry in &entries {
            // A refusal stands before the end of its command, and its row knows that too.
            if let Outcome::Done { id, input, tick } = entry.outcome {
                self.body.turns.acknowledge(id, tick, input);
            }
        }
        let refused = entries.iter().any(|entry| matches!(entry.outcome, Outcome::Refused { .. }));
        for EventEntry { outcome, cause } in &entries {
            self.body.known.learn(&self.body.state, outcome, now_ms);
            self.mind.see(&self.body.state, outcome);
            self.on_outcome(outcome, *cause, now_ms);
        }
        let rows = self.decisions.close(&self.body.state, false, |decision| self.mind.goes_on(decision));
        self.log(rows);
        self.mind.observe(&self.body.state, &self.body.known);
        self.body.note_fitness();
        self.body.note_position();
        if subscribed {
            return;
        }
        for turn in self.body.turns.settle(refused, now_ms) {
            self.conclude(turn, End::Well, now_ms);
        }
    }

    fn on_outcome(&mut self, outcome: &Outcome, cause: Option<Cause>, now_ms: u64) {
        let Body { state, turns, .. } = &mut self.body;
        turns.notice(state, outcome);
        match outcome {
            Outcome::Refused { command, reason } => {
                let turn = match cause.and_then(|cause| cause.id) {
                    Some(id) => turns.take(id),
                    None => turns.take_refused(command),
                };
                if let Some(turn) = turn {
                    self.conclude(turn, End::Refused(reason.to_string()), now_ms);
                }
            }
            Outcome::Done { id, .. } => {
                if let Some(turn) = turns.take(*id) {
                    self.conclude(turn, End::Well, now_ms);
                }
            }
            Outcome::RateLimited { cause_id: Some(id), .. } => {
                if let Some(turn) = turns.take(*id) {
                    self.conclude(turn, End::RateLimited, now_ms);
                }
            }
            Outcome::KillCredit { who, victim, .. } if state.is_me(who) => {
                turns.note_fight_end("killed", Some(victim));
            }
            Outcome::Death { victim, killer } if state.is_me(victim) => {
                turns.note_fight_end("died", killer.as_ref());
                self.mind.drop_plans("the agent died");
                self.notes.push(Effect::Note("It died, and wakes where the dead wake.".to_string()));
            }
            Outcome::LevelGained { who, level } if state.is_me(who) => {
                self.notes.push(Effect::Note(format!("It reached level {level}.")));
            }
            _ => {}
        }
    }

    /// The model's answer, or why there is none.
    pub fn on_thought(&mut self, id: u64, thought: Thought, now_ms: u64) {
        let Some((why, memories, channels, prompt)) = self.mind.asked_with(id) else { return };
        let deeds = self.body.state.channels.deeds();
        let channels = self.mind.channel_use.decided(channels, &deeds);
        let mut made = Made::thought(&thought, why.name(), memories);
        (made.channels, made.prompt) = (channels, Some(prompt));
        let decision = self.decide(made, now_ms);
        self.body.bills.decided(decision, Bill::of(thought.requests, thought.usage, thought.cost_micros));
        let Agent { mind, body, settings, counts, .. } = self;
        let note = mind.on_thought(thought, decision, body, settings, counts, now_ms);
        self.notes.extend(note.map(Effect::Note));
        self.log_unsent(now_ms);
    }

    /// What the model said for the story of a fold, or that it said nothing.
    pub fn on_retold(&mut self, retold: Retold) {
        self.body.bills.asked(Bill::of(1, retold.usage, retold.cost_micros));
        self.mind.retold(retold, &mut self.counts.fold_words);
    }

    /// What to do now: to be called after each frame, and at least every 250 ms.
    pub fn next(&mut self, now_ms: u64) -> Vec<Effect> {
        let mut effects = std::mem::take(&mut self.notes);
        for (turn, end) in self.body.turns.settle_late(now_ms) {
            self.conclude(turn, end, now_ms);
        }
        self.body.bills.settle(|decision| self.mind.goes_on(decision));
        self.body.subscribe(&mut effects, now_ms);
        if self.body.state.is_ready() && !self.reflexes(&mut effects, now_ms) {
            self.mind.settle_orders(&self.body, now_ms);
            self.recall(&mut effects, now_ms);
            self.think(&mut effects, now_ms);
            self.carry_out(&mut effects, now_ms);
            self.walk_on(&mut effects, now_ms);
            self.policies(&mut effects, now_ms);
            self.take_name(&mut effects, now_ms);
            self.share_with_maker(&mut effects, now_ms);
            self.tell_council(&mut effects, now_ms);
            self.open_mind(&mut effects, now_ms);
            self.tell_troubles(&mut effects, now_ms);
        }
        self.log_unsent(now_ms);
        effects.append(&mut self.notes);
        effects
    }

    /// Nothing will come of it any more: logs what is open. To be called at the end.
    pub fn finish(&mut self, now_ms: u64) -> Vec<Effect> {
        for turn in self.body.turns.take_all() {
            self.conclude(turn, End::Unanswered, now_ms);
        }
        self.mind.drop_plans("the session ended");
        self.log_unsent(now_ms);
        let rows = self.decisions.close(&self.body.state, true, |_| false);
        self.log(rows);
        let fights = self.body.turns.untold(&self.body.state, now_ms);
        self.log(fights.into_iter().map(Row::Note));
        std::mem::take(&mut self.notes)
    }

    /// The notes of the command by which the harness leaves. Nobody decided it who plays: the time is over.
    pub fn parting_notes(&mut self) -> serde_json::Value {
        let mut meta = serde_json::json!({"source": "harness"});
        self.body.bills.tell_last(&mut meta);
        meta
    }

    /// What all its decisions earned so far.
    pub fn earned(&self) -> Reward {
        self.decisions.earned()
    }

    /// What the policies may decide just now.
    pub fn mandate(&self, now_ms: u64) -> Mandate {
        self.mind.mandate(&self.settings, now_ms)
    }

    /// No mind decides just now: there is no model, or it does not answer.
    pub fn is_alone(&self, now_ms: u64) -> bool {
        self.mind.is_away(&self.settings, now_ms)
    }

    /// What prompts took in each format; `None` before one was measured.
    pub fn formats(&self) -> Option<Formats> {
        self.mind.formats()
    }

    /// Its mind came, or would have come by now if there were one.
    fn knows_its_mind(&self, now_ms: u64) -> bool {
        self.body.state.has_mind || self.body.elapsed_ms(now_ms) >= MIND_COMES_MS
    }

    /// A prompt of this moment, as the model would get it.
    pub fn prompt(&mut self, now_ms: u64) -> Prompt {
        let keeps_mind = self.body.state.has_mind || !self.knows_its_mind(now_ms);
        self.mind.prompt(&self.body, &self.settings, self.counts, keeps_mind, now_ms)
    }

    /// Other texts for its prompts, from the next fold of its transcript on; before the first prompt at once.
    pub fn set_texts(&mut self, texts: Arc<Texts>) {
        self.settings.prompt.texts = texts.clone();
        self.mind.set_texts(texts);
    }

    /// What a reflex or policy has to do now: see `Body::wish`.
    pub fn wish(&self, now_ms: u64) -> Option<&'static str> {
        self.body.wish(&self.settings, now_ms)
    }

    /// Whether a policy is asked at all.
    pub fn policy_is_on(&self, name: &str) -> bool {
        POLICIES.iter().any(|policy| policy.name == name && policy.on) && !self.settings.off.contains(name)
    }

    /// True when nothing else may be decided now.
    fn reflexes(&mut self, effects: &mut Vec<Effect>, now_ms: u64) -> bool {
        match self.body.react(now_ms) {
            Reaction::Pass => false,
            Reaction::Wait => true,
            Reaction::Do(reflex) => {
                self.mind.drop_plans("a reflex came before it");
                let asked = if self.body.state.hp_percent() < FLEE_PERCENT { "hurt" } else { "attacked" };
                let made = Made::own(Source::Reflex, reflex.name, asked, Some(&reflex.line));
                let decision = self.decide(made, now_ms);
                let name = reflex.name.to_string();
                let origin =
                    Origin { decision, source: Source::Reflex, reason: name.clone(), name, ..Origin::default() };
                self.send(effects, reflex.line.into_owned(), origin, now_ms);
                self.counts.reflexes += 1;
                true
            }
        }
    }

    /// Asks the server what comes to mind, where there is a model to tell it to.
    fn recall(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let wanted = self.settings.recall && self.settings.use_model && self.body.state.recalls;
        if !wanted || !self.body.bucket.spares(recollection::SPARE, now_ms) {
            return;
        }
        if let Some(command) = self.mind.question(now_ms) {
            self.body.bucket.take(now_ms);
            self.counts.recalls += 1;
            effects.push(Effect::Send(ClientFrame::Command(command)));
        }
    }

    /// Since when it wants to ask the model, if it does. Where it may only by leave, whoever gives it wants to know.
    pub fn wants_to_think(&mut self, now_ms: u64) -> Option<u64> {
        self.due(now_ms).map(|due| due.since_ms)
    }

    fn due(&mut self, now_ms: u64) -> Option<Due> {
        let sleeps = |tick: u64| self.body.state.tick.is_none_or(|now| now < tick);
        let record = self.body.state.channels.record.as_ref();
        if !self.body.state.is_ready() || record.and_then(|record| record.sleep_until).is_some_and(sleeps) {
            return None;
        }
        // A model that is shown an empty workspace begins one anew, over what it had.
        if self.settings.awaits_mind && !self.knows_its_mind(now_ms) {
            return None;
        }
        let paced = self.settings.paced_by_record.then_some(self.body.state.tick).flatten();
        if let Some(think_ms) = paced.and_then(|tick| self.body.state.channels.think_ms(tick)) {
            (self.settings.think_ms, self.settings.slow_ms) = (think_ms, slow_ms(think_ms));
        }
        self.mind.is_due(&self.body, &self.settings, now_ms)
    }

    /// Asks the model, if it is time and it may.
    fn think(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        if self.leave == Leave::Awaited {
            return;
        }
        if let Some(Due { why, .. }) = self.due(now_ms) {
            if why != Why::Replies {
                self.mind.end_turn();
            }
            let prompt = Box::new(self.prompt(now_ms));
            let Agent { settings, body, mind, counts, .. } = self;
            // A fold tells the newest of each channel anew.
            if prompt.compacted && body.state.channels.read() {
                mind.has_read_channels();
            }
            let question = mind.ask(body, why, prompt, settings, counts, now_ms);
            effects.extend(mind.take_retelling().map(Effect::Retell));
            effects.push(question);
        }
    }

    /// Sends what the mind wants, as far as it still makes sense.
    fn carry_out(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        while let Some(line) = self.mind.next_plan(&self.body, &mut self.counts, now_ms) {
            if needs_feet(line)
                && let Some(up) = get_up(&self.body.state)
                && self.policy_is_on("stand")
                && !self.body.is_refused(&up.line, now_ms)
            {
                // Getting up is part of going. What the model wants waits for it.
                if !self.body.turns.waits() && self.body.bucket.has(now_ms) {
                    self.stand_up(effects, now_ms);
                }
                return;
            }
            if !self.body.bucket.take(now_ms) {
                return;
            }
            let Some((line, origin)) = self.mind.take_plan() else { return };
            if word_of(&line).eq_ignore_ascii_case("status") && self.body.state.has_mind {
                // What only the client knows comes first, so that the answer is of now.
                if let Some(line) = self.mind.context(&self.body, self.counts) {
                    self.send_own(effects, Source::Upkeep, "context", "plan", line, now_ms);
                }
            }
            self.counts.model += 1;
            self.send(effects, line, origin, now_ms);
        }
    }

    /// The next step of a walk that the model ordered.
    fn walk_on(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        if self.mind.has_plans() || !self.body.bucket.has(now_ms) {
            return;
        }
        match self.mind.next_step(&self.body, now_ms) {
            Some((Step::GetUp(_), _)) => self.stand_up(effects, now_ms),
            Some((Step::Send(line), origin)) => {
                self.body.bucket.take(now_ms);
                self.counts.model += 1;
                self.send(effects, line, origin, now_ms);
            }
            Some((Step::Rest | Step::Over(_), _)) | None => {}
        }
    }

    fn stand_up(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        if let Some(line) = self.body.getting_up(now_ms) {
            self.body.bucket.take(now_ms);
            self.send_own(effects, Source::Upkeep, "stand", "plan", line, now_ms);
        }
    }

    /// Upkeep, and policies as far as the mandate goes.
    fn policies(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        if self.mind.has_plans() {
            return;
        }
        let (mandate, settled) = (self.mandate(now_ms), self.mind.lets_lie());
        if let Some((name, source, line)) = self.body.policy(&self.settings, &mandate, settled, now_ms) {
            let asked = match source {
                Source::Reflex => "hurt",
                Source::Upkeep => "need",
                Source::Policy | Source::Model => self.mind.why_policies(&self.settings, now_ms),
            };
            self.send_own(effects, source, name, asked, line, now_ms);
        }
    }

    /// Asks to be shown by the name of its persona, where nothing else is under way.
    fn take_name(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let Body { state, turns, bucket, .. } = &mut self.body;
        let busy = state.is_fighting() || !turns.is_empty() || self.mind.has_plans();
        let forbidden = self.settings.forbidden.verb_of(naming::VERB).is_some();
        if busy || forbidden || !self.settings.persona_name || !bucket.has(now_ms) {
            return;
        }
        let wanted = prompt::name_of_persona(state, &self.settings);
        if let Some(line) = self.naming.next(wanted.as_deref()) {
            self.body.bucket.take(now_ms);
            self.send_own(effects, Source::Upkeep, "name", "need", line, now_ms);
        }
    }

    /// Lets its maker read of its mind what the settings say: once in a session, where nothing else is under way. Who
    /// that is the game knows, and what is granted already is granted no second time.
    fn share_with_maker(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let Body { state, turns, bucket, .. } = &mut self.body;
        let scopes = &self.settings.share_with_maker;
        if scopes.is_empty() || self.lets_maker_in || state.channels.record.is_none() {
            return;
        }
        let busy = state.is_fighting() || !turns.is_empty() || self.mind.has_plans();
        let forbidden = self.settings.forbidden.verb_of("share").is_some();
        if busy || forbidden || !state.has_mind || !bucket.has(now_ms) {
            return;
        }
        self.lets_maker_in = true;
        self.body.bucket.take(now_ms);
        let line = format!("share maker {}", told(scopes).replace(", ", ","));
        self.send_own(effects, Source::Upkeep, "share", "need", line, now_ms);
    }

    /// What the minds of a council said, told to the server where a mind is kept and commands are to spare.
    fn tell_council(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let forbidden = ["mind", "batch"].iter().any(|verb| self.settings.forbidden.verb_of(verb).is_some());
        if self.mind.has_plans() || forbidden || !self.body.state.has_mind || !self.mind.council_log.waits() {
            return;
        }
        if self.body.bucket.spares(recollection::SPARE, now_ms)
            && let Some(line) = self.mind.council_log.next()
        {
            self.body.bucket.take(now_ms);
            self.send_own(effects, Source::Upkeep, "council", "council", line, now_ms);
        }
    }

    /// Tells the game whether anybody may read its mind, once in a session, where nothing else is under way.
    fn open_mind(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let Body { state, turns, bucket, .. } = &mut self.body;
        let Some(open) = self.settings.open_mind.filter(|_| !self.told_open_mind) else { return };
        let busy = state.is_fighting() || !turns.is_empty() || self.mind.has_plans();
        if busy || !bucket.has(now_ms) {
            return;
        }
        self.told_open_mind = true;
        self.body.bucket.take(now_ms);
        let line = format!("toggle openmind {}", if open { "on" } else { "off" });
        self.send_own(effects, Source::Upkeep, "openmind", "need", line, now_ms);
    }

    /// What is told to the agent's own log, where a mind is kept and nothing else is under way.
    fn tell_troubles(&mut self, effects: &mut Vec<Effect>, now_ms: u64) {
        let Body { state, turns, bucket, .. } = &mut self.body;
        let busy = state.is_fighting() || !turns.is_empty() || self.mind.has_plans();
        if busy || !state.has_mind || !bucket.has(now_ms) {
            return;
        }
        if let Some((name, line)) = self.mind.trouble(&self.body, self.counts, now_ms) {
            self.body.bucket.take(now_ms);
            self.send_own(effects, Source::Upkeep, name, "trouble", line, now_ms);
        }
    }

    /// The lines of decisions that were given up, for the log.
    fn log_unsent(&mut self, now_ms: u64) {
        let unsent = self.mind.take_unsent();
        let rows: Vec<Row> =
            unsent.into_iter().map(|line| self.decisions.unsent(line, &self.body.state, now_ms)).collect();
        self.log(rows);
    }

    /// Notes a decision for the log. Its id.
    fn decide(&mut self, made: Made, now_ms: u64) -> u64 {
        let (id, row) = self.decisions.decide(&self.body.state, made, self.settings.valence, now_ms);
        self.log([row]);
        id
    }

    fn log(&mut self, rows: impl IntoIterator<Item = Row>) {
        self.notes.extend(rows.into_iter().map(|row| Effect::Log(Box::new(row))));
    }

    /// A line that no model wanted. `asked`: why it was decided now.
    fn send_own(
        &mut self,
        effects: &mut Vec<Effect>,
        source: Source,
        name: &str,
        asked: &'static str,
        line: String,
        now_ms: u64,
    ) {
        let made = Made::own(source, name, asked, Some(&line));
        let decision = self.decide(made, now_ms);
        let name = name.to_string();
        let origin = Origin { decision, source, reason: name.clone(), name, ..Origin::default() };
        self.send(effects, line, origin, now_ms);
        *match source {
            Source::Reflex => &mut self.counts.reflexes,
            Source::Upkeep => &mut self.counts.upkeep,
            Source::Policy => &mut self.counts.policies,
            Source::Model => &mut self.counts.model,
        } += 1;
    }

    fn send(&mut self, effects: &mut Vec<Effect>, line: String, origin: Origin, now_ms: u64) {
        self.decisions.sent(origin.decision, self.body.turns.next_id());
        if let Some(oldest) = self.body.send(effects, line, origin, self.settings.valence, now_ms) {
            self.conclude(oldest, End::Unanswered, now_ms);
        }
    }

    /// A turn ended: what follows for what is known, for the mind and for the record.
    fn conclude(&mut self, turn: Turn, end: End, now_ms: u64) {
        let Body { state, known, bills, .. } = &mut self.body;
        let source = turn.origin.source;
        if source == Source::Model {
            self.counts.model_ended += 1;
            self.counts.model_failed += u64::from(end != End::Well);
        }
        match &end {
            End::Well => {
                known.refused_actions.succeeded(turn.room, &turn.line);
                if direction_of(&turn.line).is_some() && state.room_vnum != Some(turn.room) {
                    // Another room: what failed there may work when one comes back.
                    known.refused_actions.forgive(turn.room);
                }
            }
            End::Refused(_) if source == Source::Upkeep && is_council_line(&turn.line) => {
                self.mind.council_log.refused();
            }
            End::Refused(reason) => {
                self.counts.refused += 1;
                if turn.line != "flee" {
                    known.refused_actions.failed(turn.room, &turn.line, reason, now_ms);
                }
                if source == Source::Model && !self.mind.walks() {
                    known.refused_actions.insisted(turn.room, &turn.line, now_ms);
                }
                self.mind.refused(source, &turn.line, reason);
                known.refused(state, turn.room, &turn.line, reason, now_ms);
            }
            End::RateLimited => bills.put_back(turn.told),
            End::Unanswered | End::TimedOut(_) => {}
        }
        self.mind.did(source, &turn.line, &end.outcome(), state, now_ms);
        let (command, turn) = turn.close(end, state, now_ms);
        let rows = self.decisions.ended(command, turn);
        self.log(rows);
    }
}
