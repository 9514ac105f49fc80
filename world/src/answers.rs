//! Mobs answer who speaks to them: words are looked up in `Content::answers`, and the first answer whose conditions
//! hold is the one that `commands/talk.rs` lets it say. Some greet who comes to them for the first time
//! (`movement.rs`), and some give a thing with the words, or for another one (`barter.rs`).
//!
//! Invariants: only players are answered and greeted, so that no two mobs can keep one another talking; one utterance
//! gets one answer at most, and a mob says no two such things within `PAUSE_TICKS`; nobody is given the same thing by
//! the same mob twice on a day. Chance has no part in it.

use crate::arena::CharacterId;
use crate::task::Gifts;
use crate::world::World;
use content::{AnswerProto, Content, Text, Vnum, When};

/// Ticks from one answer of a mob to its next.
const PAUSE_TICKS: u64 = 2;

/// What comes of words that a mob has an answer to.
pub(crate) enum Answer {
    /// It is taken to be given now.
    Says(CharacterId, Told),
    /// It was asked itself, and has only just answered.
    Rests(CharacterId),
}

/// What a mob says, and what it gives with it.
pub(crate) struct Told {
    pub words: Text,
    pub gives: Option<Vnum>,
}

impl Told {
    fn of(answer: &AnswerProto) -> Told {
        Told { words: answer.says.clone(), gives: answer.gives }
    }
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
        Some(Answer::Says(mob, Told::of(answer)))
    }

    /// With what a player is greeted where it has just come for the first time, and by whom; one of those who are there
    /// says it.
    pub(crate) fn greeting_to(&mut self, who: CharacterId) -> Option<(CharacterId, Told)> {
        let greeting = |mob: CharacterId| {
            self.who(mob).mob().filter(|m| m.answers_from_tick <= self.tick())?;
            let vnum = self.mob_proto(mob)?.vnum;
            let mut greetings = self.content.greetings_of(vnum).peekable();
            greetings.peek()?;
            self.attends(mob, who).then_some(())?;
            Some((mob, Told::of(greetings.find(|greeting| self.answers_now(greeting, who))?)))
        };
        let (mob, told) = self.room(self.who(who).room).characters.iter().find_map(|mob| greeting(*mob))?;
        self.rest_from_answers(mob)?;
        Some((mob, told))
    }

    fn rest_from_answers(&mut self, mob: CharacterId) -> Option<()> {
        let from_tick = self.tick() + PAUSE_TICKS;
        // No variable shows when a mob answered last.
        let character = self.state.characters.get_mut_quietly(mob)?;
        character.mob_mut()?.answers_from_tick = from_tick;
        Some(())
    }

    /// Whether a mob has a mind for who speaks, comes or gives.
    pub(crate) fn attends(&self, mob: CharacterId, who: CharacterId) -> bool {
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
        let may_give = |vnum: Vnum| !self.was_given(who, answer.mob, vnum) && !self.carries_one(who, vnum);
        self.holds(&answer.when, who) && answer.gives.is_none_or(may_give)
    }

    /// Whether the hour and a player are as a row asks for.
    pub(crate) fn holds(&self, when: &When, who: CharacterId) -> bool {
        let speaker = self.who(who);
        let within =
            |window: Option<(i32, i32)>, value: i32| window.is_none_or(|(first, last)| (first..=last).contains(&value));
        let hour = self.state.clock.hour() as i32;
        let in_hours = when.hours.is_none_or(|(from, to)| match from <= to {
            true => (from..=to).contains(&hour),
            false => hour >= from || hour <= to,
        });
        let tasks = speaker.player().map(|player| &*player.tasks);
        let during = |task: &Text| tasks.is_some_and(|tasks| tasks.open.contains_key(task));
        let after = |task: &Text| tasks.is_some_and(|tasks| tasks.done.contains_key(task));
        in_hours
            && within(when.levels, speaker.level)
            && within(when.alignment, speaker.alignment)
            && when.carries.is_none_or(|vnum| self.carries_one(who, vnum))
            && when.during.as_ref().is_none_or(during)
            && when.after.as_ref().is_none_or(after)
    }

    /// Whether a player has been given that by a mob of that kind today.
    fn was_given(&self, who: CharacterId, mob: Vnum, object: Vnum) -> bool {
        let gifts = self.who(who).player().map(|player| &player.tasks.gifts);
        gifts.is_none_or(|gifts| gifts.day == self.state.clock.date().days && gifts.given.contains(&(mob, object)))
    }

    /// A player is given that by a mob of that kind now, and not again today.
    pub(crate) fn note_gift(&mut self, who: CharacterId, mob: Vnum, object: Vnum) {
        let day = self.state.clock.date().days;
        let gifts = &mut self.player_mut(who).tasks_mut().gifts;
        if gifts.day != day {
            *gifts = Gifts { day, ..Gifts::default() };
        }
        gifts.given.insert((mob, object));
    }

    pub(crate) fn carries_one(&self, who: CharacterId, vnum: Vnum) -> bool {
        let worn = self.who(who).worn.iter().map(|(_, object)| object);
        self.who(who).carrying.iter().chain(worn).any(|object| self.object(*object).vnum == vnum)
    }
}
