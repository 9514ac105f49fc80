//! Deliberations with minds that say what a test wants.

use super::*;
use crate::ledger::Usage;
use mind::council::{By, Conflict, Seats};
use mind::hud::LiveView;
use mind::prompt::{PartName, PromptBuilder, Settings};
use mind::state::MindState;

fn prompt(format: Format) -> Box<Prompt> {
    let settings = Settings { format, kept_free: mind::council::KEPT_FREE, ..Settings::default() };
    Box::new(PromptBuilder::new(settings).build(&LiveView::default(), &[], &MindState::default()))
}

fn begun(method: Method) -> Deliberation {
    Deliberation::new(Brief { method, ..Brief::default() }, prompt(Format::default()))
}

fn council(list: &str) -> Deliberation {
    begun(Method::Council(Seats::parse(list).expect("a council")))
}

/// Lines with `;` between, and after a `|` the word of `choose`. An empty text does nothing.
fn says(text: &str) -> Thought {
    let (lines, choose) = text.split_once('|').map_or((text, None), |(lines, word)| (lines, Some(word.to_string())));
    let actions = lines.split(';').filter(|line| !line.is_empty()).map(str::to_string).collect();
    Thought {
        answer: Ok(Answer { actions, choose, ..Answer::default() }),
        usage: Usage { prompt: 100, cached: 90, completion: 10, ..Usage::default() },
        cost_micros: Some(3),
        latency: Duration::from_millis(200),
        requests: 1,
        ..Thought::begun("m")
    }
}

fn fails(error: ModelError) -> Thought {
    Thought { answer: Err(error), ..Thought::begun("m") }
}

/// Who was asked, in order, and what came of it.
fn held(mut deliberation: Deliberation, thoughts: Vec<Thought>) -> (Vec<Option<Member>>, Thought) {
    let mut asked = Vec::new();
    let mut thoughts = thoughts.into_iter();
    while let Some(call) = deliberation.next() {
        assert_eq!(call.number, asked.len());
        asked.push(call.member);
        deliberation.answered(thoughts.next().expect("nobody is asked whom the test has no words for"));
    }
    assert!(thoughts.next().is_none(), "somebody was not asked");
    (asked, deliberation.end())
}

fn lines(thought: &Thought) -> Vec<&str> {
    thought.answer.as_ref().expect("an answer").actions.iter().map(String::as_str).collect()
}

fn row(thought: &Thought) -> &CouncilRow {
    thought.counsel.council.as_ref().expect("a row")
}

const ALL: &str = "inner,outer,observer";
const INNER: Option<Member> = Some(Member::Inner);
const OUTER: Option<Member> = Some(Member::Outer);
const OBSERVER: Option<Member> = Some(Member::Observer);

#[test]
fn where_two_agree_nobody_else_is_asked_and_both_have_their_words() {
    let (asked, thought) = held(council(ALL), vec![says("say hello;kill rat"), says("kill rat;note it is old")]);
    assert_eq!((asked, lines(&thought)), (vec![INNER, OUTER], vec!["say hello", "note it is old", "kill rat"]));
    let row = row(&thought);
    assert_eq!((row.chosen.as_deref(), row.by, row.calls), (Some("inner"), Some(By::Agreed), 2));
    assert_eq!((row.tokens.inner, row.tokens.outer, row.tokens.observer), (110, 110, 0));
    assert_eq!((thought.usage.prompt, thought.cost_micros, thought.requests), (200, Some(6), 2));
    assert_eq!(thought.latency, Duration::from_millis(400));
    let (_, thought) = held(council(ALL), vec![says("say hello"), says("north")]);
    assert_eq!(lines(&thought), ["say hello", "north"], "what the first left free is the other's");
}

#[test]
fn observer_is_asked_where_two_differ_and_its_word_counts() {
    for (word, done, chosen) in
        [("|outer", "north", "outer"), ("|inner", "kill rat", "inner"), ("rest|own", "rest", "own")]
    {
        let (asked, thought) = held(council(ALL), vec![says("kill rat;say no"), says("north"), says(word)]);
        assert_eq!(asked, [INNER, OUTER, OBSERVER]);
        assert_eq!(lines(&thought)[0], done, "{word}");
        let row = row(&thought);
        assert_eq!((row.chosen.as_deref(), row.by), (Some(chosen), Some(By::Observer)));
        assert_eq!((row.conflict, row.calls), (Some(Conflict::Command), 3));
        assert_eq!(row.proposals.len(), if chosen == "own" { 3 } else { 2 });
    }
    let (_, thought) = held(council(ALL), vec![says("kill rat"), says("north"), says("|none")]);
    assert_eq!((row(&thought).rule.as_deref(), lines(&thought)), (Some("inner"), vec!["kill rat"]));
}

