import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from servers import OpenAIServer


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A server on loopback that speaks OpenAI's protocol; see `servers.py` for what it can be told."""
    with OpenAIServer() as server:
        yield server
