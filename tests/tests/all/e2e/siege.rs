//! A siege of seconds: whether it is noticed what breaks, and whether nothing does. The real one is `lab --bin siege`.

use lab::siege::{self, Bounds, Options, Report, Strength};
use std::time::Duration;
use tests::e2e::root;

/// Few players, few sockets, and bounds of time that a busy machine in a debug build keeps.
async fn besieged(triggers: &[&str], seconds: f64, words: &[&str]) -> Report {
    let options = Options {
        world: root().join("data/world"),
        players: 20,
        seconds,
        seed: 1,
        tick_ms: 500,
        triggers: triggers.iter().map(|name| name.to_string()).collect(),
        // A test process may have a thousand files.
        strength: Strength { share: 0.05, nice: 0 },
        // Whatever room there is on the disk of this machine.
        more: [&["--capture-low-mb", "0"], words].concat().iter().map(|word| word.to_string()).collect(),
        bounds: Bounds {
            p99_ms: 5_000.0,
            login_p99_ms: 10_000.0,
            restart: Duration::from_secs(60),
            ..Bounds::default()
        },
    };
    let playing = siege::run(&options);
    let played = tokio::time::timeout(Duration::from_secs(180), playing).await;
    played.expect("a siege has an end").expect("it is played to its end")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_siege_takes_nothing_from_who_plays_meanwhile() {
    let report = besieged(&[], 6.0, &[]).await;
    assert!(report.broken().is_empty(), "{report}");
    let json = report.to_json();
    let triggers = json["triggers"].as_array().expect("a list");
    // Those that need no character of their own come to something, however busy the machine is.
    for name in ["unread_answers", "silent_sockets", "fat_heads", "name_asking", "foreign_page"] {
        let tried = triggers.iter().find(|trigger| trigger["name"] == name).map(|trigger| trigger["tried"].as_u64());
        assert!(tried.flatten() > Some(0), "{name}: {report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_siege_of_a_server_without_locks_finds_the_password() {
    let words = ["--failures-before-lockout", "0", "--failures-before-back-off", "0"];
    let report = besieged(&["guessing"], 9.0, &words).await;
    // Whoever guesses it takes the character over, so its owner is thrown out as well.
    let broken = report.broken();
    assert!(broken.contains(&"a password is not guessed"), "{report}");
    assert!(broken.contains(&"nobody loses the connection"), "{report}");
    if let Some(left) = &report.left {
        std::fs::remove_dir_all(left).expect("it is ours");
    }
}
