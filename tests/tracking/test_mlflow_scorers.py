"""saiten's metrics in a real `mlflow.genai.evaluate`, with a real SQLite store and real HTTP to a judge."""

import gc
import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import saiten
from saiten.errors import CallFailed, ConfigurationError
from saiten.judges.scripted import ScriptedJudge
from saiten.mlflow import scorer, scorers
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict
from saiten.tracking.stores import quietly
from servers import Fault

pytestmark = [
    pytest.mark.slow,  # the import of MLflow alone takes seconds
    pytest.mark.xdist_group("mlflow"),
    pytest.mark.filterwarnings("ignore"),  # of MLflow's own
]

ROWS = [
    {
        "inputs": {"question": "橋はいつ開通しましたか。"},
        "outputs": {"answer": "橋は1998年に開通しました。", "contexts": ["この橋は1998年に開通した。"]},
        "expectations": {"expected_response": "橋は1998年に開通した。"},
    },
    {
        "inputs": {"question": "When was the bridge opened?"},
        "outputs": {"answer": "It was opened in 2001.", "contexts": ["The bridge was opened in 1998."]},
        "expectations": {"expected_response": "It was opened in 1998."},
    },
    {"inputs": {"question": "Who built the bridge?"}, "outputs": "A company from Nagoya."},
]
METRICS = ["faithfulness", "answer_relevancy", "correctness[rubric=worst_first]", "token_f1"]
NAMES = {"correctness[rubric=worst_first]": "correctness - rubric worst_first"}


@pytest.fixture
def genai(mlflow, store, monkeypatch):
    """`mlflow.genai` with an empty store and an experiment."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with quietly():
        mlflow.set_tracking_uri(store)
        mlflow.set_experiment("answers")
        yield mlflow.genai
    mlflow.set_tracking_uri(None)


def feedbacks(mlflow, result):
    """All feedback of an evaluation, as it is in the store: (question, name) → feedback."""
    found = {}
    for trace in mlflow.search_traces(run_id=result.run_id, return_type="list"):
        question = trace.data.spans[0].inputs["question"]
        found |= {(question, one.name): one for one in trace.info.assessments if one.feedback is not None}
    return found


def judge_of(server):
    """The name of a judge on the server."""
    return f"openai:m@{server.base_url}"


@pytest.mark.witness
def test_values_reasons_and_statuses_are_those_of_saiten(mlflow, genai):
    """Rows in both languages get the scores of `saiten.evaluate`; what could not be measured is no number, but an error with its status."""
    result = genai.evaluate(data=ROWS, scorers=scorers(METRICS, judge="offline"))
    expected = saiten.evaluate(ROWS, METRICS, judge="offline")
    found = feedbacks(mlflow, result)
    questions = {sample.id: sample.question for sample in expected.samples}
    assert len(found) == len(expected.scores) == 12
    for one in expected.scores:
        feedback = found[questions[one.sample], NAMES.get(one.metric, one.metric)]
        assert (feedback.value, feedback.rationale) == (one.score.value, one.score.reason)
        assert feedback.error_code == (None if one.score.status == "ok" else one.score.status)
        assert feedback.error_message == (None if one.score.status == "ok" else one.score.reason)
        facts = feedback.metadata
        assert facts["saiten.signature"] == expected.signatures[one.metric]
        assert (facts["saiten.metric"], facts["saiten.status"]) == (one.metric, one.score.status)
        assert (facts["mlflow.scorer.framework"], facts["saiten.version"]) == ("saiten", saiten.__version__)
    assert {one.score.status for one in expected.scores} == {"ok", "undefined"}
    means = {f"{NAMES.get(name, name)}/mean": expected.summary.overall(name).mean for name in METRICS}
    assert result.metrics == pytest.approx(means)
    assert found[ROWS[1]["inputs"]["question"], "token_f1"].source.source_type == "CODE"
    assert "matched" in found[ROWS[1]["inputs"]["question"], "token_f1"].metadata["saiten.details"]


@pytest.mark.witness
def test_a_row_is_asked_for_as_in_a_run_and_nothing_twice(mlflow, genai, openai_server):
    """The scorers of a row share its steps and joined calls; a second evaluation and a run with the same cache ask nothing."""
    judge = judge_of(openai_server)
    saiten.evaluate(ROWS, METRICS, judge=judge, no_cache=True)
    of_a_run = len(openai_server.requests)
    openai_server.requests.clear()
    made = scorers(METRICS, judge=judge)
    result = genai.evaluate(data=ROWS, scorers=made)
    assert len(openai_server.requests) == of_a_run
    one = feedbacks(mlflow, result)[ROWS[1]["inputs"]["question"], "faithfulness"]
    assert (one.value, one.source.source_type, one.source.source_id) == (1.0, "LLM_JUDGE", judge)
    assert int(one.metadata["saiten.calls"]) >= 1
    assert int(one.metadata["mlflow.assessment.judgeInputTokens"]) > 0
    openai_server.requests.clear()
    again = genai.evaluate(data=ROWS, scorers=made)
    assert again.metrics == result.metrics
    assert openai_server.requests == []
    assert genai.evaluate(data=ROWS, scorers=scorers(METRICS, judge=judge)).metrics == result.metrics
    saiten.evaluate(ROWS, METRICS, judge=judge, cache=".saiten/answers.sqlite")
    assert [list(one.schema["properties"]) for one in openai_server.requests] == [["ok"]] * 2  # each tries its judge


def test_a_feedback_has_its_cost_and_its_votes(mlflow, genai, openai_server):
    """Also under MLflow's own keys, of which the cost is in dollars; calls of unknown cost are counted."""
    prices = {"m": {"prompt": 1000.0, "completion": 1000.0}}
    made = scorers(["accuracy"], judge=judge_of(openai_server), votes=3, prices=prices)
    (one,) = feedbacks(mlflow, genai.evaluate(data=ROWS[:1], scorers=made)).values()
    assert (one.value, one.metadata["saiten.votes"], one.metadata["saiten.calls"]) == (1.0, "[1.0, 1.0, 1.0]", "3")
    tokens = [int(one.metadata[f"mlflow.assessment.judge{which}Tokens"]) for which in ("Input", "Output")]
    assert float(one.metadata["mlflow.assessment.judgeCost"]) == pytest.approx(sum(tokens) / 1000)
    assert one.metadata["saiten.cost"].endswith(" USD")
    assert "saiten.unpriced" not in one.metadata
    yen = scorer("accuracy", judge=judge_of(openai_server), no_cache=True, prices=prices, currency="JPY")(**ROWS[0])
    assert yen.metadata["saiten.cost"].endswith(" JPY")
    assert "mlflow.assessment.judgeCost" not in yen.metadata
    unknown = scorer("accuracy", judge=judge_of(openai_server), no_cache=True)(**ROWS[0])
    assert unknown.metadata["saiten.unpriced"] == "1"
    assert "saiten.cost" not in unknown.metadata


