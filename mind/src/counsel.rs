//! What passes between the minds of one body: what they propose, what was chosen, in what they differed, and the memo
//! that all of them read. It stands in the log of the body, so it is written once and in one order.
//!
//! Invariant: all lists have a most, and what falls out of them stands in the log still.

use plot::NoteKind;
use protocol::minds::MindName;
use protocol::plot::{ActionSeen, SceneSeen};
use serde::{Deserialize, Serialize};

/// Entries of the memo that the state keeps: a ring, as a plot's.
pub const MEMO_KEPT: usize = plot::KEPT;
/// Proposals and conflicts that it keeps, the newest of each.
pub const PROPOSALS_KEPT: usize = 20;
pub const CONFLICTS_KEPT: usize = 20;

/// In what two proposals differ. The first of these that holds is told: each of the first three says more than that
/// both want the body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Conflict {
    /// One undoes a step of the other's active plan.
    Plan,
    /// One attacks whom the other helps or trades with.
    Stance,
    /// Both want the same cell of the plot.
    Place,
    /// Both want the tick, and not for the same.
    Command,
}

impl Conflict {
    pub const ALL: [Conflict; 4] = [Conflict::Plan, Conflict::Stance, Conflict::Place, Conflict::Command];

    pub fn word(self) -> &'static str {
        match self {
            Conflict::Plan => "plan",
            Conflict::Stance => "stance",
            Conflict::Place => "place",
            Conflict::Command => "command",
        }
    }

    /// By its word, in any case.
    pub fn named(word: &str) -> Option<Conflict> {
        Conflict::ALL.into_iter().find(|conflict| conflict.word().eq_ignore_ascii_case(word))
    }
}

/// What became of a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    Open,
    Chosen,
    Overruled,
    /// Its mind proposed something else before anybody chose.
    Replaced,
}

/// What a mind wants the body to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Proposed {
    pub id: u64,
    pub mind: MindName,
    /// A line as one types it.
    pub line: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub fate: Fate,
    pub tick: u64,
}

/// Two minds wanted what does not go together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Dispute {
    pub id: u64,
    #[serde(rename = "in")]
    pub conflict: Conflict,
    /// The proposals.
    pub between: Vec<u64>,
    pub tick: u64,
    /// Whose proposal was done; none: nothing of it, or nobody has said yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<MindName>,
    /// What that brought, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brought: Option<Brought>,
}

/// What a stretch of time brought a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Brought {
    pub ticks: u64,
    /// Of all that it remembers of that time, added up: −3..=3 each.
    pub valence: i64,
    /// Points, and below 0 where it lost some.
    pub experience: i64,
}

/// Whom an entry of the memo is meant for. Anybody of the body may read all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Addressee {
    Inner,
    Outer,
    Observer,
    /// INNER and OUTER.
    Both,
    All,
}

impl Addressee {
    pub const ALL: [Addressee; 5] =
        [Addressee::Inner, Addressee::Outer, Addressee::Observer, Addressee::Both, Addressee::All];

    pub fn word(self) -> &'static str {
        match self {
            Addressee::Inner => "INNER",
            Addressee::Outer => "OUTER",
            Addressee::Observer => "OBSERVER",
            Addressee::Both => "BOTH",
            Addressee::All => "ALL",
        }
    }

    /// By its word, in any case.
    pub fn named(word: &str) -> Option<Addressee> {
        Addressee::ALL.into_iter().find(|to| to.word().eq_ignore_ascii_case(word))
    }
}

/// What one mind tells others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemoEntry {
    pub id: u64,
    pub from: MindName,
    pub to: Addressee,
    #[serde(rename = "type")]
    pub kind: NoteKind,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What was done on a plot, and the plot as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionSeen>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<SceneSeen>,
    pub tick: u64,
}

/// The newest entries, oldest first.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memo {
    /// Where in the ring the next entry goes.
    pub head: usize,
    pub entries: Vec<MemoEntry>,
}

impl Memo {
    pub fn write(&mut self, entry: MemoEntry) {
        self.head = (self.head + 1) % MEMO_KEPT;
        push(&mut self.entries, entry, MEMO_KEPT);
    }

