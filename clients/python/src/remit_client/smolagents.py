"""Agents of smolagents: every call of a tool is decided before it runs.

    session = remit.session(tools=definitions(tools))
    session.user(task)
    agent = ToolCallingAgent(tools=protect(session, tools), model=model)
    agent.run(task)

A ``CodeAgent`` runs code that the model writes. Its calls of these tools are decided,
too, and nothing else that the code does is: see the guide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from smolagents import Tool

from .client import Session
from .enforce import SERVER, Call, Enforcement, Find, Run, among, function, synchronous, toolset
from .models import ToolSet
from .port import drive


def definitions(tools: Sequence[Tool], *, server: str = SERVER) -> list[ToolSet]:
    """The tools of an agent, to begin a session with."""
    return toolset([function(tool.name, tool.description, _schema(tool)) for tool in tools], server)


def protect(session: Session, tools: Sequence[Tool], *, server: str = SERVER, approval_seconds: float = 0) -> list[Tool]:
    """The tools, with every call decided. A call that is held back waits ``approval_seconds`` for a person.

    A managed agent is protected by the tools that it has.
    """
    synchronous(session)
    find = among({tool.name: _running(tool) for tool in tools})
    enforcement = Enforcement(server=server, approval_seconds=approval_seconds)
    return [ProtectedTool(session, tool, enforcement, find) for tool in tools]


def _running(tool: Tool) -> Run:
    return lambda arguments: tool(**arguments)


class ProtectedTool(Tool):
    """Decides the calls of a tool, and records what they return."""

    # Filled in for each tool.
    name = "protected"
    description = ""
    inputs: dict[str, dict[str, Any]] = {}
    output_type = "any"
    skip_forward_signature_validation = True

    def __init__(self, session: Session, tool: Tool, enforcement: Enforcement, find: Find | None) -> None:
        self.name, self.description, self.inputs = tool.name, tool.description, tool.inputs
        self.output_type, self.output_schema = tool.output_type, tool.output_schema
        super().__init__()
        self._session = session
        self._tool = tool
        self._enforcement = enforcement
        self._find = find

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Decide the call; code may name its arguments, or not."""
        placed = dict(zip(self.inputs, args, strict=False))
        if len(args) > len(self.inputs) or placed.keys() & kwargs.keys():
            raise TypeError(f"{self.name} takes these arguments, each once: {', '.join(self.inputs)}")
        call = Call(self.name, {**placed, **kwargs})
        decision, returned = drive(self._enforcement.run(synchronous(self._session), call, _running(self._tool), find=self._find))
        return returned if decision.allowed else decision.explanation


def _schema(tool: Tool) -> dict[str, Any]:
    """The JSON Schema of a tool's inputs: a kind that is no type of JSON's has any value."""
    kinds = {"string", "boolean", "integer", "number", "array", "object", "null"}
    properties: dict[str, Any] = {}
    for name, of in tool.inputs.items():
        properties[name] = {key: value for key, value in of.items() if key != "nullable" and (key != "type" or value in kinds or isinstance(value, list))}
        if of.get("nullable") and isinstance(properties[name].get("type"), str):
            properties[name]["type"] = [properties[name]["type"], "null"]
    required = [name for name, of in tool.inputs.items() if not of.get("nullable")]
    return {"type": "object", "properties": properties, "required": required}
