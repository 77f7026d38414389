"""Replies that a real model gave on the built-in samples lead to the same scores today, offline."""

import asyncio

import pytest

from recordings import NAMES, Line, Replaying, file_of, lines_of, play, samples_of

LINES = [
    pytest.param(name, line, id=f"{file_of(name).stem}-{line['sample']}") for name in NAMES for line in lines_of(name)
]


@pytest.mark.parametrize(("name", "recorded"), LINES)
def test_recorded_replies_lead_to_the_recorded_scores(name: str, recorded: Line) -> None:
    """From the recorded replies, readers, metrics and dialogues make the scores that were recorded, without a repair."""
    judge = Replaying.of(recorded)
    sample = samples_of(name)[recorded["sample"]]
    scores = asyncio.run(play(name, sample, judge, recorded.get("dialogue")))
    assert scores == recorded["scores"]
    assert judge.used == set(judge.replies)  # every recorded reply was needed
