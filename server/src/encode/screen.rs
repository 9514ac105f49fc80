//! What a person's terminal shows of what waited for its reader: lines, then the prompt or the farewell.
//!
//! Leaves the bytes to `telnet::Outbound`, and writing them to the transport.
//! Invariant: after a prompt, what comes unasked begins on a new line.

use super::color;
use super::crowd::append_run;
use super::farewell::farewell;
use super::text::{Look, in_window, text_of};
use crate::outbox::{Close, Delivery, Out, Prompt};
use crate::telnet::Outbound;
use content::Text;
use std::borrow::Cow;
use world::aloud;
use world::report::Line;

pub struct Screen {
    /// The last thing shown was a prompt.
    pub at_prompt: bool,
    /// The width of the window, where the client told it.
    pub columns: Option<u16>,
    /// Prompts are for those who play.
    pub plays: bool,
    /// The newest, for the next time that one is due.
    pub prompt: Prompt,
    /// What the world says to who leaves it.
    farewell: Text,
}

impl Screen {
    pub fn new(farewell: Text) -> Screen {
        Screen { at_prompt: false, columns: None, plays: false, prompt: Prompt::default(), farewell }
    }

    /// Shows what was taken. `call_again_s`: as for `farewell`.
    pub fn show(&mut self, taken: &Delivery, call_again_s: Option<u64>, out: &mut Outbound<'_>) {
        if self.at_prompt && !taken.items.is_empty() {
            out.line_break();
            self.at_prompt = false;
        }
        let columns = self.columns;
        let client = out.client();
        let depth = color::depth(self.prompt.colors, &client);
        let look = Look { depth, columns, links: client.gets_links() && !self.prompt.aloud };
        for item in &taken.items {
            match item {
                Out::Line(shared) => match self.aloud(&shared.line) {
                    Some(text) => out.line(&in_window(&text, columns)),
                    None => out.line(&text_of(&shared.line, look)),
                },
                Out::Lines(run) => append_run(run, look, out),
                // For programs.
                Out::Outcome(_) | Out::Because(_) | Out::Frame(_) | Out::FullVars(_) => {}
                Out::Client => {
                    let told = Line { text: out.client().told(), ..Line::default() };
                    let text = self.aloud(&told).unwrap_or(told.text);
                    out.line(&in_window(&text, columns));
                }
                // For the connection.
                Out::Password => {}
            }
        }
        match taken.close {
            None => self.show_prompt(out),
            Some(close) => self.show_farewell(close, call_again_s, out),
        }
    }

    /// What the server says beside the world, where it was written for eyes and is to be read aloud.
    fn aloud(&self, line: &Line) -> Option<String> {
        if !self.prompt.aloud || line.from.is_some() {
            return None;
        }
        match aloud::text(&line.text) {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        }
    }

    pub fn show_prompt(&mut self, out: &mut Outbound<'_>) {
        if !self.plays {
            return;
        }
        if !self.prompt.compact {
            out.line_break();
        }
        if !self.prompt.text.is_empty() {
            out.text(self.prompt.text.trim_end());
            out.text(" ");
        }
        out.end_prompt();
        self.at_prompt = true;
    }

    fn show_farewell(&self, close: Close, call_again_s: Option<u64>, out: &mut Outbound<'_>) {
        let text = farewell(close, &self.farewell, call_again_s);
        if !text.is_empty() {
            out.line_break();
            out.line(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telnet::Codec;

    fn screen() -> Screen {
        let prompt = Prompt { text: "20H > ".into(), ..Prompt::default() };
        Screen { plays: true, prompt, ..Screen::new("Farewell.".into()) }
    }

    fn shown(screen: &mut Screen, lines: &[&str], close: Option<Close>) -> String {
        let line = |text: &&str| Out::line(Line { text: text.to_string(), ..Line::default() });
        let taken = Delivery { items: lines.iter().map(line).collect(), close, ..Delivery::default() };
        let (codec, mut bytes) = (Codec::new(100), Vec::new());
        screen.show(&taken, None, &mut Outbound::new(&codec, &mut bytes));
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn what_comes_unasked_begins_below_the_prompt() {
        let mut screen = screen();
        assert_eq!(shown(&mut screen, &["You look."], None), "You look.\r\n\r\n20H > ");
        assert_eq!(shown(&mut screen, &["Bob comes."], None), "\r\nBob comes.\r\n\r\n20H > ");
        // The player has typed a line, which ends the prompt's.
        screen.at_prompt = false;
        assert_eq!(shown(&mut screen, &["Bob goes."], None), "Bob goes.\r\n\r\n20H > ");
    }

    #[test]
    fn who_leaves_reads_a_farewell_and_no_prompt() {
        let mut screen = screen();
        assert_eq!(shown(&mut screen, &["You leave."], Some(Close::Quit)), "You leave.\r\n\r\nFarewell.\r\n");
        assert_eq!(shown(&mut screen, &[], Some(Close::Restarting)), "", "the next program goes on");
    }

    #[test]
    fn nothing_is_drawn_for_who_listens() {
        let mut screen = screen();
        screen.prompt = Prompt { aloud: true, compact: true, ..Prompt::default() };
        assert_eq!(shown(&mut screen, &["### Goals\n----\n- find  the well"], None), "Goals\r\n- find, the well\r\n");
    }

    #[test]
    fn nobody_has_a_prompt_before_the_game() {
        let mut screen = Screen { plays: false, ..screen() };
        assert_eq!(shown(&mut screen, &["Who are you?"], None), "Who are you?\r\n");
    }
}
