//! What holds of those who live together, whatever is typed: words and gestures of somebody who is ignored reach nobody
//! who ignores them, as a line or in a log.
//!
//! It is judged by what was so before an input and after it: within one, somebody may be heard first and ignored then.

use protocol::Outcome;
use protocol::talk::Talk;
use std::collections::BTreeMap;
use world::character::{Character, Ignored};
use world::report::{Line, Report};
use world::{CharacterId, World};

#[derive(Clone, Debug, Default)]
pub struct LivingLaw {
    ignored: BTreeMap<CharacterId, Ignored>,
    /// Words and gestures of others that were judged.
    pub heard: u64,
    /// Of them those whose reader ignores somebody.
    pub by_ignorers: u64,
}

impl LivingLaw {
    /// Called after every input. What is wrong.
    pub fn judge(&mut self, world: &World, report: &Report) -> Vec<String> {
        let mut wrong = Vec::new();
        for (to, line) in report.lines.iter() {
            let Some(speaker) = speaker(world, line).filter(|speaker| *speaker != to) else { continue };
            self.heard += 1;
            let Some(before) = self.ignored.get(&to) else { continue };
            self.by_ignorers += 1;
            if ignores(world, before, to, speaker) {
                wrong.push(format!("{} reads what it ignores: {:?}", world.who(to).name, line.text));
            }
        }
        for overheard in &report.overheard {
            let Talk::Heard(heard) = &*overheard.talk else { continue };
            let speaker = world.state.players.values().copied().find(|id| *world.who(*id).shown() == heard.from);
            let (Some(speaker), Some(before)) = (speaker, self.ignored.get(&overheard.who)) else { continue };
            if world.character(overheard.who).is_some() && ignores(world, before, overheard.who, speaker) {
                wrong.push(format!("the log of {} has what it ignores: {:?}", overheard.name, heard.text));
            }
        }
        let players = world.state.players.values().copied();
        let ignoring = players.filter_map(|who| Some((who, world.who(who).player()?.ignored.clone())));
        self.ignored = ignoring.filter(|(_, ignored)| !ignored.is_empty()).collect();
        wrong
    }
}

/// Whose words or gesture a line tells.
fn speaker(world: &World, line: &Line) -> Option<CharacterId> {
    let who = match &**line.outcome.as_ref()? {
        Outcome::Said { speaker, .. } => speaker,
        Outcome::Social { actor, .. } => actor,
        _ => return None,
    };
    world.state.players.values().copied().find(|id| world.instance_of(*id) == who.id)
}

/// By the state alone, before and now.
fn ignores(world: &World, before: &Ignored, reader: CharacterId, speaker: CharacterId) -> bool {
    let player_of = |id: CharacterId| world.character(id).and_then(Character::player);
    let (Some(reader), Some(player)) = (player_of(reader), player_of(speaker)) else { return false };
    let Some(person) = player.person else { return false };
    let means = |ignored: &Ignored| ignored.people.contains(&person) || (ignored.agents && player.agent);
    let exempt = world.who(speaker).is_immortal() || world.state.agents.architect() == Some(person);
    !exempt && means(before) && means(&reader.ignored)
}
