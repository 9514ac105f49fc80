//! Whether texts have room in every prompt that they can come to stand in: what the parts that they make up take, in
//! tokens, and what is too much.
//!
//! Invariant: of texts without problems the budget of every tier holds P0, and a P1 with something of the agent in it.

use super::rules::{CACHED_FROM, rules};
use super::{AnswerForm, Autopilot, Tier, Words};
use crate::action::{ChannelActions, Offer, of_channels};
use crate::hud::identity::Nature;
use crate::hud::{Kind, SelfView};
use crate::texts::{FILES, Place, TextProblem, Texts};
use crate::tokens;

/// Of the room of P1, the most that our own texts take: the rest is for the character and its memories. Where there are
/// channels, P1 has room for what is told of them beside it; their texts are held to the same, without the tables.
const NATURE_PERCENT: usize = 60;

/// The most tokens of a text that stands alone in P2 or P4.
const LINE_TOKENS: usize = 60;

/// The same of one that is asked beside prompts.
const BESIDE_TOKENS: usize = 500;

/// Tiers with rules of their own: an unlimited prompt has those of a large one.
const TIERS: [Tier; 3] = [Tier::Small, Tier::Medium, Tier::Large];

/// What a part takes at least and at most, whatever the agent, and what it may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Room {
    /// `P0`, `P1`.
    pub part: &'static str,
    pub tier: Tier,
    /// Of P0: it is another one for each.
    pub answer: Option<AnswerForm>,
    pub least: usize,
    pub most: usize,
    pub cap: usize,
}

impl Room {
    /// No provider caches so short a beginning.
    pub fn is_uncached(&self) -> bool {
        self.part == Place::Rules.name() && self.least < CACHED_FROM
    }
}

/// About the words that the shipped world has; those of another one may be more or fewer.
fn usual_words() -> Words {
    let names = |names: &str| names.split(' ').map(Into::into).collect();
    Words {
        socials: names("bow laugh nod shrug smile thank wave wink"),
        channels: names("shout holler gossip auction grats newbie"),
    }
}

/// Tokens of each file, in the order of `FILES`.
pub fn tokens_by_file(texts: &Texts) -> Vec<usize> {
    FILES.iter().map(|file| tokens::count(texts.raw(file.text))).collect()
}

/// What P0, and our own words in P1, take in each tier.
pub fn rooms(texts: &Texts) -> Vec<Room> {
    let words = usual_words();
    let mut rooms = Vec::new();
    let mut room = |part: Place, tier, answer, cap, tokens: &mut dyn Iterator<Item = usize>| {
        let tokens: Vec<usize> = tokens.collect();
        let (least, most) = (tokens.iter().min().copied().unwrap_or(0), tokens.iter().max().copied().unwrap_or(0));
        rooms.push(Room { part: part.name(), tier, answer, least, most, cap });
    };
    for tier in TIERS {
        for answer in AnswerForm::ALL {
            let of = |autopilot| tokens::count(&rules(texts, tier, answer, autopilot, &words));
            let mut all = Autopilot::ALL.into_iter().map(of);
            room(Place::Rules, tier, Some(answer), tier.caps().rules, &mut all);
        }
    }
    for tier in TIERS {
        let of = |(kind, mind, more)| {
            let self_ =
                SelfView { kind, has_record: more, may_create_agents: more, channels: more, ..SelfView::default() };
            let nature = Nature { texts, extent: tier.extent(), mind };
            let ChannelActions { free, of_agents } =
                of_channels(&Offer { channels: more, has_record: more, makes_agents: more, ..Offer::default() });
            let told = tokens::count(&nature.text(&self_, None)) + tokens::count(&nature.channel_actions(&self_));
            told.saturating_sub(tokens::count(&free) + tokens::count(&of_agents))
        };
        let kinds = [Kind::Persona, Kind::Bot].into_iter();
        let natures =
            kinds.flat_map(|kind| [(true, false), (true, true), (false, true)].map(|(mind, more)| (kind, mind, more)));
        room(Place::Self_, tier, None, tier.caps().self_ * NATURE_PERCENT / 100, &mut natures.map(of));
    }
    rooms
}

/// Texts that are too long, each with what may be done.
pub fn problems(texts: &Texts) -> Vec<TextProblem> {
    let problem = |file: String, what| TextProblem { file, line: 0, what };
    let mut problems = Vec::new();
    for Room { part, tier, answer, most, cap, .. } in rooms(texts) {
        let name = tier.name();
        if most <= cap {
            continue;
        }
        problems.push(match answer {
            Some(answer) => {
                let file = super::rules::frame(tier).file().file_name();
                let form = answer.name();
                let what = format!(
                    "with the texts in it, {part} of the tier {name} has {most} tokens for answers in {form}; it may have \
                     {cap}: shorten what is in it"
                );
                problem(file, what)
            }
            None => {
                let what = format!(
                    "with those that go with it, what {part} says of a nature and of channels has up to {most} tokens in the tier {name}; \
                     it may have {cap}, since a character has to have room beside it"
                );
                problem("persona.md, bot.md".to_string(), what)
            }
        });
    }
    for (file, tokens) in FILES.iter().zip(tokens_by_file(texts)) {
        if matches!(file.place, Place::Snapshot | Place::Present) && tokens > LINE_TOKENS {
            let what = format!("it has {tokens} tokens and may have {LINE_TOKENS}: no cache holds it");
            problems.push(problem(file.file_name(), what));
        }
        if file.place == Place::Beside && tokens > BESIDE_TOKENS {
            let what = format!("it has {tokens} tokens and may have {BESIDE_TOKENS}");
            problems.push(problem(file.file_name(), what));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn with(name: &str, text: &str) -> Texts {
        let mut files: BTreeMap<String, String> =
            FILES.iter().map(|file| (file.file_name(), file.default.to_string())).collect();
        files.insert(name.to_string(), text.to_string());
        Texts::read(&files).expect("they are right")
    }

    #[test]
    fn the_shipped_texts_have_room_and_are_cached() {
        assert_eq!(problems(&Texts::default()), []);
        let rooms = rooms(&Texts::default());
        assert!(rooms.iter().all(|room| room.least <= room.most && !room.is_uncached()), "{rooms:#?}");
        assert_eq!(rooms.iter().filter(|room| room.part == "P0").count(), 6);
    }

    #[test]
    fn what_is_too_long_is_refused_and_what_is_too_short_to_be_cached_is_known() {
        let long = "Mind the gap between the ferry and the stones. ".repeat(150);
        for (name, files) in [
            ("time.md", vec!["rules_small.md"; 2].into_iter().chain(vec!["rules.md"; 4]).collect::<Vec<_>>()),
            ("topics.md", vec!["rules.md"; 4]),
            ("identity.md", vec!["persona.md, bot.md"; 3]),
            ("nearly_full.md", vec!["nearly_full.md"]),
        ] {
            let found: Vec<String> = problems(&with(name, &long)).into_iter().map(|problem| problem.file).collect();
            assert_eq!(found, files, "{name}");
        }
        // Of a text inside of another one, a small prompt has the first line.
        let found = problems(&with("time.md", &format!("It goes on.\n{long}")));
        assert!(found.len() == 4 && found.iter().all(|problem| problem.file == "rules.md"), "{found:?}");
        let short = rooms(&with("rules_small.md", "{answer}\n{vocabulary}"));
        let uncached: Vec<Tier> = short.iter().filter(|room| room.is_uncached()).map(|room| room.tier).collect();
        assert_eq!(uncached, [Tier::Small; 2]);
    }
}
