//! The words that a memory is found by, and the sentence that a fact makes.

use crate::graph::facts::{CORPSE, Fact, Relation};
use crate::graph::*;
use crate::narrate::Dates;
use protocol::happening::Role;
use protocol::places;

/// The words that an event of its kind is found by.
pub(super) fn deed_words(event: &EventBody) -> &'static str {
    event.deed.kind().words[usize::from(event.role == Role::Suffered)]
}

/// What people ask by for somebody whom one likes as much, from -3 to 3.
pub(super) fn liking_words(liking: f64) -> &'static str {
    match liking {
        l if l >= 0.3 => "friend trust like kind good relationship",
        l if l > -0.3 => "relationship",
        // `unfriendly` and `hostile` say `enemy` themselves; the worst of them come first.
        l if l > -1.0 => "relationship",
        l if l > -2.0 => "danger relationship",
        _ => "enemy enemy danger relationship",
    }
}

/// A fact in a sentence.
pub fn fact_text(graph: &Graph, fact: &Fact, dates: Dates) -> String {
    // Of what holds still ", since …", of what has ended " from … until …".
    let span = match fact.until_at {
        None => dates.told(graph, ", since ", fact.since_at),
        Some(until) => dates.told(graph, " from ", fact.since_at) + &dates.told(graph, " until ", until),
    };
    let (name, value, ended) = (&fact.name, &fact.value_name, fact.until.is_some());
    let lies_in_room = fact.value.starts_with("room:");
    match fact.relation {
        Relation::HeldBy if fact.value.starts_with(CORPSE) && ended => format!("{name} lay in {value}{span}."),
        Relation::HeldBy if fact.value.starts_with(CORPSE) => format!("{name} lies now in {value}{span}."),
        Relation::HeldBy if lies_in_room && ended => format!("{name} lay {}{span}.", places::at(value)),
        Relation::HeldBy if lies_in_room => format!("{name} lies {} now{span}.", places::at(value)),
        Relation::HeldBy if ended => format!("{name} was with {value}{span}."),
        Relation::HeldBy => format!("{name} is held now by {value}{span}."),
        Relation::Door if ended => format!("{name} was {value}{span}."),
        Relation::Door => format!("{name} is {value} now{span}."),
        Relation::Life if ended => format!("{name} was dead{span}, and lives again."),
        Relation::Life => format!("{name} is dead{span}."),
        Relation::GoesWith if ended => format!("{name} was in the same group{span}."),
        Relation::GoesWith => format!("{name} is in the same group{span}."),
        Relation::Price if ended => format!("{name} cost {value}{span}."),
        Relation::Price => format!("{name} costs {value}{span}."),
    }
}
