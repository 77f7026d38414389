"""A network as judge of support: right answers in any order of labels, the best window, and who judges the rest."""

import asyncio
import json
import random
import shutil

import pytest

import networks
from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.offline import OfflineJudge
from saiten.judges.support.judge import SupportJudge
from saiten.judges.support.named import NamedNetwork
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.models.classifiers import find_classifier, load_classifier
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.contexts import JudgeContext
from saiten.tasks.correctness import DecideCorrect, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.dialogue import ComposeAnswer
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import ClassifyStatements, SplitStatements, VerifyStatements
from saiten.wiring import assemble_judge, quote_of
from tiny_classifiers import READS, THINGS, relabeled, tiny_nli
from tiny_models import tiny_bert, tiny_gpt2

pytestmark = networks.marks()


@pytest.fixture(scope="session")
def nli(tmp_path_factory):
    """The folder of a trained classifier."""
    return tiny_nli(tmp_path_factory.mktemp("nli"))


@pytest.fixture
async def judge(nli):
    """The judge by its name, as every command gets it."""
    found = assemble_judge(JudgeSettings(f"nli:{nli}"), environ={})
    assert isinstance(found, SupportJudge)
    yield found
    await found.close()


def verify(*statements, contexts, language="en"):
    """A task of the network's."""
    return VerifyStatements(statements, tuple(contexts), language=language)


async def verdicts(judge, *statements, contexts, language="en"):
    """Its verdicts."""
    return (await judge.perform(verify(*statements, contexts=contexts, language=language))).verdicts


@pytest.mark.witness
async def test_the_context_that_supports_a_statement_is_named(judge):
    """The probability decides, the best context is named with its place, and a negative verdict is one to check."""
    contexts = ("the dog is there.", "a bird saw the cat near the river.")
    yes, no = await verdicts(judge, "the cat saw a bird.", "the moon is there.", contexts=contexts)
    assert (yes.number, yes.verdict, yes.unclear) == (1, True, False)
    assert yes.p > 0.9
    assert yes.reason == f"supported by context 2 (p {yes.p:.2f})"
    assert yes.evidence == ((1, 0, len(contexts[1])),)
    assert (no.number, no.verdict, no.unclear) == (2, False, False)
    assert no.p < 0.1
    assert no.reason.startswith("to check: supported by no context (most by context ")


async def test_japanese(judge):
    """Text and reasons in the sample's language."""
    contexts = ("犬がいる。", "猫が橋の塔にいた。")
    yes, no = await verdicts(judge, "橋に猫がいる。", "月に鳥がいた。", contexts=contexts, language="ja")
    assert (yes.verdict, no.verdict) == (True, False)
    assert yes.reason == f"コンテキスト2に裏付けられている（p {yes.p:.2f}）"
    assert no.reason.startswith("要確認：どのコンテキストにも裏付けがない（最も近いのはコンテキスト")


async def test_a_statement_that_needs_two_contexts_is_read_with_both(judge):
    """The contexts are also read together if they fit into one window; all of them are the evidence."""
    contexts = ("the dog is there.", "the moon is there.")
    (one,) = await verdicts(judge, "the dog saw the moon.", contexts=contexts)
    assert one.verdict
    assert one.reason == f"supported by the contexts taken together (p {one.p:.2f})"
    assert [contexts[at][start:end] for at, start, end in one.evidence] == list(contexts)
    long = ("the dog is there.", "The moon is there. " + "The river is there. " * 12)
    assert not (await verdicts(judge, "the dog saw the moon.", contexts=long))[0].verdict


async def test_the_last_of_many_windows_can_support(judge):
    """A context ten windows long; the place is that window, which ends with the sentence."""
    context = "The river is there. " * 120 + "The cat saw a bird."
    yes, no = await verdicts(judge, "a cat saw the bird.", "the moon is there.", contexts=[context])
    assert (yes.verdict, no.verdict) == (True, False)
    ((at, start, end),) = yes.evidence
    assert (at, end) == (0, len(context))
    assert start > 0.9 * len(context)
    assert context[start:].startswith("The river")


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        (["entailment", "neutral", "contradiction"], [2, 1, 0]),
        (["ENTAILMENT", "not_entailment"], [2, 1]),
        (["hallucinated", "LABEL_1"], [1, 2]),
        (["LABEL_0"], [2]),
        (["Supported"], [2]),
    ],
)
async def test_labels_are_found_by_their_names(nli, tmp_path, labels, rows):
    """In any order; of two, one name is enough; a single logit is the probability of support."""
    judge = SupportJudge(NamedNetwork.read(str(relabeled(nli, tmp_path, labels, rows))))
    yes, no = await verdicts(judge, "the cat.", "the dog.", contexts=["a cat saw the moon."])
    assert (yes.p > 0.9, no.p < 0.1) == (True, True)
    described = judge.describe([VerifyStatements])
    assert described["support"] == f"{labels[rows.index(2)]}#{rows.index(2)}"


