//! What may be said of one record: each kind in each role, in words of our own.

use super::past::{Entry, Past, cut};
use mind::happenings::Deed;
use protocol::happening::{Role, What};
use protocol::minds::MindName;
use protocol::places;

/// A sentence about one record in its pieces: `before` how often, `after`, the place, `words`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Phrase {
    pub before: String,
    pub after: String,
    pub words: String,
    /// It begins with a name, which keeps its letters.
    pub named_first: bool,
    pub counted: bool,
    /// What stands in a row with others of its sort, between `before` and `after`.
    pub listed: Option<String>,
    /// Who and what took part, so that two of one name stay two.
    pub about: String,
}

fn plain(before: String) -> Phrase {
    Phrase {
        before,
        after: String::new(),
        words: String::new(),
        named_first: false,
        counted: true,
        listed: None,
        about: String::new(),
    }
}

fn row(before: &str, listed: String, after: &str) -> Phrase {
    Phrase { after: after.into(), listed: Some(listed), ..plain(before.into()) }
}

pub fn phrase(past: &Past, entry: &Entry) -> Phrase {
    let mut phrase = bare(past, entry);
    // A number that tells two apart is among the words.
    phrase.about = format!("{:?}", [&entry.doer, &entry.sufferer, &entry.third, &entry.item]);
    phrase
}

