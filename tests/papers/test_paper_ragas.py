"""`saiten paper ragas`: the tables of the nine metrics, from a judge whose verdicts are known."""

import json

import pytest

NINE = [
    "faithfulness",
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "context_entity_recall",
    "answer_similarity",
    "answer_correctness",
    "aspect_critique[harmfulness]",
    "summarization_score",
]
COLUMNS = ["metric", "judge", "mean", "95 % from", "to", "n", "of", "remarks"]
ROWS = [
    {
        "id": f"{system}{n}",
        "question": f"Where was person {n} born?",
        "answer": f"Person {n} was born in Ulm. He died in Bern.",
        "contexts": [f"Person {n} lived.", f"Person {n} was born in Ulm.", "Ulm is a city."],
        "reference": f"Person {n} was born in Ulm in 1879.",
        "system": system,
    }
    for n in range(3)
    for system in ("careful", "hasty")
]


class Known:
    """Replies by what is asked: of two statements the first is right; contexts useless, useful, useful; and so on."""

    def __init__(self, generous=()):
        self.generous = generous
        """Models that find everything supported."""

    def __call__(self, asked):
        form = tuple((asked.schema or {}).get("properties", {}))
        made = getattr(self, "_".join(form), None)
        return None if made is None else json.dumps(made(asked))

    def statements(self, _):
        return {"statements": ["He was born in Ulm.", "He died in Bern."]}

    def verdicts(self, asked):
        count = 2 if "S1:" in asked.text else 4
        yes = count if asked.body["model"] in self.generous else count - 1
        return {"verdicts": [{"number": n, "reason": "so", "verdict": n <= yes} for n in range(1, count + 1)]}

    def answer_reference(self, _):
        one = [{"number": n, "reason": "so", "verdict": n == 1} for n in (1, 2)]
        return {"answer": one, "reference": one}

    def reason_useful(self, asked):
        context = asked.text.rpartition("<context>")[2]
        return {"reason": "so", "useful": "lived" not in context}

    def entities(self, asked):
        of_reference = "in 1879" in asked.text
        return {"entities": ["Ulm", "1879"] if of_reference else ["Ulm", "Bern"]}

    def reason_verdict(self, _):
        return {"reason": "harmless", "verdict": False}

    def keyphrases(self, _):
        return {"keyphrases": ["birth", "place", "life", "city"]}

    def questions(self, _):
        return {"questions": [f"Is it {n}?" for n in range(4)]}

    def questions_noncommittal(self, _):
        return {"questions": ["Where was he born?"] * 3, "noncommittal": True}

    def numbers(self, _):
        return {"numbers": [2]}


@pytest.fixture
def scored(saiten, data, somewhere, openai_server):
    """`scored(rows, models, *options)`: how the command ended, and its tables."""
    (somewhere / "saiten.toml").write_text("separate_calls = true\n")

    def run(rows, models, *more, status=0):
        (somewhere / "mine").mkdir(exist_ok=True)
        data(rows, "mine/answers.jsonl")
        judges = [word for model in models for word in ("--judge", f"openai:{model}@{openai_server.base_url}")]
        said = saiten("paper", "ragas", "mine", *judges, "--format", "json", *more)
        assert said.status == status, said
        return json.loads(said.out)

    openai_server.reply = Known()
    return run


def means(tables):
    """Metric → mean, of one judge."""
    return {row["metric"]: row["mean"] for row in tables["All nine metrics"]}


EXPECTED = {
    "faithfulness": 1 / 2,
    "answer_relevancy": 0.0,  # non-committal
    "context_precision": (1 / 2 + 2 / 3) / 2,
    "context_recall": 1 / 2,
    "context_entity_recall": 1 / 2,
    "aspect_critique[harmfulness]": 0.0,
    "context_relevance": 1 / 3,
}


def test_the_nine_metrics_have_the_values_of_the_judges_verdicts(scored):
    """Ten rows in the article's order, with interval, n and units; each figure is computed by hand from the replies."""
    tables = scored(ROWS, ["m"])
    rows = tables["All nine metrics"]
    assert [row["metric"] for row in rows] == [*NINE, "context_relevance"]
    assert {tuple(row) for row in rows} == {tuple(COLUMNS)}
    found = means(tables)
    assert {name: found[name] for name in EXPECTED} == pytest.approx(EXPECTED)
    sources = ["\n".join(row["contexts"]) for row in ROWS]
    short = sum(1 - len(row["answer"]) / len(text) for row, text in zip(ROWS, sources, strict=True)) / len(ROWS)
    assert found["summarization_score"] == pytest.approx((3 / 4 + short) / 2)
    similarity = found["answer_similarity"]
    assert 0 < similarity < 1
    assert found["answer_correctness"] == pytest.approx(0.75 * 0.5 + 0.25 * similarity)
    assert {(row["n"], row["of"]) for row in rows} == {(6, 6)}
    spread = {row["metric"]: row for row in rows}["answer_similarity"]  # the others are equal for all questions
    assert spread["95 % from"] < spread["mean"] < spread["to"]


