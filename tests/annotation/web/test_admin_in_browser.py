"""The admin's pages in a real Chromium: they work, nothing violates the policy, and no text acts."""

import pytest

import browsing
from saiten.annotation.forms import PreferenceForm
from saiten.annotation.store.annotations import annotated_item
from saiten.metrics.rubrics import read_rubric
from saiten.records import Sample

playwright = browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

PAYLOADS = {
    "grade": ({"grade": 1}, {"grade": 5}),
    "correct": ({"correct": True}, {"correct": False}),
    "aspects": tuple(
        {"grades": {"formality": f, "factuality": 3, "amount_info": 0, "acceptability": 3}} for f in (0, 1)
    ),
    "gist": ({"spans": {"gist": [[0, 4]]}}, {"spans": {"gist": [[0, 9]], "extra_gist": [[0, 3], [4, 6]]}}),
    "preference": (
        {"order": [["a1"], ["a2", "a3"]], "none_good": False},
        {"order": [["a3"], ["a1"], ["a2"]], "none_good": True},
    ),
    "approve": (
        {"decision": "reject", "question": "x", "reference": "y"},
        {"decision": "edit", "question": "Question 2", "reference": "Reference <b>2</b>"},
    ),
}
OPTIONS = {"picked and graded": PreferenceForm(pick=True, rubric=read_rubric()).options}
PAYLOADS["picked and graded"] = tuple(
    {
        "order": [[best]],
        "none_good": False,
        "grades": {f"a{n}": PAYLOADS["aspects"][n == 2 and best == "a2"]["grades"] for n in (1, 2, 3)},
    }
    for best in ("a1", "a2")
)
HOSTILE = "<script>window.hit=1</script><img src=x onerror=window.hit=1>"


@pytest.fixture
def opened(browser):
    """`opened(site, path)`: the admin's page; at teardown the console is empty."""
    contexts, console = [], []

    def go(site, path, **settings):
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.goto(f"{site.url}/join/{site.tokens['admin']}")
        page.goto(f"{site.url}{path}")
        return page

    yield go
    for context in contexts:
        context.close()
    assert console == []


@pytest.mark.parametrize("form", PAYLOADS)
def test_a_decision_is_taken_over_changed_and_stored(serve, opened, form):
    """The page's buttons and fields work for every form."""
    samples = [
        Sample(f"q/{n}", f"Question {HOSTILE}", f"Answer {n} of them {HOSTILE}", reference=f"Reference {n} {HOSTILE}")
        for n in range(3 if form in {"preference", *OPTIONS} else 1)
    ]
    site = serve("preference" if form in OPTIONS else form, samples, options=OPTIONS.get(form))
    for name, payload in zip((HOSTILE, "ben"), PAYLOADS[form], strict=True):
        visitor = site.enter(name)
        visitor.get("/api/items/next")
        assert visitor.save(1, {**payload, "reason": HOSTILE}).status == 200
    page = opened(site, "/admin/differences")
    page.locator("tbody a").click()
    for button, payload in zip((1, 0), reversed(PAYLOADS[form]), strict=True):
        page.locator(f'[data-take="{button}"]').click()
        page.locator("textarea[name=note]").fill(f"as {button}")
        with page.expect_navigation():
            page.locator("#decision button.main").click()
        decision = annotated_item(site.project, 1).decision
        kept = site.form.check(annotated_item(site.project, 1).item.content, {**payload, "reason": f"as {button}"})
        assert (decision.payload, decision.note) == (kept, f"as {button}")
    assert page.evaluate("window.hit") is None
    assert page.locator("main script:not([type='application/json'])").count() == 0


def test_people_get_their_links_and_are_shut_out(serve, opened):
    """Adding a name shows the link; a second click revokes it."""
    site = serve()
    page = opened(site, "/admin/people")
    page.get_by_label("Name").fill(f"eve {HOSTILE}")
    page.get_by_role("button", name="Add").click()
    link = page.get_by_label("New link")
    link.wait_for()
    eve = site.stranger()
    assert eve.join(link.input_value().rsplit("/", 1)[1]).status == 303
    page.reload()
    page.get_by_role("button", name="Lock out").click()
    page.get_by_role("button", name="Restore access").wait_for()
    assert eve.get("/api/items/next").status == 401
    assert page.evaluate("window.hit") is None


