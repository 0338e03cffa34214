"""Agents of CrewAI: every call of a tool is decided before it runs.

    session = remit.session(tools=definitions(tools))
    session.user(task)
    agent = Agent(role=…, tools=protect(session, tools))
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from crewai.tools import BaseTool
from pydantic import ConfigDict, PrivateAttr

from .client import Session
from .enforce import SERVER, Call, Enforcement, Find, Run, among, function, synchronous, toolset
from .models import ToolSet
from .port import drive


def definitions(tools: Sequence[BaseTool], *, server: str = SERVER) -> list[ToolSet]:
    """The tools of an agent, to begin a session with."""
    return toolset([function(tool.name, _described(tool), tool.args_schema.model_json_schema()) for tool in tools], server)


def protect(session: Session, tools: Sequence[BaseTool], *, server: str = SERVER, approval_seconds: float = 0) -> list[BaseTool]:
    """The tools, with every call decided. A call that is held back waits ``approval_seconds`` for a person.

    The tools by which a crew delegates to its own agents are CrewAI's, and are not among
    them: an agent that work is delegated to is protected by the tools that it has.
    """
    find = among({tool.name: _running(tool) for tool in tools})
    enforcement = Enforcement(server=server, approval_seconds=approval_seconds)
    return [ProtectedTool.of(session, tool, enforcement, find) for tool in tools]


def _never(arguments: Any = None, result: Any = None) -> bool:
    """What was decided once is decided again: nothing is kept."""
    return False


def _running(tool: BaseTool) -> Run:
    return lambda arguments: tool.run(**arguments)


class ProtectedTool(BaseTool):
    """Decides the calls of a tool, and records what they return."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    _session: Session = PrivateAttr()
    _tool: BaseTool = PrivateAttr()
    _enforcement: Enforcement = PrivateAttr()
    _find: Find | None = PrivateAttr()

    @classmethod
    def of(cls, session: Session, tool: BaseTool, enforcement: Enforcement, find: Find | None) -> ProtectedTool:
        synchronous(session)
        out = cls(
            name=tool.name,
            description=_described(tool),
            args_schema=tool.args_schema,
            result_as_answer=tool.result_as_answer,
            max_usage_count=tool.max_usage_count,
            cache_function=_never,
        )
        out._session, out._tool, out._enforcement, out._find = session, tool, enforcement, find
        return out

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(f"the arguments of {self.name} need their names")
        call = Call(self.name, kwargs)
        decision, returned = drive(self._enforcement.run(synchronous(self._session), call, _running(self._tool), find=self._find))
        return returned if decision.allowed else decision.explanation

    async def _arun(self, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(self._run, *args, **kwargs)


def _described(tool: BaseTool) -> str:
    """What a tool is described as, without what CrewAI writes around it."""
    text: str = tool.description
    return text.split("Tool Description: ", 1)[-1]
