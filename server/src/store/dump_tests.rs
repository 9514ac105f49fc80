//! Dumps between all kinds of databases: what comes back is what went in, at one moment, all or nothing.

#![allow(clippy::unwrap_used)]

use super::accounts::{self, AccountRow};
use super::characters::{self, CharacterRow};
use super::dump::{Dump, Load, Part, Written};
use super::keys::{self, NewKey};
use super::sessions::{self, NewSession, Transport};
use super::testing::{on_each_place, on_each_store};
use super::tokens::{self, TokenRow};
use super::*;
use crate::client_info::ClientInfo;
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// A dump in memory: the tables in their order, and what was said of each.
type Tables = Vec<(String, String, Written)>;

async fn dumped(store: &Store) -> Tables {
    let mut dump = Dump::begin(store).await.unwrap();
    read_out(&mut dump).await
}

async fn read_out(dump: &mut Dump) -> Tables {
    let names: Vec<String> = dump.tables().map(str::to_owned).collect();
    let mut tables = Vec::new();
    for name in names {
        let (to, mut from) = mpsc::channel::<Part>(1);
        let reading = async {
            // Dropped at the end, so that the other side ends too.
            let to = to;
            dump.read(&name, &to).await.unwrap()
        };
        let gathering = async {
            let mut lines = Vec::new();
            for number in 1.. {
                let Some(part) = from.recv().await else { break };
                assert_eq!((&part.table, part.number, part.lines.ends_with(b"\n")), (&name, number, true));
                lines.extend(part.lines);
            }
            String::from_utf8(lines).unwrap()
        };
        let (written, text) = tokio::join!(reading, gathering);
        assert_eq!(written.rows as usize, text.lines().count());
        tables.push((name, text, written));
    }
    tables
}

async fn load(store: &Store, tables: &Tables) -> anyhow::Result<()> {
    let mut load = Load::begin(store).await?;
    for (name, lines, written) in tables {
        let rows = load.write(name, lines.as_bytes(), written.last_id).await?;
        assert_eq!(rows, written.rows);
    }
    load.finish().await
}

/// The lines of each table in an order that does not depend on how a database sorts texts.
fn sorted(tables: &Tables) -> BTreeMap<&str, Vec<&str>> {
    tables
        .iter()
        .map(|(name, text, _)| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            (name.as_str(), lines)
        })
        .collect()
}

fn character(name: &str, data: &str, number: u64) -> CharacterRow {
    CharacterRow {
        name: name.to_owned(),
        data: data.to_owned(),
        written_by_input: number,
        updated_at: 1_000,
        level: 3,
        immortal_level: 0,
    }
}

async fn new_key(store: &Store, name: &str, digest: &str) -> i64 {
    let key = NewKey { prefix: "01234567".to_owned(), digest: digest.to_owned(), created_at: 5 };
    keys::insert(store, name, &key).await.unwrap().unwrap()
}

