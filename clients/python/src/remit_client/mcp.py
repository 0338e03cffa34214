"""Clients of MCP servers: every call of a tool is decided before it goes out.

    async with Client(server) as client:    # or an initialized ClientSession
        session = await remit.session(tools=await definitions(client), unseen_user=True)
        await session.user(task)
        tools = protect(session, client)
        await tools.call_tool("send_email", {…})
"""

from __future__ import annotations

from typing import Any

from mcp import ClientSession
from mcp.types import CallToolResult, PaginatedRequestParams, TextContent

from .aio import AsyncSession
from .enforce import SERVER, Call, Enforcement, Result, awaited, toolset
from .models import ToolSet, Unprotected

#: What a client may do without a decision: nothing of it comes before a model as a result.
_PASSED = (
    "initialize",
    "list_tools",
    "send_ping",
    "set_logging_level",
    "subscribe_resource",
    "unsubscribe_resource",
    "send_progress_notification",
    "send_roots_list_changed",
    "get_server_capabilities",
)


async def definitions(client: Any, *, server: str = SERVER) -> list[ToolSet]:
    """The tools of a server, all pages of them, to begin a session with."""
    listing = client if isinstance(client, ClientSession) else client.session
    found: list[Any] = []
    page = await listing.list_tools()
    while True:
        found += page.tools
        cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
        if not cursor:
            return toolset([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in found], server)
        page = await listing.list_tools(params=PaginatedRequestParams(cursor=cursor))


def protect(session: AsyncSession, client: Any, *, server: str = SERVER, approval_seconds: float = 0) -> ProtectedClient:
    """The client, with every call decided. A call that is held back waits ``approval_seconds`` for a person."""
    return ProtectedClient(awaited(session), client, server, Enforcement(server=server, approval_seconds=approval_seconds))


class Undecided(Unprotected, AttributeError):
    """A method of a client that nobody decides about."""


class ProtectedClient:
    """Decides the calls of an MCP client, and records what servers return.

    It has the methods of a ``Client`` or ``ClientSession`` that people use. Requests that are made by
    hand (``send_request``) could be calls, and are refused.
    """

    def __init__(self, session: AsyncSession, client: Any, server: str, enforcement: Enforcement) -> None:
        self._session = session
        self._client = client
        self._server = server
        self._enforcement = enforcement

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **options: Any) -> Any:
        """Call a tool, if it is allowed; a call that isn't has the explanation as its error."""

        async def run(decided: dict[str, Any]) -> Any:
            return await self._client.call_tool(name, decided, *args, **options)

        async def find(name: str, arguments: dict[str, Any]) -> Any:
            found = _seen(result := await self._client.call_tool(name, arguments))
            if _is_error(result):
                raise LookupError(found.text)
            return found.structured or found.text

        decision, returned = await self._enforcement.run(self._session, Call(name, arguments or {}), run, seen=_seen, find=find)
        if decision.allowed:
            return returned
        return CallToolResult.model_validate({"content": [TextContent(type="text", text=decision.explanation)], "isError": True})

    async def read_resource(self, *args: Any, **options: Any) -> Any:
        """Read a resource. It is external."""
        return await self._attached("resource", await self._client.read_resource(*args, **options))

    async def get_prompt(self, *args: Any, **options: Any) -> Any:
        """Get a prompt. It is external: a server wrote it, and not the user."""
        return await self._attached("prompt", await self._client.get_prompt(*args, **options))

    async def list_resources(self, *args: Any, **options: Any) -> Any:
        """List resources. Their names and descriptions are external."""
        return await self._attached("resources", await self._client.list_resources(*args, **options))

    async def list_resource_templates(self, *args: Any, **options: Any) -> Any:
        """List templates of resources. Their names and descriptions are external."""
        return await self._attached("resource templates", await self._client.list_resource_templates(*args, **options))

    async def list_prompts(self, *args: Any, **options: Any) -> Any:
        """List prompts. Their names and descriptions are external."""
        return await self._attached("prompts", await self._client.list_prompts(*args, **options))

    async def complete(self, *args: Any, **options: Any) -> Any:
        """Complete an argument. What a server proposes is external."""
        return await self._attached("completion", await self._client.complete(*args, **options))

    async def _attached(self, kind: str, value: Any) -> Any:
        await self._session.attach(f"{kind} of {self._server}", _json(value))
        return value

    def __getattr__(self, name: str) -> Any:
        if name not in _PASSED:
            raise Undecided(f"{name} can't be decided here: use the client itself, if no model sees what it returns")
        return getattr(self._client, name)


def _seen(value: Any) -> Result:
    """Everything of a result that a model may see."""
    if not isinstance(value, CallToolResult):
        return Result(_json(value))
    structured = getattr(value, "structured_content", None) or getattr(value, "structuredContent", None)
    return Result("\n".join(part.text if isinstance(part, TextContent) else _json(part) for part in value.content), structured, _is_error(value) or None)


def _is_error(result: Any) -> bool:
    return bool(getattr(result, "is_error", False) or getattr(result, "isError", False))


def _json(value: Any) -> str:
    out: str = value.model_dump_json(by_alias=True, exclude_none=True)
    return out
