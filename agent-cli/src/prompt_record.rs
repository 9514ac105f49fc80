//! Every prompt of a session, exactly: `….prompts.jsonl` beside its log, packed to `….prompts.jsonl.zst` at its end.
//!
//! A line for each question to the model holds the texts of the system and of the user message as differences from the
//! prompt before: most lines of a prompt stood in the one before it. `dp-agent hud --session FILE --at DECISION` puts
//! them together again; the hash that the decision's row holds says whether they are what was sent. Beside them stands
//! what each of their lines comes from, the same way, for `--why`: nothing of that was sent. So does what a model said
//! for the story of a fold (`fold_words`), in a line of its own.
//!
//! Invariants: reading gives back the very bytes, whatever program or folder of texts made them; a file that was cut
//! off gives all prompts before the cut. Only the owner may read it: it holds what others said.

use crate::private_files;
use crate::prompt_text::PromptText;
use crate::thought::{RefusedWords, Retold};
use anyhow::{Context, bail};
use mind::hud::origin::Origin;
use mind::prompt::Prompt;
use mind::story::Reworded;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Of the packed file: it is written once, when a session ends.
const LEVEL: i32 = 9;

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Piece {
    /// So many lines of the prompt before, from this one on.
    Same(usize, usize),
    New(String),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Line {
    id: u64,
    sha256: String,
    tokens: u64,
    system: Vec<Piece>,
    user: Vec<Piece>,
    /// What each line comes from, a line each. Records of before have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    why: Vec<Piece>,
    /// The tick that `NOW` stands for in it.
    #[serde(default)]
    tick: u64,
}

/// What a model said for the story of a fold: of which entries, what of it is told, and what may not be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Words {
    pub from: u64,
    pub upto: u64,
    pub model: String,
    pub lines: Vec<Reworded>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedWords>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WordsLine {
    words: Words,
}

/// How a line of words begins, and no line of a prompt.
const WORDS: &str = "{\"words\":";

/// What is said of now would be another text at each tick.
const NOW: &str = " at tick @";

/// What each line of a prompt comes from, and the tick of its now.
fn why_of(prompt: &Prompt) -> (String, u64) {
    let newest = prompt.parts.last().into_iter().flat_map(|part| part.origins.iter());
    let tick = newest.filter_map(Origin::tick).max().unwrap_or_default();
    let now = format!(" at tick {tick}");
    let lines = prompt.parts.iter().flat_map(|part| part.origins.iter());
    let lines = lines.map(|origin| origin.to_string().replace(&now, NOW) + "\n");
    (lines.collect(), tick)
}

/// The lines of a prompt, each with its line break: first those of the system message.
fn lines_of(text: &PromptText) -> Vec<String> {
    let all = text.system.split_inclusive('\n').chain(text.user.split_inclusive('\n'));
    all.map(str::to_string).collect()
}

/// A text as pieces of the lines before it.
fn pieces(text: &str, before: &[String], places: &HashMap<&str, Vec<usize>>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for line in text.split_inclusive('\n') {
        match pieces.last_mut() {
            Some(Piece::Same(from, count)) if before.get(*from + *count).is_some_and(|next| next == line) => {
                *count += 1;
                continue;
            }
            _ => {}
        }
        match (places.get(line), pieces.last_mut()) {
            (Some(places), _) => pieces.push(Piece::Same(places[0], 1)),
            (None, Some(Piece::New(text))) => text.push_str(line),
            (None, _) => pieces.push(Piece::New(line.to_string())),
        }
    }
    pieces
}

/// The other way round. `None`: the pieces are of another text.
fn text_of(pieces: &[Piece], before: &[String]) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Same(from, count) => {
                let lines = before.get(*from..from.checked_add(*count)?)?;
                lines.iter().for_each(|line| text.push_str(line));
            }
            Piece::New(new) => text.push_str(new),
        }
    }
    Some(text)
}

/// The file of a session that is under way.
pub struct PromptRecord {
    path: PathBuf,
    file: File,
    before: Vec<String>,
    why_before: Vec<String>,
}

/// The first place of each line.
fn places(lines: &[String]) -> HashMap<&str, Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    places
}

/// Where the prompts of a session are, beside its log: while it plays, and when it is over.
pub fn paths(log: &Path) -> (PathBuf, PathBuf) {
    let stem = log.file_name().map(|name| name.to_string_lossy().to_string()).unwrap_or_default();
    let stem = stem.strip_suffix(".jsonl").unwrap_or(&stem);
    (log.with_file_name(format!("{stem}.prompts.jsonl")), log.with_file_name(format!("{stem}.prompts.jsonl.zst")))
}

impl PromptRecord {
    /// Makes the file beside a session's log.
    pub fn create(log: &Path) -> anyhow::Result<PromptRecord> {
        let (path, _) = paths(log);
        let file = private_files::create_new(&path).with_context(|| format!("making {}", path.display()))?;
        Ok(PromptRecord { path, file, before: Vec::new(), why_before: Vec::new() })
    }

