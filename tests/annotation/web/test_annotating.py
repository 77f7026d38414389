"""What an annotator's browser can do: join, get items, save, skip, undo, come back."""

import json
import re
import resource
from urllib.parse import quote
from uuid import uuid4

import pytest

from saiten.annotation.forms import PreferenceForm
from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.web.pages import preferred_language
from saiten.metrics.rubrics import read_rubric
from saiten.records import Sample

GRADE = {"grade": 4, "reason": "because"}


def test_from_the_link_to_a_saved_answer(serve):
    """The link logs in, the next item comes without ID and system, and a saved label shows on the next request."""
    site = serve()
    anna = site.enter("anna")
    item = anna.get("/api/items/next").json
    assert (item["number"], item["state"], item["answered"], item["prelabel"]) == (1, "given", None, None)
    assert item["progress"] == {"done": 0, "total_for_me": 4}
    assert set(item["content"]) == {"question", "answer", "reference", "contexts", "language"}
    assert "secret" not in str(item)

    assert anna.save(1, GRADE, unclear=True, seconds=12.5).json == {"revision": 1, "again": False}
    again = anna.get("/api/items/1").json
    assert again["state"] == "done"
    assert again["answered"] == {"payload": GRADE, "revision": 1, "unclear": True}
    assert anna.get("/api/items/next").json["number"] == 2
    assert anna.get("/api/items/next").json["progress"]["done"] == 1
    (settled,) = annotated_items(site.project)
    assert [(person.name, answered.payload, answered.seconds) for person, answered in settled.annotations] == [
        ("anna", GRADE, 12.5)
    ]


def test_a_save_sent_twice_is_stored_once(serve):
    """The ID identifies it."""
    anna = serve().enter("anna")
    anna.get("/api/items/next")
    body = {"payload": GRADE, "save_id": str(uuid4())}
    assert anna.ask("PUT", "/api/items/1", body).json == {"revision": 1, "again": False}
    assert anna.ask("PUT", "/api/items/1", body).json == {"revision": 1, "again": True}
    conflict = anna.ask("PUT", "/api/items/1", body | {"payload": GRADE | {"grade": 1}})
    assert (conflict.status, list(conflict.json)) == (409, ["message"])
    assert anna.get("/api/items/1").json["answered"]["payload"] == GRADE


def test_a_full_disk_stores_nothing_loses_nothing_and_is_named(serve):
    """The save is refused with the reason, also when it is repeated; what was acknowledged before stays, reading goes
    on, and the same save is stored once there is space.
    """
    site = serve()
    anna = site.enter("anna")
    anna.get("/api/items/next")
    assert anna.save(1, GRADE).status == 200
    anna.get("/api/items/next")
    body = {"payload": GRADE | {"reason": "because it is so"}, "save_id": str(uuid4())}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        for _ in range(3):
            refused = anna.ask("PUT", "/api/items/2", body)
            assert (refused.status, "disk is full" in refused.json["message"]) == (507, True)
            assert int(refused.headers["Retry-After"]) > 0
        assert anna.get("/api/items/1").json["answered"]["payload"] == GRADE
        assert anna.get("/api/items/2").json["answered"] is None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert anna.ask("PUT", "/api/items/2", body).json == {"revision": 1, "again": False}
    assert [answered.payload for item in annotated_items(site.project) for _, answered in item.annotations] == [
        GRADE,
        body["payload"],
    ]


def test_skip_undo_edit_and_the_list_of_earlier_items(serve):
    """Everything can be taken back or changed later."""
    anna = serve().enter("anna")
    anna.get("/api/items/next")
    anna.save(1, GRADE)
    anna.save(1, GRADE | {"grade": 2})
    anna.get("/api/items/next")
    assert anna.ask("POST", "/api/items/2/skip", {"save_id": str(uuid4())}).status == 200
    assert anna.get("/api/items/2").json["state"] == "skipped"
    assert anna.ask("POST", "/api/undo", {"save_id": str(uuid4())}).json == {"number": 2}
    assert anna.ask("POST", "/api/undo", {"save_id": str(uuid4())}).json == {"number": 1}
    assert anna.get("/api/items/1").json["answered"]["payload"]["grade"] == 4
    assert anna.ask("POST", "/api/undo", {"save_id": str(uuid4())}).json == {"number": 1}
    assert anna.ask("POST", "/api/undo", {"save_id": str(uuid4())}).status == 204
    page = anna.get("/mine").text
    assert page.index('href="/#2"') < page.index('href="/#1"')
    assert "Question" in page