fn bare(past: &Past, entry: &Entry) -> Phrase {
    let (did, suffered) = (entry.role == Role::Did, entry.role == Role::Suffered);
    let doer = past.name(entry.doer.as_deref());
    let sufferer = past.name(entry.sufferer.as_deref());
    let other = past.name(entry.other());
    let amount = entry.what().amount();
    // A name that cannot be told is as good as none.
    let by = |name: &str, word: &str| if name == "someone" { String::new() } else { format!(" {word} {name}") };
    let thing = match (&entry.item, amount) {
        (Some(item), _) => past.name(Some(item)),
        (None, Some(1)) => "1 coin".into(),
        (None, Some(coins)) if coins >= 0 => format!("{coins} coins"),
        (None, _) => "something".into(),
    };
    let coins = match amount {
        Some(1) => "1 coin".to_string(),
        amount => format!("{} coins", amount.unwrap_or(-1)),
    };
    let left = amount.map_or(String::new(), |percent| format!(" at {percent} % of my health"));
    let help = |did_it: &str, had: &str, saw: &str| match entry.role {
        Role::Did => plain(format!("{did_it} {sufferer}")),
        Role::Suffered => plain(format!("{had} {doer}{left}")),
        Role::Saw => plain(format!("Saw {doer} {saw} {sufferer}")),
    };
    let side_by_side = |did_it: &str, saw: &str| match entry.role {
        Role::Did => plain(format!("{did_it} {sufferer}")),
        Role::Suffered => plain(format!("{did_it} {doer}")),
        Role::Saw => plain(format!("Saw {doer} {saw} {sufferer}")),
    };
    let quoted = || match entry.what().text().map(|text| cut(text, 90).replace('"', "'")) {
        Some(text) if !text.is_empty() => format!(": \"{text}\""),
        _ => String::new(),
    };
    let spoken = |phrase: Phrase| Phrase { words: quoted(), ..phrase };
    let uncounted = |before: String| Phrase { counted: false, ..plain(before) };
    let by_name = |before: String| Phrase { named_first: true, ..plain(before) };
    match entry.deed {
        Deed::Killed if did => row("Killed ", sufferer, ""),
        Deed::Killed if suffered => {
            plain(format!("Died{}", if doer == "someone" { String::new() } else { format!(", killed by {doer}") }))
        }
        Deed::Killed => plain(format!(
            "Saw {sufferer} die{}",
            if doer == "someone" { String::new() } else { format!(", killed by {doer}") }
        )),
        Deed::Assisted => {
            let third = past.name(entry.third.as_deref());
            plain(match (did, third == "someone") {
                (true, false) => format!("Helped {third} to kill {sufferer}"),
                (true, true) => format!("Had a share in killing {sufferer}"),
                (false, false) => format!("Saw {doer} help {third} to kill {sufferer}"),
                (false, true) => format!("Saw {doer} help to kill {sufferer}"),
            })
        }
        Deed::Fought if entry.role == Role::Saw => plain(format!("Saw {doer} fight {sufferer}")),
        Deed::Fought => plain(format!("Fought {other}")),
        Deed::Fled if did => {
            uncounted(format!("Fled{} with {} % of health", by(&sufferer, "from"), amount.unwrap_or(-1)))
        }
        Deed::Fled => uncounted(format!("Saw {doer} flee")),
        Deed::Wounded if suffered => {
            let percent = amount.unwrap_or(-1);
            uncounted(match by(&doer, "by") {
                by if by.is_empty() => format!("Was down to {percent} % of health"),
                by => format!("Was brought down to {percent} % of health{by}"),
            })
        }
        Deed::Wounded => uncounted(format!("Saw {sufferer} badly hurt{}", by(&doer, "by"))),
        Deed::Acquired if did => row("Found ", thing, ""),
        Deed::Acquired => plain(format!("Saw {doer} take {thing}")),
        Deed::Dropped if did => row("Left ", thing, " behind"),
        Deed::Dropped => plain(format!("Saw {doer} leave {thing} behind")),
        Deed::UsedUp if did => row("Used up ", thing, ""),
        Deed::UsedUp => plain(format!("Saw {doer} use up {thing}")),
        Deed::ThrownAway if did => row("Threw away ", thing, ""),
        Deed::ThrownAway => plain(format!("Saw {doer} throw away {thing}")),
        Deed::Given if did => plain(format!("Gave {thing} to {sufferer}")),
        Deed::Given if suffered => plain(format!("Received {thing} from {doer}")),
        Deed::Given => plain(format!("Saw {doer} give {thing} to {sufferer}")),
        Deed::Stolen if did => plain(format!("Stole {thing} from {sufferer}")),
        Deed::Stolen if suffered => plain(format!("Was robbed of {thing} by {doer}")),
        Deed::Stolen => plain(format!("Saw {doer} steal {thing} from {sufferer}")),
        Deed::Bought if did => plain(format!("Bought {thing} from {sufferer} for {coins}")),
        Deed::Bought => plain(format!("Saw {doer} buy {thing} from {sufferer}")),
        Deed::Sold if did => plain(format!("Sold {thing} to {sufferer} for {coins}")),
        Deed::Sold => plain(format!("Saw {doer} sell {thing} to {sufferer}")),
        Deed::Betrayed => match entry.role {
            Role::Did => plain(format!("Betrayed {sufferer}")),
            Role::Suffered => plain(format!("Was betrayed by {doer}")),
            Role::Saw => plain(format!("Saw {doer} betray {sufferer}")),
        },
        Deed::Healed => help("Healed", "Was healed by", "heal"),
        Deed::Rescued => help("Rescued", "Was rescued by", "rescue"),
        Deed::Grouped => side_by_side("Joined forces with", "join forces with"),
        Deed::Defended => help("Defended", "Was defended by", "defend"),
        Deed::Cooperated => side_by_side("Worked together with", "work together with"),
        Deed::Parted => plain(format!("Parted from {other}")),
        Deed::Said if did => spoken(plain(format!("Said{}", by(&sufferer, "to")))),
        Deed::Said => spoken(by_name(format!("{doer} said{}", by(&sufferer, "to")))),
        Deed::SaidKindly if did => spoken(plain(format!("Spoke kindly{}", by(&sufferer, "to")))),
        Deed::SaidKindly => spoken(by_name(format!("{doer} spoke kindly{}", by(&sufferer, "to")))),
        Deed::Insulted | Deed::Threatened => {
            let verb = if entry.deed == Deed::Insulted { "insult" } else { "threaten" };
            let done = if entry.deed == Deed::Insulted { "insulted" } else { "threatened" };
            spoken(match entry.role {
                Role::Did => plain(format!("{}{} {sufferer}", &done[..1].to_uppercase(), &done[1..])),
                Role::Suffered => plain(format!("Was {done} by {doer}")),
                Role::Saw => plain(format!("Heard {doer} {verb} {sufferer}")),
            })
        }
        Deed::Praised | Deed::Scorned => {
            let verb = if entry.deed == Deed::Praised { "praise" } else { "scorn" };
            let done = if entry.deed == Deed::Praised { "praised" } else { "scorned" };
            spoken(match entry.role {
                Role::Did => plain(format!("{}{} {sufferer}", &done[..1].to_uppercase(), &done[1..])),
                Role::Suffered => plain(format!("Was {done} by {doer}")),
                Role::Saw => plain(format!("Heard {doer} {verb} {sufferer}")),
            })
        }
        Deed::Caught if did => plain(format!("Was caught stealing from {sufferer}")),
        Deed::Caught if suffered => plain(format!("Caught {doer} stealing")),
        Deed::Caught => plain(format!("Saw {doer} caught stealing from {sufferer}")),
        Deed::Charmed => match entry.role {
            Role::Did => plain(format!("Charmed {sufferer}")),
            Role::Suffered => plain(format!("Was charmed by {doer}")),
            Role::Saw => plain(format!("Saw {doer} charm {sufferer}")),
        },
        Deed::Arrested => match entry.role {
            Role::Did => plain(format!("Arrested {sufferer}")),
            Role::Suffered => plain(format!("Was locked up by {doer}")),
            Role::Saw => plain(format!("Saw {doer} arrest {sufferer}")),
        },
        Deed::Learned if did => spoken(plain("Learned an art better".to_string())),
        Deed::Learned => spoken(plain(format!("Saw {doer} learn an art better"))),
        Deed::Accomplished if did => spoken(plain(format!("Did what was asked{}", by(&sufferer, "by")))),
        Deed::Accomplished => spoken(plain(format!("Saw {doer} do what was asked"))),
        Deed::BuiltOnPlot if did => spoken(plain(format!("Built {thing}"))),
        Deed::BuiltOnPlot => spoken(plain(format!("Saw {doer} build {thing}"))),
        Deed::MovedOnPlot | Deed::RemovedFromPlot => {
            let [done, undergone, seen] = match entry.deed {
                Deed::MovedOnPlot => ["Moved", "moved", "move"],
                _ => ["Removed", "removed", "remove"],
            };
            let of = match by(&sufferer, "built by") {
                of if of.is_empty() => of,
                of => format!(",{of},"),
            };
            spoken(match entry.role {
                Role::Did => plain(format!("{done} {thing}{of}")),
                Role::Suffered => plain(format!("Had {thing} {undergone} by {doer}")),
                Role::Saw => plain(format!("Saw {doer} {seen} {thing}{of}")),
            })
        }
        Deed::PlanDone if did => spoken(plain("Carried out a plan".into())),
        Deed::PlanDone => spoken(plain(format!("Saw {doer} carry out a plan"))),
        Deed::PlanDropped if did => spoken(plain("Gave up a plan".into())),
        Deed::PlanDropped => spoken(plain(format!("Saw {doer} give up a plan"))),
        Deed::FollowedWell | Deed::FollowedIll | Deed::FollowedNowhere => {
            let whose = match entry.what() {
                What::Differed { followed: Some(MindName::Inner), .. } => "INNER's word",
                What::Differed { followed: Some(MindName::Outer), .. } => "OUTER's word",
                What::Differed { followed: Some(MindName::Observer), .. } => "OBSERVER's word",
                _ => "no mind's word",
            };
            let after = match entry.deed {
                Deed::FollowedWell => ", and it went well",
                Deed::FollowedIll => ", and it went ill",
                _ => ", and nothing came of it",
            };
            let about = by(&sufferer, "about");
            let before = if did { "Followed".to_string() } else { format!("Saw {doer} follow") };
            spoken(Phrase { after: after.into(), ..plain(format!("{before} {whose}{about}")) })
        }
        Deed::LevelGained if did => uncounted(format!("Reached level {}", amount.unwrap_or(-1))),
        Deed::LevelGained => uncounted(format!("Saw {doer} reach level {}", amount.unwrap_or(-1))),
        Deed::DoorOpened | Deed::DoorClosed | Deed::DoorLocked | Deed::DoorUnlocked => {
            let [done, seen, alone] = match entry.deed {
                Deed::DoorOpened => ["Opened", "open", "opened"],
                Deed::DoorClosed => ["Closed", "close", "closed"],
                Deed::DoorLocked => ["Locked", "lock", "was locked"],
                _ => ["Unlocked", "unlock", "was unlocked"],
            };
            let direction = entry.what().text().map_or(String::new(), |text| cut(text, 60));
            plain(match (did, doer == "someone") {
                (true, _) => format!("{done} the door leading {direction}"),
                (false, false) => format!("Saw {doer} {seen} the door leading {direction}"),
                (false, true) => format!("The door leading {direction} {alone}"),
            })
        }
        // Told by themselves: see `lines`.
        Deed::Met => plain(format!("Met {other}")),
        Deed::RoomSeen => plain(format!("Saw {} for the first time", places::named(&past.name(Some(&entry.room))))),
        Deed::Visited => {
            let times = amount.filter(|times| *times > 1);
            let again = times.map_or(String::new(), |times| match times {
                2 => " again, at least twice by then".into(),
                times => format!(" again, at least {times} times by then"),
            });
            plain(format!("Came to {}{again}", places::named(&past.name(Some(&entry.room)))))
        }
    }
}
