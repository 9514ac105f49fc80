//! Changes that wait until somebody else agrees.

use crate::bounds::Text;
use crate::change::Built;
use crate::order::Request;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Others who built here and whose word counts where the one asked says nothing.
pub const OTHERS: usize = 2;
/// What can wait at a time, and of it what one hand asked for.
pub const PENDING_MAX: usize = 20;
pub const ASKED_MAX: usize = 5;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pending {
    pub id: u32,
    pub by: Text,
    pub request: Request,
    /// What it would move or remove: consent is for this one, not for what stands in its place later.
    pub element: Option<u32>,
    pub why: Text,
    /// Whose word alone decides: who built it or, of a contested cell, the other hand there. Empty: nobody's alone.
    pub asked: Text,
    pub agreed: Vec<Text>,
    pub refused: Vec<Text>,
    /// The last tick at which one can agree.
    pub until: u64,
}

/// What came of a word of consent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It was noted; others are asked still.
    Noted(Pending),
    Done(Pending, Box<Built>),
    Refused(Pending),
    /// It has consent, but cannot be done any more, and waits no longer.
    Overtaken(Pending, Refusal),
    /// Whoever asked takes it back.
    Withdrawn(Pending),
}

/// What came of an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Built(Built),
    Waits(Pending),
}
