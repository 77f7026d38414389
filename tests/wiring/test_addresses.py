"""Names of models: which address, which key and which header each means."""

import pytest

from saiten.errors import ConfigurationError
from saiten.models.endpoint import Endpoint
from saiten.models.providers import providers
from saiten.redaction import PROVIDERS, redact_name
from saiten.wiring.addresses import parse_name, read_address

KEY = "sk-planted"


class Every(dict):
    """An environment in which every key is set, and nothing else."""

    def get(self, name, default=None):
        known = {variable for provider in providers().values() for variable in provider.key}
        return super().get(name) or (KEY if name in known else default)


OWN = [
    # name, address, variable with the key, header
    ("openai:gpt-4o-mini", "https://api.openai.com/v1", "OPENAI_API_KEY", "Authorization"),
    ("azure:deployed@resource", "https://resource.openai.azure.com/openai/v1", "AZURE_OPENAI_API_KEY", "api-key"),
    ("anthropic:claude-x", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "x-api-key"),
    ("gemini:gemini-x", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", "x-goog-api-key"),
    ("vertex:gemini-x@europe-west4", "https://europe-west4-aiplatform.googleapis.com", "", "Authorization"),
    ("vertex:gemini-x@global", "https://aiplatform.googleapis.com", "", "Authorization"),
    ("vertex:gemini-x@eu", "https://aiplatform.eu.rep.googleapis.com", "", "Authorization"),
    ("bedrock:m-v1:0@us-east-1", "https://bedrock-runtime.us-east-1.amazonaws.com", "AWS_BEARER_TOKEN_BEDROCK", "Authorization"),
    ("mistral:mistral-large-latest", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "Authorization"),
    ("cohere:command-a", "https://api.cohere.ai/compatibility/v1", "CO_API_KEY", "Authorization"),
    ("deepseek:deepseek-chat", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "Authorization"),
    ("fireworks:accounts/fireworks/models/m", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "Authorization"),
    ("groq:openai/gpt-oss-20b", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "Authorization"),
    ("huggingface:org/m:provider", "https://router.huggingface.co/v1", "HF_TOKEN", "Authorization"),
    ("openrouter:anthropic/claude-x:free", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "Authorization"),
    ("together:org/m", "https://api.together.xyz/v1", "TOGETHER_API_KEY", "Authorization"),
    ("xai:grok-x", "https://api.x.ai/v1", "XAI_API_KEY", "Authorization"),
    ("litellm:m", "http://localhost:4000/v1", "LITELLM_API_KEY", "Authorization"),
    ("llamacpp:m", "http://localhost:8080/v1", "LLAMA_API_KEY", "Authorization"),
    ("lmstudio:m", "http://localhost:1234/v1", "", "Authorization"),
    ("ollama:qwen3:8b", "http://localhost:11434/v1", "", "Authorization"),
    ("sglang:m", "http://localhost:30000/v1", "SGLANG_API_KEY", "Authorization"),
    ("tgi:m", "http://localhost:8080/v1", "", "Authorization"),
    ("vllm:Qwen/Qwen3-8B", "http://localhost:8000/v1", "VLLM_API_KEY", "Authorization"),
]  # fmt: skip
EMBEDDERS = [
    ("jina:jina-embeddings-v3", "https://api.jina.ai/v1", "JINA_API_KEY", "Authorization"),
    ("voyage:voyage-3", "https://api.voyageai.com/v1", "VOYAGE_API_KEY", "Authorization"),
]


def headers_of(address):
    """The headers with a key that a model at this address sends."""
    endpoint = Endpoint(address.model, address.url, address.source, provider=address.provider)
    return {name: value for name, value in endpoint.all_headers().items() if KEY in value}


@pytest.mark.parametrize(("spec", "url", "variable", "header"), OWN + EMBEDDERS)
def test_a_name_without_an_address_is_enough(spec, url, variable, header):
    """Nobody needs to know an address, a variable or a header."""
    what = "embedder" if (spec, url, variable, header) in EMBEDDERS else "judge"
    address = read_address(spec, Every(), what=what)
    assert (address.url, address.source.variable) == (url, variable)
    assert headers_of(address) == ({header: KEY if header != "Authorization" else f"Bearer {KEY}"} if variable else {})
    assert spec == Endpoint(address.model, address.url, None, provider=address.provider).name


def test_every_provider_has_a_row_above():
    """And the list that hides passwords in misspelled names knows each."""
    assert {spec.partition(":")[0] for spec, *_ in OWN + EMBEDDERS} == set(providers()) == set(PROVIDERS)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_password_in_a_name_is_hidden(name):
    """Whatever the provider, also where the name cannot be read."""
    assert redact_name(f"{name}:m@me:word@host/v1") == f"{name}:m@***@host/v1"


VARIABLES = [
    ("openai:m", {"OPENAI_BASE_URL": "http://gpu1:8000/v1"}, "http://gpu1:8000/v1"),
    ("azure:m", {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/"}, "https://r.openai.azure.com/openai/v1"),
    (
        "azure:m",
        {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/openai/v1"},
        "https://r.openai.azure.com/openai/v1",
    ),
    ("anthropic:m", {"ANTHROPIC_BASE_URL": "https://gate.example.com/anthropic"}, "https://gate.example.com/anthropic"),
    ("gemini:m", {"GOOGLE_GEMINI_BASE_URL": "https://gate.example.com"}, "https://gate.example.com"),
    ("bedrock:m", {"AWS_REGION": "eu-west-1"}, "https://bedrock-runtime.eu-west-1.amazonaws.com"),
    ("bedrock:m", {"AWS_DEFAULT_REGION": "eu-west-1"}, "https://bedrock-runtime.eu-west-1.amazonaws.com"),
    ("vertex:m", {"GOOGLE_CLOUD_LOCATION": "us-east5"}, "https://us-east5-aiplatform.googleapis.com"),
    ("vertex:m", {"GOOGLE_CLOUD_LOCATION": "global"}, "https://aiplatform.googleapis.com"),
    ("ollama:m", {"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434/v1"),  # noqa: S104 - nothing listens
    ("ollama:m", {"OLLAMA_HOST": "0.0.0.0:8080"}, "http://127.0.0.1:8080/v1"),
    ("ollama:m", {"OLLAMA_HOST": "gpu1"}, "http://gpu1:11434/v1"),
    ("ollama:m", {"OLLAMA_HOST": "gpu1:80"}, "http://gpu1:80/v1"),
    ("ollama:m", {"OLLAMA_HOST": ":8080"}, "http://127.0.0.1:8080/v1"),
    ("ollama:m", {"OLLAMA_HOST": "http://gpu1:8080"}, "http://gpu1:8080/v1"),
    ("ollama:m", {"OLLAMA_HOST": "http://0.0.0.0:8080"}, "http://127.0.0.1:8080/v1"),
    ("ollama:m", {"OLLAMA_HOST": "https://gpu1/ollama"}, "https://gpu1/ollama"),
    ("ollama:m", {"OLLAMA_HOST": " "}, "http://localhost:11434/v1"),
]


@pytest.mark.parametrize(("spec", "environ", "url"), VARIABLES)
def test_a_variable_may_name_the_address(spec, environ, url):
    """The variable that the provider's own tools read, in every form that they read."""
    found = parse_name(spec).url(environ).replace(":80/", "/").rstrip("/")
    assert found == url.replace(":80/", "/")
    typed = f"{spec}@http://127.0.0.1:1/v1"
    assert parse_name(typed).url(environ).startswith("http://127.0.0.1:1/")


TYPED = [
    # what is typed, model, address
    ("vllm:qwen3@http://gpu1:8000", "qwen3", "http://gpu1:8000/v1"),
    ("vllm:qwen3@http://gpu1:8000/v1", "qwen3", "http://gpu1:8000/v1"),
    ("vllm/qwen3@http://gpu1:8000/", "qwen3", "http://gpu1:8000/v1"),
    ("openai:m@http://gpu1:8000", "m", "http://gpu1:8000"),
    ("azure:d@https://r.openai.azure.com", "d", "https://r.openai.azure.com/openai/v1"),
    ("azure:d@https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21", "d",
     "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21"),
    ("bedrock:us.anthropic.claude-x-20250514-v1:0@us-east-1", "us.anthropic.claude-x-20250514-v1:0",
     "https://bedrock-runtime.us-east-1.amazonaws.com"),
    ("bedrock:arn:aws:bedrock:us-east-1:1:application-inference-profile/p@us-east-1",
     "arn:aws:bedrock:us-east-1:1:application-inference-profile/p", "https://bedrock-runtime.us-east-1.amazonaws.com"),
    ("vertex:claude-opus-4@20250514@us-east5", "claude-opus-4@20250514", "https://us-east5-aiplatform.googleapis.com"),
    ("openai:@cf/meta/llama-3@https://api.cloudflare.com/client/v4/accounts/a/ai/v1", "@cf/meta/llama-3",
     "https://api.cloudflare.com/client/v4/accounts/a/ai/v1"),
    ("openai:@cf/meta/llama-3", "@cf/meta/llama-3", "https://api.openai.com/v1"),
    ("openrouter:google/gemma-3:free", "google/gemma-3:free", "https://openrouter.ai/api/v1"),
    ("ollama:hf.co/org/Model-GGUF:Q4_K_M", "hf.co/org/Model-GGUF:Q4_K_M", "http://localhost:11434/v1"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "model", "url"), TYPED)
def test_names_with_slashes_colons_and_at_signs(spec, model, url):
    """As their providers write them."""
    name = parse_name(spec)
    assert (name.model, name.url({}).rstrip("/")) == (model, url)


def test_a_version_is_no_place():
    """What follows the @ in claude-opus-4@20250514 is a date; the region comes from the environment."""
    name = parse_name("vertex:claude-opus-4@20250514")
    assert (name.model, name.url({"GOOGLE_CLOUD_LOCATION": "us-east5"})) == (
        "claude-opus-4@20250514",
        "https://us-east5-aiplatform.googleapis.com",
    )


FAULTY = [
    ("anthropic:claude-x", "judge", "there is no key: set ANTHROPIC_API_KEY"),
    ("gemini:gemini-x", "judge", "set GEMINI_API_KEY"),
    ("mistral:m", "embedder", "set MISTRAL_API_KEY"),
    ("azure:d@resource", "judge", "set AZURE_OPENAI_API_KEY"),
    ("azure:d", "judge", "write azure:d@RESOURCE, or set AZURE_OPENAI_ENDPOINT"),
    ("bedrock:m-v1:0", "judge", "write bedrock:m-v1:0@REGION, or set AWS_REGION"),
    ("vertex:m", "judge", "write vertex:m@LOCATION, or set GOOGLE_CLOUD_LOCATION"),
    ("anthropic:claude-x", "embedder", "anthropic has no embedding models"),
    ("voyage:voyage-3", "judge", "voyage has no chat models"),
    ("antropic:claude-x", "judge", "did you mean anthropic:claude-x?"),
    ("vllm:m@gpu1:8000", "judge", "an address begins with http:// or https://: vllm:m@http://gpu1:8000"),
    ("vllm:m@localhost", "judge", "an address begins with http:// or https://: vllm:m@http://localhost"),
    ("openai:@http://gpu1:8000/v1", "judge", "unknown judge"),
    ("gateway:m", "judge", "if gateway speaks OpenAI's protocol, write openai:m@URL"),
]


@pytest.mark.parametrize(("spec", "what", "said"), FAULTY)
def test_an_error_says_what_to_write_or_to_set(spec, what, said):
    """For every way in which a name can be wrong."""
    with pytest.raises(ConfigurationError) as error:
        read_address(spec, {}, what=what, builtin="builtin" if what == "embedder" else "offline")
    assert said in str(error.value)


@pytest.mark.parametrize("name", [name for name, provider in providers().items() if not provider.needs_key])
def test_a_server_of_ones_own_needs_no_key(name):
    """Nor do clouds whose SDK finds credentials elsewhere."""
    place = {"vertex": "@us-east5", "bedrock": "@us-east-1"}.get(name, "")
    assert read_address(f"{name}:m{place}", {}).source.value() is None
