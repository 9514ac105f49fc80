//! `replay --trace-scripts` and `--with-scripts`: what scripts did, and what others in their place would have done.

use super::{Past, ReplayArgs};
use crate::journal::replaying::{End, Step, apply_again, replay};
use crate::journal::runs::Base;
use crate::script_files::ScriptFolder;
use anyhow::bail;
use content::scripts::ScriptSource;
use serde::Serialize;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use world::report::{MemoryStop, ScriptCall};
use world::{Admin, Input, InputNumber, World};

/// A call with the moment at which it was made.
#[derive(Serialize)]
struct Traced<'c> {
    tick: u64,
    input: InputNumber,
    #[serde(flatten)]
    call: &'c ScriptCall,
}

impl Traced<'_> {
    fn lines(&self) -> String {
        let ScriptCall { script, hook, owner, actor, text, depth, .. } = self.call;
        let mut line = format!("tick {}, input {}: ", self.tick, self.input);
        line.push_str(&"  ".repeat(usize::from(*depth)));
        line.push_str(&format!("{script} {hook} of {owner}"));
        if let Some(actor) = actor {
            line.push_str(&format!(", by {actor}"));
        }
        if !text.is_empty() {
            line.push_str(&format!(", {text:?}"));
        }
        line.push_str(&format!(": {} safepoints, {} calls of the game", self.call.safepoints, self.call.host_calls));
        if self.call.prevents {
            line.push_str(", prevented");
        }
        if let Some(wrong) = &self.call.wrong {
            line.push_str(&format!("; {wrong}"));
        }
        for said in &self.call.log {
            line.push_str(&format!("\n    log: {said}"));
        }
        line
    }
}

/// Whether the replay has come to where it is to stop.
fn is_over(world: &World, input: &Input, to: Option<u64>) -> bool {
    to.is_some_and(|to| matches!(input, Input::Tick) && world.tick() >= to)
}

/// Prints each call of a script, or of the one that is named.
pub(super) fn trace(
    past: &Past,
    base: Base,
    args: &ReplayArgs,
    script: Option<&str>,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let mut world = past.world(base);
    world.trace_scripts = true;
    if let Some(name) = script
        && !past.content.scripts.iter().any(|source| &*source.name == name)
        && !world.state.scripts.sources().any(|source| &*source.name == name)
    {
        let known: Vec<&str> = past.content.scripts.iter().map(|source| &*source.name).collect();
        bail!("there is no script {name:?} in that world; there are {}", known.join(", "));
    }
    let mut failure = None;
    let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
        let Step::Input { number, input, report, .. } = step else { return ControlFlow::Continue(()) };
        let calls = report.iter().flat_map(|report| &report.script_calls);
        for call in calls.filter(|call| script.is_none_or(|name| *call.script == *name)) {
            let traced = Traced { tick: world.tick(), input: number, call };
            let written = match args.json {
                true => serde_json::to_writer(&mut *out, &traced).map_err(Into::into).and_then(|()| writeln!(out)),
                // A script may have written anything, and so may who spoke to it.
                false => {
                    traced.lines().lines().try_for_each(|line| writeln!(out, "{}", protocol::names::clean_text(line)))
                }
            };
            if let Err(error) = written {
                failure = Some(error);
                return ControlFlow::Break(());
            }
        }
        if is_over(world, input, args.to) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    if let End::Gap(gap) = end {
        bail!("it could not be replayed to its end: {gap}");
    }
    Ok(true)
}

/// What `--with-scripts --json` prints.
#[derive(Serialize)]
struct Comparison {
    /// Names of those that are others than at the beginning of what was played.
    changed: Vec<content::Text>,
    ticks: u64,
    first_difference: Option<FirstDifference>,
}

#[derive(Serialize)]
struct FirstDifference {
    tick: u64,
    input: InputNumber,
    /// All that differ, without the scripts themselves.
    sections: Vec<&'static str>,
}

/// So often the two worlds are compared whole; where they differ, what lies between is gone through input by input.
const COMPARED_TICKS: u64 = 30;

