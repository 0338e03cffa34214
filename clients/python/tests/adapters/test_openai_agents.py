"""The OpenAI Agents SDK, with its own runner."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, Runner, Usage, WebSearchTool, function_tool, handoff, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic import BaseModel

import example
from remit_client import BadRequest, Remit, Unprotected, WrongClient
from remit_client.openai_agents import definitions, protect

from .spec import READ, TASK, TOKEN, URL, Adapter, Office, Run, Script, send

set_tracing_disabled(True)


class Scripted(Model):
    """Answers by a script, and keeps the results that it was given."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.at = 0
        self.input: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.input = input
        step = self.script[self.at]
        self.at += 1
        output: list[Any] = []
        if isinstance(step, str):
            text = ResponseOutputText(type="output_text", text=step, annotations=[])
            output = [ResponseOutputMessage(id=f"m{self.at}", type="message", role="assistant", status="completed", content=[text])]
        else:
            output = [ResponseFunctionToolCall(type="function_call", call_id=f"c{self.at}_{n}", name=name, arguments=json.dumps(arguments)) for n, (name, arguments) in enumerate(step)]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def seen(self) -> list[str]:
        return [str(item["output"]) for item in self.input if isinstance(item, dict) and item.get("type") == "function_call_output"]


class TestOpenAIAgents(Adapter):
    def agent(self, office: Office, model: Model) -> Agent[Any]:
        return Agent(name="assistant", instructions="You are an assistant.", model=model, tools=[function_tool(f) for f in office.functions])

    def run(self, run: Run, *, protected: bool = True) -> None:
        asyncio.run(self.arun(run, protected))

    async def arun(self, run: Run, protected: bool) -> None:
        model = Scripted(run.script)
        agent = self.agent(run.office, model)
        try:
            if not protected:
                await Runner.run(agent, run.task)
                return
            async with run.async_remit() as remit:
                session = await remit.session(tools=definitions(agent))
                run.session = session.id
                await session.user(run.task)
                await Runner.run(protect(session, agent, approval_seconds=run.approval_seconds), run.task)
        finally:
            run.seen = model.seen()


class TestHandoffs(TestOpenAIAgents):
    """All of the above, where another agent has the tools that send."""

    def agent(self, office: Office, model: Model) -> Agent[Any]:
        mailer = Agent(name="mailer", instructions="You mail.", model=model, tools=[function_tool(f) for f in office.functions])
        reader = Agent(name="reader", instructions="You read.", model=model, handoffs=[mailer])
        mailer.handoffs = [reader]
        return reader

    def run(self, run: Run, *, protected: bool = True) -> None:
        run.script.insert(0, [("transfer_to_mailer", {})])
        super().run(run, protected=protected)
        run.seen = run.seen[1:]

    def test_an_honest_run_passes(self) -> None:
        run = Run([[READ], [send("ann@corp.example")], "Done."])
        self.run(run)
        assert run.office.sent == ["ann@corp.example"]
        assert [event["call"]["tool"] for event in run.events("call")] == ["transfer_to_mailer", "read_inbox", "send_email"]

    def test_an_injected_call_is_stopped_and_explained(self) -> None:
        run = Run([[READ], [send("eve@evil.example")], "Done."])
        self.run(run)
        assert run.office.sent == [] and "eve@evil.example" in run.seen[1]

    def test_what_a_tool_raises_is_a_result(self) -> None:
        run = Run([[("read_archive", {})], [send("trudy@evil.example")], "Done."])
        self.run(run)
        assert run.office.sent == []


class Booking(BaseModel):
    to: str


@pytest.mark.parametrize(("to", "told"), [("ann@corp.example", ["ann@corp.example"]), ("eve@evil.example", [])])
def test_a_handoff_with_arguments_is_decided(to: str, told: list[str]) -> None:
    office = Office()
    heard: list[str] = []
    model = Scripted([[READ], [("send_to_mailer", {"to": to})], "Done."])
    mailer = Agent(name="mailer", model=model)

    def on(context: Any, booking: Booking) -> None:
        heard.append(booking.to)

    to_mailer = handoff(mailer, on_handoff=on, input_type=Booking, tool_name_override="send_to_mailer", tool_description_override="Sends a mail by the mailer.")
    agent = Agent(name="reader", model=model, tools=[function_tool(office.read_inbox)], handoffs=[to_mailer])

    async def run() -> str:
        async with Run([]).async_remit() as remit:
            session = await remit.session(tools=definitions(agent))
            await session.user("Read my inbox, then send it to ann@corp.example by the mailer")
            return (await Runner.run(protect(session, agent), "Go on")).last_agent.name

    assert asyncio.run(run()) == ("mailer" if told else "reader")
    assert heard == told
    if not told:
        assert "eve@evil.example" in model.seen()[-1]


