//! Reading what a model answered: five forms, tried in order, into lines that a person would type.
//!
//! Pure: text in, lines or an exact complaint out. It never panics, whatever comes in.

use mind::action::ActionError;

/// What came back from an endpoint.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RawReply {
    /// The text of the message; may be cut off.
    pub content: String,
    pub tool_calls: Vec<ToolCall>,
    /// The request asked for the strict schema.
    pub asked_schema: bool,
    /// It ended because it grew too long, at the endpoint (`finish_reason: length`) or while it was read.
    pub cut: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ToolCall {
    pub name: String,
    /// JSON as text, as the model wrote it.
    pub arguments: String,
}

/// What is to be done, as lines of the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// Lines of talk, such as `say hello`. All free.
    pub speech: Vec<String>,
    /// Other lines, in order: at most eight free ones and one that spends a tick. `compact` is among them.
    pub actions: Vec<String>,
    /// The model's remark on why. One line, clean, capped.
    pub commentary: Option<String>,
    /// It asks for its context to be compacted.
    pub compact: bool,
    /// What was left out and why, one sentence each: for the log and the next prompt's warnings.
    pub dropped: Vec<String>,
}

/// Which form an answer had.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AnswerPath {
    Schema,
    ToolCall,
    JsonObject,
    FirstLine,
    Toon,
}

impl AnswerPath {
    pub const fn name(self) -> &'static str {
        match self {
            AnswerPath::Schema => "json_schema",
            AnswerPath::ToolCall => "tool_call",
            AnswerPath::JsonObject => "json_object",
            AnswerPath::FirstLine => "first_line",
            AnswerPath::Toon => "toon",
        }
    }
}

/// Why an answer cannot be used. `Display` is the sentence that goes back to the model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AnswerError {
    #[error("Your answer was empty.")]
    Empty,
    #[error("Your answer was cut off before it was complete: keep it short.")]
    CutOff,
    #[error("Your answer holds no JSON object.")]
    NoJson,
    #[error("Your JSON cannot be read: {0}.")]
    BadJson(String),
    #[error("Your JSON is nested deeper than {0} levels.")]
    TooDeep(usize),
    #[error("Your TOON cannot be read: {0}.")]
    BadToon(String),
    #[error("There is no tool `{0}`: call `act` or `compact`.")]
    UnknownTool(String),
    #[error("{0}")]
    Action(#[from] ActionError),
}
