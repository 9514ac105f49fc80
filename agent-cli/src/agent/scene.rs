//! What a council of this body looks at: from what is seen, known and came to mind.

use super::body::Body;
use ::mind::council::{Being, Felt, Scene};
use dreaming::{Terms, forgetting};
use protocol::payload::Memory;

pub(super) fn scene(body: &Body, memories: &[Memory]) -> Scene {
    let (state, known) = (&body.state, &body.known);
    let being = |word: &str, id: String, name: &str| (word.to_lowercase(), Being { id, name: name.to_string() });
    let items = state.items().iter().map(|item| being(&item.target_string, item.instance_id.to_string(), &item.name));
    let mobs = state.mobs().iter().map(|mob| being(&mob.target_string, mob.instance_id.to_string(), &mob.name));
    let players = known.players.iter().map(|name| being(name, format!("player_{}", name.to_lowercase()), name));
    Scene {
        me: state.name().to_string(),
        // Where a word means several, the last of these is meant: people before mobs before things.
        targets: items.chain(mobs).chain(players).collect(),
        hp_percent: state.hp_percent(),
        attacked: state.attackers().next().is_some(),
        plot: state.plot.clone().flatten(),
        memories: memories.iter().map(felt).collect(),
    }
}

/// The prompt shows no salience: it is what the law of forgetting leaves of 1 after a memory's age.
fn felt(memory: &Memory) -> Felt {
    let (valence, nights) = (f64::from(memory.valence), (memory.age_hours.max(0.0) / 24.0) as i32);
    let salience = forgetting::salience(&Terms::default(), 1.0, valence.abs(), nights);
    Felt { text: memory.text.clone(), weight: salience * valence }
}
