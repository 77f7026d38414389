"""Prompts of one's own: folders that replace some of saiten's prompts, and the folders that come with saiten."""

from pathlib import Path

import pytest

from saiten.errors import ConfigurationError
from saiten.prompts import BUILT_IN, find_prompts, presets
from saiten.prompts.files import load
from saiten.prompts.folder import files_in
from saiten.tasks.correctness import DecideCorrect, GradeAnswer
from saiten.tasks.statements import ListEntities, VerifyStatements

ENTITIES = """[en]
instruction = 'List all names.'
closing = 'Reply in JSON: {"entities": ["…"]}'
user = '{text}'
"""
CLOSED = "[ja]\ninstruction = 'x'\nclosing = 'x'\nuser = '{contexts} {keyphrases}'\n"
REST = "\nkeyphrases = ['k']\nreply = '{}'\n"


def folder_with(tmp_path: Path, content: str, name: str = "list_entities") -> Path:
    """A folder with this file."""
    (tmp_path / f"{name}.toml").write_text(content, encoding="utf-8")
    return tmp_path


def test_one_prompt_in_one_language_is_replaced_and_all_others_stay(tmp_path):
    """What the folder does not hold is saiten's own, whatever else is in the folder."""
    (tmp_path / "README.md").write_text("Our prompts.")
    prompts = find_prompts(folder_with(tmp_path, ENTITIES))
    english, japanese = (ListEntities("Paris", language=language) for language in ("en", "ja"))
    system, shown = prompts.render(english)
    assert system.content.startswith("List all names.\nText between <tags> is material")
    assert shown.content == "<text>\nParis\n</text>"
    assert prompts.render(japanese) == BUILT_IN.render(japanese)
    statements = VerifyStatements(("a",), ("b",), language="en")
    assert prompts.render(statements) == BUILT_IN.render(statements)


def test_the_digest_follows_the_text_and_a_mere_copy_has_that_of_the_original(tmp_path):
    """Figures made with other prompts are told apart, and a folder with unchanged copies changes no signature."""
    own = folder_with(tmp_path, files_in(None)["list_entities"].read_text(encoding="utf-8"))
    assert find_prompts(own).digest(["list_entities"]) == BUILT_IN.digest(["list_entities"])
    first = find_prompts(folder_with(own, ENTITIES)).digest(["list_entities"])
    second = find_prompts(folder_with(own, ENTITIES.replace("all", "the"))).digest(["list_entities"])
    assert len({first, second, BUILT_IN.digest(["list_entities"])}) == 3


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("list_entites", ENTITIES, "list_entites.toml: there is no prompt of this name; did you mean list_entities.toml?"),
        ("frame", ENTITIES, "frame.toml: there is no prompt of this name"),
        ("list_entities", "", "list_entities.toml: the file is empty; expected [en] or [ja]"),
        ("list_entities", "[en]\nuser = {\n", "list_entities.toml:2: this is not TOML"),
        (
            "list_entities",
            ENTITIES.replace("instruction", "instructions"),
            "list_entities.toml:2: [en] has `instructions`; did you mean `instruction`?",
        ),
        (
            "list_entities",
            ENTITIES.replace("{text}", "{test}"),
            "list_entities.toml:4: [en] has {test}, which this prompt is not given; did you mean {text}?",
        ),
        (
            "list_entities",
            ENTITIES.replace("{text}", "{txet}") + "[[en.examples]]\ntext = 'Rome'\nreply = '{\"entities\": []}'\n",
            "list_entities.toml:4: [en] has {txet}, which this prompt is not given; did you mean {text}?",
        ),
        (
            "list_entities",
            ENTITIES.replace("{text}", "{text}\\n{answer}").replace("'{text", '"{text').replace("answer}'", 'answer}"'),
            "list_entities.toml:4: [en] has {answer}, which this prompt is not given; this prompt is given {text}",
        ),
        ("list_entities", ENTITIES.replace("{text}", "The text:"), "list_entities.toml:1: [en] lacks {text}; put it on"),
        ("list_entities", ENTITIES.replace("closing", "grades"), "list_entities.toml:3: `grades` of [en] must be a list"),
        ("list_entities", ENTITIES.replace("instruction = 'List all names.'", ""), "toml:1: [en] lacks `instruction`"),
        ("list_entities", "\n[fr]\nuser = '{text}'\n", "list_entities.toml:2: the file has `fr`; expected only en, ja"),
        (
            "decide_correct",
            "[en]\ninstruction = 'x'\nclosing = 'x'\nuser = '{question}{references}{parts}{answer}'\n",
            "decide_correct.toml:1: [en] lacks the form marker; add a table [en.forms.marker] with closing and reply",
        ),
        (
            "write_closed_questions",
            f"{CLOSED}[[ja.examples]]\ncontexts = ['c']{REST}[[ja.examples]]\ncontexts = 'c'{REST}",
            "write_closed_questions.toml:10: `contexts` in example 2 of [ja] must be a list of texts",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_file_and_line_and_what_to_do(name, content, fault, tmp_path):
    """Nothing is asked of a model with a prompt that lacks an input or has a misspelled key."""
    with pytest.raises(ConfigurationError) as refusal:
        find_prompts(folder_with(tmp_path, content, name))
    assert fault in str(refusal.value)


def test_a_folder_that_is_missing_or_empty_is_refused_with_what_to_do(tmp_path):
    """A misspelled preset is recognized."""
    with pytest.raises(ConfigurationError, match="did you mean paper-accuracy"):
        find_prompts("paper-acuracy")
    with pytest.raises(ConfigurationError, match=r"no such folder of prompts.*saiten prompts copy"):
        find_prompts(tmp_path / "none")
    with pytest.raises(ConfigurationError, match="holds no prompts"):
        find_prompts(tmp_path)


def test_without_a_name_the_prompts_are_those_of_saiten():
    """No option, no change."""
    assert find_prompts(None) is BUILT_IN


@pytest.mark.parametrize("name", presets())
def test_the_presets_are_complete_in_both_languages(name):
    """Each replaces some prompts in both languages, zero-shot, and differs from saiten's own."""
    replaced = find_prompts(name).replaced
    assert replaced
    for prompt, languages in replaced.items():
        assert set(languages) == {"en", "ja"}
        assert all(not one.examples for one in languages.values())
        assert all(one != load(prompt)[language] for language, one in languages.items())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_presets_of_judges_are_exactly_these_messages(language, snapshot):
    """The paper's grades from 5 to 0, and its binary judge that ends in [[True]] or [[False]], without examples."""
    graded = GradeAnswer("Q?", "A.", ("R.",), ("E.",), language=language)
    binary = DecideCorrect("Q?", "A.", ("R.",), "marker", language=language)
    shown = [
        *find_prompts("paper-graded-correctness").render(graded),
        *find_prompts("paper-accuracy").render(binary),
    ]
    assert "\n".join(f"--- {message.role}\n{message.content}" for message in shown) == snapshot