/// Something in every table, with everything that texts and numbers can be.
async fn fill(store: &Store) {
    for name in ["ada", "bob"] {
        let account = AccountRow {
            name: name.to_owned(),
            display_name: name.to_uppercase(),
            password_hash: Some("$argon2id$x".to_owned()),
            created_at: 7,
            last_login_at: None,
        };
        accounts::create(store, &account, &character(name, "{}", 1), None).await.unwrap();
    }
    let key = new_key(store, "ada", "digest one").await;
    let gone = new_key(store, "bob", "digest two").await;
    meddle(
        store,
        "DELETE FROM agent_key WHERE digest = 'digest two'",
        "DELETE FROM agent_key WHERE digest = 'digest two'",
    )
    .await;
    assert!(gone > key);
    let token = TokenRow {
        digest: "t".to_owned(),
        name: "ada".to_owned(),
        is_agent: true,
        key_id: Some(key),
        owner_key_id: None,
        expires_at: i64::MAX,
    };
    assert!(tokens::insert(store, &token, 0).await.unwrap());
    // More than one batch.
    let crowd: Vec<CharacterRow> = (0..1_234)
        .map(|n| {
            character(
                &format!("c{n}"),
                &format!("{{\"a\":\"{}\\u0000'\\\"Ünseen \u{1f702}\\n\n\t\"}}", "x".repeat(n)),
                n as u64,
            )
        })
        .collect();
    characters::save_batch(store, &crowd).await.unwrap();
    for (transport, harness) in
        [(Transport::Telnet, None), (Transport::Websocket, Some("it's \"one\", isn't it?".to_owned()))]
    {
        let session = NewSession {
            name: "ada".to_owned(),
            started_at: i64::MIN,
            transport,
            is_agent: false,
            client: ClientInfo { harness, valence: Some(true), ..ClientInfo::default() },
            world: Some("00ff".into()),
            seed: Some(u64::MAX),
        };
        sessions::begin(store, &session).await.unwrap();
    }
    meta::database_id(store).await.unwrap();
    // Tables as a later migration may bring them.
    meddle(
        store,
        "CREATE TABLE \"Odd \"\"name\" (\"select\" INTEGER PRIMARY KEY AUTOINCREMENT, parent BIGINT REFERENCES \"Odd \"\"name\" \
         (\"select\"), weight DOUBLE PRECISION, picture BLOB, note TEXT); CREATE TABLE \"a leaf\" (at BIGINT, tree BIGINT \
         NOT NULL REFERENCES \"Odd \"\"name\" (\"select\"), PRIMARY KEY (tree, at));",
        "CREATE TABLE \"Odd \"\"name\" (\"select\" BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, parent BIGINT \
         REFERENCES \"Odd \"\"name\" (\"select\"), weight DOUBLE PRECISION, picture BYTEA, note TEXT); CREATE TABLE \"a \
         leaf\" (at BIGINT, tree BIGINT NOT NULL REFERENCES \"Odd \"\"name\" (\"select\"), PRIMARY KEY (tree, at));",
    )
    .await;
    let rows = "INSERT INTO \"Odd \"\"name\" (parent, weight, note) VALUES (NULL, 0.1, ''), (1, -1e308, 'b'), (2, 5e-324, \
                NULL), (NULL, NULL, 'NULL'), (1, 3, '\\N'); INSERT INTO \"a leaf\" VALUES (-9223372036854775808, 3), \
                (9223372036854775807, 3)";
    meddle(store, rows, rows).await;
    meddle(
        store,
        "UPDATE \"Odd \"\"name\" SET picture = x'00ff8041' WHERE note = ''; UPDATE \"Odd \"\"name\" SET picture = x'' \
         WHERE note = 'b'; DELETE FROM \"Odd \"\"name\" WHERE note = '\\N'",
        "UPDATE \"Odd \"\"name\" SET picture = '\\x00ff8041' WHERE note = ''; UPDATE \"Odd \"\"name\" SET picture = '\\x' \
         WHERE note = 'b'; DELETE FROM \"Odd \"\"name\" WHERE note = '\\N'",
    )
    .await;
}

/// The later tables, without their rows.
async fn prepare(store: &Store) {
    fill(store).await;
    let clear = "DELETE FROM \"a leaf\"; DELETE FROM \"Odd \"\"name\"; DELETE FROM login_token; DELETE FROM agent_key; \
                 DELETE FROM account; DELETE FROM character; DELETE FROM session; DELETE FROM meta";
    meddle(store, clear, clear).await;
}

async fn meddle(store: &Store, sqlite: &'static str, postgres: &'static str) {
    let sql = if store.is_postgres() { postgres } else { sqlite };
    on_writer!(store, "meddling", |on| async { sqlx::raw_sql(sql).execute(on).await.map(drop) }).unwrap();
}

#[tokio::test]
async fn what_is_dumped_comes_back_in_either_kind_of_database() {
    on_each_place(async |from| {
        let source = from.open().await;
        fill(&source).await;
        let tables = dumped(&source).await;
        let filled = ["account", "agent_key", "character", "login_token", "meta", "session", "Odd \"name", "a leaf"];
        let empty = tables.iter().filter(|(name, _, written)| written.rows == 0 && filled.contains(&name.as_str()));
        assert_eq!(empty.count(), 0, "{:?}", names(&tables));
        source.close().await;
        on_each_place(async |to| {
            let target = to.open().await;
            prepare(&target).await;
            load(&target, &tables).await.unwrap();
            let again = dumped(&target).await;
            assert_eq!(sorted(&again), sorted(&tables));
            assert_eq!(
                again.iter().map(|(name, _, written)| (name, written)).collect::<BTreeMap<_, _>>(),
                tables.iter().map(|(name, _, written)| (name, written)).collect::<BTreeMap<_, _>>()
            );
            // Ids of rows that were deleted before the dump are not given again.
            let last = tables.iter().find(|(name, _, _)| name == "agent_key").unwrap().2.last_id.unwrap();
            assert_eq!(last, 2);
            assert_eq!(new_key(&target, "ada", "digest three").await, last + 1);
            target.close().await;
        })
        .await;
    })
    .await;
}

fn names(tables: &Tables) -> Vec<(&str, u64)> {
    tables.iter().map(|(name, _, written)| (name.as_str(), written.rows)).collect()
}

