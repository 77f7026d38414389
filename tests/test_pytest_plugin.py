"""`assert_score` and the plugin that pytest loads: how saiten looks from tests of a user's system."""

import asyncio
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

import saiten
from recorder import Recorder, response
from saiten.errors import BadInput, CallFailed, ConfigurationError
from saiten.judges.scripted import ScriptedJudge
from saiten.tasks.statements import SplitStatements
from saiten.testing import aassert_score, assert_score
from saiten.testing.session import Session, begin, end

pytest_plugins = ["pytester"]

ROW = {
    "question": "How old is it?",
    "answer": "It is 8 years old. It is pink.",
    "contexts": ["It is 8 years old.", "It stands in Nagoya."],
    "reference": "It is 8 years old.",
}


def refused(*arguments, **settings):
    """The message of the failed assertion."""
    with pytest.raises(AssertionError) as raised:
        assert_score(*arguments, **settings)
    return str(raised.value)


@pytest.mark.parametrize(
    ("sample", "fields"),
    [
        (ROW, {}),
        (saiten.Sample("s", ROW["question"], ROW["answer"], tuple(ROW["contexts"]), ROW["reference"]), {}),
        (None, ROW),
        ({"question": ROW["question"], "contexts": ROW["contexts"]}, {"answer": ROW["answer"]}),
        ({"user_input": ROW["question"], "response": ROW["answer"], "retrieved_contexts": ROW["contexts"]}, {}),
        (ROW | {"answer": "It is green."}, {"answer": ROW["answer"]}),
    ],
)
def test_a_sample_comes_in_any_shape(sample, fields):
    """The score is returned, with what was judged."""
    score = assert_score(sample, metric="faithfulness", at_least=0.5, at_most=0.5, **fields)
    assert score.value == 0.5
    assert score.details["statements"] == ["It is 8 years old.", "It is pink."]


def test_a_failure_shows_what_a_person_needs():
    """Value and limit first; question, answer, reference, contexts, reason, each statement with its verdict; how it was made."""
    text = refused(ROW, "faithfulness", at_least=0.8)
    assert text.splitlines()[0] == "faithfulness is 0.5, at least 0.8 was asked for"
    for line in ("  question   How old is it?", "  answer     It is 8 years old. It is pink.", "  reference  It is 8 years old.", "  context 2  It stands in Nagoya.", "  ✓ It is 8 years old.", "  ✗ It is pink."):  # fmt: skip
        assert line in text
    assert re.search(r"^  reason     1 of 2 statements", text, re.MULTILINE)
    assert "  made by  faithfulness|judge:offline-overlap" in text
    assert refused(ROW, "length", at_most=2).splitlines()[0] == "length is 8, at most 2 was asked for"


@pytest.mark.parametrize(
    ("row", "metric", "said"),
    [
        (ROW | {"contexts": None}, "faithfulness", "faithfulness has no value (undefined), at least 0 was asked for"),
        (
            ROW | {"answer": "I don't know."},
            "correctness",
            "correctness has no value (declined), at least 1 was asked for",
        ),
    ],
)
def test_a_score_without_a_value_never_passes(row, metric, said):
    """It fails with its status and its reason, however low the limit."""
    text = refused(row, metric, at_least=1 if metric == "correctness" else 0)
    assert text.splitlines()[0] == said
    assert "  reason " in text


def test_neither_does_a_call_that_failed():
    """The judge's error is the reason."""
    judge = ScriptedJudge({SplitStatements: CallFailed("HTTP 500 from the server")})
    text = refused(ROW, "faithfulness", at_least=0, judge=judge)
    assert "has no value (failed)" in text
    assert "HTTP 500 from the server" in text


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "said"),
    [
        ([ROW, "faithfulness"], {}, ConfigurationError, "at_least=…, at_most=…, or both"),
        ([ROW], {"at_least": 0.5}, ConfigurationError, "name a metric"),
        ([ROW, "faithfulnes"], {"at_least": 0.5}, ConfigurationError, "did you mean faithfulness"),
        ([ROW, "gist"], {"at_least": 0.5}, ConfigurationError, "is several figures: gist["),
        ([ROW, "faithfulness"], {"at_least": 80}, ConfigurationError, "lies between 0 and 1"),
        ([ROW, "correctness"], {"at_least": 0.8}, ConfigurationError, "lies between 1 and 5"),
        ([ROW, "faithfulness"], {"at_least": float("nan")}, ConfigurationError, "lies between 0 and 1"),
        ([ROW, "length"], {"at_most": float("inf")}, ConfigurationError, "has no effect"),
        ([ROW, "length"], {"at_least": 3, "at_most": 2}, ConfigurationError, "at least 3 and at most 2"),
        ([ROW, "faithfulness"], {"at_least": 0.5, "judge": "openrouter"}, ConfigurationError, "openrouter"),
        ([[ROW], "faithfulness"], {"at_least": 0.5}, ConfigurationError, "a dict or keyword arguments"),
        ([saiten.Sample("s"), "length"], {"at_least": 0, "answer": "x"}, ConfigurationError, "dataclasses.replace"),
        ([{"foo": "bar"}, "length"], {"at_least": 0}, BadInput, "the names are foo"),
        ([{"question": None, "answer": None}, "length"], {"at_least": 0}, BadInput, "neither question nor answer"),
        ([None, "length"], {"at_least": 0}, BadInput, "the names are none"),
        ([ROW, "length"], {"at_least": 0, "referense": "x"}, ConfigurationError, "did you mean reference"),
    ],
)
def test_a_test_that_is_written_wrongly_is_an_error(arguments, settings, error, said):
    """It is neither a pass nor a failure of the system under test."""
    with pytest.raises(error, match=re.escape(said)):
        assert_score(*arguments, **settings)


