"""show, compare, metrics, tune and the overview."""

import json
from pathlib import Path

import pytest

from saiten.cli import COMMANDS
from saiten.demo import load_demo
from servers import Fault

HOSTILE = "Fine.\x1b[2J\x1b[31m [red]x[/red] | \x9b1m\x07\x00 :smile:\nThe end."


@pytest.fixture
def scored(saiten, data, once):
    """A run over five samples and a malicious one."""
    rows = [
        {
            "id": f"s{n}",
            "question": f"q{n}?",
            "answer": f"{'yes ' * n}no",
            "reference": "yes no",
            "contexts": ["yes no"],
            "system": "ab"[n % 2],
        }
        for n in range(5)
    ]
    rows.append(
        {
            "id": "e\x1b[31mvil",
            "question": HOSTILE,
            "answer": HOSTILE,
            "reference": HOSTILE,
            "contexts": [HOSTILE],
            "system": "[blue]c",
        }
    )

    def make():
        assert saiten("score", data(rows), "-m", "token_f1", "-m", "faithfulness", "-o", "run").status == 0

    once(make)
    return "run"


@pytest.mark.parametrize(
    ("arguments", "form"),
    [
        *(((), form) for form in ("table", "json", "csv", "md")),
        *((("--sample", "e\x1b[31mvil"), form) for form in ("table", "json")),
        (("--worst", "faithfulness"), "table"),
    ],
)
def test_no_answer_can_touch_the_terminal(saiten, scored, arguments, form):
    """Whatever is shown of a run, neither ESC nor any other control character of an answer reaches the screen."""
    said = saiten("show", scored, *arguments, "--format", form)
    assert said.status == 0
    assert not {c for c in said.out + said.err if (ord(c) < 0x20 and c not in "\n\r") or 0x7F <= ord(c) < 0xA0}


def test_neither_can_it_in_messages(saiten, scored, data):
    """Errors and notes quote their input."""
    for said in (
        saiten("show", scored, "--sample", "no\x1b[2Jne"),
        saiten(
            "score",
            data(
                [{"id": "x\x1b[2J", "answer": {"a": "\x1b"}}, b"\x1b[31m", {"id": "x", "question": "q", "answer": "a"}]
            ),
            "-m",
            "length",
            "-o",
            "other",
        ),
        saiten("show", scored, "--worst", "x\x1by"),
        saiten("compare", scored, scored, "--systems", "x\x1by,z"),
    ):
        assert said.err
        assert not {c for c in said.out + said.err if ord(c) < 0x20 and c != "\n"}


def test_one_sample_is_shown_in_full(saiten, scored):
    """It shows texts, figures and verdicts; as JSON for programs; an unknown ID is an error with a hint."""
    text = saiten("show", scored, "--sample", "s1").out
    for part in ("q1?", "yes no", "faithfulness", "token_f1"):
        assert part in text
    found = json.loads(saiten("show", scored, "--sample", "s1", "--format", "json").out)
    assert found["sample"]["id"] == "s1"
    assert {score["metric"] for score in found["scores"]} == {"faithfulness", "token_f1"}
    said = saiten("show", scored, "--sample", "zz")
    assert said.status == 2
    assert "has no sample 'zz'" in said.err


def test_the_worst_come_first(saiten, scored):
    """The lowest values of a metric, as many as requested; a metric that is not in the run is an error."""
    rows = json.loads(saiten("show", scored, "--worst", "token_f1", "-n", "3", "--format", "json").out)[
        "Lowest token_f1"
    ]
    assert len(rows) == 3
    assert [row["value"] for row in rows] == sorted(row["value"] for row in rows)
    said = saiten("show", scored, "--worst", "chrf")
    assert said.status == 2
    assert "it has token_f1, faithfulness" in said.err


def test_a_run_does_not_differ_from_itself(saiten, scored):
    """Differences of zero, all equal, within the noise."""
    (rows,) = json.loads(saiten("compare", scored, scored, "--format", "json").out).values()
    assert [row["metric"] for row in rows] == ["token_f1", "faithfulness"]
    for row in rows:
        assert (row["difference"], row["higher"], row["lower"], row["one side only"]) == (0.0, 0, 0, 0)
        assert (row["equal"], row["n"], row["verdict"]) == (6, 6, "within the noise")


