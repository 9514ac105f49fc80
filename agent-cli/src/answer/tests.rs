//! Answers as models write them, good and bad.

use super::*;
use mind::texts::{TextName, Texts};
use proptest::prelude::*;
use serde_json::json;

fn text(content: &str) -> RawReply {
    RawReply { content: content.into(), ..RawReply::default() }
}

fn call(name: &str, arguments: &str) -> RawReply {
    let call = ToolCall { name: name.into(), arguments: arguments.into() };
    RawReply { tool_calls: vec![call], ..RawReply::default() }
}

/// Path, speech, actions, commentary.
fn of(raw: &RawReply) -> (AnswerPath, Vec<String>, Vec<String>, String) {
    let (answer, path) = read(raw).unwrap_or_else(|error| panic!("{error}: {raw:?}"));
    (path, answer.speech, answer.actions, answer.commentary.unwrap_or_default())
}

#[test]
fn every_form_of_the_documents_is_read() {
    let whole = r#"{"commentary":"It is weak.","actions":[{"type":"command","command":"kill","args":["rat"]},{"type":"say","text":"Ha!"}]}"#;
    let asked = RawReply { asked_schema: true, ..text(whole) };
    use AnswerPath::*;
    for (raw, path, speech, actions, commentary) in [
        (asked, Schema, vec!["say Ha!"], vec!["kill rat"], "It is weak."),
        (text(whole), JsonObject, vec!["say Ha!"], vec!["kill rat"], "It is weak."),
        (call("act", whole), ToolCall, vec!["say Ha!"], vec!["kill rat"], "It is weak."),
        (call("compact", "{}"), ToolCall, vec![], vec!["compact"], ""),
        (text(&format!("```json\n{whole}\n```")), JsonObject, vec!["say Ha!"], vec!["kill rat"], "It is weak."),
        (text(&format!("I shall fight.\n{whole}")), FirstLine, vec!["say Ha!"], vec!["kill rat"], "It is weak."),
        (text(r#"{"actions":[]}"#), JsonObject, vec![], vec![], ""),
        (text(r#"[{"command":"north"}]"#), JsonObject, vec![], vec!["north"], ""),
        (
            text(
                r#"{"responses":[{"message":"Hello"},{"to":"Bob","message":"Psst"},{"message":"[no response]"}],"actions":[]}"#,
            ),
            JsonObject,
            vec!["say Hello", "tell Bob Psst"],
            vec![],
            "",
        ),
        (text(r#"{"command":"hit","args":["goblin"]}"#), JsonObject, vec![], vec!["hit goblin"], ""),
        (
            text("{\"command\":\"hit\",\"args\":[\"goblin\"]}\n\"Have at you!\"\nThe goblin is weaker than I am."),
            FirstLine,
            vec!["say Have at you!"],
            vec!["hit goblin"],
            "The goblin is weaker than I am.",
        ),
        (
            text("{\"command\":\"look\"}\n\nI want to know where I am."),
            FirstLine,
            vec![],
            vec!["look"],
            "I want to know where I am.",
        ),
        (
            text("Let me see.\n```json\n{\"command\":\"look\"}\n```\nWho is there?\nJust looking."),
            FirstLine,
            vec!["say Who is there?"],
            vec!["look"],
            "Let me see. Just looking.",
        ),
        (text("actions[1]{type,command,args}:\n  command,kill,2.goblin"), Toon, vec![], vec!["kill 2.goblin"], ""),
        (
            text(
                "commentary: it is weak\nactions[2]{type,command,args,text}:\n  command,kill,rat,null\n  say,null,null,\"Ha, you!\"",
            ),
            Toon,
            vec!["say Ha, you!"],
            vec!["kill rat"],
            "it is weak",
        ),
        (
            text("Here you are:\n```toon\nactions[1]{type,text}:\n  say, Hello!\n```"),
            Toon,
            vec!["say Hello!"],
            vec![],
            "",
        ),
    ] {
        let speech: Vec<String> = speech.into_iter().map(str::to_string).collect();
        let actions: Vec<String> = actions.into_iter().map(str::to_string).collect();
        assert_eq!(of(&raw), (path, speech, actions, commentary.to_string()), "{raw:?}");
    }
}

#[test]
fn the_toon_that_prompts_show_as_the_form_is_read() {
    let example: String =
        Texts::default().raw(TextName::AnswerToon).lines().skip(1).take(4).map(|line| format!("{line}\n")).collect();
    let (path, speech, actions, commentary) = of(&text(&example));
    assert_eq!(path, AnswerPath::Toon);
    assert_eq!((speech, actions), (vec!["say Stand back!".to_string()], vec!["kill 2.goblin".to_string()]));
    assert_eq!(commentary, "one short sentence: why");
    let texts = Texts::default();
    let json = texts.raw(TextName::AnswerJson).lines().find(|line| line.starts_with('{')).expect("an example");
    assert_eq!(of(&text(json)).0, AnswerPath::JsonObject);
}

#[test]
fn where_toon_was_asked_for_it_is_looked_for_first_and_json_will_do() {
    let asked = |content: &str| RawReply { asked_toon: true, ..text(content) };
    let braces = "commentary: \"as {\\\"type\\\":\\\"say\\\"}\"\nactions[1]{type,text}:\n  say,\"{\\\"type\\\":1}\"";
    let (path, speech, ..) = of(&asked(braces));
    assert_eq!((path, speech), (AnswerPath::Toon, vec![r#"say {"type":1}"#.to_string()]));
    let json = r#"Well: {"actions":[{"type":"command","command":"north"}]}"#;
    for content in [json, &json[6..]] {
        assert_eq!(of(&asked(content)).2, ["north"], "JSON is taken all the same");
    }
    for (content, expected) in [
        ("I attack the goblin.", "Your answer holds no TOON: it begins with `actions[1]{type,command,args}:`"),
        ("actions[2]{type,text}:\n  say,a", "Your TOON cannot be read:"),
        ("actions[1]{type,command}:\n  command,frob", "There is no command `frob`"),
    ] {
        let error = read(&asked(content)).expect_err("unreadable").to_string();
        assert!(error.starts_with(expected), "{content}: {error}");
    }
    // The last word may be half a word.
    let cut = RawReply { cut: true, ..asked("actions[1]{type,command,args}:\n  command,kill,2.gob") };
    assert_eq!(read(&cut), Err(AnswerError::CutOff));
}

#[test]
fn what_cannot_be_read_is_answered_with_the_exact_reason() {
    let deep = format!("{}{}", "{\"a\":[".repeat(40), "]}".repeat(40));
    let cut = RawReply { cut: true, ..text("{\"actions\":[{\"type\":\"comm") };
    let long = format!("{{\"actions\":[{}", "\"look\",".repeat(20_000));
    for (raw, expected) in [
        (text(""), "Your answer was empty."),
        (text(" \n "), "Your answer was empty."),
        (text("I attack the goblin."), "Your answer holds no JSON object."),
        (text("{\"actions\":[{\"type\":\"comm"), "Your JSON cannot be read: EOF while parsing a string"),
        (text("{actions:[]}"), "Your JSON cannot be read: key must be a string at line 1 column 2."),
        (text(&deep), "Your JSON is nested deeper than 16 levels."),
        (text(&format!("Well, {deep}")), "Your JSON is nested deeper than 16 levels."),
        (cut, "Your answer was cut off before it was complete: keep it short."),
        (text(&long), "Your answer was cut off before it was complete: keep it short."),
        (text(r#"{"plan":[]}"#), "Your object has no `actions`."),
        (text(r#"{"actions":7}"#), "`actions` is a list of objects."),
        (text(r#"{"actions":[{"type":"command","command":"frob"}]}"#), "There is no command `frob`"),
        (call("fly", "{}"), "There is no tool `fly`: call `act` or `compact`."),
        (call("act", "{\"actions\":"), "Your JSON cannot be read: EOF while parsing a value"),
        (text("actions[2]{type,text}:\n  say,a"), "Your TOON cannot be read:"),
        (text("actions[1]{type,id}:\n  note_remove,x"), "In an action of type `note_remove`: `id` is a whole number"),
    ] {
        let error = read(&raw).expect_err("unreadable").to_string();
        assert!(error.starts_with(expected), "{:.80}: {error}", raw.content);
    }
}

#[test]
fn an_order_to_the_owner_s_account_is_never_read_as_a_line() {
    let raw = text(r#"{"actions":[{"command":"password","args":["old","new"]},{"command":"look"}]}"#);
    let (answer, _) = read(&raw).expect("the rest is usable");
    assert_eq!(answer.actions, ["look"]);
    assert_eq!(answer.dropped.len(), 1);
}

#[test]
fn answers_of_100_kb_are_read_quickly_or_refused() {
    let speech = "x".repeat(100_000);
    let said = json!({"actions": [{"type": "say", "text": speech}]}).to_string();
    assert_eq!(read(&text(&said)), Err(AnswerError::CutOff));
    let first = format!("{{\"command\":\"north\"}}\n\n{}", "blah ".repeat(20_000));
    let (answer, path) = read(&text(&first)).expect("the first line is an answer");
    assert_eq!((path, answer.actions), (AnswerPath::FirstLine, vec!["north".to_string()]));
    for piece in ["{", "[", "{\"a\":", "\"", "\\", "```", "actions[", "{}", "é", "{\"command\":"] {
        let _ = read(&text(&piece.repeat(100_000 / piece.len())));
        let _ = read(&call("act", &piece.repeat(100_000 / piece.len())));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_comes_in_is_a_panic_or_a_dirty_line(
        pieces in prop::collection::vec(prop_oneof![
            any::<String>(),
            prop::sample::select(vec![
                "{", "}", "[", "]", "\"", "\\", ",", ":", "\n", "```", "```json\n", "actions", "actions[2]{type,text}:\n  ",
                "\"actions\":[", "{\"command\":\"kill\"}", "\"type\":\"say\"", "\"text\":", "null", "é", "\u{1b}[2J", "say,",
            ]).prop_map(str::to_string),
        ], 0..24),
        tool in any::<bool>(),
        cut in any::<bool>(),
    ) {
        let content: String = pieces.concat();
        let mut raw = if tool { call("act", &content) } else { text(&content) };
        raw.cut = cut;
        match read(&raw) {
            Ok((answer, _)) => {
                for line in answer.speech.iter().chain(&answer.actions).chain(&answer.commentary) {
                    prop_assert_eq!(clean_text(line), line.as_str());
                }
            }
            Err(error) => {
                let sentence = error.to_string();
                prop_assert!(!sentence.contains(char::is_control), "{sentence:?}");
                prop_assert!(sentence.chars().count() < 600);
            }
        }
    }

    #[test]
    fn a_whole_answer_that_is_cut_anywhere_never_becomes_another(at in 0usize..140) {
        let whole = r#"{"commentary":"Why not.","actions":[{"type":"say","text":"Hello there"},{"type":"command","command":"north","args":[]}]}"#;
        let end = at.min(whole.len() - 1);
        prop_assert!(read(&text(&whole[..end])).is_err());
    }
}

#[test]
fn thoughts_that_stand_before_an_answer_are_no_part_of_it() {
    let look = r#"{"commentary":"c","actions":[{"type":"command","command":"look"}]}"#;
    let draft = r#"{"actions":[{"type":"command","command":"kill","args":["guard"]}]}"#;
    for content in [
        format!("<think>Perhaps {draft}? No.</think>\n\n{look}"),
        format!("<think></think>{look}"),
        format!("<thinking>\n{draft}\n</thinking>\nI look.\n{look}"),
        // Where the prompt itself ends with the opening mark.
        format!("Perhaps {draft}? No.\n</think>\n{look}"),
    ] {
        assert_eq!(of(&text(&content)).2, ["look"], "{content}");
    }
    for unfinished in [format!("<think>Perhaps {draft}"), "<think>".to_string()] {
        assert_eq!(read(&text(&unfinished)), Err(AnswerError::OnlyThought), "{unfinished}");
    }
    assert_eq!(read(&text("<think>I know.</think>")), Err(AnswerError::Empty));
    let said = r#"{"actions":[{"type":"say","text":"a </think> b"}]}"#;
    assert_eq!(of(&text(said)).1, ["say a </think> b"], "what is said is left alone");
}

#[test]
fn thoughts_of_both_layers_are_read_in_every_form_and_bad_ones_are_none() {
    let of = |content: &str, asked_toon: bool| {
        let raw = RawReply { content: content.into(), asked_toon, ..RawReply::default() };
        read(&raw).map(|(answer, _)| (answer.thoughts.ai, answer.thoughts.character)).expect("an answer")
    };
    let some = |text: &str| Some(text.to_string());
    let json = r#"{"commentary":"x","actions":[],"thoughts":{"ai":"It\u0007  pays.","character":" "}}"#;
    assert_eq!(of(json, false), (some("It pays."), None));
    let toon = "commentary: x\nactions: []\nthoughts:\n  ai: It pays.\n  character: \"I am cold, Mira\"";
    assert_eq!(of(toon, true), (some("It pays."), some("I am cold, Mira")));
    for odd in ["null", "7", "[]", r#""ai""#, r#"{"ai":7}"#, r#"{"ai":{"ai":"x"}}"#] {
        assert_eq!(of(&format!(r#"{{"commentary":"x","actions":[],"thoughts":{odd}}}"#), false), (None, None), "{odd}");
    }
    let call = ToolCall {
        name: "act".into(),
        arguments: r#"{"commentary":"x","actions":[],"thoughts":{"ai":null,"character":"Cold."}}"#.into(),
    };
    let raw = RawReply { tool_calls: vec![call], ..RawReply::default() };
    assert_eq!(read(&raw).expect("an answer").0.thoughts.character, some("Cold."));
}
