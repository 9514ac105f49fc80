//! Who the agent is: P1. Texts of kind and permission stand at its head, so that P0 is the same for all.
//!
//! Where it does not fit into its room, its parts yield in the order of `YIELDING`: what happened of late first,
//! warnings last. Invariant: no cut is silent: each is a sentence at the end of P1, and in what `fit` returns.

use super::node::{Item, Node};
use super::text;
use super::view::{Kind, SelfView};
use crate::action::{self, ChannelActions, Offer};
use crate::texts::{Extent, TextName, Texts};
use crate::tokens;
use serde_json::Value;

/// Longest line of a prose text: more than any share holds, so what is cut is cut where it is reported.
const LINE_CHARS: usize = 20_000;

/// What P1 says in our own words of somebody's nature, and of channels.
#[derive(Clone, Copy, Debug)]
pub struct Nature<'a> {
    pub texts: &'a Texts,
    /// How much of the texts that stand inside of others.
    pub extent: Extent,
    /// The server keeps a mind.
    pub mind: bool,
}

/// Whether somebody is told of the two that think in it; the smallest prompts have no room for that.
pub fn has_layers(kind: Kind, extent: Extent) -> bool {
    kind == Kind::Persona && extent == Extent::All
}

impl Nature<'_> {
    /// A line for each thing to say. `called`: the name of the character sheet, where it is another than the world's.
    pub fn text(&self, self_: &SelfView, called: Option<&str>) -> String {
        let Nature { texts, extent, mind } = *self;
        let whole = |text| texts.filled(text, Extent::All, &[]);
        let part = |text| texts.filled(text, extent, &[]);
        let (kind, keys) = match self_.kind {
            Kind::Persona => (TextName::Persona, TextName::KeysPersona),
            Kind::Bot => (TextName::Bot, TextName::KeysBot),
        };
        // Paths lead nowhere where no mind is kept.
        let keys = if mind { part(keys) } else { String::new() };
        let of_kind = [("identity", part(TextName::Identity)), ("keys", keys)];
        let of_kind = of_kind.each_ref().map(|(name, value)| (*name, value.as_str()));
        let name = shown(self_);
        // Two names, each alone, would be two people.
        let both =
            called.map(|called| texts.filled(TextName::TwoNames, Extent::All, &[("called", called), ("name", &name)]));
        let lines = [
            both.unwrap_or_default(),
            texts.filled(kind, Extent::All, &of_kind),
            if has_layers(self_.kind, extent) { whole(TextName::Layers) } else { String::new() },
            if self_.has_record { whole(TextName::Record) } else { String::new() },
            if self_.may_create_agents { whole(TextName::Manager) } else { String::new() },
            if self_.channels { part(TextName::Channels) } else { String::new() },
            if self_.channels { part(TextName::OwnChannel) } else { String::new() },
            if mind { String::new() } else { whole(TextName::Mindless) },
        ];
        lines.iter().filter(|line| !line.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// What is done in channels, and with which fields; empty where the server has none.
    pub fn channel_actions(&self, self_: &SelfView) -> String {
        if !self_.channels {
            return String::new();
        }
        let (has_record, makes_agents) = (self_.has_record, self_.may_create_agents);
        let offer = Offer { channels: true, has_record, makes_agents, ..Offer::default() };
        let ChannelActions { free, of_agents } = action::of_channels(&offer);
        let actions = [("actions", free.trim_end()), ("agent_actions", of_agents.trim_end())];
        self.texts.filled(TextName::ChannelActions, Extent::All, &actions)
    }

    /// How arts are used, and with which fields; empty for who has none.
    pub fn art_actions(&self, self_: &SelfView) -> String {
        if self_.arts.rows.is_empty() {
            return String::new();
        }
        let actions = action::of_arts();
        self.texts.filled(TextName::ArtActions, Extent::All, &[("actions", actions.trim_end())])
    }

    /// Tokens that P1 has more because of channels.
    pub fn channel_tokens(&self, self_: &SelfView) -> usize {
        if !self_.channels {
            return 0;
        }
        let without = SelfView { channels: false, ..self_.clone() };
        let nature = |self_: &SelfView| tokens::count(&self.text(self_, None));
        nature(self_).saturating_sub(nature(&without)) + tokens::count(&self.channel_actions(self_))
    }
}

fn prose(text: &str) -> String {
    text::lines(text, LINE_CHARS).join("\n")
}

/// The name that a character sheet gives in its heading, up to a comma, where the world has another one for it.
pub fn own_name(persona: &str, name: &str) -> Option<String> {
    let heading = persona.lines().map(str::trim).find(|line| !line.is_empty())?.strip_prefix("# ")?;
    let own = text::line(heading.split(',').next()?.trim(), 50);
    let is_part = own.eq_ignore_ascii_case(name)
        || own.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(name));
    (!own.is_empty() && !name.is_empty() && !is_part).then_some(own)
}

