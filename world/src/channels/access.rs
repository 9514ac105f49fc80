//! What an owner sets: who may come in, how fast is spoken, what everybody reads on the billboard.

use crate::channel::{Access, BILLBOARD_CHARS, KEY_CHARS, KEYS_MAX, pace};
use crate::refusal::{Done, Refusal};
use crate::world::World;

impl World {
    /// The channel that a verb of owners is about, which is the person's own.
    pub(crate) fn owned(&self, person: u32, id: u32) -> Result<u32, Refusal> {
        self.own_kind(id)?;
        let is_owner = match self.state.channels.get(id) {
            Some(channel) => self.owns(person, channel),
            None => id == person,
        };
        match is_owner {
            true => Ok(id),
            false => Err("Only its owner does that.".into()),
        }
    }

    pub(crate) fn set_billboard(&mut self, id: u32, text: &str) -> Done {
        let length = text.chars().count();
        if length > BILLBOARD_CHARS {
            return Err(format!("A billboard has at most {BILLBOARD_CHARS} characters; that has {length}.").into());
        }
        self.channel_in_use(id).billboard = text.into();
        self.changed(id);
        Ok(())
    }

    pub(crate) fn set_wpm(&mut self, id: u32, wpm: u32) -> Done {
        let range = pace::WPM_RANGE;
        if !range.contains(&wpm) {
            return Err(format!("{} to {} words a minute; {wpm} is not.", range.start(), range.end()).into());
        }
        self.channel_in_use(id);
        self.settle_accounts(id);
        self.channel_in_use(id).wpm = wpm;
        self.changed(id);
        Ok(())
    }

    pub(crate) fn set_cooling(&mut self, id: u32, on: bool) {
        self.channel_in_use(id);
        self.settle_accounts(id);
        self.channel_in_use(id).cooling = on;
        self.changed(id);
    }

    pub(crate) fn set_access(&mut self, id: u32, access: Access) {
        self.channel_in_use(id).access = access;
        self.changed(id);
    }

    pub(crate) fn add_key(&mut self, person: u32, id: u32, key: &str) -> Done {
        let fits = (2..=KEY_CHARS).contains(&key.chars().count()) && !key.contains(char::is_whitespace);
        if !fits {
            return Err(format!("A key is one word of 2 to {KEY_CHARS} characters.").into());
        }
        let channel = self.channel_in_use(id);
        if channel.keys.contains(key) {
            return Err("There is that key already.".into());
        }
        if channel.keys.len() >= KEYS_MAX {
            return Err(format!("{KEYS_MAX} keys are the most; revoke one first.").into());
        }
        channel.keys.insert(key.into());
        self.changed_for(person, id);
        Ok(())
    }

    pub(crate) fn revoke_key(&mut self, person: u32, id: u32, key: &str) -> Done {
        if !self.channel_in_use(id).keys.remove(key) {
            return Err("There is no such key.".into());
        }
        self.changed_for(person, id);
        Ok(())
    }

    /// Takes the words of a message out of everybody's sight.
    pub(crate) fn hide_message(&mut self, id: u32, message: u64) -> Done {
        match self.state.channels.message_mut(message) {
            Some(found) if !found.hidden => found.hidden = true,
            Some(_) => return Err("It is hidden already.".into()),
            None => return Err("That message is no longer there.".into()),
        }
        self.notice(id, format!("#{message} was taken down."));
        Ok(())
    }
}
