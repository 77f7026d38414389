"""What a report says above the single answers: figures first, comparisons if possible, and otherwise why not."""

from dataclasses import replace

import pytest
from report_runs import samples

from saiten.records import Label, Sample, Score, Scored
from saiten.results.figure import Figure
from saiten.runs import Journal, read_run
from saiten.views.charts.means import bounds_of, means_charts
from saiten.views.latex import as_latex
from saiten.views.render import as_csv, as_json
from saiten.views.report.document import make_report
from saiten.views.table import PValue, show_cell
from saiten.views.tables.comparison import comparison_tables


def systems(**questions):
    """One answer of each system to each of its questions, by number."""
    for system, numbers in questions.items():
        for n in numbers:
            yield Sample(f"{system}{n}", f"Question {n}?", f"Answer {n}.", system=system)


def shares(sample, number):
    """One share for each answer."""
    yield Scored(sample.id, "faithfulness", Score(number % 7 / 7))


def failed(sample, number):
    """A failed score."""
    yield Scored(sample.id, "faithfulness", Score(None, "failed", "no connection"))


@pytest.fixture
def report(run):
    """`report((name, samples, scores), …)`: the report of these runs."""

    def made(*runs, **settings):
        return make_report([read_run(run(*one)) for one in runs], **settings)

    return made


def chapter(report, title):
    """The chapter with this title."""
    (found,) = [one for one in report.chapters if str(one.title) == title]
    return found


def table(report, title):
    """The only table with this title."""
    tables = [one.in_language("en") for chapter in report.chapters for one in chapter.tables]
    (found,) = [one for one in tables if str(one.title) == title]
    return found


def titles(report, title="Is the difference real?"):
    """The titles of a chapter's tables."""
    return [str(one.title) for one in chapter(report, title).tables]


@pytest.mark.parametrize(
    ("questions", "compared", "said"),
    [
        ({"A": range(30), "B": range(30), "C": range(50, 60)}, ["A → B"], "C (no measured question in common with A)"),
        ({"A": range(90, 99), "B": range(30), "C": range(30)}, ["B → C"], "A (no measured question in common with B)"),
        ({"A": range(9), "B": range(9), "C": range(20, 29), "D": range(20, 29)}, ["A → B", "C → D"], ""),
        ({"A": range(9), "B": range(20, 29)}, [], "A, B (no measured question in common with each other)"),
    ],
)  # fmt: skip
def test_one_system_that_cannot_be_compared_keeps_no_other_from_it(report, questions, compared, said):
    """Those that share questions are compared, and the rest are named with the reason."""
    found = report(("three", systems(**questions), shares))
    chapters = [one for one in found.chapters if one.title == "Is the difference real?"]
    assert [str(one.title) for each in chapters for one in each.tables] == compared
    assert [one.lead for one in chapters] == [f"Systems of three that are not compared with any other: {said}." if said else ""]  # fmt: skip


def test_runs_without_a_value_are_distinguished_from_those_that_share_nothing(report):
    """The message is in both languages, without an option that this command lacks."""
    runs = [
        ("bad", samples(6), failed),
        ("one", samples(6), shares),
        ("two", samples(6), shares),
        ("other", samples(6, start=50), shares),
    ]
    found = report(*runs)
    lead = "Not compared with any other run: bad (nothing was measured); other (no measured answer in common with one)."
    assert (titles(found), chapter(found, "Is the difference real?").lead) == (["one → two"], lead)
    japanese = chapter(report(*runs, language="ja"), "差は有意か").lead
    assert japanese == "比較できなかった実行：bad（測定なし）、other（one と共通の測定済みの回答がない）。"


def test_a_system_whose_name_has_braces_is_only_a_name(report):
    """Names are inserted into sentences and never treated as placeholders."""
    found = report(("r", systems(**{"{0}": range(5), "{x}": range(9, 12), "c": range(5)}), shares))
    assert chapter(found, "Is the difference real?").lead.endswith(
        "any other: {x} (no measured question in common with {0})."
    )


