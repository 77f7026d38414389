"""`saiten annotate --form approve` and `saiten testset accept`: from a test set to the approved one, and the open rest."""

import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the annotation page is an extra: pip install 'saiten[annotate]'")

from annotating import answer_all, decide

KINDS = ("single", "single", "comparison", "unanswerable", "follow_up", "single")
TEXTS = {
    "en": ("Question {}, by when?", "By day {}.", "It is due by day {}."),
    "ja": ("質問{}の期限はいつですか。", "{}日までです。", "期限は{}日までです。"),
}


def row(number, language="en"):
    """An item of a test set as `saiten questions` writes it."""
    question, reference, passage = (text.format(number) for text in TEXTS[language])
    history = {"history": [{"question": "Where?", "answer": "Here."}]} if KINDS[number] == "follow_up" else {}
    return {
        "id": f"q{number}", "question": question, "reference": reference, "language": language, "kind": KINDS[number],
        "passages": [{"text": passage, "source": "rules.md", "quotes": [[0, 5]]}], "made": {"by": "offline"}, **history,
    }  # fmt: skip


@pytest.fixture
def testset(somewhere):
    """`testset(rows)`: the folder of a test set."""

    def write(rows):
        Path("testset").mkdir(exist_ok=True)
        lines = [json.dumps(each, ensure_ascii=False) for each in rows]
        Path("testset/questions.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        return Path("testset")

    return write


def payload(decision, item, reason="", **texts):
    """What the page sends for an item."""
    content = item.content
    return {
        "decision": decision, "question": content["question"], "reference": content["reference"], "reason": reason,
        **texts,
    }  # fmt: skip


def aiko(item):
    """Approves q0, q2 and q4, edits q1 and q5, rejects q3."""
    if item.key in {"q1", "q5"}:
        return payload("edit", item, reference=f"{item.content['reference']} (edited)")
    return payload("reject", item, "not in the rules") if item.key == "q3" else payload("approve", item)


def ben(item):
    """Agrees, but rejects q2 and q4, and approves q5 as it is."""
    if item.key in {"q2", "q4"}:
        return payload("reject", item, "unnatural")
    return payload("approve", item) if item.key == "q5" else aiko(item)


def lines_of(path):
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_from_a_test_set_to_the_approved_one(saiten, testset, language):
    """Two people decide, the admin settles one item, and the rest goes into a second round that settles it."""
    folder = testset([row(number, language) for number in range(6)])
    people = ("--annotator", "Aiko", "--annotator", "Ben", "--prepare")
    made = saiten("annotate", folder, "--form", "approve", *people)
    assert (made.status, "6 items were added" in made.err) == (0, True), made
    answer_all("testset.approve.db", {"Aiko": aiko, "Ben": ben})
    question, reference, _ = TEXTS[language]
    settled = {"decision": "edit", "question": f"{question.format(2)} (settled)", "reference": reference.format(2)}
    decide("testset.approve.db", "q2", {**settled, "reason": "better"}, "better")
    assert saiten("annotate", "--db", "testset.approve.db", "--export", "first.jsonl").status == 0
    accept = ("testset", "accept", folder, "first.jsonl", "-o", "approved.jsonl", "--open", "open.jsonl")
    done = saiten(*accept, "--format", "json")
    assert done.status == 0, done
    tables = json.loads(done.out)
    by_kind = {each["kind"]: list(each.values())[1:] for each in tables["Decisions on the test set"]}
    assert by_kind == {
        "single passage": [3, 1, 1, 0, 1],
        "comparison": [1, 0, 1, 0, 0],
        "unanswerable": [1, 0, 0, 1, 0],
        "follow-up": [1, 0, 0, 0, 1],
        "all": [6, 1, 2, 1, 2],
    }
    assert tables["Open items"] == [{"why": "decisions differ", "items": 2, "examples": "q4, q5"}]
    assert "3 of 6 items accepted: approved.jsonl" in done.err
    approved = {each["id"]: each for each in lines_of("approved.jsonl")}
    assert list(approved) == ["q0", "q1", "q2"]
    assert approved["q1"]["reference"] == f"{reference.format(1)} (edited)"
    assert approved["q1"]["original"] == {"question": question.format(1), "reference": reference.format(1)}
    verdicts = [(each["by"], each["verdict"], each["adjudicated"]) for each in approved["q2"]["decisions"]]
    assert verdicts == [("Aiko", "approved", False), ("Ben", "rejected", False), ("admin", "edited", True)]
    assert all(each["at"] for item in approved.values() for each in item["decisions"])
    still = lines_of("open.jsonl")
    assert [each["open"] for each in still] == ["decisions differ: approved: Aiko; rejected: Ben",
                                                "decisions differ: approved: Ben; edited: Aiko"]  # fmt: skip
    before = Path("approved.jsonl").read_bytes(), Path("open.jsonl").read_bytes()
    assert saiten(*accept).status == 0
    assert saiten("testset", "accept", "approved.jsonl", "first.jsonl", "-o", "approved.jsonl").status == 0
    assert (Path("approved.jsonl").read_bytes(), Path("open.jsonl").read_bytes()) == before
    second_round(saiten, accept)


def second_round(saiten, accept):
    """The open items are decided again; both exports together settle everything."""
    made = saiten(
        "annotate", "open.jsonl", "--form", "approve", "--annotator", "Aiko", "--annotator", "Ben", "--prepare"
    )
    assert (made.status, "2 items were added" in made.err) == (0, True), made
    approving = {name: lambda item: payload("approve", item) for name in ("Aiko", "Ben")}
    answer_all("open.approve.db", approving)
    assert saiten("annotate", "--db", "open.approve.db", "--export", "second.jsonl").status == 0
    done = saiten(*accept[:4], "second.jsonl", *accept[4:])
    assert done.status == 0, done
    assert [each["id"] for each in lines_of("approved.jsonl")] == ["q0", "q1", "q2", "q4", "q5"]
    assert lines_of("open.jsonl") == []
    agreement = saiten("agreement", "first.jsonl", "--format", "json")
    assert agreement.status == 0, agreement
    assert (
        json.loads(agreement.out)["Labels"][0] | {"aspect": "approval", "items": 6, "labels": 12, "adjudicated": 1}
        == (json.loads(agreement.out)["Labels"][0])
    )


def test_decisions_on_a_question_that_has_changed_are_open(saiten, testset):
    """The test set was written anew after people decided: the changed item is listed, and people can decide again."""
    folder = testset([row(0), row(1)])
    assert (
        saiten("annotate", folder, "--form", "approve", "--annotator", "Aiko", "--per-item", "1", "--prepare").status
        == 0
    )
    answer_all("testset.approve.db", {"Aiko": lambda item: payload("approve", item)})
    assert saiten("annotate", "--db", "testset.approve.db", "--export", "labels.jsonl").status == 0
    testset([row(0), row(1) | {"reference": "By day 99."}])
    done = saiten("testset", "accept", folder, "labels.jsonl", "--open", "open.jsonl")
    assert done.status == 0, done
    assert "changed since the decision" in done.out
    assert [each["id"] for each in lines_of("approved.jsonl")] == ["q0"]
    (still,) = lines_of("open.jsonl")
    assert (still["reference"], still["open"]) == (
        "By day 99.",
        "question or reference have changed since the decision",
    )
    again = saiten("annotate", folder, "--form", "approve", "--prepare")
    assert again.status == 2
    assert "'q1' is already stored with other content" in again.err


def test_a_table_by_hand_decides_on_any_file_of_questions(saiten, data):
    """No page and no test set of saiten are needed: two CSV files; the result is a test set that `annotate` reads."""
    Path("questions.csv").write_text("id,question,reference\n1,Who?,Ben.\n2,When?,Monday.\n3,Why?,Because.\n", "utf-8")
    Path("hand.csv").write_text("item,decision,reference,annotator\n1,approve,,me\n2,edit,Tuesday.,me\n3,reject,,me\n")
    done = saiten("testset", "accept", "questions.csv", "hand.csv", "--format", "csv")
    assert done.status == 0, done
    assert "3,1,1,1,0" in done.out
    one, two = lines_of("approved.jsonl")
    assert (one["reference"], one["decisions"][0]["by"]) == ("Ben.", "me")
    assert (two["reference"], two["original"]["reference"]) == ("Tuesday.", "Monday.")
    assert saiten("annotate", "approved.jsonl", "--form", "approve", "--prepare").status == 0


@pytest.mark.parametrize(
    ("labels", "options", "said"),
    [
        ("item,decision\nq0,maybe\n", (), "labels.csv, row 2: the decision is 'maybe'; expected approve, edit, reject"),
        ("item,decision\nq0,edit\n", (), "labels.csv, row 2: the decision on 'q0' is edit, but question and reference"),
        ("item,value\nq0,1\n", (), "decision"),
        ("item,decision\nx1,approve\nx2,reject\n", (), "none of the 2 decisions is on an item of the test set"),
        ("item,decision\nq0,\n", (), "there is no decision in the labels"),
        (
            "item,decision\nq0,approve\n",
            ("-o", "testset/questions.jsonl"),
            "was not written by `saiten testset accept`",
        ),
        ("item,decision\nq0,approve\n", ("-o", "labels.csv"), "was not written by `saiten testset accept`"),
        ("item,decision\nq0,approve\n", ("-o", "a.jsonl", "--open", "a.jsonl"), "--out and --open are both a.jsonl"),
        ("item,decision\nq0,approve\n", ("-o", "none/a.jsonl"), "there is no folder none"),
    ],
)
def test_nothing_is_written_if_something_is_wrong(saiten, testset, labels, options, said):
    """The error names the file and the line, or what is missing, and no file is written or replaced."""
    folder = testset([row(0)])
    Path("labels.csv").write_text(labels, "utf-8")
    files = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    done = saiten("testset", "accept", folder, "labels.csv", *options)
    assert done.status == 2, done
    assert said in done.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == files


def test_decisions_on_unknown_items_are_reported(saiten, testset):
    """A label of an item that has left the set is no error, but not silent either."""
    Path("labels.csv").write_text("item,decision\nq0,approve\ngone,approve\n", "utf-8")
    done = saiten("testset", "accept", testset([row(0)]), "labels.csv")
    assert done.status == 0
    assert "1 decisions are on items that the test set lacks, such as 'gone'" in done.err


def test_the_tables_are_japanese_on_a_japanese_terminal(saiten, testset):
    """Kinds, columns and reasons are words of the catalogs."""
    Path("labels.csv").write_text("item,decision\nq0,採用\n", "utf-8")
    done = saiten("testset", "accept", testset([row(0), row(3)]), "labels.csv", "--lang", "ja")
    assert done.status == 0, done
    for word in ("テストセットの採否", "単一のパッセージ", "回答不能", "まだ誰も判断していない"):
        assert word in done.out
    assert "2 件のうち 1 件を採用しました" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--column", "question=q"), "--column is for files from elsewhere; testset is a test set of saiten"),
        (("--sample", "1"), "--sample is for files from elsewhere"),
        (("--language", "ja"), "--language is for files from elsewhere"),
    ],
)
def test_options_for_other_files_are_refused_for_a_test_set(saiten, testset, options, said):
    """An option that would change nothing is an error; --limit applies to all."""
    folder = testset([row(0), row(1)])
    refused = saiten("annotate", folder, "--form", "approve", "--prepare", *options)
    assert (refused.status, said in refused.err) == (2, True), refused
    limited = saiten("annotate", folder, "--form", "approve", "--prepare", "--limit", "1")
    assert "1 items were added" in limited.err


