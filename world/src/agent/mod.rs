//! Records of agents as they are kept: what a program is in this world beside its character, wherever its client runs.
//!
//! A person with a record is a persona or a bot; one without is a person, played by whomever. What the verbs and the
//! operator do with records is in `agents/`. Whatever is changed here is told to those who keep it (`row.rs`).
//! Invariants: a record is of a person that is in `channel::Channels`, and so is its owner; `think_ds` lies in
//! `THINK_DS`; texts are no longer than their limits and hold no control character but line breaks.

pub mod row;

use content::Text;
use protocol::channel::{PersonKind, THINK_DS, TICK_DS, drifted};
use row::{AgentKey, Changed};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Characters of a seed, of guidelines, and of a word such as the name of a model.
pub const SEED_CHARS: usize = 4_000;
pub const GUIDELINES_CHARS: usize = 1_500;
pub const WORD_CHARS: usize = 80;
/// Agents of one owner where the operator has not said, and those that one maker orders in an hour.
pub const PER_OWNER: u32 = 20;
pub const ORDERS_MAX: usize = 6;
pub const ORDERS_TICKS: u64 = 1_800;
/// Tenths of a second from one thought to the next, at first.
pub const THINK_DS_FIRST: u32 = 50;
/// What a thumb moves the interval by, and for how many ticks another of the same person then does not, so that pairs
/// gain nothing by praising each other.
pub const THUMB_DS: u32 = 5;
pub const THUMB_TICKS: u64 = 30;

/// Everybody who has a record.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Agents {
    /// By the person's id.
    list: BTreeMap<u32, Arc<AgentRecord>>,
    /// Persons without a record who may make agents.
    #[serde(default)]
    permitted: BTreeSet<u32>,
    /// The person who is The Architect: one at a time.
    #[serde(default)]
    architect: Option<u32>,
    /// What the engine said of the clock at its last start.
    #[serde(default)]
    pub epoch: Option<Epoch>,
    /// Agents of one owner, as the operator set it at the last start; none: nobody has said.
    #[serde(default)]
    pub per_owner: Option<u32>,
    /// Agents that are to be made, by the id that each will have: the edge makes their characters.
    #[serde(default)]
    orders: BTreeMap<u32, MakingOrder>,
    /// When somebody ordered agents of late, oldest first.
    #[serde(default)]
    ordered: BTreeMap<u32, VecDeque<u64>>,
    /// What is to be kept anew. Not state.
    #[serde(skip)]
    changed: Changed,
}

/// An agent that is to be made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MakingOrder {
    /// As its maker wants it called; the canonical name follows it.
    pub name: Option<Text>,
    pub kind: PersonKind,
    pub seed: Text,
    pub owner: Option<u32>,
    pub created_by: u32,
    /// The home or group that it will be a member of.
    pub channel: u32,
}

/// A tick, and when it was by the clock of the machine. The world knows no other time than its ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Epoch {
    pub tick: u64,
    pub unix_ms: i64,
    /// Of the machine's time for each tick from then on, more than 0.
    pub tick_ms: u32,
}

impl Epoch {
    /// The first tick that is not before a moment; none for one before the world's first.
    pub fn tick_at(&self, unix_ms: i64) -> Option<u64> {
        let tick_ms = i64::from(self.tick_ms.max(1));
        let after = unix_ms.saturating_sub(self.unix_ms).saturating_add(tick_ms - 1).div_euclid(tick_ms);
        self.tick.checked_add_signed(after)
    }

    /// When a tick is, by the clock of the machine.
    pub fn instant_of(&self, tick: u64) -> i64 {
        let ticks = i64::try_from(i128::from(tick) - i128::from(self.tick)).unwrap_or(i64::MAX);
        self.unix_ms.saturating_add(ticks.saturating_mul(i64::from(self.tick_ms)))
    }
}

