//! What an agent is told before it plays.

use super::formats::FORMAT_EVERY;
use crate::nature::Tastes;
use mind::action::Autopilot;
use mind::council::{KEPT_FREE, Method};
use mind::hud::Kind;
use mind::sharing::Scope;
use protocol::verbs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Milliseconds from one decision of the model to the next where nobody says.
pub const THINK_MS: u64 = 5_000;

/// Questions to the model in one turn, and seconds that a late reply may take, where nobody says.
pub const LOOP_MAX: u32 = 5;
pub const TOOL_TIMEOUT_S: u64 = 30;

/// The settings of one agent. Whoever makes them has read the files that they come from. The header of a session log
/// has them as they are.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AgentSettings {
    /// Asks a model; without one, policies play alone.
    pub use_model: bool,
    /// Milliseconds from one decision of the model to the next.
    pub think_ms: u64,
    /// Where the server keeps a record of the agent, its think interval is taken for `think_ms`.
    pub paced_by_record: bool,
    /// Questions to the model in one turn, at most: after an answer that only asks it is asked again, with the replies.
    pub loop_max: u32,
    /// Prompts from one that is measured in all formats to the next; 0: none is.
    pub format_every: u64,
    /// Who says the stories of folds in other words, beside the rule that makes them.
    pub fold_words: FoldWords,
    /// Milliseconds that a reply may take which may come later than others.
    pub tool_timeout_ms: u64,
    /// Its mind was asked for, so no model is asked before it came (or seems not to be kept there).
    #[serde(skip)]
    pub awaits_mind: bool,
    /// What happens to the beats between, while nothing is new.
    pub rhythm: Rhythm,
    /// Milliseconds from one action of a policy to the next, at least.
    pub act_ms: u64,
    /// Without an answer for so long, policies play alone.
    pub slow_ms: u64,
    /// Seed of the agent's own chances.
    pub seed: u64,
    /// What it likes, which policies weigh.
    pub tastes: Tastes,
    /// Names of policies that are switched off.
    pub off: BTreeSet<String>,
    /// What the persona forbids.
    pub forbidden: Forbidden,
    /// How the model's decisions come about.
    #[serde(skip_serializing_if = "Method::is_alone")]
    pub method: Method,
    pub prompt: mind::prompt::Settings,
    pub kind: Kind,
    /// A character sheet in prose; a header has it beside the settings.
    #[serde(skip)]
    pub persona: String,
    pub operator_prompt: String,
    pub guidelines: Vec<String>,
    /// What the model may use; the model's client keeps to it, the prompt shows it.
    pub tokens_limit: Option<u64>,
    pub cost_limit_micros: Option<u64>,
    /// The model's price is known.
    pub priced: bool,
    /// False records each turn with the valence 0.
    pub valence: bool,
    /// Whether it asks the server what it remembers of a situation; without a model it never does.
    pub recall: bool,
    /// Whether it asks the game, once, to be shown by the name of its persona.
    pub persona_name: bool,
    /// Whether anybody may read its mind, as it tells the game once; `None`: it says nothing of it.
    pub open_mind: Option<bool>,
    /// What of its mind whoever made it may read; empty: nothing.
    pub share_with_maker: Vec<Scope>,
}

/// Who says the stories of folds in other words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldWords {
    #[default]
    Off,
    /// The model that decides.
    Model,
}

/// How often a model is asked while nothing is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rhythm {
    /// On a beat that grows: what one agent alone costs least by.
    #[default]
    Growing,
    /// On every beat, but those are skipped on which nothing is new, a dozen in a row at most; and who is written to
    /// thinks at once. So keeps one of many whose calls stand in one queue its interval.
    Steady,
}

/// What a persona forbids: no policy does it, and no line of the model with such a verb is sent. Reflexes, which keep
/// it alive, are not asked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Forbidden {
    /// Names of verbs, as the table has them.
    pub verbs: BTreeSet<String>,
    /// Names of policies.
    pub policies: BTreeSet<String>,
}

impl Forbidden {
    /// The forbidden verb that a line begins with, if it does.
    pub fn verb_of(&self, line: &str) -> Option<&str> {
        let word = verbs::word_of(line);
        let name = verbs::find(word, 1).map_or(word, |verb| &verb.name);
        self.verbs.get(name).map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.verbs.is_empty() && self.policies.is_empty()
    }
}

impl AgentSettings {
    /// The same with decisions that come about so; prompts leave room for what a council adds to them.
    pub fn by(self, method: Method) -> AgentSettings {
        let kept_free = if matches!(method, Method::Council(_)) { KEPT_FREE } else { 0 };
        AgentSettings { method, prompt: mind::prompt::Settings { kept_free, ..self.prompt }, ..self }
    }

    /// What the body does by itself beside a model: the rules of its prompt say the same.
    pub fn autopilot(&self) -> Autopilot {
        self.prompt.autopilot
    }
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            use_model: true,
            think_ms: THINK_MS,
            paced_by_record: false,
            loop_max: LOOP_MAX,
            format_every: FORMAT_EVERY,
            fold_words: FoldWords::default(),
            tool_timeout_ms: TOOL_TIMEOUT_S * 1_000,
            awaits_mind: false,
            rhythm: Rhythm::Growing,
            act_ms: 600,
            slow_ms: 4_000,
            seed: 0,
            tastes: Tastes::default(),
            off: BTreeSet::new(),
            forbidden: Forbidden::default(),
            method: Method::Alone,
            prompt: mind::prompt::Settings::default(),
            kind: Kind::Persona,
            persona: String::new(),
            operator_prompt: String::new(),
            guidelines: Vec::new(),
            tokens_limit: None,
            cost_limit_micros: None,
            priced: false,
            valence: true,
            recall: true,
            persona_name: true,
            open_mind: None,
            share_with_maker: Vec::new(),
        }
    }
}

/// How long policies wait for a model that is asked so often, `AgentSettings::slow_ms`: less than from one decision to
/// the next, so that one that hangs costs no more than that; but long enough for what models usually take.
pub fn slow_ms(think_ms: u64) -> u64 {
    (think_ms.saturating_mul(4) / 5).clamp(2_000, 10_000)
}
