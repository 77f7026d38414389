"""Systems under test by name.

python:module:function      a Python function; also path/to/file.py:function
langchain:FILE.py:NAME      a LangChain or LangGraph object: a chain, a chat model, an agent, a graph
llamaindex:FILE.py:NAME     a LlamaIndex query engine, chat engine, agent or workflow
haystack:FILE.py:NAME       a Haystack pipeline; all three also as KIND:module:name
http:URL                    an HTTP service that implements the contract in docs/systems.md; also http://… and https://…
PROVIDER:MODEL[@URL]        a chat model alone, without retrieval
hf:NAME_OR_FOLDER           the same, in this process
rag:KB                      the built-in RAG over a knowledge base: a folder, or http://HOST:6333/NAME
file:ANSWERS                answers that are already in a file
"""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from saiten.choices import RECORDED
from saiten.errors import ConfigurationError
from saiten.models.budget import Budget
from saiten.models.layers import Layer
from saiten.models.limits import Limits, Retries
from saiten.models.prices import Quote
from saiten.models.providers import providers
from saiten.models.stack import layers
from saiten.prompts import find_prompts
from saiten.protocols import System
from saiten.rag.systems.answer_file import AnswerFile
from saiten.rag.systems.chat_model import ChatModel
from saiten.rag.systems.frameworks import haystack, langchain, llamaindex
from saiten.rag.systems.http_address import HttpAddress
from saiten.rag.systems.http_json import HttpJson
from saiten.rag.systems.in_process import EntryPoint, InProcess
from saiten.rag.systems.loading import is_in_file, load_function
from saiten.rag.systems.python_function import PythonFunction
from saiten.redaction import redact_name
from saiten.wiring.models import SYSTEM, Models
from saiten.wiring.rag import RagSettings, rag_over

_LOG = logging.getLogger(__name__)

FORMS = (
    "python:MODULE:FUNCTION, FILE.py:FUNCTION, langchain:FILE.py:NAME, llamaindex:FILE.py:NAME, haystack:FILE.py:NAME, "
    "http:URL, PROVIDER:MODEL[@URL], hf:NAME_OR_FOLDER, vllm-engine:NAME_OR_FOLDER, rag:KB or file:ANSWERS.jsonl"
)
"""The forms of a system's name."""


_OBJECTS: Mapping[str, Callable[[str, Mapping[str, Any]], EntryPoint]] = {
    langchain.PREFIX: langchain.LangChainObject,
    llamaindex.PREFIX: llamaindex.LlamaIndexObject,
    haystack.PREFIX: haystack.HaystackPipeline,
}
"""Prefix of an object's name → what asks it."""


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """The settings of a system beyond its name."""

    temperature: float | None = 0.0
    """The temperature of a chat model; None omits the parameter."""
    seed: int | None = 1
    max_tokens: int | None = None
    """The limit of one answer; None leaves it to the server."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further parameters of a chat model's requests, or of the built-in RAG's generator; or the names of an object's
    inputs and outputs (`question`, `history`, `answer`, `contexts`, and `async`)."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent to an HTTP service, or with the requests to a model; stored nowhere."""
    repeatable: bool = False
    """Whether requests to an HTTP service may be retried after a time-out, a broken connection or an HTTP 5xx."""
    rag: RagSettings = field(default_factory=RagSettings)
    """The built-in RAG's chain, form, generator and so on; temperature, seed and any limit are those above."""
    prompts: Path | None = None
    """A folder with prompts that replace saiten's, or a preset: for a chat model and the built-in RAG."""
    notify: Callable[[str], None] = _LOG.warning
    """Called with a note about unusable rows of an answer file."""


def assemble_system(spec: str, settings: SystemSettings | None = None, models: Models | None = None) -> System:
    """Return the system with this name.

    `models` makes the chat models, which share a budget and a store. An HTTP service and anything called in this
    process get a separate budget from the same settings, in which each request counts as a call.

    Raises:
        ConfigurationError: the name, the function, the address or a key is missing or wrong; the text says what to do.
        BadInput: an answer file cannot be read.
    """
    spec = spec.strip()
    if spec == RECORDED:
        raise ConfigurationError(
            "answers on record are not asked for again: `saiten score` grades them, and `saiten converse --system "
            f"{RECORDED}` grades whole conversations"
        )
    make = _MAKERS.get(_kind_of(spec))
    if make is None:
        raise ConfigurationError(f"unknown system {redact_name(spec)!r}; expected {FORMS}{_meant(redact_name(spec))}")
    return make(spec, settings or SystemSettings(), models or Models())


