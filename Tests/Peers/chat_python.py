"""A room chat on python-socketio and aiohttp, as tutorials build them: the server of samples/profiles/socketio-chat.yaml.

    python chat_python.py --port 4200 --state chat.json

Rooms, messages and who may join are in the state file, so that a server that was killed goes on where it was. POST
/say, /edit and /delete do what a browser of another user would.
"""
import argparse
import json
import os
import time

import socketio
from aiohttp import web

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--state", required=True)
arguments = parser.parse_args()

sio = socketio.AsyncServer(async_mode="aiohttp")
state = {
    "rooms": [{"id": "lobby", "title": "The lobby"}, {"id": "dev", "title": "Development"},
              {"id": "board", "title": "Board of directors"}],
    "messages": {"lobby": [], "dev": [], "board": []}, "last": 0}
if os.path.exists(arguments.state):
    with open(arguments.state) as file:
        state = json.load(file)


def keep():
    with open(arguments.state + ".new", "w") as file:
        json.dump(state, file)
    os.replace(arguments.state + ".new", arguments.state)


@sio.event
async def connect(sid, environ, auth):
    if (auth or {}).get("token") != "ana":
        raise ConnectionRefusedError("who are you?")


@sio.event
async def join(sid, data):
    if data["room"] == "board":
        return {"ok": False, "error": "members of the board only"}
    await sio.enter_room(sid, data["room"])
    return {"ok": True}


@sio.event
async def leave(sid, data):
    await sio.leave_room(sid, data["room"])
    return {"ok": True}


async def say(request):
    body = await request.json()
    state["last"] += 1
    message = {"id": state["last"], "room": body["room"], "sender": body["sender"], "text": body["text"],
               "at": time.time()}
    state["messages"][body["room"]].append(message)
    keep()
    if not body.get("silently"):
        await sio.emit("message", message, room=body["room"])
    return web.json_response(message)


async def edit(request):
    body = await request.json()
    for message in state["messages"][body["room"]]:
        if message["id"] == body["id"]:
            message.update(text=body["text"], edited_at=time.time())
            keep()
            await sio.emit("message", message, room=body["room"])
            return web.json_response(message)
    raise web.HTTPNotFound()


async def delete(request):
    body = await request.json()
    messages = state["messages"][body["room"]]
    messages[:] = [message for message in messages if message["id"] != body["id"]]
    keep()
    await sio.emit("message_deleted", {"id": body["id"], "room": body["room"], "by": body["by"]}, room=body["room"])
    return web.json_response({})


def allowed(handler):
    async def checked(request):
        if request.headers.get("authorization") != "Bearer ana":
            raise web.HTTPUnauthorized()
        return await handler(request)
    return checked


@allowed
async def rooms(request):
    return web.json_response(state["rooms"])


@allowed
async def messages(request):
    found = state["messages"].get(request.match_info["room"])
    if found is None:
        raise web.HTTPNotFound()
    return web.json_response({"messages": found[-int(request.query.get("limit", 50)):]})


application = web.Application()
sio.attach(application)
application.add_routes([
    web.get("/api/rooms", rooms), web.get("/api/rooms/{room}/messages", messages),
    web.post("/say", say), web.post("/edit", edit), web.post("/delete", delete)])


async def announce(_):
    print("listening", flush=True)


application.on_startup.append(announce)
web.run_app(application, host="127.0.0.1", port=arguments.port, print=None)
