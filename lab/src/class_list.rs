//! Classes as they are named on a command line.

use content::words::Class;

/// `all`: those that are meant by it; else names with commas between.
pub fn class_list(names: &str, all: &[Class]) -> anyhow::Result<Vec<Class>> {
    let named = |name: &str| {
        let name = name.trim();
        let known = || Class::ALL.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ");
        let class = Class::ALL.iter().find(|class| class.name().eq_ignore_ascii_case(name)).copied();
        class.ok_or_else(|| anyhow::anyhow!("there is no class {name:?}; there are {}", known()))
    };
    match names.trim() {
        "all" => Ok(all.to_vec()),
        names => names.split(',').map(named).collect(),
    }
}
