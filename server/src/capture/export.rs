//! `dp-server decisions`: the record of a character's commands as JSON lines or CSV.
//!
//! Reads the database and its archives directly, so it works beside a running server and without one. Invariant:
//! however much there is, one page of it is in memory, and nothing is held open while the reader of the output pauses.

use crate::state_dir::StateArgs;
use crate::state_dir::StateDir;
use crate::store::decisions::{Cursor, Decision};
use crate::store::{Store, StoreOptions, accounts, channels, characters, decision_archives};
use crate::times::unix_ms;
use crate::times::{parse_moment_or_ago, rfc3339_ms};
use anyhow::{Context, bail};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Rows read at a time.
const PAGE_ROWS: i64 = 1000;

#[derive(Clone, Debug, clap::Args)]
pub struct DecisionsArgs {
    /// The character's name
    #[arg(long, alias = "agent", value_name = "NAME")]
    pub name: String,
    /// From when on: a duration before now (30s, 15m, 1h, 2d), an RFC 3339 time or unix seconds [default: all]
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Until when, in the same forms; what came at that time is left out [default: the end]
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// One JSON object a line, or CSV with a heading
    #[arg(long, default_value = "jsonl")]
    pub format: Format,
    /// Which columns: those of old, or all that are recorded
    #[arg(long, default_value = "published", value_name = "WHICH")]
    pub columns: Columns,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Columns {
    /// What every version has written
    Published,
    /// These, and behind them input, part, session, source, kind, meta, experience and gold before and after, reward,
    /// valence, world, seed
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    Jsonl,
    Csv,
}

/// A row of the export; the order is that of the columns.
#[derive(Serialize)]
struct Line<'a, Ids> {
    tick: i64,
    at: String,
    command: &'a str,
    args: &'a str,
    pre_hp: i64,
    pre_mana: i64,
    pre_move: i64,
    pre_position: &'a str,
    pre_room: i64,
    post_hp: i64,
    post_mana: i64,
    post_move: i64,
    post_position: &'a str,
    post_room: i64,
    error: Option<&'a str>,
    latency_us: Option<i64>,
    model: Option<&'a str>,
    harness: Option<&'a str>,
    version: Option<&'a str>,
    memory_ids: Option<Ids>,
}

/// The columns that only `--columns all` has.
#[derive(Serialize)]
struct More<'a, Json> {
    /// Number of the world's input that brought the command.
    input: i64,
    part: i64,
    session: Option<i64>,
    source: Option<&'a str>,
    kind: &'static str,
    meta: Option<Json>,
    pre_exp: Option<i64>,
    post_exp: Option<i64>,
    pre_gold: Option<i64>,
    post_gold: Option<i64>,
    /// JSON: what changed until the next decision of the character began.
    reward: Option<Json>,
    /// Whether anything was worth anything to who sent it.
    valence: Option<bool>,
    world: Option<&'a str>,
    seed: Option<u64>,
}

/// Their heading, in their order.
const MORE_COLUMNS: [&str; 14] = [
    "input",
    "part",
    "session",
    "source",
    "kind",
    "meta",
    "pre_exp",
    "post_exp",
    "pre_gold",
    "post_gold",
    "reward",
    "valence",
    "world",
    "seed",
];

impl<'a, Json> More<'a, Json> {
    fn of(row: &'a Decision, meta: Option<Json>, reward: Option<Json>) -> More<'a, Json> {
        let source = row.source.as_deref();
        More {
            input: row.number,
            part: row.part,
            session: row.session,
            source,
            kind: kind_of(source),
            meta,
            pre_exp: row.pre_exp,
            post_exp: row.post_exp,
            pre_gold: row.pre_gold,
            post_gold: row.post_gold,
            reward,
            valence: row.valence.map(|on| on != 0),
            world: row.world.as_deref(),
            seed: row.seed.map(i64::cast_unsigned),
        }
    }
}

/// What rewards are differences of, at one moment.
#[derive(Clone, Copy)]
struct Measured {
    exp: Option<i64>,
    gold: Option<i64>,
    hp: i64,
}

impl Measured {
    fn before(row: &Decision) -> Measured {
        Measured { exp: row.pre_exp, gold: row.pre_gold, hp: row.pre_hp }
    }

