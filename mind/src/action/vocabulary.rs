//! What a model is told of actions: types with their fields, then the verbs of the game in groups.
//!
//! Names, usage and headings come from the verb table (`protocol::verbs`). Invariant: the same bytes for all agents of
//! a build in one world.

use super::Offer;
use super::order::{self, Autopilot};
use super::table::{Channels, ROWS, Row};
use protocol::payload::Words;
use protocol::verbs::{Heading, Models, VERBS, Verb};

/// Socials that show what socials are, where the world at hand has them; and how many are shown.
const SOME_SOCIALS: &[&str] = &["smile", "nod", "wave", "bow", "shrug", "laugh", "thank"];

/// The text for P0. Without `mind`, the actions of the mind are not spoken of; `delegate` is where it is offered.
/// `words`: the socials and channels of the world at hand.
pub fn vocabulary(mind: bool, autopilot: Autopilot, words: &Words) -> String {
    let mut text = String::from("Types of actions, with their fields (? may be null):\n");
    let offer = Offer::of(words.clone());
    let is_told = |row: &&Row| !row.order && row.is_offered(mind, autopilot) && row.is_in(&offer);
    text.push_str(&listed(ROWS.iter().filter(is_told).collect(), "- "));
    text.push_str(&order::told(autopilot == Autopilot::Offered));
    if mind {
        text.push_str(
            "set, append and delete write your memory at a path such as people.Bob.trust; w weighs it, 0 to 1.\n",
        );
    }
    for (free, heading) in
        [(false, "Verbs for `command` that spend a tick:"), (true, "Free verbs, eight in an answer at most:")]
    {
        text.push_str(heading);
        text.push('\n');
        for heading in Heading::ALL {
            let under = |verb: &&Verb| verb.free == free && verb.models == Models::Told(heading);
            let mut told: Vec<String> = VERBS.iter().filter(under).map(shown).collect();
            if free && heading == Heading::Talk {
                told.extend(words.channels.iter().map(|channel| format!("{channel} words")));
            }
            if !told.is_empty() {
                text.push_str(&format!("{}: {}\n", heading.label(), told.join(", ")));
            }
        }
    }
    let known = |name: &&&str| words.socials.iter().any(|social| **social == ***name);
    let mut socials: Vec<&str> = SOME_SOCIALS.iter().filter(known).copied().collect();
    if socials.is_empty() {
        socials = words.socials.iter().take(SOME_SOCIALS.len()).map(|social| &**social).collect();
    }
    if !socials.is_empty() {
        let more = if words.socials.len() > socials.len() { " and more" } else { "" };
        text.push_str(&format!("socials: {}{more}, alone or with a name\n", socials.join(", ")));
    }
    text
}

/// What P1 tells of the actions of channels, a line for each set of fields; empty where nobody has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelActions {
    pub free: String,
    /// Under a heading: making agents spends a tick.
    pub of_agents: String,
}

/// For those whose server has channels; making agents is for those who may.
pub fn of_channels(offer: &Offer) -> ChannelActions {
    let rows = ROWS.iter().filter(|row| row.channels != Channels::Nothing && row.is_offered_by(offer));
    let (agents, free): (Vec<&Row>, Vec<&Row>) = rows.partition(|row| row.channels == Channels::Agents);
    let of_agents = match agents.is_empty() {
        true => String::new(),
        false => format!("These spend a tick:\n{}", listed(agents, "")),
    };
    ChannelActions { free: listed(free, ""), of_agents }
}

/// What P1 tells of the actions of arts, a line for each set of fields.
pub fn of_arts() -> String {
    listed(ROWS.iter().filter(|row| row.arts).collect(), "")
}

/// A line for each set of fields, with the types that have it.
fn listed(rows: Vec<&Row>, mark: &str) -> String {
    let mut text = String::new();
    let mut done = vec![false; rows.len()];
    for first in 0..rows.len() {
        if done[first] {
            continue;
        }
        let fields = fields_of(rows[first]);
        let mut names = Vec::new();
        for (other, done) in done.iter_mut().enumerate().skip(first) {
            if !*done && fields_of(rows[other]) == fields {
                *done = true;
                names.push(rows[other].name);
            }
        }
        text.push_str(&format!("{mark}{}{fields}\n", names.join(" | ")));
    }
    text
}

fn fields_of(row: &Row) -> String {
    let fields: Vec<String> =
        row.fields.iter().map(|field| format!("{}{}", field.name, if field.optional { "?" } else { "" })).collect();
    if fields.is_empty() { String::new() } else { format!(": {}", fields.join(", ")) }
}

/// `get thing [container]`: a verb with the first form of its usage, without the marks that only people need.
fn shown(verb: &Verb) -> String {
    let usage = verb.usage.split(" | ").next().unwrap_or("").replace(['<', '>'], "");
    // A form that was cut inside of its brackets is closed again.
    let open = usage.matches('[').count() > usage.matches(']').count();
    format!("{} {usage}{}", verb.name, if open { "]" } else { "" }).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::tests::words;

    #[test]
    fn a_world_s_own_words_are_told_and_no_others() {
        let own = Words { socials: vec!["nod".into(), "tango".into()], channels: vec!["trade".into()] };
        let text = vocabulary(true, Autopilot::Offered, &own);
        assert!(text.contains("emote what you do, trade words\n") && text.contains("socials: nod and more,"), "{text}");
        assert!(!text.contains("gossip") && !text.contains("smile"), "{text}");
        let strange = Words { socials: vec!["tango".into()], channels: Vec::new() };
        assert!(vocabulary(true, Autopilot::Offered, &strange).ends_with("socials: tango, alone or with a name\n"));
        assert!(!vocabulary(true, Autopilot::Offered, &Words::default()).contains("socials"));
    }

    #[test]
    fn what_models_may_not_use_they_are_not_told_of() {
        for name in ["password", "quit", "alias", "unalias"] {
            assert!(VERBS.iter().any(|verb| verb.name == name && verb.models == Models::Forbidden), "{name}");
        }
    }

    #[test]
    fn the_vocabulary_is_short_and_says_which_verbs_spend_a_tick() {
        for mind in [false, true] {
            let text = vocabulary(mind, Autopilot::Offered, &words());
            let tokens = crate::tokens::count(&text);
            assert!(tokens < 900, "{tokens} tokens:\n{text}");
            let (before, free) = text.split_once("Free verbs").expect("two lists");
            let (types, spending) = before.split_once("that spend a tick").expect("a heading");
            assert!(spending.contains("kill target") && !free.contains("kill target"), "{text}");
            assert!(free.contains("tell player words") && !spending.contains("tell"), "{text}");
            assert_eq!(types.contains("step_done"), mind);
            assert!(!text.contains("quit") && !text.contains("password"));
        }
    }
}
