"""Goes through a recording as a plain Python program would: parses each line, and of each frame that brings an event the event in it.

Prints how many events there were. For `weir-bench replay`.
"""
import json
import sys

events = 0
with open(sys.argv[1], "rb") as file:
    for line in file:
        record = json.loads(line)
        if record["k"] != "f" or record["d"] != "in" or not record["p"].startswith("42"):
            continue
        if json.loads(record["p"][2:])[0] == "realtime:resource":
            events += 1
print(events)