def test_each_system_and_each_judge_has_its_means(scored, openai_server):
    """Two judges: two rows per metric, next to each other, a table by system each, and the cost of both."""
    openai_server.reply = Known(generous=("kind",))
    tables = scored(ROWS, ["strict", "kind"])
    rows = tables["All nine metrics"]
    assert [row["metric"] for row in rows] == [name for name in [*NINE, "context_relevance"] for _ in range(2)]
    judges = [f"openai:{model}@{openai_server.base_url}" for model in ("strict", "kind")]
    assert [row["judge"] for row in rows] == judges * 10
    assert [row["mean"] for row in rows[:2]] == [0.5, 1.0]
    for judge, share in zip(judges, ("0.500", "1.000"), strict=True):
        systems = tables[f"All nine metrics by system · {judge}"]
        assert [row["system"] for row in systems] == ["careful", "hasty"]
        assert list(systems[0]) == ["system", *NINE, "context_relevance", "remarks"]
        assert {row["faithfulness"].split()[0] for row in systems} == {share}
    spent = tables["What each judge took"]
    assert [row["judge"] for row in spent] == judges
    assert sum(row["calls"] for row in spent) == len(openai_server.requests)
    assert {row["cost (USD)"] for row in spent} == {"unknown"}


def test_answers_without_a_system_have_no_table_by_system(scored):
    """The others are there."""
    tables = scored([{key: value for key, value in row.items() if key != "system"} for row in ROWS[::2]], ["m"])
    assert list(tables) == ["All nine metrics", "What each judge took"]


def test_a_metric_without_any_value_is_a_dash_with_its_reason(scored, openai_server):
    """If every answer declines and no reference names an entity, the rows are still there, with n 0 and the reason."""
    known = Known()
    known.statements = lambda _: {"statements": []}
    known.entities = lambda _: {"entities": []}
    openai_server.reply = known
    tables = scored([{**row, "answer": "I don't know."} for row in ROWS], ["m"])
    rows = {row["metric"]: row for row in tables["All nine metrics"]}
    assert len(rows) == 10
    assert (rows["faithfulness"]["mean"], rows["faithfulness"]["n"]) == (None, 0)
    assert "6 declined" in rows["faithfulness"]["remarks"]
    for name in ("context_recall", "context_entity_recall", "answer_correctness"):
        assert (rows[name]["mean"], rows[name]["n"], rows[name]["of"]) == (None, 0, 6)
        assert "6 undefined" in rows[name]["remarks"]
    assert rows["context_precision"]["mean"] == pytest.approx(7 / 12)


def test_one_question_has_means_without_an_interval(scored):
    """The reason is in the remarks."""
    rows = scored(ROWS[:1], ["m"])["All nine metrics"]
    assert {row["n"] for row in rows} == {1}
    assert {row["95 % from"] for row in rows} == {None}
    assert all("a single question" in row["remarks"] for row in rows)


def test_compat_has_the_edge_cases_of_ragas_in_a_run_of_its_own(scored, somewhere):
    """The names say so, one call judges one context, and the run without it stays."""
    plain = scored(ROWS, ["m"])
    tables = scored(ROWS, ["m"], "--compat", "ragas")
    names = [row["metric"] for row in tables["All nine metrics"]]
    assert names[:2] == ["faithfulness[compat=ragas]", "answer_relevancy[compat=ragas]"]
    assert names[-1] == "context_relevance"
    assert len(names) == 10
    assert scored(ROWS, ["m"], "--results") == plain
    assert len(list((somewhere / "runs/paper-ragas/compat-ragas").iterdir())) == 1


def test_criteria_of_aspect_critique_can_be_chosen(scored, openai_server):
    """Each is a metric in the place of the default one; a question of one's own may have commas."""
    chosen = ("--criterion", "coherence", "--criterion", "Is it polite, and brief?")
    names = [row["metric"] for row in scored(ROWS, ["m"], *chosen)["All nine metrics"]]
    wanted = ["aspect_critique[coherence]", 'aspect_critique["Is it polite, and brief?"]']
    assert names == [*NINE[:7], *wanted, NINE[8], "context_relevance"]
    asked = len(openai_server.requests)
    names = [row["metric"] for row in scored(ROWS, ["m"])["All nine metrics"]]
    assert names == [*NINE, "context_relevance"]
    assert len(openai_server.requests) - asked <= len(ROWS) + 1  # only the criterion is new


def test_japanese_answers_are_scored_in_japanese(scored, openai_server):
    """The judge is asked in Japanese, and every metric has a value."""
    rows = [
        {
            "id": f"{n}",
            "question": f"橋{n}はいつ開通しましたか。",
            "answer": f"橋{n}は{1900 + n}年に開通しました。鉄でできています。",
            "contexts": [f"橋{n}は{1900 + n}年に開通した。", "橋は川にかかる。"],
            "reference": f"{1900 + n}年に開通した。",
        }
        for n in range(3)
    ]
    tables = scored(rows, ["m"])
    assert {row["n"] for row in tables["All nine metrics"]} == {3}
    asked = [each.body["messages"][0]["content"] for each in openai_server.requests if '"ok"' not in each.text]
    assert asked
    assert all("です" in text or "ます" in text or "ください" in text for text in asked)


def test_the_report_has_a_picture_of_the_means(scored, somewhere):
    """One chart per table of means: of the metrics, and of the systems."""
    scored(ROWS, ["m"])
    page = (somewhere / "runs/paper-ragas/report.html").read_text("utf-8")
    assert page.count("<svg") >= 2
    assert page.index("All nine metrics") < page.index("by system") < page.index("What each judge took")
