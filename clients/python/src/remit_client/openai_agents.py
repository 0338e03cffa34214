"""Agents of the OpenAI Agents SDK: every call of a function, and every handoff, is decided before it runs.

    session = await remit.session(tools=definitions(agent))
    await session.user(task)
    result = await Runner.run(protect(session, agent), task)
"""

from __future__ import annotations

import copy
import json
from collections import OrderedDict
from typing import Any

from agents import Agent, AgentHooks, FunctionTool, Handoff, ModelResponse, RunContextWrapper, handoff
from agents.tool_context import ToolContext

from .aio import AsyncSession
from .enforce import SERVER, Call, Enforcement, Result, awaited, function, toolset
from .models import ToolSet, Unprotected

#: How many calls are remembered with the message that they are in.
_REMEMBERED = 1_000

#: Where the SDK has the agent that a tool is.
_INNER = "_agent_instance"

#: Where a function has the session that decides its calls.
_SESSION = "remit_session"

#: Where an agent that a refused handoff stays with has the explanation.
_REFUSED = "remit_refused"


def definitions(agent: Agent[Any], *, server: str = SERVER) -> list[ToolSet]:
    """The tools and handoffs of an agent, and of all that work goes on to, to begin a session with."""
    reached = _reached(agent)
    tools = [_function(tool) for one in reached for tool in one.tools]
    handoffs = [_handoff(to) for one in reached for to in one.handoffs]
    found = [function(tool.name, tool.description, tool.params_json_schema) for tool in tools]
    found += [function(to.tool_name, to.tool_description, to.input_json_schema) for to in handoffs]
    return toolset(found, server)


def protect(session: AsyncSession, agent: Agent[Any], *, server: str = SERVER, approval_seconds: float = 0) -> Agent[Any]:
    """A copy of an agent, and of all that it hands off to, whose calls are decided.

    A call that is held back waits ``approval_seconds`` for a person. What nobody can
    decide here is refused: tools that run elsewhere (hosted ones, a computer, a shell),
    MCP servers, and agents as tools that are not protected themselves.
    """
    return _Protection(awaited(session), Enforcement(server=server, approval_seconds=approval_seconds)).agent(agent)


class _Protection:
    """The copies of the agents of one session."""

    def __init__(self, session: AsyncSession, enforcement: Enforcement) -> None:
        self._session = session
        self._enforcement = enforcement
        # With what they are copies of, which could be another agent's place in memory otherwise.
        self._copies: dict[int, tuple[Agent[Any], Agent[Any]]] = {}
        self._tools: dict[str, FunctionTool] = {}
        self._messages = _Messages()

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        if isinstance(agent.hooks, _Hooks) and self._own(agent, agent.hooks):
            return agent
        if id(agent) not in self._copies:
            # Agents hand off to each other: a copy is known before it is whole.
            out = copy.copy(agent)
            self._copies[id(agent)] = agent, out
            out.hooks = _Hooks(self._session.id, self._messages, agent.hooks)
            id_ = self._session.id
            out.tools = [tool if _is_decided(tool, id_) else self._tool(self._protected(_function(tool))) for tool in agent.tools]
            out.handoffs = [to if _is_decided(to, id_) else self._handoff(out, _handoff(to)) for to in agent.handoffs]
            _no_servers(agent)
        return self._copies[id(agent)][1]

    def _own(self, agent: Agent[Any], hooks: _Hooks) -> bool:
        """Whether an agent is protected already, for this session, with all that it has by now."""
        if hooks.session != self._session.id:
            raise Unprotected(f"the agent {agent.name} is protected for another session: protect the agent itself")
        return _undecided(agent, self._session.id) is None

    def _protected(self, tool: FunctionTool) -> FunctionTool:
        """A tool that is no agent, or one whose own calls are decided."""
        inner = getattr(tool, _INNER, None)
        if inner is None:
            return tool
        if not isinstance(inner.hooks, _Hooks) or not self._own(inner, inner.hooks):
            raise Unprotected(f"the tool {tool.name} is an agent that is not protected: make it of protect(session, agent).as_tool(…)")
        return tool

    def _tool(self, tool: FunctionTool) -> FunctionTool:
        async def invoke(ctx: ToolContext[Any], arguments: str) -> Any:
            async def run(decided: dict[str, Any]) -> Any:
                return await tool.on_invoke_tool(ctx, json.dumps(decided, ensure_ascii=False))

            async def find(name: str, given: dict[str, Any]) -> Any:
                inner = json.dumps(given, ensure_ascii=False)
                context = ToolContext(ctx.context, tool_name=name, tool_call_id=ctx.tool_call_id, tool_arguments=inner)
                return await self._tools[name].on_invoke_tool(context, inner)

            call = self._messages.call(tool.name, arguments, ctx.tool_call_id)
            decision, returned = await self._enforcement.run(self._session, call, run, find=find)
            return returned if decision.allowed else decision.explanation

        setattr(invoke, _SESSION, self._session.id)
        self._tools[tool.name] = tool
        out = copy.copy(tool)
        out.on_invoke_tool = invoke
        return out

    def _handoff(self, of: Agent[Any], to: Handoff[Any, Any]) -> Handoff[Any, Any]:
        async def invoke(ctx: RunContextWrapper[Any], arguments: str) -> Agent[Any]:
            async def run(decided: dict[str, Any]) -> Any:
                # A handoff without a schema is given what the model wrote, and reads nothing of it.
                return self.agent(await to.on_invoke_handoff(ctx, json.dumps(decided, ensure_ascii=False)))

            call = Call(to.tool_name, arguments or "{}")
            decision, new = await self._enforcement.run(self._session, call, run, seen=lambda new: Result(to.get_transfer_message(new)))
            if decision.allowed:
                return new  # type: ignore[no-any-return]
            stays = copy.copy(of)
            setattr(stays, _REFUSED, decision.explanation)
            return stays

        setattr(invoke, _SESSION, self._session.id)
        out = _Handoff(**{name: value for name, value in vars(to).items() if name in Handoff.__dataclass_fields__ and name != "_agent_ref"})
        out.on_invoke_handoff = invoke
        return out