@pytest.mark.parametrize("form", ["table", "md", "html"])
@pytest.mark.parametrize("command", [("show",), ("compare",)])
def test_figures_of_the_offline_judge_come_with_a_word_on_it(saiten, scored, data, command, form):
    """Readers of a figure learn that words were compared and no model was called; without a judge there is no note."""
    runs = [scored] * (2 if command == ("compare",) else 1)
    said = saiten(*command, *runs, "--format", form)
    assert "No model was called" in " ".join(said.out.split())
    assert "No model was called" in said.err
    assert (
        saiten(
            "score",
            data([{"id": "a", "question": "q", "answer": "b", "reference": "b"}]),
            "-m",
            "token_f1",
            "-o",
            "words",
        ).status
        == 0
    )
    said = saiten(*command, *(["words"] * len(runs)), "--format", form)
    assert said.status == 0
    assert "No model" not in said.out + said.err


def test_compare_shows_the_bleu_of_each_data_set(saiten, data):
    """The BLEU of all answers together is shown next to the mean of their BLEU, with sacrebleu's signature."""
    for name, answer in (("one", "the plant in Osaka opened in May"), ("two", "a plant opened")):
        rows = [
            {
                "id": str(n),
                "question": f"q{n}",
                "answer": f"{answer} {n}",
                "reference": f"the plant in Osaka opened in June {n}",
            }
            for n in range(3)
        ]
        assert saiten("score", data(rows), "-m", "bleu4", "-o", name).status == 0
    tables = json.loads(saiten("compare", "one", "two", "--format", "json").out)
    rows = tables["BLEU of the whole data set"]
    assert [row["data"] for row in rows] == ["one", "two"]
    assert rows[0]["corpus BLEU"] > rows[1]["corpus BLEU"]
    shown = json.loads(saiten("show", "one", "--format", "json").out)["BLEU of the whole data set"]
    assert shown[0]["corpus BLEU"] == rows[0]["corpus BLEU"]
    assert "eff:no|tok:none|smooth:exp|version:" in saiten("show", "one").out


def test_runs_that_share_nothing_cannot_be_compared(saiten, scored, data):
    """They share neither samples nor metrics: the error says what each side has."""
    saiten(
        "score",
        data([{"id": "other", "question": "x", "answer": "yes", "reference": "yes"}]),
        "-m",
        "token_f1",
        "-o",
        "two",
    )
    said = saiten("compare", scored, "two")
    assert said.status == 2
    assert "samples are matched by id" in said.err
    saiten("score", data(2), "-m", "length", "-o", "three")
    said = saiten("compare", scored, "three")
    assert said.status == 2
    assert "there are token_f1, faithfulness and length" in said.err


def test_systems_are_compared_by_question(saiten, data):
    """Worked out by hand: 40 questions; the second system is right wherever the first is wrong in half of them."""
    rows = [
        {"id": f"{n}-{system}", "question": f"q{n}", "answer": "yes" if system == "good" or n % 2 else "not at all", "reference": "yes", "system": system}
        for n in range(40)
        for system in ("bad", "good")
    ]  # fmt: skip
    saiten("score", data(rows), "-m", "exact_match", "-m", "length", "-o", "run")
    (table,) = json.loads(saiten("compare", "run", "run", "--systems", "bad,good", "--format", "json").out).values()
    exact, length = table
    assert (exact["difference"], exact["higher"], exact["equal"], exact["lower"]) == (0.5, 20, 20, 0)
    assert exact["verdict"] == "better"
    assert exact["p"] < 0.01
    assert length["verdict"] == "differs"
    assert saiten("compare", "run", "run", "--systems", "bad,none").status == 2
    assert saiten("compare", "run", "run", "--systems", "bad").status == 2


