"""A Japanese report is Japanese throughout: a table, column or remark added without a translation fails here.

The words are in src/saiten/words/ja.po.
"""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from saiten.cli import main
from saiten.cli.reporting import report_of
from saiten.records import Label, Sample, Score, Scored, Span, Usage
from saiten.runs import Journal
from saiten.views.latex import as_latex
from saiten.views.page.page import as_html
from saiten.views.render import as_csv, as_json, as_markdown
from saiten.views.report.document import SECOND_RANK
from saiten.views.table import Interval, MetricName, Name, Table
from saiten.words import Message

pytestmark = pytest.mark.xdist_group("japanese")  # made once

TERMS = (
    "AUROC", "F1", "ICC", "SD", "Pearson", "Spearman", "Kendall tau-b", "kappa", "alpha", "balanced accuracy", "macro",
    "Williams", "Holm", "Cohen", "Fleiss", "accuracy", "correctness", "wscore", "lscore", "mscore", "refine",
    "map_reduce", "E2", "E3", "NLP2023", "NRI-CIS", "USD", "max_turns", "faults", "saiten show OUT/scores/DATA", "saiten show", "UTC",
    "ID", "saiten score", "saiten agreement", "--samples", "--grade-zero lowest", "--grade-zero declined", "saiten meta-evaluate FILE FILE --spans", "saiten meta-evaluate", "--judge", "--spans", "-m context_overlap -m length", "context_overlap", "length", "evidence=none", "saiten",
)  # fmt: skip
"""What practitioners say in Japanese as well, and names; add to it only such."""
BOT = "def answer(question, id, history): return '一つ目は最初を残す。' if history else '選択肢がある。'"
WORD = re.compile(r"[A-Za-z][A-Za-z'_-]+")


def journal(folder, systems=("甲", "乙", "丙"), shift=0):
    """A run with every status, votes, both kinds of evidence, aspects, systems and groups, in Japanese."""
    metrics = ("faithfulness", "token_f1", "correctness[evidence=answer]", "correctness[evidence=reference]", "aspects[overall]")  # fmt: skip
    with Journal.open(folder, signatures=dict.fromkeys(metrics, "署名")) as written:
        for n in range(40):
            one = Sample(f"q{n}", f"橋 {n // 2} は何年前にできましたか。", f"{n} 年前です。", ("橋の記録",), f"{n} 年前。", group=("北", "南")[n % 2], system=systems[n % len(systems)], language="ja")  # fmt: skip
            written.sample(one)
            status = {3: "declined", 5: "undefined", 7: "unreadable", 9: "failed"}.get(n)
            reason = f"理由 {n}"
            votes = (0.0, 1.0) if n % 3 else (1.0, 1.0)
            value = (n + shift) % 5 / 4
            first = Score(value, "ok", reason, votes=votes, usage=Usage(2, 30, 4, 0.001))
            written.score(Scored(one.id, metrics[0], first if status is None else Score(None, status, reason)))  # fmt: skip
            written.score(Scored(one.id, metrics[1], Score((n + shift) / 50)))
            for mode, metric in zip(("answer", "reference"), metrics[2:4], strict=True):
                details = {"grade": n % 6, "evidence": {"mode": mode, "pieces": n % 10}}
                written.score(Scored(one.id, metric, Score(float(n % 6), details=details)))
            if n:
                written.score(Scored(one.id, metrics[4], Score(n % 4 + 1.0, details={"aspect": "overall", "grade": n % 4 + 1, "best": 4})))  # fmt: skip
    return folder


