import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

from servers import OpenAIServer

settings.register_profile("a machine that may be slow", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("a machine that may be slow")


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A server on loopback that speaks OpenAI's protocol; see `servers.py` for what it can be told."""
    with OpenAIServer() as server:
        yield server
