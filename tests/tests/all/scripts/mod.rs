//! What the old servers' scripts could do, ours can, or it is said why not; and the scripts of the shipped world run.

mod playing;

use content::scripts::{Hook, OwnerKind};
use std::collections::BTreeSet;
use tests::scene::{read_content, tests_folder};
use tests::transcript;
use world::commands::VERBS;
use world::scripts::api;

#[test]
fn every_function_of_the_old_interface_has_a_counterpart_or_a_reason() {
    let text = std::fs::read_to_string(tests_folder().join("golden/script_api.tsv")).expect("it is in git");
    let names: BTreeSet<&str> = api::rows().map(|row| row.signature.split('(').next().unwrap_or_default()).collect();
    let mut olds = BTreeSet::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [old, ours, why] = cells[..] else { panic!("{line:?} has three cells") };
        assert!(olds.insert(old), "{old} twice");
        assert!(!ours.is_empty() || !why.is_empty(), "{old} has neither");
        for name in ours.split(' ').filter(|name| !name.is_empty()) {
            let verb = name.strip_prefix("verb:").is_some_and(|verb| VERBS.iter().any(|row| row.name == verb));
            assert!(verb || names.contains(name), "{old}: there is no {name}");
        }
    }
    assert_eq!(olds.len(), 62, "the functions of the reference, section 7");
}

#[test]
fn the_shipped_world_uses_every_hook_in_every_zone() {
    let content = read_content(&tests_folder().join("../data/world"));
    let zones: BTreeSet<&str> = content.scripts.iter().filter_map(|script| script.name.split('/').next()).collect();
    assert_eq!(zones.len(), content.zones.len(), "{zones:?}");
    assert!(content.scripts.len() >= 24, "{} scripts", content.scripts.len());
    for hook in Hook::ALL {
        let used = content.scripted().any(|(owner, _, names)| {
            let has = |name| content.script(name).is_some_and(|script| script.hooks.has(*hook));
            hook.owners().contains(&owner) && names.iter().any(|name| has(name))
        });
        assert!(used, "nobody has the hook {}", hook.name());
    }
    let owners: BTreeSet<OwnerKind> = content.scripted().map(|(owner, ..)| owner).collect();
    assert_eq!(owners.len(), 3);
}

#[test]
fn each_hook_has_a_transcript_of_its_name_in_which_all_kinds_of_owners_are_asked() {
    let mut wrong = Vec::new();
    for hook in Hook::ALL {
        let file = tests_folder().join(format!("transcripts/scripts/{}.txt", hook.name()));
        let Ok(text) = std::fs::read_to_string(&file) else {
            wrong.push(format!("the hook {} has no transcript", hook.name()));
            continue;
        };
        let mut asked = BTreeSet::new();
        transcript::play_watched(&text, &file, &mut |report| {
            for call in &report.script_calls {
                wrong.extend(call.wrong.iter().map(|why| format!("{}: {why}", call.script)));
                if call.hook == hook.name() {
                    asked.extend(call.owner.split(' ').next().map(str::to_string));
                }
            }
        });
        let missing = hook.owners().iter().filter(|owner| !asked.contains(owner.name()));
        wrong
            .extend(missing.map(|owner| format!("no {} has the hook {} in its transcript", owner.name(), hook.name())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