class _Handoff(Handoff[Any, Any]):
    """A handoff that can be refused."""

    def get_transfer_message(self, agent: Any) -> str:
        refused = getattr(agent, _REFUSED, None)
        return refused if isinstance(refused, str) else super().get_transfer_message(agent)


class _Messages:
    """The messages that calls are in."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, tuple[str, str, int]] = OrderedDict()

    def read(self, response: ModelResponse) -> None:
        calls = [item.call_id for item in response.output if item.type == "function_call"]
        beside = "".join(part.text for item in response.output if item.type == "message" for part in item.content if part.type == "output_text")
        for call in calls:
            self._calls[call] = (calls[0], beside, len(calls))
            if len(self._calls) > _REMEMBERED:
                self._calls.popitem(last=False)

    def call(self, tool: str, arguments: str, id: str) -> Call:
        message, beside, among = self._calls.get(id, (None, None, 1))
        return Call(tool, arguments or "{}", id, message, beside, among)


class _Hooks(AgentHooks[Any]):
    """Reads what the model answers, and passes everything on to an agent's own hooks."""

    def __init__(self, session: str, messages: _Messages, own: Any) -> None:
        self.session = session
        self._messages = messages
        self._own = own or AgentHooks()

    async def on_llm_start(self, context: RunContextWrapper[Any], agent: Agent[Any], *args: Any) -> None:
        # A clone has these hooks, too, and any agent can be given more tools.
        if (undecided := _undecided(agent, self.session)) is not None:
            raise Unprotected(f"the agent {agent.name} has {undecided}, whose calls are not decided: protect it again")
        await self._own.on_llm_start(context, agent, *args)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        self._messages.read(response)
        await self._own.on_llm_end(context, agent, response)

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_") and name not in ("on_llm_start", "on_llm_end"):
            return getattr(self._own, name)
        return super().__getattribute__(name)


def _reached(agent: Agent[Any]) -> list[Agent[Any]]:
    """An agent and all that it hands off to, or has as tools."""
    found = [agent]
    for one in found:
        others = [to if isinstance(to, Agent) else to._agent_ref() if to._agent_ref else None for to in one.handoffs]
        others += [getattr(tool, _INNER, None) for tool in one.tools]
        for to in others:
            if isinstance(to, Agent) and all(to is not known for known in found):
                found.append(to)
    return found


def _handoff(to: Agent[Any] | Handoff[Any, Any]) -> Handoff[Any, Any]:
    return to if isinstance(to, Handoff) else handoff(to)


def _function(tool: Any) -> FunctionTool:
    """A tool that runs here."""
    if not isinstance(tool, FunctionTool):
        raise Unprotected(f"the tool {getattr(tool, 'name', tool)} runs where Remit can't decide its calls: leave it out, or put remit proxy before the model")
    return tool


def _is_decided(one: Any, session: str) -> bool:
    """Whether the calls of a tool, or of a handoff, are decided for a session."""
    invoke = getattr(one, "on_invoke_tool", None) or getattr(one, "on_invoke_handoff", None)
    return getattr(invoke, _SESSION, None) == session


def _undecided(agent: Agent[Any], session: str) -> str | None:
    """What an agent has whose calls are not decided, if it has something."""
    if agent.mcp_servers:
        return "MCP servers"
    left = [one for one in [*agent.tools, *agent.handoffs] if not _is_decided(one, session)]
    return str(getattr(left[0], "name", left[0])) if left else None


def _no_servers(agent: Agent[Any]) -> None:
    if agent.mcp_servers:
        raise Unprotected(f"the agent {agent.name} has MCP servers: put remit gateway before them, and name its session")
