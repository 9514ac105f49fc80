//! A session log, a line at a time.

use crate::record::{Row, SCHEMA_VERSION, TurnRecord};
use crate::session_log::{Header, Summary};
use anyhow::{Context, bail, ensure};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Longest line that is read, bytes: an answer may have 32 KB, and a crowd's variables some more.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// An open log behind its header.
pub struct SessionReader {
    pub header: Header,
    /// Of the line that was read last, from 1.
    pub line: u64,
    path: PathBuf,
    lines: BufReader<File>,
    text: Vec<u8>,
}

/// What a line is.
pub enum Entry {
    Row(Box<Row>),
    /// It is cut off: the process was killed while it wrote.
    Cut,
    /// It is whole, and no row.
    Wrong(String),
}

impl SessionReader {
    pub fn open(path: &Path) -> anyhow::Result<SessionReader> {
        let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
        let mut lines = BufReader::with_capacity(1 << 18, file);
        let mut first = String::new();
        std::io::Read::take(&mut lines, LINE_BYTES_MAX)
            .read_line(&mut first)
            .with_context(|| format!("reading the first line of {}", path.display()))?;
        ensure!(!first.is_empty(), "{} is empty: its process ended before the agent was in the world", path.display());
        let header: Header = serde_json::from_str(&first)
            .ok()
            .filter(|header: &Header| header.kind == "header")
            .with_context(|| format!("{} is no session log: its first line is no header", path.display()))?;
        if header.schema_version > SCHEMA_VERSION {
            bail!(
                "{} is of version {}, and this program reads up to {SCHEMA_VERSION}: read it with the dp-agent that \
                 wrote it",
                path.display(),
                header.schema_version
            );
        }
        Ok(SessionReader { header, line: 1, path: path.to_path_buf(), lines, text: Vec::new() })
    }

    /// Whether it has rows of decisions.
    pub fn has_decisions(&self) -> bool {
        self.header.schema_version >= 3
    }

    /// The next line of the kinds that are `wanted`; others are passed over unread. `None` at the end.
    pub fn next(&mut self, wanted: impl Fn(&str) -> bool) -> anyhow::Result<Option<Entry>> {
        loop {
            self.text.clear();
            let mut limited = std::io::Read::take(&mut self.lines, LINE_BYTES_MAX);
            let read = limited.read_until(b'\n', &mut self.text);
            let read = read.with_context(|| format!("reading {}", self.path.display()))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            let ended = self.text.ends_with(b"\n");
            ensure!(ended || (read as u64) < LINE_BYTES_MAX, "{}: line {} is too long", self.path.display(), self.line);
            if self.text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let text = String::from_utf8_lossy(&self.text);
            // The writer puts the kind first; turns of older versions have none.
            let kind = text.strip_prefix("{\"kind\":\"").and_then(|rest| rest.split('"').next());
            let is_object = text.trim_start().starts_with('{');
            if ended && is_object && !wanted(kind.unwrap_or("turn")) {
                continue;
            }
            let row = match kind {
                None => serde_json::from_str::<TurnRecord>(&text).map(Row::Turn),
                Some(_) => serde_json::from_str::<Row>(&text),
            };
            return Ok(Some(match row {
                Ok(row) if ended => Entry::Row(Box::new(row)),
                Err(error) if ended => Entry::Wrong(error.to_string()),
                // Even if it reads: nobody knows whether it is all.
                _ => Entry::Cut,
            }));
        }
    }
}

/// The summary beside a log; `None` where there is none, as of a process that was killed.
pub fn summary_of(path: &Path) -> anyhow::Result<Option<Summary>> {
    let beside = path.with_extension("summary.json");
    match std::fs::read_to_string(&beside) {
        Ok(text) => {
            let summary = serde_json::from_str(&text).with_context(|| format!("reading {}", beside.display()))?;
            Ok(Some(summary))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", beside.display())),
    }
}
