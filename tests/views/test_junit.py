"""Thresholds as JUnit XML: valid for existing readers, whatever the answers contain, and never large."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml
from lxml import etree

from saiten.errors import BadInput
from saiten.records import Sample, Score, Scored
from saiten.results.place import place_of
from saiten.results.summarize import summarize
from saiten.results.threshold import Threshold
from saiten.results.thresholds import hold, named_in
from saiten.views.junit import as_junit, may_write

SCHEMA = etree.XMLSchema(
    etree.XML("""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="time"><xs:restriction base="xs:dateTime">
    <xs:pattern value="[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"/></xs:restriction></xs:simpleType>
  <xs:simpleType name="name"><xs:restriction base="xs:string"><xs:minLength value="1"/><xs:pattern value="[^\\s]([^\\n\\t\\r]*[^\\s])?"/></xs:restriction></xs:simpleType>
  <xs:complexType name="said"><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="type" type="name" use="required"/><xs:attribute name="message" type="xs:string"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:element name="testsuites"><xs:complexType><xs:sequence>
    <xs:element name="testsuite" maxOccurs="unbounded"><xs:complexType><xs:sequence>
      <xs:element name="properties"><xs:complexType><xs:sequence>
        <xs:element name="property" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
          <xs:attribute name="name" type="name" use="required"/><xs:attribute name="value" type="xs:string" use="required"/>
        </xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
      <xs:element name="testcase" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
        <xs:choice minOccurs="0"><xs:element name="error" type="said"/><xs:element name="failure" type="said"/></xs:choice>
        <xs:attribute name="name" type="name" use="required"/><xs:attribute name="classname" type="name" use="required"/>
        <xs:attribute name="time" type="xs:decimal" use="required"/></xs:complexType></xs:element>
      <xs:element name="system-out" type="xs:string"/><xs:element name="system-err" type="xs:string"/>
    </xs:sequence>
      <xs:attribute name="name" type="name" use="required"/><xs:attribute name="package" type="name" use="required"/>
      <xs:attribute name="hostname" type="name" use="required"/><xs:attribute name="timestamp" type="time" use="required"/>
      <xs:attribute name="id" type="xs:int" use="required"/><xs:attribute name="tests" type="xs:int" use="required"/>
      <xs:attribute name="failures" type="xs:int" use="required"/><xs:attribute name="errors" type="xs:int" use="required"/>
      <xs:attribute name="time" type="xs:decimal" use="required"/>
    </xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>""")
)
"""What all schemas in use accept, Jenkins' junit-10.xsd and windyroad's JUnit.xsd in its editions: the narrowest at each place."""


def report(scores, thresholds, samples=(), **more):
    """The report of (sample, metric) → score, read back by a strict parser."""
    scored = [Scored(sample, metric, score) for (sample, metric), score in scores.items()]
    texts = {sample.id: sample for sample in samples}
    known = {sample: texts.get(sample, Sample(sample, f"question of {sample}", "an answer")) for sample, _ in scores}
    places = {name: place_of(sample) for name, sample in known.items()}
    outcomes = hold(thresholds, summarize(scored, places, each=more.get("each")), places, lambda: scored, each=more.get("each"))  # fmt: skip
    text = as_junit(outcomes, named_in(outcomes, known.values()), **more)
    root = etree.fromstring(text.encode("utf-8"))
    SCHEMA.assertValid(root)
    return root, text


def scores(values, metric="faithfulness"):
    """q0, q1, … with these values; None is a failed call."""
    return {(f"q{n}", metric): Score(value) if value is not None else Score(None, "failed", "HTTP 500") for n, value in enumerate(values)}  # fmt: skip


def test_a_suite_a_metric_and_a_case_a_threshold():
    """A met threshold is an empty case, a missed one a failure naming the worst samples, an unmeasured one an error."""
    both = scores([0.9, 0.2, 0.4, 0.8]) | scores([None, None, None, 1.0], "accuracy")
    asked = [Threshold("faithfulness", 0.5), Threshold("faithfulness", 0.8), Threshold("accuracy", 0.5)]
    root, _ = report(both, asked, signatures={"faithfulness": "faithfulness|judge:x"}, created="2026-01-02T03:04:05+00:00")  # fmt: skip
    first, second = root
    assert [dict(suite.attrib)[key] for suite in root for key in ("name", "tests", "failures", "errors")] == [
        "faithfulness", "2", "1", "0", "accuracy", "1", "0", "1",
    ]  # fmt: skip
    met, missed = first.findall("testcase")
    assert len(met) == 0
    failure = missed.find("failure")
    assert failure.get("message").startswith("faithfulness >= 0.8: 0.575 is under 0.8")
    assert "q1: 0.2\n  question: question of q1\n  answer: an answer\nq2: 0.4" in failure.text
    assert "HTTP 500" in second.find("testcase/error").text
    assert first.find("properties/property").get("value") == "faithfulness|judge:x"
    assert first.get("timestamp") == "2026-01-02T03:04:05"


@pytest.mark.parametrize(("side", "named"), [("under", ["q1", "q3"]), ("over", ["q0", "q2", "q4"])])
def test_only_samples_beyond_the_limit_are_among_the_worst(side, named):
    """A perfect answer is not why the mean missed, however few others there are."""
    limit = {"under": 0.9, "over": 0.5}[side]
    root, _ = report(scores([1.0, 0.0, 1.0, 0.4, 1.0]), [Threshold("faithfulness", limit, side)])
    text = root.find("*/testcase/failure").text
    assert [f"q{n}" for n in range(5) if f"question of q{n}" in text] == named


def test_another_reader_finds_the_same_figures():
    """Totals, what went wrong in which case and why, signatures and times agree; no case is skipped."""
    both = scores([0.9, 0.2, 0.4, 0.8]) | scores([None, None, None, 1.0], "accuracy")
    asked = [Threshold("faithfulness", 0.5), Threshold("faithfulness", 0.3, figure="min"), Threshold("accuracy", 0.5)]
    signatures = {"faithfulness": "faithfulness|judge:x", "accuracy": "accuracy|judge:<y>"}
    root, text = report(both, asked, signatures=signatures, created="2026-01-02T03:04:05+00:00")
    read = JUnitXml.fromstring(text.encode("utf-8"))
    assert (read.tests, read.failures, read.errors, read.skipped) == (4, 2, 1, 0)
    assert [(suite.name, suite.tests, suite.failures, suite.errors) for suite in read] == [
        ("faithfulness", 3, 2, 0), ("accuracy", 1, 0, 1),
    ]  # fmt: skip
    assert [[(each.name, each.value) for each in suite.properties()] for suite in read] == [
        [("signature", signed)] for signed in signatures.values()
    ]
    assert {suite.timestamp for suite in read} == {"2026-01-02T03:04:05"}
    cases = [case for suite in read for case in suite]
    assert [(case.classname, case.name) for case in cases] == [
        ("saiten.faithfulness", "faithfulness >= 0.5"),
        ("saiten.faithfulness", "faithfulness.min >= 0.3"),
        ("saiten.faithfulness", "faithfulness.min >= 0.3 · q1"),
        ("saiten.accuracy", "accuracy >= 0.5"),
    ]
    assert [case.is_passed for case in cases] == [True, False, False, False]
    went_wrong = [said for case in cases for said in case.result]
    assert [type(said) for said in went_wrong] == [Failure, Failure, Error]
    assert [said.text for said in went_wrong] == [said.text for said in root.findall("*/testcase/*")]


def test_a_limit_for_every_sample_makes_the_samples_beyond_it_cases():
    """They come in addition to the threshold's own case; at most a hundred, plus the number of the others."""
    root, text = report(scores([n / 1000 for n in range(500)]), [Threshold("faithfulness", 0.3, figure="min")])
    cases = root.findall(".//testcase")
    assert len(cases) == 101
    assert cases[1].get("name") == "faithfulness.min >= 0.3 · q0"
    assert "300 of 500 samples are under 0.3, the worst at 0" in cases[0].find("failure").get("message")
    assert "200 more samples" in cases[0].find("failure").text
    assert len(text) < 100_000


