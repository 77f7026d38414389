"""A causal model trained on human grades: what it learned, whatever interrupted it, and how it is used."""

import io
import json
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import learning
import pytest

import networks
from saiten.cli import main
from saiten.errors import ConfigurationError
from saiten.judges.tuned_folder import BEGUN, NAME, read_tuned

pytestmark = [
    *networks.marks("peft"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning"),
]

SETTINGS = ["--epochs", "2", "--learning-rate", "1e-2", "--rank", "4", "--format", "json", "--quiet"]


@dataclass
class Folder:
    """A folder with graded answers and a base."""

    path: Path

    def learn(self, out="judge", *more, base="base"):
        """The arguments of `tune judge`."""
        at = self.path
        files = [at / "labels.jsonl", "-s", at / "answers.jsonl", "--base", at / base, "--rubric", at / "rubric.toml"]
        return [str(each) for each in ("tune", "judge", *files, "-o", at / out, *SETTINGS, *more)]


def saiten(arguments):
    """`saiten ARGUMENTS` in this process: exit status, standard output, standard error."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            main([str(each) for each in arguments])
            status = 0
        except SystemExit as end:
            status = end.code or 0
    return status, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder has 20 questions with four answers each."""
    path = tmp_path_factory.mktemp("lora")
    learning.files(path, questions=20)
    return Folder(path)


@pytest.fixture(scope="module")
def made(folder):
    """The output of the command; the judge is in `judge`."""
    said = saiten(folder.learn())
    assert said[0] == 0, said
    return said


def test_the_quality_of_the_judge_is_reported(folder, made):
    """Only the tables are on standard output; every held-out answer is in a figure or counted."""
    row = json.loads(made[1])["On held-out questions"][0]
    assert row["n"] + row["unreadable"] + row["failed"] == 16
    own = read_tuned(folder.path / "judge")
    assert (own.head, own.items, own.questions, own.held_out_questions, own.annotators) == ("chat", 80, 20, 4, 1)
    assert own.stale() is None
    assert [path.name for path in (folder.path / "judge" / "training").iterdir()] == [Path(BEGUN).name]


def test_the_card_says_what_it_is(folder, made):
    """It names the data, the measurement and the usage."""
    card = (folder.path / "judge" / "README.md").read_text("utf-8")
    own = read_tuned(folder.path / "judge")
    for part in (own.labels, own.base_fingerprint, "1 annotator", "80 answers to 20 questions", "--judge hf:judge"):
        assert part in card


def test_the_same_command_says_that_it_is_done(folder, made):
    """It also shows the figures again; another setting in the same folder is refused with what differs."""
    before = (folder.path / "judge" / NAME).read_bytes()
    status, out, _ = saiten(folder.learn())
    assert (status, out) == (0, made[1])
    assert (folder.path / "judge" / NAME).read_bytes() == before
    status, _, err = saiten(folder.learn("judge", "--batch", "4"))
    assert status == 2
    assert "options.batch: was 8, is 4" in err


def test_it_is_a_judge(folder, made):
    """`--judge hf:FOLDER` grades with it."""
    metric = f"aspects[quality,rubric={folder.path / 'rubric.toml'}]"
    judge, run = f"hf:{folder.path / 'judge'}", folder.path / "run"
    said = saiten(
        [
            *("score", folder.path / "answers.jsonl", "--limit", "4", "-m", metric, "--judge", judge, "--no-cache"),
            *("--max-tokens", "64", "-o", run, "--quiet"),
        ]
    )
    lines = [json.loads(line) for line in (run / "scores.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 4, said
    assert {line["status"] for line in lines} <= {"ok", "unreadable"}, said


def test_killed_it_ends_with_the_same_weights(folder, made):
    """It equals one that was never interrupted; until it is finished the folder is not taken for a judge."""
    from safetensors.numpy import load_file

    program = "from saiten.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program, *folder.learn("cut")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    marks = "training/checkpoint-*/saiten-complete"
    while process.poll() is None and not list((folder.path / "cut").glob(marks)):
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert not (folder.path / "cut" / NAME).exists()
    with pytest.raises(ConfigurationError, match="not finished"):
        read_tuned(folder.path / "cut")
    assert saiten(folder.learn("cut"))[0] == 0
    whole, cut = (load_file(folder.path / name / "adapter_model.safetensors") for name in ("judge", "cut"))
    assert whole.keys() == cut.keys()
    assert max(abs(whole[key] - cut[key]).max() for key in whole) < 1e-6
    assert max(abs(value).max() for key, value in whole.items() if "lora_B" in key) > 0


def test_what_cannot_be_begun(folder):
    """A folder with something else in it, an unsuitable base, a missing base."""
    assert "was not created by this command" in saiten(folder.learn("base"))[2]
    (folder.path / "nothing").mkdir()
    assert "holds no model" in saiten(folder.learn("other", base="nothing"))[2]
    assert (
        "name the model to train with --base" in saiten(["tune", "judge", folder.path / "labels.jsonl", "-s", "x"])[2]
    )
