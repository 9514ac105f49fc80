//! Decisions in every kind of database: written once, read page by page, moved into their months, taken away when old.

#![allow(clippy::unwrap_used)]

use super::decision_archives::{has, page};
use super::decisions::*;
use super::months::*;
use super::testing::{on_each_place, on_each_store};
use super::*;
use sqlx::AssertSqlSafe;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// 2026-11-21T00:00:00Z.
const NOW: i64 = 1_795_219_200_000;

pub(crate) fn decision(name: &str, at: i64, number: i64) -> Decision {
    Decision {
        name: name.into(),
        at,
        number,
        part: 0,
        tick: 7,
        session: Some(3),
        command: "say".into(),
        args: "„ünseen“ 'quoted'; DROP".into(),
        pre_hp: 20,
        pre_mana: 100,
        pre_move: 82,
        pre_position: "standing".into(),
        pre_room: 3001,
        post_hp: -3,
        post_mana: 90,
        post_move: 81,
        post_position: "mortally wounded".into(),
        post_room: -1,
        error: Some("You cannot.".into()),
        latency_us: Some(1_234_567),
        model: Some("m".into()),
        harness: Some("h".into()),
        version: Some("1".into()),
        memory_ids: Some("[1,\"\\u0000\"]".into()),
        source: Some("reflex".into()),
        meta: Some("{\"more\":[]}".into()),
        pre_exp: Some(1),
        post_exp: Some(1_000_000),
        pre_gold: Some(7),
        post_gold: Some(0),
        valence: Some(0),
        world: None,
        seed: None,
    }
}

fn bare(name: &str, at: i64, number: i64) -> Decision {
    Decision {
        session: None,
        error: None,
        latency_us: None,
        model: None,
        harness: None,
        version: None,
        memory_ids: None,
        source: None,
        meta: None,
        pre_exp: None,
        post_exp: None,
        pre_gold: None,
        post_gold: None,
        valence: None,
        args: "".into(),
        ..decision(name, at, number)
    }
}

async fn write(store: &Store, rows: &[Decision]) -> Result<u64, StoreError> {
    insert(store, rows, &mut KnownSpans::default()).await
}

async fn all(store: &Store, name: &str) -> Vec<Decision> {
    let (mut rows, mut after) = (Vec::new(), Cursor::from(i64::MIN));
    loop {
        let page = page(store, name, after, i64::MAX, 1000).await.unwrap();
        let Some(last) = page.last() else { return rows };
        after = Cursor::behind(last);
        rows.extend(page);
    }
}

