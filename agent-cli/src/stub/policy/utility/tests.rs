//! What the utility policy chooses, and what a memory does to it.

use super::*;

fn body(key: &str, live: &str) -> Value {
    json!({"prompt_cache_key": key, "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": live}]})
}

const SEEDS: u64 = 600;

/// How often each line comes first among what spends a tick, over many seeds.
fn share(live: &str, line: &str) -> f64 {
    let hits = (0..SEEDS).filter(|seed| {
        let Reply::Answer(said) = Utility::new(*seed).reply(&body("a", live)) else { panic!("an answer") };
        let value: Value = serde_json::from_str(&said.content).expect("JSON");
        let (answer, _) = crate::answer::read(&crate::answer::RawReply { content: said.content, ..Default::default() })
            .unwrap_or_else(|error| panic!("{error}: {value}"));
        answer.actions.iter().any(|action| action == line) || (line.is_empty() && answer.actions.is_empty())
    });
    hits.count() as f64 / SEEDS as f64
}

fn live(vars: &str, rest: &str) -> String {
    format!("# Now\nvars:\n  tick: 9\n  level: 3\n  exp: 10\n  room: Here (10)\n{vars}{rest}What do you do now?\n")
}

const FIT: &str = "  hp: 30/30\n  moves: 80/82\n  position: standing\n  exits[1]: north\n";
const HURT: &str = "  hp: 12/30\n  moves: 80/82\n  position: standing\n  exits[1]: north\n";

#[test]
fn it_fights_what_it_can_beat_and_leaves_the_rest() {
    let rat = "mobs[1]{target,level,odds,name}:\n  rat,2,easy,a rat\n";
    let ogre = "mobs[1]{target,level,odds,name}:\n  ogre,9,deadly,an ogre\n";
    assert!(share(&live(FIT, rat), "kill rat") > 0.6);
    assert!(share(&live(FIT, ogre), "kill ogre") < 0.01);
    // Where to go it leaves to the policies.
    assert!(share(&live(FIT, ogre), "") > 0.9);
    assert!(share(&live(HURT, rat), "kill rat") < 0.05);
    assert!(share(&live(HURT, ""), "sleep") > 0.8);
    let unknown = "mobs[1]{target,name}:\n  imp,an imp\n";
    assert_eq!(share(&live(FIT, unknown), "consider imp"), 1.0);
    assert_eq!(share(&live(FIT, unknown), "kill imp"), 0.0);
}

#[test]
fn who_cannot_be_fought_is_no_reason_to_stay_awake() {
    let porter = "mobs[1]{target,level,odds,name}:\n  porter,20,cannot be fought,a porter\n";
    assert!(share(&live(HURT, porter), "sleep") > 0.8);
    assert_eq!(share(&live(FIT, porter), "kill porter"), 0.0);
    // Nobody knows how strong it is, and nobody needs to.
    let stranger = porter.replace("20,", ",");
    assert_eq!(share(&live(FIT, &stranger), "consider porter"), 0.0);
    assert!(share(&live(HURT, &stranger), "sleep") > 0.8);
    let ogre = porter.replace("cannot be fought", "deadly");
    assert_eq!(share(&live(HURT, &ogre), "sleep"), 0.0);
}

#[test]
fn it_rests_until_it_is_fit_and_flees_what_is_too_much() {
    let resting = |hp: i32| live(&format!("  hp: {hp}/30\n  moves: 80/82\n  position: resting\n"), "");
    // At any hour, as far as it knows: so asleep.
    assert!(share(&resting(12), "sleep") > 0.9);
    // Fit, it leaves the getting up to the policies.
    assert!(share(&resting(30), "") > 0.9);
    let fighting = |hp: i32| {
        live(
            &format!("  hp: {hp}/30\n  position: fighting\n  fighting: an ogre\n"),
            "mobs[1]{target,fighting,fighting_me,name}:\n  ogre,true,true,an ogre\n",
        )
    };
    assert!(share(&fighting(25), "flee") < 0.01);
    assert!(share(&fighting(1), "flee") > 0.9);
}

#[test]
fn it_stays_in_a_fight_against_an_equal_and_leaves_one_against_several_sooner() {
    let fighting = |rows: &str, count: usize| {
        let mobs = format!("mobs[{count}]{{target,level,fighting,fighting_me,name}}:\n{rows}");
        live("  hp: 12/30\n  position: fighting\n  fighting: a rat\n", &mobs)
    };
    let one = fighting("  rat,3,true,true,a rat\n", 1);
    let three = fighting("  rat,3,true,true,a rat\n  2.rat,3,true,true,a rat\n  3.rat,3,true,true,a rat\n", 3);
    let strong = fighting("  king,7,true,true,a king\n", 1);
    assert!(share(&one, "flee") < 0.05);
    assert!(share(&three, "flee") > 0.8);
    assert!(share(&strong, "flee") > 0.9);
}

const RAT: &str = "mobs[1]{target,level,name}:\n  rat,4,a rat\n";

fn memory(valence: i32, ago: &str, text: &str) -> String {
    format!("memories[1]{{id,ago,valence,text}}:\n  4,{ago},{valence},{text}\n")
}

