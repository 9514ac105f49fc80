#!/usr/bin/env python3
"""A bot that keeps itself alive and hunts what it can beat: no model, one file, one package (websockets).

DP_NAME and DP_KEY say who plays, DP_HOST and DP_PORT where. An encrypted door: DP_CA is a file of certificates to
trust there, DP_TLS=1 trusts those that this machine trusts. docs/PROTOCOL.md explains every frame."""
import asyncio
import json
import os
import random
import ssl
import time

import websockets

CA = os.environ.get("DP_CA") or None
TLS = ssl.create_default_context(cafile=CA) if CA or os.environ.get("DP_TLS") == "1" else None
SCHEME, PORT = ("wss", "4352") if TLS else ("ws", "4350")
URI = f"{SCHEME}://{os.environ.get('DP_HOST', 'localhost')}:{os.environ.get('DP_PORT', PORT)}/ws"
NAME = os.environ.get("DP_NAME", "my_agent")
KEY = os.environ.get("DP_KEY", "your_api_key_here")
VARIABLES = ["HEALTH", "MAX_HEALTH", "POSITION", "FIGHTING", "MOVE", "MAX_MOVE", "ROOM_VNUM", "ROOM_NAME",
             "ROOM_EXITS", "ROOM_DOORS", "ROOM_MOBS", "EVENTS"]
PAUSE_S = float(os.environ.get("DP_PAUSE", "1.0"))  # between two commands; the server allows ten a second
BACKOFF_S = [1, 2, 4, 8, 15, 30]
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east", "up": "down", "down": "up"}
DARK = "Darkness"  # what a room is called that one cannot see
# The first sentence of an answer to `consider` that makes a fight worth having.
FAIR = ("You would win", "You would probably win", "It could go either way")
FAILURES_MAX = 3   # so often on end a command may be refused in a room
DROPPED_S = 60.0   # then it is not sent there for so long; twice as long each time it comes to that again
DROPPED_MAX_S = 1920.0


class CircuitBreaker:
    """Keeps a bot from running against the same wall for ever: a closed door, a mob that nobody may attack."""

    def __init__(self, now=time.monotonic):
        self.now = now
        self.failed = {}       # (room, command) -> how often it was refused on end
        self.dropped = {}      # (room, command) -> (until when, how long that is)
        self.last = None       # what was sent last, until it is refused

    def allows(self, room, command):
        return self.now() >= self.dropped.get((room, command), (0.0, 0.0))[0]

    def sent(self, room, command):
        if self.last:
            self.forgive(self.last)  # nobody refused it
        self.last = room, command

    def forgive(self, action):
        self.failed.pop(action, None)
        self.dropped.pop(action, None)

    def refused(self, command):
        """An outcome `refused` names the command as it was typed, or its verb: it is the one that was sent last."""
        if not self.last or self.last[1].split()[0] != (command.split() or [""])[0]:
            return
        action, self.last = self.last, None
        self.failed[action] = self.failed.get(action, 0) + 1
        if self.failed[action] >= FAILURES_MAX:
            pause = min(DROPPED_MAX_S, 2 * self.dropped.get(action, (0.0, DROPPED_S / 2))[1])
            self.dropped[action] = self.now() + pause, pause
            del self.failed[action]
            print(f"dropped for {pause:.0f} s: {action[1]}", flush=True)