#[tokio::test]
async fn every_kind_of_value_is_written_so_that_it_can_be_read() {
    on_each_store(async |store| {
        fill(store).await;
        let tables = dumped(store).await;
        let (_, odd, written) = tables.iter().find(|(name, _, _)| name == "Odd \"name").unwrap();
        assert_eq!(
            odd.lines().collect::<Vec<_>>(),
            [
                r#"{"note":"","parent":null,"picture":"00ff8041","select":1,"weight":"0.1"}"#,
                r#"{"note":"b","parent":1,"picture":"","select":2,"weight":"-1e308"}"#,
                r#"{"note":null,"parent":2,"picture":null,"select":3,"weight":"5e-324"}"#,
                r#"{"note":"NULL","parent":null,"picture":null,"select":4,"weight":null}"#,
            ]
        );
        assert_eq!(*written, Written { table: "Odd \"name".to_owned(), rows: 4, last_id: Some(5) });
        let order: Vec<&str> = tables.iter().map(|(name, _, _)| name.as_str()).collect();
        let at = |name: &str| order.iter().position(|table| *table == name).unwrap();
        assert!(at("account") < at("agent_key") && at("agent_key") < at("login_token"), "{order:?}");
        assert!(at("Odd \"name") < at("a leaf") && !order.iter().any(|name| name.starts_with("_sqlx")), "{order:?}");
    })
    .await;
}

#[tokio::test]
async fn a_dump_shows_one_moment_however_long_it_takes() {
    on_each_store(async |store| {
        characters::save_batch(store, &[character("ada", "early", 1)]).await.unwrap();
        let mut dump = Dump::begin(store).await.unwrap();
        characters::save_batch(store, &[character("ada", "late", 2), character("bob", "late", 2)]).await.unwrap();
        meta::set(store, "key", "late").await.unwrap();
        let tables = read_out(&mut dump).await;
        assert!(tables.iter().all(|(_, text, _)| !text.contains("late")), "{tables:?}");
        assert!(tables.iter().any(|(_, text, _)| text.contains("early")));
    })
    .await;
}

#[tokio::test]
async fn a_load_goes_into_an_empty_database_only() {
    on_each_store(async |store| {
        meta::set(store, "key", "value").await.unwrap();
        let refusal = Load::begin(store).await.err().unwrap().to_string();
        assert!(refusal.contains("table meta has rows") && refusal.contains("--db"), "{refusal}");
    })
    .await;
}

#[tokio::test]
async fn a_load_that_fails_leaves_nothing_and_says_where() {
    on_each_store(async |store| {
        let good = r#"{"key":"a","value":"1"}"#;
        for (table, lines, said) in [
            ("meta", format!("{good}\n{{\"key\":\"b\",\"val"), "line 2 of the table meta"),
            ("meta", format!("{good}\n{{\"key\":\"b\"}}"), "line 2 of the table meta has other columns"),
            ("meta", format!("{good}\n{{\"key\":\"b\",\"value\":7}}"), "the column value cannot hold a number"),
            ("meta", format!("{good}\n{good}"), "the end of the table meta"),
            ("meta", "{\"key\":\"a\",\"worth\":\"1\"}".to_owned(), "no column worth"),
            ("taxes", good.to_owned(), "a table taxes, which the database"),
            ("account", "{\"name\":\"a\",\"display_name\":\"A\",\"created_at\":1.5}".to_owned(), "column created_at"),
        ] {
            let mut load = Load::begin(store).await.unwrap();
            let failure = match load.write(table, lines.as_bytes(), None).await {
                Ok(_) => panic!("{lines} was taken"),
                Err(error) => format!("{error:#}"),
            };
            assert!(failure.contains(said), "{failure}");
            drop(load);
            let left = dumped(store).await;
            assert!(left.iter().all(|(_, _, written)| written.rows == 0), "{:?}", names(&left));
        }
    })
    .await;
}

#[tokio::test]
async fn an_older_dump_is_brought_up_to_date_after_loading() {
    on_each_place(async |place| {
        let first = StoreOptions { schema: Some(1), ..StoreOptions::default() };
        let store = Store::connect(&place.address, &first).await.unwrap();
        assert_eq!(Dump::begin(&store).await.unwrap().migration(), 1);
        let meta = (
            "meta".to_owned(),
            "{\"key\":\"a\",\"value\":\"1\"}\n".to_owned(),
            Written { table: "meta".to_owned(), rows: 1, last_id: None },
        );
        load(&store, &vec![meta]).await.unwrap();
        store.close().await;
        let store = place.open().await;
        assert_eq!(Dump::begin(&store).await.unwrap().migration(), super::dump::newest_migration());
        assert_eq!(super::meta::get(&store, "a").await.unwrap().as_deref(), Some("1"));
        store.close().await;
    })
    .await;
}
