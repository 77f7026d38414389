"""Habits of the shell: `-h`, completion with the Tab key, and `| head`."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from saiten.cli import COMMANDS

COMPLETED = 'COMP_WORDS=({}); COMP_CWORD={}; _saiten_completion saiten; printf "%s\\n" "${{COMPREPLY[@]}}"'
"""What bash does after the Tab key, and the values that it got."""


@pytest.fixture
def bash(tmp_path, monkeypatch):
    """`bash(SCRIPT)` in a home of its own where `saiten` is a program: the lines on standard output."""
    home, programs = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    program = programs / "saiten"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from saiten.cli import main; main()" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    def run(script):
        ended = subprocess.run(["/bin/bash", "--norc", "-c", f"{script}\ntrue"], capture_output=True, text=True, check=False)  # fmt: skip
        assert ended.stderr == ""
        return ended.stdout.splitlines()

    return run


def completed(bash, *typed):
    """What bash offers for the last of these words, once completion is there."""
    words = " ".join(map(shlex.quote, ["saiten", *typed]))
    return bash('eval "$(saiten --show-completion)"\n' + COMPLETED.format(words, len(typed)))


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS), ("tune", "mate"), ("prompts", "show")])
def test_h_is_help(saiten, words):
    """Of the overview, of each command and of commands below a command."""
    said = saiten(*words, "-h")
    assert (said.status, said.err) == (0, "")
    assert said.out == saiten(*words, "--help").out
    assert "-h" in said.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["s"], ["score", "show", "search"]),
        (["tune", ""], ["mate", "judge", "offline"]),
        (["score", "--fail-"], ["--fail-under", "--fail-over", "--fail-each"]),
        (["score", "--evidence", ""], ["none", "answer", "reference"]),
        (["show", "run", "--format", "h"], ["html"]),
        (["score", "-m", "faith"], ["faithfulness"]),
        (["score", "a.jsonl", "--metric", "length,token"], ["length,token_f1"]),
        (["metrics", "gi"], ["gist"]),
        (["score", "--judge", "of"], ["offline"]),
        (["score", "answers"], [""]),  # nothing of saiten's: the shell offers files
        (["no-such-command", ""], [*COMMANDS]),
    ],
)
def test_bash_completes(bash, typed, offered):
    """Commands, options, choices, metrics and judges; nothing is printed on the way, not even about mistakes."""
    assert completed(bash, *typed) == offered


def test_completion_is_installed_for_the_shell_that_asks(bash, tmp_path):
    """A later shell has it, since its startup file reads the script."""
    (told, _) = bash("saiten --install-completion")
    assert told == f"bash completion installed in {tmp_path}/home/.bash_completions/saiten.sh"
    assert bash("source ~/.bashrc\n" + COMPLETED.format("saiten drif", 1)) == ["drift"]


def test_a_help_is_one_line_for_shells_that_show_it():
    """A wrapped line would be another value for fish."""
    environ = os.environ | {"_SAITEN_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    environ |= {"_TYPER_COMPLETE_ARGS": "saiten score --", "COLUMNS": "40"}
    command = [sys.executable, "-c", "from saiten.cli import main; main()"]
    lines = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) > 40
    assert [line for line in lines if not line.startswith("--")] == []


@pytest.mark.parametrize(
    ("typed", "needless"),
    [
        ("saiten s", ["saiten.settings", "saiten.cli.score", "numpy"]),
        ("saiten score --", ["saiten.metrics", "numpy", "aiohttp"]),
        ("saiten score -m f", ["saiten.metrics.ragas", "saiten.judges", "scipy", "aiohttp"]),
    ],
)
def test_a_completion_loads_little(typed, needless):
    """Somebody waits for it: the overview loads no command, options no metric, names of metrics no metric's code."""
    environ = os.environ | {"_SAITEN_COMPLETE": "complete_bash", "COMP_WORDS": typed, "PYTHONPROFILEIMPORTTIME": "1"}
    environ["COMP_CWORD"] = str(len(typed.split()) - 1)
    command = [sys.executable, "-c", "from saiten.cli import main; main()"]
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert ended.stdout
    assert "saiten.cli" in loaded
    assert loaded.isdisjoint(needless)


SHOWN = [
    ("show", "DEMO/answers", "--sample", "en-m03-chatty"),
    ("show", "DEMO/gist", "--sample", "ja-g08"),
    ("show", "DEMO/dialogues/mqa"),
    ("show", "DEMO/dialogues/mqa", "--dialogue", "en-m02"),
    ("compare", "DEMO/answers", "DEMO/answers", "--systems", "careful,hasty"),
    ("meta-evaluate", "DEMO/answers", "DEMO/labels.jsonl", "--aspect", "faithful"),
    ("meta-evaluate", "DEMO/gist", "DEMO/gist-labels.jsonl", "--spans"),
    ("estimate", "DEMO/answers", "DEMO/few-labels.jsonl", "-m", "accuracy"),
    ("agreement", "DEMO/gist-labels.jsonl"),
    ("search", "inlet hose", "--kb", "DEMO/kb", "-k", "1"),
]
OUTPUTS = [
    *(("show", "DEMO/answers", "--format", form) for form in ("table", "json", "csv", "md", "latex", "html")),
    *((*words, "--format", form) for words in SHOWN for form in ("table", "json")),
    *((name, "--help") for name in COMMANDS),
    ("metrics",),
    ("metrics", "faithfulness"),
    ("prompts", "show", "split_statements"),
    ("score", "DEMO/samples.jsonl", "-m", "accuracy", "--dry-run"),
    ("annotate", "--db", "DEMO/people.correct.db", "--export", "-"),
    ("--version",),
    ("--show-completion",),
]
"""Every command that prints, in every form it has."""
PIPED = """
import json, os, sys
import saiten.cli.show_summary, saiten.cli.rehearse, saiten.trust.meta_evaluation.meta_evaluate
from saiten.cli import main
for words in json.load(sys.stdin):
    if (child := os.fork()) == 0:
        read, write = os.pipe()
        os.dup2(write, 1), os.close(write), os.close(read)
        main(words)
        os._exit(0)
    os.write(2, f"{words}: {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\\n".encode())
"""
"""Each command in a process whose standard output has no reader any more; forked, since a start takes a second."""


@pytest.mark.slow
@pytest.mark.xdist_group("demo")
@pytest.mark.timeout(600)
def test_no_command_minds_that_nobody_reads_its_output(toured):
    """`| head -1` ends none of them early or with an error, whatever it prints."""
    words = [[word.replace("DEMO", "runs/demo") for word in each] for each in OUTPUTS]
    environ = os.environ | {"SHELL": "/bin/bash"}
    ran = subprocess.run([sys.executable, "-c", PIPED], input=json.dumps(words), cwd=toured[0], env=environ, capture_output=True, text=True, check=True)  # fmt: skip
    said = ran.stderr
    assert [f"{each}: 0" for each in words if f"{each}: 0" not in said] == []
    assert "Traceback" not in said
    assert "roken" not in said