    fn after(row: &Decision) -> Measured {
        Measured { exp: row.post_exp, gold: row.post_gold, hp: row.post_hp }
    }
}

/// What changed from a decision to the next one of the same character, and of the last one to the end: `end`. A
/// question of the harness earns nothing, whatever happens before the next decision, so the rewards of a character sum
/// up to what changed since its first decision. `None` for rows of before experience was recorded.
fn reward(row: &Decision, end: Measured) -> Option<String> {
    let begin = Measured::before(row);
    let end = if decides(row) { end } else { begin };
    let (exp, gold, hp) = (end.exp? - begin.exp?, end.gold? - begin.gold?, end.hp - begin.hp);
    Some(format!("{{\"exp\":{exp},\"gold\":{gold},\"hp\":{hp}}}"))
}

fn decides(row: &Decision) -> bool {
    kind_of(row.source.as_deref()) == "decision"
}

/// A row as one JSON object.
#[derive(Serialize)]
struct Object<'a, Json> {
    #[serde(flatten)]
    line: Line<'a, Json>,
    #[serde(flatten)]
    more: Option<More<'a, Json>>,
}

/// A column that only this program writes, as JSON; what a hand made of it is shown as a text.
fn json_of(column: Option<&str>) -> Option<Box<RawValue>> {
    let text = column?;
    let as_text = || serde_json::to_string(text).ok().and_then(|text| RawValue::from_string(text).ok());
    RawValue::from_string(text.to_string()).ok().or_else(as_text)
}

/// What a command was for, by what its client said of it (`source`): a question of the harness itself decides nothing.
fn kind_of(source: Option<&str>) -> &'static str {
    match source {
        Some("retrieval" | "harness") => "harness",
        _ => "decision",
    }
}

/// The heading of the CSV: that of an empty export too.
const COLUMNS: [&str; 20] = [
    "tick",
    "at",
    "command",
    "args",
    "pre_hp",
    "pre_mana",
    "pre_move",
    "pre_position",
    "pre_room",
    "post_hp",
    "post_mana",
    "post_move",
    "post_position",
    "post_room",
    "error",
    "latency_us",
    "model",
    "harness",
    "version",
    "memory_ids",
];

impl<'a, Ids> Line<'a, Ids> {
    fn of(row: &'a Decision, memory_ids: Option<Ids>) -> Line<'a, Ids> {
        Line {
            tick: row.tick,
            at: rfc3339_ms(row.at),
            command: &row.command,
            args: &row.args,
            pre_hp: row.pre_hp,
            pre_mana: row.pre_mana,
            pre_move: row.pre_move,
            pre_position: &row.pre_position,
            pre_room: row.pre_room,
            post_hp: row.post_hp,
            post_mana: row.post_mana,
            post_move: row.post_move,
            post_position: &row.post_position,
            post_room: row.post_room,
            error: row.error.as_deref(),
            latency_us: row.latency_us,
            model: row.model.as_deref(),
            harness: row.harness.as_deref(),
            version: row.version.as_deref(),
            memory_ids,
        }
    }
}

/// Writes rows in one of the formats.
enum Sheet<W: Write> {
    Jsonl(W, Columns),
    Csv(Box<csv::Writer<W>>, Columns),
}

impl<W: Write> Sheet<W> {
    fn new(format: Format, columns: Columns, out: W) -> std::io::Result<Sheet<W>> {
        Ok(match format {
            Format::Jsonl => Sheet::Jsonl(out, columns),
            Format::Csv => {
                let mut sheet = csv::WriterBuilder::new().has_headers(false).from_writer(out);
                let more: &[&str] = if columns == Columns::All { &MORE_COLUMNS } else { &[] };
                sheet.write_record(COLUMNS.iter().chain(more))?;
                Sheet::Csv(Box::new(sheet), columns)
            }
        })
    }

