//! What a program reads: frames with `seq`, the variables it subscribed to, and only what differs of them.
//!
//! `Frames` numbers what goes out, remembers what each variable was when it was last sent, gathers the events between
//! two `vars`, and turns what an outbox had into frames. What came in is the transport's.
//! Invariants: `seq` grows by one with each frame, from 1; to others than agents it is left out once they are known and
//! cannot resume. A variable is sent only when it differs from what was last sent.

use super::rich;
use super::ring::{Kept, Ring};
use crate::outbox::{Delivery, Happened, Out, Shared, Value};
use protocol::cause::Cause;
use protocol::code::ErrorCode;
use protocol::frame::{Encoded, FrameKind, ServerFrame, write_frame};
use protocol::outcome::Outcome;
use protocol::payload::{VarsWriter, append_event, append_json, append_spans};
use protocol::span::Span;
use protocol::variables::{VARIABLES, Variable, VariableSet};
use std::collections::VecDeque;
use std::sync::Arc;
use world::report::{Line, LineKind};

/// Entries of EVENTS in one `vars`; the rest is counted. Source: the published protocol's successor,
/// `docs/PROTOCOL.md`.
const EVENTS_MAX: usize = 50;
/// Longest text of one frame; longer ones are split between lines.
const TEXT_BYTES_MAX: usize = 12 * 1024;

/// Answer to `client` for whoever comes by WebSocket.
const CLIENT: &str = "You play by a WebSocket, in frames: how they look is your client's affair, which tells nothing of \
                      it. What is told here is of terminals that come by telnet.";

/// What this client is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Client {
    /// Not logged in yet: frames are numbered, in case it is an agent.
    Unknown,
    Agent,
    Person,
}

pub struct Frames {
    pub client: Client,
    /// It reads variables: an agent, or who asked for that feature.
    pub has_vars: bool,
    /// It reads spans.
    pub rich: bool,
    seq: u64,
    subscribed: VariableSet,
    /// Hash of the JSON of each variable as it was last sent; 0: never.
    sent: [u64; VARIABLES.len()],
    events: VecDeque<(Arc<Happened>, Option<Cause>)>,
    /// What the next entry follows from.
    because: Option<Cause>,
    dropped: u64,
    /// Commands of this connection that the limit dropped.
    pub limited_total: u64,
    /// What was sent, where the client can resume.
    ring: Option<Box<Ring>>,
}

impl Default for Frames {
    fn default() -> Self {
        Frames {
            client: Client::Unknown,
            has_vars: false,
            rich: false,
            seq: 0,
            subscribed: VariableSet::EMPTY,
            sent: [0; VARIABLES.len()],
            events: VecDeque::new(),
            because: None,
            dropped: 0,
            limited_total: 0,
            ring: None,
        }
    }
}

/// A text in pieces that fit into a frame, split between lines (and within a line that is longer than a frame).
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = rich::piece_end(text, TEXT_BYTES_MAX);
        let after = &text[end..];
        rest = (!after.is_empty()).then(|| after.strip_prefix('\n').unwrap_or(after));
        Some(&text[..end])
    })
}

impl Frames {
    fn next_seq(&mut self) -> Option<u64> {
        self.seq += 1;
        (self.client != Client::Person || self.ring.is_some()).then_some(self.seq)
    }

    /// From the next frame on, which is the first, the newest are kept.
    pub fn begin_stream(&mut self) {
        self.seq = 0;
        self.ring = Some(Box::default());
    }

    /// What of its stream another program needs to go on with it, in so many bytes; `None`: there is none.
    pub fn kept(&self, bytes_max: usize) -> Option<Kept> {
        Some(self.ring.as_ref()?.newest(bytes_max))
    }

    /// Goes on with a stream of another program.
    pub fn continue_stream(&mut self, kept: Kept) {
        self.seq = kept.last;
        self.ring = Some(Box::new(Ring::behind(kept)));
    }

    /// The variables that are sent.
    pub fn subscribed(&self) -> VariableSet {
        self.subscribed
    }

    /// Those that a client missed that has all up to `seq`, as they were sent; `None` where one of them is gone.
    pub fn missed(&self, seq: u64) -> Option<Vec<String>> {
        Some(self.ring.as_ref()?.after(seq)?.map(str::to_string).collect())
    }

