//! Reading what a model answered: five forms, tried in order, into lines that a person would type.
//!
//! Pure: text in, lines or an exact complaint out. It never panics, whatever comes in.

mod find;
#[cfg(test)]
mod tests;

pub use find::after_thought;

use mind::action::{self, ActionError, Offer, Order};
use mind::thought::Layer;
use protocol::names::clean_text;
use serde_json::Value;

/// Bytes of an answer that are looked at; a sensible one has a few hundred.
pub const ANSWER_BYTES_MAX: usize = 32 * 1024;
/// Levels of nesting in an answer; a sensible one has four.
pub const DEPTH_MAX: usize = 16;
/// Characters of a commentary that are kept, and of a line of speech after a bare command.
const COMMENTARY_CHARS_MAX: usize = 300;
const SPEECH_CHARS_MAX: usize = 300;
/// Characters of a thought; a log takes twice as many.
const THOUGHT_CHARS_MAX: usize = 300;
/// Characters of the word for a proposal.
const CHOICE_CHARS_MAX: usize = 16;

/// What came back from an endpoint.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RawReply {
    /// The text of the message; may be cut off.
    pub content: String,
    pub tool_calls: Vec<ToolCall>,
    /// The request asked for the strict schema.
    pub asked_schema: bool,
    /// The prompt asked for TOON.
    pub asked_toon: bool,
    /// It ended because it grew too long, at the endpoint (`finish_reason: length`) or while it was read.
    pub cut: bool,
    /// The model also thought, beside its answer.
    pub thought: bool,
    /// Why it would not answer.
    pub declined: Option<String>,
    /// What the world at hand has beside the verbs, as the prompt had it.
    pub offer: Offer,
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
    /// What the agent's own body shall do then.
    pub order: Option<Order>,
    /// The model's remark on why. One line, clean, capped.
    pub commentary: Option<String>,
    /// A goal that is to be split, without a word on into what: the model is asked for that (`read_parts`).
    pub split: Option<String>,
    /// Whose of several proposals it chooses, as it was written.
    pub choose: Option<String>,
    /// What either layer of a persona thought.
    pub thoughts: Thoughts,
    /// It asks for its context to be compacted.
    pub compact: bool,
    /// What was left out and why, one sentence each: for the log and the next prompt's warnings.
    pub dropped: Vec<String>,
}

/// What the AI that plays thought, and the character that is played: clean lines, capped, never empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thoughts {
    pub ai: Option<String>,
    pub character: Option<String>,
}

impl Thoughts {
    fn read(value: &Value) -> Thoughts {
        let of = |layer: Layer| {
            let text = capped(value.get("thoughts")?.get(layer.word())?.as_str()?, THOUGHT_CHARS_MAX);
            Some(text).filter(|text| !text.is_empty())
        };
        Thoughts { ai: of(Layer::Ai), character: of(Layer::Character) }
    }

    /// The other's where it has none of its own.
    pub fn or(self, other: Thoughts) -> Thoughts {
        Thoughts { ai: self.ai.or(other.ai), character: self.character.or(other.character) }
    }

