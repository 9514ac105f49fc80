//! The options of telnet that we know: a row each, which is a file each. All others are refused.
//!
//! To add one: its name in `Opt` (`telnet/option.rs`; behind the last, `OPTION_COUNT` too), a file here with its
//! `ROW`, and that row in the table, in the order of `Opt`. What it learns of the client is in `Capabilities`; what it
//! wants of the shell is a `TelnetEvent`.

mod charset;
mod compression;
mod echo;
mod end_of_record;
pub mod gmcp;
pub mod listing;
pub mod msdp;
pub mod mxp;
mod new_environ;
mod suppress_go_ahead;
mod terminal_type;
mod window_size;

use super::option::{OPTION_COUNT, Opt, OptionRow};

/// In the order in which the greeting offers those that it offers.
pub const OPTIONS: [OptionRow; OPTION_COUNT] = [
    echo::ROW,
    suppress_go_ahead::ROW,
    terminal_type::ROW,
    end_of_record::ROW,
    window_size::ROW,
    new_environ::ROW,
    charset::ROW,
    listing::ROW,
    compression::ROW,
    gmcp::ROW,
    msdp::ROW,
    mxp::ROW,
];

pub fn option_of(code: u8) -> Option<Opt> {
    OPTIONS.iter().find(|row| row.code == code).map(|row| row.option)
}

pub fn row(option: Opt) -> &'static OptionRow {
    &OPTIONS[option as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_stands_at_its_place_with_a_code_of_its_own() {
        for (at, row) in OPTIONS.iter().enumerate() {
            assert_eq!(row.option as usize, at, "{:?}", row.option);
            assert_eq!(option_of(row.code), Some(row.option));
        }
    }
}
