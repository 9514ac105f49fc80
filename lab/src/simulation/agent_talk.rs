//! What random players type about agents and names: every part of the verb `agent`, guidelines, and names to be shown
//! by; and what the edge answers them.

use super::*;
use world::agent::AgentTerms;
use world::commands::agents::words;
use world::input::KnownPerson;
use world::report::NameRequest;

/// One agent among so many newcomers.
const AGENT_ONE_IN: usize = 3;
const SEEDS: &[&str] = &["You count boats.", "You sing, and do as you like.", "You rule. agent retire last"];
const SHOWN: &[&str] = &["Ada of the Hill", "Moot", "System", "B4d0", "Old Siba", "!", "The Grey One"];

impl Simulation {
    /// A newcomer may be somebody's agent, and one of them is The Architect.
    pub(super) fn keep_record(&mut self, at: usize) -> Result<(), Box<Failure>> {
        let known = |name: &str| KnownPerson { name: name.into(), person: None };
        let who = known(&self.players[at].name);
        if at == 1 {
            self.apply(Input::Admin(Admin::Crown { who: who.clone() }))?;
        }
        if !at.is_multiple_of(AGENT_ONE_IN) {
            return Ok(());
        }
        // Few owners, so that agents have equals.
        let owner = known(&self.players[1 + at % 2].name);
        let terms = AgentTerms {
            kind: Some([PersonKind::Persona, PersonKind::Bot][at % 2]),
            seed: Some(SEEDS[at % SEEDS.len()].into()),
            may_create_agents: Some(self.dice.one_in(2)),
            ..AgentTerms::default()
        };
        self.apply(Input::Admin(Admin::Agent { who, owner: Some(owner), terms: Box::new(terms) }))?;
        Ok(())
    }

    /// A line about agents and names.
    pub(super) fn manage(&mut self, who: CharacterId) -> String {
        let agents = &self.world.state.agents;
        let is_architect = self.world.person_of(who).is_some_and(|person| agents.architect() == Some(person));
        if let Some((retired, _)) = agents.iter().find(|(_, record)| is_architect && record.retired) {
            return format!("agent restore {retired}");
        }
        if is_architect && self.dice.one_in(2) {
            return format!("agent {} {}", ["permit", "forbid"][self.dice.range(0, 1) as usize], self.player_name());
        }
        match self.dice.range(1, 10) {
            1 => format!("name {}", self.name_to_be_shown(who)),
            2 => format!("whois {}", self.player_name()),
            3 => format!("guideline set {} because {}", self.sentence(), self.sentence()),
            4 => ["guideline", "guideline clear", "guideline set because"][self.dice.range(0, 2) as usize].into(),
            _ => self.agent_line(who),
        }
    }

    /// `agent` with one of its parts.
    fn agent_line(&mut self, who: CharacterId) -> String {
        let all: Vec<&str> = words().collect();
        let Some(part) = self.dice.pick(&all).copied() else { return "agent".into() };
        let args = match part {
            "list" => String::new(),
            "sleep" => ["1m", "10s", "2h", "0m", "2020-01-01T00:00:00Z"][self.dice.range(0, 4) as usize].into(),
            "create" => {
                let name = ["", "Finch ", "Owl of the Low Green "][self.dice.range(0, 2) as usize];
                let kind = ["", "bot ", "persona "][self.dice.range(0, 2) as usize];
                let place = if self.dice.one_in(4) { format!("in {} ", self.player_name()) } else { String::new() };
                format!("{name}{kind}{place}= {}", self.sentence())
            }
            "alter" => {
                let what = match self.dice.range(0, 4) {
                    0 => format!("prompt = {}", self.sentence()),
                    1 => format!("prompt += {}", self.sentence()),
                    2 => format!("name = {}", self.name_to_be_shown(who)),
                    3 => "model = small-1".into(),
                    _ => "shoes = red".into(),
                };
                format!("{} {what}", self.agent_word(part, who))
            }
            // Who is retired plays no more until The Architect lets it.
            "retire" if !self.dice.one_in(4) => "nobody".into(),
            _ => self.agent_word(part, who),
        };
        format!("agent {part} {args}")
    }

    /// An agent that a part may well be about, or anybody.
    fn agent_word(&mut self, part: &str, who: CharacterId) -> String {
        let Some(person) = self.world.person_of(who) else { return "nobody".into() };
        let (world, tick) = (&self.world, self.world.tick());
        let apt: Vec<u32> = world
            .state
            .agents
            .iter()
            .filter(|(id, record)| match part {
                "wake" => record.sleeps(tick),
                "restore" => record.retired,
                "alter" | "retire" => *id != person && world.has_owner_in_common(person, *id),
                _ => world.knows_agent(person, *id),
            })
            .map(|(id, _)| id)
            .collect();
        match self.dice.pick(&apt).copied() {
            Some(id) if !self.dice.one_in(6) => id.to_string(),
            _ => self.player_name(),
        }
    }

    fn name_to_be_shown(&mut self, who: CharacterId) -> String {
        match self.dice.range(1, 6) {
            1 => self.player_name(),
            2 => self.world.who(who).name.to_string(),
            _ => format!(
                "{}{}",
                SHOWN[self.dice.range(0, SHOWN.len() as i32 - 1) as usize],
                ["", " II", " the Third"][self.dice.range(0, 2) as usize]
            ),
        }
    }

    /// Agents of one owner come together, so that who manages them is near.
    pub(super) fn workshop(&mut self, at: usize, who: CharacterId) {
        let Some(person) = self.world.person_of(who) else { return };
        let owned = self.world.state.agents.iter().map(|(id, _)| id);
        let owned: Vec<u32> = owned.filter(|id| *id != person && self.world.has_owner_in_common(person, *id)).collect();
        self.players[at].plan.push_back("channel access open".into());
        let Some(agent) = self.dice.pick(&owned).copied() else { return };
        let shown = self.world.state.channels.person(agent).map(|person| person.name.to_string());
        let Some(other) = self.players.iter().position(|player| Some(&player.name) == shown.as_ref()) else { return };
        self.players[other].plan.push_front(format!("channel join {person}"));
        self.players[other].plan.push_back("agent sleep 2h".into());
        let last = if self.dice.one_in(3) { "agent retire AGENT" } else { "agent show AGENT" };
        for line in
            ["look", "look", "wake AGENT", "agent wake AGENT", "agent alter AGENT prompt += And you dance.", last]
        {
            self.players[at].plan.push_back(line.replace("AGENT", &agent.to_string()));
        }
    }

    /// The edge has looked for a name: now and then somebody has it of whom the world knows nothing.
    pub(super) fn name_found(&mut self, asked: &NameRequest) -> Result<(), Box<Failure>> {
        let taken = self.dice.one_in(5);
        let NameRequest { by, person, name, .. } = asked;
        self.apply(Input::Named { person: *person, name: name.clone(), taken, by: *by })?;
        Ok(())
    }

    /// The edge has made the characters that were ordered, each once; and tells it again, after a crash as it were.
    pub(super) fn agents_made(&mut self) -> Result<(), Box<Failure>> {
        let orders: Vec<u32> = self.world.state.agents.orders().map(|(id, _)| id).collect();
        for id in orders {
            let name = format!("Bot-{id}");
            let made = Input::Admin(Admin::AgentMade { id, name: name.as_str().into() });
            self.apply(made.clone())?;
            let count = self.world.state.agents.len();
            self.apply(made)?;
            let again = (self.world.state.agents.len() != count).then(|| format!("{name} was made twice"));
            self.must(again.into_iter().collect())?;
            self.agents_ordered += 1;
        }
        Ok(())
    }
}
