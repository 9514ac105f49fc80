//! Mobs answer who speaks to them: words are looked up in `Content::answers`, and the first answer whose conditions
//! hold is the one that `commands/talk.rs` lets it say.
//!
//! Invariants: only players are answered, so that no two mobs can keep one another talking; one utterance gets one
//! answer at most, and a mob gives no two within `PAUSE_TICKS`. Chance has no part in it.

use crate::arena::CharacterId;
use crate::world::World;
use content::{AnswerProto, Content, Text, Vnum};

/// Ticks from one answer of a mob to its next.
const PAUSE_TICKS: u64 = 2;

/// What comes of words that a mob has an answer to.
pub(crate) enum Answer {
    /// It is taken to be given now.
    Says(CharacterId, Text),
    /// It was asked itself, and has only just answered.
    Rests(CharacterId),
}

impl World {
    /// What a mob answers to words said in its room, or to it alone: the first one that has an answer.
    pub(crate) fn answer_to(&mut self, who: CharacterId, asked: Option<CharacterId>, words: &str) -> Option<Answer> {
        let content = self.content.clone();
        let numbers = content.answered_words(words);
        if numbers.is_empty() || !self.who(who).is_player() {
            return None;
        }
        let rests = |mob: CharacterId| self.who(mob).mob().is_some_and(|m| m.answers_from_tick > self.tick());
        let answer = |mob: CharacterId| self.answer_of(mob, who, &content, &numbers);
        let (mob, answer) = match asked {
            Some(mob) => match answer(mob)? {
                _ if rests(mob) => return Some(Answer::Rests(mob)),
                answer => (mob, answer),
            },
            None => {
                let hearers = &self.room(self.who(who).room).characters;
                hearers.iter().filter(|mob| !rests(**mob)).find_map(|mob| Some((*mob, answer(*mob)?)))?
            }
        };
        let from_tick = self.tick() + PAUSE_TICKS;
        // No variable shows when a mob answered last.
        let character = self.state.characters.get_mut_quietly(mob)?;
        character.mob_mut()?.answers_from_tick = from_tick;
        Some(Answer::Says(mob, answer.says.clone()))
    }

    fn answer_of<'c>(
        &self,
        mob: CharacterId,
        who: CharacterId,
        content: &'c Content,
        words: &[u32],
    ) -> Option<&'c AnswerProto> {
        let vnum = self.mob_proto(mob)?.vnum;
        let answers = content.answers_of(vnum, words);
        let hearer = self.who(mob);
        if answers.is_empty() || !hearer.is_awake() || hearer.fighting.is_some() || !self.sees(mob, who) {
            return None;
        }
        answers.into_iter().find(|answer| self.answers_now(answer, who))
    }

    fn answers_now(&self, answer: &AnswerProto, who: CharacterId) -> bool {
        let speaker = self.who(who);
        let within =
            |window: Option<(i32, i32)>, value: i32| window.is_none_or(|(first, last)| (first..=last).contains(&value));
        let hour = self.state.clock.hour() as i32;
        let in_hours = answer.hours.is_none_or(|(from, to)| match from <= to {
            true => (from..=to).contains(&hour),
            false => hour >= from || hour <= to,
        });
        in_hours
            && within(answer.levels, speaker.level)
            && within(answer.alignment, speaker.alignment)
            && answer.carries.is_none_or(|vnum| self.carries_one(who, vnum))
    }

    fn carries_one(&self, who: CharacterId, vnum: Vnum) -> bool {
        let worn = self.who(who).worn.iter().map(|(_, object)| object);
        self.who(who).carrying.iter().chain(worn).any(|object| self.object(*object).vnum == vnum)
    }
}
