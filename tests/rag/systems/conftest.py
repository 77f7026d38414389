from collections.abc import Iterator

import pytest

from answer_service import AnswerService


@pytest.fixture
def service() -> Iterator[AnswerService]:
    """A service on loopback that speaks the JSON contract; see `answer_service.py`."""
    with AnswerService() as server:
        yield server


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Run each test in its own folder, without the user's keys."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SAITEN_SYSTEM_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
