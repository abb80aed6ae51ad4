"""A bare Socket.IO server over long-polling, whose clock is so many seconds ahead as its argument says."""
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OFFSET = int(sys.argv[1])
HANDSHAKE = '0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'
joined = threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def date_time_string(self, timestamp=None):
        return super().date_time_string(time.time() + OFFSET)

    def log_message(self, *_):
        pass

    def answer(self, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if "sid=" not in self.path:
            return self.answer(HANDSHAKE if self.path.startswith("/socket.io/") else "hello")
        if joined.wait(timeout=20) and not getattr(self.server, "said", False):
            self.server.said = True
            return self.answer('40{"sid":"t"}')
        # The next heartbeat is far away: the poll stays open until the client goes.
        time.sleep(20)
        self.answer("2")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        joined.set()
        self.answer("ok")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print("listening", server.server_address[1], flush=True)
server.serve_forever()
