"""What people said about long answers: figures 3, 4 and 6 of the text on several aspects, and agreement among them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from saiten.choices import NoneGood
from saiten.metrics.rubrics import read_rubric
from saiten.papers.aspect_grades import OVERALL, GradedAnswers
from saiten.records import Label
from saiten.results.agreement import Unanimity
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.stats.wilson import wilson
from saiten.trust.agreement import agreement_report
from saiten.trust.inputs.picks import GOOD, AnswerPair, Pick, pairs_of, picks, unanimity
from saiten.trust.meta_evaluation.preferred import Preferred, preferred_and_top
from saiten.tuning.grades import settled
from saiten.views.charts.distributions import distributions
from saiten.views.charts.shares import Share, shares
from saiten.views.table import Cell, Name, Table
from saiten.views.tables.interval_columns import IntervalColumns
from saiten.views.tables.meta_cells import why_not
from saiten.words import Message, joined

_FORM = IntervalColumns(numbers=True)
_ALL = Message("cell", "all")


@dataclass(frozen=True, slots=True)
class _PreferenceVote:
    """One annotator's preference for one question; tied systems share it."""

    question: str
    systems: frozenset[str]
    compared: frozenset[str]
    none_good: bool

    def share(self, system: str) -> float:
        return (system in self.systems) / len(self.systems)


def preferred_table(answers: GradedAnswers, none_good: NoneGood) -> Table:
    """Return figure 3: how often each system is preferred, by questions and by votes."""
    said = list(answers.preferences)
    flagged = {
        (answers.places[one.item].question, one.annotator) for one in said if one.aspect == GOOD and not one.value
    }
    pairs = pairs_of([one for one in said if one.aspect != GOOD], _questions(answers))

    def is_counted(label: Label) -> bool:
        pair = pairs.get(label.item)
        return pair is not None and (none_good == "counted" or (pair.question, label.annotator) not in flagged)

    counted = [label for label in said if is_counted(label)]
    best = float(read_rubric().aspect(OVERALL).best)
    unordered = preferred_and_top([*counted, *answers.labels], answers.places, overall=OVERALL, best=best)
    found = sorted(unordered, key=lambda one: one.system)
    votes = list(_votes(picks(counted, pairs), pairs.values(), answers, flagged))
    figures = ("preferred_in", "share_of_votes")
    rows = [_preferred(one, votes) for one in found]
    if found:
        asked = len({pairs[label.item].question for label in counted})
        undecided = 1 - sum(round(one.preferred * one.questions) for one in found) / asked
        flags = sum(vote.none_good for vote in votes) / len(votes) if votes else None
        rows.append((_ALL, asked, None, None, None, undecided, len(votes), None, None, None, flags, None))
    reason = () if found else (Message("paper_aspects", "no_preferences"),)
    columns = (
        "system", "questions", *_FORM.columns("preferred_in"), "tied_in", "votes", *_FORM.columns("share_of_votes"),
        "none_good", "top_of_preferred",
    )  # fmt: skip
    return Table(
        Message("paper_aspects", "preferred"),
        columns,
        tuple(rows or [(None,) * len(columns)]),
        (
            *reason,
            Message("paper_aspects", "about_preferred", best=best),
            Message("paper_aspects", f"none_good_{none_good.replace('-', '_')}"),
        ),
        _FORM.intervals(*figures),
        (shares("preferred_in", [Share(one.system, _share(one.preferred, one.questions)) for one in found]),),
    )


def _questions(answers: GradedAnswers) -> dict[str, str]:
    return {item: place.question for item, place in answers.places.items()}


def _votes(
    found: Iterable[Pick], pairs: Iterable[AnswerPair], answers: GradedAnswers, flagged: Collection[tuple[str, str]]
) -> Iterator[_PreferenceVote]:
    compared: defaultdict[Hashable, set[str]] = defaultdict(set)
    for pair in pairs:
        compared[pair.question] |= _systems((pair.first, pair.second), answers)
    for pick in found:
        systems = _systems(pick.answers, answers)
        if systems and not pick.adjudicated:
            question = str(pick.question)
            yield _PreferenceVote(
                question, systems, frozenset(compared[pick.question]), (question, pick.annotator) in flagged
            )


def _systems(items: Iterable[str], answers: GradedAnswers) -> frozenset[str]:
    return frozenset(system for item in items if (system := answers.places[item].system) is not None)


def _preferred(one: Preferred, votes: Sequence[_PreferenceVote]) -> tuple[Cell, ...]:
    of = [vote for vote in votes if one.system in vote.compared]
    won = [vote.share(one.system) for vote in of]
    share = bootstrap_mean(won, [vote.question for vote in of]) if of else Estimate(None, 0)
    total = sum(won)
    flagged = sum(vote.share(one.system) for vote in of if vote.none_good) / total if total else None
    questions = _share(one.preferred, one.questions)
    return (
        Name(one.system), one.questions, *_FORM.cells(questions), one.tied, len(of), *_FORM.cells(share), flagged,
        one.top_of_preferred,
    )  # fmt: skip


