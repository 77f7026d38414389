"""The page of units in a real browser: marks, filter, tooltips of units, both schemes, both languages.

Opt-in: runs where Chromium and Playwright are installed (see docs/output-formats.md) and is skipped elsewhere.
"""

import pytest

import browsing
from saiten.demo.gist import load_gist
from saiten.metrics.judged.gist_counts import WHICH, profile_of
from saiten.records import Sample, Score, Scored
from saiten.views.gist.page import write_gist_page
from saiten.views.gist.view import gist_run
from saiten.views.strip_controls import clean

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

HOSTILE = (
    '</p><script>document.title=1</script><img src=http://127.0.0.1:9/x onerror="document.title=2">\u202e\0\ud83d '
)
TEXT = f"{HOSTILE}👩\u200d🏫 が\u3099 é e\u0301 𠮷野家\r\nＡＢＣ שלום end"


@pytest.fixture
def opened(browser, tmp_path):
    """`opened(scores, samples, …)`: the page; at teardown there was no error and no other request."""
    with browsing.watched(browser, tmp_path) as open_page:

        def opened(scores, samples, scheme="light", size=(1200, 900), *, javascript=True, **settings):
            with (tmp_path / "page.html").open("w", encoding="utf-8") as out:
                run = gist_run(iter(scores), lambda: iter(samples))
                write_gist_page(run, out, **({"title": "Gist"} | settings))
            return open_page(scheme, size, javascript=javascript)

        yield opened


def built_in(language):
    """Scores and samples whose units are known, as if a judge had found them."""
    scores, samples = [], []
    for one in load_gist(language):
        units = {
            name: [{"text": unit.text, "start": unit.start, "end": unit.end} for unit in found]
            for name, found in one.units.items()
        }
        counts = {name: len(found) for name, found in units.items()}
        details = {
            "profile": profile_of(counts),
            "counts": counts,
            "reference": {name: units[name] for name in ("gist", "supplement")},
            "spans": {name: units[name] for name in WHICH},
        }
        scores.append(Scored(one.sample.id, "gist[missing_gist]", Score(0.5, details=details)))
        samples.append(one.sample)
    return scores, samples


def of_text(*spans):
    """Score and sample with these spans of the text, as (kind, start, end), in reference and answer."""
    units = {kind: [] for kind in ("gist", "supplement", *WHICH)}
    for kind, start, end in spans:
        units[kind].append({"text": TEXT[start:end], "start": start, "end": end, "reason": HOSTILE})
    details = {"profile": "missing gist", "counts": {}, "reference": {}, "spans": units, "faults": [HOSTILE]}
    sample = Sample(HOSTILE, HOSTILE, TEXT, reference=TEXT, group=HOSTILE)
    return [Scored(HOSTILE, "gist[missing_gist]", Score(0.5, details=details))], [sample]


def shown(page):
    """The IDs of the answers shown."""
    return page.locator("article:not([hidden]) h3").all_text_contents()


def test_marks_hold_exactly_their_characters_in_the_browser(opened):
    """The browser counts in UTF-16, the offsets in code points: that does not matter, since marks are elements. Hostile
    texts, emoji, combining characters, CRLF and right-to-left words before a unit do not shift it.
    """
    places = [TEXT.index(part) for part in ("👩", "\u3099", "\u0301", "𠮷", "\n", "Ｂ", "ש", "end")]
    spans = [("missing_gist", at, at + 1) for at in places]
    spans += [("extra_supplement", 0, len(TEXT)), ("extra_gist", places[3] - 2, places[5])]
    page = opened(*of_text(*spans))
    found = page.evaluate(
        """[...document.querySelectorAll("article .side")].map((side) =>
             [...side.querySelectorAll("mark")].map((mark) => {
               const before = document.createRange();
               before.selectNodeContents(side);
               before.setEndBefore(mark);
               return [mark.className, [...before.toString()].length, mark.textContent];
             }))"""
    )
    reference, answer = found
    assert [(name, text) for name, _, text in reference] == [("mg", clean(TEXT[at : at + 1])) for at in places]
    assert [start for _, start, _ in reference] == [
        len(clean(TEXT[:at]).rstrip("\r")) - (TEXT[at] == "\n") for at in places
    ]
    assert answer[0] == ["es", 0, clean(TEXT)]
    assert answer[1] == ["eg", len(clean(TEXT[: places[3] - 2])), clean(TEXT[places[3] - 2 : places[5]])]
    sides = page.locator("article .side")
    assert [side.evaluate("side => side.textContent") for side in sides.all()] == [clean(TEXT), clean(TEXT)]


def test_texts_from_outside_do_nothing(opened):
    """No script in them runs, and they are shown unchanged, including in tooltips of units."""
    page = opened(*of_text(("missing_gist", 0, 10)))
    assert page.title() == "Gist · saiten"
    assert page.locator("img").count() == 0
    mark = page.locator("article mark.mg").first
    mark.hover()
    tooltip = page.get_by_role("tooltip").evaluate("tip => tip.textContent")
    assert clean(HOSTILE) in tooltip
    assert page.title() == "Gist · saiten"


