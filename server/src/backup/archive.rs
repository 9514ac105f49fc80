//! The file of a backup: a tar, compressed with zstd. First `backup.json`, what it is; then the files; last
//! `contents.json`, the length and SHA-256 of each, so that one can be written as it is read, without a second copy.
//!
//! `database/<table>.<n>.jsonl` are rows (see `store::dump`), `journal/…` is what a start finds of the world,
//! `archive/…` are old entries of logs.
//! Invariant: what does not end with `contents.json`, or differs from it in one bit, is refused, and the message names
//! the part that is wrong.

use crate::store::dump::{Part, Written};
use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use tokio::sync::mpsc;

/// Version of what is described above. Older ones are read; a newer one is refused.
const FORMAT: u32 = 2;
/// What a backup without archives of logs is: older programs read it.
const FORMAT_WITHOUT_ARCHIVES: u32 = 1;
const MANIFEST: &str = "backup.json";
const CONTENTS: &str = "contents.json";
/// Quick, and small enough: rows are mostly names of fields.
const LEVEL: i32 = 3;
/// `backup.json` and `contents.json` are no longer, whatever they say.
const JSON_BYTES_MAX: u64 = 64 << 20;

/// What a backup is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the dp-server that made it.
    pub server: String,
    /// Unix milliseconds.
    pub made_at: i64,
    /// Number of the newest migration of the database.
    pub migration: i64,
    pub database_id: String,
    /// The world is as it was after this input; `None`: the backup holds no world.
    pub input: Option<u64>,
}

/// What a backup holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Contents {
    pub files: Vec<FileLine>,
    pub tables: Vec<Written>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileLine {
    pub path: String,
    pub bytes: u64,
    /// Hex.
    pub sha256: String,
}

/// What is put into a backup, in order.
pub enum Entry {
    /// Rows of a table.
    Rows(Part),
    /// Something of the world, below `journal/`.
    World { name: String, from: WorldFile },
    /// A file with old entries of a log, below `archive/`.
    Archived { file: String, bytes: Vec<u8> },
    /// Everything is here. Without it the file is not finished.
    End(Vec<Written>),
}

pub enum WorldFile {
    Bytes(Vec<u8>),
    File(File),
}

impl From<Part> for Entry {
    fn from(part: Part) -> Entry {
        Entry::Rows(part)
    }
}

impl Manifest {
    pub fn new(migration: i64, database_id: String, input: Option<u64>, has_archives: bool) -> Manifest {
        Manifest {
            format: if has_archives { FORMAT } else { FORMAT_WITHOUT_ARCHIVES },
            server: env!("CARGO_PKG_VERSION").to_owned(),
            made_at: crate::times::unix_ms(),
            migration,
            database_id,
            input,
        }
    }
}

