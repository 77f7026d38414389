"""The first screen of a report, as rendered: one line per question, the picture, and what must not be kept silent."""

import re
from dataclasses import replace

import pytest
from lxml import html
from report_runs import samples, scores

from saiten.records import Label, Sample, Score, Scored
from saiten.runs import read_run
from saiten.views.page.chapters import Chapter
from saiten.views.report.document import make_report, write_report
from saiten.words import Message


def systems(*names, n=50):
    """The same questions, answered by each system."""
    return [Sample(f"{name}{k}", f"Question {k}?", f"Answer {k}.", system=name) for name in names for k in range(n)]


def number(sample):
    """The number of the sample's question."""
    return int(re.sub(r"\D", "", sample.question))


def graded(means, declined=None, metric="faithfulness"):
    """`score(sample, …)`: values around each system's mean; the first questions of a system are declined."""

    def score(sample, _):
        at = number(sample)
        if at < (declined or {}).get(sample.system, 0):
            yield Scored(sample.id, metric, Score.declined("it says that it does not know"))
        else:
            yield Scored(sample.id, metric, Score(means[sample.system] + at % 3 / 20))

    return score


@pytest.fixture
def shown(run, tmp_path):
    """`shown((name, samples, scores), …)`: the page of these runs, as a tree."""

    def made(*runs, **settings):
        write_report(make_report([read_run(run(*one)) for one in runs], **settings), tmp_path / "page.html")
        return html.fromstring((tmp_path / "page.html").read_text(encoding="utf-8"))

    return made


def said(node):
    """The text of a node with its whitespace collapsed."""
    return " ".join(node.text_content().split())


def topics(page):
    """Title → lines of the topics: the texts of their cells."""
    return {
        said(topic.xpath("h2")[0]): [
            [said(cell) for cell in row.xpath("th | td")] for row in topic.xpath(".//tbody/tr")
        ]
        for topic in page.xpath("//section[contains(@class, 'topic') and table]")
    }


@pytest.mark.parametrize(
    ("language", "most", "verdict", "measured"),
    [
        ("en", 33, "? Cannot be said of b and a (17 of 50 pairs)", "a 50 of 50 b 17 of 50, 33 declined (not in the mean)"),
        ("en", 6, "? Cannot be said of b and a (44 of 50 pairs)", "a 50 of 50 b 44 of 50, 6 declined (not in the mean)"),
        ("en", 5, "▲ b is better than a", "a 50 of 50 b 45 of 50, 5 declined (not in the mean)"),
        ("en", 0, "▲ b is better than a", "50 of 50"),
        ("ja", 33, "? b と a の優劣は判定できない（17/50 組）", "a 50/50 b 17/50、回答拒否 33（平均外）"),
        ("ja", 5, "▲ b は a より良い", "a 50/50 b 45/50、回答拒否 5（平均外）"),
    ],
)  # fmt: skip
def test_a_system_that_refuses_questions_is_not_called_better_without_a_word_on_it(
    shown, language, most, verdict, measured
):
    """Below 90 % on both sides there is neither a verdict nor a difference; above, the line counts the refusals."""
    page = shown(("r", systems("a", "b"), graded({"a": 0.5, "b": 0.8}, {"b": most})), language=language)
    ((line,),) = topics(page).values()
    assert line[1] == verdict
    assert line[4].replace("b ", " b ").split() == measured.split()
    assert line[2:4] == (["–", ""] if most > 5 else ["+0.300", "< 0.001"]) or line[2].startswith("+0.300 [")
    assert ("looks better than it is" in said(page) or "実際より良く見える" in said(page)) is (most > 0)
    assert ("better" in " ".join(page.xpath("//*[contains(@class, 'lines')]//tr/@class"))) is (most <= 5)
    assert page.xpath("boolean(//*[name()='rect'][@class='declined'])") is (most > 0)


def test_a_system_that_refuses_everything_is_named(shown):
    """Nothing can be paired then, and the line says so instead of being left out."""
    page = shown(("r", systems("a", "b"), graded({"a": 0.5, "b": 0.8}, {"b": 50})))
    ((line,),) = topics(page).values()
    assert line[1] == "? Cannot be said of a, b: no question was measured on two sides"
    assert "b 0 of 50, 50 declined" in line[4]


