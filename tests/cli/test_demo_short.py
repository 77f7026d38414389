"""`saiten demo` by itself: a table, a finding that is true, a report; and its sections on request."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from saiten.cli.touring import DemoFolder
from saiten.demo import load_demo
from saiten.demo.files import write_files
from saiten.demo.steps import LEAD, SECTIONS, chosen_sections, needed_first
from saiten.errors import BadInput
from saiten.runs import read_run

SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]
pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """What it prints on 80 columns, and its folder; run once."""
    folder = tmp_path_factory.mktemp("short")
    ran = subprocess.run(
        [*SAITEN, "demo"], cwd=folder, env=os.environ | {"COLUMNS": "80"}, capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return folder, ran.stdout.decode(), ran.stderr.decode()


def test_it_fits_on_one_screen(short):
    """Thirty-five lines of 80 columns, where only commands are longer; notes of the commands are left out."""
    _, said, errors = short
    lines = said.splitlines()
    assert len(lines) <= 35
    assert [
        line for line in lines if len(line) > 80 and not line.lstrip().startswith(("$ saiten", "saiten", "source"))
    ] == []
    assert errors == ""


def test_its_commands_are_those_that_were_run(short):
    """They can be typed."""
    shown = [shlex.split(each) for each in re.findall(r"^\$ saiten (.*)$", short[1], re.MULTILINE)]
    assert shown == [step.words(Path("runs/demo")) for step in LEAD]


def test_the_table_has_four_systems_with_intervals(short):
    """One row each, with the metric that the finding is about first."""
    rows = re.findall(r"^(broken|careful|chatty|hasty) +(\d\.\d{3}) \[\d\.\d{3}, \d\.\d{3}\]", short[1], re.MULTILINE)
    assert [system for system, _ in rows] == ["broken", "careful", "chatty", "hasty"]


def test_in_japanese_it_shows_the_same_table_and_writes_a_japanese_report(short, tmp_path):
    """The table is found by its title in the terminal's language, and the report follows the terminal."""
    environ = os.environ | {"COLUMNS": "120", "SAITEN_LANG": "ja"}
    ran = subprocess.run([*SAITEN, "demo"], cwd=tmp_path, env=environ, capture_output=True, check=True)
    said = ran.stdout.decode()
    rows = re.compile(r"^(broken|careful|chatty|hasty) +(\d\.\d{3})", re.MULTILINE)
    assert rows.findall(said) == rows.findall(short[1])
    assert "careful は chatty より優れています" in said
    assert '<html lang="ja">' in (tmp_path / "runs/demo/report.html").read_text("utf-8")[:200]


def test_the_finding_repeats_the_test_and_counts_what_was_declined(short, saiten, monkeypatch):
    """The difference, its interval and p are those of the command shown; the declined answers those of the run."""
    monkeypatch.chdir(short[0])
    text = " ".join(short[1].split())
    (table,) = json.loads(saiten(*LEAD[1].words(Path("runs/demo")), "--format", "json").out).values()
    row = next(row for row in table if row["metric"] == "accuracy[grounded]")
    assert row["verdict"] == "better"
    assert f"{row['difference']:.3f} higher (95 % interval {row['95 % from']:.3f} to {row['to']:.3f}" in text
    assert f"p {row['p']:.3f}, {row['n']} questions)" in text
    counts = {}
    for scored in read_run(Path("runs/demo/systems")).scores():
        if scored.metric == "correctness" and scored.score.status == "declined":
            system = scored.sample.rpartition("-")[2]
            counts[system] = counts.get(system, 0) + 1
    assert f"careful {counts['careful']}, chatty {counts.get('chatty', 0)}." in text


def test_the_finding_is_true_by_construction(short):
    """The metric orders all four systems as they were written, and the interval holds the true difference."""
    text = " ".join(short[1].split())
    true = {}
    for one in load_demo():
        true[one.sample.system] = true.get(one.sample.system, 0) + (one.correct and one.faithful)
    order = sorted(true, key=true.get, reverse=True)
    assert ", ".join(f"{system} {true[system]}" for system in order) in text
    measured = {system: float(mean) for system, mean in re.findall(r"^(\w+) +(\d\.\d{3}) \[", short[1], re.MULTILINE)}
    assert sorted(measured, key=measured.get, reverse=True) == order
    low, high = map(float, re.search(r"interval (\S+) to (\S+),", text).groups())
    assert low < (true["careful"] - true["chatty"]) / 48 < high
    assert f"is {(true['careful'] - true['chatty']) / 48:.3f}." in text


