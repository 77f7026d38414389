"""From a server's complaint, in one of many formats, to saiten's errors: what happened, where, and what to do."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Literal

import orjson

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.endpoint import Endpoint
from saiten.models.http_client import CHARGED, SENT, HttpReply
from saiten.models.wire import load
from saiten.protocols import ChatMessage

SYSTEM_ROLE = "system role"
"""The name under which a refused system message is remembered, next to refused parameters."""


def without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Move the system text into the first user message, and merge adjacent messages of one role."""
    plain: list[ChatMessage] = []
    for each in messages:
        role = "user" if each.role == "system" else each.role
        if plain and plain[-1].role == role:
            plain[-1] = ChatMessage(role, f"{plain[-1].content}\n\n{each.content}")
        else:
            plain.append(ChatMessage(role, each.content))
    return plain


def refusable(payload: Mapping[str, Any]) -> set[str]:
    """Return the parts of a request that a server may refuse separately: parameters and the system role."""
    parameters = payload.keys() - {"model", "messages", "input"}
    has_system = any(message["role"] == "system" for message in payload.get("messages", ()))
    return parameters | {SYSTEM_ROLE} if has_system else parameters


Trouble = Literal["key", "quota", "model", "address", "parameter", "length", "filtered", "output", "busy", "odd"]
"""`parameter`: something other than the messages · `length`: the prompt does not fit · `output`: the server cannot read
what its model wrote, and would not the next time · `busy`: may pass."""

