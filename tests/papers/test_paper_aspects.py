"""`saiten paper aspects`: its tables with a scripted judge and labels of which each figure can be computed by hand."""

import json
import re
import signal
import time
from collections import Counter
from pathlib import Path
from statistics import correlation, fmean

import numpy as np
import pytest

from saiten.tuning.splitting import held_out_questions

ASPECTS = ("formality", "factuality", "amount_info")
OVERALL = "acceptability"
NAMES = (*ASPECTS, OVERALL)
WORST = {"formality": (-1, 1), "factuality": (0, 3), "amount_info": (-1, 1), "acceptability": (0, 3)}
PEOPLE = ("Aiko", "Ben", "Chika")
N = 20
ITEMS = [f"{system}{n}" for n in range(N) for system in "ab"]
PREFERRED = {0: (-1, -1, -1), 1: (-1, -1, 1), 2: (-1, 1, 0), 3: (1, 1, 1)}
"""By question modulo 4: each annotator's preference of b to a."""
METRICS = (
    *("rouge_1", "rouge_2", "rouge_l", "length"),
    *("bertscore[f1]", "perplexity[A]", "perplexity[QA]", "perplexity[RQA]"),
)
"""Those without a judge; the second line needs networks."""
PUBLISHED = {"formality": 0.335, "amount_info": 0.739, "factuality": 2.048}


def grade(item, aspect):
    """What people say of an answer, but for the third of them."""
    n, b = int(item[1:]), item[0] == "b"
    grades = {
        "formality": n % 3 - 1 if b else 0,
        "factuality": 3 - n % 4 if b else 3 - (n % 5 == 0),
        "amount_info": (n + b) % 3 - 1,
    }
    deduced = (abs(grades["formality"]) + 2 * abs(grades["amount_info"]) + 2 * (3 - grades["factuality"])) / 3
    return (grades | {OVERALL: max(round(3 - deduced), 0)})[aspect]


def judged(item, aspect):
    """What the judge says: as people do, but facts are one grade better, and the whole is off in one of three."""
    known = grade(item, aspect)
    if aspect == "factuality":
        return min(known + 1, 3)
    return known if aspect != OVERALL or int(item[1:]) % 3 else abs(known - 1)


def third(item, aspect):
    """What the third annotator says: the whole is never quite as good."""
    return max(grade(item, aspect) - 1, 0) if aspect == OVERALL else grade(item, aspect)


def mean(item, aspect):
    """People's mean."""
    return fmean((grade(item, aspect), grade(item, aspect), third(item, aspect)))


def mate(item, grades=judged, weights=PUBLISHED):
    """The score composed of the aspects."""
    costs = {name: abs(grades(item, name)) for name in ("formality", "amount_info")}
    costs["factuality"] = (3 - grades(item, "factuality")) / 3
    return 3 - sum(weights[name] * cost for name, cost in costs.items())


def labels(items=ITEMS, people=PEOPLE, aspects=NAMES):
    """One label per answer, aspect and annotator."""
    return [
        {"item": item, "aspect": aspect, "annotator": who, "value": (third if who == "Chika" else grade)(item, aspect)}
        for item in items
        for aspect in aspects
        for who in people
    ]


def preferences(people=PEOPLE):
    """The first annotator finds both answers bad where everybody prefers b."""
    pairs = [
        {
            "item": f"a{n} vs b{n}",
            "aspect": "preference",
            "annotator": who,
            "value": PREFERRED[n % 4][PEOPLE.index(who)],
        }
        for n in range(N)
        for who in people
    ]
    bad = [f"{system}{n}" for n in range(3, N, 4) for system in "ab"]
    return pairs + [{"item": item, "aspect": "good", "annotator": "Aiko", "value": 0} for item in bad]


def outputs():
    """The grades of another judge, which has no grade of formality for one answer."""
    return [
        {"item": item, "judge": "gpt-4", "aspect": aspect, "value": grade(item, aspect)}
        for item in ITEMS
        for aspect in NAMES
        if (item, aspect) != ("a0", "formality")
    ]