/// What a program is beside its character.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AgentRecord {
    /// `Persona` or `Bot`.
    pub kind: PersonKind,
    /// Which model is to play it; none: whatever its client has.
    pub model: Option<Text>,
    /// Who it is (a persona), or what it is for (a bot). Others write it, never the agent.
    pub seed: Text,
    /// Its own rules of conduct.
    pub guidelines: Text,
    /// How much of a prompt it gets and in which form, where its client is to follow the record.
    pub tier: Option<Text>,
    pub in_format: Option<Text>,
    pub out_format: Option<Text>,
    pub may_create_agents: bool,
    /// Tenths of a second from one thought to the next.
    pub think_ds: u32,
    /// World time of the present interval, in tenths of a second.
    #[serde(default)]
    pub elapsed_ds: u32,
    /// Whose thumbs moved the interval of late, and at which tick.
    #[serde(default)]
    pub thumbs: BTreeMap<u32, u64>,
    /// It does not think before this tick.
    pub sleep_until: Option<u64>,
    /// Where it named an instant of the calendar: that, in unix milliseconds. The tick follows from it anew at each
    /// start of the engine.
    #[serde(default)]
    pub wakes_ms: Option<i64>,
    /// The person whose it is; none: the operator's.
    pub owner: Option<u32>,
    /// Who made it with a verb; none: the operator.
    pub created_by: Option<u32>,
    /// It plays no more, and nobody may come in as it.
    pub retired: bool,
}

impl Default for AgentRecord {
    fn default() -> AgentRecord {
        AgentRecord {
            kind: PersonKind::Persona,
            model: None,
            seed: "".into(),
            guidelines: "".into(),
            tier: None,
            in_format: None,
            out_format: None,
            may_create_agents: false,
            think_ds: THINK_DS_FIRST,
            elapsed_ds: 0,
            thumbs: BTreeMap::new(),
            sleep_until: None,
            wakes_ms: None,
            owner: None,
            created_by: None,
            retired: false,
        }
    }
}

/// What the operator writes into a record: what is none stays as it was, or as new records have it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentTerms {
    pub kind: Option<PersonKind>,
    pub model: Option<Text>,
    pub seed: Option<Text>,
    pub tier: Option<Text>,
    pub in_format: Option<Text>,
    pub out_format: Option<Text>,
    pub may_create_agents: Option<bool>,
}

/// A text of several lines as a record keeps it: without control characters, and with nothing around it.
pub fn clean_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(protocol::names::clean_text).collect();
    lines.join("\n").trim().to_string()
}

/// Errors: one sentence, which says how long the text is.
pub fn check_length(what: &str, text: &str, most: usize) -> Result<(), String> {
    let length = text.chars().count();
    match length > most {
        true => Err(format!("{what} has at most {most} characters; that has {length}.")),
        false => Ok(()),
    }
}

/// A word as a record keeps it, such as the name of a model.
pub fn check_word(what: &str, word: &str) -> Result<(), String> {
    let fits = !word.is_empty()
        && word.chars().count() <= WORD_CHARS
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/@+".contains(c));
    match fits {
        true => Ok(()),
        false => Err(format!("{what} is one word of letters, digits and -_.:/@+, {WORD_CHARS} at most.")),
    }
}

impl AgentTerms {
    pub fn is_empty(&self) -> bool {
        *self == AgentTerms::default()
    }

    /// Errors: one sentence for the operator.
    pub fn check(&self) -> Result<(), String> {
        if !matches!(self.kind, None | Some(PersonKind::Persona | PersonKind::Bot)) {
            return Err("An agent is a persona or a bot.".to_string());
        }
        if let Some(seed) = &self.seed {
            check_length("A seed", seed, SEED_CHARS)?;
            if clean_lines(seed) != **seed {
                return Err("A seed has no control characters, and no blanks around it.".to_string());
            }
        }
        for (what, word) in [
            ("A model", &self.model),
            ("A tier", &self.tier),
            ("A form of prompts", &self.in_format),
            ("A form of answers", &self.out_format),
        ] {
            if let Some(word) = word {
                check_word(what, word)?;
            }
        }
        Ok(())
    }

    /// These, and of `earlier` what they leave open.
    pub fn over(self, earlier: AgentTerms) -> AgentTerms {
        AgentTerms {
            kind: self.kind.or(earlier.kind),
            model: self.model.or(earlier.model),
            seed: self.seed.or(earlier.seed),
            tier: self.tier.or(earlier.tier),
            in_format: self.in_format.or(earlier.in_format),
            out_format: self.out_format.or(earlier.out_format),
            may_create_agents: self.may_create_agents.or(earlier.may_create_agents),
        }
    }
}

impl AgentRecord {
    /// Takes over what the operator says.
    pub fn take(&mut self, terms: &AgentTerms) {
        let word = |now: &mut Option<Text>, given: &Option<Text>| {
            if given.is_some() {
                now.clone_from(given);
            }
        };
        self.kind = terms.kind.unwrap_or(self.kind);
        word(&mut self.model, &terms.model);
        word(&mut self.tier, &terms.tier);
        word(&mut self.in_format, &terms.in_format);
        word(&mut self.out_format, &terms.out_format);
        if let Some(seed) = &terms.seed {
            self.seed = seed.clone();
        }
        self.may_create_agents = terms.may_create_agents.unwrap_or(self.may_create_agents);
    }

