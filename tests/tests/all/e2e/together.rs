//! A person and an agent in one world.

use super::green;
use serde_json::{Value, json};
use tests::e2e::Server;

const ALL: [&str; 19] = [
    "HEALTH",
    "MAX_HEALTH",
    "MANA",
    "MAX_MANA",
    "MOVE",
    "MAX_MOVE",
    "GOLD",
    "POSITION",
    "LEVEL",
    "EXP",
    "ROOM_VNUM",
    "ROOM_NAME",
    "ROOM_EXITS",
    "ROOM_MOBS",
    "ROOM_ITEMS",
    "FIGHTING",
    "INVENTORY",
    "EQUIPMENT",
    "EVENTS",
];

#[tokio::test]
async fn state_comes_first_and_all_variables_in_order_right_after_it() {
    let server = Server::start_with(green());
    let key = server.key("Brenda").await;
    let mut agent = server.connect().await;
    agent.send(super::login(json!({"player_name": "brenda", "password": key, "is_agent": true}))).await;
    let state = agent.next().await;
    assert_eq!((&state["type"], &state["seq"]), (&json!("state"), &json!(1)));
    assert_eq!(state["data"]["player"]["name"], "Brenda");
    assert!(state["data"]["token"].as_str().is_some_and(|token| token.len() == 64), "{state}");
    // Parsed values lose their order; the text keeps it.
    let vars = agent.next().await;
    assert_eq!(vars["type"], "vars");
    let names: Vec<&String> = vars["data"].as_object().expect("an object").keys().collect();
    assert_eq!(names.len(), 19, "{names:?}");
    let text = agent.last_text();
    let places: Vec<usize> =
        ALL.iter().map(|name| text.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("no {name}"))).collect();
    assert!(places.is_sorted(), "{text}");
    agent.expect_text("The Village Green").await;
}

#[tokio::test]
async fn doors_and_what_a_room_is_like_come_to_who_asks_by_name() {
    let server = Server::start_with(green());
    let mut bot = server.agent("Bot").await;
    bot.subscribe(&ALL).await;
    let before = bot.read_all().await;
    assert_eq!(before["data"].as_object().map(|data| data.len()), Some(19), "the published ones, no more");
    bot.subscribe(&["ROOM_DOORS", "ROOM_FLAGS"]).await;
    bot.until(|frame| frame["data"]["ROOM_DOORS"] == json!({})).await;
    server.place("Bot", 101).await;
    bot.until(|frame| frame["data"]["ROOM_DOORS"] == json!({"down": "closed"})).await;
    assert_eq!(bot.vars["ROOM_FLAGS"], json!(["indoors", "peaceful", "regen"]));
    bot.command("open trapdoor").await;
    bot.until(|frame| frame["data"]["ROOM_DOORS"] == json!({"down": "open"})).await;
    assert_eq!(bot.read_all().await["data"].as_object().map(|data| data.len()), Some(21), "what was asked for, too");
    bot.changes_equal_a_full_dump("with the two").await;
}

