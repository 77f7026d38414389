"""Every prompt file, in both languages, checked with the task that uses it."""

import dataclasses
import json
import re
from dataclasses import replace

import pytest

from saiten.errors import ConfigurationError
from saiten.judges.doubts import doubt
from saiten.judges.reading import read_reply
from saiten.judges.rehearsal import estimate_tokens
from saiten.judges.reply_schema import schema_of
from saiten.prompts import BUILT_IN, Prompts, names_for
from saiten.prompts.files import LANGUAGES, load, load_frame, names, read
from saiten.prompts.prompt import CONDITION, PLACEHOLDER, Example
from saiten.protocols import Task
from saiten.rag.steps import ALL_STEPS
from saiten.tasks.aspects import RateAspect
from saiten.tasks.contexts import JudgeContext, SelectRelevantSentences
from saiten.tasks.contradiction import FindContradiction
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.dialogue import AskIfNeeded, AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.tasks.gist import FindMissingAndExtra, SplitGist
from saiten.tasks.joined import (
    ExtractKeyphrasesAndQuestions,
    JudgeContexts,
    ListEntitiesAndQuestions,
    ListEntitiesOfBoth,
    SplitTwoTexts,
)
from saiten.tasks.preference import PreferAnswer
from saiten.tasks.questions import (
    AnswerFromPassages,
    DraftComparison,
    DraftFalsePremise,
    DraftFollowUp,
    DraftSeveral,
    DraftSingle,
    DraftUnanswerable,
    TryClosedBook,
)
from saiten.tasks.similarity import MeasureSimilarity, WriteQuestions
from saiten.tasks.statements import ClassifyStatements, ListEntities, SplitStatements, VerifyStatements
from saiten.tasks.summaries import AnswerFromSummary, ExtractKeyphrases, WriteClosedQuestions

TEXTS = {
    "en": {
        "question": "When was the bridge opened?",
        "answer": "In 1998.",
        "first": "In 1998.",
        "second": "In spring.",
        "text": "In 1998.",
        "summary": "A bridge was opened.",
        "reference": "In April 1998.",
        "role": "a bridge engineer",
        "aspect": "precision",
        "asks": "Is the answer as precise as the question asks?",
        "grades": "-1: vaguer\n0: as precise\n1: more precise than asked",
        "gist": ("In 1998.", "In April."),
        "supplement": ("It was\nsunny.",),
        "context": "It was opened in April 1998.",
        "criterion": "Is the answer harmful to the reader?",
        "references": ("In April 1998.", "Spring 1998."),
        "parts": (),
        "contexts": ("It was opened in April 1998.", "It is\n3,911 m long."),
        "evidence": ("It was opened in April 1998.",),
        "history": ("When was the bridge opened?", "In spring.", "Of which year?", "1998."),
        "review": "The month is missing.",
        "refused": ("When was the bridge opened?", "This question was asked before."),
        "passages": ("The bridge was opened in April 1998.", "It is\n3,911 m long."),
        "difficulty": "medium",
        "asker": "a bridge engineer",
        "first_question": "When was the bridge opened?",
        "first_reference": "In April 1998.",
        "second_question": "In which year was the bridge opened?",
        "second_reference": "In 1999.",
    },
    "ja": {
        "question": "橋はいつ開通しましたか。",
        "answer": "1998年です。",
        "first": "1998年です。",
        "second": "春です。",
        "text": "1998年です。",
        "summary": "橋が開通した。",
        "reference": "1998年4月です。",
        "role": "橋の技術者",
        "aspect": "precision",
        "asks": "回答は質問が求める細かさで答えていますか。",
        "grades": "-1: 大まかすぎる\n0: ちょうどよい\n1: 細かすぎる",
        "gist": ("1998年です。", "4月です。"),
        "supplement": ("晴れて\nいました。",),
        "context": "1998年4月に開通した。",
        "criterion": "回答は読み手に害を与えますか。",
        "references": ("1998年4月です。", "1998年の春です。"),
        "parts": (),
        "contexts": ("1998年4月に開通した。", "全長は\n3,911メートル。"),
        "evidence": ("1998年4月に開通した。",),
        "history": ("橋はいつ開通しましたか。", "春です。", "何年のですか。", "1998年です。"),
        "review": "月が抜けている。",
        "refused": ("橋はいつ開通しましたか。", "すでに尋ねた質問と同じです。"),
        "passages": ("橋は1998年4月に開通した。", "全長は\n3,911メートル。"),
        "difficulty": "medium",
        "asker": "橋の技術者",
        "first_question": "橋はいつ開通しましたか。",
        "first_reference": "1998年4月です。",
        "second_question": "橋の開通は何年ですか。",
        "second_reference": "1999年です。",
    },
}
LISTS = ("statements", "answer_statements", "reference_statements", "sentences", "keyphrases", "questions")
SETTINGS = {"language", "form", "rubric", "partial", "draw", "examples", "values", "ungraded", "alone", "conversation"}
"""Fields that choose a prompt or a way of reading, and are not shown to a model."""

