//! What must be true of plots: their rooms, kinds and tasks exist, and nothing stands where something else does.

use crate::draft::Draft;
use crate::origins::{Faults, place_of};
use std::collections::BTreeSet;

/// Errors, then warnings.
pub(crate) fn faults(draft: &Draft) -> (Faults, Faults) {
    let mut errors = Vec::new();
    let Draft { content, origins, .. } = draft;
    for pair in origins.plots.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (room, first, again) = (pair[0].0, pair[0].1, pair[1].1);
        errors.push((again, format!("room #{room} has a plot already, at {}:{}", origins.path(first), first.line)));
    }
    for plot in &content.plots {
        let (place, room) = (place_of(&origins.plots, &plot.room), plot.room);
        if content.room_id(room).is_none() {
            errors.push((place, format!("a plot is in room #{room}, which does not exist")));
        }
        if !plot.task.is_empty() && content.plot_task(&plot.task).is_none() {
            let known: Vec<&str> = content.plot_tasks.iter().map(|task| &*task.name).collect();
            let what = format!("the plot of room #{room} has task {:?}; there are {}", plot.task, known.join(", "));
            errors.push((place, what));
        }
        let mut taken = BTreeSet::new();
        for element in &plot.elements {
            if content.plot_kinds.get(&element.kind).is_none() {
                let meant = content.plot_kinds.meant(&element.kind).err().map(|wrong| wrong.to_string());
                let meant = meant.unwrap_or_default();
                errors.push((place, format!("the plot of room #{room} has kind {:?}. {meant}", element.kind)));
            }
            if !taken.insert(element.at) {
                errors.push((place, format!("the plot of room #{room} has two elements at {}", element.at)));
            }
        }
    }
    (errors, Vec::new())
}
