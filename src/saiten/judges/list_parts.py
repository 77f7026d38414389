"""The parts of a reply that consists of lists, which a model may write as several JSON values."""

from collections.abc import Sequence
from contextlib import suppress

from saiten.judges.blocks import MOST_BLOCKS, Block, parse
from saiten.judges.fields import shown_fields
from saiten.judges.json_values import expected, from_list, validated, with_all_fields
from saiten.protocols import Reply


def parts_of(kind: type[Reply], blocks: Sequence[Block]) -> Sequence[Reply]:
    """Return every relevant value; drafts, parts and repetitions look alike, so none is skipped.

    Raises:
        ValueError: one cannot be read, or their formats differ.
    """
    if len(blocks) == MOST_BLOCKS:
        raise ValueError(f"the reply holds {MOST_BLOCKS} JSON values or more; write one")
    lists = [block for block in blocks if block.is_list]
    objects = [block.text for block in blocks if not block.is_list]
    if not any(block.alone for block in lists):
        return _objects(kind, objects)
    if not all(block.alone for block in lists) or any(name in each for each in objects for name in shown_fields(kind)):
        raise ValueError(f"the reply holds several JSON values; expected {expected(kind)}")
    return [part for block in lists for part in from_list(kind, block.text)]


def _objects(kind: type[Reply], blocks: Sequence[str]) -> Sequence[Reply]:
    """Return the parts among the objects; raises ValueError if none is a part, or an intended one cannot be read."""
    found: list[Reply] = []
    fault: ValueError | None = None
    for block in blocks:
        try:
            found.append(_part(kind, block))
        except ValueError as error:
            if any(name in block for name in shown_fields(kind)):
                raise
            fault = fault or error
    if fault is not None and not found:
        raise fault
    return found


def _part(kind: type[Reply], block: str) -> Reply:
    try:
        return validated(kind, with_all_fields(kind, parse(block)))
    except ValueError:
        if any(name in block for name in shown_fields(kind)):
            raise
        with suppress(ValueError):
            return from_list(kind, f"[{block}]")[0]
        raise
