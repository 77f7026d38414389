"""Every design of `saiten paper`: what is checked first, paid, resumed, hidden and reported, on the nine metrics."""

import json
import shlex
import signal
from pathlib import Path

import pytest
import typer

from saiten.cli.paper import app
from saiten.models.budget import CALLS_NAME
from saiten.papers.design import DesignPlace, DesignStep
from saiten.papers.ragas import NineMetrics
from saiten.runs.locked_folder import paid_in
from servers import Fault

DESIGNS = tuple(typer.main.get_command(app).commands)
ROWS = [
    {
        "id": f"q{n}",
        "question": f"When was bridge {n} opened?",
        "answer": f"Bridge {n} was opened in {1900 + n}.",
        "contexts": [f"Bridge {n} was opened in {1900 + n}."],
        "reference": f"In {1900 + n}.",
        "system": "ab"[n % 2],
    }
    for n in range(4)
]


@pytest.fixture
def mine(data, somewhere):
    """A folder with four answers."""
    (somewhere / "mine").mkdir()
    data(ROWS, "mine/answers.jsonl")
    return somewhere / "mine"


@pytest.fixture
def judges(openai_server):
    """Options for two judges on the server, each with a model of its own."""
    return [word for model in ("m1", "m2") for word in ("--judge", f"openai:{model}@{openai_server.base_url}")]


def tables(said):
    """The tables that were printed as JSON."""
    return json.loads(said.out)


def paid():
    """All calls that the runs of the design have on record."""
    return sum(paid_in(path.parent).calls for path in Path("runs/paper-ragas").rglob(CALLS_NAME))


# ------------------------------------------------------------------------------------------ what is checked first


@pytest.mark.parametrize("name", DESIGNS)
def test_the_samples_of_a_design_are_all_that_it_needs(saiten, name):
    """What --samples writes passes the check in full, optional files included, and names the command to type next."""
    said = saiten("paper", name, "my data", "--samples")
    assert said.status == 0, said
    assert f"saiten paper {name} 'my data'" in said.err
    said = saiten("paper", name, "my data", "--results")
    listed = [line for line in said.err.splitlines() if line[:1] in "✓✗–"]
    assert listed, said
    assert [line for line in listed if line[:1] != "✓"] == []


@pytest.mark.parametrize("name", DESIGNS)
def test_samples_are_never_written_among_other_files(saiten, somewhere, name):
    """A folder with content is refused and stays as it is; an empty one is used."""
    (somewhere / "mine").mkdir()
    (somewhere / "mine/notes.txt").write_text("mine")
    said = saiten("paper", name, "mine", "--samples")
    assert said.status == 2, said
    assert "mine exists and is not empty; name a new folder" in said.err
    assert [path.name for path in (somewhere / "mine").iterdir()] == ["notes.txt"]
    (somewhere / "empty").mkdir()
    assert saiten("paper", name, "empty", "--samples").status == 0


@pytest.mark.parametrize("name", DESIGNS)
def test_everything_that_is_missing_is_listed_at_once(saiten, somewhere, name):
    """For a folder that is missing, a command; for an empty one, every file in one list and one error, status 2."""
    said = saiten("paper", name, "nowhere")
    assert said.status == 2, said
    assert f"saiten paper {name} nowhere --samples" in said.err
    (somewhere / "empty").mkdir()
    said = saiten("paper", name, "empty")
    assert said.status == 2, said
    assert "✗" in said.err
    assert "✓" not in said.err
    assert "empty lacks what the design needs: " in said.err
    assert not (somewhere / "runs").exists()


def test_columns_that_are_missing_or_only_similar_are_named(saiten, mine, data):
    """The list counts each field, and says how to name a column that may be meant; saiten.toml may name it."""
    rows = [{**row, "bot_response_text": row["answer"]} for row in ROWS]
    for row in rows:
        del row["answer"], row["reference"]
    data(rows, "mine/answers.jsonl")
    said = saiten("paper", "ragas", "mine")
    assert said.status == 2, said
    assert (
        "✗ answers.jsonl 4 rows: question 4, answer 0, contexts 4, reference 0; no row has answer, reference"
        in said.err
    )
    assert (
        'rename the column bot_response_text to answer, or name it in saiten.toml: column = ["answer=bot_response_text"]'
        in said.err
    )
    data([{**row, "reference": "In 1900."} for row in rows], "mine/answers.jsonl")
    (mine.parent / "saiten.toml").write_text('column = ["answer=bot_response_text"]\n')
    said = saiten("paper", "ragas", "mine", "--format", "json")
    assert said.status == 0, said
    assert tables(said)["All nine metrics"][0]["n"] == 4


