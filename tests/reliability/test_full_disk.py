"""A full disk: an error in a sentence, a status other than 0, and nothing that was there before is lost.

`RLIMIT_FSIZE` makes every write beyond a size fail, without a mount and for root, too; /dev/full stands for standard
output.
"""

import json
import random
import re
import resource
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from commands import SAITEN
from saiten.cli import main
from saiten.demo.samples import corpus

FULL = Path("/dev/full")

JUDGED = ("-m", "accuracy", "-m", "token_f1")
MADE = [
    {
        "id": f"q{n}",
        "question": f"When was bridge {n} opened?",
        "answer": f"Bridge {n} was opened in {1900 + n}.",
        "contexts": [f"Bridge {n} was opened in {1900 + n}."],
        "reference": f"In {1900 + n}.",
        "system": "a",
    }
    for n in range(24)
]
WRITING = {
    "score": ("score", "data.jsonl", *JUDGED, "-o", "new", "-q"),
    "answer": ("answer", "data.jsonl", "-s", "rag:kb", "-o", "new.jsonl", "-q"),
    "converse": ("converse", "data.jsonl", "-s", "rag:kb", "--form", "qa", "-o", "new", "-q"),
    "experiment": ("experiment", "grid.yaml", "-o", "new", "-q"),
    "index": ("index", "docs", "--kb", "new", "-q"),
    "index again": ("index", "more.md", "--kb", "kb", "-q"),
    "questions": ("questions", corpus("en"), "-o", "new", "--n", 2, "-q"),
    "testset check": ("testset", "check", "data.jsonl", "-o", "again.jsonl"),
    "testset export": ("testset", "export", "data.jsonl", "--as", "ragas", "-o", "ragas.jsonl"),
    "testset export to Excel": ("testset", "export", "data.jsonl", "-o", "set.xlsx"),
    "testset accept": ("testset", "accept", "data.jsonl", "decisions.csv", "-o", "approved.jsonl"),
    "annotate": ("annotate", "data.jsonl", "--form", "correct", "--db", "new.db", "--annotator", "me", "--prepare"),
    "annotate again": ("annotate", "--db", "people.db", "--annotator", "you", "--prepare"),
    "annotate export": ("annotate", "--db", "people.db", "--export", "people.jsonl"),
    "export to Excel": ("export", "run", "-o", "out.xlsx"),
    "export to CSV": ("export", "run", "-o", "out.csv"),
    "export to Parquet": ("export", "run", "-o", "out.parquet"),
    "report": ("report", "run", "-o", "report.html"),
    "tune mate": ("tune", "mate", "grades.jsonl", "--values", "--target", "acceptability", "-o", "weights.toml"),
    "tune offline": ("tune", "offline", "labels.csv", "-s", "data.jsonl", "--aspect", "correct", "-o", "fit.json"),
    "init": ("init", "data.jsonl", "--force"),
    "prompts copy": ("prompts", "copy", "prompts"),
    "probe": ("probe", "data.jsonl", "--judge", "offline", "-m", "accuracy", "--probes", "padded", "-o", "new", "-q"),
    "demo": ("demo", "-o", "new"),
}
"""Commands that write files, on what `prepare` makes."""
REPLACING = (
    *("testset check", "testset export", "testset export to Excel", "testset accept", "annotate export"),
    *("export to Excel", "export to CSV", "export to Parquet", "report", "tune mate", "tune offline", "init"),
)
"""Those of them that replace what they have written before, which `prepare` has them do."""


