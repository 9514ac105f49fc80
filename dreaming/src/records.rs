//! Reading logs: session files of this server's export, of `dp-agent session`, and of other makes of agents.
//!
//! A folder holds logs of one kind; what kind a file is, is told by its first line that can be read. Nothing is lost in
//! silence: a line that cannot be used is reported with its file, number and reason, and the rest is read all the same.
//!
//! Invariant: what comes out does not depend on the order of lines or files where lines carry a `seq`, and a line that
//! is there twice counts once.

pub use crate::record::Record;

use crate::extract::{self, TurnLine};
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::Who;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::io::BufRead;

/// Longest line, bytes; a longer one is reported and left out.
pub const LINE_MAX: usize = 1 << 20;
/// Problems that are told one by one; the rest are counted.
pub const PROBLEMS_TOLD: usize = 100;
/// The version of the export that is written here.
pub const EXPORT_VERSION: u32 = 1;

/// What makes a log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Make {
    /// The server's own records.
    Export,
    /// Turns, as `dp-agent session` and other agents write them.
    Turns,
}

/// The first line of an export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// `happenings`.
    pub log: String,
    pub version: u32,
    pub agent: String,
    /// Whether the session was one with valence.
    #[serde(default = "yes")]
    pub valence: bool,
}

fn yes() -> bool {
    true
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    pub file: String,
    /// From 1; 0 for the file as a whole.
    pub line: usize,
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what),
            line => write!(f, "{}, line {line}: {}", self.file, self.what),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error(
    "these files mix two kinds of log, so the same deeds would count twice: {export} is an export of the server, \
    {turns} a log of turns. Keep one kind in the folder"
)]
pub struct MixedLogs {
    pub export: String,
    pub turns: String,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub make: Option<Make>,
    /// By rising seq, each once.
    pub records: Vec<Record>,
    pub files: usize,
    pub lines: usize,
    /// Lines that were there already.
    pub duplicates: usize,
    /// Entries of the log that are no happenings: decisions, notes and the like.
    pub others: usize,
    pub problems: Vec<Problem>,
    /// All problems, told or not.
    pub problems_count: usize,
}

/// Reads files one after the other; `finish` puts the whole in order.
#[derive(Debug, Default)]
pub struct Reader {
    agent: String,
    log: Log,
    turns: Vec<TurnLine>,
    first_export: Option<String>,
    first_turns: Option<String>,
    file: OpenFile,
}

/// The file that is being read.
#[derive(Debug, Default)]
struct OpenFile {
    name: String,
    make: Option<Make>,
    valence: bool,
    /// Lines so far.
    line: usize,
    /// It is no log of this character: none of its lines counts.
    left_out: bool,
}

/// An entry of the log as it is in the file. `mind::LogEntry` says the same; this reads it in one pass, without first
/// looking for the tag inside.
#[derive(Deserialize)]
struct EntryLine<'a> {
    seq: u64,
    tick: u64,
    at_ms: i64,
    #[serde(borrow)]
    event: EventLine<'a>,
}

#[derive(Deserialize)]
struct EventLine<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    what: Option<What>,
    #[serde(default)]
    role: Option<Role>,
    #[serde(default)]
    room: Option<Place>,
    #[serde(default)]
    witnesses: Vec<Who>,
    #[serde(default)]
    social_event_id: Option<u64>,
    #[serde(default)]
    novel: bool,
    /// Of what came of a conflict, it is a sum.
    #[serde(default)]
    valence: Option<i64>,
    /// Of a plan that ended, and of what came of a conflict: what is to be remembered of it.
    #[serde(default)]
    told: Option<Box<Happening>>,
}

/// What the first readable line of a file says of it.
enum Sort {
    Header(Header),
    /// Of the turns that `dp-agent session` writes.
    TurnHeader {
        agent: String,
        valence: bool,
    },
    Entry,
    Turn,
    /// A row of a session log that says nothing which its turns do not.
    Passed,
    Neither,
}

/// Kinds of rows of a session log that are passed over.
const NO_TURNS: [&str; 4] = ["decision", "command", "outcome", "closed"];

