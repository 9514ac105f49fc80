//! Our own sentences in a prompt: the files of `data/prompts`, compiled in, or those of an operator's folder in their
//! place.
//!
//! A word in braces is a placeholder: `{time}`. `FILES` says which each file may have, and what stands in braces and is
//! none of these is a problem with file and line. So is a control character: the texts are trusted, and still no more
//! than text. A line of nothing but placeholders that stand for nothing is left out. Where a prompt is small, a file
//! that has a place inside of another one gives its first line (`Extent::First`): so that comes first which nobody can
//! do without.
//!
//! What is said of types of actions and of verbs is not here but in their tables, since it has to agree with what is
//! read; reports of facts (what was cut, how full a prompt is) stand where the numbers are made.
//!
//! Invariant: no value is read for placeholders again, so nothing of others can name one.

use std::collections::BTreeMap;
use std::fmt;

/// How the name of a file ends.
pub const EXTENSION: &str = ".md";

/// One of the texts, in the order of `FILES`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextName {
    Rules,
    RulesSmall,
    Once,
    AnswerJson,
    AnswerToon,
    EmptyAnswer,
    EmptyAnswerFull,
    Time,
    Memory,
    Patterns,
    Silence,
    Topics,
    Collaboration,
    Persona,
    Bot,
    Identity,
    KeysPersona,
    KeysBot,
    Layers,
    Manager,
    Record,
    Mindless,
    TwoNames,
    Channels,
    OwnChannel,
    ChannelActions,
    ArtActions,
    NothingWritten,
    QuestionJson,
    QuestionToon,
    NearlyFull,
    DocumentDirectives,
    DocumentAnswer,
    DocumentAnswerToon,
    FoldWords,
}

/// Which part of a prompt a text stands in: what pays for it, and when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// P0, at every call and for all agents alike: read from the cache.
    Rules,
    /// The head of P1: of a kind, a permission, a server.
    Self_,
    /// P2.
    Snapshot,
    /// P4, which no cache holds.
    Present,
    /// The layout `document`, which is one part.
    Document,
    /// A question of its own, beside those for decisions.
    Beside,
}

impl Place {
    pub const fn name(self) -> &'static str {
        match self {
            Place::Rules => "P0",
            Place::Self_ => "P1",
            Place::Snapshot => "P2",
            Place::Present => "P4",
            Place::Document => "document",
            Place::Beside => "beside",
        }
    }
}

/// A file of texts.
#[derive(Debug)]
pub struct TextFile {
    pub text: TextName,
    /// Without its extension.
    pub name: &'static str,
    pub default: &'static str,
    pub place: Place,
    /// What may stand in braces.
    pub placeholders: &'static [&'static str],
    /// Which of these must.
    pub needed: &'static [&'static str],
    /// Who reads it, and when.
    pub doc: &'static str,
}

/// What the rules may have: how to answer and with what, and the sections that are the same for all kinds.
const OF_RULES: &[&str] =
    &["once", "answer", "empty_answer", "vocabulary", "time", "memory", "silence", "topics", "collaboration"];
const OF_RULES_NEEDED: &[&str] = &["answer", "vocabulary"];
const OF_KINDS: &[&str] = &["identity", "keys"];
const NONE: &[&str] = &[];

macro_rules! file {
    ($text:ident, $name:literal, $place:ident, $placeholders:expr, $needed:expr, $doc:literal) => {
        TextFile {
            text: TextName::$text,
            name: $name,
            default: include_str!(concat!("../../data/prompts/", $name, ".md")),
            place: Place::$place,
            placeholders: $placeholders,
            needed: $needed,
            doc: $doc,
        }
    };
}

