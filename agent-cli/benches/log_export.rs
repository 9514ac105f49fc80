//! How long it takes to make tables of a log of 100,000 decisions, and what the record of 1,000 prompts takes:
//! `cargo bench -p agent-cli --bench log_export`.

#[path = "../../mind/tests/sessions/mod.rs"]
mod sessions;

use agent_cli::agent::AgentSettings;
use agent_cli::config::Config;
use agent_cli::log::{ExportArgs, Format, TableName, export_table};
use agent_cli::prompt_record::{self, PromptRecord};
use agent_cli::record::{AnswerRow, ClosedRow, DecisionRow, Reward, Row, RowTokens, Source};
use agent_cli::session_log::{SessionLog, header};
use mind::budget::Tier;
use mind::hud::Format as HudFormat;
use mind::prompt::PromptBuilder;
use serde_json::json;
use sessions::cost::settings;
use sessions::{Session, hero};
use std::time::Instant;

const DECISIONS: u64 = 100_000;

/// The record of the prompts of a session: its size, and how long it takes to build any of them again.
fn prompts() {
    const PROMPTS: u64 = 1_000;
    let folder = tempfile::tempdir().expect("a folder");
    for tier in [Tier::Small, Tier::Medium, Tier::Large] {
        let log = folder.path().join(format!("{}.jsonl", tier.name()));
        let (mut session, mut builder) = (Session::new(3), PromptBuilder::new(settings(tier, HudFormat::Markdown)));
        builder.set_self(hero());
        let mut record = PromptRecord::create(&log).expect("made");
        let mut hashes = Vec::new();
        for id in 1..=PROMPTS {
            let step = session.step();
            builder.append(step.block);
            let prompt = builder.build(&step.live, &step.recent, &step.state);
            record.write(id, &prompt).expect("written");
            hashes.push(agent_cli::prompt_text::reference(id, &prompt).sha256);
        }
        record.finish().expect("packed");
        let (_, packed) = prompt_record::paths(&log);
        let bytes = packed.metadata().expect("there").len();
        let begun = Instant::now();
        let mut last = None;
        prompt_record::read(&log, |recorded| {
            assert_eq!(recorded.text.sha256(), hashes[(recorded.id - 1) as usize]);
            last = Some(recorded.id);
            true
        })
        .expect("read");
        assert_eq!(last, Some(PROMPTS));
        println!(
            "prompts, {}: {} bytes each (aim < 500), the last of {PROMPTS} built again in {:.2?} (aim < 1 s)",
            tier.name(),
            bytes / PROMPTS,
            begun.elapsed()
        );
    }
}

fn main() {
    prompts();
    let folder = tempfile::tempdir().expect("a folder");
    let head = header(&Config::default(), &AgentSettings::default(), "Bench", 0);
    let mut log = SessionLog::create(folder.path(), head, 0).expect("made");
    let room = json!({"HEALTH": 20, "ROOM_VNUM": 8004, "ROOM_NAME": "The Temple Altar", "ROOM_EXITS": ["north", "south"],
        "ROOM_MOBS": [{"name": "a rat", "instance_id": "mob_8031_407", "target_string": "rat", "vnum": 8031,
        "fighting": false, "fighting_me": false}]});
    for id in 1..=DECISIONS {
        let answer = AnswerRow {
            text: Some("{\"commentary\":\"The rat looks weak, so I strike it now.\",\"actions\":[]}".repeat(2)),
            commentary: Some("The rat looks weak, so I strike it now.".to_string()),
            ..AnswerRow::default()
        };
        let row = DecisionRow {
            id,
            tick: Some(id / 3),
            at: "2026-11-22T14:00:00.000Z".to_string(),
            at_ms: id,
            asked: "tick".to_string(),
            source: Source::Model,
            by: "model".to_string(),
            state: room.as_object().expect("an object").clone(),
            actions: vec!["kill rat".to_string()],
            latency_ms: 700,
            tokens: RowTokens { prompt: 4_000, cached: 3_500, cache_written: 0, output: 30 },
            cost: Some(0.001),
            cost_micros: Some(1_000),
            memories: Vec::new(),
            channels: Vec::new(),
            answer: Some(answer),
            prompt: None,
            council: None,
            votes: None,
            valence: Some(true),
        };
        let reward = Reward { exp: 5, ..Reward::default() };
        let closed = ClosedRow {
            decision: id,
            source: Source::Model,
            by: "model".to_string(),
            from_tick: Some(id / 3),
            to_tick: Some(id / 3 + 2),
            reward,
            inferred: Reward::default(),
        };
        log.row(&Row::Decision(row)).expect("written");
        log.row(&Row::Closed(closed)).expect("written");
    }
    let size = std::fs::metadata(&log.path).expect("there").len() >> 20;
    println!("{DECISIONS} decisions, {size} MiB of log");
    for (name, format) in [("parquet", Format::Parquet), ("csv", Format::Csv), ("jsonl", Format::Jsonl)] {
        let out = folder.path().join(name);
        let files = vec![log.path.clone()];
        let args = ExportArgs {
            files,
            format: Some(format),
            table: TableName::Decisions,
            out: Some(out.clone()),
            server: Vec::new(),
        };
        let begun = Instant::now();
        export_table(&args, &mut std::io::sink()).expect("exported");
        let size = std::fs::metadata(&out).expect("there").len() >> 20;
        println!("{name:<8} {:.2} s, {size} MiB", begun.elapsed().as_secs_f64());
    }
}
