"""Gist against a server that replies with garbage: through real HTTP, the repair, the alignment and the arithmetic."""

import json
import math

import orjson
import pytest

from saiten import evaluate
from saiten.records import Sample
from saiten.runs.lines import scored_to_json, to_line

REFERENCE = (
    "The fee is 5 euros, payable in cash. Children pay nothing. The desk was painted last year. \U0001f600 e\u0301."
)
ANSWER = "It costs 6 euros. The desk is blue. Children pay nothing. \U0001f600"
SAMPLE = Sample("s", question="What is the fee?", answer=ANSWER, reference=REFERENCE, language="en")


def split(gist, supplement=()):
    """A reply to the first step."""
    return json.dumps({"gist": list(gist), "supplement": list(supplement)})


def found(missing_gist=(), missing_supplement=(), extra_gist=(), extra_supplement=()):
    """A reply to the second step."""
    names = ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement")
    lists = (missing_gist, missing_supplement, extra_gist, extra_supplement)
    return json.dumps(dict(zip(names, map(list, lists), strict=True)))


SOUND = split(
    ["The fee is 5 euros, payable in cash.", "Children pay nothing."],
    ["The desk was painted last year.", "😀 e\u0301."],
)


def scored(openai_server, first, second):
    """The four scores of the sample with these replies to the two steps."""

    def reply(asked):
        fields = (asked.schema or {}).get("properties", {})
        return second if "missing_gist" in fields else first if "gist" in fields else None

    openai_server.reply = reply
    result = evaluate([SAMPLE], ["gist"], judge=f"openai:m@{openai_server.base_url}")
    assert len(result.scores) == 4
    return {one.metric.partition("[")[2].rstrip("]"): one for one in result.scores}


def sound_whatever_came(one):
    """A finite value, or none and the reason; no NaN, no lone surrogate, and the text at its offsets."""
    score = one.score
    assert (score.value is None) == (score.status != "ok")
    assert score.reason
    assert score.value is None or math.isfinite(score.value)
    written = orjson.loads(to_line(scored_to_json(one)))  # refuses lone surrogates
    json.dumps(written, allow_nan=False)
    for part in ("reference", "spans"):
        for name, units in score.details.get(part, {}).items():
            source = ANSWER if name.startswith("extra") else REFERENCE
            for unit in units:
                assert unit["start"] is None or source[unit["start"] : unit["end"]] == unit["text"]
    return score.status


@pytest.mark.parametrize(
    ("first", "status"),
    [
        (split(["Cats are grey.", "Nothing of that."]), "ok"),
        (split(["The fee is 5 euros, payable", "payable in cash. Children"], ["Children pay nothing."]), "ok"),
        (split(["Children pay nothing."] * 50, ["Children pay nothing."] * 50), "ok"),
        (split([f"unit {number}" for number in range(2_000)]), "ok"),
        (split(["x" * 1_000_000]), "ok"),
        ("bla " * 250_000 + SOUND, "ok"),
        ('{"gist": ["The fee \\ud83d is 5 euros", "\\ude00\\ud83d"], "supplement": ["\\ud800"]}', "ok"),
        ('{"gist": ["\\u0000\\u001b[2J", "Children pay nothing."], "supplement": []}', "ok"),
        (split([{"text": {"text": "a"}}]), "unreadable"),
        ("[" * 10_000 + "]" * 10_000, "unreadable"),
        ('{"gist":' * 3_000 + "1" + "}" * 3_000, "unreadable"),
        ('{"gist": null, "supplement": null}', "unreadable"),
        ('{"gist": "The fee is 5 euros", "supplement": ""}', "unreadable"),
        ('{"gist": ["a"], "gist": ["b"], "supplement": []}', "unreadable"),
        ("", "failed"),
    ],
)  # fmt: skip
def test_no_split_breaks_anything_or_becomes_a_made_up_figure(openai_server, first, status):
    """Either it is used and its faults are listed, or there is no figure and the reason says why."""
    scores = scored(openai_server, first, found())
    assert sound_whatever_came(scores["missing_gist"]) == status
    assert {sound_whatever_came(one) for one in scores.values()} <= {status, "undefined"}
    if status == "ok" and not first.startswith("bla"):
        assert scores["missing_gist"].score.details["faults"]


NAMES_NO_UNIT = (
    found([0]),
    found([10**30]),
    '{"missing_gist":["\\ud83d"],"missing_supplement":[],"extra_gist":[],"extra_supplement":[]}',
)


@pytest.mark.parametrize(
    ("second", "values"),
    [
        (found(["1", "2."], ["unit 2"]), (1.0, 0.5, 0.0, 0.0)),
        (found([{"number": 1}], [{"text": "The desk was painted last year."}]), (0.5, 0.5, 0.0, 0.0)),
        (found([1, 1, 1, 2], [1, 1], ["The desk is blue."] * 3, ["The desk is blue."] * 3), (1.0, 0.5, 0.5, 0.0)),
        (found([1] * 10_000), (0.5, 0.0, 0.0, 0.0)),
        (found(extra_gist=["y" * 1_000_000]), (0.0, 0.0, 0.5, 0.0)),
        (found(extra_gist=[ANSWER] * 2_000), (0.0, 0.0, 0.5, 0.0)),
        (found(extra_gist=["", "  ", "\u200b", "\u202e"]), (0.0, 0.0, 0.0, 0.0)),
        ('{"missing_gist":[],"missing_supplement":[],"extra_gist":["The desk \\ud83d"],"extra_supplement":[]}',
         (0.0, 0.0, 0.5, 0.0)),
        (found([0]), (0.0, 0.0, 0.0, 0.0)),
        (found([10**30]), (0.0, 0.0, 0.0, 0.0)),
        (f'{{"missing_gist":[{"9" * 5_000}],"missing_supplement":[],"extra_gist":[],"extra_supplement":[]}}', None),
        (found(extra_gist=[float("nan")]), None),
        ('{"missing_gist":["\\ud83d"],"missing_supplement":[],"extra_gist":[],"extra_supplement":[]}',
         (0.0, 0.0, 0.0, 0.0)),
        ('{"missing_gist": [1]}', None),
    ],
)  # fmt: skip
def test_no_comparison_does_either(openai_server, second, values):
    """Each unit counts once, an unknown unit costs one unit and not the reply, and an invisible passage is not one."""
    scores = scored(openai_server, SOUND, second)
    statuses = {sound_whatever_came(one) for one in scores.values()}
    assert statuses == ({"unreadable"} if values is None else {"ok"})
    assert tuple(one.score.value for one in scores.values()) == (values or (None,) * 4)
    if second in NAMES_NO_UNIT:
        assert scores["missing_gist"].score.details["unreadable"]


def test_a_unit_of_the_reference_that_is_called_extra_is_reported(openai_server):
    """It is in the answer verbatim, and still adds nothing: if the judge insists, the details say so."""
    score = scored(openai_server, SOUND, found(extra_gist=["Children pay nothing."]))["extra_gist"].score
    assert score.details["faults"] == ["answer: “Children pay nothing.” is a unit of the reference, so it is not extra"]
