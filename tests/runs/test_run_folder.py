"""A run on disk: what is kept, what is refused, what is repaired."""

import errno
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample, Score, Scored, Usage
from saiten.runs import Journal, RunSettings, read_run, scored_to_json
from saiten.runs.lines import to_line
from saiten.runs.locked_folder import paid_in

SETTINGS = RunSettings(judge={"judge": "offline-overlap", "votes": 1}, more={"compat": None})


def scored(sample, metric="m", value=1.0, status="ok", **more):
    """A score with its sample and metric."""
    return Scored(sample, metric, Score(value if status == "ok" else None, status, **more))


def contents(folder):
    """The contents of a folder's files, except the lock."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


@pytest.fixture
def run(tmp_path):
    """A folder that does not exist yet."""
    return tmp_path / "run"


def test_a_run_keeps_samples_scores_and_errors(run):
    """Everything written is read back, in order."""
    sample = Sample("a", "質問", "回答", ("c",), language="ja")
    with Journal.open(run, SETTINGS, signatures={"m": "m|judge:x"}, command=["saiten", "score"]) as journal:
        journal.sample(sample)
        journal.score(scored("a", value=0.25, details={"statements": ["s"]}, usage=Usage(2)))
        journal.score(scored("a", "n", status="unreadable", reason="no JSON", details={"raw": "Sure!"}))
        journal.score(scored("a", "o", status="failed", reason="503"), raw="oops")
        journal.bad_row("d.jsonl:3", "not JSON", "{")
    reader = read_run(run)
    assert list(reader.samples()) == [sample]
    assert reader.sample("a") == sample
    assert reader.sample("b") is None
    assert [(s.sample, s.metric, s.score.status) for s in reader.scores()] == [
        ("a", "m", "ok"),
        ("a", "n", "unreadable"),
        ("a", "o", "failed"),
    ]
    assert list(reader.errors()) == [
        {"kind": "score", "sample": "a", "metric": "n", "status": "unreadable", "reason": "no JSON", "raw": "Sure!"},
        {"kind": "score", "sample": "a", "metric": "o", "status": "failed", "reason": "503", "raw": "oops"},
        {"kind": "row", "where": "d.jsonl:3", "reason": "not JSON", "raw": "{"},
    ]
    manifest = reader.manifest
    assert (manifest.settings, manifest.signatures, manifest.command) == (
        SETTINGS.to_json(),
        {"m": "m|judge:x"},
        ["saiten", "score"],
    )
    assert {"saiten", "python", "platform", "numpy", "sudachipy"} <= set(manifest.versions)
    assert manifest.created.endswith("+00:00")


def test_a_line_is_in_the_file_when_the_call_returns(run):
    """Others can read a score immediately, before anything is closed."""
    with Journal.open(run, SETTINGS) as journal:
        for number in range(3):
            journal.score(scored(f"s{number}"))
            assert len((run / "scores.jsonl").read_bytes().splitlines()) == number + 1
            assert len(list(read_run(run).scores())) == number + 1


def test_going_on_knows_what_is_done(run):
    """Reopening knows every pair that has a score, and no other."""
    with Journal.open(run, SETTINGS) as journal:
        journal.score(scored("a"))
        journal.score(scored("b", status="failed"))
        journal.score(scored("c", status="undefined"))
        assert journal.is_done("a", "m")
    with Journal.open(run, SETTINGS) as journal:
        assert journal.done == 3
        assert journal.is_done("b", "m")
        assert not journal.is_done("a", "n")
        assert not journal.is_done("am", "")
    with Journal.open(run, SETTINGS, retry_failed=True) as journal:
        assert journal.done == 2
        assert not journal.is_done("b", "m")
        assert journal.is_done("c", "m")
        journal.score(scored("b", value=0.5))
        journal.score(scored("c", status="failed"))
    with Journal.open(run, SETTINGS, retry_failed=True) as journal:
        assert journal.is_done("b", "m")
        assert not journal.is_done("c", "m")  # the last line counts here too
        journal.score(scored("c", status="undefined"))
    assert {s.sample: s.score.value for s in read_run(run).scores()} == {"a": 1.0, "b": 0.5, "c": None}


def test_the_last_line_of_a_pair_counts(run):
    """Of several lines for one sample and metric, readers see the last one only."""
    with Journal.open(run, SETTINGS) as journal:
        for value in (0.1, 0.2, 0.3):
            journal.score(scored("a", value=value))
            journal.score(scored("b", value=value))
    assert [(s.sample, s.score.value) for s in read_run(run).scores()] == [("a", 0.3), ("b", 0.3)]


def test_a_sample_that_changed_is_refused_with_what_changed(run):
    """The same ID with other content would mix two things in one figure."""
    with Journal.open(run, SETTINGS) as journal:
        journal.sample(Sample("a", "q", "old", ("c",)))
    with Journal.open(run, SETTINGS) as journal:
        journal.sample(Sample("a", "q", "old", ("c",)))
        with pytest.raises(
            BadInput, match=r"the sample 'a' .* answer was 'old', is 'new'; contexts was \('c',\), is None"
        ):
            journal.sample(Sample("a", "q", "new"))
        journal.sample(Sample("b", "q", "new"))
    assert [s.id for s in read_run(run).samples()] == ["a", "b"]


def test_a_sample_written_differently_by_another_version_is_the_same(run):
    """The content counts, not the layout of the line."""
    with Journal.open(run, SETTINGS) as journal:
        journal.sample(Sample("a", "q"))
    (run / "samples.jsonl").write_text('{ "language": "en", "id": "a", "question": "q", "answer": null }\n')
    with Journal.open(run, SETTINGS) as journal:
        journal.sample(Sample("a", "q"))
    assert len(list(read_run(run).samples())) == 1


def test_a_bad_row_is_kept_once(run):
    """However often a run is resumed, its bad rows appear once."""
    for _ in range(3):
        with Journal.open(run, SETTINGS) as journal:
            journal.bad_row("d.jsonl:3", "not JSON", "{")
    assert len(list(read_run(run).errors())) == 1


def test_other_settings_are_refused_and_listed(run):
    """Each differing setting is named with its old and new value, and nothing is touched."""
    with Journal.open(
        run, replace(SETTINGS, more={"compat": None, "prompts": {"ja": "x", "en": "y"}}), signatures={"m": "1"}
    ) as journal:
        journal.score(scored("a"))
    before = contents(run)
    other = RunSettings(
        judge={"judge": "openai:gpt", "votes": 1, "seed": 3}, more={"compat": None, "prompts": {"ja": "x", "en": "z"}}
    )
    with pytest.raises(ConfigurationError) as caught:
        Journal.open(run, other, signatures={"m": "2"})
    assert str(caught.value).splitlines()[1:] == [
        '  judge: was "offline-overlap", is "openai:gpt"',
        '  prompts.en: was "y", is "z"',
        "  seed: was not set, is 3",
        '  m: was "1", is "2"',
    ]
    assert contents(run) == before
    Journal.open(
        run, replace(SETTINGS, more={"compat": None, "prompts": {"ja": "x", "en": "y"}}), signatures={"m": "1"}
    ).close()


def test_metrics_may_be_added(run):
    """More metrics in the same folder are not another run; their signatures are added to the manifest."""
    Journal.open(run, SETTINGS, signatures={"m": "1"}).close()
    Journal.open(run, SETTINGS, signatures={"n": "2"}).close()
    assert read_run(run).manifest.signatures == {"m": "1", "n": "2"}


def test_tuples_and_lists_are_the_same_setting(run):
    """Settings are compared in their JSON form."""
    Journal.open(run, RunSettings(more={"metrics": ("a", "b")})).close()
    Journal.open(run, RunSettings(more={"metrics": ["a", "b"]})).close()
    with pytest.raises(ConfigurationError, match="ready for JSON"):
        Journal.open(run, RunSettings(more={"x": object()}))


def test_a_folder_with_other_things_is_left_alone(run):
    """A folder that is not a run is refused, and neither a file nor a lock is left in it."""
    run.mkdir()
    (run / "thesis.txt").write_text("do not touch")
    with pytest.raises(ConfigurationError, match=r"not empty and no run of saiten \(it holds thesis\.txt\)"):
        Journal.open(run, SETTINGS)
    assert [path.name for path in run.iterdir()] == ["thesis.txt"]
    with pytest.raises(ConfigurationError, match="is a file"):
        Journal.open(run / "thesis.txt", SETTINGS)
    with pytest.raises(BadInput, match="is no run of saiten"):
        read_run(run)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ('{"name": "my web app"}', "of another kind"),
        ("[]", "of another kind"),
        ("{broken", "cannot be read"),
        ('{"kind": "saiten run", "format": 99, "versions": {"saiten": "9.0"}}', r"has format 99.*saiten 9\.0"),
    ],
)
def test_a_foreign_manifest_is_refused(run, manifest, message):
    """A manifest.json that is foreign, too new or broken is not overwritten."""
    run.mkdir()
    (run / "manifest.json").write_text(manifest)
    for opening in (lambda: Journal.open(run, SETTINGS), lambda: read_run(run)):
        with pytest.raises(ConfigurationError, match=message):
            opening()
    assert contents(run) == {"manifest.json": manifest.encode()}


def test_an_empty_folder_and_one_left_by_a_killed_start_are_fine(run):
    """A process killed before its manifest was written leaves a usable folder."""
    run.mkdir()
    (run / ".lock").write_text("")
    (run / ".manifest.json.0a1b2c3d.new").write_text('{"kind"')
    Journal.open(run, SETTINGS).close()
    assert read_run(run).manifest.settings == SETTINGS.to_json()


def test_a_corrupt_line_is_named_and_the_rest_is_read(run):
    """A damaged line in the middle loses that line alone, for reading and for resuming."""
    with Journal.open(run, SETTINGS) as journal:
        for name in "abc":
            journal.score(scored(name))
    path = run / "scores.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(
        lines[0]
        + b"\x00" * 40
        + b"\n"
        + b'{"sample": "x", "metric": "m", "usage": 3, "status": "ok", "value": 1}\n'
        + lines[2]
    )
    notices = []
    assert [s.sample for s in read_run(run, notify=notices.append).scores()] == ["a", "c"]
    assert [note.split(" ")[0] for note in notices] == [f"{path}:2", f"{path}:3"]
    notices.clear()
    with Journal.open(run, SETTINGS, notify=notices.append) as journal:
        assert journal.is_done("a", "m")
        assert not journal.is_done("b", "m")
        assert journal.is_done("c", "m")
    assert notices == [f"{path}:2 cannot be read; it counts as not written"]


LINES = [to_line(scored_to_json(scored(f"標本{n}", value=n / 7, details={"改行": "一\n二"}))) for n in range(5)]


@given(cut=st.integers(0, sum(map(len, LINES))))
def test_any_truncation_loses_the_torn_line_alone(tmp_path_factory, cut):
    """At whatever byte the file ends, whole lines stay, a torn one is moved aside and reported, and the run resumes."""
    run = tmp_path_factory.mktemp("cut")
    Journal.open(run, SETTINGS).close()
    content = b"".join(LINES)[:cut]
    (run / "scores.jsonl").write_bytes(content)
    whole = content.count(b"\n")
    tail = content.rpartition(b"\n")[2]
    if tail + b"\n" in LINES:  # only the line end is missing, so nothing is
        whole, tail = whole + 1, b""
    notices = []
    with Journal.open(run, SETTINGS, notify=notices.append) as journal:
        assert [journal.is_done(f"標本{n}", "m") for n in range(5)] == [n < whole for n in range(5)]
        for n in range(whole, 5):
            journal.score(scored(f"標本{n}", value=n / 7, details={"改行": "一\n二"}))
    assert (run / "scores.jsonl").read_bytes() == b"".join(LINES)
    torn = run / "scores.jsonl.torn"
    assert (torn.read_bytes() if torn.exists() else b"") == (tail + b"\n" if tail else b"")
    assert len(notices) == bool(tail)


@pytest.mark.parametrize("name", ["samples.jsonl", "errors.jsonl"])
def test_the_other_files_are_mended_too(run, name):
    """A torn tail of samples or errors is moved aside as well."""
    with Journal.open(run, SETTINGS) as journal:
        journal.sample(Sample("a", "q"))
        journal.bad_row("d:1", "r")
    with (run / name).open("ab") as file:
        file.write(b'{"id": "b", "que')
    notices = []
    Journal.open(run, SETTINGS, notify=notices.append).close()
    assert name in notices[0]
    assert (run / name).read_bytes().count(b"\n") == 1


def test_a_reader_passes_over_a_line_that_is_being_written(run):
    """A torn last line is reported, is not an error, and the file is left as it is."""
    with Journal.open(run, SETTINGS) as journal:
        journal.score(scored("a"))
    with (run / "scores.jsonl").open("ab") as file:
        file.write(b'{"sample": "b"')
    before, notices = contents(run), []
    assert [s.sample for s in read_run(run, notify=notices.append).scores()] == ["a"]
    assert len(notices) == 1
    assert contents(run) == before


def test_nan_is_refused_and_nothing_of_it_is_written(run):
    """A bug in a metric is raised, and the file has only whole lines."""
    with Journal.open(run, SETTINGS) as journal:
        journal.score(scored("a"))
        with pytest.raises(ValueError, match="JSON"):
            journal.score(scored("b", value=float("nan")))
        assert not journal.is_done("b", "m")
    assert len((run / "scores.jsonl").read_bytes().splitlines()) == 1


def test_half_characters_of_a_reply_are_kept(run):
    """A judge's reply with a lone surrogate is written and read unchanged."""
    with Journal.open(run, SETTINGS) as journal:
        journal.score(scored("a", status="unreadable", reason="no JSON", details={"raw": "\ud83d 半分"}))
    assert next(read_run(run).scores()).score.details == {"raw": "\ud83d 半分"}
    with Journal.open(run, SETTINGS) as journal:
        assert journal.is_done("a", "m")


