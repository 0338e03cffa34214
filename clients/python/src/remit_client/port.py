"""How one body serves both clients.

A body is written with ``await``, and awaits its port alone. The port of an
:class:`~remit_client.AsyncRemit` awaits the network; that of a
:class:`~remit_client.Remit` waits for it, so that the body never suspends, and
:func:`direct` runs it to its end at once.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Event
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import httpx

from . import wire
from .models import RemitError

P = ParamSpec("P")
T = TypeVar("T")


class Port(Protocol):
    """What a body waits for."""

    async def request(self, request: wire.Request) -> httpx.Response: ...

    async def sleep(self, seconds: float) -> None: ...

    async def event(self, event: Event, seconds: float) -> None:
        """Wait for an event, so long at most."""

    async def future(self, future: Future[T]) -> T: ...

    async def close(self) -> None: ...


class Direct:
    """Waits for everything itself."""

    def __init__(self, url: str, token: str, transport: httpx.BaseTransport | None) -> None:
        self._http = httpx.Client(base_url=url, headers=wire.headers(token), timeout=wire.TIMEOUT, transport=transport)

    async def request(self, request: wire.Request) -> httpx.Response:
        return self._http.request(**request.arguments())

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def event(self, event: Event, seconds: float) -> None:
        event.wait(seconds)

    async def future(self, future: Future[T]) -> T:
        return future.result()

    async def close(self) -> None:
        self._http.close()


class Awaited:
    """Lets others run while it waits.

    Frameworks run agents in event loops of their own, one after the other. Connections
    belong to the loop that they were made in.
    """

    def __init__(self, url: str, token: str, transport: httpx.AsyncBaseTransport | None) -> None:
        self._make = functools.partial(httpx.AsyncClient, base_url=url, headers=wire.headers(token), timeout=wire.TIMEOUT, transport=transport)
        self._http: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}

    async def request(self, request: wire.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        http = self._http.get(loop)
        if http is None:
            for ended in [loop for loop in list(self._http) if loop.is_closed()]:
                self._http.pop(ended, None)
            http = self._http[loop] = self._make()
        return await http.request(**request.arguments())

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def event(self, event: Event, seconds: float) -> None:
        await asyncio.to_thread(event.wait, seconds)

    async def future(self, future: Future[T]) -> T:
        return await asyncio.shield(asyncio.wrap_future(future))

    async def close(self) -> None:
        http = self._http.pop(asyncio.get_running_loop(), None)
        if http is not None:
            await http.aclose()


def drive(body: Coroutine[Any, Any, T]) -> T:
    """Run a body whose port is :class:`Direct`."""
    try:
        body.send(None)
    except StopIteration as ended:
        value: T = ended.value
        return value
    body.close()
    raise RemitError("something here has to be awaited: use AsyncRemit")


def direct(body: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Any, P], T]:
    """The method of a body, for an object that has the body as ``awaited``."""

    @functools.wraps(body)
    def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return drive(body(self.awaited, *args, **kwargs))

    return method


async def returned(value: Any) -> Any:
    """What a function returned, that may be awaitable."""
    return await value if inspect.isawaitable(value) else value
