"""`saiten paper chains` with scripted models and a scripted judge behind a real server: tables, figures, edge cases."""

import json
from pathlib import Path

import pytest
from scipy.stats import kendalltau

from saiten.runs import read_run

SYSTEMS = [f"{model} · {chain}" for model in ("good", "mid", "bad") for chain in ("refine", "map_reduce")]
ACCURACY = {
    "good · refine": 1.0, "good · map_reduce": 1.0, "mid · refine": 0.5, "mid · map_reduce": 0.25,
    "bad · refine": 0.0, "bad · map_reduce": 0.0,
}  # fmt: skip
"""What the scripted models get right of four questions."""
TABLE_4 = "Table 4 · accuracy and latency"
TABLE_5 = "Table 5 · Kendall's tau with people over systems"
AGREEMENT = "Agreement · the judge's verdicts and people's"


def is_right(system, n):
    """Whether a scripted system answers question n: `mid` the even ones, in parallel only the first."""
    model, chain = system.split(" · ")
    return model == "good" or (model == "mid" and (n == 0 if chain == "map_reduce" else n % 2 == 0))


def write_set(folder, labels=None, *, japanese=False):
    """Write a data set of four questions with two documents each; `labels`: rows, or None."""
    (folder / "documents").mkdir(parents=True)
    about = "部品{n}は車輪を回す。" if japanese else "Part {n} turns the wheel."
    asked = "部品{n}は何をする?" if japanese else "What does part {n} do?"
    rows = [{"id": f"q{n}", "question": asked.format(n=n), "reference": about.format(n=n)} for n in range(4)]
    for row in rows:
        (folder / "documents" / f"{row['id']}.txt").write_text(f"{row['reference']} STEEL\n", encoding="utf-8")
    for name, of in {"questions": rows, "labels": labels}.items():
        if of is not None:
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in of), encoding="utf-8")


def labels_of(named, value=None, systems=tuple(ACCURACY), aspect="correct"):
    """A label per system and question; `named(system)`: the system's name, `value`: of every label."""
    return [
        {
            "item": f"q{n}@{named(system)}",
            "value": float(is_right(system, n)) if value is None else value,
            "annotator": "A",
            "aspect": aspect,
        }
        for system in systems
        for n in range(4)
    ]


@pytest.fixture
def scripted(openai_server):
    """The server answers as three models and as a judge, who also lets pass what `bad` says of part 3."""

    def reply(asked):
        whole = " ".join(message["content"] for message in asked.body["messages"])
        n = next((n for n in range(4) if f"part {n} do?" in whole or f"部品{n}は何" in whole), None)
        if n is None:
            return None  # the test call
        if asked.schema:
            right = "WORKS" in whole or (n == 3 and "BREAKS" in whole)
            return json.dumps({"explanation": "because", "correct": right})
        chain = "refine" if "STEEL" in whole else "map_reduce"  # the last step of map_reduce sees no document
        text = "WORKS" if is_right(f"{asked.body['model']} · {chain}", n) else "BREAKS"
        return f"Part {n} {text}, says {asked.body['model']} by {chain}."

    openai_server.reply = reply
    return openai_server


@pytest.fixture
def run(saiten, scripted):
    """`saiten paper chains FOLDER` with the three models and the judge, as JSON tables."""
    at = scripted.base_url

    def call(folder, *more):
        models = [word for name in ("good", "mid", "bad") for word in ("--model", f"openai:{name}@{at}")]
        return saiten(
            "paper", "chains", folder, *models, "--judge", f"openai:j@{at}", "-k", 2, "--format", "json", "-q", *more
        )

    call.named = lambda system: f"openai:{system.split(' · ')[0]}@{at} · {system.split(' · ')[1]}"
    return call


def tables(said):
    """The tables of a command."""
    assert said.status == 0, said
    return json.loads(said.out)


@pytest.fixture
def offline(saiten, tmp_path):
    """`offline(labels)`: the tables of one small data set without models, and what was said."""

    def call(labels, *more):
        write_set(tmp_path / "mine", labels)
        said = saiten("paper", "chains", "mine", "-k", 2, "--format", "json", "-q", *more)
        return tables(said), said.err

    return call


EXTRACTIVE = [f"extractive:{n} · {chain}" for n in (1, 2, 3) for chain in ("refine", "map_reduce")]


