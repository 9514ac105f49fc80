//! What a character is occupied with: rooms, persons, things and topics that it looked at, handled or named lately.
//!
//! Which act touches what is told here, as is which lines of the mind follow (`Attention`); the server writes them for
//! every client that reads its mind. Pure: from outcomes and typed lines alone, and never from what they were worth.
//! Invariant: at most [`FOCUS_MAX`] are open, in the state as well as here.

use protocol::names::clean_text;
use protocol::outcome::{ObjectRef, Outcome, Who, WhoKind};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// So many are open at once; a further one takes the place of the least recent.
pub const FOCUS_MAX: usize = 8;
/// Ticks after which one that nobody touched is closed.
pub const FOCUS_TICKS: u64 = 300;
/// Characters of a name and of a subject.
pub const NAME_CHARS: usize = 80;
/// Characters of a topic in its subject.
const SLUG_CHARS: usize = 60;

/// How it was touched, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Spoken to or of.
    #[default]
    Named,
    Looked,
    /// Taken, given, worn, struck, healed.
    Handled,
}

impl How {
    pub const ALL: [How; 3] = [How::Named, How::Looked, How::Handled];

    pub const fn name(self) -> &'static str {
        match self {
            How::Named => "named",
            How::Looked => "looked",
            How::Handled => "handled",
        }
    }

    pub fn named(name: &str) -> Option<How> {
        How::ALL.into_iter().find(|how| how.name().eq_ignore_ascii_case(name))
    }
}

/// One that is open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Focus {
    pub id: u64,
    /// `room:8004`, `player:bob`, `mob:3001`, `obj:1205`, `topic:the-bridge`.
    pub subject: String,
    pub name: String,
    pub how: How,
    /// Of the newest entry about it.
    pub tick: u64,
}

/// What can be in focus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// As [`Focus::subject`].
    pub key: String,
    pub name: String,
}

const KINDS: [&str; 5] = ["room", "player", "mob", "obj", "topic"];

impl Subject {
    pub fn room(vnum: i32, name: &str) -> Subject {
        Subject { key: format!("room:{vnum}"), name: shown(name) }
    }

    /// `None`: somebody who was not seen.
    pub fn person(who: &Who) -> Option<Subject> {
        let key = match who.kind {
            WhoKind::Player => format!("player:{}", who.id.strip_prefix("player_")?),
            WhoKind::Mob => format!("mob:{}", who.id.strip_prefix("mob_")?.split('_').next()?),
        };
        Some(Subject { key, name: shown(&who.name) })
    }

    /// What has no number of its kind, as a corpse, is known by its name. `None`: what was not seen.
    pub fn object(object: &ObjectRef) -> Option<Subject> {
        let key = match object.vnum {
            0 => format!("obj:{}", slug(&object.name)),
            vnum => format!("obj:{vnum}"),
        };
        (!object.instance_id.is_empty()).then(|| Subject { key, name: shown(&object.name) })
    }

    /// `None`: a text without a letter.
    pub fn topic(text: &str) -> Option<Subject> {
        let slug = slug(text);
        (!slug.is_empty()).then(|| Subject { key: format!("topic:{slug}"), name: shown(text) })
    }

    /// Whether a word is written as a subject's key is.
    pub fn is_key(word: &str) -> bool {
        word.split_once(':').is_some_and(|(kind, rest)| KINDS.contains(&kind) && !rest.is_empty())
    }
}

/// Letters and digits in lower case, with a dash for all that is between them.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(SLUG_CHARS).collect()
}

fn shown(text: &str) -> String {
    let text = clean_text(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(NAME_CHARS).collect()
}

/// What a typed line looks at, where it was not refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LooksAt<'a> {
    TheRoom,
    /// What these words mean there and then.
    Words(&'a str),
    Topic(&'a str),
}

/// Verbs that look, and whether what follows is a topic rather than something that is there. Without a word, one looks
/// at the room or at nothing.
const LOOKING: &[(&str, bool)] = &[
    ("look", false),
    ("examine", false),
    ("read", false),
    ("consider", false),
    ("compare", false),
    ("peek", false),
    ("appraise", false),
    ("value", false),
    ("help", true),
    ("tasks", true),
];

pub fn looks_at<'a>(word: &str, args: &'a str) -> Option<LooksAt<'a>> {
    let (_, is_topic) = LOOKING.iter().find(|(verb, _)| *verb == word)?;
    match args.trim() {
        "" => (word == "look").then_some(LooksAt::TheRoom),
        args if *is_topic => Some(LooksAt::Topic(args)),
        args => Some(LooksAt::Words(args)),
    }
}

/// The topic of `focus on <topic>`.
pub fn said(word: &str, args: &str) -> Option<Subject> {
    let (on, topic) = args.trim().split_once(char::is_whitespace)?;
    Subject::topic(topic).filter(|_| word == "focus" && on.eq_ignore_ascii_case("on"))
}

/// What somebody did, and what it touched by that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act<'o> {
    pub doer: &'o Who,
    pub how: How,
    /// Whom it was done or said to.
    other: Option<&'o Who>,
    thing: Option<&'o ObjectRef>,
    /// What is typed for a task, and its title.
    task: Option<(&'o str, &'o str)>,
}

