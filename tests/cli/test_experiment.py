import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from saiten.durable.lock import Lock
from saiten.runs import read_run
from saiten.runs.answers import summarize_answers
from servers import Fault, OpenAIServer

SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]
QUESTIONS = [
    {"id": f"q{n}", "question": f"What does part {n} do?", "reference": f"Part {n} turns the wheel."} for n in range(5)
]


@pytest.fixture
def grid(tmp_path):
    """A folder with documents, questions and an experiment; more YAML can be added."""
    (tmp_path / "docs").mkdir()
    for row in QUESTIONS:
        (tmp_path / "docs" / f"{row['id']}.txt").write_text(f"{row['reference']} It is made of steel. {row['id']}")
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))

    def made(models, more="", name="grid"):
        path = tmp_path / f"{name}.yaml"
        path.write_text(
            "data:\n  - questions: questions.jsonl\n    kb: kb\n    documents: [docs]\n"
            f"models: {json.dumps(models)}\nk: 2\nmetrics: [accuracy, token_f1]\n{more}"
        )
        return path

    return made


def tables(done):
    """The tables of a command in JSON."""
    assert done.status == 0, done
    return json.loads(done.out)


def answers_of(tmp_path, chain, name="grid"):
    """The answer file of a chain."""
    (path,) = (tmp_path / "runs" / name / "answers" / "questions").glob(f"*{chain}*.jsonl")
    return path


def test_the_example_runs_offline(saiten, tmp_path):
    """`saiten experiment --example` prints an experiment that needs no key and no network."""
    text = saiten("experiment", "--example").out.replace("demo: en ", "demo: en\n    limit: 3 ")
    (tmp_path / "e.yaml").write_text(text.replace("demo: ja", "demo: ja\n    limit: 3"), encoding="utf-8")
    found = tables(saiten("experiment", "e.yaml", "--format", "json"))
    cells = found["Serial or parallel?"]
    assert [(row["data"], row["system"]) for row in cells] == [
        (data, f"extractive · {chain}")
        for data in ("demo-en", "demo-ja")
        for chain in ("stuff", "refine", "map_reduce")
    ]
    assert all(row["n"] == 3 and row["median s"] > 0 for row in cells)
    assert {row["data"] for row in found["Evidence"]} == {"demo-en", "demo-ja"}


def test_a_document_that_cannot_be_read_is_left_out(saiten, tmp_path):
    """The experiment says so and runs with the others; the exit status says that not all is well."""
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("The printer needs three watts.\n", encoding="utf-8")
    Path("docs/junk.txt").write_bytes(b"\x00\x01" * 3_000)
    Path("q.csv").write_text("question,reference\nWhat does the printer need?,three watts\n", encoding="utf-8")
    plan = "data: [{questions: q.csv, kb: kb, documents: [docs]}]\nmodels: [extractive]\nmetrics: [token_f1]\n"
    Path("e.yaml").write_text(plan, encoding="utf-8")
    said = saiten("experiment", "e.yaml")
    assert said.status == 2, said
    assert "left out q: junk.txt: " in said.err
    assert "extractive" in said.out


def test_each_chain_makes_the_calls_that_it_must(saiten, grid, openai_server, tmp_path):
    """K = 2: per question, stuff makes one call, refine two, map_reduce three, all seen by the server and counted."""
    openai_server.reply = lambda _: "Part turns the wheel."
    path = grid([f"openai:m@{openai_server.base_url}"])
    cells = next(iter(tables(saiten("experiment", path, "--format", "json")).values()))
    assert [row["calls"] for row in cells] == [5, 10, 15]
    assert len(openai_server.requests) == 30
    assert [row["n"] for row in cells] == [5, 5, 5]


