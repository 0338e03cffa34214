"""A client of an MCP server: the calls of a model go out when they are allowed."""

import asyncio

import office
from mcp import Client
from mcp.server.mcpserver import MCPServer

from remit_client import AsyncRemit
from remit_client.mcp import definitions, protect

server = MCPServer("office", log_level="WARNING")
server.tool()(office.read_inbox)
server.tool()(office.send_email)


async def main():
    seen = []
    # In place of the server: an address, or StdioServerParameters.
    async with Client(server) as client, AsyncRemit(office.URL, office.TOKEN) as remit:
        session = await remit.session(tools=await definitions(client), unseen_user=True)
        await session.user(office.TASK)
        tools = protect(session, client)
        for name, arguments in office.SCRIPT[:-1]:
            result = await tools.call_tool(name, arguments)
            seen.append(result.content[0].text)
    office.report(seen)


asyncio.run(main())
