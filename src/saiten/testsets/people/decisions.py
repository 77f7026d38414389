"""People's decisions on the items of a test set, and the items that follow from them.

A decision belongs to the texts that its annotator saw. A digest of these goes with it, so that a decision is not
applied to a question or a reference that has changed since.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from saiten.errors import BadInput
from saiten.testsets.items import Decided, SetItem, Verdict

Choice = Literal["approve", "edit", "reject"]
CHOICES: dict[Choice, Verdict] = {"approve": "approved", "edit": "edited", "reject": "rejected"}
"""Each choice, and what a person has then done with the item."""

WhyOpen = Literal["undecided", "changed", "too_few", "unclear", "differ"]
"""`undecided`: nobody has decided · `changed`: the texts have changed since · `too_few`: fewer people than required ·
`unclear`: flagged as unclear · `differ`: people disagree, and nobody has settled it."""

SetOutcome = Literal["approved", "edited", "rejected", "open"]

_DIGITS = 16
_JAPANESE = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_SPACE_IN_JAPANESE = re.compile(rf"(?<={_JAPANESE}) | (?={_JAPANESE})")


@dataclass(frozen=True, slots=True)
class SetDecision:
    """One person's decision on an item, as exported or written by hand."""

    item: str
    """The item's id."""
    choice: Choice
    by: str
    """The person's name; "" if unknown."""
    question: str = ""
    """The question as the person left it; "" for unchanged."""
    reference: str = ""
    """The reference, likewise."""
    at: str = ""
    """In UTC, ISO 8601; "" if unknown."""
    adjudicated: bool = False
    """Whether it settles the decisions of others."""
    reason: str = ""
    unclear: bool = False
    """Whether the person flagged the item as unclear."""
    digest: str = ""
    """The `text_digest` of what the person saw; "" if unknown."""
    where: str = ""
    """File and place, for messages."""

    @property
    def decided(self) -> Decided:
        """The decision as an item keeps it."""
        return Decided(CHOICES[self.choice], self.by, self.at, self.adjudicated, self.reason)


@dataclass(frozen=True, slots=True)
class SettlingRules:
    """When decisions settle an item that nobody has adjudicated."""

    majority: bool = False
    """Whether more than half of the people suffice; otherwise all have to agree."""
    at_least: int = 1
    """Number of people who must have decided."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of an item."""

    item: SetItem
    """With the decisions and the edited texts; unchanged if it is open."""
    outcome: SetOutcome
    why: WhyOpen | None = None
    """Why it is open."""
    note: str = ""
    """The same in a sentence, with names."""


@dataclass(frozen=True, slots=True)
class _Opinion:
    """A decision on the item's present texts."""

    decision: SetDecision
    accepts: bool
    question: str
    reference: str

    @property
    def outcome(self) -> tuple[bool, str, str]:
        """What is compared between people."""
        return outcome_of(self.question, self.reference, accepts=self.accepts)


def text_digest(item: str, question: str, reference: str, history: Iterable[Iterable[str]] = ()) -> str:
    """Return 16 hexadecimal digits of an item's id, history (pairs of question and answer), question and reference."""
    said = [item, [list(turn) for turn in history], question, reference]
    return sha256(json.dumps(said).encode()).hexdigest()[:_DIGITS]  # in ASCII, so that unpaired surrogates have one


def folded(text: str) -> str:
    """Return the text in one width (NFKC) with single spaces, and none next to Japanese characters."""
    return _SPACE_IN_JAPANESE.sub("", " ".join(unicodedata.normalize("NFKC", text).split()))


def outcome_of(question: str, reference: str, *, accepts: bool) -> tuple[bool, str, str]:
    """Return what people have to agree on: accepted or not, and if so with which texts."""
    return (True, folded(question), folded(reference)) if accepts else (False, "", "")


def settled(item: SetItem, decisions: Sequence[SetDecision], rules: SettlingRules | None = None) -> Settled:
    """Return what becomes of the item.

    An adjudicated decision settles it, the latest one if there are several. Otherwise everybody's latest decisions have
    to agree: to reject it, or to accept it with the same texts, whatever their width and white space. An item without
    new decisions keeps those it has.

    Raises:
        BadInput: a decision edits the item, but changes neither text.
    """
    rules = rules or SettlingRules()
    if not decisions:
        return _undecided(item)
    votes = [vote for decision in decisions if (vote := _vote(item, decision)) is not None]
    if not votes:
        return Settled(item, "open", "changed", "question or reference have changed since the decision")
    latest = list({_person(vote.decision, place): vote for place, vote in _in_time(votes)}.values())
    deciding = [vote for vote in latest if vote.decision.adjudicated][-1:]
    if not deciding:
        if (still := _still_open(item, latest, rules)) is not None:
            return still
        deciding = _largest(latest)
    return _applied(item, deciding, latest)


