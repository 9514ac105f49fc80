//! What the minds of one body say to each other (`propose`, `choose`, `memo`), and a look into them (`mind`). Whoever
//! speaks without naming a mind speaks as the body.

use super::words::{all, done, first_word, id_of, list, own};
use super::{Answer, HISTORY_MAX, HISTORY_SHOWN, LINE_CHARS_MAX, MindLog, VerbRequest};
use crate::action::{Offer, is_free};
use crate::council::routing::{Body, Seen, may_read};
use crate::council::{self, Conflict, Member, Proposal, RULES, Scene};
use crate::counsel::{Addressee, Counsel, Fate, Proposed};
use crate::event::Event;
use crate::page;
use crate::state::MindState;
use plot::NoteKind;
use protocol::minds::MindName;

/// Entries of the memo that it shows where nobody says how many.
const MEMO_SHOWN: usize = 5;
const MEMO_CHARS_MAX: usize = LINE_CHARS_MAX;

const HOW_TO_CHOOSE: &str = "Choose how? choose <id | inner | outer | own | none> [agreed | by <rule>] [in plan|stance|\
                             place|command] [because <why>]; propose alone lists what there is to choose from.";
const HOW_TO_LOOK: &str = "Which mind? mind lists them; mind inner, mind outer and mind observer show what each \
                           perceived and thought; mind inner memo outer: <text> speaks as one of them.";

/// What `mind` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading<'a> {
    /// All minds, and what each holds.
    List,
    /// So much of the stream of `whose`, as `reader` may read it; `None`: whoever lives in the body.
    Stream { reader: Option<MindName>, whose: MindName, count: usize },
    /// What a mind finds in its stream.
    Recall { mind: MindName, words: &'a str },
}

/// What a line of `mind` reads; `None`: it writes, or is none.
pub fn reading(args: &str) -> Option<Reading<'_>> {
    let (word, rest) = first_word(args.trim());
    if word.is_empty() {
        return Some(Reading::List);
    }
    let mind = MindName::named(word)?;
    let (verb, tail) = first_word(rest);
    let stream = |reader, whose, number: &str| {
        let count = if number.is_empty() { Some(HISTORY_SHOWN) } else { count_of(number) }?;
        Some(Reading::Stream { reader, whose, count })
    };
    match verb.to_ascii_lowercase().as_str() {
        "recall" => Some(Reading::Recall { mind, words: tail }),
        "mind" => {
            let (whose, number) = first_word(tail);
            stream(Some(mind), MindName::named(whose)?, number)
        }
        _ if tail.is_empty() => stream(None, mind, verb),
        _ => None,
    }
}

fn count_of(number: &str) -> Option<usize> {
    number.parse().ok().filter(|count| (1..=HISTORY_MAX).contains(count))
}

pub(super) fn mind(state: &MindState, request: &VerbRequest) -> Answer {
    match reading(request.args) {
        Some(Reading::List) => return minds(request),
        Some(Reading::Stream { reader, whose, count }) => return stream(request, reader, whose, count),
        Some(Reading::Recall { words: "", .. }) => return Err("Recall what? mind inner recall <words>".into()),
        Some(Reading::Recall { .. }) => return Err("Only a server can look through a mind.".into()),
        None => {}
    }
    let (word, rest) = first_word(request.args);
    let mind = MindName::named(word).ok_or(HOW_TO_LOOK)?;
    let (verb, args) = first_word(rest);
    match verb.to_ascii_lowercase().as_str() {
        "propose" => propose_as(state, request, mind, args),
        "choose" => choose_as(state, request, mind, args),
        "memo" => memo_as(state, mind, args),
        _ if verb.parse::<u64>().is_ok() => {
            Err(format!("How many entries, from 1 to {HISTORY_MAX}? mind {} <number>", mind.word()))
        }
        _ => Err(HOW_TO_LOOK.into()),
    }
}

