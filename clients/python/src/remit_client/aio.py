"""The asynchronous client, and the body of the synchronous one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from . import wire
from .models import Approval, AsyncLookUp, BadAnswer, Decision, Delegation, Lookup, LookUp, Problem, ProposedCall, RemitError, ToolSet, TurnScope, Unreachable
from .port import Awaited, Port, returned


class AsyncRemit:
    """A connection to ``remit serve``. Use it as an asynchronous context manager, or close it."""

    def __init__(self, url: str, token: str, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.port: Port = Awaited(url, token, transport)

    @classmethod
    def on(cls, port: Port) -> Self:
        """The same on another port."""
        self = cls.__new__(cls)
        self.port = port
        return self

    async def aclose(self) -> None:
        await self.port.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def send(self, request: wire.Request) -> Any:
        """Send a request until it is answered, or not worth trying any more."""
        attempt = 0
        while True:
            problem: Problem | None = None
            failed: RemitError
            try:
                return wire.read(await self.port.request(request))
            except Problem as e:
                problem = failed = e
            except RemitError:
                raise
            except Exception as e:
                failed = Unreachable(f"the server gave no answer: {e or type(e).__name__}")
                failed.__cause__ = e
                if not isinstance(e, httpx.HTTPError):
                    raise failed from e
            wait = wire.again(problem, attempt)
            if wait is None:
                raise failed
            await self.port.sleep(wait)
            attempt += 1

    async def session(self, id: str | None = None, *, tools: list[ToolSet] | None = None, unseen_user: bool | None = None) -> AsyncSession:
        """Begin a session, or join the one of that id.

        The tools count when the session is begun, and are kept with it. So does
        ``unseen_user``: true when not everything that the model sees is passed on
        (memory, retrieved text, other agents). What nothing explains is external
        then.
        """
        try:
            info = await self.send(wire.new_session(id, tools, unseen_user))
        except Problem as problem:
            wire.created(problem)
            info = await self.send(wire.get(f"/v1/sessions/{wire.segment(id or '')}"))
        return AsyncSession(self, wire.member(info, "id", str))

    async def pending(self) -> list[Approval]:
        """The questions that wait, oldest first."""
        found: list[Approval] = []
        query: dict[str, str] = {}
        while True:
            page = await self.send(wire.get("/v1/approvals", **query))
            found += wire.member(page, "approvals", list)
            if not page.get("next"):
                return found
            query = {"cursor": page["next"]}

    async def answer(self, approval: str, *, approve: bool, calls: Sequence[str] = (), extent: str = "session", why: str = "") -> Approval:
        """Answer a question: ``once`` for the call alone, ``session``, or ``always``.

        An approval of a question about several calls names those that it is for; it
        can't be ``always``.
        """
        body = wire.answer(approve, calls, extent, why)
        out: Approval = await self.send(wire.post(f"/v1/approvals/{wire.segment(approval)}/answer", body))
        return out


class AsyncSession:
    """One conversation of one agent: tell it everything that the model sees, in that order."""

    def __init__(self, remit: AsyncRemit, id: str) -> None:
        self._remit = remit
        self.id = id
        self._path = f"/v1/sessions/{wire.segment(id)}"

    @property
    def port(self) -> Port:
        """What the session waits by."""
        return self._remit.port

    async def system(self, text: str) -> None:
        """Text of the deployment."""
        await self.event({"type": "system", "text": text})

    async def user(self, text: str) -> None:
        """What the user said, by their own channel: what it names, the user vouches for."""
        await self.event({"type": "user", "text": text})

    async def attach(self, name: str, text: str) -> None:
        """Material that the user passed on and did not write."""
        await self.event({"type": "attach", "name": name, "text": text})

    async def assistant(self, text: str) -> None:
        """What the model wrote to the user."""
        await self.event({"type": "assistant", "text": text})

    async def result(self, call: str, content: str | None = None, *, structured: Any = None, failed: bool | None = None) -> None:
        """What a call returned, before the model sees it, and whether it failed, where the tool says so."""
        await self.event(wire.result(call, content, structured, failed))

    async def event(self, body: dict[str, Any]) -> None:
        """Add an event, in the form of the session protocol's lines."""
        await self._remit.send(wire.post(f"{self._path}/events", body))

    async def give_scope(self, scope: dict[str, Any]) -> TurnScope:
        """Say what the user's last turn authorises, as a planner of yours wrote it.

        A planner reads trusted text alone: never pass on what an agent, a tool or a
        page says. The scope ends with the turn.
        """
        out: TurnScope = await self._remit.send(wire.post(f"{self._path}/scope", {"scope": scope}))
        return out

    async def scope(self) -> TurnScope | None:
        """What the user's last turn authorises, or why it has no scope; None as long as there is neither."""
        try:
            out: TurnScope = await self._remit.send(wire.get(f"{self._path}/scope"))
        except Problem as problem:
            wire.missing(problem)
            return None
        return out

    async def delegations(self) -> list[Delegation]:
        """The sources whose instructions the user told the agent to follow, each with its plan.

        Ask for them when a call was held back, show a person the ``question`` as it is,
        and :meth:`agree` to those that the person agrees to.
        """
        out: list[Delegation] = wire.member(await self._remit.send(wire.get(f"{self._path}/delegations")), "delegations", list)
        return out

    async def agree(self, delegation: Delegation, answer: str = "") -> None:
        """Say that a person agreed to a plan; then decide the held calls again, under their ids."""
        await self._remit.send(wire.post(f"{self._path}/delegations", wire.agreed(delegation, answer)))

    async def decide(
        self,
        tool: str,
        arguments: dict[str, Any] | str,
        *,
        call: str | None = None,
        server: str | None = None,
        message: str | None = None,
        beside: str | None = None,
        look_up: LookUp | AsyncLookUp | None = None,
    ) -> Decision:
        """Decide a proposed call, before it runs.

        ``message`` names the model's message that the call is in, and ``beside`` is what
        the model says to the user in it: calls of one message are made together.
        What the company's rules need to know, ``look_up`` finds out, if it is given, by
        calling the tools that it is told.
        """
        found: list[dict[str, Any]] | None = [] if look_up else None
        for _ in range(wire.ROUNDS):
            answer = await self._remit.send(wire.decide(self._path, tool, arguments, call, server, message, beside, found))
            asked = wire.asked(answer)
            if not asked or look_up is None or found is None:
                return Decision.of(answer)
            for lookup in asked:
                found.append(await self._look_up(look_up, lookup))
        raise BadAnswer(f"the rules for {tool} need look-ups that depend on others, more than {wire.ROUNDS} times")

    async def decide_all(self, calls: Sequence[ProposedCall]) -> list[Decision]:
        """Decide up to 100 calls in one request, one after the other: each sees those before it.

        The server decides them as AuthZEN's evaluations: without look-ups of yours, and
        as if the model had seen more than was passed on, unless the session was begun
        with ``unseen_user=False``.
        """
        answer = await self._remit.send(wire.decide_all(self.id, calls)) if calls else {"evaluations": []}
        return wire.evaluated(answer, self.id, calls)

    @staticmethod
    async def _look_up(look_up: LookUp | AsyncLookUp, lookup: Lookup) -> dict[str, Any]:
        try:
            return wire.looked(lookup, await returned(look_up(lookup.get("server", ""), lookup["tool"], lookup["arguments"])))
        except Exception as error:  # whatever it is, there is no result
            return wire.looked(lookup, error)

    async def ask(self, call: str, *more: str) -> Approval:
        """Ask a person about calls that were held back, all in one question."""
        out: Approval = await self._remit.send(wire.ask(self._path, call, more))
        return out

    async def await_answer(self, approval: str, seconds: float) -> Decision | None:
        """Wait for the answer about one call and act on it; None when nobody answered in time."""
        found = await self.await_answers(approval, seconds)
        return wire.only(found) if found is not None else None

    async def await_answers(self, approval: str, seconds: float) -> list[Decision] | None:
        """Wait for a person's answer and act on it, for each call of the question in their order."""
        path = f"/v1/approvals/{wire.segment(approval)}"
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            wait = min(max(int(left), 1), wire.LONGEST_WAIT)
            found = await self._remit.send(wire.get(path, wait=str(wait)))
            if wire.member(found, "state", str) != "pending":
                return wire.used(await self._remit.send(wire.post(f"{path}/use")))
        return None

    async def withdraw(self, approval: str) -> Approval:
        """Close a question whose answer nobody waits for; one that is settled stays as it is."""
        out: Approval = await self._remit.send(wire.post(f"/v1/approvals/{wire.segment(approval)}/withdraw"))
        return out

    async def explain(self, call: str) -> dict[str, Any]:
        """The last decision on a call, with the places that its arguments came from.

        Their text may be an attacker's: never show it raw.
        """
        out: dict[str, Any] = await self._remit.send(wire.get(f"{self._path}/decisions/{wire.segment(call)}/explanation"))
        return out

    async def end(self) -> None:
        """End the session, for every enforcement point."""
        await self._remit.send(wire.post(f"{self._path}/end"))
