"""The Python API: in scripts and notebooks, with files, rows and frames, in memory and in a folder."""

import json
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import polars as pl
import pytest

import saiten
from saiten.errors import BadInput, ConfigurationError
from saiten.judges.scripted import ScriptedJudge
from saiten.records import Sample, Score
from saiten.runs import read_run
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict

ROWS = [
    {"id": "a", "user_input": "Where?", "response": "In Nagoya.", "retrieved_contexts": ["Nagoya."], "reference": "In Nagoya."},
    {"id": "b", "user_input": "どこ？", "response": "名古屋です。", "retrieved_contexts": ["名古屋です。"], "reference": "名古屋です。"},
    {"id": "c", "user_input": "Where?", "response": "No idea at all", "retrieved_contexts": ["x"], "reference": "In Nagoya."},
]  # fmt: skip


def values(result, metric="token_f1"):
    """The values of one metric by sample."""
    return {one.sample: one.score.value for one in result.scores if one.metric == metric}


EXPECTED = {"a": 1.0, "b": 1.0, "c": 0.0}


@pytest.mark.parametrize(
    "samples",
    [
        ROWS,
        iter(ROWS),
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        [Sample(r["id"], r["user_input"], r["response"], None, r["reference"]) for r in ROWS],
    ],
    ids=["dicts", "iterator", "pandas", "polars", "samples"],
)
def test_samples_may_come_in_any_shape(samples):
    """Rows with the columns of other tools, frames, or samples give the same figures."""
    assert values(saiten.evaluate(samples, ["token_f1"])) == EXPECTED


def test_samples_can_be_read_looked_at_and_evaluated():
    """Reading is separate from evaluating: what was read, bad rows included, is accepted unchanged."""
    rows = list(saiten.read_samples([*ROWS, {"question": None}]))
    assert [row.language for row in rows[:3]] == ["en", "ja", "en"]
    result = saiten.evaluate(rows, ["token_f1"])
    assert values(result) == EXPECTED
    assert len(result.bad_rows) == 1


def test_a_file_is_read_like_on_the_command_line(tmp_path):
    """Japanese is detected, and bad rows are kept separately."""
    pd.DataFrame(ROWS).to_json(tmp_path / "d.jsonl", orient="records", lines=True, force_ascii=False)
    with (tmp_path / "d.jsonl").open("a") as file:
        file.write("nonsense\n")
    for path in (tmp_path / "d.jsonl", str(tmp_path / "d.jsonl")):
        result = saiten.evaluate(path, "token_f1")
        assert values(result) == EXPECTED
        assert [sample.language for sample in result.samples] == ["en", "ja", "en"]
        assert [row.where for row in result.bad_rows] == ["d.jsonl:4"]
    with pytest.raises(BadInput, match=r"d\.jsonl:4"):
        saiten.evaluate(path, "token_f1", strict=True)


async def test_evaluate_works_where_a_loop_is_running():
    """This covers notebooks, where asyncio.run cannot be called; errors come out unchanged."""
    assert values(saiten.evaluate(ROWS, ["token_f1"])) == EXPECTED
    assert values(await saiten.aevaluate(ROWS, ["token_f1"])) == EXPECTED
    with pytest.raises(ConfigurationError, match="there is no metric"):
        saiten.evaluate(ROWS, ["no_such_metric"])


def test_the_stop_button_of_a_notebook_stops_the_run():
    """Ctrl-C while a loop is running also ends the work in the other thread: nothing more is asked or paid for."""
    code = textwrap.dedent("""
        import asyncio, os, signal, saiten
        from saiten.judges.scripted import ScriptedJudge
        from saiten.tasks.statements import SplitStatements, Statements

        class Slow(ScriptedJudge):
            async def perform(self, task):
                if not self.asked:
                    os.kill(os.getpid(), signal.SIGINT)
                self.asked.append(task)
                await asyncio.sleep(1)  # a thousand would be asked in many seconds
                return Statements(statements=[])

        judge = Slow({})
        rows = ({"id": str(n), "question": f"q{n}", "answer": f"a{n}", "contexts": ["c"]} for n in range(100_000))
        async def cell():
            try:
                saiten.evaluate(rows, ["faithfulness"], judge)
            except KeyboardInterrupt:
                print("stopped", len(judge.asked) < 1000)
        loop = asyncio.new_event_loop()
        loop.run_until_complete(cell())
        loop.close()
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=110, check=False)
    assert done.stdout == "stopped True\n", done.stderr


def test_the_stop_button_works_from_the_first_moment():
    """An interrupt while the other thread is just starting ends the work too."""
    code = textwrap.dedent("""
        import asyncio, threading
        from saiten.api.blocking import wait_for

        class InterruptedAtOnce(threading.Thread):
            def start(self):
                super().start()
                raise KeyboardInterrupt

        async def forever():
            try:
                await asyncio.Event().wait()
            finally:
                print("ended")

        async def cell():
            threading.Thread = InterruptedAtOnce
            try:
                wait_for(forever())
            except KeyboardInterrupt:
                print("stopped")
        asyncio.new_event_loop().run_until_complete(cell())
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=110, check=False)
    assert done.stdout == "ended\nstopped\n", done.stderr


