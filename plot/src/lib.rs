//! Plots: grids of nine by nine cells that several hands build on, and everything that follows from what they did.
//!
//! A `Plot` is a value. `Plot::build` is the only way its grid changes; each change keeps what undoes it exactly, and
//! writes an entry into the plot's memo, so that the grid as of any entry can be drawn. World, minds and laboratory
//! compute the same here. Invariants: ticks and names are handed in; nothing asks a clock, draws chance or does IO;
//! texts that come in are data, and are escaped where they are drawn.

mod article;
mod axes;
mod bounds;
mod cell;
mod change;
mod deed;
mod element;
mod grid;
mod kind;
mod memo;
mod order;
mod pending;
mod plan;
mod plot;
mod refusal;
mod seen;
mod svg;
mod task;
mod text;
mod words;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod laws;

pub use article::one;
pub use axes::{Axes, AxisRow, Pair, WHOLE};
pub use bounds::{CONSENT_TICKS, CONTEST_TICKS, KEPT, LABEL_MAX, REASON_MAX, TITLE_MAX, Text};
pub use cell::{Cell, NoCell, SIDE};
pub use change::{Built, Change, Sides};
pub use deed::Deed;
pub use element::Element;
pub use grid::Grid;
pub use kind::{Kind, Kinds, Purpose, UNKNOWN_GLYPH, is_path};
pub use memo::{Action, Entry, Memo, Note, NoteKind};
pub use order::{Order, Request};
pub use pending::{Outcome, Pending, Settled};
pub use plan::{OPEN_MAX, Plan, PlanStatus, STEPS_MAX, Step, is_anothers};
pub use plot::{Plot, Rule};
pub use refusal::Refusal;
pub use svg::{Letters, Picture, escaped, outlined_svg, svg};
pub use task::{Constraint, FULL, Measure, Task, Which};
pub use text::{grid_lines, legend_line, list_lines};
pub use words::{checked, quoted};
