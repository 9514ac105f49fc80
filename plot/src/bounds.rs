//! What there is at most, how long things take, and the text that everything is written in.

/// Shared text: copies of a plot are cheap.
pub type Text = std::sync::Arc<str>;

/// Characters of a plot's title, and of a task's.
pub const TITLE_MAX: usize = 60;
/// Characters of a label.
pub const LABEL_MAX: usize = 40;
/// Characters of a reason, a memo or the text of a plan.
pub const REASON_MAX: usize = 200;

/// Changes that are kept with what undoes them, and entries of a memo.
pub const KEPT: usize = 50;

/// How long a change waits for consent, in ticks.
pub const CONSENT_TICKS: u64 = 900;

/// Changes of one cell within so many ticks make it contested.
pub const CONTEST_TICKS: u64 = 300;