def test_a_second_journal_on_the_folder_is_refused(run):
    """Two writers on one run would pay twice; the second learns who has it, and the folder is free afterwards."""
    with (
        Journal.open(run, SETTINGS),
        pytest.raises(ConfigurationError, match=rf"in use by another saiten process \(number {os.getpid()}\)"),
    ):
        Journal.open(run, SETTINGS)
    Journal.open(run, SETTINGS).close()


def test_a_refused_opening_frees_the_folder(run):
    """After a refusal because of other settings the right ones work immediately."""
    with Journal.open(run, SETTINGS) as journal:
        journal.score(scored("a"))
    with pytest.raises(ConfigurationError, match="other settings"):
        Journal.open(run)
    Journal.open(run, SETTINGS).close()


def test_a_run_without_a_score_may_begin_anew_with_other_settings(run):
    """A mistyped model or column is not binding: the right one is accepted, and what was read wrongly is forgotten."""
    with Journal.open(run, SETTINGS, signatures={"m": "1"}) as journal:
        journal.sample(Sample("a", "wrong column"))
        journal.bad_row("d:1", "no answer")
    with Journal.open(run, RunSettings(judge={"judge": "right"}), signatures={"m": "2"}) as journal:
        journal.sample(Sample("a", "right column"))
    assert read_run(run).manifest.settings["judge"] == "right"
    assert read_run(run).manifest.signatures == {"m": "2"}
    assert [sample.question for sample in read_run(run).samples()] == ["right column"]
    assert list(read_run(run).errors()) == []