def test_frames_hold_samples_scores_and_statuses():
    """One row per sample; a missing score has no value there, but its status and reason."""
    result = saiten.evaluate(
        [*ROWS, {"id": "d", "user_input": "Who?", "response": "Me."}], ["token_f1", "faithfulness"]
    )
    table, frame = result.to_pandas(), result.to_polars()
    assert list(table["id"]) == frame["id"].to_list() == ["a", "b", "c", "d"]
    assert list(table["token_f1:status"]) == ["ok", "ok", "ok", "undefined"]
    assert table["token_f1"].isna().tolist() == frame["token_f1"].is_null().to_list() == [False, False, False, True]
    assert frame["token_f1:reason"][3] == "the sample has no reference"
    assert frame["contexts"].to_list()[0] == ["Nagoya."]
    assert frame.schema["faithfulness"] == pl.Float64


@pytest.mark.parametrize("how", ["to_pandas", "to_polars"])
def test_a_result_can_be_evaluated_again(how):
    """The output frame is a valid input frame, with the same samples."""
    first = saiten.evaluate(ROWS, ["token_f1"])
    again = saiten.evaluate(getattr(first, how)(), ["token_f1", "exact_match"])
    assert again.samples == first.samples
    assert values(again) == EXPECTED


def test_a_result_shows_itself():
    """As Markdown in a notebook, with the signature; the mean is available."""
    result = saiten.evaluate(ROWS, ["token_f1"])
    assert result.summary.overall("token_f1").mean == pytest.approx(2 / 3)
    assert result._repr_markdown_().startswith("### Scores\n\n| metric | mean |")
    assert "tokeniser_ja:sudachi" in str(result)
    assert repr(result).startswith("<Evaluation of 3 samples, 3 scores>\n### Scores")


@dataclass(frozen=True)
class Words:
    """A custom metric: nothing is inherited."""

    at_most: int = 3
    needs: ClassVar[tuple[str, ...]] = ("answer",)
    tasks: ClassVar[tuple[Any, ...]] = ()
    bounds = (0.0, 1.0)
    higher_is_better = True
    name = "words"

    def describe(self) -> Mapping[str, str]:
        return {"at_most": str(self.at_most)}

    async def score(self, sample: Sample, judge: Any) -> Score:
        return Score(float(len((sample.answer or "").split()) <= self.at_most))


def test_a_custom_metric_works_alongside_ours(tmp_path):
    """Any object that fits the protocol works; its settings are in the signature, its scores in the run, which can be
    shown and compared.
    """
    result = saiten.evaluate(ROWS, ["token_f1", Words()], run=tmp_path / "run")
    assert values(result, "words") == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert result.signatures["words"].startswith("words|at_most:3|")
    from saiten.runs import read_run
    from saiten.views.tables.comparison import comparison_tables

    reader = read_run(tmp_path / "run")
    (table,) = comparison_tables([reader, reader])
    assert [row[0] for row in table.rows] == ["token_f1", "words"]


class Own(ScriptedJudge):
    """A custom judge that finds no support, and records whether it was closed."""

    def __init__(self):
        no = lambda task: StatementVerdicts(  # noqa: E731 - a line of a script
            verdicts=[Verdict(number=n, reason="", verdict=False) for n, _ in enumerate(task.statements, 1)]
        )
        super().__init__({SplitStatements: Statements(statements=["One."]), VerifyStatements: no})

    async def close(self):
        self.asked.append("closed")


def test_a_custom_judge_is_asked_and_left_open():
    """Its maker closes it."""
    judge = Own()
    result = saiten.evaluate(ROWS, ["faithfulness"], judge)
    assert values(result, "faithfulness") == dict.fromkeys("abc", 0.0)
    assert len(judge.asked) == 6
    assert "closed" not in judge.asked
    assert "judge:scripted" in result.signatures["faithfulness"]


def test_a_folder_keeps_everything_and_the_same_call_goes_on(tmp_path):
    """Nothing is asked twice; the result has everything in the folder, including samples of earlier calls."""
    judge = Own()
    saiten.evaluate(ROWS[:2], ["faithfulness"], judge, run=tmp_path / "run")
    assert len(judge.asked) == 4
    result = saiten.evaluate(ROWS, ["faithfulness", "token_f1"], judge, run=tmp_path / "run")
    assert len(judge.asked) == 6
    assert values(result) == EXPECTED
    part = saiten.evaluate(ROWS[:1], ["token_f1"], judge, run=tmp_path / "run")
    assert [row["id"] for row in part.rows()] == ["a", "b", "c"]
    assert part.rows()[2]["faithfulness"] == 0.0
    assert set(part.signatures) == {"faithfulness", "token_f1"}


