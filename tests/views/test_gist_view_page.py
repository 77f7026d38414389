"""The page of units: its marks, its colors, and attempts of outside texts to be more than text."""

import io
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from saiten.demo.gist import load_gist
from saiten.metrics.judged.gist_counts import WHICH, profile_of
from saiten.records import Sample, Score, Scored
from saiten.views.gist.marked import CLASSES, marked
from saiten.views.gist.page import gist_block, write_gist_page
from saiten.views.gist.view import KINDS, Finding, Unit, cut, gist_run, gist_view
from saiten.views.strip_controls import clean
from saiten.words import section

TEMPLATES = files("saiten.views").joinpath("templates")
PAGE_CSS, CSS, JS = (
    TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "gist.css", "gist.js")
)
WORDS_EN = section("gist", "en")
MESSY = st.text(st.sampled_from("ab \n\r\t\0\x1b\u202e\u200fעé\u0301が\u3099。𠮷👩\u200d🏫\ud83d\uffff<>&\"'`=/-!") | st.characters(), max_size=40)  # fmt: skip


@st.composite
def texts_with_units(draw):
    """A text and units at any positions in it, few enough for all to be marked."""
    text = draw(MESSY)
    places = st.lists(st.integers(0, len(text)), min_size=2, max_size=2, unique=True).map(sorted)
    spans = draw(st.lists(st.tuples(st.sampled_from(KINDS), places), max_size=8)) if text else []
    return text, [Unit(kind, text[start:end], start, end) for kind, (start, end) in spans]