    /// `end`: as it stood when the next decision began, or when all was over.
    fn write(&mut self, row: &Decision, end: Measured) -> std::io::Result<()> {
        let (ids, meta) = (row.memory_ids.as_deref(), row.meta.as_deref());
        let reward = reward(row, end);
        let reward = reward.as_deref();
        match self {
            Sheet::Jsonl(out, columns) => {
                let more = (*columns == Columns::All).then(|| More::of(row, json_of(meta), json_of(reward)));
                serde_json::to_writer(&mut *out, &Object { line: Line::of(row, json_of(ids)), more })?;
                out.write_all(b"\n")
            }
            Sheet::Csv(sheet, Columns::Published) => sheet.serialize(Line::of(row, ids)).map_err(std::io::Error::from),
            Sheet::Csv(sheet, Columns::All) => {
                sheet.serialize((Line::of(row, ids), More::of(row, meta, reward))).map_err(std::io::Error::from)
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Sheet::Jsonl(out, _) => out.flush(),
            Sheet::Csv(sheet, _) => sheet.flush(),
        }
    }
}

pub async fn run(which: &DecisionsArgs, place: &StateArgs) -> anyhow::Result<()> {
    let now = unix_ms();
    let moment = |text: &Option<String>, flag: &str| -> anyhow::Result<Option<i64>> {
        let parse = |text: &String| parse_moment_or_ago(text, now).map_err(anyhow::Error::msg);
        text.as_ref().map(parse).transpose().with_context(|| format!("reading {flag}"))
    };
    let since = moment(&which.since, "--since")?.unwrap_or(i64::MIN);
    let until = moment(&which.until, "--until")?.unwrap_or(i64::MAX);
    if since >= until {
        bail!("--since is not before --until, so there is nothing between them");
    }
    let store = open(place).await?;
    let exported = async {
        let name = channels::account_meant(&store, &which.name).await?;
        export(&store, &DecisionsArgs { name, ..which.clone() }, since, until, std::io::stdout().lock()).await
    };
    let exported = exported.await;
    store.close().await;
    match exported {
        Err(error) => Err(error),
        Ok(0) => {
            eprintln!(
                "No commands of {} are recorded in that time. Those of people are only where the server runs with --capture all.",
                which.name
            );
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// Reading makes no database where there is none.
pub async fn open(place: &StateArgs) -> anyhow::Result<Store> {
    let database = match &place.db {
        Some(database) => database.clone(),
        None => {
            let missing =
                || format!("there is no state folder {}; name it with --state-dir", place.state_dir.display());
            anyhow::ensure!(place.state_dir.is_dir(), missing());
            StateDir::open(&place.state_dir)?.default_database()
        }
    };
    if let Some(path) = database.strip_prefix("sqlite:") {
        let path = path.trim_start_matches("//").split('?').next().unwrap_or_default();
        let missing = || format!("there is no database {path}; name it with --state-dir or --db");
        anyhow::ensure!(Path::new(path).is_file(), missing());
    }
    Ok(Store::connect(&database, &StoreOptions::of_state(&place.state_dir)).await?)
}

/// Returns how many rows there were.
pub(super) async fn export(
    store: &Store,
    which: &DecisionsArgs,
    since: i64,
    until: i64,
    out: impl Write,
) -> anyhow::Result<u64> {
    let name = &which.name;
    let known = decision_archives::has(store, name).await?
        || characters::exists(store, name).await?
        || accounts::find(store, name).await?.is_some();
    if !known {
        bail!("there is no character {name:?} in the database {}, and never was one recorded", store.place());
    }
    let written = "writing to standard output";
    let mut sheet = Sheet::new(which.format, which.columns, BufWriter::new(out)).context(written)?;
    let mut after = Cursor::from(since);
    let mut rows = 0;
    // A decision, and the questions of the harness behind it: what it was worth shows in the next decision.
    let mut held: Vec<Decision> = Vec::new();
    loop {
        let page = decision_archives::page(store, name, after, until, PAGE_ROWS).await?;
        let Some(newest) = page.last() else { break };
        after = Cursor::behind(newest);
        rows += page.len() as u64;
        for row in page {
            if decides(&row) {
                let end = Measured::before(&row);
                held.drain(..).try_for_each(|row| sheet.write(&row, end)).context(written)?;
            }
            held.push(row);
        }
        if held.len() > PAGE_ROWS as usize {
            let end = end_of(store, name, &held).await?;
            held.drain(..).try_for_each(|row| sheet.write(&row, end)).context(written)?;
        }
        // Whoever reads along sees each page when it is there.
        sheet.flush().context(written)?;
    }
    if !held.is_empty() {
        let end = end_of(store, name, &held).await?;
        held.drain(..).try_for_each(|row| sheet.write(&row, end)).context(written)?;
    }
    sheet.flush().context(written)?;
    Ok(rows)
}

/// When what a decision is worth was settled, of which and of the questions behind it these are the rows: when the next
/// decision began, which may lie beyond what is asked for; else when the last row had run.
async fn end_of(store: &Store, name: &str, held: &[Decision]) -> anyhow::Result<Measured> {
    let mut last = held.last().context("there is no row to measure")?.clone();
    loop {
        let page = decision_archives::page(store, name, Cursor::behind(&last), i64::MAX, PAGE_ROWS).await?;
        if let Some(next) = page.iter().find(|row| decides(row)) {
            return Ok(Measured::before(next));
        }
        match page.last() {
            None => return Ok(Measured::after(&last)),
            Some(newest) => last = newest.clone(),
        }
    }
}
