//! Session logs as tables: decisions, commands, outcomes, episodes; with what the server recorded of the commands,
//! where its rows are given. `docs/LOGS.md` says what the columns hold.
//!
//! Invariants: one row for each decision, command, outcome or session, in the order of their ids; what is not known is
//! empty, never 0. Only decisions that are not closed yet are held.

use super::cell::{Cell, Column, Kind};
use super::reading::{Entry, SessionReader, summary_of};
use super::server_records::{Happening, ServerRecords, ServerReward};
use super::table::Sheet;
use crate::record::{ClosedRow, CommandRow, DecisionRow, OutcomeRow, Reward, Row, Source, TurnRecord};
use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone, Debug)]
pub struct ExportArgs {
    /// Session logs, or folders of them; several make one table
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// [default: by the ending of --out, else csv]
    #[arg(long)]
    pub format: Option<Format>,
    #[arg(long, default_value = "decisions")]
    pub table: TableName,
    /// Where to write it [default: standard output; a Parquet file needs a name]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// What the server recorded, joined by the world's input: a file of `dp-server decisions --columns all` as JSON
    /// lines, a session file of the server, or a folder of such files; several times for several
    #[arg(long, value_name = "PATH")]
    pub server: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    Parquet,
    Csv,
    Jsonl,
}

impl Format {
    const ALL: [(Format, &str); 3] = [(Format::Parquet, "parquet"), (Format::Csv, "csv"), (Format::Jsonl, "jsonl")];

