//! What a model answered, by the request that it answered: `--tape FILE`. A request that is the same to the last byte
//! gets the same answer again, after as long as it took then, and costs nothing; every other one is asked of the model,
//! and its answer is added. So a fork of a past asks a model only from where its prompts differ.
//!
//! The file is JSONL: a head, then a line for each answer with the SHA-256 of the request's body. What an endpoint
//! refused for one of its fields is there too, so that it is not asked in vain. Failures are not: they are no answers.
//! Invariants: only the owner may read the file. Lines are only added; one that was cut off is written anew.

use super::reply::Reply;
use crate::answer::{RawReply, ToolCall};
use crate::ledger::Usage;
use crate::private_files;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The form of the file; it rises when the lines mean something else.
const FORM: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    dp_agent_tape: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// SHA-256 of the request's body, hex.
    request: String,
    /// Milliseconds from the request to the whole answer.
    ms: u64,
    #[serde(flatten)]
    came: Came,
}

/// What an endpoint made of a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    Reply(Taped),
    /// It was understood, and refused for one of its fields.
    Refused {
        status: u16,
        message: String,
    },
}

/// An answer as the tape has it: what a model said, and what it used and cost then.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Taped {
    content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<(String, String)>,
    cut: bool,
    thought: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    declined: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    pub usage: Usage,
    pub cost_micros: u64,
}

impl Taped {
    pub fn of(reply: &Reply, usage: Usage, cost_micros: u64) -> Taped {
        let raw = &reply.raw;
        let call = |call: &ToolCall| (call.name.clone(), call.arguments.clone());
        Taped {
            content: raw.content.clone(),
            tool_calls: raw.tool_calls.iter().map(call).collect(),
            cut: raw.cut,
            thought: raw.thought,
            declined: raw.declined.clone(),
            request_id: reply.request_id.clone(),
            model: reply.model.clone(),
            usage,
            cost_micros,
        }
    }

    pub fn reply(self) -> Reply {
        let call = |(name, arguments)| ToolCall { name, arguments };
        let raw = RawReply {
            content: self.content,
            tool_calls: self.tool_calls.into_iter().map(call).collect(),
            cut: self.cut,
            thought: self.thought,
            declined: self.declined,
            ..RawReply::default()
        };
        Reply { raw, usage: None, request_id: self.request_id, model: self.model }
    }
}

/// A tape that is played from and recorded on.
#[derive(Debug)]
pub struct Tape {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    known: HashMap<String, (Came, Duration)>,
    /// It could not be written; told once.
    failed: bool,
}

/// What a request is known by.
pub fn key(body: &Value) -> String {
    hex::encode(Sha256::digest(body.to_string().as_bytes()))
}

impl Tape {
    /// Opens a tape, or begins one.
    pub fn open(path: &Path) -> anyhow::Result<Tape> {
        let at = || format!("the tape {}", path.display());
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8(bytes).ok().with_context(|| format!("{} is no text", at()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                folder.map_or(Ok(()), private_files::make_folder).with_context(at)?;
                private_files::create_new(path).with_context(at)?;
                String::new()
            }
            Err(error) => return Err(error).with_context(at),
        };
        // A process that was killed may leave half a line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for (n, line) in (1..).zip(text[..whole].lines()) {
            if n == 1 {
                let head: Head = serde_json::from_str(line).ok().with_context(|| {
                    format!("{} is another file: a tape begins with {{\"dp_agent_tape\":{FORM}}}", path.display())
                })?;
                if head.dp_agent_tape != FORM {
                    bail!("{} has the form {}, and this program knows {FORM}", at(), head.dp_agent_tape);
                }
                continue;
            }
            let Line { request, ms, came } = serde_json::from_str(line)
                .with_context(|| format!("{}, line {n}, is damaged; take the line out, or name another file", at()))?;
            known.insert(request, (came, Duration::from_millis(ms)));
        }
        if whole == 0 && !text.is_empty() {
            bail!("{} is another file: a tape begins with {{\"dp_agent_tape\":{FORM}}}", path.display());
        }
        let mut file = File::options().append(true).open(path).with_context(at)?;
        if whole < text.len() {
            tracing::warn!("{}: its last line was cut off and is dropped", at());
            file.set_len(whole as u64).with_context(at)?;
        }
        if whole == 0 {
            let head = serde_json::to_string(&Head { dp_agent_tape: FORM })?;
            file.write_all(format!("{head}\n").as_bytes()).with_context(at)?;
        }
        Ok(Tape { path: path.to_path_buf(), inner: Mutex::new(Inner { file, known, failed: false }) })
    }

    /// What came of that request, and how long it took.
    pub fn find(&self, key: &str) -> Option<(Came, Duration)> {
        self.inner().known.get(key).cloned()
    }

    /// Adds what came of a request.
    pub fn keep(&self, key: String, came: Came, took: Duration) {
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let line = Line { request: key, ms, came };
        let text = serde_json::to_string(&line).expect("a line of a tape has string keys only") + "\n";
        let mut inner = self.inner();
        // One write: several processes may add to the same tape.
        if let Err(error) = inner.file.write_all(text.as_bytes())
            && !std::mem::replace(&mut inner.failed, true)
        {
            tracing::error!("the tape {} cannot be written: {error}", self.path.display());
        }
        inner.known.insert(line.request, (line.came, Duration::from_millis(ms)));
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        // Each change is whole by itself, so what a panicking thread left is usable.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(content: &str) -> Came {
        Came::Reply(Taped {
            content: content.into(),
            tool_calls: vec![("act".into(), "{}".into())],
            ..Taped::default()
        })
    }

    #[test]
    fn what_was_kept_is_found_again_and_only_by_the_same_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/run.tape");
        let (one, other) = (key(&serde_json::json!({"a": 1})), key(&serde_json::json!({"a": 2})));
        let refused = Came::Refused { status: 400, message: "no \"seed\"\nhere".into() };
        {
            let tape = Tape::open(&path).expect("a new tape");
            assert_eq!(tape.find(&one), None);
            tape.keep(one.clone(), said("look"), Duration::from_millis(700));
            tape.keep(other.clone(), refused.clone(), Duration::ZERO);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        }
        let tape = Tape::open(&path).expect("the same tape");
        assert_eq!(tape.find(&one), Some((said("look"), Duration::from_millis(700))));
        assert_eq!(tape.find(&other), Some((refused, Duration::ZERO)));
        assert_eq!(tape.find(&key(&serde_json::json!({"a": 3}))), None);
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped_and_anything_else_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.tape");
        let tape = Tape::open(&path).expect("a new tape");
        tape.keep("one".into(), said("look"), Duration::ZERO);
        tape.keep("two".into(), said("north"), Duration::ZERO);
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::write(&path, &text[..text.len() - 9]).expect("cut");
        let tape = Tape::open(&path).expect("all but the last line");
        assert!(tape.find("one").is_some() && tape.find("two").is_none());
        tape.keep("two".into(), said("north"), Duration::ZERO);
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);

        for (text, why) in [
            (text.replacen("look", "lo\"ok", 1), "line 2, is damaged"),
            (text.replacen(":1}", ":9}", 1), "has the form 9"),
            ("{\"type\":\"header\"}\n".to_string(), "is another file"),
            ("half a line".to_string(), "is another file"),
        ] {
            std::fs::write(&path, &text).expect("written");
            let refused = format!("{:#}", Tape::open(&path).expect_err(why));
            assert!(refused.contains(why), "{refused}");
            assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text, "nothing is changed");
        }
    }
}
