#!/usr/bin/env python3
"""An HTTP proxy that opens tunnels, and tells of each it was asked for.

usage: connect_proxy.py [--auth USER:PASSWORD] [--refuse STATUS] [--retry-after TEXT] [--answer noise|nothing|dribble|flood] [--address ADDRESS] [--to PORT]

Prints "listening PORT", and for each request "asked METHOD TARGET CREDENTIALS NAMES", where NAMES are those of the headers, sorted,
lower case. With --to every tunnel leads to that port of this machine. Without the credentials it wants it answers 407. "dribble" answers a byte at a time; "flood" never ends the head.
"""
import argparse
import base64
import socket
import threading

options = argparse.ArgumentParser()
options.add_argument("--auth")
options.add_argument("--refuse", type=int)
options.add_argument("--retry-after")
options.add_argument("--answer")
options.add_argument("--to", type=int)
options.add_argument("--address", default="127.0.0.1")
options = options.parse_args()
printing = threading.Lock()


def relay(source, sink):
    try:
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = client.recv(4096)
        if not piece:
            return
        head += piece
    lines = head.decode().split("\r\n")
    method, target = lines[0].split(" ")[:2]
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:-2])}
    scheme, _, encoded = headers.get("proxy-authorization", "").partition(" ")
    login = base64.b64decode(encoded).decode() if scheme == "Basic" else "-"
    with printing:
        print("asked", method, target, login, ",".join(sorted(headers)), flush=True)
    if options.answer == "nothing":
        client.close()
    elif options.answer == "noise":
        client.sendall(b"\x00\x01 this is no HTTP at all\r\n\r\n")
    elif options.answer == "flood":
        client.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            client.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")
    elif options.refuse:
        wait = "Retry-After: %s\r\n" % options.retry_after if options.retry_after else ""
        client.sendall(b"HTTP/1.1 %d No\r\n%sContent-Length: 9\r\n\r\nno tunnel" % (options.refuse, wait.encode()))
    elif options.auth and login != options.auth:
        client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n"
                       b'Proxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n')
    else:
        host, _, port = ("127.0.0.1:%d" % options.to if options.to else target).rpartition(":")
        server = socket.create_connection((host.strip("[]"), int(port)))
        answer = b"HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\nSet-Cookie: proxy=1\r\n\r\n"
        for index in range(len(answer)) if options.answer == "dribble" else [None]:
            client.sendall(answer if index is None else answer[index:index + 1])
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=relay, args=(client, server), daemon=True).start()
        relay(server, client)


def guarded(client):
    try:
        serve(client)
    except OSError:
        pass


family = socket.AF_INET6 if ":" in options.address else socket.AF_INET
listener = socket.create_server((options.address, 0), family=family)
print("listening", listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=guarded, args=(listener.accept()[0],), daemon=True).start()
