"""Replies that consist of lists, which a model may write as several JSON values: finding the parts and joining them."""

from collections.abc import Sequence
from typing import Any

from saiten.judges.blocks import MOST_BLOCKS, Block, parse
from saiten.judges.fields import shown_fields
from saiten.judges.json_values import expected, from_list, validated, with_all_fields
from saiten.protocols import Reply
from saiten.tasks.verdicts import Verdict


def read_parts(kind: type[Reply], blocks: Sequence[Block]) -> Reply | None:
    """Return all relevant values joined into one reply; drafts, parts and repetitions look alike, so none is skipped.

    Lists are joined if they share no item, or if the later one contains the earlier. Numbered verdicts are the same
    item if their numbers are equal, and must then agree. All other fields must be equal. None if there is no part.

    Raises:
        ValueError: a part cannot be read, or two contradict each other or differ in format.
    """
    whole: Reply | None = None
    for part in _parts(kind, blocks):
        whole = part if whole is None else _joined(whole, part)
    return whole


def _parts(kind: type[Reply], blocks: Sequence[Block]) -> Sequence[Reply]:
    if len(blocks) == MOST_BLOCKS:
        raise ValueError(f"the reply contains {MOST_BLOCKS} or more JSON values; write a single one")
    lists = [block for block in blocks if block.is_list]
    objects = [block.text for block in blocks if not block.is_list]
    if not any(block.alone for block in lists):
        return _objects(kind, objects)
    if not all(block.alone for block in lists) or any(name in each for each in objects for name in shown_fields(kind)):
        raise ValueError(f"the reply contains several JSON values; expected {expected(kind)}")
    return [part for block in lists for part in from_list(kind, block.text)]


def _objects(kind: type[Reply], blocks: Sequence[str]) -> Sequence[Reply]:
    """Return the parts among the objects; raises ValueError if none is a part, or an intended one cannot be read."""
    found: list[Reply] = []
    fault: ValueError | None = None
    for block in blocks:
        try:
            found.append(validated(kind, with_all_fields(kind, parse(block))))
        except ValueError as error:
            if any(name in block for name in shown_fields(kind)):
                raise
            try:
                found.append(from_list(kind, f"[{block}]")[0])  # one item of the list
            except ValueError:
                fault = fault or error
    if fault is not None and not found:
        raise fault
    return found


def _joined(first: Reply, second: Reply) -> Reply:
    fields = {name: (getattr(first, name), getattr(second, name)) for name in shown_fields(type(first))}
    lists = [pair for pair in fields.values() if isinstance(pair[0], list)]
    if any(one for one, _ in lists) and not any(other for _, other in lists):
        raise ValueError("the reply contains two JSON values, the second of them empty; write a single, complete one")
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
    raise ValueError(f"the reply contains two JSON values that differ in `{name}`; write a single, complete one")


def _key(item: Any) -> Any:
    return item.number if isinstance(item, Verdict) else item


def _says(item: Any) -> Any:
    return item.verdict if isinstance(item, Verdict) else item
