"""What an admin does: people, progress, differences, third decisions, the export."""

import json
import re
import socket
from contextlib import closing

import pytest
from sqlalchemy import select

from saiten.annotation.store.annotations import annotated_item
from saiten.annotation.store.people import all_people
from saiten.annotation.store.schema import decisions
from saiten.records import Sample


def said(site, name, payloads):
    """The annotator answers by question: payloads by sample ID, in whatever order the items come."""
    visitor = site.enter(name)
    ids = {each.content["question"]: key for key, each in items_of(site).items()}
    while (reply := visitor.get("/api/items/next")).status == 200:
        item = reply.json
        saved = visitor.save(item["number"], payloads[ids[item["content"]["question"]]])
        assert saved.status == 200, saved.text
    return visitor


def items_of(site):
    """Key → item."""
    return {
        item.key: item
        for number in range(1, 50)
        if (found := annotated_item(site.project, number))
        for item in [found.item]
    }


def grades(*values):
    """Payloads by sample ID: grades in the order of the samples."""
    return {f"secret-id-{n}": {"grade": grade, "reason": f"reason {n}"} for n, grade in enumerate(values, 1)}


def identity(site, key):
    """The number by which the admin's pages know an item."""
    return items_of(site)[key].id


def test_people_are_made_and_get_links_that_work(serve):
    """The link is shown only in the reply to the request that made it, and on no page."""
    site = serve()
    admin = site.enter("admin")
    made = admin.ask("POST", "/api/admin/people", {"name": "  佳子 ", "role": "annotator"})
    assert made.status == 201
    person = site.person("佳子")
    assert (person.role, person.active) == ("annotator", True)
    assert made.link.startswith(f"{site.url}/join/")
    token = made.link.rsplit("/", 1)[1]
    visitor = site.stranger()
    assert visitor.join(token).status == 303
    assert visitor.get("/api/items/next").status == 200
    for path in ("/admin", "/admin/people"):
        assert "佳子" in admin.get(path).text
        assert token not in admin.get(path).text
    second = admin.ask("POST", "/api/admin/people", {"name": "boss", "role": "admin"}).link
    boss = site.stranger()
    assert boss.join(second.rsplit("/", 1)[1]).headers["Location"] == "/admin"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "   "},
        {"name": 1},
        {"name": None},
        {"name": "x" * 101},
        {"name": "a\u202eb"},
        {"name": "a\x1bb"},
        {"name": "ADMIN"},
        {"name": "anna", "role": "god"},
        {"name": "anna", "role": ["admin"]},
        {"name": "anna", "role": None},
    ],
    ids=str,
)
def test_people_that_cannot_be_made(shared, body):
    """The reply is a sentence, and nobody is added."""
    before = all_people(shared.project)
    reply = shared.enter("admin").ask("POST", "/api/admin/people", body)
    assert (reply.status, bool(reply.json["message"])) == (422, True)
    assert all_people(shared.project) == before


@pytest.mark.parametrize(
    "path", ["/api/admin/people/0", "/api/admin/people/999", f"/api/admin/people/{10**30}", "/api/admin/people/x"]
)
def test_people_who_are_not_there(shared, path):
    """The reply is 404."""
    admin = shared.enter("admin")
    assert admin.ask("PUT", path, {"active": True}).status == 404
    assert admin.ask("POST", f"{path}/link", {}).status == 404


@pytest.mark.parametrize("path", ["/admin/items/0", "/admin/items/999", f"/admin/items/{10**30}", "/admin/items/x"])
def test_items_that_are_not_there(shared, path):
    """The reply is 404, both for the page and for the decision."""
    admin = shared.enter("admin")
    assert admin.get(path).status == 404
    body = {"payload": {"grade": 1, "reason": ""}, "note": ""}
    assert admin.ask("PUT", f"/api{path}/decision", body).status == 404


@pytest.mark.parametrize(
    ("page", "status"), [("1", 200), ("7", 200), ("0", 400), ("x", 400), ("-1", 400), ("9" * 30, 400)]
)
def test_pages_of_the_list(shared, page, status):
    """Pages are numbered from 1."""
    assert shared.enter("admin").get(f"/admin/differences?page={page}").status == status


