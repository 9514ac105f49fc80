//! The frames: what a client sends (`ClientFrame`), what the server sends (`ServerFrame`), and the fast way to write
//! the latter when one payload goes to many readers (`Encoded`, `write_frame`).
//!
//! Reading is tolerant where a client's meaning is plain (either login dialect, numbers as strings, `args` as a string)
//! and strict where it would be lost; a `FrameError` names the field and what to do. What a frame does is the
//! session's business, and so are size and rate limits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::code::ErrorCode;
use crate::creation::{CLASSES, RACES, Sex, name_of, number_of};
use crate::names::clean_text;
use crate::payload::{
    CharCreate, ErrorBody, Event, EventKind, MemoryBootstrap, MemorySummary, Mind, State, Text, TokenRefresh, Vars,
    append_event, append_json,
};

/// A frame that comes in may be this large, in bytes, unless a flag says otherwise. Source: the published protocol.
pub const FRAME_BYTES_MAX: usize = 16 * 1024;

/// What a client sends. `encode` writes the canonical form; `parse` reads it and all the tolerated ones.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum ClientFrame {
    Login(Box<Login>),
    Command(Command),
    Subscribe(Subscribe),
    CharInput(CharInput),
}

/// A secret that does not show in logs: `Debug` prints stars.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// `login`: to a character that exists, or with `new_char` to one that shall.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Login {
    /// As typed; `names::check_name` is the session's. Absent only beside a key or token, which name their character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_name: Option<String>,
    /// A password, or an agent's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// The older dialect's place for an agent's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// From an earlier `state` or `token_refresh`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// `is_agent: true`, or `mode: "agent"` in the older dialect.
    #[serde(skip_serializing_if = "is_false")]
    pub is_agent: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub new_char: bool,
    /// A number of `creation::CLASSES`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<u8>,
    /// A number of `creation::RACES`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sex: Option<Sex>,
    /// Key or name of a hometown of the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hometown: Option<String>,
    /// What runs the agent, which model, of which version: recorded with the session, never interpreted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Context budget: `small`, `medium`, `large`, `unlimited`; other words are recorded as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// False records the session without valence (ablation).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valence: Option<bool>,
    /// What the client understands beyond the published frames: `mind`. Unknown words are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}

/// What a login offers as proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof<'a> {
    Token(&'a Secret),
    /// From `api_key`: certainly a key.
    Key(&'a Secret),
    /// A password, or a key in the place of one.
    Password(&'a Secret),
}

impl Login {
    /// The strongest proof offered: a token before a key before a password; others are ignored. None of them: `None`.
    pub fn proof(&self) -> Option<Proof<'_>> {
        None.or(self.token.as_ref().map(Proof::Token))
            .or(self.api_key.as_ref().map(Proof::Key))
            .or(self.password.as_ref().map(Proof::Password))
    }

    pub fn has_feature(&self, feature: &str) -> bool {
        self.features.iter().any(|f| f == feature)
    }
}

/// `command`: what a person would type.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Command {
    /// The verb, or a whole line; case is kept.
    pub command: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Notes of the client for the records (`{"memory_ids": […], "source": …}`), never interpreted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

impl Command {
    /// The line that a person would have typed: verb and args with single spaces between, without control characters.
    pub fn line(&self) -> String {
        let mut line = self.command.clone();
        for arg in &self.args {
            line.push(' ');
            line.push_str(arg);
        }
        match clean_text(&line) {
            std::borrow::Cow::Borrowed(_) => line,
            std::borrow::Cow::Owned(clean) => clean,
        }
    }
}

/// `subscribe`: adds to what is subscribed already. Names are checked by `VariableSet::named`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Subscribe {
    pub variables: Vec<String>,
    /// Asks for a full dump, after a gap in `seq`.
    #[serde(skip_serializing_if = "is_false")]
    pub full: bool,
}

/// `char_input`: the answer to `char_create`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CharInput {
    pub choice: String,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Why a frame was not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameError {
    pub code: ErrorCode,
    /// One sentence: what is wrong and what to do. Holds no control characters.
    pub message: String,
}

impl FrameError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> FrameError {
        FrameError { code, message: message.into() }
    }

    fn field(message: String) -> FrameError {
        FrameError::new(ErrorCode::BadField, message)
    }
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for FrameError {}

