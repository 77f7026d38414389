"""The work of `saiten meta-evaluate`: scores compared with labels, in tables."""

from dataclasses import fields
from pathlib import Path

from saiten.choices import Format
from saiten.cli.meta_evaluate import MetaOptions
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.reading import read_said
from saiten.cli.subject import JudgeFiles
from saiten.results.meta_evaluation import Settings
from saiten.runs import read_run
from saiten.trust.inputs.judge_files import read_system_pairs
from saiten.trust.inputs.pairing import pair
from saiten.trust.inputs.scales import declared_bounds
from saiten.trust.inputs.sources import run_folder
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.render import render
from saiten.views.tables.aspect import aspect_bias_tables, preference_tables
from saiten.views.tables.judge import judge_tables
from saiten.views.tables.meta_evaluation import meta_tables


def show_metrics(run: Path, labels: Path, others: JudgeFiles, options: MetaOptions, form: Format) -> None:
    """Print how the metrics and judges agree with people."""
    items, outputs = others.read(run, options.sample_column)
    said = list(read_said(labels, options.column))
    aspects = pair(items, outputs, said, aspects=options.aspect, grade_zero=options.grade_zero)
    given = {each.name: getattr(options, each.name) for each in fields(Settings)}
    if options.system_pairs is not None:
        given["system_pairs"] = read_system_pairs(options.system_pairs, notify=notifier(stderr()))
    found = meta_evaluate(
        aspects,
        Settings(**given),
        bounds=declared_bounds(column.made.metric for aspect in aspects for column in aspect.columns),
    )
    folder = run_folder(run)
    scored = read_run(folder, notify=lambda _: None).scores() if folder else ()  # what is damaged was reported before
    tables = [*meta_tables(found, glance=form == "table"), *judge_tables(found, glance=form == "table")]
    tables += [*aspect_bias_tables(found), *preference_tables(said, items, scored)]
    render(tables, form, stdout(), f"Metrics against people: {run.name}")
