//! How characters and the server fare over time, a sample every few minutes, and what thinking costs, by hours: what
//! charts are drawn from. Samples go after a while (`retention`), hours stay.

use super::{Store, StoreError, canonical, in_transaction, on_reader, on_writer};
use std::collections::BTreeMap;

/// Points of one series, at most; of more the newest.
pub const POINTS_MAX: i64 = 5_000;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CharacterSample {
    /// Canonical.
    pub name: String,
    pub level: i64,
    pub exp: i64,
    pub hp: i64,
    pub hp_max: i64,
    pub gold: i64,
    pub kills: i64,
    pub deaths: i64,
    /// Vnum.
    pub room: i64,
}

/// The server at a moment, and everybody in its world.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sample {
    /// Unix milliseconds.
    pub at: i64,
    pub tick: i64,
    pub players: i64,
    pub agents: i64,
    pub tick_us: i64,
    pub characters: Vec<CharacterSample>,
}

/// Of an hour, of one character and one source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub decisions: i64,
    pub prompt: i64,
    pub cached: i64,
    pub output: i64,
    /// Of the calls whose price is known.
    pub cost_micros: i64,
    /// Of models, with tokens; none are counted in hours from before they were.
    pub calls: i64,
    /// Of those, the ones whose price is known.
    pub priced: i64,
}

impl Usage {
    /// What it cost, as far as that is known; `None`: there were calls, and the price of none is known.
    pub fn cost_known(&self) -> Option<i64> {
        let is_known = self.priced > 0 || self.cost_micros > 0;
        let is_free = self.calls == 0 && self.prompt == 0 && self.output == 0;
        (is_known || is_free).then_some(self.cost_micros)
    }

    pub fn add(&mut self, other: Usage) {
        self.decisions = self.decisions.saturating_add(other.decisions);
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.cost_micros = self.cost_micros.saturating_add(other.cost_micros);
        self.calls = self.calls.saturating_add(other.calls);
        self.priced = self.priced.saturating_add(other.priced);
    }
}

/// Canonical name, beginning of the hour, source.
pub type UsageKey = (String, i64, String);

/// A point of a series.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    pub at: i64,
    pub value: i64,
}

from_row!(Point { at, value });

/// A column of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    Character(&'static str),
    Server(&'static str),
}

/// What was used in an hour, over all sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsedHour {
    /// Unix milliseconds of its beginning.
    pub hour: i64,
    pub usage: Usage,
}

/// The sums of an hour as they are read.
struct UsedRow {
    hour: i64,
    decisions: i64,
    prompt: i64,
    cached: i64,
    output: i64,
    cost_micros: i64,
    calls: i64,
    priced: i64,
}

from_row!(UsedRow { hour, decisions, prompt, cached, output, cost_micros, calls, priced });

pub async fn add(store: &Store, sample: &Sample) -> Result<(), StoreError> {
    in_transaction!(store, "writing samples", |tx| {
        sqlx::query(
            "INSERT INTO server_sample (at, tick, players, agents, tick_us) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (at) DO NOTHING",
        )
        .bind(sample.at)
        .bind(sample.tick)
        .bind(sample.players)
        .bind(sample.agents)
        .bind(sample.tick_us)
        .execute(&mut **tx)
        .await?;
        for one in &sample.characters {
            sqlx::query(
                "INSERT INTO character_sample (name, at, tick, level, exp, hp, hp_max, gold, kills, deaths, room) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (name, at) DO NOTHING",
            )
            .bind(&one.name)
            .bind(sample.at)
            .bind(sample.tick)
            .bind(one.level)
            .bind(one.exp)
            .bind(one.hp)
            .bind(one.hp_max)
            .bind(one.gold)
            .bind(one.kills)
            .bind(one.deaths)
            .bind(one.room)
            .execute(&mut **tx)
            .await?;
        }
    })
}

