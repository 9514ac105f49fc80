//! Agents that people and agents make: an order in the state, until the edge has made the character.
//!
//! Invariant: an order leaves the state with its answer only, so one that a crash overtook is taken up at the next
//! start; and an answer without an order does nothing, so none is made twice.

use crate::agent::{AgentRecord, MakingOrder, ORDERS_MAX, PER_OWNER, SEED_CHARS, check_length, clean_lines};
use crate::channel::{Access, ChannelKind, MEMBERS_MAX, names};
use crate::refusal::{Done, Refusal};
use crate::report::Request;
use crate::world::World;
use content::Text;
use protocol::channel::PersonKind;

impl World {
    /// Somebody orders an agent. The id that it will have.
    pub(crate) fn order_agent(
        &mut self,
        by: u32,
        name: Option<&str>,
        kind: PersonKind,
        channel: Option<u32>,
        prompt: &str,
    ) -> Result<u32, Refusal> {
        if !self.makes_agents(by) {
            return Err("You may not make agents; The Architect permits it.".into());
        }
        let seed = clean_lines(prompt);
        if seed.is_empty() {
            return Err("Who is it to be, or what is it for? agent create [<name>] [persona|bot] = <prompt>".into());
        }
        check_length("A prompt", &seed, SEED_CHARS)?;
        let name = match name {
            Some(name) => Some(self.check_name(name)?),
            None => None,
        };
        let channel = channel.unwrap_or(by);
        self.may_bring_into(by, channel)?;
        let owner = self.owner_of(by);
        let most = self.state.agents.per_owner.unwrap_or(PER_OWNER);
        if self.state.agents.count_of(owner) >= most as usize {
            return Err(format!("{most} agents of one owner are the most; retire one first.").into());
        }
        let tick = self.tick();
        if self.state.agents.ordered_of_late(by, tick) >= ORDERS_MAX {
            return Err(format!("You have made {ORDERS_MAX} agents within the hour; wait a while.").into());
        }
        let id = self.state.channels.new_id();
        let name = name.map(|name| name.into());
        let order = MakingOrder { name, kind, seed: seed.into(), owner, created_by: by, channel };
        self.state.agents.order(id, order, tick);
        self.request(Request::MakeAgent);
        Ok(id)
    }

    /// A new agent may be brought into a home or a group that is one's own or one's owner's, or open to everybody.
    fn may_bring_into(&self, by: u32, id: u32) -> Done {
        if id == by {
            return Ok(());
        }
        let kind = self.channel_kind(id);
        let channel = self.state.channels.get(id).filter(|channel| !channel.party);
        let (ChannelKind::Home | ChannelKind::Group, Some(channel)) = (kind, channel) else {
            return Err("New agents come into homes and groups only.".into());
        };
        let is_own = channel.owner.is_some_and(|owner| self.has_owner_in_common(owner, by));
        if !is_own && channel.access != Access::Open && !self.is_architect(by) {
            return Err("You bring new agents only into channels of your own or your owner's, or open ones.".into());
        }
        if channel.members.len() >= MEMBERS_MAX {
            return Err(format!("{MEMBERS_MAX} are in there, and that is the most.").into());
        }
        Ok(())
    }

    /// The edge has made the character of an agent that was ordered.
    pub(crate) fn agent_made(&mut self, id: u32, name: &Text) {
        let Some(order) = self.state.agents.take_order(id) else { return };
        // As it was called, where only blanks and marks had to go for the name of its account.
        let shown = order.name.filter(|shown| names::folded(shown) == names::folded(name));
        let id = self.state.channels.admit(name, shown.as_ref(), Some(id));
        let record = AgentRecord {
            kind: order.kind,
            seed: order.seed,
            owner: order.owner,
            created_by: Some(order.created_by),
            ..AgentRecord::default()
        };
        self.put_record(id, record);
        // Where its place is gone meanwhile, its maker's home is not.
        let there = self.may_bring_into(order.created_by, order.channel).is_ok();
        let channel = if there { order.channel } else { order.created_by };
        let tick = self.tick();
        let shown = self.display_name(id);
        if self.channel_in_use(channel).members.len() < MEMBERS_MAX {
            self.notice(channel, format!("{shown} ({id}) has joined."));
            self.state.channels.join(channel, id, tick);
            self.changed(channel);
        }
        self.tell_of_channel(order.created_by, format!("{shown} ({id}) is made, and plays as soon as a host runs it."));
    }
}
