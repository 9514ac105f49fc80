# The published minimal agent loop, unchanged but for host, port, name and key, which come from the environment.
import asyncio
import json
import os
import websockets

HOST = os.environ.get("DP_HOST", "localhost")
PORT = int(os.environ.get("DP_PORT", "4350"))
NAME = os.environ.get("DP_NAME", "my_agent")
KEY = os.environ.get("DP_KEY", "your_api_key_here")

VARIABLES = ["HEALTH", "MAX_HEALTH", "ROOM_EXITS", "ROOM_MOBS", "FIGHTING"]

async def main():
    uri = f"ws://{HOST}:{PORT}/ws"
    async with websockets.connect(uri) as ws:
        # 1. Login with correct Go fields
        await ws.send(json.dumps({
            "type": "login",
            "data": {
                "player_name": NAME,
                "password": KEY,      # API key acts as password
                "is_agent": True      # Essential for agent observer registry
            }
        }))

        # 2. Subscribe to variables
        await ws.send(json.dumps({
            "type": "subscribe",
            "data": {
                "variables": VARIABLES
            }
        }))

        while True:
            raw = await ws.recv()
            msg = json.loads(raw)

            if msg["type"] == "vars":
                data = msg["data"]
                health = data.get("HEALTH")
                fighting = data.get("FIGHTING")

                if health is not None:
                    print(f"Agent HP: {health}")
                if fighting is not None:
                    print(f"Combat Status: {fighting}")

asyncio.run(main())
