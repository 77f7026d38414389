"""Doubts: what is odd about a reply that can be used all the same. The model is asked once more, then it stands.

A reply that does not fit its task is no reply (`Task.check`). These fit, and are worth a second try: a unit in two
lists, text that no unit covers, the number of a unit that is not there. Whoever uses the reply finds the same faults in
it again and reports them.
"""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from saiten.protocols import Reply, Task
from saiten.tasks.gist import FindMissingAndExtra, MissingAndExtra, ReferenceUnits, SplitGist
from saiten.text.partition import known_again, lay_out

_TOLD = 5
"""Faults that a model is told of at a time."""


def doubt(task: Task[Any], reply: Reply) -> str | None:
    """A sentence for the model; None where nothing is odd."""
    find = _DOUBTS.get(type(task))
    faults = find(task, reply) if find is not None else ()
    return "; ".join(faults[:_TOLD]) or None


def _of_split(task: SplitGist, reply: ReferenceUnits) -> tuple[str, ...]:
    return lay_out(task.reference, {"gist": reply.gist, "supplement": reply.supplement}, whole=True).faults


def _of_find(task: FindMissingAndExtra, reply: MissingAndExtra) -> tuple[str, ...]:
    extra = {"extra_gist": reply.extra_gist, "extra_supplement": reply.extra_supplement}
    known = known_again(chain(*extra.values()), (*task.gist, *task.supplement))
    return (*chain(*task.unreadable(reply)), *lay_out(task.answer, extra, whole=False).faults, *known)


_DOUBTS: Mapping[type[Task[Any]], Callable[[Any, Any], tuple[str, ...]]] = {
    SplitGist: _of_split,
    FindMissingAndExtra: _of_find,
}
