//! Bots: agents by WebSocket and people by telnet, who fight, trade, drop and pick up until the server dies.
//!
//! Each plays connection after connection, and gives back what it was shown in each. Nothing here fails when the
//! server ends: that is what it waits for. Invariant: every connection is read to its end, so that what was shown is
//! known exactly.

use super::process::Doors;
use super::seen::Seen;
use crate::e2e::{Agent, Telnet};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;
use world::rng::Dice;

/// How long an ended server's last words are waited for, and how long a login may take.
const LONGEST: Duration = Duration::from_secs(20);
/// Between two commands, milliseconds, at most.
const GAP_MS: i32 = 60;
/// One connection in so many commands is given up: half by `quit`, half by hanging up.
const LEAVE_ONE_IN: i32 = 120;
/// The world's last word to who quits, as it begins.
const FAREWELL: &str = "let go of the world. Goodbye";
/// The telnet door's own last word when the server stops; nothing in the world says it.
const STOPPING: &str = "The world is going to sleep. Everything you have is safe. Come back soon.";

/// With this every task of an agent begins, and a number of its own follows; nothing else has the word.
pub const TASK: &str = "torture";
/// What a mind answers to who sets a task.
const TOLD: &str = "Your task: ";

/// The door's own word to those whose connection outlives a restart; what the world says afterwards follows it.
const BLINK: &str = "The world blinks";
/// The door's own word after a restart to those who were not in the world yet.
const IN_THE_DOOR: &str = "while you stood in the door.";

/// One of the crowd.
#[derive(Clone, Debug)]
pub struct Bot {
    pub name: String,
    pub key: String,
    pub agent: bool,
    /// May make things and change what others have.
    pub immortal: bool,
}

/// What all bots of a round know.
pub struct Round {
    pub doors: Doors,
    pub token: String,
    pub names: Vec<String>,
    /// Rooms in which there is something to do.
    pub rooms: Vec<i32>,
    /// Vnums of things that an immortal may make.
    pub things: Vec<i32>,
    /// Who is to leave now, so that the server can be killed the moment after.
    pub leave_now: AtomicBool,
    /// How many have read the world's farewell since.
    pub left: AtomicUsize,
}

/// Plays until the server is gone.
pub async fn play(bot: Bot, round: Arc<Round>, mut dice: Dice) -> Vec<Seen> {
    let mut all = Vec::new();
    // They do not all come at once.
    tokio::time::sleep(Duration::from_millis(dice.range(0, 150) as u64)).await;
    while !round.leave_now.load(Ordering::Relaxed) {
        let seen = if bot.agent {
            one_as_agent(&bot, &round, &mut dice).await.map(|seen| vec![seen])
        } else {
            one_as_person(&bot, &round, &mut dice).await
        };
        let Some(seen) = seen else { break };
        all.extend(seen);
        tokio::time::sleep(Duration::from_millis(dice.range(5, 100) as u64)).await;
    }
    all
}

/// What a bot does next.
enum Next {
    Type(String),
    /// By the operator: it is put somewhere else.
    Move(i32),
    Quit,
    HangUp,
}

