//! Mobs answer who speaks to them: words are looked up in `Content::answers`, and the first answer whose conditions
//! hold is the one that `commands/talk.rs` lets it say. Some greet who comes to them for the first time
//! (`movement.rs`).
//!
//! Invariants: only players are answered and greeted, so that no two mobs can keep one another talking; one utterance
//! gets one answer at most, and a mob says no two such things within `PAUSE_TICKS`. Chance has no part in it.

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
        self.rest_from_answers(mob)?;
        Some(Answer::Says(mob, answer.says.clone()))
    }

    /// With what a player is greeted where it has just come for the first time, and by whom; one of those who are there
    /// says it.
    pub(crate) fn greeting_to(&mut self, who: CharacterId) -> Option<(CharacterId, Text)> {
        let greeting = |mob: CharacterId| {
            self.who(mob).mob().filter(|m| m.answers_from_tick <= self.tick())?;
            let vnum = self.mob_proto(mob)?.vnum;
            let mut greetings = self.content.greetings_of(vnum).peekable();
            greetings.peek()?;
            self.attends(mob, who).then_some(())?;
            Some((mob, greetings.find(|greeting| self.answers_now(greeting, who))?.says.clone()))
        };
        let (mob, words) = self.room(self.who(who).room).characters.iter().find_map(|mob| greeting(*mob))?;
        self.rest_from_answers(mob)?;
        Some((mob, words))
    }

    fn rest_from_answers(&mut self, mob: CharacterId) -> Option<()> {
        let from_tick = self.tick() + PAUSE_TICKS;
        // No variable shows when a mob answered last.
        let character = self.state.characters.get_mut_quietly(mob)?;
        character.mob_mut()?.answers_from_tick = from_tick;
        Some(())
    }

    /// Whether a mob has a mind for who speaks or comes.
    fn attends(&self, mob: CharacterId, who: CharacterId) -> bool {
        let m = self.who(mob);
        m.is_awake() && m.fighting.is_none() && self.sees(mob, who)
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
        if answers.is_empty() || !self.attends(mob, who) {
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
