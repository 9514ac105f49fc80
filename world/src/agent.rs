//! Records of agents as they are kept: what a program is in this world beside its character, wherever its client runs.
//!
//! A person with a record is a persona or a bot; one without is a person, played by whomever. What the verbs and the
//! operator do with records is in `agents/`.
//! Invariants: a record is of a person that is in `channel::Channels`, and so is its owner; `think_ds` lies in
//! `THINK_DS`; texts are no longer than their limits and hold no control character but line breaks.

use content::Text;
use protocol::channel::PersonKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Characters of a seed, of guidelines, and of a word such as the name of a model.
pub const SEED_CHARS: usize = 4_000;
pub const GUIDELINES_CHARS: usize = 1_500;
pub const WORD_CHARS: usize = 80;
/// Tenths of a second from one thought to the next, and at first.
pub const THINK_DS: RangeInclusive<u32> = 10..=100;
pub const THINK_DS_FIRST: u32 = 50;

/// Everybody who has a record.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Agents {
    /// By the person's id.
    list: BTreeMap<u32, Arc<AgentRecord>>,
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
    /// It does not think before this tick.
    pub sleep_until: Option<u64>,
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
            sleep_until: None,
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

    pub fn sleeps(&self, tick: u64) -> bool {
        self.sleep_until.is_some_and(|until| tick < until)
    }
}

impl Agents {
    pub fn get(&self, person: u32) -> Option<&AgentRecord> {
        self.list.get(&person).map(|record| &**record)
    }

    pub fn get_mut(&mut self, person: u32) -> Option<&mut AgentRecord> {
        self.list.get_mut(&person).map(Arc::make_mut)
    }

    /// By the person's id, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &AgentRecord)> {
        self.list.iter().map(|(person, record)| (*person, &**record))
    }

    /// Puts a record in, or another in its place.
    pub fn put(&mut self, person: u32, record: AgentRecord) {
        self.list.insert(person, Arc::new(record));
    }

    /// Somebody is nobody any more: its record is gone, and no other names it.
    pub fn forget(&mut self, person: u32) {
        self.list.remove(&person);
        for record in self.list.values_mut() {
            if record.owner == Some(person) || record.created_by == Some(person) {
                let record = Arc::make_mut(record);
                record.owner = record.owner.filter(|owner| *owner != person);
                record.created_by = record.created_by.filter(|maker| *maker != person);
            }
        }
    }

    /// How a person with a record appears to others.
    pub fn kind(&self, person: u32) -> Option<PersonKind> {
        self.get(person).map(|record| record.kind)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Puts other words in the place of all that people wrote.
    pub fn rewrite(&mut self, write: impl Fn(&str) -> String) {
        for record in self.list.values_mut().map(Arc::make_mut) {
            record.seed = write(&record.seed).into();
            record.guidelines = write(&record.guidelines).into();
        }
    }

    /// One sentence for each thing that is wrong. `is_person`: whether there is a person of that id.
    pub fn check(&self, is_person: impl Fn(u32) -> bool) -> Vec<String> {
        let mut wrong = Vec::new();
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
    fn a_seed_keeps_its_lines_and_nothing_that_steers() {
        assert_eq!(clean_lines("\n# Rook\r\ncounts\u{1b}[2J \u{202e}boats\t.\n\n"), "# Rook\ncounts[2J boats .");
    }
}