def test_runs_that_share_no_metric_have_their_means_side_by_side_all_the_same(report):
    """Metrics that were requested but not measured appear with n = 0: scores exist, values do not."""

    def lengths(sample, number):
        yield Scored(sample.id, "token_f1", Score(0.5 + number / 100))

    found = report(("bad", samples(6), failed), ("good", samples(8), lengths))
    runs = table(found, "Runs")
    assert [row[5:8] for row in runs.rows] == [(6, 0, 12), (8, 8, 16)]
    assert runs.columns[5:8] == ("scores", "measured", "of")
    means = table(found, "Means of the runs")
    assert [(row[0], row[1], row[5], row[6]) for row in means.rows] == [
        ("faithfulness", "bad", 0, 6),
        ("faithfulness", "good", 0, 8),
        ("token_f1", "bad", 0, 6),
        ("token_f1", "good", 8, 8),
    ]
    assert [row[2] for row in means.rows[:3]] == [None] * 3


def test_systems_have_the_same_order_everywhere(report):
    """Means, tables and distributions have the same order, whatever order the systems come in."""
    found = report(("r", systems(b=range(9), a=range(9)), shares))
    by_system = table(found, "By system")
    spread = table(found, "Distributions")
    assert [row[0] for row in by_system.rows] == [row[1] for row in spread.rows] == ["a", "b"]
    assert [row.system for part in found.opening.parts for row in part.rows] == ["a", "b"]
    for one in spread.charts:
        said = one.said
        assert said.index("a：" if "a：" in said else "a:") < said.index("b：" if "b：" in said else "b:")


def test_many_means_are_several_charts_each_with_whole_metrics():
    """None is taller than a screen unless a single metric is; each title says what the chart shows."""
    figures = [(f"s{n}", Figure(m, None, f"s{n}", 0.5, 0.4, 0.6, 9, 9, {"ok": 9})) for m in "abcd" for n in range(7)]
    charts = [chart.in_language("ja") for chart in means_charts(figures)]
    assert [chart.title for chart in charts] == ["平均と 95 % 区間：a, b", "平均と 95 % 区間：c, d"]
    assert charts[0].in_language("en").title == "Means with 95 % intervals: a, b"
    assert max(chart.picture.size[1] for chart in charts) < 700
    assert [chart.title for chart in means_charts(figures[:7])] == ["Means with 95 % intervals"]


@pytest.mark.parametrize(
    ("metric", "bounds"), [("wscore", (0, 5)), ("lscore", (1, None)), ("leak", (0, 1)), ("own", (None, None))]
)
def test_scores_of_dialogues_have_their_scales(metric, bounds):
    """The axis does not extend beyond possible scores."""
    assert bounds_of(metric) == bounds


def test_a_small_p_value_is_not_shown_as_zero(tmp_path):
    """People get `< 0.001`, programs the number."""
    for name, value in (("first", 0.2), ("second", 0.9)):
        with Journal.open(tmp_path / name, signatures={"m": "m"}) as journal:
            for n in range(40):
                journal.sample(Sample(f"q{n}", f"Question {n}?", "A"))
                journal.score(Scored(f"q{n}", "m", Score(value + n / 1000)))
    (found,) = comparison_tables([read_run(tmp_path / name) for name in ("first", "second")], names=("first", "second"))
    p = found.rows[0][found.columns.index("p_value")]
    assert (show_cell(p), show_cell(PValue(0.0314))) == ("< 0.001", "0.031")
    assert f'"p": {float(p)!r}' in as_json([found])
    assert f",{float(p)!r}," in as_csv([found])
    assert "\\textless{} 0.001" in as_latex([found])


def test_agreement_says_that_its_intervals_draw_questions(report):
    """The command of that name resamples items, so the same labels have other intervals there."""
    labels = [Label(f"q{n}", float((n + (who == "b" and n % 5 == 0)) % 2), who) for n in range(20) for who in "ab"]
    found = report(("r", samples(20), shares), labels=labels)
    assert table(found, "Agreement").caption.endswith(
        "those of `saiten agreement` resample items unless --samples is given."
    )


