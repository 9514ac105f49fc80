//! The light that one holds, and whether it burns.

use super::Knowledge;
use crate::state::GameState;

/// A light that is held and lights nothing for so long has burnt out.
const UNLIT_MS: u64 = 3_000;

impl Knowledge {
    /// The light that one holds, while it burns: its instance.
    pub fn light_of<'a>(&self, state: &'a GameState) -> Option<&'a str> {
        let worn = state.equipment.as_ref()?.get("light")?;
        (!self.burnt.contains(&*worn.instance_id)).then_some(&worn.instance_id)
    }

    /// A light by which nothing is seen for some time has burnt out: one may have slept through its end.
    pub(super) fn look_at_light(&mut self, state: &GameState, dark: bool, now_ms: u64) {
        let useless = self.light_of(state).filter(|_| dark && !state.is_in("sleeping")).map(str::to_string);
        let since = self.unlit.take().filter(|(light, _)| useless.as_ref() == Some(light)).map(|(_, since)| since);
        if let Some(light) = useless {
            let since = since.unwrap_or(now_ms);
            if now_ms >= since + UNLIT_MS {
                self.burnt.insert(light.clone());
            }
            self.unlit = Some((light, since));
        }
    }
}
