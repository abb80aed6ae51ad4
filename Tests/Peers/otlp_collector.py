#!/usr/bin/env python3
"""Takes what OTLP exporters post, and prints each as a line: the path and the JSON."""
import http.server
import json


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        print(self.path, json.dumps(body), flush=True)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print("listening", server.server_address[1], flush=True)
server.serve_forever()
