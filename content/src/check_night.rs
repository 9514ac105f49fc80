//! What may be wrong with hunters, with what brings them, and with gates.

use crate::content::Content;
use crate::draft::Draft;
use crate::flags::RoomFlags;
use crate::night::Lair;
use crate::origins::{Faults, place_of};

/// So many a horn calls at most.
const COUNT_MAX: i32 = 3;

/// Errors, then warnings.
pub(crate) fn faults(draft: &Draft) -> (Faults, Faults) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let Draft { content, origins, .. } = draft;
    let place = origins.hunters.unwrap_or_default();
    for (whose, lair) in [("the moon", content.hunters.moon), ("arts", content.hunters.art)] {
        errors.extend(lair.and_then(|lair| homeless(content, lair)).map(|what| (place, format!("{whose}: {what}"))));
    }
    for object in &content.objects {
        let place = place_of(&origins.objects, &object.vnum);
        let lairs = [object.hunted.map(|hunted| hunted.lair()), object.horn.map(|horn| horn.lair())];
        for what in lairs.into_iter().flatten().filter_map(|lair| homeless(content, lair)) {
            errors.push((place, format!("object #{}: {what}", object.vnum)));
        }
        if let Some(percent) = object.hunted.map(|hunted| hunted.percent).filter(|percent| !(1..=100).contains(percent))
        {
            errors.push((place, format!("object #{}: percent should be 1 to 100, not {percent}", object.vnum)));
        }
        if let Some(count) = object.horn.map(|horn| horn.count).filter(|count| !(1..=COUNT_MAX).contains(count)) {
            errors.push((place, format!("object #{}: count should be 1 to {COUNT_MAX}, not {count}", object.vnum)));
        }
    }
    for (index, gate) in content.gates.iter().enumerate() {
        let place = origins.gates.get(index).copied().unwrap_or_default();
        for (what, room) in [("stands in", gate.room), ("leads to", gate.to)] {
            if content.room_id(room).is_none() {
                errors.push((place, format!("the gate of {} {what} room #{room}, which does not exist", gate.phase)));
            }
        }
        let Some(room) = content.room_id(gate.room).map(|id| content.room(id)) else { continue };
        let unfit = [(RoomFlags::INDOORS, "indoors, where no moon shines"), (RoomFlags::NO_MAGIC, "without magic")];
        for (_, why) in unfit.into_iter().filter(|(flag, _)| room.flags.has(*flag)) {
            warnings.push((place, format!("the gate of {} never opens: room #{} is {why}", gate.phase, room.vnum)));
        }
    }
    if let Some(room) = content.art_gate {
        let place = origins.art_gate.unwrap_or_default();
        if content.room_id(room).is_none() {
            errors.push((place, format!("the gates of arts lead to room #{room}, which does not exist")));
        }
        if content.gates.is_empty() {
            let what = "no art opens a gate: that is done where the moon opens one, and it opens none here";
            warnings.push((place, what.to_string()));
        }
    }
    (errors, warnings)
}

/// Why nobody would ever set out from there.
fn homeless(content: &Content, lair: Lair) -> Option<String> {
    if content.mob_index(lair.mob).is_none() {
        return Some(format!("mob #{}, which is to hunt, does not exist", lair.mob));
    }
    content
        .room_id(lair.room)
        .is_none()
        .then(|| format!("room #{}, from which a hunter is to set out, does not exist", lair.room))
}