def answers(**more):
    """Two answers per question; one of four references is the answer itself."""
    return [
        {"id": item, "question": f"What is part {item[1:]}?", "answer": f"Part <{item}> is a part, red and heavy.",
         "system": item[0], "reference": f"Part {item[1:]} is red."} | more
        for item in ITEMS
    ]  # fmt: skip


def write(name, rows):
    """Write a file of the folder, or remove it."""
    path = Path("mine") / f"{name}.jsonl"
    if rows is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def mine(somewhere):
    """A folder with all four files."""
    (somewhere / "mine").mkdir()
    for name, rows in {
        "answers": answers(), "labels": labels(), "preferences": preferences(), "judges": outputs()
    }.items():  # fmt: skip
        write(name, rows)
    return somewhere / "mine"


def scripted(asked):
    """The judge's grades; model `flat` says 0 always, and with a seed above 1 formality is 0."""
    aspect = asked.text.partition("<aspect>\n")[2].partition("\n")[0]
    if not aspect:
        return None
    item = re.findall(r"Part <(\w+)>", asked.text)[-1]
    said = judged(item, aspect)
    if asked.body["model"] == "flat" or (aspect == "formality" and asked.body.get("seed", 1) > 1):
        said = 0
    return json.dumps({"reason": "Because.", "grade": said})


@pytest.fixture
def paper(saiten, openai_server):
    """`paper(*options, models=("m",))`: the tables, without the judges' addresses."""
    openai_server.reply = scripted

    def run(*more, models=("m",), status=0):
        judges = [word for model in models for word in ("--judge", f"openai:{model}@{openai_server.base_url}")]
        said = saiten("paper", "aspects", "mine", *judges, *more, "--format", "json")
        assert said.status == status, said
        return json.loads(said.out.replace(f"@{openai_server.base_url}", ""))

    return run


def table(tables, title):
    """The table whose title begins like this, without a remark where there is a value."""
    (rows,) = (rows for name, rows in tables.items() if name.startswith(title))
    return rows


def row(rows, **cells):
    """The row with these cells."""
    (found,) = (each for each in rows if all(each[name] == cell for name, cell in cells.items()))
    return found


def is_within(row, column):
    """Whether a value is in its interval."""
    return row[f"{column} from"] <= row[column] <= row[f"{column} to"]


@pytest.mark.usefixtures("mine")
def test_the_tables_come_in_the_order_of_the_text(paper):
    """Everything that the text shows, then what it leaves to the reader: the bias by aspect."""
    assert list(paper()) == [
        "Figure 3 · preferred system",
        "Figure 4 · people's grades by aspect and system",
        "Table 1 · means by system",
        "Table 1 · correlation with people's acceptability",
        "Held out · direct against MATE",
        "Figure 6 · how many annotators prefer the same answer",
        "Agreement · kappa among annotators",
        "Weights · learned again",
        "Weights · on held-out questions",
        "Bias · judge minus people by aspect",
    ]


@pytest.mark.usefixtures("mine")
def test_figure_3_counts_questions_and_votes(paper):
    """A is preferred in ten questions, b in five, and in five each has a vote and a half."""
    rows = table(paper(), "Figure 3")
    assert list(rows[0]) == [
        "system", "questions", "preferred in", "preferred in from", "preferred in to", "tied in", "votes",
        "share of votes", "share of votes from", "share of votes to", "none is good", "of the preferred",
    ]  # fmt: skip
    a, b, every = rows
    assert (a["system"], a["questions"], a["preferred in"], a["tied in"], a["votes"]) == ("a", 20, 0.5, 0.25, 60)
    assert (b["system"], b["questions"], b["preferred in"], b["tied in"], b["votes"]) == ("b", 20, 0.25, 0.25, 60)
    assert (a["share of votes"], b["share of votes"]) == (pytest.approx(32.5 / 60), pytest.approx(27.5 / 60))
    assert (a["none is good"], b["none is good"]) == (0, pytest.approx(5 / 27.5))
    won = [f"a{n}" for n in range(N) if n % 4 < 2]
    top = fmean((grade(item, OVERALL) == 3) * 2 / 3 + (third(item, OVERALL) == 3) / 3 for item in won)
    assert a["of the preferred"] == pytest.approx(top)
    assert (every["system"], every["questions"], every["tied in"], every["votes"]) == ("all", 20, 0.25, 60)
    assert every["none is good"] == pytest.approx(5 / 60)
    assert all(is_within(each, name) for each in (a, b) for name in ("preferred in", "share of votes"))


