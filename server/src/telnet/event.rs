//! What a telnet connection tells the shell: lines, and facts about the client.

/// What the shell learns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TelnetEvent {
    /// A complete line without its end, edits applied, without control characters; what was not UTF-8 is U+FFFD.
    Line(String),
    /// A line passed the limit; all of it is lost. Said at once, not at its end.
    LineTooLong,
    /// Of the client's window; `None` is unknown. Columns 20..=500, rows 5..=500.
    WindowSize { columns: Option<u16>, rows: Option<u16> },
    /// Up to four: first the client's name, then terminals. Printable ASCII, at most 64 bytes.
    TerminalType(String),
    /// The bits of the Mud Terminal Type Standard: 1 ANSI, 4 UTF-8, 8 256 colours, 64 screen reader, 256 truecolor, …
    Mtts(u32),
    /// Whether the client agreed to UTF-8. Without this event: not known, and UTF-8 is sent.
    Charset { utf8: bool },
    /// The shell answers visibly.
    AreYouThere,
    /// The first line is that of a web browser. The shell answers with a hint and closes; all further input is ignored.
    HttpRequest,
}
