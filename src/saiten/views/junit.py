"""Thresholds as JUnit XML for CI systems: one suite per metric, one case per threshold.

A threshold for every sample also has one case per sample beyond it, only the worst ones if there are many. An
unmeasured figure is an error, a bad one a failure. Valid against the schemas of Jenkins' xUnit plugin (junit-10) and of
Ant's report (windyroad's JUnit.xsd, including the editions without `skipped`, which is why no suite has one), and
therefore a root without attributes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from saiten.choices import By
from saiten.errors import BadInput
from saiten.records import Sample, Scored
from saiten.results.threshold import EXTREMES, Outcome
from saiten.views.strip_controls import clean
from saiten.views.tables.gate import missed_line

_LONGEST = 2_000
"""Maximum characters of one text."""
_SHORT = 200
"""Maximum characters of a name."""
_MOST = 2_000
"""Maximum cases of one metric."""
_HEAD = 10_000
"""Bytes at the beginning of a file that identify a report."""
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")
_NO_TIME = "1970-01-01T00:00:00"


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    kind: str | None = None
    """`failure` or `error`; None if it is met."""
    message: str = ""
    text: str = ""


def as_junit(
    outcomes: Sequence[Outcome],
    samples: Mapping[str, Sample],
    *,
    each: By | None = None,
    signatures: Mapping[str, str] | None = None,
    created: str = "",
) -> str:
    """Return the report as XML.

    Args:
        outcomes: The thresholds, checked against the run.
        samples: By id, those that the outcomes name, to make failures readable.
        each: The breakdown of `outcomes`.
        signatures: By metric, how its figures were computed.
        created: When the run was started, in UTC.
    """
    root = ET.Element("testsuites")
    metrics = dict.fromkeys(outcome.threshold.metric for outcome in outcomes)
    time = _TIME.match(created)
    for number, metric in enumerate(metrics):
        of = [outcome for outcome in outcomes if outcome.threshold.metric == metric]
        every = [case for outcome in of for case in _cases(outcome, samples, each)]
        cases = sorted(every, key=lambda case: case.kind is None)[:_MOST] if len(every) > _MOST else every
        kinds = [case.kind for case in cases]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_name(metric),
            package="saiten",
            id=str(number),
            tests=str(len(cases)),
            failures=str(kinds.count("failure")),
            errors=str(kinds.count("error")),
            time="0",
            timestamp=time[0] if time else _NO_TIME,
            hostname="localhost",
        )
        properties = ET.SubElement(suite, "properties")
        if signatures and metric in signatures:
            ET.SubElement(properties, "property", name="signature", value=_text(signatures[metric]))
        for case in cases:
            _write(suite, case, metric)
        left_out = [f"{len(every) - _MOST} cases are left out, met ones first"] if len(every) > _MOST else []
        lines = left_out + [str(missed_line(outcome, each)) for outcome in of if outcome.missed]
        ET.SubElement(suite, "system-out").text = _text("\n".join(lines))
        ET.SubElement(suite, "system-err")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def may_write(file: Path) -> None:
    """Check that the report can be written, and ensure that an old one is not mistaken for it if it never is.

    Raises:
        BadInput: The existing file is not a JUnit report, or its folder cannot be created or written.
    """
    try:
        if file.exists() and not file.is_file():  # a folder, or /dev/null, which root could delete
            raise BadInput(f"--junit {file} is not a file; name one, such as saiten.xml")
        if file.exists() and not _is_report(file):
            raise BadInput(f"--junit {file} exists and is not a JUnit report; name another file, such as saiten.xml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        file.unlink()
    except OSError as error:
        raise BadInput(f"--junit {file} cannot be written: {error.strerror}; name a file in another folder") from error


def _is_report(file: Path) -> bool:
    """Return whether the file may be replaced: a report of any tool, or nothing yet."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
    return not head or (head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and b"<testsuite" in head)


def _cases(outcome: Outcome, samples: Mapping[str, Sample], each: By | None) -> Iterator[_Case]:
    name = str(outcome.threshold) + (f" · {each} {outcome.place}" if outcome.place is not None else "")
    if not outcome.missed:
        yield _Case(name)
        return
    kind = "error" if outcome.verdict == "unmeasured" else "failure"
    worst = "\n".join(_described(one, samples) for one in outcome.worst[:5])
    more = outcome.beyond - len(outcome.worst)
    rest = f"\n{more} more samples are beyond the limit" if outcome.beyond and more > 0 else ""
    line = str(missed_line(outcome, each))
    yield _Case(name, kind, line, line + (f"\nthe worst samples:\n{worst}" if worst else "") + rest)
    if outcome.threshold.figure in EXTREMES:
        for one in outcome.worst:
            yield _Case(f"{name} · {one.sample}", "failure", f"{one.score.value:.4g}", _described(one, samples))


def _described(one: Scored, samples: Mapping[str, Sample]) -> str:
    sample = samples.get(one.sample)
    lines = [f"{_cut(one.sample, _SHORT)}: {one.score.value:.4g}"]
    if one.score.reason:
        lines.append(f"  reason: {_cut(one.score.reason, _SHORT)}")
    if sample is not None:
        lines.append(f"  question: {_cut(sample.question, _SHORT)}")
        lines.append(f"  answer: {_cut(sample.answer or '', _SHORT)}")
    return "\n".join(lines)


def _write(suite: ET.Element, case: _Case, metric: str) -> None:
    # Jenkins treats a dot in a class name as a folder.
    classname = f"saiten.{_name(metric).replace('.', '·')}"
    element = ET.SubElement(suite, "testcase", classname=classname, name=_name(case.name), time="0")
    if case.kind is not None:
        kind = {"failure": "missed", "error": "unmeasured"}[case.kind]
        said = ET.SubElement(element, case.kind, type=kind, message=_name(case.message))
        said.text = _text(case.text)


def _name(text: str) -> str:
    return " ".join(_cut(clean(text), _SHORT).split()) or "–"


def _text(text: str) -> str:
    return _cut(clean(text), _LONGEST)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 2]} …"
