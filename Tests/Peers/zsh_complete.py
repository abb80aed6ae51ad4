"""Types a line and a tab into zsh at a terminal of its own, and prints what weir is then called with.

    zsh_complete.py LINE
"""
import os
import pty
import re
import select
import sys
import time

SETUP = """PS1='ready> '
unsetopt zle_bracketed_paste 2>/dev/null
autoload -Uz compinit && compinit -D -u
weir() { if [[ $1 == (complete|completion) ]]; then command weir "$@"; else print -r -- "called<$*>"; fi }
eval "$(weir completion zsh)"
print -r -- 'set' 'up'
"""

pid, master = pty.fork()
if pid == 0:
    os.execvp("zsh", ["zsh", "-f", "-i"])
seen = ""


def wait_for(pattern, seconds=20):
    global seen
    deadline = time.monotonic() + seconds
    while not (found := re.search(pattern, seen)):
        if not select.select([master], [], [], max(0, deadline - time.monotonic()))[0]:
            sys.exit(f"no {pattern!r} in {seen!r}")
        seen += os.read(master, 65536).decode("utf-8", "replace")
    seen = seen[found.end():]
    return found


for line in SETUP.splitlines():
    os.write(master, line.encode() + b"\n")
wait_for(r"\nset up\r?\n")
wait_for(r"ready> ")
os.write(master, sys.argv[1].encode() + b"\t")
# zsh handles the tab before the keys after it.
os.write(master, b"\n")
print("completed", wait_for(r"called<(.*?) ?>").group(1))
os.write(master, b"exit\n")
