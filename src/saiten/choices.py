"""Choices and defaults shown in help texts; kept here so that showing help imports nothing else."""

from typing import Literal, get_args

Format = Literal["table", "json", "csv", "md", "latex", "html", "xlsx"]

ExportName = Literal["xlsx", "csv", "tsv", "jsonl", "parquet", "otlp", "langfuse", "phoenix", "mlflow"]
"""The formats of exported answers; `saiten.exports.formats` writes them. The last four are for traces."""

SetExportName = Literal["ragas", "deepeval", "csv", "xlsx", "jsonl"]
"""The formats of exported test sets; `saiten.exports.test_sets` writes them."""

FrameLayout = Literal["wide", "long"]
"""`wide`: one row per sample, with `METRIC`, `METRIC:status`, `METRIC:reason` and, if the judge
gave probabilities, `METRIC:expected` · `long`: one row per score."""

Retrieval = Literal["dense", "hybrid", "bm25"]
"""`dense`: by embeddings · `bm25`: by terms · `hybrid`: both, joined by reciprocal rank fusion."""

ChainName = Literal["stuff", "refine", "map_reduce"]
"""As typed and as shown in descriptions."""

RagForm = Literal["qa", "mqa"]
"""`qa`: each question alone · `mqa`: the search query is written from question and history, and the answer's prompt
shows the history."""

QuestionKind = Literal["single", "several", "across", "comparison", "unanswerable", "false_premise", "follow_up"]
"""`single`: one passage answers it · `several`: passages of one document · `across`: passages of several documents ·
`comparison`: two things compared · `unanswerable`: a near miss that the documents do not answer · `false_premise`: it
assumes something that the documents contradict · `follow_up`: understandable only after what was said before."""
QUESTION_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

Difficulty = Literal["easy", "medium", "hard"]
"""`easy`: stated in one place, nearly in the question's words · `medium`: in other words, or with a condition · `hard`:
takes a conclusion, a calculation, or several facts."""
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)

CheckName = Literal["wording", "leak", "duplicate", "closed_book", "support", "round_trip"]
"""The checks of a question: is it understandable by itself · does it give its answer away · is it new · does it need
the documents · do its passages support the reference · do they lead another reader to the same answer."""
QUESTION_CHECKS: tuple[CheckName, ...] = get_args(CheckName)
"""All checks, in the order in which they are made."""

LaterCheckName = Literal["contradiction", "up_to_date"]
"""The checks of a whole test set: does no other reference say otherwise · do the documents still answer it."""

EvidenceMode = Literal["none", "answer", "reference"]
"""The evidence for a grader of correctness: none · what the system saw · what question and reference retrieve."""

ExecutorName = Literal["local", "ray"]
"""`local`: this machine · `ray`: the workers of a Ray cluster."""

By = Literal["system", "group"]

Theme = Literal["light", "dark"]
"""The background of pictures."""

Stratify = Literal["system", "group", "day", "none"]
"""The field whose values all get their share of a sample of the rows; `day`: of the trace, in UTC."""

ScoreBy = Literal["value", "expected"]
"""The figure of a score that is compared with people: its value, or its expected value by the judge's probabilities."""

DisagreementKind = Literal["judge-yes-people-no", "judge-no-people-yes", "judge-higher", "judge-lower"]
"""How a judge differs from people; yes and no are verdicts, higher and lower values. Preferences: for the second answer
(higher) or the first (lower)."""

COVERAGE = 0.9
"""The default share of samples that must have a value."""

MOST_AT_ONCE = 10_000
"""Highest concurrency: each request or question in flight needs memory, and a connection or a thread."""
MOST_PASSAGES = 10_000
"""Highest number of passages per question."""
MAX_TURNS = 5
"""As in the paper."""

RECORDED = "recorded"
"""The system of conversations on record, which are replayed instead of held."""

Questioning = Literal["merged", "published"]
"""`merged`: one call decides whether another question is needed and asks it, using nothing that only the reference says
· `published`: two calls, as in the paper, which may ask the system to confirm what only the reference says."""

LastGrade = Literal["replaces", "appended"]
"""The grade of the final answer (T7) in a dialogue's σ: it replaces that of its turn · it is one more, unless there
are as many as turns allowed."""

Level = Literal["nominal", "ordinal", "interval"]
"""Categories · grades whose order counts · grades whose distances count."""

GradeZero = Literal["auto", "declined", "lowest"]
"""The meaning of grade 0: by the aspect and the labels · the answer declines · the lowest grade."""

Unmeasured = Literal["left-out", "wrong", "worst", "tie"]
"""How an item without a value from the metric counts: not at all · as the opposite of the label · as no ·
(preferences) as a tie."""

SystemsOver = Literal["common", "all"]
"""The items behind a system's mean label: those that the metric measured too · all that people rated."""

SplitBy = Literal["group", "system"]
"""The field by which items are divided."""

NoneGood = Literal["counted", "left-out"]
"""Whether a preference counts whose annotator says that none of the answers is good."""

TIE_MARGIN = 1e-9
"""Scores that differ by less are tied: the difference is rounding."""

HeadName = Literal["chat", "regression"]
"""`chat`: a causal model that writes its reply · `regression`: an encoder that predicts the grades themselves."""

HELD_OUT = 0.2
"""Share of the questions."""

REPORT_LIMIT = 10_000
"""Maximum samples in a report; a browser opens that many within seconds."""

PROBE_NAMES = (
    "padded",
    "planted_verdict",
    "planted_instruction",
    "other_language",
    "empty",
    "reference",
    "wrong_reference",
    "swapped_answer",
    "contexts_reversed",
    "form_turned",
    "rubric_turned",
    "order_swapped",
)
"""The probes, in the order in which they are reported."""

FRAMEWORKS = ("langchain", "llamaindex", "haystack")
"""The prefixes of systems that are objects of other frameworks."""