impl From<FrameError> for ServerFrame {
    fn from(error: FrameError) -> ServerFrame {
        ServerFrame::Error(ErrorBody { message: error.message, code: error.code })
    }
}

impl ClientFrame {
    /// Reads one text frame. Unknown fields are ignored; of a repeated key the last counts; JSON nested deeper than 127
    /// levels is refused as `bad_json`. Errors: `bad_json`, `unknown_type`, `bad_field`.
    pub fn parse(text: &str) -> Result<ClientFrame, FrameError> {
        let mut message = object(text)?;
        let kind = match message.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            None | Some(Value::Null) => {
                return Err(FrameError::field(format!("`type` is missing; known are {CLIENT_TYPES}")));
            }
            Some(other) => return Err(FrameError::field(format!("`type` must be a string, got {}", a_kind(other)))),
        };
        let read: fn(Fields) -> Result<ClientFrame, FrameError> = match kind {
            "login" => |data| Ok(ClientFrame::Login(Box::new(read_login(data)?))),
            "command" => |data| Ok(ClientFrame::Command(read_command(data)?)),
            "subscribe" => |data| Ok(ClientFrame::Subscribe(read_subscribe(data)?)),
            "char_input" => |data| Ok(ClientFrame::CharInput(read_char_input(data)?)),
            unknown => {
                return Err(FrameError::new(
                    ErrorCode::UnknownType,
                    format!("unknown message type `{}`; known are {CLIENT_TYPES}", quote(unknown)),
                ));
            }
        };
        match message.remove("data") {
            None | Some(Value::Null) => read(Fields(Map::new())),
            Some(Value::Object(data)) => read(Fields(data)),
            Some(other) => Err(FrameError::field(format!("`data` must be an object, got {}", a_kind(&other)))),
        }
    }

    /// The canonical text of the frame.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        append_json(&mut out, self);
        out
    }
}

const CLIENT_TYPES: &str = "login, command, subscribe, char_input";

fn read_login(mut data: Fields) -> Result<Login, FrameError> {
    let agent_mode = data.text("mode")?.is_some_and(|mode| mode.eq_ignore_ascii_case("agent"));
    let login = Login {
        player_name: data.text("player_name")?,
        password: data.text("password")?.map(Secret),
        api_key: data.filled_text("api_key")?.map(Secret),
        token: data.filled_text("token")?.map(Secret),
        is_agent: data.flag("is_agent")?.unwrap_or(false) || agent_mode,
        new_char: data.flag("new_char")?.unwrap_or(false),
        class: data.numbered("class", CLASSES)?,
        race: data.numbered("race", RACES)?,
        sex: match data.0.remove("sex") {
            None | Some(Value::Null) => None,
            Some(Value::String(word)) if word.trim().is_empty() => None,
            Some(Value::String(word)) => Some(Sex::named(&word).ok_or_else(|| {
                FrameError::field(format!("`data.sex` must be `male` or `female`, got `{}`", quote(&word)))
            })?),
            Some(other) => {
                return Err(FrameError::field(format!(
                    "`data.sex` must be the word `male` or `female`, got {}",
                    a_kind(&other)
                )));
            }
        },
        hometown: data.filled_text("hometown")?,
        harness: data.filled_text("harness")?,
        model: data.filled_text("model")?,
        version: data.filled_text("version")?,
        tier: match data.filled_text("tier")? {
            Some(tier) => Some(tier),
            None => data.filled_text("context_budget")?,
        },
        valence: data.flag("valence")?,
        features: data.texts("features")?,
    };
    if login.player_name.is_none() && login.token.is_none() && login.api_key.is_none() {
        return Err(FrameError::field("`data.player_name` is missing: the name of the character".to_owned()));
    }
    Ok(login)
}

fn read_command(mut data: Fields) -> Result<Command, FrameError> {
    let command = match data.0.remove("command") {
        Some(Value::String(command)) => command,
        None | Some(Value::Null) => {
            return Err(FrameError::field("`data.command` is missing: the verb, such as \"look\"".to_owned()));
        }
        Some(other) => {
            return Err(FrameError::field(format!("`data.command` must be a string, got {}", a_kind(&other))));
        }
    };
    let meta = data.0.remove("meta").filter(|meta| !meta.is_null());
    Ok(Command { command, args: data.texts("args")?, meta })
}

