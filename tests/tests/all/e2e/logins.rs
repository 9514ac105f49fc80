//! Who gets in as whom: keys, tokens, takeover, two at once.

use super::{green, green_with, login};
use serde_json::json;
use tests::e2e::{Agent, Server};

#[tokio::test]
async fn both_login_dialects_are_understood_and_a_key_needs_no_name() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    for (data, why) in [
        (json!({"player_name": "Brenda", "password": key, "is_agent": true}), "the published form"),
        (
            json!({"player_name": "brenda", "mode": "agent", "api_key": key, "context_budget": "medium"}),
            "the older form",
        ),
        (json!({"mode": "agent", "api_key": key}), "a key names its character"),
        (json!({"player_name": "BRENDA", "password": key, "is_agent": "true", "tier": 7}), "words for truth"),
    ] {
        let mut agent = server.connect().await;
        agent.send(login(data)).await;
        let state = agent.next().await;
        assert_eq!(state["data"]["player"]["name"], "Brenda", "{why}: {state}");
        // Whoever was here before remembers it; that comes between the two.
        let mut next = agent.next().await;
        while ["memory_bootstrap", "memory_summary"].contains(&next["type"].as_str().unwrap_or_default()) {
            next = agent.next().await;
        }
        assert_eq!(next["type"], "vars", "{why}");
        agent.close().await;
    }
}

#[tokio::test]
async fn a_key_opens_only_its_own_character_by_either_door() {
    let server = Server::start_with(green());
    let (key, _) = (server.key("Brenda").await, server.key("Carla").await);
    let mut agent = server.connect().await;
    agent.send(login(json!({"player_name": "Carla", "password": key, "is_agent": true}))).await;
    assert_eq!(agent.next().await["data"]["code"], "bad_login");
    agent.send(login(json!({"player_name": "Carla", "api_key": key, "mode": "agent"}))).await;
    assert_eq!(agent.next().await["data"]["code"], "bad_login");
    let mut person = server.dial().await;
    person.expect("known?").await;
    person.ask("Carla", "Password:").await;
    person.ask(&key, "Invalid password.").await;
    let mut person = server.dial().await;
    person.log_in("Brenda", &key).await;
    agent.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
    agent.logged_in().await;
}

#[tokio::test]
async fn a_token_logs_in_its_own_character_and_no_other() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    server.key("Carla").await;
    let mut agent = server.connect().await;
    let state = agent.log_in("Brenda", &key).await;
    let token = state["data"]["token"].as_str().expect("a token").to_string();
    agent.close().await;
    let mut other = server.connect().await;
    other.send(login(json!({"player_name": "Carla", "token": token, "is_agent": true}))).await;
    assert_eq!(other.next().await["data"]["code"], "bad_login");
    for named in
        [json!({"player_name": "Brenda", "token": token, "is_agent": true}), json!({"token": token, "is_agent": true})]
    {
        let mut again = server.connect().await;
        again.send(login(named)).await;
        let state = again.logged_in().await;
        assert_eq!(state["data"]["player"]["name"], "Brenda");
        again.close().await;
    }
    other.send(login(json!({"player_name": "Brenda", "token": "0".repeat(64), "is_agent": true}))).await;
    assert_eq!(other.next().await["data"]["code"], "bad_login");
}

#[tokio::test]
async fn a_takeover_closes_the_old_connection_and_the_character_stays() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut ann = server.person("Ann").await;
    let mut first = server.connect().await;
    first.log_in("Brenda", &key).await;
    ann.expect("Brenda stands here").await;
    first.command("east").await;
    first.expect_text("The Shop").await;

    let mut second = server.connect().await;
    let state = second.log_in("Brenda", &key).await;
    assert_eq!(state["data"]["room"]["vnum"], 102, "it stands where it stood");
    let (code, _, frames) = first.ending().await;
    assert_eq!(code, 1008);
    assert_eq!(frames.last().map(|f| &f["data"]["code"]), Some(&json!("taken_over")), "{frames:?}");

    // And by telnet, which takes the mark of an agent away.
    let mut person = server.dial().await;
    person.log_in("Brenda", &key).await;
    let (code, _, _) = second.ending().await;
    assert_eq!(code, 1008);
    let who = person.ask("who", "2 players").await;
    assert!(who.contains("Brenda") && !who.contains("[agent]"), "{who}");
    // And back, by which it comes again; the old telnet connection is told.
    let mut third = server.connect().await;
    third.log_in("Brenda", &key).await;
    assert!(person.ending().await.contains("taken over by another connection"));
    let seen = ann.ask("who", "2 players").await;
    assert!(seen.contains("Brenda the Recruit [agent]"), "{seen}");
    assert!(!seen.contains("has left the world") && !seen.contains("eyes lose their focus"), "{seen}");
}

#[tokio::test]
async fn who_does_not_want_to_take_over_comes_when_the_character_is_free() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut first = server.connect().await;
    first.log_in("Brenda", &key).await;
    let mut second = server.connect().await;
    let yielding = login(json!({"player_name": "Brenda", "password": key, "is_agent": true, "takeover": false}));
    second.send(yielding.clone()).await;
    let error = second.next().await;
    assert_eq!((&error["type"], &error["data"]["code"]), (&json!("error"), &json!("in_use")), "{error}");
    first.command("east").await;
    first.expect_text("The Shop").await;
    // Whoever loses its link leaves the character free, and so does whoever quits.
    drop(first);
    let mut frame = json!(null);
    for _ in 0..100 {
        second.send(yielding.clone()).await;
        frame = second.next().await;
        if frame["type"] == "state" {
            break;
        }
        assert_eq!(frame["data"]["code"], "in_use", "{frame}");
        tokio::time::sleep(std::time::Duration::from_millis(250)).await;
    }
    assert_eq!(frame["data"]["room"]["vnum"], 102, "{frame}");
    let mut third = server.connect().await;
    third.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true, "takeover": true}))).await;
    assert_eq!(third.next().await["type"], "state");
    assert_eq!(second.ending().await.0, 1008);
}