def test_the_best_is_compared_with_the_baseline_and_the_others_unfold(shown):
    """If the baseline is best, it is compared with the runner-up; the better one is named first."""
    order = ("base", "good", "best")
    means = {"base": 0.4, "good": 0.6, "best": 0.8}
    for turned in (False, True):
        of = {name: (1 - mean if turned else mean) for name, mean in means.items()}
        page = shown((f"r{turned}", systems(*order), graded(of)))
        ((first, second),) = topics(page).values()
        if turned:
            assert [first[1], second[1]] == ["▲ base is better than good", "▲ base is better than best"]
            assert first[2].startswith("+0.200")
        else:
            assert [first[1], second[1]] == ["▲ best is better than base", "▲ good is better than base"]
            assert first[2].startswith("+0.400")
        (row,) = page.xpath("//section[contains(@class, 'topic')]/table/tbody/tr")
        assert said(row).startswith("faithfulness")
        assert page.xpath("string(//details[contains(@class, 'fold')]/summary/span)") == "(1)"


def test_a_system_of_which_too_little_was_measured_does_not_lead(shown):
    """The best of the others does, and the refusing one is behind it."""
    means = {"a": 0.4, "b": 0.6, "shy": 0.9}
    page = shown(("r", systems("a", "b", "shy"), graded(means, {"shy": 30})))
    ((first, second),) = topics(page).values()
    assert first[1] == "▲ b is better than a"
    assert second[1] == "? Cannot be said of shy and a (20 of 50 pairs)"


def test_runs_are_before_and_after(shown):
    """The later run is named first, and the difference is the later one minus the earlier one."""
    rows = systems("one")
    page = shown(("before", rows, graded({"one": 0.8})), ("after", rows, graded({"one": 0.5})))
    assert [(title, line[1], line[2][:6]) for title, (line,) in topics(page).items()] == [
        ("Is after better than before?", "▼ after is worse than before", "-0.300")
    ]


def test_one_system_has_its_means_drawn_in_its_lines(shown):
    """With interval and coverage, one line per metric, and no second picture."""
    page = shown(("r", samples(40), scores))
    assert list(topics(page)) == ["r: means"]
    lines = topics(page)["r: means"]
    assert [line[0].split()[0] for line in lines] == ["faithfulness", "token_f1"]
    assert re.fullmatch(r"0\.\d{3} \[0\.\d{3}, 0\.\d{3}\]", lines[0][2])
    assert lines[0][3] == "36 of 40, 4 reply could not be read" or lines[0][3].startswith("36 of 40, 4 ")
    assert len(page.xpath("//*[name()='svg'][starts-with(@class, 'mean')]")) == 2
    assert not page.xpath("//table[@class='overview']")


def test_a_metric_without_a_better_direction_is_not_called_better(shown):
    """It is behind the others, and says only that the systems differ."""

    def score(sample, at):
        yield from graded({"a": 0.5, "b": 0.8})(sample, at)
        yield from graded({"a": 10, "b": 20}, metric="length")(sample, at)

    page = shown(("r", systems("a", "b"), score))
    ((first, second),) = topics(page).values()
    assert (first[0].split()[0], second[0], second[1]) == ("faithfulness", "length", "≠ b differs from a")


def test_every_mean_is_drawn_once_and_the_best_has_a_sign(shown):
    """No chart of a later chapter repeats an interval; a best mean of too few answers is marked as such instead."""
    means = {"a": 0.4, "b": 0.6, "shy": 0.9}
    page = shown(("r", systems("a", "b", "shy"), graded(means, {"shy": 30})), ("s", systems("a", "b"), graded(means)))
    titles = page.xpath("//table[@class='overview']//td/@title")
    assert len(titles) == len(set(titles)) == 5
    parts = [re.search(r"95 % interval [^,]*", title)[0] for title in titles]
    charts = " ".join(said(node) for node in page.xpath("//figure"))
    assert not any(part in charts for part in parts)
    signs = {
        said(row.xpath("th")[0]): said(row.xpath("td")[0])[0]
        for row in page.xpath("//table[@class='overview']//tr[td]")
    }
    assert signs["shy"] == "!"
    best = page.xpath("//table[@class='overview']//td[.//*[@class='star']]/@title")
    assert [title.split(":")[0] for title in best] == ["r · b · faithfulness", "s · b · faithfulness"]


