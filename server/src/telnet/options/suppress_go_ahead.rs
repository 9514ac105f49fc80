//! SUPPRESS GO-AHEAD (RFC 858): without it, GA marks the end of a prompt where the client refused EOR.
//!
//! Never offered: it puts the `telnet` of Debian into character mode, where Enter shows ^M and backspace ^?.

use crate::telnet::option::{Offer, Opt, OptionRow, deaf, silent};

pub const ROW: OptionRow = OptionRow {
    option: Opt::SuppressGoAhead,
    code: 3,
    ours: true,
    theirs: true,
    offer: Offer::Nothing,
    turned: silent,
    heard: deaf,
};
