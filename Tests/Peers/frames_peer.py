#!/usr/bin/env python3
"""A WebSocket server that sends the bytes it is told to, right behind its answer to the upgrade, and tells what the client sends.

usage: frames_peer.py HEX [deaf [BEFORE [TIMES]]]

Prints "listening PORT", then for one client "frame OPCODE HEX" for each frame it sends, its payload unmasked, and "end" when it ends.
When it gets a close frame it closes the connection, as a server does; a deaf one goes on as if nothing was said.
BEFORE, in hex, is sent TIMES before the answer to the upgrade.
"""
import base64
import hashlib
import socket
import sys


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def frames(connection):
    while True:
        first, second = exactly(connection, 2)
        length = second & 0x7F
        if length == 126:
            length = int.from_bytes(exactly(connection, 2), "big")
        elif length == 127:
            length = int.from_bytes(exactly(connection, 8), "big")
        key = exactly(connection, 4) if second & 0x80 else bytes(4)
        payload = exactly(connection, length)
        yield first & 0x0F, bytes(byte ^ key[i & 3] for i, byte in enumerate(payload))


listener = socket.create_server(("127.0.0.1", 0))
print("listening", listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
head = b""
while b"\r\n\r\n" not in head:
    head += connection.recv(4096)
key = [line.split(b":", 1)[1].strip() for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")][0]
accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
before = bytes.fromhex(sys.argv[3]) * int(sys.argv[4]) if len(sys.argv) > 4 else b""
connection.sendall(before + b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + bytes.fromhex(sys.argv[1]))
try:
    for opcode, payload in frames(connection):
        print("frame", opcode, payload.hex(), flush=True)
        if opcode == 8 and "deaf" not in sys.argv[2:]:
            break
except (EOFError, ConnectionError):
    pass
connection.close()
print("end", flush=True)
