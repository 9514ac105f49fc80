//! Words and signs of Rust source, with their lines: as much of a lexer as it takes to see which module uses which.
//!
//! Comments, strings, characters, lifetimes and numbers are left out, since no path stands in them.

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    Word(String),
    /// `::`.
    Colons,
    Sign(char),
}

impl Token {
    pub fn is(&self, sign: char) -> bool {
        *self == Token::Sign(sign)
    }

    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Each token with its line, from 1.
pub fn tokens(text: &str) -> Vec<(Token, u32)> {
    Lexer { text: text.chars().collect(), at: 0, line: 1, tokens: Vec::new() }.run()
}

struct Lexer {
    text: Vec<char>,
    at: usize,
    line: u32,
    tokens: Vec<(Token, u32)>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn step(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn run(mut self) -> Vec<(Token, u32)> {
        while let Some(c) = self.peek(0) {
            match c {
                '/' if self.peek(1) == Some('/') => self.skip_while(|c| c != '\n'),
                '/' if self.peek(1) == Some('*') => self.block_comment(),
                '"' => self.string(),
                '\'' => self.character_or_lifetime(),
                c if c.is_alphanumeric() || c == '_' => self.word(),
                ':' if self.peek(1) == Some(':') => {
                    self.tokens.push((Token::Colons, self.line));
                    self.at += 2;
                }
                c => {
                    if !c.is_whitespace() {
                        self.tokens.push((Token::Sign(c), self.line));
                    }
                    self.step();
                }
            }
        }
        self.tokens
    }

    fn skip_while(&mut self, goes_on: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&goes_on) {
            self.step();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.step() {
            match (c, self.peek(0)) {
                ('/', Some('*')) => {
                    depth += 1;
                    self.step();
                }
                ('*', Some('/')) => {
                    depth -= 1;
                    self.step();
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn string(&mut self) {
        self.step();
        while let Some(c) = self.step() {
            match c {
                '\\' => drop(self.step()),
                '"' => return,
                _ => {}
            }
        }
    }

    /// Behind `r`, `br` or `cr`: `#"…"#` with as many marks on both sides.
    fn raw_string(&mut self) {
        let before = self.at;
        self.skip_while(|c| c == '#');
        let marks = self.at - before;
        self.step();
        while let Some(c) = self.step() {
            if c == '"' && (0..marks).all(|ahead| self.peek(ahead) == Some('#')) {
                self.at += marks;
                return;
            }
        }
    }

    fn character_or_lifetime(&mut self) {
        self.step();
        match (self.peek(0), self.peek(1)) {
            (Some('\\'), _) => {
                self.at += 2;
                self.skip_while(|c| c != '\'');
                self.step();
            }
            (Some(_), Some('\'')) => {
                self.step();
                self.step();
            }
            _ => self.skip_while(|c| c.is_alphanumeric() || c == '_'),
        }
    }

    fn word(&mut self) {
        let (from, line) = (self.at, self.line);
        self.skip_while(|c| c.is_alphanumeric() || c == '_');
        let word: String = self.text[from..self.at].iter().collect();
        let raw = matches!(word.as_str(), "r" | "br" | "cr");
        match self.peek(0) {
            Some('"') if raw => self.raw_string(),
            Some('#') if raw && matches!(self.peek(1), Some('"' | '#')) => self.raw_string(),
            // A raw name, as `r#type`.
            Some('#') if raw => {
                self.step();
                self.word();
            }
            Some('"') if matches!(word.as_str(), "b" | "c") => self.string(),
            Some('\'') if word == "b" => self.character_or_lifetime(),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => self.tokens.push((Token::Word(word), line)),
        }
    }
}
