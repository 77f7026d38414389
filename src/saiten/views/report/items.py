"""The samples of a report as data for its page: an index to filter and sort, their beginnings, the full samples."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal
from zlib import compress, decompress

import orjson

from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.reading import read_dialogues
from saiten.metrics.judged.gist_profiles import PROFILES
from saiten.records import STATUSES, Language, Sample
from saiten.results.labeled_answers import answer_digest
from saiten.results.verdict import higher_is_better
from saiten.views.gist.marked import CLASSES, remark_of
from saiten.views.gist.view import Segment, Unit, gist_view, harmless, profile_name
from saiten.views.report.choosing import Choice
from saiten.views.report.groups import AnswerGroups
from saiten.views.report.packing import Packs, as_json, packed
from saiten.views.report.tally import Tally
from saiten.views.tables.dialogue_rows import dialogue_rows
from saiten.words import Message, in_language, section

_QUESTION = 160
"""Maximum characters of a question in the matrix."""
_ANSWER = 320
"""Maximum characters of an answer or a reference in the matrix."""
_REASON, _HIGH = 160, 2 / 3
"""Maximum characters of a reason in the matrix, and the value from which none is shown there."""
_ANSWERS = ("system", "composed", "revised")
"""Titles of a dialogue's rows with an answer."""
PackKind = Literal["pack", "begins"]
"""Contents of a pack: full samples · the beginnings of their answers and references."""
_DIGITS = 6
"""Significant digits of a value in the index; the full sample has all."""


class Items:
    """Streams the samples into packs, and then the index. Single-use: one per page."""

    def __init__(self, tallies: Sequence[Tally], choice: Choice, groups: AnswerGroups, language: Language) -> None:
        self._tallies, self._choice, self._groups, self._language = tallies, choice, groups, language
        self._metrics = list(dict.fromkeys(metric for one in tallies for metric in one.metrics))
        self._signatures = {name: text for one in tallies for name, text in one.reader.manifest.signatures.items()}
        self._columns = defaultdict[str, list[Any]](list)
        self._values: list[list[float | None]] = [[] for _ in self._metrics]
        self._statuses: list[list[str]] = [[] for _ in self._metrics]
        self._packs, self._beginnings = Packs(), Packs()
        self._asked = set[int | None]()

    def packs(self) -> Iterator[tuple[PackKind, str]]:
        """Yield all samples and the beginnings of their texts, run after run, each pack with its kind."""
        for number, one in enumerate(self._tallies):
            raws = dict(_raws(one, self._choice))
            talks = {
                talk.id: compress(as_json(dialogue_part(talk, self._language)), 1)
                for talk in (read_dialogues(one.reader) if one.dialogues else ())
                if self._choice.holds(talk.id)
            }
            for sample in one.reader.samples():
                if self._choice.holds(sample.id):
                    item = self._item(number, one, sample, raws, talks.pop(sample.id, None))
                    yield from (("pack", made) for made in self._packs.add(item))
                    yield from (("begins", made) for made in self._beginnings.add(self._begins(number, sample, item)))
        yield from (("pack", made) for made in self._packs.rest())
        yield from (("begins", made) for made in self._beginnings.rest())

    def _begins(self, run: int, sample: Sample, item: Mapping[str, Any]) -> list[Any]:
        """Return the beginnings of the answer, of the reference, and of the reasons of scores, by the metric's place.

        Only the first answer to a question has its reference; only scores that are missing or not high their reasons.
        """
        group = self._groups.of[run].get(sample.id)
        reference = "" if group is not None and group in self._asked else sample.reference
        self._asked.add(group)
        answer = last_answer(item["dialogue"]) if "dialogue" in item else sample.answer
        reasons = [
            [at, _beginning(score["reason"], _REASON)]
            for at, score in item.get("scores", ())
            if score.get("reason") and not score.get("value", 0.0) >= _HIGH
        ]
        return [*(_beginning(text or "", _ANSWER) for text in (answer, reference)), reasons]

    def index(self) -> str:
        """Return the list of the samples that `packs` yielded."""
        return packed(
            as_json(
                {
                    "count": self._packs.count,
                    "starts": self._packs.starts,
                    "beginnings": self._beginnings.starts,
                    "runs": [one.name for one in self._tallies],
                    **{name: numbered(self._columns[name]) for name in ("system", "group", "language", "question")},
                    "id": self._columns["id"],
                    "run": self._columns["run"],
                    "digest": self._columns["digest"],
                    "beside": from_nought(self._columns["beside"]),
                    "metrics": [
                        {
                            "name": name,
                            "higher": higher_is_better(name, self._signatures),
                            "values": values,
                            "statuses": "".join(found),
                        }
                        for name, values, found in zip(self._metrics, self._values, self._statuses, strict=True)
                    ],
                }
            )
        )

    def _item(
        self, run: int, one: Tally, sample: Sample, raws: Mapping[tuple[str, str], str], talk: bytes | None
    ) -> dict[str, Any]:
        scores = one.kept.scores(sample.id)
        self._list(run, sample, scores)
        for metric, score in scores.items():
            if score.get("status") in {"unreadable", "failed"} and "raw" not in score:
                score["raw"] = raws.get((sample.id, metric))
        item = {
            "answer": sample.answer,
            "question": sample.question,
            "history": [(turn.question, turn.answer) for turn in sample.history],
            "references": sample.references,
            "contexts": sample.contexts,
            "evidence": sample.evidence,
            "scores": [(at, scores[metric]) for at, metric in enumerate(self._metrics) if metric in scores],
            "gist": [self._gist(sample, finding) for finding in one.kept.findings(sample.id)],
            "dialogue": None if talk is None else orjson.loads(decompress(talk)),
        }
        return {key: value for key, value in item.items() if value not in (None, [], ())}

    def _list(self, run: int, sample: Sample, scores: Mapping[str, Mapping[str, Any]]) -> None:
        row = {
            "id": sample.id,
            "run": run,
            "beside": self._groups.of[run].get(sample.id),
            "digest": answer_digest(sample),
            "system": sample.system,
            "group": sample.group,
            "language": sample.language,
            "question": _beginning(sample.question, _QUESTION),
        }
        for name, value in row.items():
            self._columns[name].append(value)
        for place, metric in enumerate(self._metrics):
            score = scores.get(metric, {})
            value = score.get("value")
            self._values[place].append(None if value is None else float(f"{value:.{_DIGITS}g}"))
            # One digit per status, in the order of STATUSES; "-" for no score of the metric.
            self._statuses[place].append(str(STATUSES.index(score["status"])) if score else "-")

    def _gist(self, sample: Sample, finding: Any) -> dict[str, Any]:
        view, words = gist_view(sample, finding), section("gist", self._language)
        units: list[Unit] = []
        return {
            "metric": view.metric,
            "number": None if view.profile is None else PROFILES.index(view.profile),
            "profile": profile_name(view.profile, words),
            "reason": view.reason if view.profile is None else "",
            "reference": pieces(view.reference, units),
            "answer": pieces(view.answer, units),
            "units": [[CLASSES[unit.kind], remark_of(unit, words)] for unit in units],
            "unplaced": [[CLASSES[unit.kind], unit.text, remark_of(unit, words)] for unit in view.unplaced],
            "faults": list(view.faults),
        }


