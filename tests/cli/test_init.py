"""`saiten init`: it looks at data, writes a saiten.toml that the settings accept, and names commands that work."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import openpyxl
import pytest

from saiten.config_file import read_config
from saiten.models.providers import providers
from saiten.settings import CallSettings, DataSettings, JudgeSettings, MetricSettings

KINDS = (CallSettings, DataSettings, JudgeSettings, MetricSettings)
JAPANESE = "質問(原文),AIの回答案,資料,正解の文,ID番号\n橋はいつ開通しましたか。,1998年です。,この橋は1998年に開通した。,1998年に開通した。,1\nいつですか。,去年です。,去年開通した。,去年開通した。,2\n"
FILES = {
    "rows.jsonl": '{"question": "By when?", "answer": "By the 10th.", "contexts": ["By the 10th."], "reference": "The 10th.", "system": "a", "group": "g"}\n',
    "only.jsonl": '{"question": "By when?", "answer": "By the 10th."}\n',
    "without.jsonl": '{"question": "By when?", "reference": "The 10th."}\n',
    "質問.csv": JAPANESE,
    "ragas rows.json": '[{"user_input": "By when?", "response": "By the 10th.", "retrieved_contexts": ["The 10th."]}]',
    "no suffix": "question\tanswer\nBy when?\tBy the 10th.\n",
}
"""Files as people have them."""


@pytest.fixture(autouse=True)
def without_keys(monkeypatch):
    """No provider's key is in the environment."""
    for provider in providers().values():
        for name in provider.key:
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def init(saiten):
    """`saiten init NAME …` with one of the files."""

    def call(name, *more):
        Path(name).write_text(FILES[name], encoding="utf-8")
        return saiten("init", name, *more)

    return call


def next_commands(said):
    """The words of the commands on the last lines."""
    return [shlex.split(line)[1:] for line in said.out.partition("Next:")[2].splitlines() if line.strip()]


@pytest.mark.parametrize("name", [None, *FILES])
def test_the_commands_it_names_work_as_they_are(saiten, init, name):
    """Typed one after another, each ends well: scoring with the offline judge, showing, and a rehearsal."""
    more = ("--data-format", "tsv") if name == "no suffix" else ()
    said = saiten("init") if name is None else init(name, *more)
    assert said.status == 0, said
    commands = next_commands(said)
    assert len(commands) >= 2
    for words in commands:
        assert saiten(*words).status == 0, words


@pytest.mark.parametrize("name", [None, *FILES])
def test_every_setting_it_writes_is_accepted(saiten, init, name):
    """As it is, and with each of the settings in comments made active; all have the help of the command line."""
    more = ("--data-format", "tsv") if name == "no suffix" else ()
    assert (saiten("init") if name is None else init(name, *more)).status == 0
    text = Path("saiten.toml").read_text("utf-8")
    config = read_config()
    assert {"judge", "max_calls"} <= config.values.keys()
    for kind in KINDS:
        config.settings(kind)
    others = re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE)
    assert {line.split()[0] for line in others} >= {"judge", "max_cost", "cache"}
    for line in others:
        active = [each for each in text.splitlines() if each.split(" ")[0] != line.split()[0]]
        Path("saiten.toml").write_text("\n".join([*active, line]), encoding="utf-8")
        changed = read_config()
        assert changed.values[line.split()[0]] == tomllib.loads(line)[line.split()[0]]
        for kind in KINDS:
            changed.settings(kind)
    assert "# Stop cleanly at this cost; requires a known price, see --dry-run.\n" in text


def test_it_says_what_the_rows_have(init):
    """Columns by field, systems, groups, languages, what can be measured now and with which field more."""
    said = init("rows.jsonl")
    for line in (
        "looked at all 1 rows",
        "question     from question",
        "systems      a\n",
        "groups       g\n",
        "languages    en: 1",
        "can be measured: faithfulness",
        "no key in the environment",
    ):
        assert line in said.out
    said = init("without.jsonl", "--force")
    assert "with answer also: " in said.out
    assert "no row has an answer" in said.out


def test_a_sheet_with_two_systems_and_a_chat_log_are_looked_at_as_they_are_scored(saiten, somewhere):
    """The columns of both systems below a title, and the messages of a conversation; the command printed works."""
    book = openpyxl.Workbook()
    for row in (
        ["回答の評価"],
        ["No", "質問", "回答A", "回答B", "正解"],
        [1, "q", "x", "y", "x"],
        [None, None, "以上"],
    ):
        book.active.append(row)
    book.save("faq.xlsx")
    said = saiten("init", "faq.xlsx")
    assert (said.status, "answer       from 回答A, 回答B\n" in said.out, "systems      A, B\n" in said.out) == (
        0,
        True,
        True,
    )
    assert saiten("score", "faq.xlsx").status == 0
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    Path("chat.jsonl").write_text(json.dumps({"id": "c", "messages": messages}) + "\n")
    said = saiten("init", "chat.jsonl", "--force")
    assert (said.status, "messages     from messages\n" in said.out) == (0, True)
    assert saiten("score", "chat.jsonl").status == 0


