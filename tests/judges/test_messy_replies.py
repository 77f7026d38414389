"""Each row of the table of messy replies has its outcome, and both pages show the table."""

import re
from typing import get_args

import pytest
from messy_replies import PAGES, TASKS, Row, drawn, rows, with_tables

from saiten.judges.faults import fault_in
from saiten.judges.fields import JAPANESE_KEYS, needed_fields, shown_fields
from saiten.judges.reading import read_reply
from saiten.records import Language
from saiten.tasks.verdicts import Verdict
from saiten.wiring.prompt_uses import TASKS as ALL_TASKS

ROWS = rows()
FORMS = list(dict.fromkeys(row.form for row in ROWS))


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.form}-{n}" for n, row in enumerate(ROWS)])
def test_a_reply_has_the_outcome_of_its_row(row: Row):
    """It is read as the fields of the row, or refused with its sentence, which also exists in Japanese."""
    task = TASKS[row.task][0]
    if row.read is not None:
        assert read_reply(task, row.reply, cut_off=row.cut_off) == task.reply.model_validate(row.read)
        return
    with pytest.raises(ValueError, match=r".") as refusal:
        read_reply(task, row.reply, cut_off=row.cut_off)
    assert str(refusal.value) == row.fault
    japanese = fault_in("ja", row.fault)
    assert japanese != fault_in("ja", "something unheard of")
    assert re.search("[ぁ-ん]", japanese)


@pytest.mark.parametrize("language", get_args(Language))
def test_the_page_shows_the_table(language: Language):
    """`python tests/judges/messy_replies.py` draws it again after a change."""
    page = PAGES[language].read_text(encoding="utf-8")
    assert page == with_tables(page, language)
    assert re.findall(r"<!-- (\w+) -->", page) == FORMS
    assert all(drawn(form, language) in page for form in FORMS)


def test_every_kind_of_reply_is_in_the_table_with_and_without_success():
    """No type of reply is forgotten when a form is added."""
    kinds = {task.reply for task in ALL_TASKS}
    assert {TASKS[row.task][0].reply for row in ROWS if row.read is not None} == kinds


@pytest.mark.parametrize("kind", sorted({task.reply for task in ALL_TASKS} | {Verdict}, key=lambda kind: kind.__name__))
def test_every_field_has_a_japanese_key(kind):
    """A reply to a Japanese prompt may be Japanese altogether."""
    known = {name for names in JAPANESE_KEYS.values() for name in names}
    assert shown_fields(kind).keys() <= known


@pytest.mark.parametrize("kind", sorted({task.reply for task in ALL_TASKS}, key=lambda kind: kind.__name__))
def test_no_reply_is_empty(kind):
    """Reasons may be left out, the rest not: an empty object is never read."""
    assert needed_fields(kind)
