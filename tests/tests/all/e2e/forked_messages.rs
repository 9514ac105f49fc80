//! `fork --at-message`: what was said is said otherwise, and all before it is as it was.

use super::green;
use agent_cli::stub::PolicyKind;
use server::replay::PastArgs;
use server::state_dir::PlayedIn;
use std::path::Path;
use std::sync::Arc;
use tests::agents::reply::{Arm, Question, Terms, ask, parting};
use tests::e2e::{Options, Run, Server, run};

const QUARREL: &str = "You are a fool, and all the green knows it.";
const PEACE: &str = "You were right, and I was not.";

/// Ann and Bob talk in a group of hers and by tells. The messages: 1 is long, 2 waits until 3 is said (their numbers
/// are those of their saying), 4 is the first tell, 5 and 6 answer, 7 is hidden.
async fn talk() -> (Server, [String; 2]) {
    let server = Server::start_with(green());
    let keys = [server.key("Ann").await, server.key("Bob").await];
    let (mut ann, mut bob) = (server.dial().await, server.dial().await);
    ann.log_in("Ann", &keys[0]).await;
    bob.log_in("Bob", &keys[1]).await;
    ann.ask("channel create Night Watch", "It is yours.").await;
    ann.ask("channel invite bob in nightwatch", "Bob is invited.").await;
    bob.ask("channel join nightwatch", "You are in.").await;
    // The notice that he joined is a message too.
    ann.ask(&format!("chat nightwatch {}", "word ".repeat(195)), "#2] You: word").await;
    ann.ask(&format!("chat nightwatch Come at dusk. {}", "soon ".repeat(20)), "of yours wait").await;
    bob.ask("chat nightwatch I hear you.", "#3] You: I hear you.").await;
    server.tick(12).await;
    ann.expect("#4] You: Come at dusk.").await;
    server.tick(30).await;
    bob.ask(&format!("tell ann {QUARREL}"), "You tell Ann").await;
    ann.ask("reply And you are another.", "You tell Bob").await;
    bob.ask("reply 3 Myself I answer.", "#7 to #3] You: Myself").await;
    bob.ask("chat nightwatch Forget this.", "#8] You: Forget this.").await;
    ann.ask("channel hide 8 in nightwatch", "").await;
    (server, keys)
}

fn fork(state: &Path, message: &str, instead: &[&str], out: &Path) -> Run {
    let (state, out) = (state.display().to_string(), out.display().to_string());
    run(&[&["fork", "--state-dir", &state, "--at-message", message, "--out", &out], instead].concat())
}

#[tokio::test]
async fn a_reply_is_changed_and_nothing_before_it() {
    let (server, keys) = talk().await;
    let state = server.stop().state;
    let out = Arc::new(tempfile::tempdir().expect("a folder"));
    let forked = fork(state.path(), "5", &["--instead", PEACE], out.path());
    assert_eq!(forked.code, Some(0), "{forked:?}");
    let line = format!("It begins with message #5, which Bob types as: tell ann {PEACE}");
    assert!(forked.out.contains(&line) && forked.out.contains("inputs taken along: 1."), "{forked:?}");
    let path = out.path().display().to_string();
    let replayed = run(&["replay", "--state-dir", &path]);
    assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
    let read = run(&["replay", "--state-dir", &path, "--transcript", "Ann"]);
    assert!(read.out.contains(&format!("Bob tells you, \"{PEACE}\"")) && !read.out.contains("fool"), "{read:?}");

    let server = Server::start_with(Options { state: Some(out), ..green() });
    let mut ann = server.dial().await;
    ann.log_in("Ann", &keys[0]).await;
    // Of the ids, 100 and 101 are the two, and 102 is the group.
    ann.ask("channel history 103", PEACE).await;
    let before = ann.ask("channel history nightwatch", "Come at dusk.").await;
    assert!(before.contains("I hear you.") && !before.contains("Myself"), "{before}");
    ann.ask("reply last Thank you.", "You tell Bob").await;
}

#[tokio::test]
async fn words_that_waited_are_changed_where_they_were_typed() {
    let (server, keys) = talk().await;
    // The server of the source may be running.
    let out = Arc::new(tempfile::tempdir().expect("a folder"));
    let forked = fork(server.state.path(), "4", &["--instead", "Stay where you are."], out.path());
    assert_eq!(forked.code, Some(0), "{forked:?}");
    assert!(forked.out.contains("types as: chat nightwatch Stay where you are."), "{forked:?}");
    drop(server);
    let server = Server::start_with(Options { state: Some(out), ..green() });
    let mut ann = server.dial().await;
    ann.log_in("Ann", &keys[0]).await;
    // Four words need no waiting, and Bob has not spoken yet.
    let read = ann.ask("channel history nightwatch", "Stay where you are.").await;
    assert!(read.contains("#3, just now] Ann: Stay") && !read.contains("I hear you."), "{read}");
}

