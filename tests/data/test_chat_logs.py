"""Chat logs: each answer becomes a sample with its history, in every form that people have."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data import BadRow, read_samples
from saiten.data.message_rows import conversations_in
from saiten.data.shard_rows import ids_of, read_shard, repeated
from saiten.data.shards import count_rows, cut, numbered
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample, Turn
from saiten.text.language import detect_language

OPEN = {"role": "user", "content": "When is the museum open?"}
NINE = {"role": "assistant", "content": "From 9 to 17."}
WINTER = {"role": "user", "content": "And in winter?"}
TEN = {"role": "assistant", "content": "From 10 to 16."}
FIRST = Turn(OPEN["content"], NINE["content"])


def read(rows, **how):
    """The samples and bad rows, and the notes."""
    notes = []
    found = list(read_samples(rows, detect_language=detect_language, notify=notes.append, **how))
    return found, notes


def samples(rows, **how):
    """The samples of rows that are all usable."""
    found, _ = read(rows, **how)
    assert not [row for row in found if isinstance(row, BadRow)], found
    return found


def talk(*messages, **more):
    """A conversation in one row."""
    return {"id": "c1", "messages": list(messages), **more}


def test_each_answer_is_a_sample_with_what_was_said_before():
    """The id counts the answers; question, history, group and conversation are those of its place."""
    first, second = samples([talk(OPEN, NINE, WINTER, TEN, group="museum")])
    assert (first.id, first.question, first.answer) == ("c1/turn-1", OPEN["content"], NINE["content"])
    assert (second.id, second.question, second.answer) == ("c1/turn-2", WINTER["content"], TEN["content"])
    assert (first.history, second.history) == ((), (FIRST,))
    assert {(one.conversation, one.group, one.language) for one in (first, second)} == {("c1", "museum", "en")}


FORMS = {
    "ShareGPT": {"conversations": [{"from": "human", "value": "a?"}, {"from": "gpt", "value": "b."}]},
    "RAGAS": {"user_input": [{"content": "a?", "type": "human"}, {"content": "b.", "type": "ai"}]},
    "DeepEval": {"turns": [{"role": "user", "content": "a?"}, {"role": "assistant", "content": "b."}]},
    "LangChain": {
        "messages": [{"type": "human", "data": {"content": "a?"}}, {"type": "ai", "data": {"content": "b."}}]
    },
    "Anthropic": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "a?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "b."}, {"type": "tool_use", "input": {}}]},
        ]
    },
    "OpenAI responses": {
        "messages": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a?"}]},
            {"type": "reasoning", "content": None},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b."}]},
        ]
    },
    "JSON in a cell": {"messages": json.dumps([{"role": "user", "content": "a?"}, {"role": "ai", "content": "b."}])},
    "an object": {"messages": {"messages": [{"role": "user", "content": "a?"}, {"role": "bot", "content": "b."}]}},
    "a list named conversation": {
        "conversation_id": "x",
        "conversation": [{"role": "user", "content": "a?"}, {"role": "assistant", "content": "b."}],
    },
    "Japanese": {"会話": [{"話者": "ユーザー", "発言": "a?"}, {"話者": "アシスタント", "発言": "b."}]},
}


@pytest.mark.parametrize("name", FORMS)
def test_the_forms_of_other_tools_are_read(name):
    """One question and one answer, wherever roles and texts are kept."""
    (sample,) = samples([FORMS[name]])
    assert (sample.question, sample.answer) == ("a?", "b.")
    assert sample.id == f"{'x' if name.startswith('a list') else 'row-1'}/turn-1"


MESSY = [
    # messages → (question, answer, history) of each sample
    ([{"role": "system", "content": "Be brief."}, OPEN, NINE], [(OPEN["content"], NINE["content"], ())]),
    ([OPEN, WINTER, TEN], [("When is the museum open?\n\nAnd in winter?", TEN["content"], ())]),
    ([OPEN, NINE, TEN], [(OPEN["content"], "From 9 to 17.\n\nFrom 10 to 16.", ())]),
    ([{"role": "assistant", "content": "Hello!"}, OPEN, NINE], [(OPEN["content"], NINE["content"], (Turn("", "Hello!"),))]),
    ([OPEN, NINE, {"role": "user", "content": " "}, TEN], [(OPEN["content"], "From 9 to 17.\n\nFrom 10 to 16.", ())]),
    ([OPEN, {"role": "assistant", "content": ""}], [(OPEN["content"], "", ())]),
    ([OPEN, {"role": "assistant", "content": None}, NINE], [(OPEN["content"], NINE["content"], ())]),
    ([OPEN, {"role": "assistant", "content": "", "tool_calls": [{}]}, NINE], [(OPEN["content"], NINE["content"], ())]),
    ([OPEN, NINE, WINTER], [(OPEN["content"], NINE["content"], ())]),
    ([OPEN, {"role": "assistant", "content": ""}, WINTER, TEN], [(OPEN["content"], "", ()), (WINTER["content"], TEN["content"], (Turn(OPEN["content"], ""),))]),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), MESSY)
def test_messy_conversations(messages, expected):
    """System messages are no turns; messages of one side are joined; only an empty text is an empty answer."""
    found = samples([talk(*messages)])
    assert [(one.question, one.answer, one.history) for one in found] == expected


def test_what_tools_return_is_what_the_system_saw():
    """Texts of `tool` messages and results in blocks are contexts of the answer that follows, without repetitions."""
    tool = {"role": "tool", "content": json.dumps(["Open 9-17.", "Closed on Mondays."])}
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "content": [{"type": "text", "text": "Winter: 10-16."}]}],
    }
    (first, second) = samples([talk(OPEN, tool, tool, NINE, WINTER, {"role": "assistant", "content": [{"type": "tool_use"}]}, result, TEN)])  # fmt: skip
    assert first.contexts == ("Open 9-17.", "Closed on Mondays.")
    assert second.contexts == ("Winter: 10-16.",)
    (sample,) = samples([talk(OPEN, {"role": "tool", "content": {"hours": "9-17"}}, NINE)])
    assert sample.contexts == ('{"hours": "9-17"}',)


def test_contexts_and_references_of_a_message_go_before_those_of_the_conversation():
    """A message's own are its turn's; contexts of the row are those of all other turns."""
    shared = talk(
        OPEN, {**NINE, "retrieval_context": ["own"]}, {**WINTER, "reference": "10 to 16"}, TEN, contexts=["all"]
    )
    first, second = samples([shared])
    assert (first.contexts, second.contexts) == (("own",), ("all",))
    assert (first.reference, second.reference) == (None, "10 to 16")


def test_the_reference_of_a_conversation_belongs_to_an_answer_only_if_there_is_one():
    """Of several answers, none is expected to say all of it, and a note says who uses it."""
    (alone,) = samples([talk(OPEN, NINE, reference="9 to 17")])
    assert alone.reference == "9 to 17"
    several, notes = read([talk(OPEN, NINE, WINTER, TEN, reference="9 to 17, in winter 10 to 16")])
    assert {one.reference for one in several} == {None}
    assert "saiten converse --system recorded" in notes[-1]


def test_what_is_not_graded_is_counted():
    """Greetings and questions without an answer are in a note each, however many there are."""
    _, notes = read([talk(NINE, OPEN, NINE, WINTER), talk(NINE, OPEN, NINE) | {"id": "c2"}])
    assert [note.partition(";")[0] for note in notes] == [
        "input: conversations that begin with the assistant: 2",
        "input: conversations that end with a question without an answer: 1",
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (talk(OPEN, {"role": "wizard", "content": "x"}), "message 2: unknown role 'wizard'; known are user"),
        (talk(OPEN, {"content": "x", "role": None}), "message 2: unknown role None"),
        (talk(OPEN), "the conversation has no answer to a question"),
        (talk(NINE), "the conversation has no answer to a question"),
        ({"messages": ["a", "b"]}, "the messages are not a list, or its JSON, of objects with a role and a content"),
        ({"messages": "[{'role': 'user'}]"}, "the messages are not a list, or its JSON"),
        (talk(OPEN, {"role": "user", "content": {"x": 1, "y": 2}}), "message 2: expected text, got an object with x, y"),
        ({"messages": [OPEN, NINE], "answer": "Other."}, "the messages end with an answer that is not the one given"),
        ({"messages": [{"role": "system", "content": "x"}], "answer": "a"}, "there is no message of a user"),
        ({"question": "q", "answer": "a", "history": [1]}, "history: turn 1 is none"),
    ],
)  # fmt: skip
def test_a_conversation_that_cannot_be_used_is_a_bad_row(row, reason):
    """It is named with the number of its message, and the next row is read."""
    (bad, good), _ = read([row, talk(OPEN, NINE) | {"id": "good"}])
    assert isinstance(bad, BadRow)
    assert bad.reason.startswith(reason)
    assert bad.where == "input:1"
    assert good.id == "good/turn-1"


def test_messages_with_an_answer_beside_them_are_its_request():
    """MLflow's and LangSmith's requests: one sample, the last message is the question, the others the history."""
    request = {"messages": [OPEN, NINE, WINTER]}
    expected = (WINTER["content"], TEN["content"], (FIRST,))
    for row in (
        {"inputs": request, "outputs": TEN["content"]},
        {"request": json.dumps(request), "response": TEN["content"]},
        {"messages": [OPEN, NINE, WINTER], "answer": TEN["content"]},
        {"messages": [OPEN, NINE, WINTER, TEN], "answer": TEN["content"]},
    ):
        (sample,) = samples([row])
        assert (sample.question, sample.answer, sample.history) == expected
    (question,) = samples([{"inputs": request}])
    assert (question.question, question.answer, question.history) == (WINTER["content"], None, (FIRST,))


def test_a_row_with_question_and_answer_is_read_as_before():
    """Messages beside both are a trace of the call; `turns` may be a number."""
    (sample,) = samples([{"question": "q", "answer": "a", "messages": [OPEN, NINE], "turns": 3, "chat": "c9"}])
    assert (sample.id, sample.question, sample.answer, sample.history) == ("row-1", "q", "a", ())


@pytest.mark.parametrize(
    "history",
    [
        [{"question": OPEN["content"], "answer": NINE["content"]}],
        [[OPEN["content"], NINE["content"]]],
        [OPEN, NINE],
        [OPEN, NINE, {"role": "user", "content": "q"}],
        json.dumps([{"question": OPEN["content"], "answer": NINE["content"]}]),
        json.dumps([[OPEN["content"], NINE["content"]]]),
    ],
)
def test_ordinary_rows_may_have_a_history(history):
    """As questions and answers, as pairs or as messages, which may include the question itself; also as JSON."""
    (sample,) = samples([{"question": "q", "answer": "a", "history": history, "conversation_id": "c7"}])
    assert (sample.history, sample.conversation) == ((FIRST,), "c7")


def test_a_history_in_prose_is_not_shown_and_a_note_says_so():
    """It cannot be taken apart, so the row stays as it is."""
    (sample,), notes = read([{"question": "q", "answer": "a", "history": "User: hi"}])
    assert sample.history == ()
    assert "rows whose history is a text: 1" in notes[-1]


def test_all_answers_of_a_conversation_have_its_language():
    """`OK` and `42` say nothing about the language; an ordinary row takes it from its history, too."""
    log = talk({"role": "user", "content": "営業時間を教えてください。"}, {"role": "assistant", "content": "9時からです。"},
               {"role": "user", "content": "OK?"}, {"role": "assistant", "content": "OK."})  # fmt: skip
    assert {one.language for one in samples([log])} == {"ja"}
    (row,) = samples([{"question": "OK?", "answer": "OK.", "history": [["営業時間は?", "9時からです。"]]}])
    assert row.language == "ja"


def test_a_log_is_read_for_its_questions_or_as_whole_conversations():
    """`saiten answer` needs each question, `saiten converse` each conversation with its reference."""
    row = talk(NINE, OPEN, NINE, WINTER, reference="all of it")
    assert [(one.id, one.answer) for one in samples([row], chats="questions")] == [
        ("c1/turn-1", NINE["content"]),
        ("c1/turn-2", None),
    ]
    (whole,) = samples([row], chats="conversations")
    assert (whole.id, whole.question, whole.answer, whole.reference) == ("c1", OPEN["content"], None, "all of it")
    assert whole.history == (FIRST,)
    (opening,) = samples([row], chats="openings")  # what follows is no history of the first question
    assert opening == replace(whole, history=())
    (named,) = samples([row | {"question": "What are the opening hours?"}], chats="conversations")
    assert named.question == "What are the opening hours?"
    (asked,) = samples([talk(OPEN)], chats="questions")
    assert (asked.question, asked.answer) == (OPEN["content"], None)


def test_the_limit_counts_rows_and_repeated_ids_are_bad_rows():
    """A conversation is one row, so that none is cut in the middle."""
    rows = [talk(OPEN, NINE, WINTER, TEN), talk(OPEN, NINE)]
    assert len(samples(rows, limit=1)) == 2
    (_, _, bad), _ = read(rows)
    assert "an earlier row has the id 'c1/turn-1' too" in bad.reason


# ------------------------------------------------------------------------------------------- one row per message

HEADERS = {"conversation_id": "会話ID", "role": "話者", "content": "発言", "time": "日時"}


def in_rows(conversations, order, names=None):
    """One row per message, in an order of (conversation, message) that keeps each conversation's own."""
    left = {name: list(messages) for name, messages in conversations.items()}
    rows = []
    for name in order:
        message = left[name].pop(0)
        row = {"conversation_id": name, **message}
        rows.append({(names or {}).get(key, key): value for key, value in row.items()})
    return rows


