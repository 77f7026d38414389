"""Every route tried in every role: a route added without an entry here fails."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote
from uuid import uuid4

import pytest
from starlette.routing import Mount

from saiten.annotation.store.annotations import annotated_items
from saiten.annotation.store.people import all_people, create_person, set_active
from saiten.annotation.store.saving import save_annotation

GRADE = {"grade": 4, "reason": "because"}
HOSTILE = {"Origin": "https://evil.example"}

# Symbols of the roles: nobody · an annotator who has item 1 · another, who has none · one who logged in and then was
# locked out · an admin. And how requests are forged: no header, a wrong one, from elsewhere, from nowhere.
ROLES = ("nobody", "annotator", "other", "shut out", "admin")

TABLE = {
    # method, path: (body, status by role)
    ("GET", "/join/{token}"): (None, (404, 404, 404, 404, 404)),
    ("GET", "/"): (None, (401, 200, 200, 401, 303)),
    ("GET", "/mine"): (None, (401, 200, 200, 401, 403)),
    ("GET", "/api/items/next"): (None, (401, 200, 200, 401, 403)),
    ("GET", "/api/items/{number:int}"): (None, (401, 200, 404, 401, 403)),
    ("GET", "/api/items/{number:int}/earlier"): (None, (401, 204, 404, 401, 403)),
    ("PUT", "/api/items/{number:int}"): ({"payload": GRADE}, (401, 200, 404, 401, 403)),
    ("POST", "/api/items/{number:int}/skip"): ({}, (401, 200, 404, 401, 403)),
    ("POST", "/api/undo"): ({}, (401, 200, 204, 401, 403)),
    ("POST", "/api/language"): ({"language": "ja"}, (401, 204, 204, 401, 204)),
    ("POST", "/api/leave"): ({}, (401, 204, 204, 401, 204)),
    ("GET", "/admin"): (None, (401, 403, 403, 401, 200)),
    ("GET", "/admin/agreement"): (None, (401, 403, 403, 401, 200)),
    ("GET", "/admin/differences"): (None, (401, 403, 403, 401, 200)),
    ("GET", "/admin/differences/next"): (None, (401, 403, 403, 401, 303)),
    ("GET", "/admin/items/{identity:int}"): (None, (401, 403, 403, 401, 200)),
    ("GET", "/admin/export.jsonl"): (None, (401, 403, 403, 401, 200)),
    ("GET", "/admin/people"): (None, (401, 403, 403, 401, 200)),
    ("POST", "/api/admin/people"): ({"name": "new", "role": "admin"}, (401, 403, 403, 401, 201)),
    ("POST", "/api/admin/people/{identity:int}/link"): ({}, (401, 403, 403, 401, 200)),
    ("PUT", "/api/admin/people/{identity:int}"): ({"active": False}, (401, 403, 403, 401, 200)),
    ("PUT", "/api/admin/items/{identity:int}/decision"): (
        {"payload": GRADE, "note": "n"},
        (401, 403, 403, 401, 200),
    ),
}
FORGED = {
    "without the header": {"X-CSRF": None},
    "with a wrong header": {"X-CSRF": "x" * 43},
    "with a header that is no text": {"X-CSRF": b"\xff\xfe"},
    "from elsewhere": HOSTILE,
    "from nowhere": {"Origin": None},
    "from a file": {"Origin": "null"},
    "from another port": {"Origin": "http://127.0.0.1:1"},
    "by HTTPS": {"Origin": "https"},
}


def routes(app):
    """(method, path) of every route of the application except HEAD, including those of included routers."""
    for route in app.router.routes:
        found = list(getattr(route, "effective_candidates", lambda: ())()) or [route]
        for each in found:
            if not isinstance(each, Mount):
                yield from ((method, each.path) for method in each.methods - {"HEAD"})


@pytest.fixture
def peopled(serve):
    """A site with an answered item, and its visitors by role."""
    return with_people(serve())


@pytest.fixture(scope="module")
def visited(serve_for_all):
    """A site shared by the tests that change nothing."""
    return with_people(serve_for_all())


def with_people(site):
    """The site, with visitors in every role."""
    visitors = {"nobody": site.stranger()}
    for role in ROLES[1:]:
        visitors[role] = site.enter(role)
    assert visitors["annotator"].get("/api/items/next").json["number"] == 1
    save_annotation(site.project, site.person("annotator").id, 1, GRADE, save_id=str(uuid4()))
    set_active(site.project, site.person("shut out").id, active=False)
    site.visitors = visitors
    (site.settled,) = annotated_items(site.project)
    return site


def path_of(site, path):
    """The path with its placeholders filled in."""
    named = path.replace("{number:int}", "1").replace("{token}", "wrong" * 8)
    of_item = "items" in path
    return named.replace("{identity:int}", str(site.settled.item.id if of_item else site.person("other").id))


def body_of(body):
    """The body with a save ID, which any changing request may carry."""
    return None if body is None else {"save_id": str(uuid4())} | body


def test_every_route_is_in_the_table(serve):
    """The table lists nothing else; the only other mount is our own static files."""
    app = serve().app
    assert set(routes(app)) == set(TABLE)
    assert [route.path for route in app.routes if isinstance(route, Mount)] == ["/static"]


@pytest.mark.parametrize(
    ("route", "expected"), TABLE.items(), ids=lambda value: " ".join(value) if isinstance(value[0], str) else ""
)
def test_every_route_as_everybody(request, route, expected):
    """Each role gets its status; whoever is refused learns nothing but a sentence."""
    method, path = route
    peopled = request.getfixturevalue("visited" if method == "GET" and not path.endswith("next") else "peopled")
    body, statuses = expected
    got = {}
    for role in ROLES:
        reply = peopled.visitors[role].ask(method, path_of(peopled, path), body_of(body))
        got[role] = reply.status
        if reply.status in {401, 403}:
            assert not any(
                secret in reply.text for secret in ("Question", "Answer 1", "because", "secret", 'annotator"')
            ), role
    assert got == dict(zip(ROLES, statuses, strict=True))


@pytest.mark.parametrize("forged", FORGED)
def test_no_forged_request_changes_anything(visited, forged):
    """In every role, a request that our own page did not send is refused."""
    before = [(each.item.id, each.annotations, each.decision) for each in annotated_items(visited.project)]
    people = all_people(visited.project)
    headers = dict(FORGED[forged])
    if headers.get("Origin") == "https":
        headers["Origin"] = visited.url.replace("http:", "https:")
    for (method, path), (body, statuses) in TABLE.items():
        if method == "GET":
            continue
        for role, status in zip(ROLES, statuses, strict=True):
            reply = visited.visitors[role].ask(method, path_of(visited, path), body_of(body), headers=headers)
            assert reply.status == (401 if status == 401 else 403), (role, path)
    assert [(each.item.id, each.annotations, each.decision) for each in annotated_items(visited.project)] == before
    assert all_people(visited.project) == people


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
        "[::1].evil",
        "0x7f000001",
        None,
    ],
)
def test_no_route_answers_to_a_strangers_name(visited, host):
    """A domain pointed at this machine (DNS rebinding) gets nothing, not even styles."""
    for role in ROLES:
        for path in ("/", "/admin", "/static/admin.css", f"/join/{visited.tokens['annotator']}", "/api/items/next"):
            reply = visited.visitors[role].get(path, headers={"Host": host})
            assert reply.status in {400, 421}, (role, path)
            assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:{port}", "[::1]:{port}", "192.168.0.7:{port}"])
def test_names_by_which_the_server_goes(shared, host):
    """It answers to its own names and any numeric address: only names can be pointed elsewhere."""
    host = host.format(port=shared.port)
    anna = shared.enter(f"anna {host}")
    assert anna.get("/", headers={"Host": host}).status == 200
    assert anna.ask("POST", "/api/leave", {}, headers={"Host": host, "Origin": f"http://{host.lower()}"}).status == 204


def test_two_annotators_with_the_same_number_have_different_items_or_labels(serve):
    """Number 1 of one annotator never reads or writes what the other entered."""
    site = serve()
    anna, ben = site.enter("anna"), site.enter("ben")
    for visitor in (anna, ben):
        for _ in range(4):
            number = visitor.get("/api/items/next").json["number"]
            visitor.save(number, {"grade": 1 if visitor is anna else 5, "reason": "mine" if visitor is anna else "his"})
    for number in range(1, 5):
        assert anna.get(f"/api/items/{number}").json["answered"]["payload"] == {"grade": 1, "reason": "mine"}
        assert "mine" not in ben.get(f"/api/items/{number}").text
    assert all(
        {answered.payload["reason"] for _, answered in each.annotations} == {"mine", "his"}
        for each in annotated_items(site.project)
    )


def test_sessions_end_with_a_new_link_and_when_somebody_is_shut_out(serve):
    """Sessions end at once, and the former link lets nobody in."""
    site = serve()
    admin, anna = site.enter("admin"), site.enter("anna")
    identity = site.person("anna").id
    link = admin.ask("POST", f"/api/admin/people/{identity}/link").link
    assert anna.get("/api/items/next").status == 401
    assert anna.join(site.tokens["anna"]).status == 404
    assert anna.join(link.rsplit("/", 1)[1]).status == 303
    assert anna.get("/api/items/next").status == 200
    assert admin.ask("PUT", f"/api/admin/people/{identity}", {"active": False}).status == 200
    assert anna.get("/api/items/next").status == 401
    assert anna.join(link.rsplit("/", 1)[1]).status == 404
    assert admin.ask("PUT", f"/api/admin/people/{identity}", {"active": True}).status == 200
    assert anna.join(link.rsplit("/", 1)[1]).status == 303


def test_the_cookie(serve):
    """Scripts cannot read it, other sites do not send it with changes, and behind HTTPS it is sent only there."""
    site = serve()
    site.enter("anna")
    cookie = site.stranger().get(f"/join/{site.tokens['anna']}").headers["Set-Cookie"]
    assert all(
        part in cookie for part in (f"saiten-{site.port}=", "HttpOnly", "SameSite=lax", "Path=/", "Max-Age=2592000")
    )
    assert "Secure" not in cookie
    assert site.tokens["anna"] not in cookie
    proxied = serve(
        web={"address": "https://grade.example.org", "hosts": frozenset({"grade.example.org"}), "behind_proxy": True}
    )
    proxied.enter("anna")
    cookie = (
        proxied.stranger()
        .get(f"/join/{proxied.tokens['anna']}", headers={"Host": "grade.example.org"})
        .headers["Set-Cookie"]
    )
    assert cookie.startswith("__Host-saiten=")
    assert "Secure" in cookie


def test_behind_a_proxy_only_its_own_origin_counts(serve):
    """What counts is the address that browsers see, whatever name the proxy uses for us."""
    site = serve(
        web={"address": "https://grade.example.org", "hosts": frozenset({"grade.example.org"}), "behind_proxy": True}
    )
    anna = site.enter("anna")
    for host in (site.host, "grade.example.org"):
        assert (
            anna.ask(
                "POST",
                "/api/language",
                {"language": "ja"},
                headers={"Host": host, "Origin": "https://grade.example.org"},
            ).status
            == 204
        )
        assert (
            anna.ask(
                "POST", "/api/language", {"language": "ja"}, headers={"Host": host, "Origin": f"http://{host}"}
            ).status
            == 403
        )


@pytest.mark.parametrize("token", ["", "x", "x" * 300, "%00", "..%2f..", "ü", "' OR 1=1 --", "t" * 42])
def test_wrong_links(shared, token):
    """A page says so, and sets no cookie."""
    reply = shared.stranger().get(f"/join/{quote(token, safe='%')}")
    assert reply.status == 404
    assert "set-cookie" not in reply.headers
    assert "text/html" in reply.headers["Content-Type"]


def test_wrong_links_are_slowed_down(serve):
    """After ten in a minute an address has to wait, and the admin's token, which people may choose, does not work."""
    site = serve()
    guesser = site.stranger()
    statuses = [guesser.get(f"/join/{n:043}").status for n in range(12)]
    assert statuses == [404] * 10 + [429] * 2
    reply = guesser.get(f"/join/{site.tokens['admin']}")
    assert (reply.status, reply.headers["Retry-After"]) == (429, "60")


def test_a_team_behind_one_address_joins_at_once(serve):
    """Fifty people whose proxy has one address join together, although some of them opened wrong links."""
    site = serve()
    names = [f"person-{n}" for n in range(50)]
    site.tokens |= {name: create_person(site.project, name, "annotator")[1] for name in names}
    guesser = site.stranger()
    assert [guesser.get(f"/join/{n:043}").status for n in range(11)][-1] == 429
    with ThreadPoolExecutor(8) as together:
        statuses = [*together.map(lambda name: site.stranger().get(f"/join/{site.tokens[name]}").status, names)]
    assert statuses == [303] * 50


def test_an_admin_cannot_shut_themselves_out(serve):
    """Nor can the project be left without an admin."""
    site = serve()
    admin = site.enter("admin")
    assert admin.ask("PUT", f"/api/admin/people/{site.person('admin').id}", {"active": False}).status == 422
