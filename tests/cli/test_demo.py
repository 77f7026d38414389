"""`saiten demo --all`: a tour of real commands; it shows what is known about the data, and what it replaces."""

import json
import re
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
import typer
from rich.console import Console

from saiten.cli import app
from saiten.cli.first_look import activation, not_found, say_what_next, shown
from saiten.cli.touring import excerpt, make_room, run_step
from saiten.demo.steps import STEPS, DemoStep
from saiten.dialogue.reading import read_dialogues
from saiten.errors import BadInput, ConfigurationError
from saiten.runs import read_run

pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.timeout(600)]

TITLES = (
    "Grade",
    "What does each metric see",
    "What is behind",
    "Can you trust the judge",
    "Probes",
    "Few labels",
    "What is missing",
    "Several aspects",
    "evidence",
    "A test set",
    "Dialogues",
    "Serial or parallel",
    "Let people grade",
    "Does this build pass",
    "The report",
)


@pytest.fixture
def section(toured, monkeypatch):
    """The text of a section by its number, in the demo's folder."""
    folder, said = toured
    monkeypatch.chdir(folder)
    parts = re.split(r"^\d+ · ", said, flags=re.MULTILINE)
    return lambda number: " ".join(parts[number].split())


def test_its_sections_come_in_order_and_it_ends_with_the_path_of_the_report(toured):
    """Each shows a command; the page has the runs of all of them."""
    folder, said = toured
    parts = re.split(r"^\d+ · ", said, flags=re.MULTILINE)[1:]
    assert [title in part.splitlines()[0] for title, part in zip(TITLES, parts, strict=True)] == [True] * len(TITLES)
    assert all("\n$ saiten " in part for part in parts)
    assert said.rstrip().endswith("runs/demo/report.html")
    page = (folder / "runs" / "demo" / "report.html").read_text(encoding="utf-8")
    for text in ("careful → hasty", "accuracy against latency: demo-ja", "known by construction"):
        assert text in page


def test_the_commands_shown_are_those_that_were_run_and_can_be_typed(toured):
    """They are what a shell would pass on, word for word; with the exit status unless it is 0."""
    _, said = toured
    shown = [shlex.split(each) for each in re.findall(r"^\$ saiten (.*)$", said, re.MULTILINE)]
    assert shown == [step.words(Path("runs/demo")) for step in STEPS]
    assert said.count("exit status 5") == sum(step.status == 5 for step in STEPS) == 2


def test_it_fits_on_a_few_screens_and_says_once_that_no_model_was_called(toured, capfd):
    """A newcomer reads it to the end; notes that many commands print are not repeated."""
    _, said = toured
    assert len(said.splitlines()) <= 280
    console, noted = Console(file=StringIO(), width=80), set()
    for _ in range(2):
        run_step(DemoStep("", "show x"), ["show", "x"], Command(0), console, noted)
    assert capfd.readouterr().err == "a note\n"


def test_what_is_simulated_or_known_is_never_said_to_be_peoples(section):
    """The data are made up, and the demo says so where it matters."""
    assert "Nobody labeled these answers" in section(4)
    assert "The grades are simulated" in section(8)
    assert "milliseconds of this machine" in section(12)


def test_the_estimate_holds_what_is_known(section, saiten):
    """The share of correct answers is known; 99 of 192 are not correct."""
    step = next(step for step in STEPS if step.command.startswith("estimate"))
    said = saiten(*step.words(Path("runs/demo")), "--format", "json")
    row = next(row for rows in json.loads(said.out).values() for row in rows if row.get("of") == "all")
    assert row["with the judge from"] < 93 / 192 < row["with the judge to"]
    assert f"{row['with the judge']:.3f}±" in section(6)
    assert "93 of the 192" in section(6)


