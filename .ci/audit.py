"""Look up known vulnerabilities of the pinned packages in OSV's database: `make audit`.

Status 1 if a package has one, which is then listed with the version that mends it. If the database cannot be reached,
or its answer cannot be read, nothing is known: the audit says so and ends with status 0, since CI may run without a
network.

    python .ci/audit.py [FILE] [--database URL]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DATABASE = "https://api.osv.dev/v1/query"
ACCEPTED: dict[str, str] = {}
"""Advisory → why it does not concern us."""
_SECONDS = 10
"""Per request, for a network that drops packets."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was found; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", default="constraints.txt", help="requirements with exact versions")
    parser.add_argument("--database", default=DATABASE, help="address that answers OSV's queries")
    asked = parser.parse_args(arguments)
    audited = audit(asked.file, asked.database)
    if isinstance(audited, str):
        print(f"audit skipped: {asked.database} could not be asked ({audited})")
        return 0
    unknown = [package["name"] for package in audited if "skip_reason" in package]
    vulnerable = [(package, flaw) for package in audited for flaw in package.get("vulns", ())]
    for package, flaw in vulnerable:
        mended = " or ".join(flaw["fix_versions"]) or "no version yet"
        names = ", ".join([flaw["id"], *flaw["aliases"]])
        print(f"{package['name']} {package['version']}: {names}; mended in {mended}: {flaw['description'][:200]}")
    known = f"audit: {len(audited) - len(unknown)} packages of {asked.file}, {len(vulnerable)} known vulnerabilities"
    print(known + (f"; nothing is known of {', '.join(unknown[:5])} and {len(unknown)} in all" if unknown else ""))
    return 1 if vulnerable else 0


def audit(file: str, database: str) -> list[dict[str, Any]] | str:
    """Return the packages with their vulnerabilities, or why they are not known."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found.json")
        ignored = [part for advisory in ACCEPTED for part in ("--ignore-vuln", advisory)]
        call = [sys.executable, "-m", "pip_audit", "--requirement", file, "--no-deps", "--disable-pip", *ignored]
        call += ["--vulnerability-service", "osv", "--osv-url", database, "--timeout", str(_SECONDS)]
        call += ["--progress-spinner", "off", "--cache-dir", folder, "--format", "json", "--output", str(found)]
        ended = subprocess.run(call, capture_output=True, text=True, check=False)
        if not found.exists():
            if not Path(file).is_file():
                sys.exit(f"{file} does not exist")
            return (ended.stderr.strip().splitlines() or ["it says nothing"])[-1]
        packages: list[dict[str, Any]] = json.loads(found.read_text("utf-8"))["dependencies"]
    if packages and all("skip_reason" in package for package in packages):
        return f"nothing is known of any of the {len(packages)} packages"
    return packages


if __name__ == "__main__":
    sys.exit(main())
