"""Files of decisions: exports and tables written by hand, what is wrong with them, and what may be replaced."""

import json

import pytest

from saiten.errors import BadInput, ConfigurationError
from saiten.testsets.people.decision_files import check_replaceable, read_decisions, write_items
from saiten.testsets.people.decisions import SetDecision


def read(path, text, **columns):
    """The decisions of a file with this text, and the notes."""
    path.write_text(text, "utf-8")
    notes = []
    return list(read_decisions(path, columns=columns, notify=notes.append)), notes


def test_an_exported_row_is_read_with_all_it_carries(tmp_path):
    """Who, when, which texts were left, which were seen, and whether it was flagged or settles others."""
    row = {
        "item": "q1", "aspect": "approval", "value": 1, "decision": "edit", "question": "いつ?", "reference": "10日。",
        "answer_digest": "0123456789abcdef", "annotator": "愛子", "adjudicated": False, "reason": "r", "unclear": True,
        "seconds": 3.5, "saved_at": "2026-01-02T03:04:05+00:00",
    }  # fmt: skip
    (found,), notes = read(tmp_path / "labels.jsonl", json.dumps(row) + "\n")
    place = "labels.jsonl:1"
    assert found == SetDecision(
        "q1", "edit", "愛子", "いつ?", "10日。", "2026-01-02T03:04:05+00:00", adjudicated=False, reason="r",
        unclear=True, digest="0123456789abcdef", where=place,
    )  # fmt: skip
    assert notes == []


@pytest.mark.parametrize(
    ("word", "choice"),
    [("approve", "approve"), (" Approved ", "approve"), ("EDIT", "edit"), ("rejected", "reject"), ("採用", "approve"), ("修正", "edit"), ("却下", "reject")],
)  # fmt: skip
def test_a_table_by_hand_may_use_either_language(tmp_path, word, choice):
    """Case and spaces do not matter; columns may have Japanese names."""
    (found,), _ = read(tmp_path / "hand.csv", f"item,決定,参照回答,評価者\nq1,{word},10日。,健\n")
    assert (found.choice, found.reference, found.by, found.question) == (choice, "10日。", "健", "")


def test_rows_that_nobody_has_decided_on_are_counted(tmp_path):
    """A table that is still being filled in is usable."""
    found, notes = read(tmp_path / "hand.csv", "item,decision\nq1,approve\nq2,\nq3,\n")
    assert [each.item for each in found] == ["q1"]
    assert notes == ["hand.csv: 2 rows have no decision and are skipped"]


def test_other_column_names_are_given_by_the_user(tmp_path):
    """`--column decision=ok` names the column."""
    (found,), _ = read(tmp_path / "hand.csv", "item,ok\nq1,reject\n", decision="ok")
    assert found.choice == "reject"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hand.csv", "item,decision\nq1,approve\nq2,maybe\n", r"hand.csv, row 3: the decision is 'maybe'; expected app"),
        ("hand.csv", "item,decision\n,approve\n", r"hand.csv, row 2: no item: expected the id"),
        ("hand.csv", "item,decision,adjudicated\nq1,approve,perhaps\n", r"row 2: adjudicated is 'perhaps'; expected yes"),
        ("labels.jsonl", '{"item": "q1", "decision": "edit"}\n{"item": \n', r"labels.jsonl:2"),
        ("labels.jsonl", '{"item": "q1", "value": 1}\n', "decision"),
        ("labels.jsonl", '{"decision": "edit"}\n', "item"),
    ],
)  # fmt: skip
def test_an_unreadable_decision_stops_with_its_place(tmp_path, name, text, said):
    """A decision that is left out would change what is accepted, so none is."""
    with pytest.raises(BadInput, match=said):
        read(tmp_path / name, text)


def test_only_its_own_files_are_replaced(tmp_path):
    """New and empty files, and those with the field of earlier ones; nothing else, and no folder."""
    file = tmp_path / "approved.jsonl"
    check_replaceable(file, "decisions")
    write_items(file, [])
    check_replaceable(file, "decisions")
    write_items(file, [{"id": "1", "decisions": [{"by": "愛子"}]}])
    check_replaceable(file, "decisions")
    with pytest.raises(BadInput, match="was not written by `saiten testset accept`"):
        check_replaceable(file, "open")
    for foreign in (b'{"id": "1", "question": "?"}\n', b"item,decision\n", b"[1]\n", b"\xff\xfe"):
        file.write_bytes(foreign)
        with pytest.raises(BadInput, match="name another file"):
            check_replaceable(file, "decisions")
    with pytest.raises(BadInput, match="is a folder"):
        check_replaceable(tmp_path, "decisions")
    with pytest.raises(ConfigurationError, match="there is no folder"):
        check_replaceable(tmp_path / "none" / "approved.jsonl", "decisions")


def test_a_failure_while_writing_leaves_the_file_as_it_was(tmp_path):
    """The file is replaced as a whole or not at all."""
    file = tmp_path / "approved.jsonl"
    write_items(file, [{"id": "1"}])

    def lines():
        yield {"id": "2"}
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_items(file, lines())
    assert file.read_text("utf-8") == '{"id": "1"}\n'
    assert [each.name for each in tmp_path.iterdir()] == ["approved.jsonl"]
