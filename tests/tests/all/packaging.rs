//! What the packages promise, as far as it shows without building them: every file that the Debian package, the unit
//! and the image name is in the tree, and the image's builder is given all that the program is compiled from.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tests::documents;

fn read(path: &str) -> String {
    std::fs::read_to_string(documents::path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest(path: &str) -> toml::Table {
    toml::from_str(&read(path)).expect("a manifest is TOML")
}

/// From where to where the Debian package copies: a path of the tree, its target in the package.
fn assets(deb: &toml::Value) -> Vec<(String, String)> {
    let rows = deb["assets"].as_array().expect("a list of assets");
    let text = |row: &toml::Value, at: usize| row[at].as_str().expect("a text").to_string();
    rows.iter().map(|row| (text(row, 0), text(row, 1))).collect()
}

/// Whether this path of the tree is there; a star stands for at least one file.
fn exists(path: &str) -> bool {
    let root = documents::path(".");
    match path.split_once('*') {
        None => root.join(path).exists(),
        Some((folder, rest)) => {
            let ending = rest.rsplit('*').next().unwrap_or_default().trim_start_matches('/');
            let entries = std::fs::read_dir(root.join(folder));
            entries.is_ok_and(|files| files.flatten().any(|f| f.file_name().to_string_lossy().ends_with(ending)))
        }
    }
}

/// Values of a unit's lines that begin with this key.
fn values<'u>(unit: &'u str, key: &'u str) -> impl Iterator<Item = &'u str> {
    unit.lines().filter_map(move |line| line.strip_prefix(key)?.strip_prefix('='))
}

/// Names of the variables of the environment that the program reads: one for each key of its config file.
fn variables() -> BTreeSet<String> {
    let example = read("docs/dp.example.toml");
    let keys = example.lines().filter_map(|line| line.strip_prefix('#')?.split_once(" = ")).map(|(key, _)| key);
    keys.map(|key| format!("DP_SERVER_{}", key.replace('-', "_").to_ascii_uppercase())).collect()
}

#[test]
fn all_that_the_debian_package_installs_is_in_the_tree_and_what_its_unit_names_is_installed() {
    let manifest = manifest("server/Cargo.toml");
    let deb = &manifest["package"]["metadata"]["deb"];
    let program = manifest["bin"][0]["name"].as_str().expect("a program");
    let assets = assets(deb);
    let mut installed = BTreeSet::new();
    for (from, to) in &assets {
        match from.strip_prefix("target/") {
            Some(built) => assert_eq!(built, format!("dist/{program}")),
            None => assert!(exists(&format!("server/{from}")), "{from} is not there"),
        }
        let file = from.rsplit('/').next().unwrap_or_default();
        installed.insert(match to.strip_suffix('/') {
            Some(folder) if file.contains('*') => format!("/{folder}"),
            Some(folder) => format!("/{folder}/{file}"),
            None => format!("/{to}"),
        });
    }
    for file in deb["conf-files"].as_array().into_iter().flatten() {
        assert!(installed.contains(file.as_str().expect("a path")), "{file} is not installed");
    }
    for key in ["maintainer-scripts", "license-file"] {
        let value = &deb[key];
        let path = value.as_str().or_else(|| value[0].as_str()).expect("a path");
        assert!(exists(&format!("server/{path}")), "{path} is not there");
    }

    let made = Command::new(documents::path("contrib/debian/unit")).output().expect("a shell");
    assert!(made.status.success(), "{made:?}");
    let unit = String::from_utf8(made.stdout).expect("text");
    assert!(!unit.contains("/usr/local"), "{unit}");
    let is_there = |path: &str| {
        let named = path.replace("%E", "/etc");
        // A folder is installed when it is the target of what has stars.
        let is_page = Path::new(&named).parent().is_some_and(|folder| {
            exists(&format!("docs/{}", Path::new(&named).file_name().unwrap_or_default().to_string_lossy()))
                && installed.contains(&*folder.to_string_lossy())
        });
        assert!(installed.contains(&named) || is_page, "the unit names {path}, which is not installed: {installed:?}");
    };
    values(&unit, "ExecStart").flat_map(str::split_whitespace).filter(|w| !w.starts_with("--")).for_each(is_there);
    values(&unit, "Documentation").filter_map(|page| page.strip_prefix("file:")).for_each(is_there);
    let known = variables();
    for (name, value) in values(&unit, "Environment").filter_map(|pair| pair.split_once('=')) {
        assert!(known.contains(name), "the program reads no {name}");
        if !value.starts_with("%S") {
            is_there(value);
        }
    }
}

/// Whether the builder of the image gets this path, by the lines of `.dockerignore`: the last that fits counts.
fn is_sent(ignored: &str, path: &str) -> bool {
    let mut sent = true;
    for line in ignored.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (rule, sends) = line.strip_prefix('!').map_or((line, false), |rule| (rule, true));
        let fits = rule == "*" || path == rule || path.strip_prefix(rule).is_some_and(|rest| rest.starts_with('/'));
        if fits {
            sent = sends;
        }
    }
    sent
}

/// Paths of the tree, from its root, that sources of a crate take in when they are compiled. `folder`: below the crate.
fn taken_in(name: &str, folder: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(documents::path(folder)).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        let file = format!("{folder}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            taken_in(name, &file, found);
        } else if file.ends_with(".rs") {
            let text = read(&file);
            for line in text.lines().filter(|line| line.contains("include_") || line.contains("#[folder")) {
                let from = if line.contains("#[folder") { name } else { folder };
                for quoted in line.split('"').skip(1).step_by(2).filter(|quoted| quoted.starts_with("../")) {
                    let ups = quoted.matches("../").count();
                    let kept = from.split('/').count().checked_sub(ups).expect("below the root");
                    let kept: Vec<&str> =
                        from.split('/').take(kept).chain([quoted.trim_start_matches("../")]).collect();
                    found.insert(kept.join("/"));
                }
            }
        }
    }
}

