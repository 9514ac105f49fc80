//! The PROXY protocol, version 2: what a trusted proxy says before all else of the connection that it passes on.
//! Source: HAProxy's specification `proxy-protocol.txt`, section 2.2.
//!
//! `parse` is pure; `read` waits for the header on a fresh connection. Version 1 (a line of text) is not read.
//! Invariants: not a byte behind the header is taken; a header that names no address of a caller is an error, but for
//! `LOCAL`, by which a proxy looks after the server itself.

use super::is_somebodys;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};

pub const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
/// Signature, version and command, family, length.
const FIXED_BYTES: usize = 16;
/// Addresses and what a proxy adds to them (TLVs); more is no header of anybody's.
const VARIABLE_BYTES_MAX: usize = 2 * 1024;
/// From the connection to the end of the header. A proxy sends it at once.
const LONGEST: Duration = Duration::from_secs(3);

/// What is wrong with a header. For the log, and for whoever reads it at the other end.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    #[error("a PROXY header was expected from this address and did not come")]
    Missing,
    #[error("the PROXY header ends in its middle")]
    Incomplete,
    #[error("this is no header of the PROXY protocol, version 2")]
    NotProxy,
    #[error("version or command {0:#04x} of the PROXY header is unknown; version 2 is read")]
    Version(u8),
    #[error("the PROXY header names no IP address (family {0:#04x})")]
    NoAddress(u8),
    #[error("the PROXY header names {0}, which is nobody's address")]
    BadAddress(IpAddr),
    #[error("the PROXY header is {0} bytes long; at most {VARIABLE_BYTES_MAX} are read")]
    TooLong(usize),
}

/// Whose connection it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Caller(IpAddr),
    /// The proxy's own.
    Proxy,
}

/// Whether what begins so may be a header, when nobody asked for one. Few enough bytes may be anything.
pub fn looks_like_header(beginning: &[u8]) -> bool {
    let length = beginning.len().min(SIGNATURE.len());
    length >= 5 && beginning[..length] == SIGNATURE[..length]
}

/// The length of what follows the fixed part.
fn length_of(fixed: &[u8; FIXED_BYTES]) -> Result<usize, ProxyError> {
    if !fixed.starts_with(SIGNATURE) {
        return Err(ProxyError::NotProxy);
    }
    match usize::from(u16::from_be_bytes([fixed[14], fixed[15]])) {
        length if length <= VARIABLE_BYTES_MAX => Ok(length),
        length => Err(ProxyError::TooLong(length)),
    }
}

/// Reads a whole header.
fn parse(fixed: &[u8; FIXED_BYTES], variable: &[u8]) -> Result<Source, ProxyError> {
    const LOCAL: u8 = 0x20;
    const PROXY: u8 = 0x21;
    let (version_command, family) = (fixed[12], fixed[13]);
    match version_command {
        LOCAL => return Ok(Source::Proxy),
        PROXY => {}
        other => return Err(ProxyError::Version(other)),
    }
    // The high half is the family of addresses, the low one TCP or UDP.
    let address: IpAddr = match (family >> 4, family & 0x0f) {
        (1, 1) => {
            let bytes: [u8; 4] = variable.get(..4).and_then(|b| b.try_into().ok()).ok_or(ProxyError::Incomplete)?;
            variable.get(..12).ok_or(ProxyError::Incomplete)?;
            Ipv4Addr::from(bytes).into()
        }
        (2, 1) => {
            let bytes: [u8; 16] = variable.get(..16).and_then(|b| b.try_into().ok()).ok_or(ProxyError::Incomplete)?;
            variable.get(..36).ok_or(ProxyError::Incomplete)?;
            Ipv6Addr::from(bytes).into()
        }
        _ => return Err(ProxyError::NoAddress(family)),
    };
    let address = address.to_canonical();
    match is_somebodys(address) {
        true => Ok(Source::Caller(address)),
        false => Err(ProxyError::BadAddress(address)),
    }
}

