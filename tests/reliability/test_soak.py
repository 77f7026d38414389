"""The soak, short: a few hundred samples, two kills, five people; and that its checks notice what is wrong."""

import asyncio
import dataclasses
import os
import random
import shutil

import orjson
import pytest

pytest.importorskip("fastapi", reason="the annotation page is an extra: pip install 'saiten[annotate]'")

from soak import run
from soak_checks import check, growth, table
from soak_outcome import Soak
from soak_picture import draw

pytestmark = pytest.mark.xdist_group("soak")
LONG = bool(os.environ.get("SAITEN_SOAK"))
SHORT = Soak(
    samples=2_000 if LONG else 520,
    minutes=10,
    kills=6 if LONG else 2,
    people=5,
    pause=0.2,
    timeout=10.0,
    measure_every=0.5,
)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """The one soak that all tests look at."""
    return asyncio.run(run(SHORT, tmp_path_factory.mktemp("soak") / "soak"))


@pytest.mark.slow
def test_a_soak_loses_nothing_and_pays_what_the_server_counts(outcome):
    """Under faults, kills and people at work: every row once with the expected value, every reply paid once, every
    acknowledged save exported, and nothing left behind.
    """
    checks = check(outcome)
    assert all(each.held is not False for each in checks), table(outcome, checks)
    assert [life.ended for life in outcome.lives][:2] == ["SIGKILL", "SIGKILL"]
    assert len(outcome.lives) == SHORT.kills + 1
    assert draw(outcome.records.rows).startswith("<svg")


def without_a_line(path):
    """The file lacks a line from its middle."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2] + lines[len(lines) // 2 + 1 :]))


def without_the_first_reply(path):
    """The server never sent the reply to the first small call."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if not line.startswith(b'{"sent":0,')))


def with_a_line_twice(path):
    """The file has a line of its middle twice."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[len(lines) // 2]]))


def with_another_verdict(path):
    """One score has the opposite value."""
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    changed = next(line for line in lines if line["metric"] == "accuracy" and line["status"] == "ok")
    changed["value"] = 1 - changed["value"]
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "name", "noticed"),
    [
        (without_a_line, "run/scores.jsonl", "scores that are there"),
        (with_a_line_twice, "run/scores.jsonl", "scores that are there twice, or of no sample"),
        (
            with_another_verdict,
            "run/scores.jsonl",
            "scores with another value or status than the server's replies imply",
        ),
        (without_a_line, "run/samples.jsonl", "samples kept once"),
        (without_the_first_reply, "ledger.jsonl", "replies in the account that the server never sent"),
    ],
)
def test_the_checks_notice_a_file_that_is_wrong(outcome, tmp_path, change, name, noticed):
    """A lost, doubled or changed line fails the check of that name."""
    shutil.copytree(outcome.folder, tmp_path / "soak")
    change(tmp_path / "soak" / name)
    failed = [each.name for each in check(dataclasses.replace(outcome, folder=tmp_path / "soak")) if each.held is False]
    assert noticed in failed


@pytest.mark.slow
def test_the_checks_notice_money_that_is_wrong(outcome):
    """A reply that is paid twice, one that was never sent, one that is forgotten, and calls that nobody counts."""
    first, *others = outcome.lives

    def failed(**changed):
        lives = [dataclasses.replace(first, **changed), *others]
        return {each.name for each in check(dataclasses.replace(outcome, lives=lives)) if each.held is False}

    assert "replies in the account twice" in failed(paid=(*first.paid, first.paid[0]))
    assert "replies in the account that the server never sent" in failed(paid=(*first.paid, (1, 1, 0.0)))
    assert "the same life by life" in failed(paid=first.paid[first.unanswered + 1 :])
    assert "the same life by life" in failed(calls=first.calls - first.unanswered - 1)
    too_late = "calls given up although the server answered, too late"
    assert too_late in failed(unknown=first.unknown + first.unanswered + 100)


@pytest.mark.slow
def test_the_checks_notice_a_lost_label_and_what_is_left_behind(outcome):
    """An acknowledged save that is not exported, and a process that outlives the soak."""
    changed = dataclasses.replace(outcome, exported=outcome.exported[1:], left=["4711 saiten"])
    failed = {each.name for each in check(changed) if each.held is False}
    assert {"acknowledged saves that are lost or different", "files and processes left behind"} <= failed


@pytest.mark.parametrize("leak", [0.0, 200.0])
def test_a_leak_is_seen_through_noise_and_restarts(leak):
    """The slope of the longest life without its beginning, not the jumps between lives, in MB per 100,000 samples."""
    dice = random.Random(1)
    lives = [(life, 60 * life, 60) for life in range(5)] + [(5, 300, 240)]
    rows = [
        {
            "what": "use",
            "process": "score",
            "pid": life,
            "at": begun + second,
            "done": 100 * (begun + second),
            "rss": min(80, 4 * second) + 5 * life + leak * second / 1000 + dice.uniform(-1, 1),
        }
        for life, begun, seconds in lives
        for second in range(0, seconds, 5)
    ]
    assert growth(rows, "score", "rss") == pytest.approx(leak, abs=10)
    assert growth(rows[:60], "score", "rss") is None


def test_what_fills_once_is_no_leak():
    """The server's connections open one by one and then no more; a descriptor left open per 500 saves is seen."""

    def rows(leak):
        use = {"what": "use", "process": "annotate", "pid": 1}
        return [{**use, "saves": n, "descriptors": 60 + min(16, n // 100) + n * leak} for n in range(0, 6_000, 20)]

    assert growth(rows(0), "annotate", "descriptors") == 0
    assert growth(rows(1 / 500), "annotate", "descriptors") == pytest.approx(20, abs=1)
    assert growth(rows(0)[:190], "annotate", "descriptors") is None
