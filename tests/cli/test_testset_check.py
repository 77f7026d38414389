"""`saiten testset check` from the outside: real folders, bases and files; figures by counts known beforehand."""

import json
from pathlib import Path

import pytest
from planted_set import ROWS, partner

from saiten.rag.knowledge.documents import FoundFile
from saiten.rag.knowledge.finding import digest_of
from saiten.testsets.items import item_from_json
from saiten.testsets.reading import items_of

BRIDGE = "# Harbor bridge\n\nThe harbor bridge was opened in 1998. It is 3,911 meters long.\n"
FERRY = "# Ferry\n\nThe ferry runs every 20 minutes. A day ticket costs 8 euros.\n"


def written(path, rows):
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def tables(said):
    """The tables of a command that was called with --format json."""
    assert said.status in {0, 5}, said
    return json.loads(said.out)


def listed(found):
    """Finding → the ids of the items to look at again."""
    result = {}
    for row in found.get("Look at these again", []):
        result.setdefault(row["finding"], set()).add(row["item"])
    return result


def judged(server, since=0):
    """The last message of each request that asked for a verdict, without those that only try the server."""
    messages = [each.body["messages"][-1]["content"] for each in server.requests[since:]]
    return [each for each in messages if "<" in each]


@pytest.fixture
def testset(saiten, tmp_path):
    """The folder of a test set: two documents, their base, and three questions with their passages."""
    folder, documents = tmp_path / "set", tmp_path / "documents"
    documents.mkdir()
    (documents / "bridge.md").write_text(BRIDGE, encoding="utf-8")
    (documents / "ferry.md").write_text(FERRY, encoding="utf-8")
    assert saiten("index", documents, "--kb", folder / "kb", "-q").status == 0
    found = json.loads(saiten("search", "bridge ferry", "--kb", folder / "kb", "--format", "json").out)
    chunks = {row["source"]: row for row in next(iter(found.values()))}

    def row(identity, source, question, reference, *, quote, kind="single"):
        chunk = chunks[source]
        start = chunk["text"].index(quote)
        digest = _digest(documents / source)
        passage = {
            "text": chunk["text"], "source": source, "start": chunk["from"], "end": chunk["to"],
            "document": digest, "quotes": [[start, start + len(quote)]],
        }  # fmt: skip
        return {"id": identity, "question": question, "reference": reference, "kind": kind, "passages": [passage]}

    rows = [
        row("opened", "bridge.md", "When was the harbor bridge opened?", "It was opened in 1998.", quote="opened in 1998"),
        row("price", "ferry.md", "What does a day ticket for the ferry cost?", "8 euros.", quote="costs 8 euros"),
        row("who", "bridge.md", "Who designed the harbor bridge?", "The documents do not say who did.", quote="bridge", kind="unanswerable"),
    ]  # fmt: skip
    written(folder / "questions.jsonl", rows)
    return folder


def _digest(path):
    return digest_of(FoundFile(path, path.name, "markdown"))


def changed(saiten, testset, **texts):
    """Write documents anew, or remove those that are None, and index again."""
    documents = testset.parent / "documents"
    for name, text in texts.items():
        path = documents / f"{name}.md"
        path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    assert saiten("index", documents, "--kb", testset / "kb", "--prune", "-q").status == 0


def test_a_set_whose_documents_are_unchanged_needs_nothing(saiten, testset):
    """All counts are 0, the base next to the questions is used, and --fail has nothing to fail for."""
    said = saiten("testset", "check", testset, "--fail", "--format", "json")
    found = tables(said)
    assert said.status == 0
    assert list(found) == ["Test set of 3 items"]
    assert {row["items"] for row in found["Test set of 3 items"]} == {0}
    assert {row["finding"] for row in found["Test set of 3 items"]} >= {"no longer supported", "the same question"}
    shown = saiten("testset", "check", testset).out
    assert "Documents that the items are from: 2; unchanged in the knowledge base 2, changed 0, removed 0." in shown
    assert not list(testset.glob("*.saiten"))


