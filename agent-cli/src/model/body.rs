//! The request: which fields it has, how a prompt becomes messages, and what is left out for an endpoint that refuses
//! it.

use super::{Cache, Form, ModelSettings};
use crate::answer::{RawReply, after_thought};
use mind::action::{self, Autopilot, Offer};
use mind::goals::PARTS;
use mind::prompt::{Part, Prompt, Role};
use serde_json::{Map, Value, json};

/// What an endpoint takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traits {
    pub form: Form,
    pub seed: bool,
    pub temperature: bool,
    pub cache_key: bool,
    pub cache_marks: bool,
    pub stream: bool,
    pub stream_usage: bool,
    /// `max_completion_tokens` instead of the older `max_tokens`.
    pub new_maximum: bool,
}

impl Traits {
    pub fn of(settings: &ModelSettings) -> Traits {
        Traits {
            form: settings.form,
            seed: true,
            temperature: true,
            cache_key: true,
            cache_marks: true,
            stream: settings.stream,
            stream_usage: true,
            new_maximum: false,
        }
    }

    /// The same without what a refusal names; when it names nothing, with the next form. `None`: there is none left.
    /// The model's own name may hold the name of a field.
    pub fn without(mut self, refusal: &str, model: &str) -> Option<Traits> {
        let refusal = refusal.replace(model, "").to_ascii_lowercase();
        // LiteLLM lists all that it dislikes; others name one field, and may name more that they like.
        let listed = refusal.split_once("does not support parameters: [").and_then(|(_, list)| list.split_once(']'));
        let is_named = |name: &&str| match listed {
            Some((list, _)) => list.contains(&format!("'{name}'")),
            None => refusal.contains(name),
        };
        let named = |names: &[&str]| names.iter().any(is_named);
        let mut field = false;
        for (given, names) in [
            (&mut self.cache_key, &["prompt_cache_key"][..]),
            (&mut self.cache_marks, &["cache_control"]),
            (&mut self.stream_usage, &["stream_options", "include_usage"]),
            (&mut self.seed, &["seed"]),
            (&mut self.temperature, &["temperature"]),
            (&mut self.stream, &["stream"]),
        ] {
            if *given && (!field || listed.is_some()) && named(names) {
                (*given, field) = (false, true);
            }
        }
        if field {
            return Some(self);
        }
        if !self.new_maximum && named(&["max_tokens", "max_completion_tokens"]) {
            self.new_maximum = true;
            return Some(self);
        }
        self.form = match self.form {
            Form::Schema => Form::Tools,
            Form::Tools => Form::Object,
            Form::Object => Form::Plain,
            Form::Plain | Form::Toon => return None,
        };
        Some(self)
    }
}

/// The address of chat completions below a base, or `None` when it is no HTTP address.
pub fn url(base: &str) -> Option<String> {
    let base = base.trim().trim_end_matches('/');
    let parsed = reqwest::Url::parse(base).ok()?;
    if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
        return None;
    }
    Some(match () {
        () if base.ends_with("/chat/completions") => base.to_string(),
        () if is_base(parsed.path()) => format!("{base}/chat/completions"),
        () => format!("{base}/v1/chat/completions"),
    })
}

/// Its last part is a version (`/v1`, `/v1beta`, `/v4`) or `/openai`, as providers give their bases.
fn is_base(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or("");
    last == "openai" || last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The body of a first request to `model_fast`: what a stub's policy is given when it is asked without a server.
pub fn request_body(settings: &ModelSettings, who: &str, prompt: &Prompt) -> Value {
    let traits = Traits::of(settings);
    Ask { settings, who, model: &settings.model_fast, traits, wanted: Wanted::Decision, follow_up: None }.body(prompt)
}

/// The same that asks, after such an answer, into what a goal is to be split.
pub fn parts_body(settings: &ModelSettings, who: &str, prompt: &Prompt, answered: &str, goal: &str) -> Value {
    let traits = Traits::of(settings);
    let follow_up = FollowUp::parts(answered, goal);
    let model = &settings.model_fast;
    Ask { settings, who, model, traits, wanted: Wanted::Parts, follow_up: Some(&follow_up) }.body(prompt)
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Decision,
    /// What a goal is split into.
    Parts,
}

/// What goes on after a prompt: what the model answered, and what is said to that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowUp {
    pub answered: String,
    pub says: String,
}

