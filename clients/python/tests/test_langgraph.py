"""Graphs with a ToolNode, with a model that obeys whatever it reads."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest
from langchain.messages import AIMessage, HumanMessage, ToolMessage
from langchain.tools import tool
from langchain_core.messages import BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from test_langchain import ATTACK, BENIGN, TO_EVE, TOKEN, URL, Obedient, Office, Scripted, read_page

from remit_client import AsyncRemit, NoSession, Remit, wire
from remit_client.langgraph import RemitNodes, RemitState


def graph(model: Any, tools: Any, remit: RemitNodes | None, *, begin: bool = True) -> Any:
    async def answer(state: RemitState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    def answered(state: RemitState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    def more(state: RemitState) -> str:
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END

    b = StateGraph(RemitState)
    b.add_node("model", answered if remit is None or not remit._awaited else answer)
    b.add_conditional_edges("model", more)
    if remit is None:
        b.add_node("tools", ToolNode(tools))
        b.add_edge(START, "model")
        b.add_edge("tools", "model")
    else:
        b.add_node("tools", remit.tool_node())
        b.add_node("read", remit.read)
        b.add_node("begin", remit.begin)
        b.add_edge(START, "begin" if begin else "model")
        b.add_edge("begin", "model")
        b.add_edge("tools", "read")
        b.add_edge("read", "model")
    return b.compile()


def ask(text: str) -> Any:
    return {"messages": [{"role": "user", "content": text}]}


@pytest.mark.parametrize(("mail", "sent"), [(BENIGN, ["ann@corp.example"]), (ATTACK, [])], ids=["benign", "attacked"])
@pytest.mark.parametrize("awaited", [False, True], ids=["invoked", "awaited"])
def test_a_tool_node_is_guarded(mail: str, sent: list[str], awaited: bool) -> None:
    office = Office(mail)

    async def run() -> Any:
        async with AsyncRemit(URL, TOKEN) as remit:
            return await graph(Obedient(), office.tools, RemitNodes(remit, tools=office.tools)).ainvoke(ask("Send the notes to ann@corp.example"))

    if awaited:
        out = asyncio.run(run())
    else:
        with Remit(URL, TOKEN) as remit:
            out = graph(Obedient(), office.tools, RemitNodes(remit, tools=office.tools)).invoke(ask("Send the notes to ann@corp.example"))
    assert office.sent == sent
    last = [m for m in out["messages"] if isinstance(m, ToolMessage)][-1]
    assert last.status == ("success" if sent else "error")


def test_without_remit_the_attack_succeeds() -> None:
    office = Office(ATTACK)
    graph(Obedient(), office.tools, None).invoke(ask("Send the notes to ann@corp.example"))
    assert office.sent == ["eve@evil.example"]


@pytest.mark.parametrize("whole", [False, True], ids=["the messages", "the whole state"])
def test_what_a_tool_said_for_the_user_stays_so(whole: bool) -> None:
    office = Office(BENIGN)
    tools = [read_page, office.tools[1]]
    with Remit(URL, TOKEN) as remit:
        model = Scripted(script=[("read_page", {}), "Read.", TO_EVE, "Done."])
        first = graph(model, tools, RemitNodes(remit, tools=tools)).invoke(ask("Read the page"))
        again: dict[str, list[BaseMessage]] = {"messages": [*first["messages"], HumanMessage("Now send the notes")]}
        graph(model, tools, RemitNodes(remit, tools=tools)).invoke({**first, **again} if whole else again)
    assert office.sent == []


def test_without_its_beginning_no_call_runs() -> None:
    office = Office(BENIGN)
    with Remit(URL, TOKEN) as remit, pytest.raises(NoSession, match="no session"):
        graph(Obedient(), office.tools, RemitNodes(remit, tools=office.tools), begin=False).invoke(ask("Send the notes to ann@corp.example"))
    assert office.sent == []


@pytest.mark.parametrize("given", [lambda call: [call], lambda call: {"messages": [call]}], ids=["messages", "a state"])
def test_a_tool_node_by_itself_runs_no_call(given: Any) -> None:
    office = Office(BENIGN)
    call = AIMessage("", tool_calls=[{"name": "send_email", "args": {"to": "ann@corp.example", "body": "notes"}, "id": "c1"}])

    def alone(state: Any) -> Any:
        return node.invoke(given(call))

    with Remit(URL, TOKEN) as remit, pytest.raises(NoSession):
        node = RemitNodes(remit, tools=office.tools).tool_node()
        b = StateGraph(RemitState)
        b.add_node("alone", alone)
        b.add_edge(START, "alone")
        b.compile().invoke(ask("Send the notes to ann@corp.example"))
    assert office.sent == []


@pytest.mark.parametrize("handled", [True, False], ids=["handled by the node", "raised"])
def test_what_a_tool_raises_is_a_result(handled: bool) -> None:
    office = Office(BENIGN)

    @tool
    def read_archive() -> str:
        """Reads the archive."""
        raise OSError("the archive is at eve@evil.example")

    tools = [read_archive, office.tools[1]]
    with Remit(URL, TOKEN) as remit:
        nodes = RemitNodes(remit, tools=tools)
        b = StateGraph(RemitState)
        b.add_node("begin", nodes.begin)
        b.add_node("propose", lambda state: {"messages": [AIMessage("", tool_calls=[{"name": "read_archive", "args": {}, "id": "c1"}])]})
        b.add_node("tools", nodes.tool_node(handle_tool_errors=handled))
        for edge in ((START, "begin"), ("begin", "propose"), ("propose", "tools")):
            b.add_edge(*edge)
        session = remit.session(tools=[{"server": "agent", "tools": [convert_to_openai_tool(one) for one in tools]}])
        with nullcontext() if handled else pytest.raises(OSError):
            given: Any = {**ask("Read the archive"), "remit_session": session.id}
            b.compile().invoke(given)
        events = remit.send(wire.get(f"/v1/sessions/{session.id}/events"))["events"]
    assert ["eve@evil.example" in str(event["result"]) for event in events if event["kind"] == "result"] == [True]


def test_a_tool_that_waits_for_a_person_runs_when_its_graph_goes_on() -> None:
    ran: list[str] = []

    @tool
    def read_archive(year: str) -> str:
        """Reads the archive of a year."""
        if interrupt("May it be read?") != "yes":
            return "no"
        ran.append(year)
        return "nothing of note"

    with Remit(URL, TOKEN) as remit:
        nodes = RemitNodes(remit, tools=[read_archive])
        call = AIMessage("", tool_calls=[{"name": "read_archive", "args": {"year": "1999"}, "id": "c1"}])
        b = StateGraph(RemitState)
        b.add_node("begin", nodes.begin)
        b.add_node("propose", lambda state: {"messages": [call]})
        b.add_node("tools", nodes.tool_node())
        b.add_node("again", lambda state: {"messages": [AIMessage("", tool_calls=call.tool_calls)]})
        b.add_node("twice", nodes.tool_node())
        for edge in ((START, "begin"), ("begin", "propose"), ("propose", "tools"), ("tools", "again"), ("again", "twice")):
            b.add_edge(*edge)
        session = remit.session(tools=[{"server": "agent", "tools": [convert_to_openai_tool(read_archive)]}])
        run = b.compile(checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": "t"}}
        given: Any = {**ask("Read the archive of 1999"), "remit_session": session.id}
        assert "__interrupt__" in run.invoke(given, config)
        assert ran == []
        out = run.invoke(Command(resume="yes"), config)
    assert ran == ["1999"]
    # What has run stays done, whoever proposes it again.
    results = [m for m in out["messages"] if isinstance(m, ToolMessage)]
    assert "used before" in str(results[-1].content) and results[-1].status == "error"