/// Whether a row says nothing which its turns do not. Of the notes only that of a fight does: it stands for a turn that
/// did not come any more.
fn is_passed(kind: &str, is_fight: impl FnOnce() -> bool) -> bool {
    NO_TURNS.contains(&kind) || kind == "note" && !is_fight()
}

fn sort_of(line: &str) -> Sort {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(line) else { return Sort::Neither };
    if map.contains_key("log") {
        return serde_json::from_str(line).map_or(Sort::Neither, Sort::Header);
    }
    if map.get("kind").and_then(Value::as_str) == Some("header") {
        let agent = map.get("agent").and_then(Value::as_str).unwrap_or_default().to_string();
        let valence = map.get("valence").and_then(Value::as_bool).unwrap_or(true);
        return Sort::TurnHeader { agent, valence };
    }
    let is_fight = || map.get("what").and_then(Value::as_str) == Some("fight");
    if map.get("kind").and_then(Value::as_str).is_some_and(|kind| is_passed(kind, is_fight)) {
        return Sort::Passed;
    }
    if map.contains_key("seq") && map.contains_key("event") {
        return Sort::Entry;
    }
    if map.contains_key("timestamp") || map.contains_key("action") || map.contains_key("room_vnum") {
        return Sort::Turn;
    }
    Sort::Neither
}

impl Reader {
    pub fn new(agent: &str) -> Reader {
        Reader { agent: agent.to_string(), ..Reader::default() }
    }

    fn problem(&mut self, file: &str, line: usize, what: impl Into<String>) {
        self.log.problems_count += 1;
        if self.log.problems.len() < PROBLEMS_TOLD {
            self.log.problems.push(Problem { file: file.to_string(), line, what: what.into() });
        }
    }

    /// Lines of a file that could not be read at all are told this way too.
    pub fn unreadable(&mut self, file: &str, why: &str) {
        self.problem(file, 0, why);
    }

    /// Takes up one file. `name` is what problems call it; files are to come in order of name.
    pub fn file(&mut self, name: &str, bytes: &[u8]) {
        self.begin(name);
        self.lines(bytes);
    }

    /// Begins a file whose lines come in pages.
    pub fn begin(&mut self, name: &str) {
        self.log.files += 1;
        self.file = OpenFile { name: name.to_string(), valence: true, ..OpenFile::default() };
    }

    /// The next page of the file: whole lines, but for the last of the file, which may lack its line break.
    pub fn lines(&mut self, mut rest: &[u8]) {
        while !rest.is_empty() && !self.file.left_out {
            let whole = rest;
            // Reads nothing: the bytes are there. It looks for the line break faster than a loop would.
            let length = rest.skip_until(b'\n').unwrap_or(whole.len());
            let (line, ended) = match whole[..length].split_last() {
                Some((b'\n', line)) => (line, true),
                _ => (whole, false),
            };
            self.file.line += 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            self.log.lines += 1;
            if line.len() > LINE_MAX {
                self.wrong(format!("it has {} bytes, more than the {LINE_MAX} of a line", line.len()));
            } else if let Err(what) = self.line(line, ended) {
                self.wrong(what);
            }
        }
    }

    /// A line of so many bytes, more than `LINE_MAX`, that was not kept to be read.
    pub fn too_long(&mut self, bytes: u64) {
        if !self.file.left_out {
            self.file.line += 1;
            self.log.lines += 1;
            self.wrong(format!("it has {bytes} bytes, more than the {LINE_MAX} of a line"));
        }
    }

