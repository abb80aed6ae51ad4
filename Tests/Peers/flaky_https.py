#!/usr/bin/env python3
"""An HTTPS server that treats kept connections as badly as HTTP/1.1 allows, the same way for the same seed.

usage: flaky_https.py CERTIFICATE KEY SEED

Prints "listening PORT". Answers GET /item/N with 200 (content-length or chunked), 204 or 404, by N; GET /stats with the number of
connections and requests so far. After an answer it sometimes closes the connection without having said so, sometimes having said
"Connection: close". It reads a request on a new connection always, so a client that sends again what died on a kept connection
loses nothing.
"""
import asyncio
import random
import ssl
import sys

connections = 0
requests = 0


def answer(number, dice):
    """Status, head lines and body bytes for /item/number."""
    kind = number % 4
    body = b'{"item":%d}' % number
    if kind == 0:
        return b"204 No Content", [], b""
    if kind == 1:
        return b"404 Not Found", [b"Content-Length: %d" % len(body)], body
    if kind == 2:
        chunks = b"".join(b"%x\r\n%s\r\n" % (1, body[i:i + 1]) for i in range(len(body)))
        return b"200 OK", [b"Transfer-Encoding: chunked"], chunks + b"0\r\n\r\n"
    return b"200 OK", [b"Content-Length: %d" % len(body)], body


async def serve(reader, writer, seed):
    global connections, requests
    connections += 1
    dice = random.Random(seed * 1000003 + connections)
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            requests += 1
            path = head.split(b" ")[1].decode()
            if path == "/stats":
                body = b"%d %d" % (connections, requests)
                status, lines = b"200 OK", [b"Content-Length: %d" % len(body)]
                fate = "keep"
            else:
                status, lines, body = answer(int(path.rsplit("/", 1)[1]), dice)
                fate = dice.choices(["keep", "drop", "say"], [75, 15, 10])[0]
            if fate == "say":
                lines = lines + [b"Connection: close"]
            writer.write(b"\r\n".join([b"HTTP/1.1 " + status] + lines) + b"\r\n\r\n" + body)
            await writer.drain()
            if fate != "keep":
                # "drop": the client finds out when it uses the connection again, at once or a little later.
                if fate == "drop":
                    await asyncio.sleep(dice.choice([0, 0, 0.002]))
                break
    except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    seed = int(sys.argv[3])
    server = await asyncio.start_server(lambda r, w: serve(r, w, seed), "127.0.0.1", 0, ssl=context, backlog=512)
    print("listening", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
