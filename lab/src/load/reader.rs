//! What a session makes of the bytes that come: whether its command is answered, and what is counted on the way.
//!
//! An agent's answer is the `event` that its command causes: its own speech by the word in it, everything else by its
//! kind. A person's answer is a block of text up to the prompt that does not begin on a new line: the server puts a
//! line break before what comes unasked.

use super::bench::{Tally, add};
use super::mix::SPOKEN;
use super::wire::{self, Opcode};
use anyhow::bail;
use std::collections::VecDeque;
use std::rc::Rc;

/// The end of each prompt that a person is given here.
pub const PROMPT_END: &[u8] = b"~> ";

/// What is made of the bytes that come.
pub struct Reader {
    agent: bool,
    echo: bool,
    /// Bytes of an unfinished frame or block.
    pub left: Vec<u8>,
    seq: u64,
    pub tally: Rc<Tally>,
    /// What would be an answer now.
    pub awaited: Option<Awaited>,
    pub answered: bool,
    pub refused: bool,
    pub fighting: bool,
    pub pongs: VecDeque<Vec<u8>>,
    /// Frames of this kind end the waiting during the login.
    pub wanted: &'static [u8],
    pub arrived: bool,
}

#[derive(Clone, Debug)]
pub enum Awaited {
    /// An answer to a question, or a refusal.
    Text,
    /// One's own words.
    Word(Vec<u8>),
    /// Anything.
    Any,
}

impl Reader {
    pub fn new(agent: bool, echo: bool, tally: Rc<Tally>) -> Reader {
        Reader {
            agent,
            echo,
            left: Vec::new(),
            seq: 0,
            tally,
            awaited: None,
            answered: false,
            refused: false,
            fighting: false,
            pongs: VecDeque::new(),
            wanted: b"",
            arrived: false,
        }
    }

    pub fn take(&mut self, fresh: &[u8]) -> anyhow::Result<()> {
        if self.left.is_empty() {
            let used = self.consume(fresh)?;
            self.left.extend_from_slice(&fresh[used..]);
        } else {
            let mut bytes = std::mem::take(&mut self.left);
            bytes.extend_from_slice(fresh);
            let used = self.consume(&bytes)?;
            bytes.drain(..used);
            if bytes.is_empty() && bytes.capacity() > 4096 {
                bytes = Vec::new();
            }
            self.left = bytes;
        }
        Ok(())
    }

    fn consume(&mut self, bytes: &[u8]) -> anyhow::Result<usize> {
        let mut used = 0;
        if self.agent {
            while let Some((opcode, payload, length)) = wire::next_frame(&bytes[used..])? {
                used += length;
                match opcode {
                    Opcode::Text => self.frame(payload),
                    Opcode::Ping => self.pongs.push_back(payload.to_vec()),
                    Opcode::Pong => {}
                    Opcode::Close => bail!("closed: {}", String::from_utf8_lossy(payload.get(2..).unwrap_or_default())),
                }
            }
        } else {
            while let Some(at) = wire::find(&bytes[used..], PROMPT_END) {
                let block = &bytes[used..used + at];
                used += at + PROMPT_END.len();
                self.block(block);
            }
        }
        Ok(used)
    }

    fn frame(&mut self, payload: &[u8]) {
        if self.echo {
            self.answered = true;
            return;
        }
        let Some(message) = wire::message(payload) else {
            add(&self.tally.errors, 1);
            return;
        };
        if let Some(seq) = message.seq {
            if seq != self.seq + 1 {
                add(&self.tally.gaps, 1);
            }
            self.seq = seq;
        }
        if message.kind == self.wanted {
            self.arrived = true;
        }
        match message.kind {
            b"event" => {
                let spoken = wire::count(message.data, SPOKEN.as_bytes());
                add(&self.tally.heard, spoken);
                let is_answer = match &self.awaited {
                    None => false,
                    Some(Awaited::Any) => true,
                    Some(Awaited::Text) => message.data.starts_with(b"{\"type\":\"text\""),
                    // Or why it could not be said.
                    Some(Awaited::Word(word)) => {
                        message.data.starts_with(b"{\"type\":\"text\"") || wire::find(message.data, word).is_some()
                    }
                };
                if is_answer {
                    let text =
                        wire::find(message.data, b"\"text\":\"").map_or(message.data, |at| &message.data[at + 8..]);
                    self.answer(text);
                }
            }
            b"vars" => {
                if wire::find(message.data, b"\"FIGHTING\":true").is_some() {
                    self.fighting = true;
                } else if wire::find(message.data, b"\"FIGHTING\":false").is_some() {
                    self.fighting = false;
                }
            }
            b"error" => add(&self.tally.errors, 1),
            _ => {}
        }
    }

    /// A person's text between two prompts.
    fn block(&mut self, block: &[u8]) {
        self.arrived = true;
        if self.echo {
            self.answered = true;
            return;
        }
        let spoken = wire::count(block, SPOKEN.as_bytes());
        add(&self.tally.heard, spoken);
        let is_answer = match &self.awaited {
            None => false,
            Some(Awaited::Any) => true,
            Some(Awaited::Text) => !block.starts_with(b"\r\n"),
            Some(Awaited::Word(word)) => !block.starts_with(b"\r\n") || wire::find(block, word).is_some(),
        };
        if is_answer {
            self.answer(block);
        }
    }

    fn answer(&mut self, text: &[u8]) {
        self.answered = true;
        if matches!(self.awaited, Some(Awaited::Word(_))) && wire::find(text, SPOKEN.as_bytes()).is_none() {
            *self.tally.unsaid.borrow_mut() = Some(String::from_utf8_lossy(text).into_owned());
        }
        self.refused =
            text.starts_with(b"You cannot go") || text.starts_with(b"Your legs") || text.starts_with(b"Not ");
    }
}
