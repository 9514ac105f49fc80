//! What an endpoint sent: a completion as one JSON document, or in pieces as server-sent events. Pure.

use crate::answer::{ANSWER_BYTES_MAX, RawReply, ToolCall};
use crate::ledger::Usage;
use protocol::names::clean_text;
use serde_json::Value;

/// Tool calls that are read; two tools need no more.
const CALLS_MAX: usize = 16;
/// Bytes of one line of a stream.
const LINE_BYTES_MAX: usize = 256 * 1024;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    pub raw: RawReply,
    /// `None` when the endpoint did not say.
    pub usage: Option<Usage>,
    /// The endpoint's name for the answer, clean and capped.
    pub request_id: Option<String>,
    /// The endpoint's name for the model that answered, clean and capped.
    pub model: Option<String>,
}

/// Characters of a name that are kept.
const NAME_CHARS_MAX: usize = 100;

/// A name that the endpoint gives.
fn name_of(value: &Value, field: &str) -> Option<String> {
    let name = clean_text(value.get(field)?.as_str()?).chars().take(NAME_CHARS_MAX).collect::<String>();
    (!name.is_empty()).then_some(name)
}

/// What an error's body says, in whichever of the usual shapes; clean and capped.
pub fn error_message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let message = ["/error/message", "/message", "/detail", "/error"]
        .iter()
        .find_map(|place| value.pointer(place)?.as_str().map(str::to_string));
    let message = message.unwrap_or_else(|| text.into_owned());
    let clean = clean_text(&message);
    let clean = clean.trim();
    if clean.is_empty() { "no reason was given.".into() } else { clean.chars().take(300).collect() }
}

/// Usage in the names of OpenAI, of Anthropic, of DeepSeek, and of proxies that mix them.
pub fn usage_of(value: &Value) -> Option<Usage> {
    let usage = value.get("usage")?.as_object()?;
    let number = |place: &[&str]| -> Option<u64> {
        let mut value = usage.get(place[0])?;
        for name in &place[1..] {
            value = value.get(name)?;
        }
        value.as_u64()
    };
    let first = |places: &[&[&str]]| places.iter().find_map(|place| number(place).filter(|n| *n > 0)).unwrap_or(0);
    let cached = first(&[
        &["prompt_tokens_details", "cached_tokens"],
        &["cache_read_input_tokens"],
        &["prompt_cache_hit_tokens"],
        &["cached_tokens"],
    ]);
    let cache_written = first(&[
        &["cache_creation_input_tokens"],
        &["prompt_tokens_details", "cache_write_tokens"],
        &["prompt_tokens_details", "cache_creation_tokens"],
        &["cache_write_tokens"],
    ]);
    let prompt = match number(&["prompt_tokens"]) {
        Some(prompt) => prompt,
        // Anthropic's own count leaves out what came from the cache or went to it.
        None => number(&["input_tokens"])?.saturating_add(cached).saturating_add(cache_written),
    };
    let completion = first(&[&["completion_tokens"], &["output_tokens"]]);
    Some(Usage { prompt, cached: cached.min(prompt), cache_written: cache_written.min(prompt), completion })
}

/// The text of a message's content: a string, or blocks of text. Blocks of thought hold theirs elsewhere.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// What a message or a piece of one says of itself beside its content. Names differ: DeepSeek, LiteLLM and vLLM;
/// OpenRouter.
fn thought_of(message: &Value) -> &str {
    ["reasoning_content", "reasoning"].iter().find_map(|name| message.get(name)?.as_str()).unwrap_or("")
}

/// Why the model would not answer: its own words, or the name of the filter that stopped it.
fn declined_of(choice: &Value, message: &Value) -> Option<String> {
    let block = |block: &Value| Some(block.get("refusal")?.as_str()?.to_string());
    // LiteLLM moves it to what it calls the provider's own fields.
    let field = |place: &str| message.pointer(place)?.as_str().filter(|text| !text.is_empty()).map(str::to_string);
    let said = field("/refusal").or_else(|| field("/provider_specific_fields/refusal"));
    let said = said.or_else(|| message.get("content")?.as_array().and_then(|blocks| blocks.iter().find_map(block)));
    let filtered = choice.get("finish_reason").and_then(Value::as_str) == Some("content_filter");
    said.or_else(|| filtered.then(|| "a filter of the endpoint stopped it".to_string()))
}

/// Some servers put the whole answer among the thoughts when they were asked for a form and the model thinks.
fn answer_among_thoughts(raw: &mut RawReply, thought: &str) {
    raw.thought = !thought.trim().is_empty();
    let whole = thought.trim();
    if raw.content.trim().is_empty()
        && raw.tool_calls.is_empty()
        && !raw.cut
        && whole.starts_with('{')
        && serde_json::from_str::<Value>(whole).is_ok()
    {
        raw.content = whole.to_string();
    }
}

