"""The view of units: their positions, overlaps, and display in a terminal."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from saiten.demo.gist import load_gist
from saiten.metrics.judged.gist_counts import WHICH, profile_of
from saiten.records import Sample, Score, Scored
from saiten.views.gist.marked import MarkedText
from saiten.views.gist.screen import broken, print_gist, print_gist_run
from saiten.views.gist.view import KINDS, Finding, Unit, cut, gist_run, gist_view, gist_views, harmless
from saiten.views.page.sample_page import print_sample
from saiten.views.strip_controls import clean
from saiten.views.table import Table
from saiten.views.terminal import print_tables

MESSY = st.text(st.sampled_from("ab \n\r\t\0\x1b\u202eé\u0301が\u3099。「」⟦⟩𠮷👩\u200d🏫☁\ufe0f\ud83d<>&\"'[]{}") | st.characters(), max_size=40)  # fmt: skip


@st.composite
def texts_with_units(draw):
    """A text and units at any positions in it."""
    text = draw(MESSY)
    places = st.lists(st.integers(0, len(text)), min_size=2, max_size=2, unique=True).map(sorted)
    spans = draw(st.lists(st.tuples(st.sampled_from(KINDS), places), max_size=12)) if text else []
    return text, [Unit(kind, text[start:end], start, end) for kind, (start, end) in spans]


def span(text, part, **more):
    """A unit as it is stored in the details."""
    at = text.index(part)
    return {"text": part, "start": at, "end": at + len(part)} | more


def details(reference=None, spans=None, **more):
    """Details like those of the metric."""
    counts = {name: len((reference or {}).get(name, ())) for name in ("gist", "supplement")}
    counts |= {name: len((spans or {}).get(name, ())) for name in WHICH}
    return {
        "profile": profile_of(counts),
        "counts": counts,
        "reference": reference,
        "spans": spans,
        "faults": [],
    } | more


def built_in(one):
    """A sample whose units are known, as if a judge had found them."""
    units = {
        name: [{"text": unit.text, "start": unit.start, "end": unit.end} for unit in found]
        for name, found in one.units.items()
    }
    return details({name: units[name] for name in ("gist", "supplement")}, {name: units[name] for name in WHICH})


def view_of(sample, found):
    """The view."""
    return gist_view(sample, Finding("gist", found, ""))


def printed(view, width=100, encoding="utf-8", **settings):
    """What is printed on the screen."""
    kept = io.BytesIO()
    out = Console(file=io.TextIOWrapper(kept, encoding=encoding, write_through=True), width=width, **settings)
    print_gist(view, out)
    return kept.getvalue().decode(encoding)


@given(texts_with_units())
def test_pieces_are_the_text_and_each_unit_is_where_it_was_marked(case):
    """The pieces join to the text; those under a unit join to the unit; each unit begins once; nothing is lost."""
    text, units = case
    pieces, too_deep = cut(text, units)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)
    begun = [unit for piece in pieces for unit in piece.units[len(piece.units) - piece.begin :]]
    assert sorted(map(id, (*begun, *too_deep))) == sorted(map(id, units))
    for unit in begun:
        under = [any(one is unit for one in piece.units) for piece in pieces]
        assert "".join(piece.text for piece, there in zip(pieces, under, strict=True) if there) == unit.text
        before = pieces[: under.index(True)]
        assert sum(len(piece.text) for piece in before) == unit.start


@given(texts_with_units())
def test_what_is_shown_is_harmless_and_the_same_however_it_is_cut(case):
    """A two-character line end stays one, even if a unit ends between them."""
    text, units = case
    shown = "".join(piece.text for piece in harmless(cut(text, units)[0]))
    assert shown == clean(text)
    assert not set(shown) & {"\0", "\r", "\x1b", "\u202e", "\ud83d", "\x9b"}
    shown.encode()


def test_units_that_pile_up_are_listed_from_the_ninth_on():
    """Nobody can distinguish that many, and a hostile file must not be able to make a page of any size."""
    text = "x" * 3_000
    pieces, too_deep = cut(text, [Unit("gist", text[n:], n, len(text)) for n in range(3_000)])
    assert len(too_deep) == 2_992
    assert len(pieces) == 8


@pytest.mark.parametrize("one", load_gist(), ids=lambda one: one.sample.id)
def test_the_built_in_samples_are_marked_as_they_were_made(one):
    """Every unit of the reference appears once, missing ones marked as such, and every extra passage of the answer."""
    view = view_of(one.sample, built_in(one))
    assert view.unplaced == ()
    found = {kind: set() for kind in KINDS}
    for piece in (*view.reference, *view.answer):
        for unit in piece.units:
            found[unit.kind].add(unit.text)
    expected = {kind: {unit.text for unit in one.units[kind]} for kind in KINDS}
    for name in ("gist", "supplement"):
        expected[name] -= expected[f"missing_{name}"]
    assert found == expected
    assert {piece.text.strip() for piece in view.reference if not piece.units} <= {""}


REFERENCE = "Pens 🎁 are fine.\r\nが\u0301 é costs more."


@pytest.mark.parametrize(
    "unit",
    [
        {"text": "Pens", "start": 1, "end": 5},
        {"text": "Pens", "start": -4, "end": 4},
        {"text": "Pens", "start": 0, "end": 10_000},
        {"text": "", "start": 3, "end": 3},
        {"text": "Pens", "start": True, "end": 4},
        {"text": "Pens", "start": 0.0, "end": 4.0},
        {"text": "Pens", "start": "0", "end": "4"},
        {"text": "Pens", "start": 0},
        {"text": ["Pens"], "start": 0, "end": 4},
    ],
)
def test_offsets_that_do_not_hold_the_words_mark_nothing(unit):
    """The unit is listed instead: a file may have been edited."""
    view = view_of(Sample("s", reference=REFERENCE), details({"gist": [unit], "supplement": []}, {}))
    assert [piece.units for piece in view.reference] == [()]
    assert len(view.unplaced) == 1


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"profile": "all wrong"},
        {"profile": ["missing gist"]},
        {"profile": "missing gist"},
        {"profile": "missing gist", "spans": 3, "reference": [], "counts": None, "faults": "no"},
        {"profile": "missing gist", "spans": {"missing_gist": [None, 3, "x", {}]}, "counts": {"missing_gist": "1"}},
        {"profile": "missing gist", "reference": {"gist": {"text": "x"}}, "faults": [None, 3]},
    ],
)
def test_details_of_any_shape_can_be_shown(found):
    """Anybody may have made a run's files."""
    sample = Sample("s", "q", "a", reference="r")
    (view,) = gist_views(sample, [Scored("s", "gist[missing_gist]", Score(0.5, details=found))])
    assert "reference" in printed(view)
    out = io.StringIO()
    print_sample(sample, [Scored("s", "gist[missing_gist]", Score(0.5, details=found))], Console(file=out, width=100))
    assert out.getvalue()