def test_closing_twice_is_fine_and_writing_after_it_is_not(run):
    """A closed journal accepts nothing more."""
    journal = Journal.open(run, SETTINGS)
    journal.close()
    journal.close()
    with pytest.raises(ValueError, match="closed"):
        journal.score(scored("a"))


def test_a_full_disk_is_an_error_that_leaves_whole_lines(run):
    """If the disk takes half a line, the half is removed, the error says so, and earlier contents stay."""
    code = textwrap.dedent("""
        import resource, sys
        from saiten.errors import ConfigurationError
        from saiten.runs import Journal
        from saiten.records import Score, Scored
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))  # the file may not grow beyond; writes come back short
        journal = Journal.open(sys.argv[1])
        written = 0
        try:
            while True:
                journal.score(Scored(f"s{written}", "m", Score(1.0, reason="r" * 150)))
                written += 1
        except ConfigurationError as error:
            print(written)
            print(error)
        assert not journal.is_done(f"s{written}", "m")
        journal.close()
    """)
    result = subprocess.run([sys.executable, "-c", code, str(run)], capture_output=True, text=True, check=True)
    written, message = result.stdout.splitlines()
    assert "cannot be written" in message
    assert "everything before is kept" in message
    assert (run / "scores.jsonl").read_bytes().endswith(b"\n")
    assert [s.sample for s in read_run(run).scores()] == [f"s{n}" for n in range(int(written))]
    with Journal.open(run) as journal:
        journal.score(scored(f"s{written}"))
        assert journal.done == int(written) + 1


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a place that not even root can write")
def test_a_place_that_cannot_be_written_is_reported():
    """A folder that cannot be made is an error that says what to do."""
    with pytest.raises(ConfigurationError, match=r"cannot be made.*name another place"):
        Journal.open("/proc/saiten/run", SETTINGS)


