"""`saiten demo`: one run, whose figures are those of the commands that it names; and what it replaces."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from saiten.cli.demo.beside import beside
from saiten.cli.demo.command import make_room
from saiten.cli.demo.page import how_to_call
from saiten.cli.demo.telling import commands, interval, line, table
from saiten.errors import BadInput, ConfigurationError

pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.timeout(600)]

TITLES = (
    "Grade",
    "What does each metric see",
    "What stands behind",
    "Can the judge be believed",
    "Probes",
    "Few labels",
    "What is missing",
    "Several aspects",
    "evidence",
    "Dialogues",
    "Serial or parallel",
    "Let people grade",
    "May this build pass",
    "The report",
)


@pytest.fixture(scope="module")
def toured(tmp_path_factory):
    """One demo, in a process of its own: its folder, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    wide = {**os.environ, "COLUMNS": "100"}
    ran = subprocess.run(
        [sys.executable, "-c", "from saiten.cli import main; main()", "demo"],
        cwd=folder,
        env=wide,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return folder, ran.stdout.decode()


@pytest.fixture
def section(toured, monkeypatch):
    """The text of a section by its number, in the folder of the demo."""
    folder, said = toured
    monkeypatch.chdir(folder)
    parts = re.split(r"^\d+ · ", said, flags=re.MULTILINE)
    return parts.__getitem__


def shown_commands(text):
    """The words of each `saiten …` line."""
    return [shlex.split(each) for each in re.findall(r"^  saiten (.*)$", text, re.MULTILINE)]


def test_it_tells_its_sections_in_order_and_ends_with_the_path_of_the_report(toured):
    """Each with the commands that do the same; a newcomer copies them."""
    folder, said = toured
    parts = re.split(r"^\d+ · ", said, flags=re.MULTILINE)[1:]
    assert [title in part.splitlines()[0] for title, part in zip(TITLES, parts, strict=True)] == [True] * len(TITLES)
    assert all(shown_commands(part) for part in parts)
    assert said.rstrip().endswith("runs/demo/report.html")
    page = (folder / "runs" / "demo" / "report.html").read_text(encoding="utf-8")
    for text in ("careful → hasty", "accuracy against latency: demo-ja", "known by construction", "simulated from the"):
        assert text in page


def test_it_says_how_to_call_saiten_where_the_shell_would_not_find_it(tmp_path, monkeypatch):
    """After `make demo` the program lies in .venv: activate it or type its path; on the PATH, nothing is said."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert how_to_call(programs) is None  # a module run from its source: there is no program to name
    (programs / "saiten").write_text("#!/bin/sh\n")
    (programs / "saiten").chmod(0o755)
    assert (
        how_to_call(programs) == "`saiten` is not on your PATH here: type [bold].venv/bin/saiten[/] instead of saiten."
    )
    (programs / "activate").write_text("")
    assert "run [bold]source .venv/bin/activate[/] once per shell, or type" in how_to_call(programs)
    monkeypatch.setenv("PATH", str(programs))
    assert how_to_call(programs) is None


def test_what_is_simulated_or_known_is_never_said_to_be_peoples(section):
    """The data are made up, and the demo says so where it matters."""
    assert "Nobody labelled these answers" in section(4)
    assert "The grades are simulated" in section(8)
    assert "milliseconds of this machine" in " ".join(section(11).split())


@pytest.mark.parametrize("number", range(1, 14))
def test_the_commands_that_it_names_can_be_run_as_they_stand(section, saiten, number):
    """Those about its own folder; the last section's is run by the demo itself."""
    for words in shown_commands(section(number)):
        if not any(word.startswith("runs/demo") for word in words):
            continue
        ends = ["--prepare"] if "--annotator" in words else []
        expected = 5 if {"--fail-under", "--fail-if-worse"} & set(words) else 0
        said = saiten(*words, *ends)
        assert said.status == expected, (words, said)


def test_all_that_the_report_command_names_is_there(section):
    """It would make the same page again."""
    (words,) = (words for words in shown_commands(section(14)) if words[0] == "report")
    assert all(Path(word).exists() for word in words if word.startswith("runs/demo"))


def rows_of(saiten, words, title):
    """A table of a command, by its title's beginning."""
    said = saiten(*words, "--format", "json")
    assert said.status in {0, 5}, said
    return next(rows for name, rows in json.loads(said.out).items() if name.startswith(title))


def test_the_meta_evaluation_is_that_of_the_command(section, saiten):
    """AUROC, agreement and the order of systems, label by label."""
    (words,) = shown_commands(section(4))
    for label, metrics in {"correct": ("accuracy", "token_f1", "length"), "faithful": ("faithfulness",)}.items():
        ranked = {row["metric"]: row for row in rows_of(saiten, words, f"{label}: metrics by AUROC")}
        ordered = {row["metric"]: row for row in rows_of(saiten, words, f"{label}: over systems")}
        for metric in metrics:
            auroc = interval(*(ranked[metric][name] for name in ("AUROC", "AUROC from", "AUROC to")))
            (shown,) = (one for one in section(4).splitlines() if re.match(rf"{label} +{metric} ", one))
            assert auroc in shown
            assert f"{ordered[metric]['alike']} of 6" in shown


def test_probes_are_those_of_the_command(section, saiten):
    """Without a run on disk, and the same trials."""
    (words,) = shown_commands(section(5))
    for row in rows_of(saiten, words, "Probes"):
        (shown,) = (one for one in section(5).splitlines() if one.startswith(row["probe"]))
        assert f"{row['broken']} of {row['n']}" in shown
        assert shown.rstrip().endswith(row["verdict"])


def test_the_estimate_is_that_of_the_command_and_holds_what_is_known(section, saiten):
    """The share of correct answers is known; 99 of 192 are not."""
    (words,) = shown_commands(section(6))
    row = next(row for row in rows_of(saiten, words, "What people would say") if row["of"] == "all")
    for name in ("judge alone", "labels alone", "with the judge"):
        assert f"{row[name]:.3f}" in section(6)
    assert f"± {(row['with the judge to'] - row['with the judge from']) / 2:.3f}" in section(6)
    assert f"{93 / 192:.3f}" in section(6)
    assert row["with the judge from"] < 93 / 192 < row["with the judge to"]


def test_units_weights_and_builds_are_those_of_the_commands(section, saiten):
    """F of the units, the learned weights, the paired differences."""
    units = rows_of(saiten, shown_commands(section(7))[1], "Spans: judges against people")
    for row in units:
        if row["aspect"].startswith(("missing", "extra")):
            (shown,) = (one for one in section(7).splitlines() if one.startswith(row["aspect"].replace("_", " ")))
            assert interval(row["F"], row["F from"], row["F to"]) in shown
    for row in rows_of(saiten, shown_commands(section(8))[0], "Weights"):
        assert interval(row["weight"], row["95 % from"], row["to"]) in section(8)
    for row in rows_of(saiten, shown_commands(section(13))[1], "runs/demo/builds/before"):
        assert f"{row['difference']:.3f}" in section(13)
        assert row["verdict"] in section(13)


def test_evidence_is_found_more_often_with_the_reference(section):
    """Of 48 questions, each of whose paragraphs is known."""
    alone, both = (
        int(re.search(rf"{name} +(\d+)", section(9))[1]) for name in ("the question alone", "question and reference")
    )
    assert 0 < alone < both <= 48


def test_a_project_for_annotators_is_ready(section, saiten):
    """Ten answers in both languages; the export before anybody graded is empty."""
    database = shown_commands(section(12))[0][2]
    assert saiten("annotate", "--db", database, "--export", "-").out == ""
    from saiten.annotation.store.progress import item_counts
    from saiten.annotation.store.project import open_project

    store = open_project(database, None)
    assert item_counts(store).total == 10
    store.close()


def test_an_earlier_demo_is_replaced_and_nothing_else(tmp_path):
    """Also one that was killed at any moment; links are removed, not followed."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "file").write_text("precious")
    with pytest.raises(BadInput, match="something else"):
        make_room(mine)
    with pytest.raises(BadInput, match="no folder"):
        make_room(mine / "file")
    with pytest.raises(ConfigurationError, match="cannot be made"):
        make_room(mine / "file" / "below")
    demo = tmp_path / "runs" / "demo"
    make_room(demo)
    (demo / "dialogues").mkdir()
    (demo / "samples.jsonl").write_text("{}")
    (demo / "link").symlink_to(mine)
    make_room(demo)
    assert len(list(demo.iterdir())) == 1
    assert (mine / "file").read_text() == "precious"


def test_an_empty_folder_is_taken(tmp_path):
    """Somebody made it for the purpose."""
    make_room(tmp_path)
    make_room(tmp_path)


def test_work_beside_is_waited_for(tmp_path):
    """The other process does it, and the function returns when it is done."""
    with beside(Path.mkdir, tmp_path / "made") as wait:
        wait()
        assert (tmp_path / "made").is_dir()


def test_work_beside_may_fail_without_a_word(tmp_path, capfd):
    """Whoever needs it does it again, and hears then what is wrong."""
    with beside(shutil.rmtree, tmp_path / "none") as wait:
        wait()
    assert capfd.readouterr() == ("", "")


def test_work_beside_ends_with_the_rest():
    """Left early, it does not go on for its ten minutes: pytest would end this test before."""
    with pytest.raises(KeyboardInterrupt), beside(time.sleep, 1_000):
        raise KeyboardInterrupt


def test_what_is_told_fits_the_screen_and_can_be_copied():
    """Numbers to the right, texts cut where they are too long, commands quoted and in one piece."""
    console = Console(file=StringIO(), width=40)
    table(("metric[x]", "n"), [("a", 1), ("b", 20)], console)
    line("name", "word " * 40, console, most=60)
    commands(console, ["show", "my run", "-m", "accuracy[grounded]", "x" * 60])
    said = console.file.getvalue()
    assert "a        1\n" in said
    assert "[x]" in said
    assert "…" in said
    *others, last = said.splitlines()
    assert max(map(len, others)) <= 40
    assert shlex.split(last) == ["saiten", "show", "my run", "-m", "accuracy[grounded]", "x" * 60]