def said(n):
    """Labels of every kind: verdicts with and without an aspect, grades, preferences, words, a third decision."""
    for who in ("愛子", "健"):
        odd = who == "健"
        yield from (Label(f"q{k}", float((k + (odd and k % 7 == 0)) % 2), who, "正しさ") for k in range(n))
        yield from (Label(f"q{k}", float(k % 2), who) for k in range(8))
        yield from (Label(f"q{k}", float((k + odd) % 6), who, "評点") for k in range(n))
        yield from (Label(f"q{k}", float((k + (odd and k % 9 == 0)) % 6), who, "correctness") for k in range(n))
        yield from (Label(f"q{k}", float((k + odd) % 6), who, "専門家") for k in range(n))
        yield from (Label(f"q{k}", float((k + odd) % 4 + 1), who, "overall") for k in range(1, n))
        yield from (Label(f"q{k} vs q{k + 1}", float(k % 3 - 1), who, "優劣") for k in range(0, n - 1, 2))
        yield from (Label(f"q{k}", float(k % 3), who, "語", category=("良", "可", "不可")[k % 3]) for k in range(n))
        yield from (Label(f"q{k}", float(k % 3), who, "印", spans=tuple(Span("字", k, k + 1) for _ in range(k % 3))) for k in range(n))  # fmt: skip
    yield Label("q1", 1.0, "裁定者", "正しさ", adjudicated=True)
    yield Label("ほか", 1.0, "愛子", "正しさ")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The Japanese report of every kind of run, and an experiment."""
    folder = tmp_path_factory.mktemp("japanese")
    before = Path.cwd()
    os.chdir(folder)
    try:
        rows = [{"id": f"g{n}", "question": "いつまでに申請しますか。", "answer": "2週間前までに申請します。面談が必要です。", "reference": "2週間前までに申請します。備考欄に記入します。", "contexts": ["申請は2週間前まで。"]} for n in range(4)]  # fmt: skip
        pairs = [{"id": f"p{n}", "question": f"選択肢 {n} は何をするか。", "reference": f"選択肢 {n} は最初を残す。", "group": "北南"[n % 2]} for n in range(4)]  # fmt: skip
        for name, lines in (("rows", rows), ("pairs", pairs)):
            Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
        Path("bot.py").write_text(BOT, encoding="utf-8")
        Path("grid.yaml").write_text(
            "title: 直列か並列か\ndata:\n  - demo: en\n    limit: 4\nmodels: [extractive]\nsystems: [bot.py:answer]\n"
            "chains: [refine, map_reduce]\nmetrics: [accuracy, word_recall]\nevidence: [answer, reference]\n"
            "judge: offline\nat_once: 2\n",
            encoding="utf-8",
        )
        for words in (
            ["score", "rows.jsonl", "-m", "gist", "-o", "趣旨"],
            ["converse", "pairs.jsonl", "--system", "bot.py:answer", "-o", "対話"],
            ["converse", "pairs.jsonl", "--system", "bot.py:answer", "-o", "短い対話", "--max-turns", "1"],
            ["converse", "pairs.jsonl", "--system", "bot.py:answer", "-o", "論文の対話", "--questioning", "published"],
            ["experiment", "grid.yaml"],
        ):
            with pytest.raises(SystemExit, match=r"^0$"):
                main([*words, "--quiet"])
        journal(Path("初回"))
        journal(Path("次回"), systems=("甲",), shift=1)
        runs = [Path(name) for name in ("初回", "次回", "趣旨", "対話", "短い対話", "論文の対話", "runs/grid")]
        return report_of(runs, labels=list(said(40)), language="ja", title="六月の実験")
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def names(report):
    """Texts from outside: names of runs, metrics, systems, groups, samples, models; and the letters of a ranking."""
    found = {"overall", "extractive", "python:bot.py:answer", "offline", "ab", "ja:", "en:"}
    for one in report.tallies:
        found |= {one.name, *one.reader.manifest.signatures, *one.facts.places, *one.facts.systems}
    return found


def english(texts, names):
    """English words of our own that remain in the texts."""
    known = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?![A-Za-z_])" for name in sorted({*names, *TERMS}, key=len, reverse=True)))  # fmt: skip
    return {word for text in texts for word in WORD.findall(known.sub(" ", text))}


def test_no_english_is_left_in_any_table(report, names):
    """Title, columns, caption, and every cell except those with data of a run."""
    tables = [table.in_language("ja") for chapter in report.chapters for table in chapter.tables]
    assert len({table.title.rpartition("：")[2] for table in tables}) > 30, "every kind of table is in this report"
    left = {}
    for table in tables:
        brought = {at for at, name in enumerate(table.columns) if name in {"署名", "理由"}}
        cells = [c for row in table.rows for at, c in enumerate(row) if isinstance(c, str) and at not in brought]
        if words := english([table.title, *table.columns, table.caption, *cells], names):
            left[table.title] = words
    assert not left, "say it in Japanese in src/saiten/words/ja.po"


def test_no_english_is_left_in_any_chart(report, names):
    """Neither above the chart nor in its description nor in the picture."""
    charts = list(report.charts)
    assert len(charts) > 15
    texts = [text for chart in charts for text in (chart.title, chart.said)]
    for panel in (panel for chart in charts if chart.picture for panel in chart.picture.plots):
        texts += [panel.x_title, panel.y_title]
        texts += [str(row.get(kind, "")) for marks in panel.marks for row in marks.rows for kind in ("text", "tooltip")]
    texts = [re.sub(r"\w+(?:…|\.\.\.)\w+", "", text) for text in texts]  # long names are shortened in the middle
    assert english(texts, names) == set()


def test_no_english_is_left_on_the_page(report, names):
    """Everything around the cells: headings, column heads, captions, the key; and nothing is marked as English."""
    chapters = [replace(one, tables=[replace(table, charts=()) for table in one.tables]) for one in report.chapters]
    page = html.fromstring(as_html(chapters, title=report.title, language="ja"))
    found = page.xpath("//h1 | //h2 | //h3 | //nav//a | //thead//th/span | //p | //details//li")
    assert english([node.text_content() for node in found], names) == set()
    assert not page.xpath("//h3[@lang] | //table[@lang]")


def test_what_is_folded_is_there(report):
    """A secondary table with a changed title would silently be unfolded again."""
    tables = [table for chapter in report.chapters for table in chapter.tables]
    assert {table.key for table in tables if table.folded} > {
        "means_of_runs",
        "distributions",
        "means_by_group",
        "decisions",
        "bias",
    }
    assert {table.key for table in tables if table.folded and table.key} <= SECOND_RANK


SCORES = Table(
    Message("title", "scores"),
    ("metric", "mean", "ci_low", "ci_high", "n", "verdict", "remarks"),
    (("n", 0.5, 0.4, 0.6, 3, Message("verdict", "noise"), Message("remark", "counted", status="x", n=2)),),
    (Message("caption", "interval_over_questions"),),
    (Interval("mean", "ci_low", "ci_high"),),
)


def test_the_other_forms_stay_english(report):
    """Programs read the English names; only a page in Japanese has others."""
    for form in (as_json, as_csv, as_markdown, as_latex):
        assert english([form([SCORES])], set()) >= {"metric", "verdict", "within", "noise"}
    assert "within the noise" in as_html([SCORES])
    page = as_html([SCORES], language="ja")
    assert "within the noise" not in page
    assert "誤差の範囲" in page


def test_intervals_are_found_in_japanese_as_well():
    """They are found under the Japanese column names."""
    table = SCORES.in_language("ja")
    assert table.columns == ("評価指標", "平均", "95 % 下限", "上限", "n", "判定", "備考")
    assert table.intervals == (Interval("平均", "95 % 下限", "上限"),)


def test_a_metric_has_its_japanese_name_behind_it_once_in_every_japanese_table():
    """As a row's first cell and as a heading; a name from outside that is spelled like one, and English, stay."""
    rows = (("accuracy[grounded]", "length", 1), ("wscore", "gist", 2), ("Politeness", Name("gist"), 3))
    table = Table(Message("title", "scores"), ("metric", "system", MetricName("length")), rows)
    shown = table.in_language("ja")
    assert shown.columns == ("評価指標", "システム", "length （回答の長さ）")
    assert [row[0] for row in shown.rows] == ["accuracy[grounded]（根拠付き正答率）", "wscore（重み付き平均評点）", "Politeness"]  # fmt: skip
    assert [row[1] for row in shown.rows] == ["length", "gist", "gist"]
    assert table.in_language("en").rows == rows
    outside = Table(Name("x"), (Name("metric"),), (("length",),))
    assert outside.in_language("ja").rows == outside.rows


@pytest.mark.parametrize("name", ["metric", "Scores", "all", "mean", "within the noise", "labels: over items", "{n}"])
def test_a_name_from_outside_stays(name):
    """Even if it is one of our words: as title, as column, as a cell that may hold our words, and in a sentence."""
    table = Table(Name(name), (Name(name), "system"), ((name, Name(name)),)).in_language("ja")
    assert (table.title, table.columns[0], table.rows[0]) == (name, name, (name, name))
    title = Message("title", "gist_profiles_of", metric=name)
    assert Table(title, (), ()).in_language("ja").title.endswith(f"：{name}")


@given(st.text())
def test_no_text_at_all_breaks_it(text):
    """A text from outside comes out unchanged."""
    table = Table(text, (text,), ((text,), (None,), (0.5,)), (text,))
    shown = table.in_language("ja")
    assert (shown.title, shown.columns, shown.caption, shown.rows) == (text, (text,), text, table.rows)
