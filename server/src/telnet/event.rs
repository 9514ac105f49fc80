//! What a telnet connection tells the shell: lines, and that something is known of the client.

use std::net::IpAddr;

/// What the shell learns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TelnetEvent {
    /// A complete line without its end, edits applied, without control characters; what was not UTF-8 is U+FFFD.
    Line(String),
    /// A line passed the limit; all of it is lost. Said at once, not at its end.
    LineTooLong,
    /// The client has told something of itself, perhaps what was not known before: `Codec::client`.
    Client,
    /// The client says whose connection this is. For the shell to believe or not.
    CallerAddress(IpAddr),
    /// The client wants what lists of games are told (`Codec::listing`).
    ListingAsked,
    /// What is sent may be compressed from now on, or may not any more.
    Compression { on: bool },
    /// The client takes messages beside the text from now on (GMCP), or no more.
    Messages { on: bool },
    /// One from the client: its name, and what should be JSON.
    Message { name: Box<str>, data: String },
    /// The client takes variables beside the text from now on (MSDP), or no more.
    Variables { on: bool },
    /// What it wants of them: a command and what that names.
    AboutVariables { command: Box<str>, words: Vec<Box<str>> },
    /// The shell answers visibly.
    AreYouThere,
    /// The first line is that of a web browser. The shell answers with a hint and closes; all further input is ignored.
    HttpRequest,
}
