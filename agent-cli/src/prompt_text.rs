//! The two messages that a prompt is sent as, and the hash by which they are known again.

use crate::record::PromptRef;
use mind::prompt::{Prompt, Role};
use sha2::{Digest, Sha256};

/// The texts of both messages, as they are sent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PromptText {
    pub system: String,
    pub user: String,
}

impl PromptText {
    pub fn of(prompt: &Prompt) -> PromptText {
        let of = |role: Role| prompt.parts.iter().filter(|part| part.role == role).map(|part| &*part.text).collect();
        PromptText { system: of(Role::System), user: of(Role::User) }
    }

    /// SHA-256 of both, with a zero byte between them, in hexadecimal.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.system.as_bytes());
        hash.update([0]);
        hash.update(self.user.as_bytes());
        hex::encode(hash.finalize())
    }
}

/// What the row of a decision holds of its prompt. `id`: which question of the session it was.
pub fn reference(id: u64, prompt: &Prompt) -> PromptRef {
    let (sha256, left_out) = (PromptText::of(prompt).sha256(), prompt.cuts.clone());
    PromptRef { id, sha256, tokens: Some(prompt.tokens as u64), left_out }
}