    /// Somebody else praised or scorned words of this agent: it thinks sooner, or later. False: that one's thumbs do
    /// not count again yet, or the interval is at its end.
    pub fn thumb(&mut self, by: u32, up: bool, tick: u64) -> bool {
        self.thumbs.retain(|_, at| tick < *at + THUMB_TICKS);
        if self.thumbs.contains_key(&by) {
            return false;
        }
        self.thumbs.insert(by, tick);
        let moved = if up { self.think_ds.saturating_sub(THUMB_DS) } else { self.think_ds + THUMB_DS };
        let before = std::mem::replace(&mut self.think_ds, moved.clamp(*THINK_DS.start(), *THINK_DS.end()));
        before != self.think_ds
    }

    /// Its interval is not the longest yet.
    pub fn drifts(&self) -> bool {
        self.think_ds < *THINK_DS.end()
    }

    /// A tick goes by while it is connected and awake: with each interval of the world's time the next is a tenth of a
    /// second longer, up to the longest.
    pub fn drift(&mut self) {
        (self.think_ds, self.elapsed_ds) = drifted(self.think_ds, self.elapsed_ds + TICK_DS);
    }

    pub fn sleeps(&self, tick: u64) -> bool {
        self.sleep_until.is_some_and(|until| tick < until)
    }

    pub fn wake(&mut self) {
        (self.sleep_until, self.wakes_ms) = (None, None);
    }

    fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        self.seed = write(&self.seed).into();
        self.guidelines = write(&self.guidelines).into();
    }
}

impl MakingOrder {
    fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        self.seed = write(&self.seed).into();
    }
}

impl Agents {
    pub fn get(&self, person: u32) -> Option<&AgentRecord> {
        self.list.get(&person).map(|record| &**record)
    }

    pub fn get_mut(&mut self, person: u32) -> Option<&mut AgentRecord> {
        let record = self.list.get_mut(&person)?;
        self.changed.0.insert(AgentKey::Record(person));
        Some(Arc::make_mut(record))
    }

    /// To let time go by in a record; that is kept when something else changes, or by `keep`.
    pub fn drifting_mut(&mut self, person: u32) -> Option<&mut AgentRecord> {
        self.list.get_mut(&person).map(Arc::make_mut)
    }

    /// A record is to be kept as it is now.
    pub fn keep(&mut self, person: u32) {
        if self.list.contains_key(&person) {
            self.changed.0.insert(AgentKey::Record(person));
        }
    }

