//! The tokens of a Luau source, as far as the rules for scripts look at them: names, operators, and that something is a
//! string or a number. Comments are gone; what stands in braces inside an interpolated string are tokens too.
//!
//! Invariant: whatever the text is, it returns; what is no Luau is the compiler's to say.

/// A token and the line on which it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'s> {
    pub kind: Kind<'s>,
    pub line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind<'s> {
    Name(&'s str),
    String,
    Number(&'s str),
    /// `=` and `==` are two: an operator is as long as Luau has it.
    Operator(&'s str),
}

/// The longest first.
const OPERATORS: [&str; 18] =
    ["...", "..=", "//=", "==", "~=", "<=", ">=", "..", "::", "->", "+=", "-=", "*=", "/=", "%=", "^=", "//", "!="];

pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { source, at: 0, line: 1, braces: Vec::new(), found: Vec::new() };
    lexer.run();
    lexer.found
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    line: u32,
    /// Open braces of each interpolated string that we are inside of.
    braces: Vec<u32>,
    found: Vec<Token<'s>>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Goes on by so many bytes, and counts the lines among them.
    fn skip(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or(self.rest());
        self.line += passed.matches('\n').count() as u32;
        self.at += passed.len().max(1);
    }

    fn push(&mut self, kind: Kind<'s>, bytes: usize) {
        self.found.push(Token { kind, line: self.line });
        self.skip(bytes);
    }

    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let rest = self.rest();
            if first.is_whitespace() {
                self.skip(first.len_utf8());
            } else if let Some(comment) = rest.strip_prefix("--") {
                let long = long_bracket(comment).map(|length| length + 2);
                self.skip(long.unwrap_or_else(|| rest.find('\n').unwrap_or(rest.len())));
            } else if let Some(length) = long_bracket(rest) {
                self.push(Kind::String, length);
            } else if first.is_ascii_alphabetic() || first == '_' {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.push(Kind::Name(&rest[..end]), end);
            } else if first.is_ascii_digit() {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(rest.len());
                self.push(Kind::Number(&rest[..end]), end);
            } else if first == '"' || first == '\'' {
                self.push(Kind::String, quoted(rest, first));
            } else if first == '`' {
                self.found.push(Token { kind: Kind::String, line: self.line });
                self.skip(1);
                self.interpolated();
            } else if first == '}' && self.braces.last() == Some(&0) {
                // The string goes on.
                self.braces.pop();
                self.skip(1);
                self.interpolated();
            } else {
                let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
                let length = operator.map_or(first.len_utf8(), |operator| operator.len());
                match (first, self.braces.last_mut()) {
                    ('{', Some(open)) => *open += 1,
                    ('}', Some(open)) => *open -= 1,
                    _ => {}
                }
                self.push(Kind::Operator(&rest[..length]), length);
            }
        }
    }

    /// Inside an interpolated string: up to its end, or to a brace with an expression in it.
    fn interpolated(&mut self) {
        let mut escaped = false;
        while let Some(c) = self.rest().chars().next() {
            self.skip(c.len_utf8());
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '`' => return,
                '{' => {
                    // A call is what the compiler makes of it: the expression stands in brackets of its own.
                    self.found.push(Token { kind: Kind::Operator(","), line: self.line });
                    self.braces.push(0);
                    return;
                }
                _ => {}
            }
        }
    }
}

/// How long the string is that begins here; a line break ends it too.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// How long the text in long brackets is that begins here: `[[…]]`, `[=[…]=]`.
fn long_bracket(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let level = inner.bytes().take_while(|b| *b == b'=').count();
    inner[level..].starts_with('[').then_some(())?;
    let end = format!("]{}]", "=".repeat(level));
    let begins = level + 2;
    Some(text[begins..].find(&end).map_or(text.len(), |at| begins + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<&str> {
        tokens(source)
            .into_iter()
            .filter_map(|token| match token.kind {
                Kind::Name(name) => Some(name),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn comments_and_strings_hide_what_stands_in_them() {
        assert_eq!(names("a -- b\nc --[[ d\n e ]] f [==[ g ]] h ]==] i 'j \\' k' \"l\" m"), ["a", "c", "f", "i", "m"]);
    }

    #[test]
    fn what_stands_in_braces_of_a_string_is_seen() {
        assert_eq!(names("x = `a {b.c} d {f({g = 1})} \\{h` y"), ["x", "b", "c", "f", "g", "y"]);
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let last = tokens("a\n--[[\n\n]]\n[[\n]] `\n{b}\n` c").pop().expect("there are tokens");
        assert_eq!((last.kind, last.line), (Kind::Name("c"), 8));
    }

    #[test]
    fn nothing_that_is_no_luau_hangs_or_panics() {
        for odd in ["`", "`{", "[==[", "--[[", "'", "\"\\", "}}}", "`{`{`{", "é€", "[=", "\u{0}"] {
            tokens(odd);
        }
    }
}