def test_replies_are_on_disk_as_soon_as_they_arrive(genai, openai_server, tmp_path):
    """They are in `.saiten/answers.sqlite`, or where `cache` says, before the evaluation ends; with `no_cache` nowhere."""
    kept = []

    def look(asked):
        if asked.number > 2:  # after the first small call and the first step
            with sqlite3.connect(tmp_path / ".saiten" / "answers.sqlite") as database:
                (table,) = [row[0] for row in database.execute("select name from sqlite_master where name = 'answers'")]
                kept.append(database.execute(f"select count(*) from {table}").fetchone()[0])  # noqa: S608
            database.close()

    openai_server.reply = look
    ask = {"inputs": ROWS[0]["inputs"], "outputs": ROWS[0]["outputs"]}
    scorer("faithfulness", judge=judge_of(openai_server))(**ask)
    assert kept
    assert kept[0] >= 1
    openai_server.reply = lambda _: None
    scorer("faithfulness", judge=judge_of(openai_server), cache=tmp_path / "elsewhere.sqlite")(**ask)
    assert (tmp_path / "elsewhere.sqlite").is_file()
    openai_server.requests.clear()
    for _ in range(2):
        scorer("faithfulness", judge=judge_of(openai_server), no_cache=True)(**ask)
    assert len(openai_server.requests) == 2 * (1 + 2)  # the first small call, and two steps


