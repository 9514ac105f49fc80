//! How many tokens a text is: `o200k_base`, the vocabulary of OpenAI's current models, exactly.
//!
//! The table (some 50 MB) is loaded on first use, in about 0.1 s, and kept. Other makers' models cut text differently;
//! for them a count is raised by `OTHER_MODELS_PERCENT`, so that a prompt that fits here fits there too.
//!
//! Invariant: counts add up over pieces that end in a line break and go on with neither white space nor `/`, since no
//! token of this vocabulary crosses such a place. That lets a prompt be measured piece by piece.

use tiktoken_rs::{CoreBPE, o200k_base_singleton};

/// What 100 tokens of `o200k_base` may be with a model that is not OpenAI's, at most, in English prose and tables.
pub const OTHER_MODELS_PERCENT: usize = 115;

fn table() -> &'static CoreBPE {
    o200k_base_singleton()
}

/// The number of tokens. Marks such as `<|endoftext|>` count as the plain text that they are here.
pub fn count(text: &str) -> usize {
    table().count_ordinary(text)
}

/// The tokens themselves, for measures such as the longest common beginning of two prompts.
pub fn ids(text: &str) -> Vec<u32> {
    table().encode_ordinary(text)
}

/// Whether `count` is this model's own count, by its name: `gpt-5-mini`, `openai/o4`, `chatgpt-4o-latest`.
pub fn counts_exactly(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let reasoning = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    reasoning || name.starts_with("gpt-") || name.starts_with("chatgpt-")
}

/// How many tokens of ours fit where the model allows `limit` of its own.
pub fn room_of(limit: usize, model: &str) -> usize {
    if counts_exactly(model) { limit } else { limit * 100 / OTHER_MODELS_PERCENT }
}