ROLE = st.sampled_from(["user", "assistant"])
TEXT = st.text("abc あい", min_size=1, max_size=8).filter(str.strip)
CONVERSATIONS = st.dictionaries(
    st.sampled_from(["c1", "c2", "c3"]),
    st.lists(st.fixed_dictionaries({"role": ROLE, "content": TEXT}), min_size=1, max_size=6),
    min_size=1,
)


@given(CONVERSATIONS, st.randoms(use_true_random=False), st.booleans())
def test_any_split_into_rows_gives_the_same_samples(conversations, dice, japanese):
    """However the conversations are interleaved, each is what it is in one row; bad ones are bad in both forms."""
    order = [name for name, messages in conversations.items() for _ in messages]
    dice.shuffle(order)
    names = HEADERS if japanese else None
    rows = in_rows(conversations, order, names)
    as_rows, _ = read(rows)
    as_objects, _ = read([{"id": name, "messages": messages} for name, messages in conversations.items()])

    def outcome(found):
        good = sorted((one for one in found if isinstance(one, Sample)), key=lambda one: one.id)
        return good, sorted(one.reason for one in found if isinstance(one, BadRow))

    assert outcome(as_rows) == outcome(as_objects)


@given(CONVERSATIONS, st.randoms(use_true_random=False))
def test_times_give_the_order_of_shuffled_rows(conversations, dice):
    """Rows in any order: numbers and dates of all kinds sort them as they were said."""
    for write in (str, float, lambda at: f"2026-07-01 09:{at:02}:00", lambda at: f"2026/7/1 9:{at:02}",
                  lambda at: f"2026-07-01T09:{at:02}:00Z"):  # fmt: skip
        timed = {
            name: [{**message, "time": write(at)} for at, message in enumerate(messages)]
            for name, messages in conversations.items()
        }
        rows = [{"conversation_id": name, **message} for name, messages in timed.items() for message in messages]
        dice.shuffle(rows)
        found = {one.id: one for one in read(rows)[0] if isinstance(one, Sample)}
        ordered = [{"id": name, "messages": messages} for name, messages in conversations.items()]
        assert found == {one.id: one for one in read(ordered)[0] if isinstance(one, Sample)}


