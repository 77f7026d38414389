"""`saiten paper gist`: its tables with a judge whose marks are known, so that each figure can be computed by hand."""

import asyncio
import json
import signal
import subprocess
import sys
import time

import orjson
import pytest

from servers import Fault

TABLE_1 = "Table 1 · answers by number of empty combinations"
TABLE_2 = "Table 2 · precision, recall and F per combination, averaged over units"
PER_ANSWER = "Table 2 · precision, recall and F per combination, averaged over answers"
ROWS = (
    {
        "id": "s1",
        "question": "When do I return the key?",
        "answer": "Return it by Friday. Bring a pen.",
        "reference": "Return it by Friday. The desk is upstairs.",
    },
    {
        "id": "s2",
        "question": "支払いの方法は?",
        "answer": "払います。",
        "reference": "現金で払います。領収書が出ます。",
    },
)
UNITS = {
    "s1": {"gist": ["Return it by Friday."], "supplement": ["The desk is upstairs."]},
    "s2": {"gist": ["現金で払います。"], "supplement": ["領収書が出ます。"]},
}
BY_PEOPLE = {
    "s1": {**UNITS["s1"], "missing_supplement": ["The desk is upstairs."], "extra_supplement": ["Bring a pen."]},
    "s2": {**UNITS["s2"], "missing_gist": ["現金で"]},
}
BY_JUDGE = {
    "s1": {"missing_gist": [], "missing_supplement": [1], "extra_gist": ["Bring a pen."], "extra_supplement": []},
    "s2": {"missing_gist": [1], "missing_supplement": [], "extra_gist": [], "extra_supplement": []},
}
"""The judge takes the pen for gist, and marks the whole unit of which people marked three of eight characters."""
ASPECTS = ("gist", "supplement", "missing_gist", "missing_supplement", "extra_gist", "extra_supplement")


def labels(annotator="Aiko", aspects=ASPECTS, items=("s1", "s2")):
    """The labels of one person."""
    return [
        {
            "item": item,
            "annotator": annotator,
            "aspect": aspect,
            "spans": [_span(item, aspect, text) for text in BY_PEOPLE[item].get(aspect, ())],
        }
        for item in items
        for aspect in aspects
    ]


def _span(item, aspect, text):
    row = next(row for row in ROWS if row["id"] == item)
    start = row["answer" if aspect.startswith("extra") else "reference"].index(text)
    return {"text": text, "start": start, "end": start + len(text)}


@pytest.fixture
def folder(somewhere):
    """`folder(labels)`: the folder of data."""

    def write(marked=None, rows=ROWS):
        data = somewhere / "mine"
        data.mkdir(exist_ok=True)
        for name, of in {"answers": rows, "labels": marked}.items():
            if of is not None:
                (data / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in of))
        return data

    return write


@pytest.fixture
def judge(openai_server):
    """The address of the judge."""

    def reply(asked):
        item = "s1" if "the key" in asked.text else "s2"
        return orjson.dumps(UNITS[item] if "gist" in asked.schema["properties"] else BY_JUDGE[item]).decode()

    openai_server.reply = reply
    return f"openai:m@{openai_server.base_url}"


@pytest.fixture
def tables(saiten):
    """`tables(…)`: the tables of the design as JSON."""

    def run(*words):
        said = saiten("paper", "gist", *words, "--format", "json")
        assert said.status == 0, said
        return json.loads(said.out)

    return run


def counts(row):
    """The five counts of a row of table 1, and their sum."""
    return [*(row[f"{k} of 4 empty"] for k in range(5)), row["answers"]]


def figures(rows, split_by):
    """Combination → precision, recall and F of a setting."""
    return {row["aspect"]: (row["P"], row["R"], row["F"]) for row in rows if row["reference split by"] == split_by}