def test_a_dry_run_counts_the_calls_that_the_run_makes(saiten, grid, openai_server, tmp_path):
    """Per cell and for the judge, as many as the server then sees; the dry run sends none, reads no knowledge base and
    leaves nothing behind.
    """
    openai_server.reply = lambda asked: None if asked.schema else f"Part {asked.number} turns the wheel."
    at = openai_server.base_url
    more = f'judge: {{name: "openai:j@{at}"}}\nevidence: [answer]\nsystems: ["http://localhost:9/ask"]\n'
    path = grid([f"openai:m@{at}", "extractive:1"], more)
    (rows,) = tables(saiten("experiment", path, "--dry-run", "--format", "json")).values()
    assert (openai_server.requests, (tmp_path / "runs").exists()) == ([], False)
    calls = {row["system"]: row["calls"] for row in rows[:-1]}
    assert list(calls.values()) == [5, 10, 15, 0, 0, 0, None, 7 * 5 * 2]  # k = 2; two metrics of seven systems
    assert (rows[-1]["data"], rows[-1]["calls"]) == ("all", 30 + 70)
    assert all(row["prompt tokens"] > 0 for row in rows if row["calls"])
    path.write_text(path.read_text().replace('systems: ["http://localhost:9/ask"]', ""))
    assert saiten("experiment", path).status == 0
    generated = [asked for asked in openai_server.requests if asked.body["model"] == "m"]
    assert len(generated) == 30
    stuffed = sum(len(message["content"]) for asked in generated[:5] for message in asked.body["messages"]) / 4
    assert rows[0]["prompt tokens"] > stuffed  # the passages of these documents are short


def test_a_dry_run_of_answers_that_are_there_counts_the_judge_only(saiten, tmp_path):
    """The answers are read, and no system is asked."""
    rows = [row | {"answer": row["reference"]} for row in QUESTIONS]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "e.yaml").write_text(
        "data: [{answers: answers.jsonl}]\nmetrics: [accuracy]\njudge: openai:j@http://h/v1\n"
    )
    (rows,) = tables(saiten("experiment", "e.yaml", "--dry-run", "--format", "json")).values()
    assert [(row["data"], row["calls"]) for row in rows] == [("answers", 5), ("all", 5)]


def test_a_system_may_pick_one_sentence_or_several(saiten, grid, tmp_path):
    """`extractive:N` picks N sentences; each N is a system of its own, and `extractive` picks three."""
    path = grid(["extractive:1", "extractive:2", "extractive"], "chains: [stuff]\n")
    cells = next(iter(tables(saiten("experiment", path, "--format", "json")).values()))
    assert [row["system"] for row in cells] == [f"extractive{n} · stuff" for n in (":1", ":2", "")]
    texts = [[json.loads(line)["answer"] for line in file.read_text().splitlines()]
             for file in sorted((tmp_path / "runs/grid/answers/questions").glob("*.jsonl"))]  # fmt: skip
    assert {answer.count(".") for answer in texts[0]} == {1}
    assert {answer.count(".") for answer in texts[1]} == {2}


def test_one_model_is_shown_an_example_and_another_none(saiten, grid, openai_server, tmp_path):
    """The 1-shot cell's requests begin with the worked example; those of the 0-shot cell of the same model do not."""
    openai_server.reply = lambda _: "Part turns the wheel."
    (tmp_path / "parking.toml").write_text('question = "Where?"\ndocuments = ["North."]\nanswer = "In the north."\n')
    model = f"openai:m@{openai_server.base_url}"
    path = grid([model, {"name": model, "example": "parking.toml"}], "chains: [stuff]\n")
    cells = next(iter(tables(saiten("experiment", path, "--format", "json")).values()))
    assert [row["system"] for row in cells] == [f"{model} · stuff", f"{model} · 1-shot parking · stuff"]
    shown = [
        "In the north." in [each["content"] for each in asked.body["messages"]] for asked in openai_server.requests
    ]
    assert shown == [False] * 5 + [True] * 5


