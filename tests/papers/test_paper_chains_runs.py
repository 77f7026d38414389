"""`saiten paper chains` as a run: the dry run, the budget, a kill, options that are refused, settings of the judge."""

import json
import time
from pathlib import Path

import pytest
import scripted_chains
from scripted_chains import ACCURACY, AGREEMENT, SYSTEMS, TABLE_4, labels_of, tables, write_set

scripted, run = scripted_chains.scripted, scripted_chains.run


def test_a_run_that_the_budget_stops_goes_on_without_repeated_calls(run, scripted, tmp_path):
    """Over both runs, the server sees each call of the grid and of the judge once; a third run asks nobody."""
    write_set(tmp_path / "mine")
    assert run("mine", "--max-calls", 25, "--concurrency", 2).status == 3
    assert len(scripted.requests) == 25
    assert run("mine").status == 0
    generated = [
        json.dumps(asked.body["messages"]) + asked.body["model"] for asked in scripted.requests if not asked.schema
    ]
    assert len(generated) <= 3 * 4 * (2 + 3) + 3  # calls in flight when the budget was spent
    before = len(scripted.requests)
    assert run("mine").status == 0
    assert len(scripted.requests) == before


@pytest.mark.parametrize("chains", [{"stuff": 1}, {"refine": 2}, {"map_reduce": 3}, {"stuff": 1, "refine": 2, "map_reduce": 3}])  # fmt: skip
def test_a_dry_run_counts_what_the_run_takes(run, scripted, tmp_path, chains):
    """One call, k or k + 1 per question and model, and a verdict per answer: as many as the server then sees."""
    write_set(tmp_path / "mine")
    words = [word for chain in chains for word in ("--chain", chain)]
    (rows,) = tables(run("mine", *words, "--dry-run")).values()
    assert scripted.requests == []
    answered = 3 * 4 * sum(chains.values())
    judged = 3 * 4 * len(chains)
    assert {rows[-1][name] for name in ("calls, at least", "calls, at most")} == {answered + judged}
    tables(run("mine", *words))
    verdicts = [asked for asked in scripted.requests if asked.body["model"] == "j"]
    assert len(scripted.requests) - len(verdicts) == answered
    assert len(verdicts) == judged + 1  # and the judge's test call