    pub fn of(&self, layer: Layer) -> Option<&str> {
        match layer {
            Layer::Ai => self.ai.as_deref(),
            Layer::Character => self.character.as_deref(),
        }
    }
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
    #[error("You thought, and did not come to an answer: think less.")]
    OnlyThought,
    #[error("You declined to answer ({0}). It is a game; an answer that does nothing has an empty list of actions.")]
    Declined(String),
    #[error("Your answer holds no JSON object.")]
    NoJson,
    #[error("Your answer holds no TOON: it begins with `actions[1]{{type,command,args}}:` or `commentary:`.")]
    NoToon,
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

/// Reads an answer: as the strict schema, as a tool call, as a JSON object, as the first JSON of the text, as TOON.
/// Where TOON was asked for, it is looked for before JSON in a text, since a row may hold braces.
///
/// What is complained of is the form that the answer came nearest to.
pub fn read(raw: &RawReply) -> Result<(Answer, AnswerPath), AnswerError> {
    if !raw.tool_calls.is_empty() {
        return Ok((of_tools(raw)?, AnswerPath::ToolCall));
    }
    let (text, cut) = find::head(&raw.content, ANSWER_BYTES_MAX);
    let cut = cut || raw.cut;
    let text = text.trim().trim_start_matches('\u{feff}');
    let Some(text) = find::after_thought(text) else { return Err(AnswerError::OnlyThought) };
    if text.is_empty() {
        return Err(match &raw.declined {
            Some(why) => AnswerError::Declined(short(why)),
            None if raw.thought => AnswerError::OnlyThought,
            None if cut => AnswerError::CutOff,
            None => AnswerError::Empty,
        });
    }
    let unfenced = find::unfenced(text);
    if unfenced.starts_with('{') || unfenced.starts_with('[') {
        check_depth(unfenced)?;
        if let Ok(value) = serde_json::from_str::<Value>(unfenced) {
            let path = if raw.asked_schema { AnswerPath::Schema } else { AnswerPath::JsonObject };
            return Ok((of_value(&value, "", None, &raw.offer)?, path));
        }
    }
    if raw.asked_toon
        && let Some(toon) = find::toon(text)
        && let Ok(value) = of_toon(&toon, cut)
    {
        return Ok((of_value(&value, "", None, &raw.offer)?, AnswerPath::Toon));
    }
    if let Some(found) = find::first_object(text) {
        let (found, after) = found?;
        return Ok((of_value(&found.value, found.before, Some(after), &raw.offer)?, AnswerPath::FirstLine));
    }
    if let Some(toon) = find::toon(text) {
        return Ok((of_value(&of_toon(&toon, cut)?, "", None, &raw.offer)?, AnswerPath::Toon));
    }
    if cut {
        return Err(AnswerError::CutOff);
    }
    match text.find('{') {
        Some(start) => {
            check_depth(&text[start..])?;
            let error = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>().next();
            let why = error.and_then(Result::err).map_or("it is no object".to_string(), |error| error.to_string());
            Err(AnswerError::BadJson(short(&why)))
        }
        None if raw.asked_toon => Err(AnswerError::NoToon),
        None => Err(AnswerError::NoJson),
    }
}

/// Unlike JSON, TOON that was cut off in its last row can be read: as another answer than was meant.
fn of_toon(toon: &str, cut: bool) -> Result<Value, AnswerError> {
    if cut {
        return Err(AnswerError::CutOff);
    }
    toon_format::decode_strict(toon).map_err(|error| AnswerError::BadToon(short(&error.to_string())))
}

fn check_depth(text: &str) -> Result<(), AnswerError> {
    if find::depth(text) > DEPTH_MAX { Err(AnswerError::TooDeep(DEPTH_MAX)) } else { Ok(()) }
}

/// Clean, one line, capped: a piece of another's text that stands in a sentence of ours.
fn short(text: &str) -> String {
    let clean = clean_text(text);
    let mut words = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(160) {
        words.truncate(end);
        words.push('…');
    }
    words.trim_end_matches('.').to_string()
}

fn of_tools(raw: &RawReply) -> Result<Answer, AnswerError> {
    let mut actions = Vec::new();
    let mut commentary = raw.content.trim().to_string();
    let (mut choose, mut thoughts) = (None, Thoughts::default());
    // A model may call `act` several times; the limits of a decision hold for all together.
    for call in raw.tool_calls.iter().take(action::FREE_MAX) {
        match call.name.as_str() {
            "compact" => actions.push(Value::String("compact".into())),
            "act" => {
                let (text, cut) = find::head(&call.arguments, ANSWER_BYTES_MAX);
                check_depth(text)?;
                let value: Value = match serde_json::from_str(text.trim()) {
                    Ok(value) => value,
                    Err(_) if cut || raw.cut => return Err(AnswerError::CutOff),
                    Err(error) => return Err(AnswerError::BadJson(short(&error.to_string()))),
                };
                let (more, said) = parts(&value)?;
                choose = chosen(&value).or(choose);
                thoughts = Thoughts::read(&value).or(thoughts);
                actions.extend(more);
                if let Some(said) = said {
                    commentary = said;
                }
            }
            // A model that calls an action, or the router of the documents, by name.
            other if other == "hud" || action::row(&other.to_ascii_lowercase()).is_some() => {
                let (text, cut) = find::head(&call.arguments, ANSWER_BYTES_MAX);
                check_depth(text)?;
                let args: Value = match serde_json::from_str(if text.trim().is_empty() { "{}" } else { text.trim() }) {
                    Ok(args) => args,
                    Err(_) if cut || raw.cut => return Err(AnswerError::CutOff),
                    Err(error) => return Err(AnswerError::BadJson(short(&error.to_string()))),
                };
                actions.push(match (other, args) {
                    ("hud", args @ Value::Object(_)) if args.get("tool").is_some() => args,
                    (name, args) => serde_json::json!({"tool": name, "args": args}),
                });
            }
            other => return Err(AnswerError::UnknownTool(short(other))),
        }
    }
    Ok(Answer { choose, thoughts, ..finish(&actions, &commentary, None, &raw.offer)? })
}

/// A word for one of several proposals. What it is worth, whoever asked for it decides.
fn chosen(value: &Value) -> Option<String> {
    let word = value.get("choose")?.as_str()?;
    Some(capped(word, CHOICE_CHARS_MAX)).filter(|word| !word.is_empty())
}

/// The actions of an answer's JSON, with what `responses` says as talk before them, and its commentary.
fn parts(value: &Value) -> Result<(Vec<Value>, Option<String>), AnswerError> {
    let members = match value {
        Value::Array(actions) => return Ok((actions.clone(), None)),
        Value::Object(members) => members,
        _ => return Err(AnswerError::NoJson),
    };
    let get = |name: &str| members.get(name).filter(|value| !value.is_null());
    let commentary =
        ["commentary", "thought", "reasoning"].iter().find_map(|name| get(name)?.as_str()).map(str::to_string);
    let list = |name: &'static str| match get(name) {
        None => Ok(None),
        Some(Value::Array(list)) => Ok(Some(list.clone())),
        // One action that is not in a list.
        Some(one @ Value::Object(_)) => Ok(Some(vec![one.clone()])),
        Some(_) => Err(ActionError(format!("`{name}` is a list of objects."))),
    };
    let (responses, actions) = (list("responses")?, list("actions")?);
    if responses.is_none() && actions.is_none() {
        if ["type", "command", "action", "tool"].iter().any(|name| members.contains_key(*name)) {
            return Ok((vec![value.clone()], commentary));
        }
        if members.contains_key("choose") {
            // Who chooses between others' proposals need do nothing itself.
            return Ok((Vec::new(), commentary));
        }
        return Err(ActionError("Your object has no `actions`.".into()).into());
    }
    let said = responses.unwrap_or_default().into_iter().filter_map(|mut response| {
        let text = ["message", "content", "text"].iter().find_map(|name| response.get(name)?.as_str());
        // The documents' mark for silence.
        let is_mark = |text: &str| text.trim().eq_ignore_ascii_case("[no response]");
        if text.is_some_and(is_mark)
            && ["room_id", "channel_id", "channel"].iter().all(|name| response.get(name).is_none())
        {
            return None;
        }
        if let Some(members) = response.as_object_mut() {
            members.entry("type").or_insert_with(|| Value::String("send_message".into()));
        } else if let Some(text) = response.as_str() {
            return Some(serde_json::json!({"type": "say", "text": text}));
        }
        Some(response)
    });
    Ok((said.chain(actions.unwrap_or_default()).collect(), commentary))
}

