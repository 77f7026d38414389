"""An encoder as judge: what it grades, what it refuses, and that a grade depends only on the answer."""

import asyncio
import json
import random
from dataclasses import replace

import numpy as np
import pytest

import networks
from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.encoder.head import FILE, LinearHead
from saiten.judges.encoder.judge import EncoderJudge
from saiten.judges.encoder.loading import load_encoder
from saiten.judges.encoder.texts import Texts, learnable
from saiten.judges.encoder.windows import Cutter
from saiten.judges.held_out import HeldOut
from saiten.judges.tuned import TunedAspect, TunedJudge
from saiten.judges.tuned_folder import NAME, write_tuned
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.settings import JudgeSettings
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, GradeAnswer
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import SplitStatements
from saiten.wiring import assemble_judge
from tiny_models import tiny_bert

pytestmark = networks.marks()

ASPECTS = (
    TunedAspect("correct", "decide_correct", (0, 1), 0.5),
    TunedAspect("clarity", "rate_aspect", (-1, 0, 1), 0.0),
    TunedAspect("correctness", "grade_answer", (0, 1, 2, 3, 4, 5), 3.0),
)
READS = 48


def rate(answer, aspect="clarity", values=(-1, 0, 1), language="en", question="is the cat in tokyo"):
    """A task that the judge below has learned."""
    return RateAspect(aspect, "Is it clear?", "…", question, answer, values, language=language)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished judge with random weights: an encoder, its head, and the last file of `saiten tune judge`."""
    found = tiny_bert(tmp_path_factory.mktemp("judge"), layers=2)
    draw = np.random.default_rng(1)
    LinearHead(draw.normal(0, 0.2, (len(ASPECTS), 32)), np.array([0.5, 0.0, 3.0])).save(found)
    write_tuned(found, manifest())
    return found


def manifest(head="regression", aspects=ASPECTS, **network):
    """The contents of `saiten-judge.json`."""
    return TunedJudge(
        head, "base", "", aspects, "", "", "abc", 3, 40, 20, 4, {}, HeldOut("judge", ()),
        network=network or {"length": READS, "windows": 3},
    )  # fmt: skip


@pytest.fixture
async def judge(folder):
    """The judge by its name, as every command gets it."""
    found = assemble_judge(JudgeSettings(f"hf:{folder}"), environ={})
    assert isinstance(found, EncoderJudge)
    yield found
    await found.close()


async def test_a_rating_keeps_the_real_number_and_says_that_there_is_no_reason(judge):
    """The value is the prediction, the grade the nearest on the scale; the reason invents nothing."""
    rating = await judge.perform(rate("the cat sat on the bridge"))
    assert rating.value == rating.exact != rating.grade
    assert rating.grade == min((-1, 0, 1), key=lambda grade: abs(grade - rating.value))
    assert rating.reason == f"A regression predicts {rating.value:g}; it gives no reason."
    japanese = await judge.perform(rate("猫が好き", language="ja"))
    assert japanese.reason == f"回帰による予測値{japanese.value:g}。理由は示されない。"


@pytest.mark.witness
async def test_a_grade_and_a_decision(judge):
    """It uses question, references and answer; a grade is 1 to 5, and the probability decides a verdict."""
    grade = await judge.perform(GradeAnswer("is it on", "the cat", ("the dog",), language="en"))
    assert 1 <= grade.value <= 5
    assert grade.grade == round(grade.value)
    decision = await judge.perform(DecideCorrect("is it on", "the cat", ("the dog",), language="en"))
    assert decision.correct == (decision.p > 0.5)
    other = await judge.perform(DecideCorrect("is it on", "the cat", ("the bridge opened",), language="en"))
    assert other.p != decision.p


async def test_a_prediction_off_the_scale_is_clipped_and_says_so(folder, tmp_path):
    """The reason has the original prediction."""
    own = TunedAspect("clarity", "rate_aspect", (-1, 0, 1), 0.0)
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    LinearHead(np.zeros((1, 32)), np.array([1.75])).save(tmp_path)
    judge = EncoderJudge(tmp_path, [own], {"length": READS, "windows": 3})
    rating = await judge.perform(rate("the cat"))
    assert (rating.value, rating.grade) == (1.0, 1)
    assert (
        rating.reason
        == "A regression predicts 1 (predicted 1.75, clipped to the end of the scale); it gives no reason."
    )
    await judge.close()


async def test_a_grade_depends_on_the_answer_alone(judge, folder):
    """Neither other answers graded at the same time nor their length matter; another judge of the folder agrees."""
    draw = random.Random(3)
    words = ["the", "cat", "dog", "sat", "on", "bridge", "橋", "猫", "zebra", "!"]
    answers = [" ".join(draw.choices(words, k=draw.randint(1, 90))) for _ in range(40)]
    together = [one.value for one in await asyncio.gather(*(judge.perform(rate(answer)) for answer in answers))]
    other = EncoderJudge.of(str(folder))
    alone = [(await other.perform(rate(answer))).value for answer in reversed(answers)][::-1]
    await other.close()
    assert together == pytest.approx(alone, abs=2e-4)
    assert len(set(together)) > 30


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " ",
        "\ud800",
        "cat \udfff dog",
        "\x00\x1b[31m",
        "a" * 5000,
        "\n" * 5000,
        "😀👩‍👩‍👧",
        "\u202ecat",
        "##cat",
        "ＣＡＴ",
    ],
    ids=ascii,
)
async def test_any_text_has_a_grade(judge, answer):
    """Half characters, control characters, one endless word."""
    rating = await judge.perform(rate(answer, question=answer))
    assert -1 <= rating.value <= 1


async def test_one_reading_gives_all_aspects_and_is_counted_once(folder):
    """Whoever asks first gets the cost."""
    aspects = [TunedAspect(name, "rate_aspect", (-1, 0, 1), 0.0) for name in ("a", "b", "c")]
    judge = EncoderJudge(folder, aspects, {"length": READS, "windows": 3})
    ratings = await asyncio.gather(*(judge.perform(rate("the cat", name)) for name in ("a", "b", "c")))
    again = await judge.perform(rate("the cat", "a"))
    usages = [one.usage for one in (*ratings, again)]
    assert sum(usage.calls for usage in usages) == 1
    assert sum(usage.prompt_tokens for usage in usages) > 5
    assert [usage.reused for usage in usages] == [0, 1, 1, 1]
    await judge.close()


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            SplitStatements("q", "a", language="en"),
            r"learned correct \(0 to 1\), clarity \(-1 to 1\), .* SplitStatements",
        ),
        (rate("a", "formality"), "cannot rate 'formality'"),
        (
            DecideCorrectGrounded("q", "a", ("r",), contexts=("c",), language="en"),
            "cannot perform DecideCorrectGrounded",
        ),
        (rate("a", values=(0, 1, 2, 3)), "'clarity' on the scale -1 to 1, and is asked for it on 0 to 3"),
        (rate("a", values=(-1, 1)), "on the scale -1 to 1, and is asked for it on -1, 1"),
        (MeasureSimilarity("a", ("b",), language="en"), "cannot perform MeasureSimilarity"),
    ],
)
async def test_what_was_not_learned_is_refused(folder, task, message):
    """The message has what it can do; for another scale, both scales."""
    judge = EncoderJudge.of(str(folder))
    with pytest.raises(CannotJudge, match=message):
        await judge.perform(task)
    await judge.close()


async def test_similarity_is_the_embedders(judge):
    """As with every judge."""
    similarities = await judge.perform(MeasureSimilarity("the cat", ("the cat", "a bridge"), language="en"))
    assert similarities.values[0] == pytest.approx(1)
    assert judge.describe([MeasureSimilarity])["embedder"] == BuiltinEmbedder().name


async def test_what_a_figure_depends_on(judge, folder, tmp_path):
    """Name, fingerprint and kind; trained weights have another fingerprint."""
    described = judge.describe([RateAspect])
    assert described["judge"].startswith(f"hf:{folder.name}@")
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    LinearHead(np.zeros((len(ASPECTS), 32)), np.zeros(len(ASPECTS))).save(tmp_path)
    assert (
        EncoderJudge.of(str(tmp_path)).describe([])["judge"].partition("@")[2] != described["judge"].partition("@")[2]
    )


def no_head(folder):
    """The head is missing."""
    (folder / FILE).unlink()


def no_weights(folder):
    """The encoder's weights are missing."""
    (folder / "model.safetensors").unlink()


