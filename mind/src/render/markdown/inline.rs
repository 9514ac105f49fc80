//! Pieces of a line, both ways.
//!
//! Invariant: `read(write(shown(pieces))) == shown(pieces)`. A line gets backslashes only where it would be read as
//! something else, and then before each mark; so ordinary lines are written as they are.

use crate::hud::node::Inline;

/// What texts are escaped from, where they have to be.
const MARKS: [char; 6] = ['\\', '*', '~', '`', '[', ']'];

/// A hard break: two blanks before the line's end.
pub const BREAK: &str = "  \n";

/// What of these pieces is seen: one text where several meet, nothing empty, blanks outside of marks.
pub fn shown(pieces: &[Inline]) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match piece {
            Inline::Text(text) => push_text(&mut out, &one_line(text)),
            Inline::Code(text) => {
                let text = one_line(text).replace('`', "'");
                if !text.is_empty() {
                    out.push(Inline::Code(text));
                }
            }
            Inline::Break => trim_end(&mut out),
            Inline::Strong(text) => push_marked(&mut out, text, Inline::Strong),
            Inline::Em(text) => push_marked(&mut out, text, Inline::Em),
            Inline::Struck(text) => push_marked(&mut out, text, Inline::Struck),
            Inline::Link { text, target } => match target_of(target) {
                target if target.is_empty() => push_text(&mut out, &one_line(text)),
                target if text.trim().is_empty() => push_text(&mut out, &target),
                target => push_marked(&mut out, text, |text| Inline::Link { text, target }),
            },
        }
        if *piece == Inline::Break && !out.is_empty() {
            out.push(Inline::Break);
        }
    }
    trim_end(&mut out);
    out
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Without what would end it.
fn target_of(target: &str) -> String {
    let safe = |c: char| match c {
        '(' => "%28".to_string(),
        ')' => "%29".to_string(),
        c if c.is_whitespace() => "%20".to_string(),
        c => c.to_string(),
    };
    target.trim().chars().map(safe).collect()
}

/// Blanks at the beginning of a line are not seen.
fn push_text(out: &mut Vec<Inline>, text: &str) {
    let text = match out.last() {
        None | Some(Inline::Break) => text.trim_start(),
        _ => text,
    };
    match out.last_mut() {
        _ if text.is_empty() => {}
        Some(Inline::Text(before)) => before.push_str(text),
        _ => out.push(Inline::Text(text.to_string())),
    }
}

fn push_marked(out: &mut Vec<Inline>, text: &str, make: impl FnOnce(String) -> Inline) {
    let text = one_line(text);
    let (inner, begun) = (text.trim(), text.trim_start());
    push_text(out, &text[..text.len() - begun.len()]);
    if !inner.is_empty() {
        out.push(make(inner.to_string()));
        push_text(out, &begun[inner.len()..]);
    }
}

/// Nor are those at its end, nor a break with nothing behind it.
fn trim_end(out: &mut Vec<Inline>) {
    while let Some(last) = out.last_mut() {
        match last {
            Inline::Text(text) => {
                text.truncate(text.trim_end().len());
                if !text.is_empty() {
                    return;
                }
            }
            Inline::Break => {}
            _ => return,
        }
        out.pop();
    }
}

/// Pieces as `shown` gives them, and whether their texts had to be escaped.
pub fn write(pieces: &[Inline]) -> (String, bool) {
    let plain = put(pieces, str::to_string);
    match !plain.contains(MARKS) || read(&plain) == pieces {
        true => (plain, false),
        false => (put(pieces, escaped), true),
    }
}

/// What would begin something else in a line behind a break.
const BEGINNINGS: [char; 9] = ['#', '>', '-', '+', '=', '|', '`', '~', '*'];

fn put(pieces: &[Inline], text_of: fn(&str) -> String) -> String {
    let begins = |n: usize| n > 0 && pieces[n - 1] == Inline::Break;
    let one = |(n, piece): (usize, &Inline)| match piece {
        Inline::Text(text) => match text_of(text) {
            text if begins(n) && text.starts_with(BEGINNINGS) => format!("\\{text}"),
            text => text,
        },
        Inline::Strong(text) => format!("**{}**", text_of(text)),
        Inline::Em(text) => format!("*{}*", text_of(text)),
        Inline::Struck(text) => format!("~~{}~~", text_of(text)),
        Inline::Code(text) => format!("`{text}`"),
        Inline::Link { text, target } => format!("[{}]({target})", text_of(text)),
        Inline::Break => BREAK.to_string(),
    };
    pieces.iter().enumerate().map(one).collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if MARKS.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A line, or several with hard breaks between.
pub fn read(text: &str) -> Vec<Inline> {
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(c) = rest.chars().next() {
        if let Some((piece, after)) = marked(rest) {
            if !plain.is_empty() {
                pieces.push(Inline::Text(std::mem::take(&mut plain)));
            }
            pieces.push(piece);
            rest = after;
            continue;
        }
        let (c, after) = unescaped(c, rest);
        plain.push(c);
        rest = after;
    }
    if !plain.is_empty() {
        pieces.push(Inline::Text(plain));
    }
    pieces
}

/// The first character of a text, or the one that a backslash takes the force from; and what follows.
fn unescaped(first: char, text: &str) -> (char, &str) {
    let after = &text[first.len_utf8()..];
    match after.chars().next() {
        Some(next) if first == '\\' && next.is_ascii_punctuation() => (next, &after[1..]),
        _ => (first, after),
    }
}

fn marked(text: &str) -> Option<(Inline, &str)> {
    if let Some(after) = text.strip_prefix(BREAK) {
        return Some((Inline::Break, after));
    }
    for (mark, make) in [
        ("**", Inline::Strong as fn(String) -> Inline),
        ("~~", Inline::Struck as fn(String) -> Inline),
        ("*", Inline::Em as fn(String) -> Inline),
    ] {
        if let Some((inner, after)) = text.strip_prefix(mark).and_then(|inner| enclosed(inner, mark)) {
            return Some((make(inner), after));
        }
    }
    if let Some((code, after)) = text.strip_prefix('`').and_then(|inner| inner.split_once('`'))
        && !code.is_empty()
        && !code.contains('\n')
    {
        return Some((Inline::Code(code.to_string()), after));
    }
    let (text, after) = enclosed(text.strip_prefix('[')?, "]")?;
    let (target, after) = after.strip_prefix('(')?.split_once(')')?;
    let is_target = !target.is_empty() && !target.contains(|c: char| c.is_whitespace() || c == '(');
    is_target.then(|| (Inline::Link { text, target: target.to_string() }, after))
}

/// What is between here and the mark, which touches it on both sides, and what follows.
fn enclosed<'a>(text: &'a str, mark: &str) -> Option<(String, &'a str)> {
    let (mut inner, mut rest) = (String::new(), text);
    loop {
        let c = rest.chars().next().filter(|c| *c != '\n')?;
        if let Some(after) = rest.strip_prefix(mark) {
            let touches = inner.chars().last().is_some_and(|last| !last.is_whitespace());
            if touches || inner.is_empty() {
                return touches.then_some((inner, after));
            }
        }
        if inner.is_empty() && c.is_whitespace() {
            return None;
        }
        let (c, after) = unescaped(c, rest);
        inner.push(c);
        rest = after;
    }
}
