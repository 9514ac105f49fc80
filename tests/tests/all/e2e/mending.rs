//! A mind that is written to a file, mended there, and made what the file says.

use super::green;
use tests::e2e::{Player, Server};

#[tokio::test(flavor = "multi_thread")]
async fn a_mind_mended_in_an_editor_becomes_verbs_of_the_character() {
    let server = Server::start_with(green());
    let player = Player::of(&server, "Wren").await;
    let done = |words: &[&str]| {
        let ended = player.run(words);
        assert_eq!(ended.code, Some(0), "{words:?}: {}{}", ended.out, ended.err);
        ended.out
    };
    done(&["exec", "task", "cross", "the", "moor"]);
    done(&["exec", "goal", "find", "the", "gate"]);
    done(&["exec", "note", "the guard sells maps"]);
    done(&["exec", "remember people.Bob.trust = 0.8"]);
    let file = player.path("mind.md").display().to_string();
    let ended = player.run(&["mind", "--export", &file]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let text = std::fs::read_to_string(&file).expect("it is written");
    assert!(text.starts_with("# Mind of Wren, as of #"), "{text}");
    // What comes meanwhile is not undone.
    done(&["exec", "note", "the well is dry"]);
    let goal = text.lines().find(|line| line.ends_with(" find the gate")).expect("a goal");
    let number = goal.trim_start_matches("- ").split(' ').next().expect("its number");
    let mended = text
        .replace(goal, &format!("- {number} ~~find the gate~~\n- cross it (high)\n  - at night\n    - with a lamp"))
        .replace("the guard sells maps", "the guard sells nothing")
        .replace("- people.Bob.trust = 0.8\n", "");
    std::fs::write(&file, &mended).expect("it is mended");
    let planned = done(&["mind", "--apply", &file, "--dry-run"]);
    for line in ["goal high cross it\n", "goal under <number of \"cross it\"> at night\n", "forget people.Bob.trust\n"]
    {
        assert!(planned.contains(line), "{line} in {planned}");
    }
    assert!(!done(&["exec", "note"]).contains("sells nothing"), "nothing was typed");
    done(&["mind", "--apply", &file]);
    let hud = done(&["exec", "hud"]);
    for line in ["~~find the gate~~", " cross it (high)", "  - #", "with a lamp", "sells nothing", "the well is dry"] {
        assert!(hud.contains(line), "{line} in {hud}");
    }
    assert!(!hud.contains("people.Bob"), "{hud}");
    std::fs::write(&file, mended.replace("## Notes", "## Plans")).expect("it is written");
    let refused = player.run(&["mind", "--apply", &file]);
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.err.contains("there is no list \"Plans\""), "{}", refused.err);
}