fn read_subscribe(mut data: Fields) -> Result<Subscribe, FrameError> {
    let full = data.flag("full")?.unwrap_or(false);
    if !full && matches!(data.0.get("variables"), None | Some(Value::Null)) {
        return Err(FrameError::field(
            "`data.variables` is missing: a list of names, such as [\"HEALTH\"]; or send \"full\": true".to_owned(),
        ));
    }
    Ok(Subscribe { variables: data.texts("variables")?, full })
}

fn read_char_input(mut data: Fields) -> Result<CharInput, FrameError> {
    // Nothing is an answer too, as the empty line is: the question is put again.
    Ok(CharInput { choice: data.text("choice")?.unwrap_or_default() })
}

/// The members of `data`, taken out one by one with the tolerances of the protocol. `null` counts as absent.
struct Fields(Map<String, Value>);

impl Fields {
    /// A string; a number counts as its digits.
    fn text(&mut self, name: &str) -> Result<Option<String>, FrameError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(FrameError::field(format!("`data.{name}` must be a string, got {}", a_kind(&other)))),
        }
    }

    /// Like `text`; the empty string counts as absent.
    fn filled_text(&mut self, name: &str) -> Result<Option<String>, FrameError> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()))
    }

    /// A bool; 0, 1 and the words `true`, `false`, `yes`, `no` count as such, the empty string as absent.
    fn flag(&mut self, name: &str) -> Result<Option<bool>, FrameError> {
        let value = self.0.remove(name).unwrap_or_default();
        let word = match &value {
            Value::Null => return Ok(None),
            Value::Bool(flag) => return Ok(Some(*flag)),
            Value::Number(number) => number.to_string(),
            Value::String(word) => word.trim().to_ascii_lowercase(),
            _ => String::from("?"),
        };
        match word.as_str() {
            "" => Ok(None),
            "true" | "1" | "yes" => Ok(Some(true)),
            "false" | "0" | "no" => Ok(Some(false)),
            _ => Err(FrameError::field(format!("`data.{name}` must be true or false, got {}", a_kind(&value)))),
        }
    }

    /// The number of a class or race, given as number, digits or name.
    fn numbered(&mut self, name: &str, table: &[(u8, &'static str)]) -> Result<Option<u8>, FrameError> {
        let value = self.0.remove(name).unwrap_or_default();
        let found = match &value {
            Value::Null => return Ok(None),
            Value::String(word) if word.trim().is_empty() => return Ok(None),
            Value::String(word) => number_of(table, word),
            // Some languages know only floating point, so 3.0 is a 3.
            Value::Number(number) => table.iter().map(|(n, _)| *n).find(|n| number.as_f64() == Some(f64::from(*n))),
            _ => None,
        };
        if let Some(number) = found {
            debug_assert!(name_of(table, number).is_some(), "{name} {number} is not in its table");
            return Ok(Some(number));
        }
        let known = table.iter().map(|(n, word)| format!("{n} {word}")).collect::<Vec<_>>().join(", ");
        let got = match &value {
            Value::String(word) => format!("`{}`", quote(word)),
            Value::Number(number) => format!("`{number}`"),
            other => a_kind(other).to_owned(),
        };
        Err(FrameError::field(format!("`data.{name}` must be one of {known}; got {got}")))
    }

    /// A list of strings or numbers; a single one counts as a list of one, the empty string as an empty list.
    fn texts(&mut self, name: &str) -> Result<Vec<String>, FrameError> {
        let items = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::String(text)) if text.is_empty() => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(single @ (Value::String(_) | Value::Number(_))) => vec![single],
            Some(other) => {
                return Err(FrameError::field(format!(
                    "`data.{name}` must be a list of strings, got {}",
                    a_kind(&other)
                )));
            }
        };
        let text = |(index, item)| match item {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(FrameError::field(format!("`data.{name}[{index}]` must be a string, got {}", a_kind(&other)))),
        };
        items.into_iter().enumerate().map(text).collect()
    }
}

fn object(text: &str) -> Result<Map<String, Value>, FrameError> {
    // Some Windows tools put a byte order mark before the first brace.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(text) {
        Ok(Value::Object(message)) => Ok(message),
        Ok(other) => Err(FrameError::new(
            ErrorCode::BadJson,
            format!("a message must be a JSON object such as {{\"type\": …, \"data\": {{…}}}}, got {}", a_kind(&other)),
        )),
        Err(error) => Err(FrameError::new(ErrorCode::BadJson, format!("not JSON: {error}"))),
    }
}