@pytest.mark.usefixtures("mine")
def test_the_most_votes_win_and_need_no_majority(saiten):
    """One of three annotators prefers a, and two tie: a wins with two votes; the note says how."""
    said = [
        {"item": f"a{n} vs b{n}", "aspect": "preference", "annotator": who, "value": -(who == "Aiko")}
        for n in range(N)
        for who in PEOPLE
    ]
    write("preferences", said)
    printed = saiten("paper", "aspects", "mine", "--format", "json")
    rows = table(json.loads(printed.out), "Figure 3")
    assert [(each["system"], each["preferred in"]) for each in rows] == [("a", 1), ("b", 0), ("all", None)]
    note = saiten("paper", "aspects", "mine", "--results", "--format", "md").out.partition("Figure 3")[2]
    assert "more votes than any other; it needs no majority" in note.partition("###")[0]


@pytest.mark.usefixtures("mine")
def test_systems_have_the_same_order_in_every_table(paper):
    """By name, although b is preferred."""
    write("preferences", [each | {"value": 1} for each in preferences() if each["aspect"] == "preference"])
    tables = paper()
    assert table(tables, "Figure 3")[1]["preferred in"] == 1
    for title in ("Figure 3", "Figure 4"):
        assert [each["system"] for each in table(tables, title)][:3] == ["a", "b", "all"]
    assert list(table(tables, "Table 1 · means")[0])[2:5] == ["a", "b", "all"]


@pytest.mark.usefixtures("mine")
def test_preferences_without_a_good_answer_can_be_left_out(paper):
    """`--none-good left-out` leaves five votes for b out of figure 3, and none out of figure 6."""
    tables = paper("--none-good", "left-out")
    _, b, every = table(tables, "Figure 3")
    assert (b["votes"], b["share of votes"], b["none is good"]) == (55, pytest.approx(22.5 / 55), 0)
    assert every["votes"] == 55
    assert sum(each["questions"] for each in table(tables, "Figure 6")) == N


@pytest.mark.usefixtures("mine")
def test_figure_4_has_the_share_of_each_grade(paper):
    """Per aspect and system, each annotator's grade counted once; grades that an aspect lacks are dashes."""
    rows = table(paper(), "Figure 4")
    assert list(rows[0]) == [
        "aspect", "system", "labels", "-1", "0", "1", "2", "3", "best grade", "share with it", "share with it from",
        "share with it to", "remarks",
    ]  # fmt: skip
    assert [(each["aspect"], each["system"]) for each in rows] == [(x, y) for x in NAMES for y in ("a", "b", "all")]
    for each in rows:
        items = [item for item in ITEMS if each["system"] in (item[0], "all")]
        aspect, (low, high) = each["aspect"], WORST[each["aspect"]]
        given = Counter(of(item, aspect) for item in items for of in (grade, grade, third))
        assert each["labels"] == 3 * len(items)
        for value in range(-1, 4):
            known = given[value] / given.total() if low <= value <= high else None
            assert each[str(value)] == (known if known is None else pytest.approx(known))
        assert each["best grade"] == (0 if low else 3)
        assert each["share with it"] == each[str(each["best grade"])]
        assert each["remarks"] if each["share with it from"] is None else is_within(each, "share with it")


