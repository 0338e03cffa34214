"""A middleware for agents of LangChain and LangGraph: every tool call is decided before it runs.

    agent = create_agent(model, tools, middleware=[RemitMiddleware(Remit(url, token), tools=tools)])
"""

from __future__ import annotations

import hashlib
import inspect
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware.types import AgentMiddleware, AgentState, PrivateStateAttr, ToolCallRequest
from langchain.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain.tools import BaseTool
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime
from langgraph.types import Command

from . import wire
from .aio import AsyncRemit, AsyncSession
from .client import Remit, Session
from .models import Decision, NoSession, ToolSet
from .together import Together

#: How many results are remembered as recorded. One that was forgotten is
#: recorded again when it is seen, and then vouches for nothing.
_REMEMBERED = 10_000

#: What marks a message that is in the user's name and not the user's. It stays
#: with the message, also where the application keeps the conversation itself.
_MARK = "remit"

#: Where LangChain says that it wrote a message itself, such as a summary.
_SOURCE = "lc_source"

#: What tools have no say in.
_OWN = ("remit_session", "remit_fed")


class RemitState(AgentState[Any]):
    """What the middleware keeps with the agent's state, and its checkpoints."""

    #: The session's id; one is made unless the agent is invoked with one.
    remit_session: NotRequired[str]
    remit_fed: Annotated[NotRequired[list[str]], PrivateStateAttr]


