"""The GitHub Action in action.yml: each of its scripts is run here by bash, with a recorder in place of GitHub."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
ACTION = yaml.safe_load(TEXT)
STEPS = ACTION["runs"]["steps"]
MARKER = "<!-- saiten: runs/ci -->"
ROWS = [
    {
        "id": f"q{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"{n} years.",
        "reference": f"It is {n} years old.",
    }
    for n in range(8, 20)
]
RECORDER = """#!{python}
import json, sys
said = sys.argv[1:]
body = next((open(each[6:], encoding="utf-8").read() for each in said if each.startswith("body=@")), None)
with open({log!r}, "a") as log:
    log.write(json.dumps([{name!r}, said, body]) + chr(10))
sys.stdout.write({answer!r})
sys.exit({status})
"""

pytestmark = pytest.mark.timeout(600)  # a job is several processes, possibly on a busy machine


class Job:
    """A job that uses the action, step by step: `run(inputs, event)` returns its exit status."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("bin", "temp", "work"):
            (folder / name).mkdir()
        (self.work / "answers.jsonl").write_bytes(b"\n".join(map(orjson.dumps, ROWS)) + b"\n")
        self.program("saiten", f'#!/bin/sh\nexec {sys.executable} -c "from saiten.cli import main; main()" "$@"\n')
        self.program("python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        self.records("pip")
        self.records("gh")

    @property
    def work(self):
        return self.folder / "work"

    @property
    def summary(self):
        return (self.folder / "summary.md").read_text("utf-8")

    @property
    def recorded(self):
        """What was called: name, arguments, the body of a comment."""
        log = self.folder / "log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def program(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def records(self, name, answer="", status=0):
        """Put a program on the PATH that only notes what it is called with."""
        log = str(self.folder / "log")
        self.program(name, RECORDER.format(python=sys.executable, log=log, name=name, answer=answer, status=status))

    def run(self, inputs, event="pull_request", **environ):
        """Run the steps until one fails, as GitHub does; return the exit status of the last."""
        known = {name: each.get("default", "") for name, each in ACTION["inputs"].items()} | inputs
        (self.folder / "summary.md").unlink(missing_ok=True)
        outputs = {}
        for step in STEPS:
            if "run" not in step or not self.wanted(step.get("if"), known, event):
                continue
            values = {name: self.filled(str(text), known, outputs) for name, text in step.get("env", {}).items()}
            written = self.folder / "output"
            written.write_text("")
            github = {
                "GITHUB_OUTPUT": str(written),
                "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
                "GITHUB_REPOSITORY": "owner/name",
                "RUNNER_TEMP": str(self.folder / "temp"),
                "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            }
            command = ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            self.ended = subprocess.run(command, cwd=self.work, env=os.environ | environ | github | values, capture_output=True, text=True, check=False)  # fmt: skip
            outputs |= {f"steps.{step.get('id')}.outputs.{name}": value for name, _, value in (line.partition("=") for line in written.read_text().splitlines())}  # fmt: skip
            if self.ended.returncode:
                return self.ended.returncode
        return 0

    @staticmethod
    def filled(text, inputs, outputs):
        """A value with the expressions that GitHub evaluates."""
        known = {f"inputs.{name}": value for name, value in inputs.items()} | outputs
        known |= {"github.action_path": "/the/action", "github.token": "t", "github.event.pull_request.number": "7"}
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: known[found[1]], text)

    @staticmethod
    def wanted(condition, inputs, event):
        """Whether GitHub runs a step with this condition, one of two."""
        if condition is None:
            return True
        assert condition == "inputs.comment == 'true' && startsWith(github.event_name, 'pull_request')"
        return inputs["comment"] == "true" and event.startswith("pull_request")


@pytest.fixture
def job(tmp_path):
    """A checkout with answers."""
    return Job(tmp_path)


def comments(job):
    """Method, address and body of each comment that was written."""
    calls = [(said, body) for name, said, body in job.recorded if name == "gh" and "--method" in said]
    return [(said[said.index("--method") + 1], said[said.index("--method") + 2], body) for said, body in calls]


def test_the_file_is_a_valid_action(tmp_path):
    """GitHub's schema accepts it, and would notice a misspelled word."""
    for text, status in ((TEXT, 0), (TEXT.replace("using: composite", "usings: composite"), 1)):
        (tmp_path / "action.yml").write_text(text, encoding="utf-8")
        found = CliRunner().invoke(check_jsonschema, ["--builtin-schema", "vendor.github-actions", str(tmp_path / "action.yml")])  # fmt: skip
        assert found.exit_code == status, found.output


def test_no_script_contains_an_expression():
    """What a pull request may choose, such as a file's name, reaches scripts as variables, never as code."""
    assert [step["name"] for step in STEPS if "${{" in step.get("run", "")] == []
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)


