//! All suites, in the small: what they find, what they write, and that a miss is told by the exit status.

use super::*;

fn order(suites: &[&str]) -> Order {
    let suites = suites.iter().map(|suite| suite.to_string()).collect();
    Order { suites, seed: 1, size: Size::Quick, json: false, output: None, sessions: None }
}

fn run_to_text(order: &Order) -> (bool, String) {
    let (mut out, mut told) = (Vec::new(), Vec::new());
    let passed = run(order, None, &mut out, &mut told).expect("the suites run");
    (passed, String::from_utf8(out).expect("text"))
}

#[test]
fn every_suite_meets_its_targets_in_the_small() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let order = Order { output: Some(folder.path().to_path_buf()), json: true, ..order(&["all"]) };
    let (passed, text) = run_to_text(&order);
    let reports: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let reports = reports.as_array().expect("a list");
    assert_eq!(reports.len(), SUITES.len());
    for (report, suite) in reports.iter().zip(&SUITES) {
        let missed: Vec<&serde_json::Value> = report["measures"]
            .as_array()
            .expect("measures")
            .iter()
            .filter(|measure| ["result", "self_test"].map(Some).contains(&measure["kind"].as_str()))
            .filter(|measure| measure["verdict"] == "missed")
            .collect();
        assert!(missed.is_empty(), "{}: {missed:#?}", suite.name);
        assert_eq!((&report["suite"], &report["name"]), (&suite.number.into(), &suite.name.into()));
        assert!(report["n"].as_u64().expect("a number") >= 30, "{report}");
        let results = report["measures"].as_array().expect("measures");
        let judged = |m: &serde_json::Value| m["kind"] == "result" || m["kind"] == "self_test";
        let aimed = |m: &&serde_json::Value| judged(m) && m.get("target").is_some();
        // The formula of decay and the look-up of facts are asked whether they are themselves.
        let selves = ["e7", "e11"].contains(&suite.number);
        assert!(results.iter().filter(aimed).all(|m| (m["kind"] == "self_test") == selves), "{}", suite.name);
        // Speed has timings only.
        assert_eq!(results.iter().filter(aimed).count() > 0, suite.number != "e4", "{}", suite.name);
        for end in ["json", "md"] {
            assert!(folder.path().join(format!("{}.{end}", suite.number)).is_file(), "{}.{end}", suite.number);
        }
    }
    assert!(passed);
    let svg = fs::read_to_string(folder.path().join("e7-decay.svg")).expect("the figure");
    assert!(svg.starts_with("<svg") && svg.contains("half-life 26.3 nights") && svg.contains("half-life 13.2 nights"));
}

#[test]
fn a_result_is_the_same_each_time() {
    let results = |suites: &[&str]| {
        let (_, text) = run_to_text(&Order { json: true, seed: 4, ..order(suites) });
        let mut reports: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        reports.as_array_mut().expect("a list").iter().map(|r| r["measures"].to_string()).collect::<Vec<_>>()
    };
    let first = results(&["e11", "E5"]);
    assert_eq!(first.len(), 2);
    assert_eq!(first, results(&["truth", "Sameness"]), "by number and by name");
}

#[test]
fn a_suite_that_is_none_is_named() {
    let error = run(&order(&["e5", "e99"]), None, &mut Vec::new(), &mut Vec::new()).expect_err("there is no e99");
    assert!(error.to_string().contains("\"e99\"") && error.to_string().contains("junk (e18)"), "{error}");
}

#[test]
fn only_a_result_beyond_its_interval_fails() {
    let mut progress = |_: &str| {};
    let setup = Setup { seed: 1, size: Size::Quick, sessions: None, likeness: None, progress: &mut progress };
    let judged = |measure: Measure| {
        let mut report = Report::new(&setup, serde_json::json!({}));
        report.add(measure);
        report.judge();
        (report.passed, report.markdown())
    };
    let (passed, text) = judged(Measure::share(Kind::Result, "right", 90, 100).at_least(0.99));
    assert!(!passed && text.contains("**missed**"), "{text}");
    let (passed, text) = judged(Measure::share(Kind::Result, "right", 98, 100).at_least(0.99));
    assert!(passed && text.contains("within the interval"), "{text}");
    assert!(judged(Measure::new(Kind::Timing, "slow", 1.0).at_least(2.0)).0);
    let (passed, text) = judged(Measure::new(Kind::SelfTest, "formula", 1.0).at_least(2.0));
    assert!(!passed && text.contains("self-test: **failed**"), "{text}");
}

#[test]
fn recorded_sessions_are_judged_as_made_up_lives_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let sessions = Some(folder.path().to_path_buf());
    let asked = Order { sessions, json: true, ..order(&["true-sentences"]) };
    let error = run(&asked, None, &mut Vec::new(), &mut Vec::new()).expect_err("nobody is there");
    assert!(format!("{error:#}").contains("no folder with session logs"), "{error:#}");
    let (records, _) = crate::counts::untrue::life(3);
    let agent = dreaming::synthetic::AGENT;
    fs::create_dir(folder.path().join(agent)).expect("a folder");
    let text = dreaming::records::export(agent, true, &records);
    fs::write(folder.path().join(agent).join("2026-01-01-080000.jsonl"), &text).expect("a file");
    // A killed session leaves its prompts unpacked beside its log; whatever is in them is no record.
    let turn = serde_json::json!({
        "at_ms": 1_000, "room_vnum": 8201, "room_name": "The Drill Yard", "hp": 20, "max_hp": 22, "agent_level": 1,
        "fighting": null, "action": "look", "outcome": "ok",
    });
    let prompts = folder.path().join(agent).join("2026-01-01-080000.prompts.jsonl");
    fs::write(prompts, format!("{turn}\n")).expect("a file");
    let (passed, text) = run_to_text(&asked);
    let reports: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(passed && reports[0]["n"].as_u64().is_some_and(|n| n > 100), "{text}");
}
