"""What a check of a test set finds, and the items to look at again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from saiten.choices import CheckName, LaterCheckName
from saiten.errors import JudgeError
from saiten.records import FREE, Usage
from saiten.testsets.items import Checked, SetItem

FindingKind = Literal["same_question", "near_question", "contradiction", "lost", "answerable", "elsewhere", "unchecked"]
"""Another item asks the same, in the same words or in others · another reference contradicts this one · the base no
longer supports the reference · the base may answer a question that it did not answer · the passage is gone, but other
passages support the reference · a check could not be made."""

CHECKS: Mapping[FindingKind, CheckName | LaterCheckName] = {
    "same_question": "duplicate",
    "near_question": "duplicate",
    "contradiction": "contradiction",
    "lost": "up_to_date",
    "answerable": "up_to_date",
}
"""What an item to look at again did not pass."""


@dataclass(frozen=True, slots=True)
class ItemFinding:
    """Something about one item, in words."""

    item: str
    """The item's id."""
    kind: FindingKind
    reason: str
    where: tuple[str, ...] = ()
    """The other items by id, or the documents by name."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What was found, ready for JSON: replies, similarities, sentences."""

    @property
    def again(self) -> bool:
        """Whether a person should look at the item again."""
        return self.kind in CHECKS


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look found, with its cost."""

    findings: tuple[ItemFinding, ...] = ()
    usage: Usage = FREE


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """How the documents of the base compare with those that the items are from."""

    named: int = 0
    """Documents that items name."""
    unchanged: int = 0
    changed: int = 0
    removed: int = 0
    others: int = 0
    """Documents of the base that no item names."""


@dataclass(frozen=True, slots=True)
class SetCheck:
    """The result of a check."""

    items: tuple[SetItem, ...]
    findings: tuple[ItemFinding, ...]
    """In the order of the items."""
    pairs: int = 0
    """Pairs of references that were compared."""
    left_out: int = 0
    """Similar pairs that were not compared, since each question is compared with only so many."""
    documents: DocumentCount | None = None
    """None without a knowledge base."""

    @property
    def again(self) -> tuple[ItemFinding, ...]:
        """The findings for which a person should look at the item again."""
        return tuple(finding for finding in self.findings if finding.again)

    @property
    def unchecked(self) -> int:
        """The number of checks that could not be made."""
        return sum(finding.kind == "unchecked" for finding in self.findings)

    def items_again(self) -> list[SetItem]:
        """Return the items to look at again, each with the reasons among its checks, in place of earlier ones."""
        found: dict[str, list[ItemFinding]] = {}
        for finding in self.again:
            found.setdefault(finding.item, []).append(finding)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return [_with_reasons(item, found[item.id], at) for item in self.items if item.id in found]


def _with_reasons(item: SetItem, findings: list[ItemFinding], at: str) -> SetItem:
    made = set(CHECKS.values())
    earlier = tuple(check for check in item.checks if check.check not in made or check.passed is not False)
    checks = (
        Checked(
            CHECKS[finding.kind],
            passed=False,
            reason=finding.reason,
            details={**finding.details, "where": list(finding.where), "at": at},
        )
        for finding in findings
    )
    return replace(item, checks=(*earlier, *checks))


def unchecked(item: SetItem, error: JudgeError) -> Looked:
    """Return what is known if a check failed: that it was not made, and why."""
    return Looked((ItemFinding(item.id, "unchecked", str(error)),), error.usage)


_SHOWN = 160
"""Characters of a text that a reason quotes."""
_LISTED = 5
"""Items or documents that are named."""


def listed(names: Sequence[str]) -> str:
    """Return the first few names, and how many there are more."""
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f", +{more}" if more > 0 else "")


def quoted(*texts: str) -> str:
    """Return the beginnings of texts in quotation marks, which mark them as not saiten's own words."""
    plain = [" ".join(text.split()) for text in texts]
    return ", ".join(f"“{text}”" if len(text) <= _SHOWN else f"“{text[:_SHOWN]}…”" for text in plain)
