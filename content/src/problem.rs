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
        match (self.file.as_str(), self.line) {
            ("", _) => write!(f, "{kind}: {}", self.what),
            (file, 0) => write!(f, "{file}: {kind}: {}", self.what),
            (file, line) => write!(f, "{file}:{line}: {kind}: {}", self.what),
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

    /// As one reads them: errors, then warnings, each by file and line, and last what concerns the whole world.
    pub fn sort(&mut self) {
        fn place(problem: &Problem) -> (Severity, bool, &str, u32) {
            (problem.kind, problem.file.is_empty(), &problem.file, problem.line)
        }
        self.0.sort_by(|one, other| place(one).cmp(&place(other)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_come_first_and_a_line_that_is_none_is_not_told() {
        let mut problems = Problems::default();
        problems.warning("", 0, "the end");
        problems.warning("a.toml", 0, "odd");
        problems.error("b.toml", 12, "wrong");
        problems.error("b.toml", 3, "wrong, too");
        problems.error("", 0, "nothing is there");
        problems.sort();
        let told: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "b.toml:3: error: wrong, too",
                "b.toml:12: error: wrong",
                "error: nothing is there",
                "a.toml: warning: odd",
                "warning: the end",
            ]
        );
    }
}