/// All files, in the order in which a prompt has them.
#[rustfmt::skip]
pub const FILES: &[TextFile] = &[
    file!(Rules, "rules", Rules, OF_RULES, OF_RULES_NEEDED, "the rules of all tiers but `small`"),
    file!(RulesSmall, "rules_small", Rules, OF_RULES, OF_RULES_NEEDED, "the rules of the tier `small`"),
    file!(Once, "once", Rules, NONE, NONE, "`{once}`: for the tier `medium`, what the transcript tells once"),
    file!(AnswerJson, "answer_json", Rules, NONE, NONE, "`{answer}`, where answers are asked for in JSON"),
    file!(AnswerToon, "answer_toon", Rules, NONE, NONE, "`{answer}`, where answers are asked for in TOON"),
    file!(EmptyAnswer, "empty_answer", Rules, NONE, NONE, "`{empty_answer}`: what an answer without actions comes to"),
    file!(EmptyAnswerFull, "empty_answer_full", Rules, NONE, NONE, "the same with the autopilot `full`"),
    file!(Time, "time", Rules, NONE, NONE, "`{time}`: that the world goes on between two questions"),
    file!(Memory, "memory", Rules, &["patterns"], NONE, "`{memory}`: what lasts, and how to write it down"),
    file!(Patterns, "patterns", Rules, NONE, NONE, "`{patterns}`: paths that facts are kept under"),
    file!(Silence, "silence", Rules, NONE, NONE, "`{silence}`: when to speak and when not"),
    file!(Topics, "topics", Rules, NONE, NONE, "`{topics}`: what to speak of"),
    file!(Collaboration, "collaboration", Rules, NONE, NONE, "`{collaboration}`: how to live with others"),
    file!(Persona, "persona", Self_, OF_KINDS, NONE, "what a persona is"),
    file!(Bot, "bot", Self_, OF_KINDS, NONE, "what a bot is"),
    file!(Identity, "identity", Self_, NONE, NONE, "`{identity}`: how somebody becomes who they are"),
    file!(KeysPersona, "keys_persona", Self_, NONE, NONE, "`{keys}` of a persona: its trees `ai.*` and `character.*`, \
        where a server keeps its mind"),
    file!(KeysBot, "keys_bot", Self_, NONE, NONE, "`{keys}` of a bot: its trees `task.*`, `config.*` and `notes.*`"),
    file!(Layers, "layers", Self_, NONE, NONE, "what a persona is told of the two that think in it"),
    file!(Manager, "manager", Self_, NONE, NONE, "who may make other agents"),
    file!(Record, "record", Self_, NONE, NONE, "of whom the server keeps a record"),
    file!(Mindless, "mindless", Self_, NONE, NONE, "whose server keeps no mind for it"),
    file!(TwoNames, "two_names", Self_, &["called", "name"], &["called", "name"], "whose character sheet has another \
        name than the world"),
    file!(Channels, "channels", Self_, NONE, NONE, "whose server has channels"),
    file!(OwnChannel, "own_channel", Self_, NONE, NONE, "the same, of the channel that is its own"),
    file!(ChannelActions, "channel_actions", Self_, &["actions", "agent_actions"], &["actions", "agent_actions"],
        "the same, around the tables of what is done there, and of what is done to agents by who may make them"),
    file!(ArtActions, "art_actions", Self_, &["actions"], &["actions"],
        "who knows arts, above the table of them: around the table of the actions that use them"),
    file!(NothingWritten, "nothing_written", Snapshot, NONE, NONE, "whose workspace and core memory are empty"),
    file!(QuestionJson, "question_json", Present, NONE, NONE, "the last line, where JSON is asked for"),
    file!(QuestionToon, "question_toon", Present, NONE, NONE, "the last line, where TOON is asked for"),
    file!(NearlyFull, "nearly_full", Present, NONE, NONE, "a warning, where a prompt is nearly full"),
    file!(DocumentDirectives, "document_directives", Document, NONE, NONE, "`system.directives` of the layout `document`"),
    file!(DocumentAnswer, "document_answer", Document, NONE, NONE, "how to answer there, in JSON: its first line is \
        the description, what is below the instructions"),
    file!(DocumentAnswerToon, "document_answer_toon", Document, NONE, NONE, "the same in TOON"),
    file!(FoldWords, "fold_words", Beside, NONE, NONE, "how to say the story of a fold in other words (`fold_words`)"),
];

impl TextName {
    pub fn file(self) -> &'static TextFile {
        &FILES[self as usize]
    }
}

impl TextFile {
    /// `rules.md`.
    pub fn file_name(&self) -> String {
        format!("{}{EXTENSION}", self.name)
    }
}

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TextProblem {
    /// Its name in the folder.
    pub file: String,
    /// From 1; 0 where it is no line's fault.
    pub line: usize,
    pub what: String,
}

impl fmt::Display for TextProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what),
            line => write!(f, "{}:{line}: {}", self.file, self.what),
        }
    }
}

/// How much of a file is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    All,
    /// Its first line.
    First,
}

/// Characters of a line that stands in no text but its own.
const TELLING_CHARS: usize = 20;

/// All texts. The default ones are those that are compiled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texts {
    /// In the order of `FILES`, without line breaks at their ends.
    texts: Vec<String>,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { texts: FILES.iter().map(|file| trimmed(file.default)).collect() }
    }
}

/// A file that holds nothing but empty lines says nothing.
fn trimmed(text: &str) -> String {
    text.trim_end_matches('\n').to_string()
}