def test_contexts_come_from_the_retrievers_of_a_traced_system(mlflow, genai):
    """`predict_fn` is traced by MLflow; what its retriever returned is what the answer is checked against."""

    @mlflow.trace(span_type="RETRIEVER")
    def index(question):
        return [{"page_content": "The bridge was opened in 1998."}, {"page_content": "Boats are not bridges."}]

    @mlflow.trace(span_type="RETRIEVER")
    def search(question):
        return index(question)[:1]

    def system(question):
        search(question)
        return {"choices": [{"message": {"role": "assistant", "content": "The bridge was opened in 1998."}}]}

    seen = []

    class Seeing(ScriptedJudge):
        async def perform(self, task):
            if isinstance(task, VerifyStatements):
                seen.append(task.contexts)
            return await super().perform(task)

    judge = Seeing(
        {
            SplitStatements: Statements(statements=["The bridge was opened in 1998."]),
            VerifyStatements: StatementVerdicts(verdicts=[Verdict(number=1, verdict=True, reason="It says so.")]),
        }
    )
    rows = [{"inputs": {"question": "When was the bridge opened?"}}]
    result = genai.evaluate(data=rows, predict_fn=system, scorers=[scorer("faithfulness", judge=judge)])
    assert result.metrics == {"faithfulness/mean": 1.0}
    assert seen == [("The bridge was opened in 1998.",)]
    (one,) = feedbacks(mlflow, result).values()
    assert (one.source.source_type, one.source.source_id) == ("LLM_JUDGE", "Seeing")


def test_stored_traces_are_scored_with_their_expectations(mlflow, genai):
    """Answers of a system in production: inputs and outputs of the root span, and what people expect of them."""

    @mlflow.trace
    def system(question):
        return "It was opened in 1998."

    system(question="When was the bridge opened?")
    trace_id = mlflow.get_last_active_trace_id()
    mlflow.flush_trace_async_logging()
    mlflow.log_expectation(trace_id=trace_id, name="expected_response", value="It was opened in 1998.")
    result = genai.evaluate(data=[mlflow.get_trace(trace_id)], scorers=scorers(["exact_match", "token_f1"]))
    assert result.metrics == {"exact_match/mean": 1.0, "token_f1/mean": 1.0}
    alone = scorer("exact_match")(trace=mlflow.get_trace(trace_id))
    assert alone.value == 1.0


def test_a_system_that_fails_has_no_answer_to_score(mlflow, genai):
    """The row has an error that says what is missing; the others are scored."""

    def system(question):
        if "Who" in question:
            raise RuntimeError("no route")
        return "It was opened in 1998."

    rows = [{"inputs": row["inputs"], "expectations": {"expected_response": "It was opened in 1998."}} for row in ROWS]
    result = genai.evaluate(data=rows, predict_fn=system, scorers=[scorer("exact_match")])
    assert result.metrics == {"exact_match/mean": 1.0}
    assert feedbacks(mlflow, result)["Who built the bridge?", "exact_match"].error_message == "the sample has no answer"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Fault(500, "broken"), ("failed", "HTTP 500")),
        ("no JSON at all", ("unreadable", "JSON")),
    ],
    ids=["failed", "unreadable"],
)
def test_a_failed_call_is_an_error_and_no_number(mlflow, genai, openai_server, reply, expected):
    """A fault or a reply that cannot be read becomes the status of its score; a metric without a judge is not affected."""
    openai_server.reply = lambda asked: reply if "bridge opened" in str(asked.body) else None
    made = scorers(["faithfulness", "token_f1"], judge=judge_of(openai_server), retries=0)
    result = genai.evaluate(data=ROWS[:2], scorers=made)
    one = feedbacks(mlflow, result)[ROWS[1]["inputs"]["question"], "faithfulness"]
    code, message = expected
    assert (one.value, one.error_code) == (None, code)
    assert message in one.error_message
    assert result.metrics["faithfulness/mean"] == 1.0
    assert feedbacks(mlflow, result)[ROWS[1]["inputs"]["question"], "token_f1"].value > 0


def test_an_answer_that_declines_is_not_a_zero(genai):
    """Its feedback has the status instead of a value."""
    row = {
        "inputs": {"question": "どこですか。"},
        "outputs": "わかりません。",
        "expectations": {"expected_response": "名古屋です。"},
    }
    one = scorer("correctness", judge="offline")(**row)
    assert (one.value, one.error.error_code, one.metadata["saiten.status"]) == (None, "declined", "declined")


def test_a_row_without_a_text_is_an_error_of_that_row(genai):
    """The evaluation goes on, and the error says what was expected."""
    one = scorer("token_f1")(inputs={"question": "Where?"}, outputs=object())
    assert (one.value, one.error.error_code) == (None, "bad_row")
    assert one.error.error_message.startswith("outputs: expected text, a dict or a chat completion, got an object")