def test_progress_and_agreement_fill_in_and_the_language_changes(serve, opened):
    """Figures appear by themselves, progress is polled without reloading the page; the page switches to Japanese."""
    site = serve()
    for name, grade in (("anna", 3), (HOSTILE, 4)):
        visitor = site.enter(name)
        visitor.get("/api/items/next")
        visitor.save(1, {"grade": grade, "reason": ""})
    page = opened(site, "/admin", locale="en-GB", color_scheme="dark")
    page.locator("#agreement tbody tr").nth(3).wait_for()
    assert "percent" in page.locator("#agreement").inner_text()
    page.evaluate("document.querySelector('#progress thead').dataset.same = 'yes'")
    visitor.get("/api/items/next")
    visitor.save(2, {"grade": 2, "reason": ""})
    page.locator("#progress tbody tr", has_text=HOSTILE).locator("td", has_text="2").wait_for()
    assert page.locator("#progress thead[data-same]").count() == 1
    with page.expect_navigation():
        page.get_by_role("button", name="日本語").click()
    assert page.locator("h1").inner_text() == "進み具合"
    assert page.evaluate("window.hit") is None


def test_an_admin_marks_passages_as_annotators_do_and_goes_on(serve, opened):
    """It starts from one annotator's marks, one more is added in the text itself; then comes the next difference."""
    samples = [Sample(f"q{n}", "Q?", f"One. Two {n}.", reference="First. Second.") for n in (1, 2)]
    site = serve("gist", samples)
    for name, gist in (("anna", [[0, 6]]), ("ben", [[7, 14]])):
        visitor = site.enter(name)
        while (reply := visitor.get("/api/items/next")).status == 200:
            visitor.save(reply.json["number"], {"spans": {"gist": gist}})
    page = opened(site, "/admin/items/1")
    page.locator('[data-take="0"]').click()
    answer = page.locator(".answer .text")
    answer.focus()
    for key in (".", "1"):
        page.keyboard.press(key)
    page.get_by_role("button", name="“First.” is marked as gist; change it to supplement").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Store and go to the next difference").click()
    assert page.url.endswith("/admin/items/2")
    spans = annotated_item(site.project, 1).decision.payload["spans"]
    assert {name: places for name, places in spans.items() if places} == {
        "supplement": [[0, 6]],
        "extra_gist": [[0, 4]],
    }


def test_marks_are_seen_in_color_before_they_are_taken_over(serve, opened):
    """Each card (annotator, judge, decision) shows both texts with their marks; the form is still empty."""
    sample = Sample("q", "Q?", "One. Two 🚗.", reference="First. Second.")
    judged = {"spans": {"supplement": [[7, 14]], "missing_supplement": [[7, 14]]}}
    site = serve("gist", [sample], beforehand=[("q", "judge", judged)])
    for name, payload in (("anna", {"gist": [[0, 6]], "extra_gist": [[5, 11]]}), ("ben", {"gist": [[0, 14]]})):
        visitor = site.enter(name)
        visitor.get("/api/items/next")
        assert visitor.save(1, {"spans": payload}).status == 200
    page = opened(site, "/admin/items/1")
    page.locator('[data-take="0"]:enabled').wait_for()
    cards = page.locator(".side-by-side > section")
    marks = [
        [(mark.get_attribute("class"), mark.inner_text()) for mark in card.locator(".marked mark").all()]
        for card in cards.all()
    ]
    assert marks == [
        [("bg", "First."), ("eg", "Two 🚗.")],
        [("bg", "First. Second.")],
        [("bs", "Second."), ("ms", "Second.")],
    ]
    fills = page.evaluate(
        "[...document.querySelectorAll('.marked mark:is(.bg, .eg)')].map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert "rgba(0, 0, 0, 0)" not in fills
    assert page.locator("#texts mark").count() == 0
    page.locator('[data-take="0"]').click()
    assert page.locator("#texts mark").count() == 2


@pytest.mark.parametrize(("locale", "scheme", "width"), [("en-GB", "light", 1440), ("ja-JP", "dark", 390)])
def test_axe_finds_nothing_serious_on_the_admins_pages(serve, opened, locale, scheme, width):
    """Progress, people with a new link, differences, a decision; only framed tables scroll sideways."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    site = serve("gist", [Sample("q", "Q?", "One. Two.", reference="First. Second.", contexts=("C. " * 900,) * 9)])
    for name, payload in zip(("anna", "ben"), PAYLOADS["gist"], strict=True):
        visitor = site.enter(name)
        visitor.get("/api/items/next")
        assert visitor.save(1, payload).status == 200
    look = {"locale": locale, "color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    for path in ("/admin", "/admin/people", "/admin/differences", "/admin/items/1"):
        page = opened(site, path, **look)
        if path == "/admin/people":
            page.locator("[name=name]").fill("Eve")
            page.locator("#new-person button").click()
            page.locator("#link").wait_for()
        elif path == "/admin/items/1":
            page.locator('[data-take="1"]').click()
        found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