@pytest.mark.parametrize("given", ["1", "LABEL_1", "label_1"])
async def test_labels_without_names_have_to_be_given(nli, tmp_path, given):
    """By number or name; the error lists the labels and how to give one."""
    folder = relabeled(nli, tmp_path, ["LABEL_0", "LABEL_1"], [1, 2])
    with pytest.raises(ConfigurationError, match=r"0 = LABEL_0, 1 = LABEL_1.*nli:NAME_OR_FOLDER\?support=LABEL"):
        SupportJudge(NamedNetwork.read(str(folder))).describe([VerifyStatements])
    judge = SupportJudge(NamedNetwork.read(f"{folder}?support={given}"))
    assert (await verdicts(judge, "the cat.", contexts=["a cat saw the moon."]))[0].verdict
    with pytest.raises(ConfigurationError, match="has no label '2'; it has 0 = LABEL_0"):
        SupportJudge(NamedNetwork.read(f"{folder}?support=2")).describe([VerifyStatements])


async def test_a_hallucination_head_is_inverted(nli, tmp_path):
    """One logit with the name of the opposite."""
    judge = SupportJudge(NamedNetwork.read(str(relabeled(nli, tmp_path, ["hallucinated"], [2]))))
    assert judge.describe([VerifyStatements])["support"] == "not hallucinated#0"
    (one,) = await verdicts(judge, "the cat.", contexts=["a cat saw the moon."])
    assert one.p < 0.1


async def test_statements_are_compared_in_both_directions(judge):
    """The reference against the answer and the answer against the reference; the reasons say with which."""
    task = ClassifyStatements(
        "?", ("the cat is there.", "the moon is there."), ("a cat saw the dog.", "a cat slept."), language="en"
    )
    found = await judge.perform(task)
    assert [one.verdict for one in found.answer] == [True, False]
    assert [one.verdict for one in found.reference] == [False, True]
    assert found.answer[0].reason.startswith("supported by the reference (p ")
    assert found.reference[0].reason.startswith("to check: not supported by the answer (p ")
    task.check(found)


def sample(draw):
    """Contexts of any length, and four statements."""
    contexts = tuple(" ".join(draw.choices([*THINGS, "the", "."], k=draw.randint(1, 120))) for _ in range(3))
    return verify(*(f"the {draw.choice(THINGS)} saw the {draw.choice(THINGS)}." for _ in range(4)), contexts=contexts)


async def test_statements_of_many_samples_share_forward_passes(nli):
    """200 statements of 50 samples: far fewer passes than windows, and the probabilities of one at a time."""
    import torch

    sizes = []

    def count(module, _given, made):
        if type(module).__name__ == "BertForSequenceClassification":
            sizes.append(len(made.logits))

    draw = random.Random(0)
    tasks = [sample(draw) for _ in range(50)]
    together, alone = (SupportJudge(NamedNetwork.read(f"{nli}{how}")) for how in ("", "?window=64"))
    counting = torch.nn.modules.module.register_module_forward_hook(count)
    try:
        replies = await asyncio.gather(*(together.perform(task) for task in tasks))
    finally:
        counting.remove()
    assert sum(sizes) >= 600
    assert len(sizes) < sum(sizes) / 20
    for task, reply in list(zip(tasks, replies, strict=True))[::5]:
        for verdict, statement in zip(reply.verdicts, task.statements, strict=True):
            (one,) = await verdicts(alone, statement, contexts=task.contexts)
            assert one.p == pytest.approx(verdict.p, abs=2e-4)


