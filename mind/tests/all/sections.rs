//! Sections that are data, in prompts.

use crate::sessions::{Chance, Session, hero, wild};
use mind::budget::Tier;
use mind::hud::{Format, LiveView};
use mind::pressure::Density;
use mind::prompt::{Layout, PartName, Prompt, PromptBuilder, Settings};
use mind::render::markdown;
use mind::section::SectionPart;
use mind::sections::{Declared, problems};
use mind::{Event, LogEntry, MindState};

fn declared(name: &str, part: SectionPart, text: &str) -> Declared {
    let (when, density, cap, order) = (None, Density::Compact, 80, 0);
    Declared { name: name.into(), part, when, density, cap, order, text: text.into() }
}

fn state(events: impl IntoIterator<Item = Event>) -> MindState {
    let entry = |(seq, event)| LogEntry { seq, tick: seq, at_ms: 0, input: seq, event };
    let log: Vec<LogEntry> = (1..).zip(events).map(entry).collect();
    MindState::of(&log)
}

fn built(settings: Settings, state: &MindState, hp: i32) -> Prompt {
    let mut builder = PromptBuilder::new(settings);
    builder.set_self(hero());
    let mut live = LiveView { tick: 40, ..LiveView::default() };
    live.vars.hp = Some(hp);
    builder.build(&live, &[], state)
}

fn of(prompt: &Prompt, part: PartName) -> String {
    prompt.parts.iter().filter(|one| one.name == part).map(|one| one.text.as_str()).collect()
}

#[test]
fn an_operator_s_sections_stand_in_their_part_and_order_while_they_hold() {
    let sections = vec![
        Declared { order: 2, ..declared("second", SectionPart::Snapshot, "Call: {{ self.name }}") },
        Declared { order: 1, ..declared("first", SectionPart::Snapshot, "# Loud\n- {{ state.task.text }}\n- *two*") },
        Declared {
            when: Some("live.vars.hp < 10".into()),
            ..declared("hurt", SectionPart::Now, "Run at {{ live.vars.hp }}!")
        },
    ];
    assert_eq!(problems(&sections), Vec::<String>::new());
    let settings = |format| Settings { sections: sections.clone().into(), format, ..Settings::default() };
    let state = state([Event::TaskSet { text: "# find `it`: now".into() }]);
    let prompt = built(settings(Format::Markdown), &state, 7);
    let wanted = "## first\n**Loud**\n- \\# find 'it': now\n- *two*\n## second\nCall: Corvin\n";
    assert!(of(&prompt, PartName::P2).contains(wanted), "{}", of(&prompt, PartName::P2));
    assert!(of(&prompt, PartName::P4).contains("## hurt\nRun at 7!\n"), "{}", of(&prompt, PartName::P4));
    assert!(!of(&built(settings(Format::Markdown), &state, 20), PartName::P4).contains("hurt"));
    let toon = built(settings(Format::Toon), &state, 7);
    assert!(of(&toon, PartName::P4).contains("sections:\n  hurt: Run at 7!\n"), "{}", of(&toon, PartName::P4));
    let document = built(Settings { layout: Layout::Document, ..settings(Format::Json) }, &state, 7);
    let value: serde_json::Value = serde_json::from_str(&document.text()).expect("one JSON object");
    let sections = &value["world"]["sections"];
    let wanted = serde_json::json!({"first": ["Loud", ["# find 'it': now", "two"]], "second": {"Call": "Corvin"},
        "hurt": "Run at 7!"});
    assert_eq!(*sections, wanted);
    let why = prompt.why();
    let line = why.lines().find(|line| line.ends_with("| Call: Corvin")).unwrap_or_else(|| panic!("{why}"));
    assert!(line.starts_with("setting hud_sections"), "{line}");
}

#[test]
fn an_agent_s_own_section_comes_with_the_next_prompt_or_the_next_fold() {
    let mut log = vec![Event::TaskSet { text: "sail".into() }];
    let mut builder = PromptBuilder::new(Settings::default());
    let live = LiveView::default();
    builder.build(&live, &[], &state(log.clone()));
    for (name, part) in [("mine", SectionPart::Snapshot), ("here", SectionPart::Now)] {
        log.push(Event::SectionSet { name: name.into(), part, text: "{{ state.task.text }}\\nso".into() });
    }
    let later = state(log);
    let entries: Vec<LogEntry> =
        (2..4).map(|seq| LogEntry { seq, tick: seq, at_ms: 0, input: seq, event: Event::Other }).collect();
    builder.append(mind::prompt::Block { mind: entries, ..Default::default() });
    let prompt = builder.build(&live, &[], &later);
    assert!(
        !of(&prompt, PartName::P2).contains("## mine") && of(&prompt, PartName::P4).contains("## here\nsail\nso\n")
    );
    let why = prompt.why();
    assert!(why.lines().any(|line| line.starts_with("#3 ") && line.ends_with("| sail")), "{why}");
    builder.compact(&later);
    assert!(of(&builder.build(&live, &[], &later), PartName::P2).contains("## mine\nsail\nso\n"));
}