impl Contents {
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

/// Writes a backup from what comes, on a thread of its own. Fails when it does not end with `Entry::End`.
pub fn build<W: Write>(
    manifest: &Manifest,
    mut entries: mpsc::Receiver<Entry>,
    out: W,
) -> anyhow::Result<(W, Contents)> {
    let mut packed = zstd::Encoder::new(out, LEVEL).context("beginning to compress")?;
    packed.include_checksum(true)?;
    let mut tar = tar::Builder::new(packed);
    let mut contents = Contents::default();
    append(&mut tar, MANIFEST, manifest.made_at, &serde_json::to_vec_pretty(manifest)?)?;
    loop {
        let (path, bytes) = match entries.blocking_recv().context("the backup broke off")? {
            Entry::Rows(part) => {
                let plain = part.table.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                ensure!(plain, "the name of the table {:?} cannot be the name of a file", part.table);
                (format!("database/{}.{}.jsonl", part.table, part.number), part.lines)
            }
            Entry::Archived { file, bytes } => (archived_path(&file)?, bytes),
            Entry::World { name, from: WorldFile::Bytes(bytes) } => (world_path(&name)?, bytes),
            Entry::World { name, from: WorldFile::File(file) } => {
                let path = world_path(&name)?;
                // A file that grows meanwhile is taken as long as it was.
                let bytes = file.metadata().with_context(|| format!("reading {path}"))?.len();
                let mut reader = Summing::new(file.take(bytes));
                tar.append_data(&mut header(bytes, manifest.made_at), &path, &mut reader)
                    .with_context(|| format!("copying {path}"))?;
                contents.files.push(reader.line(path));
                continue;
            }
            Entry::End(tables) => {
                contents.tables = tables;
                break;
            }
        };
        append(&mut tar, &path, manifest.made_at, &bytes)?;
        let sha256 = hex::encode(Sha256::digest(&bytes));
        contents.files.push(FileLine { path, bytes: bytes.len() as u64, sha256 });
    }
    append(&mut tar, CONTENTS, manifest.made_at, &serde_json::to_vec_pretty(&contents)?)?;
    let mut out = tar.into_inner().and_then(zstd::Encoder::finish).context("finishing the backup")?;
    // Here, as `out` may have to wait, and only this thread may.
    out.flush().context("finishing the backup")?;
    Ok((out, contents))
}

fn append(tar: &mut tar::Builder<impl Write>, path: &str, made_at: i64, bytes: &[u8]) -> anyhow::Result<()> {
    tar.append_data(&mut header(bytes.len() as u64, made_at), path, bytes).with_context(|| format!("writing {path}"))
}

fn header(bytes: u64, made_at_ms: i64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(u64::try_from(made_at_ms / 1_000).unwrap_or(0));
    header
}

/// Only plain names, so that no backup writes anywhere else than below `journal/`.
fn world_path(name: &str) -> anyhow::Result<String> {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(letter));
    ensure!(plain && !name.is_empty() && !name.starts_with('.'), "{name:?} is no name of a file of the journal");
    Ok(format!("journal/{name}"))
}

/// A folder and a file in it, as `world_path`.
fn archived_path(file: &str) -> anyhow::Result<String> {
    let plain = |name: &str| {
        let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(letter));
        is_plain && !name.is_empty() && !name.starts_with('.')
    };
    let is_one = file.split_once('/').is_some_and(|(folder, name)| plain(folder) && plain(name));
    ensure!(is_one, "{file:?} is no name of an archive of a log");
    Ok(format!("archive/{file}"))
}

/// What is at a path of a backup.
pub enum Found<'p> {
    Archived { file: &'p str },
    Rows { table: &'p str },
    World { name: &'p str },
}

fn found_at(path: &str) -> anyhow::Result<Found<'_>> {
    if let Some(name) = path.strip_prefix("journal/") {
        world_path(name)?;
        return Ok(Found::World { name });
    }
    if let Some(file) = path.strip_prefix("archive/") {
        archived_path(file)?;
        return Ok(Found::Archived { file });
    }
    let table = path.strip_prefix("database/").and_then(|rest| rest.strip_suffix(".jsonl"));
    let table = table.and_then(|rest| rest.rsplit_once('.')).map(|(table, _number)| table);
    Ok(Found::Rows { table: table.with_context(|| format!("{path:?} is nothing that a backup has"))? })
}

/// A backup that was read to its end and is whole.
#[derive(Clone, Debug)]
pub struct Checked {
    pub manifest: Manifest,
    pub contents: Contents,
}

impl std::fmt::Display for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes: u64 = self.contents.files.iter().map(|file| file.bytes).sum();
        write!(f, "{} rows of {} tables, ", self.contents.rows(), self.contents.tables.len())?;
        match self.manifest.input {
            Some(input) => write!(f, "the world after input {input}, ")?,
            None => f.write_str("no world, ")?,
        }
        write!(f, "{bytes} bytes before compression")
    }
}

/// Reads all of a backup and compares it with what it says of itself. Keeps nothing but that.
pub fn check(file: &Path) -> anyhow::Result<Checked> {
    walk(file, &mut |_, rest| std::io::copy(rest, &mut std::io::sink()).map(drop).context("reading it"))
}

/// Reads a backup once more, giving each file to `visit`, in order. Fails, after some were visited, when it is not what
/// it was when it was checked.
pub fn read(
    file: &Path,
    checked: &Checked,
    visit: &mut dyn FnMut(Found, &mut dyn Read) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let again = walk(file, &mut |path, rest| visit(found_at(path)?, rest))?;
    let same = again.manifest == checked.manifest && again.contents == checked.contents;
    ensure!(same, "{} changed while it was read", file.display());
    Ok(())
}

