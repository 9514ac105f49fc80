//! The frames: what a client sends (`ClientFrame`), what the server sends (`ServerFrame`), and the fast way to write
//! the latter when one payload goes to many readers (`Encoded`, `write_frame`).
//!
//! How frames are read, with all tolerances, is in `parse`; the payloads are in `payload`. What a
//! frame does is the session's business, and so are size and rate limits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::channel;
use crate::code::ErrorCode;
use crate::creation::Sex;
use crate::host;
use crate::names::clean_text;
use crate::payload::{
    CharCreate, ErrorBody, Event, EventKind, MemoryBootstrap, MemorySummary, Mind, Resumed, State, Text, TokenRefresh,
    Vars, append_event, append_json,
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
    Host(HostLogin),
    Claim(Claim),
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
    /// False does not log in while another connection plays the character; absent or true takes it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takeover: Option<bool>,
    /// What the client understands beyond the published frames: `mind`. Unknown words are ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// A stream of frames that goes on here, beside the `token` that came with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
}

/// Where a client stopped reading.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Resume {
    /// From `state`.
    pub stream: String,
    /// Of the last frame that it has.
    pub seq: u64,
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
    /// A number of the client's own by which it is told what follows from this command; see [`crate::cause::Cause`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
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

/// Characters of `HostLogin::instance`, at most.
pub const INSTANCE_CHARS: usize = 64;

/// `host`: a program logs in that plays all agents of an owner.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HostLogin {
    /// `dh_` and 64 hex digits.
    pub key: Secret,
    /// What the host calls itself: the same at each of its connections, another one for each process. By it a host
    /// whose connection broke has again what it held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
}

/// `claim`: a host wants to play an agent that nobody plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Claim {
    pub id: u32,
}

/// For serde: a false flag is left out.
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

    pub(crate) fn field(message: String) -> FrameError {
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
        ServerFrame::Error(ErrorBody { message: error.message, code: error.code, retry_after_ms: None })
    }
}

impl ClientFrame {
    /// The canonical text of the frame.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        append_json(&mut out, self);
        out
    }
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
    Agent,
    Channels,
    Message,
    Reaction,
    Agents,
    Claimed,
    Resumed,
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
        FrameKind::Agent,
        FrameKind::Channels,
        FrameKind::Message,
        FrameKind::Reaction,
        FrameKind::Agents,
        FrameKind::Claimed,
        FrameKind::Resumed,
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
            FrameKind::Agent => "agent",
            FrameKind::Channels => "channels",
            FrameKind::Message => "message",
            FrameKind::Reaction => "reaction",
            FrameKind::Agents => "agents",
            FrameKind::Claimed => "claimed",
            FrameKind::Resumed => "resumed",
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
    Agent(Box<channel::Agent>),
    Channels(channel::Channels),
    Message(Box<channel::Message>),
    Reaction(channel::Reacted),
    Agents(host::Agents),
    Claimed(host::Claimed),
    Resumed(Resumed),
}

impl ServerFrame {
    pub fn error(code: ErrorCode, message: impl Into<String>) -> ServerFrame {
        ServerFrame::Error(ErrorBody { message: message.into(), code, retry_after_ms: None })
    }

    /// Not now, but the client shall try the same again after so many milliseconds.
    pub fn not_yet(code: ErrorCode, message: impl Into<String>, retry_after_ms: u64) -> ServerFrame {
        ServerFrame::Error(ErrorBody { message: message.into(), code, retry_after_ms: Some(retry_after_ms) })
    }

    /// The server starts anew; the client shall come again after so many milliseconds.
    pub fn restarting(message: impl Into<String>, retry_after_ms: u64) -> ServerFrame {
        ServerFrame::not_yet(ErrorCode::Restarting, message, retry_after_ms)
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
            ServerFrame::Agent(_) => FrameKind::Agent,
            ServerFrame::Channels(_) => FrameKind::Channels,
            ServerFrame::Message(_) => FrameKind::Message,
            ServerFrame::Reaction(_) => FrameKind::Reaction,
            ServerFrame::Agents(_) => FrameKind::Agents,
            ServerFrame::Claimed(_) => FrameKind::Claimed,
            ServerFrame::Resumed(_) => FrameKind::Resumed,
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
            ServerFrame::Agent(data) => append_json(out, data),
            ServerFrame::Channels(data) => append_json(out, data),
            ServerFrame::Message(data) => append_json(out, data),
            ServerFrame::Reaction(data) => append_json(out, data),
            ServerFrame::Agents(data) => append_json(out, data),
            ServerFrame::Claimed(data) => append_json(out, data),
            ServerFrame::Resumed(data) => append_json(out, data),
        }
    }
}

