"""The form `approve`: what it shows of a test set's items, how it reads decisions, and when two people disagree."""

import json
from datetime import UTC, datetime
from typing import get_args

import pytest

from saiten.annotation.export import export_rows
from saiten.annotation.forms import ApproveForm
from saiten.annotation.records import Adjudication, AnnotatedItem, Annotation, Participant, StoredItem
from saiten.choices import QuestionKind
from saiten.records import Label, Sample, Turn
from saiten.testsets.items import Checked, SetItem, SetPassage
from saiten.testsets.people.decisions import text_digest

ITEM = SetItem(
    "follow_up-1", "いつまでですか。", "翌月10日までです。\r\n必着です。", "follow_up", "ja",
    (SetPassage("経費は翌月10日までに出します。", "規程/経費.md", 40, 56, "digest", ((3, 9), (5, 5), (9, 99))),),
    (Turn("どこに出しますか。", "ポータルです。"),), {"by": "secret-model"}, (Checked("leak", passed=True),),
)  # fmt: skip
(SHOWN,) = (item.content for item in ApproveForm().items([ITEM]))


def payload(decision="approve", **changes):
    """A payload with the item's texts as a text field returns them."""
    texts = {"question": ITEM.question, "reference": ITEM.reference.replace("\r\n", "\n")}
    return {"decision": decision, **texts, **changes}


def checked(*args, **changes):
    """The payload in its normal form."""
    return ApproveForm().check(SHOWN, payload(*args, **changes))


def test_an_item_is_shown_with_its_passages_and_not_with_how_it_was_made():
    """Question, reference, kind, history, and passages with document and quotes; quotes outside the text are dropped."""
    assert {
        "question": ITEM.question, "reference": ITEM.reference, "language": "ja", "kind": "follow_up",
        "history": [["どこに出しますか。", "ポータルです。"]],
        "passages": [{"text": "経費は翌月10日までに出します。", "source": "規程/経費.md", "quotes": [[3, 9]]}],
    } == SHOWN  # fmt: skip
    assert "secret-model" not in json.dumps(SHOWN)


def test_questions_of_any_file_are_items_without_an_answer():
    """A sample needs no answer; its contexts are shown as passages, and an absent reference can be written."""
    (item,) = ApproveForm().items([Sample("1", "Who?", contexts=("A context.",))])
    assert item.content["passages"] == [{"text": "A context.", "source": "", "quotes": []}]
    written = ApproveForm().check(item.content, {"decision": "approve", "question": "Who?", "reference": "Ben."})
    assert written == {"decision": "edit", "question": "Who?", "reference": "Ben.", "reason": ""}


@pytest.mark.parametrize(
    ("given", "decision", "reference"),
    [
        (payload(), "approve", ITEM.reference),
        (payload(reference=f"\n {ITEM.reference}\0 "), "approve", ITEM.reference),
        (payload(reference="10日です。 "), "edit", "10日です。"),
        (payload("edit", reference="10日です。"), "edit", "10日です。"),
        (payload("reject", reference="half a change", reason="wrong"), "reject", ITEM.reference),
    ],
)
def test_a_changed_text_is_an_edit_and_an_unchanged_one_stays_as_it_was(given, decision, reference):
    """A page's text field changes line ends; only a real change is an edit, and a rejection keeps the item's texts."""
    found = ApproveForm().check(SHOWN, given)
    assert (found["decision"], found["question"], found["reference"]) == (decision, ITEM.question, reference)


@pytest.mark.parametrize(("form", "required"), [(ApproveForm(), True), (ApproveForm(reason_required=False), False)])
def test_only_a_rejection_needs_a_reason(form, required):
    """Approvals and edits never need one; `--reason optional` lifts it for rejections, too."""
    assert form.check(SHOWN, payload())["reason"] == ""
    assert form.check(SHOWN, payload(question="What?"))["reason"] == ""
    if not required:
        assert form.check(SHOWN, payload("reject"))["decision"] == "reject"
        return
    with pytest.raises(ValueError, match="a reason is required"):
        form.check(SHOWN, payload("reject", reason=" "))


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (payload(), payload(), ()),
        (payload("reject", reason="a"), payload("reject", reason="b"), ()),
        (payload(), payload("reject", reason="a"), ("approval",)),
        (payload(reference="10日です。"), payload("reject", reason="a"), ("approval",)),
        (payload(), payload(reference="10日です。"), ("reference",)),
        (payload(reference="10日です。"), payload(reference="１０日 です。"), ()),
        (payload(reference="a b"), payload(reference="a  b\n"), ()),
        (payload(reference="a b"), payload(reference="ab"), ("reference",)),
        (payload(question="?", reference="x"), payload(question="!", reference="y"), ("question", "reference")),
    ],
)
def test_people_differ_on_the_approval_or_on_edited_texts(one, other, differ):
    """Widths and white space do not matter; if one accepts and the other rejects, their texts are not compared."""
    both = [ApproveForm().check(SHOWN, each) for each in (one, other)]
    assert ApproveForm().differences(both) == differ
    assert ApproveForm().differences(both[::-1]) == differ


def test_the_export_says_who_decided_what_on_which_texts():
    """Each row has the approval as a label, the decision with its texts, and the digest of the texts shown."""
    at = datetime(2026, 1, 2, tzinfo=UTC)
    answers = [checked(reference="10日です。"), checked("reject", reason="unclear question")]
    people = [Participant(n, name, "annotator") for n, name in enumerate(("Aiko", "Ben"), 1)]
    annotations = tuple((who, Annotation(said, 1, at)) for who, said in zip(people, answers, strict=True))
    decision = Adjudication(checked(), "fine as it is", "admin", at)
    item = AnnotatedItem(StoredItem(1, ITEM.id, SHOWN, 2), annotations, decision)
    rows = list(export_rows(ApproveForm(), [item]))
    assert [
        (row["aspect"], row["value"], row["annotator"], row["decision"], row["reference"], row["reason"])
        for row in rows
    ] == [
        ("approval", 1, "Aiko", "edit", "10日です。", ""),
        ("approval", 0, "Ben", "reject", ITEM.reference, "unclear question"),
        ("approval", 1, "admin", "approve", ITEM.reference, "fine as it is"),
    ]
    seen = text_digest(ITEM.id, ITEM.question, ITEM.reference, [("どこに出しますか。", "ポータルです。")])
    assert {row["answer_digest"] for row in rows} == {seen}


def test_a_judges_label_becomes_a_decision():
    """1 is an approval and 0 a rejection of the texts as they are; another value is no decision."""
    form = ApproveForm()
    assert form.payload_of(SHOWN, [Label("x", 1)])["decision"] == "approve"
    assert form.payload_of(SHOWN, [Label("x", 0, aspect="approval")])["decision"] == "reject"
    assert form.payload_of(SHOWN, [Label("x", 0.5)]) is None
    assert form.payload_of(SHOWN, [Label("x", 1, aspect="correct")]) is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_kind_of_question_is_explained(language):
    """The page names each kind and what its reference must do, in both languages."""
    kinds = ApproveForm().texts(language)["kinds"]
    assert list(kinds) == list(get_args(QuestionKind))
    assert all(kind["title"] and kind["means"] for kind in kinds.values())
    assert set(ApproveForm().aspect_titles(language)) == {"approval", "question", "reference"}