#[test]
fn without_observer_the_rules_choose_and_with_one_seat_empty_it_reads_what_the_other_wants() {
    let (asked, thought) = held(council("inner,outer"), vec![says("kill rat"), says("north")]);
    assert_eq!((asked, row(&thought).by), (vec![INNER, OUTER], Some(By::Rule)));
    let (asked, thought) = held(council("outer,observer"), vec![says("north"), says("south|own")]);
    assert_eq!((asked, lines(&thought)), (vec![OUTER, OBSERVER], vec!["south"]));
    let (asked, thought) = held(council("outer,observer"), vec![says("north"), says("|inner")]);
    assert_eq!((asked, lines(&thought)), (vec![OUTER, OBSERVER], vec!["north"]), "nobody of that name proposed");
    let (asked, _) = held(council("inner"), vec![says("north")]);
    assert_eq!(asked, [INNER]);
}

#[test]
fn a_mind_that_fails_makes_no_proposal() {
    let errors = [
        ModelError::Timeout(900),
        ModelError::Unusable("no JSON".into()),
        ModelError::Waiting(2_000),
        ModelError::Unreachable("refused".into()),
    ];
    for error in errors {
        let (asked, thought) = held(council(ALL), vec![fails(error.clone()), says("north")]);
        assert_eq!((asked, lines(&thought)), (vec![INNER, OUTER], vec!["north"]), "{error}");
        assert_eq!(row(&thought).proposals.len(), 1);
        let (_, thought) = held(council(ALL), vec![says("kill rat"), says("north"), fails(error.clone())]);
        assert_eq!((row(&thought).by, lines(&thought)), (Some(By::Rule), vec!["kill rat"]), "{error}");
        let (_, thought) = held(council(ALL), vec![fails(error.clone()), fails(ModelError::Timeout(1))]);
        assert_eq!(thought.answer, Err(error), "nobody answered: the first says why");
        assert_eq!((row(&thought).chosen.as_deref(), row(&thought).by), (None, None));
    }
}

#[test]
fn a_budget_that_ends_within_a_decision_ends_it_with_what_there_is() {
    let (asked, thought) = held(council(ALL), vec![says("kill rat"), fails(ModelError::Budget("tokens"))]);
    assert_eq!((asked, lines(&thought)), (vec![INNER, OUTER], vec!["kill rat"]));
    let (asked, thought) = held(council(ALL), vec![fails(ModelError::Budget("tokens"))]);
    assert_eq!((asked, thought.answer), (vec![INNER], Err(ModelError::Budget("tokens"))));
}

#[test]
fn one_body_has_one_tick_and_eight_free_lines_whoever_agrees() {
    let notes = |from: usize, to: usize| (from..to).map(|n| format!("note {n}")).collect::<Vec<_>>().join(";");
    let (_, thought) =
        held(council("inner,outer"), vec![says(&format!("{};kill rat", notes(0, 6))), says(&notes(4, 12))]);
    let answer = thought.answer.as_ref().expect("an answer");
    assert_eq!(answer.actions.len(), FREE_MAX + 1);
    assert_eq!(answer.actions.last().map(String::as_str), Some("kill rat"));
}

#[test]
fn all_minds_share_what_stands_before_p4_and_each_is_named_in_the_last_line() {
    for format in Format::ALL {
        let base = prompt(format);
        let method = Method::Council(Seats::ALL);
        let mut deliberation = Deliberation::new(Brief { method, format, ..Brief::default() }, base.clone());
        let said = [says("kill rat"), says("north"), says("|none")];
        let mut said = said.into_iter();
        let mut names = Vec::new();
        while let Some(Call { member, prompt, .. }) = deliberation.next() {
            for (part, shared) in prompt.parts.iter().zip(&base.parts) {
                match part.name {
                    PartName::P4 => assert!(part.text.starts_with(&shared.text), "the live view comes first"),
                    _ => assert_eq!(part.text, shared.text, "{:?} in {format:?}", part.name),
                }
            }
            let text = prompt.text();
            assert_eq!(mind::tokens::count(&text), prompt.tokens, "{format:?}");
            assert!(prompt.tokens - base.tokens <= mind::council::KEPT_FREE + 40);
            assert_eq!(prompt.offer.chooses, member == OBSERVER);
            names.push(text.lines().last().unwrap_or_default().to_string());
            deliberation.answered(said.next().expect("three calls"));
        }
        assert_eq!(names, ["mind: INNER", "mind: OUTER", "mind: OBSERVER"], "{format:?}");
    }
}

#[test]
fn of_several_votes_the_majority_is_done() {
    let votes = vec![says("north"), says("kill rat;say one"), says("kill rat;say two")];
    let (asked, thought) = held(begun(Method::Votes(3)), votes);
    assert_eq!((asked, lines(&thought)), (vec![None; 3], vec!["kill rat", "say one"]));
    let row = thought.counsel.votes.as_ref().expect("a row");
    assert_eq!((row.alike, row.calls, row.cast.len()), (2, 3, 3));
    assert_eq!(thought.usage.prompt, 300);
    let (_, thought) = held(begun(Method::Votes(2)), vec![fails(ModelError::Timeout(1)), says("north")]);
    assert_eq!(lines(&thought), ["north"]);
    let (_, thought) = held(begun(Method::Alone), vec![says("north")]);
    assert_eq!((lines(&thought), &thought.counsel), (vec!["north"], &Counsel::default()));
}
