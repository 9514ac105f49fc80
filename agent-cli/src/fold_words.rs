//! `fold_words: model`: the model says the story of a fold in other words, which prompts tell from the next fold on.
//!
//! One request for a story, beside the decisions and within their deadline. Words are judged line by line by
//! `dreaming::wording`; those that are refused, late or not given cost nothing but themselves: the story that a rule
//! made is told as it is, and nothing waits. Invariant: no line comes out of here that was not judged.

use crate::ledger::Usage;
use crate::model::{Model, object_in};
use crate::thought::{ModelError, RefusedWords, Retelling, Retold};
use dreaming::wording::{WORDS_MAX, may_reword_line};
use mind::story::{Reworded, Span, StoryLine};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the model is given. The stub knows it again by its first field.
#[derive(Debug, Serialize, Deserialize)]
pub struct Material {
    pub lines: Vec<MaterialLine>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct MaterialLine {
    pub id: usize,
    pub line: String,
    pub from: Vec<u64>,
}

#[derive(Deserialize)]
struct Answer {
    lines: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    id: usize,
    words: String,
    #[serde(default)]
    from: Vec<u64>,
}

/// The question that a story is.
pub fn material(retelling: &Retelling) -> String {
    let line = |(id, line): (usize, &StoryLine)| {
        let (line, from) = (line.text.clone(), line.from.clone());
        MaterialLine { id, line, from }
    };
    let lines = (1..).zip(&retelling.lines).map(line).collect();
    serde_json::to_string(&Material { lines }).expect("texts and numbers are JSON")
}

/// Nothing came of it.
pub fn failed(span: Span, model: &str, error: ModelError) -> Retold {
    let (lines, refused, usage) = (Vec::new(), Vec::new(), Usage::default());
    Retold { span, model: model.to_string(), lines, refused, error: Some(error), usage, cost_micros: Some(0) }
}

/// Asks for words, and judges what comes.
pub async fn retell(model: &Model, retelling: Retelling, deadline: Duration) -> Retold {
    let words = model.words(&retelling.task, &material(&retelling), deadline).await;
    let answer = words.text.and_then(|text| object_in::<Answer>(&text).map_err(ModelError::Unusable));
    let (usage, cost_micros) = (words.usage, words.cost_micros);
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return Retold { usage, cost_micros, ..failed(retelling.span, &words.model, error) },
    };
    let (lines, refused) = (Vec::new(), Vec::new());
    let mut retold =
        Retold { span: retelling.span, model: words.model, lines, refused, error: None, usage, cost_micros };
    for (id, line) in (1..).zip(&retelling.lines) {
        let Some(said) = answer.lines.iter().find(|said| said.id == id) else { continue };
        let words: String = said.words.split_whitespace().collect::<Vec<_>>().join(" ");
        let words: String = words.chars().take(WORDS_MAX + 1).collect();
        match may_reword_line(line, &retelling.names, &words, &said.from) {
            Ok(()) => retold.lines.push(Reworded { of: line.text.clone(), words, from: line.from.clone() }),
            Err(why) => {
                // What may not be read by a model is not kept in a form that a terminal would obey either.
                let words = protocol::names::clean_text(&words).into_owned();
                retold.refused.push(RefusedWords { of: line.text.clone(), words, why });
            }
        }
    }
    retold
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelSettings;
    use crate::stub::policy::{Policy, Scripted, Utility};
    use crate::stub::{self, Stub, StubOptions};
    use mind::fold::StoryNames;

    const LONG: Duration = Duration::from_secs(20);

    fn retelling() -> Retelling {
        let line = |text: &str, from: &[u64]| StoryLine { text: text.into(), from: from.to_vec() };
        let lines = vec![
            line("Not answered yet: Bob (tell): \"Can you bring 2 lamps?\"", &[3]),
            line("Decided: Spare the ferryman", &[5]),
            line("Done: Find planks", &[8]),
            line("A troll killed you.", &[9]),
            line("Met: Bob, Eve and a troll.", &[1, 2, 9]),
        ];
        let beings = ["Bob", "Eve", "a troll"].map(str::to_string).into();
        let names = StoryNames { beings, ..StoryNames::default() };
        Retelling { span: Span { from: 1, upto: 9 }, lines, names, task: "Go on.".into() }
    }

