"""A middleware for agents of LangChain and LangGraph: every tool call is decided before it runs.

    agent = create_agent(model, tools, middleware=[RemitMiddleware(Remit(url, token), tools=tools)])
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware.types import AgentMiddleware, AgentState, PrivateStateAttr, ToolCallRequest
from langchain.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain.tools import BaseTool
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import Command

from .aio import AsyncRemit, AsyncSession
from .client import Remit
from .enforce import SERVER, Call, Enforcement, Result, Run, among, toolset
from .models import Decision, NoSession, WrongClient
from .port import drive

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
        server: str = SERVER,
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
        self._system_prompt = system_prompt
        self._unseen_user = unseen_user
        self._scope = scope
        self._find = among({tool.name if isinstance(tool, BaseTool) else tool.__name__: self._function(tool) for tool in tools})
        self._enforcement = Enforcement(server=server, approval_seconds=approval_seconds)
        self._toolset = toolset([convert_to_openai_tool(tool) for tool in tools], server) if tools else None
        self._recorded: OrderedDict[tuple[str, str], None] = OrderedDict()
        # Texts that came in the user's name while agents ran: a conversation can
        # come back without its marks.
        self._foreign: OrderedDict[str, None] = OrderedDict()

    # Each of these is written once, to be awaited; agents that are invoked run the same.

    def before_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return drive(self._begin(self._sync(), state))

    async def abefore_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await self._begin(self._async(), state)

    def before_model(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return drive(self._read(self._sync(), state))

    async def abefore_model(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await self._read(self._async(), state)

    # What is left at the end is there when the conversation goes on.

    def after_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return drive(self._read(self._sync(), state))

    async def aafter_agent(self, state: RemitState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await self._read(self._async(), state)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> ToolMessage | Command[Any]:
        return drive(self._call(self._sync(), request, handler))

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> ToolMessage | Command[Any]:
        return await self._call(self._async(), request, handler)

    async def _begin(self, client: AsyncRemit, state: RemitState) -> dict[str, Any]:
        """What the agent is invoked with is the application's: its messages are what they say they are."""
        known, fed = state.get("remit_session"), state.get("remit_fed")
        if known and fed is not None:
            session = AsyncSession(client, known)
        else:
            session = await client.session(known, tools=self._toolset, unseen_user=self._unseen_user)
        return await self._feed(session, self._new(session.id, state, fed, invoked=True))

    async def _read(self, client: AsyncRemit, state: RemitState) -> dict[str, Any]:
        """What came since comes from tools, whatever it says it is."""
        session = AsyncSession(client, _session(state))
        return await self._feed(session, self._new(session.id, state, state.get("remit_fed"), invoked=False))

    async def _feed(self, session: AsyncSession, new: _New) -> dict[str, Any]:
        for event in new.events:
            await session.event(event)
        if (scope := self._scope_of(new)) is not None:
            await session.give_scope(scope)
        return new.update(session.id)

    def _scope_of(self, new: _New) -> dict[str, Any] | None:
        """What the user's last words authorise, where they are new and somebody says so."""
        said = [event["text"] for event in new.events if event["type"] == "user"]
        return self._scope(said[-1]) if self._scope and said else None

    async def _call(self, client: AsyncRemit, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> ToolMessage | Command[Any]:
        """Decide a call before it runs, and record what it returned."""
        session = AsyncSession(client, _session(request.state))

        # The call that is decided is the one that runs, whatever becomes of the request meanwhile.
        proposed = request.tool_call.copy()

        def run(arguments: dict[str, Any]) -> Any:
            return handler(request.override(tool_call={**proposed, "args": arguments}))

        decision, returned = await self._enforcement.run(session, _proposed(request), run, seen=_result, find=self._find, control=(GraphBubbleUp,), waiting=(GraphInterrupt,))
        if not decision.allowed:
            return self._denied(request, decision)
        self._record(session.id, decision.call)
        return self._returned(returned)

    def _function(self, tool: BaseTool | Callable[..., Any]) -> Run:
        """How a tool is called for a rule. The agent hears nothing of it."""
        if not isinstance(tool, BaseTool):
            return lambda arguments: tool(**arguments)
        return lambda arguments: tool.ainvoke(arguments) if isinstance(self._client, AsyncRemit) else tool.invoke(arguments)

    def _sync(self) -> AsyncRemit:
        if not isinstance(self._client, Remit):
            raise WrongClient("this agent is invoked: give the middleware a Remit, or await the agent")
        return self._client.awaited

    def _async(self) -> AsyncRemit:
        if not isinstance(self._client, AsyncRemit):
            raise WrongClient("this agent is awaited: give the middleware an AsyncRemit, or invoke the agent")
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


def _member(state: Any, name: str) -> Any:
    """A part of a state, which a graph may have as an object, or not at all."""
    return state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)


def _session(state: Any) -> str:
    session = _member(state, "remit_session")
    if not isinstance(session, str):
        raise NoSession("there is no session: the middleware was not asked before the agent began")
    return session


def _proposed(request: ToolCallRequest) -> Call:
    """The call, with the message that it is in."""
    call = request.tool_call
    for message in reversed(_member(request.state, "messages") or []):
        if isinstance(message, AIMessage) and any(one["id"] == call["id"] for one in message.tool_calls):
            beside = str(message.text) if message.id else None
            return Call(call["name"], call["args"], call["id"], message.id, beside, len(message.tool_calls))
    return Call(call["name"], call["args"], call["id"])


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


def _result(returned: ToolMessage | Command[Any]) -> Result:
    """Everything of what a tool returned that may come before the model."""
    return Result(_content(returned) if isinstance(returned, ToolMessage) else str(returned.update))