    /// By the person's id, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &AgentRecord)> {
        self.list.iter().map(|(person, record)| (*person, &**record))
    }

    /// Puts a record in, or another in its place.
    pub fn put(&mut self, person: u32, record: AgentRecord) {
        self.list.insert(person, Arc::new(record));
        self.changed.0.insert(AgentKey::Record(person));
    }

    pub fn architect(&self) -> Option<u32> {
        self.architect
    }

    /// Somebody becomes The Architect. Who was it before.
    pub fn crown(&mut self, person: u32) -> Option<u32> {
        let before = self.architect.replace(person);
        self.changed.0.extend(before.into_iter().chain([person]).map(AgentKey::Right));
        before
    }

    /// The engine has told the calendar: who sleeps until an instant of it sleeps to another tick than before, or not
    /// at all. Whose sleep it changed.
    pub fn wake_by_calendar(&mut self, epoch: Epoch) -> Vec<u32> {
        let wakes = |(person, record): (u32, &AgentRecord)| {
            let until = epoch.tick_at(record.wakes_ms?).filter(|until| *until > epoch.tick);
            (until.is_none() || until != record.sleep_until).then_some((person, until))
        };
        let otherwise: Vec<(u32, Option<u64>)> = self.iter().filter_map(wakes).collect();
        for (person, until) in &otherwise {
            let Some(record) = self.get_mut(*person) else { continue };
            record.sleep_until = *until;
            record.wakes_ms = record.wakes_ms.filter(|_| until.is_some());
        }
        otherwise.into_iter().map(|(person, _)| person).collect()
    }

    /// A person is no more: its record goes with it, what it ordered is not made, and its agents are the operator's.
    pub fn forget(&mut self, person: u32) {
        let changed = &mut self.changed.0;
        if self.list.remove(&person).is_some() {
            changed.insert(AgentKey::Record(person));
        }
        if self.permitted.remove(&person) || self.architect == Some(person) {
            changed.insert(AgentKey::Right(person));
        }
        self.architect = self.architect.filter(|architect| *architect != person);
        self.ordered.remove(&person);
        let of_its = self.orders.iter().filter(|(_, order)| order.created_by == person);
        changed.extend(of_its.map(|(id, _)| AgentKey::Order(*id)));
        self.orders.retain(|_, order| order.created_by != person);
        let without = |of: Option<u32>| of.filter(|of| *of != person);
        for (id, order) in self.orders.iter_mut().filter(|(_, order)| order.owner == Some(person)) {
            order.owner = without(order.owner);
            changed.insert(AgentKey::Order(*id));
        }
        let names = |record: &AgentRecord| [record.owner, record.created_by].contains(&Some(person));
        for (id, record) in self.list.iter_mut().filter(|(_, record)| names(record)) {
            let record = Arc::make_mut(record);
            (record.owner, record.created_by) = (without(record.owner), without(record.created_by));
            changed.insert(AgentKey::Record(*id));
        }
    }

    /// Agents that are to be made, by the id that each will have.
    pub fn orders(&self) -> impl Iterator<Item = (u32, &MakingOrder)> {
        self.orders.iter().map(|(id, order)| (*id, order))
    }

    /// Puts an order in, which counts as one of its maker's.
    pub fn order(&mut self, id: u32, order: MakingOrder, tick: u64) {
        self.ordered.entry(order.created_by).or_default().push_back(tick);
        self.orders.insert(id, order);
        self.changed.0.insert(AgentKey::Order(id));
    }

    pub fn take_order(&mut self, id: u32) -> Option<MakingOrder> {
        let order = self.orders.remove(&id)?;
        self.changed.0.insert(AgentKey::Order(id));
        Some(order)
    }

    /// How many agents somebody ordered in the last hour.
    pub fn ordered_of_late(&mut self, by: u32, tick: u64) -> usize {
        self.ordered.retain(|_, ticks| {
            ticks.retain(|at| tick < *at + ORDERS_TICKS);
            !ticks.is_empty()
        });
        self.ordered.get(&by).map_or(0, VecDeque::len)
    }

    /// Agents of an owner that play or are to be made.
    pub fn count_of(&self, owner: Option<u32>) -> usize {
        let there = self.iter().filter(|(_, record)| record.owner == owner && !record.retired).count();
        there + self.orders.values().filter(|order| order.owner == owner).count()
    }

    /// How a person appears to others; none for one who is neither an agent nor The Architect.
    pub fn kind(&self, person: u32) -> Option<PersonKind> {
        match self.architect == Some(person) {
            true => Some(PersonKind::Architect),
            false => self.get(person).map(|record| record.kind),
        }
    }

    pub fn is_permitted(&self, person: u32) -> bool {
        self.permitted.contains(&person)
    }

    /// Whether a person without a record may make agents.
    pub fn permit(&mut self, person: u32, may: bool) {
        match may {
            true => self.permitted.insert(person),
            false => self.permitted.remove(&person),
        };
        self.changed.0.insert(AgentKey::Right(person));
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Puts other words in the place of all that people wrote.
    pub fn rewrite(&mut self, write: impl Fn(&str) -> String) {
        self.orders.values_mut().for_each(|order| order.rewrite(&write));
        self.list.values_mut().map(Arc::make_mut).for_each(|record| record.rewrite(&write));
    }

    /// One sentence for each thing that is wrong. `is_person`: whether there is a person of that id.
    pub fn check(&self, is_person: impl Fn(u32) -> bool) -> Vec<String> {
        let mut wrong = Vec::new();
        for (id, order) in self.orders() {
            if is_person(id) || !is_person(order.created_by) {
                wrong.push(format!(
                    "the agent {id} is to be made by {}, and one of them should be nobody",
                    order.created_by
                ));
            }
        }
        for id in self.permitted.iter().chain(&self.architect).filter(|id| !is_person(**id)) {
            wrong.push(format!("{id} has a right as to agents, and is nobody"));
        }
        for (id, record) in self.iter() {
            let people = [Some(id), record.owner, record.created_by];
            for person in people.into_iter().flatten().filter(|person| !is_person(*person)) {
                wrong.push(format!("the record of {id} names {person}, who is nobody"));
            }
            if !matches!(record.kind, PersonKind::Persona | PersonKind::Bot) {
                wrong.push(format!("the record of {id} is of a {}", record.kind.name()));
            }
            if !THINK_DS.contains(&record.think_ds) {
                wrong.push(format!("{id} thinks every {} tenths of a second", record.think_ds));
            }
            let (seed, own) = (record.seed.chars().count(), record.guidelines.chars().count());
            if seed > SEED_CHARS || own > GUIDELINES_CHARS {
                wrong.push(format!("the texts of {id} are too long"));
            }
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_operator_leaves_open_stays_as_it_is() {
        let first = AgentTerms { kind: Some(PersonKind::Bot), seed: Some("Count.".into()), ..AgentTerms::default() };
        let second = AgentTerms { model: Some("m-1".into()), seed: Some("Sing.".into()), ..AgentTerms::default() };
        let mut record = AgentRecord::default();
        record.take(&first);
        record.take(&second);
        let mut at_once = AgentRecord::default();
        at_once.take(&second.over(first));
        assert_eq!(record, at_once);
        assert_eq!((record.kind, &*record.seed, record.think_ds), (PersonKind::Bot, "Sing.", THINK_DS_FIRST));
    }

    #[test]
    fn terms_that_no_record_keeps_are_refused() {
        let with = |change: fn(&mut AgentTerms)| {
            let mut terms = AgentTerms::default();
            change(&mut terms);
            terms
        };
        for (terms, why) in [
            (with(|terms| terms.kind = Some(PersonKind::Architect)), "there is one, and no record makes it"),
            (with(|terms| terms.seed = Some("x".repeat(SEED_CHARS + 1).into())), "too long"),
            (with(|terms| terms.seed = Some("a\u{1b}[2Jb".into())), "steers a terminal"),
            (with(|terms| terms.seed = Some(" a".into())), "blanks around it"),
            (with(|terms| terms.model = Some("two words".into())), "two words"),
            (with(|terms| terms.tier = Some("".into())), "nothing"),
            (with(|terms| terms.out_format = Some("x\ny".into())), "two lines"),
        ] {
            assert!(terms.check().is_err(), "{why}");
        }
        let whole = with(|terms| {
            terms.seed = Some("é".repeat(SEED_CHARS).into());
            terms.model = Some("org/model-1.5:free".into());
        });
        assert_eq!(whole.check(), Ok(()));
    }

    #[test]
    fn thumbs_move_the_interval_and_time_draws_it_up_again() {
        let mut record = AgentRecord::default();
        assert!(record.thumb(7, true, 100) && record.thumb(8, true, 100));
        assert_eq!(record.think_ds, 40);
        assert!(!record.thumb(7, false, 129), "one person moves it once in thirty ticks");
        assert!(record.thumb(7, false, 130));
        assert_eq!(record.think_ds, 45);
        // Forty seconds are eight intervals of 4.5 to 5.2 seconds.
        for _ in 0..20 {
            record.drift();
        }
        assert_eq!(record.think_ds, 53);
        for tick in 1_000..100_000 {
            record.thumb(tick as u32, tick % 2 == 0, tick);
            record.drift();
            assert!(THINK_DS.contains(&record.think_ds) && record.elapsed_ds < 100 && record.thumbs.len() <= 30);
        }
        let mut fastest = AgentRecord { think_ds: 10, ..AgentRecord::default() };
        assert!(!fastest.thumb(1, true, 0));
        assert_eq!(fastest.think_ds, 10);
    }

    #[test]
    fn who_is_no_more_leaves_nothing_that_names_it() {
        let mut agents = Agents::default();
        let owned = AgentRecord { owner: Some(7), created_by: Some(7), ..AgentRecord::default() };
        agents.put(8, owned.clone());
        agents.put(7, AgentRecord::default());
        agents.permit(7, true);
        agents.crown(7);
        let order = MakingOrder {
            name: None,
            kind: PersonKind::Bot,
            seed: "Count.".into(),
            owner: Some(7),
            created_by: 8,
            channel: 8,
        };
        agents.order(9, order.clone(), 1);
        agents.order(10, MakingOrder { created_by: 7, ..order }, 1);
        agents.forget(7);
        assert_eq!(agents.check(|id| id == 8), [""; 0]);
        assert_eq!(agents.get(8), Some(&AgentRecord { owner: None, created_by: None, ..owned }));
        assert_eq!(agents.orders().map(|(id, order)| (id, order.owner)).collect::<Vec<_>>(), [(9, None)]);
    }

    #[test]
    fn a_seed_keeps_its_lines_and_nothing_that_steers() {
        assert_eq!(clean_lines("\n# Rook\r\ncounts\u{1b}[2J \u{202e}boats\t.\n\n"), "# Rook\ncounts[2J boats .");
    }
}
