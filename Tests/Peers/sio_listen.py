"""A stock Socket.IO client: prints every event it is sent, one a line, until there were so many.

    python sio_listen.py URL COUNT [PATH]
"""
import asyncio
import json
import sys

import socketio


async def main():
    client = socketio.AsyncClient(reconnection=False)
    left = int(sys.argv[2])

    async def anything(name, *arguments):
        nonlocal left
        print(json.dumps([name, *arguments], separators=(",", ":"), ensure_ascii=False), flush=True)
        left -= 1
        if left == 0:
            await client.disconnect()

    client.on("*", anything)
    await client.connect(sys.argv[1], socketio_path=sys.argv[3] if len(sys.argv) > 3 else "socket.io")
    await client.wait()


asyncio.run(main())