def test_rows_of_a_spreadsheet(tmp_path):
    """A CSV with Japanese names, as exported: empty cells are not given, references belong to their turn."""
    rows = [
        ["会話ID", "話者", "発言", "日時", "グループ", "正解", "検索結果"],
        ["A", "ユーザー", "営業時間は?", "2026/7/1 9:00", "博物館", "", ""],
        ["B", "利用者", "hi", "2026/7/1 9:00", "", "", ""],
        ["A", "アシスタント", "9時からです。", "2026/7/1 9:01", "博物館", "9時から17時", '["9時開館。"]'],
        ["B", "ボット", "", "2026/7/1 9:05", "", "", "[]"],
    ]
    path = tmp_path / "log.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    first, second = samples(path)
    assert (first.id, first.group, first.reference, first.contexts) == (
        "A/turn-1",
        "博物館",
        "9時から17時",
        ("9時開館。",),
    )
    assert (second.id, second.answer, second.group, second.contexts) == ("B/turn-1", "", None, ())


def test_a_reference_that_all_rows_repeat_is_the_conversations():
    """A table repeats what belongs to the whole in each row."""
    rows = [{"conversation_id": "c", **message, "reference": "all"} for message in (OPEN, NINE, WINTER, TEN)]
    (whole,) = samples(rows, chats="conversations")
    assert whole.reference == "all"
    assert {one.reference for one in samples(rows)} == {None}


