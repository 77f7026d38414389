"""Metrics in a user's Python file: what is accepted, what is refused and how, and when code is run."""

import re
from pathlib import Path

import pytest

import saiten
from saiten.errors import ConfigurationError
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import known_metric, make_metric, make_metrics
from saiten.records import Sample
from saiten.tasks.critique import Critique, CritiqueAspect

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "my_metrics.py"
SAMPLE = Sample("1", "Why?", "See [1] and [3].", ("A.", "B."))
WHOLE = """
class Whole:
    '''All that the protocol asks for, and nothing of saiten's.'''
    name = "whole"
    needs = ("answer",)
    tasks = ()
    bounds = (0.0, 1.0)
    higher_is_better = True

    def describe(self):
        return {"version": "1"}

    async def score(self, sample, judge):
        import saiten
        return saiten.Score(1.0)

INSTANCE = Whole()
"""


DERIVED = """
from dataclasses import dataclass
import saiten

class Untitled(saiten.BaseMetric):
    async def score(self, sample, judge): ...

class Scoreless(saiten.BaseMetric):
    title = "scoreless"

@dataclass(frozen=True)
class Strange(saiten.BaseMetric):
    title = "strange"
    how: "Unknown" = 1

class Failing(saiten.BaseMetric):
    title = "failing"

    @property
    def needs(self):
        return 1 / 0
"""