def test_a_systems_several_answers_to_a_question_count_with_their_mean(saiten, data):
    """None of them is silently dropped."""
    rows = [
        {"id": f"{n}", "question": "q", "answer": answer, "reference": "yes", "system": system}
        for n, (system, answer) in enumerate([("a", "yes"), ("a", "no"), ("b", "yes"), ("b", "yes")])
    ]
    saiten("score", data(rows), "-m", "exact_match", "-o", "run")
    (table,) = json.loads(saiten("compare", "run", "run", "--systems", "a,b", "--format", "json").out).values()
    assert table[0]["difference"] == 0.5


def test_the_metrics_are_listed_and_explained(saiten):
    """The list says what each measures, needs and means, in both languages; one in full; presets."""
    first, *families = json.loads(saiten("metrics", "--format", "json").out).items()
    assert first[0] == "Which metric first?"
    tables = dict(families)
    names = [row["metric"] for rows in tables.values() for row in rows]
    assert {"faithfulness", "correctness", "token_f1", "context_overlap"} <= set(names)
    assert all(row["needs"] and row["measures"] and row["range"] for rows in tables.values() for row in rows)
    assert "Presets: ragas = " in saiten("metrics").out
    assert "根拠" in saiten("metrics", "--ja").out or "コンテキスト" in saiten("metrics", "--ja").out
    assert "Es et al. 2024" in saiten("metrics", "faithfulness").out
    assert "evidence" in saiten("metrics", "correctness[evidence=none]").out


@pytest.mark.parametrize("command", [*COMMANDS, "tune offline"])
def test_every_command_has_a_help_with_examples(saiten, command):
    """The help of a command has examples."""
    said = saiten(*command.split(), "--help")
    assert said.status == 0
    assert "Examples" in said.out
    assert f"saiten {command}" in said.out


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_the_overview_lists_every_command(saiten, arguments):
    """`saiten` alone shows the same."""
    said = saiten(*arguments)
    assert said.status == 0
    for name in COMMANDS:
        assert f"  {name} " in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_the_version_is_shown(saiten):
    """The version is one line."""
    from saiten import __version__

    assert saiten("--version").out == f"saiten {__version__}\n"


def test_the_offline_judge_is_tuned_with_labels_and_used(saiten, data, somewhere):
    """A calibration from labels of known facts is written, measured before and after, and named in the signatures."""
    demo = load_demo("en")[:60]
    rows = [
        {
            "id": one.sample.id,
            "question": one.sample.question,
            "answer": one.sample.answer,
            "contexts": one.sample.contexts,
        }
        for one in demo
    ]
    file = data(rows)
    (somewhere / "labels.csv").write_text(
        "item,value\n" + "".join(f"{one.sample.id},{int(one.faithful)}\n" for one in demo)
    )
    said = saiten("tune", "offline", "labels.csv", "--samples", file, "-o", "support.json")
    assert said.status == 0, said
    assert saiten("tune", "offline", "labels.csv", "--samples", file, "-o", "gone/x.json").status == 2
    assert "before" in said.out
    assert "after" in said.out
    said = saiten("score", file, "-m", "faithfulness", "--calibration", "support.json", "-o", "run", "--format", "json")
    assert said.status == 0
    signatures = json.loads(said.out)["How the figures were made"]
    assert "calibration:none" not in signatures[0]["signature"]
    plain = saiten("score", file, "-m", "faithfulness", "-o", "run")
    assert plain.status == 2
    assert "calibration" in plain.err


def test_a_mistyped_command_gets_the_nearest_one_suggested(saiten):
    """For a command that resembles none, the error lists them all."""
    said = saiten("scor", "data.jsonl")
    assert said.status == 2
    assert "did you mean `saiten score`?" in said.err
    assert "demo, init, describe, metrics, prompts, score" in saiten("xyz").err


def test_a_preset_is_explained(saiten):
    """The explanation lists its metrics."""
    assert "rouge_l" in saiten("metrics", "overlap").out


def test_a_sample_of_a_dialogue_leads_to_what_was_said(saiten):
    """A run of dialogues has no answer next to the question; the output says where to find it."""
    Path("qa.jsonl").write_text('{"id": "q1", "question": "Who?", "reference": "Me."}\n', "utf-8")
    Path("bot.py").write_text("def answer(question): return 'You.'\n", "utf-8")
    assert saiten("converse", "qa.jsonl", "--system", "bot.py:answer", "-o", "talk").status == 0
    assert "saiten show talk --dialogue q1" in saiten("show", "talk", "--sample", "q1").out