impl Texts {
    /// Of the texts of a folder by the names of its files, all of them. Names that are no text's are not looked at.
    /// Errors: all problems, in the order of `FILES`.
    pub fn read(files: &BTreeMap<String, String>) -> Result<Texts, Vec<TextProblem>> {
        let (mut texts, mut problems) = (Vec::new(), Vec::new());
        for file in FILES {
            match files.get(&file.file_name()) {
                Some(text) => {
                    problems.extend(problems_of(file, text));
                    texts.push(trimmed(text));
                }
                None => {
                    let what = "the folder lacks it; `dp-agent prompts export` makes a whole one".to_string();
                    problems.push(TextProblem { file: file.file_name(), line: 0, what });
                }
            }
        }
        if problems.is_empty() { Ok(Texts { texts }) } else { Err(problems) }
    }

    /// As it is written, with its placeholders.
    pub fn raw(&self, text: TextName) -> &str {
        &self.texts[text as usize]
    }

    /// Which of the texts a line of a prompt is of: the first that has it as it is, else one that has placeholders in
    /// it, else those of which lines stand in it.
    pub fn files_of(&self, line: &str) -> Vec<TextName> {
        let line = line.trim();
        let all = || FILES.iter().flat_map(|file| self.raw(file.text).lines().map(move |raw| (file.text, raw.trim())));
        let frames = |raw: &str| {
            let pieces = pieces(raw);
            let plain = pieces.iter().filter_map(|piece| match piece {
                Piece::Plain(plain) => Some(*plain),
                Piece::Placeholder(_) => None,
            });
            let plain: Vec<&str> = plain.collect();
            let (first, last) = (plain.first().copied().unwrap_or(""), plain.last().copied().unwrap_or(""));
            let says = plain.len() > 1 && plain.iter().any(|plain| plain.len() > TELLING_CHARS / 10);
            says && line.starts_with(first) && line.ends_with(last)
        };
        let is_it = |(_, raw): &(TextName, &str)| *raw == line;
        if let Some((text, _)) = all().find(is_it).or_else(|| all().find(|(_, raw)| frames(raw))) {
            return vec![text];
        }
        // A text of several lines may stand in one line of data.
        let line = line.replace("\\\"", "\"");
        let mut files: Vec<TextName> =
            all().filter(|(_, raw)| raw.len() > TELLING_CHARS && line.contains(raw)).map(|(text, _)| text).collect();
        files.dedup();
        files
    }

    /// The text with its placeholders filled; a value that is not given is empty. It ends without a line break.
    pub fn filled(&self, text: TextName, extent: Extent, values: &[(&str, &str)]) -> String {
        let text = self.raw(text);
        let text = match extent {
            Extent::All => text,
            Extent::First => text.lines().next().unwrap_or_default(),
        };
        fill(text, values)
    }
}

/// A piece of a line.
enum Piece<'a> {
    Plain(&'a str),
    Placeholder(&'a str),
}

const fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A placeholder is a word in braces. Whatever else stands in braces, such as `{"a":1}` and `{name,level}`, is text.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(open) = line[at..].find('{').map(|found| at + found) {
        let rest = &line[open + 1..];
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        at = open + 1;
        if !name.is_empty() && rest[name.len()..].starts_with('}') {
            pieces.push(Piece::Plain(&line[plain..open]));
            pieces.push(Piece::Placeholder(name));
            at = open + name.len() + 2;
            plain = at;
        }
    }
    pieces.push(Piece::Plain(&line[plain..]));
    pieces
}

fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let (mut filled, mut has_placeholder) = (String::new(), false);
        for piece in pieces(line) {
            match piece {
                Piece::Plain(plain) => filled.push_str(plain),
                Piece::Placeholder(name) => {
                    has_placeholder = true;
                    filled.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
                }
            }
        }
        if !(has_placeholder && filled.trim().is_empty()) {
            lines.push(filled);
        }
    }
    lines.join("\n")
}

fn problems_of(file: &TextFile, text: &str) -> Vec<TextProblem> {
    let mut problems = Vec::new();
    let mut problem = |line: usize, what: String| {
        problems.push(TextProblem { file: file.file_name(), line, what });
    };
    let all = || file.placeholders.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ");
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Some(odd) = line.chars().find(|c| c.is_control() || *c == '\u{feff}') {
            problem(number, control_character(odd));
        }
        for piece in pieces(line) {
            match piece {
                Piece::Placeholder(name) if file.placeholders.contains(&name) => found.push(name),
                Piece::Placeholder(name) if file.placeholders.is_empty() => {
                    problem(number, format!("there is no placeholder {{{name}}} here, nor any other"));
                }
                Piece::Placeholder(name) => {
                    problem(number, format!("there is no placeholder {{{name}}} here, only {}", all()));
                }
                Piece::Plain(plain) => {
                    let broken = plain.split('{').skip(1).find_map(|rest| mistyped(file, rest));
                    if let Some(name) = broken {
                        problem(number, format!("`{{{name}` is no placeholder: write {{{name}}}, without blanks"));
                    }
                }
            }
        }
    }
    for needed in file.needed.iter().filter(|needed| !found.contains(needed)) {
        problem(0, format!("it must have the placeholder {{{needed}}}"));
    }
    problems
}

