"""Processes that are killed while writing, and two that want the same folder."""

import random
import signal
import subprocess
import sys
import textwrap
from collections import Counter

import pytest

from saiten.errors import ConfigurationError
from saiten.runs import Journal, read_run

METRICS = ("m", "n[setting=1]", "o")
SAMPLES = [f"標本/{number}" for number in range(300)]

WRITER = textwrap.dedent("""
    import os, sys, time
    from saiten.runs import Journal, RunSettings
    from saiten.records import Sample, Score, Scored
    folder, samples, metrics, left = sys.argv[1], sys.argv[2].split(), sys.argv[3].split(), int(sys.argv[4])
    with Journal.open(folder, RunSettings(more={"judge": "x"}), signatures=dict.fromkeys(metrics, "s"), notify=lambda note: None) as journal:
        for sample in samples:
            journal.sample(Sample(sample, "q" * 50))
            for metric in metrics:
                if not journal.is_done(sample, metric):
                    journal.score(Scored(sample, metric, Score(len(sample) / 7, details={"文": ["長い" * 300]})))
                    os.write(1, f"{sample} {metric}\\n".encode())  # only what was acknowledged
                    left -= 1
                    if not left:
                        time.sleep(600)  # so that however late the signal is, it comes before the end
    os.write(1, b"end\\n")
""")


def start(folder, most):
    """A process that resumes the run, for this many scores."""
    arguments = [sys.executable, "-c", WRITER, str(folder), " ".join(SAMPLES), " ".join(METRICS), str(most)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE)


def test_a_run_that_is_killed_again_and_again_loses_and_doubles_nothing(tmp_path):
    """SIGKILL at random moments: no acknowledged score is lost, none is asked for twice, and in the end every pair is
    there exactly once.
    """
    dice = random.Random(20261121)
    acknowledged: Counter[str] = Counter()
    for attempt in range(60):
        count = dice.randrange(1, 80) if attempt < 12 else 0
        with start(tmp_path / "run", count + 5 if count else 10_000) as process:
            said = []
            if count:
                said = [process.stdout.readline() for _ in range(count)]
                process.send_signal(signal.SIGKILL)
            said += process.stdout.readlines()
        acknowledged.update(line.decode().strip() for line in said)
        there = {f"{s.sample} {s.metric}" for s in read_run(tmp_path / "run").scores()}
        assert set(acknowledged) - {"end"} <= there
        if acknowledged["end"]:
            break
    lines = [f"{s.sample} {s.metric}" for s in read_run(tmp_path / "run").scores()]
    assert sorted(lines) == sorted(f"{sample} {metric}" for sample in SAMPLES for metric in METRICS)
    assert (tmp_path / "run" / "scores.jsonl").read_bytes().count(b"\n") == len(lines)  # nothing was asked for twice
    assert len(list(read_run(tmp_path / "run").samples())) == len(SAMPLES)
    assert attempt >= 12
    assert max(acknowledged.values()) == 1


def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path):
    """The lock holds between processes, names the holder, and dies with it."""
    code = textwrap.dedent("""
        import sys, time
        from saiten.runs import Journal, RunSettings
        journal = Journal.open(sys.argv[1])
        print("open", flush=True)
        time.sleep(600)
    """)
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "run")], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(ConfigurationError, match=f"number {holder.pid}"):
            Journal.open(tmp_path / "run")
        holder.send_signal(signal.SIGKILL)
    Journal.open(tmp_path / "run").close()


def test_a_process_that_exits_without_closing_keeps_what_it_wrote(tmp_path):
    """Neither an exception nor os._exit loses a line."""
    code = textwrap.dedent("""
        import os, sys
        from saiten.runs import Journal, RunSettings
        from saiten.records import Score, Scored
        Journal.open(sys.argv[1]).score(Scored("a", "m", Score(1.0)))
        os._exit(0) if sys.argv[2] == "exit" else 1 / 0
    """)
    for how in ("exit", "raise"):
        folder = tmp_path / how
        subprocess.run([sys.executable, "-c", code, str(folder), how], stderr=subprocess.DEVNULL, check=False)
        assert [s.sample for s in read_run(folder).scores()] == ["a"]
