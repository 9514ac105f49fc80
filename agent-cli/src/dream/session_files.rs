//! The session files of one agent, read page by page.
//!
//! Invariant: a page ends with a line, and no more than a page and the longest line are in memory, however large a file
//! is.

use crate::session_log::is_log;
use anyhow::Context;
use dreaming::records::{LINE_MAX, Reader};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often it tells how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(2);
/// Bytes that are read at a time.
const PAGE_BYTES: usize = 1 << 20;

pub struct SessionFiles {
    folder: PathBuf,
    /// In order of name, with their lengths: what is written to them later waits for the next dream.
    files: Vec<(PathBuf, u64)>,
}

impl SessionFiles {
    /// The `.jsonl` files of a folder; none where there is no such folder.
    pub fn find(folder: &Path) -> anyhow::Result<SessionFiles> {
        let mut files: Vec<(PathBuf, u64)> = Vec::new();
        match fs::read_dir(folder) {
            Ok(entries) => {
                for entry in entries {
                    let path = entry.with_context(|| format!("reading the folder {}", folder.display()))?.path();
                    if is_log(&path) && path.is_file() {
                        let length = path.metadata().map_or(u64::MAX, |file| file.len());
                        files.push((path, length));
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("reading the folder {}", folder.display())),
        }
        files.sort();
        Ok(SessionFiles { folder: folder.to_path_buf(), files })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives all lines to `reader`. `page` is called after each page; once it says false nothing more is read, and
    /// neither is this true.
    pub fn read(
        &self,
        reader: &mut Reader,
        told: &mut dyn Write,
        mut page: impl FnMut(&mut Reader) -> bool,
    ) -> io::Result<bool> {
        let mut last = Instant::now();
        for (i, (path, length)) in self.files.iter().enumerate() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match File::open(path) {
                Ok(file) => {
                    reader.begin(&name);
                    match pages(file.take(*length), reader, &mut page) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        Err(error) => reader.unreadable(&name, &format!("it could not be read: {error}")),
                    }
                }
                Err(error) => reader.unreadable(&name, &format!("it could not be read: {error}")),
            }
            if last.elapsed() >= PROGRESS_EVERY {
                writeln!(told, "{} of {} files read", i + 1, self.files.len())?;
                last = Instant::now();
            }
        }
        Ok(true)
    }
}

fn pages(mut file: impl Read, reader: &mut Reader, page: &mut impl FnMut(&mut Reader) -> bool) -> io::Result<bool> {
    let mut bytes: Vec<u8> = Vec::with_capacity(2 * PAGE_BYTES);
    loop {
        let read = file.by_ref().take(PAGE_BYTES as u64).read_to_end(&mut bytes)?;
        let lines = match bytes.iter().rposition(|byte| *byte == b'\n') {
            _ if read == 0 => bytes.len(),
            Some(last) => last + 1,
            None => 0,
        };
        reader.lines(&bytes[..lines]);
        bytes.drain(..lines);
        if !page(reader) {
            return Ok(false);
        }
        if read == 0 {
            return Ok(true);
        }
        if bytes.len() > LINE_MAX {
            let mut length = bytes.len() as u64;
            bytes.clear();
            let ended = skip_line(&mut file, &mut length, &mut bytes)?;
            reader.too_long(length);
            if !ended {
                return Ok(page(reader));
            }
        }
    }
}

/// Goes to the end of a line, of which `length` bytes were read; what comes behind it is put into `rest`. False at the
/// end of the file.
fn skip_line(file: &mut impl Read, length: &mut u64, rest: &mut Vec<u8>) -> io::Result<bool> {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(false);
        }
        match piece[..read].iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                *length += end as u64;
                rest.extend_from_slice(&piece[end + 1..read]);
                return Ok(true);
            }
            None => *length += read as u64,
        }
    }
}
