//! What policies reckon of one moment, once for all of them: the moment is over before anything of it can change.

use super::regions::Grade;
use crate::map::{Vnum, Way};
use crate::objects::Use;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Memo {
    /// The ways to all rooms that may be reached through such as may be entered.
    pub(super) ways: OnceCell<Vec<Way>>,
    /// Where exploring would go.
    pub(super) plan: OnceCell<Option<String>>,
    pub(super) has_light: OnceCell<bool>,
    /// Whether the room that one fled from is not to be entered.
    pub(super) dreads: OnceCell<bool>,
    /// How many things of one use it has.
    pub(super) counts: RefCell<BTreeMap<Use, usize>>,
    /// What is thought of a region.
    pub(super) grades: RefCell<BTreeMap<Vnum, Grade>>,
}
