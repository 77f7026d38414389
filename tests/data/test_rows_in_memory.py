"""Rows in memory: models, dataclasses, look-alikes of other tools' objects, and what is none of them."""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import types
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pytest

import saiten
from saiten.data import BadRow, read_samples
from saiten.errors import BadInput
from saiten.records import Sample


def read(source, notes=None, **settings):
    """Everything read from the source."""
    notes = [] if notes is None else notes
    return list(read_samples(source, detect_language=lambda *_: "en", notify=notes.append, **settings))


def look_alike(package, name, **attributes):
    """An object that its type makes look like one of this package."""
    return type(name, (), {"__module__": f"{package}.inside", **attributes})()


class Row(pydantic.BaseModel):
    """A model of the user's own."""

    question: str
    answer: str | None = None
    contexts: list["Passage"] | None = None

    @property
    def reference(self):
        """Never read."""
        raise AssertionError


class Passage(pydantic.BaseModel):
    """A model inside a model."""

    text: str


@dataclasses.dataclass(slots=True)
class Slotted:
    """A dataclass of the user's own."""

    question: str
    answer: str
    later: str = dataclasses.field(init=False)


@dataclasses.dataclass
class Batch:
    """A dataclass that yields its rows."""

    rows: list

    def __iter__(self):
        return iter(self.rows)


class Kind(enum.Enum):
    """A system's name as people keep it."""

    HASTY = "hasty"


ROW = {"question": "q", "answer": "a"}
SAMPLE = Sample("row-1", "q", "a")


@pytest.mark.parametrize(
    "source",
    [
        [ROW],
        (ROW,),
        iter([ROW]),
        {"only": ROW}.values(),
        collections.deque([types.MappingProxyType(ROW)]),
        [Row(**ROW)],
        Row(**ROW),
        [Slotted(**ROW)],
        Slotted(**ROW),
        Batch([ROW]),
        [SAMPLE],
        pd.DataFrame([ROW]),
        pl.DataFrame([ROW]),
        [collections.UserDict(ROW)],
    ],
    ids=lambda source: type(source).__name__,
)
def test_rows_come_in_many_shapes(source):
    """Mappings, models, dataclasses; lists, iterators and frames of them; one model is a data set of one row."""
    assert read(source) == [SAMPLE]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"contexts": [Passage(text="c")]}, {"contexts": ("c",)}),
        ({"contexts": Passage(text="c")}, {"contexts": ("c",)}),
        ({"contexts": np.array([Passage(text="c")], dtype=object)}, {"contexts": ("c",)}),
        ({"contexts": np.array(["c", "d"])}, {"contexts": ("c", "d")}),
        ({"system": Kind.HASTY}, {"system": "hasty"}),
        ({"id": uuid.UUID(int=7)}, {"id": "00000000-0000-0000-0000-000000000007"}),
        ({"id": np.int64(7)}, {"id": "7"}),
        ({"reference": decimal.Decimal("1.50")}, {"reference": "1.50"}),
        ({"reference": dt.date(1998, 4, 5)}, {"reference": "1998-04-05"}),
        ({"reference": pd.NA}, {}),
        ({"unused": object()}, {}),
        ({7: "x", None: "y", ("a", "b"): "z"}, {}),
    ],
)
def test_values_are_read_by_what_they_are(fields, expected):
    """Numbers, dates and ids as written, objects by their fields; what nobody needs does no harm."""
    assert read([{**ROW, **fields}]) == [dataclasses.replace(SAMPLE, **expected)]


class Talkative:
    """An object that must not be asked for its text."""

    def __str__(self):
        raise AssertionError

    __repr__ = __str__


LOOP = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (Talkative(), "got test_rows_in_memory.Talkative"),
        ("text", "got text"),
        (None, "got null"),
        (["q", "a"], "got a list"),
        ({**ROW, "answer": Talkative()}, "answer: expected text, a number, a list, a mapping, or a document, message"),
        ({**ROW, "contexts": [Talkative()]}, "contexts: expected text"),
        ({**ROW, "contexts": (each for each in "ab")}, "got generator"),
        ({**ROW, "contexts": {"a", "b"}}, "got set"),
        ({**ROW, "contexts": LOOP}, "contexts: nested more than 20 deep"),
        ({**ROW, "answer": Slotted}, "got type"),
        (look_alike("langchain_core", "Document", page_content="c"), "got langchain_core.Document"),
        (look_alike("deepeval", "ConversationalGolden"), "is a conversation that has not been held"),
    ],
)
def test_a_row_that_cannot_be_used_says_what_it_is(row, reason):
    """Its type is named, nothing of it is called, and the other rows are read."""
    bad, good = read([row, ROW])
    assert isinstance(bad, BadRow)
    assert reason in bad.reason
    assert good.answer == "a"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (ROW, r"got one dict; put a single row into a list"),
        (object(), r"expected a file, rows, .* got object"),
        (7, "got int"),
        (look_alike("datasets", "DatasetDict", __len__=lambda _: 2, __iter__=lambda _: iter(["a", "test"])), r'the splits a, test; name one: dataset\["test"\]'),
        (pl.LazyFrame([ROW]), "got polars.LazyFrame"),
    ],
)  # fmt: skip
def test_what_holds_no_rows_is_an_error_that_names_its_type(source, message):
    """And says what is accepted."""
    with pytest.raises(BadInput, match=message):
        saiten.evaluate(source, metrics=["length"])


