//! Talking: in the room (say, whisper, ask, emote), and to one player anywhere (tell, reply). Channels are data
//! (`channels.rs`).
//!
//! Whoever is far away is known by the voice: darkness and blindness do not matter there, invisibility does. Bystanders
//! of a whisper get no outcome, since it holds the words. Source: game reference §5.

use crate::act::Scene;
use crate::answers::Answer;
use crate::arena::CharacterId;
use crate::character::*;
use crate::commands::trade;
use crate::find::{first_argument, first_word};
use crate::happenings::{Hearers, Speech};
use crate::refusal::{Done, Refusal};
use crate::report::{Line, LineKind};
use crate::speech::{self, said};
use crate::task::Deed;
use crate::tasks;
use crate::world::World;
use content::flags::*;
use std::sync::Arc;

/// Characters of one utterance that others hear; the rest is lost. Long enough for a paragraph.
const WORDS_MAX: usize = 512;

pub fn say(world: &mut World, who: CharacterId, args: &str) -> Done {
    say_words(world, who, ["say", "says"], args)?;
    answered(world, who, None, args)
}

/// Lets a mob say what it has to say to that.
fn answered(world: &mut World, who: CharacterId, asked: Option<CharacterId>, words: &str) -> Done {
    match world.answer_to(who, asked, words) {
        Some(Answer::Says(mob, told)) => {
            speech::speak(world, mob, &told.words);
            if let Some(gives) = told.gives {
                world.give_daily(mob, who, gives);
            }
            if let Some(id) = asked.and_then(|mob| tasks::named_offer(world, who, mob, words)) {
                tell_offer(world, who, &id);
            }
        }
        Some(Answer::Rests(mob)) => {
            let scene = Scene::new(who, LineKind::Text).victim(mob);
            world.show(&scene, "$N has only just spoken. Ask again in a moment.", "", "");
        }
        None => {
            let told = asked.and_then(|mob| Some((mob, tasks::asked_of(world, who, mob, words)?)));
            match told {
                Some((mob, told)) => {
                    speech::speak(world, mob, &told.words);
                    if let Some(id) = told.offers {
                        tell_offer(world, who, &id);
                    }
                }
                None => match asked
                    .filter(|_| !tasks::asks_for_work(words))
                    .and_then(|mob| Some((mob, trade::hours_told(world, mob, words)?)))
                {
                    Some((mob, told)) if world.attends(mob, who) => speech::speak(world, mob, &told),
                    _ => tell_no_answer(world, who, asked, words),
                },
            }
        }
    }
    Ok(())
}

/// Whoever asks somebody who has no answer reads that, rather than nothing; but not where a task wanted the words said.
fn tell_no_answer(world: &mut World, who: CharacterId, asked: Option<CharacterId>, words: &str) {
    let Some(mob) = asked.filter(|mob| world.who(*mob).is_mob()) else { return };
    if tasks::counts(world, who, &Deed::Spoke { to: asked, words: words.into() }) {
        return;
    }
    let told = match tasks::asks_for_work(words) {
        true => "$N has nothing for you to do now.",
        false => "$N has nothing to say of that.",
    };
    world.show(&Scene::new(who, LineKind::Text).victim(mob), told, "", "");
}

fn tell_offer(world: &mut World, who: CharacterId, task: &str) {
    world.send(who, LineKind::Text, format!("To take on what is asked for: accept {task}"));
}

/// Words in the room, as `say` and the verbs like it take them.
pub(super) fn say_words(world: &mut World, who: CharacterId, voices: [&str; 2], args: &str) -> Done {
    world.may_be_heard(who)?;
    let words = words(args, "What do you want to say?")?;
    world.say_again(who, words)?;
    speech::say_as(world, who, voices, words);
    world.did(who, Deed::Spoke { to: None, words: words.into() });
    Ok(())
}

/// In the language of one's race. Nobody but who speaks it is addressed, so no mob answers to it.
pub fn rsay(world: &mut World, who: CharacterId, args: &str) -> Done {
    world.may_be_heard(who)?;
    let words = words(args, "What do you want to say?")?;
    world.say_again(who, words)?;
    speech::say_in_own_language(world, who, words);
    Ok(())
}

pub fn emote(world: &mut World, who: CharacterId, args: &str) -> Done {
    world.may_be_heard(who)?;
    let words = words(args, "What do you want to be seen doing?")?;
    world.say_again(who, words)?;
    // "emote 's knees knock" continues the name itself.
    let voice = if words.starts_with("'s ") { "$n$t" } else { "$n $t" };
    let outcome = said(world, who, "emote", None, words);
    let scene = Scene::new(who, LineKind::Emote).text(words).speaks().outcome(&outcome);
    world.show(&scene, if world.who(who).repeats() { voice } else { "Done." }, "", voice);
    Ok(())
}

