"""`saiten.toml`: defaults of the settings.

judge = "openai:gpt-4o-mini"    # or a table, see below
embedder = "openai:text-embedding-3-small"
metrics = ["faithfulness", "correctness"]
prompts = "our_prompts"         # a folder; see `saiten prompts`
concurrency = 64
max_cost = 5.0

[prices]                        # per million tokens; takes precedence over the price table
"gpt-4o-mini" = { prompt = 0.15, completion = 0.60, cached = 0.075 }

[judge]                         # instead of judge = …, for a model with parameters of its own
name = "ollama:qwen3"
options = { reasoning_effort = "low" }
headers = { X-Team = "search" }

[key_env]                       # the variables that hold the keys of several servers
"https://api.openai.com" = "OPENAI_API_KEY"
"http://gpu1:8000" = "GPU1_KEY"
"""

from pathlib import Path

from saiten import options
from saiten.options import Config
from saiten.settings import (
    CallSettings,
    DataSettings,
    ExecutorSettings,
    JudgeSettings,
    MetricSettings,
    RoleSettings,
    WriterSettings,
)


def read_config(path: Path | None = None) -> Config:
    """Read `path`, or `saiten.toml` in the current folder if there is one; see `options.read_config`."""
    return options.read_config(
        path,
        (JudgeSettings, MetricSettings, DataSettings, RoleSettings, WriterSettings, CallSettings, ExecutorSettings),
    )
