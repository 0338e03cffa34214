"""An MCP client of the official SDK. It takes what to do as JSON in its first
argument, and prints what came back."""

import asyncio
import json
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters


async def tools(client):
    names, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        names += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if not cursor:
            return names


async def main(job):
    server = job.get("url") or StdioServerParameters(command=job["command"][0], args=job["command"][1:])
    async with Client(server, mode=job["mode"]) as client:
        # A server that takes long to start joins the list when it is there.
        for _ in range(600):
            names = await tools(client)
            if set(job["tools"]) <= set(names):
                break
            await asyncio.sleep(0.1)
        results = []
        for call in job["calls"]:
            result = await client.call_tool(call["tool"], call["arguments"])
            text = "\n".join(c.text for c in result.content if c.type == "text")
            results.append({"isError": bool(result.is_error), "text": text})
        print(json.dumps({"version": client.protocol_version, "tools": names, "results": results}))


asyncio.run(main(json.loads(sys.argv[1])))