/// Waits for the header on a connection from a trusted proxy.
pub async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Result<Source, ProxyError> {
    let mut fixed = [0; FIXED_BYTES];
    let mut filled = 0;
    let reading = async {
        while filled < FIXED_BYTES {
            match stream.read(&mut fixed[filled..]).await {
                Ok(count @ 1..) => filled += count,
                _ if filled == 0 => return Err(ProxyError::Missing),
                _ => return Err(ProxyError::Incomplete),
            }
            // Not a byte more of what is no header.
            let known = filled.min(SIGNATURE.len());
            if fixed[..known] != SIGNATURE[..known] {
                return Err(ProxyError::NotProxy);
            }
        }
        let mut variable = vec![0; length_of(&fixed)?];
        stream.read_exact(&mut variable).await.map_err(|_| ProxyError::Incomplete)?;
        parse(&fixed, &variable)
    };
    match tokio::time::timeout(LONGEST, reading).await {
        Ok(read) => read,
        Err(_) if filled == 0 => Err(ProxyError::Missing),
        Err(_) => Err(ProxyError::Incomplete),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(version_command: u8, family: u8, variable: &[u8]) -> Vec<u8> {
        let length = (variable.len() as u16).to_be_bytes();
        [SIGNATURE.as_slice(), &[version_command, family], &length, variable].concat()
    }

    fn v4(address: [u8; 4]) -> Vec<u8> {
        [address.as_slice(), &[127, 0, 0, 1], &[0x30, 0x39, 0x10, 0xff]].concat()
    }

    async fn read_from(bytes: &[u8]) -> (Result<Source, ProxyError>, usize) {
        let mut rest = bytes;
        let read = read(&mut rest).await;
        (read, rest.len())
    }

    #[tokio::test]
    async fn a_header_names_the_caller_and_what_follows_stays() {
        let mut v6 = vec![0; 36];
        v6[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
        v6[15] = 7;
        let with_more = [v4([192, 0, 2, 7]), vec![0x04, 0, 1, 9]].concat();
        for (bytes, expected) in [
            (header(0x21, 0x11, &v4([192, 0, 2, 7])), Source::Caller("192.0.2.7".parse().expect("an address"))),
            (header(0x21, 0x11, &with_more), Source::Caller("192.0.2.7".parse().expect("an address"))),
            (header(0x21, 0x21, &v6), Source::Caller("2001:db8::7".parse().expect("an address"))),
            (header(0x20, 0x00, &[]), Source::Proxy),
        ] {
            let (read, left) = read_from(&[bytes.as_slice(), b"look\r\n"].concat()).await;
            assert_eq!(read.expect("it is a header"), expected);
            assert_eq!(left, 6, "not a byte more is taken");
        }
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_header_is_said() {
        let whole = header(0x21, 0x11, &v4([192, 0, 2, 7]));
        for (bytes, words) in [
            (whole[..20].to_vec(), "ends in its middle"),
            (whole[..7].to_vec(), "ends in its middle"),
            (Vec::new(), "did not come"),
            (b"PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n".to_vec(), "no header"),
            (b"Bren\r\n".to_vec(), "no header"),
            (header(0x11, 0x11, &v4([192, 0, 2, 7])), "version 2 is read"),
            (header(0x21, 0x00, &[]), "names no IP address"),
            (header(0x21, 0x31, &[0; 216]), "names no IP address"),
            (header(0x21, 0x11, &[192, 0, 2, 7]), "ends in its middle"),
            (header(0x21, 0x11, &v4([0, 0, 0, 0])), "nobody's address"),
            (header(0x21, 0x11, &v4([224, 0, 0, 1])), "nobody's address"),
            (header(0x21, 0x11, &v4([255, 255, 255, 255])), "nobody's address"),
            (header(0x21, 0x11, &vec![0; 3_000]), "at most 2048"),
        ] {
            let error = read_from(&bytes).await.0.expect_err("it is no good").to_string();
            assert!(error.contains(words), "{error:?} lacks {words:?}");
        }
    }

    #[test]
    fn a_header_is_known_by_its_beginning() {
        assert!(looks_like_header(SIGNATURE) && looks_like_header(&SIGNATURE[..5]));
        for other in [b"\r\n\r\n".as_slice(), b"\r\n\r\nBren\r\n", b"GET / HTTP/1.1", b"", b"\r\n\r\n\0\r\nQUITE"] {
            assert!(!looks_like_header(other), "{other:?}");
        }
    }
}
