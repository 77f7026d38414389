"""The form `approve` over HTTP: what annotators are told of a test set, what is refused, and what the admin sees."""

import pytest

from saiten.testsets.items import Checked, SetItem, SetPassage

ITEMS = [
    SetItem(
        f"secret-id-{n}", f"Question {n}?", f"Reference {n}.", "single", "en",
        (SetPassage(f"Passage {n}.", f"document-{n}.md", 10, 20, "secret-digest", ((0, 7),)),), (),
        {"by": "secret-model"}, (Checked("leak", passed=False, reason="secret-reason"),),
    )
    for n in range(1, 7)
]  # fmt: skip


def payload(item, decision="approve", **changes):
    """What the page sends for an item that it was given."""
    content = item["content"]
    return {"decision": decision, "question": content["question"], "reference": content["reference"], **changes}


def test_annotators_see_the_item_and_nothing_of_how_it_was_made(serve):
    """Neither ids nor models nor checks leave the server."""
    visitor = serve("approve", ITEMS[:1]).enter("anna")
    reply = visitor.get("/api/items/next")
    assert reply.json["content"] == {
        "question": "Question 1?", "reference": "Reference 1.", "language": "en", "kind": "single",
        "passages": [{"text": "Passage 1.", "source": "document-1.md", "quotes": [[0, 7]]}],
    }  # fmt: skip
    assert "secret" not in reply.text + visitor.get("/").text + visitor.get("/mine").text


@pytest.mark.parametrize(
    ("changes", "english", "japanese"),
    [
        ({"decision": "edit"}, "neither the question nor the reference is changed", "質問も参照回答も変更されていません"),
        ({"decision": "reject"}, "a reason is required", "理由を書いてください"),
        ({"reference": " "}, "reference: the text is empty", "参照回答が空です"),
        ({"question": "x" * 50_001}, "question: the text has 50,001 characters", "質問が 50,001 字あります"),
        ({"decision": "maybe"}, "choose approve, edit or reject", "採用・修正・却下のいずれか"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_in_the_language_of_the_page(serve, changes, english, japanese):
    """A refused payload is not stored, and the message says what to do."""
    visitor = serve("approve", ITEMS[:1]).enter("anna")
    said = payload(visitor.get("/api/items/next").json) | changes
    for language, message in (("en", english), ("ja", japanese)):
        body = {"payload": said, "save_id": "00000000-0000-4000-8000-000000000001"}
        reply = visitor.ask("PUT", "/api/items/1", body, headers={"Accept-Language": language})
        assert (reply.status, message in reply.json["message"]) == (422, True), reply.json
    assert visitor.get("/api/items/1").json["answered"] is None


def test_the_admin_sees_agreement_and_differences(serve):
    """Two people agree on four of six; the list names what differs, and shows the reference, as there is no answer."""
    site = serve("approve", ITEMS)
    for name in ("anna", "ben"):
        visitor = site.enter(name)
        while (reply := visitor.get("/api/items/next")).status == 200:
            item = reply.json
            case = int(item["content"]["question"][9])
            said = payload(item, "reject", reason="no") if case == 3 else payload(item)
            if name == "ben" and case == 1:
                said = payload(item, "reject", reason="no")
            if name == "ben" and case == 2:
                said = payload(item, "edit", reference="Another.")
            assert visitor.save(item["number"], said).status == 200
    admin = site.enter("admin")
    figures = {(aspect, figure): (value, n) for aspect, figure, value, _, n, _ in admin.rows("/admin/agreement")}
    assert figures["approval", "percent"] == ("0.833", "6")
    assert {aspect for aspect, *_ in admin.rows("/admin/agreement", headers={"Accept-Language": "ja"})} == {"採否"}
    differing = {row[0].strip(): [cell.strip() for cell in row[1:3]] for row in admin.rows("/admin/differences")}
    assert differing == {"Question 1?": ["Reference 1.", "approval"], "Question 2?": ["Reference 2.", "reference"]}
    assert ">Reference</th>" in admin.get("/admin/differences").text
    assert "approve" in admin.get("/admin/items/1").text
    assert "却下" in admin.get("/admin/items/1", headers={"Accept-Language": "ja"}).text
    rows = [line for line in admin.get("/admin/export.jsonl").text.splitlines() if '"annotator":"ben"' in line]
    assert sum('"decision":"edit"' in row and '"reference":"Another."' in row for row in rows) == 1
