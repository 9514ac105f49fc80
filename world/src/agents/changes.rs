//! What people and agents do to records: sleep, wake, alter, retire, restore, permit, forbid.
//!
//! Invariant: a function that refuses has changed nothing.

use super::moments;
use crate::agent::{GUIDELINES_CHARS, SEED_CHARS, check_length, check_word, clean_lines};
use crate::channel::Access;
use crate::login::Farewell;
use crate::refusal::{Done, Refusal};
use crate::report::{Goodbye, LineKind};
use crate::world::World;
use content::Text;
use protocol::channel::ARCHITECT;

/// One part of an alteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alteration {
    /// The seed; `add`: behind what stands there.
    Prompt { text: String, add: bool },
    /// Which model is to play it; none: whatever its client has.
    Model(Option<Text>),
    /// How it is shown, as it was typed.
    Name(String),
}

impl World {
    /// An agent does not think before a moment that it names. The ticks that it sleeps.
    pub(crate) fn put_to_sleep(&mut self, person: u32, moment: &str) -> Result<u64, Refusal> {
        let tick = self.tick();
        let epoch = self.state.agents.epoch;
        let Some(record) = self.state.agents.get_mut(person) else {
            return Err("Only agents with a record sleep like that. To lie down: sleep".into());
        };
        let moments::Moment { until, wakes_ms } = moments::sleep_until(moment, tick, epoch)?;
        (record.sleep_until, record.wakes_ms) = (Some(until), wakes_ms);
        self.agent_changed(person);
        Ok(until - tick)
    }

    /// Somebody wakes an agent that is near.
    pub(crate) fn wake_agent(&mut self, by: u32, agent: u32) -> Done {
        let tick = self.tick();
        let (name, by_name) = (self.display_name(agent), self.name_and_id(by));
        if by == agent {
            return Err("Whoever can say that is awake.".into());
        }
        self.is_near(by, agent)?;
        let Some(record) = self.state.agents.get_mut(agent) else { return Ok(()) };
        if !record.sleeps(tick) {
            let what = if record.retired { "retired" } else { "awake" };
            return Err(format!("{name} is {what}.").into());
        }
        record.wake();
        self.agent_changed(agent);
        self.tell_of_channel(agent, format!("{by_name} wakes you."));
        Ok(())
    }

    /// Somebody writes into the record of another: all of it or nothing.
    pub(crate) fn alter_agent(&mut self, by: u32, agent: u32, alterations: &[Alteration]) -> Done {
        self.may_manage(by, agent)?;
        let Some(record) = self.state.agents.get(agent) else { return Ok(()) };
        let mut record = record.clone();
        let mut name = None;
        for alteration in alterations {
            match alteration {
                Alteration::Prompt { text, add } => {
                    let text = clean_lines(text);
                    let seed = if *add && !record.seed.is_empty() { format!("{}\n{text}", record.seed) } else { text };
                    check_length("A prompt", &seed, SEED_CHARS)?;
                    record.seed = seed.into();
                }
                Alteration::Model(model) => {
                    if let Some(model) = model {
                        check_word("A model", model)?;
                    }
                    record.model = model.clone();
                }
                Alteration::Name(typed) => {
                    if self.ticks_to_next_name(agent) > 0 {
                        return Err(
                            format!("{} took a name not long ago; wait a while.", self.display_name(agent)).into()
                        );
                    }
                    name = Some(self.name_for_person(agent, typed)?);
                }
            }
        }
        let by_name = self.name_and_id(by);
        // Of a name both are told when it is found to be free.
        if alterations.iter().any(|alteration| !matches!(alteration, Alteration::Name(_))) {
            self.put_record(agent, record);
            self.tell_of_channel(agent, format!("{by_name} has altered you."));
        }
        match name {
            Some(name) => self.look_up_name(by, agent, name),
            None => Ok(()),
        }
    }

    /// An agent plays no more: its session ends, its home is shut, and nobody comes in as it. What it said stays.
    pub(crate) fn retire_agent(&mut self, by: u32, agent: u32) -> Done {
        self.may_manage(by, agent)?;
        let name = self.display_name(agent);
        let Some(record) = self.state.agents.get_mut(agent) else { return Ok(()) };
        if record.retired {
            return Err(format!("{name} is retired already.").into());
        }
        record.retired = true;
        record.wake();
        self.agent_changed(agent);
        if let Some(home) = self.state.channels.get_mut(agent) {
            home.access = Access::Closed;
            home.keys.clear();
            home.invited.clear();
            home.requests.clear();
            self.notice(agent, format!("{name} ({agent}) is retired; nobody speaks here any more."));
            self.changed(agent);
        }
        let by_name = self.name_and_id(by);
        if let Some(who) = self.character_of(agent) {
            self.send(who, LineKind::Broadcast, format!("{by_name} has retired you. Farewell."));
            self.leave(who, Goodbye::Retired, Farewell::Shown);
        }
        Ok(())
    }

    /// The Architect lets a retired agent play again.
    pub(crate) fn restore_agent(&mut self, by: u32, agent: u32) -> Done {
        self.only_architect(by)?;
        let name = self.display_name(agent);
        let record = self.state.agents.get_mut(agent).filter(|record| record.retired);
        let Some(record) = record else { return Err(format!("{name} is not retired.").into()) };
        record.retired = false;
        self.agent_changed(agent);
        if self.state.channels.get(agent).is_some() {
            self.notice(agent, format!("{name} ({agent}) is back."));
        }
        Ok(())
    }

    /// The Architect says whether somebody may make agents.
    pub(crate) fn permit(&mut self, by: u32, person: u32, may: bool) -> Done {
        self.only_architect(by)?;
        let name = self.display_name(person);
        if self.is_architect(person) {
            return Err("The Architect needs nobody's leave.".into());
        }
        if self.makes_agents(person) == may {
            let what = if may { "may make agents already" } else { "may not make agents as it is" };
            return Err(format!("{name} {what}.").into());
        }
        match self.state.agents.get_mut(person) {
            Some(record) => {
                record.may_create_agents = may;
                self.agent_changed(person);
            }
            None => self.state.agents.permit(person, may),
        }
        let what = if may { "may make agents now: agent create" } else { "may make agents no more" };
        self.tell_of_channel(person, format!("You {what}."));
        Ok(())
    }

    /// An agent's own rules of conduct; none: it has none any more.
    pub(crate) fn set_guidelines(&mut self, person: u32, text: &str) -> Done {
        let text = clean_lines(text);
        check_length("What you keep to", &text, GUIDELINES_CHARS)?;
        let Some(record) = self.state.agents.get_mut(person) else { return Err(super::NO_RECORD.into()) };
        record.guidelines = text.into();
        self.agent_changed(person);
        Ok(())
    }

    /// Somebody becomes The Architect, and whoever was it is so no more.
    pub(crate) fn crown(&mut self, person: u32) {
        let before = self.state.agents.crown(person);
        if before == Some(person) {
            return;
        }
        let tick = self.tick();
        self.channel_in_use(ARCHITECT);
        if let Some(before) = before {
            let words = self.state.channels.leave(ARCHITECT, before);
            if let Some(who) = self.character_of(before) {
                self.give_back(who, &words, "Not said any more");
                self.changed_channels.insert((who, ARCHITECT));
            }
        }
        self.state.channels.join(ARCHITECT, person, tick);
        for seen in before.into_iter().chain([person]) {
            self.looks_changed(seen);
        }
        self.who_list = None;
        self.tell_of_channel(person, "You are The Architect now.");
    }
}
