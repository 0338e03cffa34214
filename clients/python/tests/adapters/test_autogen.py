"""AutoGen's AssistantAgent, with its own replaying model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelFamily, RequestUsage
from autogen_core.tools import FunctionTool, StaticStreamWorkbench, StaticWorkbench
from autogen_ext.models.replay import ReplayChatCompletionClient

import example
from remit_client.autogen import definitions, protect

from .spec import READ, Adapter, Office, Run, Script, send


def scripted(script: Script) -> ReplayChatCompletionClient:
    answers = [
        CreateResult(
            finish_reason="stop" if isinstance(step, str) else "function_calls",
            content=step if isinstance(step, str) else [FunctionCall(id=f"c{number}_{n}", name=name, arguments=json.dumps(arguments)) for n, (name, arguments) in enumerate(step)],
            usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
            cached=False,
        )
        for number, step in enumerate(script)
    ]
    return ReplayChatCompletionClient(
        answers, model_info={"vision": False, "function_calling": True, "json_output": False, "family": ModelFamily.UNKNOWN, "structured_output": False}
    )


def workbench(office: Office, kind: type[StaticWorkbench] = StaticWorkbench) -> StaticWorkbench:
    return kind([FunctionTool(f, description=f.__doc__ or "", name=f.__name__) for f in office.functions])


class TestWorkbench(Adapter):
    # A workbench is told the call alone.
    knows_messages = False
    kind: type[StaticWorkbench] = StaticWorkbench

    def run(self, run: Run, *, protected: bool = True) -> None:
        asyncio.run(self.arun(run, protected))

    async def arun(self, run: Run, protected: bool) -> None:
        tools: Any = workbench(run.office, self.kind)

        async def go(tools: Any) -> None:
            agent = AssistantAgent("assistant", scripted(run.script), workbench=tools, max_tool_iterations=10)
            async for event in agent.run_stream(task=run.task):
                if event.__class__.__name__ == "ToolCallExecutionEvent":
                    run.seen += [one.content for one in event.content]  # type: ignore[union-attr, unused-ignore]

        if not protected:
            await go(tools)
            return
        async with run.async_remit() as remit:
            session = await remit.session(tools=await definitions(tools))
            run.session = session.id
            await session.user(run.task)
            await go(protect(session, tools, approval_seconds=run.approval_seconds))


class TestStreamWorkbench(TestWorkbench):
    """A workbench that streams is asked for whole results."""

    kind = StaticStreamWorkbench


def test_a_team_shares_a_session() -> None:
    """What one agent reads, another one doesn't send."""
    run = Run([])

    async def go() -> None:
        async with run.async_remit() as remit:
            tools = workbench(run.office)
            session = await remit.session(tools=await definitions(tools))
            await session.user("Read my inbox, and send the notes to ann@corp.example")
            reader = AssistantAgent("reader", scripted([[READ]]), workbench=protect(session, tools))
            mailer = AssistantAgent("mailer", scripted([[send("eve@evil.example"), send("ann@corp.example")]]), workbench=protect(session, tools))
            await RoundRobinGroupChat([reader, mailer], max_turns=2).run(task="Read my inbox, and send the notes to ann@corp.example")

    asyncio.run(go())
    assert run.office.sent == ["ann@corp.example"]


def test_the_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    example.run("with_autogen", capsys, monkeypatch)
