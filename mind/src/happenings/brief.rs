//! A record as one sentence to the owner of the log: what `history` and an agent's prompt show.
//!
//! The owner is "you"; everybody else has the name that the record gives. Leaves the voice of memories to `dreaming`,
//! which tells of many records at once. Invariants: one line without control characters, of at most `BRIEF_MAX`
//! characters; words of players stand last, between marks that they cannot close.

use super::Deed;
use super::template::{Value, fill};
use protocol::happening::{Happening, Item, Role, What};
use protocol::names::clean_text;
use protocol::places;
use protocol::words::{capitalised, shortened};

/// Longest name of anybody or anything in it, characters.
const NAME_MAX: usize = 40;
/// Most that is quoted of what somebody said, characters.
const WORDS_MAX: usize = 80;
/// Longest sentence, characters: three names, quoted words and ours around them.
pub const BRIEF_MAX: usize = 300;

/// Names in `Kind::brief`. `experience` and `words` bring the comma or colon before them and may be empty; `me` is
/// known where the owner suffered it.
pub const PLACEHOLDERS: [&str; 15] = [
    "doer",
    "sufferer",
    "third",
    "me",
    "mind",
    "was",
    "thing",
    "price",
    "number",
    "from",
    "room",
    "place",
    "door",
    "words",
    "experience",
];

/// `You killed a goblin at the Square, for 120 experience.`
pub fn brief(happening: &Happening) -> String {
    let template = Deed::of(&happening.what).kind().brief;
    format!("{}.", capitalised(&fill(template, |name| value(happening, name))))
}

fn value<'h>(happening: &'h Happening, placeholder: &str) -> Value<'h> {
    let what = &happening.what;
    let (doer, sufferer) = what.parts();
    let named = |text: Option<&str>, unknown: &'static str| match text {
        Some(text) => (name(text).into(), true),
        None => (unknown.into(), false),
    };
    let always = |text: String| (text.into(), true);
    let suffered = happening.role == Role::Suffered;
    match placeholder {
        "doer" if happening.role == Role::Did && doer.is_some() => ("you".into(), true),
        "doer" => named(doer.map(|who| &*who.name), "something"),
        "sufferer" if suffered && sufferer.is_some() => ("you".into(), true),
        "sufferer" => named(sufferer.map(|who| &*who.name), "somebody"),
        "third" => named(what.third().filter(|who| Some(*who) != happening.me()).map(|who| &*who.name), "somebody"),
        "me" => ("you".into(), suffered),
        "mind" => match what {
            // The body's own word is no mind's of the council.
            What::Differed { followed: Some(mind), .. } if !mind.is_body() => always(mind.to_string()),
            _ => ("no mind".into(), false),
        },
        "was" => (if suffered { "were" } else { "was" }.into(), true),
        "thing" => always(match what {
            What::Given { item, gold, .. } | What::Stolen { item, gold, .. } => goods(item.as_ref(), *gold),
            _ => what.item().map_or_else(|| "something".to_string(), |item| name(&item.name)),
        }),
        "price" => always(coins(what.amount().unwrap_or(0))),
        "number" => match what.amount() {
            // Where one came to once there is nothing to count.
            Some(number) => (number.to_string().into(), number > 1 || !matches!(what, What::Visited { .. })),
            None => ("some".into(), false),
        },
        "from" => match what {
            What::Acquired { from, .. } => named(from.as_deref(), "somewhere"),
            What::RoomSeen { from, .. } | What::Visited { from, .. } => {
                (from.as_ref().map_or("somewhere".into(), |room| room_name(&room.name)).into(), from.is_some())
            }
            _ => ("somewhere".into(), false),
        },
        "room" => always(room_name(&happening.room.name)),
        "place" => (places::at(&name(&happening.room.name)).into(), !happening.room.is_nowhere()),
        "door" => always(door(happening)),
        "words" => always(what.text().map_or_else(String::new, |text| quoted(text))),
        "experience" => always(match what {
            What::Killed { xp, .. } => experience(happening.role, *xp),
            _ => String::new(),
        }),
        other => unreachable!("{other:?} is none of `PLACEHOLDERS`"),
    }
}

