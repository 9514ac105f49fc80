//! Text in a character set that has not all letters: what it lacks becomes what reads best in its place.
//!
//! Invariant: what is made is in the set, and has no line break or escape that was not in the text.

use super::bytes::IAC;
use super::capabilities::Charset;

/// Letters and signs, and what stands for each of them where there is no better. Letters of one row have one stand-in.
const STAND_INS: &[(&str, &str)] = &[
    ("‐‑‒–—―−─━┄┅═╌╍", "-"),
    ("│┃║┆┇╎╏", "|"),
    ("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╭╮╰╯", "+"),
    ("‘’‚‛′´", "'"),
    ("“”„‟″", "\""),
    ("«‹", "<"),
    ("»›", ">"),
    ("…", "..."),
    ("•·●◦", "*"),
    ("×", "x"),
    ("÷", "/"),
    ("→⇒", "->"),
    ("←⇐", "<-"),
    ("↑", "^"),
    ("↓", "v"),
    ("\u{a0}\u{2002}\u{2003}\u{2009}\u{202f}", " "),
    ("\u{ad}\u{200b}\u{200c}\u{200d}\u{2060}\u{fe0f}\u{feff}", ""),
    ("¡", "!"),
    ("¿", "?"),
    ("§", "S"),
    ("©", "(c)"),
    ("®", "(r)"),
    ("™", "(tm)"),
    ("°", " deg"),
    ("±", "+-"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("½", "1/2"),
    ("¼", "1/4"),
    ("¾", "3/4"),
    ("ÀÁÂÃÄÅĀĂĄǍ", "A"),
    ("àáâãäåāăąǎª", "a"),
    ("ÆǼ", "AE"),
    ("æǽ", "ae"),
    ("ÇĆĈĊČ", "C"),
    ("çćĉċč", "c"),
    ("ÐĎĐ", "D"),
    ("ðďđ", "d"),
    ("ÈÉÊËĒĔĖĘĚ", "E"),
    ("èéêëēĕėęě", "e"),
    ("ĜĞĠĢ", "G"),
    ("ĝğġģ", "g"),
    ("ĤĦ", "H"),
    ("ĥħ", "h"),
    ("ÌÍÎÏĨĪĬĮİǏ", "I"),
    ("ìíîïĩīĭįıǐ", "i"),
    ("Ĵ", "J"),
    ("ĵ", "j"),
    ("Ķ", "K"),
    ("ķĸ", "k"),
    ("ĹĻĽĿŁ", "L"),
    ("ĺļľŀł", "l"),
    ("ÑŃŅŇŊ", "N"),
    ("ñńņňŉŋ", "n"),
    ("ÒÓÔÕÖØŌŎŐǑ", "O"),
    ("òóôõöøōŏőǒº", "o"),
    ("Œ", "OE"),
    ("œ", "oe"),
    ("ŔŖŘ", "R"),
    ("ŕŗř", "r"),
    ("ŚŜŞŠȘ", "S"),
    ("śŝşšșſ", "s"),
    ("ß", "ss"),
    ("ŢŤŦȚ", "T"),
    ("ţťŧț", "t"),
    ("Þ", "Th"),
    ("þ", "th"),
    ("ÙÚÛÜŨŪŬŮŰŲǓ", "U"),
    ("ùúûüũūŭůűųǔµ", "u"),
    ("Ŵ", "W"),
    ("ŵ", "w"),
    ("ÝŶŸ", "Y"),
    ("ýÿŷ", "y"),
    ("ŹŻŽ", "Z"),
    ("źżž", "z"),
];

/// For what has no stand-in: another script, a picture.
const UNKNOWN: &str = "?";

/// Appends text in that set, IAC doubled.
pub fn append(text: &str, charset: Charset, out: &mut Vec<u8>) {
    for letter in text.chars() {
        match (charset, letter) {
            (_, '\0'..='\x7f') => out.push(letter as u8),
            (Charset::Utf8, letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            (Charset::Latin1, '\u{a0}'..='\u{fe}') => out.push(letter as u32 as u8),
            (Charset::Latin1, '\u{ff}') => out.extend_from_slice(&[IAC, IAC]),
            (Charset::Latin1 | Charset::Ascii, letter) => out.extend_from_slice(stand_in(letter).as_bytes()),
        }
    }
}

fn stand_in(letter: char) -> &'static str {
    // What is put over a letter that has no form of its own with it.
    if ('\u{300}'..='\u{36f}').contains(&letter) {
        return "";
    }
    STAND_INS.iter().find(|(letters, _)| letters.contains(letter)).map_or(UNKNOWN, |(_, plain)| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, charset: Charset) -> Vec<u8> {
        let mut out = Vec::new();
        append(text, charset, &mut out);
        out
    }

    #[test]
    fn what_a_set_lacks_is_written_otherwise() {
        let text = "“Naïve” café — Łódź…  ÿ 日本 e\u{301}";
        assert_eq!(made(text, Charset::Utf8), text.as_bytes());
        assert_eq!(made(text, Charset::Ascii), b"\"Naive\" cafe - Lodz...  y ?? e");
        assert_eq!(made(text, Charset::Latin1), b"\"Na\xefve\" caf\xe9 - L\xf3dz...  \xff\xff ?? e");
    }

    #[test]
    fn each_letter_has_one_stand_in_and_that_is_plain() {
        let mut seen = std::collections::BTreeSet::new();
        for (letters, plain) in STAND_INS {
            assert!(plain.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{plain:?}");
            for letter in letters.chars() {
                assert!(!letter.is_ascii() && seen.insert(letter), "{letter:?}");
            }
        }
    }

    #[test]
    fn no_letter_becomes_a_control_byte() {
        for letter in ('\u{80}'..='\u{2fff}').chain('🀀'..='🫿') {
            for charset in [Charset::Ascii, Charset::Latin1] {
                let bytes = made(&letter.to_string(), charset);
                assert!(bytes.iter().all(|b| (0x20..0x7f).contains(b) || *b >= 0xa0), "{letter:?} {charset:?}");
            }
        }
    }
}