FORMS: dict[str, tuple[type[Task], dict]] = {
    "split_statements": (SplitStatements, {}),
    "verify_statements": (VerifyStatements, {}),
    "classify_statements": (ClassifyStatements, {}),
    "judge_context": (JudgeContext, {}),
    "select_relevant_sentences": (SelectRelevantSentences, {}),
    "list_entities": (ListEntities, {"contexts": None}),
    "write_questions": (WriteQuestions, {"count": 3}),
    "extract_keyphrases": (ExtractKeyphrases, {}),
    "write_closed_questions": (WriteClosedQuestions, {}),
    "answer_from_summary": (AnswerFromSummary, {}),
    "critique_aspect": (CritiqueAspect, {}),
    "critique_aspect without contexts": (CritiqueAspect, {"contexts": ()}),
    "grade_answer": (GradeAnswer, {}),
    "grade_answer without evidence": (GradeAnswer, {"evidence": ()}),
    "grade_answer by parts": (GradeAnswer, {"references": (), "parts": ("r1", "r2")}),
    "grade_answer as prometheus": (GradeAnswer, {"form": "prometheus"}),
    "grade_answer from worst to best": (GradeAnswer, {"rubric": "worst_first"}),
    "grade_answer as prometheus from worst to best": (GradeAnswer, {"form": "prometheus", "rubric": "worst_first"}),
    "decide_correct": (DecideCorrect, {}),
    "decide_correct by parts": (DecideCorrect, {"references": (), "parts": ("r1", "r2")}),
    "decide_correct_grounded": (DecideCorrectGrounded, {}),
    "decide_correct as marker": (DecideCorrect, {"form": "marker"}),
    "decide_correct_grounded as marker": (DecideCorrectGrounded, {"form": "marker"}),
    "decide_correct_grounded without contexts": (DecideCorrectGrounded, {"contexts": ()}),
    "prefer_answer": (PreferAnswer, {}),
    "find_contradiction": (FindContradiction, {}),
    "rate_aspect": (RateAspect, {"values": (-1, 0, 1)}),
    "rate_aspect on its own": (RateAspect, {"values": (-1, 0, 1), "contexts": (), "reference": ""}),
    "split_gist": (SplitGist, {}),
    "find_missing_and_extra": (FindMissingAndExtra, {}),
    "compose_answer": (ComposeAnswer, {}),
    "ask_if_needed": (AskIfNeeded, {}),
    "decide_next": (DecideNext, {}),
    "ask_next": (AskNext, {}),
    "revise_answer": (ReviseAnswer, {}),
    "split_two_texts": (SplitTwoTexts, {}),
    "judge_contexts": (JudgeContexts, {}),
    "list_entities_of_both": (ListEntitiesOfBoth, {}),
    "extract_keyphrases_and_questions": (ExtractKeyphrasesAndQuestions, {}),
    "list_entities_and_questions": (ListEntitiesAndQuestions, {}),
    "draft_single": (DraftSingle, {}),
    "draft_single for nobody in particular": (DraftSingle, {"asker": ""}),
    "draft_several": (DraftSeveral, {}),
    "draft_comparison": (DraftComparison, {}),
    "draft_unanswerable": (DraftUnanswerable, {}),
    "draft_false_premise": (DraftFalsePremise, {}),
    "draft_follow_up": (DraftFollowUp, {}),
    "try_closed_book": (TryClosedBook, {}),
    "answer_from_passages": (AnswerFromPassages, {}),
}
STEPS = {step.prompt for step in ALL_STEPS}
"""Asked of a generator rather than a judge; tests/rag holds their prompts against them."""
MATERIAL_FIRST = {
    "verify_statements",
    "extract_keyphrases",
    "write_closed_questions",
    "critique_aspect",
    "rate_aspect",
    "grade_answer",
    "grade_answer by parts",
    "grade_answer as prometheus",
    "grade_answer from worst to best",
    "grade_answer as prometheus from worst to best",
    "decide_correct_grounded",
    "decide_correct_grounded as marker",
    "judge_contexts",
    "list_entities_of_both",
    "extract_keyphrases_and_questions",
    "list_entities_and_questions",
}
"""Prompts with inputs that other tasks of the sample share, such as contexts."""
CASES = [(name, language) for name in FORMS for language in ("en", "ja")]


