//! Gestures: words that are no verbs of the table but data of the world (`data/world/socials.toml`).
//!
//! A client has no world, so the shipped world's gestures are listed here, sorted; `tests` compares. They are free.

#[rustfmt::skip]
pub const GESTURES: &[&str] = &[
    "accuse", "admire", "agree", "apologise", "applaud", "babble", "bark", "beam", "beckon", "beg", "blame", "blink",
    "blush", "boast", "boggle", "boo", "bounce", "bow", "brood", "burp", "cackle", "chant", "cheer", "choke",
    "chortle", "chuckle", "clap", "comb", "comfort", "cough", "cower", "cringe", "cry", "cuddle", "curtsey", "dance",
    "daydream", "disagree", "drool", "duck", "eyebrow", "faint", "fan", "fidget", "flex", "flinch", "flirt", "flop",
    "frown", "fume", "gape", "gasp", "giggle", "glare", "gloat", "greet", "grimace", "grin", "groan", "grovel",
    "growl", "grumble", "gulp", "hiccup", "highfive", "hiss", "hop", "howl", "hug", "hum", "jig", "juggle", "kiss",
    "kneel", "knock", "laugh", "lean", "lick", "loom", "love", "massage", "moan", "mourn", "mumble", "muse",
    "mutter", "nibble", "nod", "nudge", "nuzzle", "pace", "pat", "peer", "pet", "pinch", "point", "poke", "ponder",
    "pounce", "pout", "pray", "preen", "puff", "purr", "rant", "roar", "ruffle", "salute", "scoff", "scold", "scowl",
    "scratch", "scream", "shake", "shiver", "shrug", "shudder", "shush", "sigh", "sing", "slap", "smile", "smirk",
    "snap", "snarl", "sneer", "sneeze", "snicker", "sniff", "snore", "snort", "snuggle", "sob", "spit", "squeeze",
    "squint", "squirm", "stare", "stomp", "stretch", "strut", "sulk", "sway", "swoon", "tap", "tease", "thank",
    "tickle", "toast", "tremble", "tsk", "twiddle", "twirl", "twitch", "wave", "weep", "whimper", "whine", "whistle",
    "wince", "wink", "worship", "yawn", "yodel",
];

/// Whether a word is a gesture; an abbreviation is none, as it could be a slip.
pub fn is_gesture(word: &str) -> bool {
    GESTURES.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(GESTURES.is_sorted());
        assert!(is_gesture("Smile") && !is_gesture("smi") && !is_gesture("kill"));
    }
}
