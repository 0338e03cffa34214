"""What both clients do alike: requests are made and answers are read here."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from .models import BadAnswer, BadRequest, Decision, Delegation, Lookup, Problem, ProposedCall, ToolSet

#: How often a request is sent that got no answer, or was told to come back: over
#: some six seconds, in which a server starts again.
ATTEMPTS = 6
#: The longest that is waited in between, in seconds.
LONGEST_PAUSE = 2.0
#: How long an answer may take: longer than the longest wait for a person.
TIMEOUT = httpx.Timeout(100.0, connect=10.0)
#: The longest that one request waits for a person's answer, in seconds.
LONGEST_WAIT = 60

#: How often look-ups are made for one decision: each may depend on those before.
ROUNDS = 8

T = TypeVar("T")

_TYPE = "urn:remit:problem:"


@dataclass(frozen=True, slots=True)
class Request:
    """A request. Sent again, it has the same key, and is carried out once."""

    method: str
    path: str
    body: dict[str, Any] | None = None
    query: dict[str, str] = field(default_factory=dict)
    key: str = field(default_factory=lambda: str(uuid.uuid4()))

    def arguments(self) -> dict[str, Any]:
        """The arguments of httpx's ``request``."""
        out: dict[str, Any] = {"method": self.method, "url": self.path, "params": self.query}
        if self.method == "POST":
            out["headers"] = {"Idempotency-Key": self.key}
        if self.body is not None:
            out["content"] = _encode(self.body)
            out["headers"]["Content-Type"] = "application/json"
        return out


