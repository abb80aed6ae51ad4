#!/usr/bin/env python3
"""Servers that do not do what a WebSocket client hopes for.

usage: bad_peers.py KIND [SIZE [LINE]]

Prints "listening PORT". KIND: "silent" accepts and says nothing; "noise" answers with bytes that are not HTTP and closes; "closing"
closes without a word; "deaf" upgrades and then neither reads nor answers; "wrong-accept" upgrades with a wrong accept hash;
"reset" resets the connection after the request; "masked" upgrades and sends a frame with reserved bits; "redirect" redirects; "cookies"
upgrades and sets two, and one too long to be kept. "half-head" sends the beginning of the head of an answer and no more; "stalled" a
head that promises 5000 bytes, and 12 of them; "trickle" a head without a length, and a byte each 20 ms for ever. "head" upgrades, or
answers "ok", with a head of SIZE bytes whose lines have at most LINE (10000 without it).
"""
import base64
import hashlib
import socket
import struct
import sys
import threading
import time


def upgrade(head, wrong=False, more=b""):
    key = [line.split(b":", 1)[1].strip() for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")][0]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    if wrong:
        accept = accept[::-1]
    return (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n" + more + b"\r\n")


def padding(size):
    longest = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    lines = b""
    while size > 0:
        length = size if size <= longest else min(longest, size - 100)
        lines += b"X-Padding: " + b"x" * (length - 13) + b"\r\n"
        size -= length
    return lines


def serve(connection, kind):
    if kind == "closing":
        connection.close()
        return
    head = b""
    while kind != "silent" and b"\r\n\r\n" not in head:
        piece = connection.recv(4096)
        if not piece:
            return
        head += piece
    if kind == "noise":
        connection.sendall(b"\x00\x01\x02 not HTTP at all\r\n\r\n")
        connection.close()
    elif kind == "deaf":
        connection.sendall(upgrade(head))
    elif kind == "cookies":
        connection.sendall(upgrade(head, more=b"Set-Cookie: one=1; Path=/; HttpOnly\r\nSet-Cookie: long=%s\r\n"
                                              b"set-cookie: two=2\r\n" % (b"x" * 9000)))
    elif kind == "head":
        size = int(sys.argv[2])
        if b"upgrade" in head.lower():
            connection.sendall(upgrade(head, more=padding(size - len(upgrade(head)))))
        else:
            start = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
            connection.sendall(start + padding(size - len(start) - 2) + b"\r\nok")
    elif kind == "wrong-accept":
        connection.sendall(upgrade(head, wrong=True))
    elif kind == "masked":
        connection.sendall(upgrade(head) + b"\xf1\x01x")
    elif kind == "redirect":
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
    elif kind == "half-head":
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")
    elif kind == "stalled":
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\ntwelve bytes")
    elif kind == "trickle":
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            try:
                connection.sendall(b"x")
            except OSError:
                return
            time.sleep(0.02)
    elif kind == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        return
    time.sleep(3600)


listener = socket.create_server(("127.0.0.1", 0))
print("listening", listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted, sys.argv[1]), daemon=True).start()