def test_messages_without_a_conversation_are_one_and_a_note_says_so():
    """An exported chat is a list of messages."""
    found, notes = read(io.StringIO(json.dumps([OPEN, NINE, WINTER, TEN], indent=1)))
    assert [one.id for one in found] == ["row-1/turn-1", "row-1/turn-2"]
    assert "no column names the conversation" in notes[0]


def test_columns_of_messages_can_be_chosen():
    """`--column role=who`; an id that was chosen is the conversation's, and an unknown field is refused."""
    rows = [{"who": "human", "said": "a?", "talk": "t"}, {"who": "bot", "said": "b.", "talk": "t"}]
    for field in ("conversation", "id"):
        (sample,) = samples(rows, columns={"role": "who", "content": "said", field: "talk"})
        assert (sample.id, sample.question, sample.answer) == ("t/turn-1", "a?", "b.")
    with pytest.raises(BadInput, match="there is no column 'whom', which was named for the role"):
        read(rows, columns={"role": "whom", "content": "said"})
    with pytest.raises(ConfigurationError, match="there is no field 'speaker'"):
        read(rows, columns={"speaker": "who"})


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"conversation_id": "c", "role": "user", "content": "a", "time": "soon"}, {"conversation_id": "c", "role": "ai", "content": "b", "time": "2026-07-01"}], "message 1: the time 'soon'"),
        ([{"conversation_id": None, "role": "user", "content": "a"}], "the message belongs to no conversation"),
        ([{"conversation_id": "c", "role": "nobody", "content": "a"}], "message 1: unknown role 'nobody'"),
    ],
)  # fmt: skip
def test_rows_of_messages_that_cannot_be_used(rows, reason):
    """A conversation is a bad row at its first message; a message without one at its own."""
    (bad,), _ = read(rows)
    assert bad.reason.startswith(reason)
    assert bad.where == "input:1"


