//! Byte pair encoding: of the tokens that two neighbours would make together the one with the lowest rank is made
//! first, the leftmost of equals, until no two make one.

use super::vocabulary::rank;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No token: two parts that make none, and a part that is gone.
const NONE: u32 = u32::MAX;

/// A part of a piece, by the place where it begins.
#[derive(Clone, Copy)]
struct Part {
    before: u32,
    /// Where it ends and the next one begins.
    end: u32,
    /// Of the token that it makes with the next one.
    joined: u32,
}

/// Calls `token` with the tokens of a piece, in order. A single byte is always a token, so any bytes have some.
pub fn tokens(piece: &[u8], token: &mut impl FnMut(u32)) {
    let length = piece.len() as u32;
    let bytes = |from: u32, to: u32| &piece[from as usize..to as usize];
    let pair = |at: u32| if at + 2 <= length { rank(bytes(at, at + 2)).unwrap_or(NONE) } else { NONE };
    let mut parts: Vec<Part> =
        (0..length).map(|at| Part { before: at.wrapping_sub(1), end: at + 1, joined: pair(at) }).collect();
    // By rank, then place. What is in it may be out of date; then the part says something else.
    let mut next: BinaryHeap<Reverse<(u32, u32)>> = (0..length)
        .map(|at| (parts[at as usize].joined, at))
        .filter(|(joined, _)| *joined != NONE)
        .map(Reverse)
        .collect();
    while let Some(Reverse((joined, at))) = next.pop() {
        if parts[at as usize].joined != joined {
            continue;
        }
        let second = parts[at as usize].end;
        let end = parts[second as usize].end;
        parts[second as usize].joined = NONE;
        parts[at as usize].end = end;
        if end < length {
            parts[end as usize].before = at;
        }
        // What it makes with its neighbours is another token now.
        for first in [parts[at as usize].before, at] {
            let Some(part) = parts.get(first as usize).copied() else { continue };
            let joined = match parts.get(part.end as usize) {
                Some(second) => rank(bytes(first, second.end)).unwrap_or(NONE),
                None => NONE,
            };
            parts[first as usize].joined = joined;
            if joined != NONE {
                next.push(Reverse((joined, first)));
            }
        }
    }
    let mut at = 0;
    while at < length {
        let end = parts[at as usize].end;
        token(rank(bytes(at, end)).expect("each part is a token"));
        at = end;
    }
}