def test_the_manifest_is_replaced_as_a_whole(run):
    """No temporary file stays, and the manifest is human-readable JSON."""
    Journal.open(run, SETTINGS).close()
    assert sorted(path.name for path in run.iterdir()) == [
        ".lock",
        "errors.jsonl",
        "manifest.json",
        "samples.jsonl",
        "scores.jsonl",
    ]
    assert json.loads((run / "manifest.json").read_text())["kind"] == "saiten run"
    assert (run / "manifest.json").read_text().startswith('{\n  "settings"')


def test_what_is_written_reaches_the_disk_within_a_second(run, monkeypatch):
    """The thread syncs each file that was written to, and only those; closing syncs the rest."""
    from saiten.durable import appended_file as appending

    synced = []
    real = os.fsync
    monkeypatch.setattr(
        appending.os, "fsync", lambda fd: (synced.append(Path(f"/proc/self/fd/{fd}").readlink().name), real(fd))
    )
    monkeypatch.setattr(appending, "SYNC_SECONDS", 0.001)
    with Journal.open(run, SETTINGS) as journal:
        synced.clear()
        journal.score(scored("a"))
        for _ in range(10_000):
            if synced:
                break
            journal._syncing._thread.join(0.001)
        assert set(synced) == {"scores.jsonl"}


