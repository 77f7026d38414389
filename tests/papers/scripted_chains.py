"""Data sets for `saiten paper chains`, and three models and a judge whose replies are known."""

import json

import pytest

SYSTEMS = [f"{model} · {chain}" for model in ("good", "mid", "bad") for chain in ("refine", "map_reduce")]
ACCURACY = {
    "good · refine": 1.0, "good · map_reduce": 1.0, "mid · refine": 0.5, "mid · map_reduce": 0.25,
    "bad · refine": 0.0, "bad · map_reduce": 0.0,
}  # fmt: skip
"""What the scripted models get right of four questions."""
TABLE_4 = "Table 4 · accuracy and latency"
BY_PEOPLE = "Table 4 · serial against parallel, by people"
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
        chain = ("map_reduce", "refine", "stuff")[whole.count("STEEL")]  # by the documents that the last step sees
        text = "WORKS" if is_right(f"{asked.body['model']} · {chain}", n) else "BREAKS"
        return f"Part {n} {text}, says {asked.body['model']} by {chain}."

    openai_server.reply = reply
    return openai_server


@pytest.fixture
def run(saiten, scripted):
    """`saiten paper chains FOLDER` with the three models and the judge, as JSON tables."""
    at = scripted.base_url

    def words(folder, *more):
        models = [word for name in ("good", "mid", "bad") for word in ("--model", f"openai:{name}@{at}")]
        return (
            "paper",
            "chains",
            folder,
            *models,
            "--judge",
            f"openai:j@{at}",
            "-k",
            2,
            "--format",
            "json",
            "-q",
            *more,
        )

    def call(folder, *more):
        return saiten(*words(folder, *more))

    call.words = words
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