fn a_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A client's word inside our sentence: short, and without control characters.
fn quote(word: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = clean_text(word).chars().take(SHOWN).collect();
    if word.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// The types of frames that the server sends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    State,
    Event,
    Text,
    Vars,
    Error,
    CharCreate,
    TokenRefresh,
    MemoryBootstrap,
    MemorySummary,
    Mind,
}

impl FrameKind {
    pub const ALL: &'static [FrameKind] = &[
        FrameKind::State,
        FrameKind::Event,
        FrameKind::Text,
        FrameKind::Vars,
        FrameKind::Error,
        FrameKind::CharCreate,
        FrameKind::TokenRefresh,
        FrameKind::MemoryBootstrap,
        FrameKind::MemorySummary,
        FrameKind::Mind,
    ];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            FrameKind::State => "state",
            FrameKind::Event => "event",
            FrameKind::Text => "text",
            FrameKind::Vars => "vars",
            FrameKind::Error => "error",
            FrameKind::CharCreate => "char_create",
            FrameKind::TokenRefresh => "token_refresh",
            FrameKind::MemoryBootstrap => "memory_bootstrap",
            FrameKind::MemorySummary => "memory_summary",
            FrameKind::Mind => "mind",
        }
    }
}

/// What the server sends, without the reader's `seq`.
#[derive(Clone, PartialEq, Debug)]
pub enum ServerFrame {
    State(Box<State>),
    Event(Event),
    Text(Text),
    Vars(Vars),
    Error(ErrorBody),
    CharCreate(CharCreate),
    TokenRefresh(TokenRefresh),
    MemoryBootstrap(MemoryBootstrap),
    MemorySummary(MemorySummary),
    Mind(Mind),
}

impl ServerFrame {
    pub fn error(code: ErrorCode, message: impl Into<String>) -> ServerFrame {
        ServerFrame::Error(ErrorBody { message: message.into(), code })
    }

    pub const fn kind(&self) -> FrameKind {
        match self {
            ServerFrame::State(_) => FrameKind::State,
            ServerFrame::Event(_) => FrameKind::Event,
            ServerFrame::Text(_) => FrameKind::Text,
            ServerFrame::Vars(_) => FrameKind::Vars,
            ServerFrame::Error(_) => FrameKind::Error,
            ServerFrame::CharCreate(_) => FrameKind::CharCreate,
            ServerFrame::TokenRefresh(_) => FrameKind::TokenRefresh,
            ServerFrame::MemoryBootstrap(_) => FrameKind::MemoryBootstrap,
            ServerFrame::MemorySummary(_) => FrameKind::MemorySummary,
            ServerFrame::Mind(_) => FrameKind::Mind,
        }
    }

    /// Appends the JSON of `data`.
    pub fn append_data(&self, out: &mut String) {
        match self {
            ServerFrame::State(data) => append_json(out, data),
            ServerFrame::Event(data) => append_json(out, data),
            ServerFrame::Text(data) => append_json(out, data),
            ServerFrame::Vars(data) => append_json(out, data),
            ServerFrame::Error(data) => append_json(out, data),
            ServerFrame::CharCreate(data) => append_json(out, data),
            ServerFrame::TokenRefresh(data) => append_json(out, data),
            ServerFrame::MemoryBootstrap(data) => append_json(out, data),
            ServerFrame::MemorySummary(data) => append_json(out, data),
            ServerFrame::Mind(data) => append_json(out, data),
        }
    }
}

/// A payload that is already JSON, to be shared by all its readers; only `seq` differs between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoded {
    pub kind: FrameKind,
    /// One JSON object. The field is public so that what others encoded can be carried; see `write_frame`.
    pub data: Arc<str>,
}

impl Encoded {
    pub fn new(frame: &ServerFrame) -> Encoded {
        let mut data = String::new();
        frame.append_data(&mut data);
        Encoded { kind: frame.kind(), data: data.into() }
    }

    /// An `event`, without building the frame first.
    pub fn event(kind: EventKind, from: Option<&str>, text: &str) -> Encoded {
        let mut data = String::with_capacity(text.len() + 48);
        append_event(&mut data, kind, from, text);
        Encoded { kind: FrameKind::Event, data: data.into() }
    }

