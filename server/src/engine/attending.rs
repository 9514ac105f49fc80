//! What characters are occupied with, for those whose clients read their minds: what they looked at by their commands,
//! and what they touched by what came of them; and how much their clients were sent. Costs nothing where nobody reads a
//! mind.

use super::readers::Readers;
use mind::derive::Derived;
use mind::focus::{self, How, LooksAt, Subject};
use protocol::outcome::WhoKind;
use world::find::first_argument;
use world::report::{Ran, Report};
use world::{CharacterId, World};

/// Lines of minds that follow from an input.
pub(super) fn attend(world: &World, readers: &mut Readers, report: &Report) -> Vec<(CharacterId, Derived)> {
    let mut found = Vec::new();
    let tick = report.tick;
    for ran in &report.ran {
        let Some(deriver) = readers.deriver(ran.who) else { continue };
        deriver.typed(&ran.word, &ran.args);
        // What it said itself grows old as all else.
        let said = focus::said(&ran.word, &ran.args).map(|topic| (topic, How::Named));
        let touched = said.or_else(|| Some((looked_at(world, ran)?, How::Looked)));
        if let Some((subject, how)) = touched {
            found.extend(deriver.touch(&subject, how, tick).into_iter().map(|line| (ran.who, line)));
        }
    }
    for outcome in &report.outcomes {
        let Some(act) = focus::act(outcome).filter(|act| act.doer.kind == WhoKind::Player) else { continue };
        let name = act.doer.id.strip_prefix("player_");
        let Some(who) = name.and_then(|name| world.find_player(name)) else { continue };
        let Some(deriver) = readers.deriver(who) else { continue };
        for subject in act.subjects() {
            found.extend(deriver.touch(&subject, act.how, tick).into_iter().map(|line| (who, line)));
        }
    }
    found
}

/// What comes of time, once a tick: nobody touched something for long, or much was sent.
pub(super) fn as_time_passes(readers: &mut Readers, tick: u64) -> Vec<(CharacterId, Derived)> {
    let mut found = Vec::new();
    for (who, sent, deriver) in readers.derivers() {
        let lines = deriver.close_old(tick).into_iter().chain(deriver.measure(sent, tick));
        found.extend(lines.map(|line| (who, line)));
    }
    found
}

/// What a line that was not refused looked at, as it is there and then. `None`: nothing.
fn looked_at(world: &World, ran: &Ran) -> Option<Subject> {
    let looks = focus::looks_at(&ran.word, &ran.args).filter(|_| ran.refused.is_none())?;
    let who = world.character(ran.who)?;
    let words = match looks {
        LooksAt::TheRoom => {
            let proto = world.room_proto(who.room);
            return Some(Subject::room(proto.vnum, &proto.name));
        }
        LooksAt::Topic(topic) => return Subject::topic(topic),
        LooksAt::Words(words) => words,
    };
    let (word, _) = first_argument(words);
    if ran.word.as_ref() == "look" && content::words::Direction::meant(word).is_some() {
        return None;
    }
    match (world.find_here(ran.who, word), world.find_near(ran.who, word)) {
        (Some(other), _) if other == ran.who => None,
        (Some(other), _) => Subject::person(&world.as_who(other)),
        (None, Some(thing)) => Subject::object(&world.as_object_ref(thing)),
        // What a room's description has to tell more of.
        (None, None) => Subject::topic(word),
    }
}
