"""Whether a network runs in the workers of a job, which then get a GPU each."""

from types import SimpleNamespace

import pytest

from saiten.cli.clustering import answered_here
from saiten.cluster.jobs import ScoringJob, judged_here
from saiten.metrics.catalog import make_metrics
from saiten.runs import RunSettings
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring import RagSettings, SystemSettings

KB = "kb[embedder={},chunks=400/50,retrieval={},k=5,content=3-abc]"


@pytest.mark.parametrize(
    ("system", "generator", "embedder", "retrieval", "network"),
    [
        ("hf:model", "extractive", "builtin", "dense", True),
        ("vllm-engine:model", "extractive", "builtin", "dense", True),
        ("vllm:model", "extractive", "builtin", "dense", False),
        ("bot.py:answer", "extractive", "builtin", "dense", False),
        ("rag:kb", "extractive", "builtin:1024", "dense", False),
        ("rag:kb", "openai:m", "openai:e", "dense", False),
        ("rag:kb", "hf:model", "builtin:1024", "dense", True),
        ("rag:kb", "vllm-engine:model", "builtin:1024", "dense", True),
        ("rag:kb", "extractive", "st:encoder@123", "dense", True),
        ("rag:kb", "extractive", "raw:st:encoder@123", "hybrid-ja", True),
        ("rag:kb", "extractive", "st:encoder@123", "bm25-ja", False),
    ],
)
def test_a_system_runs_a_network_as_model_generator_or_embedder(system, generator, embedder, retrieval, network):
    """Not one on a server, and no embedder that is never asked."""
    described = SimpleNamespace(describe=lambda: {"knowledge_base": KB.format(embedder, retrieval)})
    assert answered_here(system, SystemSettings(rag=RagSettings(generator=generator)), described) is network


@pytest.mark.parametrize(
    ("judge", "embedder", "network"),
    [
        ("offline", "builtin", False),
        ("openai:m@http://gpu1:8000", "builtin", False),
        (" hf:model", "builtin", True),
        ("nli:model", "builtin", True),
        ("vllm-engine:model", "builtin", True),
        ("offline", "st:encoder", True),
    ],
)
def test_a_judge_runs_a_network_itself_or_in_its_embedder(judge, embedder, network):
    """Also if only one of the roles of a dialogue does."""
    settings = JudgeSettings(judge=judge, embedder=embedder)
    assert judged_here(settings) is network
    assert judged_here(JudgeSettings(), settings) is network


@pytest.mark.parametrize(
    ("metrics", "embeds", "network"),
    [
        ("token_f1,faithfulness", False, False),
        ("token_f1,faithfulness", True, True),
        ("token_f1,bertscore", False, True),
        ("perplexity[model=somewhere]", False, True),
        ("hallucination_spans[model=somewhere]", False, True),
    ],
)
def test_metrics_run_a_network_themselves_or_in_the_evidence(metrics, embeds, network):
    """The offline judge has none."""
    job = ScoringJob(
        make_metrics(metrics.split(",")), JudgeSettings(), CallSettings(), RunSettings(), {}, embeds=embeds
    )
    assert job.has_network is network
