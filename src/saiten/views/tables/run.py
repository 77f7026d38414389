"""A run as tables: its summary, and the tables of its metrics and its dialogues."""

from collections.abc import Iterator, Sequence
from itertools import chain

from saiten.dialogue.outcomes import outcomes_of
from saiten.dialogue.reading import has_dialogues, read_dialogues
from saiten.records import Label, Scored
from saiten.results.labeled_answers import noting_others
from saiten.results.place import cluster_of, digests_of, labeled_place_of, place_of
from saiten.results.places import Places
from saiten.results.summarize import summarize
from saiten.results.summary import Summary
from saiten.results.trace_figures import trace_figures
from saiten.runs import RunReader
from saiten.trust.human_scores import human_scores
from saiten.trust.inputs.outputs import outputs_of_run
from saiten.views.table import Table
from saiten.views.tables.aspect import aspect_tables, has_aspects
from saiten.views.tables.dialogue import dialogue_tables, without_repeats
from saiten.views.tables.gist import gist_tables, has_gist
from saiten.views.tables.summary import glance_tables, summary_tables
from saiten.views.tables.trace import trace_table


def summary_of(reader: RunReader, people: Sequence[Scored] = (), *, of_labels: str = "") -> Summary:
    """Return the summary of a run on disk, including people's scores, if any, along with those of the metrics.

    `of_labels`: the source of people's scores, for their signature.
    """
    places = places_in(reader)
    signatures = dict(reader.manifest.signatures)
    signatures |= {one.metric: f"{one.metric}|labels:{of_labels}" for one in people}
    scores = chain(reader.scores(), people)
    return summarize(scores, places, signatures, bad_rows=reader.bad_rows(), paid=reader.paid())


def places_in(reader: RunReader) -> Places:
    """Return where each sample of the run belongs, for a summary."""
    places = Places()
    for identity, question, system, group, conversation in reader.places():
        places.add(identity, cluster_of(identity, question, conversation), system, group)
    return places


def people_of(reader: RunReader, labels: Sequence[Label], *, main: str = "") -> Iterator[Scored]:
    """Yield people's labels of the run's answers as scores; raises BadInput like `human_scores`."""
    items = {sample.id: labeled_place_of(sample) for sample in reader.samples()}
    theirs = noting_others(labels, digests_of(items), reader.notify)
    return human_scores(items, outputs_of_run(reader), theirs, main=main)


def currency_of(reader: RunReader) -> str:
    """Return the currency of the run's costs."""
    return str(reader.manifest.settings.get("currency", "USD"))


def run_tables(reader: RunReader, summary: Summary, *, glance: bool = False) -> list[Table]:
    """Return everything shown of a run except its single samples; `glance`: for the terminal."""
    tables = glance_tables(summary) if glance else summary_tables(summary)
    if has_gist(summary.signatures):
        tables += gist_tables(reader.scores())
    if has_aspects(summary.signatures):
        tables += aspect_tables(reader.scores(), {sample.id: place_of(sample) for sample in reader.samples()})
    if has_dialogues(reader):
        *first, signatures = without_repeats(tables)  # a run always has signatures, as the last table
        tables = [*first, *dialogue_tables(outcomes_of(read_dialogues(reader)), currency_of(reader)), signatures]
    return [*tables, *_trace_tables(reader)]


def _trace_tables(reader: RunReader) -> list[Table]:
    """Return the table of the run's traces; none if its first sample is not from one, as all samples are alike."""
    first = next(reader.samples(), None)
    if first is None or first.trace is None:
        return []
    return [trace_table(trace_figures(reader.samples()))]
