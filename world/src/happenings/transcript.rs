//! What players hear and say, word by word, for the logs of those who have theirs keep it (`toggle transcript`; a
//! session that reads its mind switches it on).
//!
//! Nothing is dreamt of it: what is worth remembering of talk is made in `talk.rs`. Who speaks is named as the hearer
//! knows it. Invariant: as much is kept as the budget of each player allows (`budget.rs`), and the next that is kept
//! says how much was not.

use super::speech::{Hearers, Speech};
use crate::arena::CharacterId;
use crate::character::{Character, PlayerFlags};
use crate::report::Overheard;
use crate::world::World;
use content::Text;
use protocol::talk::{Heard, Said, TALK_CHARS_MAX, Talk};

/// Of a speaker whom the hearer does not know.
const SOMEONE: &str = "someone";

impl World {
    /// Keeps words in the logs of those who hear them, and of who speaks.
    pub(super) fn keep_talk(&mut self, who: CharacterId, hearers: Hearers<'_>, speech: Speech<'_>) {
        let keepers = self.keepers_among(hearers, who);
        if keepers.is_empty() && !self.keeps_talk(who) {
            return;
        }
        let text: Text = speech.words.chars().take(TALK_CHARS_MAX).collect::<String>().into();
        let channel: Text = speech.channel.into();
        let message = speech.message;
        let to = match hearers {
            Hearers::Near(to) => Some((to, self.sees_in(who, to, self.is_dark(self.who(who).room)))),
            Hearers::Far(to) => Some((to, self.knows(who, to))),
            Hearers::Room | Hearers::Listeners(_) | Hearers::Group(_) => None,
        };
        let name_of = |world: &World, other: CharacterId, known: bool| -> Text {
            if known { world.who(other).shown().clone() } else { SOMEONE.into() }
        };
        let to = to.map(|(to, known)| name_of(self, to, known));
        let (own_text, own_channel) = (text.clone(), channel.clone());
        self.overhear(who, |missed| Talk::Said(Said { channel: own_channel, to, text: own_text, message, missed }));
        let dark = self.is_dark(self.who(who).room);
        let by_player = self.who(who).is_player();
        for hearer in keepers {
            let known = match hearers {
                Hearers::Room | Hearers::Near(_) => self.sees_in(hearer, who, dark),
                Hearers::Far(_) | Hearers::Listeners(_) => self.knows(hearer, who),
                Hearers::Group(_) => true,
            };
            let text: Text = if by_player { self.words_for(hearer, &text).into() } else { text.clone() };
            let (from, channel) = (name_of(self, who, known), channel.clone());
            self.overhear(hearer, |missed| Talk::Heard(Heard { from, channel, text, message, missed }));
        }
    }

    fn keeps_talk(&self, who: CharacterId) -> bool {
        self.character(who).is_some_and(|c| c.player_flags().has(PlayerFlags::TRANSCRIPT))
    }

    /// Those among the hearers whose logs keep it.
    fn keepers_among(&self, hearers: Hearers<'_>, speaker: CharacterId) -> Vec<CharacterId> {
        let of = |all: &[CharacterId]| all.iter().copied().filter(|who| self.keeps_talk(*who)).collect();
        match hearers {
            Hearers::Room => {
                let here = &self.room(self.who(speaker).room).characters;
                let hears = |who: &CharacterId| {
                    *who != speaker
                        && self.keeps_talk(*who)
                        && self.who(*who).is_awake()
                        && !self.ignores(*who, speaker)
                };
                here.iter().copied().filter(hears).collect()
            }
            Hearers::Near(to) | Hearers::Far(to) => of(&[to]),
            Hearers::Listeners(all) | Hearers::Group(all) => of(all),
        }
    }

    fn overhear(&mut self, owner: CharacterId, talk: impl FnOnce(u32) -> Talk) {
        let tick = self.tick();
        if !self.keeps_talk(owner) {
            return;
        }
        let Some(player) = self.player_quietly(owner) else { return };
        let Some(missed) = player.records.keep_talk(tick) else { return };
        player.log_seq += 1;
        let seq = player.log_seq;
        let name = self.character(owner).map(|c: &Character| c.name.clone()).expect("it was there just now");
        self.report.overheard.push(Overheard { who: owner, name, seq, talk: Box::new(talk(missed)) });
    }
}
