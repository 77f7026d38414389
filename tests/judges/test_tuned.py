"""A custom judge knows its training base, and says when that has changed."""

import logging

import pytest

from saiten.judges.held_out import HeldOut
from saiten.judges.tuned import TunedAspect, TunedJudge, prompts_digest
from saiten.judges.tuned_folder import write_tuned
from saiten.settings import JudgeSettings
from saiten.wiring import assemble_judge

ASPECTS = (TunedAspect("factuality", "rate_aspect", (0, 1, 2, 3), 1.5),)


def own(base="", prompts=""):
    """A judge trained on a base with this fingerprint."""
    return TunedJudge(
        "chat", "models/base", base, ASPECTS, "long_answers:0", prompts or prompts_digest(ASPECTS), "0" * 12,
        2, 100, 50, 10, {"seed": 0}, HeldOut("this judge", ()),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("learned_on", "now", "reported"),
    [("abc", "abc", False), ("abc", "def", True), ("abc", "", True), ("", "", False), ("", "def", False)],
)
def test_another_base_is_reported(learned_on, now, reported):
    """A name on the hub has no fingerprint, so nothing can be said about it."""
    said = own(learned_on).over_another_base(now)
    assert (said is not None) == reported
    assert said is None or "models/base, has changed or been replaced" in said


def test_doubts_are_reported_where_the_judge_is_named(tmp_path, caplog):
    """Each is reported once, when the judge is assembled; no network is loaded for it."""
    pytest.importorskip("transformers", reason="transformers is not installed")
    (tmp_path / "config.json").write_text("{}")
    write_tuned(tmp_path, own("abc", "deadbeef"))
    with caplog.at_level(logging.WARNING):
        assemble_judge(JudgeSettings(f"hf:{tmp_path}"))
    assert ["other prompts" in caplog.text, "has changed or been replaced" in caplog.text, len(caplog.records)] == [
        True,
        True,
        2,
    ]
