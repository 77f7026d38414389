"""What a system may return as an answer, and the errors for anything else."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.models.http_client import CHARGED
from saiten.rag.systems.contract import question_object, read_answer
from saiten.records import Answer, Inquiry, Passage, Turn, Usage
from saiten.runs.lines import from_line, to_line


class Document:
    """As LangChain has them."""

    def __init__(self):
        self.page_content = "Text."
        self.metadata = {"source": "a.md"}


@pytest.mark.parametrize(
    ("given_value", "text", "contexts"),
    [
        ("It is so.", "It is so.", None),
        ("", "", None),
        ({"answer": "a"}, "a", None),
        ({"response": "a"}, "a", None),
        ({"output": "o", "answer": "a", "response": "r"}, "a", None),
        ({"answer": "a", "contexts": None}, "a", None),
        ({"answer": "a", "contexts": []}, "a", ()),
        ({"answer": "a", "documents": ["d"]}, "a", (Passage("d"),)),
        ({"answer": "a", "retrieved_contexts": ({"content": "c"},)}, "a", (Passage("c"),)),
        (
            {"answer": "a", "contexts": [{"text": "t", "source": "s", "score": 1, "start": 0, "end": 1}]},
            "a",
            (Passage("t", "s", 1.0, 0, 1),),
        ),
        ({"answer": "a", "contexts": [{"text": "t", "source": 7, "score": "0.5"}]}, "a", (Passage("t", "7"),)),
        ({"answer": "a", "contexts": [{"text": "t", "score": math.nan}]}, "a", (Passage("t"),)),
        ({"answer": "a", "contexts": [{"text": "t", "score": np.float32(0.5)}]}, "a", (Passage("t", "", 0.5),)),
        ({"answer": "a", "contexts": [{"page_content": "t", "metadata": {"source": "s"}}]}, "a", (Passage("t", "s"),)),
        (("a", ["c"]), "a", (Passage("c"),)),
        (("a", None), "a", None),
        (("a", [Document()]), "a", (Passage("Text.", "a.md"),)),
        (Answer("a", (Passage("c", "s", math.inf),)), "a", (Passage("c", "s"),)),
        ({"answer": "half \ud83d of it"}, "half \ufffd of it", None),
    ],
)
def test_an_answer_may_be_given_in_few_ways(given_value, text, contexts):
    """A text, an object, a pair, an Answer; missing contexts are None, none found are ()."""
    found = read_answer(given_value)
    assert (found.text, found.contexts) == (text, contexts)


@pytest.mark.parametrize(
    ("given_value", "message"),
    [
        (None, "nothing"),
        (42, "a number"),
        (True, "true or false"),
        (["a"], "a list"),
        ((), "a tuple of 0"),
        (("a", [], "more"), "a tuple of 3"),
        (b"a", "a bytes"),
        ({}, "nothing in it"),
        ({"text": "a", "sources": []}, "`text`, `sources`"),
        ({"answer": None}, "`answer` must be a text, got nothing"),
        ({"answer": 42}, "`answer` must be a text, got a number"),
        ({"answer": "a", "contexts": "c"}, "`contexts` must be a list, got a str"),
        ({"answer": "a", "contexts": {"text": "c"}}, "an object"),
        (
            {"answer": "a", "contexts": ["c", None]},
            r"`contexts\[1\]` must be a text or an object with `text`, got nothing",
        ),
        ({"answer": "a", "contexts": [{"url": "u"}]}, r"`contexts\[0\]` is an object with `url`"),
        ({"answer": "a", "contexts": [{"text": None}]}, r"`contexts\[0\].text` must be a text"),
        ({"answer": "a", "contexts": [["c"]]}, "a list"),
        (Answer(7), "a number"),
        ({f"{'n' * 100}{n}": 1 for n in range(1000)}, "…"),
    ],
)
def test_what_is_no_answer_is_refused_with_what_came(given_value, message):
    """No number becomes a text, and nothing is guessed."""
    with pytest.raises(ValueError, match=message) as error:
        read_answer(given_value)
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (None, CHARGED),
        ("much", CHARGED),
        ({}, CHARGED),
        ({"calls": 3, "prompt_tokens": 10, "completion_tokens": 2, "cost": 0.5}, Usage(3, 10, 2, 0.5)),
        ({"calls": 0, "cost": 0}, Usage()),
        ({"prompt_tokens": 10}, Usage(1, 10, unpriced=1)),
        ({"prompt_tokens": 10, "cached_tokens": 4, "cost": 1}, Usage(1, 10, cost=1.0, cached_tokens=4)),
        ({"prompt_tokens": 10, "cached_tokens": 11}, Usage(1, 10, unpriced=1)),
        ({"prompt_tokens": 10, "cached_tokens": "4"}, Usage(1, 10, unpriced=1)),
        ({"prompt_tokens": -1, "completion_tokens": 1e9, "cost": -1}, CHARGED),
        ({"prompt_tokens": 10**30, "cost": math.nan}, CHARGED),
    ],
)
def test_an_unreported_cost_is_counted_and_never_guessed(reported, usage):
    """What cannot be a number of tokens counts as missing."""
    assert read_answer({"answer": "a", "usage": reported}).usage == usage


def test_a_question_travels_with_its_history_session_and_id():
    """They are exactly these five fields."""
    inquiry = Inquiry("And it?", "q1", (Turn("What?", "This."),), "dialogue-7", "ja")
    assert question_object(inquiry) == {
        "question": "And it?",
        "id": "q1",
        "session": "dialogue-7",
        "history": [{"question": "What?", "answer": "This."}],
        "language": "ja",
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["answer", "contexts", "text", "score", "usage", "cost", "source"]), inner)
    ),
    max_leaves=20,
)


@given(JSON)
def test_whatever_comes_is_an_answer_that_can_be_kept_or_a_sentence(value):
    """Garbage raises only ValueError, and accepted values can be written as JSON and read back."""
    try:
        found = read_answer(value)
    except ValueError:
        return
    passages = [[p.text, p.source, p.score, p.start, p.end] for p in found.contexts or ()]
    line = to_line({"answer": found.text, "contexts": passages})
    assert from_line(line) == json.loads(line)


@pytest.mark.parametrize(("seconds", "kept"), [(2.5, 2.5), (0, 0.0), (None, None), (-5.0, None), (math.nan, None)])
def test_an_impossible_latency_counts_as_unreported(seconds, kept):
    """It is then measured from outside; no mean goes below zero and no answer is lost."""
    assert read_answer(Answer("a", seconds=seconds)).seconds == kept