def of_extractive(value, systems=EXTRACTIVE, aspect="correct"):
    """A label per system and question, all with this value."""
    return [
        {"item": f"q{n}@{system}", "value": value, "annotator": "A", "aspect": aspect}
        for system in systems
        for n in range(4)
    ]


def test_the_text_s_tables_of_two_data_sets(run, tmp_path):
    """Each in its place and form: a row per data set, model and chain, with judge, people, similarity and seconds; the
    accuracies, tau and agreement are those counted by hand.
    """
    write_set(tmp_path / "mine" / "en", labels_of(run.named))
    write_set(tmp_path / "mine" / "ja", labels_of(run.named), japanese=True)
    found = tables(run("mine"))
    assert [title.partition(" · ")[0] for title in found] == [
        *("Table 2", "Table 3", "Table 4", "Table 4", "Table 4", "Table 4", "Table 5", "Agreement")
    ]  # fmt: skip
    assert [(row["data"], row["questions"], row["documents"]) for row in found["Table 2 · statistics of the data sets"]] == [
        ("en", 4, 4), ("ja", 4, 4)
    ]  # fmt: skip
    cells = found[TABLE_4]
    assert [(row["data"], f"{row['model']} · {row['chain']}") for row in cells] == [
        (data, run.named(system)) for data in ("en", "ja") for system in SYSTEMS
    ]
    for row, system in zip(cells, SYSTEMS * 2, strict=True):
        assert (row["people's accuracy"], row["n people"], row["n judge"]) == (ACCURACY[system], 4, 4)
        assert row["judge's accuracy"] == ACCURACY[system] + (0 if is_right(system, 3) else 0.25)
        assert all(isinstance(row[name], float) for name in ("ROUGE-L", "BLEU-4 (corpus)", "median s", "mean s"))
    passed = found["Table 3 · wrong answers that the judge passed"]
    wrong = [run.named(system) for system in SYSTEMS if not is_right(system, 3)]
    assert [(row["data"], row["item"]) for row in passed] == [
        (data, f"q3@{name}") for data in ("en", "ja") for name in sorted(wrong)
    ]
    assert all("BREAKS" in row["answer"] and row["reason"] == "because" for row in passed)
    assert all("⟦" in row["answer"] and row["answer"].index("⟦") < row["answer"].index("BREAKS") for row in passed)


def test_tau_and_agreement_are_those_counted_by_hand(run, tmp_path):
    """Tau-b of the judge is scipy's over the six systems; the judge passes what is wrong about part 3."""
    write_set(tmp_path / "mine", labels_of(run.named))
    found = tables(run("mine"))
    people = list(ACCURACY.values())
    judge = [value + (0 if is_right(system, 3) else 0.25) for system, value in ACCURACY.items()]
    (row,) = [row for row in found[TABLE_5] if row["metric"] == "accuracy"]
    assert (row["systems"], row["Kendall tau-b"]) == (6, pytest.approx(kendalltau(judge, people).statistic))
    assert [row["metric"] for row in found[TABLE_5]] == [
        "rouge_l",
        "bleu4 (corpus)",
        "bleu4 (mean of answers)",
        "accuracy",
    ]
    (alike,) = found[AGREEMENT]
    passed = sum(not is_right(system, 3) for system in SYSTEMS)
    assert (alike["judgments"], alike["questions"]) == (24, 4)
    assert (alike["judge yes, people no"], alike["judge no, people yes"]) == (passed, 0)
    assert alike["agreement"] == pytest.approx(1 - passed / 24)
    assert alike["95 % from"] < alike["agreement"] < alike["to"]
    (ratio,) = found["Table 4 · ratio of mean latencies, parallel to serial"]
    assert (ratio["pairs"], ratio["latency ratio"] > 0) == (12, True)


def test_a_run_that_the_budget_stops_goes_on_without_repeated_calls(run, scripted, tmp_path):
    """Over both runs, the server sees each call of the grid and of the judge once; a third run asks nobody."""
    write_set(tmp_path / "mine")
    assert run("mine", "--max-calls", 25, "--concurrency", 2).status == 3
    assert len(scripted.requests) == 25
    assert run("mine").status == 0
    generated = [
        json.dumps(asked.body["messages"]) + asked.body["model"] for asked in scripted.requests if not asked.schema
    ]
    assert len(generated) <= 3 * 4 * (2 + 3) + 3  # calls in flight when the budget was spent
    before = len(scripted.requests)
    assert run("mine").status == 0
    assert len(scripted.requests) == before