class Marks(HTMLParser):
    """The text, and where each mark begins and ends in it; a continued mark belongs to the one before."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.open, self.found, self.tags = "", [], [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        names = dict(attrs)["class"].split()
        self.open.append((tag, names, len(self.text)))

    def handle_endtag(self, tag):
        was, names, start = self.open.pop()
        assert was == tag
        if tag == "mark":
            self.found.append((names[0], "on" in names, start, len(self.text)))

    def handle_data(self, data):
        self.text += data


def parsed(text):
    """What a parser makes of it."""
    marks = Marks()
    marks.feed(str(text))
    marks.close()
    assert marks.open == []
    return marks


@given(texts_with_units())
def test_marks_hold_exactly_the_characters_of_their_units(case):
    """Counted in code points, with emoji, combining marks and CRLF; crossing units continue in a second mark; the text
    between is complete, and none of it is markup.
    """
    text, units = case
    seen = parsed(marked(cut(text, units)[0], WORDS_EN, whole=True))
    assert seen.text == clean(text)
    assert seen.tags <= {"mark", "span"}
    shown = [len(clean(text[:at])) - (text[at - 1 : at + 1] == "\r\n") for at in range(len(text) + 1)]
    covered = {kind: set() for kind in CLASSES.values()}
    for name, _, start, end in seen.found:
        covered[name] |= set(range(start, end))
    expected = {kind: set() for kind in CLASSES.values()}
    for unit in units:
        expected[CLASSES[unit.kind]] |= set(range(shown[unit.start], shown[unit.end]))
    assert covered == expected
    begun = [(name, start) for name, goes_on, start, _ in seen.found if not goes_on]
    assert sorted(begun) == sorted((CLASSES[unit.kind], shown[unit.start]) for unit in units)


def built_in(one):
    """The finding of a judge without fault."""
    units = {
        name: [{"text": unit.text, "start": unit.start, "end": unit.end} for unit in found]
        for name, found in one.units.items()
    }
    counts = {name: len(found) for name, found in units.items()}
    reference = {name: units[name] for name in ("gist", "supplement")}
    return {
        "profile": profile_of(counts),
        "counts": counts,
        "reference": reference,
        "spans": {name: units[name] for name in WHICH},
        "faults": [],
    }


def scored(sample, found, metric="gist[missing_gist]"):
    """A score with these details."""
    return Scored(sample, metric, Score(0.5, details=found))


def page_of(scores, samples, **settings):
    """The page."""
    out = io.StringIO()
    write_gist_page(gist_run(iter(scores), lambda: iter(samples)), out, **({"title": "Gist"} | settings))
    return out.getvalue()


def demo_page(language, **settings):
    """The page of the built-in samples, and one that could not be read."""
    items = load_gist(language)
    scores = [scored(one.sample.id, built_in(one)) for one in items]
    scores.append(Scored("lost", "gist[missing_gist]", Score(None, "unreadable", "no JSON")))
    samples = [*(one.sample for one in items), Sample("lost", "Why?", None, reference="", language=language)]
    return page_of(scores, samples, **settings)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_page_holds_profiles_and_answers(language):
    """The page is in the language of most samples: a table of profiles, then blocks with question, reference, answer
    and marked units; the filter is there, hidden until a script shows it.
    """
    written = demo_page(language)
    page = html.document_fromstring(written.encode())
    words = section("gist", language)
    assert page.get("lang") == language
    assert [h.text for h in page.xpath("//main//h2")] == [words["profiles"], words["units"]]
    assert len(page.xpath("//table/tbody/tr")) == 16
    blocks = page.xpath("//article")
    assert [block.findtext(".//h3") for block in blocks][-1] == "lost"
    for one, block in zip(load_gist(language), blocks, strict=False):
        assert block.xpath(".//p[@class='asked']")[0].text == one.sample.question
        assert [side.text_content() for side in block.xpath(".//p[@class='side']")] == [
            one.sample.reference,
            one.sample.answer,
        ]
        for kind in WHICH:
            found = block.xpath(f".//mark[@class='{CLASSES[kind]}']")
            assert [mark.text for mark in found] == [unit.text for unit in one.units[kind]]
    assert words["no_units"].format("unreadable: no JSON") in blocks[-1].text_content()
    assert [option.get("value") for option in page.xpath("//select/option")] == ["", *map(str, range(16)), "none"]
    assert page.xpath("//div[@class='controls']/@hidden")
    assert [mark.text for mark in page.xpath("//ul[@class='legend']//mark")] == [words[kind] for kind in KINDS]
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))


def test_the_page_loads_nothing_and_runs_only_its_own():
    """The policy lists the digests of the single style sheet and the single script, which are plain ASCII."""
    written = demo_page("en")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', written)[1]
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)
        assert f"{tag}-src 'sha256-{b64encode(sha256(inside.encode()).digest()).decode()}'" in policy
        assert inside.isascii()
    assert not re.search(r"url\(|@import|https?://|<[^>]* (?:style|on\w+)=", written)
    for name in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert name not in JS


def test_settings_have_tables_and_blocks_of_their_own():
    """Two roles are two judges."""
    one = load_gist("en")[3]
    page = html.document_fromstring(
        page_of(
            [
                scored(one.sample.id, built_in(one), f"gist[{more}]")
                for more in ("missing_gist", "missing_gist,role=<x>")
            ],
            [one.sample],
        )
    )
    assert [h.text for h in page.xpath("//main//h2")][:2] == [
        "What answers lack and add: gist",
        "What answers lack and add: gist[role=<x>]",
    ]
    assert [code.text for code in page.xpath("//article//code")] == ["gist", "gist[role=<x>]"]


@pytest.mark.parametrize(
    "outside",
    ["</p></article><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "{{ 7 * 7 }}", "]]>", "\ud83d\0\x1b\u202e", "&lt;b&gt;", "<mark class=mg>x</mark>"],
)  # fmt: skip
def test_no_text_is_markup(outside):
    """Whatever field it is in, it makes no element and no attribute, and all of it is shown."""

    def page(text):
        unit = {"text": text, "start": 0, "end": len(text), "reason": text, "said": text}
        lost = {"text": text, "start": None, "end": None, "said": text}
        found = {
            "profile": "missing gist",
            "counts": {},
            "reference": {"gist": [unit, lost], "supplement": []},
            "spans": {"extra_gist": [unit]},
            "faults": [text],
        }
        sample = Sample(text, text, text, reference=text, group=text, system=text)
        failed = Scored(text, "gist[missing_gist,role=x]", Score(None, "failed", text))
        return page_of([scored(text, found), failed], [sample], title=text)

    written = page(outside)
    written.encode()
    seen = html.document_fromstring(written.encode())
    plain = html.document_fromstring(page("harmless").encode())
    assert [(e.tag, sorted(e.keys())) for e in seen.iter()] == [(e.tag, sorted(e.keys())) for e in plain.iter()]
    assert seen.xpath("//p[@class='side']")[0].text_content() == clean(outside)
    assert seen.xpath("//article//mark[@class='eg']")[0].text == clean(outside)
    assert seen.xpath("//article//details//li")[0].text == clean(outside)
    assert not set(written) & set("\0\x1b\u202e")


def test_a_block_is_a_function_of_its_view():
    """Any page can contain it; equal views make equal blocks, in both languages."""
    one = load_gist("ja")[4]
    view = gist_view(one.sample, Finding("gist", built_in(one), ""))
    assert gist_block(view, "en") == gist_block(view, "en") != gist_block(view, "ja")
    assert str(gist_block(view, "ja")).startswith("<article")


def test_ten_thousand_answers_are_written_in_pieces():
    """All are there, never as one text; beyond the limit the page says how many it leaves out."""
    one = load_gist("en")[3]
    samples = [
        Sample(f"q{n}", one.sample.question, one.sample.answer, reference=one.sample.reference) for n in range(2_000)
    ]
    run = gist_run((scored(sample.id, built_in(one)) for sample in samples), lambda: iter(samples), most=1_500)
    pieces = []

    class Out(io.StringIO):
        def write(self, text):
            pieces.append(len(text))
            return super().write(text)

    out = Out()
    write_gist_page(run, out, title="Many")
    assert max(pieces) < 200_000
    assert out.getvalue().count("<article") == 1_500
    assert "1500 of 2000 answers are shown" in out.getvalue()


def colors(css, name=""):
    """Name → (red, green, blue) of the variables in a block of a style sheet."""
    found = re.findall(rf"--({name}[a-z-]+): #([0-9a-f]{{6}});", css)
    return {key: tuple(int(code[i : i + 2], 16) for i in (0, 2, 4)) for key, code in found}


def linear(color):
    """Linear values of sRGB."""
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in color)]


def contrast(first, second):
    """The ratio of WCAG 2.2."""
    weights = (0.2126, 0.7152, 0.0722)
    lighter, darker = sorted(
        (sum(w * c for w, c in zip(weights, linear(color), strict=True)) for color in (first, second)), reverse=True
    )
    return (lighter + 0.05) / (darker + 0.05)


SEEN_AS = {
    "trichromats": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopes": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopes": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopes": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Machado, Oliveira and Fernandes 2009, table 1, severity 1, on linear RGB."""