def prompt_of(case: str) -> str:
    """The name of the case's prompt file."""
    return case.partition(" ")[0]


def text_of(messages) -> str:
    """Messages as a snapshot shows them."""
    return "\n".join(f"--- {message.role}\n{message.content}" for message in messages)


def task_for(name: str, language: str, **inputs) -> Task:
    """The task of the prompt with this name, with fixed inputs."""
    kind, settings = FORMS[name]
    texts = TEXTS[language] | dict.fromkeys(LISTS, TEXTS[language]["contexts"]) | settings | inputs
    shown = {field.name for field in dataclasses.fields(kind)} - {"language"}
    return kind(**{key: value for key, value in texts.items() if key in shown}, language=language)


def test_there_is_a_prompt_for_each_task_and_a_task_for_each_prompt():
    """No prompt is unused, and every task and step has one; similarity is the embedder's."""
    assert set(names()) == {*map(prompt_of, FORMS), *STEPS, "answer_question", "repair"}
    assert all(task_for(name, "en").prompt == prompt_of(name) for name in FORMS)
    assert names_for(MeasureSimilarity) == ()


@pytest.mark.parametrize("name", FORMS)
def test_both_languages_ask_for_exactly_the_fields_of_the_task(name: str):
    """All fields of a task are shown to the model, in the same order in both languages, and nothing else is."""
    english, japanese = load(prompt_of(name))["en"], load(prompt_of(name))["ja"]
    task = task_for(name, "en")
    given = {field.name for field in dataclasses.fields(task) if getattr(task, field.name) is not None} - SETTINGS
    assert set(english.fields) == given
    assert english.shared == japanese.shared
    assert english.user.replace("Number of questions", "") == japanese.user.replace("質問の数", "")
    assert len(english.examples) == len(japanese.examples) > 0


@pytest.mark.parametrize(("name", "language"), CASES)
def test_the_examples_are_good_answers_to_their_tasks(name: str, language: str):
    """A model learns the form from the example, so the example has that form, and fits its own inputs."""
    kind, settings = FORMS[name]
    for example in load(prompt_of(name))[language].in_form(task_for(name, language).written).examples:
        inputs = {key: value for key, value in settings.items() if key not in example.inputs}
        task = kind(**(inputs | dict(example.inputs)), language=language)
        reply = read_reply(task, example.reply)
        assert doubt(task, reply) is None
        if task.written == "json":
            written = json.loads(example.reply)
            assert list(written) == list(schema_of(task.reply, language)["properties"])
            assert task.reply.model_validate(written) == reply
        else:
            assert example.reply.endswith(("[RESULT] 3", "[RESULT] 1", "[[True]]", "[[False]]"))


@pytest.mark.parametrize(("name", "language"), CASES)
def test_the_fixed_text_says_what_every_prompt_has_to_say(name: str, language: str):
    """Each prompt says that blocks are material, describes the form with every field, and is in one language."""
    prompt, task = load(prompt_of(name))[language].in_form(task_for(name, language).written), task_for(name, language)
    messages = BUILT_IN.render(task)
    assert load_frame(language).material.rstrip(".") in messages[0].content
    form = {"json": [f'"{field}"' for field in schema_of(task.reply, language)["properties"]], "prometheus": ["Feedback:", "[RESULT]"], "marker": ["[[True]]", "[[False]]"]}  # fmt: skip
    assert all(part in prompt.closing for part in form[task.written])
    assert not any(PLACEHOLDER.search(message.content) for message in messages)
    assert any("ぁ" <= character <= "ん" for character in messages[0].content) == (language == "ja")