    /// The records of an export that were read so far, in the order of the files; those are no longer in what `finish`
    /// gives.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Record> {
        self.log.records.drain(..)
    }

    /// Whether there are turns among the files.
    pub fn has_turns(&self) -> bool {
        self.first_turns.is_some()
    }

    /// Reports what is wrong with the line that was read last.
    fn wrong(&mut self, what: impl Into<String>) {
        let (name, line) = (std::mem::take(&mut self.file.name), self.file.line);
        self.problem(&name, line, what);
        self.file.name = name;
    }

    fn line(&mut self, line: &[u8], ended: bool) -> Result<(), String> {
        let Ok(text) = std::str::from_utf8(line) else { return Err("it is no UTF-8".into()) };
        if self.file.make.is_none() {
            match sort_of(text) {
                Sort::Header(header) => return self.header(header),
                Sort::TurnHeader { agent, valence } => {
                    self.check_owner(&agent)?;
                    self.file.valence = valence;
                    self.set_make(Make::Turns);
                    return Ok(());
                }
                Sort::Entry => self.set_make(Make::Export),
                Sort::Turn => self.set_make(Make::Turns),
                Sort::Passed => return Ok(()),
                Sort::Neither => return Err(if ended { "it is no line of a log" } else { "it is cut off" }.into()),
            }
        }
        let read = match self.file.make {
            Some(Make::Turns) => self.turn(text),
            _ => self.entry(text, self.file.valence),
        };
        read.map_err(|what| if ended { what } else { format!("it is cut off: {what}") })
    }

    fn header(&mut self, header: Header) -> Result<(), String> {
        if header.log != "happenings" || header.version > EXPORT_VERSION {
            self.file.left_out = true;
            return Err("it was written by a newer program or is another log; the file is left out".into());
        }
        self.check_owner(&header.agent)?;
        self.file.valence = header.valence;
        self.set_make(Make::Export);
        Ok(())
    }

    fn check_owner(&mut self, agent: &str) -> Result<(), String> {
        self.file.left_out = !agent.eq_ignore_ascii_case(&self.agent);
        match self.file.left_out {
            true => Err(format!("it is the log of {agent}; the file is left out")),
            false => Ok(()),
        }
    }

    fn set_make(&mut self, make: Make) {
        self.file.make = Some(make);
        let first = match make {
            Make::Export => &mut self.first_export,
            Make::Turns => &mut self.first_turns,
        };
        first.get_or_insert_with(|| self.file.name.clone());
    }

    fn turn(&mut self, text: &str) -> Result<(), String> {
        // Its writer puts the kind first.
        let kind = text.strip_prefix("{\"kind\":\"").and_then(|rest| rest.split('"').next());
        // Nowhere within a text: there quotes are escaped.
        if kind.is_some_and(|kind| is_passed(kind, || text.contains("\"what\":\"fight\""))) {
            return Ok(());
        }
        let turn = TurnLine::read(text, self.log.files, self.file.line)?;
        self.turns.push(if self.file.valence { turn } else { turn.flat() });
        Ok(())
    }

    fn entry(&mut self, text: &str, with_valence: bool) -> Result<(), String> {
        let line: EntryLine = match serde_json::from_str(text) {
            Ok(line) => line,
            // A second header: files of sessions that were put together.
            Err(_) if matches!(sort_of(text), Sort::Header(_)) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let event = line.event;
        let mut happening = match (&*event.kind, event.told) {
            ("happening", _) => {
                let (Some(what), Some(role), Some(room)) = (event.what, event.role, event.room) else {
                    return Err("a happening needs `what`, `role` and `room`".into());
                };
                let (witnesses, social_event_id, novel) = (event.witnesses, event.social_event_id, event.novel);
                let valence = event.valence.map(|valence| valence.clamp(-9, 9) as i8);
                Happening { what, role, room, witnesses, social_event_id, novel, valence }
            }
            (mind::PLAN_END | mind::CONFLICT_OUTCOME, Some(told)) => *told,
            _ => {
                self.log.others += 1;
                return Ok(());
            }
        };
        if happening.valence.is_some_and(|valence| !(-3..=3).contains(&valence)) {
            return Err("a valence is from -3 to 3".into());
        }
        if !with_valence {
            happening.valence = Some(0);
        }
        self.log.records.push(Record { seq: line.seq, tick: line.tick, at_ms: line.at_ms, happening });
        Ok(())
    }

    /// The records of all files, in order.
    pub fn finish(mut self) -> Result<Log, MixedLogs> {
        if let (Some(export), Some(turns)) = (&self.first_export, &self.first_turns) {
            return Err(MixedLogs { export: export.clone(), turns: turns.clone() });
        }
        if self.first_turns.is_some() {
            self.log.make = Some(Make::Turns);
            let (records, duplicates) = extract::records(std::mem::take(&mut self.turns), &self.agent);
            self.log.records = records;
            self.log.duplicates = duplicates;
            return Ok(self.log);
        }
        self.log.make = self.first_export.is_some().then_some(Make::Export);
        let mut records = std::mem::take(&mut self.log.records);
        if !records.is_sorted_by(|a, b| a.seq < b.seq) {
            records.sort_by_key(|record| record.seq);
            records = self.once(records);
        }
        self.log.records = records;
        Ok(self.log)
    }

    /// Drops what is there twice. Of two records with one seq that differ, the one counts whose text comes first.
    fn once(&mut self, records: Vec<Record>) -> Vec<Record> {
        let text = |record: &Record| serde_json::to_string(&record.happening).unwrap_or_default();
        let mut kept: Vec<Record> = Vec::with_capacity(records.len());
        for record in records {
            match kept.last_mut().filter(|last| last.seq == record.seq) {
                None => kept.push(record),
                Some(last) if *last == record => self.log.duplicates += 1,
                Some(last) => {
                    let what = format!("two records have the seq {}; one is left out", record.seq);
                    if (record.at_ms, record.tick, text(&record)) < (last.at_ms, last.tick, text(last)) {
                        *last = record;
                    }
                    self.problem("the log", 0, what);
                }
            }
        }
        kept
    }
}

