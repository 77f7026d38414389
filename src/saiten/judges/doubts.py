"""Doubts: oddities in a usable reply. The model is asked once more; its second reply is accepted unchanged.

A reply that does not fit its task is invalid (`Task.check`). A doubtful one fits, but is worth a second try: a unit in
two lists, text that no unit covers, the number of a unit that does not exist. Users of the reply find and report the
same faults.
"""

from itertools import chain
from typing import Any

from saiten.protocols import Reply, Task
from saiten.tasks.gist import FindMissingAndExtra, MissingAndExtra, ReferenceUnits, SplitGist
from saiten.text.partition import known_again, lay_out

_MOST_FAULTS = 5
"""Maximum number of faults reported to the model at once."""


def doubt(task: Task[Any], reply: Reply) -> str | None:
    """Return the faults as a sentence for the model; None if there are none."""
    faults: tuple[str, ...] = ()
    if isinstance(task, SplitGist) and isinstance(reply, ReferenceUnits):
        faults = lay_out(task.reference, {"gist": reply.gist, "supplement": reply.supplement}, whole=True).faults
    elif isinstance(task, FindMissingAndExtra) and isinstance(reply, MissingAndExtra):
        faults = _of_find(task, reply)
    return "; ".join(faults[:_MOST_FAULTS]) or None


def _of_find(task: FindMissingAndExtra, reply: MissingAndExtra) -> tuple[str, ...]:
    extra = {"extra_gist": reply.extra_gist, "extra_supplement": reply.extra_supplement}
    known = known_again(chain(*extra.values()), (*task.gist, *task.supplement))
    return (
        *chain(*(faults for _, faults in task.missing(reply))),
        *lay_out(task.answer, extra, whole=False).faults,
        *known,
    )