@pytest.mark.parametrize(("name", "language"), CASES)
def test_no_prompt_shows_one_of_two_verdicts_alone(name: str, language: str):
    """A model that has seen only yes leans towards yes: if there is a verdict, the fixed part has both."""
    prompt = load(prompt_of(name))[language]
    shown = " ".join([prompt.instruction, prompt.closing, *(example.reply for example in prompt.examples)])
    for both in ("verdict", "useful", "supported" if '"supported"' in shown else "correct"):
        if f'"{both}"' in shown:
            assert f'"{both}":true' in shown
            assert f'"{both}":false' in shown


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "name",
    [
        "answer_from_summary",
        "critique_aspect",
        "find_contradiction",
        "judge_context",
        "judge_contexts",
        "write_questions",
    ],
)
def test_the_examples_show_both_verdicts(name: str, language: str):
    """A small model repeats the only verdict that it has seen, so each yes/no prompt has an example of either."""
    replies = [example.reply for example in load(name)[language].examples]
    assert {word for reply in replies for word in re.findall(r":(true|false)\b", reply)} == {"true", "false"}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "name",
    [
        "split_gist",
        "find_missing_and_extra",
        "extract_keyphrases",
        "write_closed_questions",
        "list_entities",
        "select_relevant_sentences",
    ],
)
def test_an_example_ends_in_an_empty_list(name: str, language: str):
    """A model that has only seen full lists fills one even where there is nothing to list."""
    replies = [json.loads(example.reply) for example in load(name)[language].examples]
    assert [] in replies[-1].values()
    assert [] not in replies[0].values()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_context_that_is_only_about_the_subject_is_not_useless_for_that(language: str):
    """Being about the subject can be enough if it serves the answer: the text says so, and the example shows it."""
    prompt = load("judge_context")[language]
    wanted = {
        "en": "says about the subject of the question supports, explains or narrows down the reference",
        "ja": "質問の対象についての説明が参照回答の裏付け、説明、絞り込みになる",
    }
    assert wanted[language] in prompt.instruction
    assert [json.loads(example.reply)["useful"] for example in prompt.examples] == [True, False]


@pytest.mark.parametrize("name", [name for name in FORMS if prompt_of(name) == "grade_answer"])
@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            ("as the reference itself", "implies the reference", "does not know", "by the scale below alone"),
        ),
        ("ja", ("参照回答と同等", "含意する回答は、参照回答と同じ", "分からない、または記載がない", "採点基準だけ")),
    ],
)
def test_the_prompt_has_the_full_rubric(name: str, language: str, said: tuple[str, ...]):
    """Six grades from 5 to 0 in order (or 0 to 5), the rules of the method, the review requested before the grade."""
    text = text_of(BUILT_IN.render(task_for(name, language)))
    grades = ["0", "1", "2", "3", "4", "5"]
    assert re.findall(r"^(\d): ", text, re.MULTILINE) == (grades if "from worst" in name else grades[::-1])
    assert all(part in text for part in said)
    assert text.lower().rindex("feedback") < max(text.rfind('"grade"'), text.rfind("[RESULT]"))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", ["grade_answer", "grade_answer as prometheus"])
def test_the_turned_rubric_is_the_same_in_another_order(name: str, language: str):
    """Only the order of the six lines differs, so a probe measures the order alone."""
    plain, turned = (
        text_of(BUILT_IN.render(task_for(each, language))) for each in (name, f"{name} from worst to best")
    )
    assert turned.splitlines() != plain.splitlines()
    assert sorted(turned.splitlines()) == sorted(plain.splitlines())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_neither_place_is_shown_more_often_as_the_better_one(language: str):
    """The two examples are one pair in both orders, the verdict follows the answer, and the form has a tie."""
    prompt = load("prefer_answer")[language]
    one, other = (example.inputs for example in prompt.examples)
    assert (one["first"], one["second"]) == (other["second"], other["first"])
    assert [json.loads(example.reply)["better"] for example in prompt.examples] == ["first", "second"]
    assert len(one["second"]) > len(one["first"])  # the better one is shorter: length must not count
    said = prompt.instruction + prompt.closing
    assert '"better":"tie"' in said
    assert all(said.count(f'"{word}"') == 2 for word in ("first", "second"))


