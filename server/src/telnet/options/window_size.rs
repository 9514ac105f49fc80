//! NAWS (RFC 1073): the size of the client's window, told at once and whenever it changes. 0 is unknown.

use crate::telnet::option::{Offer, Opt, OptionRow, Talk, silent};
use std::ops::RangeInclusive;

pub const ROW: OptionRow = OptionRow {
    option: Opt::WindowSize,
    code: 31,
    ours: false,
    theirs: true,
    offer: Offer::Ask,
    turned: silent,
    heard,
};

const COLUMNS: RangeInclusive<u16> = 20..=500;
const ROWS: RangeInclusive<u16> = 5..=500;

fn heard(talk: &mut Talk<'_>, payload: &[u8]) {
    let &[w_high, w_low, h_high, h_low] = payload else { return };
    if !talk.theirs {
        return;
    }
    talk.client.columns = known(w_high, w_low, COLUMNS);
    talk.client.rows = known(h_high, h_low, ROWS);
    talk.learned();
}

fn known(high: u8, low: u8, range: RangeInclusive<u16>) -> Option<u16> {
    match u16::from_be_bytes([high, low]) {
        0 => None,
        size => Some(size.clamp(*range.start(), *range.end())),
    }
}
