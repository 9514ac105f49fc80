//! The files of one character's dreams: `{output}/{agent}/` with the graph, the story and the result of the last one.
//! `dp-agent dream` and the nights of `dp-server` write them; the server tells the story at login.
//!
//! Knows no logs and no databases. Invariants: a file is replaced whole or not at all, and the result comes last. What
//! cannot be used is kept aside, never deleted. Of two dreams of one character at once, the second says so and changes
//! nothing; the system gives the lock back however a program ends.

mod outcome;
mod zone;

use anyhow::{Context, ensure};
use dreaming::{Dream, Graph, Valence};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use outcome::{Outcome, tell};
pub use zone::{DREAM_ZONE, Zone};

pub const GRAPH_FILE: &str = "memory-graph.json";
/// The file in the folder above that says which server writes there.
pub const OWNER_FILE: &str = ".dp-server.json";
pub const SUMMARY_FILE: &str = "memory-summary.txt";
pub const RESULT_FILE: &str = "dream-result.json";
/// Insights in the words of a model: `dp-agent dream --reflect=llm`.
pub const WORDS_FILE: &str = "memory-words.json";
/// Embeddings of memories: `dp-agent recall --embeddings`.
pub const VECTORS_FILE: &str = "memory-vectors.jsonl";
const LOCK_FILE: &str = ".dream.lock";

/// Where a server writes what is dreamt, in its state folder, unless it was told otherwise.
const OF_STATE: &str = "dreaming";
/// The state folder by default, and where its dreams are: beside it, where they were before others had folders of their
/// own.
pub const SHIPPED: (&str, &str) = ("data/state", "data/dreaming");

/// Longest story that is read, bytes. One of 500 tokens takes some 3,000; people may write more by hand.
pub const SUMMARY_BYTES_MAX: usize = 64 * 1024;

/// The folder of one character; it need not be there yet.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    agent: String,
}

/// Holds a folder until it is dropped.
#[must_use = "dropping it gives the folder back"]
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    /// A process that another thread is just starting has the file open, too, until its program begins: to close it
    /// alone would not give it back at once. Where that fails, the end of the file does it.
    fn drop(&mut self) {
        let _closed_soon = self.file.unlock();
    }
}

/// Why a folder could not be held.
#[derive(Debug)]
pub enum LockError {
    /// Another dream of this character is under way.
    Dreaming { agent: String },
    /// The folder cannot be made or written to; what was tried, with the cause.
    Failed(anyhow::Error),
}

impl std::fmt::Display for LockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LockError::Dreaming { agent } => write!(f, "{agent} is dreaming already; wait until that is done"),
            LockError::Failed(error) => write!(f, "{error:#}"),
        }
    }
}

impl std::error::Error for LockError {}

/// A name that is no path: letters, digits, `_` and `-`.
pub fn check_name(name: &str) -> anyhow::Result<()> {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    ensure!(plain, "{name:?} cannot be the name of an agent: names are of letters, digits, `_` and `-`");
    Ok(())
}

/// The folder of a character below `root`. Names of characters differ in case only by mistake: where none is written
/// just so, one that differs in case is taken.
pub fn folder_of(root: &Path, agent: &str) -> PathBuf {
    let exact = root.join(agent);
    if exact.is_dir() {
        return exact;
    }
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut alike: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.eq_ignore_ascii_case(agent)))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    alike.sort();
    alike.into_iter().next().unwrap_or(exact)
}

/// The folder in a state folder.
pub fn own_folder(state: &Path) -> PathBuf {
    state.join(OF_STATE)
}

/// Where the server of this state folder writes what is dreamt, unless it was told otherwise.
pub fn of_state(state: &Path) -> PathBuf {
    let (shipped, beside) = SHIPPED;
    let own = own_folder(state);
    let is_shipped = std::path::absolute(state).ok() == std::path::absolute(shipped).ok();
    if is_shipped && !own.exists() { beside.into() } else { own }
}

