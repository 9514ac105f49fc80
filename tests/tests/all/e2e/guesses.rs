//! Somebody tries passwords of somebody else.

use super::{green_with, login};
use serde_json::{Value, json};
use tests::e2e::{Agent, Server};

/// A character with a password, made by a program.
async fn made(server: &Server, name: &str, password: &str) -> String {
    let mut agent = server.connect().await;
    let data =
        json!({"player_name": name, "password": password, "is_agent": true, "new_char": true, "class": 3, "race": 0});
    agent.send(login(data)).await;
    let token = agent.logged_in().await["data"]["token"].as_str().expect("a token").to_string();
    agent.close().await;
    token
}

async fn answer_to(server: &Server, data: Value) -> (Agent, Value) {
    let mut agent = server.connect().await;
    agent.send(login(data)).await;
    let answer = agent.next().await;
    (agent, answer)
}

#[tokio::test]
async fn an_own_login_after_every_eighth_guess_buys_no_more_guesses() {
    let server = Server::start_with(green_with(&[]));
    made(&server, "Victim", "correct horse").await;
    let token = made(&server, "Mallory", "battery staple").await;
    let mut checked = 0;
    for nth in 0..54 {
        if nth % 8 == 7 {
            // By token, by password and by making somebody, in turn.
            let own = match nth / 8 % 3 {
                0 => json!({"player_name": "Mallory", "token": token, "is_agent": true}),
                1 => json!({"player_name": "Mallory", "password": "battery staple", "is_agent": true}),
                _ => json!({"player_name": format!("Junk{}", "abcdefgh".chars().nth(nth / 8).expect("a letter")),
                    "password": "battery staple", "is_agent": true, "new_char": true, "class": 3, "race": 0}),
            };
            let (agent, _) = answer_to(&server, own).await;
            agent.close().await;
        }
        let guess = json!({"player_name": "Victim", "password": format!("guess number {nth}"), "is_agent": true});
        let (_, answer) = answer_to(&server, guess).await;
        checked += u32::from(answer["data"]["code"] == "bad_login");
    }
    assert!(checked <= 10, "{checked} of 54 guesses were checked");
}

#[tokio::test]
async fn guesses_from_many_addresses_meet_the_limit_of_the_account_and_the_owner_is_told() {
    // The address is not locked out here, as if each guess came from another.
    let server = Server::start_with(green_with(&["--failures-before-lockout", "0"]));
    let token = made(&server, "Victim", "correct horse").await;
    let key = server.key("Victim").await;
    let mut codes = Vec::new();
    for nth in 0..14 {
        let guess = json!({"player_name": "Victim", "password": format!("guess number {nth}"), "is_agent": true});
        codes.push(answer_to(&server, guess).await.1["data"]["code"].clone());
    }
    assert!(codes[..10].iter().all(|code| code == "bad_login"), "{codes:?}");
    assert!(codes[10..].iter().all(|code| code == "rate_limited"), "{codes:?}");
    // Even the right one waits, and it is said for how long.
    let right = json!({"player_name": "Victim", "password": "correct horse", "is_agent": true});
    let (_, answer) = answer_to(&server, right).await;
    assert!(answer["data"]["message"].as_str().is_some_and(|text| text.contains("for a minute")), "{answer}");
    // Keys and tokens do not wait, and who comes in is told once.
    let mut agent = server.connect().await;
    agent.send(login(json!({"player_name": "Victim", "token": token, "is_agent": true}))).await;
    agent.logged_in().await;
    agent.expect_text("wrong password was given for you 10 times").await;
    agent.close().await;
    let mut again = server.connect().await;
    again.log_in("Victim", &key).await;
    again.fence().await;
    assert!(!super::texts(&again.frames).contains("wrong password"));
    let metrics = server.get("/metrics").await.body;
    assert!(metrics.contains("dp_back_offs_total 1\n"), "{metrics}");
}

#[tokio::test]
async fn a_guess_by_a_change_of_password_counts_as_one_by_login() {
    let server = Server::start_with(green_with(&["--lockout-minutes", "15"]));
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    for nth in 0..5 {
        ann.ask("4", "present password:").await;
        ann.ask(&format!("guess number {nth}"), "new one:").await;
        ann.ask("turbot22", "once more:").await;
        ann.ask("turbot22", "not your present password").await;
        ann.expect("What will it be?").await;
    }
    ann.ask("1", "Village Green").await;
    for nth in 5..10 {
        ann.ask(&format!("password guess{nth} turbot22"), "not your present password").await;
    }
    ann.ask("password swordfish turbot22", "Too many failed logins").await;
    let mut other = server.dial().await;
    other.expect("known?").await;
    other.ask("Ann", "Password:").await;
    other.ask("swordfish", "Too many failed logins").await;
}

#[tokio::test]
async fn who_sits_at_a_session_of_a_key_cannot_give_it_a_password() {
    let server = Server::start_with(green_with(&[]));
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    agent.log_in("Brenda", &key).await;
    agent.command("password nothing turbot22").await;
    agent.expect_text("Give its key in the place of the present one").await;
    agent.command(&format!("password {key} turbot22")).await;
    agent.expect_text("Your password is changed").await;
    agent.close().await;
    let mut person = server.dial().await;
    person.log_in("Brenda", "turbot22").await;
}

#[tokio::test]
async fn tokens_and_new_characters_have_a_rate_of_their_own() {
    let words = ["--logins-per-second", "100", "--token-logins-per-second", "1", "--creations-per-hour", "2"];
    let server = Server::start_with(green_with(&words));
    let token = made(&server, "Ann", "correct horse").await;
    made(&server, "Bob", "correct horse").await;
    let third = json!({"player_name": "Cid", "password": "correct horse", "is_agent": true, "new_char": true,
        "class": 3, "race": 0});
    let (_, answer) = answer_to(&server, third).await;
    assert_eq!(answer["data"]["code"], "rate_limited", "{answer}");
    assert!(answer["data"]["message"].as_str().is_some_and(|text| text.contains("30 minutes")), "{answer}");
    let mut refused = 0;
    for _ in 0..40 {
        let (_, answer) = answer_to(&server, json!({"player_name": "Ann", "token": token, "is_agent": true})).await;
        refused += u32::from(answer["data"]["code"] == "rate_limited");
    }
    assert!((1..=20).contains(&refused), "{refused} of 40 were refused");
}
