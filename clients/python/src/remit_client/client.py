"""The synchronous client: the same methods as the asynchronous one's, without ``await``."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx

from .aio import AsyncRemit, AsyncSession
from .models import ToolSet
from .port import Direct, direct, drive


class Remit:
    """A connection to ``remit serve``. Use it as a context manager, or close it."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None) -> None:
        self.awaited = AsyncRemit.on(Direct(url, token, transport))

    close = direct(AsyncRemit.aclose)
    send = direct(AsyncRemit.send)
    pending = direct(AsyncRemit.pending)
    answer = direct(AsyncRemit.answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def session(self, id: str | None = None, *, tools: list[ToolSet] | None = None, unseen_user: bool | None = None) -> Session:
        """Begin a session, or join the one of that id: see :meth:`AsyncRemit.session`."""
        return Session(self, drive(self.awaited.session(id, tools=tools, unseen_user=unseen_user)).id)


class Session:
    """One conversation of one agent: tell it everything that the model sees, in that order."""

    def __init__(self, remit: Remit, id: str) -> None:
        self.id = id
        self.awaited = AsyncSession(remit.awaited, id)

    system = direct(AsyncSession.system)
    user = direct(AsyncSession.user)
    attach = direct(AsyncSession.attach)
    assistant = direct(AsyncSession.assistant)
    result = direct(AsyncSession.result)
    event = direct(AsyncSession.event)
    give_scope = direct(AsyncSession.give_scope)
    scope = direct(AsyncSession.scope)
    delegations = direct(AsyncSession.delegations)
    agree = direct(AsyncSession.agree)
    decide = direct(AsyncSession.decide)
    decide_all = direct(AsyncSession.decide_all)
    ask = direct(AsyncSession.ask)
    await_answer = direct(AsyncSession.await_answer)
    await_answers = direct(AsyncSession.await_answers)
    withdraw = direct(AsyncSession.withdraw)
    explain = direct(AsyncSession.explain)
    end = direct(AsyncSession.end)
