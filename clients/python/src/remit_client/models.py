"""What is sent and what comes back, in the words of the API's description."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

Verdict = Literal["allow", "ask", "deny"]
State = Literal["pending", "approved", "denied", "expired", "cancelled", "used"]


class Reading(TypedDict):
    """How the results of a tool look that prove no format."""

    server: NotRequired[str]
    tool: str
    format: Literal["yaml", "table", "lines"]
    shape: str
    call: NotRequired[str]


class Reason(TypedDict):
    """One reason why a call was not simply allowed."""

    code: str
    path: NotRequired[str]
    verdict: Literal["ask", "deny"]
    message: str
    remedies: NotRequired[list[str]]
    reads: NotRequired[list[Reading]]


class Finding(TypedDict):
    """What is known about one leaf of the arguments."""

    path: str
    value: str
    role: NotRequired[str]
    floor: str
    trust: str
    origins: NotRequired[list[str]]
    how: str
    evidence: NotRequired[list[dict[str, Any]]]
    satisfied: bool
    why: NotRequired[str]


class ToolSet(TypedDict):
    """The tools of a server: in the form of MCP, OpenAI or OpenAPI."""

    server: str
    tools: list[dict[str, Any]] | dict[str, Any]


class ProposedCall(TypedDict):
    """One of several calls that are decided in one request."""

    server: str
    tool: str
    arguments: dict[str, Any] | str
    call: NotRequired[str]


class Lookup(TypedDict):
    """What a rule needs a tool that only reads to be called for."""

    id: str
    server: NotRequired[str]
    tool: str
    arguments: dict[str, Any]


#: Makes a look-up: gets the server, the tool and the arguments, and returns what the tool
#: returned, a text or JSON. An exception says that there is no result. The model must
#: see nothing of it.
LookUp = Callable[[str, str, dict[str, Any]], Any]
AsyncLookUp = Callable[[str, str, dict[str, Any]], Awaitable[Any]]


class SessionInfo(TypedDict):
    """A session as the server lists it."""

    id: str
    length: int
    begun: str
    active: str
    principal: NotRequired[str]
    ended: NotRequired[str]


class Refusal(TypedDict):
    """An entry of a scope that grants nothing, and why."""

    path: str
    message: str


class TurnScope(TypedDict):
    """What the user's last turn authorises."""

    #: How many of the scope's entries hold.
    calls: int
    refused: NotRequired[list[Refusal]]
    #: The entries that hold, in words.
    words: NotRequired[list[str]]
    #: The scope as it was written; absent where there is none.
    scope: NotRequired[dict[str, Any]]
    #: What the server's planner was shown, or why there is no scope.
    planned: NotRequired[dict[str, Any]]


class Delegation(TypedDict):
    """A source whose instructions the user told the agent to follow, with the plan made of it."""

    #: The call that returned it; absent for a proposal of the assistant's.
    call: NotRequired[str]
    server: NotRequired[str]
    tool: NotRequired[str]
    #: The source, raw: anybody may have written it.
    text: str
    #: What a person is to read.
    question: str
    #: What an agreement sends back as it is; absent where there is no plan.
    plan: NotRequired[dict[str, Any]]
    delegated: NotRequired[dict[str, Any]]
    #: The calls that an agreement lets through, in words.
    words: NotRequired[list[str]]
    left: NotRequired[int]
    #: Why there is no plan.
    failed: NotRequired[str]


class Approval(TypedDict):
    """A question to a person, with what became of it."""

    id: str
    session: str
    call: str
    state: State
    extent: NotRequired[str]
    by: NotRequired[str]
    why: NotRequired[str]
    created: str
    expires: str
    decision: dict[str, Any]
    #: The other calls of a question about several.
    more: NotRequired[list[dict[str, Any]]]
    #: Of those, the calls that were agreed to.
    agreed: NotRequired[list[str]]
    #: A yes beyond the call is for its values, in this session.
    by_value: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one proposed call."""

    session: str
    call: str
    tool: str
    verdict: Verdict
    #: Forward these, not what the model wrote.
    arguments: dict[str, Any]
    reasons: list[Reason]
    findings: list[Finding]
    confirmed: bool
    #: What to tell the model instead of a result; empty when allowed.
    explanation: str

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.verdict == "allow"

    @classmethod
    def of(cls, data: Any) -> Decision:
        """Read a decision. What has no known verdict is an error, never allowed."""
        if not isinstance(data, Mapping):
            raise BadAnswer("the decision is no object")
        if data.get("verdict") not in ("allow", "ask", "deny"):
            raise BadAnswer("the answer has no verdict")
        for name in ("session", "call", "tool"):
            if not isinstance(data.get(name), str):
                raise BadAnswer(f"the decision has no {name}")
        if not isinstance(data.get("arguments", {}), dict):
            raise BadAnswer("the decision's arguments are no object")
        return cls(
            session=data["session"],
            call=data["call"],
            tool=data["tool"],
            verdict=data["verdict"],
            arguments=data.get("arguments", {}),
            reasons=data.get("reasons", []),
            findings=data.get("findings", []),
            confirmed=data.get("confirmed", False),
            explanation=data.get("explanation", ""),
        )


class RemitError(Exception):
    """Why there is no answer that lets anything run: the base of all that this package raises."""


class Unreachable(RemitError):
    """The server could not be reached, or its answer not be read. The cause is httpx's error."""


class NoSession(RemitError, RuntimeError):
    """An agent asks about a call before its conversation was begun."""


class WrongClient(RemitError, TypeError):
    """An agent that is awaited needs an AsyncRemit, and one that isn't a Remit."""


class Unprotected(RemitError, TypeError):
    """An agent has something that runs without being decided."""


class BadRequest(RemitError, ValueError):
    """What was to be sent can't be sent."""


class BadAnswer(RemitError, ValueError):
    """The server's answer is not what its description says."""


class Problem(RemitError):
    """Why a request was not carried out (RFC 9457). A call that it is about must not run."""

    def __init__(self, status: int, kind: str, title: str, detail: str) -> None:
        super().__init__(f"{title}: {detail}" if detail else title)
        #: The HTTP status.
        self.status = status
        #: The end of the problem's type, such as ``session-ended``; empty when it has none.
        self.kind = kind
        self.title = title
        self.detail = detail
