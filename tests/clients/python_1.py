"""The Python SDK, first generation: python_1.py URL, the key in KEY."""

import sys

from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamablehttp_client

from commands import HEADERS, obey, run


async def main():
    async with streamablehttp_client(sys.argv[1], headers=HEADERS) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await obey(session, McpError)


run(main)
