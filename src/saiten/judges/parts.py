"""Joining the parts of a reply that consists of lists."""

from collections.abc import Sequence
from typing import Any, get_origin

from saiten.judges.fields import shown_fields
from saiten.protocols import Reply
from saiten.tasks.verdicts import Verdict


def holds_lists(kind: type[Reply]) -> bool:
    """Return whether replies of this type consist of lists, and so may come in parts."""
    return any(get_origin(field.annotation) is list for field in shown_fields(kind).values())


def join(parts: Sequence[Reply]) -> Reply | None:
    """Join the parts into one reply; None if there are none.

    Lists are joined if they share no item, or if the later one contains the earlier. Numbered verdicts are the same
    item if their numbers are equal, and must then agree. All other fields must be equal.

    Raises:
        ValueError: two parts contradict each other.
    """
    whole: Reply | None = None
    for part in parts:
        whole = part if whole is None else _joined(whole, part)
    return whole


def _joined(first: Reply, second: Reply) -> Reply:
    fields = {name: (getattr(first, name), getattr(second, name)) for name in shown_fields(type(first))}
    lists = [pair for pair in fields.values() if isinstance(pair[0], list)]
    if any(one for one, _ in lists) and not any(other for _, other in lists):
        raise ValueError("the reply holds two JSON values, and the second is empty; write one, complete")
    return second.model_copy(update={name: _joined_field(name, one, other) for name, (one, other) in fields.items()})


def _joined_field(name: str, first: Any, second: Any) -> Any:
    if first == second:
        return second
    if isinstance(first, list):
        known, new = ({_key(item): item for item in items} for items in (first, second))
        if all(_says(known[key]) == _says(new[key]) for key in known.keys() & new.keys()):
            if known.keys() <= new.keys():
                return second
            if known.keys().isdisjoint(new) or isinstance(first[0], Verdict):
                return [*first, *(item for item in second if _key(item) not in known)]
    raise ValueError(f"the reply holds two JSON values that contradict each other in `{name}`; write one, complete")


def _key(item: Any) -> Any:
    return item.number if isinstance(item, Verdict) else item


def _says(item: Any) -> Any:
    return item.verdict if isinstance(item, Verdict) else item