_FORMAT_WORDS = (
    "response_format", "json_schema", "json_object", "structured output", "structured outputs", "structured_output",
    "grammar", "output_config", "output format", "json mode", "responseJsonSchema", "responseMimeType",
)  # fmt: skip
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated")
_LENGTH = re.compile(
    r"context.?(length|window|size)|maximum context|too many (input )?tokens|(prompt|input|messages?) (is|are) too long"
    r"|reduce the length|must have less than \d+ tokens|batch.?size|too many inputs|requests can be in one batch"
    r"|token count.{0,20} exceeds",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?(filter|management|policy)|moderation|flagged|ResponsibleAI", re.IGNORECASE)
_MODEL = re.compile(
    r"(unknown|invalid|no such|unsupported|not a valid) model|model_not_(found|available)|DeploymentNotFound"
    r"|model identifier is invalid|resolve the foundation model|not_found_error model:"
    r"|models?\b.{0,120}?(not found|not exist|not a valid|unknown|not available)",
    re.IGNORECASE | re.DOTALL,
)
_OUTPUT = re.compile(
    r"output that does not match the expected \S* ?format|failed to parse (the )?(model|input at pos)", re.IGNORECASE
)
"""Complaints about a reply, as llama.cpp's."""
_KEY = re.compile(r"\bapi.?key\b.{0,20}(not valid|invalid|expired)", re.IGNORECASE)
"""Complaints about a key with HTTP 400, as Google's."""
_NO_SYSTEM = re.compile(
    r"roles must alternate|only user and assistant roles|developer instruction is not enabled"
    r"|\bsystem\W{0,3}(role|message|prompt|instruction)s?\b.{0,40}?(not|n't|un)[ -]?(be )?(support|allow|accept|enabl)"
    r"|(\bnot|n't|\bun)[ -]?(support|allow|accept|expect)\w*\b.{0,30}?"
    r"(\W{2}system['\"`]|\bsystem (role|message|prompt))"
    r"|\brole\W{0,5}system\b.{0,40}?(not|n't|un)[ -]?(be )?(support|allow|accept|permit|valid)"
    r"|\b(unexpected|invalid|unknown)( message)? role\W{0,5}system\b"
    r"|\brole\b.{0,40}'user' (or|and) 'assistant'",
    re.IGNORECASE | re.DOTALL,
)
"""Complaints about chat templates without a system role (Mistral, Prometheus, Gemma), as vLLM, TGI, llama.cpp, LM
Studio and hosted models word them."""

_NO_NAME = ("None", "null")
"""What vLLM and others write as `param` for none."""

_LONGEST = 10_000
"""Number of characters of a server's message that are searched."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """A parsed HTTP error body."""

    text: str
    code: str = ""
    parameter: str = ""
    """The request field that the server blames, if its error format names one."""


def read_complaint(body: bytes) -> Complaint:
    """Parse OpenAI's `{"error": {…}}`, FastAPI's `{"detail": …}`, plain text, or a proxy's HTML."""
    value = load(body)
    try:
        complaint = None if value is None else _read_value(value)
    except (TypeError, RecursionError):  # unexpected types in FastAPI's format, or endless nesting
        complaint = None
    if complaint is None:
        return Complaint(body[:_LONGEST].decode("utf-8", "replace"))
    return Complaint(complaint.text[:_LONGEST], complaint.code[:_LONGEST], complaint.parameter[:_LONGEST])


def _read_value(value: Any) -> Complaint:
    error = value.get("error") or value if isinstance(value, dict) else value
    if isinstance(error, dict) and isinstance(error.get("detail"), list):
        return _read_detail(error["detail"])
    if not isinstance(error, dict):
        return Complaint(error if isinstance(error, str) else orjson.dumps(error).decode())
    text = next((error[key] for key in ("message", "detail", "msg") if isinstance(error.get(key), str)), None)
    codes = [str(error[key]) for key in ("code", "type") if error.get(key) is not None]
    parameter = str(error.get("param") or "")
    return Complaint(text or orjson.dumps(error).decode(), " ".join(codes), "" if parameter in _NO_NAME else parameter)


def _read_detail(detail: list[Any]) -> Complaint:
    """Read FastAPI's list of faults, except `input`, which may echo the whole request."""
    faults = [fault for fault in detail if isinstance(fault, dict)]
    places = [".".join(map(str, fault.get("loc", ()))) for fault in faults]
    text = "; ".join(f"{place}: {fault.get('msg', '')}" for place, fault in zip(places, faults, strict=True))
    return Complaint(text, parameter=" ".join(places))


def trouble_of(status: int, complaint: Complaint) -> Trouble:
    """Classify an HTTP error."""
    if status == 402 or (status == 429 and any(code in complaint.code for code in _QUOTA)):
        return "quota"
    if about := _about_texts(status, complaint):
        return about
    if status in (401, 403, 407) or (status == 400 and _KEY.search(complaint.text)):
        return "key"
    if status in (400, 404, 422) and (complaint.parameter == "model" or _MODEL.search(_said(complaint))):
        return "model"
    if 300 <= status < 400 or status in (404, 405, 501):
        return "address"
    return "busy" if status in (408, 409, 425, 429) or status >= 500 else "odd"


def _about_texts(status: int, complaint: Complaint) -> Trouble | None:
    """Return what is wrong with the prompt or the model's text; None if the complaint is about something else."""
    if status == 500 and _OUTPUT.search(complaint.text):
        return "output"
    if status not in (400, 403, 413, 422):
        return None
    if status == 413 or _LENGTH.search(_said(complaint)):
        return "length"
    return "filtered" if _FILTERED.search(_said(complaint)) else None


def _said(complaint: Complaint) -> str:
    return f"{complaint.code} {complaint.text}"


def blamed(status: int, complaint: Complaint, sent: Collection[str]) -> str | None:
    """Return the parameter that the server rejects; None if its complaint is about something else.

    llama-cpp-python's server rejects `json_schema` with HTTP 500, as llama.cpp does system messages; any other 500 may
    be temporary.
    """
    if status in (403, 500) and "logprobs" in sent and _place("logprobs", complaint.text) < _NOWHERE:
        return "logprobs"  # 403: OpenAI's reasoning models · 500: llama-cpp-python's server
    if status not in (400, 422, 500):
        return None
    if SYSTEM_ROLE in sent and _NO_SYSTEM.search(_said(complaint)):
        return SYSTEM_ROLE
    sent = [name for name in sent if name != SYSTEM_ROLE]
    if complaint.parameter:
        named = [name for name in sent if re.search(rf"\b{name}\b", complaint.parameter)]
        return named[0] if named and status != 500 else None
    places = {name: _place(name, complaint.text) for name in sent}
    if "response_format" in sent:
        words = _FORMAT_WORDS if status != 500 else _FORMAT_WORDS[:1]
        places["response_format"] = min(_place(word, complaint.text) for word in words)
    found = {name: place for name, place in places.items() if place < _NOWHERE}
    if status == 500:
        return "response_format" if "response_format" in found else None
    return min(found, key=lambda name: found[name], default=None)


_NOWHERE = 1 << 30


def _place(word: str, text: str) -> int:
    found = re.search(rf"(?<![a-z_]){re.escape(word)}(?![a-z])", text, re.IGNORECASE)
    return found.start() if found else _NOWHERE


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds the server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("Retry-After", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if isfinite(seconds):
            return max(0.0, seconds)
    date = _date(headers.get("Retry-After", ""))
    if date is None:
        return None
    now = _date(headers.get("Date", "")) or datetime.now(UTC)  # prefer the server's own clock
    return max(0.0, (date - now).total_seconds())


_DELAY = re.compile(rb'"retryDelay": ?"(\d+(?:\.\d+)?)s"')
"""The seconds that Google asks to wait, in the body."""


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


class ParameterRefused(CallFailed):
    """The server rejects one of the parameters; the same request without it may succeed at once."""

    def __init__(self, message: str, parameter: str = "", hint: str = "") -> None:
        super().__init__(message, SENT, status=400)
        self.parameter = parameter
        self.hint = hint
        """The server's full message, which may recommend an alternative."""


class NotServed(ConfigurationError):
    """The server does not have the model, or has nothing at this address."""


def fault_of(reply: HttpReply, endpoint: Endpoint, url: str, sent: Collection[str], *, answered: bool) -> SaitenError:
    """Return the error for a failed reply; `answered`: the server has answered before, so the setup is right."""
    complaint = read_complaint(reply.body)
    said = f"HTTP {reply.status}: {endpoint.excerpt(complaint.text) or 'no message'}"
    trouble = trouble_of(reply.status, complaint)
    parameter = blamed(reply.status, complaint, sent) if trouble not in ("length", "filtered", "quota") else None
    if parameter is not None:
        message = f"{endpoint.name} does not take {parameter!r} as it was sent ({said})"
        return ParameterRefused(message, parameter, complaint.text)
    if trouble == "busy":
        wait = retry_after(reply.headers)
        if wait is None and (delay := _DELAY.search(reply.body[:_LONGEST])):
            wait = float(delay[1])
        return CallFailed(
            f"{endpoint.name} failed ({said})", SENT, retryable=True, retry_after=wait, status=reply.status
        )
    if trouble in _THIS_ONE and (answered or trouble != "odd"):
        usage = CHARGED if trouble == "output" else SENT
        return CallFailed(f"{endpoint.name}: {_THIS_ONE[trouble]} ({said})", usage, status=reply.status)
    kind = NotServed if trouble in ("model", "address") else ConfigurationError
    return kind(_advice(trouble, endpoint, url, said, reply))


_THIS_ONE: dict[Trouble, str] = {
    "length": "what was sent is too long",
    "filtered": "the content filter refused the prompt",
    "output": "the server cannot read what its model wrote",
    "odd": "this request was refused",
}
_NO_KEY = "{url} requires a key, and none was given ({said}); {key_advice}"
_NO_CREDENTIALS = "{url} does not accept your credentials for {model!r} ({said}); check them, or {key_advice}"
_ELSEWHERE = "{url} redirects to {location} ({said}); set the base URL to the server's address"
_ADVICE: dict[Trouble, str] = {
    "key": "{url} does not accept the key from {variable} for {model!r} ({said}); check the key and what it may use",
    "quota": "the account behind {variable} has no quota or credit left ({said}); add some, or use another model",
    "model": "{url} has no model {model!r} ({said})",
    "address": "nothing is at {url} ({said}); check the base URL (it usually ends in /v1, as in "
    "http://localhost:8000/v1) and the model {model!r}",
    "odd": "{url} refused the request ({said}); check the model {model!r} and the base URL",
}


def _advice(trouble: Trouble, endpoint: Endpoint, url: str, said: str, reply: HttpReply) -> str:
    location = endpoint.excerpt(reply.headers.get("Location", ""))
    text = _ADVICE[trouble]
    if trouble == "key" and not endpoint.key():
        text = _NO_CREDENTIALS if endpoint.provider.credentials else _NO_KEY
    elif trouble == "address" and location:
        text = _ELSEWHERE
    found = {"variable": endpoint.key_variable, "key_advice": endpoint.key_advice()}
    return text.format(url=url, model=endpoint.model, said=said, location=location, **found)


def with_models(error: NotServed, endpoint: Endpoint, listing: bytes | None) -> ConfigurationError:
    """Add similar names from the server's list of models to the error."""
    known = _models(listing)
    if not known:
        return error
    if endpoint.model in known:
        return ConfigurationError(f"{error}; the server does list {endpoint.model!r}, but not for this kind of request")
    near = get_close_matches(endpoint.model, known, n=3, cutoff=0.4) or sorted(known)[:5]
    return ConfigurationError(f"{error}; the server has {', '.join(map(repr, near))}")


def _models(listing: bytes | None) -> Sequence[str]:
    try:
        return [str(entry["id"]) for entry in load(listing or b"")["data"]]
    except (TypeError, KeyError):
        return []
