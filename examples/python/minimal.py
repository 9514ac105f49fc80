# The published minimal agent loop, unchanged but for host, port, name, key and TLS, which come from the environment.
import asyncio
import json
import os
import ssl
import websockets

HOST = os.environ.get("DP_HOST", "localhost")
PORT = int(os.environ.get("DP_PORT", "4350"))  # 4352 where it encrypts
NAME = os.environ.get("DP_NAME", "my_agent")
KEY = os.environ.get("DP_KEY", "your_api_key_here")
# An encrypted door: DP_CA is a file of certificates to trust there; DP_TLS=1 trusts those that this machine trusts.
CA = os.environ.get("DP_CA") or None
TLS = ssl.create_default_context(cafile=CA) if CA or os.environ.get("DP_TLS") == "1" else None

VARIABLES = ["HEALTH", "MAX_HEALTH", "ROOM_EXITS", "ROOM_MOBS", "FIGHTING"]

async def main():
    uri = f"{'wss' if TLS else 'ws'}://{HOST}:{PORT}/ws"
    async with websockets.connect(uri, ssl=TLS) as ws:
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