/// The name by which others know it: what it chose, else its own.
fn shown(self_: &SelfView) -> String {
    text::line(if self_.shown_as.is_empty() { &self_.name } else { &self_.shown_as }, 50)
}

/// The section, with what was cut.
pub fn node(self_: &SelfView, nature: &Nature, cuts: &[String]) -> Node {
    let under = |title: &'static str, key: &'static str, node: Node| match node.is_empty() {
        true => Node::Nothing,
        false => Node::Group(vec![Node::heading(2, title), Node::named(key, node)]),
    };
    let name = shown(self_);
    let called = own_name(&self_.persona, &name);
    let known = [
        ("name", Value::String(if called.is_some() { String::new() } else { name.clone() })),
        ("class", Value::String(text::line(&self_.class, 30))),
        ("race", Value::String(text::line(&self_.race, 30))),
        ("level", self_.level.into()),
    ];
    let known = known.into_iter().filter(|(_, value)| value.as_str() != Some("") && *value != 0);
    let guidelines = self_
        .guidelines
        .iter()
        .map(|guideline| Item::text(text::line(guideline, 400)))
        .filter(|item| !item.plain().is_empty())
        .collect();
    let body = Node::Group(vec![
        Node::fields(known),
        Node::named("nature", Node::Prose(nature.text(self_, called.as_deref()))),
        Node::named("channel_actions", Node::Prose(nature.channel_actions(self_))),
        under("Your arts", "art_actions", Node::Prose(nature.art_actions(self_))),
        super::arts::node(&self_.arts),
        under("From the one who runs you", "operator", Node::Prose(prose(&self_.operator_prompt))),
        under("Your character", "persona", Node::Prose(prose(&self_.persona))),
        under("Your own guidelines", "guidelines", Node::List { ordered: false, items: guidelines }),
        under("What you remember of late", "memory_bootstrap", Node::Quote(prose(&self_.memory_bootstrap))),
        under("What you remember of old", "memory_summary", Node::Quote(prose(&self_.memory_summary))),
        Node::named("left_out", Node::Data(cuts.iter().map(|cut| Value::from(&**cut)).collect::<Vec<_>>().into())),
    ]);
    Node::Group(vec![Node::heading(1, "You"), Node::named("self", body)])
}

/// A part of P1 that can be made shorter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Yielding {
    History,
    Summary,
    Knowledge,
    Persona,
    Guidelines,
    Operator,
    Goals,
    Warnings,
}

/// Who yields first.
const YIELDING: [Yielding; 8] = [
    Yielding::History,
    Yielding::Summary,
    Yielding::Knowledge,
    Yielding::Persona,
    Yielding::Guidelines,
    Yielding::Operator,
    Yielding::Goals,
    Yielding::Warnings,
];

/// The headings of a `memory_bootstrap` (docs/PROTOCOL.md, *Memory*), in its order. Lines above them are history.
const HEADINGS: [(&str, Yielding); 4] = [
    ("CHARACTER HISTORY", Yielding::History),
    ("WORLD KNOWLEDGE", Yielding::Knowledge),
    ("ACTIVE WARNINGS", Yielding::Warnings),
    ("CURRENT GOALS", Yielding::Goals),
];

/// The texts of P1, with the lines of the bootstrap under their headings.
#[derive(Clone, Debug)]
struct Sheet {
    self_: SelfView,
    /// In the order of `HEADINGS`: lines left, and how many there were.
    memories: [(Vec<String>, usize); 4],
    /// Tokens of summary, persona and operator's prompt as they came.
    had: [usize; 3],
    guidelines_had: usize,
}

