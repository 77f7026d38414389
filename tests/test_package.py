"""The package as an index shows it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]


@pytest.fixture(scope="module")
def metadata(tmp_path_factory):
    """The metadata of the wheel that the build backend makes of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_bytes(wheel.read(name))


def test_every_link_of_the_description_is_absolute_and_leads_to_a_file(metadata):
    """A page of an index has no folder that a relative link could be in. Images lead to their contents."""
    text = metadata.get_payload(decode=True).decode("utf-8")
    links = re.findall(r"(!\[[^\]]*)?\]\(([^)]+)\)", text)
    assert len(links) > 30
    assert metadata["Description-Content-Type"] == "text/markdown"
    for image, link in links:
        kind, rest = re.fullmatch(rf"{re.escape(REPOSITORY)}/(raw|blob)/HEAD/(.*)", link).groups()
        assert kind == ("raw" if image else "blob"), link
        path, _, anchor = rest.partition("#")
        assert (ROOT / unquote(path)).is_file(), link
        assert not anchor or anchor in {slug(line) for line in (ROOT / path).read_text("utf-8").splitlines()}, link


def slug(line):
    """The anchor of a heading."""
    return re.sub(r"[^\w-]", "", line.lstrip("# ").casefold().replace(" ", "-"))


def test_only_links_differ_from_the_readme(metadata):
    """In the repository they are relative, so that a clone and a branch show their own files."""
    text = metadata.get_payload(decode=True).decode("utf-8")
    plain = re.sub(rf"{re.escape(REPOSITORY)}/(raw|blob)/HEAD/", "", text)
    assert plain.strip() == (ROOT / "README.md").read_text("utf-8").strip()


def test_every_address_of_the_repository_is_that_of_the_project(metadata):
    """An index shows it next to the package; pages that name it for an installation name no other."""
    assert metadata.get_all("Project-URL") == [f"Repository, {REPOSITORY}"]
    files = [ROOT / "pyproject.toml", *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = [found for file in files for found in re.findall(r"https://github\.com/[\w-]+/saiten\b", file.read_text("utf-8"))]  # fmt: skip
    assert set(named) == {REPOSITORY}
