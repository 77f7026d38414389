"""Offsets, visible signs, search and marks: the page's modules, run in the browser, against Python's counts.

Opt-in: runs where Chromium and Playwright are installed and is skipped elsewhere.
"""

import functools
import http.server
import json
import random
import re
import threading
from importlib.resources import files
from typing import ClassVar

import pytest

import browsing
from saiten.views.strip_controls import strip_controls

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

PARTS = [
    "👩\u200d🏫", "𠮷野家", "が\u3099", "e\u0301", "é", "\r\n", "\n", "\r", " ", "\u3000", "ＡＢＣ", "ｶﾞｲﾄﾞ", "ガイド", "שלום", "\u202eabc\u202c",
    "\0", "\x1b[31m", "\x85", "\ud83d", "\udc00", "\ufffe", "趣旨。", "補足、", "<b>x</b>", "&amp;", "a", "Z", "\u200b", "🇯🇵", "\U0010ffff",
]  # fmt: skip


@pytest.fixture(scope="module")
def modules(browser):
    """A page that can import the page's own modules."""

    class Static(browsing.Quiet):
        extensions_map: ClassVar = {".js": "text/javascript", ".html": "text/html"}

    folder = str(files("saiten.annotation.web") / "static")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Static, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    yield page
    page.close()
    server.shutdown()
    server.server_close()


def texts(count, seed=0):
    """Texts drawn from fragments that are hard to count."""
    drawn = random.Random(seed)
    return ["".join(drawn.choices(PARTS, k=drawn.randint(0, 12))) for _ in range(count)]


def as_js(value) -> str:
    """ASCII-only JSON, so that unpaired surrogates arrive unchanged."""
    return json.dumps(value)


def test_offsets_are_pythons_and_back(modules):
    """For every position in every text: code points as Python counts them, and the code units they came from."""
    for drawn in texts(150):
        text = drawn.encode("utf-16", "surrogatepass").decode(
            "utf-16", "surrogatepass"
        )  # two adjacent halves form a pair
        found = modules.evaluate(
            f"""async () => {{
                const {{ Points }} = await import("/text.js");
                const text = {as_js(text)};
                const points = new Points(text);
                const units = Array.from({{ length: points.length + 1 }}, (_, at) => points.toUnits(at));
                return [points.length, units.map((unit) => points.toPoints(unit)), units];
            }}"""
        )
        assert found[0] == len(text)
        assert found[1] == list(range(len(text) + 1))
        assert found[2] == [len(text[:at].encode("utf-16-le", "surrogatepass")) // 2 for at in range(len(text) + 1)]


def test_every_character_is_shown_by_one_sign(modules):
    """The length in code units stays, the signs are those used elsewhere in saiten, and no character takes effect."""
    for text in texts(150, seed=1):
        shown = modules.evaluate(f"""async () => (await import("/text.js")).shown({as_js(text)})""")
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        assert len(shown) == len(joined)
        expected = strip_controls(joined.replace("\ufffe", "\ufffd"))
        expected = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in expected)
        assert shown.replace("\u200b", "") == expected.replace("\u200b", "")  # the \r of \r\n becomes a zero-width sign


def test_search_finds_words_of_any_width_and_case(modules):
    """Half and full width, composed and decomposed, upper and lower case match; hits cover whole letters."""
    table = [
        ("ガイド", "ｶﾞｲﾄﾞとガイドとカ\u3099イト\u3099", ["ｶﾞｲﾄﾞ", "ガイド", "カ\u3099イト\u3099"]),
        ("v9", "Ｖ９ v9 V9", ["Ｖ９", "v9", "V9"]),
        ("é", "e\u0301 É e", ["e\u0301", "É"]),
        ("㌔", "キロ", ["キロ"]),
        ("キ", "㌔", ["㌔"]),
        ("a b", "b-a ab", ["b", "a", "a", "b"]),
        ("𠮷", "🍣𠮷野家", ["𠮷"]),
        ("のの", "ののの", ["のの"]),
        ("x", "", []),
    ]
    for query, text, expected in table:
        found = modules.evaluate(
            f"""async () => {{
                const {{ folded, hits }} = await import("/text.js");
                const text = {as_js(text)};
                return hits(folded(text), {as_js(query)}).map(([start, end]) => text.slice(start, end));
            }}"""
        )
        assert found == expected, query


