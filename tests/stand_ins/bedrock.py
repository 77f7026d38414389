"""Amazon Bedrock's runtime."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from aiohttp import web

from servers import Asked, Fault
from stand_ins.native import NativeServer, texts_of
from stand_ins.signatures import signed_with

ACCESS, SECRET_ACCESS = "AKIAPLANTED", "planted/secret-access-key"
NO_SYSTEM = (
    "This model doesn't support system messages. Try again without system messages or use a model that supports "
    "system messages."
)


def bedrock_error(status: int, kind: str, message: str) -> Fault:
    """An error as Bedrock writes it: its name is in a header."""
    place = "http://internal.amazon.com/coral/com.amazon.bedrock/"
    return Fault(status, {"message": message}, {"x-amzn-ErrorType": f"{kind}:{place}"})


class BedrockServer(NativeServer):
    """`POST /model/ID/converse` and `/model/ID/invoke` (Titan's embeddings), with signatures that are checked.

    https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html. `refuses` contains names of
    `inferenceConfig` and of `additionalModelRequestFields`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.key = None
        """A bearer token that takes the place of signatures."""
        self._faulty: dict[int, str] = {}

    def _asked(self, request: web.Request, raw: bytes) -> Asked:
        asked = super()._asked(request, raw)
        self._faulty[asked.number] = self._doubt(request, raw)
        asked.body["model"] = unquote(request.path.split("/")[2])
        return asked

    def _doubt(self, request: web.Request, raw: bytes) -> str:
        sent = request.headers.getall("Authorization", [])
        if self.key is not None:
            return (
                ""
                if sent == [f"Bearer {self.key}"]
                else "Authentication failed: Please make sure your API Key is valid."
            )
        if len(sent) != 1 or f"Credential={ACCESS}/" not in sent[0]:
            return "The security token included in the request is invalid."
        good = signed_with(SECRET_ACCESS, request.method, request.raw_path, request.headers, raw)
        return "" if good else "The request signature we calculated does not match the signature you provided."

    def _translated(self, native: Mapping[str, Any]) -> dict[str, Any]:
        if "inputText" in native:
            return {"input": [native["inputText"]]}
        system = [{"role": "system", "content": texts_of(native["system"])}] if "system" in native else []
        said = [{**message, "content": texts_of(message["content"])} for message in native["messages"]]
        names = {"temperature": "temperature", "maxTokens": "max_tokens"}
        config = native.get("inferenceConfig", {})
        return {there: config[name] for name, there in names.items() if name in config} | {"messages": system + said}

    def _refusal(self, asked: Asked) -> Fault | None:
        if not asked.path.endswith(("/converse", "/invoke")):
            return bedrock_error(404, "UnknownOperationException", "")
        if said := self._faulty[asked.number]:
            kind = "UnrecognizedClientException" if "token" in said or "Key" in said else "InvalidSignatureException"
            return bedrock_error(403, kind, said)
        said = next(self._complaints(asked), None)
        return bedrock_error(400, "ValidationException", said) if said else None

    def _complaints(self, asked: Asked) -> Iterator[str]:
        """All that is wrong with the request; the server names the first."""
        if self.models is not None and asked.body["model"] not in self.models:
            yield "The provided model identifier is invalid."
        if "system" in asked.native and not self.has_system:
            yield NO_SYSTEM
        errors = "The model returned the following errors: "
        config, more = (asked.native.get(name, {}) for name in ("inferenceConfig", "additionalModelRequestFields"))
        yield from (f"{errors}`{name}` is deprecated for this model." for name in sorted(self.refuses & config.keys()))
        yield from (f"{errors}{name}: Extra inputs are not permitted" for name in sorted(self.refuses & more.keys()))

    def _completion(self, asked: Asked, text: str) -> dict[str, Any]:
        reasoning = {"reasoningContent": {"reasoningText": {"text": "Let me see.", "signature": "EqQB"}}}
        return {
            "output": {"message": {"role": "assistant", "content": [reasoning, {"text": text}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 11, "cacheReadInputTokens": 5, "outputTokens": 7, "totalTokens": 23},
            "metrics": {"latencyMs": 1},
        }

    def _vectors(self, asked: Asked, made: dict[str, Any]) -> dict[str, Any]:
        return {"embedding": made["data"][0]["embedding"], "inputTextTokenCount": 3}
