"""The samples in a report: complete, in order, bounded, and never markup."""

import re
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_runs import HOSTILE, SIGNATURES, samples, scores
from unpacking import beginnings_of, index_of, items_of, unpacked

from saiten.records import Sample, Score, Scored
from saiten.runs import read_run
from saiten.views.report.choosing import choose
from saiten.views.report.document import make_report, write_report
from saiten.views.report.packing import PACK, Packs, as_json, packed
from saiten.views.strip_controls import clean


def test_the_list_has_every_sample_with_its_values_and_statuses(run, page):
    """Samples are in the order of the run; a missing value is null, and its status says why."""
    text = page(run("first", samples(20)))
    index = index_of(text)
    assert index["count"] == 20
    assert index["id"] == [f"q{n}" for n in range(20)]
    assert index["runs"] == ["first"]
    faithfulness, words = index["metrics"]
    assert (faithfulness["name"], words["name"]) == tuple(SIGNATURES)
    assert faithfulness["values"][8:11] == [0.75, None, 0.0]
    assert faithfulness["statuses"] == ("0" * 9 + "3") * 2
    assert words["values"] == [n / 100 for n in range(20)]
    assert index["group"]["names"] == ["north", "south"]


def test_a_sample_in_full_has_everything_that_show_tells(run, page):
    """Texts, statements with verdicts and reasons, further details, votes, usage, and replies of unreadable scores."""
    items = items_of(page(run("first", samples(20))))
    one = items[1]
    assert one["answer"] == "Bridge 1 is 1 years old."
    assert one["contexts"] == ["The bridge was built 1 years ago.", "It is made of steel."]
    (place, score), _ = one["scores"]
    assert (place, score["value"], score["votes"], score["usage"]) == (
        0,
        0.25,
        [0.0, 1.0],
        [2, 300, 0, 40, 0.001, 0, 0],
    )
    assert score["lines"] == [
        [1, "yes", "Statement 1.", "it says so"],
        [1, "no", "Made-up part.", "no"],
        [1, "rest", '{"extra": {"a": [1]}}', ""],
    ]
    assert items[9]["scores"][0][1]["raw"] == "I think 9"


def test_the_matrix_has_the_beginnings_of_texts(run, page):
    """On one line each and bounded; a reference once per question; reasons of scores that are not high."""
    rows = [Sample(f"q@{system}", "Q?", f"{system}\n\n {'long ' * 200}", (), "The reference.", system=system) for system in "ab"]  # fmt: skip
    text = page(run("first", rows))
    (answer, reference, reasons), (_, again, _) = beginnings_of(text)
    assert answer.startswith("a long long")
    assert answer.endswith("…")
    assert 300 < len(answer) < 330
    assert (reference, again) == ("The reference.", "")
    assert reasons == [[0, "half of it"]]
    assert len(beginnings_of(page(run("second", samples(900))))) == 900


def test_reasons_of_high_scores_are_not_in_the_matrix(run, page):
    """Only those that are missing, or below two thirds."""

    def of(sample, number):
        yield Scored(sample.id, "faithfulness", [Score(1.0, "ok", "fine"), Score(None, "failed", "no reply"), Score(0.5, "ok", "half")][number])  # fmt: skip

    assert [begins[2] for begins in beginnings_of(page(run("first", samples(3), of)))] == [[], [[0, "no reply"]], [[0, "half"]]]  # fmt: skip


def test_what_a_score_says_later_replaces_what_it_said(run, page, tmp_path):
    """As in every other command, in whichever order the files are."""
    folder = run("first", samples(3))
    again = Scored("q1", "token_f1", Score(0.875))
    from saiten.runs import Journal

    with Journal.open(folder, signatures=SIGNATURES) as journal:
        journal.score(again)
    text = page(folder)
    assert index_of(text)["metrics"][1]["values"] == [0, 0.875, 0.02]
    assert items_of(text)[1]["scores"][1][1]["value"] == 0.875


def test_hostile_texts_are_data_wherever_they_appear(run, page):
    """No text is markup; the only change is that control characters and non-characters become signs."""
    shown = clean(HOSTILE)

    def of(sample, number):
        yield Scored(
            sample.id, "faithfulness",
            Score(0.5, "ok", HOSTILE, {"statements": [HOSTILE], "verdicts": [{"number": 1, "verdict": True, "reason": HOSTILE}], HOSTILE: HOSTILE}),
        )  # fmt: skip
        yield Scored(sample.id, "token_f1", Score(None, "unreadable", HOSTILE, {"raw": HOSTILE}))

    sample = Sample(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,), HOSTILE, (HOSTILE,), (HOSTILE,), HOSTILE, HOSTILE)
    text = page(run("first", [sample, Sample("plain", "Q?", "A")], of), title=HOSTILE)
    assert "document.title=2</script>" not in text
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 6
    text.encode()  # no lone surrogates
    (item, _), index = items_of(text), index_of(text)
    assert index["id"][0] == item["question"] == item["answer"] == item["references"][1] == shown
    assert item["scores"][0][1]["lines"][0] == [1, "yes", shown, shown]
    assert item["scores"][1][1]["raw"] == shown


