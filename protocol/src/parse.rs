//! How frames are read, a client's by the server and the server's by a client: tolerant where the meaning is plain,
//! strict where it would be lost.
//!
//! Tolerated of clients: unknown fields, repeated keys (the last counts), `null` for absent, either login dialect,
//! numbers as strings and strings as numbers, classes and races by name, `args` missing or a single string, `command`
//! with spaces. Whatever is refused is named, with what to do.
//!
//! Invariant: no text makes `parse` panic, and none costs more than its length: the frame limit is the bound.

use serde_json::{Map, Value};

use crate::code::ErrorCode;
use crate::creation::{CLASSES, RACES, Sex, number_of};
use crate::frame::{
    CharInput, Claim, ClientFrame, Command, FrameError, FrameKind, HostLogin, INSTANCE_CHARS, Login, Resume, Secret,
    ServerFrame, ServerMessage, Subscribe,
};
use crate::names::clean_text;

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
            "host" => |data| Ok(ClientFrame::Host(read_host(data)?)),
            "claim" => |data| Ok(ClientFrame::Claim(read_claim(data)?)),
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
            FrameKind::Agent => ServerFrame::Agent(read(kind, data)?),
            FrameKind::Channels => ServerFrame::Channels(read(kind, data)?),
            FrameKind::Message => ServerFrame::Message(read(kind, data)?),
            FrameKind::Reaction => ServerFrame::Reaction(read(kind, data)?),
            FrameKind::Agents => ServerFrame::Agents(read(kind, data)?),
            FrameKind::Claimed => ServerFrame::Claimed(read(kind, data)?),
            FrameKind::Resumed => ServerFrame::Resumed(read(kind, data)?),
        };
        Ok(ServerMessage { seq, frame })
    }
}

const CLIENT_TYPES: &str = "login, command, subscribe, char_input, host, claim";

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
        takeover: data.flag("takeover")?,
        features: data.texts("features")?,
        resume: read_resume(&mut data)?,
    };
    if login.player_name.is_none() && login.token.is_none() && login.api_key.is_none() {
        return Err(FrameError::field("`data.player_name` is missing: the name of the character".to_owned()));
    }
    Ok(login)
}

fn read_resume(data: &mut Fields) -> Result<Option<Resume>, FrameError> {
    let mut resume = match data.0.remove("resume") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(resume)) => Fields(resume),
        Some(other) => {
            let hint = format!("`data.resume` must be an object of `stream` and `seq`, got {}", a_kind(&other));
            return Err(FrameError::field(hint));
        }
    };
    let seq = resume.text("seq")?.and_then(|seq| seq.parse().ok());
    match (resume.text("stream")?, seq) {
        (Some(stream), Some(seq)) => Ok(Some(Resume { stream, seq })),
        _ => Err(FrameError::field(
            "`data.resume` needs the `stream` of `state` and the `seq` of the last frame that you have".to_owned(),
        )),
    }
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
    // Clients that knew nothing of ids may have sent whatever they liked under this name.
    let id = data.0.remove("id").and_then(|id| id.as_u64());
    Ok(Command { command, args: data.texts("args")?, id, meta })
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

fn read_host(mut data: Fields) -> Result<HostLogin, FrameError> {
    let key = data.text("key")?.map(Secret);
    let key = key.ok_or_else(|| FrameError::field("`data.key` is missing: the key of the host (`dh_…`)".to_owned()))?;
    let instance = data.filled_text("instance")?;
    if instance.as_ref().is_some_and(|instance| instance.chars().count() > INSTANCE_CHARS) {
        return Err(FrameError::field(format!("`data.instance` may have {INSTANCE_CHARS} characters")));
    }
    Ok(HostLogin { key, instance })
}

fn read_claim(mut data: Fields) -> Result<Claim, FrameError> {
    let id = data.text("id")?.and_then(|id| id.trim().parse().ok());
    let id = id.ok_or_else(|| FrameError::field("`data.id` must be the id of an agent, such as 105".to_owned()))?;
    Ok(Claim { id })
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
        if found.is_some() {
            return Ok(found);
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

/// Any text as one JSON object.
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

#[cfg(test)]
mod tests;
