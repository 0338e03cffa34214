"""Look-ups that rules ask for, with a server whose rules make some: REMIT_RULED_URL.

An order can be cancelled that is pending, and the user's own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain.agents.middleware.types import AgentState
from langchain.messages import AIMessage, ToolMessage
from langchain.tools import tool
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from remit_client import AsyncRemit, BadAnswer, Remit, Session
from remit_client.langchain import RemitMiddleware

URL, TOKEN = os.environ["REMIT_RULED_URL"], os.environ["REMIT_RULED_TOKEN"]

ORDERS = {"W1": {"status": "pending", "user": "u1"}, "W2": {"status": "delivered", "user": "u1"}, "W3": {"status": "pending", "user": "u2"}}
USERS = {"u1": {"orders": ["W1", "W2"]}, "u2": {"orders": []}}


def shop(server: str, name: str, arguments: dict[str, Any]) -> Any:
    assert server == "shop"
    records: dict[str, Any] = {"get_order": ORDERS, "get_user": USERS}
    return records[name][arguments["id"]]


def asked(remit: Remit) -> Session:
    session = remit.session()
    session.user("Cancel my orders W1, W2, W3 and W4")
    return session


@pytest.mark.parametrize(("order", "verdict"), [("W1", "allow"), ("W2", "deny"), ("W3", "deny"), ("W4", "deny")])
def test_looks_up(order: str, verdict: str) -> None:
    with Remit(URL, TOKEN) as remit:
        assert asked(remit).decide("cancel", {"id": order}, call="c1", look_up=shop).verdict == verdict


def test_looks_up_awaited() -> None:
    async def run() -> str:
        async with AsyncRemit(URL, TOKEN) as remit:
            session = await remit.session()
            await session.user("Cancel my order W1")

            async def look_up(server: str, name: str, arguments: dict[str, Any]) -> Any:
                return shop(server, name, arguments)

            return (await session.decide("cancel", {"id": "W1"}, look_up=look_up)).verdict

    assert asyncio.run(run()) == "allow"


def test_without_look_ups() -> None:
    with Remit(URL, TOKEN) as remit:
        denied = asked(remit).decide("cancel", {"id": "W1"})
        assert denied.verdict == "deny" and "call get_order" in denied.explanation


def test_asked_without_end() -> None:
    """A server that never has enough is no allow."""
    more = {"lookups": [{"id": "x", "tool": "get_order", "arguments": {"id": "W1"}}]}
    with Remit(URL, TOKEN, transport=httpx.MockTransport(lambda request: httpx.Response(200, json=more))) as remit, pytest.raises(BadAnswer):
        Session(remit, "s").decide("cancel", {"id": "W1"}, look_up=shop)


class Clerk(BaseChatModel):
    """Cancels an order without looking at it."""

    order: str
    beside: str = ""
    calls: int = 1

    @property
    def _llm_type(self) -> str:
        return "clerk"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any) -> ChatResult:
        answer = AIMessage("Done.") if isinstance(messages[-1], ToolMessage) else AIMessage(
            self.beside, tool_calls=[{"name": "cancel", "args": {"id": self.order}, "id": f"k{n}"} for n in range(self.calls)]
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])


@pytest.mark.parametrize(
    ("clerk", "runs"),
    [
        (Clerk(order="W1"), 1),
        (Clerk(order="W2"), 0),
        (Clerk(order="W4"), 0),
        (Clerk(order="W1", beside="One moment."), 0),
        (Clerk(order="W1", calls=2), 1),
    ],
)
def test_middleware_looks_up(clerk: Clerk, runs: int) -> None:
    cancelled: list[str] = []

    @tool
    def cancel(id: str) -> str:
        """Cancel an order."""
        cancelled.append(id)
        return "cancelled"

    @tool
    def get_order(id: str) -> Any:
        """Get an order."""
        return ORDERS[id]

    def get_user(id: str) -> Any:
        """Get a user."""
        return USERS[id]

    tools: list[Any] = [cancel, get_order, get_user]
    with Remit(URL, TOKEN) as remit:
        middleware = RemitMiddleware(remit, tools=tools, server="shop")
        agent: Any = create_agent(clerk, tools, middleware=[middleware])
        final: AgentState[Any] = agent.invoke({"messages": [{"role": "user", "content": f"Cancel my order {clerk.order}"}]})
    assert cancelled == [clerk.order] * runs
    # The model saw the call's own answer, and nothing of the look-ups.
    answers = [m for m in final["messages"] if isinstance(m, ToolMessage)]
    assert [m.name for m in answers] == ["cancel"] * clerk.calls