/// A payload that is already JSON, to be shared by all its readers; only `seq` differs between them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
    /// From 1 on each connection, without gaps; for agents, and for who can resume.
    pub seq: Option<u64>,
    pub frame: ServerFrame,
}

impl ServerMessage {
    pub fn encode(&self) -> String {
        let mut out = String::new();
        let mut data = String::new();
        self.frame.append_data(&mut data);
        write_frame(&mut out, self.frame.kind(), self.seq, &data);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(encoded: &Encoded, seq: Option<u64>) -> Value {
        let mut out = String::new();
        encoded.write(&mut out, seq);
        serde_json::from_str(&out).expect("a frame is JSON")
    }

    #[test]
    fn one_payload_serves_readers_with_and_without_a_sequence() {
        let line = Encoded::event(EventKind::Say, Some("Bob"), "Bob says, \"Hi.\"\n");
        let data = json!({"type": "say", "from": "Bob", "text": "Bob says, \"Hi.\"\n"});
        assert_eq!(written(&line, Some(u64::MAX)), json!({"type": "event", "seq": u64::MAX, "data": data}));
        assert_eq!(written(&line, None), json!({"type": "event", "data": data}));
    }

    #[test]
    fn a_memory_summary_stands_at_both_places() {
        let summary = ServerFrame::MemorySummary(MemorySummary { summary: "## Memory\n\"}{\"".into() });
        let text = "## Memory\n\"}{\"";
        assert_eq!(
            written(&Encoded::new(&summary), Some(6)),
            json!({"type": "memory_summary", "seq": 6, "summary": text, "data": {"summary": text}})
        );
        let older = json!({"type": "memory_summary", "summary": text}).to_string();
        assert_eq!(ServerMessage::parse(&older), Ok(ServerMessage { seq: None, frame: summary }));
    }

    #[test]
    fn a_client_is_told_what_it_cannot_read() {
        for (text, code) in [
            ("nonsense", ErrorCode::BadJson),
            (r#"{"seq":1}"#, ErrorCode::BadField),
            (r#"{"type":"of_tomorrow","data":{}}"#, ErrorCode::UnknownType),
            (r#"{"type":"text","seq":"one","data":{"text":""}}"#, ErrorCode::BadField),
            (r#"{"type":"event","data":{"type":"text"}}"#, ErrorCode::BadField),
            (r#"{"type":"vars","data":[1]}"#, ErrorCode::BadField),
        ] {
            assert_eq!(ServerMessage::parse(text).expect_err(text).code, code, "{text}");
        }
    }

    #[test]
    fn an_error_without_a_code_is_still_an_error() {
        let message = ServerMessage::parse(r#"{"type":"error","data":{"message":"Invalid password."}}"#);
        let frame = ServerFrame::error(ErrorCode::Other, "Invalid password.");
        assert_eq!(message, Ok(ServerMessage { seq: None, frame }));
    }

    proptest! {
        #[test]
        fn a_server_frame_reads_back_as_it_was_written(
            seq in proptest::option::of(any::<u64>()),
            text in any::<String>(),
            from in proptest::option::of(any::<String>()),
            kind in proptest::sample::select(crate::payload::EVENT_KINDS),
        ) {
            let (from, spans) = (from.map(Arc::from), Vec::new());
            let event = Event { kind: kind.0, from, text: text.as_str().into(), spans, cause: None };
            for frame in [
                ServerFrame::Event(event),
                ServerFrame::Text(Text { text: text.as_str().into(), spans: Vec::new() }),
                ServerFrame::error(ErrorCode::BadField, text.clone()),
                ServerFrame::MemorySummary(MemorySummary { summary: text.clone() }),
                ServerFrame::Mind(Mind::Event { log_seq: 1, mind: None, event: json!(text) }),
            ] {
                let message = ServerMessage { seq, frame };
                prop_assert_eq!(ServerMessage::parse(&message.encode()), Ok(message));
            }
        }

        #[test]
        fn no_text_makes_a_client_panic(text in any::<String>()) {
            let _ = ServerMessage::parse(&text);
        }
    }
}
