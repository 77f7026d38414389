"""The options, arguments and variables of saiten that may carry a secret, found in the code itself."""

from pathlib import Path
from typing import Literal, get_args, get_origin

import typer

from saiten.cli import app
from saiten.models.providers import providers

MODELS = {"--judge", "--embedder", "--composer", "--questioner", "--writer", "--generator", "--model"}
ADDRESSES = MODELS | {
    "--system", "--kb", "--retriever", "--cache", "--db", "--to", "--ray-address", "--public-url", "data", "questions",
    "--qa", "--mqa", "qa", "testset",
}  # fmt: skip
"""Options and arguments whose values may be addresses, with a user, a password, a query, a token in the path."""
HARMLESS = {
    "--annotator", "--answers-of", "--aspect", "--base", "--bertscore", "--calibration", "--chain", "--charts",
    "--column", "--config", "--criterion", "--data-format", "--dialogue", "--difficulty", "--documents", "--example",
    "--examples", "--experiment", "--export", "--fail-if-worse", "--fail-over", "--fail-under", "--group", "--host",
    "--judge-column", "--judges", "--junit", "--kinds", "--label-aspect", "--label-column", "--labels", "--metric",
    "--name", "--new-link", "--open", "--order", "--out", "--perplexity", "--persona", "--png", "--prelabels",
    "--probes", "--prompts", "--rank-by", "--reply", "--report", "--role", "--rubric", "--sample", "--sample-column",
    "--samples", "--skip-check", "--system-pairs", "--systems", "--target", "--title", "--verdict-pattern",
    "--without", "--worst", "before", "documents", "file", "folder", "labels", "name", "names", "now", "query", "run",
    "runs", "sections",
}  # fmt: skip
"""Options and arguments with names, texts and paths on this machine."""


def parameters():
    """Command → its options and arguments, of all commands."""
    root = typer.main.get_command(app)

    def walk(command, path, above):
        if not hasattr(command, "list_commands"):
            yield path, command.params
            return
        for name in command.list_commands(above):
            sub = command.get_command(above, name)
            yield from walk(sub, [*path, name], typer.Context(sub, info_name=name, parent=above))

    return list(walk(root, [], typer.Context(root)))


def takes_text(parameter):
    """Whether the value is neither a number nor one of a few words."""
    hint = parameter.type_descriptor.annotation
    kinds = get_args(hint) if get_origin(hint) in {list, tuple} else (hint,)
    return any(kind in {str, Path} or (get_origin(kind) is not Literal and str in get_args(kind)) for kind in kinds)


def name_of(parameter):
    """`--judge`, or the name of an argument."""
    return next((name for name in parameter.opts if name.startswith("--")), parameter.opts[0])


TYPED = sorted({name_of(each) for _, params in parameters() for each in params if takes_text(each)})
FLAGS = sorted({flag for _, params in parameters() for each in params if takes_text(each) for flag in each.opts if flag.startswith("-")})  # fmt: skip

KNOWN = {name for provider in providers().values() for name in provider.key} | {
    "SAITEN_SYSTEM_KEY", "QDRANT_API_KEY", "SAITEN_ADMIN_TOKEN", "RAY_AUTH_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY",
}  # fmt: skip
"""Variables with secrets; `test_secrets.py` plants all of them."""