def test_two_files_of_one_name_are_refused(saiten, mine, data):
    """Nothing is guessed: both are named, and nothing runs."""
    data(ROWS, "mine/answers.json")
    said = saiten("paper", "ragas", "mine")
    assert said.status == 2, said
    assert "several files of the same data: answers.jsonl, answers.json; keep one" in " ".join(said.err.split())


def test_a_need_that_cannot_be_used_is_not_found_by_the_design(mine):
    """An optional file with a problem is left out as if it were missing, as the list says."""
    place = DesignPlace(mine, mine / "out")
    need = NineMetrics.ANSWERS
    assert place.find(need) == mine / "answers.jsonl"
    assert DesignPlace(mine, mine / "out", without=frozenset({"answers"})).find(need) is None


def test_a_foreign_report_is_refused_before_anything_is_paid(saiten, mine, judges, openai_server, somewhere):
    """report.html of somebody else stays; saiten's own is replaced."""
    (somewhere / "out").mkdir()
    (somewhere / "out/report.html").write_text("<p>mine</p>")
    said = saiten("paper", "ragas", "mine", *judges, "-o", "out")
    assert said.status == 2, said
    assert "report.html exists and is not a page written by saiten" in said.err
    assert openai_server.requests == []
    assert (somewhere / "out/report.html").read_text() == "<p>mine</p>"
    (somewhere / "out/report.html").unlink()
    for _ in range(2):
        assert saiten("paper", "ragas", "mine", "-o", "out").status == 0
    assert "<svg" in (somewhere / "out/report.html").read_text("utf-8")


def test_a_judge_without_a_key_or_a_price_is_named_before_another_is_paid(saiten, mine, judges, openai_server):
    """Of several judges, none is asked if one cannot be."""
    said = saiten("paper", "ragas", "mine", *judges, "--judge", "openai:gpt-4o-mini")
    assert said.status == 2, said
    assert "set OPENAI_API_KEY" in " ".join(said.err.split())
    (mine.parent / "saiten.toml").write_text("[prices]\nm1 = { prompt = 1, completion = 1 }\n")
    said = saiten("paper", "ragas", "mine", *judges, "--max-cost", 5)
    assert said.status == 2, said
    assert "m2" in said.err
    assert "[prices]" in said.err
    assert openai_server.requests == []


def test_a_single_judge_without_a_key_is_named_before_the_first_command(saiten, mine):
    """No command was begun, and nothing written."""
    said = saiten("paper", "ragas", "mine", "--judge", "openai:gpt-4o-mini")
    assert said.status == 2, said
    assert "set OPENAI_API_KEY" in " ".join(said.err.split())
    assert "$ saiten score" not in said.err
    assert not (mine.parent / "runs").exists()


def test_judges_that_differ_in_a_password_alone_are_refused(saiten, mine):
    """Their results would be in one folder."""
    said = saiten("paper", "ragas", "mine", "--judge", "openai:m@http://a:one@h", "--judge", "openai:m@http://a:two@h")
    assert said.status == 2, said
    assert "two judges are named openai:m@http://***@h" in said.err


# ------------------------------------------------------------------------------------------ what is paid


def test_a_dry_run_counts_what_the_run_then_asks(saiten, mine, judges, openai_server):
    """Per command and in all, for two judges; apart from the first small call of each, the server receives as many."""
    said = saiten("paper", "ragas", "mine", *judges, "--dry-run", "--format", "json")
    assert said.status == 0, said
    assert openai_server.requests == []
    (rows,) = tables(said).values()
    *commands, whole = rows
    assert len(commands) == 2
    assert whole["calls, at most"] == sum(row["calls, at most"] for row in commands)
    for row in commands:  # as typed
        words = shlex.split(row["command"])
        assert words[:3] == ["saiten", "score", "mine/answers.jsonl"]
    openai_server.reply = differing
    said = saiten("paper", "ragas", "mine", *judges)
    assert said.status == 0, said
    assert len(openai_server.requests) - len(commands) == whole["calls, at most"]
    assert paid() == len(openai_server.requests)


def differing(asked):
    """Statements that differ from text to text, as the dry run expects."""
    properties = (asked.schema or {}).get("properties", {})
    return json.dumps({"statements": [asked.text[-60:]]}) if set(properties) == {"statements"} else None


@pytest.mark.parametrize(
    ("read", "reads"), [("out/a", True), ("out/a/scores.jsonl", True), ("out/ab", False), ("out", False)]
)
def test_a_command_reads_what_another_makes(read, reads):
    """The file or folder itself, or something in it; until then, its calls are unknown."""
    made = DesignStep(("answer", "q.jsonl", "-o", "out/a"), Path("out/a"))
    assert DesignStep(("score", read, "-o", "out/b"), Path("out/b")).reads(made) is reads