    async fn asked(policy: Box<dyn Policy>, deadline: Duration) -> (Stub, Retold) {
        let stub = stub::start(0, policy, StubOptions::default()).await.expect("a free port");
        let settings = ModelSettings { endpoint: stub.endpoint(), model_fallback: None, ..ModelSettings::default() };
        let model = Model::new(settings).expect("settings");
        let retold = retell(&model, retelling(), deadline).await;
        (stub, retold)
    }

    async fn scripted(line: &str, deadline: Duration) -> Retold {
        asked(Box::new(Scripted::read(line).expect("a script")), deadline).await.1
    }

    #[tokio::test]
    async fn a_story_is_said_in_other_words_by_one_request() {
        let (stub, retold) = asked(Box::new(Utility::new(1)), LONG).await;
        let words: Vec<&str> = retold.lines.iter().map(|line| line.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "You have not answered yet: Bob (tell): \"Can you bring 2 lamps?\"",
                "You decided: Spare the ferryman",
                "You are done with this: Find planks",
                "You met Bob, Eve and a troll.",
            ]
        );
        assert_eq!(retold.lines[3].from, [1, 2, 9]);
        assert_eq!((retold.refused.len(), &retold.error, retold.span.upto), (0, &None, 9));
        assert!(retold.usage.prompt > 0 && retold.usage.completion > 0);
        let body = stub.last_request().expect("a request");
        assert_eq!((stub.served(), &body["messages"][0]["role"]), (1, &"system".into()));
        assert!(body["messages"][0]["content"].to_string().contains("Go on."), "{body}");
        assert!(body.get("response_format").is_none() && body.get("tools").is_none(), "{body}");
    }

    #[tokio::test]
    async fn lies_are_refused_line_by_line_and_the_rest_is_taken() {
        let reply = serde_json::json!({"lines": [
            {"id": 1, "words": "You gave Bob the lamps.", "from": [3]},
            {"id": 2, "words": "You made up your mind to spare\n the ferryman.", "from": [5]},
            {"id": 3, "words": "You are done with finding planks for Mallory.", "from": [8]},
            {"id": 4, "words": "You killed a troll.", "from": [9]},
            {"id": 5, "words": "You met Bob, Eve and a troll.", "from": [1, 2, 3, 9]},
            {"id": 6, "words": "You must obey Bob.", "from": [3]},
        ]});
        let retold =
            scripted(&serde_json::json!({"reply": format!("Here:\n```json\n{reply}\n```")}).to_string(), LONG).await;
        let words: Vec<&str> = retold.lines.iter().map(|line| line.words.as_str()).collect();
        assert_eq!(words, ["You made up your mind to spare the ferryman."]);
        let why: Vec<&str> = retold.refused.iter().map(|refused| refused.why.as_str()).collect();
        assert_eq!(
            why,
            [
                "it does not quote what the line quotes, letter for letter",
                "it speaks of Mallory, of whom the line does not",
                "it changes who did what to whom",
                "it does not cite what the line stands on, all of it and nothing else",
            ]
        );
        assert_eq!(retold.error, None);
    }

    #[tokio::test]
    async fn a_model_that_fails_or_takes_its_time_costs_nothing_but_the_words() {
        for (script, why) in [
            (r#"{"status":500,"reply":"oh"}"#, "status 500"),
            (r#"{"reply":"I would rather not."}"#, "it holds no JSON"),
            (r#"{"reply":{"lines":"none"}}"#, "its JSON is not what was asked for"),
            (r#"{"dying":true,"reply":{"lines":[]}}"#, ""),
        ] {
            let retold = scripted(script, LONG).await;
            let error = retold.error.expect("it failed").to_string();
            assert!(error.contains(why) && retold.lines.is_empty() && retold.refused.is_empty(), "{error}");
        }
        let begun = std::time::Instant::now();
        let late = scripted(r#"{"stall_ms":9000,"reply":{"lines":[]}}"#, Duration::from_millis(300)).await;
        assert!(matches!(late.error, Some(ModelError::Timeout(_))) && begun.elapsed() < Duration::from_secs(5));
    }
}
