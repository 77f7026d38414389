"""`saiten score traces.jsonl`: traces as data, samples of them, and what the run keeps of them."""

import json
from pathlib import Path

import pytest

from otlp_traces import lines, rag, request, span
from saiten.runs import read_run


def bots(*sizes):
    """Traces of several services, `(name, number)`, with a health check after each; a day apart."""
    at = 0
    for service, size in sizes:
        for _ in range(size):
            at += 1
            trace = f"{at:032x}"
            spans = [
                each | {key: str(int(each[key]) + 86_400_000_000_000 * (at % 3)) for key in ("startTimeUnixNano", "endTimeUnixNano")}
                for each in rag(trace, f"質問{at}", f"回答{at}。")
            ]  # fmt: skip
            yield request(*spans, service=service, version="")
            yield request(span(1, trace=f"{at + 10**6:032x}", name="GET /health"), service=service)


@pytest.fixture
def traces():
    """`traces.jsonl` with 40 traces of two services."""
    Path("traces.jsonl").write_text(lines(*bots(("bot", 30), ("beta", 10))))


@pytest.mark.usefixtures("traces")
def test_a_run_of_traces_shows_their_latency_and_tokens(saiten):
    """For all systems and for each; in the run's samples and in the columns of its frame."""
    said = saiten("score", "traces.jsonl", "-m", "faithfulness", "-o", "run", "--format", "json")
    assert said.status == 0, said
    assert "traces: 80, of which samples: 40" in said.err
    assert "traces ignored: 40" in said.err
    every, beta, bot = json.loads(said.out)["Traces"]
    assert (every["traces"], every["median"], every["prompt tokens"]) == (40, 1.5, 4800)
    assert [(each["system"], each["traces"]) for each in (beta, bot)] == [("beta", 10), ("bot", 30)]
    assert (every["first day"], every["last day"]) == ("2026-11-28", "2026-11-30")
    shown = saiten("show", "run", "--sample", f"{1:032x}")
    assert "1.50 s · 120 + 30 tokens · session s1" in shown.out
    (first, *_) = read_run(Path("run")).samples()
    assert (first.trace.seconds, first.trace.span) == (1.5, f"{1:016x}")


@pytest.mark.usefixtures("traces")
def test_a_sample_is_drawn_in_proportion_and_kept_by_a_resumed_run(saiten):
    """The same traces again, as a killed run would need; with another seed it is another run."""
    common = ("score", "traces.jsonl", "-m", "faithfulness", "-o", "run", "--sample", "8")
    said = saiten(*common)
    assert "sample: 8 of 40 rows, by system: bot 6 of 30, beta 2 of 10" in said.err
    ids = [sample.id for sample in read_run(Path("run")).samples()]
    assert len(ids) == 8
    assert read_run(Path("run")).manifest.settings["sample"] == {"rows": 8, "seed": 1, "by": "system"}
    scores = Path("run/scores.jsonl").read_text().splitlines()
    Path("run/scores.jsonl").write_text("\n".join(scores[:3]) + "\n")
    again = saiten(*common)
    assert again.status == 0, again
    assert [sample.id for sample in read_run(Path("run")).samples()] == ids
    other = saiten(*common, "--sample-seed", "2")
    assert (other.status, "sample.seed: was 1, is 2" in other.err) == (2, True), other
    whole = saiten("score", "traces.jsonl", "-m", "faithfulness", "-o", "run")
    assert whole.status == 2
    assert "sample: was" in whole.err


@pytest.mark.usefixtures("traces")
def test_a_sample_is_drawn_of_the_rows_up_to_the_limit(saiten):
    """`--limit` first, then `--sample`; by day, since each has traces."""
    said = saiten("score", "traces.jsonl", "-m", "faithfulness", "--limit", "20", "--sample", "6", "--stratify", "day")
    assert "sample: 6 of 20 rows, by day: 2026-11-29 2 of 7, 2026-11-30 2 of 7, 2026-11-28 2 of 6" in said.err, said


def test_other_data_is_sampled_too(saiten):
    """Whatever the format; bad rows keep their share."""
    rows = [json.dumps({"question": f"q{n}", "answer": "a", "reference": "a"}) for n in range(90)]
    Path("a.jsonl").write_text("\n".join([*rows, *["{"] * 10]) + "\n")
    said = saiten("score", "a.jsonl", "-m", "exact_match", "-o", "run", "--sample", "20")
    assert "sample: 18 of 90 rows; and 2 of 10 rows that cannot be used" in said.err, said
    assert len(list(read_run(Path("run")).samples())) == 18


@pytest.mark.usefixtures("traces")
def test_the_questions_of_traces_can_be_asked_again(saiten):
    """`answer` reads them as it reads other questions; the new answers are of no trace."""
    Path("bot.py").write_text("def answer(question):\n    return 'new: ' + question\n")
    said = saiten("answer", "traces.jsonl", "--system", "bot.py:answer", "-o", "new.jsonl", "--sample", "4")
    assert said.status == 0, said
    found = [json.loads(line) for line in Path("new.jsonl").read_text().splitlines()]
    assert len(found) == 4
    assert all(row["answer"].startswith("new: 質問") and "trace" not in row for row in found)


@pytest.mark.usefixtures("traces")
def test_traces_are_not_divided_among_workers(saiten):
    """A span may be in any part of the input; a sample of them is small enough for one process."""
    said = saiten("score", "traces.jsonl", "-m", "faithfulness", "-o", "run", "--executor", "ray")
    assert said.status == 2
    assert "workers cannot share it; draw a sample with --sample, or leave out --executor ray" in said.err, said


def test_a_file_without_usable_traces_says_why(saiten):
    """Health checks alone, or a recording without contents."""
    Path("checks.jsonl").write_text(lines(request(span(1, name="GET /health"))))
    said = saiten("score", "checks.jsonl", "-m", "faithfulness")
    assert (said.status, "has no rows" in said.err, "such as health checks" in said.err) == (2, True, True), said
    Path("silent.jsonl").write_text(lines(request(span(1, gen_ai__operation__name="chat"))))
    said = saiten("score", "silent.jsonl", "-m", "faithfulness")
    assert said.status == 2
    assert "the recording of inputs and outputs may be turned off" in said.err, said
