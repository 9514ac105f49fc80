//! Attention against use: what each channel took of the prompts of the last decisions, and what the agent gave there.
//!
//! A row is made when a model has answered: with what its prompt told of each channel for the first time, and with what
//! was said and given there since the decision before, since words come back as messages only when they are posted.

use crate::channels::Deeds;
use crate::record::ChannelRow;
use mind::hud::{ChannelsView, UseView};
use mind::prompt::ChannelTokens;
use std::collections::{BTreeMap, VecDeque};

/// Decisions that are counted.
const DECISIONS: usize = 50;

#[derive(Clone, Debug, Default)]
pub(super) struct ChannelUse {
    /// What was done in each channel up to the last decision.
    before: BTreeMap<u32, Deeds>,
    /// Of each decision its channels; oldest first.
    rows: VecDeque<Vec<ChannelRow>>,
}

impl ChannelUse {
    /// A model answered a prompt that held this of channels. The rows of its decision, those in which nothing was left
    /// out.
    pub fn decided(&mut self, shown: Vec<ChannelTokens>, done: &BTreeMap<u32, Deeds>) -> Vec<ChannelRow> {
        let row = |shown: ChannelTokens| {
            let now = done.get(&shown.id).copied().unwrap_or_default();
            // A channel that was left and joined again counts anew.
            let before = self.before.get(&shown.id).copied().filter(|before| *before <= now).unwrap_or_default();
            ChannelRow {
                id: shown.id,
                attention: f64::from(shown.share) / 10.0,
                tokens: shown.tokens as u64,
                tokens_new: shown.tokens_new as u64,
                words: now.words.saturating_sub(before.words),
                replies: now.replies.saturating_sub(before.replies),
                reactions: now.reactions.saturating_sub(before.reactions),
            }
        };
        let rows: Vec<ChannelRow> = shown.into_iter().map(row).collect();
        self.before = done.clone();
        if !rows.is_empty() {
            if self.rows.len() == DECISIONS {
                self.rows.pop_front();
            }
            self.rows.push_back(rows.clone());
        }
        rows
    }

    /// Puts into a view what the last decisions came to.
    pub fn note(&self, view: &mut ChannelsView) {
        let mut used: BTreeMap<u32, UseView> = BTreeMap::new();
        for row in self.rows.iter().flatten() {
            let used = used.entry(row.id).or_default();
            used.tokens += row.tokens_new;
            used.words += row.words;
            used.replies += row.replies;
            used.reactions += row.reactions;
        }
        for channel in &mut view.channels {
            channel.used = used.get(&channel.channel.id).copied().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_fifty_decisions_count() {
        let mut channel_use = ChannelUse::default();
        let mut done = BTreeMap::from([(108, Deeds::default())]);
        for n in 1..=60 {
            done.insert(108, Deeds { words: 2 * n, replies: n / 10, reactions: 0 });
            let shown = vec![ChannelTokens { id: 108, share: 500, tokens: 90, tokens_new: 3 }];
            let rows = channel_use.decided(shown, &done);
            assert_eq!((rows[0].words, rows[0].attention), (2, 50.0));
        }
        let mut view = crate::agent::tests::one_channel(108);
        channel_use.note(&mut view);
        assert_eq!(view.channels[0].used, UseView { tokens: 150, words: 100, replies: 5, reactions: 0 });
    }
}
