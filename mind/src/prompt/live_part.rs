//! P4: the live view with the question below it, at the level of detail that its room holds.
//!
//! It is written anew for every prompt, so what a prompt measures several times is written once (`Drafts`).

use super::measured::MeasuredText;
use super::{AnswerForm, Settings};
use crate::hud::Format;
use crate::hud::detail::{Detail, LEVELS, first_level, live_cap};
use crate::hud::live::{LiveInput, SECTIONS, Share};
use crate::hud::node::Node;
use crate::hud::origin::Origin;
use crate::pressure::Density;
use crate::texts::{Extent, TextName};
use crate::{render, tokens};

/// P4 as it was written.
pub struct Live {
    pub text: String,
    pub tokens: usize,
    /// What it shows, in the order of `SECTIONS`.
    pub nodes: Vec<Node>,
    pub sections: Vec<(String, usize)>,
    pub density: Density,
    /// Memories shown.
    pub memories: usize,
}

impl Live {
    fn new(density: Density, memories: usize) -> Live {
        let (text, nodes, sections) = (String::new(), Vec::new(), Vec::new());
        Live { text, tokens: 0, nodes, sections, density, memories }
    }

    fn push(&mut self, name: &str, piece: &MeasuredText) {
        if piece.tokens > 0 {
            self.sections.push((name.to_string(), piece.tokens));
        }
        self.text.push_str(&piece.text);
        self.tokens += piece.tokens;
    }
}

/// Of each section of P4 what it was last and how that is written: what a prompt measures several times is written
/// once.
#[derive(Default)]
pub struct Drafts(Vec<(Node, MeasuredText)>);

impl Drafts {
    fn write(&mut self, n: usize, node: &Node, format: Format) -> &MeasuredText {
        if self.0.is_empty() {
            self.0.resize(SECTIONS.len(), Default::default());
        }
        if self.0[n].0 != *node {
            let written = MeasuredText::new(render::render(std::slice::from_ref(node), format));
            self.0[n] = (node.clone(), written);
        }
        &self.0[n].1
    }
}

/// The last line.
const fn question(answer: AnswerForm) -> TextName {
    match answer {
        AnswerForm::Json => TextName::QuestionJson,
        AnswerForm::Toon => TextName::QuestionToon,
    }
}

/// P4 in the first level of this density, or below it, that its cap and `room` hold. Each share of it keeps to its
/// own cap, at a level of its own.
pub fn write_live(settings: &Settings, now: &LiveInput, density: Density, room: usize, drafts: &mut Drafts) -> Live {
    let question = question(settings.answer);
    let question = MeasuredText::new(settings.texts.filled(question, Extent::All, &[]) + "\n");
    for (level, detail) in LEVELS.iter().enumerate().skip(first_level(density.max(settings.tier.packed()))) {
        let mut nodes: Vec<Node> = vec![Node::Nothing; SECTIONS.len()];
        let mut memories = 0;
        for share in Share::ALL {
            let fitted = fit_share(settings, now, share, level, &mut nodes, drafts);
            if share == Share::Retrieval {
                memories = shown_memories(now, fitted.memories);
            }
        }
        let mut live = Live::new(detail.density, memories);
        match settings.format {
            Format::Markdown | Format::Toon => {
                for (n, (section, node)) in SECTIONS.iter().zip(&nodes).enumerate() {
                    live.push(section.name, drafts.write(n, node, settings.format));
                }
            }
            Format::Json | Format::CompactJson => {
                live.push("live", &MeasuredText::new(render::render(&nodes, settings.format)));
            }
        }
        live.push("question", &question);
        if live.tokens <= room.min(live_cap(detail.density)) {
            return Live { nodes, ..live };
        }
    }
    // Not reached while a tier's fixed parts leave room for the last level; if they did not, the question is left.
    let mut live = Live::new(Density::Minimal, 0);
    live.push("question", &question);
    live
}

/// What each line of P4 comes from: of its sections, then of the question.
pub fn origins_of(settings: &Settings, tick: u64, live: &Live) -> Vec<Origin> {
    let format = settings.format;
    let of = |nodes: &[Node]| render::origins(nodes, format, tick);
    let mut origins: Vec<Origin> = match format {
        Format::Markdown | Format::Toon => live.nodes.iter().flat_map(|node| of(std::slice::from_ref(node))).collect(),
        Format::Json | Format::CompactJson => of(&live.nodes),
    };
    let lines = live.text.lines().count();
    origins.resize(lines, Origin::File(question(settings.answer)));
    origins
}

/// Puts the sections of a share into their places: at this level, or at the first below it that the share's cap
/// holds. Returns the level.
fn fit_share(
    settings: &Settings,
    now: &LiveInput,
    share: Share,
    level: usize,
    nodes: &mut [Node],
    drafts: &mut Drafts,
) -> &'static Detail {
    let format = settings.format;
    let places: Vec<usize> = (0..SECTIONS.len()).filter(|&n| SECTIONS[n].share == share).collect();
    let cap = share.cap(&settings.tier.caps());
    for detail in &LEVELS[level..] {
        for &n in &places {
            nodes[n] = (SECTIONS[n].make)(now, detail);
        }
        let fits = match format {
            Format::Markdown | Format::Toon => {
                places.iter().map(|&n| drafts.write(n, &nodes[n], format).tokens).sum::<usize>() <= cap
            }
            Format::Json | Format::CompactJson => {
                let own: Vec<Node> = places.iter().map(|&n| nodes[n].clone()).collect();
                tokens::fits(&render::render(&own, format), cap)
            }
        };
        if fits {
            return detail;
        }
    }
    &LEVELS[LEVELS.len() - 1]
}

/// How many of the live view's memories a prompt holds, the first so many: in P3, or in `rows` of P4.
fn shown_memories(now: &LiveInput, rows: usize) -> usize {
    let all = now.live.memories.len();
    if now.shown.past { (0..all).take_while(|&place| now.shown.has_memory(place)).count() } else { rows.min(all) }
}
