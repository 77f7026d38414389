"""A full disk: an error in a sentence, a status other than 0, and nothing that was there before is lost.

`RLIMIT_FSIZE` makes every write beyond a size fail, without a mount and for root, too; a tmpfs is a disk without space,
where one can be mounted; /dev/full is standard output on such a disk. `SAITEN_SOAK=1` tries more sizes and formats.
"""

import gc
import json
import os
import random
import re
import resource
import shutil
import subprocess
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from commands import SAITEN
from saiten.cli import main
from saiten.demo.samples import corpus
from saiten.runs import read_run
from saiten.runs.shards import Division, shard_folder, write_division

FULL = Path("/dev/full")
SOAK = os.environ.get("SAITEN_SOAK") == "1"

# xlsxwriter leaves the file of a part open that it could not write
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file .*-saiten/:ResourceWarning")


@pytest.fixture(autouse=True)
def collected():
    """Such a file is closed here, not in another test."""
    yield
    gc.collect()


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
    "join": ("join", "shards", "-o", "new", "-q"),
    "paper": ("paper", "ragas", "mine", "-o", "new", "-q"),
    "paper's samples": ("paper", "ragas", "new", "--samples"),
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
    Path("mine").mkdir()
    shutil.copy("data.jsonl", "mine/answers.jsonl")
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
    shutil.copytree("run", shard_folder(Path("shards"), 0))
    shutil.copy("run/manifest.json", "shards")
    write_division(Path("shards"), Division(({"start": 0},)))


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
@pytest.mark.parametrize("most", [500, 5_000, 40_000, 200_000] if SOAK else [5_000, 200_000])
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


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mlflow") is None, reason="the extra `mlflow` is not installed")
@pytest.mark.parametrize("most", [200_000, *((0, 600_000) if SOAK else ())])
def test_tracking_on_a_full_disk_is_reported_and_works_again_with_space(once, most):
    """Whether MLflow could not make its tables, half of them, or not store the run; each time in a process of its own."""
    once(prepare)
    command = [*SAITEN, "track", "run", "--to", "sqlite:///tracked.db"]
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    full = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert full.returncode == 2, full
    assert re.search(r"cannot store the run: .*; free some space, and re-run the command", full.stderr), full
    assert "Traceback" not in full.stderr
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again


@pytest.fixture
def small_disk(somewhere):
    """A file system of 256 KB in memory, at `small`."""
    place = somewhere / "small"
    place.mkdir()
    mounted = subprocess.run(
        [which("mount") or "", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"nothing can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run([which("umount"), "--lazy", place], check=True)


@contextmanager
def filled(place):
    """The file system has no room left, until the end."""
    (place / "filling").write_bytes(b"")
    with suppress(OSError), (place / "filling").open("ab", buffering=0) as file:
        while file.write(b"0" * 4096):
            pass
    try:
        yield
    finally:
        (place / "filling").unlink()


SMALL = {
    "cache": ("score", "data.jsonl", *JUDGED, "-o", "new", "-q", "--cache", "small/cache.sqlite"),
    "run": ("score", "data.jsonl", *JUDGED, "-o", "small/new", "-q", "--cache", "cache.sqlite"),
    "knowledge base": ("index", "docs", "--kb", "small/kb", "-q"),
    "answer": ("answer", "data.jsonl", "-s", "rag:kb", "-o", "small/new.jsonl", "-q"),
    "report": ("report", "run", "-o", "small/report.html"),
    "annotate": ("annotate", "data.jsonl", "--form", "correct", "--db", "small/a.db", "--annotator", "me", "--prepare"),
}


@pytest.mark.parametrize("name", SMALL)
def test_one_full_disk_among_others_is_named(saiten, once, small_disk, openai_server, name):
    """Only the cache, the run, the base or the output is on it: no space left, rather than a file that is too large."""
    once(prepare)
    judge = ("--judge", f"openai:m@{openai_server.base_url}") if SMALL[name][0] == "score" else ()
    with filled(small_disk):
        said = saiten(*SMALL[name], *judge)
    assert said.status == 2, said
    text = " ".join(said.err.split())
    assert re.search(r"small\S* .*(cannot be|is full)", text), said
    assert re.search(r"name another|free (some )?space|make room|needs a writable folder", text), said
    assert "Traceback" not in said.err + said.out
    assert len(openai_server.requests) <= 1


def test_a_cache_alone_on_a_full_disk_stops_new_calls(saiten, once, openai_server):
    """Replies that the cache cannot keep would be paid for again, although the run's own folder has space."""
    once(prepare)
    openai_server.latency = 0.02
    command = (
        "score",
        "data.jsonl",
        "-m",
        "accuracy",
        "-o",
        "new",
        "-q",
        "--cache",
        "cache.sqlite",
        "--concurrency",
        4,
    )
    command = (*command, "--judge", f"openai:m@{openai_server.base_url}")
    reply = openai_server.reply

    def fills(asked):
        if asked.number == 9:  # the cache's log is the only file as long as this
            resource.setrlimit(resource.RLIMIT_FSIZE, (Path("cache.sqlite-wal").stat().st_size, before[1]))
        return reply(asked)

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    openai_server.reply = fills
    try:
        said = saiten(*command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        openai_server.reply = reply
    assert said.status == 2, said
    assert re.search(r"cache\.sqlite.* cannot be", " ".join(said.err.split())), said
    assert "Traceback" not in said.err + said.out
    assert len(openai_server.requests) <= 10 + 4
    assert read_run("new").paid().calls == len(openai_server.requests)
    assert saiten(*command).status == 0
    assert read_run("new").paid().calls == len(openai_server.requests)


TABLES = (
    "metrics",
    "show",
    "compare",
    "meta-evaluate",
    "disagreements",
    "agreement",
    "estimate",
    "testset worth",
    "search",
    "paper ragas",
)


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "csv", "html"] if SOAK else ["table"])
@pytest.mark.parametrize("name", TABLES)
def test_results_that_cannot_be_written_are_reported_in_a_sentence(once, name, form):
    """A full disk behind `>` is not a bug in saiten: status 2 and no traceback, in every command that prints results."""
    once(prepare)
    more = {
        "show": ["run"],
        "compare": ["run", "run"],
        "meta-evaluate": ["run", "labels.csv", "--resamples", "100"],
        "disagreements": ["run", "labels.csv"],
        "agreement": ["labels.csv"],
        "estimate": ["run", "labels.csv", "-m", "accuracy"],
        "testset worth": ["data.jsonl", "--kb", "kb"],
        "search": ["bridge", "--kb", "kb"],
        "paper ragas": ["mine"],
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
