"""`make audit` against a real HTTP server that answers like OSV's database."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

AUDIT = Path(__file__).parents[1] / ".ci" / "audit.py"
FLAW = {
    "id": "GHSA-0000-0000-0000",
    "aliases": ["CVE-2026-0001"],
    "summary": "Reads files of others.",
    "affected": [
        {
            "package": {"name": "leaky", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
        }
    ],
}


@pytest.fixture
def database():
    """Start a database that gives the package `leaky` this reply, and all others an empty one; return its address."""
    servers = []

    def start(reply: bytes, status: int = 200) -> str:
        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                body = reply if asked["package"]["name"] == "leaky" else b"{}"
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Answering))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}/v1/query"

    yield start
    for each in servers:
        each.shutdown()
        each.server_close()


@pytest.fixture
def audited(tmp_path):
    """Audit two packages; return the exit status and what was printed."""
    (tmp_path / "pins.txt").write_text("leaky==1.0\nsound==2.0\n")

    def call(address, file="pins.txt"):
        command = [sys.executable, str(AUDIT), file, "--database", address]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    return call


def test_a_known_vulnerability_fails_and_says_what_mends_it(database, audited):
    """Package, version, both names of the advisory, the version to take."""
    status, said = audited(database(json.dumps({"vulns": [FLAW]}).encode()))
    assert status == 1
    assert "leaky 1.0: CVE-2026-0001, GHSA-0000-0000-0000; mended in 1.1: Reads files of others." in said
    assert "2 packages of pins.txt, 1 known vulnerabilities" in said


def test_no_vulnerability_is_success(database, audited):
    """All packages were looked up."""
    assert audited(database(b"{}")) == (0, "audit: 2 packages of pins.txt, 0 known vulnerabilities\n")


@pytest.mark.parametrize(("reply", "status"), [(b"{}", 503), (b"<html>", 200), (b'{"vulns": 3}', 200)])
def test_a_database_that_does_not_answer_skips_the_audit_and_says_so(database, audited, reply, status):
    """Nothing is known, which is not "no vulnerabilities"."""
    ended, said = audited(database(reply, status))
    assert ended == 0
    assert said.startswith("audit skipped: http://127.0.0.1:")
    assert "0 known" not in said


def test_a_database_out_of_reach_skips_the_audit_and_says_so(audited):
    """As on a machine without a network."""
    ended, said = audited("http://127.0.0.1:9/v1/query")
    assert ended == 0
    assert "audit skipped: http://127.0.0.1:9/v1/query could not be asked" in said
    assert "Connection refused" in said


def test_a_file_that_is_not_there_is_no_skipped_audit(audited):
    """A typing error must not pass."""
    ended, said = audited("http://127.0.0.1:9/v1/query", "nothing.txt")
    assert (ended, said) == (1, "nothing.txt does not exist\n")
