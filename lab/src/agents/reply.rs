//! One reply changed: a server's past is played on from where a message was typed, with its words and with others, the
//! same seeds of both.
//!
//! Whoever was connected as a program then is played by an agent of ours with a policy of the stub for its model;
//! people have lost their links, and are silent. What is counted is counted in the world: messages, words and reactions
//! of each agent, and its *stance*, the thumbs up and hearts that it gave less the thumbs down. The changed message
//! itself does not count.
//! Invariant: a arm is a function of the journal, its first input and the seed; seed 0 is the world's own chance.

use super::compare::paired;
use super::oracle;
use super::play::{Chair, Setting, each_seed, play_on};
use super::stage::Stage;
use agent_cli::agent::{Agent, AgentSettings, slow_ms};
use agent_cli::stub::{PolicyKind, policy_of};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use server::fork::{Moment, Said};
use server::replay::PastArgs;
use std::collections::BTreeMap;
use std::fmt::Write;
use world::channel::{MessageKind, Reaction, pace};
use world::character::{Character, Link};
use world::{Input, World};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    pub past: PastArgs,
    pub message: u64,
    pub instead: String,
    pub terms: Terms,
}

/// How both arms are played.
#[derive(Clone, Debug)]
pub struct Terms {
    pub seeds: u64,
    pub ticks: u64,
    pub policy: PolicyKind,
    /// For the policies that are read from a file: its text.
    pub script: Option<String>,
    pub think_ms: u64,
    pub model_ms: u64,
}

/// A world at the moment before the message, and the input with which each arm begins: as it was, and instead.
pub struct Beginning {
    pub world: World,
    pub first: [Input; 2],
}

/// A line that an agent sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deed {
    /// Ticks after the message was typed.
    pub tick: u64,
    pub agent: String,
    pub line: String,
}

/// What was said in a arm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heard {
    pub tick: u64,
    pub channel: u32,
    pub person: u32,
    pub name: String,
    pub text: String,
    pub reactions: Vec<(u32, Reaction)>,
}

/// One way in which it went on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    pub deeds: Vec<Deed>,
    /// By their numbers; the first is the message itself, where it did not have to wait.
    pub heard: BTreeMap<u64, Heard>,
    /// Agent by agent, in the order of their names.
    pub counts: Vec<[i64; 4]>,
}

/// What is counted of each agent, in this order.
pub const COUNTED: [&str; 4] = ["messages", "words", "reactions", "stance"];

/// Where two arms part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parting {
    pub tick: u64,
    /// What is done as it was, and instead; one may be nothing.
    pub deeds: [Option<Deed>; 2],
}

/// All arms of a question.
pub struct Answer {
    pub question: Question,
    pub said: Said,
    pub tick: u64,
    pub agents: Vec<String>,
    /// Of each seed, as it was and instead.
    pub pairs: Vec<[Arm; 2]>,
}

struct Cast {
    name: String,
    person: u32,
}

pub fn ask(question: Question) -> anyhow::Result<Answer> {
    let moment = Moment::before_message(&question.past, question.message)?;
    let first = moment.first_input(None)?.context("a message has an input")?;
    let other = moment.first_input(Some(&question.instead))?.context("a message has an input")?;
    let said = moment.said.clone().context("it begins with a message")?;
    let beginning = Beginning { world: moment.world, first: [first, other] };
    let (agents, pairs) = both(&beginning, &question.terms).with_context(|| format!("#{}", question.message))?;
    Ok(Answer { tick: beginning.world.tick(), said, agents, pairs, question })
}

/// Plays both arms with all seeds. The names of the agents, and of each seed the arms.
pub fn both(beginning: &Beginning, terms: &Terms) -> anyhow::Result<(Vec<String>, Vec<[Arm; 2]>)> {
    let cast = cast(&beginning.world);
    ensure!(
        !cast.is_empty(),
        "no program was connected when it was typed, so there is nobody who could go on otherwise"
    );
    // Both arms of a seed, each by itself, so that all cores have work.
    let runs: Vec<u64> = (0..terms.seeds * 2).collect();
    let played =
        each_seed(&runs, &|run| arm(terms, &beginning.world, &cast, &beginning.first[run as usize % 2], run / 2));
    let mut arms = Vec::new();
    for (run, played) in played {
        arms.push(played.with_context(|| format!("seed {}", run / 2))?);
    }
    let mut arms = arms.into_iter();
    let pairs = std::iter::from_fn(|| Some([arms.next()?, arms.next()?])).collect();
    Ok((cast.into_iter().map(|one| one.name).collect(), pairs))
}

