"""Agents of AutoGen: every call that goes to a workbench is decided before it runs.

    tools = StaticWorkbench([FunctionTool(send_email, description="Sends an e-mail.")])
    session = await remit.session(tools=await definitions(tools))
    await session.user(task)
    agent = AssistantAgent("assistant", model, workbench=protect(session, tools))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autogen_core import CancellationToken
from autogen_core.tools import TextResultContent, ToolResult, ToolSchema, Workbench

from .aio import AsyncSession
from .enforce import SERVER, Call, Enforcement, Result, awaited, function, toolset
from .models import RemitError, ToolSet


async def definitions(*workbenches: Workbench, server: str = SERVER) -> list[ToolSet]:
    """The tools of workbenches, to begin a session with. A workbench that has to be started is, before."""
    found = [tool for workbench in workbenches for tool in await workbench.list_tools()]
    return toolset([function(tool["name"], tool.get("description"), tool.get("parameters")) for tool in found], server)


def protect(session: AsyncSession, workbench: Workbench, *, server: str = SERVER, approval_seconds: float = 0) -> ProtectedWorkbench:
    """The workbench, with every call decided. A call that is held back waits ``approval_seconds`` for a person."""
    return ProtectedWorkbench(awaited(session), workbench, Enforcement(server=server, approval_seconds=approval_seconds))


class ProtectedWorkbench(Workbench):
    """Decides the calls of a workbench, and records what they return."""

    component_type = "workbench"

    def __init__(self, session: AsyncSession, workbench: Workbench, enforcement: Enforcement) -> None:
        self._session = session
        self._workbench = workbench
        self._enforcement = enforcement

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        async def run(decided: dict[str, Any]) -> ToolResult:
            return await self._workbench.call_tool(name, decided, cancellation_token, call_id)

        async def find(name: str, arguments: dict[str, Any]) -> str:
            found = await self._workbench.call_tool(name, arguments, cancellation_token)
            if found.is_error:
                raise LookupError(found.to_text())
            return found.to_text()

        call = Call(name, dict(arguments or {}), call_id)
        try:
            decision, returned = await self._enforcement.run(self._session, call, run, seen=_seen, find=find)
        except RemitError as error:
            # An agent whose workbench raises something waits for it without end.
            return _refused(name, f"{name} was not called, or what it returned can't be shown: {error}")
        return returned if decision.allowed else _refused(name, decision.explanation)

    async def list_tools(self) -> list[ToolSchema]:
        return await self._workbench.list_tools()

    async def start(self) -> None:
        await self._workbench.start()

    async def stop(self) -> None:
        await self._workbench.stop()

    async def reset(self) -> None:
        await self._workbench.reset()

    async def save_state(self) -> Mapping[str, Any]:
        return await self._workbench.save_state()

    async def load_state(self, state: Mapping[str, Any]) -> None:
        await self._workbench.load_state(state)


def _refused(name: str, why: str) -> ToolResult:
    return ToolResult(name=name, result=[TextResultContent(content=why)], is_error=True)


def _seen(value: ToolResult) -> Result:
    return Result(value.to_text())
