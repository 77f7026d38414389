"""Readers of text from outside: whatever the text is, they return, or raise what their docstrings name."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from healthy_files import CONFIG, EXAMPLE, GIST, LABELS, PAGE, PLAN, ROWS
from hypothesis import given, settings
from hypothesis import strategies as st

from otlp_traces import lines, rag
from saiten.data import formats, read_samples
from saiten.data.hand_written import read_file
from saiten.data.labels import preference, read_labels
from saiten.data.values import as_language, as_references, as_spans, as_text, as_texts
from saiten.durable.whole_file import read_described
from saiten.errors import SaitenError
from saiten.experiments.plan import read_plan
from saiten.judges.offline.calibration import Calibration
from saiten.judges.reading import read_reply
from saiten.metrics.catalog import make_metrics
from saiten.models.endpoint import Endpoint
from saiten.models.faults import read_complaint, retry_after
from saiten.models.openai_compatible import read_completion
from saiten.models.prices import find_price
from saiten.models.token_probabilities import read_tokens
from saiten.models.wire import load
from saiten.options import read_columns, read_config, read_pairs
from saiten.prompts.files import read as read_prompts
from saiten.rag.example import read_example
from saiten.rag.knowledge.decoding import decoded
from saiten.rag.knowledge.documents import NoText
from saiten.rag.knowledge.html import html_pieces
from saiten.rag.systems.contract import read_answer
from saiten.records import Sample, Score, Scored
from saiten.runs.lines import (
    from_line,
    payment_from_json,
    sample_from_json,
    sample_to_json,
    scored_from_json,
    scored_to_json,
    usage_from_json,
)
from saiten.runs.manifest import KIND, Manifest, RunSettings, read_manifest
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.statements import SplitStatements, VerifyStatements
from saiten.testsets.items import item_from_json
from saiten.text.language import detect_language
from saiten.trust.inputs.judge_files import read_outputs
from saiten.wiring.addresses import parse_name

SOAK = os.environ.get("SAITEN_SOAK") == "1"
EXAMPLES = 600 if SOAK else 15
TOKENS = [
    *(
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\n",
        b"\0",
        b"\\",
        b"\\ud800",
        b"\xff",
        b"\xef\xbb\xbf",
        b"NaN",
        b"-1",
    ),
    *(
        b"1e999",
        b"1" + b"0" * 400,
        b"null",
        b"true",
        b"=",
        b"[" * 2_000,
        b'{"a":' * 2_000,
        b"<",
        b"&#x110000;",
        b"\xe3\x81",
    ),
    *("²".encode(), "٣".encode(), "\u2028".encode(), b"\x1b[31m", b"%", b"@", b"://", b"{{", b"'''", b"#"),
]


@dataclass(frozen=True)
class Reader:
    """A reader, texts that it reads, and what it may raise."""

    read: Callable[[bytes, Path], Any]
    seeds: Sequence[str]
    raises: tuple[type[Exception], ...] = (SaitenError,)


def _of_file(read: Callable[[Path], Any], suffix: str) -> Callable[[bytes, Path], Any]:
    def call(content: bytes, folder: Path) -> Any:
        file = folder / f"file{suffix}"
        file.write_bytes(content)
        return read(file)

    return call


def _of_text(read: Callable[[str], Any]) -> Callable[[bytes, Path], Any]:
    return lambda content, _: read(content.decode("utf-8", "surrogateescape"))


def _of_json(read: Callable[[Any], Any]) -> Callable[[bytes, Path], Any]:
    """Read what JSON's own parser accepts, and the text itself if it accepts nothing."""

    def call(content: bytes, _: Path) -> Any:
        value = load(content)
        return read(content.decode("utf-8", "replace") if value is None else value)

    return call


def _object(read: Callable[[dict[str, Any]], Any]) -> Callable[[bytes, Path], Any]:
    return _of_json(lambda value: read(value) if isinstance(value, dict) else None)


def _samples(format_: str | None = None) -> Callable[[Path], Any]:
    return lambda file: list(read_samples(file, format=format_, detect_language=detect_language, notify=lambda _: None))


