#!/usr/bin/env python3
"""A chat backend that means harm: it lets a client in, and then does one thing too much.

usage: hostile_server.py CASE MIB

Prints "listening PORT", and "done" whenever it has done all that it does or the client had enough. CASE is a name of the table CASES
below; MIB is how many mebibytes it sends at most of what has an amount, and some thousands of what is counted. A client that closes is
let go; one that comes again meets the same.

It speaks as much of Twake (Socket.IO and REST), of Engine.IO polling and of Bayeux as a client needs to get in.
"""
import base64
import hashlib
import json
import socket
import struct
import sys
import threading
import time
import zlib

COMPANY = "11111111-1111-4111-8111-111111111111"
WORKSPACE = "22222222-2222-4222-8222-222222222222"
CHANNEL = "33333333-3333-4333-8333-333333333333"
USER = "44444444-4444-4444-8444-444444444444"
PIECE = 64 * 1024
MIB = 1 << 20


class Gone(Exception):
    pass


class Connection:
    """One connection of the client: its requests, and what is sent to it."""

    def __init__(self, sock):
        self.sock = sock
        self.buffer = b""

    def fill(self):
        try:
            piece = self.sock.recv(PIECE)
        except OSError:
            raise Gone()
        if not piece:
            raise Gone()
        self.buffer += piece

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            raise Gone()

    def request(self):
        """Reads a request: method, target, headers and body."""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return method, target, headers, self.take(int(headers.get("content-length", 0)))

    def answer(self, body, status="200 OK", headers=()):
        if isinstance(body, str):
            body = body.encode()
        lines = ["HTTP/1.1 " + status, "Content-Type: application/json", "Content-Length: %d" % len(body)]
        self.send("\r\n".join(lines + list(headers)).encode() + b"\r\n\r\n" + body)

    def chunks(self, pieces, headers=(), trailer=b""):
        self.send("\r\n".join(["HTTP/1.1 200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked"]
                              + list(headers)).encode() + b"\r\n\r\n")
        for piece in pieces:
            if piece:
                self.send(b"%x\r\n" % len(piece) + piece + b"\r\n")
        self.send(b"0\r\n" + trailer + b"\r\n")

    # WebSocket

    def upgrade(self, headers):
        accept = base64.b64encode(
            hashlib.sha1((headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        self.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")

    def frame(self, data, opcode=1, final=True):
        if isinstance(data, str):
            data = data.encode()
        first = opcode | (0x80 if final else 0)
        if len(data) < 126:
            head = bytes([first, len(data)])
        elif len(data) < 65536:
            head = bytes([first, 126]) + struct.pack(">H", len(data))
        else:
            head = bytes([first, 127]) + struct.pack(">Q", len(data))
        return head + data

    def say(self, data, **how):
        self.send(self.frame(data, **how))

    def hear(self):
        """The next text of the client; pings are passed over."""
        while True:
            first, second = self.take(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            mask = self.take(4)
            data = self.take(length)
            data = bytes(byte ^ mask[index & 3] for index, byte in enumerate(data))
            if first & 0x0F == 8:
                raise Gone()
            if first & 0x0F in (1, 2):
                return data.decode("utf-8", "replace")


def identity(number):
    return "%08x-0000-4000-8000-000000000000" % number


def repeated(text, total):
    """`total` bytes of a text, in pieces."""
    piece = (text * (PIECE // len(text) + 1)).encode() if isinstance(text, str) else text * (PIECE // len(text) + 1)
    sent = 0
    while sent < total:
        yield piece
        sent += len(piece)


def deflated(total, byte=b" ", wrapper=31):
    packer = zlib.compressobj(9, zlib.DEFLATED, wrapper)
    data = b""
    for piece in repeated(byte, total):
        data += packer.compress(piece)
    return data + packer.flush()


# The ways to spoil an answer. Each function gets the connection and the amount.

def message(number, padding=""):
    return {"id": identity(number), "thread_id": identity(number), "channel_id": CHANNEL, "user_id": USER,
            "created_at": 1600000000000 + number, "updated_at": 1600000000000, "text": "t%d" % number + padding,
            "type": "message"}


def endless_chunks(c, n):
    c.chunks(repeated("[[[]]] ", n * MIB))


def endless_space(c, n):
    c.chunks(repeated(" ", n * MIB))


def announced(c, n):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n")
    for piece in repeated(" ", n * MIB):
        c.send(piece)


def bomb(c, n, encoding):
    data = deflated(n * MIB, wrapper={"gzip": 31, "deflate": 15}[encoding])
    c.answer(data, headers=["Content-Encoding: " + encoding])


def endless_headers(c, n):
    c.send(b"HTTP/1.1 200 OK\r\n")
    for index in range(n * MIB // 64):
        c.send(b"X-Header-%08d: %s\r\n" % (index, b"x" * 40))


def endless_header_line(c, n):
    c.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for piece in repeated("x", n * MIB):
        c.send(piece)


def interim_flood(c, n):
    for _ in range(n * MIB // (27 * 100)):
        c.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
    c.answer("[]")


def cookies(c, n):
    c.answer("[]", headers=["Set-Cookie: c%d=%s" % (index, "v" * 100) for index in range(n * 100)])


def redirects(c, n):
    c.answer("", status="302 Found", headers=["Location: /again"])


def array(c, n):
    c.chunks([b"["] + [b"0," * 32768] * (n * 16) + [b"0]"])


def objects(c, n):
    c.chunks([b"["] + [b"{}," * 20000] * (n * 17) + [b"{}]"])


def nested(c, n):
    c.chunks([b"[" * PIECE] * (n * 16))


def one_string(c, n):
    c.chunks([b'["'] + [b"s" * PIECE] * (n * 16) + [b'"]'])


def many_keys(c, n):
    def pieces():
        yield b"{"
        for block in range(n * 16):
            yield b"".join(b'"k%07d":0,' % (block * 5000 + index) for index in range(5000))
        yield b'"resources":[]}'
    c.chunks(pieces())


def many_secrets(c, n):
    c.chunks([b"{"] + [b'"pwd":"a",' * 6500] * (n * 16) + [b'"resources":[]}'])


def same_keys(c, n):
    c.chunks([b"{"] + [b'"resources":[],' * 4000] * (n * 17) + [b'"resources":[]}'])


def rows(c, n):
    """Messages with much text: as many MiB as is asked for."""
    def pieces():
        yield b"["
        count = n * 1024
        for index in range(count):
            yield (json.dumps(message(index, "x" * 900)) + ("," if index + 1 < count else "")).encode()
        yield b"]"
    c.chunks(pieces())


def padded(c, n):
    c.chunks([b'{"resources":[],"padding":"'] + [b"p" * PIECE] * (n * 16) + [b'"}'])


def drip(c, n, start=b"["):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + start)
    while True:
        time.sleep(0.2)
        c.send(b" ")


def short_length(c, n):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]" + b"x" * (MIB // 4))


def trailers(c, n):
    def trailer():
        return b"".join(b"X-Trailer-%08d: %s\r\n" % (index, b"x" * 40) for index in range(n * MIB // 64))
    c.chunks([b"[]"], trailer=trailer())


def chunk_extensions(c, n):
    c.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;")
    for piece in repeated("e", n * MIB):
        c.send(piece)


def pages(c, n):
    with lock:
        pages.count += 1
        first = pages.count * 100
    c.answer(json.dumps({"resources": [message(first + index) for index in range(100)],
                         "next_page": {"page_token": "p%d" % first}}))


pages.count = 0
lock = threading.Lock()


# The messages on the WebSocket after the admission of the client.

def event(name, body):
    return '42["%s",%s]' % (name, body)


def resource(number, padding=""):
    return event("realtime:resource", json.dumps({
        "action": "saved", "room": "/companies/%s/workspaces/%s/channels/%s/feed" % (COMPANY, WORKSPACE, CHANNEL),
        "type": "message", "path": "/", "resource": message(number, padding)}))


def many(c, texts, count):
    data = b""
    for index in range(count):
        data += c.frame(texts(index))
        if len(data) > PIECE:
            c.send(data)
            data = b""
    c.send(data)


def announced_frame(c, n):
    c.send(bytes([0x81, 127]) + struct.pack(">Q", 1 << 30))
    for piece in repeated("x", n * MIB):
        c.send(piece)


def large_message(c, n):
    c.say('42["large","' + "x" * (n * MIB) + '"]')


def fragments(c, n):
    c.say('42["x","', final=False)
    for _ in range(n * 16):
        c.say(b"x" * PIECE, opcode=0, final=False)


def empty_fragments(c, n):
    c.say('42["x","', final=False)
    for _ in range(n * 8):
        c.send(c.frame(b"", opcode=0, final=False) * 65536)


def empty_messages(c, n):
    for _ in range(n):
        c.send(c.frame(b"") * 65536)


def tiny_events(c, n):
    for _ in range(n * 8):
        c.send(c.frame('42["a"]') * 16384)


def pings(c, n):
    for _ in range(n * 8):
        c.send(c.frame(b"p" * 125, opcode=9) * 1024)


def placeholders(c, n):
    many(c, lambda index: '451000000-["x",{"_placeholder":true,"num":0}]', n * 1000)


def attachments(c, n):
    for _ in range(max(1, n // 10)):
        c.say('4510-["x"' + "".join(',{"_placeholder":true,"num":%d}' % index for index in range(10)) + "]")
        for _ in range(10):
            c.say(b"\x00" * MIB, opcode=2)


def attachments_unasked(c, n):
    for _ in range(n):
        c.say(b"\x00" * MIB, opcode=2)


def attachment_missing(c, n):
    c.say('4510-["x",{"_placeholder":true,"num":0}]')
    for _ in range(9):
        c.say(b"\x00" * (n * MIB // 9), opcode=2)


def namespace(c, n):
    c.say("42/" + "n" * (n * MIB) + ',["x"]')


def event_name(c, n):
    c.say(event("e" * (n * MIB), "{}"))


def acknowledgement(c, n):
    c.say("43" + "9" * (n * MIB) + "[]")


def nested_event(c, n):
    c.say(event("x", "[" * (n * MIB // 2) + "]" * (n * MIB // 2)))


def unknown_events(c, n):
    many(c, lambda index: event("unknown-%d" % index, '{"a":"%s"}' % ("x" * 200)), n * 4000)


def rooms(c, n):
    many(c, lambda index: event("realtime:resource", '{"action":"saved","room":"/room/%d/%s","type":"x","resource":{}}'
                                % (index, "r" * 100)), n * 4000)


def denials(c, n):
    many(c, lambda index: event("realtime:join:error", '{"name":"/room/%d","error":"%s"}' % (index, "e" * 100)),
         n * 4000)


def typing(c, n):
    room = "/companies/%s/workspaces/%s/channels/%s/feed" % (COMPANY, WORKSPACE, CHANNEL)
    many(c, lambda index: event("realtime:event", json.dumps({
        "name": room, "data": {"type": "writing", "event": {
            "type": "writing", "channel_id": CHANNEL, "thread_id": "", "user_id": identity(index),
            "name": "n%d" % index, "is_writing": True}}})), n * 2000)


def presences(c, n):
    many(c, lambda index: event("realtime:event", json.dumps({
        "name": "/users/online/" + COMPANY, "data": [[identity(index), True]]})), n * 4000)


def messages(c, n):
    many(c, lambda index: resource(index), n * 1500)


def large_messages(c, n):
    many(c, lambda index: resource(1, "x" * (256 * 1024)), n * 4)


def large_events(c, n):
    many(c, lambda index: event("big-%d" % index, '"' + "x" * (256 * 1024) + '"'), n * 4)


def huge_events(c, n):
    many(c, lambda index: event("huge-%d" % index, '"' + "x" * 900000 + '"'), n)


def long_names(c, n):
    many(c, lambda index: event("n%d" % index + "e" * (256 * 1024), "{}"), n * 4)


def silence(c, n):
    pass


# The answers to the handshake.

def upgrade_headers(c, headers, n):
    c.send(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
    for index in range(n * MIB // 64):
        c.send(b"X-Header-%08d: %s\r\n" % (index, b"x" * 40))


def upgrade_line(c, headers, n):
    c.send(b"HTTP/1.1 101 Switching Protocols\r\nX-Long: ")
    for piece in repeated("x", n * MIB):
        c.send(piece)


def upgrade_garbage(c, headers, n):
    c.upgrade(headers)
    for piece in repeated(b"\xff\xfe\x00garbage", n * MIB):
        c.send(piece)


def upgrade_body(c, headers, n):
    c.send(b"HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n")
    for piece in repeated("x", n * MIB):
        c.send(b"%x\r\n" % len(piece) + piece + b"\r\n")


# Engine.IO polling: the answers to a GET of an open session.

def poll_endless(c, n):
    c.chunks([b'42["x","'] + [b"x" * PIECE] * (n * 16))


def poll_packets(c, n):
    c.chunks(b'42["a",1]\x1e' * 6000 for _ in range(n * 17))


def poll_empty_packets(c, n):
    c.chunks(b"\x1e" * PIECE for _ in range(n * 16))


def poll_bomb(c, n):
    c.answer(deflated(n * MIB, b"x", 31), headers=["Content-Encoding: gzip"])


# Bayeux: the answers to a /meta/connect.

def bayeux_array(c, n):
    c.chunks([b"["] + [b'{"channel":"/user/1","data":{}},' * 2000] * (n * 16) + [b'{"channel":"/user/1","data":{}}]'])


def bayeux_large(c, n):
    c.chunks([b'[{"channel":"/user/1","data":{"text":"'] + [b"x" * PIECE] * (n * 16) + [b'"}}]'])


def bayeux_advice(c, n):
    c.answer('[{"channel":"/meta/connect","successful":true,"advice":{"reconnect":"retry","interval":0,"timeout":0,'
             '"x":"%s"}}]' % ("a" * (n * MIB // 8)))


def bayeux_channel(c, n):
    c.answer('[{"channel":"/%s","data":{}}]' % ("c" * (n * MIB)))


def bayeux_channels(c, n):
    c.answer("[" + ",".join('{"channel":"/c/%d","data":{}}' % index for index in range(n * 10000)) + "]")


# name: (place, function)
CASES = {"quiet": ("socket", silence), "all-padded": ("all", silence)}
CASES.update({name.replace("_", "-"): ("rest", function) for name, function in {
    "endless_chunks": endless_chunks, "endless_space": endless_space, "announced": announced,
    "gzip_bomb": lambda c, n: bomb(c, n, "gzip"), "deflate_bomb": lambda c, n: bomb(c, n, "deflate"),
    "endless_headers": endless_headers, "endless_header_line": endless_header_line,
    "interim_flood": interim_flood, "cookies": cookies, "redirects": redirects, "array": array, "objects": objects,
    "nested": nested, "one_string": one_string, "many_keys": many_keys, "many_secrets": many_secrets, "same_keys": same_keys, "rows": rows,
    "padded": padded, "drip": drip, "short_length": short_length, "trailers": trailers,
    "chunk_extensions": chunk_extensions, "pages": pages}.items()})
CASES.update({name.replace("_", "-"): ("socket", function) for name, function in {
    "announced_frame": announced_frame, "large_message": large_message, "fragments": fragments,
    "empty_fragments": empty_fragments, "empty_messages": empty_messages, "tiny_events": tiny_events, "pings": pings,
    "placeholders": placeholders, "attachments": attachments, "attachments_unasked": attachments_unasked,
    "attachment_missing": attachment_missing, "namespace": namespace, "event_name": event_name,
    "acknowledgement": acknowledgement, "nested_event": nested_event, "unknown_events": unknown_events,
    "rooms": rooms, "denials": denials, "typing": typing, "presences": presences, "messages": messages,
    "large_messages": large_messages, "large_events": large_events, "huge_events": huge_events, "long_names": long_names}.items()})
CASES.update({"upgrade-headers": ("upgrade", upgrade_headers), "upgrade-line": ("upgrade", upgrade_line),
              "upgrade-garbage": ("upgrade", upgrade_garbage), "upgrade-body": ("upgrade", upgrade_body)})
CASES.update({"poll-endless": ("poll", poll_endless), "poll-packets": ("poll", poll_packets),
              "poll-empty-packets": ("poll", poll_empty_packets), "poll-bomb": ("poll", poll_bomb),
              "poll-drip": ("poll", lambda c, n: drip(c, n, b'42["x","'))})
CASES.update({"bayeux-array": ("bayeux", bayeux_array), "bayeux-large": ("bayeux", bayeux_large),
              "bayeux-advice": ("bayeux", bayeux_advice), "bayeux-channel": ("bayeux", bayeux_channel),
              "bayeux-channels": ("bayeux", bayeux_channels), "bayeux-drip": ("bayeux", drip)})


def usual(target):
    """What a decent backend answers."""
    path = target.split("?")[0]
    if path.startswith("/v3/"):
        return {"response": {"id": "1", "name": "Ann"} if path == "/v3/users/me" else []}
    if path.endswith("/companies"):
        return {"resources": [{"id": COMPANY, "name": "Company"}]}
    if path.endswith("/workspaces"):
        return {"resources": [{"id": WORKSPACE, "name": "Workspace", "company_id": COMPANY}]}
    if path.endswith("/channels"):
        return {"resources": [{"id": CHANNEL, "name": "General", "company_id": COMPANY, "workspace_id": WORKSPACE,
                               "visibility": "public", "is_member": True}]}
    if path.rstrip("/").split("/")[-2:-1] == ["users"]:
        return {"resource": {"id": USER, "username": "ann", "first_name": "Ann"}}
    return {"resources": []}


def is_target(target):
    return "/feed" in target or "/badges" in target


def session(c, kind, act, amount):
    """A client on the WebSocket."""
    c.say('0{"sid":"s1","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}')
    while True:
        text = c.hear()
        if text.startswith("40"):
            c.say('40{"sid":"s2"}')
            if backend == "socketio" and kind == "socket":
                return act_and_stay(c, act, amount)
        elif text == "2":
            c.say("3")
        elif text.startswith('42["authenticate"'):
            c.say('42["authenticated"]')
        elif text.startswith('42["realtime:join"'):
            name = json.loads(text[2:])[1]["name"]
            c.say(event("realtime:join:success", json.dumps({"name": name})))
            if kind == "socket" and "feed" in name:
                return act_and_stay(c, act, amount)


def act_and_stay(c, act, amount):
    act(c, amount)
    # A client that answers this has read everything before it.
    c.say("2")
    while True:
        text = c.hear()
        if text == "3":
            done()
        elif text == "2":
            c.say("3")


def bayeux(c, body, act, amount):
    for text in json.loads(body) if body.startswith(b"[") else [json.loads(body)]:
        channel = text["channel"]
        if channel == "/meta/handshake":
            c.answer(json.dumps([{"channel": channel, "successful": True, "clientId": "b1", "version": "1.0",
                                  "supportedConnectionTypes": ["long-polling"], "id": text.get("id"),
                                  "advice": {"reconnect": "retry", "interval": 1000,
                                             "timeout": 1000 if case.endswith("-drip") else 60000}}]))
        elif channel == "/meta/subscribe":
            c.answer(json.dumps([{"channel": channel, "successful": True, "clientId": "b1", "id": text.get("id"),
                                  "subscription": text["subscription"]}]))
        else:
            act(c, amount)
            done()


def serve(sock, where, act, amount):
    c = Connection(sock)
    try:
        while True:
            method, target, headers, body = c.request()
            print(method, target, file=sys.stderr, flush=True)
            if target == "/mute":
                threading.Event().wait()
            if "sec-websocket-key" in headers:
                if where == "upgrade":
                    act(c, headers, amount)
                    return done()
                c.upgrade(headers)
                return session(c, where, act, amount)
            if "transport=polling" in target:
                if where != "poll":
                    c.answer("no", status="400 Bad Request")
                elif "sid=" not in target:
                    ping = 1000 if case.endswith("-drip") else 20000
                    c.answer('0{"sid":"s1","upgrades":[],"pingInterval":%d,"pingTimeout":%d}' % (ping, ping))
                elif method == "POST":
                    c.answer("ok")
                else:
                    with lock:
                        serve.polls += 1
                        number = serve.polls
                    if number == 1:
                        c.answer('40{"sid":"s2"}')
                    else:
                        act(c, amount)
                        done()
            elif method == "POST" and where == "bayeux" and "/faye" in target:
                bayeux(c, body, act, amount)
            elif where == "rest" and is_target(target):
                act(c, amount)
                done()
            else:
                padding = " " * (amount * MIB) if where == "all" else ""
                c.answer(json.dumps(usual(target)) + padding)
                if where == "all":
                    done()
    except Gone:
        # The client has closed the connection.
        done()
    finally:
        sock.close()


def done():
    print("done", flush=True)


serve.polls = 0
case, size = sys.argv[1], int(sys.argv[2])
backend = sys.argv[3] if len(sys.argv) > 3 else "twake"
place, action = CASES[case]
listener = socket.create_server(("127.0.0.1", 0))
print("listening", listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=serve, args=(accepted, place, action, size), daemon=True).start()
