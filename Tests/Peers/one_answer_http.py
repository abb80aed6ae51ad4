#!/usr/bin/env python3
"""An HTTP server that keeps every connection and answers on it once: the next request there closes it, unanswered.

usage: one_answer_http.py FIRST

Prints "listening PORT". The first FIRST requests are answered when all of them are there, so that as many connections are kept; a later
one is answered at once, if its connection is new.
"""
import asyncio
import sys


async def main():
    first = int(sys.argv[1])
    arrived = 0
    all_there = asyncio.Event()

    async def serve(reader, writer):
        nonlocal arrived
        try:
            await reader.readuntil(b"\r\n\r\n")
            arrived += 1
            if arrived == first:
                all_there.set()
            await all_there.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await writer.drain()
            await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("listening", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