fn minds(request: &VerbRequest) -> Answer {
    let counsel = request.minds.iter().find(|one| one.mind.is_body()).map(|body| &body.state.counsel);
    let line = |one: &MindLog| {
        let role = Member::of(one.mind).map_or("what happens, and what the others tell each other", |m| m.role().side);
        let held = held(one);
        let proposes = counsel.and_then(|counsel| counsel.open().find(|proposed| proposed.mind == one.mind));
        let proposes = proposes.map_or(String::new(), |open| format!("; proposes #{}: {}", open.id, open.line));
        format!("{} ({role}): {held}{proposes}", one.mind)
    };
    let mut lines: Vec<String> = request.minds.iter().map(line).collect();
    for (mind, count, brought) in counsel.into_iter().flat_map(Counsel::followed) {
        let conflicts = if count == 1 { "conflict" } else { "conflicts" };
        lines.push(format!("Following {mind} in {count} {conflicts}: {}", page::brought(&brought)));
    }
    if let Some(newest) = counsel.and_then(|counsel| counsel.memo.entries.last()) {
        lines.push(format!("Last in the memo: {}", page::memo(newest)));
    }
    list("Your minds:", lines, HOW_TO_LOOK)
}

/// What a mind has written, counted.
fn held(one: &MindLog) -> String {
    let state = one.state;
    let parts = [
        (state.thoughts.len(), "thought", "thoughts"),
        (state.plans.open().count(), "open plan", "open plans"),
        (state.steps.iter().filter(|step| !step.done).count(), "step", "steps"),
        (state.notes.len(), "note", "notes"),
        (state.session.key_facts.len(), "fact", "facts"),
    ];
    let told = parts.into_iter().filter(|part| part.0 > 0);
    let mut told: Vec<String> = told.map(|(n, one, more)| format!("{n} {}", if n == 1 { one } else { more })).collect();
    if let Some(task) = &state.task {
        told.insert(0, format!("about {}", task.text));
    }
    if told.is_empty() { "nothing of its own".to_string() } else { told.join(", ") }
}

fn stream(request: &VerbRequest, reader: Option<MindName>, whose: MindName, count: usize) -> Answer {
    if let Some(reader) = reader.filter(|reader| !may_read(*reader, whose)) {
        return Err(format!("{reader} reads itself and the memo; only OBSERVER reads {whose}."));
    }
    let logs: Vec<_> = request.minds.iter().map(|one| (one.mind, one.entries)).collect();
    let stream = Body { name: request.name }.stream(whose, &logs);
    let from = stream.len().saturating_sub(count);
    let lines = stream[from..].iter().map(seen).collect();
    list(&format!("What {whose} perceived and thought:"), lines, &format!("{whose} has perceived nothing yet."))
}

fn seen(seen: &Seen) -> String {
    let Seen { sense, entry, .. } = seen;
    format!("#{} tick {}, {}: {}", entry.seq, entry.tick, sense.word(), page::entry(&entry.event))
}

pub(super) fn propose(state: &MindState, request: &VerbRequest) -> Answer {
    propose_as(state, request, MindName::Body, request.args)
}

fn propose_as(state: &MindState, request: &VerbRequest, mind: MindName, args: &str) -> Answer {
    if args.is_empty() {
        let lines = state.counsel.open().map(page::proposal).collect();
        return list("Proposed:", lines, "Nothing is proposed: propose <line> [because <why>].");
    }
    let (line, why) = because(args);
    if line.is_empty() {
        return Err("What is to be done? propose <line> [because <why>]".into());
    }
    let (line, why) = (own(line, LINE_CHARS_MAX)?, why.map(|why| own(why, LINE_CHARS_MAX)).transpose()?);
    done(Event::ProposalMake { mind, line, why }, format!("{mind} proposes as #{}.", request.first))
}