def _share(share: float, n: int) -> Estimate:
    low, high = wilson(share, n)
    return Estimate(share, n, low=low, high=high)


def grades_table(answers: GradedAnswers) -> Table:
    """Return figure 4: how often people gave each grade, by aspect and system."""
    rubric, systems = read_rubric(), answers.systems
    found = settled(answers.labels)
    values = sorted({value for aspect in rubric.aspects for value in aspect.values})
    rows: list[tuple[Cell, ...]] = []
    charts = []
    for aspect in rubric.aspects:
        labels = [label for each in found.get(aspect.name, {}).values() for label in each]
        by_system = {system: [one for one in labels if answers.places[one.item].system == system] for system in systems}
        parts: list[tuple[str | None, list[Label]]] = [*by_system.items(), (None, labels)]
        for name, of in parts:
            counts = Counter(label.value for label in of)
            given = [counts[value] / len(of) if of and value in aspect.values else None for value in values]
            best = [float(label.value == aspect.best) for label in of]
            top = bootstrap_mean(best, answers.questions(label.item for label in of))
            shown = _ALL if name is None else Name(name)
            rows.append((aspect.name, shown, len(of), *given, aspect.best, *_FORM.cells(top), why_not(top)))
        drawn = {name: [label.value for label in of] for name, of in by_system.items()} or {
            "": [label.value for label in labels]
        }
        if labels:
            charts.append(distributions(aspect.name, drawn, (float(aspect.values[0]), float(aspect.values[-1]))))
    return Table(
        Message("paper_aspects", "grades"),
        ("aspect", "system", "labels", *(Name(f"{value:+d}" if value < 0 else f"{value}") for value in values),
         "best_grade", *_FORM.columns("share_of_best"), "remarks"),
        tuple(rows),
        (Message("paper_aspects", "about_grades"),),
        _FORM.intervals("share_of_best"),
        tuple(charts),
    )  # fmt: skip


def unanimity_table(answers: GradedAnswers) -> Table:
    """Return figure 6: on how many questions all annotators, some, or no two prefer the same answer."""
    said = [label for label in answers.preferences if label.aspect != GOOD]
    found = unanimity(picks(said, pairs_of(said, _questions(answers))))
    rows = [_agreed(one, same) for one in found for same in one.agreed]
    drawn = [
        Share(_said(one, same), _share(times / sum(one.agreed.values()), sum(one.agreed.values())))
        for one in found[:1]
        for same, times in one.agreed.items()
    ]
    reason = () if found else (Message("paper_aspects", "one_annotator"),)
    columns = ("annotators", "prefer_same", "questions", *_FORM.columns("share"))
    return Table(
        Message("paper_aspects", "unanimity"),
        columns,
        tuple(rows or [(None,) * len(columns)]),
        (*reason, Message("paper_aspects", "about_unanimity")),
        _FORM.intervals("share"),
        (shares("share", drawn),),
    )


def _said(one: Unanimity, same: int) -> Message:
    if same in (1, one.annotators):
        return Message("preferring", "all" if same == one.annotators else "none")
    return Message("preferring", "value", n=same)


def _agreed(one: Unanimity, same: int) -> tuple[Cell, ...]:
    total = sum(one.agreed.values())
    share = _share(one.agreed[same] / total, total)
    return (one.annotators, _said(one, same), one.agreed[same], *_FORM.cells(share))


def agreement_table(answers: GradedAnswers) -> Table:
    """Return how far annotators agree on each aspect, and on which of two answers is better."""
    preferences = [label for label in answers.preferences if label.aspect != GOOD]
    labels = [*answers.labels, *preferences]
    report = agreement_report(labels, questions=_questions(answers)) if labels else None
    found = {one.aspect: one for one in report.aspects} if report else {}
    figures = ("percent", "kappa", "kappa_quadratic")
    rows: list[tuple[Cell, ...]] = []
    for aspect in dict.fromkeys((*read_rubric().names, *found)):
        one = found.get(aspect)
        if one is None:
            none = Estimate(None, 0)
            rows.append((aspect, 0, 0, *_FORM.cells(none, none, none), Message("paper_aspects", "no_labels")))
            continue
        of = one.figures
        remarks = joined([*one.notes, of.kappa.reason or of.kappa.note])
        cells = _FORM.cells(of.percent, of.kappa, of.kappa_quadratic)
        rows.append((aspect, len(one.rates), of.items, *cells, remarks))
    return Table(
        Message("paper_aspects", "agreement"),
        ("aspect", "annotators", "n", *_FORM.columns(*figures), "remarks"),
        tuple(rows),
        (Message("paper_aspects", "about_agreement"),),
        _FORM.intervals(*figures),
    )
