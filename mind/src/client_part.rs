//! What only the client of an agent knows of how it stands: told with `context`, read by `status`.

use protocol::status::Formats;
use serde::{Deserialize, Serialize};

/// Bytes of it as JSON, at most.
pub const CLIENT_PART_BYTES_MAX: usize = 512;

/// All of it may be left out, and what a newer client adds is passed over.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientPart {
    /// Questions to the model in this turn, the open one among them, and how many there may be.
    pub iteration: u32,
    pub max_iterations: u32,
    /// Verbs that the model used in this turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Lines of the session that the model wanted, and those of them of which nothing came.
    pub calls: u64,
    pub failed: u64,
    /// When the session began, unix milliseconds.
    pub since_ms: i64,
    /// Verbs whose answers are to come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formats: Option<Formats>,
}

impl ClientPart {
    /// Reads it, or says in a sentence what is wrong.
    pub fn parse(text: &str) -> Result<ClientPart, String> {
        if text.len() > CLIENT_PART_BYTES_MAX {
            return Err(format!(
                "How it stands is JSON of at most {CLIENT_PART_BYTES_MAX} bytes; that has {}.",
                text.len()
            ));
        }
        if !text.starts_with('{') {
            return Err("How it stands is a JSON object, such as {\"iteration\":1}.".to_string());
        }
        serde_json::from_str(text).map_err(|error| format!("How it stands cannot be read: {error}."))
    }

    /// As JSON that `parse` takes: what has no room is left out, lists first.
    pub fn written(&self) -> String {
        let mut part = self.clone();
        loop {
            let text = serde_json::to_string(&part).expect("it has string keys only");
            if text.len() <= CLIENT_PART_BYTES_MAX {
                return text;
            }
            let gone = part.tools.pop().or_else(|| part.pending.pop());
            if gone.is_none() && part.formats.take().is_none() {
                return "{}".to_string();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_fits() {
        let part = ClientPart { iteration: 2, tools: vec!["look".into()], cost: Some(0.5), ..ClientPart::default() };
        assert_eq!(ClientPart::parse(&part.written()), Ok(part.clone()));
        let large = ClientPart { tools: vec!["consider".into(); 200], ..part };
        let read = ClientPart::parse(&large.written()).expect("it fits");
        assert!(!read.tools.is_empty() && read.iteration == 2);
        assert_eq!(ClientPart::parse("{\"later\":[1]}"), Ok(ClientPart::default()));
        for wrong in ["[1]", "{", "{\"iteration\":-1}", "{\"tools\":3}", &format!("{{\"x\":\"{}\"}}", "x".repeat(600))]
        {
            assert!(ClientPart::parse(wrong).is_err(), "{wrong}");
        }
    }
}