/// `<text> because <why>`: the last of these words counts, since a line may hold it.
fn because(args: &str) -> (&str, Option<&str>) {
    let split = args.rsplit_once(" because ").map(|(text, why)| (text.trim(), why.trim()));
    match split {
        Some((text, why)) if !why.is_empty() => (text, Some(why)),
        _ => (args.trim(), None),
    }
}

pub(super) fn choose(state: &MindState, request: &VerbRequest) -> Answer {
    choose_as(state, request, MindName::Body, request.args)
}

fn choose_as(state: &MindState, request: &VerbRequest, by: MindName, args: &str) -> Answer {
    let (args, why) = because(args);
    let why = why.map(|why| own(why, LINE_CHARS_MAX)).transpose()?;
    let (which, mut rest) = first_word(args);
    if which.is_empty() {
        return Err(HOW_TO_CHOOSE.into());
    }
    let (mut agreed, mut rule, mut named) = (false, None, None);
    while !rest.is_empty() {
        let (word, after) = first_word(rest);
        let (value, beyond) = first_word(after);
        rest = match word.to_ascii_lowercase().as_str() {
            "agreed" => {
                agreed = true;
                after
            }
            "by" => {
                // Where none of them decides, INNER's word counts.
                let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).chain(["inner"]).collect();
                names.dedup();
                let known = names.iter().find(|name| name.eq_ignore_ascii_case(value));
                let unknown = || format!("There is no rule {value}: {}.", names.join(", "));
                rule = Some(known.ok_or_else(unknown)?.to_string());
                beyond
            }
            "in" => {
                named = Some(Conflict::named(value).ok_or("In what do they differ: plan, stance, place or command?")?);
                beyond
            }
            _ => return Err(HOW_TO_CHOOSE.into()),
        };
    }
    let open: Vec<&Proposed> = state.counsel.open().collect();
    let chosen = match which.to_ascii_lowercase().as_str() {
        "none" if open.is_empty() => return Err("Nothing is proposed that could be refused.".into()),
        "none" => None,
        "own" => Some(of_mind(&open, by)?),
        word => match (id_of(word), MindName::named(word)) {
            (Some(id), _) => Some(by_id(state, id)?),
            (None, Some(mind)) => Some(of_mind(&open, mind)?),
            (None, None) => return Err(HOW_TO_CHOOSE.into()),
        },
    };
    let conflict = if agreed { None } else { named.filter(|_| open.len() > 1).or_else(|| differ(&open, request.name)) };
    let overruled = open.iter().filter(|one| conflict.is_some() && Some(one.id) != chosen.map(|one| one.id));
    let overruled = if chosen.is_none() { Vec::new() } else { overruled.map(|one| one.id).collect() };
    let mut events = Vec::new();
    if let Some(conflict) = conflict {
        events.push(Event::Conflict { conflict, between: open.iter().map(|one| one.id).collect() });
    }
    let text = match chosen {
        Some(one) => format!("{by} chooses #{} of {}: {}", one.id, one.mind, one.line),
        None => format!("{by} chooses nothing of what was proposed."),
    };
    events.push(Event::ProposalOutcome {
        chosen: chosen.map(|one| one.id),
        mind: chosen.map(|one| one.mind),
        overruled,
        by,
        rule,
        conflict: conflict.map(|_| request.first),
        why,
    });
    all(events, text)
}

fn of_mind<'p>(open: &[&'p Proposed], mind: MindName) -> Result<&'p Proposed, String> {
    let found = open.iter().find(|one| one.mind == mind);
    found.copied().ok_or_else(|| format!("{mind} has proposed nothing that is open. What is: propose."))
}

fn by_id(state: &MindState, id: u64) -> Result<&Proposed, String> {
    match state.counsel.proposal(id) {
        None => Err(format!("Nothing was proposed as #{id}. What is open: propose.")),
        Some(one) => match one.fate {
            Fate::Open => Ok(one),
            Fate::Replaced => Err(format!("{} proposed something else after #{id}. What is open: propose.", one.mind)),
            Fate::Chosen | Fate::Overruled => Err(format!("#{id} was decided already. What is open: propose.")),
        },
    }
}