#[test]
fn the_image_is_given_all_that_it_is_built_from_and_names_what_the_program_knows() {
    let (dockerfile, ignored) = (read("Dockerfile"), read(".dockerignore"));
    let workspace = manifest("Cargo.toml");
    let mut needed = BTreeSet::from(["Cargo.toml".to_string(), "Cargo.lock".to_string()]);
    for member in workspace["workspace"]["members"].as_array().expect("members").iter().filter_map(|m| m.as_str()) {
        needed.insert(format!("{member}/Cargo.toml"));
        needed.insert(format!("{member}/src"));
    }
    for name in ["protocol", "content", "world", "mind", "dreaming", "dream-folder", "server"] {
        taken_in(name, &format!("{name}/src"), &mut needed);
    }
    assert!(needed.contains("web/") && needed.contains("data/rules/rules.toml"), "{needed:?}");
    let copied = dockerfile.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.starts_with('-'));
    needed.extend(copied.filter_map(|line| line.split_whitespace().next()).map(String::from));
    for path in &needed {
        let path = path.trim_end_matches('/');
        assert!(exists(path), "{path} is not there");
        assert!(path == "." || is_sent(&ignored, path), ".dockerignore keeps {path} from the builder");
    }
    assert!(!is_sent(&ignored, "target") && !is_sent(&ignored, ".git"), "the builder gets what nobody needs");

    let known = variables();
    let named: Vec<&str> =
        dockerfile.split_whitespace().filter_map(|word| word.split_once('=')).map(|(name, _)| name).collect();
    let named: Vec<&str> = named.into_iter().filter(|name| name.starts_with("DP_")).collect();
    assert!(named.len() >= 5, "{named:?}");
    for name in named {
        assert!(known.contains(name), "the program reads no {name}");
    }
    let rust = workspace["workspace"]["package"]["rust-version"].as_str().expect("a version");
    assert!(dockerfile.contains(&format!("FROM rust:{rust}-")), "the image is built with another Rust than {rust}");
}
