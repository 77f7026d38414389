from pathlib import Path

import pytest

from saiten.data.addresses import located
from saiten.errors import BadInput, ConfigurationError
from saiten.experiments.cells import cells_of, scores_folder
from saiten.experiments.plan import keep_plan, kept_plan, read_plan
from saiten.experiments.results import main_metric
from saiten.results.verdict import higher_is_better
from saiten.runs.manifest import Manifest, write_manifest

WHOLE = """\
title: Serial or parallel?
data:
  - questions: sets/manuals.jsonl
    kb: kb/manuals
    documents: [docs]
    labels: labels.csv
    limit: 20
  - name: web
    answers: /somewhere/web.jsonl
    kb: http://localhost:6333/web
models: [extractive, "openai:small@http://localhost:8000/v1"]
chains: [refine, map_reduce]
k: 3
metrics: [accuracy, token_f1]
judge:
  name: offline
evidence: [answer, reference]
"""


def written(tmp_path: Path, text: str) -> Path:
    """The text as an experiment file."""
    path = tmp_path / "experiment.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_paths_are_relative_to_the_file(tmp_path):
    """An experiment can be run from any folder; addresses and absolute paths are unchanged."""
    plan = read_plan(written(tmp_path, WHOLE))
    manuals, web = plan.data
    assert (manuals.name, manuals.questions, manuals.kb) == (
        "manuals",
        tmp_path / "sets/manuals.jsonl",
        str(tmp_path / "kb/manuals"),
    )
    assert (manuals.documents, manuals.labels) == ((tmp_path / "docs",), tmp_path / "labels.csv")
    assert (web.answers, web.kb) == (Path("/somewhere/web.jsonl"), "http://localhost:6333/web")
    stored = read_plan(written(tmp_path, WHOLE.replace("/somewhere/", "s3://bucket/day/")))
    assert located(stored.data[1].answers) == "s3://bucket/day/web.jsonl"


def test_each_model_may_have_an_example_of_its_own(tmp_path):
    """0-shot for one, 1-shot for another, in one experiment, as in the paper; a plain name uses the experiment's."""
    models = (
        "models:\n- openai:a\n- {name: openai:b, example: mine.toml}\n- {name: openai:b, example: none}\n- extractive\n"
    )
    for name in ("all", "mine"):
        (tmp_path / f"{name}.toml").write_text('question = "Q?"\ndocuments = ["D."]\nanswer = "A."\n')
    plan = read_plan(written(tmp_path, f"data: [{{demo: ja}}]\n{models}chains: [refine]\nexample: all.toml\n"))
    assert {cell.system: (cell.generator, cell.example) for cell in cells_of(plan, plan.data[0])} == {
        "openai:a · refine": ("openai:a", tmp_path / "all.toml"),
        "openai:b · 1-shot mine · refine": ("openai:b", tmp_path / "mine.toml"),
        "openai:b · 0-shot · refine": ("openai:b", None),
        "extractive · refine": ("extractive", None),
    }
    keep_plan(plan, tmp_path)
    assert kept_plan(tmp_path) == plan


def test_an_example_that_cannot_be_read_is_refused_with_the_plan(tmp_path):
    """This happens before the cells preceding it are paid for."""
    with pytest.raises(ConfigurationError, match=r"gone\.toml: cannot be read"):
        read_plan(written(tmp_path, "data: [{demo: ja}]\nmodels: [openai:a, {name: openai:b, example: gone.toml}]\n"))