impl Act<'_> {
    pub fn subjects(&self) -> impl Iterator<Item = Subject> {
        let other = self.other.filter(|other| other.id != self.doer.id).and_then(Subject::person);
        let task = |(id, title)| Subject::topic(id).map(|topic| Subject { name: shown(title), ..topic });
        other.into_iter().chain(self.thing.and_then(Subject::object)).chain(self.task.and_then(task))
    }
}

/// `None`: it is nobody's own act, or touches nothing. What befell somebody is none of its acts.
pub fn act(outcome: &Outcome) -> Option<Act<'_>> {
    use Outcome::*;
    let (doer, other, thing, how) = match outcome {
        Attacked { attacker, victim } => (attacker, Some(victim), None, How::Handled),
        Rescue { rescuer, rescued, .. } => (rescuer, Some(rescued), None, How::Handled),
        Assisted { who, ally, .. } => (who, Some(ally), None, How::Handled),
        Followed { who, leader } => (who, leader.as_ref(), None, How::Named),
        Said { speaker, to, .. } => (speaker, to.as_ref(), None, How::Named),
        Social { actor, victim, .. } => (actor, victim.as_ref(), None, How::Named),
        Got { who, item, .. } | Dropped { who, item, .. } => (who, None, item.as_ref(), How::Handled),
        Given { giver, receiver, item, .. } => (giver, Some(receiver), item.as_ref(), How::Handled),
        Bought { who, item, .. } | Sold { who, item, .. } => (who, None, Some(item), How::Handled),
        Worn { who, item, .. } | Wielded { who, item } | Removed { who, item, .. } | Consumed { who, item } => {
            (who, None, Some(item), How::Handled)
        }
        Task { who, .. } => (who, None, None, How::Handled),
        _ => return None,
    };
    let task = match outcome {
        Task { task, title, .. } => Some((&**task, &**title)),
        _ => None,
    };
    Some(Act { doer, how, other, thing, task })
}

/// What the server knows to be open, the least recent first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attention {
    open: VecDeque<Open>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Open {
    subject: String,
    how: How,
    touched: u64,
    /// The mind may have let go of it since it was told.
    unsure: bool,
}

impl Attention {
    /// What a log told to be open when a session began; what was touched since is known better here.
    pub fn resume(&mut self, open: &[Focus]) {
        let mut earlier: Vec<&Focus> =
            open.iter().filter(|focus| self.open.iter().all(|known| known.subject != focus.subject)).collect();
        earlier.sort_by_key(|focus| focus.tick);
        let earlier = earlier.into_iter().rev();
        for Focus { subject, how, tick, .. } in earlier.take(FOCUS_MAX.saturating_sub(self.open.len())) {
            self.open.push_front(Open { subject: subject.clone(), how: *how, touched: *tick, unsure: false });
        }
    }

    /// The character may have let go of something by itself: whatever is touched next is told anew.
    pub fn doubt(&mut self) {
        self.open.iter_mut().for_each(|open| open.unsure = true);
    }

    /// Arguments of `focus` that follow from a touch, where `may` so many leave.
    pub fn touch(&mut self, subject: &Subject, how: How, tick: u64, may: impl FnOnce(usize) -> bool) -> Vec<String> {
        let on = |how: How| format!("on {} {} {}", how.name(), subject.key, subject.name);
        if let Some(at) = self.open.iter().position(|open| open.subject == subject.key) {
            let Some(mut open) = self.open.remove(at) else { return Vec::new() };
            open.touched = tick;
            let more = (how > open.how || open.unsure) && may(1);
            if more {
                (open.how, open.unsure) = (how.max(open.how), false);
            }
            let line = more.then(|| on(open.how));
            self.open.push_back(open);
            return line.into_iter().collect();
        }
        let is_full = self.open.len() >= FOCUS_MAX;
        if !may(if is_full { 2 } else { 1 }) {
            return Vec::new();
        }
        let oldest = if is_full { self.open.pop_front() } else { None };
        self.open.push_back(Open { subject: subject.key.clone(), how, touched: tick, unsure: false });
        oldest.map(|oldest| format!("off {}", oldest.subject)).into_iter().chain([on(how)]).collect()
    }

