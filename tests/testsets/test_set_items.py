"""Items of test sets: as lines, as samples, and read from files of any origin."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data.rows import BadRow
from saiten.data.samples import read_samples
from saiten.errors import BadInput
from saiten.records import Turn
from saiten.testsets.items import Checked, Decided, SetItem, SetPassage, item_from_json, item_to_json
from saiten.testsets.reading import items_of, read_items
from saiten.text.language import detect_language

ITEM = SetItem(
    "follow_up-1",
    "それより長くなると、料金はどうなりますか。",
    "2時間を過ぎると、1時間につき300円かかります。",
    "follow_up",
    "ja",
    (
        SetPassage(
            "2時間まで無料です。その後は1時間につき300円かかります。", "guide.md", 10, 41, "ab12", ((10, 30),), "駐車場"
        ),
    ),
    (Turn("来客は何時間まで駐車できますか。", "2時間までです。"),),
    {"by": "openai:gpt-4o", "difficulty": "easy"},
    (Checked("leak", passed=True), Checked("closed_book", None, "it takes a model")),
    (Decided("edited", "佐藤", "2026-11-28T09:00:00+00:00", reason="言い回し"),),
    {"question": "長くなると？", "reference": "300円"},
)

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
filled = texts.filter(str.strip)
passages = st.builds(SetPassage, text=texts, source=texts, document=texts)
items = st.builds(
    SetItem,
    id=filled,
    question=filled,
    reference=texts,
    kind=st.sampled_from(["", "single", "unanswerable"]),
    language=st.sampled_from(["en", "ja"]),
    passages=st.lists(passages, max_size=3).map(tuple),
    history=st.lists(st.builds(Turn, filled, filled), max_size=2).map(tuple),
    made=st.dictionaries(filled, filled, max_size=2),
)


@given(items)
def test_an_item_is_read_back_from_its_line(item):
    """Nothing of an item is lost in a file."""
    assert item_from_json(json.loads(json.dumps(item_to_json(item)))) == item


def test_a_whole_item_is_read_back():
    """Checks, decisions, quotes and the original wording are in the line, too."""
    assert item_from_json(json.loads(json.dumps(item_to_json(ITEM)))) == ITEM
    assert all(getattr(ITEM, each.name) for each in fields(ITEM)), "a new field is missing from this test"


def test_an_item_is_a_sample(tmp_path: Path):
    """A test set is read as samples: question, reference, evidence, kind as the group, and the history."""
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps(item_to_json(ITEM)), encoding="utf-8")
    (sample,) = read_samples(path, detect_language=detect_language, notify=pytest.fail)
    assert sample == ITEM.sample
    assert sample.evidence == (ITEM.passages[0].text,)
    assert (sample.group, sample.contexts, sample.answer) == ("follow_up", None, None)


def test_the_first_failed_check_drops_an_item():
    """Checks that passed or were not made drop nothing."""
    assert ITEM.dropped is None
    failed = Checked("support", passed=False, reason="x")
    assert ITEM.with_check(failed, Checked("round_trip", passed=False)).dropped == failed


def test_a_folder_stands_for_its_questions(tmp_path: Path):
    """The folder of a test set is named as well as its file; a folder without one is refused."""
    with pytest.raises(BadInput, match=r"has no test set: expected questions\.jsonl"):
        items_of(tmp_path, notify=pytest.fail)
    (tmp_path / "questions.jsonl").write_text(json.dumps(item_to_json(ITEM)), encoding="utf-8")
    assert items_of(tmp_path, notify=pytest.fail) == [ITEM]


MESSY = {
    '{"id": "a", "question": "Why?", "made": {}, "reference": ""}': None,
    '{"id": "a", "kind": "single", "reference": "r"}': "`question`: Field required",
    '{"id": "a", "question": " ", "kind": "single", "reference": "r"}': "`question`: Value error, expected a text",
    '{"id": "a", "question": "q", "kind": "tricky", "reference": "r"}': "`kind",
    '{"id": "a", "question": "q", "reference": "r", "passages": [{"text": "t", "quotes": [[1]]}]}': "`passages.0.quotes",
    '{"id": "a", "question": "q", "reference": "r", "passages": "text"}': "`passages`",
    '{"id": 7, "question": "q", "reference": "r", "checks": []}': "`id`",
    "[1]": "expected a JSON object, got a list",
    '{"id": "a", "question": "q", "kind": "single", ': "not JSON",
}


@pytest.mark.parametrize(("line", "fault"), MESSY.items())
def test_a_line_that_is_no_item_is_set_aside_with_its_place(line, fault, tmp_path: Path):
    """Every unusable line is a bad row that names file, line and field; the others are read."""
    path = tmp_path / "set.jsonl"
    path.write_text(f"{json.dumps(item_to_json(ITEM))}\n{line}\n", encoding="utf-8")
    first, second = read_items(path, notify=pytest.fail)
    assert first == ITEM
    if fault is None:
        assert isinstance(second, SetItem)
        return
    assert isinstance(second, BadRow)
    assert second.where.endswith("set.jsonl:2")
    assert fault in second.reason


def test_an_id_that_occurs_twice_is_set_aside(tmp_path: Path):
    """Decisions are by id, so the second item of an id cannot be told apart."""
    path = tmp_path / "set.jsonl"
    line = json.dumps(item_to_json(ITEM))
    path.write_text(f"{line}\n{line}\n", encoding="utf-8")
    notes: list[str] = []
    assert items_of(path, notify=notes.append) == [ITEM]
    assert len(notes) == 1
    assert "follow_up-1" in notes[0]


def test_questions_from_elsewhere_are_items(tmp_path: Path):
    """A CSV with questions and references is a test set, whose contexts are the passages."""
    path = tmp_path / "ours.csv"
    path.write_text(
        "id,質問,参照回答,コンテキスト\n1,門は何時に閉まりますか。,22時です。,門は22時に閉まる。\n2,,x,\n",
        encoding="utf-8",
    )
    notes: list[str] = []
    (item,) = items_of(path, notify=notes.append)
    assert (item.question, item.reference, item.kind, item.language) == (
        "門は何時に閉まりますか。",
        "22時です。",
        "",
        "ja",
    )
    assert [passage.text for passage in item.passages] == ["門は22時に閉まる。"]
    assert any("row 3" in note for note in notes), notes


def test_a_file_without_questions_is_refused(tmp_path: Path):
    """It is not taken for an empty test set."""
    path = tmp_path / "set.jsonl"
    path.write_text('{"id": "a", "kind": "single"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="has no question"):
        items_of(path, notify=lambda _: None)


def test_an_item_without_passages_has_no_evidence():
    """None, not an empty list: it was not given."""
    assert replace(ITEM, passages=()).sample.evidence is None
