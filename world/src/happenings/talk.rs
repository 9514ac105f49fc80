//! Talk as it is remembered: kind words, insults and threats. Neutral talk is not: a thousand talkers would fill every
//! log with it, and it says little of anybody.
//!
//! Words are to whom they are said to; where they are said to all, to the first hearer whose name is in them, or to the
//! only one who hears them. A channel is heard by everybody in the world, so words on it are remembered by their
//! speaker and the one whom they name, and where they name nobody who listens, by nobody.

use super::speech::{Hearers, Speech};
use super::{Occasion, tone};
use crate::arena::CharacterId;
use crate::world::World;
use protocol::happening::{Role, TEXT_MAX, Tone, What};

impl World {
    pub(crate) fn record_words(&mut self, who: CharacterId, hearers: Hearers<'_>, speech: Speech<'_>) {
        if self.unrecorded {
            return;
        }
        let words = speech.words;
        self.keep_talk(who, hearers, speech);
        if let Hearers::Near(to) = hearers {
            self.record_dealing(who, to);
        }
        // What a mob says was written for it once, for everybody: it is neither kind nor threatening to this one.
        let tone = if self.who(who).is_mob() { Tone::Neutral } else { tone::of(words) };
        if tone == Tone::Neutral {
            return;
        }
        let room = self.who(who).room;
        match hearers {
            Hearers::Room => {
                let mut occasion = self.occasion(room, [Some(who), None, None], None);
                occasion.onlookers.retain(|hearer| !self.ignores(*hearer, who));
                // Only whom the speaker sees: nobody learns by speaking who hides there.
                let dark = occasion.dark;
                let seen = |hearer: &CharacterId| self.sees_in(who, *hearer, dark);
                let hearers: Vec<CharacterId> = occasion.onlookers.iter().copied().filter(seen).collect();
                let only = || self.only_hearer(who, dark).filter(|hearer| !self.ignores(*hearer, who));
                let to = self.named_in(words, &hearers).or_else(only);
                if let Some(to) = to {
                    self.record_dealing(who, to);
                }
                occasion.cast[1] = to;
                occasion.onlookers.retain(|hearer| Some(*hearer) != to);
                occasion.witnesses.retain(|witness| Some(*witness) != to);
                let what = self.spoken(who, to, tone, words);
                self.remember(&occasion, who, Role::Did, what.clone(), false);
                if let Some(to) = to {
                    self.remember(&occasion, to, Role::Suffered, what.clone(), false);
                }
                // Heard in the dark as well, from somebody.
                for hearer in occasion.onlookers.iter().copied().take(super::ONLOOKERS_MAX) {
                    self.remember(&occasion, hearer, Role::Saw, what.clone(), false);
                }
            }
            Hearers::Near(to) => {
                let mut occasion = self.private(who, Some(to), None);
                occasion.room = room;
                let what = self.spoken(who, Some(to), tone, words);
                self.remember(&occasion, who, Role::Did, what.clone(), false);
                self.remember(&occasion, to, Role::Suffered, what, false);
            }
            Hearers::Far(to) => self.record_far(who, to, tone, words, World::knows),
            Hearers::Listeners(listeners) => {
                if let Some(to) = self.named_in(words, listeners).filter(|to| self.knows(who, *to)) {
                    self.record_far(who, to, tone, words, World::knows);
                }
            }
            Hearers::Group(members) => {
                let only = if let [only] = members { Some(*only) } else { None };
                if let Some(to) = self.named_in(words, members).or(only) {
                    self.record_far(who, to, tone, words, |_, _, _| true);
                }
            }
        }
    }

    fn spoken(&self, who: CharacterId, to: Option<CharacterId>, tone: Tone, words: &str) -> What {
        let text: String = words.chars().take(TEXT_MAX).collect();
        What::Spoke { speaker: self.as_known(who), to: to.map(|to| self.as_known(to)), tone, text: text.into() }
    }

    /// Between two who need not be near each other. `knows`: whether the first knows who the second is.
    fn record_far(
        &mut self,
        who: CharacterId,
        to: CharacterId,
        tone: Tone,
        words: &str,
        knows: fn(&World, CharacterId, CharacterId) -> bool,
    ) {
        let shared = self.private(who, None, None);
        let what = self.spoken(who, Some(to), tone, words);
        for (owner, other, role) in [(who, to, Role::Did), (to, who, Role::Suffered)] {
            let mut what = what.clone();
            if !knows(self, owner, other) {
                let hidden = self.instance_of(other);
                what.hide(|who| who.id != hidden);
            }
            // Each remembers it where it was. Light and eyes have no part in it.
            let room = self.who(owner).room;
            let occasion = Occasion {
                room,
                cast: [Some(owner), None, None],
                onlookers: Vec::new(),
                witnesses: Vec::new(),
                ..shared
            };
            self.remember(&occasion, owner, role, what, false);
        }
    }

    /// A thumb for words: a thing for the log of who said them, wherever both are.
    pub(crate) fn record_thumb(&mut self, author: CharacterId, by: CharacterId, up: bool, words: &str) {
        if self.unrecorded || self.ignores(author, by) {
            return;
        }
        let text = words.chars().take(TEXT_MAX).collect::<String>().into();
        let (by, whom) = (self.as_known(by), self.as_known(author));
        let what = match up {
            true => What::Praised { by, whom, text },
            false => What::Scorned { by, whom, text },
        };
        let occasion = self.private(author, None, None);
        self.remember(&occasion, author, Role::Suffered, what, false);
    }

    /// The first of the hearers whose name is a word of the text.
    fn named_in(&self, words: &str, hearers: &[CharacterId]) -> Option<CharacterId> {
        if hearers.is_empty() {
            return None;
        }
        words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).find_map(|word| {
            let named = self.find_player(word)?;
            hearers.contains(&named).then_some(named)
        })
    }

    /// The one whom the speaker sees awake in its room, where there is no other.
    fn only_hearer(&self, who: CharacterId, dark: bool) -> Option<CharacterId> {
        let here = &self.room(self.who(who).room).characters;
        let is_hearer =
            |other: &CharacterId| *other != who && self.who(*other).is_awake() && self.sees_in(who, *other, dark);
        let mut others = here.iter().copied().filter(is_hearer);
        let only = others.next()?;
        others.next().is_none().then_some(only)
    }
}
