"""A chat gateway on aiohttp: the server of samples/profiles/gateway.yaml, in the shape of services with hello, identify,
heartbeats and resume.

    python gateway_python.py --port 4200 --state gateway.json [--beat MILLISECONDS] [--life SECONDS] [--deaf]

What was said is in the state file; sessions are in memory, so that a server that was killed knows none. POST /say does
what another user would, POST /cut cuts every connection, and with --deaf no heartbeat is answered.
A login gives a token that lives --life seconds, and a refresh token that renews it once.
"""
import argparse
import json
import os
import time
from datetime import datetime, timezone

from aiohttp import WSMsgType, web

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--state", required=True)
parser.add_argument("--beat", type=int, default=10_000)
parser.add_argument("--life", type=int, default=3600)
parser.add_argument("--deaf", action="store_true")
arguments = parser.parse_args()

USER = {"id": "100", "username": "ana"}
state = {"channels": [{"id": "1", "name": "general", "position": 1}, {"id": "2", "name": "random", "position": 2}],
         "messages": [], "last": 1000}
# The lifetime of a token in seconds. A refresh token renews it once.
LIFE = arguments.life
tokens, refreshes = {"token-of-ana": float("inf")}, set()
if os.path.exists(arguments.state):
    with open(arguments.state) as file:
        state = json.load(file)
sessions, sockets = {}, {}


def keep():
    with open(arguments.state + ".new", "w") as file:
        json.dump(state, file)
    os.replace(arguments.state + ".new", arguments.state)


def is_good(token):
    return tokens.get(token, 0) > time.time()


def pair():
    token, refresh = os.urandom(16).hex(), os.urandom(16).hex()
    tokens[token] = time.time() + LIFE
    refreshes.add(refresh)
    return web.json_response({"access_token": token, "refresh_token": refresh, "expires_in": LIFE})


async def login(request):
    body = await request.json()
    if (body["login"], body["password"]) != ("ana", "weir"):
        return web.json_response({"message": "wrong name or password"}, status=403)
    return pair()


async def renew(request):
    refresh = (await request.json())["refresh_token"]
    if refresh not in refreshes:
        return web.json_response({"message": "the refresh token was used, or is none"}, status=403)
    refreshes.remove(refresh)
    print("renewed", flush=True)
    return pair()


async def dispatch(name, data):
    for key, log in sessions.items():
        log.append({"op": 0, "t": name, "s": len(log) + 1, "d": data})
        if key in sockets:
            await sockets[key].send_json(log[-1])


async def gateway(request):
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.send_json({"op": 10, "d": {"heartbeat_interval": arguments.beat}})
    key = None
    async for frame in socket:
        if frame.type != WSMsgType.TEXT:
            break
        message = json.loads(frame.data)
        if message["op"] == 1 and not arguments.deaf:
            await socket.send_json({"op": 11})
        elif message["op"] in (2, 6) and not is_good(message["d"]["token"]):
            await socket.close(code=4004, message=b"authentication failed")
        elif message["op"] == 2:
            key = os.urandom(16).hex()
            sessions[key], sockets[key] = [], socket
            sessions[key].append({"op": 0, "t": "READY", "s": 1, "d": {"session_id": key, "user": USER}})
            await socket.send_json(sessions[key][-1])
        elif message["op"] == 6 and message["d"]["session_id"] not in sessions:
            await socket.send_json({"op": 9, "d": False})
        elif message["op"] == 6:
            key = message["d"]["session_id"]
            sockets[key] = socket
            for missed in sessions[key][message["d"]["seq"]:]:
                await socket.send_json(missed)
            sessions[key].append({"op": 0, "t": "RESUMED", "s": len(sessions[key]) + 1, "d": {}})
            await socket.send_json(sessions[key][-1])
    if sockets.get(key) is socket:
        del sockets[key]
    return socket


async def post(channel, author, content):
    if "spam" in content:
        return web.json_response({"message": "no spam in here"}, status=400)
    state["last"] += 1
    message = {"id": str(state["last"]), "channel_id": channel, "author": author, "content": content,
               "timestamp": datetime.now(timezone.utc).isoformat(), "edited_timestamp": None}
    state["messages"].append(message)
    keep()
    await dispatch("MESSAGE_CREATE", message)
    return web.json_response(message)


async def say(request):
    body = await request.json()
    return await post(body["channel"], {"id": "200", "username": "bo"}, body["text"])


async def cut(request):
    for socket in list(sockets.values()):
        socket._req.transport.abort()
    return web.json_response({})


def allowed(handler):
    async def checked(request):
        if not is_good(request.headers.get("authorization", "").removeprefix("Bearer ")):
            return web.json_response({"message": "401: Unauthorized"}, status=401)
        return await handler(request)
    return checked


@allowed
async def me(request):
    return web.json_response(USER)


@allowed
async def channels(request):
    return web.json_response(state["channels"])


@allowed
async def messages(request):
    found = [message for message in state["messages"] if message["channel_id"] == request.match_info["channel"]]
    return web.json_response(found[-50:])


@allowed
async def send(request):
    return await post(request.match_info["channel"], USER, (await request.json())["content"])


application = web.Application()
application.add_routes([
    web.post("/api/v1/auth/login", login), web.post("/api/v1/auth/refresh", renew), web.get("/gateway", gateway), web.get("/api/v1/users/me", me), web.get("/api/v1/channels", channels),
    web.get("/api/v1/channels/{channel}/messages", messages), web.post("/api/v1/channels/{channel}/messages", send),
    web.post("/say", say), web.post("/cut", cut)])


# The tests wait for this line.
web.run_app(application, host="127.0.0.1", port=arguments.port, print=lambda _: print("listening", flush=True))