/// In what the first two proposals of a council differ, as far as their words say: who is meant by them, only who sees
/// the scene knows.
fn differ(open: &[&Proposed], me: &str) -> Option<Conflict> {
    let of_council = open.iter().filter_map(|one| Some(proposal(one, Member::of(one.mind)?)));
    let proposals: Vec<Proposal> = of_council.collect();
    let scene = Scene { me: me.to_string(), ..Scene::default() };
    match proposals.as_slice() {
        [one, other, ..] => council::conflict(one, other, &scene),
        _ => None,
    }
}

fn proposal(proposed: &Proposed, member: Member) -> Proposal {
    let line = proposed.line.clone();
    let why = proposed.why.clone().unwrap_or_default();
    match is_free(&line, &Offer::default()) {
        true => Proposal { member, tick: None, free: vec![line], why },
        false => Proposal { member, tick: Some(line), free: Vec::new(), why },
    }
}

pub(super) fn memo(state: &MindState, request: &VerbRequest) -> Answer {
    memo_as(state, MindName::Body, request.args)
}

fn memo_as(state: &MindState, from: MindName, args: &str) -> Answer {
    let (word, rest) = first_word(args);
    let (of, number) = match word.eq_ignore_ascii_case("from").then(|| first_word(rest)) {
        Some((name, number)) if MindName::named(name).is_some() => (MindName::named(name), number),
        Some(("", _)) => return Err("From whom? memo from inner [<number>]".into()),
        _ => (None, args),
    };
    if of.is_some() || number.is_empty() || number.parse::<u64>().is_ok() {
        let count = if number.is_empty() { Some(MEMO_SHOWN) } else { count_of(number) };
        let count = count.ok_or(format!("How many entries, from 1 to {HISTORY_MAX}? memo [from <mind>] [<number>]"))?;
        let lines = state.counsel.memo.last(count, of).into_iter().map(page::memo).collect();
        return list("The memo:", lines, "Nothing is in the memo: memo [to outer] [request:] <text>.");
    }
    let (to, text) = addressee(args)?;
    let (sort, text) = sort_of(text);
    let (content, why) = because(text);
    if content.is_empty() {
        return Err("What is to be in the memo? memo [to outer] [request:] <text>".into());
    }
    let (content, reasoning) = (own(content, MEMO_CHARS_MAX)?, why.map(|why| own(why, LINE_CHARS_MAX)).transpose()?);
    let text = format!("Written to {}.", to.word());
    done(Event::MemoWrite { from, to, sort, content, reasoning, action: None, scene: None }, text)
}

/// `to outer …` or `outer: …`; else it is for all.
fn addressee(args: &str) -> Result<(Addressee, &str), String> {
    let (word, rest) = first_word(args);
    if word.eq_ignore_ascii_case("to") {
        let (name, text) = first_word(rest);
        if name.is_empty() {
            return Err("To whom? memo to inner|outer|observer|both|all <text>".into());
        }
        let known = Addressee::named(name.trim_end_matches(':'));
        let unknown = || format!("The memo is for your own minds: to inner, outer, observer, both or all, not {name}.");
        return Ok((known.ok_or_else(unknown)?, text));
    }
    let named = args.split_once(':').and_then(|(word, text)| Some((Addressee::named(word.trim())?, text.trim())));
    Ok(named.unwrap_or((Addressee::All, args)))
}

/// `request: …`; else it is information.
fn sort_of(text: &str) -> (NoteKind, &str) {
    const SORTS: [NoteKind; 4] = [NoteKind::Info, NoteKind::Request, NoteKind::Coordination, NoteKind::Message];
    let named = text.split_once(':').and_then(|(word, text)| {
        let sort = SORTS.into_iter().find(|sort| sort.word().eq_ignore_ascii_case(word.trim()))?;
        Some((sort, text.trim()))
    });
    named.unwrap_or((NoteKind::Info, text))
}