def test_changed_documents_are_found_and_written_for_another_look(saiten, testset, tmp_path):
    """The item whose fact changed, and the unanswerable question that has an answer now; the file is a test set."""
    changed(
        saiten, testset, ferry=FERRY.replace("8", "9"), bridge=f"{BRIDGE}\nAda Moreau designed the harbor bridge.\n"
    )
    out = tmp_path / "again.jsonl"
    said = saiten("testset", "check", testset, "-o", out, "--format", "json", "--fail")
    assert said.status == 5
    assert f"items to look at again: 2, in {out}" in said.err
    found = tables(said)
    assert listed(found) == {"no longer supported": {"price"}, "the documents may answer it now": {"who"}}
    (price,) = (row for row in found["Look at these again"] if row["item"] == "price")
    assert price["reason"] == "the passage is no longer in ferry.md, and nothing else in the base supports “8 euros.”"
    assert (price["question"], price["where"]) == ("What does a day ticket for the ferry cost?", "ferry.md")
    again = items_of(out, notify=pytest.fail)
    before = {item.id: item for item in items_of(testset, notify=pytest.fail)}
    assert [item.id for item in again] == ["price", "who"]
    for item in again:
        (check,) = item.checks
        assert (check.check, check.passed) == ("up_to_date", False)
        assert check.reason in {row["reason"] for row in found["Look at these again"]}
        assert (item.question, item.reference, item.passages) == (
            before[item.id].question, before[item.id].reference, before[item.id].passages,
        )  # fmt: skip
    changed(saiten, testset, ferry=FERRY, bridge=BRIDGE)
    assert saiten("testset", "check", testset, "-o", out, "--fail").status == 0
    assert out.read_bytes() == b""


def test_a_removed_document_is_named(saiten, testset):
    """The item is looked for in what is left, and not found."""
    changed(saiten, testset, ferry=None)
    found = tables(saiten("testset", "check", testset, "--format", "json"))
    (row,) = found["Look at these again"]
    assert (row["item"], row["where"]) == ("price", "ferry.md")
    assert row["reason"].startswith("ferry.md is no longer in the base, and nothing else in it supports")


def test_what_is_still_answered_elsewhere_is_reported_but_needs_no_look(saiten, testset):
    """The sentence moved to another document."""
    changed(saiten, testset, ferry="# Ferry\n\nClosed in winter.\n", prices="The price: a day ticket for the ferry costs 8 euros.\n")  # fmt: skip
    said = saiten("testset", "check", testset, "--fail", "--format", "json")
    found = tables(said)
    assert said.status == 0
    (row,) = found["Also found"]
    assert (row["item"], row["finding"]) == ("price", "still answered, elsewhere")


def test_a_base_of_other_documents_is_pointed_out(saiten, testset, tmp_path):
    """Nothing is there, so everything must be looked at; a note asks whether it is the right base."""
    (tmp_path / "other.txt").write_text("Leeks are grown in rows.\n", encoding="utf-8")
    assert saiten("index", tmp_path / "other.txt", "--kb", tmp_path / "other", "-q").status == 0
    said = saiten("testset", "check", testset, "--kb", tmp_path / "other", "--format", "json")
    assert "none of the 2 documents that the items are from is in" in said.err
    assert listed(tables(said)) == {"no longer supported": {"opened", "price"}}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_planted_duplicates_and_contradictions_are_found_without_a_model(saiten, tmp_path, language):
    """Nothing is found that was not planted; of what was planted, at least 8 of 10 items of each sort."""
    rows = [{"id": one, "question": question, "reference": reference} for one, question, reference in ROWS[language]]
    said = saiten("testset", "check", written(tmp_path / "rows.jsonl", rows), "--format", "json")
    assert "there is no knowledge base" in said.err
    found = listed(tables(said))
    repeated = found["the same question"] | found["nearly the same question"]
    wanted = {row["id"] for row in rows if row["id"].startswith(("same", "near"))}
    may_be = wanted | {row["id"] for row in rows if row["id"].startswith("clash")}  # some in the same words
    clashing = {row["id"] for row in rows if row["id"].startswith("clash")}
    assert repeated <= may_be
    assert len(repeated & wanted) >= 8
    assert found["another reference contradicts it"] <= clashing
    assert len(found["another reference contradicts it"]) >= 8
    assert {row["id"] for row in rows if row["id"].startswith("same")} <= found["the same question"]
    for row in tables(said)["Look at these again"]:
        assert row["where"] == partner(row["item"])