@pytest.mark.usefixtures("mine")
def test_table_1_has_the_means_of_people_judges_and_metrics(paper):
    """Per system and over all answers, people's aspects first."""
    rows = table(paper(models=("m", "flat")), "Table 1 · means")
    assert list(rows[0]) == ["metric", "rated by", "a", "b", "all", "all from", "all to", "n", "remarks"]
    judges = ("openai:m", "openai:flat", "gpt-4")
    assert [(each["metric"], each["rated by"]) for each in rows] == [
        *((aspect, by) for aspect in ASPECTS for by in ("people", *judges)),
        (OVERALL, "people"),
        *((metric, by) for by in judges for metric in ("direct", "mate")),
        *((metric, "–") for metric in METRICS),
    ]
    known = {
        **{(aspect, "people"): mean for aspect in NAMES},
        **{(aspect, "openai:m"): judged for aspect in ASPECTS},
        ("direct", "openai:m"): lambda item, _: judged(item, OVERALL),
        ("mate", "openai:m"): lambda item, _: mate(item),
        ("direct", "gpt-4"): lambda item, _: grade(item, OVERALL),
        ("direct", "openai:flat"): lambda *_: 0,
    }
    for (metric, by), of in known.items():
        found = row(rows, metric=metric, **{"rated by": by})
        for system, items in {"a": ITEMS[::2], "b": ITEMS[1::2], "all": ITEMS}.items():
            assert found[system] == pytest.approx(fmean(of(item, metric) for item in items))
        assert found["n"] == 40
    assert row(rows, metric="mate", **{"rated by": "gpt-4"})["n"] == 39  # it rated one answer's formality not at all
    assert row(rows, metric="rouge_l", **{"rated by": "–"})["n"] == 40


@pytest.mark.usefixtures("mine")
def test_table_1_has_the_correlations_with_peoples_acceptability(paper):
    """Direct, MATE and each metric; a judge that always says the same has none, with the reason."""
    rows = table(paper(models=("m", "flat")), "Table 1 · correlation")
    assert list(rows[0]) == ["metric", "rated by", "Pearson", "Pearson from", "Pearson to", "n", "questions", "remarks"]
    assert [(each["metric"], each["rated by"]) for each in rows] == [
        *((metric, by) for by in ("openai:m", "openai:flat", "gpt-4") for metric in ("direct", "mate")),
        *((metric, "–") for metric in METRICS),
    ]
    people = [mean(item, OVERALL) for item in ITEMS]
    direct, composed, flat = rows[:3]
    assert direct["Pearson"] == pytest.approx(correlation([judged(item, OVERALL) for item in ITEMS], people))
    assert composed["Pearson"] == pytest.approx(correlation([mate(item) for item in ITEMS], people))
    assert (flat["Pearson"], flat["n"], "always gives the same value" in flat["remarks"]) == (None, 40, True)
    assert (direct["n"], direct["questions"]) == (40, 20)
    assert all(is_within(each, "Pearson") for each in rows if each["Pearson"] is not None)
    hints = [each["remarks"] for each in rows[-4:]]
    assert hints == [f"not measured; add {option} MODEL" for option in ("--bertscore", *["--perplexity"] * 3)]


@pytest.mark.usefixtures("mine")
def test_held_out_questions_compare_direct_with_mate(paper):
    """Whole questions are held out, and MATE has the published weights and those learned from the others."""
    rows = table(paper("--held-out", "0.3"), "Held out")
    assert list(rows[0]) == [
        "judge", "metric", "Pearson", "Pearson from", "Pearson to", "n", "questions", "above direct",
        "above direct from", "above direct to", "p", "remarks",
    ]  # fmt: skip
    assert [(each["judge"], each["metric"]) for each in rows] == [
        (judge, metric) for judge in ("openai:m", "gpt-4") for metric in ("direct", "mate", "mate, learned weights")
    ]
    held = held_out_questions({each["question"] for each in answers()}, 0, 0.3)
    items = [each["id"] for each in answers() if each["question"] in held]
    weights = learned([item for item in ITEMS if item not in items])
    known = {
        "direct": [judged(item, OVERALL) for item in items],
        "mate": [mate(item) for item in items],
        "mate, learned weights": [mate(item, weights=weights) for item in items],
    }
    people = [mean(item, OVERALL) for item in items]
    for each in rows[:3]:
        assert each["Pearson"] == pytest.approx(correlation(known[each["metric"]], people))
        assert (each["n"], each["questions"]) == (12, 6)
    for each in rows[1:3]:
        assert each["above direct"] == pytest.approx(each["Pearson"] - rows[0]["Pearson"])
        assert is_within(each, "above direct")
        assert 0 < each["p"] <= 1


