"""The chapter of a report that compares its metrics with people's labels."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from saiten.choices import ScoreBy
from saiten.errors import BadInput
from saiten.records import Label
from saiten.results.place import Place, labeled_place_of
from saiten.results.ranking import Ranking
from saiten.runs import RunReader
from saiten.trust.agreement import agreement_report
from saiten.trust.inputs.outputs import outputs_of_run
from saiten.trust.inputs.pairing import halves, pair
from saiten.trust.inputs.scales import declared_bounds
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.charts.ranking import ranking
from saiten.views.page.chapters import Chapter
from saiten.views.report.tally import Tally
from saiten.views.table import Table
from saiten.views.tables.agreement import agreement_glance
from saiten.views.tables.aspect import aspect_bias_tables
from saiten.views.tables.judge import judge_tables
from saiten.views.tables.meta_cells import aspect_name
from saiten.views.tables.meta_evaluation import meta_tables
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class AgainstPeople:
    """The chapter that compares the metrics with people, and the rankings themselves."""

    chapter: Chapter
    rankings: tuple[tuple[str | Message, Ranking], ...]
    """By the name of the aspect, prefixed with the run's if there are several."""


def against_people(tallies: Sequence[Tally], labels: Sequence[Label], by: ScoreBy = "value") -> AgainstPeople:
    """Compare the metrics of each run that has labeled samples with people, and people with each other.

    If runs have different answers under one id, its labels belong to the first run's, unless they have the digest of an
    answer. `by`: see `outputs_of_run`.

    Raises:
        BadInput: The labels belong to none of the runs, or a run has no expected value.
    """
    tables, errors = list[Table](), list[BadInput]()
    rankings: list[tuple[str | Message, Ranking]] = []
    questions: dict[str, str] = {}
    answers: dict[str, int] = {}
    elsewhere: list[Message] = []
    of_none = {label.answer_digest for label in labels if label.answer_digest}
    for one in tallies:
        items, others = _items(one.reader, answers)
        theirs, revised = _of_this_run(labels, items, others)
        if revised:
            elsewhere.append(Message("report", "another_text", run=one.name, n=len(revised)))
        of_none -= {label.answer_digest for label in theirs}
        outputs = list(outputs_of_run(one.reader, by))
        try:
            aspects = pair(items, outputs, theirs or [label for label in labels if label.answer_digest])
        except BadInput as error:
            errors.append(error)
            continue
        questions |= {identity: item.question for identity, item in items.items()}
        ranked = meta_evaluate(
            aspects, bounds=declared_bounds(column.made.metric for aspect in aspects for column in aspect.columns)
        )
        named = [(aspect_name(each), each.ranking) for each in ranked.aspects if each.ranking and each.ranking.places]
        rankings += [(one.title(name) if len(tallies) > 1 else name, found) for name, found in named]
        charts = iter([ranking(found) for _, found in named])  # in the order of their tables
        made = [
            replace(table, charts=(next(charts),)) if table.key == "ranking" else table
            for table in [*meta_tables(ranked), *judge_tables(ranked), *aspect_bias_tables(ranked)]
        ]
        tables += one.titled(made) if len(tallies) > 1 else made
    if len(errors) == len(tallies):
        raise errors[0]
    if lost := sum(label.answer_digest in of_none for label in labels):
        elsewhere.append(Message("note", "other_answers", n=lost, of=len(labels)))
    tables += [
        replace(table, caption=(*table.caption, Message("caption", "agreement_of_report")))
        if table.key == "agreement"
        else table
        for table in agreement_glance(agreement_report(labels, questions=questions))
    ]
    without = [one.name for one in tallies if questions.keys().isdisjoint(one.facts.places)]
    unpaired = Message("report", "not_paired", runs=", ".join(without)) if without else None
    lead = joined([unpaired, *elsewhere], "sentences")
    return AgainstPeople(Chapter(Message("report", "people"), tables, lead), tuple(rankings))


def _of_this_run(
    labels: Sequence[Label], items: Mapping[str, Place], others: Collection[str]
) -> tuple[list[Label], set[str]]:
    """Return the labels that may be of the run's answers, and the labeled items of which an earlier run has another.

    `others`: all such items. A label with a digest is of the answer that has it, in whatever run.
    """
    theirs, revised = list[Label](), set[str]()
    for label in labels:
        if label.answer_digest:
            other = items[label.item].answer_digest != label.answer_digest if label.item in items else False
        else:
            another = {label.item, *(halves(label.item, items) or ())}.intersection(others)
            revised |= another
            other = bool(another)
        if not other:
            theirs.append(label)
    return theirs, revised


def _items(reader: RunReader, answers: dict[str, int]) -> tuple[dict[str, Place], set[str]]:
    """Return a run's samples, and the ids under which an earlier run has another answer: a label is of one text.

    `answers` maps each id to a digest of its first answer over all runs, and is extended.
    """
    items, others = dict[str, Place](), set[str]()
    for sample in reader.samples():
        items[sample.id] = labeled_place_of(sample)
        if answers.setdefault(sample.id, digest := hash(sample.answer)) != digest:
            others.add(sample.id)
    return items, others
