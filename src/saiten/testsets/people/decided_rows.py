"""The decisions in a table of a test set, as `saiten testset export` writes it and people edit it."""

from collections.abc import Iterable

from saiten.data.columns import SAMPLE_COLUMNS, Columns
from saiten.data.rows import BadRow, RawRow
from saiten.data.values import as_text
from saiten.errors import BadInput
from saiten.testsets.items import Decided
from saiten.testsets.people.decision_files import VERDICT_WORDS
from saiten.testsets.people.decisions import CHOICES

_COLUMNS = {
    "id": SAMPLE_COLUMNS["id"],
    "verdict": ("verdict", "判断"),
    "by": ("decided_by", "判断した人"),
}


def decisions_in(rows: Iterable[RawRow | BadRow]) -> dict[str, tuple[Decided, ...]]:
    """Return the decisions by the ids of the rows, if the table has columns for the verdict and for who decided.

    Rows without an id or a verdict have none. A decision counts even if the row was edited since: the table says so.

    Raises:
        BadInput: a verdict is unknown; the text has its row.
    """
    columns, found = Columns(_COLUMNS, {}), dict[str, tuple[Decided, ...]]()
    for row in rows:
        if isinstance(row, BadRow):
            continue
        given = columns.find_all(row.fields)
        identity, verdict, by = (as_text(given.get(name)) for name in _COLUMNS)
        if "by" not in given or not identity or not (verdict or "").strip():
            continue
        choice = VERDICT_WORDS.get(str(verdict).strip().casefold())
        if choice is None:
            raise BadInput(
                f"{row.where}: the verdict {str(verdict)[:40]!r} is unknown; expected approved, edited or rejected "
                "(採用, 修正, 却下), or nothing"
            )
        people = [name.strip() for name in (by or "").split(",") if name.strip()] or [""]
        found[identity] = tuple(Decided(CHOICES[choice], name) for name in people)
    return found
