import pytest

from saiten.settings import CallSettings
from saiten.wiring import Models
from stand_ins.shapes import log_in

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
