//! MSSP: what lists of games are told of this one, each name with its values. What there is to tell is the lobby's.

use crate::telnet::event::TelnetEvent;
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk, deaf, subnegotiation};

pub const ROW: OptionRow =
    OptionRow { option: Opt::Listing, code: 70, ours: true, theirs: false, offer: Offer::Promise, turned, heard: deaf };

const NAME: u8 = 1;
const VALUE: u8 = 2;

fn turned(talk: &mut Talk<'_>, _: Side) {
    if talk.ours {
        talk.tell(TelnetEvent::ListingAsked);
    }
}

/// Appends the whole listing. A byte that would mean something else in it is left out.
pub fn append<'l>(rows: impl IntoIterator<Item = (&'l str, &'l str)>, out: &mut Vec<u8>) {
    let mut payload = Vec::new();
    for (name, value) in rows {
        payload.push(NAME);
        payload.extend(name.bytes().filter(|byte| !matches!(byte, 0..=2)));
        payload.push(VALUE);
        payload.extend(value.bytes().filter(|byte| !matches!(byte, 0..=2)));
    }
    subnegotiation(ROW.code, &[&payload], out);
}
