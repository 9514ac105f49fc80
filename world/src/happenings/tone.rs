//! The sound of words: kind, insulting, threatening or neither, by whole words.
//!
//! Whole words only: `this` holds no greeting and `skilled` no death. It is a rough ear, on purpose the same for all:
//! no model, no chance, and a person can read why a line was taken as it was.

use protocol::happening::Tone;

const KIND: &[&str] = &[
    "thank",
    "thanks",
    "thankyou",
    "please",
    "friend",
    "friends",
    "ally",
    "allies",
    "welcome",
    "bless",
    "blessings",
    "kind",
    "brave",
    "bravo",
    "congratulations",
    "grats",
    "cheers",
    "sorry",
    "nice",
    "wonderful",
    "excellent",
    "glad",
    "honour",
    "honor",
    "love",
    "hello",
    "greetings",
];

const INSULT: &[&str] = &[
    "stupid",
    "idiot",
    "idiots",
    "fool",
    "fools",
    "moron",
    "coward",
    "cowards",
    "scum",
    "traitor",
    "liar",
    "thief",
    "pathetic",
    "useless",
    "worthless",
    "ugly",
    "filth",
    "dumb",
    "loser",
    "weakling",
    "bastard",
    "hate",
    "curse",
    "disgusting",
    "wretch",
];

/// Words that threaten by themselves beside `you`, `your` or a name: `I will kill you`.
const THREAT: &[&str] = &[
    "kill",
    "slay",
    "murder",
    "destroy",
    "crush",
    "die",
    "dead",
    "slaughter",
    "gut",
    "hunt",
    "rob",
    "burn",
    "bury",
    "regret",
    "suffer",
];

/// What makes a word of `THREAT` a threat: it is said to somebody, of what is to come.
const ADDRESSED: &[&str] = &["you", "your", "ye", "thee", "u", "yours"];

/// Words before another that turn it round: `not stupid`, `never kill you`.
const TURNED: &[&str] = &["not", "no", "never", "nor", "without", "dont", "wont", "isnt", "arent", "cannot", "cant"];

/// For each letter, the lengths of the words of `KIND`, `INSULT` and `THREAT` that begin with it, as bits.
const LENGTHS: [u32; 26] = {
    let mut lengths = [0; 26];
    let lists = [KIND, INSULT, THREAT];
    let mut list = 0;
    while list < lists.len() {
        let mut word = 0;
        while word < lists[list].len() {
            let bytes = lists[list][word].as_bytes();
            lengths[(bytes[0] - b'a') as usize] |= 1 << bytes.len();
            word += 1;
        }
        list += 1;
    }
    lengths
};

/// Whether a line can be anything but neutral, without looking a word up: every line that anybody says is asked this.
/// Never false for one that is.
fn may_sound(text: &str) -> bool {
    let (mut first, mut length) = (0_usize, 0_u32);
    // One more byte ends the last word.
    for byte in text.bytes().chain([b' ']) {
        match byte.to_ascii_lowercase() {
            letter @ b'a'..=b'z' => {
                if length == 0 {
                    first = usize::from(letter - b'a');
                }
                length += 1;
            }
            // Other letters may be ours in small.
            128.. => return true,
            b'\'' => {}
            // No word of ours has a digit in it, nor begins behind one.
            b'0'..=b'9' => length += 32,
            _ => {
                if length < 32 && length > 0 && LENGTHS[first] & (1 << length) != 0 {
                    return true;
                }
                length = 0;
            }
        }
    }
    false
}

/// What a line sounds like. A threat outweighs an insult, an insult outweighs kind words unless there are more of
/// these.
pub fn of(text: &str) -> Tone {
    if !may_sound(text) {
        return Tone::Neutral;
    }
    let lower = text.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let addressed = words.iter().any(|word| ADDRESSED.contains(word));
    let (mut kind, mut insult, mut threat) = (0usize, 0usize, 0usize);
    for (i, word) in words.iter().enumerate() {
        let turned = words[i.saturating_sub(2)..i].iter().any(|before| TURNED.contains(before));
        if turned {
            continue;
        }
        kind += usize::from(KIND.contains(word));
        insult += usize::from(INSULT.contains(word));
        threat += usize::from(addressed && THREAT.contains(word));
    }
    if threat > 0 && kind <= threat {
        Tone::Threat
    } else if insult > kind {
        Tone::Insult
    } else if kind > insult {
        Tone::Kind
    } else {
        Tone::Neutral
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_that_sounds_is_passed_over_unheard() {
        for word in KIND.iter().chain(INSULT).chain(THREAT) {
            let (first, rest) = word.split_at(1);
            for line in [
                word.to_string(),
                word.to_uppercase(),
                format!("the,{word}!"),
                format!("7 {first}'{rest}"),
                format!("{word} é"),
            ] {
                assert!(may_sound(&line), "{line}");
            }
        }
        for line in ["The moor is quiet.", "", "1kind", "go north, then west", "Which way is it?"] {
            assert!(!may_sound(line) && of(line) == Tone::Neutral, "{line}");
        }
    }

    #[test]
    fn lines_sound_as_they_are_meant() {
        let cases = [
            ("Thank you, friend!", Tone::Kind),
            ("hello there", Tone::Kind),
            ("You stupid goblin.", Tone::Insult),
            ("I will kill you", Tone::Threat),
            ("your friend will die", Tone::Threat),
            ("We should kill the dragon", Tone::Neutral),
            ("I will never kill you", Tone::Neutral),
            ("You are not stupid", Tone::Neutral),
            ("This is skilled work", Tone::Neutral),
            ("Please help me, you are a good friend, or I die", Tone::Kind),
            ("", Tone::Neutral),
            ("Don't hate me", Tone::Neutral),
        ];
        for (line, tone) in cases {
            assert_eq!(of(line), tone, "{line}");
        }
    }
}
