"""The Python SDK, second generation: python_2.py auto|legacy|REVISION URL, the key in KEY."""

import sys

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from commands import HEADERS, obey, run


async def main():
    mode, url = sys.argv[1:]
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            await obey(client, MCPError)


run(main)
