//! The index of the fields of a prompt names what prompts hold, and nothing else.

use crate::sessions::{Chance, Session, arts, hero, wild};
use mind::MindState;
use mind::budget::Tier;
use mind::hud::index::INDEX;
use mind::hud::{FocusView, Format, LiveView, SelfView, TaskView};
use mind::prompt::{PartName, PromptBuilder, Settings};
use mind::section::{Section, SectionPart};
use mind::story::{Reworded, StoryLine, StoryWords};
use protocol::payload::SharedRow;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Paths of what has no fields below it.
fn leaves(path: &str, value: &Value, part: PartName, found: &mut BTreeSet<(PartName, String)>) {
    let known = |path: &str| INDEX.iter().any(|field| field.path == path);
    match value {
        Value::Object(map) if known(&format!("{path}.*")) => {
            found.extend((!map.is_empty()).then(|| (part, format!("{path}.*"))));
        }
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(&path, value, part, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(&format!("{path}[]"), item, part, found)),
        _ => drop(found.insert((part, path.to_string()))),
    }
}

/// A little later, when each message got another reaction.
fn after_reactions(live: &LiveView) -> LiveView {
    let mut live = live.clone();
    for channel in live.channels.iter_mut().flat_map(|view| &mut Arc::make_mut(view).channels) {
        channel.used.reactions += 1;
        channel.channel.messages.iter_mut().for_each(|message| message.reactions.brain += 1);
    }
    live
}

fn builder(tier: Tier) -> PromptBuilder {
    PromptBuilder::new(Settings { tier, format: Format::Json, ..Settings::default() })
}

/// All that prompts of all sizes hold, of made-up sessions.
fn found() -> BTreeSet<(PartName, String)> {
    let mut found = BTreeSet::new();
    let mut see = |builder: &mut PromptBuilder, live: &LiveView, recent: &[_], state: &MindState| {
        for part in builder.build(live, recent, state).parts {
            // A line of prose ends the last one.
            let documents = serde_json::Deserializer::from_str(&part.text).into_iter::<Value>();
            documents.map_while(Result::ok).for_each(|document| leaves("", &document, part.name, &mut found));
        }
    };
    for (seed, tier) in (0..30).flat_map(|seed| Tier::ALL.map(|tier| (seed, tier))) {
        let (view, blocks) = wild(&mut Chance(7_000 + seed));
        let mut builder = builder(tier);
        builder.set_self(view.self_);
        blocks.into_iter().for_each(|block| builder.append(block));
        see(&mut builder, &view.live, &view.recent, &view.state);
        see(&mut builder, &after_reactions(&view.live), &view.recent, &view.state);
        // Of what was carried, nothing is left.
        see(&mut builder, &LiveView::default(), &view.recent, &view.state);
    }
    for tier in Tier::ALL {
        let (mut session, mut builder) = (Session::new(5), builder(tier));
        builder.set_self(hero());
        see(&mut builder, &LiveView::default(), &[], &MindState::default());
        // A memory of which a small prompt has room for names alone.
        let mut filled = MindState::default();
        filled.memory.doc = (0..20).map(|n| (format!("k{n}"), "渡し守".repeat(330).into())).collect();
        see(&mut self::builder(tier), &LiveView::default(), &[], &filled);
        for n in 0..120 {
            let mut step = session.step();
            let part = if n % 2 == 0 { SectionPart::Now } else { SectionPart::Snapshot };
            let section = Section { id: 1, name: "mine".into(), part, text: "so".into(), tick: 1 };
            step.state.sections = vec![section];
            step.live.vars.description = Some("Fog lies on the water.".into());
            for mob in &mut step.live.mobs {
                (mob.level, mob.odds) = (Some(3), Some("easy".into()));
            }
            let (id, text) = ("tails".to_string(), "Kill lean brown rats".to_string());
            step.live.tasks = vec![TaskView { id, step: text, done: 2, need: 5, place: "The Drain".into() }];
            step.live.plot = Some(crate::plot::green());
            let (who, task, blockers) = ("Ann".to_string(), Some("cross it".to_string()), vec!["no lamp".to_string()]);
            step.live.shared = vec![SharedRow { who, task, progress: Some(40), blockers, blocked: 1 }];
            let what = "a lean brown rat".to_string();
            step.live.focus = vec![FocusView { id: 7, what, how: "handled".into(), tick: 1 }];
            // Its arts grow, and it meets teachers.
            let mut arts = arts();
            arts.rows.iter_mut().for_each(|art| art.percent += 5 * (n % 2) + 1);
            arts.teacher = format!("Ives the {n}th");
            builder.set_self(SelfView { arts, ..hero() });
            step.live.vars.practices = Some("2, Ives teaches here".into());
            builder.append(step.block);
            see(&mut builder, &step.live, &step.recent, &step.state);
            if let Some((span, _)) = builder.dropped() {
                // A model says all that the last fold told in one word.
                let said =
                    |line: &StoryLine| Reworded { of: line.text.clone(), words: "So.".into(), from: line.from.clone() };
                let lines = builder.story().lines.iter().map(said).collect();
                assert!(builder.reword(StoryWords { span, model: "m".into(), lines }));
            }
        }
    }
    found
}

#[test]
fn every_field_of_a_prompt_is_in_the_index_and_every_row_of_it_is_a_field() {
    let found = found();
    // A table with one column left is a list of its cells; what has no room is counted under a name of its own.
    let is_of = |path: &str, field: &str| {
        path == field
            || path.strip_suffix("_more").is_some_and(|table| field.starts_with(&format!("{table}[]")))
            || (path.ends_with("[]") && field.starts_with(&format!("{path}.")))
    };
    let named = |part: PartName, path: &str| {
        INDEX.iter().any(|field| field.parts.contains(&format!("{part:?}")) && is_of(path, field.path))
    };
    let missing: Vec<_> = found.iter().filter(|(part, path)| !named(*part, path)).collect();
    assert!(missing.is_empty(), "in prompts and not in the index: {missing:#?}");
    let seen = |parts: &str, wanted: &str| {
        parts.split(", ").all(|wanted_part| {
            found.iter().any(|(part, path)| format!("{part:?}") == wanted_part && is_of(path, wanted))
        })
    };
    let stale: Vec<_> =
        INDEX.iter().filter(|field| !seen(field.parts, field.path)).map(|field| (field.parts, field.path)).collect();
    assert!(stale.is_empty(), "in the index and in no prompt: {stale:#?}");
    let paths: BTreeSet<(&str, &str)> = INDEX.iter().map(|field| (field.parts, field.path)).collect();
    assert_eq!(paths.len(), INDEX.len(), "each once");
}
