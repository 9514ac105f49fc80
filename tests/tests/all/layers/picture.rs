//! The picture of the modules in docs/ARCHITECTURE.md, drawn from the table that is checked.

use super::table::Table;

/// Between these two lines of the page.
const BEGIN: &str = "<!-- Made from tests/layers.toml: UPDATE=1 cargo test -p tests --test all layers -->\n";
const END: &str = "<!-- The end of what is made from tests/layers.toml. -->\n";

/// Columns of the picture.
const WIDTH: usize = 110;

/// The page with the picture in its place.
pub fn drawn_into(page: &str, table: &Table) -> Result<String, String> {
    let (before, rest) = page.split_once(BEGIN).ok_or("the page has no place for the picture")?;
    let (_, after) = rest.split_once(END).ok_or("the place for the picture has no end")?;
    Ok(format!("{before}{BEGIN}{}{END}{after}", picture(table)))
}

fn picture(table: &Table) -> String {
    let mut text = String::from("\n```mermaid\nflowchart TD\n");
    for row in &table.crates {
        // Tests may use everything, which would only be a picture of many lines.
        if row.name == "tests" {
            continue;
        }
        text.push_str(&format!("    {}\n", row.name));
        // What is used by way of another crate needs no arrow of its own.
        let by_way = |used: &String| row.uses.iter().filter(|via| *via != used).any(|via| reaches(table, via, used));
        for used in row.uses.iter().filter(|used| !by_way(used)) {
            text.push_str(&format!("    {} --> {used}\n", row.name));
        }
    }
    text.push_str("```\n\n| crate | uses of ours | uses of others |\n|---|---|---|\n");
    let list = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for row in &table.crates {
        text.push_str(&format!("| `{}` | {} | {} |\n", row.name, list(&row.uses), list(&row.external)));
    }
    for row in table.crates.iter().filter(|row| !row.layers.is_empty()) {
        text.push_str(&format!("\n`{}`, what is above may use what is below:\n\n```text\n", row.name));
        let rules = table.pure.iter().filter(|rule| rule.krate == row.name);
        let pure: Vec<&String> = rules.flat_map(|rule| &rule.modules).collect();
        for (depth, layer) in row.layers.iter().enumerate() {
            let mut line = format!("{:>2}  ", row.layers.len() - depth);
            for name in layer {
                let name = if pure.contains(&name) { format!("{name}°") } else { name.clone() };
                if line.chars().count() + name.chars().count() > WIDTH {
                    text.push_str(&format!("{}\n", line.trim_end()));
                    line = "    ".to_owned();
                }
                line.push_str(&format!("{name}  "));
            }
            text.push_str(&format!("{}\n", line.trim_end()));
        }
        text.push_str("```\n");
        if !row.waiting.is_empty() {
            text.push_str(&format!("\nWaiting to be turned round: {}.\n", row.waiting.join(", ")));
        }
        if !pure.is_empty() {
            text.push_str("\n° reaches no IO, by whatever way.\n");
        }
    }
    text.push('\n');
    text
}

/// Whether one crate uses another, directly or by way of others.
fn reaches(table: &Table, from: &str, to: &str) -> bool {
    table.row(from).is_some_and(|row| row.uses.iter().any(|used| used == to || reaches(table, used, to)))
}