def test_a_dry_run_counts_what_the_run_takes(run, scripted, tmp_path):
    """Serial k calls and parallel k + 1 per question and model, and a verdict per answer, without a request."""
    write_set(tmp_path / "mine")
    (rows,) = tables(run("mine", "--dry-run")).values()
    assert scripted.requests == []
    assert {rows[-1][name] for name in ("calls, at least", "calls, at most")} == {3 * 4 * (2 + 3) + 6 * 4}
    tables(run("mine"))
    assert len(scripted.requests) == rows[-1]["calls, at most"] + 1  # and the judge's test call


def test_without_labels_the_human_parts_are_left_out(offline):
    """The note says how to collect labels; table 4 has a dash and the reason; tables 3 and 5 are not there."""
    found, said = offline(None)
    assert "saiten annotate" in said.replace("\n", " ")
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {None}
    assert all("no labels" in row["remarks"] for row in found[TABLE_4])
    assert not [title for title in found if title.startswith(("Table 3", "Table 5", "Agreement"))]
    assert all(row["judge's accuracy"] is not None and row["ROUGE-L"] is not None for row in found[TABLE_4])


def test_labels_of_one_system_only(offline):
    """Its accuracy is there, the others have a dash with the reason; no order of one system is made up."""
    found, _ = offline(of_extractive(1.0, EXTRACTIVE[:1]))
    by_people = [row["people's accuracy"] for row in found[TABLE_4]]
    assert by_people == [1.0, *[None] * 5]
    assert all("no label of this system's answers" in row["remarks"] for row in found[TABLE_4][1:])
    assert {row["Kendall tau-b"] for row in found[TABLE_5]} == {None}
    assert all(row["remarks"] for row in found[TABLE_5])
    assert found[AGREEMENT][0]["judgments"] == 4


def test_people_who_call_every_answer_wrong(offline):
    """0 is a verdict: the accuracies are 0; an order of equal systems is a dash with the reason, the rest is there."""
    found, _ = offline(of_extractive(0.0))
    assert {row["people's accuracy"] for row in found[TABLE_4]} == {0.0}
    assert {row["Kendall tau-b"] for row in found[TABLE_5]} == {None}
    assert all(row["remarks"] for row in found[TABLE_5])
    (alike,) = found[AGREEMENT]
    assert alike["agreement"] == pytest.approx(1 - alike["judge yes, people no"] / 24)


def test_grades_instead_of_verdicts(offline):
    """Grades order systems, but do not agree with verdicts: agreement is a dash with the reason."""
    rows = of_extractive(4.0, EXTRACTIVE[:3]) + of_extractive(2.0, EXTRACTIVE[3:])
    found, _ = offline(rows)
    assert any(row["Kendall tau-b"] is not None for row in found[TABLE_5])
    (alike,) = found[AGREEMENT]
    assert alike["agreement"] is None
    assert "grades" in alike["remarks"]


@pytest.mark.parametrize("rows", [[{"item": "elsewhere", "value": 1}], [{"item": "q0@extractive:1 · refine", "value": 1, "aspect": aspect} for aspect in ("tone", "style")]])  # fmt: skip
def test_labels_that_cannot_be_used_take_no_table_away(offline, rows):
    """Those of other answers, and several aspects of which none is meant, are reported; table 4 is there."""
    found, said = offline(rows)
    assert "the labels cannot be used" in said.replace("\n", " ")
    assert len(found[TABLE_4]) == 6
    assert TABLE_5 not in found