def learned(items):
    """The weights that explain people's overall grade of these answers by their aspects."""
    names = list(PUBLISHED)
    deductions = [
        [mate(item, grade, {each: -(each == name) for each in names}) - 3 for name in names] for item in items
    ]
    fit, *_ = np.linalg.lstsq(-np.array(deductions), [mean(item, OVERALL) - 3 for item in items], rcond=None)
    return dict(zip(names, fit.tolist(), strict=True))


@pytest.mark.usefixtures("mine")
def test_figure_6_counts_the_questions_on_which_annotators_agree(paper):
    """All three in ten, two in five, none in five."""
    assert [tuple(each.values())[:4] for each in table(paper(), "Figure 6")] == [
        (3, "all", 10, 0.5), (3, "2", 5, 0.25), (3, "none", 5, 0.25)
    ]  # fmt: skip


@pytest.mark.usefixtures("mine")
def test_the_kappa_among_annotators_is_by_aspect(paper):
    """Two agree on all; the third does so but for the whole, which gets the mean of 1 and twice the same kappa."""
    rows = table(paper(), "Agreement")
    assert list(rows[0]) == [
        "aspect", "annotators", "n",
        *(f"{figure}{end}" for figure in ("percent", "kappa", "kappa, quadratic") for end in ("", " from", " to")),
        "remarks",
    ]  # fmt: skip
    assert [each["aspect"] for each in rows] == [*NAMES, "preference"]
    for each in rows[:3]:
        assert (each["annotators"], each["n"], each["percent"], each["kappa"]) == (3, 40, 1, 1)
    said = [[of(item, OVERALL) for item in ITEMS] for of in (grade, third)]
    same = fmean(one == other for one, other in zip(*said, strict=True))
    counts = [Counter(each) for each in said]
    chance = sum(counts[0][value] * counts[1][value] for value in range(4)) / len(ITEMS) ** 2
    whole, preference = rows[3:]
    assert whole["percent"] == pytest.approx((1 + 2 * same) / 3)
    assert whole["kappa"] == pytest.approx((1 + 2 * (same - chance) / (1 - chance)) / 3)
    assert (preference["n"], preference["percent"]) == (N, pytest.approx((1 + 1 / 3 + 0 + 1) / 4))
    assert all(is_within(each, name) for each in (whole, preference) for name in ("percent", "kappa"))


@pytest.mark.usefixtures("mine")
def test_weights_are_those_of_peoples_grades(paper):
    """Least squares over the means of annotators without a fifth of the questions, beside the published ones."""
    tables = paper()
    rows = table(tables, "Weights · learned")
    held = held_out_questions({each["question"] for each in answers()}, 0)
    known = learned([each["id"] for each in answers() if each["question"] not in held])
    assert [(each["aspect"], each["published"]) for each in rows] == list(PUBLISHED.items())
    for each in rows:
        assert each["weight"] == pytest.approx(known[each["aspect"]])
        assert is_within(each, "weight")
        inside = each["weight from"] <= each["published"] <= each["weight to"]
        assert each["published within the interval"] == inside
    (held,) = table(tables, "Weights · on held-out")
    assert (held["n"], held["questions"], held["published"]) == (8, 4, 0.853)


@pytest.mark.usefixtures("mine")
def test_the_bias_is_judge_minus_people(paper):
    """Per aspect and judge; facts are overrated by the judge, and nothing by one that says what people say."""
    rows = table(paper(), "Bias")
    assert [(each["aspect"], each["judge"]) for each in rows] == [(x, y) for x in NAMES for y in ("openai:m", "gpt-4")]
    facts = row(rows, aspect="factuality", judge="openai:m")
    known = fmean(judged(item, "factuality") - mean(item, "factuality") for item in ITEMS)
    assert facts["judge - people"] == pytest.approx(known)
    assert facts["judge - people"] > 0
    assert row(rows, aspect="factuality", judge="gpt-4")["judge - people"] == 0