    /// One more prompt.
    pub fn write(&mut self, id: u64, prompt: &Prompt) -> anyhow::Result<()> {
        let text = PromptText::of(prompt);
        let (why, tick) = why_of(prompt);
        let places_before = places(&self.before);
        let line = Line {
            id,
            sha256: text.sha256(),
            tokens: prompt.tokens as u64,
            system: pieces(&text.system, &self.before, &places_before),
            user: pieces(&text.user, &self.before, &places_before),
            why: pieces(&why, &self.why_before, &places(&self.why_before)),
            tick,
        };
        let mut row = serde_json::to_string(&line)?;
        row.push('\n');
        self.file.write_all(row.as_bytes()).with_context(|| format!("writing {}", self.path.display()))?;
        self.before = lines_of(&text);
        self.why_before = why.split_inclusive('\n').map(str::to_string).collect();
        Ok(())
    }

    /// What a model said for the story of a fold.
    pub fn write_words(&mut self, retold: &Retold) -> anyhow::Result<()> {
        let words = Words {
            from: retold.span.from,
            upto: retold.span.upto,
            model: retold.model.clone(),
            lines: retold.lines.clone(),
            refused: retold.refused.clone(),
            error: retold.error.as_ref().map(ToString::to_string),
        };
        let mut row = serde_json::to_string(&WordsLine { words })?;
        row.push('\n');
        self.file.write_all(row.as_bytes()).with_context(|| format!("writing {}", self.path.display()))
    }

    /// The session is over: the file is packed. One without prompts goes.
    pub fn finish(self) -> anyhow::Result<()> {
        drop(self.file);
        if self.before.is_empty() {
            return std::fs::remove_file(&self.path).with_context(|| format!("removing {}", self.path.display()));
        }
        let packed = self.path.with_extension("jsonl.zst");
        let told = || format!("packing {}", self.path.display());
        let mut encoder =
            zstd::Encoder::new(private_files::create_new(&packed).with_context(told)?, LEVEL).with_context(told)?;
        std::io::copy(&mut File::open(&self.path).with_context(told)?, &mut encoder).with_context(told)?;
        encoder.finish().and_then(|file| file.sync_all()).with_context(told)?;
        // Both are there for a moment; either can be read.
        std::fs::remove_file(&self.path).with_context(told)
    }
}

/// A prompt that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    pub id: u64,
    pub sha256: String,
    pub text: PromptText,
    /// What each line comes from, a line each; empty where the record does not say.
    pub why: String,
}

/// The file of a record, be it packed or not.
fn open(log: &Path) -> anyhow::Result<BufReader<Box<dyn Read>>> {
    let (plain, packed) = paths(log);
    let reader: Box<dyn Read> = if plain.exists() {
        Box::new(File::open(&plain).with_context(|| format!("reading {}", plain.display()))?)
    } else if packed.exists() {
        let file = File::open(&packed).with_context(|| format!("reading {}", packed.display()))?;
        Box::new(zstd::Decoder::new(file).with_context(|| format!("reading {}", packed.display()))?)
    } else {
        bail!(
            "there is no record of prompts beside {}: neither {} nor {}. Sessions with a model write one.",
            log.display(),
            plain.display(),
            packed.display()
        );
    };
    Ok(BufReader::new(reader))
}

/// What models said for the stories of a session's folds, oldest first.
pub fn words(log: &Path) -> anyhow::Result<Vec<Words>> {
    let mut words = Vec::new();
    for row in open(log)?.lines() {
        let row = row.context("reading the record")?;
        // A line that was cut off is none.
        if row.starts_with(WORDS)
            && let Ok(line) = serde_json::from_str::<WordsLine>(&row)
        {
            words.push(line.words);
        }
    }
    Ok(words)
}

