"""How a page looks: pictures for a person, and what axe finds."""

import os
from pathlib import Path

import pytest


def shot(page, name):
    """A picture of what is in sight, where a person asked for pictures."""
    if wanted := os.environ.get("SAITEN_SCREENSHOTS"):
        Path(wanted).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(wanted) / f"{name}.png")


def faults(page):
    """What axe finds that is serious or critical; skips the test where axe is not installed."""
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
