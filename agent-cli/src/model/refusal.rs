//! What is meant by an endpoint that answers with an error: whether another form of the request may help, and what a
//! person can do about it. Pure.
//!
//! Providers and gateways agree on no code for most of this, so it goes by the words that they use, read in the whole
//! body. What is not recognised counts as a dislike of some field.

use super::reply::error_message;

/// Why it refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A field of the request, or anything unknown: the request is made anew without it.
    Field,
    /// The prompt is longer than the model reads.
    Length,
    /// There is no such model, or no such address.
    Model,
    /// The key is wrong, missing, or not for this.
    Key,
    /// There is no money left.
    Money,
    /// A filter did not like what the prompt says.
    Content,
    /// Its own trouble.
    Endpoint,
}

/// Words by which a cause is known, lower case, the more certain ones first.
const WORDS: &[(Cause, &[&str])] = &[
    (
        Cause::Length,
        &[
            "context_length_exceeded",
            "contextwindowexceeded",
            "context window",
            "context length",
            "exceed_context_size",
            "available context size",
            "prompt is too long",
            "input is too long",
            "too many input tokens",
        ],
    ),
    (
        Cause::Money,
        &[
            "budget_exceeded",
            "budget has been exceeded",
            "insufficient_quota",
            "exceeded your current quota",
            "credit balance",
            "insufficient balance",
        ],
    ),
    (Cause::Content, &["contentpolicyviolation", "content_policy", "content_filter", "content management policy"]),
    (
        Cause::Model,
        &[
            "invalid model name",
            "model_not_found",
            "model not found",
            "unknown model",
            "no such model",
            "not a valid model",
            "model does not exist",
        ],
    ),
    // A LiteLLM without a database says of every key but its own that it cannot look it up.
    (
        Cause::Key,
        &["authentication error", "no_db_connection", "invalid_api_key", "invalid api key", "incorrect api key"],
    ),
];

impl Cause {
    pub fn of(status: u16, body: &[u8]) -> Cause {
        let text = String::from_utf8_lossy(body).to_ascii_lowercase();
        let known = WORDS.iter().find(|(_, words)| words.iter().any(|word| text.contains(word)));
        match (known, status) {
            (Some((cause, _)), 400..=499) => *cause,
            (_, 400 | 422) => Cause::Field,
            (_, 401 | 403) => Cause::Key,
            (_, 402) => Cause::Money,
            // A gateway that finds none of its providers able to do what a field asks.
            (_, 404) if text.contains("parameter") || text.contains("tool use") => Cause::Field,
            (_, 404) => Cause::Model,
            _ => Cause::Endpoint,
        }
    }

    /// What to do, as a sentence with a blank before it; empty where nobody can do anything.
    pub const fn advice(self) -> &'static str {
        match self {
            Cause::Field | Cause::Content | Cause::Endpoint => "",
            Cause::Length => " (Choose a smaller `tier`, or let the model read more tokens.)",
            Cause::Model => " (Check `litellm_endpoint`, `model_fast` and `model_fallback`.)",
            Cause::Key => " (Check the key in DP_LLM_KEY or `llm_key`.)",
            Cause::Money => " (There is no money left at the endpoint for this key.)",
        }
    }
}

/// What went wrong and what to do, for people: the endpoint's words, clean and capped, without the key that some
/// gateways repeat.
pub fn told(cause: Cause, body: &[u8], key: Option<&str>) -> String {
    // Masked before it is capped, so that no half of the key is left at the end.
    let body = without_key(String::from_utf8_lossy(body).into_owned(), key);
    format!("{}{}", error_message(body.as_bytes()), cause.advice())
}

/// The text with the key masked, as often as it stands there. Local servers are given such keys as `none`, which are
/// no secret and stand in many a sentence.
pub fn without_key(text: String, key: Option<&str>) -> String {
    const SECRET_BYTES_MIN: usize = 8;
    match key.filter(|key| key.len() >= SECRET_BYTES_MIN) {
        Some(key) => text.replace(key, &crate::config::masked(key)),
        None => text,
    }
}