def test_both_forms_talk_about_the_built_in_texts(section):
    """Each ends without a leak, with evidence."""
    assert "wscore" in section(11)
    for form in ("qa", "mqa"):
        found = list(read_dialogues(read_run(Path("runs/demo/dialogues", form))))
        assert len(found) == 48
        assert {dialogue.ended for dialogue in found} <= {"grade 5", "no question needed", "turn limit"}
        assert all(dialogue.evidence.passages for dialogue in found)
        assert sum(dialogue.leak.share or 0 for dialogue in found) == 0
        assert any(len(dialogue.history) > 1 for dialogue in found)


def test_a_project_for_annotators_is_ready(section, saiten):
    """It has ten answers in both languages; the export before any grading is empty."""
    assert "--prepare" in section(13)
    database = "runs/demo/people.correct.db"
    assert saiten("annotate", "--db", database, "--export", "-").out == ""
    from saiten.annotation.store.progress import item_counts
    from saiten.annotation.store.project import open_project

    store = open_project(database, None)
    assert item_counts(store).total == 10
    store.close()


@pytest.mark.parametrize(
    ("shell", "script", "typed"),
    [
        ("/bin/bash", "activate", "source .venv/bin/activate"),
        ("", "activate", "source .venv/bin/activate"),
        ("/usr/bin/fish", "activate.fish", "source .venv/bin/activate.fish"),
        ("/bin/tcsh", "activate.csh", "source .venv/bin/activate.csh"),
        ("", "activate.bat", ".venv/bin/activate"),  # on Windows, where the folder is Scripts
        ("/usr/bin/fish", "activate", None),
    ],
)
def test_it_says_how_to_activate_the_environment_in_the_users_shell(tmp_path, monkeypatch, shell, script, typed):
    """After `make demo` the program is in .venv, and its next command would not be found."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / script).write_text("")
    monkeypatch.chdir(tmp_path)
    assert activation(programs, {"SHELL": shell}) == typed


def test_it_says_so_only_where_the_shell_would_not_find_saiten(tmp_path, monkeypatch):
    """On the PATH, nothing is said; without a script, the commands name the program by its path."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    assert not_found(programs) is None  # a module run from its source: there is no program to name
    (programs / "saiten").write_text("#!/bin/sh\n")
    (programs / "saiten").chmod(0o755)
    assert not_found(programs) == programs / "saiten"
    assert shown(programs / "saiten") == ".venv/bin/saiten"
    monkeypatch.setenv("PATH", str(programs))
    assert not_found(programs) is None


def test_settings_in_the_folder_do_not_count(saiten, tmp_path, capsys):
    """The tour promises no key and no network, wherever it is run: even next to a file that names a model."""
    Path("saiten.toml").write_text('judge = "openai:gpt-4o-mini"\ncolumn = ["question=Q"]\n')
    Path("rows.jsonl").write_text('{"question": "q", "answer": "a", "contexts": ["a"]}\n')
    console, command = Console(file=StringIO(), width=80), typer.main.get_command(app)
    step = DemoStep("", "score rows.jsonl -m faithfulness -o run")
    run_step(step, step.words(Path()), command, console, set())
    assert read_run("run").manifest.settings["judge"] == "offline"
    assert saiten("score", "rows.jsonl", "-m", "faithfulness", "-o", "other").status == 2