def test_a_log_with_one_row_per_message_has_a_limit(monkeypatch):
    """It is held in memory, and the error says what to do instead."""
    monkeypatch.setattr(f"{conversations_in.__module__}.MOST_CHARACTERS", 1 << 20)
    rows = ({"conversation_id": n, "role": "user", "content": "x" * 10_000} for n in range(1000))
    with pytest.raises(BadInput, match=r"more than 1 million characters; .* write one conversation per line"):
        read(rows)


def test_shards_have_the_samples_of_the_whole_and_refuse_rows_of_messages(tmp_path):
    """Each line is a conversation, wherever the input is cut; a conversation in several rows could be cut in two."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(talk(OPEN, NINE, WINTER, TEN) | {"id": f"c{n % 9}"}) + "\n" for n in range(10)))
    shards = cut(path, None, 600)
    shards = numbered(shards, [count_rows(shard) for shard in shards])
    refused = repeated([ids_of(shard) for shard in shards])
    found = [
        row
        for shard, ids in zip(shards, refused, strict=True)
        for row in read_shard(shard, detect_language=detect_language, notify=lambda _: None, refused=ids)
    ]
    assert len(shards) > 2
    assert found == read(path)[0]
    path.write_text("".join(json.dumps({"conversation_id": "c", **each}) + "\n" for each in (OPEN, NINE)))
    (shard,) = numbered(cut(path, None, 600), [count_rows(cut(path, None, 600)[0])])
    with pytest.raises(BadInput, match="one row per message"):
        list(read_shard(shard, detect_language=detect_language, notify=lambda _: None))