def prepare():
    """Data, a knowledge base, a run, an annotation database, and what some commands replace."""
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MADE))
    Path("docs").mkdir()
    for row in MADE:
        Path(f"docs/{row['id']}.md").write_text(f"# Bridge\n\n{row['contexts'][0]} It is made of steel.\n")
    Path("more.md").write_text("# Ferry\n\nThe ferry costs 250 yen.\n")
    Path("grid.yaml").write_text(
        "data:\n  - questions: data.jsonl\n    kb: kb2\n    documents: [docs]\nmodels: [extractive]\nchains: [stuff]\n"
        "metrics: [token_f1]\n"
    )
    Path("decisions.csv").write_text("item,decision,annotator\n" + "".join(f"q{n},approve,me\n" for n in range(24)))
    Path("labels.csv").write_text("item,value,annotator\n" + "".join(f"q{n},{n % 2},me\n" for n in range(24)))
    draw = random.Random(0)
    rows = []
    for n in range(60):
        values = {aspect: draw.randint(0, 3) for aspect in ("formality", "factuality", "amount_info")}
        values["acceptability"] = max(0, 3 - values["formality"] - (3 - values["factuality"]))
        for aspect, value in values.items():
            rows.append({"item": f"q{n}", "aspect": aspect, "annotator": "me", "value": value, "question": f"q{n}?"})
    Path("grades.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = (
        ("index", "docs", "--kb", "kb", "-q"),
        ("score", "data.jsonl", *JUDGED, "-o", "run", "-q"),
        ("annotate", "data.jsonl", "--form", "correct", "--db", "people.db", "--annotator", "me", "--prepare"),
        *(WRITING[name] for name in REPLACING),
    )
    for command in made:
        assert status_of(command) == 0, command


def status_of(command):
    """Call a command."""
    try:
        main([str(word) for word in command])
    except SystemExit as ended:
        return ended.code or 0
    return 0


@contextmanager
def full_disk(most=0):
    """No file can grow beyond so many bytes; what is replaced or appended to beyond it cannot be written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents(folder="."):
    """Path → content of the files that commands replace or read; those of SQLite's and the vectors' own are rewritten."""
    kept = [path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("people.db")]
    return {path: path.read_bytes() for path in [*kept, *Path("run").iterdir(), *Path("docs").iterdir()]}


@pytest.mark.parametrize("name", WRITING)
def test_every_command_that_writes_says_that_the_disk_is_full(saiten, once, name):
    """A sentence with the path and what to do, status 2, and what was there stays; with space again it succeeds."""
    once(prepare)
    command = WRITING[name]
    before = contents()
    with full_disk():
        said = saiten(*command)
    assert said.status == 2, said
    text = " ".join(said.err.split())
    assert re.search(r"saiten: .*cannot be (written|used|made|saved)", text), said
    assert re.search(r"name another|go to another|free (some )?space|needs a writable folder", text), said
    assert "Traceback" not in said.err + said.out
    after = contents()
    assert {path: after.get(path) for path in before} == before
    assert not [path for path in after if path.name.endswith(".new")]
    again = saiten(*command)
    assert again.status == 0, again


@pytest.mark.slow
@pytest.mark.parametrize("most", [500, 5_000, 40_000, 200_000])
@pytest.mark.parametrize("name", WRITING)
def test_a_disk_that_fills_up_halfway_is_reported_or_was_large_enough(saiten, once, name, most):
    """Wherever the space ends: no traceback, status 0 only if everything is written, and the next run completes."""
    once(prepare)
    command = WRITING[name]
    before = contents()
    with full_disk(most):
        said = saiten(*command)
    assert said.status in (0, 2), said
    assert "Traceback" not in said.err + said.out
    if said.status:
        assert re.search(r"cannot be (written|used|made|saved)", " ".join(said.err.split())), said
        after = contents()
        assert {path: after.get(path) for path in before} == before
        again = saiten(*command)
        assert again.status == 0, again


TABLES = ("metrics", "show", "compare", "meta-evaluate", "agreement", "estimate", "testset worth", "search")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "csv", "html"])
@pytest.mark.parametrize("name", TABLES)
def test_results_that_cannot_be_written_are_reported_in_a_sentence(once, name, form):
    """A full disk behind `>` is not a bug in saiten: status 2 and no traceback, in every command that prints results."""
    once(prepare)
    more = {
        "show": ["run"],
        "compare": ["run", "run"],
        "meta-evaluate": ["run", "labels.csv", "--resamples", "100"],
        "agreement": ["labels.csv"],
        "estimate": ["run", "labels.csv", "-m", "accuracy"],
        "testset worth": ["data.jsonl", "--kb", "kb"],
        "search": ["bridge", "--kb", "kb"],
    }
    command = [*name.split(), *more.get(name, []), "--format", form]
    with FULL.open("w") as full:
        done = subprocess.run([*SAITEN, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_a_list_that_cannot_be_written_is_reported_in_a_sentence():
    """The cheapest of these."""
    with FULL.open("w") as full:
        done = subprocess.run([*SAITEN, "metrics"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
