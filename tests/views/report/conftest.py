"""Runs on disk for the tests of the report, written without a judge."""

import pytest
from report_runs import SIGNATURES, scores

import browsing
from saiten.runs import Journal, RunSettings, read_run
from saiten.views.report.document import make_report, write_report


@pytest.fixture
def run(tmp_path):
    """`run(name, samples, score)`: a run folder; `score` gives a sample's scores."""

    def written(name, of, score=scores, **settings):
        with Journal.open(tmp_path / "runs" / name, RunSettings(more=settings), signatures=SIGNATURES) as journal:
            for number, sample in enumerate(of):
                journal.sample(sample)
                for one in score(sample, number):
                    journal.score(one)
        return tmp_path / "runs" / name

    return written


@pytest.fixture
def page(tmp_path):
    """`page(folders, …)`: the text of the folders' report."""

    def written(*folders, **settings):
        write_report(make_report([read_run(folder) for folder in folders], **settings), tmp_path / "page.html")
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    return written


@pytest.fixture(params=["served", "file"])
def opened(browser, tmp_path, request):
    """`opened(readers, …)`: the readers' report, over HTTP and as a file; at teardown no error and no other request."""
    with browsing.watched(browser, tmp_path, from_file=request.param == "file") as open_page:

        def opened(readers, scheme="light", size=(1400, 1000), *, javascript=True, **settings):
            write_report(make_report(readers, **settings), tmp_path / "page.html")
            page = open_page(scheme, size, javascript=javascript)
            if javascript:
                page.locator("#browser[data-ready]").wait_for(state="attached", timeout=60_000)
            return page

        yield opened
