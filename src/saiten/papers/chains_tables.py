"""Tables 2 and 4 of the text on chains: statistics of the data sets; accuracy, similarity and latency per system."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from saiten.experiments.cells import answers_of, cells_of, has_answers, questions_of
from saiten.experiments.plan import DataSet
from saiten.experiments.results import CellResult, ExperimentResult
from saiten.experiments.tables import experiment_tables
from saiten.papers.chains_people import SPLIT, PeoplesVerdicts, about_people
from saiten.rag.knowledge.documents import FoundFile
from saiten.rag.knowledge.finding import find_documents
from saiten.results.data_figures import DataFigures, TextField
from saiten.results.describe_data import describe_data
from saiten.results.figure import Figure, counted, unmeasured
from saiten.text.tokenizers import tokenizer_for
from saiten.trust.human_scores import UNLABELED
from saiten.views.table import Cell, Name, Table
from saiten.views.tables.interval_columns import IntervalColumns
from saiten.words import Message, joined

_FORM = IntervalColumns(numbers=True)
_ACCURACIES = ("judges_accuracy", "peoples_accuracy")


def statistics_table(found: ExperimentResult, folder: Path) -> Table:
    """Return Table 2: questions, mean tokens per text, passages per question, documents."""
    rows: list[tuple[Cell, ...]] = []
    for data in found.plan.data:
        asked = describe_data(data.name, questions_of(data, _quiet))
        retrieved = _retrieved(found, data, folder)
        files = sum(isinstance(each, FoundFile) for each in find_documents(data.documents))
        means = [_mean(asked, "question"), _mean(asked, "reference"), _mean(retrieved, "context")]
        rows.append((Name(data.name), asked.questions, *means, _per_question(retrieved), files))
    tokenizers = joined([tokenizer_for("ja").name, tokenizer_for("en").name], "listed")
    return Table(
        Message("paper_chains", "statistics"),
        (
            *("data", "questions", "question_tokens", "reference_tokens", "passage_tokens"),
            *("passages_per_question", "documents"),
        ),
        tuple(rows),
        (Message("paper_chains", "about_statistics", tokenizers=tokenizers),),
    )


def _retrieved(found: ExperimentResult, data: DataSet, folder: Path) -> DataFigures | None:
    """Return the figures of the answers that have passages, those of the first system; None without any."""
    first = next((cell for cell in cells_of(found.plan, data) if has_answers(cell, folder)), None)
    return None if first is None else describe_data(data.name, answers_of(first, folder, _quiet))


def _quiet(_: str) -> None:
    """Report nothing: the run reported its rows."""


def _mean(figures: DataFigures | None, name: TextField) -> float | None:
    of = None if figures is None else figures.of(name)
    return None if of is None or of.tokens is None else of.tokens.mean


def _per_question(figures: DataFigures | None) -> float | None:
    each = None if figures is None else figures.of("context")
    return each.given / figures.samples if figures is not None and each is not None and each.given else None


def accuracy_table(found: ExperimentResult, said: Sequence[PeoplesVerdicts], bertscore: str | None) -> Table:
    """Return Table 4: a row per data set, model and chain."""
    people = {one.data: one for one in said}
    by_judge, by_people = map(_FORM.columns, _ACCURACIES)
    accuracies = (*by_judge, "n_judge", *by_people, "n_people")
    seconds = ("median_seconds", "mean_seconds")
    return Table(
        Message("paper_chains", "accuracy"),
        ("data", "model", "chain", *accuracies, "rouge_l", "corpus_bleu4", "bertscore_f1", *seconds, "remarks"),
        tuple(_row(each, people[each.cell.data.name], bertscore, found.main) for each in found.cells),
        tuple(_captions(found, said, bertscore)),
        _FORM.intervals(*_ACCURACIES),
        charts=experiment_tables(found)[0].charts,
    )


def _captions(found: ExperimentResult, said: Sequence[PeoplesVerdicts], bertscore: str | None) -> Iterator[Message]:
    yield Message("paper_chains", "about_accuracy")
    yield from about_people(said)
    if bertscore is None:
        yield Message("paper_chains", "bertscore_unasked")
    if found.plan.at_once > 1:
        yield Message("caption", "experiment_load", n=found.plan.at_once)


def _row(each: CellResult, people: PeoplesVerdicts, bertscore: str | None, main: str) -> tuple[Cell, ...]:
    figures = each.figures
    judged, theirs = figures.get(main), figures.get(people.figure or "")
    bleu = figures.get("bleu4")
    corpus = None if bleu is None or bleu.corpus is None else bleu.corpus.value
    similar = (_mean_of(figures.get("rouge_l")), corpus, _mean_of(figures.get(bertscore or "")))
    latency = None if each.answers is None else each.answers.latency
    seconds = (None, None) if latency is None else (latency.median, latency.mean)
    remarks = joined([*_remarks(each, judged, main), *_remarks_on_people(each, people, theirs)])
    return (
        *(Name(each.cell.data.name), Name(each.cell.model or each.cell.system), each.cell.chain),
        *_with_interval(judged),
        *_with_interval(theirs),
        *similar,
        *seconds,
        remarks,
    )


def _with_interval(figure: Figure | None) -> tuple[Cell, ...]:
    return (None, None, None, 0) if figure is None else (figure.mean, figure.low, figure.high, figure.n)


def _mean_of(figure: Figure | None) -> float | None:
    return None if figure is None else figure.mean


def _remarks(each: CellResult, judged: Figure | None, main: str) -> Iterator[Message | None]:
    if each.answers is None:
        yield Message("paper_chains", "no_answers")
        return
    if failed := sum(each.answers.failures.values()):
        yield Message("paper_chains", "failed_questions", n=failed)
    if each.answers.latency is None:
        yield Message("paper_chains", "no_latency")
    if judged is None:
        yield Message("paper_chains", "not_scored")
    else:
        yield unmeasured(main, judged.coverage)
        yield judged.note


def _remarks_on_people(
    each: CellResult, people: PeoplesVerdicts, theirs: Figure | None
) -> Iterator[Message | str | None]:
    if each.answers is None:
        return
    missing = {} if theirs is None else {why: n for (_, why), n in theirs.missing.items()}
    unlabeled = missing.pop(UNLABELED, 0)
    if split := missing.pop(SPLIT, 0):
        yield Message("remark", "split_items", n=split)
    if missing:
        yield counted({"declined": sum(missing.values())})
    if theirs is None or unlabeled == theirs.total:
        yield people.why_not or Message("paper_chains", "no_label_of_system")
    elif unlabeled:
        yield Message("paper_chains", "unlabeled", n=unlabeled)
