"""Pictures for slides: what is around a chart, 16:9, letters that can be read, both backgrounds, Japanese fonts."""

import struct

import pytest
from lxml import etree
from report_runs import samples

from saiten.errors import BadInput, ConfigurationError
from saiten.records import Score, Scored
from saiten.runs import read_run
from saiten.views.charts import drawing
from saiten.views.charts.colors import DARK, LIGHT
from saiten.views.report.chart_files import write_charts, write_picture
from saiten.views.report.document import make_report


@pytest.fixture
def report(run):
    """The report of two runs of six answers each."""

    def made(language="en", n=6, names=("before", "after"), **settings):
        folders = [run(name, samples(n, language=language)) for name in names]
        return make_report([read_run(folder) for folder in folders], **settings)

    return made


def texts_of(svg):
    """The visible texts of a picture, one per line."""
    return [node.text for node in etree.fromstring(svg.encode()).iter("{*}text")]


def png_size(path):
    """Width and height in pixels."""
    return struct.unpack(">II", path.read_bytes()[16:24])


def test_a_picture_stands_alone(report, tmp_path):
    """Its question, what is drawn, number of answers, judge, interval, and date are in each of them."""
    write_charts(report().figures, tmp_path)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) >= 5
    for path in drawn:
        text = " ".join(texts_of(path.read_text(encoding="utf-8")))
        assert "judge: offline" in text
        assert "6 answers" in text
        assert "95 % intervals" in text
        assert "saiten 0." in text
    questions = {texts_of(path.read_text(encoding="utf-8"))[0] for path in drawn}
    assert {"Is the difference real?", "How are the scores distributed?"} <= questions


def test_a_picture_of_one_run_speaks_of_that_run(run, tmp_path):
    """Not of the others in the report."""
    folders = [run("small", samples(4)), run("large", samples(8))]
    figures = list(make_report([read_run(folder) for folder in folders]).figures)
    facts = {figure.chapter: figure.text.facts for figure in figures}
    assert facts["Run: small"].startswith("4 answers")
    assert facts["Run: large"].startswith("8 answers")
    assert facts["Cost and time"].startswith("2 runs, 4–8 answers each")


@pytest.mark.parametrize(("theme", "colors"), [("light", LIGHT), ("dark", DARK)])
def test_both_backgrounds_have_their_own_colors_only(report, tmp_path, theme, colors):
    """A dark picture has no light color left over."""
    write_picture(report().main_picture, tmp_path / "main.svg", theme)
    tree = etree.fromstring((tmp_path / "main.svg").read_bytes())
    painted = {node.get(name) for node in tree.iter() for name in ("fill", "stroke")} - {None, "none"}
    assert painted <= set(colors.values())


def test_the_main_picture_has_all_systems_and_metrics(run, tmp_path):
    """Its means are those of the summary, with two decimals."""

    def both(name):
        return [one for system in ("fast", "slow") for one in samples(6, system=system)]

    def numbered(of):
        return [type(one)(**{**_fields(one), "id": f"{one.id}@{one.system}"}) for one in of]

    folder = run("one", numbered(both("one")))
    report = make_report([read_run(folder)])
    write_picture(report.main_picture, tmp_path / "main.png")
    write_picture(report.main_picture, tmp_path / "main.svg")
    assert png_size(tmp_path / "main.png") == (1920, 1080)
    texts = texts_of((tmp_path / "main.svg").read_text(encoding="utf-8"))
    assert {"fast", "slow", "faithfulness ↑", "token_f1 ↑", "Which is better?"} <= set(texts)
    figures = [f for f in report.tallies[0].summary.figures if f.system is not None]
    assert sorted(f"{f.mean:.2f}" for f in figures) == sorted(text for text in texts if text[:2] == "0." and len(text) == 4)  # fmt: skip


def _fields(one):
    return {name: getattr(one, name) for name in type(one).__slots__}


def test_what_does_not_fit_is_counted(run, tmp_path):
    """At most eight rows; the rest is in the report."""
    folders = [run(f"run {n}", samples(2)) for n in range(10)]
    write_picture(make_report([read_run(folder) for folder in folders]).main_picture, tmp_path / "main.svg")
    assert "2 more rows are in the report." in texts_of((tmp_path / "main.svg").read_text(encoding="utf-8"))


def test_japanese_without_a_font_is_no_png(report, tmp_path, monkeypatch):
    """Boxes instead of letters help nobody: the SVG is written, and what to install is said."""
    monkeypatch.setattr(drawing, "_has_japanese", lambda: False)
    found = report("ja")
    said = write_charts(found.figures, tmp_path / "figures")
    assert len(said) == 1
    assert "fonts-noto-cjk" in said[0]
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".svg", ".json"}
    with pytest.raises(ConfigurationError, match="fonts-noto-cjk"):
        write_picture(found.main_picture, tmp_path / "main.png")
    write_picture(found.main_picture, tmp_path / "main.svg")
    assert not (tmp_path / "main.png").exists()
    assert "Noto Sans CJK JP" in (tmp_path / "main.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["main.gif", "main", "main.html"])
def test_other_endings_are_refused(report, tmp_path, name):
    """Before anything is drawn."""
    with pytest.raises(ConfigurationError, match=r"\.png or \.svg"):
        write_picture(report().main_picture, tmp_path / name)


def test_nothing_to_draw_is_an_error(run, tmp_path):
    """All scores failed: the message says so, and no file is written."""
    failed = lambda sample, _: [Scored(sample.id, "token_f1", Score(None, "failed", "down"))]  # noqa: E731
    report = make_report([read_run(run("failed", samples(3), failed))])
    with pytest.raises(BadInput, match="nothing to draw"):
        write_picture(report.main_picture, tmp_path / "main.png")
    assert list(tmp_path.glob("main*")) == []