pub fn whisper(world: &mut World, who: CharacterId, args: &str) -> Done {
    near(world, who, args, "whisper", ["You whisper to $N", "$n whispers to you"], "$n whispers something to $N.")
}

pub fn ask(world: &mut World, who: CharacterId, args: &str) -> Done {
    near(world, who, args, "ask", ["You ask $N", "$n asks you"], "$n asks $N something.")
}

/// Words for one listener in the room; the others see only that they are spoken.
fn near(world: &mut World, who: CharacterId, args: &str, channel: &'static str, voices: [&str; 2], room: &str) -> Done {
    let (word, rest) = first_argument(args);
    if word.is_empty() {
        return Err(format!("Whom do you want to {channel}, and what?").into());
    }
    let other = world.here(who, word)?;
    if other == who {
        return Err("You move your lips, and nobody is the wiser.".into());
    }
    let listener = world.who(other);
    let words = words(rest, "And what are the words?")?;
    if listener.is_player() && !listener.is_immortal() {
        world.may_be_heard(who)?;
    }
    let name = crate::act::capitalised(world.name_for(who, other));
    world.may_address(who, other, &name)?;
    if !listener.is_awake() {
        return Err(format!("{} is in no state to listen.", crate::act::capitalised(listener.shown())).into());
    }
    world.say_again(who, words)?;
    let outcome = said(world, who, channel, Some(other), words);
    world.record_words(who, Hearers::Near(other), Speech { channel, words, message: None });
    world.did(who, Deed::Spoke { to: Some(other), words: words.into() });
    let scene = Scene::new(who, LineKind::Say).victim(other).text(words).speaks().outcome(&outcome);
    let [own, listener] = voices.map(|voice| format!("{voice}, \"$t\""));
    // A mob reads nothing, so it is told as one would say it; among players marks hold what somebody typed.
    let own = match channel == "ask" && world.who(other).is_mob() && words.starts_with("about ") {
        true if words.ends_with(['.', '!', '?']) => "You ask $N $t",
        true => "You ask $N $t.",
        false => &own,
    };
    world.show(&scene, if world.who(who).repeats() { own } else { "Said." }, &listener, "");
    world.show(&Scene::new(who, LineKind::Say).victim(other).addressed(), "", "", room);
    // A whisper is not answered aloud.
    if channel == "ask" { answered(world, who, Some(other), words) } else { Ok(()) }
}

/// A refusal with the words that were not said: who typed them has them nowhere else.
pub(super) fn given_back(words: &str) -> impl Fn(Refusal) -> Refusal {
    let words = words.trim().to_string();
    move |why| match words.is_empty() {
        true => why,
        false => {
            let ends = why.0.trim_end_matches('"').ends_with(['.', '!', '?']);
            let end = if ends { "" } else { "." };
            format!("{}{end} Not said: \"{words}\"", why.0).into()
        }
    }
}

pub fn tell(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = first_word(args);
    if word.is_empty() {
        return Err("Whom do you want to tell, and what?".into());
    }
    match world.find_player_known(who, word) {
        Some(other) => {
            // A name of several words may stand there as it is shown.
            let shown = world.who(other).shown().clone();
            let whole = args.get(..shown.len()).filter(|begin| begin.eq_ignore_ascii_case(&shown));
            let behind = whole.and_then(|begin| args[begin.len()..].strip_prefix(' '));
            let words = behind.unwrap_or(rest);
            tell_player(world, who, other, words, None).map_err(given_back(words))
        }
        None if world.find_here(who, word).is_some_and(|id| world.who(id).is_mob()) => {
            let mob = world.here(who, word)?;
            let closed = trade::hours_told(world, mob, "").map(|told| {
                let name = crate::act::capitalised(world.name_for(who, mob));
                format!(" {name} would only say: \"{told}\"")
            });
            let how = "Tells are for players. To somebody in the room, use ask, whisper or say.";
            Err(given_back(rest)(format!("{how}{}", closed.unwrap_or_default()).into()))
        }
        None => match world.person_away(who, word) {
            Some(person) => tell_away(world, who, person, rest).map_err(given_back(rest)),
            None => Err(given_back(rest)(world.no_player_called(word))),
        },
    }
}

