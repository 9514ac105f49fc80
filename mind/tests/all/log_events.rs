//! Entries that proptest makes: any log.

use mind::counsel::{Addressee, Brought, Conflict};
use mind::focus::How;
use mind::goals::{Priority, Verdict};
use mind::plans::PlanStep;
use mind::projects::MAIN;
use mind::section::SectionPart;
use mind::session::Trust;
use mind::sharing::Scope;
use mind::story::{Cause, Dropped, StoryLine};
use mind::thought::Layer;
use mind::workspace::Workspace;
use mind::{Event, LogEntry};
use plot::{NoteKind, PlanStatus};
use proptest::prelude::*;
use protocol::minds::MindName;
use protocol::plot::SceneSeen;
use protocol::talk::{Heard, Said};
use serde_json::Value;

pub fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a.b", "a.c", "b.a.c", "people.Bob", "a..b", ""]).prop_map(str::to_string)
}

pub fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |n| n.is_finite()).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[abc]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Of projects and goals, and what is known or was said.
pub fn plans() -> impl Strategy<Value = Event> {
    let id = || 0..40u64;
    let key = || prop_oneof![Just(MAIN.to_string()), "[ab]".prop_map(String::from)];
    let some_text = || prop::option::of(".{0,9}");
    let away = || {
        (key(), ".{0,9}", id()).prop_map(|(key, context, id)| {
            let workspace = Box::new(Workspace::new(id, 3, "Mend it", &context));
            (key, context, workspace)
        })
    };
    prop_oneof![
        (key(), some_text(), some_text()).prop_map(|(key, summary, context)| Event::ProjectCreate {
            key,
            summary,
            context
        }),
        (key(), some_text(), some_text()).prop_map(|(key, summary, context)| Event::ProjectUpdate {
            key,
            summary,
            context
        }),
        away().prop_map(|(key, context, workspace)| Event::ProjectPause { key, context, workspace }),
        away().prop_map(|(key, context, workspace)| Event::ProjectComplete { key, context, workspace }),
        away().prop_map(|(key, context, workspace)| Event::ProjectArchive { key, context, workspace }),
        (away(), id()).prop_map(|((key, _, workspace), from)| Event::ProjectResume { key, from, workspace }),
        (".{0,9}", prop::option::of(id()), any::<bool>()).prop_map(|(text, parent, auto)| Event::GoalAdd {
            text,
            priority: Priority::High,
            parent,
            auto
        }),
        (id(), some_text(), prop::option::of(id()), prop::option::of(0..9u32)).prop_map(|(id, text, parent, place)| {
            Event::GoalEdit { id, text, priority: Some(Priority::Low), parent, place }
        }),
        (id(), 0..=100u8).prop_map(|(id, percent)| Event::GoalProgress { id, percent }),
        id().prop_map(|id| Event::GoalComplete { id }),
        id().prop_map(|id| Event::GoalAbandon { id }),
        id().prop_map(|id| Event::GoalReopen { id }),
        (id(), ".{0,9}").prop_map(|(id, text)| Event::GoalStrategy { id, text }),
        (id(), some_text()).prop_map(|(id, why)| Event::GoalVerdict { id, verdict: Verdict::Failed, why }),
        "[a-c]{1,3}".prop_map(|text| Event::FactAdd { text }),
        id().prop_map(|id| Event::FactRemove { id }),
        "[a-c]{1,3}".prop_map(|text| Event::PatternAdd { text }),
        id().prop_map(|id| Event::PatternRemove { id }),
        prop::collection::vec(prop::collection::vec(id(), 0..4), 0..3).prop_map(|merged| Event::SessionTidy { merged }),
        (".{0,9}", 0..=10u8).prop_map(|(text, importance)| Event::JournalAdd { text, source: Trust::Seen, importance }),
        (".{0,9}", ".{0,9}").prop_map(|(from, text)| {
            let (channel, message, missed) = ("tell".into(), None, 0);
            Event::Heard(Box::new(Heard { from: from.into(), channel, text: text.into(), message, missed }))
        }),
        ".{0,9}".prop_map(|text| {
            let (channel, message, missed) = ("say".into(), Some(7), 2);
            Event::Said(Box::new(Said { channel, to: None, text: text.into(), message, missed }))
        }),
    ]
}

pub fn events() -> impl Strategy<Value = Event> {
    prop_oneof![notes(), plans(), counsel()]
}