fn arguments_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        // Some servers send the object itself.
        other => other.to_string(),
    }
}

/// A whole completion; what is wrong with it otherwise, as the end of a sentence.
pub fn of_completion(body: &[u8]) -> Result<Reply, String> {
    let value: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    if value.get("error").is_some_and(|error| !error.is_null()) {
        return Err(error_message(body).trim_end_matches('.').to_string());
    }
    let choice = value.pointer("/choices/0").ok_or("it has no choices")?;
    let message = choice.get("message").ok_or("its choice has no message")?;
    let mut raw = RawReply {
        content: text_of(message.get("content").unwrap_or(&Value::Null)),
        cut: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
        ..RawReply::default()
    };
    raw.declined = declined_of(choice, message);
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().take(CALLS_MAX) {
        let function = call.get("function").unwrap_or(&Value::Null);
        raw.tool_calls.push(ToolCall {
            name: function.get("name").and_then(Value::as_str).unwrap_or("").to_string(),
            arguments: arguments_of(function.get("arguments").unwrap_or(&Value::Null)),
        });
    }
    answer_among_thoughts(&mut raw, thought_of(message));
    Ok(Reply { raw, usage: usage_of(&value), request_id: name_of(&value, "id"), model: name_of(&value, "model") })
}

/// A completion that comes in pieces.
#[derive(Debug, Default)]
pub struct Stream {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    reply: Reply,
    /// As much as an answer may have.
    thought: String,
    done: bool,
    finished: bool,
}

impl Stream {
    /// The end mark has come.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// It is longer than an answer may be.
    pub fn is_long(&self) -> bool {
        let calls: usize = self.reply.raw.tool_calls.iter().map(|call| call.arguments.len()).sum();
        self.reply.raw.content.len() + calls > ANSWER_BYTES_MAX
    }

    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() > LINE_BYTES_MAX {
                return Err(format!("a line of its stream is longer than {LINE_BYTES_MAX} bytes"));
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.take(String::from_utf8_lossy(&line).trim_end())?;
            }
        }
        Ok(())
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        // Comments keep a connection open; other fields are of no use here.
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { return Ok(()) };
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if data.is_empty() || self.done {
            return Ok(());
        }
        let value: Value =
            serde_json::from_str(data).map_err(|error| format!("a piece of its stream is no JSON: {error}"))?;
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(error_message(data.as_bytes()).trim_end_matches('.').to_string());
        }
        if self.reply.request_id.is_none() {
            self.reply.request_id = name_of(&value, "id");
        }
        if self.reply.model.is_none() {
            self.reply.model = name_of(&value, "model");
        }
        if let Some(usage) = usage_of(&value) {
            self.reply.usage = Some(usage);
        }
        let Some(choice) = value.pointer("/choices/0") else { return Ok(()) };
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finished = true;
            self.reply.raw.cut |= reason == "length";
        }
        let Some(delta) = choice.get("delta") else { return Ok(()) };
        self.reply.raw.content.push_str(&text_of(delta.get("content").unwrap_or(&Value::Null)));
        if self.thought.len() <= ANSWER_BYTES_MAX {
            self.thought.push_str(thought_of(delta));
        }
        if let Some(piece) = declined_of(choice, delta) {
            self.reply.raw.declined.get_or_insert_default().push_str(&piece);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let index = call.get("index").and_then(Value::as_u64).unwrap_or(0) as usize;
            if index >= CALLS_MAX {
                continue;
            }
            let calls = &mut self.reply.raw.tool_calls;
            if calls.len() <= index {
                calls.resize(index + 1, ToolCall::default());
            }
            let function = call.get("function").unwrap_or(&Value::Null);
            calls[index].name.push_str(function.get("name").and_then(Value::as_str).unwrap_or(""));
            calls[index].arguments.push_str(&arguments_of(function.get("arguments").unwrap_or(&Value::Null)));
        }
        Ok(())
    }

    /// The stream has ended; it must have said so.
    pub fn finish(mut self) -> Result<Reply, String> {
        if !self.done && !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take(String::from_utf8_lossy(&line).trim_end())?;
        }
        if !self.done && !self.finished {
            return Err("its stream ended without an end".into());
        }
        answer_among_thoughts(&mut self.reply.raw, &self.thought);
        Ok(self.reply)
    }

    /// What has come so far, of an answer that is too long.
    pub fn cut_short(mut self) -> Reply {
        self.reply.raw.cut = true;
        self.reply
    }
}
