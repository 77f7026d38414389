"""The quality of a custom judge: figures by aspect, ungraded answers counted, the file read as written."""

import json
import random
from dataclasses import asdict, replace
from statistics import correlation

import pytest

from saiten.errors import BadInput, CallFailed, ConfigurationError, Unreadable
from saiten.judges.held_out import HeldOut
from saiten.judges.tuned import TunedAspect, TunedJudge, prompts_digest
from saiten.judges.tuned_folder import BEGUN, NAME, read_tuned, write_tuned
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import read_weights
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.held_out import held_out
from saiten.tuning.judge.judge_folder import begin, clean_up, completed, last_complete
from saiten.tuning.judge.overall import LEARNED, PUBLISHED, mate_weights
from saiten.tuning.splitting import held_out_questions
from saiten.views.tables.tuned_judge import tuned_judge_tables
from saiten.views.tuned_judge_card import card


def example(number, value=None, aspect="factuality"):
    """Two answers per question."""
    task = RateAspect(aspect, "?", "0: no", f"Q{number // 2}", f"A{number}", (0, 1, 2, 3), language="en")
    return GradedExample(str(number), f"Q{number // 2}", aspect, task, float(number % 4 if value is None else value))


class Grades:
    """A judge that grades one too high, and fails on given items."""

    def __init__(self, errors=()):
        self.errors = dict(errors)

    async def perform(self, task):
        number = int(task.answer.removeprefix("A"))
        if number in self.errors:
            raise self.errors[number]
        return Rating(reason="", grade=number % 4 + 1)


MEANS = {"factuality": 1.5, "formality": 1.5}


async def test_figures_by_aspect():
    """Pearson, distance, bias and the result of a constant, with intervals by question."""
    examples = [example(n, aspect=aspect) for n in range(24) for aspect in MEANS]
    found = await held_out(Grades(), examples, name="own", means=MEANS)
    assert [one.aspect for one in found.aspects] == ["factuality", "formality"]
    for one in found.aspects:
        assert (one.n, one.questions, one.unreadable, one.failed) == (24, 12, 0, 0)
        assert one.pearson.value == pytest.approx(1)
        assert (one.mae.value, one.bias.value, one.mae_of_mean.value) == (1, 1, 1)
    assert await held_out(Grades(), examples[::-1], name="own", means=MEANS) == found
    assert HeldOut.from_json(json.loads(json.dumps(asdict(found)))) == found


def test_remarks_saved_as_text_are_read():
    """As earlier versions saved them."""
    value = {"value": 1.0, "n": 2, "reason": None, "low": None, "high": None, "clusters": 1, "note": "one question"}
    row = {"name": "direct", "target": "overall", "n": 2, "questions": 1, "pearson": value}
    (one,) = HeldOut.from_json({"judge": "own", "aspects": [], "scores": [row]}).scores
    assert (one.pearson.value, str(one.pearson.note)) == (1.0, "one question")


async def test_answers_that_decline_are_in_no_figure():
    """Grade 0 of graded correctness, by people or by the judge, is counted, and left out as in all other figures."""
    people = [float(n % 6) for n in range(24)]
    examples = [
        GradedExample(
            f"{n:02}", f"Q{n // 2}", "correctness", GradeAnswer(f"Q{n // 2}", f"A{n}", ("R",), language="en"), value
        )
        for n, value in enumerate(people)
    ]

    class Grading:
        """One grade higher than the labels, and silent about every tenth answer."""

        async def perform(self, task):
            number = int(task.answer.removeprefix("A"))
            return Grade(feedback="", grade=0 if number % 10 == 1 else min(5, int(people[number]) + 1))

    found = await held_out(Grading(), examples, name="own", means={"correctness": 3.0})
    (one,) = found.aspects
    left = [n for n in range(24) if people[n] and n % 10 != 1]
    assert (one.n, one.declined, one.failed) == (len(left), 24 - len(left), 0)
    assert one.bias.value == pytest.approx(sum(min(5, people[n] + 1) - people[n] for n in left) / len(left))
    assert one.pearson.value == pytest.approx(
        correlation([min(5, people[n] + 1) for n in left], [people[n] for n in left])
    )
    assert HeldOut.from_json(json.loads(json.dumps(asdict(found)))) == found
    (table, *_) = tuned_judge_tables([found])
    assert f"{one.declined} declined (grade 0)" in str(table.rows[0][-1])


