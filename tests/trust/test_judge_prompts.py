"""The script that measures any judge on fixed items of the public evaluation sets, on the sets themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "judge_prompts.py"
DATA = os.environ.get("SAITEN_DATA")

pytestmark = [
    pytest.mark.slow,  # public data sets
    pytest.mark.skipif(not DATA, reason="SAITEN_DATA does not name the folder with the evaluation sets"),
]


def printed(*options: str | Path) -> list[str]:
    """What the script prints, line by line."""
    done = subprocess.run([sys.executable, SCRIPT, *options], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def counted(*options: str) -> list[str]:
    """The number of samples and calls of each set."""
    return [line.split(",")[0] + line[line.rindex(",") :] for line in printed("--list", *options)]


def test_every_chosen_item_is_in_its_set_and_its_calls_are_counted() -> None:
    """The ids name items of the sets, as many as the page on judge quality says."""
    assert counted() == [
        "nq301: 100 samples, at most 100 calls",
        "nq301_grades: 40 samples, at most 40 calls",
        "jhars_dev: 60 samples, at most 120 calls",
        "clapnq_human: 60 samples, at most 120 calls",
        "evouna: 40 samples, at most 40 calls",
        "squality_human: 30 samples, at most 30 calls",
        "gist: 16 samples, at most 32 calls",
        "demo: 40 samples, at most 80 calls",
        "demo_ragas: 40 samples, at most 480 calls",
        "nomiracl: 40 samples, at most 40 calls",
    ]
    assert counted("--items", "held_out") == [
        "nq301: 100 samples, at most 100 calls",
        "nq301_grades: 40 samples, at most 40 calls",
        "jhars_dev: 60 samples, at most 120 calls",
        "clapnq_human: 120 samples, at most 240 calls",
        "evouna: 40 samples, at most 40 calls",
        "squality_human: 30 samples, at most 30 calls",
    ]


def test_no_item_that_a_wording_was_tried_on_is_held_out() -> None:
    """Held-out items measure wordings that were chosen by other items, so the two must not meet."""
    ids = json.loads(SCRIPT.with_suffix(".json").read_text(encoding="utf-8"))
    assert set(ids["held_out"]) < set(ids["tried"])
    for name, held_out in ids["held_out"].items():
        assert len(set(held_out)) == len(held_out)
        assert not set(held_out) & set(ids["tried"][name])


def test_a_kept_run_is_read_again_without_a_judge_and_next_to_another(tmp_path: Path) -> None:
    """Figures of a judge are the same from its folder, and differ by 0 from those of an equal run."""
    kept = tmp_path / "runs"
    chosen = ("--sets", "evouna,jhars_dev", "--keep", kept)
    first = [line.split("  ") for line in printed(*chosen, "--judge", "offline")]
    assert {line[0] for line in first if line[0]} == {"set", "evouna", "jhars_dev"}
    again = printed(*chosen, "--read", "--called", "A", "--beside", f"B={kept}", "--format", "md")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in again
        if "| jhars_dev | sentence without hallucination, AUROC" in line
    ]
    (row,) = rows
    figures = dict(zip([cell.strip() for cell in again[0].strip("|").split("|")], row, strict=True))
    assert figures["n"] == "323"
    assert figures["A"] == figures["B"] == figures["offline judge"] != ""
    assert figures["difference from B"].startswith("+0.00")
    assert figures["people among themselves"].startswith("0.63")


def test_the_offline_judge_is_measured_where_the_result_is_known_by_construction() -> None:
    """On the built-in answers, a refusal is noncommittal and the evidence is the useful context, in both languages."""
    found = [[cell for cell in line.split("  ") if cell] for line in printed("--sets", "demo_ragas,nomiracl")]
    figures = {row[1].strip(): row[3].split()[0] for row in found[1:] if len(row) > 3 and "offline" in row[2]}
    assert figures["noncommittal, agreement"] == "1.00"
    assert float(figures["useful context, agreement"]) > 0.9
    assert float(figures["entities found, mean"]) > 0.9
    assert float(figures["answer in the passages, kappa"]) < 0.5  # words in common say little about an answer
