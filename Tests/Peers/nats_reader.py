"""Reads what weir published, by a client that nobody of weir wrote: URL STREAM NAME.

Prints the SHA-256 of the recording's text, how many lines it has, and how many messages each other subject has.
"""

import asyncio
import collections
import hashlib
import sys

import nats
from nats.js.api import AckPolicy, ConsumerConfig
from nats.errors import TimeoutError


async def main(url, stream, name):
    client = await nats.connect(url)
    streams = client.jetstream()
    config = ConsumerConfig(ack_policy=AckPolicy.NONE)
    reader = await streams.pull_subscribe(f"weir.{name}.>", stream=stream, config=config)
    left = (await reader.consumer_info()).num_pending
    text, lines = hashlib.sha256(), 0
    subjects = collections.Counter()
    while left > 0:
        try:
            messages = await reader.fetch(min(left, 100), timeout=1)
        except TimeoutError:
            continue
        for message in messages:
            left -= 1
            if message.subject == f"weir.{name}.records":
                text.update(message.data)
                lines += message.data.count(b"\n")
            else:
                subjects[message.subject.split(".")[2]] += 1
    print("text", text.hexdigest())
    print("lines", lines)
    for subject, count in sorted(subjects.items()):
        print(subject, count)
    await client.close()


asyncio.run(main(*sys.argv[1:]))
