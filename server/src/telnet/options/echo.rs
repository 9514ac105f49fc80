//! ECHO (RFC 857), by which a password is hidden: we promise to echo what is typed, and do not.
//!
//! Ours only while a password is typed, which `password_mode` of the codec offers; a client that asks for it otherwise
//! would see nothing of what it types.

use crate::telnet::option::{Offer, Opt, OptionRow, deaf, silent};

pub const ROW: OptionRow = OptionRow {
    option: Opt::Echo,
    code: 1,
    ours: false,
    theirs: false,
    offer: Offer::Nothing,
    turned: silent,
    heard: deaf,
};