def test_the_budget_is_that_of_all_commands(saiten, mine, judges, openai_server):
    """Stopped with status 3 in the second command; re-run with more, no call is repeated; the tables so far are shown."""
    whole = saiten("paper", "ragas", "mine", *judges, "-o", "whole")
    assert whole.status == 0, whole
    needed = len(openai_server.requests)
    openai_server.requests.clear()
    most = needed // 2 + 3
    said = saiten("paper", "ragas", "mine", *judges, "--max-calls", most, "--concurrency", 1, "--format", "json")
    assert said.status == 3, said
    assert len(openai_server.requests) == most
    shown = tables(said)["All nine metrics"]
    assert {row["judge"].partition("@")[0] for row in shown} == {"openai:m1", "openai:m2"}
    said = saiten("paper", "ragas", "mine", *judges)
    assert said.status == 0, said
    assert paid() == len(openai_server.requests) == needed + 1  # the second judge's first small call, again
    assert saiten("paper", "ragas", "mine", *judges).status == 0
    assert len(openai_server.requests) == needed + 1


def cost(said):
    """What all judges together cost, as the last table says."""
    return sum(row["cost (USD)"] for row in tables(said)["What each judge took"])


@pytest.mark.parametrize("where", ["typed", "saiten.toml"])
def test_the_cost_of_all_commands_is_limited_too(saiten, mine, judges, openai_server, where):
    """Also by a limit in saiten.toml, which would otherwise apply to each command."""
    prices = "[prices]\n" + "".join(f"{model} = {{ prompt = 100, completion = 0.01 }}\n" for model in ("m1", "m2"))
    (mine.parent / "saiten.toml").write_text(prices)
    whole = cost(saiten("paper", "ragas", "mine", *judges, "-o", "whole", "--format", "json"))
    openai_server.requests.clear()
    limit = 0.75 * whole
    if where == "saiten.toml":
        (mine.parent / "saiten.toml").write_text(f"max_cost = {limit}\n{prices}")
    typed = ["--max-cost", limit] if where == "typed" else []
    said = saiten("paper", "ragas", "mine", *judges, *typed, "--concurrency", 1, "--format", "json")
    assert said.status == 3, said
    assert {asked.body["model"] for asked in openai_server.requests} == {"m1", "m2"}
    assert 0.5 * whole < cost(said) <= limit


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_a_run_that_is_interrupted_says_so_and_resumes(saiten, process, judges, openai_server):
    """Ctrl-C in the second command: status 130, and what is paid is on record, once."""
    command = ("paper", "ragas", "mine", *judges, "-q", "--concurrency", 2)
    assert saiten(*command, "-o", "whole").status == 0
    needed, running = len(openai_server.requests), None
    openai_server.requests.clear()

    def interrupts(asked):
        if asked.number == 3 * needed // 4:
            running.send_signal(signal.SIGINT)

    openai_server.reply = interrupts
    running = process(*command)
    out, err = running.communicate(timeout=100)
    assert running.returncode == 130, err.decode()
    assert "Traceback" not in (out + err).decode()
    assert paid() == len(openai_server.requests) < needed
    openai_server.reply = lambda _: None
    said = saiten(*command)
    assert said.status == 0, said
    assert paid() == len(openai_server.requests)
    assert len(openai_server.requests) <= needed + 4  # those in flight, and first small calls


def test_failures_are_kept_until_they_are_retried(saiten, mine, judges, openai_server):
    """A server that only fails measures nothing, status 6; --retry-failed asks again."""
    (mine.parent / "saiten.toml").write_text(f'embedder = "openai:e@{openai_server.base_url}"\n')
    openai_server.reply = lambda asked: Fault(400, "no") if "ridge" in json.dumps(asked.body) else None
    command = ("paper", "ragas", "mine", *judges)
    said = saiten(*command, "--format", "json")
    assert said.status == 6, said
    assert "nothing was measured" in said.err
    assert {row["mean"] for row in tables(said)["All nine metrics"]} == {None}
    openai_server.reply = lambda _: None
    before = len(openai_server.requests)
    assert saiten(*command).status == 6
    assert len(openai_server.requests) == before
    said = saiten(*command, "--retry-failed", "--format", "json")
    assert said.status == 0, said
    assert {row["n"] for row in tables(said)["All nine metrics"]} == {4}


# ------------------------------------------------------------------------------------------ what is shown


def test_results_are_shown_without_running_anything(saiten, mine, judges, openai_server):
    """Before the first run there is nothing, status 6; afterwards the same tables, without a request."""
    said = saiten("paper", "ragas", "mine", *judges, "--results")
    assert said.status == 6, said
    assert not (mine.parent / "runs").exists()
    done = saiten("paper", "ragas", "mine", *judges, "--format", "json")
    asked = len(openai_server.requests)
    again = saiten("paper", "ragas", "mine", *judges, "--results", "--format", "json")
    assert (again.status, again.out) == (0, done.out)
    assert len(openai_server.requests) == asked


