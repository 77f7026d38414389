"""Providers that speak OpenAI's protocol, each with the deviations that its documents describe."""

from typing import Any

from servers import Asked, Fault, OpenAIServer


class KnowsOnly(OpenAIServer):
    """A server that refuses parameters it does not know with FastAPI's 422, as Mistral does."""

    KNOWN = frozenset(
        ("frequency_penalty", "max_tokens", "messages", "model", "n", "presence_penalty", "prompt_mode", "random_seed",
         "reasoning_effort", "response_format", "safe_prompt", "stop", "stream", "temperature", "tool_choice", "tools",
         "top_p")
    )  # fmt: skip
    EMBEDS = frozenset(("encoding_format", "input", "metadata", "model", "output_dimension", "output_dtype"))

    def _refusal(self, asked: Asked) -> Fault | None:
        known = self.KNOWN if "messages" in asked.body else self.EMBEDS
        unknown = [name for name in asked.body if name not in known]
        detail = [
            {
                "type": "extra_forbidden",
                "loc": ["body", name],
                "msg": "Extra inputs are not permitted",
                "input": asked.body[name],
            }
            for name in unknown
        ]
        return Fault(422, {"detail": detail}) if detail else super()._refusal(asked)


class AzureServer(OpenAIServer):
    """`/openai/v1` and the classic addresses with `?api-version=…`, with the key in a header of its own."""

    def _refusal(self, asked: Asked) -> Fault | None:
        classic = asked.path.startswith("/openai/deployments/")
        if not asked.path.startswith("/openai/v1/") and not (classic and "api-version" in asked.query):
            return Fault(404, {"error": {"code": "404", "message": "Resource not found"}})
        if self.key is not None and (asked.headers.get("api-key") != self.key or "Authorization" in asked.headers):
            said = "Access denied due to invalid subscription key or wrong API endpoint."
            return Fault(401, {"error": {"code": "401", "message": said}})
        if self.models is not None and asked.body["model"] not in self.models:
            said = "The API deployment for this resource does not exist. Wait and try again if it is new."
            return Fault(404, {"error": {"code": "DeploymentNotFound", "message": said}})
        key, self.key = self.key, None
        try:
            return super()._refusal(asked)
        finally:
            self.key = key


FILTERED = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}},
    }
}
"""What Azure says of a prompt that its filter refuses."""


class OllamaServer(OpenAIServer):
    """`/v1`, without a key, for models that were pulled."""

    def _refusal(self, asked: Asked) -> Fault | None:
        if self.models is not None and asked.body["model"] not in self.models:
            said = f'model "{asked.body["model"]}" not found, try pulling it first'
            return Fault(404, {"error": {"message": said, "type": "api_error", "param": None, "code": None}})
        return super()._refusal(asked)


def vllm_error(message: str) -> Fault:
    """An error as vLLM 0.10 writes it: a missing `param` is the word None."""
    body = {"object": "error", "message": message, "type": "BadRequestError", "param": "None", "code": 400}
    return Fault(400, body)


class VllmServer(OpenAIServer):
    """A vLLM whose model has no system role, unless `has_system`."""

    has_system = True

    def _refusal(self, asked: Asked) -> Fault | None:
        for name in sorted(self.refuses & asked.body.keys()):
            return vllm_error(f"{name} is not supported by this model")
        roles = [message["role"] for message in asked.body.get("messages", ())]
        if "system" in roles and not self.has_system:
            return vllm_error("Conversation roles must alternate user/assistant/user/assistant/...")
        return super()._refusal(asked)


def inside(code: int, message: str, **more: Any) -> dict[str, Any]:
    """An error that OpenRouter sends with HTTP 200."""
    return {"error": {"message": message, "code": code, **more}, "user_id": "user_1"}
