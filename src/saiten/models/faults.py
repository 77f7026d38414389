"""From a server's refusal to saiten's errors: what happened, where, and what to do."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.complaints import Trouble, blamed, read_complaint, retry_after, trouble_of
from saiten.models.endpoint import Endpoint
from saiten.models.http_client import SENT, HttpReply
from saiten.models.wire import load


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
    said = f"HTTP {reply.status}: {endpoint.excerpt(complaint.text) or 'nothing said'}"
    trouble = trouble_of(reply.status, complaint)
    parameter = blamed(reply.status, complaint, sent) if trouble not in ("length", "filtered", "quota") else None
    if parameter is not None:
        message = f"{endpoint.name} does not take {parameter!r} as it was sent ({said})"
        return ParameterRefused(message, parameter, complaint.text)
    if trouble == "busy":
        return CallFailed(
            f"{endpoint.name} failed ({said})",
            SENT,
            retryable=True,
            retry_after=retry_after(reply.headers),
            status=reply.status,
        )
    if trouble in _THIS_ONE and (answered or trouble != "odd"):
        return CallFailed(f"{endpoint.name}: {_THIS_ONE[trouble]} ({said})", SENT, status=reply.status)
    kind = NotServed if trouble in ("model", "address") else ConfigurationError
    return kind(_advice(trouble, endpoint, url, said, reply))


_THIS_ONE: dict[Trouble, str] = {
    "length": "what was sent is too long",
    "filtered": "the content filter refused the prompt",
    "odd": "this request was refused",
}
_NO_KEY = "{url} asks for a key and none was given ({said}); {key_advice}"
_ELSEWHERE = "{url} sends one elsewhere, to {location} ({said}); set the base URL to where the server is"
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
        text = _NO_KEY
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
