//! Words said aloud in a room, by whoever says them: a player's verb, a mob that answers or has a task.

use crate::act::{Audience, Scene};
use crate::arena::CharacterId;
use crate::cipher::cipher;
use crate::happenings::{Hearers, Speech};
use crate::report::LineKind;
use crate::world::World;
use content::words::Race;
use protocol::Outcome;
use std::sync::Arc;

/// A mob says something to its room.
pub(crate) fn speak(world: &mut World, mob: CharacterId, words: &str) {
    say_as(world, mob, ["say", "says"], words);
}

/// Says something to the room under a verb: `["report", "reports"]`. `words` are not empty.
pub(crate) fn say_as(world: &mut World, who: CharacterId, [verb, third_person]: [&str; 2], words: &str) {
    let outcome = said(world, who, "say", None, words);
    world.record_words(who, Hearers::Room, Speech { channel: "say", words, message: None });
    let by_mob = world.who(who).is_mob();
    let scene = Scene::new(who, LineKind::Say).text(words).speaks().hinted(by_mob).outcome(&outcome);
    let own = if world.who(who).repeats() { format!("You {verb}, \"$t\"") } else { "Said.".into() };
    world.show(&scene, &own, "", &format!("$n {third_person}, \"$t\""));
}

/// Says something to the room in the language of one's race: all others hear a cipher of it, and programs that.
pub(crate) fn say_in_own_language(world: &mut World, who: CharacterId, words: &str) {
    let race = world.who(who).race;
    let known = said(world, who, "say", None, words);
    let scene = Scene::new(who, LineKind::Say).speaks();
    let own = format!("You say in {}, \"$t\"", language(race));
    let own = if world.who(who).repeats() { own } else { "Said.".into() };
    let understood = format!("$n says in {}, \"$t\"", language(race));
    let those = scene.clone().text(words).outcome(&known).audience(Audience::Race(race));
    world.show(&those, &own, "", &understood);
    let strange = cipher(&words.to_lowercase());
    let unknown = said(world, who, "say", None, &strange);
    let others = scene.text(&strange).outcome(&unknown).audience(Audience::OtherRaceThan(race));
    world.show(&others, "", "", "$n says in a language of $s own, \"$t\"");
}

/// What a race calls what it speaks.
fn language(race: Race) -> String {
    format!("the {} tongue", race.name())
}

/// The outcome of words on one of the channels of a place.
pub(crate) fn said(
    world: &mut World,
    who: CharacterId,
    channel: &str,
    to: Option<CharacterId>,
    words: &str,
) -> Arc<Outcome> {
    world.note(Outcome::Said {
        speaker: world.as_who(who),
        channel: channel.to_string().into(),
        to: to.map(|id| world.as_who(id)),
        text: words.into(),
        message_id: None,
        channel_id: None,
    })
}