def test_a_key_is_the_generators_though_an_embedder_elsewhere_is_asked_first(
    saiten, grid, openai_server, tmp_path, monkeypatch
):
    """A new document is embedded before the first question: the key waits for the server it is for."""
    openai_server.reply = lambda _: "Part turns the wheel."
    path = grid([f"openai:m@{openai_server.base_url}"], "chains: [stuff]\n")
    with OpenAIServer() as other:
        assert saiten("index", "docs", "--kb", "kb", "--embedder", f"openai:e@{other.base_url}").status == 0
        (tmp_path / "docs" / "new.txt").write_text("A new document.")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
        before = len(other.requests)
        tables(saiten("experiment", path, "--format", "json"))
        assert len(other.requests) > before
        assert {asked.headers.get("Authorization") for asked in other.requests} == {None}
    assert {asked.headers.get("Authorization") for asked in openai_server.requests} == {"Bearer sk-planted"}


def test_the_same_again_asks_nobody(saiten, grid, openai_server):
    """Answers and scores exist; the tables are the same, latencies included."""
    openai_server.reply = lambda _: "Part turns the wheel."
    path = grid([f"openai:m@{openai_server.base_url}"])
    first = saiten("experiment", path, "--format", "json")
    before = len(openai_server.requests)
    second = saiten("experiment", path, "--format", "json")
    assert (len(openai_server.requests), second.out) == (before, first.out)
    assert saiten("experiment", path, "--results", "--format", "json").out == first.out


def test_a_chain_does_not_reuse_replies_to_another(saiten, grid, openai_server, tmp_path):
    """Refine and map_reduce begin with the same call; a cached latency would be meaningless, so both are asked."""
    openai_server.reply = lambda _: "Part turns the wheel."
    saiten("experiment", grid([f"openai:m@{openai_server.base_url}"], "chains: [refine, map_reduce]\n"))
    for chain in ("refine", "map_reduce"):
        summary = summarize_answers(answers_of(tmp_path, chain))
        assert (summary.latency.n, summary.usage.reused) == (5, 0)


def test_a_metric_that_is_added_asks_no_system_again(saiten, grid, openai_server):
    """Cells share answers across all metrics."""
    openai_server.reply = lambda _: "Part turns the wheel."
    model = f"openai:m@{openai_server.base_url}"
    saiten("experiment", grid([model]))
    before = len(openai_server.requests)
    found = tables(saiten("experiment", grid([model], "evidence: [reference]\n"), "--format", "json"))
    assert len(openai_server.requests) == before
    assert "correctness" in found["All metrics"][0]


def test_a_model_that_is_set_up_wrongly_is_left_out_and_the_others_go_on(saiten, grid, openai_server):
    """A wrong key costs only its own cells; they are reported, also by the status, and can be run later."""
    openai_server.reply = lambda _: Fault(401, {"error": {"message": "wrong key"}})
    done = saiten("experiment", grid([f"openai:m@{openai_server.base_url}", "extractive"]), "--format", "json")
    cells = next(iter(json.loads(done.out).values()))
    assert [row["n"] for row in cells] == [0, 0, 0, 5, 5, 5]
    assert (done.status, done.err.count("left out")) == (2, 3)


def test_a_question_that_fails_is_counted_and_stops_nothing(saiten, grid, openai_server):
    """One question of five always gets HTTP 500."""
    openai_server.reply = lambda asked: Fault(500) if "part 3" in str(asked.body) else "Part turns the wheel."
    done = saiten(
        "experiment",
        grid([f"openai:m@{openai_server.base_url}"], "chains: [stuff]\n"),
        "--retries",
        0,
        "--format",
        "json",
    )
    (cell,) = next(iter(tables(done).values()))
    assert (cell["n"], cell["failed"]) == (4, 1)


