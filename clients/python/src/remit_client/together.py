"""One question about the calls of a message that are held back."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Lock

from . import wire
from .aio import AsyncSession
from .models import Decision, RemitError

#: How long the first call of a question waits for others, in seconds: nothing to a person.
MOMENT = 0.2
#: How many calls a question may have.
MOST = 16


def _failed(error: BaseException) -> Exception:
    """Why the other calls have no answer."""
    return error if isinstance(error, Exception) else RemitError("the call that asked was given up")


async def _answers(session: AsyncSession, approval: str, seconds: float) -> list[Decision] | None:
    """The answers of a person; a question whose caller leaves without one is withdrawn."""
    try:
        found = await session.await_answers(approval, seconds)
    except BaseException:
        with suppress(RemitError):
            await session.withdraw(approval)
        raise
    if found is None and (await session.withdraw(approval))["state"] != "cancelled":
        return await session.await_answers(approval, seconds)  # somebody was quicker
    return found


class Batch:
    """A question in the making."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.full = Event()
        self.answers: Future[dict[str, Decision]] = Future()


class Together:
    """Gathers the calls of a message, and asks once for all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[tuple[str, str], Batch] = {}

    def _join(self, key: tuple[str, str], call: str, among: int) -> tuple[Batch, bool]:
        with self._lock:
            batch = self._open.get(key)
            first = batch is None
            if batch is None:
                batch = self._open[key] = Batch()
            batch.calls.append(call)
            if len(batch.calls) >= min(among, MOST):
                self._shut(key, batch)
            return batch, first

    def _shut(self, key: tuple[str, str], batch: Batch) -> None:
        if self._open.get(key) is batch:
            del self._open[key]
        batch.full.set()

    def _close(self, key: tuple[str, str], batch: Batch) -> list[str]:
        with self._lock:
            self._shut(key, batch)
            return batch.calls

    async def ask(self, session: AsyncSession, message: str | None, held: Decision, among: int, seconds: float) -> Decision:
        """Ask about a call and those that are held back beside it, and return what holds."""
        key = (session.id, message or held.call)
        batch, first = self._join(key, held.call, among if message else 1)
        if first:
            try:
                await session.port.event(batch.full, MOMENT)
                asked = await session.ask(*self._close(key, batch))
                found = await _answers(session, wire.member(asked, "id", str), seconds)
                batch.answers.set_result({d.call: d for d in found or []})
            except BaseException as error:
                self._close(key, batch)
                batch.answers.set_exception(_failed(error))
                raise
        return (await session.port.future(batch.answers)).get(held.call, held)
