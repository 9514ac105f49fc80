//! The scripts of a world's folder, read while the server runs. What they do is the world's (`world::scripts`).

use crate::content_files::read_world;
use content::scripts::ScriptSource;
use content::{Severity, Text, Vnum};
use serde::Serialize;
use std::path::PathBuf;
use world::script::Scripts;

/// Where the scripts are read from: the folder that the server was started with.
#[derive(Clone, Debug)]
pub struct ScriptFolder {
    pub world: PathBuf,
    pub start_room: Option<Vnum>,
}

impl ScriptFolder {
    /// All scripts of the folder; or what is wrong with them, a line each with file and line.
    pub fn read(&self) -> Result<Vec<ScriptSource>, Vec<String>> {
        let (content, problems) =
            read_world(&self.world, self.start_room).map_err(|error| vec![format!("{error:#}")])?;
        // A fault elsewhere in the folder is none of theirs: rows are read again at the next start.
        let own = |problem: &&content::Problem| problem.kind == Severity::Error && problem.file.ends_with(".luau");
        let mut wrong: Vec<String> = problems.0.iter().filter(own).map(ToString::to_string).collect();
        for (owner, vnum, names) in content.scripted() {
            let told = |name: &&content::Text| content.broken_scripts.contains(name);
            let missing = names.iter().filter(|name| content.script(name).is_none() && !told(name));
            let kind = owner.name();
            wrong.extend(missing.map(|name| format!("{kind} #{vnum} names the script {name:?}, which does not exist")));
        }
        if wrong.is_empty() { Ok(content.scripts) } else { Err(wrong) }
    }
}

/// What came of reading them again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, serde::Deserialize)]
pub struct Reloaded {
    pub ok: bool,
    /// Names of those that are others than before.
    pub changed: Vec<String>,
    pub problems: Vec<String>,
}

impl Reloaded {
    /// The world plays by them.
    pub fn of(changed: &[Text]) -> Reloaded {
        Reloaded { ok: true, changed: changed.iter().map(ToString::to_string).collect(), problems: Vec::new() }
    }
}

/// For people.
impl std::fmt::Display for Reloaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.ok, self.changed.as_slice()) {
            (false, _) => write!(f, "Nothing was changed.\n{}", self.problems.join("\n")),
            (true, []) => f.write_str("No script has changed. What was stopped runs again."),
            (true, changed) => write!(f, "Read again: {}.", changed.join(", ")),
        }
    }
}

/// What `/health` tells of them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ScriptFacts {
    pub loaded: usize,
    /// Hooks that were called since the world began.
    pub calls: u64,
    /// Those that are called no more until they are read again.
    pub stopped: Vec<StoppedScript>,
}

#[derive(Clone, Debug, Serialize)]
pub struct StoppedScript {
    pub file: String,
    pub hook: String,
    /// 0 where that is not known.
    pub line: u32,
    pub why: String,
}

impl ScriptFacts {
    pub fn of(scripts: &Scripts) -> ScriptFacts {
        let stopped = scripts.faults().filter(|(_, fault)| fault.stopped);
        let stopped = stopped.map(|(name, fault)| StoppedScript {
            file: name.to_string(),
            hook: fault.hook.clone(),
            line: fault.line,
            why: fault.why.clone(),
        });
        ScriptFacts { loaded: scripts.len(), calls: scripts.calls, stopped: stopped.collect() }
    }
}
