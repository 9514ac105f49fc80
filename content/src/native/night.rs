//! `[hunters]` and `[gates]` of `world.toml`.

use super::table::{File, Table};
use super::text::Toml;
use crate::words::MoonPhase;
use crate::{Content, Gate, Hunters, Lair, Vnum};

/// The key for the gates of arts, beside those that are phases of the moon.
const ART: &str = "art";

/// A gate, whose key is its phase.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    room: Vnum,
    to: Vnum,
}

pub(super) fn read(file: &mut File, root: &mut Table) {
    if let Some(mut hunters) = file.table(root, "hunters") {
        file.draft.origins.hunters = Some(file.place(hunters.line));
        let (moon, art) = (file.field(&mut hunters, "moon"), file.field(&mut hunters, "art"));
        file.draft.content.hunters = Hunters { moon, art };
        file.end(hunters);
    }
    if let Some(mut gates) = file.table(root, "gates") {
        for phase in MoonPhase::ALL {
            let place = file.place_of_field(&gates, phase.name());
            if let Some(Way { room, to }) = file.field(&mut gates, phase.name()) {
                file.draft.origins.gates.push(place);
                file.draft.content.gates.push(Gate { phase: *phase, room, to });
            }
        }
        if gates.has(ART) {
            file.draft.origins.art_gate = Some(file.place_of_field(&gates, ART));
            file.draft.content.art_gate = file.field(&mut gates, ART);
        }
        file.end(gates);
    }
}

pub(super) fn write(content: &Content, toml: &mut Toml) {
    let Hunters { moon, art } = content.hunters;
    if moon.is_some() || art.is_some() {
        toml.header("[hunters]");
        for (key, lair) in [("moon", moon), ("art", art)] {
            if let Some(Lair { mob, room }) = lair {
                toml.raw(key, format_args!("{{ mob = {mob}, room = {room} }}"));
            }
        }
    }
    if !content.gates.is_empty() || content.art_gate.is_some() {
        toml.header("[gates]");
        for Gate { phase, room, to } in &content.gates {
            toml.raw(phase.name(), format_args!("{{ room = {room}, to = {to} }}"));
        }
        if let Some(room) = content.art_gate {
            toml.number(ART, room);
        }
    }
}
