//! Answers in TOON, where the prompt asks for that: the policies write JSON, and here it becomes a table.

use super::policy::Reply;
use serde_json::{Map, Value};

/// A policy's reply as it goes out. What is no whole answer in JSON, or is to go out as it is, stays as it is.
pub fn in_the_form_asked_for(body: &Value, mut reply: Reply) -> Reply {
    let helped = body.get("tools").is_some() || body.get("response_format").is_some();
    if let Reply::Answer(said) | Reply::Stall { said, .. } | Reply::Dying(said) = &mut reply
        && !(said.plain || helped)
        && asks(body)
        && let Some(toon) = written(&said.content)
    {
        said.content = toon;
    }
    reply
}

/// Whether the message of the system says so, in one piece or in blocks.
fn asks(body: &Value) -> bool {
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut system = messages.filter(|message| message.get("role").and_then(Value::as_str) == Some("system"));
    system.any(|message| match message.get("content") {
        Some(Value::String(text)) => shows_table(text),
        Some(Value::Array(blocks)) => blocks.iter().filter_map(|block| block.get("text")?.as_str()).any(shows_table),
        _ => false,
    })
}

/// Whatever words an operator has for it, the example of an answer in TOON has a table of actions.
fn shows_table(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("actions[") && line.contains("]{type"))
}

/// The answer with its actions as a table: every row has the columns of all, arguments are one string.
fn written(json: &str) -> Option<String> {
    let mut answer: Value = serde_json::from_str(json).ok()?;
    let actions = answer.get_mut("actions")?.as_array_mut()?;
    let mut columns: Vec<String> = Vec::new();
    for action in actions.iter_mut() {
        for (name, value) in action.as_object_mut()? {
            if let Value::Array(words) = value {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                *value = Value::String(words.join(if name == "into" { " | " } else { " " }));
            }
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
    }
    for action in actions {
        let members = action.as_object_mut()?;
        let row: Map<String, Value> =
            columns.iter().map(|name| (name.clone(), members.remove(name).unwrap_or_default())).collect();
        *members = row;
    }
    toon_format::encode_default(&answer).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stub::Completion;
    use mind::texts::{TextName, Texts};
    use serde_json::json;

    #[test]
    fn an_answer_becomes_a_table_only_where_the_prompt_asks_for_one() {
        let said = |body: &Value, text: &str| match in_the_form_asked_for(body, Reply::Answer(Completion::new(text))) {
            Reply::Answer(said) => said.content,
            other => panic!("{other:?}"),
        };
        let json = json!({"commentary": "weak", "actions": [
            {"type": "command", "command": "kill", "args": ["2.goblin"]}, {"type": "say", "text": "Ha, you!"},
        ]})
        .to_string();
        let system =
            json!({"role": "system", "content": format!("# Rules\n{}", Texts::default().raw(TextName::AnswerToon))});
        let body = json!({"messages": [system]});
        let table = "commentary: weak\nactions[2]{type,command,args,text}:\n  command,kill,2.goblin,null\n  \
            say,null,null,\"Ha, you!\"";
        assert_eq!(said(&body, &json), table);
        let helped = json!({"messages": [system], "response_format": {"type": "json_object"}});
        let blocks = json!({"messages": [{"role": "system", "content": [{"type": "text", "text": "JSON"}]}]});
        for other in [helped, blocks, json!({})] {
            assert_eq!(said(&other, &json), json);
        }
        for odd in ["", "compact", "{\"actions\":[", "{\"actions\":[7]}", "{}"] {
            assert_eq!(said(&body, odd), odd);
        }
    }
}
