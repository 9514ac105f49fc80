//! Reading, checking, showing and writing the configuration.

use super::*;

#[test]
fn the_published_file_is_read_as_it_stands() {
    let text = r#"{
  "key": "dp_your_key_here", "player_name": "your_character", "tier": "medium", "model_fast": "zai/glm-5-turbo",
  "model_fallback": "deepseek-v4-flash", "litellm_endpoint": "http://localhost:4000", "game_host": "localhost",
  "game_port": 4350, "temperature": 0.0, "valence": true, "log_dir": "data/logs", "log_level": "info"
}"#;
    let (_, config) = parse(text).expect("it is right");
    let expected = Config {
        key: Some("dp_your_key_here".into()),
        player_name: Some("your_character".into()),
        litellm_endpoint: Some("http://localhost:4000".into()),
        ..Config::default()
    };
    assert_eq!(config, expected);
    assert_eq!(parse("").expect("none is none").1, Config::default());
}

#[test]
fn every_mistake_is_named_with_its_line() {
    let text = "{\n  \"teir\": \"small\",\n  \"game_port\": \"many\",\n  \"model-fast\": \"x\",\n  \
                \"policies\": {\n    \"loot\": true,\n    \"dance\": true\n  },\n  \"temperature\": 7\n}";
    let problems = parse(text).expect_err("it is wrong");
    let lines: Vec<usize> = problems.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 4, 7, 9], "{problems:?}");
    assert!(problems[0].1.contains("no field `teir`"));
    assert!(problems[1].1.contains("whole number from 1 to 65535"));
    assert!(problems[2].1.contains("did you mean `model_fast`?"));
    assert!(problems[3].1.contains("`dance`, which is no policy"));
    let problems = parse("{\n\"key\": \n}").expect_err("it is no JSON");
    assert_eq!(problems[0].0, 3);
}

#[test]
fn every_field_can_be_shown_and_set_again() {
    for field in FIELDS {
        let mut config = Config::default();
        let value = (field.get)(&Config::default());
        if !value.is_null() {
            (field.set)(&mut config, value).unwrap_or_else(|what| panic!("{} {what}", field.name));
        }
        assert_eq!(config, Config::default(), "{}", field.name);
        assert!(field.doc.ends_with('.'), "{}", field.name);
    }
}

#[test]
fn there_need_not_be_a_fallback() {
    let mut file = ConfigFile { path: "x".into(), stored: Map::new(), config: Config::default(), key_was_given: false };
    for (words, name) in [("none", ""), ("other", "other"), ("", "deepseek-v4-flash")] {
        file.set("model_fallback", words).expect("it is right");
        assert_eq!(file.config.model_fallback, name);
        let (_, read) = parse(&Value::Object(file.stored.clone()).to_string()).expect("it is right");
        assert_eq!(read, file.config, "what is stored means the same");
    }
}

#[test]
fn secrets_are_masked() {
    let key = format!("dp_{}", "0123456789abcdef".repeat(4));
    let config = Config { key: Some(key.clone()), llm_key: Some("short".into()), ..Config::default() };
    let shown = config.shown().to_string();
    assert!(!shown.contains(&key) && !shown.contains("short"), "{shown}");
    assert!(shown.contains("dp_012…cdef"), "{shown}");
}

#[test]
fn the_file_is_for_its_owner_only_and_keeps_what_it_held() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/agent.json");
    let mut file = ConfigFile::read(&path).expect("none is none");
    file.set("player-name", "Bob").expect("a name");
    file.set("think_ms", "2500").expect("a number");
    file.set("policies", "{\"loot\": false}").expect("an object");
    assert!(file.set("think_ms", "soon").is_err());
    file.save().expect("written");
    let again = ConfigFile::read(&path).expect("read");
    assert_eq!((again.config.think_ms, again.config.policies.get("loot")), (Some(2_500), Some(&false)));
    let text = std::fs::read_to_string(&path).expect("read");
    assert!(!text.contains("tier"), "defaults are not written: {text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
    file.set("think_ms", "").expect("the default");
    assert_eq!(file.config.think_ms, None);
    assert_eq!(std::fs::read_dir(path.parent().expect("deep")).expect("listed").count(), 1, "no leftovers");
}

#[test]
fn one_way_to_decide_is_set_and_odd_councils_are_refused() {
    let method = |text: &str| parse(text).expect("it is right").1.method();
    assert_eq!(method("{}").ok(), Some(Method::Alone));
    assert_eq!(method(r#"{"council": "all"}"#).ok(), Some(Method::Council(Seats::ALL)));
    assert_eq!(method(r#"{"votes": 3}"#).ok(), Some(Method::Votes(3)));
    let both = method(r#"{"votes": 3, "council": "inner,outer"}"#).expect_err("which?").to_string();
    assert!(both.contains("two ways to decide") && both.contains("`council` is inner,outer"), "{both}");
    for (text, why) in [
        (r#"{"council": "observer"}"#, "observer alone has nobody to observe"),
        (r#"{"council": ","}"#, "a council of nobody"),
        (r#"{"council": "inner,INNER"}"#, "named twice"),
        (r#"{"votes": 10}"#, "from 1 to 9"),
        (r#"{"council_models": {"body": "m"}}"#, "names `body`, which is no mind"),
        (r#"{"council_models": {"outer": ""}}"#, "no name of a model"),
    ] {
        let problems = parse(text).expect_err(text);
        assert!(problems[0].1.contains(why), "{text}: {problems:?}");
    }
    let (_, config) = parse(r#"{"council": "observer,inner", "council_models": {"observer": "m"}}"#).expect("right");
    assert_eq!(config.council.map(Seats::written).as_deref(), Some("inner,observer"));
    assert_eq!(config.council_models.get(&Member::Observer).map(String::as_str), Some("m"));
}