def test_look_alikes_are_read_by_documented_attributes_alone():
    """The package and the name of the type decide, also of a type derived from it; nothing is imported."""
    document = look_alike("haystack", "Document", content="c")
    derived = type("Mine", (type(document),), {"__module__": "my_code"})()
    answer = look_alike("haystack", "GeneratedAnswer", data="a", query="q", documents=[document, derived], meta={})
    assert read([answer]) == [dataclasses.replace(SAMPLE, contexts=("c", "c"))]
    elsewhere = look_alike("my_code", "Document", content="c")
    (bad,) = read([{**ROW, "contexts": [elsewhere]}])
    assert bad.reason.endswith("got my_code.Document")


def test_a_sample_among_other_rows_is_a_row_and_another_row_among_samples_is_not():
    """Each list is read by its first row; nothing is dropped."""
    assert read([ROW, dataclasses.replace(SAMPLE, id="x")]) == [SAMPLE, dataclasses.replace(SAMPLE, id="x")]
    result = saiten.evaluate([SAMPLE, ROW], metrics=["length"])
    assert result.bad_rows == (BadRow("sample 2", "expected a saiten.Sample like the first one, got dict"),)


def test_bad_rows_are_passed_on():
    """What `read_samples` yields can be read again."""
    bad = BadRow("d.jsonl:1", "not JSON")
    assert read([ROW, bad]) == [SAMPLE, bad]


JOINED = {"input": "q", "actual_output": "a", "expected_output": "r"}


@pytest.mark.parametrize(
    ("row", "contexts"),
    [
        ({**JOINED, "retrieval_context": "c|d"}, ("c", "d")),
        ({**JOINED, "retrieval_context": "c"}, ("c",)),
        ({**JOINED, "retrieval_context": '["c|d"]'}, ("c|d",)),
        ({**JOINED, "retrieval_context": ["c|d"]}, ("c|d",)),
        ({**JOINED, "retrieval_context": "['c|d' 'e']"}, ("c|d", "e")),
        ({**JOINED, "retrieval_context": "[1] says c|[2] says d"}, ("[1] says c", "[2] says d")),
        ({**JOINED, "retrieval_context": "deepeval_source=a,b.md,deepeval_context=c\nx|d"}, ("c\nx", "d")),
        ({**JOINED, "retrieval_context": ["deepeval_source=a.md,deepeval_context=c|d"]}, ("c|d",)),
        ({**JOINED, "retrieval_context": ""}, None),
        ({**JOINED, "references": "c|d"}, ("c|d",)),
        ({"question": "q", "answer": "a", "retrieval_context": "c|d"}, ("c|d",)),
        ({"question": "q", "answer": "a", "context": "c|d"}, ("c|d",)),
        ({"question": "q", "answer": "a", "contexts": "c|d"}, ("c|d",)),
    ],
)
def test_contexts_are_split_at_a_bar_in_the_rows_of_deepeval_alone(row, contexts):
    """A list in the cell stays as it is, and so does a text in another tool's row; a note says what was split."""
    notes = []
    assert read([row], notes)[0].contexts == contexts
    value = row.get("retrieval_context", "")
    split = "input" in row and isinstance(value, str) and "|" in value and not value.startswith(('["', "['"))
    assert [note for note in notes if "split at |" in note] == (
        ["input: contexts are split at |, with which DeepEval joins them in its files; to keep a | in a text, save the data set as JSON, or write the contexts as a JSON list"] if split else []
    )  # fmt: skip
    column = "retrieval_context" if "retrieval_context" in row else "contexts"
    if column in row:
        assert read([row], columns={"contexts": column})[0].contexts == contexts