def test_progress(serve):
    """Progress is shown by annotator and by item."""
    site = serve()
    said(site, "anna", grades(1, 2, 3, 4))
    ben = site.enter("ben")
    ben.get("/api/items/next")
    ben.save(1, {"grade": 1, "reason": ""}, unclear=True)
    ben.get("/api/items/next")
    admin = site.enter("admin")
    assert re.findall(r"<dd>(\d+)</dd>", admin.get("/admin").text)[:3] == ["4", "1", "0"]
    progress = re.search(r'<table id="progress".*?</table>', admin.get("/admin").text, re.DOTALL)[0]
    anna, ben = re.findall(r"<bdi>(.*?)</bdi>.*?" + r'<td class="number">(\d+)</td>' * 4, progress, re.DOTALL)
    assert anna == ("anna", "4", "0", "0", "0")
    assert ben == ("ben", "1", "1", "0", "1")
    assert progress.count('+00:00"') == 2


def test_only_what_everybody_finished_is_listed_as_differing(serve):
    """An item that the second annotator still has is not listed, whatever the first one entered."""
    site = serve()
    said(site, "anna", grades(1, 2, 3, 4))
    admin = site.enter("admin")
    assert "Question" not in admin.get("/admin/differences").text
    said(site, "ben", grades(1, 5, 3, 0))
    page = admin.get("/admin/differences").text
    assert "Annotators differ on 2 of 4 finished items; 0 of these are decided. 0 items are not finished." in page
    assert [f"Question {n}?" in page for n in (1, 2, 3, 4)] == [False, True, False, True]


def test_a_third_decision_is_stored_with_the_two_labels_and_can_be_changed(serve):
    """It may have a note; annotators' labels are unchanged, and open items come before decided ones."""
    site = serve(options={"reason_required": True})
    said(site, "anna", grades(1, 2, 3, 4))
    said(site, "ben", grades(1, 5, 3, 0))
    admin = site.enter("admin")
    second, fourth = identity(site, "secret-id-2"), identity(site, "secret-id-4")
    page = admin.get(f"/admin/items/{second}").text
    assert all(
        text in page for text in ("anna", "ben", "reason 2", "Reference 2.", "Answer 2.", "Context 2.", "secret-id-2")
    )
    for grade, note in ((3, "in between"), (5, "Ben is right")):
        reply = admin.ask("PUT", f"/api/admin/items/{second}/decision", {"payload": {"grade": grade}, "note": note})
        assert reply.status == 200, reply.text
    settled = annotated_item(site.project, second)
    assert settled.decision.payload == {"grade": 5, "reason": "Ben is right"}
    assert (settled.decision.note, settled.decision.by) == ("Ben is right", "admin")
    assert sorted(answered.payload["grade"] for _, answered in settled.annotations) == [2, 5]
    with site.project.database.engine.connect() as connection:
        notes = connection.scalars(select(decisions.c.note).order_by(decisions.c.id)).all()
    assert notes == ["in between", "Ben is right"]
    page = admin.get("/admin/differences").text
    assert page.index(f"/admin/items/{fourth}") < page.index(f"/admin/items/{second}")
    assert "Ben is right" in admin.get(f"/admin/items/{second}").text
    assert "Ben is right" not in site.enter("ben").get("/api/items/2").text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"payload": {}, "note": ""},
        {"payload": {"grade": 7}, "note": ""},
        {"payload": {"grade": None}, "note": ""},
        {"payload": [], "note": ""},
        {"payload": {"grade": 3}, "note": 1},
        {"payload": {"grade": 3}, "note": "x" * 10_001},
        {"payload": {"grade": 3, "more": 1}, "note": ""},
    ],
    ids=lambda body: str(body)[:60],
)
def test_decisions_that_do_not_fit(shared, body):
    """The reply is 422 with a sentence; nothing is stored."""
    reply = shared.enter("admin").ask("PUT", "/api/admin/items/1/decision", body)
    assert (reply.status, bool(reply.json["message"])) == (422, True)
    assert annotated_item(shared.project, 1).decision is None


