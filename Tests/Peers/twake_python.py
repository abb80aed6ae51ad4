"""Speaks to a Twake server (weir serve) with python-socketio's client; the same file runs with 5.x (Engine.IO 4) and with 4.6.1
(Engine.IO 3). The token is in the environment.

    TOKEN=… python twake_python.py http://127.0.0.1:4400 polling|websocket|upgrade

Authenticates, joins a room, hears what it says there itself, leaves, and is refused with a wrong token.
"""
import asyncio
import os
import sys

_wait = asyncio.wait


def _compat_wait(fs, **kw):  # python-socketio 4.x hands bare coroutines to asyncio.wait(); Python 3.11 forbids that
    return _wait([asyncio.ensure_future(f) for f in fs], **kw)


asyncio.wait = _compat_wait

import socketio  # noqa: E402

URL, MODE = sys.argv[1:3]
TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}[MODE]


async def connected():
    client = socketio.AsyncClient(reconnection=False)
    heard = asyncio.Queue()
    for name in ("authenticated", "unauthorized", "realtime:join:success", "realtime:leave:success", "realtime:event"):
        def hear(*values, name=name):
            heard.put_nowait((name, *values))

        client.on(name, hear)
    await client.connect(URL, transports=TRANSPORTS, socketio_path="socket")
    return client, heard


async def check():
    client, heard = await connected()
    await client.emit("authenticate", {"token": os.environ["TOKEN"]})
    assert await heard.get() == ("authenticated",)
    await client.emit("realtime:join", {"name": "lobby", "token": "twake"})
    assert await heard.get() == ("realtime:join:success", {"name": "lobby"})
    for number in range(20):
        data = {"number": number, "text": "é€😀" * 200}
        await client.emit("realtime:event", {"name": "lobby", "data": data, "token": "twake"})
        assert await heard.get() == ("realtime:event", {"name": "lobby", "data": data})
    await client.emit("realtime:leave", {"name": "lobby"})
    assert await heard.get() == ("realtime:leave:success", {"name": "lobby"})
    await client.disconnect()

    stranger, heard = await connected()
    await stranger.emit("authenticate", {"token": "wrong"})
    assert (await heard.get())[0] == "unauthorized"
    await stranger.disconnect()
    print("passed", MODE)


asyncio.run(asyncio.wait_for(check(), 60))
