#!/usr/bin/env python3
"""A Socket.IO server that counts: it sends numbered events and keeps the heartbeat of revision 4, as Node's does.

usage: patient_server.py EVENTS EVERY_MS PATIENCE_MS [BYTES] [escaped|illegal]

Prints "listening PORT", then "connection N" for each WebSocket, "second N." for each second since it joined, "all sent" when the client has taken
all events, and "cut" when it cuts a client off. The open packet names an interval of one second, and a timeout of one, or of PATIENCE_MS where EVERY_MS is 0. All events are there at once
where EVERY_MS is 0, as in a server's memory; the client is cut off whose pong is late by PATIENCE_MS. With "escaped" the text is spelled as
Python's json does. With "illegal" there is no heartbeat, and the first connection ends, half a second after its events, with a text that is not UTF-8.
"""
import base64
import hashlib
import json
import queue
import socket
import struct
import sys
import threading
import time

EVENTS, EVERY, PATIENCE = int(sys.argv[1]), int(sys.argv[2]) / 1000, int(sys.argv[3]) / 1000
PADDING = "x" * int(sys.argv[4] if len(sys.argv) > 4 else 0)
MODE = sys.argv[5] if len(sys.argv) > 5 else ""
WORDS = "\u00e9moji \U0001f600 https://example.org" if MODE == "escaped" else "text"


def frame(text):
    data = text.encode()
    head = bytes([0x81, len(data)]) if len(data) < 126 else b"\x81\x7e" + struct.pack(">H", len(data))
    return head + data


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def hear(connection):
    first, second = exactly(connection, 2)
    length = second & 0x7F
    if length == 126:
        length = struct.unpack(">H", exactly(connection, 2))[0]
    key = exactly(connection, 4)
    return bytes(byte ^ key[i & 3] for i, byte in enumerate(exactly(connection, length)))


def say(*words):
    print(*words, flush=True)


def serve(connection, number):
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    key = [line.split(b":", 1)[1].strip() for line in head.split(b"\r\n")
           if line.lower().startswith(b"sec-websocket-key")][0]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    say("connection", number)
    waiting = queue.Queue()
    waiting.put(frame('0{"sid":"s","upgrades":[],"pingInterval":1000,"pingTimeout":%d}' % (1000 if EVERY else PATIENCE * 1000)))
    joined, pong = threading.Event(), threading.Event()

    def write():
        try:
            while True:
                piece = waiting.get()
                connection.sendall(piece)
                if piece == LAST:
                    say("all sent")
        except OSError:
            pass

    def beat():
        while True:
            time.sleep(1)
            pong.clear()
            waiting.put(frame("2"))
            if not pong.wait(PATIENCE):
                say("cut")
                return connection.shutdown(socket.SHUT_RDWR)

    def tell():
        joined.wait()
        for index in range(EVENTS):
            time.sleep(EVERY) if EVERY else None
            text = json.dumps(["tick", {"index": index, "text": WORDS, "padding": PADDING}])
            waiting.put(frame("42" + (text.replace("/", "\\/") if MODE == "escaped" else text)))
        if MODE == "illegal" and number == 1:
            time.sleep(0.5)
            return waiting.put(b"\x81\x01\xff")
        waiting.put(LAST)

    def count():
        joined.wait()
        for second in range(1, 1000):
            time.sleep(1)
            say("second %d." % second)

    for work in (write, tell, count) if MODE == "illegal" else (write, beat, tell, count):
        threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            text = hear(connection)
            if text.startswith(b"40"):
                waiting.put(frame('40{"sid":"t"}'))
                joined.set()
            elif text.startswith(b"3"):
                pong.set()
    except (EOFError, OSError):
        pass


LAST = frame('42["last",{}]')
listener = socket.create_server(("127.0.0.1", 0))
say("listening", listener.getsockname()[1])
count = 0
while True:
    client, _ = listener.accept()
    count += 1
    threading.Thread(target=serve, args=(client, count), daemon=True).start()