def _beginning(text: str, longest: int) -> str:
    begins = " ".join(text[: 2 * longest].split())
    return begins if len(begins) <= longest and len(text) <= 2 * longest else f"{begins[:longest]}…"


def _raws(one: Tally, choice: Choice) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the raw replies that could not be parsed, by sample and metric."""
    for error in one.reader.errors():
        sample, metric, raw = (error.get(name) for name in ("sample", "metric", "raw"))
        if not (isinstance(sample, str) and isinstance(metric, str) and isinstance(raw, str)):
            continue
        if raw and choice.holds(sample):
            yield (sample, metric), raw


def pieces(pieces: Sequence[Segment], units: list[Unit]) -> list[list[Any]]:
    """Return each stretch of the text with the numbers of its units, outermost first, and how many begin with it."""
    found = []
    number = {id(unit): at for at, unit in enumerate(units)}
    for piece in harmless(pieces):
        for unit in piece.units:
            if id(unit) not in number:
                number[id(unit)] = len(units)
                units.append(unit)
        found.append([piece.text, [number[id(unit)] for unit in piece.units], piece.begin])
    return found


def dialogue_part(talk: Dialogue, language: Language) -> dict[str, Any]:
    """Return the rows of a dialogue, how it ended, and its grades."""
    rows = [
        [row.turn, row.title, in_language(row.text, language), row.kind, row.grade, row.seconds]
        for row in dialogue_rows(talk)
    ]
    failed = talk.ended == "failed"
    ended = Message("status", "failed") if failed else Message("ended", talk.ended.replace(" ", "_"))
    return {
        "ended": in_language(ended, language),
        "reason": talk.reason or "",
        "grades": list(talk.grades),
        "rows": rows,
    }


def last_answer(dialogue: Mapping[str, Any]) -> str:
    """Return the last answer in the rows of `dialogue_part`; empty if there is none."""
    answers = (text for _, title, text, kind, *_ in dialogue["rows"] if title in _ANSWERS and kind == "said")
    return next(reversed(list(answers)), "")


def from_nought(column: Sequence[int | None]) -> list[int]:
    """Renumber from 0 in the order of first occurrence, equal numbers alike; each None gets a number of its own."""
    places: dict[int, int] = {}
    own = [-1 - at if number is None else number for at, number in enumerate(column)]
    return [places.setdefault(number, len(places)) for number in own]


def numbered(column: Sequence[str | None]) -> dict[str, Any]:
    """Return the distinct names of a column, and for each row the number of its name or -1."""
    names = list(dict.fromkeys(name for name in column if name))
    number = {name: at for at, name in enumerate(names)}
    return {"names": names, "rows": [-1 if not name else number[name] for name in column]}