def test_two_judges_are_refused(saiten, tmp_path):
    """The text has one; the error says how to compare two, and nothing is written."""
    write_set(tmp_path / "mine")
    said = saiten("paper", "chains", "mine", "--judge", "offline", "--judge", "openai:m")
    assert (said.status, Path("runs").exists()) == (2, False)
    assert "expected one judge" in said.err
    assert "saiten score OUT/experiment/scores/DATA/samples.jsonl -m accuracy" in said.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--chain", "parallel"), "unknown chain 'parallel'; expected one of stuff, refine, map_reduce"),
        (("--model", "openai:m@http://u:pw@h/v1"), "has a secret"),
        (("--example", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_options_are_checked_before_anything_runs(saiten, tmp_path, more, said):
    """Status 2, without an answer; a secret is not repeated."""
    write_set(tmp_path / "mine")
    ended = saiten("paper", "chains", "mine", *more)
    assert ended.status == 2
    assert said in ended.err.replace("\n", " ")
    assert "pw" not in ended.err
    assert not Path("runs/paper-chains/experiment").exists()


def test_a_folder_lacks_documents(saiten, tmp_path):
    """All that is missing is in one list, per data set."""
    write_set(tmp_path / "mine" / "a")
    (tmp_path / "mine" / "b").mkdir()
    (tmp_path / "mine" / "b" / "questions.csv").write_text("question\nWhat?\n")
    said = saiten("paper", "chains", "mine")
    assert said.status == 2
    assert "✓ a/questions.jsonl" in said.err
    assert "no row has reference" in said.err
    assert "b/questions, b/documents" in said.err.replace("\n", " ")


def test_other_settings_of_the_same_systems_are_refused(saiten, tmp_path):
    """Answers with another k would be mixed; the error says to name another folder. More models are added."""
    write_set(tmp_path / "mine")
    words = ("paper", "chains", "mine", "--model", "extractive:1", "-q")
    assert saiten(*words, "-k", 1).status == 0
    refused = saiten(*words, "-k", 2)
    assert refused.status == 2
    assert "--out FOLDER starts over" in refused.err.replace("\n", " ")
    more = tables(saiten(*words, "-k", 1, "--model", "extractive:2", "--format", "json"))
    assert len(more[TABLE_4]) == 4


def test_the_judge_has_the_settings_of_the_configuration(saiten, scripted, tmp_path, monkeypatch):
    """Its options and headers of `saiten.toml` are sent; a header's value is refused, since the experiment's file would
    contain it.
    """
    write_set(tmp_path / "mine")
    config, judge = Path("saiten.toml"), f'temperature = 0.5\n[judge]\nname = "openai:j@{scripted.base_url}"\n'
    config.write_text(f'{judge}options = {{top_p = 0.5}}\nheaders = {{X-Team = "sk-planted"}}\n')
    refused = saiten("paper", "chains", "mine", "--model", "extractive:1", "-k", 1)
    assert refused.status == 2
    assert "X-Team; write env:VARIABLE" in refused.err.replace("\n", " ")
    config.write_text(f'{judge}options = {{top_p = 0.5}}\nheaders = {{X-Team = "env:TEAM"}}\n')
    monkeypatch.setenv("TEAM", "sk-planted")
    assert saiten("paper", "chains", "mine", "--model", "extractive:1", "-k", 1).status == 0
    asked = scripted.requests[-1]
    assert (asked.body["top_p"], asked.body["temperature"], asked.headers["X-Team"]) == (0.5, 0.5, "sk-planted")
    written = [path.read_bytes() for path in Path("runs").rglob("*") if path.is_file()]
    assert not any(b"sk-planted" in each for each in written)


def grid_calls(requests):
    """The models' calls and the judge's verdicts, without its test call."""
    asked = [one for one in requests if any(f"part {n} do?" in one.body["messages"][-1]["content"] for n in range(4))]
    return [one for one in asked if one.body["model"] != "j"], [one for one in asked if one.body["model"] == "j"]


@pytest.mark.parametrize("after", [20, 75])
def test_a_killed_run_goes_on_without_repeated_calls(run, scripted, process, tmp_path, after):
    """SIGKILL among the answers and among the verdicts: only what was in flight is asked again, and the figures are
    those of a run that was never killed.
    """
    write_set(tmp_path / "mine", labels_of(run.named))
    scripted.latency = 0.02
    killed = process(*run.words("mine", "--concurrency", 2))
    while len(scripted.requests) < after:
        time.sleep(0.01)
        assert killed.poll() is None
    killed.kill()
    killed.communicate()
    scripted.latency = 0
    found = tables(run("mine"))
    answers, verdicts = grid_calls(scripted.requests)
    assert 60 <= len(answers) <= 60 + 3  # the calls for one question
    assert 24 <= len(verdicts) <= 24 + 2
    assert [row["people's accuracy"] for row in found[TABLE_4]] == [ACCURACY[system] for system in SYSTEMS]
    assert [row["n judge"] for row in found[TABLE_4]] == [4] * 6
    assert found[AGREEMENT][0]["judgments"] == 24


def test_another_judge_or_load_is_refused(saiten, scripted, tmp_path):
    """Verdicts of two judges, or latencies under two loads, would be mixed; the error says what differs."""
    write_set(tmp_path / "mine")
    words = ("paper", "chains", "mine", "--model", "extractive:1", "-k", 1, "-q")
    assert saiten(*words).status == 0
    judged = saiten(*words, "--judge", f"openai:j@{scripted.base_url}")
    loaded = saiten(*words, "--at-once", 2)
    assert (judged.status, loaded.status) == (2, 2)
    assert 'judge: was "offline", is "openai:j@' in judged.err
    assert 'at_once: was not set, is "2"' in loaded.err
    assert saiten(*words, "-o", "loaded", "--at-once", 2).status == 0
    assert saiten(*words, "-o", "loaded").status == 2


def test_columns_with_other_names_are_read_as_configured(saiten, tmp_path):
    """`column` and `language` of `saiten.toml` hold for the run, not only for the check before it."""
    write_set(tmp_path / "mine")
    questions = tmp_path / "mine" / "questions.jsonl"
    text = questions.read_text().replace('"question"', '"asked of us"').replace('"reference"', '"the truth"')
    questions.write_text(text)
    Path("saiten.toml").write_text('column = ["question=asked of us", "reference=the truth"]\nlanguage = "ja"\n')
    found = tables(saiten("paper", "chains", "mine", "-k", 1, "--model", "extractive:1", "--format", "json", "-q"))
    assert [row["n judge"] for row in found[TABLE_4]] == [4, 4]
    kept = Path("runs/paper-chains/experiment/scores/mine/samples.jsonl").read_text().splitlines()
    assert {json.loads(line)["language"] for line in kept} == {"ja"}