def test_live_agreement_is_that_of_the_command(serve):
    """Percent and alpha over what both have labeled so far; worked out by hand: 2 of 4 items agree."""
    site = serve()
    admin = site.enter("admin")
    assert admin.rows("/admin/agreement") == [["No figures yet."]]
    said(site, "anna", grades(1, 2, 3, 4))
    said(site, "ben", grades(1, 5, 3, 0))
    figures = {figure: (value, n) for _, figure, value, _, n, _ in admin.rows("/admin/agreement")}
    assert figures["percent"] == ("0.500", "4")
    assert {"kappa", "kappa, quadratic", "alpha, ordinal", "alpha, interval", "percent by chance"} <= figures.keys()


def test_live_agreement_on_marks(serve):
    """F of the units, with each annotator in turn as the reference: half of the marks match."""
    sample = Sample("q1", "Q?", "abcdefghij", reference="0123456789")
    site = serve("gist", [sample])
    marks = {"anna": {"gist": [[0, 4]]}, "ben": {"gist": [[0, 4], [6, 8]]}}
    for name, spans in marks.items():
        said(site, name, {"q1": {"spans": spans, "reason": ""}})
    admin = site.enter("admin")
    figures = {aspect: value for aspect, _, value, *_ in admin.rows("/admin/agreement")}
    assert float(figures["gist"]) == pytest.approx(0.75, abs=0.1)
    assert figures["missing gist"] == "–"
    japanese = admin.rows("/admin/agreement", headers={"Accept-Language": "ja"})
    assert {figure for _, figure, *_ in japanese} == {"F（印ごと）", "F（回答ごと）"}
    assert [remark for *_, remark in japanese if remark.isascii() and remark] == []


def test_axes_figures_and_remarks_are_in_the_language_of_the_page(serve):
    """Everything an admin reads is in Japanese: the form, each axis, each figure and why one is missing."""
    site = serve("aspects")
    for name, formality in (("anna", 0), ("ben", 1)):
        grades = {"formality": formality, "factuality": 3, "amount_info": 0, "acceptability": 3}
        said(site, name, {f"secret-id-{n}": {"grades": grades} for n in (1, 2, 3, 4)})
    admin = site.enter("admin")
    japanese = {"Accept-Language": "ja"}
    figures = admin.rows("/admin/agreement", headers=japanese)
    assert {aspect for aspect, *_ in figures} == {"改まり方", "事実性", "情報量", "受容性"}
    assert {"一致率", "偶然の一致率", "kappa", "alpha（名義）"} <= {figure for _, figure, *_ in figures}
    remarks = {remark for *_, remark in figures} - {""}
    assert remarks
    assert [remark for remark in remarks if remark.isascii()] == []
    for path, name in (
        ("/admin/differences", "改まり方"),
        ("/admin/items/1", "改まり方"),
        ("/admin", "評価軸ごとの評定"),
    ):
        assert name in admin.get(path, headers=japanese).text
    english = admin.rows("/admin/agreement")
    assert {aspect for aspect, *_ in english} >= {"formality", "amount of information"}


@pytest.mark.parametrize("form", ["grade", "preference"])
def test_the_list_of_differences_shows_the_answers(serve, form):
    """Several answers to one question are distinguishable; compared ones carry their names on the page."""
    samples = [Sample(f"q/{n}", "Which?", f"<b>Answer</b> {n}. " + "More. " * 200) for n in (1, 2)]
    site = serve(form, samples)
    if form == "grade":
        for name, grade in (("anna", 1), ("ben", 5)):
            said(site, name, {sample.id: {"grade": grade} for sample in samples})
    else:
        for name, order in (("anna", [["a1"], ["a2"]]), ("ben", [["a2"], ["a1"]])):
            said(site, name, {"q/1 vs q/2": {"order": order, "none_good": False}})
    page = site.enter("admin").get("/admin/differences").text
    briefs = re.findall(r'<p class="brief" dir="auto">(?:<b>(\w)</b> )?([^<]*)</p>', page)
    assert sorted(text[:28] for _, text in briefs) == [f"&lt;b&gt;Answer&lt;/b&gt; {n}." for n in (1, 2)]
    assert [name for name, _ in briefs] == (["", ""] if form == "grade" else ["A", "B"])
    assert all(text.endswith("…") and len(text) < 400 for _, text in briefs)