def test_columns_with_other_names_are_guessed_and_written(init):
    """A name that contains a known one, in either language; it says so, and the file maps them."""
    said = init("質問.csv")
    assert said.out.count("(guessed from its name)") == 3
    assert "not used     資料, ID番号" in said.out
    assert "--column contexts=COLUMN" in said.out
    assert read_config().values["column"] == ["question=質問(原文)", "answer=AIの回答案", "reference=正解の文"]


def test_a_column_that_is_named_is_written(saiten, init):
    """Next to those that are guessed; the language, too."""
    assert init("質問.csv", "--column", "contexts=資料", "--language", "ja").status == 0
    values = read_config().values
    assert values["column"][0] == "contexts=資料"
    assert values["language"] == "ja"
    assert values["metrics"][0] == "faithfulness"
    assert saiten("score", "質問.csv").status == 0


@pytest.mark.parametrize(
    ("columns", "guessed"),
    [
        ("users_question_text,answers of the bot", {"question": "users_question_text", "answer": "answers of the bot"}),
        ("question,answer,ground_truth_v1,ground_truth_v2", {}),  # two may be the reference
        ("question,answer,answer_length,question_id", {}),
        ("question,answer,ground_truth_answer_v2", {"reference": "ground_truth_answer_v2"}),
        ("question,slang,ident", {}),
    ],
)
def test_a_guess_is_made_only_if_one_column_fits(saiten, columns, guessed):
    """And never for numbers, or names about a text."""
    names = columns.split(",")
    Path("d.csv").write_text(f"{columns}\n{','.join('a b c' for _ in names)}\n")
    assert saiten("init", "d.csv").status == 0
    written = read_config().values.get("column", [])
    assert dict(pair.split("=") for pair in written) == guessed


def test_keys_are_named_and_never_shown(saiten, monkeypatch):
    """Only the variables' names, on the screen and in the file."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    said = saiten("init")
    assert "keys in the environment: OPENAI_API_KEY" in said.out
    assert "planted" not in said.out + said.err + Path("saiten.toml").read_text("utf-8")


def test_nothing_is_overwritten_without_force(saiten, init):
    """The file stays as it is, even one that is no settings of saiten's."""
    Path("saiten.toml").write_text("mine")
    said = init("rows.jsonl")
    assert (said.status, Path("saiten.toml").read_text()) == (2, "mine")
    assert "--force replaces it" in said.err
    assert init("rows.jsonl", "--force").status == 0
    assert read_config().values["judge"] == "offline"
    assert saiten("init").status == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no file d.csv"),
        ("question\n", "has no rows"),
        ("a,b\n1,2\n", "no column for question or answer"),
        ("question,reference\n,x\n", "none of the first 1 rows can be used"),
    ],
)
def test_data_that_cannot_be_used_leaves_no_file(saiten, content, message):
    """The error is that of the readers, and says what is there."""
    if content is not None:
        Path("d.csv").write_text(content)
    said = saiten("init", "d.csv")
    assert said.status == 2
    assert message in said.err
    assert not Path("saiten.toml").exists()


def test_standard_input_is_refused(saiten):
    """The commands that it would name could not read it again."""
    assert "can be read only once" in saiten("init", "-").err


def test_only_the_first_rows_are_read(saiten):
    """A large file is not read to its end."""
    Path("d.jsonl").write_text('{"question": "q", "answer": "a"}\n' * 1500 + "torn")
    assert "looked at the first 1000 rows" in saiten("init", "d.jsonl").out


def test_a_mapping_in_the_file_counts_for_commands_and_python(saiten, init):
    """What is typed replaces it; rows in memory have the names that the program gave them."""
    import saiten as package

    init("質問.csv")
    assert saiten("score", "質問.csv", "-m", "length").status == 0
    assert "no column 'X'" in saiten("score", "質問.csv", "-m", "length", "--column", "question=X", "-o", "other").err
    assert package.evaluate("質問.csv", ["length"]).samples[0].answer == "1998年です。"
    assert package.evaluate([{"question": "q", "answer": "a"}], ["length"]).samples[0].answer == "a"
