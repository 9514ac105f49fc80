//! CHARSET (RFC 2066): the character set of what is said, in both directions. Either end may begin; we offer.

use crate::telnet::capabilities::{Charset, CharsetAnswer};
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk};

pub const ROW: OptionRow =
    OptionRow { option: Opt::Charset, code: 42, ours: true, theirs: true, offer: Offer::Promise, turned, heard };

const REQUEST: u8 = 1;
const ACCEPTED: u8 = 2;
const REJECTED: u8 = 3;

fn turned(talk: &mut Talk<'_>, side: Side) {
    if side == Side::Ours && talk.ours && !talk.memory.charset_asked {
        talk.memory.charset_asked = talk.send(&[&[REQUEST], b";UTF-8;ISO-8859-1;US-ASCII"]);
    }
}

fn heard(talk: &mut Talk<'_>, payload: &[u8]) {
    match payload {
        [ACCEPTED, name @ ..] if talk.memory.charset_asked => {
            talk.memory.charset_asked = false;
            talk.client.charset_answer = Charset::named(name).map_or(CharsetAnswer::Refused, CharsetAnswer::Agreed);
        }
        [REJECTED, ..] if talk.memory.charset_asked => {
            talk.memory.charset_asked = false;
            talk.client.charset_answer = CharsetAnswer::Refused;
        }
        [REQUEST, list @ ..] if talk.theirs => {
            let list = list.strip_prefix(b"[TTABLE]").map_or(list, |rest| rest.get(1..).unwrap_or_default());
            let names = list.split_first().map(|(by, list)| list.split(move |b| b == by)).into_iter().flatten();
            let best = names.filter_map(Charset::named).min_by_key(|charset| *charset as usize);
            // When both ends ask at once, the server's question stands (RFC 2066).
            let Some(charset) = best.filter(|_| !talk.memory.charset_asked) else {
                talk.send(&[&[REJECTED]]);
                return;
            };
            if !talk.send(&[&[ACCEPTED], charset.name().as_bytes()]) {
                return;
            }
            talk.client.charset_answer = CharsetAnswer::Agreed(charset);
        }
        _ => return,
    }
    talk.learned();
}
