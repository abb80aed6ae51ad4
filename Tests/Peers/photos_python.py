"""The service of samples/profiles/photos.yaml on aiohttp: users, photos in two lists, and the states of sent ones.

    photos_python.py --port 4300

GET /stats tells what was asked: the polls of each photo's state, the headers of registrations, and the uploads. GET /polls/ID?more=N answers
once the state of photo ID was asked N times more. POST /state/ID sets a state, POST /fail the status that the next uploads are answered with.
"""
import argparse
import asyncio
import base64
import hashlib

from aiohttp import web

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
arguments = parser.parse_args()

token = "token-of-ana"
users = {"ana": {"id": "ana", "name": "Ana", "about": ""}}
sent = {"7": {"id": "7", "to": "bo", "state": "delivered"}, "8": {"id": "8", "to": "bo", "state": "seen"}}
stats = {"polls": {}, "registrations": [], "uploads": [], "failing": 0}
changed = asyncio.Condition()


def refusal(status, words):
    return web.json_response({"message": words}, status=status)


def photo(number):
    return {"photo": {"id": number, "taken_at": f"2026-01-0{number}T00:00:00Z"}, "sender": {"id": "bo", "name": "Bo"},
            "image_url": f"https://photos.example/{number}.jpg"}


@web.middleware
async def check(request, handler):
    if request.path.startswith("/api/") and not (request.path == "/api/users" and request.method == "POST"):
        if request.headers.get("Authorization") != "Bearer " + token:
            return refusal(401, "wrong token")
    return await handler(request)


async def register(request):
    body = await request.json()
    stats["registrations"].append(request.headers.get("Authorization"))
    name = body["name"]
    if name.lower() in users:
        return refusal(400, f"there is a user called {name}")
    users[name.lower()] = {"id": name.lower(), "name": name, "about": body["about"]}
    return web.json_response(users[name.lower()], status=201)


async def update(request):
    users["ana"]["about"] = (await request.json())["about"]
    return web.json_response(users["ana"])


async def me(request):
    return web.json_response(users["ana"])


async def photos(request):
    return web.json_response({"result": [photo(1), photo(2)]})


async def trends(request):
    return web.json_response({"result": [dict(photo(2), views=10), dict(photo(3), views=900)]})


async def sent_list(request):
    return web.json_response({"result": list(sent.values())})


async def state(request):
    name = request.match_info["id"]
    async with changed:
        stats["polls"][name] = stats["polls"].get(name, 0) + 1
        changed.notify_all()
    if name not in sent:
        return refusal(404, "no such photo")
    if sent[name]["state"] == "lost":
        return refusal(400, f"the film of photo {name} is lost")
    return web.json_response(sent[name])


async def upload(request):
    body = await request.json()
    if stats["failing"]:
        return refusal(stats["failing"], "the disk is full")
    if body["to"] != "bo":
        return refusal(400, f"there is no user {body['to']}")
    for other in stats["uploads"]:
        if other["key"] == body["key"]:
            return web.json_response(sent[other["id"]])
    image = base64.b64decode(body["image"], validate=True)
    name = str(len(sent) + 7)
    stats["uploads"].append({"id": name, "key": body["key"], "size": len(image), "sha256": hashlib.sha256(image).hexdigest()})
    sent[name] = {"id": name, "to": body["to"], "state": "sending", "key": body["key"]}
    return web.json_response(sent[name], status=201)


async def set_state(request):
    sent.setdefault(request.match_info["id"], {"id": request.match_info["id"], "to": "bo"})["state"] = await request.text()
    return web.Response()


async def set_fail(request):
    stats["failing"] = int(await request.text())
    return web.Response()


async def more(request):
    name, wanted = request.match_info["id"], int(request.query["more"])
    async with changed:
        least = stats["polls"].get(name, 0) + wanted
        await changed.wait_for(lambda: stats["polls"].get(name, 0) >= least)
    return web.Response()


async def tell(request):
    return web.json_response(stats)


async def main():
    application = web.Application(middlewares=[check], client_max_size=64 << 20)
    application.add_routes([
        web.post("/api/users", register), web.get("/api/users/me", me), web.put("/api/users/me", update),
        web.get("/api/photos", photos), web.get("/api/photos/trends", trends), web.get("/api/photos/sent", sent_list),
        web.get("/api/photos/{id}/state", state), web.post("/api/photos", upload),
        web.get("/stats", tell), web.post("/fail", set_fail), web.post("/state/{id}", set_state),
        web.get("/polls/{id}", more),
    ])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", arguments.port).start()
    print("listening", flush=True)
    await asyncio.sleep(3600 * 24)

asyncio.run(main())