def test_a_folder_whose_judge_is_nested_is_read_as_the_flat_one(tmp_path):
    """Folders written from Python by earlier versions can be resumed, and no table shows {'judge': 'offline'}."""
    saiten.evaluate(ROWS, ["token_f1"], run=tmp_path / "run")
    path = tmp_path / "run" / "manifest.json"
    kept = json.loads(path.read_text())
    names = ("judge", "embedder", "temperature", "seed", "votes", "max_tokens")
    kept["settings"]["judge"] = {name: kept["settings"].pop(name) for name in names}
    path.write_text(json.dumps(kept))
    assert read_run(tmp_path / "run").manifest.settings["judge"] == "offline"
    assert len(saiten.evaluate(ROWS, ["token_f1", "length"], run=tmp_path / "run").scores) == 6


def test_a_folder_of_another_judge_is_refused(tmp_path):
    """The message names what differs."""
    saiten.evaluate(ROWS, ["faithfulness"], Own(), run=tmp_path / "run")
    with pytest.raises(ConfigurationError, match="judge"):
        saiten.evaluate(ROWS, ["faithfulness"], "offline", run=tmp_path / "run")


@pytest.mark.parametrize("run", [None, "run"])
def test_an_id_that_comes_twice_is_a_bad_row(tmp_path, run):
    """Two samples with one ID would have one score: the second is kept apart, in memory as in a folder."""
    sample = Sample("a", "q", "x", None, "x")
    folder = None if run is None else tmp_path / run
    result = saiten.evaluate([sample, Sample("a", "q", "y", None, "x"), sample], ["token_f1"], run=folder)
    assert values(result) == {"a": 1.0}
    assert [row.where for row in result.bad_rows] == ["sample 2", "sample 3"]


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([{"question": None, "answer": None}], "none of 1 rows"),
        ([None], "none of 1 rows"),
        ("gone.jsonl", "gone.jsonl"),
    ],
)
def test_nothing_to_score_is_an_error_that_says_why(samples, said):
    """An empty result would look like a good one."""
    with pytest.raises(BadInput, match=said):
        saiten.evaluate(samples, ["token_f1"])


@pytest.mark.parametrize("folder", [None, "run"])
def test_a_spent_budget_leaves_what_was_paid_for(openai_server, tmp_path, folder):
    """The result has the scores that were paid for and says why there are no more, in memory as in a folder."""
    judge = f"openai:m@{openai_server.base_url}"
    run = None if folder is None else tmp_path / folder
    result = saiten.evaluate(ROWS, ["faithfulness"], judge, run=run, max_calls=4, concurrency=1)
    assert len(openai_server.requests) == 4
    assert [one.sample for one in result.scores] == ["a"]
    assert "4 calls" in result.stopped
    assert result.stopped in str(result)


def test_after_a_budget_the_same_call_goes_on(openai_server, tmp_path):
    """The same call with more money resumes from there."""
    judge = f"openai:m@{openai_server.base_url}"
    saiten.evaluate(ROWS, ["faithfulness"], judge, run=tmp_path / "r", max_calls=4)
    assert len(openai_server.requests) == 4
    result = saiten.evaluate(ROWS, ["faithfulness"], judge, run=tmp_path / "r")
    assert len(result.scores) == 3
    assert result.stopped is None
    # A preflight each time; of the six tasks the paid ones are on disk.
    assert len(openai_server.requests) == 8


def test_a_watch_is_notified_of_everything():
    """It serves custom progress bars."""
    events = []

    class Watch:
        def sample_read(self, sample):
            events.append(("read", sample.id))

        def bad_row(self, row):
            events.append(("bad", row.where))

        def result(self, sample, scored):
            events.append(("scored", sample.id))

        def sample_done(self, sample):
            events.append(("done", sample.id))

    saiten.evaluate([ROWS[0], {"question": None}], ["token_f1"], watch=Watch())
    assert sorted(kind for kind, _ in events) == ["bad", "done", "read", "scored"]
    assert [kind for kind, _ in events if kind != "bad"] == ["read", "scored", "done"]


def test_results_without_ids_are_compared_by_question():
    """In any order, as in `saiten compare`."""
    rows = [{"question": f"q {n}", "answer": f"{n}" if n % 2 else "-", "reference": f"{n}"} for n in range(20)]
    better = [row | {"answer": row["reference"]} for row in rows[::-1]]
    before, after = (saiten.evaluate(of, ["exact_match"]) for of in (rows, better))
    compared = before.compare(after)
    (row,) = compared.rows()
    assert (row["n"], row["difference"], row["verdict"]) == (20, 0.5, "better")
    assert "Paired by question, since there are no ids: 20." in str(compared)