def test_rows_that_cannot_be_shown_are_skipped_and_reported(saiten, testset):
    """A broken item, a question without text, a repeated id: each with its place; --strict stops at the first."""
    rows = [row(0), row(1) | {"passages": "none"}, row(2) | {"question": " "}, row(0), row(3) | {"question": "\ud800"}]
    Path("testset").mkdir()
    Path("testset/questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    made = saiten("annotate", "testset", "--form", "approve", "--prepare")
    assert made.status == 0, made
    assert "1 items were added" in made.err
    for said in (
        "questions.jsonl:2: `passages`",
        "questions.jsonl:3: `question`",
        "another item has this id",
        "half of a",
    ):
        assert said in made.err
    strict = saiten("annotate", "testset", "--form", "approve", "--prepare", "--db", "other.db", "--strict")
    assert (strict.status, "questions.jsonl:2" in strict.err) == (2, True)


def test_a_folder_without_a_test_set_and_other_forms_are_explained(saiten, testset):
    """A wrong folder names the file that was expected; a form for answers says that there are none."""
    Path("empty").mkdir()
    wrong = saiten("annotate", "empty", "--form", "approve", "--prepare")
    assert (wrong.status, "expected questions.jsonl in it" in wrong.err) == (2, True), wrong
    grade = saiten("annotate", testset([row(0)]) / "questions.jsonl", "--form", "grade", "--prepare")
    assert grade.status == 2
    assert "it has no answer; collect answers with `saiten answer`" in grade.err
