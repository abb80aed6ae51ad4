"""Runs a program on a terminal of its own, types at it, and tells how it left the terminal.

    pty_keys.py PROGRAM ARGUMENT... -- STEP...

Steps: `expect:TEXT` waits until the program printed TEXT behind what was expected before; `press:TEXT` types (escapes as
in Python); `signal:NAME` sends a signal; `stopped` waits until the program is suspended; `mode` prints whether the
terminal is `raw` or `cooked`. At the end the mode and the exit status (negative: a signal) are printed.
"""
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

cut = sys.argv.index("--")
program, steps = sys.argv[1:cut], sys.argv[cut + 1:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, b"\x18\x00\xc8\x00\x00\x00\x00\x00")


def mode():
    return "cooked" if termios.tcgetattr(slave)[3] & termios.ICANON else "raw"


def own_terminal():
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


child = subprocess.Popen(program, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=own_terminal)
seen = ""


def read(deadline):
    global seen
    if select.select([master], [], [], max(0, deadline - time.monotonic()))[0]:
        seen += os.read(master, 65536).decode("utf-8", "replace")


def fail(what):
    child.kill()
    sys.exit("%s; seen: %r" % (what, seen[-2000:]))


for step in steps:
    word, _, text = step.partition(":")
    deadline = time.monotonic() + 60
    if word == "expect":
        while text not in seen:
            if time.monotonic() > deadline:
                fail("%r did not come" % text)
            read(deadline)
        seen = seen[seen.index(text) + len(text):]
    elif word == "press":
        os.write(master, text.encode().decode("unicode_escape").encode("latin-1"))
    elif word == "signal":
        child.send_signal(getattr(signal, text))
    elif word == "stopped":
        os.waitpid(child.pid, os.WUNTRACED)
    elif word == "mode":
        print(mode())
deadline = time.monotonic() + 60
while child.poll() is None:
    if time.monotonic() > deadline:
        fail("the program does not end")
    read(min(deadline, time.monotonic() + 0.05))
print(mode())
print(child.returncode)