/// Adds to what the hours have.
pub async fn add_usage(store: &Store, used: &BTreeMap<UsageKey, Usage>) -> Result<(), StoreError> {
    if used.is_empty() {
        return Ok(());
    }
    in_transaction!(store, "counting what was decided", |tx| {
        for ((name, hour, source), used) in used {
            sqlx::query(
                "INSERT INTO usage_hour \
                 (name, hour, source, decisions, prompt, cached, output, cost_micros, calls, priced) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (name, hour, source) DO UPDATE SET \
                 decisions = usage_hour.decisions + excluded.decisions, prompt = usage_hour.prompt + excluded.prompt, \
                 cached = usage_hour.cached + excluded.cached, output = usage_hour.output + excluded.output, \
                 cost_micros = usage_hour.cost_micros + excluded.cost_micros, \
                 calls = usage_hour.calls + excluded.calls, priced = usage_hour.priced + excluded.priced",
            )
            .bind(name)
            .bind(hour)
            .bind(source)
            .bind(used.decisions)
            .bind(used.prompt)
            .bind(used.cached)
            .bind(used.output)
            .bind(used.cost_micros)
            .bind(used.calls)
            .bind(used.priced)
            .execute(&mut **tx)
            .await?;
        }
    })
}

/// A series between two times, oldest first. `name`: of a character.
pub async fn series(store: &Store, of: Of, name: Option<&str>, from: i64, to: i64) -> Result<Vec<Point>, StoreError> {
    let name = name.map(canonical);
    let mut points: Vec<Point> = match of {
        Of::Character(column) => {
            let sql = format!(
                "SELECT at, {column} AS value FROM character_sample WHERE name = $1 AND at >= $2 AND at < $3 \
                 ORDER BY at DESC LIMIT $4"
            );
            on_reader!(store, "reading samples", |on| sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
                .bind(name.clone().unwrap_or_default())
                .bind(from)
                .bind(to)
                .bind(POINTS_MAX)
                .fetch_all(on))?
        }
        Of::Server(column) => {
            let sql = format!(
                "SELECT at, {column} AS value FROM server_sample WHERE at >= $1 AND at < $2 ORDER BY at DESC LIMIT $3"
            );
            on_reader!(store, "reading samples", |on| sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
                .bind(from)
                .bind(to)
                .bind(POINTS_MAX)
                .fetch_all(on))?
        }
    };
    points.reverse();
    Ok(points)
}

/// The hours that began between two times, oldest first. `name`: of a character; none sums up everybody's.
pub async fn used(store: &Store, name: Option<&str>, from: i64, to: i64) -> Result<Vec<UsedHour>, StoreError> {
    let name = name.map(canonical);
    let rows: Vec<UsedRow> = on_reader!(store, "reading what was used", |on| sqlx::query_as(
        "SELECT hour, CAST(SUM(decisions) AS BIGINT) AS decisions, CAST(SUM(prompt) AS BIGINT) AS prompt, \
         CAST(SUM(cached) AS BIGINT) AS cached, CAST(SUM(output) AS BIGINT) AS output, \
         CAST(SUM(cost_micros) AS BIGINT) AS cost_micros, CAST(SUM(calls) AS BIGINT) AS calls, \
         CAST(SUM(priced) AS BIGINT) AS priced FROM usage_hour \
         WHERE (name = $1 OR $2 = 1) AND hour >= $3 AND hour < $4 GROUP BY hour ORDER BY hour DESC LIMIT $5"
    )
    .bind(name.clone().unwrap_or_default())
    .bind(i64::from(name.is_none()))
    .bind(from)
    .bind(to)
    .bind(POINTS_MAX)
    .fetch_all(on))?;
    let hours = rows.into_iter().rev().map(|row| {
        let UsedRow { hour, decisions, prompt, cached, output, cost_micros, calls, priced } = row;
        UsedHour { hour, usage: Usage { decisions, prompt, cached, output, cost_micros, calls, priced } }
    });
    Ok(hours.collect())
}

/// Samples from before a time go; how many.
pub async fn remove_before(store: &Store, at: i64) -> Result<u64, StoreError> {
    let mut removed = 0;
    for sql in ["DELETE FROM character_sample WHERE at < $1", "DELETE FROM server_sample WHERE at < $1"] {
        removed += on_writer!(store, "removing old samples", |on| async {
            sqlx::query(sql).bind(at).execute(on).await.map(|done| done.rows_affected())
        })?;
    }
    Ok(removed)
}

