//! Every line of a prompt says what it comes from, and none is another line for it.

use crate::sessions::{Chance, Session, hero, wild};
use mind::budget::Tier;
use mind::hud::Format;
use mind::hud::origin::Origin;
use mind::prompt::{Layout, Part, PartName, Prompt, PromptBuilder, Settings};
use mind::texts::{FILES, Texts};

fn all_forms() -> impl Iterator<Item = (Tier, Format)> {
    Tier::ALL.into_iter().flat_map(|tier| Format::ALL.map(|format| (tier, format)))
}

fn settings(tier: Tier, format: Format) -> Settings {
    Settings { tier, format, ..Settings::default() }
}

fn check(prompt: &Prompt) {
    for part in &prompt.parts {
        let lines = part.text.lines().count();
        assert_eq!(part.origins.len(), lines, "{:?} of {lines} lines:\n{}", part.name, part.text);
        for (line, origin) in part.text.lines().zip(part.origins.iter()) {
            check_line(part, line, origin);
        }
    }
    assert_eq!(prompt.why().lines().count(), prompt.text().lines().count(), "one line each");
}

/// What can be told of a line by itself agrees with its origin.
fn check_line(part: &Part, line: &str, origin: &Origin) {
    let name = part.name;
    if line.trim().is_empty() {
        return;
    }
    assert!(!origin.to_string().is_empty(), "{line}");
    if line.starts_with("# ") && name > PartName::P0 {
        assert_eq!(*origin, Origin::Layout, "{line}");
    }
    if name == PartName::P0 {
        assert!(matches!(origin, Origin::File(_) | Origin::Tables), "{line}: {origin:?}");
    }
    // The entry that a line of the transcript names.
    if let Some(rest) = line.trim_start().strip_prefix("mind #") {
        let id: u64 = rest.split(' ').next().and_then(|id| id.parse().ok()).expect("a number");
        assert_eq!(*origin, Origin::Entries(vec![id]), "{line}");
    }
    let is_layout = part.text.starts_with('{') && matches!(line.trim(), "}" | "}," | "]" | "],");
    assert!(!is_layout || *origin == Origin::Layout, "{line}: {origin:?} in {}", part.text);
}

#[test]
fn every_line_of_a_made_up_prompt_has_its_origin() {
    for (seed, (tier, format)) in (0..12).flat_map(|seed| all_forms().map(move |form| (seed, form))) {
        let (view, blocks) = wild(&mut Chance(9_000 + seed));
        let mut builder = PromptBuilder::new(settings(tier, format));
        builder.set_self(view.self_);
        blocks.into_iter().for_each(|block| builder.append(block));
        check(&builder.build(&view.live, &view.recent, &view.state));
        builder.compact(&view.state);
        check(&builder.build(&view.live, &view.recent, &view.state));
    }
}

#[test]
fn every_line_of_a_played_prompt_has_its_origin_through_folds() {
    for (tier, format) in all_forms() {
        let (mut session, mut builder) = (Session::new(11), PromptBuilder::new(settings(tier, format)));
        builder.set_self(hero());
        for _ in 0..90 {
            let step = session.step();
            builder.append(step.block);
            check(&builder.build(&step.live, &step.recent, &step.state));
        }
    }
    let baseline = Settings { layout: Layout::Document, ..settings(Tier::Medium, Format::Json) };
    for format in Format::ALL {
        let (mut session, mut builder) = (Session::new(4), PromptBuilder::new(Settings { format, ..baseline.clone() }));
        let step = session.step();
        builder.set_self(hero());
        check(&builder.build(&step.live, &step.recent, &step.state));
    }
}

#[test]
fn rows_name_their_entries_variables_and_memories() {
    let (mut session, mut builder) = (Session::new(3), PromptBuilder::new(settings(Tier::Large, Format::Markdown)));
    builder.set_self(hero());
    let step = (0..40).map(|_| session.step()).last().expect("there are");
    let prompt = builder.build(&step.live, &step.recent, &step.state);
    let tick = step.live.tick;
    let all: Vec<(PartName, &str, String)> = prompt
        .parts
        .iter()
        .flat_map(|part| {
            part.text.lines().zip(part.origins.iter()).map(|(line, from)| (part.name, line, from.to_string()))
        })
        .collect();
    let of = |part: PartName, begins: &str| {
        let found = all.iter().find(|(name, line, _)| *name == part && line.trim_start().starts_with(begins));
        found.map(|(_, _, origin)| origin.clone()).unwrap_or_else(|| panic!("no {begins} in {}", prompt.text()))
    };
    assert_eq!(of(PartName::P4, "hp:"), format!("HEALTH, MAX_HEALTH at tick {tick}"));
    assert!(of(PartName::P4, "mobs[").starts_with("ROOM_MOBS"), "{}", of(PartName::P4, "mobs["));
    assert_eq!(of(PartName::P4, "room:"), format!("ROOM_NAME, ROOM_VNUM at tick {tick}"));
    for note in &step.state.notes {
        let row = of(PartName::P2, &format!("{},", note.id));
        assert_eq!(row, format!("#{}", note.id));
    }
    for memory in &step.live.memories {
        assert_eq!(of(PartName::P4, &memory.id), format!("memory {}", memory.id));
    }
    for path in step.state.memory.doc.keys() {
        let row = of(PartName::P2, &path.to_string());
        assert!(row.starts_with("core memory ") || row == "own log", "{row}");
    }
}

/// Each line of the rules that is not of a table is in the file that it is said to come from.
#[test]
fn lines_of_the_rules_are_found_in_their_files() {
    let texts = Texts::default();
    for tier in Tier::ALL {
        let mut builder = PromptBuilder::new(settings(tier, Format::Markdown));
        let prompt = builder.build(&Default::default(), &[], &Default::default());
        let rules = &prompt.parts[0];
        let told = mind::action::vocabulary(true, Default::default(), &Default::default());
        let mut files = std::collections::BTreeSet::new();
        for (line, origin) in rules.text.lines().zip(rules.origins.iter()).filter(|(line, _)| !line.is_empty()) {
            let is_of_table = told.lines().any(|row| row == line);
            match origin {
                Origin::Tables => assert!(is_of_table, "{line}"),
                Origin::File(file) => {
                    files.insert(file.file().name);
                    assert!(!is_of_table || texts.raw(*file).contains(line), "{line} of {file:?}");
                }
                other => panic!("{other:?} of {line}"),
            }
        }
        let wanted =
            FILES.iter().filter(|file| ["rules", "time", "silence", "answer_json", "memory"].contains(&file.name));
        let missing: Vec<&str> = wanted.map(|file| file.name).filter(|name| !files.contains(name)).collect();
        assert!(missing.is_empty() || tier == Tier::Small, "{missing:?} of {files:?}");
    }
}