def test_failures_are_asked_again_if_wanted(saiten, grid, openai_server):
    """Only they are; then all five are scored."""
    openai_server.reply = lambda asked: Fault(500) if "part 3" in str(asked.body) else "Part turns the wheel."
    command = ("experiment", grid([f"openai:m@{openai_server.base_url}"], "chains: [stuff]\n"), "--retries", 0)
    assert saiten(*command).status == 0
    openai_server.reply = lambda _: "Part turns the wheel."
    before = len(openai_server.requests)
    (cell,) = next(iter(tables(saiten(*command, "--retry-failed", "--format", "json")).values()))
    assert (cell["n"], cell["failed"], len(openai_server.requests) - before) == (5, 0, 1)


def test_the_parallel_chain_is_seen_to_be_faster(saiten, grid, openai_server):
    """With 60 ms a call and k = 4 passages, serial takes four in a row and parallel two: the ratio is below 1."""
    openai_server.reply = lambda _: "Part turns the wheel."
    openai_server.latency = 0.06
    path = grid([f"openai:m@{openai_server.base_url}"], "chains: [refine, map_reduce]\n")
    path.write_text(path.read_text().replace("k: 2", "k: 4"))
    found = tables(saiten("experiment", path, "--format", "json"))
    (ratio,) = found["Latency, parallel to serial"]
    assert ratio["latency ratio"] < 0.9  # what follows from it depends on noise: test_results.py


def test_a_budget_stops_cleanly_and_the_rest_comes_later(saiten, grid, openai_server):
    """The status is 3; over both runs no question is asked twice except those in flight."""
    openai_server.reply = lambda _: "Part turns the wheel."
    path = grid([f"openai:m@{openai_server.base_url}"])
    assert saiten("experiment", path, "--max-calls", 12).status == 3
    assert len(openai_server.requests) == 12
    cells = next(iter(tables(saiten("experiment", path, "--format", "json")).values()))
    assert [row["n"] for row in cells] == [5, 5, 5]
    assert len(openai_server.requests) <= 30 + 3


@pytest.mark.slow
def test_a_killed_experiment_goes_on(saiten, grid, openai_server, tmp_path):
    """SIGKILL in the middle: in the end every question is answered once, each cell separately."""
    openai_server.reply = lambda _: "Part turns the wheel."
    openai_server.latency = 0.03
    path = grid([f"openai:m@{openai_server.base_url}"])
    for seconds in (1.2, 1.8):
        process = subprocess.Popen(
            [*SAITEN, "experiment", str(path), "-q"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    cells = next(iter(tables(saiten("experiment", path, "--format", "json")).values()))
    assert [row["n"] for row in cells] == [5, 5, 5]
    for chain in ("stuff", "refine", "map_reduce"):
        ids = [json.loads(line)["id"] for line in answers_of(tmp_path, chain).read_text().splitlines()]
        assert sorted(ids) == [row["id"] for row in QUESTIONS]


@pytest.mark.parametrize("labels", ["", "\n", "item,value\n", "nonsense\n", '{"item": "elsewhere", "value": 1}\n'])
def test_labels_that_are_not_there_yet_take_no_table_away(saiten, tmp_path, labels):
    """With an empty or irrelevant label file, everything else is shown, and a note says why."""
    rows = [row | {"answer": row["reference"]} for row in QUESTIONS]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "labels.jsonl").write_text(labels)
    (tmp_path / "e.yaml").write_text(
        "data:\n  - answers: answers.jsonl\n    labels: labels.jsonl\nmetrics: [token_f1]\n"
    )
    said = saiten("experiment", "e.yaml", "--format", "json")
    found = tables(said)
    assert any("token_f1" in json.dumps(rows) for rows in found.values())
    if not labels.startswith("{"):
        assert "without labels" in said.err
        assert saiten("report", "runs/e", "-o", "e.html").status == 0


def test_answers_that_are_there_are_graded_with_both_kinds_of_evidence(saiten, grid, tmp_path):
    """E2 and E3 on the same answers, the shift of the mean, and both correlations where there are labels."""
    rows = [
        row | {"answer": row["reference"] if n % 2 else "It is made of wood.", "contexts": ["Wood."]}
        for n, row in enumerate(QUESTIONS)
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [{"item": row["id"], "value": 5 if n % 2 else 1} for n, row in enumerate(QUESTIONS)]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    (tmp_path / "e.yaml").write_text(
        "data:\n  - answers: answers.jsonl\n    kb: kb\n    documents: [docs]\n    labels: labels.jsonl\n"
        "metrics: [token_f1]\nevidence: [answer, reference]\n"
    )
    found = tables(saiten("experiment", "e.yaml", "--format", "json"))
    (shift,) = found["Evidence"]
    assert (shift["data"], shift["n"]) == ("answers", 5)
    ranked = next(rows for title, rows in found.items() if "metrics by" in title)
    assert {"correctness", "correctness[evidence=answer]"} <= {row["metric"] for row in ranked}
    scores = {
        one.metric: one.score for one in read_run(tmp_path / "runs/e/scores/answers").scores() if one.sample == "q1"
    }
    assert scores["correctness"].details["evidence"]["passages"][0]["source"].endswith(".txt")
    assert scores["correctness[evidence=answer]"].details["evidence"] == {"mode": "answer", "pieces": 1}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("metrics: [acuracy]\n", "duplicate key 'metrics'"),
        ("judge: openai:gpt-4o-mini\n", "there is no key"),
        ("systems: [nothing]\n", "unknown system 'nothing'"),
        ("example: there.toml\n", "there.toml"),
    ],
)
def test_what_is_wrong_is_reported_before_anything_is_asked(saiten, grid, openai_server, more, said):
    """The status is 2, without a call or a folder."""
    done = saiten("experiment", grid([f"openai:m@{openai_server.base_url}"], more))
    assert done.status == 2
    assert said in done.err
    assert openai_server.requests == []