def test_the_samples_recover_the_published_weights(saiten, somewhere):
    """Simulated people weigh as published: each weight is in its interval, and the offline design ends well."""
    assert saiten("paper", "aspects", "mine", "--samples").status == 0
    annotators = {json.loads(line)["annotator"] for line in Path("mine/labels.jsonl").read_text("utf-8").splitlines()}
    assert all(name.startswith("simulated") for name in annotators)
    said = saiten("paper", "aspects", "mine", "--format", "json")
    assert said.status == 0, said
    tables = json.loads(said.out)
    rows = table(tables, "Weights · learned")
    assert [each["published"] for each in rows] == [0.335, 0.739, 2.048]
    assert all(each["published within the interval"] for each in rows)
    for each in table(tables, "Table 1 · correlation"):
        assert each["Pearson"] is not None or each["remarks"]
    assert (somewhere / "runs" / "paper-aspects" / "report.html").is_file()


@pytest.mark.usefixtures("mine")
def test_votes_are_averaged(paper, openai_server):
    """`--votes 3` asks three times; a vote with another seed says 0 to formality."""
    tables = paper("--votes", "3")
    asked = [each for each in openai_server.requests if "<aspect>" in each.text]
    assert len(asked) == 40 * 4 * 3
    found = row(table(tables, "Table 1 · means"), metric="formality", **{"rated by": "openai:m"})
    assert found["all"] == pytest.approx(fmean(judged(item, "formality") for item in ITEMS) / 3)


EDGES = {
    "no preferences": {"preferences": None, "judges": None},
    "one annotator": {"labels": labels(people=("Aiko",)), "preferences": preferences(("Aiko",))},
    "labels of one system": {"labels": labels(ITEMS[::2])},
    "constant grades": {"labels": [each | {"value": 0} for each in labels()]},
    "one aspect": {"labels": labels(aspects=(OVERALL,))},
    "few questions": {"labels": labels(ITEMS[:8])},
    "no systems": {"answers": [{k: v for k, v in each.items() if k != "system"} for each in answers()]},
}


@pytest.fixture(params=EDGES)
def edge(request, mine):
    """A folder in which something is missing."""
    for name, rows in EDGES[request.param].items():
        write(name, rows)
    return request.param


def test_no_row_disappears_in_an_edge_case(edge, paper):
    """A value that cannot be is a dash with its reason, and every other table is whole."""
    tables = paper()
    assert len(tables) == (8 if edge == "no preferences" else 10)
    for each in table(tables, "Table 1 · correlation") + table(tables, "Bias") + table(tables, "Held out"):
        value = next(each[name] for name in ("Pearson", "judge - people") if name in each)
        assert value is not None or each["remarks"], each
    assert len(table(tables, "Figure 4")) == (4 if edge == "no systems" else 12)
    assert len(table(tables, "Table 1 · correlation")) == (10 if edge == "no preferences" else 12)
    judges = 1 if edge == "no preferences" else 2
    assert len(table(tables, "Held out")) in {2 * judges, 3 * judges}
    assert [each["aspect"] for each in table(tables, "Weights · learned")] == list(PUBLISHED)
    correlations = [each["Pearson"] for each in table(tables, "Table 1 · correlation")]
    if edge == "constant grades":
        assert set(correlations) == {None}
    else:
        assert correlations[0] is not None
    agreed = table(tables, "Agreement")
    assert len(agreed) == (4 if edge == "no preferences" else 5)
    assert all(each["kappa"] is not None or each["remarks"] for each in agreed)
    if edge == "one annotator":
        assert [each["questions"] for each in table(tables, "Figure 6")] == [None]
        assert table(tables, "Figure 3")[0]["votes"] == N
    if edge == "labels of one system":
        assert row(table(tables, "Figure 4"), aspect=OVERALL, system="b")["labels"] == 0
        assert row(table(tables, "Table 1 · means"), metric=OVERALL)["b"] is None


def test_the_reasons_are_said(mine, saiten):
    """On a terminal, below the table."""
    write("preferences", preferences(("Aiko",)))
    write("labels", labels(ITEMS[:8]))
    said = saiten("paper", "aspects", mine, "--format", "md")
    assert said.status in {0, 6}, said
    assert "No question has preferences of two annotators." in said.out
    assert "at least 10 are needed" in said.out