class RemitMiddleware(AgentMiddleware[RemitState, Any, Any]):
    """Decides every tool call of an agent, and records what it returns.

    The model gets the explanation of a call that may not run as the tool's
    message, with the status ``error``. Messages of the user are the user's own
    words: put what they pass on (mail, files, pages) into other content blocks
    than text, and it is external. Make it the last middleware of those that change
    tool calls: what comes after it is not checked again.
    """

    state_schema = RemitState

    def __init__(
        self,
        client: Remit | AsyncRemit,
        *,
        tools: Sequence[BaseTool | Callable[..., Any]] = (),
        server: str = "agent",
        system_prompt: str | None = None,
        approval_seconds: float = 0,
        unseen_user: bool | None = None,
        scope: Callable[[str], dict[str, Any] | None] | None = None,
    ) -> None:
        """Make the middleware.

        A :class:`Remit` is for agents that are invoked, an :class:`AsyncRemit` for
        those that are awaited. ``tools`` are the agent's, from which contracts are
        made where the deployment has none; ``server`` is what contracts call them.
        Where the company's rules look things up, those of them that only read are called
        for it.
        ``system_prompt`` is the agent's. A call that is held back waits for
        ``approval_seconds`` for a person's answer. ``unseen_user`` says that the model
        sees what doesn't come by the agent's messages, such as a store's memory.
        ``scope`` is a planner of your own: it gets what the user said last, and returns
        what that authorises, or None. Where the server has a planner, leave it out.
        """
        super().__init__()
        self._client = client
        self._server = server
        self._system_prompt = system_prompt
        self._approval_seconds = approval_seconds
        self._together = Together()
        self._unseen_user = unseen_user
        self._scope = scope
        self._tools = {tool.name if isinstance(tool, BaseTool) else tool.__name__: tool for tool in tools}
        definitions = [convert_to_openai_tool(tool) for tool in tools]
        self._toolset: list[ToolSet] | None = [{"server": server, "tools": definitions}] if definitions else None
        self._recorded: OrderedDict[tuple[str, str], None] = OrderedDict()
        # Texts that came in the user's name while agents ran: a conversation can
        # come back without its marks.
        self._foreign: OrderedDict[str, None] = OrderedDict()

    # What the agent is invoked with is the application's: its messages are what
    # they say they are.

    def before_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        client = self._sync()
        known, fed = state.get("remit_session"), state.get("remit_fed")
        session = Session(client, known) if known and fed is not None else client.session(known, tools=self._toolset, unseen_user=self._unseen_user)
        return self._feed(session, self._new(session.id, state, fed, invoked=True))

    async def abefore_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        client = self._async()
        known, fed = state.get("remit_session"), state.get("remit_fed")
        session = AsyncSession(client, known) if known and fed is not None else await client.session(known, tools=self._toolset, unseen_user=self._unseen_user)
        return await self._afeed(session, self._new(session.id, state, fed, invoked=True))

    # What came since comes from tools, whatever it says it is.

    def before_model(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        session = Session(self._sync(), _session(state))
        return self._feed(session, self._new(session.id, state, state.get("remit_fed"), invoked=False))

    async def abefore_model(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        session = AsyncSession(self._async(), _session(state))
        return await self._afeed(session, self._new(session.id, state, state.get("remit_fed"), invoked=False))

    # So does what is left at the end, and is there when the conversation goes on.

    def after_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self.before_model(state, runtime)

    async def aafter_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await self.abefore_model(state, runtime)

    def _feed(self, session: Session, new: _New) -> dict[str, Any]:
        for event in new.events:
            session.event(event)
        if (scope := self._scope_of(new)) is not None:
            session.give_scope(scope)
        return new.update(session.id)

    async def _afeed(self, session: AsyncSession, new: _New) -> dict[str, Any]:
        for event in new.events:
            await session.event(event)
        if (scope := self._scope_of(new)) is not None:
            await session.give_scope(scope)
        return new.update(session.id)

    def _scope_of(self, new: _New) -> dict[str, Any] | None:
        """What the user's last words authorise, where they are new and somebody says so."""
        said = [event["text"] for event in new.events if event["type"] == "user"]
        return self._scope(said[-1]) if self._scope and said else None

    # Then each call, before it runs, and what it returned.

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        session = Session(self._sync(), _session(request.state))
        call = request.tool_call
        message, beside = _around(request)
        look_up = self._look_up if self._tools else None
        decision = session.decide(call["name"], call["args"], call=call["id"], server=self._server, message=message, beside=beside, look_up=look_up)
        if decision.verdict == "ask" and self._approval_seconds > 0:
            decision = self._together.ask(session, message, decision, _calls(request), self._approval_seconds)
        if not decision.allowed:
            return self._denied(request, decision)
        returned = handler(_checked(request, decision))
        session.event(wire.result(decision.call, _text(returned), None))
        self._record(session.id, decision.call)
        return self._returned(returned)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        session = AsyncSession(self._async(), _session(request.state))
        call = request.tool_call
        message, beside = _around(request)
        look_up = self._alook_up if self._tools else None
        decision = await session.decide(call["name"], call["args"], call=call["id"], server=self._server, message=message, beside=beside, look_up=look_up)
        if decision.verdict == "ask" and self._approval_seconds > 0:
            decision = await self._together.ask_async(session, message, decision, _calls(request), self._approval_seconds)
        if not decision.allowed:
            return self._denied(request, decision)
        returned = await handler(_checked(request, decision))
        await session.event(wire.result(decision.call, _text(returned), None))
        self._record(session.id, decision.call)
        return self._returned(returned)

    def _tool(self, server: str, name: str) -> BaseTool | Callable[..., Any]:
        if server != self._server or name not in self._tools:
            raise LookupError(f"the agent has no tool {name} of {server}")
        return self._tools[name]

    def _look_up(self, server: str, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool for a rule. The agent hears nothing of it."""
        tool = self._tool(server, name)
        return tool.invoke(arguments) if isinstance(tool, BaseTool) else tool(**arguments)

    async def _alook_up(self, server: str, name: str, arguments: dict[str, Any]) -> Any:
        tool = self._tool(server, name)
        if isinstance(tool, BaseTool):
            return await tool.ainvoke(arguments)
        returned = tool(**arguments)
        return await returned if inspect.isawaitable(returned) else returned

    def _sync(self) -> Remit:
        if not isinstance(self._client, Remit):
            raise TypeError("this agent is invoked: give the middleware a Remit, or await the agent")
        return self._client

    def _async(self) -> AsyncRemit:
        if not isinstance(self._client, AsyncRemit):
            raise TypeError("this agent is awaited: give the middleware an AsyncRemit, or invoke the agent")
        return self._client

    def _record(self, session: str, call: str) -> None:
        self._recorded[session, call] = None
        if len(self._recorded) > _REMEMBERED:
            self._recorded.popitem(last=False)

    def _denied(self, request: ToolCallRequest, decision: Decision) -> ToolMessage:
        # What is said instead of a result is Remit's own.
        self._record(decision.session, decision.call)
        call = request.tool_call
        return ToolMessage(decision.explanation, tool_call_id=call["id"] or "", name=call["name"], status="error")

    def _new(self, session: str, state: RemitState, fed: list[str] | None, *, invoked: bool) -> _New:
        new = _New([], list(fed or []), [])
        if fed is None and self._system_prompt:
            new.events.append({"type": "system", "text": self._system_prompt})
        seen = set(new.fed)
        for message in state["messages"]:
            # With what it says: a message can be replaced under its id.
            known = f"{message.id}:{_digest(message)}"
            if known in seen or message.id in seen:  # checkpoints of earlier versions have ids alone
                continue
            new.fed.append(known)
            if isinstance(message, ToolMessage) and (session, message.tool_call_id) in self._recorded:
                continue
            if invoked and not self._is_foreign(message):
                new.events += _events(message)
                continue
            new.events += _added(message)
            if (marked := self._mark(message)) is not message:
                new.marked.append(marked)
        return new

    def _is_foreign(self, message: BaseMessage) -> bool:
        """Whether a message that an agent is invoked with came while one ran."""
        extra = message.additional_kwargs
        return _MARK in extra or _SOURCE in extra or _digest(message) in self._foreign

    def _mark(self, message: Any) -> Any:
        """The message, marked where it is in somebody's name and the agent made it."""
        if isinstance(message, AIMessage | ToolMessage) or not isinstance(message, BaseMessage):
            return message
        self._foreign[_digest(message)] = None
        if len(self._foreign) > _REMEMBERED:
            self._foreign.popitem(last=False)
        if _MARK in message.additional_kwargs:
            return message
        return message.model_copy(update={"additional_kwargs": {**message.additional_kwargs, _MARK: "not the user's"}})

    def _returned(self, returned: ToolMessage | Command[Any]) -> ToolMessage | Command[Any]:
        """What a tool returned, with what it says in the user's name marked."""
        if not isinstance(returned, Command) or not isinstance(returned.update, Mapping):
            return returned
        update = {name: value for name, value in returned.update.items() if name not in _OWN}
        if "messages" in update:
            list_ = update["messages"] if isinstance(update["messages"], list) else [update["messages"]]
            update["messages"] = [self._mark(message) for message in convert_to_messages(list_)]
        return replace(returned, update=update)


class _New:
    """What of a conversation Remit has not been told."""

    def __init__(self, events: list[dict[str, Any]], fed: list[str], marked: list[BaseMessage]) -> None:
        self.events, self.fed, self.marked = events, fed, marked

    def update(self, session: str) -> dict[str, Any]:
        out: dict[str, Any] = {"remit_session": session, "remit_fed": self.fed}
        if self.marked:
            out["messages"] = self.marked
        return out


def _digest(message: BaseMessage) -> str:
    """What tells whether two messages say the same."""
    return hashlib.sha256(f"{message.type}\x00{message.content}".encode(errors="surrogatepass")).hexdigest()[:32]


def _session(state: Any) -> str:
    session = state.get("remit_session")
    if not isinstance(session, str):
        raise NoSession("there is no session: the middleware was not asked before the agent began")
    return session


def _around(request: ToolCallRequest) -> tuple[str | None, str | None]:
    """The name of the message that a call is in, and its text."""
    state: Any = request.state
    for message in reversed(state["messages"]):
        if isinstance(message, AIMessage) and any(call["id"] == request.tool_call["id"] for call in message.tool_calls):
            return message.id, str(message.text) if message.id else None
    return None, None


def _calls(request: ToolCallRequest) -> int:
    """How many calls the message has that a call is in."""
    state: Any = request.state
    for message in reversed(state["messages"]):
        if isinstance(message, AIMessage) and any(call["id"] == request.tool_call["id"] for call in message.tool_calls):
            return len(message.tool_calls)
    return 1


def _checked(request: ToolCallRequest, decision: Decision) -> ToolCallRequest:
    """The call with the arguments that were decided."""
    return request.override(tool_call={**request.tool_call, "args": decision.arguments})


def _events(message: AnyMessage) -> Iterator[dict[str, Any]]:
    """A message as events. What the user wrote is text, and what else a message holds is attached."""
    match message:
        case HumanMessage():
            if message.text:
                yield {"type": "user", "text": str(message.text)}
            for block in message.content_blocks:
                if block["type"] != "text":
                    yield {"type": "attach", "name": block["type"], "text": str(block)}
        case SystemMessage():
            yield {"type": "system", "text": str(message.text)}
        case AIMessage():
            if message.text:
                yield {"type": "assistant", "text": str(message.text)}
        case ToolMessage():
            # Of a call that this session has not decided, or of one that has
            # its result: it belongs to no tool.
            yield {"type": "attach", "name": f"result of {message.name or 'a tool'}", "text": _content(message)}
        case _:
            yield {"type": "attach", "name": message.type, "text": str(message.text)}


def _added(message: AnyMessage) -> Iterator[dict[str, Any]]:
    """A message that was added while the agent ran: a tool can add one in the user's name."""
    if isinstance(message, AIMessage | ToolMessage):
        yield from _events(message)
    else:
        yield {"type": "attach", "name": message.type, "text": str(message.content)}


def _content(message: ToolMessage) -> str:
    """Everything of a tool's message that a model may see."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block if isinstance(block, str) else str(block.get("text", block)) for block in message.content)


def _text(returned: ToolMessage | Command[Any]) -> str:
    """Everything of what a tool returned that may come before the model."""
    if isinstance(returned, ToolMessage):
        return _content(returned)
    return str(returned.update)
