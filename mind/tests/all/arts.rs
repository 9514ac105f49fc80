//! The table of the own arts: where it stands, when it changes, and what it costs.

use crate::sessions::{Session, arts, hero};
use mind::MindState;
use mind::arts::ArtsView;
use mind::budget::Tier;
use mind::hud::{Format, LiveView, SelfView};
use mind::prompt::{PartName, Prompt, PromptBuilder, Settings};
use protocol::arts::KnownArt;

/// The text of all parts of that name.
fn parts(prompt: &Prompt, name: PartName) -> String {
    prompt.parts.iter().filter(|part| part.name == name).map(|part| part.text.as_str()).collect()
}

/// All of a fight long P1 stays what a cache holds; what becomes another is told behind it, and a fold shows all of it.
#[test]
fn arts_change_no_byte_of_p1_from_one_fold_to_the_next() {
    let formats = Format::ALL.into_iter().flat_map(|format| Tier::ALL.map(|tier| (format, tier)));
    for (format, tier) in formats {
        let mut session = Session::new(3);
        let mut builder = PromptBuilder::new(Settings { tier, format, ..Settings::default() });
        let mut self_ = SelfView { arts: arts(), ..hero() };
        let (mut before, mut folds, mut told) = (String::new(), 0, 0);
        for n in 0..150 {
            let step = session.step();
            // One learns by each use, and a level makes spells cheaper.
            self_.arts.rows[0].percent = 20 + n / 2;
            self_.arts.rows[1].mana = Some(40 - n / 15);
            builder.set_self(self_.clone());
            builder.append(step.block);
            let prompt = builder.build(&step.live, &step.recent, &step.state);
            assert!(prompt.tokens <= prompt.budget, "{format:?} {tier:?}");
            let p1: String = parts(&prompt, PartName::P1);
            if n > 0 && builder.folds() == folds {
                assert_eq!(p1, before, "{format:?} {tier:?} at {n}");
            }
            told += usize::from(parts(&prompt, PartName::P3).contains("armor"));
            assert!(p1.contains("magic missile"), "{format:?} {tier:?}: {p1}");
            assert_eq!(prompt.offer.arts.len(), 4);
            (before, folds) = (p1, builder.folds());
        }
        assert!(told > 0, "{format:?} {tier:?}");
        self_.arts.rows[0].percent = 99;
        builder.set_self(self_.clone());
        builder.compact(&session.state);
        let step = session.step();
        let prompt = builder.build(&step.live, &step.recent, &step.state);
        let p1 = parts(&prompt, PartName::P1);
        assert_ne!(p1, before, "a fold shows what was told since");
    }
}

/// Whoever knows no arts pays nothing for those who do; whoever knows many pays no more than their share.
#[test]
fn arts_cost_those_who_know_some() {
    let tokens = |count: usize, tier: Tier| {
        let mut builder = PromptBuilder::new(Settings { tier, ..Settings::default() });
        let art = |n: usize| KnownArt { name: format!("ember art {n}").into(), ..arts().rows[0].clone() };
        let arts = ArtsView { rows: (0..count).map(art).collect(), ..ArtsView::default() };
        builder.set_self(SelfView { arts, ..hero() });
        let prompt = builder.build(&LiveView::default(), &[], &MindState::default());
        let of = |name| prompt.parts.iter().filter(|part| part.name == name).map(|part| part.tokens).sum::<usize>();
        (of(PartName::P0), of(PartName::P1), prompt.text())
    };
    for tier in Tier::ALL {
        let (rules, none, text) = tokens(0, tier);
        assert!(!text.contains("cast: spell") && !text.contains("arts["), "{text}");
        let (rules_with, few, text) = tokens(4, tier);
        assert_eq!(rules, rules_with, "P0 is the same for all");
        assert!(text.contains("cast: spell, target?\nuse: object, target?\npractice: art?\norder: whom, command"));
        let (_, many, text) = tokens(120, tier);
        let actions = few - none;
        assert!(actions < 200 && many <= none + 120 + tier.caps().arts, "{none} {few} {many}");
        assert!(text.contains("arts_more: "), "{text}");
    }
}