def test_each_table_has_the_figures_that_follow_from_the_marks(folder, judge, tables):
    """Table 1 for each side and both; table 2 for each setting, where people's units are never the judge's."""
    found = tables(folder(labels()), "--judge", judge)
    name = judge
    assert [(row["not marked by"], row["reference split by"], *counts(row)) for row in found[TABLE_1]] == [
        ("people (Aiko)", "people", 0, 0, 1, 1, 0, 2),
        (name, "people", 0, 0, 1, 1, 0, 2),
        (name, "judge", 0, 0, 1, 1, 0, 2),
        (f"people and {name}", "people", 0, 1, 0, 1, 0, 2),
        (f"people and {name}", "judge", 0, 1, 0, 1, 0, 2),
    ]
    for split_by in ("people", "judge"):
        assert figures(found[TABLE_2], split_by) == {
            "extra_gist": (0, None, None),
            "extra_supplement": (None, 0, None),
            "missing_gist": (3 / 8, 1, pytest.approx(6 / 11)),
            "missing_supplement": (1, 1, 1),
            "together": (pytest.approx(11 / 24), pytest.approx(2 / 3), pytest.approx(2 * 11 / 36 / (27 / 24))),
        }
    assert all(row["remarks"] for row in found[TABLE_2] if row["P"] is None or row["R"] is None)
    assert [row["aspect"] for row in found[PER_ANSWER]] == [row["aspect"] for row in found[TABLE_2]]


def test_figures_show_the_marks_of_each_side(folder, judge, tables):
    """One answer with something extra, one with something missing; `--sample` chooses another."""
    data = folder(labels())
    found = tables(data, "--judge", judge)
    (extra,) = [rows for title, rows in found.items() if title == "Figure 2 · an answer with extra units: s1"]
    assert [row["answer"].replace("\xa0", " ") for row in extra] == [
        "Return it by Friday. ⟨+S Bring a pen.⟩",
        "Return it by Friday. ⟦+G Bring a pen.⟧",
        "Return it by Friday. ⟦+G Bring a pen.⟧",
    ]
    found = tables(data, "--judge", judge, "--results", "--sample", "s2")
    rows = found["Figure 3 · an answer with missing units: s2"]
    assert [row["reference"].replace("\xa0", " ") for row in rows[1:]] == [
        "⟦-G 現金で払います。⟧⟨S 領収書が出ます。⟩"
    ] * 2


def test_the_page_has_the_units_in_color(folder, judge, saiten):
    """Marked cells are markup on a page, where texts from outside stay text."""
    rows = [{**ROWS[0], "answer": "<b>Return</b> it by Friday. Bring a pen."}, ROWS[1]]
    data = folder(rows=rows)
    shown = saiten("paper", "gist", data, "--judge", judge, "--format", "html")
    assert shown.status == 0, shown
    assert '<mark class="eg">Bring a pen.</mark>' in shown.out
    assert "&lt;b&gt;Return&lt;/b&gt;" in shown.out
    assert "mark.eg" in shown.out


def test_examples_begin_with_the_answer_that_differs_most(folder, judge, tables):
    """Per judge and setting, with the passages that only one side marked."""
    found = tables(folder(labels()), "--judge", judge)
    lists = [rows for title, rows in found.items() if title.startswith("Qualitative examples")]
    assert len(lists) == 2
    for rows in lists:
        assert [row["item"] for row in rows] == ["s1", "s2"]
        assert (rows[0]["only people"], rows[0]["only the judge"]) == (
            "extra_supplement: “Bring a pen.”",
            "extra_gist: “Bring a pen.”",
        )


def test_without_labels_the_judges_are_shown_alone(folder, judge, tables):
    """Two judges are two rows of table 1 and of each figure; nothing is compared."""
    found = tables(folder(), "--judge", judge, "--judge", "offline")
    assert [row["not marked by"] for row in found[TABLE_1]] == [judge, "offline"]
    assert [title.partition(" ·")[0] for title in found] == ["Table 1", "Figure 2", "Figure 3"]


