"""`-m gist` from the command line: four figures, the profiles of the run, human units from a file."""

import json

import orjson
import pytest

from saiten.demo.gist import gist_labels, load_gist


@pytest.fixture
def data(tmp_path):
    """Six of the built-in samples, and the labels of their units."""
    samples = load_gist("en")[:6]
    rows = [
        {
            "id": one.sample.id,
            "question": one.sample.question,
            "answer": one.sample.answer,
            "reference": one.sample.reference,
        }
        for one in samples
    ]
    labels = [
        {
            "item": label.item,
            "aspect": label.aspect,
            "spans": [[span.start, span.end, span.text] for span in label.spans],
        }
        for label in gist_labels(samples)
    ]
    for name, lines in {"data.jsonl": rows, "labels.jsonl": labels}.items():
        (tmp_path / name).write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")
    return tmp_path


def test_a_run_shows_what_its_answers_lack_and_add(saiten, data):
    """All four are scored, and the profiles of the answers appear below the figures, in every form."""
    run = str(data / "run")
    assert saiten("score", str(data / "data.jsonl"), "-m", "gist", "-o", run, "-q").status == 0
    tables = json.loads(saiten("show", run, "--format", "json").out)
    text = json.dumps(tables)
    assert all(
        f"gist[{which}]" in text for which in ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement")
    )
    assert "What answers lack and add" in text
    for form in ("table", "csv", "md", "latex", "html"):
        shown = saiten("show", run, "--format", form)
        assert (shown.status, "missing gist" in shown.out) == (0, True)


def test_units_of_people_are_named_in_the_metric(saiten, data):
    """Their digest is in the signature; a missing file stops the run before it begins."""
    run, units = str(data / "run"), data / "labels.jsonl"
    shown = saiten("score", str(data / "data.jsonl"), "-m", f"gist[units={units}]", "-o", run, "--format", "json")
    assert shown.status == 0
    assert "|units:" in shown.out
    refused = saiten("score", str(data / "data.jsonl"), "-m", "gist[units=no.jsonl]", "-o", run)
    assert (refused.status, "no.jsonl" in refused.err) == (2, True)
