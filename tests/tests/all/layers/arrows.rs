//! Which module uses which: every import and every path in code, followed through re-exports to where the name is.
//!
//! A method that is called on a value is seen where the value's name says its type (`world.walk(…)` for `World`, `self`
//! in an `impl`), and its type is one of `Crate::subjects`; only the compiler knows the other types.

use super::source::{Module, Use, module_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// All modules of a crate by path; the root is the empty path.
#[derive(Debug, Default)]
pub struct Crate {
    pub modules: BTreeMap<Vec<String>, Module>,
    /// Names of other crates as code has them, with `std`, `core` and `alloc`.
    pub externals: BTreeSet<String>,
    /// Types whose methods count: those with methods in many modules.
    pub subjects: BTreeSet<String>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A module of the same crate.
    Module(Vec<String>),
    /// A path of another crate.
    External(Vec<String>),
}

/// One use of something in another module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrow {
    pub from: Vec<String>,
    pub to: Target,
    pub file: String,
    pub line: u32,
}

/// How many re-exports may stand in a row; more is a circle of re-exports.
const REEXPORTS_MAX: usize = 16;

impl Crate {
    /// Reads the crate whose root is that file below `folder`, with all modules it declares.
    pub fn read(folder: &Path, root: &str, externals: BTreeSet<String>, subjects: BTreeSet<String>) -> Crate {
        let mut found = Crate { modules: BTreeMap::new(), externals, subjects };
        let load = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        found.add(&load, &[], root, &load(root).unwrap_or_else(|| panic!("there is no {root}")));
        found
    }

    /// A crate of made-up sources: path of each file below `src`, and its text.
    pub fn of(files: &[(&str, &str)]) -> Crate {
        let load = |file: &str| {
            files.iter().find(|(path, _)| format!("src/{path}") == file).map(|(_, text)| (*text).to_owned())
        };
        let externals = ["std", "core", "alloc", "tokio"].map(str::to_owned).into();
        let subjects = ["World".to_owned()].into();
        let mut found = Crate { modules: BTreeMap::new(), externals, subjects };
        found.add(&load, &[], "src/lib.rs", &load("src/lib.rs").expect("a lib.rs"));
        found
    }

    fn add(&mut self, load: &impl Fn(&str) -> Option<String>, path: &[String], file: &str, text: &str) {
        let module = module_of(path, file, text);
        self.take(load, module);
    }

    fn take(&mut self, load: &impl Fn(&str) -> Option<String>, mut module: Module) {
        let src = module.file.split("src/").next().unwrap_or_default().to_owned() + "src";
        for name in &module.children {
            let path: Vec<String> = module.path.iter().chain([name]).cloned().collect();
            let stem = format!("{src}/{}", path.join("/"));
            let files = [format!("{stem}.rs"), format!("{stem}/mod.rs")];
            let found = files.iter().find_map(|file| Some((file, load(file)?)));
            let (file, text) = found.unwrap_or_else(|| panic!("{}: `mod {name}` has no file", module.file));
            self.add(load, &path, file, &text);
        }
        for child in std::mem::take(&mut module.inline) {
            self.take(load, child);
        }
        self.modules.insert(module.path.clone(), module);
    }

    fn is_child(&self, module: &[String], name: &str) -> bool {
        let path: Vec<String> = module.iter().map(String::as_str).chain([name]).map(str::to_owned).collect();
        self.modules.contains_key(&path)
    }

