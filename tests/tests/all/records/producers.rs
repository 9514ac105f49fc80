//! Which kinds of happenings the world brings about: what nothing makes is in one list, with its reason.

use mind::happenings::{Deed, WITHOUT_PRODUCER};
use std::collections::BTreeSet;
use tests::scene::tests_folder;

/// The sources of the world, without their tests.
fn sources(folder: &std::path::Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the sources of the world") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else {
            let file = std::fs::read_to_string(&path).expect("a source");
            text.push_str(file.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
}

/// What a source names that makes records of this kind.
fn maker(deed: Deed) -> String {
    match deed {
        Deed::Healed | Deed::Rescued | Deed::Grouped | Deed::Defended | Deed::Cooperated => format!("Help::{deed:?}"),
        Deed::SaidKindly | Deed::Insulted | Deed::Threatened => "What::Spoke".to_string(),
        Deed::DoorOpened | Deed::DoorClosed | Deed::DoorLocked | Deed::DoorUnlocked => "What::Door".to_string(),
        Deed::BuiltOnPlot | Deed::MovedOnPlot | Deed::RemovedFromPlot => "What::Built".to_string(),
        Deed::PlanDone | Deed::PlanDropped => "What::PlanEnded".to_string(),
        Deed::FollowedWell | Deed::FollowedIll | Deed::FollowedNowhere => "What::Differed".to_string(),
        // Neutral words are made by no other code than the others; `talking` says that they are kept by nobody.
        Deed::Said => "What::Said".to_string(),
        _ => format!("What::{deed:?}"),
    }
}

#[test]
fn what_nothing_brings_about_is_listed() {
    let mut text = String::new();
    sources(&tests_folder().join("../world/src"), &mut text);
    // What comes of a mind's own counsel it says itself.
    sources(&tests_folder().join("../mind/src/edit"), &mut text);
    let missing: BTreeSet<Deed> = Deed::ALL.iter().copied().filter(|deed| !text.contains(&maker(*deed))).collect();
    let listed: BTreeSet<Deed> = WITHOUT_PRODUCER.iter().map(|(deed, _)| *deed).collect();
    assert_eq!(
        missing, listed,
        "kinds that world/src and mind/src/edit make nowhere, and mind::happenings::WITHOUT_PRODUCER"
    );
    assert!(listed.len() <= 4, "make them before there are more");
}