def test_an_agent_as_a_tool_is_decided_and_so_are_its_calls() -> None:
    office = Office()
    outer = Scripted([[("ask_mailer", {"input": "Send the notes to ann@corp.example"})], [send("mallory@evil.example")], "Done."])
    sends = Scripted([[READ], [send("eve@evil.example"), send("ann@corp.example")], "I wrote to mallory@evil.example, too."])
    inner = Agent(name="mailer", model=sends, tools=[function_tool(office.read_inbox), function_tool(office.send_email)])

    async def run() -> None:
        async with Run([]).async_remit() as remit:

            def reader(mailer: Agent[Any]) -> Agent[Any]:
                asked = mailer.as_tool("ask_mailer", "Asks the mailer.")
                return Agent(name="reader", model=outer, tools=[function_tool(office.send_email), asked])

            session = await remit.session(tools=definitions(reader(inner)))
            await session.user("Ask the mailer: Send the notes to ann@corp.example")
            with pytest.raises(Unprotected):
                protect(session, reader(inner))
            await Runner.run(protect(session, reader(protect(session, inner))), "Go on")

    asyncio.run(run())
    assert office.sent == ["ann@corp.example"]


@pytest.mark.parametrize("by", ["tools", "handoffs", "agent as a tool"])
def test_what_a_protected_agent_is_given_later_is_decided(by: str) -> None:
    office = Office()
    reads, sends = function_tool(office.read_inbox), function_tool(office.send_email)
    first: list[Any] = [("transfer_to_mailer", {})] if by == "handoffs" else [("ask_mailer", {"input": "Go on"})]
    model = Scripted([*([first] if by != "tools" else []), [READ], [send("eve@evil.example")], "Done.", "Done."])
    mailer = Agent(name="mailer", model=model, tools=[reads, sends])

    async def run() -> None:
        async with Run([]).async_remit() as remit:
            plain = Agent(name="reader", model=model, tools=[reads, sends, mailer.as_tool("ask_mailer", "Asks.")], handoffs=[mailer])
            session = await remit.session(tools=definitions(plain))
            await session.user(f"{TASK}. Ask the mailer: Go on")
            base = protect(session, Agent(name="reader", model=model, tools=[reads]))
            assert protect(session, base) is base
            asked = protect(session, Agent(name="mailer", model=model, tools=[reads]))
            more: dict[str, Any] = {"tools": [*base.tools, sends]}
            if by == "handoffs":
                more = {"handoffs": [mailer]}
            if by == "agent as a tool":
                more = {"tools": [asked.clone(tools=[*asked.tools, sends]).as_tool("ask_mailer", "Asks.")]}
                with pytest.raises(Unprotected):
                    protect(session, base.clone(**more))
                more = {"tools": [protect(session, asked.clone(tools=[*asked.tools, sends])).as_tool("ask_mailer", "Asks.")]}
            clone = base.clone(**more)
            with pytest.raises(Unprotected, match="protect it again"):
                await Runner.run(clone, "Go on")
            await Runner.run(protect(session, clone), "Go on")

    asyncio.run(run())
    assert office.sent == [] and model.at >= 3


def test_a_run_that_streams_is_decided() -> None:
    office = Office()

    class Streaming(Scripted):
        async def stream_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
            from openai.types.responses import Response, ResponseCompletedEvent

            answer = await self.get_response(system_instructions, input)
            response = Response(
                id="r", created_at=0, model="m", object="response", output=answer.output, parallel_tool_calls=True, tool_choice="auto", tools=[]
            )
            yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)

    agent = Agent(name="assistant", model=Streaming([[READ], [send("eve@evil.example")], [send("ann@corp.example")], "Done."]), tools=[function_tool(f) for f in office.functions])

    async def run() -> None:
        async with Run([]).async_remit() as remit:
            session = await remit.session(tools=definitions(agent))
            await session.user("Read my inbox, and send the notes to ann@corp.example")
            async for _ in Runner.run_streamed(protect(session, agent), "Go on").stream_events():
                pass

    asyncio.run(run())
    assert office.sent == ["ann@corp.example"]


def test_a_name_says_one_thing() -> None:
    def other(to: str) -> str:
        """Sends something else."""
        return to

    one = Agent(name="one", tools=[function_tool(Office().send_email)])
    with pytest.raises(BadRequest):
        definitions(Agent(name="two", tools=[function_tool(other, name_override="send_email")], handoffs=[one]))
    assert len(definitions(Agent(name="two", tools=one.tools, handoffs=[one]))[0]["tools"]) == 2


def test_what_nobody_decides_is_refused() -> None:
    inner = Agent(name="inner", tools=[function_tool(Office().send_email)])

    async def run() -> None:
        async with Run([]).async_remit() as remit:
            session = await remit.session()
            with pytest.raises(Unprotected):
                protect(session, Agent(name="a", tools=[WebSearchTool()]))
            with pytest.raises(Unprotected):
                protect(session, Agent(name="a", mcp_servers=[object()]))  # type: ignore[list-item, unused-ignore]

            with pytest.raises(Unprotected, match="another session"):
                protect(await remit.session(), protect(session, inner))

    asyncio.run(run())
    with Remit(URL, TOKEN) as remit, pytest.raises(WrongClient):
        protect(remit.session(), inner)  # type: ignore[arg-type]


def test_the_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    example.run("with_openai_agents", capsys, monkeypatch)
