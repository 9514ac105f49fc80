//! Pace: how many words somebody may say in a channel, and when.
//!
//! An account of words is filled by wpm/30 a tick (a tick is two seconds) up to `FULL`, and pays for what is said.
//! While it is not negative, `ALWAYS` words may be said, as a debt. So in m minutes nobody says more than
//! `FULL + ALWAYS + wpm·m` words. Counted in thirtieths of a word, so that all is whole numbers.
//! Source: the word budget of the HUD document, which starts from zero after every message; here "yes" costs one word.

use serde::{Deserialize, Serialize};

/// Words of a full account, and of one who joins.
pub const FULL: u32 = 200;
/// Words that may be said while the account is not negative.
pub const ALWAYS: u32 = 10;
/// Words a minute where nobody set them, and the bounds for who does.
pub const WPM: u32 = 80;
pub const WPM_RANGE: std::ops::RangeInclusive<u32> = 10..=200;
/// Thirtieths of a word in a word.
const PARTS: i32 = 30;
/// So many characters without a blank count as one word.
const WORD_CHARS: usize = 12;

/// How fast an account fills, in thirtieths of a word a tick: until a tick at one rate, then at another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    pub slow: u32,
    /// The tick from which it is `full` again; at most the present where nothing slows it.
    pub until: u64,
    pub full: u32,
}

impl Rate {
    pub const fn steady(wpm: u32) -> Rate {
        Rate { slow: wpm, until: 0, full: wpm }
    }

    /// What comes in from one tick to another.
    fn filled(self, from: u64, to: u64) -> u64 {
        let slow = to.min(self.until).saturating_sub(from);
        let full = to.saturating_sub(from.max(self.until));
        slow * u64::from(self.slow) + full * u64::from(self.full)
    }
}

/// Words that somebody has to spend in a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Account {
    /// In thirtieths, at `tick`; negative is a debt.
    parts: i32,
    tick: u64,
}

impl Account {
    pub const fn full(tick: u64) -> Account {
        Account { parts: FULL as i32 * PARTS, tick }
    }

    /// Thirtieths of a word, and the tick at which it is so many.
    pub const fn parts(self) -> (i32, u64) {
        (self.parts, self.tick)
    }

    /// An account that held so many thirtieths of a word at a tick.
    pub fn of(parts: i32, tick: u64) -> Account {
        Account { parts: parts.min(FULL as i32 * PARTS), tick }
    }

    /// The same account, reckoned up to now: before the rate changes, and before it is drawn upon.
    pub fn at(self, now: u64, rate: Rate) -> Account {
        let filled = rate.filled(self.tick, now).min(u64::from(FULL) * PARTS as u64 * 2) as i32;
        Account { parts: (self.parts + filled).min(FULL as i32 * PARTS), tick: now.max(self.tick) }
    }

    /// Whether so many words can be said with what there is.
    pub const fn affords(self, words: u32) -> bool {
        self.parts >= words as i32 * PARTS || (self.parts >= 0 && words <= ALWAYS)
    }

    pub const fn pay(self, words: u32) -> Account {
        Account { parts: self.parts - words as i32 * PARTS, tick: self.tick }
    }

    /// Words that may be said: 10 to 200, 0 in debt.
    pub const fn budget(self) -> u32 {
        if self.parts < 0 {
            return 0;
        }
        let words = (self.parts / PARTS) as u32;
        if words < ALWAYS { ALWAYS } else { words }
    }

    /// Ticks from now until so many words can be said; 0 now. Nobody waits for more than a full account.
    pub fn ticks_until(self, words: u32, now: u64, rate: Rate) -> u64 {
        let there = self.at(now, rate);
        if there.affords(words) {
            return 0;
        }
        let wanted = if words <= ALWAYS { 0 } else { words.min(FULL) as i32 * PARTS };
        let missing = (wanted - there.parts).max(0) as u64;
        let slow_ticks = rate.until.saturating_sub(now);
        let by_slow = slow_ticks * u64::from(rate.slow);
        if by_slow >= missing {
            return missing.div_ceil(u64::from(rate.slow.max(1)));
        }
        slow_ticks + (missing - by_slow).div_ceil(u64::from(rate.full.max(1)))
    }
}

/// Words of a text, as accounts count them: what stands between blanks, and once more for each further 12 characters.
pub fn words(text: &str) -> u32 {
    text.split_whitespace().map(|word| word.chars().count().div_ceil(WORD_CHARS) as u32).sum()
}

