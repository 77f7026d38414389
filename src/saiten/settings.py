"""Settings of a judge, its calls and the data; `config_file` says how `saiten.toml` holds defaults for them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from saiten import options
from saiten.choices import MOST_AT_ONCE, ExecutorName, Stratify
from saiten.errors import ConfigurationError
from saiten.options import option
from saiten.records import Language
from saiten.redaction import redact_headers, redact_options, redact_settings

_IF_GIVEN = ("logprobs", "separate_calls", "retry_refusals")
_OF_MODELS = ("judge_options", "judge_headers", "embedder_options", "embedder_headers")

JUDGE, ROLES, CALLS, DATA = "Judge", "Composer and questioner", "Calls and cost", "Data"
WRITER = "Writer of questions"
EXECUTOR = "Processes and machines"
"""Headings in the help."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The settings that determine figures: runs with different settings are different runs."""

    judge: str = option(
        "offline",
        "Judge: offline, PROVIDER:MODEL\\[@URL] (openai, anthropic, gemini, azure, bedrock, mistral, ollama, vllm, …), "
        "hf:NAME_OR_FOLDER, vllm-engine:NAME_OR_FOLDER or nli:NAME_OR_FOLDER.",
        toml=True,
    )
    embedder: str = option(
        "builtin", "Embedding model: builtin, PROVIDER:MODEL\\[@URL] or st:NAME_OR_FOLDER.", panel=JUDGE, toml=True
    )
    """Used by metrics that compare embeddings."""
    temperature: float | None = option(
        None, "Sampling temperature. Default 0; 0.7 with several votes.", panel=JUDGE, min=0, toml=True
    )
    seed: int = option(1, "Seed sent with every request.", panel=JUDGE, toml=True)
    """Each further vote uses the next seed."""
    votes: int = option(
        1, "Number of replies per request, each with another seed.", panel=JUDGE, min=1, max=100, toml=True
    )
    max_tokens: int = option(4096, "Maximum number of tokens per reply.", panel=JUDGE, min=1, toml=True)
    logprobs: bool = option(
        False,
        "Request token probabilities, for the expected value of each verdict and grade; replies get many times larger.",
        "--logprobs/--no-logprobs",
        panel=JUDGE,
        toml=True,
    )
    """Not every server returns them."""
    calibration: tuple[Path, ...] = option(
        (), "Calibration of the offline judge, from `saiten tune offline`. Repeatable.", panel=JUDGE, toml=True
    )
    """One file per aspect."""
    separate_calls: bool = option(
        False,
        "Make one call per step and context instead of joining the calls of a sample that read the same texts; for "
        "weak models.",
        "--separate-calls/--joined-calls",
        panel=JUDGE,
        toml=True,
    )
    retry_refusals: int = option(
        0,
        "Times to ask again, each with another seed, if the model refuses to judge.",
        panel=JUDGE,
        min=0,
        max=10,
        toml=True,
    )
    prompts: Path | None = option(
        None, "Folder with prompts that replace saiten's, or a preset; see `saiten prompts`.", panel=JUDGE, toml=True
    )
    judge_options: Mapping[str, Any] = option(
        {},
        "Further parameter of the judge's requests, NAME=VALUE: reasoning_effort=low, thinking.type=disabled; null "
        "leaves one out. Repeatable.",
        "--judge-option",
        panel=JUDGE,
        toml="judge.options",
    )
    judge_headers: Mapping[str, str] = option(
        {},
        "Header of the judge's requests, NAME=VALUE; the value env:VARIABLE is read from the environment. Never "
        "stored. Repeatable.",
        "--judge-header",
        panel=JUDGE,
        toml="judge.headers",
    )
    embedder_options: Mapping[str, Any] = option(
        {},
        "Further parameter of the embedding requests, NAME=VALUE, such as dimensions=256. Repeatable.",
        "--embedder-option",
        panel=JUDGE,
        toml="embedder.options",
    )
    embedder_headers: Mapping[str, str] = option(
        {},
        "Header of the embedding requests, as --judge-header. Repeatable.",
        "--embedder-header",
        panel=JUDGE,
        toml="embedder.headers",
    )

    def __post_init__(self) -> None:
        """Raises ConfigurationError for options that cannot be sent."""
        for name in ("judge_options", "embedder_options"):
            options.check_sendable(name, getattr(self, name))

    def kept(self) -> dict[str, Any]:
        """Return the settings for a run's manifest, without secrets.

        Calibrations and prompts are left out: signatures identify them by content, not by path. So are probabilities
        that are not requested, options and headers that are not given, as in runs made before they could be.
        """
        kept = self._shown()
        del kept["calibration"], kept["prompts"]
        absent = [name for name in (*_IF_GIVEN, *_OF_MODELS) if not getattr(self, name)]
        return {name: value for name, value in kept.items() if name not in absent}

    def _shown(self) -> dict[str, Any]:
        """Return the settings without secrets."""
        shown: dict[str, Any] = redact_settings(asdict(self))
        for name in _OF_MODELS:
            shown[name] = (redact_headers if name.endswith("headers") else redact_options)(getattr(self, name))
        return shown

    def __repr__(self) -> str:
        shown = self._shown()
        return f"JudgeSettings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """The models of a dialogue's composer and questioner, if they are others than the judge, which grades."""

    composer: str | None = option(
        None, "Model that composes one answer of those so far, as --judge. Default: the judge.", panel=ROLES, toml=True
    )
    composer_options: Mapping[str, Any] = option(
        {}, "As --judge-option. Repeatable.", "--composer-option", panel=ROLES, toml="composer.options"
    )
    composer_headers: Mapping[str, str] = option(
        {}, "As --judge-header. Repeatable.", "--composer-header", panel=ROLES, toml="composer.headers"
    )
    questioner: str | None = option(
        None, "Model that asks the follow-up questions, as --judge. Default: the judge.", panel=ROLES, toml=True
    )
    questioner_options: Mapping[str, Any] = option(
        {}, "As --judge-option. Repeatable.", "--questioner-option", panel=ROLES, toml="questioner.options"
    )
    questioner_headers: Mapping[str, str] = option(
        {}, "As --judge-header. Repeatable.", "--questioner-header", panel=ROLES, toml="questioner.headers"
    )

    def judges(self, judge: JudgeSettings) -> dict[str, JudgeSettings]:
        """Return role → the settings of its judge, for roles with a model of their own; all else is as for the judge.

        Raises:
            ConfigurationError: options or headers are given for a role without a model of its own.
        """
        return _judges_of_roles(self, ("composer", "questioner"), judge)


