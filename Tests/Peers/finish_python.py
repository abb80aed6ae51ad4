"""The two services of samples/profiles/finish.yaml on aiohttp: a store with constraints, and one that has tweets, each with tokens of its own."""
import asyncio

from aiohttp import web

rows = {"tweeters": [], "users": [], "guesses": []}
unique = {"tweeters": "twitter_id", "users": "tweeter"}
tweets = {str(n): {"id": str(n), "text": f"tweet number {n}", "user": {"id": author}, "created_at": f"2026-01-0{n}T00:00:00Z"}
          for n, author in ((1, "bo"), (2, "cleo"), (3, "bo"))}
tokens = {"/parse": {"store-token": None}, "/1.1": {"twitter-token": "ana", "twitter-token-of-bo": "bo"}}


def refusal(status, words):
    return web.json_response({"error": words}, status=status)


@web.middleware
async def guard(request, handler):
    known = next(tokens[prefix] for prefix in tokens if request.path.startswith(prefix))
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token not in known:
        return refusal(401, "wrong token")
    request["user"] = known[token]
    return await handler(request)


async def find(request):
    kind = request.match_info["kind"]
    return web.json_response({"results": [row for row in rows[kind] if row[unique[kind]] == request.query[unique[kind]]]})


async def make(request):
    kind, row = request.match_info["kind"], await request.json()
    for other in rows[kind]:
        if kind == "guesses" and other["key"] == row["key"]:
            return web.json_response(other)
        if kind in unique and other[unique[kind]] == row[unique[kind]]:
            return refusal(409, f"there is a row with this {unique[kind]}")
    if kind == "guesses" and not isinstance(row["right"], bool):
        return refusal(400, "right is no boolean")
    row["id"] = f"{kind}-{len(rows[kind]) + 1}"
    rows[kind].append(row)
    return web.json_response(row, status=201)


async def me(request):
    return web.json_response({"id": request["user"], "name": request["user"].title()})


async def timeline(request):
    return web.json_response([{"id": name} for name in tweets])


async def tweet(request):
    name = request.match_info["id"]
    return web.json_response(tweets[name]) if name in tweets else refusal(404, "no such tweet")


async def main():
    application = web.Application(middlewares=[guard])
    application.add_routes([
        web.get("/parse/{kind}", find), web.post("/parse/{kind}", make), web.get("/1.1/account/verify_credentials", me),
        web.get("/1.1/timeline/ids", timeline), web.get("/1.1/tweets/{id}", tweet),
    ])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print("listening", runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
