"""Text from outside is text on every page and in every reply: no markup, no script, no template, no header."""

import html.parser
import json
import re

import pytest

from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.web.middleware import POLICY
from saiten.records import Sample

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "{{7*191}}{% raw %}${7*191}",
    "{words}{0}{item.__class__}",
    "javascript:alert(1)",
    "a\u202eb\u2066c\u200fd\u2028e",
    "&lt;b&gt;&amp;#60;",
    "\x1b[2J\x07",
    "\r\nSet-Cookie: x=1",
    "]]><x>",
]
NAMES = ["<script>alert(1)</script>", '"><b>x', "{{7*191}}", "佐藤'--", "&lt;b&gt;"]
ALL = "\n".join(HOSTILE)


class Tags(html.parser.HTMLParser):
    """Tags and attributes as a browser parses them."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def found(page):
    """The tags and attributes a browser finds in it."""
    parser = Tags()
    parser.feed(page)
    return parser


@pytest.fixture(scope="module", params=["grade", "gist", "preference", "aspects", "correct"])
def attacked(request, serve_for_all):
    """A project of hostile texts, with differing labels of two annotators and a decision; and a harmless twin."""
    sites = {}
    for kind, text, names in (("hostile", ALL, NAMES), ("tame", "plain", ["anna", "ben"])):
        samples = [
            Sample(
                f"{text}{n}", text, f"{text} {n}", contexts=(text,), reference=text, alternatives=(text,), system=text
            )
            for n in range(2)
        ]
        first, second = said(request.param, text)
        key = samples[0].id if request.param != "preference" else " vs ".join(sample.id for sample in samples)
        payload = {**first, "reason": text}
        site = serve_for_all(request.param, samples, beforehand=[(key, names[0], payload)], prelabels="shown")
        for name, payload in zip(names, (first, second), strict=False):
            visitor = site.enter(name)
            while (reply := visitor.get("/api/items/next")).status == 200:
                saved = visitor.save(reply.json["number"], {**payload, "reason": text}, unclear=True)
                assert saved.status == 200, saved.text
        admin = site.enter("admin")
        for each in annotated_items(site.project):
            body = {"payload": {**first, "reason": text}, "note": text}
            assert admin.ask("PUT", f"/api/admin/items/{each.item.id}/decision", body).status == 200
        site.names, site.items = names, [each.item.id for each in annotated_items(site.project)]
        sites[kind] = site
    return sites


def said(form, text):
    """The labels of the first and the second annotator."""
    if form == "grade":
        return {"grade": 1}, {"grade": 5}
    if form == "correct":
        return {"correct": True}, {"correct": False}
    if form == "gist":
        return {"spans": {"gist": [[0, 5]]}}, {"spans": {"supplement": [[0, 5]]}}
    if form == "preference":
        return {"order": [["a1"], ["a2"]], "none_good": False}, {"order": [["a2"], ["a1"]], "none_good": True}
    grades = {"formality": 0, "factuality": 3, "amount_info": 0, "acceptability": 3}
    return {"grades": grades}, {"grades": grades | {"formality": 1}}


def test_pages_have_the_same_tags_whatever_the_texts_hold(attacked):
    """No part of a text appears where a browser would act on it."""
    for who, paths in {
        "admin": ["/admin", "/admin/people", "/admin/differences", "/admin/items/{}"],
        "annotator": ["/", "/mine"],
    }.items():
        pages = {}
        for kind, site in attacked.items():
            visitor = site.enter("admin" if who == "admin" else site.names[0])
            pages[kind] = [visitor.get(path.format(site.items[0])) for path in paths]
        for path, hostile, tame in zip(paths, pages["hostile"], pages["tame"], strict=True):
            assert hostile.status == tame.status == 200, path
            assert found(hostile.text).tags == found(tame.text).tags, path
            assert found(hostile.text).attributes == found(tame.text).attributes, path
            assert "1337" not in re.sub(r"[0-9a-f]{8,}|[\w-]{40,}|T\d\d:\d\d(:\d\d(\.\d+)?)?", "", hostile.text), path
            assert "<script>alert" not in hostile.text, path
            assert not re.search(r"<script(?![^>]*(?:src=\"/static/|type=\"application/json\"))", hostile.text), path
            assert hostile.headers["Content-Security-Policy"] == POLICY
            assert "x=1" not in str(hostile.headers)


def test_answers_for_scripts_are_json_and_hold_the_texts_as_they_are(attacked):
    """Output equals input, and no browser takes it for a page."""
    site = attacked["hostile"]
    annotator, admin = site.enter(site.names[0]), site.enter("admin")
    reply = annotator.get("/api/items/1")
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    json.loads(reply.body)
    assert annotator.get("/api/items/1").json["content"]["question"] == ALL
    lines = admin.get("/admin/export.jsonl")
    assert lines.status == 200
    assert all(json.loads(line)["annotator"] in {*site.names, "admin"} for line in lines.text.rstrip("\n").split("\n"))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/mine",
        "/api/items/next",
        "/nowhere",
        "/join/x",
        "/static/admin.css",
        "/static/nothing",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
    ],
)
def test_headers_of_every_answer(shared, somebody, path):
    """Every reply has policy, no sniffing, no referrer, no caching of personal data, no server software."""
    reply = somebody.get(path)
    assert reply.headers["Content-Security-Policy"] == POLICY
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Referrer-Policy"] == "no-referrer"
    assert reply.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert reply.headers["Cache-Control"] == ("no-cache" if path == "/static/admin.css" else "no-store")
    assert "server" not in reply.headers
    assert b"make_app" not in reply.body


def test_failures_have_all_headers_too(shared):
    """An unforeseen error gives 500 with a sentence, all headers, and no detail of what went wrong."""
    admin = shared.enter("admin")
    right, shared.app.state.service = shared.app.state.service, None
    try:
        reply = admin.get("/admin")
    finally:
        shared.app.state.service = right
    assert reply.status == 500
    assert "Traceback" not in reply.text
    assert admin.get("/admin").status == 200


def test_refusals_quote_nothing_that_acts(shared, somebody):
    """Messages about hostile requests are escaped like everything else."""
    page = shared.enter("admin").get("/admin/items/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert page.status == 404
    assert "alert" not in page.text
    reply = somebody.ask("PUT", "/api/items/1", {"save_id": "0" * 32, "payload": {"<script>": 1, "grade": 1}})
    assert reply.status == 422
    assert reply.headers["Content-Type"] == "application/json"
