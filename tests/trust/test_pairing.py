"""Pairing outputs with labels: what belongs together, what is averaged, and what is left over."""

import json
from itertools import permutations

import numpy as np
import pytest

from saiten.errors import BadInput, ConfigurationError
from saiten.records import Label, Sample, Score, Scored, Span
from saiten.results.origin import Origin
from saiten.results.place import Place, place_of
from saiten.runs import Journal, RunSettings, read_run
from saiten.trust.inputs.judge_files import read_outputs
from saiten.trust.inputs.outputs import Output, outputs_of_run
from saiten.trust.inputs.pairing import halves, pair
from saiten.trust.inputs.sources import read_source, side_by_side
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

ITEMS = {f"s{i}": Place(f"q{i // 2}", "ab"[i % 2]) for i in range(4)}
OUTPUTS = [Output(f"s{i}", "m", i / 4) for i in range(4)]


def of(column, item, aspect):
    """The output of a column for an item."""
    return column.values[aspect.items.index(item)]


def test_several_annotators_count_with_their_mean():
    """This holds for any number per item."""
    labels = [Label("s0", 1, "x"), Label("s0", 2, "y"), Label("s0", 6, "z"), Label("s1", 4, "x")]
    (aspect,) = pair(ITEMS, OUTPUTS, labels)
    assert (aspect.items, aspect.people.tolist(), aspect.annotators) == (("s0", "s1"), [3, 4], ("x", "y", "z"))
    assert aspect.questions == ("q0", "q0")
    assert aspect.systems == ("a", "b")


def test_an_adjudicated_value_wins_and_is_no_annotators():
    """It settles the item; the raw labels stay for the ceiling."""
    labels = [Label("s0", 0, "x"), Label("s0", 1, "y"), Label("s0", 1, "boss", adjudicated=True), Label("s1", 0, "x")]
    (aspect,) = pair(ITEMS, OUTPUTS, labels)
    assert aspect.people.tolist() == [1, 0]
    assert aspect.settled.tolist() == [True, False]
    assert aspect.annotators == ("x", "y")
    assert len(aspect.given[0]) == 3


def test_what_has_no_counterpart_is_counted_on_both_sides():
    """Some of the IDs are shown."""
    labels = [Label("s0", 1), Label("s1", 0), *(Label(f"ghost{i}", 1) for i in range(5))]
    (aspect,) = pair(ITEMS, OUTPUTS, labels)
    assert (aspect.unmatched.n, aspect.unmatched.examples) == (5, ("ghost0", "ghost1", "ghost2"))
    assert (aspect.unlabeled.n, aspect.unlabeled.examples) == (2, ("s2", "s3"))


def test_what_was_not_measured_is_counted_by_its_reason():
    """No status is a value; nor is a missing line."""
    outputs = [Output("s0", "m", 0.5), Output("s1", "m", "declined"), Output("s2", "m", "unreadable")]
    (aspect,) = pair(ITEMS, outputs, [Label(f"s{i}", 1) for i in range(4)])
    (column,) = aspect.columns
    assert column.missing == {"declined": 1, "unreadable": 1, "no output": 1}
    assert column.rows.tolist() == [0]
    assert np.isnan(column.values[1:]).all()


def test_the_last_output_counts():
    """Lines may have been appended to a file."""
    (aspect,) = pair(ITEMS, [*OUTPUTS, Output("s0", "m", 0.9)], [Label("s0", 1)])
    assert of(aspect.columns[0], "s0", aspect) == 0.9


def test_each_aspect_has_its_own_labels_and_the_outputs_that_speak_to_it():
    """An output with an aspect is compared with that aspect alone, one without it with all."""
    labels = [Label("s0", 1, aspect="true"), Label("s0", 5, aspect="fluent"), Label("s1", 0, aspect="true")]
    outputs = [*OUTPUTS, Output("s0", "judge", 1, "true"), Output("s1", "judge", 1, "true")]
    first, second = pair(ITEMS, outputs, labels)
    assert (first.name, [column.metric for column in first.columns]) == ("true", ["m", "judge"])
    assert (second.name, [column.metric for column in second.columns]) == ("fluent", ["m"])
    assert (first.verdicts, second.verdicts) == (True, False)
    (only,) = pair(ITEMS, outputs, labels, aspects=["fluent"])
    assert only.name == "fluent"


def test_nothing_in_common_is_an_error_that_shows_both_sides():
    """The difference between the IDs is then obvious."""
    with pytest.raises(BadInput) as caught:
        pair(ITEMS, OUTPUTS, [Label("S0", 1), Label("S1", 0)])
    for part in ("'S0'", "'s0'", "matched by id"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("outputs", "labels", "aspects", "says"),
    [
        (OUTPUTS, [], (), "no labels"),
        ([], [Label("s0", 1)], (), "no outputs"),
        (OUTPUTS, [Label("s0", 1, aspect="true")], ["ture"], "no labels of the aspect 'ture'; the labels have 'true'"),
    ],
)
def test_what_is_missing_altogether_is_an_error(outputs, labels, aspects, says):
    """The message says what there is instead."""
    with pytest.raises(BadInput, match=says):
        pair(ITEMS, outputs, labels, aspects=aspects)