    /// One frame as text.
    pub fn frame(&mut self, frame: &ServerFrame) -> String {
        let mut data = String::new();
        frame.append_data(&mut data);
        self.raw(frame.kind(), &data)
    }

    pub fn error(&mut self, code: ErrorCode, message: impl Into<String>) -> String {
        self.frame(&ServerFrame::error(code, message))
    }

    fn raw(&mut self, kind: FrameKind, data: &str) -> String {
        let mut text = String::with_capacity(data.len() + 56);
        let seq = self.next_seq();
        write_frame(&mut text, kind, seq, data);
        if let Some(ring) = &mut self.ring {
            ring.put(&text);
        }
        text
    }

    /// Adds to the set of variables. The names that are none, to be told in one error.
    pub fn subscribe(&mut self, names: &[String]) -> (VariableSet, Vec<String>) {
        let (set, unknown) = VariableSet::named(names);
        self.subscribed = VariableSet(self.subscribed.0 | set.0);
        (self.subscribed, unknown.into_iter().map(str::to_string).collect())
    }

    /// Notes an event that the session itself makes.
    pub fn note(&mut self, outcome: Outcome) {
        self.gather(Arc::new(Happened::new(Arc::new(outcome))), None);
    }

    fn gather(&mut self, outcome: Arc<Happened>, cause: Option<Cause>) {
        if !self.has_vars || !self.subscribed.contains(Variable::Events) {
            return;
        }
        // The newest stay: they are what an agent can still act on.
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
            self.dropped += 1;
        }
        self.events.push_back((outcome, cause));
    }

    /// Turns what waited into frames, in order; the variables come last.
    pub fn encode(&mut self, taken: Delivery, frames: &mut Vec<String>) {
        for out in taken.items {
            if let Out::Because(cause) = out {
                self.because = Some(cause);
                continue;
            }
            let cause = self.because.take();
            match out {
                Out::Because(_) => unreachable!("it was taken above"),
                Out::Frame(Encoded { kind, data }) => frames.push(self.raw(kind, &data)),
                Out::Outcome(outcome) => self.gather(outcome, cause),
                Out::FullVars(values) => {
                    // A full set has no events; those before it go out first.
                    let before = self.vars(Vec::new(), false);
                    let text = self.vars(values, true);
                    frames.extend(before);
                    frames.extend(text);
                }
                Out::Line(shared) => self.line(&shared, cause, frames),
                Out::Lines(run) => run.lines().for_each(|shared| self.line(shared, None, frames)),
                Out::Client => {
                    let line = Line { text: CLIENT.to_string(), ..Line::default() };
                    self.line(&Shared::new(Arc::new(line)), cause, frames);
                }
                // Programs change passwords by the same verb; the shell answers with a frame.
                Out::Password => {}
            }
        }
        if self.has_vars {
            let text = self.vars(taken.vars, false);
            frames.extend(text);
        }
    }

    /// A line, in as many frames as it needs.
    fn line(&mut self, shared: &Shared, cause: Option<Cause>, frames: &mut Vec<String>) {
        if let Some(outcome) = &shared.outcome {
            self.gather(outcome.clone(), cause);
        }
        let line = &shared.line;
        let plain = self.client == Client::Person && line.kind == LineKind::Text;
        if self.rich && !line.spans.is_empty() {
            for piece in rich::pieces(line, TEXT_BYTES_MAX) {
                let frame = self.piece(line, plain, cause, piece.text, &piece.spans);
                frames.push(frame);
            }
            return;
        }
        if !plain && line.text.len() <= TEXT_BYTES_MAX {
            let frame = match cause {
                None => self.raw(FrameKind::Event, shared.event_data()),
                Some(cause) => {
                    let mut data = String::with_capacity(shared.event_data().len() + 48);
                    cause.append_to(shared.event_data(), &mut data);
                    self.raw(FrameKind::Event, &data)
                }
            };
            frames.push(frame);
            return;
        }
        for text in pieces(&line.text) {
            let frame = self.piece(line, plain, cause, text, &[]);
            frames.push(frame);
        }
    }

    /// A part of a line, as `text` where it is `plain`, else as `event`.
    fn piece(&mut self, line: &Line, plain: bool, cause: Option<Cause>, text: &str, spans: &[Span]) -> String {
        let mut data = String::new();
        if plain {
            data.push_str("{\"text\":");
            append_json(&mut data, text);
            data.push('}');
        } else {
            append_event(&mut data, line.kind.event_kind(), line.from.as_deref(), text);
        }
        append_spans(&mut data, spans);
        if let Some(cause) = cause.filter(|_| !plain) {
            let told = std::mem::take(&mut data);
            cause.append_to(&told, &mut data);
        }
        self.raw(if plain { FrameKind::Text } else { FrameKind::Event }, &data)
    }

    /// A `vars` frame of what differs; `None` when nothing does.
    fn vars(&mut self, mut values: Vec<(Variable, Value)>, full: bool) -> Option<String> {
        if !full {
            values.retain(|(variable, value)| {
                *variable != Variable::Events && self.sent[*variable as usize] != value.hash()
            });
            // When it is, is no news by itself.
            let is_news = values.iter().any(|(variable, _)| *variable != Variable::Tick);
            if !is_news && self.events.is_empty() && self.dropped == 0 {
                return None;
            }
            values.sort_by_key(|(variable, _)| *variable);
        }
        let mut data = String::with_capacity(values.iter().map(|(_, v)| v.json().len() + 16).sum::<usize>() + 16);
        let mut writer = VarsWriter::new(&mut data);
        for (variable, value) in &values {
            self.sent[*variable as usize] = value.hash();
            writer.put_json(*variable, value.json());
        }
        if !full && (!self.events.is_empty() || self.dropped > 0) {
            let entry = |(happened, cause): &(Arc<Happened>, Option<Cause>), out: &mut String| match cause {
                None => out.push_str(happened.json()),
                Some(cause) => cause.append_to(happened.json(), out),
            };
            writer.put_list(Variable::Events, self.events.iter(), entry);
            writer.put_dropped(self.dropped);
            self.events.clear();
            self.events.shrink_to(EVENTS_MAX / 4);
            self.dropped = 0;
        }
        writer.finish();
        Some(self.raw(FrameKind::Vars, &data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::Shared;
    use protocol::frame::ServerMessage;
    use world::report::{Line, Span, Style};

    fn agent() -> Frames {
        Frames { client: Client::Agent, has_vars: true, ..Frames::default() }
    }

    fn line(text: &str, outcome: Option<Outcome>) -> Out {
        let line = Line { text: text.into(), outcome: outcome.map(Arc::new), ..Line::default() };
        Out::Line(Arc::new(Shared::new(Arc::new(line))))
    }

    fn taken(items: Vec<Out>, vars: &[(Variable, &str)]) -> Delivery {
        Delivery {
            items: items.into(),
            vars: vars.iter().map(|(v, s)| (*v, Value::from(*s))).collect(),
            ..Delivery::default()
        }
    }

    #[test]
    fn only_what_differs_is_sent_and_seq_has_no_gaps() {
        let mut frames = agent();
        frames.subscribe(&["HEALTH".into(), "MANA".into()]);
        let mut out = vec![frames.error(ErrorCode::BadJson, "What?")];
        frames.encode(taken(vec![line("Hello.", None)], &[(Variable::Health, "10"), (Variable::Mana, "5")]), &mut out);
        frames.encode(taken(vec![], &[(Variable::Health, "10"), (Variable::Mana, "4")]), &mut out);
        frames.encode(taken(vec![], &[(Variable::Mana, "4")]), &mut out);
        let seqs: Vec<u64> =
            out.iter().map(|t| ServerMessage::parse(t).expect("a frame").seq.expect("numbered")).collect();
        assert_eq!(seqs, vec![1, 2, 3, 4]);
        assert!(out[3].ends_with(r#""data":{"MANA":4}}"#), "{}", out[3]);
    }

    #[test]
    fn events_ride_with_the_next_vars_and_a_full_dump_has_none() {
        let mut frames = agent();
        frames.subscribe(&["EVENTS".into()]);
        let event = || Some(Outcome::Broadcast { text: "Boo.".into() });
        let mut out = Vec::new();
        let many = (0..60).map(|_| line("Boo.", event())).collect();
        frames.encode(taken(many, &[]), &mut out);
        let vars = out.pop().expect("a vars frame");
        assert!(vars.contains("\"dropped\":10"), "{vars}");
        assert_eq!(vars.matches("broadcast").count(), 50);
        out.clear();
        let full = Out::FullVars(vec![(Variable::Events, Value::from("[]"))]);
        frames.encode(taken(vec![line("Boo.", event()), full], &[]), &mut out);
        assert!(out[1].contains("broadcast"), "what happened before a full set is told before it: {out:?}");
        assert!(out.last().expect("frames").contains(r#""EVENTS":[]"#));
        out.clear();
        frames.encode(taken(vec![], &[]), &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn the_tick_comes_along_with_others_and_never_alone() {
        let mut frames = agent();
        frames.subscribe(&["HEALTH".into(), "EVENTS".into(), "TICK".into()]);
        let mut out = Vec::new();
        frames.encode(taken(vec![], &[(Variable::Health, "10"), (Variable::Tick, "7")]), &mut out);
        frames.encode(taken(vec![], &[(Variable::Health, "10"), (Variable::Tick, "8")]), &mut out);
        let event = line("Boo.", Some(Outcome::Broadcast { text: "Boo.".into() }));
        frames.encode(taken(vec![event], &[(Variable::Tick, "9")]), &mut out);
        let vars: Vec<&String> = out.iter().filter(|frame| frame.contains("\"vars\"")).collect();
        assert_eq!(vars.len(), 2, "{out:?}");
        assert!(vars[0].contains("\"TICK\":7") && vars[1].contains("\"TICK\":9"), "{vars:?}");
    }

    #[test]
    fn a_person_gets_text_without_numbers() {
        let mut frames = Frames { client: Client::Person, ..Frames::default() };
        let mut out = Vec::new();
        frames.encode(taken(vec![line("Hello.", None)], &[(Variable::Health, "1")]), &mut out);
        assert_eq!(out, vec![r#"{"type":"text","data":{"text":"Hello."}}"#.to_string()]);
    }

    #[test]
    fn spans_are_for_who_asked_and_a_person_reads_them_too() {
        let bold = || {
            let heading = Span { from: 0, to: 6, style: Style::Heading, link: None };
            let line = Line { text: "Hello.".into(), spans: vec![heading], ..Line::default() };
            Out::Line(Arc::new(Shared::new(Arc::new(line))))
        };
        for (client, rich, expected) in [
            (Client::Person, false, r#"{"type":"text","data":{"text":"Hello."}}"#),
            (
                Client::Person,
                true,
                r#"{"type":"text","data":{"text":"Hello.","spans":[{"from":0,"to":6,"style":"heading"}]}}"#,
            ),
            (Client::Agent, false, r#"{"type":"event","seq":1,"data":{"type":"text","text":"Hello."}}"#),
            (
                Client::Agent,
                true,
                concat!(
                    r#"{"type":"event","seq":1,"data":{"type":"text","text":"Hello.","#,
                    r#""spans":[{"from":0,"to":6,"style":"heading"}]}}"#
                ),
            ),
        ] {
            let (mut frames, mut out) = (Frames { client, rich, ..Frames::default() }, Vec::new());
            frames.encode(taken(vec![bold()], &[]), &mut out);
            assert_eq!(out, vec![expected.to_string()]);
        }
    }

    #[test]
    fn a_long_text_is_split_between_lines() {
        let text = (0..2_000).map(|n| format!("line number {n}")).collect::<Vec<_>>().join("\n");
        let mut frames = agent();
        let mut out = Vec::new();
        frames.encode(taken(vec![line(&text, None)], &[]), &mut out);
        assert!(out.len() > 1);
        let whole: Vec<String> = out
            .iter()
            .map(|t| {
                assert!(t.len() <= 16 * 1024);
                match ServerMessage::parse(t).expect("a frame").frame {
                    ServerFrame::Event(event) => event.text.to_string(),
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        assert_eq!(whole.join("\n"), text);
    }
}