#[tokio::test]
async fn what_is_recorded_is_read_as_it_was_and_each_only_once() {
    on_each_store(async |store| {
        let rows = [decision("ada", NOW, 5), bare("ada", NOW, 6), Decision { part: 1, ..bare("ada", NOW, 6) }];
        assert_eq!(write(store, &rows[..2]).await.unwrap(), 2);
        assert_eq!(write(store, &rows).await.unwrap(), 1, "two are there already");
        assert_eq!(write(store, &[rows[0].clone(), rows[0].clone()]).await.unwrap(), 0);
        let changed = Decision { post_hp: 99, ..rows[0].clone() };
        assert_eq!(write(store, &[changed]).await.unwrap(), 0, "a row is never changed");
        assert_eq!(write(store, &[]).await.unwrap(), 0);
        assert_eq!(all(store, "ADA").await, rows);
        assert_eq!(all(store, "Bob").await, []);
        assert!(has(store, "Ada").await.unwrap() && !has(store, "Bob").await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_overlap() {
    on_each_store(async |store| {
        // More than one statement of each size, several in one millisecond, and handed in out of order.
        let mut rows: Vec<Decision> = (0..2_345).map(|n| bare("ada", NOW + n / 7, n)).collect();
        rows.extend((0..40).map(|n| bare("adam", NOW, 9_000 + n)));
        rows.reverse();
        assert_eq!(write(store, &rows).await.unwrap(), 2_385);
        assert_eq!(count(store).await.unwrap(), 2_385);
        let (mut seen, mut after) = (Vec::new(), Cursor::from(NOW + 1));
        loop {
            let page = page(store, "Ada", after, NOW + 300, 100).await.unwrap();
            let Some(last) = page.last() else { break };
            assert!(page.len() <= 100);
            after = Cursor::behind(last);
            seen.extend(page.iter().map(|row| row.number));
        }
        assert_eq!(seen, (7..2_100).collect::<Vec<i64>>(), "from the second millisecond to the last before 300");
    })
    .await;
}

#[tokio::test]
async fn old_rows_go_and_new_ones_stay() {
    on_each_store(async |store| {
        make_partitions(store, NOW - 90 * DAY).await.unwrap();
        make_partitions(store, NOW).await.unwrap();
        let rows: Vec<Decision> = (0..6_000)
            .map(|n| bare("ada", NOW - 80 * DAY + n, n))
            .chain([bare("ada", NOW, 8_000), bare("bob", NOW - 70 * DAY, 8_001), bare("bob", NOW - 400 * DAY, 8_002)])
            .collect();
        write(store, &rows).await.unwrap();
        assert_eq!(remove_before(store, NOW - 500 * DAY).await.unwrap(), None);
        let removed = remove_before(store, NOW - 30 * DAY).await.unwrap();
        assert!(removed.is_some());
        let left = |rows: Vec<Decision>| rows.iter().map(|row| row.number).collect::<Vec<_>>();
        assert_eq!((left(all(store, "ada").await), left(all(store, "bob").await)), (vec![8_000], vec![]));
        assert_eq!(remove_before(store, NOW - 30 * DAY).await.unwrap(), None, "nothing is left to remove");
    })
    .await;
}

async fn rows_of(store: &Store, table: &str) -> i64 {
    let Store::Postgres(postgres) = store else { panic!("only PostgreSQL has partitions") };
    let count = format!("SELECT COUNT(*) FROM ONLY {table}");
    sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(&postgres.pool).await.unwrap()
}

#[tokio::test]
async fn months_are_made_ahead_and_take_what_waited_for_them() {
    on_each_store(async |store| {
        if !store.is_postgres() {
            assert_eq!(make_partitions(store, NOW).await.unwrap(), Vec::<String>::new());
            return;
        }
        // Before any month is made, and after a jump of the clock: nothing is refused.
        let december = Month::of(NOW + 15 * DAY).unwrap().begins().unwrap();
        let rows = [
            bare("ada", NOW, 1),
            bare("ada", december - 1, 2),
            bare("ada", december, 3),
            bare("ada", NOW + 4000 * DAY, 4),
            bare("ada", 0, 5),
        ];
        write(store, &rows).await.unwrap();
        assert_eq!(rows_of(store, "decision_default").await, 5);
        let made = make_partitions(store, NOW).await.unwrap();
        assert_eq!(made, ["decision_2026_11", "decision_2026_12", "decision_2027_01"]);
        assert_eq!(rows_of(store, "decision_2026_11").await, 2);
        assert_eq!(rows_of(store, "decision_2026_12").await, 1);
        assert_eq!(rows_of(store, "decision_default").await, 2);
        assert_eq!(all(store, "ada").await.len(), 5, "none was lost on the way");
        write(store, &[bare("ada", NOW + DAY, 6)]).await.unwrap();
        assert_eq!(rows_of(store, "decision_2026_11").await, 3);
        assert_eq!(write(store, &rows).await.unwrap(), 0, "the same rows are still known");
        assert_eq!(make_partitions(store, NOW).await.unwrap(), Vec::<String>::new());
        assert_eq!(make_partitions(store, NOW + 30 * DAY).await.unwrap(), ["decision_2027_02"]);
    })
    .await;
}

#[tokio::test]
async fn several_servers_make_the_months_while_others_write() {
    on_each_place(async |place| {
        let (one, two) = (place.open().await, place.open().await);
        let writing = async {
            for n in 0..60 {
                write(&one, &[bare("ada", NOW + n * DAY, n)]).await.unwrap();
            }
        };
        let making = async |store: &Store| make_partitions(store, NOW).await.unwrap();
        let ((), first, second) = tokio::join!(writing, making(&one), making(&two));
        assert_eq!(first.len() + second.len(), if one.is_postgres() { 3 } else { 0 }, "{first:?} {second:?}");
        assert_eq!(all(&two, "ada").await.len(), 60);
        one.close().await;
        two.close().await;
    })
    .await;
}
