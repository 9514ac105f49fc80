//! What a source file says of modules: its children, what it imports and re-exports, the items it defines, and the
//! paths in its code. Test code (`#[cfg(test)]`, `#[test]`) is left out.

use super::lexer::{Token, tokens};
use std::collections::BTreeSet;

/// A module as it was written. `Default` is an empty one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Names from the crate's root; empty for the root.
    pub path: Vec<String>,
    /// Path of the file, from the root of the repository.
    pub file: String,
    pub uses: Vec<Use>,
    /// Paths of two or more names in code, each with its line.
    pub paths: Vec<(u32, Vec<String>)>,
    /// What it defines. Of a macro's invocation every word counts, as any may be a name.
    pub items: BTreeSet<String>,
    /// Methods that it gives types: type and name.
    pub methods: Vec<(String, String)>,
    /// What is called with a dot: line, the word before the dot, the method. `self` is the type of the `impl` it is in.
    pub calls: Vec<(u32, String, String)>,
    /// Children with a file of their own.
    pub children: Vec<String>,
    /// Children that are written here.
    pub inline: Vec<Module>,
}

/// One leaf of a `use`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    pub line: u32,
    pub path: Vec<String>,
    /// What it is called here; none for `*`.
    pub name: Option<String>,
}

/// Reads a file as the module of that path.
pub fn module_of(path: &[String], file: &str, text: &str) -> Module {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    parser.module(path, file)
}

struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
}

impl Parser {
    fn token(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn ahead(&self, n: usize) -> Option<&Token> {
        self.tokens.get(self.at + n).map(|(token, _)| token)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).map_or(0, |(_, line)| *line)
    }

    fn is(&self, sign: char) -> bool {
        self.token().is_some_and(|token| token.is(sign))
    }

    fn word(&self) -> Option<String> {
        self.token().and_then(Token::word).map(str::to_owned)
    }

    /// Items up to the end of the file or the brace that closes the module.
    fn module(&mut self, path: &[String], file: &str) -> Module {
        let mut module = Module { path: path.to_vec(), file: file.to_owned(), ..Module::default() };
        let mut is_test = false;
        while let Some(token) = self.token().cloned() {
            match token {
                Token::Sign('}') => {
                    self.at += 1;
                    break;
                }
                Token::Sign('#') => is_test |= self.attribute(),
                Token::Word(word) if word == "pub" => self.visibility(),
                Token::Word(_) if is_test => {
                    self.item(&mut Module::default());
                    is_test = false;
                }
                Token::Word(_) => self.item(&mut module),
                _ => self.at += 1,
            }
        }
        module
    }

    /// Skips an attribute and says whether what follows is for tests only.
    fn attribute(&mut self) -> bool {
        let mut words = Vec::new();
        let mut depth = 0;
        while let Some(token) = self.token().cloned() {
            self.at += 1;
            match token {
                Token::Sign('[') => depth += 1,
                Token::Sign(']') => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                Token::Word(word) => words.push(word),
                _ => {}
            }
        }
        let has = |name: &str| words.iter().any(|word| word == name);
        words.last().is_some_and(|word| word == "test") && !has("not") && !has("any")
    }

    /// Skips `pub`, `pub(crate)` and `pub(in some::module)`.
    fn visibility(&mut self) {
        self.at += 1;
        let scope = self.ahead(1).and_then(Token::word);
        if self.is('(') && matches!(scope, Some("crate" | "super" | "self" | "in")) {
            while !self.is(')') && self.token().is_some() {
                self.at += 1;
            }
            self.at += 1;
        }
    }

    fn item(&mut self, module: &mut Module) {
        let Some(word) = self.word() else { return };
        match word.as_str() {
            "use" => self.imports(module),
            "mod" => {
                self.at += 1;
                let Some(name) = self.word() else { return };
                self.at += 2;
                if self.tokens.get(self.at - 1).is_some_and(|(token, _)| token.is('{')) {
                    let path: Vec<String> = module.path.iter().cloned().chain([name]).collect();
                    let child = self.module(&path, &module.file.clone());
                    module.inline.push(child);
                } else {
                    module.children.push(name);
                }
            }
            _ => self.code(module),
        }
    }

