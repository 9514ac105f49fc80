//! The file of sections that an operator declares for prompts: `[[section]]` tables of TOML, read whole or not at all.

use anyhow::{Context, bail, ensure};
use mind::sections::{self, Declared};
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

const BYTES_MAX: u64 = 64 << 10;
/// Problems that one sentence tells.
const TOLD_MAX: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    section: Vec<Declared>,
}

/// The sections of a file, or in one sentence what is wrong with them; without a file there are none.
pub fn read(path: Option<&Path>) -> anyhow::Result<Arc<[Declared]>> {
    let Some(path) = path else { return Ok(Arc::default()) };
    let shown = path.display();
    let reading = || format!("reading the sections {shown}");
    let size = std::fs::metadata(path).with_context(reading)?.len();
    ensure!(size <= BYTES_MAX, "the file of sections {shown} is larger than {} KB", BYTES_MAX >> 10);
    let text = std::fs::read_to_string(path).with_context(reading)?;
    let File { section } = match toml::from_str(&text) {
        Ok(file) => file,
        Err(error) => {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            bail!("the sections in {shown} cannot be used: line {line}: {}", error.message());
        }
    };
    let problems = sections::problems(&section);
    if !problems.is_empty() {
        let told = problems.iter().take(TOLD_MAX).map(String::as_str).collect::<Vec<_>>().join("; ");
        let more = problems.len().saturating_sub(TOLD_MAX);
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        bail!("the sections in {shown} cannot be used: {told}{more}");
    }
    Ok(section.into())
}

#[cfg(test)]
mod tests {
    use mind::pressure::Density;
    use mind::section::SectionPart;

    #[test]
    fn a_file_is_read_whole_or_told_wrong_by_line_and_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sections.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("it is written");
            super::read(Some(&path)).map_err(|error| format!("{error:#}"))
        };
        let sections = read(
            "[[section]]\nname = \"hurt\"\npart = \"now\"\nwhen = \"live.vars.hp < 10\"\ndensity = \"minimal\"\ncap = 20\n\
             order = -1\ntext = \"\"\"\n- {{ live.vars.hp }}\n\"\"\"\n\n[[section]]\nname = \"b\"\ntext = \"so\"\n",
        )
        .expect("it is right");
        assert_eq!((sections.len(), sections[0].part, sections[0].density), (2, SectionPart::Now, Density::Minimal));
        assert_eq!((sections[1].part, sections[1].cap, sections[1].order), (SectionPart::Snapshot, 80, 0));
        assert!(read("").expect("none are none").is_empty());
        for (text, why) in [
            ("[[section]]\nname = \"a\"\n", "line 1: missing field `text`"),
            ("[[section]]\nname = \"a\"\ntext = \"b\"\ncolour = 1\n", "line 4: unknown field `colour`"),
            ("[[section]]\nname = \"a\"\ntext = \"{{ live.tick }}\"\n", "section \"a\": text: there is no live"),
            ("[[section]\n", "line 1: "),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains("sections.toml cannot be used: ") && error.contains(why), "{error}");
        }
        let gone = super::read(Some(&folder.path().join("none.toml"))).map_err(|error| format!("{error:#}"));
        assert!(gone.expect_err("there is none").starts_with("reading the sections "));
        assert!(super::read(None).expect("none are wanted").is_empty());
    }
}