def test_answers_are_filtered_by_profile_and_by_text(opened):
    """Both combine; all words must match, full width or half; the count is shown; clicking a profile name selects it,
    and a second click shows all again.
    """
    scores, samples = built_in("ja")
    page = opened(scores, samples)
    everything = [one.id for one in samples]
    assert shown(page) == everything
    profiles = {one.sample: one.score.details["profile"] for one in scores}
    page.get_by_label("表示").select_option(label="不足（趣旨） (3)")
    of_profile = [one for one in everything if profiles[one] == "missing gist"]
    assert shown(page) == of_profile
    word = samples[everything.index(of_profile[1])].question[:6]
    page.get_by_label("文字で絞り込む").fill(f"{word} {of_profile[1].upper()}")
    page.get_by_text("24 件中 1 件").wait_for()
    assert shown(page) == [of_profile[1]]
    page.get_by_label("文字で絞り込む").fill("そんな言葉はどこにもない")
    page.get_by_text("該当する回答はない。").wait_for()
    page.get_by_label("文字で絞り込む").fill("")
    page.get_by_role("button", name="不足も不適もなし", exact=True).click()
    assert set(shown(page)) == {one for one in everything if profiles[one] == "nothing missing or extra"}
    page.get_by_role("button", name="不足も不適もなし", exact=True).click()
    assert shown(page) == everything


def test_a_unit_shows_what_it_is(opened):
    """Pointer and keyboard both show it; Escape hides it; where units overlap, each is described."""
    text = "Gifts above 50 euros are declined."
    units = [{"text": text, "start": 0, "end": len(text), "reason": "Because."}]
    inner = [{"text": "50 euros", "start": 12, "end": 20}]
    details = {"profile": "missing gist", "counts": {}, "reference": {"gist": units}, "spans": {"missing_gist": units, "missing_supplement": inner}}  # fmt: skip
    page = opened(
        [Scored("s", "gist[missing_gist]", Score(1.0, details=details))], [Sample("s", "q", "a", reference=text)]
    )
    tip = page.get_by_role("tooltip")
    assert not tip.is_visible()
    page.locator("article mark.ms").hover()
    assert tip.inner_text().split("\n") == [
        "missing supplement",
        "Only supports the answer, and the answer lacks it.",
        "missing gist",
        "Carries the answer, but the answer lacks it.",
        "Because.",
    ]
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.locator("article mark.mg").focus()
    assert tip.inner_text().startswith("missing gist")
    assert page.locator("article mark.mg").get_attribute("aria-describedby") == "tip"


def test_the_page_is_complete_without_its_script(opened):
    """Every answer has its marks and signs, and the legend is there; no filter is shown that does nothing."""
    page = opened(*built_in("en"), javascript=False)
    assert len(shown(page)) == 24
    assert page.locator(".legend mark").count() == 6
    assert not page.locator(".controls").is_visible()
    assert not page.locator(".nobody").is_visible()


def test_signs_are_shown_and_not_copied(opened):
    """Each unit begins with its sign; a continued one has none, and neither has copied text."""
    text = "one two three four"
    units = {"missing_gist": [{"text": "one two", "start": 0, "end": 7}], "missing_supplement": [{"text": "two three", "start": 4, "end": 13}]}  # fmt: skip
    details = {"profile": "missing gist", "counts": {}, "spans": units}
    for language, signs in (("en", ["−G", "−S", "none"]), ("ja", ["−趣旨", "−補足", "none"])):
        page = opened(
            [Scored("s", "gist[missing_gist]", Score(1.0, details=details))], [Sample("s", "q", "a", reference=text)],
            language=language,
        )  # fmt: skip
        marks = page.locator("article mark")
        contents = [mark.evaluate("mark => getComputedStyle(mark, '::before').content") for mark in marks.all()]
        assert [one.split(" / ")[0].strip('"').rstrip("\u2060") for one in contents] == signs
        assert page.locator("article .side").first.inner_text() == text


def test_reference_and_answer_are_side_by_side_where_there_is_room(opened):
    """On a phone they are stacked; the page never scrolls sideways; the legend stays in sight."""
    scores, samples = built_in("en")
    for width, side_by_side in ((1200, True), (390, False)):
        page = opened(scores, samples, size=(width, 800))
        first, second = (side.bounding_box() for side in page.locator("article").first.locator(".side").all())
        assert (first["y"] == second["y"]) is side_by_side
        page.evaluate("scrollTo(0, 3000)")
        assert page.locator(".legend").bounding_box()["y"] < 40
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_thousands_of_answers_open_and_filter(opened):
    """Only the visible part is laid out."""
    scores, samples = built_in("en")
    many = [(Scored(f"{one.sample}-{n}", one.metric, one.score), sample, n) for n in range(100) for one, sample in zip(scores, samples, strict=True)]  # fmt: skip
    copies = [Sample(one.sample, sample.question, sample.answer, reference=sample.reference) for one, sample, _ in many]
    page = opened([one for one, _, _ in many], copies)
    assert page.locator("article").count() == 2_400
    page.get_by_label("Filter by text").fill("en-g07-93")
    page.get_by_text("1 of 2400 answers").wait_for()
    assert shown(page) == ["en-g07-93"]


@pytest.mark.parametrize(("language", "scheme", "size"), [("en", "light", (1280, 1000)), ("ja", "dark", (1280, 1000)), ("ja", "light", (390, 900)), ("en", "dark", (390, 900))])  # fmt: skip
def test_screenshots_are_kept(opened, tmp_path, language, scheme, size):
    """In both languages and schemes, wide and narrow; the scheme is the requested one."""
    page = opened(*built_in(language), scheme=scheme, size=size)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(ground.split("(")[1].split(",")[0]) < 128) is (scheme == "dark")
    page.locator(".gist-view").scroll_into_view_if_needed()
    shot = tmp_path / f"gist-{language}-{scheme}-{size[0]}.png"
    for _ in range(10):  # a busy machine may show a page whose parts out of sight are not painted yet
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.screenshot(path=shot)
        if shot.stat().st_size > 10_000:
            break
    assert shot.stat().st_size > 10_000