def _undecided(item: SetItem) -> Settled:
    """Return an item without new decisions, accepted if it was accepted before."""
    if not item.decisions:
        return Settled(item, "open", "undecided", "nobody has decided on it")
    return Settled(item, "edited" if item.original else "approved")


def _vote(item: SetItem, decision: SetDecision) -> _Opinion | None:
    """Return the decision as one on the present texts; None if it was about other texts."""
    now = (item.question, item.reference)
    first = (item.original.get("question", item.question), item.original.get("reference", item.reference))
    known = decision.decided in item.decisions  # applied before
    seen: tuple[str, str] | None = now
    if decision.digest:
        turns = [(turn.question, turn.answer) for turn in item.history]
        digests = {text_digest(item.id, *texts, turns): texts for texts in (first, now)}
        seen = digests.get(decision.digest, now if known else None)
    if seen is None:
        return None
    if decision.choice == "reject":
        return _Opinion(decision, accepts=False, question=seen[0], reference=seen[1])
    texts = (decision.question or seen[0], decision.reference or seen[1])
    unchanged = all(map(_same, texts, seen))
    if decision.choice == "approve" and not unchanged and not decision.digest:
        return None  # approved in other words than those of the set: an edit would say so
    if decision.choice == "edit" and unchanged and not known:
        raise BadInput(
            f"{decision.where}: the decision on {item.id!r} is edit, but question and reference are those of the set; "
            "change one of them, or write approve"
        )
    return _Opinion(decision, accepts=True, question=texts[0], reference=texts[1])


def _same(one: str, other: str) -> bool:
    """Return whether two texts are equal except for line ends and white space at the ends."""
    return "\n".join(one.splitlines()).strip() == "\n".join(other.splitlines()).strip()


def _in_time(votes: Iterable[_Opinion]) -> list[tuple[int, _Opinion]]:
    """Return the votes with their place, the latest last; votes without a time keep their order, before the others."""
    return sorted(enumerate(votes), key=lambda placed: placed[1].decision.at)


def _person(decision: SetDecision, place: int) -> tuple[str | int, bool]:
    """Return whose decision it is; every decision without a name is somebody else's."""
    return decision.by or place, decision.adjudicated


def _still_open(item: SetItem, votes: Sequence[_Opinion], rules: SettlingRules) -> Settled | None:
    """Return the open item if these votes do not settle it."""
    if len(votes) < rules.at_least:
        return Settled(item, "open", "too_few", f"{len(votes)} of {rules.at_least} people have decided")
    if flagged := [vote.decision for vote in votes if vote.decision.unclear]:
        return Settled(item, "open", "unclear", f"flagged as unclear: {_names(flagged)}")
    largest = _largest(votes)
    needed = len(votes) // 2 + 1 if rules.majority else len(votes)
    if len(largest) >= needed:
        return None
    by_choice = {choice: [vote.decision for vote in votes if vote.decision.choice == choice] for choice in CHOICES}
    said = "; ".join(f"{CHOICES[choice]}: {_names(who)}" for choice, who in by_choice.items() if who)
    return Settled(item, "open", "differ", f"decisions differ: {said}")


def _largest(votes: Sequence[_Opinion]) -> list[_Opinion]:
    """Return the most votes with the same outcome."""
    groups: dict[tuple[bool, str, str], list[_Opinion]] = {}
    for vote in votes:
        groups.setdefault(vote.outcome, []).append(vote)
    return max(groups.values(), key=len)


def _applied(item: SetItem, deciding: Sequence[_Opinion], votes: Sequence[_Opinion]) -> Settled:
    """Return the item with the texts of the deciding votes, and the decisions of all."""
    made = (vote.decision.decided for vote in votes)
    item = replace(item, decisions=tuple(dict.fromkeys((*item.decisions, *made))))
    if not deciding[0].accepts:
        return Settled(item, "rejected")
    first = {"question": item.question, "reference": item.reference, **item.original}
    # An edit wins over an approval that differs from it in width or white space only.
    chosen = next((vote for vote in deciding if vote.decision.choice == "edit"), deciding[0])
    question, reference = chosen.question, chosen.reference
    if _same(question, first["question"]) and _same(reference, first["reference"]):
        return Settled(replace(item, question=first["question"], reference=first["reference"], original={}), "approved")
    return Settled(replace(item, question=question, reference=reference, original=first), "edited")


def _names(decisions: Iterable[SetDecision]) -> str:
    return ", ".join(decision.by or "unnamed" for decision in decisions)