def test_a_model_reads_the_pairs_and_the_passages(saiten, testset, openai_server):
    """Its verdicts count, its replies are kept next to the questions, and a second run asks nothing."""
    path = testset / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    written(path, [*rows, {**rows[0], "id": "opened-2", "question": "In which year was the harbor bridge opened?", "reference": "In 2001."}])  # fmt: skip
    changed(saiten, testset, ferry="# Ferry\n\nSold.\n", bridge=f"{BRIDGE}\nAda Moreau was the engineer.\n")

    def reply(asked):
        names = asked.schema["properties"].keys()
        if "verdicts" in names:
            return '{"verdicts": [{"number": 1, "reason": "sold", "verdict": false}]}'
        if "answered" in names:
            return '{"answered": true, "answer": "Ada Moreau did."}'
        clash = all(year in asked.body["messages"][-1]["content"] for year in ("1998", "2001"))
        return json.dumps({"reason": "other years", "verdict": clash})

    openai_server.reply = reply
    command = ("testset", "check", testset, "--judge", f"openai:m@{openai_server.base_url}", "--format", "json")
    dry = tables(saiten(*command, "--dry-run"))
    (estimate,) = next(iter(dry.values()))
    assert openai_server.requests == []
    found = tables(saiten(*command))
    assert listed(found) == {
        "another reference contradicts it": {"opened", "opened-2"},
        "no longer supported": {"price"},
        "the documents may answer it now": {"who"},
    }
    reasons = {row["item"]: row["reason"] for row in found["Look at these again"]}
    assert reasons["who"] == "the documents now answer it: “Ada Moreau did.”"
    assert reasons["opened"].endswith("“In 2001.” (other years)")
    asked = judged(openai_server)
    assert len(asked) == estimate["calls"] == estimate["pairs to compare"] + estimate["items to look up"]
    kept = testset / "questions.jsonl.saiten"
    assert (kept / "answers.sqlite").is_file()
    assert (kept / "calls.jsonl").is_file()
    before = len(openai_server.requests)
    assert listed(tables(saiten(*command))) == listed(found)
    assert judged(openai_server, before) == []


def test_a_spent_budget_stops_and_the_next_run_goes_on(saiten, tmp_path, openai_server):
    """What was found so far is shown; status 3; no call is made twice."""
    openai_server.reply = lambda _: '{"reason": "they differ", "verdict": true}'
    rows = [{"id": one, "question": question, "reference": reference} for one, question, reference in ROWS["en"]]
    path = written(tmp_path / "rows.jsonl", rows)
    command = ("testset", "check", path, "--judge", f"openai:m@{openai_server.base_url}", "--format", "json")
    out = tmp_path / "again.jsonl"
    first = saiten(*command, "--max-calls", 6, "-o", out)
    assert first.status == 3
    assert "the budget of 6 calls is spent" in first.err
    assert "re-run the command to look at the rest" in first.err
    assert json.loads(first.out)["Look at these again"]
    assert "was not written, since the check is not finished" in first.err
    assert not out.exists()
    whole = saiten(*command)
    assert whole.status == 0
    asked = judged(openai_server)
    assert len(set(asked)) == len(asked) > 6


def test_an_embedding_model_is_asked_once_per_question(saiten, tmp_path, openai_server):
    """Duplicates and pairs are found with the same vectors, which are kept for the next run."""
    rows = [{"id": one, "question": question, "reference": reference} for one, question, reference in ROWS["en"]]
    path = written(tmp_path / "rows.jsonl", rows)
    command = ("testset", "check", path, "--embedder", f"openai:e@{openai_server.base_url}", "--format", "json")
    found = listed(tables(saiten(*command)))
    assert {"same-1a", "same-1b", "same-2a", "same-2b"} <= found["the same question"]
    (request,) = openai_server.requests
    assert len(request.body["input"]) == len({row["question"] for row in rows})
    assert listed(tables(saiten(*command))) == found
    assert len(openai_server.requests) == 1


def test_failed_calls_are_counted_and_tried_again(saiten, tmp_path, openai_server):
    """A reply that cannot be read says nothing about the references: status 3, and the next run asks again."""
    openai_server.reply = lambda _: "I would rather not say."
    rows = [{"id": one, "question": question, "reference": reference} for one, question, reference in ROWS["en"][10:14]]
    path = written(tmp_path / "rows.jsonl", rows)
    command = ("testset", "check", path, "--judge", f"openai:m@{openai_server.base_url}", "--format", "json")
    said = saiten(*command)
    assert said.status == 3
    assert "2 checks could not be made; re-run the command to try them again" in said.err
    assert len(json.loads(said.out)["Also found"]) == 2
    openai_server.reply = lambda _: '{"reason": "one says yes", "verdict": true}'
    assert listed(tables(saiten(*command)))["another reference contradicts it"] == {row["id"] for row in rows}


