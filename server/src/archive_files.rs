//! Files of archives: lines of JSON, packed with zstd. The first line says what the file is, of what, from which number
//! to which, and the SHA-256 of the file before it; so whoever has the newest file and its sum can prove all the
//! others.
//!
//! Leaves what a line means, and the list of files, to others. Invariants: a file has its name when it is whole and on
//! the disk, never before, and only its owner may read it. What differs from its sum in one bit is refused.

use crate::files::{make_private_folder, write_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::io;
use std::path::Path;

/// Version of what is described above. A newer one is refused.
pub const FORMAT: u32 = 1;
/// Entries of a log are much alike: more effort gains little, and archiving is to be quick.
const LEVEL: i32 = 1;

/// What a file is, its first line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// What its lines are: `entries` of a log.
    pub archive: String,
    pub format: u32,
    /// Whose.
    pub of: String,
    pub first: i64,
    pub last: i64,
    pub lines: u64,
    /// SHA-256 of the file before it; none of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Version of the dp-server that made it.
    pub server: String,
}

impl Header {
    pub fn new(archive: &str, of: &str, (first, last): (i64, i64), lines: u64, before: Option<String>) -> Header {
        let server = env!("CARGO_PKG_VERSION").to_string();
        Header { archive: archive.to_string(), format: FORMAT, of: of.to_string(), first, last, lines, before, server }
    }
}

/// A file as it will be.
pub struct Packed {
    pub bytes: Vec<u8>,
    /// Hex.
    pub sha256: String,
}

/// A file with a line for each row.
pub fn pack<T: Serialize>(header: &Header, rows: &[T]) -> io::Result<Packed> {
    let mut lines = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut lines, row)?;
        lines.push(b'\n');
    }
    pack_lines(header, &lines)
}

/// `lines`: each with its end.
fn pack_lines(header: &Header, lines: &[u8]) -> io::Result<Packed> {
    let mut packed = zstd::Encoder::new(Vec::with_capacity(lines.len() / 6), LEVEL)?;
    packed.include_checksum(true)?;
    serde_json::to_writer(&mut packed, header)?;
    io::Write::write_all(&mut packed, b"\n")?;
    io::Write::write_all(&mut packed, lines)?;
    let bytes = packed.finish()?;
    let sha256 = sum_of(&bytes);
    Ok(Packed { bytes, sha256 })
}

/// Puts a file into its place, and its folder if need be; it is on the disk then.
pub fn write(path: &Path, packed: &Packed) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    write_whole(path, &packed.bytes)
}

/// Hex.
pub fn sum_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Why a file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    Missing,
    Unread(String),
    /// Its sum is another than the one that was noted.
    Altered,
    /// It is no such file, or not the one that it should be.
    Damaged(String),
    Newer(u32),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing => f.write_str("it is missing"),
            Trouble::Unread(why) => write!(f, "it cannot be read: {why}"),
            Trouble::Altered => f.write_str("it was cut or altered since it was made"),
            Trouble::Damaged(why) => write!(f, "it is damaged: {why}"),
            Trouble::Newer(format) => {
                write!(f, "a newer dp-server made it, in format {format}; this one reads up to {FORMAT}")
            }
        }
    }
}

/// Reads a file: its header, and a row for each line behind that. `sha256`: what its sum must be.
pub fn read<T: DeserializeOwned>(path: &Path, sha256: &str) -> Result<(Header, Vec<T>), Trouble> {
    let (header, lines) = read_lines(path, sha256)?;
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let rows = lines.map(|line| serde_json::from_slice(line).map_err(|error| Trouble::Damaged(error.to_string())));
    Ok((header, rows.collect::<Result<_, _>>()?))
}

fn read_lines(path: &Path, sha256: &str) -> Result<(Header, Vec<u8>), Trouble> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Trouble::Missing,
        _ => Trouble::Unread(error.to_string()),
    })?;
    if sum_of(&bytes) != sha256 {
        return Err(Trouble::Altered);
    }
    unpack(&bytes)
}

fn unpack(bytes: &[u8]) -> Result<(Header, Vec<u8>), Trouble> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let mut plain = zstd::decode_all(bytes).map_err(|error| Trouble::Damaged(error.to_string()))?;
    let end = plain.iter().position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| Trouble::Damaged("it has no lines".to_string()))?;
    let damaged = |error: serde_json::Error| Trouble::Damaged(error.to_string());
    let Format { format } = serde_json::from_slice(&plain[..end]).map_err(damaged)?;
    if format > FORMAT {
        return Err(Trouble::Newer(format));
    }
    let header = serde_json::from_slice(&plain[..end]).map_err(damaged)?;
    plain.drain(..=end);
    Ok((header, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_as_it_was_and_one_that_is_another_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ann/1-2.jsonl.zst");
        let header = Header::new("entries", "ann", (1, 2), 2, Some("5e".into()));
        let packed = pack_lines(&header, b"{\"seq\":1}\n{\"seq\":2}\n").expect("packed");
        write(&path, &packed).expect("written");
        assert_eq!(read_lines(&path, &packed.sha256), Ok((header.clone(), b"{\"seq\":1}\n{\"seq\":2}\n".to_vec())));
        let mut bytes = packed.bytes.clone();
        bytes[20] ^= 1;
        std::fs::write(&path, &bytes).expect("altered");
        assert_eq!(read_lines(&path, &packed.sha256), Err(Trouble::Altered));
        assert!(matches!(read_lines(&path, &sum_of(&bytes)), Err(Trouble::Damaged(_))), "even with its own sum");
        std::fs::write(&path, &packed.bytes[..40]).expect("cut");
        assert_eq!(read_lines(&path, &packed.sha256), Err(Trouble::Altered));
        let newer = pack_lines(&Header { format: FORMAT + 1, ..header }, b"").expect("packed");
        std::fs::write(&path, &newer.bytes).expect("written");
        assert_eq!(read_lines(&path, &newer.sha256), Err(Trouble::Newer(FORMAT + 1)));
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(read_lines(&path, &newer.sha256), Err(Trouble::Missing));
    }
}
