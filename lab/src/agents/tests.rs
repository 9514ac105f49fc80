//! Plays that show what agents do together.

use super::play::{agent, play_with};
use super::{Report, Setting};
use crate::world_folder::{read_content, root};
use agent_cli::agent::{Agent, AgentSettings};
use agent_cli::nature::Tastes;
use std::sync::Arc;

/// What no newborn warrior takes on alone, and two do: it stands next to the drill yard.
const PREY: &str = "the straw knight";

/// Two newborn warriors of these tastes in the drill yard.
fn in_the_drill_yard(seed: u64, tastes: [Tastes; 2]) -> Vec<Report> {
    let content = Arc::new(read_content(&root().join("data/world")));
    let setting = Setting { minutes: 2, players: 2, start: Some(8028), trace: true, ..Setting::default() };
    let mut make = |n: usize| {
        let (_, oracle) = agent(&setting, seed, n)?;
        let settings =
            AgentSettings { use_model: false, seed: seed + n as u64, tastes: tastes[n], ..AgentSettings::default() };
        Ok((Box::new(Agent::new(settings)) as Box<dyn super::Player>, oracle))
    };
    play_with(&content, &setting, seed, &mut make).expect("a world to play in")
}

fn sociable(sociable: f64) -> Tastes {
    Tastes { sociable, ..Tastes::default() }
}

#[test]
fn two_form_a_group_kill_what_one_would_not_share_and_part() {
    // Whether somebody else comes between is chance: of some plays the first in which they had their prey.
    let mut plays = (1..=8).map(|seed| in_the_drill_yard(seed, [sociable(0.9), sociable(0.5)]));
    let got_it = |report: &Report| report.deeds.killed.contains_key(PREY);
    let reports = plays.find(|play| play.iter().all(got_it)).expect("in one of eight plays they get it");
    let sent = |report: &Report, line: &str| report.trace.iter().filter(|sent| sent.contains(line)).count();
    let [wren, alder] = &reports[..] else { panic!("there are two") };
    assert!(wren.deeds.companions.contains("Alder") && alder.deeds.companions.contains("Wren"));
    for report in &reports {
        assert_eq!(report.deeds.killed.get(PREY), Some(&1), "{}", report.deeds.name);
        assert_eq!(report.deaths, 0);
    }
    assert_eq!((sent(wren, "group alder"), sent(alder, "follow wren"), sent(alder, "assist wren")), (1, 1, 1));
    // They part, each in its own words, and go their own ways.
    assert_eq!((sent(wren, "ungroup"), sent(alder, "follow self")), (1, 1));
}

#[test]
fn who_likes_no_company_leaves_it_alone() {
    for tastes in [[sociable(0.5), sociable(0.5)], [sociable(0.9), sociable(0.1)]] {
        for report in in_the_drill_yard(4, tastes) {
            assert!(report.deeds.companions.is_empty(), "{}", report.deeds.name);
            assert_eq!(report.deeds.killed.get(PREY), None, "{}", report.deeds.name);
        }
    }
}