/// `after` is what follows a bare command: a line of speech, then commentary.
fn of_value(value: &Value, before: &str, after: Option<&str>, offer: &Offer) -> Result<Answer, AnswerError> {
    let (actions, commentary) = parts(value)?;
    let bare = value.get("command").is_some();
    let (speech, rest) = match after {
        Some(after) if bare => find::speech(after),
        Some(after) => (None, after),
        None => (None, ""),
    };
    let commentary = commentary.unwrap_or_else(|| format!("{before} {rest}"));
    Ok(Answer {
        choose: chosen(value),
        thoughts: Thoughts::read(value),
        ..finish(&actions, &commentary, speech, offer)?
    })
}

/// What a goal is split into, of an answer to that question, as the line that does it.
pub fn read_parts(goal: &str, raw: &RawReply) -> Result<String, AnswerError> {
    let called = raw.tool_calls.first().map(|call| call.arguments.as_str());
    let (text, cut) = find::head(called.unwrap_or(&raw.content), ANSWER_BYTES_MAX);
    let text = find::after_thought(text.trim().trim_start_matches('\u{feff}')).ok_or(AnswerError::OnlyThought)?;
    let found = match find::object_with(text, &["into"]) {
        Some(found) => found?.0.value,
        None if text.is_empty() => return Err(AnswerError::Empty),
        None if cut || raw.cut => return Err(AnswerError::CutOff),
        None => return Err(AnswerError::NoJson),
    };
    let split = serde_json::json!({"type": "split", "id": goal, "into": found["into"]});
    Ok(action::decode(&split, &raw.offer).and_then(|action| action::line_of(&action))?)
}

fn finish(actions: &[Value], commentary: &str, speech: Option<&str>, offer: &Offer) -> Result<Answer, AnswerError> {
    let mut decided = action::decide(actions, offer)?;
    if let Some(speech) = speech {
        let spoken = serde_json::json!({"type": "say", "text": capped(speech, SPEECH_CHARS_MAX)});
        let line = action::decode(&spoken, offer).and_then(|action| action::line_of(&action))?;
        if decided.speech.len() < action::FREE_MAX && !decided.speech.contains(&line) {
            decided.speech.push(line);
        }
    }
    let commentary = capped(commentary, COMMENTARY_CHARS_MAX);
    Ok(Answer {
        speech: decided.speech,
        actions: decided.actions,
        order: decided.order,
        commentary: (!commentary.is_empty()).then_some(commentary),
        split: decided.split,
        choose: None,
        thoughts: Thoughts::default(),
        compact: decided.compact,
        dropped: decided.dropped,
    })
}

/// One clean line of at most so many characters, without the marks of a code fence.
fn capped(text: &str, chars_max: usize) -> String {
    let clean = clean_text(text);
    let line = clean.split_whitespace().filter(|word| !word.starts_with("```")).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars_max) {
        Some((end, _)) => line[..end].trim_end().to_string(),
        None => line,
    }
}
