//! `dp-server inherit`: what some characters learned is handed down to another.
//!
//! The items wait in the database until the heir is in the world, where they become inputs (`Input::Found`), so that
//! the journal has them and a replay writes the same entries. Invariants: handing the same down twice brings nothing
//! new; nobody inherits from oneself, be it in a circle; graphs are read as the last dream left them.

use crate::engine::{AdminAnswer, AdminCall, Engine};
use crate::operator::shown;
use crate::store::{Store, canonical, characters, legacies, memories, meta};
use anyhow::{Context, bail, ensure};
use dreaming::{Graph, legacy};
use mind::LEGACY;
use mind::legacy::{ITEMS_MAX, Inherited, KEPT_MAX};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use world::report::HandDownRequest;

/// What came of it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inheritance {
    /// The heir, as it is called.
    pub to: String,
    /// Memories that are new to it.
    pub items: usize,
    /// Those that it had already, or that come from itself.
    pub known: usize,
    /// Whether they are in its log now; else it receives them when its mind is read next.
    pub received: bool,
}

impl std::fmt::Display for Inheritance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inheritance { to, items, known, received } = self;
        match (items, received) {
            (0, _) => write!(f, "Nothing new for {to}: it knows all {known} of these memories, or they are its own."),
            (_, true) => write!(f, "{to} received {items} memories ({known} it knew already)."),
            (_, false) => write!(
                f,
                "{items} memories wait for {to} ({known} it knew already): it receives them when a program that reads \
                 its mind logs in as it next."
            ),
        }
    }
}

/// Lays down what is to be handed on, to wait for the heir.
pub async fn hand_down(store: &Store, from: &[String], to: &str) -> anyhow::Result<Inheritance> {
    ensure!(!from.is_empty(), "nobody is named who hands anything down: --from NAME");
    let to = known(store, to).await?;
    let mut handed: Vec<Inherited> = Vec::new();
    for name in from {
        let name = known(store, name).await?;
        ensure!(canonical(&name) != canonical(&to), "{to} cannot inherit from itself");
        handed.extend(legacy::to_hand_down(&graph_of(store, &name).await?));
    }
    let waiting = legacies::waiting(store, &to).await?;
    let mut has = legacies::after(store, &to, 0).await?;
    for (key, line) in &waiting {
        let items: Vec<Inherited> =
            serde_json::from_str(line).with_context(|| format!("what waits as {key} is damaged"))?;
        has.extend(items);
    }
    // By whose and which; what says something else by now comes anew.
    let mut newest: BTreeMap<(String, String), String> = BTreeMap::new();
    let key = |item: &Inherited| (canonical(&item.agent), item.id.clone());
    newest.extend(has.iter().map(|item| (key(item), item.text.clone())));
    let all = handed.len();
    handed.retain(|item| {
        let own = canonical(&item.agent) == canonical(&to);
        !own && newest.insert(key(item), item.text.clone()).as_ref() != Some(&item.text)
    });
    ensure!(
        has.len() + handed.len() <= KEPT_MAX,
        "{to} has {} memories of others, and with {} more it would have over {KEPT_MAX}; nothing was handed down",
        has.len(),
        handed.len()
    );
    let next = waiting.last().and_then(|(key, _)| key.rsplit_once('.')?.1.parse::<u32>().ok()).map_or(0, |n| n + 1);
    for (number, items) in (next..).zip(handed.chunks(ITEMS_MAX)) {
        let line = serde_json::to_string(items).context("writing what is handed down")?;
        meta::set(store, &format!("{}{number:06}", legacies::waiting_for(&to)), &line).await?;
    }
    Ok(Inheritance { to, items: handed.len(), known: all - handed.len(), received: false })
}

/// The same with a server running: an heir that is in the world receives it at once.
pub async fn hand_down_now(
    engine: &Arc<Engine>,
    store: &Store,
    from: &[String],
    to: &str,
) -> anyhow::Result<Inheritance> {
    let laid = hand_down(store, from, to).await?;
    let received = laid.items > 0 && deliver(engine, store, &laid.to).await?;
    Ok(Inheritance { received, ..laid })
}

/// Hands down what players agreed on in the game, until the server ends. Both are told what came of it.
pub async fn answer(engine: Arc<Engine>, store: Store, mut agreed: mpsc::UnboundedReceiver<HandDownRequest>) {
    while let Some(HandDownRequest { from, to }) = agreed.recv().await {
        let [of_giver, of_heir] = match told(&engine, &store, &from, &to).await {
            Ok(told) => told,
            Err(error) => {
                tracing::warn!(error = format!("{error:#}"), from = &*from, to = &*to, "nothing was handed down");
                let text = "It cannot be told just now. Try again in a moment, or tomorrow.".to_string();
                [text.clone(), text]
            }
        };
        engine.tell(from.to_string(), of_giver);
        engine.tell(to.to_string(), of_heir);
    }
}

/// What giver and heir read.
async fn told(engine: &Arc<Engine>, store: &Store, from: &str, to: &str) -> anyhow::Result<[String; 2]> {
    if memories::graph(store, from).await?.is_none() {
        return Ok([
            "You have not dreamt yet, and only what was dreamt of can be handed down. Sleep a night over it.".into(),
            format!("{from} has not dreamt yet, and only what was dreamt of can be handed down."),
        ]);
    }
    let Inheritance { items, received, .. } = hand_down_now(engine, store, &[from.to_string()], to).await?;
    let memories = if items == 1 { "1 memory".to_string() } else { format!("{items} memories") };
    Ok(match (items, received) {
        (0, _) => {
            [format!("{to} knew all of it already."), format!("You knew all of it already, {from} or no {from}.")]
        }
        (_, true) => [
            format!("{to} has {memories} of yours now."),
            format!("You have {memories} of {from}'s now: recall finds them."),
        ],
        (_, false) => [
            format!("{to} will have {memories} of yours when it comes in next."),
            format!("You will have {memories} of {from}'s when you come in next."),
        ],
    })
}

/// Makes inputs of what waits for somebody. False where it is not in the world: then it goes on waiting.
pub async fn deliver(engine: &Arc<Engine>, store: &Store, name: &str) -> anyhow::Result<bool> {
    for (key, line) in legacies::waiting(store, name).await? {
        let call = AdminCall::Found { name: canonical(name), verb: LEGACY.into(), args: line.as_str().into() };
        match engine.admin(call).await {
            // A crash before the next line hands it down twice, which brings nothing new.
            Some(AdminAnswer::Done) => meta::remove(store, &key).await?,
            Some(AdminAnswer::NoRoom) => bail!("the disk is full; what is handed down waits until there is room again"),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// As a character is called; Err where there is none of that name (any more).
async fn known(store: &Store, name: &str) -> anyhow::Result<String> {
    let name = shown(name.trim());
    ensure!(characters::exists(store, &name).await?, "there is no character called {name}; nothing was handed down");
    Ok(name)
}

async fn graph_of(store: &Store, name: &str) -> anyhow::Result<Graph> {
    let Some(stored) = memories::graph(store, name).await? else {
        bail!("{name} has not dreamt yet, so there is nothing to hand down: dp-server dream --name {name}");
    };
    let damaged = || format!("what {name} remembers is damaged: dp-server dream --name {name} makes it anew");
    let document = stored.document().with_context(damaged)?;
    Graph::from_json(&document, name).with_context(damaged)
}

#[cfg(test)]
mod tests;
