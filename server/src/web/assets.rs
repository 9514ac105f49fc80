//! The files that browsers load, plain and deflated: those of `web/`, and the list of verbs for completion.
//!
//! A program for players has them in it and deflates them once; one that is built for debugging reads the folder at
//! each request, so that whoever works on a page reloads it. Invariant: the fingerprint is of all bytes of all files.

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use protocol::verbs::{Rank, VERBS};
use rust_embed::Embed;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, LazyLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

#[derive(Embed)]
#[folder = "../web/"]
struct Folder;

/// Stands in a page where the address of what it loads begins.
const ASSETS_MARK: &str = "/assets/@/";
/// Made here, of the table of verbs.
const VERBS_FILE: &str = "verbs.json";
const UNKNOWN_KIND: &str = "application/octet-stream";
/// What a file is, by the end of its name.
const KINDS: [(&str, &str); 5] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("svg", "image/svg+xml"),
];

pub struct File {
    pub kind: &'static str,
    pub plain: Bytes,
    pub zipped: Bytes,
    /// Its `ETag`: weak, since plain and deflated bytes have the same.
    pub tag: String,
}

pub struct Bundle {
    pub fingerprint: String,
    files: BTreeMap<String, File>,
}

/// What completion tells of a verb.
#[derive(Serialize)]
struct VerbRow<'a> {
    name: &'a str,
    usage: &'a str,
    help: &'a str,
}

impl Bundle {
    /// As they are now: in a program for players always the same.
    pub fn now() -> Arc<Bundle> {
        static ONCE: LazyLock<Arc<Bundle>> = LazyLock::new(|| Arc::new(Bundle::read()));
        match cfg!(debug_assertions) {
            true => Arc::new(Bundle::read()),
            false => ONCE.clone(),
        }
    }

    fn read() -> Bundle {
        let folder = Folder::iter().filter_map(|name| {
            let file = Folder::get(&name)?;
            Some((name.to_string(), file.data.into_owned()))
        });
        let mut files: BTreeMap<String, Vec<u8>> = folder.collect();
        files.insert(VERBS_FILE.to_string(), verbs());
        let mut hash = Xxh3::new();
        for (name, bytes) in &files {
            hash.update(name.as_bytes());
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        let fingerprint = format!("{:016x}", hash.digest());
        let home = format!("/assets/{fingerprint}/");
        let files = files.into_iter().map(|(name, bytes)| {
            let bytes = match String::from_utf8(bytes) {
                Ok(text) if name.ends_with(".html") => text.replace(ASSETS_MARK, &home).into_bytes(),
                Ok(text) => text.into_bytes(),
                Err(binary) => binary.into_bytes(),
            };
            let file = File::new(&name, bytes);
            (name, file)
        });
        Bundle { files: files.collect(), fingerprint }
    }

    pub fn page(&self, name: &str) -> Option<&File> {
        self.files.get(name)
    }

    /// What a page loads; pages are none.
    pub fn asset(&self, name: &str) -> Option<&File> {
        self.files.get(name).filter(|_| !name.ends_with(".html"))
    }
}

impl File {
    fn new(name: &str, bytes: Vec<u8>) -> File {
        let end = name.rsplit('.').next().unwrap_or_default();
        let kind = KINDS.iter().find(|(known, _)| *known == end).map_or(UNKNOWN_KIND, |(_, kind)| kind);
        let mut zipper = GzEncoder::new(Vec::new(), Compression::best());
        let zipped = zipper.write_all(&bytes).and_then(|()| zipper.finish()).expect("memory takes what is written");
        File { kind, tag: format!("W/\"{:016x}\"", xxh3_64(&bytes)), plain: bytes.into(), zipped: zipped.into() }
    }
}

fn verbs() -> Vec<u8> {
    let mortal = VERBS.iter().filter(|verb| verb.rank == Rank::Mortal);
    let rows: Vec<VerbRow> =
        mortal.map(|verb| VerbRow { name: &verb.name, usage: &verb.usage, help: &verb.help }).collect();
    serde_json::to_vec(&rows).expect("texts are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one must load before the first line is read, in bytes on the wire.
    const PLAY_BYTES_MAX: usize = 90 * 1024;

    #[test]
    fn the_page_to_play_in_stays_small() {
        let bundle = Bundle::now();
        let sizes = bundle.files.iter().map(|(name, file)| (&name[..], file.zipped.len()));
        let sizes: Vec<(&str, usize)> = sizes.collect();
        let sum: usize = sizes.iter().map(|(_, size)| size).sum();
        assert!(sum <= PLAY_BYTES_MAX, "{sum} bytes are more than {PLAY_BYTES_MAX}: {sizes:?}");
    }

    #[test]
    fn every_file_is_of_a_known_kind() {
        for (name, file) in &Bundle::now().files {
            assert_ne!(file.kind, UNKNOWN_KIND, "{name}: give its ending a row in KINDS");
        }
    }
}
