//! What may be wrong between rows and scripts: a row names what there is not, or what it is never asked for.

use crate::draft::Draft;
use crate::origins::{Faults, place_of};
use crate::scripts::{Hook, HookSet, OwnerKind};
use crate::text::Text;
use std::collections::BTreeMap;

/// Errors, then warnings.
pub(crate) fn faults(draft: &Draft) -> (Faults, Faults) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let Draft { content, origins, .. } = draft;
    // The hooks that the rows of each script can be asked for.
    let mut named: BTreeMap<&Text, HookSet> = BTreeMap::new();
    for (owner, vnum, names) in content.scripted() {
        let places = match owner {
            OwnerKind::Room => &origins.rooms,
            OwnerKind::Mob => &origins.mobs,
            OwnerKind::Object => &origins.objects,
        };
        let (place, kind) = (place_of(places, &vnum), owner.name());
        for name in names {
            // What is wrong with that one is told already.
            if content.broken_scripts.contains(name) {
                continue;
            }
            let Some(script) = content.script(name) else {
                let what = format!("{kind} #{vnum} names the script {name:?}, which does not exist in its zone");
                errors.push((place, what));
                continue;
            };
            let offered = named.entry(&script.name).or_default();
            *offered = offered.with(HookSet::of_owner(owner));
            if script.hooks.common(HookSet::of_owner(owner)).is_empty() {
                let hooks: Vec<&str> = script.hooks.iter().map(|hook| hook.name()).collect();
                let what = format!("the script {name:?} has {}, and is called for none on a {kind}", hooks.join(", "));
                errors.push((place, what));
            }
        }
    }
    for (name, place) in &origins.scripts {
        let (Some(offered), Some(script)) = (named.get(name), content.script(name)) else {
            warnings.push((*place, format!("no row names the script {name:?}: it never runs")));
            continue;
        };
        if script.hooks.common(*offered).is_empty() {
            continue;
        }
        for hook in script.hooks.iter().filter(|hook| !offered.has(*hook)) {
            warnings.push((*place, format!("no row that names it is asked for {}: that never runs", hook.name())));
        }
        if script.source.contains("world.after") && !script.hooks.has(Hook::Timer) {
            warnings.push((*place, "it asks for timers, and has no hook timer".to_string()));
        }
    }
    (errors, warnings)
}