    /// An item that is no import and no module: its name, and the paths in it.
    fn code(&mut self, module: &mut Module) {
        const NAMING: [&str; 9] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];
        let mut depth = 0;
        let mut named = false;
        let mut is_macro = false;
        // The type whose `impl` this is, and whether its functions are its own rather than a trait's.
        let (owner, is_inherent) = self.implemented();
        // What has a value ends with a semicolon, whatever braces stand in it.
        let mut has_value = false;
        while let Some(token) = self.token().cloned() {
            match &token {
                Token::Sign('{' | '(' | '[') => depth += 1,
                Token::Sign('}' | ')' | ']') => {
                    depth -= 1;
                    if depth == 0 && token.is('}') && !has_value {
                        self.at += 1;
                        return;
                    }
                    if depth < 0 {
                        return;
                    }
                }
                Token::Sign(';') if depth == 0 => {
                    self.at += 1;
                    return;
                }
                Token::Sign('!') if depth == 0 && !named => is_macro = true,
                Token::Word(word) if word == "pub" => {
                    self.visibility();
                    continue;
                }
                Token::Word(word) if word == "use" && depth > 0 => {
                    self.imports(module);
                    continue;
                }
                Token::Word(word) if depth == 0 && !named && NAMING.contains(&word.as_str()) => {
                    let name = self.ahead(if word == "macro_rules" { 2 } else { 1 }).and_then(Token::word);
                    if let Some(name) = name.filter(|name| !NAMING.contains(name) && *name != "unsafe") {
                        module.items.insert(name.to_owned());
                        named = true;
                        has_value = matches!(word.as_str(), "const" | "static");
                    }
                }
                Token::Word(word) if word == "impl" && depth == 0 => named = true,
                Token::Word(word) if word == "fn" && depth == 1 && is_inherent => {
                    if let (Some(owner), Some(name)) = (&owner, self.ahead(1).and_then(Token::word)) {
                        module.methods.push((owner.clone(), name.to_owned()));
                    }
                }
                Token::Word(word) if self.ahead(1).is_some_and(|t| t.is('.')) => self.call(word, &owner, module),
                Token::Word(word) if is_macro => drop(module.items.insert(word.clone())),
                _ => {}
            }
            if !self.path(module) {
                self.at += 1;
            }
        }
    }

    /// The type of the `impl` that begins here, and whether it is of no trait.
    fn implemented(&self) -> (Option<String>, bool) {
        if self.word().as_deref() != Some("impl") {
            return (None, false);
        }
        let head = self.tokens[self.at..].iter().map(|(token, _)| token).take_while(|token| !token.is('{'));
        let (mut owner, mut depth, mut is_inherent) = (None, 0, true);
        for token in head.skip(1) {
            match token {
                Token::Sign('<') => depth += 1,
                Token::Sign('>') => depth -= 1,
                Token::Word(word) if depth == 0 && word == "where" => break,
                Token::Word(word) if depth == 0 && word == "for" => is_inherent = false,
                Token::Word(word) if depth == 0 => owner = Some(word.clone()),
                _ => {}
            }
        }
        (owner, is_inherent)
    }

    /// Notes `receiver.method(`, which begins here.
    fn call(&self, receiver: &str, owner: &Option<String>, module: &mut Module) {
        let method = self.ahead(2).and_then(Token::word);
        if let (Some(method), true) = (method, self.ahead(3).is_some_and(|token| token.is('('))) {
            let receiver = match (receiver, owner) {
                ("self", Some(owner)) => owner,
                (receiver, _) => receiver,
            };
            module.calls.push((self.line(), receiver.to_owned(), method.to_owned()));
        }
    }

    /// Takes a path of two or more names that begins here, if one does.
    fn path(&mut self, module: &mut Module) -> bool {
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at].0);
        let Some(first) = self.word() else { return false };
        if self.ahead(1) != Some(&Token::Colons) || before == Some(&Token::Colons) {
            return false;
        }
        let line = self.line();
        let mut path = vec![first];
        self.at += 1;
        while self.token() == Some(&Token::Colons) {
            let Some(word) = self.ahead(1).and_then(Token::word).map(str::to_owned) else { break };
            path.push(word);
            self.at += 2;
        }
        if path.len() > 1 {
            module.paths.push((line, path));
        }
        true
    }

    fn imports(&mut self, module: &mut Module) {
        self.at += 1;
        self.tree(&[], module);
        while self.token().is_some() && !self.is(';') {
            self.at += 1;
        }
        self.at += 1;
    }

    fn tree(&mut self, prefix: &[String], module: &mut Module) {
        let mut path = prefix.to_vec();
        let line = self.line();
        loop {
            match self.token().cloned() {
                Some(Token::Colons) => self.at += 1,
                Some(Token::Sign('{')) => {
                    self.at += 1;
                    while self.token().is_some() && !self.is('}') {
                        self.tree(&path, module);
                        if self.is(',') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                Some(Token::Sign('*')) => {
                    self.at += 1;
                    module.uses.push(Use { line, path, name: None });
                    return;
                }
                Some(Token::Word(word)) if word == "as" => {
                    self.at += 1;
                    let name = self.word().unwrap_or_default();
                    self.at += 1;
                    module.uses.push(Use { line, path, name: Some(name) });
                    return;
                }
                Some(Token::Word(word)) => {
                    self.at += 1;
                    // `a::{self}` is `a`.
                    if word != "self" || path.is_empty() {
                        path.push(word);
                    }
                }
                _ => break,
            }
        }
        let name = path.last().cloned();
        module.uses.push(Use { line, path, name });
    }
}