impl FollowUp {
    /// Its answer cannot be used, for this reason.
    pub fn repair(raw: &RawReply, wrong: &str) -> FollowUp {
        let says =
            format!("That answer cannot be used. {wrong} Answer again, in the form asked for, and with nothing else.");
        FollowUp { answered: as_text(raw), says }
    }

    /// It wants a goal split, and did not say into what.
    pub fn parts(answered: &str, goal: &str) -> FollowUp {
        let (least, most) = (PARTS.start(), PARTS.end());
        let says = format!(
            "Into what do you split goal {goal}? {least} to {most} parts, in the order in which they are to be done, each \
             one line that can be done by itself. {PARTS_FORM}"
        );
        FollowUp { answered: answered.to_string(), says }
    }
}

/// How that is answered; a stub knows the question by it.
pub const PARTS_FORM: &str = "Answer with one JSON object and nothing else: {\"into\":[\"…\",\"…\",\"…\"]}";

/// One request.
pub struct Ask<'a> {
    pub settings: &'a ModelSettings,
    pub who: &'a str,
    pub model: &'a str,
    pub traits: Traits,
    pub wanted: Wanted,
    pub follow_up: Option<&'a FollowUp>,
}

impl Ask<'_> {
    fn marks(&self) -> bool {
        let by_name = || {
            let model = self.model.to_ascii_lowercase();
            model.contains("claude") || model.contains("anthropic/")
        };
        self.traits.cache_marks
            && match self.settings.cache {
                Cache::Auto => by_name(),
                Cache::Anthropic => true,
                Cache::OpenAi | Cache::None => false,
            }
    }

    fn key(&self) -> bool {
        self.traits.cache_key
            && match self.settings.cache {
                Cache::Auto => !self.marks(),
                Cache::OpenAi => true,
                Cache::Anthropic | Cache::None => false,
            }
    }

    pub fn body(&self, prompt: &Prompt) -> Value {
        let (settings, traits) = (self.settings, self.traits);
        let mut body = Map::new();
        body.insert("model".into(), json!(self.model));
        body.insert("messages".into(), Value::Array(self.messages(prompt)));
        let (name, schema) = match self.wanted {
            _ if !matches!(traits.form, Form::Schema | Form::Tools) => ("", Value::Null),
            Wanted::Decision => {
                (action::schema_name(), action::schema(settings.mind, settings.autopilot, &prompt.offer))
            }
            Wanted::Parts => action::parts_schema(),
        };
        match traits.form {
            Form::Schema => {
                let json_schema = json!({"name": name, "strict": true, "schema": schema});
                body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": json_schema}));
            }
            Form::Tools if self.wanted == Wanted::Parts => {
                let description = "Says into what the goal is split.";
                let function = json!({"name": name, "description": description, "strict": true, "parameters": schema});
                body.insert("tools".into(), json!([{"type": "function", "function": function}]));
                body.insert("tool_choice".into(), json!("required"));
            }
            Form::Tools => {
                body.insert("tools".into(), action::tools(settings.mind, settings.autopilot, &prompt.offer));
                body.insert("tool_choice".into(), json!("required"));
            }
            Form::Object => {
                body.insert("response_format".into(), json!({"type": "json_object"}));
            }
            Form::Plain | Form::Toon => {}
        }
        let maximum = if traits.new_maximum { "max_completion_tokens" } else { "max_tokens" };
        body.insert(maximum.into(), json!(settings.answer_tokens_max));
        if traits.temperature {
            body.insert("temperature".into(), json!(settings.temperature));
        }
        if let (true, Some(seed)) = (traits.seed, settings.seed) {
            body.insert("seed".into(), json!(seed));
        }
        if self.key() {
            body.insert("prompt_cache_key".into(), json!(self.who));
        }
        if traits.stream {
            body.insert("stream".into(), json!(true));
            if traits.stream_usage {
                body.insert("stream_options".into(), json!({"include_usage": true}));
            }
        }
        Value::Object(body)
    }

    /// System: P0 to P2. User: the blocks of P3, then P4. What follows up adds the first answer and what is said to it.
    fn messages(&self, prompt: &Prompt) -> Vec<Value> {
        let marks = self.marks();
        let message = |role: Role, name: &str| {
            let parts: Vec<&Part> = prompt.parts.iter().filter(|part| part.role == role).collect();
            if parts.is_empty() {
                return None;
            }
            // Blocks only where they carry marks: some local servers want plain strings.
            let content = if marks {
                parts.iter().map(|part| block(part)).collect()
            } else {
                Value::String(parts.iter().map(|part| part.text.as_str()).collect())
            };
            Some(json!({"role": name, "content": content}))
        };
        let mut messages: Vec<Value> =
            [message(Role::System, "system"), message(Role::User, "user")].into_iter().flatten().collect();
        if let Some(FollowUp { answered, says }) = self.follow_up {
            messages.push(json!({"role": "assistant", "content": answered}));
            messages.push(json!({"role": "user", "content": says}));
        }
        messages
    }

    /// What the prompt takes at most, by our measure and with room for the endpoint's own words and the schema.
    pub fn tokens_estimated(&self, prompt: &Prompt) -> u64 {
        let mut tokens = prompt.tokens as u64 + 16;
        if let Some(FollowUp { answered, says }) = self.follow_up {
            tokens += (mind::tokens::count(answered) + mind::tokens::count(says) + 16) as u64;
        }
        // The schema or the tools are put before the prompt by the provider.
        if matches!(self.traits.form, Form::Schema | Form::Tools) {
            tokens += schema_tokens(self.settings.mind, self.settings.autopilot, &prompt.offer);
        }
        let percent = if mind::tokens::counts_exactly(self.model) { 100 } else { mind::tokens::OTHER_MODELS_PERCENT };
        (tokens * percent as u64).div_ceil(100)
    }
}

