"""A NiceGUI application of one button, as people write them, with a login: its Socket.IO server takes the auth object {"token": TOKEN} alone,
asks each client to acknowledge the event `confirm`, and tells the answer by `confirmed`.

    nicegui_app.py TOKEN PORT
"""
import socket
import sys
import threading
import time

import socketio
from nicegui import app, core, ui

token, port = sys.argv[1], int(sys.argv[2])
accepted = core.sio.handlers["/"]["connect"]


async def connect(sid, environ, auth=None):
    if not isinstance(auth, dict) or auth.get("token") != token:
        raise socketio.exceptions.ConnectionRefusedError("token missing or wrong")
    await accepted(sid, environ)

    async def answered(*answer):
        await core.sio.emit("confirmed", list(answer), to=sid)

    async def ask():
        await core.sio.emit("confirm", {"what": "the session"}, to=sid, callback=answered)

    core.sio.start_background_task(ask)


core.sio.on("connect", connect)


@ui.page("/")
def page():
    clicks = [0]
    label = ui.label("0 clicks")

    def clicked():
        clicks[0] += 1
        label.set_text(f"{clicks[0]} clicks")

    ui.button("Click", on_click=clicked)


def announce():
    """Says so once it listens: the start-up handlers run before that."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.02)
    print(f"listening on {port}", flush=True)


app.on_startup(lambda: threading.Thread(target=announce, daemon=True).start())
ui.run(host="127.0.0.1", port=port, show=False, reload=False, show_welcome_message=False)
