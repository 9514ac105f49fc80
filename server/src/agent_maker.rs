//! Makes the characters of agents that were ordered in the game.
//!
//! An order is the world's, and leaves its state with the answer only. So a crash between the two costs nothing: the
//! order is there at the next start, and a character that was made for it is known by the id in its record.
//! Invariant: nobody gets a key. The account has no way in until the operator makes one, or a host claims the agent.

use crate::engine::{AdminAnswer, AdminCall, Engine};
use crate::saver::{read_record, row_of};
use crate::session::{class_of, race_of};
use crate::store::accounts::{self, AccountRow, CreateError};
use crate::store::{Store, canonical, characters};
use crate::times::unix_ms;
use anyhow::bail;
use content::words::Sex;
use protocol::creation as wire;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use world::agent::MakingOrder;
use world::rules::Rules;
use world::rules::creation::{self, Choices, Rolls};

/// After a failure, such as a database that does not answer.
const TRY_AGAIN: Duration = Duration::from_secs(5);

pub struct AgentMaker {
    pub engine: Arc<Engine>,
    pub store: Store,
    pub rules: Arc<Rules>,
    pub hometown: char,
    /// Of the world, from which newcomers roll.
    pub seed: u64,
}

impl AgentMaker {
    /// Makes what is ordered, now and whenever the world says that there is more. Never returns.
    pub async fn run(self) {
        loop {
            let orders: Vec<(u32, MakingOrder)> = self
                .engine
                .with_world(|world| world.state.agents.orders().map(|(id, order)| (id, order.clone())).collect());
            let mut failed = false;
            for (id, order) in orders {
                if let Err(error) = self.make(id, &order).await {
                    tracing::error!(id, %error, "an agent that was ordered could not be made; it is tried again");
                    failed = true;
                }
            }
            if failed {
                tokio::time::sleep(TRY_AGAIN).await;
            } else {
                self.engine.agent_ordered().await;
            }
        }
    }

    async fn make(&self, id: u32, order: &MakingOrder) -> anyhow::Result<()> {
        let name = self.character(id, order).await?;
        match self.engine.admin(AdminCall::AgentMade { id, name: name.as_str().into() }).await {
            Some(AdminAnswer::Done) => Ok(()),
            Some(AdminAnswer::NoRoom) => bail!("the disk is full"),
            _ => bail!("the server is stopping"),
        }
    }

    /// The character of an order, made unless it is there. Its name.
    async fn character(&self, id: u32, order: &MakingOrder) -> anyhow::Result<String> {
        let names = names_for(id, order.name.as_deref());
        let mut free = Vec::new();
        for name in &names {
            match characters::load(&self.store, name).await? {
                Some(row) if read_record(&row.data)?.player.person == Some(id) => return Ok(name.clone()),
                Some(_) => {}
                None => free.push(name),
            }
        }
        for name in free {
            match self.create(id, name).await {
                Ok(()) => return Ok(name.clone()),
                // By somebody else, just now.
                Err(CreateError::NameTaken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        bail!("all of {names:?} are taken")
    }

    async fn create(&self, id: u32, name: &str) -> Result<(), CreateError> {
        let number = |table, word| wire::number_of(table, word).expect("the tables have it");
        let race = race_of(number(wire::RACES, "human")).expect("the world has it");
        let class = class_of(number(wire::CLASSES, "warrior")).expect("the world has it");
        let mut dice = creation::dice(self.seed, name, Rolls::Abilities);
        let choices = Choices {
            name: name.into(),
            sex: Sex::Female,
            race,
            class,
            hometown: self.hometown,
            color: false,
            abilities: creation::roll_abilities(&self.rules, race, class, &mut dice),
            agent: true,
        };
        let mut dice = creation::dice(self.seed, name, Rolls::FirstLevel);
        let mut record = creation::newborn(&self.rules, &choices, &mut dice);
        record.player.person = Some(id);
        let now_ms = unix_ms();
        let written = self.engine.stats.number.load(Ordering::Relaxed);
        let row = row_of(&record, written, now_ms).expect("a newborn's record can be written");
        let account = AccountRow {
            name: canonical(name),
            display_name: name.to_string(),
            password_hash: None,
            created_at: now_ms,
            last_login_at: None,
        };
        accounts::create(&self.store, &account, &row, None).await
    }
}

/// What the character of an agent may be called, the best first: what it is to be called, as far as a name can have
/// that; the same with its id; `Bot` with its id.
fn names_for(id: u32, wanted: Option<&str>) -> Vec<String> {
    let letters: String =
        wanted.unwrap_or_default().chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect();
    let end = format!("-{id}");
    let most = *protocol::names::NAME_LENGTH.end();
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let names = [cut(&letters, most), format!("{}{end}", cut(&letters, most - end.len())), format!("Bot{end}")];
    names.iter().filter_map(|name| protocol::names::check_name(name).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_given_one_as_far_as_it_can() {
        for (wanted, names) in [
            (Some("Rook"), vec!["Rook", "Rook-107", "Bot-107"]),
            (Some("Ada of the Hill"), vec!["Adaofthehill", "Adaofthehill-107", "Bot-107"]),
            (Some("Bartholomew the Unfathomable"), vec!["Bartholomewtheunfath", "Bartholomewtheun-107", "Bot-107"]),
            (Some("Architect"), vec!["Architect-107", "Bot-107"]),
            (Some("日本"), vec!["Bot-107"]),
            (Some("É"), vec!["Bot-107"]),
            (None, vec!["Bot-107"]),
        ] {
            assert_eq!(names_for(107, wanted), names, "{wanted:?}");
        }
    }
}