def _kind_of(spec: str) -> str:
    if is_in_file(spec):
        return "python"
    kind = re.split("[:/]", spec, maxsplit=1)[0]
    return kind if kind in providers() else spec.partition(":")[0]


def _python(spec: str, settings: SystemSettings, models: Models) -> System:
    return _in_process(PythonFunction(load_function(spec)), models)


def _framework(spec: str, settings: SystemSettings, models: Models) -> System:
    return _in_process(_OBJECTS[spec.partition(":")[0]](spec, settings.options), models)


def _in_process(entry: EntryPoint, models: Models) -> System:
    how = models.calls
    around = _around(models, retries=0, concurrency=1 if entry.one_at_a_time else how.concurrency)
    return InProcess(entry, timeout=how.timeout, concurrency=how.concurrency, around=around)


def _http(spec: str, settings: SystemSettings, models: Models) -> System:
    address = models.with_key(HttpAddress.parse(spec, settings.headers))
    around = _around(models, retries=models.calls.retries)
    return HttpJson(address, timeout=models.calls.timeout, repeatable=settings.repeatable, around=around)


def _chat_model(spec: str, settings: SystemSettings, models: Models) -> System:
    chat = models.chat(
        spec, what="system", builtin="python:MODULE:FUNCTION", headers=settings.headers, options=settings.options
    )
    return ChatModel(
        chat,
        options=settings.options,
        headers=settings.headers,
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        prompts=find_prompts(settings.prompts),
    )


def _rag(spec: str, settings: SystemSettings, models: Models) -> System:
    kb = spec.removeprefix("rag:")
    if not kb:
        raise ConfigurationError(
            "rag: needs a knowledge base, for example rag:kb (`saiten index DOCS --kb kb` makes one)"
        )
    how = replace(settings.rag, temperature=settings.temperature, seed=settings.seed, prompts=settings.prompts)
    how = replace(how, options=settings.options, headers=settings.headers)
    return rag_over(kb, replace(how, max_tokens=settings.max_tokens or how.max_tokens), models)


def _file(spec: str, settings: SystemSettings, models: Models) -> System:
    return AnswerFile(Path(spec.removeprefix("file:")), notify=settings.notify)


_MAKERS: Mapping[str, Callable[[str, SystemSettings, Models], System]] = {
    "python": _python,
    **dict.fromkeys(_OBJECTS, _framework),
    "http": _http,
    "https": _http,
    **dict.fromkeys(providers(), _chat_model),
    "hf": _chat_model,
    "vllm-engine": _chat_model,
    "rag": _rag,
    "file": _file,
}
"""Prefix of the name, up to the first colon → maker."""


def _around(models: Models, *, retries: int, concurrency: int | None = None) -> tuple[Layer, ...]:
    how = models.calls
    return layers(
        retries=Retries(attempts=retries + 1),
        limits=Limits(concurrency or how.concurrency, how.requests_per_minute, how.tokens_per_minute),
        budget=Budget(how.max_calls, account=models.account),
        lease=None if models.leases is None else models.leases.layer(SYSTEM, SYSTEM, Quote()),
    )


def _meant(spec: str) -> str:
    kind, colon, rest = spec.partition(":")
    near = get_close_matches(kind, _MAKERS, n=1)
    if colon and near:
        return f"; did you mean {near[0]}:{rest}?"
    if spec.endswith(".py"):
        return f"; which function in it? {spec}:FUNCTION"
    if Path(spec).is_file():
        return f"; did you mean file:{spec}?"
    if re.match(r"(localhost|[\w.-]+):\d+(/|$)", spec):
        return f"; did you mean http://{spec}?"
    if re.fullmatch(r"[\w.]+:[\w.]+", spec) and kind != "nli":  # which can only be a judge
        return f"; did you mean python:{spec}?"
    return ""
