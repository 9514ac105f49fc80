//! A player asks the impossible: one sentence that says why not.

use std::borrow::Cow;

/// Shown to the player as it is; also noted as the command's error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub Cow<'static, str>);

/// What programs and records read of something that a script prevented: its player reads what the script says.
pub const PREVENTED: &str = "Something here prevents it.";

impl Refusal {
    /// A script prevented it, and says itself why.
    pub const fn prevented() -> Refusal {
        Refusal::new(PREVENTED)
    }

    /// Whether the player is to read it.
    pub fn is_shown(&self) -> bool {
        self.0 != PREVENTED
    }

    pub const fn new(text: &'static str) -> Refusal {
        Refusal(Cow::Borrowed(text))
    }
}

impl From<&'static str> for Refusal {
    fn from(text: &'static str) -> Refusal {
        Refusal(Cow::Borrowed(text))
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Refusal {
        Refusal(Cow::Owned(text))
    }
}

/// `return Err(...)` with a fixed or formatted sentence.
#[macro_export]
macro_rules! refuse {
    ($text:literal) => { return Err($crate::refusal::Refusal::from(format!($text))) };
    ($text:literal, $($arg:tt)+) => { return Err($crate::refusal::Refusal::from(format!($text, $($arg)+))) };
}

/// What a verb gives back.
pub type Done = Result<(), Refusal>;