@pytest.mark.witness
def test_a_spent_budget_ends_the_calls_and_not_the_evaluation(mlflow, genai, openai_server):
    """All rows share one budget; those that it does not cover have an error that says so, those that it covers their value."""
    rows = [{"inputs": {"question": f"What is {n}?"}, "outputs": f"It is {n}.", "expectations": {"expected_response": str(n)}} for n in range(12)]  # fmt: skip
    made = scorers(["accuracy", "token_f1"], judge=judge_of(openai_server), max_calls=5)
    result = genai.evaluate(data=rows, scorers=made)
    assert len(openai_server.requests) == 5
    codes = [one.error_code for (_, name), one in feedbacks(mlflow, result).items() if name == "accuracy"]
    assert (len(codes), set(codes)) == (12, {None, "budget_spent"})
    assert 1 <= codes.count(None) <= 5
    assert result.metrics["token_f1/mean"] > 0
    spent = made[0](inputs={"question": "What is 99?"}, outputs="99", expectations={"expected_response": "99"})
    assert spent.error.error_message.startswith("the budget of 5 calls is spent")


def test_a_wrong_setup_is_said_at_once_or_in_every_row(mlflow, genai, openai_server):
    """What can be known without a call is raised when the scorers are made; an unknown model is tried once, and is the error of every row."""
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        scorers(["faithfulness"], judge="openai:gpt-4o-mini")
    with pytest.raises(ConfigurationError, match="gist"):
        scorer("gist", judge="offline")
    with pytest.raises(ConfigurationError, match="replies to a batch come hours later"):
        scorers(["faithfulness"], judge=judge_of(openai_server), batch=True)
    with pytest.raises(TypeError, match=r"scorers\(\) got an unexpected keyword argument 'vote'; did you mean 'votes'"):
        scorers(["faithfulness"], judge="offline", vote=3)
    openai_server.models = ["another"]
    result = genai.evaluate(data=ROWS, scorers=scorers(["faithfulness"], judge=judge_of(openai_server)))
    assert {one.error_code for one in feedbacks(mlflow, result).values()} == {"configuration"}
    assert result.metrics == {}
    assert len([one for one in openai_server.requests if one.path.endswith("completions")]) == 1


def test_many_threads_share_one_judge(genai, openai_server):
    """Scorers called from 32 threads for 40 rows: every value is right, each row is asked for once, and at most as many calls are in flight as allowed."""
    openai_server.latency = 0.01
    made = scorers(["accuracy", "answer_relevancy"], judge=judge_of(openai_server), concurrency=4)
    calls = [
        (each, {"inputs": {"question": f"What is {n}?"}, "outputs": f"It is {n}.", "expectations": {"expected_response": f"{n}"}})
        for n in range(40)
        for each in made
    ] * 2  # fmt: skip
    with ThreadPoolExecutor(32) as pool:
        values = list(pool.map(lambda call: call[0](**call[1]).value, calls))
    assert set(values[::2]) == {1.0}
    assert len(values) == 160
    assert None not in values
    sent = [str(one.body["messages"]) for one in openai_server.requests]
    assert len(set(sent)) == len(sent) == 81  # the first small call, and two for each row
    assert openai_server.peak <= 4


def test_the_metrics_of_a_row_are_asked_for_together(genai, openai_server):
    """The first scorer starts all metrics of the set, and another one takes its score; calling both again asks anew."""
    made = scorers(["accuracy", "answer_relevancy"], judge=judge_of(openai_server), no_cache=True)
    row = {"inputs": {"question": "What is 2?"}, "outputs": "It is 2.", "expectations": {"expected_response": "2"}}
    assert [each(**row).error for each in made] == [None, None]
    assert len(openai_server.requests) == 3  # one small call, and one for each metric
    assert [each(**row).error for each in made] == [None, None]
    assert len(openai_server.requests) == 5


def test_rows_that_nobody_asks_for_again_are_forgotten(genai, monkeypatch):
    """A scorer used without the others of its set does not keep every row that it has seen."""
    monkeypatch.setattr("saiten.mlflow.shared_scoring._ROWS", 5)
    made = scorers(["token_f1", "exact_match"])
    for n in range(20):
        assert made[0](outputs=f"{n}", expectations={"expected_response": f"{n}"}).value == 1.0
    assert len(made[0]._scoring._rows.rows) <= 10