/// Whether a file of that name in an agent's folder is a session log, and not what lies beside one.
pub fn is_log(name: &str) -> bool {
    name.ends_with(".jsonl") && !name.ends_with(".prompts.jsonl")
}

/// An export as a file: the header, then a line for each record. `turn` of the entries is 0: records do not tell it.
pub fn export(agent: &str, valence: bool, records: &[Record]) -> String {
    let header = Header { log: "happenings".into(), version: EXPORT_VERSION, agent: agent.into(), valence };
    let mut text = serde_json::to_string(&header).expect("a header is plain");
    text.push('\n');
    for record in records {
        let event = mind::Event::Happening(Box::new(record.happening.clone()));
        let entry = mind::LogEntry { seq: record.seq, tick: record.tick, at_ms: record.at_ms, input: 0, event };
        text.push_str(&serde_json::to_string(&entry).expect("an entry is plain"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::happening::What;
    use serde_json::json;

    /// A log as `dp-agent session` writes it, with a header.
    fn turns(valence: bool) -> String {
        let turn = |at_ms: i64, more: Value| {
            let mut turn = json!({
                "at_ms": at_ms, "room_vnum": 8201, "room_name": "The Drill Yard", "hp": 20, "max_hp": 22,
                "agent_level": 1, "fighting": null, "action": "look", "outcome": "ok",
            });
            turn.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            turn.to_string()
        };
        [
            json!({"kind": "header", "schema_version": 1, "agent": "Wren", "valence": valence}).to_string(),
            turn(1_000, json!({})),
            turn(
                5_000,
                json!({"combat_result": "killed", "combat_target": "a rat", "mob_level": 2, "fighting": "a cat"}),
            ),
            turn(9_000, json!({"combat_result": "died", "combat_target": "a cat", "mob_level": 3})),
            turn(12_000, json!({"room_vnum": 9, "room_name": "Darkness"})),
            // What ended behind the last turn.
            json!({
                "kind": "note", "at": "2026-05-12T15:00:20Z", "at_ms": 20_000, "what": "fight", "room_vnum": 8,
                "room_name": "A Yard", "hp": 3, "max_hp": 20, "agent_level": 1, "combat_result": "died",
                "combat_target": "a dog", "mob_level": 4,
            })
            .to_string(),
        ]
        .join("\n")
    }

    #[test]
    fn a_session_of_dp_agent_tells_of_its_fights() {
        let mut reader = Reader::new("wren");
        reader.file("a.jsonl", turns(true).as_bytes());
        let log = reader.finish().expect("one kind of log");
        assert_eq!((log.problems, log.make), (Vec::new(), Some(Make::Turns)));
        let told: Vec<String> = log.records.iter().map(|record| mind::happenings::brief(&record.happening)).collect();
        let ends: Vec<(&str, u16)> = log
            .records
            .iter()
            .filter_map(|record| match &record.happening.what {
                What::Killed { victim, killer: Some(killer), .. } if record.happening.role == Role::Did => {
                    (&*killer.name != "a rat").then_some((&*victim.name, victim.level))
                }
                What::Killed { killer: Some(killer), .. } => Some((&*killer.name, killer.level)),
                _ => None,
            })
            .collect();
        assert_eq!(ends, [("a rat", 2), ("a cat", 3), ("a dog", 4)], "{told:?}");
        assert!(log.records.iter().all(|record| record.happening.room.vnum != 9), "darkness is no place: {told:?}");
    }

    #[test]
    fn notes_in_the_middle_of_a_fight_are_no_turns() {
        let records = |notes: bool| {
            let log = turns(true);
            let mut lines: Vec<String> = log.lines().map(str::to_string).collect();
            if notes {
                for what in ["resumed", "login", "p0", "knowledge"] {
                    let at = "2026-05-12T15:00:06Z";
                    let note = json!({"kind": "note", "at": at, "at_ms": 6_000, "what": what, "said": "So it is."});
                    lines.insert(3, note.to_string());
                }
            }
            let mut reader = Reader::new("Wren");
            reader.file("a.jsonl", lines.join("\n").as_bytes());
            let log = reader.finish().expect("one kind of log");
            assert_eq!(log.problems, []);
            log.records.into_iter().map(|record| (record.at_ms, record.happening)).collect::<Vec<_>>()
        };
        assert_eq!(records(true), records(false));
    }

    #[test]
    fn what_came_of_plans_and_choices_is_read_where_it_is_told() {
        let told = |what: Value, room: &str| json!({"what": what, "role": "did", "room": {"vnum": 0, "name": room}});
        let who = json!({"id": "", "name": "Wren", "kind": "player", "level": 0});
        let plan = json!({"plan_ended": {"who": who, "plan": "a well", "done": false, "steps": 3, "ticked": 1}});
        let differed = json!({"differed": {
            "who": who, "over": "command", "followed": "outer", "line": "kill cat", "ticks": 30, "went": "ill",
            "valence": -400,
        }});
        let entry = |seq: u64, event: Value| json!({"seq": seq, "tick": seq, "at_ms": seq, "turn": 0, "event": event});
        let outcome = |told: Option<Value>| {
            let mut event = json!({
                "kind": "conflict.outcome", "conflict": 1, "ticks": 30, "valence": -400, "experience": 7,
            });
            event.as_object_mut().expect("an object").extend(told.map(|told| ("told".to_string(), told)));
            event
        };
        let lines = [
            json!({"log": "happenings", "version": 1, "agent": "Wren"}),
            entry(1, json!({"kind": "plan.end", "id": 1, "status": "DONE"})),
            entry(2, json!({"kind": "plan.end", "id": 1, "status": "ABANDONED", "told": told(plan, "")})),
            entry(3, outcome(None)),
            entry(4, outcome(Some(told(differed, "The Yard")))),
            // Nobody else tells so.
            entry(
                5,
                json!({"kind": "note.add", "text": "", "told": told(json!({"met": {"who": who, "other": who}}), "")}),
            ),
        ];
        let text = lines.clone().map(|line| line.to_string()).join("\n");
        let mut reader = Reader::new("Wren");
        reader.file("a.jsonl", text.as_bytes());
        let log = reader.finish().expect("one kind of log");
        assert_eq!((log.problems, log.others), (Vec::new(), 3));
        let told: Vec<String> = log.records.iter().map(|record| mind::happenings::brief(&record.happening)).collect();
        assert_eq!(
            told,
            [
                "You gave up a plan: \"a well\".",
                "You followed OUTER's word, and it went ill at the Yard: \"kill cat\"."
            ]
        );
        // The same entries as the mind writes them, there and back.
        for line in &lines[1..5] {
            let entry: mind::LogEntry = serde_json::from_value(line.clone()).expect("an entry");
            assert_eq!(&serde_json::to_value(&entry).expect("plain"), line);
        }
    }

    #[test]
    fn a_session_without_valence_counts_as_nought() {
        let mut reader = Reader::new("Wren");
        reader.file("a.jsonl", turns(false).as_bytes());
        let log = reader.finish().expect("one kind of log");
        assert!(!log.records.is_empty() && log.records.iter().all(|record| record.happening.valence == Some(0)));
        let mut reader = Reader::new("Bob");
        reader.file("a.jsonl", turns(true).as_bytes());
        let log = reader.finish().expect("one kind of log");
        assert!(log.records.is_empty() && log.problems.len() == 1, "the log of somebody else");
    }
}