def crossing():
    """Units that nest and cross, one that was not found, one with an explanation, and a piece without a unit."""
    text = (
        "Gifts above 50 euros must be declined. Others are entered in the register within a week. That is all there is."
    )
    units = {
        "gist": [
            span(text, "Gifts above 50 euros must be declined."),
            span(text, "Others are entered in the register"),
        ],
        "supplement": [span(text, "in the register within a week."), span(text, "50 euros")],
    }
    missing = {
        "missing_gist": [span(text, "Others are entered in the register", reason="Only gifts are mentioned.")],
        "missing_supplement": units["supplement"][:1],
        "extra_supplement": [{"text": "a kind note", "start": None, "end": None, "said": "x"}],
    }
    return view_of(Sample("s", "q", "Decline them.", reference=text), details(units, missing, faults=["no good"]))


def test_without_colors_every_kind_is_distinguishable():
    """Brackets and signs distinguish them; crossing units keep their ends; unplaced units are listed, and so are
    explanations and faults; the legend explains it.
    """
    text = printed(crossing(), width=80)
    assert "\x1b" not in text
    flat = " ".join(re.sub("[│─╭╮╯╰]", " ", text).split())
    assert "⟦G Gifts above ⟨S 50 euros⟩ must be declined.⟧" in flat
    assert "⟦-G Others are entered ⟨-S in the" in flat
    assert "register⟧ within a week.⟩ That is all there is." in flat
    assert "not found in the text: ⟨+S a kind note⟩" in flat
    assert "Only gifts are mentioned." in flat
    assert "fault no good" in flat
    for name in ("⟦-G missing gist⟧", "⟨-S missing supplement⟩", "⟦+G extra gist⟧", "⟨+S extra supplement⟩"):
        assert name in flat
    assert "missing gist, missing supplement, extra supplement -G 1 of 2 -S 1 of 2 +G 0 +S 1" in flat


