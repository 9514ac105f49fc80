//! Asking a model for words outside of play: a task and its material, one answer as plain text.
//!
//! The same budget, deadline and rests as for decisions; no form is asked for, so any endpoint will do. What comes back
//! is untrusted text, and the caller judges it.

use super::body::Wanted;
use super::{Form, Model, ModelSettings};
use crate::answer::after_thought;
use crate::ledger::Usage;
use crate::thought::{ModelError, Thought};
use mind::prompt::{Part, PartName, Prompt, Role};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::Instant;

/// An answer may be at least this long, whatever is enough for a decision.
const ANSWER_TOKENS_MIN: u64 = 1_000;

/// What came of a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Words {
    pub text: Result<String, ModelError>,
    /// Of all requests for it.
    pub usage: Usage,
    /// `None`: not known, since a request went to a model without a price.
    pub cost_micros: Option<u64>,
    /// The model that answered, or was asked last.
    pub model: String,
    pub requests: u32,
}

impl Model {
    /// Asks the model, then the fallback if there is one; back within the deadline.
    pub async fn words(&self, task: &str, material: &str, deadline: Duration) -> Words {
        let tokens_max = self.settings().answer_tokens_max.max(ANSWER_TOKENS_MIN);
        let settings = ModelSettings { form: Form::Plain, answer_tokens_max: tokens_max, ..self.settings().clone() };
        let prompt = prompt_of(task, material);
        let begun = Instant::now();
        let mut thought = Thought::begun(self.first());
        let end = begun + deadline;
        let fallback = settings.model_fallback.clone().filter(|name| name != self.first());
        let first_end = if fallback.is_some() { begun + deadline * super::FIRST_PERCENT / 100 } else { end };
        let mut text = self.say(&settings, self.first(), &prompt, first_end, &mut thought).await;
        if let (Err(error), Some(fallback)) = (&text, fallback)
            && !matches!(error, ModelError::Budget(_))
            && Instant::now() < end
        {
            thought.model.clone_from(&fallback);
            text = self.say(&settings, &fallback, &prompt, end, &mut thought).await;
        }
        Words {
            text,
            usage: thought.usage,
            cost_micros: thought.cost_micros,
            model: thought.model,
            requests: thought.requests,
        }
    }

    async fn say(
        &self,
        settings: &ModelSettings,
        name: &str,
        prompt: &Prompt,
        end: Instant,
        thought: &mut Thought,
    ) -> Result<String, ModelError> {
        let said = self.request(name, prompt, (Wanted::Decision, None), end, thought, Some(settings)).await?;
        let (raw, _) = said;
        let text = after_thought(raw.content.trim()).unwrap_or("");
        match () {
            () if raw.cut => Err(ModelError::Unusable("it is too long. (Raise `max_output_tokens`.)".into())),
            () if text.is_empty() => Err(ModelError::NoCompletion("it says nothing".into())),
            () => Ok(text.to_string()),
        }
    }
}

/// The object in an answer, which models like to put into a code fence or between sentences.
pub fn object_in<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let object = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let object = object.ok_or("it holds no JSON")?;
    serde_json::from_str(object).map_err(|error| format!("its JSON is not what was asked for: {error}"))
}

fn prompt_of(task: &str, material: &str) -> Prompt {
    let part = |role, name, text: &str| {
        let text = format!("{text}\n");
        let tokens = mind::tokens::count(&text);
        Part { role, name, text, tokens, cache_mark: false, origins: Vec::new().into() }
    };
    let parts = vec![part(Role::System, PartName::P0, task), part(Role::User, PartName::P4, material)];
    let tokens = parts.iter().map(|part| part.tokens).sum();
    Prompt {
        parts,
        tokens,
        budget: tokens,
        pressure: 0.0,
        sections: Vec::new(),
        density: mind::pressure::Density::Full,
        advisory: mind::pressure::Advisory::Normal,
        compacted: false,
        memories: 0,
        cuts: Vec::new(),
        offer: Default::default(),
        channels: Vec::new(),
    }
}