def test_a_password_of_a_judge_is_hidden_everywhere(saiten, mine, openai_server, somewhere):
    """In the commands as shown, the dry run, the tables, names of folders, the report, and every file."""
    address = openai_server.base_url.replace("http://", "http://me:sesame123@")
    command = ("paper", "ragas", "mine", "--judge", f"openai:m@{address}", "-o", "out")
    for more in (("--dry-run",), (), ("--results", "--format", "html")):
        said = saiten(*command, *more)
        assert said.status == 0, said
        assert "sesame123" not in said.out + said.err
        assert "***@127.0.0.1" in said.out + said.err
    names = [str(path) for path in (somewhere / "out").rglob("*")]
    texts = [path.read_bytes() for path in (somewhere / "out").rglob("*") if path.is_file()]
    assert "sesame123" not in " ".join(names)
    assert not any(b"sesame123" in text for text in texts)


def test_settings_of_judges_are_those_of_the_configuration(saiten, mine, openai_server, somewhere):
    """--config FILE, or saiten.toml in the current folder: the judge if none is typed, and its temperature."""
    (somewhere / "saiten.toml").write_text('judge = "offline"\n')
    (somewhere / "other.toml").write_text(f'judge = "openai:m@{openai_server.base_url}"\ntemperature = 0.25\n')
    said = saiten("paper", "ragas", "mine", "--config", "other.toml", "-o", "out")
    assert said.status == 0, said
    assert {asked.body["temperature"] for asked in openai_server.requests} == {0.25}
    asked = len(openai_server.requests)
    assert saiten("paper", "ragas", "mine", "-o", "offline").status == 0
    assert len(openai_server.requests) == asked


def test_an_error_of_a_command_names_the_command(saiten, mine, somewhere):
    """The command as typed, then its own error, status 2, and no report."""
    said = saiten("paper", "ragas", "mine", "--judge", "openai:m@http://127.0.0.1:9", "-o", "out")
    assert said.status == 2, said
    text = " ".join(said.err.split())
    assert "stopped at: saiten score mine/answers.jsonl -m ragas -m context_relevance --judge openai:m@" in text
    assert text.index("stopped at") < text.index("no server at http://127.0.0.1:9")
    assert not (somewhere / "out/report.html").exists()


def test_a_folder_of_results_that_cannot_be_made_is_named(saiten, mine, somewhere):
    """A file in its place, or a system folder."""
    (somewhere / "taken").write_text("")
    for out in ("taken", "taken/below", "/proc/new"):
        said = saiten("paper", "ragas", "mine", "-o", out)
        assert said.status == 2, said
        assert f"{out} cannot be written" in said.err
        assert "name another folder with --out" in said.err


def test_a_page_on_a_terminal_in_japanese_is_japanese(saiten, mine, monkeypatch):
    """The list of files, the tables, the notes and the report, but not the commands and JSON."""
    monkeypatch.setenv("SAITEN_LANG", "ja")
    said = saiten("paper", "ragas", "mine")
    assert said.status == 0, said
    assert "✓ answers.jsonl 4 行" in said.err
    assert "$ saiten score mine/answers.jsonl" in said.err
    assert "9つの指標" in said.out
    assert 'lang="ja"' in (mine.parent / "runs/paper-ragas/report.html").read_text("utf-8")[:2000]
    assert "All nine metrics" in saiten("paper", "ragas", "mine", "--results", "--format", "json").out


@pytest.mark.usefixtures("somewhere")
def test_a_column_of_the_configuration_is_for_the_files_that_have_it(saiten):
    """`answer=my answers` is not asked of the questions: neither by the check nor by the commands on them."""
    assert saiten("paper", "dialogues", "mine", "--samples").status == 0
    for name, most in (("answers", 6), ("questions", 2)):
        rows = [json.loads(line) for line in Path(f"mine/{name}.jsonl").read_text("utf-8").splitlines()[:most]]
        named = ({"my answers" if key == "answer" else key: value for key, value in row.items()} for row in rows)
        Path(f"mine/{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in named))
    Path("saiten.toml").write_text('column = ["answer=my answers"]\n')
    said = saiten("paper", "dialogues", "mine", "--format", "json")
    assert said.status == 0, said
    assert "$ saiten score mine/answers.jsonl -m" in said.err
    assert "$ saiten converse mine/questions.jsonl --column '' --system" in said.err
    assert "2 dialogues" in said.err
    Path("saiten.toml").write_text('column = ["answer=my answer"]\n')
    said = saiten("paper", "dialogues", "mine")
    assert said.status == 2, said
    assert "no column 'my answer' in mine/answers.jsonl, mine/questions.jsonl" in " ".join(said.err.split())