impl Sheet {
    fn of(self_: &SelfView) -> Sheet {
        let mut memories: [Vec<String>; 4] = Default::default();
        let mut under = 0;
        for line in text::lines(&self_.memory_bootstrap, LINE_CHARS) {
            match HEADINGS.iter().position(|(heading, _)| *heading == line) {
                Some(heading) => under = heading,
                None => memories[under].push(line),
            }
        }
        let self_ = SelfView {
            operator_prompt: prose(&self_.operator_prompt),
            persona: prose(&self_.persona),
            memory_summary: unsaid(&prose(&self_.memory_summary), &memories.concat()),
            ..self_.clone()
        };
        let had = [&self_.memory_summary, &self_.persona, &self_.operator_prompt].map(|text| tokens::count(text));
        let guidelines_had = self_.guidelines.len();
        let memories = memories.map(|lines| {
            let count = lines.len();
            (lines, count)
        });
        Sheet { self_, memories, had, guidelines_had }
    }

    /// Makes a part shorter by about `excess` tokens, or empty.
    fn shorten(&mut self, part: Yielding, excess: usize) {
        if excess == 0 {
            return;
        }
        let shorter = |text: &str| tokens::count(text).saturating_sub(excess);
        match part {
            Yielding::Summary => {
                self.self_.memory_summary =
                    last_tokens(&self.self_.memory_summary, shorter(&self.self_.memory_summary));
            }
            Yielding::Persona => self.self_.persona = first_tokens(&self.self_.persona, shorter(&self.self_.persona)),
            Yielding::Operator => {
                let prompt = &mut self.self_.operator_prompt;
                *prompt = first_tokens(prompt, shorter(prompt));
            }
            Yielding::Guidelines => take_lines(&mut self.self_.guidelines, excess, true),
            Yielding::History | Yielding::Knowledge | Yielding::Warnings | Yielding::Goals => {
                let lines = HEADINGS.iter().position(|(_, other)| *other == part).map(|n| &mut self.memories[n].0);
                // Goals come most urgent first; of all else the newest, at the end, matters most.
                take_lines(lines.expect("it has a heading"), excess, part != Yielding::Goals);
            }
        }
    }

    fn shown(&self) -> SelfView {
        let mut block = Vec::new();
        for ((heading, part), (lines, _)) in HEADINGS.iter().zip(&self.memories) {
            // A bootstrap without headings is shown without them.
            let is_bare = *part == Yielding::History && !self.self_.memory_bootstrap.contains(heading);
            if !lines.is_empty() && !is_bare {
                block.push(*heading);
            }
            block.extend(lines.iter().map(|line| &**line));
        }
        SelfView { memory_bootstrap: block.join("\n"), ..self.self_.clone() }
    }

    /// What is missing, one sentence each.
    fn cuts(&self) -> Vec<String> {
        let mut cuts = Vec::new();
        let words = ["of what happened", "of world knowledge", "of warnings", "of goals"];
        for ((lines, had), what) in self.memories.iter().zip(words) {
            let missing = had - lines.len();
            if missing > 0 {
                let lines = if missing == 1 { "line" } else { "lines" };
                let find = match what {
                    "of goals" => "hud shows them",
                    "of warnings" => "recall warnings",
                    "of world knowledge" => "recall knowledge",
                    _ => "recall finds what you ask for",
                };
                cuts.push(format!("{missing} more {lines} {what}: {find}."));
            }
        }
        let texts = [
            ("memory summary", &self.self_.memory_summary),
            ("persona", &self.self_.persona),
            ("operator's prompt", &self.self_.operator_prompt),
        ];
        for ((what, text), had) in texts.into_iter().zip(self.had) {
            let left = tokens::count(text);
            if left < had {
                cuts.push(format!("The {what} was cut from {had} to {left} tokens."));
            }
        }
        let missing = self.guidelines_had - self.self_.guidelines.len();
        if missing > 0 {
            cuts.push(format!("{missing} of {} guidelines.", self.guidelines_had));
        }
        cuts
    }
}

