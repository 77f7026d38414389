"""A causal language model of the transformers library in this process: loaded once, run and sampled in batches.

Local folders never use the network, and no code in a repository is run.
"""

import gc
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from secrets import randbits
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.chat_template import ChatTemplate
from saiten.models.networks import LocalModel, best_device, causal_weights, configuration, held, loaded, quietly, safely
from saiten.models.token_watch import TokenWatch, token_texts
from saiten.protocols import ChatRequest, Completion, Token
from saiten.records import Usage

Warp = Callable[[Any], Any]
"""Maps the logits of one row, shape (1, vocabulary), to new logits."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The sampling settings of one row."""

    temperature: float
    """Above 0; 0 takes the likeliest token."""
    seed: int
    """Seed of the noise, 63 bits."""
    warps: Sequence[Warp] = ()
    """The model's other default transformations of the logits, applied after the temperature."""


def seed_of(seed: int | None, prompt: Sequence[int]) -> int:
    """Derive 63 bits from the request's seed and prompt, so that prompts do not share noise; None: random."""
    if seed is None:
        return randbits(63)
    digest = sha256(f"{seed}|{','.join(map(str, prompt))}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class Drawing:
    """A logits processor that draws the next tokens: each row by its own temperature and seed.

    Adding Gumbel noise to logits and taking the largest is an exact draw from their softmax (Gumbel 1954; Maddison et
    al. 2014, section 2), so greedy decoding (`do_sample=False`) does the sampling, and each row has its own noise.
    """

    def __init__(self, draws: Sequence[Draw], device: Any) -> None:
        self._torch = import_module("torch")
        self._rows = [
            (row, draw, self._torch.Generator(device=device).manual_seed(draw.seed))
            for row, draw in enumerate(draws)
            if draw.temperature
        ]
        self._checked = False

    def __call__(self, ids: Any, logits: Any) -> Any:
        """Return logits, shape (rows, vocabulary), whose largest entry is the drawn token.

        Raises:
            ConfigurationError: the model's logits are NaN.
        """
        if not self._checked:  # only the first step, since checking waits for the device
            self._checked = True
            if self._torch.isnan(logits).any():
                raise ConfigurationError("the model's logits are not numbers: its weights are damaged")
        for row, draw, generator in self._rows:
            warped = logits[row : row + 1] / draw.temperature
            for warp in draw.warps:
                warped = warp(warped)
            noise = self._torch.empty_like(warped).exponential_(generator=generator)
            logits[row : row + 1] = warped - noise.clamp_min(1e-38).log()  # kept finite
        return logits


LONGEST = 4096
"""Token limit for a request that sets none."""

_GREEDY_BELOW = 1e-4
"""Temperatures below this count as 0: rounding would decide."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The reason why the model cannot process a request."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Prompt:
    ids: Sequence[int]
    limit: int
    """Maximum number of tokens in the answer."""
    room: int | None
    """Tokens left after the prompt; None if the model has no maximum length."""
    draw: Draw
    logprobs: int | None
    """Number of likeliest tokens to return per step; None: none."""


_Written = tuple[list[int], tuple[Token, ...] | None]
"""The tokens of an answer, and the same with probabilities if they are wanted."""


class CausalNetwork:
    """Answers requests in batches; one thread at a time computes."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._torch = import_module("torch")
        self._model = model
        self._tokenizer = tokenizer
        self._template = ChatTemplate(tokenizer)
        self._text_of = token_texts(tokenizer)
        config = model.config.get_text_config()
        self._vocabulary: int = config.vocab_size
        self._context = _context(config, tokenizer)
        own, model.generation_config = model.generation_config, import_module("transformers").GenerationConfig()
        self._ends = self._template.end_tokens(own.eos_token_id)
        self._default = _default_draw(own)
        self._computing = threading.Lock()

    def answers(self, requests: Sequence[ChatRequest], stop: threading.Event) -> list[Completion | Rejected]:
        """Return one answer or rejection per request; once `stop` is set, rejections within a token or so.

        Raises:
            RuntimeError: the batch does not fit into memory, or the network failed; its memory is free again.
            ConfigurationError: the model is damaged.
        """
        with self._computing:  # the tokenizer is not thread-safe either
            prompts = [self._prompt(request) for request in requests]
            answers: dict[int, Completion | Rejected] = {
                n: prompt for n, prompt in enumerate(prompts) if isinstance(prompt, Rejected)
            }
            accepted = [(n, prompt) for n, prompt in enumerate(prompts) if isinstance(prompt, _Prompt)]
            for batch in _together(accepted):
                replies = self._generate([prompt for _, prompt in batch], stop)
                answers.update(zip((n for n, _ in batch), replies, strict=True))
        return [answers[n] for n in range(len(prompts))]

    def _prompt(self, request: ChatRequest) -> _Prompt | Rejected:
        try:
            ids = self._template.ids(request.messages)
        except ValueError as error:
            return Rejected(str(error))
        if not ids:
            return Rejected("the messages are empty")
        if max(ids) >= self._vocabulary:
            raise ConfigurationError(
                f"the tokenizer knows token {max(ids)}, the model only {self._vocabulary}: they do not belong together"
            )
        room = None if self._context is None else self._context - len(ids)
        if room is not None and room < 1:
            return Rejected(
                f"the prompt has {len(ids)} tokens, and with the answer the model takes {self._context}; fewer or "
                "shorter contexts, or a model that reads more, would help"
            )
        limit = LONGEST if request.max_tokens is None else request.max_tokens
        draw = self._default
        if request.temperature is not None:
            draw = Draw(request.temperature if request.temperature >= _GREEDY_BELOW else 0.0, 0)
        if draw.temperature:
            draw = Draw(draw.temperature, seed_of(request.seed, ids), draw.warps)
        return _Prompt(ids, limit if room is None else min(limit, room), room, draw, request.logprobs)

    def _generate(self, rows: Sequence[_Prompt], stop: threading.Event) -> list[Completion | Rejected]:
        if stop.is_set():
            return [_CLOSED] * len(rows)
        try:
            written = self._tokens(rows, stop)
        except (RuntimeError, MemoryError) as error:
            lines = str(error).strip().splitlines()
            fault = lines[0] if lines else repr(error)
        else:
            if stop.is_set():
                return [_CLOSED] * len(rows)
            return [self._read(row, *each) for row, each in zip(rows, written, strict=True)]
        # Only now, outside the except block, is the traceback gone that held the batch's memory.
        gc.collect()
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()
        raise RuntimeError(fault)

    def _tokens(self, rows: Sequence[_Prompt], stop: threading.Event) -> list[_Written]:
        """Generate the tokens after each prompt, including any after its end token."""
        torch, device = self._torch, self._model.device
        width = max(len(row.ids) for row in rows)
        pad = self._tokenizer.pad_token_id
        pad = pad if pad is not None else (self._ends or (0,))[0]
        ids = torch.tensor([[pad] * (width - len(row.ids)) + list(row.ids) for row in rows], device=device)
        mask = torch.tensor([[0] * (width - len(row.ids)) + [1] * len(row.ids) for row in rows], device=device)
        limits = torch.tensor([row.limit for row in rows], device=device)

        def ended(all_ids: Any, scores: Any, **_: Any) -> Any:
            return (limits <= all_ids.shape[1] - width) | stop.is_set()

        settings = import_module("transformers").GenerationConfig(
            do_sample=False,
            max_new_tokens=max(row.limit for row in rows),
            eos_token_id=list(self._ends) or None,
            pad_token_id=pad,
        )
        watch = TokenWatch([row.logprobs for row in rows])
        with torch.inference_mode():
            written = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                generation_config=settings,
                logits_processor=[watch, Drawing([row.draw for row in rows], device)],
                stopping_criteria=[ended],
            )
            tokens = watch.tokens(written[:, width:], self._text_of)
        return list(zip(written[:, width:].tolist(), tokens, strict=True))

    def _read(self, row: _Prompt, written: Sequence[int], tokens: Sequence[Token] | None) -> Completion:
        end = next((n for n, token in enumerate(written[: row.limit]) if token in self._ends), None)
        used = row.limit if end is None else end + 1
        text = self._tokenizer.decode(written[:used], skip_special_tokens=True)
        usage = Usage(calls=1, prompt_tokens=len(row.ids), completion_tokens=used)
        reason = "length" if end is None else "stop"
        return Completion(text, usage, reason, None if tokens is None else tuple(tokens[:used]))


