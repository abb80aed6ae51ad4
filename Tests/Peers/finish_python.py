"""The two services of samples/profiles/finish.yaml on aiohttp: a store with constraints, and one that has tweets.

    python finish_python.py --port 4300 --twitter 4301

Each has its own token. GET /stats (of the store) says what there is and what was asked. POST /hold N has the N-th request
from now done, and its answer held back for ever, so that the client can be killed there; GET /held answers when it is.
"""
import argparse
import asyncio

from aiohttp import web

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--twitter", type=int, required=True)
arguments = parser.parse_args()

state = {"tweeters": [], "users": [], "guesses": []}
tweets = {str(n): {"id": str(n), "text": f"tweet number {n}", "user": {"id": f"tw-{n % 2}"},
                   "created_at": f"2026-01-0{n}T00:00:00Z"} for n in (1, 2, 3)}
asked = []
downloads = {}
wrong = []
hold = {"after": 0, "reached": asyncio.Event()}


def refusal(status, words):
    return web.json_response({"error": words}, status=status)


def guarded(token):
    @web.middleware
    async def check(request, handler):
        if request.path in ("/stats", "/hold", "/held"):
            return await handler(request)
        asked.append(f"{request.method} {request.path}")
        given = request.headers.get("Authorization", "")
        if given != "Bearer " + token:
            wrong.append(given)
            return refusal(401, "wrong token")
        answer = await handler(request)
        if hold["after"] > 0:
            hold["after"] -= 1
            if hold["after"] == 0:
                hold["reached"].set()
                await asyncio.sleep(3600)
        return answer
    return check


def rows(kind, field):
    async def find(request):
        # Long enough for another client to find nothing, too.
        found = [row for row in state[kind] if row[field] == request.query[field]]
        await asyncio.sleep(0.05)
        return web.json_response({"results": found})
    return find


def made(kind, unique):
    async def make(request):
        row = await request.json()
        for other in state[kind]:
            if unique and other[unique] == row[unique]:
                if unique == "key":
                    return web.json_response(other)
                return refusal(409, f"there is a row with this {unique}")
        if kind == "guesses":
            if not isinstance(row["right"], bool):
                return refusal(400, "right is no boolean")
        row["id"] = f"{kind[:-1]}-{len(state[kind]) + 1}"
        state[kind].append(row)
        return web.json_response(row, status=201)
    return make


async def tweet(request):
    name = request.match_info["id"]
    if name not in tweets:
        return refusal(404, "no such tweet")
    downloads[name] = downloads.get(name, 0) + 1
    return web.json_response(tweets[name])


async def stats(request):
    return web.json_response(dict(state, asked=asked, downloads=downloads, wrong=wrong))


async def set_hold(request):
    hold["after"] = int(await request.text())
    hold["reached"].clear()
    asked.clear()
    return web.Response()


async def held(request):
    await hold["reached"].wait()
    return web.Response()


async def fixed(request, value):
    return web.json_response(value)


async def main():
    store = web.Application(middlewares=[guarded("store-token")])
    store.add_routes([
        web.get("/parse/tweeters", rows("tweeters", "twitter_id")),
        web.post("/parse/tweeters", made("tweeters", "twitter_id")),
        web.get("/parse/users", rows("users", "tweeter")), web.post("/parse/users", made("users", "tweeter")),
        web.post("/parse/guesses", made("guesses", "key")),
        web.get("/stats", stats), web.post("/hold", set_hold), web.get("/held", held),
    ])
    twitter = web.Application(middlewares=[guarded("twitter-token")])
    twitter.add_routes([
        web.get("/1.1/account/verify_credentials", lambda _: fixed(_, {"id": "tw-9", "name": "Ana"})),
        web.get("/1.1/timeline/ids", lambda _: fixed(_, [{"id": name} for name in tweets])),
        web.get("/1.1/tweets/{id}", tweet),
    ])
    for application, port in ((store, arguments.port), (twitter, arguments.twitter)):
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
    print("listening", flush=True)
    await asyncio.sleep(3600 * 24)

asyncio.run(main())