class Bot:
    def __init__(self):
        self.state = {}        # the newest value of each variable
        self.todo = ["wear all", "wield sword", "wield dagger", "toggle autogold"]
        self.tried = {}        # (room, exit) -> how often that way was taken
        self.fair = {}         # mob vnum -> worth a fight at this level?
        self.asked = None      # the vnum that `consider` was asked about, until it is answered
        self.resting = False
        self.back = None       # the way by which it came into this room
        self.breaker = CircuitBreaker()

    def merge(self, data):
        """A `vars` frame holds only what changed."""
        events = data.pop("EVENTS", [])
        self.state.update(data)
        for event in events:
            kind = event.get("type")
            if kind == "kill_credit" and event["who"]["name"].lower() == NAME.lower():
                print(f"killed {event['victim']['name']}: {event['xp']} points", flush=True)
                self.todo.append("get all corpse")
            elif kind == "level_gained":
                self.fair.clear()  # more fights are fair now
            elif kind == "death" and event["victim"]["name"].lower() == NAME.lower():
                print("died", flush=True)
                self.todo = ["wear all", "wield sword", "wield dagger"]
            elif kind == "refused":
                self.asked = None
                self.breaker.refused(event["command"])
                print(f"refused: {event['command']}: {event['reason']}", flush=True)

    def hear(self, event):
        """A line of text. Programs rarely need it; hunger and `consider` are told in words only."""
        text = event["text"]
        if "hungry" in text or "something to eat" in text:
            self.todo.append("eat bread")
        elif "thirsty" in text or "mouth is dry" in text:
            self.todo.append("drink waterskin")
        elif event["type"] == "consider" and self.asked is not None:
            self.fair[self.asked] = text.startswith(FAIR)
            self.asked = None

    def decide(self):
        """The next command, or None: the first wish that was not refused here again and again."""
        room = self.state.get("ROOM_VNUM")
        for command in self.wishes():
            # Whoever is dying tries again.
            if command is None or command == "flee" or self.breaker.allows(room, command):
                return command
        return None

    def sent(self, command):
        """To be called with each command that leaves."""
        room = self.state.get("ROOM_VNUM")
        self.breaker.sent(room, command)
        if command in self.state.get("ROOM_EXITS", []):
            self.tried[room, command] = self.tried.get((room, command), 0) + 1
            self.back = OPPOSITE.get(command)
        verb, _, target = command.partition(" ")
        if verb == "consider":
            asked = [mob["vnum"] for mob in self.state.get("ROOM_MOBS", []) if mob["target_string"] == target]
            self.asked = asked[0] if asked else None
            self.fair.update((vnum, False) for vnum in asked[:1])

    def wishes(self):
        """Commands that make sense now, best first; None is to wait. The order of these lines is the whole mind of the
        bot."""
        s = self.state
        hp = 100 * s.get("HEALTH", 1) // max(1, s.get("MAX_HEALTH", 1))
        mobs = s.get("ROOM_MOBS", [])
        threats = [mob for mob in mobs if mob.get("fighting_me", mob["fighting"])]
        down = s.get("POSITION") in ("resting", "sitting", "sleeping")
        if s.get("POSITION") in ("dead", "mortally wounded", "incapacitated", "stunned"):
            yield None  # nobody can type in that state; time or death will end it
        if threats or s.get("FIGHTING"):
            if down:
                yield "wake" if s["POSITION"] == "sleeping" else "stand"
            if hp < 25:
                yield "flee"
            if not s.get("FIGHTING"):
                yield f"hit {threats[0]['target_string']}"
            yield None
        while self.todo:
            yield self.todo.pop(0)
        fit = min(hp, 100 * s.get("MOVE", 1) // max(1, s.get("MAX_MOVE", 1)) * 3)  # a third of the moves will do
        self.resting = fit < (95 if self.resting else 60)
        if self.resting or self.asked is not None:  # or the answer of `consider` is on its way
            if self.resting and not down:
                yield "rest"
            yield None
        if down:
            yield "stand"
        for mob in mobs:
            if not mob.get("attackable", True):
                continue  # a keeper, or the room is a peaceful one
            if mob["vnum"] not in self.fair:
                yield f"consider {mob['target_string']}"
            elif self.fair[mob["vnum"]] and not mob["fighting"]:  # not somebody else's
                yield f"kill {mob['target_string']}"
        if s.get("ROOM_NAME") == DARK:
            yield "hold torch"  # as long as there is one; else it is refused, and given up
            if self.back:
                yield self.back
        ways = [(self.tried.get((s["ROOM_VNUM"], way), 0), random.random(), way) for way in s.get("ROOM_EXITS", [])]
        doors = s.get("ROOM_DOORS", {})
        for _, _, way in sorted(ways):  # the way least often taken
            if doors.get(way) == "closed":
                yield f"open {way}"
            elif doors.get(way) != "locked":
                yield way
        yield "look"

    async def play(self, ws):
        async def send(kind, **data):
            await ws.send(json.dumps({"type": kind, "data": data}))

        await send("login", player_name=NAME, password=KEY, is_agent=True, harness="reflex_bot")
        await send("subscribe", variables=VARIABLES)
        seq, next_command = 0, 0.0
        while True:
            try:
                wait = max(0.0, next_command - time.monotonic())
                frame = json.loads(await asyncio.wait_for(ws.recv(), wait or 0.05))
            except asyncio.TimeoutError:
                frame = None
            if frame:
                kind, data = frame["type"], frame.get("data", {})
                if frame.get("seq", seq + 1) != seq + 1:
                    await send("subscribe", variables=[], full=True)  # something was lost: ask for everything
                seq = frame.get("seq", seq)
                if kind == "vars":
                    self.merge(data)
                elif kind == "event":
                    self.hear(data)
                elif kind == "error":
                    print(f"error: {data['message']}", flush=True)
                    if data.get("code") in ("bad_login", "key_revoked", "taken_over"):
                        raise SystemExit(1)  # trying again would not help
            if self.state and time.monotonic() >= next_command:
                command = self.decide()
                if command:
                    print(f"[{self.state.get('HEALTH')} hp, {self.state.get('ROOM_NAME')}] {command}", flush=True)
                    await send("command", command=command, meta={"source": "reflex"})
                    self.sent(command)
                next_command = time.monotonic() + PAUSE_S


async def main():
    bot, failures = Bot(), 0
    while True:
        began = time.monotonic()
        try:
            async with websockets.connect(URI, ssl=TLS) as ws:
                await bot.play(ws)
        except ssl.SSLCertVerificationError as error:
            raise SystemExit(f"the server cannot be trusted: {error}")  # trying again would not help
        except (OSError, websockets.WebSocketException) as error:
            if time.monotonic() - began > 60:
                failures = 0  # it went well for a while
            wait = BACKOFF_S[min(failures, len(BACKOFF_S) - 1)]
            failures += 1
            print(f"the connection ended ({error}); again in {wait} s", flush=True)
            await asyncio.sleep(wait)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass  # Ctrl-C: the character stays where it is, and is let go after a while