/// Reads the prompts of a session, oldest first, until `take` has had enough. Errors where there is no such file or it
/// is damaged; a last line that was cut off is passed over.
pub fn read(log: &Path, mut take: impl FnMut(Recorded) -> bool) -> anyhow::Result<()> {
    let mut reader = open(log)?;
    let (mut before, mut number, mut row): (Vec<String>, usize, String) = (Vec::new(), 0, String::new());
    let mut why_before: Vec<String> = Vec::new();
    loop {
        row.clear();
        number += 1;
        if reader.read_line(&mut row).with_context(|| format!("reading line {number} of the record"))? == 0 {
            return Ok(());
        }
        if !row.ends_with('\n') {
            tracing::warn!(line = number, "the record of prompts was cut off here");
            return Ok(());
        }
        if row.starts_with(WORDS) {
            continue;
        }
        let line: Line = serde_json::from_str(&row).with_context(|| format!("line {number} of the record"))?;
        let (Some(system), Some(user)) = (text_of(&line.system, &before), text_of(&line.user, &before)) else {
            bail!("line {number} of the record tells of lines that the one before it does not have");
        };
        // What was not sent is no reason to give up what was.
        let why = text_of(&line.why, &why_before).unwrap_or_default();
        why_before = why.split_inclusive('\n').map(str::to_string).collect();
        let why = why.replace(NOW, &format!(" at tick {}", line.tick));
        let text = PromptText { system, user };
        before = lines_of(&text);
        if !take(Recorded { id: line.id, sha256: line.sha256, text, why }) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt_text::reference;
    use crate::thought::ModelError;
    use mind::budget::Tier;
    use mind::prompt::{Block, PromptBuilder, Settings};
    use mind::story::Span;
    use mind::{Event, LogEntry, MindState};

    /// A session of some prompts that fold in between.
    fn prompts() -> Vec<Prompt> {
        let mut builder = PromptBuilder::new(Settings { tier: Tier::Small, ..Settings::default() });
        let (mut state, mut prompts) = (MindState::default(), Vec::new());
        for tick in 1..200 {
            let event = Event::NoteAdd { text: format!("Stone {tick} of the wall is loose, \"{tick}\".") };
            let entry = LogEntry { seq: tick, tick, at_ms: 0, input: tick, event };
            state.project(&entry);
            let seen = vec![format!("Wind {} comes from the {}.", tick % 7, tick)];
            builder.append(Block { tick, seen, mind: vec![entry], ..Block::default() });
            prompts.push(builder.build(&Default::default(), &[], &state));
        }
        prompts
    }

    #[test]
    fn a_prompt_is_read_back_to_the_byte_and_a_cut_costs_the_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("2026-01-12-080000.jsonl");
        let prompts = prompts();
        let mut record = PromptRecord::create(&log).expect("made");
        for (id, prompt) in (1..).zip(&prompts) {
            record.write(id, prompt).expect("written");
        }
        let all = || {
            let mut all = Vec::new();
            read(&log, |recorded| {
                all.push(recorded);
                true
            })
            .map(|()| all)
        };
        let told: Vec<Recorded> = (1..)
            .zip(&prompts)
            .map(|(id, prompt)| {
                let lines = prompt.parts.iter().flat_map(|part| part.origins.iter());
                let why = lines.map(|origin| format!("{origin}\n")).collect();
                Recorded { id, sha256: reference(id, prompt).sha256, text: PromptText::of(prompt), why }
            })
            .collect();
        assert!(told.iter().all(|recorded| recorded.text.sha256() == recorded.sha256));
        assert_eq!(all().expect("read"), told);
        let (plain, packed) = paths(&log);
        let whole = std::fs::read(&plain).expect("there");
        std::fs::write(&plain, &whole[..whole.len() - 3]).expect("cut");
        assert_eq!(all().expect("read"), told[..told.len() - 1]);
        std::fs::write(&plain, [&whole[..], b"{\n"].concat()).expect("damaged");
        assert!(all().is_err());
        std::fs::write(&plain, &whole).expect("mended");
        // What a model said for a story stands between them, and is no prompt.
        let reworded = Reworded { of: "Met: Bob.".into(), words: "You met Bob.".into(), from: vec![3] };
        let refused = RefusedWords { of: "Met: Bob.".into(), words: "Bob is king.".into(), why: "no".into() };
        let mut retold = Retold {
            span: Span { from: 1, upto: 9 },
            model: "m".into(),
            lines: vec![reworded.clone()],
            refused: vec![refused.clone()],
            error: None,
            usage: Default::default(),
            cost_micros: None,
        };
        record.write_words(&retold).expect("written");
        record.write(prompts.len() as u64 + 1, &prompts[0]).expect("written");
        (retold.lines, retold.refused, retold.error) = (Vec::new(), Vec::new(), Some(ModelError::Timeout(5)));
        record.write_words(&retold).expect("written");
        let kept = words(&log).expect("read");
        assert_eq!((kept.len(), &kept[0].lines, &kept[0].refused), (2, &vec![reworded], &vec![refused]));
        assert_eq!((kept[0].from, kept[0].upto, &*kept[0].model), (1, 9, "m"));
        assert_eq!(kept[1].error.as_deref(), Some("The model gave no answer within 5 ms."));
        let again = all().expect("read");
        assert_eq!((again.len(), &again[..told.len()]), (told.len() + 1, &told[..]));
        assert_eq!(again.last().map(|last| &last.text), Some(&PromptText::of(&prompts[0])));
        record.finish().expect("packed");
        assert_eq!(words(&log).expect("read"), kept);
        let told = again;
        assert!(!plain.exists() && packed.exists());
        assert_eq!(all().expect("read"), told);
        let each = packed.metadata().expect("there").len() / prompts.len() as u64;
        assert!(each < 500, "{each} bytes a prompt");
        std::fs::remove_file(&packed).expect("gone");
        assert!(all().is_err());
    }
}
