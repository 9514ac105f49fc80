//! Prints a prompt of a made-up session, and its tokens by section.
#[path = "../tests/sessions/mod.rs"]
mod sessions;

use mind::prompt::{PromptBuilder, Settings};

fn main() {
    let mut session = sessions::Session::new(7);
    let mut builder = PromptBuilder::new(Settings::default());
    builder.set_self(sessions::hero());
    for _ in 0..30 {
        let step = session.step();
        builder.append(step.block);
    }
    let prompt = builder.build(&session.live, &session.recent, &session.state);
    println!("{}", prompt.text());
    eprintln!("{:#?} {} {}", prompt.sections, prompt.tokens, prompt.pressure);
}