    /// The last `n`, oldest first, of one mind or of all.
    pub fn last(&self, n: usize, from: Option<MindName>) -> Vec<&MemoEntry> {
        let by = |entry: &&MemoEntry| from.is_none_or(|from| entry.from == from);
        let mut found: Vec<&MemoEntry> = self.entries.iter().rev().filter(by).take(n).collect();
        found.reverse();
        found
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counsel {
    /// The newest, oldest first. Of each mind one at most is open.
    pub proposals: Vec<Proposed>,
    pub conflicts: Vec<Dispute>,
    pub memo: Memo,
}

impl Counsel {
    pub fn is_empty(&self) -> bool {
        *self == Counsel::default()
    }

    /// What nobody has decided yet, in the order in which it was proposed.
    pub fn open(&self) -> impl Iterator<Item = &Proposed> {
        self.proposals.iter().filter(|proposed| proposed.fate == Fate::Open)
    }

    pub fn proposal(&self, id: u64) -> Option<&Proposed> {
        self.proposals.iter().find(|proposed| proposed.id == id)
    }

    pub fn propose(&mut self, proposed: Proposed) {
        let of_it = |other: &&mut Proposed| other.fate == Fate::Open && other.mind == proposed.mind;
        self.proposals.iter_mut().filter(of_it).for_each(|other| other.fate = Fate::Replaced);
        push(&mut self.proposals, proposed, PROPOSALS_KEPT);
    }

    /// All that was open is decided with it: what is not chosen is overruled.
    pub fn choose(&mut self, chosen: Option<u64>) {
        for proposed in self.proposals.iter_mut().filter(|proposed| proposed.fate == Fate::Open) {
            proposed.fate = if Some(proposed.id) == chosen { Fate::Chosen } else { Fate::Overruled };
        }
    }

    pub fn differ(&mut self, dispute: Dispute) {
        push(&mut self.conflicts, dispute, CONFLICTS_KEPT);
    }

    pub fn dispute_mut(&mut self, id: u64) -> Option<&mut Dispute> {
        self.conflicts.iter_mut().find(|dispute| dispute.id == id)
    }

    /// What following each mind brought in those conflicts of which that is known: how many, and all of it together.
    pub fn followed(&self) -> impl Iterator<Item = (MindName, usize, Brought)> {
        let of = |mind: MindName| {
            let known = self.conflicts.iter().filter(move |dispute| dispute.chosen == Some(mind));
            let known: Vec<Brought> = known.filter_map(|dispute| dispute.brought).collect();
            let sum = known.iter().fold(Brought::default(), |sum, one| Brought {
                ticks: sum.ticks + one.ticks,
                valence: sum.valence + one.valence,
                experience: sum.experience + one.experience,
            });
            (mind, known.len(), sum)
        };
        MindName::ALL.into_iter().map(of).filter(|(_, count, _)| *count > 0)
    }
}

fn push<T>(list: &mut Vec<T>, one: T, most: usize) {
    list.push(one);
    if list.len() > most {
        list.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(id: u64, mind: MindName) -> Proposed {
        Proposed { id, mind, line: "north".into(), why: None, fate: Fate::Open, tick: 1 }
    }

    #[test]
    fn a_mind_has_one_open_proposal_and_a_choice_decides_all() {
        let mut counsel = Counsel::default();
        counsel.propose(proposed(1, MindName::Inner));
        counsel.propose(proposed(2, MindName::Outer));
        counsel.propose(proposed(3, MindName::Inner));
        assert_eq!(counsel.open().map(|one| one.id).collect::<Vec<_>>(), [2, 3]);
        counsel.choose(Some(2));
        let fates: Vec<Fate> = counsel.proposals.iter().map(|one| one.fate).collect();
        assert_eq!(fates, [Fate::Replaced, Fate::Chosen, Fate::Overruled]);
        (4..100).for_each(|id| counsel.propose(proposed(id, MindName::Inner)));
        assert_eq!((counsel.proposals.len(), counsel.open().count()), (PROPOSALS_KEPT, 1));
    }

    #[test]
    fn a_flood_of_memos_pushes_out_the_oldest() {
        let mut memo = Memo::default();
        for id in 1..=120 {
            let from = if id % 2 == 0 { MindName::Outer } else { MindName::Inner };
            let (to, kind) = (Addressee::All, NoteKind::Info);
            memo.write(MemoEntry {
                id,
                from,
                to,
                kind,
                content: "x".into(),
                reasoning: None,
                action: None,
                scene: None,
                tick: id,
            });
        }
        assert_eq!((memo.entries.len(), memo.entries[0].id, memo.head), (MEMO_KEPT, 71, 20));
        let inner: Vec<u64> = memo.last(2, Some(MindName::Inner)).iter().map(|entry| entry.id).collect();
        assert_eq!(inner, [117, 119]);
    }

    #[test]
    fn words_of_the_log_mean_what_they_say() {
        for conflict in Conflict::ALL {
            assert_eq!(Conflict::named(conflict.word()), Some(conflict));
        }
        for to in Addressee::ALL {
            assert_eq!(Addressee::named(&to.word().to_lowercase()), Some(to));
            assert_eq!(serde_json::to_value(to).expect("a word"), to.word());
        }
    }
}
