//! The fields of the configuration: one row each, with how it is read, checked and shown.

use super::Config;
use crate::ledger::{Price, Prices};
use crate::nature::Tastes;
use mind::council::{Member, Seats, VOTES_MAX};
use mind::sharing::{Scope, scopes_of, told};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How the words of a command line become a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Text,
    /// A number, `true` or `false`.
    Plain,
    /// JSON.
    Json,
}

pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub secret: bool,
    pub shape: Shape,
    /// The error goes on after the field's name: "must be …".
    pub set: fn(&mut Config, Value) -> Result<(), String>,
    pub get: fn(&Config) -> Value,
}

impl Field {
    /// The name of its flag: `--player-name`.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Empty words are `null`: the default again.
    pub fn read_words(&self, words: &str) -> Value {
        if words.is_empty() {
            return Value::Null;
        }
        match self.shape {
            Shape::Text => json!(words),
            Shape::Plain | Shape::Json => serde_json::from_str(words).unwrap_or_else(|_| json!(words)),
        }
    }
}

fn take<T: DeserializeOwned>(value: Value, must_be: &str) -> Result<T, String> {
    serde_json::from_value(value).map_err(|_| format!("must be {must_be}"))
}

fn number(value: Value, least: u64, most: u64) -> Result<u64, String> {
    let must_be = || format!("must be a whole number from {least} to {most}");
    let number = value.as_u64().ok_or_else(must_be)?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(must_be()) }
}

fn text_field(value: Value) -> Result<String, String> {
    let text: String = take(value, "a text")?;
    if text.chars().any(char::is_control) { Err("must be one line of text".to_string()) } else { Ok(text) }
}