impl Folder {
    /// The folder of `agent` below `output`. Makes nothing. Refuses names that could be paths.
    pub fn open(output: &Path, agent: &str) -> anyhow::Result<Folder> {
        check_name(agent)?;
        Ok(Folder { path: folder_of(output, agent), agent: agent.to_string() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Holds the folder, which is made where it is missing.
    pub fn lock(&self) -> Result<Lock, LockError> {
        let folder = || format!("making the folder {}; can it be written to?", self.path.display());
        make_private_folder(&self.path).with_context(folder).map_err(LockError::Failed)?;
        let path = self.path.join(LOCK_FILE);
        let opened = File::options().create(true).truncate(false).write(true).open(&path);
        let opening = || format!("opening {}; can this folder be written to?", path.display());
        let file = opened.with_context(opening).map_err(LockError::Failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Dreaming { agent: self.agent.clone() }),
            Err(TryLockError::Error(error)) => {
                let locking = format!("locking {}", path.display());
                Err(LockError::Failed(anyhow::Error::new(error).context(locking)))
            }
        }
    }

    /// The graph of the last dream. One that cannot be used is kept aside (in a dry run it stays where it is), and the
    /// second value says so; the sentence has no full stop.
    pub fn read_graph(&self, dry_run: bool) -> anyhow::Result<(Option<Graph>, Option<String>)> {
        let path = self.path.join(GRAPH_FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        match Graph::from_json(&bytes, &self.agent) {
            Ok(graph) => Ok((Some(graph), None)),
            Err(error) => {
                let kept = self.free_name()?;
                if !dry_run {
                    let to = self.path.join(&kept);
                    fs::rename(&path, &to)
                        .with_context(|| format!("renaming {} to {}", path.display(), to.display()))?;
                }
                Ok((None, Some(format!("{GRAPH_FILE} was kept aside as {kept} and made anew from the log: {error}"))))
            }
        }
    }

    /// Keeps a graph's document that cannot be used and comes from elsewhere (a database). Returns its file's name.
    pub fn keep_document(&self, document: &[u8]) -> anyhow::Result<String> {
        let kept = self.free_name()?;
        replace(&self.path.join(&kept), document)?;
        Ok(kept)
    }

    /// A name for a graph that is kept aside.
    fn free_name(&self) -> anyhow::Result<String> {
        let names = (1..10_000).map(|n| format!("{GRAPH_FILE}.kept-{n}"));
        let free = names.into_iter().find(|kept| !self.path.join(kept).exists());
        free.with_context(|| {
            format!("too many damaged graphs are kept in {}; look at them and take some away", self.path.display())
        })
    }

    /// Replaces all three files, the result last, and tells the outcome the hash of the graph's document.
    pub fn write(&self, dreamt: &Dream, outcome: &mut Outcome) -> anyhow::Result<()> {
        let hash = replace_by(&self.path.join(GRAPH_FILE), |file| dreamt.graph.write_json(file))?;
        outcome.graph_hash = Some(hash);
        replace(&self.path.join(SUMMARY_FILE), dreamt.summary.text.as_bytes())?;
        let mut result = serde_json::to_vec_pretty(outcome).context("writing the result as JSON")?;
        result.push(b'\n');
        replace(&self.path.join(RESULT_FILE), &result)
    }

    /// The story; None where no dream has written one.
    pub fn summary(&self) -> anyhow::Result<Option<String>> {
        let path = self.path.join(SUMMARY_FILE);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        let mut bytes = Vec::new();
        let read = (&mut file).take(SUMMARY_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        read.with_context(|| format!("reading {}", path.display()))?;
        ensure!(
            bytes.len() <= SUMMARY_BYTES_MAX,
            "{} has more than {SUMMARY_BYTES_MAX} bytes; no dream writes so long a story",
            path.display()
        );
        let text = String::from_utf8(bytes).with_context(|| format!("{} is no text of UTF-8", path.display()))?;
        Ok(Some(text))
    }

    /// Whether the last dream counted every valence as 0. A story that no dream wrote counts as one with valence.
    pub fn is_flat(&self) -> anyhow::Result<bool> {
        #[derive(serde::Deserialize)]
        struct Written {
            #[serde(default)]
            valence: Valence,
        }
        let path = self.path.join(RESULT_FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        let written: Written =
            serde_json::from_reader(io::BufReader::new(file)).with_context(|| format!("reading {}", path.display()))?;
        Ok(written.valence == Valence::Flat)
    }

    /// Takes the folder away with all that dreams keep in it, for a character that is deleted; whatever else is there
    /// stays, and the folder with it. Hold the lock.
    pub fn remove(&self) -> anyhow::Result<()> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error).with_context(|| format!("reading the folder {}", self.path.display())),
        };
        for entry in entries {
            let path = entry.with_context(|| format!("reading the folder {}", self.path.display()))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let files = [GRAPH_FILE, SUMMARY_FILE, RESULT_FILE, WORDS_FILE, VECTORS_FILE];
            let ours = files.iter().any(|file| name.starts_with(file));
            if ours || name == LOCK_FILE {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(error).with_context(|| format!("deleting {}", path.display()));
                    }
                    _ => {}
                }
            }
        }
        match fs::remove_dir(&self.path) {
            Err(error) if !matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound) => {
                Err(error).with_context(|| format!("deleting the folder {}", self.path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// For its owner only: what is in it are somebody's memories.
fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut folder = fs::DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(path)
}

/// Replaces a file whole: a reader sees the old one or the new one, also after a loss of power. Readable by its owner
/// only; written through no link.
pub fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    replace_by(path, |file| file.write_all(bytes))
}

/// The same for what is written piece by piece; returns what `write` does.
fn replace_by<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> anyhow::Result<T> {
    let whole = || -> io::Result<T> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = path.with_file_name(name);
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // What a crash left, or a link that somebody has put there.
            _ => {}
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&new)?;
        let written = write(&mut file)?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all()?,
            _ => {}
        }
        Ok(written)
    };
    whole().with_context(|| format!("writing {}; can this folder be written to?", path.display()))
}

#[cfg(test)]
mod tests;
