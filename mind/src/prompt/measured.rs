//! A text with its tokens, counted once, and with what each of its lines comes from.

use crate::hud::origin::Origin;
use crate::tokens;
use std::sync::Arc;

#[derive(Clone, PartialEq, Debug)]
pub struct MeasuredText {
    pub text: String,
    pub tokens: usize,
    /// Of each line one. Texts that are only measured have none.
    pub origins: Arc<[Origin]>,
}

impl Default for MeasuredText {
    fn default() -> MeasuredText {
        MeasuredText { text: String::new(), tokens: 0, origins: Arc::from([]) }
    }
}

impl MeasuredText {
    pub fn new(text: String) -> MeasuredText {
        let tokens = tokens::count(&text);
        MeasuredText { text, tokens, ..MeasuredText::default() }
    }

    /// What its lines come from; those at its end that are left are layout.
    pub fn from(mut self, mut origins: Vec<Origin>) -> MeasuredText {
        let lines = self.text.lines().count();
        debug_assert!(origins.len() <= lines, "{} origins of {lines} lines: {}", origins.len(), self.text);
        origins.resize(lines, Origin::Layout);
        self.origins = origins.into();
        self
    }
}
