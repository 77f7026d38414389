import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("form", ["table", "csv", "html"])
def test_output_that_cannot_be_written_is_reported_in_a_sentence(form):
    """A full disk behind `>` is not a bug in saiten: status 2 and no traceback."""
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from saiten.cli import main; main()", "metrics", "--format", form],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
