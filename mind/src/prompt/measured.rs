//! A text with its tokens, counted once.

use crate::tokens;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct MeasuredText {
    pub text: String,
    pub tokens: usize,
}

impl MeasuredText {
    pub fn new(text: String) -> MeasuredText {
        let tokens = tokens::count(&text);
        MeasuredText { text, tokens }
    }
}