/// A text in pieces of at most `FULL` words each: at the ends of sentences where it can be, else between words, else
/// within one.
pub fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut size) = (String::new(), 0);
    let mut put = |part: &str, pieces: &mut Vec<String>| {
        let cost = words(part);
        if size + cost > FULL && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            size = 0;
        }
        if !piece.is_empty() {
            piece.push(' ');
        }
        piece.push_str(part);
        size += cost;
    };
    for sentence in sentences(text) {
        if words(sentence) <= FULL {
            put(sentence, &mut pieces);
            continue;
        }
        for word in sentence.split_whitespace() {
            let mut rest = word;
            while let Some((at, _)) = rest.char_indices().nth(FULL as usize * WORD_CHARS) {
                put(&rest[..at], &mut pieces);
                rest = &rest[at..];
            }
            put(rest, &mut pieces);
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// The sentences of a text, without the blanks between them.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut from = 0;
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if ended && c.is_whitespace() {
            sentences.push(text[from..at].trim());
            from = at;
        }
        ended =
            matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？') || (ended && matches!(c, '"' | '\'' | ')' | '”'));
    }
    sentences.push(text[from..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_word_counts_as_several() {
        for (text, count) in [("", 0), ("yes", 1), ("a b  c", 3), ("123456789012", 1), ("1234567890123", 2)] {
            assert_eq!(words(text), count, "{text:?}");
        }
        assert_eq!(words(&"x".repeat(120)), 10);
    }

    #[test]
    fn an_account_fills_by_the_minute_and_ten_words_are_always_there() {
        let rate = Rate::steady(80);
        let spent = Account::full(0).pay(200);
        assert_eq!(spent.budget(), ALWAYS);
        assert!(spent.affords(10) && !spent.affords(11));
        let debt = spent.pay(10);
        assert_eq!(debt.budget(), 0);
        assert!(!debt.affords(1));
        // 80 words in 30 ticks.
        assert_eq!(debt.at(30, rate).budget(), 70);
        assert_eq!(debt.ticks_until(1, 0, rate), 4);
        assert!(debt.at(4, rate).affords(1) && !debt.at(3, rate).affords(1));
        assert_eq!(debt.at(1_000_000, rate).budget(), FULL);
    }

    #[test]
    fn a_text_is_cut_at_sentences() {
        let text =
            format!("{}. {}. {}.", "one ".repeat(120).trim(), "two ".repeat(70).trim(), "three ".repeat(50).trim());
        let pieces = pieces(&text);
        assert_eq!(pieces.len(), 2);
        assert!(pieces[0].ends_with("two.") && pieces[1].starts_with("three"), "{pieces:?}");
        assert_eq!(super::pieces("Short."), ["Short."]);
        assert_eq!(super::pieces("  "), [""; 0]);
    }

    proptest! {
        #[test]
        fn nobody_says_more_than_the_law_allows(
            wpm in 10u32..=200,
            tries in proptest::collection::vec((0u64..40, 1u32..=200), 1..200),
        ) {
            let rate = Rate::steady(wpm);
            let (mut account, mut now, mut said) = (Account::full(0), 0, 0);
            for (later, words) in tries {
                now += later;
                account = account.at(now, rate);
                if account.affords(words) {
                    account = account.pay(words);
                    said += words;
                }
                let minutes = now as f64 / 30.0;
                prop_assert!(f64::from(said) <= f64::from(FULL + ALWAYS) + f64::from(wpm) * minutes);
            }
        }

        #[test]
        fn words_can_be_said_when_it_was_promised_and_not_before(
            wpm in 10u32..=200, slow in 1u32..=100, until in 0u64..200, spent in 0u32..=210, words in 1u32..=200,
        ) {
            let rate = Rate { slow: slow.min(wpm), until, full: wpm };
            let account = Account::full(0).pay(spent);
            let ticks = account.ticks_until(words, 0, rate);
            prop_assert!(account.at(ticks, rate).affords(words));
            prop_assert!(ticks == 0 || !account.at(ticks - 1, rate).affords(words));
        }

        #[test]
        fn pieces_have_all_words_and_none_is_too_long(text in "[a-z .!?]{0,3000}") {
            let pieces = pieces(&text);
            prop_assert!(pieces.iter().all(|piece| words(piece) <= FULL && !piece.is_empty()));
            let all: Vec<&str> = pieces.iter().flat_map(|piece| piece.split_whitespace()).collect();
            let whole: Vec<&str> = text.split_whitespace().collect();
            prop_assert_eq!(all.concat(), whole.concat());
        }
    }
}