def test_the_run_of_another_command_is_left_alone(saiten, grid, tmp_path):
    """An experiment does not write into the folder of scores."""
    (tmp_path / "a.jsonl").write_text(json.dumps(QUESTIONS[0] | {"answer": "x"}) + "\n")
    assert saiten("score", "a.jsonl", "-m", "token_f1", "-o", "mine").status == 0
    before = sorted((tmp_path / "mine").iterdir())
    done = saiten("experiment", grid(["extractive"]), "-o", "mine")
    assert (done.status, sorted((tmp_path / "mine").iterdir())) == (2, before)
    assert "is a run of another command" in done.err


def test_without_a_file_it_says_how_to_get_one(saiten):
    """Nobody has to look for the manual first."""
    done = saiten("experiment")
    assert done.status == 2
    assert "saiten experiment --example > experiment.yaml" in done.err


def test_answers_made_in_another_way_do_not_pass_for_those_of_this_plan(saiten, grid):
    """Another k: the folder has answers with the old one, so the experiment stops and says what differs."""
    path = grid(["extractive"], "chains: [stuff]\n")
    assert saiten("experiment", path).status == 0
    path.write_text(path.read_text().replace("k: 2", "k: 1"))
    done = saiten("experiment", path)
    assert (done.status, done.out) == (2, "")
    assert 'k: was "2", is "1"' in done.err
    assert "--out FOLDER" in done.err


def test_grades_without_the_evidence_that_was_asked_for_are_counted(saiten, tmp_path):
    """Answers without contexts are graded without; the table says how many, so that nobody takes them for E2."""
    rows = [row | {"answer": row["reference"]} for row in QUESTIONS]
    rows[0]["contexts"] = ["Part 0 turns the wheel."]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "e.yaml").write_text(
        "data: [{answers: answers.jsonl}]\nmetrics: [token_f1]\nevidence: [answer, none]\n"
    )
    said = " ".join(saiten("experiment", "e.yaml").out.split())
    assert "correctness[evidence=answer]: 4 of 5 answers were graded without evidence, because there was none" in said
    assert "correctness[evidence=none]: " not in said


