//! What a model orders its agent to do, from outside: agents in-process, with a scripted model.

use agent_cli::agent::{Agent, AgentSettings};
use agent_cli::model::ModelSettings;
use agent_cli::stub::policy::Scripted;
use agent_cli::stub::{self, Policy, Reply};
use agent_cli::thought::Thought;
use protocol::frame::{ClientFrame, Command};
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tests::agents::oracle::Oracle;
use tests::agents::play::{Seated, play_with};
use tests::agents::{Act, Player, Report, Setting};
use tests::scene::{read_content, tests_folder};

/// Questions to the model: when, and how its prompt ended.
type Asked = Rc<RefCell<Vec<(u64, String)>>>;

/// An agent whose model says what the script says, then that it waits.
fn scripted(script: &str, settings: AgentSettings) -> (Seated, Asked) {
    let asked = Asked::default();
    let mut policy = Scripted::read(script).expect("a script");
    let (told, model) = (asked.clone(), ModelSettings::default());
    let oracle: Oracle = Box::new(move |prompt, now_ms| {
        told.borrow_mut().push((now_ms, prompt.text()));
        stub::think(&mut policy as &mut dyn Policy, &model, "agent", prompt, Duration::from_millis(800), false)
    });
    ((Box::new(Agent::new(settings)), Some(oracle)), asked)
}

/// Says something at a time, and nothing else.
struct Speaker {
    at_ms: u64,
    said: bool,
}

impl Player for Speaker {
    fn read(&mut self, _: &str, _: u64) {}

    fn act(&mut self, now_ms: u64) -> Vec<Act> {
        if self.said || now_ms < self.at_ms {
            return Vec::new();
        }
        self.said = true;
        vec![Act::Send(ClientFrame::Command(Command { command: "say good day to you".into(), ..Command::default() }))]
    }

    fn on_thought(&mut self, _: u64, _: Thought, _: u64) {}
}

fn played(script: &str, start: i32, minutes: u64, speaks_at_ms: Option<u64>) -> (Report, Vec<(u64, String)>) {
    let content = Arc::new(read_content(&tests_folder().join("../data/world")));
    let players = 1 + usize::from(speaks_at_ms.is_some());
    let setting = Setting { minutes, players, start: Some(start), trace: true, ..Setting::default() };
    let mut asked = Asked::default();
    let reports = play_with(&content, &setting, 1, &mut |n| match (n, speaks_at_ms) {
        (1, Some(at_ms)) => Ok((Box::new(Speaker { at_ms, said: false }) as Box<dyn Player>, None)),
        _ => {
            let (seated, told) = scripted(script, AgentSettings::default());
            asked = told;
            Ok(seated)
        }
    });
    let report = reports.expect("it plays").swap_remove(0);
    let asked = asked.take();
    (report, asked)
}

/// Problem 1 of the review: "I wait", in a room full of prey, for three minutes.
#[test]
fn who_waits_does_nothing_but_keep_itself_well() {
    let script = r#"{"reply":{"commentary":"I promised Bob to wait here. I wait.","actions":[]},"times":100000}"#;
    let (report, asked) = played(script, 8201, 3, None);
    let others: Vec<_> =
        report.by_policy.keys().filter(|by| !by.starts_with("upkeep:") && !by.starts_with("retrieval:")).collect();
    assert!(others.iter().all(|by| by.starts_with("reflex:")), "{:?}\n{:#?}", report.by_policy, report.trace);
    assert_eq!(report.rooms, 1, "{:#?}", report.trace);
    // In three minutes there are thirty-six times five seconds; but people come and go, and that is news.
    assert!(asked.len() <= 28, "{} questions", asked.len());
}

#[test]
fn what_was_delegated_is_hunted_and_stops_at_its_end() {
    let script = r#"{"reply":{"commentary":"On.","actions":[{"type":"delegate","policies":["hunt","explore","rest"],"ticks":30,"until":null}]}}"#;
    let (report, asked) = played(script, 8201, 4, None);
    assert!(report.kills > 0 && report.rooms > 1, "{:?}\n{:#?}", report.by_policy, report.trace);
    // It was asked at the beginning, and again when the minute was over: there was enough to do for as long.
    let (again_ms, prompt) = &asked[1];
    assert!(
        (50_000..70_000).contains(&(again_ms - asked[0].0)),
        "{:?}",
        asked.iter().map(|(at, _)| at).collect::<Vec<_>>()
    );
    assert!(prompt.contains("its time is over"), "{prompt}");
    let late: Vec<&String> =
        report.trace.iter().filter(|line| second(line).is_some_and(|at| at * 1_000 > again_ms + 1_000)).collect();
    let hunted = late.iter().any(|line| line.contains("(hunt)") || line.contains("(explore)"));
    assert!(!hunted, "{late:#?}");
}

#[test]
fn who_waits_to_be_spoken_to_is_asked_at_once_when_it_is() {
    let script =
        r#"{"reply":{"commentary":"I wait.","actions":[{"type":"wait","until":["spoken_to"],"ticks":150}]},"times":9}"#;
    // In the room of newcomers nobody fights.
    let (report, asked) = played(script, 8004, 3, Some(90_000));
    let times: Vec<u64> = asked.iter().map(|(at, _)| at - asked[0].0).collect();
    assert!(times.len() == 2 && (85_000..93_000).contains(&times[1]), "{times:?}\n{:#?}", report.trace);
    assert!(asked[1].1.contains("spoke to you") && asked[1].1.contains("good day to you"), "{}", asked[1].1);
}

#[test]
fn it_walks_back_to_a_room_by_its_name() {
    let script = concat!(
        r#"{"reply":{"commentary":"Look around.","actions":[{"type":"delegate","policies":["explore"],"ticks":8}]}}"#,
        "\n",
        r#"{"expect":"over after","reply":{"commentary":"Back.","actions":[{"type":"goto","to":"START"}]}}"#,
    );
    let content = read_content(&tests_folder().join("../data/world"));
    let name =
        content.rooms.iter().find(|room| room.vnum == 8004).map(|room| room.name.to_string()).expect("the start");
    let (report, asked) = played(&script.replace("START", &name), 8004, 4, None);
    let walked = report.trace.iter().filter(|line| line.contains("(zai/glm-5-turbo)")).count();
    let end = asked.iter().find(|(_, prompt)| prompt.contains("arrived after"));
    assert!(walked > 0 && end.is_some(), "{walked} steps\n{:#?}", report.trace);
}

/// The second that a line of a trace begins with.
fn second(line: &str) -> Option<u64> {
    line.trim_start().split(" s ").next()?.parse().ok()
}

/// What the script's reader makes of an order, so that a slip in a script is no pass.
#[test]
fn the_scripts_answers_can_be_read() {
    let mut policy =
        Scripted::read(r#"{"reply":{"actions":[{"type":"wait","until":["spoken_to"]}]}}"#).expect("a script");
    let Reply::Answer(said) = policy.reply(&Value::Null) else { panic!("an answer") };
    let raw = agent_cli::answer::RawReply { content: said.content, ..Default::default() };
    assert!(agent_cli::answer::read(&raw).expect("it is read").0.order.is_some());
}