    /// As it was asked for, or as the name of the file says; these must not contradict.
    fn of(args: &ExportArgs) -> anyhow::Result<Format> {
        let ending =
            args.out.as_deref().and_then(Path::extension).map(|ending| ending.to_string_lossy().to_lowercase());
        let named = Format::ALL.iter().find(|(_, name)| Some(*name) == ending.as_deref()).map(|(format, _)| *format);
        match (args.format, named) {
            (Some(asked), Some(named)) if asked != named => bail!(
                "--format {} and the name {} contradict each other: leave out --format, or name the file otherwise",
                Format::ALL.iter().find(|(format, _)| *format == asked).map_or("", |(_, name)| name),
                args.out.as_deref().unwrap_or(Path::new("")).display()
            ),
            (asked, named) => Ok(asked.or(named).unwrap_or(Format::Csv)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum TableName {
    Decisions,
    Commands,
    Outcomes,
    Happenings,
    Episodes,
}

const DECISIONS: &[Column] = &[
    ("agent", Kind::Text),
    ("session", Kind::Text),
    ("id", Kind::Int),
    ("tick", Kind::Int),
    ("at", Kind::Text),
    ("at_ms", Kind::Int),
    ("asked", Kind::Text),
    ("source", Kind::Text),
    ("by", Kind::Text),
    ("state", Kind::Text),
    ("actions", Kind::Text),
    ("latency_ms", Kind::Int),
    ("tokens_prompt", Kind::Int),
    ("tokens_cached", Kind::Int),
    ("tokens_cache_written", Kind::Int),
    ("tokens_output", Kind::Int),
    ("cost", Kind::Float),
    ("memories", Kind::Text),
    ("request_id", Kind::Text),
    ("answer", Kind::Text),
    ("commentary", Kind::Text),
    ("repairs", Kind::Int),
    ("error", Kind::Text),
    ("from_tick", Kind::Int),
    ("to_tick", Kind::Int),
    ("exp", Kind::Int),
    ("gold", Kind::Int),
    ("hp", Kind::Int),
    ("deaths", Kind::Int),
    ("kills", Kind::Int),
    ("levels", Kind::Int),
    ("rooms_new", Kind::Int),
    ("exp_inferred", Kind::Int),
    ("gold_inferred", Kind::Int),
    ("hp_inferred", Kind::Int),
    // Who says what it earned: `log`, or `server` where the log was cut off.
    ("reward_of", Kind::Text),
    ("valence", Kind::Bool),
    // What the prompt held of channels, and what was given there.
    ("channels", Kind::Text),
];

const COMMANDS: &[Column] = &[
    ("agent", Kind::Text),
    ("session", Kind::Text),
    ("id", Kind::Int),
    ("decision", Kind::Int),
    ("source", Kind::Text),
    ("by", Kind::Text),
    ("sent", Kind::Text),
    ("at_ms", Kind::Int),
    ("tick", Kind::Int),
    ("input", Kind::Int),
    ("outcome", Kind::Text),
    ("reason", Kind::Text),
    ("refused_by", Kind::Text),
    ("answer_ms", Kind::Int),
    ("room_vnum", Kind::Int),
    ("room_name", Kind::Text),
    ("hp", Kind::Int),
    ("hp_max", Kind::Int),
    ("level", Kind::Int),
    ("fighting", Kind::Text),
    ("stimulus", Kind::Text),
    // Of the server's record.
    ("server_latency_us", Kind::Int),
    ("server_pre_hp", Kind::Int),
    ("server_post_hp", Kind::Int),
    ("server_pre_room", Kind::Int),
    ("server_post_room", Kind::Int),
    ("server_error", Kind::Text),
    ("server_reward", Kind::Text),
    ("server_valence", Kind::Bool),
    ("happenings", Kind::Text),
];

const OUTCOMES: &[Column] = &[
    ("agent", Kind::Text),
    ("session", Kind::Text),
    ("decision", Kind::Int),
    ("command", Kind::Int),
    ("input", Kind::Int),
    ("tick", Kind::Int),
    ("at_ms", Kind::Int),
    ("type", Kind::Text),
    ("what", Kind::Text),
];

const HAPPENINGS: &[Column] = &[
    ("agent", Kind::Text),
    ("session", Kind::Text),
    ("seq", Kind::Int),
    ("tick", Kind::Int),
    ("at_ms", Kind::Int),
    ("input", Kind::Int),
    ("command", Kind::Int),
    ("decision", Kind::Int),
    ("type", Kind::Text),
    ("role", Kind::Text),
    ("room_vnum", Kind::Int),
    ("valence", Kind::Int),
    ("what", Kind::Text),
];

const EPISODES: &[Column] = &[
    ("agent", Kind::Text),
    ("session", Kind::Text),
    ("version", Kind::Int),
    ("started", Kind::Text),
    ("ended", Kind::Text),
    ("reason", Kind::Text),
    ("whole", Kind::Bool),
    ("model", Kind::Text),
    ("tier", Kind::Text),
    ("temperature", Kind::Float),
    ("seed", Kind::Int),
    ("valence", Kind::Bool),
    ("duration_s", Kind::Float),
    ("level", Kind::Int),
    ("exp", Kind::Int),
    ("kills", Kind::Int),
    ("deaths", Kind::Int),
    ("rooms_known", Kind::Int),
    ("decisions", Kind::Int),
    ("turns", Kind::Int),
    ("tokens_prompt", Kind::Int),
    ("tokens_cached", Kind::Int),
    ("tokens_output", Kind::Int),
    ("cost", Kind::Float),
    ("config", Kind::Text),
    ("settings", Kind::Text),
    ("world", Kind::Text),
    ("content", Kind::Text),
    ("login_tick", Kind::Int),
];

impl TableName {
    const fn columns(self) -> &'static [Column] {
        match self {
            TableName::Decisions => DECISIONS,
            TableName::Commands => COMMANDS,
            TableName::Outcomes => OUTCOMES,
            TableName::Happenings => HAPPENINGS,
            TableName::Episodes => EPISODES,
        }
    }

    /// The kinds of rows that it is made of.
    fn wants(self, kind: &str) -> bool {
        match self {
            TableName::Decisions => matches!(kind, "decision" | "closed"),
            TableName::Commands => matches!(kind, "command" | "turn" | "decision" | "closed"),
            TableName::Outcomes => kind == "outcome",
            TableName::Happenings => matches!(kind, "command" | "decision" | "closed"),
            TableName::Episodes => false,
        }
    }
}

/// Writes the table. A reader that has gone away (`| head`) is no error.
pub fn run(args: &ExportArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(
        args.server.is_empty() || !matches!(args.table, TableName::Outcomes | TableName::Episodes),
        "the server's records are joined with --table decisions, commands or happenings"
    );
    ensure!(
        !args.server.is_empty() || args.table != TableName::Happenings,
        "happenings are in the server's session files: name their folder with --server, such as data/state/sessions"
    );
    let format = Format::of(args)?;
    let server = ServerRecords::read(&args.server)?;
    match &args.out {
        None if format == Format::Parquet => bail!("a Parquet file is no text: name it with --out PATH"),
        None => write(args, format, &server, out),
        Some(path) => {
            // Beside it first: whoever reads it meets a whole table, or the one before.
            let mut name = path.file_name().context("--out names no file")?.to_os_string();
            name.push(".new");
            let beside = path.with_file_name(name);
            let making = || format!("writing {}", path.display());
            let file = File::create(&beside).with_context(making)?;
            let written = write(args, format, &server, BufWriter::with_capacity(1 << 20, file));
            match &written {
                Ok(()) => std::fs::rename(&beside, path).with_context(making)?,
                // What went wrong is told; that the half of it stays is not worth more words.
                Err(_) => drop(std::fs::remove_file(&beside)),
            }
            written
        }
    }
}

fn write(args: &ExportArgs, format: Format, server: &ServerRecords, out: impl Write) -> anyhow::Result<()> {
    let columns = args.table.columns();
    let mut sheet = match format {
        Format::Parquet => Sheet::parquet(out, columns)?,
        Format::Csv => Sheet::csv(out, columns)?,
        Format::Jsonl => Sheet::jsonl(out, columns),
    };
    for path in super::logs_of(&args.files)? {
        one(&path, args.table, server, &mut sheet)?;
    }
    Ok(sheet.finish()?)
}

/// All rows of one log.
fn one<W: Write>(path: &Path, table: TableName, server: &ServerRecords, sheet: &mut Sheet<W>) -> anyhow::Result<()> {
    let mut reader = SessionReader::open(path)?;
    let agent = reader.header.agent.clone();
    let session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_old = matches!(table, TableName::Commands | TableName::Episodes);
    ensure!(
        reader.has_decisions() || of_old,
        "{} is of version {}, which has turns only: export its commands or episodes",
        path.display(),
        reader.header.schema_version
    );
    if table == TableName::Episodes {
        return Ok(sheet.row(episode(path, &reader, agent, session)?)?);
    }
    let filled = if table == TableName::Decisions { server.of_session(path)?.rewards() } else { BTreeMap::new() };
    let mut decisions = Decisions::default();
    let mut command: Option<CommandRow> = None;
    // Who decided, of decisions that are open: the row of a line that never left does not say it.
    let mut deciders: BTreeMap<u64, String> = BTreeMap::new();
    // Of each input, the agent's command and its decision.
    let mut by_input: BTreeMap<u64, (Option<u64>, u64)> = BTreeMap::new();
    let first_tick = reader.header.world.as_ref().map(|world| world.tick);
    let mut last_tick = first_tick;
    while let Some(entry) = reader.next(|kind| table.wants(kind))? {
        let Entry::Row(row) = entry else {
            if let Entry::Wrong(why) = entry {
                bail!("{}: line {} is no row: {why}", path.display(), reader.line);
            }
            eprintln!("{}: line {} is cut off, and left out", path.display(), reader.line);
            continue;
        };
        match *row {
            Row::Decision(row) if table == TableName::Happenings => last_tick = last_tick.max(row.tick),
            Row::Closed(row) if table == TableName::Happenings => last_tick = last_tick.max(row.to_tick),
            Row::Decision(row) if table == TableName::Commands => drop(deciders.insert(row.id, row.by)),
            // Nothing of it is still to be sent.
            Row::Closed(row) if table == TableName::Commands => drop(deciders.remove(&row.decision)),
            Row::Decision(row) => decisions.begin(row),
            Row::Closed(row) => {
                for (row, closed) in decisions.close(row) {
                    sheet.row(decision_cells(&agent, &session, row, closed.as_ref(), None))?;
                }
            }
            Row::Command(row) if table == TableName::Happenings => {
                by_input.extend(row.input.map(|input| (input, (row.id, row.decision))));
            }
            Row::Command(row) if row.id.is_none() => {
                let by = deciders.get(&row.decision).cloned();
                sheet.row(unsent_cells(&agent, &session, row, by))?;
            }
            Row::Command(row) => command = Some(row),
            Row::Turn(turn) => sheet.row(command_cells(&agent, &session, command.take(), turn, server))?,
            Row::Outcome(row) => sheet.row(outcome_cells(&agent, &session, row))?,
            Row::Note(_) => {}
        }
    }
    for (row, closed) in decisions.rest() {
        let filled = filled.get(&row.id);
        sheet.row(decision_cells(&agent, &session, row, closed.as_ref(), filled))?;
    }
    if table == TableName::Happenings {
        // Other sessions are other logs.
        let is_of_it = |one: &&Happening| Some(one.tick) <= last_tick && Some(one.tick) >= first_tick;
        for happening in server.happenings_of(&agent).filter(is_of_it) {
            sheet.row(happening_cells(&agent, &session, happening, by_input.get(&happening.input)))?;
        }
    }
    Ok(())
}

/// Decisions that wait for what they earned, or for an earlier one that does.
#[derive(Default)]
struct Decisions(BTreeMap<u64, (DecisionRow, Option<ClosedRow>)>);

impl Decisions {
    fn begin(&mut self, row: DecisionRow) {
        self.0.insert(row.id, (row, None));
    }

    /// Those that are complete now, in order.
    fn close(&mut self, closed: ClosedRow) -> Vec<(DecisionRow, Option<ClosedRow>)> {
        if let Some((_, place)) = self.0.get_mut(&closed.decision) {
            *place = Some(closed);
        }
        let mut complete = Vec::new();
        while let Some(first) = self.0.first_entry().filter(|first| first.get().1.is_some()) {
            complete.push(first.remove());
        }
        complete
    }

    fn rest(self) -> impl Iterator<Item = (DecisionRow, Option<ClosedRow>)> {
        self.0.into_values()
    }
}

/// `filled`: what the server has of one that the log did not close.
fn decision_cells(
    agent: &str,
    session: &str,
    row: DecisionRow,
    closed: Option<&ClosedRow>,
    filled: Option<&ServerReward>,
) -> Vec<Cell> {
    let reward = closed.map(|closed| closed.reward);
    let told = |of_log: fn(&Reward) -> i64, of_server: fn(&ServerReward) -> Option<i64>| {
        reward.as_ref().map(of_log).or_else(|| filled.and_then(of_server))
    };
    let reward_of = if closed.is_some() { Some("log") } else { filled.map(|_| "server") };
    let inferred = closed.map(|closed| closed.inferred);
    let asked_model = row.answer.is_some();
    let answer = row.answer.unwrap_or_default();
    vec![
        agent.into(),
        session.into(),
        row.id.into(),
        row.tick.into(),
        row.at.into(),
        row.at_ms.into(),
        row.asked.into(),
        row.source.name().into(),
        row.by.into(),
        Value::Object(row.state).into(),
        json!(row.actions).into(),
        row.latency_ms.into(),
        row.tokens.prompt.into(),
        row.tokens.cached.into(),
        row.tokens.cache_written.into(),
        row.tokens.output.into(),
        row.cost.into(),
        json!(row.memories).into(),
        answer.request_id.into(),
        answer.text.into(),
        answer.commentary.into(),
        asked_model.then_some(answer.repairs).into(),
        answer.error.into(),
        closed.and_then(|closed| closed.from_tick).into(),
        closed.and_then(|closed| closed.to_tick).into(),
        told(|r| r.exp, |r| r.exp).into(),
        told(|r| r.gold, |r| r.gold).into(),
        told(|r| r.hp, |r| r.hp).into(),
        reward.map(|r| r.deaths).into(),
        reward.map(|r| r.kills).into(),
        reward.map(|r| r.levels).into(),
        reward.map(|r| r.rooms_new).into(),
        inferred.map(|r| r.exp).into(),
        inferred.map(|r| r.gold).into(),
        inferred.map(|r| r.hp).into(),
        reward_of.into(),
        row.valence.into(),
        json!(row.channels).into(),
    ]
}

/// A line that never left: of a decision, and with no turn.
fn unsent_cells(agent: &str, session: &str, row: CommandRow, by: Option<String>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![
        agent.into(),
        session.into(),
        row.id.into(),
        row.decision.into(),
        // Only a model's lines are ever given up.
        Source::Model.name().into(),
        by.into(),
        row.sent.into(),
        row.at_ms.into(),
        row.tick.into(),
        row.input.into(),
        row.outcome.name().into(),
        row.reason.into(),
        row.refused_by.into(),
    ];
    cells.resize(COMMANDS.len(), Cell::Empty);
    cells
}

fn happening_cells(agent: &str, session: &str, of: &Happening, by: Option<&(Option<u64>, u64)>) -> Vec<Cell> {
    let what = &of.what;
    let kind = match &what["what"] {
        Value::Object(tagged) => tagged.keys().next().cloned(),
        bare => bare.as_str().map(str::to_string),
    };
    vec![
        agent.into(),
        session.into(),
        of.seq.into(),
        of.tick.into(),
        of.at_ms.into(),
        of.input.into(),
        by.and_then(|(command, _)| *command).into(),
        by.map(|(_, decision)| *decision).into(),
        kind.into(),
        what["role"].as_str().map(str::to_string).into(),
        what["room"]["vnum"].as_i64().into(),
        what["valence"].as_i64().into(),
        what.clone().into(),
    ]
}

/// Of a version before 3 there is only the turn.
fn command_cells(
    agent: &str,
    session: &str,
    command: Option<CommandRow>,
    turn: TurnRecord,
    server: &ServerRecords,
) -> Vec<Cell> {
    let input = command.as_ref().and_then(|command| command.input);
    let row = input.and_then(|input| server.of_input(input));
    let of_server = |name: &str| row.and_then(|row| row.get(name)).cloned().unwrap_or(Value::Null);
    let number = |name: &str| of_server(name).as_i64();
    let happened: Vec<Value> = input.map(|input| server.happenings_by(agent, input)).unwrap_or_default();
    let (outcome, reason) = match &command {
        Some(command) => (command.outcome.name(), command.reason.clone()),
        None => match turn.outcome.strip_prefix("refused: ") {
            Some(reason) => ("refused", Some(reason.to_string())),
            None if turn.outcome == "no answer" => ("unanswered", None),
            None if turn.outcome == "rate_limited" => ("rate_limited", None),
            None => ("ok", None),
        },
    };
    vec![
        agent.into(),
        session.into(),
        turn.turn_number.into(),
        turn.decision_id.into(),
        turn.decision.source.name().into(),
        turn.decision.by.into(),
        turn.action.into(),
        turn.at_ms.into(),
        command.as_ref().and_then(|command| command.tick).into(),
        input.into(),
        outcome.into(),
        reason.into(),
        command.and_then(|command| command.refused_by).into(),
        turn.answer_ms.into(),
        turn.room_vnum.into(),
        turn.room_name.into(),
        turn.hp.into(),
        turn.max_hp.into(),
        turn.agent_level.into(),
        turn.fighting.into(),
        turn.stimulus_type.name().into(),
        number("latency_us").into(),
        number("pre_hp").into(),
        number("post_hp").into(),
        number("pre_room").into(),
        number("post_room").into(),
        of_server("error").as_str().map(str::to_string).into(),
        of_server("reward").into(),
        of_server("valence").as_bool().into(),
        (!happened.is_empty()).then_some(Value::Array(happened)).into(),
    ]
}

fn outcome_cells(agent: &str, session: &str, row: OutcomeRow) -> Vec<Cell> {
    let what = json!(row.what);
    vec![
        agent.into(),
        session.into(),
        row.decision.into(),
        row.commands.first().copied().into(),
        row.input.into(),
        row.tick.into(),
        row.at_ms.into(),
        what["type"].as_str().unwrap_or("").into(),
        what.into(),
    ]
}

/// One row for a session. Of one whose process was killed, what its header says.
fn episode(path: &Path, reader: &SessionReader, agent: String, session: String) -> anyhow::Result<Vec<Cell>> {
    let header = &reader.header;
    let summary = summary_of(path)?;
    let of = summary.as_ref();
    Ok(vec![
        agent.into(),
        session.into(),
        header.schema_version.into(),
        header.started.clone().into(),
        of.map(|sum| sum.ended.clone()).into(),
        of.map(|sum| sum.reason.clone()).into(),
        of.is_some().into(),
        header.model_fast.clone().into(),
        header.tier.clone().into(),
        header.temperature.into(),
        header.seed.into(),
        header.valence.into(),
        of.map(|sum| sum.duration_s).into(),
        of.map(|sum| sum.level).into(),
        of.map(|sum| sum.exp_gained).into(),
        of.map(|sum| sum.tallies.kills).into(),
        of.map(|sum| sum.tallies.deaths).into(),
        of.map(|sum| sum.rooms_known as u64).into(),
        of.filter(|_| reader.has_decisions()).map(|sum| sum.decisions).into(),
        of.map(|sum| sum.turns).into(),
        of.map(|sum| sum.counts.tokens.prompt).into(),
        of.map(|sum| sum.counts.tokens.cached).into(),
        of.map(|sum| sum.counts.tokens.completion).into(),
        of.filter(|sum| sum.counts.unpriced == 0).map(|sum| sum.counts.cost_micros as f64 / 1e6).into(),
        header.config.clone().unwrap_or(Value::Null).into(),
        header.settings.clone().unwrap_or(Value::Null).into(),
        header.world.as_ref().map(|world| world.id.to_string()).into(),
        header.world.as_ref().map(|world| world.content.to_string()).into(),
        header.world.as_ref().map(|world| world.tick).into(),
    ])
}
