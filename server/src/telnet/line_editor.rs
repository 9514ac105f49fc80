//! The line that is being typed: edits applied, ended by any of the ways in which clients end lines.
//!
//! Invariant: what comes out has no control characters, is UTF-8, and is no longer than allowed; of a longer line
//! nothing comes out.

use super::event::TelnetEvent;
use protocol::names::clean_text;
use std::borrow::Cow;

#[derive(Clone, Debug, Default)]
pub(super) struct LineEditor {
    /// The line so far, edits applied; at most `bytes_max`.
    pub(super) line: Vec<u8>,
    pub(super) bytes_max: usize,
    /// The byte that ended the last line, if nothing came since: its partner belongs to it.
    pub(super) ended_by: Option<u8>,
    /// The rest of a line that was too long is swallowed.
    pub(super) swallowing: bool,
    pub(super) past_first_line: bool,
    /// Each byte is a character (ISO-8859-1); otherwise it is UTF-8.
    pub(super) single_bytes: bool,
}

impl LineEditor {
    /// Bytes of a line: no C0, no DEL. Says so at once where the line becomes too long.
    pub(super) fn text(&mut self, bytes: &[u8]) -> Option<TelnetEvent> {
        if bytes.is_empty() {
            return None;
        }
        self.ended_by = None;
        if self.swallowing {
            return None;
        }
        if self.line.len() + bytes.len() > self.bytes_max {
            self.swallowing = true;
            self.line = Vec::new();
            return Some(TelnetEvent::LineTooLong);
        }
        self.line.extend_from_slice(bytes);
        None
    }

    /// A control byte: one of those that end a line or edit it, or one that means nothing.
    pub(super) fn control(&mut self, byte: u8) -> Option<TelnetEvent> {
        let partner = self.ended_by.take();
        match (partner, byte) {
            // The second half of CR LF, CR NUL or LF CR.
            (Some(b'\r'), b'\n' | 0) | (Some(b'\n'), b'\r') => None,
            (_, b'\r' | b'\n') => {
                self.ended_by = Some(byte);
                self.end()
            }
            (_, 0x08 | 0x7f) => {
                self.erase();
                None
            }
            // A tab parts words, so it counts as a space.
            (_, b'\t') => self.text(b" "),
            _ => None,
        }
    }

    fn end(&mut self) -> Option<TelnetEvent> {
        let is_first = !std::mem::replace(&mut self.past_first_line, true);
        if std::mem::take(&mut self.swallowing) {
            return None;
        }
        let line = match String::from_utf8(std::mem::take(&mut self.line)) {
            Ok(line) if !self.single_bytes || line.is_ascii() => line,
            Ok(line) => line.bytes().map(char::from).collect(),
            Err(error) if self.single_bytes => error.as_bytes().iter().copied().map(char::from).collect(),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        if is_first && is_http_request(&line) {
            return Some(TelnetEvent::HttpRequest);
        }
        // What C1 and the invisible characters could do, they do not get to; C0 never came this far.
        let line = match clean_text(&line) {
            Cow::Borrowed(_) => line,
            Cow::Owned(clean) => clean,
        };
        Some(TelnetEvent::Line(line))
    }

    /// Takes back one character as it would be shown: a whole UTF-8 sequence, even one cut short, or one stray byte.
    pub(super) fn erase(&mut self) {
        let line = &mut self.line;
        if self.single_bytes {
            line.pop();
            return;
        }
        let tail = line.iter().rev().take(3).take_while(|&&b| b & 0xc0 == 0x80).count();
        let lead = line.len().checked_sub(tail + 1).map(|at| line[at]);
        let expected = match lead {
            Some(0xc2..=0xdf) => 1,
            Some(0xe0..=0xef) => 2,
            Some(0xf0..=0xf4) => 3,
            _ => 0,
        };
        // A tail longer than its lead wants has a stray byte at the end: that one goes.
        let whole = if (1..=expected).contains(&tail) { tail + 1 } else { 1 };
        line.truncate(line.len().saturating_sub(whole));
    }

    /// Takes back the whole line.
    pub(super) fn clear(&mut self) {
        self.line.clear();
    }

    /// Drops the line, with the rest of it that is still to come. False where none is.
    pub(super) fn drop_half(&mut self) -> bool {
        if self.line.is_empty() {
            return false;
        }
        self.line = Vec::new();
        self.swallowing = true;
        true
    }
}

/// `GET / HTTP/1.1`: three words, the last of them a version of HTTP.
fn is_http_request(line: &str) -> bool {
    let mut words = line.split(' ');
    let method = words.next().is_some_and(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase()));
    method && words.next().is_some() && words.next().is_some_and(|v| v.starts_with("HTTP/")) && words.next().is_none()
}
