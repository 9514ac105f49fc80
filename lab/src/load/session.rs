//! One person or agent: it logs in, is told to play, and plays until its thread drops it. What comes back is read by
//! `reader`.

use super::bench::{Bench, LoadPlan, Part, Phase, Placing, Subscription, Tally, add};
use super::mix::{Act, Draws, SPOKEN};
use super::reader::{Awaited, PROMPT_END, Reader};
use super::telnet::TelnetReader;
use super::wire;
use anyhow::{Context, bail, ensure};
use content::words::Direction;
use protocol::variables::VARIABLES;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::OwnedSemaphorePermit;

/// The five variables of the smallest agent in docs/PROTOCOL.md.
const LOOP: [&str; 5] = ["HEALTH", "MAX_HEALTH", "ROOM_EXITS", "ROOM_MOBS", "FIGHTING"];

/// Ends as no line does, so that a reader finds it.
const PROMPT: &str = "prompt %h/%HH %m/%MM %v/%VV ~>";

/// Plays one part until it is dropped.
pub async fn play(bench: Rc<Bench>, part: Part, tally: Rc<Tally>) {
    let result = async {
        let turn = bench.run.turns.clone().acquire_owned().await?;
        let mut session = Session::begin(bench, part, tally.clone()).await?;
        session.play(turn).await
    };
    if let Err(error) = result.await {
        *tally.failed.borrow_mut() = Some(format!("{error:#}"));
    }
}