def test_two_judges_are_refused(saiten, tmp_path):
    """The text has one; the error says how to compare two, and nothing is written."""
    write_set(tmp_path / "mine")
    said = saiten("paper", "chains", "mine", "--judge", "offline", "--judge", "openai:m")
    assert (said.status, Path("runs").exists()) == (2, False)
    assert "expected one judge" in said.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--chain", "parallel"), "unknown chain 'parallel'; expected one of stuff, refine, map_reduce"),
        (("--model", "openai:m@http://u:pw@h/v1"), "has a secret"),
        (("--example", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_options_are_checked_before_anything_runs(saiten, tmp_path, more, said):
    """Status 2, without an answer; a secret is not repeated."""
    write_set(tmp_path / "mine")
    ended = saiten("paper", "chains", "mine", *more)
    assert ended.status == 2
    assert said in ended.err.replace("\n", " ")
    assert "pw" not in ended.err
    assert not Path("runs/paper-chains/experiment").exists()


def test_a_folder_lacks_documents(saiten, tmp_path):
    """All that is missing is in one list, per data set."""
    write_set(tmp_path / "mine" / "a")
    (tmp_path / "mine" / "b").mkdir()
    (tmp_path / "mine" / "b" / "questions.csv").write_text("question\nWhat?\n")
    said = saiten("paper", "chains", "mine")
    assert said.status == 2
    assert "✓ a/questions.jsonl" in said.err
    assert "no row has reference" in said.err
    assert "b/questions, b/documents" in said.err.replace("\n", " ")


def test_other_settings_of_the_same_systems_are_refused(saiten, tmp_path):
    """Answers with another k would be mixed; the error says to name another folder. More models are added."""
    write_set(tmp_path / "mine")
    words = ("paper", "chains", "mine", "--model", "extractive:1", "-q")
    assert saiten(*words, "-k", 1).status == 0
    refused = saiten(*words, "-k", 2)
    assert refused.status == 2
    assert "--out FOLDER starts over" in refused.err.replace("\n", " ")
    more = tables(saiten(*words, "-k", 1, "--model", "extractive:2", "--format", "json"))
    assert len(more[TABLE_4]) == 4


def test_the_judge_has_the_settings_of_the_configuration(saiten, scripted, tmp_path, monkeypatch):
    """Its options and headers of `saiten.toml` are sent; a header's value is refused, since the experiment's file would
    contain it.
    """
    write_set(tmp_path / "mine")
    config, judge = Path("saiten.toml"), f'temperature = 0.5\n[judge]\nname = "openai:j@{scripted.base_url}"\n'
    config.write_text(f'{judge}options = {{top_p = 0.5}}\nheaders = {{X-Team = "sk-planted"}}\n')
    refused = saiten("paper", "chains", "mine", "--model", "extractive:1", "-k", 1)
    assert refused.status == 2
    assert "X-Team; write env:VARIABLE" in refused.err.replace("\n", " ")
    config.write_text(f'{judge}options = {{top_p = 0.5}}\nheaders = {{X-Team = "env:TEAM"}}\n')
    monkeypatch.setenv("TEAM", "sk-planted")
    assert saiten("paper", "chains", "mine", "--model", "extractive:1", "-k", 1).status == 0
    asked = scripted.requests[-1]
    assert (asked.body["top_p"], asked.body["temperature"], asked.headers["X-Team"]) == (0.5, 0.5, "sk-planted")
    written = [path.read_bytes() for path in Path("runs").rglob("*") if path.is_file()]
    assert not any(b"sk-planted" in each for each in written)


def test_people_s_labels_in_samples_are_called_simulated(saiten, tmp_path):
    """Labels name a simulated person, belong to the answers of the default systems, and every figure has a value."""
    assert saiten("paper", "chains", "mine", "--samples").status == 0
    rows = [json.loads(line) for line in Path("mine/en/labels.jsonl").read_text().splitlines()]
    assert {row["annotator"] for row in rows} == {"simulated-person"}
    found = tables(saiten("paper", "chains", "mine", "--format", "json", "-q"))
    assert {row["n people"] for row in found[TABLE_4]} == {24}
    assert all(row["Kendall tau-b"] is not None for row in found[TABLE_5])
    assert [row["judgments"] for row in found[AGREEMENT]] == [144, 144, 288]
    assert all(row["judge yes, people no"] > 0 for row in found[AGREEMENT])
    run = read_run(Path("runs/paper-chains/experiment/scores/en"), notify=lambda _: None)
    assert {row["item"] for row in rows} == {sample.id for sample in run.samples()}
    shown = saiten("paper", "chains", "mine", "--results", "--lang", "ja")
    assert "表4 · 正確さと応答時間" in shown.out
    assert "ラベルはシミュレーション" in shown.out.replace("\n", "")
    page = Path("runs/paper-chains/report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 2
