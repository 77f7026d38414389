"""The whole way, in both languages: documents → questions → people approve → answers → scores → report."""

import asyncio
import gzip
import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from crowd import Worker
from served import ServedProject

from question_writer import QuestionWriter
from saiten.demo.samples import corpus

REJECTED = {"en": "Nobody asks that.", "ja": "誰も尋ねません。"}
EDITED = {"en": "It is the rule that the handbook gives.", "ja": "手引きにある決まりです。"}


@pytest.fixture
def saiten(tmp_path):
    """`saiten(ARGUMENTS)` as a process of its own, in the test's folder; returns standard output."""

    def call(*arguments, status=0):
        done = subprocess.run(
            [sys.executable, "-c", "from saiten.cli import main; main()", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONUTF8": "1", "OPENAI_API_KEY": "x", "SAITEN_LANG": "en"},
            capture_output=True,
            check=False,
            timeout=200,
        )
        assert done.returncode == status, done.stderr.decode()
        return done.stdout.decode()

    return call


def lines(path: Path) -> list[dict]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts_of_report(path: Path) -> str:
    """The report with the answers that it holds packed."""
    page = path.read_text(encoding="utf-8")
    packs = re.findall(r"[A-Za-z0-9+/]{200,}={0,2}", page)
    return page + "".join(gzip.decompress(b64decode(pack)).decode() for pack in packs if pack.startswith("H4sI"))


async def decide(served: ServedProject, name: str, decided) -> None:
    """Go through all items at the page of a person; `decided` is called with each item's content."""
    person = Worker(name, served.tokens[name], served.port)
    await person.join()
    while (reply := await person.line.ask(person.request("GET", "/api/items/next"))).status == 200:
        item = json.loads(reply.body)
        content = item["content"]
        payload = {"question": content["question"], "reference": content["reference"], **decided(content)}
        body = {"payload": payload, "save_id": f"00000000-0000-4000-8000-{item['number']:012}"}
        saved = await person.line.ask(person.request("PUT", f"/api/items/{item['number']}", body))
        assert saved.status == 200, saved
    person.line.cut()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_from_documents_to_a_report(language, saiten, openai_server, tmp_path):
    """Each command takes what the one before it wrote, and what people decided reaches the report."""
    openai_server.reply = QuestionWriter()
    model = f"openai:m@{openai_server.base_url}"

    saiten("index", corpus(language), "--kb", "kb")
    saiten("questions", "--kb", "kb", "-o", "set", "--n", "12", "--judge", model)
    items = lines(tmp_path / "set" / "questions.jsonl")
    assert len(items) == 12

    people = ("--form", "approve", "--annotator", "Aiko", "--annotator", "Ben")
    served = ServedProject(tmp_path, "people.db", items, *people)
    # The items are in the order in which the model replied; rarer kinds, which are looked for below, stay.
    rejected, edited, open_item, *_ = (item for item in items if item["kind"] in {"single", "several"})
    unwanted, worded, disputed = (item["question"] for item in (rejected, edited, open_item))

    def aiko(content):
        if content["question"] == unwanted:
            return {"decision": "reject", "reason": REJECTED[language]}
        if content["question"] == worded:
            return {"decision": "edit", "reference": EDITED[language]}
        return {"decision": "approve"}

    def ben(content):
        disagrees = content["question"] == disputed
        return {"decision": "reject", "reason": REJECTED[language]} if disagrees else aiko(content)

    asyncio.run(decide(served, "Aiko", aiko))
    asyncio.run(decide(served, "Ben", ben))
    served.stop()
    saiten("annotate", "--db", "people.db", "--export", "decisions.jsonl")
    saiten("testset", "accept", "set", "decisions.jsonl", "-o", "approved.jsonl", "--open", "open.jsonl")
    approved = {item["id"]: item for item in lines(tmp_path / "approved.jsonl")}
    assert rejected["id"] not in approved
    assert [item["id"] for item in lines(tmp_path / "open.jsonl")] == [open_item["id"]]
    assert len(approved) == 10
    assert approved[edited["id"]]["reference"] == EDITED[language]
    assert {one["by"] for item in approved.values() for one in item["decisions"]} == {"Aiko", "Ben"}

    for name, retrieval in (("terms", "bm25"), ("both", "hybrid")):
        how = ("--system", "rag:kb", "--retrieval", retrieval, "--name", name)
        saiten("answer", "approved.jsonl", *how, "-o", f"{name}.jsonl")
        saiten("score", f"{name}.jsonl", "-m", "accuracy", "-m", "context_recall", "-o", f"runs/{name}")
    answers = {line["id"]: line for line in lines(tmp_path / "both.jsonl")}
    assert answers.keys() == approved.keys()
    assert all(answers[name]["evidence"] == item["evidence"] for name, item in approved.items())
    follow_ups = [name for name, item in approved.items() if item["kind"] == "follow_up"]
    assert follow_ups
    assert all(answers[name]["history"] == approved[name]["history"] for name in follow_ups)
    shown = json.loads(saiten("show", "runs/both", "--format", "json"))
    assert any("unanswerable" in json.dumps(table) for table in shown.values())

    saiten("report", "runs/terms", "runs/both", "-o", "report.html", "--language", language)
    report = texts_of_report(tmp_path / "report.html")
    assert approved[edited["id"]]["question"] in report
    assert EDITED[language] in report
    assert unwanted not in report
