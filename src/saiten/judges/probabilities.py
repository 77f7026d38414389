"""Probabilities of verdicts and grades, from the probabilities of the tokens that a model chose from.

A verdict's token has alternatives: `true` with 0.7 leaves 0.3 to `false`. The values are weighted by these
probabilities, as in Liu et al. 2023, *G-Eval*, section 2; what the alternatives say beyond the scale is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from saiten.judges.decided_values import DecidedValue, places_after_marks, places_in_json
from saiten.judges.fields import names_of, shown_fields
from saiten.judges.token_places import TokenPlaces
from saiten.protocols import Completion, R, Reply, Task
from saiten.tasks.aspects import RateAspect, Rating, read_signed
from saiten.tasks.contexts import ContextVerdict
from saiten.tasks.contradiction import Contradiction
from saiten.tasks.correctness import DECISIONS, Decision, Grade, GroundedDecision
from saiten.tasks.critique import Critique
from saiten.tasks.verdicts import Verdict, read_yes_no

_YES_OR_NO: Mapping[type[Reply], str] = {
    Decision: "correct",
    Critique: "verdict",
    Contradiction: "verdict",
    ContextVerdict: "useful",
}
"""Replies with a probability of yes, and the field that it is about."""

V = TypeVar("V", bound=bool | int)


@cache
def decides(kind: type[Reply]) -> bool:
    """Return whether replies of this type have verdicts or grades, so that probabilities are of use."""
    return kind in _YES_OR_NO or issubclass(kind, Grade | Rating | GroundedDecision) or bool(_lists_of_verdicts(kind))


def with_probabilities(task: Task[R], reply: R, completion: Completion) -> R:
    """Return the reply with the probability of each verdict or grade, as far as the completion has them."""
    if not completion.tokens or not decides(type(reply)):
        return reply
    return reply.model_copy(update=_found(task, reply, TokenPlaces(completion.text, completion.tokens)))


def _found(task: Task[Any], reply: Reply, tokens: TokenPlaces) -> dict[str, Any]:
    """Return the fields that the tokens fill."""
    if lists := _lists_of_verdicts(type(reply)):
        return {name: _with_each(getattr(reply, name), name, tokens, alone=len(lists) == 1) for name in lists}
    if isinstance(reply, Grade | Rating):
        scale = task.values if isinstance(task, RateAspect) else tuple(range(6))
        return {"probabilities": _of_one("grade", reply.grade, read_signed, _grades(scale), tokens)}
    if isinstance(reply, GroundedDecision):
        correct = _of_yes("correct", tokens, said=reply.correct)
        if reply.supported is None:  # the marker's one verdict is about both
            return {"p": correct}
        # given the verdict on `correct` as it was written
        supported = _of_yes("supported", tokens, said=reply.supported)
        return {"p": None if correct is None or supported is None else correct * supported}
    field = _YES_OR_NO[type(reply)]
    return {"p": _of_yes(field, tokens, said=getattr(reply, field))}


@cache
def _lists_of_verdicts(kind: type[Reply]) -> Sequence[str]:
    found = {name: field.annotation for name, field in shown_fields(kind).items()}
    return [name for name, hint in found.items() if get_origin(hint) is list and get_args(hint) == (Verdict,)]


def _of_yes(key: str, tokens: TokenPlaces, *, said: bool) -> float | None:
    decided = _of_one(key, said, _read_yes_no, _yes_and_no(), tokens)
    return None if decided is None else decided.get(True, 0.0)


def _of_one(
    key: str, said: V, read: Callable[[str], Any], words: Mapping[bytes, V], tokens: TokenPlaces
) -> dict[V, float] | None:
    """Return the probabilities at the last place of the value; None if that place has another value."""
    for places in (places_in_json(tokens.text, key), places_after_marks(tokens.text, key)):
        if places and read(_written(tokens.text, places[-1])) == said:
            return tokens.probabilities(places[-1].start, words, said)
    return None


def _with_each(verdicts: Sequence[Verdict], name: str, tokens: TokenPlaces, *, alone: bool) -> Sequence[Verdict]:
    """Return the verdicts of one list with their probabilities; unchanged if their places are not certain.

    `alone`: the reply has no other list, so verdicts without the list's key (a bare list) are its own.
    """
    every = places_in_json(tokens.text, "verdict")
    places = [place for place in every if name in names_of(place.within)] or (every if alone else [])
    places = places[-len(verdicts) :] if verdicts else []
    if [_read_yes_no(_written(tokens.text, place)) for place in places] != [verdict.verdict for verdict in verdicts]:
        return verdicts
    found = (
        tokens.probabilities(place.start, _yes_and_no(), verdict.verdict)
        for place, verdict in zip(places, verdicts, strict=True)
    )
    return [
        verdict if p is None else verdict.model_copy(update={"p": p.get(True, 0.0)})
        for verdict, p in zip(verdicts, found, strict=True)
    ]


def _written(text: str, place: DecidedValue) -> str:
    return text[place.start : place.end].strip("“”「」『』＂ ")


def _read_yes_no(text: str) -> Any:
    return read_yes_no(text, DECISIONS)


@cache
def _yes_and_no() -> Mapping[bytes, bool]:
    return {
        form.encode(): value
        for word, value in DECISIONS.items()
        if word not in {"y", "n"}  # they begin `yes` and `no`, but also `n/a`
        for form in (word, word.capitalize(), word.upper())
    }


@cache
def _grades(scale: tuple[int, ...]) -> Mapping[bytes, int]:
    wide = str.maketrans("0123456789-", "０１２３４５６７８９−")
    forms = {grade: (str(grade), str(grade).translate(wide), f"{grade:+d}") for grade in scale}
    return {form.encode(): grade for grade, each in forms.items() for form in each}
