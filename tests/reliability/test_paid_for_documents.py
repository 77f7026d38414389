"""What making bases and test sets pays, and calls that time out: as much as the server received, whatever ends them."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from paying import AT_ONCE, CountingServer, held, kill_at_rest, until_all_left

from question_writer import QuestionWriter
from saiten.demo.samples import corpus
from saiten.records import Usage
from saiten.runs import read_run
from saiten.runs.locked_folder import paid_in
from servers import Fault, instance

PRICES = '[prices]\n"m" = { prompt = 10, completion = 30 }\n"e" = { prompt = 10, completion = 0 }\n'


def cost_of(server):
    """What the server charges by these prices."""
    return (10 * server.prompt.total() + 30 * server.completion) / 1e6


@pytest.fixture
def many_documents(somewhere):
    """A folder with enough chunks for several calls."""
    Path("many").mkdir()
    for n in range(40):
        sentences = (f"Part {n} has the {k}th screw of {n * 40 + k}, and nobody knows why." for k in range(40))
        Path(f"many/d{n}.txt").write_text(" ".join(sentences))
    return Path("many")


INDEXED = ("--chunk-size", 60, "--retries", 8, "--concurrency", AT_ONCE, "-q")


def index_paid():
    """What indexing paid, as the base's folder says."""
    return paid_in(Path("kb")) or Usage()


def test_an_index_that_was_killed_and_stopped_has_paid_what_the_server_received(
    saiten, process, many_documents, somewhere
):
    """Killed twice, once before there is a base, and stopped by its budget: calls, tokens and cost, with retries, and
    what the last command says is the whole.
    """
    Path("saiten.toml").write_text(PRICES)
    with CountingServer() as server:
        server.reply = lambda asked: Fault(503) if asked.number % 5 == 3 else None
        command = ("index", many_documents, "--kb", "kb", "--embedder", f"openai:e@{server.base_url}", *INDEXED)
        for first_held in (0, 6):
            with held(server, first_held):
                kill_at_rest(server, process(*command), first_held + 1, lambda: index_paid().calls)
                until_all_left(server)
            assert index_paid().calls == len(server.requests)
        lost = index_paid().unanswered
        assert lost > 1
        stopped = saiten(*command, "--max-calls", 3)
        assert stopped.status == 3, stopped
        assert index_paid().calls == len(server.requests)
        done = saiten(*command)
        assert done.status == 0, done
        paid = index_paid()
        assert (paid.calls, paid.unpriced, paid.unanswered) == (len(server.requests), lost, lost)
        assert paid.prompt_tokens == server.prompt.total()
        assert paid.cost == pytest.approx(cost_of(server), rel=1e-9)
        said = re.search(r"paid for this knowledge base so far: (\d+) calls, ([\d,]+) \+ 0 tokens", done.err)
        assert (int(said[1]), int(said[2].replace(",", ""))) == (paid.calls, paid.prompt_tokens), done
        again = saiten(*command)
        assert again.status == 0
        assert f"paid for this knowledge base so far: {len(server.requests)} calls" in again.err
        assert index_paid() == paid


def test_what_index_says_it_paid_is_what_the_server_received(saiten, many_documents, openai_server):
    """Retries included."""
    openai_server.reply = lambda asked: Fault(503) if asked.number in (2, 3) else None
    said = saiten(
        "index", many_documents, "--kb", "kb", "--embedder", f"openai:e@{openai_server.base_url}", "--retries", 4
    )
    assert said.status == 0, said
    found = re.search(r"(\d+) calls", said.err + said.out)
    assert int(found[1]) == len(openai_server.requests) > 2, said


def unsteady(asked, _task):
    """Refuse some requests for now, and write no JSON in reply to others."""
    if asked.number % 11 == 5:
        return Fault(503, headers={"Retry-After": "0"})
    return "I would rather not say." if asked.number % 13 == 7 else None


def judging(asked):
    """As `unsteady`, for any task."""
    schema = (asked.body.get("response_format") or {}).get("json_schema", {}).get("schema")
    return unsteady(asked, "") or (None if schema is None else json.dumps(instance(schema)))


PAIRS = [
    {"id": f"{part}{n}", "question": f"When was bridge {n} opened{end}", "reference": f"In {1900 + n + shift}."}
    for n in range(20)
    for part, end, shift in (("a", "?", 0), ("b", " ?", 1))
]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["questions", "testset check"])
def test_a_resumed_test_set_has_paid_what_the_server_received(saiten, process, somewhere, name):
    """Killed twice and stopped by its budget: calls, tokens and cost; questions with embeddings, the check with refused
    requests and unreadable replies.
    """
    Path("saiten.toml").write_text(PRICES)
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    with CountingServer() as server:
        server.reply = QuestionWriter() if name == "questions" else judging
        model = ("--judge", f"openai:m@{server.base_url}", "--retries", 8, "--concurrency", AT_ONCE)
        command, folder = {
            "questions": (
                ("questions", corpus("en"), "-o", "set", "--n", 4, "--embedder", f"openai:e@{server.base_url}", "-q"),
                Path("set"),
            ),
            "testset check": (("testset", "check", "pairs.jsonl", "-q"), Path("pairs.jsonl.saiten")),
        }[name]

        def paid():
            return paid_in(folder) or Usage()

        for first_held in (2, 9):
            with held(server, first_held):
                kill_at_rest(server, process(*command, *model), first_held, lambda: paid().calls)
                until_all_left(server)
            assert paid().calls == len(server.requests)
        lost = paid().unanswered
        assert lost > 0
        assert saiten(*command, *model, "--max-calls", 3).status == 3
        assert paid().calls == len(server.requests)
        for _ in range(4):  # a reply that cannot be read twice is left to the next command
            if (said := saiten(*command, *model)).status in {0, 5}:
                break
        assert said.status in {0, 5}, said
        total = paid()
        assert (total.calls, total.unpriced, total.unanswered) == (len(server.requests), lost, lost)
        assert (total.prompt_tokens, total.completion_tokens) == (server.prompt.total(), server.completion)
        assert total.cost == pytest.approx(cost_of(server), rel=1e-9)


@pytest.mark.slow
def test_a_call_that_timed_out_counts_with_an_unknown_cost(saiten, data):
    """The server received it and may charge for it, but its reply came too late: the total is a lower bound."""
    Path("saiten.toml").write_text(PRICES)
    late = {5, 9}
    with CountingServer() as server:
        server.reply = lambda asked: asyncio.sleep(3_600) if asked.number in late else None
        command = ("score", data(8), "-m", "accuracy", "--judge", f"openai:m@{server.base_url}", "-o", "run", "-q")
        said = saiten(*command, "--timeout", 3, "--retries", 3, "--concurrency", AT_ONCE)
        assert said.status == 0, said
        paid = read_run("run").paid()
        assert (paid.calls, paid.unpriced, paid.unanswered) == (len(server.requests), len(late), 0)
        assert (paid.prompt_tokens, paid.completion_tokens) == (server.prompt.total(), server.completion)
        shown = " ".join(saiten("show", "run").out.split())
        assert re.search(r"at least 0\.\d+ USD \(calls of unknown cost: 2\)", shown), shown
