//! MXP: words of the text that can be clicked. Which those are is the world's affair, and how they stand in a line that
//! of `encode::color`; how a link is spelled is told here.
//!
//! All text is in the mode "locked", in which a client shows what it gets as it is: `<`, `>` and `&` are signs like any
//! other there, and need no escaping (an entity would be shown letter by letter). Only a tag of ours has the mode
//! "secure", for itself alone. Texts have no ESC in them, so that nobody's words can open that mode.
//! Invariant: attributes hold verbs, ways and ids, never words that somebody wrote.

use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk, deaf};
use world::hyperlink::Hyperlink;

pub const ROW: OptionRow =
    OptionRow { option: Opt::Mxp, code: 91, ours: true, theirs: false, offer: Offer::Promise, turned, heard: deaf };

/// Whatever follows is text, until another mode is set.
const LOCKED: &[u8] = b"\x1b[7z";
/// One tag follows.
pub const TAG: &str = "\x1b[4z";
pub const CLOSE: &str = "\x1b[4z</SEND>";

fn turned(talk: &mut Talk<'_>, _: Side) {
    // It begins with an empty subnegotiation, behind which the client reads modes and tags.
    let begins = talk.ours && talk.send(&[]);
    if begins {
        talk.reply.extend_from_slice(LOCKED);
    }
    talk.client.mxp = begins;
    talk.learned();
}

/// Opens a link: a click does the first of its commands, a menu shows all. False where a name cannot stand in an
/// attribute, and nothing was appended.
pub fn open(link: &Hyperlink, out: &mut String) -> bool {
    let commands = link.commands();
    if !commands.iter().all(|command| command.chars().all(is_of_an_id)) {
        return false;
    }
    out.push_str(TAG);
    out.push_str("<SEND HREF=\"");
    out.push_str(&commands.join("|"));
    if let verbs @ [_, _, ..] = link.offer().verbs {
        // The first of the list is what shows under a pointer.
        out.push_str("\" HINT=\"Right-click for more|");
        out.push_str(&verbs.join("|"));
    }
    out.push_str("\">");
    true
}

fn is_of_an_id(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use content::words::Direction;
    use world::hyperlink::Use;

    #[test]
    fn a_link_is_spelled_by_verbs_and_ids() {
        for (link, expected) in [
            (
                Hyperlink::Way { way: Direction::North, closed: false },
                "\x1b[4z<SEND HREF=\"north|look north\" HINT=\"Right-click for more|go|look\">",
            ),
            (
                Hyperlink::Player("Bob".into(), Use::Player),
                "\x1b[4z<SEND HREF=\"look player_bob|follow player_bob|consider player_bob\" \
                 HINT=\"Right-click for more|look|follow|consider\">",
            ),
        ] {
            let mut text = String::new();
            assert!(open(&link, &mut text));
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn no_sign_of_a_tag_gets_into_an_attribute() {
        for name in ["Bob\"", "Bob>", "Bob<b", "Bob&lt;", "Bob|quit", "Bob\x1b[4z"] {
            let mut text = String::new();
            assert!(!open(&Hyperlink::Player(name.into(), Use::Player), &mut text), "{name:?}");
            assert_eq!(text, "");
        }
    }
}