/// Words for somebody who is not in the world, or not to be seen there: they stand in the direct channel of the two.
fn tell_away(world: &mut World, who: CharacterId, person: u32, words_typed: &str) -> Done {
    let words = whole_words(words_typed, "And what are the words?")?;
    world.may_be_heard(who)?;
    may_tell(world, who)?;
    let own = world.person_of(who).expect("whoever finds somebody away is a person");
    let id = world.direct_channel(own, person)?;
    world.acquaint(id, own);
    world.utter(who, id, words, None)?;
    let name = world.display_name(person);
    world.send(who, LineKind::Text, format!("{name} is not in the world just now; your words wait there."));
    Ok(())
}

/// Whether somebody's own state lets tells go out.
fn may_tell(world: &World, who: CharacterId) -> Done {
    let speaker = world.who(who);
    if speaker.player_flags().has(PlayerFlags::NO_TELL) {
        return Err("You would not hear the answer. First: toggle tell".into());
    }
    if world.room_flags(speaker.room).has(RoomFlags::SOUNDPROOF) && !speaker.is_immortal() {
        return Err("The walls drink your words.".into());
    }
    Ok(())
}

/// Words for a player who is in the world, in the direct channel of the two.
pub(super) fn tell_player(
    world: &mut World,
    who: CharacterId,
    other: CharacterId,
    words_typed: &str,
    reply_to: Option<u64>,
) -> Done {
    let (speaker, listener) = (world.who(who), world.who(other));
    if other == who {
        return Err("You knew that already.".into());
    }
    let words = whole_words(words_typed, "And what are the words?")?;
    let name = if world.knows(who, other) { listener.shown().to_string() } else { "Someone".to_string() };
    let privileged = speaker.is_immortal();
    if !listener.is_immortal() {
        world.may_be_heard(who)?;
    }
    world.may_address(who, other, &name)?;
    may_tell(world, who)?;
    let player = listener.player().expect("players are found among players");
    if player.flags.has(PlayerFlags::NO_TELL) && !privileged {
        return Err(format!("{name} does not want to be told anything.").into());
    }
    if world.room_flags(listener.room).has(RoomFlags::SOUNDPROOF) && !privileged {
        return Err(format!("Your words do not reach {name}.").into());
    }
    let is_lost = matches!(player.link, Link::Lost { .. });
    let away = player.flags.has(PlayerFlags::AFK);
    let (Some(own), Some(theirs)) = (world.person_of(who), world.person_of(other)) else {
        return mob_tells(world, who, other, words);
    };
    let id = world.direct_channel(own, theirs)?;
    if world.knows(who, other) {
        world.acquaint(id, own);
    }
    world.utter(who, id, words, reply_to)?;
    if away {
        let from = if world.knows(other, who) { world.who(who).shown().clone() } else { "someone".into() };
        let player = world.player_mut(other);
        player.missed_tells += 1;
        if player.missed_from.len() < MISSED_FROM_MAX {
            player.missed_from.insert(from);
        }
        world.send(who, LineKind::Text, format!("{name} is away from the keyboard, and may not notice."));
    }
    if is_lost {
        world.send(who, LineKind::Text, format!("{name} stares into nothing; your words wait there."));
    }
    Ok(())
}

/// A mob has no channel: its words are gone when they are said.
fn mob_tells(world: &mut World, who: CharacterId, other: CharacterId, words: &str) -> Done {
    let outcome = said(world, who, "tell", Some(other), words);
    world.record_words(who, Hearers::Far(other), Speech { channel: "tell", words, message: None });
    let known = world.knows(other, who);
    let from = world.who(who).shown().clone();
    let speaker = if known { crate::act::capitalised(&from) } else { "Someone".to_string() };
    let text = format!("{speaker} tells you, \"{words}\"");
    let from = known.then_some(from);
    let line = Line { kind: LineKind::Tell, from, text, outcome: Some(outcome), ..Line::default() };
    world.send_line(other, Arc::new(line));
    Ok(())
}

/// What is left of words in a room at the limit; the refusal when there are none.
pub(super) fn words<'a>(typed: &'a str, none: &str) -> Result<&'a str, Refusal> {
    Ok(capped(whole_words(typed, none)?, WORDS_MAX))
}

/// Words for a channel, which says itself when they are too many; the refusal when there are none.
pub(super) fn whole_words<'a>(typed: &'a str, none: &str) -> Result<&'a str, Refusal> {
    match typed.trim() {
        "" => Err(none.to_string().into()),
        typed => Ok(typed),
    }
}

/// The first `max` characters, without a trailing blank.
pub(super) fn capped(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((at, _)) => text[..at].trim_end(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_between_characters() {
        assert_eq!(capped("æøå", 2), "æø");
        assert_eq!(capped("a b", 2), "a");
        assert_eq!(capped("ab", 2), "ab");
        assert_eq!(words("  hello ", "?"), Ok("hello"));
        assert_eq!(words("  ", "What?"), Err("What?".to_string().into()));
    }
}