fn optional(value: Value) -> Result<Option<String>, String> {
    let text = text_field(value)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn one_of(value: Value, words: &[&str]) -> Result<String, String> {
    let text = text_field(value)?;
    if words.contains(&text.as_str()) { Ok(text) } else { Err(format!("must be one of {}", words.join(", "))) }
}

macro_rules! field {
    ($name:ident, $shape:ident, $doc:literal, $read:expr) => {
        field!($name, $shape, $doc, $read, false)
    };
    ($name:ident, $shape:ident, $doc:literal, $read:expr, $secret:literal) => {
        Field {
            name: stringify!($name),
            doc: $doc,
            secret: $secret,
            shape: Shape::$shape,
            set: |config, value| {
                let read: fn(Value) -> Result<_, String> = $read;
                config.$name = read(value)?;
                Ok(())
            },
            get: |config| json!(config.$name),
        }
    };
}

/// All fields, in the order in which they are shown: those of the published file first.
pub const FIELDS: &[Field] = &[
    field!(
        key,
        Text,
        "The agent's key (dp_ and 64 digits).",
        |value| {
            let key = optional(value)?;
            match &key {
                Some(text) if !text.starts_with("dp_") => Err("must begin with dp_".to_string()),
                _ => Ok(key),
            }
        },
        true
    ),
    field!(
        host_key,
        Text,
        "For `host`: the key by which it plays the agents of an owner (dh_ and 64 digits); better given as DP_HOST_KEY.",
        |value| {
            let key = optional(value)?;
            match &key {
                Some(text) if !text.starts_with("dh_") => Err("must begin with dh_".to_string()),
                _ => Ok(key),
            }
        },
        true
    ),
    field!(player_name, Text, "The character's name.", optional),
    field!(password, Text, "For a character that has no key: its password.", optional, true),
    field!(tier, Text, "Size of the prompt: small, medium, large or unlimited.", |value| {
        take(value, "one of small, medium, large, unlimited")
    }),
    field!(model_fast, Text, "The model that is asked.", text_field),
    field!(model_fallback, Text, "The model that is asked when that fails, or none.", |value| {
        let name = text_field(value)?;
        // Empty words on a command line set it back to its default.
        Ok(if name == "none" { String::new() } else { name })
    }),
    field!(
        models,
        Json,
        "For `host`: models that records of agents may ask for, as [\"small-1\"]; all others get model_fast.",
        |value| take(value, "a list of names")
    ),
    field!(litellm_endpoint, Text, "Address of an OpenAI-compatible endpoint, such as a LiteLLM proxy.", |value| {
        let url = optional(value)?;
        match &url {
            Some(text) if !text.starts_with("http://") && !text.starts_with("https://") => {
                Err("must begin with http:// or https://".to_string())
            }
            _ => Ok(url.map(|text| text.trim_end_matches('/').to_string())),
        }
    }),
    field!(llm_key, Text, "The key for that endpoint; better given as DP_LLM_KEY.", optional, true),
    field!(game_host, Text, "Host of the game's server.", |value| {
        let host = text_field(value)?;
        match host.split_once("://") {
            Some((scheme, _)) => Err(format!(
                "must be a host alone, without `{scheme}://`; `game_port` has its port, and `game_tls` says whether \
                 it is encrypted"
            )),
            None => Ok(host),
        }
    }),
    field!(game_port, Plain, "Port of its listener for programs.", |value| {
        number(value, 1, 65_535).map(|port| port as u16)
    }),
    field!(
        game_tls,
        Plain,
        "Whether that listener is encrypted (wss, https); its port is 4352 then, if not another.",
        |value| { take(value, "true or false") }
    ),
    field!(
        game_ca,
        Text,
        "Certificates (PEM) to trust there, such as the server's own; without it, those that this machine trusts.",
        |value| optional(value).map(|path| path.map(PathBuf::from))
    ),
    field!(temperature, Plain, "Of the model; 0 is the least random.", |value| {
        let t: f64 = take(value, "a number from 0 to 2")?;
        if (0.0..=2.0).contains(&t) { Ok(t) } else { Err("must be a number from 0 to 2".to_string()) }
    }),
    field!(valence, Plain, "Whether valence is recorded.", |value| take(value, "true or false")),
    field!(recall, Plain, "Whether memories are looked up while it plays; those of the login come anyway.", |value| {
        take(value, "true or false")
    }),
    field!(knowledge, Plain, "Whether what it learns of the world is kept in log_dir for its next session.", |value| {
        take(value, "true or false")
    }),
    field!(
        persona_name,
        Plain,
        "Whether it asks the game, once in a session, to be shown by its persona's name where it is shown by its own.",
        |value| take(value, "true or false")
    ),
    field!(
        open_mind,
        Plain,
        "Whether anybody who may watch the game may read its mind, its decisions and its memories; it tells the game once in a session.",
        |value| take(value, "true or false").map(Some)
    ),
    field!(log_dir, Text, "Folder of the session logs.", |value| text_field(value).map(Into::into)),
    field!(
        state_dir,
        Text,
        "State folder of the game's server, where that runs on this machine; `keygen` keeps it, `recall` looks there.",
        |value| optional(value).map(|path| path.map(PathBuf::from))
    ),
    field!(log_level, Text, "debug, info, warn or error.", |value| one_of(value, &["debug", "info", "warn", "error"])),
    field!(
        think_ms,
        Plain,
        "Milliseconds from one decision of the model to the next; else as the server's record has it, or 5000.",
        |value| number(value, 100, 3_600_000).map(Some)
    ),
    field!(act_ms, Plain, "Milliseconds from one action of a policy to the next.", |value| number(value, 100, 60_000)),
    field!(
        loop_max,
        Plain,
        "Questions to the model in one turn, at most: it is asked again, with the replies, when it only asked.",
        |value| number(value, 1, 10).map(|most| most as u32)
    ),
    field!(
        format_every,
        Plain,
        "Prompts from one that is measured in all four formats to the next; 0 measures none.",
        |value| number(value, 0, 1_000_000)
    ),
    field!(
        fold_words,
        Text,
        "Who says what a fold dropped in other words, for the prompts after the next fold: off, or model.",
        |value| take(value, "off or model")
    ),
    field!(tool_timeout_s, Plain, "Seconds that a reply may take which may come later than others.", |value| {
        number(value, 1, 600)
    }),
    field!(deadline_ms, Plain, "Milliseconds that an answer of the model may take.", |value| {
        number(value, 100, 600_000)
    }),
    field!(max_tokens, Plain, "Tokens that a session may use.", |value| number(value, 1, u64::MAX).map(Some)),
    field!(max_cost, Plain, "Money that a session may cost, in the currency of the prices.", |value| {
        let cost: f64 = take(value, "a number from 0")?;
        if cost >= 0.0 && cost.is_finite() { Ok(Some(cost)) } else { Err("must be a number from 0".to_string()) }
    }),
    field!(max_output_tokens, Plain, "Tokens that one answer may have.", |value| number(value, 16, 32_000)),
    field!(
        prices,
        Json,
        "Prices per million tokens: {\"model\": {\"input\", \"cached\", \"cache_write\", \"output\"}}.",
        prices
    ),
    field!(
        autopilot,
        Text,
        "What policies do beside a model that answers: off (nothing), offered (what it delegates), full (all that it leaves).",
        |value| take(value, "one of off, offered, full")
    ),
    field!(
        council,
        Text,
        "Minds that decide together: some of inner, outer, observer, with commas between; or all.",
        |value| match optional(value)?.as_deref().map(str::trim) {
            None => Ok(None),
            Some("all") => Ok(Some(Seats::ALL)),
            Some(list) => Seats::parse(list).map(Some).map_err(|why| format!("cannot be used: {why}")),
        }
    ),
    field!(
        council_models,
        Json,
        "Models that minds of a council ask in place of model_fast: {\"observer\": \"small-1\"}.",
        council_models
    ),
    field!(
        votes,
        Plain,
        "How often one mind is asked for each decision; what most of its answers say is done.",
        |value| number(value, 1, u64::from(VOTES_MAX)).map(|votes| votes as u32)
    ),
    field!(
        tastes,
        Json,
        "What it likes, each from 0 to 1: {\"bold\": 0.8, \"thrifty\": 0.2, \"sociable\": 0.5, \"curious\": 1}.",
        tastes
    ),
    field!(policies, Json, "Policies to switch on or off: {\"loot\": false}.", policies),
    field!(persona, Text, "File with a character sheet in prose.", |value| Ok(optional(value)?.map(Into::into))),
    field!(
        prompts_dir,
        Text,
        "Folder with the texts of prompts, as `dp-agent prompts export` makes it; without it, those that are compiled in.",
        |value| Ok(optional(value)?.map(Into::into))
    ),
    field!(
        hud_sections,
        Text,
        "TOML file with sections that prompts have beside the usual ones ([[section]]: docs/AGENTS.md).",
        |value| Ok(optional(value)?.map(Into::into))
    ),
    field!(
        share_with_maker,
        Text,
        "What of its mind an agent lets its maker read: all, or some of task, goals, notes, decisions, facts.",
        shared
    ),
    field!(operator_prompt, Text, "What the agent is told by who runs it.", |value| take(value, "a text")),
    field!(guidelines, Json, "Sentences that the agent keeps to.", |value| take(value, "a list of texts")),
    field!(kind, Text, "persona or bot.", |value| take(value, "persona or bot")),
    field!(format, Text, "Form of the prompt: markdown, json, compact-json or toon.", |value| {
        take(value, "one of markdown, json, compact-json, toon")
    }),
    field!(layout, Text, "Order of the prompt: parts, or document (system, self, meta, rooms; a baseline).", |value| {
        take(value, "parts or document")
    }),
    field!(model_limit, Plain, "Tokens that the model can read; counts for the tier unlimited.", |value| {
        number(value, 4_000, 10_000_000).map(|limit| limit as usize)
    }),
    field!(cache, Text, "How the provider caches prompts: auto, openai, anthropic or none.", |value| {
        one_of(value, &["auto", "openai", "anthropic", "none"])
    }),
    field!(
        answer_form,
        Text,
        "Form of the answers: JSON as schema, tools, object or plain, or toon; others are read, too.",
        |value| { one_of(value, &["schema", "tools", "object", "plain", "toon"]) }
    ),
    field!(stream, Plain, "Whether answers are streamed.", |value| take(value, "true or false")),
    field!(seed, Plain, "Seed of the agent's own chances, and for the model where it takes one.", |value| {
        number(value, 0, u64::MAX).map(Some)
    }),
    field!(class, Text, "For a new character: its class.", |value| creation(value, protocol::creation::CLASSES)),
    field!(race, Text, "For a new character: its race.", |value| creation(value, protocol::creation::RACES)),
    field!(sex, Text, "For a new character: male or female.", |value| one_of(value, &["male", "female"]).map(Some)),
    field!(hometown, Text, "For a new character: key or name of its hometown.", optional),
];

fn creation(value: Value, table: &[(u8, &'static str)]) -> Result<Option<String>, String> {
    let word = text_field(value)?;
    if protocol::creation::number_of(table, &word).is_some() {
        return Ok(Some(word));
    }
    Err(format!("must be one of {}", table.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ")))
}

fn shared(value: Value) -> Result<Vec<Scope>, String> {
    // As it is kept, or as one types it.
    let words = match value {
        Value::Array(parts) => parts.into_iter().map(text_field).collect::<Result<Vec<_>, _>>()?.join(","),
        value => optional(value)?.unwrap_or_default(),
    };
    match words.trim() {
        "" => Ok(Vec::new()),
        "all" => Ok(Scope::ALL.to_vec()),
        words => scopes_of(words).map_err(|word| {
            format!("must be all, or some of {} with commas between; {word:?} is none", told(&Scope::ALL))
        }),
    }
}

fn prices(value: Value) -> Result<Prices, String> {
    let Value::Object(rows) = value else { return Err("must be an object of models".to_string()) };
    let mut prices = BTreeMap::new();
    for (model, price) in rows {
        let price: Price = serde_json::from_value(price).map_err(|_| {
            format!("has at `{model}` something else than input, output, cached and cache_write in numbers")
        })?;
        let all = [Some(price.input), price.cached, price.cache_write, Some(price.output)];
        if all.iter().flatten().any(|price| !price.is_finite() || *price < 0.0) {
            return Err(format!("has at `{model}` a price below 0"));
        }
        prices.insert(model, price);
    }
    Ok(Prices(prices))
}

fn policies(value: Value) -> Result<BTreeMap<String, bool>, String> {
    let Value::Object(rows) = value else { return Err("must be an object such as {\"loot\": false}".to_string()) };
    let mut policies = BTreeMap::new();
    for (name, on) in rows {
        if crate::policies::named(&name).is_none() {
            let names: Vec<&str> = crate::policies::POLICIES.iter().map(|policy| policy.name).collect();
            return Err(format!("names `{name}`, which is no policy; the policies are {}", names.join(", ")));
        }
        let Value::Bool(on) = on else { return Err(format!("has at `{name}` neither true nor false")) };
        policies.insert(name, on);
    }
    Ok(policies)
}

fn council_models(value: Value) -> Result<BTreeMap<Member, String>, String> {
    let Value::Object(rows) = value else {
        return Err("must be an object such as {\"observer\": \"small-1\"}".to_string());
    };
    let mut models = BTreeMap::new();
    for (word, model) in rows {
        let Some(member) = Member::named(&word) else {
            return Err(format!("names `{word}`, which is no mind; the minds are inner, outer, observer"));
        };
        match text_field(model) {
            Ok(model) if !model.is_empty() => models.insert(member, model),
            _ => return Err(format!("has at `{word}` no name of a model")),
        };
    }
    Ok(models)
}

fn tastes(value: Value) -> Result<BTreeMap<String, f64>, String> {
    let Value::Object(rows) = value else { return Err("must be an object such as {\"bold\": 0.8}".to_string()) };
    Tastes::read(&rows).map_err(|what| format!("cannot be used: {what}"))
}

/// The field of that name, with `-` or `_`.
pub fn named(name: &str) -> Option<&'static Field> {
    let name = name.replace('-', "_");
    FIELDS.iter().find(|field| field.name == name)
}

/// The field that was likely meant.
pub fn nearest(name: &str) -> Option<&'static str> {
    mind::spelling::nearest(name, FIELDS.iter().map(|field| field.name))
}
