"""What every adapter does with a call: decide it, ask about it, run it, record what it returned."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import wire
from .aio import AsyncSession
from .client import Session
from .models import BadRequest, Decision, ToolSet, WrongClient
from .port import returned
from .together import Together

#: The name that contracts have for an agent's tools, unless another one is given.
SERVER = "agent"

#: Runs a tool with the arguments that were decided, and returns what it returned, or what
#: can be awaited for it.
Run = Callable[[dict[str, Any]], Any]

#: Calls a tool that only reads for a rule, of which the model sees nothing.
Find = Callable[[str, dict[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a model proposes it."""

    tool: str
    arguments: dict[str, Any] | str
    id: str | None = None
    #: The message of the model that the call is in, what that says to the user, and how
    #: many calls it has.
    message: str | None = None
    beside: str | None = None
    among: int = 1


@dataclass(frozen=True, slots=True)
class Result:
    """What the model sees of what a tool returned."""

    text: str
    structured: Any = None
    failed: bool | None = None


def result(value: Any) -> Result:
    """The result that a tool's value is: its text, and the JSON that it is, if it is."""
    if isinstance(value, str):
        return Result(value)
    try:
        plain = _plain(value)
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return Result(str(value))
    shown = str(value)
    structured = plain if isinstance(plain, dict | list) else None
    # Frameworks show a value as JSON or as Python writes it.
    return Result(shown if structured is None or shown == text else f"{text}\n{shown}", structured)


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value


class Enforcement:
    """Decides the calls of an agent's tools, runs what is allowed, and records what it returns."""

    def __init__(self, *, server: str = SERVER, approval_seconds: float = 0) -> None:
        self._server = server
        self._approval_seconds = approval_seconds
        self._together = Together()

    async def decide(self, session: AsyncSession, call: Call, find: Find | None = None) -> Decision:
        """Decide a call, and ask a person where it is held back."""

        def look_up(server: str, name: str, arguments: dict[str, Any]) -> Any:
            if server != self._server or find is None:
                raise LookupError(f"the agent has no tool {name} of {server}")
            return find(name, arguments)

        decision = await session.decide(
            call.tool,
            call.arguments,
            call=call.id,
            server=self._server,
            message=call.message,
            beside=call.beside,
            look_up=look_up if find else None,
        )
        if decision.verdict == "ask" and self._approval_seconds > 0:
            decision = await self._together.ask(session, call.message, decision, call.among, self._approval_seconds)
        return decision

    async def run(
        self,
        session: AsyncSession,
        call: Call,
        run: Run,
        *,
        seen: Callable[[Any], Result] = result,
        find: Find | None = None,
        control: tuple[type[BaseException], ...] = (),
        waiting: tuple[type[BaseException], ...] = (),
    ) -> tuple[Decision, Any]:
        """Decide a call, and run it if it is allowed; what it returned comes with the decision.

        ``seen`` says what the model sees of that, and ``find`` calls a tool for a rule.
        What a tool raises is recorded as its result, too: the model is told of it.
        ``control`` are exceptions by which a tool only says how to go on, and ``waiting`` those
        by which it says that it has not run and will be called again.
        """
        decision = await self.decide(session, call, find)
        if not decision.allowed:
            return decision, None
        try:
            value = await returned(run(decision.arguments))
        except waiting:
            await session.event({"type": "result", "call": decision.call, "suspended": True})
            raise
        except control:
            raise
        except Exception as error:
            await record(session, decision, Result(f"{type(error).__name__}: {error}"))
            raise
        await record(session, decision, seen(value))
        return decision, value


def among(functions: Mapping[str, Run]) -> Find | None:
    """Calls the tools of these names for rules."""

    def find(name: str, arguments: dict[str, Any]) -> Any:
        if name not in functions:
            raise LookupError(f"the agent has no tool {name}")
        return functions[name](arguments)

    return find if functions else None


async def record(session: AsyncSession, decision: Decision, what: Result) -> None:
    """Record what the model is about to see of a call."""
    await session.event(wire.result(decision.call, what.text, what.structured, what.failed))


def function(name: str, description: str | None, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The definition of a tool, in OpenAI's form."""
    return {"type": "function", "function": {"name": name, "description": description or "", "parameters": schema or {"type": "object", "properties": {}}}}


def toolset(definitions: list[dict[str, Any]], server: str = SERVER) -> list[ToolSet]:
    """The tools of an agent, as a session is begun with them: each name says one thing."""
    found: dict[str, dict[str, Any]] = {}
    for one in definitions:
        name = str(one.get("function", one).get("name"))
        if found.setdefault(name, one) != one:
            raise BadRequest(f"there are two tools {name}: give one of them another name")
    return [{"server": server, "tools": list(found.values())}]


def synchronous(session: Session) -> AsyncSession:
    """The body of the session of an agent that isn't awaited."""
    if not isinstance(session, Session):
        raise WrongClient("this agent is not awaited: give it the session of a Remit")
    return session.awaited


def awaited(session: AsyncSession) -> AsyncSession:
    """The session of an agent that is awaited."""
    if not isinstance(session, AsyncSession):
        raise WrongClient("this agent is awaited: give it the session of an AsyncRemit")
    return session


