"""The terminal in Japanese: what a user meets in a day has no English sentence left in it."""

import re
import shlex
from pathlib import Path

import orjson
import pytest

from saiten.cli import COMMANDS, main

ROWS = [
    {
        "id": f"q{n}/{system}",
        "question": f"会議室{n}は何人用ですか。",
        "answer": f"会議室{n}は{n + 4}人用です。予約が要ります。" if system == "a" else "分かりません。",
        "contexts": [f"会議室{n}は{n + 4}人用。", "予約は前日まで。"],
        "reference": f"{n + 4}人用です。",
        "system": system,
    }
    for n in range(6)
    for system in ("a", "b")
]
LABELS = [
    {"item": row["id"], "value": grade, "annotator": who, "aspect": "correct"}
    for who, shift in (("佐藤", 0), ("鈴木", 1))
    for at, row in enumerate(ROWS)
    for grade in [int((at + shift * (at % 5 == 0)) % 2 == 0)]
]

COMMAND_LINES = [
    # What is shown.
    "show run",
    "show run --sample q1/a",
    "show run --sample q1/b",
    "show run --worst faithfulness",
    "show run --labels labels.jsonl",
    "show run --format md",
    "show run --format latex",
    "show run --fail-under faithfulness=0.99 --fail-each system",
    "compare run run --systems a,b",
    "compare run other",
    "score answers.jsonl -m faithfulness -m token_f1 -m accuracy -m correctness -o run",
    "score answers.jsonl -m overlap -o new",
    "score answers.jsonl -m faithfulness --dry-run",
    "score broken.jsonl -m token_f1 -o new",
    "agreement labels.jsonl",
    "meta-evaluate run --labels labels.jsonl",
    "disagreements run labels.jsonl",
    "disagreements run labels.jsonl --yes-from 4 -n 1",
    "estimate run --labels labels.jsonl",
    "drift run other",
    "drift run other --labels labels.jsonl",
    "prompts",
    "prompts check paper-accuracy",
    "init answers.jsonl",
    "init",
    "describe answers.jsonl --labels labels.jsonl --documents documents",
    "describe answers.jsonl broken.jsonl --sample 3 --no-tokens",
    "metrics",
    "demo --list",
    "export run -o out.csv",
    "report run -o report.html",
    "index documents --kb kb",
    "search 会議室 --kb documents_kb",
    "questions documents -o testset --n 4",
    "questions --kb documents_kb -o testset --n 400",
    "questions documents -o testset --n 4 --judge openai:gpt-4o --dry-run",
    "testset check answers.jsonl",
    "testset check answers.jsonl --kb documents_kb -o again.jsonl",
    "testset worth answers.jsonl --kb documents_kb",
    "testset worth answers.jsonl run",
    "testset export answers.jsonl --as ragas -o ragas.jsonl",
    "answer answers.jsonl --system rag:documents_kb -o collected.jsonl",
    "answer answers.jsonl --system missing.py:f -o collected.jsonl",
    "converse answers.jsonl --system rag:documents_kb -o talks",
    "probe -m accuracy answers.jsonl -o probe --limit 2",
    "tune offline labels.jsonl --samples answers.jsonl",
    # What goes wrong.
    "--lang xx",
    "nothing",
    "shwo run",
    "score",
    "score answers.jsonl",
    "score answers.jsonl -m faithfullness",
    "score answers.jsonl -m faithfulness[figure=x]",
    "score answers.jsonl -m faithfulness --judge opneai:gpt-4o",
    "score answers.jsonl -m faithfulness --judge openai:gpt-4o -o new",
    "score answers.jsonl -m token_f1 --votes abc",
    "score answers.jsonl -m token_f1 --votes 0",
    "score answers.jsonl -m token_f1 --nope",
    "score answers.jsonl -m token_f1 --format pdf",
    "score answers.jsonl -m token_f1 --column answer",
    "score missing.jsonl -m token_f1",
    "score broken.jsonl -m token_f1 --strict -o new",
    "score empty.jsonl -m token_f1 -o new",
    "score answers.jsonl -m token_f1 -o run",
    "score answers.jsonl -m correctness[evidence=reference] -o new",
    "show",
    "show nowhere",
    "show run --sample nobody",
    "show run --worst bleu4",
    "show run --gist",
    "show run --fail-under faithfulness",
    "show run --junit x.xml",
    "compare run",
    "compare run run --systems a,c",
    "report nowhere -o report.html",
    "export run --as doc",
    "meta-evaluate run --labels answers.jsonl",
    "disagreements run labels.jsonl --system nobody",
    "disagreements run labels.jsonl -m nothing",
    "disagreements run labels.jsonl --spans --only judge-higher",
    "agreement missing.jsonl",
    "describe answers.jsonl --kb kb --documents documents",
    "describe answers.jsonl --label-column item=id",
    "describe empty.jsonl",
    "index nothing --kb kb",
    "questions -o testset",
    "questions nothing -o testset",
    "questions documents -o testset --kinds singel",
    "questions documents -o testset --kinds single=no",
    "questions documents -o testset --kinds across",
    "questions documents -o testset --difficulty tough",
    "questions documents -o testset --writer nli:model",
    "questions documents -o documents",
    "testset accept answers.jsonl labels.jsonl",
    "testset accept answers.jsonl missing.jsonl",
    "testset check missing.jsonl",
    "testset export answers.jsonl -o answers.pdf",
    "testset worth missing.jsonl run",
    "search 会議室 --kb nowhere",
    "prompts show nothing",
    "prompts check nowhere",
    "annotate",
    "join run -o new",
    "experiment missing.yaml",
    "tune judge labels.jsonl -o new",
]

