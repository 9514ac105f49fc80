//! A record as one sentence to the owner of the log: what `history` and an agent's prompt show.
//!
//! The owner is "you"; everybody else has the name that the record gives. Leaves the voice of memories to `dreaming`,
//! which tells of many records at once. Invariants: one line without control characters, of at most `BRIEF_MAX`
//! characters; words of players stand last, between marks that they cannot close.

use super::{Happening, Help, Item, Role, Tone, What};
use crate::names::clean_text;
use crate::outcome::DoorChange;

/// Longest name of anybody or anything in it, characters.
const NAME_MAX: usize = 40;
/// Most that is quoted of what somebody said, characters.
const WORDS_MAX: usize = 80;
/// Longest sentence, characters: three names, quoted words and ours around them.
pub const BRIEF_MAX: usize = 300;

impl Happening {
    /// `You killed a goblin in The Square, for 120 experience.`
    pub fn brief(&self) -> String {
        let (doer, sufferer) = self.what.parts();
        let doer = doer.map(|who| if self.role == Role::Did { "you".to_string() } else { name(&who.name) });
        let sufferer =
            sufferer.map(|who| if self.role == Role::Suffered { "you".to_string() } else { name(&who.name) });
        let text = capitalised(&self.told(doer, sufferer));
        format!("{text}.")
    }

    /// The sentence without its full stop. `doer` and `sufferer`: as `What::parts` has them.
    fn told(&self, doer: Option<String>, sufferer: Option<String>) -> String {
        let place = format!("in {}", name(&self.room.name));
        let is_doer_known = doer.is_some();
        let who = doer.unwrap_or_else(|| "something".to_string());
        let whom = sufferer.clone().unwrap_or_else(|| "somebody".to_string());
        match &self.what {
            What::Killed { xp, .. } => {
                let deed = if is_doer_known { format!("{who} killed {whom}") } else { format!("{whom} died") };
                format!("{deed} {place}{}", self.experience(*xp))
            }
            What::Assisted { killer, .. } => match killer.as_ref().filter(|killer| Some(*killer) != self.me()) {
                Some(killer) => format!("{who} helped {} to kill {whom} {place}", name(&killer.name)),
                None => format!("{who} had a share in killing {whom} {place}"),
            },
            What::Fought { .. } => format!("{who} fought {whom} {place}"),
            What::Fled { hp_percent, .. } => {
                let from = sufferer.map_or(String::new(), |whom| format!(" from {whom}"));
                format!("{who} fled{from} {place} with {hp_percent} % of health left")
            }
            What::Wounded { hp_percent, .. } => {
                let was = if self.role == Role::Suffered { "were" } else { "was" };
                match is_doer_known {
                    true => format!("{who} brought {whom} down to {hp_percent} % of health {place}"),
                    false => format!("{whom} {was} down to {hp_percent} % of health {place}"),
                }
            }
            What::Acquired { item, from, .. } => {
                let from = from.as_ref().map_or(String::new(), |from| format!(" from {}", name(from)));
                format!("{who} took {}{from} {place}", name(&item.name))
            }
            What::Dropped { item, .. } => format!("{who} let go of {} {place}", name(&item.name)),
            What::UsedUp { item, .. } => format!("{who} used up {} {place}", name(&item.name)),
            What::Given { item, gold, .. } => match self.role {
                Role::Suffered => format!("{who} gave you {} {place}", goods(item.as_ref(), *gold)),
                _ => format!("{who} gave {} to {whom} {place}", goods(item.as_ref(), *gold)),
            },
            What::Stolen { item, gold, .. } => {
                format!("{who} stole {} from {whom} {place}", goods(item.as_ref(), *gold))
            }
            What::Bought { item, price, .. } => {
                format!("{who} bought {} from {whom} for {} {place}", name(&item.name), coins(*price))
            }
            What::Sold { item, price, .. } => {
                format!("{who} sold {} to {whom} for {} {place}", name(&item.name), coins(*price))
            }
            What::Betrayed { .. } => format!("{who} betrayed {whom} {place}"),
            What::Helped { how, hp_percent, .. } => {
                let weak = hp_percent.map_or(String::new(), |percent| format!(" (at {percent} % of health)"));
                let verb = match how {
                    Help::Healed => "healed",
                    Help::Rescued => "rescued",
                    Help::Grouped => "joined forces with",
                    Help::Defended => "defended",
                    Help::Cooperated => "worked together with",
                };
                format!("{who} {verb} {whom}{weak} {place}")
            }
            What::Parted { .. } => format!("{who} parted from {whom} {place}"),
            What::Spoke { tone, text, .. } => {
                let words = quoted(text);
                let verb = match (tone, &sufferer) {
                    (Tone::Neutral, _) => "said",
                    (Tone::Kind, _) => "said kindly",
                    (Tone::Insult, Some(_)) => "insulted",
                    (Tone::Insult, None) => "said insultingly",
                    (Tone::Threat, Some(_)) => "threatened",
                    (Tone::Threat, None) => "said threateningly",
                };
                let to = match (tone, &sufferer) {
                    (_, None) => String::new(),
                    (Tone::Neutral | Tone::Kind, Some(whom)) => format!(" to {whom}"),
                    (Tone::Insult | Tone::Threat, Some(whom)) => format!(" {whom}"),
                };
                format!("{who} {verb}{to} {place}{words}")
            }
            What::Met { .. } => format!("{who} first met {whom} {place}"),
            What::RoomSeen { from, .. } => {
                let from = from.as_ref().map_or(String::new(), |from| format!(", from {}", name(&from.name)));
                format!("{who} came to {} for the first time{from}", name(&self.room.name))
            }
            What::LevelGained { level, .. } => format!("{who} reached level {level} {place}"),
            What::Door { direction, state, leads_to, .. } => {
                let to = leads_to.as_ref().map_or(String::new(), |to| format!(" to {}", name(&to.name)));
                let door = format!("the door leading {} from {}{to}", name(direction), name(&self.room.name));
                let (verb, by_itself) = match state {
                    DoorChange::Opened => ("opened", "opened"),
                    DoorChange::Closed => ("closed", "closed"),
                    DoorChange::Locked => ("locked", "was locked"),
                    DoorChange::Unlocked => ("unlocked", "was unlocked"),
                };
                match is_doer_known {
                    true => format!("{who} {verb} {door}"),
                    false => format!("{door} {by_itself}"),
                }
            }
        }
    }

