"""Passes TCP connections on to a port of this machine, and makes networks' troubles: tcp_relay.py PORT

Prints `control PORT` and `listening PORT`. At the control port, GET /cut resets every WebSocket, /refuse resets everything and takes no
connection until /accept, /hole swallows from now on what the WebSockets that stand say, in both directions, without closing anything.
"""

import asyncio
import sys

target = int(sys.argv[1])
links = set()
takes = True


class Link:
    def __init__(self, writers):
        self.writers = writers
        self.is_websocket = False
        self.is_holed = False

    def reset(self):
        for writer in self.writers:
            writer.transport.abort()


async def pump(link, reader, writer, is_request):
    try:
        while data := await reader.read(65536):
            if is_request and b"upgrade: websocket" in data.lower():
                link.is_websocket = True
            if not link.is_holed:
                writer.write(data)
                await writer.drain()
    except ConnectionError:
        pass
    # With a hole in the link, the peer does not learn of the close.
    if not link.is_holed:
        writer.close()


async def relay(reader, writer):
    if not takes:
        writer.transport.abort()
        return
    try:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target)
    except OSError:
        writer.transport.abort()
        return
    link = Link([writer, far_writer])
    links.add(link)
    await asyncio.gather(pump(link, reader, far_writer, True), pump(link, far_reader, writer, False))
    links.discard(link)


async def control(reader, writer):
    global takes
    command = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
    if command == "/accept":
        takes = True
    elif command == "/refuse":
        takes = False
        for link in list(links):
            link.reset()
    else:
        for link in [link for link in links if link.is_websocket]:
            if command == "/hole":
                link.is_holed = True
            else:
                link.reset()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    await writer.drain()
    writer.close()


async def main():
    for name, handler in (("control", control), ("listening", relay)):
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        print(name, server.sockets[0].getsockname()[1], flush=True)
        servers.append(server)
    await asyncio.Event().wait()


servers = []
asyncio.run(main())