@pytest.mark.parametrize(
    ("marked", "reason"),
    [
        (labels(aspects=ASPECTS[2:]), "no label marks the gist and supplement of the references"),
        (labels() + labels("Ben"), "several people split the references (Aiko, Ben); choose one with --annotator"),
    ],
    ids=["nobody", "several"],
)
def test_a_setting_without_units_of_people_has_the_reason(folder, tables, marked, reason):
    """The rows of the other setting are there; an annotator who is chosen settles whose units count."""
    found = tables(folder(marked))
    for rows in (found[TABLE_1], found[TABLE_2]):
        without = [row for row in rows if row["reference split by"] == "people" and row["remarks"] == reason]
        assert without
    assert all(value is not None for value in figures(found[TABLE_2], "judge")["missing_gist"])


def test_two_judges_are_compared_with_each_of_two_people(folder, judge, tables):
    """Each judge has its rows in every table; an answer counts once per person, who are rows of the figures."""
    found = tables(folder(labels() + labels("Ben", ASPECTS[2:])), "--judge", judge, "--judge", "offline")
    both = {judge, "offline"}
    assert [(row["not marked by"], row["answers"]) for row in found[TABLE_1]] == [
        ("people (Aiko, Ben)", 4),
        *((name, 2) for name in (judge, judge, "offline", "offline")),
        *((f"people and {name}", 4) for name in (judge, judge, "offline", "offline")),
    ]
    for title in (TABLE_2, PER_ANSWER):
        assert {(row["judge"], row["reference split by"]) for row in found[title]} == {
            (name, split_by) for name in both for split_by in ("people", "judge")
        }
        assert len(found[title]) == 20
    (figure,) = [rows for title, rows in found.items() if title.startswith("Figure 2")]
    assert [row["by"] for row in figure] == [
        "people (Aiko)", "people (Ben)", judge, judge, "offline", "offline"
    ]  # fmt: skip
    assert len([title for title in found if title.startswith("Qualitative examples")]) == 4


def test_labels_of_other_answers_do_not_count(folder, tables):
    """People's row of table 1 has the answers of the folder alone, whatever else they have marked."""
    found = tables(folder(labels(), rows=ROWS[:1]))
    assert {row["answers"] for row in found[TABLE_1]} == {1}


def test_columns_named_in_the_configuration_are_in_the_figures_too(folder, somewhere, tables):
    """As the commands read them."""
    data = folder(labels(), rows=[{("said" if key == "answer" else key): row[key] for key in row} for row in ROWS])
    (somewhere / "saiten.toml").write_text('column = ["answer=said"]\n')
    found = tables(data)
    figures = [rows for title, rows in found.items() if title.startswith("Figure")]
    assert len(figures) == 2
    assert all(row["reference"] and row["answer"] for rows in figures for row in rows)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_samples_begin_with_those_of_the_readers_language(saiten, somewhere, language):
    """The first ones are in the figures; there are as many of each language as ever."""
    assert saiten("--lang", language, "paper", "gist", "mine", "--samples").status == 0
    ids = [json.loads(line)["id"][:2] for line in (somewhere / "mine/answers.jsonl").read_bytes().splitlines()]
    assert ids == [language] * 24 + [{"en": "ja", "ja": "en"}[language]] * 24


def test_before_any_run_people_are_shown_alone(folder, judge, openai_server, somewhere, tables):
    """With `--results`: dashes and the reason for the judge, no call, and nothing is written."""
    found = tables(folder(labels()), "--judge", judge, "--results")
    people, *others = found[TABLE_1]
    assert counts(people) == [0, 0, 1, 1, 0, 2]
    assert {row["remarks"] for row in (*others, *found[TABLE_2])} == {"this command has not been run yet"}
    assert openai_server.requests == []
    assert not (somewhere / "runs").exists()