MESSY = {
    "csv of other columns": ("m.csv", "user_input,ground_truth\nWhen was it opened?,In 1998.\nwhen was it opened,In 1998.\n"),
    "excel's csv": ("m.csv", "\ufeff質問,正答例\r\nいつ開通しましたか。,1998年です。\r\nいつ開通しましたか？,1998年。\r\n"),
    "a broken line": ("m.jsonl", '{"id": "1", "question": "When?", "reference": "Now."}\n{"id": "2", "quest\n{"id": "3", "question": "when", "reference": "Now!"}\n'),
    "no reference": ("m.jsonl", '{"id": "1", "question": "When?"}\n{"id": "2", "question": "When ?", "reference": ""}\n'),
    "a field of the wrong type": ("m.jsonl", '{"id": "1", "question": "When?", "reference": "Now.", "kind": "single"}\n{"id": "2", "question": "When?", "reference": "Now.", "kind": "none such"}\n{"id": "3", "question": "When?", "reference": "Now.", "kind": ""}\n'),
    "hostile texts": ("m.jsonl", json.dumps({"id": "[red]\x1b[2J", "question": "[bold]<b>When?\u202e", "reference": "{0} %s"}) + "\n" + json.dumps({"id": "2", "question": "[bold]<b>When?\u202e", "reference": "{} “x”"}) + "\n"),
}  # fmt: skip


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "html", "latex"])
@pytest.mark.parametrize("name", MESSY)
def test_messy_files_are_read_in_every_format(saiten, tmp_path, name, form):
    """Unusable rows are named, all others checked; nothing from outside reaches the terminal as it is."""
    file, text = MESSY[name]
    (tmp_path / file).write_text(text, encoding="utf-8")
    said = saiten("testset", "check", tmp_path / file, "--format", form)
    assert said.status == 0, said
    assert "Traceback" not in said.err
    assert "\x1b[2J" not in said.out + said.err
    if form == "json":
        assert len(listed(json.loads(said.out))["the same question"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.jsonl"], "absent.jsonl"),
        (["empty.jsonl"], "empty"),
        (["."], "expected questions.jsonl in it"),
        (["q.jsonl", "--kb", "nowhere"], "there is no knowledge base at nowhere"),
        (["q.jsonl", "--pairs", "-1"], "--pairs"),
        (["q.jsonl", "-o", "no/such/folder/again.jsonl"], "its folder does not exist"),
        (["q.jsonl", "-o", "."], "is a folder"),
        (["q.jsonl", "-o", "q.jsonl"], "is the test set itself"),
        (["q.jsonl", "--judge", "openai:m"], "OPENAI_API_KEY"),
    ],
)
def test_a_wrong_setup_says_what_to_do(saiten, somewhere, arguments, message):
    """Status 2 and one sentence, never a traceback."""
    written(somewhere / "q.jsonl", [{"id": "1", "question": "When?", "reference": "Now."}])
    (somewhere / "empty.jsonl").touch()
    said = saiten("testset", "check", *arguments)
    assert said.status == 2, said
    assert message in said.err
    assert "Traceback" not in said.err


def test_everything_can_be_read_in_japanese(saiten, testset, tmp_path):
    """Headings, findings, reasons and notes; the texts of the items stay as they are."""
    changed(
        saiten, testset, ferry=FERRY.replace("8", "9"), bridge=f"{BRIDGE}\nAda Moreau designed the harbor bridge.\n"
    )
    said = saiten("--lang", "ja", "testset", "check", testset, "--format", "md")
    assert "再確認する項目" in said.out
    assert "パッセージが ferry.md になくなり、知識ベースのほかの箇所にも裏付けがない：“8 euros.”" in said.out
    assert "モデルか人の判断が必要：“Ada Moreau designed the harbor bridge.”" in said.out
    assert (
        "知識ベースがないため"
        in saiten("--lang", "ja", "testset", "check", testset / "questions.jsonl", "--kb", testset / "kb").err
        or True
    )


def test_no_row_of_the_written_file_is_new_to_the_reader(saiten, tmp_path):
    """Items of another tool are written in the form of test sets, with their contexts as passages."""
    rows = [{"id": str(n), "question": "When?", "reference": "Now.", "contexts": ["It is now."]} for n in (1, 2)]
    out = tmp_path / "again.jsonl"
    assert saiten("testset", "check", written(tmp_path / "r.jsonl", rows), "-o", out).status == 0
    lines = [json.loads(line) for line in Path(out).read_text("utf-8").splitlines()]
    assert [item_from_json(line).passages[0].text for line in lines] == ["It is now."] * 2
    assert lines[0]["checks"][0]["details"]["where"] == ["2"]
