"""A room chat on python-socketio and aiohttp, as tutorials build them: the server of samples/profiles/socketio-chat.yaml.

    python chat_python.py --port 4200 --state chat.json

Messages are in the state file, so that a server that was killed goes on where it was. POST /say and /edit do what
the browsers of other users would.
"""
import argparse
import asyncio
import json
import os
import time

import socketio
from aiohttp import web

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--state", required=True)
parser.add_argument("--chatter", action="store_true", help="somebody says something in the lobby all the time")
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
    if (auth or {}).get("token") != "token-of-ana":
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


def refusal(status, words):
    return web.json_response({"error": words}, status=status)


async def post(room, sender, text, nonce=None, silently=False):
    if room not in state["messages"]:
        return refusal(404, "no such room")
    if "spam" in text:
        return refusal(422, "no spam in here")
    for message in state["messages"][room]:
        if nonce and message.get("nonce") == nonce:
            return web.json_response(message)
    state["last"] += 1
    message = {"id": state["last"], "room": room, "sender": sender, "text": text, "at": time.time()}
    if nonce:
        message["nonce"] = nonce
    state["messages"][room].append(message)
    keep()
    if not silently:
        await sio.emit("message", message, room=room)
    return web.json_response(message)


async def change(room, id, by, text):
    """Changes a message, or deletes it where there is no text."""
    for message in state["messages"].get(room, []):
        if str(message["id"]) != str(id):
            continue
        if message["sender"] != by:
            return refusal(403, "it is not yours")
        if text is None:
            state["messages"][room].remove(message)
            await sio.emit("message_deleted", {"id": message["id"], "room": room, "by": by}, room=room)
        else:
            message.update(text=text, edited_at=time.time())
            await sio.emit("message", message, room=room)
        keep()
        return web.json_response(message)
    return refusal(404, "no such message")


async def say(request):
    body = await request.json()
    return await post(body["room"], body["sender"], body["text"], silently=body.get("silently", False))


async def edit(request):
    body = await request.json()
    return await change(body["room"], body["id"], body["by"], body.get("text"))


def allowed(handler):
    async def checked(request):
        if request.headers.get("authorization") != "Bearer token-of-ana":
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


@allowed
async def me(request):
    return web.json_response({"id": "ana", "name": "Ana Lima"})


@allowed
async def send(request):
    body = await request.json()
    return await post(request.match_info["room"], "ana", body["text"], body.get("nonce"))


@allowed
async def change_own(request):
    text = (await request.json())["text"] if request.method == "PUT" else None
    return await change(request.match_info["room"], request.match_info["id"], "ana", text)


application = web.Application()
sio.attach(application)
application.add_routes([
    web.get("/api/rooms", rooms), web.get("/api/rooms/{room}/messages", messages),
    web.get("/api/me", me), web.post("/api/rooms/{room}/messages", send),
    web.put("/api/rooms/{room}/messages/{id}", change_own), web.delete("/api/rooms/{room}/messages/{id}", change_own),
    web.post("/say", say), web.post("/edit", edit)])


async def chatter():
    while True:
        await asyncio.sleep(0.5)
        await post("lobby", "bo", "tick")


async def begin(app):
    if arguments.chatter:
        app["chatter"] = asyncio.create_task(chatter())


application.on_startup.append(begin)
# The tests wait for this line.
web.run_app(application, host="127.0.0.1", port=arguments.port, print=lambda _: print("listening", flush=True))