/// A character is deleted, and what was sampled of it with it.
pub async fn forget(store: &Store, name: &str) -> Result<(), StoreError> {
    let name = canonical(name);
    in_transaction!(store, "forgetting samples", |tx| {
        for sql in ["DELETE FROM character_sample WHERE name = $1", "DELETE FROM usage_hour WHERE name = $1"] {
            sqlx::query(sql).bind(&name).execute(&mut **tx).await?;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::on_each_store;

    fn sample(at: i64, exp: i64) -> Sample {
        let ann = CharacterSample { name: "ann".into(), exp, ..CharacterSample::default() };
        Sample { at, tick: at / 10, players: 2, agents: 1, tick_us: 300, characters: vec![ann] }
    }

    #[tokio::test]
    async fn samples_are_read_as_series_and_go_with_age_or_character() {
        on_each_store(async |store| {
            for (at, exp) in [(1_000, 5), (2_000, 9), (3_000, 12)] {
                add(store, &sample(at, exp)).await.expect("written");
            }
            add(store, &sample(2_000, 77)).await.expect("what is there stays");
            let exp = async |from, to| -> Vec<(i64, i64)> {
                let points = series(store, Of::Character("exp"), Some("Ann"), from, to).await.expect("read");
                points.into_iter().map(|point| (point.at, point.value)).collect()
            };
            assert_eq!(exp(0, 3_000).await, [(1_000, 5), (2_000, 9)]);
            let players = series(store, Of::Server("players"), None, 2_500, 9_000).await.expect("read");
            assert_eq!(players, [Point { at: 3_000, value: 2 }]);
            assert_eq!(remove_before(store, 2_000).await.expect("removed"), 2);
            forget(store, "Ann").await.expect("forgotten");
            assert!(exp(0, 9_000).await.is_empty());
        })
        .await;
    }

    #[tokio::test]
    async fn hours_add_up_over_batches_sources_and_names() {
        on_each_store(async |store| {
            let of = |prompt| Usage { decisions: 1, prompt, cost_micros: 7, calls: 1, ..Usage::default() };
            let key = |name: &str, hour, source: &str| (name.to_string(), hour, source.to_string());
            let hours = [
                (key("ann", 0, "model"), of(10)),
                (key("ann", 0, "reflex"), of(0)),
                (key("ann", 3_600_000, "model"), of(5)),
                (key("bob", 0, "model"), of(100)),
            ];
            for _ in 0..2 {
                add_usage(store, &hours.clone().into()).await.expect("written");
            }
            let prompt = async |name: Option<&str>| -> Vec<i64> {
                let hours = used(store, name, 0, i64::MAX).await.expect("read");
                hours.into_iter().map(|hour| hour.usage.prompt).collect()
            };
            assert_eq!(prompt(Some("ann")).await, [20, 10]);
            assert_eq!(prompt(None).await, [220, 10]);
            let hours = used(store, Some("Ann"), 0, 1).await.expect("read");
            let usage = Usage { decisions: 4, prompt: 20, cost_micros: 28, calls: 4, ..Usage::default() };
            assert_eq!(hours, [UsedHour { hour: 0, usage }]);
        })
        .await;
    }

    #[test]
    fn a_price_that_nobody_knows_is_not_zero() {
        let of = |prompt, cost_micros, calls, priced| {
            Usage { prompt, cost_micros, calls, priced, ..Usage::default() }.cost_known()
        };
        for (why, cost, known) in [
            ("policies alone", of(0, 0, 0, 0), Some(0)),
            ("a model without a price", of(900, 0, 3, 0), None),
            ("a model that is free", of(900, 0, 3, 3), Some(0)),
            ("one of three calls has a price", of(900, 40, 3, 1), Some(40)),
            ("an hour from before calls were counted", of(900, 40, 0, 0), Some(40)),
            ("such an hour without a price", of(900, 0, 0, 0), None),
        ] {
            assert_eq!(cost, known, "{why}");
        }
    }
}
