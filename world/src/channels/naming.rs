//! Display names: how a person is shown in lines, lists and frames, beside the canonical name that never changes.
//!
//! The world knows everybody who was ever in it, the edge also those who were only made: a name is asked for here
//! (`ask_for_name`), looked up there, and taken when the answer comes back as an input (`take_name`). Invariant: a
//! name is set by `set_display_name` only, whoever wants it set.

use crate::arena::CharacterId;
use crate::channel::{NAME_TICKS, names};
use crate::character::Character;
use crate::find::FILL_WORDS;
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, NameRequest, Request};
use crate::world::World;
use content::Text;

const TAKEN: &str = "Somebody is called that, or could be taken for it. Choose another.";

/// What a player answers to: its own name, and the words of the one that it is shown by.
fn keywords(name: &str, display: Option<&str>) -> Text {
    let mut words = vec![name.to_ascii_lowercase()];
    for word in display.unwrap_or_default().split([' ', '-', '\'', '.']) {
        let word = names::folded(word);
        let is_new = word.len() > 1 && !FILL_WORDS.contains(&&*word) && !words.contains(&word);
        words.extend(is_new.then_some(word));
    }
    words.join(" ").into()
}

impl World {
    /// A name that a person may be shown by as far as the world knows, as it will be shown.
    pub fn name_for_person(&self, person: u32, typed: &str) -> Result<Text, Refusal> {
        let own = self.state.channels.person(person).map(|person| person.name.clone());
        // Back to the name of birth, whatever it is.
        if let Some(own) = own.filter(|own| names::folded(own) == names::folded(typed)) {
            return Ok(own);
        }
        let name = self.check_name(typed)?;
        match self.state.channels.is_taken(&name, person) {
            true => Err(TAKEN.into()),
            false => Ok(name.into()),
        }
    }

    /// A name as it will be shown, that none of the people of the world has.
    pub(crate) fn check_name(&self, typed: &str) -> Result<String, Refusal> {
        let name = names::check(typed)?;
        match self.content.is_somebodys_name(&name, names::folded) {
            true => Err("Somebody of this world has that name already, and would mind.".into()),
            false => Ok(name),
        }
    }

    /// Somebody wants to be shown by another name. The answer comes later.
    pub(crate) fn ask_for_name(&mut self, person: u32, typed: &str) -> Done {
        let there = self.state.channels.person(person).ok_or("Only players have a name of their own choice.")?;
        let shown = there.display.clone();
        let name = self.name_for_person(person, typed)?;
        if name == shown {
            return Err(format!("You are shown as {shown} already.").into());
        }
        let left = self.ticks_to_next_name(person);
        if left > 0 {
            let minutes = left.div_ceil(crate::clock::TICKS_PER_MINUTE);
            return Err(format!("You took a name not long ago. You can take another in {minutes} minutes.").into());
        }
        self.look_up_name(person, person, name)
    }

    /// Ticks until a person may take another name.
    pub(crate) fn ticks_to_next_name(&self, person: u32) -> u64 {
        let named = self.state.channels.person(person).and_then(|person| person.named_tick);
        named.map_or(0, |named| (named + NAME_TICKS).saturating_sub(self.tick()))
    }

    /// A person is to be shown by a name that the world knows to be free; `by` wants it so. The answer comes later.
    pub(crate) fn look_up_name(&mut self, by: u32, person: u32, name: Text) -> Done {
        let called = |person: u32| self.state.channels.person(person).map(|person| person.name.clone());
        let (Some(canonical), Some(asked_by)) = (called(person), called(by)) else { return Ok(()) };
        if name == canonical {
            return self.take_name(person, &name, false, by);
        }
        self.request(Request::Name(Box::new(NameRequest { by, asked_by, person, canonical, name })));
        Ok(())
    }

    /// The edge has looked whether anybody else is called so.
    pub(crate) fn take_name(&mut self, person: u32, name: &Text, taken: bool, by: u32) -> Done {
        let who = self.character_of(person);
        let asker = self.character_of(by);
        // Somebody else may have taken it meanwhile.
        if taken || self.state.channels.is_taken(name, person) {
            if let Some(asker) = asker {
                self.send(asker, LineKind::Refusal, format!("{TAKEN} ({name})"));
            }
            return Ok(());
        }
        let before = self.display_name(person);
        if let Some(there) = self.state.channels.person(person).map(|_| self.tick())
            && let Some(person) = self.state.channels.person_mut(person)
        {
            person.named_tick = Some(there);
        }
        self.set_display_name(person, name);
        // Who stands beside it sees it.
        let stands_by = |asker: CharacterId| who.is_some_and(|who| self.who(who).room == self.who(asker).room);
        if let Some(asker) = asker.filter(|asker| !stands_by(*asker)) {
            self.send(asker, LineKind::Text, format!("{before} ({person}) is shown as {name} from now on."));
        }
        let Some(who) = who else { return Ok(()) };
        self.send(who, LineKind::Text, format!("You are shown as {name} from now on."));
        let scene = crate::act::Scene::new(who, LineKind::Text).text(&before).hidden();
        self.show(&scene, "", "", "$t is called $n from now on.");
        Ok(())
    }

    /// Shows a person by a name that was found to be free, wherever it is.
    pub(crate) fn set_display_name(&mut self, person: u32, name: &Text) {
        self.state.channels.set_display(person, name);
        self.wear_name(person);
        self.changed_agents.insert(person);
        let channels = self.state.channels.person(person).map(|person| person.channels.clone());
        channels.into_iter().flatten().for_each(|channel| self.changed(channel));
    }

    /// The character of a person is shown, and answers, as the person is.
    pub(crate) fn wear_name(&mut self, person: u32) {
        let Some(there) = self.state.channels.person(person) else { return };
        let (canonical, display) = (there.name.clone(), there.display.clone());
        let display = (*display != *canonical && !display.eq_ignore_ascii_case(&canonical)).then_some(display);
        let Some(who) = self.character_of(person) else { return };
        let worn = self.character(who).and_then(Character::player).and_then(|player| player.display.clone());
        let answers_to = keywords(&canonical, display.as_deref());
        if worn != display || self.who(who).keywords != answers_to {
            self.who_mut(who).keywords = answers_to;
            self.player_mut(who).display = display;
            self.who_list = None;
        }
    }
}
