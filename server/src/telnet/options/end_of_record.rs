//! END OF RECORD (RFC 885): EOR marks the end of a prompt, for clients that make something of it.

use crate::telnet::option::{Offer, Opt, OptionRow, deaf, silent};

pub const ROW: OptionRow = OptionRow {
    option: Opt::EndOfRecord,
    code: 25,
    ours: true,
    theirs: false,
    offer: Offer::Promise,
    turned: silent,
    heard: deaf,
};
