"""What a notebook offers: keywords by name, charts, and the report inside."""

import html
import inspect
import re
from dataclasses import MISSING, replace

import pytest

import browsing
import saiten
import saiten.mlflow
from saiten.api.report import on_disk
from saiten.errors import BadInput, ConfigurationError
from saiten.options import options_of
from saiten.records import Usage
from saiten.settings import CallSettings, JudgeSettings

browser = browsing.browser

ROWS = [
    {
        "id": f"{system}{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"Bridge {n} is {n + (system == 'b')} years old.",
        "contexts": [f"Bridge {n} is {n} years old."],
        "reference": f"Bridge {n} is {n} years old.",
        "system": system,
    }
    for n in range(12)
    for system in "ab"
]
METRICS = ["token_f1", "exact_match"]


@pytest.fixture(scope="module")
def result():
    """Two systems, of which one is right."""
    return saiten.evaluate(ROWS, METRICS)


@pytest.mark.parametrize("function", [saiten.evaluate, saiten.aevaluate, saiten.mlflow.scorer, saiten.mlflow.scorers])
def test_every_setting_is_a_keyword_of_its_own(function):
    """With the type and the default of its field, and a line in the docstring; none is hidden behind `**settings`."""
    parameters = inspect.signature(function).parameters
    declared = {**options_of(JudgeSettings), **options_of(CallSettings)}
    assert list(parameters)[-len(declared) + 1 :] == [name for name in declared if name != "judge"]
    for name, (option, _, default) in declared.items():
        if name != "judge":
            assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
            assert parameters[name].default == ({} if default is MISSING else default)
            assert not option.help or f"        {name}: {option.help[:40]}" in function.__doc__
    assert parameters["max_cost"].annotation == (float | None)


def test_a_misspelled_keyword_is_still_an_error():
    """The signature is for people; what is passed is checked."""
    with pytest.raises(TypeError, match="did you mean 'max_cost'"):
        saiten.evaluate(ROWS, METRICS, max_costs=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'settings'"):
        saiten.evaluate(ROWS, METRICS, settings={})


def test_the_tab_key_of_a_notebook_offers_keywords():
    """IPython completes `max_c` to two of them."""
    shell = pytest.importorskip("IPython.core.interactiveshell", reason="ipykernel brings IPython").InteractiveShell()
    from IPython.core.completer import provisionalcompleter

    shell.user_ns["saiten"] = saiten
    typed = "saiten.evaluate('a.jsonl', max_c"
    with provisionalcompleter():
        offered = [each.text for each in shell.Completer.completions(typed, len(typed))]
    assert {"max_calls=", "max_cost="} <= set(offered)
    shell.history_manager.end_session()


def test_a_chart_has_a_row_for_each_system_and_metric(result):
    """Of all metrics or of some; without systems, one row per metric."""
    assert [word for word in ("exact_match", "token_f1", ">a<", ">b<") if word not in result.plot().svg_file()] == []
    one = result.plot("token_f1")
    assert "exact_match" not in one.svg_file()
    assert one.spec["vconcat"]
    assert one.png()[1:4] == b"PNG"
    alone = saiten.evaluate([{**row, "system": None} for row in ROWS], METRICS)
    assert "token_f1" in alone.plot(["token_f1"]).svg_file()
    assert result.summary.plot(language="ja").title != result.plot().title


def test_a_comparison_has_a_chart_of_differences(result):
    """For all metrics or for one."""
    compared = result.compare(result, names=("before", "after"))
    assert "before" in compared.plot().svg_file()
    assert "exact_match" not in compared.plot("token_f1").svg_file()


def test_a_metric_that_is_not_there_cannot_be_plotted(result):
    """The error names those that are."""
    for plotted in (result, result.summary, result.compare(result)):
        with pytest.raises(BadInput, match="no metric 'bleu' to plot; there are token_f1, exact_match"):
            plotted.plot("bleu")


def test_the_report_of_a_result_in_memory_is_that_of_its_run(tmp_path, result):
    """Apart from names and times: the same figures, answers and charts as `saiten report` of a folder."""
    kept = saiten.evaluate(ROWS, METRICS, run=tmp_path / "result")
    pages = [re.sub(r"\d{4}-\d\d-\d\dT[\d:+]*|data:[^\"]*", "", one.report().html) for one in (result, kept)]
    assert pages[0] == pages[1]
    assert "token_f1" in pages[0]


def test_a_report_is_written_to_a_file_and_compares_with_a_baseline(tmp_path, result):
    """Its path is returned; a file that is something else is not replaced."""
    file = result.report(tmp_path / "report.html", baseline=result, title="Before and after", language="ja")
    page = file.read_text("utf-8")
    assert "Before and after" in page
    assert "baseline" in page
    assert '<html lang="ja"' in page
    (tmp_path / "mine.html").write_text("<p>mine</p>")
    with pytest.raises(BadInput, match="is not a page written by saiten"):
        result.report(tmp_path / "mine.html")
    with pytest.raises(ConfigurationError, match="there is no folder"):
        result.report(str(tmp_path / "gone" / "report.html"))


def test_the_report_of_a_stopped_result_says_so(openai_server):
    """The budget ended it: the page says how many scores are missing, as for a run on disk."""
    judge = f"openai:m@{openai_server.base_url}"
    prices = {"m": {"prompt": 1, "completion": 1}}
    result = saiten.evaluate(ROWS, ["accuracy"], judge, max_calls=5, prices=prices)
    page = result.report().html
    assert result.stopped
    assert f"not finished: {len(result.scores)} of {len(result.samples)} scores" in page


def test_the_report_counts_rows_that_could_not_be_used():
    """They are in the run that the report is made of, and so is what was paid."""
    result = saiten.evaluate([*ROWS, {"id": "bad", "reference": "no answer"}], METRICS)
    assert len(result.bad_rows) == 1
    with on_disk("result", replace(result, paid=Usage(calls=3, cost=0.5))) as reader:
        assert reader.bad_rows() == 1
        assert reader.paid() == Usage(calls=3, cost=0.5)
        assert reader.manifest.finished


def test_a_frame_keeps_page_and_notebook_apart(result):
    """Texts from outside cannot end the attribute that holds the page, and its script has no origin."""
    shown = saiten.evaluate([{**ROWS[0], "question": "'\"></iframe><script>alert(1)</script>"}], METRICS).report()
    frame = shown._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame
    assert html.unescape(re.search('srcdoc="([^"]*)"', frame)[1]) == shown.html
    assert len(repr(shown)) < 200


@pytest.mark.skipif(browsing.CHROMIUM is None, reason="there is no Chromium: apt-get install chromium")
@pytest.mark.xdist_group("browser")
@pytest.mark.slow
@pytest.mark.flaky(reruns=1)
def test_the_report_works_inside_a_notebooks_page(browser, tmp_path, result):
    """Its links stay in the frame, an answer opens and closes, and the notebook's page neither scrolls nor moves."""
    frame = f"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><body>{result.report()._repr_html_()}"
    (tmp_path / "page.html").write_text(frame, encoding="utf-8")
    with browsing.watched(browser, tmp_path) as open_page:
        page = open_page("light", (1000, 700), javascript=True)
        report = page.frames[1]
        report.locator("a[href='#items']").first.click()
        report.wait_for_function("location.hash === '#items' && scrollY > 0")
        report.locator(".matrix .row .cell").first.click()
        report.locator("dialog[open]").wait_for()
        assert report.url == "about:srcdoc#item-0"
        page.keyboard.press("Escape")
        report.locator("dialog[open]").wait_for(state="detached")
        assert page.url.endswith("page.html")
