//! What random players type about channels: every part of the verb `channel`, and what is said, answered and thought
//! there.

use super::*;
use world::channel::{Access, Channel, ChannelKind, Member, MessageKind};
use world::commands::channel::words;

const KEYS: &[&str] = &["oak", "elm", "ash"];
const NAMES: &[&str] = &["Night Watch", "Oak Moot", "Moot", "The Low Green"];

impl Simulation {
    /// A line about channels.
    pub(super) fn talk(&mut self, who: CharacterId) -> String {
        if let Some(request) = self.open_request(who)
            && self.dice.one_in(2)
        {
            return format!("channel {} {request}", ["grant", "grant", "deny"][self.dice.range(0, 2) as usize]);
        }
        // Seldom possible, so that it is done when it is; what ends a channel or a membership is done more rarely.
        for (part, one_in) in
            [("drop", 3), ("unmute", 3), ("join", 3), ("hide", 6), ("leave", 8), ("remove", 8), ("close", 12)]
        {
            if let Some(apt) = self.apt(part, who)
                && self.dice.one_in(one_in)
            {
                return format!("channel {part} {apt}");
            }
        }
        match self.dice.range(1, 20) {
            1..=5 => format!("chat {} {}", self.channel_word(who), self.speech()),
            6..=8 => format!("reply {} {}", self.message_word(who), self.speech()),
            9..=10 => {
                let how = ["up", "down", "brain", "heart"][self.dice.range(0, 3) as usize];
                format!("react {} {how}", self.message_word(who))
            }
            11 => {
                let share = ["30%", "0%", "100%", "101%", "%*", "auto", ""][self.dice.range(0, 6) as usize];
                format!("attention {} {share}", self.channel_word(who))
            }
            12..=13 => format!("request {} {}", self.player_name(), self.key()),
            14 => format!("gossip {}", self.speech()),
            15 => format!("tell {} {}", self.player_name(), self.speech()),
            _ => self.channel_line(who),
        }
    }

    /// `channel` with one of its parts.
    fn channel_line(&mut self, who: CharacterId) -> String {
        let all: Vec<&str> = words().collect();
        let Some(part) = self.dice.pick(&all).copied() else { return "channel".into() };
        if let Some(apt) = self.apt(part, who)
            && !self.dice.one_in(4)
        {
            return format!("channel {part} {apt}");
        }
        let args = match part {
            "list" => String::new(),
            "history" => format!(
                "{} {}",
                self.channel_word(who),
                ["", "5", "before 40", "with Flame"][self.dice.range(0, 3) as usize]
            ),
            "create" => NAMES[self.dice.range(0, NAMES.len() as i32 - 1) as usize].to_string(),
            "billboard" => [self.sentence(), "clear".into()][self.dice.range(0, 1) as usize].clone(),
            "wpm" => ["10", "80", "200", "9", "x"][self.dice.range(0, 4) as usize].into(),
            "cooling" => ["on", "off"][self.dice.range(0, 1) as usize].into(),
            "access" => ["open", "key", "closed"][self.dice.range(0, 2) as usize].into(),
            "key" => format!("{} {}", ["add", "add", "revoke"][self.dice.range(0, 2) as usize], self.key()),
            "grant" | "deny" => "1".into(),
            "invite" | "remove" => self.player_name(),
            "hide" => self.message_word(who),
            "close" => String::new(),
            _ => self.channel_word(who),
        };
        let own = if self.dice.one_in(2) { self.own_group(who) } else { None };
        match own {
            Some(id) => format!("channel {part} {args} in {id}"),
            None => format!("channel {part} {args}"),
        }
    }