/// The distribution over lines, for one who just came.
fn choice(rest: &str) -> BTreeMap<String, f64> {
    let seen = prompt_view::read(&live(FIT, rest));
    let mut walk = Walk::default();
    walk.see(&seen);
    let choices = choices(&seen, &mut walk, 0.5);
    choices.iter().map(|choice| choice.line.clone()).zip(shares(&choices, &seen)).collect()
}

fn speech(rest: &str) -> BTreeMap<String, f64> {
    let speaks = talk_share("Bob", &prompt_view::read(&live(FIT, rest)));
    BTreeMap::from([("speak".into(), speaks), ("".into(), 1.0 - speaks)])
}

/// Total variation. Source: evaluation §2, BPS.
fn moved(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    one.iter().map(|(line, share)| (share - other[line]).abs()).sum::<f64>() / 2.0
}

#[test]
fn a_memory_moves_the_log_odds_by_its_valence_and_what_nights_left_of_it() {
    let odds = |choice: &BTreeMap<String, f64>| (choice["kill rat"] / choice[""]).ln();
    let fresh = odds(&choice(RAT));
    for (valence, ago, salience) in [
        (-3, "20 min", 1.0),
        (-3, "7 d", 0.8316),
        (3, "7 d", 0.8316),
        (-1, "30 d", 0.2059),
        (2, "24 h", 0.9655),
        (0, "3 d", 1.0),
    ] {
        let felt = odds(&choice(&format!("{RAT}{}", memory(valence, ago, "A rat was there."))));
        let expected = f64::from(valence) * salience;
        assert!((felt - fresh - expected).abs() < 5e-3, "{valence} {ago}: {} is not {expected}", felt - fresh);
    }
    let other = odds(&choice(&format!("{RAT}{}", memory(-3, "1 h", "Bob hit me."))));
    assert_eq!(other, fresh, "it is about somebody else");
}

#[test]
fn what_is_felt_strongly_is_seen_in_what_is_done_and_what_faded_is_not() {
    let prey = |rest: &str| choice(&format!("{RAT}{rest}"));
    let of_rat = |valence, ago: &str| moved(&prey(""), &prey(&memory(valence, ago, "A rat was there.")));
    let of_bob = |valence, ago: &str| moved(&speech(""), &speech(&memory(valence, ago, "Bob was there.")));
    // Source of the aims: evaluation, E8.
    for (what, share) in [
        ("a rat comes in", of_rat(-3, "1 h")),
        ("a rat comes in, a week later", of_rat(-3, "7 d")),
        ("Bob spoke", of_bob(-3, "1 h")),
        ("Bob spoke, a week later", of_bob(-3, "7 d")),
        ("a friend spoke", of_bob(3, "1 h")),
        ("a friend spoke, a week later", of_bob(3, "7 d")),
    ] {
        assert!(share >= 0.30, "{what}: {share}");
    }
    for valence in [-1, 1] {
        for share in [of_rat(valence, "30 d"), of_bob(valence, "30 d")] {
            assert!(share < 0.10, "{valence}: {share}");
        }
    }
    // A good memory of what is attacked anyway can add no more than was missing.
    assert!(of_rat(3, "1 h") < 0.05);
}

#[test]
fn it_draws_as_often_as_it_should() {
    let bitten = format!("{RAT}{}", memory(-3, "1 h", "A rat nearly killed me."));
    for rest in [RAT, &bitten] {
        let (drawn, expected) = (share(&live(FIT, rest), "kill rat"), choice(rest)["kill rat"]);
        assert!((drawn - expected).abs() < 0.07, "{drawn} is not {expected}");
    }
}

#[test]
fn it_answers_whoever_spoke_once_and_in_their_channel() {
    let said = "5 heard Bob (tell): \"Are you \\\"there\\\"?\"\n";
    let mut answered = 0;
    for seed in 0..200 {
        let mut policy = Utility::new(seed);
        let mut talk = Vec::new();
        for _ in 0..40 {
            let Reply::Answer(said) = policy.reply(&body("a", &format!("{said}{}", live(FIT, "")))) else { panic!() };
            let value: Value = serde_json::from_str(&said.content).expect("JSON");
            let actions = value["actions"].as_array().expect("a list").clone();
            talk.extend(actions.into_iter().filter(|action| action["type"] == "tell"));
        }
        assert!(talk.len() <= 1, "{talk:?}");
        assert!(talk.iter().all(|talk| talk["to"] == "Bob"));
        answered += talk.len();
    }
    // e^0.6 to 1.
    assert!((110..150).contains(&answered), "{answered} of 200");
}

#[test]
fn conversations_do_not_disturb_each_other() {
    let asked = |order: &[&str]| {
        let mut policy = Utility::new(7);
        let mut by_key: BTreeMap<String, Vec<Reply>> = BTreeMap::new();
        for key in order {
            by_key.entry(key.to_string()).or_default().push(policy.reply(&body(key, &live(FIT, ""))));
        }
        by_key
    };
    assert_eq!(asked(&["a", "b", "a", "b"]), asked(&["b", "b", "a", "a"]));
}
