//! Sections of a prompt that are data: an operator's, declared in a file, and the agent's own. Each is a template over
//! the view; what it writes is read as markdown, and placed among the nodes of P2 or P4.
//!
//! Invariants: no section makes a heading, and none takes more than its cap, nor all of them more than a tier grants.
//! One that cannot be worked out says so in its place, and changes nothing else.

mod template;

pub use template::{STEPS_MAX, Values};

use crate::hud::index::Source;
use crate::hud::live::{ShownSection, sections_node};
use crate::hud::node::{Inline, Item, Node};
use crate::hud::origin::Origin;
use crate::hud::{LiveView, RecentAction, SelfView};
use crate::pressure::Density;
use crate::render::markdown;
use crate::section::{SECTION_TOKENS, Section, SectionPart, is_section_name};
use crate::state::MindState;
use serde::{Deserialize, Serialize};

/// Sections of one file, characters of a template and of a condition, and tokens of one section.
pub const DECLARED_MAX: usize = 12;
pub const DECLARED_CHARS: usize = 4_000;
const CONDITION_CHARS: usize = 400;
pub const CAP_MAX: usize = 1_000;

/// The setting that names the file.
pub const SETTING: &str = "hud_sections";

/// A section as an operator declares it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    pub name: String,
    #[serde(default)]
    pub part: SectionPart,
    /// A condition; without one it is always there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// In P4: the tightest packing in which it is still shown.
    #[serde(default = "usual_density")]
    pub density: Density,
    /// Tokens that it takes at most.
    #[serde(default = "usual_cap")]
    pub cap: usize,
    /// Lower ones come first; the agent's own stand at 0.
    #[serde(default)]
    pub order: i32,
    pub text: String,
}

const fn usual_density() -> Density {
    Density::Compact
}

const fn usual_cap() -> usize {
    SECTION_TOKENS
}

/// What is wrong with sections of a file, each with the name of its section.
pub fn problems(declared: &[Declared]) -> Vec<String> {
    let mut problems = Vec::new();
    if declared.len() > DECLARED_MAX {
        problems.push(format!("there are {} sections, and {DECLARED_MAX} are the most", declared.len()));
    }
    for (n, section) in declared.iter().enumerate() {
        let mut wrong = |what: String| problems.push(format!("section \"{}\": {what}", section.name));
        if !is_section_name(&section.name) {
            wrong("a name has 1 to 24 small letters, digits, - and _".to_string());
        }
        if declared[..n].iter().any(|other| other.name == section.name) {
            wrong("there is another one of this name".to_string());
        }
        if !(1..=CAP_MAX).contains(&section.cap) {
            wrong(format!("cap must be a number of tokens from 1 to {CAP_MAX}"));
        }
        if section.text.trim().is_empty() {
            wrong("text is empty".to_string());
        }
        if section.text.chars().count() > DECLARED_CHARS {
            wrong(format!("text has more than {DECLARED_CHARS} characters"));
        }
        let names = names(section.part);
        if let Err(why) = template::check(&section.text, names) {
            wrong(format!("text: {why}"));
        }
        if let Some(when) = &section.when {
            let long = when.chars().count() > CONDITION_CHARS || when.contains(['{', '}', '%']);
            let checked =
                if long { Err("it is no condition".to_string()) } else { template::check_condition(when, names) };
            if let Err(why) = checked {
                wrong(format!("when: {why}"));
            }
        }
    }
    problems
}

/// What a template of this part may name. P2 is the same from one fold to the next, so nothing of now is in it.
const fn names(part: SectionPart) -> &'static [&'static str] {
    match part {
        SectionPart::Snapshot => &["self", "state"],
        SectionPart::Now => &["self", "state", "live", "recent"],
    }
}

/// What templates may name.
pub fn values(self_: &SelfView, state: &MindState, now: Option<(&LiveView, &[RecentAction])>) -> Values {
    let mut values = Values::from([("self", template::value(self_)), ("state", template::value(state))]);
    if let Some((live, recent)) = now {
        values.insert("live", template::value(live));
        values.insert("recent", template::value(recent));
    }
    values
}

/// The template of an agent's own section: what it typed is one line.
fn lines(text: &str) -> String {
    text.replace("\\n", "\n")
}

