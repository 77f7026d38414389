"""What is chosen by name is put together here, and only here: judges, embedders, and the stack around a model.

    offline                     the overlap judge: no model, no key, no network
    openai:MODEL                api.openai.com, or $OPENAI_BASE_URL; the key is in $OPENAI_API_KEY
    openai:MODEL@URL            any OpenAI-compatible server: vLLM, Ollama, TGI, llama.cpp, Azure, …

A slash may stand for the colon. A server of one's own needs no key.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.llm import LLMJudge
from saiten.judges.offline import Calibration, OfflineJudge
from saiten.judges.panel import Panel
from saiten.models import (
    Budget,
    BuiltinEmbedder,
    CachedChat,
    Layer,
    Limiter,
    Limits,
    OpenAICompatibleChat,
    OpenAICompatibleEmbedder,
    PriceTable,
    Retries,
    Store,
    layers,
    stack_chat,
    stack_embedder,
)
from saiten.models.endpoint import OPENAI
from saiten.protocols import Embedder, Judge

KEY_VARIABLE, URL_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"

VOTING_TEMPERATURE = 0.7
"""At temperature 0 most servers give every vote the same answer, whatever the seed."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What figures depend on: a run with other settings is another run."""

    judge: str = "offline"
    """`offline`, `openai:MODEL` or `openai:MODEL@URL`."""
    embedder: str = "builtin"
    """`builtin`, `openai:MODEL` or `openai:MODEL@URL`; for the metrics that compare embeddings."""
    temperature: float | None = None
    """None: 0 for a single vote, 0.7 for a panel."""
    seed: int = 1
    """Votes count up from it."""
    votes: int = 1
    max_tokens: int = 4096
    """Of one reply."""
    calibration: tuple[Path, ...] = ()
    """For the offline judge: files written by `saiten tune offline`, one an aspect."""

    def kept(self) -> dict[str, Any]:
        """What a run keeps of them. The calibrations stand in the signatures by what they hold, not by their path."""
        return {key: value for key, value in asdict(self).items() if key != "calibration"}


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How the calls are made: no figure depends on it."""

    concurrency: int = 64
    """Requests in flight at most."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    """Seconds for one request; there is no limit on a run."""
    retries: int = 7
    """Further attempts at a request that failed."""
    store: Path | None = None
    """The file in which every answer is kept the moment it arrives; None keeps none."""
    max_calls: int | None = None
    max_cost: float | None = None
    currency: str = "USD"
    prices: Mapping[str, Any] = field(default_factory=dict)
    """By model: `prompt` and `completion`, per million tokens."""


@dataclass(frozen=True, slots=True)
class Address:
    """A model, where it is served, and the key to it."""

    model: str
    url: str
    key: str | None = field(repr=False)


# A model's name may have an @ in it; what looks like an address without http:// is refused, not asked for at OpenAI.
_NO_ADDRESS = r"(?![^@\s]*://|localhost\b|[^@\s]*:\d|[^@\s]*/v\d)"
_SPEC = re.compile(rf"openai[:/](?P<model>[^@\s]+(?:@{_NO_ADDRESS}[^@\s]+)*)(?:@(?P<url>https?://\S+))?")


def read_address(spec: str, environ: Mapping[str, str], *, what: str = "judge", builtin: str = "offline") -> Address:
    """The model and its address in `openai:MODEL` or `openai:MODEL@URL`.

    The key goes to OpenAI, and to the server that `OPENAI_BASE_URL` or the spec names; without one none is sent.

    Raises:
        ConfigurationError: the text has another form, or OpenAI itself is named and there is no key.
    """
    match = _SPEC.fullmatch(spec.strip())
    if match is None:
        raise ConfigurationError(
            f"unknown {what} {spec!r}; expected {builtin}, openai:MODEL or openai:MODEL@URL, "
            f"for example openai:gpt-4o-mini or openai:qwen3@http://localhost:8000/v1{_meant(spec.strip(), builtin)}"
        )
    url = match["url"] or environ.get(URL_VARIABLE) or OPENAI
    key = environ.get(KEY_VARIABLE) or None
    if key is None and url.rstrip("/") == OPENAI:
        raise ConfigurationError(
            f"{what} {spec!r} is served by OpenAI, and there is no key: set {KEY_VARIABLE}; or name a server of your "
            f"own, openai:{match['model']}@http://localhost:8000/v1; or take {builtin}, which needs no key"
        )
    return Address(match["model"], url, key)


def _meant(spec: str, builtin: str) -> str:
    """What a name that cannot be read probably meant."""
    kind, separator, rest = spec.partition(":")
    model, at, url = spec.removeprefix("openai:").rpartition("@")
    if kind == "openai" and at and "://" not in url:
        return f"; an address begins with http:// or https://: openai:{model}@http://{url}"
    if kind == "openai" or any(sign.isspace() or sign == "@" for sign in spec):
        return ""
    if separator:  # ollama:qwen3, vllm:…
        return f"; {kind} speaks OpenAI's protocol, if that is what you mean: openai:{rest}@http://localhost:PORT/v1"
    return f"; did you mean {builtin if get_close_matches(spec, [builtin]) else f'openai:{spec}'}?"


def price_name(settings: JudgeSettings) -> str:
    """The name under which a price is looked for, of the judge; works without a key, for a dry run."""
    match = _SPEC.fullmatch(settings.judge.strip())
    return settings.judge if match is None else f"openai:{match['model']}"


def assemble_judge(
    settings: JudgeSettings, calls: CallSettings | None = None, environ: Mapping[str, str] | None = None
) -> Judge:
    """The judge by its name, with its embedder and, for models, everything that stands around a request.

    Raises:
        ConfigurationError: a name, a key, a price or a file is missing or wrong; the text says what to do.
        BadInput: a calibration cannot be read.
    """
    how = calls or CallSettings()
    surroundings = os.environ if environ is None else environ
    budget = Budget(how.max_calls, how.max_cost, how.currency)
    models = [name for name in (settings.judge, settings.embedder) if name not in {"offline", "builtin"}]
    store = Store(how.store) if how.store is not None and models else None
    around = _Around(how, budget)
    embedder = _embedder(settings, how, surroundings, around, store)
    if settings.judge == "offline":
        if settings.votes > 1:
            raise ConfigurationError(
                f"the offline judge says the same every time, so {settings.votes} votes would tell nothing; "
                "leave out the votes, or name a model as the judge"
            )
        return OfflineJudge(embedder, tuple(Calibration.load(file) for file in settings.calibration))
    if settings.calibration:
        raise ConfigurationError(f"a calibration is for the offline judge, not for {settings.judge}")
    address = read_address(settings.judge, surroundings)
    model = OpenAICompatibleChat(address.model, address.url, address.key, timeout=how.timeout)
    chat = stack_chat(model, around.layers(model.name, address.url), store)
    temperature = settings.temperature
    if temperature is None:
        temperature = VOTING_TEMPERATURE if settings.votes > 1 else 0.0
    forget = chat.forget if isinstance(chat, CachedChat) else None
    judge = LLMJudge(chat, embedder, temperature, settings.seed, settings.max_tokens, forget)
    if settings.votes == 1:
        return judge
    return Panel(tuple(judge.with_seed(settings.seed + vote) for vote in range(settings.votes)))


def _embedder(
    settings: JudgeSettings, how: CallSettings, environ: Mapping[str, str], around: "_Around", store: Store | None
) -> Embedder:
    if settings.embedder == "builtin":
        return BuiltinEmbedder()
    address = read_address(settings.embedder, environ, what="embedder", builtin="builtin")
    model = OpenAICompatibleEmbedder(address.model, address.url, address.key, timeout=how.timeout)
    return stack_embedder(model, around.layers(model.name, address.url), store)


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around the requests: one budget for all, one limiter a server, a price a model."""

    how: CallSettings
    budget: Budget
    limiters: dict[str, Limiter] = field(default_factory=dict)

    def layers(self, model: str, url: str) -> tuple[Layer, ...]:
        how = self.how
        limits = Limits(how.concurrency, how.requests_per_minute, how.tokens_per_minute)
        return layers(
            retries=Retries(attempts=how.retries + 1),
            limits=self.limiters.setdefault(url, Limiter(limits)),
            price=PriceTable.read(how.prices, how.currency).find(model),
            budget=self.budget,
        )
