#!/usr/bin/env python3
"""Looks at a page in a headless Chromium, as a reader does, and prints what it found as one JSON object.

usage: look_report.py CHROMIUM PAGE FOLDER [WORD…]

Nothing but the file may be asked for. The page is shown light and dark; screenshots go to FOLDER as light.png and dark.png, and their mean
colours by blocks are in the output. Each WORD is typed into the search, and the rows that are left are counted.
"""
import base64
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

chromium, page, folder, words = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4:]
WIDTH, HEIGHT, BLOCK = 1000, 1400, 50

FACTS = """
(() => {
  const numbers = at => [...document.querySelectorAll(at)].map(cell => Number(cell.value));
  const table = caption => Object.fromEntries([...document.querySelectorAll('#loudest table')]
    .filter(table => table.caption.textContent === caption)
    .flatMap(table => [...table.tBodies[0].rows].map(row => [row.cells[0].textContent, Number(row.querySelector('data').value)])));
  const charts = [...document.querySelectorAll('svg.chart')];
  const unlabelled = [...document.querySelectorAll('input')].filter(input => !input.labels.length).length
    + [...document.querySelectorAll('table')].filter(table => !table.caption).length
    + charts.filter(chart => !chart.querySelector('title')).length
    + [...document.querySelectorAll('[tabindex="0"]')].filter(box => !box.getAttribute('aria-label')).length;
  return {
    title: document.title, headings: [...document.querySelectorAll('h1, h2')].map(heading => heading.textContent),
    tiles: Object.fromEntries([...document.querySelectorAll('#overview .tiles li')].map(
      tile => [tile.lastChild.textContent.trim(), Number(tile.querySelector('data').value)])),
    legends: [...document.querySelectorAll('#rates .legend')].map(
      list => [...list.querySelectorAll('data')].map(entry => Number(entry.value))),
    columns: [...document.querySelectorAll('#rates details table')].map(
      table => [...table.querySelectorAll('td data')].reduce((sum, cell) => sum + Number(cell.value), 0)),
    drawn: charts.map(chart => ({
      bars: [...chart.querySelectorAll('.area')].reduce((sum, path) => sum + (path.getAttribute('d').match(/M/g) || []).length, 0),
      width: Math.round(chart.getBBox().width), gaps: chart.querySelectorAll('.gap, .hole').length,
      lines: chart.querySelectorAll('.line').length })),
    wire: table('Names on the wire'), rows: document.querySelectorAll('#list tbody tr').length,
    images: document.querySelectorAll('img, iframe, object, link, form[action]').length,
    scripts: document.querySelectorAll('script').length, handlers: [...document.querySelectorAll('*')].filter(
      element => [...element.attributes].some(attribute => attribute.name.startsWith('on') || attribute.name === 'style')).length,
    unlabelled, bytes: document.documentElement.outerHTML.length,
    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  };
})()
"""

SEARCH = """
(async word => {
  const box = document.getElementById('search');
  box.focus();
  box.value = word;
  box.dispatchEvent(new Event('input'));
  const rows = [...document.querySelectorAll('#list tbody tr')];
  for (let turn = 0; turn < 100 && !document.getElementById('found').value; turn += 1)
    await new Promise(resolve => setTimeout(resolve, 20));
  const result = { shown: rows.filter(row => !row.hidden).length, found: document.getElementById('found').value };
  box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  result.after = rows.filter(row => !row.hidden).length;
  return result;
})(%s)
"""


class Browser:
    """A Chromium that is spoken to by two pipes."""

    def __init__(self, profile):
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()

        def place():
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [chromium, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--force-device-scale-factor=1", "--font-render-hinting=none",
             "--user-data-dir=" + profile, "about:blank"],
            preexec_fn=place, pass_fds=(3, 4, theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.out, self.into = ours_out, os.fdopen(ours_in, "rb")
        self.ids, self.events, self.session = itertools.count(1), [], None

    def receive(self):
        text = b""
        while not text.endswith(b"\0"):
            byte = self.into.read(1)
            if not byte:
                sys.exit("Chromium ended")
            text += byte
        return json.loads(text[:-1])

    def call(self, method, **parameters):
        number = next(self.ids)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.out, text):]
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())
        self.events_seen = self.events

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(str(answer["exceptionDetails"]))
        return answer["result"]["value"]


def pixels(png):
    """Rows of pixels of a PNG with eight bits a channel: bytes and how many a pixel has."""
    place, data, width, height, step = 8, b"", 0, 0, 3
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        body = png[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
            step = 4 if colour == 6 else 3
        if kind == b"IDAT":
            data += body
        place += length + 12
    data, rows, before = zlib.decompress(data), [], bytearray(width * step)
    for row in range(height):
        start = row * (width * step + 1)
        method, line = data[start], bytearray(data[start + 1:start + 1 + width * step])
        for i in range(len(line)):
            a = line[i - step] if i >= step else 0
            b, c = before[i], before[i - step] if i >= step else 0
            if method == 1:
                line[i] = (line[i] + a) & 255
            elif method == 2:
                line[i] = (line[i] + b) & 255
            elif method == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif method == 4:
                p, q, r = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                line[i] = (line[i] + (a if p <= q and p <= r else b if q <= r else c)) & 255
        rows.append(line)
        before = line
    return rows, step


def blocks(png):
    """The mean colour of each block, row by row."""
    rows, step = pixels(png)
    result = []
    for top in range(0, HEIGHT, BLOCK):
        for left in range(0, WIDTH, BLOCK):
            mean = []
            for channel in range(3):
                values = [sum(row[left * step + channel:(left + BLOCK) * step:step]) for row in rows[top:top + BLOCK]]
                mean.append(round(sum(values) / BLOCK / BLOCK))
            result.append(mean)
    return result


with tempfile.TemporaryDirectory() as profile:
    browser = Browser(profile)
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    browser.call("Page.navigate", url="file://" + page)
    browser.wait("Page.loadEventFired")
    report = {"facts": browser.evaluate(FACTS), "blocks": {}}
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        png = base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])
        with open(f"{folder}/{scheme}.png", "wb") as file:
            file.write(png)
        report["blocks"][scheme] = blocks(png)
    report["search"] = [browser.evaluate(SEARCH % json.dumps(word)) for word in words]
    report["narrow"] = []
    browser.call("Emulation.setDeviceMetricsOverride", width=420, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    report["narrow"] = browser.evaluate(FACTS)["wide"]
    report["requests"] = [
        event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"
        and not event["params"]["request"]["url"].startswith("file://")]
    report["console"] = [
        event["params"] for event in browser.events
        if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
    browser.session = None
    browser.call("Browser.close")
    browser.process.wait()
    json.dump(report, sys.stdout)