def test_a_preference_is_the_difference_of_two_scores():
    """The second answer's minus the first's; a question's pairs belong together; given preferences need no scores."""
    labels = [Label("s0 vs s1", 2), Label("s2 vs s3", -1)]
    outputs = [*OUTPUTS, Output("s0 vs s1", "direct", -2.0)]
    (aspect,) = pair(ITEMS, outputs, labels)
    assert aspect.pairs
    assert aspect.questions == ("q0", "q1")
    m, direct = aspect.columns
    assert m.values.tolist() == [0.25, 0.25]
    assert of(direct, "s0 vs s1", aspect) == -2
    assert direct.missing == {"no output": 1}
    assert aspect.unlabeled.n == 0


def test_half_a_pair_is_no_preference():
    """The reason is that of the side without a value."""
    outputs = [Output("s0", "m", 0.1), Output("s1", "m", "failed"), Output("s2", "m", 0.1), Output("s3", "m", 0.1)]
    (aspect,) = pair(ITEMS, outputs, [Label("s0 vs s1", 2), Label("s2 vs s3", 0)])
    assert aspect.columns[0].missing == {"failed": 1}


def test_values_below_0_are_preferences_whatever_the_ids_are():
    """Judges that compare give the pair its own ID."""
    (aspect,) = pair({}, [Output("p1", "j", 1.0), Output("p2", "j", 0.0)], [Label("p1", -1), Label("p2", 0)])
    assert aspect.pairs
    assert aspect.columns[0].values.tolist() == [1, 0]


def test_an_id_may_have_the_word_in_it():
    """The ID is split where both halves are known."""
    known = {"cats vs dogs/1": 1, "cats vs dogs/2": 1}
    assert halves("cats vs dogs/1 vs cats vs dogs/2", known) == ("cats vs dogs/1", "cats vs dogs/2")
    assert halves("cats vs dogs/1", known) is None


def test_a_run_speaks_through_its_scores(tmp_path):
    """Only `ok` has a value; a sample without a question is a cluster of its own."""
    scores = [Scored("a", "m", Score(0.5)), Scored("b", "m", Score.declined("does not know"))]
    with Journal.open(tmp_path / "run", RunSettings(), signatures={"m": "m|judge:offline"}) as journal:
        for one in scores:
            journal.score(one)
    made = Origin("m", "offline")
    found = list(outputs_of_run(read_run(tmp_path / "run")))
    assert found == [Output("a", "m", 0.5, origin=made), Output("b", "m", "declined", origin=made)]
    assert place_of(Sample("a")).question != place_of(Sample("b")).question


FILES = {
    "long.jsonl": [
        {"item": "a", "judge": "gpt", "value": "yes"},
        {"item": "b", "judge": "gpt", "value": None},
        {"item": "a", "metric": "bem", "value": 0.25, "aspect": "true"},
        {"item": "b", "judge": "gpt", "value": "I cannot say"},
    ],
    "wide.jsonl": [
        {"id": "a", "question": "?", "gpt": "はい", "scores": {"bem": 0.25}},
        {"id": "b", "question": "?", "gpt": "I cannot say", "scores": {"bem": None}},
    ],
    "choices.jsonl": [
        {"item": "a", "judge": "gpt", "choice": "1"},
        {"item": "b", "judge": "gpt", "choice": "Tie"},
        {"item": "c", "judge": "gpt", "choice": "garbage"},
        {"item": "d", "judge": "gpt", "preference": "-2"},
    ],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "long.jsonl",
            [
                ("a", "gpt", 1.0, ""),
                ("b", "gpt", "undefined", ""),
                ("a", "bem", 0.25, "true"),
                ("b", "gpt", "unreadable", ""),
            ],
        ),
        (
            "wide.jsonl",
            [
                ("a", "gpt", 1.0, ""),
                ("a", "scores.bem", 0.25, ""),
                ("b", "gpt", "unreadable", ""),
                ("b", "scores.bem", "undefined", ""),
            ],
        ),
        (
            "choices.jsonl",
            [("a", "gpt", -1.0, ""), ("b", "gpt", 0.0, ""), ("c", "gpt", "unreadable", ""), ("d", "gpt", -2.0, "")],
        ),
    ],
)
def test_the_outputs_of_other_judges_are_read(tmp_path, name, expected):
    """Long or wide; text that is not a verdict is unreadable, and never a verdict."""
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in FILES[name]), "utf-8")
    assert [(o.item, o.metric, o.said, o.aspect) for o in read_outputs(path)] == expected


