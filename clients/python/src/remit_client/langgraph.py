"""Remit in graphs of LangGraph that have a ``ToolNode``.

    remit = RemitNodes(Remit(url, token), tools=tools)
    builder = StateGraph(RemitState)
    builder.add_node("begin", remit.begin)      # first: the conversation as it is handed in
    builder.add_node("read", remit.read)        # between the tools and the model
    builder.add_node("tools", remit.tool_node())

Agents of ``create_agent`` take :class:`remit_client.langchain.RemitMiddleware`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from langchain.messages import AnyMessage
from langchain.tools import BaseTool
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from .aio import AsyncRemit
from .client import Remit
from .langchain import RemitMiddleware


class RemitState(TypedDict):
    """What a graph's state has. Derive from it to have more."""

    messages: Annotated[list[AnyMessage], add_messages]
    #: The session's id; one is made unless the graph is invoked with one.
    remit_session: NotRequired[str]
    #: What the session was told. It is not for callers to set.
    remit_fed: NotRequired[list[str]]


class RemitNodes:
    """The nodes by which a graph tells Remit what its model sees, and asks about calls.

    ``begin`` comes before everything else, and takes what the graph is invoked with as
    the application's word: messages of the user are the user's. ``read`` comes before
    each model that may have tools' messages before it. Without ``begin`` no call runs.
    """

    def __init__(
        self,
        client: Remit | AsyncRemit,
        *,
        tools: Sequence[BaseTool | Callable[..., Any]],
        server: str = "agent",
        system_prompt: str | None = None,
        approval_seconds: float = 0,
        unseen_user: bool | None = None,
        scope: Callable[[str], dict[str, Any] | None] | None = None,
    ) -> None:
        """Make the nodes; the arguments are those of the middleware for agents."""
        self._tools = tools
        self._awaited = isinstance(client, AsyncRemit)
        self._middleware = RemitMiddleware(
            client,
            tools=tools,
            server=server,
            system_prompt=system_prompt,
            approval_seconds=approval_seconds,
            unseen_user=unseen_user,
            scope=scope,
        )
        self.begin = self._abegin if self._awaited else self._begin
        self.read = self._aread if self._awaited else self._read

    def tool_node(self, **options: Any) -> ToolNode:
        """A ``ToolNode`` whose calls are decided before they run."""
        if self._awaited:
            return ToolNode(self._tools, awrap_tool_call=self._middleware.awrap_tool_call, **options)
        return ToolNode(self._tools, wrap_tool_call=self._middleware.wrap_tool_call, **options)

    def _begin(self, state: Any) -> Any:
        return self._middleware.before_agent(state, Runtime())

    async def _abegin(self, state: Any) -> Any:
        return await self._middleware.abefore_agent(state, Runtime())

    def _read(self, state: Any) -> Any:
        return self._middleware.before_model(state, Runtime())

    async def _aread(self, state: Any) -> Any:
        return await self._middleware.abefore_model(state, Runtime())