def test_items_are_fetched_ahead(serve):
    """`except` lists the items that the page has; no item is given twice, and 204 means that nothing is left."""
    anna = serve().enter("anna")
    assert [anna.get(f"/api/items/next?except={has}").json["number"] for has in ("", "1", "1,2", "1,2,3")] == [
        1,
        2,
        3,
        4,
    ]
    assert anna.get("/api/items/next?except=1,2,3,4").status == 204
    assert anna.get("/api/items/next").json["number"] == 1


@pytest.mark.parametrize("wrong", ["x", "1;2", "-1", "1,2,3,4,5,6", "9" * 30, "%00", "1.5"])
def test_a_wrong_except_is_refused(somebody, wrong):
    """The reply has a sentence."""
    reply = somebody.get(f"/api/items/next?except={wrong}")
    assert reply.status == 400
    assert reply.json["message"]


def test_when_nothing_is_left(serve):
    """The reply is 204; finished items can still be changed."""
    anna = serve(samples=()).enter("anna")
    assert anna.get("/api/items/next").status == 204


def test_answers_of_a_preference_have_a_separate_order_for_each_annotator(serve):
    """The order is stable for one annotator and differs between annotators; IDs and their mapping are not sent."""
    samples = [
        Sample(f"q{q}/{system}", f"Question {q}?", f"Answer of {system}.") for q in range(6) for system in "vwxyz"
    ]
    site = serve("preference", samples)
    orders = {}
    for name in ("anna", "ben", "carla"):
        visitor = site.enter(name)
        items = [visitor.get(f"/api/items/next?except={has}").json for has in ("", "1", "1,2")]
        assert all("ids" not in item["content"] and "q0/" not in str(item) for item in items)
        assert visitor.get("/api/items/1").json["content"] == items[0]["content"]
        for item in items:
            orders.setdefault(item["content"]["question"], set()).add(
                tuple(a["text"] for a in item["content"]["answers"])
            )
    assert max(map(len, orders.values())) > 1
    assert (
        visitor.save(1, {"order": [["a2"], ["a1", "a3"], ["a4", "a5"]], "none_good": True, "reason": ""}).status == 200
    )


def test_prelabels_are_sent_only_where_the_project_shows_them(serve):
    """Hidden ones do not leave the server."""
    rows = [(f"secret-id-{n}", "judge", {"grade": 5, "reason": ""}) for n in range(1, 5)]
    for choice, expected in (("shown", {"grade": 5, "reason": ""}), ("hidden", None)):
        anna = serve(beforehand=rows, prelabels=choice).enter("anna")
        item = anna.get("/api/items/next").json
        assert item["prelabel"] == expected
        assert "judge" not in str(item)


def test_leaving_and_coming_back(serve):
    """The session ends, the link does not; after a restart, both are as before."""
    site = serve()
    anna = site.enter("anna")
    anna.get("/api/items/next")
    anna.save(1, GRADE)
    site.stop()
    site.start()
    assert anna.get("/api/items/1").json["answered"]["payload"] == GRADE
    former = dict(anna.cookies)
    assert anna.ask("POST", "/api/leave").status == 204
    assert anna.cookies == {}
    anna.cookies = former
    assert anna.get("/api/items/1").status == 401
    assert anna.join(site.tokens["anna"]).status == 303
    assert anna.get("/api/items/1").json["answered"]["payload"] == GRADE


def test_the_language_is_the_browsers_until_one_is_chosen(serve):
    """Pages and refusals follow the same rule."""
    anna = serve().enter("anna")
    japanese = {"Accept-Language": "fr;q=1.0, ja-JP;q=0.8, en;q=0.5"}
    assert 'lang="ja"' in anna.get("/", headers=japanese).text
    assert 'lang="en"' in anna.get("/").text
    assert "割り当て" in anna.get("/api/items/9", headers=japanese).json["message"]
    assert anna.ask("POST", "/api/language", {"language": "ja"}).status == 204
    assert 'lang="ja"' in anna.get("/", headers={"Accept-Language": "en"}).text
    assert anna.ask("POST", "/api/language", {"language": "fr"}).status == 422
    assert anna.ask("POST", "/api/language", {"language": ["ja"]}).status == 422


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("JA-jp", "ja"),
        ("en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("ja;q=0.9,en;q=0.8", "ja"),
        ("ja;q=0", "en"),
        ("de, fr;q=0.5", "en"),
        ("*", "en"),
        (";;;q=,,", "en"),
        ("ja;q=9999999", "en"),
        ("x" * 10_000, "en"),
        ("de," * 5_000 + "ja", "en"),
    ],
)
def test_accept_language(header, language):
    """The supported language with the highest preference wins, whatever the header contains."""
    assert preferred_language(header) == language


