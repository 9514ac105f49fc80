//! MCCP2: from the end of its subnegotiation on, all that we send is one zlib stream, until the option goes off.
//!
//! Only the shell knows which byte is the last before that, so it says the subnegotiation (`Codec::compress`), and not
//! before somebody plays: a stream takes much memory, which is not for everybody who calls. MCCP3, the other direction,
//! is not offered: clients compress before we could agree.

use crate::telnet::event::TelnetEvent;
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk, deaf};

pub const ROW: OptionRow = OptionRow {
    option: Opt::Compression,
    code: 86,
    ours: true,
    theirs: false,
    offer: Offer::Promise,
    turned,
    heard: deaf,
};

fn turned(talk: &mut Talk<'_>, _: Side) {
    talk.tell(TelnetEvent::Compression { on: talk.ours });
}
