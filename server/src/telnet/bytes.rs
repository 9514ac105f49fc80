//! The bytes of telnet: commands with a meaning (RFC 854, 885), and the end of a line.

pub const EOR: u8 = 239;
pub const SE: u8 = 240;
pub const NOP: u8 = 241;
pub const AYT: u8 = 246;
pub const EC: u8 = 247;
pub const EL: u8 = 248;
pub const GA: u8 = 249;
pub const SB: u8 = 250;
pub const WILL: u8 = 251;
pub const WONT: u8 = 252;
pub const DO: u8 = 253;
pub const DONT: u8 = 254;
pub const IAC: u8 = 255;

/// Of every line that goes out.
pub const LINE_END: &[u8] = b"\r\n";
