//! What one program leaves the next, and how the next one finds it.
//!
//! A document (JSON in memory that only this process has) says what each descriptor is and what is known of each
//! person. The next program knows from a variable in its environment that its standard input is the inheritance; the
//! process number in it keeps its children from believing the same, and the number beside it says that the two belong
//! together.
//! Invariant: no password is ever in it, whole or in part.

use super::{Deposit, StreamLeft};
use crate::accounts::Login;
use crate::telnet::Negotiated;
use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{IpAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use world::commands::{Stripped, strip_secret};

/// Of the document. A program that writes another one cannot take over; the preflight says so.
pub const FORMAT: u32 = 1;
/// Names the process and the handover that it is to take up.
pub const VARIABLE: &str = "DP_HANDOVER";

/// Its value for this process.
pub fn variable(nonce: &str) -> String {
    format!("{}:{nonce}", std::process::id())
}

/// What a descriptor is.
#[derive(Debug, Serialize, Deserialize)]
pub enum Use {
    /// What standard input was before.
    Stdin,
    /// The lock on the state folder.
    Lock,
    /// By its name in `server.json`. (The document has called it so since its first format.)
    #[serde(rename = "Door")]
    Listener(String),
    Person(Box<Person>),
}

/// Somebody who came by telnet.
#[derive(Debug, Serialize, Deserialize)]
pub struct Person {
    pub address: IpAddr,
    pub telnet: Negotiated,
    /// Of the client's window.
    pub columns: Option<u16>,
    /// `None`: still on the way in, and must say its name again.
    pub playing: Option<Playing>,
    /// Read, and not done yet.
    pub lines: Vec<String>,
    /// The last thing written was a prompt.
    pub at_prompt: bool,
    /// What was being typed held a password and was dropped.
    pub half_lost: bool,
    /// What its client wants to be told beside the text (GMCP), where it takes that.
    #[serde(default)]
    pub packages: Option<Vec<String>>,
    /// The variables that it has reported (MSDP), where it takes some.
    #[serde(default)]
    pub reported: Option<Vec<String>>,
}

impl Person {
    /// Whether it is in the game as the character of this name.
    pub fn plays(&self, name: &str) -> bool {
        self.playing.as_ref().is_some_and(|playing| playing.login.name.eq_ignore_ascii_case(name))
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Playing {
    pub login: Login,
    /// Row of the session record, which goes on.
    pub record: Option<i64>,
}

/// On its way to the next program.
pub struct Handover {
    pub nonce: String,
    descriptors: Vec<(OwnedFd, Use)>,
    streams: Vec<StreamLeft>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: u32,
    nonce: String,
    /// In the order of the descriptors.
    uses: Vec<Use>,
    /// (What older programs write as `streams` knows less of each: those begin anew.)
    #[serde(rename = "apart", default)]
    streams: Vec<StreamLeft>,
}

impl Handover {
    /// With a number of its own.
    pub fn new() -> anyhow::Result<Handover> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).context("the operating system gave no random numbers")?;
        Ok(Handover { nonce: hex::encode(bytes), descriptors: Vec::new(), streams: Vec::new() })
    }

    pub fn add(&mut self, descriptor: OwnedFd, what: Use) {
        self.descriptors.push((descriptor, what));
    }

    /// Everybody who was deposited. Call it when all have been, and when whatever was posted to the engine has been
    /// applied or given back.
    pub fn add_people(&mut self, deposits: Vec<Deposit>) {
        for Deposit { stream, mut person, outbox } in deposits {
            let mut lines = outbox.take_unheard();
            lines.append(&mut person.lines);
            if person.playing.is_some() {
                person.lines = lines.into_iter().map(without_secret).collect();
            }
            self.add(stream.into(), Use::Person(Box::new(person)));
        }
    }

    /// What programs and pages go on with.
    pub fn add_streams(&mut self, streams: Vec<StreamLeft>) {
        self.streams = streams;
    }

    /// Puts everything into the queue of a socket: the document first, then what it describes.
    #[cfg(target_os = "linux")]
    pub fn pack(self) -> anyhow::Result<OwnedFd> {
        use std::io::{Seek, Write};
        use std::os::fd::AsFd;
        let stdin = std::io::stdin().as_fd().try_clone_to_owned().context("keeping standard input")?;
        let mut descriptors = vec![stdin];
        let mut uses = vec![Use::Stdin];
        for (descriptor, what) in self.descriptors {
            descriptors.push(descriptor);
            uses.push(what);
        }
        let document = Document { format: FORMAT, nonce: self.nonce, uses, streams: self.streams };
        let memory = rustix::fs::memfd_create("dp-server handover", rustix::fs::MemfdFlags::CLOEXEC)
            .context("memory for the document")?;
        let mut file = std::fs::File::from(memory);
        file.write_all(&serde_json::to_vec(&document)?).context("writing the document")?;
        file.rewind().context("rewinding the document")?;
        let all: Vec<_> = std::iter::once(file.as_fd()).chain(descriptors.iter().map(AsFd::as_fd)).collect();
        super::descriptors::queue(&all)
    }
}

/// A line whose arguments are secret keeps its verb alone: the next program answers with how to use it.
fn without_secret(line: String) -> String {
    match strip_secret(&line) {
        Stripped { line: sent, secret: Some(_) } => sent.to_string(),
        Stripped { secret: None, .. } => line,
    }
}

/// What the program before left. Whoever is still in it when it is dropped is told that nothing comes of it.
#[derive(Default)]
pub struct Inherited {
    pub lock: Option<std::fs::File>,
    listeners: BTreeMap<String, TcpListener>,
    pub people: Vec<(TcpStream, Person)>,
    pub streams: Vec<StreamLeft>,
}

impl Inherited {
    /// Takes up what was handed over to this process. `None`: it was started in the ordinary way.
    #[cfg(target_os = "linux")]
    pub fn take() -> anyhow::Result<Option<Inherited>> {
        use std::io::Read;
        let Ok(value) = std::env::var(VARIABLE) else { return Ok(None) };
        let Some(nonce) = value.strip_prefix(&format!("{}:", std::process::id())) else { return Ok(None) };
        let mut descriptors = super::descriptors::unqueue(std::io::stdin())?.into_iter();
        let document = descriptors.next().context("nothing was handed over")?;
        let mut text = String::new();
        std::fs::File::from(document).read_to_string(&mut text).context("reading the document")?;
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } = serde_json::from_str(&text).context("the document has no format")?;
        ensure!(format == FORMAT, "what was handed over has format {format}, and this program reads {FORMAT}");
        let document: Document = serde_json::from_str(&text).context("reading the document")?;
        ensure!(document.nonce == nonce, "what was handed over is meant for another program");
        ensure!(
            descriptors.len() == document.uses.len(),
            "{} descriptors were handed over, and {} described",
            descriptors.len(),
            document.uses.len()
        );
        let mut inherited = Inherited::default();
        inherited.streams = document.streams;
        for (descriptor, what) in descriptors.zip(document.uses) {
            match what {
                Use::Stdin => rustix::stdio::dup2_stdin(&descriptor).context("restoring standard input")?,
                Use::Lock => inherited.lock = Some(descriptor.into()),
                Use::Listener(name) => {
                    inherited.listeners.insert(name, descriptor.into());
                }
                Use::Person(person) => inherited.people.push((descriptor.into(), *person)),
            }
        }
        if inherited.lock.is_none() {
            bail!("the lock on the state folder was not handed over");
        }
        Ok(Some(inherited))
    }

    #[cfg(not(target_os = "linux"))]
    pub fn take() -> anyhow::Result<Option<Inherited>> {
        Ok(None)
    }

    /// A listener that is open already, until it is taken.
    pub fn listener(&mut self, name: &str) -> Option<TcpListener> {
        self.listeners.remove(name)
    }
}

impl Drop for Inherited {
    fn drop(&mut self) {
        for (stream, _) in &self.people {
            say_goodbye(stream);
        }
    }
}

/// To somebody with whom neither this program nor the next goes on.
pub fn say_goodbye(mut stream: &TcpStream) {
    use std::io::Write;
    let text = b"\r\nThe world is going to sleep. Everything you have is safe. Come back soon.\r\n";
    // The socket does not block; a reader that is behind goes without.
    let _best_effort = stream.write_all(text);
}