BAD = [
    ({}, 422),
    ({"payload": None}, 422),
    ({"payload": []}, 422),
    ({"payload": {"grade": 9, "reason": ""}}, 422),
    ({"payload": GRADE, "unclear": "yes"}, 422),
    ({"payload": GRADE, "unclear": None}, 422),
    ({"payload": GRADE, "seconds": "1"}, 422),
    ({"payload": GRADE, "seconds": True}, 422),
    ({"payload": GRADE, "seconds": -1}, 422),
    ({"payload": GRADE, "seconds": 10**400}, 400),
    ({"payload": {"grade": 10**30, "reason": ""}}, 400),
    ({"payload": GRADE, "save_id": "1"}, 422),
    ({"payload": GRADE, "save_id": 1}, 422),
    ({"payload": GRADE, "save_id": None}, 422),
    ({"payload": {"grade": 4, "reason": "a\0b"}}, 400),
    ({"payload": {"grade": {"a": {"b": {"c": {"d": {"e": {"f": {"g": {}}}}}}}}}}, 400),
]


@pytest.mark.parametrize(("body", "status"), BAD)
def test_what_does_not_fit_is_refused_with_a_sentence(somebody, body, status):
    """Nothing is stored."""
    reply = somebody.ask("PUT", "/api/items/1", {"save_id": str(uuid4())} | body)
    assert (reply.status, bool(reply.json["message"])) == (status, True)
    assert somebody.get("/api/items/1").json["answered"] is None


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"1",
        b'"text"',
        b"{",
        b"\xff\xfe{}",
        b'{"payload": NaN}',
        b'{"payload": Infinity}',
        b'{"payload": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"payload": ' + b"9" * 100_000 + b"}",
        b'{"payload": 1e999}',
        b"save_id=1&payload=2",
    ],
    ids=lambda raw: raw[:16].decode("latin-1"),
)
def test_what_is_no_json_object_is_refused(somebody, raw):
    """The reply is 400 with a sentence, never 500."""
    reply = somebody.ask("PUT", "/api/items/1", raw=raw)
    assert (reply.status, bool(reply.json["message"])) == (400, True)


def test_half_a_character_is_kept_as_a_sign(somebody):
    """JavaScript sends half surrogate pairs where a text was cut; no database accepts them; nothing else is lost."""
    body = b'{"save_id": "%s", "payload": {"grade": 4, "reason": "cut \\ud83d"}}' % str(uuid4()).encode()
    assert somebody.ask("PUT", "/api/items/1", raw=body).status == 200
    assert somebody.get("/api/items/1").json["answered"]["payload"]["reason"] == "cut \ufffd"


@pytest.mark.parametrize("number", ["0", "5", "-1", "1.5", "x", "9" * 30, "2147483648", "١", "%00"])
def test_numbers_that_are_not_ones_own(somebody, number):
    """The reply is 404 in every case."""
    path = f"/api/items/{quote(number, safe='%')}"
    assert somebody.get(path).status == 404
    assert somebody.ask("PUT", path, {"payload": GRADE, "save_id": str(uuid4())}).status == 404
    assert somebody.ask("POST", f"{path}/skip", {"save_id": str(uuid4())}).status == 404


def test_units_of_a_reference_come_back_with_the_next_answer_to_it(serve):
    """In gist forms, the annotator's own units return, not what another answer lacked or added; others have none."""
    samples = [Sample(f"q/{n}", "Q?", f"Answer {n}.", reference="It is 13.") for n in (1, 2)]
    site = serve("gist", samples)
    anna, ben = site.enter("anna"), site.enter("ben")
    spans = {"gist": [[0, 5]], "supplement": [[6, 8]], "missing_gist": [[0, 5]], "extra_gist": [[0, 3]]}
    for visitor in (anna, ben):
        visitor.get("/api/items/next")
    assert anna.get("/api/items/1/earlier").status == 204
    anna.save(1, {"spans": spans, "reason": "r"})
    anna.get("/api/items/next")
    units = {"gist": [[0, 5]], "supplement": [[6, 8]]}
    assert anna.get("/api/items/2/earlier").json == {"number": 1, "payload": {"spans": units}}
    assert ben.get("/api/items/1/earlier").status == 204
    anna.save(1, {"spans": {}}, unclear=True)
    assert anna.get("/api/items/2/earlier").status == 204

    other = serve("grade", samples).enter("anna")
    other.get("/api/items/next")
    other.save(1, GRADE)
    other.get("/api/items/next")
    assert other.get("/api/items/2/earlier").status == 204


