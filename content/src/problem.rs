//! What is wrong with content, with file and line. Problems are collected, never thrown: a builder sees all at once.

use serde::Serialize;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The world does not start with it, unless told to be lenient.
    Error,
    Warning,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    pub kind: Severity,
    /// Path below the world folder; empty when it concerns the whole world.
    pub file: String,
    /// From 1; 0 when it concerns the whole file.
    pub line: u32,
    /// One sentence: what is wrong and, where it is not plain, what to do.
    pub what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match self.file.as_str() {
            "" => write!(f, "{kind}: {}", self.what),
            file => write!(f, "{file}:{}: {kind}: {}", self.line, self.what),
        }
    }
}

/// The list that every reader writes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    pub fn error(&mut self, file: &str, line: u32, what: impl Into<String>) {
        self.0.push(Problem { kind: Severity::Error, file: file.into(), line, what: what.into() });
    }

    pub fn warning(&mut self, file: &str, line: u32, what: impl Into<String>) {
        self.0.push(Problem { kind: Severity::Warning, file: file.into(), line, what: what.into() });
    }

    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|p| p.kind == Severity::Error)
    }
}
