//! A prompt in five parts, in the order in which providers cache: P0 rules, P1 self, P2 snapshot, P3 events, P4 now.
//!
//! How the parts become messages: P0, P1 and P2 are blocks of the system message; each part of P3 is a block of the
//! first user message, and P4 is the last block of the same. A part with `cache_mark` ends a cached beginning.
//!
//! Invariants: the tokens of a prompt are measured and never above the tier's budget. P0 is the same for all agents of
//! a folder of texts, tier, form of answers and autopilot. P1 and P2 are the same bytes from one compaction to the
//! next, P3 only grows between them.

mod already_shown;
pub mod block;
mod builder;
mod conversations;
mod earlier;
mod live_part;
mod measured;
pub mod room;
pub mod rules;

pub use builder::PromptBuilder;
pub use conversations::ChannelTokens;

use crate::action::{Autopilot, Offer};
use crate::budget::Tier;
use crate::event::LogEntry;
use crate::hud::index::Source;
use crate::hud::origin::Origin;
use crate::hud::{Format, SaidView};
use crate::pressure::{Advisory, Density};
use crate::render;
use crate::sections::Declared;
use crate::texts::Texts;
use protocol::payload::Words;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// What is sent to a model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Prompt {
    /// In order; texts end in a line break, so that they may be put together as they are.
    pub parts: Vec<Part>,
    /// Of all parts, measured.
    pub tokens: usize,
    /// What `tokens` is never above: the tier's, in our tokens, less what an endpoint puts around messages.
    pub budget: usize,
    /// How full it would be with all of P4, as a part of 1: what density, advisory and folding follow from.
    pub pressure: f64,
    /// Name of each section and its tokens, in order.
    pub sections: Vec<(String, usize)>,
    pub density: Density,
    pub advisory: Advisory,
    /// P3 was folded since the last prompt: P2 is new, and so is what the provider has to read.
    pub compacted: bool,
    /// How many of the live view's memories are shown: the first so many.
    pub memories: usize,
    /// Texts of P1 that had no room in full, one sentence each.
    pub cuts: Vec<String>,
    /// What an answer may use beside the verbs.
    pub offer: Offer,
    /// What each channel has of this prompt; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelTokens>,
}

impl Prompt {
    /// All parts as one text.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// Its lines with what each comes from before it.
    pub fn why(&self) -> String {
        let lines = self.parts.iter().flat_map(|part| part.text.lines().zip(part.origins.iter()));
        render::why(lines.map(|(line, origin)| (line, origin.to_string())))
    }
}

fn nothing_known() -> Arc<[Origin]> {
    Arc::from([])
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Part {
    pub role: Role,
    /// `P0` … `P4`; several parts are called `P3`.
    pub name: PartName,
    pub text: String,
    pub tokens: usize,
    /// A provider that wants marks gets one after this part. At most four parts have it.
    pub cache_mark: bool,
    /// What each line of the text comes from. Nothing of it is sent.
    #[serde(skip, default = "nothing_known")]
    pub origins: Arc<[Origin]>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum PartName {
    P0,
    P1,
    P2,
    P3,
    P4,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
}

/// What one decision did, or what happened between two: a block of P3. Never changed once appended.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Block {
    pub tick: u64,
    /// Lines sent, with who chose them and what came of them.
    pub did: Vec<Done>,
    /// What others said.
    pub heard: Vec<SaidView>,
    /// What the world told, one line each.
    pub seen: Vec<String>,
    /// What the agent's log got.
    pub mind: Vec<LogEntry>,
    /// The model's own short remark on why.
    pub thought: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Done {
    /// `reflex`, `policy` or `model`.
    pub source: String,
    pub action: String,
    /// As in `RecentAction`.
    pub outcome: String,
}

/// In what a model is asked to answer. P0 says which, so agents of one build and tier share a cached beginning with
/// those that answer in the same form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerForm {
    #[default]
    Json,
    Toon,
}

impl AnswerForm {
    pub const ALL: [AnswerForm; 2] = [AnswerForm::Json, AnswerForm::Toon];

    /// As people call it.
    pub const fn name(self) -> &'static str {
        match self {
            AnswerForm::Json => "JSON",
            AnswerForm::Toon => "TOON",
        }
    }
}

/// In which order and under which names a prompt says things.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// P0 to P4, as caches want them.
    #[default]
    Parts,
    /// `system`, `self`, `meta`, `rooms`, written anew each time: the baseline.
    Document,
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(name: &str) -> Result<Layout, String> {
        match name.trim() {
            "parts" => Ok(Layout::Parts),
            "document" => Ok(Layout::Document),
            other => Err(format!("\"{other}\" is no layout; the layouts are parts and document")),
        }
    }
}

/// How an agent's prompts are made.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Settings {
    pub tier: Tier,
    /// What the model takes, in its own tokens; counts for `Tier::Unlimited` only.
    pub model_limit: usize,
    /// The model's name: another maker's counts are allowed for.
    pub model: String,
    pub format: Format,
    #[serde(skip_serializing_if = "is_parts")]
    pub layout: Layout,
    /// Of what the model writes, whatever `format` is.
    pub answer: AnswerForm,
    /// The server keeps a mind: without it workspace and core memory are not shown, nor are their verbs offered.
    pub mind: bool,
    /// What the body does by itself, as the rules say it.
    pub autopilot: Autopilot,
    /// Our own sentences; what a record of the settings has of them is the hash of P0.
    #[serde(skip)]
    pub texts: Arc<Texts>,
    /// Sections that an operator declares.
    #[serde(skip_serializing_if = "has_none")]
    pub sections: Arc<[Declared]>,
    /// Tokens of the budget that are left free, for whoever adds something behind P4.
    #[serde(skip_serializing_if = "is_nothing")]
    pub kept_free: usize,
}

impl Settings {
    /// What a line of our own texts comes from: files, or the tables of actions.
    fn text_of(&self, line: &str) -> Origin {
        if line.trim().is_empty() {
            return Origin::Layout;
        }
        match &self.texts.files_of(line)[..] {
            [] => Origin::Tables,
            files => Origin::all(files.iter().map(|file| Origin::File(*file))),
        }
    }

    /// Says of lines that are of our texts, of which.
    fn name_texts(&self, text: &str, origins: &mut [Origin]) {
        let is_text = |origin: &Origin| matches!(origin, Origin::Fields(of, _) if of[..] == [Source::Texts]);
        for (line, origin) in text.lines().zip(origins).filter(|(_, origin)| is_text(origin)) {
            *origin = self.text_of(line);
        }
    }

    /// P0 in a world of these words.
    pub fn rules(&self, words: &Words) -> String {
        rules::rules(&self.texts, self.tier, self.answer, self.autopilot, words)
    }
}

fn has_none(sections: &Arc<[Declared]>) -> bool {
    sections.is_empty()
}

fn is_nothing(tokens: &usize) -> bool {
    *tokens == 0
}

fn is_parts(layout: &Layout) -> bool {
    *layout == Layout::Parts
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tier: Tier::default(),
            model_limit: 128_000,
            model: String::new(),
            format: Format::default(),
            layout: Layout::default(),
            answer: AnswerForm::default(),
            mind: true,
            autopilot: Autopilot::default(),
            texts: Arc::default(),
            sections: Arc::default(),
            kept_free: 0,
        }
    }
}