/// A story without what newer memories say in the same words, and without headings that nothing stands under then.
fn unsaid(story: &str, memories: &[String]) -> String {
    let is_said = |line: &str| {
        let Some(said) = line.strip_prefix("- ") else { return false };
        let said = ["Best: ", "Worst: "].iter().find_map(|mark| said.strip_prefix(mark)).unwrap_or(said);
        memories.iter().any(|memory| memory.contains(said))
    };
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let mut kept: Vec<&str> = Vec::new();
    // From the end, a heading needs something before the next one that is not below it.
    let mut has_text = [false; 8];
    for line in story.lines().rev().filter(|line| !is_said(line)) {
        match level(line) {
            0 if line.trim().is_empty() => {}
            0 => has_text = [true; 8],
            level => {
                let level = level.min(7);
                if !has_text[level] {
                    continue;
                }
                has_text[level..].fill(false);
            }
        }
        kept.push(line);
    }
    kept.reverse();
    kept.join("\n").trim().to_string()
}

/// Drops lines of at least `excess` tokens together: the first ones, or the last ones.
fn take_lines(lines: &mut Vec<String>, excess: usize, first: bool) {
    let mut taken = 0;
    let mut enough = |line: &String| {
        let before = taken;
        taken += tokens::count(line);
        before < excess
    };
    let count = match first {
        true => lines.iter().take_while(|line| enough(line)).count(),
        false => lines.iter().rev().take_while(|line| enough(line)).count(),
    };
    if first {
        lines.drain(..count);
    } else {
        lines.truncate(lines.len() - count);
    }
}

/// The section in no more than `room` tokens as `measure` finds them, and what was cut for that, one sentence each.
/// `summary_room`: the most tokens of the summary.
pub fn fit(
    self_: &SelfView,
    nature: &Nature,
    room: usize,
    summary_room: usize,
    measure: &dyn Fn(&Node) -> usize,
) -> (Node, Vec<String>) {
    let mut sheet = Sheet::of(self_);
    sheet.shorten(Yielding::Summary, sheet.had[0].saturating_sub(summary_room));
    let made = |sheet: &Sheet| {
        let cuts = sheet.cuts();
        (node(&sheet.shown(), nature, &cuts), cuts)
    };
    for part in YIELDING {
        // A second time takes what the first left because quoting, and telling of the cuts, had added to it.
        for slack in [4, 24, 64] {
            let excess = measure(&made(&sheet).0).saturating_sub(room);
            if excess == 0 {
                return made(&sheet);
            }
            sheet.shorten(part, excess + slack);
        }
    }
    let (node_, cuts) = made(&sheet);
    // What tells of the cuts is the last that goes: the client's log has it.
    if measure(&node_) <= room { (node_, cuts) } else { (node(&sheet.shown(), nature, &[]), cuts) }
}

/// The beginning of a text: whole words, at most `keep` tokens, `…` where it was cut. A script without spaces is cut
/// between characters.
fn first_tokens(text: &str, keep: usize) -> String {
    let cut = |ends: Vec<usize>| {
        let taken = longest(ends.len(), |n| tokens::count(&text[..ends[n]]) < keep);
        taken.map(|n| format!("{}…", &text[..ends[n]])).filter(|cut| tokens::count(cut) <= keep)
    };
    let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    cut(spaces).or_else(|| cut(text.char_indices().skip(1).map(|(at, _)| at).collect())).unwrap_or_default()
}

/// The end of a text, as `first_tokens`.
fn last_tokens(text: &str, keep: usize) -> String {
    let cut = |starts: Vec<usize>| {
        let taken = longest(starts.len(), |n| tokens::count(&text[starts[n]..]) < keep);
        taken.map(|n| format!("…{}", &text[starts[n]..])).filter(|cut| tokens::count(cut) <= keep)
    };
    let ends = || text.char_indices().rev().map(|(at, c)| (at + c.len_utf8(), c));
    let spaces = ends().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at).collect();
    cut(spaces).or_else(|| cut(ends().map(|(at, _)| at).filter(|at| *at < text.len()).collect())).unwrap_or_default()
}