/// Tokens of the tools as text: the longer one of the two things that can stand beside a prompt.
fn schema_tokens(mind: bool, autopilot: Autopilot, offer: &Offer) -> u64 {
    use std::sync::OnceLock;
    static TOKENS: [[[OnceLock<u64>; 4]; 3]; 2] = [const { [const { [const { OnceLock::new() }; 4] }; 3] }; 2];
    let offered = match (offer.channels, offer.has_record, offer.makes_agents) {
        (false, ..) => 0,
        (true, false, _) => 1,
        (true, true, false) => 2,
        (true, true, true) => 3,
    };
    let counted = &TOKENS[usize::from(mind)][autopilot as usize][offered];
    *counted.get_or_init(|| mind::tokens::count(&action::tools(mind, autopilot, offer).to_string()) as u64)
}

fn block(part: &Part) -> Value {
    let mut block = json!({"type": "text", "text": part.text});
    if part.cache_mark {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}

/// An answer as it came: its text, then its calls of tools, a line each.
pub fn as_it_came(raw: &RawReply) -> String {
    let calls = raw.tool_calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
    let text = Some(raw.content.clone()).filter(|text| !text.is_empty());
    text.into_iter().chain(calls).chain(raw.declined.clone()).collect::<Vec<_>>().join("\n")
}

/// What the model answered, as text that may go back to it: capped, so that a repair costs little.
pub fn as_text(raw: &RawReply) -> String {
    const CHARS_MAX: usize = 1_500;
    let mut text = after_thought(raw.content.trim_start()).unwrap_or("").to_string();
    for call in &raw.tool_calls {
        text.push_str(&format!("{}({})", call.name, call.arguments));
    }
    if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
        text.truncate(end);
        text.push('…');
    }
    if text.is_empty() { raw.declined.clone().unwrap_or_else(|| "(nothing)".into()) } else { text }
}