/// The programs that are connected.
fn cast(world: &World) -> Vec<Cast> {
    let players = world.state.players.values().filter_map(|who| {
        let character = world.character(*who)?;
        let player = character.player()?;
        let name = character.name.to_string();
        (player.agent && player.link == Link::Linked).then_some(Cast { name, person: player.person? })
    });
    players.collect()
}

fn arm(terms: &Terms, from: &World, cast: &[Cast], first: &Input, seed: u64) -> anyhow::Result<Arm> {
    let mut state = from.snapshot();
    state.seed = state.seed.wrapping_add(seed);
    let mut world = World::resume(from.content.clone(), from.rules.clone(), state);
    let people: Vec<_> = world.state.players.values().copied().collect();
    for who in people {
        let is_program = world.character(who).and_then(Character::player).is_some_and(|player| player.agent);
        if !is_program {
            let link = Link::Lost { since_tick: world.tick() };
            world.apply(&Input::Link { who, link, agent: false });
        }
    }
    let (since, from_tick) = (world.state.channels.next_message(), world.tick());
    world.apply(first);
    let typed_by = world.state.number;
    let mut stage = Stage::of(world)?;
    let setting = Setting {
        think_ms: terms.think_ms,
        model_ms: terms.model_ms,
        players: cast.len(),
        trace: true,
        ..Setting::default()
    };
    let mut chairs = Vec::new();
    for (n, one) in cast.iter().enumerate() {
        let seat = stage.take_over(&one.name)?;
        let seed = seed.wrapping_mul(1_000).wrapping_add(n as u64);
        let settings = AgentSettings {
            use_model: true,
            think_ms: terms.think_ms,
            slow_ms: slow_ms(terms.think_ms),
            seed,
            ..AgentSettings::default()
        };
        let mut policy = policy_of(terms.policy, seed, terms.script.as_deref())?;
        // What nobody had answered by then would be answered first, in both arms alike.
        policy.begin_at(since);
        let oracle = oracle::plain(policy, one.name.clone(), terms.model_ms);
        chairs.push(Chair::new(&stage, &setting, seat, (Box::new(Agent::new(settings)), Some(oracle))));
    }
    let mut heard: BTreeMap<u64, Heard> = BTreeMap::new();
    let mut own: Vec<u64> = Vec::new();
    play_on(&mut stage, &mut chairs, &setting, terms.ticks, &mut |stage, _| {
        stage.engine.with_world(|world| {
            let messages = world.state.channels.iter().flat_map(|(id, channel)| {
                channel.messages.iter().rev().take_while(|message| message.id >= since).map(move |m| (id, m))
            });
            for (channel, message) in messages.filter(|(_, message)| message.kind == MessageKind::Text) {
                let Some(person) = message.sender.id else { continue };
                if message.typed_by == typed_by && !own.contains(&message.id) {
                    own.push(message.id);
                }
                // Reactions come later than their message.
                heard.insert(
                    message.id,
                    Heard {
                        tick: message.tick - from_tick,
                        channel,
                        person,
                        name: message.sender.name.to_string(),
                        text: message.text.to_string(),
                        reactions: message.reactions.clone(),
                    },
                );
            }
        });
    })?;
    let mut deeds: Vec<Deed> = Vec::new();
    for (chair, one) in chairs.iter().zip(cast) {
        let deed = |(at_ms, line): &(u64, String)| Deed {
            tick: at_ms / stage.tick_ms,
            agent: one.name.clone(),
            line: line.clone(),
        };
        deeds.extend(chair.sent.iter().map(deed));
    }
    // What one agent did in a tick stays in its order.
    deeds.sort_by_key(|deed| deed.tick);
    let counts = cast.iter().map(|one| counted(&heard, &own, one.person)).collect();
    Ok(Arm { deeds, heard, counts })
}

fn counted(heard: &BTreeMap<u64, Heard>, own: &[u64], person: u32) -> [i64; 4] {
    let mut counts = [0; 4];
    for (id, message) in heard {
        if message.person == person && !own.contains(id) {
            counts[0] += 1;
            counts[1] += i64::from(pace::words(&message.text));
        }
        for (_, reaction) in message.reactions.iter().filter(|(by, _)| *by == person) {
            counts[2] += 1;
            counts[3] += match reaction {
                Reaction::ThumbsUp | Reaction::Heart => 1,
                Reaction::ThumbsDown => -1,
                Reaction::Brain => 0,
            };
        }
    }
    counts
}

