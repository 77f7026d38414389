"""Samples and scores for the tests of the report."""

from saiten.records import Sample, Score, Scored, Usage

HOSTILE = (
    '"><img src=http://127.0.0.1:9/x onerror="document.title=1"><script>document.title=2</script></script>'
    "<!--<script>\u2028\u2029\0\x1b[2J\u202eabc\ud800 \ufffe &lt;b&gt; {{ 7 * 7 }} ]]> שלום"
)
SIGNATURES = {"faithfulness": "faithfulness|judge:offline", "token_f1": "token_f1|tokenizer:words"}


def samples(n, *, system="one", language="en", start=0):
    """Samples q0, q1, …, two per question."""
    for number in range(start, start + n):
        yield Sample(
            f"q{number}",
            f"How old is bridge {number // 2}?" if language == "en" else f"橋 {number // 2} は何年前にできましたか。",
            f"Bridge {number} is {number} years old." if language == "en" else f"{number} 年前です。",
            (f"The bridge was built {number} years ago.", "It is made of steel."),
            f"It is {number} years old." if language == "en" else f"{number} 年前です。",
            group=("north", "south")[number % 2],
            system=system,
            language=language,
        )


def scores(sample, number):
    """A judged score with statements, and one of words; every tenth is unreadable."""
    verdicts = [{"number": 1, "verdict": True, "reason": "it says so"}, {"number": 2, "verdict": False, "reason": "no"}]
    details = {"statements": [f"Statement {number}.", "Made-up part."], "verdicts": verdicts, "extra": {"a": [1]}}
    usage = Usage(2, 300, 40, 0.001, cached_tokens=0 if number % 2 else 200)
    if number % 10 == 9:
        yield Scored(sample.id, "faithfulness", Score(None, "unreadable", "no JSON", {"raw": f"I think {number}"}))
    else:
        yield Scored(sample.id, "faithfulness", Score(number % 5 / 4, "ok", "half of it", details, (0.0, 1.0), usage))
    yield Scored(sample.id, "token_f1", Score(number / 100))
