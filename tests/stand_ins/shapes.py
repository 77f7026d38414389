"""The shapes of providers: how each model is named, and the server and the environment that go with it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

from servers import OpenAIServer
from stand_ins.anthropic import AnthropicServer
from stand_ins.bedrock import ACCESS, SECRET_ACCESS, BedrockServer
from stand_ins.google import GeminiServer, VertexServer
from stand_ins.hosted import AzureServer, KnowsOnly, OllamaServer, VllmServer
from stand_ins.native import KEY

NEEDS_LIBRARY = pytest.mark.skipif(find_spec("any_llm") is None, reason="any_llm not installed: saiten[providers]")


@dataclass(frozen=True)
class Shape:
    """One provider."""

    server: Callable[[], OpenAIServer]
    judge: str
    """With the server's address in the place of `{root}`."""
    embedder: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)

    def named(self, server: OpenAIServer) -> tuple[str, str]:
        """The names of the judge and the embedder on this server."""
        root = server.base_url.removesuffix("/v1")
        return self.judge.format(root=root), self.embedder.format(root=root)


NATIVE = {
    "anthropic": Shape(AnthropicServer, "anthropic:claude-x@{root}", "", {"ANTHROPIC_API_KEY": KEY}),
    "gemini": Shape(
        GeminiServer, "gemini:gemini-x@{root}", "gemini:gemini-embedding-001@{root}", {"GEMINI_API_KEY": KEY}
    ),
    "vertex": Shape(VertexServer, "vertex:gemini-x@{root}", "vertex:text-embedding-005@{root}"),
    "bedrock": Shape(
        BedrockServer, "bedrock:anthropic.claude-x-v1:0@{root}", "bedrock:amazon.titan-embed-text-v2:0@{root}"
    ),
}
HOSTED = {
    name: Shape(server, f"{name}:m/x@{{root}}{path}", f"{name}:e/x@{{root}}{path}", {variable: KEY} if variable else {})
    for name, server, path, variable in (
        ("openai", OpenAIServer, "/v1", "OPENAI_API_KEY"),
        ("azure", AzureServer, "", "AZURE_OPENAI_API_KEY"),
        ("mistral", KnowsOnly, "", "MISTRAL_API_KEY"),
        ("cohere", OpenAIServer, "", "CO_API_KEY"),
        ("ollama", OllamaServer, "", ""),
        ("openrouter", OpenAIServer, "", "OPENROUTER_API_KEY"),
        ("together", OpenAIServer, "", "TOGETHER_API_KEY"),
        ("vllm", VllmServer, "", "VLLM_API_KEY"),
    )
}
CHAT_ONLY = {
    name: Shape(OpenAIServer, f"{name}:m/x@{{root}}", "", {variable: KEY})
    for name, variable in (("deepseek", "DEEPSEEK_API_KEY"), ("groq", "GROQ_API_KEY"))
}


def each(*tables: Mapping[str, Shape]) -> pytest.MarkDecorator:
    """Parametrize a test's `shape`; without tables by all."""
    shapes = {name: shape for table in tables or (NATIVE, HOSTED, CHAT_ONLY) for name, shape in table.items()}
    cases = [
        pytest.param(shape, id=name, marks=[NEEDS_LIBRARY] if name in NATIVE else []) for name, shape in shapes.items()
    ]
    return pytest.mark.parametrize("shape", cases)


def log_in(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Set what the SDKs of clouds read from the environment, which no one else does."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(folder / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(folder / "none"))
    if isinstance(server, VertexServer):
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(_service_account(server, folder)))
        monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "a-project")
        monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "europe-west4")


def _service_account(server: VertexServer, folder: Path) -> Path:
    """A service account whose access tokens are the server's."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    private = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account",
        "project_id": "a-project",
        "private_key_id": "1",
        "private_key": private.decode(),
        "client_email": "judge@a-project.iam.gserviceaccount.com",
        "token_uri": f"{server.root}/token",
    }
    file = folder / "account.json"
    file.write_text(json.dumps(account))
    return file