def test_every_input_is_used():
    """And every input that a step uses is declared."""
    used = set(re.findall(r"inputs\.([\w-]+)", TEXT))
    assert used == set(ACTION["inputs"])


def test_good_answers_pass_and_their_table_is_commented(job):
    """Installed from the action's own folder; the table is in the summary and in a new comment."""
    inputs = {
        "data": "answers.jsonl",
        "metrics": "token_f1,word_recall\nlength",
        "fail-under": "token_f1=0.1",
        "extras": "data,s3",
    }
    assert job.run(inputs) == 0, job.ended
    assert job.recorded[0][:2] == ["pip", ["install", "--quiet", "/the/action[data,s3]"]]
    assert "exit status 0" in job.summary
    assert all(f"| {metric}" in job.summary for metric in ("token_f1", "word_recall", "length"))
    ((method, address, body),) = comments(job)
    assert (method, address) == ("POST", "repos/owner/name/issues/7/comments")
    assert body == f"{MARKER}\n{job.summary}"
    assert (job.work / "saiten.xml").stat().st_size


def test_the_comment_is_updated_the_next_time(job):
    """The one that begins with the marker; other comments stay."""
    job.records("gh", answer=f"3 hello\n41 {MARKER}\n42 {MARKER} x\n")
    assert job.run({"data": "answers.jsonl", "metrics": "token_f1"}) == 0
    ((method, address, body),) = comments(job)
    assert (method, address) == ("PATCH", "repos/owner/name/issues/comments/41")
    assert body.startswith(MARKER)


@pytest.mark.parametrize(("event", "comment"), [("push", "true"), ("pull_request", "false")])
def test_nothing_is_commented_elsewhere_or_unasked(job, event, comment):
    """The summary has the table all the same."""
    assert job.run({"data": "answers.jsonl", "metrics": "token_f1", "comment": comment}, event) == 0
    assert [name for name, *_ in job.recorded] == ["pip"]
    assert "| token_f1" in job.summary


def test_a_token_that_may_not_comment_fails_no_build(job):
    """As in a pull request from a fork: a warning, and the status of saiten."""
    job.records("gh", status=1)
    assert job.run({"data": "answers.jsonl", "metrics": "token_f1", "fail-under": "token_f1=0.99"}) == 5
    assert "| token_f1" in job.summary


@pytest.mark.parametrize(
    ("inputs", "status", "said"),
    [
        ({"metrics": "token_f1", "fail-under": "token_f1=0.99"}, 5, "missed"),
        ({"metrics": "faithfulness"}, 6, "faithfulness"),  # there are no contexts
        ({"metrics": "no_such_metric"}, 2, "There are no scores"),
    ],
)
def test_the_status_is_that_of_saiten(job, inputs, status, said):
    """A missed threshold, nothing measured, a mistake: commented and then passed on."""
    assert job.run({"data": "answers.jsonl", **inputs}) == status
    assert f"exit status {status}" in job.summary
    assert said in job.summary
    assert len(comments(job)) == 1


@pytest.mark.slow
def test_a_run_is_compared_with_the_one_before(job):
    """A baseline that is not there, as in the first job, is skipped; a worse run fails."""
    before = {"data": "answers.jsonl", "metrics": "token_f1", "baseline": "kept/main", "run": "runs/main"}
    assert job.run(before) == 0
    worse = [{**row, "answer": f"{row['answer']} Or is it ten times that, or none at all?"} for row in ROWS]
    (job.work / "worse.jsonl").write_bytes(b"\n".join(map(orjson.dumps, worse)) + b"\n")
    after = {"data": "worse.jsonl", "metrics": "token_f1", "baseline": "runs/main", "fail-if-worse": "token_f1"}
    assert job.run(after) == 5
    assert "worse" in job.summary
    assert job.run({**after, "fail-if-worse": ""}) == 0
    assert "worse" in job.summary


@pytest.mark.parametrize(
    "text", ["$(touch hacked)", "`touch hacked`", "'; touch hacked; '", '"; touch hacked; "', "--config=x"]
)
def test_an_input_is_never_code(job, text):
    """Whatever is in it, it is one argument of saiten."""
    job.run({"data": text, "run": text})
    job.run(
        {"data": "answers.jsonl", **dict.fromkeys(("metrics", "judge", "config", "fail-under", "extras", "args"), text)}
    )
    assert not (job.work / "hacked").exists()


def test_further_arguments_are_split_as_in_a_shell(job):
    """Quotes keep words together; a quote that does not end stops the job before anything is paid for."""
    assert job.run({"data": "answers.jsonl", "args": "-m length --fail-over length=99 --junit 'my report.xml'"}) == 0
    assert (job.work / "my report.xml").exists()
    assert job.run({"data": "answers.jsonl", "args": "-m 'length", "run": "runs/other"}) != 0
    assert not (job.work / "runs" / "other").exists()