def answers(numbers, wrong=(), **more):
    """A row per question, without an id unless `more` has one, with the question's number or its place in ORDER."""
    return [
        {"question": f"How old is bridge {n}?", "answer": "old" if n in wrong else f"{n} years", "reference": f"{n} years"}
        | {key: value.format(n=n, place=ORDER.index(n)) for key, value in more.items()}
        for n in numbers
    ]  # fmt: skip


ORDER = [n * 7 % 50 for n in range(50)]
"""The numbers up to 50 in an order in which hardly any has its place."""


@pytest.fixture
def against(saiten, data):
    """`against(rows, others)`: the first row of their comparison, its caption, and standard error."""

    def compared(rows, others):
        for name, of in (("before", rows), ("after", others)):
            assert saiten("score", data(of), "-m", "exact_match", "-o", name).status == 0
        said = saiten("compare", "before", "after", "--format", "json")
        assert said.status == 0, said
        (table,) = json.loads(said.out).values()
        (caption,) = [line for line in saiten("compare", "before", "after", "--format", "md").out.splitlines() if line.startswith("Difference")]  # fmt: skip
        return table[0], caption, said.err

    return compared


@pytest.mark.parametrize(
    ("one", "other", "by"),
    [
        ({}, {}, "question, since there are no ids"),
        ({"id": "q{n}"}, {}, "question, since there are no ids"),
        ({"id": "q{n}"}, {"id": "q{n}"}, "id and question"),
        ({"id": "run-1-{n}"}, {"id": "run-2-{n}"}, "question, since the ids do not match"),
        ({"id": "{n}"}, {"id": "{place}"}, "question, since the ids do not match"),
        ({"system": "v1"}, {"system": "v2"}, "question, since there are no ids"),
        ({"group": "old"}, {"group": "new"}, "question, since there are no ids"),
    ],
)
def test_a_file_in_another_order_is_compared_question_by_question(against, one, other, by):
    """Whatever the IDs are or lack: 25 of 50 became right, and the caption says how the pairs were found."""
    row, caption, err = against(answers(range(50), range(0, 50, 2), **one), answers(ORDER, **other))
    assert (row["n"], row["of"], row["difference"], row["verdict"]) == (50, 50, 0.5, "better")
    assert f"Paired by {by}: 50." in caption
    assert "counterpart" not in caption + err


def test_one_question_in_several_groups_is_several_questions(against):
    """What product A costs is not what product B costs."""
    rows = [
        {"question": "What does it cost?", "answer": f"{n} yen", "reference": f"{n} yen", "group": f"p{n}"}
        for n in range(20)
    ]
    changed = [row | {"answer": "nothing"} if n < 10 else row for n, row in enumerate(rows)]
    row, caption, _ = against(rows, changed[::-1])
    assert (row["n"], row["difference"], row["lower"], row["equal"]) == (20, -0.5, 10, 10)
    assert "several answers" not in caption


def test_several_answers_to_a_question_without_ids_count_with_their_mean(against):
    """Nothing says which belongs to which; the output gives the number of such questions."""
    row, caption, _ = against(answers([*range(8), 0, 0, 1]), answers([1, *range(8)], wrong=(0, 1)))
    assert (row["n"], row["difference"]) == (8, -0.25)
    assert "Pairs with several answers on one side, which count as their mean: 2." in caption


def test_questions_that_are_mostly_alone_are_pointed_out(against):
    """On stderr and in the caption, with the numbers; a few are only in the caption."""
    _, caption, err = against(answers(range(30)), answers(range(20, 50)))
    message = "most answers of one side have no counterpart: 10 pairs from 30 in the first and 30 in the second"
    assert f"But {message}." in caption
    assert message in err
    assert "Without a counterpart: 20 in the first, 20 in the second." in caption