def test_a_painted_text_is_the_text(modules):
    """However marks overlap, the text stays unchanged, and each mark covers exactly its characters."""
    drawn = random.Random(2)
    for text in texts(80, seed=2):
        units = len(text.encode("utf-16-le", "surrogatepass")) // 2
        spans = []
        for number in range(drawn.randint(0, 6) if units else 0):
            start = drawn.randrange(units)
            spans.append({"start": start, "end": drawn.randint(start + 1, units), "class": "m", "id": number})
        whole, marked, places = modules.evaluate(
            f"""async () => {{
                const {{ paint, offsetOf, placeOf }} = await import("/text.js");
                const element = document.createElement("div");
                document.body.append(element);
                const [text, spans] = [{as_js(text)}, {as_js(spans)}];
                paint(element, text, spans);
                const marked = spans.map(({{ id, start, end }}) => {{
                    const own = [...element.querySelectorAll(`[data-id="${{id}}"]`)].map((mark) => mark.textContent);
                    return own.join("") === text.slice(start, end);
                }});
                const places = Array.from({{ length: text.length + 1 }}, (_, at) => offsetOf(element, ...placeOf(element, at)) === at
                    && offsetOf(element, ...placeOf(element, at, true)) === at);
                const same = element.textContent === text;
                element.remove();
                return [same, marked, places];
            }}"""
        )
        assert whole
        assert all(marked)
        assert all(places)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See https://example.org/a?b=c#d.", ["https://example.org/a?b=c#d"]),
        (
            "出典：https://example.jp/規則を参照（http://example.jp/a_(b)）。",
            ["https://example.jp/", "http://example.jp/a_(b)"],
        ),
        ("(https://example.org/x), [http://example.org]!", ["https://example.org/x", "http://example.org"]),
        ("javascript:alert(1) data:text/html,x ftp://example.org file:///etc/passwd //example.org", []),
        ("https://user:secret@example.org/ https://bank.example@evil.example/", []),
        ("https:// http://? xhttp://example.org http://[::1", []),
        ("HTTPS://EXAMPLE.ORG/A", ["HTTPS://EXAMPLE.ORG/A"]),
        ('https://example.org/"onmouseover="x', ["https://example.org/"]),
        ("http://example.org/\u202ecod.exe", ["http://example.org/"]),
    ],
)
def test_only_addresses_of_pages_are_links(modules, text, found):
    """Only http and https, no user names, without surrounding punctuation; a link shows its address."""
    script = """async (text) => {
        const { paint, links, shown } = await import("/text.js");
        const place = document.createElement("div");
        paint(place, shown(text), [...links(shown(text)), { start: 0, end: Math.min(12, text.length), class: "hit", hit: 0 }]);
        return {
            text: place.textContent === shown(text),
            links: [...place.querySelectorAll("a")].map((a) => [a.textContent, a.protocol, a.target, a.rel]),
            others: [...place.querySelectorAll("*")].filter((each) => !["A", "MARK"].includes(each.tagName)).length,
        };
    }"""
    drawn = modules.evaluate(script, text)
    assert (drawn["text"], drawn["others"]) == (True, 0)
    pieces = [piece for piece, *_ in drawn["links"]]
    assert "".join(pieces) == "".join(found)
    assert {tuple(rest) for _, _, *rest in drawn["links"]} <= {("_blank", "noopener noreferrer")}
    assert {protocol for _, protocol, *_ in drawn["links"]} <= {"http:", "https:"}


def test_marks_never_overlap_within_a_layer(modules):
    """Whatever is marked in whatever order, the classes of a pair stay disjoint, no mark is empty, and the annotator's
    latest mark wins.
    """
    assert (
        modules.evaluate(
            """async () => {
            const { withMark, reclassed, trimmed, layerOf, KINDS } = await import("/forms/marks.js");
            let state = 7;
            const below = (most) => { state = (state * 1103515245 + 12345) % 2147483648; return state % most; };
            const text = "一文目です。 二文目🍣です。\\r\\n  Third one, と続く 👩\\u200d🏫 end.";
            for (let round = 0; round < 400; round += 1) {
                let marks = [];
                for (let step = 0; step < 12; step += 1) {
                    const side = below(2) ? KINDS.slice(0, 4) : KINDS.slice(4);
                    const kind = side[below(side.length)];
                    const [start, end] = [below(text.length), below(text.length)];
                    if (below(4) || !marks.length) marks = withMark(marks, text, kind, start, end);
                    else {
                        const mark = marks[below(marks.length)];
                        const kinds = layerOf(mark.kind).kinds;
                        marks = reclassed(marks, text, mark, kinds[below(2)]);
                        continue;
                    }
                    const placed = trimmed(text, start, end);
                    if (placed && !marks.some((mark) => mark.kind === kind && mark.start <= placed.start && mark.end >= placed.end)) return "lost";
                    for (const one of marks) {
                        const part = text.slice(one.start, one.end);
                        if (!part || part !== part.trim()) return "white space";
                        if (/^[\\udc00-\\udfff]|[\\ud800-\\udbff]$/.test(part)) return "half a character";
                        for (const other of marks) {
                            if (one !== other && layerOf(one.kind) === layerOf(other.kind) && one.start < other.end && other.start < one.end) return "overlap";
                        }
                    }
                }
            }
            return "";
        }"""
        )
        == ""
    )


def test_a_name_for_a_save_is_a_uuid_without_a_secure_origin(modules):
    """Pages served over plain HTTP from another machine have no crypto.randomUUID."""
    found = modules.evaluate(
        """async () => {
            const { unique } = await import("/outbox.js");
            const own = Array.from({ length: 50 }, unique);
            Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
            const others = Array.from({ length: 50 }, unique);
            delete crypto.randomUUID;
            return [...own, ...others];
        }"""
    )
    pattern = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
    assert len(set(found)) == 100
    assert all(re.match(pattern, each) for each in found)