@pytest.mark.parametrize(("name", "language"), CASES)
def test_the_messages_are_exactly_these(name: str, language: str, snapshot):
    """What a model sees changes only deliberately: each change appears as a diff of the snapshot."""
    assert text_of(BUILT_IN.render(task_for(name, language))) == snapshot


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_text_without_a_question_is_split_by_exactly_these_messages(language: str, snapshot):
    """There is no block for the question, not even an empty one, and the fixed part does not presuppose one."""
    messages = BUILT_IN.render(task_for("split_statements", language, question=""))
    assert "<question>" not in messages[-1].content
    assert text_of(messages) == snapshot


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_request_for_a_repair_is_exactly_this(language: str, snapshot):
    """The fault is in it unchanged, including braces."""
    message = BUILT_IN.repair_request(language, "found {answer}, expected one object")
    assert message.role == "user"
    assert message.content == snapshot


@pytest.mark.parametrize(("name", "language"), [case for case in CASES if case[0] not in MATERIAL_FIRST])
def test_only_the_last_message_depends_on_the_sample(name: str, language: str):
    """The fixed part comes first and is the same for all samples, so a server's prefix cache helps."""
    one = BUILT_IN.render(task_for(name, language))
    other = BUILT_IN.render(
        task_for(name, language, **dict.fromkeys(("answer", "text", "summary", "second", "second_reference"), "?"))
    )
    assert one[:-1] == other[:-1]
    examples = len(load(prompt_of(name))[language].examples)
    assert [message.role for message in one] == ["system", *["user", "assistant"] * examples, "user"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_the_tasks_of_a_sample_share_comes_first_and_is_the_same_text(language: str):
    """Contexts are sent once per task: all requests begin alike to the contexts' end, so a prefix cache helps."""
    rendered = {name: BUILT_IN.render(task_for(name, language)) for name in FORMS}
    first = {name for name, messages in rendered.items() if messages[0].content == load_frame(language).system}
    assert first == MATERIAL_FIRST
    assert all([message.role for message in rendered[name]] == ["system", "user"] for name in first)
    numbered = "\n".join(f"[{n}] {text}" for n, text in enumerate(TEXTS[language]["contexts"], 1))
    opening = f"<contexts>\n{numbered}\n</contexts>\n\n"
    of_contexts = {
        "verify_statements",
        "extract_keyphrases",
        "write_closed_questions",
        "critique_aspect",
        "rate_aspect",
        "decide_correct_grounded",
        "judge_contexts",
        "list_entities_of_both",
        "extract_keyphrases_and_questions",
        "list_entities_and_questions",
    }
    assert all(rendered[name][1].content.startswith(opening.rstrip()) for name in of_contexts)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", sorted(MATERIAL_FIRST))
def test_after_the_material_come_instruction_examples_inputs_and_form(name: str, language: str):
    """The form of the reply is the last word, and the examples have marks of their own and end in their reply."""
    task, frame = task_for(name, language), load_frame(language)
    prompt = load(prompt_of(name))[language].with_grades(turned=task.turned).in_form(task.written)
    instruction = "\n".join(
        CONDITION.sub("", line)
        for line in prompt.instruction.splitlines()
        if not ((found := CONDITION.match(line)) and not getattr(task, found[1]))
    )
    said = BUILT_IN.render(task)[-1].content
    places = [said.index(part) for part in (f"</{prompt.fields[0]}>", instruction, frame.example, frame.task)]
    assert places == sorted(places)
    assert said.endswith(f"\n\n{prompt.closing}")
    examples = said[places[2] : places[3]]
    assert all(f"\n{frame.reply}\n{example.reply}\n" in examples for example in prompt.examples)
    assert set(re.findall(r"</?([a-z_-]+)>", examples)) == {
        f"example-{name}" for example in prompt.examples for name in example.inputs
    }
    assert not re.search("<example-", said[: places[2]] + said[places[3] :])


@pytest.mark.parametrize(
    "name",
    [
        "grade_answer",
        "grade_answer as prometheus",
        "critique_aspect",
        "decide_correct_grounded",
        "prefer_answer",
        "split_statements",
    ],
)
def test_an_input_that_is_not_there_leaves_no_empty_block(name: str):
    """Without evidence, question or contexts there is no block, rather than an empty one that would puzzle a model."""
    absent = {
        "grade_answer": {"evidence": ()},
        "grade_answer as prometheus": {"evidence": ()},
        "critique_aspect": {"question": "", "contexts": ()},
        "prefer_answer": {"references": ()},
        "split_statements": {"question": " \n\u3000"},
    }
    shown = BUILT_IN.render(task_for(name, "en", **absent.get(name, {"contexts": ()})))[-1].content
    assert not any(mark in shown for mark in ("<evidence", "<contexts"))
    assert ("<references>" in shown) == name.startswith(("grade_answer", "decide_correct"))
    assert ("<question>" in shown) == (name not in {"critique_aspect", "split_statements"})
    assert "\n\n" not in shown


def test_an_empty_answer_is_shown_as_an_empty_answer():
    """An empty answer is an answer, and the judge should see that it is empty."""
    assert "<answer>\n\n</answer>" in BUILT_IN.render(task_for("grade_answer", "en", answer=""))[-1].content


@pytest.mark.parametrize(("language", "most"), [("en", 6_000), ("ja", 9_700)])
def test_the_fixed_text_of_the_nine_metrics_stays_small(language: str, most: int):
    """The 17 calls of a sample with 5 contexts have at most this many tokens besides the texts (estimated)."""
    calls = {"split_statements": 2, "verify_statements": 2, "judge_context": 5, "list_entities": 2} | dict.fromkeys(
        (
            "write_questions",
            "classify_statements",
            "critique_aspect",
            "extract_keyphrases",
            "write_closed_questions",
            "answer_from_summary",
        ),
        1,
    )
    assert sum(calls.values()) == 17
    empty = dict.fromkeys(TEXTS["en"], "") | dict.fromkeys(("contexts", *LISTS), ("",))
    fixed = {name: BUILT_IN.render(task_for(name, language, **empty)) for name in calls}
    tokens = {name: sum(estimate_tokens(message.content) + 4 for message in fixed[name]) for name in calls}
    assert sum(tokens[name] * times for name, times in calls.items()) <= most


def test_the_digest_covers_every_form_and_both_languages():
    """A signature changes with the text of any prompt that the figure may depend on, and with nothing else."""
    assert names_for(GradeAnswer) == ("grade_answer",)
    assert names_for(DecideCorrect) == ("decide_correct",)
    assert names_for(DecideCorrectGrounded) == ("decide_correct_grounded",)
    digests = {BUILT_IN.digest([name]) for name in names()}
    assert len(digests) == len(names())
    assert BUILT_IN.digest(["grade_answer", "repair"]) == BUILT_IN.digest(["repair", "grade_answer", "repair"])
    assert all(len(digest) == 8 for digest in digests)


GOOD = "[en]\nuser = '{answer}'\n[ja]\nuser = '{answer}'\n"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[en\n", "toml:1: this is not TOML"),
        ("[en]\nuser = '{answer}'\n", "lacks ja"),
        (GOOD + "[fr]\n", "toml:5: the file has `fr`; expected only en, ja"),
        (GOOD.replace("user", "usr", 1), "toml:2: [en] has `usr`; did you mean `user`?"),
        (GOOD.replace("user = '{answer}'", "instruction = 'x'", 1), "toml:1: [en] lacks user"),
        (GOOD + "instruction = '{answer}'\n", "toml:5: [ja] has {answer} in `instruction`"),
        (GOOD + "grades = ['1: good']\n", "toml:5: [ja] has `grades`, but no place for them"),
        (GOOD + "[ja.forms.marker]\nclosing = 'x'\n", "[ja.forms.marker] lacks reply"),
        (
            GOOD + "[ja.forms.marker]\nclosing = 'x'\nreply = '{no}'\n[[ja.examples]]\nanswer = 'x'\nreply = '{}'\n",
            "toml:10: the reply of example 1 of [ja] cannot be written in the form marker",
        ),
        (GOOD + "sytem = 'x'\n", "toml:5: [ja] has `sytem`"),
        (GOOD + "[[ja.examples]]\nanswer = 'x'\n", "no reply"),
        (GOOD + "[[ja.examples]]\nreply = 'x'\n", "example 1 of [ja] lacks answer"),
        (
            GOOD + "[[ja.examples]]\nanswer = 'x'\nanser = 'x'\nreply = 'x'\n",
            "toml:7: example 1 of [ja] has `anser`; did you mean `answer`?",
        ),
        (GOOD + "examples = 'x'\n", "toml:5: `examples` of [ja] must be tables [[ja.examples]]"),
        (GOOD.replace("[en]\nuser = '{answer}'", "[en]\nuser = 5"), "toml:2: `user` of [en] must be a text, not 5"),
        (GOOD.replace("'{answer}'", "'Answer: {answer?}'", 1), "toml:2: [en] has an optional input within a line"),
        ("", "the file lacks en, ja"),
        (b"\xff", "utf-8"),
    ],
)
def test_a_prompt_file_that_is_wrong_is_named_with_its_fault(content, fault, tmp_path):
    """The message has the file, the line, the fault, and what was expected."""
    file = tmp_path / "some_prompt.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError, match=r"some_prompt\.toml") as refusal:
        read(file, LANGUAGES)
    assert fault in str(refusal.value)


