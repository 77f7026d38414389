"""`saiten score -m "criterion[…]"` with a model behind a real HTTP server, and what is done with such a run."""

import json
import tomllib
from pathlib import Path

import pytest

from saiten.annotation.prelabels import read_prelabels
from saiten.results.verdict import higher_is_better
from saiten.runs import read_run

POLITE, CITED = "criterion[polite and brief]", "criterion[根拠を示しているか,scale=yes/no]"
TYPED = ("-m", "criterion[polite and brief, 1 to 5]", "-m", "criterion[根拠を示しているか, yes/no]")


def asks_in(text):
    """The criterion that a message asks about."""
    return text.partition("<asks>\n")[2].partition("\n</asks>")[0]


@pytest.fixture
def judged(saiten, openai_server, somewhere):
    """A run over one English and one Japanese sample."""

    def reply(asked):
        grade = {"polite and brief": 2 + asked.body["seed"], "根拠を示しているか": 1}.get(asks_in(asked.text))
        return None if grade is None else json.dumps({"reason": "r", "grade": grade})

    openai_server.reply = reply
    rows = [
        {"id": "en", "question": "May I park here?", "answer": "You may, from nine to five."},
        {"id": "ja", "question": "ここに停めてもよいですか。", "answer": "九時から五時までなら停められます。"},
    ]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    judge = f"openai:m@{openai_server.base_url}"
    return lambda *more: saiten("score", "d.jsonl", "--judge", judge, "-o", "run", *more)


def test_two_criteria_are_two_metrics_in_one_run(judged, openai_server, saiten):
    """One call for each sample and criterion; names, values, grade counts and direction are those of the criteria."""
    said = judged(*TYPED)
    assert said.status == 0, said.err
    found = {(one.sample, one.metric): one.score.value for one in read_run(Path("run")).scores()}
    assert found == {(sample, metric): value for sample in ("en", "ja") for metric, value in [(POLITE, 3), (CITED, 1)]}
    assert sum(bool(asks_in(one.text)) for one in openai_server.requests) == 4
    tables = json.loads(saiten("show", "run", "--format", "json").out)
    assert {row["aspect"]: row["grade: answers"] for row in tables["Grades by aspect"]} == {
        POLITE: "3: 2",
        CITED: "1: 2",
    }
    before = len(openai_server.requests)
    assert judged(*TYPED).status == 0
    assert len(openai_server.requests) == before


def test_the_prompt_is_in_the_samples_language(judged, openai_server):
    """The words of the criterion are the same in both."""
    assert judged(*TYPED).status == 0
    asked = [one for one in openai_server.requests if asks_in(one.text) == "polite and brief"]
    for one in asked:
        japanese = "停めて" in one.text
        assert ("<タグ>" in one.body["messages"][0]["content"]) == japanese
        assert ("5: 基準を完全に満たしている" in one.text) == japanese


def test_votes_and_thresholds(judged):
    """The mean of three votes, and a threshold by the name as it was typed."""
    said = judged("--votes", "3", *TYPED[:2], "--fail-under", "criterion[polite and brief, 1 to 5]=4.5")
    assert said.status == 5, said.err
    score = next(iter(read_run(Path("run")).scores())).score
    assert (score.value, score.votes) == (4.0, (3.0, 4.0, 5.0))
    assert judged("--votes", "3", *TYPED[:2], "--fail-under", "criterion=4").status == 0
    assert "range" in judged("--votes", "3", *TYPED[:2], "--fail-under", "criterion=7").err


def test_saiten_toml_and_dry_run(judged, openai_server):
    """The metrics of the file; a rehearsal counts a call per sample and vote, and sends nothing."""
    Path("saiten.toml").write_text(f'metrics = ["{TYPED[1]}", "{TYPED[3]}"]\nvotes = 2\n', "utf-8")
    said = judged("--dry-run", "--format", "json")
    assert said.status == 0, said.err
    (rows,) = (table for title, table in json.loads(said.out).items() if "would take" in title)
    assert {row["metric"]: row["calls"] for row in rows} == {POLITE: 4, CITED: 4, "all": 8}
    assert openai_server.requests == []