def test_all_answers_to_a_question_come_one_after_the_other_on_request(serve):
    """There are more than a page fetches ahead; then comes the next question, and the admin sees the setting."""
    samples = [Sample(f"q{q}/{n}", f"Question {q}?", f"Answer {n}.") for n in range(7) for q in range(3)]
    site = serve("grade", samples, whole_questions=True, per_item=1)
    anna, asked = site.enter("anna"), []
    while (reply := anna.get("/api/items/next")).status == 200:
        number, ahead = reply.json["number"], []
        for _ in range(4):
            more = anna.get(f"/api/items/next?except={','.join(map(str, [number, *ahead]))}")
            ahead += [more.json["number"]] if more.status == 200 else []
        assert len({number, *ahead}) == 1 + len(ahead)
        asked.append(reply.json["content"]["question"])
        assert anna.save(number, {"grade": 3}).status == 200
    assert len(asked) == 21
    assert [len(set(asked[at : at + 7])) for at in (0, 7, 14)] == [1, 1, 1]
    assert "to the same people" in site.enter("admin").get("/admin").text
    assert "to the same people" not in serve().enter("admin").get("/admin").text


def test_contexts_axes_and_a_pick_go_over_the_wire_without_a_word_on_systems(serve):
    """The item has the contexts of all answers, the page has the axes; pick and grades are stored and exported."""
    options = PreferenceForm(pick=True, rubric=read_rubric()).options
    samples = [Sample(f"hidden/{n}", "Q?", f"A{n}", (f"C{n}", "C")) for n in (1, 2)]
    site = serve("preference", samples, options=options, per_item=1)
    anna = site.enter("anna")
    page = anna.get("/", headers={"Accept-Language": "ja"}).text
    assert "情報量" in json.dumps(json.loads(re.search(r'id="page-data">(.*?)</script>', page)[1]), ensure_ascii=False)
    reply = anna.get("/api/items/next")
    assert sorted(reply.json["content"]["contexts"]) == ["C", "C1", "C2"]
    assert "hidden" not in reply.text
    grades = {"formality": 0, "factuality": 3, "amount_info": 0, "acceptability": 3}
    keys = [answer["key"] for answer in reply.json["content"]["answers"]]
    payload = {"order": [[keys[0]]], "none_good": False, "grades": dict.fromkeys(keys, grades)}
    refused = anna.save(1, {**payload, "order": [[keys[0]], [keys[1]]]})
    assert (refused.status, refused.json["message"]) == (422, "choose the one best answer")
    assert anna.save(1, payload).status == 200
    rows = [json.loads(line) for line in site.enter("admin").get("/admin/export.jsonl").text.splitlines()]
    assert len(rows) == 1 + 1 + 2 * 4
    assert {row["aspect"] for row in rows} == {"preference", "good", *grades}


@pytest.mark.parametrize(
    ("form", "payload", "english", "japanese"),
    [
        ("grade", {"grade": 6}, "choose a grade from 0 to 5", "0 から 5 までの評点を選んでください。"),
        ("grade", {"grade": 1, "reason": "x" * 10_001}, "the reason has 10,001 characters; the maximum is 10,000",
         "理由が 10,001 字あります。10,000 字以内で書いてください。"),
        ("correct", {"correct": 1}, "decide whether the answer is correct", "正しいかどうかを選んでください。"),
        ("aspects", {"grades": {}}, "choose a grade for formality", "「改まり方」の評点を選んでください。"),
        ("gist", {"spans": {"gist": [[0, 1]] * 1_001}}, "at most 1,000 passages of one class can be marked",
         "印は、一つの種類につき 1,000 か所までです。"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() and " " not in value else "",
)  # fmt: skip
def test_what_people_can_mend_is_said_in_the_language_of_their_page(serve, form, payload, english, japanese):
    """The form's message is in the browser's language."""
    anna = serve(form).enter("anna")
    anna.get("/api/items/next")
    body = {"payload": payload, "save_id": str(uuid4())}
    for language, said in (("en", english), ("ja", japanese)):
        reply = anna.ask("PUT", "/api/items/1", body, headers={"Accept-Language": language})
        assert (reply.status, reply.json) == (422, {"message": said, "field": "payload"})
