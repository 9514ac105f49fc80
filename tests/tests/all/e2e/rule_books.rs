//! Another rule book: listed, checked, played by and replayed.

use super::green_with;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;
use tests::e2e::{Server, root, run};

/// The folder of a rule book that has only this file, with something changed.
fn book(file: &str, from: &str, to: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(root().join("data/rules").join(file)).expect("the rule book");
    assert!(text.contains(from), "{from}");
    std::fs::write(folder.path().join(file), text.replacen(from, to, 1)).expect("written");
    folder
}

fn path(folder: &Path) -> String {
    folder.display().to_string()
}

#[test]
fn the_rules_are_listed_for_people_and_for_programs() {
    let listed = run(&["rules", "--json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let rules: Value = serde_json::from_str(&listed.out).expect("JSON");
    let spells = rules["spells"].as_array().expect("a list");
    let cure = spells.iter().find(|row| row["name"] == "cure light").expect("a spell");
    assert_eq!((&cure["number"], &cure["violent"], &cure["levels"]["cleric"]), (&16.into(), &false.into(), &1.into()));
    assert_eq!(cure["mana"].as_array().map(Vec::len), Some(3));
    assert!(cure["position"].is_string(), "{cure}");
    let skills = rules["skills"].as_array().expect("a list");
    let backstab = skills.iter().find(|row| row["name"] == "backstab").expect("a skill");
    assert!(backstab["number"].is_i64() && backstab["levels"]["thief"].is_i64(), "{backstab}");

    let plain = run(&["rules"]);
    assert!(plain.out.lines().any(|line| line.contains("cure light") && line.contains("cleric 1")), "{}", plain.out);
}

#[test]
fn a_rule_book_with_errors_is_refused_with_file_and_line() {
    let wrong = book("rules.toml", "death_other_divisor = 3", "death_other_divisor = 0");
    let of_plots = book("plots.toml", "purpose = \"heart\"", "purpose = \"hart\"");
    for (folder, what) in
        [(&wrong, "rules.toml:10: error: death_other_divisor is 0"), (&of_plots, "plots.toml:12: error:")]
    {
        let folder = path(folder.path());
        for words in [vec!["rules", "--rules", &folder], vec!["check", "--world", "data/world", "--rules", &folder]] {
            let answer = run(&words);
            assert_eq!(answer.code, Some(1), "{words:?}");
            let said = format!("{}{}", answer.out, answer.err);
            assert!(said.contains(what), "{words:?}: {said}");
        }
    }
    let folder = path(wrong.path());
    let started = run(&["run", "--state-dir", &folder, "--rules", &folder, "--lenient", "--http", "127.0.0.1:0"]);
    assert!(started.code == Some(1) && started.err.contains("dp-server check --rules"), "{started:?}");

    let empty = tempfile::tempdir().expect("a folder");
    let none = run(&["rules", "--rules", &path(empty.path())]);
    assert!(none.code == Some(1) && none.err.contains("holds no rule book"), "{none:?}");
}

#[tokio::test]
async fn a_server_plays_by_the_rule_book_that_it_is_given() {
    let hard = book("rules.toml", "experience = [1500, 3000", "experience = [777, 3000");
    let rules = path(hard.path());
    let server = Server::start_with(green_with(&["--rules", &rules]));
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    ann.command("score").await;
    ann.expect_text("To level 2    776").await;
    ann.fence().await;
    server.tick(31).await;
    let state = server.stop().state;

    let replay = |more: &[&str]| run(&[&["replay", "--state-dir", &path(state.path())], more].concat());
    let other = replay(&[]);
    assert!(other.code == Some(1) && other.err.contains("--rules"), "{other:?}");
    let same = replay(&["--rules", &rules]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert!(same.out.contains("everything came out as it was"), "{}", same.out);
}
