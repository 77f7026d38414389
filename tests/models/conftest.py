import pytest

from databases import KINDS, postgres_server
from saiten.settings import CallSettings
from saiten.wiring import Models
from saiten.wiring.stores import open_store
from stand_ins.shapes import log_in

__all__ = ["postgres_server"]

ONCE = CallSettings(retries=0, timeout=60)


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """A function that starts a shape's server and returns it with a chat model on it."""
    servers = []

    def start(shape):
        server = shape.server()
        servers.append(server)
        server.__enter__()
        log_in(server, monkeypatch, tmp_path)
        return server, Models(ONCE, shape.environ).chat(shape.named(server)[0])

    yield start
    for server in servers:
        server.close()


@pytest.fixture(params=KINDS)
def store_name(request, tmp_path) -> str:
    """The name of an answer store that does not exist yet: first a file, then a database."""
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return request.getfixturevalue("postgres_server").new_database()


@pytest.fixture
async def store(store_name):
    """An empty answer store."""
    opened = open_store(store_name, lambda _: None)
    yield opened
    await opened.close()


@pytest.fixture
async def stores(store_name):
    """Two stores of one name, as two processes have them."""
    two = [open_store(store_name, lambda _: None) for _ in range(2)]
    yield two
    for each in two:
        await each.close()