@dataclass(frozen=True, slots=True)
class WriterSettings:
    """The model that writes questions, if it is another than the judge, which checks them."""

    writer: str | None = option(
        None, "Model that writes the questions, as --judge. Default: the judge.", panel=WRITER, toml=True
    )
    writer_options: Mapping[str, Any] = option(
        {}, "As --judge-option. Repeatable.", "--writer-option", panel=WRITER, toml="writer.options"
    )
    writer_headers: Mapping[str, str] = option(
        {}, "As --judge-header. Repeatable.", "--writer-header", panel=WRITER, toml="writer.headers"
    )

    def judges(self, judge: JudgeSettings) -> dict[str, JudgeSettings]:
        """Return the settings of the writer as a judge, under `writer`, if it is a model of its own.

        Raises:
            ConfigurationError: options or headers are given without a model.
        """
        return _judges_of_roles(self, ("writer",), judge)


def _judges_of_roles(
    settings: RoleSettings | WriterSettings, roles: Sequence[str], judge: JudgeSettings
) -> dict[str, JudgeSettings]:
    alone = replace(judge, votes=1, logprobs=False, calibration=(), embedder="builtin")
    alone = replace(alone, embedder_options={}, embedder_headers={})
    made = {}
    for role in roles:
        named, options, headers = (getattr(settings, f"{role}{end}") for end in ("", "_options", "_headers"))
        if named:
            made[role] = replace(alone, judge=named, judge_options=options, judge_headers=headers)
        elif options or headers:
            raise ConfigurationError(f"--{role}-option and --{role}-header need --{role} MODEL; name it")
    return made