_CLOSED = Rejected("the model was closed before the answer was there")


def _together(rows: Sequence[tuple[int, _Prompt]]) -> Iterator[Sequence[tuple[int, _Prompt]]]:
    """Yield batches in which no prompt exceeds its context while another is still being answered."""
    while rows:
        steps = max(row.limit for _, row in rows)
        yield [(n, row) for n, row in rows if row.room is None or row.room >= steps]
        rows = [(n, row) for n, row in rows if row.room is not None and row.room < steps]


def _context(config: Any, tokenizer: Any) -> int | None:
    """Return the maximum number of tokens of prompt and answer; None if unbounded, as in recurrent models."""
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        return positions
    longest: int = tokenizer.model_max_length
    return longest if longest < 10**9 else None  # tokenizers without a maximum length report 10**30


def _default_draw(own: Any) -> Draw:
    """Return the draw of a model's default settings: temperature, top_k, top_p and min_p; penalties are ignored."""
    if not own.do_sample:
        return Draw(0.0, 0)
    library = import_module("transformers.generation.logits_process")
    warpers = {"top_k": "TopKLogitsWarper", "top_p": "TopPLogitsWarper", "min_p": "MinPLogitsWarper"}
    set_to = {name: getattr(own, name, None) for name in warpers}
    warps = [partial(getattr(library, warpers[name])(value), None) for name, value in set_to.items() if value]
    temperature = 1.0 if own.temperature is None else float(own.temperature)
    return Draw(temperature if temperature >= _GREEDY_BELOW else 0.0, 0, warps)


