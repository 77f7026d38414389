"""The CI files in docs/ci.md are valid, and their jobs, run here step by step, end as the page says."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import orjson
import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner
from junitparser import JUnitXml

from servers import instance

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
_, GITHUB, GITLAB = (yaml.load(text, yaml.BaseLoader) for text in TEXTS)  # noqa: S506 - `on` is a key, not true
STEPS = GITHUB["jobs"]["score"]["steps"]
JOB = GITLAB["answers"]
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]
INSTALL = f"pip install git+{REPOSITORY}"
"""Not run: the package that is installed here takes the place of the one it would fetch."""
KEY = "a-key"

pytestmark = pytest.mark.timeout(600)  # a job is several processes, possibly on a busy machine

ROWS = [
    {
        "id": f"q{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"Bridge {n} is {n} years old.",
        "contexts": [f"Bridge {n} is {n} years old.", "It is made of steel."],
        "reference": f"It is {n} years old.",
    }
    for n in range(8, 32)
]


def uses(action):
    """The step that uses this action; what it keeps, it keeps of a failed job as well."""
    (step,) = (step for step in STEPS if step.get("uses", "").partition("@")[0] == action)
    assert step.get("if") == "always()" or action.endswith("/restore")
    return step


class Runner:
    """A checkout with the page's file, and a judge behind a real server, lenient or strict."""

    def __init__(self, folder, server, *, good):
        self.folder, self.summary = folder, folder / "summary.md"
        (folder / "answers.jsonl").write_bytes(b"\n".join(map(orjson.dumps, ROWS)) + b"\n")
        server.key, server.models, server.reply = KEY, ["gpt-4o-mini"], lambda asked: reply_to(asked, good=good)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI")}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environ = kept | {
            "PATH": path,
            "OPENAI_BASE_URL": server.base_url,
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    def shell(self, script, **environ):
        """The exit status of a script in bash, which ends at the first line that fails, as on both runners."""
        lines = "\n".join(line for line in script.splitlines() if line.strip() != INSTALL)
        return subprocess.run(["/bin/bash", "-e", "-o", "pipefail", "-c", lines], cwd=self.folder, env=self.environ | environ, check=False).returncode  # fmt: skip

    def github(self):
        """The exit statuses of the steps that run, by name; after a failure, only those that always run."""
        statuses = {}
        for step in STEPS:
            if "run" in step and (not any(statuses.values()) or step.get("if") == "always()"):
                environ = {name: re.sub(r"^\$\{\{ secrets\.\w+ \}\}$", KEY, value) for name, value in step.get("env", {}).items()}  # fmt: skip
                statuses[step.get("name", step["run"])] = self.shell(step["run"], **environ)
        return statuses

    def gitlab(self):
        """The exit status of the script."""
        return self.shell("\n".join(JOB["script"]), OPENAI_API_KEY=KEY)

    def there(self, paths):
        """Whether the job produced all of these, and none is empty."""
        return all(any(path.iterdir()) if path.is_dir() else path.stat().st_size for path in map(self.folder.joinpath, paths))  # fmt: skip

    def junit(self, file):
        """Cases and failures in the report."""
        read = JUnitXml.fromfile(str(self.folder / file))
        return read.tests, read.failures


def reply_to(asked, *, good):
    """A reply in the requested form; the verdicts and the grade depend on whether it is good."""
    if asked.schema is None:
        return None
    reply = instance(asked.schema)
    if "grade" in reply:
        reply["grade"] = 5 if good else 2
    for verdict in reply.get("verdicts", ()):
        verdict["verdict"] = good
    return orjson.dumps(reply).decode()


@pytest.fixture
def runner(tmp_path, openai_server):
    """A runner whose judge approves of the answers, or not."""
    return lambda *, good: Runner(tmp_path, openai_server, good=good)


def refusals(kind, text, folder):
    """The faults that GitHub's or GitLab's schema finds in a file; empty if it is valid."""
    file = folder / "file.yml"
    file.write_text(text, encoding="utf-8")
    checked = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{kind}", str(file)])
    return "" if checked.exit_code == 0 else checked.output


@pytest.mark.parametrize(
    ("kind", "text", "word"),
    [
        ("github-workflows", TEXTS[0], "runs-on"),
        ("github-workflows", TEXTS[1], "runs-on"),
        ("gitlab-ci", TEXTS[2], "script"),
    ],
)
def test_each_file_is_valid_for_whom_it_is_written(kind, text, word, tmp_path):
    """The schemas of editors and linters accept it, and notice a misspelled word."""
    assert refusals(kind, text, tmp_path) == ""
    assert refusals(kind, text.replace(f"{word}:", f"{word}s:"), tmp_path) != ""