_DATA = "".join(json.dumps(row) + "\n" for row in ROWS)
_SAID = "".join(json.dumps(row) + "\n" for row in LABELS)
_MANIFEST = json.dumps(asdict(Manifest.new(RunSettings(data="a.jsonl"), {"length": "length|unit:characters"})))
_VERIFY = VerifyStatements(("It is old.", "It is red."), ("The bridge is old.",), language="en")
_SCORED = json.dumps(scored_to_json(Scored("q", "length", Score(1.0, reason="so", details={"n": 1}))))
_CHOICE = {
    "choices": [{"message": {"content": "ok"}, "finish_reason": "stop", "logprobs": {"content": [{"token": "o", "logprob": -0.1, "top_logprobs": []}]}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
}  # fmt: skip
_ENDPOINT = Endpoint("openai:m", "http://127.0.0.1:1/v1")

DATA = {
    "jsonl": Reader(_of_file(_samples("jsonl"), ".jsonl"), [_DATA, lines(*rag())]),
    "json": Reader(_of_file(_samples("json"), ".json"), [json.dumps(ROWS), json.dumps({"results": ROWS})]),
    "csv": Reader(
        _of_file(_samples("csv"), ".csv"), ['id,question,answer\nq,"a, b",c\n', "id;question;answer\nq;b;c\n"]
    ),
    "tsv": Reader(_of_file(_samples("tsv"), ".tsv"), ["id\tquestion\tanswer\nq\tb\tc\n"]),
    "xlsx": Reader(_of_file(_samples("xlsx"), ".xlsx"), ["PK\3\4"]),
    "parquet": Reader(_of_file(_samples("parquet"), ".parquet"), ["PAR1 PAR1"]),
    "dataset": Reader(_of_file(_samples("dataset"), ""), ["x"]),
}
"""By format; a new one is missing here until it is added."""

OTHERS = {
    "unknown format": Reader(_of_file(_samples(), ""), [_DATA, "id,question,answer\nq,b,c\n"]),
    "labels": Reader(_of_file(lambda file: list(read_labels(file, notify=lambda _: None)), ".jsonl"), [_SAID]),
    "judges' outputs": Reader(
        _of_file(lambda file: list(read_outputs(file, notify=lambda _: None)), ".jsonl"),
        ['{"item": "q", "judge": "gpt", "value": 1}\n', '{"item": "q", "gpt": 1}\n'],
    ),
    "preference": Reader(_of_text(lambda text: preference(text, names_answer=True)), ["A>>B", "1"], (ValueError,)),
    "manifest": Reader(_of_file(lambda file: read_manifest(file.parent, file.name), ".json"), [_MANIFEST]),
    "description": Reader(_of_file(lambda file: read_described(file, KIND, 1), ".json"), [_MANIFEST]),
    "line of a run": Reader(lambda content, _: from_line(content), [_SCORED], (ValueError,)),
    "score": Reader(_object(scored_from_json), [_SCORED], (ValueError,)),
    "sample": Reader(_object(sample_from_json), [json.dumps(sample_to_json(Sample("q", "Q?", "A.", ("C.",))))], (ValueError,)),
    "usage": Reader(_of_json(usage_from_json), ['{"calls": 1, "cost": 0.5}']),
    "payment": Reader(_of_json(payment_from_json), ['{"cost": 0.5, "unpriced": -1}']),
    "item of a test set": Reader(_object(item_from_json), ['{"id": "q", "question": "Q?", "reference": "R."}'], (ValueError,)),
    "TOML": Reader(_of_file(lambda file: read_file(file, "gist"), ".toml"), [GIST]),
    "JSON by hand": Reader(_of_file(lambda file: read_file(file, "gist"), ".json"), ['{"a": [1, {"b": null}]}']),
    "configuration": Reader(_of_file(lambda file: read_config(file, (JudgeSettings, CallSettings)), ".toml"), [CONFIG]),
    "worked example": Reader(_of_file(read_example, ".toml"), [EXAMPLE]),
    "calibration": Reader(_of_file(Calibration.load, ".json"), ['{"aspect": "correct", "n": 3, "before": {"value": 1}}']),
    "prompt": Reader(
        _of_file(read_prompts, ".toml"), ["[en]\ninstruction = '''Do.'''\nuser = '''{question}'''\n[en.forms.a]\nreply = 'x'\n"]
    ),
    "experiment": Reader(_of_file(read_plan, ".yaml"), [PLAN]),
    "prices": Reader(_of_json(lambda value: find_price({"m": value}, "openai:m")), ['{"prompt": 1, "completion": 0.5}']),
    "pairs": Reader(_of_text(lambda text: read_pairs([text], "--judge-option", texts=False)), ["a.b=1", "x={}"]),
    "columns": Reader(_of_text(lambda text: read_columns([text])), ["question=Q"]),
    "model's name": Reader(_of_text(parse_name), ["openai:gpt-4o@http://h:1/v1", "azure:m@RESOURCE"]),
    "metric's name": Reader(_of_text(lambda text: make_metrics([text])), ["accuracy[grounded]", "rouge[n=2]", 'criterion["a, b", 1 to 5]']),
    "reply: statements": Reader(
        _of_text(lambda text: read_reply(SplitStatements("Q?", "A.", language="en"), text)), ['{"statements": ["A is B.", "C."]}', "- A\n- B"], (ValueError,)
    ),
    "reply: verdicts": Reader(
        _of_text(lambda text: read_reply(_VERIFY, text)),
        ['```json\n{"verdicts": [{"reason": "so", "verdict": 1}, {"reason": "no", "verdict": 0}]}\n```', "S1: yes\nS2: no"],
        (ValueError,),
    ),
    "reply: grade": Reader(
        _of_text(lambda text: read_reply(GradeAnswer("Q?", "A.", ("R.",), language="en"), text)),
        ['{"review": "good", "grade": 4}', "Feedback: good [RESULT] 4", "評価: [RESULT] 5"],
        (ValueError,),
    ),
    "system's answer": Reader(
        _of_json(read_answer), ['{"answer": "a", "contexts": [{"text": "t", "score": 1, "start": 0}], "usage": {"calls": 1}}'],
        (SaitenError, ValueError),
    ),
    "completion": Reader(_object(lambda value: read_completion(value, _ENDPOINT)), [json.dumps(_CHOICE)]),
    "token probabilities": Reader(_object(read_tokens), [json.dumps(_CHOICE["choices"][0])]),  # type: ignore[index]
    "complaint": Reader(lambda content, _: read_complaint(content), ['{"error": {"message": "m", "code": 1, "param": "p"}}']),
    "retry-after": Reader(_of_text(lambda text: retry_after({"retry-after": text})), ["3", "Wed, 21 Oct 2015 07:28:00 GMT"]),
    "HTML": Reader(lambda content, _: list(html_pieces(content)), [PAGE], (NoText,)),
    "text": Reader(lambda content, _: decoded(content), ["plain", "日本語"], (NoText,)),
    **{
        f"cell {name}": Reader(_of_json(read), ['[{"text": "a", "start": 0, "end": 1}]', "['a' 'b']", "1"], (ValueError,))
        for name, read in (
            ("text", as_text), ("texts", as_texts), ("references", as_references), ("spans", as_spans), ("language", as_language),
        )
    },
}  # fmt: skip


@st.composite
def _damaged(draw: Any, seeds: Sequence[str]) -> bytes:
    """A seed with pieces cut out, put in, doubled and exchanged, or any bytes."""
    content = draw(st.sampled_from([*(seed.encode() for seed in seeds), b""]))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        piece = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=8), st.just(content[start:end] * 2)))
        content = content[:start] + piece + content[end:]
    return content


def test_a_list_where_an_object_was_mended_is_unreadable():
    """Repairing quotation marks may turn an object into a list of objects."""
    spoiled = '{""reason": "so", "verdict": 1},\n{""reason": "so", "verdict": 1}, {"reason": "no", "verdict": 0}]}'
    with pytest.raises(ValueError, match="expected"):
        read_reply(_VERIFY, spoiled)


@pytest.mark.parametrize("name", [*DATA, *OTHERS])
def test_a_reader_returns_or_raises_what_it_says(name, tmp_path):
    """Never another error, and never deeper than the interpreter."""
    reader = (DATA | OTHERS)[name]

    @settings(max_examples=EXAMPLES)
    @given(_damaged(reader.seeds))
    def check(content: bytes) -> None:
        with suppress(*reader.raises):
            reader.read(content, tmp_path)

    check()


def test_every_format_of_data_has_its_reader_here():
    """A format without an entry in the table would not be tried."""
    assert set(DATA) == set(formats.FORMATS)