#[test]
fn what_cannot_be_worked_out_says_so_and_costs_nothing_else() {
    let loops = "{% for a in recent %}{% for b in recent %}{% for c in recent %}x{% endfor %}{% endfor %}{% endfor %}";
    let sections = vec![declared("loops", SectionPart::Now, loops), declared("good", SectionPart::Now, "fine")];
    let (mut session, mut builder) = (
        Session::new(3),
        PromptBuilder::new(Settings { sections: sections.into(), tier: Tier::Large, ..Settings::default() }),
    );
    let step = (0..60).map(|_| session.step()).last().expect("steps");
    let recent: Vec<_> = step.recent.iter().cycle().take(40).cloned().collect();
    let prompt = builder.build(&step.live, &recent, &step.state);
    let now = of(&prompt, PartName::P4);
    assert!(now.contains("## loops\nIt cannot be shown: it takes more than 10000 steps.\n## good\nfine\n"), "{now}");
}

#[test]
fn a_section_keeps_to_its_cap_and_says_where_it_was_cut() {
    let text = (0..40).map(|n| format!("- the point of number {n}\n")).collect::<String>();
    let sections = vec![Declared { cap: 40, ..declared("long", SectionPart::Snapshot, &text) }];
    let prompt = built(Settings { sections: sections.into(), ..Settings::default() }, &MindState::default(), 5);
    let (_, tokens) = prompt.sections.iter().find(|(name, _)| name == "sections").expect("its tokens are told");
    assert!((20..=44).contains(tokens), "{tokens}");
    let p2 = of(&prompt, PartName::P2);
    assert!(p2.contains("- the point of number 2\n") && p2.contains("\n…\n") && !p2.contains("number 20"), "{p2}");
}

#[test]
fn what_is_wrong_in_a_file_of_sections_is_told_by_name() {
    let good = declared("good", SectionPart::Now, "x");
    let wrong = vec![
        Declared { name: "Bad Name".into(), ..good.clone() },
        Declared { name: "names".into(), text: "{{ world }}".into(), ..good.clone() },
        Declared { name: "empty".into(), text: " ".into(), ..good.clone() },
        Declared { name: "when".into(), when: Some("live.vars.hp <".into()), ..good.clone() },
        Declared { name: "sly".into(), when: Some("1 %}{% if 1".into()), ..good.clone() },
        Declared { name: "cap".into(), cap: 0, ..good.clone() },
        good.clone(),
        good,
    ];
    let told = problems(&wrong);
    for what in [
        "section \"Bad Name\": a name has",
        "section \"names\": text: there is no world",
        "section \"empty\": text is empty",
        "section \"when\": when: it is no template",
        "section \"sly\": when: it is no condition",
        "section \"cap\": cap must be",
        "section \"good\": there is another one",
    ] {
        assert!(told.iter().any(|told| told.starts_with(what)), "{what} in {told:#?}");
    }
    assert_eq!(told.len(), 7, "{told:#?}");
}

/// Whatever a name in the world is, it makes no heading and no fence of a section; and prompts keep to their budget.
#[test]
fn nothing_gains_force_through_a_section() {
    let text = "{% for one in live.mobs %}\n- {{ one.name }}\n{% endfor %}\n{{ live.vars.description }}\n{{ state.task.text }}: x";
    let own = Event::SectionSet { name: "mine".into(), part: SectionPart::Now, text: "{{ live.vars.room }}".into() };
    for (seed, tier) in (0..25).flat_map(|seed| Tier::ALL.map(|tier| (seed, tier))) {
        let (mut view, _) = wild(&mut Chance(3_000 + seed));
        let next = LogEntry { seq: view.state.seq + 1, tick: 9, at_ms: 0, input: 1, event: own.clone() };
        view.state.project(&next);
        let sections = vec![declared("all", SectionPart::Now, text)].into();
        let mut builder = PromptBuilder::new(Settings { sections, tier, ..Settings::default() });
        let prompt = builder.build(&view.live, &view.recent, &view.state);
        assert!(prompt.tokens <= prompt.budget);
        let now = of(&prompt, PartName::P4);
        let heads: Vec<&str> = now.lines().filter(|line| line.starts_with('#') || line.starts_with("```")).collect();
        assert!(heads.iter().all(|head| ["# Now", "## all", "## mine"].contains(head)), "{heads:?}");
        let (body, question) = now.trim_end().rsplit_once('\n').expect("a question");
        let body = format!("{body}\n");
        assert_eq!(markdown::render(&markdown::parse(&body)), body, "{question}");
    }
}
