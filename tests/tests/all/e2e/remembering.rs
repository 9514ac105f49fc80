//! The whole way of a memory: something happens before witnesses, the night makes a story of it, and the prompt of the
//! next login holds it. With the real programs: dp-server, its `dream`, and `dp-agent hud`.

use super::green_with;
use std::time::Duration;
use tests::e2e::{Agent, Options, Player, Server};

/// A place in the open where blood may be shed, and one that is out of its sight.
const YARD: i32 = 109;
const FIELD: i32 = 200;

/// Rounds of a fight until the agent is as badly hurt as the story needs, and somebody has got between.
const ROUNDS_MAX: usize = 60;

/// What a model would read of somebody now.
fn prompt_of(player: &Player) -> String {
    let seen = player.run(&["hud", "--format", "markdown"]);
    assert_eq!(seen.code, Some(0), "{seen:?}");
    seen.out
}

/// The lines of a prompt that name somebody.
fn lines_about<'p>(prompt: &'p str, name: &str) -> Vec<&'p str> {
    prompt.lines().filter(|line| line.contains(name)).collect()
}

/// Quits as soon as it may.
async fn leave(mut agent: Agent) {
    for _ in 0..ROUNDS_MAX {
        agent.command("quit").await;
        while let Some(frame) = agent.next_within(100).await {
            if frame["data"]["text"].as_str().is_some_and(|text| text.contains("Goodbye")) {
                agent.ending().await;
                return;
            }
        }
    }
    panic!("it could not leave: {}", agent.last_text());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_betrayed_and_who_watched_remember_and_who_was_elsewhere_does_not() {
    let server = Server::start_with(Options { tick_ms: 100, ..green_with(&["--dream-cron", "off"]) });
    let mut players = Vec::new();
    let mut agents = Vec::new();
    for name in ["Wren", "Alder", "Finch"] {
        let player = Player::of(&server, name).await;
        let mut agent = server.connect().await;
        agent.log_in(name, player.settings["key"].as_str().expect("a key")).await;
        server.promote(name, 12).await;
        server.place(name, if name == "Finch" { FIELD } else { YARD }).await;
        agents.push(agent);
        players.push(player);
    }
    let [wren, alder, finch]: [Agent; 3] = agents.try_into().ok().expect("three");
    let mut mallory = server.person("Mallory").await;
    let mut bob = server.person("Bob").await;
    let mut ada = server.person("Ada").await;
    server.promote("Mallory", 12).await;
    server.promote("Bob", 25).await;
    server.promote("Ada", 39).await;
    for name in ["Mallory", "Bob"] {
        server.place(name, YARD).await;
    }
    ada.ask("set wren maxhit 400", "400").await;
    ada.ask("set wren hit 400", "400").await;
    ada.ask("set mallory maxhit 400", "400").await;
    ada.ask("set mallory hit 400", "400").await;

    mallory.ask("give 10 coins wren", "You give").await;
    mallory.send("murder wren").await;
    let mut is_saved = false;
    for _ in 0..ROUNDS_MAX {
        // Below 15 % of its hit points: a life is owed.
        ada.ask("set wren hit 20", "20").await;
        bob.send("rescue wren").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        if bob.glance().await.contains("You throw yourself between") {
            is_saved = true;
            break;
        }
    }
    assert!(is_saved, "Bob never got between them");
    for agent in [wren, alder, finch] {
        leave(agent).await;
    }

    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let (today, as_told) = (now.date().to_string(), now.strftime("%b %-d, %Y").to_string());
    let dir = server.state.path().join("dreaming").display().to_string();
    let words = ["dream", "--all", "--dream-zone", "UTC", "--through", &today, "--dreaming-dir", &dir];
    let dreamt = server.command(&words);
    assert_eq!(dreamt.code, Some(0), "{dreamt:?}");

    let [wren, alder, finch] = [&players[0], &players[1], &players[2]].map(prompt_of);
    for (whose, prompt) in [("Wren", &wren), ("Alder", &alder)] {
        let traitor = lines_about(prompt, "Mallory");
        assert!(traitor.iter().any(|line| line.contains("betray")), "{whose} knows who betrayed:\n{prompt}");
        assert!(traitor.iter().any(|line| line.contains(&as_told)), "{whose} knows when:\n{prompt}");
        let friend = lines_about(prompt, "Bob");
        assert!(friend.iter().any(|line| line.contains("escue")), "{whose} knows who helped:\n{prompt}");
    }
    let (_, warnings) = wren.split_once("ACTIVE WARNINGS").expect("there are warnings");
    assert!(warnings.contains("betrayed by Mallory"), "{wren}");
    assert!(lines_about(&wren, "Bob").iter().any(|line| line.contains("saved my life")), "{wren}");
    assert!(lines_about(&finch, "Mallory").is_empty() && lines_about(&finch, "betrayed").is_empty(), "{finch}");
}