def test_a_disk_that_does_not_keep_stops_the_run(run, monkeypatch):
    """If syncing fails, the next score is refused instead of being lost silently."""
    from saiten.durable import appended_file as appending

    def broken(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(appending, "SYNC_SECONDS", 0.001)
    journal = Journal.open(run, SETTINGS)
    monkeypatch.setattr(appending.os, "fsync", broken)
    journal.score(scored("a"))
    journal._syncing._thread.join(10)
    with pytest.raises(ConfigurationError, match="loses what is written"):
        journal.score(scored("b"))
    monkeypatch.undo()
    journal.close()


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_that_goes_away_stops_the_run(run, monkeypatch, how):
    """If a file is deleted or replaced, the next score is refused instead of going into a file that nobody sees."""
    from saiten.durable import appended_file as appending

    monkeypatch.setattr(appending, "SYNC_SECONDS", 0.001)
    journal = Journal.open(run, SETTINGS)
    journal.score(scored("a"))
    if how == "deleted":
        (run / "scores.jsonl").unlink()
    else:
        (run / "edited").write_bytes(b"")
        (run / "edited").replace(run / "scores.jsonl")
    journal._syncing._thread.join(10)
    with pytest.raises(ConfigurationError, match="was deleted or replaced"):
        journal.score(scored("b"))
    journal.close()


def test_memory_does_not_grow_with_what_the_lines_say(run):
    """A run keeps a few dozen bytes per score in memory, whatever its details are."""
    import tracemalloc

    Journal.open(run, SETTINGS).close()
    line = scored_to_json(scored("x", details={"long": "d" * 20_000}))
    with (run / "scores.jsonl").open("wb") as file:
        file.writelines(to_line(line | {"sample": f"s{n}"}) for n in range(2_000))
    tracemalloc.start()
    with Journal.open(run, SETTINGS) as journal:
        assert journal.done == 2_000
    assert sum(1 for _ in read_run(run).scores()) == 2_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


class TestFinished:
    """A run is finished once all its samples are known and every metric has a score for each."""

    @staticmethod
    def go_on(run, samples, metrics, scores, **more):
        """Read these samples to the end; returns whether the run is finished then."""
        with Journal.open(run, SETTINGS, signatures=dict.fromkeys(metrics, "x"), **more) as journal:
            for name in samples:
                journal.sample(Sample(name, "q", "a"))
            for name, metric in scores:
                journal.score(Scored(name, metric, Score(1.0)))
            journal.finish()
        return read_run(run).manifest.finished

    def test_only_what_is_whole(self, run):
        """Fewer metrics or rows than a killed run had begun with do not complete it."""
        assert self.go_on(run, "ab", "mn", [("a", "m"), ("b", "m"), ("a", "n")]) is False
        assert self.go_on(run, "ab", "m", []) is False
        assert self.go_on(run, "a", "mn", [("b", "n")]) is False
        assert self.go_on(run, "ab", "mn", []) is True

    def test_no_usable_row_is_no_end(self, run):
        """All rows may have been bad."""
        assert self.go_on(run, "", "m", []) is False

    def test_reopened(self, run):
        """A finished run stays so when it is only viewed, and is unfinished as soon as there is more to do."""
        assert self.go_on(run, "a", "m", [("a", "m")]) is True
        Journal.open(run, SETTINGS, signatures={"m": "x"}).close()
        assert read_run(run).manifest.finished is True
        with Journal.open(run, SETTINGS, signatures={"m": "x"}) as journal:
            journal.sample(Sample("b", "q", "a"))
        assert read_run(run).manifest.finished is False
        assert self.go_on(run, "ab", "m", [("b", "m")]) is True
        Journal.open(run, SETTINGS, signatures={"m": "x", "n": "x"}).close()
        assert read_run(run).manifest.finished is False

    @pytest.mark.parametrize("odd", ['"no"', "0", "[]"])
    def test_an_odd_mark_is_damage(self, run, odd):
        """It does not count as finished."""
        self.go_on(run, "a", "m", [("a", "m")])
        path = run / "manifest.json"
        path.write_text(path.read_text().replace('"finished": true', f'"finished": {odd}'))
        with pytest.raises(ConfigurationError, match="damaged: finished: expected a valid boolean"):
            read_run(run)


def test_the_entry_of_a_reply_takes_back_what_was_unknown(tmp_path):
    """Two calls, one of them answered: the other one alone is of unknown cost, and interrupted."""
    sent, answered = {"calls": 1, "unpriced": 1, "unanswered": 1}, {"cost": 0.5, "unpriced": -1, "unanswered": -1}
    (tmp_path / "calls.jsonl").write_bytes(b"".join(map(to_line, (sent, sent, answered))))
    assert paid_in(tmp_path) == Usage(calls=2, cost=0.5, unpriced=1, unanswered=1)