def test_long_texts_are_cut_and_say_so(run, page):
    """No sample makes the page endless; the page names the command that shows the rest."""
    long = Sample("q", "Q?", "x" * 1_000_000, tuple("y" * 30_000 for _ in range(3)))
    (item,) = items_of(page(run("first", [long])))
    assert len(item["answer"]) < 21_000
    assert item["answer"].endswith("[980000 characters more: saiten show RUN --sample ID]")


def test_details_that_nest_deep_do_no_harm(run, page):
    """The page is made all the same."""
    deep = {"a": None}
    for _ in range(300):
        deep = {"a": deep}

    def of(sample, number):
        yield Scored(sample.id, "faithfulness", Score(0.5, details={"answer": {"statements": ["s"]}, **deep}))

    (item,) = items_of(page(run("first", [Sample("q", "Q?", "A")], of)))
    assert item["scores"][0][1]["value"] == 0.5


def test_the_same_samples_are_shown_of_every_run(run, page):
    """As many as fit are chosen, regardless of scores and order."""
    one, other = list(samples(40)), list(samples(40, system="two"))
    text = page(run("first", one), run("second", other[::-1], lambda s, n: scores(s, n + 3)), limit=21)
    index = index_of(text)
    shown = [{i for i, of in zip(index["id"], index["run"], strict=True) if of == number} for number in (0, 1)]
    assert shown[0] == shown[1]
    assert len(shown[0]) == 10
    assert "20 of 80 answers are on this page." in text
    assert sorted(shown[0]) != sorted(f"q{n}" for n in range(10)), "not simply the first ones"


@given(st.lists(st.text(), unique=True, max_size=60), st.integers(1, 50), st.integers(1, 3))
def test_a_choice_is_never_over_the_limit_and_takes_all_where_they_fit(ids, limit, runs):
    """The page says how many it takes."""
    choice = choose(ids * runs, limit)
    taken = sum(choice.holds(each) for each in ids) * runs
    assert choice.shown == taken <= limit
    assert choice.total == len(ids) * runs
    assert choice.total > limit or taken == choice.total
    assert choice.total <= limit or taken > limit - runs


@given(st.lists(st.text(max_size=40)))
def test_what_is_packed_comes_out_again(values):
    """Every text is as `clean` shows it; the pack is pure base64."""
    text = packed(as_json(values))
    assert re.fullmatch(r"[A-Za-z0-9+/]*=*", text)
    assert unpacked(text) == [clean(value) for value in values]
    assert b64decode(text)[4:8] == b"\0\0\0\0", "no time in it: the same samples make the same page"


def test_packs_are_filled_and_start_where_they_say():
    """Each value is in the pack that its number points to."""
    packs = Packs()
    values = [{"text": f"{number} " + "x" * 3_000} for number in range(300)]
    made = [text for value in values for text in packs.add(value)] + list(packs.rest())
    assert len(made) == len(packs.starts) > 3
    found = [unpacked(text) for text in made]
    assert [value for pack in found for value in pack] == values
    assert [sum(map(len, found[:at])) for at in range(len(found))] == packs.starts
    assert all(len(as_json(pack)) < PACK + 4_000 for pack in found)


def test_the_report_of_the_same_runs_is_the_same(run, page):
    """They are identical byte for byte, so a report can be versioned and compared."""
    folder = run("first", samples(12))
    assert page(folder) == page(folder)


@pytest.mark.parametrize("content", ["", "<!DOCTYPE html><title>mine</title>", "x" * 50_000])
def test_only_a_page_of_ours_or_an_empty_file_is_overwritten(run, tmp_path, content):
    """Any other file is left alone."""
    report = make_report([read_run(run("first", samples(3)))])
    target = tmp_path / "target.html"
    target.write_text(content)
    if not content:
        write_report(report, target)
        write_report(report, target)
        assert "DOCTYPE" in target.read_text(encoding="utf-8")
        return
    with pytest.raises(Exception, match="not a page written by saiten"):
        write_report(report, target)
    assert target.read_text() == content