def test_each_metric_of_each_judge_is_apart(tmp_path):
    """A file with both columns: a judge's second metric does not replace the first, and a status is kept."""
    path = tmp_path / "j.jsonl"
    rows = [
        {"item": "a", "judge": "gpt", "metric": "correctness", "value": 4},
        {"item": "a", "judge": "gpt", "metric": "faithfulness", "value": 0.5},
        {"item": "b", "judge": "gpt", "metric": "correctness", "value": None, "status": "declined"},
        {"sample": "b", "metric": "rouge_l", "value": None, "status": "surprised"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert [(one.item, one.metric, one.said) for one in read_outputs(path)] == [
        ("a", "correctness · gpt", 4.0),
        ("a", "faithfulness · gpt", 0.5),
        ("b", "correctness · gpt", "declined"),
        ("b", "rouge_l", "undefined"),
    ]


def files(tmp_path, **contents):
    """Sources read from files with these outputs: item → value, all by one judge."""
    for name, values in contents.items():
        rows = [{"item": item, "judge": "j", "value": value} for item, value in values]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [read_source(tmp_path / f"{name}.jsonl", notify=[].append) for name in contents]


def test_equal_sources_are_merged_and_others_are_side_by_side(tmp_path):
    """In any order the names are the same, and no value is lost."""
    sources = files(tmp_path, a=[("s0", 1), ("s1", 0)], b=[("s0", 1), ("s1", 0)], c=[("s0", 0), ("s1", 0)])
    for order in permutations(sources):
        notices = []
        _, outputs = side_by_side(order, notify=notices.append)
        said = {(one.metric, one.item): one.said for one in outputs}
        first = "a" if order.index(sources[0]) < order.index(sources[1]) else "b"
        assert said == {
            (f"j · {first}.jsonl", "s0"): 1.0,
            (f"j · {first}.jsonl", "s1"): 0.0,
            ("j · c.jsonl", "s0"): 0.0,
            ("j · c.jsonl", "s1"): 0.0,
        }
        assert len(notices) == 1
    assert {one.metric for one in side_by_side(sources[:2], notify=notices.append)[1]} == {"j"}


def test_repeated_outputs_for_an_item_are_reported(tmp_path):
    """The last counts, as in a run, but with a note."""
    notices = []
    path = tmp_path / "j.jsonl"
    path.write_text('{"item": "a", "j": 1}\n{"item": "a", "j": 0}\n{"item": "a", "j": 0}\n')
    source = read_source(path, notify=notices.append)
    assert len(source.outputs) == 3
    assert notices == [f"{path}: 1 outputs differ from an earlier one of the same judge and item; the last counts"]


def test_a_table_of_judges_may_be_csv(tmp_path):
    """An empty cell is not a verdict."""
    path = tmp_path / "judges.csv"
    path.write_text("item,gpt,bem\na,1,0.5\nb,,○\n", "utf-8")
    assert [o.said for o in read_outputs(path)] == [1.0, 0.5, "undefined", 1.0]


def written(tmp_path, *rows):
    """A file of judges' outputs."""
    path = tmp_path / "j.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def test_text_columns_of_a_wide_file_are_no_judges(tmp_path):
    """Sample columns are recognized by name, comments by content; they are reported, and a poor judge stays."""
    rows = [
        {
            "item": f"s{n}",
            "User Input": "Why?",
            "response": "So.",
            "ground_truth": "yes",
            "comment": "1",
            "feedback": f"the {n}th is fine" if n else "yes",
            "gpt": n % 2,
            "poor": "?" if n % 5 else "1",
        }
        for n in range(20)
    ]
    notices = []
    found = list(read_outputs(written(tmp_path, *rows), notify=notices.append))
    assert {one.metric for one in found} == {"gpt", "poor"}
    assert sum(one.said == "unreadable" for one in found) == 16
    (note,) = notices
    assert "no columns of judges, as they hold neither numbers nor verdicts: feedback; --verdict-pattern" in note


@pytest.mark.parametrize(
    ("pattern", "replies", "expected"),
    [
        (
            r"Final score: ([0-5])",
            ["I began with Final score: 2.\nFinal score: 4.", "No idea.", None],
            [4, "unreadable", "undefined"],
        ),
        (r"評点[::]\s*(\d)", ["評点:3。理由は…", "評点は3"], [3, "unreadable"]),
        (r"\[\[(.*?)\]\]", ["[[True]]", "It is [[False]]", "[[maybe]]"], [1, 0, "unreadable"]),
        (r"\b([AB]|tie)\b", ["B", "The better one is A.", "a tie"], [1, -1, 0]),
        (r"(?:score (\d))|(?:grade (\d))", ["score 1", "grade 5"], [1, 5]),
        (r"\d(?= of 5)", ["4 of 5", 3], [4, 3]),
    ],
)
def test_a_pattern_reads_verdicts_out_of_raw_replies(tmp_path, pattern, replies, expected):
    """Long or wide; the last match counts, and a reply without one is unreadable, reported and never left out."""
    long = [{"item": f"s{n}", "judge": "gpt", "raw_reply": reply, "value": None} for n, reply in enumerate(replies)]
    wide = [{"item": f"s{n}", "gpt": reply} for n, reply in enumerate(replies)]
    for rows in (long, wide):
        notices = []
        found = list(read_outputs(written(tmp_path, *rows), pattern=pattern, notify=notices.append))
        assert [(one.item, one.metric, one.said) for one in found] == [
            (f"s{n}", "gpt", said) for n, said in enumerate(expected)
        ]
        assert any("no verdict in 1 of" in line for line in notices) == ("unreadable" in expected)


def test_1_and_2_name_an_answer_where_two_are_compared(tmp_path):
    """This applies to `ID vs ID`, or to a column declared as a choice; otherwise they are numbers."""
    pattern = r"Response (\d|tie)"
    replies = ["Response 1 is better", "Response 2", "Response tie", "Response 3"]
    rows = [{"item": f"{n}/a vs {n}/b", "judge": "j", "reply": reply} for n, reply in enumerate(replies)]
    wide = [{"item": row["item"], "j": row["reply"]} for row in rows]
    plain = [row | {"item": str(n)} for n, row in enumerate(rows)]
    expected = [-1.0, 1.0, 0.0, "unreadable"]
    assert [one.said for one in read_outputs(written(tmp_path, *rows), pattern=pattern)] == expected
    assert [one.said for one in read_outputs(written(tmp_path, *wide), pattern=pattern)] == expected
    chosen = read_outputs(written(tmp_path, *plain), columns={"choice": "reply"}, pattern=pattern)
    assert [one.said for one in chosen] == expected
    assert [one.said for one in read_outputs(written(tmp_path, *plain), pattern=pattern)] == [1.0, 2.0, 0.0, 3.0]


def test_replies_may_be_in_any_column_and_contradict_themselves(tmp_path):
    """A named value column is one judge's; the number of replies with several verdicts is reported."""
    rows = [{"key": n, "completion text": f"Maybe 1, or {n}."} for n in range(3)]
    notices = []
    columns = {"item": "key", "value": "completion text"}
    found = list(read_outputs(written(tmp_path, *rows), columns=columns, pattern=r"\d", notify=notices.append))
    assert [(one.item, one.metric, one.said) for one in found] == [(str(n), "completion text", n) for n in range(3)]
    assert "several different verdicts in 2 of 3 replies; the last one counts" in notices[-1]


@pytest.mark.parametrize(
    ("pattern", "says"), [("score: (", "not a regular expression"), ("score", "finds no verdict in any of 1 replies")]
)
def test_a_pattern_that_reads_nothing_is_an_error(tmp_path, pattern, says):
    """The message has the first reply, so that the pattern can be corrected."""
    with pytest.raises((BadInput, ConfigurationError), match=says):
        list(read_outputs(written(tmp_path, {"item": "a", "judge": "j", "value": "Grade: 4"}), pattern=pattern))


@pytest.mark.parametrize(
    ("text", "says"), [('{"item": "a"}', "no judge's outputs"), ('{"x": 1}', "no column for item"), ("", "no rows")]
)
def test_a_file_without_outputs_is_an_error(tmp_path, text, says):
    """The message says what was expected."""
    path = tmp_path / "j.jsonl"
    path.write_text(text + "\n" if text else "")
    with pytest.raises(BadInput, match=says):
        list(read_outputs(path))


def test_bad_rows_are_reported_and_left_out(tmp_path):
    """Each is reported with its position."""
    path = tmp_path / "j.jsonl"
    path.write_text('{"item": "a", "j": 1}\nnonsense\n{"item": null, "j": 1}\n')
    notices = []
    assert len(list(read_outputs(path, notify=notices.append))) == 1
    assert [line.split(" is left out")[0].rpartition("/")[2] for line in notices] == ["j.jsonl:2", "j.jsonl:3"]


def test_labels_that_are_marks_are_numbers_and_say_so():
    """Their value is the number of spans: the result has a note, unlike for grades."""
    marks = [Label(f"s{n}", float(n), "x", spans=(Span("a", 0, 1),) * n) for n in range(4)]
    grades = [Label(f"s{n}", float(n), "x") for n in range(4)]
    notes = [
        meta_evaluate(pair({}, [Output(f"s{n}", "m", float(n)) for n in range(4)], said)).aspects[0].notes
        for said in (marks, grades)
    ]
    assert "count marked spans" in str(notes[0][0])
    assert notes[1] == ()