QUOTED = re.compile(
    r"`[^`]*`|“[^”]*”|'[^']*'|\"[^\"]*\"|<[^>]*>|\[[^\]]*\]"  # code, quotations, types, settings
    r"|https?://\S+|\S*[/\\=]\S*|(?<![\w-])--?[a-z][\w-]*"  # addresses, paths, options
    r"|^ *(?:\$ |# )?saiten .*$|^.*(?:saiten|vllm|pip|python) [a-z-]+ .*$",  # commands
    re.MULTILINE,
)
SENTENCE = re.compile(r"(?:(?<![\w.·-])[a-z][a-z'’]* ){3,}[a-z][a-z'’]*(?![\w.-])")
"""Four words in a row, in lower case."""


def english(text):
    """What looks like an English sentence, without what is the same in all languages."""
    text = re.sub(r"[│╭╮╰╯─]", " ", text)
    return [found[0] for found in SENTENCE.finditer(QUOTED.sub(" · ", text))]


@pytest.fixture
def japanese(saiten, monkeypatch):
    """`saiten …` on a terminal in Japanese."""
    monkeypatch.setenv("SAITEN_LANG", "ja")
    monkeypatch.setenv("COLUMNS", "400")
    return saiten


def files():
    """The files of the commands: answers, two runs of them, labels, documents and a knowledge base."""
    lines = [orjson.dumps(row) for row in ROWS]
    Path("answers.jsonl").write_bytes(b"\n".join(lines))
    Path("broken.jsonl").write_bytes(b"\n".join([lines[0], b"{", b'{"id": 1}', lines[0], lines[1]]))
    Path("empty.jsonl").write_bytes(b"")
    Path("labels.jsonl").write_bytes(b"\n".join(map(orjson.dumps, LABELS)))
    Path("documents").mkdir()
    Path("documents/rooms.md").write_text("# 会議室\n\n会議室1は5人用。予約は前日まで。\n", encoding="utf-8")
    metrics = ("-m", "faithfulness", "-m", "token_f1", "-m", "accuracy", "-m", "correctness")
    for arguments in (
        ["score", "answers.jsonl", *metrics, "-o", "run"],
        ["score", "answers.jsonl", *metrics, "-o", "other"],
        ["index", "documents", "--kb", "documents_kb"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert not ended.value.code


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_a_command_says_nothing_in_english(japanese, once, line):
    """Its tables, notes, progress and errors, whether it succeeds or fails."""
    once(files)
    said = japanese(*shlex.split(line))
    assert english(said.out) + english(said.err) == []


@pytest.mark.parametrize("command", [*COMMANDS, "tune judge", "tune mate", "tune offline", "prompts show", ""])
def test_a_help_is_in_japanese(japanese, command):
    """Of every command: its description, its options, and the frames around them."""
    said = japanese(*command.split(), "--help")
    assert said.status == 0
    assert english(said.out) == []
    assert re.search("[ぁ-ん]", said.out)


def test_the_legend_of_marked_units_is_in_japanese(japanese, once):
    """It names the kinds of units as the page does."""
    once(files)
    assert japanese("score", "answers.jsonl", "-m", "gist", "-o", "units").status == 0
    said = japanese("show", "units", "--gist").out.replace("\xa0", " ")
    assert "不足（趣旨）" in said
    assert "missing gist" not in said
