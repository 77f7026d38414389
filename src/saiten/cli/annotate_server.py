"""The server of `saiten annotate`: its addresses, and the links of its people."""

import os
import re
import secrets
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

import typer
from rich.console import Console

from saiten.annotation.forms import Form
from saiten.annotation.store.people import all_people, create_person, renew_token
from saiten.annotation.store.progress import item_counts
from saiten.annotation.store.project import Project
from saiten.annotation.web.settings import LOOPBACK_NAMES, WebSettings, is_loopback, public_address
from saiten.cli import INTERRUPTED
from saiten.cli.annotate_options import TOKEN, PeopleOptions, ServerOptions
from saiten.cli.output import escape_untrusted
from saiten.errors import ConfigurationError
from saiten.views.strip_controls import strip_controls

_SHORTEST_TOKEN = 32


def web_settings(server: ServerOptions, environ: Mapping[str, str]) -> WebSettings:
    """Return the settings of the page's address.

    Raises:
        ConfigurationError: the page is reachable from other machines without an admin token; or the token or the
            public address is invalid.
    """
    host, port, public_url = server.host, server.port, server.public_url
    token = environ.get(TOKEN, "")
    if token and not re.fullmatch(rf"[A-Za-z0-9._~-]{{{_SHORTEST_TOKEN},200}}", token):
        raise ConfigurationError(
            f"{TOKEN} must have {_SHORTEST_TOKEN} to 200 letters, digits or . _ ~ -; "
            'make one with: python -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    if not token and not is_loopback(host):
        raise ConfigurationError(
            f"--host {host} lets other machines connect, so the admin needs a token: set the environment variable "
            f"{TOKEN} to at least {_SHORTEST_TOKEN} characters that nobody can guess"
        )
    wildcard = host in {"0.0.0.0", "::", ""}  # noqa: S104 - compared, not bound
    name = (socket.gethostname() if wildcard else host).lower()
    proxy = None if public_url is None else public_address(public_url)
    names = {*LOOPBACK_NAMES, name, urlsplit(proxy or "").hostname or name}
    return WebSettings(
        address=proxy or f"http://{f'[{name}]' if ':' in name else name}:{port}",
        admin_token=token or secrets.token_urlsafe(32),
        hosts=frozenset(names),
        behind_proxy=proxy is not None,
    )


def serve_project(project: Project, form: Form, people: PeopleOptions, server: ServerOptions, notes: Console) -> None:
    """Serve the page until Ctrl-C."""
    from saiten.annotation.web.app import make_app  # with FastAPI and uvicorn, which an export does without
    from saiten.annotation.web.serving import bound_socket, server_of

    web_settings(server, os.environ)  # fails before links are made
    with bound_socket(server.host, server.port) as listening:
        settings = web_settings(replace(server, port=listening.getsockname()[1]), os.environ)
        counts = item_counts(project)
        notes.print(f"{counts.total} items, {counts.finished} finished; form {project.settings.form}")
        if settings.address.startswith("http:") and not is_loopback(server.host):
            notes.print(
                "[yellow]note[/] links and labels are sent unencrypted; put a reverse proxy with HTTPS in front of "
                "this server, and name its address with --public-url"
            )
        token = f"({TOKEN})" if os.environ.get(TOKEN) else settings.admin_token
        _print_link("admin", settings.link(token), notes)
        print_links(project, people, settings, notes)
        notes.print("Ctrl-C stops the server; re-run the command to continue")
        with suppress(KeyboardInterrupt):  # it only ends by a signal, which may have been set to be ignored
            app = make_app(project, form, settings=settings)
            server_of(app, behind_proxy=settings.behind_proxy).run(sockets=[listening])
        notes.print("[yellow]ended:[/] all that was saved is kept; re-run the command to continue")
        raise typer.Exit(INTERRUPTED)


def print_links(project: Project, people: PeopleOptions, settings: WebSettings, notes: Console) -> None:
    """Create the named people, and print their links, which are shown only once."""
    there = {person.name: person for person in all_people(project)}
    unknown = [name for name in people.new_link if name not in there]
    if unknown:
        names = ", ".join(map(repr, there)) or "nobody"
        raise ConfigurationError(f"--new-link {unknown[0]!r}: there is only {names}; --annotator adds an annotator")
    for name in dict.fromkeys(people.annotator):
        if name in there:
            notes.print(f"{escape_untrusted(name)} already has a link, which stays valid (--new-link makes another)")
            continue
        person, token = create_person(project, name, "annotator")
        _print_link(person.name, settings.link(token), notes)
    for name in dict.fromkeys(people.new_link):
        _print_link(name, settings.link(renew_token(project, there[name].id)), notes)


def _print_link(name: str, link: str, notes: Console) -> None:
    notes.print(f"{strip_controls(name)}: {link}", markup=False)
