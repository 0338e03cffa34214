"""Agents of pydantic-ai: every call of a tool is decided before it runs.

    tools = FunctionToolset([read_inbox, send_email])
    session = await remit.session(tools=await definitions(tools))
    await session.user(task)
    result = await Agent(model, toolsets=[protect(session, tools)]).run(task)
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import ApprovalRequired, CallDeferred, RunContext, RunUsage, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_core import to_jsonable_python

from .aio import AsyncSession
from .enforce import SERVER, Call, Enforcement, Result, awaited, function, result, toolset
from .models import ToolSet, Unprotected


async def definitions(tools: AbstractToolset[Any], *, deps: Any = None, server: str = SERVER) -> list[ToolSet]:
    """The tools of a toolset, to begin a session with. A toolset that has to be entered is, before."""
    context: RunContext[Any] = RunContext(deps=deps, model=TestModel(), usage=RunUsage())
    found = [tool.tool_def for tool in (await tools.get_tools(context)).values()]
    return toolset([function(tool.name, tool.description, tool.parameters_json_schema) for tool in found], server)


def protect(session: AsyncSession, tools: AbstractToolset[Any], *, server: str = SERVER, approval_seconds: float = 0) -> ProtectedToolset:
    """The toolset, with every call decided. A call that is held back waits ``approval_seconds`` for a person."""
    return ProtectedToolset(tools, awaited(session), Enforcement(server=server, approval_seconds=approval_seconds))


@dataclass
class ProtectedToolset(WrapperToolset[Any]):
    """Decides the calls of a toolset, and records what they return."""

    session: AsyncSession
    enforcement: Enforcement

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        found = await super().get_tools(ctx)
        for name, tool in found.items():
            if tool.tool_def.kind == "external":
                raise Unprotected(f"the tool {name} runs outside the agent, where Remit can't decide its calls")
        return found

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Any:
        call = _call(name, tool_args, ctx, tool)

        async def run(decided: dict[str, Any]) -> Any:
            # What is decided is what runs. The values that the SDK made before can hold more than their JSON shows.
            return await self.wrapped.call_tool(name, _values(tool, decided, ctx), ctx, tool)

        async def find(name: str, arguments: dict[str, Any]) -> Any:
            other = (await self.get_tools(ctx))[name]
            return to_jsonable_python(await self.wrapped.call_tool(name, _values(other, arguments, ctx), ctx, other))

        decision, returned = await self.enforcement.run(self.session, call, run, seen=_seen, find=find, control=(CallDeferred,), waiting=(ApprovalRequired,))
        return returned if decision.allowed else decision.explanation


@dataclass
class Protection(AbstractCapability[Any]):
    """Decides every call of an agent, whatever toolset or capability a tool comes from.

    ``tools`` are those that the session was begun with; a call of another is denied.
    """

    session: AsyncSession
    server: str = SERVER
    approval_seconds: float = 0

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return protect(self.session, toolset, server=self.server, approval_seconds=self.approval_seconds)


def _values(tool: ToolsetTool[Any], arguments: dict[str, Any] | str, ctx: RunContext[Any]) -> dict[str, Any]:
    """What the SDK makes of a call's JSON, for the tool."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    made: dict[str, Any] = tool.args_validator.validate_json(text, context=ctx.validation_context)
    return made


def _call(name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Call:
    """A call as the model wrote it, with its message.

    Where somebody changed the arguments on the way, or a tool calls another one, it is what they are now.
    """
    call, written = _written(name, ctx)
    try:
        if written is not None and _values(tool, written, ctx) == tool_args:
            return replace(call, arguments=written)
    except ValueError:
        pass
    return replace(call, arguments=to_jsonable_python(tool_args))


def _written(name: str, ctx: RunContext[Any]) -> tuple[Call, dict[str, Any] | str | None]:
    """The message that a call is in, and what the model wrote there."""
    for at in range(len(ctx.messages) - 1, -1, -1):
        message = ctx.messages[at]
        if not isinstance(message, ModelResponse):
            continue
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        written = [part.args or "{}" for part in calls if part.tool_call_id == ctx.tool_call_id]
        if written:
            beside = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            return Call(name, {}, ctx.tool_call_id, calls[0].tool_call_id, beside, len(calls)), written[0] if len(written) == 1 else None
    return Call(name, {}, ctx.tool_call_id), None


def _seen(value: Any) -> Result:
    """A tool can return more than its value, for the model alone."""
    if not isinstance(value, ToolReturn):
        return result(value)
    content = [] if value.content is None else [value.content] if isinstance(value.content, str) else value.content
    shown = result(value.return_value)
    return Result("\n".join([shown.text, *(one if isinstance(one, str) else str(one) for one in content)]), shown.structured)
