"""Which language the terminal speaks: `--lang`, `SAITEN_LANG`, else the locale; what programs read stays English."""

import os
import subprocess
import sys

import pytest

from saiten.cli.language import take_language
from saiten.errors import ConfigurationError
from saiten.words.terminal import terminal_language

LOCALES = ("SAITEN_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture
def bare(monkeypatch):
    """No language in the environment."""
    for name in LOCALES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, "ja"),
        ({"LC_ALL": "", "LANG": "ja_JP.eucJP"}, "ja"),
        ({"SAITEN_LANG": "en", "LANG": "ja_JP.UTF-8"}, "en"),
        ({"SAITEN_LANG": "ja", "LC_ALL": "C"}, "ja"),
        ({"SAITEN_LANG": "", "LANG": "ja"}, "ja"),
    ],
)
def test_the_variable_comes_before_the_locale(environ, language):
    """And the locale's own order is that of gettext."""
    assert terminal_language(environ) == language


@pytest.mark.parametrize(
    ("arguments", "rest", "language"),
    [
        (["show", "run"], ["show", "run"], None),
        (["--lang", "ja", "show", "run"], ["show", "run"], "ja"),
        (["show", "--lang", "ja", "run"], ["show", "run"], "ja"),
        (["show", "run", "--lang=ja"], ["show", "run"], "ja"),
        (["show", "--lang", "JA"], ["show"], "ja"),
        (["--lang", "ja", "show", "--lang", "en"], ["show"], "en"),
        (["search", "--", "--lang", "fr"], ["search", "--", "--lang", "fr"], None),
        (["score", "--language", "ja"], ["score", "--language", "ja"], None),
        (["score", "--language=ja", "--langue"], ["score", "--language=ja", "--langue"], None),
        ([], [], None),
    ],
)
def test_the_option_is_taken_from_anywhere_in_the_command(bare, arguments, rest, language):
    """Before or after the command, up to `--`; `--language` is another option."""
    assert take_language(arguments) == rest
    assert os.environ.get("SAITEN_LANG") == language


@pytest.mark.parametrize("arguments", [["--lang", "fr"], ["--lang=", "show"], ["show", "--lang"], ["--lang", "--help"]])
def test_another_language_is_refused(bare, arguments):
    """The error names the two."""
    with pytest.raises(ConfigurationError, match="--lang takes ja or en, not "):
        take_language(arguments)


def test_a_variable_with_another_language_is_refused(bare, saiten):
    """Whoever set it wanted something; a locale of another language just means English."""
    bare.setenv("SAITEN_LANG", "日本語")
    said = saiten("--version")
    assert (said.status, said.err) == (2, "saiten: SAITEN_LANG takes ja or en, not '日本語'\n")
    bare.delenv("SAITEN_LANG")
    bare.setenv("LANG", "fr_FR.UTF-8")
    assert saiten("--version").status == 0


@pytest.mark.parametrize("form", ["json", "csv"])
def test_what_programs_read_is_the_same_in_both_languages(saiten, data, form):
    """Figures on standard output, and the files of the run."""
    data(3)
    assert saiten("score", "data.jsonl", "-m", "token_f1", "-o", "run", "--lang", "ja").status == 0
    japanese = saiten("show", "run", "--format", form, "--lang", "ja")
    english = saiten("show", "run", "--format", form, "--lang", "en")
    assert japanese.out == english.out
    assert "metric" in japanese.out


@pytest.mark.parametrize(
    ("form", "word"), [("table", "評価指標"), ("md", "評価指標"), ("latex", "評価指標"), ("html", '<html lang="ja"')]
)
def test_what_people_read_is_in_their_language(saiten, data, form, word):
    """Tables on the terminal and in documents."""
    data(3)
    assert saiten("score", "data.jsonl", "-m", "token_f1", "-o", "run").status == 0
    assert word in saiten("show", "run", "--format", form, "--lang", "ja").out
    assert word not in saiten("show", "run", "--format", form, "--lang", "en").out


def test_a_run_begun_in_japanese_is_resumed_in_english(saiten, data):
    """The language is no setting of the run: its files are the same."""
    data(3)
    assert saiten("score", "data.jsonl", "-m", "token_f1", "-o", "run", "--lang", "ja").status == 0
    again = saiten("score", "data.jsonl", "-m", "token_f1", "-o", "run", "--lang", "en")
    assert again.status == 0
    assert "already has 3 scores" in again.err


def test_names_and_answers_are_printed_verbatim(saiten, data):
    """Even if they are spelled like a text of saiten."""
    row = {
        "id": "the run has no scores yet",
        "question": "no answer",
        "answer": "the answer is empty",
        "reference": "not JSON: x",
    }
    data([row])
    assert saiten("score", "data.jsonl", "-m", "token_f1", "-o", "run", "--lang", "ja").status == 0
    said = saiten("show", "run", "--sample", row["id"], "--lang", "ja")
    for text in row.values():
        assert text in said.out
    assert row["id"] in saiten("show", "run", "--worst", "token_f1", "--lang", "ja").out


def test_the_shell_completes_the_option():
    """With its two languages, and the summaries of commands in the chosen one."""
    code = "from saiten.cli import main; main()"
    environ = os.environ | {"_SAITEN_COMPLETE": "complete_bash", "COMP_WORDS": "saiten --lang ", "COMP_CWORD": "2"}
    ran = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["ja", "en"]


def test_english_reads_no_catalog():
    """Whoever does not need Japanese waits for none of it."""
    code = (
        "import sys\nfrom saiten.cli import main\n"
        "for arguments in (['--help'], ['show', 'nowhere']):\n"
        "    try:\n        main(arguments)\n    except SystemExit:\n        pass\n"
        "print(*(name for name in sys.modules if name.startswith('babel')), file=sys.stderr)"
    )
    environ = os.environ | {"SAITEN_LANG": "en"}
    ran = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert "babel" not in ran.stderr
    assert "nowhere is no run of saiten" in ran.stderr