fn walk(file: &Path, visit: &mut dyn FnMut(&str, &mut dyn Read) -> anyhow::Result<()>) -> anyhow::Result<Checked> {
    let opened = File::open(file).with_context(|| format!("opening {}", file.display()))?;
    let mut at = MANIFEST.to_owned();
    let walked = walk_from(opened, &mut at, visit);
    walked.with_context(|| format!("the backup {} cannot be used, because of its part {at}", file.display()))
}

/// `at`: the part that is being read, for the message when it fails.
fn walk_from(
    file: File,
    at: &mut String,
    visit: &mut dyn FnMut(&str, &mut dyn Read) -> anyhow::Result<()>,
) -> anyhow::Result<Checked> {
    let mut tar = tar::Archive::new(zstd::Decoder::new(BufReader::new(file))?);
    let mut manifest: Option<Manifest> = None;
    let mut files: Vec<FileLine> = Vec::new();
    let mut contents: Option<Contents> = None;
    for entry in tar.entries()? {
        let mut entry = entry.context("it is no backup, or what follows is damaged")?;
        let path = entry.path_bytes().into_owned();
        let path = String::from_utf8(path).context("a part has a name that is no text")?;
        at.clone_from(&path);
        ensure!(contents.is_none(), "it stands behind the end");
        ensure!(entry.header().entry_type() == tar::EntryType::Regular, "it is no plain file");
        match (&manifest, path.as_str()) {
            (None, MANIFEST) => manifest = Some(read_manifest(&json_of(&mut entry)?)?),
            (None, _) => bail!("it is not a backup of dp-server: one begins with {MANIFEST}"),
            (Some(_), CONTENTS) => {
                let found: Contents = serde_json::from_slice(&json_of(&mut entry)?).context("it is damaged")?;
                let wrong = found.files.iter().zip(&files).find(|(said, is)| said != is);
                if let Some((said, is)) = wrong {
                    at.clone_from(&is.path);
                    bail!("it is damaged: it should be {} with the SHA-256 {}", said.path, said.sha256);
                }
                let (said, is) = (found.files.len(), files.len());
                ensure!(said == is, "it lists {said} files, and there are {is}");
                contents = Some(found);
            }
            (Some(_), _) => {
                found_at(&path)?;
                let bytes = entry.size();
                let mut rest = Summing::new(&mut entry);
                visit(&path, &mut rest)?;
                std::io::copy(&mut rest, &mut std::io::sink())?;
                let line = rest.line(path);
                ensure!(line.bytes == bytes, "it breaks off after {} of {bytes} bytes", line.bytes);
                files.push(line);
            }
        }
    }
    let manifest = manifest.context("it is not a backup of dp-server, or it is empty")?;
    let contents = contents.with_context(|| format!("the backup breaks off behind it; {CONTENTS} is missing"))?;
    // The tar ends with zeros, and behind them is the checksum of the compression.
    let (mut rest, mut buffer) = (tar.into_inner(), [0; 4096]);
    loop {
        match rest.read(&mut buffer).context("its end is damaged")? {
            0 => break,
            read => ensure!(buffer[..read].iter().all(|byte| *byte == 0), "something stands behind its end"),
        }
    }
    Ok(Checked { manifest, contents })
}

fn json_of(entry: &mut impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entry.take(JSON_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_manifest(bytes: &[u8]) -> anyhow::Result<Manifest> {
    /// Stays readable in every format.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } = serde_json::from_slice(bytes).context("it is damaged")?;
    ensure!(
        format <= FORMAT,
        "a newer dp-server made it, in format {format}; this one reads up to {FORMAT}. Use that one"
    );
    serde_json::from_slice(bytes).context("it is damaged")
}

/// Counts and sums what is read through it.
struct Summing<R> {
    from: R,
    bytes: u64,
    sum: Sha256,
}

impl<R> Summing<R> {
    fn new(from: R) -> Summing<R> {
        Summing { from, bytes: 0, sum: Sha256::new() }
    }

    fn line(self, path: String) -> FileLine {
        FileLine { path, bytes: self.bytes, sha256: hex::encode(self.sum.finalize()) }
    }
}

impl<R: Read> Read for Summing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.bytes += read as u64;
        self.sum.update(&buffer[..read]);
        Ok(read)
    }
}
