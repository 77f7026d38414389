"""Google's Gemini API, and the same models in Google's cloud."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from servers import Asked, Fault
from stand_ins.native import NativeServer, schema_form, texts_of

_GENERATE = {
    "cachedContent", "contents", "generationConfig", "labels", "model", "safetySettings", "systemInstruction",
    "toolConfig", "tools",
}  # fmt: skip
_CONFIG = {
    "candidateCount", "frequencyPenalty", "logprobs", "maxOutputTokens", "mediaResolution", "presencePenalty",
    "responseJsonSchema", "responseLogprobs", "responseMimeType", "responseModalities", "responseSchema", "seed",
    "stopSequences", "temperature", "thinkingConfig", "topK", "topP",
}  # fmt: skip
MOST_IN_A_BATCH = 100


def google_error(status: int, message: str, code: str = "INVALID_ARGUMENT", details: Any = ()) -> Fault:
    """An error as Google writes it."""
    error = {"code": status, "message": message, "status": code, **({"details": details} if details else {})}
    return Fault(status, {"error": error}, {"Content-Type": "application/json; charset=UTF-8"})


class GeminiServer(NativeServer):
    """`POST /v1beta/models/MODEL:generateContent` and `:batchEmbedContents`: https://ai.google.dev/api.

    `refuses` contains names of `generationConfig`; `structured` may be `text`, as for Gemma.
    """

    PATH = re.compile(r"/v1beta/models/(?P<model>[^/:]+):(?P<method>generateContent|batchEmbedContents)")

    def _asked(self, request: web.Request, raw: bytes) -> Asked:
        asked = super()._asked(request, raw)
        found = self.PATH.fullmatch(request.path)
        asked.body["model"] = found["model"] if found else ""
        return asked

    def _translated(self, native: Mapping[str, Any]) -> dict[str, Any]:
        if "requests" in native:
            return {"input": [texts_of(each["content"]["parts"]) for each in native["requests"]]}
        system = (
            [{"role": "system", "content": texts_of(native["systemInstruction"]["parts"])}]
            if ("systemInstruction" in native)
            else []
        )
        said = [
            {"role": "assistant" if each["role"] == "model" else each["role"], "content": texts_of(each["parts"])}
            for each in native.get("contents", ())
        ]
        config = native.get("generationConfig", {})
        names = {"temperature": "temperature", "maxOutputTokens": "max_tokens", "seed": "seed"}
        rest = {there: config[name] for name, there in names.items() if name in config}
        return rest | {"messages": system + said} | schema_form(config.get("responseJsonSchema"))

    def _refusal(self, asked: Asked) -> Fault | None:
        if not self.PATH.fullmatch(asked.path):
            return Fault(404, "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>")
        if refused := self._refusal_of_key(asked):
            return refused
        if self.models is not None and asked.body["model"] not in self.models:
            said = (
                f"models/{asked.body['model']} is not found for API version v1beta, or is not supported for "
                "generateContent. Call ListModels to see the list of available models and their supported methods."
            )
            return google_error(404, said, "NOT_FOUND")
        said = next(self._complaints(asked), None)
        return google_error(400, said) if said else None

    def _refusal_of_key(self, asked: Asked) -> Fault | None:
        sent = asked.headers.getall("x-goog-api-key", [])
        if self.key is None or (sent == [self.key] and "Authorization" not in asked.headers):
            return None
        if not sent:
            said = "Method doesn't allow unregistered callers (callers without established identity)."
            return google_error(403, said, "PERMISSION_DENIED")
        reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        return google_error(400, "API key not valid. Please pass a valid API key.", details=[reason])

    def _complaints(self, asked: Asked) -> Iterator[str]:
        """All that is wrong with the request; the server names the first."""
        body, model = asked.native, asked.body["model"]
        if len(body.get("requests", ())) > MOST_IN_A_BATCH:
            yield "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n"
        if "contents" not in body:
            return
        config, unknown = body.get("generationConfig", {}), "Invalid JSON payload received. Unknown name"
        yield from (f'{unknown} "{name}": Cannot find field.' for name in sorted(body.keys() - _GENERATE))
        yield from (
            f"{unknown} \"{name}\" at 'generation_config': Cannot find field."
            for name in sorted((config.keys() - _CONFIG) | (config.keys() & self.refuses))
        )
        if {each["role"] for each in body["contents"]} - {"user", "model"}:
            yield "Please use a valid role: user, model."
        if "systemInstruction" in body and not self.has_system:
            yield f"Developer instruction is not enabled for models/{model}"
        if "responseMimeType" in config and self.structured == "text":
            yield f"JSON mode is not enabled for models/{model}"

    def _completion(self, asked: Asked, text: str) -> dict[str, Any]:
        content = {"role": "model", "parts": [{"text": "Let me see.", "thought": True}, {"text": text}]}
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": 16,
                "cachedContentTokenCount": 5,
                "candidatesTokenCount": 7,
                "totalTokenCount": 23,
            },
            "modelVersion": asked.body["model"],
            "responseId": f"r{asked.number}",
        }

    def _vectors(self, asked: Asked, made: dict[str, Any]) -> dict[str, Any]:
        return {"embeddings": [{"values": each["embedding"]} for each in made["data"]]}


TOKEN = "ya29.planted-access-token"


class VertexServer(GeminiServer):
    """Gemini in Google's cloud, and the server of its access tokens (`/token`)."""

    PATH = re.compile(
        r"/v1beta1/projects/a-project/locations/(?P<place>[\w-]+)/publishers/google/models/"
        r"(?P<model>[^/:]+):(?P<method>generateContent|predict)"
    )

    def __init__(self) -> None:
        super().__init__()
        self.tokens = 0
        """How many access tokens were asked for."""

    async def _post(self, request: web.Request) -> web.StreamResponse:
        if request.path != "/token":
            return await super()._post(request)
        form = await request.post()
        if form["grant_type"] != "urn:ietf:params:oauth:grant-type:jwt-bearer" or form["assertion"].count(".") != 2:
            return web.json_response({"error": "invalid_grant", "error_description": "Invalid JWT"}, status=400)
        self.tokens += 1
        return web.json_response({"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})

    def _translated(self, native: Mapping[str, Any]) -> dict[str, Any]:
        if "instances" in native:
            return {"input": [each["content"] for each in native["instances"]]}
        return super()._translated(native)

    def _refusal_of_key(self, asked: Asked) -> Fault | None:
        if asked.headers.getall("Authorization", []) == [f"Bearer {TOKEN}"] and "x-goog-api-key" not in asked.headers:
            return None
        said = "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other"
        return google_error(401, said, "UNAUTHENTICATED")

    def _vectors(self, asked: Asked, made: dict[str, Any]) -> dict[str, Any]:
        statistics = {"truncated": False, "token_count": 3}
        made = [{"values": each["embedding"], "statistics": statistics} for each in made["data"]]
        return {"predictions": [{"embeddings": each} for each in made]}
