"""Runs in a real MLflow, in a real SQLite store: everything is there, once, and nothing else is touched."""

import json
import os
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import saiten
from saiten.cli import main
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample, Score, Scored
from saiten.runs import Journal, RunSettings, read_run
from saiten.tracking import log_to_mlflow, run_on_disk
from saiten.tracking.stores import quietly

pytestmark = [
    pytest.mark.slow,  # the import of MLflow alone takes seconds
    pytest.mark.xdist_group("mlflow"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of MLflow's own use of SQLAlchemy
]


@pytest.fixture
def client(mlflow, store):
    """A client for the store."""
    with quietly():
        yield mlflow.MlflowClient(store)


def the_run(client, experiment="saiten"):
    """The only run of the experiment."""
    (found,) = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    return found


def artifact(client, run, name):
    """The text of a stored file."""
    return Path(client.download_artifacts(run.info.run_id, f"saiten/{name}")).read_text(encoding="utf-8")


@pytest.mark.witness
def test_figures_settings_and_scores_of_a_run_are_there(run, store, client):
    """Mean, ends, counts and statuses as metrics, settings as parameters, the signature as a tag, scores as a table."""
    tracked = log_to_mlflow(run_on_disk(read_run(run)), to=store)
    found = the_run(client)
    assert (tracked.run_id, tracked.made, tracked.unfinished, tracked.notes) == (found.info.run_id, True, None, ())
    assert (found.info.status, found.info.run_name) == ("FINISHED", "first")
    metrics = found.data.metrics
    assert metrics["token_f1/mean"] == pytest.approx(2 / 3)
    assert [metrics[f"token_f1/{name}"] for name in ("n", "of", "questions", "undefined")] == [3, 3, 3, 0]
    assert metrics["system/two/token_f1/mean"] == 0.5
    assert (metrics["usage/calls"], metrics["run/samples"], metrics["run/scores"]) == (0, 3, 6)
    assert len(metrics) == tracked.figures
    assert found.data.params["judge"] == "offline"
    assert found.data.tags["saiten.signature.token_f1"].startswith("token_f1|tokeniser_ja:sudachi")
    assert found.data.tags["saiten.version.saiten"] == saiten.__version__
    table = json.loads(artifact(client, found, "scores.json"))
    assert table["columns"] == ["sample", "system", "group", "metric", "value", "status", "reason", "expected"]
    assert {tuple(row[:6]) for row in table["data"] if row[3] == "token_f1"} == {
        ("a", "良い / one", None, "token_f1", 1.0, "ok"),
        ("b", "two", None, "token_f1", 1.0, "ok"),
        ("c", "two", None, "token_f1", 0.0, "ok"),
    }
    assert "### Scores" in artifact(client, found, "summary.md")


def test_every_key_says_what_it_is(run, store, client):
    """Names that MLflow does not accept can be mapped back to the metric, the system and the figure."""
    log_to_mlflow(run_on_disk(read_run(run)), to=store)
    found = the_run(client)
    meanings = json.loads(artifact(client, found, "metrics.json"))
    assert set(found.data.metrics) - set(meanings) == {f"run/{n}" for n in ("samples", "scores", "missing", "bad_rows")}
    critique = {key: of for key, of in meanings.items() if of.get("metric") == 'aspect_critique["Polite, and short?"]'}
    assert {of["figure"] for key, of in critique.items() if "system" not in of} >= {"n", "undefined"}
    assert not any(of["figure"] == "mean" for of in critique.values())  # nothing was measured, so there is no number
    assert {of["system"] for of in meanings.values() if "system" in of} == {"良い / one", "two"}


@pytest.mark.witness
def test_no_text_goes_there_unless_asked(run, store, client):
    """Questions and answers are not sent; with `texts` they are, along with the details of the scores."""
    tracking = run_on_disk(read_run(run))
    log_to_mlflow(tracking, to=store)
    files = {file.path: file for file in client.list_artifacts(the_run(client).info.run_id, "saiten")}
    assert set(files) == {f"saiten/{name}" for name in ("metrics.json", "run.json", "scores.json", "summary.md")}
    assert not any("SECRET-ANSWER" in artifact(client, the_run(client), path.partition("/")[2]) for path in files)
    log_to_mlflow(tracking, to=store, texts=True)
    assert "SECRET-ANSWER" in artifact(client, the_run(client), "samples.jsonl")
    assert '"details"' in artifact(client, the_run(client), "scores.jsonl")


def test_the_same_run_is_tracked_once(run, store, client, tmp_path):
    """Repeated, or from another place: the same run, with one point per figure and no new parameter."""
    first = log_to_mlflow(run_on_disk(read_run(run)), to=store)
    moved = run.rename(tmp_path / "elsewhere")
    second = log_to_mlflow(run_on_disk(read_run(moved)), to=store, name="new name")
    assert (second.run_id, second.made) == (first.run_id, False)
    assert the_run(client).info.run_name == "new name"
    assert len(client.get_metric_history(first.run_id, "token_f1/mean")) == 1


def test_runs_of_the_same_moment_are_distinguished(store, client, tmp_path):
    """Two runs with the same settings and data within a second differ in their metric, and are two there."""
    rows = [{"id": "a", "question": "q", "answer": "a", "reference": "a"}]
    for metric in ("token_f1", "exact_match"):
        saiten.evaluate(rows, [metric], run=tmp_path / metric).log_to_mlflow(store)
    assert len(client.search_runs([client.get_experiment_by_name("saiten").experiment_id])) == 2


def test_a_run_that_goes_on_is_brought_up_to_date(store, client, tmp_path):
    """What is missing is reported and marked; once it is there, the mark is gone and the figures are updated."""
    scores = [Scored(name, "m", Score(value)) for name, value in (("a", 1.0), ("b", 0.0))]

    def grow(upto):
        with Journal.open(tmp_path / "run", RunSettings(more={"judge": "x"}), signatures={"m": "m|v1"}) as journal:
            for name in ("a", "b"):
                journal.sample(Sample(name, f"q {name}", "answer"))
            for scored in scores[:upto]:
                if not journal.is_done(scored.sample, "m"):
                    journal.score(scored)
            if upto == len(scores):
                journal.finish()

    grow(1)
    part = log_to_mlflow(run_on_disk(read_run(tmp_path / "run")), to=store)
    assert part.unfinished == "its data was not read to the end; 1 of 2 scores are missing"
    assert (the_run(client).info.status, the_run(client).data.tags["saiten.unfinished"]) == ("KILLED", part.unfinished)
    assert the_run(client).data.metrics["m/mean"] == 1.0
    grow(2)
    whole = log_to_mlflow(run_on_disk(read_run(tmp_path / "run")), to=store)
    assert (whole.run_id, whole.unfinished) == (part.run_id, None)
    assert (the_run(client).info.status, the_run(client).data.tags["saiten.unfinished"]) == ("FINISHED", "")
    assert the_run(client).data.metrics["m/mean"] == 0.5


def test_an_export_that_was_killed_is_taken_up(run, store, client):
    """A killed process leaves a run with an identity and nothing in it; the next one fills it."""
    tracking = run_on_disk(read_run(run))
    left = client.create_run(client.create_experiment("saiten"), tags={"saiten.run": tracking.identity})
    assert log_to_mlflow(tracking, to=store).run_id == left.info.run_id
    assert the_run(client).info.status == "FINISHED"


def test_a_figure_that_is_gone_is_not_left_over(run, store, client):
    """MLflow cannot delete a figure: the output says so, and does not show the old one next to the new ones."""
    tracking = run_on_disk(read_run(run))
    tracked = log_to_mlflow(tracking, to=store)
    client.log_metric(tracked.run_id, "their_own/accuracy", 1.0)
    log_to_mlflow(tracking, to=store)
    client.log_metric(tracked.run_id, "gone/mean", 1.0)
    with pytest.raises(ConfigurationError, match=r"gone/mean.*delete the run there"):
        log_to_mlflow(tracking, to=store)


def test_a_result_in_memory_is_tracked_once(store, client, tmp_path):
    """The same result twice is one run; another result, equal or not, is another."""
    (tmp_path / "r.html").write_text("<p>a report</p>")
    result = saiten.evaluate([{"id": "a", "question": "q", "answer": "a", "reference": "a"}], ["token_f1"])
    first = result.log_to_mlflow(store, experiment="memory", report=tmp_path / "r.html")
    assert result.log_to_mlflow(store, experiment="memory").run_id == first.run_id
    assert the_run(client, "memory").data.params["judge"] == "offline"
    assert artifact(client, the_run(client, "memory"), "report/r.html") == "<p>a report</p>"
    assert replace(result).log_to_mlflow(store, experiment="memory").run_id != first.run_id


def test_a_result_with_a_folder_is_that_run(store, client, tmp_path):
    """From Python and from the command line: one run there."""
    rows = [{"id": "a", "question": "q", "answer": "a", "reference": "a"}]
    result = saiten.evaluate(rows, ["token_f1"], run=tmp_path / "run")
    assert result.log_to_mlflow(store).run_id == log_to_mlflow(run_on_disk(read_run(tmp_path / "run")), to=store).run_id


@pytest.mark.parametrize("folder", [None, "run"])
def test_no_secret_of_a_judges_address_goes_there(store, client, tmp_path, openai_server, folder):
    """Neither in the database nor in a file, also for a result in memory; nor in any representation."""
    url = openai_server.base_url.replace("//", "//planted-user:planted-pass@") + "?sig=planted-sig"
    rows = [{"id": "a", "question": "q", "answer": "a", "reference": "a"}]
    judge = f"openai:m@{url}"
    result = saiten.evaluate(rows, ["accuracy"], judge, run=folder and tmp_path / folder)
    result.log_to_mlflow(store)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"planted" not in kept + f"{result!r}{result.settings}{saiten.JudgeSettings(judge)!r}".encode()
    assert openai_server.requests[0].query["sig"] == "planted-sig"


def test_thousands_of_figures_and_odd_names_are_taken(store, client, tmp_path):
    """100 systems with names from anywhere and many metrics: split into batches, bounded, and omissions are reported."""
    metrics = [f"m{n}" for n in range(9)] + ["a[b=c]", "a[b,c]", "日本 語", "x" * 400, "../up"]
    signatures = dict.fromkeys(metrics, "made")
    with Journal.open(
        tmp_path / "run", RunSettings(more={"judge": "x" * 9000, "deep": {"é.b": "\x1b[2J"}}), signatures=signatures
    ) as run:
        for number in range(100):
            run.sample(Sample(f"s{number}", f"q{number}", "a", system=f"<b>{number}</b> / \n '`" + "長" * 300))
            for metric in metrics:
                run.score(Scored(f"s{number}", metric, Score(number / 100)))
    tracked = log_to_mlflow(run_on_disk(read_run(tmp_path / "run")), to=store, experiment="a'b`c \"日本")
    found = the_run(client, "a'b`c \"日本")
    assert len(found.data.metrics) == tracked.figures
    assert tracked.figures > 2000
    assert tracked.notes == ("800 figures of systems and groups were left out; they are in saiten/summary.md",)
    assert (
        log_to_mlflow(run_on_disk(read_run(tmp_path / "run")), to=store, experiment="a'b`c \"日本").run_id
        == tracked.run_id
    )


def test_nothing_of_mlflow_or_the_process_is_changed(mlflow, run, store):
    """Its address, its active run, our environment: all unchanged."""

    def state():
        return mlflow.get_tracking_uri(), mlflow.active_run(), dict(os.environ), list(warnings.filters)

    before = state()
    log_to_mlflow(run_on_disk(read_run(run)), to=store)
    assert state() == before


def test_the_command_tracks_and_says_where(run, store, client, capsys, monkeypatch):
    """By default to the store that MLflow would use."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "of the variable")
    main_ok("track", str(run))
    main_ok("track", str(run))
    found = the_run(client, "of the variable")
    first, second = capsys.readouterr().out.splitlines()
    assert f"is in MLflow now: run {found.info.run_id}" in first
    assert "was there and is up to date" in second


def main_ok(*words):
    """The command succeeds."""
    with pytest.raises(SystemExit) as end:
        main(list(words))
    assert not end.value.code


@pytest.mark.usefixtures("mlflow")
@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("file:///tmp/x", "does not store runs in plain folders"),
        ("mlruns", "does not store runs in plain folders"),
        ("", "an empty address"),
        ("sqlite://", "does not name a file"),
        ("sqlite:///.", "is a folder"),
        ("sqlite:///answers.txt", "not a SQLite database"),
        ("http://me:s3cret@127.0.0.1:1/x", r"no MLflow server answers at http://\*\*\*@127.0.0.1:1/x"),
        ("foo://x", "foo://x cannot store the run"),
    ],
)
def test_an_invalid_store_is_reported_immediately(run, to, said, tmp_path, monkeypatch):
    """The message has the value and the alternatives, without MLflow's minutes of retries; no password is shown."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.txt").write_text("this is a text, and no database")
    with pytest.raises(ConfigurationError, match=said) as error:
        log_to_mlflow(run_on_disk(read_run(run)), to=to)
    assert "s3cret" not in str(error.value)


@pytest.mark.filterwarnings("ignore:The filesystem tracking backend:FutureWarning")  # of MLflow 3.10
def test_a_folder_takes_runs_where_mlflow_allows_it(mlflow, run, tmp_path, monkeypatch):
    """MLflow's own variable allows it."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    to = (tmp_path / "mlruns").as_uri()
    tracked = log_to_mlflow(run_on_disk(read_run(run)), to=to)
    assert mlflow.MlflowClient(to).get_run(tracked.run_id).data.metrics["token_f1/mean"] == pytest.approx(2 / 3)


def test_a_wrong_folder_among_several_is_reported_before_anything_is_there(client, store, run, tmp_path, capsys):
    """Otherwise it would be unclear which of them are in MLflow."""
    with pytest.raises(SystemExit) as end:
        main(["track", str(run), str(tmp_path / "none"), "--to", store])
    assert end.value.code == 2
    assert "none is no run of saiten" in capsys.readouterr().err
    assert not [each for each in client.search_experiments() if each.name == "saiten"]


def test_a_damaged_database_is_reported(mlflow, run, tmp_path):
    """A database error is reported as an error of the store, not as a traceback."""
    (tmp_path / "bad.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    with pytest.raises(ConfigurationError, match=r"MLflow at sqlite:.*cannot store the run"):
        log_to_mlflow(run_on_disk(read_run(run)), to=f"sqlite:///{tmp_path}/bad.db")


def test_what_is_wrong_with_a_run_is_reported(store, tmp_path, run):
    """No scores, no report, a deleted experiment."""
    with Journal.open(tmp_path / "none", signatures={"m": "v"}):
        pass
    with pytest.raises(BadInput, match="has no scores yet"):
        run_on_disk(read_run(tmp_path / "none"))
    with pytest.raises(BadInput, match="is not a file"):
        log_to_mlflow(run_on_disk(read_run(run)), to=store, report=tmp_path / "no.html")


def test_a_deleted_experiment_is_reported(run, store, client):
    """MLflow keeps its name; the message says what to do."""
    client.delete_experiment(client.create_experiment("gone"))
    with pytest.raises(ConfigurationError, match="was deleted in MLflow; restore it"):
        log_to_mlflow(run_on_disk(read_run(run)), to=store, experiment="gone")