#[tokio::test]
async fn arts_and_company_come_to_who_asks_by_name() {
    let server = Server::start();
    let mut ann = server.person("Ann").await;
    let mut bot = server.agent("Bot").await;
    bot.subscribe(&ALL).await;
    bot.subscribe(&[
        "AFFECTS",
        "CONDITIONS",
        "SKILLS",
        "PRACTICES",
        "OPPONENT",
        "GROUP",
        "ROOM_PLAYERS",
        "LAG",
        "TASKS",
        "ROOM_OFFERS",
    ])
    .await;
    bot.until(|frame| frame["data"]["ROOM_PLAYERS"][0]["name"] == "Ann").await;
    assert_eq!((&bot.vars["OPPONENT"], &bot.vars["GROUP"]), (&json!(null), &json!([])));
    assert!(bot.vars["SKILLS"].as_array().is_some_and(|arts| !arts.is_empty()), "{:?}", bot.vars["SKILLS"]);

    // Others change, and it is told.
    ann.ask("rest", "rest").await;
    bot.until(|frame| frame["data"]["ROOM_PLAYERS"][0]["position"] == "resting").await;
    ann.ask("stand", "stand").await;
    ann.ask("follow bot", "follow").await;
    bot.command("group ann").await;
    bot.until(|frame| frame["data"]["GROUP"][1]["name"] == "Ann").await;
    server.place("Ann", 8027).await;
    bot.until(|frame| frame["data"]["ROOM_PLAYERS"] == json!([])).await;
    assert_eq!(bot.vars["GROUP"][1]["here"], false);
    bot.changes_equal_a_full_dump("with one elsewhere").await;

    // What Edda would have it do is told, until it is about that.
    let offered = |offers: &serde_json::Value| {
        let tasks = offers["tasks"].as_array().expect("a list").iter();
        tasks.filter_map(|task| task["id"].as_str().map(str::to_string)).collect::<Vec<_>>()
    };
    assert!(offered(&bot.vars["ROOM_OFFERS"]).contains(&"socks".to_string()), "{:?}", bot.vars["ROOM_OFFERS"]);
    assert_eq!(bot.vars["ROOM_OFFERS"]["keeper"], json!(null), "nobody sells at the altar");
    bot.command("accept socks").await;
    bot.until(|frame| frame["data"]["TASKS"][0]["id"] == "socks").await;
    assert!(!offered(&bot.vars["ROOM_OFFERS"]).contains(&"socks".to_string()), "{:?}", bot.vars["ROOM_OFFERS"]);
    let task = &bot.vars["TASKS"][0];
    assert_eq!(
        (&task["ready"], &task["steps"][0]["done"], &task["steps"][0]["need"]),
        (&json!(false), &json!(0), &json!(1))
    );
    let step = &task["steps"][0];
    assert_eq!((&step["work"], &step["due"]), (&json!("bring"), &json!(true)));
    assert_eq!((&step["what"], &step["to"]), (&json!("a pair of wool hose"), &json!("Edda the flamekeeper")));
    bot.changes_equal_a_full_dump("with a task").await;
    bot.command("abandon socks").await;
    bot.until(|frame| frame["data"]["TASKS"] == json!([])).await;
    assert!(offered(&bot.vars["ROOM_OFFERS"]).contains(&"socks".to_string()), "it may be taken on again");
    server.place("Bot", 8057).await;
    bot.until(|frame| frame["data"]["ROOM_OFFERS"]["keeper"] == "Brida Sluice").await;

    server.place("Bot", 8027).await;
    bot.until(|frame| frame["data"]["ROOM_PLAYERS"][0]["name"] == "Ann").await;
    bot.command("hit straw").await;
    bot.until(|frame| frame["data"]["OPPONENT"]["condition"].is_number()).await;
    server.tick(3).await;
    bot.changes_equal_a_full_dump("in a fight").await;
    ann.send("ungroup").await;
    bot.until(|frame| frame["data"]["GROUP"] == json!([])).await;
    bot.changes_equal_a_full_dump("alone again").await;
}

#[tokio::test]
async fn a_person_and_an_agent_see_each_other_and_fight_the_same_mob() {
    let server = Server::start();
    let mut ann = server.person("Ann").await;
    let mut bot = server.agent("Bot").await;
    bot.subscribe(&ALL).await;
    bot.changes_equal_a_full_dump("after subscribing").await;

    ann.send("who").await;
    let who = ann.expect("2 players").await;
    assert!(who.contains("Ann") && who.contains("Bot the Recruit [agent]"), "{who}");
    bot.command("who").await;
    bot.expect_text("Ann").await;
    ann.ask("look", "Bot").await;

    // Someone comes, speaks, goes and comes back.
    ann.ask("say Shall we fight?", "fight?").await;
    let said = bot.expect_text("Shall we fight?").await;
    assert_eq!(
        (&said["type"], &said["data"]["type"], &said["data"]["from"]),
        (&json!("event"), &json!("say"), &json!("Ann"))
    );
    bot.changes_equal_a_full_dump("after words").await;

    server.place("Ann", 8027).await;
    server.place("Bot", 8027).await;
    bot.changes_equal_a_full_dump("after being placed").await;
    assert_eq!(bot.vars["ROOM_VNUM"], 8027);
    assert!(bot.vars["ROOM_MOBS"].as_array().is_some_and(|mobs| !mobs.is_empty()), "{:?}", bot.vars["ROOM_MOBS"]);

    let target = straw(&bot.vars["ROOM_MOBS"]).expect("straw men stand in the drill yard");
    let keyword = target["target_string"].as_str().expect("a string").to_string();
    bot.command("wield sword").await;
    bot.expect_text("short sword").await;
    bot.changes_equal_a_full_dump("after wielding").await;
    bot.command(&format!("hit {keyword}")).await;
    bot.until(|frame| frame["data"]["FIGHTING"] == true).await;
    bot.changes_equal_a_full_dump("in a fight").await;
    ann.ask("assist bot", "straw").await;
    let mut dead = false;
    for round in 0..60 {
        server.tick(1).await;
        if round % 3 == 0 {
            bot.changes_equal_a_full_dump(&format!("round {round}")).await;
        }
        dead = bot.vars["FIGHTING"] == false;
        if dead {
            break;
        }
    }
    assert!(dead, "a straw man lasts two warriors a minute at most");
    let deaths = bot.frames.iter().filter_map(|f| f["data"]["EVENTS"].as_array()).flatten();
    for wanted in ["attacked", "death"] {
        assert!(deaths.clone().any(|e| e["type"] == wanted), "no {wanted}: {:?}", deaths.collect::<Vec<_>>());
    }
    assert!(ann.fence().await.contains("straw man"));
    bot.command("get all corpse").await;
    bot.command("rest").await;
    server.tick(40).await;
    bot.changes_equal_a_full_dump("after a rest").await;
    ann.ask("drop bread", "bread").await;
    bot.changes_equal_a_full_dump("after something was dropped").await;
    assert!(bot.vars["ROOM_ITEMS"].to_string().contains("bread"), "{}", bot.vars["ROOM_ITEMS"]);
}

