#!/usr/bin/env python3
"""A pair of arms from one past: one with valence, one flat, and what they decide.

    python3 arms.py --state data/state --at 5000 --name Wren --minutes 5

Forks the state folder at a tick into arms: `felt`, `flat` (`dp-server fork --flat NAME`) and, to see how much two plays differ
that differ in nothing, `again`, which is felt as well. Each gets a server, a stub in the place of the model (the same seed, the
policy `utility`, which weighs the memories that its prompt shows) and `dp-agent session`, all at the same time.
Then it compares the decisions that the servers recorded. The programs are looked for in DP_BIN (target/release).
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import tempfile

BIN = pathlib.Path(os.environ.get("DP_BIN", "target/release"))
ARMS = {"felt": [], "again": [], "flat": ["--flat"]}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def begin(*words, ready):
    """Starts a program and returns it with the line that says where it listens."""
    program = subprocess.Popen([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in program.stdout:
        if ready in line:
            return program, line
    raise SystemExit(f"{words[0]} ended before it was ready")


def port_in(line):
    """The first port of a line such as `ready http=127.0.0.1:4350 …`."""
    return int(line.split("127.0.0.1:")[1].split()[0].split("/")[0].rstrip(".,"))


def play(arm, flags, args, folder):
    """Forks, and begins to play: what is to be waited for, and what is to be ended then."""
    state = folder / arm
    named = [word for flag in flags for word in (flag, args.name)]
    run(BIN / "dp-server", "fork", "--state-dir", args.state, "--at", args.at, "--out", state, *named)
    key = run(BIN / "dp-server", "keygen", "--name", args.name, "--state-dir", state, stderr=subprocess.DEVNULL).strip()
    # What was not recorded cannot be compared: it records however little room the disk has.
    listen = ["--http", "127.0.0.1:0", "--telnet", "127.0.0.1:0", "--capture-low-mb", "0"]
    server, line = begin(BIN / "dp-server", "run", "--state-dir", state, *listen, ready="ready ")
    stub, at = begin(BIN / "dp-agent", "stub", "--port", "0", "--seed", args.seed, ready="ready ")
    settings = {
        "key": key, "player_name": args.name, "game_host": "127.0.0.1", "game_port": port_in(line),
        "litellm_endpoint": f"http://127.0.0.1:{port_in(at)}", "llm_key": "stub", "seed": args.seed,
    }
    config = folder / f"{arm}.json"
    config.write_text(json.dumps(settings))
    config.chmod(0o600)
    words = [BIN / "dp-agent", "session", "--duration", f"{round(args.minutes * 60)}s", "--log-dir", folder / f"{arm}-logs"]
    agent = subprocess.Popen(
        [str(word) for word in words], env={**os.environ, "DP_CONFIG": str(config)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    return agent, [server, stub]


def decisions(arm, args, folder):
    """The commands of an arm as its server recorded them, in order, without the questions of the program itself."""
    words = ["decisions", "--name", args.name, "--columns", "all", "--state-dir", folder / arm]
    rows = [json.loads(line) for line in run(BIN / "dp-server", *words).splitlines()]
    return [row for row in rows if row["kind"] == "decision"]


def distance(one, other):
    """Half of what the shares of each verb differ by: 0 the same mix, 1 nothing in common."""
    shares = [collections.Counter(row["command"] for row in rows) for rows in (one, other)]
    verbs = set(shares[0]) | set(shares[1])
    return sum(abs(shares[0][verb] / max(1, len(one)) - shares[1][verb] / max(1, len(other))) for verb in verbs) / 2


def alike(one, other):
    """How many decisions are the same from the beginning."""
    said = [[(row["command"], row["args"]) for row in rows] for rows in (one, other)]
    pairs = zip(*said)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(map(len, said)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", default="data/state", help="state folder to fork; its server may be running")
    parser.add_argument("--at", type=int, required=True, help="tick")
    parser.add_argument("--name", required=True, help="the agent whose arms are made")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        playing = {arm: play(arm, flags, args, folder) for arm, flags in ARMS.items()}
        for agent, others in playing.values():
            agent.wait()
            for other in others:
                other.terminate()
                other.wait()
        rows = {arm: decisions(arm, args, folder) for arm in ARMS}
    print(f"{'arm':6} {'valence':>7} {'decisions':>9} {'refused':>8} {'rooms':>6} {'exp':>6}  most frequent")
    for arm, own in rows.items():
        most = collections.Counter(row["command"] for row in own).most_common(5)
        refused = sum(row["error"] is not None for row in own)
        rooms = len({row["post_room"] for row in own})
        valence = "/".join(sorted({"on" if row["valence"] else "off" for row in own})) or "-"
        exp = sum(row["reward"]["exp"] for row in own)
        verbs = ", ".join(f"{verb} {count}" for verb, count in most)
        print(f"{arm:6} {valence:>7} {len(own):9} {refused:8} {rooms:6} {exp:6}  {verbs}")
    for one, other in (("felt", "again"), ("felt", "flat")):
        a, b = rows[one], rows[other]
        print(f"{one} and {other}: the first {alike(a, b)} decisions are the same; verbs differ by {distance(a, b):.2f}")


if __name__ == "__main__":
    main()
