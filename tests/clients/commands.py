"""What a test says to a client: the same lines as commands.mjs explains."""

import json
import os
import sys

import anyio

KEY = os.environ.get("KEY")
HEADERS = {"Authorization": f"Bearer {KEY}"} if KEY else {}


def say(value):
    print(json.dumps(value), flush=True)


def dump(result):
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def every_tool(client):
    tools, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += [tool.name for tool in page.tools]
        cursor = dump(page).get("nextCursor")
        if cursor is None:
            return {"tools": tools}


async def call(client, name, arguments, refusal):
    try:
        return {"result": dump(await client.call_tool(name, arguments))}
    except refusal as error:
        return {"error": {"code": error.error.code, "message": error.error.message}}


async def obey(client, refusal):
    """Does what a connected client is told. `refusal` is how the SDK raises a JSON-RPC error."""
    say({"connected": True})
    while line := await anyio.to_thread.run_sync(sys.stdin.readline):
        command = json.loads(line)
        if command.get("list"):
            say(await every_tool(client))
        else:
            say(await call(client, command["call"], command["arguments"], refusal))


def cause(error):
    """The first cause in a tree of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


def run(main):
    try:
        anyio.run(main)
    except Exception as error:
        say({"failed": cause(error)})
        sys.exit(1)