def half_a_head(folder):
    """The head is truncated."""
    (folder / FILE).write_bytes((folder / FILE).read_bytes()[:-20])


def half_the_weights(folder):
    """The weights are truncated."""
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:5000])


def another_heads_weights(folder):
    """The head has another number of aspects and features."""
    LinearHead(np.zeros((2, 16)), np.zeros(2)).save(folder)


def no_numbers(folder):
    """Weights that are NaN."""
    LinearHead(np.full((3, 32), np.nan), np.zeros(3)).save(folder)


def garbage(folder):
    """Random bytes."""
    (folder / FILE).write_bytes(b"\xff" * 4000)


@pytest.mark.parametrize(
    "change",
    [no_head, no_weights, half_a_head, half_the_weights, another_heads_weights, no_numbers, garbage],
    ids=lambda change: change.__name__,
)
async def test_a_damaged_folder_is_found_before_the_first_answer(folder, tmp_path, change):
    """`preflight` says so: no run begins with it."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    change(tmp_path)
    judge = EncoderJudge.of(str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"cannot be|needs|damaged"):
        await judge.preflight()
    await judge.close()


def test_a_training_that_was_cut_off_is_no_judge(folder, tmp_path):
    """The manifest is written last; without it the folder is unfinished."""
    for file in folder.iterdir():
        if file.name != NAME:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ConfigurationError, match="training is incomplete"):
        assemble_judge(JudgeSettings(f"hf:{tmp_path}"), environ={})


def test_what_is_no_encoder_is_left_to_others(folder, tmp_path):
    """A user's chat model, or any other folder."""
    assert EncoderJudge.of(str(tmp_path)) is None
    write_tuned(tmp_path, manifest("chat"))
    assert EncoderJudge.of(str(tmp_path)) is None
    assert EncoderJudge.of("owner/name") is None
    (tmp_path / NAME).write_text(json.dumps({"kind": "saiten judge", "format": 1}))
    with pytest.raises(ConfigurationError, match="damaged"):
        EncoderJudge.of(str(tmp_path))


