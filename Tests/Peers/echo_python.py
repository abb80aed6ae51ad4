"""Checks an echo server (weir serve --scenario echo) with python-socketio's client; the same file runs with 5.x (Engine.IO 4) and
with 4.6.1 (Engine.IO 3).

    python echo_python.py http://127.0.0.1:4400 polling|websocket|upgrade

Prints one line and ends with 0 when everything came back as it should.
"""
import asyncio
import sys

_wait = asyncio.wait


def _compat_wait(fs, **kw):  # python-socketio 4.x hands bare coroutines to asyncio.wait(); Python 3.11 forbids that
    return _wait([asyncio.ensure_future(f) for f in fs], **kw)


asyncio.wait = _compat_wait

import socketio  # noqa: E402

URL, MODE = sys.argv[1:3]
TRANSPORTS = {"polling": ["polling"], "websocket": ["websocket"], "upgrade": ["polling", "websocket"]}[MODE]
EIO3 = getattr(socketio, "__version__", "5").startswith("4.")  # 5.x dropped the attribute


async def check():
    client = socketio.AsyncClient(reconnection=False)
    heard = {"/": asyncio.Queue(), "/custom": asyncio.Queue()}
    auths = asyncio.Queue()
    for namespace, queue in heard.items():
        def back(*values, queue=queue):
            queue.put_nowait(values)

        def auth(payload, namespace=namespace):
            auths.put_nowait((namespace, payload))

        client.on("message-back", back, namespace=namespace)
        client.on("auth", auth, namespace=namespace)
    extra = {} if EIO3 else {"auth": {"token": "123"}}
    await client.connect(URL, transports=TRANSPORTS, namespaces=["/", "/custom"], **extra)
    payload = {} if EIO3 else {"token": "123"}
    assert sorted([await auths.get(), await auths.get()]) == [("/", payload), ("/custom", payload)]
    assert client.transport() == ("polling" if MODE == "polling" else "websocket"), client.transport()

    values = (1, "é€😀", {"list": [True, None]}, b"\x01\x02\x03", {"deep": [b"\x04\x05" * 1000]},
              "\ud800 x \udfff", 2**64, -2**63 - 1, 10**90, {"\ud83d": 1.5e300})
    for namespace, queue in heard.items():
        await client.emit("message", values, namespace=namespace)
        assert await queue.get() == values
        answer = await client.call("message-with-ack", ("a", b"\x06"), namespace=namespace, timeout=10)
        assert tuple(answer) == ("a", b"\x06"), answer
    for number in range(100):
        await client.emit("message", number)
        assert await heard["/"].get() == (number,)
    await client.disconnect()
    print("passed", MODE)


asyncio.run(asyncio.wait_for(check(), 60))
