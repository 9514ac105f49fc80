//! `GET /api/v1/me/transcript?from=TICK`: what one read and typed from a tick on, replayed from the journal. So a page
//! fills the gap that a crash has left.
//!
//! Invariants: a replay runs off the runtime's threads, one at a time, over a bounded number of ticks, and is given up
//! after a while; what it had come to is answered. Only lines of this account's character are told, not those of
//! another one of its name before it.

use super::Api;
use super::desk::Turn;
use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::Viewer;
use crate::journal::replaying::{End, Step, replay};
use crate::journal::runs::{self, Base};
use crate::journal::{Layout, Needs};
use crate::replay::needs_of;
use crate::store::accounts::{self, Birth};
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use content::Content;
use protocol::names::clean_text;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::{IntoParams, ToSchema};
use world::rules::Rules;
use world::{CharacterId, Input, World};

/// Lines of one answer. The tick in which the last one stands is told whole, up to as many again.
const LINES: usize = 200;
/// Ticks that are looked at for one answer: an hour, so that nobody's silence makes a replay long.
const TICKS_MAX: u64 = 1_800;
const LONGEST: Duration = Duration::from_secs(10);

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Since {
    /// The first tick.
    #[param(example = 5000)]
    from: u64,
}

impl Wanted for Since {
    const HOW: &'static str = "A transcript takes the tick that it begins with, as in /api/v1/me/transcript?from=5000.";
}

#[derive(Serialize, ToSchema)]
pub struct Transcript {
    /// The first tick and the last one that were looked at.
    from: u64,
    to: u64,
    /// Where to go on; `null`: that was all so far.
    next: Option<u64>,
    lines: Vec<Told>,
}

#[derive(Serialize, ToSchema)]
pub struct Told {
    tick: u64,
    /// One typed it; else one read it.
    typed: bool,
    text: String,
}

/// What one read and typed from a tick on
///
/// Some 200 lines, replayed from the journal; `next` says where to go on. What the journal has not kept is not told.
#[utoipa::path(
    get, path = "/api/v1/me/transcript", tag = "me", params(Since), security(("bearer" = [])),
    responses(
        (status = 200, description = "The lines.", body = Transcript, example = json!({
            "from": 5000, "to": 5003, "next": null,
            "lines": [
                {"tick": 5002, "typed": true, "text": "say hello"},
                {"tick": 5002, "typed": false, "text": "You say, \"hello\""}
            ]
        })),
        (status = "default", description = "There is no journal, too many wait, or nobody is logged in.", body = Failure),
    )
)]
pub async fn transcript(
    State(api): State<Api>,
    Extension(viewer): Extension<Viewer>,
    Query(Since { from }): Query<Since>,
) -> Result<Json<Transcript>, ApiError> {
    let name = viewer.own_name()?.to_string();
    let lobby = &api.lobby;
    let Some(state_dir) = lobby.state_dir.clone() else {
        return Err(ApiError::not_found("This server keeps no journal."));
    };
    let standings = accounts::standings(lobby.accounts.store(), std::slice::from_ref(&name)).await?;
    let Some(birth) = standings.get(&name).map(|standing| standing.birth) else {
        return Err(ApiError::not_found("There is no such character any more."));
    };
    let busy = "Others wait for what they have missed. Try again in a moment.";
    let Turn { turn, place: _place } = api.desk.turn(busy).await?;
    let (content, rules) = (lobby.content.clone(), lobby.rules.clone());
    let replaying = tokio::task::spawn_blocking(move || {
        // As long as it runs, also where nobody waits for it any more.
        let _turn = turn;
        Past { state_dir, content, rules }.transcript(&name, &birth, from)
    });
    let told = replaying.await.map_err(|error| ApiError::unavailable(&error))?;
    told.map(Json).map_err(|error| ApiError::unavailable(&format!("{error:#}")))
}

/// What a replay needs.
struct Past {
    state_dir: PathBuf,
    content: Arc<Content>,
    rules: Arc<Rules>,
}

impl Past {
    fn transcript(&self, name: &str, birth: &Birth, from: u64) -> anyhow::Result<Transcript> {
        let listing = Layout::new(&self.state_dir).list()?;
        let Base { state, .. } = runs::base_before(&listing, from)?;
        let mut world = World::resume(self.content.clone(), self.rules.clone(), state);
        let begin = Instant::now();
        let mut reading = Reading {
            name,
            birth,
            who: world.find_player(name),
            told: Transcript { from, to: from, next: None, lines: Vec::new() },
            is_cut: false,
        };
        let needs: Needs = needs_of(&self.content, &self.rules, Path::new(""));
        let (end, last) = replay(&mut world, &listing, &mut |world, step| match step {
            // Of another world or rule book: that is another program's to replay.
            Step::Segment(header) if header.needs.difference(&needs).is_some() => ControlFlow::Break(()),
            Step::Input { number, at_ms, input, report } => {
                let lines = report.iter().flat_map(|report| report.lines.iter());
                let lines = lines.map(|(to, line)| (to, line.text.as_str()));
                match begin.elapsed() < LONGEST {
                    true => reading.input(world, (number, at_ms), input, lines),
                    false => reading.cut(world.tick()),
                }
            }
            _ => ControlFlow::Continue(()),
        })?;
        let mut told = reading.told;
        if !reading.is_cut {
            told.to = world.tick().max(from);
            if matches!(end, End::Gap(_) | End::Enough) {
                // It goes on in another run, from its first snapshot on.
                let later = listing.snapshots.range(last + 1..).find_map(|(_, path)| runs::read_base(path).ok());
                told.next = later.map(|base| base.head.header.start_tick + 1).filter(|tick| *tick > from);
            }
        }
        Ok(told)
    }
}

/// What was found so far.
struct Reading<'a> {
    name: &'a str,
    birth: &'a Birth,
    who: Option<CharacterId>,
    told: Transcript,
    is_cut: bool,
}

impl Reading<'_> {
    fn cut(&mut self, tick: u64) -> ControlFlow<()> {
        // Asked for the same tick again one would come no further.
        let next = tick.max(self.told.from + 1);
        (self.is_cut, self.told.to, self.told.next) = (true, next - 1, Some(next));
        ControlFlow::Break(())
    }

    fn input<'l>(
        &mut self,
        world: &World,
        (number, at_ms): (u64, i64),
        input: &Input,
        lines: impl Iterator<Item = (CharacterId, &'l str)>,
    ) -> ControlFlow<()> {
        let tick = world.tick();
        // A quit takes it out of the world by the same input that tells it so.
        self.who = world.find_player(self.name).or(self.who);
        if tick < self.told.from {
            return ControlFlow::Continue(());
        }
        let is_full = self.told.lines.len() >= LINES && self.told.lines.last().is_some_and(|last| last.tick < tick);
        if is_full || tick >= self.told.from.saturating_add(TICKS_MAX) {
            return self.cut(tick);
        }
        let Some(who) = self.who.filter(|_| self.birth.is_before(number, at_ms)) else {
            return ControlFlow::Continue(());
        };
        if let Input::Command { who: typed, line } = input
            && *typed == who
        {
            self.tell(tick, true, line);
        }
        for (_, text) in lines.filter(|(to, _)| *to == who) {
            for line in text.lines() {
                self.tell(tick, false, line);
            }
        }
        ControlFlow::Continue(())
    }

    fn tell(&mut self, tick: u64, typed: bool, text: &str) {
        if self.told.lines.len() < 2 * LINES {
            self.told.lines.push(Told { tick, typed, text: clean_text(text).into_owned() });
        }
    }
}
