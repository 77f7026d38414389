"""Make the README's links absolute for package indexes; in the repository they are relative, and work there as well."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<image>!\[[^\]]*)?\]\((?P<path>(?!https?://|mailto:|#)[^)\s]+)\)")


class AbsoluteLinks(MetadataHookInterface):
    """The description of the package: README.md, with links to the repository in `[project.urls]`."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = metadata["urls"]["Repository"]
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, repository)}


def absolute(text: str, repository: str) -> str:
    """Return Markdown whose relative links lead to the newest files of the repository, and images to their contents."""

    def link(found: re.Match[str]) -> str:
        image = found["image"] or ""
        return f"{image}]({repository}/{'raw' if image else 'blob'}/HEAD/{found['path']})"

    return _LINK.sub(link, text)