/// Two worlds that take the same inputs, the second by other scripts.
#[derive(Clone)]
struct Pair {
    played: World,
    other: World,
}

impl Pair {
    /// All sections that differ, without the scripts themselves.
    fn differences(&self) -> Vec<&'static str> {
        let all = self.played.hashes().differences(&self.other.hashes());
        all.into_iter().filter(|section| *section != "scripts").collect()
    }

    fn apply_to_other(&mut self, input: &Input, sources: &[ScriptSource]) -> Vec<ScriptCall> {
        let report = apply_again(&mut self.other, input, Vec::new());
        // Where the journal itself has a reload of scripts, the others stay.
        if matches!(input, Input::Admin(Admin::Scripts { .. })) {
            self.other.state.scripts.replace(sources);
        }
        report.map(|report| report.script_calls).unwrap_or_default()
    }
}

/// What was played since the two worlds were last alike.
struct Stretch {
    from: Pair,
    inputs: Vec<(InputNumber, Input, Vec<MemoryStop>)>,
}

impl Stretch {
    /// The first input after which they differ, and what the other scripts did in it.
    fn first_difference(self, sources: &[ScriptSource]) -> Option<(FirstDifference, Vec<ScriptCall>)> {
        let mut pair = self.from;
        for (number, input, stops) in self.inputs {
            apply_again(&mut pair.played, &input, stops);
            let calls = pair.apply_to_other(&input, sources);
            let sections = pair.differences();
            if !sections.is_empty() {
                return Some((FirstDifference { tick: pair.played.tick(), input: number, sections }, calls));
            }
        }
        None
    }
}

/// Plays the same inputs by other scripts beside what was played, and tells where it first comes out otherwise.
pub(super) fn compare(
    past: &Past,
    base: Base,
    args: &ReplayArgs,
    folder: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let read = ScriptFolder { world: folder.to_owned(), start_room: args.past.played_in.start_room }.read();
    let sources = read.map_err(|wrong| anyhow::anyhow!("{}", wrong.join("\n")))?;
    let mut world = past.world(base);
    let changed = world.state.scripts.differences(&sources);
    let first_tick = world.tick();
    let mut pair = Pair { played: world.clone(), other: world.clone() };
    pair.other.state.scripts.replace(&sources);
    pair.other.trace_scripts = true;
    let mut stretch = Stretch { from: pair.clone(), inputs: Vec::new() };
    let mut differ = false;
    let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
        let Step::Input { number, input, report, .. } = step else { return ControlFlow::Continue(()) };
        let stops = report.map(|report| report.script_stops).unwrap_or_default();
        stretch.inputs.push((number, input.clone(), stops));
        pair.apply_to_other(input, &sources);
        if matches!(input, Input::Tick) && world.tick().is_multiple_of(COMPARED_TICKS) {
            pair.played = world.clone();
            differ = !pair.differences().is_empty();
            if differ {
                return ControlFlow::Break(());
            }
            stretch = Stretch { from: pair.clone(), inputs: Vec::new() };
        }
        if is_over(world, input, args.to) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let ticks = world.tick() - first_tick;
    pair.played = world;
    differ = differ || !pair.differences().is_empty();
    let (first_difference, calls) = differ.then(|| stretch.first_difference(&sources)).flatten().unzip();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&Comparison { changed, ticks, first_difference })?)?;
    } else {
        let names: Vec<&str> = changed.iter().map(|name| &**name).collect();
        let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        writeln!(out, "scripts that are others: {names}")?;
        match &first_difference {
            None => writeln!(out, "{ticks} ticks came out as they were")?,
            Some(FirstDifference { tick, input, sections }) => {
                writeln!(out, "the first difference: tick {tick}, input {input}, {}", sections.join(", "))?;
                for call in calls.iter().flatten() {
                    let traced = Traced { tick: *tick, input: *input, call };
                    for line in traced.lines().lines() {
                        writeln!(out, "{}", protocol::names::clean_text(line))?;
                    }
                }
            }
        }
    }
    if let End::Gap(gap) = end {
        bail!("it could not be replayed to its end: {gap}");
    }
    Ok(true)
}