def test_each_system_is_a_case():
    """The case is named, so a reader sees which."""
    samples = [Sample("q0", "q0", "a", system="a.b"), Sample("q1", "q1", "a", system="c")]
    root, _ = report(scores([0.1, 1.0]), [Threshold("faithfulness", 0.5)], samples, each="system")
    assert [(case.get("name"), len(case)) for case in root.iter("testcase")] == [
        ("faithfulness >= 0.5", 0),
        ("faithfulness >= 0.5 · system a.b", 1),
        ("faithfulness >= 0.5 · system c", 0),
    ]


def test_thousands_of_groups_do_not_make_a_report_that_no_reader_opens():
    """Met cases are left out first, and their number is given."""
    samples = [Sample(f"q{n}", f"q{n}", "a", group=f"g{n}") for n in range(2500)]
    root, text = report(scores([float(n != 2499) for n in range(2500)]), [Threshold("faithfulness", 0.5)], samples, each="group")  # fmt: skip
    assert (root[0].get("tests"), root[0].get("failures")) == ("2000", "1")
    assert root[0].find("system-out").text.startswith("501 cases are left out")
    assert len(text) < 1_000_000


HOSTILE = st.text(st.characters(exclude_categories=[]), max_size=30) | st.sampled_from(
    [
        "\x00\x1b[31m",
        "]]>",
        "<failure/>",
        "&amp;",
        "\ud800",
        "\ufffe",
        "\r\n\t",
        " ",
        "",
        "あ" * 50_000,
        "\u202eabc",
        "𠮷",
    ]
)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_whatever_answers_hold_the_report_is_valid_and_small(identity, answer, reason):
    """Control characters, lone surrogates, markup, endless texts; also in IDs and metric names."""
    metric = f"own{reason[:100]}" if reason else "own"
    sample = Sample(identity, answer, answer, system=reason)
    scored = {(identity, metric): Score(0.1, reason=reason), ("other", metric): Score(None, "failed", reason)}
    asked = [Threshold(metric, 0.5), Threshold(metric, 0.5, figure="min"), Threshold(metric, 0.0, figure="coverage")]
    _, text = report(scored, asked, [sample], signatures={metric: reason}, created=answer)
    assert len(text) < 20_000
    assert "\x1b" not in text


def test_an_old_report_is_not_left_for_a_run_that_never_ends(tmp_path):
    """It is removed at the start, and folders are made; what is not a file is left alone and refused."""
    file = tmp_path / "reports" / "saiten.xml"
    may_write(file)
    assert not file.exists()
    file.write_text('<?xml version="1.0"?>\n<testsuites/>')
    may_write(file)
    assert not file.exists()
    file.write_text('{"id": "a row of somebody\'s data"}')
    for wrong in (tmp_path, Path("/dev/null"), file, file / "x.xml"):
        with pytest.raises(BadInput, match="--junit"):
            may_write(wrong)
    assert file.exists()
    assert Path("/dev/null").exists()
