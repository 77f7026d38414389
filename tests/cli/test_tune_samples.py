"""Samples that `saiten tune` cannot use are reported, however many there are."""

import random


def test_samples_that_cannot_be_read_are_reported_and_counted(saiten, somewhere, data):
    """The first few are named by line, then the number of others; the rest is used for learning."""
    draw = random.Random(0)
    ids = [f"a{n}" for n in range(60)]
    aspects = {
        "formality": [-1, 0, 1],
        "amount_info": [-1, 0, 1],
        "factuality": [0, 1, 2, 3],
        "acceptability": [0, 1, 2, 3],
    }
    data(
        [{"item": one, "aspect": name, "value": draw.choice(of)} for one in ids for name, of in aspects.items()],
        "labels.jsonl",
    )
    data([{"id": one, "question": f"is it {n // 2}", "answer": "yes"} for n, one in enumerate(ids)], "answers.jsonl")
    with (somewhere / "answers.jsonl").open("a") as file:
        file.write('{"id": "half\n' * 7)
    said = saiten("tune", "mate", "labels.jsonl", "-s", "answers.jsonl", "-o", "weights.toml")
    assert said.status == 0, said.err
    assert said.err.count("left out answers.jsonl:") == 5
    assert "left out 2 more rows" in said.err
