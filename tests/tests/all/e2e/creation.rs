//! New characters, by either door.

use super::{green, green_with, login};
use serde_json::{Value, json};
use tests::e2e::Server;

#[tokio::test]
async fn one_message_makes_a_character_of_that_class_and_race() {
    let server = Server::start_with(green());
    for (data, class, race) in [
        (json!({"class": 3, "race": 0}), "Warrior", "Human"),
        (json!({"class": "Magic-user", "race": "elf", "sex": "F"}), "Magic-user", "Elf"),
        (json!({"class": "2", "race": "3", "hometown": "K", "new_char": 1}), "Thief", "Kender"),
    ] {
        let mut data = data;
        let name = format!("New{class}").replace('-', "");
        for (key, value) in [("player_name", json!(name)), ("password", json!("swordfish"))] {
            data[key] = value;
        }
        for key in ["new_char", "is_agent"] {
            if data.get(key).is_none() {
                data[key] = json!(true);
            }
        }
        let mut agent = server.connect().await;
        agent.send(login(data)).await;
        let state = agent.logged_in().await;
        let player = &state["data"]["player"];
        assert_eq!((&player["class"], &player["race"]), (&json!(class), &json!(race)), "{state}");
        agent.command("quit").await;
        assert_eq!(agent.ending().await.0, 1000);
        // It has a password, and no key.
        let mut again = server.connect().await;
        again.log_in(&name, "swordfish").await;
    }
    assert_eq!(server.admin("GET", "keys").await, json!([]));
}

/// A name with digits must not pass for somebody's without, neither for programs nor for people.
#[tokio::test]
async fn a_name_that_looks_like_anothers_makes_nobody() {
    let server = Server::start_with(green());
    let new = |name: &str| {
        login(json!({"player_name": name, "password": "swordfish", "new_char": true, "is_agent": true,
            "class": "warrior", "race": "human"}))
    };
    let mut mira = server.connect().await;
    mira.send(new("Mira")).await;
    mira.logged_in().await;
    let mut other = server.connect().await;
    other.send(new("M1ra")).await;
    other.expect_error("name_refused").await;
    let mut person = server.dial().await;
    person.expect("known?").await;
    person.ask("M1ra", "taken for somebody else's").await;
    // Digits alone are no harm.
    person.ask("Mira2", "(yes/no)").await;
}

#[tokio::test]
async fn newcomers_of_one_seed_and_name_are_alike() {
    let mut stats = Vec::new();
    for (seed, name) in [("7", "Wren"), ("7", "Wren"), ("7", "Finch"), ("8", "Wren")] {
        let server = Server::start_with(green_with(&["--seed", seed]));
        let mut agent = server.connect().await;
        let data = json!({"player_name": name, "password": "swordfish", "new_char": true, "is_agent": true,
            "class": "warrior", "race": "human"});
        agent.send(login(data)).await;
        agent.logged_in().await;
        // A key makes a character, too.
        let key = server.key("Keyed").await;
        let mut both = String::new();
        for (name, secret) in [(name, "swordfish"), ("Keyed", &*key)] {
            let mut person = server.dial().await;
            person.log_in(name, secret).await;
            both += &person.ask("score", "Damage roll").await.replace(name, "");
        }
        stats.push(both);
    }
    assert_eq!(stats[0], stats[1]);
    assert!(stats[0] != stats[2] && stats[0] != stats[3], "{stats:?}");
}

#[tokio::test]
async fn the_dialogue_asks_six_questions_and_asks_again_after_nonsense() {
    let server = Server::start_with(green());
    let mut agent = server.connect().await;
    agent
        .send(login(json!({"player_name": "Talker", "password": "swordfish", "is_agent": true, "new_char": true})))
        .await;
    for (stage, answer) in [
        ("color", "N"),
        ("sex", "F"),
        ("race", "1"),
        ("class", "0"),
        ("hometown", "K"),
        ("stats_roll", "N"),
        ("stats_roll", "Y"),
    ] {
        let question = agent.next().await;
        assert_eq!((&question["type"], &question["data"]["stage"]), (&json!("char_create"), &json!(stage)));
        assert!(question["data"]["options"].get(answer).is_some(), "{question}");
        if stage == "class" {
            agent.send(json!({"type": "char_input", "data": {"choice": "dragon"}})).await;
            agent.expect_error("bad_field").await;
            assert_eq!(agent.next().await["data"]["stage"], "class", "the same question again");
        }
        agent.send(json!({"type": "char_input", "data": {"choice": answer}})).await;
    }
    let state = agent.logged_in().await;
    assert_eq!(state["data"]["player"]["race"], "Elf");
    agent.send(json!({"type": "char_input", "data": {"choice": "Y"}})).await;
    agent.expect_error("no_creation").await;
}

