//! `[listing]` of `world.toml`: what lists of games are told of a world, besides what is counted in it.

use super::table::{File, Table};
use super::text::{Toml, quoted};
use crate::{Content, Listing, Text};

/// As lists know them.
const STATUSES: [&str; 4] = ["Alpha", "Closed Beta", "Open Beta", "Live"];
/// Characters of a value.
const VALUE_MAX: usize = 200;
const YEARS: std::ops::RangeInclusive<i32> = 1978..=2200;

pub(super) fn read(file: &mut File, root: &mut Table) {
    let Some(mut table) = file.table(root, "listing") else { return };
    let mut value = |file: &mut File, key: &str, fault: fn(&str) -> Option<String>| {
        let place = file.place_of_field(&table, key);
        let text = file.text(&mut table, key);
        let what = match &*text {
            "" => return text,
            long if long.chars().count() > VALUE_MAX => Some(format!("is longer than {VALUE_MAX} characters")),
            odd if odd.contains(char::is_control) => Some("has a line break or a control character in it".to_string()),
            other => fault(other),
        };
        match what {
            None => text,
            Some(what) => {
                file.error(place.line, format!("{key} {what}"));
                Text::default()
            }
        }
    };
    let any = |_: &str| None;
    let listing = Listing {
        contact: value(file, "contact", any),
        website: value(file, "website", not_web),
        icon: value(file, "icon", not_web),
        language: value(file, "language", any),
        location: value(file, "location", any),
        genre: value(file, "genre", any),
        status: value(file, "status", |status| {
            (!STATUSES.contains(&status)).then(|| format!("is {status:?}; lists know {}", STATUSES.join(", ")))
        }),
        created: None,
    };
    let line = file.place_of_field(&table, "created").line;
    let created = file.field::<i32>(&mut table, "created");
    if let Some(year) = created.filter(|year| !YEARS.contains(year)) {
        file.error(line, format!("created is {year}; it is the year in which the game opened"));
    }
    file.end(table);
    file.draft.content.listing = Listing { created: created.filter(|year| YEARS.contains(year)), ..listing };
}

fn not_web(address: &str) -> Option<String> {
    let is_web =
        ["http://", "https://"].iter().any(|scheme| address.strip_prefix(scheme).is_some_and(|to| !to.is_empty()));
    (!is_web).then(|| format!("is {address:?}; write an address such as https://mud.example.org"))
}

pub(super) fn write(content: &Content, toml: &mut Toml) {
    let listing = &content.listing;
    if *listing == Listing::default() {
        return;
    }
    toml.header("[listing]");
    for (key, text) in [
        ("contact", &listing.contact),
        ("website", &listing.website),
        ("icon", &listing.icon),
        ("language", &listing.language),
        ("location", &listing.location),
        ("genre", &listing.genre),
        ("status", &listing.status),
    ] {
        if !text.is_empty() {
            toml.raw(key, quoted(text));
        }
    }
    toml.number_if_any("created", listing.created);
}