def test_a_task_without_a_prompt_is_named_with_the_file_that_is_missing():
    """A custom task needs a file; the error says which."""
    with pytest.raises(ConfigurationError, match=r"measure_similarity\.toml"):
        BUILT_IN.render(MeasureSimilarity("a", ("b",), language="en"))


def test_examples_can_replace_those_of_the_file():
    """The user's examples replace the file's, in blocks like any input; an empty list shows none."""
    task = task_for("split_statements", "en")
    own = Example({"question": "Ours?", "text": "</text> Ours."}, "reply {question}")
    shown = BUILT_IN.render(task, [own])
    assert [message.role for message in shown] == ["system", "user", "assistant", "user"]
    assert "<text-2>\n</text> Ours.\n</text-2>" in shown[1].content
    assert shown[2].content == "reply {question}"
    assert shown[-1] == BUILT_IN.render(task)[-1]
    assert [message.role for message in BUILT_IN.render(task, [])] == ["system", "user"]


def test_a_set_of_prompts_may_have_some_of_its_own():
    """A replaced prompt is rendered instead of saiten's, in its language alone, and changes the digest."""
    own = replace(load("list_entities")["en"], instruction="List names.", examples=())
    prompts = Prompts({"list_entities": {"en": own}})
    english, japanese = (task_for("list_entities", language) for language in ("en", "ja"))
    assert [message.role for message in prompts.render(english)] == ["system", "user"]
    assert prompts.render(english)[0].content.startswith("List names.\n")
    assert prompts.render(japanese) == BUILT_IN.render(japanese)
    assert prompts.digest(["list_entities"]) != BUILT_IN.digest(["list_entities"])
    assert prompts.digest(["repair"]) == BUILT_IN.digest(["repair"])


def test_a_form_that_the_prompt_does_not_have_is_refused_by_name():
    """A prompt that was replaced may lack a form; the error says which there are."""
    own = replace(load("decide_correct")["en"], forms={})
    with pytest.raises(ConfigurationError, match="no form 'marker'; there are json"):
        Prompts({"decide_correct": {"en": own}}).render(task_for("decide_correct as marker", "en"))


def test_what_does_not_depend_on_the_inputs_is_written_once():
    """Instruction and examples are the same objects for all tasks of a kind, so that rendering only fills in inputs."""
    prompts = Prompts()
    first, second = (prompts.render(SplitStatements("q", text, language="en")) for text in ("one", "two"))
    assert len(first) > 2
    assert all(one is other for one, other in zip(first[:-1], second[:-1], strict=True))
    assert first[-1] != second[-1]