async def test_an_overall_grade_at_once_and_by_aspects():
    """Direct is the judge's own overall grade, MATE is w · f + 3 of its aspects; unreadable answers leave all rows."""
    rubric = read_rubric("")
    weights = {"formality": 0.5, "amount_info": 1.0, "factuality": 1.5}
    draw, made, said = random.Random(0), [], {}
    for n in range(40):
        grades = {
            "formality": draw.choice([-1, 0]),
            "amount_info": draw.choice([0, 1]),
            "factuality": draw.randint(0, 3),
        }
        parts = (-abs(grades["formality"]), -abs(grades["amount_info"]), (grades["factuality"] - 3) / 3)
        overall = 3 + sum(w * part for w, part in zip(weights.values(), parts, strict=True))
        for name, value in (*grades.items(), ("acceptability", overall)):
            aspect = rubric.aspect(name)
            task = RateAspect(name, "?", "…", f"Q{n // 2}", f"A{n}", tuple(aspect.values), language="en")
            made.append(GradedExample(str(n), f"Q{n // 2}", name, task, float(value)))
            said[f"A{n}", name] = draw.randint(0, 3) if name == "acceptability" else value

    class Judge:
        async def perform(self, task):
            if task.answer == "A39" and task.aspect == "formality":
                raise Unreadable("no", "raw")
            return Rating(reason="", grade=said[task.answer, task.aspect])

    inside, outside = made[:80], made[80:]
    found = mate_weights(inside, rubric)
    learned = {one.name: one.weight for one in found[LEARNED].aspects}
    assert learned == pytest.approx(weights)
    assert found[PUBLISHED] == read_weights()
    means = dict.fromkeys({one.aspect for one in made}, 1.0)
    result = await held_out(Judge(), outside, name="own", means=means, weights=found)
    direct, published, own = result.scores
    assert [(one.n, one.questions) for one in result.scores] == [(19, 10)] * 3
    assert own.pearson.value == pytest.approx(1)
    overall = {one.item: one.value for one in outside if one.aspect == "acceptability" and one.item != "39"}
    at_once = [said[f"A{item}", "acceptability"] for item in overall]
    assert direct.pearson.value == pytest.approx(correlation(at_once, list(overall.values())))
    mates = [read_weights().score({name: [said[f"A{item}", name]] for name in weights}) for item in overall]
    assert published.pearson.value == pytest.approx(correlation(mates, list(overall.values())))
    assert HeldOut.from_json(json.loads(json.dumps(asdict(result)))) == result
    assert mate_weights([one for one in inside if one.aspect != "formality"], rubric) == {}


async def test_what_cannot_be_graded_is_counted():
    """An unreadable reply and a failed call are in no figure, but are reported; with nothing left there is a reason."""
    errors = {0: Unreadable("no", "raw"), 1: CallFailed("gone"), 2: Unreadable("no", "raw")}
    steps = []
    found = await held_out(
        Grades(errors), [example(n) for n in range(8)], name="own", means=MEANS, step=lambda: steps.append(1)
    )
    assert [(one.n, one.unreadable, one.failed) for one in found.aspects] == [(5, 2, 1)]
    assert (found.n, len(steps)) == (5, 8)
    none = await held_out(Grades(errors), [example(n) for n in range(3)], name="own", means=MEANS)
    assert none.aspects[0].pearson.value is None
    assert str(none.aspects[0].mae.reason) == "no pairs"
    assert tuned_judge_tables([none])[0].rows[0][2] == 0


async def test_a_wrong_set_up_is_no_figure():
    """It stops everything."""
    with pytest.raises(ConfigurationError):
        await held_out(Grades({0: ConfigurationError("no model")}), [example(0)], name="own", means=MEANS)