/// `the door leading up from the Square to the Cellar`
fn door(happening: &Happening) -> String {
    let What::Door { direction, leads_to, .. } = &happening.what else { return "a door".to_string() };
    let to = leads_to.as_ref().map_or(String::new(), |to| format!(" to {}", room_name(&to.name)));
    format!("the door leading {} from {}{to}", name(direction), room_name(&happening.room.name))
}

/// What a death brought the owner, or cost it.
fn experience(role: Role, xp: i64) -> String {
    match (role, xp) {
        (_, 0) | (Role::Saw, _) => String::new(),
        (Role::Suffered, lost) => format!(", and you lost {} experience", lost.unsigned_abs()),
        (Role::Did, won) => format!(", for {won} experience"),
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
    shortened(&clean_text(text), NAME_MAX)
}

fn room_name(text: &str) -> String {
    places::named(&name(text)).into_owned()
}

/// `: "words"`; nothing where nothing was said.
fn quoted(text: &str) -> String {
    let words = clean_text(text).replace('"', "'");
    match words.trim() {
        "" => String::new(),
        words => format!(": \"{}\"", shortened(words, WORDS_MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Role::{Did, Saw, Suffered};
    use protocol::happening::{Help, Place, Tone, Went};
    use protocol::minds::MindName;
    use protocol::outcome::{DoorChange, Who, WhoKind};

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
        let plan = |done| What::PlanEnded {
            who: bob(),
            plan: "a well".into(),
            done,
            steps: 2,
            ticked: 1,
            shared: false,
            company: None,
        };
        let differed = |followed, about, went| {
            let (who, over, line) = (bob(), "command".into(), "kill rat".into());
            What::Differed { who, about, over, followed, line, ticks: 30, went, valence: 0 }
        };
        for (role, what, told) in [
            (Did, killed(Some(bob()), 40), "You killed a rat at the Square, for 40 experience."),
            (Saw, killed(Some(bob()), 40), "Bob killed a rat at the Square."),
            (Suffered, killed(Some(bob()), -9), "Bob killed you at the Square, and you lost 9 experience."),
            (Suffered, killed(None, 0), "You died at the Square."),
            (Saw, killed(None, 0), "A rat died at the Square."),
            (Did, assisted(Some(eve())), "You helped Eve to kill a rat at the Square."),
            (Did, assisted(None), "You had a share in killing a rat at the Square."),
            (Suffered, What::Fought { who: rat(), against: bob() }, "A rat fought you at the Square."),
            (Did, fled(Some(rat())), "You fled from a rat at the Square with 20 % of health left."),
            (Saw, fled(None), "Bob fled at the Square with 20 % of health left."),
            (Suffered, wounded(Some(rat())), "A rat brought you down to 15 % of health at the Square."),
            (Suffered, wounded(None), "You were down to 15 % of health at the Square."),
            (Saw, wounded(None), "Bob was down to 15 % of health at the Square."),
            (
                Did,
                What::Acquired { who: bob(), item: lamp(), from: Some("the corpse of a rat".into()) },
                "You took a lamp from the corpse of a rat at the Square.",
            ),
            (Did, What::Dropped { who: bob(), item: lamp() }, "You let go of a lamp at the Square."),
            (Did, What::UsedUp { who: bob(), item: lamp() }, "You used up a lamp at the Square."),
            (Did, given(Some(lamp()), 0), "You gave a lamp to Eve at the Square."),
            (Suffered, given(None, 1), "Bob gave you 1 coin at the Square."),
            (Saw, given(None, 25), "Bob gave 25 coins to Eve at the Square."),
            (
                Suffered,
                What::Stolen { thief: bob(), victim: eve(), item: None, gold: 7 },
                "Bob stole 7 coins from you at the Square.",
            ),
            (
                Did,
                What::Bought { who: bob(), seller: eve(), item: lamp(), price: 12 },
                "You bought a lamp from Eve for 12 coins at the Square.",
            ),
            (
                Did,
                What::Sold { who: bob(), buyer: eve(), item: lamp(), price: 12 },
                "You sold a lamp to Eve for 12 coins at the Square.",
            ),
            (Suffered, What::Betrayed { by: bob(), victim: eve() }, "Bob betrayed you at the Square."),
            (Suffered, helped(Help::Healed, Some(8)), "Bob healed you (at 8 % of health) at the Square."),
            (Did, helped(Help::Grouped, None), "You joined forces with Eve at the Square."),
            (Suffered, What::Parted { who: bob(), from: eve() }, "Bob parted from you at the Square."),
            (Suffered, spoke(Some(eve()), Tone::Neutral, "hi"), "Bob said to you at the Square: \"hi\"."),
            (Saw, spoke(Some(eve()), Tone::Threat, "run"), "Bob threatened Eve at the Square: \"run\"."),
            (Suffered, spoke(None, Tone::Insult, "fools"), "Bob said insultingly at the Square: \"fools\"."),
            (Did, spoke(None, Tone::Kind, " "), "You said kindly at the Square."),
            (Did, What::Met { who: bob(), other: eve() }, "You first met Eve at the Square."),
            (
                Did,
                What::RoomSeen { who: bob(), from: cellar() },
                "You came to the Square for the first time, from the Cellar.",
            ),
            (
                Did,
                What::Visited { who: bob(), times: 5, from: cellar() },
                "You came to the Square again, 5 times or more by now, from the Cellar.",
            ),
            (Did, What::Visited { who: bob(), times: 1, from: None }, "You came to the Square."),
            (Did, What::ThrownAway { who: bob(), item: lamp() }, "You threw away a lamp at the Square."),
            (Saw, What::LevelGained { who: bob(), level: 6 }, "Bob reached level 6 at the Square."),
            (
                Did,
                door(Some(bob()), DoorChange::Unlocked, cellar()),
                "You unlocked the door leading up from the Square to the Cellar.",
            ),
            (Saw, door(None, DoorChange::Locked, None), "The door leading up from the Square was locked."),
            (Saw, door(None, DoorChange::Closed, None), "The door leading up from the Square closed."),
            (Did, plan(true), "You carried out a plan at the Square: \"a well\"."),
            (Did, plan(false), "You gave up a plan at the Square: \"a well\"."),
            (
                Did,
                differed(Some(MindName::Outer), Some(rat()), Went::Ill),
                "You followed OUTER's word about a rat, and it went ill at the Square: \"kill rat\".",
            ),
            (
                Did,
                differed(None, None, Went::Nowhere),
                "You followed no mind's word, and nothing came of it at the Square: \"kill rat\".",
            ),
        ] {
            assert_eq!(brief(&happening(role, what)), told);
        }
    }

    #[test]
    fn what_others_say_and_are_called_stays_one_bounded_line() {
        let long = "x".repeat(5_000);
        let eve = Who { name: format!("Eve\u{1b}[2J\n{long}").into(), ..who("Eve") };
        let room = Place { vnum: 1, name: long.as_str().into() };
        let text = format!("\u{202e}you \"won\": \"everything\".\r\n#9 {long}").into();
        let what = What::Spoke { speaker: eve.clone(), to: Some(who(&long)), tone: Tone::Threat, text };
        let told = brief(&Happening { room: room.clone(), ..happening(Saw, what) });
        assert!(told.chars().count() <= BRIEF_MAX && !told.chars().any(protocol::names::is_unsafe), "{told}");
        let quoted = told.split_once(": \"").expect("words are quoted").1;
        assert!(quoted.ends_with("…\".") && quoted.matches('"').count() == 1, "{told}");

        let item = Item { name: long.as_str().into(), ..Item::unseen() };
        let (who, buyer, price) = (eve.clone(), eve, i64::MIN);
        let sold = brief(&Happening { room, ..happening(Saw, What::Sold { who, buyer, item, price }) });
        assert!(sold.chars().count() <= BRIEF_MAX, "{sold}");
    }
}