def test_people_are_in_the_ranking_of_verdicts_or_it_says_why_not(report):
    """The ranking is by AUROC, the default for verdicts."""
    two = [Label(f"q{n}", float((n + (who == "b" and n % 5 == 0)) % 2), who) for n in range(20) for who in "ab"]
    ranked = table(report(("r", samples(20), shares), labels=two), "labels: metrics by AUROC")
    assert "people, one against the others" in [row[2] for row in ranked.rows]
    assert "ceiling" not in ranked.caption
    one = [label for label in two if label.annotator == "a"]
    alone = table(report(("s", samples(20), shares), labels=one), "labels: metrics by AUROC")
    assert alone.caption.endswith("No human ceiling: no item has labels from two annotators.")


@pytest.mark.parametrize(
    ("language", "title", "lead"),
    [
        (
            "en",
            "Compared with labels",
            "Labeled answers whose text differs in two: 20; their labels are left out there.",
        ),
        (
            "ja",
            "ラベルとの比較",
            "two では、ラベルのある回答のうち 20 件の本文が、同じ ID の最初の回答と異なる。それらのラベルは使っていない。",
        ),
    ],
)
def test_labels_of_an_answer_are_of_no_other_text_under_its_id(report, language, title, lead):
    """A second run with the same IDs has answers that nobody graded; one with the same texts has graded ones."""
    labels = [Label(f"q{n}", float(n % 2), "a") for n in range(20)]
    revised = [replace(sample, answer=f"{sample.answer} Revised.") for sample in samples(20)]
    runs = [("one", samples(20), shares), ("two", revised, shares), ("three", samples(20), shares)]
    found = chapter(report(*runs, labels=labels, language=language), title)
    assert found.lead == lead
    assert {str(one.title).split(":")[0] for one in found.tables if "AUROC" in str(one.title)} == {"one", "three"}


def test_a_run_that_kept_some_answers_has_those_compared_with_their_labels(report):
    """A preference requires both of its answers."""
    labels = [Label(f"q{n}", float(n % 2), "a") for n in range(20)]
    revised = [replace(sample, answer=f"{n}!") if n < 5 else sample for n, sample in enumerate(samples(20))]
    two = [("one", samples(20), shares), ("two", revised, shares)]
    found = report(*two, labels=labels)
    assert "whose text differs in two: 5;" in chapter(found, "Compared with labels").lead
    row = table(found, "two: labels: metrics by AUROC").rows[0]
    assert 15 in row
    pairs = [Label(f"q{n} vs q{n + 1}", (-1.0, 1.0)[n % 4 // 2], "a") for n in range(0, 20, 2)]
    assert "whose text differs in two: 5;" in chapter(report(*two, labels=pairs), "Compared with labels").lead


def test_a_name_may_look_like_a_comparison(report):
    """Sides are known, not parsed from a title: an arrow or a colon in a name changes nothing."""
    names = ("v1 → careful", "v2: bold → brave", "careful")
    rows = [Sample(f"{name}{n}", f"Question {n}?", "A.", system=name) for name in names for n in range(20)]

    def graded(sample, number):
        yield Scored(sample.id, "faithfulness", Score(0.3 + 0.2 * names.index(sample.system) + number % 20 / 100))

    for of in ([("r", rows, graded)], [("x: y", rows, graded), ("z", rows, graded)]):
        found = report(*of)
        charts = [chart.said for chart in found.charts]
        assert any("v1 → careful" in text and "v2: bold → brave" in text for text in charts)
    (topic,) = report(("r", rows, graded)).opening.topics
    assert [str(line.said) for line in (*topic.lines, *topic.more)] == [
        "careful is better than v1 → careful",
        "v2: bold → brave is better than v1 → careful",
    ]


def test_runs_whose_names_have_arrows_are_distinguished(run):
    """This holds for runs, too, whose folders may have any name."""

    def low(sample, number):
        yield Scored(sample.id, "faithfulness", Score(0.2 + number / 100))

    def high(sample, number):
        yield Scored(sample.id, "faithfulness", Score(0.6 + number / 90))

    folders = [run("v1 → careful", samples(20), low), run("careful", samples(20), high)]
    found = make_report([read_run(folder) for folder in folders])
    (topic,) = found.opening.topics
    assert str(topic.lines[0].said) == "careful is better than v1 → careful"
