"""Metrics over time in a real browser: both languages, three widths, light and dark."""

import pytest
from looking import faults, shot
from report_runs import samples

import browsing
from saiten.runs import read_run

browsing.playwright()
pytestmark = browsing.MARKS
browser = browsing.browser

LOOKS = [("en", "light", (1280, 900)), ("ja", "dark", (390, 844)), ("ja", "light", (1920, 1080)), ("en", "dark", (390, 844))]  # fmt: skip


@pytest.mark.parametrize(("language", "scheme", "size"), LOOKS)
@pytest.mark.parametrize("opened", ["file"], indirect=True)
def test_metrics_over_time_can_be_read(run, opened, language, scheme, size):
    """One picture per metric, its table below, nothing wider than the screen, and axe finds nothing."""
    readers = [read_run(run(f"run {n}", samples(8 + 4 * n, language=language))) for n in range(4)]
    page = opened(readers, scheme, size, language=language)
    heading = page.get_by_role("heading", name={"en": "Over time", "ja": "推移"}[language], exact=True)
    heading.scroll_into_view_if_needed()
    shot(page, f"over-time-{language}-{scheme}-{size[0]}")
    chapter = heading.locator("xpath=..")
    assert chapter.locator("svg.chart").count() == 2
    assert chapter.locator("table").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults(page) == []
