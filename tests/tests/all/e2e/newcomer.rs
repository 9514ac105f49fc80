//! A newcomer's first life: made by telnet, bought, worn, killed, died, woke, quit and returned.

use serde_json::{Value, json};
use tests::e2e::{Server, Telnet};

/// Room 8004.
const ALTAR: &str = "The Altar of the Patient Flame";

#[tokio::test]
async fn a_newcomer_buys_kills_dies_wakes_at_the_altar_and_returns_with_everything() {
    let server = Server::start();
    // On the heap: it is a long story.
    Box::pin(live(&server)).await;
}

/// The same on any database.
pub async fn live(server: &Server) {
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", ALTAR).await;
    let mut god = server.immortal("Godric", 39).await;
    god.expect("of level 39 now").await;
    god.ask("set ann gold 500", "is 500 now").await;

    // From the shop, and on.
    server.place("Ann", 8071).await;
    ann.expect("Hale").await;
    ann.ask("list", "leather cap").await;
    ann.ask("buy cap", "coins").await;
    ann.ask("wear cap", "leather cap").await;
    ann.ask("wield sword", "short sword").await;
    ann.ask("remove cap", "cap").await;
    ann.ask("wear cap", "cap").await;

    // A purse in a pack in a pack.
    ann.fence().await;
    god.ask("load obj 8038", "backpack").await;
    server.place("Godric", 8071).await;
    god.ask("give backpack ann", "backpack").await;
    ann.expect("gives you").await;
    ann.ask("put bread 1.backpack", "loaf of bread").await;
    ann.ask("put 1.backpack 2.backpack", "backpack").await;
    ann.fence().await;

    ann.ask("alias hh say Well met, $1!", "hh").await;
    ann.ask("title the Twice Washed", "Twice Washed").await;
    ann.ask("description Small, damp and cheerful.", "\r\n").await;
    server.place("Ann", 8015).await;
    ann.ask("deposit 120", "120").await;
    ann.ask("balance", "120").await;

    // A straw man, to its end.
    server.place("Ann", 8027).await;
    ann.fence().await;
    ann.ask("kill straw", "\r\n").await;
    let mut read = String::new();
    for _ in 0..60 {
        server.tick(1).await;
        read.push_str(&ann.glance().await);
        if read.contains("experience") {
            break;
        }
    }
    assert!(read.contains("experience"), "the straw man was not killed:\n{read}");

    // Her first death: the boss. What she carries stays with her corpse, so she leaves it to somebody.
    for object in ["cap", "sword"] {
        ann.ask(&format!("remove {object}"), object).await;
    }
    ann.ask("drop all", "\r\n").await;
    ann.fence().await;
    let before = experience(&mut ann).await;
    ann.ask("wimpy 0", "\r\n").await;
    server.place("Ann", 8543).await;
    ann.fence().await;
    ann.ask("kill osgar", "\r\n").await;
    let mut read = String::new();
    for _ in 0..60 {
        server.tick(1).await;
        read.push_str(&ann.glance().await);
        if read.contains(ALTAR) {
            break;
        }
    }
    assert!(read.contains(ALTAR), "she did not wake at the altar:\n{read}");
    ann.ask("look", ALTAR).await;
    assert!(experience(&mut ann).await < before, "death by a mob costs experience");

    server.place("Ann", 8027).await;
    server.place("Godric", 8027).await;
    ann.ask("get all", "backpack").await;
    ann.ask("wear cap", "cap").await;
    ann.ask("wield sword", "sword").await;
    ann.fence().await;

    let kept = belongings(&mut ann).await;
    for what in ["backpack", "loaf of bread", "Twice Washed", "Small, damp and cheerful", "leather cap", "short sword"]
    {
        assert!(kept.contains(what), "{what} is missing:\n{kept}");
    }
    let score = purse(&mut ann).await;
    ann.send("quit").await;
    ann.ending().await;
    god.expect("Ann has left the world").await;
    god.fence().await;
    let who = god.ask("who", "One player").await;
    assert!(!who.contains("Ann"), "who quit is gone: {who}");

    let mut ann = server.dial().await;
    ann.log_in("Ann", "swordfish").await;
    assert_eq!(belongings(&mut ann).await, kept);
    assert_eq!(purse(&mut ann).await, score);
    let mut bot = server.connect().await;
    // By the other door with the same password: the same character, with the same things inside the things.
    let state = bot.log_in("Ann", "swordfish").await;
    assert_eq!(state["data"]["player"]["name"], "Ann");
    assert_eq!(bot.vars["EQUIPMENT"]["wield"]["vnum"], json!(8037), "{}", bot.vars["EQUIPMENT"]);
    let packs = bot.vars["INVENTORY"].as_array().map(|items| items.iter().filter(|i| is_pack(i)).count());
    assert_eq!(packs, Some(1), "one pack is inside the other: {}", bot.vars["INVENTORY"]);
}

fn is_pack(item: &Value) -> bool {
    item["vnum"] == 8038
}

async fn experience(ann: &mut Telnet) -> i64 {
    ann.ask("prompt %x!", "\r\n").await;
    ann.fence().await;
    let text = ann.ask("prompt default", "!").await;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number in {text:?}"))
}

/// Gold, bank and experience, as `score` shows them.
async fn purse(ann: &mut Telnet) -> String {
    ann.send("score").await;
    let score = ann.fence().await;
    let lines =
        score.lines().filter(|line| ["Gold", "In the bank", "Experience"].iter().any(|word| line.contains(word)));
    let purse: String =
        lines.map(|line| line.rsplit("  ").find(|word| !word.is_empty()).unwrap_or("").to_string() + " ").collect();
    assert!(score.contains("In the bank   120"), "{score}");
    purse
}

/// What must be the same after a return.
async fn belongings(ann: &mut Telnet) -> String {
    ann.ask("prompt off", "\r\n").await;
    ann.fence().await;
    let mut all = String::new();
    for line in ["inventory", "equipment", "look in backpack", "alias", "whois ann", "look ann"] {
        ann.send(line).await;
        all.push_str(&without_fences(&ann.fence().await));
    }
    // The pack inside the pack, and what is in it.
    ann.ask("get backpack backpack", "backpack").await;
    ann.send("look in 1.backpack").await;
    all.push_str(&without_fences(&ann.fence().await));
    ann.ask("put 1.backpack 2.backpack", "backpack").await;
    ann.fence().await;
    all
}

fn without_fences(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.contains("Xyzzy"));
    lines.filter(|line| *line != " in the world.").map(|line| format!("{line}\n")).collect()
}
