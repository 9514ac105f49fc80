//! Words as they are spoken, and who hears them.

use crate::arena::CharacterId;

/// Who hears it.
#[derive(Clone, Copy, Debug)]
pub enum Hearers<'h> {
    /// Everybody in the speaker's room who is awake.
    Room,
    /// One, near enough to be seen.
    Near(CharacterId),
    /// One, anywhere in the world.
    Far(CharacterId),
    /// These, who know the speaker by the voice; without the speaker.
    Listeners(&'h [CharacterId]),
    /// Members of the speaker's group, who know each other wherever they are; without the speaker.
    Group(&'h [CharacterId]),
}

/// Words that are spoken.
#[derive(Clone, Copy, Debug)]
pub struct Speech<'a> {
    /// As `protocol::talk::Heard::channel`.
    pub channel: &'a str,
    pub words: &'a str,
    /// Its number, where it is a message of a channel.
    pub message: Option<u64>,
}