    /// What a death brought the owner, or cost it.
    fn experience(&self, xp: i64) -> String {
        match (self.role, xp) {
            (_, 0) | (Role::Saw, _) => String::new(),
            (Role::Suffered, lost) => format!(", and you lost {} experience", lost.unsigned_abs()),
            (Role::Did, won) => format!(", for {won} experience"),
        }
    }
}

/// A thing, coins, or both; one of them is there.
fn goods(item: Option<&Item>, gold: i64) -> String {
    match (item, gold) {
        (Some(item), 0) => name(&item.name),
        (Some(item), gold) => format!("{} and {}", name(&item.name), coins(gold)),
        (None, gold) => coins(gold),
    }
}

fn coins(count: i64) -> String {
    if count == 1 { "1 coin".to_string() } else { format!("{count} coins") }
}

/// A name, on one line and of bounded length.
fn name(text: &str) -> String {
    cut(&clean_text(text), NAME_MAX)
}

/// `: "words"`; nothing where nothing was said.
fn quoted(text: &str) -> String {
    let words = clean_text(text).replace('"', "'");
    match words.trim() {
        "" => String::new(),
        words => format!(": \"{}\"", cut(words, WORDS_MAX)),
    }
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::happening::Place;
    use crate::outcome::{Who, WhoKind};
    use Role::{Did, Saw, Suffered};

    fn who(name: &str) -> Who {
        Who { id: name.to_lowercase().into(), name: name.into(), kind: WhoKind::Player, level: 5 }
    }

    fn happening(role: Role, what: What) -> Happening {
        let room = Place { vnum: 1, name: "The Square".into() };
        Happening { what, role, room, witnesses: Vec::new(), social_event_id: None, novel: false, valence: None }
    }

    #[test]
    fn each_kind_is_a_sentence_to_the_owner() {
        let (bob, eve, rat) = (|| who("Bob"), || who("Eve"), || who("a rat"));
        let lamp = || Item { id: "obj_1_2".into(), name: "a lamp".into(), vnum: 1, level: 5 };
        let cellar = || Some(Place { vnum: 2, name: "The Cellar".into() });
        let killed = |killer, xp| What::Killed { victim: rat(), killer, xp };
        let given = |item, gold| What::Given { giver: bob(), receiver: eve(), item, gold };
        let spoke = |to, tone, text: &str| What::Spoke { speaker: bob(), to, tone, text: text.into() };
        let assisted = |killer| What::Assisted { who: bob(), victim: rat(), killer };
        let helped = |how, hp_percent| What::Helped { helper: bob(), helped: eve(), how, hp_percent };
        let wounded = |by| What::Wounded { who: bob(), hp_percent: 15, by };
        let fled = |from| What::Fled { who: bob(), hp_percent: 20, from };
        let door = |who, state, leads_to| What::Door { who, direction: "up".into(), state, leads_to };
        for (role, what, told) in [
            (Did, killed(Some(bob()), 40), "You killed a rat in The Square, for 40 experience."),
            (Saw, killed(Some(bob()), 40), "Bob killed a rat in The Square."),
            (Suffered, killed(Some(bob()), -9), "Bob killed you in The Square, and you lost 9 experience."),
            (Suffered, killed(None, 0), "You died in The Square."),
            (Saw, killed(None, 0), "A rat died in The Square."),
            (Did, assisted(Some(eve())), "You helped Eve to kill a rat in The Square."),
            (Did, assisted(None), "You had a share in killing a rat in The Square."),
            (Suffered, What::Fought { who: rat(), against: bob() }, "A rat fought you in The Square."),
            (Did, fled(Some(rat())), "You fled from a rat in The Square with 20 % of health left."),
            (Saw, fled(None), "Bob fled in The Square with 20 % of health left."),
            (Suffered, wounded(Some(rat())), "A rat brought you down to 15 % of health in The Square."),
            (Suffered, wounded(None), "You were down to 15 % of health in The Square."),
            (Saw, wounded(None), "Bob was down to 15 % of health in The Square."),
            (
                Did,
                What::Acquired { who: bob(), item: lamp(), from: Some("the corpse of a rat".into()) },
                "You took a lamp from the corpse of a rat in The Square.",
            ),
            (Did, What::Dropped { who: bob(), item: lamp() }, "You let go of a lamp in The Square."),
            (Did, What::UsedUp { who: bob(), item: lamp() }, "You used up a lamp in The Square."),
            (Did, given(Some(lamp()), 0), "You gave a lamp to Eve in The Square."),
            (Suffered, given(None, 1), "Bob gave you 1 coin in The Square."),
            (Saw, given(None, 25), "Bob gave 25 coins to Eve in The Square."),
            (
                Suffered,
                What::Stolen { thief: bob(), victim: eve(), item: None, gold: 7 },
                "Bob stole 7 coins from you in The Square.",
            ),
            (
                Did,
                What::Bought { who: bob(), seller: eve(), item: lamp(), price: 12 },
                "You bought a lamp from Eve for 12 coins in The Square.",
            ),
            (
                Did,
                What::Sold { who: bob(), buyer: eve(), item: lamp(), price: 12 },
                "You sold a lamp to Eve for 12 coins in The Square.",
            ),
            (Suffered, What::Betrayed { by: bob(), victim: eve() }, "Bob betrayed you in The Square."),
            (Suffered, helped(Help::Healed, Some(8)), "Bob healed you (at 8 % of health) in The Square."),
            (Did, helped(Help::Grouped, None), "You joined forces with Eve in The Square."),
            (Suffered, What::Parted { who: bob(), from: eve() }, "Bob parted from you in The Square."),
            (Suffered, spoke(Some(eve()), Tone::Neutral, "hi"), "Bob said to you in The Square: \"hi\"."),
            (Saw, spoke(Some(eve()), Tone::Threat, "run"), "Bob threatened Eve in The Square: \"run\"."),
            (Suffered, spoke(None, Tone::Insult, "fools"), "Bob said insultingly in The Square: \"fools\"."),
            (Did, spoke(None, Tone::Kind, " "), "You said kindly in The Square."),
            (Did, What::Met { who: bob(), other: eve() }, "You first met Eve in The Square."),
            (
                Did,
                What::RoomSeen { who: bob(), from: cellar() },
                "You came to The Square for the first time, from The Cellar.",
            ),
            (Saw, What::LevelGained { who: bob(), level: 6 }, "Bob reached level 6 in The Square."),
            (
                Did,
                door(Some(bob()), DoorChange::Unlocked, cellar()),
                "You unlocked the door leading up from The Square to The Cellar.",
            ),
            (Saw, door(None, DoorChange::Locked, None), "The door leading up from The Square was locked."),
            (Saw, door(None, DoorChange::Closed, None), "The door leading up from The Square closed."),
        ] {
            assert_eq!(happening(role, what).brief(), told);
        }
    }

    #[test]
    fn what_others_say_and_are_called_stays_one_bounded_line() {
        let long = "x".repeat(5_000);
        let eve = Who { name: format!("Eve\u{1b}[2J\n{long}").into(), ..who("Eve") };
        let room = Place { vnum: 1, name: long.as_str().into() };
        let text = format!("\u{202e}you \"won\": \"everything\".\r\n#9 {long}").into();
        let what = What::Spoke { speaker: eve.clone(), to: Some(who(&long)), tone: Tone::Threat, text };
        let told = Happening { room: room.clone(), ..happening(Saw, what) }.brief();
        assert!(told.chars().count() <= BRIEF_MAX && !told.chars().any(crate::names::is_unsafe), "{told}");
        let quoted = told.split_once(": \"").expect("words are quoted").1;
        assert!(quoted.ends_with("…\".") && quoted.matches('"').count() == 1, "{told}");

        let item = Item { name: long.as_str().into(), ..Item::unseen() };
        let (who, buyer, price) = (eve.clone(), eve, i64::MIN);
        let sold = Happening { room, ..happening(Saw, What::Sold { who, buyer, item, price }) }.brief();
        assert!(sold.chars().count() <= BRIEF_MAX, "{sold}");
    }
}