def test_it_says_what_the_judge_is_where_it_fails_and_what_to_type_next(short):
    """The section named is the one about trust; the report is there; three commands are for one's own data."""
    folder, said, _ = short
    text = " ".join(said.split())
    number = next(section.number for section in SECTIONS if section.name == "trust")
    assert f"only compares words, numbers and names; it understands nothing. `saiten demo {number}` shows where" in text
    assert "`saiten demo --list`" in text
    assert len(re.findall(r"^  (?:\S*saiten) (?:init|score) my.csv", said, re.MULTILINE)) == 3
    page = (folder / "runs" / "demo" / "report.html").read_text("utf-8")
    assert "known by construction" in page
    assert said.rstrip().endswith("runs/demo/report.html")


def test_the_sections_are_listed_with_one_line_each(saiten):
    """By number, name and title, without making anything."""
    lines = saiten("demo", "--list").out.splitlines()
    for section, line in zip(SECTIONS, lines, strict=False):
        assert line.split(maxsplit=2) == [str(section.number), section.name, section.title]
    assert not Path("runs").exists()


def test_a_section_alone_makes_what_it_needs_once(saiten, short, monkeypatch):
    """What is missing is announced and made; the second time it is there; the report of the short demo stays."""
    report = short[0] / "runs" / "demo" / "report.html"
    monkeypatch.chdir(short[0])
    before = report.read_bytes()
    said = saiten("demo", "estimate").out
    assert re.search(r"^6 · Few labels", said, re.MULTILINE)
    assert said.count("first: saiten score") == 1
    assert "with the judge" in said
    again = saiten("demo", "6", "4")
    assert "first: " not in again.out
    assert [int(number) for number in re.findall(r"^(\d+) · ", again.out, re.MULTILINE)] == [4, 6]
    assert report.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["16"], "no section '16', only 1 to 15"),
        (["0"], "no section '0'"),
        (["dialoges"], "did you mean dialogues?"),
        (["4", "--all"], "--all shows all sections"),
    ],
)
def test_what_is_no_section_is_refused_before_anything_is_made(saiten, words, said):
    """The error names what there is."""
    answer = saiten("demo", *words)
    assert answer.status == 2
    assert said in answer.err
    assert not Path("runs").exists()


def test_sections_are_shown_in_order_and_once():
    """By number or name, in any order and case."""
    assert [one.number for one in chosen_sections(["gist", "4", "7", "Trust"])] == [4, 7]
    assert len({section.name for section in SECTIONS}) == len(SECTIONS) == 15


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_every_section_finds_what_it_reads(section, tmp_path):
    """Everything that a section or a step before it reads is one of the demo's files or was made by then."""
    write_files(tmp_path)
    there = {f"DEMO/{path.name}" for path in tmp_path.iterdir()}
    for step in (*needed_first(section), *section.steps):
        assert {path for path in step.reads if path not in there} == set(), step.command
        there |= {step.makes}


def test_another_version_or_a_killed_demo_begins_anew_and_another_folder_is_left_alone(tmp_path):
    """What an older saiten made may differ; what was cut off is not there."""
    demo = tmp_path / "demo"
    step = SECTIONS[0].steps[0]
    folder = DemoFolder.new(demo)
    (demo / "answers").mkdir()
    folder.end(step)
    assert DemoFolder.kept(demo).has(step)
    mark = demo / "made-by-saiten-demo"
    text = mark.read_text()
    mark.write_text(text.replace(text.splitlines()[1], "0.0.1"))
    assert not DemoFolder.kept(demo).has(step)
    assert not (demo / "answers").exists()
    (demo / "answers").mkdir()
    folder = DemoFolder.kept(demo)
    folder.end(step)
    folder.start(step)
    assert not DemoFolder.kept(demo).has(step)
    assert not (demo / "answers").exists()
    mark.write_text("The next `saiten demo` replaces this folder.\n")
    assert not DemoFolder.kept(demo).has(step)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("precious")
    with pytest.raises(BadInput, match="something other"):
        DemoFolder.kept(tmp_path / "mine")
    assert (tmp_path / "mine" / "file").read_text() == "precious"