def test_a_missing_knowledge_base_is_reported_before_anything_is_spent(saiten, grid, openai_server):
    """Evidence by reference needs it, even though the systems do not."""
    path = grid([], f'systems: ["openai:m@{openai_server.base_url}"]\nevidence: [reference]\n')
    path.write_text(path.read_text().replace("    documents: [docs]\n", ""))
    done = saiten("experiment", path)
    assert done.status == 2
    assert "there is no knowledge base at" in done.err
    assert openai_server.requests == []


def test_our_own_queue_does_not_pass_for_latency(saiten, grid, openai_server):
    """Parallel calls that wait for each other would make the parallel chain look slow."""
    path = grid([f"openai:m@{openai_server.base_url}"], "chains: [refine, map_reduce]\nat_once: 3\n")
    done = saiten("experiment", path, "--concurrency", 5)
    assert done.status == 2
    assert "--concurrency 6 or more" in done.err
    assert openai_server.requests == []
    openai_server.reply = lambda _: "Part turns the wheel."
    assert saiten("experiment", path, "--concurrency", 6).status == 0


def test_one_process_an_experiment(saiten, grid, tmp_path):
    """A second one is refused immediately instead of taking the cells that the first has not reached."""
    (tmp_path / "runs/grid").mkdir(parents=True)
    lock = Lock(tmp_path / "runs/grid", print)
    done = saiten("experiment", grid(["extractive"]))
    lock.release()
    assert done.status == 2
    assert "in use by another saiten process" in done.err


def test_a_changed_reference_is_reported(saiten, grid, tmp_path):
    """Answers keep the references they came with; nobody should think that the new ones count."""
    path = grid(["extractive"], "chains: [stuff]\n")
    saiten("experiment", path)
    questions = tmp_path / "questions.jsonl"
    questions.write_text(questions.read_text().replace("turns the wheel", "stops the wheel"))
    assert (
        "5 answers of extractive · stuff to questions are scored with the reference" in saiten("experiment", path).err
    )


