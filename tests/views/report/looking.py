"""How a page looks: screenshots for a person, and the findings of axe."""

import os
from pathlib import Path

import pytest


def shot(page, name):
    """Take a screenshot of the visible part if SAITEN_SCREENSHOTS is set."""
    if wanted := os.environ.get("SAITEN_SCREENSHOTS"):
        Path(wanted).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(wanted) / f"{name}.png")


def faults(page):
    """The serious and critical findings of axe; skips the test if axe is not installed."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed: pip install axe-playwright-python"
    )
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for each in found
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]
