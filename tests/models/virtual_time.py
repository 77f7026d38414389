"""An event loop in which time passes only when nothing else is left to do, so that waiting takes no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.SelectSelector):
    """Instead of waiting for the next timer, advances the clock to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("everybody waits and no timer is set: a deadlock")
        self.now += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.selector = _Selector()
        super().__init__(self.selector)

    def time(self) -> float:
        return self.selector.now


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in virtual time; raises RuntimeError on a deadlock."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)
