#!/usr/bin/env python3
"""A quarrel of two agents, and what becomes of it with one reply changed.

    python3 quarrel.py --world data/world --state /tmp/quarrel

Starts a server, a stub in the place of the model that answers in the tone it is spoken to (`dp-agent stub --policy mirror`), and two
agents, Wren and Alder. The first words are typed for Wren: they are harsh. After so many seconds all is ended, and
`dp-agent eval reply` plays the past on from Alder's first reply, as it was and with other words. The programs are looked for in
DP_BIN (target/release); `cargo build --release --workspace --bins` makes all three.
"""

import argparse
import json
import os
import pathlib
import re
import socket
import subprocess
import time

BIN = pathlib.Path(os.environ.get("DP_BIN", "target/release"))
HARSH = "You are a thief, and all the world knows it."


def begin(*words, ready):
    """Starts a program and returns it with the line that says where it listens."""
    program = subprocess.Popen([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in program.stdout:
        if ready in line:
            return program, line
    raise SystemExit(f"{words[0]} ended before it was ready")


class Telnet:
    """As much of telnet as typing needs."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.read = ""

    def expect(self, pattern):
        while not (found := re.search(pattern, self.read)):
            self.read += self.socket.recv(4096).decode(errors="replace")
        self.read = self.read[found.end():]
        return found[0]

    def type(self, line):
        self.socket.sendall(f"{line}\r\n".encode())


def settings(folder, name, key, game, model):
    """Where an agent finds server, model and its own key."""
    config = folder / f"{name}.json"
    config.write_text(json.dumps({
        "key": key, "player_name": name, "game_host": "127.0.0.1", "game_port": game,
        "litellm_endpoint": f"http://127.0.0.1:{model}", "llm_key": "stub", "seed": 1,
    }))
    config.chmod(0o600)
    return config


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="data/world")
    parser.add_argument("--state", type=pathlib.Path, required=True, help="state folder to make")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--tick-ms", type=int, default=500)
    parser.add_argument("--instead", default="I am sorry. Take it back, friend.")
    args = parser.parse_args()
    keys = {}
    for name in ("Wren", "Alder"):
        words = [BIN / "dp-server", "keygen", "--name", name, "--state-dir", args.state]
        keys[name] = subprocess.run(words, check=True, text=True, capture_output=True).stdout.strip()
    server, line = begin(
        BIN / "dp-server", "run", "--world", args.world, "--state-dir", args.state, "--tick-ms", args.tick_ms,
        "--http", "127.0.0.1:0", "--telnet", "127.0.0.1:0", ready="ready ",
    )
    ports = {kind: int(port) for kind, port in re.findall(r"(http|telnet)=127\.0\.0\.1:(\d+)", line)}
    stub, line = begin(BIN / "dp-agent", "stub", "--port", "0", "--policy", "mirror", ready="ready ")
    model = int(re.search(r":(\d+)", line)[1])

    def play(name):
        config = settings(args.state, name, keys[name], ports["http"], model)
        words = [
            BIN / "dp-agent", "session", "--duration", f"{args.seconds}s", "--think-ms", "1000", "--autopilot", "off",
            "--log-dir", args.state / "agents",
        ]
        environment = {**os.environ, "DP_CONFIG": str(config)}
        return subprocess.Popen(
            [str(word) for word in words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    alder = play("Alder")
    wren = Telnet(ports["telnet"])
    for question, answer in (("known\\?", "Wren"), ("Password:", keys["Wren"]), ("What will it be\\?", "1")):
        wren.expect(question)
        wren.type(answer)
    wren.expect(" > ")
    while True:
        wren.type(f"tell alder {HARSH}")
        if "You tell" in wren.expect("You tell Alder|no player called"):
            break
        time.sleep(0.2)
    agents = [alder, play("Wren")]
    for agent in agents:
        agent.wait()
    for program in (server, stub):
        program.terminate()
        program.wait()
    # 1 is the tell, 2 what Alder says to it.
    words = [
        BIN / "dp-agent", "eval", "reply", "--state-dir", args.state, "--message", "2", "--instead", args.instead,
        "--seeds", "20", "--ticks", "100", "--show", "0",
    ]
    raise SystemExit(subprocess.run([str(word) for word in words], check=False).returncode)


if __name__ == "__main__":
    main()