async def test_judges_of_one_network_share_it(nli):
    """It is loaded once; the sum of the probabilities is the same each time."""
    first, second = (SupportJudge(NamedNetwork.read(str(nli))) for _ in range(2))
    assert first._network is second._network
    one, other = [await verdicts(each, "the cat.", contexts=["a dog."]) for each in (first, second)]
    assert one == other


@pytest.mark.parametrize(
    "text",
    ["\ud800 cat", "\x00\x1b[31mcat", "\u202ecat", "[SEP] cat [CLS]", "##cat", "😀", "cat " * 25_000, "x" * 100_000],
    ids=lambda text: ascii(text[:12]),
)
async def test_any_text_has_a_verdict(judge, text):
    """As statement and as context: half characters, control characters, tokens in words, one endless word."""
    first, second = await verdicts(judge, text, "the cat.", contexts=[text, "the dog."])
    for one in (first, second):
        assert one.p is None or 0 <= one.p <= 1
    if text.startswith("cat cat"):
        assert "only the beginning of the statement was read" in first.reason
        assert first.unclear
        assert "too long to be read to their end" in second.reason


@pytest.mark.parametrize("blank", ["", " \n", "\x00\x01"], ids=ascii)
async def test_a_statement_without_content_has_no_probability(judge, blank):
    """It is unclear, and not supported; the others are judged."""
    nothing, other = await verdicts(judge, blank, "the cat.", contexts=["a cat."])
    assert (nothing.verdict, nothing.p, nothing.unclear) == (False, None, True)
    assert other.verdict


async def test_nothing_supports_without_contexts(judge):
    """Blank contexts are no contexts."""
    (one,) = await verdicts(judge, "the cat.", contexts=[" ", ""])
    assert (one.verdict, one.p) == (False, 0.0)
    assert "nothing to compare it with" in one.reason


def test_a_text_cannot_write_control_tokens(nli):
    """`[SEP]` in a statement is text: a context cannot be made part of it."""
    classifier = load_classifier(find_classifier("sequence", str(nli), "the model"))
    ids = classifier.pairs(["the [SEP] cat"], ["a [SEP] dog"])["input_ids"][0].tolist()
    assert ids.count(classifier.tokenizer.sep_token_id) == 2


OTHERS = [
    SplitStatements("?", "The cat slept. A dog is there.", language="en"),
    DecideCorrect("?", "the cat", ("the dog",), language="en"),
    GradeAnswer("?", "the cat", ("the dog",), language="en"),
    JudgeContext("where is the cat", "the cat is there", "there", language="en"),
    ComposeAnswer("where is the cat", ("there",), language="en"),
    MeasureSimilarity("the cat", ("a cat",), language="en"),
]


@pytest.mark.parametrize("task", OTHERS, ids=lambda task: type(task).__name__)
async def test_other_tasks_are_the_offline_judges(judge, task):
    """The replies are its replies, and so is the description."""
    offline = OfflineJudge(BuiltinEmbedder())
    assert await judge.perform(task) == await offline.perform(task)
    assert judge.describe([type(task)]) == offline.describe([type(task)])


async def test_what_the_offline_judge_cannot_do_is_refused(judge):
    """With its reason."""
    with pytest.raises(CannotJudge, match="the offline judge compares words"):
        await judge.perform(CritiqueAspect("Is it polite?", "?", "the cat", language="en"))


async def test_the_signature_says_which_judge_did_what(judge, nli, tmp_path):
    """Network with fingerprint, label, window and threshold; the offline judge as `others`, if a task is its own."""
    described = judge.describe([SplitStatements, VerifyStatements])
    offline = OfflineJudge().describe([])
    assert described == {
        "judge": described["judge"], "support": "entailment#2", "window": "512", "threshold": "0.5",
        "others": "offline-overlap", "constants": offline["constants"], "calibration": "none",
    }  # fmt: skip
    assert described["judge"].startswith(f"nli:{nli.name}@")
    assert "others" not in judge.describe([VerifyStatements])
    other = SupportJudge(NamedNetwork.read(f"{relabeled(nli, tmp_path, ['entailment', 'neutral'], [2, 1])}"))
    assert other.describe([VerifyStatements])["judge"].partition("@")[2] != described["judge"].partition("@")[2]