def test_an_annotator_can_be_chosen(folder, saiten, tables):
    """Only this one's labels count; somebody who is not there is an error before anything runs."""
    data = folder(labels() + labels("Ben"))
    refused = saiten("paper", "gist", data, "--annotator", "Carl", "-o", "other")
    assert (refused.status, "Aiko, Ben" in refused.err, "$ saiten" in refused.err) == (2, True, False)
    found = tables(data, "--annotator", "Ben")
    assert found[TABLE_1][0]["not marked by"] == "people (Ben)"
    assert found[TABLE_1][0]["answers"] == 2
    assert not any("several people" in row["remarks"] for row in (*found[TABLE_1], *found[TABLE_2]))


def test_a_combination_that_people_did_not_check_has_a_dash(folder, tables):
    """Its row says so; table 1 cannot count people's empty combinations, and says that."""
    found = tables(folder(labels(aspects=("gist", "supplement", "missing_gist", "missing_supplement"))))
    rows = {row["aspect"]: row for row in found[TABLE_2] if row["reference split by"] == "people"}
    assert (rows["extra_gist"]["P"], rows["extra_gist"]["remarks"]) == (None, "people did not check this combination")
    assert rows["missing_gist"]["n people"] == 1
    assert found[TABLE_1][0]["remarks"] == "no answer was checked for all four combinations"


def test_unusable_options_are_refused_before_anything_runs(folder, saiten):
    """An unknown sample and a missing file of examples: nothing has been called, and no folder made."""
    data = folder(labels())
    for words, said in ((("--sample", "s9"), "s9"), (("--examples", "none.toml"), "none.toml")):
        refused = saiten("paper", "gist", data, *words, "-o", "fresh")
        assert (refused.status, said in refused.err, "$ saiten" in refused.err) == (2, True, False), refused


def test_a_design_goes_on_where_it_stopped(folder, judge, openai_server, saiten, tables):
    """What the first command paid is not paid again after the second failed."""
    data, reply = folder(labels()), openai_server.reply
    openai_server.reply = lambda asked: Fault(400, "no") if "gist" in asked.schema["properties"] else reply(asked)
    first = saiten("paper", "gist", data, "--judge", judge, "-q")
    assert first.status != 2, first
    done = len(openai_server.requests)
    openai_server.reply = reply
    again = tables(data, "--judge", judge, "--retry-failed")
    del openai_server.requests[:done]
    assert len(without_probe(openai_server)) == 4  # both of the setting in which the judge splits
    assert len([row for row in again[TABLE_2] if row["reference split by"] == "judge"]) == 5


def test_the_dry_run_counts_the_calls_of_both_settings(folder, judge, openai_server, tables):
    """One call per answer with units of people, two with the judge's own; the run then sends as many."""
    data = folder(labels())
    (rows,) = tables(data, "--judge", judge, "--dry-run").values()
    assert [row["calls, at least"] for row in rows] == [row["calls, at most"] for row in rows] == [2, 4, 6]
    assert openai_server.requests == []
    tables(data, "--judge", judge)
    assert len(without_probe(openai_server)) == 6


def without_probe(server):
    """The requests of the design, without the first small call of a run."""
    return [one for one in server.requests if "ok" not in one.schema["properties"]]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_design_repeats_no_call_that_was_answered(folder, judge, openai_server, somewhere, tables):
    """SIGKILL during the second command: the first is not asked again, and the tables are those of a whole run."""
    data, reply = folder(labels()), openai_server.reply

    async def held(asked):
        while openai_server.reply is held and "gist" in asked.schema["properties"]:  # noqa: ASYNC110 - set in another thread
            await asyncio.sleep(0.005)
        return reply(asked)

    openai_server.reply = held
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "paper", "gist", data, "--judge", judge]
    running = subprocess.Popen(command, cwd=somewhere, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until = time.monotonic() + 120
    while not any("gist" in one.schema["properties"] for one in openai_server.requests):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < until
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    done = len(openai_server.requests)
    openai_server.reply = reply
    found = tables(data, "--judge", judge)
    del openai_server.requests[:done]
    assert len(without_probe(openai_server)) == 4
    assert found == tables(data, "--judge", judge, "-o", "other")