@dataclass(frozen=True, slots=True)
class CallSettings:
    """The settings of the calls; no figure depends on them."""

    max_calls: int | None = option(None, "Stop cleanly after this number of calls.", panel=CALLS, min=0, toml=True)
    max_cost: float | None = option(
        None, "Stop cleanly at this cost; requires a known price, see --dry-run.", panel=CALLS, min=0, toml=True
    )
    concurrency: int = option(64, "Maximum requests in flight.", panel=CALLS, min=1, max=MOST_AT_ONCE, toml=True)
    requests_per_minute: int | None = option(
        None, "Maximum requests per minute.", "--rpm", panel=CALLS, min=1, toml=True
    )
    tokens_per_minute: int | None = option(None, "Maximum tokens per minute.", "--tpm", panel=CALLS, min=1, toml=True)
    timeout: float = option(120.0, "Timeout per request, in seconds.", panel=CALLS, min=0.1, max=86_400, toml=True)
    """A run as a whole has no time limit."""
    retries: int = option(7, "Number of retries of a failed request.", panel=CALLS, min=0, max=1_000, toml=True)
    cache: str | None = option(
        None,
        "Cache of replies, to share between runs: a file, or for several machines a database (postgresql://HOST/DB).",
        panel=CALLS,
        toml=True,
    )
    """Holds every reply as soon as it arrives; None disables the cache, but see `kept_in`."""
    no_cache: bool = option(False, "Do not cache replies, not even to resume the run.", panel=CALLS)
    batch: bool = option(
        False,
        "Send requests in batches, at half price with most providers; a batch may take a day, and the command waits.",
        panel=CALLS,
    )
    batch_files: bool = option(
        False,
        "Write request files for you to run, for example with `vllm run-batch`, and stop; re-run to read the replies.",
        panel=CALLS,
    )
    batch_size: int = option(
        20_000,
        "Maximum requests per batch. As many wait in memory, about 30 kB each.",
        panel=CALLS,
        min=1,
        max=50_000,
        toml=True,
    )
    batch_poll: float = option(
        60.0, "Longest wait between two status checks of a batch, in seconds.", panel=CALLS, min=0.001, toml=True
    )
    batch_price: float | None = option(
        None,
        "Price of a batched request as a share of the regular price. Default: 0.5 where that is known, otherwise 1.",
        panel=CALLS,
        min=0,
        toml=True,
    )
    currency: str = option("USD", toml=True, typed=False)
    prices: Mapping[str, Any] = option({}, toml=True, typed=False)
    """Model → `prompt` and `completion`, per million tokens."""
    key_env: Mapping[str, str] = option({}, toml=True, typed=False)
    """Server address → the environment variable that holds its key."""

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a cache that is neither a file nor an address."""
        options.check_place_of_database("the cache", self.cache or "")

    @property
    def batched(self) -> bool:
        """Whether requests go in batches, sent or as files."""
        return self.batch or self.batch_files

    def at_once(self, metrics: int) -> int:
        """Return the number of samples in progress: as many as fill a batch, or as requests may be in flight."""
        return max(self.batch_size // max(metrics, 1), self.concurrency) if self.batched else self.concurrency

    def kept_in(self, folder: Path | None) -> Self:
        """Return settings with the cache in a run's folder, unless a cache file is named or the cache is off.

        Raises:
            ConfigurationError: batches have no folder or no cache, so their replies could be lost.
        """
        if self.batched and (folder is None or self.no_cache):
            raise ConfigurationError(
                "--batch needs the folder of a run and its cache, where replies are kept that come hours later; name "
                "a folder (-o RUN), and leave out --no-cache"
            )
        default = None if folder is None else str(folder / "answers.sqlite")
        return replace(self, cache=None if self.no_cache else self.cache or default)


BATCHES = frozenset(("batch", "batch_files", "batch_size", "batch_poll", "batch_price"))
"""The fields about batches, for commands whose calls cannot wait for one."""


@dataclass(frozen=True, slots=True)
class ExecutorSettings:
    """Where the work is done; no figure depends on it."""

    executor: ExecutorName = option(
        "local",
        "Where the work is done: local (this machine) or ray (workers of a Ray cluster, which read data in shards).",
        panel=EXECUTOR,
        toml=True,
    )
    ray_address: str | None = option(
        None,
        "Ray cluster, such as ray://HEAD:10001. Default: RAY_ADDRESS, otherwise Ray is started on this machine.",
        panel=EXECUTOR,
        toml=True,
    )
    workers: int | None = option(
        None,
        "Number of processes. ray: each makes its own calls; default one per core of the cluster. local: for metrics "
        "without a judge or with the offline judge, default one per core, unless there are few rows, and 1 for metrics "
        "of your own; a model is always called by one process.",
        panel=EXECUTOR,
        min=1,
        max=10_000,
    )
    gpus_per_worker: float | None = option(
        None,
        "GPUs of each Ray worker. Default: 1 if a network runs in it (hf:, nli:, st:) and the cluster has GPUs.",
        panel=EXECUTOR,
        min=0,
        toml=True,
    )

    def here(self, environ: Mapping[str, str]) -> bool:
        """Return whether all workers run on this machine."""
        return self.ray_address is None and not environ.get("RAY_ADDRESS")

    def on_cluster(self) -> bool:
        """Return whether it is a cluster; raise ConfigurationError for settings that only its workers have."""
        if self.executor == "ray":
            return True
        for name in ("workers", "ray_address", "gpus_per_worker"):
            if getattr(self, name) is not None:
                raise ConfigurationError(f"--{name.replace('_', '-')} is for workers of a cluster; add --executor ray")
        return False


@dataclass(frozen=True, slots=True)
class DataSettings:
    """The settings for reading the rows of a file."""

    column: tuple[str, ...] = option(
        (),
        'Map a field to a column that is not recognized by name: FIELD=COLUMN. Repeatable; "" leaves out those of '
        "saiten.toml.",
        panel=DATA,
        toml=True,
    )
    data_format: str | None = option(
        None,
        "jsonl, json, csv, tsv, xlsx, parquet, dataset; for traces otlp, phoenix, mlflow or langfuse. Default: by "
        "file extension and content.",
        panel=DATA,
    )
    language: Language | None = option(None, "Language of all rows. Default: detected per row.", panel=DATA, toml=True)
    limit: int | None = option(None, "Maximum number of rows to read.", panel=DATA, min=1)
    sample: int | None = option(
        None,
        "Number of rows to draw at random from those read; a resumed run draws the same ones.",
        panel=DATA,
        min=1,
    )
    sample_seed: int = option(1, "Seed of --sample; another seed draws other rows.", panel=DATA)
    stratify: Stratify = option(
        "system",
        "Field to stratify --sample by, with at least one row per value: system, group, day (of a trace, in "
        "UTC) or none.",
        panel=DATA,
    )
    strict: bool = option(False, "Stop at the first row that cannot be used.", panel=DATA)


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """The metrics to score with."""

    metrics: tuple[str, ...] = option(
        (),
        "Metric, with settings in brackets, preset (ragas, overlap), or FILE.py:NAME, whose code is run. Repeatable.",
        "--metric",
        "-m",
        toml=True,
    )