/// The first deed that is not the same.
pub fn parting(first: &Arm, second: &Arm) -> Option<Parting> {
    let most = first.deeds.len().max(second.deeds.len());
    let at = (0..most).find(|n| first.deeds.get(*n) != second.deeds.get(*n))?;
    let deeds = [first.deeds.get(at).cloned(), second.deeds.get(at).cloned()];
    let tick = deeds.iter().flatten().map(|deed| deed.tick).min()?;
    Some(Parting { tick, deeds })
}

/// A row of the table: what of whom, the means of both, the difference with its interval, and p.
struct Row {
    whose: String,
    what: &'static str,
    means: [f64; 2],
    difference: f64,
    interval: [f64; 2],
    p: f64,
}

impl Answer {
    fn rows(&self) -> Vec<Row> {
        let all = ("all".to_string(), None);
        let whose = std::iter::once(all).chain(self.agents.iter().cloned().enumerate().map(|(n, a)| (a, Some(n))));
        let row = |whose: &str, of: Option<usize>, at: usize| {
            let count = |arm: &Arm| -> f64 {
                let agents = arm.counts.iter().enumerate().filter(|(n, _)| of.is_none_or(|of| of == *n));
                agents.map(|(_, counts)| counts[at] as f64).sum()
            };
            let mean = |which: usize| {
                self.pairs.iter().map(|pair| count(&pair[which])).sum::<f64>() / self.pairs.len().max(1) as f64
            };
            let differences: Vec<f64> = self.pairs.iter().map(|[one, other]| count(other) - count(one)).collect();
            let (difference, interval, p) = paired(&differences);
            Row { whose: whose.into(), what: COUNTED[at], means: [mean(0), mean(1)], difference, interval, p }
        };
        whose.flat_map(|(name, of)| (0..COUNTED.len()).map(|at| row(&name, of, at)).collect::<Vec<_>>()).collect()
    }

    fn partings(&self) -> Vec<Parting> {
        self.pairs.iter().filter_map(|[one, other]| parting(one, other)).collect()
    }

    /// The tables, as markdown.
    pub fn markdown(&self) -> String {
        let mut page = String::new();
        let Said { message, channel, speaker, text, .. } = &self.said;
        let instead = &self.question.instead;
        let _ = writeln!(
            page,
            "#{message} of {speaker} in channel {channel}, typed at tick {}: \"{text}\"\nInstead: \"{instead}\"\n\
             {} agents ({}), {} seeds, {} ticks each\n",
            self.tick,
            self.agents.len(),
            self.agents.join(", "),
            self.pairs.len(),
            self.question.terms.ticks,
        );
        let mut partings = self.partings();
        partings.sort_by_key(|parting| parting.tick);
        let _ = match (partings.first(), partings.get(partings.len() / 2), partings.last()) {
            (Some(first), Some(middle), Some(last)) => {
                let told = |deed: &Option<Deed>| match deed {
                    Some(Deed { tick, agent, line }) => format!("{agent} at +{tick}: {line}"),
                    None => "nothing".into(),
                };
                writeln!(
                    page,
                    "They part in {} of {} seeds, {} to {} ticks after it (median {}). The earliest:\n\
                     - as it was: {}\n- instead: {}\n",
                    partings.len(),
                    self.pairs.len(),
                    first.tick,
                    last.tick,
                    middle.tick,
                    told(&first.deeds[0]),
                    told(&first.deeds[1]),
                )
            }
            _ => writeln!(page, "They part in no seed.\n"),
        };
        page.push_str(
            "| agent | counted | as it was | instead | difference (95 %) | p |\n|---|---|---:|---:|---|---:|\n",
        );
        for Row { whose, what, means: [one, other], difference, interval: [low, high], p } in self.rows() {
            let p = if p < 0.0001 { "< 0.0001".to_string() } else { format!("{p:.4}") };
            let _ = writeln!(
                page,
                "| {whose} | {what} | {one:.1} | {other:.1} | {difference:+.1} ({low:+.1} to {high:+.1}) | {p} |"
            );
        }
        page
    }