#[tokio::test]
async fn two_logins_of_one_name_at_once_make_one_character() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut agents: Vec<Agent> = Vec::new();
    for _ in 0..8 {
        agents.push(server.connect().await);
    }
    for agent in &mut agents {
        agent.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
    }
    let (mut stayed, mut taken_over) = (0, 0);
    for agent in &mut agents {
        agent.logged_in().await;
    }
    // All are in now; one of them is the last, and the others are told.
    for agent in &mut agents {
        if agent.try_send(json!({"type": "command", "data": {"command": "whois nobody"}})).await {
            loop {
                match agent.next_or_end().await {
                    Ok(frame) if frame["data"]["text"].as_str().is_some_and(|t| t.contains("Nobody")) => {
                        stayed += 1;
                        break;
                    }
                    Ok(_) => {}
                    Err((code, _)) => {
                        assert!(code == 1008 || code == 1006, "{code}");
                        taken_over += 1;
                        break;
                    }
                }
            }
        }
    }
    assert_eq!((stayed, taken_over), (1, 7));
    let health = server.get("/health").await.json();
    assert_eq!(health["players"], 1);
}

#[tokio::test]
async fn whoever_comes_back_while_the_last_visit_is_being_saved_has_everything() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    for round in 0..12 {
        let mut agent = server.connect().await;
        agent.log_in("Brenda", &key).await;
        agent.command(&format!("title number {round}")).await;
        agent.command("quit").await;
        let (code, _, frames) = agent.ending().await;
        assert_eq!(code, 1000, "{frames:?}");
        let mut again = server.connect().await;
        again.log_in("Brenda", &key).await;
        again.command("whois brenda").await;
        again.expect_text(&format!("number {round}")).await;
        again.close().await;
    }
}

#[tokio::test]
async fn a_failed_login_can_be_tried_again_on_the_same_connection() {
    let server = Server::start_with(green_with(&["--failures-before-lockout", "10"]));
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    for (data, code) in [
        (json!({"player_name": "Nemo", "password": "whatever", "is_agent": true}), "bad_login"),
        (json!({"player_name": "Brenda", "password": "wrong", "is_agent": true}), "bad_login"),
        (json!({"player_name": "Brenda", "is_agent": true}), "bad_login"),
        (json!({"password": "wrong"}), "bad_field"),
        (json!({"player_name": 7, "password": true}), "bad_field"),
    ] {
        agent.send(login(data)).await;
        let error = agent.next().await;
        assert_eq!((&error["type"], &error["data"]["code"]), (&json!("error"), &json!(code)), "{error}");
    }
    agent.log_in("Brenda", &key).await;
    agent.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
    agent.expect_error("already_logged_in").await;
    agent.command("look").await;
    agent.expect_text("Village Green").await;
}

#[tokio::test]
async fn a_quit_while_the_socket_dies_leaves_nobody_behind() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    for _ in 0..5 {
        let mut agent = server.connect().await;
        agent.log_in("Brenda", &key).await;
        agent.command("quit").await;
        // Nothing is read; the socket is dropped.
        drop(agent);
        let mut again = server.connect().await;
        again.log_in("Brenda", &key).await;
        again.command("quit").await;
        let (code, _, _) = again.ending().await;
        assert_eq!(code, 1000);
    }
    server.tick(1).await;
    assert_eq!(server.get("/health").await.json()["players"], 0);
}

#[tokio::test]
async fn a_crowd_that_fights_over_one_name_leaves_one_whole_character() {
    let server = std::sync::Arc::new(Server::start_with(green()));
    let key = server.key("Brenda").await;
    let mut first = server.connect().await;
    first.log_in("Brenda", &key).await;
    let gold = first.vars["GOLD"].clone();
    let crowd = (0..6_usize).map(|who| {
        let (server, key) = (server.clone(), key.clone());
        async move {
            for round in 0..12 {
                let mut bot = server.connect().await;
                bot.send(login(json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
                // It may be taken over before it has read anything.
                bot.try_send(json!({"type": "command", "data": {"command": "drop 7 coins"}})).await;
                bot.try_send(json!({"type": "command", "data": {"command": "get coins"}})).await;
                match (who + round) % 4 {
                    0 => {
                        bot.try_send(json!({"type": "command", "data": {"command": "quit"}})).await;
                        bot.ending().await;
                    }
                    1 => bot.close().await,
                    _ => {
                        // So that it is in, or was; then the socket dies.
                        let _either = bot.next_or_end().await;
                    }
                }
            }
        }
    });
    futures_util::future::join_all(crowd).await;
    let mut last = server.connect().await;
    last.log_in("Brenda", &key).await;
    last.command("get coins").await;
    last.command("get coins").await;
    last.fence().await;
    last.read_all().await;
    // Coins that lay on the floor while somebody quit are there or in the purse, and none were made.
    let on_floor = last.vars["ROOM_ITEMS"].as_array().map_or(0, |items| items.len());
    assert!(last.vars["GOLD"] == gold, "{} of {gold}, {on_floor} things on the floor", last.vars["GOLD"]);
    last.command("quit").await;
    assert_eq!(last.ending().await.0, 1000);
    server.tick(1).await;
    assert_eq!(server.get("/health").await.json()["players"], 0);
}