def test_the_export_streams_what_was_said_and_decided(serve):
    """The rows are those written by hand; the file is offered for download."""
    site = serve(
        beforehand=[("secret-id-1", "judge", {"grade": 0, "reason": ""})], samples=[Sample("secret-id-1", "Q?", "A.")]
    )
    said(site, "anna", {"secret-id-1": {"grade": 1, "reason": "r"}})
    said(site, "ben", {"secret-id-1": {"grade": 2, "reason": ""}})
    admin = site.enter("admin")
    admin.ask("PUT", "/api/admin/items/1/decision", {"payload": {"grade": 2}, "note": "n"})
    reply = admin.get("/admin/export.jsonl")
    assert reply.headers["Content-Disposition"] == 'attachment; filename="labels.jsonl"'
    rows = [json.loads(line) for line in reply.text.splitlines()]
    for row in rows:
        assert row.pop("saved_at").endswith("+00:00")
    common = {"item": "secret-id-1", "aspect": "correctness", "prelabel": "hidden", "prelabelled_by": "judge"}
    own = {"adjudicated": False, "unclear": False, "seconds": None}
    assert rows == [
        common | own | {"value": 1, "annotator": "anna", "reason": "r"},
        common | own | {"value": 2, "annotator": "ben", "reason": ""},
        common | {"value": 2, "annotator": "admin", "reason": "n", "adjudicated": True, "note": "n"},
    ]


def test_an_export_that_is_left_off_lets_go_of_everything(serve):
    """If a browser aborts the download, the server keeps running."""
    site = serve(samples=[Sample(f"q{n}", f"Q{n}?", "A.") for n in range(60)], per_item=1)
    anna = site.enter("anna")
    for _ in range(60):
        number = anna.get("/api/items/next").json["number"]
        assert anna.save(number, {"grade": 3, "reason": "r" * 9_000}).status == 200
    admin = site.enter("admin")
    for _ in range(20):
        with closing(socket.create_connection(("127.0.0.1", site.port), timeout=30)) as line:
            cookie = "; ".join(f"{name}={value}" for name, value in admin.cookies.items())
            line.sendall(f"GET /admin/export.jsonl HTTP/1.1\r\nHost: {site.host}\r\nCookie: {cookie}\r\n\r\n".encode())
            assert line.recv(100).startswith(b"HTTP/1.1 200 ")
    assert len(admin.get("/admin/export.jsonl").text.splitlines()) == 60


def test_from_one_difference_to_the_next(serve):
    """The next undecided one, wrapping around after the last; back to the list when all are decided."""
    site = serve()
    said(site, "anna", grades(1, 2, 3, 4))
    said(site, "ben", grades(1, 5, 3, 0))
    admin = site.enter("admin")
    listed = re.findall(r"/admin/items/(\d+)", admin.get("/admin/differences").text)
    one, other = sorted(map(int, listed))

    def following(after):
        reply = admin.get(f"/admin/differences/next?after={after}")
        assert reply.status == 303
        return reply.headers["Location"]

    assert (following(one), following(other)) == (f"/admin/items/{other}", f"/admin/items/{one}")
    for identity in (one, other):
        body = {"payload": {"grade": 1}, "note": ""}
        assert admin.ask("PUT", f"/api/admin/items/{identity}/decision", body).status == 200
    assert following(one) == "/admin/differences"
    assert admin.get("/admin/differences/next?after=x").status == 400


@pytest.mark.parametrize(
    ("name", "english", "japanese"), [("Ben", "name is taken", "同じ名前"), (" ", "1 to 100", "1～100 字")]
)
def test_a_name_that_cannot_be_is_refused_in_the_admins_language(serve, name, english, japanese):
    """The language header may have any case or be missing."""
    admin = serve().enter("admin")
    assert admin.ask("POST", "/api/admin/people", {"name": "ben"}).status == 201
    for language, message in (("en", english), ("ja", japanese)):
        reply = admin.ask("POST", "/api/admin/people", {"name": name}, headers={"Accept-Language": language})
        assert reply.status == 422
        assert message in reply.json["message"]