def test_many_systems_and_metrics_fold(shown):
    """Twelve rows and eight columns are open; all the others are there."""

    def score(sample, at):
        for metric in range(10):
            yield Scored(sample.id, f"m{metric}", Score(at % 7 / 7))

    page = shown(("r", systems(*(f"s{n:02}" for n in range(15)), n=6), score))
    first, *rest = page.xpath("//table[@class='overview']")
    assert (len(first.xpath("tbody/tr")), len(first.xpath("thead//th")) - 1) == (12, 8)
    assert len(page.xpath("//table[@class='overview']//td[@title]")) == 150
    assert all(table.xpath("ancestor::details") for table in rest)


def test_it_says_whether_anybody_checked_the_judge(shown):
    """Without labels that nobody did, and what to do; with labels how well people and metrics agree."""
    rows, of = systems("a", "b"), graded({"a": 0.5, "b": 0.8})
    believed = said(shown(("r", rows, of)).xpath("//section[contains(@class, 'believed')]")[0])
    assert "Nobody has checked these figures against people on this data." in believed
    assert "saiten annotate" in believed
    page = shown(("s", rows, of), labels=[Label(f"a{n}", float(n % 2), "x") for n in range(50)])
    believed = said(page.xpath("//section[contains(@class, 'believed')]")[0])
    assert re.search(r"Against people’s labels \(.*\): faithfulness", believed)


def test_the_answers_are_before_everything_else(shown):
    """Then the comparison with labels, which is open; the other chapters are folded, each with a sentence."""
    labels = [Label(f"q{n}", float(n % 2), "x") for n in range(20)]
    page = shown(("r", samples(20), scores), labels=labels)
    chapters = [said(node) for node in page.xpath("//main//h2[@id]")]
    assert chapters == ["Answers, one by one", "Compared with labels", "Run: r", "All runs", "Cost and time"]
    folds = page.xpath("//details[contains(@class, 'chapter-fold')]")
    assert [said(fold.xpath("summary/h2")[0]) for fold in folds] == chapters[2:]
    assert all(said(fold.xpath("summary/span")[0]).endswith(".") and "open" not in fold.attrib for fold in folds)


def test_an_experiment_gives_its_recommendation_first(run, tmp_path):
    """The sentences of its chapter are on the first screen; beyond three they unfold."""
    points = [Message("report", "recommended", data=f"data {n}", model="m", conclusion="take it") for n in range(5)]
    chapter = Chapter(Message("report", "experiment", title="Grid"), [], points=points)
    report = make_report([read_run(run("r", samples(6), scores))], more=[chapter])
    write_report(report, tmp_path / "page.html")
    page = html.fromstring((tmp_path / "page.html").read_text(encoding="utf-8"))
    section = page.xpath("//section[contains(@class, 'topic')][h2 = 'Experiment: Grid']")[0]
    assert [said(point) for point in section.xpath("ul/li")] == [f"data {n}, m: take it." for n in range(3)]
    assert len(section.xpath("details//li")) == 2


def test_names_from_outside_are_text(shown):
    """Markup and backticks in the names of runs, systems and metrics do nothing."""
    rows = [replace(one, system=f"<b>`{one.system}`") for one in systems("a", "b", n=9)]

    def score(sample, at):
        yield Scored(sample.id, "<i>m_x[y]", Score(number(sample) / 9 + ("b" in sample.system)))

    page = shown(("r", rows, score))
    assert not page.xpath("//main//b[not(ancestor::td)] | //main//i")
    (column,) = page.xpath("//table[@class='overview']/thead/tr/th[2]/span[@class='metric']")
    assert said(column).startswith("<i>m_x[y]")