def test_a_few_that_are_alone_are_counted(against):
    """There is no warning."""
    _, caption, err = against(answers(range(30)), answers(range(2, 30)))
    assert "Without a counterpart: 2 in the first, 0 in the second." in caption
    assert "counterpart" not in err


def test_without_ids_and_questions_only_the_place_is_left(against):
    """The output says so, since another order would compare unrelated answers."""
    rows = [{"answer": f"{n}", "reference": f"{n}"} for n in range(8)]
    row, caption, err = against(rows, rows)
    assert (row["n"], row["difference"]) == (8, 0.0)
    assert "Paired by position in the file, since there are no ids or questions: 8." in caption
    assert "paired by position in the file" in err


def test_systems_in_two_runs_without_ids_are_not_mixed(against):
    """If both runs have the same systems, each is paired with itself."""
    rows = [row | {"system": name} for name in "ab" for row in answers(range(10))]
    other = [row | {"answer": "none"} if row["system"] == "b" else row for row in rows[::-1]]
    row, _, _ = against(rows, other)
    assert (row["n"], row["lower"], row["equal"]) == (20, 10, 10)


@pytest.mark.parametrize("name", ["score", "unreadable", "undefined", "answer", "converse", "probe", "experiment"])
def test_a_command_that_came_to_nothing_does_not_end_with_0(saiten, data, openai_server, somewhere, name):
    """If every score, question or dialogue failed, status 6 and a sentence; with values, 0."""
    rows = [{"id": f"q{n}", "question": f"Part {n}?", "answer": "a", "reference": f"Part {n} turns."} for n in range(3)]
    file, judge = data(rows), f"openai:m@{openai_server.base_url}"
    (somewhere / "grid.yaml").write_text(
        f"data:\n  - answers: data.jsonl\nmetrics: [accuracy]\njudge: {{name: {json.dumps(judge)}}}\n"
    )
    judged = ("--judge", judge, "-o", "run", "--retries", 0)
    command = {
        "score": ("score", file, "-m", "accuracy", *judged),
        "unreadable": ("score", file, "-m", "accuracy", *judged),
        "undefined": ("score", file, "-m", "context_recall", "-o", "run"),
        "answer": ("answer", file, "-s", judge, "-o", "a.jsonl", "--retries", 0),
        "converse": ("converse", file, "-s", "python:json:dumps", *judged),
        "probe": ("probe", file, "-m", "accuracy", "--probes", "padded", *judged),
        "experiment": ("experiment", "grid.yaml", "--retries", 0),
    }[name]
    bad = "I cannot say." if name == "unreadable" else Fault(500)
    openai_server.reply = lambda asked: None if '{"ok": true}' in str(asked.body) else bad
    said = saiten(*command)
    assert said.status == 6, said
    assert "nothing was" in said.err
    openai_server.reply = lambda _: None
    if name in ("score", "answer", "probe"):
        assert saiten(*command, "--retry-failed").status == 0
    if name == "score":
        assert saiten("show", "run").status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "run", "--format", "json"),
        ("show", "run", "--worst", "token_f1", "-n", 300),
        ("--help",),
        ("score", "data.jsonl", "-m", "token_f1", "-o", "other"),
    ],
)
def test_a_reader_who_has_enough_causes_no_error(saiten, process, data, arguments):
    """`saiten … | head`: nothing about it on standard error, and the command's usual status."""
    rows = [{"id": f"sample-{n}", "answer": "a b", "reference": "a b c", "system": f"s{n % 90}"} for n in range(300)]
    saiten("score", data(rows), "-m", "token_f1", "-o", "run")
    running = process(*arguments)
    running.stdout.close()
    assert running.wait(60) == 0
    err = running.stderr.read()
    assert b"Traceback" not in err
    assert b"roken" not in err


def test_a_reader_who_has_enough_changes_no_verdict(saiten, process, data):
    """A missed threshold is missed even if nobody reads the output."""
    saiten("score", data([{"answer": "a b", "reference": "a"}]), "-m", "token_f1", "-o", "run")
    running = process("show", "run", "--fail-under", "token_f1=1")
    running.stdout.close()
    running.stderr.close()
    assert running.wait(60) == 5