def test_texts_from_outside_stay_texts_and_short():
    """No escape reaches the terminal; a megabyte does not fill it."""
    row = ROW | {
        "answer": "\x1b[2J\x9b1m It is pink.\u202e " + "It is blue. " * 2_000,
        "contexts": ["c " * 9_999] * 50,
    }
    text = refused(row, "faithfulness", at_least=0.9)
    assert not {c for c in text if (ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c == "\u202e"}
    assert len(text) < 30_000
    assert "45 more" in text


@dataclass(frozen=True)
class Polite:
    """A custom metric."""

    name = "polite"
    needs = ("answer",)
    tasks = ()
    bounds = (0.0, 1.0)
    higher_is_better = True

    def describe(self):
        return {}

    async def score(self, sample, judge):
        await asyncio.sleep(0)
        return saiten.Score(1.0 if "please" in sample.answer else 0.0)


async def test_a_running_loop_is_no_obstacle():
    """Blocking or awaited, many at once; with a custom metric and judge as well."""
    assert_score(ROW, "faithfulness", at_least=0.5)
    assert_score(answer="Now, please.", metric=Polite(), at_least=1)
    found = await asyncio.gather(*(aassert_score(ROW, "faithfulness", at_least=0.5) for _ in range(20)))
    assert {score.value for score in found} == {0.5}
    judge = ScriptedJudge({SplitStatements: CallFailed("no")})
    with pytest.raises(AssertionError, match="has no value"):
        await aassert_score(ROW, "faithfulness", at_least=0, judge=judge)
    with pytest.raises(AssertionError, match=r"faithfulness is 0\.5"):
        await aassert_score(ROW, "faithfulness", at_least=0.8)


def test_threads_share_one_judge():
    """Whoever asks, the work is done in one loop."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: assert_score(ROW, "faithfulness", at_least=0.5).value, range(40)))
    assert found == [0.5] * 40


def test_the_fixtures_are_what_is_imported(assert_score, aassert_score):
    """They are the same objects."""
    assert assert_score is saiten.testing.assert_score
    assert aassert_score is saiten.testing.aassert_score


TESTS = """
import asyncio
import sys

import pytest
from saiten.testing import aassert_score, assert_score

ROW = {row!r}


def test_nothing_is_loaded_before_a_score():
    assert not {{"numpy", "pydantic", "aiohttp", "saiten.api.evaluation", "saiten.testing.grader"}} & set(sys.modules)


def test_right():
    assert_score(ROW, "token_f1", at_least=0.5)


def test_wrong(assert_score):
    assert_score(ROW, "token_f1", at_least=0.99)


def test_slip():
    assert_score(ROW, "tokenf1", at_least=0.99)


async def test_awaited():
    await asyncio.gather(*(aassert_score(ROW, "token_f1", at_least=0.5) for _ in range(5)))


def test_plain():
    found = [1, 2]
    assert found == [1, 3]
"""


def test_a_session_of_pytest(pytester):
    """Failures show the test's own lines and our text, a slip only its text; other assertions are shown as usual."""
    pytester.makepyfile(TESTS.format(row=ROW))
    result = pytester.runpytest_subprocess("-p", "no:xdist", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-W", "error", "-W", "ignore::pytest.PytestDeprecationWarning")  # fmt: skip
    out = re.sub(r"^E +", "E ", result.stdout.str(), flags=re.MULTILINE)
    assert set(re.findall(r"^FAILED \S+::(\w+)", out, re.MULTILINE)) == {"test_wrong", "test_slip", "test_plain"}, out  # fmt: skip
    result.assert_outcomes(passed=3, failed=3)
    assert "E AssertionError: token_f1 is 0.769231, at least 0.99 was asked for" in out
    assert "E answer     It is 8 years old. It is pink." in out
    assert "E saiten.errors.ConfigurationError: there is no metric 'tokenf1'; did you mean token_f1" in out
    assert "E assert [1, 2] == [1, 3]" in out
    assert "saiten/testing" not in out.replace("\\", "/")  # none of our lines in a traceback


JUDGED = """
import pytest
from saiten.testing import aassert_score, assert_score


@pytest.mark.parametrize("n", range(6))
def test_judged(n):
    assert_score(question=f"Question {n % 3}?", answer="a", reference="b", metric="accuracy", at_least=0)


async def test_awaited():
    await aassert_score(question="Question 1?", answer="a", reference="b", metric="accuracy", at_least=0)
"""


@pytest.mark.slow
def test_sessions_and_workers_share_answers(pytester, openai_server):
    """Two workers write one file of answers in turn; the next session only checks that the judge is there."""
    pytester.makepyfile(JUDGED)
    pytester.makeini(
        f"[pytest]\nasyncio_mode = auto\nsaiten_judge = openai:m@{openai_server.base_url}\nsaiten_cache = kept/answers.sqlite\n"
    )
    options = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestDeprecationWarning")
    pytester.runpytest_subprocess(*options, "-n", "2").assert_outcomes(passed=7)
    asked = len(openai_server.requests)
    assert asked <= 2 * (1 + 3)  # each worker tries the judge once, and asks each question at most once
    pytester.runpytest_subprocess(*options, "-p", "no:xdist").assert_outcomes(passed=7)
    assert len(openai_server.requests) <= asked + 1
    assert (pytester.path / "kept" / "answers.sqlite").exists()


def test_what_is_typed_comes_before_the_ini_file_and_that_before_saiten_toml(pytester):
    """Each names a different nonexistent judge, and the error shows which one was used."""
    pytester.makepyfile("def test(assert_score):\n    assert_score(answer='a', question='q', reference='a', metric='accuracy', at_least=0)")  # fmt: skip
    pytester.path.joinpath("saiten.toml").write_text('judge = "from_toml"\n')
    said = []
    for ini, typed in (
        ("", ()),
        ("saiten_judge = from_ini", ()),
        ("saiten_judge = from_ini", ("--saiten-judge", "typed")),
    ):
        pytester.makeini(f"[pytest]\n{ini}\n")
        out = pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:asyncio", *typed).stdout.str()  # fmt: skip
        said += re.findall(r"ConfigurationError: .*?(from_toml|from_ini|typed)", out)[:1]
    assert said == ["from_toml", "from_ini", "typed"]


def test_outside_pytest_it_works_as_well(tmp_path):
    """In a script or a notebook, the session lasts as long as the process and ends quietly."""
    code = f"from saiten.testing import assert_score\nprint(assert_score({ROW!r}, 'token_f1', at_least=0.5).value)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("0.769")


def test_the_configuration_file_is_obeyed_as_evaluate_obeys_it(tmp_path, monkeypatch, openai_server):
    """Judge, votes, seed, temperature, maximum length and language: the same requests, and the same score."""
    monkeypatch.chdir(tmp_path)
    judge = f"openai:m@{openai_server.base_url}"
    settings = {"votes": 2, "seed": 5, "temperature": 0.5, "max_tokens": 77, "language": "ja"}
    lines = [f"{name} = {json.dumps(value)}" for name, value in {"judge": judge, **settings}.items()]
    Path("saiten.toml").write_text("\n".join(lines))

    def bodies():
        asked = sorted(json.dumps(request.body, sort_keys=True) for request in openai_server.requests)
        openai_server.requests.clear()
        return asked

    (scored,) = saiten.evaluate([ROW], "accuracy").scores
    expected = bodies()
    session = Session()
    begin(session)
    try:
        score = assert_score(ROW, "accuracy", at_least=0)
    finally:
        end(session)
    assert bodies() == expected
    assert score.value == scored.score.value
    assert {json.loads(body)["seed"] for body in expected} == {5, 6}


@pytest.mark.parametrize(
    ("toml", "ini"),
    [
        ("far", ""),
        pytest.param("", "far", marks=pytest.mark.slow),  # with all retries, since no file says otherwise
        ("far", "near"),
        ("near", ""),
    ],
)
def test_a_judge_elsewhere_that_a_file_names_is_shown_before_it_is_asked(pytester, monkeypatch, toml, ini):
    """The file and the server, on a separate line before the test ends. The header says where settings are from."""
    with Recorder(response("502 Bad Gateway")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        judges = {"far": "openai:m@http://far.example/v1", "near": "offline", "": ""}
        if toml:
            pytester.path.joinpath("saiten.toml").write_text(f'judge = "{judges[toml]}"\nretries = 0\n')
        pytester.makeini(f"[pytest]\nsaiten_judge = {judges[ini]}\n")
        pytester.makepyfile("def test(assert_score):\n    assert_score(answer='a', question='q', reference='a', metric='accuracy', at_least=0)")  # fmt: skip
        out = pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:asyncio").stdout.str()
    assert (f"saiten: settings are from {pytester.path / 'saiten.toml'}" in out) == bool(toml)
    file = pytester.path / ("tox.ini" if ini == "far" else "saiten.toml")
    notice = f"saiten: {file} names the server of the judge, http://far.example: it gets the data when it is asked"
    asked = (ini or toml) == "far"
    assert (notice in out.splitlines(), b"far.example" in proxy.received) == (asked, asked)
    assert not asked or out.index(notice) < out.index("FAILURES")
