//! All triggers at once, on a thread of their own, so that what they do delays nobody who measures.

use super::tally::{Outcome, Tally};
use super::triggers::{ADDRESSES_EACH, Attacker, TRIGGERS, Target, Trigger};
use anyhow::{Context, anyhow, ensure};
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// An attack under way. It ends with the value, too.
pub struct Attack {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<anyhow::Result<()>>,
    tallies: Vec<(&'static Trigger, Arc<Tally>)>,
}

/// What one trigger came to.
#[derive(Clone, Debug)]
pub struct TriggerOutcome {
    pub name: &'static str,
    pub finding: &'static str,
    pub does: &'static str,
    pub outcome: Outcome,
}

/// The triggers of these names, or all of them. Refuses a name that there is not, with those that there are.
pub fn triggers_named(names: &[String]) -> anyhow::Result<Vec<&'static Trigger>> {
    for name in names {
        let known = || TRIGGERS.iter().map(|trigger| trigger.name).collect::<Vec<_>>().join(", ");
        ensure!(
            TRIGGERS.iter().any(|trigger| trigger.name == name),
            "no trigger is called {name}; there are {}",
            known()
        );
    }
    let chosen = TRIGGERS.iter().filter(|trigger| names.is_empty() || names.iter().any(|name| name == trigger.name));
    Ok(chosen.collect())
}

/// How strong it is.
#[derive(Clone, Copy, Debug)]
pub struct Strength {
    /// Of the sockets that the triggers' descriptions speak of, 0 to 1.
    pub share: f64,
    /// How far the attackers stand back for the server and the players where all share one machine; on a network they
    /// have machines of their own.
    pub nice: i32,
}

/// Begins it.
pub fn begin(triggers: &[&'static Trigger], target: &Target, strength: Strength) -> anyhow::Result<Attack> {
    let Strength { share, nice } = strength;
    let tallies: Vec<(&'static Trigger, Arc<Tally>)> =
        triggers.iter().map(|trigger| (*trigger, Arc::new(Tally::default()))).collect();
    let (stop, stopped) = oneshot::channel();
    let attackers: Vec<(&'static Trigger, Attacker)> = tallies
        .iter()
        .map(|(trigger, tally)| {
            let number = TRIGGERS.iter().position(|other| other.name == trigger.name).unwrap_or(0) as u8;
            let from = Ipv4Addr::new(127, 66, 0, 1 + number * ADDRESSES_EACH);
            (*trigger, Attacker { target: target.clone(), from, tally: tally.clone(), number, share })
        })
        .collect();
    let thread = std::thread::Builder::new().name("attack".into()).spawn(move || {
        stand_back(nice)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let local = tokio::task::LocalSet::new();
        for (trigger, attacker) in attackers {
            local.spawn_local((trigger.run)(attacker));
        }
        // Dropped, all sockets close.
        let _stopped = local.block_on(&runtime, stopped);
        Ok(())
    })?;
    Ok(Attack { stop, thread, tallies })
}

/// Gives this thread alone a lower priority.
fn stand_back(nice: i32) -> anyhow::Result<()> {
    if nice == 0 {
        return Ok(());
    }
    let own = std::fs::read_link("/proc/thread-self").context("which thread this is")?;
    let id = own.file_name().and_then(|name| name.to_str()).context("a thread has a number")?;
    let mut renice = Command::new("renice");
    renice.args(["-n", &nice.to_string(), "-p", id]).stdout(Stdio::null());
    ensure!(renice.status().context("there is no renice")?.success(), "the attackers could not be made nice");
    Ok(())
}

impl Attack {
    /// Ends it, and what each trigger came to.
    pub fn end(self) -> anyhow::Result<Vec<TriggerOutcome>> {
        // Who is gone already failed, and says so below.
        let _gone = self.stop.send(());
        self.thread.join().map_err(|_| anyhow!("the attackers panicked"))??;
        let outcomes = self.tallies.into_iter().map(|(trigger, tally)| TriggerOutcome {
            name: trigger.name,
            finding: trigger.finding,
            does: trigger.does,
            outcome: tally.outcome(),
        });
        Ok(outcomes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_chosen_by_their_names() {
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            triggers_named(&names).map(|chosen| chosen.len())
        };
        assert_eq!(names(&[]).expect("all"), TRIGGERS.len());
        assert_eq!(names(&["hoarding", "guessing"]).expect("both are there"), 2);
        let error = names(&["hording"]).expect_err("it is misspelt").to_string();
        assert!(error.contains("hording") && error.contains("hoarding"), "{error}");
    }
}