def labeled(path, said, **more):
    """A label file: (question, chain) → value, or a list with one per annotator."""
    rows = [
        {"item": f"q{n}@extractive · {chain}", "value": value, "annotator": who} | more
        for (n, chain), values in said.items()
        for who, value in zip("abc", values if isinstance(values, list) else [values], strict=False)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def by_people(grid, tmp_path):
    """An experiment with human accuracy; its labels, if any, are in labels.jsonl."""
    path = grid(["extractive"], "main: human\nchains: [refine, map_reduce]\n")
    path.write_text(path.read_text().replace("kb: kb\n", "kb: kb\n    labels: labels.jsonl\n"))
    return path


def test_the_accuracy_may_be_that_of_people(saiten, by_people, tmp_path):
    """Without the file the answers are made; then the same command counts the labels, and asks nothing again."""
    first = saiten("experiment", by_people, "--format", "json")
    assert first.status == 0, first
    assert "there are no labels yet" in first.err
    assert "saiten annotate runs/grid/scores/questions/samples.jsonl" in first.err.replace("\n", " ")
    cells = next(iter(json.loads(first.out).values()))
    assert [(row["human"], row["n"]) for row in cells] == [(None, 0)] * 2
    kept = [answers_of(tmp_path, chain).read_bytes() for chain in ("refine", "map_reduce")]
    labeled(
        tmp_path / "labels.jsonl",
        {(n, "refine"): 1 for n in range(5)} | {(0, "map_reduce"): [1, 0], (1, "map_reduce"): 0},
        aspect="correct",
    )
    found = saiten("experiment", by_people, "--format", "json")
    cells = next(iter(tables(found).values()))
    assert [(row["human"], row["n"], row["of"]) for row in cells] == [(1.0, 5, 5), (0.25, 2, 5)]
    assert "questions: 3 of 10 answers have no label and are not part of human" in found.err
    assert [answers_of(tmp_path, chain).read_bytes() for chain in ("refine", "map_reduce")] == kept
    (chains,) = tables(found)["Parallel beside serial (human)"]
    assert (chains["difference"], chains["n"]) == (-0.75, 2)
    assert chains["what follows"].startswith("too little measured to judge the accuracy")
    means = {row["system"]: row for row in tables(found)["correct: means by system"]}
    assert (means["extractive · map_reduce"]["people"], means["extractive · map_reduce"]["n"]) == (0.25, 2)
    assert "accuracy" in means["extractive · refine"]
    page = saiten("experiment", by_people, "--results", "--format", "md").out
    assert "Unlabeled answers count in of but not in n." in page


def test_a_third_decision_settles_and_a_grade_of_0_declines(saiten, by_people, tmp_path):
    """As in a meta-evaluation: declined answers are not counted in the mean, but are reported."""
    said = {(n, chain): 4 for n in range(5) for chain in ("refine", "map_reduce")}
    labeled(tmp_path / "labels.jsonl", said | {(0, "refine"): 0, (1, "refine"): [1, 5]}, aspect="correctness")
    with (tmp_path / "labels.jsonl").open("a") as file:
        settled = {"item": "q1@extractive · refine", "value": 2, "aspect": "correctness", "adjudicated": True}
        file.write(json.dumps(settled, ensure_ascii=False) + "\n")
    cells = next(iter(tables(saiten("experiment", by_people, "--format", "json")).values()))
    assert [(row["human"], row["n"], row["of"]) for row in cells] == [(3.5, 4, 5), (4.0, 5, 5)]


def test_of_several_aspects_one_is_named(saiten, by_people, tmp_path):
    """`main: human:ASPECT`; without a name the message lists the aspects."""
    rows = [
        {"item": f"q{n}@extractive · {chain}", "value": value, "aspect": aspect}
        for n in range(5)
        for chain in ("refine", "map_reduce")
        for aspect, value in (("correct", n % 2), ("fluent", 1))
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = saiten("experiment", by_people)
    assert said.status == 2
    assert "there is human:correct, human:fluent; name one of these" in said.err
    by_people.write_text(by_people.read_text().replace("main: human", 'main: "human:correct"'))
    cells = next(iter(tables(saiten("experiment", by_people, "--format", "json")).values()))
    assert [row["human:correct"] for row in cells] == [0.4, 0.4]
    means = tables(saiten("experiment", by_people, "--results", "--format", "json"))["All metrics"]
    assert [row["human:fluent"] for row in means] == [1.0, 1.0]


def test_show_and_report_have_peoples_means_of_each_system(saiten, by_people, tmp_path):
    """They appear next to the metrics' means if labels are given."""
    saiten("experiment", by_people, "-q")
    labeled(tmp_path / "labels.jsonl", {(n, "refine"): 1 for n in range(5)} | {(0, "map_reduce"): 0}, aspect="correct")
    run = "runs/grid/scores/questions"
    found = json.loads(saiten("show", run, "--labels", "labels.jsonl", "--format", "json").out)
    rows = [row for row in found["By system"] if row["metric"] == "human:correct"]
    assert [(row["system"], row["mean"], row["n"], row["of"]) for row in rows] == [
        ("extractive · map_reduce", 0.0, 1, 5),
        ("extractive · refine", 1.0, 5, 5),
    ]
    assert {"metric": "human:correct", "status": "undefined", "times": 4, "reason": "no label"} in found["Why scores are missing"]  # fmt: skip
    assert "human:correct|labels:labels.jsonl" in str(found["How the figures were made"])
    assert "human" not in saiten("show", run).out
    assert saiten("report", run, "--labels", "labels.jsonl", "-o", "r.html").status == 0
    assert "means by system" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert saiten("report", "runs/grid", "-o", "e.html").status == 0
    (tmp_path / "labels.jsonl").write_text('{"item": "elsewhere", "value": 1}\n')
    said = saiten("show", run, "--labels", "labels.jsonl")
    assert said.status == 2
    assert "no label belongs to an item that was scored" in said.err