def test_everything_is_shown_in_japanese(mine, saiten):
    """Titles, columns and reasons; the report is Japanese, too."""
    said = saiten("--lang", "ja", "paper", "aspects", mine, "--format", "md")
    assert said.status in {0, 6}, said
    for part in ("図3 · ", "図4 · ", "表1 · ", "図6 · ", "重み · ", "人"):
        assert part in said.out
    assert "図6 · " in Path("runs/paper-aspects/report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--perplexity", "./absent"), "perplexity"),
        (("--bertscore", "./absent"), "bertscore"),
        (("--base", "./absent"), "./absent: there is no such folder"),
        (("--votes", "0"), "--votes"),
        (("--held-out", "1"), "--held-out"),
        (("--none-good", "maybe"), "--none-good"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_run(mine, saiten, options, reason):
    """No folder of results is made."""
    said = saiten("paper", "aspects", mine, *options)
    assert (said.status, reason in said.err) == (2, True), said
    assert not Path("runs").exists()


def test_columns_named_in_the_configuration_change_no_figure(mine, somewhere, saiten):
    """Questions group the answers for intervals, preferences and held-out questions, whatever their column is called."""
    plain = saiten("paper", "aspects", "mine", "-o", "one", "--format", "json")
    write("answers", [{("q" if name == "question" else name): row[name] for name in row} for row in answers()])
    (somewhere / "saiten.toml").write_text('column = ["question=q"]\n')
    named = saiten("paper", "aspects", "mine", "-o", "two", "--format", "json")
    assert (plain.status, named.status) == (0, 0), named
    assert json.loads(named.out) == json.loads(plain.out)


@pytest.mark.usefixtures("mine")
def test_a_dry_run_counts_the_calls_of_each_judge(paper, openai_server):
    """Four aspects of 40 answers, three votes each; nothing is sent."""
    (rows,) = paper("--dry-run", "--votes", "3", models=("m", "n")).values()
    assert [each["calls, at least"] for each in rows] == [0, 480, 480, 960]
    assert openai_server.requests == []


def test_what_is_missing_is_listed_at_once(somewhere, saiten):
    """All four files, with what cannot be made without the optional ones."""
    (somewhere / "mine").mkdir()
    said = saiten("paper", "aspects", "mine")
    assert said.status == 2
    for part in ("lacks what the design needs: answers, labels", "figure 3", "figure 6", "rows of other judges"):
        assert part in said.err


@pytest.mark.usefixtures("mine")
def test_a_design_stopped_by_its_budget_goes_on_and_repeats_no_call(paper, openai_server):
    """After 200 of 320 calls of two judges the tables are made of what is there; the second run asks the rest."""
    paper("--max-calls", "200", models=("m", "n"), status=3)
    assert len(openai_server.requests) <= 200
    tables = paper(models=("m", "n"))
    asked = Counter((each.body["model"], each.text) for each in openai_server.requests if "<aspect>" in each.text)
    assert (len(asked), set(asked.values())) == (320, {1})
    assert row(table(tables, "Table 1 · correlation"), metric="mate", **{"rated by": "openai:n"})["n"] == 40
    made = len(openai_server.requests)
    assert paper(models=("m", "n")) == tables
    assert len(openai_server.requests) == made


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_a_killed_design_resumes(process, paper, openai_server):
    """Killed while the judge rates: no answer that was kept is asked for again, and the tables are complete."""
    openai_server.reply = scripted
    running = process("paper", "aspects", "mine", "--judge", f"openai:m@{openai_server.base_url}", "--concurrency", "2")
    kept, until = Path("runs/paper-aspects"), time.monotonic() + 60
    while not sum(path.read_bytes().count(b"\n") for path in kept.glob("openai*/scores.jsonl")) > 20:
        assert time.monotonic() < until, "nothing was rated"
        assert running.poll() is None, running.communicate()
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    tables = paper()
    asked = Counter(each.text for each in openai_server.requests if "<aspect>" in each.text)
    assert len(asked) == 160
    assert sum(asked.values()) <= 160 + 2 * 2  # what was in flight when it was killed
    assert {each["n"] for each in table(tables, "Table 1 · correlation") if each["rated by"] == "openai:m"} == {40}
