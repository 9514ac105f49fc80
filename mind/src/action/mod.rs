//! The action vocabulary: what a model may answer, what it is told of that, and the line of the game that it becomes.

/// Why an action cannot be used. `Display` is the sentence that goes back to the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionError(pub String);

impl std::fmt::Display for ActionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ActionError {}