    /// Every arrow from one module to another or to another crate, sorted; of several to the same place the first.
    pub fn arrows(&self) -> Vec<Arrow> {
        let mut arrows = BTreeMap::new();
        let methods: BTreeMap<(&str, &str), &Vec<String>> = self
            .modules
            .values()
            .flat_map(|module| module.methods.iter().map(|(owner, name)| ((&**owner, &**name), &module.path)))
            .filter(|((owner, _), _)| self.subjects.contains(*owner))
            .collect();
        for module in self.modules.values() {
            for (line, receiver, method) in &module.calls {
                let owner = self.subjects.iter().find(|subject| is_named_for(receiver, subject));
                let Some(to) = owner.and_then(|owner| methods.get(&(&**owner, &**method))) else { continue };
                if **to != module.path {
                    let place = arrows.entry((module.path.clone(), Target::Module((*to).clone()))).or_insert(*line);
                    *place = (*line).min(*place);
                }
            }
            let uses = module.uses.iter().map(|import| (import.line, &import.path, true));
            let paths = module.paths.iter().map(|(line, path)| (*line, path, false));
            for (line, path, is_import) in uses.chain(paths) {
                let Some(to) = self.target(module, path, is_import, 0) else { continue };
                if to != Target::Module(module.path.clone()) {
                    let place = arrows.entry((module.path.clone(), to)).or_insert(line);
                    *place = line.min(*place);
                }
            }
        }
        let arrow = |((from, to), line): ((Vec<String>, Target), u32)| {
            let file = self.modules[&from].file.clone();
            Arrow { from, to, file, line }
        };
        arrows.into_iter().map(arrow).collect()
    }

    /// Where a path leads that is written in `module`; none for what is no path of modules (`Type::new`).
    fn target(&self, module: &Module, path: &[String], is_import: bool, depth: usize) -> Option<Target> {
        if depth > REEXPORTS_MAX {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let mut from = module.path.clone();
        match first.as_str() {
            "crate" => self.find(&[], rest, depth),
            "self" => self.find(&from, rest, depth),
            "super" => {
                from.pop();
                let mut rest = rest;
                while rest.first().is_some_and(|name| name == "super") {
                    from.pop();
                    rest = &rest[1..];
                }
                self.find(&from, rest, depth)
            }
            name if self.is_child(&module.path, name) => self.find(&module.path, path, depth),
            name => {
                let named = |import: &&Use| import.name.as_deref() == Some(name) && import.path != path;
                if let Some(import) = module.uses.iter().find(named) {
                    let path: Vec<String> = import.path.iter().chain(rest).cloned().collect();
                    return self.target(module, &path, true, depth + 1);
                }
                let is_external = is_import || self.externals.contains(name);
                is_external.then(|| Target::External(path.to_vec()))
            }
        }
    }

    /// The module in which the path from `module` on ends: through children, then through re-exports.
    fn find(&self, module: &[String], path: &[String], depth: usize) -> Option<Target> {
        let mut here = module.to_vec();
        for (at, name) in path.iter().enumerate() {
            if self.is_child(&here, name) {
                here.push(name.clone());
                continue;
            }
            let found = self.modules.get(&here)?;
            return self.reexported(found, name, &path[at + 1..], depth).or(Some(Target::Module(here)));
        }
        self.modules.contains_key(&here).then_some(Target::Module(here))
    }

    /// Where a name comes from that a module imports rather than defines.
    fn reexported(&self, module: &Module, name: &String, rest: &[String], depth: usize) -> Option<Target> {
        if module.items.contains(name) {
            return None;
        }
        if let Some(import) = module.uses.iter().find(|import| import.name.as_ref() == Some(name)) {
            let path: Vec<String> = import.path.iter().chain(rest).cloned().collect();
            return self.target(module, &path, true, depth + 1);
        }
        module.uses.iter().filter(|import| import.name.is_none()).find_map(|glob| {
            let Some(Target::Module(from)) = self.target(module, &glob.path, true, depth + 1) else { return None };
            let holds = self.modules[&from].items.contains(name) || self.is_child(&from, name);
            let path: Vec<String> = [name].into_iter().chain(rest).cloned().collect();
            if holds {
                self.find(&from, &path, depth + 1)
            } else {
                self.reexported(&self.modules[&from], name, rest, depth + 1)
            }
        })
    }
}

/// `world` and `World` for the type `World`.
fn is_named_for(receiver: &str, subject: &str) -> bool {
    receiver.eq_ignore_ascii_case(&subject.replace('_', ""))
}

/// `a::b`; `the root` for the root.
pub fn shown(path: &[String]) -> String {
    if path.is_empty() { "the root".to_owned() } else { path.join("::") }
}
