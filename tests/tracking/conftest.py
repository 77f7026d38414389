"""A real MLflow with a real SQLite store; the empty database is made once and copied."""

import shutil
import warnings

import pytest

import saiten
from saiten.tracking.stores import quietly

ROWS = [
    {"id": "a", "question": "Where?", "answer": "In Nagoya.", "reference": "In Nagoya.", "system": "良い / one"},
    {"id": "b", "question": "どこ？", "answer": "名古屋です。", "reference": "名古屋です。", "system": "two"},
    {"id": "c", "question": "When?", "answer": "SECRET-ANSWER", "reference": "In 1998.", "system": "two"},
]


@pytest.fixture(scope="session")
def mlflow():
    """The package, without the warnings that its own imports raise."""
    with warnings.catch_warnings(), quietly():
        warnings.simplefilter("ignore")
        return pytest.importorskip("mlflow", reason="the extra `mlflow` is not installed")


@pytest.fixture(scope="session")
def empty_database(mlflow, tmp_path_factory):
    """Its tables take seconds to make."""
    pytest.importorskip("sqlalchemy", reason="the extra `mlflow` is not installed")
    path = tmp_path_factory.mktemp("mlflow") / "empty.db"
    with warnings.catch_warnings(), quietly():
        warnings.simplefilter("ignore")
        mlflow.MlflowClient(f"sqlite:///{path}").search_experiments()
    return path


@pytest.fixture
def store(empty_database, tmp_path, monkeypatch):
    """The address of an empty store; artifacts are stored next to it."""
    monkeypatch.chdir(tmp_path)
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(empty_database, tmp_path / "tracked.db")
    return f"sqlite:///{tmp_path}/tracked.db"


@pytest.fixture
def run(tmp_path):
    """The folder of a run of two metrics, one with a name that MLflow does not take."""
    saiten.evaluate(ROWS, ["token_f1", 'aspect_critique["Polite, and short?"]'], run=tmp_path / "runs" / "first")
    return tmp_path / "runs" / "first"