#[tokio::test]
async fn the_same_words_are_the_control_arm_and_an_answer_stays_one() {
    let (server, _) = talk().await;
    let state = server.stop().state;
    let folder = tempfile::tempdir().expect("a folder");
    let same = fork(state.path(), "5", &[], &folder.path().join("same"));
    assert!(same.out.contains(&format!("types as: tell ann {QUARREL}")), "{same:?}");
    // `reply` alone would take the first word for an address.
    let reply = fork(state.path(), "6", &["--instead", "last night was cold."], &folder.path().join("reply"));
    assert!(reply.out.contains("which Ann types as: chat 1"), "{reply:?}");
    let answer = fork(state.path(), "7", &["--instead", "I take it back."], &folder.path().join("answer"));
    assert!(answer.out.contains("which Bob types as: reply 3 I take it back."), "{answer:?}");
}

#[tokio::test]
async fn what_cannot_be_changed_is_refused_and_nothing_is_written() {
    let (server, _) = talk().await;
    let state = server.stop().state;
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("fork");
    let long = "x".repeat(2_001);
    for (message, instead, why) in [
        ("8", "Other words.", "#8 was hidden"),
        ("1", "Other words.", "nobody typed #1"),
        ("99", "Other words.", "there is no message #99; the newest is #9"),
        ("0", "Other words.", "there is no message #0"),
        ("5", long.as_str(), "a message has at most 2000"),
        ("5", "Two\nlines.", "control characters"),
        ("5", "   ", "no words"),
    ] {
        let refused = fork(state.path(), message, &["--instead", instead], &out);
        assert!(refused.code == Some(1) && refused.err.contains(why), "{message} {why}: {refused:?}");
        assert!(!out.exists(), "{message}: something was written");
    }
    let refused = run(&["fork", "--at", "3", "--at-message", "5", "--out", "nowhere"]);
    assert!(refused.code == Some(2) && refused.err.contains("--at-message"), "{refused:?}");
}

#[tokio::test]
async fn programs_go_on_otherwise_from_other_words_and_not_from_the_same() {
    let server = Server::start_with(green());
    let (mut ann, mut bob) = (server.agent("Ann").await, server.agent("Bob").await);
    ann.command("tell bob You are a thief.").await;
    ann.fence().await;
    bob.command(&format!("tell ann {QUARREL}")).await;
    bob.fence().await;
    server.tick(3).await;
    let state = server.stop().state;
    let asked = |instead: &str| {
        let question = Question {
            past: PastArgs { state_dir: state.path().to_path_buf(), played_in: PlayedIn::default() },
            message: 2,
            instead: instead.to_string(),
            terms: Terms {
                seeds: 3,
                ticks: 30,
                policy: PolicyKind::Mirror,
                script: None,
                think_ms: 2_000,
                model_ms: 500,
            },
        };
        std::thread::spawn(|| ask(question).expect("an answer")).join().expect("it is played")
    };
    let same = asked(QUARREL);
    assert_eq!(same.agents, ["Ann", "Bob"]);
    for [one, other] in &same.pairs {
        assert!(one.counts[0][0] > 0, "Ann answers: {:?}", one.deeds);
        assert_eq!((parting(one, other), &one.heard), (None, &other.heard), "the same words are the same arm");
    }
    let other = asked(PEACE);
    let stance = |arm: &Arm| arm.counts.iter().map(|counts| counts[3]).sum::<i64>();
    let stances = [0, 1].map(|at: usize| other.pairs.iter().map(|pair| stance(&pair[at])).sum::<i64>());
    assert!(stances[0] < stances[1], "{stances:?}");
    for [one, other] in &other.pairs {
        let parts = parting(one, other).expect("they part");
        let [was, is] = parts.deeds.map(|deed| deed.expect("both do something").line);
        assert!(was.contains(" 2 ") && is.contains(" 2 "), "with what they do about the message: {was}, {is}");
    }
    let table = other.markdown();
    assert!(table.contains("| all | stance |") && table.contains("They part in 3 of 3 seeds"), "{table}");
    let both = other.side_by_side(0, 5).expect("it was played");
    assert!(both.contains(QUARREL) && both.contains(PEACE), "{both}");
}
