//! `sentences.toml`: what the game says in the world's own voice. What the file leaves out is said plainly.

use super::table::read_file;
use super::text::Toml;
use crate::draft::Draft;
use crate::sentences::Sentences;

pub(crate) const PATH: &str = "sentences.toml";

pub(crate) fn read(draft: &mut Draft) {
    let Some(text) = draft.source.files.get(PATH) else { return };
    draft.content.sentences = read_file(draft, PATH, text, |file, root| {
        let mut sentences = Sentences::default();
        for (key, sentence) in sentences.all_mut() {
            let told_who = sentence.contains("$n");
            let Some(written) = file.text_if_any(root, key) else { continue };
            if written.trim().is_empty() {
                file.warn(1, format!("the sentence {key:?} is empty: nobody would read anything"));
            }
            if written.contains("$n") != told_who {
                let what = if told_who { "has to say who ($n)" } else { "is about nobody: it has no $n" };
                file.error(1, format!("the sentence {key:?} {what}"));
            }
            *sentence = written;
        }
        sentences
    });
}

/// Only what differs from the plain ones; may be empty.
pub(crate) fn write(sentences: &Sentences) -> String {
    let plain = Sentences::default();
    let mut toml = Toml::default();
    for ((key, sentence), (_, plain)) in sentences.all().zip(plain.all()) {
        if sentence != plain {
            toml.text(key, sentence);
        }
    }
    toml.finish()
}