async def an_own(**changes):
    """The contents of the file."""
    aspects = (TunedAspect("factuality", "rate_aspect", (0, 1, 2, 3), 1.5),)
    figures = await held_out(Grades(), [example(n) for n in range(24)], name="own", means=MEANS)
    made = TunedJudge(
        "chat", "base|`<b>`", "abc", aspects, "r:1", prompts_digest(aspects), "0123", 2, 24, 12, 3, {"seed": 0}, figures
    )
    return replace(made, **changes)


async def test_the_file_is_read_as_it_was_written(tmp_path):
    """It has all figures; an unfinished folder is not taken for a judge, nor is a damaged or a newer one."""
    own = await an_own(network={"length": 5}, notes=("left out 1",))
    assert read_tuned(tmp_path) is None
    begin(tmp_path, {"a": (1,)})
    with pytest.raises(ConfigurationError, match="not finished"):
        read_tuned(tmp_path)
    write_tuned(tmp_path, own)
    assert read_tuned(tmp_path) == own
    assert replace(own, base_held_out=own.held_out) != own
    for text, said in (("{", "cannot be read"), ("[]", "another kind"), ('{"kind": "saiten judge"}', "format None")):
        (tmp_path / NAME).write_text(text)
        with pytest.raises(ConfigurationError, match=said):
            read_tuned(tmp_path)
    (tmp_path / NAME).write_text('{"kind": "saiten judge", "format": 1, "head": "chat"}')
    with pytest.raises(ConfigurationError, match="damaged"):
        read_tuned(tmp_path)


async def test_other_prompts_are_reported():
    """A judge trained with other prompts is not the one that was measured; an encoder sees none."""
    assert (await an_own()).stale() is None
    assert "other prompts" in (await an_own(prompts="00000000")).stale()
    assert (await an_own(prompts="")).stale() is None


async def test_names_from_files_cannot_add_to_the_card():
    """Names from files become code on one line."""
    text = card(await an_own(base="evil`\n# Done\n<script>"), "my judge")
    assert "\n# Done" not in text
    assert "`evil' # Done <script>`" in text
    assert "--judge 'hf:my judge'" in text


def test_another_judge_is_refused(tmp_path):
    """The message says what differs; the same command resumes; temporary files are removed."""
    begin(tmp_path, {"options": {"epochs": 3}})
    begin(tmp_path, {"options": {"epochs": 3}})
    with pytest.raises(ConfigurationError, match=r"options\.epochs: was 3, is 4"):
        begin(tmp_path, {"options": {"epochs": 4}})
    (tmp_path / "training" / "checkpoint-1").mkdir()
    (tmp_path / "training" / "more").touch()
    clean_up(tmp_path)
    assert [path.name for path in (tmp_path / BEGUN).parent.iterdir()] == ["begun.json"]


def test_a_checkpoint_counts_once_it_is_whole(tmp_path):
    """What a kill left half-written is removed; the previous one goes only once the next is marked."""
    for step in (9, 10):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "weights").touch()
    assert last_complete(tmp_path) is None
    (tmp_path / "checkpoint-9").mkdir()
    completed(tmp_path, 9)
    (tmp_path / "checkpoint-100").mkdir()
    assert last_complete(tmp_path) == tmp_path / "checkpoint-9"
    assert not (tmp_path / "checkpoint-100").exists()
    (tmp_path / "checkpoint-11").mkdir()
    completed(tmp_path, 11)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-11"]


@pytest.mark.parametrize(("share", "count"), [(0.01, 2), (0.2, 4), (0.5, 10), (0.99, 18)])
def test_whole_questions_are_held_out(share, count):
    """The given share, at least two, with two left to learn from; order and duplicates do not matter."""
    questions = [f"Q{n}" for n in range(20)]
    found = held_out_questions(questions, 0, share)
    assert len(found) == count
    assert found == held_out_questions([*questions[::-1], *questions], 0, share)
    assert found != held_out_questions(questions, 1, share)
    with pytest.raises(BadInput, match="cover 9 questions"):
        held_out_questions(questions[:9], 0)