/// What a mind's own section writes now, as nodes; or why it cannot.
pub fn preview(part: SectionPart, text: &str, state: &MindState) -> Result<Vec<Node>, String> {
    let text = lines(text);
    template::check(&text, names(part))?;
    let (self_, live) = (SelfView::default(), LiveView::default());
    let now = (part == SectionPart::Now).then_some((&live, &[][..]));
    Ok(body(&template::write(&text, &values(&self_, state, now))?))
}

/// All sections of a part, in their order, as far as `room` tokens hold them. `measure` counts the tokens of nodes.
pub fn shown(
    part: SectionPart,
    declared: &[Declared],
    own: &[Section],
    values: &dyn Fn() -> Values,
    room: usize,
    measure: &dyn Fn(&Node) -> usize,
) -> Vec<ShownSection> {
    let declared = declared.iter().filter(|section| section.part == part).map(|section| {
        let origin = Origin::Fields(vec![Source::Setting(SETTING)], 0);
        let Declared { name, when, density, cap, order, text, .. } = section;
        (*order, name, when.as_deref(), *density, *cap, text.clone(), origin)
    });
    let own = own.iter().filter(|section| section.part == part).map(|section| {
        let origin = Origin::Entries(vec![section.id]);
        (0, &section.name, None, usual_density(), SECTION_TOKENS, lines(&section.text), origin)
    });
    let mut all: Vec<_> = declared.chain(own).collect();
    if all.is_empty() {
        return Vec::new();
    }
    all.sort_by_key(|(order, ..)| *order);
    let values = values();
    let (mut left, mut out) = (room, Vec::new());
    for (_, name, when, density, cap, text, origin) in all {
        let written = match when.map_or(Ok(true), |when| template::holds(when, &values)) {
            Ok(false) => continue,
            Ok(true) => template::write(&text, &values),
            Err(why) => Err(why),
        };
        let body = match written {
            Ok(text) => body(&text),
            Err(why) => vec![Node::line(format!("It cannot be shown: {why}."))],
        };
        let node = |body: Vec<Node>| {
            let body = Node::from(origin.clone(), Node::Group(body));
            Node::Group(vec![Node::heading(2, name.clone()), Node::named(name.clone(), Node::Group(vec![body]))])
        };
        if let Some((node, tokens)) = fit(body, cap.min(left), &node, measure) {
            left -= tokens;
            out.push(ShownSection { density, tokens, node });
        }
    }
    out
}

/// What a template wrote, as nodes without headings.
fn body(text: &str) -> Vec<Node> {
    let plain = |node: Node| match node {
        Node::Heading(_, title) => Node::Paragraph(vec![Inline::Strong(title.into_owned())]),
        node => node,
    };
    let is_blank = |node: &Node| node.is_empty() || *node == Node::line("");
    markdown::read(text).into_iter().map(plain).filter(|node| !is_blank(node)).collect()
}

/// The beginning that `room` tokens hold, with a mark where it was cut.
fn fit(
    mut body: Vec<Node>,
    room: usize,
    node: &dyn Fn(Vec<Node>) -> Node,
    measure: &dyn Fn(&Node) -> usize,
) -> Option<(Node, usize)> {
    let mut cut = false;
    while !body.is_empty() {
        let mark = cut.then(|| Node::line("…"));
        let whole = node(body.iter().cloned().chain(mark).collect());
        let tokens = measure(&whole);
        if tokens <= room {
            return Some((whole, tokens));
        }
        cut = true;
        shorten(&mut body);
    }
    None
}

/// Takes away the last row, or the last node.
fn shorten(body: &mut Vec<Node>) {
    match body.last_mut() {
        Some(Node::List { items, .. }) if items.len() > 1 => drop(items.pop()),
        Some(Node::Outline { rows, .. }) if rows.len() > 1 => {
            rows.pop();
            let rows: Vec<(usize, Item)> = std::mem::take(rows);
            body.pop();
            body.push(markdown::outline(rows));
        }
        Some(Node::Prose(text) | Node::Quote(text)) if text.lines().count() > 1 => {
            let lines: Vec<&str> = text.lines().collect();
            *text = lines[..lines.len() - 1].join("\n");
        }
        Some(Node::Fields(fields)) if fields.len() > 1 => drop(fields.pop()),
        _ => drop(body.pop()),
    }
}

/// All of them, as one node.
pub fn node(shown: &[ShownSection]) -> Node {
    sections_node(shown.iter().map(|section| section.node.clone()))
}
