"""Judges by name.

    offline                     the overlap judge: no model, no key, no network
    openai:MODEL                api.openai.com, or $OPENAI_BASE_URL; the key is in $OPENAI_API_KEY
    openai:MODEL@URL            any OpenAI-compatible server
    anthropic:MODEL, …          another provider; see models/providers.toml and docs/models.md
    hf:NAME_OR_FOLDER           a causal language model in this process, through transformers; needs [neural]
    vllm-engine:NAME_OR_FOLDER  the same through vLLM's engine; needs vllm
    hf:FOLDER                   an encoder that `saiten tune judge --head regression` made; needs [neural]
    nli:NAME_OR_FOLDER          a classifier that knows entailment, for support checks; the rest is offline; [neural]

A slash may replace the colon. A self-hosted server needs no key.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.agents import Agents
from saiten.judges.learned import without_learned
from saiten.judges.llm import LLMJudge
from saiten.judges.model_refusals import RefusalRetries
from saiten.judges.panel import Panel
from saiten.judges.support.named import PREFIX, NamedNetwork
from saiten.judges.tuned_folder import read_tuned
from saiten.judges.untried import UntriedJudge
from saiten.models.cache import CachedChat
from saiten.models.networks import LocalModel, fingerprint
from saiten.prompts import Prompts, find_prompts
from saiten.protocols import Embedder, Judge, Task
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring.addresses import CHATS_HERE, ENGINE, HERE, parse_name
from saiten.wiring.batching import untried
from saiten.wiring.models import Models

VOTING_TEMPERATURE = 0.7
"""At temperature 0 most servers give every vote the same answer, whatever the seed, and refuse once more what they
have refused."""

ALTERNATIVES = 5
"""Tokens requested per place with `logprobs`: as many as every server allows, and enough for grades from 0 to 5."""

SYSTEMS = ("rag_", "answer_question")
"""How the names of prompts begin that a system under test reads, not a judge."""

FIRST_MAX_TOKENS = 64
"""Limit of the first small call to a model in this process: one not trained to chat never stops."""


def embedder_of(settings: JudgeSettings, models: Models) -> Embedder:
    """Return the embedder that the settings name, with the options and headers of its requests."""
    return models.embedder(settings.embedder, options=settings.embedder_options, headers=settings.embedder_headers)


def assemble_judge(
    settings: JudgeSettings,
    calls: CallSettings | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    models: Models | None = None,
    what: str = "judge",
) -> Judge:
    """Return the judge with its embedder and, for models, the full request stack.

    `models` share a budget and a store with others; by default they are made from `calls`. `what` is the judge's role,
    for errors.

    Raises:
        ConfigurationError: a name, a key, a price or a file is missing or wrong; the text says what to do.
        BadInput: a calibration cannot be read.
    """
    if models is None:
        how = calls or CallSettings()
        models = Models(how) if environ is None else Models(how, environ)
    embedder = embedder_of(settings, models)
    prompts = find_prompts(settings.prompts)
    _check_batches(settings.judge, models)
    if settings.calibration and settings.judge != "offline":
        raise ConfigurationError(f"a calibration is for the offline judge, not for {settings.judge}")
    if (here := _judge_without_requests(settings, embedder, prompts, models)) is not None:
        return here
    named = settings.judge.strip()
    in_process = named.startswith(CHATS_HERE)
    chat = models.chat(settings.judge, what=what, headers=settings.judge_headers, options=settings.judge_options)
    own = read_tuned(_folder(named)) if in_process else None
    if own is not None:
        if own.head == "regression":  # with hf:, it was returned above
            raise ConfigurationError(f"{named} is an encoder, which vLLM cannot run; use {HERE}{_folder(named)}")
        found = LocalModel.find(str(_folder(named)))
        for doubt in filter(None, (own.stale(prompts), own.over_another_base(fingerprint(found.base or "")))):
            models.notice(f"{named}: {doubt}")
    temperature = settings.temperature
    if temperature is None:
        temperature = VOTING_TEMPERATURE if settings.votes > 1 else 0.0
    forget, uncached = (chat.forget, chat.uncached) if isinstance(chat, CachedChat) else (None, None)
    few = FIRST_MAX_TOKENS if in_process else None
    name = parse_name(settings.judge)
    unreachable = name is not None and untried(name.provider, models.calls)
    judge = (UntriedJudge if unreachable else LLMJudge)(
        chat,
        embedder,
        temperature,
        settings.seed,
        settings.max_tokens,
        few,
        forget,
        prompts,
        uncached=uncached,
        logprobs=ALTERNATIVES if settings.logprobs else None,
        notify=models.notice,
        options=settings.judge_options,
        headers=settings.judge_headers,
        separate_calls=settings.separate_calls or own is not None,  # it was trained on single tasks
        batched=models.calls.batched,
        retries=RefusalRetries(settings.retry_refusals, VOTING_TEMPERATURE if settings.temperature is None else None),
    )
    one = settings.votes == 1
    members: Sequence[Judge] = [judge if one else judge.with_seed(settings.seed + n) for n in range(settings.votes)]
    if in_process:
        members = without_learned(members, _folder(named))
    return members[0] if one else Panel(tuple(members))


def _judge_without_requests(
    settings: JudgeSettings, embedder: Embedder | None, prompts: Prompts, models: Models
) -> Judge | None:
    """Return the judge if it sends no requests, and load its code only then; None for all others."""
    named = settings.judge.strip()
    judge: Judge | None = None
    if settings.judge == "offline":
        from saiten.judges.offline import Calibration, OfflineJudge  # noqa: PLC0415

        who = "the offline judge"
        judge = OfflineJudge(embedder, tuple(Calibration.load(file) for file in settings.calibration))
    elif named.startswith(PREFIX):
        from saiten.judges.support.judge import SupportJudge  # noqa: PLC0415

        who = "a support network"
        judge = SupportJudge(NamedNetwork.read(named.removeprefix(PREFIX)), embedder)
    elif named.startswith(HERE):
        from saiten.judges.encoder.judge import EncoderJudge  # noqa: PLC0415

        who = "an encoder"
        encoder = EncoderJudge.of(named.removeprefix(HERE), embedder)
        judge = None if encoder is None else without_learned([encoder], _folder(named))[0]
    if judge is not None:
        _check_sends_nothing(who, settings, prompts, models)
    return judge


def assemble_agents(
    settings: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    roles: Mapping[str, tuple[type[Task[Any]], ...]],
    *,
    models: Models,
) -> Judge:
    """Return the judge, with judges of their own for the roles in `others`; `roles` are their tasks.

    Raises as `assemble_judge`.
    """
    for role, one in others.items():  # before the first call, so that no key goes to another model's server
        models.expect(one.judge, role)
    judge = assemble_judge(settings, models=models)
    made = {role: assemble_judge(one, models=models, what=role) for role, one in others.items()}
    return Agents(judge, made, roles) if made else judge


def _folder(named: str) -> Path:
    return Path(named.removeprefix(ENGINE).removeprefix(HERE)).expanduser()


def _check_sends_nothing(who: str, settings: JudgeSettings, prompts: Prompts, models: Models) -> None:
    """Refuse settings that only a model has, and warn of prompts for tasks; those of chains and systems others read.

    Prompts are no error, since the folder may be the default in `saiten.toml`.
    """
    _check_votes(who, settings.votes)
    _check_logprobs(who, requested=settings.logprobs)
    _check_refusals(who, settings.retry_refusals)
    _check_options(who, settings)
    if unread := [name for name in prompts.replaced if not name.startswith(SYSTEMS)]:
        models.notice(f"{who} reads no prompts, so {unread[0]}.toml in {settings.prompts} has no effect")


def _check_batches(judge: str, models: Models) -> None:
    if models.calls.batched and (judge == "offline" or judge.strip().startswith((PREFIX, *CHATS_HERE))):
        raise ConfigurationError(f"--batch is for a model on a server, and {judge} sends no requests; leave it out")


def _check_votes(who: str, votes: int) -> None:
    if votes > 1:
        raise ConfigurationError(
            f"{who} always gives the same answer, so {votes} votes add nothing; "
            "leave out the votes, or name a model as the judge"
        )


def _check_refusals(who: str, retries: int) -> None:
    if retries:
        raise ConfigurationError(
            f"{who} never refuses, so retry_refusals has no effect; leave it out, or name a model as the judge"
        )


def _check_options(who: str, settings: JudgeSettings) -> None:
    if given := [*settings.judge_options, *settings.judge_headers]:
        raise ConfigurationError(
            f"{who} sends no requests, so {given[0]} has no effect; leave it out, or name a model as the judge"
        )


def _check_logprobs(who: str, *, requested: bool) -> None:
    if requested:
        raise ConfigurationError(
            f"{who} writes no tokens, and gives expected values without them; leave out logprobs, or name a model as "
            "the judge"
        )
