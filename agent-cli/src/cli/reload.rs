//! The signal (SIGHUP) that asks to read the folder of texts again.
//!
//! Texts that are right go to all players, which take them when they fold next; of a folder that is wrong it is said
//! what is wrong, and the old texts stay. Without a folder the signal ends the process, as it does any other. A
//! terminal that is closed sends it too: then nobody is there any more, and the agents are asked to leave.

use crate::player::{Reread, TextsNews};
use crate::prompts_folder;
use crate::status::Board;
use mind::texts::Texts;
use std::future::pending;
use std::io::{IsTerminal, stderr, stdin};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

pub struct Reload {
    dir: PathBuf,
    news: watch::Sender<Option<Arc<Reread>>>,
    texts: Arc<Texts>,
    board: Arc<Board>,
    terminals: [bool; 2],
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

/// Which of the streams that people use are terminals. One that was closed is none.
fn terminals() -> [bool; 2] {
    [stdin().is_terminal(), stderr().is_terminal()]
}

impl Reload {
    /// Listens from now on. The texts are those that were read from the folder.
    pub fn new(dir: PathBuf, texts: Arc<Texts>, board: Arc<Board>) -> (Reload, TextsNews) {
        let (news, receiver) = watch::channel(None);
        let reload = Reload {
            dir,
            news,
            texts,
            board,
            terminals: terminals(),
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        };
        (reload, receiver)
    }

    /// Reads the folder each time that it is asked to. Returns when the terminal was closed.
    pub async fn until_terminal_is_gone(&mut self) {
        loop {
            self.asked().await;
            let is_gone = self.terminals.iter().zip(terminals()).any(|(was, is)| *was && !is);
            if is_gone {
                return;
            }
            self.read_again();
        }
    }

    async fn asked(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        pending().await
    }

    fn read_again(&mut self) {
        let dir = self.dir.display();
        let said = match prompts_folder::texts(Some(&self.dir)) {
            Ok(texts) if texts == *self.texts => format!("The prompts in {dir} are as they were."),
            Ok(texts) => {
                self.texts = Arc::new(texts);
                format!(
                    "The prompts in {dir} were read again; each agent takes them when it folds its transcript next."
                )
            }
            Err(error) => format!("The old prompts stay: {error:#}."),
        };
        self.board.tell("All", &said);
        let reread = Reread { texts: self.texts.clone(), dir: self.dir.clone(), said };
        self.news.send_replace(Some(Arc::new(reread)));
    }
}

/// As `until_terminal_is_gone`, and never where no folder is set.
pub async fn until_terminal_is_gone(reload: &mut Option<Reload>) {
    match reload {
        Some(reload) => reload.until_terminal_is_gone().await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mind::texts::TextName;

    #[test]
    fn texts_that_are_wrong_are_said_and_the_old_ones_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("prompts");
        prompts_folder::export(&dir).expect("written");
        let texts = Arc::new(prompts_folder::texts(Some(&dir)).expect("they are right"));
        let (news, receiver) = watch::channel(None);
        let board = Arc::new(Board::new(true, false, 1));
        let mut reload = Reload {
            dir: dir.clone(),
            news,
            texts,
            board,
            terminals: [false; 2],
            #[cfg(unix)]
            signal: None,
        };
        let mut after = |name: &str, text: &str| {
            std::fs::write(dir.join(name), text).expect("written");
            reload.read_again();
            let reread = receiver.borrow().clone().expect("it was read");
            (reread.said.clone(), reread.texts.raw(TextName::Bot).to_string())
        };
        let (said, bot) = after("bot.md", "Work.\n");
        assert!(said.contains("were read again") && bot == "Work.", "{said}");
        let (said, bot) = after("bot.md", "Work {hard}.\n");
        assert!(said.starts_with("The old prompts stay: ") && said.contains("bot.md:1: "), "{said}");
        assert_eq!(bot, "Work.");
        let (said, _) = after("bot.md", "Work.\n");
        assert!(said.ends_with("are as they were."), "{said}");
    }
}