def test_a_terminal_with_colors_gets_four():
    """Text that no unit covers is dim."""
    text = printed(crossing(), width=200, force_terminal=True, color_system="standard", legacy_windows=False)
    for code in ("\x1b[1;31m", "\x1b[33m", "\x1b[1;94m", "\x1b[36m", "\x1b[2m"):
        assert code in text


@pytest.mark.parametrize("width", [20, 200])
def test_a_cell_of_a_table_has_the_same_colors(width):
    """Also if it is broken into lines; as text it has the signs alone."""
    cell = MarkedText(crossing().reference)
    out = io.StringIO()
    settings = {"force_terminal": True, "color_system": "standard", "legacy_windows": False}
    print_tables([Table("t", ("a", "b"), ((1, cell),))], Console(file=out, width=width, **settings))
    for code in ("\x1b[1;31m", "\x1b[33m"):
        assert code in out.getvalue()
    assert "".join(re.sub("\x1b\\[[0-9;]*m", "", out.getvalue()).split()).count("⟦-G") == str(cell).count("⟦-G")
    assert "\x1b" not in cell


@pytest.mark.parametrize(("width", "side_by_side"), [(89, False), (90, True), (160, True), (30, False)])
def test_narrow_terminals_get_one_below_the_other(width, side_by_side):
    """From 90 columns on they are side by side; no line is wider than the terminal."""
    for one in load_gist()[3:6] + load_gist()[30:32]:
        text = printed(view_of(one.sample, built_in(one)), width)
        first = text.splitlines()[0]
        assert ("reference" in first, "answer" in first) == (True, side_by_side)
        assert max(map(cell_len, text.splitlines())) <= width


def test_full_width_text_is_aligned():
    """The frames' borders are aligned vertically, whatever is in them."""
    for one in load_gist("ja"):
        lines = [
            line for line in printed(view_of(one.sample, built_in(one)), 120).splitlines() if line[:1] in set("│╭╰")
        ]
        places = [tuple(cell_len(line[:at]) for at, char in enumerate(line) if char in "│╭╮╯╰") for line in lines]
        assert set(places) == {(0, 58, 60, 118)}


def test_a_terminal_of_ascii_gets_brackets_that_it_has():
    """None of our signs breaks a stream with an old encoding."""
    sample = Sample("s", "q", "Decline them.", reference="Gifts are bad.")
    units = {"gist": [span("Gifts are bad.", "Gifts are bad.")], "supplement": []}
    text = printed(view_of(sample, details(units, {"missing_gist": units["gist"]})), encoding="ascii").replace(
        "\xa0", " "
    )
    assert "[-G Gifts are bad.]" in text


@given(MESSY, MESSY, st.integers(1, 130), st.booleans())
def test_no_text_can_style_or_break_the_screen(first, second, width, colors):
    """Neither answers nor what a judge says about them."""
    item = {"text": second, "start": None, "end": None, "said": first, "reason": second}
    units = {"gist": [item, {"text": first, "start": 0, "end": len(first), "reason": second}], "supplement": []}
    found = details(units, {"extra_gist": [{"text": second, "start": 0, "end": len(second)}]}, faults=[first])
    view = view_of(Sample(first, second, second, reference=first, system=second), found)
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colors, color_system="standard" if colors else None)
    print_gist(view, console)
    print_gist_run(
        gist_run([Scored(first, "gist[extra_gist]", Score(0.5, details=found))], lambda: [view.sample]), console
    )
    text = re.sub("\x1b\\[[0-9;]*m", "", out.getvalue()) if colors else out.getvalue()
    assert not set(text) & set("\x1b\0\r\u202e\x9b\x07")
    text.encode()


@given(MESSY, st.integers(2, 40))
def test_lines_are_the_text_and_fit(text, width):
    """Only spaces at their ends are lost; none is wider than allowed."""
    text = clean(text)
    lines = [line.plain for line in broken(Text(text), width)]
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines if "\t" not in line)


def test_japanese_lines_begin_and_end_as_they_should():
    """A line may end between any two full-width signs, but not before 。 or 」 and not after 「."""
    text = "彼は「はい」と言いました。これで、終わりです。" * 20
    for width in range(6, 40):
        lines = [line.plain for line in broken(Text(text), width)]
        assert not any(line[0] in "。、」" or line[-1] == "「" for line in lines)
        assert all(cell_len(line) > width - 8 for line in lines[:-1]), "lines are filled"