    /// What nobody touched for so long is closed.
    pub fn close_old(&mut self, tick: u64, mut may: impl FnMut() -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        while self.open.front().is_some_and(|open| open.touched + FOCUS_TICKS <= tick) && may() {
            lines.extend(self.open.pop_front().map(|open| format!("off {}", open.subject)));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(text: &str) -> Subject {
        Subject::topic(text).expect("a letter")
    }

    #[test]
    fn what_is_touched_is_told_once_and_again_where_it_is_more() {
        let mut attention = Attention::default();
        let mut touch = |name: &str, how, tick| attention.touch(&topic(name), how, tick, |_| true);
        assert_eq!(touch("The Old Bridge", How::Named, 1), ["on named topic:the-old-bridge The Old Bridge"]);
        assert_eq!(touch("the old bridge!", How::Named, 2), [""; 0]);
        assert_eq!(touch("The Old Bridge", How::Handled, 3), ["on handled topic:the-old-bridge The Old Bridge"]);
        assert_eq!(touch("The Old Bridge", How::Looked, 4), [""; 0], "it was handled");
        for n in 1..8 {
            assert_eq!(touch(&format!("t{n}"), How::Looked, 4 + n).len(), 1);
        }
        assert_eq!(touch("t8", How::Looked, 20), ["off topic:the-old-bridge", "on looked topic:t8 t8"]);
        assert_eq!(touch("t1", How::Looked, 21), [""; 0]);
        assert_eq!(touch("t9", How::Looked, 22), ["off topic:t2", "on looked topic:t9 t9"], "t1 is more recent");
    }

    #[test]
    fn what_nobody_touches_is_closed_and_what_may_not_be_told_stays_untold() {
        let mut attention = Attention::default();
        let focus = |id: u64, tick| Focus {
            id,
            subject: format!("topic:t{id}"),
            name: format!("t{id}"),
            how: How::Named,
            tick,
        };
        attention.touch(&topic("t2"), How::Looked, 250, |_| true);
        attention.resume(&[focus(1, 40), focus(2, 5), focus(3, 10)]);
        assert_eq!(attention.close_old(309, || true), [""; 0]);
        assert_eq!(attention.close_old(345, || false), [""; 0]);
        assert_eq!(attention.close_old(345, || true), ["off topic:t3", "off topic:t1"]);
        assert_eq!(attention.close_old(550, || true), ["off topic:t2"]);
        assert_eq!(attention.touch(&topic("t1"), How::Looked, 560, |lines| lines == 0), [""; 0]);
        assert_eq!(attention.touch(&topic("t1"), How::Looked, 561, |_| true).len(), 1);
        attention.doubt();
        assert_eq!(attention.touch(&topic("t1"), How::Named, 562, |_| true), ["on looked topic:t1 t1"]);
        assert_eq!(attention.close_old(862, || true), ["off topic:t1"]);
    }

    #[test]
    fn acts_touch_what_they_are_about_and_only_for_who_did_them() {
        let who = |id: &str, name: &str, kind| Who { id: id.into(), name: name.into(), kind, level: 1 };
        let ann = || who("player_ann", "Ann", WhoKind::Player);
        let bob = || who("player_bob", "Bob", WhoKind::Player);
        let rat = || who("mob_3001_17", "a rat", WhoKind::Mob);
        let sword = ObjectRef { instance_id: "obj_1205_18".into(), name: "a long\u{1b}[2J sword".into(), vnum: 1205 };
        let corpse = ObjectRef { instance_id: "obj_0_19".into(), name: "the corpse of a rat".into(), vnum: 0 };
        let of = |outcome: &Outcome| {
            let act = act(outcome).expect("an act");
            let touched = act.subjects().map(|subject| format!("{} {}", act.how.name(), subject.key));
            (act.doer.name.to_string(), touched.collect::<Vec<_>>())
        };
        let ann_did = |touched: &[&str]| ("Ann".to_string(), touched.iter().map(ToString::to_string).collect());
        let given = Outcome::Given { giver: ann(), receiver: bob(), item: Some(sword.clone()), gold: None };
        assert_eq!(of(&given), ann_did(&["handled player:bob", "handled obj:1205"]));
        let got = |item: &ObjectRef| Outcome::Got { who: ann(), item: Some(item.clone()), gold: None, from: None };
        assert_eq!(of(&got(&corpse)), ann_did(&["handled obj:the-corpse-of-a-rat"]));
        assert_eq!(of(&got(&ObjectRef::unseen())), ann_did(&[]));
        assert_eq!(of(&Outcome::Attacked { attacker: ann(), victim: rat() }), ann_did(&["handled mob:3001"]));
        assert_eq!(of(&Outcome::Attacked { attacker: ann(), victim: rat().unseen() }), ann_did(&[]));
        let social = |victim| Outcome::Social { actor: ann(), social: "poke".into(), victim: Some(victim) };
        assert_eq!((of(&social(bob())), of(&social(ann()))), (ann_did(&["named player:bob"]), ann_did(&[])));
        assert_eq!(act(&Outcome::Death { victim: rat(), killer: Some(ann()) }), None);
        assert!(!Subject::object(&sword).expect("seen").name.contains(char::is_control));
    }

    #[test]
    fn looking_is_told_from_the_line() {
        assert_eq!(looks_at("look", " "), Some(LooksAt::TheRoom));
        assert_eq!(looks_at("look", "at rat"), Some(LooksAt::Words("at rat")));
        assert_eq!(looks_at("help", "kill"), Some(LooksAt::Topic("kill")));
        assert_eq!((looks_at("examine", ""), looks_at("kill", "rat")), (None, None));
        assert_eq!(said("focus", "ON the mill ").map(|topic| topic.key), Some("topic:the-mill".to_string()));
        assert_eq!((said("focus", "off 3"), said("say", "on it")), (None, None));
    }
}