def _encode(body: dict[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequest(f"what is to be sent can't be written as JSON: {error}") from error


def headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def post(path: str, body: dict[str, Any] | None = None) -> Request:
    return Request("POST", path, body)


def get(path: str, **query: str) -> Request:
    return Request("GET", path, query=query)


def segment(text: str) -> str:
    """A text as one segment of a path."""
    return quote(text, safe="")


def read(response: httpx.Response) -> Any:
    """Read an answer: JSON, nothing, or the problem that it is."""
    if response.status_code == 204:
        return None
    try:
        data = response.json()
    except ValueError:
        data = None
    if response.is_success and isinstance(data, dict):
        return data
    if not isinstance(data, dict):
        data = {}
    kind = str(data.get("type", ""))
    raise Problem(
        response.status_code,
        kind.removeprefix(_TYPE) if kind.startswith(_TYPE) else "",
        str(data.get("title", "the server's answer is not understood")),
        str(data.get("detail", "")),
    )


def member(answer: Any, name: str, kind: type[T]) -> T:
    """What an answer says under a name."""
    value = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(value, kind):
        raise BadAnswer(f"the server's answer has no {name}")
    return value


def again(problem: Problem | None, attempt: int) -> float | None:
    """How long to wait before a request is sent again, or None not to.

    Without a problem there was no answer at all. The request's key makes sure
    that it is carried out once.
    """
    if attempt + 1 >= ATTEMPTS:
        return None
    if problem is None or problem.kind in ("unavailable", "too-many"):
        return min(0.1 * 4.0**attempt, LONGEST_PAUSE)
    return None


def created(problem: Problem) -> None:
    """Pass over a session that is there already."""
    if problem.kind != "session-exists":
        raise problem


def missing(problem: Problem) -> None:
    """Pass over what isn't there."""
    if problem.kind != "not-found":
        raise problem


def new_session(id: str | None, tools: list[ToolSet] | None, unseen_user: bool | None) -> Request:
    body: dict[str, Any] = {}
    if id is not None:
        body["id"] = id
    if tools:
        body["tools"] = tools
    if unseen_user is not None:
        body["unseen_user"] = unseen_user
    return post("/v1/sessions", body)


def decide(
    session: str,
    tool: str,
    arguments: dict[str, Any] | str,
    call: str | None,
    server: str | None,
    message: str | None = None,
    beside: str | None = None,
    lookups: list[dict[str, Any]] | None = None,
) -> Request:
    body: dict[str, Any] = {"tool": tool, "arguments": arguments}
    more = {"id": call, "server": server, "message": message, "beside": beside, "lookups": lookups}
    body |= {name: value for name, value in more.items() if value is not None}
    return post(f"{session}/decisions", body)


def decide_all(session: str, calls: Sequence[ProposedCall]) -> Request:
    evaluations = []
    for one in calls:
        context = {"session": session, "arguments": one["arguments"]}
        if "call" in one:
            context["call"] = one["call"]
        evaluations.append({"action": {"name": one["tool"]}, "resource": {"type": "server", "id": one["server"]}, "context": context})
    return post("/access/v1/evaluations", {"subject": {"type": "session", "id": session}, "evaluations": evaluations})


def evaluated(answer: Any, session: str, calls: Sequence[ProposedCall]) -> list[Decision]:
    """The decisions on several calls, each with the call that it is about."""
    found: list[Any] = member(answer, "evaluations", list)
    if len(found) != len(calls):
        raise BadAnswer(f"the server answered {len(calls)} calls with {len(found)} decisions")
    decisions = [Decision.of({**member(one, "context", dict), "session": session, "tool": call["tool"]}) for one, call in zip(found, calls, strict=True)]
    for decision, call in zip(decisions, calls, strict=True):
        if decision.call != call.get("call", decision.call):
            raise BadAnswer("the server's decisions are in another order than the calls")
    return decisions


def asked(answer: dict[str, Any]) -> list[Lookup]:
    """The look-ups that an answer asks for instead of a decision."""
    if not isinstance(answer, dict) or "lookups" not in answer or "verdict" in answer:
        return []
    found: list[Lookup] = member(answer, "lookups", list)
    for one in found:
        for name in ("id", "tool"):
            member(one, name, str)
        member(one, "arguments", dict)
    return found


def looked(lookup: Lookup, returned: Any) -> dict[str, Any]:
    """What a look-up returned; an exception says why there is no result."""
    if isinstance(returned, Exception):
        return {"id": lookup["id"], "error": str(returned) or type(returned).__name__}
    return {"id": lookup["id"], "content" if isinstance(returned, str) else "structured": returned}


def ask(session: str, call: str, more: Sequence[str]) -> Request:
    body: dict[str, Any] = {"call": call}
    if more:
        body["more"] = list(more)
    return post(f"{session}/approvals", body)


def answer(approve: bool, calls: Sequence[str], extent: str, why: str) -> dict[str, Any]:
    body: dict[str, Any] = {"answer": "approve" if approve else "deny", "for": extent, "why": why}
    if calls:
        body["calls"] = list(calls)
    return body


def agreed(delegation: Delegation, answer: str) -> dict[str, Any]:
    if "plan" not in delegation or "delegated" not in delegation:
        raise BadRequest("there is no plan to agree to: " + delegation.get("failed", ""))
    return {"plan": delegation["plan"], "delegated": delegation["delegated"], "answer": answer}


def used(answer: dict[str, Any]) -> list[Decision]:
    """What holds after an answer, for each call of its question."""
    found = answer["decisions"] if isinstance(answer, dict) and "decisions" in answer else [answer]
    if not isinstance(found, list) or not found:
        raise BadAnswer("the server answered a question with no decisions")
    return [Decision.of(one) for one in found]


def only(decisions: list[Decision]) -> Decision:
    """The decision of a question about one call."""
    if len(decisions) != 1:
        raise BadAnswer(f"the question was about {len(decisions)} calls: use await_answers")
    return decisions[0]


def result(call: str, content: str | None, structured: Any, failed: bool | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {"type": "result", "call": call}
    if content is not None:
        body["content"] = content
    if structured is not None:
        body["structured"] = structured
    if failed is not None:
        body["failed"] = failed
    return body