def test_a_very_long_line_is_broken_at_once():
    """The time is linear, with units everywhere."""
    text = Text("語" * 100_000)
    for at in range(0, 100_000, 500):
        text.stylize("bold", at, at + 250)
    assert len(broken(text, 50)) == 4_000


def test_one_sample_is_shown_with_its_units():
    """They replace answer and reference; the details are not repeated four times; another sample has its panels."""
    one = load_gist("en")[2]
    scores = [Scored(one.sample.id, f"gist[{which}]", Score(0.5, details=built_in(one))) for which in WHICH]
    scores.append(Scored(one.sample.id, "length", Score(3.0, details={"characters": 76})))
    out = io.StringIO()
    print_sample(one.sample, scores, Console(file=out, width=120))
    assert out.getvalue().count("╭─ reference") == out.getvalue().count("╭─ answer") == 1
    assert "⟦-G and" in out.getvalue()
    assert '"spans"' not in out.getvalue()
    assert '{"characters": 76}' in out.getvalue()


def scored(sample, found, metric="gist[missing_gist]"):
    """A score with these details."""
    return Scored(sample, metric, Score(0.5, details=found))


def test_a_run_is_read_in_the_order_of_its_samples():
    """The last score counts, a failure never hides what another ratio found; each setting has its own view."""
    sample = Sample("s", "q", "Yes.", reference="No.")
    right = details({"gist": [span("No.", "No.")], "supplement": []}, {"missing_gist": [span("No.", "No.")]})
    scores = [
        Scored("b", "gist[missing_gist]", Score(None, "failed", "no network")),
        scored("b", right, "gist[extra_gist]"),
        Scored("b", "gist[missing_supplement]", Score(None, "failed", "no network")),
        Scored("a", "gist[missing_gist]", Score(None, "unreadable", "…")),
        scored("a", right, "gist[missing_gist,role=x]"),
        scored("gone", right),
        Scored("a", "length", Score(3.0)),
    ]
    samples = [
        Sample("a", "q", "Yes.", reference="No.", language="ja"),
        Sample("b", "q", "Yes.", reference="No."),
        sample,
    ]
    run = gist_run(iter(scores), lambda: iter(samples))
    shown = [(view.sample.id, view.metric, view.profile) for view in run.views()]
    assert shown == [
        ("a", "gist", None),
        ("a", "gist[role=x]", "missing gist"),
        ("b", "gist", "missing gist"),
    ]
    assert [view.reason for view in run.views()] == ["unreadable: …", "", ""]
    assert (run.shown, run.total, run.language) == (3, 4, "ja")
    assert dict(run.by_profile) == {"missing gist": 2, None: 1}
    assert gist_run([Scored("a", "length", Score(3.0))], lambda: iter(samples)) is None


@pytest.mark.parametrize(
    ("bounds", "shown"), [({"most": 3}, 3), ({"most_characters": 30}, 4), ({"most_characters": 1}, 1)]
)
def test_a_large_run_is_shown_in_part_and_says_so(bounds, shown):
    """Answers and characters are bounded; the profiles count all of them; one answer is always shown."""
    found = details({"gist": [span("No.", "No.")], "supplement": []}, {})
    samples = [Sample(f"q{n}", "q", "Yes", reference="No.") for n in range(10)]
    run = gist_run([scored(one.id, found) for one in samples], lambda: iter(samples), **bounds)
    assert [view.sample.id for view in run.views()] == [f"q{n}" for n in range(shown)]
    assert (run.shown, run.total, run.profiles[0].total) == (shown, 10, 10)
    out = io.StringIO()
    print_gist_run(run, Console(file=out, width=100))
    assert f"{shown} of 10 answers are shown" in out.getvalue()


def test_details_that_nest_without_end_cost_their_answer_alone():
    """A damaged file must not hide the rest of the run."""
    deep = []
    for _ in range(10_000):
        deep = [deep]
    right = details({"gist": [span("No.", "No.")], "supplement": []}, {})
    samples = [Sample("a", "q", "Yes", reference="No."), Sample("b", "q", "Yes", reference="No.")]
    run = gist_run([scored("a", right | {"spans": deep}), scored("b", right)], lambda: iter(samples))
    assert [view.profile for view in run.views()] == [None, "nothing missing or extra"]