/// A connection from that address, or from any.
async fn connect(from: Option<Ipv4Addr>, to: SocketAddr) -> std::io::Result<TcpStream> {
    let Some(from) = from else { return TcpStream::connect(to).await };
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

struct Session {
    stream: TcpStream,
    bench: Rc<Bench>,
    part: Part,
    reader: Reader,
    /// Of a person whose client agrees to options; what it reads is text.
    telnet: Option<Box<TelnetReader>>,
    text: Vec<u8>,
    draws: Draws,
    out: Vec<u8>,
    /// It stands one step from its place, in this direction.
    away: Option<Direction>,
    /// Where the step under way leads.
    step: Option<Direction>,
    /// Commands since a fighter last fought.
    idle_turns: u32,
}

impl Session {
    async fn begin(bench: Rc<Bench>, part: Part, tally: Rc<Tally>) -> anyhow::Result<Session> {
        let run = bench.run.clone();
        let address = if part.agent { run.http } else { run.telnet };
        let stream = connect(part.from, address).await.with_context(|| format!("connecting to {address}"))?;
        stream.set_nodelay(true)?;
        let reader = Reader::new(part.agent, run.echo, tally);
        let draws = Draws::new(run.seed, part.number);
        let telnet = (!part.agent && run.client.any()).then(Box::default);
        let mut session = Session {
            stream,
            bench,
            part,
            reader,
            telnet,
            text: Vec::new(),
            draws,
            out: Vec::new(),
            away: None,
            step: None,
            idle_turns: 0,
        };
        if session.part.agent {
            session.upgrade().await?;
        }
        if !run.echo {
            if session.part.agent {
                session.log_in_agent().await?;
            } else {
                session.log_in_person().await?;
            }
        }
        Ok(session)
    }

    async fn upgrade(&mut self) -> anyhow::Result<()> {
        let request = wire::upgrade_request("localhost");
        self.write(request.as_bytes()).await?;
        let head = self.read_past(b"\r\n\r\n").await?;
        ensure!(head.starts_with(b"HTTP/1.1 101"), "no upgrade: {}", String::from_utf8_lossy(&head));
        let rest = std::mem::take(&mut self.reader.left);
        self.reader.take(&rest)
    }

    /// Reads up to and with `end`, raw; what follows stays in `left`.
    async fn read_past(&mut self, end: &[u8]) -> anyhow::Result<Vec<u8>> {
        loop {
            if let Some(at) = wire::find(&self.reader.left, end) {
                let rest = self.reader.left.split_off(at + end.len());
                return Ok(std::mem::replace(&mut self.reader.left, rest));
            }
            self.stream.readable().await?;
            let mut scratch = self.bench.scratch.borrow_mut();
            match self.stream.try_read(&mut scratch) {
                Ok(0) => {
                    let said = String::from_utf8_lossy(&self.reader.left);
                    bail!("hung up after: {}", said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default())
                }
                Ok(count) => match &mut self.telnet {
                    Some(telnet) => telnet.take(&scratch[..count], &mut self.reader.left)?,
                    None => self.reader.left.extend_from_slice(&scratch[..count]),
                },
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn log_in_agent(&mut self) -> anyhow::Result<()> {
        let login = serde_json::json!({ "type": "login", "data": {
            "player_name": self.part.name, "password": self.part.key, "is_agent": true } });
        self.reader.wanted = b"vars";
        self.send_frame(&login.to_string()).await?;
        self.wait_for_arrival().await.context("the login")?;
        let names: Vec<&str> = match self.bench.run.subscription {
            Subscription::None => return Ok(()),
            Subscription::Loop => LOOP.to_vec(),
            Subscription::All => VARIABLES.iter().map(|v| v.name).collect(),
        };
        let subscribe = serde_json::json!({ "type": "subscribe", "data": { "variables": names } });
        self.send_frame(&subscribe.to_string()).await
    }

    async fn log_in_person(&mut self) -> anyhow::Result<()> {
        self.read_past(b"known? ").await?;
        let opening = self.bench.run.client.opening();
        self.write(&opening).await?;
        let (name, key) = (self.part.name.clone(), self.part.key.clone());
        self.write(format!("{name}\r\n").as_bytes()).await?;
        self.read_past(b"assword: ").await?;
        self.write(format!("{key}\r\n").as_bytes()).await?;
        self.read_past(b"What will it be? ").await.context("the password")?;
        self.write(b"1\r\n").await?;
        self.write(format!("color off\r\n{PROMPT}\r\n").as_bytes()).await?;
        // The answer to `prompt` quotes it; then comes the first that ends so.
        self.read_past(PROMPT_END).await?;
        Ok(())
    }

    async fn wait_for_arrival(&mut self) -> anyhow::Result<()> {
        self.reader.arrived = false;
        while !self.reader.arrived {
            ensure!(self.reader.tally.errors.get() == 0, "the server answered by an error frame");
            self.stream.readable().await?;
            self.read_now()?;
        }
        Ok(())
    }

    /// Reads what is there. Once for each readiness, so that one flooded session does not starve its thread.
    fn read_now(&mut self) -> anyhow::Result<()> {
        let bench = self.bench.clone();
        let mut scratch = bench.scratch.borrow_mut();
        match self.stream.try_read(&mut scratch) {
            Ok(0) => bail!("the server hung up"),
            Ok(count) => {
                let before = self.reader.fighting;
                add(&self.reader.tally.bytes, count as u64);
                match &mut self.telnet {
                    Some(telnet) => {
                        self.text.clear();
                        telnet.take(&scratch[..count], &mut self.text)?;
                        self.reader.take(&self.text)?;
                    }
                    None => self.reader.take(&scratch[..count])?,
                }
                if self.reader.fighting != before {
                    let change = if before { -1 } else { 1 };
                    self.bench.run.fights.fetch_add(change, Ordering::Relaxed);
                }
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn answer_pings(&mut self) -> anyhow::Result<()> {
        while let Some(payload) = self.reader.pongs.pop_front() {
            let mut out = Vec::new();
            wire::pong_frame(&payload, &mut out);
            self.write(&out).await?;
        }
        Ok(())
    }

    async fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            match self.stream.try_write(&bytes[done..]) {
                Ok(count) => done += count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => self.stream.writable().await?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn send_frame(&mut self, text: &str) -> anyhow::Result<()> {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        wire::text_frame(text, &mut out);
        let result = self.write(&out).await;
        self.out = out;
        result
    }

    async fn play(&mut self, turn: OwnedSemaphorePermit) -> anyhow::Result<()> {
        match &self.part.place {
            Some(place) => self.ask_for_place(place.room, Some(turn))?,
            None => drop(turn),
        }
        self.bench.ready.send(()).context("the run is over")?;
        let mut phase = self.bench.phase.clone();
        loop {
            tokio::select! {
                begun = phase.wait_for(|phase| *phase >= Phase::WarmUp) => { begun?; break }
                readable = self.stream.readable() => { readable?; self.read_now()?; }
            }
            self.answer_pings().await?;
        }
        match self.bench.run.period {
            None => self.play_closed().await,
            Some(period) => self.play_paced(period).await,
        }
    }

    async fn play_closed(&mut self) -> anyhow::Result<()> {
        while self.bench.may_send() {
            let act = self.command().await?;
            let sent = Instant::now();
            while !self.reader.answered {
                self.stream.readable().await?;
                self.read_now()?;
                self.answer_pings().await?;
            }
            let stage = self.bench.stage_now();
            self.finish(act, sent, stage);
        }
        self.listen().await
    }

    async fn play_paced(&mut self, period: Duration) -> anyhow::Result<()> {
        let offset = period.mul_f64(self.draws.below(10_000) as f64 / 10_000.0);
        let mut next = tokio::time::Instant::now() + offset;
        let timer = tokio::time::sleep_until(next);
        tokio::pin!(timer);
        // A command that had to wait for the answer before it counts from its schedule. One that is due before that
        // one could be sent is counted as due and never typed: nobody types ahead here.
        let mut under_way: Option<(Act, Instant, Option<usize>)> = None;
        let mut due: Option<(Instant, Option<usize>)> = None;
        while self.bench.may_send() {
            tokio::select! {
                biased;
                () = &mut timer => {
                    let stage = self.bench.stage_now();
                    if let Some(stage) = stage {
                        self.bench.count(stage, |counted| counted.due += 1);
                    }
                    due = due.or(Some((Instant::now(), stage)));
                    next += period;
                    timer.as_mut().reset(next);
                }
                readable = self.stream.readable() => {
                    readable?;
                    self.read_now()?;
                    self.answer_pings().await?;
                }
            }
            if self.reader.answered
                && let Some((act, sent, stage)) = under_way.take()
            {
                self.finish(act, sent, stage);
            }
            if under_way.is_none()
                && let Some((since, stage)) = due.take()
            {
                let act = self.command().await?;
                if let Some(stage) = stage {
                    self.bench.count(stage, |counted| counted.typed += 1);
                }
                under_way = Some((act, since, stage));
            }
        }
        self.listen().await
    }

    /// Reads on until the run ends.
    async fn listen(&mut self) -> anyhow::Result<()> {
        loop {
            self.stream.readable().await?;
            self.read_now()?;
            self.answer_pings().await?;
        }
    }

    /// `stage`: the one that the latency is counted in.
    fn finish(&mut self, act: Act, sent: Instant, stage: Option<usize>) {
        if act == Act::Move && !self.reader.refused {
            self.away = if self.away.is_some() { None } else { self.step };
        }
        if self.bench.is_in(Phase::Measure) {
            add(&self.reader.tally.done, 1);
            let us = sent.elapsed().as_micros() as u64;
            if let Some(stage) = stage {
                self.bench.count(stage, |counted| counted.latencies.record(us));
            }
        }
    }

    /// Draws a command and sends it.
    async fn command(&mut self) -> anyhow::Result<Act> {
        let run = self.bench.run.clone();
        if self.part.fighter && !self.reader.fighting && !run.opponents.is_empty() {
            return self.attack(&run).await;
        }
        let acts = &run.mix.acts;
        let act = if run.only_say { Act::Say } else { acts[self.draws.below(acts.len())] };
        self.reader.awaited = Some(if run.echo { Awaited::Any } else { Awaited::Text });
        match act {
            Act::Move => {
                let ways = self.part.place.as_ref().map_or(&[][..], |place| &place.ways);
                self.step = match (self.away, ways) {
                    (Some(way), _) => Some(way.opposite()),
                    (None, []) => Direction::ALL.get(self.draws.below(Direction::ALL.len())).copied(),
                    (None, ways) => Some(ways[self.draws.below(ways.len())]),
                };
                self.say_line(self.step.map_or("north", Direction::name), "").await?;
            }
            Act::Say => {
                let count = self.reader.tally.spoken.get() + 1;
                self.reader.tally.spoken.set(count);
                let word = format!("{SPOKEN}{}x{count}.", self.part.number);
                let text = format!("{word} The moor is quiet tonight.");
                if !run.echo {
                    self.reader.awaited = Some(Awaited::Word(word.into_bytes()));
                }
                self.say_line("say", &text).await?;
            }
            act => self.say_line(act.verb().unwrap_or("look"), "").await?,
        }
        Ok(act)
    }

    /// Attacks a mob; after some turns without a fight it goes to another.
    async fn attack(&mut self, run: &LoadPlan) -> anyhow::Result<Act> {
        let opponent = &run.opponents[(self.part.number + self.idle_turns as usize / 3 * 97) % run.opponents.len()];
        self.idle_turns += 1;
        if self.idle_turns % 3 == 1 {
            self.ask_for_place(opponent.room, None)?;
        }
        self.reader.awaited = Some(Awaited::Any);
        self.say_line("kill", &opponent.word).await?;
        Ok(Act::Look)
    }

    fn ask_for_place(&self, room: i32, turn: Option<OwnedSemaphorePermit>) -> anyhow::Result<()> {
        let placing = Placing { name: self.part.name.clone(), room, turn };
        self.bench.place.send(placing).ok().context("nobody places any more")
    }

    async fn say_line(&mut self, verb: &str, args: &str) -> anyhow::Result<()> {
        self.reader.answered = false;
        {
            let mut last = self.reader.tally.last.borrow_mut();
            last.clear();
            last.push_str(verb);
        }
        if self.part.agent {
            let text = match args {
                "" => format!("{{\"type\":\"command\",\"data\":{{\"command\":\"{verb}\"}}}}"),
                _ => format!("{{\"type\":\"command\",\"data\":{{\"command\":\"{verb}\",\"args\":[\"{args}\"]}}}}"),
            };
            return self.send_frame(&text).await;
        }
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        out.extend_from_slice(verb.as_bytes());
        if !args.is_empty() {
            out.push(b' ');
            out.extend_from_slice(args.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        let result = self.write(&out).await;
        self.out = out;
        result
    }
}
