"""A server on this machine with the few endpoints of the Hugging Face Hub that reading a data set takes."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

_COMMIT = "a" * 40
_JSON = {"Content-Type": "application/json"}


class FakeHub(ThreadingHTTPServer):
    """The data set `org/name` with these files, and with a token, for those who have it alone."""

    daemon_threads = True

    def __init__(self, files, token=None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.token, self.sent = files, token, {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        """The value of `HF_ENDPOINT`."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Print nothing."""

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        if self.server.token not in {None, (self.headers["Authorization"] or "").removeprefix("Bearer ")}:
            self._send(401, b"", {"X-Error-Code": "RepoNotFound"})
        elif path.startswith("/api/datasets/org/name"):
            self._send(200, json.dumps(self._described(path.removeprefix("/api/datasets/org/name"))).encode(), _JSON)
        elif path.startswith("/datasets/org/name/resolve/"):
            self._file(path.split("/", 6)[6])
        else:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})

    def _described(self, what):
        if what.startswith("/tree/"):
            folder = PurePosixPath(*what.split("/")[3:])
            return [self._entry(path) for path in self._paths() if path.parent == folder]
        return {"id": "org/name", "sha": _COMMIT, "tags": [], "siblings": [{"rfilename": f"{path}"} for path in self._paths()]}  # fmt: skip

    def _paths(self):
        """All files and folders."""
        files = [PurePosixPath(name) for name in self.server.files]
        return {*files, *(folder for file in files for folder in file.parents)} - {PurePosixPath()}

    def _entry(self, path):
        content = self.server.files.get(str(path))
        if content is None:
            return {"type": "directory", "path": str(path), "oid": _COMMIT}
        return {"type": "file", "path": str(path), "size": len(content), "oid": hashlib.sha1(content).hexdigest()}  # noqa: S324

    def _file(self, name):
        content = self.server.files.get(name)
        if content is None:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        tag = {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": _COMMIT, "Accept-Ranges": "bytes"}  # noqa: S324
        if "Range" not in self.headers:
            self._send(200, content, tag)
            return
        first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last or len(content)) + 1]
        there = f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
        self.server.sent[name] = self.server.sent.get(name, 0) + len(part)
        self._send(206, part, {**tag, "Content-Range": there})

    def _send(self, status, body, headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