    /// What was said in both arms of a seed, side by side, up to so many messages of each.
    pub fn side_by_side(&self, seed: u64, most: usize) -> anyhow::Result<String> {
        let pair = self.pairs.get(seed as usize).with_context(|| format!("seed {seed} was not played"))?;
        let lines = |arm: &Arm| -> Vec<String> {
            let shown = arm.heard.values().take(most).map(|heard| {
                let Heard { tick, name, text, reactions, .. } = heard;
                let ups = reactions.iter().filter(|(_, reaction)| *reaction == Reaction::ThumbsUp).count();
                let downs = reactions.iter().filter(|(_, reaction)| *reaction == Reaction::ThumbsDown).count();
                let thumbs = match (ups, downs) {
                    (0, 0) => String::new(),
                    (ups, 0) => format!(" [{ups} up]"),
                    (0, downs) => format!(" [{downs} down]"),
                    (ups, downs) => format!(" [{ups} up, {downs} down]"),
                };
                format!("+{tick} {name}: {}{thumbs}", text.replace('|', "/"))
            });
            shown.collect()
        };
        let [one, other] = [lines(&pair[0]), lines(&pair[1])];
        let mut page = String::from("| as it was | instead |\n|---|---|\n");
        for n in 0..one.len().max(other.len()) {
            let of = |lines: &[String]| lines.get(n).cloned().unwrap_or_default();
            let _ = writeln!(page, "| {} | {} |", of(&one), of(&other));
        }
        let more = pair.each_ref().map(|arm| arm.heard.len().saturating_sub(most));
        if more != [0, 0] {
            let _ = writeln!(page, "| and {} more | and {} more |", more[0], more[1]);
        }
        Ok(page)
    }

    pub fn json(&self) -> Value {
        let deed = |deed: &Option<Deed>| {
            deed.as_ref().map(|deed| json!({"tick": deed.tick, "agent": deed.agent, "line": deed.line}))
        };
        let partings: Vec<Value> = self
            .pairs
            .iter()
            .enumerate()
            .map(|(seed, [one, other])| match parting(one, other) {
                Some(parting) => json!({"seed": seed, "tick": parting.tick,
                    "as_it_was": deed(&parting.deeds[0]), "instead": deed(&parting.deeds[1])}),
                None => json!({"seed": seed, "tick": null}),
            })
            .collect();
        let rows: Vec<Value> = self
            .rows()
            .into_iter()
            .map(|row| {
                json!({"agent": row.whose, "counted": row.what, "as_it_was": row.means[0], "instead": row.means[1],
                    "difference": row.difference, "interval_95": row.interval, "p_value": row.p})
            })
            .collect();
        json!({
            "message": self.said.message, "speaker": &*self.said.speaker, "channel": self.said.channel,
            "tick": self.tick, "text": &*self.said.text, "instead": self.question.instead,
            "seeds": self.pairs.len(), "ticks": self.question.terms.ticks, "agents": self.agents,
            "divergence": partings, "counts": rows,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(lines: &[(u64, &str)]) -> Arm {
        let deed = |(tick, line): &(u64, &str)| Deed { tick: *tick, agent: "Ann".into(), line: line.to_string() };
        Arm { deeds: lines.iter().map(deed).collect(), heard: BTreeMap::new(), counts: vec![[0; 4]] }
    }

    #[test]
    fn arms_part_with_the_first_deed_that_is_not_the_same() {
        let one = arm(&[(1, "north"), (3, "say no"), (4, "south")]);
        let other = arm(&[(1, "north"), (2, "say yes"), (4, "south")]);
        let parts = parting(&one, &other).expect("they differ");
        assert_eq!((parts.tick, parts.deeds[1].as_ref().map(|deed| deed.line.as_str())), (2, Some("say yes")));
        let short = parting(&one, &arm(&[(1, "north")])).expect("one ends");
        assert_eq!((short.tick, &short.deeds[1]), (3, &None));
        assert_eq!(parting(&one, &one), None);
    }

    #[test]
    fn an_agent_is_counted_by_what_it_said_and_gave_and_not_by_the_message_itself() {
        let heard = |person: u32, text: &str, reactions: Vec<(u32, Reaction)>| Heard {
            tick: 0,
            channel: 103,
            person,
            name: "Ann".into(),
            text: text.into(),
            reactions,
        };
        let all = BTreeMap::from([
            (1, heard(100, "three words here", vec![(101, Reaction::ThumbsDown)])),
            (2, heard(101, "two words", vec![(100, Reaction::Heart), (102, Reaction::Brain)])),
            (3, heard(100, "more", vec![(101, Reaction::ThumbsDown)])),
        ]);
        assert_eq!(counted(&all, &[1], 100), [1, 1, 1, 1]);
        assert_eq!(counted(&all, &[1], 101), [1, 2, 2, -2]);
        assert_eq!(counted(&all, &[1], 102), [0, 0, 1, 0]);
    }
}
