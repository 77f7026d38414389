"""Table 3 of the text on chains: wrong answers that the judge took for right, with the part that nothing supports."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from saiten.errors import BadInput, ConfigurationError
from saiten.papers.chains_people import PeoplesVerdicts
from saiten.records import Sample, Score, Scored, Span
from saiten.results.disagreements import DisagreementReport
from saiten.runs import read_run
from saiten.trust.disagreements import DisagreementSettings, disagreements
from saiten.trust.unsupported import unsupported_part
from saiten.views.disagreements.cards import meaning_of
from saiten.views.reasons import reason_of
from saiten.views.table import Cell, Name, Table
from saiten.words import Message, joined

LISTED = 5
"""Maximum cases per data set; `saiten disagreements` lists more."""
_OPENS, _CLOSES = "⟦", "⟧"
"""Around an unsupported part."""


def passed_table(said: Sequence[PeoplesVerdicts], judge: str) -> Table:
    """Return the cases: judge yes, people no; a data set without any has a row that says why."""
    rows: list[tuple[Cell, ...]] = []
    counts: list[Message] = []
    for one in said:
        report = _report(one, judge)
        if isinstance(report, Message):
            rows.append((None, Name(one.data), *[None] * 4, report))
            continue
        found = sum(each.found for each in report.lists)
        counts.append(Message("paper_chains", "passed_of", data=one.data, n=min(found, LISTED), of=found))
        nothing: tuple[Cell, ...] = (None, Name(one.data), *[None] * 4, Message("paper_chains", "none"))
        rows += _rows(one, report, judge) if found else [nothing]
    return Table(
        Message("paper_chains", "passed"),
        ("item", "data", "question", "reference", "answer", "reason", "remarks"),
        tuple(rows),
        (Message("paper_chains", "about_passed", open=_OPENS, close=_CLOSES), *counts),
    )


def _report(one: PeoplesVerdicts, judge: str) -> DisagreementReport | Message:
    if one.aspect is None:
        return joined([one.why_not])
    settings = DisagreementSettings(metrics=(judge,), most=LISTED, only="judge-yes-people-no")
    try:
        return disagreements([one.aspect], one.labels, settings)
    except ConfigurationError:
        return Message("paper_chains", "no_verdicts")
    except BadInput:
        return Message("paper_chains", "not_scored")


def _rows(one: PeoplesVerdicts, report: DisagreementReport, judge: str) -> Iterator[tuple[Cell, ...]]:
    listed = [each.item for of in report.lists for each in of.listed or ()]
    samples, scores = _texts(one.run, frozenset(listed))
    for item in listed:
        sample, own = samples[item], scores.get(item, {})
        part = unsupported_part(sample, own, judge)
        references = "\n".join(sample.references)
        reason = reason_of(Scored(item, judge, own[judge])) if judge in own else None
        meaning = joined(meaning_of(part), "sentences")
        answer = marked(sample.answer or "", part.passages)
        yield (Name(item), Name(one.data), sample.question, references, answer, reason, meaning)


def _texts(run: Path | None, wanted: frozenset[str]) -> tuple[dict[str, Sample], dict[str, dict[str, Score]]]:
    """Read the listed answers and their scores; of the others, nothing is kept."""
    if run is None:
        return {}, {}
    reader = read_run(run, notify=lambda _: None)
    samples = {sample.id: sample for sample in reader.samples() if sample.id in wanted}
    scores: dict[str, dict[str, Score]] = {}
    for each in reader.scores():
        if each.sample in wanted:
            scores.setdefault(each.sample, {})[each.metric] = each.score
    return samples, scores


def marked(text: str, passages: Sequence[Span]) -> str:
    """Return the text with signs around the passages that have a place in it; overlapping ones become one."""
    ends: list[tuple[int, int]] = []
    for start, end in sorted((span.start, span.end) for span in passages if span.start is not None and span.end):
        if ends and start <= ends[-1][1]:
            ends[-1] = ends[-1][0], max(end, ends[-1][1])
        else:
            ends.append((start, end))
    parts, at = list[str](), 0
    for start, end in ends:
        parts += [text[at:start], _OPENS, text[start:end], _CLOSES]
        at = end
    return "".join([*parts, text[at:]])