def test_the_callers_own_judge_is_asked_and_not_closed(genai):
    """Its failure is the status of a score."""

    class Own(ScriptedJudge):
        closed = False

        async def perform(self, task):
            raise CallFailed("out of order")

        async def close(self):
            Own.closed = True

    one = scorer("faithfulness", judge=Own({}))
    found = one(inputs={"question": "q"}, outputs={"answer": "a", "contexts": ["c"]})
    assert (found.error.error_code, found.error.error_message) == ("failed", "out of order")
    del one
    gc.collect()
    assert not Own.closed


def test_a_scorer_that_is_no_longer_used_ends_its_thread(genai, openai_server):
    """Connections, cache and thread live as long as one of the set's scorers; also while a row is in progress."""

    def threads():
        return [each for each in threading.enumerate() if each.name == "saiten.mlflow"]

    gc.collect()
    before = len(threads())
    made = scorers(["accuracy", "token_f1"], judge=judge_of(openai_server))
    made[0](inputs={"question": "q"}, outputs="a", expectations={"expected_response": "a"})
    assert len(threads()) == before + 1
    del made[0]
    gc.collect()
    assert len(threads()) == before + 1
    del made
    gc.collect()
    assert len(threads()) == before


def test_a_scorer_cannot_be_registered_and_says_so(mlflow, genai):
    """MLflow would store a name that it cannot load; the message says what to do instead."""
    one = scorer("token_f1")
    assert one.description.startswith("token_f1|tokeniser_ja:")
    with pytest.raises(
        mlflow.exceptions.MlflowException, match="'token_f1' is a scorer of saiten, which cannot be registered"
    ):
        one.register(name="f1")
    with pytest.raises(mlflow.exceptions.MlflowException, match="cannot be serialized"):
        one.model_dump()


def run_python(code, tmp_path, *folders):
    """Standard output of a fresh process, in an empty folder."""
    places = os.pathsep.join(map(str, [*folders, *filter(None, [os.environ.get("PYTHONPATH")])]))
    env = os.environ | {"PYTHONPATH": places, "MLFLOW_DISABLE_TELEMETRY": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path, env=env, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done


def test_mlflow_is_loaded_with_the_first_scorer(openai_server, tmp_path):
    """The import of `saiten.mlflow` costs nothing, and a program that ends with scorers in use ends quietly."""
    code = (
        "import sys, warnings, saiten, saiten.mlflow\n"
        "warnings.simplefilter('ignore', UserWarning)\n"  # of old releases of pydantic about MLflow's models
        "assert 'mlflow' not in sys.modules and 'pandas' not in sys.modules\n"
        f"one = saiten.mlflow.scorer('faithfulness', judge={judge_of(openai_server)!r})\n"
        "print(one(inputs={'question': 'q'}, outputs={'answer': 'It is old.', 'contexts': ['It is old.']}).value)"
    )
    done = run_python(code, tmp_path)
    assert (done.stdout, done.stderr) == ("1.0\n", "")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"__init__.py": "__version__ = '2.9.0'"}, "MLflow 2.9.0 is installed, and No module named 'mlflow.genai'"),
        (
            {"__init__.py": "__version__ = '9.0'", "genai/__init__.py": "", "genai/scorers.py": "", "entities.py": "AssessmentError = AssessmentSource = Feedback = 1"},
            "MLflow 9.0 is installed, and there is no mlflow.genai.scorers.Scorer",
        ),
    ],
    ids=["older", "changed"],
)  # fmt: skip
def test_another_mlflow_is_named_with_what_was_expected(files, message, tmp_path):
    """The error names the installed version, what it lacks, and what to install."""
    for name, text in files.items():
        (tmp_path / "mlflow" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mlflow" / name).write_text(text)
    code = (
        "from saiten.errors import ConfigurationError\nfrom saiten.mlflow import scorer\n"
        "try: scorer('token_f1')\nexcept ConfigurationError as error: print(error)"
    )
    said = run_python(code, tmp_path, tmp_path).stdout
    assert said == (
        f"a scorer for MLflow needs mlflow.genai of MLflow 3.10 or newer; {message}; "
        'install with: pip install --upgrade "saiten[mlflow]"\n'
    )
