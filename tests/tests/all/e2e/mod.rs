//! The real server, from outside: what people, programs and operators see of it.

mod admin_pages;
mod agents;
mod api;
mod archives;
mod arms;
mod asking;
mod backups;
mod browsers;
mod bytes;
mod channels;
mod company;
mod councils;
mod creation;
mod decisions;
mod dice;
mod faults;
mod floods;
mod forked_messages;
mod frames;
mod guesses;
mod history;
mod hosts;
mod killed_restart;
mod leaving;
mod limits;
mod links;
mod logins;
mod memories;
mod mending;
mod minds;
mod newcomer;
mod nights;
mod odds;
mod operations;
mod operator;
mod owners;
mod pages;
mod plots;
mod postgres;
mod power_cut;
mod powers;
mod proxies;
mod python;
mod raw;
mod records;
mod remembering;
mod replaying;
mod restart;
mod resuming;
mod rule_books;
mod scripts;
mod sharing;
mod show;
mod siege;
mod silence;
mod starting;
mod stopping;
mod subprotocols;
mod tapes;
mod terminals;
mod tls;
mod together;
mod told;
mod watching;
mod watching_past;

use serde_json::{Value, json};
use tests::e2e::{Options, root};

/// The smallest world, where nothing walks about by itself.
fn green() -> Options {
    Options { world: root().join("tests/scenes/green"), ..Options::default() }
}

/// The smallest world, with more on the command line.
fn green_with(words: &[&str]) -> Options {
    Options { world: root().join("tests/scenes/green"), ..Options::with(words) }
}

/// A `login` frame.
fn login(data: Value) -> Value {
    json!({"type": "login", "data": data})
}

/// The text of all lines among some frames.
fn texts(frames: &[Value]) -> String {
    frames.iter().filter_map(|frame| frame["data"]["text"].as_str()).collect::<Vec<_>>().join("\n")
}