/// The greatest of `0..count` that fits, where what fits is a beginning of them.
fn longest(count: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut least, mut most) = (0, count);
    while least < most {
        let middle = (least + most) / 2;
        if fits(middle) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_does_not_say_again_what_newer_memories_say() {
        let story = "## Memory\n\n### Session 1\n\n- Best: At the Butts: killed a straw man (noteworthy).\n\
                     - Killed a gull at the Midden.\n\n### Session 2\n\n- Killed a raven (noteworthy).\n\n\
                     ### Relationships\n\n- a gull — prey";
        let memory_bootstrap = "CHARACTER HISTORY\nNov 20, 2026: At the Butts: killed a straw man (noteworthy).\n\
                                Nov 21, 2026: Killed a raven (noteworthy).";
        let self_ =
            SelfView { memory_summary: story.into(), memory_bootstrap: memory_bootstrap.into(), ..SelfView::default() };
        let shown = Sheet::of(&self_).shown();
        assert_eq!(
            shown.memory_summary,
            "## Memory\n### Session 1\n- Killed a gull at the Midden.\n### Relationships\n- a gull — prey"
        );
        assert_eq!(shown.memory_bootstrap, memory_bootstrap);
        assert_eq!(unsaid(story.trim(), &[]), story, "nothing else is changed");
    }

    #[test]
    fn who_has_two_names_reads_so_once_and_neither_alone() {
        let shown = |persona: &str, name: &str| {
            let self_ = SelfView { name: name.into(), persona: persona.into(), level: 3, ..SelfView::default() };
            let nature = Nature { texts: &Texts::default(), extent: Extent::All, mind: true };
            node(&self_, &nature, &[]).to_value()["self"].clone()
        };
        let sheet = "# Ottoline Vane, who used to keep ledgers\n\nYou are Ottoline Vane, for eleven years under-clerk.";
        let two = shown(sheet, "Wren");
        assert_eq!(two.to_string().matches("Wren").count(), 1, "{two}");
        let nature = two["nature"].as_str().expect("a text");
        assert!(nature.starts_with("You are Ottoline Vane; the world calls you Wren.\nYou are a person"), "{two}");
        assert_eq!(two.get("name"), None, "{two}");
        for (persona, name) in [(sheet, "Ottoline"), (sheet, "vane"), ("No heading, no name.", "Wren"), ("", "Wren")] {
            let one = shown(persona, name);
            assert!(one["name"] == name && !one.to_string().contains("the world calls you"), "{one}");
        }
        // Shown by the name of its sheet, it has one.
        let self_ = SelfView {
            name: "Wren".into(),
            shown_as: "Ottoline Vane".into(),
            persona: sheet.into(),
            ..SelfView::default()
        };
        let nature = Nature { texts: &Texts::default(), extent: Extent::All, mind: true };
        let one = node(&self_, &nature, &[]).to_value()["self"].clone();
        assert!(one["name"] == "Ottoline Vane" && !one.to_string().contains("Wren"), "{one}");
        // Shown by yet another one, by which nobody calls it Wren.
        let self_ = SelfView { shown_as: "Lorcan the Grey".into(), ..self_ };
        let other = node(&self_, &nature, &[]).to_value()["self"]["nature"].to_string();
        assert!(other.contains("You are Ottoline Vane; the world calls you Lorcan the Grey."), "{other}");
        assert!(!other.contains("Wren"), "{other}");
    }

    #[test]
    fn a_text_is_cut_between_words() {
        let text = "one two three four five six seven eight nine ten";
        for keep in 0..12 {
            let (first, last) = (first_tokens(text, keep), last_tokens(text, keep));
            assert!(tokens::count(&first) <= keep && tokens::count(&last) <= keep, "{keep}: {first} {last}");
            let start = first.trim_end_matches('…');
            assert!(text.starts_with(start), "{first}");
            assert!(keep < 4 || text[start.len()..].starts_with(' '), "{keep}: {first}");
            assert!(text.ends_with(last.trim_start_matches('…')));
        }
        let long = "渡し守は川を離れた".repeat(50);
        assert!(first_tokens(&long, 40).starts_with("渡し守は") && tokens::count(&first_tokens(&long, 40)) > 30);
        assert!(last_tokens(&long, 40).ends_with("離れた") && tokens::count(&last_tokens(&long, 40)) <= 40);
    }
}