/// What minds of one body say to each other, and plans of steps.
pub fn counsel() -> impl Strategy<Value = Event> {
    let id = || 0..40u64;
    let mind = || prop::sample::select(MindName::ALL.to_vec());
    let step = ("(inner|)", ".{0,9}").prop_map(|(meant, text)| PlanStep { meant, text, done: false });
    prop_oneof![
        (mind(), ".{0,9}", prop::option::of(".{0,9}")).prop_map(|(mind, line, why)| Event::ProposalMake {
            mind,
            line,
            why
        }),
        (prop::option::of(id()), prop::option::of(mind()), mind(), prop::option::of("[a-z]{1,5}")).prop_map(
            |(chosen, mind, by, rule)| Event::ProposalOutcome {
                chosen,
                mind,
                overruled: chosen.into_iter().collect(),
                by,
                rule,
                conflict: chosen,
                why: None,
            }
        ),
        prop::collection::vec(id(), 0..3).prop_map(|between| Event::Conflict { conflict: Conflict::Command, between }),
        (id(), prop::option::of(mind()), -9..9i64).prop_map(|(conflict, chosen, valence)| Event::ConflictOutcome {
            conflict,
            chosen,
            brought: Brought { ticks: 30, valence, experience: -valence },
            told: None,
        }),
        (mind(), ".{0,9}", prop::option::of(".{0,9}")).prop_map(|(from, content, reasoning)| Event::MemoWrite {
            from,
            to: Addressee::Both,
            sort: NoteKind::Request,
            content,
            reasoning,
            action: None,
            scene: Some(SceneSeen { room: 100, revision: 3 }),
        }),
        (".{0,9}", prop::collection::vec(step, 0..4)).prop_map(|(text, steps)| Event::PlanMake { text, steps }),
        (id(), 0..5u32).prop_map(|(id, step)| Event::PlanStepDone { id, step }),
        (id(), any::<bool>()).prop_map(|(id, done)| Event::PlanEnd {
            id,
            status: if done { PlanStatus::Done } else { PlanStatus::Abandoned },
            told: None,
            mind: None,
        }),
        (".{0,9}", prop::option::of(prop::sample::select(Layer::ALL.to_vec())))
            .prop_map(|(text, layer)| Event::Thought { text, layer }),
    ]
}

pub fn notes() -> impl Strategy<Value = Event> {
    let id = 0..40u64;
    prop_oneof![
        ".{0,9}".prop_map(|text| Event::TaskSet { text }),
        ".{0,9}".prop_map(|text| Event::TaskUpdate { text }),
        Just(Event::TaskDone),
        (".{0,9}", prop::option::of(".{0,9}"))
            .prop_map(|(summary, details)| Event::DecisionRecord { summary, details }),
        id.clone().prop_map(|id| Event::DecisionRemove { id }),
        ".{0,9}".prop_map(|text| Event::NoteAdd { text }),
        (id.clone(), ".{0,9}").prop_map(|(id, text)| Event::NoteUpdate { id, text }),
        id.clone().prop_map(|id| Event::NoteRemove { id }),
        ".{0,9}".prop_map(|text| Event::StepAdd { text }),
        id.clone().prop_map(|id| Event::StepComplete { id }),
        (id.clone(), any::<u32>()).prop_map(|(id, place)| Event::StepReorder { id, place }),
        id.clone().prop_map(|id| Event::StepRemove { id }),
        ".{0,9}".prop_map(|message| Event::ErrorEncountered { message }),
        id.clone().prop_map(|id| Event::ErrorResolved { id }),
        ".{0,9}".prop_map(|text| Event::BlockerAdd { text }),
        id.clone().prop_map(|id| Event::BlockerRemove { id }),
        (0..12u8, ".{0,9}").prop_map(|(n, name)| Event::FocusOpen {
            subject: format!("topic:{n}"),
            name,
            how: How::Looked
        }),
        id.clone().prop_map(|id| Event::FocusEdit { id, how: How::Handled }),
        id.prop_map(|id| Event::FocusClose { id }),
        (names(), values(), prop::option::of(0.0..=1.0f64)).prop_map(|(path, value, weight)| Event::MemorySet {
            path,
            value,
            weight
        }),
        (names(), values()).prop_map(|(path, value)| Event::MemoryAppend { path, value }),
        names().prop_map(|path| Event::MemoryDelete { path }),
        (any::<u32>(), any::<u32>()).prop_map(|(tokens, budget)| Event::ContextSnapshot {
            tokens,
            budget,
            client: None
        }),
        values().prop_map(|state| Event::CompactBefore { cause: Cause::Asked, hash: "ab".into(), state: Some(state) }),
        any::<u64>().prop_map(|upto| Event::CompactAfter {
            upto,
            from: (upto > 9).then_some(9),
            cause: Cause::Fold,
            dropped: (upto > 9).then_some(Dropped { entries: 3, talk: 1, deeds: 1 }),
            story: vec![StoryLine { text: "Met: Bob.".into(), from: vec![upto] }],
        }),
        (".{0,9}", ".{0,9}").prop_map(|(text, reason)| Event::GuidelineSet { text, reason }),
        ("[a-f]", any::<bool>(), ".{0,9}").prop_map(|(name, now, text)| Event::SectionSet {
            name,
            part: if now { SectionPart::Now } else { SectionPart::Snapshot },
            text,
        }),
        "[a-f]".prop_map(|name| Event::SectionRemove { name }),
        ("[a-p]", 100..120u32, any::<bool>()).prop_map(|(to, person, some)| Event::ShareGrant {
            to,
            person,
            scopes: if some { vec![Scope::Task, Scope::Facts] } else { Scope::ALL.to_vec() },
        }),
        "[a-p]".prop_map(|to| Event::ShareRevoke { to }),
        Just(Event::Other),
    ]
}

prop_compose! {
    pub fn logs()(steps in prop::collection::vec((1..3u64, events()), 0..40)) -> Vec<LogEntry> {
        let mut seq = 0;
        let entry = |(gap, event)| {
            seq += gap;
            LogEntry { seq, tick: seq * 3, at_ms: seq as i64, input: seq * 2, event }
        };
        steps.into_iter().map(entry).collect()
    }
}