#[tokio::test]
async fn what_cannot_be_made_is_refused_and_the_connection_goes_on() {
    let server = Server::start_with(green());
    server.key("Taken").await;
    let mut agent = server.connect().await;
    let new = |name: Value, more: Value| {
        let mut data = json!({"player_name": name, "password": "swordfish", "new_char": true, "class": 3, "race": 0});
        for (key, value) in more.as_object().expect("an object") {
            data[key] = value.clone();
        }
        login(data)
    };
    for (frame, code, why) in [
        (new(json!("taken"), json!({})), "name_refused", "somebody has it"),
        (new(json!("taken"), json!({"password": "x"})), "name_refused", "somebody has it, whatever the password"),
        (new(json!("quit"), json!({})), "name_refused", "a word of the game"),
        (new(json!("Bad\u{1b}[31mName"), json!({})), "name_refused", "control characters"),
        (new(json!("x"), json!({})), "name_refused", "too short"),
        (new(json!("Newcomer"), json!({"class": 77})), "bad_field", "no such class"),
        (new(json!("Newcomer"), json!({"class": "king"})), "bad_field", "no such class by name"),
        (new(json!("Newcomer"), json!({"class": 8, "race": 1})), "bad_field", "elves are no ninjas"),
        (new(json!("Newcomer"), json!({"password": "x"})), "bad_field", "too short a password"),
        (new(json!("Newcomer"), json!({"password": null})), "bad_field", "no password"),
    ] {
        agent.send(frame).await;
        let error = agent.next().await;
        assert_eq!((&error["type"], &error["data"]["code"]), (&json!("error"), &json!(code)), "{why}: {error}");
    }
    agent.send(new(json!("Newcomer"), json!({"is_agent": true}))).await;
    agent.logged_in().await;
    assert_eq!(server.get("/health").await.json()["players"], 1);
}

#[tokio::test]
async fn two_who_want_one_new_name_at_once_do_not_both_get_it() {
    let server = Server::start_with(green());
    let (mut one, mut other) = (server.connect().await, server.connect().await);
    for (agent, password) in [(&mut one, "swordfish"), (&mut other, "haddocks")] {
        let data = json!({"player_name": "Twin", "password": password, "is_agent": true, "new_char": true, "class": 3, "race": 0});
        agent.send(login(data)).await;
    }
    let (first, second) = (one.next().await, other.next().await);
    let kinds = [first["type"].clone(), second["type"].clone()];
    assert!(kinds.contains(&json!("state")) && kinds.contains(&json!("error")), "{first} {second}");
    let loser = if first["type"] == "error" { first } else { second };
    assert_eq!(loser["data"]["code"], "name_refused");
}

#[tokio::test]
async fn a_person_makes_a_character_by_telnet_and_the_password_is_never_shown() {
    let server = Server::start_with(green());
    let mut ann = server.dial().await;
    ann.expect("known?").await;
    ann.ask("quit", "reserved").await;
    ann.ask("Ann", "(yes/no)").await;
    ann.ask("maybe", "yes or no").await;
    ann.ask("yes", "A password:").await;
    ann.ask("ab", "A password:").await;
    assert!(ann.hidden, "what is typed must be hidden");
    ann.ask("swordfish", "once more:").await;
    ann.ask("swordfisch", "differ").await;
    ann.expect("A password:").await;
    ann.ask("swordfish", "once more:").await;
    ann.ask("swordfish", "colours").await;
    ann.ask("n", "male or female").await;
    assert!(!ann.hidden, "answers may be seen again");
    ann.ask("m", "people").await;
    ann.ask("?", "Dwarf. Short, broad").await;
    ann.expect("Of which people are you?").await;
    ann.ask("0", "none of the choices").await;
    ann.ask("3", "calling").await;
    ann.ask("Ninja", "none of the choices").await;
    // There is one home only, so nobody asks for it.
    ann.ask("cleric", "Keep them").await;
    ann.ask("n", "Keep them").await;
    ann.ask("y", "What will it be?").await;
    ann.ask("1", "The Village Green").await;
    let score = ann.ask("score", "Gold").await + &ann.fence().await;
    assert!(score.contains("Dwarf") || score.contains("dwarf"), "{score}");
    assert!(!String::from_utf8_lossy(&ann.bytes).contains("swordfish"));
    assert!(!server.log().contains("swordfish"));
}

#[tokio::test]
async fn a_name_that_somebody_is_about_to_take_is_offered_to_nobody_else() {
    let server = Server::start_with(green());
    let (mut ann, mut other) = (server.dial().await, server.dial().await);
    ann.expect("known?").await;
    ann.ask("Torvin", "(yes/no)").await;
    other.expect("known?").await;
    other.ask("torvin", "about to take that name").await;
    // Whoever thinks of another name lets the first one go.
    ann.ask("no", "known?").await;
    ann.ask("Wynne", "(yes/no)").await;
    other.ask("Torvin", "(yes/no)").await;
}

#[tokio::test]
async fn who_comes_back_is_told_when_it_was_here_and_not_the_lesson_again() {
    let server = Server::start_with(green());
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    let mut again = server.dial().await;
    again.expect("known?").await;
    again.ask("Ann", "Password:").await;
    again.ask("swordfish", "Welcome back, Ann. You were last here on").await;
    // Programs begin anew each time, and are taught each time.
    let mut agent = server.connect().await;
    agent.log_in("Ann", "swordfish").await;
}