async def test_the_threshold_decides_the_verdict(nli):
    """The probability stays."""
    judge = SupportJudge(NamedNetwork.read(f"{nli}?threshold=0.99999&window=32"))
    (one,) = await verdicts(judge, "the cat.", contexts=["a cat saw the moon."])
    assert one.p > 0.9
    assert not one.verdict
    assert judge.describe([VerifyStatements]) | {"threshold": "0.99999", "window": "32"} == judge.describe(
        [VerifyStatements]
    )


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "needs a model"),
        ("?support=1", "needs a model"),
        ("a/b?label=1", "expected settings such as .*got label=1"),
        ("a/b?support=", "got support="),
        ("a/b?window=x", "window is a number of tokens, not 'x'"),
        ("a/b?window=0", "window is a number of tokens"),
        ("a/b?threshold=1", "threshold is between 0 and 1"),
        ("a/b?threshold=0.0", "threshold is between 0 and 1"),
        ("a/b?window=64&window=32", "given twice"),
    ],
)
def test_a_name_that_cannot_be_read_is_refused(typed, message):
    """The error shows the form."""
    with pytest.raises(ConfigurationError, match=message):
        NamedNetwork.read(typed)


def test_a_folder_may_be_named_like_a_setting(nli, tmp_path):
    """What exists is a folder; settings can follow it all the same."""
    odd = tmp_path / "my model?window=32"
    shutil.copytree(nli, odd)
    assert NamedNetwork.read(str(odd)).window is None
    assert NamedNetwork.read(f"{odd}?window=48&support=entailment") == NamedNetwork(
        f"{odd}?window=48&support=entailment", str(odd), "entailment", 48
    )


def no_folder(folder, _nli):
    """A path to nothing."""
    return folder / "gone"


def no_configuration(folder, _nli):
    """An empty folder."""
    return folder


def encoder(folder, _nli):
    """An encoder without a head."""
    return tiny_bert(folder, layers=1)


def causal(folder, _nli):
    """A model that writes text."""
    return tiny_gpt2(folder)


def own_code(folder, nli):
    """A kind of model that only its own code knows."""
    shutil.copytree(nli, folder, dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_text())
    own = {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForSequenceClassification": "own.Own"}}
    (folder / "config.json").write_text(json.dumps({**config, **own}))
    (folder / "own.py").write_text("raise SystemExit('it was run')")
    return folder


def half_the_weights(folder, nli):
    """Truncated weights."""
    shutil.copytree(nli, folder, dirs_exist_ok=True)
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:5000])
    return folder


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (no_folder, "there is no such folder; expected a folder that transformers saved"),
        (no_configuration, r"the folder has no config\.json"),
        (
            encoder,
            r"no sequence classifier: there are no weights for classifier\.bias, so that it would answer at random",
        ),
        (causal, r"no sequence classifier: there are no weights for score\.weight"),
        (own_code, "requires code from its repository, which saiten never runs"),
        (half_the_weights, "cannot be loaded"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
async def test_what_is_no_classifier_is_found_before_the_first_statement(nli, tmp_path, make, message):
    """`preflight` says what it is and what was expected; no code of a folder is run."""
    judge = SupportJudge(NamedNetwork.read(f"{make(tmp_path, nli)}?support=1"))
    with pytest.raises(ConfigurationError, match=message):
        await judge.preflight()


async def test_a_window_that_does_not_suit_the_model_is_refused(nli):
    """The error has the limits."""
    for tokens in (8, READS + 1):
        with pytest.raises(ConfigurationError, match=f"a window of 16 to {READS} tokens, not {tokens}"):
            await SupportJudge(NamedNetwork.read(f"{nli}?window={tokens}")).preflight()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"votes": 3}, "a support network always gives the same answer"),
        ({"logprobs": True}, "a support network writes no tokens"),
        ({"calibration": ("x.json",)}, "a calibration is for the offline judge"),
    ],
)
def test_settings_of_other_judges_are_refused(nli, settings, message):
    """As for an encoder."""
    with pytest.raises(ConfigurationError, match=message):
        assemble_judge(JudgeSettings(f"nli:{nli}", **settings), environ={})


def test_it_costs_nothing(nli):
    """Its price is known, for budgets and dry runs."""
    assert quote_of(f"nli:{nli}", CallSettings()).price.of(10**6, 10**6) == 0
