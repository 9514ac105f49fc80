//! The bytes of telnet: commands with a meaning (RFC 854, 885), and text as it goes out.

pub const EOR: u8 = 239;
pub const SE: u8 = 240;
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

/// Appends text as telnet carries it: `\n` becomes CR LF, a `\r` in the text is dropped so that none stands alone.
/// IAC needs no doubling here: the byte 255 is never part of UTF-8.
pub fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 16);
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.extend_from_slice(b"\r\n");
        }
        match line.contains('\r') {
            false => out.extend_from_slice(line.as_bytes()),
            true => out.extend(line.bytes().filter(|byte| *byte != b'\r')),
        }
    }
}