def causal_network(found: LocalModel, device: str | None = None) -> CausalNetwork:
    """Return the network, shared by all who hold it; call this in a thread, since loading takes time.

    Raises:
        ConfigurationError: it cannot be loaded, or its files changed since it was found.
    """
    where = device or best_device()
    return held(("causal", found, where), lambda: _loaded(found, where))


def _loaded(found: LocalModel, device: str) -> CausalNetwork:
    with quietly(bars=not Path(found.base or found.source).is_dir()):
        expected = "a causal language model with its tokenizer, or a LoRA adapter over one"
        configuration(found.base or found.source, found.name, expected)
        network = loaded(found.name, expected, lambda: _load(found, device))
    if LocalModel.find(found.typed) != found:
        raise ConfigurationError(f"{found.name}: the files changed since the command started; run it again")
    return network


def _load(found: LocalModel, device: str) -> CausalNetwork:
    library = import_module("transformers")
    whole = found.base or found.source
    tokenizer = library.AutoTokenizer.from_pretrained(found.tokenizer, **safely(found.tokenizer))
    model = causal_weights(whole, found.name, _dtype(device))
    if found.base is not None:
        model = _merged(model, found.source)
    if not getattr(model, "is_quantized", False):  # quantized weights stay where they were loaded
        model = model.to(device)
    return CausalNetwork(model.eval(), tokenizer)


def _merged(model: Any, adapter: str) -> Any:
    library = import_module("peft")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft 0.21 uses names that transformers 5 deprecates
        return library.PeftModel.from_pretrained(model, adapter).merge_and_unload()


def _dtype(device: str) -> Any:
    """Return bfloat16 if the device supports it, else half precision; single precision on a CPU."""
    torch = import_module("torch")
    if device.startswith("cpu"):
        return torch.float32
    if device.startswith("cuda") and not torch.cuda.is_bf16_supported():
        return torch.float16
    return torch.bfloat16
