"""Comparisons of figures that were computed in different ways say so."""

import pytest

import saiten
from saiten.records import Sample, Score, Scored
from saiten.results.what_differs import made_differently
from saiten.runs import Journal, read_run
from saiten.views.tables.comparison import comparison_tables

MAY = ", which may explain the difference"
JUDGED = "judge:offline-overlap|constants:abc|saiten:0.1"


def run(folder, **signatures):
    """A run with these signatures, after the metric's name."""
    with Journal.open(folder, signatures={name: f"{name}|{parts}" for name, parts in signatures.items()}):
        pass
    return read_run(folder)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"a": JUDGED}, {"a": JUDGED}, []),
        ({"a": JUDGED}, {"b": "judge:m|saiten:0.1"}, []),
        ({"a": JUDGED, "length": "saiten:0.1"}, {"a": "judge:openai:m|prompts:x|saiten:0.1", "length": "saiten:0.1"}, [
            "the runs compute a differently (judge offline-overlap → openai:m, constants abc → none, prompts none → x)" + MAY
        ]),
        (dict.fromkeys("abcde", "saiten:0.1"), dict.fromkeys("abcde", "saiten:0.2"), [
            "the runs compute a, b, c and 2 more differently (saiten 0.1 → 0.2)" + MAY
        ]),
    ],
)  # fmt: skip
def test_what_differs_is_named_once_for_all_metrics_it_concerns(tmp_path, first, second, said):
    """Metrics on one side only are not compared."""
    assert [*map(str, made_differently([run(tmp_path / "1", **first), run(tmp_path / "2", **second)]))] == said


def test_a_metric_may_be_called_anything(tmp_path):
    """Signature characters in a metric's name are not part of the signature."""
    name = 'aspect_critique["short|judge:x?"]'
    runs = [run(tmp_path / judge, **{name: f"judge:{judge}"}) for judge in ("one", "two")]
    (remark,) = made_differently(runs)
    assert "(judge one → two)" in str(remark)


def test_the_comparison_says_it_in_both_languages(tmp_path):
    """The caption says it, which all human-readable formats have."""
    for judge in ("one", "two"):
        with Journal.open(tmp_path / judge, signatures={"m": f"m|judge:{judge}"}) as journal:
            for number in range(8):
                journal.sample(Sample(f"q{number}", f"q {number}", "a"))
                journal.score(Scored(f"q{number}", "m", Score(number / 10)))
    (table,) = comparison_tables([read_run(tmp_path / "one"), read_run(tmp_path / "two")])
    assert table.in_language("en").caption.endswith(
        " But the runs compute m differently (judge one → two), which may explain the difference."
    )
    assert table.in_language("ja").caption.endswith("ただし m の求め方が実行によって異なる（judge one → two）。差はそのためかもしれない。")  # fmt: skip


def test_runs_that_were_made_alike_say_nothing(tmp_path):
    """The signatures are real ones."""
    for name in ("first", "second"):
        saiten.evaluate(
            [{"question": f"q {n}", "answer": "a b", "reference": "a"} for n in range(3)],
            ["token_f1", "rouge_l"],
            run=tmp_path / name,
        )
    (table,) = comparison_tables([read_run(tmp_path / name) for name in ("first", "second")])
    assert "But" not in table.in_language("en").caption