def lab(color, matrix):
    """CIELAB (D65) of a color as a given person sees it."""
    rgb = [min(1, max(0, sum(a * b for a, b in zip(row, linear(color), strict=True)))) for row in matrix]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in to_xyz]
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (part / white for part, white in zip(xyz, (0.95047, 1.0, 1.08883), strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def blocks(css):
    """The style sheet's colors by scheme."""
    light = css.split("@media (prefers-color-scheme: dark)")[0]
    dark = re.search(r"prefers-color-scheme: dark\) {(.*?)\n}", css, re.DOTALL)[1]
    return {"light": light, "dark": dark, "print": css.split("@media print")[1]}


FOUR = [kind.replace("_", "-") for kind in WHICH]


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_contrasts_are_those_of_wcag_aa(scheme):
    """4.5 for text on its unit's background and for signs, 3 for the lines below units; backgrounds differ little from
    the page's, so that they are unobtrusive.
    """
    around = colors(blocks(PAGE_CSS)["light"]) | colors(blocks(PAGE_CSS)[scheme])
    own = colors(blocks(CSS)[scheme])
    assert set(own) == {*FOUR, *(f"{name}-fill" for name in FOUR)}
    for name in FOUR:
        assert contrast(around["ink"], own[f"{name}-fill"]) >= 7, name
        assert contrast(own[name], around["card"]) >= 4.5, name
        assert contrast(own[name], own[f"{name}-fill"]) >= 3, name
        assert contrast(own[name], around["paper"]) >= 3, name


@pytest.mark.parametrize("who", SEEN_AS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_four_colors_differ_for_everybody(scheme, who):
    """The distance is at least 25 in CIELAB (CIE 1976), ten times the just noticeable one, for both kinds of red-green
    color blindness, for blue-yellow color blindness, and for everybody else.
    """
    own = colors(blocks(CSS)[scheme])
    seen = {name: lab(own[name], SEEN_AS[who]) for name in FOUR}
    for first, second in combinations(FOUR, 2):
        apart = sum((a - b) ** 2 for a, b in zip(seen[first], seen[second], strict=True)) ** 0.5
        assert apart >= 25, (first, second, apart)


def test_the_four_differ_without_any_color():
    """They differ by line style and by sign, in both languages; gist is filled, supplement hollow."""
    names = [CLASSES[kind] for kind in WHICH]
    lines = [re.search(rf"^mark\.{name} {{ border-block-end-style: (\w+)", CSS, re.MULTILINE)[1] for name in names]
    assert len(set(lines)) == 4
    for root in ("", ":root:lang(ja) "):
        signs = [
            re.search(rf'^{re.escape(root)}\.{name}::before {{ content: "([^"]+)"', CSS, re.MULTILINE)[1]
            for name in names
        ]
        assert len(set(signs)) == 4
