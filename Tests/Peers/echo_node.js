// Checks an echo server (weir serve --scenario echo) with the browser bundle of the reference client.
//   node echo_node.js http://127.0.0.1:4400 socket.io.min.js polling|websocket|upgrade [recovery]
// With `recovery` it is cut off instead, and must be given what it missed (weir serve --recovery).
// Browsers have WebSocket, XMLHttpRequest and FileReader; here the `ws` package and the small classes below stand in for them.
// Prints one line and ends with 0 when everything came back as it should.
"use strict";
const fs = require("fs"), http = require("http"), assert = require("assert"), zlib = require("zlib");
const [url, bundle, mode, part] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });

// As much of XMLHttpRequest as the client uses.
globalThis.XMLHttpRequest = class {
  readyState = 0; status = 0; responseText = ""; responseType = ""; withCredentials = false; timeout = 0;
  #options = {}; #url; #answer = null; #request = null; #ended = false;
  open(method, url) { this.#options = { method, agent, headers: { "accept-encoding": "gzip" } }; this.#url = url; this.readyState = 1; }
  setRequestHeader(name, value) { this.#options.headers[name] = value; }
  getResponseHeader(name) { return (this.#answer && this.#answer.headers[name.toLowerCase()]) || null; }
  #finish(status, text) {
    if (this.#ended) return;
    this.#ended = true; this.status = status; this.responseText = text; this.readyState = 4;
    if (this.onreadystatechange) this.onreadystatechange();
  }
  send(data) {
    this.#request = http.request(this.#url, this.#options, (answer) => {
      this.#answer = answer;
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => {
        const packed = answer.headers["content-encoding"] === "gzip", bytes = Buffer.concat(parts);
        this.#finish(answer.statusCode, (packed ? zlib.gunzipSync(bytes) : bytes).toString());
      });
    });
    this.#request.on("error", () => this.#finish(0, ""));
    this.#request.end(data || undefined);
  }
  abort() { this.#ended = true; if (this.#request) this.#request.destroy(); }
};
globalThis.FileReader = class {
  readAsDataURL(blob) {
    blob.arrayBuffer().then((bytes) => {
      this.result = "data:;base64," + Buffer.from(bytes).toString("base64");
      this.onload();
    });
  }
};
globalThis.WebSocket = require("ws").WebSocket;
const module_ = { exports: {} };
new Function("module", "exports", fs.readFileSync(bundle, "utf8")).call(globalThis, module_, module_.exports);
const io = module_.exports.io || module_.exports;

const transports = { polling: ["polling"], websocket: ["websocket"], upgrade: ["polling", "websocket"] }[mode];
const once = (emitter, name) => new Promise((resolve) => emitter.once(name, (...all) => resolve(all)));

async function check() {
  const main = io(url, { transports, reconnection: false, auth: { token: "123" } });
  const custom = io(url + "/custom", { transports, reconnection: false });
  const unknown = io(url + "/random", { transports, reconnection: false });
  const [[auth], [customAuth], [refusal]] = await Promise.all([
    once(main, "auth"), once(custom, "auth"), once(unknown, "connect_error")]);
  assert.deepStrictEqual(auth, { token: "123" });
  assert.deepStrictEqual(customAuth, {});
  assert.strictEqual(refusal.message, "Invalid namespace");
  const engine = main.io.engine;
  if (mode === "upgrade" && engine.transport.name !== "websocket") await once(engine, "upgrade");
  assert.strictEqual(engine.transport.name, mode === "polling" ? "polling" : "websocket");

  const values = [1, "é€😀", { list: [true, null] }, Buffer.from([1, 2, 3]), { deep: [Buffer.from([4, 5])] },
    "\ud800 x \udfff", 18446744073709552000, 1e21, -9223372036854775809, { "\ud83d": 1.5e300 }];
  const deep = JSON.parse("[".repeat(2000) + "]".repeat(2000));
  for (const socket of [main, custom]) {
    socket.emit("message", deep);
    assert.strictEqual(JSON.stringify((await once(socket, "message-back"))[0]), JSON.stringify(deep));
    socket.emit("message", ...values);
    const back = await once(socket, "message-back");
    assert.deepStrictEqual(back.slice(0, 3), values.slice(0, 3));
    assert.deepStrictEqual([...new Uint8Array(back[3])], [1, 2, 3]);
    assert.deepStrictEqual(back.slice(5), values.slice(5));
    assert.deepStrictEqual([...new Uint8Array(back[4].deep[0])], [4, 5]);
    const acknowledged = await new Promise((resolve) =>
      socket.emit("message-with-ack", "a", Buffer.from([6]), (...all) => resolve(all)));
    assert.strictEqual(acknowledged[0], "a");
    assert.deepStrictEqual([...new Uint8Array(acknowledged[1])], [6]);
  }
  let order = 0;
  const all = new Promise((resolve) => main.on("message-back", (n) => {
    assert.strictEqual(n, order++);
    if (order === 500) resolve();
  }));
  for (let n = 0; n < 500; n++) main.emit("message", n);
  await all;
  custom.disconnect();
  main.emit("message", "still");
  assert.deepStrictEqual(await once(main.off("message-back"), "message-back"), ["still"]);
  main.disconnect();
  unknown.disconnect();
  console.log("passed", mode);
  process.exit(0);
}

async function checkRecovery() {
  const socket = io(url, { transports, reconnectionDelay: 10 });
  await once(socket, "connect");
  const id = socket.id;
  socket.emit("message", "first");
  assert.strictEqual((await once(socket, "message-back"))[0], "first");
  for (let n = 0; n < 3; n++) {
    const ready = once(socket, "connect"), missed = once(socket, "message-back");
    socket.emit("message", "missed " + n);
    socket.io.engine.close();
    assert.strictEqual((await missed)[0], "missed " + n);
    await ready;
    assert.ok(socket.recovered);
    assert.strictEqual(socket.id, id);
  }
  socket.disconnect();
  console.log("passed", mode, part);
  process.exit(0);
}
(part === "recovery" ? checkRecovery() : check()).catch((error) => { console.error(error); process.exit(1); });
