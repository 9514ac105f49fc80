//! What is handed down, from the dreams of one to the dreams of another, by the store.

use super::*;
use crate::dreams::one::{Calendar, Came, Way, dream_of};
use crate::store::agent_events::{self, row_of};
use crate::store::characters::CharacterRow;
use crate::store::logs;
use crate::store::testing::on_each_store;
use dreaming::synthetic::{AGENT, Life, Shape};
use mind::{Event, LogEntry, MindState, VerbRequest, edit};
use std::path::Path;

async fn character(store: &Store, name: &str) {
    let row = CharacterRow {
        name: name.to_string(),
        data: format!("{{\"name\":{name:?}}}"),
        written_by_input: 1,
        updated_at: 1,
        level: 1,
        immortal_level: 0,
    };
    characters::save_batch(store, &[row]).await.expect("written");
}

/// Gives somebody a life of so many records, long past.
async fn lives(store: &Store, name: &str, seed: u64, count: usize) {
    character(store, name).await;
    let shape = Shape { seed, events_per_day: 60, from_ms: 1_704_096_000_000, ..Shape::default() };
    let rows: Vec<_> = Life::new(shape)
        .take(count)
        .map(|record| {
            let event = Event::Happening(Box::new(record.happening));
            let entry = LogEntry { seq: record.seq, tick: record.tick, at_ms: record.at_ms, input: record.seq, event };
            row_of(name, &entry, None)
        })
        .collect();
    agent_events::append(store, &rows).await.expect("written");
}

async fn dreams(store: &Store, dir: &Path, name: &str) -> Graph {
    let way = Way::new(dir.to_path_buf(), Calendar::Of(0));
    let came = dream_of(store, name, &way, &mut |_, _| ()).await.expect("it dreams");
    assert!(matches!(came, Came::Dreamt(_)), "{came:?}");
    graph_of(store, name).await.expect("there is a graph")
}

/// What waits becomes entries, as the mind of the heir writes them.
async fn receives(store: &Store, name: &str) {
    let mut seq = agent_events::newest(store, name).await.expect("it answers").seq;
    for (key, line) in legacies::waiting(store, name).await.expect("it answers") {
        seq += 1;
        let asked = VerbRequest { name, ..VerbRequest::new(LEGACY, &line, seq, 1, 77) };
        let reply = edit::answer(&MindState::default(), &asked);
        assert!(!reply.refused, "{}", reply.text);
        let event = reply.events.into_iter().next().expect("an entry");
        let entry = LogEntry { seq, tick: 77, at_ms: 1_704_200_000_000, input: seq, event };
        agent_events::append(store, &[row_of(name, &entry, None)]).await.expect("written");
        meta::remove(store, &key).await.expect("removed");
    }
}

fn handed(graph: &Graph) -> usize {
    graph.alive().filter(|(_, node)| node.is_handed_down()).count()
}

fn names(of: &[&str]) -> Vec<String> {
    of.iter().map(|name| name.to_string()).collect()
}

#[tokio::test]
async fn an_heir_knows_in_every_night_and_every_rebuild() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        lives(store, AGENT, 1, 400).await;
        lives(store, "Heir", 2, 60).await;
        dreams(store, dir.path(), AGENT).await;
        let came = hand_down(store, &names(&[AGENT]), "heir").await.expect("it is handed down");
        assert!(came.items > 10 && came.known == 0 && !came.received && came.to == "Heir", "{came:?}");
        assert_eq!(handed(&dreams(store, dir.path(), "Heir").await), 0, "it waits");
        receives(store, "Heir").await;
        let after_a_night = dreams(store, dir.path(), "Heir").await;
        assert_eq!(handed(&after_a_night), came.items);
        // Twice: nothing new, be it received or on its way.
        let again = hand_down(store, &names(&[AGENT, AGENT]), "Heir").await.expect("it answers");
        assert_eq!((again.items, again.known), (0, 2 * came.items));
        assert!(again.to_string().starts_with("Nothing new for Heir"), "{again}");
        // The next night keeps it, and so does one that makes all anew: to the byte.
        assert_eq!(dreams(store, dir.path(), "Heir").await.to_json(), after_a_night.to_json());
        let all = legacies::after(store, "Heir", 0).await.expect("it answers");
        assert_eq!(all.len(), came.items);
        assert!(memories::delete(store, "Heir").await.expect("it answers"));
        assert_eq!(dreams(store, dir.path(), "Heir").await.to_json(), after_a_night.to_json());
        // In a circle nobody gets its own back.
        let back = hand_down(store, &names(&["Heir"]), AGENT).await.expect("it answers");
        let waiting = legacies::waiting(store, AGENT).await.expect("it answers");
        assert!(back.items > 0 && back.known > 0, "{back:?}");
        assert!(waiting.iter().all(|(_, line)| !line.contains(&format!("\"agent\":\"{AGENT}\""))));
        // Whoever is deleted takes along what waits.
        logs::delete(store, AGENT).await.expect("deleted");
        assert_eq!(legacies::waiting(store, AGENT).await.expect("it answers"), vec![]);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_handed_down_is_told_why() {
    on_each_store(async |store| {
        let dir = tempfile::tempdir().expect("a folder");
        lives(store, AGENT, 1, 60).await;
        character(store, "Heir").await;
        for (from, to, why) in [
            (vec!["Nobody"], "Heir", "there is no character called Nobody"),
            (vec![AGENT], "Nobody", "there is no character called Nobody"),
            (vec!["HEIR"], "heir", "Heir cannot inherit from itself"),
            (vec![AGENT], "Heir", "has not dreamt yet"),
            (vec![], "Heir", "nobody is named"),
        ] {
            let error = hand_down(store, &names(&from), to).await.expect_err(why);
            assert!(error.to_string().contains(why), "{error:#}");
        }
        dreams(store, dir.path(), AGENT).await;
        // A graph that somebody damaged, and lines that did.
        let stored = memories::graph(store, AGENT).await.expect("it answers").expect("there is one");
        assert!(stored.compressed.len() > 8);
        meta::set(store, "legacy.heir.000000", "[{").await.expect("written");
        let error = hand_down(store, &names(&[AGENT]), "Heir").await.expect_err("it is damaged");
        assert!(error.to_string().contains("legacy.heir.000000 is damaged"), "{error:#}");
    })
    .await;
}

#[test]
fn a_damaged_line_writes_nothing() {
    for line in ["", "[]", "{}", "[{\"agent\":\"Ann\"}]", "[{\"agent\":\"Ann\",\"id\":\"x\",\"text\":\"y\"}]", "null"] {
        let reply = edit::answer(&MindState::default(), &VerbRequest::new(LEGACY, line, 1, 1, 1));
        assert!(reply.refused && reply.events.is_empty() && !reply.text.is_empty(), "{line}: {reply:?}");
    }
    let sound = r#"[{"agent":"Ann","id":"x","text":"Trolls fear fire.","evidence":[3],"valence":1.0}]"#;
    let own = VerbRequest { name: "ann", ..VerbRequest::new(LEGACY, sound, 1, 1, 1) };
    assert!(edit::answer(&MindState::default(), &own).refused, "nobody inherits from oneself");
    let reply = edit::answer(&MindState::default(), &VerbRequest::new(LEGACY, sound, 1, 1, 1));
    assert_eq!((reply.refused, reply.events.len()), (false, 1), "{}", reply.text);
}