@pytest.mark.parametrize("page", ["ci.md", "ja/ci.md"])
def test_the_job_that_uses_the_action_gives_it_inputs_that_it_has(page):
    """It is that of this repository, which needs no package index, with a key only in the environment."""
    declared = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    (text,) = re.findall(r"^```yaml\n(.*?uses: saiten.*?)^```$", (ROOT / "docs" / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)[:1]  # fmt: skip
    job = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - `on` is a key, not true
    (step,) = (step for step in job["jobs"]["score"]["steps"] if "saiten" in step["uses"])
    assert step["uses"].partition("@")[0] == REPOSITORY.removeprefix("https://github.com/")
    assert step["with"].keys() <= declared.keys()
    assert "secrets" not in str(step["with"])
    assert job["permissions"]["pull-requests"] == "write"


def test_a_github_job_with_good_answers_ends_well(runner):
    """Thresholds are met, report and summary are written, and the files kept by later steps exist."""
    job = runner(good=True)
    assert job.github() == {INSTALL: 0, "Score": 0, "Summary": 0}
    assert job.junit("saiten.xml") == (2, 0)
    assert "| faithfulness" in job.summary.read_text(encoding="utf-8")
    assert job.there([*uses("actions/upload-artifact")["with"]["path"].split(), uses("actions/cache/save")["with"]["path"]])  # fmt: skip


@pytest.mark.slow
def test_a_github_job_with_bad_answers_fails_and_is_not_paid_for_again(runner, openai_server, tmp_path):
    """The scoring step ends with the status on the page, and later steps have what they show and keep. From that job
    the next one is given every answer of the judge.
    """
    restored, saved = uses("actions/cache/restore"), uses("actions/cache/save")
    assert restored["with"] == saved["with"] | {"restore-keys": saved["with"]["key"].partition("$")[0]}
    job = runner(good=False)
    assert job.github() == {INSTALL: 0, "Score": 5, "Summary": 0}
    assert job.junit("saiten.xml") == (2, 2)
    assert "| faithfulness" in job.summary.read_text(encoding="utf-8")
    assert job.there([*uses("actions/upload-artifact")["with"]["path"].split(), saved["with"]["path"]])
    paid = len(openai_server.requests)
    assert paid > len(ROWS)
    (tmp_path / "next").mkdir()
    (tmp_path / saved["with"]["path"]).rename(tmp_path / "next" / restored["with"]["path"])
    assert Runner(tmp_path / "next", openai_server, good=True).github()["Score"] == 5
    assert len(openai_server.requests) - paid <= 1  # whether the server is there and accepts the key


@pytest.mark.parametrize(
    ("good", "status", "failures"), [(True, 0, 0), pytest.param(False, 5, 1, marks=pytest.mark.slow)]
)
def test_a_gitlab_job_ends_as_its_answers_are(runner, good, status, failures):
    """It has the status on the page, and in both cases the requested artifacts, report and cache."""
    job = runner(good=good)
    assert job.gitlab() == status
    assert job.junit(JOB["artifacts"]["reports"]["junit"]) == (1, failures)
    assert job.there(JOB["artifacts"]["paths"] + JOB["cache"]["paths"])
    assert (JOB["artifacts"]["when"], JOB["cache"]["when"]) == ("always", "always")


def test_without_a_key_a_job_says_what_is_wrong(runner):
    """This is a pull request from a fork, which gets no secrets: status 2, and nothing is asked."""
    job = runner(good=True)
    del job.environ["OPENAI_BASE_URL"]
    (step,) = (step for step in STEPS if step.get("name") == "Score")
    assert job.shell(step["run"], OPENAI_API_KEY="") == 2


def test_the_statuses_of_the_page_are_those_of_the_code():
    """The table matches `main`."""
    from saiten.cli import ALARM, INTERRUPTED, MISSED, NOTHING, main
    from saiten.cli.running import STOPPED

    table = [int(found) for found in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)]
    assert table == [0, 2, STOPPED, ALARM, MISSED, NOTHING, INTERRUPTED]
    assert all(f"{status} for" in main.__doc__.replace("\n    ", " ") for status in table)
