// The node package `ws` as the other end of compressed WebSockets (Debian: node-ws).
//   node deflate_node.js server OPTIONS    prints "listening PORT"; sends back what it gets. OPTIONS: JSON, of perMessageDeflate
//   node deflate_node.js client URL OPTIONS COUNT    sends COUNT messages, prints "ok EXTENSIONS" when all came back as they were
"use strict";
const { WebSocket, WebSocketServer } = require("ws");
const [mode, place, options, count] = process.argv.slice(2);
const text = (i) => `${i} ${"weir ".repeat(i % 1000)}${String.fromCodePoint(0x1f600 + (i % 50))}`;

if (mode === "server") {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: JSON.parse(place) });
  server.on("listening", () => console.log(`listening ${server.address().port}`));
  server.on("connection", (socket) => socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary })));
} else {
  const socket = new WebSocket(place, { perMessageDeflate: JSON.parse(options) });
  let next = 0;
  socket.on("open", () => { for (let i = 0; i < Number(count); i++) socket.send(text(i)); });
  socket.on("message", (data) => {
    if (data.toString() !== text(next)) { console.log(`wrong ${next}`); process.exit(1); }
    if (++next < Number(count)) return;
    console.log(`ok ${socket.extensions}`);
    socket.close(1000);
  });
  socket.on("close", (code) => { console.log(`closed ${code}`); process.exit(0); });
  socket.on("error", (error) => { console.log(`error ${error.message}`); process.exit(1); });
}