/// The placeholder that was meant by what stands behind a brace, if it is written almost like one.
fn mistyped(file: &TextFile, rest: &str) -> Option<&'static str> {
    let word = rest.trim_start();
    let name = &word[..word.find(|c| !is_name(c)).unwrap_or(word.len())];
    let closes = || word[name.len()..].trim_start();
    let is_open = closes().is_empty() || closes().starts_with('}') || word[name.len()..].starts_with(' ');
    file.placeholders.iter().find(|known| **known == name && is_open).copied()
}

fn control_character(c: char) -> String {
    match c {
        '\t' => "a tab: write blanks".to_string(),
        '\r' => "a carriage return: end lines with a line feed alone".to_string(),
        '\u{feff}' => "a byte order mark: save the file without one".to_string(),
        c => format!("the control character U+{:04X}: a text has none", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> BTreeMap<String, String> {
        FILES.iter().map(|file| (file.file_name(), file.default.to_string())).collect()
    }

    /// The problems of the shipped folder with one other file, as they are printed.
    fn problems_with(name: &str, text: &str) -> Vec<String> {
        let mut files = shipped();
        files.insert(name.to_string(), text.to_string());
        Texts::read(&files).err().into_iter().flatten().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn the_shipped_texts_are_right_and_in_order() {
        assert_eq!(Texts::read(&shipped()), Ok(Texts::default()));
        for (n, file) in FILES.iter().enumerate() {
            assert_eq!(file.text as usize, n, "{}", file.name);
            assert!(file.needed.iter().all(|needed| file.placeholders.contains(needed)), "{}", file.name);
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_file_and_line() {
        let many = "one {ance}\ntwo {answer} {vocabulary}\nthree {once\nfour { once }\n{A}";
        let all =
            "{once}, {answer}, {empty_answer}, {vocabulary}, {time}, {memory}, {silence}, {topics}, {collaboration}";
        assert_eq!(
            problems_with("rules.md", many),
            [
                format!("rules.md:1: there is no placeholder {{ance}} here, only {all}"),
                "rules.md:3: `{once` is no placeholder: write {once}, without blanks".to_string(),
                "rules.md:4: `{once` is no placeholder: write {once}, without blanks".to_string(),
                format!("rules.md:5: there is no placeholder {{A}} here, only {all}"),
            ]
        );
        for (name, text, wanted) in [
            ("time.md", "{time}", "time.md:1: there is no placeholder {time} here, nor any other"),
            ("time.md", "a\r\nb", "time.md:1: a carriage return: end lines with a line feed alone"),
            ("time.md", "a\nb\tc", "time.md:2: a tab: write blanks"),
            ("bot.md", "a\n\u{1b}[2J", "bot.md:2: the control character U+001B: a text has none"),
            ("bot.md", "\u{feff}a", "bot.md:1: a byte order mark: save the file without one"),
            ("two_names.md", "You are {called}.", "two_names.md: it must have the placeholder {name}"),
        ] {
            assert_eq!(problems_with(name, text), [wanted], "{text:?}");
        }
        for (name, text) in [("bot.md", ""), ("bot.md", "{\"a\":{}} mobs[2]{target,name}: {}"), ("notes.txt", "\u{7}")]
        {
            assert_eq!(problems_with(name, text), Vec::<String>::new(), "{text:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let mut files = shipped();
        files.remove("silence.md");
        let problems = Texts::read(&files).expect_err("one is missing");
        let wanted = "silence.md: the folder lacks it; `dp-agent prompts export` makes a whole one";
        assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), [wanted]);
    }

    #[test]
    fn placeholders_are_filled_once_and_lines_of_nothing_go() {
        let values = [("a", "one\ntwo {b}"), ("b", "")];
        for (text, wanted) in [
            ("{a} {\"b\":1} {b,c}", "one\ntwo {b} {\"b\":1} {b,c}"),
            ("x\n{b}\ny", "x\ny"),
            ("x\n\ny {b}.", "x\n\ny ."),
            ("{{a}}", "{one\ntwo {b}}"),
            ("{a", "{a"),
        ] {
            assert_eq!(fill(text, &values), wanted, "{text}");
        }
        let texts = Texts::default();
        let all = texts.filled(TextName::Time, Extent::All, &[]);
        let first = texts.filled(TextName::Time, Extent::First, &[]);
        assert!(all.starts_with(&first) && all.lines().count() > 1 && !first.contains('\n'));
        let named = [("called", "{name}"), ("name", "Wren")];
        let both = texts.filled(TextName::TwoNames, Extent::All, &named);
        assert_eq!(both, "You are {name}; the world calls you Wren.", "no name is read for placeholders");
    }
}
