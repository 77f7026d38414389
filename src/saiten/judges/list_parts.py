"""Replies that consist of lists, which a model may write as several JSON values: finding the parts and joining them."""

from collections.abc import Sequence
from typing import Any

from saiten.judges.blocks import MOST_BLOCKS, Block, parse
from saiten.judges.fields import field_name, only_list, shown_fields
from saiten.judges.item_forms import given_numbers, is_keyed, is_verdict, text_of
from saiten.judges.json_values import expected, from_list, validated, with_all_fields
from saiten.judges.wanted import Wanted
from saiten.protocols import Reply
from saiten.tasks.verdicts import Verdict


def read_parts(wanted: Wanted, blocks: Sequence[Block]) -> Reply | None:
    """Return all relevant values joined into one reply; drafts, parts and repetitions look alike, so none is skipped.

    Lists are joined if they share no item, or if the later one contains the earlier. Numbered verdicts are the same
    item if their numbers are equal, and must then agree. All other fields must be equal. None if there is no part.

    Raises:
        ValueError: a part cannot be read, or two contradict each other or differ in format.
    """
    whole: Reply | None = None
    for part in _parts(wanted, blocks):
        whole = part if whole is None else _joined(whole, part)
    return whole


def _parts(wanted: Wanted, blocks: Sequence[Block]) -> Sequence[Reply]:
    if len(blocks) == MOST_BLOCKS:
        raise ValueError(f"the reply contains {MOST_BLOCKS} or more JSON values; write a single one")
    lists = [block for block in blocks if block.is_list]
    objects = [block.text for block in blocks if not block.is_list]
    if not any(block.alone for block in lists):
        return _objects(wanted, objects)
    names = shown_fields(wanted.kind)
    if not all(block.alone for block in lists) or any(name in each for each in objects for name in names):
        raise ValueError(_several(wanted))
    return [part for block in lists for part in from_list(wanted, block)]


def _several(wanted: Wanted) -> str:
    return f"the reply contains several JSON values; expected {expected(wanted.kind)}"


def _objects(wanted: Wanted, blocks: Sequence[str]) -> Sequence[Reply]:
    """Return the parts among the objects; raises ValueError if none is a part, or an intended one cannot be read."""
    names = shown_fields(wanted.kind)
    parts: list[Reply] = []
    items: list[Any] = []
    loose = False  # whether there are numbered texts: next to a part, they may belong to the list, or be footnotes
    fault: ValueError | None = None
    for block in blocks:
        try:
            value = parse(block)
        except ValueError as error:
            if any(name in block for name in names):
                raise
            fault = fault or error
            continue
        if _is_item(wanted, value):
            items.append(value)
            continue
        loose = loose or (is_keyed(value) and not _of_verdicts(wanted))
        try:
            parts.append(validated(wanted, with_all_fields(wanted, value)))
        except ValueError as error:
            if isinstance(value, dict) and any(field_name(key, names) for key in value):
                raise
            fault = fault or error
    if (loose and len(parts) + len(items) > 1) or (items and parts and not _of_verdicts(wanted)):
        raise ValueError(_several(wanted))
    if items:
        return [*parts, *_items(wanted, items)]
    if fault is not None and not parts:
        raise fault
    return parts


def _is_item(wanted: Wanted, value: Any) -> bool:
    """Return whether it is one item of the reply's only list, by a key that no other object would have."""
    only = only_list(wanted.kind)
    if only is None or not isinstance(value, dict) or any(field_name(key, {only[0]: None}) for key in value):
        return False
    return is_verdict(value) if only[1] is Verdict else isinstance(text_of(value, only[0], generic=False), str)


def _of_verdicts(wanted: Wanted) -> bool:
    only = only_list(wanted.kind)
    return only is not None and only[1] is Verdict


def _items(wanted: Wanted, items: Sequence[Any]) -> Sequence[Reply]:
    """Return one part with all items; one for each if they repeat a number, so that they are compared."""
    name, _ = only_list(wanted.kind) or ("", None)
    numbers = given_numbers(items)
    if len(set(numbers)) == len(numbers):
        return [validated(wanted, {name: items})]
    return [validated(wanted, {name: [item]}) for item in items]


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
    raise ValueError(differ_in(name))


def differ_in(name: str) -> str:
    """Return the fault of two values with another content of this field."""
    return f"the reply contains two JSON values that differ in `{name}`; write a single, complete one"


def _key(item: Any) -> Any:
    return item.number if isinstance(item, Verdict) else item


def _says(item: Any) -> Any:
    return item.verdict if isinstance(item, Verdict) else item