def test_a_comparison_of_offline_figures_says_that_words_were_compared():
    """The wording is the terminal's, wherever the comparison is shown; figures without a judge have no such note."""
    rows = [{"question": f"q{n}", "answer": "Ulm", "contexts": ["Ulm"], "reference": "Ulm"} for n in range(3)]
    judged, counted = (saiten.evaluate(rows, metrics=[metric]) for metric in ("faithfulness", "token_f1"))
    for shown in (judged.summary, judged.compare(judged)):
        assert "No model was called" in str(shown)
        assert "No model was called" in shown._repr_html_()
    assert "No model" not in str(counted.summary) + str(counted.compare(counted))


def configure(folder, monkeypatch, text):
    """A saiten.toml in the current folder."""
    monkeypatch.chdir(folder)
    (folder / "saiten.toml").write_text(text, encoding="utf-8")


def test_judge_metrics_prices_and_keys_come_from_the_file(openai_server, tmp_path, monkeypatch):
    """As on the command line; the embedder's setting is unchanged."""
    url = openai_server.base_url
    openai_server.key = "secret"
    monkeypatch.setenv("OUR_KEY", "secret")
    configure(
        tmp_path,
        monkeypatch,
        f'judge = "openai:m@{url}"\nmetrics = ["accuracy"]\ncurrency = "JPY"\nseed = 7\n'
        f'[prices]\nm = {{ prompt = 1e6, completion = 0.0 }}\n[key_env]\n"{url}" = "OUR_KEY"\n',
    )
    result = saiten.evaluate(ROWS)
    assert (set(result.signatures), result.settings["judge"]) == ({"accuracy"}, f"openai:m@{url}")
    assert (result.settings["currency"], result.settings["seed"]) == ("JPY", 7)
    assert result.summary.usage.cost == result.summary.usage.prompt_tokens > 0
    assert {each.body["seed"] for each in openai_server.requests} == {7}
    offline = saiten.evaluate(ROWS, ["length"], "offline", seed=1)
    assert (set(offline.signatures), offline.settings["seed"]) == ({"length"}, 1)


def test_concurrency_and_budget_come_from_the_file(openai_server, tmp_path, monkeypatch):
    """One request at a time, and five of them; an argument takes precedence over each."""
    configure(tmp_path, monkeypatch, "concurrency = 1\nmax_calls = 5\n")
    openai_server.latency = 0.02
    judge = f"openai:m@{openai_server.base_url}"
    assert saiten.evaluate(ROWS, ["accuracy"], judge, max_calls=3).summary.usage.calls == 3
    assert openai_server.peak == 1
    rows = [{**row, "id": f"{row['id']}{n}"} for n in range(5) for row in ROWS]
    assert "5 calls" in saiten.evaluate(rows, ["accuracy"], judge).stopped
    assert openai_server.peak == 1
    saiten.evaluate(rows, ["accuracy"], judge, concurrency=8, max_calls=100)
    assert openai_server.peak > 1


def test_language_and_calibration_come_from_the_file(tmp_path, monkeypatch):
    """The language of all samples, and the offline judge's calibration, which is in its signature."""
    rows = [{"question": f"q{n}", "answer": "A b.", "contexts": ["A b." if n % 2 else "C."]} for n in range(20)]
    configure(tmp_path, monkeypatch, 'language = "ja"\ncalibration = ["gone.json"]\n')
    assert {one.language for one in saiten.evaluate(rows, ["length"], calibration=[]).samples} == {"ja"}
    assert {one.language for one in saiten.evaluate(rows, ["length"], calibration=(), language="en").samples} == {"en"}
    with pytest.raises(BadInput, match=r"gone\.json"):
        saiten.evaluate(rows, ["faithfulness"])


def test_another_file_can_be_named(tmp_path, monkeypatch):
    """As with --config."""
    configure(tmp_path, monkeypatch, 'metrics = ["length"]\n')
    (tmp_path / "other.toml").write_text('metrics = ["token_f1"]\n')
    assert set(saiten.evaluate(ROWS, config="other.toml").signatures) == {"token_f1"}


def test_settings_of_a_named_judge_are_refused_for_ones_own():
    """They would have no effect."""
    with pytest.raises(ConfigurationError, match="votes is for a judge chosen by its name"):
        saiten.evaluate(ROWS, ["length"], ScriptedJudge({}), votes=3)
    with pytest.raises(ConfigurationError, match="its settings are keywords"):
        saiten.evaluate(ROWS, ["length"], saiten.JudgeSettings("offline"))


def test_no_metric_at_all_is_an_error_that_says_so(tmp_path, monkeypatch):
    """Neither an argument nor the file has one."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="name a metric"):
        saiten.evaluate(ROWS)