    /// What a part is about where it needs something that is seldom met by chance.
    fn apt(&mut self, part: &str, who: CharacterId) -> Option<String> {
        let person = self.world.person_of(who)?;
        let channels = &self.world.state.channels;
        let all = || channels.iter().filter(|(_, channel)| channel.kind != ChannelKind::Direct);
        let mine = || all().filter(move |(_, channel)| channel.owner == Some(person));
        let member = |channel: &'_ Channel| channel.members.get(&person).cloned();
        let of = |wanted: &dyn Fn(&Member) -> bool| -> Vec<String> {
            let all = channels.iter().filter(|(_, channel)| member(channel).as_ref().is_some_and(wanted));
            all.map(|(id, _)| id.to_string()).collect()
        };
        let found: Vec<String> = match part {
            "drop" => of(&|member| !member.queue.is_empty()),
            "unmute" => of(&|member| member.muted_from.is_some()),
            "join" => all()
                .filter(|(_, channel)| member(channel).is_none() && channel.owner.is_some() && !channel.party)
                .filter(|(_, channel)| channel.access == Access::Open || channel.invited.contains(&person))
                .map(|(id, _)| id.to_string())
                .collect(),
            "leave" => all()
                .filter(|(_, channel)| channel.owner.is_some_and(|owner| owner != person) && !channel.party)
                .filter(|(_, channel)| member(channel).is_some())
                .map(|(id, _)| id.to_string())
                .collect(),
            "remove" => mine()
                .flat_map(|(id, channel)| channel.members.keys().map(move |member| (id, *member)))
                .filter(|(_, member)| *member != person)
                .map(|(id, member)| format!("{member} in {id}"))
                .collect(),
            "hide" => mine()
                .flat_map(|(id, channel)| channel.messages.iter().map(move |message| (id, message)))
                .filter(|(_, message)| message.kind == MessageKind::Text && !message.hidden)
                .map(|(id, message)| format!("{} in {id}", message.id))
                .collect(),
            "close" => mine().filter(|(id, _)| *id != person).map(|(id, _)| format!("in {id}")).collect(),
            _ => return None,
        };
        self.dice.pick(&found).cloned()
    }

    fn key(&mut self) -> &'static str {
        KEYS[self.dice.range(0, KEYS.len() as i32 - 1) as usize]
    }

    /// Words, now and then more than an account holds.
    fn speech(&mut self) -> String {
        let sentences = if self.dice.one_in(6) { self.dice.range(10, 60) } else { 1 };
        (0..sentences).map(|_| self.sentence()).collect::<Vec<_>>().join(". ")
    }

    /// A channel of this character's, or one that may be somebody else's.
    fn channel_word(&mut self, who: CharacterId) -> String {
        let mine = self.world.person_of(who).map(|person| self.world.channels_of(person)).unwrap_or_default();
        match (self.dice.range(1, 6), self.dice.pick(&mine).copied()) {
            (1..=3, Some(id)) => id.to_string(),
            (4, _) => "home".into(),
            (5, _) => self.player_name(),
            _ => NAMES[self.dice.range(0, NAMES.len() as i32 - 1) as usize].replace(' ', ""),
        }
    }

    /// A message that this character may see, or one that it may not.
    fn message_word(&mut self, who: CharacterId) -> String {
        let mine = self.world.person_of(who).map(|person| self.world.channels_of(person)).unwrap_or_default();
        let channel = self.dice.pick(&mine).copied();
        let held: Vec<u64> = channel
            .and_then(|id| self.world.state.channels.get(id))
            .map(|channel| channel.messages.iter().map(|message| message.id).collect())
            .unwrap_or_default();
        match (self.dice.range(1, 6), self.dice.pick(&held).copied()) {
            (1..=4, Some(id)) => id.to_string(),
            (5, _) => self.player_name(),
            _ => "last".into(),
        }
    }

    /// A group that this character owns.
    fn own_group(&mut self, who: CharacterId) -> Option<u32> {
        let person = self.world.person_of(who)?;
        let channels = &self.world.state.channels;
        let own = |id: &u32| *id != person && channels.get(*id).is_some_and(|channel| channel.owner == Some(person));
        let owned: Vec<u32> = self.world.channels_of(person).into_iter().filter(own).collect();
        self.dice.pick(&owned).copied()
    }

    /// The number of somebody's request to be let into a channel of this character's.
    fn open_request(&mut self, who: CharacterId) -> Option<u64> {
        let person = self.world.person_of(who)?;
        let channels = self.world.channels_of(person).into_iter();
        let own = channels.filter_map(|id| self.world.state.channels.get(id));
        let own = own.filter(|channel| channel.owner == Some(person));
        let open: Vec<u64> = own.flat_map(|channel| channel.requests.iter().map(|request| request.id)).collect();
        self.dice.pick(&open).copied()
    }

    /// Somebody's home, with a key for whoever knows it, and one who does.
    pub(super) fn housewarming(&mut self, at: usize) {
        let name = self.players[at].name.to_lowercase();
        let key = self.key();
        for step in [
            "channel access key".into(),
            format!("channel key add {key}"),
            format!("chat home {}", self.speech()),
            "channel billboard Be quiet here.".into(),
        ] {
            self.players[at].plan.push_back(step);
        }
        let other = self.dice.range(0, self.players.len() as i32 - 1) as usize;
        if other != at {
            let speech = self.speech();
            self.players[other].plan.extend([
                "look".into(),
                format!("request {name} {key}"),
                format!("request {name} {key}"),
                format!("chat {name} {speech}"),
            ]);
        }
    }
}