def test_offline_it_is_undefined_with_the_reason(saiten, judged):
    """No value is invented."""
    assert saiten("score", "d.jsonl", "-o", "offline", *TYPED[:2]).status == 6
    score = next(iter(read_run(Path("offline")).scores())).score
    assert score.status == "undefined"
    assert "polite and brief" in score.reason


def test_people_are_compared_with_the_criterion_that_their_labels_name(judged, saiten):
    """Labels called like the criterion are on its scale, so that bias is reported."""
    rows = [{"id": f"a{n}", "question": f"Q{n}?", "answer": f"A{n}."} for n in range(12)]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert judged(*TYPED[:2]).status == 0
    labels = [{"item": f"a{n}", "annotator": "p", "aspect": "polite and brief", "value": 2 + n % 3} for n in range(12)]
    Path("l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), "utf-8")
    said = saiten("meta-evaluate", "run", "l.jsonl", "--format", "json")
    assert said.status == 0, said.err
    (bias,) = json.loads(said.out)["Bias by aspect"]
    assert (bias["aspect"], bias["metric"], bias["judge - people"]) == ("polite and brief", POLITE, 0)


def test_a_mistake_in_a_file_ends_the_command_before_anything_is_sent(judged, openai_server):
    """The error names file and line."""
    Path("polite.txt").write_text("Polite?\n9: saintly\n", "utf-8")
    said = judged("-m", "criterion[polite.txt]")
    assert said.status == 2
    assert "polite.txt, line 2: the grade 9 is not on the scale 1 to 5" in said.err.replace("\n", " ")
    assert openai_server.requests == []


def test_a_run_is_shown_without_its_file(judged, saiten):
    """Scores and direction are kept; only the scale is no longer known."""
    Path("polite.txt").write_text("polite and brief\nbest: 1\n5: saintly\n", "utf-8")
    assert judged("-m", "criterion[polite.txt]").status == 0
    Path("polite.txt").unlink()
    assert higher_is_better("criterion[polite.txt]", read_run(Path("run")).manifest.signatures) is False
    shown = saiten("show", "run", "--format", "json")
    assert shown.status == 0, shown.err
    assert "criterion[polite.txt]" in shown.out
    assert "polite.txt" in judged("-m", "criterion[polite.txt]").err


def test_a_criterion_explains_an_overall_grade_and_proposes_labels(judged, saiten, openai_server):
    """`tune mate` weights a criterion from a file by the file's name; `--prelabels` offers the grades of both."""
    Path("polite.txt").write_text("polite and brief\n", "utf-8")
    openai_server.reply = lambda asked: (
        json.dumps({"reason": "r", "grade": 1 + int(asked.text.rpartition("Q")[2].partition("?")[0]) % 5})
        if asks_in(asked.text)
        else None
    )
    rows = [{"id": f"a{n}", "question": f"Q{n}?", "answer": f"A{n}."} for n in range(40)]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert judged(*TYPED[:2], "-m", "criterion[polite.txt]").status == 0
    labels = [{"item": f"a{n}", "annotator": "p", "aspect": "overall", "value": 2 * (1 + n % 5)} for n in range(40)]
    Path("l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), "utf-8")
    said = saiten("tune", "mate", "l.jsonl", "run", "--values", "--target", "overall", "-a", "polite", "-o", "w.toml")
    assert said.status == 0, said.err
    (weighted,) = tomllib.loads(Path("w.toml").read_text("utf-8"))["aspects"]
    assert (weighted["name"], round(weighted["weight"], 6)) == ("polite", 2)
    proposed = read_prelabels(Path("run"), notify=pytest.fail).labels["a3"]
    assert {(label.aspect, label.value) for label in proposed} == {("polite", 4.0), ("polite and brief", 4.0)}
