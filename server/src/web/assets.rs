//! The files that browsers load, plain and deflated: those of `web/`, and the verbs, for completion and so that a page
//! knows which lines have a secret.
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
use world::commands::verb::NAMES;
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

/// What `web/verbs.js` reads.
#[derive(Serialize)]
struct VerbsFile<'a> {
    /// Those of mortals.
    verbs: Vec<VerbRow<'a>>,
    /// Of all verbs, in the order in which a typed word finds them.
    names: Vec<NameRow>,
}

/// What completion tells of a verb.
#[derive(Serialize)]
struct VerbRow<'a> {
    name: &'a str,
    usage: &'a str,
    help: &'a str,
}

/// What `world::commands::strip_secret` asks of a name of a verb; the page parts lines in the same way.
#[derive(Serialize)]
struct NameRow {
    name: &'static str,
    #[serde(skip_serializing_if = "is_none")]
    least: usize,
    #[serde(skip_serializing_if = "is_false")]
    whole: bool,
    #[serde(skip_serializing_if = "is_false")]
    words: bool,
    #[serde(skip_serializing_if = "is_false")]
    secret: bool,
    #[serde(skip_serializing_if = "is_false")]
    runs: bool,
    #[serde(skip_serializing_if = "is_false")]
    alias: bool,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
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
        // What stands beside the files of others (`VENDOR.toml`, licences) is for people.
        let loaded = Folder::iter().filter(|name| !name.ends_with(".toml") && !name.ends_with(".LICENSE"));
        let folder = loaded.filter_map(|name| {
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
    let verbs = mortal.map(|verb| VerbRow { name: &verb.name, usage: &verb.usage, help: &verb.help }).collect();
    let names = NAMES.iter().map(|name| NameRow {
        name: name.name,
        least: name.typed_min,
        whole: name.full_word,
        words: name.verb.takes_words(),
        secret: name.verb.traits.secret,
        runs: name.verb.traits.runs_commands,
        alias: name.verb.name == "alias",
    });
    serde_json::to_vec(&VerbsFile { verbs, names: names.collect() }).expect("texts are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest;

    /// What one must load before the first line is read, in bytes on the wire.
    const PLAY_BYTES_MAX: usize = 90 * 1024;
    /// The same of the page to look on.
    const WATCH_BYTES_MAX: usize = 150 * 1024;
    /// Of the operator's pages, besides what others load too.
    const ADMIN_BYTES_MAX: usize = 30 * 1024;

    #[test]
    fn the_page_to_play_in_stays_small() {
        let bundle = Bundle::now();
        let is_watched = |name: &str| name.starts_with("vendor/") || name.starts_with("watch");
        let sizes = bundle.files.iter().map(|(name, file)| (&name[..], file.zipped.len()));
        let (admin, sizes): (Vec<_>, Vec<_>) = sizes.partition(|(name, _)| name.starts_with("admin"));
        let sizes = sizes.into_iter();
        let (watch, play): (Vec<_>, Vec<_>) = sizes.partition(|(name, _)| is_watched(name));
        let sum = |sizes: &[(&str, usize)]| sizes.iter().map(|(_, size)| size).sum::<usize>();
        assert!(sum(&admin) <= ADMIN_BYTES_MAX, "{} bytes are more than {ADMIN_BYTES_MAX}: {admin:?}", sum(&admin));
        assert!(sum(&play) <= PLAY_BYTES_MAX, "{} bytes are more than {PLAY_BYTES_MAX}: {play:?}", sum(&play));
        // The page to look on loads some of the others, too.
        let all = sum(&play) + sum(&watch);
        assert!(all <= WATCH_BYTES_MAX, "{all} bytes are more than {WATCH_BYTES_MAX}: {watch:?}");
    }

    #[test]
    fn what_others_wrote_is_what_it_says_that_it_is() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/vendor");
        let table = std::fs::read_to_string(folder.join("VENDOR.toml")).expect("the table is there");
        let table: toml::Table = table.parse().expect("TOML");
        let mut told: Vec<String> = vec!["VENDOR.toml".to_string()];
        for row in table["file"].as_array().expect("rows") {
            let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{row} lacks {key}")).to_string();
            assert!(["name", "version", "licence", "source"].iter().all(|key| !text(key).is_empty()));
            let bytes =
                std::fs::read(folder.join(text("file"))).unwrap_or_else(|_| panic!("{} is there", text("file")));
            assert_eq!(hex::encode(sha2::Sha256::digest(&bytes)), text("sha256"), "{}", text("file"));
            told.push(text("file"));
        }
        told.sort();
        let files = std::fs::read_dir(folder).expect("the folder is there");
        let mut files: Vec<String> =
            files.map(|file| file.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        files.sort();
        assert_eq!(files, told, "each file of others has its row");
    }

    #[test]
    fn the_page_is_told_what_keeps_a_secret() {
        let file: serde_json::Value = serde_json::from_slice(&verbs()).expect("it is JSON");
        let names = file["names"].as_array().expect("a list");
        let row = |name: &str| names.iter().find(|row| row["name"] == name).expect("its row");
        let told = |name: &str, flag: &str| row(name)[flag] == true;
        for (name, flag) in [("password", "secret"), ("password", "whole"), ("alias", "alias"), ("say", "words")] {
            assert!(told(name, flag) && !told("look", flag), "{name} {flag}");
        }
        assert!(["at", "force", "order"].iter().all(|name| told(name, "runs")) && !told("look", "runs"));
        assert!(row("north")["least"] == 1 && row("order").get("least").is_none(), "{} {}", row("north"), row("order"));
        assert!(file["verbs"].as_array().is_some_and(|verbs| verbs.len() < names.len()), "completion is for mortals");
    }

    #[test]
    fn every_file_is_of_a_known_kind() {
        for (name, file) in &Bundle::now().files {
            assert_ne!(file.kind, UNKNOWN_KIND, "{name}: give its ending a row in KINDS");
        }
    }
}
