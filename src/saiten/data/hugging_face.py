"""Data sets of the Hugging Face Hub and folders of them, through the package `datasets`, which streams them.

Folders of `save_to_disk` are read without the package. Code in a data set is never run: releases of `datasets` before
4, which could do so, are refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saiten.data.arrow_rows import is_saved, read_dataset
from saiten.data.objects.hugging_face import only_split, rows_of_set
from saiten.data.rows import BadRow, RawRow, place
from saiten.data.set_names import SetName
from saiten.errors import BadInput, ConfigurationError, SaitenError


def read_set(name: SetName, shown: str, *, wanted: Callable[[str], bool]) -> Iterator[RawRow | BadRow]:
    """Yield one row per record; unwanted columns are None. Of the hub, only the files that are read are downloaded.

    Args:
        name: The data set.
        shown: Its name in messages.
        wanted: Whether a column is needed.

    Raises:
        BadInput: It cannot be read, or it has several splits or configurations, which are listed.
        ConfigurationError: A package is missing or too old.
    """
    if not name.on_hub and is_saved(Path(name.path)):
        yield from read_dataset(Path(name.path), name.split, wanted=wanted)
        return
    if not name.on_hub and (Path(name.path) / "manifest.json").is_file():
        raise BadInput(f"{name.path} is a run of saiten, not data; name the data, or see `saiten show {name.path}`")
    with _reading(name):
        rows = rows_of_set(_split(name), wanted)
        for number, row in enumerate(rows, 1):
            yield RawRow(number, row, place(shown, number))


def _split(name: SetName) -> Any:
    splits = _splits(_datasets(), name)
    if name.split is None:
        return only_split(splits, name.with_split("{split}"))
    if name.split not in splits:
        raise BadInput(f"{name.of_config(name.config)} has no split {name.split}; there are {', '.join(splits)}")
    return splits[name.split]


def _splits(datasets: Any, name: SetName) -> Mapping[str, Any]:
    """Return split → rows that are read when they are asked for."""
    if name.on_hub and Path(name.path).is_dir():
        raise BadInput(
            f"there is a folder {name.path} here, which the package datasets would read instead of the hub's data set; "
            f"name it as ./{name.path}, or run the command in another folder"
        )
    path = name.path if name.on_hub else str(Path(name.path).absolute())
    try:
        found: Mapping[str, Any] = datasets.load_dataset(path, name.config, streaming=True)
    except ValueError:  # also for a configuration that is missing, or that must be named
        _check_config(name, datasets.get_dataset_config_names(path))
        raise
    return found


def _check_config(name: SetName, configs: Sequence[str]) -> None:
    """Raise BadInput if the configuration is not there, or if one of several must be named."""
    if name.config is None and len(configs) > 1:
        example = f"{name.of_config(configs[0])}{f':{name.split}' if name.split else ''}"
        raise BadInput(f"{name.of_config(None)} has the configurations {', '.join(configs)}; name one: {example}")
    if name.config is not None and name.config not in configs:
        raise BadInput(f"{name.of_config(None)} has no configuration {name.config}; there are {', '.join(configs)}")


def _datasets() -> Any:
    try:
        import datasets  # noqa: PLC0415 - optional package
    except ImportError as error:
        raise ConfigurationError(
            'data sets of the Hugging Face Hub need its package; install it with pip install "saiten[datasets]"'
        ) from error
    if int(datasets.__version__.partition(".")[0]) < 4:  # older ones run scripts in data sets
        raise ConfigurationError(
            f'datasets {datasets.__version__} is too old; install 4 or newer: pip install "saiten[datasets]"'
        )
    return datasets


@contextmanager
def _reading(name: SetName) -> Iterator[None]:
    """Raise BadInput for whatever goes wrong in the package."""
    try:
        yield
    except SaitenError:
        raise
    except Exception as error:  # errors of the package, of its HTTP client and of the formats
        kind = type(error).__name__
        if not name.on_hub and kind in {"DataFilesNotFoundError", "EmptyDatasetError"}:
            inside = ", ".join(sorted(path.name for path in Path(name.path).iterdir())[:8]) or "nothing"
            raise BadInput(
                f"{name.path} is a folder without data files that the package datasets finds (it contains: {inside}); "
                "name one file instead"
            ) from error
        if kind == "DatasetNotFoundError":
            raise BadInput(
                f"there is no data set {name.of_config(name.config)} on the hub, or it is private; for a private one, "
                "log in with `hf auth login` or set HF_TOKEN"
            ) from error
        raise BadInput(f"{name.of_config(name.config)} cannot be read: {kind}: {error}") from error