@pytest.fixture(autouse=True)
def written(tmp_path, monkeypatch):
    """Write a file in the current folder, which also has the example of the docs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_metrics.py").write_bytes(EXAMPLE.read_bytes())
    return lambda name, text: Path(name).write_text(text, encoding="utf-8")


async def test_the_example_of_the_docs_asks_the_judge():
    """A task of saiten's in the sample's language; the setting in brackets changes value and name."""
    judge = ScriptedJudge({CritiqueAspect: lambda task: Critique(reason="rude", verdict="blaming" in task.criterion)})
    metric = make_metric("my_metrics.py:Politeness")
    score = await metric.score(SAMPLE, judge)
    assert (metric.name, score.value, score.reason) == ("politeness", 0.5, "rude")
    assert [task.language for task in judge.asked] == ["en", "en"]
    strict = make_metric("my_metrics.py:Politeness[strict]")
    assert strict == make_metric("my_metrics.py:Politeness[strict=yes]") != metric
    assert strict.name == "politeness[strict]"
    assert (await strict.score(SAMPLE, judge)).value == 0


async def test_the_example_of_the_docs_needs_no_judge():
    """Its arithmetic, and what it declares."""
    metric = make_metric("my_metrics.py:Citations")
    assert (metric.needs, metric.tasks, metric.bounds) == (("answer", "contexts"), (), (0.0, 1.0))
    assert (await metric.score(SAMPLE, ScriptedJudge({}))).value == 0.5
    assert (await metric.score(Sample("2", "?", "None.", ()), ScriptedJudge({}))).status == "undefined"


async def test_a_class_or_an_instance_that_only_fits_the_protocol(written, monkeypatch):
    """From a file or a module of the current folder; the signature also has what the metric describes."""
    written("own_whole.py", WHOLE)
    monkeypatch.syspath_prepend(".")
    for typed in ("own_whole.py:Whole", "own_whole.py:INSTANCE", "own_whole:Whole", "./own_whole.py:Whole"):
        metric = make_metric(typed)
        assert (metric.name, metric.higher_is_better) == ("whole", True)
        described = metric.describe()
        assert described["version"] == "1"
        assert re.fullmatch(rf"{re.escape(typed.removeprefix('./'))}@[0-9a-f]{{8}}", described["code"])
        assert (await metric.score(SAMPLE, ScriptedJudge({}))).value == 1.0


def test_the_signature_changes_with_the_file(written):
    """An edited file is loaded again, within one process, too."""
    written("w.py", WHOLE)
    before = make_metric("w.py:Whole")
    assert make_metric("w.py:Whole") == before
    written("w.py", WHOLE.replace("(0.0, 1.0)", "(0.0, 9.0)"))
    after = make_metric("w.py:Whole")
    assert (before.bounds, after.bounds) == ((0.0, 1.0), (0.0, 9.0))
    assert before.describe()["code"] != after.describe()["code"]


def lacking(part):
    """The whole metric without one part."""
    return re.sub(rf"\n    (async )?(def )?{part}\b[^\n]*(\n        [^\n]*)*", "", WHOLE)


@pytest.mark.parametrize("part", ["name", "needs", "tasks", "bounds", "higher_is_better", "describe", "score"])
def test_a_missing_part_is_named_with_what_it_is(written, part):
    """And a base class that has the rest."""
    written("w.py", lacking(part))
    with pytest.raises(ConfigurationError, match=rf"w.py:Whole is not a metric: it lacks {part} \(.*saiten.BaseMetric"):
        make_metric("w.py:Whole")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('("answer",)', '"answer"', "needs is 'answer', expected the fields that a sample must have"),
        ('("answer",)', '("anwser",)', "needs is ('anwser',), expected"),
        ("tasks = ()", "tasks = None", "tasks is None, expected the tasks that it gives to a judge; () for none"),
        ("(0.0, 1.0)", "(1.0, 0.0)", "bounds is (1.0, 0.0), expected the lowest and the highest value"),
        ("= True", "= 'up'", "higher_is_better is 'up', expected True, False, or None"),
        ('"whole"', '" "', "name is ' ', expected its name in results"),
        ('"whole"', '"length"', "is named 'length', which means something else here; give it another name"),
        ('"whole"', '"human:x"', "is named 'human:x', which means something else here"),
        ('{"version": "1"}', "None", "describe is"),
        ("async def score", "def score", "score is"),
        ("sample, judge", "sample", "expected `async def score(self, sample, judge)`"),
        ("INSTANCE", "1 / 0\nINSTANCE", "ZeroDivisionError: division by zero (line 17 of"),
        ("class Whole:", "class Whole", "w.py cannot be imported: expected ':' (line 2 of"),
        ("class Whole:", "import not_there\nclass Whole:", "ModuleNotFoundError: No module named 'not_there' (line 2 of"),
        ("    def desc", "    def __init__(self, x):\n        pass\n    def desc", "cannot be used: TypeError: Whole.__init__() missing"),
        ("    def desc", "    def __init__(self):\n        1 / 0\n    def desc", "division by zero (line 11 of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_what_was_expected(written, before, after, message):
    """Before the run; an exception of the code with its line."""
    assert before in WHOLE
    code = WHOLE.replace(before, after, 1)
    written("w.py", code.partition("INSTANCE =")[0] if "__init__" in after else code)
    with pytest.raises(ConfigurationError) as refusal:
        make_metric("w.py:Whole")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("my_metrics.py", "my_metrics.py names a file; name a metric in it, too: my_metrics.py:NAME"),
        ("my_metrics.py:", "name a metric in it, too"),
        ("my_metric.py:Politeness", "there is no file my_metric.py; did you mean my_metrics.py?"),
        ("my_metrics.py:Politenes", "there is no Politenes in my_metrics.py; did you mean Politeness?"),
        ("gone.there:Politeness", "there is no module gone"),
        ("my_metrics.py:RULES", "my_metrics.py:RULES is not a metric: it lacks name, needs"),
        ("my_metrics.py:Politeness[stric]", "has no setting 'stric'; its settings are: strict (yes | no)"),
        ("my_metrics.py:Politeness[strict=perhaps]", "strict takes yes | no, not 'perhaps'"),
        ("my_metrics.py:Citations[x]", "has no setting 'x'; its settings are: none"),
        ("\0.py:x", "cannot be read: embedded null byte"),
        ("x" * 5000 + ".py:x", "cannot be read: File name too long"),
        ("..:x", "cannot be imported"),
        (".:x", "cannot be imported"),
        ("criterion:polite and brief", "settings go in brackets: criterion[polite and brief]"),
        ("faithfulness:worst", "settings go in brackets: faithfulness[worst]"),
        ("untitled.py:Untitled", "it lacks title, its name in results without settings"),
        ("untitled.py:Scoreless", "it lacks score (`async def score(self, sample, judge)`"),
        ("untitled.py:Strange", "cannot be used: NameError: name 'Unknown' is not defined"),
        ("untitled.py:Failing", "cannot be used: ZeroDivisionError: division by zero (line 21 of"),
        ("w.py:INSTANCE[x=1]", "takes no settings: it is an instance"),
        ("w.py:Whole[x=1]", "takes no settings: it is not a dataclass"),
    ],
)
def test_a_name_that_leads_nowhere_is_answered_with_one_that_does(written, typed, message):
    """File, module, class and settings."""
    written("w.py", WHOLE)
    written("untitled.py", DERIVED)
    with pytest.raises(ConfigurationError) as refusal:
        make_metric(typed)
    assert message in str(refusal.value)


def test_two_metrics_of_one_name_are_refused(written):
    """Names identify results; the same metric twice is one metric."""
    written("a.py", WHOLE)
    written("b.py", WHOLE + "\n")
    assert len(make_metrics(["a.py:Whole, a.py:Whole", "length"])) == 2
    with pytest.raises(ConfigurationError, match="two metrics are named 'whole'"):
        make_metrics(["a.py:Whole", "b.py:Whole"])
    with pytest.raises(ConfigurationError, match="two metrics are named 'whole'"):
        saiten.evaluate([{"question": "q", "answer": "a"}], ["a.py:Whole", "b.py:Whole"])


def test_a_name_in_results_runs_no_code(written):
    """A run may come from somebody else: nothing is imported to show it."""
    written("harm.py", "open('ran', 'w').close()\n" + WHOLE)
    assert known_metric("harm.py:Whole") is None
    assert known_metric("harm:Whole[x]") is None
    assert not Path("ran").exists()
    make_metric("harm.py:Whole")
    assert Path("ran").exists()


def test_python_takes_names_and_instances_side_by_side():
    """`evaluate` accepts the name of a metric in a file next to others."""
    rows = [{"question": "q", "answer": "As in [1].", "contexts": ["c"]}]
    result = saiten.evaluate(rows, ["my_metrics.py:Citations", "length"])
    assert {one.metric: one.score.value for one in result.scores} == {"citations": 1.0, "length": 3.0}


def test_python_reports_the_code_that_saiten_toml_names(written, caplog):
    """Before it is run; metrics that are given need no note."""
    written("saiten.toml", 'metrics = ["length", "my_metrics.py:Citations"]\n')
    rows = [{"question": "q", "answer": "As in [1].", "contexts": ["c"]}]
    assert len(saiten.evaluate(rows).scores) == 2
    assert "saiten.toml names the metric my_metrics.py:Citations: its code is run" in caplog.text
    caplog.clear()
    saiten.evaluate(rows, ["my_metrics.py:Citations"])
    assert caplog.text == ""
