#!/usr/bin/env python3
"""A TLS server that wants a certificate of its clients.

usage: tls_peer.py CERTIFICATE KEY CLIENT-AUTHORITY 1.2|1.3 [ADDRESS]

Prints "listening PORT". Answers a GET with 200 and the client's name, an upgrade by accepting it and sending the name as a text message.
With ADDRESS it listens there, and the name it answers is the server name that the client sent (SNI), "none" without one.
A client it refuses is told by an alert; the connection ends when the client has read it.
"""
import base64
import hashlib
import os
import socket
import ssl
import sys
import threading
import weakref


def read_head(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(4096)
        if not piece:
            return None
        head += piece
    return head


def answer(connection):
    subject = connection.getpeercert()["subject"]
    name = next(value for part in subject for key, value in part if key == "commonName").encode()
    if ADDRESS:
        name = (server_names.get(connection) or "none").encode()
    while head := read_head(connection):
        lines = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
        key = {name.lower(): value for name, value in lines.items()}.get(b"sec-websocket-key")
        if key is None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(name), name))
            continue
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n\x81" + bytes([len(name)]) + name)


def serve(accepted):
    connection = context.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)
    try:
        connection.do_handshake()
        answer(connection)
    except OSError:
        # The alert is sent; a close with bytes unread would take it back.
        while os.read(connection.fileno(), 4096):
            pass
    finally:
        connection.close()


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
context.load_verify_locations(sys.argv[3])
context.verify_mode = ssl.CERT_REQUIRED
context.minimum_version = context.maximum_version = {
    "1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[sys.argv[4]]
ADDRESS = sys.argv[5] if len(sys.argv) > 5 else None
server_names = weakref.WeakKeyDictionary()
context.sni_callback = lambda connection, name, _: server_names.__setitem__(connection, name)
address = ADDRESS or "127.0.0.1"
listener = socket.create_server((address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET)
print("listening", listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
