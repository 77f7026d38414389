"""Packages are loaded late: a start costs nothing, and optional packages are loaded only where they are used."""

import os
import subprocess
import sys

import pytest

from saiten.cli import COMMANDS

HEAVY = ("torch", "transformers", "pandas", "polars", "pyarrow", "datasets", "scipy", "sudachipy", "sacrebleu", "aiohttp", "rich", "typer", "pydantic", "numpy")  # fmt: skip
OPTIONAL = ("torch", "transformers", "pandas", "polars", "pyarrow", "datasets")


def loaded_by(code, *packages):
    """Return those of the packages that a fresh process has loaded after this code."""
    check = f"\nimport sys\nsys.stderr.write(' '.join(p for p in {packages!r} if p in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True, check=True)
    return done.stderr.split()


def test_importing_saiten_loads_no_package():
    """`import saiten` needs nothing but the standard library until a name is used."""
    code = "import saiten, saiten.mlflow; saiten.__version__; saiten.Sample; saiten.mlflow.scorers"
    assert loaded_by(code, *HEAVY, "mlflow") == []


def test_a_room_loads_nothing_heavy_before_it_is_used():
    """The catalog loads no metric; metrics, tokenizers, models and knowledge bases load no library until they work."""
    code = (
        "import sys, saiten.metrics.catalog\n"
        "early = [name for name in sys.modules if name.startswith(('saiten.metrics.ragas', 'saiten.metrics.overlap'))]\n"
        "assert not early, early\n"
        "import saiten.metrics.overlap, saiten.stats\n"
        "from saiten.metrics.overlap.bleu4 import Bleu4\n"
        "Bleu4().describe()\n"
        "assert 'rapidfuzz' not in sys.modules\n"
        "import saiten.metrics.neural.perplexity, saiten.wiring, saiten.rag.knowledge.indexing"
    )
    libraries = ("sudachipy", "sacrebleu", "scipy", "sentence_transformers", "qdrant_edge", "qdrant_client")
    assert loaded_by(code, "torch", "transformers", *libraries) == []


def test_the_overview_of_the_commands_loads_none_of_them():
    """`saiten --help` is fast: it loads neither NumPy nor an HTTP client."""
    code = "from saiten.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert loaded_by(code, *(set(HEAVY) - {"rich", "typer"})) == []


def test_the_help_of_a_command_loads_nothing_that_its_work_needs():
    """It is fast: it loads neither NumPy, nor a client, nor the packages that compute and show figures."""
    helps = [[name] for name in COMMANDS] + [["tune", name] for name in ("mate", "judge", "offline")]
    code = (
        "from saiten.cli import main\n"
        f"for words in {helps!r}:\n"
        "    try: main([*words, '--help'])\n"
        "    except SystemExit as end: assert not end.code\n"
    )
    rooms = ("metrics", "judges", "models", "rag", "runs", "results", "trust", "tuning", "views", "wiring", "data")
    # Typer itself loads pydantic and rich, to read options and to print the help.
    heavy = {*HEAVY, "yaml", "jinja2", "altair", "orjson"} - {"rich", "typer", "pydantic"}
    assert loaded_by(code, *heavy, *(f"saiten.{room}" for room in rooms)) == []


LIBRARIES = ("any_llm", "anthropic", "boto3", "botocore", "google.auth", "google.genai", "httpx", "openai")


def test_models_that_speak_openais_protocol_load_no_library_of_a_provider(openai_server, tmp_path):
    """Nor do the import and the help: seconds that only a call of a provider with a protocol of its own needs."""
    (tmp_path / "d.jsonl").write_text('{"question": "q", "answer": "a", "contexts": ["c"], "reference": "a"}\n')
    words = ["score", str(tmp_path / "d.jsonl"), "-m", "accuracy", "--judge", f"vllm:m@{openai_server.base_url}"]
    words += ["--embedder", f"mistral:e@{openai_server.base_url}", "-o", str(tmp_path / "run"), "-q"]
    code = (
        "import contextlib, io, saiten; saiten.evaluate\n"
        "from saiten.cli import main\n"
        f"for words in (['--help'], {words!r}):\n"
        "    with contextlib.redirect_stderr(io.StringIO()):\n"
        "        try: main(words)\n"
        "        except SystemExit as end: assert not end.code\n"
    )
    assert loaded_by(code, *LIBRARIES) == []
    assert openai_server.requests


def test_scoring_a_file_needs_no_optional_package(tmp_path):
    """JSON lines, a text metric and the offline judge: the core is enough, and no network library for optional data."""
    (tmp_path / "d.jsonl").write_text('{"question": "q", "answer": "a", "contexts": ["c"], "reference": "a"}\n')
    code = (
        "import saiten\n"
        f"result = saiten.evaluate({str(tmp_path / 'd.jsonl')!r}, ['token_f1', 'faithfulness'])\n"
        "assert result.summary.overall('token_f1').mean == 1.0"
    )
    assert loaded_by(code, *OPTIONAL) == []


@pytest.mark.parametrize("name", __import__("saiten").__all__)
def test_every_public_name_is_there(name):
    """Every name promised by `from saiten import *` exists."""
    import saiten

    assert getattr(saiten, name) is not None
    assert name in dir(saiten)


def test_an_unknown_name_is_an_attribute_error():
    """As for any module."""
    import saiten

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = saiten.nothing


def test_ctrl_c_outside_a_run_has_the_status_of_ctrl_c():
    """Even while a command only prints: 130 and one word, no traceback."""
    code = (
        "import saiten.cli as cli, signal, os, typer\n"
        "app = typer.Typer()\n"
        "@app.command()\n"
        "def stop(): os.kill(os.getpid(), signal.SIGINT)\n"
        "import sys, types; module = types.ModuleType('stopping'); module.app = app; sys.modules['stopping'] = module\n"
        "cli.COMMANDS['stop'] = ('stopping', '')\n"
        "cli.main(['stop'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_an_output_without_japanese_letters_is_no_crash(tmp_path):
    """A pipe on Windows, or LANG=C, cannot encode some characters: they are written as escapes."""
    (tmp_path / "d.jsonl").write_text('{"id": "採点", "question": "q", "answer": "a"}\n', encoding="utf-8")
    code = (
        "import sys; from saiten.cli import main\n"
        f"sys.argv[1:] = ['score', {str(tmp_path / 'd.jsonl')!r}, '-m', 'length', '-o', {str(tmp_path / 'run')!r}]\n"
        "main()\n"
        f"main(['show', {str(tmp_path / 'run')!r}, '--worst', 'length'])"
    )
    code = code.replace("main()\n", "try: main()\nexcept SystemExit: pass\n")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert rb"\u63a1\u70b9" in done.stdout