    /// Appends the whole frame for one reader.
    pub fn write(&self, out: &mut String, seq: Option<u64>) {
        write_frame(out, self.kind, seq, &self.data);
    }
}

impl From<&ServerFrame> for Encoded {
    fn from(frame: &ServerFrame) -> Encoded {
        Encoded::new(frame)
    }
}

/// Appends `{"type":"event","seq":7,"data":{…}}`. `seq` is for agents; `None` leaves the key out.
/// `data` is one JSON object, already encoded; it is spliced in as it is.
pub fn write_frame(out: &mut String, kind: FrameKind, seq: Option<u64>, data: &str) {
    debug_assert!(data.starts_with('{') && data.ends_with('}'), "the data of a frame is an object: {data}");
    out.reserve(data.len() + 56);
    out.push_str("{\"type\":\"");
    out.push_str(kind.name());
    out.push('"');
    if let Some(seq) = seq {
        out.push_str(",\"seq\":");
        push_number(out, seq);
    }
    if kind == FrameKind::MemorySummary && data.len() > 2 {
        // Clients of one generation read the summary at the top level, those of the other in `data`.
        out.push(',');
        out.push_str(&data[1..data.len() - 1]);
    }
    out.push_str(",\"data\":");
    out.push_str(data);
    out.push('}');
}

fn push_number(out: &mut String, number: u64) {
    use std::fmt::Write as _;
    write!(out, "{number}").expect("a String takes all");
}

/// A frame of the server as one reader gets it. Clients use `parse`; the server writes with `Encoded`.
#[derive(Clone, PartialEq, Debug)]
pub struct ServerMessage {
    /// From 1 on each connection, without gaps; agents only.
    pub seq: Option<u64>,
    pub frame: ServerFrame,
}

impl ServerMessage {
    /// Reads one text frame as a client does: unknown fields are ignored. Errors: `bad_json`, `unknown_type` (skip the
    /// frame: wire changes add), `bad_field`.
    pub fn parse(text: &str) -> Result<ServerMessage, FrameError> {
        let mut message = object(text)?;
        let Some(Value::String(kind)) = message.remove("type") else {
            return Err(FrameError::field("`type` must be a string".to_owned()));
        };
        let Some(kind) = FrameKind::ALL.iter().copied().find(|known| known.name() == kind) else {
            return Err(FrameError::new(ErrorCode::UnknownType, format!("unknown message type `{}`", quote(&kind))));
        };
        let seq = match message.remove("seq") {
            None | Some(Value::Null) => None,
            Some(seq) => {
                Some(seq.as_u64().ok_or_else(|| FrameError::field("`seq` must be a whole number".to_owned()))?)
            }
        };
        let data = match message.remove("data") {
            None | Some(Value::Null) if kind == FrameKind::MemorySummary => Value::Object(message),
            None => Value::Object(Map::new()),
            Some(data) => data,
        };
        fn read<T: serde::de::DeserializeOwned>(kind: FrameKind, data: Value) -> Result<T, FrameError> {
            serde_json::from_value(data)
                .map_err(|error| FrameError::field(format!("`data` of `{}`: {error}", kind.name())))
        }
        let frame = match kind {
            FrameKind::State => ServerFrame::State(read(kind, data)?),
            FrameKind::Event => ServerFrame::Event(read(kind, data)?),
            FrameKind::Text => ServerFrame::Text(read(kind, data)?),
            FrameKind::Vars => ServerFrame::Vars(read(kind, data)?),
            FrameKind::Error => ServerFrame::Error(read(kind, data)?),
            FrameKind::CharCreate => ServerFrame::CharCreate(read(kind, data)?),
            FrameKind::TokenRefresh => ServerFrame::TokenRefresh(read(kind, data)?),
            FrameKind::MemoryBootstrap => ServerFrame::MemoryBootstrap(read(kind, data)?),
            FrameKind::MemorySummary => ServerFrame::MemorySummary(read(kind, data)?),
            FrameKind::Mind => ServerFrame::Mind(read(kind, data)?),
        };
        Ok(ServerMessage { seq, frame })
    }

    pub fn encode(&self) -> String {
        let mut out = String::new();
        let mut data = String::new();
        self.frame.append_data(&mut data);
        write_frame(&mut out, self.frame.kind(), self.seq, &data);
        out
    }
}
