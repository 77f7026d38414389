"""Servers that a configuration file or a knowledge base names, of which its user is to know."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from saiten.errors import ConfigurationError
from saiten.models.address import on_this_machine, parse_url, server_of
from saiten.models.providers import OPENAI, providers
from saiten.options import Config
from saiten.wiring.addresses import parse_name
from saiten.wiring.keys import Keys
from saiten.wiring.models import Models


def elsewhere(url: str, environ: Mapping[str, str]) -> bool:
    """Return whether a server is neither on this machine, nor OpenAI's, nor in a variable such as `OPENAI_BASE_URL`."""
    address = parse_url(url)
    chosen = (one.address(None, environ) for one in providers().values() if environ.get(one.url_variable))
    usual = {server_of(parse_url(each)) for each in (OPENAI, *chosen)}
    return server_of(address) not in usual and not on_this_machine(address.host)


def servers_named(
    config: Config, typed: Mapping[str, str | Sequence[str] | None], environ: Mapping[str, str]
) -> Iterator[str]:
    """Yield one sentence per server that the file names and that is neither local nor the user's default.

    `typed`: the user's choice of `judge`, `embedder` and so on, if they are used, or several; it wins over the file.
    The default is api.openai.com, or a server in a variable such as `OPENAI_BASE_URL`.
    """
    chosen = {what: [each] if isinstance(each, str) else list(each or ()) for what, each in typed.items()}
    keys = Keys(environ, config.values.get("key_env", {}))
    names = [
        (what, parse_name(each)) for what, given in chosen.items() for each in given or [config.values.get(what) or ""]
    ]
    for what, name in names:
        if name is not None:
            name.expect(keys, what)
    for what, name in names:
        url = name.url(environ) if name is not None else ""
        if name is None or not url or any(chosen[what]) or not elsewhere(url, environ):
            continue
        key = None
        with suppress(ConfigurationError):  # an unset variable is reported when the server is used
            key = name.key(keys, what)
        sent = f" and the key in {key.variable}" if key is not None and key.value() else ""
        if name.provider.token:
            sent = f" and {name.provider.token}"
        values = config.values.get(f"{what}_headers", {}).values()
        if variables := [value.removeprefix("env:") for value in values if value.startswith("env:")]:
            sent += f" and the value of {', '.join(variables)}"
        server = server_of(parse_url(url))
        yield f"{config.file} names the server of the {what}, {server}: it gets the data{sent} when it is asked"


def notice_server(base: str, embedder: str, models: Models) -> None:
    """Report a remote server that the base names: the folder may come from somebody else."""
    name = parse_name(embedder)
    url = name.url(models.environ) if name is not None else ""
    if url and elsewhere(url, models.environ):
        models.notice(
            f"the knowledge base {base} names the server of its embedder, {server_of(parse_url(url))}: it gets the "
            "texts to embed when it is asked, and a key only if [key_env] has one for it"
        )