@pytest.mark.parametrize("script", [True, False])
def test_the_commands_at_its_end_are_found_once_typed(tmp_path, monkeypatch, capsys, script):
    """A shell that runs the first lines finds the program of the last ones."""
    programs = tmp_path / "my env" / "bin"
    programs.mkdir(parents=True)
    (programs / "saiten").write_text("#!/bin/sh\necho found\n")
    (programs / "saiten").chmod(0o755)
    if script:
        (programs / "activate").write_text(f"PATH='{programs}':$PATH\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    say_what_next(Path("report.html"), Console(width=160, highlight=False))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    ran = subprocess.run(["/bin/bash", "-ec", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["found"] * 3, ran


def test_an_earlier_demo_is_replaced_and_nothing_else(tmp_path):
    """Also one that was killed at any moment; links are removed, not followed."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "file").write_text("precious")
    with pytest.raises(BadInput, match="something other"):
        make_room(mine)
    with pytest.raises(BadInput, match="not a folder"):
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


@pytest.mark.parametrize(
    ("blocks", "most", "shown", "left_out"),
    [
        (None, 9, "a\n\nb\nc\n\nd", 0),
        ((0,), 9, "a", 0),
        ((-1, 0), 9, "a\n\nd", 0),
        ((1, 9), 9, "b\nc", 0),
        ((1,), 1, "b", 1),
        ((), 9, "", 0),
    ],
)
def test_an_excerpt_has_the_first_lines_of_the_chosen_blocks_and_counts_what_it_cuts_off(blocks, most, shown, left_out):
    """A block that is not there is none."""
    assert excerpt("a\n\nb\nc\n\n\nd\n\n", blocks, most) == (shown, left_out)
    assert excerpt("", blocks, most) == ("", 0)


@pytest.mark.parametrize(("blocks", "shown"), [(None, "x\n────\n1\n\nx\n────\n2"), ((0,), "x\n────\n1"), ((5,), "")])
def test_a_table_is_found_by_its_title_however_many_parts_come_before(blocks, shown):
    """On a narrow terminal, tables have more parts; captions and other tables are left out."""
    text = (
        "First\n\na\n────\nb\n\n\x1b[1mThe table\x1b[0m\n\nx\n────\n1\n\nx\n────\n2\n\nCaption.\n\nNext\n\ny\n────\n3\n"
    )
    assert excerpt(text, blocks, 9, "The table") == (shown, 0)
    assert excerpt(text, blocks, 9, "No table") == ("", 0)


class Command:
    """A program that ends with a given status."""

    def __init__(self, end):
        self.end = end

    def main(self, words, **settings):
        print("figures")  # noqa: T201 - what a command does
        print("a note", file=sys.stderr)  # noqa: T201 - the same
        if isinstance(self.end, Exception):
            raise self.end
        return self.end


def test_an_unexpected_status_ends_the_tour_with_it(capsys):
    """Its output comes first; an expected status is shown."""
    console = Console(file=StringIO(), width=80)
    with pytest.raises(typer.Exit) as end:
        run_step(DemoStep("", "show x"), ["show", "x"], Command(5), console, set())
    assert end.value.exit_code == 5
    assert capsys.readouterr().out == "figures\n"
    run_step(DemoStep("", "show x", status=5), ["show", "my run"], Command(5), console, set())
    assert console.file.getvalue().splitlines()[-2:] == ["$ saiten show 'my run'", "exit status 5"]
    with pytest.raises(typer.Exit) as end:
        run_step(DemoStep("", "show x", status=5), ["show", "x"], Command(0), console, set())
    assert end.value.exit_code == 1


def test_a_package_that_is_not_installed_is_named_and_the_tour_goes_on():
    """A package is named only where a step may need it."""
    console = Console(file=StringIO(), width=80)
    missing = Command(ConfigurationError('pip install "saiten[annotate]"'))
    run_step(DemoStep("", "annotate x", optional=True), ["annotate"], missing, console, set())
    assert 'pip install "saiten[annotate]"' in console.file.getvalue()
    with pytest.raises(ConfigurationError):
        run_step(DemoStep("", "score x"), ["score"], missing, console, set())


@pytest.mark.parametrize("noted", [None, set()])
def test_notes_that_are_left_out_are_shown_if_the_command_fails(capsys, noted):
    """Nobody has to guess why a step of the short demo, or one that only prepares another, ended it."""
    console, step = Console(file=StringIO(), width=80), DemoStep("", "show x", notes=False)
    run_step(step, ["show", "x"], Command(0), console, noted)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("" if noted is None else "figures\n", "")
    with pytest.raises(typer.Exit):
        run_step(step, ["show", "x"], Command(3), console, noted)
    assert capsys.readouterr().err == "a note\n"