def test_a_judge_may_be_named_alone(tmp_path):
    """`judge: offline` is all that most experiments need."""
    plan = read_plan(written(tmp_path, "data: [{demo: ja}]\nmodels: [extractive]\njudge: openai:gpt-4o-mini\n"))
    assert (plan.judge.name, plan.judge.votes, plan.data[0].name) == ("openai:gpt-4o-mini", 1, "demo-ja")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("- a\n- b\n", ":1: expected keys"),
        ("data: [{demo: ja}]\nmodels: [a, {name: a, example: null}]\n", "a is listed twice"),
        ("data: [{demo: ja}]\nmodels:\n- nam: a\n", "there is no key 'models.0.nam'; did you mean name?"),
        ("data: [{demo: ja}]\nmodels:\n- {name: extractive, example: e.toml}\n", "extractive picks sentences"),
        ("data: [{demo: ja}]\nmodels: openai:a\n", "models: Input should be a valid tuple"),
        ("data: [{demo: ja}]\nmodells: [extractive]\n", ":2: there is no key 'modells'; did you mean models?"),
        (
            "models: [extractive]\ndata:\n  - demo: ja\n    kbb: x\n",
            ":4: there is no key 'data.0.kbb'; did you mean kb?",
        ),
        (
            "models: [extractive]\ndata:\n  - demo: fr\n",
            ":3: data.0.demo: Input should be 'ja' or 'en', but found 'fr'",
        ),
        ("data: [{demo: ja}]\nmodels: [extractive]\nchains:\n  - stuff\n  - serial\n", ":5: chains.1: Input should be"),
        (
            "name: x\ndata: [{demo: ja}]\nmodels: [extractive]\n",
            ":1: there is no key 'name' here; it is one of each of `data`",
        ),
        ("data: [{demo: ja, k: 3}]\nmodels: [extractive]\n", "no key 'data.0.k' here; it is one of the file itself"),
        ("data: [{demo: ja}]\nmodels: [extractive]\nzzzz: 1\n", ":3: there is no key 'zzzz'; there are title, data, "),
        ("data: [{demo: ja}]\nmodels: [extractive]\nk: 0\n", ":3: k: Input should be greater than or equal to 1"),
        (
            "data: [{demo: ja}]\nmodels: [extractive]\nat_once: 1000000\n",
            ":3: at_once: Input should be less than or equal to 10000",
        ),
        ("data: []\nmodels: [extractive]\n", ":1: data: "),
        ("data: [{demo: ja}]\n", "no models or systems to answer the questions"),
        (
            "data:\n  - kb: x\nmodels: [a]\n",
            ":2: data.0: expected exactly one of questions, answers and demo, found none",
        ),
        ("data:\n  - {demo: ja, answers: x}\nmodels: [a]\n", "found answers and demo"),
        ("data: [{questions: q.jsonl}]\nmodels: [a]\n", "the models need a knowledge base for q; give it a kb"),
        ("data: [{answers: a.jsonl}]\nevidence: [reference]\n", "retrieved from a knowledge base, but a has none"),
        ("data: [{demo: ja}, {demo: ja}]\nmodels: [a]\n", "two data sets are called demo-ja"),
        ("data: [{demo: ja, name: ../up}]\nmodels: [a]\n", "the name '../up' is also a file name"),
        ("data: [{demo: ja, name: ..}]\nmodels: [a]\n", "the name '..' is also a file name"),
        ("data: [{demo: ja, name: A}, {demo: en, name: a}]\nmodels: [a]\n", "two data sets are called a"),
        ("data: [{demo: ja}]\nmodels: [a, b, a]\n", ":2: models: a is listed twice"),
        ("data: [{demo: ja}]\nmodels: [a]\nchains: [stuff, stuff]\n", ":3: chains: stuff is listed twice"),
        ("data: [{demo: ja}]\nmodels: [a]\nk: 99999999999999999999\n", ":3: k: Input should be less than or equal to"),
        ("data: " + "[" * 300_000, ":1: nested too deeply"),
        ("k: 1\nk: 2\n", ":2: duplicate key 'k'"),
        ("a: &x [1]\nb: *x\n", ":2: aliases (*x) are not understood here"),
        ("data: [\n", ":2: "),
        ("a: b: c\n", ":1: mapping values are not allowed here"),
        ("data: !!python/object/apply:os.system ['true']\n", ":1: could not determine a constructor"),
        ("\x00", "not YAML"),
    ],
)
def test_every_mistake_is_named_with_its_line(tmp_path, text, said):
    """File, line, what was expected and what came: nobody has to count indentations."""
    with pytest.raises(BadInput) as error:
        read_plan(written(tmp_path, text))
    assert said in str(error.value)
    assert str(tmp_path / "experiment.yaml") in str(error.value)


def test_all_mistakes_are_reported_at_once(tmp_path):
    """Three mistakes need one run, not three."""
    with pytest.raises(BadInput) as error:
        read_plan(written(tmp_path, "data: [{demo: fr}]\nk: none\nmetric: x\n"))
    assert len(str(error.value).splitlines()) == 3


def test_a_file_that_is_not_there_is_a_wrong_set_up(tmp_path):
    """The message has the path."""
    with pytest.raises(ConfigurationError, match=r"nothing\.yaml cannot be read"):
        read_plan(tmp_path / "nothing.yaml")


def test_another_encoding_is_reported(tmp_path):
    """There is no codec traceback."""
    path = tmp_path / "e.yaml"
    path.write_bytes("title: 実験".encode("shift_jis"))
    with pytest.raises(BadInput, match="not in UTF-8"):
        read_plan(path)


def test_human_labels_may_serve_as_accuracy(tmp_path):
    """`main: human` needs no metric of this name, and says which data set has no labels."""
    text = "data: [{questions: q.jsonl, kb: kb%s}]\nmodels: [extractive]\nmain: human:correct\n"
    assert main_metric(read_plan(written(tmp_path, text % ", labels: l.jsonl")), tmp_path) == "human:correct"
    with pytest.raises(BadInput, match="main: human:correct needs human labels, but q has none; name their file"):
        read_plan(written(tmp_path, text % ""))


def test_a_metric_in_a_python_file_is_looked_up_in_the_runs(tmp_path, monkeypatch):
    """The plan of a folder may be somebody else's: reading its results runs no code."""
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text("open('ran', 'w').close()\n", "utf-8")
    text = "data: [{questions: q.jsonl, kb: kb}]\nmodels: [extractive]\nmetrics: ['m.py:Mine[strict]', length]\n"
    plan = read_plan(written(tmp_path, text))
    assert main_metric(plan, tmp_path) == "m.py:Mine[strict]"  # not scored yet
    folder = scores_folder(tmp_path, plan.data[0])
    folder.mkdir(parents=True)
    signatures = {
        "length": "length|saiten:1",
        "mine[strict]": "mine[strict]|code:m.py:Mine@12345678|better:lower|saiten:1",
    }
    write_manifest(folder, Manifest({}, signatures))
    assert main_metric(plan, tmp_path) == "mine[strict]"
    assert higher_is_better("mine[strict]", signatures) is False
    assert not Path("ran").exists()
