"""A causal language model of the transformers library in this process: loaded once, and asked in batches."""

import gc
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from saiten.errors import ConfigurationError
from saiten.models.chat_template import ChatTemplate
from saiten.models.drawing import Draw, Drawing, seed_of
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage

LONGEST = 4096
"""Tokens of an answer to a request that sets no bound."""

_GREEDY_BELOW = 1e-4
"""Temperatures at which rounding would decide are 0."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that this model cannot take, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Row:
    """One request, ready for the network."""

    ids: Sequence[int]
    limit: int
    """Tokens of the answer at most."""
    room: int | None
    """Tokens that fit behind the prompt; None where the model knows no end."""
    draw: Draw


class CausalNetwork:
    """Answers requests, several at once; one thread at a time computes."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._torch = import_module("torch")
        self._model = model
        self._tokenizer = tokenizer
        self._template = ChatTemplate(tokenizer)
        config = model.config.get_text_config()
        self._vocabulary: int = config.vocab_size
        self._context = _context(config, tokenizer)
        own, model.generation_config = model.generation_config, import_module("transformers").GenerationConfig()
        self._ends = self._template.end_tokens(own.eos_token_id)
        self._default = _default_draw(own)
        self._computing = threading.Lock()

    def answers(self, requests: Sequence[ChatRequest], stop: threading.Event) -> list[Completion | Refused]:
        """An answer or a refusal to each; once `stop` is set, within a token or so, refusals.

        Raises:
            RuntimeError: so many at once do not fit, or the network failed; what it took is free again.
            ConfigurationError: the model is damaged.
        """
        with self._computing:  # a tokeniser, too, is for one thread at a time
            rows = [self._row(request) for request in requests]
            answers: dict[int, Completion | Refused] = {
                n: row for n, row in enumerate(rows) if isinstance(row, Refused)
            }
            open_rows = [(n, row) for n, row in enumerate(rows) if isinstance(row, _Row)]
            for batch in _together(open_rows):
                said = self._said([row for _, row in batch], stop)
                answers.update(zip((n for n, _ in batch), said, strict=True))
        return [answers[n] for n in range(len(rows))]

    def _row(self, request: ChatRequest) -> _Row | Refused:
        try:
            ids = self._template.ids(request.messages)
        except ValueError as error:
            return Refused(str(error))
        if not ids:
            return Refused("the messages are empty")
        if max(ids) >= self._vocabulary:
            raise ConfigurationError(
                f"the tokeniser knows token {max(ids)}, the model only {self._vocabulary}: they do not belong together"
            )
        room = None if self._context is None else self._context - len(ids)
        if room is not None and room < 1:
            return Refused(
                f"the prompt has {len(ids)} tokens, and with the answer the model takes {self._context}; fewer or "
                "shorter contexts, or a model that reads more, would help"
            )
        limit = LONGEST if request.max_tokens is None else request.max_tokens
        draw = self._default
        if request.temperature is not None:
            draw = Draw(request.temperature if request.temperature >= _GREEDY_BELOW else 0.0, 0)
        if draw.temperature:
            draw = Draw(draw.temperature, seed_of(request.seed, ids), draw.warps)
        return _Row(ids, limit if room is None else min(limit, room), room, draw)

    def _said(self, rows: Sequence[_Row], stop: threading.Event) -> list[Completion | Refused]:
        if stop.is_set():
            return [_CLOSED] * len(rows)
        try:
            written = self._written(rows, stop)
        except (RuntimeError, MemoryError) as error:
            lines = str(error).strip().splitlines()
            fault = lines[0] if lines else repr(error)
        else:
            if stop.is_set():
                return [_CLOSED] * len(rows)
            return [self._read(row, tokens) for row, tokens in zip(rows, written, strict=True)]
        # The error is gone by now, and with it what its traceback held on to: the memory of the batch.
        gc.collect()
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()
        raise RuntimeError(fault)

    def _written(self, rows: Sequence[_Row], stop: threading.Event) -> list[list[int]]:
        """The tokens behind each prompt, with whatever follows its end."""
        torch, device = self._torch, self._model.device
        width = max(len(row.ids) for row in rows)
        pad = self._tokenizer.pad_token_id
        pad = pad if pad is not None else (self._ends or (0,))[0]
        ids = torch.tensor([[pad] * (width - len(row.ids)) + list(row.ids) for row in rows], device=device)
        mask = torch.tensor([[0] * (width - len(row.ids)) + [1] * len(row.ids) for row in rows], device=device)
        limits = torch.tensor([row.limit for row in rows], device=device)

        def ended(all_ids: Any, scores: Any, **_: Any) -> Any:
            over = limits <= all_ids.shape[1] - width
            return over | stop.is_set()

        settings = import_module("transformers").GenerationConfig(
            do_sample=False,
            max_new_tokens=max(row.limit for row in rows),
            eos_token_id=list(self._ends) or None,
            pad_token_id=pad,
        )
        with torch.inference_mode():
            written = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                generation_config=settings,
                logits_processor=[Drawing([row.draw for row in rows], device)],
                stopping_criteria=[ended],
            )
        tokens: list[list[int]] = written[:, width:].tolist()
        return tokens

    def _read(self, row: _Row, written: Sequence[int]) -> Completion:
        end = next((n for n, token in enumerate(written[: row.limit]) if token in self._ends), None)
        used = row.limit if end is None else end + 1
        text = self._tokenizer.decode(written[:used], skip_special_tokens=True)
        usage = Usage(calls=1, prompt_tokens=len(row.ids), completion_tokens=used)
        return Completion(text, usage, "length" if end is None else "stop")


_CLOSED = Refused("the model was closed before the answer was there")


def _together(rows: Sequence[tuple[int, _Row]]) -> Iterator[Sequence[tuple[int, _Row]]]:
    """The rows in batches within which nobody is led past its context while another still writes."""
    while rows:
        steps = max(row.limit for _, row in rows)
        yield [(n, row) for n, row in rows if row.room is None or row.room >= steps]
        rows = [(n, row) for n, row in rows if row.room is not None and row.room < steps]


def _context(config: Any, tokenizer: Any) -> int | None:
    """Tokens that prompt and answer may have together; None where nothing says so, as in recurrent models."""
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        return positions
    longest: int = tokenizer.model_max_length
    return longest if longest < _NO_LENGTH else None


_NO_LENGTH = 10**9
"""A tokeniser that knows no bound says 10**30."""


def _default_draw(own: Any) -> Draw:
    """How a model's own settings draw: its temperature, top_k, top_p and min_p; penalties are left aside."""
    if not own.do_sample:
        return Draw(0.0, 0)
    library = import_module("transformers.generation.logits_process")
    warpers = {"top_k": "TopKLogitsWarper", "top_p": "TopPLogitsWarper", "min_p": "MinPLogitsWarper"}
    set_to = {name: getattr(own, name, None) for name in warpers}
    warps = [partial(getattr(library, warpers[name])(value), None) for name, value in set_to.items() if value]
    temperature = 1.0 if own.temperature is None else float(own.temperature)
    return Draw(temperature if temperature >= _GREEDY_BELOW else 0.0, 0, warps)
