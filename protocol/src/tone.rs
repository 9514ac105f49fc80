//! The sound of words: kind, insulting, threatening or neither, by whole words.
//!
//! Whole words only: `this` holds no greeting and `skilled` no death. It is a rough ear, on purpose the same for all:
//! no model, no chance, and a person can read why a line was taken as it was.

use crate::happening::Tone;

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

/// What a line sounds like. A threat outweighs an insult, an insult outweighs kind words unless there are more of
/// these.
pub fn of(text: &str) -> Tone {
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
