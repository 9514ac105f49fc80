//! What may be wrong with answers: nobody gives them, nobody can hear of them, or an earlier one always comes first.

use crate::answers::spoken_words;
use crate::content::Content;
use crate::draft::Draft;
use crate::origins::{Faults, Place};
use crate::text::Text;
use crate::vnum::Vnum;
use std::collections::{BTreeMap, BTreeSet};

/// Errors, then warnings.
pub(crate) fn faults(draft: &Draft) -> (Faults, Faults) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let Draft { content, origins, .. } = draft;
    if content.answers.is_empty() {
        return (errors, warnings);
    }
    let shown = shown_words(content);
    let said: Vec<BTreeSet<String>> = content.answers.iter().map(|row| spoken_words(&row.says).collect()).collect();
    let mut plain: BTreeMap<(Vnum, &Text), Place> = BTreeMap::new();
    // By mobs that greet everybody.
    let mut greeted: BTreeMap<Vnum, Place> = BTreeMap::new();
    // Both lists are sorted by the mob and keep the order of reading among equal numbers.
    for (index, answer) in content.answers.iter().enumerate() {
        let place = origins.answers.get(index).map(|(_, place)| *place).unwrap_or_default();
        let mob = answer.mob;
        if content.mob_index(mob).is_none() {
            errors.push((place, format!("this answer is given by mob #{mob}, which does not exist")));
        }
        if let Some(object) = answer.carries.filter(|object| content.object_index(*object).is_none()) {
            errors.push((place, format!("this answer asks for object #{object}, which does not exist")));
        }
        let elsewhere =
            |word: &str| said.iter().enumerate().any(|(other, words)| other != index && words.contains(word));
        if !answer.greets && !answer.to.iter().any(|word| shown.contains(&**word) || elsewhere(word)) {
            let what = "nobody can find this answer: no text of the world has a word of its `to`";
            warnings.push((place, what.to_string()));
        }
        for word in &answer.to {
            if let Some(first) = plain.get(&(mob, word)) {
                let what = format!("mob #{mob} already answers to {word:?} at line {}: this is never said", first.line);
                warnings.push((place, what));
            }
        }
        if answer.greets
            && let Some(first) = greeted.get(&mob)
        {
            let what = format!("mob #{mob} already greets everybody at line {}: this is never said", first.line);
            warnings.push((place, what));
        }
        if answer.is_plain() && answer.greets {
            greeted.entry(mob).or_insert(place);
        }
        if answer.is_plain() {
            plain.extend(answer.to.iter().map(|word| ((mob, word), place)));
        }
    }
    (errors, warnings)
}

/// Every word that the world's rooms, mobs and objects show.
fn shown_words(content: &Content) -> BTreeSet<String> {
    let mut texts: Vec<&str> = Vec::new();
    for room in &content.rooms {
        texts.extend([&*room.name, &*room.description]);
        texts.extend(room.extras.iter().map(|extra| &*extra.text));
    }
    for mob in &content.mobs {
        texts.extend([&*mob.short, &*mob.long, &*mob.description, &*mob.noise]);
    }
    for object in &content.objects {
        texts.extend([&*object.short, &*object.long, &*object.action]);
        texts.extend(object.extras.iter().map(|extra| &*extra.text));
    }
    texts.into_iter().flat_map(spoken_words).collect()
}