/// One connection of an agent; `None` where the door is closed.
async fn one_as_agent(bot: &Bot, round: &Round, dice: &mut Dice) -> Option<Seen> {
    let mut seen = Seen::of(&bot.name.to_ascii_lowercase());
    let stream = TcpStream::connect(round.doors.http).await.ok()?;
    let Ok(Ok(mut agent)) = tokio::time::timeout(LONGEST, Agent::upgrade(stream, round.doors.http)).await else {
        return Some(seen);
    };
    let login = json!({"player_name": bot.name, "password": bot.key, "is_agent": true, "subscribe": []});
    let mut playing = agent.try_send(json!({"type": "login", "data": login})).await;
    let mut subscribed = false;
    let mut at = Instant::now();
    loop {
        let frame = tokio::select! {
            frame = agent.next_or_end() => frame,
            () = tokio::time::sleep_until(at), if playing && subscribed => {
                at = Instant::now() + Duration::from_millis(dice.range(0, GAP_MS) as u64);
                match next(bot, &agent.vars, round, dice) {
                    Next::Type(line) => {
                        playing = agent.try_send(json!({"type": "command", "data": {"command": line}})).await;
                    }
                    Next::Move(room) => place(round, &bot.name, room),
                    Next::Quit => {
                        playing = agent.try_send(json!({"type": "command", "data": {"command": "quit"}})).await;
                    }
                    // What is on its way to it is not shown to anybody.
                    Next::HangUp => return Some(seen),
                }
                continue;
            }
        };
        let Ok(frame) = frame else { return Some(seen) };
        match frame["type"].as_str() {
            Some("state") if !subscribed => {
                let all = json!({"type": "subscribe", "data": {"variables": SUBSCRIBED}});
                playing &= agent.try_send(all).await;
                subscribed = true;
            }
            Some("vars") => {
                if let Some(values) = frame["data"].as_object() {
                    seen.vars(values);
                }
            }
            Some("event" | "text") if frame["data"]["type"] != "motd" => {
                if let Some(text) = frame["data"]["text"].as_str() {
                    if text.starts_with(FAREWELL) {
                        seen.left = true;
                        round.left.fetch_add(1, Ordering::Relaxed);
                    }
                    match text.strip_prefix(TOLD).filter(|task| task.starts_with(TASK)) {
                        Some(task) => seen.tasks.push(task.to_string()),
                        None => seen.line(text),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Everything but EVENTS, which says the same as the lines.
pub const SUBSCRIBED: [&str; 15] = [
    "HEALTH",
    "MAX_HEALTH",
    "MANA",
    "MOVE",
    "GOLD",
    "EXP",
    "LEVEL",
    "POSITION",
    "ROOM_VNUM",
    "ROOM_EXITS",
    "ROOM_MOBS",
    "ROOM_ITEMS",
    "FIGHTING",
    "INVENTORY",
    "EQUIPMENT",
];

/// One connection of a person, in as many parts as there were servers; `None` where the door is closed.
async fn one_as_person(bot: &Bot, round: &Round, dice: &mut Dice) -> Option<Vec<Seen>> {
    let mut seen = Seen::of(&bot.name.to_ascii_lowercase());
    let stream = TcpStream::connect(round.doors.telnet).await.ok()?;
    let mut telnet = Telnet::over(stream);
    if !enter(&mut telnet, bot).await {
        return Some(vec![seen]);
    }
    let from = telnet.bytes.len();
    let mut playing = telnet.try_send_raw(b"1\r\n").await;
    let mut at = Instant::now() + Duration::from_millis(50);
    let none = serde_json::Map::new();
    let mut hung_up = false;
    loop {
        tokio::select! {
            on = telnet.read() => {
                if !on {
                    break;
                }
                if telnet.bytes.windows(FAREWELL.len()).any(|part| part == FAREWELL.as_bytes()) && !seen.left {
                    seen.left = true;
                    round.left.fetch_add(1, Ordering::Relaxed);
                }
                // It would have to say its name again.
                if telnet.bytes[from..].windows(IN_THE_DOOR.len()).any(|part| part == IN_THE_DOOR.as_bytes()) {
                    break;
                }
            }
            () = tokio::time::sleep_until(at), if playing => {
                at = Instant::now() + Duration::from_millis(dice.range(0, GAP_MS) as u64);
                match next(bot, &none, round, dice) {
                    Next::Type(line) => playing = telnet.try_send_raw(format!("{line}\r\n").as_bytes()).await,
                    Next::Move(room) => place(round, &bot.name, room),
                    Next::Quit => playing = telnet.try_send_raw(b"quit\r\n").await,
                    Next::HangUp => hung_up = true,
                }
            }
        }
        if hung_up {
            break;
        }
    }
    let text = String::from_utf8_lossy(&telnet.bytes[from..]).into_owned();
    // A letter that was cut in two was not shown.
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER).trim_end();
    let text = text.strip_suffix(STOPPING).unwrap_or(text);
    let text = text.split(IN_THE_DOOR).next().unwrap_or_default();
    let mut parts = Vec::new();
    for part in text.split(BLINK) {
        // How that sentence goes on is the world's own affair.
        let part = if parts.is_empty() { part } else { part.split_once('\n').map_or("", |(_, rest)| rest) };
        let mut one = Seen { kept: !parts.is_empty(), ..Seen::of(&seen.name) };
        one.line(part);
        one.lines = part.lines().count() as u64;
        parts.push(one);
    }
    Some(parts)
}

/// From the greeting to the menu. False where the server ended.
async fn enter(telnet: &mut Telnet, bot: &Bot) -> bool {
    for (wait, answer) in [("known?", &bot.name), ("Password:", &bot.key)] {
        if !telnet.next_is(wait).await || !telnet.try_send_raw(format!("{answer}\r\n").as_bytes()).await {
            return false;
        }
    }
    telnet.next_is("What will it be?").await
}

/// First of all, people do without prompts and colours, which are not the world's words.
pub async fn prepare(bot: &Bot, doors: Doors) -> anyhow::Result<()> {
    let mut telnet = Telnet::connect(doors.telnet).await;
    telnet.log_in(&bot.name, &bot.key).await;
    telnet.send("color off").await;
    telnet.ask("prompt none", "You have no prompt now.").await;
    telnet.send("quit").await;
    telnet.ending().await;
    Ok(())
}

/// Has the operator put somebody somewhere, beside everything else. It may come to nothing: the server may be gone.
fn place(round: &Round, name: &str, room: i32) {
    let request = format!(
        "POST /admin/place?name={name}&room={room} HTTP/1.1\r\nHost: torture\r\nAuthorization: Bearer {}\r\n\
         Content-Length: 0\r\nConnection: close\r\n\r\n",
        round.token
    );
    let address = round.doors.http;
    tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await
    });
}

fn next(bot: &Bot, vars: &serde_json::Map<String, Value>, round: &Round, dice: &mut Dice) -> Next {
    if round.leave_now.load(Ordering::Relaxed) {
        return Next::Quit;
    }
    if dice.one_in(LEAVE_ONE_IN) {
        return if dice.one_in(2) { Next::Quit } else { Next::HangUp };
    }
    if dice.one_in(80)
        && let Some(room) = dice.pick(&round.rooms)
    {
        return Next::Move(*room);
    }
    if bot.agent && dice.one_in(8) {
        return Next::Type(format!("task {TASK} {}", dice.range(1, i32::MAX - 1)));
    }
    if bot.immortal && dice.one_in(6) {
        return Next::Type(wonder(round, dice));
    }
    let names = |variable: &str, field: &str| -> Vec<String> {
        let items = vars.get(variable).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        items.iter().filter_map(|item| item[field].as_str().map(str::to_string)).collect()
    };
    let word = |name: String| name.rsplit(' ').next().unwrap_or_default().to_string();
    let carried: Vec<String> = names("INVENTORY", "name").into_iter().map(word).collect();
    let lying = names("ROOM_ITEMS", "target_string");
    let mobs = names("ROOM_MOBS", "target_string");
    let exits: Vec<String> = match vars.get("ROOM_EXITS").and_then(Value::as_array) {
        Some(exits) => exits.iter().filter_map(|exit| exit.as_str().map(str::to_string)).collect(),
        None => ["north", "east", "south", "west"].map(str::to_string).to_vec(),
    };
    // People do not see what is there; they know what there usually is.
    let usual = |known: &[String], usual: &[&str], dice: &mut Dice| -> String {
        dice.pick(known).cloned().or_else(|| dice.pick(usual).map(|word| word.to_string())).unwrap_or_default()
    };
    let object = usual(&carried, &["sword", "bread", "torch", "bag", "lantern", "knife", "pack"], dice);
    let other = dice.pick(&round.names).cloned().unwrap_or_default();
    Next::Type(match dice.range(1, 100) {
        1..=14 => dice.pick(&exits).cloned().unwrap_or_else(|| "look".to_string()),
        15..=30 => format!("kill {}", usual(&mobs, &["rat", "guard", "wolf", "bandit", "beetle"], dice)),
        31..=36 => "get all".to_string(),
        37..=40 => format!("get {}", usual(&lying, &["corpse", "coins", "all.bread"], dice)),
        41..=45 => "get all corpse".to_string(),
        46..=52 => format!("drop {object}"),
        53 => "drop all".to_string(),
        54..=56 => format!("drop {} coins", dice.range(1, 5)),
        57..=60 => format!("put {object} {}", usual(&carried, &["bag", "pack"], dice)),
        61..=63 => format!("get all {}", usual(&carried, &["bag", "pack"], dice)),
        64..=67 => "wear all".to_string(),
        68..=69 => "remove all".to_string(),
        70..=74 => format!("give {object} {other}"),
        75..=77 => format!("give {} coins {other}", dice.range(1, 9)),
        78..=82 => format!("buy #{}", dice.range(1, 4)),
        83..=85 => format!("sell {object}"),
        86..=87 => "list".to_string(),
        88..=89 => format!("eat {object}"),
        90 => "save".to_string(),
        91 => "flee".to_string(),
        92..=93 => ["wake", "stand"][dice.range(0, 1) as usize].to_string(),
        94 => "inventory".to_string(),
        95 => "rest".to_string(),
        // So long that a snapshot is due every few seconds.
        _ => format!("say {}", "The fire burns low tonight, and who goes there? ".repeat(dice.range(2, 15) as usize)),
    })
}

/// What only an immortal can do.
fn wonder(round: &Round, dice: &mut Dice) -> String {
    let other = dice.pick(&round.names).cloned().unwrap_or_default();
    match dice.range(1, 5) {
        1..=2 => format!("load obj {}", dice.pick(&round.things).copied().unwrap_or_default()),
        3 => "drop all".to_string(),
        4 => format!("set {other} gold {}", dice.range(50, 900)),
        _ => format!("restore {other}"),
    }
}