def test_votes_would_add_nothing(folder):
    """The result is the same every time."""
    with pytest.raises(ConfigurationError, match="an encoder always gives the same answer"):
        assemble_judge(JudgeSettings(f"hf:{folder}", votes=3), environ={})


@pytest.mark.parametrize("network", [{"windows": 3}, {"length": "48", "windows": 3}, {"length": 0, "windows": 1}])
def test_a_manifest_without_the_windows_is_refused(folder, network):
    """No default replaces the windows it was trained with."""
    with pytest.raises(ConfigurationError, match="does not give its encoder"):
        EncoderJudge(folder, ASPECTS, network)


# -------------------------------------------------------------------------------------------------------- windows


@pytest.fixture(scope="module")
def encoder(folder):
    """The encoder alone."""
    return load_encoder(str(folder), READS, 3, what="the model")


def test_a_short_answer_is_one_window_as_the_tokenizer_makes_it(encoder):
    """`[CLS] question [SEP] answer [SEP]`, with BERT's token types."""
    (window,) = encoder.cutter.cut(Texts("is it on", "the cat sat")).windows
    expected = encoder.tokenizer("is it on", "the cat sat")
    assert list(window.ids) == expected["input_ids"]
    assert list(window.types) == expected["token_type_ids"]


@pytest.mark.parametrize("words", [0, 1, 40, 41, 42, 43, 80, 100, 126])
def test_a_long_answer_is_read_as_a_whole(encoder, words):
    """It is read in pieces of similar length, each after the question, none longer than the encoder reads."""
    answer = " ".join(["cat", "dog", "bridge"][n % 3] for n in range(words))
    cut = encoder.cutter.cut(Texts("tokyo is", answer))
    asked, whole = (encoder.tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("tokyo is", answer))
    read = [token for window in cut.windows for token in window.ids[len(asked) + 2 : -1]]
    assert read == whole
    assert cut.left_out == ""
    lengths = [len(window.ids) for window in cut.windows]
    assert max(lengths) <= READS
    assert max(lengths) - min(lengths) < max(len(cut.windows), 2)


async def test_what_is_not_read_is_said(judge):
    """For an answer too long for all windows, and for a question longer than half of one."""
    rating = await judge.perform(rate("cat " * 500))
    assert "Not all was read: the answer (" in rating.reason
    assert "of 500 tokens read)" in rating.reason
    rating = await judge.perform(rate("cat", question="the dog sat on the bridge " * 20))
    assert "what comes with the answer (22 of 120 tokens read)" in rating.reason


@pytest.mark.parametrize("mark", ["[SEP]", "[CLS]", "[PAD]", "[MASK]"])
def test_an_answer_cannot_write_control_tokens(encoder, mark):
    """`[SEP]` in an answer is five characters."""
    (window,) = encoder.cutter.cut(Texts("is it on", f"the {mark} cat")).windows
    token = encoder.tokenizer.convert_tokens_to_ids(mark)
    assert window.ids.count(token) == {"[SEP]": 2, "[CLS]": 1}.get(mark, 0)


def test_too_short_a_window_is_refused(encoder):
    """Otherwise nothing would be read."""
    with pytest.raises(ConfigurationError, match="at least 16 tokens at once"):
        Cutter(encoder.tokenizer, 8, 3)


def test_the_features_are_the_mean_over_all_tokens(encoder):
    """This is the pooling of sentence-transformers, over all windows of an answer."""
    import torch

    cut = encoder.cutter.cut(Texts("is it on", "cat dog " * 40))
    assert len(cut.windows) > 1
    hidden = []
    for window in cut.windows:
        with torch.no_grad():
            found = encoder.network(
                input_ids=torch.tensor([window.ids]), token_type_ids=torch.tensor([window.types])
            ).last_hidden_state
        hidden.append(found[0].numpy())
    (features,) = encoder.features([cut])
    assert features == pytest.approx(np.concatenate(hidden).mean(axis=0), abs=1e-5)


def test_the_form_of_the_reply_is_no_matter_but_the_contexts_are():
    """An encoder sees no prompt; the grounded verdict is another task."""
    plain = GradeAnswer("q", "a", ("r",), language="en")
    assert learnable(plain) == learnable(replace(plain, form="prometheus"))
    assert learnable(DecideCorrect("q", "a", ("r",), language="en")).task == "decide_correct"
    assert learnable(DecideCorrectGrounded("q", "a", ("r",), contexts=("c",), language="en")).texts == Texts(
        "q\nr\nc", "a"
    )
