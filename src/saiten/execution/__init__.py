"""Running a coroutine over a stream of items."""

from saiten.execution.local import LocalExecutor

__all__ = ["LocalExecutor"]