fn straw(mobs: &Value) -> Option<Value> {
    mobs.as_array()?.iter().find(|mob| mob["name"] == "a straw man").cloned()
}

#[tokio::test]
async fn the_published_minimal_loop_gets_what_it_subscribed_to() {
    let server = Server::start();
    let key = server.key("Minimal").await;
    let mut bot = server.connect().await;
    // Both frames before anything is read, as the published loop sends them.
    bot.send(super::login(json!({"player_name": "Minimal", "password": key, "is_agent": true}))).await;
    bot.subscribe(&["HEALTH", "MAX_HEALTH", "ROOM_EXITS", "ROOM_MOBS", "FIGHTING"]).await;
    bot.logged_in().await;
    assert!(bot.vars["HEALTH"].is_i64() && bot.vars["FIGHTING"] == false);
    server.place("Minimal", 8027).await;
    bot.until(|frame| frame["data"].get("ROOM_MOBS").is_some()).await;
    let frame = bot.frames.last().expect("there are some").clone();
    let extra: Vec<&String> = frame["data"].as_object().expect("an object").keys().collect();
    assert!(extra.iter().all(|name| ["HEALTH", "ROOM_EXITS", "ROOM_MOBS"].contains(&name.as_str())), "{extra:?}");
    bot.command("hit straw").await;
    bot.until(|frame| frame["data"]["FIGHTING"] == true).await;
}

#[tokio::test]
async fn a_full_dump_has_every_variable_whatever_was_subscribed() {
    let server = Server::start_with(green());
    let mut bot = server.agent("Bot").await;
    bot.subscribe(&["HEALTH", "EVENTS"]).await;
    bot.fence().await;
    let mut ann = server.person("Ann").await;
    bot.expect_text("Ann").await;
    ann.ask("say Boo", "Boo").await;
    bot.send(json!({"type": "subscribe", "data": {"full": true}})).await;
    let full = bot.until(|f| f["type"] == "vars" && f["data"].get("ROOM_VNUM").is_some()).await;
    assert_eq!(full["data"].as_object().map(|data| data.len()), Some(19), "{full}");
    assert_eq!(full["data"]["EVENTS"], json!([]));
    // What happened before the dump is not lost by it.
    bot.fence().await;
    let said = bot.frames.iter().filter_map(|f| f["data"]["EVENTS"].as_array()).flatten();
    assert!(said.into_iter().any(|event| event["type"] == "said"), "{:?}", bot.frames);
}

#[tokio::test]
async fn a_program_that_is_no_agent_gets_lines_without_numbers_and_no_variables() {
    let server = Server::start_with(green());
    let key = server.key("Webb").await;
    let mut web = server.connect().await;
    web.log_in_as_person("Webb", &key).await;
    web.command("look").await;
    let look = web.until(|frame| frame["type"] == "text").await;
    assert!(look["data"]["text"].as_str().is_some_and(|text| text.contains("Village Green")), "{look}");
    web.subscribe(&["HEALTH"]).await;
    web.expect_error("agents_only").await;
    let mut ann = server.person("Ann").await;
    web.until(|frame| frame["type"] == "event" && frame["data"]["type"] == "enter").await;
    ann.ask("hit webb", "\r\n").await;
    server.tick(2).await;
    web.fence().await;
    assert!(web.frames.iter().all(|frame| frame["type"] != "vars"));
    let who = ann.ask("who", "players.").await;
    assert!(!who.contains("[agent]"), "{who}");
}
